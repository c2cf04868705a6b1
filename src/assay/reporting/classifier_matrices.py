"""What was taken for what: the matrix with intervals and items, the classes, and the pairs that are confused most."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from assay.classification import Classification
from assay.classification.mistakes import sureness
from assay.core.errors import number_of
from assay.counting.confusion_matrix import ConfusionMatrix
from assay.reporting.classifier_contents import (
    Classes,
    ClassRow,
    ConfusedPair,
    ConfusedPairs,
    Item,
    Matrix,
    MatrixCell,
    Share,
)
from assay.reporting.texts import shortened, told_apart
from assay.sections.classifications import together
from assay.stats.proportions import wilson
from assay.tables import Predictions

#: Of more labels than these, only those that are confused most are drawn.
MOST_LABELS = 20
#: So many items stand behind a cell, and behind all cells of a system together.
MOST_ITEMS, MOST_ITEMS_IN_ALL = 25, 600
#: Rows of the table of classes, and of confused pairs.
MOST_CLASSES, MOST_PAIRS = 100, 10
LONGEST_NAME = 80
_NEEDED_FOR_PAIRS = 3


def named(text: Any) -> str:
    """An id or a label by itself as it is shown, not too long."""
    return shortened(str(text), LONGEST_NAME)


def label_names(result: Classification) -> dict[str, str]:
    """How labels are shown, by what they are as text: not too long, and no two alike."""
    matrices = [one.counts[ConfusionMatrix] for one in result.systems if ConfusionMatrix in one.counts]
    labels = dict.fromkeys(map(str, chain(result.labels, *(matrix.labels for matrix in matrices))))
    return dict(zip(labels, told_apart(list(labels), LONGEST_NAME), strict=True))


def matrices_of(result: Classification, systems: Sequence[str]) -> tuple[Matrix, ...]:
    """The systems' matrices, all of the same labels in one order: if there are many, those that are confused most."""
    whole = together(result, systems)
    labels, names = [whole.labels[place] for place in _most_confused(whole)], label_names(result)
    return tuple(_matrix(result, system, labels, names) for system in systems)


def _matrix(result: Classification, system: str, labels: Sequence[Any], names: Mapping[str, str]) -> Matrix:
    """A system's matrix of these labels, with some items of each cell."""
    whole = result.matrix(system)
    kept = [whole.labels.index(label) for label in labels if label in whole.labels]
    table = whole.table.astype(np.float64)
    is_whole = whole.tables.dtype.kind in "iu"
    predictions = result.system(system).predictions
    items, order = ({}, "") if predictions is None else _items(predictions, [whole.labels[at] for at in kept], names)
    sums = table.sum(axis=1), table.sum(axis=0), float(table.sum())
    cells = tuple(
        tuple(
            _cell(
                table[row, column],
                (sums[0][row], sums[1][column], sums[2]),
                result.confidence if is_whole else None,
                items.get((whole.labels[row], whole.labels[column]), ((), 0)),
            )
            for column in kept
        )
        for row in kept
    )
    left_out = ""
    if len(kept) < len(whole.labels):
        inside = table[np.ix_(kept, kept)].sum()
        left_out = (
            f"The {len(kept)} of {len(whole.labels):,} labels that are confused most; {sums[2] - inside:,.0f} of "
            f"{sums[2]:,.0f} items have another label or were given one."
        )
    return Matrix(system, tuple(names[str(whole.labels[at])] for at in kept), cells, order, left_out)


def _most_confused(matrix: ConfusionMatrix) -> list[int]:
    """The places of the labels with most errors, in the order of the labels."""
    _, fp, fn, _ = matrix.cells()
    wrong = (fp + fn)[0]
    most = np.argsort(-wrong, kind="stable")[:MOST_LABELS]
    return sorted(int(place) for place in most)


def _cell(
    number: float, sums: Sequence[float], confidence: float | None, items: tuple[tuple[Item, ...], int]
) -> MatrixCell:
    of_truth, of_predicted, of_all = (_share(number, total, confidence) for total in sums)
    return MatrixCell(float(number), of_truth, of_predicted, of_all, *items)


