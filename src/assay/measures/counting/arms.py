"""`Arm`: the units of one variant of an experiment, with the moments that means, ratios and covariates are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from assay.measures.counting.judgments import Floats


class Moments(NamedTuple):
    """The means and the covariances (dividing by n - 1) of some columns, over the units that have all of them."""

    units: int
    means: Floats
    covariances: Floats


@dataclass(frozen=True, eq=False)
class Arm:
    """The numbers of each unit of a variant, by column; NaN where a unit has none.

    >>> arm = Arm({"clicks": np.array([1.0, 2, 3]), "pages": np.array([2.0, 2, 5])})
    >>> arm.moments("clicks", "pages").means, arm.moments("clicks", "pages").covariances[0, 1]
    (array([2., 3.]), 1.5)
    """

    columns: Mapping[str, Floats]
    _kept: dict[tuple[str, ...], Moments] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The number of units."""
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def values(self, *names: str) -> list[Floats]:
        """Columns, without the units that lack one of them."""
        columns = [self.columns[name] for name in names]
        lacking = [np.isnan(column) for column in columns]
        if not any(each.any() for each in lacking):
            return columns
        known = ~np.logical_or.reduce(lacking)
        return [column[known] for column in columns]

    def moments(self, *names: str) -> Moments:
        """The moments of some columns."""
        if names not in self._kept:
            self._kept[names] = moments_of(*self.values(*names))
        return self._kept[names]


def moments_of(*columns: Floats) -> Moments:
    """The moments of columns of the same units.

    Sums of what is centred: numbers that are large beside their spread keep their digits.

    >>> moments_of(np.array([1e9, 1e9 + 1, 1e9 + 2])).covariances
    array([[1.]])
    """
    units = len(columns[0])
    if not units:
        return Moments(0, np.full(len(columns), np.nan), np.full((len(columns),) * 2, np.nan))
    means = np.array([column.mean() for column in columns])
    centred = [column - mean for column, mean in zip(columns, means, strict=True)]
    products = np.array([[np.dot(one, other) for other in centred] for one in centred])
    return Moments(units, means, products / (units - 1) if units > 1 else np.full_like(products, np.nan))


class SummedArm(Arm):
    """A variant of which only sums are known."""

    def __init__(self, units: int, total: Mapping[str, float], product: Mapping[tuple[str, str], float]) -> None:
        super().__init__({})
        object.__setattr__(self, "_sums", (units, total, product))

    @property
    def size(self) -> int:
        """The number of units."""
        return int(self._sums[0])

    def moments(self, *names: str) -> Moments:
        """The moments of some columns; products that were not summed up are NaN.

        >>> SummedArm(3, {"clicks": 6.0}, {("clicks", "clicks"): 14.0}).moments("clicks").covariances
        array([[1.]])
        """
        units, total, product = self._sums
        means = np.array([total[name] / units for name in names])
        products = np.array([[product.get((one, other), np.nan) for other in names] for one in names])
        return Moments(units, means, (products - units * np.outer(means, means)) / (units - 1))

    _sums: tuple[int, Mapping[str, float], Mapping[tuple[str, str], float]]
