"""The document of an explanation: steps, tables, arithmetic; and the cards of measures."""

from __future__ import annotations

import inspect
import math
import re
import sys
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.core.digits import NOT_AVAILABLE, short, significant
from assay.core.errors import argument, number_of, several
from assay.measures.counting.confusion import CELLS_OF_DOCUMENTS, CELLS_OF_ITEMS, Confusion
from assay.measures.counting.confusion_matrix import ConfusionMatrix
from assay.measures.counting.contingency import CELLS_OF_PAIRS, Contingency
from assay.measures.counting.probabilities import Probabilities
from assay.show.model import Column, Document, Prose, Section, Table

if TYPE_CHECKING:
    from assay.measures.definition import Definition, Parameter
    from assay.measures.registry import Measure
    from assay.verbs.explanation import Explanation
    from assay.verbs.explanation.result import StepTable


#: Tables with a row for each unit; of those only so many rows are shown.
_UNITS = {
    "queries": "query", "classes": "class", "items": "item", "tables": "table", "documents": "document",
    "clusters": "cluster", "cells": "cell", "matches": "match", "points": "point", "pairs": "pair",
    "thresholds": "threshold",
}  # fmt: skip


def document(explanation: Explanation) -> Document:
    """The units if there are several, the steps, and what was counted with the formula in words and in numbers.

    >>> from assay import Ranks, explain
    >>> shown = document(explain("P@2", Ranks.from_grades([1, 0])))
    >>> shown.title, shown.section("arithmetic").parts[-2].text
    ('P@2, for q1', 'P@2 = 0.5')
    """
    shown = _shown_parts(explanation)
    units = tuple(
        Section(part.unit, parts=tuple(_tables(part)) if part in shown else (), data=_steps(part) | _facts(part))
        for part in explanation.parts
    )
    lines = tuple(Prose(line) for line in _lines(explanation, shown))
    sections = (
        *((Section(several(explanation.unit_kind), parts=units),) if units else ()),
        Section("steps", parts=tuple(_tables(explanation)), data=_steps(explanation)),
        Section("arithmetic", parts=lines, data=_facts(explanation)),
    )
    return Document("explanation", sections, _title(explanation), words="text")


def _title(explanation: Explanation) -> str:
    return f"{explanation.measure}, {'for' if explanation.summary is None else 'over'} {explanation.unit}"


def _steps(explanation: Explanation) -> dict[str, Any]:
    """All rows of all steps, whatever is shown of them."""
    return {
        table.says: {
            "column": table.column,
            "columns": {name: means for name, means in table.meanings.items() if name in table.frame.columns},
            "rows": table.frame.to_dicts(),
        }
        for table in explanation.steps
    }


def _facts(explanation: Explanation) -> dict[str, Any]:
    formula = explanation.formula
    ways = (
        {"way": way.says, "formula": way.formula.words, "numbers": way.formula.numbers, "value": way.value}
        for way in explanation.other_ways
    )
    return {
        "measure": str(explanation.measure),
        "unit": explanation.unit,
        "summary": explanation.summary,
        "value": explanation.value,
        "undefined": explanation.reason,
        "formula": formula.words,
        "numbers": formula.numbers,
        "other_ways": list(ways),
        "counts": dict(explanation.counts),
        "remarks": list(explanation.remarks),
        "signature": explanation.signature,
    }


def _tables(explanation: Explanation) -> Iterator[Table]:
    """The steps, a table each; the first carries the measure's name."""
    for place, step in enumerate(explanation.steps):
        titles = [] if place else [_title(explanation)]
        titles += [step.says] if len(explanation.steps) > 1 else []
        frame = step.frame.filter(_is_shown(step, explanation.shown))
        names = [name for name, kind in frame.schema.items() if kind == pl.String]
        numbers = [name for name in frame.columns if name not in names]
        if step.says in _UNITS and explanation.measure.is_micro:
            total = step.frame.select(pl.lit("all").alias(names[0]), pl.col(numbers).sum())
            frame = pl.concat([frame, total], how="diagonal_relaxed")
        if "tied_ranks" in names and frame["tied_ranks"].is_null().all():  # ties may be further down
            names.remove("tied_ranks")
        columns = [Column(name, missing="") for name in names]
        columns += [Column(name, kind="short", missing="") for name in numbers]
        yield Table(step.says, frame, tuple(columns), ": ".join(titles))


