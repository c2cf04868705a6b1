"""The sections of a report on classifiers: what was taken for what, class by class, and what scores are worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from assay.core.digits import as_level, counted, number
from assay.core.errors import number_of
from assay.measures.counting.confusion_matrix import ConfusionMatrix
from assay.measures.counting.probabilities import Probabilities
from assay.measures.names import display_name
from assay.show import charts
from assay.show.figure import Series
from assay.show.legible import cut_apart
from assay.show.model import Column, Prose, Section, Table
from assay.subjects.labels.curves.bins import reliability
from assay.subjects.labels.pairing import Classifiers
from assay.subjects.labels.result import Classification, sureness
from assay.subjects.labels.sections.classifications import classes_table, together
from assay.subjects.labels.sections.scores import explorer, thresholds_of
from assay.verbs.report.heat import MOST_ITEMS, HeatMap, HeatSides
from assay.verbs.report.items import (
    LONGEST_NAME,
    Items,
    by_system,
    is_bounded,
    measured,
    named,
    verdicts,
)

#: Of more labels than these, only those that are confused most are drawn.
MOST_LABELS = 20
#: Rows of the table of classes, and of confused pairs; items that flipped, where a text is read at a stretch.
MOST_CLASSES, MOST_PAIRS, _MOST_FLIPPED = 100, 10, 10
#: Flipped items are counted for so many systems.
_MOST_COMPARED = 8
_NEEDED_FOR_PAIRS = 3
_BINS = 10
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


@dataclass(frozen=True, eq=False)
class Evidence(Items[Classification]):
    """What a report on classifiers rests on; `paired`: the predictions of the same items, where there are such."""

    kind = "classifier"
    role = "predictions"
    described = "predictions of"

    paired: Classifiers | None = None

    @cached_property
    def labelled(self) -> list[str]:
        """Those of them that predict something for every item."""
        return [name for name in self.close if self.result.system(name).is_labelled]

    @cached_property
    def counted(self) -> list[str]:
        """Those of them that have a confusion matrix."""
        return self.labelled if self.result.task != "multilabel" else []

    @cached_property
    def names(self) -> dict[str, str]:
        """How labels are shown, by what they are as text: not too long, and no two alike."""
        matrices = (system.counts.get(ConfusionMatrix) for system in self.result.systems)
        known = chain(self.result.labels, *(matrix.labels for matrix in matrices if matrix is not None))
        labels = list(dict.fromkeys(map(str, known)))
        return dict(zip(labels, cut_apart(labels, LONGEST_NAME), strict=True))


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
    result, held, paired = evidence.result, evidence.held, evidence.paired
    bounded = {display_name(measure) for measure in result.measures if is_bounded(measure)}
    parts = [] if held is None else [verdicts(held, "Classifiers compared", bounded)]
    if paired is not None:
        others = [system.name for system in result.systems if system.name != evidence.baseline]
        flips = (_flips(paired, evidence.baseline, name, f"flips-{place}") for place, name in enumerate(others, 1))
        parts += [section for section in flips if section.parts][:_MOST_COMPARED]
    lead = "Whether the difference could be chance, and what became of single items."
    return Section("compared", "Compared", tuple(parts), lead)


def _flips(paired: Classifiers, baseline: str, system: str, name: str) -> Section:
    """How many items were set right and broken, and some of them; nothing where nothing is predicted."""
    flips = paired.flips(baseline, system)
    if flips is None:
        return Section(name)
    text = f"{system} in place of {baseline}: {number_of('item', flips.fixed)} fixed, {flips.broken:,} broken."
    frame = paired.flipped(baseline, system)
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
    parts, labels = [], _most_confused(evidence)
    for place, name in enumerate(evidence.counted, 1):
        heat = _map(evidence, name, labels, f"confusion-{place}")
        parts.append(heat.section(name, f"{counted(heat.counts.trace())} of {counted(heat.counts.sum())} right"))
    lead = "What was taken for what."
    return by_system("confusion", "Confusion matrix", lead, parts, evidence.result, short="Confusion")


def _most_confused(evidence: Evidence) -> list[Any]:
    """The labels with most errors, in their order."""
    if not evidence.counted:
        return []
    matrix = together(evidence.result, evidence.counted)
    _, fp, fn, _ = matrix.cells()
    most = np.argsort(-(fp + fn)[0], kind="stable")[:MOST_LABELS]
    return [matrix.labels[place] for place in np.sort(most)]


def _map(evidence: Evidence, system: str, labels: Sequence[Any], name: str) -> HeatMap:
    """A system's matrix of these labels, with some items of each cell."""
    whole, predictions = evidence.result.matrix(system), evidence.result.system(system).predictions
    known = [label for label in labels if label in whole.labels]
    places, names = list(map(whole.labels.index, known)), [evidence.names[str(label)] for label in known]
    table = whole.table.astype(np.float64)
    inside, total = table[np.ix_(places, places)], float(table.sum())
    left_out = ""
    if len(known) < len(whole.labels):
        left_out = (
            f"The {len(known)} of {len(whole.labels):,} labels that are confused most; {total - inside.sum():,.0f} of "
            f"{total:,.0f} items have another label or were given one."
        )
    sums = table.sum(axis=1)[places], table.sum(axis=0)[places], total
    confidence = evidence.result.confidence if whole.tables.dtype.kind in "iu" else None
    caption, diagonal = f"Confusion matrix of {system}", np.eye(len(known), dtype=bool)
    heat = HeatMap(name, caption, _SIDES, names, names, inside, sums, diagonal, confidence, left_out)
    if predictions is None or predictions.prediction is None:
        return heat
    ids = predictions.item_id if predictions.has_ids else None
    both = (predictions.truth, predictions.prediction)
    # Within a cell, a threshold makes no difference to what is sure.
    return heat.with_items(both, (known, known), ids, predictions.score, sureness(predictions))


