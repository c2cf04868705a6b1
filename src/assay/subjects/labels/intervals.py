"""How sure one can be of a classifier's numbers: an interval for each, by the way that suits the measure.

Shares of items that are counted one by one have Wilson's interval; the area under the ROC curve DeLong's; means over
items that of the t distribution. All other label measures are computed anew on matrices that other items would give.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from scipy import special

from assay.measures.counting.confusion import Confusion
from assay.measures.counting.confusion_matrix import ConfusionMatrix
from assay.measures.counting.judgments import Floats
from assay.measures.counting.label_sets import LabelSets
from assay.measures.counting.probabilities import Probabilities
from assay.measures.counting.scored import Scored
from assay.measures.over_classes import overall
from assay.measures.parser import parse_measure
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit
from assay.stats.bootstrap import Interval, intervals
from assay.stats.confidence import BOOTSTRAP, NO_INTERVAL
from assay.stats.estimates import Estimate
from assay.stats.proportions import wilson
from assay.stats.score_samples import score_interval
from assay.subjects.labels.label_sets import averages, by_label
from assay.subjects.labels.measurement import (
    LABEL_COUNTS,
    bounds_of,
    classes_left_out,
    is_over_items,
    mean_of,
    weights_of_items,
)
from assay.subjects.labels.resampling import patterns_of, resampled

#: Measures of single classes, as tables of classes show them.
OF_CLASSES = {"precision": "Precision", "recall": "Recall", "f1": "F"}
#: How items are drawn is said of all such intervals; which of its quantiles are taken, is told in the documentation.
_WORDS = {"percentile": BOOTSTRAP, "bca": BOOTSTRAP}
#: Means over items that are right or wrong.
_YES_OR_NO = ("TopKAccuracy", "ExactMatch")


def estimates_of(
    counts: Mapping[type, Any], results: Mapping[Measure, PerUnit], confidence: float, resamples: int, seed: int
) -> dict[Measure, Estimate]:
    """Every measure's number with its interval."""
    wanted = [
        measure
        for measure, result in results.items()
        if measure.definition.counts in LABEL_COUNTS
        and not is_over_items(measure, counts)
        and _ratio(measure, result, counts) is None
    ]
    compute = averages if LabelSets in counts else _values
    values = resampled(counts, {measure: partial(compute, measure) for measure in wanted}, resamples, seed)
    return {
        measure: _estimate(measure, result, counts, values.get(measure), (confidence, resamples, seed))._replace(
            left_out=classes_left_out(measure, result, counts)
        )
        for measure, result in results.items()
    }


def _values(measure: Measure, block: ConfusionMatrix) -> Floats:
    return overall(measure, block).values


def _values_by_class(measure: Measure, block: ConfusionMatrix) -> Floats:
    tp, fp, fn, tn = (cell.ravel() for cell in block.cells())
    classes = Confusion(tuple(map(str, range(len(tp)))), tp, fp, fn, tn, "class")
    return measure.of(classes).reshape(len(block.units), len(block.labels))


def _estimate(
    measure: Measure, result: PerUnit, counts: Mapping[type, Any], samples: Floats | None, how: tuple[float, int, int]
) -> Estimate:
    confidence, resamples, seed = how
    value, drawings = mean_of(measure, result, counts), 0
    if math.isnan(value):
        return Estimate(value, math.nan, math.nan, NO_INTERVAL, next(filter(None, result.reasons()), None))
    if (ratio := _ratio(measure, result, counts)) is not None:
        interval = wilson(*ratio, confidence)
    elif measure.definition.counts is Scored:
        interval, drawings = score_interval(counts[Scored], measure, confidence, resamples, seed)
        interval = interval if interval.high > interval.low else Interval.unknown(confidence, NO_INTERVAL)
    elif is_over_items(measure, counts):
        interval = _of_mean(result.values, weights_of_items(counts, measure), value, confidence)
        two_labels = Probabilities in counts and len(counts[Probabilities].labels) <= 2
        least, most = bounds_of(measure, two_labels=two_labels) or (-math.inf, math.inf)
        interval = interval._replace(low=max(interval.low, least), high=min(interval.high, most))
    else:
        interval, drawings = _of_draws(samples, value, _items(counts), confidence), resamples
    method, drawings = (interval.method, drawings) if interval.is_known else (NO_INTERVAL, 0)
    return Estimate(value, interval.low, interval.high, _WORDS.get(method, method), None, drawings)


