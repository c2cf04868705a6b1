"""What a system's scores would give: every threshold's table, the rules' choices, distributions and calibration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.classification import Classification
from assay.classifier_curves.calibrated import reliability
from assay.classifier_curves.spread import bin_edges, in_bins
from assay.core.digits import significant
from assay.counting.confusion import Confusion
from assay.counting.probabilities import Probabilities
from assay.counting.scored import Scored, ScoreTable
from assay.measures.parser import parse_measure
from assay.reporting.classifier_contents import (
    MEASURED_AT,
    AtThreshold,
    Calibration,
    CalibrationBin,
    Histogram,
    RuleChoice,
    Share,
    SystemThresholds,
)
from assay.reporting.classifier_matrices import label_names
from assay.reporting.item_contents import Estimated
from assay.tables.predictions import Predictions
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


def thresholds_of(result: Classification, system: str) -> SystemThresholds | None:
    """Everything about a system's thresholds; None without scores, or where one of the two classes has no item."""
    scored = result.scored(system)
    predictions = result.system(system).predictions
    if scored is None or predictions is None or not (scored.positives and scored.negatives):
        return None
    table, label = scored.table, label_names(result)
    candidates = Candidates(scored)
    places = {name: chosen(rule, candidates).place for rule, name, _ in _RULES}
    start, says, in_use = _start(result, system, candidates, places["Youden"])
    kept = _kept(table, [start, *places.values()])
    cells = _at(table, kept)
    rows = dict(zip(kept, cells, strict=True))
    values = _measured([rows[start], *(rows[place] for place in places.values())])
    return SystemThresholds(
        system,
        label[str(predictions.positive)],
        label[str(predictions.negative)],
        result.labels[0] == result.positive,
        tuple(cells),
        len(table.threshold),
        kept.index(start),
        says,
        in_use,
        values[0],
        tuple(
            RuleChoice(name, told, rows[places[name]], found)
            for (_, name, told), found in zip(_RULES, values[1:], strict=True)
        ),
        _histogram(scored),
        _area(result, system, "AUC", scored),
        _area(result, system, "AveragePrecision", scored),
    )


def _start(result: Classification, system: str, candidates: Candidates, youden: int) -> tuple[int, str, bool]:
    """The threshold that the system decides by, and True; if that is not known, one that is as good as any."""
    threshold = result.system(system).threshold
    if threshold is not None:
        return candidates.place(threshold), f"where it decides (positive from {significant(threshold, 6)} on)", True
    predictions = result.system(system).predictions
    decided = None if predictions is None else decided_from(predictions)
    if decided is not None:
        return candidates.place(decided), "where its predictions were made", True
    predicts = predictions is not None and predictions.prediction is not None
    why = "its own predictions follow no threshold" if predicts else "it predicts nothing itself"
    return youden, f"where true positive and true negative rate have their largest sum; {why}", False


def decided_from(predictions: Predictions) -> float | None:
    """The lowest score that was predicted positive, if all lower ones were predicted negative; else None.

    >>> decided_from(Predictions.of([1, 1, 0], [1, 0, 0], y_score=[0.9, 0.3, 0.2]))
    0.9
    >>> decided_from(Predictions.of([1, 1, 0], [0, 1, 0], y_score=[0.9, 0.3, 0.2])) is None
    True
    """
    if predictions.prediction is None or predictions.score is None:
        return None
    scores, positive = predictions.score.to_numpy(), (predictions.prediction == predictions.positive).to_numpy()
    lowest = scores[positive].min(initial=np.inf)
    return float(lowest) if scores[~positive].max(initial=-np.inf) < lowest else None


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
    below = np.append(table.threshold[1:], -np.inf)
    wanted = (table.threshold, table.tp, table.fp, table.fn, table.tn, below)
    columns = (column[list(places)].tolist() for column in wanted)
    return [AtThreshold(*row) for row in zip(*columns, strict=True)]


def _measured(rows: Sequence[AtThreshold]) -> list[tuple[float, ...]]:
    """The measures at each threshold, by the measures' own formulas."""
    tp, fp, fn, tn = (np.array(column) for column in zip(*(row.cells for row in rows), strict=True))
    confusion = Confusion(tuple(map(str, range(len(rows)))), tp, fp, fn, tn, "table")
    values = [parse_measure(name, "binary").of(confusion).tolist() for name in MEASURED_AT]
    return [tuple(row) for row in zip(*values, strict=True)]


def _histogram(scored: Scored) -> Histogram:
    edges = bin_edges([scored], BINS)
    return Histogram(tuple(edges.tolist()), *(tuple(side.tolist()) for side in in_bins(scored, edges)))


def _area(result: Classification, system: str, name: str, scored: Scored) -> Estimated:
    """An area under a curve: as it was estimated, or else the number alone."""
    measure = parse_measure(name, "binary")
    if measure in result.measures:
        found = result.estimate(measure, system)
        return Estimated(name, found.value, found.low, found.high, found.method, found.undefined or "")
    return Estimated(name, float(measure.of(scored)[0]))


def calibration_of(result: Classification, system: str) -> Calibration | None:
    """How far probabilities are shares of positive items, or of right predictions; None without such scores."""
    probabilities: Probabilities | None = result.system(system).counts.get(Probabilities)
    if probabilities is None:
        return None
    frame, error = reliability(probabilities, bins=CALIBRATION_BINS, confidence=result.confidence)
    columns = frame.select("items", "probability", "came_true", "low", "high")
    bins = tuple(CalibrationBin(items, score, Share(*share)) for items, score, *share in columns.iter_rows())
    label = "right predictions" if probabilities.positive is None else label_names(result)[str(result.positive)]
    return Calibration(system, label, bins, error)
