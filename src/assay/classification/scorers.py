"""A measure as a plain function of true and predicted labels, as scikit-learn's `make_scorer` wants it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.classification.computing import LABEL_COUNTS, computed, counts_of
from assay.core.errors import ParameterError
from assay.counting.confusion import Confusion
from assay.counting.confusion_matrix import ConfusionMatrix
from assay.counting.scored import Scored
from assay.measures.parser import parse_measure
from assay.measures.registry import Measure
from assay.tables import Predictions


@dataclass(frozen=True)
class Scorer:
    """A measure to be called with true and predicted labels; see `scorer`."""

    two: Measure
    more: Measure
    pos_label: Any = None
    labels: tuple[Any, ...] | None = None

    def __call__(self, y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
        """The measure's number, NaN if it is undefined."""
        if self.two.definition.counts is Scored:
            scored = Scored.from_scores(y_true, y_pred, pos_label=self.pos_label, sample_weight=sample_weight)
            return float(self.two.of(scored)[0])
        items = Predictions.of(
            y_true, y_pred, labels=self.labels, pos_label=self.pos_label, sample_weight=sample_weight
        )
        if items.kind == "multilabel":
            raise ParameterError("a scorer takes one label an item")
        chosen = self.two if items.kind == "binary" else self.more
        positive = None
        if chosen.definition.counts is Confusion and chosen.parameters.get("average") == "binary":
            # What more labels have a formula for, too, is the same number whichever of two is called positive.
            either = self.more.definition.counts is ConfusionMatrix and self.pos_label is None
            positive = items.classes[-1] if either else items.positive
        counts = counts_of(items, items.label_values, positive)
        return float(computed(chosen, counts, items.name).values[0])

    @property
    def __name__(self) -> str:  # scikit-learn shows scorers by the name of their function
        return str(self.two)


def scorer(
    measure: str | Measure, pos_label: Any = None, *, labels: Sequence[Any] | None = None, **parameters: Any
) -> Scorer:
    """A function `(y_true, y_pred, *, sample_weight=None)` that gives the measure's number, NaN if it is undefined.

    With two labels it is the number of the positive one, unless `average` says otherwise; with more, an average over
    classes. `labels`: all labels there are. State them for cross-validation, where a fold may lack some: of three
    labels it would otherwise be judged as if there were two. A measure of scores takes scores in the place of
    predictions.

    >>> scorer("Specificity")([1, 0, 0, 0], [1, 0, 0, 1])  # 2 of 3
    0.6667
    >>> scorer("F", average="micro")(["a", "b", "c"], ["a", "b", "b"])
    0.6667
    >>> scorer("F", labels=["a", "b", "c"])(["a", "b", "b"], ["a", "a", "b"])  # as in the other folds: macro
    0.6667
    """
    two = parse_measure(measure, "binary")(**parameters)
    kind = two.definition.counts
    if kind not in {*LABEL_COUNTS, Scored}:
        raise ParameterError(f"{two} is computed from {kind.__name__}: a scorer takes labels, or one score an item")
    if kind is Scored:
        if labels is not None:
            raise ParameterError(f"{two} is a measure of scores, which are of the positive label: labels say nothing")
        return Scorer(two, two, pos_label)
    named = None if labels is None else tuple(labels)
    if pos_label is not None and named is not None and len(named) > 2:
        raise ParameterError(f"only one of two labels can be positive, and there are {len(named)}")
    chosen = {name: value for name, value in two.chosen.items() if (name, value) != ("average", "binary")}
    more = parse_measure(measure.name if isinstance(measure, Measure) else measure, "multiclass")
    known = more.definition.parameters
    return Scorer(two, more(**{name: value for name, value in chosen.items() if name in known}), pos_label, named)
