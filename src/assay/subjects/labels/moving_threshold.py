"""The effect of each threshold of a system, and the ones that rules choose: what a page lets you move through."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.core.digits import significant, threshold
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.scored import Scored, ScoreTable
from assay.measures.parser import parse_measure
from assay.stats.estimates import NO_INTERVAL, Estimate
from assay.subjects.labels.curves import bin_edges, in_bins
from assay.subjects.labels.result import Classification
from assay.subjects.labels.thresholds.candidates import Candidates
from assay.subjects.labels.thresholds.choice import best_places
from assay.subjects.labels.thresholds.rules import closest_to_corner, max_accuracy, max_f, youden
from assay.tables.predictions import Predictions

#: Of more thresholds than these, some are left out.
MOST_THRESHOLDS = 500
_BINS = 40
_START = "in use"
_RULES = (
    (max_accuracy, "max accuracy", "most items right"),
    (youden, "Youden", "the largest sum of true positive and true negative rate"),
    (closest_to_corner, "corner", "closest to the upper left corner of the ROC curve"),
    (max_f, "max F1", "the largest harmonic mean of precision and recall"),
)
#: The measures that are shown at a threshold, and how each is made of the four cells, for readers.
FORMULAS = {
    "Precision": "TP / (TP + FP)",
    "Recall": "TP / (TP + FN)",
    "Specificity": "TN / (TN + FP)",
    "NPV": "TN / (TN + FN)",
    "Accuracy": "(TP + TN) / all",
    "BalancedAccuracy": "(Recall + Specificity) / 2",
    "F1": "2 TP / (2 TP + FP + FN)",
    "MCC": "correlation of truth and prediction",
    "Youden": "Recall + Specificity − 1",
    "Jaccard": "TP / (TP + FP + FN)",
    "FPR": "FP / (FP + TN)",
    "FNR": "FN / (FN + TP)",
}
_CELLS = ("tp", "fp", "fn", "tn")


@dataclass(frozen=True, eq=False)
class SystemThresholds:
    """The effect of each threshold of a system: they descend, and the first one is infinite.

    `labels`: the positive one, and the other. `rows` hold the four cells of each threshold; where these are too many,
    some of them, so spread that the curves look the same, of `every`. `start` is the row that is shown first,
    `start_says` why; `in_use`: whether the system decides there. `chosen` are the start and what rules choose, with
    measures. `scores`: edges of bins, and how many positive and negative items are in each.
    """

    system: str
    labels: tuple[str, str]
    positive_first: bool
    rows: pl.DataFrame
    every: int
    start: int
    start_says: str
    in_use: bool
    chosen: pl.DataFrame
    scores: tuple[list[float], list[float], list[float]]
    auc: Estimate
    average_precision: Estimate


def thresholds_of(result: Classification, system: str, names: dict[str, str]) -> SystemThresholds | None:
    """Everything about a system's thresholds; None without scores, or where one of the two classes has no item."""
    scored = result.scored(system)
    predictions = result.system(system).predictions
    if scored is None or predictions is None or not (scored.positives and scored.negatives):
        return None
    candidates = Candidates(scored)
    places = {rule: int(best_places(rule, candidates)[0]) for rule, *_ in _RULES}
    start, why, in_use = _start(result, system, candidates, places[youden])
    kept = _kept(scored.table, [start, *places.values()])
    rows = _cells_at(scored.table, kept)
    at = [kept.index(place) for place in (start, *places.values())]
    words = [(_START, ""), *((name, f" ({why})") for _, name, why in _RULES)]
    rules = pl.DataFrame(words, schema=["rule", "why"], orient="row").with_columns(row=pl.Series(at))
    edges = bin_edges([scored], _BINS)
    return SystemThresholds(
        system=system,
        labels=(names[str(predictions.positive)], names[str(predictions.negative)]),
        positive_first=result.labels[0] == result.positive,
        rows=rows,
        every=len(scored.table.threshold),
        start=at[0],
        start_says=why,
        in_use=in_use,
        chosen=_measured(rules.hstack(rows[at])),
        scores=(edges.tolist(), *(side.tolist() for side in in_bins(scored, edges))),
        auc=_area(result, system, "AUC", scored),
        average_precision=_area(result, system, "AveragePrecision", scored),
    )


def _start(result: Classification, system: str, candidates: Candidates, best: int) -> tuple[int, str, bool]:
    """The threshold that the system decides by, and True; if that is not known, one that is as good as any."""
    at, predictions = result.system(system).threshold, result.system(system).predictions
    if at is not None:
        return candidates.place(at), f"where it decides (positive from {significant(at, 6)} on)", True
    decided = None if predictions is None else decided_from(predictions)
    if decided is not None:
        return candidates.place(decided), "where its predictions were made", True
    predicts = predictions is not None and predictions.prediction is not None
    why = "its own predictions follow no threshold" if predicts else "it predicts nothing itself"
    return best, f"where true positive and true negative rate have their largest sum; {why}", False


def decided_from(predictions: Predictions) -> float | None:
    """The lowest score that was predicted positive, if all lower ones were predicted negative; else None.

    >>> decided_from(Predictions.of([1, 1, 0], [1, 0, 0], y_score=[0.9, 0.3, 0.2]))
    0.9
    >>> decided_from(Predictions.of([1, 1, 0], [0, 1, 0], y_score=[0.9, 0.3, 0.2])) is None
    True
    """
    if predictions.prediction is None or predictions.score is None:
        return None
    scores = predictions.score.to_numpy()
    positive = (predictions.prediction == predictions.positive).to_numpy()
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


def _cells_at(table: ScoreTable, places: Sequence[int]) -> pl.DataFrame:
    """The four cells at some thresholds; `below` is the next lower score: each number above it decides alike."""
    frame = table.to_frame().with_columns(below=pl.col("threshold").shift(-1, fill_value=-math.inf))[list(places)]
    texts = [threshold(*ends) for ends in frame.select("threshold", "below").iter_rows()]
    return frame.with_columns(pl.Series("says", texts), precision=pl.col("tp") / (pl.col("tp") + pl.col("fp")))


def _measured(rows: pl.DataFrame) -> pl.DataFrame:
    """The measures at each threshold, by the measures' own formulas."""
    tp, fp, fn, tn = (rows[name].to_numpy() for name in _CELLS)
    confusion = Confusion(tuple(map(str, range(rows.height))), tp, fp, fn, tn, "table")
    return rows.with_columns(pl.Series(name, parse_measure(name, "binary").of(confusion)) for name in FORMULAS)


def _area(result: Classification, system: str, name: str, scored: Scored) -> Estimate:
    """An area under a curve: as it was estimated, or else the number alone."""
    measure = parse_measure(name, "binary")
    if measure in result.measures:
        return result.estimate(measure, system)
    return Estimate(float(measure.of(scored)[0]), math.nan, math.nan, NO_INTERVAL)
