"""Releases: judgments as they were at a time, numbered, with their policy and facts, the same bytes for good.

A release keeps one line for each document of the pool, sorted by topic and document: the grade (empty if there is
none), the number of labels, how many of them say otherwise, and where the grade comes from. All exports are made of
these lines; their sha256 is the release's.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np
import polars as pl
import zstandard
from sqlalchemy import Connection, func, insert, select

from assay import __version__
from assay.core.domains import Choice, Whole
from assay.core.errors import AssayError, InputError, ParameterError, listed, number_of, refuse_unknown
from assay.measures.counting.judgments import Ints
from assay.measures.counting.ratings import Ratings
from assay.store import schema as db
from assay.store.adjudication import decisions
from assay.store.database import StoreError, now
from assay.store.labels_table import aspect_of
from assay.store.preferences import are_preferences
from assay.store.projects import RELEVANCE, Project, record
from assay.store.rows import storable
from assay.store.tallies import Tally, tally
from assay.tables import Qrels

Method: TypeAlias = Literal["majority", "median", "highest", "lowest", "dawid-skene"]
Ties: TypeAlias = Literal["lowest", "highest", "none"]
#: Where a grade comes from.
_FROM: Final = ("adjudicated", "gold", "labels", "none")
_LINE: Final[Mapping[Any, Any]] = {
    "query_id": pl.String, "doc_id": pl.String, "relevance": pl.Int64, "labels": pl.Int64, "otherwise": pl.Int64,
    "provenance": pl.String,
}  # fmt: skip


@dataclass(frozen=True)
class Policy:
    """The policy by which labels become judgments.

    `method`: what the grade of several labels is; `ties`: which of equally frequent ones. `adjudicated`: decisions come
    before labels. `gold`: known answers are judgments, too. `kinds`: whose labels count. `minimum`: labels that a
    document needs. `without`: people whose labels do not count, by name or alias. `aspect`: what is judged besides
    relevance, which has neither decisions nor known answers.
    """

    method: Method = "majority"
    ties: Ties = "lowest"
    adjudicated: bool = True
    gold: bool = True
    kinds: tuple[str, ...] = ("human", "import")
    minimum: int = 1
    without: tuple[str, ...] = ()
    aspect: str = RELEVANCE

    def __post_init__(self) -> None:
        Choice(get_args(Method)).check("method", self.method)
        Choice(get_args(Ties)).check("ties", self.ties)
        Whole(1).check("minimum", self.minimum)
        for kind in self.kinds:
            Choice(db.KINDS).check("kinds", kind)
        if self.method == "median" and self.ties == "none":
            raise ParameterError("of two middle labels the median takes the lowest or the highest, not none")

    @classmethod
    def of(cls, stored: str | Mapping[str, Any]) -> Policy:
        """A policy from JSON, or from names and values."""
        values: dict[str, Any] = dict(json.loads(stored) if isinstance(stored, str) else stored)
        refuse_unknown(values, cls)
        tuples: dict[str, Any] = {name: tuple(values[name]) for name in ("kinds", "without") if name in values}
        return cls(**(values | tuples))

    def described(self) -> str:
        """The policy in words.

        >>> Policy().described()
        'adjudicated first, then the majority of labels (ties: lowest)'
        """
        ties = "" if self.method in {"highest", "lowest"} else f" (ties: {self.ties})"
        words = {"dawid-skene": "Dawid-Skene's model of the labels"}.get(self.method, f"the {self.method} of labels")
        at_least = "" if self.minimum == 1 else f", {self.minimum} labels or more"
        without = f", without {', '.join(self.without)}" if self.without else ""
        kinds = "" if self.kinds == Policy.kinds else f", of {', '.join(self.kinds)}"
        if self.aspect != RELEVANCE:
            return f"{self.aspect}: {words}{ties}{at_least}{kinds}{without}"
        return f"{'adjudicated first, then ' if self.adjudicated else ''}{words}{ties}{at_least}{kinds}{without}"


@dataclass(frozen=True)
class Release:
    """A release: its number, what it was made by, and what is known of it."""

    project: str
    place: str
    version: int
    policy: Policy
    facts: Mapping[str, Any]
    sha256: str
    note: str
    created_at: int
    content: bytes

    @property
    def name(self) -> str:
        """The name in commands and results: `project.db@3`."""
        return f"{self.place}@{self.version}"

    @property
    def frame(self) -> pl.DataFrame:
        """One row per document of the pool; `relevance` is null where there is no judgment."""
        return pl.read_csv(io.BytesIO(self.content), separator="\t", schema=dict(_LINE), quote_char='"')

    def to_qrels(self, *, unjudged: bool = False) -> Qrels:
        """The judgments; `unjudged`: also what was pooled and not judged, as -1."""
        if self.facts.get("preferences"):
            raise InputError(
                f"{self.name}: these are preferences between two documents, and no grades of documents: export them as "
                ".csv or .jsonl"
            )
        frame = self.frame.select("query_id", "doc_id", pl.col("relevance").cast(pl.Float64))
        kept = frame.with_columns(pl.col("relevance").fill_null(-1.0)) if unjudged else frame.drop_nulls("relevance")
        called = f"{self.project}@{self.version}:{self.sha256[:12]}"
        return Qrels(kept, self.name, f"release {self.version} of {self.project}", release=called)

    def to_trec(self, *, unjudged: bool = False) -> str:
        """The judgments as TREC has them; ids with blanks do not fit into it."""
        rows = self.to_qrels(unjudged=unjudged).frame
        for column in ("query_id", "doc_id"):
            if (odd := rows.filter(pl.col(column).str.contains(r"\s|^$"))).height:
                raise InputError(
                    f"{self.name}: {odd[column][0]!r} has a blank, which TREC's format cannot hold: "
                    "export as .csv or .jsonl"
                )
        lines = rows.select(pl.format("{} 0 {} {}\n", "query_id", "doc_id", pl.col("relevance").cast(pl.Int64)))
        return "".join(lines.to_series())


def make_release(project: Project, policy: Policy | None = None, *, note: str = "", actor: str = "") -> Release:
    """Freeze the judgments of a project under the next number."""
    policy = policy or Policy()
    if are_preferences(aspect_of(project, policy.aspect).scale) and policy.method == "majority":
        policy = replace(policy, ties="none")  # the lowest grade would be the document on the left
    with project.database.writing() as connection:
        counted = _tally(connection, project, policy)
        frame = _judged(connection, project, policy, counted)
        if not frame["relevance"].count():
            raise InputError(f"{project.name}: nothing is judged yet: there is nothing to release")
        content = frame.write_csv(separator="\t", quote_style="necessary").encode()
        facts = _facts(connection, project, policy, frame, counted)
        versions = select(func.max(db.release.c.version)).where(db.release.c.project_id == project.id)
        version = (connection.scalar(versions) or 0) + 1
        sha256 = hashlib.sha256(content).hexdigest()
        connection.execute(
            insert(db.release).values(
                project_id=project.id, version=version, policy=json.dumps(asdict(policy), sort_keys=True),
                facts=json.dumps(facts, sort_keys=True), content=zstandard.compress(content), sha256=sha256,
                note=storable(note), created_at=now(connection),
            )
        )  # fmt: skip
        record(connection, project.id, actor, "released", f"version {version}", {"sha256": sha256})
    return open_release(project, version)


def open_release(project: Project, version: int | None = None, *, aspect: str = RELEVANCE) -> Release:
    """A release by its number, or the newest of an aspect; its bytes are held against its sha256."""
    known = [each for each in releases(project) if version is not None or each["policy"].aspect == aspect]
    found = [each["version"] for each in known if version in {None, each["version"]}]
    if not found:
        of, hint = ("", "") if aspect == RELEVANCE else (f" of {aspect}", f" --aspect {aspect!r}")
        number = "" if version is None else f" {version}"
        there = f"there is none yet: `assay judge release{hint}` makes one"
        if known:
            there = f"the newest is {known[-1]['version']}"
        raise InputError(f"{project.database.name}: there is no release{of}{number}: {there}")
    with project.database.reading() as connection:
        row = connection.execute(select(db.release).filter_by(project_id=project.id, version=found[-1])).one()
    content = zstandard.decompress(row.content)
    if hashlib.sha256(content).hexdigest() != row.sha256:
        raise StoreError(f"{project.database.name}: release {row.version} is damaged: its bytes do not have its sha256")
    return Release(
        project.name, project.database.name, row.version, Policy.of(row.policy), json.loads(row.facts), row.sha256,
        row.note, row.created_at, content,
    )  # fmt: skip


def releases(project: Project) -> list[Mapping[str, Any]]:
    """The releases without their contents, oldest first."""
    columns = [column for column in db.release.c if column.name != "content"]
    rows = select(*columns).where(db.release.c.project_id == project.id).order_by(db.release.c.version)
    with project.database.reading() as connection:
        return [
            {**row, "policy": Policy.of(row["policy"]), "facts": json.loads(row["facts"])}
            for row in connection.execute(rows).mappings()
        ]


def judged(connection: Connection, project: Project, policy: Policy) -> pl.DataFrame:
    """Grades of the documents of the pool under a policy, as lines of a release."""
    return _judged(connection, project, policy, _tally(connection, project, policy))


def _judged(connection: Connection, project: Project, policy: Policy, counted: Tally) -> pl.DataFrame:
    from assay.subjects.judges.evaluation import check_several  # noqa: PLC0415  # loads SciPy

    ratings = counted.ratings
    if policy.method == "dawid-skene" and ratings.judges:
        check_several(ratings.judges, project.database.name)
    chosen, labels = _chosen(ratings, policy), ratings.labels_of_item
    grades = np.array(aspect_of(project, policy.aspect).scale.values)[chosen]
    alike = ratings.counts[np.arange(len(chosen)), chosen]
    is_known = (chosen >= 0) & (labels >= policy.minimum)
    frame = counted.items.with_columns(
        relevance=pl.select(pl.when(pl.Series(is_known)).then(pl.Series(grades))).to_series(),
        labels=pl.Series(labels),
        otherwise=pl.Series(np.where(chosen < 0, 0, labels - alike)),
    ).with_columns(provenance=pl.when(pl.col("relevance").is_null()).then(pl.lit("none")).otherwise(pl.lit("labels")))
    if policy.gold and policy.aspect == RELEVANCE:
        known = pl.col("expected").is_not_null() & pl.col("relevance").is_null()
        frame = frame.with_columns(
            relevance=pl.when(known).then("expected").otherwise("relevance"),
            provenance=pl.when(known).then(pl.lit("gold")).otherwise("provenance"),
        )
    if policy.adjudicated and policy.aspect == RELEVANCE:
        frame = _with_decisions(frame, decisions(connection, project))
    return frame.select(*_LINE).cast(_LINE)


def _with_decisions(frame: pl.DataFrame, decided: Mapping[int, Any]) -> pl.DataFrame:
    if not decided:
        return frame
    table = pl.DataFrame(
        {"item": list(decided), "decision": [row.value for row in decided.values()]},
        schema={"item": pl.Int64, "decision": pl.Int64},
    ).with_columns(is_decided=pl.lit(value=True))
    frame = frame.join(table, on="item", how="left")
    decides = pl.col("is_decided").fill_null(value=False)
    return frame.with_columns(
        relevance=pl.when(decides).then("decision").otherwise("relevance"),
        provenance=pl.when(decides).then(pl.lit("adjudicated")).otherwise("provenance"),
    )


def _chosen(ratings: Ratings, policy: Policy) -> Ints:
    """The place of the grade of each item; -1 where it has no label, or a tie stays open."""
    from assay.stats.aggregation import dawid_skene, majority, median  # noqa: PLC0415  # loads SciPy

    is_given = ratings.counts > 0
    match policy.method:
        case "lowest":
            return np.where(is_given.any(axis=1), is_given.argmax(axis=1), -1)
        case "highest":
            return np.where(is_given.any(axis=1), is_given.shape[1] - 1 - is_given[:, ::-1].argmax(axis=1), -1)
        case "median":
            return median(ratings, ties=policy.ties).chosen
        case "dawid-skene" if len(ratings.item):
            return dawid_skene(ratings, ties=policy.ties).chosen
    return majority(ratings, ties=policy.ties).chosen


def _tally(connection: Connection, project: Project, policy: Policy) -> Tally:
    """The labels of those whose labels count."""
    rows = connection.execute(
        select(db.assessor.c.id, db.assessor.c.name, db.assessor.c.alias, db.assessor.c.kind).filter_by(
            project_id=project.id
        )
    ).all()
    names = {name for row in rows for name in (row.name, row.alias)}
    for name in policy.without:
        if name not in names:
            there = listed([row.name for row in rows])
            raise InputError(f"{project.name}: no assessor is called {name!r}: there are {there}")
    people = {
        row.id: row.alias for row in rows
        if row.kind in policy.kinds and not {row.name, row.alias} & set(policy.without)
    }  # fmt: skip
    return tally(connection, project, people, policy.aspect)


def _facts(
    connection: Connection, project: Project, policy: Policy, frame: pl.DataFrame, counted: Tally
) -> dict[str, Any]:
    """Facts for whoever uses the judgments."""
    states = select(db.item.c.state, func.count()).where(db.item.c.project_id == project.id).group_by(db.item.c.state)
    guidelines = connection.scalar(select(func.max(db.guideline.c.version)).filter_by(project_id=project.id))
    judged_rows, scale = frame.drop_nulls("relevance"), aspect_of(project, policy.aspect).scale
    grades = judged_rows.group_by("relevance").len().sort("relevance")
    facts: dict[str, Any] = {
        "topics": judged_rows["query_id"].n_unique(), "pooled": frame.height, "judged": judged_rows.height,
        "labels": int(frame["labels"].sum()), "grades": {str(value): count for value, count in grades.iter_rows()},
        "by": dict(judged_rows["provenance"].value_counts().iter_rows()),
        "states": dict(map(tuple, connection.execute(states))),
        "guidelines": guidelines, "assay": __version__,
        "relevant_from": min((value for value in scale.values if scale.relevant(value)), default=None),
        "scale": scale.described(), "aspect": policy.aspect,
        "gains": {str(grade.value): grade.worth for grade in scale.grades if grade.worth != max(grade.value, 0)},
        "preferences": are_preferences(scale),
    }  # fmt: skip
    return facts | {"agreement": _agreement(project, counted)}


def _agreement(project: Project, counted: Tally) -> dict[str, Any]:
    """Krippendorff's alpha of labels with its interval; the reason where there is none."""
    from assay.subjects.judges.evaluation import agreement_of  # noqa: PLC0415  # loads SciPy

    try:
        if not len(counted.ratings.item):
            raise InputError(f"{project.name}: nobody has judged anything yet")
        result = agreement_of(counted.ratings, project.name, origin=project.database.name, resamples=1000)
    except AssayError as problem:
        return {"measure": "Alpha", "value": None, "reason": problem.remark}
    found = result.estimate(result.measures[0])
    return {
        "measure": str(result.measures[0]), "value": None if found.undefined else found.value,
        "low": _number(found.low), "high": _number(found.high), "reason": found.undefined or "",
        "labels": number_of("label", counted.said), "judges": len(counted.ratings.judges),
    }  # fmt: skip


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
