"""`Correlations`: the coefficients of two lists or more, and their items side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from assay.core.errors import ParameterError, did_you_mean, number_of
from assay.core.results import Result
from assay.stats.bootstrap import Interval
from assay.stats.correlation import Correlation


class PairOfLists(NamedTuple):
    """Two lists: all coefficients, how they move with other units where units are known, the items side by side.

    The columns of `items`: item, first, first_rank, second, second_rank, movement (ranks won in the second list).
    """

    first: str
    second: str
    coefficients: tuple[Correlation, ...]
    with_other_units: Mapping[str, Interval]
    items: pl.DataFrame


@dataclass(frozen=True, eq=False)
class Correlations(Result):
    """How far lists order the same items alike: one pair of lists, or every two of more.

    >>> from assay.verbs.correlation import correlate
    >>> print(correlate({"a": 3, "b": 2, "c": 1}, {"a": 9, "b": 4, "c": 5}, names=("AP", "RR")))
    AP and RR
    coefficient       value  95% interval
    Kendall's tau-b  0.3333            NA
    tau_AP           0.5000            NA
    Spearman's rho   0.5000            NA
    Pearson's r      0.7559            NA
    <BLANKLINE>
    item      AP  rank      RR  rank  movement
    a     3.0000     1  9.0000     1         0
    b     2.0000     2  4.0000     3        -1
    c     1.0000     3  5.0000     2        +1
    <BLANKLINE>
    Kendall's tau-b: no interval with fewer than 5 items.
    tau_AP: no interval with fewer than 10 items.
    Spearman's rho, Pearson's r: no interval with fewer than 4 items.
    """

    kind = "correlations"

    pairs: tuple[PairOfLists, ...]
    item: str
    unit_kind: str | None
    resamples: int
    seed: int
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Correlations of {', '.join(self.lists)}: {number_of(self.item, self.pairs[0].items.height)}>"

    @property
    def lists(self) -> tuple[str, ...]:
        """The names of the lists."""
        return tuple(dict.fromkeys(name for pair in self.pairs for name in (pair.first, pair.second)))

    @property
    def constant(self) -> tuple[str, ...]:
        """The lists in which all items have the same number, and so no order."""
        return tuple(
            dict.fromkeys(
                name
                for pair in self.pairs
                for name, side in ((pair.first, "first"), (pair.second, "second"))
                if side in pair.items.columns and pair.items[side].n_unique() == 1
            )
        )

    def value(self, coefficient: str, first: str | None = None, second: str | None = None) -> float:
        """One coefficient; the lists may be left out if there are only two."""
        fitting = [pair for pair in self.pairs if first in {None, pair.first} and second in {None, pair.second}]
        if len(fitting) != 1:
            known = ", ".join(f"{pair.first} and {pair.second}" for pair in self.pairs)
            raise ParameterError(f"choose two lists: {known}")
        by_name = {one.name: one.value for one in fitting[0].coefficients}
        if coefficient not in by_name:
            hint = did_you_mean(coefficient, by_name)
            raise ParameterError(f"choose a coefficient of {', '.join(by_name)}, not {coefficient!r}{hint}")
        return by_name[coefficient]

    def to_frame(self) -> pl.DataFrame:
        """One row a pair of lists and coefficient; `low_units` to `high_units` is with units redrawn."""
        nothing = Interval(math.nan, math.nan, math.nan, "")
        rows = []
        for pair in self.pairs:
            for each in pair.coefficients:
                redrawn = pair.with_other_units.get(each.name, nothing)
                row = {"first": pair.first, "second": pair.second, "coefficient": each.name} | each._asdict()
                rows.append(row | {"low_units": redrawn.low, "high_units": redrawn.high})
        frame = pl.DataFrame(rows, infer_schema_length=None).select(pl.exclude("name", "note"), "note")
        return frame.with_columns(pl.col(pl.Float64).fill_nan(None))
