"""ROC, precision-recall and DET curves: two rates against one another, threshold by threshold."""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias

import polars as pl
from scipy import special

from assay.classifier_curves.bands import Band, band_frame
from assay.classifier_curves.points import all_points, one_number, prevalence, subtitle, value_of, with_both_kinds
from assay.core.digits import as_level
from assay.core.domains import Choice
from assay.curves import Curve
from assay.measures.score_curves import AUC, EER, AveragePrecision, PRArea
from assay.stats.delong import delong
from assay.thresholding.inputs import ScoredSystem, warnings_of

BandName: TypeAlias = Literal["none", "pointwise", "simultaneous"]


def roc(
    y_true: Any,
    y_score: Any = None,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    system: str | None = None,
    band: BandName = "none",
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Curve:
    """The ROC curve: true against false positive rate at every threshold, with the four cells and accuracy.

    `y_true` is the truth, with `y_score` (an array, or a dict from names of systems to arrays); or `Predictions`,
    `Scored` or a path, or several of these. The number of a system is `AUC`, with DeLong's interval where items have no
    weights. `band`: how far the curve may lie elsewhere, from items drawn anew, at each false positive rate by itself
    (`pointwise`) or for the whole curve at once (`simultaneous`).

    >>> roc([1, 0, 1], [0.9, 0.8, 0.7]).frame.select("threshold", "tpr", "fpr").rows()
    [(inf, 0.0, 0.0), (0.9, 0.5, 0.0), (0.8, 0.5, 1.0), (0.7, 1.0, 1.0)]
    """
    Choice(BandName).check("band", band)
    systems = with_both_kinds("a ROC curve", y_true, y_score, pos_label=pos_label, sample_weight=sample_weight,
                              system=system)  # fmt: skip
    frame = all_points(systems, lambda _: [pl.all()])
    areas = [_area(each, confidence) for each in systems]
    summary = one_number(systems, AUC, low=[low for low, _ in areas], high=[high for _, high in areas])
    words: tuple[str, ...] = ()
    if band != "none":
        wanted = Band(band == "simultaneous", confidence, resamples, seed)
        bands = pl.concat([band_frame(each, wanted) for each in systems])
        frame = pl.concat([frame.with_columns(curve=pl.lit("points")), bands], how="diagonal")
        words = (f"{band} {as_level(confidence)} band, {resamples:,} resamples, seed {seed}",)
    return Curve(
        "classifier_roc", "ROC curve", subtitle(systems, summary, *words), frame, summary, warnings_of(systems)
    )


def precision_recall(
    y_true: Any, y_score: Any = None, *, pos_label: Any = None, sample_weight: Any = None, system: str | None = None
) -> Curve:
    """Precision against recall at every threshold, drawn in steps.

    The number of a system is `AveragePrecision`, the area below the steps. The summary also holds the area by
    trapezoids (`trapezoid`, the measure `PRArea`), which is another number and mostly too good. Where nothing is
    predicted positive there is no precision.

    >>> precision_recall([1, 0, 1], [0.9, 0.8, 0.7]).frame["precision"].to_list()
    [None, 1.0, 0.5, 0.6666666666666666]
    """
    systems = with_both_kinds("a precision-recall curve", y_true, y_score, pos_label=pos_label,
                              sample_weight=sample_weight, system=system)  # fmt: skip
    precision = (pl.col("tp") / (pl.col("tp") + pl.col("fp"))).fill_nan(None).alias("precision")
    kept = ["system", "threshold", "tp", "fp", "fn", "tn"]
    frame = all_points(systems, lambda _: [pl.col(kept), pl.col("tpr").alias("recall"), precision])
    trapezoids = [value_of(PRArea, each.scored) for each in systems]
    summary = one_number(systems, AveragePrecision, trapezoid=trapezoids, prevalence=prevalence(systems))
    words = subtitle(systems, summary)
    return Curve("classifier_pr", "Precision and recall", words, frame, summary, warnings_of(systems))


def det(
    y_true: Any, y_score: Any = None, *, pos_label: Any = None, sample_weight: Any = None, system: str | None = None
) -> Curve:
    """The detection error trade-off: false negative against false positive rate, on axes of normal deviates.

    Where scores of both kinds are normal the curve is a straight line. The number of a system is `EER`. Rates of 0 and
    1 have no deviate and are not drawn.

    >>> det([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]).frame.select("fpr", "fnr").rows()[2]
    (0.5, 0.5)
    """
    systems = with_both_kinds("a DET curve", y_true, y_score, pos_label=pos_label, sample_weight=sample_weight,
                              system=system)  # fmt: skip
    positives = pl.col("tp") + pl.col("fn")
    kept = ["system", "threshold", "tp", "fp", "fn", "tn", "fpr"]
    frame = all_points(systems, lambda _: [pl.col(kept), (pl.col("fn") / positives).alias("fnr")])
    for rate in ("fpr", "fnr"):
        deviates = pl.Series(f"{rate}_deviate", special.ndtri(frame[rate].to_numpy()))
        frame = frame.with_columns(pl.when(deviates.is_finite()).then(deviates).alias(deviates.name))
    summary = one_number(systems, EER)
    words = subtitle(systems, summary)
    return Curve("det", "Detection error trade-off", words, frame, summary, warnings_of(systems))


def _area(each: ScoredSystem, confidence: float) -> tuple[float | None, float | None]:
    """DeLong's interval of the area, on the logit scale; none where items have weights."""
    if each.scored.is_weighted:
        return None, None
    found = delong(each.scored, confidence).interval
    return (None, None) if math.isnan(found.low) else (found.low, found.high)
