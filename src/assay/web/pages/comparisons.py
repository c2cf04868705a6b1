"""Two runs under a release: the comparison, a query with both rankings side by side, how a value came about."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl
from pydantic import Field

from assay.core.errors import AssayError, ParameterError, number_of
from assay.show.model import Column, Section, Table
from assay.store.deciding import ask_soon, judge_next
from assay.store.kept_runs import kept_runs
from assay.store.projects import Project
from assay.store.releases import Release
from assay.store.texts import headings_of, topic_text
from assay.web import access, makings
from assay.web.context import Context, Done, NotFoundError
from assay.web.documents import DocumentPage, Shown
from assay.web.pages.results import Pair, pair_of, query_string, release_of

if TYPE_CHECKING:
    from assay.verbs.comparison import Comparison

_MOST_REMEMBERED = 8


class Next(Pair):
    """How many of the documents that decide are judged next."""

    number: int = Field(default=20, ge=1, le=500)


class OfQuery(Pair):
    """A query under two runs."""

    query: str = Field(min_length=1, max_length=500)


class OfRun(Pair):
    """A run's value, of one query or of all."""

    run: str = Field(min_length=1, max_length=300)
    query: str = Field(default="", max_length=500)


@dataclass(frozen=True)
class ComparisonPage:
    """The comparison of two runs, and how to go on."""

    project: int
    release: int
    measure: str
    baseline: str
    system: str
    document: Shown
    may_ask: bool
    #: The end of addresses that ask for the same pair.
    asked: str


@dataclass(frozen=True)
class Hit:
    """A result of a ranking: its grade, if somebody judged it, and where the other run has it."""

    rank: int
    doc_id: str
    heading: str
    grade: float | None
    label: str
    change: str
    other_rank: int | None


@dataclass(frozen=True)
class Ranking:
    """The first results of a run for a query."""

    run: str
    value: float | None
    hits: list[Hit]


@dataclass(frozen=True)
class QueryPage:
    """A query: both rankings side by side."""

    project: int
    release: int
    measure: str
    query: str
    title: str
    description: str
    rankings: list[Ranking]
    difference: float | None
    unjudged: int
    may_ask: bool
    pair: Pair
    asked: str
    former: str
    following: str


def compare(context: Context) -> ComparisonPage:
    """Show whether one run is better than another under a release, and by which queries."""
    given: Pair = context.query
    release, comparison = _compared(context.project, given)
    document = comparison.document()
    queries = _queries(context, comparison, given)
    if queries is not None:
        document = replace(document, sections=(*document.sections, queries))
    return ComparisonPage(
        context.project_key, release.version, comparison.measures[0], given.baseline, given.system, document,
        _may_ask(context), query_string(given),
    )  # fmt: skip


def query(context: Context) -> QueryPage:
    """Show both rankings of a query side by side, with grades and what nobody judged."""
    given: OfQuery = context.query
    project = context.project
    release, comparison = _compared(project, given)
    measure = comparison.measures[0]
    changes = comparison.changes().filter(pl.col("query_id") == given.query)
    values = _values(comparison, given.query)
    if not changes.height and not values:
        raise NotFoundError(f"{given.query}: no such query was compared")
    names = (given.baseline, given.system)
    rows = changes.rename({f"rank_{name}": f"_{place}" for place, name in enumerate(names)}).to_dicts()
    headings = headings_of(project, [row["doc_id"] for row in rows])
    labels = {each.value: each.label for each in project.scale.grades}
    rankings = [
        Ranking(name, values.get(name), _hits(rows, place, headings, labels)) for place, name in enumerate(names)
    ]
    known = [values.get(name) for name in names]
    difference = None if None in known else known[1] - known[0]  # type: ignore[operator]
    topic = topic_text(project, given.query)
    before, after = _neighbours(comparison, given.query)
    pair = Pair(**given.model_dump(include=set(Pair.model_fields)))
    return QueryPage(
        context.project_key, release.version, measure, given.query, *topic, rankings, difference,
        sum(row["grade"] is None for row in rows), _may_ask(context), pair, query_string(pair), before, after,
    )  # fmt: skip


def explanation(context: Context) -> DocumentPage:
    """Show how a run's value came about, step by step."""
    from assay.verbs.explanation import explain  # noqa: PLC0415  # only this page needs it

    given: OfRun = context.query
    _, comparison = _compared(context.project, given)
    found = explain(comparison.measures[0], comparison.evaluation, query=given.query or None, system=given.run)
    return DocumentPage(found.document())


