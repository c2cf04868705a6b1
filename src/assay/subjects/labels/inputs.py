"""Predictions of classifiers, opened, checked and brought to the same labels; and their scores alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, TypedDict

import numpy as np
import polars as pl

from assay.core.digits import significant
from assay.core.domains import Real
from assay.core.errors import InputError, ParameterError, argument, did_you_mean, listed, number_of
from assay.files.sources import is_file
from assay.measures.counting.confusion_matrix import REST, ConfusionMatrix
from assay.measures.counting.label_pairs import weights_of
from assay.measures.counting.scored import Scored, positives
from assay.subjects.labels.orientation import with_positive
from assay.subjects.labels.result import Classification
from assay.tables import Predictions
from assay.tables.alignment import aligned
from assay.tables.label_rules import NONE, label_among, stated_labels
from assay.tables.roles import is_frame
from assay.verbs.item_results import named_systems, not_alike


def against_rest(labels: Predictions | ConfusionMatrix, label: Any) -> Predictions | ConfusionMatrix:
    """The same with one class as the positive label, and all others as "rest"; the class keeps its scores.

    >>> against_rest(Predictions.of(["a", "b", "c"], ["a", "c", "b"]), "b").prediction.to_list()
    ['rest', 'rest', 'b']
    """
    if isinstance(labels, ConfusionMatrix):
        two = labels.collapse(labels.labels[labels.place(label)])
        return dataclasses.replace(two, labels=tuple(map(str, two.labels)))
    wanted = label_among(labels.label_values, label)
    held = labels.columns.columns
    several = labels.kind == "multilabel"
    name = str(wanted)
    rest = REST if str(wanted) != REST else f"not {wanted}"
    score = labels.class_scores.get(wanted)
    if "prediction" not in held and several and score is None:
        raise ParameterError(f"{labels.name}: items with several labels need predictions, or scores of {name}")
    if "prediction" not in held and not several and score is not None:
        return against_rest(labels.most_likely(), label)

    def has(column: str, label: Any) -> pl.Expr:
        return pl.col(column).list.contains(str(label)) if several else pl.col(column) == label

    columns = labels.columns.with_columns(
        pl.when(has(column, wanted)).then(pl.lit(name)).otherwise(pl.lit(rest)).alias(column)
        for column in ("truth", "prediction")
        if column in held
    )
    if "prediction" in held and labels.classes != labels.label_values:
        # An absent prediction stays one: it is not right about the rest, either.
        absent = labels.columns.select(has("prediction", NONE)).to_series()
        columns = columns.with_columns(pl.when(absent).then(pl.lit(NONE)).otherwise("prediction").alias("prediction"))
    if labels.class_scores or (labels.score is not None and wanted != labels.positive):
        columns = columns.drop([column for column in held if column.startswith("score")])
    kept = columns if score is None else columns.with_columns(score.alias("score"))
    return dataclasses.replace(labels, columns=kept, labels=(name, rest), pos_label=name)


#: Where positive starts, for scores that look like probabilities.
HALF = 0.5

Opened: TypeAlias = Predictions | ConfusionMatrix


def systems_in(
    predictions: Any, pos_label: Any = None, keep: Mapping[str, str | None] | None = None
) -> dict[str, Opened]:
    """The inputs, by the names of the systems: predictions, or a confusion matrix.

    `keep`: further columns of files and frames to keep, by the names they get.

    >>> list(systems_in({"old": Predictions.of([0, 1], [1, 1]), "new": ConfusionMatrix.from_matrix([[1, 0], [0, 1]])}))
    ['old', 'new']
    """
    return named_systems(predictions, lambda part: _systems(part, pos_label, keep), "system", "predictions")


def opened(predictions: Any, pos_label: Any = None, keep: Mapping[str, str | None] | None = None) -> list[Predictions]:
    """The predictions of every system that was given, in whatever form `classify` takes; a matrix holds none.

    >>> [one.name for one in opened({"old": Predictions.of([0, 1], [1, 1]), "new": Predictions.of([0, 1], [0, 1])})]
    ['old', 'new']
    """
    tables = []
    for name, table in systems_in(predictions, pos_label, keep).items():
        if isinstance(table, ConfusionMatrix):
            raise InputError("a confusion matrix holds no items to pair: give predictions")
        tables.append(table if table.name == name else dataclasses.replace(table, name=name))
    return tables


def _systems(predictions: Any, pos_label: Any, keep: Mapping[str, str | None] | None) -> Iterator[tuple[str, Opened]]:
    if isinstance(predictions, Predictions):
        table = predictions if pos_label is None else predictions.with_positive(pos_label)
        yield table.name, table
    elif isinstance(predictions, ConfusionMatrix):
        yield "matrix", predictions
    elif isinstance(predictions, Classification):
        stated = pos_label if pos_label is not None else predictions.positive
        for system in predictions.systems:
            held = system.predictions
            table = system.counts[ConfusionMatrix] if held is None else held.with_positive(stated)
            yield system.name, table
    elif is_file(predictions) or is_frame(predictions):
        from assay.files.predictions import read_predictions  # noqa: PLC0415  # only who reads files waits for readers

        yield from ((table.name, table) for table in read_predictions(predictions, pos_label=pos_label, keep=keep))
    else:
        raise ParameterError(
            "expected Predictions, a ConfusionMatrix, a Classification, a path or a data frame, got "
            f"{type(predictions).__name__}: Predictions.of(y_true, y_pred) takes lists and arrays"
        )


class Labelled(NamedTuple):
    """Predictions with a label for every item; the threshold that gave them, if one did; and what was decided."""

    predictions: Predictions
    threshold: float | None = None
    notes: tuple[str, ...] = ()


def labelled(predictions: Predictions, threshold: float | None = None, *, needed: bool = True) -> Labelled:
    """A label for every item, by the threshold or as far as scores give it; by a rule that is said.

    `needed`: scores that are no probabilities ask for a threshold; otherwise such items are left without a label.

    >>> labelled(Predictions.of([0, 1], y_score=[0.2, 0.7])).threshold
    0.5
    """
    name = predictions.name
    if predictions.kind != "binary" and predictions.pos_label is not None:
        named = listed([*map(str, predictions.classes)])
        label = predictions.pos_label
        raise ParameterError(
            f"{name}: only one of two labels can be positive, and there are {len(predictions.classes)} ({named}): "
            f"{argument('one_class', label)} sets it against all others"
        )
    if threshold is not None:
        Real().check("threshold", threshold)
        anew = f"{name}: predictions are replaced: positive from a score of {significant(threshold, 6)} on"
        return Labelled(predictions.at(threshold), threshold, () if predictions.prediction is None else (anew,))
    if predictions.prediction is not None:
        return _wrong_if_absent(predictions)
    if predictions.class_scores and predictions.kind != "multilabel":
        remark = f"{name}: no predictions: the label with the largest score is taken"
        if predictions.score is not None:
            remark += f"; measures of scores, such as AUC, take those of {predictions.positive}"
        return Labelled(predictions.most_likely(), None, (remark,))
    if not predictions.class_scores and predictions.score is None:
        raise InputError(f"{name}: expected predictions or scores, got none")
    low, high = _range_of([predictions.score] if predictions.score is not None else predictions.class_scores.values())
    if 0 <= low <= high <= 1:
        which = "each label" if predictions.kind == "multilabel" else predictions.positive
        remark = f"{name}: no predictions: {which} is predicted from a score of {HALF} on"
        return Labelled(predictions.at(HALF), HALF, (remark,))
    if needed:
        raise ParameterError(
            f"{name}: scores go from {low:g} to {high:g}, for which there is no usual threshold: "
            f"say {argument('threshold')}, or ask for measures of scores alone, such as AUC"
        )
    return Labelled(predictions)


def _range_of(scores: Iterable[pl.Series]) -> tuple[float, float]:
    ends = [(float(column.min()), float(column.max())) for column in scores]  # type: ignore[arg-type]
    return min(low for low, _ in ends), max(high for _, high in ends)


def _wrong_if_absent(predictions: Predictions) -> Labelled:
    """Of two labels, an absent prediction counts as the other one than the true one: it is never right."""
    prediction = predictions.prediction
    if predictions.kind == "multilabel" and predictions.class_scores:
        unused = "scores are left aside, as no measure of items with several labels takes them"
        return Labelled(predictions, None, (f"{predictions.name}: {unused}: take one class against all others",))
    if predictions.kind != "binary" or prediction is None or predictions.classes == predictions.label_values:
        return Labelled(predictions)
    absent = prediction.eq(NONE)
    positive = predictions.positive
    negative = predictions.negative
    other = pl.when(predictions.truth == positive).then(pl.lit(negative)).otherwise(pl.lit(positive))
    columns = predictions.columns.with_columns(pl.when(absent).then(other).otherwise(prediction).alias("prediction"))
    labels = predictions.labels and tuple(label for label in predictions.labels if label != NONE)
    items = number_of("item", int(absent.sum()))
    note = f"{predictions.name}: {items} without a prediction, counted as the wrong label"
    return Labelled(dataclasses.replace(predictions, columns=columns, labels=labels), None, (note,))


class Prepared(NamedTuple):
    """The inputs, with a prediction for every item: the decisions that took are in the notes."""

    name: str
    given: Opened
    task: str
    labels: tuple[Any, ...]
    positive: Any = None
    threshold: float | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def prepare(
    name: str,
    opened: Opened,
    labels: Sequence[Any] | None,
    pos_label: Any,
    threshold: float | None,
    *,
    scores_alone: bool = False,
) -> Prepared:
    """Decide what is positive and what is predicted, as far as it is not given; what was decided is noted.

    `scores_alone`: nothing is asked that needs predictions, so that a threshold need not be known.
    """
    if isinstance(opened, ConfusionMatrix):
        return _of_matrix(name, opened, pos_label, threshold)
    stated = opened.labels if labels is None else _stated(opened, labels)
    needed = opened.kind != "binary" or not scores_alone
    predictions, at, notes = labelled(dataclasses.replace(opened, name=name, labels=stated), threshold, needed=needed)
    if predictions.prediction is None:
        notes += (f"{name}: no predictions, and no threshold to make them from scores: there is no matrix",)
    if not predictions.label_values:
        raise InputError(f"{name}: expected labels, got none: no item has one, and none is predicted")
    if predictions.weight is not None:
        weight = predictions.weight.to_numpy()
        if not weight.any():
            raise InputError(f"{name}: all weights are 0")
        share = weight / weight.max()  # whose squares are neither too large nor too small for a number
        alike = share.sum() ** 2 / (share**2).sum()
        notes += (f"{name}: items have weights: they are worth {alike:,.1f} items of equal weight",)
    positive = predictions.positive if predictions.kind == "binary" else None
    values = tuple(predictions.label_values)
    return Prepared(name, predictions, predictions.kind, values, positive, at, notes, predictions.warnings)


def _of_matrix(name: str, confusion: ConfusionMatrix, pos_label: Any, threshold: float | None) -> Prepared:
    if threshold is not None:
        raise ParameterError("a confusion matrix has no scores to which a threshold could apply")
    matrix = confusion.summed() if len(confusion.units) > 1 else confusion
    if not matrix.items[0]:
        raise InputError(f"{name}: expected at least one item, got none")
    if len(matrix.labels) != 2:
        if pos_label is None:
            return Prepared(name, matrix, "multiclass", matrix.labels)
        raise ParameterError(f"only one of two labels can be positive; collapse({pos_label!r}) makes two of them")
    matrix = with_positive(matrix, pos_label)
    return Prepared(name, matrix, "binary", matrix.labels, matrix.labels[matrix.positive or 0])


def _stated(predictions: Predictions, labels: Sequence[Any]) -> tuple[Any, ...]:
    """The labels as the data hold them; none that occurs may be missing."""
    stated = stated_labels(labels, predictions.truth.dtype) or ()
    if missing := [str(label) for label in predictions.classes if label not in stated]:
        raise InputError(f"{predictions.name}: labels that are not among those stated: {listed(missing)}")
    return stated


def same_task(prepared: Sequence[Prepared]) -> str:
    """The kind of classifier that all of them are; an error if they are of several.

    >>> same_task([Prepared("one", Predictions.of([0, 1], [1, 1]), "binary", (0, 1), 1)])
    'binary'
    """
    first = prepared[0]
    for other in prepared[1:]:
        if other.task != first.task:
            raise InputError(f"{first.name} is {first.task}, {other.name} is {other.task}: one kind at a time")
        if str(other.positive) != str(first.positive):
            raise InputError(
                f"the positive label is {first.positive} in {first.name}, {other.positive} in {other.name}"
            )
    return first.task


def all_labels(prepared: Sequence[Prepared]) -> tuple[Any, ...]:
    """The labels of all systems, those of the first one in its order; two, if the task has two."""
    labels = dict.fromkeys(label for system in prepared for label in system.labels)
    named = listed([repr(label) for label in labels])
    if len({type(label) for label in labels}) > 1:
        raise InputError(f"expected labels of one type in all systems, got {named}")
    if prepared[0].task == "binary" and len(labels) > 2:
        raise InputError(f"{listed([system.name for system in prepared])} have different labels: {named}")
    return tuple(label for label in labels if label != NONE) + tuple(label for label in labels if label == NONE)


def unpaired(prepared: Sequence[Prepared]) -> tuple[str, ...]:
    """A warning if systems were not given the same items with the same truth."""
    held = [system.given for system in prepared if isinstance(system.given, Predictions)]
    return not_alike(held, aligned, "system")


class ScoredSystem(NamedTuple):
    """One system's scores, by name; the positive label and the predictions they are of, where those are known."""

    name: str
    scored: Scored
    positive: Any = None
    predictions: Predictions | None = None

    @property
    def origin(self) -> str | None:
        """The file it comes from."""
        held = self.predictions
        return None if held is None or held.origin == "in memory" else held.origin


