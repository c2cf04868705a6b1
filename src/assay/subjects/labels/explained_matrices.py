"""Numbers of confusion matrices and of thresholds, taken apart."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import polars as pl

from assay.core.arguments import argument
from assay.core.digits import NOT_AVAILABLE, short, significant
from assay.core.errors import ParameterError, number_of
from assay.measures import parse_measure
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.confusion_matrix import ConfusionMatrix
from assay.measures.counting.judgments import Floats
from assay.measures.counting.scored import Scored
from assay.measures.over_classes import overall
from assay.measures.registry import LabelCounts, Measure
from assay.measures.steps import PerUnit
from assay.measures.summary import escaped
from assay.measures.vocabularies import Vocabulary, by_name
from assay.verbs.explanation.numbers import (
    PAGE,
    PAGE_OF_THRESHOLDS,
    View,
    explained,
    matrix_table,
    number_of_unit,
    summarised,
)
from assay.verbs.explanation.place import Place
from assay.verbs.explanation.result import Explanation, StepTable, counts_named, formula, step_tables

_AVERAGES = ("macro", "micro", "weighted")
#: The other thing that is called macro F1.
_OF_MEANS = "FOfMeans"


def other_averages(measure: Measure, matrix: ConfusionMatrix, average: str) -> Iterator[str]:
    """What the other averages come to.

    >>> from assay.measures import parse_measure
    >>> matrix = ConfusionMatrix.from_matrix([[5, 0, 0], [1, 3, 0], [1, 2, 4]], ["a", "b", "c"])
    >>> list(other_averages(parse_measure("Recall", "multiclass"), matrix, "macro"))
    ['other averages: micro 0.7500, weighted 0.7500']
    """
    if "average" in measure.parameters and measure.definition.summary == "mean":
        values = {name: overall(measure(average=name), matrix) for name in _AVERAGES if name != average}
        yield "other averages: " + ", ".join(
            f"{name} {_shown(float(result.values[0]))}" for name, result in values.items()
        )
    of_means = by_name(_OF_MEANS, measure.definition.vocabulary)
    if measure.name == "F" and of_means is not None:
        shared = {name: value for name, value in measure.chosen.items() if name in of_means.parameters}
        value = float(overall(of_means(**shared), matrix).values[0])
        yield (
            f"{_OF_MEANS}, which is called macro F too: F of the macro averages of precision and recall: "
            f"{_shown(value)}"
        )


def _shown(value: float) -> str:
    return NOT_AVAILABLE if math.isnan(value) else short(value)


_CELLS = ("tp", "fp", "fn", "tn")


def label_measure(measure: str | Measure, vocabulary: Vocabulary) -> Measure:
    """A measure as classifiers of two labels, or of more, understand it.

    >>> label_measure("F1", "multiclass"), label_measure(parse_measure("MCC", "multiclass"), "binary").definition.counts
    (F, <class 'assay.measures.counting.confusion.Confusion'>)
    """
    if isinstance(measure, Measure) and measure.definition.vocabulary == "ranking":
        raise ParameterError(f"{measure} is a measure of rankings: give the name that classifiers have for it as text")
    if isinstance(measure, Measure) and measure.definition.vocabulary == vocabulary:
        return measure
    return parse_measure(str(measure), vocabulary)


def of_matrix(measure: str | Measure, matrix: ConfusionMatrix, chosen: Place, view: View) -> Explanation:
    """One class of a matrix, or what is made of all classes.

    >>> matrix = ConfusionMatrix.from_matrix([[5, 0, 0], [1, 3, 0], [1, 2, 4]], ["a", "b", "c"])
    >>> of_matrix("Recall", matrix, Place(label="b"), View(None, False)).formula.numbers
    '3 / 4'
    """
    chosen.refuse("is about single items: a matrix has none", "item")
    chosen.refuse("is about scores: a matrix has none", "threshold")
    one_class = chosen.label is not None or matrix.positive is not None
    wanted = label_measure(measure, "binary" if one_class else "multiclass")
    whole = matrix_table(matrix, "matrix", chosen.orientation)
    if wanted.definition.counts is not Confusion:
        if chosen.label is not None:
            raise ParameterError(f"{wanted} is one number for all classes: leave out the class")
        return explained(wanted, matrix, overall(wanted, matrix), 0, view, before=[whole])
    average = wanted.parameters.get("average", "binary" if one_class else "macro")
    if chosen.label is not None and average != "binary":
        raise ParameterError(f"{wanted} is an average over classes: leave out the average, or the class")
    if average != "binary":
        explanation = of_all_classes(wanted, matrix.per_class(), overall(wanted, matrix), view)
        remarks = tuple(other_averages(wanted, matrix, average))
        return replace(explanation, steps=(whole, *explanation.steps), remarks=remarks)
    label = matrix.labels[matrix.positive or 0] if chosen.label is None else chosen.label
    return _of_one_class(wanted, matrix, chosen._replace(label=matrix.labels[matrix.place(label)]), whole, view)


def _of_one_class(
    measure: Measure, matrix: ConfusionMatrix, chosen: Place, whole: StepTable, view: View
) -> Explanation:
    """The matrix, the class against the rest, and the number of the class."""
    label = chosen.label
    cells = replace(matrix.against_rest(label), units=(str(label),), unit_kind="class")
    before = [whole]
    if len(matrix.labels) > 2:
        before.append(matrix_table(matrix.collapse(label), f"{label} against the rest", chosen.orientation))
    explanation = explained(measure, cells, measure.per_unit(cells), 0, view, before=before)
    return replace(explanation, signature=of_class(explanation.signature, str(label)))


def of_class(signature: str, label: str) -> str:
    """A signature that says which class the number is about.

    >>> of_class("Recall|average=binary|undefined=skip|v1", "ill")
    'Recall|average=binary|positive=ill|undefined=skip|v1'
    """
    if "|positive=" in signature:
        return signature
    before, rule, after = signature.rpartition("|undefined=")
    return f"{before}|positive={escaped(label)}{rule}{after}"


def of_all_classes(measure: Measure, classes: Confusion, total: PerUnit, view: View) -> Explanation:
    """Each class's number, and how they become one."""
    of_one = _of_one(measure)
    each = of_one.per_unit(classes)
    alone = view._replace(signature=None)
    parts = [explained(of_one, classes, each, number, alone) for number in range(len(classes.units))]
    return Explanation(
        measure=measure,
        unit=number_of("class", len(classes.units)),
        unit_kind="class",
        value=float(total.values[0]),
        reason=total.reason(0),
        steps=(_classes(measure, classes, each, total),),
        counts=tuple(counts_named([(total, 0)])),
        formula=formula(total, 0),
        signature=view.signature_of(measure, classes),
        shown=view.depth or PAGE,
        # The table of the classes has their cells; what else a class's number could be made of is told for one class.
        parts=tuple(replace(part, steps=(), other_ways=()) for part in parts),
        summary="sum"
        if of_one.definition.summary == "sum"
        else f"{measure.parameters.get('average', 'macro')} average",
        undefined_units=sum(not part.is_defined for part in parts),
    )


