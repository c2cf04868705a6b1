"""Counts of labels -> measures: of all items, of items with several labels, unit by unit, at other prevalences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from assay.core.domains import Real
from assay.core.errors import ParameterError, joined
from assay.core.evaluation_options import Undefined
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.confusion_matrix import ConfusionMatrix, LabelSets
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.label_pairs import codes
from assay.measures.counting.matrix_margins import LEFT_BY_ROUNDING
from assay.measures.counting.probabilities import SLACK, Probabilities
from assay.measures.counting.scored import Scored
from assay.measures.matrices import averaged, left_out, overall
from assay.measures.parser import parse_measure
from assay.measures.probabilities import OF_ANY_SCORES
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit
from assay.measures.undefined import Gaps, as_counted, is_as_asked
from assay.stats.bootstrap import pattern_weights
from assay.stats.pairing import each_measure
from assay.tables import Predictions, Scores


def is_per_item(measure: Measure) -> bool:
    """True if a measure is a mean over items: it has no average over labels, or says so; sums are over labels."""
    return measure.definition.summary == "mean" and measure.parameters.get("average", "samples") == "samples"


def of_label_sets(measure: Measure, sets: LabelSets, undefined: Undefined = "counted_as") -> PerUnit:
    """One number an item, or one for all labels by the measure's `average`.

    >>> from assay.measures import parse_measure
    >>> sets = LabelSets.from_labels([["a", "b"], ["b"]], [["a"], ["b"]])
    >>> of_label_sets(parse_measure("Recall(average='samples')", "multiclass"), sets).values
    array([0.5, 1. ])
    >>> of_label_sets(parse_measure("Recall", "multiclass"), sets).values  # (1/1 + 1/2) / 2
    array([0.75])
    """
    if measure.definition.counts is not Confusion:
        counts = measure.definition.counts.__name__
        raise ParameterError(f"{measure} is computed from {counts}, which items with several labels do not have")
    if is_per_item(measure):
        return measure.per_unit(sets.per_item())
    return averaged(measure, sets.per_label(), undefined=undefined)


def averages(measure: Measure, cells: Floats, undefined: Undefined = "counted_as") -> Floats:
    """The average over labels for each unit, by the measure's `average`."""
    return averaged(measure, _confusion(cells.reshape(-1, 4)), tuple(map(str, range(len(cells)))), undefined).values


def by_label(measure: Measure, cells: Floats) -> Floats:
    """The measure of each label (column) in each unit (row)."""
    return measure.of(_confusion(cells.reshape(-1, 4))).reshape(cells.shape[:2])


def _confusion(cells: Floats) -> Confusion:
    tp, fp, fn, tn = (cells[:, place] for place in range(4))
    return Confusion(("",) * len(cells), tp, fp, fn, tn, "class")


def set_patterns(sets: LabelSets) -> tuple[tuple[Any, Any, Any], Floats, Ints]:
    """TP, FP and FN of each label (column) in each pattern (row), what an item of it weighs, and how many there are.

    Items with the same true and the same predicted labels, and the same weight, are alike. An item has few of all
    labels, so that the tables are sparse; what is left are true negatives.

    >>> cells, weight, items = set_patterns(LabelSets.from_labels([["a"], ["b"], ["a"]], [["a"], [], ["a"]]))
    >>> cells[0].toarray(), items
    (array([[1., 0.],
           [0., 0.]]), array([2, 1]))
    """
    weight = np.ones(len(sets.truth)) if sets.weight is None else sets.weight
    rows = pl.DataFrame({"weight": weight}).with_columns(
        sets.truth.list.sort().list.join("\x1f").alias("truth"),
        sets.prediction.list.sort().list.join("\x1f").alias("prediction"),
        sets.truth.list.len().alias("true"),
        sets.prediction.list.len().alias("predicted"),
    )
    # Sorted: what is drawn does not depend on the order of the items.
    alike = rows.with_row_index("row").group_by(rows.columns).agg(
        pl.col("row").first(), pl.len().alias("items")
    ).sort("truth", "prediction", "true", "predicted", "weight")  # fmt: skip
    first = alike["row"].cast(pl.Int64)
    true, predicted = (_has(column.gather(first), sets.labels) for column in (sets.truth, sets.prediction))
    both = true * predicted
    return (both, predicted - both, true - both), alike["weight"].to_numpy(), alike["items"].to_numpy().astype(np.int64)