def ask_deciding(context: Context) -> Done:
    """Hand out first the documents whose judgment would move the difference of two runs most."""
    given: Next = context.form
    pair_of(context.project, given)
    found = judge_next(
        context.project, kept_runs(context.project, (given.baseline, given.system)), number=given.number,
        measure=given.measure, system=given.system, baseline=given.baseline, actor=context.actor,
    )  # fmt: skip
    said = _queued(found.queued)
    if found.outside:
        said += f" {number_of('document', found.outside)} that would decide, too, are in no pool."
    to = f"/projects/{context.project_key}/results/compare?{query_string(given, number=None)}"
    return Done(to, said, {"queued": found.queued, "outside": found.outside, "closed": found.closed})


def ask_query(context: Context) -> Done:
    """Hand out first what nobody judged of a query's first results."""
    given: OfQuery = context.form
    _, comparison = _compared(context.project, given)
    mine = (pl.col("query_id") == given.query) & pl.col("grade").is_null()
    wanted: list[tuple[str, str]] = comparison.changes().filter(mine).select("query_id", "doc_id").rows()
    queued = ask_soon(context.project, wanted, actor=context.actor)
    said = _queued(queued)
    if queued < len(wanted):
        said += f" {number_of('document', len(wanted) - queued)} wait for no judgment, or are in no pool."
    to = f"/projects/{context.project_key}/results/query?{query_string(given)}"
    return Done(to, said, {"queued": queued})


def _queued(number: int) -> str:
    return f"{number_of('document', number)} will be handed out first." if number else "Nothing was left to hand out."


_remembered: dict[tuple[Any, ...], Comparison] = {}
_lock = threading.Lock()


def _compared(project: Project, given: Pair) -> tuple[Release, Comparison]:
    """The comparison of two runs, made once as long as others are not asked for."""
    from assay.verbs.comparison import compare as run  # noqa: PLC0415  # loads SciPy

    runs, release = pair_of(project, given), release_of(project, given.release)
    key = (project.database.name, project.id, repr(makings.asked(release, runs, given.measure)), given.baseline)
    with _lock:
        if key in _remembered:
            return release, _remembered[key]
    files = kept_runs(project, [each.name for each in runs])
    two = {name: files[name] for name in (given.baseline, given.system)}
    found = run(release.to_qrels(), two, measures=[given.measure], baseline=given.baseline).complete()
    with _lock:
        while len(_remembered) >= _MOST_REMEMBERED:
            _remembered.pop(next(iter(_remembered)))
        _remembered[key] = found
    return release, found


def _queries(context: Context, comparison: Comparison, given: Pair) -> Section | None:
    """The queries, those that make most of the difference first, with links to their pages."""
    try:
        frame = comparison.queries()
    except ParameterError:  # the measure is no mean of queries
        return None
    base = f"{context.settings.root_path}/projects/{context.project_key}/results/query"
    places = [f"{base}?{query_string(given, query=each)}" for each in frame["query_id"]]
    first, second = f"value_{given.baseline}", f"value_{given.system}"
    columns = (
        Column("query_id", "query", "link", link="_place"), Column(first, given.baseline, "number", compared="row"),
        Column(second, given.system, "number", compared="row"), Column("difference", kind="number", signed=True),
    )  # fmt: skip
    told = ("Those that make most of the difference stand first; each leads to both rankings.",)
    table = Table("queries", frame.with_columns(_place=pl.Series(places, dtype=pl.String)), columns, notes=told)
    return Section("queries", "Queries", (table,))


def _values(comparison: Comparison, query: str) -> dict[str, float]:
    frame = comparison.evaluation.scores.frame.filter(
        (pl.col("unit") == query) & (pl.col("measure") == comparison.measures[0])
    )
    return {row["system"]: row["value"] for row in frame.iter_rows(named=True) if row["value"] is not None}


def _neighbours(comparison: Comparison, query: str) -> tuple[str, str]:
    """The queries before and after one, in the order of the comparison's list."""
    try:
        order = comparison.queries()["query_id"].to_list()
    except AssayError:
        return "", ""
    place = order.index(query) if query in order else -1
    return (order[place - 1] if place > 0 else "", order[place + 1] if 0 <= place < len(order) - 1 else "")


def _hits(rows: Sequence[dict[str, Any]], place: int, headings: dict[str, str], labels: dict[int, str]) -> list[Hit]:
    mine = sorted((row for row in rows if row[f"_{place}"] is not None), key=lambda row: int(row[f"_{place}"]))
    return [
        Hit(
            row[f"_{place}"], row["doc_id"], headings.get(row["doc_id"], ""), row["grade"],
            "" if row["grade"] is None else labels.get(int(row["grade"]), f"{row['grade']:g}"), row["change"],
            row[f"_{1 - place}"],
        )
        for row in mine
    ]  # fmt: skip


def _may_ask(context: Context) -> bool:
    return context.role in access.ADJUDICATORS
