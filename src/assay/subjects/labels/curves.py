"""Curves of a classifier's scores: ROC, precision-recall, calibration, gain and lift, scores in bins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, Unpack

import numpy as np
import polars as pl
from scipy import special

from assay.core.digits import as_level, counted, number
from assay.core.domains import Choice, Real, Whole
from assay.core.errors import InputError, number_of
from assay.core.idle_options import OF_BANDS, refuse_idle
from assay.measures.counting.judgments import Floats
from assay.measures.counting.probabilities import Probabilities
from assay.measures.counting.scored import Scored
from assay.measures.probabilities import ECE, USUAL_BINS, bins_of, claims_of
from assay.measures.registry import Measure
from assay.measures.score_curves import AUC, EER, AveragePrecision, PRArea
from assay.stats.bootstrap import wilson
from assay.stats.delong import delong
from assay.stats.estimates import checked_confidence
from assay.subjects.labels.inputs import ScoredSystem, ScoreInputs, scored_systems, warnings_of
from assay.subjects.labels.thresholds.candidates import Candidates
from assay.subjects.labels.thresholds.choice import choose_threshold, table_frame
from assay.subjects.labels.thresholds.rules import Rule
from assay.tables.label_columns import refuse_no_threshold
from assay.verbs.curves import Curve

__all__ = ["calibration", "det", "gain", "lift", "precision_recall", "roc", "score_distributions"]


BinningName: TypeAlias = Literal["width", "mass"]
#: Probabilities that are no further apart than this, or this share of the largest, have no numbers along an axis that
#: would tell them apart.
_LEAST_APART, _LEAST_SHARE = 1e-9, 1e-4


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


def reliability(
    probabilities: Probabilities, *, bins: int = USUAL_BINS, binning: BinningName = "width", confidence: float = 0.95
) -> tuple[pl.DataFrame, float]:
    """The bins of `ECE` with intervals, and `ECE` itself; of more than two labels, of the predicted one.

    >>> frame, error = reliability(Probabilities.from_scores([0, 1, 1, 1], [0.2, 0.4, 0.8, 0.9]), bins=2)
    >>> frame.select("items", "came_true", "low", "high").rows(), error
    ([(2.0, 0.5, 0.0945, 0.9055), (2.0, 1.0, 0.3424, 1.0)], 0.175)
    """
    result = ECE(bins=bins, binning=binning).per_unit(probabilities)
    steps = next(leaf.steps for leaf in result.leaves() if leaf.steps is not None)
    place = bins_of(claims_of(probabilities)[0], bins, binning)
    weight = probabilities.weight
    squares = np.bincount(place, None if weight is None else weight**2, minlength=bins)
    columns = {name: steps.columns[name] for name in ("bin", "items", "probability", "came_true")}
    worth = columns["items"] ** 2 / squares[columns["bin"] - 1]
    ends = [wilson(min(share * n, n), n, confidence) for share, n in zip(columns["came_true"], worth, strict=True)]
    frame = pl.DataFrame({**columns, "low": [end.low for end in ends], "high": [end.high for end in ends]})
    return frame, float(result.values[0])


def probabilities_of(system: ScoredSystem) -> Probabilities:
    """The items of both kinds, one after the other."""
    scored = system.scored
    scores = np.concatenate([scored.positive, scored.negative]).astype(np.float64)
    if scores.min() < 0 or scores.max() > 1:
        raise InputError(
            f"{system.name}: calibration is of probabilities, from 0 to 1: scores go from {scores.min():g} to "
            f"{scores.max():g}"
        )
    truth = np.repeat([True, False], [len(scored.positive), len(scored.negative)])
    weight = None
    if scored.positive_weight is not None and scored.negative_weight is not None:
        weight = np.concatenate([scored.positive_weight, scored.negative_weight])
    return Probabilities.from_scores(truth, scores, pos_label=True, sample_weight=weight)


#: False positive rates at which a band is found.
_LEVELS = np.linspace(0.0, 1.0, 101)


def band_frame(system: ScoredSystem, *, confidence: float, resamples: int, seed: int) -> pl.DataFrame:
    """The lower and the upper end of true positive rates at 101 false positive rates: percentiles of resamples.

    >>> from assay.measures.counting.scored import Scored
    >>> system = ScoredSystem("a", Scored.from_lists([0.9, 0.8, 0.4], [0.7, 0.3, 0.2]))
    >>> band_frame(system, confidence=0.95, resamples=200, seed=0).columns
    ['system', 'curve', 'fpr', 'low', 'high']
    """
    checked_confidence(confidence)
    Whole(2).check("resamples", resamples)
    Whole(0).check("seed", seed)
    blocks = (block.cells() for block in Candidates(system.scored).drawn(resamples, seed))
    rates = (pair for cells in blocks for pair in zip(cells.fpr, cells.tpr, strict=True))
    curves = np.array([_at_levels(fpr, tpr) for fpr, tpr in rates if not np.isnan(fpr[-1] + tpr[-1])])
    low, high = np.quantile(curves, ((1 - confidence) / 2, (1 + confidence) / 2), axis=0)
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


BandName: TypeAlias = Literal["none", "pointwise"]
#: What systems are measured by, and the number of each.
Numbers: TypeAlias = tuple[str, Sequence[float]]

_CELLS = ("tp", "fp", "fn", "tn")

_POINT = pl.col("system", "threshold", *_CELLS)

_TAKEN = pl.col("tp") + pl.col("fp")

_SHARE = (_TAKEN / (_TAKEN + pl.col("fn") + pl.col("tn"))).alias("share")


def roc(
    y_true: Any,
    y_score: Any = None,
    *,
    band: BandName = "none",
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    **inputs: Unpack[ScoreInputs],
) -> Curve:
    """The ROC curve: true against false positive rate at every threshold, with the four cells and accuracy.

    The number of a system is `AUC`, with DeLong's interval where items have no weights. `band`: how far the curve may
    lie elsewhere, from items drawn anew, at each false positive rate by itself (`pointwise`).

    >>> roc([1, 0, 1], [0.9, 0.8, 0.7]).frame.select("threshold", "tpr", "fpr").rows()
    [(inf, 0.0, 0.0), (0.9, 0.5, 0.0), (0.8, 0.5, 1.0), (0.7, 1.0, 1.0)]
    """
    Choice(BandName).check("band", band)
    refuse_idle(OF_BANDS, {"band": band, "resamples": resamples}, roc.__kwdefaults__ or {})
    systems = _systems("a ROC curve", y_true, y_score, **inputs)
    frame = _points(systems, pl.all())
    words = list[str]()
    areas = [_area(system, confidence) for system in systems]
    if band != "none":
        sampling: Any = {"confidence": confidence, "resamples": resamples, "seed": seed}
        bands = pl.concat([band_frame(each, **sampling) for each in systems])
        frame = pl.concat([frame.with_columns(curve=pl.lit("points")), bands], how="diagonal")
        words = [f"{band} {as_level(confidence)} band, {resamples:,} resamples, seed {seed}"]
    low, high = zip(*areas, strict=True)
    return _curve("classifier_roc", "ROC curve", systems, frame, _under(AUC, systems), *words, low=low, high=high)


def precision_recall(y_true: Any, y_score: Any = None, **inputs: Unpack[ScoreInputs]) -> Curve:
    """Precision against recall at every threshold, drawn in steps.

    The number of a system is `AveragePrecision`, the area below the steps. The summary also holds the area by
    trapezoids (`trapezoid`, the measure `PRArea`), which is another number and mostly too good. Where nothing is
    predicted positive there is no precision. Positive items alone have a curve, of precision 1; without them, there is
    no recall.

    >>> precision_recall([1, 0, 1], [0.9, 0.8, 0.7]).frame["precision"].to_list()
    [None, 1.0, 0.5, 0.6666666666666666]
    """
    systems = _systems("a precision-recall curve", y_true, y_score, needs=("positive",), **inputs)
    precision = (pl.col("tp") / _TAKEN).fill_nan(None)
    frame = _points(systems, _POINT, pl.col("tpr").alias("recall"), precision.alias("precision"))
    areas = _under(PRArea, systems)[1]
    shares = _prevalence(systems)
    precise = _under(AveragePrecision, systems)
    title = "Precision and recall"
    return _curve("classifier_pr", title, systems, frame, precise, trapezoid=areas, prevalence=shares)


def det(y_true: Any, y_score: Any = None, **inputs: Unpack[ScoreInputs]) -> Curve:
    """The detection error trade-off: false negative against false positive rate, on axes of normal deviates.

    Where scores of both kinds are normal the curve is a straight line. The number of a system is `EER`. Rates of 0 and
    1 have no deviate and are not drawn.

    >>> det([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]).frame.select("fpr", "fnr").rows()[2]
    (0.5, 0.5)
    """
    systems = _systems("a DET curve", y_true, y_score, **inputs)
    misses = pl.col("fn") / (pl.col("tp") + pl.col("fn"))
    frame = _points(systems, _POINT, pl.col("fpr"), misses.alias("fnr"))
    for rate in ("fpr", "fnr"):
        deviates = pl.Series(f"{rate}_deviate", special.ndtri(frame[rate].to_numpy()))
        frame = frame.with_columns(pl.when(deviates.is_finite()).then(deviates).alias(deviates.name))
    return _curve("det", "Detection error trade-off", systems, frame, _under(EER, systems), better=False)


def calibration(
    y_true: Any,
    y_score: Any = None,
    *,
    bins: int = USUAL_BINS,
    binning: BinningName = "width",
    confidence: float = 0.95,
    **inputs: Unpack[ScoreInputs],
) -> Curve:
    """Frequencies of the positive label, against the mean probability it was given, in bins of items.

    `binning`: bins of equal `width`, or with as many items in each as ties let them (`mass`). A probability on a border
    belongs to the lower bin; bins without items are left out. The intervals are Wilson's; where items have weights, for
    as many items as they are worth (the square of the sum of weights by the sum of their squares). The number of a
    system is `ECE` with these bins.

    >>> calibration([0, 1, 1, 1], [0.2, 0.4, 0.8, 0.9], bins=2).frame.select("probability", "came_true").rows()
    [(0.30000000000000004, 0.5), (0.8500000000000001, 1.0)]
    """
    systems = _systems("a calibration curve", y_true, y_score, **inputs)
    frames, errors = [], []
    for system in systems:
        frame, error = reliability(probabilities_of(system), bins=bins, binning=binning, confidence=confidence)
        frames.append(frame.select(pl.lit(system.name).alias("system"), pl.all()))
        errors.append(error)
    words = f"{bins} bins of equal {binning}, Wilson's {as_level(confidence)} intervals"
    numbers = str(ECE(bins=bins, binning=binning)), errors
    return _curve("calibration", "Calibration", systems, pl.concat(frames), numbers, words, better=False)


def gain(y_true: Any, y_score: Any = None, *, at: float = 0.1, **inputs: Unpack[ScoreInputs]) -> Curve:
    """The share of the positive items found, against the share of all items taken, the highest scores first.

    The number of a system is the gain where a share `at` of the items is taken; of items with equal scores, a part
    counts as so large a part of its positive ones.

    >>> gain([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], at=0.5).summary["value"].to_list()
    [0.5]
    """
    systems = _systems("a gain curve", y_true, y_score, **inputs)
    frame = _points(systems, _POINT, _SHARE, pl.col("tpr").alias("gain"))
    numbers = f"gain at {as_level(at)}", [_gain_at(system, at) for system in systems]
    return _curve("gain", "Cumulative gain", systems, frame, numbers, prevalence=_prevalence(systems))


def lift(y_true: Any, y_score: Any = None, *, at: float = 0.1, **inputs: Unpack[ScoreInputs]) -> Curve:
    """The lift: positive items among those with the highest scores, against as many drawn at random.

    It is the gain divided by the share of items taken, or precision divided by the share of positive items. The number
    of a system is the lift where a share `at` of the items is taken.

    >>> lift([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]).frame["lift"].to_list()
    [None, 2.0, 1.0, 1.3333333333333333, 1.0]
    """
    systems = _systems("a lift curve", y_true, y_score, **inputs)
    frame = _points(systems, _POINT, _SHARE, (pl.col("tpr") / _SHARE).fill_nan(None).alias("lift"))
    numbers = f"lift at {as_level(at)}", [_gain_at(system, at) / at for system in systems]
    return _curve("lift", "Lift", systems, frame, numbers, prevalence=_prevalence(systems))


def score_distributions(
    y_true: Any,
    y_score: Any = None,
    *,
    bins: int = 30,
    threshold: float | str | Rule | None = None,
    **inputs: Unpack[ScoreInputs],
) -> Curve:
    """Numbers of positive and of negative items with a score in each of so many bins of equal width.

    `share` is of the items of a kind, so that a rare one can be seen. A score on a border belongs to the upper bin, the
    largest to the last. `threshold`: a number, or a rule that chooses one, such as "youden".

    >>> curve = score_distributions([1, 0, 0], [0.9, 0.1, 0.4], bins=2)
    >>> curve.frame.select("label", "low", "high", "items").rows()
    [('positive', 0.0, 0.5, 0.0), ('positive', 0.5, 1.0, 1.0), ('negative', 0.0, 0.5, 2.0), ('negative', 0.5, 1.0, 0.0)]
    """
    systems = _systems("a picture of scores", y_true, y_score, **inputs)
    edges = bin_edges([system.scored for system in systems], Whole(1).check("bins", bins))
    frame = pl.concat([_histogram(system, edges) for system in systems])
    cuts = {system.name: _threshold(system, threshold) for system in systems}
    outside = tuple(
        f"{name}: the threshold {cut:g} is outside the picture: no score is on its other side"
        for name, cut in cuts.items()
        if cut is not None and not edges[0] <= cut <= edges[-1]
    )
    is_chosen = isinstance(threshold, str | Rule)
    words = () if threshold is None else (f"threshold {'by ' if is_chosen else ''}{threshold}",)
    column = pl.Series(list(cuts.values()), dtype=pl.Float64)
    auc = _under(AUC, systems)
    return _curve("scores", "Scores by class", systems, frame, auc, *words, warnings=outside, threshold=column)


def _systems(
    curve: str,
    y_true: Any,
    y_score: Any,
    *,
    needs: tuple[str, ...] = ("positive", "negative"),
    **inputs: Unpack[ScoreInputs],
) -> list[ScoredSystem]:
    """The systems; an error if one has no items of a kind that the curve `needs`."""
    systems = scored_systems(y_true, y_score, **inputs)
    for system in systems:
        for kind, count in (("positive", system.scored.positives), ("negative", system.scored.negatives)):
            if kind in needs and not count:
                label = "" if system.positive is None else f" (positive is {system.positive})"
                kinds = " and ".join(needs)
                raise InputError(f"{system.name}: {curve} needs {kinds} items: none is {kind}{label}")
    return systems


def _points(systems: Sequence[ScoredSystem], *columns: pl.Expr) -> pl.DataFrame:
    """The points of all systems, a row a threshold: whole numbers of items, unless those of any system have weights."""
    dtype = pl.Float64 if any(system.scored.is_weighted for system in systems) else pl.Int64
    frames = [table_frame(system.scored).select(pl.lit(system.name).alias("system"), pl.all()) for system in systems]
    return pl.concat([frame.with_columns(pl.col(_CELLS).cast(dtype)) for frame in frames]).select(columns)


def _curve(
    name: str,
    title: str,
    systems: Sequence[ScoredSystem],
    frame: pl.DataFrame,
    numbers: Numbers,
    *words: str,
    better: bool = True,
    warnings: tuple[str, ...] = (),
    **others: Any,
) -> Curve:
    """The points with one number a system; the subtitle has that of a system that is alone, as there is no legend."""
    measure, values = numbers
    names = [system.name for system in systems]
    columns = {"system": names, "measure": [measure] * len(names), "value": values}
    summary = pl.DataFrame({**columns, "higher_is_better": [better] * len(names), **others})
    items = list(dict.fromkeys(map(_items_of, systems)))
    about = " or ".join(items) if len(items) <= 2 else f"{number_of('set', len(items))} of items"
    alone = [f"{measure} {number(values[0], 3)}"] if len(names) == 1 else []
    return Curve(name, title, "; ".join([about, *alone, *words]), frame, summary, (*warnings_of(systems), *warnings))


def _items_of(system: ScoredSystem) -> str:
    """The number of items of a curve, and of those that are positive."""
    scored = system.scored
    label = str(system.positive) if _is_named(system) else "positive"
    total = scored.positives + scored.negatives
    if scored.is_weighted:
        return f"items of weight {counted(total)}, {counted(scored.positives)} of it {label}"
    return f"{number_of('item', int(total))}, {scored.positives:,} {label}"


def _is_named(system: ScoredSystem) -> bool:
    """True if the positive label says more than that it is the positive one."""
    return system.positive is not None and not isinstance(system.positive, bool | int)


def _under(measure: Measure, systems: Sequence[ScoredSystem]) -> Numbers:
    return str(measure), [float(measure.of(system.scored)[0]) for system in systems]


def _prevalence(systems: Sequence[ScoredSystem]) -> list[float]:
    """The share of positive items of each system."""
    return [system.scored.positives / (system.scored.positives + system.scored.negatives) for system in systems]


def _area(system: ScoredSystem, confidence: float) -> tuple[float | None, float | None]:
    """DeLong's interval of the area, on the logit scale; none where items have weights."""
    if system.scored.is_weighted:
        return None, None
    interval = delong(system.scored, confidence).interval
    return (None, None) if math.isnan(interval.low) else (interval.low, interval.high)


def _gain_at(system: ScoredSystem, at: float) -> float:
    Real(0.0, 1.0, inside=True).check("at", at)
    cells = Candidates(system.scored).cells
    return float(np.interp(at, cells.predicted / cells.items, cells.tpr))


def _histogram(system: ScoredSystem, edges: Floats) -> pl.DataFrame:
    """Numbers of items of each kind in each bin of a system."""
    labels = (str(system.positive), f"not {system.positive}") if _is_named(system) else ("positive", "negative")
    bins = {"low": edges[:-1], "high": edges[1:]}
    return pl.concat(
        pl.DataFrame({**bins, "items": items, "share": items / items.sum()}).select(
            pl.lit(system.name).alias("system"), pl.lit(label).alias("label"), pl.all()
        )
        for label, items in zip(labels, in_bins(system.scored, edges), strict=True)
    )


def _threshold(system: ScoredSystem, threshold: float | str | Rule | None) -> float | None:
    if isinstance(threshold, int | float):
        refuse_no_threshold(threshold)
    if threshold is None or isinstance(threshold, int | float):
        return threshold
    chosen = choose_threshold(system, rule=threshold, resamples=0).threshold
    return chosen if np.isfinite(chosen) else None
