"""True and predicted labels -> how often each pair occurs, by the shortest way for their type.

Few items are counted in plain Python, before anything else has started; whole numbers and truth values with a cell for
each pair; text by grouping, in as many threads as there are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import count
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.errors import InputError, did_you_mean, listed, number_of
from assay.measures.counting.confusion import Counted
from assay.measures.counting.judgments import Floats, Ints
from assay.tables.label_columns import labels_of, numbers_of, refuse_extreme, refuse_nulls
from assay.tables.label_rules import distinct, harmonised, label_like

_BYTE = 256
_WORD = 8


def pairs_of_text(truth: NDArray[Any], prediction: NDArray[Any], weight: Floats | None) -> LabelPairs:
    """Count pairs of labels in two arrays of fixed-width text, as long as one another.

    Characters are laid side by side in whole numbers of 8 bytes, which are grouped: equal numbers are equal labels.

    >>> pairs_of_text(np.array(["b", "a", "b"]), np.array(["a", "a", "a"]), None).counts.sum()
    np.int64(3)
    """
    columns: dict[str, NDArray[Any]] = {f"t{place}": word for place, word in enumerate(_words(truth))}
    columns |= {f"p{place}": word for place, word in enumerate(_words(prediction))}
    keys = list(columns)
    columns |= {"row": np.arange(len(truth))} | ({} if weight is None else {"w": weight})
    frame = pl.LazyFrame(columns)
    counted = pl.len().cast(pl.Int64) if weight is None else pl.col("w").sum()
    # A row of each pair tells its labels.
    pairs = frame.group_by(keys).agg(pl.col("row").first(), n=counted).collect(engine="streaming")
    rows = pairs["row"].to_numpy()
    return LabelPairs(truth[rows].tolist(), prediction[rows].tolist(), pairs["n"].to_numpy())


def numbered_text(labels: NDArray[Any]) -> tuple[list[str], Ints]:
    """The different labels of a few items, and each item's number among them.

    >>> numbered_text(np.array(["b", "a", "b"]))
    (['a', 'b'], array([1, 0, 1]))
    """
    words = _words(labels)
    number = _numbers(words[0])
    for word in words[1:]:
        number = _numbers(number * len(labels) + _numbers(word))
    row = np.zeros(int(np.maximum.reduce(number)) + 1, dtype=np.int64)
    row[number] = np.arange(len(labels))
    return labels[row].tolist(), number


def _numbers(values: NDArray[Any]) -> Ints:
    """The number of different values smaller than each."""
    in_order = values.copy()
    in_order.sort()
    smaller: Ints = in_order[:-1][in_order[1:] != in_order[:-1]].searchsorted(values)
    return smaller


def is_text(values: Any) -> bool:
    """True for an array of text, one label per item, in this machine's order of bytes.

    >>> is_text(np.array(["a"])), is_text(["a"])
    (True, False)
    """
    return (
        isinstance(values, np.ndarray)
        and values.dtype.kind == "U"
        and values.ndim == 1
        and values.dtype.isnative
        and values.dtype.itemsize > 0
    )


def _words(labels: NDArray[Any]) -> list[NDArray[np.uint64]]:
    """The characters of each label in whole numbers, as few as can be: a byte each if no script needs more."""
    width = labels.dtype.itemsize // 4
    characters = np.ascontiguousarray(labels).view(np.uint32).reshape(len(labels), width)
    kind, size = (np.uint8, 1) if characters.max(initial=0) < _BYTE else (np.uint32, 4)
    padded = -(-width * size // _WORD) * _WORD // size
    beside = np.zeros((len(labels), padded), dtype=kind)
    beside[:, :width] = characters
    words = beside.view(np.uint64)
    return [np.ascontiguousarray(words[:, place]) for place in range(words.shape[1])]


Column: TypeAlias = pl.Series | NDArray[Any]

#: Up to so many items, plain Python is done before Polars has started.
_FEW = 1 << 12
_FEW_LABELS = 1 << 7
#: Whole numbers that lie closer together than this have a cell for each pair of them.
_WIDEST = 1 << 11
#: A table of more labels than this would fill the memory.
_MOST_LABELS = 1 << 13


class LabelPairs(NamedTuple):
    """Pairs of true and predicted labels that occur, and how often, or with what weight."""

    truth: Sequence[Any]
    prediction: Sequence[Any]
    counts: Counted


class Square(NamedTuple):
    """The labels that occur, and how often each (column) was predicted for each (row), or with what weight."""

    labels: Sequence[Any]
    table: Counted


def counted_pairs(
    y_true: Any, y_pred: Any, labels: Sequence[Any] | None = None, sample_weight: Any = None
) -> tuple[tuple[Any, ...], Counted]:
    """The labels in order, and the table of true (rows) and predicted (columns) labels.

    >>> counted_pairs(["b", "a"], ["a", "a"])[1]
    array([[1, 0],
           [1, 0]])
    """
    if sample_weight is None and (few := _few(y_true, y_pred, labels)) is not None:
        return few
    if is_text(y_true) and is_text(y_pred) and 0 < len(y_true) == len(y_pred):
        weight = None if sample_weight is None else weights_of(sample_weight, len(y_true))
        text = pairs_of_text(y_true, y_pred, weight)
        return _tabled(text, ordered(set(text.truth) | set(text.prediction), labels))
    truth, prediction = column(y_true, "y_true"), column(y_pred, "y_pred")
    if len(truth) != len(prediction):
        raise InputError(f"expected as many predictions as true labels, got {len(prediction)} and {len(truth)}")
    if not len(truth):
        raise InputError("expected at least one item, got none")
    weight = None if sample_weight is None else weights_of(sample_weight, len(truth))
    truth, prediction = _alike(truth, prediction)
    if (square := _square(truth, prediction, weight)) is not None:
        return _arranged(square, ordered(square.labels, labels, truth))
    pairs = _pairs(truth, prediction, weight)
    return _tabled(pairs, ordered(set(pairs.truth) | set(pairs.prediction), labels, truth))


def _tabled(pairs: LabelPairs, named: tuple[Any, ...]) -> tuple[tuple[Any, ...], Counted]:
    """The labels, and the table with a row and a column for each."""
    if len(named) > _MOST_LABELS:
        raise InputError(f"{number_of('label', len(named))} are too many for a table: are these classes?")
    place = {label: number for number, label in enumerate(named)}
    table = np.zeros((len(named), len(named)), dtype=pairs.counts.dtype)
    rows, columns = [place[label] for label in pairs.truth], [place[label] for label in pairs.prediction]
    table[rows, columns] = pairs.counts
    return named, table


def _arranged(square: Square, named: tuple[Any, ...]) -> tuple[tuple[Any, ...], Counted]:
    """The same with a row and a column for each of the labels, in their order."""
    if [*named] == square.labels:
        return named, square.table
    at = [named.index(label) for label in square.labels]
    table = np.zeros((len(named), len(named)), dtype=square.table.dtype)
    table[np.ix_(at, at)] = square.table
    return named, table


def column(values: Any, name: str) -> Column:
    """Labels in a column: a Polars series, or a NumPy array of whole numbers or truth values; nulls are refused.

    >>> column([1, 0, 1], "y_true")
    array([1, 0, 1])
    """
    if isinstance(values, np.ndarray) and values.dtype.kind in "biu" and values.ndim == 1 and values.dtype != np.uint64:
        return values
    series = labels_of(values, name)
    if isinstance(series.dtype, pl.List):
        raise InputError(f"{name}: expected one label per item, got lists of them")
    refuse_nulls(series, name, "drop those items")
    return series.to_numpy() if series.dtype in {pl.Int64, pl.Boolean} else series


def _alike(truth: Column, prediction: Column) -> tuple[Column, Column]:
    """True and predicted labels of one type, by the rules that hold for tables, too."""
    if isinstance(truth, np.ndarray) and isinstance(prediction, np.ndarray):
        if (truth.dtype.kind == "b") != (prediction.dtype.kind == "b"):
            return truth.astype(np.int64), prediction.astype(np.int64)
        return truth, prediction
    return harmonised(pl.Series("y_true", truth), pl.Series("y_pred", prediction))


def distinct_labels(values: Column) -> set[Any]:
    """The labels that occur.

    >>> sorted(distinct_labels(column(["b", "a", "b"], "y")))
    ['a', 'b']
    """
    if isinstance(values, np.ndarray):
        return set(np.unique(values).tolist())
    return set(distinct(values))


def weights_of(sample_weight: Any, items: int) -> Floats:
    """One weight an item, from 0 on.

    >>> weights_of([1, 0.5], items=2)
    array([1. , 0.5])
    """
    if not isinstance(sample_weight, np.ndarray) or sample_weight.dtype != np.float64:
        sample_weight = numbers_of(sample_weight, "sample_weight").cast(pl.Float64).to_numpy()
    weight: Floats = sample_weight
    if weight.shape != (items,):
        raise InputError(f"sample_weight: expected {number_of('weight', items)}, one per item, got {weight.size}")
    if not (np.isfinite(weight) & (weight >= 0)).all():
        wrong = weight[~(np.isfinite(weight) & (weight >= 0))][0]
        raise InputError(f"sample_weight: expected numbers from 0 on, got {wrong}")
    refuse_extreme(weight, "sample_weight")
    return weight


def ordered(occurring: Collection[Any], labels: Sequence[Any] | None, like: Column | None = None) -> tuple[Any, ...]:
    """The labels in order: as stated, or sorted; those of an Enum in its own order.

    >>> ordered({"b", "a"}, None), ordered({"b"}, ["b", "a"])
    (('a', 'b'), ('b', 'a'))
    """
    if labels is None:
        if isinstance(like, pl.Series) and isinstance(like.dtype, pl.Enum):
            kept = set(occurring)
            return tuple(label for label in like.dtype.categories.to_list() if label in kept)
        try:
            return tuple(sorted(occurring))
        except TypeError:
            kinds = sorted({type(label).__name__ for label in occurring})
            raise InputError(f"expected labels of one type, got {' and '.join(kinds)}") from None
    stated = tuple(labels)
    if len(set(stated)) < len(stated):
        raise InputError(f"labels: expected each label once, got {listed([*map(str, stated)])}")
    if occurring and not set(occurring) <= set(stated):  # on a command line, numbers are written as text
        stated = tuple(label_like(next(iter(occurring)), label) for label in stated)
    for label in occurring:
        if label not in stated:
            names = list(map(str, stated))
            raise InputError(
                f"expected a label of {listed(names)}, got {label!r}{did_you_mean(str(label), names)}: "
                "name all labels that occur"
            )
    return stated


def codes(values: Column, labels: Sequence[Any]) -> Ints:
    """The place of each item's label among the labels, -1 if it has none.

    >>> codes(column(["b", "a"], "y"), ["a", "b"])
    array([1, 0])
    """
    if isinstance(values, np.ndarray):
        order = np.argsort(labels, kind="stable")
        known = np.asarray(labels)[order]
        at = np.minimum(np.searchsorted(known, values), len(known) - 1)
        return np.where(known[at] == values, order[at], -1).astype(np.int64)
    if values.dtype == pl.String or isinstance(values.dtype, pl.Enum | pl.Categorical):
        names = pl.Enum([str(label) for label in labels])
        physical = values.cast(pl.String).cast(names, strict=False).to_physical()
        return physical.cast(pl.Int64).fill_null(-1).to_numpy()
    place = {label: number for number, label in enumerate(labels)}
    return np.array([place.get(value, -1) for value in values.to_list()], dtype=np.int64)


def _few(y_true: Any, y_pred: Any, labels: Sequence[Any] | None) -> tuple[tuple[Any, ...], Counted] | None:
    """Labels and table of a few items that are plainly of one type, with as little ado as there can be; else None."""
    if isinstance(y_true, np.ndarray) and y_true.dtype.kind != "U":
        return None  # whole numbers have a shorter way yet
    if is_text(y_true) and is_text(y_pred):
        if not 0 < len(y_true) == len(y_pred) <= _FEW:
            return None
        occurring, numbers = numbered_text(np.concatenate([y_true, y_pred]))
    elif (listed := _numbered(_as_list(y_true), _as_list(y_pred))) is not None:
        occurring, numbers = listed
    else:
        return None
    if len(occurring) > _FEW_LABELS:
        return None
    named = ordered(occurring, labels)
    size = len(named)
    place = dict(zip(named, range(size), strict=True))
    rows, columns = np.array([place[label] for label in occurring])[numbers].reshape(2, -1)
    return named, np.bincount(rows * size + columns, minlength=size * size).reshape(size, size)


def _numbered(truth: list[Any] | None, prediction: list[Any] | None) -> tuple[list[Any], Ints] | None:
    """The different labels of two lists, and each item's number among them."""
    if truth is None or prediction is None or not 0 < len(truth) == len(prediction):
        return None
    numbering: defaultdict[Any, int] = defaultdict(count().__next__)  # labels are numbered as they come
    try:
        numbers = itemgetter(*truth, *prediction)(numbering)
    except TypeError:  # no label: it cannot be a key
        return None
    # 1, 1.0 and True are one and the same key: what comes first tells two lists of such labels apart.
    kinds = {*map(type, numbering), type(truth[0]), type(prediction[0])}
    if len(kinds) > 1 or not kinds <= {str, int, bool} or len(numbering) > _FEW_LABELS:
        return None
    return [*numbering], np.frombuffer(bytes(numbers), np.uint8)  # a byte holds the number of one of a few labels


