"""Random subsets of the points: what silhouettes and the like would be on other items.

Half of the points are drawn without replacement, or fewer if there are many: a subset of *m* of *n* points strays from
the whole by σ²(1/m - 1/n), which a factor brings to the scale of the whole's own error, σ²/n. The measures are computed
anew on each subset, from the distances of its points alone. What is made of centroids takes one pass over the points,
so it is computed on true halves, however many points there are: centroids of few points are somewhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from assay.measures.counting.judgments import Floats, Ints, Mask
from assay.measures.counting.points import Points
from assay.measures.registry import Measure

#: A subset has at most so many points, and at most so many subsets are drawn: distances are of pairs.
MOST_POINTS, MOST_SUBSETS = 300, 300
#: Of fewer points, no subsets are drawn.
FEWEST_POINTS = 6
#: Measures of centroids, which are computed on true halves.
OF_CENTROIDS = ("DaviesBouldin",)
#: So many coordinates are drawn for true halves: of very many points fewer halves, but not fewer than these.
MOST_DRAWN, FEWEST = 50_000_000, 40


class Placed(NamedTuple):
    """The points of one clustering, and which of them each item is; -1 is noise that was left out."""

    points: Points
    row: Ints

    @classmethod
    def of(cls, points: Points, kept: Mask) -> Placed:
        """Points of the items that were kept."""
        return cls(points, np.where(kept, np.cumsum(kept) - 1, -1))


@dataclass(frozen=True, eq=False)
class Subsets:
    """Random subsets of the points of one clustering, or of several of the same items in the same order."""

    held: tuple[Placed, ...]
    wanted: int = MOST_SUBSETS
    seed: int = 0
    #: Whether these are true halves, however many points there are.
    halved: bool = False

    def of(self, measure: Measure) -> Subsets:
        """The subsets that a measure is computed on."""
        return replace(self, halved=measure.name in OF_CENTROIDS)

    @property
    def total(self) -> int:
        """How many items there are, those included that are noise."""
        return len(self.held[0].row)

    @property
    def size(self) -> int:
        """How many points a subset has."""
        return self.total // 2 if self.halved else min(self.total // 2, MOST_POINTS)

    @property
    def scale(self) -> float:
        """What deviations of subsets are multiplied by, to be as large as the error of all points' number."""
        return float(np.sqrt(self.size / (self.total - self.size)))

    @property
    def resamples(self) -> int:
        """How many subsets are drawn; none of too few points."""
        if self.total < FEWEST_POINTS:
            return 0
        fewer = max(FEWEST, MOST_DRAWN // (self.size * self.held[0].points.X.shape[1])) if self.halved else MOST_SUBSETS
        return min(self.wanted, MOST_SUBSETS, fewer)

    def values(self, measure: Measure) -> Floats:
        """The measure on each subset (row) of each clustering (column); NaN where it is undefined."""
        values = np.empty((self.resamples, len(self.held)))
        for row, several in zip(values, self._subsets(), strict=True):
            row[:] = [np.nan if points is None else float(measure.of(points)[0]) for points in several]
        return values

    def whole(self, measure: Measure) -> Floats:
        """The measure on all points of each clustering."""
        return np.array([float(measure.of(placed.points)[0]) for placed in self.held])

    def _subsets(self) -> Iterator[list[Points | None]]:
        for rows in self.rows():
            yield [self._taken(placed, rows) for placed in self.held]

    def rows(self) -> Iterator[Ints]:
        """Which items each subset has."""
        rng = np.random.default_rng(self.seed)
        for _ in range(self.resamples):
            yield np.sort(rng.choice(self.total, self.size, replace=False))

    def _taken(self, placed: Placed, rows: Ints) -> Points | None:
        kept = placed.row[rows]
        kept = kept[kept >= 0]
        # Nobody asks for the names of points in a subset.
        return replace(placed.points, item_id=None).only(kept) if len(kept) else None