def _ratio(measure: Measure, result: PerUnit, counts: Mapping[type, Any]) -> tuple[float, float] | None:
    """So many of so many, where the number is a share of items that are counted one by one; None otherwise."""
    if is_over_items(measure, counts):
        # A loss that happens to be 0 or 1 for every item is no share of items.
        alike = measure.name in _YES_OR_NO and weights_of_items(counts, measure) is None
        yes_or_no = alike and bool(np.isin(result.values, (0.0, 1.0)).all())
        return (float(result.values.sum()), float(len(result.values))) if yes_or_no else None
    # An average over classes is no share of items: they count in several classes.
    of_one = measure.parameters.get("average", "binary") == "binary"
    if not measure.definition.proportion or not of_one or measure.definition.counts not in LABEL_COUNTS:
        return None
    if counts[ConfusionMatrix].tables.dtype.kind not in "iu" or result.op != "/":
        return None
    top, bottom = (float(part.values[0]) for part in result.operands)
    return (top, bottom) if 0 <= top <= bottom else None


def _items(counts: Mapping[type, Any]) -> int:
    """How many items there are; of items with weights not what they weigh."""
    if LabelSets in counts:
        return len(counts[LabelSets].truth)
    patterns = patterns_of(counts)
    return 0 if patterns is None else int(patterns.items.sum())


def _of_draws(samples: Floats | None, value: float, items: int, confidence: float) -> Interval:
    """The middle of the resamples; none if all of them are alike, which is not to say that the number is certain."""
    if samples is None or not len(known := samples[~np.isnan(samples)]) or np.ptp(known) == 0:
        return Interval.unknown(confidence, NO_INTERVAL)
    return intervals(samples, value, np.empty(0), [confidence], "percentile", counts=np.array([items]))[0]


def _of_mean(values: Floats, weight: Floats | None, mean: float, confidence: float) -> Interval:
    """The t interval of a mean over items; of items with weights, from the residuals of the weighted mean."""
    known = ~np.isnan(values)
    values, weight = values[known], (np.ones(int(known.sum())) if weight is None else weight[known])
    n = int((weight > 0).sum())
    if n < 2 or not np.isfinite(mean):
        return Interval.unknown(confidence, NO_INTERVAL)
    spread = math.sqrt(float((weight**2 * (values - mean) ** 2).sum()) * n / (n - 1)) / float(weight.sum())
    if spread == 0:
        return Interval.unknown(confidence, NO_INTERVAL)
    reach = float(special.stdtrit(n - 1, (1 + confidence) / 2)) * spread
    return Interval(mean - reach, mean + reach, confidence, "t")


def per_class_of(counts: Mapping[type, Any], confidence: float, resamples: int, seed: int) -> pl.DataFrame:
    """One row a class: support, how often it was predicted, and the measures of single classes with intervals."""
    matrix: ConfusionMatrix | LabelSets = counts[LabelSets] if LabelSets in counts else counts[ConfusionMatrix]
    classes = matrix.per_label() if isinstance(matrix, LabelSets) else matrix.per_class()
    chosen = {name: parse_measure(called, "multiclass") for name, called in OF_CLASSES.items()}
    # Classes are counted item by item, unless items have weights.
    shares = {
        name for name, measure in chosen.items() if classes.tp.dtype.kind in "iu" and measure.definition.proportion
    }
    compute = by_label if LabelSets in counts else _values_by_class
    wanted = {name: partial(compute, measure) for name, measure in chosen.items() if name not in shares}
    samples, items = resampled(counts, wanted, resamples, seed), _items(counts)
    columns: dict[str, Any] = {
        "label": list(classes.units),
        "support": classes.tp + classes.fn,
        "predicted": classes.tp + classes.fp,
    }
    for name, measure in chosen.items():
        result = measure.per_unit(classes)
        ends = [
            _class_interval(result, place, samples.get(name), None if name in shares else items, confidence)
            for place in range(len(classes.units))
        ]
        columns[name] = result.values
        columns[f"{name}_low"] = [interval.low for interval in ends]
        columns[f"{name}_high"] = [interval.high for interval in ends]
    return pl.DataFrame(columns).with_columns(pl.col(pl.Float64).fill_nan(None))


def _class_interval(
    result: PerUnit, place: int, samples: Floats | None, items: int | None, confidence: float
) -> Interval:
    """Wilson's interval of a share, where `items` is None; otherwise that of the resamples."""
    value = float(result.values[place])
    if np.isnan(value):
        return Interval.unknown(confidence, NO_INTERVAL)
    if items is None:
        top, bottom = (float(part.values[place]) for part in result.operands)
        return wilson(top, bottom, confidence)
    return _of_draws(None if samples is None else samples[:, place], value, items, confidence)
