"""Rules for labels that are absent, unknown or of two types; what is refused names the row, or the line of a file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal, TypeAlias

import polars as pl

from assay.core.domains import Choice
from assay.core.errors import FormatError, InputError, ParameterError, argument, did_you_mean, listed, number_of
from assay.tables.roles import Where, refuse_rows

#: Pairs of labels of which everybody knows the positive one, the negative one first.
KNOWN_PAIRS: tuple[tuple[Any, Any], ...] = (
    (False, True),
    (0, 1),
    ("0", "1"),
    ("false", "true"),
    ("False", "True"),
    (-1, 1),
)
_MOST_LABELS = 2


def positive_label(labels: Sequence[Any], pos_label: Any = None) -> Any:
    """The positive one of two labels: the stated one, else 1, True, "1", "true" or "True"; else an error says how.

    >>> positive_label([0, 1]), positive_label(["ham", "spam"], "spam"), positive_label([0, 1], "0")
    (1, 'spam', 0)
    >>> positive_label(["ham", "spam"])
    Traceback (most recent call last):
        ...
    assay.core.errors.ParameterError: which label is positive, ham or spam? say pos_label='ham' or
    pos_label='spam'
    """
    if pos_label is not None:
        return label_among(labels, pos_label)
    known = [label for label in labels if (type(label), label) in {(type(yes), yes) for _, yes in KNOWN_PAIRS}]
    if len(labels) <= _MOST_LABELS and len(known) == 1:
        return known[0]
    if not labels or len(labels) > _MOST_LABELS:
        names = listed([str(label) for label in labels]) or "none"
        raise ParameterError(f"a positive label is one of two labels: there are {len(labels)} ({names})")
    ways = [argument("pos_label", label) for label in labels]
    if len(labels) == 1:
        raise ParameterError(f"is {labels[0]} the positive label? say {ways[0]}, or name the other one")
    raise ParameterError(f"which label is positive, {labels[0]} or {labels[1]}? say {' or '.join(ways)}")


def both_labels(labels: Sequence[Any], pos_label: Any = None) -> tuple[Any, ...]:
    """The labels that occur; where that is one only, with the other one, if it was stated as positive or is known.

    >>> both_labels([0]), both_labels(["spam"], "ham"), both_labels(["ham"])
    ((0, 1), ('ham', 'spam'), ('ham',))
    """
    if len(labels) != 1:
        return tuple(labels)
    (only,) = labels
    if pos_label is not None and (stated := label_like(only, pos_label)) != only:
        return tuple(sorted([only, stated]))
    return next((pair for pair in KNOWN_PAIRS if type(pair[0]) is type(only) and only in pair), (only,))


def label_like(known: Any, label: Any) -> Any:
    """A label in the type of a known one: text, a whole number, or true or false.

    >>> label_like(7, "1"), label_like("a", 1), label_like(False, "true")
    (1, '1', True)
    """
    if isinstance(known, bool):
        return bool(label) if label in (0, 1) else label_among([False, True], label)
    if isinstance(known, str):
        return str(label)
    try:
        number = int(label)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or not (isinstance(label, str) or number == label):
        raise ParameterError(f"expected a whole number as a label, as in the data, got {label!r}")
    return number


def label_among(labels: Sequence[Any], label: Any) -> Any:
    """The label that is meant; as text, where it was written so on a command line.

    >>> label_among([1, 2, 3], "2"), label_among([False, True], "true")
    (2, True)
    """
    for known in labels:
        if type(known) is type(label) and known == label:
            return known
    for known in labels:  # 1 is True, and 1.0 is 1, as in Python
        if known == label:
            return known
    text = str(label)
    for known in labels:
        if str(known) == text or (isinstance(known, bool) and str(known).lower() == text.lower()):
            return known
    names = [str(known) for known in labels]
    raise ParameterError(f"expected a label of {listed(names) or 'none'}, got {label!r}{did_you_mean(text, names)}")


Nulls: TypeAlias = Literal["error", "drop", "label"]

#: What an absent prediction is called where it counts as a label.
NONE = "(none)"
_TEXTS = (pl.String, pl.Categorical, pl.Enum)
#: Few values are sorted out before Polars has started; many, faster by its streaming engine, which starts later still.
_FEW, _LONG = 1 << 12, 1 << 17


def distinct(values: pl.Series) -> list[Any]:
    """The labels that occur, sorted; those of an Enum in its own order.

    >>> distinct(pl.Series([3, 1, None, 3])), distinct(pl.Series([["b"], ["a", "b"], []]))
    ([1, 3], ['a', 'b'])
    """
    if isinstance(values.dtype, pl.List):
        values = values.explode()
    if len(values) > _LONG:
        values = values.alias("label").to_frame().lazy().unique().collect(engine="streaming").to_series()
    elif len(values) > _FEW:
        values = values.unique()
    labels = set(values.to_list()) - {None}
    if isinstance(values.dtype, pl.Enum):
        return [label for label in values.dtype.categories.to_list() if label in labels]
    return sorted(labels)


def harmonised(truth: pl.Series, prediction: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Both columns of one type; text and numbers do not go together.

    >>> harmonised(pl.Series([0, 1]), pl.Series([True, False]))[1].to_list()
    [1, 0]
    """
    dtype, other = truth.dtype, prediction.dtype
    if dtype == other:
        return truth, prediction
    if prediction.null_count() == len(prediction):
        return truth, pl.repeat(None, len(prediction), dtype=dtype, eager=True).alias(prediction.name)
    if truth.null_count() == len(truth):
        return pl.repeat(None, len(truth), dtype=other, eager=True).alias(truth.name), prediction
    if dtype.base_type() in _TEXTS and other.base_type() in _TEXTS:
        return truth.cast(pl.String), prediction.cast(pl.String)
    if {dtype, other} == {pl.Boolean(), pl.Int64()}:
        return truth.cast(pl.Int64), prediction.cast(pl.Int64)
    types = " and ".join(f"{_type_in_words(column)} in {column.name}" for column in (truth, prediction))
    raise InputError(f"expected true and predicted labels of one type, got {types}")


