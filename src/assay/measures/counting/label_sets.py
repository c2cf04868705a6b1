"""`LabelSets`: items with several labels each, counted by item and by label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.core.errors import InputError, did_you_mean, listed, number_of
from assay.measures.counting.confusion import Confusion, Counted
from assay.measures.counting.judgments import Floats
from assay.measures.counting.label_pairs import weights_of
from assay.tables.label_matrices import label_lists
from assay.tables.label_rules import NONE

if TYPE_CHECKING:
    from assay.tables.predictions import Predictions


@dataclass(frozen=True, eq=False)
class LabelSets:
    """True and predicted labels of items that have any number of them, as lists without repetition.

    Whether an item has a label is a decision: `per_item` counts those about all labels of each item, `per_label` those
    about all items of each label. An item without a true and without a predicted label has neither precision nor
    recall, F or Jaccard: it is left out of their means. "(none)", an absent prediction, is none of the labels: it is
    wrong for its item, and says nothing about any label.

    >>> sets = LabelSets.from_labels([["tea", "cup"], ["pot"], []], [["tea"], ["pot", "cup"], []])
    >>> sets.per_item().tp, sets.per_label().fp
    (array([1, 1, 0]), array([1, 0, 0]))
    """

    labels: tuple[str, ...]
    truth: pl.Series
    prediction: pl.Series
    weight: Floats | None = None
    item_id: pl.Series | None = None

    @classmethod
    def from_labels(
        cls, y_true: Any, y_pred: Any, *, labels: Sequence[Any] | None = None, sample_weight: Any = None
    ) -> LabelSets:
        """From lists or sets of labels, a Polars column of lists, or matrices of 0 and 1 with a column a label.

        The labels, unless they are stated, are those that occur; of matrices, all columns.

        >>> LabelSets.from_labels([{"a"}, {"b"}], [{"a", "b"}, set()]).per_label().fn
        array([0, 1])
        """
        truth, stated = label_lists(y_true, labels, "y_true")
        prediction, _ = label_lists(y_pred, labels, "y_pred")
        if not len(truth) and not len(prediction):
            raise InputError("expected at least one item, got none")
        for column in (truth, prediction):
            if not isinstance(column.dtype, pl.List):
                raise InputError(f"{column.name}: expected a list of labels an item, got {column.dtype}")
            if nulls := column.null_count():
                first = int(column.is_null().arg_max() or 0) + 1
                raise InputError(f"{column.name}: {number_of('null', nulls)}, the first at item {first}")
        if len(truth) != len(prediction):
            raise InputError(f"expected as many predictions as true labels, got {len(prediction)} and {len(truth)}")
        weight = None if sample_weight is None else weights_of(sample_weight, len(truth))
        return cls._of_columns(truth, prediction, stated, weight)

    @classmethod
    def from_predictions(cls, predictions: Predictions) -> LabelSets:
        """From a table of predictions whose items have several labels.

        >>> from assay.tables import Predictions
        >>> LabelSets.from_predictions(Predictions.of([["a"], ["a", "b"]], [["a"], ["b"]])).per_item().fn
        array([0, 1])
        """
        if predictions.kind != "multilabel" or predictions.prediction is None:
            raise InputError(f"{predictions.name}: expected several labels an item, true and predicted")
        weight = None if predictions.weight is None else weights_of(predictions.weight, len(predictions))
        ids = predictions.item_id if predictions.has_ids else None
        return cls._of_columns(predictions.truth, predictions.prediction, predictions.label_values, weight, ids)

    @classmethod
    def _of_columns(
        cls,
        truth: pl.Series,
        prediction: pl.Series,
        labels: Sequence[Any] | None,
        weight: Floats | None,
        item_id: pl.Series | None = None,
    ) -> LabelSets:
        truth, prediction = truth.list.unique().alias("truth"), prediction.list.unique().alias("prediction")
        seen = pl.concat([truth.explode(), prediction.explode()]).drop_nulls().unique().to_list()
        stated = tuple(sorted(seen)) if labels is None else tuple(map(str, labels))
        if not truth.list.contains(NONE).any():
            stated = tuple(label for label in stated if label != NONE)
            seen = [label for label in seen if label != NONE]
        for label in sorted(set(seen) - set(stated)):
            nearest = did_you_mean(label, stated)
            raise InputError(f"expected a label of {listed([*stated])}, got {label!r}{nearest}: name all labels")
        return cls(stated, truth, prediction, weight, item_id)

    @cached_property
    def _frame(self) -> pl.DataFrame:
        both = pl.col("truth").list.set_intersection("prediction")
        return pl.DataFrame([self.truth, self.prediction]).with_columns(both=both)

    def per_item(self, *, absent: bool = True) -> Confusion:
        """Right and wrong decisions about the labels of each item.

        `absent`: an absent prediction is a wrong one, as for measures of items; or none, as for those of labels.

        >>> sets = LabelSets.from_labels([["a"], []], [["a"], ["(none)"]])
        >>> sets.labels, sets.per_item().fp, sets.per_item(absent=False).fp
        (('a',), array([0, 1]), array([0, 0]))
        """
        sizes = self._frame.select(pl.all().list.len().cast(pl.Int64))
        true, predicted, tp = (sizes[name].to_numpy() for name in ("truth", "prediction", "both"))
        strange = np.zeros(len(true), dtype=np.int64)
        if NONE not in self.labels:
            strange = self.prediction.list.contains(NONE).to_numpy().astype(np.int64)
        known = predicted - strange
        fp = (predicted if absent else known) - tp
        return Confusion(self.units, tp, fp, true - tp, len(self.labels) - true - known + tp, "item")

    def per_label(self) -> Confusion:
        """Right and wrong decisions about each label, over all items; by weight, if items have weights."""
        cells = self._cells(None)
        if self.weight is not None:
            # Of weights that are added up in another order, a little more or less may be left where there is nothing.
            weighed = self._cells(self.weight)
            cells = [np.where(n > 0, np.maximum(w, 0.0), 0.0) for n, w in zip(cells, weighed, strict=True)]
        tp, fp, fn, tn = cells
        return Confusion(self.labels, tp, fp, fn, tn, "class")

    def _cells(self, weight: Floats | None) -> list[Counted]:
        """TP, FP, FN and TN of each label."""
        true, predicted, tp = (self._with(name, weight) for name in ("truth", "prediction", "both"))
        items = len(self.truth) if weight is None else float(weight.sum())
        return [tp, predicted - tp, true - tp, items - true - predicted + tp]

    def _with(self, name: str, weight: Floats | None) -> Counted:
        """How many items have each label in a column of lists, or what they weigh."""
        each = pl.Series("w", np.ones(len(self.truth), dtype=np.int64) if weight is None else weight)
        rows = pl.LazyFrame({"label": self._frame[name], "w": each}).explode("label").drop_nulls()
        sums = rows.group_by("label").agg(pl.col("w").sum()).collect()
        order = pl.DataFrame({"label": self.labels}, schema={"label": pl.String})
        return order.join(sums, on="label", how="left", maintain_order="left")["w"].fill_null(0).to_numpy()

    @cached_property
    def units(self) -> tuple[str, ...]:
        """The names of the items: row numbers from 1 if they have none."""
        if self.item_id is None:
            return tuple(map(str, range(1, len(self.truth) + 1)))
        return tuple(self.item_id.to_list())
