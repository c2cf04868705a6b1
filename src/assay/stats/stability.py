"""Would other units have ordered the systems alike, and how many pairs of systems does a measure tell apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from assay.counting.judgments import Floats, Ints
from assay.errors import ParameterError
from assay.stats.bootstrap import weights
from assay.stats.samples import Sample

# Sums of the same numbers in another order differ in the last digits, and count as tied.
_NEARLY = 1e-12
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
    """The share of pairs of systems that a measure tells apart: those with p below alpha; NaN without pairs.

    >>> discriminative_power([0.001, 0.2, 0.04, 0.6])
    0.5
    """
    p = np.asarray(p_values, dtype=np.float64)
    return float(np.mean(p < alpha)) if len(p) else float("nan")


def ranking_stability(sample: Sample, resamples: int = 1000, seed: int = 0, level: float = 0.95) -> Stability:
    """How much the order of the systems depends on the units that happened to be there.

    >>> from assay.stats.samples import Averaged
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


def _agreement(rankings: list[tuple[Floats, Floats]], level: float) -> Agreement:
    """Compare the rows of each two tables of numbers, all pairs of systems at once."""
    tau, swapped = [], []
    for one, other in rankings:
        first, second = np.triu_indices(one.shape[1], 1)
        rows = max(1, _BLOCK // max(len(first), 1))
        for start in range(0, len(one), rows):
            signs = _signs(one[start : start + rows], first, second)
            others = _signs(other[start : start + rows], first, second)
            together = signs * others
            untied = np.count_nonzero(signs, axis=1) * np.count_nonzero(others, axis=1).astype(np.float64)
            agreement = together.sum(axis=1, dtype=np.float64)
            tau.append(np.divide(agreement, np.sqrt(untied), out=np.full(len(untied), np.nan), where=untied > 0))
            swapped.append(np.mean(together < 0, axis=1))
    values = np.concatenate(tau) if tau else np.empty(0)
    known = values[~np.isnan(values)]
    if not len(known):
        return Agreement(np.nan, np.nan, np.nan, np.nan, level, len(values))
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return Agreement(
        float(known.mean()), float(low), float(high), float(np.concatenate(swapped).mean()), level, len(values)
    )


def _signs(numbers: Floats, first: Ints, second: Ints) -> np.typing.NDArray[np.int8]:
    """Which system of each pair (column) is ahead in each row."""
    columns = np.ascontiguousarray(numbers.T)
    apart = columns[first] - columns[second]
    reach = _NEARLY * np.abs(columns).max(axis=0)
    signs: np.typing.NDArray[np.int8] = (apart > reach).astype(np.int8) - (apart < -reach).astype(np.int8)
    return signs.T


def _halves(units: int, resamples: int, seed: int) -> Iterator[tuple[Floats, Floats]]:
    """Weights of two random halves of the units (of an odd number, one unit is left out), a row a split, by blocks."""
    rng = np.random.default_rng(seed)
    rows = max(1, _BLOCK // units)
    for start in range(0, resamples, rows):
        count = min(rows, resamples - start)
        places = np.argsort(rng.random((count, units)), axis=1)
        half = units // 2
        yield (places < half).astype(np.float64), ((places >= half) & (places < 2 * half)).astype(np.float64)