def _of_one(measure: Measure) -> Measure:
    """The measure of a single class."""
    chosen = {name: value for name, value in measure.chosen.items() if name != "average"}
    return parse_measure(measure.name, "binary")(**chosen)


def _classes(measure: Measure, classes: Confusion, each: PerUnit, total: PerUnit) -> StepTable:
    """A row a class: its cells, what is summed over classes or its number, and what that adds."""
    rows: dict[str, Any] = {"class": pl.Series(classes.units, dtype=pl.String)}
    rows |= {name.upper(): getattr(classes, name) for name in _CELLS}
    if measure.is_micro:
        rows |= {leaf.op: leaf.values for leaf in each.leaves() if leaf.constant is None}
        return StepTable("classes", tuple((name, "sum") for name in rows if name != "class"), pl.DataFrame(rows), {})
    [steps] = step_tables([(total, 0)])
    numbered = pl.DataFrame(rows).with_row_index("place")
    added = steps.frame.with_columns(place=pl.col("class").cast(pl.UInt32)).drop("class")
    frame = numbered.join(added, on="place", how="left", maintain_order="left").drop("place")
    return StepTable("classes", steps.reduced, frame, {"value": f"{measure.name} of the class", **steps.meanings})


def of_scored(measure: str | Measure, scored: Scored, chosen: Place, view: View) -> Explanation:
    """A number made of all thresholds, or of the decisions at one.

    >>> scored = Scored.from_lists(positive=[0.9, 0.6], negative=[0.7, 0.6])
    >>> of_scored("AUC", scored, Place(), View(None, False)).formula.numbers
    '(2 + 0.5000 × 1) / (2 × 2)'
    >>> of_scored("Recall", scored, Place(threshold=0.7), View(None, False)).formula.numbers
    '1 / 2'
    """
    chosen.refuse("is about several classes: these are scores of one", "label")
    chosen.refuse("is about measures of single items, such as Brier, from predictions", "item")
    wanted = label_measure(measure, "binary")
    view = view._replace(depth=view.depth or PAGE_OF_THRESHOLDS)
    if wanted.definition.counts is Scored:
        if chosen.threshold is not None:
            raise ParameterError(f"{wanted} looks at all thresholds: leave out the threshold")
        return explained(wanted, scored, wanted.per_unit(scored), 0, view)
    if wanted.definition.counts is not Confusion:
        raise ParameterError(f"{wanted} is computed from {wanted.definition.counts.__name__}, not from scores alone")
    threshold = usual_threshold(scored) if chosen.threshold is None else chosen.threshold
    cells = scored.at(threshold)
    explanation = explained(wanted, cells, wanted.per_unit(cells), 0, view)
    remark = f"positive is predicted from a score of {significant(threshold, 6)} on"
    explanation = replace(explanation, remarks=(remark, *explanation.remarks), shown=view.depth or PAGE_OF_THRESHOLDS)
    return with_thresholds(explanation, scored, chosen, view) if view.running else explanation