def _has(lists: pl.Series, labels: Sequence[str]) -> Any:
    """Labels (columns) of items (rows), as a sparse table."""
    from scipy import sparse  # noqa: PLC0415  # only items with several labels wait for it

    held = pl.DataFrame({"label": lists}).with_row_index("row").explode("label").drop_nulls()
    places = codes(held["label"], labels)
    known = np.flatnonzero(places >= 0)
    cells = np.ones(len(known)), (held["row"].to_numpy()[known], places[known])
    return sparse.csr_array(cells, shape=(len(lists), len(labels)))


def resampled_sets(sets: LabelSets, resamples: int, seed: int) -> Iterator[Floats]:
    """The four cells of each label as items drawn anew would give them (resample, label, cell), block by block."""
    cells, weight, items = set_patterns(sets)
    for often in pattern_weights(items, resamples, seed, cells=4 * len(sets.labels)):
        weighed = often * weight
        tp, fp, fn = ((part.T @ weighed.T).T for part in cells)
        total = weighed.sum(axis=1, keepdims=True)
        tn = total - tp - fp - fn
        tn[tn < LEFT_BY_ROUNDING * total] = 0.0
        yield np.stack([tp, fp, fn, tn], axis=-1)


#: Measures asked for, in whatever way.
Measures: TypeAlias = Iterable[str | Measure] | str | Measure | None
#: Counts that a confusion matrix has in it.
LABEL_COUNTS: tuple[type, ...] = (Confusion, ConfusionMatrix)


def measure_of(name: str | Measure, task: str) -> Measure:
    """A measure by the name that it has for such a task.

    Where items have several labels there is no matrix: accuracy and the error rate are then those of all decisions
    about labels, which is why the latter is also called Hamming loss.

    >>> measure_of("HammingLoss", "multilabel")
    ErrorRate(average='micro')
    >>> measure_of("ErrorRate(average='micro')", "multilabel")  # as it is printed
    ErrorRate(average='micro')
    """
    if isinstance(name, Measure) or task != "multilabel":
        return parse_measure(name, "binary" if task == "binary" else "multiclass")
    try:
        measure = parse_measure(name, "multiclass")
    except ParameterError as problem:  # a measure of the matrix has no average, the one of decisions has
        try:
            return parse_measure(name, "binary")
        except ParameterError:
            raise problem from None
    if measure.definition.counts is not ConfusionMatrix:
        return measure
    other = parse_measure(name, "binary")
    return other(average="micro") if other.parameters.get("average") == "binary" else other


def counts_of(
    predictions: Predictions, labels: Sequence[Any], positive: Any = None, measures: Iterable[Measure] = ()
) -> dict[type, Any]:
    """The counts that there are: the confusion matrix, if something is predicted, what scores give; sets of labels.

    Probabilities are among them if one of the `measures` needs them.
    """
    if predictions.kind == "multilabel":
        return {LabelSets: LabelSets.from_predictions(replace(predictions, labels=tuple(labels)))}
    weight = predictions.weight
    counts: dict[type, Any] = {}
    if predictions.prediction is not None:
        counts[ConfusionMatrix] = ConfusionMatrix.from_labels(
            predictions.truth, predictions.prediction, labels=labels, pos_label=positive, sample_weight=weight
        )
    if predictions.score is not None and positive is not None:
        counts[Scored] = Scored.from_scores(
            predictions.truth == positive, predictions.score, pos_label=True, sample_weight=weight
        )
    if _has_scores(predictions) and any(measure.definition.counts is Probabilities for measure in measures):
        counts[Probabilities] = Probabilities.from_predictions(predictions)
    return counts


def _has_scores(predictions: Predictions) -> bool:
    """True if there are scores, and one label per item."""
    if predictions.kind == "multilabel":
        return False
    return predictions.score is not None or bool(predictions.class_scores)


def why_no_probabilities(predictions: Predictions) -> str | None:
    """The reason why scores are no probabilities, None if they are: 0 to 1 and, one per class, adding up to 1.

    >>> why_no_probabilities(Predictions.of([0, 1], y_score=[-1.5, 0.5]))
    'scores go from -1.5 to 0.5'
    """
    columns = list(predictions.class_scores.values()) or ([] if predictions.score is None else [predictions.score])
    scores = np.column_stack([column.to_numpy() for column in columns])
    if not ((scores >= 0) & (scores <= 1)).all():
        return f"scores go from {scores.min():g} to {scores.max():g}"
    total = scores.sum(axis=1)
    off = np.flatnonzero(np.abs(total - 1) > SLACK)
    if not predictions.class_scores or not len(off):
        return None
    return f"scores of item {off[0] + 1} add up to {total[off[0]]:g}"