def _as_list(values: Any) -> list[Any] | None:
    if isinstance(values, list):
        return values if len(values) <= _FEW else None
    if isinstance(values, pl.Series) and values.dtype == pl.String and len(values) <= _FEW:
        return values.to_list()
    return None


def _square(truth: Column, prediction: Column, weight: Floats | None) -> Square | None:
    """The table of whole numbers, truth values and labels that are numbered; None if it would be too wide."""
    if isinstance(truth, np.ndarray) and isinstance(prediction, np.ndarray):
        return _in_cells(truth, prediction, weight)
    if isinstance(truth, pl.Series) and isinstance(prediction, pl.Series) and _have_codes(truth, prediction):
        numbers, others = (part.to_physical() for part in (truth, prediction))
        if (square := _in_cells(numbers.to_numpy(), others.to_numpy(), weight)) is not None:
            return square._replace(labels=pl.Series(square.labels, dtype=numbers.dtype).cat.to(truth.dtype).to_list())
    return None


def _pairs(truth: Column, prediction: Column, weight: Floats | None) -> LabelPairs:
    frame = pl.LazyFrame({"t": truth, "p": prediction} | ({} if weight is None else {"w": weight}))
    counted = pl.len().cast(pl.Int64) if weight is None else pl.col("w").sum()
    # The streaming engine counts strings four times as fast as the one for tables in memory.
    grouped = frame.group_by("t", "p").agg(n=counted).collect(engine="streaming")
    return LabelPairs(grouped["t"].to_list(), grouped["p"].to_list(), grouped["n"].to_numpy())