def _lines(explanation: Explanation, parts: tuple[Explanation, ...]) -> Iterator[str]:
    """The number of hidden rows, the columns, the formula in words and in numbers, the result, its signature."""
    if not explanation.steps:
        yield _title(explanation)
    for part in parts:
        yield from (f"{part.unit}: {line}" for line in _hidden(part))
    yield from _hidden(explanation)
    yield from _columns(explanation, *parts)
    formulas = dict.fromkeys((str(part.measure), part.formula.for_all) for part in parts)
    yield from (f"{name} = {words}" for name, words in formulas if words != name)
    for part in parts:
        numbers = "" if part.formula.is_plain else f"{part.formula.numbers} = "
        place = f", {part.formula.place}" if part.formula.place else ""
        about = [f"{part.measure} = {numbers}{_result(part)}{place}", *_other_ways(part), *part.remarks]
        yield from (f"{part.unit}: {line}" for line in about)
    yield from _arithmetic(explanation)
    yield from explanation.remarks
    yield explanation.signature


def _shown_parts(explanation: Explanation) -> tuple[Explanation, ...]:
    """The units that are told one by one: queries that somebody typed are all told, of many classes the first."""
    return explanation.parts if explanation.unit_kind == "query" else explanation.parts[: explanation.shown]


def _hidden(explanation: Explanation) -> Iterator[str]:
    """The number of rows that are not shown, and what they add."""
    for table in explanation.steps:
        hidden = table.frame.filter(~_is_shown(table, explanation.shown))
        if not hidden.height:
            continue
        adds = ""
        if table.op == "sum" and table.column is not None:
            adds = f"; {'it adds' if hidden.height == 1 else 'they add'} {short(float(hidden[table.column].sum()))}"
        rows = number_of(_UNITS.get(table.says, "row"), hidden.height)
        if "rank" in table.frame.columns:
            rows = f"{number_of('rank', hidden.height)} of the {table.says}"
        yield f"{rows} not shown{adds} ({argument('show', table.frame.height)} shows all)"


def _columns(*explanations: Explanation) -> list[str]:
    """The way the columns are made, where their names do not say so: each once, whoever has them."""
    means: dict[str, str] = {}
    lines: dict[str, None] = {}
    for table in (table for explanation in explanations for table in explanation.steps):
        for name in table.frame.columns:
            if (text := table.meanings.get(name)) is not None:
                # The same name may mean something else in the ideal ranking: without ties, for one.
                same = means.setdefault(name, text) == text
                lines[f"{name} = {text}" if same else f"{name} ({table.says}) = {text}"] = None
    return list(lines)


def _arithmetic(explanation: Explanation) -> Iterator[str]:
    """The counts, the formula in words and in numbers, the same in other ways, and the result."""
    name = str(explanation.measure)
    formula = explanation.formula
    if explanation.summary is not None and "average" not in explanation.measure.chosen:
        is_said = name.endswith(f"({explanation.summary.partition(' ')[0]})")
        name = name if is_said else f"{explanation.summary} of {name}"
    cells = CELLS_OF_DOCUMENTS if explanation.unit_kind == "query" else CELLS_OF_ITEMS
    cells = CELLS_OF_PAIRS if explanation.measure.definition.counts is Contingency else cells
    for what, value in explanation.counts:
        yield f"{what}{f', {cells[what]}' if what in cells else ''}: {short(value)}"
    if explanation.undefined_units:
        without = number_of(explanation.unit_kind, explanation.undefined_units)
        yield f"{without} without a number" + (f": {_treated(explanation)}" if explanation.is_defined else "")
    if formula.words != name:
        yield f"{name} = {formula.words}"
    if not formula.is_plain:
        yield f"{name} = {formula.numbers}"
    yield f"{name} = {_result(explanation)}"
    yield from _other_ways(explanation)


def _other_ways(explanation: Explanation) -> Iterator[str]:
    """The same number in other ways."""
    for way in explanation.other_ways:
        numbers = "" if way.formula.is_plain else f"{way.formula.numbers} = "
        yield f"also {way.says}: {way.formula.words} = {numbers}{short(way.value)}"


def _result(explanation: Explanation) -> str:
    if not explanation.is_defined:
        why = f"{NOT_AVAILABLE} ({explanation.reason})"
        if explanation.measure.is_micro and not explanation.summary:
            return f"{why}; in a micro average its counts are summed all the same"
        if explanation.summary or explanation.unit_kind == "table":
            return why
        return f"{why}; in a mean over {several(explanation.unit_kind)} it is {_treated(explanation)}"
    definition = explanation.measure.definition
    is_share = definition.counts in {Confusion, ConfusionMatrix} and definition.bounds == (0.0, 1.0)
    # In as many digits as keep it off 100, if it is not that.
    percent = f" ({significant(100 * explanation.value, 4, marks=(0.0, 100.0))} %)" if is_share else ""
    return significant(explanation.value, 10) + percent


