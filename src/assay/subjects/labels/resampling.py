"""Confusion matrices as other items would have given them.

Items are not drawn one by one: a resample of *n* items puts so many of them in each cell of the matrix as one draw from
a multinomial distribution does, so that the cells are drawn at once, whatever *n* is. Items with weights are drawn by
cell and weight; where a cell has very many weights, only how many of its items there are is drawn, and their sum by the
normal limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from assay.measures.counting.confusion_matrix import ConfusionMatrix
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.label_pairs import codes
from assay.measures.counting.label_sets import LabelSets
from assay.stats.bootstrap import group_weights, pattern_weights
from assay.subjects.labels.label_sets import SetPatterns, resampled_sets

Key: TypeAlias = Any
Computed: TypeAlias = Callable[[Any], Floats]


class Patterns(NamedTuple):
    """Items that are alike: the cell of the matrix they are in, what each of them weighs, and how many there are.

    By cell, in order.
    """

    cell: Ints
    weight: Floats
    items: Ints


def patterns_of(counts: Mapping[type, Any]) -> Patterns | None:
    """The items of a matrix by cell, and by weight; None if items have weights that nobody knows one by one."""
    patterns: Patterns | None = counts.get(Patterns)
    if patterns is not None:
        return patterns
    table = counts[ConfusionMatrix].table
    if table.dtype.kind not in "iu":
        return None
    cell = np.flatnonzero(table)
    return Patterns(cell, np.ones(len(cell)), table.ravel()[cell].astype(np.int64))


def weighted_patterns(truth: pl.Series, prediction: pl.Series, weight: pl.Series, matrix: ConfusionMatrix) -> Patterns:
    """Items with weights: those in the same cell that weigh the same are alike."""
    rows, columns = (pl.Series(codes(column, matrix.labels)) for column in (truth, prediction))
    alike = (
        pl.DataFrame({"row": rows, "column": columns, "weight": weight}).group_by(pl.all()).len("items").sort(pl.all())
    )
    cell = alike["row"].to_numpy() * len(matrix.labels) + alike["column"].to_numpy()
    return Patterns(cell, alike["weight"].to_numpy(), alike["items"].to_numpy().astype(np.int64))


def resampled_matrices(
    patterns: Patterns, labels: tuple[Any, ...], positive: int | None, resamples: int, seed: int
) -> Iterator[ConfusionMatrix]:
    """Confusion matrices of items drawn anew, many a block, one unit each.

    >>> patterns = Patterns(np.array([0, 3]), np.ones(2), np.array([6, 4]))
    >>> next(resampled_matrices(patterns, ("no", "yes"), 1, 3, seed=0)).tables.sum(axis=(1, 2))
    array([10, 10, 10])
    """
    size = len(labels) ** 2
    filled, group = np.unique(patterns.cell, return_inverse=True)
    counted = len(filled) == len(patterns.cell) and bool((patterns.weight == 1).all())
    blocks = (
        pattern_weights(patterns.items, resamples, seed, cells=size)
        if counted
        else group_weights(group, patterns.weight, patterns.items, resamples, seed, cells=size)
    )
    for block in blocks:
        count = len(block)
        tables = np.zeros((count, size), dtype=np.int64 if counted else np.float64)
        tables[:, filled] = block
        units = tuple(map(str, range(count)))
        yield ConfusionMatrix(labels, tables.reshape(count, len(labels), len(labels)), units, positive)


def resampled(
    counts: Mapping[type, Any], wanted: Mapping[Key, Computed], resamples: int, seed: int
) -> dict[Key, Floats]:
    """What each function gives on each resample (row); nothing if items cannot be drawn."""
    samples: dict[Key, list[Floats]] = {key: [] for key in wanted}
    for block in _drawn(counts, resamples, seed) if wanted else ():
        for key, function in wanted.items():
            samples[key].append(function(block))
    return {key: np.concatenate(parts) for key, parts in samples.items() if parts}


def _drawn(counts: Mapping[type, Any], resamples: int, seed: int) -> Iterator[Any]:
    """Items drawn anew, block by block: matrices, or the cells of labels where an item has several."""
    if LabelSets in counts:
        return resampled_sets(SetPatterns.of(counts[LabelSets]), resamples, seed)
    patterns, matrix = patterns_of(counts), counts[ConfusionMatrix]
    if patterns is None or not patterns.items.sum():
        return iter(())
    return resampled_matrices(patterns, matrix.labels, matrix.positive, resamples, seed)
