"""Intervals of measures of labels and scores, from items drawn anew.

Items are not drawn one by one: a resample of *n* items puts so many of them in each cell of the matrix as one draw from
a multinomial distribution does, so that the cells are drawn at once, whatever *n* is. Items with weights are drawn by
cell and weight; where a cell has very many weights, only how many of its items there are is drawn, and their sum by the
normal limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from scipy import special

from assay.core.evaluation_options import Undefined
from assay.measures.counting.confusion_matrix import ConfusionMatrix, LabelSets
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.label_pairs import codes
from assay.measures.counting.matrix_margins import CellSums
from assay.measures.counting.probabilities import Probabilities
from assay.measures.counting.scored import Scored
from assay.measures.matrices import is_of_margins, overall
from assay.measures.parser import parse_measure
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit
from assay.measures.undefined import as_asked, lenient
from assay.stats.bootstrap import FEWEST_DRAWN, Interval, group_weights, intervals, pattern_weights, wilson
from assay.stats.estimates import BOOTSTRAP, NO_INTERVAL, ROUNDING, Estimate
from assay.stats.score_samples import score_interval
from assay.subjects.labels.measurement import (
    LABEL_COUNTS,
    averages,
    bounds_of,
    by_label,
    gaps_of,
    is_over_items,
    item_values,
    mean_of,
    resampled_sets,
    weights_of_items,
)

Key: TypeAlias = Any

Computed: TypeAlias = Callable[[Any], Floats]


class Patterns(NamedTuple):
    """Items that are alike: the cell of the matrix they are in, what each of them weighs, and how many there are.

    By cell, in order.
    """

    cell: Ints
    weight: Floats
    items: Ints


def patterns_of(counts: Mapping[type, Any]) -> Patterns | None:
    """The items of a matrix by cell, and by weight; None if items have weights that nobody knows one by one."""
    patterns: Patterns | None = counts.get(Patterns)
    if patterns is not None:
        return patterns
    table = counts[ConfusionMatrix].table
    if table.dtype.kind not in "iu":
        return None
    cell = np.flatnonzero(table)
    return Patterns(cell, np.ones(len(cell)), table.ravel()[cell].astype(np.int64))


def weighted_patterns(truth: pl.Series, prediction: pl.Series, weight: pl.Series, matrix: ConfusionMatrix) -> Patterns:
    """Items with weights: those in the same cell that weigh the same are alike."""
    rows, columns = (pl.Series(codes(column, matrix.labels)) for column in (truth, prediction))
    alike = (
        pl.DataFrame({"row": rows, "column": columns, "weight": weight}).group_by(pl.all()).len("items").sort(pl.all())
    )
    cell = alike["row"].to_numpy() * len(matrix.labels) + alike["column"].to_numpy()
    return Patterns(cell, alike["weight"].to_numpy(), alike["items"].to_numpy().astype(np.int64))


def resampled_matrices(
    patterns: Patterns, labels: tuple[Any, ...], positive: int | None, resamples: int, seed: int, *, whole: bool = False
) -> Iterator[ConfusionMatrix]:
    """Confusion matrices of items drawn anew, many in a block, one unit each; if not `whole`, their margins.

    >>> patterns = Patterns(np.array([0, 3]), np.ones(2), np.array([6, 4]))
    >>> next(resampled_matrices(patterns, ("no", "yes"), 1, 3, seed=0)).items
    array([10., 10., 10.])
    """
    size = len(labels) ** 2
    filled, group = np.unique(patterns.cell, return_inverse=True)
    counted = len(filled) == len(patterns.cell) and bool((patterns.weight == 1).all())
    blocks = (
        pattern_weights(patterns.items, resamples, seed, cells=size)
        if counted
        else group_weights(group, patterns.weight, patterns.items, resamples, seed, cells=size)
    )
    sums = CellSums.of(labels, *divmod(filled, len(labels)), positive, whole=whole)
    return map(sums.matrices, blocks)


def resampled(
    counts: Mapping[type, Any], wanted: Mapping[Key, Computed], resamples: int, seed: int, *, whole: bool = False
) -> dict[Key, Floats]:
    """Values of each function on each resample (row); nothing if items cannot be drawn."""
    samples: dict[Key, list[Floats]] = {key: [] for key in wanted}
    for block in _drawn(counts, resamples, seed, whole=whole) if wanted else ():
        for key, function in wanted.items():
            samples[key].append(function(block))
    return {key: np.concatenate(parts) for key, parts in samples.items() if parts}


def _drawn(counts: Mapping[type, Any], resamples: int, seed: int, *, whole: bool) -> Iterator[Any]:
    """Items drawn anew, block by block: matrices, or the cells of labels where an item has several."""
    if LabelSets in counts:
        return resampled_sets(counts[LabelSets], resamples, seed)
    patterns = patterns_of(counts)
    matrix = counts[ConfusionMatrix]
    if patterns is None or not patterns.items.sum():
        return iter(())
    return resampled_matrices(patterns, matrix.labels, matrix.positive, resamples, seed, whole=whole)


#: Measures of single classes, as tables of classes show them.
OF_CLASSES = {"precision": "Precision", "recall": "Recall", "f1": "F"}
#: How items are drawn is said of all such intervals; which of its quantiles are taken, is told in the documentation.
_WORDS = {"percentile": BOOTSTRAP, "bca": BOOTSTRAP}
#: Means over items that are right or wrong.
_YES_OR_NO = ("TopKAccuracy", "ExactMatch")


def estimates_of(
    counts: Mapping[type, Any],
    results: Mapping[Measure, PerUnit],
    drawing: tuple[float, int, int],
    undefined: Undefined = "counted_as",
) -> dict[Measure, Estimate]:
    """Every measure's number with its interval; `drawing`: its level, how often items are drawn anew, and the seed."""
    _, resamples, seed = drawing
    wanted = [
        measure
        for measure, result in results.items()
        if measure.definition.counts in LABEL_COUNTS
        and not is_over_items(measure, counts)
        and _ratio(measure, result, counts) is None
    ]
    compute = averages if LabelSets in counts else _values
    functions: dict[Key, Computed] = {
        measure: partial(compute, measure, undefined=lenient(undefined)) for measure in wanted
    }
    values = resampled(counts, functions, resamples, seed, whole=not all(map(is_of_margins, wanted)))
    return {
        measure: _estimate((measure, undefined), result, counts, values.get(measure), drawing)._replace(
            gaps=gaps_of(measure, result, counts, undefined)
        )
        for measure, result in results.items()
    }


