"""The document of a classification: on the terminal, and in the sections of a report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.core.digits import as_level, counted, number, significant
from assay.core.errors import listed, number_of, of_kind
from assay.core.words import INTERVALS
from assay.measures.probabilities import ECE
from assay.measures.undefined import Gaps
from assay.show import charts
from assay.show.figure import Axis, Series
from assay.show.model import Column, Document, Prose, Section, Table
from assay.stats.estimates import BOOTSTRAP, NO_INTERVAL, Estimate
from assay.subjects.labels.evidence import ConfusedLabels, Evidence
from assay.subjects.labels.result import Classification
from assay.subjects.labels.sections.scores import ExplorerThresholds, explorer
from assay.verbs.sections.estimates import (
    advice_section,
    matrix_table,
    measures_table,
    prefix,
    prose_section,
    settings_of,
    undefined,
    whose,
    without_interval,
)
from assay.verbs.sections.heat_maps import MOST_ITEMS, HeatMap, HeatSides
from assay.verbs.sections.items import by_system, measured
from assay.verbs.sections.reports import is_bounded, named, verdicts

if TYPE_CHECKING:
    from assay.subjects.labels.evaluation import LabelReport


_RATES = {"precision": "precision", "recall": "recall", "f1": "F1"}
#: Matrices of more labels than this are left to CSV and JSON; the pairs most confused stand for them.
MOST_LABELS_ON_SCREEN = 25

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


def _matrices(result: Classification) -> Iterator[Section]:
    """The matrix of each system, in one order of the labels; those of many labels are data only."""
    labelled = [system.name for system in result.systems if system.is_labelled and result.task != "multilabel"]
    order = result.shown_together(labelled) if labelled and len(result.labels) <= MOST_LABELS_ON_SCREEN else ()
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
    rows = [row | _units(result.estimate(row["measure"], row["system"])) for row in result.to_frame().to_dicts()]
    return Section("measures", parts=tuple(tables), data={"measures": rows})


def _units(estimate: Estimate) -> dict[str, Any]:
    """The classes, or items, without a number of their own, by name."""
    gaps = Gaps() if estimate.gaps is None else estimate.gaps
    return {"left_out": list(gaps.left_out), "counted": list(gaps.counted), "unit_kind": gaps.kind}


def _system(result: Classification, name: str) -> Section:
    """The classes of a system, and what was asked for: other prevalences, pairs that are confused, wrong items."""
    system = result.system(name)
    asked = result.shown
    before = prefix(result, name)
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
        if asked.most_confused and pairs.height:
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
    """Numbers that are undefined or left out, the kind of task, the number of items, the source of intervals."""
    yield from undefined(result)
    yield from _without_numbers(result)
    items = ", ".join(dict.fromkeys(_items(result, system.name) for system in result.systems))
    positive = f", positive is {result.positive}" if result.task == "binary" else ""
    at = "" if result.threshold is None else f" from a score of {significant(result.threshold, 6)} on"
    yield f"{result.task}: {items}, {number_of('label', len(result.labels))}{positive}{at}."
    estimates = [result.estimate(measure, system.name) for system in result.systems for measure in result.measures]
    methods = dict.fromkeys(estimate.method for estimate in estimates)
    resamples = {estimate.resamples for estimate in estimates if estimate.resamples}
    if result.resamples and any(system.is_labelled for system in result.systems):  # F1 of classes is drawn in any case
        methods |= {BOOTSTRAP: None}
        resamples.add(result.resamples)
    ways = {method: INTERVALS[method].short for method in methods if method != NO_INTERVAL}
    if resamples:
        counts = " or ".join(f"{count:,}" for count in sorted(resamples))
        ways[BOOTSTRAP] += f" ({counts} resamples, seed {result.seed})"
    if ways:
        yield f"Intervals ({as_level(result.confidence)}): {', '.join(ways.values())}."
    yield from without_interval(result)
    yield from _classes_without_interval(result)


def _classes_without_interval(result: Classification) -> Iterator[str]:
    """Of which classes a measure has a number and no interval, a line per measure and system."""
    for system in result.systems:
        if not system.is_labelled:
            continue
        frame, why = result.per_class(system.name), result.why_no_interval_of_classes(system.name)
        for name, title in _RATES.items():
            bare = frame.filter(pl.col(name).is_not_null() & pl.col(f"{name}_low").is_null())["label"].to_list()
            if bare:
                of = f"{title} of {listed([str(label) for label in bare])}{whose(result, system.name)}"
                yield f"No interval (–) of {of}: {why}."


def _without_numbers(result: Classification) -> Iterator[str]:
    """Classes, or items, that averages count as something, or leave out: a line for measures that do it alike."""
    alike: dict[tuple[str, Gaps], list[str]] = {}
    for system in result.systems:
        for measure in result.measures:
            gaps = result.estimate(measure, system.name).gaps
            if gaps is not None and (gaps.counted or gaps.left_out):
                alike.setdefault((whose(result, system.name), gaps), []).append(str(measure))
    for (of_system, gaps), names in alike.items():
        yield from (f"{line}." for line in gaps.in_words(", ".join(names), of_system, several=len(names) > 1))


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
    for (name, value), labels in report.counted.items():
        lines.append(f"averages of {name} count {of_kind('class', [*map(str, labels)])} as {value:g}")
    words = tuple(map(Prose, [f"accuracy {number(report.accuracy)}", *lines]))
    classes = Section("classes", parts=(Table("classes", report.to_frame(), columns), *words))
    return Document("label_report", (classes,), "Classes")


#: Rows of the table of classes, and of confused pairs; items that flipped, where a text is read at a stretch.
MOST_CLASSES, MOST_PAIRS, _MOST_FLIPPED = 100, 10, 10
#: Flipped items are counted for so many systems.
_MOST_COMPARED = 8

_NEEDED_FOR_PAIRS = 3


_AVERAGES = {"macro": "mean over classes", "weighted": "mean over classes, by their items", "micro": "over all items"}

_SIDES = HeatSides(
    keys=("truth", "prediction"),
    corner="truth ↓ predicted →",
    ways=("Share of each true label (rows)", "Share of each predicted label (columns)"),
    wholes=("of all that are {}", "of all predicted as {}"),
    right="{items} of {row} predicted rightly",
    wrong="{items} of {row} predicted as {column}",
    legend="Rows are true labels, columns predicted ones. On the diagonal, green, predictions are right; elsewhere, "
    "red, they are wrong.",
    back="Back to the matrix",
)


def sections(evidence: Evidence) -> Iterator[Section]:
    """All sections that have something to show, in reading order."""
    every = (section(evidence) for section in (measures, compared, confusion, threshold, classes, pairs, calibration))
    return (section for section in every if section.parts)


def measures(evidence: Evidence) -> Section:
    """Every measure of every system."""
    first = evidence.result.baselines(evidence.result.systems[0].name)
    return measured(evidence.result, [each for each in first if each.kind == "majority"], _AVERAGES)


def compared(evidence: Evidence) -> Section:
    """Each verdict on a line, and what became of single items."""
    result, held = evidence.result, evidence.comparison
    bounded = {str(measure) for measure in result.measures if is_bounded(measure)}
    parts = [] if held is None else [verdicts(held, "Classifiers compared", bounded)]
    others = [system.name for system in result.systems if system.name != evidence.baseline]
    flips = (_flips(evidence, name, f"flips-{place}") for place, name in enumerate(others, 1))
    parts += [section for section in flips if section.parts][:_MOST_COMPARED]
    lead = "Whether the difference could be chance, and what became of single items."
    return Section("compared", "Compared", tuple(parts), lead)


def _flips(evidence: Evidence, system: str, name: str) -> Section:
    """Counts of items set right and broken, and some of them; nothing where nothing is predicted."""
    baseline = evidence.baseline
    if system not in evidence.changes:
        return Section(name)
    flips, frame = evidence.changes[system]
    text = f"{system} in place of {baseline}: {number_of('item', flips.fixed)} fixed, {flips.broken:,} broken."
    frame = frame.rename(dict(zip(frame.columns[2:4], ("before", "after"), strict=True)))
    columns = (Column("item_id", "item"), Column("truth"), Column("before", baseline), Column("after", system))
    tables = []
    for change, every in (("fixed", flips.fixed), ("broken", flips.broken)):
        rows = frame.filter(change=change).head(MOST_ITEMS).drop("change")
        items = rows.with_columns(pl.all().map_elements(named, return_dtype=pl.String))
        some = f"the first {rows.height:,} of {every:,}" if rows.height < every else number_of("item", every)
        caption, fold = f"{change.capitalize()} by {system}", f"{change.capitalize()}: {some}"
        if rows.height:
            tables.append(Table(change, items, columns, caption, most=_MOST_FLIPPED, fold=fold, look="listed"))
    counts = {"baseline": baseline, "system": system, "counts": flips._asdict()}
    return Section(name, parts=(Prose(text), *tables), data=counts)


def confusion(evidence: Evidence) -> Section:
    """The matrix of each system as a map, all of the same labels in one order: if many, those confused most."""
    parts = []
    for place, confused in enumerate(evidence.confused, 1):
        heat = _map(evidence, confused, f"confusion-{place}")
        parts.append(
            heat.section(confused.system, f"{counted(heat.counts.trace())} of {counted(heat.counts.sum())} right")
        )
    lead = "What was taken for what."
    return by_system("confusion", "Confusion matrix", lead, parts, evidence.result, short="Confusion")


def _map(evidence: Evidence, confused: ConfusedLabels, name: str) -> HeatMap:
    """A system's matrix of these labels, with some items of each cell."""
    predictions = evidence.result.system(confused.system).predictions
    known = confused.labels
    total = confused.sums[2]
    names = [evidence.names[str(label)] for label in known]
    inside = confused.counts
    left_out = ""
    if len(known) < confused.every:
        left_out = (
            f"The {len(known)} of {confused.every:,} labels that are confused most; {total - inside.sum():,.0f} of "
            f"{total:,.0f} items have another label or were given one."
        )
    caption = f"Confusion matrix of {confused.system}"
    diagonal = np.eye(len(known), dtype=bool)
    sums, intervals = confused.sums, confused.intervals
    heat = HeatMap(name, caption, _SIDES, names, names, inside, sums, diagonal, intervals, left_out)
    if predictions is None or predictions.prediction is None:
        return heat
    ids = predictions.item_id if predictions.has_ids else None
    both = (predictions.truth, predictions.prediction)
    return heat.with_items(both, (known, known), ids, predictions.score, confused.sure)


