"""What predictions are worth where the positive label is rarer or commoner than in the data: Bayes' rule."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from assay.core.errors import ParameterError
from assay.measures.counting.confusion_matrix import ConfusionMatrix


def predictive_values(matrix: ConfusionMatrix, prevalences: Sequence[float]) -> pl.DataFrame:
    """Positive and negative predictive value at each prevalence; null where a rate is not known.

    >>> matrix = ConfusionMatrix.from_matrix([[9, 1], [2, 8]], ["ill", "well"], pos_label="ill")
    >>> predictive_values(matrix, [0.1]).rows()  # 0.09 / (0.09 + 0.18), 0.72 / (0.72 + 0.01)
    [(0.1, 0.3333, 0.9863)]
    """
    cells = matrix.positive_class()
    tp, fp, fn = (float(cell[0]) for cell in (cells.tp, cells.fp, cells.fn))
    tn = float(matrix.items[0]) - tp - fp - fn
    rows = []
    for prevalence in prevalences:
        if not 0 < prevalence < 1:
            raise ParameterError(f"a prevalence is a number between 0 and 1, not {prevalence!r}")
        ppv = npv = None
        if tp + fn and fp + tn:
            tpr, tnr = tp / (tp + fn), tn / (fp + tn)
            ppv = _share(tpr * prevalence, (1 - tnr) * (1 - prevalence))
            npv = _share(tnr * (1 - prevalence), (1 - tpr) * prevalence)
        rows.append((float(prevalence), ppv, npv))
    schema = {"prevalence": pl.Float64, "PPV": pl.Float64, "NPV": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _share(right: float, wrong: float) -> float | None:
    return right / (right + wrong) if right + wrong else None
