"""`ConfusionMatrix`: how often each label was predicted for each true label; `LabelSets`: items with several labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np
import polars as pl

from assay.core.domains import Choice
from assay.core.errors import InputError, ParameterError, argument, did_you_mean, listed, number_of
from assay.measures.counting.confusion import Confusion, Counted
from assay.measures.counting.judgments import Floats
from assay.measures.counting.label_pairs import counted_pairs, weights_of
from assay.tables.label_arrays import label_lists
from assay.tables.label_columns import refuse_extreme
from assay.tables.label_rules import NONE, label_among

if TYPE_CHECKING:
    from assay.tables.predictions import Predictions


Orientation: TypeAlias = Literal["rows_are_true", "rows_are_predicted"]

Normalize: TypeAlias = Literal["true", "pred", "all"]

#: The other class, where one class stands against all others.
REST = "rest"


@dataclass(frozen=True, eq=False)
class ConfusionMatrix:
    """Counts of each label (column) as predicted for items of each true label (row); one table per unit.

    Most matrices are of one unit, all items; folds, groups of items and resamples have one table each. `positive` is
    the place of the positive label, where there are two labels and one of them is.

    >>> matrix = ConfusionMatrix.from_labels(["cat", "cat", "dog"], ["cat", "dog", "dog"])
    >>> matrix.table
    array([[1, 1],
           [0, 1]])
    """

    unit_kind: ClassVar[str] = "table"
    vocabularies: ClassVar[tuple[str, ...]] = ("binary", "multiclass")
    #: What it is, for measures that are computed from it.
    described: ClassVar[str] = "the confusion matrix of all classes"

    labels: tuple[Any, ...]
    tables: Counted
    units: tuple[str, ...] = ("all",)
    positive: int | None = None

    def __post_init__(self) -> None:
        wanted = self._shape()
        if self.tables.shape != wanted:
            of = f"{number_of('label', len(self.labels))} and {number_of('unit', len(self.units))}"
            raise ParameterError(f"a confusion matrix of {of} has the shape {wanted}, not {self.tables.shape}")

    @classmethod
    def from_labels(
        cls, y_true: Any, y_pred: Any, *, labels: Sequence[Any] | None = None, pos_label: Any = None,
        sample_weight: Any = None,
    ) -> ConfusionMatrix:  # fmt: skip
        """Count true and predicted labels, item by item; both orders, of rows and columns, are that of `labels`.

        >>> ConfusionMatrix.from_labels([0, 1, 1], [0, 0, 1], sample_weight=[1, 0.5, 2]).table
        array([[1. , 0. ],
               [0.5, 2. ]])
        """
        named, table = counted_pairs(y_true, y_pred, labels, sample_weight)
        return cls(named, table[None], positive=_place(named, pos_label))

    @classmethod
    def from_matrix(
        cls, matrix: Any, labels: Sequence[Any] | None = None, *, orientation: Orientation = "rows_are_true",
        pos_label: Any = None,
    ) -> ConfusionMatrix:  # fmt: skip
        """Take a ready matrix; the labels are numbered from 0 unless they are named.

        >>> ConfusionMatrix.from_matrix([[13, 4], [2, 15]], ["w", "m"], orientation="rows_are_predicted").table
        array([[13,  2],
               [ 4, 15]])
        """
        table = _checked(matrix)
        named = tuple(range(len(table))) if labels is None else tuple(labels)
        if len(named) != len(table) or len(set(named)) < len(named):
            names = listed([*map(str, named)])
            raise ParameterError(f"a matrix of {table.shape} has {len(table)} different labels, not {names}")
        Choice(Orientation).check("orientation", orientation)
        turned = table if orientation == "rows_are_true" else table.T
        return cls(named, turned[None], positive=_place(named, pos_label))

    @property
    def table(self) -> Counted:
        """The table of the only unit."""
        if len(self.units) != 1:
            raise ParameterError(f"there are {len(self.units)} tables, one per unit; add them up with `summed`")
        table: Counted = self.tables[0]
        return table

    @property
    def is_weighted(self) -> bool:
        """True if the cells are sums of weights, and not numbers of items.

        >>> ConfusionMatrix.from_labels([0, 1], [0, 0], sample_weight=[1, 0.5]).is_weighted
        True
        """
        return bool(self.tables.dtype.kind == "f")

    def _shape(self) -> tuple[int, int, int]:
        return len(self.units), len(self.labels), len(self.labels)

    @cached_property
    def items(self) -> Floats:
        """Items of each unit: their number, or their weight."""
        items: Floats = self.tables.sum(axis=(1, 2)).astype(np.float64)
        return items

    @cached_property
    def margins(self) -> tuple[Counted, Counted, Counted]:
        """Of units (rows) and labels (columns): how many items have the label, were predicted to, and both."""
        return np.add.reduce(self.tables, 2), np.add.reduce(self.tables, 1), self.tables.diagonal(0, 1, 2)

    def summed(self) -> ConfusionMatrix:
        """All units' tables in one."""
        return replace(self, units=("all",), tables=self.tables.sum(axis=0, keepdims=True))

    def merge(self, *others: ConfusionMatrix) -> ConfusionMatrix:
        """Add up matrices of other items; labels that one of them lacks have no items there.

        >>> one = ConfusionMatrix.from_labels(["a", "b"], ["a", "a"])
        >>> one.merge(one).table
        array([[2, 0],
               [2, 0]])
        """
        labels = list(self.labels)
        for other in others:
            labels += [label for label in other.labels if label not in labels]
        place = {label: number for number, label in enumerate(labels)}
        weighted = any(matrix.is_weighted for matrix in (self, *others))
        total = np.zeros((1, len(labels), len(labels)), dtype=np.float64 if weighted else np.int64)
        for matrix in (self, *others):
            at = np.array([place[label] for label in matrix.labels])
            total[0][np.ix_(at, at)] += matrix.summed().table
        return ConfusionMatrix(
            tuple(labels), total, positive=self.positive if len(labels) == len(self.labels) else None
        )

    def collapse(self, label: Any) -> ConfusionMatrix:
        """One class against the rest: a matrix of two labels, the class being the positive one.

        >>> matrix = ConfusionMatrix.from_matrix([[5, 0, 0], [1, 3, 0], [1, 2, 4]], ["a", "b", "c"])
        >>> matrix.collapse("b").table
        array([[ 3,  1],
               [ 2, 10]])
        """
        cells = np.stack(self.cells(), axis=-1)[:, self.place(label)]  # TP, FP, FN, TN
        tables = cells[:, [0, 2, 1, 3]].reshape(-1, 2, 2)
        rest = REST if label != REST else f"not {label}"
        return ConfusionMatrix((label, rest), tables, self.units, positive=0)

    def against_rest(self, label: Any) -> Confusion:
        """Right and wrong decisions about one class, one table a unit."""
        place = self.place(label)
        tp, fp, fn, tn = (cell[:, place] for cell in self.cells())
        return Confusion(self.units, tp, fp, fn, tn, self.unit_kind)

    def positive_class(self) -> Confusion:
        """Right and wrong decisions about the positive class."""
        if self.positive is None:
            raise ParameterError(
                f"which of the labels {listed([*map(str, self.labels)])} is positive? say {argument('pos_label')}"
            )
        return self.against_rest(self.labels[self.positive])

    def per_class(self) -> Confusion:
        """Right and wrong decisions about each class: one table a class; of several units, unit by unit.

        >>> ConfusionMatrix.from_matrix([[5, 0, 0], [1, 3, 0], [1, 2, 4]], ["a", "b", "c"]).per_class().fp
        array([2, 2, 0])
        """
        return self._per_class

    @cached_property
    def classes(self) -> tuple[Any, ...]:
        """The labels that an item can have: all but "(none)", an absent prediction, which no item truly is.

        >>> ConfusionMatrix.from_labels(["a", "b"], ["a", "(none)"], labels=["a", "b", "(none)"]).classes
        ('a', 'b')
        """
        if NONE not in self.labels or self.margins[0][:, self.labels.index(NONE)].any():
            return self.labels
        return tuple(label for label in self.labels if label != NONE)

    @cached_property
    def _per_class(self) -> Confusion:
        tp, fp, fn, tn = (cell.ravel() for cell in self.class_cells())
        return Confusion(tuple(map(str, self.classes)) * len(self.units), tp, fp, fn, tn, "class")

    def class_cells(self) -> tuple[Counted, ...]:
        """TP, FP, FN and TN of units (rows) and of what an item can be (columns): see `classes`."""
        if self.classes is self.labels:
            return self.cells()
        kept = [self.labels.index(label) for label in self.classes]
        return tuple(cell[:, kept] for cell in self.cells())

    def cells(self) -> tuple[Counted, Counted, Counted, Counted]:
        """TP, FP, FN and TN of units (rows) and classes (columns)."""
        true, predicted, tp = self.margins
        fp, fn = predicted - tp, true - tp
        return tp, fp, fn, self._others(tp, fp, fn)

    def _others(self, tp: Counted, fp: Counted, fn: Counted) -> Counted:
        """The items that have nothing to do with a class."""
        tn: Counted = np.add.reduce(self.tables, (1, 2))[:, None] - tp - fp - fn
        if not self.is_weighted:
            return tn
        # Of weights that are added up in another order, a little more or less may be left where there is nothing.
        there = self.tables > 0
        others = there.sum(axis=(1, 2))[:, None] - there.sum(axis=1) - there.sum(axis=2)
        others += np.diagonal(there, axis1=1, axis2=2)
        return np.where(others > 0, np.maximum(tn, 0), 0.0)

    def place(self, label: Any) -> int:
        """The row and column of a label."""
        return self.labels.index(label_among(self.labels, label))

    def normalized(self, normalize: Normalize = "true") -> Floats:
        """The table as shares of its rows (`true`), its columns (`pred`) or of all items; NaN where those are none.

        >>> ConfusionMatrix.from_matrix([[3, 1], [0, 4]]).normalized("true")
        array([[0.75, 0.25],
               [0.  , 1.  ]])
        """
        Choice(Normalize).check("normalize", normalize)
        table = self.table.astype(np.float64)
        sums = {
            "true": table.sum(axis=1, keepdims=True),
            "pred": table.sum(axis=0, keepdims=True),
            "all": table.sum(keepdims=True),
        }
        with np.errstate(divide="ignore", invalid="ignore"):
            shares: Floats = table / sums[normalize]
        return shares

    def in_order(self, labels: Sequence[Any]) -> ConfusionMatrix:
        """The same with the labels in another order."""
        at = np.array([self.place(label) for label in labels], dtype=np.int64)
        if sorted(at) != list(range(len(self.labels))):
            raise ParameterError(f"expected each of the labels {listed([*map(str, self.labels)])} once")
        positive = None if self.positive is None else int(np.flatnonzero(at == self.positive)[0])
        return replace(self, labels=tuple(labels), tables=self.tables[:, at][:, :, at], positive=positive)

    def to_frame(self, orientation: Orientation = "rows_are_true") -> pl.DataFrame:
        """The table with its labels: rows and columns say whether they are true or predicted.

        >>> ConfusionMatrix.from_labels(["a", "b"], ["a", "a"]).to_frame().columns
        ['truth', 'predicted a', 'predicted b']
        """
        Choice(Orientation).check("orientation", orientation)
        upright = orientation == "rows_are_true"
        table = self.table if upright else self.table.T
        row, column = ("truth", "predicted") if upright else ("prediction", "true")
        names = list(map(str, self.labels))
        cells = {f"{column} {name}": table[:, number] for number, name in enumerate(names)}
        return pl.DataFrame({row: names} | cells)


def _place(labels: tuple[Any, ...], pos_label: Any) -> int | None:
    return None if pos_label is None else labels.index(label_among(labels, pos_label))


def _checked(matrix: Any) -> Counted:
    """A square table of counts or weights."""
    try:
        table = np.asarray(matrix)
        numbers = table.astype(np.float64)
    except (TypeError, ValueError):
        raise ParameterError("a confusion matrix is a square table of numbers") from None
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not table.size:
        raise ParameterError(f"a confusion matrix is square, not of shape {table.shape}")
    if not (np.isfinite(numbers) & (numbers >= 0)).all():
        raise ParameterError("a confusion matrix is made of numbers from 0 on")
    refuse_extreme(numbers, "a confusion matrix")
    return table.astype(np.int64) if (numbers == np.floor(numbers)).all() and numbers.max() < 1 << 53 else numbers


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
                raise InputError(f"{column.name}: expected a list of labels per item, got {column.dtype}")
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
            raise InputError(f"{predictions.name}: expected several labels per item, true and predicted")
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
        """Items with each label in a column of lists: their number, or their weight."""
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
