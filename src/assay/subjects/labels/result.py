"""`Classification`: every measure of every classifier, with intervals, mistakes and signatures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import polars as pl

from assay.core.digits import in_full
from assay.core.errors import ParameterError, argument, number_of
from assay.core.evaluation_options import Undefined
from assay.measures.counting.confusion_matrix import ConfusionMatrix, Normalize, Orientation
from assay.measures.counting.scored import Scored
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit
from assay.measures.summary import escaped
from assay.measures.undefined import AVERAGES, Gaps, is_as_asked
from assay.measures.vocabularies import Vocabulary
from assay.stats.estimates import Estimate
from assay.subjects.labels.advice import advise
from assay.subjects.labels.baselines import NoSkillBaseline, baselines_of
from assay.subjects.labels.intervals import estimates_of, per_class_of, why_not_drawn
from assay.subjects.labels.measurement import (
    LABEL_COUNTS,
    mean_of,
    measure_of,
    predictive_values,
    unit_scores,
)
from assay.tables import Predictions
from assay.verbs.item_results import ItemResult
from assay.verbs.subject import Remark

if TYPE_CHECKING:
    from assay.subjects.labels.pairing import Classifiers


def label_signature(measure: Measure, of: Classification | Classifiers, *systems: ClassifiedSystem) -> str:
    """The measure with all its parameters, and the rules under which these systems' items were counted."""
    at = measure.definition.at
    parameters = measure.parameters
    parts = [measure.name if at is None or parameters[at] is None else f"{measure.name}@{in_full(parameters[at])}"]
    parts += [f"{name}={in_full(value)}" for name, value in parameters.items() if name != at]
    if of.task == "binary":
        parts.append(f"positive={escaped(str(of.positive))}")
    else:
        labels = [escaped(str(label), marks="|,") for label in of.labels]
        # Of sets, the order is that of the columns, on which no number depends.
        parts.append(f"labels={','.join(sorted(labels) if of.task == 'multilabel' else labels)}")
    # A measure of scores does not ask from which one on positive is predicted.
    thresholds = {system.threshold: None for system in systems}
    if any(threshold is not None for threshold in thresholds) and measure.definition.counts in LABEL_COUNTS:
        named = ("given" if threshold is None else in_full(threshold) for threshold in thresholds)
        parts += [f"threshold={','.join(named)}", "ties=>="]
    weighted = any(system.predictions is not None and system.predictions.weight is not None for system in systems)
    parts += ["weighted=true"] if weighted else []
    matters = measure.parameters.get("average") in AVERAGES or is_as_asked(measure, of.undefined)
    return "|".join([*parts, f"undefined={of.undefined if matters else 'skip'}", f"v{measure.definition.version}"])


_HALF = 0.5


def sureness(predictions: Predictions, threshold: float | None = None) -> pl.Series | None:
    """The support of scores for a prediction: the score of that class, or its distance beyond the threshold.

    None if there are no scores, or no predictions.

    >>> sureness(Predictions.of([1, 0, 0], y_score=[0.9, 0.6, 0.1]).at(0.5)).to_list()
    [0.4, 0.1, 0.4]
    """
    prediction = predictions.prediction
    if prediction is None or predictions.kind == "multilabel":
        return None
    if predictions.score is not None and (threshold is not None or not predictions.class_scores):
        beyond = predictions.score.cast(pl.Float64) - (_HALF if threshold is None else threshold)
        return pl.select(pl.when(prediction == predictions.positive).then(beyond).otherwise(-beyond)).to_series()
    if not predictions.class_scores:
        return None
    chosen: pl.Expr = pl.lit(None, dtype=pl.Float64)
    for label, scores in predictions.class_scores.items():
        chosen = pl.when(prediction == label).then(scores).otherwise(chosen)
    return pl.select(chosen).to_series()


def wrong_items(predictions: Predictions, threshold: float | None = None) -> pl.DataFrame:
    """The items that were predicted wrongly; the surest mistakes first, where there are scores.

    >>> wrong_items(Predictions.of([1, 0, 0], y_score=[0.9, 0.6, 0.8]).at(0.5)).rows()
    [('3', 0, 1, 0.8), ('2', 0, 1, 0.6)]
    """
    wrong = predictions.truth != predictions.prediction
    frame = predictions.frame.filter(wrong)
    sure = sureness(predictions, threshold)
    if sure is None:
        return frame
    return frame.sort(sure.filter(wrong), descending=True, nulls_last=True, maintain_order=True)


def confused_pairs(matrix: ConfusionMatrix) -> pl.DataFrame:
    """True and predicted labels that differ, the commonest pair first; `share` is of the items with that truth.

    >>> confused_pairs(ConfusionMatrix.from_matrix([[5, 1, 0], [3, 3, 0], [0, 0, 4]], ["a", "b", "c"])).rows()
    [('b', 'a', 3, 0.5), ('a', 'b', 1, 0.1667)]
    """
    names = [str(label) for label in matrix.labels]
    rows, columns = matrix.table.nonzero()
    kept = rows != columns
    rows, columns = rows[kept], columns[kept]
    items = matrix.table[rows, columns]
    frame_columns = {
        "truth": pl.Series([names[row] for row in rows], dtype=pl.String),
        "prediction": pl.Series([names[column] for column in columns], dtype=pl.String),
        "items": items,
        "share": items / matrix.table.sum(axis=1)[rows],
    }
    return pl.DataFrame(frame_columns).sort("items", descending=True, maintain_order=True)


