"""How sure one can be of a clustering's numbers: intervals from random halves of the items."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.measures.counting.contingency import Contingency
from assay.measures.registry import Measure
from assay.measures.sets import square_of_beta
from assay.stats.bootstrap import Interval
from assay.stats.confidence import NO_INTERVAL, SUBSAMPLING
from assay.stats.estimates import Estimate
from assay.stats.half_samples import around
from assay.subjects.clusters.halves import Halves, no_halves_of

if TYPE_CHECKING:
    from assay.subjects.clusters.result import ClusteredSystem

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
    if measure.name in WITHOUT_INTERVAL:
        return Estimate(value, math.nan, math.nan, NO_INTERVAL, no_interval="it grows with the number of items")
    if halves is None:
        return Estimate(value, math.nan, math.nan, NO_INTERVAL, no_interval=no_halves_of(system.counts[Contingency]))
    interval = interval_around(measure, value, halves, confidence)
    if not interval.is_known:
        return Estimate(value, math.nan, math.nan, NO_INTERVAL, no_interval=halves.why_none(measure))
    return Estimate(value, interval.low, interval.high, SUBSAMPLING, None, halves.resamples_of(measure))


def interval_around(measure: Measure, value: float, halves: Halves, confidence: float) -> Interval:
    """The interval of a number, as far as the number can lie."""
    interval = around(value, halves.deviations(measure)[:, 0], confidence)
    sizes = [(len(side.classes), len(side.clusters)) for side in halves.sides]  # none where there are points only
    return interval.within(reach_of(measure, *(sizes[0] if sizes else (0, 0))))


def reach_of(measure: Measure, classes: int, clusters: int) -> tuple[float, float]:
    """How small and how large a number can be with so many classes and clusters, whatever their sizes.

    The largest of *J* classes has at least 1/*J* of a cluster, so that purity cannot be less; nor can the others below.

    >>> from assay.measures import parse_measure
    >>> reach_of(parse_measure("Purity", "clustering"), 4, 2), reach_of(parse_measure("ARI", "clustering"), 4, 2)
    ((0.25, 1.0), (-1.0, 1.0))
    """
    least, most = measure.definition.bounds or (-math.inf, math.inf)
    if not (classes and clusters):
        return least, most
    if measure.name in {"Purity", "BCubedPrecision"}:
        least = 1 / classes
    elif measure.name in {"InversePurity", "BCubedRecall"}:
        least = 1 / clusters
    elif measure.name == "ClusterAccuracy":
        least = 1 / max(classes, clusters)
    elif measure.name in {"PurityF", "BCubedF"}:
        square = square_of_beta(measure.parameters["beta"])
        weight = 0.0 if square is None else 1 / (1 + square)
        least = 1 / (weight * classes + (1 - weight) * clusters)
    return least, most
