"""Checks of labels and of scores: what is absent, written in two ways, too rare, or no probability."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl

from assay.core.digits import as_percent, number
from assay.core.errors import EmptyFileError, listed, number_of, quote, spelt
from assay.measures.counting.confusion_matrix import ConfusionMatrix
from assay.measures.counting.label_pairs import codes
from assay.measures.counting.scored import Scored
from assay.measures.parser import parse_measure
from assay.subjects.labels.checks.examination import SURE, ExaminedPredictions, PredictionsFile
from assay.tables.label_rules import distinct
from assay.tables.roles import shape_of
from assay.verbs.diagnosis.examination import EXAMPLES, CheckFinding, Example, Severity, check, finding, share

#: Where one of two labels, or the commonest of several, has this share, accuracy says little; or next to nothing.
COMMON, NEARLY_ALWAYS = 0.9, 0.99
#: A class with fewer items than this has no share that could be relied on.
FEWEST = 10


@check(
    "unreadable", "predictions", "error",
    question="Can the file not be read as a table of predictions?",
    advice="give it columns `truth` and `prediction` or `score`, or say which ones they are; see docs/prediction-files",
)  # fmt: skip
def unreadable(file: PredictionsFile) -> Iterator[CheckFinding]:
    """What the reader said."""
    problem = file.refusal
    if problem is None:
        return
    place = "" if problem.line is None else f"line {problem.line}: "
    todo = None
    if problem.expected != f"a table {shape_of('predictions')}":
        if isinstance(problem, EmptyFileError):
            todo = "find out why the file has no items"
        elif place:
            todo = "fix the line: the file has to be text in UTF-8, with as many fields in each line as in the first"
    yield finding("unreadable", "error", file, f"{place}{problem.reason}", todo=todo)


@check(
    "absent-truth", "predictions", "error",
    question="Are there items without a true label?",
    advice="label these items, or leave them out (`{nulls=drop}`): nothing can be right or wrong about them",
)  # fmt: skip
def absent_truth(file: PredictionsFile) -> Iterator[CheckFinding]:
    """Nulls and empty cells of the truth."""
    yield from absences("absent-truth", "true label", file, file, file.rows["truth"].is_null())


def absences(
    name: str, what: str, place: PredictionsFile | ExaminedPredictions, file: PredictionsFile, absent: pl.Series
) -> Iterator[CheckFinding]:
    """In which rows something is absent, if in any."""
    if count := int(absent.sum()):
        message = f"no {what} in {share(count, len(absent), 'row')}"
        yield finding(name, "error", place, message, count, examples=file.examples(absent))


@check(
    "absent-predictions", "system", "error",
    question="Are there items without a prediction?",
    advice="find out why; `{nulls=label}` counts them as mistakes, `{nulls=drop}` leaves them out, which flatters",
)  # fmt: skip
def absent_predictions(system: ExaminedPredictions) -> Iterator[CheckFinding]:
    """Nulls and empty cells of the predictions."""
    if system.prediction is not None:
        yield from absences("absent-predictions", "prediction", system, system.of, system.prediction.is_null())


@check(
    "label-spelling", "system", "error",
    question="Are there labels that differ only in case, blanks, hyphens or invisible characters?",
    advice="write each label in one way: `Spam` predicted where the truth says `spam` counts as a mistake",
)  # fmt: skip
def label_spelling(system: ExaminedPredictions) -> Iterator[CheckFinding]:
    """Labels of truth and prediction that fold to one."""
    folded: dict[str, list[str]] = {}
    for label in _labels(system):
        folded.setdefault(_folded(label), []).append(label)
    groups = [labels for labels in folded.values() if len(labels) > 1]
    if groups:
        examples = [Example(" and ".join(map(spelt, labels))) for labels in groups[:EXAMPLES]]
        message = f"{number_of('label', len(groups))} written in more than one way"
        yield finding("label-spelling", "error", system, message, len(groups), examples=examples)


def _labels(system: ExaminedPredictions) -> list[str]:
    columns = [system.of.rows["truth"], *([] if system.prediction is None else [system.prediction])]
    return sorted({label for column in columns for label in distinct(column)})


def _folded(label: str) -> str:
    plain = unicodedata.normalize("NFKC", label).casefold()
    kept = "".join(sign for sign in plain if unicodedata.category(sign) != "Cf")
    # A mark within a label, not the sign of a number.
    return re.sub(r"\s+|(?<=\w)[_-]+(?=\w)|_", " ", kept).strip()


@check(
    "unseen-labels", "system", "error", "warning", "note",
    question="Are labels predicted that no item has (a warning; all of them: an error), or true ones never (a note)?",
    advice="check that truth and predictions have the same set of labels; a label that no item has lowers averages",
)  # fmt: skip
def unseen_labels(system: ExaminedPredictions) -> Iterator[CheckFinding]:
    """Labels on one side alone."""
    if system.prediction is None:
        return
    # What is merely written differently is told as such.
    true, predicted = (
        {_folded(label): label for label in distinct(column)} for column in (system.of.rows["truth"], system.prediction)
    )
    if true and predicted and not true.keys() & predicted.keys():
        message = f"no predicted label is a true one: {listed(sorted(predicted.values()))} predicted, "
        message += f"{listed(sorted(true.values()))} true"
        yield finding("unseen-labels", "error", system, message, len(predicted))
        return
    made_up = [predicted[name] for name in sorted(predicted.keys() - true.keys())]
    missed = [true[name] for name in sorted(true.keys() - predicted.keys())]
    if made_up:
        text = f"{number_of('label', len(made_up))} predicted that no item has: {listed(made_up)}"
        yield finding("unseen-labels", "warning", system, text, len(made_up))
    if missed and len(predicted) > 1:
        text = f"{number_of('true label', len(missed))} never predicted: {listed(missed)}"
        yield finding("unseen-labels", "note", system, text, len(missed))


@check(
    "constant-prediction", "system", "warning",
    question="Is one label predicted for all items?",
    advice="such predictions carry no information: MCC is undefined, and accuracy is the share of that label",
)  # fmt: skip
def constant_prediction(system: ExaminedPredictions) -> Iterator[CheckFinding]:
    """One label for everything."""
    if system.prediction is None or system.of.is_multilabel:
        return
    labels = distinct(system.prediction)
    if len(labels) == 1 and len(system.of.labels) > 1:
        right = int((system.of.rows["truth"] == labels[0]).sum())
        items = share(right, len(system.prediction), "item")
        message = f"{spelt(labels[0])} is predicted for all items, and right for {items}"
        yield finding("constant-prediction", "warning", system, message, len(system.prediction))


@check(
    "imbalance", "predictions", "warning", "note",
    question="Has one label 99 % of the items or more (a warning), or 90 % (a note)?",
    advice="do not go by accuracy: look at precision and recall of the rare label, MCC or balanced accuracy",
)  # fmt: skip
def imbalance(file: PredictionsFile) -> Iterator[CheckFinding]:
    """How often the commonest label would be right."""
    if file.is_multilabel or len(file.labels) < 2:
        return
    total, (label, items) = int(file.support["items"].sum()), file.support.row(0)
    if items / total >= COMMON:
        severity: Severity = "warning" if items / total >= NEARLY_ALWAYS else "note"
        always = f"always predicting it has an accuracy of {as_percent(items / total)}"
        message = f"{spelt(label)} has {share(items, total, 'item')}: {always}"
        yield finding("imbalance", severity, file, message, items)


@check(
    "tiny-classes", "predictions", "warning",
    question=f"Are there labels with fewer than {FEWEST} items, or only one label at all?",
    advice="collect more items of these classes, or say that little is known about them: an average hides it",
)  # fmt: skip
def tiny_classes(file: PredictionsFile) -> Iterator[CheckFinding]:
    """Labels of which too little is known."""
    if len(file.labels) == 1 and not file.is_multilabel:
        message = f"all items have the label {spelt(file.labels[0])}: there is no other to compare it with"
        yield finding("tiny-classes", "warning", file, message)
        return
    tiny = file.support.filter(pl.col("items") < FEWEST).sort("items")
    if tiny.height and file.rows.height >= 2 * FEWEST:
        first = tiny.head(EXAMPLES).rows()
        examples = [Example(f"{spelt(label)}: {number_of('item', items)}") for label, items in first]
        message = f"fewer than {FEWEST} items in {share(tiny.height, file.support.height, 'class')}"
        details = [{"label": label, "items": items} for label, items in tiny.rows()]
        yield finding("tiny-classes", "warning", file, message, tiny.height, examples=examples, details=details)


#: With fewer items than this, perfection or the opposite may be luck.
LEAST_ITEMS = 20


@check(
    "absent-scores", "system", "error",
    question="Are there scores that are absent, not a number, or infinite?",
    advice="write a finite number for each item; find out where the model fails",
)  # fmt: skip
def absent_scores(system: ExaminedPredictions) -> Iterator[CheckFinding]:
    """Nulls, NaN and infinities among scores."""
    yield from absences("absent-scores", "finite score", system, system.of, ~system.has_scores)


@check(
    "score-range", "system", "note",
    question="Are scores not probabilities: outside 0 to 1, or not adding up to 1 over the classes?",
    advice="nothing, for AUC; log loss and Brier score need probabilities, and a threshold has to be given",
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
    question="Do all items have the same score?",
    advice="find out whether the scores were lost or the model has learned nothing: AUC is 0.5",
)  # fmt: skip
def constant_score(system: ExaminedPredictions) -> Iterator[CheckFinding]:
    """A score that says nothing about items."""
    if system.score is not None and system.of.rows.height > 1 and system.score.drop_nulls().n_unique() == 1:
        message = f"all items have the score {system.score.drop_nulls()[0]:g}"
        yield finding("constant-score", "warning", system, message, system.of.rows.height)


@check(
    "score-conflict", "system", "warning",
    question="Do predictions contradict scores: not the label with the largest one, or no threshold explains them?",
    advice="find out which of the two columns is right: their measures are those of two different classifiers",
)  # fmt: skip
def score_conflict(system: ExaminedPredictions) -> Iterator[CheckFinding]:
    """Predictions beside what scores would predict."""
    if system.prediction is None or system.of.is_multilabel:
        return
    if system.class_scores:
        yield from _not_the_largest(system, system.prediction, system.class_scores)
    elif system.score is not None and system.positive is not None:
        yield from _no_threshold(system, system.score, system.prediction == system.positive)


def _not_the_largest(
    system: ExaminedPredictions, prediction: pl.Series, scores: Mapping[str, pl.Series]
) -> Iterator[CheckFinding]:
    labels = list(scores)
    table = np.column_stack([column.fill_null(-math.inf).to_numpy() for column in scores.values()])
    chosen = codes(prediction, labels)
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


def _no_threshold(system: ExaminedPredictions, score: pl.Series, predicted: pl.Series) -> Iterator[CheckFinding]:
    """Predictions that are no step of the score."""
    keep = pl.Series(system.usable) & predicted.is_not_null()
    if not keep.any():
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
            at = f"which explain nothing: no threshold does better than never predicting {positive}"
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
    if (0.5 - auc) / chance > SURE:
        positive = quote(str(system.positive))
        message = f"AUC is {number(auc)} with {positive} as the positive label; reversed, it is {number(1 - auc)}"
        yield finding("reversed-scores", "warning", system, message)


@check(
    "reversed-predictions", "system", "warning",
    question="Of two labels, are predictions wrong more often than chance allows (MCC below 0 by more than 1 %)?",
    advice="look whether labels, or truth and scores, were swapped: reversed, the predictions would be better",
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
    if mcc * math.sqrt(both.height) < -SURE:
        right = share(int((both["truth"] == both["prediction"]).sum()), both.height, "prediction")
        yield finding("reversed-predictions", "warning", system, f"MCC is {number(mcc)}: {right} right")


@check(
    "separation", "system", "warning",
    question=f"Is there no mistake in {LEAST_ITEMS} items or more, as if the truth was used to predict?",
    advice="find out how they were made: a feature may hold the answer, or the items were trained on",
)  # fmt: skip
def separation(system: ExaminedPredictions) -> Iterator[CheckFinding]:
    """Perfection."""
    truth = system.of.rows["truth"]
    items = system.of.rows.height
    if items < LEAST_ITEMS or len(system.of.labels) < 2:
        return
    scored = system.scored
    if scored is not None and scored.positives and scored.negatives and scored.positive[0] > scored.negative[-1]:
        message = "AUC is 1: scores of positive items are all above those of negative ones"
        yield finding("separation", "warning", system, message, items)
    elif system.prediction is not None and bool((system.prediction == truth).all()):
        yield finding("separation", "warning", system, f"all {items:,} predictions are right", items)