def _share(number: float, total: float, confidence: float | None) -> Share:
    if not total:
        return Share(math.nan)
    if confidence is None:
        return Share(float(number / total))
    interval = wilson(float(number), float(total), confidence)
    return Share(float(number / total), interval.low, interval.high)


def _items(
    predictions: Predictions, labels: Sequence[Any], names: Mapping[str, str]
) -> tuple[dict[tuple[Any, Any], tuple[tuple[Item, ...], int]], str]:
    """The first items of each cell and how many there are, the surest predictions first where there are scores."""
    prediction = predictions.prediction
    if prediction is None:
        return {}, ""
    sure = sureness(predictions)  # within a cell, a threshold makes no difference
    frame = pl.DataFrame({"truth": predictions.truth, "prediction": prediction})
    frame = frame.with_columns(*([] if sure is None else [sure.alias("sureness")])).with_row_index("row")
    frame = frame.filter(pl.col("truth").is_in(list(labels)) & pl.col("prediction").is_in(list(labels)))
    every = {(truth, given): count for truth, given, count in frame.group_by("truth", "prediction").len().iter_rows()}
    if sure is not None:
        frame = frame.sort("sureness", descending=True, nulls_last=True, maintain_order=True)
    most = max(1, min(MOST_ITEMS, MOST_ITEMS_IN_ALL // max(1, len(every))))
    first = frame.group_by("truth", "prediction", maintain_order=True).head(most)
    found: dict[tuple[Any, Any], list[Item]] = {}
    for (truth, given), item in _listed(first, predictions, names):
        found.setdefault((truth, given), []).append(item)
    order = "in the order of the file" if sure is None else "the surest predictions first"
    return {cell: (tuple(items), every[cell]) for cell, items in found.items()}, order


def _listed(
    rows: pl.DataFrame, predictions: Predictions, names: Mapping[str, str]
) -> Iterator[tuple[tuple[Any, Any], Item]]:
    """Rows as items. Ids that were not given are made of these rows only: there may be millions of others."""
    at = rows["row"]
    ids = predictions.item_id.gather(at).to_list() if predictions.has_ids else [str(row + 1) for row in at]
    score = predictions.score
    scores = [math.nan] * len(at) if score is None else score.gather(at).cast(pl.Float64).to_list()
    for name, truth, given, value in zip(ids, rows["truth"], rows["prediction"], scores, strict=True):
        yield (truth, given), Item(named(name), names[str(truth)], names[str(given)], value)


def classes_of(result: Classification, system: str) -> Classes:
    """Each class of a system, the largest ones if there are many."""
    frame, names = result.per_class(system), label_names(result)
    shown = frame.sort("support", descending=True, maintain_order=True).head(MOST_CLASSES)
    kept = frame if frame.height <= MOST_CLASSES else shown
    rows = tuple(
        ClassRow(
            names[str(row["label"])],
            float(row["support"]),
            float(row["predicted"]),
            *(
                Share(*(math.nan if row[key] is None else row[key] for key in (name, f"{name}_low", f"{name}_high")))
                for name in ("precision", "recall", "f1")
            ),
        )
        for row in kept.iter_rows(named=True)
    )
    rest = frame.height - len(rows)
    said = f"The {len(rows)} largest classes; {number_of('smaller one', rest)} not shown." if rest else ""
    return Classes(system, rows, said)


def pairs_of(result: Classification, system: str) -> ConfusedPairs | None:
    """The pairs that a system confuses most; None if it has two labels only, or makes no mistake."""
    if len(result.labels) < _NEEDED_FOR_PAIRS:
        return None
    found, names = result.confused(system).head(MOST_PAIRS), label_names(result)
    rows = tuple(
        ConfusedPair(names[str(truth)], names[str(given)], float(items), share)
        for truth, given, items, share in found.rows()
    )
    return ConfusedPairs(system, rows) if rows else None