def _values(measure: Measure, block: ConfusionMatrix, *, undefined: Undefined) -> Floats:
    return overall(measure, block, undefined).values


def _values_by_class(measure: Measure, block: ConfusionMatrix) -> Floats:
    return by_label(measure, np.stack(block.cells(), axis=-1))


def _estimate(
    of: tuple[Measure, Undefined],
    result: PerUnit,
    counts: Mapping[type, Any],
    samples: Floats | None,
    drawing: tuple[float, int, int],
) -> Estimate:
    (measure, undefined), (confidence, resamples, seed) = of, drawing
    value = mean_of(measure, result, counts, undefined)
    drawings = 0
    why = why_not_drawn(counts, resamples)
    if math.isnan(value):
        return Estimate(value, math.nan, math.nan, NO_INTERVAL, next(filter(None, result.reasons()), None))
    if (ratio := _ratio(measure, result, counts)) is not None:
        interval = wilson(*ratio, confidence)
    elif measure.definition.counts is Scored:
        interval, drawings = score_interval(counts[Scored], measure, confidence, resamples, seed)
        alike = interval.high - interval.low <= ROUNDING * abs(value)
        interval = Interval.unknown(confidence, NO_INTERVAL) if alike else interval
        why = why_not_drawn(counts, resamples, len(counts[Scored].positive) + len(counts[Scored].negative))
    elif is_over_items(measure, counts):
        values = item_values(measure, result, counts, undefined)
        interval = _of_mean(values, weights_of_items(counts, measure), value, confidence)
        two_labels = Probabilities in counts and len(counts[Probabilities].labels) <= 2
        least, most = bounds_of(measure, two_labels=two_labels) or (-math.inf, math.inf)
        interval = interval._replace(low=max(interval.low, least), high=min(interval.high, most))
        why = "one item alone does not vary" if len(result.values) < 2 else "all items have the same number"
    elif measure.definition.counts is Probabilities:
        # Bins of items that come twice or not at all are further off: the bootstrap lies above the number itself.
        interval = Interval.unknown(confidence, NO_INTERVAL)
        why = "in items drawn anew it is larger by chance alone"
    else:
        interval = _of_draws(samples, value, _items(counts), confidence)
        drawings = resamples
    if math.isinf(value):
        why = "the number is infinite"
    method, drawings = (interval.method, drawings) if interval.is_known else (NO_INTERVAL, 0)
    missing = None if interval.is_known else why
    return Estimate(value, interval.low, interval.high, _WORDS.get(method, method), None, drawings, missing)


