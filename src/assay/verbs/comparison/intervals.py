"""What a comparison found, as points with intervals to draw."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from assay.core.digits import as_level
from assay.core.words import INTERVALS
from assay.verbs.comparison.findings import Finding, Settings, Standing
from assay.verbs.comparison.pairs import Pairs
from assay.verbs.curves import Curve

#: Intervals of more pairs than this are not drawn: the systems are, with theirs.
_MOST_PAIRS = 24


def intervals(findings: Sequence[Finding], standings: Sequence[Standing], pairs: Pairs, settings: Settings) -> Curve:
    """Differences with their intervals, verdicts and margins; of many pairs, the systems with theirs."""
    level = f"{as_level(1 - settings.alpha)} intervals"
    if len(pairs.pairs) > _MOST_PAIRS:
        rows = [(each.system, each.measure, each.value, each.interval.low, each.interval.high) for each in standings]
        frame = pl.DataFrame(rows, schema=["system", "measure", "value", "low", "high"], orient="row")
        frame = frame.with_columns(verdict=pl.lit(None, pl.String), margin=pl.lit(None, pl.Float64))
        return _curve(
            f"Systems with their {level}",
            INTERVALS.get(standings[0].interval.method, INTERVALS[settings.interval]).short,
            frame,
        )
    baselines = list(dict.fromkeys(each.baseline for each in findings))
    one_baseline = len(baselines) == 1
    frame = pl.DataFrame([each.row() for each in findings], infer_schema_length=None).select(
        pl.col("system") if one_baseline else pl.format("{} – {}", "system", "baseline").alias("system"),
        "measure",
        pl.col("difference").alias("value"),
        "low",
        "high",
        pl.Series("verdict", [each.verdict.word for each in findings]),
        "margin",
    )
    title = f"Differences from {baselines[0]}, with {level}" if one_baseline else f"Differences, with {level}"
    return _curve(
        title, "blue better, orange worse, green equivalent, grey inconclusive; the band is the margin", frame
    )


def _curve(title: str, subtitle: str, frame: pl.DataFrame) -> Curve:
    frame = frame.with_columns(pl.col("value", "low", "high").cast(pl.Float64).fill_nan(None))
    return Curve("intervals", title, subtitle, frame, frame.select("system", "measure", "value"))