def _have_codes(truth: pl.Series, prediction: pl.Series) -> bool:
    """True if labels of both are numbered alike: then the numbers can be counted."""
    return truth.dtype == prediction.dtype and isinstance(truth.dtype, pl.Enum | pl.Categorical)


def _in_cells(truth: NDArray[Any], prediction: NDArray[Any], weight: Floats | None) -> Square | None:
    """Numbers that lie close together, counted with a cell for each pair; None if they do not."""
    if truth.dtype.kind == "b" and prediction.dtype.kind == "b" and weight is None:
        both, yes, positive = (int(np.count_nonzero(mask)) for mask in (truth & prediction, truth, prediction))
        table = np.array([[len(truth) - yes - positive + both, positive - both], [yes - both, both]], dtype=np.int64)
        return _occurring([False, True], table, table)
    low = min(int(np.minimum.reduce(truth)), int(np.minimum.reduce(prediction)))
    width = max(int(np.maximum.reduce(truth)), int(np.maximum.reduce(prediction))) - low + 1
    if width > _WIDEST:
        return None
    # Each step is one of 64 bits, whatever the labels are: in their own type they might run over.
    above = np.subtract(truth, low, dtype=np.int64) if low else truth
    cells = np.multiply(above, width, dtype=np.int64)
    cells += prediction
    if low:
        cells -= low
    table = items = np.bincount(cells, minlength=width * width).reshape(width, width)
    if weight is not None:
        table = np.bincount(cells, weights=weight, minlength=width * width).reshape(width, width)
    numbers = range(low, low + width)
    # Truth values that have weights come this way, too.
    return _occurring([*(map(bool, numbers) if truth.dtype.kind == "b" else numbers)], table, items)


def _occurring(labels: list[Any], table: Counted, items: Counted) -> Square:
    """The table of those labels that have items, true or predicted."""
    if np.count_nonzero(items.diagonal()) == len(labels):  # all were predicted rightly once
        return Square(labels, table)
    occurs = np.add.reduce(items, 0) + np.add.reduce(items, 1)
    if np.count_nonzero(occurs) == len(labels):
        return Square(labels, table)
    kept = np.flatnonzero(occurs)
    return Square([labels[number] for number in kept], table[np.ix_(kept, kept)])