def _treated(explanation: Explanation) -> str:
    return "left out" if explanation.counted_as is None else f"counted as {explanation.counted_as:g}"


def _is_shown(table: StepTable, most: int) -> pl.Expr:
    if "rank" in table.frame.columns:
        return pl.col("rank") <= most
    return pl.int_range(pl.len()) < (most if table.says in _UNITS else table.frame.height)


_DIRECTIONS = {True: "larger is better", False: "smaller is better", None: "neither good nor bad"}

_OVER_QUERIES = {"mean": "mean over queries", "geometric": "geometric mean over queries", "sum": "sum over queries"}

_NONE_MEANS = {
    "cutoff": "the whole list",
    "rel": "the evaluation's level, 1 unless changed",
    "max_grade": "the largest grade of the judgments",
}


def first_sentence(measure: Measure) -> str:
    """The first sentence on a measure: what it is."""
    first = inspect.cleandoc(measure.__doc__ or "").split("\n\n", 1)[0]
    return re.sub(r":math:`(.+?)`", r"\1", " ".join(first.split())).replace("*", "")


def family(measure: Measure) -> str:
    """The family of a measure: the first line of its module."""
    return (inspect.getdoc(sys.modules[measure.__module__]) or "").split("\n", 1)[0].rstrip(".")


def facts(measure: Measure) -> list[tuple[str, str]]:
    """The facts of the registry: parameters, bounds, how units are put together, names elsewhere."""
    definition = measure.definition
    known = {
        parameter.name: f"{parameter.domain.describe()} (default {_default(parameter)})"
        for parameter in definition.parameters.values()
    }
    if definition.bounds is not None:
        known["values"] = values_between(*definition.bounds)
    if definition.vocabulary == "ranking":
        known |= _facts_of_rankings(definition)
    else:
        is_clustering = definition.vocabulary == "clustering"
        known["direction"] = _DIRECTIONS[definition.higher_is_better] if is_clustering else ""
        known["computed from"] = getattr(definition.counts, "described", definition.counts.__name__)
        known |= {} if is_clustering else _facts_of_classifiers(definition)
        known["scikit-learn"] = definition.sklearn or ""
    meant = {
        name: ", ".join(f"{parameter}={value!r}" for parameter, value in stands_for.items())
        for name, stands_for in definition.aliases.items()
    }
    known["also called"] = ", ".join(f"{name} ({values})" if values else name for name, values in meant.items())
    return [(name, text) for name, text in known.items() if text]


def _facts_of_rankings(definition: Definition) -> dict[str, str]:
    micro = "; micro: the formula on counts summed over queries" if "average" in definition.parameters else ""
    counted_as = definition.counted_as
    return {
        "put together by": _OVER_QUERIES[definition.summary] + micro,
        "undefined values": "left out" if counted_as is None else f"counted as {counted_as:g}",
        "user": "" if definition.user_model in {None, "-"} else str(definition.user_model),
        "ties=expected": "closed form" if definition.closed_under_ties else "mean over sampled orders",
        "trec_eval": ", ".join(map(name_elsewhere, definition.trec_eval)),
        "ir_measures": name_elsewhere(definition.ir_measures or ""),
        "ranx": name_elsewhere(definition.ranx or ""),
    }


def _facts_of_classifiers(definition: Definition) -> dict[str, str]:
    together = "one number for the whole table"
    if definition.counts is Probabilities:
        together = "one number for all items" if definition.summary == "pooled" else "mean over items"
    elif definition.counts is Confusion:
        over = "see average" if "average" in definition.parameters else "mean over classes"
        together = "sum over classes" if definition.summary == "sum" else over
    return {
        "put together by": together,
        "undefined values": _in_averages(definition),
        "interval": "that of a proportion (Wilson)" if definition.proportion else "",
    }


def _in_averages(definition: Definition) -> str:
    """The treatment, in averages over classes and items, of those that have no number."""
    higher, bounds = definition.higher_is_better, definition.bounds
    if definition.summary == "sum" or higher is None or bounds is None or not all(map(math.isfinite, bounds)):
        return "left out of averages, with a note"
    return f"of the system's own doing: {0 if higher else bounds[1]:g} in averages; of the truth's: left out"