def _type_in_words(values: pl.Series) -> str:
    kind = values.dtype
    if isinstance(kind, pl.List):
        return "several labels per item"
    word = "text" if kind.base_type() in _TEXTS else "numbers"
    if kind == pl.Boolean:
        word = "true and false"
    return f"{word} ({values.drop_nulls()[0]!r})"


def as_label(label: Any, kind: pl.DataType) -> Any:
    """A label as a column of this type holds it; labels from a command line are text.

    >>> as_label("1", pl.Int64()), as_label(1, pl.String()), as_label("true", pl.Boolean())
    (1, '1', True)
    """
    examples: dict[Any, bool | int] = {pl.Boolean: True, pl.Int64: 0}
    return label_like(examples.get(kind.base_type(), ""), label)


def stated_labels(labels: Sequence[Any] | None, kind: pl.DataType) -> tuple[Any, ...] | None:
    """The labels that were stated, as the columns hold them; each once."""
    if labels is None:
        return None
    if isinstance(labels, str):
        raise ParameterError(f"labels is a list of labels, not the text {labels!r}")
    stated = tuple(as_label(label, kind) for label in labels)
    if not stated or len(set(stated)) < len(stated):
        raise ParameterError(
            f"labels: expected each label once, got {listed([str(label) for label in stated]) or 'none'}"
        )
    return stated


