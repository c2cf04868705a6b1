"""The scores themselves: how those of positive and those of negative items are spread, and where a threshold cuts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from assay.classifier_curves.points import one_number, subtitle, with_both_kinds
from assay.counting.judgments import Floats
from assay.curves import Curve
from assay.given import whole
from assay.measures.score_curves import AUC
from assay.thresholding.given import ScoredSystem, said
from assay.thresholding.registry import Rule
from assay.thresholding.verbs import choose_threshold


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
    edges = _edges(systems, whole("bins", bins, 1))
    frame = pl.concat([_counted(one, edges) for one in systems])
    cuts = [_threshold(one, threshold) for one in systems]
    summary = one_number(systems, AUC, threshold=cuts).with_columns(pl.col("threshold").cast(pl.Float64))
    chosen = isinstance(threshold, str | Rule)
    words = [] if threshold is None else [f"threshold {'by ' if chosen else ''}{threshold}"]
    return Curve("scores", "Scores by class", subtitle(systems, summary, *words), frame, summary, said(systems))


def _edges(systems: Sequence[ScoredSystem], bins: int) -> Floats:
    """The borders of the bins: from 0 to 1 for probabilities, else from the smallest to the largest score."""
    sides = [side for one in systems for side in (one.scored.positive, one.scored.negative)]
    low, high = min(float(side[0]) for side in sides), max(float(side[-1]) for side in sides)
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    elif low == high:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, bins + 1)


def _counted(one: ScoredSystem, edges: Floats) -> pl.DataFrame:
    scored = one.scored
    named = one.positive is not None and not isinstance(one.positive, bool | int)
    labels = (str(one.positive), f"not {one.positive}") if named else ("positive", "negative")
    sides = ((scored.positive, scored.positive_weight), (scored.negative, scored.negative_weight))
    frames = []
    for label, (scores, weight) in zip(labels, sides, strict=True):
        items, _ = np.histogram(scores, edges, weights=weight)
        frames.append(
            pl.DataFrame(
                {"system": [one.name] * len(items), "label": [label] * len(items), "low": edges[:-1], "high": edges[1:]}
            ).with_columns(items=pl.Series(items, dtype=pl.Float64), share=pl.Series(items / items.sum()))
        )
    return pl.concat(frames)


def _threshold(one: ScoredSystem, threshold: float | str | Rule | None) -> float | None:
    if threshold is None or isinstance(threshold, int | float):
        return threshold
    found = choose_threshold(one, rule=threshold, resamples=0)
    return None if not np.isfinite(found.threshold) else found.threshold
