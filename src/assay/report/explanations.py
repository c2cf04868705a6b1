"""An explanation as tables of steps and lines of arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from assay.errors import number_of
from assay.report.layout import NOT_AVAILABLE, Cell, Table, short
from assay.report.titled import Titled

if TYPE_CHECKING:
    from assay.explanation import Explanation


def tables(explanation: Explanation) -> list[Titled]:
    """The steps, a table each; the first carries the measure's name."""
    made = []
    several = len(explanation.steps) > 1
    for number, table in enumerate(explanation.steps):
        title = f"{explanation.measure}, for {explanation.unit}" if not number else ""
        if several:
            title = f"{title}: {table.says}" if title else table.says
        made.append(Titled(title, _table(table.frame.filter(_is_shown(table.frame, explanation.shown)))))
    return made


def lines(explanation: Explanation) -> list[str]:
    """What was counted, the formula in words and in numbers, the result and what it depends on."""
    name, formula = str(explanation.measure), explanation.formula
    said = []
    for table in explanation.steps:
        hidden = table.frame.filter(~_is_shown(table.frame, explanation.shown))
        if hidden.height:
            adds = f"; they add {short(float(hidden[table.column].sum()))}" if table.op == "sum" else ""
            ranks = number_of("rank", hidden.height)
            said.append(f"{ranks} of the {table.says} not shown{adds} (--show {table.frame.height} shows all)")
    said += [f"{what}: {short(value)}" for what, value in explanation.counts]
    said.append(f"{name} = {formula.words}")
    if not formula.is_plain:
        said.append(f"{name} = {formula.numbers}")
    value = f"{explanation.value:.10g}" if explanation.is_defined else f"{NOT_AVAILABLE} ({explanation.reason})"
    return [*said, f"{name} = {value}", explanation.signature]


def _is_shown(frame: pl.DataFrame, most: int) -> pl.Expr:
    return pl.col("rank") <= most if "rank" in frame.columns else pl.lit(True)


def _table(frame: pl.DataFrame) -> Table:
    """Numbers as people write them; nothing where a document has no step."""
    names = [name for name in frame.columns if frame.schema[name] == pl.String]
    ordered = [name for name in frame.columns if name not in names]
    rows = tuple(
        (
            tuple("" if row[name] is None else str(row[name]) for name in names),
            tuple(Cell(_cell(row[name])) for name in ordered),
        )
        for row in frame.to_dicts()
    )
    return Table(tuple(names), tuple(ordered), rows)


def _cell(value: Any) -> str:
    return "" if value is None else short(float(value))
