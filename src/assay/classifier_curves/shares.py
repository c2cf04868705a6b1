"""Gain and lift: what the items with the highest scores hold, by how many of them are taken."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.classifier_curves.points import all_points, prevalence, subtitle, summary, with_both_kinds
from assay.core.digits import as_level
from assay.core.domains import Real
from assay.curves import Curve
from assay.thresholding.candidates import Candidates
from assay.thresholding.inputs import ScoredSystem, warnings_of

_KEPT = ["system", "threshold", "tp", "fp", "fn", "tn"]
_SHARE = ((pl.col("tp") + pl.col("fp")) / (pl.col("tp") + pl.col("fp") + pl.col("fn") + pl.col("tn"))).alias("share")


def gain(
    y_true: Any,
    y_score: Any = None,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    system: str | None = None,
    at: float = 0.1,
) -> Curve:
    """The share of the positive items found, against the share of all items taken, the highest scores first.

    The number of a system is the gain where a share `at` of the items is taken; of items with equal scores, a part
    counts as so large a part of its positive ones.

    >>> gain([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], at=0.5).summary["value"].to_list()
    [0.5]
    """
    systems = with_both_kinds("a gain curve", y_true, y_score, pos_label=pos_label, sample_weight=sample_weight,
                              system=system)  # fmt: skip
    frame = all_points(systems, lambda _: [pl.col(_KEPT), _SHARE, pl.col("tpr").alias("gain")])
    found = [_gain_at(each, at) for each in systems]
    told = summary(systems, f"gain at {as_level(at)}", found, better=True, prevalence=prevalence(systems))
    return Curve("gain", "Cumulative gain", subtitle(systems, told), frame, told, warnings_of(systems))


def lift(
    y_true: Any,
    y_score: Any = None,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    system: str | None = None,
    at: float = 0.1,
) -> Curve:
    """How many times as many positive items are among those with the highest scores as among as many drawn at random.

    It is the gain divided by the share of items taken, or precision divided by the share of positive items. The number
    of a system is the lift where a share `at` of the items is taken.

    >>> lift([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]).frame["lift"].to_list()
    [None, 2.0, 1.0, 1.3333333333333333, 1.0]
    """
    systems = with_both_kinds("a lift curve", y_true, y_score, pos_label=pos_label, sample_weight=sample_weight,
                              system=system)  # fmt: skip
    lifted = (pl.col("tpr") / _SHARE).fill_nan(None).alias("lift")
    frame = all_points(systems, lambda _: [pl.col(_KEPT), _SHARE, lifted])
    found = [_gain_at(each, at) / at for each in systems]
    told = summary(systems, f"lift at {as_level(at)}", found, better=True, prevalence=prevalence(systems))
    return Curve("lift", "Lift", subtitle(systems, told), frame, told, warnings_of(systems))


def _gain_at(each: ScoredSystem, at: float) -> float:
    Real(0.0, 1.0, inside=True).check("at", at)
    cells = Candidates(each.scored).cells
    return float(np.interp(at, cells.predicted / cells.items, cells.tpr))
