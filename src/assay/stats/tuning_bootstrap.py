"""How sure one can be of a number whose settings were chosen fold by fold: the choice is made again in every resample.

Each unit is measured with the setting that was best on the units of other folds. Numbers made like this are not
independent of one another: a unit that is bad for a setting keeps its own fold on it and drives all others from it. The
usual tests and intervals over units take no notice. Of twelve settings that do not differ on 50 units in 5 folds, a
paired t test finds the tuned one to differ from the first in 12 % of simulations at the 5 % level, with one unit left
out at a time in 27.5 %. So units are drawn anew, and settings chosen again. Units stay in their folds, so that no copy
of a unit has a say in its own setting. How much the number varies then is its error, for the interval and the test.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from assay.measures.counting.judgments import Floats, Ints
from assay.stats.bootstrap import weights
from assay.stats.permutation import NOTHING_DIFFERS, Outcome
from assay.stats.rounding import ROUNDING

#: How the interval and the test are called.
RETUNED, RETUNED_T = "retuned bootstrap", "retuned t"
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
        """The number after choosing, for each row of weights, which units have on either side.

        Of settings that tie, the first is taken: sums that differ by rounding only are the same.
        """
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
        total = weighted.sum(axis=1)
        nearly = ROUNDING * float(np.abs(self.numbers).max()) * total
        best = (others >= others.max(axis=2, keepdims=True) - nearly[:, None, None]).argmax(axis=2)[..., None]
        return np.asarray(np.take_along_axis(sums, best, axis=2).sum(axis=(1, 2)) / total)

    def error(self, resamples: int, seed: int) -> float:
        """The standard error of the number: units are drawn anew and settings chosen again."""
        drawn = weights(len(self.numbers), resamples, seed)
        parts = (part for block in drawn for part in self._in_parts(block))
        found = np.concatenate([self.values(part) for part in parts])
        error = float(found.std(ddof=1))
        return 0.0 if error <= ROUNDING * float(np.abs(found).max()) else error

    def _in_parts(self, block: NDArray[Any]) -> Iterator[NDArray[Any]]:
        held = (int(self.fold_of.max()) + 1) * self.numbers.shape[1]
        yield from np.array_split(block, max(1, math.ceil(len(block) * held / _BLOCK)))


def t_by_error(gain: float, error: float, units: int) -> Outcome:
    """Test whether there is a gain at all, by the same error and distribution as the interval: they never disagree.

    Without an error all units gain the same: under the null, each could as well have lost that.

    >>> t_by_error(0.12, 0.05, units=20)
    Outcome(test='retuned t', statistic=2.4, p=0.0268, resamples=None, note='t = 2.40 with the error of the interval',
            sign=None)
    >>> t_by_error(0.12, 0.0, units=6).p  # 2 of 2^6
    0.03125
    """
    if error > 0:
        t = gain / error
        p = 2 * float(special.stdtr(units - 1, -abs(t)))
        return Outcome(RETUNED_T, t, p, None, f"t = {t:.2f} with the error of the interval")
    if gain == 0:
        return Outcome(RETUNED_T, 0.0, 1.0, None, NOTHING_DIFFERS)
    return Outcome(RETUNED_T, math.nan, 2.0 ** (1 - units), None, f"all units differ by the same, 2 of 2^{units} signs")
