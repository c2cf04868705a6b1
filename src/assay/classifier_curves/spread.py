"""The scores themselves: how those of positive and those of negative items are spread, and where a threshold cuts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from assay.classifier_curves.points import one_number, subtitle, with_both_kinds
from assay.core.domains import Whole
from assay.core.errors import ParameterError
from assay.counting.judgments import Floats
from assay.counting.scored import Scored
from assay.curves import Curve
from assay.measures.score_curves import AUC
from assay.thresholding.inputs import ScoredSystem, warnings_of
from assay.thresholding.rules import Rule
from assay.thresholding.verbs import choose_threshold

#: Probabilities that are no further apart than this, or this share of the largest, have no numbers along an axis that
#: would tell them apart.
_LEAST_APART, _LEAST_SHARE = 1e-9, 1e-4


def score_distributions(
    y_true: Any,
    y_score: Any = None,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    system: str | None = None,
    bins: int = 30,
    threshold: float | str | Rule | None = None,
) -> Curve:
    """How many positive and how many negative items have a score in each of so many bins of equal width.

    `share` is of the items of a kind, so that a rare one can be seen. A score on a border belongs to the upper bin, the
    largest to the last. `threshold`: a number, or a rule that chooses one, such as "youden".

    >>> found = score_distributions([1, 0, 0], [0.9, 0.1, 0.4], bins=2)
    >>> found.frame.select("label", "low", "high", "items").rows()
    [('positive', 0.0, 0.5, 0.0), ('positive', 0.5, 1.0, 1.0), ('negative', 0.0, 0.5, 2.0), ('negative', 0.5, 1.0, 0.0)]
    """
    systems = with_both_kinds("a picture of scores", y_true, y_score, pos_label=pos_label, sample_weight=sample_weight,
                              system=system)  # fmt: skip
    edges = bin_edges([each.scored for each in systems], Whole(1).check("bins", bins))
    frame = pl.concat([_counted(each, edges) for each in systems])
    cuts = [_threshold(each, threshold) for each in systems]
    outside = [
        f"{each.name}: the threshold {cut:g} is outside the picture: no score is on its other side"
        for each, cut in zip(systems, cuts, strict=True)
        if cut is not None and not edges[0] <= cut <= edges[-1]
    ]
    summary = one_number(systems, AUC, threshold=cuts).with_columns(pl.col("threshold").cast(pl.Float64))
    chosen = isinstance(threshold, str | Rule)
    words = [] if threshold is None else [f"threshold {'by ' if chosen else ''}{threshold}"]
    return Curve(
        "scores",
        "Scores by class",
        subtitle(systems, summary, *words),
        frame,
        summary,
        (*warnings_of(systems), *outside),
    )


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


def _counted(each: ScoredSystem, edges: Floats) -> pl.DataFrame:
    named = each.positive is not None and not isinstance(each.positive, bool | int)
    labels = (str(each.positive), f"not {each.positive}") if named else ("positive", "negative")
    frames = []
    for label, items in zip(labels, in_bins(each.scored, edges), strict=True):
        frames.append(
            pl.DataFrame(
                {
                    "system": [each.name] * len(items),
                    "label": [label] * len(items),
                    "low": edges[:-1],
                    "high": edges[1:],
                }
            ).with_columns(items=pl.Series(items), share=pl.Series(items / items.sum()))
        )
    return pl.concat(frames)


def _threshold(each: ScoredSystem, threshold: float | str | Rule | None) -> float | None:
    if isinstance(threshold, int | float) and math.isnan(threshold):
        raise ParameterError("a threshold is a number, not nan")
    if threshold is None or isinstance(threshold, int | float):
        return threshold
    found = choose_threshold(each, rule=threshold, resamples=0)
    return None if not np.isfinite(found.threshold) else found.threshold