def threshold(evidence: Evidence) -> Section:
    """A threshold to move, for each system with scores."""
    systems = [ExplorerThresholds.of(each) for each in evidence.thresholds]
    parts = [explorer(systems, place) for place in range(len(systems))]
    lead = "Move the threshold and see what it costs: all parts below move together."
    return by_system("threshold", "Which threshold?", lead, parts, evidence.result, short="Threshold")


def classes(evidence: Evidence) -> Section:
    """The numbers of each class against the others; of many, the largest."""
    parts = []
    for place, system in enumerate(evidence.labelled, 1):
        table = classes_table(evidence.result, system, f"Classes, by {system}", least=4)
        frame = table.frame
        rest = table.frame.height - MOST_CLASSES
        note = (
            f"Support: how many items belong to the class. Lines: {as_level(evidence.result.confidence)} intervals, "
            "all on an axis from 0 to 1."
        )
        if rest > 0:
            frame = frame.sort("support", descending=True, maintain_order=True).head(MOST_CLASSES)
            note += f" The {frame.height} largest classes; {number_of('smaller one', rest)} not shown."
        names = pl.Series([evidence.names[str(label)] for label in frame["label"]], dtype=pl.String)
        table = replace(table, frame=frame.with_columns(label=names), notes=(note,), look="systems classes")
        parts.append(Section(f"classes-{place}", system, (table,), data={"system": system}))
    return by_system("classes", "Class by class", "", parts, evidence.result, short="Classes")


