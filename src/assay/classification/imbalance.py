"""Labels of which one has most items: accuracy is then mostly the share of that label, and another measure leads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from assay.counting.confusion_matrix import ConfusionMatrix
from assay.tables import Predictions

#: From this share of one label on, always predicting it looks so good that accuracy is no headline.
IMBALANCED = 0.80
#: What leads then: it is 0 for every guess, however common a label is.
LEADING = "MCC"
#: And where that is undefined, as for a classifier that predicts one label only: one half, or less, for every guess.
SPARE = "BalancedAccuracy"


class Imbalance(NamedTuple):
    """The commonest label, and its share of the items."""

    label: str
    share: float


def imbalance_of(truth: Predictions | ConfusionMatrix) -> Imbalance | None:
    """The label that most items have, if accuracy misleads for that; None otherwise, and for several labels an item.

    >>> imbalance_of(Predictions.of([0, 0, 0, 0, 1], [0, 0, 0, 1, 1])), imbalance_of(Predictions.of([0, 1], [0, 1]))
    (Imbalance(label='0', share=0.8), None)
    """
    if isinstance(truth, ConfusionMatrix):
        labels, support = list(truth.labels), truth.table.sum(axis=1).astype(np.float64)
    elif truth.kind == "multilabel":
        return None
    else:
        counted = pl.len() if truth.weight is None else pl.col("weight").sum()
        columns = {"label": truth.truth} | ({} if truth.weight is None else {"weight": truth.weight})
        groups = pl.DataFrame(columns).group_by("label", maintain_order=True).agg(support=counted)
        labels, support = groups["label"].to_list(), groups["support"].to_numpy().astype(np.float64)
    if not len(support) or not support.sum() > 0:
        return None
    share = float(support.max() / support.sum())
    return Imbalance(str(labels[int(support.argmax())]), share) if share >= IMBALANCED else None
