"""Data without any structure, to hold clusters against: points spread evenly over the box that the data fill.

The box lies along the data's principal axes, so that numbers that rise and fall together do not look like clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from assay.counting.judgments import Floats, Ints
from assay.counting.points import Points

#: The work to cite for it, by its key in the bibliography.
CITES = "tibshirani2001"
#: Reference data have so many points at most.
MOST_POINTS = 500
#: Clusters of fewer points than this, on average, look unlike those of many: with fewer points than the data have, so
#: many clusters are not held against them.
_FEWEST_EACH = 5
_TINY = 1e-12


class Box(NamedTuple):
    """A box along the principal axes of data: its middle, its axes as rows, and from where to where it reaches."""

    middle: Floats
    axes: Floats
    low: Floats
    high: Floats

    @classmethod
    def around(cls, points: Floats) -> Box:
        """The smallest box along the principal axes that holds all points.

        >>> box = Box.around(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]))
        >>> box.high - box.low  # the diagonal, and nothing across
        array([2.8284, 0.    ])
        """
        middle = points.mean(axis=0)
        centred = points - middle
        axes = np.linalg.svd(centred, full_matrices=False)[2]
        turned = centred @ axes.T
        low, high = turned.min(axis=0), turned.max(axis=0)
        flat = high - low <= _TINY * float(np.abs(centred).max())
        return cls(middle, axes, np.where(flat, 0.0, low), np.where(flat, 0.0, high))

    def draw(self, points: int, rng: np.random.Generator) -> Floats:
        """So many points, spread evenly over the box."""
        points_drawn: Floats = rng.uniform(self.low, self.high, size=(points, len(self.low))) @ self.axes + self.middle
        return points_drawn


class Reference(NamedTuple):
    """The largest silhouette over all numbers of clusters: that of the data, and those of data without structure."""

    value: float
    without: tuple[float, ...]
    #: Points of each of the data sets without structure, and the largest number of clusters that they were put into.
    points: int
    most: int

    @property
    def reached(self) -> int:
        """How many data sets without structure come as high."""
        return sum(best >= self.value for best in self.without)

    @property
    def has_structure(self) -> bool:
        """Whether the data stand out from all data without structure.

        >>> Reference(0.5, (0.3, 0.4), 100, 9).has_structure, Reference(0.4, (0.3, 0.4), 100, 9).has_structure
        (True, False)
        """
        return self.reached == 0


def most_held(points: int, drawn_from: int) -> int:
    """The largest number of clusters that reference data can be held against, of `points`, for data of `drawn_from`.

    >>> most_held(60, 60), most_held(500, 20_000)
    (59, 100)
    """
    return points - 1 if points == drawn_from else points // _FEWEST_EACH


def reference_of(
    points: Floats, silhouettes: Mapping[int, float], fit: Callable[[int, Floats], Ints], *, sets: int, items: int,
    rng: np.random.Generator, metric: str = "euclidean", tell: Callable[[], None] = lambda: None,
) -> Reference | None:  # fmt: skip
    """Cluster data without structure as the data were; None if nothing can be held against them.

    `silhouettes` are those of the data by number of clusters, `points` some or all of the `items`. `tell` is called
    after each data set.
    """
    box, size = Box.around(points), min(len(points), MOST_POINTS)
    held = {k: value for k, value in silhouettes.items() if k <= most_held(size, items) and not np.isnan(value)}
    largest = []
    for _ in range(sets if held else 0):
        sample = box.draw(size, rng)
        values = [float(np.mean(Points.of(sample, fit(k, sample), metric=metric).silhouettes)) for k in held]
        largest += [np.nanmax(values)] if not np.isnan(values).all() else []
        tell()
    return Reference(max(held.values()), tuple(map(float, largest)), size, max(held)) if largest else None
