"""What a classification shows: the matrix with its axes named, measures beside baselines, classes, advice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.core.digits import as_level, counted, number, significant
from assay.core.errors import number_of, of_kind
from assay.core.words import INTERVALS
from assay.measures.spoken import called
from assay.sections.estimates import measures_table, undefined
from assay.sections.matrices import matrix_table
from assay.show.model import Column, Document, Prose, Section, Table
from assay.stats.confidence import BOOTSTRAP, NO_INTERVAL

if TYPE_CHECKING:
    from assay.classification import Classification
    from assay.classification.label_report import LabelReport
    from assay.counting.confusion_matrix import ConfusionMatrix

#: Matrices of more labels than this are left to CSV and JSON; the pairs most confused stand for them.
MOST_LABELS = 25


def document(result: Classification) -> Document:
    """The matrix of each system, the measures of all, the classes of each; advice, and what the numbers rest on."""
    several = len(result.systems) > 1
    prefixes = {system.name: f"{system.name}: " if several else "" for system in result.systems}
    points = tuple(f"{prefixes[remark.system]}{remark.says} [{remark.code}]" for remark in result.advice)
    advice = {"advice": [remark._asdict() for remark in result.advice]}
    settings = {
        "task": result.task, "labels": list(result.labels), "positive": result.positive, "threshold": result.threshold,
        "confidence": result.confidence, "resamples": result.resamples, "seed": result.seed,
        "warnings": list(result.warnings), "signatures": result.signatures,
    }  # fmt: skip
    sections = (
        Section("matrices", parts=tuple(_matrices(result, prefixes))),
        _measures(result),
        Section("systems", parts=tuple(_system(result, name, prefix) for name, prefix in prefixes.items())),
        Section("advice", parts=(Prose(style="list", points=points),) if points else (), data=advice),
        Section("basis", parts=tuple(map(Prose, _basis(result))), data=settings),
        Section("notes", parts=tuple(map(Prose, result.notes))),
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


def _matrices(result: Classification, prefixes: dict[str, str]) -> Iterator[Section]:
    """The matrix of each system, in one order of the labels; those of many labels are data only."""
    labelled = [system.name for system in result.systems if system.is_labelled and result.task != "multilabel"]
    order = together(result, labelled).labels if labelled and len(result.labels) <= MOST_LABELS else ()
    for name in labelled:
        matrix = result.matrix(name)
        ordered = matrix.in_order([label for label in order if label in matrix.labels]) if order else matrix
        table = matrix_table(ordered, result.shown.orientation, result.shown.normalize, prefixes[name])
        counts = {"rows": "truth", "columns": "prediction", "labels": list(matrix.labels)}
        data = {"matrix": counts | {"counts": matrix.table.tolist()}}
        yield Section(name, parts=(table,) if order else (), data=data)


def _measures(result: Classification) -> Section:
    """One table of all systems if they were judged by the same items, as it seems; else one each."""
    name = partial(called, task=result.task)
    beside = {system.name: result.baselines(system.name) for system in result.systems}
    majority = [[*each[0].values.values()] for each in beside.values()]
    if all(np.array_equal(values, majority[0], equal_nan=True) for values in majority):
        tables = [measures_table(result, name, beside[result.systems[0].name])]
    else:
        tables = [measures_table(result, name, baselines, system) for system, baselines in beside.items()]
    rows = [
        row | {"left_out": list(result.estimate(row["measure"], row["system"]).left_out)}
        for row in result.to_frame().to_dicts()
    ]
    return Section("measures", parts=tuple(tables), data={"measures": rows})


def _system(result: Classification, name: str, prefix: str) -> Section:
    """The classes of a system, and what was asked for: other prevalences, pairs that are confused, wrong items."""
    system, asked = result.system(name), result.shown
    tables: list[Table] = []
    data: dict[str, Any] = {} if system.predictions is None else {"items": len(system.predictions)}
    if system.is_labelled:
        tables.append(_classes(result, name, prefix))
    if asked.prevalences:
        frame = result.at_prevalence(*asked.prevalences, system=name)
        tables.append(Table.of("prevalences", frame, f"{prefix}at other prevalences", prevalence="short"))
    if system.is_labelled and result.task != "multilabel":
        pairs = result.confused(name)
        data["confused"] = pairs.to_dicts()
        if asked.most_confused and pairs.height and result.task == "multiclass":
            tables.append(Table.of("confused", pairs.head(asked.most_confused), f"{prefix}most confused"))
    if asked.errors:
        wrong = result.errors(name)
        some = wrong.head(asked.errors)
        data["errors"] = some.to_dicts()
        caption = f"{prefix}wrong: {number_of('item', wrong.height)}, {some.height} shown"
        tables.append(Table.of("errors", some.with_columns(pl.col("truth", "prediction").cast(pl.String)), caption))
    return Section(name, parts=tuple(tables), data=data)


def _classes(result: Classification, system: str, prefix: str) -> Table:
    """Each class with its support; numbers rest on few items where that is small."""
    numbers = (
        Column(name, title, "estimate", ends=(f"{name}_low", f"{name}_high"))
        for name, title in (("precision", "precision"), ("recall", "recall"), ("f1", "F1"))
    )
    columns = (Column("label", "class"), Column("support", kind="short"), *numbers)
    return Table("classes", result.per_class(system), columns, f"{prefix}classes")


def _basis(result: Classification) -> Iterator[str]:
    """What is undefined or left out, what kind of task it is, how many items there were, where intervals come from."""
    name = partial(called, task=result.task)
    yield from undefined(result, name)
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
        whose = f" of {system.name}" if len(result.systems) > 1 else ""
        for measure in result.measures:
            if absent := result.estimate(measure, system.name).left_out:
                alike.setdefault((whose, absent), []).append(called(measure, result.task))
    for (whose, absent), names in alike.items():
        leaves, is_so = ("leaves", "it is") if len(names) == 1 else ("leave", "they are")
        yield f"{', '.join(names)}{whose} {leaves} out {of_kind('class', absent)}, where {is_so} undefined."


def _items(result: Classification, system: str) -> str:
    predictions = result.system(system).predictions
    if predictions is not None:
        return number_of("item", len(predictions))
    total = float(result.matrix(system).items[0])
    return number_of("item", int(total)) if total.is_integer() else f"a weight of {counted(total)}"


def label_report(report: LabelReport) -> Document:
    """Classes, then averages; the accuracy, and the classes that averages leave out."""
    columns = (
        Column("label", "class"),
        *(Column(name, title, "number") for name, title in (("precision", None), ("recall", None), ("f1", "F1"))),
        Column("support", kind="short"),
    )
    absent = {name: of_kind("class", [*map(str, labels)]) for name, labels in report.left_out.items()}
    lines = [f"macro avg of {name} leaves out {classes}" for name, classes in absent.items()]
    words = tuple(map(Prose, [f"accuracy {number(report.accuracy)}", *lines]))
    classes = Section("classes", parts=(Table("classes", report.to_frame(), columns), *words))
    return Document("label_report", (classes,), "Classes")
