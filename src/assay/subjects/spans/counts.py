"""Hits, false alarms and misses by document and type, measured, and as other documents would have given them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy import sparse

from assay.core.evaluation_options import Undefined
from assay.measures import Measure
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.matrices import averaged
from assay.measures.undefined import lenient
from assay.stats.bootstrap import Interval, intervals, pattern_weights

#: What drawing anew may cost: so many numbers are drawn at most ...
_DRAWS = 100_000_000
#: ... but not fewer resamples than this, from which the ends of an interval can still be told.
_FEWEST = 200
#: Drawing how many documents of a kind there are, and measuring a type, take as long as drawing so many documents.
_COST_OF_A_COUNT, _COST_OF_A_TYPE = 20, 30


def cells_of(
    documents: Sequence[str], types: Sequence[str], hits: pl.DataFrame, alarms: pl.DataFrame, misses: pl.DataFrame
) -> Ints:
    """Hits, false alarms and misses (last axis) of each type in each document (first axis)."""
    row, column = ({name: place for place, name in enumerate(names)} for names in (documents, types))
    shape = (len(documents), len(types), 3)
    places = [
        (row[document] * len(types) + column[kind]) * 3 + which
        for which, frame in enumerate((hits, alarms, misses))
        for document, kind in frame.select("document", "type").iter_rows()
    ]
    counted: Ints = np.bincount(np.array(places, dtype=np.int64), minlength=int(np.prod(shape))).astype(np.int64)
    return counted.reshape(shape)


def averages(measure: Measure, cells: Floats | Ints, undefined: Undefined = "counted_as") -> Floats:
    """A measure's numbers for each table (row): of each type, then of all spans (micro), then the mean of types."""
    units, names = (tuple(map(str, range(size))) for size in (len(cells), cells.shape[0] * cells.shape[1]))
    classes = confusion_of(names, cells.reshape(-1, 3), "class")
    both = [averaged(by_average(measure, average), classes, units, undefined).values for average in ("micro", "macro")]
    return np.column_stack([measure.of(classes).reshape(cells.shape[:2]), *both])


def confusion_of(units: tuple[str, ...], cells: Floats | Ints, unit_kind: str) -> Confusion:
    """Hits, false alarms and misses (columns) of each unit (row) as a table each."""
    hits, alarms, misses = cells.T
    return Confusion(units, hits, alarms, misses, unit_kind=unit_kind)


def by_average(measure: Measure, average: str) -> Measure:
    """The measure with this average; counts, such as TP, have none: they are added up."""
    return measure(average=average) if "average" in measure.parameters else measure


class RedrawnDocuments(NamedTuple):
    """Counts as other documents would have given them.

    `total` is what there is, `drawn` holds the tables of the resamples, and `without` those without one document of
    each kind; documents with the same counts are of one kind, and there are `counts` of them.
    """

    total: Ints
    drawn: Floats
    without: Ints
    counts: Ints

    @classmethod
    def of(cls, cells: Ints, resamples: int, seed: int) -> RedrawnDocuments:
        """Draw documents anew, as often as asked for, or fewer times where they are very many.

        >>> cells = np.array([[[1, 0, 0]], [[0, 1, 1]], [[1, 0, 0]]])
        >>> RedrawnDocuments.of(cells, resamples=4, seed=0).drawn.shape
        (4, 1, 3)
        """
        documents = len(cells)
        shape = cells.shape[1:]
        kinds, counts = np.unique(cells.reshape(documents, -1), axis=0, return_counts=True)
        cost = max(min(_COST_OF_A_COUNT * len(kinds), documents), _COST_OF_A_TYPE * shape[0])
        fewer = min(resamples, max(_FEWEST, _DRAWS // cost))
        # Of many types, a document has few.
        filled = sparse.csr_array(kinds.T.astype(np.float64))
        blocks = [(filled @ weights.T).T for weights in pattern_weights(counts, fewer, seed, cells=kinds.shape[1])]
        total = cells.sum(axis=0)
        return cls(total, np.concatenate(blocks).reshape(-1, *shape), total - kinds.reshape(-1, *shape), counts)

    def intervals(self, measure: Measure, confidence: float, undefined: Undefined = "counted_as") -> list[Interval]:
        """The interval of each type's number, of all spans, and of the mean of types.

        There is none where every resample has the same number, which is not to say that the number is certain.
        """
        observed, resampled, without = (
            averages(measure, cells, lenient(undefined)) for cells in (self.total[None], self.drawn, self.without)
        )
        rows = []
        for row, value in enumerate(observed[0].tolist()):
            interval = Interval.unknown(confidence)
            if _varies(resampled[:, row]):
                interval, *_ = intervals(resampled[:, row], value, without[:, row], [confidence], counts=self.counts)
            rows.append(interval.within(measure.definition.bounds))
        return rows


def _varies(values: Floats) -> bool:
    known = values[~np.isnan(values)]
    return bool(len(known)) and float(np.ptp(known)) > 0
