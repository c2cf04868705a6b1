"""An explanation as tables of steps and lines of arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.core.digits import NOT_AVAILABLE, short, significant
from assay.core.errors import number_of, several
from assay.counting.confusion import Confusion
from assay.counting.confusion_matrix import ConfusionMatrix
from assay.counting.contingency import Contingency
from assay.report.layout import Cell, Table, latex
from assay.report.titled import Titled

if TYPE_CHECKING:
    from assay.explanation import Explanation
    from assay.explanation.working import StepTable

#: The cells of a table of decisions: about documents, and about items.
_CELLS = {
    "TP": "relevant and retrieved",
    "FP": "irrelevant and retrieved",
    "FN": "relevant and not retrieved",
    "TN": "irrelevant and not retrieved",
}
_CELLS_OF_ITEMS = {
    "TP": "positive and predicted so",
    "FP": "negative, but predicted positive",
    "FN": "positive, but predicted negative",
    "TN": "negative and predicted so",
}
#: The same of pairs of items, which share a class, a cluster, both or neither.
_CELLS_OF_PAIRS = {
    "TP": "pairs in one class and one cluster",
    "FP": "pairs in one cluster, but two classes",
    "FN": "pairs in one class, but two clusters",
    "TN": "pairs in two classes and two clusters",
}
#: Tables with a row for each unit; of those only so many rows are shown.
_UNITS = {
    "queries": "query", "classes": "class", "items": "item", "tables": "table", "documents": "document",
    "clusters": "cluster", "cells": "cell", "matches": "match", "points": "point", "pairs": "pair",
}  # fmt: skip
_THRESHOLDS = "thresholds"


#: Signs of formulas that LaTeX needs to be told.
_SIGNS = str.maketrans(
    {"×": r"$\times$", "√": r"$\surd$", "²": "$^2$", "α": r"$\alpha$", "β": r"$\beta$", "ε": r"$\varepsilon$"}
    | {"–": "--", "…": r"\ldots{}"}
)


def tables(explanation: Explanation) -> list[Titled]:
    """The steps, a table each; the first carries the measure's name."""
    made = [titled for part in _shown_parts(explanation) for titled in tables(part)]
    name = f"{explanation.measure}, {'for' if explanation.summary is None else 'over'} {explanation.unit}"
    several = len(explanation.steps) > 1
    for number, table in enumerate(explanation.steps):
        title = "" if number else name
        if several:
            title = f"{title}: {table.says}" if title else table.says
        shown = _table(table.frame.filter(_is_shown(table, explanation.shown)))
        if table.says in _UNITS and explanation.measure.is_micro:
            totals = tuple(Cell(short(float(table.frame[name].sum()))) for name in shown.numbers)
            shown = replace(shown, rows=(*shown.rows, (("all",), totals)))
        made.append(Titled(title, shown))
    return made


def to_latex(explanation: Explanation) -> str:
    """The tables below their titles, then the lines as text; the signature last and small.

    >>> from assay import Ranks, explain
    >>> print(to_latex(explain("P@2", Ranks.from_grades([1, 0]))).splitlines()[-3])
    \\noindent P@2 = 0.5\\par
    """
    parts = [
        (rf"\noindent\textbf{{{_text(title)}}}\par\smallskip" + "\n" if title else "")
        + rf"\noindent{table.to_latex()}\par\medskip"
        for title, table in explanation.tables()
    ]
    *said, signature = explanation.lines()
    parts += [rf"\noindent {_text(line)}\par" for line in said]
    # A signature has no blanks at which a line could end.
    small = _text(signature).replace("$|$", r"$|$\allowbreak{}")
    return "\n".join([*parts, r"\medskip", rf"\noindent{{\raggedright\footnotesize {small}\par}}"]) + "\n"


def _text(line: str) -> str:
    return latex(line).translate(_SIGNS)


def lines(explanation: Explanation) -> list[str]:
    """What was counted, the formula in words and in numbers, the result and what it depends on."""
    said = [] if explanation.steps else [f"{explanation.measure}, for {explanation.unit}"]
    parts = _shown_parts(explanation)
    for part in parts:
        said += [f"{part.unit}: {line}" for line in _hidden(part, explanation.more)]
    said += [*_hidden(explanation, explanation.more), *_columns(explanation, *parts)]
    formulas = dict.fromkeys((str(part.measure), part.formula.for_all) for part in parts)
    said += [f"{name} = {words}" for name, words in formulas if words != name]
    for part in parts:
        numbers = "" if part.formula.is_plain else f"{part.formula.numbers} = "
        place = f", {part.formula.place}" if part.formula.place else ""
        about = [f"{part.measure} = {numbers}{_result(part)}{place}", *_other_ways(part), *part.remarks]
        said += [f"{part.unit}: {line}" for line in about]
    return [*said, *_arithmetic(explanation), *explanation.remarks, explanation.signature]


