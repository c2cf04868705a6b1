"""`ThresholdTable`: what every threshold counts, the table behind a ROC curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay.core.domains import Whole
from assay.core.errors import number_of
from assay.core.results import Result
from assay.counting.judgments import Floats
from assay.counting.scored import Scored
from assay.measures.score_curves import AUC
from assay.thresholding.cells import Candidates
from assay.thresholding.given import only_one, scored_systems, warnings_of


@dataclass(frozen=True, eq=False)
class ThresholdTable(Result):
    """TP, FP, FN, TN, TPR, FPR and accuracy from each threshold on, the highest first.

    >>> print(threshold_table([1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6]))
    threshold         TP  FP  FN  TN     TPR     FPR     ACC
    above all scores   0   0   3   1  0.0000  0.0000  0.2500
    0.9                1   0   2   1  0.3333  0.0000  0.5000
    0.8                2   0   1   1  0.6667  0.0000  0.7500
    0.7                2   1   1   0  0.6667  1.0000  0.5000
    0.6                3   1   0   0  1.0000  1.0000  0.7500
    <BLANKLINE>
    scores: 4 items, 3 positive; AUC 0.6667. Positive is predicted where the score is at least the threshold.
    """

    kind = "threshold_table"

    frame: pl.DataFrame
    system: str
    auc: float
    #: All thresholds, of which those in the frame may be some.
    scores: Floats
    warnings: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What the command line says on stderr."""
        return self.warnings

    def __repr__(self) -> str:
        return f"<ThresholdTable of {self.system}: {number_of('threshold', self.frame.height)}>"

    def to_frame(self) -> pl.DataFrame:
        """One row a threshold; the first one is infinite."""
        return self.frame


def threshold_table(
    y_true: Any,
    y_score: Any = None,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    system: str | None = None,
    rows: int | None = None,
) -> ThresholdTable:
    """Count the decisions that every threshold makes; `rows`: only so many of them, evenly spaced.

    >>> threshold_table([1, 0], [0.9, 0.1]).frame["tpr"].to_list()
    [0.0, 1.0, 1.0]
    """
    scored_system = only_one(
        scored_systems(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, system=system)
    )
    frame = table_frame(scored_system.scored)
    every, total = frame["threshold"].to_numpy(), frame.height
    if rows is not None and total > Whole(2).check("rows", rows):
        frame = frame[np.unique(np.linspace(0, total - 1, rows).round().astype(np.int64))]
    return ThresholdTable(
        frame, scored_system.name, float(AUC.of(scored_system.scored)[0]), every, warnings_of([scored_system])
    )


def table_frame(scored: Scored) -> pl.DataFrame:
    """The cells, rates and accuracy at each threshold; null where a rate is undefined.

    >>> table_frame(Scored.from_lists([0.9], [0.1]))["accuracy"].to_list()
    [0.5, 1.0, 0.5]
    """
    cells = Candidates(scored).cells
    frame = scored.table.to_frame().with_columns(accuracy=pl.Series(cells.accuracy))
    return frame.with_columns(pl.col("tpr", "fpr", "accuracy").fill_nan(None))
