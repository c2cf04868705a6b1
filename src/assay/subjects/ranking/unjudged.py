"""The effect that unjudged documents could have on a score, and on a difference of scores.

A document that nobody judged counts as irrelevant. It may be relevant all the same: how much would that change? Each
of the unjudged documents that were retrieved may have any grade. A document has one grade, whichever system returns it,
so that the difference of two systems is surer than the value of either.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.core.digits import signed_span
from assay.core.domains import Whole
from assay.core.errors import ParameterError, number_of
from assay.core.evaluation_options import Undefined
from assay.measures.counting.judgments import Floats, Ints, Mask, place_in_group
from assay.measures.counting.ranks import Ranks, as_judged, same_queries
from assay.measures.registry import Measure
from assay.measures.summary import summarise
from assay.subjects.ranking.extremes import FEW_ROWS, ROUNDING, Extremes, extremes
from assay.subjects.ranking.hypothetical_judgments import Hypotheses, Trials, places, rises_with_rank
from assay.tables import picked


def limits(trials: Trials, extremes: Extremes) -> tuple[Floats, Floats]:
    """Heights between which each query lies whatever the grades: its extremes where they are sure, else wider ones.

    >>> from assay.measures.counting.ranks import retrieved
    >>> from assay.measures import RR
    >>> from assay.tables import Qrels, Run
    >>> counts = retrieved({"mine": Run.of({"q": {"new": 2, "good": 1}})}, Qrels.of({"q": {"good": 1}}))
    >>> trials = Trials(RR, [counts["mine"]], "counted_as")
    >>> limits(trials, Extremes(trials.observed, trials.observed, sure=np.array([False])))
    (array([0.]), array([1.]))
    """
    low, high = trials.height(extremes.low), trials.height(extremes.high)
    rest = np.flatnonzero(~extremes.sure)
    least, most = trials.measure.definition.bounds or (-np.inf, np.inf)
    least = max(least, trials.measure.parameters.get("floor", least))
    two = len(trials.systems) == 2
    low[rest] = trials.height(np.array([[most], [least]] if two else [[least]]))
    high[rest] = trials.height(np.array([[least], [most]] if two else [[most]]))
    documents = np.bincount(trials.unjudged.query, minlength=len(trials.queries))
    if two and rises_with_rank(trials.measure) and (documents * trials.sizes)[rest].sum() <= FEW_ROWS:
        low[rest] = -_each_at_its_best(trials, rest, documents, better=0)
        high[rest] = _each_at_its_best(trials, rest, documents, better=1)
    # What was found is within reach, also what is observed while documents stay unjudged.
    return np.minimum(low, trials.height(extremes.low)), np.maximum(high, trials.height(extremes.high))


def _each_at_its_best(trials: Trials, queries: Ints, documents: Ints, better: int) -> Floats:
    """The largest lead of a system if the same number of documents, but not the same ones, were relevant.

    The most that a number of relevant documents can make of a system is theirs at the top, the least at the bottom.
    """
    query = np.repeat(queries, documents[queries] + 1)
    size = place_in_group(query)
    top = trials.grades[-1]
    values = np.empty((2, len(query)))
    for system, rank in enumerate(trials.ranks):
        place = places(trials.unjudged.query, rank if system == better else -rank)
        values[system] = trials.values_of(
            system,
            query,
            lambda unit, document: np.where(place[document] < size[unit], top, 0.0),  # noqa: B023
        )
    ahead = trials.height(values) * (1 if better else -1)
    starts = np.flatnonzero(size == 0)
    furthest: Floats = np.maximum.reduceat(ahead, starts)
    return furthest


# So many rows are tried, and so many at a time; if it took more to be sure, these shares of the documents are.
_MOST_ROWS = 1 << 22
_ROWS_AT_A_TIME = 1 << 19
_SHARES = np.linspace(0.0, 1.0, 5)
#: The kinds of documents of which every number has to be tried. Of the others the number is 0, or all of them are
#: relevant: with each of these the value, or the difference, only rises or only falls.
_OPEN_KINDS = {"SetP": (), "SetR": (), "SetF": (2,)}


def pooled(trials: Trials) -> tuple[Floats, bool]:
    """The number, or the difference, as judged and under hypotheses; and whether these hold its extremes.

    Only numbers of relevant documents matter: of those that one system has, the other has, or both have.

    >>> from assay.measures.counting.ranks import retrieved
    >>> from assay.measures import parse_measure
    >>> from assay.tables import Qrels, Run
    >>> counts = retrieved({"mine": Run.of({"q": {"new": 2, "good": 1}})}, Qrels.of({"q": {"good": 1}}))
    >>> pooled(Trials(parse_measure("SetP(average='micro')"), [counts["mine"]], "counted_as"))
    (array([0.5, 0.5, 1. ]), True)
    """
    kind = trials.kind
    place = places(kind)
    number = np.bincount(kind, minlength=3)
    open_kinds = _OPEN_KINDS.get(trials.measure.name, (0, 1, 2))
    choices = [
        np.arange(n + 1) if group in open_kinds else np.unique([0, n]) for group, n in enumerate(number.tolist())
    ]
    sure = math.prod(map(len, choices)) * int(trials.sizes.sum()) <= _MOST_ROWS
    if not sure:
        choices = [np.unique((n * _SHARES).astype(np.int64)) for n in number.tolist()]
    relevant = np.array(list(itertools.product(*choices)), dtype=np.int64)
    observed = _numbers(trials, np.zeros((1, 3), dtype=np.int64), place, trials.as_it_is)
    at_a_time = max(1, _ROWS_AT_A_TIME // max(1, int(trials.sizes.sum())))
    blocks = [relevant[start : start + at_a_time] for start in range(0, len(relevant), at_a_time)]
    numbers = [observed, *(_numbers(trials, block, place, trials.systems) for block in blocks)]
    return np.concatenate(numbers), sure


def _numbers(trials: Trials, relevant: Ints, place: Ints, systems: list[Hypotheses]) -> Floats:
    """The numbers if so many documents of each kind (columns) were relevant, one hypothesis a row."""
    queries = len(trials.queries)
    top = trials.grades[-1]
    query = np.tile(trials.queries, len(relevant))
    values = [
        trials.measure.per_unit(
            system.counts(
                query,
                lambda unit, document: np.where(
                    place[document] < relevant[unit // queries, trials.kind[document]], top, 0.0
                ),
            )
        )
        .pooled(lambda counts: counts.reshape(len(relevant), queries).sum(axis=1))
        .values
        for system in systems
    ]
    return values[-1] - values[0] if len(values) == 2 else values[0]


# Effects that differ by less than rounding are equal: the order is then the same on every machine.
_DECIMALS = 12


class Bounds(NamedTuple):
    """The lowest and the highest value of each query (NaN where it has none), and of the mean.

    `exact`: whether no grades of unjudged documents within the measure's cut-off lead beyond those of the mean; if not,
    other grades may lead a little further.
    """

    low: Floats
    high: Floats
    mean_low: float
    mean_high: float
    exact: bool


def bounds_of(measure: Measure, ranks: Ranks, undefined: Undefined = "counted_as") -> Bounds:
    """The lowest and the highest that a system's value could be, query by query and on average.

    The counts are those of `counting.retrieved`; unjudged documents beyond the measure's cut-off are left alone.
    Queries that are left out of the mean as judged stay left out. A micro average has bounds, its queries have not.

    >>> from assay.measures.counting.ranks import retrieved
    >>> from assay.measures import P
    >>> from assay.tables import Qrels, Run
    >>> counts = retrieved({"a": Run.of({"q": {"x": 3, "y": 2, "z": 1}})}, Qrels.of({"q": {"x": 1, "y": 0}}))
    >>> bounds_of(P @ 3, counts["a"]).high  # x, and perhaps z
    array([0.6667])
    """
    trials = Trials(measure, [ranks], undefined)
    if measure.is_micro:
        numbers, exact = pooled(trials)
        none = np.full(len(ranks.queries), np.nan)
        return Bounds(none, none, float(np.fmin.reduce(numbers)), float(np.fmax.reduce(numbers)), exact)
    low, high, sure = extremes(trials)
    exact = _are_exact(trials, sure)
    if math.isnan(summarise(measure, measure.per_unit(as_judged(ranks)), undefined).value):
        return Bounds(low[0], high[0], math.nan, math.nan, exact)  # of a mean that is none
    return Bounds(low[0], high[0], float(trials.summary(low)[0]), float(trials.summary(high)[0]), exact)


class UnjudgedReach(NamedTuple):
    """The reach of unjudged documents on a difference of means (second system less first).

    `documents`: how many unjudged documents one of the systems has within the measure's cut-off, each counted once per
    query. All of them are, also those whose grade would change nothing, such as what stands below a relevant document
    in both systems under RR: whether a document matters may depend on the grades of others, and to find out takes far
    longer than the bounds do. `judge_next` lists those that matter by themselves.
    `changes_sign`: whether the difference as observed could turn into its opposite. Where that is open, it is True.
    `exact`: whether no grades of these documents, which stand within the measure's cut-off in one of the systems, lead
    beyond `low` and `high`. If not, they are what some grades lead to, and others may lead a little further: there were
    too many to try them all, or a query would come into the mean, or leave it.
    """

    low: float
    high: float
    documents: int
    changes_sign: bool
    exact: bool

    def caveat(self, difference: float) -> str:
        """A caveat that a verdict on this difference depends on unjudged documents.

        >>> print(UnjudgedReach(-0.1, 0.3, 4, changes_sign=True, exact=True).caveat(0.1))
        It depends on unjudged documents: 4 documents within reach of the measure have no judgment, and with other
        grades the difference could lie anywhere from -0.1000 to +0.3000.
        """
        if difference > 0:
            turns = self.low < 0
        elif difference < 0:
            turns = self.high > 0
        else:
            turns = self.low < self.high
        return (
            f"It {'depends' if turns else 'may depend'} on unjudged documents: "
            f"{number_of('document', self.documents)} within reach of the measure "
            f"{'has' if self.documents == 1 else 'have'} no judgment, and with other grades the difference could lie "
            f"anywhere from {signed_span(self.low, self.high)}"
            f"{'' if self.exact else ', perhaps further: there were too many grades to try all'}."
        )


def reach_of(
    measure: Measure, first: Ranks, second: Ranks, undefined: Undefined = "counted_as", top: float | None = None
) -> UnjudgedReach:
    """The reach of unjudged documents on the difference of two systems, counted by `counting.retrieved`.

    `top`: the highest grade of the scale, where documents could get one that none has yet.

    >>> from assay.measures.counting.ranks import retrieved
    >>> from assay.measures import P
    >>> from assay.tables import Qrels, Run
    >>> runs = {"a": Run.of({"q": {"x": 2, "y": 1}}), "b": Run.of({"q": {"x": 2, "z": 1}})}
    >>> counts = retrieved(runs, Qrels.of({"q": {"x": 1}}))
    >>> reach_of(P @ 2, counts["a"], counts["b"])  # y, or z, or both may be relevant
    UnjudgedReach(low=-0.5, high=0.5, documents=2, changes_sign=True, exact=True)
    """
    first, second = same_queries(first, second)
    trials = Trials(measure, [first, second], undefined, top)
    documents = len(trials.unjudged.document)
    if measure.is_micro:
        numbers, exact = pooled(trials)
        low, high = float(np.fmin.reduce(numbers)), float(np.fmax.reduce(numbers))
        return UnjudgedReach(low, high, documents, not exact or _changes_sign(float(numbers[0]), low, high), exact)
    bounds = extremes(trials)
    low, high = (float(np.subtract(*trials.summary(values)[::-1])) for values in (bounds.low, bounds.high))
    # The extremes of a geometric mean's logarithm are not those of the difference of two such means.
    exact = _are_exact(trials, bounds.sure) and (measure.definition.summary != "geometric" or not documents)
    # The sign of a mean, also of a geometric one, is that of the sum of heights.
    heights = (trials.height(trials.observed), *limits(trials, bounds))
    turns = _changes_sign(*(float(height[trials.counted].sum()) for height in heights))
    return UnjudgedReach(low, high, documents, turns, exact)


def values_at_ends(
    measure: Measure, first: Ranks, second: Ranks, undefined: Undefined = "counted_as", top: float | None = None
) -> tuple[pl.DataFrame, pl.DataFrame] | None:
    """The systems' values by query where unjudged documents favour the first system most, and the second.

    None of a measure that sums counts up over queries: a query has no value of its own.
    """
    first, second = same_queries(first, second)
    if measure.is_micro:
        return None
    trials = Trials(measure, [first, second], undefined, top)
    bounds = extremes(trials)
    low, high = (
        pl.DataFrame({"query_id": first.queries, "first": values[0], "second": values[1]}).filter(trials.counted)
        for values in (bounds.low, bounds.high)
    )
    return low, high


def _are_exact(trials: Trials, sure: Mask) -> bool:
    """True if extremes of queries are those of the mean: every query is in it, or there is nothing to bring one in."""
    return bool(sure[trials.counted].all() and (trials.counted.all() or not len(trials.unjudged.document)))


def judge_next(  # noqa: PLR0917  # what is compared, how many, and what it is called
    measure: Measure,
    first: Ranks,
    second: Ranks,
    n: int = 25,
    names: tuple[str, str] = ("first", "second"),
    undefined: Undefined = "counted_as",
    top: float | None = None,
) -> pl.DataFrame:
    """The unjudged documents whose judgment would change the difference of two systems most, largest effect first.

    `effect` is the change of the difference (second system less first) if this document had the highest grade, and all
    else stayed as it is; `favours` names the system that would gain by it. Documents without effect are not listed.
    `top`: the highest grade of the scale, if none has been given yet.

    >>> from assay.measures.counting.ranks import retrieved
    >>> from assay.measures import RR
    >>> from assay.tables import Qrels, Run
    >>> runs = {"a": Run.of({"q": {"x": 2, "y": 1}}), "b": Run.of({"q": {"z": 2, "x": 1}})}
    >>> counts = retrieved(runs, Qrels.of({"q": {"y": 1}}))
    >>> judge_next(RR, counts["a"], counts["b"], 1, names=("a", "b")).rows()  # from 1/2 and 0 to 1/2 and 1
    [('q', 'z', None, 1, 1.0, 'b')]
    """
    Whole(1).check("n", n)
    if measure.is_micro:
        raise ParameterError(f"{measure} sums counts up over queries: no query has an effect of its own")
    first, second = same_queries(first, second)
    trials = Trials(measure, [first, second], undefined, top)
    query, document = trials.unjudged
    effect = _effects(trials)
    more_is_good = measure.definition.higher_is_better is not False
    better = np.where((effect > 0) == more_is_good, 1, 0)
    frame = pl.DataFrame(
        {
            "number": query,
            "query_id": picked(pl.Series(first.queries, dtype=pl.String), query),
            "doc_id": picked(first.doc_ids, document),
            f"rank_{names[0]}": _whole(trials.ranks[0]),
            f"rank_{names[1]}": _whole(trials.ranks[1]),
            "effect": effect,
            "favours": picked(pl.Series(names, dtype=pl.String), better),
            "size": -np.round(np.abs(effect), _DECIMALS),
        }
    )
    ranked = frame.filter(pl.col("size") < 0).sort("size", "number", "doc_id")
    return ranked.drop("number", "size").head(int(n))


def _effects(trials: Trials) -> Floats:
    """The change of the difference if one document were relevant, for each of them."""
    query = trials.unjudged.query
    now = trials.observed
    then = trials.one_by_one
    how = trials.measure.definition.summary
    was = trials.counted[query]
    is_now = np.isfinite(then.sum(axis=0))
    units = trials.counted.sum() - was.astype(np.int64) + is_now
    numbers = []
    for before, after in zip(now, then, strict=True):
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.log if how == "geometric" else np.asarray
            old, new = np.where(trials.counted, scale(before), 0.0), np.where(is_now, scale(after), 0.0)
            total = old.sum() - old[query] + new
            mean = total if how == "sum" else total / units
        numbers.append(np.exp(mean) if how == "geometric" else mean)
    observed = trials.summary(now)
    effect: Floats = np.nan_to_num(numbers[1] - numbers[0] - (observed[1] - observed[0]))
    return effect


def _changes_sign(observed: float, low: float, high: float) -> bool:
    """True if the opposite of what was observed is within reach; of no difference, if any is."""
    down, up = low < -ROUNDING, high > ROUNDING
    if abs(observed) <= ROUNDING:
        return down or up
    return down if observed > 0 else up


def _whole(rank: Floats) -> pl.Series:
    """Ranks as whole numbers, null where there is none."""
    return pl.Series(np.where(np.isfinite(rank), rank, np.nan)).fill_nan(None).cast(pl.Int64)
