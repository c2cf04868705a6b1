"""Measures of a whole confusion matrix, on `ConfusionMatrix`; and averages of those of its classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay.core.errors import ParameterError
from assay.core.evaluation_options import Undefined
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.confusion_matrix import ConfusionMatrix
from assay.measures.counting.judgments import Floats, Ints, Mask
from assay.measures.definition import Adjusted, Beta, Weights, WeightsName
from assay.measures.registry import Measure, measure
from assay.measures.sets import square_of_beta
from assay.measures.steps import PerUnit, Steps, quantity
from assay.measures.undefined import as_asked, as_counted

NO_ITEM = "there is no item"
#: Less than any share of items, and more than nothing, so that 0 is divided by it.
_TINY = 1e-300

ONE_LABEL = "all items have one label, in truth and as predicted"


@measure(aliases=("ACC",), sklearn="accuracy_score", proportion=True)
def Accuracy(matrix: ConfusionMatrix) -> PerUnit:
    r"""Accuracy: the share of the items that is predicted rightly.

    .. math:: \frac{1}{N} \sum_k n_{kk}

    Where each item has one label, precision, recall and F have it as their micro average.

    >>> Accuracy.of(ConfusionMatrix.from_matrix([[5, 0, 0], [1, 3, 0], [1, 2, 4]]))  # 12 / 16
    array([0.75])
    """
    classes = _classes(matrix)
    return classes.sum("right") / _items(classes)


@measure(
    aliases=("ERR", "Error", "ZeroOneLoss", "HammingLoss"),
    sklearn="zero_one_loss",
    proportion=True,
    higher_is_better=False,
)
def ErrorRate(matrix: ConfusionMatrix) -> PerUnit:
    r"""Error rate: the share of the items that is predicted wrongly.

    .. math:: 1 - \frac{1}{N} \sum_k n_{kk}

    >>> ErrorRate.of(ConfusionMatrix.from_matrix([[5, 0, 0], [1, 3, 0], [1, 2, 4]]))  # 4 / 16
    array([0.25])
    """
    classes = _classes(matrix)
    return (_items(classes) - classes.sum("right")) / _items(classes)


@measure(aliases=("BA",), bounds=(-1.0, 1.0), sklearn="balanced_accuracy_score")
def BalancedAccuracy(matrix: ConfusionMatrix, *, adjusted: Adjusted = False) -> PerUnit:
    r"""Balanced accuracy: the mean of the recall of all classes, so that each weighs the same, rare or common.

    .. math:: \frac{1}{K} \sum_k \frac{n_{kk}}{t_k}

    :math:`t_k` is how many items of class *k* there are. Classes without any are left out. `adjusted` makes a choice at
    random 0: the number is put between :math:`1/K` and 1; with one class only it is then undefined.

    >>> BalancedAccuracy.of(ConfusionMatrix.from_matrix([[5, 0, 0], [1, 3, 0], [1, 2, 4]]))  # (5/5 + 3/4 + 4/7) / 3
    array([0.7738])
    """
    mean = _mean_share(_classes(matrix), "true", "recall", NO_ITEM)
    if not adjusted:
        return mean
    by_chance = 1.0 / mean.operands[1]
    return (mean - by_chance) / (1.0 - by_chance).saying("there is one class only")


@measure(
    aliases=("MatthewsCorrelation", "phi", "RK"), bounds=(-1.0, 1.0), sklearn="matthews_corrcoef", cites="matthews1975"
)
def MCC(matrix: ConfusionMatrix) -> PerUnit:
    r"""Matthews correlation coefficient of true and predicted labels, for two classes or more (Gorodkin's R_K).

    .. math:: \frac{N \sum_k n_{kk} - \sum_k t_k p_k}{\sqrt{N^2 - \sum_k t_k^2} \sqrt{N^2 - \sum_k p_k^2}}

    :math:`t_k`: items of class *k*; :math:`p_k`: items predicted to be. 1 if all are right, around 0 by chance. With
    two classes the smallest value is -1, with more it is above. Undefined if all items have one label, or if all are
    predicted to have one. (Others say 0 there, by convention.)

    >>> MCC.of(ConfusionMatrix.from_matrix([[4, 1], [1, 4]]))  # (10 * 8 - 50) / (100 - 50)
    array([0.6])
    """
    classes = _classes(matrix)
    correlation = _items(classes) * classes.sum("right") - _sum_of_products(classes, "true", "predicted")
    spreads = (("true", "all items have one label"), ("predicted", "all items are predicted to have one label"))
    for column, one_only in spreads:
        # The sum of this very column, squared: of a single class nothing is left, whatever the weights are.
        items = classes.sum(column)
        spread = items * items - _sum_of_products(classes, column, column)
        correlation = correlation / spread.saying(f"{one_only} (0 by convention)").sqrt()
    return correlation


@measure(aliases=("CohenKappa",), bounds=(-1.0, 1.0), sklearn="cohen_kappa_score", cites="cohen1960")
def Kappa(matrix: ConfusionMatrix, *, weights: Weights = "none") -> PerUnit:
    r"""Cohen's kappa: agreement of true and predicted labels, beyond what chance would give.

    .. math:: \frac{p_o - p_e}{1 - p_e} = 1 - \frac{\sum_{kl} w_{kl}\, n_{kl}}{\sum_{kl} w_{kl}\, t_k\, p_l / N}

    :math:`p_o` is accuracy, :math:`p_e` what chance would give with as many items of each class, true and predicted.
    Where the classes are in an order (grades), `weights` make a mistake worse the further off it is: by
    :math:`w_{kl} = |k - l|` (`linear`) or :math:`(k - l)^2` (`quadratic`) instead of 1. Undefined if all items have one
    label, both in truth and as predicted.

    >>> Kappa.of(ConfusionMatrix.from_matrix([[5, 0, 0], [1, 3, 0], [1, 2, 4]]))  # (16 * 12 - 83) / (16^2 - 83)
    array([0.6301])
    """
    classes = _classes(matrix)
    items = _items(classes)
    if weights == "none":
        by_chance = _sum_of_products(classes, "true", "predicted")
        return (items * classes.sum("right") - by_chance) / (items * items - by_chance).saying(ONE_LABEL)
    observed, expected = _disagreement(matrix, weights)
    return 1.0 - items * quantity("disagreement", observed) / quantity("disagreement by chance", expected, ONE_LABEL)


@measure(aliases=("F1OfMeans", "MacroF1OfMeans"))
def FOfMeans(matrix: ConfusionMatrix, *, beta: Beta = 1.0) -> PerUnit:
    r"""F of the means: the F of macro precision and macro recall, the other number that is called macro F1.

    .. math:: \frac{(1 + \beta^2)\, \bar{P}\, \bar{R}}{\beta^2 \bar{P} + \bar{R}}, \quad
              \bar{P} = \frac{1}{K} \sum_k P_k, \quad \bar{R} = \frac{1}{K} \sum_k R_k

    The usual macro F1, `F(average='macro')`, is the mean of the F of all classes. This one is never smaller for beta 1,
    and hides it if classes have precision at the cost of recall and others the reverse. Classes without items have no
    recall, and are left out of that mean; the precision of a class that has items and is never predicted counts as 0.
    Where nothing is right, both means are 0, and so is F.

    >>> FOfMeans.of(ConfusionMatrix.from_matrix([[4, 4], [0, 2]]))  # P = (1 + 1/3) / 2, R = (1/2 + 1) / 2
    array([0.7059])
    """
    classes = _classes(matrix)
    precision = _mean_share(classes, "predicted", "precision", "nothing is predicted")
    recall = _mean_share(classes, "true", "recall", NO_ITEM)
    if (square := square_of_beta(beta)) is None:
        return recall
    precision, recall = precision.named("mean precision"), recall.named("mean recall")
    both = (1 + square) * precision * recall
    # Where nothing is right, both means are 0, and so is F.
    weight = "" if square == 1 else f"{square:g} × "
    return both / (square * precision + recall).at_least(_TINY).named(f"({weight}mean precision + mean recall)")


@measure(aliases=("NIR", "NoInformationRate"), higher_is_better=None)
def MajorityShare(matrix: ConfusionMatrix) -> PerUnit:
    r"""Majority share, the no-information rate: the accuracy of whoever always predicts the most common class.

    .. math:: \frac{1}{N} \max_k t_k

    Accuracy that is not above it shows no skill.

    >>> MajorityShare.of(ConfusionMatrix.from_matrix([[5, 0, 0], [1, 3, 0], [1, 2, 4]]))  # 7 / 16
    array([0.4375])
    """
    classes = _classes(matrix)
    return classes.max("true") / _items(classes)


def _classes(matrix: ConfusionMatrix) -> Steps:
    """Items of each class, predicted to be of it, and both: one row per class, unit by unit."""
    columns: dict[str, Floats | Ints] = {"class": np.tile(np.arange(len(matrix.labels)), len(matrix.units))}
    for name, margin in zip(("true", "predicted", "right"), matrix.margins, strict=True):
        columns[name] = margin.ravel().astype(np.float64)
    unit = np.repeat(np.arange(len(matrix.units)), len(matrix.labels))
    return Steps(unit, len(matrix.units), columns, "classes")


def _items(classes: Steps) -> PerUnit:
    return classes.sum("true", NO_ITEM)


def _sum_of_products(classes: Steps, left: str, right: str) -> PerUnit:
    name = f"{left} × {right}"
    return classes.with_columns(**{name: classes[left] * classes[right]}).sum(name)


def _mean_share(classes: Steps, of: str, name: str, none: str) -> PerUnit:
    """The mean over classes of what is right, as a share of another column; classes that occur nowhere are left out."""
    # Of a class that has items and is never predicted, no prediction is right: that counts as 0.
    kept = classes.where((classes[of] > 0) | (classes["true"] > 0))
    share = kept["right"] / np.maximum(kept[of], _TINY)
    kept = kept.with_columns(**{name: share, "counted": np.ones(len(kept.unit))})
    kept = kept.meaning(**{name: f"right / {of}", "counted": "1 for a class with such items"})
    return kept.sum(name) / kept.sum("counted", none)


def _disagreement(matrix: ConfusionMatrix, weights: WeightsName) -> tuple[Floats, Floats]:
    """The sum of disagreements of predictions, and the one by chance, times the number of items."""
    places = np.arange(len(matrix.labels), dtype=np.float64)
    apart = np.abs(places[:, None] - places) ** (1 if weights == "linear" else 2)
    true, predicted = (matrix.tables.sum(axis=axis).astype(np.float64) for axis in (2, 1))
    observed: Floats = np.tensordot(matrix.tables, apart, axes=2)
    expected: Floats = ((true @ apart) * predicted).sum(axis=1)
    return observed, expected


#: Why there is no average where no class has a number.
NO_CLASS = "it is undefined for every class"
#: Why there is no average by weight where those that have one weigh nothing.
NO_ITEMS = "it is undefined for every class that has items"


def is_of_margins(measure: Measure) -> bool:
    """True if a measure asks a matrix for its sums and its diagonal alone: all here do, but for weighted kappa.

    >>> is_of_margins(MCC), is_of_margins(Kappa(weights="linear"))
    (True, False)
    """
    if measure.definition.counts is Confusion:
        return True
    return measure.definition.function.__module__ == __name__ and measure.parameters.get("weights", "none") == "none"


def overall(measure: Measure, matrix: ConfusionMatrix, undefined: Undefined = "counted_as") -> PerUnit:
    """One number for each table of the matrix, by the measure's `average`, with the reason where there is none.

    `macro`: the mean over classes, those without a number counted by the policy `undefined`; `weighted`: the same, each
    class weighing as much as it has true items; `micro`: the formula on counts summed over classes; `binary`: the
    positive class alone. Counts, such as `TP`, are added up over classes.

    >>> from assay.measures import parse_measure
    >>> matrix = ConfusionMatrix.from_matrix([[5, 0, 0], [1, 3, 0], [1, 2, 4]], ["a", "b", "c"])
    >>> overall(parse_measure("Recall", "multiclass"), matrix).values  # (5/5 + 3/4 + 4/7) / 3
    array([0.7738])
    """
    if measure.definition.counts is ConfusionMatrix:
        return measure.per_unit(matrix)
    if measure.definition.counts is not Confusion:
        raise ParameterError(f"{measure} is computed from {measure.definition.counts.__name__}, not a confusion matrix")
    average = measure.parameters.get("average", "binary" if matrix.positive is not None else "macro")
    if average == "binary":
        return as_asked(measure, measure.per_unit(matrix.positive_class()), undefined)
    if average == "samples":
        raise ParameterError(f"{measure}: the average over items is for items with several labels each")
    return averaged(measure, matrix.per_class(), matrix.units, undefined)


def averaged(
    measure: Measure,
    classes: Confusion,
    units: tuple[str, ...] = ("all",),
    undefined: Undefined = "counted_as",
) -> PerUnit:
    """One number for each unit, by the measure's `average`, from right and wrong decisions about the classes of each.

    >>> from assay.measures import parse_measure
    >>> cells = (np.array(cell) for cell in ([1, 1], [0, 0], [0, 1], [1, 0]))
    >>> classes = Confusion(("a", "b"), *cells, "class")
    >>> averaged(parse_measure("Recall", "multiclass"), classes).values  # (1/1 + 1/2) / 2
    array([0.75])
    """
    average = measure.parameters.get("average", "macro")
    shape = (len(units), len(classes.units) // len(units))
    if average == "micro":
        return as_asked(measure, measure.per_unit(_summed(classes, units, shape)), undefined)
    result = measure.per_unit(classes)
    if measure.definition.summary == "sum":
        return _steps(shape, np.ones(shape, dtype=np.bool_), value=result.values).sum("value")
    values = as_counted(measure, classes, result, undefined).reshape(shape)
    by_items = (classes.tp + classes.fn).reshape(shape).astype(np.float64) if average == "weighted" else None
    overall = _mean(values) if by_items is None else _weighted(values, by_items)
    return overall if measure.definition.bounds is None else overall.within(*measure.definition.bounds)


def left_out(measure: Measure, result: PerUnit, labels: Sequence[str], items: Floats) -> tuple[str, ...]:
    """The classes without a number that an average over classes leaves out; those without items weigh nothing anyway.

    `labels` and `items`: the classes of the table that `result` is the number of, and how many items each has.

    >>> from assay.measures import parse_measure
    >>> matrix = ConfusionMatrix.from_matrix([[5, 1], [0, 0]], ["a", "b"])  # no item is b
    >>> recall = parse_measure("Recall", "multiclass")
    >>> left_out(recall, overall(recall, matrix), matrix.labels, matrix.table.sum(axis=1))
    ('b',)
    """
    parts = [leaf.steps for leaf in result.leaves() if leaf.steps is not None and leaf.steps.says == "classes"]
    counted = [set(part.columns["class"].tolist()) for part in parts]
    weighted = measure.parameters.get("average") == "weighted"
    return tuple(
        str(label)
        for place, label in enumerate(labels)
        if any(place not in places for places in counted) and (items[place] or not weighted)
    )


class Averages(NamedTuple):
    """A measure's number for each class, and all averages over them; NaN where there is none.

    `taken`: the numbers of classes as averages take them, NaN where they are left out.
    """

    classes: Floats
    macro: float
    micro: float
    weighted: float
    taken: Floats


def averages(
    measures: Sequence[Measure], matrix: ConfusionMatrix, undefined: Undefined = "counted_as"
) -> dict[Measure, Averages]:
    """Numbers of classes and all averages of them at once, for a single table: each formula is computed once.

    It is what `overall` gives average by average, with its steps, in a fraction of the time.

    >>> from assay.measures import parse_measure
    >>> recall = parse_measure("Recall", "multiclass")
    >>> matrix = ConfusionMatrix.from_matrix([[5, 0, 0], [1, 3, 0], [1, 2, 4]], ["a", "b", "c"])
    >>> averages([recall], matrix)[recall].classes
    array([1.    , 0.75  , 0.5714])
    """
    if len(matrix.units) > 1:
        raise ParameterError(f"there are {len(matrix.units)} tables, one per unit; `overall` takes several")
    if not measures:
        return {}
    for asked in measures:
        if asked.definition.counts is not Confusion or asked.definition.summary != "mean":
            raise ParameterError(f"{asked} is not averaged over classes")
    # The counts of all classes together are one more class: the micro average is its number.
    cells = np.concatenate(matrix.class_cells(), dtype=np.float64)
    cells = np.concatenate([cells, np.add.reduce(cells, 1, keepdims=True)], axis=1)
    both = Confusion.of_classes((*map(str, matrix.classes), "micro"), cells)
    results = [measure.per_unit(both) for measure in measures]
    values = np.array([result.values for result in results])
    of_classes = values[:, :-1]
    micro = np.array([as_asked(*pair, undefined).values[-1] for pair in zip(measures, results, strict=True)])
    taken = of_classes
    if np.isnan(of_classes).any():
        pairs = zip(measures, results, strict=True)
        taken = np.array([as_counted(measure, both, result, undefined)[:-1] for measure, result in pairs])
    missing = np.isnan(taken)
    weight = (both.tp + both.fn)[:-1]
    # Numbers, 0 where one is missing, and which are there: both are added up alike.
    summed = np.array([taken, ~missing])
    summed[0, missing] = 0.0
    macro = _quotients(np.add.reduce(summed, 2))
    weighted = _quotients(summed @ weight)
    return dict(zip(measures, map(Averages, of_classes, macro, micro.tolist(), weighted, taken), strict=True))


def _quotients(both: Floats) -> list[float]:
    """Sums over how many, or how much, was summed up; NaN where that is nothing."""
    return [total / weight if weight else math.nan for total, weight in zip(*both.tolist(), strict=True)]


def _summed(classes: Confusion, units: tuple[str, ...], shape: tuple[int, int]) -> Confusion:
    """The four cells, summed over the classes of each unit."""
    tp, fp, fn = (cell.reshape(shape).sum(axis=1) for cell in (classes.tp, classes.fp, classes.fn))
    tn = None if classes.tn is None else classes.tn.reshape(shape).sum(axis=1)
    return Confusion(units, tp, fp, fn, tn, ConfusionMatrix.unit_kind)


def _mean(values: Floats) -> PerUnit:
    """The mean over classes (columns) that have a number."""
    known = ~np.isnan(values)
    steps = _steps(values.shape, known, value=values[known])
    return steps.sum("value") / quantity("classes with a number", known.sum(axis=1), when_zero=NO_CLASS)


def _weighted(values: Floats, weight: Floats) -> PerUnit:
    """The same, each class weighing as much as it has true items."""
    known = ~np.isnan(values)
    items = weight[known]
    steps = _steps(values.shape, known, value=values[known], items=items, contribution=values[known] * items)
    total = np.where(known, weight, 0.0).sum(axis=1)
    weighed = steps.meaning(contribution="value × items").sum("contribution")
    return weighed / quantity("items of classes with a number", total, when_zero=NO_ITEMS)


def _steps(shape: tuple[int, ...], known: Mask, **columns: Floats) -> Steps:
    """A row for each class that has a number, by unit."""
    unit, place = np.nonzero(known)
    return Steps(unit, shape[0], {"class": place, **columns}, says="classes")
