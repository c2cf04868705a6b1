"""Labels and scores as callers have them -> which items are positive, and one score an item."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.errors import InputError, number_of
from assay.measures.counting.judgments import Mask
from assay.measures.counting.label_pairs import Column, column
from assay.tables.label_columns import series_of
from assay.tables.label_matrices import is_matrix, unnested
from assay.tables.label_rules import both_labels, positive_label


def positives(y_true: Any, pos_label: Any = None) -> tuple[Mask, Any]:
    """Which items are positive, and which label that is; with `pos_label`, all other labels are negative.

    >>> positives(["spam", "ham", "spam"], pos_label="spam")
    (array([ True, False,  True]), 'spam')
    >>> positives([0, 0])[1]  # one class only: the other one is known
    1
    """
    labels = column(y_true, "y_true")
    if not len(labels):
        raise InputError("y_true: expected at least one item, got none")
    positive = positive_label(both_labels(_distinct(labels), pos_label), pos_label)
    if isinstance(labels, np.ndarray):
        return labels == positive, positive
    return (labels == positive).to_numpy(), positive


def scores_of(y_score: Any, name: str = "y_score") -> NDArray[Any]:
    """One score an item, in its own type of number; that they are finite is not yet looked at.

    >>> scores_of([3, 1])
    array([3, 1])
    """
    if isinstance(y_score, np.ndarray) and y_score.ndim == 1 and y_score.dtype.kind in "iuf" and y_score.itemsize >= 4:
        return y_score
    y_score = unnested(y_score, name)
    if is_matrix(y_score) and y_score.shape[1] != 1:
        shape = y_score.shape
        raise InputError(
            f"{name}: expected one score an item, got an array of shape {shape}: give the positive label's column"
        )
    scores = series_of(y_score, name)
    if nulls := scores.null_count():
        first = int(scores.is_null().arg_max() or 0)
        raise InputError(f"{name}: {number_of('null', nulls)}, the first at item {first + 1}: drop those items")
    if len(scores) and not (scores.dtype.is_numeric() or scores.dtype == pl.Boolean):
        raise InputError(f"{name}: expected numbers, got {scores[0]!r}")
    return (scores.cast(pl.UInt8) if scores.dtype == pl.Boolean else scores).to_numpy()


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


def _distinct(labels: Column) -> list[Any]:
    """The labels that occur, sorted. Two are found by comparing, many times as fast as by sorting or hashing."""
    if isinstance(labels, np.ndarray):
        ends = [labels.min(), labels.max()]
        if ends[0] == ends[1]:
            return [ends[0].item()]
        if sum(int(np.count_nonzero(labels == end)) for end in ends) == len(labels):
            return [end.item() for end in ends]
        return list(np.unique(labels).tolist())
    first = labels == labels[0]
    if first.all():
        return [labels[0]]
    other = labels[int((~first).arg_max() or 0)]
    if int(first.sum()) + int((labels == other).sum()) == len(labels):
        return sorted([labels[0], other])
    return sorted(labels.unique().to_list())