def _shown_parts(explanation: Explanation) -> Sequence[Explanation]:
    """The units that are told one by one: queries that somebody typed are all told, of many classes the first."""
    return explanation.parts if explanation.unit_kind == "query" else explanation.parts[: explanation.shown]


def _hidden(explanation: Explanation, more: str) -> list[str]:
    """How many rows are not shown, and what they add."""
    said = []
    for table in explanation.steps:
        hidden = table.frame.filter(~_is_shown(table, explanation.shown))
        if not hidden.height:
            continue
        adds = ""
        if table.op == "sum" and table.column is not None:
            adds = f"; {'it adds' if hidden.height == 1 else 'they add'} {short(float(hidden[table.column].sum()))}"
        rows = number_of("threshold" if table.says == _THRESHOLDS else _UNITS.get(table.says, "row"), hidden.height)
        if "rank" in table.frame.columns:
            rows = f"{number_of('rank', hidden.height)} of the {table.says}"
        said.append(f"{rows} not shown{adds} ({more.format(table.frame.height)} shows all)")
    return said


def _columns(*explanations: Explanation) -> list[str]:
    """How the columns are made, where their names do not say so: each once, whoever has them."""
    means: dict[str, str] = {}
    said: dict[str, None] = {}
    for table in (table for explanation in explanations for table in explanation.steps):
        for name in table.frame.columns:
            if (text := table.meanings.get(name)) is not None:
                # The same name may mean something else in the ideal ranking: without ties, for one.
                same = means.setdefault(name, text) == text
                said[f"{name} = {text}" if same else f"{name} ({table.says}) = {text}"] = None
    return list(said)


def _arithmetic(explanation: Explanation) -> list[str]:
    """What was counted, the formula in words and in numbers, the same in other ways, and the result."""
    name, formula = str(explanation.measure), explanation.formula
    if explanation.summary is not None and "average" not in explanation.measure.chosen:
        name = f"{explanation.summary} of {name}"
    cells = _CELLS if explanation.unit_kind == "query" else _CELLS_OF_ITEMS
    if explanation.measure.definition.counts is Contingency:
        cells = _CELLS_OF_PAIRS
    said = [
        f"{what}{f', {cells[what]}' if what in cells else ''}: {short(value)}" for what, value in explanation.counts
    ]
    if explanation.undefined_units:
        without = number_of(explanation.unit_kind, explanation.undefined_units)
        said.append(f"{without} without a number" + (f": {_treated(explanation)}" if explanation.is_defined else ""))
    if formula.words != name:
        said.append(f"{name} = {formula.words}")
    if not formula.is_plain:
        said.append(f"{name} = {formula.numbers}")
    said.append(f"{name} = {_result(explanation)}")
    return said + _other_ways(explanation)


def _other_ways(explanation: Explanation) -> list[str]:
    """The same number in other ways."""
    said = []
    for way in explanation.other_ways:
        numbers = "" if way.formula.is_plain else f"{way.formula.numbers} = "
        said.append(f"also {way.says}: {way.formula.words} = {numbers}{short(way.value)}")
    return said


def _result(explanation: Explanation) -> str:
    if not explanation.is_defined:
        why = f"{NOT_AVAILABLE} ({explanation.reason})"
        if explanation.summary:
            return why
        if explanation.measure.is_micro:
            return f"{why}; in a micro average its counts are summed all the same"
        if explanation.unit_kind == "table":
            return why
        return f"{why}; in a mean over {several(explanation.unit_kind)} it is {_treated(explanation)}"
    definition = explanation.measure.definition
    percent = definition.counts in {Confusion, ConfusionMatrix} and definition.bounds == (0.0, 1.0)
    return significant(explanation.value, 10) + (f" ({_percent(explanation.value)})" if percent else "")


def _percent(value: float) -> str:
    """A share in percent; in as many digits as keep it off 100, if it is not that."""
    return f"{significant(100 * value, 4, marks=(0.0, 100.0))} %"


def _treated(explanation: Explanation) -> str:
    return "left out" if explanation.counted_as is None else f"counted as {explanation.counted_as:g}"


def _is_shown(table: StepTable, most: int) -> pl.Expr:
    if "rank" in table.frame.columns:
        return pl.col("rank") <= most
    return pl.int_range(pl.len()) < (most if table.says in {_THRESHOLDS, *_UNITS} else table.frame.height)


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
