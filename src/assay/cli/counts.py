"""Counts instead of files: grades, cells, points of curves and orders that were typed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import items
from assay.cli.literals import (
    Named,
    cells_in,
    grades_in,
    labels_in,
    numbers_by_grade,
    numbers_of,
    order_in,
    points_in,
    points_in_clusters,
    swapped,
)
from assay.cli.options import group
from assay.cli.subject_options import ClusterInputs
from assay.core.errors import ParameterError
from assay.core.options import CONTENTS, EvaluationRules, option

if TYPE_CHECKING:
    from assay.measures.counting import Confusion


Counts = Annotated[
    tuple[str, ...], option(metavar="TP,FP,FN[,TN]", help="Counts instead of files; NAME=COUNTS; repeat.")
]


@group
class TypedLists:
    """A ranking that is typed, instead of files: several are several queries, and NAME=LIST gives one a name."""

    grades: Annotated[
        tuple[str, ...],
        option(metavar="3,2,0,-,1", help="Grades by rank instead of files; - is not judged."),
    ] = ()
    relevant: Annotated[
        tuple[int, ...], option(help="With --grades: how many relevant documents there are.", least=0)
    ] = ()
    exist: Annotated[
        tuple[str, ...], option(metavar="3:5,2:10", help="With --grades: how many documents of each grade.")
    ] = ()
    swap: Annotated[
        tuple[str, ...],
        option(metavar="2,3", help="With --grades: exchange two ranks.", panel=CONTENTS),
    ] = ()
    counts: Counts = ()
    points: Annotated[tuple[str, ...], option(metavar=".1@1,.5@.9", help="Points of a curve, precision@recall.")] = ()


def is_of_classes(measure: str) -> bool:
    """Whether only classifiers have a measure by this name."""
    from assay.verbs.explanation.explain import is_of_classes  # noqa: PLC0415

    return is_of_classes(measure)


def counts_of(measure: str, lists: TypedLists, rules: EvaluationRules) -> Any:
    """The counts that a typed list stands for."""
    if lists.counts:
        return decisions_in(lists.counts, rules.get("collection_size"), classes=is_of_classes(measure))
    if lists.points:
        from assay.measures.definition import GivenCurve  # noqa: PLC0415

        if rules.get("collection_size") is not None:
            raise ParameterError("--collection-size has no meaning for points of a precision-recall curve")
        curves = [Named.of(text) for text in lists.points]
        return replace(GivenCurve.from_points(*(points_in(each.text) for each in curves)), units=tuple(_names(curves)))
    from assay.verbs.explanation import ranks_of  # noqa: PLC0415

    rankings = [Named.of(text) for text in lists.grades]
    grades = [grades_in(each.text) for each in rankings]
    for ranks in lists.swap:
        grades = [swapped(each, ranks) for each in grades]
    known: dict[str, Any] = {"relevant": list(lists.relevant) or None}
    known["exist"] = [numbers_by_grade(text) for text in lists.exist] or None
    level, size = rules.get("relevance_level", 1.0), rules.get("collection_size")
    return ranks_of(*grades, **known, level=level, collection_size=size, names=_names(rankings))


def decisions_in(
    typed: tuple[str, ...], collection_size: int | None, *, classes: bool = False, positive: str | None = None
) -> Confusion:
    """Tables of decisions: of queries, or of classes."""
    import numpy as np  # noqa: PLC0415

    from assay.measures.counting import Confusion  # noqa: PLC0415

    lists = [Named.of(text) for text in typed]
    tables = [cells_in(each.text) for each in lists]
    what = "class" if classes else "query"
    if len({len(cells) for cells in tables}) > 1:
        raise ParameterError(f"give TP,FP,FN,TN for every {what}, or TP,FP,FN for every {what}")
    if collection_size is not None:
        if any(len(cells) == 4 or collection_size < sum(cells) for cells in tables):
            raise ParameterError("--collection-size goes with TP,FP,FN, and is not less than their sum")
        tables = [[*cells, collection_size - sum(cells)] for cells in tables]
    if classes and len(lists) == 1:
        lists = [lists[0]._replace(name=lists[0].name or positive or "the positive class")]
    # Several tables about one class are several classifiers, or folds; otherwise each is about a class of its own.
    what = "table" if positive is not None and len(lists) > 1 else what
    names = tuple(_names(lists, f"{what} " if classes else "q"))
    tp, fp, fn, *tn = (np.array(cell, dtype=np.int64) for cell in zip(*tables, strict=True))
    return Confusion(names, tp, fp, fn, tn[0] if tn else None, what)


def _names(lists: list[Named], prefix: str = "q") -> list[str]:
    """What the queries are called: as they were named, or q1, q2 and so on."""
    names = [each.name or f"{prefix}{number}" for number, each in enumerate(lists, 1)]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f"two lists are called {name!r}")
    return names


def names_of_clusters(names: str | None, count: int) -> list[str] | None:
    """The names of clusters that were typed, if they were named."""
    called = None if names is None else labels_in(names, "--cluster-names")
    if called is not None and len(called) != count:
        raise ParameterError(f"--cluster-names: expected {count} names, one a cluster, got {len(called)}")
    return called


def points_of(typed: str, names: str | None, clusters: ClusterInputs) -> Any:
    """Points in clusters, as they were typed."""
    from assay.measures.counting.points import Points  # noqa: PLC0415

    stated = items.every(clusters)
    metric = stated.pop("metric", "euclidean")
    items.refuse(stated, "goes with a file, not with --clusters")
    rows, places = points_in_clusters(typed)
    called = names_of_clusters(names, max(places)) or [str(place) for place in range(1, max(places) + 1)]
    return Points.of(rows, [called[place - 1] for place in places], metric=metric)


def two_orders(measure: str, orders: tuple[str, ...], path: str | None) -> list[Any]:
    """The two orders that were typed, or the two columns of numbers in a file."""
    if orders:
        if path is not None or len(orders) != 2:
            raise ParameterError(f"{measure} takes --order twice, and no file: got {len(orders)} of them")
        return [numbers_of(order_in(text)) for text in orders]
    if path is None:
        raise ParameterError(f"{measure} is about two orders: --order 'A B C' --order 'B A C', or a CSV of numbers")
    from assay.files.small_tables import read_numbers  # noqa: PLC0415

    columns = read_numbers(path)
    if len(columns) != 2:
        raise ParameterError(f"{path}: expected two columns of numbers beside the names, got {len(columns)}")
    for name, numbers in columns.items():
        for item, number in numbers.items():
            if number is None:
                raise ParameterError(f"{path}: {name}: {item}: expected a number, got nothing")
    return list(columns.values())
