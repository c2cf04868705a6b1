"""An explanation as tables of steps and lines of arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from assay.counting.confusion import Confusion
from assay.errors import number_of
from assay.report.layout import NOT_AVAILABLE, Cell, Table, short
from assay.report.titled import Titled

if TYPE_CHECKING:
    from assay.explanation import Explanation
    from assay.explanation.working import StepTable

#: The cells of a table of decisions.
_CELLS = {
    "TP": "relevant and retrieved",
    "FP": "irrelevant and retrieved",
    "FN": "relevant and not retrieved",
    "TN": "irrelevant and not retrieved",
}


def tables(explanation: Explanation) -> list[Titled]:
    """The steps, a table each; the first carries the measure's name."""
    made = [titled for part in explanation.parts for titled in tables(part)]
    name = f"{explanation.measure}, {'for' if explanation.summary is None else 'over'} {explanation.unit}"
    several = len(explanation.steps) > 1
    for number, table in enumerate(explanation.steps):
        title = "" if number else name
        if several:
            title = f"{title}: {table.says}" if title else table.says
        made.append(Titled(title, _table(table.frame.filter(_is_shown(table, explanation.shown)))))
    return made


def lines(explanation: Explanation) -> list[str]:
    """What was counted, the formula in words and in numbers, the result and what it depends on."""
    said = [] if explanation.steps else [f"{explanation.measure}, for {explanation.unit}"]
    said += [*_hidden(explanation), *_columns(explanation)]
    for number, part in enumerate(explanation.parts):
        if not number:
            said += _columns(part)
            said += [] if part.formula.words == str(part.measure) else [f"{part.measure} = {part.formula.words}"]
        numbers = "" if part.formula.is_plain else f"{part.formula.numbers} = "
        said += [f"{part.unit}: {part.measure} = {numbers}{_result(part)}"]
        said += [f"{part.unit}: {remark}" for remark in part.remarks]
    return [*said, *_arithmetic(explanation), *explanation.remarks, explanation.signature]


def _hidden(explanation: Explanation) -> list[str]:
    """How many rows are not shown, and what they add."""
    said = [line for part in explanation.parts for line in _hidden(part)]
    for table in explanation.steps:
        hidden = table.frame.filter(~_is_shown(table, explanation.shown))
        if not hidden.height:
            continue
        adds = ""
        if table.op == "sum" and table.column is not None:
            adds = f"; {'it adds' if hidden.height == 1 else 'they add'} {short(float(hidden[table.column].sum()))}"
        rows = number_of("query", hidden.height)
        if "rank" in table.frame.columns:
            rows = f"{number_of('rank', hidden.height)} of the {table.says}"
        said.append(f"{rows} not shown{adds} (--show {table.frame.height} shows all)")
    return said


def _columns(explanation: Explanation) -> list[str]:
    """How the columns are made, where their names do not say so."""
    means: dict[str, str] = {}
    for table in explanation.steps:
        for name in table.frame.columns:
            if name in table.meanings:
                means.setdefault(name, table.meanings[name])
    return [f"{name} = {text}" for name, text in means.items()]


def _arithmetic(explanation: Explanation) -> list[str]:
    """What was counted, the formula in words and in numbers, the same in other ways, and the result."""
    name, formula = str(explanation.measure), explanation.formula
    if explanation.summary is not None and not explanation.measure.is_micro:
        name = f"{explanation.summary} of {name}"
    said = [
        f"{what}{f', {_CELLS[what]}' if what in _CELLS else ''}: {short(value)}" for what, value in explanation.counts
    ]
    if explanation.undefined_units:
        said.append(f"{number_of('query', explanation.undefined_units)} without a number: {_treated(explanation)}")
    if formula.words != name:
        said.append(f"{name} = {formula.words}")
    if not formula.is_plain:
        said.append(f"{name} = {formula.numbers}")
    said.append(f"{name} = {_result(explanation)}")
    for way in explanation.other_ways:
        numbers = "" if way.formula.is_plain else f"{way.formula.numbers} = "
        said.append(f"also {way.says}: {way.formula.words} = {numbers}{short(way.value)}")
    return said


def _result(explanation: Explanation) -> str:
    if not explanation.is_defined:
        why = f"{NOT_AVAILABLE} ({explanation.reason})"
        return why if explanation.summary else f"{why}; in a mean over queries it is {_treated(explanation)}"
    percent = explanation.measure.definition.counts is Confusion and explanation.measure.definition.bounds == (0.0, 1.0)
    return f"{explanation.value:.10g}" + (f" ({100 * explanation.value:.4g} %)" if percent else "")


def _treated(explanation: Explanation) -> str:
    return "left out" if explanation.counted_as is None else f"counted as {explanation.counted_as:g}"


def _is_shown(table: StepTable, most: int) -> pl.Expr:
    if "rank" in table.frame.columns:
        return pl.col("rank") <= most
    return pl.int_range(pl.len()) < (most if table.says == "queries" else table.frame.height)


def _table(frame: pl.DataFrame) -> Table:
    """Numbers as people write them; nothing where a document has no step."""
    names = [name for name in frame.columns if frame.schema[name] == pl.String]
    ordered = [name for name in frame.columns if name not in names]
    names = [
        name for name in names if name != "tied_ranks" or frame[name].is_not_null().any()
    ]  # ties may be further down
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
