"""`Predictions`: labels and scores beside the truth, one label per item or several."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import polars as pl

from assay.core.errors import InputError, ParameterError, argument, listed, number_of
from assay.tables.label_arrays import ScoreColumns, label_lists, lists_of_indicators, score_columns
from assay.tables.label_columns import ids_of, numbers_of, refuse_no_threshold
from assay.tables.label_rules import (
    NONE,
    ItemTable,
    Nulls,
    as_label,
    both_labels,
    distinct,
    harmonised,
    positive_label,
    refuse_unknown,
    stated_labels,
    without_nulls,
)
from assay.tables.roles import Where, refuse_rows

_TWO = 2

Kind: TypeAlias = Literal["binary", "multiclass", "multilabel"]
#: What columns of scores are called, where there is one per class.
SCORE_OF = "score:"


@dataclass(frozen=True, eq=False)
class Predictions(ItemTable):
    """One system's predictions beside the truth, one row per item.

    `columns` holds `truth` and, as far as they were given, `prediction`, `score` (one per item, of the positive label)
    or `score:LABEL` (one per class; of two labels both, where they do not add up to 1), `weight` and `item_id`. Labels
    keep their type (text, whole numbers, booleans, Categorical, Enum); several labels per item are lists of text.
    `frame` is the same with `item_id` in front in any case: row numbers from 1 if none were given. These are made when
    somebody asks for `frame` or `item_id`, because for millions of rows they cost more than all the rest: `truth`,
    `prediction`, `score` and `weight` do without.

    >>> predictions = Predictions.of(["spam", "ham", "spam"], ["spam", "spam", "spam"], pos_label="spam")
    >>> predictions.kind, predictions.label_values, predictions.positive
    ('binary', ('ham', 'spam'), 'spam')
    >>> predictions.frame.rows()
    [('1', 'spam', 'spam'), ('2', 'ham', 'spam'), ('3', 'spam', 'spam')]
    """

    subject: ClassVar[str] = "labels"

    columns: pl.DataFrame
    name: str = "predictions"
    #: As stated; None: those that occur, sorted.
    labels: tuple[Any, ...] | None = None
    #: As stated.
    pos_label: Any = None
    #: A file's path, for messages.
    origin: str = "in memory"
    #: What was noticed when the table was made; `warnings` has more.
    remarks: tuple[str, ...] = ()
    #: Whether the scores of the other one of two labels were given, too, and add up to 1 with these.
    told_of_both: bool = False

    @classmethod
    def of(
        cls,
        y_true: Any,
        y_pred: Any = None,
        *,
        y_score: Any = None,
        labels: Sequence[Any] | None = None,
        pos_label: Any = None,
        sample_weight: Any = None,
        item_id: Any = None,
        nulls: Nulls = "error",
        name: str = "predictions",
    ) -> Predictions:
        """Take predictions from lists, arrays or columns of any library.

        Several labels per item are lists or sets of labels, or a matrix of 0 and 1 (dense or sparse) with one column
        per label. `y_score` is one number per item; or a matrix with one column per label in the order of `labels`
        (sorted, if they are not stated); or a dict of label to numbers. Of two columns that add up to 1 that of the
        positive label is kept, which says as much; otherwise both are.

        `nulls`: an absent label is an error; or its item is left out (`drop`) and counted; or an absent prediction
        counts as the label "(none)", which is never right (`label`); beside it, whole numbers and booleans become text.

        >>> Predictions.of([0, 1], y_score=[0.2, 0.7]).at(0.5).prediction.to_list()
        [0, 1]
        >>> Predictions.of([["a", "b"], []], [["a"], ["b"]]).kind
        'multilabel'
        """
        if isinstance(y_true, Predictions):
            return y_true
        truth, stated = label_lists(y_true, labels, "y_true")
        columns = {"truth": truth}
        if y_pred is not None:
            columns["prediction"], stated = label_lists(y_pred, stated, "y_pred")
        if sample_weight is not None:
            columns["weight"] = numbers_of(sample_weight, "sample_weight").cast(pl.Float64)
        if item_id is not None:
            columns["item_id"] = ids_of(item_id, "item_id")
        scores = None if y_score is None else score_columns(y_score)
        return assembled(columns, scores, labels=stated, pos_label=pos_label, nulls=nulls, name=name)

    def __repr__(self) -> str:
        return f"<Predictions {self.name!r}: {number_of('item', self.columns.height)}>"

    @property
    def truth(self) -> pl.Series:
        """The true label of each item, or its labels."""
        return self.columns["truth"]

    @property
    def prediction(self) -> pl.Series | None:
        """The predicted label of each item, or its labels; None if there are scores only."""
        return self._column("prediction")

    @property
    def score(self) -> pl.Series | None:
        """The score of the positive label; None if there is none."""
        return self._column("score")

    @cached_property
    def class_scores(self) -> dict[Any, pl.Series]:
        """The scores of each label, where there is one per class."""
        named = {str(label): label for label in self.label_values}
        return {
            named.get(column.removeprefix(SCORE_OF), column.removeprefix(SCORE_OF)): self.columns[column]
            for column in self.columns.columns
            if column.startswith(SCORE_OF)
        }

    @cached_property
    def _seen(self) -> dict[str, list[Any]]:
        """The distinct labels of truth and prediction, sorted."""
        held = [column for column in ("truth", "prediction") if column in self.columns.columns]
        return {column: distinct(self.columns[column]) for column in held}

    @cached_property
    def label_values(self) -> tuple[Any, ...]:
        """All labels in order: those stated, or those that occur in truth, prediction or scores, sorted.

        Of 0 and 1, False and True and the like both are there even if only one of them occurs; "(none)" comes last.

        >>> Predictions.of([1, 1], [1, 1]).label_values
        (0, 1)
        """
        if self.labels is not None:
            has_none = NONE not in self.labels and any(NONE in seen for seen in self._seen.values())
            return (*self.labels, *([NONE] if has_none else []))
        labels = set().union(*map(set, self._seen.values()))
        scored = [column.removeprefix(SCORE_OF) for column in self.columns.columns if column.startswith(SCORE_OF)]
        labels |= {as_label(text, self.truth.dtype) for text in scored}
        if isinstance(self.truth.dtype, pl.List):
            whole = all(label.isdecimal() for label in labels)
            return tuple(sorted(labels, key=(lambda label: (int(label), label)) if whole else None))
        apart = labels & {NONE}
        return tuple(sorted({*both_labels([*(labels - apart)], self.pos_label), *apart}, key=self._place))

    def _place(self, label: Any) -> tuple[bool, Any]:
        """The place of a label in order: those of an Enum in its own, "(none)" last."""
        kind = self.truth.dtype
        if isinstance(kind, pl.Enum) and label in (categories := kind.categories.to_list()):
            return False, categories.index(label)
        return label == NONE, label

    @cached_property
    def classes(self) -> tuple[Any, ...]:
        """The labels that an item can have: all but "(none)", where that stands for an absent prediction.

        >>> Predictions.of([0, 1], [0, None], nulls="label").classes
        ('0', '1')
        """
        return tuple(label for label in self.label_values if label != NONE or label in self._seen["truth"])

    @cached_property
    def kind(self) -> Kind:
        """Several labels per item: multilabel; two labels: binary; else multiclass."""
        if isinstance(self.truth.dtype, pl.List):
            return "multilabel"
        if "score" in self.columns.columns:
            return "binary"
        return "binary" if len(self.classes) <= _TWO else "multiclass"

    @cached_property
    def positive(self) -> Any:
        """The positive label: the stated one, else 1, True, "1", "true" or "True"; otherwise an error says how."""
        if self.kind != "binary":
            names = listed([str(label) for label in self.label_values])
            raise ParameterError(f"{self.name}: only one of two labels can be positive: there are {names}")
        return positive_label(self.classes, self.pos_label)

    @cached_property
    def negative(self) -> Any:
        """The label that is not the positive one."""
        others = [label for label in self.classes if label != self.positive]
        return others[0] if others else f"not {self.positive}"

    @cached_property
    def unseen(self) -> tuple[Any, ...]:
        """Labels that are predicted though no item has them."""
        true = set(self._seen["truth"])
        return tuple(label for label in self._seen.get("prediction", ()) if label not in true and label != NONE)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Remarks on legal but odd data: items left out, labels that no item has, ids that occur twice."""
        names = listed([str(label) for label in self.unseen])
        unseen = f"{self.name}: {number_of('label', len(self.unseen))} predicted that no item has: {names}"
        rest = super().warnings[len(self.remarks) :]
        return (*self.remarks, *([unseen] if self.unseen else ()), *rest)

    def at(self, threshold: float) -> Predictions:
        """Predict the positive label where the score is at least the threshold, the negative one elsewhere.

        Of several labels per item, each is predicted whose own score is at least the threshold.

        Numbers are compared as what they are: the one of 32 bits that is nearest to 0.7 is 0.69999999, and below it.

        >>> Predictions.of([0, 1, 1], y_score=[0.2, 0.5, 0.9]).at(0.5).prediction.to_list()
        [0, 1, 1]
        """
        refuse_no_threshold(threshold)
        if self.kind == "multilabel" and self.class_scores:
            return self._each_at(threshold)
        if self.score is None:
            has = "scores of each class" if self.class_scores else "no scores"
            raise ParameterError(f"{self.name}: a threshold needs one score per item: there are {has}")
        two = self.holding_both
        yes, no = (pl.lit(label, dtype=two.truth.dtype) for label in (two.positive, two.negative))
        prediction = pl.when(pl.col("score") >= threshold).then(yes).otherwise(no).alias("prediction")
        labels = two.labels if len(two.classes) == _TWO else (two.negative, two.positive)
        return dataclasses.replace(two, columns=_ordered(two.columns.with_columns(prediction)), labels=labels)

    def _each_at(self, threshold: float) -> Predictions:
        """Of several labels per item, predict each whose score is at least the threshold."""
        labels = list(self.class_scores)
        reached = np.column_stack([(scores >= threshold).to_numpy() for scores in self.class_scores.values()])
        prediction = lists_of_indicators(reached, labels, "prediction")[0]
        return dataclasses.replace(self, columns=_ordered(self.columns.with_columns(prediction)))

    @property
    def holding_both(self) -> Predictions:
        """The same, with labels as text if the column's type cannot hold both of the two labels, as "not 2".

        >>> Predictions.of([2, 2], y_score=[0.9, 0.2], pos_label=2).holding_both.truth.to_list()
        ['2', '2']
        """
        kind = self.truth.dtype
        both = {self.positive, self.negative}
        known = set(kind.categories) if isinstance(kind, pl.Enum) else both
        fits = both <= known and len({type(label) for label in both}) == 1
        if fits:
            return self
        held = [column for column in ("truth", "prediction") if column in self.columns.columns]
        labels = None if self.labels is None else tuple(map(str, self.labels))
        columns = self.columns.with_columns(pl.col(held).cast(pl.String))
        return dataclasses.replace(self, columns=columns, labels=labels)

    def most_likely(self) -> Predictions:
        """Predict the label with the largest score, the first one in order of several; needs scores of each class.

        >>> scored = Predictions.of(["a", "c"], y_score={"a": [0.5, 0.2], "b": [0.5, 0.1], "c": [0.0, 0.7]})
        >>> scored.most_likely().prediction.to_list()
        ['a', 'c']
        """
        scores = self.class_scores
        if not scores or self.kind == "multilabel":
            raise ParameterError(
                f"{self.name}: the most likely label needs one label per item and scores of each class"
            )
        in_order = [label for label in self.label_values if label in scores]
        best = pl.concat_list([scores[label].alias(str(label)) for label in in_order]).list.arg_max()
        kind = self.truth.dtype
        kind = pl.String() if isinstance(kind, pl.Enum | pl.Categorical) else kind
        prediction = pl.Series(in_order, dtype=kind).gather(pl.select(best).to_series()).alias("prediction")
        return dataclasses.replace(self, columns=_ordered(self.columns.with_columns(self.truth.cast(kind), prediction)))

    def with_positive(self, label: Any) -> Predictions:
        """The same with another positive label and its scores; an error where these are known to be the other one's.

        >>> scored = Predictions.of([0, 1], y_score={0: [0.9, 0.2], 1: [0.8, 0.7]})
        >>> scored.with_positive(0).score.to_list()
        [0.9, 0.2]
        """
        other = dataclasses.replace(self, pos_label=label)
        score = self.score
        whose = self._usual_positive
        if score is None or whose in {None, other.positive}:
            return other
        if not self.class_scores and not self.told_of_both:
            raise ParameterError(
                f"{self.name}: the scores are those of {whose}, and none are of {other.positive}: give each label its "
                f"own, or say {argument('pos_label', other.positive)} where the table is made if they are of that one"
            )
        theirs = other.class_scores[other.positive] if self.class_scores else 1 - score
        return dataclasses.replace(other, columns=self.columns.with_columns(score=theirs))

    @property
    def _usual_positive(self) -> Any:
        """The positive label as far as it is known."""
        try:
            return self.positive
        except ParameterError:
            return None

    def taken(self, rows: pl.Series) -> Predictions:
        """Some of the items: a mask, or row numbers from 0 in the order wanted; row numbers as ids stay what they are.

        >>> Predictions.of([0, 1], [1, 1]).taken(pl.Series([1])).frame.rows()
        [('2', 1, 1)]
        """
        frame = self.frame
        kept = frame.filter(rows) if rows.dtype == pl.Boolean else frame[rows]
        return dataclasses.replace(self, columns=_ordered(kept), labels=self.labels)


