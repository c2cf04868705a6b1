"""Classifications for people: the matrix with its axes named, measures beside baselines, classes, advice."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.core.digits import (
    NOT_AVAILABLE,
    as_level,
    as_percent,
    counted,
    decimals,
    number,
    numbers,
    short,
    significant,
)
from assay.core.errors import listed, number_of
from assay.core.words import INTERVALS
from assay.report.estimates import best, ends, known, measured, undefined, with_ends, without_classes
from assay.report.layout import Cell, Table, as_json
from assay.report.titled import Titled
from assay.stats.interval_names import BOOTSTRAP, NO_INTERVAL

if TYPE_CHECKING:
    from assay.classification import Classification
    from assay.counting.confusion_matrix import ConfusionMatrix
    from assay.measures.registry import Measure

JSON_SCHEMA_VERSION = 1
#: Matrices of more labels than this are left to `--csv` and `--json`; the pairs most confused stand for them.
MOST_LABELS = 25
#: The column of classes that averages leave out.
_LEFT_OUT = "left out"


def called(measure: Measure, task: str) -> str:
    """A measure as people call it: F1, and which average where there are several.

    >>> from assay.measures import parse_measure
    >>> called(parse_measure("F(average='micro')", "multiclass"), "multiclass")
    'F1 (micro)'
    """
    average = measure.parameters.get("average")
    rest = measure(average=measure.definition.parameters["average"].default) if average is not None else measure
    name = "F1" if str(rest) == "F" else str(rest)
    if average is None or (task, average) == ("binary", "binary"):
        return name
    return f"{name} ({'per item' if average == 'samples' else average})"


def tables(result: Classification) -> list[Titled]:
    """The matrix and the classes of each system, and the measures of all."""
    shown: list[Titled] = []
    several = len(result.systems) > 1
    labelled = [system.name for system in result.systems if system.is_labelled]
    if labelled and result.task != "multilabel" and len(result.labels) <= MOST_LABELS:
        labels = together(result, labelled).labels
        shown += [_matrix(result, name, labels, f"{name}: " if several else "") for name in labelled]
    shown += _measures(result)
    for system in result.systems:
        prefix = f"{system.name}: " if several else ""
        if system.is_labelled:
            shown.append(Titled(f"{prefix}classes", _classes(result, system.name)))
        shown += _further(result, system.name, prefix)
    return shown


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


def _matrix(result: Classification, system: str, labels: Sequence[Any], prefix: str) -> Titled:
    matrix = result.matrix(system)
    matrix = matrix.in_order([label for label in labels if label in matrix.labels])
    upright = result.shown.orientation == "rows_are_true"
    rows, columns = ("truth", "prediction") if upright else ("prediction", "truth")
    of = {"true": "true", "pred": "predicted", "all": "all"}
    shares = "" if result.shown.normalize is None else f", shares of {of[result.shown.normalize]} items"
    title = f"{prefix}confusion matrix (rows: {rows}, columns: {columns}{shares})"
    return Titled(title, matrix_table(matrix, rows, columns, result.shown.normalize))


def matrix_table(matrix: ConfusionMatrix, rows: str, columns: str, normalize: Any = None) -> Table:
    """The matrix with its labels and sums; rows are the truth or the predictions, as named."""
    counts = matrix.table if rows == "truth" else matrix.table.T
    cells = counts if normalize is None else matrix.normalized(normalize)
    if normalize is not None and rows != "truth":
        cells = cells.T
    names = [str(label) for label in matrix.labels]
    body = [
        (
            (name,),
            (
                *(Cell(_cell(cell, normalize), place == row) for place, cell in enumerate(cells[row])),
                Cell(short(float(counts[row].sum()))),
            ),
        )
        for row, name in enumerate(names)
    ]
    totals = (*(Cell(short(float(total))) for total in counts.sum(axis=0)), Cell(short(float(counts.sum()))))
    return Table((f"{rows} \\ {columns}",), (*names, "items"), (*body, (("items",), totals)))


def _cell(value: Any, normalize: Any) -> str:
    if normalize is None:
        return short(float(value))
    return "–" if math.isnan(value) else as_percent(value)


def _measures(result: Classification) -> Iterator[Titled]:
    """One table of all systems if they were judged by the same items, as it seems; else one each."""
    percent = f"{as_level(result.confidence)} interval"
    if len(result.systems) == 1:
        yield Titled("measures", _of_one(result, result.systems[0].name, percent))
        return
    beside = [result.baselines(system.name) for system in result.systems]
    same = all(
        np.array_equal([*one[0].values.values()], [*beside[0][0].values.values()], equal_nan=True) for one in beside
    )
    if same:
        yield Titled(f"measures, with {percent}s", _of_several(result))
        return
    for system in result.systems:
        yield Titled(f"{system.name}: measures", _of_one(result, system.name, percent))


def _of_one(result: Classification, system: str, interval: str) -> Table:
    beside = result.baselines(system)
    rows = []
    for measure in result.measures:
        one = result.estimate(measure, system)
        own, *others = numbers([one.value, *(b.values[measure] for b in beside)])
        cells = (Cell(own), Cell(ends(one)), *map(_beside, others))
        rows.append(((called(measure, result.task),), (*cells, Cell(listed(one.left_out)))))
    table = Table(("measure",), ("value", interval, *(b.says for b in beside), _LEFT_OUT), tuple(rows))
    return table if any(cells[-1].text for _, cells in rows) else table.without(_LEFT_OUT)


def _of_several(result: Classification) -> Table:
    beside = result.baselines(result.systems[0].name)
    rows = []
    for measure in result.measures:
        found = [result.estimate(measure, system.name) for system in result.systems]
        top = best([one.value for one in found], measure.definition.higher_is_better)
        least = decimals((one.value for one in found), 3)
        absent = [f" without {listed(one.left_out)}" if one.left_out else "" for one in found]
        cells = [
            Cell(with_ends(*known(one), least=least) + without, one.value == top)
            for one, without in zip(found, absent, strict=True)
        ]
        cells += [_beside(number(b.values[measure])) for b in beside]
        rows.append(((called(measure, result.task),), tuple(cells)))
    names = (*(system.name for system in result.systems), *(b.says for b in beside))
    return Table(("measure",), names, tuple(rows))


def _beside(text: str) -> Cell:
    return Cell("–" if text == NOT_AVAILABLE else text)


def _classes(result: Classification, system: str) -> Table:
    """Each class with its support; numbers rest on few items where that is small."""
    rows = []
    for row in result.per_class(system).iter_rows(named=True):
        cells = [Cell(short(float(row["support"])))]
        for name in ("precision", "recall", "f1"):
            cells.append(Cell(with_ends(row[name], row[f"{name}_low"], row[f"{name}_high"])))
        rows.append(((row["label"],), tuple(cells)))
    return Table(("class",), ("support", "precision", "recall", "F1"), tuple(rows))


def _further(result: Classification, system: str, prefix: str) -> Iterator[Titled]:
    """What was asked for besides: other prevalences, pairs that are confused, items that are wrong."""
    if result.shown.prevalences:
        frame = result.at_prevalence(*result.shown.prevalences, system=system)
        frame = frame.with_columns(pl.col("prevalence").map_elements(short, return_dtype=pl.String))
        yield Titled(f"{prefix}at other prevalences", Table.of(frame))
    wants_pairs = result.shown.most_confused and result.task == "multiclass"
    if wants_pairs and (pairs := result.confused(system).head(result.shown.most_confused)).height:
        yield Titled(f"{prefix}most confused", Table.of(pairs))
    if result.shown.errors:
        wrong = result.errors(system)
        title = f"{prefix}wrong: {number_of('item', wrong.height)}, {min(wrong.height, result.shown.errors)} shown"
        yield Titled(title, Table.of(_plain(wrong.head(result.shown.errors))))


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    """Labels as text, so that they stand in front of the numbers."""
    return frame.with_columns(pl.col(name).cast(pl.String) for name in ("truth", "prediction"))


def lines(result: Classification) -> list[str]:
    """Advice, then what the numbers rest on."""
    several = len(result.systems) > 1
    said = []
    for remark in result.advice:
        whose = f"{remark.system}: " if several else ""
        said.append(f"* {whose}{remark.says} [{remark.code}]")
    said += [""] if said else []
    name = partial(called, task=result.task)
    said += [*undefined(result, name), *without_classes(result, name), *_basis(result)]
    return [*said, *result.notes]


def _basis(result: Classification) -> Iterator[str]:
    """What kind of task it is, how many items there were, and where intervals come from."""
    items = ", ".join(dict.fromkeys(_items(result, system.name) for system in result.systems))
    positive = f", positive is {result.positive}" if result.task == "binary" else ""
    at = "" if result.threshold is None else f" from a score of {significant(result.threshold, 6)} on"
    yield f"{result.task}: {items}, {number_of('label', len(result.labels))}{positive}{at}."
    found = [result.estimate(measure, system.name) for system in result.systems for measure in result.measures]
    methods = dict.fromkeys(one.method for one in found)
    drawn = {one.resamples for one in found if one.resamples}
    if any(system.is_labelled for system in result.systems):  # F1 of classes is drawn in any case
        methods |= {BOOTSTRAP: None}
        drawn.add(result.resamples)
    ways = {method: INTERVALS[method].short for method in methods if method != NO_INTERVAL}
    if drawn:
        ways[BOOTSTRAP] += f" ({' or '.join(f'{one:,}' for one in sorted(drawn))} resamples, seed {result.seed})"
    yield f"Intervals ({as_level(result.confidence)}): {', '.join(ways.values())}."
    if NO_INTERVAL in methods:
        yield "No interval (–) where there is no number, or every resample gives the same one."


def _items(result: Classification, system: str) -> str:
    predictions = result.system(system).predictions
    if predictions is not None:
        return number_of("item", len(predictions))
    total = float(result.matrix(system).items[0])
    return number_of("item", int(total)) if total.is_integer() else f"a weight of {counted(total)}"


def to_json(result: Classification) -> str:
    """Everything that is known, numbers in full, null where there is none."""
    rows = result.to_frame().to_dicts()
    told = {
        "schema_version": JSON_SCHEMA_VERSION,
        "task": result.task,
        "labels": list(result.labels),
        "positive": result.positive,
        "threshold": result.threshold,
        "confidence": result.confidence,
        "resamples": result.resamples,
        "seed": result.seed,
        "notes": list(result.notes),
        "warnings": list(result.warnings),
        "signatures": result.signatures,
        "advice": [remark._asdict() for remark in result.advice],
        "systems": [_system(result, system.name, rows) for system in result.systems],
    }
    return as_json(told)


def _system(result: Classification, name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    told: dict[str, Any] = {"name": name}
    predictions = result.system(name).predictions
    if predictions is not None:
        told["items"] = len(predictions)
    told["measures"] = [
        row | {"left_out": list(result.estimate(measure, name).left_out)}
        for measure, row in zip(result.measures, measured(rows, name), strict=True)
    ]
    labelled = result.system(name).is_labelled
    if labelled and result.task != "multilabel":
        matrix = result.matrix(name)
        of = {"rows": "truth", "columns": "prediction", "labels": list(matrix.labels)}
        told["matrix"] = of | {"counts": matrix.table.tolist()}
        told["confused"] = result.confused(name).to_dicts()
    if labelled:
        told["classes"] = result.per_class(name).to_dicts()
    if result.shown.prevalences:
        told["prevalences"] = result.at_prevalence(*result.shown.prevalences, system=name).to_dicts()
    if result.shown.errors:
        told["errors"] = result.errors(name).head(result.shown.errors).to_dicts()
    return told
