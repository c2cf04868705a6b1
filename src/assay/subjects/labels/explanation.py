"""Numbers of classifiers taken apart: of matrices, thresholds, and predictions."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import polars as pl

from assay.core.digits import NOT_AVAILABLE, short, significant
from assay.core.errors import ParameterError, argument, number_of, only_one, refuse_unknown
from assay.files.sources import Source
from assay.measures import parse_measure
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.confusion_matrix import ConfusionMatrix, LabelSets
from assay.measures.counting.judgments import Floats
from assay.measures.counting.scored import Scored
from assay.measures.matrices import averaged, overall
from assay.measures.registry import LabelCounts, Measure
from assay.measures.steps import PerUnit
from assay.measures.summary import escaped
from assay.measures.undefined import as_asked
from assay.measures.vocabularies import Vocabulary, by_name
from assay.subjects.labels.evaluation import classify
from assay.subjects.labels.inputs import against_rest, opened
from assay.subjects.labels.measurement import LABEL_COUNTS, is_per_item, measure_of
from assay.subjects.labels.orientation import with_positive
from assay.subjects.labels.pairing import Classifiers
from assay.subjects.labels.result import Classification, label_signature
from assay.tables import Predictions
from assay.verbs.explanation.numbers import (
    PAGE,
    PAGE_OF_THRESHOLDS,
    View,
    explained,
    matrix_table,
    number_of_unit,
    summarised,
    undefined_rule,
)
from assay.verbs.explanation.result import (
    Explanation,
    Place,
    StepTable,
    counts_named,
    formula,
    not_explained,
    step_tables,
)

_AVERAGES = ("macro", "micro", "weighted")
#: The other thing that is called macro F1.
_OF_MEANS = "FOfMeans"


def other_averages(measure: Measure, matrix: ConfusionMatrix, average: str) -> Iterator[str]:
    """The values of the other averages.

    >>> from assay.measures import parse_measure
    >>> matrix = ConfusionMatrix.from_matrix([[5, 0, 0], [1, 3, 0], [1, 2, 4]], ["a", "b", "c"])
    >>> list(other_averages(parse_measure("Recall", "multiclass"), matrix, "macro"))
    ['other averages: micro 0.7500, weighted 0.7500']
    """
    if "average" in measure.parameters and measure.definition.summary == "mean":
        others = (name for name in _AVERAGES if name != average)
        values = (f"{name} {_overall(measure(average=name), matrix)}" for name in others)
        yield f"other averages: {', '.join(values)}"
    of_means = by_name(_OF_MEANS, measure.definition.vocabulary)
    if measure.name == "F" and of_means is not None:
        shared = {name: value for name, value in measure.chosen.items() if name in of_means.parameters}
        value = _overall(of_means(**shared), matrix)
        yield f"{_OF_MEANS}, which is called macro F too: F of the macro averages of precision and recall: {value}"


def _overall(measure: Measure, matrix: ConfusionMatrix) -> str:
    value = float(overall(measure, matrix).values[0])
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
    return parse_measure(repr(measure) if isinstance(measure, Measure) else measure, vocabulary)


def of_matrix(measure: str | Measure, matrix: ConfusionMatrix, chosen: Place, view: View) -> Explanation:
    """One class of a matrix, or what is made of all classes.

    >>> matrix = ConfusionMatrix.from_matrix([[5, 0, 0], [1, 3, 0], [1, 2, 4]], ["a", "b", "c"])
    >>> of_matrix("Recall", matrix, Place(label="b"), View(None, False)).formula.numbers
    '3 / 4'
    """
    chosen.refuse("is about single items: a matrix has none", "item")
    chosen.refuse("is about scores: a matrix has none", "threshold")
    if chosen.label is None and len(matrix.labels) == 2 and _is_of_one_class(measure):
        matrix = with_positive(matrix)  # as `classify` has it
    one_class = chosen.label is not None or matrix.positive is not None
    wanted = label_measure(measure, "binary" if one_class else "multiclass")
    whole = matrix_table(matrix, "matrix", chosen.orientation)
    if wanted.definition.counts is not Confusion:
        if chosen.label is not None:
            raise ParameterError(f"{wanted} is one number for all classes: leave out the class")
        return explained(wanted, matrix, overall(wanted, matrix, view.undefined), 0, view, before=[whole])
    average = wanted.parameters.get("average", "binary" if one_class else "macro")
    if chosen.label is not None and average != "binary":
        raise ParameterError(f"{wanted} is an average over classes: leave out the average, or the class")
    if average != "binary":
        explanation = of_all_classes(wanted, matrix.per_class(), overall(wanted, matrix, view.undefined), view)
        remarks = tuple(other_averages(wanted, matrix, average))
        return replace(explanation, steps=(whole, *explanation.steps), remarks=remarks)
    label = matrix.labels[matrix.positive or 0] if chosen.label is None else chosen.label
    return _of_one_class(wanted, matrix, chosen._replace(label=matrix.labels[matrix.place(label)]), whole, view)


def _is_of_one_class(measure: str | Measure) -> bool:
    """True if a measure of two labels is about the positive one, and no average."""
    if isinstance(measure, Measure) and measure.definition.vocabulary == "multiclass":
        return False
    if label_measure(measure, "multiclass").definition.counts is not Confusion:
        return False
    of_two = label_measure(measure, "binary")
    return bool(of_two.parameters.get("average", "binary") == "binary")


def _of_one_class(
    measure: Measure, matrix: ConfusionMatrix, chosen: Place, whole: StepTable, view: View
) -> Explanation:
    """The matrix, the class against the rest, and the number of the class."""
    label = chosen.label
    cells = replace(matrix.against_rest(label), units=(str(label),), unit_kind="class")
    before = [whole]
    if len(matrix.labels) > 2:
        before.append(matrix_table(matrix.collapse(label), f"{label} against the rest", chosen.orientation))
    by_itself = measure.per_unit(cells)
    explanation = explained(measure, cells, as_asked(measure, by_itself, view.undefined), 0, view, before=before)
    if explanation.is_defined and (why := by_itself.reason(0)) is not None:
        remark = f"{why}: counted as {explanation.value:g}, as asked"
        explanation = replace(explanation, remarks=(remark, *explanation.remarks))
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
    chosen = {name: value for name, value in measure.chosen.items() if name != "average"}
    of_one = parse_measure(measure.name, "binary")(**chosen)  # of a single class
    average = measure.parameters.get("average", "macro")
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
        summary="sum" if of_one.definition.summary == "sum" else f"{average} average",
        undefined_units=sum(not part.is_defined for part in parts),
        counted_as=next((part.counted_as for part in parts if part.counted_as is not None), None),
    )


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
    depth = view.depth or PAGE_OF_THRESHOLDS
    view = view._replace(depth=depth)
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
    explanation = replace(explanation, remarks=(remark, *explanation.remarks), shown=depth)
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


def of_labels(measure: str | Measure, subject: Any, chosen: Place, view: View, rules: dict[str, Any]) -> Explanation:
    """The number of a classifier, whatever it is given by.

    >>> matrix = ConfusionMatrix.from_matrix([[3, 1], [0, 4]], ["a", "b"])
    >>> of_labels("Accuracy", matrix, Place(), View(None, False), {}).value
    0.875
    """
    if isinstance(subject, Confusion) and subject.unit_kind == "query":  # cells that somebody typed in
        view = view._replace(undefined=undefined_rule(rules.pop("undefined", "counted_as")))
        chosen.of_counts(rules)
        return of_decisions(measure, replace(subject, unit_kind="class"), Place(label=chosen.query), view)
    chosen.refuse("is about rankings: of a classifier, choose a label or an item", "query")
    if isinstance(subject, Predictions | str | os.PathLike | Source):
        if _is_of_scores(measure) and not rules.keys() - {"pos_label"}:
            systems = {system.name: system for system in opened(subject, rules.get("pos_label"))}
            return _of_scores(measure, only_one("system", chosen.system, systems), chosen, view)
        refuse_unknown(rules, classify)
        subject = classify(subject, [measure], threshold=chosen.threshold, **rules)
    elif isinstance(subject, Confusion | ConfusionMatrix) and set(rules) == {"undefined"}:
        view = view._replace(undefined=undefined_rule(rules["undefined"]))
    elif rules:
        raise ParameterError(f"{next(iter(rules))!r} is a rule of classify: it goes with predictions")
    if isinstance(subject, Classification):
        return _of_classification(measure, subject, chosen, view)
    chosen.refuse("says whose predictions are meant: counts are of nobody", "system")
    if isinstance(subject, ConfusionMatrix):
        return of_matrix(measure, subject, chosen, view)
    if isinstance(subject, Scored):
        return of_scored(measure, subject, chosen, view)
    if not isinstance(subject, Confusion):
        raise not_explained(subject)
    return of_decisions(measure, subject, chosen, view)


def _is_of_scores(measure: str | Measure) -> bool:
    """True if a measure is made of scores, and asks for no labels nor from which score on one is predicted."""
    with suppress(ParameterError):  # no such measure of two labels
        return label_measure(measure, "binary").definition.counts is Scored
    return False


def _of_scores(measure: str | Measure, predictions: Predictions, chosen: Place, view: View) -> Explanation:
    """A number made of the scores of the positive label, or of the class that was chosen, against all others."""
    wanted = label_measure(measure, "binary")
    if predictions.kind == "multilabel":
        raise ParameterError(f"{wanted} is made of scores of one class, which items with several labels do not have")
    two: Any = predictions if chosen.label is None else against_rest(predictions, chosen.label)
    if two.kind != "binary" or two.score is None:
        which = ""
        if predictions.class_scores:
            which = f": say which class is meant, as in {argument('label', predictions.label_values[0])}"
        raise ParameterError(f"{wanted} is computed from scores of one class, and {predictions.name} has none{which}")
    held = Classifiers.of([two])
    scored = Scored.from_scores(two.truth == held.positive, two.score, pos_label=True, sample_weight=two.weight)
    view = view._replace(signature=label_signature(wanted, held, *held.systems))
    return of_scored(wanted, scored, chosen._replace(label=None), view)


def _of_classification(
    measure: str | Measure, classification: Classification, chosen: Place, view: View
) -> Explanation:
    """The steps of a number of a classification; the measure need not be one of its own."""
    system = classification.system(chosen.system)
    counts = system.counts
    if LabelSets in counts and chosen.label is None:
        wanted = measure_of(measure, "multilabel")
    else:
        wanted = label_measure(measure, classification.vocabulary if chosen.label is None else "binary")
    signed = label_signature(wanted, classification, system)
    view = view._replace(signature=signed, undefined=classification.undefined)
    kind = wanted.definition.counts
    threshold = system.threshold if chosen.threshold is None else chosen.threshold
    by_score = kind in LABEL_COUNTS and Scored in counts and threshold is not None
    if by_score and (view.running or chosen.threshold is not None):
        return of_scored(wanted, counts[Scored], chosen._replace(threshold=threshold), view)
    if kind in LABEL_COUNTS and ConfusionMatrix in counts:
        explanation = of_matrix(wanted, counts[ConfusionMatrix], chosen._replace(threshold=None), view)
        # What was predicted need not be what a threshold would predict: it stays, and thresholds stand beside it.
        beside = view.running and Scored in counts
        return with_thresholds(explanation, counts[Scored], chosen, view) if beside else explanation
    if LabelSets in counts:
        return _of_label_sets(
            measure, counts[LabelSets], chosen, view, lambda _: label_signature(_, classification, system)
        )
    if kind is Scored and system.predictions is not None:
        return _of_scores(wanted, system.predictions, chosen, view)
    if kind not in counts:
        raise ParameterError(f"{wanted} is computed from scores, and {system.name} has none that it could use")
    chosen.refuse("has no meaning for measures of single items", "label")
    return of_units(wanted, counts[kind], chosen.item, view, weight=counts[kind].weight)


def _of_label_sets(
    measure: str | Measure, sets: LabelSets, chosen: Place, view: View, signed: Callable[[Measure], str]
) -> Explanation:
    """Items with several labels each: of one label, of one item, or over all labels or items."""
    wanted = measure_of(measure if isinstance(measure, Measure) else str(measure), "multilabel")
    if wanted.definition.counts is not Confusion:
        counts = wanted.definition.counts.__name__
        raise ParameterError(f"{wanted} is computed from {counts}, which items with several labels do not have")
    if chosen.label is not None:
        chosen.refuse("and a class: choose one of them", "item")
        of_one = label_measure(measure, "binary")
        view = view._replace(signature=of_class(signed(of_one), str(chosen.label)))
        return of_units(of_one, sets.per_label(), str(chosen.label), view)
    if chosen.item is not None or is_per_item(wanted):
        alone = wanted if is_per_item(wanted) else label_measure(measure, "binary")
        view = view._replace(signature=signed(alone))
        return of_units(alone, sets.per_item(), chosen.item, view, weight=sets.weight)
    classes = sets.per_label()
    return of_all_classes(wanted, classes, averaged(wanted, classes, undefined=view.undefined), view)