class ScoreInputs(TypedDict, total=False):
    """Further facts about the scores: the positive label, the items' weights, which one of several systems."""

    pos_label: Any
    sample_weight: Any
    system: str | None


def scored_systems(
    predictions: Any,
    y_score: Any = None,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    system: str | None = None,
    keep: Mapping[str, str | None] | None = None,
) -> list[ScoredSystem]:
    """All systems, or the one that is asked for.

    `predictions` are the truth, with `y_score` (an array, or a dict from names to arrays); or whatever `classify`
    takes; or a pair of the truth and an array. `keep`: further columns of files to keep, by the names they get.

    >>> [one.name for one in scored_systems([0, 1], {"old": [0.2, 0.1], "new": [0.2, 0.7]})]
    ['old', 'new']
    """
    if y_score is not None:
        systems = _of_arrays(predictions, y_score, pos_label, sample_weight)
    elif sample_weight is not None:
        raise ParameterError("sample_weight goes with y_true and y_score; predictions hold their own weights")
    else:
        systems = _scored(predictions, pos_label, keep)
    for scored in systems:
        if not len(scored.scored.positive) + len(scored.scored.negative):
            raise InputError(
                f"{scored.name}: {'all weights are 0' if scored.scored.is_weighted else 'there is no item'}"
            )
    names = [system.name for system in systems]
    if system is None:
        return systems
    if system not in names:
        raise ParameterError(
            f"no system is called {system!r}{did_you_mean(system, names) or f'; there is {listed(names)}'}"
        )
    return [systems[names.index(system)]]