def without_nulls(frame: pl.DataFrame, nulls: Nulls, name: str, where: Where) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Treat absent labels, scores and weights by the rule; say what was left out."""
    Choice(Nulls).check("nulls", nulls)
    absent = {column.name: column.null_count() for column in frame.iter_columns() if column.null_count()}
    if not absent:
        return frame, ()
    if nulls == "label" and absent.keys() == {"prediction"}:
        if NONE in distinct(frame["truth"]):
            raise InputError(f"{name}: {NONE} is a true label: it cannot stand for an absent prediction, too")
        return _as_none(frame), (f"{name}: {number_of('item', absent['prediction'])} without a prediction: {NONE}",)
    if nulls == "drop":
        # Row numbers stay those of the whole table, so that items of other systems can be found by them.
        named = frame if "item_id" in frame.columns else frame.with_columns(item_id=row_numbers(frame.height))
        kept = named.drop_nulls()
        if not kept.height:
            raise InputError(f"{name}: every item lacks something ({listed(list(absent))}): nothing is left")
        lacking = listed([f"{column} {number:,}" for column, number in absent.items()])
        gone = number_of("item", frame.height - kept.height)
        return kept, (f"{name}: {gone} left out for lack of a value ({lacking})",)
    column = next(name for name in absent if not (nulls == "label" and name == "prediction"))
    ways = f"{argument('nulls', 'drop')} leaves such items out"
    if column == "prediction":
        ways += f", {argument('nulls', 'label')} counts them as the label {NONE}"
    note = f"{number_of('null', absent[column])} in this column; {ways}"
    refuse_rows(frame[column].is_null(), where, f"a value as {column}", note=note)
    return frame, ()


def row_numbers(height: int) -> pl.Series:
    """Ids for items that have none: their rows, from 1.

    >>> row_numbers(2).to_list()
    ['1', '2']
    """
    return pl.int_range(1, height + 1, eager=True).cast(pl.String).alias("item_id")


class ItemTable:
    """A table with one row per item: predictions, or clusters."""

    columns: pl.DataFrame
    name: str
    remarks: tuple[str, ...]

    def __len__(self) -> int:
        return self.columns.height

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The table with the ids of the items in front."""
        return self.columns.select(self.item_id, *(name for name in self.columns.columns if name != "item_id"))

    @property
    def has_ids(self) -> bool:
        """True if items have ids of their own, not just row numbers."""
        return "item_id" in self.columns.columns

    @cached_property
    def item_id(self) -> pl.Series:
        """The ids of the items; row numbers from 1 if none were given."""
        return self.columns["item_id"] if self.has_ids else row_numbers(len(self))

    @property
    def weight(self) -> pl.Series | None:
        """The weight of each item; None if all weigh the same."""
        return self._column("weight")

    def _column(self, name: str) -> pl.Series | None:
        return self.columns[name] if name in self.columns.columns else None

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Remarks on legal but odd data, such as ids that occur twice."""
        if not self.has_ids or not (twice := self.item_id.filter(self.item_id.is_duplicated())).len():
            return self.remarks
        return (
            *self.remarks,
            f"{self.name}: {number_of('item id', twice.n_unique())} more than once, first {twice[0]!r}",
        )


def _as_none(frame: pl.DataFrame) -> pl.DataFrame:
    """An absent prediction as a label of its own, which no item has."""
    if isinstance(frame["prediction"].dtype, pl.List):
        return frame.with_columns(pl.col("prediction").fill_null(pl.lit([NONE])))
    return frame.with_columns(
        pl.col("truth").cast(pl.String), pl.col("prediction").cast(pl.String).fill_null(pl.lit(NONE))
    )


def refuse_unknown(frame: pl.DataFrame, labels: tuple[Any, ...] | None, where: Where) -> None:
    """Refuse labels that were not stated, where some were; the error names the first row that holds one."""
    known = {NONE, *map(str, labels or ())}
    for column in ("truth", "prediction") if labels is not None else ():
        if column not in frame.columns or all(str(label) in known for label in distinct(frame[column])):
            continue
        rows = frame.select(label=column).with_row_index("row")
        rows = rows.explode("label") if isinstance(frame[column].dtype, pl.List) else rows
        texts = pl.col("label").cast(pl.String)
        row, label = rows.filter(texts.is_not_null() & ~texts.is_in(sorted(known))).row(0)
        path, line = where(row)
        expected = f"a label of {listed([str(each) for each in labels or ()])} as {column}"
        raise FormatError(path, line, expected=expected, got=str(label))