def with_thresholds(explanation: Explanation, scored: Scored, chosen: Place, view: View) -> Explanation:
    """An explanation of decisions, and beside it what each threshold would have given."""
    chosen.refuse("is about several classes: these are scores of one", "label")
    if explanation.measure.definition.counts is not Confusion:
        counts = explanation.measure.definition.counts.__name__
        raise ParameterError(f"{explanation.measure} is computed from {counts}, not from scores alone")
    steps = (*explanation.steps, at_every_threshold(explanation.measure, scored))
    return replace(explanation, steps=steps, shown=view.depth or PAGE_OF_THRESHOLDS)


def usual_threshold(scored: Scored) -> float:
    """0.5, as long as scores may be probabilities; otherwise somebody has to say."""
    if any(((side < 0) | (side > 1)).any() for side in (scored.positive, scored.negative)):
        raise ParameterError(f"scores outside 0 to 1 have no usual threshold: say {argument('threshold')}")
    return 0.5


def at_every_threshold(measure: Measure, scored: Scored) -> StepTable:
    """The decisions that each threshold makes, and the measure of them.

    >>> from assay.measures import parse_measure
    >>> scored = Scored.from_lists(positive=[0.9], negative=[0.7])
    >>> at_every_threshold(parse_measure("Accuracy", "binary"), scored).frame["Accuracy"].to_list()
    [0.5, 1.0, 0.5]
    """
    table = scored.table
    cells = {name: getattr(table, name) for name in _CELLS}
    counts = Confusion(tuple(map(short, table.threshold)), **cells, unit_kind="table")
    columns = {"threshold": table.threshold} | {name.upper(): cell for name, cell in cells.items()}
    columns |= {"TPR": table.tpr, "FPR": table.fpr, str(measure): measure.per_unit(counts).values}
    frame = pl.DataFrame(columns).with_columns(pl.exclude("threshold").fill_nan(None))
    return StepTable("thresholds", (), frame, {"TPR": "TP / (TP + FN)", "FPR": "FP / (FP + TN)"})


def of_decisions(measure: str | Measure, counts: Confusion, chosen: Place, view: View) -> Explanation:
    """Right and wrong decisions that were counted already: of one class, or of several."""
    chosen.refuse("is about scores: these are decisions", "threshold")
    several = len(counts.units) > 1
    wanted = label_measure(measure, "multiclass" if several else "binary")
    if wanted.definition.counts is not Confusion:
        wanted = label_measure(measure, "binary")
    unit = chosen.item if counts.unit_kind == "item" else chosen.label
    return of_units(wanted, counts, None if unit is None else str(unit), view, parts=counts.unit_kind != "item")


def of_units(
    measure: Measure,
    counts: LabelCounts,
    unit: str | None,
    view: View,
    *,
    parts: bool = False,
    weight: Floats | None = None,
) -> Explanation:
    """One unit, or all: with each one's steps if `parts` are asked for; `weight`: what each weighs in a mean."""
    result = measure.per_unit(counts)
    if measure.definition.summary == "pooled":
        if unit is not None:
            raise ParameterError(f"{measure} is one number for all items: leave out the item")
        return replace(explained(measure, counts, result, 0, view), unit="all items", unit_kind="table")
    number = number_of_unit(counts, unit)
    if number is not None:
        return explained(measure, counts, result, number, view)
    each = range(len(counts.units)) if parts else ()
    explanations = tuple(explained(measure, counts, result, unit, view) for unit in each)
    return summarised(measure, counts, result, view, explanations, weight=weight)
