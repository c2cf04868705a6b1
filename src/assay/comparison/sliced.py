"""Findings within slices: two systems compared on each group of units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from assay.comparison.findings import Finding, Settings, finding_of
from assay.comparison.slices import Slice
from assay.stats.bootstrap import Method
from assay.stats.corrections import corrected
from assay.stats.paired import Paired
from assay.stats.pairs import SIMULTANEOUS, Resampled, tested


def slice_table(parts: Sequence[Slice], paired: Paired, whole: Finding, settings: Settings) -> pl.DataFrame:
    """One row a slice: units, both numbers, difference, interval, p corrected over the slices, verdict."""
    own = [
        replace(paired, systems=(whole.baseline, whole.system), units=part.units, sample=part.sample) for part in parts
    ]
    # What compares all systems at once has nothing to say about two of them on a few units.
    test = "permutation" if settings.test in SIMULTANEOUS else settings.test
    correction = "holm" if settings.test in SIMULTANEOUS else settings.correction
    results = [tested(one, ((0, 1),), test, settings.resamples, settings.seed)[0] for one in own]
    p = corrected(np.array([result.p for result in results]), correction)
    method: Method = "bca" if settings.interval == "bca" else "percentile"
    rows = []
    for part, one, result, value in zip(parts, own, results, p.tolist(), strict=True):
        resampled = Resampled(one, settings.bootstrap_resamples, settings.seed, method)
        found = finding_of(resampled, (0, 1), result, value, settings._replace(margin=whole.margin.value))
        rows.append((part.value, found))
    return pl.DataFrame(
        [
            {
                "slice": label,
                "units": one.units,
                whole.baseline: one.baseline_value,
                whole.system: one.value,
                "difference": one.difference,
                "low": one.interval.low,
                "high": one.interval.high,
                "p": one.p,
                "verdict": str(one.verdict),
            }
            for label, one in rows
        ]
    )
