"""How far a ROC curve may lie elsewhere: bands from items drawn anew."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.core.domains import Whole
from assay.measures.counting.judgments import Floats
from assay.stats.confidence import checked_confidence
from assay.subjects.labels.thresholds.candidates import Candidates
from assay.subjects.labels.thresholds.inputs import ScoredSystem

#: False positive rates at which a band is found.
_LEVELS = np.linspace(0.0, 1.0, 101)


def band_frame(
    system: ScoredSystem, *, simultaneous: bool, confidence: float, resamples: int, seed: int
) -> pl.DataFrame:
    """The lower and the upper end of true positive rates at 101 false positive rates.

    Pointwise, they are percentiles. The simultaneous band is as many standard deviations wide as the whole curves of
    that share of the resamples stay within.

    >>> from assay.measures.counting.scored import Scored
    >>> system = ScoredSystem("a", Scored.from_lists([0.9, 0.8, 0.4], [0.7, 0.3, 0.2]))
    >>> band_frame(system, simultaneous=False, confidence=0.95, resamples=200, seed=0).columns
    ['system', 'curve', 'fpr', 'low', 'high']
    """
    checked_confidence(confidence)
    Whole(2).check("resamples", resamples)
    Whole(0).check("seed", seed)
    candidates = Candidates(system.scored)
    blocks = (block.cells() for block in candidates.drawn(resamples, seed))
    rates = (pair for cells in blocks for pair in zip(cells.fpr, cells.tpr, strict=True))
    curves = np.array([_at_levels(fpr, tpr) for fpr, tpr in rates if not np.isnan(fpr[-1] + tpr[-1])])
    tails = (1 - confidence) / 2, (1 + confidence) / 2
    low, high = np.quantile(curves, tails, axis=0)
    if simultaneous:
        middle = _at_levels(candidates.cells.fpr, candidates.cells.tpr)
        # A rate that no resample moves has no spread of its own; the least of counting one item more or less is taken.
        spread = np.maximum(curves.std(axis=0, ddof=1), 0.5 / max(len(system.scored.positive), 1))
        reach = np.quantile(np.abs((curves - middle) / spread).max(axis=1), confidence)
        low, high = np.clip(middle - reach * spread, 0, 1), np.clip(middle + reach * spread, 0, 1)
        low[-1] = 1.0  # whoever calls everything positive finds everything
    words = pl.lit(system.name).alias("system"), pl.lit("band").alias("curve")
    return pl.DataFrame({"fpr": _LEVELS, "low": low, "high": high}).select(*words, pl.all())


def _at_levels(fpr: Floats, tpr: Floats) -> Floats:
    """The true positive rate at each level: the highest one with exactly that false positive rate, or in between."""
    after = np.searchsorted(fpr, _LEVELS, side="right")
    before = after - 1
    last = np.minimum(after, len(fpr) - 1)
    width = fpr[last] - fpr[before]
    share = np.divide(_LEVELS - fpr[before], width, out=np.zeros(len(_LEVELS)), where=width > 0)
    return np.asarray(tpr[before] + share * (tpr[last] - tpr[before]))
