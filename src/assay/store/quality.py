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

    `assessors`: one row each, by name, with labels, time, self-agreement, known answers, agreement with the others and
    drift. `topics`: progress by topic, with time and agreement. `agreement`: of all people; `over_time`: of the first
    labels and the last.
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
        gold = frame_of(connection, _GOLD, {"item": pl.Int64, "expected": pl.Int64, "tolerance": pl.Int64})
    main = labels.filter(pl.col("purpose").is_in(["main", "import"]))
    # Programs and models are held against people; among themselves they are no people who agree.
    persons = main.join(people.filter(pl.col("kind").is_in(["human", "import"])), on="assessor", how="semi")
    agreement, per_topic, over_time, problem = _agreement(project, persons)
    topics = topics.join(_seconds(persons, "query_id"), on="query_id", how="left", maintain_order="left")
    if per_topic.height:
        known = per_topic.select("Alpha", "Alpha_low", "Alpha_high", query_id="topic")
        topics = topics.join(known, on="query_id", how="left", maintain_order="left")
    table = people.join(_by_person(labels, gold), on="assessor", how="left")
    table = table.join(_others(project, main, persons), on="alias", how="left").sort("name")
    counts = ("labels", "repeats", "repeated_alike", "gold", "gold_right", "cannot_judge", "late")
    table = table.with_columns(pl.col(name).fill_null(0) for name in counts)
    status = ProjectStatus(
        project.name, project.database.name, states, int(main["label"].count()), int(main["label"].null_count()),
        int(main["late"].sum()), _with_intervals(table).drop("assessor"), topics, agreement, over_time,
        tuple(releases(project)), vars(project.settings), (),
    )  # fmt: skip
    remarks = tuple(_remarks(project, status, problem))
    return ProjectStatus(**{**vars(status), "remarks": remarks})


_GOLD = select(db.gold.c.item_id, db.gold.c.expected, db.gold.c.tolerance)


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


def _by_person(labels: pl.DataFrame, gold: pl.DataFrame) -> pl.DataFrame:
    """Labels, time, repeats and known answers of each assessor."""
    main = labels.filter(pl.col("purpose").is_in(["main", "import"]))
    median = main["seconds"].median()
    quick = (pl.col("seconds") < _QUICK * median).mean() if isinstance(median, float) else pl.lit(None, pl.Float64)
    people = main.group_by("assessor").agg(
        labels=pl.col("label").count(), cannot_judge=pl.col("label").null_count(), quick=quick,
        mean=pl.col("label").mean(), late=pl.col("late").sum(),
    )  # fmt: skip
    repeats = labels.filter(purpose="repeat").join(
        main.select("item", "assessor", before="label"), on=["item", "assessor"]
    )
    same = (
        repeats.drop_nulls(["label", "before"])
        .group_by("assessor")
        .agg(repeats=pl.len(), repeated_alike=(pl.col("label") == pl.col("before")).sum())
    )
    known = (
        labels.filter(purpose="gold")
        .join(gold, on="item")
        .drop_nulls("label")
        .group_by("assessor")
        .agg(gold=pl.len(), gold_right=((pl.col("label") - pl.col("expected")).abs() <= pl.col("tolerance")).sum())
    )
    for part in (same, known, _seconds(main, "assessor"), _drift(main)):
        people = people.join(part, on="assessor", how="full", coalesce=True)
    return people


def _seconds(main: pl.DataFrame, by: str) -> pl.DataFrame:
    """The median of the seconds that a label took, by person or topic, with its interval."""
    timed = main.drop_nulls("seconds").group_by(by).agg("seconds")
    ends = [_median_ends(each) for each in timed["seconds"]]
    return timed.with_columns(
        pl.col("seconds").list.median(),
        seconds_low=pl.Series([low for low, _ in ends], dtype=pl.Float64),
        seconds_high=pl.Series([high for _, high in ends], dtype=pl.Float64),
    )


def _median_ends(values: pl.Series) -> tuple[float | None, float | None]:
    """The 95% interval of a median, by ranks; none of fewer than six values, which are all inside."""
    from scipy import stats  # noqa: PLC0415  # half a second, paid by those who look at the state

    cut = int(stats.binom.ppf(0.025, len(values), 0.5))
    if cut < 1:
        return None, None
    ordered = values.sort()
    return ordered[cut - 1], ordered[len(values) - cut]


def _drift(main: pl.DataFrame) -> pl.DataFrame:
    """How much more lenient each person became: the second half of their labels against the first, by time.

    Their grades are held against those of others on the same documents, since documents differ; where nobody else
    judged, there is nothing to tell. The interval is Welch's.
    """
    from scipy import stats  # noqa: PLC0415  # half a second, paid by those who look at the state

    given = main.drop_nulls("label")
    total, count = pl.col("label").sum().over("item"), pl.len().over("item")
    shared = given.with_columns(lenient=pl.col("label") - (total - pl.col("label")) / (count - 1), by=count).filter(
        pl.col("by") > 1
    )
    rows = []
    for (person,), each in shared.sort("time", "item").group_by("assessor", maintain_order=True):
        half = each.height // 2
        early, late = each["lenient"][:half].to_numpy(), each["lenient"][half:].to_numpy()
        if half < _ENOUGH or each["time"].n_unique() == 1:  # what came in by a file may have no time of its own
            continue
        drift = float(late.mean() - early.mean())
        if early.std() + late.std() == 0:
            rows.append((person, drift, drift, drift))
            continue
        ends = stats.ttest_ind(late, early, equal_var=False).confidence_interval()
        rows.append((person, drift, float(ends.low), float(ends.high)))
    schema = {"assessor": pl.Int64, "drift": pl.Float64, "drift_low": pl.Float64, "drift_high": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


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


def _others(project: Project, main: pl.DataFrame, persons: pl.DataFrame) -> pl.DataFrame:
    """Agreement of each assessor with the other people: Krippendorff's alpha of their label and one of these."""
    from assay.subjects.judges.evaluation import agree  # noqa: PLC0415  # loads SciPy

    rows = []
    for alias in main["judge"].unique().sort().to_list():
        own = main.filter(judge=alias)
        shared = persons.filter(pl.col("item").is_in(own["item"].implode()) & (pl.col("judge") != alias))
        merged = pl.concat([own, shared.with_columns(judge=pl.lit("others"))])
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
        waits = "waits" if waiting == 1 else "wait"
        yield f"{number_of('document', waiting)} {waits} for a decision: `assay judge adjudicate`"
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
    if row["drift"] is not None and row["drift_low"] * row["drift_high"] > 0:
        more = "higher" if row["drift"] > 0 else "lower"
        yield (
            f"{name} drifts: beside the others, {more} grades in the second half than in the first "
            f"({row['drift']:+.2f}, 95% interval {row['drift_low']:+.2f} to {row['drift_high']:+.2f})"
        )
    others = every.filter(pl.col("name") != name)["with_others"].drop_nulls()
    if row["with_others"] is not None and len(others):
        best = float(others.min())  # type: ignore[arg-type]
        if row["with_others"] < best - _OFF and row["with_others_high"] < best:
            yield (
                f"{name} agrees with the others less than anybody else (alpha {row['with_others']:.2f}, the others "
                f"{best:.2f} and more): look at some of these documents together"
            )
