"""How sure one can be of a clustering's numbers: intervals from random halves of the items."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.classification.intervals import Estimate
from assay.clustering.halves import Halves
from assay.measures.registry import Measure
from assay.stats.cluster_samples import around
from assay.stats.interval_names import NO_INTERVAL, SUBSAMPLING

if TYPE_CHECKING:
    from assay.clustering.result import ClusteredSystem

#: Measures that grow with the number of items, so that halves say nothing of the whole.
WITHOUT_INTERVAL = ("CalinskiHarabasz", "MI", "PairTP", "PairFP", "PairFN", "PairTN")


def estimates_of(system: ClusteredSystem, halves: Halves | None, confidence: float) -> dict[Measure, Estimate]:
    """Every measure's number with its interval; without halves there are none."""
    return {measure: _estimate(measure, system, halves, confidence) for measure in system.results}


def _estimate(measure: Measure, system: ClusteredSystem, halves: Halves | None, confidence: float) -> Estimate:
    result = system.results[measure]
    value = float(result.values[0])
    if math.isnan(value):
        return Estimate(value, math.nan, math.nan, NO_INTERVAL, result.reason(0))
    if halves is None or measure.name in WITHOUT_INTERVAL:
        return Estimate(value, math.nan, math.nan, NO_INTERVAL)
    found = around(value, halves.deviations(measure)[:, 0], confidence)
    if not found.is_known:
        return Estimate(value, math.nan, math.nan, NO_INTERVAL)
    least, most = measure.definition.bounds or (-math.inf, math.inf)
    low, high = max(found.low, least), min(found.high, most)
    return Estimate(value, low, high, SUBSAMPLING, None, halves.resamples_of(measure))
