"""`Probabilities`: each item's true label beside the scores, or probabilities, of all labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from assay.core.errors import InputError, ParameterError, listed, number_of
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.label_pairs import codes, column, distinct_labels, ordered, weights_of
from assay.tables.label_rules import both_labels, positive_label

if TYPE_CHECKING:
    from assay.tables.predictions import Predictions

#: How far from 1 the probabilities of an item may add up to: rounded numbers are let in, other scores are not.
SLACK = 0.01


@dataclass(frozen=True, eq=False)
class Probabilities:
    """The true label of each item, as a place among the labels, and a score for each label, a row an item.

    Measures of probabilities ask for `shares`, which refuses scores that are none. `positive` is the place of the
    positive label, if one is; `single` says that there was one score an item, that of the positive label.

    >>> found = Probabilities.from_scores(["a", "b"], [[0.7, 0.2, 0.1], [0.5, 0.5, 0.0]], labels=["a", "b", "c"])
    >>> found.truth, found.of_truth
    (array([0, 1]), array([0.7, 0.5]))
    """

    vocabularies: ClassVar[tuple[str, ...]] = ("binary", "multiclass")
    #: What it is, for measures that are computed from it.
    described: ClassVar[str] = "the probabilities, or scores, of all classes, item by item"
    unit_kind: ClassVar[str] = "item"

    labels: tuple[Any, ...]
    truth: Ints
    scores: Floats
    weight: Floats | None = None
    item_id: pl.Series | None = None
    positive: int | None = None
    single: bool = False

    def __post_init__(self) -> None:
        if self.scores.shape != (len(self.truth), len(self.labels)):
            wanted = f"{number_of('item', len(self.truth))} and {number_of('label', len(self.labels))}"
            raise InputError(f"scores of {wanted} have that shape, not {self.scores.shape}")
        finite = np.isfinite(self.scores).all(axis=1)
        if not finite.all():
            row = int(np.argmin(finite))
            odd = self.scores[row][~np.isfinite(self.scores[row])][0]
            raise InputError(f"y_score: item {self._named(row)}: expected numbers, got {odd}")

    @classmethod
    def from_scores(
        cls, y_true: Any, y_score: Any, *, labels: Sequence[Any] | None = None, pos_label: Any = None,
        sample_weight: Any = None,
    ) -> Probabilities:  # fmt: skip
        """From true labels and either a score a label, in the order of the labels, or one of the positive label.

        The labels, unless they are stated, are those that occur in `y_true`, sorted. Scores may also be a dict of
        labels and scores. One score an item is that of the positive label; the other label has what is left of 1.

        >>> Probabilities.from_scores([0, 1], [0.2, 0.9]).scores
        array([[0.8, 0.2],
               [0.1, 0.9]])
        """
        if isinstance(y_score, Mapping):
            keys = tuple(y_score)
            labels = keys if labels is None else labels
            if set(labels) != set(keys):
                raise InputError(f"there are scores for {_names(keys)}, and the labels are {_names(labels)}")
            y_score = np.column_stack([np.asarray(y_score[label], dtype=np.float64) for label in labels])
        scores = _numbers(y_score)
        truth = column(y_true, "y_true")
        if len(truth) != len(scores):
            raise InputError(f"expected as many rows of scores as true labels, got {len(scores)} and {len(truth)}")
        if not len(truth):
            raise InputError("expected at least one item, got none")
        named = ordered(distinct_labels(truth), labels, truth)
        weight = None if sample_weight is None else weights_of(sample_weight, len(truth))
        if scores.ndim == 1 or scores.shape[1] == 1:
            if len(named) > 2:
                raise InputError(
                    f"one score per item goes with two labels, and there are {len(named)}: {_names(named)}"
                )
            named = both_labels(named, pos_label)
            if len(named) < 2:
                raise InputError(f"all items have the label {named[0]}: state both labels")
            place = named.index(positive_label(named, pos_label))
            share = scores.reshape(-1)
            both = np.column_stack([1 - share, share] if place else [share, 1 - share])
            return cls(named, codes(truth, named), both, weight, positive=place, single=True)
        if scores.shape[1] != len(named):
            has = number_of("column", scores.shape[1])
            raise InputError(f"y_score has {has}, and there are {len(named)} labels ({_names(named)}): state labels")
        stated = None if pos_label is None else named.index(positive_label(named, pos_label))
        return cls(named, codes(truth, named), scores, weight, positive=stated)

    @classmethod
    def from_predictions(cls, predictions: Predictions) -> Probabilities:
        """From a table of predictions that has scores, of the positive label or of each.

        >>> from assay.tables import Predictions
        >>> Probabilities.from_predictions(Predictions.of([0, 1], y_score=[0.2, 0.9])).of_truth
        array([0.8, 0.9])
        """
        if predictions.kind == "multilabel":
            raise ParameterError(f"{predictions.name}: probabilities of labels need one label per item")
        if predictions.kind == "binary" and predictions.score is not None:
            predictions = predictions.holding_both
        labels: tuple[Any, ...] = predictions.classes
        if predictions.class_scores:
            labels = tuple(label for label in labels if label in predictions.class_scores)
            scores: Any = {label: predictions.class_scores[label].to_numpy() for label in labels}
        elif predictions.score is not None:
            labels = labels if len(labels) > 1 else (predictions.negative, predictions.positive)
            scores = predictions.score
        else:
            raise ParameterError(f"{predictions.name}: there are no scores")
        pos_label = predictions.positive if predictions.kind == "binary" else None
        table = cls.from_scores(
            predictions.truth, scores, labels=labels, pos_label=pos_label, sample_weight=predictions.weight
        )
        return replace(table, item_id=predictions.item_id if predictions.has_ids else None)

    @cached_property
    def units(self) -> tuple[str, ...]:
        """The names of the items: row numbers from 1 if they have none."""
        if self.item_id is None:
            return tuple(map(str, range(1, len(self.truth) + 1)))
        return tuple(self.item_id.to_list())

    def _named(self, row: int) -> str:
        return str(row + 1) if self.item_id is None else f"{self.item_id[row]} (row {row + 1})"

    @cached_property
    def of_truth(self) -> Floats:
        """The score of each item's true label."""
        return self.scores[np.arange(len(self.truth)), self.truth]

    @cached_property
    def shares(self) -> Floats:
        """The scores as probabilities: each from 0 to 1, those of an item adding up to 1."""
        odd = ((self.scores < 0) | (self.scores > 1)).any(axis=1)
        if odd.any():
            row = int(np.argmax(odd))
            value = self.scores[row][(self.scores[row] < 0) | (self.scores[row] > 1)][-1 if self.single else 0]
            raise InputError(f"y_score: item {self._named(row)}: expected probabilities from 0 to 1, got {value:g}")
        total = self.scores.sum(axis=1)
        off = np.abs(total - 1) > SLACK
        if off.any():
            row = int(np.argmax(off))
            problem = f"expected probabilities that add up to 1 (to within {SLACK:g}), got {total[row]:g}"
            raise InputError(f"y_score: item {self._named(row)}: {problem}")
        return self.scores


def _numbers(y_score: Any) -> Floats:
    try:
        scores = np.asarray(y_score.to_numpy() if hasattr(y_score, "to_numpy") else y_score, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("y_score: expected numbers, one for each label of an item, or one per item") from None
    if scores.ndim not in {1, 2}:
        raise InputError(f"y_score: expected one row per item, got an array of shape {scores.shape}")
    return scores


def _names(labels: Sequence[Any]) -> str:
    return listed([*map(str, labels)])
