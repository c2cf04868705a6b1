"""`correlate`: two measures, two sets of judgments, two topic sets, two lists -> do they order systems alike?"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.correlation.lists import Asked, ListOfNumbers, lists_of, names_of
from assay.correlation.result import Correlations, PairOfLists
from assay.counting.judgments import Floats
from assay.errors import InputError, ParameterError, number_of
from assay.evaluation import Evaluation
from assay.measures.registry import Measure
from assay.stats.bootstrap import Interval, weights
from assay.stats.correlation import COEFFICIENTS, Correlation, row_by_row
from assay.stats.overlap import rbo
from assay.tables import Scores


class _Drawing(NamedTuple):
    """At which level intervals are, and how often units are drawn anew for them."""

    level: float
    resamples: int
    seed: int


def correlate(
    *given: Any,
    measure: str | Measure | None = None,
    units: Sequence[Collection[str]] | None = None,
    split: int | None = None,
    names: Sequence[str] | None = None,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    p: float = 0.9,
) -> Correlations:
    """Say how far two lists order the same items alike.

    - `correlate(evaluation, "AP", "nDCG@10")`: systems under two measures, or more (then every two of them);
    - `correlate(one, other, measure="AP")`: two evaluations, as with two sets of judgments, under one measure;
    - `correlate(evaluation, measure="AP", units=(A, B))`: two sets of topics; `split=25` draws two of 25 each;
    - `correlate({"a": 0.3, "b": 0.2}, {"a": 0.5, "b": 0.6})`: two lists of scores, matched by name, or by place if they
      are lists of numbers;
    - `correlate(["d1", "d2"], ["d2", "d7"])`: two rankings, by rank-biased overlap with chance `p` to read on.

    A `Scores` table stands for an evaluation. The first list is the reference, which matters to tau_AP only. Every
    coefficient comes with an interval over items. Where units (topics) are known, they are also drawn anew `resamples`
    times, which shows how the coefficient moves with other units for these very items; that is no confidence interval.

    >>> found = correlate({"bm25": 0.31, "dense": 0.35, "mixed": 0.42}, {"bm25": 0.50, "dense": 0.47, "mixed": 0.61})
    >>> found.value("Kendall's tau-b")  # 2 of 3 pairs agree: (2 - 1) / 3
    0.3333
    """
    if resamples < 0:
        raise ParameterError(f"resamples are 0 or more, not {resamples}")
    if len(given) == 2 and all(map(_is_ranking, given)):
        return _rankings(given[0], given[1], names_of(names, 2), level, p)
    sides = lists_of(given, Asked(measure, units, split, names, seed))
    notes: list[str] = []
    drawing = _Drawing(level, resamples, seed)
    pairs = [_pair(one, other, drawing, notes) for one, other in combinations(sides, 2)]
    item = "system" if sides[0].paired is not None else "item"
    kind = sides[0].paired.unit_kind if sides[0].paired is not None else None
    return Correlations(tuple(pairs), item, kind, resamples, seed, tuple(dict.fromkeys(notes)))


def _pair(one: ListOfNumbers, other: ListOfNumbers, drawing: _Drawing, notes: list[str]) -> PairOfLists:
    items = [item for item in one.numbers if item in other.numbers]
    what = "system" if one.paired is not None else "item"
    if not items:
        raise InputError(f"{one.name} and {other.name} have no {what} in common")
    left_out = len(one.numbers) + len(other.numbers) - 2 * len(items)
    if left_out:
        notes.append(f"{number_of(what, left_out)} not in both of {one.name} and {other.name}, left out")
    known = [item for item in items if np.isfinite(one.numbers[item]) and np.isfinite(other.numbers[item])]
    if len(known) < len(items):
        notes.append(f"{number_of(what, len(items) - len(known))} without a number, left out")
    for side in (one, other):
        if side.paired is not None and side.paired.left_out:
            kind = number_of(side.paired.unit_kind, side.paired.left_out)
            notes.append(f"{side.name}: {kind} that not all systems have left out")
        if not side.higher_is_better:
            notes.append(f"{side.name}: the smaller number is the better one")
    first, second = (np.array([side.numbers[item] for item in known]) for side in (one, other))
    signs = [1.0 if side.higher_is_better else -1.0 for side in (one, other)]
    found = tuple(coefficient(signs[0] * first, signs[1] * second, drawing.level) for coefficient in COEFFICIENTS)
    intervals = _with_other_units(one, other, known, signs, drawing)
    return PairOfLists(one.name, other.name, found, intervals, _side_by_side(known, first, second, signs))


def _with_other_units(
    one: ListOfNumbers, other: ListOfNumbers, items: Sequence[str], signs: Sequence[float], drawing: _Drawing
) -> dict[str, Interval]:
    """Where the coefficients lie with units drawn anew, by percentiles; a unit of both lists is drawn for both."""
    if one.paired is None or other.paired is None or drawing.resamples == 0 or len(items) < 2:
        return {}
    units = {unit: place for place, unit in enumerate(dict.fromkeys((*one.paired.units, *other.paired.units)))}
    if min(len(one.paired.units), len(other.paired.units)) < 2:
        return {}
    drawn = np.concatenate(list(weights(len(units), drawing.resamples, drawing.seed)))
    numbers: list[Floats] = []
    usable = np.ones(len(drawn), dtype=bool)
    for side, sign in zip((one.paired, other.paired), signs, strict=True):
        own = drawn[:, [units[unit] for unit in side.units]]
        usable &= own.sum(axis=1) > 0
        columns = [side.systems.index(item) for item in items]
        with np.errstate(invalid="ignore", divide="ignore"):
            numbers.append(sign * side.sample.of(own)[:, columns])
    usable &= np.isfinite(numbers[0]).all(axis=1) & np.isfinite(numbers[1]).all(axis=1)
    values = row_by_row(numbers[0][usable], numbers[1][usable])
    return {name: _percentiles(found, drawing.level) for name, found in values.items()}


def _percentiles(values: Floats, level: float) -> Interval:
    known = values[~np.isnan(values)]
    if not len(known):
        return Interval(np.nan, np.nan, level, "percentile")
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level, "percentile")


def _side_by_side(items: Sequence[str], first: Floats, second: Floats, signs: Sequence[float]) -> pl.DataFrame:
    """Both numbers and ranks of each item, the best by the first list on top; tied items share the mean rank."""
    frame = pl.DataFrame({"item": items, "first": first, "second": second}, schema_overrides={"item": pl.String})
    ranked = frame.with_columns(
        (pl.col(name) * -sign).rank("average").alias(f"{name}_rank")
        for name, sign in zip(("first", "second"), signs, strict=True)
    )
    ordered = ranked.with_columns(movement=pl.col("first_rank") - pl.col("second_rank"))
    columns = ("item", "first", "first_rank", "second", "second_rank", "movement")
    return ordered.sort("first_rank", "second_rank", maintain_order=True).select(columns)


def _is_ranking(given: Any) -> bool:
    if isinstance(given, Mapping | str | Evaluation | Scores) or not hasattr(given, "__len__"):
        return False
    return bool(len(given)) and all(isinstance(item, str) for item in given)


def _rankings(
    first: Sequence[str], second: Sequence[str], names: Sequence[str], level: float, p: float
) -> Correlations:
    """Two rankings of items: rank-biased overlap; where they hold the same items, also the other coefficients."""
    overlap = rbo(list(first), list(second), p)
    note = "bounds, whatever follows the lists"
    found = [
        Correlation(
            f"RBO(p={p:g})", overlap.extrapolated, overlap.least, overlap.most, 1.0, len({*first, *second}), note
        )
    ]
    ranks = [{str(item): float(rank) for rank, item in enumerate(ranking, 1)} for ranking in (first, second)]
    items = list(dict.fromkeys([*ranks[0], *ranks[1]]))
    table = pl.DataFrame(
        {"item": items, "first_rank": map(ranks[0].get, items), "second_rank": map(ranks[1].get, items)},
        schema={"item": pl.String, "first_rank": pl.Float64, "second_rank": pl.Float64}, strict=False,
    ).with_columns(movement=pl.col("first_rank") - pl.col("second_rank"))  # fmt: skip
    notes: tuple[str, ...] = ()
    if ranks[0].keys() == ranks[1].keys():
        one, other = (np.array([-own[item] for item in items]) for own in ranks)
        found += [coefficient(one, other, level) for coefficient in COEFFICIENTS[:3]]
    else:
        notes = ("the rankings hold different items: rank-biased overlap alone is defined",)
    return Correlations((PairOfLists(names[0], names[1], tuple(found), {}, table),), "item", None, 0, 0, notes)
