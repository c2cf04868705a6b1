"""Would other units have ordered the systems alike, and how many pairs of systems does a measure tell apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from assay.core.errors import ParameterError
from assay.counting.judgments import Floats
from assay.stats.bootstrap import Interval, percentiles, weights
from assay.stats.correlation import row_by_row
from assay.stats.orders import orders_of, swapped, tau_b
from assay.stats.paired import Paired
from assay.stats.samples import Averaged, Pooled

_BLOCK = 1 << 22


class Agreement(NamedTuple):
    """How well rankings agree: the mean of Kendall's tau-b, where most of its values lie, the share of pairs swapped.

    `low` and `high` are quantiles of tau-b over the resamples: of its spread, not of an error in its mean. `swapped` is
    the mean share of pairs of systems whose order is the opposite one.
    """

    tau: float
    low: float
    high: float
    swapped: float
    level: float
    resamples: int


class Stability(NamedTuple):
    """How a ranking of systems holds with other units.

    `redrawn`: the ranking on all units against those on units drawn anew, as many as there are. `halves`: the rankings
    on two random halves of the units against one another, as two test collections of half the size would agree.
    """

    redrawn: Agreement
    halves: Agreement


def discriminative_power(p_values: ArrayLike, alpha: float = 0.05) -> float:
    """The share of pairs of systems that a measure tells apart: those with p below alpha; NaN without a p-value.

    >>> discriminative_power([0.001, 0.2, 0.04, 0.6])
    0.5
    """
    p = np.asarray(p_values, dtype=np.float64)
    return float("nan") if np.isnan(p).all() else float(np.mean(p < alpha))


def ranking_stability(
    sample: Averaged | Pooled, resamples: int = 1000, seed: int = 0, level: float = 0.95
) -> Stability:
    """How much the order of the systems depends on the units that happened to be there.

    >>> values = np.tile([0.1, 0.2, 0.4], (6, 1)) + np.arange(6)[:, None] / 100
    >>> ranking_stability(Averaged(values), resamples=100).redrawn
    Agreement(tau=1.0, low=1.0, high=1.0, swapped=0.0, level=0.95, resamples=100)
    """
    observed = sample.observed()
    if len(observed) < 2:
        raise ParameterError("a ranking takes at least two systems")
    if resamples < 1 or not 0 < level < 1:
        raise ParameterError(f"resamples are 1 or more and level between 0 and 1, not {resamples} and {level:g}")
    redrawn = [
        (sample.of(block), np.broadcast_to(observed, (len(block), len(observed))))
        for block in weights(sample.units, resamples, seed)
    ]
    halves = [
        (sample.of(block), sample.of(other)) for block, other in _halves(sample.units, resamples, seed)
    ] if sample.units > 1 else []  # fmt: skip
    return Stability(_agreement(redrawn, level), _agreement(halves, level))


def with_other_units(
    one: Paired, other: Paired, systems: Sequence[str], *, resamples: int = 1000, seed: int = 0, level: float = 0.95
) -> dict[str, Interval]:
    """Where the coefficients of two lists of the same systems lie with units drawn anew, by their names.

    A unit of both lists is drawn for both. These are quantiles of the coefficients over the resamples: of their spread,
    not of an error. Nothing, if one of the lists has fewer than two units.

    >>> values = np.tile([0.1, 0.2, 0.4], (6, 1)) + np.arange(6)[:, None] / 100
    >>> paired = Paired("AP", "query", ("a", "b", "c"), ("q1", "q2", "q3", "q4", "q5", "q6"), Averaged(values))
    >>> with_other_units(paired, paired, ["a", "b"], resamples=100)["Kendall's tau-b"]
    Interval(low=1.0, high=1.0, level=0.95, method='percentile')
    """
    if min(len(one.units), len(other.units)) < 2 or not resamples:
        return {}
    places = {unit: place for place, unit in enumerate(dict.fromkeys((*one.units, *other.units)))}
    drawn = np.concatenate(list(weights(len(places), resamples, seed)))
    numbers: list[Floats] = []
    usable = np.ones(len(drawn), dtype=bool)  # a resample may hold no unit of one of the lists
    for side in (one, other):
        if not isinstance(side.sample, Averaged | Pooled):
            raise ParameterError(f"{side.measure} is made of all items together: it has no numbers of units")
        own = drawn[:, [places[unit] for unit in side.units]]
        usable &= own.sum(axis=1) > 0
        columns = [side.systems.index(system) for system in systems]
        with np.errstate(invalid="ignore", divide="ignore"):
            found = side.sample.of(own)[:, columns]
        numbers.append(found if side.higher_is_better is not False else -found)
    usable &= np.isfinite(numbers[0]).all(axis=1) & np.isfinite(numbers[1]).all(axis=1)
    values = row_by_row(numbers[0][usable], numbers[1][usable])
    return {name: percentiles(found, level) for name, found in values.items()}


def _agreement(rankings: list[tuple[Floats, Floats]], level: float) -> Agreement:
    """Compare the rows of each two tables of numbers, all pairs of systems at once."""
    found = [(tau_b(*orders), swapped(*orders)) for tables in rankings for orders in orders_of(*tables)]
    tau, opposite = (np.concatenate([np.empty(0), *(pair[part] for pair in found)]) for part in (0, 1))
    known = tau[~np.isnan(tau)]
    if not len(known):
        return Agreement(np.nan, np.nan, np.nan, np.nan, level, len(tau))
    low, high, *_ = percentiles(known, level)
    return Agreement(float(known.mean()), low, high, float(opposite.mean()), level, len(tau))


def _halves(units: int, resamples: int, seed: int) -> Iterator[tuple[Floats, Floats]]:
    """Weights of two random halves of the units (of an odd number, one unit is left out), a row a split, by blocks."""
    rng = np.random.default_rng(seed)
    rows = max(1, _BLOCK // units)
    for start in range(0, resamples, rows):
        count = min(rows, resamples - start)
        places = np.argsort(rng.random((count, units)), axis=1)
        half = units // 2
        yield (places < half).astype(np.float64), ((places >= half) & (places < 2 * half)).astype(np.float64)
