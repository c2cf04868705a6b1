"""`explain`, of any subject: its options, and counts that are typed in."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import inputs, options, output
from assay.cli.literals import cells_in, grades_in, lists_by_name, numbers_by_grade, points_in
from assay.cli.options import Output, group
from assay.core.errors import ParameterError
from assay.core.evaluation_options import CONTENTS, EvaluationRules, option

if TYPE_CHECKING:
    from assay.measures.counting import Confusion
    from assay.measures.registry import Measure


Counts = Annotated[
    tuple[str, ...], option(metavar="TP,FP,FN[,TN]", help="Counts instead of files, or NAME=COUNTS; repeat.")
]


@group
class TypedLists:
    """A ranking that is typed, instead of files: several are several queries, and NAME=LIST gives one a name."""

    grades: Annotated[
        tuple[str, ...],
        option(metavar="3,2,0,-,1", help="Grades by rank instead of files; - means unjudged."),
    ] = ()
    relevant: Annotated[
        tuple[int, ...], option(help="With --grades: how many relevant documents there are.", least=0)
    ] = ()
    exist: Annotated[
        tuple[str, ...], option(metavar="3:5,2:10", help="With --grades: how many documents of each grade.")
    ] = ()
    counts: Counts = ()
    points: Annotated[
        tuple[str, ...],
        option(metavar=".1@1,.5@.9", help="Points of a precision-recall curve instead of files, as P@R."),
    ] = ()


def counts_of(measure: str, lists: TypedLists, rules: EvaluationRules) -> Any:
    """The counts that a typed list stands for."""
    from assay.measures.definition import GivenCurve
    from assay.verbs.explanation import ranks_of
    from assay.verbs.explanation.explain import is_of_classes

    size = rules.get("collection_size")
    if lists.counts:
        return decisions_in(lists.counts, size, classes=is_of_classes(measure))
    if lists.points:
        if size is not None:
            raise ParameterError("--collection-size has no meaning for points of a precision-recall curve")
        curves = lists_by_name(lists.points, points_in)
        return replace(GivenCurve.from_points(*curves.values()), units=tuple(curves))
    grades = lists_by_name(lists.grades, grades_in)
    known: dict[str, Any] = {"relevant": list(lists.relevant) or None}
    known["exist"] = [numbers_by_grade(text) for text in lists.exist] or None
    level = rules.get("relevance_level", 1.0)
    return ranks_of(*grades.values(), **known, level=level, collection_size=size, names=list(grades))


def decisions_in(
    typed: tuple[str, ...], collection_size: int | None, *, classes: bool = False, positive: str | None = None
) -> Confusion:
    """Tables of decisions: of queries, or of classes."""
    import numpy as np

    from assay.measures.counting import Confusion

    what = "class" if classes else "query"
    if classes and len(typed) == 1 and "=" not in typed[0]:
        typed = (f"{positive or 'the positive class'}={typed[0]}",)
    # Several tables about one class are several classifiers, or folds; otherwise each is about a class of its own.
    unit = "table" if positive is not None and len(typed) > 1 else what
    tables = lists_by_name(typed, cells_in, f"{unit} " if classes else "q")
    if len({len(cells) for cells in tables.values()}) > 1:
        raise ParameterError(f"give TP,FP,FN,TN for every {what}, or TP,FP,FN for every {what}")
    tp, fp, fn, *tn = (np.array(cell, dtype=np.int64) for cell in zip(*tables.values(), strict=True))
    if collection_size is not None:
        rest = collection_size - (tp + fp + fn)
        if tn or (rest < 0).any():
            raise ParameterError("--collection-size goes with TP,FP,FN, and is not less than their sum")
        tn = [rest]
    return Confusion(tuple(tables), tp, fp, fn, tn[0] if tn else None, unit)


@group
class Explaining(Output):
    """The part of an explanation that is shown, and its form."""

    show: options.Show | None = None
    running: Annotated[bool, option(help="Also show the measure at every rank cutoff.", panel=CONTENTS)] = False


def deliver_explanation(
    measure: str | Measure, systems: list[Any], stated: dict[str, Any], to: Explaining, *, positive: str | None = None
) -> None:
    """Explain a measure of systems; of one table of decisions, with the class in its signature."""
    from assay.verbs.explanation import explain

    stated |= {"show": to.show, "running": to.running}
    result = inputs.result_of(explain, "computing", to, measure, *systems, **stated)
    if positive is not None:
        from assay.subjects.labels.explanation import of_class

        result = replace(result, signature=of_class(result.signature, positive))  # with the class in it
    output.give(result, to)
