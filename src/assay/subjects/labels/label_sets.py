"""Items with several labels each: numbers over labels and over items, and what other items would have given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.core.errors import ParameterError
from assay.measures.counting.confusion import Confusion, Counted
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.label_sets import LabelSets
from assay.measures.over_classes import averaged
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit
from assay.stats.bootstrap import pattern_weights


def is_per_item(measure: Measure) -> bool:
    """Whether a measure is a mean over items: it has no average over labels, or says so; sums are over labels."""
    return measure.definition.summary == "mean" and measure.parameters.get("average", "samples") == "samples"


def of_label_sets(measure: Measure, sets: LabelSets) -> PerUnit:
    """One number an item, or one for all labels by the measure's `average`.

    >>> from assay.measures import parse_measure
    >>> sets = LabelSets.from_labels([["a", "b"], ["b"]], [["a"], ["b"]])
    >>> of_label_sets(parse_measure("Recall(average='samples')", "multiclass"), sets).values
    array([0.5, 1. ])
    >>> of_label_sets(parse_measure("Recall", "multiclass"), sets).values  # (1/1 + 1/2) / 2
    array([0.75])
    """
    if measure.definition.counts is not Confusion:
        counts = measure.definition.counts.__name__
        raise ParameterError(f"{measure} is computed from {counts}, which items with several labels do not have")
    if is_per_item(measure):
        return measure.per_unit(sets.per_item())
    return averaged(measure, sets.per_label())


def stacked(classes: Confusion) -> Floats:
    """TP, FP, FN and TN (last axis) of each label, as the only unit (first axis)."""
    tn = np.zeros_like(classes.tp) if classes.tn is None else classes.tn
    cells: Floats = np.stack([classes.tp, classes.fp, classes.fn, tn], axis=-1)[None].astype(np.float64)
    return cells


def averages(measure: Measure, cells: Floats) -> Floats:
    """The average over labels for each unit, by the measure's `average`; labels without a number are left out."""
    return averaged(measure, _confusion(cells.reshape(-1, 4)), tuple(map(str, range(len(cells))))).values


def by_label(measure: Measure, cells: Floats) -> Floats:
    """The measure of each label (column) in each unit (row)."""
    return measure.of(_confusion(cells.reshape(-1, 4))).reshape(cells.shape[:2])


def _confusion(cells: Floats) -> Confusion:
    tp, fp, fn, tn = (cells[:, place] for place in range(4))
    return Confusion(tuple(map(str, range(len(cells)))), tp, fp, fn, tn, "class")


class SetPatterns(NamedTuple):
    """Items that are alike: the four cells of each label (pattern, label, cell), and how many such items there are."""

    cells: Floats
    items: Ints

    @classmethod
    def of(cls, sets: LabelSets) -> SetPatterns:
        """Items with the same true and the same predicted labels, and the same weight, are alike.

        >>> SetPatterns.of(LabelSets.from_labels([["a"], ["b"], ["a"]], [["a"], [], ["a"]])).items
        array([2, 1])
        """
        weight = np.ones(len(sets.truth)) if sets.weight is None else sets.weight
        rows = pl.DataFrame({"weight": weight}).with_columns(
            sets.truth.list.sort().list.join("\x1f").alias("truth"),
            sets.prediction.list.sort().list.join("\x1f").alias("prediction"),
            sets.truth.list.len().alias("true"),
            sets.prediction.list.len().alias("predicted"),
        )
        alike = rows.with_row_index("row").group_by(pl.exclude("row"), maintain_order=True).agg(
            pl.col("row").first(), pl.len().alias("items")
        )  # fmt: skip
        first = alike["row"].cast(pl.Int64)
        true, predicted = (_has(column.gather(first), sets.labels) for column in (sets.truth, sets.prediction))
        cells = np.stack([true & predicted, ~true & predicted, true & ~predicted, ~true & ~predicted], axis=-1)
        weighed: Floats = cells * alike["weight"].to_numpy()[:, None, None]
        return cls(weighed, alike["items"].to_numpy().astype(np.int64))


def _has(lists: pl.Series, labels: Sequence[str]) -> Counted:
    """Which item (row) has which label (column)."""
    return np.column_stack([lists.list.contains(label).to_numpy() for label in labels]).astype(np.bool_)


def resampled_sets(patterns: SetPatterns, resamples: int, seed: int) -> Iterator[Floats]:
    """The four cells of each label as items drawn anew would give them (resample, label, cell), block by block."""
    for weights in pattern_weights(patterns.items, resamples, seed, cells=patterns.cells[0].size):
        yield np.tensordot(weights, patterns.cells, axes=1)
