"""How sure one can be of a number whose settings were chosen fold by fold: the choice is made again in every resample.

Each unit is measured with the setting that was best on the units of other folds. Numbers made like this are not
independent of one another: a unit that is bad for a setting keeps its own fold on it and drives all others from it. The
usual tests and intervals over units take no notice. Of twelve settings that do not differ on 50 units in 5 folds, a
paired t test finds the tuned one to differ from the first in 13 % of simulations at the 5 % level, with one unit left
out at a time in 27 %. So units are drawn anew, or the two sides swapped, for all settings at once, and settings are
chosen again. Units stay in their folds, so that no copy of a unit has a say in its own setting.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from assay.counting.judgments import Floats, Ints
from assay.errors import number_of
from assay.stats.bootstrap import Interval, weights
from assay.stats.permutation import NOTHING_DIFFERS, Outcome
from assay.stats.rounding import ROUNDING

#: How the interval and the test are called.
RETUNED, RETUNED_SWAPS = "retuned bootstrap", "retuned permutation"
#: Numbers held at a time: resamples x folds x settings. Part of the result: blocks use up the seed in turn.
_BLOCK = 1 << 22


class Choices(NamedTuple):
    """Units (rows) under settings (columns), larger numbers being better, and the place of each unit's fold.

    >>> units = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])  # others choose the first setting, or tie
    >>> Choices(units, np.array([0, 1, 2])).values(np.ones((1, 3)))  # (0 + 1 + 1) / 3
    array([0.6667])
    """

    numbers: Floats
    fold_of: Ints

    def values(self, weighted: Floats) -> Floats:
        """The number after choosing, for each row of weights (or signs), which units have on either side."""
        folds = int(self.fold_of.max()) + 1
        # einsum, not @: its sums do not depend on how many threads there are.
        sums = np.stack(
            [
                np.einsum("rn,ns->rs", weighted[:, self.fold_of == fold], self.numbers[self.fold_of == fold])
                for fold in range(folds)
            ],
            axis=1,
        )
        others = sums.sum(axis=1, keepdims=True) - sums
        # How many units others are is the same for all settings: the largest sum has the largest mean.
        best = others.argmax(axis=2, keepdims=True)
        return np.asarray(np.take_along_axis(sums, best, axis=2).sum(axis=(1, 2)) / np.abs(weighted).sum(axis=1))

    def error(self, resamples: int = 2000, seed: int = 0) -> float:
        """The standard error of the number: units are drawn anew and settings chosen again."""
        drawn = weights(len(self.numbers), resamples, seed)
        parts = (part for block in drawn for part in self._in_parts(block))
        found = np.concatenate([self.values(part) for part in parts])
        error = float(found.std(ddof=1))
        return 0.0 if error <= ROUNDING * float(np.abs(found).max()) else error

    def swapped(self, observed: float, resamples: int = 10_000, seed: int = 0) -> Outcome:
        """Test whether choosing gains anything over a baseline, from whose numbers all are differences.

        If no setting differs from the baseline, all differences of a unit could as well have the other sign. Signs are
        drawn and settings chosen again; p is twice the share of gains that lie as far on the side of the observed one,
        which counts, too. (Gains do not vary alike on both sides: with small folds, losses are larger.)

        >>> units = np.array([[0.0, 0.2], [0.0, 0.3], [0.0, 0.25], [0.0, 0.1], [0.0, 0.2], [0.0, 0.3]])
        >>> Choices(units, np.array([0, 0, 1, 1, 2, 2])).swapped(0.225, resamples=999).p  # about 2 of 2^6
        0.038
        """
        if not self.numbers.any():
            return Outcome(RETUNED_SWAPS, 0.0, 1.0, None, NOTHING_DIFFERS)
        rng, units = np.random.default_rng(seed), len(self.numbers)
        signs = rng.integers(0, 2, (resamples, units), dtype=np.int8)
        nearly = ROUNDING * float(np.abs(self.numbers).max())
        gains = np.concatenate([self.values(2.0 * part - 1) for part in self._in_parts(signs)])
        beyond = min(np.count_nonzero(gains >= observed - nearly), np.count_nonzero(gains <= observed + nearly))
        p = min(1.0, 2 * (int(beyond) + 1) / (resamples + 1))
        return Outcome(
            RETUNED_SWAPS, observed, p, resamples, f"{number_of('random swap', resamples)}, tuned again each"
        )

    def _in_parts(self, block: NDArray[Any]) -> Iterator[NDArray[Any]]:
        held = (int(self.fold_of.max()) + 1) * self.numbers.shape[1]
        yield from np.array_split(block, max(1, math.ceil(len(block) * held / _BLOCK)))


def interval_by_error(value: float, error: float, units: int, level: float) -> Interval:
    """The interval around a number with such an error, by the t distribution; none where there is no error.

    >>> interval_by_error(0.4, 0.05, units=20, level=0.95)
    Interval(low=0.295, high=0.505, level=0.95, method='retuned bootstrap')
    """
    if not error > 0 or units < 2:
        return Interval.unknown(level, RETUNED)
    reach = float(special.stdtrit(units - 1, (1 + level) / 2)) * error
    return Interval(value - reach, value + reach, level, RETUNED)
