"""What a system's scores would give: every threshold's table, the rules' choices, distributions and calibration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.classification import Classification
from assay.counting.confusion import Confusion
from assay.counting.probabilities import Probabilities
from assay.counting.scored import Scored, ScoreTable
from assay.measures.parser import parse_measure
from assay.reporting.classifier_contents import (
    MEASURED_AT,
    AtThreshold,
    Calibration,
    CalibrationBin,
    Estimated,
    Histogram,
    Rule,
    Share,
    Thresholds,
)
from assay.reporting.classifier_matrices import named
from assay.stats.proportions import wilson
from assay.thresholding.cells import Candidates
from assay.thresholding.choosing import chosen
from assay.thresholding.rules import closest_to_corner, max_accuracy, max_f, youden

#: Of more thresholds than these, some are left out.
MOST_THRESHOLDS = 500
#: Bins of the distributions, and of the calibration.
BINS, CALIBRATION_BINS = 40, 10
_RULES = (
    (max_accuracy, "max accuracy", "most items right"),
    (youden, "Youden", "the largest sum of true positive and true negative rate"),
    (closest_to_corner, "corner", "closest to the upper left corner of the ROC curve"),
    (max_f, "max F1", "the largest harmonic mean of precision and recall"),
)


def thresholds_of(result: Classification, system: str) -> Thresholds | None:
    """Everything about a system's thresholds; None without scores, or where one of the two classes has no item."""
    scored = result.scored(system)
    predictions = result.system(system).predictions
    if scored is None or predictions is None or not (scored.positives and scored.negatives):
        return None
    table = scored.table
    candidates = Candidates(scored)
    places = {name: chosen(rule, candidates).place for rule, name, _ in _RULES}
    start, says = _start(result, system, candidates, places["Youden"])
    kept = _kept(table, [start, *places.values()])
    cells = _at(table, kept)
    rows = dict(zip(kept, cells, strict=True))
    values = _measured([rows[start], *(rows[place] for place in places.values())])
    return Thresholds(
        system,
        named(predictions.positive),
        named(predictions.negative),
        tuple(cells),
        len(table.threshold),
        kept.index(start),
        says,
        values[0],
        tuple(
            Rule(name, told, rows[places[name]], found)
            for (_, name, told), found in zip(_RULES, values[1:], strict=True)
        ),
        _histogram(scored),
        _area(result, system, "AUC", scored),
        _area(result, system, "AveragePrecision", scored),
    )


def _start(result: Classification, system: str, candidates: Candidates, youden: int) -> tuple[int, str]:
    """The threshold that the system decides by, as far as that is known."""
    if result.threshold is not None:
        return candidates.place(result.threshold), f"where it decides (positive from {result.threshold:g} on)"
    table, cells = candidates.scored.table, result.matrix(system).positive_class()
    same = np.flatnonzero(np.isclose(table.tp, cells.tp[0]) & np.isclose(table.fp, cells.fp[0]))
    if len(same):
        return int(same[0]), "where its predictions were made"
    return youden, (
        "where true positive and true negative rate have their largest sum; its own predictions follow no threshold"
    )


def _kept(table: ScoreTable, wanted: Sequence[int]) -> list[int]:
    """The places of the thresholds that are shown: all, or some at even steps along the ROC curve."""
    every = len(table.threshold)
    if every <= MOST_THRESHOLDS:
        return list(range(every))
    must = {0, every - 1, *wanted}
    along = table.tpr + table.fpr
    steps = np.linspace(0.0, along[-1], MOST_THRESHOLDS - len(must))
    return sorted(must | {int(place) for place in np.searchsorted(along, steps).clip(0, every - 1)})


def _at(table: ScoreTable, places: Sequence[int]) -> list[AtThreshold]:
    columns = (column[list(places)].tolist() for column in (table.threshold, table.tp, table.fp, table.fn, table.tn))
    return [AtThreshold(*row) for row in zip(*columns, strict=True)]


def _measured(rows: Sequence[AtThreshold]) -> list[tuple[float, ...]]:
    """The measures at each threshold, by the measures' own formulas."""
    _, tp, fp, fn, tn = (np.array(column) for column in zip(*rows, strict=True))
    confusion = Confusion(tuple(map(str, range(len(rows)))), tp, fp, fn, tn, "table")
    values = [parse_measure(name, "binary").of(confusion).tolist() for name in MEASURED_AT]
    return [tuple(row) for row in zip(*values, strict=True)]


def _histogram(scored: Scored) -> Histogram:
    ends = [*scored.positive[[0, -1]].tolist(), *scored.negative[[0, -1]].tolist()]
    low, high = min(ends), max(ends)
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    elif low == high:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, BINS + 1)
    counts = (
        np.histogram(scores.astype(np.float64), bins=edges, weights=weight)[0].astype(np.float64).tolist()
        for scores, weight in (
            (scored.positive, scored.positive_weight),
            (scored.negative, scored.negative_weight),
        )
    )
    return Histogram(tuple(edges.tolist()), *map(tuple, counts))


def _area(result: Classification, system: str, name: str, scored: Scored) -> Estimated:
    """An area under a curve: as it was estimated, or else the number alone."""
    measure = parse_measure(name, "binary")
    if measure in result.measures:
        found = result.estimate(measure, system)
        return Estimated(name, found.value, found.low, found.high, found.method, found.undefined or "")
    return Estimated(name, float(measure.of(scored)[0]))


def calibration_of(result: Classification, system: str) -> Calibration | None:
    """How far probabilities are shares of positive items, or of right predictions; None without such scores.

    The bins are those of the expected calibration error, which keeps them as its steps.
    """
    probabilities: Probabilities | None = result.system(system).counts.get(Probabilities)
    if probabilities is None:
        return None
    found = parse_measure(f"ECE(bins={CALIBRATION_BINS})", result.vocabulary).per_unit(probabilities)
    steps = next((part.steps for part in found.leaves() if part.steps is not None), None)
    if steps is None:
        return None
    columns = (steps[name].tolist() for name in ("items", "probability", "came_true"))
    confidence = None if probabilities.weight is not None else result.confidence
    bins = tuple(
        CalibrationBin(items, score, _with_interval(share, items, confidence))
        for items, score, share in zip(*columns, strict=True)
    )
    label = "right predictions" if probabilities.positive is None else named(result.positive)
    return Calibration(system, label, bins, float(found.values[0]))


def _with_interval(share: float, items: float, confidence: float | None) -> Share:
    """Of items that are counted one by one, with Wilson's interval."""
    if confidence is None:
        return Share(share)
    interval = wilson(min(share * items, items), items, confidence)
    return Share(share, interval.low, interval.high)