def why_not_drawn(counts: Mapping[type, Any], resamples: int, items: int | None = None) -> str:
    """The reason why a number has no interval from resampled items, if it has none.

    >>> matrix = ConfusionMatrix.from_matrix([[2, 0], [0, 1]])
    >>> why_not_drawn({ConfusionMatrix: matrix}, 2000)
    'fewer than 5 items are too few to draw anew'
    """
    if not resamples:
        return "it takes resamples"
    if items is None and LabelSets not in counts and ConfusionMatrix in counts and patterns_of(counts) is None:
        return "what single items weigh is not known"
    if (_items(counts) if items is None else items) < FEWEST_DRAWN:
        return f"fewer than {FEWEST_DRAWN} items are too few to draw anew"
    return "every resample gives the same number, or none"


def _ratio(measure: Measure, result: PerUnit, counts: Mapping[type, Any]) -> tuple[float, float] | None:
    """Successes and trials, where the number is a share of items that are counted one by one; None otherwise."""
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
    return (top, bottom) if 0 <= top <= bottom and bottom else None


def _items(counts: Mapping[type, Any]) -> int:
    """The number of items; of items with weights not their weight."""
    if LabelSets in counts:
        return len(counts[LabelSets].truth)
    if ConfusionMatrix not in counts:
        return 0
    patterns = patterns_of(counts)
    return 0 if patterns is None else int(patterns.items.sum())


def _of_draws(samples: Floats | None, value: float, items: int, confidence: float) -> Interval:
    """The middle of the resamples; none if all of them are alike, which is not to say that the number is certain."""
    if samples is None or not len(known := samples[~np.isnan(samples)]) or np.ptp(known) <= ROUNDING * abs(value):
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


def per_class_of(
    counts: Mapping[type, Any], drawing: tuple[float, int, int], undefined: Undefined = "counted_as"
) -> pl.DataFrame:
    """One row a class: support, how often it was predicted, and the measures of single classes with intervals.

    A share of 0/0 is 0 or 1 if that was asked for, as in means, and has no interval.
    """
    confidence, resamples, seed = drawing
    matrix: ConfusionMatrix | LabelSets = counts[LabelSets] if LabelSets in counts else counts[ConfusionMatrix]
    classes = matrix.per_label() if isinstance(matrix, LabelSets) else matrix.per_class()
    chosen = {name: parse_measure(called, "multiclass") for name, called in OF_CLASSES.items()}
    # Classes are counted item by item, unless items have weights.
    shares = {
        name for name, measure in chosen.items() if classes.tp.dtype.kind in "iu" and measure.definition.proportion
    }
    compute = by_label if LabelSets in counts else _values_by_class
    wanted = {name: partial(compute, measure) for name, measure in chosen.items() if name not in shares}
    samples = resampled(counts, wanted, resamples, seed)
    items = _items(counts)
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
        columns[name] = as_asked(measure, result, undefined).values
        columns[f"{name}_low"] = [interval.low for interval in ends]
        columns[f"{name}_high"] = [interval.high for interval in ends]
    return pl.DataFrame(columns).fill_nan(None)


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