def threshold(evidence: Evidence) -> Section:
    """A threshold to move, for each system with scores."""
    known = (thresholds_of(evidence.result, name, evidence.names) for name in evidence.close)
    systems = [each for each in known if each is not None]
    parts = [explorer(systems, place) for place in range(len(systems))]
    lead = "Move the threshold and see what it costs: all parts below move together."
    return by_system("threshold", "Which threshold?", lead, parts, evidence.result, short="Threshold")


def classes(evidence: Evidence) -> Section:
    """How well each class is told from the others; of many, the largest."""
    parts = []
    for place, system in enumerate(evidence.labelled, 1):
        table = classes_table(evidence.result, system, f"Classes, by {system}", least=4)
        frame, rest = table.frame, table.frame.height - MOST_CLASSES
        note = (
            f"Support: items that truly are of the class. Lines: {as_level(evidence.result.confidence)} intervals, all "
            "on an axis from 0 to 1."
        )
        if rest > 0:
            frame = frame.sort("support", descending=True, maintain_order=True).head(MOST_CLASSES)
            note += f" The {frame.height} largest classes; {number_of('smaller one', rest)} not shown."
        names = pl.Series([evidence.names[str(label)] for label in frame["label"]], dtype=pl.String)
        table = replace(table, frame=frame.with_columns(label=names), notes=(note,), look="systems classes")
        parts.append(Section(f"classes-{place}", system, (table,), data={"system": system}))
    return by_system("classes", "Class by class", "", parts, evidence.result, short="Classes")


def pairs(evidence: Evidence) -> Section:
    """Which labels are taken for which others, most often first; nothing of two labels, or without a mistake."""
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
    """How far probabilities are shares of positive items, or of right predictions."""
    result, level = evidence.result, as_level(evidence.result.confidence)
    parts = []
    for place, system in enumerate(evidence.close, 1):
        probabilities: Probabilities | None = result.system(system).counts.get(Probabilities)
        if probabilities is not None:
            parts.append(replace(_calibration(evidence, system, probabilities), name=f"calibration-{place}"))
    are = "positive" if result.task == "binary" else "predicted rightly"
    lead = (
        f"If scores are probabilities, of all items with a score of 0.8 four fifths are {are}. Lines: {level} "
        "intervals."
    )
    title = "Can scores be read as probabilities?"
    return by_system("calibration", title, lead, parts, result, short="Calibration")


def _calibration(evidence: Evidence, system: str, probabilities: Probabilities) -> Section:
    frame, error = reliability(probabilities, bins=_BINS, confidence=evidence.result.confidence)
    frame = frame.with_columns(pl.col(pl.Float64).fill_nan(None))
    label = "right predictions" if probabilities.positive is None else evidence.names[str(evidence.result.positive)]
    columns = (
        Column("probability", "mean score", "number"),
        Column("came_true", f"share of {label}", "number"),
        Column("came_true", "interval", "bracketed", 3, ends=("low", "high")),
        Column("items", kind="count"),
    )
    text = f"Expected calibration error {number(error)}."
    table = Table("bins", frame, columns, f"Calibration of {system}", (text,), fold="As a table")
    figure = charts.calibration(frame.with_columns(system=pl.lit(system)), [Series(system)], label=label)
    figure = replace(figure, subtitle=text, says=f"Calibration of {system}: {text}", data=pl.DataFrame())
    return Section("", system, (figure, table), data={"system": system, "label": label, "error": error})
