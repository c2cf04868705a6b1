"""What a classification shows: the matrix with its axes named, measures beside baselines, classes, advice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.core.digits import as_level, counted, number, significant
from assay.core.errors import number_of, of_kind
from assay.core.words import INTERVALS
from assay.measures.names import display_name
from assay.show.axis import Axis
from assay.show.model import Column, Document, Prose, Section, Table
from assay.stats.confidence import BOOTSTRAP, NO_INTERVAL
from assay.verbs.sections.estimates import (
    advice_section,
    measures_table,
    prefix,
    prose_section,
    settings_of,
    undefined,
    whose,
)
from assay.verbs.sections.matrices import matrix_table

if TYPE_CHECKING:
    from assay.measures.counting.confusion_matrix import ConfusionMatrix
    from assay.subjects.labels.label_report import LabelReport
    from assay.subjects.labels.result import Classification

_RATES = {"precision": "precision", "recall": "recall", "f1": "F1"}
#: Matrices of more labels than this are left to CSV and JSON; the pairs most confused stand for them.
MOST_LABELS = 25
_SETTINGS = ("task", "labels", "positive", "threshold", "confidence", "resamples", "seed", "warnings", "signatures")


def document(result: Classification) -> Document:
    """The matrix of each system, the measures of all, the classes of each; advice, and what the numbers rest on."""
    sections = (
        Section("matrices", parts=tuple(_matrices(result))),
        _measures(result),
        Section("systems", parts=tuple(_system(result, system.name) for system in result.systems)),
        advice_section(result, "advice"),
        prose_section("basis", _basis(result), settings_of(result, *_SETTINGS)),
        prose_section("notes", result.notes),
    )
    return Document("classification", sections, "Classification")


def together(result: Classification, systems: Sequence[str]) -> ConfusionMatrix:
    """The matrices of systems added up: its labels are in the order in which each of them is shown.

    >>> from assay import Predictions, classify
    >>> both = [Predictions.of(["a", "b", "c"], ["a", "b", last], name=f"to {last}") for last in ("a", "b")]
    >>> together(classify(both), ["to a", "to b"]).table[2]
    array([1, 1, 0])
    """
    first, *others = map(result.matrix, systems)
    whole = first.merge(*others)
    return whole.reordered() if result.shown.reorder else whole


def _matrices(result: Classification) -> Iterator[Section]:
    """The matrix of each system, in one order of the labels; those of many labels are data only."""
    labelled = [system.name for system in result.systems if system.is_labelled and result.task != "multilabel"]
    order = together(result, labelled).labels if labelled and len(result.labels) <= MOST_LABELS else ()
    for name in labelled:
        matrix = result.matrix(name)
        ordered = matrix.in_order([label for label in order if label in matrix.labels]) if order else matrix
        table = matrix_table(ordered, result.shown.orientation, result.shown.normalize, prefix(result, name))
        counts = {"rows": "truth", "columns": "prediction", "labels": list(matrix.labels)}
        data = {"matrix": counts | {"counts": matrix.table.tolist()}}
        yield Section(name, parts=(table,) if order else (), data=data)


def _measures(result: Classification) -> Section:
    """One table of all systems if they were judged by the same items, as it seems; else one each."""
    beside = {system.name: result.baselines(system.name) for system in result.systems}
    majority = [[*each[0].values.values()] for each in beside.values()]
    if all(np.array_equal(values, majority[0], equal_nan=True) for values in majority):
        tables = [measures_table(result, beside[result.systems[0].name])]
    else:
        tables = [measures_table(result, baselines, system) for system, baselines in beside.items()]
    rows = [
        row | {"left_out": list(result.estimate(row["measure"], row["system"]).left_out)}
        for row in result.to_frame().to_dicts()
    ]
    return Section("measures", parts=tuple(tables), data={"measures": rows})


def _system(result: Classification, name: str) -> Section:
    """The classes of a system, and what was asked for: other prevalences, pairs that are confused, wrong items."""
    system, asked, before = result.system(name), result.shown, prefix(result, name)
    tables: list[Table] = []
    data: dict[str, Any] = {} if system.predictions is None else {"items": len(system.predictions)}
    if system.is_labelled:
        tables.append(classes_table(result, name, f"{before}classes").only("label", "support", *_RATES))
    if asked.prevalences:
        frame = result.at_prevalence(*asked.prevalences, system=name)
        tables.append(Table.of("prevalences", frame, f"{before}at other prevalences", prevalence="short"))
    if system.is_labelled and result.task != "multilabel":
        pairs = result.confused(name)
        data["confused"] = pairs.to_dicts()
        if asked.most_confused and pairs.height and result.task == "multiclass":
            tables.append(Table.of("confused", pairs.head(asked.most_confused), f"{before}most confused"))
    if asked.errors:
        wrong = result.errors(name)
        some = wrong.head(asked.errors)
        data["errors"] = some.to_dicts()
        caption = f"{before}wrong: {number_of('item', wrong.height)}, {some.height} shown"
        tables.append(Table.of("errors", some.with_columns(pl.col("truth", "prediction").cast(pl.String)), caption))
    return Section(name, parts=tuple(tables), data=data)


def classes_table(result: Classification, system: str, caption: str, least: int | None = None) -> Table:
    """Each class with its support; numbers rest on few items where that is small.

    >>> from assay import Predictions, classify
    >>> result = classify(Predictions.of([1, 1, 0], [1, 0, 0], name="mine"))
    >>> [column.head for column in classes_table(result, "mine", "classes").columns]
    ['class', 'support', 'predicted', 'precision', 'recall', 'F1']
    """
    numbers = (
        Column(name, title, "estimate", least, ends=(f"{name}_low", f"{name}_high"), axis=Axis(0, 1))
        for name, title in _RATES.items()
    )
    counts = (Column(name, kind="count") for name in ("support", "predicted"))
    return Table("classes", result.per_class(system), (Column("label", "class"), *counts, *numbers), caption)


def _basis(result: Classification) -> Iterator[str]:
    """What is undefined or left out, what kind of task it is, how many items there were, where intervals come from."""
    yield from undefined(result)
    yield from _without_classes(result)
    items = ", ".join(dict.fromkeys(_items(result, system.name) for system in result.systems))
    positive = f", positive is {result.positive}" if result.task == "binary" else ""
    at = "" if result.threshold is None else f" from a score of {significant(result.threshold, 6)} on"
    yield f"{result.task}: {items}, {number_of('label', len(result.labels))}{positive}{at}."
    estimates = [result.estimate(measure, system.name) for system in result.systems for measure in result.measures]
    methods = dict.fromkeys(estimate.method for estimate in estimates)
    resamples = {estimate.resamples for estimate in estimates if estimate.resamples}
    if any(system.is_labelled for system in result.systems):  # F1 of classes is drawn in any case
        methods |= {BOOTSTRAP: None}
        resamples.add(result.resamples)
    ways = {method: INTERVALS[method].short for method in methods if method != NO_INTERVAL}
    if resamples:
        counts = " or ".join(f"{count:,}" for count in sorted(resamples))
        ways[BOOTSTRAP] += f" ({counts} resamples, seed {result.seed})"
    yield f"Intervals ({as_level(result.confidence)}): {', '.join(ways.values())}."
    if NO_INTERVAL in methods:
        yield "No interval (–) where there is no number, or every resample gives the same one."


def _without_classes(result: Classification) -> Iterator[str]:
    """Which classes averages leave out, a line for the measures and systems that leave out the same."""
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for system in result.systems:
        for measure in result.measures:
            if absent := result.estimate(measure, system.name).left_out:
                alike.setdefault((whose(result, system.name), absent), []).append(display_name(measure))
    for (of_system, absent), names in alike.items():
        leaves, is_so = ("leaves", "it is") if len(names) == 1 else ("leave", "they are")
        yield f"{', '.join(names)}{of_system} {leaves} out {of_kind('class', absent)}, where {is_so} undefined."


def _items(result: Classification, system: str) -> str:
    predictions = result.system(system).predictions
    if predictions is not None:
        return number_of("item", len(predictions))
    total = float(result.matrix(system).items[0])
    return number_of("item", int(total)) if total.is_integer() else f"a weight of {counted(total)}"


def label_report(report: LabelReport) -> Document:
    """Classes, then averages; the accuracy, and the classes that averages leave out."""
    rates = (Column(name, title, "number") for name, title in _RATES.items())
    columns = (Column("label", "class"), *rates, Column("support", kind="short"))
    absent = {name: of_kind("class", [*map(str, labels)]) for name, labels in report.left_out.items()}
    lines = [f"macro avg of {name} leaves out {classes}" for name, classes in absent.items()]
    words = tuple(map(Prose, [f"accuracy {number(report.accuracy)}", *lines]))
    classes = Section("classes", parts=(Table("classes", report.to_frame(), columns), *words))
    return Document("label_report", (classes,), "Classes")