def left_aside(usual: Iterable[str], task: str, predictions: Predictions) -> tuple[str, ...]:
    """Say which of the usual measures are not computed as scores are no probabilities.

    >>> left_aside(["AUC", "LogLoss"], "binary", Predictions.of([0, 1], y_score=[-1.5, 0.5], name="old"))
    ('old: LogLoss is left out, as it needs probabilities: scores go from -1.5 to 0.5',)
    """
    reason = why_no_probabilities(predictions) if _has_scores(predictions) else None
    if reason is None:
        return ()
    names = [str(measure) for measure in (measure_of(name, task) for name in usual) if _needs_probabilities(measure)]
    is_left = "is left out, as it needs" if len(names) == 1 else "are left out, as they need"
    return (f"{predictions.name}: {joined(names)} {is_left} probabilities: {reason}",) if names else ()


def _needs_probabilities(measure: Measure) -> bool:
    return measure.definition.counts is Probabilities and measure.name not in OF_ANY_SCORES


def names_in(measures: Measures) -> list[str | Measure] | None:
    """The measures asked for, one by one; None if none was.

    >>> names_in("Recall,F1")
    ['Recall', 'F1']
    """
    names = None if measures is None else each_measure(measures)
    if names is not None and not names:
        raise ParameterError("there is no measure to compute")
    return names


def measures_of(
    measures: Measures, usual: Iterable[str], task: str, predictions: Predictions | None
) -> tuple[Measure, ...]:
    """The measures asked for; or those of the usual ones for which predictions (None: a matrix) have what they need.

    >>> measures_of(None, ["Recall", "AUC"], "binary", Predictions.of([0, 1], [1, 1]))
    (Recall,)
    """
    names = names_in(measures)
    if names is not None:
        return tuple(dict.fromkeys(measure_of(name, task) for name in names))
    able: set[type] = set()
    if predictions is None or predictions.prediction is not None:
        able |= {Confusion, ConfusionMatrix}
    if predictions is not None and _has_scores(predictions):
        able |= {Scored} if predictions.score is not None else set()
        able |= {Probabilities}
    known = [measure_of(name, task) for name in usual]
    able_to = [measure for measure in known if measure.definition.counts in able]
    if Probabilities in able and predictions is not None and why_no_probabilities(predictions) is not None:
        able_to = [measure for measure in able_to if not _needs_probabilities(measure)]
    return tuple(able_to)


def computed(measure: Measure, counts: Mapping[type, Any], name: str, undefined: Undefined = "counted_as") -> PerUnit:
    """One number for the table, or one an item, with the reason where there is none."""
    kind = measure.definition.counts
    if LabelSets in counts:
        return of_label_sets(measure, counts[LabelSets], undefined)
    if kind in LABEL_COUNTS:
        return overall(measure, counts[ConfusionMatrix], undefined)
    if kind is Scored and len(counts[ConfusionMatrix].labels if ConfusionMatrix in counts else ()) > 2:
        raise ParameterError(f"{measure} is about two labels, and {name} has more: take one class against all others")
    if kind not in counts:
        raise ParameterError(f"{measure} is computed from scores, and {name} has none that it could use")
    return measure.per_unit(counts[kind])


def bounds_of(measure: Measure, *, two_labels: bool) -> tuple[float, float] | None:
    """The smallest and the largest number that a measure can give; of two labels Brier's score is at most 1.

    >>> bounds_of(measure_of("Brier", "binary"), two_labels=True)
    (0.0, 1.0)
    """
    return (0.0, 1.0) if two_labels and measure.name == "Brier" else measure.definition.bounds


