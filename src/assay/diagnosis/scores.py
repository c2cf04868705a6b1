"""Checks of what makes the order of a run: scores that tie, and ranks that say something else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.counting.judgments import Floats, Ints
from assay.counting.ranks import Ranks
from assay.diagnosis.case import System, valued
from assay.diagnosis.findings import Example, Finding, Severity
from assay.diagnosis.orders import reordered
from assay.diagnosis.registry import advice, check
from assay.errors import number_of, quote
from assay.measures.registry import Measure

_EXAMPLES = 3
#: A difference below this is rounding.
_ROUNDING = 1e-12
#: A mean that changes by less than this looks the same when it is printed.
_VISIBLE = 0.0001
#: Queries with several documents of which this share has equal scores, or is upside down, make it the run's fault.
_NEARLY_ALL = 0.9


class Range(NamedTuple):
    """What the order of tied documents makes of a measure: the mean as it is, at worst and at best, and by topic."""

    measure: Measure
    mean: float
    worst: float
    best: float
    #: For each topic, by how much its value may vary.
    width: Floats


def tie_ranges(ranks: Ranks, measures: tuple[Measure, ...]) -> list[Range]:
    """The lowest and the highest value over all orders of tied documents, for measures that such an order changes.

    Exact for measures that never fall when a higher grade moves up, as nearly all do; for others, what the two orders
    by grade give.

    >>> from assay.measures import RR
    >>> [found] = tie_ranges(Ranks.from_tables({"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1}}), (RR,))
    >>> found.worst, found.best
    (0.5, 1.0)
    """
    if not (ranks.hits.tie_last > ranks.hits.tie_first).any():
        return []
    orders = [ranks, *(replace(ranks, hits=reordered(ranks.hits, best=best)) for best in (False, True))]
    found = []
    for measure in measures:
        values = np.array([valued(measure, order) for order in orders])
        low, high = values.min(axis=0), values.max(axis=0)
        width = np.nan_to_num(high - low)
        if (width > _ROUNDING).any():
            mean, worst, best = (float(np.nanmean(one)) for one in (values[0], low, high))
            found.append(Range(measure, mean, worst, best, width))
    return found


@check(
    "ties", "run", "warning", "note",
    question="Would equal scores in another order change a measure (a note: its mean by less than 0.0001)?",
    advice="make scores distinct, or give the order by rank (`--rank-by rank`); `--ties expected` averages over orders",
)  # fmt: skip
def ties(system: System) -> Iterator[Finding]:
    """Ties that can change a measure, with the lowest and the highest value over all orders."""
    ranks = system.ranks
    ranges = [] if ranks is None else tie_ranges(ranks, system.case.measures)
    if ranks is None or not ranges:
        return
    touched = np.any([one.width > _ROUNDING for one in ranges], axis=0)
    widest = max(ranges, key=lambda one: one.best - one.worst)
    visible = widest.best - widest.worst >= _VISIBLE
    mean = (
        f"{widest.measure} is {widest.mean:.4f}, and anything from {widest.worst:.4f} to {widest.best:.4f}"
        if visible
        else f"no mean by more than {_VISIBLE:g}"
    )
    share = f"{int(touched.sum())} of {number_of('topic', len(touched))} ({touched.mean():.0%})"
    says = f"ties can change {share}: {mean}"
    order = np.argsort(-widest.width, kind="stable")[:_EXAMPLES]
    examples = tuple(
        Example(f"topic {quote(ranks.queries[topic])}: {widest.measure} may vary by {widest.width[topic]:.2g}")
        for topic in order
        if widest.width[topic] > _ROUNDING
    )
    details = tuple(
        {
            "measure": str(one.measure),
            "value": one.mean,
            "worst": one.worst,
            "best": one.best,
            "topics": int((one.width > _ROUNDING).sum()),
        }
        for one in ranges
    )
    severity: Severity = "warning" if visible else "note"
    yield Finding(
        "ties", severity, system.run.file, says, advice("ties"), int(touched.sum()), examples, details, system.name,
        widest.best - widest.worst,
    )  # fmt: skip


@check(
    "equal-scores", "run", "error",
    question="Are all scores of (nearly) all queries the same?",
    advice="the scores were lost: write them again, or order by rank with `--rank-by rank` if the ranks are right",
)  # fmt: skip
def equal_scores(system: System) -> Iterator[Finding]:
    """Queries of which all documents have one score."""
    several = system.queries.filter(pl.col("count") > 1)
    equal = several.filter(pl.col("lowest") == pl.col("highest"))
    if equal.height and equal.height >= _NEARLY_ALL * several.height:
        says = f"in {equal.height} of {number_of('query', several.height)}, all documents have the same score"
        examples = tuple(
            Example(f"query {quote(row['query_id'])}: {row['count']} times {row['highest']:g}")
            for row in equal.head(_EXAMPLES).to_dicts()
        )
        yield Finding(
            "equal-scores", "error", system.run.file, says, advice("equal-scores"), equal.height, examples,
            system=system.name,
        )  # fmt: skip


class Contradictions(NamedTuple):
    """Rows at which a score rises from a rank to the next, the rows before them, and queries that only rise."""

    rows: Ints
    before: Ints
    queries: list[str]
    upside_down: int
    several: int


def contradictions(frame: pl.DataFrame) -> Contradictions:
    """Where the rank column says another order than the scores: a worse rank with a higher score.

    >>> found = contradictions(pl.DataFrame({"query_id": ["q", "q"], "rank": [1.0, 2.0], "score": [3.0, 4.0]}))
    >>> found.queries, found.upside_down
    (['q'], 1)
    """
    query = frame["query_id"].rle_id().to_numpy()
    rank, score = frame["rank"].to_numpy(), frame["score"].to_numpy()
    same = query[1:] == query[:-1]
    in_order = not (same & ((rank[1:] <= rank[:-1]) | (score[1:] > score[:-1]))).any()
    # Queries that are split over the file would be several stretches: sorting by name puts them together.
    if in_order and int(query[-1]) + 1 == frame["query_id"].n_unique():
        return Contradictions(np.zeros(0, np.int64), np.zeros(0, np.int64), [], 0, 0)
    query = frame["query_id"].rank("dense").to_numpy().astype(np.int64)
    # By rank, and within a rank the highest score first: then a score rises only from a rank to the next one.
    order = np.lexsort((-score, rank, query))
    same = np.diff(query[order]) == 0
    after, before = score[order][1:], score[order][:-1]
    rises, falls = same & (after > before), same & (after < before)
    later, earlier = order[1:][rises], order[:-1][rises]
    rising, falling = np.unique(query[later]), np.unique(query[order[1:][falls]])
    first = np.sort(np.unique(query[later], return_index=True)[1])
    queries = frame["query_id"].gather(later[first]).to_list() if len(later) else []
    several = len(np.unique(query[order[1:][same]]))
    at = np.argsort(later, kind="stable")
    return Contradictions(later[at], earlier[at], queries, len(np.setdiff1d(rising, falling)), several)


@check(
    "rank-conflict", "run", "error", "warning",
    question="Does the rank column contradict the scores (a worse rank with a higher score)?",
    advice="find out which is right: Assay and trec_eval order by score, some tools by rank (here `--rank-by rank`)",
)  # fmt: skip
def rank_conflict(system: System) -> Iterator[Finding]:
    """Ranks that say another order; an error if nearly all queries are exactly upside down."""
    run = system.run
    if "rank" not in run.rows.columns or run.rows["rank"].has_nulls():
        return
    found = contradictions(run.rows)
    if not found.queries:
        return
    upside_down = found.upside_down >= _NEARLY_ALL * found.several and len(found.queries) > 1
    severity: Severity = "error" if upside_down else "warning"
    says = f"ranks contradict scores in {len(found.queries)} of {number_of('query', system.queries.height)}"
    if upside_down:
        says += ": scores rise with the rank, as distances do"
    rows = run.rows.select("query_id", "doc_id", "rank", "score")
    examples = []
    for row, before in zip(found.rows[:_EXAMPLES].tolist(), found.before[:_EXAMPLES].tolist(), strict=True):
        query, _, rank, score = rows.row(row)
        _, _, other_rank, other_score = rows.row(before)
        text = f"query {quote(query)}: rank {rank:g} has score {score:.6g}, rank {other_rank:g} only {other_score:.6g}"
        examples.append(Example(text, run.line(row)))
    yield Finding(
        "rank-conflict", severity, run.file, says, advice("rank-conflict"), len(found.queries), tuple(examples),
        system=system.name, weight=len(found.queries),
    )  # fmt: skip


@check(
    "ranks", "run", "warning", "note",
    question="Is the rank column no number, the same for several documents, with gaps, or not from 1 on?",
    advice="nothing, as long as scores make the order; a rank that is no number may mean that an id holds a blank",
)  # fmt: skip
def ranks(system: System) -> Iterator[Finding]:
    """Ranks that are odd in themselves."""
    run = system.run
    if "rank" not in run.rows.columns:
        return
    rank = run.rows["rank"]
    if rank.has_nulls():
        rows = rank.is_null().arg_true()
        examples = tuple(
            Example(f"query {quote(run.rows['query_id'][row])}", run.line(row))
            for row in rows.head(_EXAMPLES).to_list()
        )
        says = f"{number_of('rank', rows.len())} {'is' if rows.len() == 1 else 'are'} no number"
        yield Finding(
            "ranks", "warning", run.file, says, advice("ranks"), rows.len(), examples, system=system.name,
            weight=rows.len(),
        )  # fmt: skip
        return
    place = pl.col("rank")
    queries = run.rows.group_by("query_id", maintain_order=True).agg(
        start=place.min(), end=place.max(), count=pl.len(), different=place.n_unique()
    )
    repeated = queries.filter(pl.col("different") < pl.col("count"))
    gaps = queries.filter(
        pl.col("different") == pl.col("count"), pl.col("end") - pl.col("start") + 1 != pl.col("count")
    )
    shifted = queries.filter(pl.col("start") != 1)
    if run.tolerated is not None:  # lines that could not be read leave gaps, which have been told as such
        gaps, shifted = gaps.clear(), shifted.clear()
    parts = {"the same rank twice": repeated, "gaps between ranks": gaps, "ranks that do not start at 1": shifted}
    said = [f"{what} in {number_of('query', part.height)}" for what, part in parts.items() if part.height]
    if said and not system.repeated.any():
        shown = pl.concat([part.head(1) for part in parts.values()]).unique(maintain_order=True)
        examples = tuple(
            Example(
                f"query {quote(row['query_id'])}: {row['start']:g} to {row['end']:g}, "
                f"{number_of('document', row['count'])}"
            )
            for row in shown.to_dicts()
        )
        count = max(part.height for part in parts.values())
        yield Finding(
            "ranks",
            "note",
            run.file,
            "; ".join(said),
            advice("ranks"),
            count,
            examples,
            system=system.name,
            weight=count,
        )
