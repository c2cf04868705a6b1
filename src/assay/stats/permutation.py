"""The paired permutation test: if the systems do not differ, their labels could be swapped on any unit.

Swapping changes the sign of a unit's difference. All combinations of signs are gone through where the units are few;
otherwise signs are drawn, and the observed ones count as one more draw: p = (b + 1) / (n + 1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.measures.counting.judgments import Floats, Ints
from assay.measures.steps import PerUnit
from assay.stats.estimates import ROUNDING

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]

#: What tests say of differences that are all zero.
NOTHING_DIFFERS = "no unit differs"
#: And where there is no difference to test.
NO_DIFFERENCE = "no p-value: a system has no number"
#: Up to so many units that differ, all combinations of signs are gone through.
MOST_UNITS_EXACT = 16
# Signs drawn at a time. Part of the result: blocks use up the seed in turn.
_BLOCK = 1 << 20
# With very many units, so many resamples are added up at a time all the same.
_FEWEST_TOGETHER = 1 << 12
# Resamples whose sums are held against one another at a time, at least.
_TOGETHER = 1 << 13
# The eight bits (columns) of each value of a byte, the highest first.
_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float64)


class Outcome(NamedTuple):
    """The outcome of a test. `resamples`: the draws that the p-value rests on; None if none were needed.

    `sign`: which way the test itself points: 1 if it finds the second system higher, -1 if lower, 0 if neither; None if
    it tests the difference of the systems' numbers, and so points where that does.
    """

    test: str
    statistic: float
    p: float
    resamples: int | None = None
    note: str = ""
    sign: int | None = None

    @classmethod
    def of_no_difference(cls, test: str) -> Outcome:
        """The outcome where no unit differs."""
        return cls(test, 0.0, 1.0, note=NOTHING_DIFFERS)


def swaps(units: int, resamples: int) -> tuple[int | None, str]:
    """The number of random swaps for so many units (None if all are gone through), and that in words.

    >>> swaps(5, 1000), swaps(50, 1000)
    ((None, 'exact: all 2^5 swaps'), (1000, '1,000 random swaps'))
    """
    if units <= MOST_UNITS_EXACT:
        return None, f"exact: all 2^{units} swaps"
    return resamples, f"{resamples:,} random swaps"


def permutation_test(
    differences: Floats, *, resamples: int = 100_000, seed: int = 0, alternative: Alternative = "two-sided"
) -> Outcome:
    """Test whether the mean of paired differences is 0.

    >>> permutation_test(np.array([0.1, 0.2, 0.3, 0.1, 0.2])).p  # 2 of the 2^5 combinations of signs
    0.0625
    """
    total = float(differences.sum())
    moved = differences[differences != 0]
    mean = total / max(len(differences), 1)
    if not len(moved):
        return Outcome("permutation", mean, 1.0, None, NOTHING_DIFFERS)
    reach = _reach(float(np.abs(moved).sum()))
    if len(moved) <= MOST_UNITS_EXACT:
        sums = _every_sum(moved)
        extreme = int(np.count_nonzero(as_extreme(sums, total, reach, alternative)))
        return Outcome("permutation", mean, extreme / len(sums), *swaps(len(moved), resamples))
    extreme = sum(
        int(np.count_nonzero(as_extreme(sums, total, reach, alternative)))
        for sums in _drawn_sums(moved, resamples, seed)
    )
    return Outcome("permutation", mean, (extreme + 1) / (resamples + 1), *swaps(len(moved), resamples))


def permutation_of_pairs(
    values: Floats, first: Ints, second: Ints, *, resamples: int = 10_000, seed: int = 0
) -> Floats:
    """The two-sided p-values of many pairs of systems (columns of `values`), all under the same swaps.

    >>> values = np.array([[0.1, 0.3, 0.3], [0.2, 0.4, 0.4], [0.1, 0.5, 0.5], [0.3, 0.4, 0.4], [0.2, 0.3, 0.3]])
    >>> permutation_of_pairs(values, np.array([0, 1]), np.array([1, 2]))
    array([0.0625, 1.    ])
    """
    units = len(values)
    observed = np.abs(values.sum(axis=0)[second] - values.sum(axis=0)[first])
    reach = _reach(float(np.abs(values).sum(axis=0).max(initial=0.0)))
    extreme = np.zeros(len(first), dtype=np.int64)
    exact = units <= MOST_UNITS_EXACT
    for sums in _swapped_sums(values, _every_byte(units) if exact else _drawn_bytes(units, resamples, seed)):
        apart = np.empty(sums.shape[1])
        far = np.empty(sums.shape[1], dtype=np.bool_)
        for pair, (one, other, least) in enumerate(zip(first, second, observed - reach, strict=True)):
            # Into the same memory each time, which stays in the cache.
            np.subtract(sums[other], sums[one], out=apart)
            np.abs(apart, out=apart)
            np.greater_equal(apart, least, out=far)
            extreme[pair] += np.count_nonzero(far)
    return extreme / 2**units if exact else (extreme + 1) / (resamples + 1)


def permutation_of_pooled(
    first: PerUnit,
    second: PerUnit,
    *,
    resamples: int = 10_000,
    seed: int = 0,
    alternative: Alternative = "two-sided",
) -> Outcome:
    """Test a number that is made of summed counts: swap the two systems' counts unit by unit, and count again.

    >>> from assay.measures.steps import quantity
    >>> everywhere = quantity("right", [1, 1, 1, 1, 1]) / quantity("answers", [1, 1, 1, 1, 1])
    >>> nowhere = quantity("right", [0, 0, 0, 0, 0]) / quantity("answers", [1, 1, 1, 1, 1])
    >>> permutation_of_pooled(nowhere, everywhere).p
    0.0625
    """
    units = len(first.values)
    both = first.followed_by(second)
    whole = np.ones((1, units))
    numbers = np.concatenate([under_weights(formula, whole) for formula in (first, second)])
    observed = float(numbers[1] - numbers[0])
    if np.isnan(observed):
        return Outcome("permutation", observed, np.nan, None, NO_DIFFERENCE)
    # Not less than for numbers up to 1: one near 0 may be the difference of such.
    reach = _reach(max(1.0, *np.abs(numbers)))
    extreme = drawn = 0
    exact = units <= MOST_UNITS_EXACT
    for chosen in _every_byte(units) if exact else _drawn_bytes(units, resamples, seed):
        seconds, firsts = np.split(both.pooled(_once(_sums_under(chosen))).values, 2)
        swapped = seconds - firsts
        # What is undefined once it is swapped is no evidence against the null: it counts as extreme.
        extreme += int(
            np.count_nonzero(np.isnan(swapped - observed) | as_extreme(swapped, observed, reach, alternative))
        )
        drawn += len(chosen)
    p = extreme / drawn if exact else (extreme + 1) / (drawn + 1)
    return Outcome("permutation", observed, p, *swaps(units, drawn))


def _sums_under(chosen: NDArray[np.uint8]) -> Callable[[Floats], Floats]:
    """The sums of two systems' counts, those of the first before those of the second, as units are swapped.

    A bit of a row of `chosen` is 1 where a unit's counts stay with their system. The sums are those of the second
    system under each row, then those of the first. Where most units have the same count in both, these are added up
    once; of the others a table has what eight of them come to under each value of a byte.
    """
    every = np.ascontiguousarray(chosen.T)
    bits = np.ascontiguousarray(np.unpackbits(chosen, axis=1).T)

    def summed(counts: Floats) -> Floats:
        first, second = counts.reshape(2, -1)
        moving = first != second
        if 4 * np.count_nonzero(moving) > len(moving):  # gathering their bits would take longer than it saves
            moving[:] = True
        swapped = every if moving.all() else np.packbits(bits[: len(moving)][moving], axis=0)
        sides = np.zeros((2, 8 * len(swapped)))
        sides[:, : np.count_nonzero(moving)] = first[moving], second[moving]
        tables = sides[0].reshape(-1, 8) @ _BITS.T + sides[1].reshape(-1, 8) @ (1 - _BITS).T
        sums = np.full((2, len(chosen)), first[~moving].sum())
        for table, byte in zip(tables, swapped, strict=True):
            sums[1] += table.take(byte)
            sums[0] += table[::-1].take(byte)
        return sums.ravel()

    return summed


def _once(add_up: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
    """Add up the same counts once: formulas of agreement have hundreds of parts, of which few are different."""
    known: dict[bytes, Floats] = {}

    def added_up(counts: Floats) -> Floats:
        key = blake2b(counts.tobytes(), digest_size=16).digest()
        if key not in known:
            known[key] = add_up(counts)
            known[key].flags.writeable = False
        return known[key]

    return added_up


def under_weights(formula: PerUnit, weights: Floats) -> Floats:
    """Values of a formula on counts summed over the units, under each row of weights.

    >>> from assay.measures.steps import quantity
    >>> under_weights(quantity("found", [1, 0]) / quantity("retrieved", [1, 1]), np.array([[1.0, 1.0], [3.0, 1.0]]))
    array([0.5 , 0.75])
    """

    def weighted(counts: Floats) -> Floats:
        sums: Floats = np.einsum("rn,n->r", weights, counts)
        return sums

    return formula.pooled(weighted).values


def _reach(scale: float) -> float:
    return ROUNDING * max(scale, np.finfo(np.float64).tiny)


def as_extreme(sums: Floats, total: float, reach: float, alternative: Alternative) -> NDArray[np.bool_]:
    """A mask of the sums as far from 0 as the total, or as far to one side of it; `reach` is rounding."""
    if alternative == "greater":
        return sums >= total - reach
    if alternative == "less":
        return sums <= total + reach
    return np.abs(sums) >= abs(total) - reach


def _every_sum(numbers: Floats) -> Floats:
    """The sums under all combinations of signs."""
    sums = np.zeros(1)
    for number in numbers:
        sums = np.concatenate([sums + number, sums - number])
    return sums


def _drawn_sums(numbers: Floats, resamples: int, seed: int) -> Iterator[Floats]:
    """The sums under random signs, block by block.

    A random byte holds the signs of eight units, and a table the eight units' sum under each of its 256 values: one
    look-up in place of eight additions, and one random byte in place of eight numbers.
    """
    groups = -(-len(numbers) // 8)
    padded = np.append(numbers, np.zeros(8 * groups - len(numbers))).reshape(groups, 8)
    tables = [_every_sum(group) for group in padded]
    rng = np.random.default_rng(seed)
    # So many at least that adding up takes longer than the loop around it; then not all signs are held at a time.
    rows = max(_FEWEST_TOGETHER, _BLOCK // groups)
    for start in range(0, resamples, rows):
        count = min(rows, resamples - start)
        sums = np.zeros(count)
        some = max(1, _BLOCK // count)
        for first in range(0, groups, some):
            part = tables[first : first + some]
            signs = rng.integers(256, size=(len(part), count), dtype=np.uint8)
            for table, byte in zip(part, signs, strict=True):
                sums += table.take(byte)
        yield sums


def _swapped_sums(values: Floats, blocks: Iterator[NDArray[np.uint8]]) -> Iterator[Floats]:
    """The columns' sums (rows) under each combination of signs (columns), so many at a time that pairs are quick.

    With many units, few combinations come in a block, and going through all pairs for each block would take longer
    than the sums do.
    """
    waiting: list[Floats] = []
    for chosen in blocks:
        signs = np.unpackbits(chosen, axis=1, count=len(values)).astype(np.float64) * 2 - 1
        waiting.append(signs @ values)
        if sum(map(len, waiting)) >= _TOGETHER:
            yield np.ascontiguousarray(np.concatenate(waiting).T)
            waiting = []
    if waiting:
        yield np.ascontiguousarray(np.concatenate(waiting).T)


def _drawn_bytes(units: int, resamples: int, seed: int) -> Iterator[NDArray[np.uint8]]:
    """Random bytes, which hold the signs of eight units each, a row a resample, block by block."""
    rng = np.random.default_rng(seed)
    rows = max(1, _BLOCK // units)
    for start in range(0, resamples, rows):
        yield rng.integers(256, size=(min(rows, resamples - start), -(-units // 8)), dtype=np.uint8)


def _every_byte(units: int) -> Iterator[NDArray[np.uint8]]:
    """All combinations of signs, a row each, eight units in a byte."""
    numbers = np.arange(1 << units)
    yield np.packbits((numbers[:, None] >> np.arange(units) & 1).astype(np.uint8), axis=1)
