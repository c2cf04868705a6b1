"""`Arm`: the units of one variant of an experiment, with the moments that means, ratios and covariates are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import polars as pl

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
    >>> arm.moments("clicks", "pages").means, float(arm.moments("clicks", "pages").covariances[0, 1])
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


def moments_by(
    frame: pl.DataFrame, by: str, wanted: Iterable[tuple[str, ...]]
) -> dict[str, dict[tuple[str, ...], Moments]]:
    """The moments of some groups of columns, by the values of a column of text: all in one pass over the rows.

    Numbers are summed with the mean of all taken off, so that what is large beside its spread keeps its digits.

    >>> frame = pl.DataFrame({"variant": ["a", "a", "b"], "clicks": [1.0, 3.0, None]})
    >>> moments_by(frame, "variant", [("clicks",)])["a"]["clicks",].means
    array([2.])
    """
    groups = list(dict.fromkeys(wanted))
    middles = {name: float(frame[name].mean() or 0.0) for names in groups for name in names}  # type: ignore[arg-type]
    asked: list[pl.Expr] = []
    for place, names in enumerate(groups):
        there = pl.all_horizontal(pl.col(name).is_not_null() for name in names)
        gaps = any(frame[name].null_count() for name in names)
        off = [
            pl.when(there).then(pl.col(name) - middles[name]) if gaps else pl.col(name) - middles[name]
            for name in names
        ]
        asked.append((there.sum() if gaps else pl.len()).alias(f"{place} n"))
        for one, first in enumerate(off):
            asked.append(first.sum().alias(f"{place} {one}"))
            asked += [
                (first * second).sum().alias(f"{place} {one} {other}")
                for other, second in enumerate(off)
                if other >= one
            ]
    result: dict[str, dict[tuple[str, ...], Moments]] = {}
    for row in frame.group_by(by).agg(asked).iter_rows(named=True):
        found = result.setdefault(str(row[by]), {})
        for place, names in enumerate(groups):
            size, units = range(len(names)), int(row[f"{place} n"])
            if not units:
                found[names] = Moments(0, np.full(len(names), np.nan), np.full((len(names),) * 2, np.nan))
                continue
            means = np.array([row[f"{place} {one}"] for one in size]) / units
            products = np.array(
                [[row[f"{place} {min(one, other)} {max(one, other)}"] for other in size] for one in size]
            )
            spread = products - units * np.outer(means, means)
            middle = np.array([middles[name] for name in names])
            found[names] = Moments(
                units, means + middle, spread / (units - 1) if units > 1 else np.full_like(spread, np.nan)
            )
    return result


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