def values_between(low: float, high: float) -> str:
    """The range of a measure, in words where it has no end.

    >>> values_between(0, 1), values_between(0, math.inf), values_between(-math.inf, 1)
    ('0 to 1', 'from 0 on', 'up to 1')
    """
    if math.isinf(high):
        return f"from {low:g} on"
    return f"up to {high:g}" if math.isinf(low) else f"{low:g} to {high:g}"


def _default(parameter: Parameter) -> str:
    value = parameter.default
    if value == math.e:
        return "e"
    if value is None:
        return _NONE_MEANS.get(parameter.name, "none")
    return f"{value:g}" if isinstance(value, float) else str(value)


def card(measure: Measure, width: int = 100) -> str:
    """The card as plain text: definition, formula, facts, example."""
    known = facts(measure)
    left = max(len(name) for name, _ in known)
    hanging = textwrap.TextWrapper(max(width, left + 24), subsequent_indent=" " * (left + 4))
    listed = "\n".join(hanging.fill(f"  {name:<{left}}  {value}") for name, value in known)
    prose, _, example = inspect.cleandoc(measure.__doc__ or "").partition("\n>>>")
    paragraphs = [_paragraph(part, width) for part in prose.strip().split("\n\n")]
    return "\n\n".join([str(measure), *paragraphs, listed, "Example\n  >>>" + example.replace("\n", "\n  ")])


def name_elsewhere(template: str) -> str:
    """A name template as people write it: P.{cutoff} is P.k.

    >>> name_elsewhere("ndcg_cut.{cutoff}")
    'ndcg_cut.k'
    """
    return re.sub(r"\{(\w+)\}", lambda match: {"cutoff": "k", "p": "0.8"}.get(match[1], match[1]), template)


def _paragraph(text: str, width: int) -> str:
    """A paragraph of a docstring without its markup, formulas indented."""
    if text.startswith(".. math::"):
        return textwrap.indent(textwrap.fill(plain_formula(text.removeprefix(".. math::")), width - 4), "    ")
    text = re.sub(r":math:`(.+?)`", lambda match: plain_formula(match[1]), " ".join(text.split()))
    return textwrap.fill(re.sub(r"`([^`]+)`", r"\1", re.sub(r"\*([^*\s][^*]*)\*", r"\1", text)), width)


_SIGNS = {
    r"\sum": "Σ", r"\prod": "Π", r"\max": "max", r"\min": "min", r"\log": "log", r"\ln": "ln", r"\exp": "exp",
    r"\alpha": "α", r"\beta": "β", r"\varepsilon": "ε", r"\cdot": "·", r"\le": "≤", r"\ge": "≥",
    r"\lfloor": "⌊", r"\rfloor": "⌋", r"\left": "", r"\right": "", r"\gamma": "γ", r"\delta": "δ", r"\pi": "π",
    r"\cup": "∪", r"\cap": "∩", r"\ne": "≠", r"\ldots": "…", r"\in": "∈",
    r"\quad": " ", r"\Big": "", r"\big": "", r"\#": "#", r"\{": "{", r"\}": "}", r"\,": " ", r"\ ": " ", r"\_": "_",
}  # fmt: skip


def plain_formula(formula: str) -> str:
    r"""LaTeX as used on the cards -> one line of text.

    >>> plain_formula(r"\frac{1}{R} \sum_{i=1}^{k} x_i \, P@i")
    '1/R Σ_{i=1}^k x_i P@i'
    """
    text = re.sub(r"\\(?:mathrm|text)\{([^{}]*)\}", r"\1", " ".join(formula.split())).replace(r"\tfrac", r"\frac")
    text = re.sub(r"\\bar(?:\{(\w)\}|\s*(\w))", lambda match: f"{match[1] or match[2]}\u0304", text)
    root = re.compile(r"\\sqrt\{((?:[^{}]|\{[^{}]*\})*)\}")
    text = root.sub(lambda match: f"√{match[1]}" if match[1].isalnum() else f"√({match[1]})", text)
    # Innermost fractions first; a numerator or denominator of several terms gets parentheses.
    fraction = re.compile(r"\\frac\{((?:[^{}]|\{[^{}]*\})*)\}\{((?:[^{}]|\{[^{}]*\})*)\}")
    while match := fraction.search(text):
        over, under = (part if re.fullmatch(r"[\w@]+", part) else f"({part})" for part in match.groups())
        text = f"{text[: match.start()]}{over}/{under}{text[match.end() :]}"
    for sign in sorted(_SIGNS, key=len, reverse=True):
        text = text.replace(sign, _SIGNS[sign])
    return " ".join(re.sub(r"([_^])\{\s*(\w+|\*)\}", r"\1\2", text).replace("{ ", "{").split())
