"""Checks of scores: whether they are numbers, fit the predictions and point the right way."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import polars as pl

from assay.core.digits import number
from assay.core.errors import quote
from assay.measures.counting.confusion_matrix import ConfusionMatrix
from assay.measures.counting.scored import Scored
from assay.measures.parser import parse_measure
from assay.subjects.labels.checks.columns import absences
from assay.subjects.labels.checks.examined_predictions import ExaminedPredictions
from assay.verbs.diagnosis.findings import EXAMPLES, CheckFinding, check, finding, share

#: With fewer items than this, perfection or the opposite may be luck.
LEAST_ITEMS = 20
#: One-sided 1 % of the normal distribution.
_SURE = 2.326


@check(
    "absent-scores", "system", "error",
    question="Are there scores that are absent, no number, or infinite?",
    advice="write a finite number for each item; find out where the model fails",
)  # fmt: skip
def absent_scores(system: ExaminedPredictions) -> Iterator[CheckFinding]:
    """Nulls, NaN and infinities among scores."""
    yield from absences("absent-scores", "finite score", system, system.of, ~system.has_scores)


@check(
    "score-range", "system", "note",
    question="Are scores no probabilities: outside 0 to 1, or not adding up to 1 over the classes?",
    advice="nothing, for AUC; log loss and Brier's score need probabilities, and a threshold has to be said",
)  # fmt: skip
def score_range(system: ExaminedPredictions) -> Iterator[CheckFinding]:
    """Scores that are something else."""
    if system.score is not None:
        outside = ~system.score.is_between(0, 1).fill_null(value=True) & system.score.is_finite().fill_null(value=False)
        if count := int(outside.sum()):
            odd = system.score.filter(outside).to_numpy()
            message = (
                f"scores outside 0 to 1 in {share(count, len(outside), 'row')} (from {odd.min():g} to {odd.max():g})"
            )
            yield finding("score-range", "note", system, message, count)
    elif system.class_scores and system.probabilities is None and system.usable.any():
        sums = np.sum([column.fill_null(math.nan).to_numpy() for column in system.class_scores.values()], axis=0)
        off = np.flatnonzero(system.usable & (np.abs(sums - 1) > 0.01))
        if len(off):
            examples = [system.of.example(row, f"they add up to {sums[row]:g}") for row in off[:EXAMPLES].tolist()]
            message = f"scores of classes do not add up to 1 in {share(len(off), len(sums), 'row')}"
            yield finding("score-range", "note", system, message, len(off), examples=examples)


@check(
    "constant-score", "system", "warning",
    question="Is there one score for all items?",
    advice="the scores were lost, or the model has learnt nothing: AUC is 0.5 then, whatever it does",
)  # fmt: skip
def constant_score(system: ExaminedPredictions) -> Iterator[CheckFinding]:
    """A score that tells nothing apart."""
    if system.score is not None and system.of.rows.height > 1 and system.score.drop_nulls().n_unique() == 1:
        message = f"all items have the score {system.score.drop_nulls()[0]:g}"
        yield finding("constant-score", "warning", system, message, system.of.rows.height)


@check(
    "score-conflict", "system", "warning",
    question="Do predictions contradict scores: not the largest one, or no threshold explains them?",
    advice="find out which of the two columns is right: measures of labels and of scores tell of two classifiers",
)  # fmt: skip
def score_conflict(system: ExaminedPredictions) -> Iterator[CheckFinding]:
    """Predictions beside what scores would predict."""
    if system.prediction is None or system.of.is_multilabel:
        return
    if system.class_scores:
        yield from _not_the_largest(system)
    elif system.score is not None and system.positive is not None:
        yield from _no_threshold(system, system.prediction == system.positive)


def _not_the_largest(system: ExaminedPredictions) -> Iterator[CheckFinding]:
    scores, prediction = system.class_scores or {}, system.prediction
    labels = list(scores)
    table = np.column_stack([column.fill_null(-math.inf).to_numpy() for column in scores.values()])
    place = {label: number for number, label in enumerate(labels)}
    chosen = np.array([place.get(label, -1) for label in (prediction.to_list() if prediction is not None else [])])
    rows = np.flatnonzero(system.usable & (chosen >= 0))
    wrong = rows[table[rows, chosen[rows]] < table[rows].max(axis=1)]
    if not len(wrong):
        return
    best = table.argmax(axis=1)
    examples = [
        system.of.example(row, f"{quote(labels[chosen[row]])} predicted, {table[row, chosen[row]]:g}; "
                               f"{quote(labels[best[row]])} has {table[row, best[row]]:g}")
        for row in wrong[:EXAMPLES].tolist()
    ]  # fmt: skip
    message = f"{share(len(wrong), len(rows), 'prediction')} not the label with the largest score"
    yield finding("score-conflict", "warning", system, message, len(wrong), examples=examples)


def _no_threshold(system: ExaminedPredictions, predicted: pl.Series) -> Iterator[CheckFinding]:
    """Predictions that are no step of the score."""
    score = system.score
    keep = pl.Series(system.usable) & predicted.is_not_null()
    if score is None or not keep.any():
        return
    # The threshold that explains most predictions.
    table = Scored.from_scores(predicted.filter(keep), score.filter(keep), pos_label=True).table
    mistakes = table.fp + table.fn
    best = int(mistakes.argmin())
    threshold = float(table.threshold[best])
    if mistakes[best]:
        wrong = (keep & ((score >= threshold) != predicted)).arg_true()
        positive = quote(str(system.positive))
        at = f"at the threshold that explains most, {threshold:g}, with {positive} as the positive label"
        if math.isinf(threshold):
            at = f"which explain nothing: no threshold does better than never to predict {positive}"
        message = f"{share(len(wrong), int(keep.sum()), 'prediction')} contradict the scores, {at}"
        examples = [system.of.example(row, f"score {score[row]:g}") for row in wrong.head(EXAMPLES).to_list()]
        yield finding("score-conflict", "warning", system, message, len(wrong), examples=examples)


@check(
    "reversed-scores", "scored", "warning",
    question="Is AUC below 0.5 by more than chance allows (1 %)?",
    advice="if low scores mean positive, write them with a minus (or as 1 - score); check which label is positive",
)  # fmt: skip
def reversed_scores(system: ExaminedPredictions) -> Iterator[CheckFinding]:
    """Scores that point the wrong way."""
    scored = system.scored
    if scored is None or not scored.positives or not scored.negatives:
        return
    auc = float(parse_measure("AUC", "binary").of(scored)[0])
    chance = math.sqrt((scored.positives + scored.negatives + 1) / (12 * scored.positives * scored.negatives))
    if (0.5 - auc) / chance > _SURE:
        positive = quote(str(system.positive))
        message = f"AUC is {number(auc)} with {positive} as the positive label; turned round it is {number(1 - auc)}"
        yield finding("reversed-scores", "warning", system, message)


@check(
    "reversed-predictions", "system", "warning",
    question="Of two labels, are predictions wrong more often than chance allows (MCC below 0 by more than 1 %)?",
    advice="look whether labels, or truth and scores, were swapped; turned round, the predictions would be better",
)  # fmt: skip
def reversed_predictions(system: ExaminedPredictions) -> Iterator[CheckFinding]:
    """Predictions that point the wrong way."""
    if system.prediction is None or system.of.is_multilabel:
        return
    both = pl.DataFrame({"truth": system.of.rows["truth"], "prediction": system.prediction}).drop_nulls()
    if both["truth"].n_unique() != 2 or {*both["prediction"]} != {*both["truth"]}:
        return
    mcc = float(parse_measure("MCC", "multiclass").of(ConfusionMatrix.from_labels(*both))[0])
    # Of items that have nothing to do with their predictions, n times the squared MCC is chi-squared.
    if mcc * math.sqrt(both.height) < -_SURE:
        right = share(int((both["truth"] == both["prediction"]).sum()), both.height, "prediction")
        yield finding("reversed-predictions", "warning", system, f"MCC is {number(mcc)}: {right} right")


@check(
    "separation", "system", "warning",
    question=f"Is there no mistake in {LEAST_ITEMS} items or more, as if the truth had made predictions or scores?",
    advice="find out how they were made: a feature may hold the answer, or the items were trained on",
)  # fmt: skip
def separation(system: ExaminedPredictions) -> Iterator[CheckFinding]:
    """Perfection."""
    truth, items = system.of.rows["truth"], system.of.rows.height
    if items < LEAST_ITEMS or len(system.of.labels) < 2:
        return
    scored = system.scored
    if scored is not None and scored.positives and scored.negatives and scored.positive[0] > scored.negative[-1]:
        message = "AUC is 1: scores of positive items are all above those of negative ones"
        yield finding("separation", "warning", system, message, items)
    elif system.prediction is not None and bool((system.prediction == truth).all()):
        yield finding("separation", "warning", system, f"all {items:,} predictions are right", items)
