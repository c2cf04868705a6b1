"""Calibration: whether of the items with a probability of 0.8 eight in ten are positive."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import polars as pl

from assay.classifier_curves.points import subtitle, summary, with_both_kinds
from assay.core.digits import as_level
from assay.core.errors import InputError
from assay.counting.probabilities import Probabilities
from assay.curves import Curve
from assay.measures.probabilities import ECE, bins_of, claims_of
from assay.stats.proportions import wilson
from assay.thresholding.inputs import ScoredSystem, warnings_of

BinningName: TypeAlias = Literal["width", "mass"]


def calibration(
    y_true: Any,
    y_score: Any = None,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    system: str | None = None,
    bins: int = 10,
    binning: BinningName = "width",
    confidence: float = 0.95,
) -> Curve:
    """How often the positive label is true, against the mean probability it was given, in bins of items.

    `binning`: bins of equal `width`, or with as many items in each as ties let them (`mass`). A probability on a border
    belongs to the lower bin; bins without items are left out. The intervals are Wilson's; where items have weights, for
    as many items as they are worth (the square of the sum of weights by the sum of their squares). The number of a
    system is `ECE` with these bins.

    >>> calibration([0, 1, 1, 1], [0.2, 0.4, 0.8, 0.9], bins=2).frame.select("probability", "came_true").rows()
    [(0.30000000000000004, 0.5), (0.8500000000000001, 1.0)]
    """
    systems = with_both_kinds("a calibration curve", y_true, y_score, pos_label=pos_label, sample_weight=sample_weight,
                              system=system)  # fmt: skip
    frames, values = [], []
    for each in systems:
        frame, error = reliability(_in_one(each), bins=bins, binning=binning, confidence=confidence)
        frames.append(frame.select(pl.lit(each.name).alias("system"), pl.all()))
        values.append(error)
    kind = f"{bins} bins of equal {binning}, Wilson's {as_level(confidence)} intervals"
    summed = summary(systems, str(ECE(bins=bins, binning=binning)), values, better=False)
    return Curve(
        "calibration", "Calibration", subtitle(systems, summed, kind), pl.concat(frames), summed, warnings_of(systems)
    )


def reliability(
    probabilities: Probabilities, *, bins: int = 10, binning: BinningName = "width", confidence: float = 0.95
) -> tuple[pl.DataFrame, float]:
    """The bins of `ECE` with intervals, and `ECE` itself; of more than two labels, of the predicted one.

    >>> frame, error = reliability(Probabilities.from_scores([0, 1, 1, 1], [0.2, 0.4, 0.8, 0.9]), bins=2)
    >>> frame.select("items", "came_true", "low", "high").rows(), error
    ([(2.0, 0.5, 0.0945, 0.9055), (2.0, 1.0, 0.3424, 1.0)], 0.175)
    """
    result = ECE(bins=bins, binning=binning).per_unit(probabilities)
    steps = next(leaf.steps for leaf in result.leaves() if leaf.steps is not None)
    place, weight = bins_of(claims_of(probabilities)[0], bins, binning), probabilities.weight
    squares = np.bincount(place, None if weight is None else weight**2, minlength=bins)
    told = {name: steps.columns[name] for name in ("bin", "items", "probability", "came_true")}
    worth = told["items"] ** 2 / squares[told["bin"] - 1]
    ends = [wilson(min(share * n, n), n, confidence) for share, n in zip(told["came_true"], worth, strict=True)]
    frame = pl.DataFrame({**told, "low": [end.low for end in ends], "high": [end.high for end in ends]})
    return frame, float(result.values[0])


def _in_one(each: ScoredSystem) -> Probabilities:
    """The items of both kinds, one after the other."""
    scored = each.scored
    scores = np.concatenate([scored.positive, scored.negative]).astype(np.float64)
    if scores.min() < 0 or scores.max() > 1:
        raise InputError(
            f"{each.name}: calibration is of probabilities, from 0 to 1: scores go from {scores.min():g} to "
            f"{scores.max():g}"
        )
    truth = np.repeat([True, False], [len(scored.positive), len(scored.negative)])
    weight = None
    if scored.positive_weight is not None and scored.negative_weight is not None:
        weight = np.concatenate([scored.positive_weight, scored.negative_weight])
    return Probabilities.from_scores(truth, scores, pos_label=True, sample_weight=weight)
