"""Scores in bins: how those of both kinds of items are spread, and how often a probability came true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
import polars as pl

from assay.core.errors import InputError
from assay.measures.counting.judgments import Floats
from assay.measures.counting.probabilities import Probabilities
from assay.measures.counting.scored import Scored
from assay.measures.probabilities import ECE, bins_of, claims_of
from assay.stats.proportions import wilson
from assay.subjects.labels.thresholds.inputs import ScoredSystem

BinningName: TypeAlias = Literal["width", "mass"]
#: Probabilities that are no further apart than this, or this share of the largest, have no numbers along an axis that
#: would tell them apart.
_LEAST_APART, _LEAST_SHARE = 1e-9, 1e-4


def bin_edges(scored: Sequence[Scored], bins: int) -> Floats:
    """The borders of the bins: from 0 to 1 for probabilities, else from the smallest to the largest score.

    Probabilities that would all be in one bin, or in two, have bins of their own, too.

    >>> bin_edges([Scored.from_lists(positive=[3, 5], negative=[1])], bins=2)
    array([1., 3., 5.])
    """
    sides = [side for each in scored for side in (each.positive, each.negative)]
    low, high = min(float(side[0]) for side in sides), max(float(side[-1]) for side in sides)
    told_apart = high - low > max(_LEAST_APART, _LEAST_SHARE * high)
    if low >= 0 and high <= 1 and not (told_apart and high - low < 1 / bins):
        low, high = 0.0, 1.0
    elif high - low < 1e-300:  # one score, or as good as one; of large numbers a half is nothing
        low, high = low - max(0.5, 1e-6 * abs(low)), high + max(0.5, 1e-6 * abs(high))
    return 2 * np.linspace(low / 2, high / 2, bins + 1)  # the largest numbers are too far apart for one


def in_bins(scored: Scored, edges: Floats) -> tuple[Floats, Floats]:
    """The positive and the negative items, or their weight, in each bin.

    >>> in_bins(Scored.from_lists(positive=[3, 5], negative=[1]), edges=np.array([1.0, 3.0, 5.0]))
    (array([0., 2.]), array([1., 0.]))
    """
    positive, negative = (
        np.histogram(scores.astype(np.float64), edges, weights=weight)[0].astype(np.float64)
        for scores, weight in ((scored.positive, scored.positive_weight), (scored.negative, scored.negative_weight))
    )
    return positive, negative


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
    columns = {name: steps.columns[name] for name in ("bin", "items", "probability", "came_true")}
    worth = columns["items"] ** 2 / squares[columns["bin"] - 1]
    ends = [wilson(min(share * n, n), n, confidence) for share, n in zip(columns["came_true"], worth, strict=True)]
    frame = pl.DataFrame({**columns, "low": [end.low for end in ends], "high": [end.high for end in ends]})
    return frame, float(result.values[0])


def probabilities_of(system: ScoredSystem) -> Probabilities:
    """The items of both kinds, one after the other."""
    scored = system.scored
    scores = np.concatenate([scored.positive, scored.negative]).astype(np.float64)
    if scores.min() < 0 or scores.max() > 1:
        raise InputError(
            f"{system.name}: calibration is of probabilities, from 0 to 1: scores go from {scores.min():g} to "
            f"{scores.max():g}"
        )
    truth = np.repeat([True, False], [len(scored.positive), len(scored.negative)])
    weight = None
    if scored.positive_weight is not None and scored.negative_weight is not None:
        weight = np.concatenate([scored.positive_weight, scored.negative_weight])
    return Probabilities.from_scores(truth, scores, pos_label=True, sample_weight=weight)
