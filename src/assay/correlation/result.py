"""`Correlations`: the coefficients of two lists or more, and their items side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from assay.errors import ParameterError, did_you_mean, need, number_of
from assay.stats.bootstrap import Interval
from assay.stats.correlation import Correlation

if TYPE_CHECKING:
    import pandas as pd

    from assay.report.layout import Table
    from assay.report.titled import Titled

JSON_SCHEMA_VERSION = 1


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
class Correlations:
    """How far lists order the same items alike: one pair of lists, or every two of more.

    >>> from assay.correlation import correlate
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

    pairs: tuple[PairOfLists, ...]
    item: str
    unit_kind: str | None
    resamples: int
    seed: int
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        lists = list(dict.fromkeys(name for pair in self.pairs for name in (pair.first, pair.second)))
        return f"<Correlations of {', '.join(lists)}: {number_of(self.item, self.pairs[0].items.height)}>"

    def __str__(self) -> str:
        from assay.report.titled import to_text  # noqa: PLC0415  # results reach the report inside functions only

        return to_text(self.tables(), self.lines())

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
            for one in pair.coefficients:
                other = pair.with_other_units.get(one.name, nothing)
                told = {"first": pair.first, "second": pair.second, "coefficient": one.name, "value": one.value}
                told |= {"low": one.low, "high": one.high, "level": one.level, "n": one.n}
                rows.append(told | {"low_units": other.low, "high_units": other.high, "note": one.note})
        return pl.DataFrame(rows, infer_schema_length=None).with_columns(pl.col(pl.Float64).fill_nan(None))

    def to_pandas(self) -> pd.DataFrame:
        """The table of `to_frame`, as a pandas frame."""
        need("pandas", extra="pandas", purpose="to_pandas")
        import pandas as pd  # noqa: PLC0415

        return pd.DataFrame(self.to_frame().to_dict(as_series=False))

    def to_csv(self) -> str:
        """The table of `to_frame`, numbers in full."""
        return self.to_frame().write_csv()

    def to_json(self) -> str:
        """Coefficients, items, and how they were found; numbers in full, null where there is none."""
        from assay.report.layout import as_json  # noqa: PLC0415

        rows = self.to_frame().to_dicts()
        told = {
            "schema_version": JSON_SCHEMA_VERSION,
            "unit_kind": self.unit_kind,
            "resamples": self.resamples if self._draws else 0,
            "seed": self.seed,
            "notes": list(self.notes),
            "pairs": [
                {
                    "first": pair.first,
                    "second": pair.second,
                    "coefficients": [
                        {name: value for name, value in row.items() if name not in {"first", "second"}}
                        for row in rows
                        if (row["first"], row["second"]) == (pair.first, pair.second)
                    ],
                    "items": pair.items.to_dicts(),
                }
                for pair in self.pairs
            ],
        }
        return as_json(told)

    def to_markdown(self) -> str:
        """The tables as Markdown."""
        from assay.report.titled import to_markdown  # noqa: PLC0415

        return to_markdown(self.tables(), self.lines())

    def to_latex(self) -> str:
        """The tables as LaTeX (booktabs)."""
        from assay.report.titled import to_latex  # noqa: PLC0415

        return to_latex(self.tables(), self.lines())

    def _repr_html_(self) -> str:
        from assay.report.titled import to_html  # noqa: PLC0415

        return to_html(self.tables(), self.lines())

    @property
    def _draws(self) -> bool:
        return any(pair.with_other_units for pair in self.pairs)

    def tables(self) -> list[Titled]:
        """What is shown: of two lists the coefficients and the items, of more a matrix of each coefficient."""
        from assay.report.titled import Titled  # noqa: PLC0415

        if len(self.pairs) == 1:
            pair = self.pairs[0]
            return [Titled(f"{pair.first} and {pair.second}", self._coefficients(pair)), Titled("", self._items(pair))]
        names = [one.name for one in self.pairs[0].coefficients]
        return [Titled(name, self._matrix(number)) for number, name in enumerate(names)]

    def lines(self) -> list[str]:
        """What the numbers mean, in words."""
        items = number_of(self.item, self.pairs[0].items.height)
        if len(self.pairs) > 1:
            return [f"{items}; the row is the reference of tau_AP, the column is held against it.", *self.notes]
        pair = self.pairs[0]
        said = []
        if any(one.level < 1 and not math.isnan(one.low) for one in pair.coefficients):
            said.append(f"{pair.coefficients[-1].level:.0%} interval: over {self.item}s, had others been drawn.")
        if pair.with_other_units:
            said.append(
                f"{self._units} redrawn: where {pair.coefficients[-1].level:.0%} of the values for these {self.item}s "
                f"lie, over {self.resamples:,} draws (seed {self.seed}). Not a confidence interval: drawing anew adds "
                f"noise to both lists, so they lie low."
            )
        for note in dict.fromkeys(one.note for one in pair.coefficients if one.note):
            said.append(f"{', '.join(one.name for one in pair.coefficients if one.note == note)}: {note}.")
        return [*said, *self.notes]

    @property
    def _units(self) -> str:
        return number_of(self.unit_kind or "unit", 2).removeprefix("2 ")

    def _coefficients(self, pair: PairOfLists) -> Table:
        from assay.report.layout import Cell, Table  # noqa: PLC0415

        level = pair.coefficients[-1].level
        numbers = ["value", f"{level:.0%} interval" if level < 1 else "bounds"]
        if pair.with_other_units:
            numbers.append(f"{self._units} redrawn")
        rows = []
        for one in pair.coefficients:
            cells = [_shown(one.value), _span(one.low, one.high)]
            if pair.with_other_units:
                drawn = pair.with_other_units[one.name]
                cells.append(_span(drawn.low, drawn.high))
            rows.append(((one.name,), tuple(map(Cell, cells))))
        return Table(("coefficient",), tuple(numbers), tuple(rows))

    def _items(self, pair: PairOfLists) -> Table:
        from assay.report.layout import NOT_AVAILABLE, Cell, Table  # noqa: PLC0415

        valued = "first" in pair.items.columns
        rows = []
        for row in pair.items.to_dicts():
            cells = []
            for which in ("first", "second"):
                cells += [_shown(row[which])] if valued else []
                cells.append(NOT_AVAILABLE if row[f"{which}_rank"] is None else f"{row[f'{which}_rank']:g}")
            moved = row["movement"]
            cells.append(NOT_AVAILABLE if moved is None else f"{moved:+g}" if moved else "0")
            rows.append(((row["item"],), tuple(map(Cell, cells))))
        numbers = (pair.first, "rank", pair.second, "rank") if valued else (pair.first, pair.second)
        return Table((self.item,), (*numbers, "movement"), tuple(rows))

    def _matrix(self, coefficient: int) -> Table:
        from assay.report.layout import Cell, Table  # noqa: PLC0415

        lists = list(dict.fromkeys(name for pair in self.pairs for name in (pair.first, pair.second)))
        values = {(pair.first, pair.second): pair.coefficients[coefficient].value for pair in self.pairs}
        rows = [
            ((one,), tuple(Cell(_shown(values[one, other]) if (one, other) in values else "") for other in lists[1:]))
            for one in lists[:-1]
        ]
        return Table(("",), tuple(lists[1:]), tuple(rows))


def _shown(value: float) -> str:
    return "NA" if math.isnan(value) else f"{value:.4f}"


def _span(low: float, high: float) -> str:
    return "NA" if math.isnan(low) else f"{low:.4f} to {high:.4f}"
