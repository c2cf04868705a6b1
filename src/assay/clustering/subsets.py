"""Random subsets of the points: what silhouettes and the like would be on other items.

Half of the points are drawn without replacement, or fewer if there are many: a subset of *m* of *n* points strays from
the whole by σ²(1/m - 1/n), which a factor brings to the scale of the whole's own error, σ²/n. The measures are computed
anew on each subset, from the distances of its points alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from assay.counting.judgments import Floats, Ints, Mask
from assay.counting.points import Points
from assay.measures.registry import Measure

#: A subset has at most so many points, and at most so many subsets are drawn: distances are of pairs.
MOST_POINTS, MOST_SUBSETS = 300, 300


class Placed(NamedTuple):
    """The points of one clustering, and which of them each item is; -1 is noise that was left out."""

    points: Points
    row: Ints

    @classmethod
    def of(cls, points: Points, kept: Mask) -> Placed:
        """Points of the items that were kept; nobody asks for their names."""
        row = np.where(kept, np.cumsum(kept) - 1, -1)
        return cls(replace(points, item_id=None, sample_size=None), row)


@dataclass(frozen=True, eq=False)
class Subsets:
    """Random subsets of the points of one clustering, or of several of the same items in the same order."""

    held: tuple[Placed, ...]
    wanted: int = MOST_SUBSETS
    seed: int = 0

    @property
    def total(self) -> int:
        """How many items there are, those included that are noise."""
        return len(self.held[0].row)

    @property
    def size(self) -> int:
        """How many points a subset has."""
        return min(self.total // 2, MOST_POINTS)

    @property
    def scale(self) -> float:
        """What deviations of subsets are multiplied by, to be as large as the error of all points' number."""
        return float(np.sqrt(self.size / (self.total - self.size)))

    @property
    def resamples(self) -> int:
        """How many subsets are drawn; none of too few points."""
        return 0 if self.total < 6 else min(self.wanted, MOST_SUBSETS)

    def values(self, measure: Measure) -> Floats:
        """The measure on each subset (row) of each clustering (column); NaN where it is undefined."""
        made = np.empty((self.resamples, len(self.held)))
        for row, several in zip(made, self._subsets(), strict=True):
            row[:] = [np.nan if points is None else float(measure.of(points)[0]) for points in several]
        return made

    def _subsets(self) -> Iterator[list[Points | None]]:
        for rows in self._rows:
            yield [self._taken(one, rows) for one in self.held]

    @cached_property
    def _rows(self) -> list[Ints]:
        rng = np.random.default_rng(self.seed)
        return [np.sort(rng.choice(self.total, self.size, replace=False)) for _ in range(self.resamples)]

    def _taken(self, one: Placed, rows: Ints) -> Points | None:
        kept = one.row[rows]
        kept = kept[kept >= 0]
        return one.points.only(kept) if len(kept) else None
