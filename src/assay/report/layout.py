"""A table to show, and how it is written in Markdown, LaTeX, HTML and JSON."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from assay.core.digits import number, p_value, signed
from assay.show.legible import on_one_line

#: Columns of frames whose numbers are shown with their sign.
_SIGNED = {"difference", "effect", "condensed_difference"}

_LATEX_ESCAPES = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {c: f"${c}$" for c in "<>|"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


@dataclass(frozen=True)
class Cell:
    """A number as it is shown, and whether it is the best of its column."""

    text: str
    best: bool = False


@dataclass(frozen=True)
class Table:
    """A table to show: first the columns of names, then those of numbers."""

    names: tuple[str, ...]
    numbers: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], tuple[Cell, ...]], ...]

    @classmethod
    def of(cls, frame: pl.DataFrame) -> Table:
        """A data frame to show: columns of text are names, the others numbers.

        >>> Table.of(pl.DataFrame({"query_id": ["q1"], "effect": [0.25], "rank": [3]})).rows
        ((('q1',), (Cell(text='0.2500', best=False), Cell(text='3', best=False))),)
        """
        names = [name for name, kind in frame.schema.items() if kind == pl.String]
        numbers = [name for name in frame.columns if name not in names]
        rows = tuple(
            (
                tuple(str(row[name]) if row[name] is not None else "" for name in names),
                tuple(Cell(_shown(row[name], name)) for name in numbers),
            )
            for row in frame.to_dicts()
        )
        return cls(tuple(names), tuple(numbers), rows)

    def legible(self) -> Table:
        """The same as people can read it, a line a cell: no name of the data steers the terminal or breaks a row."""
        rows = tuple(
            (tuple(map(on_one_line, names)), tuple(Cell(on_one_line(cell.text), cell.best) for cell in cells))
            for names, cells in self.rows
        )
        return Table(tuple(map(on_one_line, self.names)), tuple(map(on_one_line, self.numbers)), rows)

    def without(self, *columns: str) -> Table:
        """The same without some of the columns of numbers."""
        kept = [place for place, name in enumerate(self.numbers) if name not in columns]
        rows = tuple((names, tuple(cells[place] for place in kept)) for names, cells in self.rows)
        return Table(self.names, tuple(self.numbers[place] for place in kept), rows)

    def to_markdown(self) -> str:
        """A pipe table; the best number of each column in bold."""
        lines = [
            piped([escaped_cell(name) for name in (*self.names, *self.numbers)]),
            piped([*["---"] * len(self.names), *["---:"] * len(self.numbers)]),
        ]
        for names, cells in self.rows:
            numbers = (f"**{escaped_cell(cell.text)}**" if cell.best else escaped_cell(cell.text) for cell in cells)
            lines.append(piped((*map(escaped_cell, names), *numbers)))
        return "\n".join(lines) + "\n"

    def to_latex(self) -> str:
        """A booktabs table; the best number of each column in bold."""
        lines = [
            rf"\begin{{tabular}}{{{'l' * len(self.names)}{'r' * len(self.numbers)}}}",
            r"\toprule",
            " & ".join(map(latex, (*self.names, *self.numbers))) + r" \\",
            r"\midrule",
        ]
        for names, cells in self.rows:
            numbers = (rf"\textbf{{{latex(cell.text)}}}" if cell.best else latex(cell.text) for cell in cells)
            lines.append(" & ".join([*map(latex, names), *numbers]) + r" \\")
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"

    def to_html(self) -> str:
        """A plain table, for notebooks and pages."""
        head = "".join(f"<th>{html.escape(text)}</th>" for text in (*self.names, *self.numbers))
        body = "".join(
            "<tr>"
            + "".join(f"<th>{html.escape(name)}</th>" for name in names)
            + "".join(f"<td>{_marked(cell)}</td>" for cell in cells)
            + "</tr>"
            for names, cells in self.legible().rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _shown(value: Any, column: str) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if column == "grade":  # mostly whole, though kept as a number that need not be
        return f"{value:g}"
    if column == "exact":
        return "yes" if value else "no"
    if column == "p":
        return p_value(value)
    if column in _SIGNED:
        return signed(value)
    return number(value) if isinstance(value, float) else str(value)


def _marked(cell: Cell) -> str:
    text = html.escape(cell.text)
    return f"<b>{text}</b>" if cell.best else text


def latex(text: str) -> str:
    """Text as LaTeX shows it.

    >>> latex("50 % of a_b")
    '50 \\\\% of a\\\\_b'
    """
    return on_one_line(text).translate(_LATEX_ESCAPES).replace("--", "-{}-")  # two hyphens would be one dash


def escaped_cell(text: str) -> str:
    """Text of a cell of a pipe table: labels of items may hold pipes, tags and line breaks."""
    return on_one_line(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "\\<")


def piped(cells: Sequence[str]) -> str:
    """A row of a pipe table."""
    return f"| {' | '.join(cells)} |"


def as_json(told: Any) -> str:
    """JSON that people can read too; what is not a number is null, and so is infinity, with a reason beside it.

    >>> print(as_json({"p": float("nan"), "statistic": float("-inf")}), end="")
    {
      "p": null,
      "statistic": null,
      "statistic_reason": "minus infinity"
    }
    """
    return json.dumps(_strict(told), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _strict(value: Any) -> Any:
    if isinstance(value, dict):
        strict = {}
        for key, item in value.items():
            strict[key] = _strict(item)
            if isinstance(item, float) and math.isinf(item):
                strict[f"{key}_reason"] = "infinity" if item > 0 else "minus infinity"
        return strict
    if isinstance(value, list | tuple):
        return [_strict(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