def gaps_of(measure: Measure, result: PerUnit, counts: Mapping[type, Any], undefined: Undefined = "counted_as") -> Gaps:
    """The classes, or items, in which a measure is undefined: what its mean counts them as, or that it leaves them out.

    >>> matrix = ConfusionMatrix.from_matrix([[5, 0], [3, 0]], ["a", "b"])  # b is never predicted
    >>> counts, precision = {ConfusionMatrix: matrix}, measure_of("Precision", "multiclass")
    >>> gaps_of(precision, computed(precision, counts, "mine"), counts)[:4]
    ('class', ('b',), 0.0, ())
    """
    if is_over_items(measure, counts):
        held = counts.get(LabelSets, counts.get(measure.definition.counts))
        return Gaps.of("item", held.units, result, item_values(measure, result, counts, undefined))
    if measure.definition.counts not in LABEL_COUNTS:
        return Gaps()
    if measure.definition.counts is Confusion:
        return _gaps_of_average(measure, counts, undefined)
    matrix: ConfusionMatrix = counts[ConfusionMatrix]
    items = np.array([matrix.table[matrix.place(label)].sum() for label in matrix.labels])
    named = left_out(measure, result, matrix.labels, items)
    return Gaps(left_out=tuple(name for name in named if name in {str(label) for label in matrix.classes}))


def _gaps_of_average(measure: Measure, counts: Mapping[type, Any], undefined: Undefined) -> Gaps:
    """The classes without a number; by weight, those without items have no part in the average anyway."""
    average = measure.parameters.get("average")
    if average not in {"macro", "weighted"}:
        return _gaps_of_number(measure, counts, undefined)
    classes: Confusion = counts[LabelSets].per_label() if LabelSets in counts else counts[ConfusionMatrix].per_class()
    result = measure.per_unit(classes)
    gaps = Gaps.of("class", classes.units, result, as_counted(measure, classes, result, undefined))
    if average == "macro":
        return gaps
    with_items = {unit for unit, items in zip(classes.units, classes.tp + classes.fn, strict=True) if items}
    counted, left = (tuple(unit for unit in units if unit in with_items) for units in (gaps.counted, gaps.left_out))
    return gaps._replace(counted=counted, left_out=left)


def _gaps_of_number(measure: Measure, counts: Mapping[type, Any], undefined: Undefined) -> Gaps:
    """The value of a number that is no mean, where it has none and 0 or 1 was asked for."""
    if not is_as_asked(measure, undefined):
        return Gaps()
    asked, by_itself = (computed(measure, counts, "", policy) for policy in (undefined, "counted_as"))
    return Gaps.of("table", ("all",), by_itself, asked.values)


def item_values(
    measure: Measure, result: PerUnit, counts: Mapping[type, Any], undefined: Undefined = "counted_as"
) -> Floats:
    """The numbers of items as their mean takes them, NaN where they are left out.

    >>> counts = {LabelSets: LabelSets.from_labels([["a"], ["b"], []], [["a"], [], []])}
    >>> precision, f = (measure_of(f"{name}(average='samples')", "multilabel") for name in ("Precision", "F"))
    >>> [item_values(each, computed(each, counts, "mine"), counts) for each in (precision, f)]
    [array([1., 0., 0.]), array([1., 0., 1.])]
    """
    if LabelSets not in counts:
        return result.values
    return as_counted(measure, counts[LabelSets].per_item(), result, undefined)


def is_over_items(measure: Measure, counts: Mapping[type, Any]) -> bool:
    """True if a measure has one number per item, of which the mean is taken."""
    if LabelSets in counts:
        return is_per_item(measure)
    return measure.definition.counts is Probabilities and measure.definition.summary == "mean"


def weights_of_items(counts: Mapping[type, Any], measure: Measure) -> Floats | None:
    """The weights of a measure's items, None if all weigh the same."""
    held = counts.get(LabelSets, counts.get(measure.definition.counts))
    weight: Floats | None = getattr(held, "weight", None)
    return weight


