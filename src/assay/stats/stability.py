"""Would other units have ordered the systems alike, and how many pairs of systems does a measure tell apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from assay.core.errors import ParameterError
from assay.measures.counting.judgments import Floats
from assay.stats.bootstrap import Interval, percentiles, weights
from assay.stats.correlation import orders_of, row_by_row, swapped, tau_b
from assay.stats.samples import Sample

_BLOCK = 1 << 22


class Agreement(NamedTuple):
    """The agreement of rankings: mean and middle of Kendall's tau-b, and the share of pairs swapped.

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
    """The stability of a ranking of systems with other units.

    `redrawn`: the ranking on all units against those on units drawn anew, as many as there are. `halves`: the rankings
    on two random halves of the units against one another, as two test collections of half the size would agree.
    """

    redrawn: Agreement
    halves: Agreement

    @classmethod
    def unknown(cls) -> Stability:
        """The stability of numbers whose units cannot be resampled."""
        return cls(*[Agreement(np.nan, np.nan, np.nan, np.nan, 0.95, 0)] * 2)


def discriminative_power(p_values: ArrayLike, alpha: float = 0.05) -> float:
    """The share of pairs of systems that a measure tells apart: those with p below alpha; NaN without a p-value.

    >>> discriminative_power([0.001, 0.2, 0.04, 0.6])
    0.5
    """
    p = np.asarray(p_values, dtype=np.float64)
    return float("nan") if np.isnan(p).all() else float(np.mean(p < alpha))


def ranking_stability(sample: Sample, resamples: int = 1000, seed: int = 0, level: float = 0.95) -> Stability:
    """The dependence of the order of the systems on the units that happened to be there.

    >>> from assay.stats.mean_samples import MeanSample
    >>> values = np.tile([0.1, 0.2, 0.4], (6, 1)) + np.arange(6)[:, None] / 100
    >>> ranking_stability(MeanSample(values), resamples=100).redrawn
    Agreement(tau=1.0, low=1.0, high=1.0, swapped=0.0, level=0.95, resamples=100)
    """
    observed = sample.observed
    if len(observed) < 2:
        raise ParameterError("a ranking takes at least two systems")
    if resamples < 1 or not 0 < level < 1:
        raise ParameterError(f"resamples are 1 or more and level between 0 and 1, not {resamples} and {level:g}")
    redrawn = [
        (_under(sample, block), np.broadcast_to(observed, (len(block), len(observed))))
        for block in weights(sample.size, resamples, seed)
    ]
    splits = _halves(sample.size, resamples, seed) if sample.size > 1 else ()
    halves = [(_under(sample, block), _under(sample, other)) for block, other in splits]
    return Stability(_agreement(redrawn, level), _agreement(halves, level))


def with_other_units(
    first: Sample, second: Sample, systems: Sequence[str], *, resamples: int = 1000, seed: int = 0, level: float = 0.95
) -> dict[str, Interval]:
    """The middle of the coefficients of two lists of the same systems with resampled units, by their names.

    A unit of both lists is drawn for both. These are quantiles of the coefficients over the resamples: of their spread,
    not of an error. Nothing, if one of the lists has fewer than two units.

    >>> from assay.stats.mean_samples import MeanSample
    >>> values = np.tile([0.1, 0.2, 0.4], (6, 1)) + np.arange(6)[:, None] / 100
    >>> sample = MeanSample(values, systems=("a", "b", "c"), units=("q1", "q2", "q3", "q4", "q5", "q6"))
    >>> with_other_units(sample, sample, ["a", "b"], resamples=100)["Kendall's tau-b"]
    Interval(low=1.0, high=1.0, level=0.95, method='percentile')
    """
    if min(first.size, second.size) < 2 or not resamples:
        return {}
    places = {unit: place for place, unit in enumerate(dict.fromkeys((*first.units, *second.units)))}
    every_weight = np.concatenate(list(weights(len(places), resamples, seed)))
    numbers: list[Floats] = []
    usable = np.ones(len(every_weight), dtype=bool)  # a resample may hold no unit of one of the lists
    for side in (first, second):
        side_weights = every_weight[:, [places[unit] for unit in side.units]]
        usable &= side_weights.sum(axis=1) > 0
        columns = [side.systems.index(system) for system in systems]
        with np.errstate(invalid="ignore", divide="ignore"):
            side_numbers = _under(side, side_weights)[:, columns]
        numbers.append(side_numbers if side.higher_is_better is not False else -side_numbers)
    usable &= np.isfinite(numbers[0]).all(axis=1) & np.isfinite(numbers[1]).all(axis=1)
    values = row_by_row(numbers[0][usable], numbers[1][usable])
    return {name: percentiles(coefficients, level) for name, coefficients in values.items()}


def _under(sample: Sample, weights: Floats) -> Floats:
    """The systems' numbers under weights of the units; refuse numbers that are made in another way."""
    numbers = sample.reweighted(weights)
    if numbers is None:
        raise ParameterError(f"{sample.measure} is made of {sample.made_of}: it has no numbers of units")
    return numbers


def _agreement(rankings: list[tuple[Floats, Floats]], level: float) -> Agreement:
    """Compare the rows of each two tables of numbers, all pairs of systems at once."""
    blocks = [(tau_b(*orders), swapped(*orders)) for tables in rankings for orders in orders_of(*tables)]
    tau, opposite = (np.concatenate([np.empty(0), *(block[part] for block in blocks)]) for part in (0, 1))
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