def assembled(
    columns: dict[str, pl.Series],
    scores: ScoreColumns | None,
    *,
    labels: Sequence[Any] | None,
    pos_label: Any,
    nulls: Nulls,
    name: str = "predictions",
    origin: str = "in memory",
    where: Where | None = None,
    remarks: tuple[str, ...] = (),
) -> Predictions:
    """Check columns against one another and make a table of them; `where` finds the line of a row."""
    where = where or (lambda row: (f"{name}: row {row + 1}", None))
    all_columns = {**columns, **({} if scores is None else {column.name: column for column in scores.columns})}
    height = len(columns["truth"])
    for column in all_columns.values():
        if len(column) != height:
            what = columns["truth"].name
            raise InputError(f"expected as many values as {what} has, {height:,}, got {len(column):,} in {column.name}")
    if not height:
        raise InputError(f"{name}: expected at least one item, got none")
    if "prediction" in columns:
        columns["truth"], columns["prediction"] = harmonised(columns["truth"], columns["prediction"])
    if "weight" in columns:
        refuse_rows(columns["weight"] < 0, where, "a weight from 0 on", columns["weight"])
    stated = stated_labels(labels, columns["truth"].dtype)
    frame = pl.DataFrame([column.alias(ours) for ours, column in columns.items()])
    told_of_both = False
    if scores is not None:
        placed = _placed(scores, frame, stated, pos_label, name)
        frame, told_of_both = frame.with_columns(placed), len(placed) == 1 and scores.are_complementary
    frame, left_out = without_nulls(frame, nulls, name, where)
    refuse_unknown(frame, stated, where)
    if stated is not None and frame["truth"].dtype == pl.String:
        stated = tuple(map(str, stated))
    return Predictions(_ordered(frame), name, stated, pos_label, origin, (*remarks, *left_out), told_of_both)