def mean_of_known(values: Sequence[float] | Floats) -> float:
    """The mean of the numbers that there are; NaN if there is none."""
    known = np.asarray(values)[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def mean_of(
    measure: Measure, result: PerUnit, counts: Mapping[type, Any], undefined: Undefined = "counted_as"
) -> float:
    """The number of the whole table: of items, the mean over those that count, by weight."""
    if not is_over_items(measure, counts):
        return float(result.values[0])
    weight = weights_of_items(counts, measure)
    values = item_values(measure, result, counts, undefined)
    known = ~np.isnan(values)
    weight = known.astype(np.float64) if weight is None else np.where(known, weight, 0.0)
    total = weight.sum()
    return float(np.where(known, values * weight, 0.0).sum() / total) if total else np.nan


#: From this share of one label on, always predicting it looks so good that accuracy is no headline.
IMBALANCED = 0.80
#: What leads then: it is 0 for every guess, however common a label is.
LEADING = "MCC"
#: And where that is undefined, as for a classifier that predicts one label only: one half, or less, for every guess.
SPARE = "BalancedAccuracy"


def imbalance_of(truth: Predictions | ConfusionMatrix) -> tuple[str, float] | None:
    """The label that most items have and its share, if accuracy misleads for that; None for several labels an item.

    >>> imbalance_of(Predictions.of([0, 0, 0, 0, 1], [0, 0, 0, 1, 1])), imbalance_of(Predictions.of([0, 1], [0, 1]))
    (('0', 0.8), None)
    """
    if isinstance(truth, ConfusionMatrix):
        labels = list(truth.labels)
        support = truth.table.sum(axis=1).astype(np.float64)
    elif truth.kind == "multilabel":
        return None
    else:
        counted = pl.len() if truth.weight is None else pl.col("weight").sum()
        columns = {"label": truth.truth} | ({} if truth.weight is None else {"weight": truth.weight})
        groups = pl.DataFrame(columns).group_by("label", maintain_order=True).agg(support=counted)
        labels = groups["label"].to_list()
        support = groups["support"].to_numpy().astype(np.float64)
    if not len(support) or not support.sum() > 0:
        return None
    share = float(support.max() / support.sum())
    return (str(labels[int(support.argmax())]), share) if share >= IMBALANCED else None


def four_cells(matrix: ConfusionMatrix) -> tuple[float, float, float, float]:
    """TP, FP, FN and TN of the positive label.

    >>> four_cells(ConfusionMatrix.from_matrix([[9, 1], [2, 8]], ["ill", "well"], pos_label="ill"))
    (9.0, 2.0, 1.0, 8.0)
    """
    counted = matrix.positive_class()
    tp, fp, fn = (float(cell[0]) for cell in (counted.tp, counted.fp, counted.fn))
    return tp, fp, fn, 0.0 if counted.tn is None else float(counted.tn[0])


def predictive_values(matrix: ConfusionMatrix, prevalences: Sequence[float]) -> pl.DataFrame:
    """Positive and negative predictive value at each prevalence; null where a rate is not known.

    >>> matrix = ConfusionMatrix.from_matrix([[9, 1], [2, 8]], ["ill", "well"], pos_label="ill")
    >>> predictive_values(matrix, [0.1]).rows()  # 0.09 / (0.09 + 0.18), 0.72 / (0.72 + 0.01)
    [(0.1, 0.3333, 0.9863)]
    """
    tp, fp, fn, tn = four_cells(matrix)
    rows = []
    for prevalence in prevalences:
        Real(0, 1, inside=True).check("prevalence", prevalence)
        ppv = npv = None
        if tp + fn and fp + tn:
            tpr, tnr = tp / (tp + fn), tn / (fp + tn)
            ppv = _share(tpr * prevalence, (1 - tnr) * (1 - prevalence))
            npv = _share(tnr * (1 - prevalence), (1 - tpr) * prevalence)
        rows.append((float(prevalence), ppv, npv))
    schema = {"prevalence": pl.Float64, "PPV": pl.Float64, "NPV": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _share(right: float, wrong: float) -> float | None:
    return right / (right + wrong) if right + wrong else None


def unit_scores(system: str, measure: Measure, result: PerUnit, counts: Mapping[type, Any]) -> pl.DataFrame:
    """The rows of `Scores` for one system and measure.

    >>> from assay.measures import parse_measure
    >>> matrix = ConfusionMatrix.from_matrix([[5, 0], [1, 3]], ["a", "b"])
    >>> recall = parse_measure("Recall", "multiclass")
    >>> unit_scores("one", recall, recall.per_unit(matrix), {ConfusionMatrix: matrix})["unit"].to_list()
    ['a', 'b']
    """
    unit_kind = "table"
    units = ("all",)
    if is_over_items(measure, counts):
        held = counts.get(LabelSets, counts.get(measure.definition.counts))
        unit_kind = "item"
        units = held.units
    elif measure.parameters.get("average") in {"macro", "weighted"}:
        classes = counts[LabelSets].per_label() if LabelSets in counts else counts[ConfusionMatrix].per_class()
        unit_kind = "class"
        units = classes.units
        result = measure.per_unit(classes)
    return Scores.rows(system, measure, unit_kind, units, result)
