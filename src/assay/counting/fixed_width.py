"""Labels in NumPy arrays of text, counted as they lie in memory: making strings of them first would take far longer."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.counting.confusion import Counted
from assay.counting.judgments import Floats, Ints

_BYTE = 256
_WORD = 8


class TextPairs(NamedTuple):
    """Pairs of true and predicted labels that occur, and how often, or with what weight."""

    truth: list[str]
    prediction: list[str]
    counts: Counted


def pairs_of_text(truth: NDArray[Any], prediction: NDArray[Any], weight: Floats | None) -> TextPairs:
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
    return TextPairs(truth[rows].tolist(), prediction[rows].tolist(), pairs["n"].to_numpy())


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
    """How many different values are smaller than each."""
    in_order = values.copy()
    in_order.sort()
    smaller: Ints = in_order[:-1][in_order[1:] != in_order[:-1]].searchsorted(values)
    return smaller


def is_text(values: Any) -> bool:
    """Whether it is an array of text, a label an item, in this machine's order of bytes.

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
