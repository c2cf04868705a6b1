"""The next documents to judge, and the time to stop: those that decide a comparison, and how far they move it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl
import zstandard
from sqlalchemy import insert, select

from assay.core.errors import InputError, listed, not_among
from assay.core.results import Result
from assay.files.sources import Source
from assay.store import schema as db
from assay.store.database import now
from assay.store.handout import ask_first
from assay.store.projects import Project, digest, record
from assay.store.releases import Policy, Release, judged
from assay.tables import Qrels


@dataclass(frozen=True, eq=False)
class JudgeNext(Result):
    """The documents that would change a difference most, and how far unjudged ones could still move it.

    `can_change`: whether other grades of unjudged documents could turn the sign of the difference: if not, more
    judging decides nothing here.
    """

    kind: ClassVar[str] = "judge next"

    name: str
    measure: str
    system: str
    baseline: str
    verdict: str
    difference: float
    low: float | None
    high: float | None
    unjudged: int
    documents: pl.DataFrame
    queued: int
    outside: int

    @property
    def can_change(self) -> bool:
        """True if more judgments could turn the sign of the difference."""
        return self.low is not None and self.high is not None and self.low < 0 < self.high

    def to_frame(self) -> pl.DataFrame:
        """The documents, the most decisive first."""
        return self.documents


@dataclass(frozen=True, eq=False)
class ReleaseDiff(Result):
    """Changes between two releases: grades, documents, and verdicts on the project's runs."""

    kind: ClassVar[str] = "release difference"

    first: str
    second: str
    changed: pl.DataFrame
    added: int
    removed: int
    moves: pl.DataFrame
    verdicts: pl.DataFrame
    facts: Mapping[str, Any]

    def to_frame(self) -> pl.DataFrame:
        """The documents whose grade changed."""
        return self.changed


def keep_runs(project: Project, runs: Mapping[str, Any], *, actor: str = "") -> None:
    """Keep run files with the project as they are, so that releases can be compared by them."""
    rows = []
    for name, given in runs.items():
        with Source.of(given).open() as file:
            content = file.read()
        rows.append((name, content))
    with project.database.writing() as connection:
        for name, content in rows:
            connection.execute(
                insert(db.run).values(
                    collection_id=project.collection, name=name, sha256=digest(content.hex()),
                    content=zstandard.compress(content), created_at=now(connection),
                )
            )  # fmt: skip
        record(connection, project.id, actor, "runs kept", ", ".join(runs), {})


def kept_runs(project: Project) -> dict[str, Any]:
    """The runs that are kept with a project, by name."""
    import io  # noqa: PLC0415

    from assay.files import read_run  # noqa: PLC0415

    with project.database.reading() as connection:
        rows = connection.execute(
            select(db.run.c.name, db.run.c.content)
            .where(db.run.c.collection_id == project.collection)
            .order_by(db.run.c.id)
        ).all()
    return {
        name: read_run(Source(io.BytesIO(zstandard.decompress(content)), name=name), name=name)
        for name, content in rows
    }


def judge_next(
    project: Project,
    runs: Mapping[str, Any] | None = None,
    *,
    number: int = 20,
    measure: str = "nDCG@10",
    system: str | None = None,
    baseline: str | None = None,
    policy: Policy | None = None,
    queue: bool = True,
    actor: str = "",
) -> JudgeNext:
    """Find the documents that would decide between two runs, by the labels so far; and hand them out first.

    `queue`: put them before all others; those that are in no pool are counted and left out.
    """
    from assay.verbs.comparison import compare  # noqa: PLC0415  # loads SciPy

    runs = kept_runs(project) if runs is None else dict(runs)
    if len(runs) < 2:
        raise InputError(f"{project.name}: a comparison takes two runs or more, got {listed(list(runs)) or 'none'}")
    with project.database.reading() as connection:
        frame = judged(connection, project, policy or Policy())
    known = frame.drop_nulls("relevance")
    if not known.height:
        raise InputError(f"{project.name}: nothing is judged yet: judge some documents first")
    qrels = Qrels(known.select("query_id", "doc_id", pl.col("relevance").cast(pl.Float64)), project.name)
    names = [name for name in (baseline, system) if name is not None]
    for name in names:
        if name not in runs:
            raise not_among("run", name, runs)
    chosen = {name: runs[name] for name in names} if len(names) == 2 else runs
    result = compare(qrels, chosen, measures=[measure], baseline=baseline)
    finding = result.finding(result.measures[0], system)
    documents = result.judge_next(number, finding.measure, finding.system, finding.baseline)
    pairs = documents.select("query_id", "doc_id").rows()
    pooled = set(frame.select("query_id", "doc_id").iter_rows())
    inside = [pair for pair in pairs if pair in pooled]
    if queue and inside:
        ask_first(project, {pair: len(inside) - place for place, pair in enumerate(inside)}, actor=actor)
    reach: Any = finding.reach
    return JudgeNext(
        project.name, str(finding.measure), finding.system, finding.baseline, str(finding.verdict.word),
        finding.difference, None if reach is None else reach.low, None if reach is None else reach.high,
        0 if reach is None else reach.documents, documents, len(inside) if queue else 0, len(pairs) - len(inside),
    )  # fmt: skip


def release_diff(
    project: Project, first: Release, second: Release, measures: tuple[str, ...] = ("nDCG@10", "AP")
) -> ReleaseDiff:
    """Changes from one release to another: grades, documents, and the verdicts that move."""
    keys = ["query_id", "doc_id"]
    old, new = (each.frame.select(*keys, "relevance", "provenance") for each in (first, second))
    both = old.join(new, on=keys, how="full", coalesce=True, suffix="_after")
    is_new = pl.col("relevance").is_null() & pl.col("relevance_after").is_not_null()
    is_gone = pl.col("relevance").is_not_null() & pl.col("relevance_after").is_null()
    changed = both.filter(pl.col("relevance") != pl.col("relevance_after")).sort(keys)
    changed = changed.select(*keys, before="relevance", after="relevance_after", because="provenance_after")
    moves = changed.group_by("before", "after").agg(documents=pl.len()).sort("before", "after")
    runs = kept_runs(project)
    return ReleaseDiff(
        first.name, second.name, changed, both.filter(is_new).height, both.filter(is_gone).height, moves,
        _verdicts(first, second, runs, measures), {"first": first.facts, "second": second.facts, "runs": list(runs)},
    )  # fmt: skip


def _verdicts(first: Release, second: Release, runs: Mapping[str, Any], measures: tuple[str, ...]) -> pl.DataFrame:
    """The verdicts on every two runs under both releases."""
    schema = {"measure": pl.String, "baseline": pl.String, "system": pl.String,
              "before": pl.Float64, "after": pl.Float64,
              "verdict_before": pl.String, "verdict_after": pl.String}  # fmt: skip
    if len(runs) < 2:
        return pl.DataFrame(schema=schema)
    from assay.verbs.comparison import compare  # noqa: PLC0415  # loads SciPy

    found = [
        {
            (str(each.measure), each.baseline, each.system): each
            for each in compare(
                release.to_qrels(), runs, measures=list(measures), all_pairs=True, look_into=False
            ).findings
        }
        for release in (first, second)
    ]
    rows = [
        (*key, old.difference, new.difference, str(old.verdict.word), str(new.verdict.word))
        for key, old in found[0].items()
        if (new := found[1].get(key)) is not None
    ]
    return pl.DataFrame(rows, schema=schema, orient="row")