class ClassificationView(NamedTuple):
    """The view of a classification: the matrix turned, or as shares; numbers of errors and pairs to show."""

    orientation: Orientation = "rows_are_true"
    normalize: Normalize | None = None
    errors: int = 0
    most_confused: int = 0
    prevalences: tuple[float, ...] = ()


class ClassifiedSystem(NamedTuple):
    """One system: its predictions (None if only a matrix was given), its counts by their type, and its results.

    `threshold`: from which score on positive was predicted here; None if predictions were given.
    """

    name: str
    predictions: Predictions | None
    counts: Mapping[type, Any]
    results: Mapping[Measure, PerUnit]
    threshold: float | None = None

    @property
    def is_labelled(self) -> bool:
        """True if something is predicted for every item: where scores alone are measured, that need not be."""
        return self.predictions is None or self.predictions.prediction is not None


def no_predictions(system: str) -> ParameterError:
    """The error that labels are asked for, where a system has scores alone."""
    return ParameterError(f"{system} has scores and no predictions: say {argument('threshold')}")


def _refuse_no_labels(system: ClassifiedSystem) -> None:
    if not system.is_labelled:
        raise no_predictions(system.name)


@dataclass(frozen=True, eq=False)
class Classification(ItemResult[ClassifiedSystem]):
    """Measures of one classifier or several, with intervals, baselines and advice.

    >>> from assay import Predictions, classify
    >>> result = classify(Predictions.of([1, 1, 1, 0, 0], [1, 1, 0, 0, 0]), ["Recall", "Specificity"])
    >>> result.value("Recall")  # 2 of 3
    0.6667
    >>> result.estimate("Recall")
    Estimate(value=0.6667, low=0.2077, high=0.9385, method='wilson', undefined=None, resamples=0, no_interval=None,
             gaps=Gaps(kind='class', counted=(), counted_as=None, left_out=(), why=None))
    """

    subject: ClassVar[str] = "labels"

    kind = "classification"

    task: str
    labels: tuple[Any, ...]
    #: The positive label, where there are two.
    positive: Any = None
    #: What was decided for lack of being said, such as the threshold.
    notes: tuple[str, ...] = ()
    shown: ClassificationView = field(default=ClassificationView())
    #: What averages over classes and items do with those that have no number.
    undefined: Undefined = field(default="counted_as", kw_only=True)

    def __repr__(self) -> str:
        names = ", ".join(system.name for system in self.systems)
        return f"<Classification of {names}: {self.task}, {number_of('label', len(self.labels))}>"

    @property
    def items(self) -> int:
        """The number of items of the first system."""
        predictions = self.systems[0].predictions
        matrix = self.systems[0].counts.get(ConfusionMatrix)
        if predictions is not None:
            return len(predictions)
        return 0 if matrix is None else round(float(matrix.items[0]))

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary in which measures are looked up."""
        return "binary" if self.task == "binary" else "multiclass"

    @property
    def threshold(self) -> float | None:
        """From which score on positive was predicted, if that is so for all systems alike; each one knows its own."""
        thresholds = {system.threshold for system in self.systems}
        return thresholds.pop() if len(thresholds) == 1 else None

    def _parsed(self, name: str | Measure) -> Measure:
        return measure_of(name, self.task)

    def value(self, measure: str | Measure | None = None, system: str | None = None) -> float:
        """One number, NaN if it is undefined; `estimate` says why."""
        chosen, wanted = self.system(system), self.measure(measure)
        return mean_of(wanted, chosen.results[wanted], chosen.counts, self.undefined)

    def _estimates(self, system: ClassifiedSystem) -> dict[Measure, Estimate]:
        drawing = self.confidence, self.resamples, self.seed
        return estimates_of(system.counts, system.results, drawing, self.undefined)

    def complete(self) -> Self:
        """Finish every number with its interval, the baselines, the classes, the mistakes, and the advice."""
        for system in self._classes:
            if self.task != "multilabel":
                self.confused(system)
            if self.shown.errors:
                self.errors(system)
        super().complete()
        return self._finish("_baselines")

    @cached_property
    def _baselines(self) -> dict[str, tuple[NoSkillBaseline, ...]]:
        return {system.name: baselines_of(system.counts, self.measures, self.undefined) for system in self.systems}

    @cached_property
    def _classes(self) -> dict[str, pl.DataFrame]:
        drawing = self.confidence, self.resamples, self.seed
        return {
            system.name: per_class_of(system.counts, drawing, self.undefined)
            for system in self.systems
            if system.is_labelled
        }

    def matrix(self, system: str | None = None) -> ConfusionMatrix:
        """Counts of each predicted label for items of each true label."""
        classified = self.system(system)
        if self.task == "multilabel":
            raise ParameterError("items with several labels have no confusion matrix; see per_class")
        _refuse_no_labels(classified)
        matrix: ConfusionMatrix = classified.counts[ConfusionMatrix]
        return matrix

    def shown_together(self, systems: Sequence[str]) -> tuple[Any, ...]:
        """The labels of systems in the order in which each of them is shown."""
        return together(self, systems).labels

    def why_no_interval_of_classes(self, system: str | None = None) -> str:
        """The reason why a number of a class has no interval, where it has none."""
        return why_not_drawn(self.system(system).counts, self.resamples)

    def scored(self, system: str | None = None) -> Scored | None:
        """The scores of positive and of negative items, where there are two labels and scores."""
        scored: Scored | None = self.system(system).counts.get(Scored)
        return scored

    def baselines(self, system: str | None = None) -> tuple[NoSkillBaseline, ...]:
        """Baselines that look at no item: always the commonest label, and labels drawn at random."""
        return self._baselines[self.system(system).name]

    def per_class(self, system: str | None = None) -> pl.DataFrame:
        """Support, predictions, precision, recall and F1 of each class, each with its interval.

        >>> from assay import Predictions, classify
        >>> classify(Predictions.of([0, 1, 1], [0, 1, 0])).per_class()["support"].to_list()
        [1, 2]
        """
        _refuse_no_labels(self.system(system))
        return self._classes[self.system(system).name]

    def errors(self, system: str | None = None) -> pl.DataFrame:
        """The items that were predicted wrongly; the surest mistakes first, where there is a score.

        >>> from assay import Predictions, classify
        >>> classify(Predictions.of([1, 0, 1], [1, 1, 1])).errors().rows()
        [('2', 0, 1)]
        """
        classified = self.system(system)
        if classified.predictions is None:
            raise ParameterError("a matrix holds no items: give predictions to see which ones are wrong")
        _refuse_no_labels(classified)
        predictions, threshold = classified.predictions, classified.threshold
        return self._once("errors", classified.name, lambda: wrong_items(predictions, threshold))

    def confused(self, system: str | None = None) -> pl.DataFrame:
        """Pairs of labels that were taken for one another, the commonest mistake first; the share is of the truth."""
        return self._once("confused", self.system(system).name, lambda: confused_pairs(self.matrix(system)))

    def at_prevalence(self, *prevalences: float, system: str | None = None) -> pl.DataFrame:
        """The worth of a positive and of a negative prediction where the positive label is rarer or commoner.

        Sensitivity and specificity are taken to stay what they are here; the rest is Bayes' rule.

        >>> from assay import ConfusionMatrix, classify
        >>> matrix = ConfusionMatrix.from_matrix([[90, 10], [10, 90]], ["ill", "well"], pos_label="ill")
        >>> classify(matrix).at_prevalence(0.01).rows()  # 0.009 / (0.009 + 0.099), 0.891 / (0.891 + 0.001)
        [(0.01, 0.0833, 0.9989)]
        """
        return predictive_values(self.matrix(system), prevalences)

    @cached_property
    def advice(self) -> tuple[Remark, ...]:
        """Advice to whoever relies on the numbers, each remark with the number behind it."""
        return advise(self)

    def _unit_scores(self, system: ClassifiedSystem, measure: Measure) -> pl.DataFrame:
        """Units are classes for averages over them, items, or the whole table."""
        return unit_scores(system.name, measure, system.results[measure], system.counts)

    def _signature(self, measure: Measure, system: ClassifiedSystem) -> str:
        return label_signature(measure, self, system)

    def to_frame(self) -> pl.DataFrame:
        """One row a system and measure: value, interval, how it was found, the baselines, why it is undefined.

        `left_out`: classes (of means over items, how many items) in which a measure is undefined, and that its average
        leaves out; `counted`: those that it counts as the number `counted_as`.
        """
        rows = []
        for system in self.systems:
            beside = self.baselines(system.name)
            for measure in self.measures:
                estimate = self.estimate(measure, system.name)
                row = {"system": system.name, "measure": str(measure), "value": estimate.value, "low": estimate.low}
                row |= {"high": estimate.high, "interval": estimate.method}
                row |= {baseline.kind: baseline.values[measure] for baseline in beside}
                gaps = Gaps() if estimate.gaps is None else estimate.gaps
                row |= {"undefined": estimate.undefined, "left_out": gaps.names("left_out")}
                rows.append(row | {"counted": gaps.names("counted"), "counted_as": gaps.counted_as})
        schema = dict.fromkeys(("interval", "undefined", "left_out", "counted"), pl.String) | {"counted_as": pl.Float64}
        return pl.DataFrame(rows, infer_schema_length=None, schema_overrides=schema).fill_nan(None)


def together(result: Classification, systems: Sequence[str]) -> ConfusionMatrix:
    """The matrices of systems added up: its labels are in the order in which each of them is shown.

    >>> from assay import Predictions, classify
    >>> both = [Predictions.of(["a", "b", "c"], ["a", "b", last], name=f"to {last}") for last in ("a", "b")]
    >>> together(classify(both), ["to a", "to b"]).table[2]
    array([1, 1, 0])
    """
    first, *others = map(result.matrix, systems)
    return first.merge(*others)
