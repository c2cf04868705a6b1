"""Labels and scores as callers have them -> which items are positive, and one score an item."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.counting.judgments import Mask
from assay.counting.label_pairs import Column, column
from assay.errors import InputError, ParameterError, number_of
from assay.tables.positive import KNOWN_PAIRS, positive_label


def positives(y_true: Any, pos_label: Any = None) -> tuple[Mask, Any]:
    """Which items are positive, and which label that is; with `pos_label`, all other labels are negative.

    >>> positives(["spam", "ham", "spam"], pos_label="spam")
    (array([ True, False,  True]), 'spam')
    >>> positives([0, 0])[1]  # one class only: the other one is known
    1
    """
    labels = _whole(column(y_true, "y_true"))
    if not len(labels):
        raise InputError("y_true: expected at least one item, got none")
    found = _distinct(labels)
    positive = _positive(found, pos_label)
    if isinstance(labels, np.ndarray):
        return labels == positive, positive
    return (labels == positive).to_numpy(), positive


def scores_of(y_score: Any, name: str = "y_score") -> NDArray[Any]:
    """One score an item, in its own type of number; that they are finite is not yet looked at.

    >>> scores_of([3, 1])
    array([3, 1])
    """
    if isinstance(y_score, pl.Series):
        if nulls := y_score.null_count():
            first = int(y_score.is_null().arg_max() or 0)
            raise InputError(f"{name}: {number_of('null', nulls)}, the first at item {first + 1}: drop those items")
        y_score = y_score.to_numpy()
    elif isinstance(y_score, str | bytes | pl.DataFrame) or not hasattr(y_score, "__len__"):
        raise InputError(f"{name}: expected a list of numbers, got {type(y_score).__name__}")
    try:
        scores = np.asarray(y_score)
        scores = np.array(scores.tolist()) if scores.dtype.kind == "O" else scores
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name}: expected one number an item") from None
    if scores.ndim != 1:
        hint = ": give the positive label's column" if scores.ndim == 2 else ""
        raise InputError(f"{name}: expected one score an item, got an array of shape {scores.shape}{hint}")
    if len(scores) and scores.dtype.kind not in "biuf":
        odd = next((value for value in scores.tolist() if not isinstance(value, int | float)), scores[0])
        raise InputError(f"{name}: expected numbers, got {odd!r}")
    if scores.dtype.kind == "b":
        return scores.astype(np.uint8)
    return scores.astype(np.float64) if scores.dtype.kind == "f" and scores.itemsize not in {4, 8} else scores


def refuse_not_finite(scores: NDArray[Any], name: str = "y_score") -> None:
    """Refuse the first score that is not a finite number, by its place."""
    wrong = np.flatnonzero(~np.isfinite(scores))
    if len(wrong):
        at = int(wrong[0])
        raise InputError(f"{name}: expected finite numbers, got {scores[at]} at item {at + 1} ({len(wrong):,} in all)")


def refuse_lengths(labels: int, scores: int, name: str = "y_score") -> None:
    """Refuse scores that are not as many as the labels."""
    if labels != scores:
        raise InputError(f"{name}: expected {number_of('score', labels)}, one for each label of y_true, got {scores:,}")


def _whole(labels: Column) -> Column:
    """Labels such as 1.0 are whole numbers; other fractions are none."""
    if isinstance(labels, np.ndarray) or not labels.dtype.is_float():
        return labels
    whole = labels.cast(pl.Int64, strict=False)
    if whole.null_count() or not (whole == labels).all():
        odd = labels.filter((whole != labels).fill_null(True))[0]
        raise InputError(f"y_true: expected labels as text, whole numbers or truth values, got {odd}")
    return whole.to_numpy()


def _distinct(labels: Column) -> list[Any]:
    """The labels that occur, sorted. Two are found by comparing, many times as fast as by sorting or hashing."""
    if isinstance(labels, np.ndarray):
        ends = [labels.min(), labels.max()]
        if ends[0] == ends[1]:
            return [ends[0].item()]
        if sum(int(np.count_nonzero(labels == end)) for end in ends) == len(labels):
            return [end.item() for end in ends]
        return list(np.unique(labels).tolist())
    if isinstance(labels.dtype, pl.List | pl.Array):
        raise InputError("y_true: expected one label an item, got lists of them")
    first = labels == labels[0]
    if first.all():
        return [labels[0]]
    other = labels[int((~first).arg_max() or 0)]
    if int(first.sum()) + int((labels == other).sum()) == len(labels):
        return sorted([labels[0], other])
    return sorted(labels.unique().to_list())


def _positive(found: list[Any], pos_label: Any) -> Any:
    """The positive label; where one label occurs only, the other one may be the positive."""
    if len(found) == 1:
        label = found[0]
        if pos_label is not None:
            try:
                return positive_label(found, pos_label)
            except ParameterError:
                return _like(label, pos_label)
        for negative, positive in (*KNOWN_PAIRS, (-1, 1)):
            if type(label) is type(negative) and label == negative:
                return positive
    return positive_label(found, pos_label)


def _like(label: Any, pos_label: Any) -> Any:
    """A positive label that does not occur, in the type of the one that does; refused if it cannot be of that type."""
    if isinstance(label, str):
        return str(pos_label)
    try:
        return type(label)(pos_label) if not isinstance(label, bool) else str(pos_label).lower() in {"true", "1"}
    except (TypeError, ValueError):
        raise ParameterError(f"pos_label is a label like {label!r}, not {pos_label!r}") from None
