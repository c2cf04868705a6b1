"""The state of a project and the quality of its labels: progress, agreement, repeats, known answers, time, drift."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import polars as pl
from sqlalchemy import Connection, func, select

from assay.core.errors import AssayError, number_of
from assay.core.results import Result
from assay.stats.bootstrap import wilson
from assay.store import schema as db
from assay.store.labels_table import as_labels, frame_of, labels_frame
from assay.store.projects import Project
from assay.store.releases import releases
from assay.store.settling import Rules

#: Fewer repeats, known answers or shared items than this say nothing about a person.
_ENOUGH: Final = 10
#: Below these shares somebody should look: own labels given again, and known answers.
_STEADY, _RIGHT = 0.7, 0.7
#: A label in less time than this share of the median is quick; a share of quick ones beyond the other is remarked.
_QUICK, _MANY_QUICK = 0.25, 0.2
#: A judge whose alpha with the others is lower than everybody's by this is named.
_OFF = 0.2


@dataclass(frozen=True, eq=False)
class ProjectStatus(Result):
    """The state of a project: items, assessors, agreement, releases; and remarks worth a look.

    `assessors`: one row each, by name, with labels, time, self-agreement, known answers and agreement with the others.
    `topics`: progress by topic, with its agreement. `agreement`: of all; `over_time`: of the first labels and the last.
    """

    kind: ClassVar[str] = "judging status"

    name: str
    place: str
    items: Mapping[str, int]
    labels: int
    cannot_judge: int
    late: int
    assessors: pl.DataFrame
    topics: pl.DataFrame
    agreement: pl.DataFrame
    over_time: pl.DataFrame
    releases: tuple[Mapping[str, Any], ...]
    settings: Mapping[str, Any]
    remarks: tuple[str, ...]

    @property
    def share(self) -> float:
        """The share of items that need nobody any more."""
        every = sum(self.items.values())
        return self.items.get("settled", 0) / every if every else 0.0

    def to_frame(self) -> pl.DataFrame:
        """One row per assessor."""
        return self.assessors


def project_status(project: Project) -> ProjectStatus:
    """The state of a project and the quality of its labels so far."""
    with project.database.reading() as connection:
        states = dict(map(tuple, connection.execute(
            select(db.item.c.state, func.count()).where(db.item.c.project_id == project.id).group_by(db.item.c.state)
        )))  # fmt: skip
        labels = labels_frame(connection, project, purposes=("main", "import", "gold", "repeat"))
        people = _people(connection, project)
        topics = _topics(connection, project)
    main = labels.filter(pl.col("purpose").is_in(["main", "import"]))
    agreement, per_topic, over_time, problem = _agreement(project, main)
    if per_topic.height:
        known = per_topic.select("Alpha", "Alpha_low", "Alpha_high", query_id="topic")
        topics = topics.join(known, on="query_id", how="left", maintain_order="left")
    table = people.join(_by_person(labels), on="assessor", how="left")
    table = table.join(_others(project, main), on="alias", how="left").sort("name")
    counts = ("labels", "repeats", "repeated_alike", "gold", "gold_right", "cannot_judge", "late")
    table = table.with_columns(pl.col(name).fill_null(0) for name in counts)
    status = ProjectStatus(
        project.name, project.database.name, states, int(main["label"].count()), int(main["label"].null_count()),
        int(main["late"].sum()), _with_intervals(table).drop("assessor"), topics, agreement, over_time,
        tuple(releases(project)), vars(project.settings), (),
    )  # fmt: skip
    remarks = tuple(_remarks(project, status, problem))
    return ProjectStatus(**{**vars(status), "remarks": remarks})


def _people(connection: Connection, project: Project) -> pl.DataFrame:
    rows = select(
        db.assessor.c.id, db.assessor.c.name, db.assessor.c.alias, db.assessor.c.kind, db.assessor.c.is_active
    ).where(db.assessor.c.project_id == project.id)
    return frame_of(
        connection, rows,
        {"assessor": pl.Int64, "name": pl.String, "alias": pl.String, "kind": pl.String, "active": pl.Boolean},
    )  # fmt: skip


def _topics(connection: Connection, project: Project) -> pl.DataFrame:
    rows = (
        select(db.topic.c.topic_id, db.topic.c.title, db.item.c.state, func.count())
        .join(db.item, db.item.c.topic_id == db.topic.c.id)
        .where(db.item.c.project_id == project.id)
        .group_by(db.topic.c.topic_id, db.topic.c.title, db.topic.c.place, db.item.c.state)
        .order_by(db.topic.c.place)
    )
    frame = frame_of(
        connection, rows, {"query_id": pl.String, "title": pl.String, "state": pl.String, "items": pl.Int64}
    )
    count = {state: pl.col("items").filter(pl.col("state") == state).sum() for state in db.ITEM_STATES}
    return frame.group_by("query_id", "title", maintain_order=True).agg(pl.col("items").sum(), **count)


def _by_person(labels: pl.DataFrame) -> pl.DataFrame:
    """Labels, time, repeats and known answers of each assessor."""
    main = labels.filter(pl.col("purpose").is_in(["main", "import"]))
    median = main["seconds"].median()
    quick = (pl.col("seconds") < _QUICK * median).mean() if isinstance(median, float) else pl.lit(None, pl.Float64)
    people = main.group_by("assessor").agg(
        labels=pl.col("label").count(), cannot_judge=pl.col("label").null_count(),
        seconds=pl.col("seconds").median(), quick=quick, mean=pl.col("label").mean(), late=pl.col("late").sum(),
    )  # fmt: skip
    repeats = labels.filter(purpose="repeat").join(
        main.select("item", "assessor", before="label"), on=["item", "assessor"]
    )
    same = (
        repeats.drop_nulls(["label", "before"])
        .group_by("assessor")
        .agg(repeats=pl.len(), repeated_alike=(pl.col("label") == pl.col("before")).sum())
    )
    gold = (
        labels.filter(purpose="gold")
        .drop_nulls(["label", "gold"])
        .group_by("assessor")
        .agg(gold=pl.len(), gold_right=(pl.col("label") == pl.col("gold")).sum())
    )
    return people.join(same, on="assessor", how="full", coalesce=True).join(
        gold, on="assessor", how="full", coalesce=True
    )


def _with_intervals(table: pl.DataFrame) -> pl.DataFrame:
    """Shares with Wilson's intervals beside the counts that they are of."""
    columns = []
    for share, right, every in (("self_agreement", "repeated_alike", "repeats"), ("gold_share", "gold_right", "gold")):
        found = [wilson(good, of) if of else None for good, of in zip(table[right], table[every], strict=True)]
        columns += [
            (pl.col(right) / pl.col(every)).fill_nan(None).alias(share),
            pl.Series(f"{share}_low", [None if each is None else each.low for each in found], dtype=pl.Float64),
            pl.Series(f"{share}_high", [None if each is None else each.high for each in found], dtype=pl.Float64),
        ]
    return table.with_columns(columns)


