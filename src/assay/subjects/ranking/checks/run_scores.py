"""Checks of a run's scores and ranks, and of several runs beside one another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.core.digits import as_percent, number, span
from assay.core.errors import listed, number_of, quote
from assay.measures import AP, RR, nDCG
from assay.measures.counting.judgments import Floats
from assay.measures.counting.ranks import Ranks
from assay.measures.registry import Measure
from assay.measures.remarks import NEARLY_ALL, ROUNDING, reordered, reverse_of
from assay.measures.summary import combined
from assay.subjects.ranking.checks.examination import ALL_RUNS, LEAST_TOPICS, ExaminedRun, valued
from assay.verbs.diagnosis.examination import EXAMPLES, CheckFinding, Example, Severity, check, finding, share

#: A mean that changes by less than this looks the same when it is printed.
_VISIBLE = 0.0001


class Range(NamedTuple):
    """A measure under orders of tied documents: its number as it is, at worst and at best, and by topic."""

    measure: Measure
    value: float
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
    ranges = []
    for measure in measures:
        values = np.array([valued(measure, order) for order in orders])
        low, high = values.min(axis=0), values.max(axis=0)
        width = np.nan_to_num(high - low)
        if (width > ROUNDING).any():
            numbers = (combined(measure, column[~np.isnan(column)]) for column in (values[0], low, high))
            value, worst, best = numbers
            ranges.append(Range(measure, value, worst, best, width))
    return ranges


@check(
    "ties", "run", "warning",
    advice="make scores distinct, or give the order by rank (`{rank_by=rank}`); `{ties=expected}` averages over orders",
)  # fmt: skip
def ties(system: ExaminedRun) -> Iterator[CheckFinding]:
    """Would equal scores in another order change the mean of a measure by 0.0001 or more?"""
    ranks = system.ranks
    ranges = [] if ranks is None else tie_ranges(ranks, system.case.measures)
    if ranks is None or not ranges:
        return
    widest = max(ranges, key=lambda span: span.best - span.worst)
    if widest.best - widest.worst < _VISIBLE:
        return
    touched = np.any([span.width > ROUNDING for span in ranges], axis=0)
    topics = f"{share(int(touched.sum()), len(touched), 'topic')} ({as_percent(touched.mean(), 0)})"
    values = f"{widest.measure} is {number(widest.value)}, and anything from {span(widest.worst, widest.best)}"
    order = np.argsort(-widest.width, kind="stable")[:EXAMPLES]
    examples = tuple(
        Example(f"topic {quote(ranks.queries[topic])}: {widest.measure} may vary by {widest.width[topic]:.2g}")
        for topic in order
        if widest.width[topic] > ROUNDING
    )
    details = tuple(
        {
            "measure": str(span.measure),
            "value": span.value,
            "worst": span.worst,
            "best": span.best,
            "topics": int((span.width > ROUNDING).sum()),
        }
        for span in ranges
    )
    yield finding(
        "ties", "warning", system.run, f"ties can change {topics}: {values}", int(touched.sum()), examples=examples,
        details=details, weight=widest.best - widest.worst,
    )  # fmt: skip


@check(
    "equal-scores", "ranking", "error",
    advice="the scores were lost: write them again, or order by rank with `{rank_by=rank}` if the ranks are right",
)  # fmt: skip
def equal_scores(system: ExaminedRun) -> Iterator[CheckFinding]:
    """Are all scores of (nearly) all queries the same?"""
    several = system.queries.filter(pl.col("count") > 1)
    equal = several.filter(pl.col("lowest") == pl.col("highest"))
    if equal.height and equal.height >= NEARLY_ALL * several.height:
        message = f"in {share(equal.height, several.height, 'query')}, all documents have the same score"
        examples = tuple(
            Example(f"query {quote(row['query_id'])}: {row['count']} times {row['highest']:g}")
            for row in equal.head(EXAMPLES).to_dicts()
        )
        yield finding("equal-scores", "error", system.run, message, equal.height, examples=examples)


_SCORES_RISE = ": scores rise with the rank, like distances"

_NOTHING = (
    "nothing, as long as documents are ordered by score; a rank that is not a number may mean that an id holds a blank"
)

_SWAP = "exchange the two columns"


@check(
    "rank-conflict", "ranking", "error", "warning",
    advice="find out which is right: Assay and trec_eval order by score, some tools by rank (here `{rank_by=rank}`)",
)  # fmt: skip
def rank_conflict(system: ExaminedRun) -> Iterator[CheckFinding]:
    """Does the rank column contradict the scores (a worse rank with a higher score)?"""
    conflicts = system.conflicts
    if not conflicts.queries:
        return
    run, ranked = system.run, system.ranked
    severity: Severity = "error" if system.ranks_are_upside_down else "warning"
    message = f"ranks contradict scores in {share(len(conflicts.queries), system.queries.height, 'query')}"
    message += _SCORES_RISE if system.ranks_are_upside_down else ""
    rows = ranked.select("query_id", "rank", "score", "row")
    examples = []
    for place, before in zip(conflicts.rows[:EXAMPLES].tolist(), conflicts.before[:EXAMPLES].tolist(), strict=True):
        query, rank, score, row = rows.row(place)
        _, other_rank, other_score, _ = rows.row(before)
        text = f"query {quote(query)}: rank {rank:g} has score {score:.6g}, rank {other_rank:g} only {other_score:.6g}"
        examples.append(Example(text, run.line(row)))
    yield finding("rank-conflict", severity, run, message, len(conflicts.queries), examples=examples)


@check(
    "ranks", "ranking", "error", "warning",
    advice=f"{_NOTHING}; {_SWAP} if ranks and scores stand in each other's place",
)  # fmt: skip
def ranks(system: ExaminedRun) -> Iterator[CheckFinding]:
    """Are ranks not whole numbers, or swapped with the scores?"""
    run = system.run
    if "rank" not in run.rows.columns:
        return
    if system.columns_are_swapped:
        message = "the score column counts 1, 2, 3 ... and the rank column falls as scores do: the two are swapped"
        yield finding("ranks", "error", run, message, system.queries.height, todo=_SWAP)
        return
    rank = run.rows["rank"]
    odd = {"not a number": rank.is_null() | ~rank.is_finite(), "not a whole number": rank.floor() != rank}
    for what, which in odd.items():
        rows = which.fill_null(value=False).arg_true()
        if rows.len():
            message = f"{number_of('rank', rows.len())} {what}"
            examples = [run.written(row) for row in rows.head(EXAMPLES).to_list()]
            yield finding("ranks", "warning", run, message, rows.len(), examples=examples, todo=_NOTHING)


@check(
    "upside-down",
    "run",
    "warning",
    advice="if lower scores are better, as with distances, score with `{lower_is_better=True}`",
)
def upside_down(system: ExaminedRun) -> Iterator[CheckFinding]:
    """Is the run better when reversed, by half in AP and in more topics than chance allows (sign test, 1 %)?"""
    ranks = system.ranks
    # Where the ranks say so, it has been told with certainty.
    if ranks is None or system.ranks_are_upside_down or system.columns_are_swapped:
        return
    reverse = reverse_of(ranks)
    if reverse.is_better:
        message = (
            "lower scores seem to be better: reversed, the run wins in "
            f"{share(reverse.better, reverse.topics, 'topic')}"
        )
        example = Example(f"mean AP: {number(reverse.forwards)}, and {number(reverse.backwards)} reversed")
        details = [
            {"measure": "AP", "value": reverse.forwards, "reversed": reverse.backwards, "topics": reverse.topics}
        ]
        yield finding(
            "upside-down", "warning", system.run, message, reverse.better, examples=[example], details=details
        )


@check("perfect", "run", "warning", advice="find out how the run was made: it may have been built from the judgments")
def perfect(system: ExaminedRun) -> Iterator[CheckFinding]:
    """Are nDCG, AP and RR at their largest value in (nearly) all topics, as if the judgments had made the run?"""
    topics, faultless = _faultless(system.ranks)
    if topics >= LEAST_TOPICS and faultless >= NEARLY_ALL * topics:
        message = f"a perfect ranking (nDCG, AP and RR are 1) in {share(faultless, topics, 'topic')}"
        yield finding("perfect", "warning", system.run, message, faultless)


def _faultless(ranks: Ranks | None) -> tuple[int, int]:
    """Counts of topics that have something to find, and of those with a ranking without a fault."""
    if ranks is None:
        return 0, 0
    values: list[Floats] = [measure.of(ranks) for measure in (nDCG(), AP(), RR())]
    lowest = np.min(values, axis=0)
    return int((ranks.relevant() > 0).sum()), int((lowest >= 1 - ROUNDING).sum())


#: Runs differ much in depth if the median of one is so many times that of another.
_DEEPER = 5
#: A run is cut short if its last query has less than this share of what every other one has.
_SHORT = 0.5

_LEAST_DEPTH, _LEAST_QUERIES = 10, 5


@check(
    "truncated", "ranking", "warning", advice="write or copy the file again, unless the query really has so few results"
)
def truncated(system: ExaminedRun) -> Iterator[CheckFinding]:
    """Is the last query less than half as long as every other?"""
    *others, length = system.queries["count"].to_list()
    last = system.run.rows["query_id"][-1]
    if len(others) < _LEAST_QUERIES - 1 or system.queries["query_id"][-1] != last:
        return
    least = min(others)
    if least >= _LEAST_DEPTH and length < _SHORT * least:
        message = f"the last query has {number_of('document', length)}, every other at least {least:,}"
        example = Example(f"query {quote(last)}", system.run.line(system.run.rows.height - 1))
        yield finding("truncated", "warning", system.run, message, examples=[example])


def _of_several(name: str, systems: Sequence[ExaminedRun], message: str, examples: Sequence[Example]) -> CheckFinding:
    return finding(name, "warning", ALL_RUNS, message, len(systems), examples=examples)


@check(
    "depth", "rankings", "warning",
    question="Do runs differ in depth by a factor of 5 or more?",
    advice="compare them at one depth (`{depth}`), or by measures with a cut-off that all of them reach",
)  # fmt: skip
def depth(systems: Sequence[ExaminedRun]) -> Iterator[CheckFinding]:
    """The median number of documents per query."""
    depths = {system.name: float(np.median(system.queries["count"].to_numpy())) for system in systems}
    if len(depths) < 2:
        return
    shallow, deep = min(depths, key=lambda name: depths[name]), max(depths, key=lambda name: depths[name])
    if depths[deep] >= _DEEPER * depths[shallow]:
        message = (
            f"runs differ in depth: from {depths[shallow]:g} documents per query ({shallow}) "
            f"to {depths[deep]:g} ({deep})"
        )
        few = sorted((name for name in depths if depths[name] * _DEEPER <= depths[deep]), key=lambda name: depths[name])
        examples = [Example(f"{name}: {depths[name]:g}") for name in few[:3]]
        yield _of_several("depth", [system for system in systems if system.name in {shallow, deep}], message, examples)


@check(
    "identical-runs", "rankings", "warning",
    advice="one was probably copied, or a change had no effect: leave one out of the comparison",
)  # fmt: skip
def identical_runs(systems: Sequence[ExaminedRun]) -> Iterator[CheckFinding]:
    """Do two runs rank the same documents in the same order?"""
    alike: dict[bytes, list[ExaminedRun]] = {}
    for system in systems if len(systems) > 1 else ():
        alike.setdefault(_ordered(system).hash_rows().to_numpy().tobytes(), []).append(system)
    for same in alike.values():
        if len(same) > 1:
            names = [system.name for system in same]
            message = f"{number_of('run', len(names))} with the same ranking: {listed(names)}"
            yield _of_several("identical-runs", same, message, [])


def _ordered(system: ExaminedRun) -> pl.DataFrame:
    # Equal scores are put in the order that evaluation gives them.
    by = [pl.col("query_id"), pl.col("score"), pl.col("doc_id")]
    return system.frame.sort(by, descending=[False, True, True]).select("query_id", "doc_id")