def pairs(evidence: Evidence) -> Section:
    """Labels that are taken for others, the most frequent first; nothing of two labels, or without a mistake."""
    parts = []
    numbers = (Column("items", kind="count"), Column("share", "of the label", "bar"))
    columns = (Column("truth"), Column("prediction", "taken for"), *numbers)
    for place, system in enumerate(evidence.counted, 1):
        frame = evidence.result.confused(system).head(MOST_PAIRS)
        if frame.height and len(evidence.result.labels) >= _NEEDED_FOR_PAIRS:
            frame = frame.with_columns(pl.col("truth", "prediction").replace(evidence.names))
            table = Table("pairs", frame, columns, f"Labels that {system} confuses", look="pairs")
            parts.append(Section(f"pairs-{place}", system, (table,), data={"system": system}))
    return by_system("pairs", "Most confused pairs", "", parts, evidence.result, short="Pairs", every=False)


def calibration(evidence: Evidence) -> Section:
    """Probabilities against the shares of positive items, or of right predictions."""
    result = evidence.result
    level = as_level(evidence.result.confidence)
    parts = []
    for place, system in enumerate(evidence.close, 1):
        if system in evidence.calibrations:
            parts.append(replace(_calibration(evidence, system), name=f"calibration-{place}"))
    are = "positive" if result.task == "binary" else "predicted rightly"
    lead = (
        f"If scores are probabilities, of all items with a score of 0.8 four fifths are {are}. Lines: {level} "
        "intervals."
    )
    title = "Can scores be read as probabilities?"
    return by_system("calibration", title, lead, parts, result, short="Calibration")


def _calibration(evidence: Evidence, system: str) -> Section:
    frame, error = evidence.calibrations[system]
    frame, result = frame.fill_nan(None), evidence.result
    label = evidence.names[str(result.positive)] if result.task == "binary" else "right predictions"
    columns = (
        Column("probability", "mean score", "number"),
        Column("came_true", f"share of {label}", "number"),
        Column("came_true", "interval", "bracketed", 3, ends=("low", "high")),
        Column("items", kind="count"),
    )
    text = f"Expected calibration error, {ECE}: {number(error)}."
    table = Table("bins", frame, columns, f"Calibration of {system}", (text,), fold="As a table")
    figure = charts.calibration(frame.with_columns(system=pl.lit(system)), [Series(system)], label=label)
    figure = replace(figure, subtitle=text, says=f"Calibration of {system}: {text}", data=pl.DataFrame())
    return Section("", system, (figure, table), data={"system": system, "label": label, "error": error})