def _others(project: Project, main: pl.DataFrame) -> pl.DataFrame:
    """Agreement of each person with the others: Krippendorff's alpha of their label and each other one."""
    from assay.subjects.judges.evaluation import agree  # noqa: PLC0415  # loads SciPy

    rows = []
    for alias in main["judge"].unique().sort().to_list():
        shared = main.filter(pl.col("item").is_in(main.filter(judge=alias)["item"].implode()))
        merged = shared.with_columns(judge=pl.when(pl.col("judge") == alias).then("judge").otherwise(pl.lit("others")))
        merged = merged.drop_nulls("label").unique(["item", "judge"], keep="first", maintain_order=True)
        both = merged.filter(pl.len().over("item") == 2)
        if both["item"].n_unique() < _ENOUGH:
            continue
        try:
            result = agree(as_labels(project, both), "Alpha", categories=list(project.scale.values), resamples=500)
        except AssayError:
            continue
        found = result.estimate(result.measures[0])
        if not found.undefined:
            rows.append((alias, both["item"].n_unique(), found.value, found.low, found.high))
    schema = {"alias": pl.String, "shared": pl.Int64, "with_others": pl.Float64, "with_others_low": pl.Float64,
              "with_others_high": pl.Float64}  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row").fill_nan(None)


def _agreement(project: Project, main: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, str]:
    """Agreement of all, by topic and over time; and why there is none."""
    from assay.subjects.judges.evaluation import agree  # noqa: PLC0415  # loads SciPy

    try:
        result = agree(
            as_labels(project, main), ["Alpha", "Agreement"], categories=list(project.scale.values), resamples=1000
        )
        return result.to_frame(), result.per_topic, result.over_time, ""
    except AssayError as problem:
        return pl.DataFrame(), pl.DataFrame(), pl.DataFrame(), problem.remark


def _remarks(project: Project, status: ProjectStatus, problem: str) -> Iterator[str]:
    if problem and status.labels:
        yield f"agreement is not known: {problem}"
    if waiting := status.items.get("disputed", 0):
        yield f"{number_of('document', waiting)} wait for a decision: `assay judge adjudicate`"
    rules: Rules = project.settings.rules(project.scale)
    if rules.most == 1 and status.labels:
        yield "everybody judges alone: agreement can only be known where two people judge the same (overlap)"
    if not project.settings.blind and rules.overlap > 1:
        yield "assessors see what others said of a document: they agree more than if they had judged by themselves"
    for row in status.assessors.iter_rows(named=True):
        yield from _of_person(row, status.assessors)


def _of_person(row: Mapping[str, Any], every: pl.DataFrame) -> Iterator[str]:
    name = row["name"]
    if row["repeats"] >= _ENOUGH and row["self_agreement_high"] < 1 and row["self_agreement"] < _STEADY:
        yield (
            f"{name} gave the same label again to {row['repeated_alike']} of "
            f"{number_of('repeated document', row['repeats'])}: are the grades clear?"
        )
    if row["gold"] >= _ENOUGH and row["gold_share_high"] < 0.9 and row["gold_share"] < _RIGHT:
        yield f"{name} gave {row['gold_right']} of {row['gold']} known answers: talk about the guidelines"
    if row["quick"] is not None and row["quick"] > _MANY_QUICK:
        yield f"{name} took less than a quarter of the usual time on {row['quick']:.0%} of the documents"
    others = every.filter(pl.col("name") != name)["with_others"].drop_nulls()
    if row["with_others"] is not None and len(others):
        best = float(others.min())  # type: ignore[arg-type]
        if row["with_others"] < best - _OFF and row["with_others_high"] < best:
            yield (
                f"{name} agrees with the others less than anybody else (alpha {row['with_others']:.2f}, the others "
                f"{best:.2f} and more): look at some of these documents together"
            )
