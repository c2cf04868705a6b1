"""Checks of labels: what is absent, written in two ways, never predicted, or too rare to say much about."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import polars as pl

from assay.core.digits import as_percent
from assay.core.errors import EmptyFileError, listed, number_of, spelt
from assay.subjects.labels.checks.examined_predictions import ExaminedPredictions, PredictionsFile
from assay.tables.label_rules import distinct
from assay.tables.roles import shape_of
from assay.verbs.diagnosis.findings import EXAMPLES, CheckFinding, Example, Severity, check, finding, share

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
        todo = "mend the line: the file has to be text in UTF-8, with as many fields in each line as in the first"
        todo = "look why no item was written" if isinstance(problem, EmptyFileError) else todo if place else None
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
    question="Are there labels that differ in nothing but case, blanks, marks or invisible characters?",
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
    question="Are labels predicted that no item has (a warning; if all are, an error), or true ones never (a note)?",
    advice="check that truth and predictions have the same set of labels; a label that never comes up has no recall",
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
    made_up, missed = sorted(predicted.keys() - true.keys()), sorted(true.keys() - predicted.keys())
    asides: list[tuple[Severity, str, list[str]]] = [
        ("warning", "predicted that no item has", [predicted[name] for name in made_up]),
        ("note", "of items, but never predicted", [true[name] for name in missed]),
    ]
    for severity, message, labels in asides:
        if labels and (severity == "warning" or len(predicted) > 1):
            text = f"{number_of('label', len(labels))} {message}: {listed(labels)}"
            yield finding("unseen-labels", severity, system, text, len(labels))


@check(
    "constant-prediction", "system", "warning",
    question="Is one label predicted for all items?",
    advice="this says nothing about items: MCC is undefined, and accuracy is how common the label is",
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
    advice="collect more items of these classes, or say that nothing is known about them; an average hides it",
)  # fmt: skip
def tiny_classes(file: PredictionsFile) -> Iterator[CheckFinding]:
    """Labels of which too little is known."""
    if len(file.labels) == 1 and not file.is_multilabel:
        message = f"all items have the label {spelt(file.labels[0])}: there is nothing to tell it from"
        yield finding("tiny-classes", "warning", file, message)
        return
    tiny = file.support.filter(pl.col("items") < FEWEST).sort("items")
    if tiny.height and file.rows.height >= 2 * FEWEST:
        first = tiny.head(EXAMPLES).rows()
        examples = [Example(f"{spelt(label)}: {number_of('item', items)}") for label, items in first]
        message = f"fewer than {FEWEST} items in {share(tiny.height, file.support.height, 'class')}"
        details = [{"label": label, "items": items} for label, items in tiny.rows()]
        yield finding("tiny-classes", "warning", file, message, tiny.height, examples=examples, details=details)
