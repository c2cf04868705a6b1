"""How a number of an extraction came about: hits, false alarms and misses, and the formula with them in it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from assay.core.errors import ParameterError
from assay.measures.registry import Measure
from assay.subjects.spans.evaluation import MICRO, Extraction
from assay.verbs.explanation.numbers import View, explained, number_of_unit
from assay.verbs.explanation.result import Explanation, StepTable


def explain_spans(
    measure: str | Measure, extraction: Extraction, *, label: str | None = None, unit: str | None = None
) -> Explanation:
    """Take apart a number of all spans together; or of those of one type (`label`), or of one document (`unit`).

    >>> from assay.subjects.spans.evaluation import extract
    >>> truth = [("d1", 0, 4, "PER"), ("d1", 9, 12, "LOC"), ("d2", 0, 3, "PER")]
    >>> result = extract(truth, truth[:2])
    >>> explain_spans("Recall", result).formula.numbers, explain_spans("Recall", result, label="PER").formula.numbers
    ('2 / 3', '1 / 2')
    """
    if not isinstance(extraction, Extraction):
        raise ParameterError("explain takes an extraction: extract(truth, predicted)")
    wanted = extraction.measure(measure)
    if label is not None and unit is not None:
        raise ParameterError("choose a type, or a document, not both")
    rules, cells = f"{wanted}|match={extraction.match}", ("TP", "FP", "FN")
    counts, number, whose = extraction.total, 0, "average=micro"
    frame = extraction.per_type.select("type", pl.col(cells).cast(pl.Float64))
    frame = pl.concat([frame, frame.sum().with_columns(type=pl.lit(MICRO))])
    if label is not None or unit is not None:
        counts = extraction.documents if label is None else replace(extraction.types, unit_kind="type")
        chosen = str(unit if label is None else label)
        number, whose = number_of_unit(counts, chosen) or 0, f"{counts.unit_kind}={chosen}"
        rows = np.column_stack([counts.tp, counts.fp, counts.fn])[number].astype(np.float64)
        frame = pl.DataFrame({counts.unit_kind: chosen, **dict(zip(cells, rows.tolist(), strict=True))})
    view = View(None, False, undefined="skip", signature=f"{rules}|{whose}")
    table = StepTable("counts", (), frame, {})
    result = explained(wanted, counts, wanted.per_unit(counts), number, view, before=(table,))
    return replace(result, unit="all spans") if counts is extraction.total else result