def _placed(
    scores: ScoreColumns, frame: pl.DataFrame, stated: tuple[Any, ...] | None, pos_label: Any, name: str
) -> list[pl.Series]:
    """Scores under the names of their labels; of two labels, or of one, the score of the positive one."""
    bare = Predictions(frame, name, stated, pos_label)
    labels = bare.label_values
    several = bare.kind == "multilabel"
    if scores.labels is None and len(scores.columns) == 1 and not several:
        if len(labels) > _TWO:
            names = listed([str(label) for label in labels])
            raise InputError(f"{name}: one score per item goes with two labels, and there are {len(labels)}: {names}")
        return [scores.columns[0].alias("score")]
    kind = frame["truth"].dtype
    named = labels if scores.labels is None else tuple(as_label(label, kind) for label in scores.labels)
    if scores.labels is None and isinstance(kind, pl.Enum) and stated is None and list(labels) != sorted(labels):
        raise InputError(f"{name}: the Enum's order is not the alphabet's: state the labels of the columns of y_score")
    if len(named) != len(scores.columns):
        has = number_of("column", len(scores.columns))
        names = listed([str(label) for label in named])
        raise InputError(f"{name}: y_score has {has}, and there are {len(named)} labels ({names}): state labels")
    if missing := [str(label) for label in labels if label not in named and label != NONE]:
        raise InputError(f"{name}: there are no scores for {listed(missing)}")
    if len(named) == _TWO and not several:
        positive = positive_label(sorted(named, key=bare._place), pos_label)
        score = scores.columns[named.index(positive)].alias("score")
        return [score, *([] if scores.are_complementary else _of_labels(named, scores))]
    return _of_labels(named, scores)


def _of_labels(named: Sequence[Any], scores: ScoreColumns) -> list[pl.Series]:
    return [column.alias(f"{SCORE_OF}{label}") for label, column in zip(named, scores.columns, strict=True)]


def _ordered(frame: pl.DataFrame) -> pl.DataFrame:
    """The columns in their usual order."""
    usual = [name for name in ("item_id", "truth", "prediction", "weight", "score") if name in frame.columns]
    order = [*usual, *(name for name in frame.columns if name not in usual)]
    return frame if order == frame.columns else frame[order]