def only_system(systems: list[ScoredSystem]) -> ScoredSystem:
    """The only system, or an error that says which there are; its scores as numbers that thresholds can be."""
    if len(systems) > 1:
        names = [system.name for system in systems]
        raise ParameterError(
            f"a threshold is chosen for one system, and there are {listed(names)}: say {argument('system', names[0])}"
        )
    scored = systems[0].scored
    sides = scored.positive, scored.negative
    positive, negative = (side if side.dtype.kind == "f" else side.astype(np.float64) for side in sides)
    return systems[0]._replace(scored=dataclasses.replace(scored, positive=positive, negative=negative))


def _scored(predictions: Any, pos_label: Any, keep: Mapping[str, str | None] | None) -> list[ScoredSystem]:
    if isinstance(predictions, ScoredSystem):
        return [predictions]
    if isinstance(predictions, Scored):
        return [ScoredSystem("scores", predictions, pos_label)]
    if isinstance(predictions, tuple) and len(predictions) == 2 and not isinstance(predictions[0], Predictions):
        return _of_arrays(*predictions, pos_label, None)
    return [_with_scores(table) for table in opened(predictions, pos_label, keep)]


def _with_scores(predictions: Predictions) -> ScoredSystem:
    label, score = predictions.pos_label, predictions.score
    if predictions.kind == "multilabel" and label is not None:  # who has the label, against who has not
        two_labels: Any = against_rest(predictions, label)
        return _with_scores(two_labels)
    if score is None and predictions.class_scores:
        if label is None:
            names = [str(label) for label in predictions.class_scores]
            raise ParameterError(
                f"{predictions.name}: there is one score per class: say which class is positive, against all others, "
                f"as in {argument('pos_label', names[0])}"
            )
        label = label_among(list(predictions.class_scores), label)
        score = predictions.class_scores[label]
    if score is None:
        raise InputError(f"{predictions.name}: there is no score per item to choose a threshold from")
    if label is None:
        label = predictions.positive
    scored = Scored.from_scores(predictions.truth, score, pos_label=label, sample_weight=predictions.weight)
    return ScoredSystem(predictions.name, scored, label, predictions)


def _of_arrays(y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any) -> list[ScoredSystem]:
    if not isinstance(y_score, Mapping):
        y_score = {"scores": y_score}
    if not y_score:
        raise ParameterError("y_score: expected the scores of at least one system, got none")
    _, label = positives(y_true, pos_label)
    if sample_weight is not None:
        sample_weight = weights_of(sample_weight, len(y_true))
    return [
        ScoredSystem(str(name), Scored.from_scores(y_true, scores, pos_label=label, sample_weight=sample_weight), label)
        for name, scores in y_score.items()
    ]


def warnings_of(systems: Iterable[ScoredSystem]) -> tuple[str, ...]:
    """Warnings about any of them, once each."""
    held = [system.predictions for system in systems if system.predictions is not None]
    return tuple(dict.fromkeys(warning for predictions in held for warning in predictions.warnings))
