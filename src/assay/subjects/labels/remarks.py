"""Remarks on a classifier: what they are made of, and how functions that make them are registered."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.measures.counting.confusion_matrix import ConfusionMatrix
from assay.measures.counting.judgments import Floats
from assay.stats.proportions import wilson
from assay.verbs.remarks import Remarks

if TYPE_CHECKING:
    from assay.subjects.labels.result import Classification, ClassifiedSystem

#: A label that less than this share of the items has is rare, and accuracy misleading.
RARE = 0.10


class ClassifierCase(NamedTuple):
    """A system with its confusion matrix; `cells` are TP, FP, FN and TN, where there are two labels."""

    result: Classification
    system: ClassifiedSystem
    matrix: ConfusionMatrix
    cells: tuple[float, float, float, float] | None

    @property
    def support(self) -> Floats:
        """True items of each label."""
        support: Floats = self.matrix.table.sum(axis=1).astype(np.float64)
        return support

    @property
    def largest(self) -> float:
        """The share of the commonest label."""
        return float(self.support.max() / self.matrix.items[0])

    @property
    def per_weight(self) -> float:
        """How many items a weight of 1 stands for: as many items of equal weight would tell as much (Kish)."""
        predictions = self.system.predictions
        if predictions is None or predictions.weight is None:
            return 1.0
        weight = predictions.weight.to_numpy().astype(np.float64)
        return float(weight.sum() / (weight**2).sum())

    def reach(self) -> float:
        """By how much TPR and FPR may differ by chance: how far the interval of the difference reaches towards 0.

        It is Newcombe's, which is made of the two Wilson intervals and does not vanish where a rate is 0 or 1.
        """
        if self.cells is None:
            return float("nan")
        tp, fp, fn, tn = (cell * self.per_weight for cell in self.cells)
        first, second = (wilson(part, of, self.result.confidence) for part, of in ((tp, tp + fn), (fp, fp + tn)))
        tpr, fpr = tp / (tp + fn), fp / (fp + tn)
        ends = (first.low, second.high) if tpr > fpr else (first.high, second.low)
        return float(np.hypot(tpr - ends[0], fpr - ends[1]))

    @property
    def accuracy(self) -> float:
        """The share of items that were predicted rightly."""
        return float(np.trace(self.matrix.table) / self.matrix.items[0])


REMARKS = Remarks()
remark = REMARKS.made
