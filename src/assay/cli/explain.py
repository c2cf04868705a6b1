"""`assay explain MEASURE QRELS RUN`, and of the other subjects; and of counts that are typed in."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import inputs, items, options, output
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
from assay.cli.options import ClusterInputs, LabelInputs, Output, group, settings
from assay.core.errors import ParameterError, did_you_mean, listed
from assay.core.options import CONTENTS, EvaluationRules, SeedOption, SpanRules, Threshold, option

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


COEFFICIENTS = ("Kendall", "tau", "Spearman", "tau_AP", "RBO")


@group
class Explaining(Output):
    """How much of an explanation is shown, and in which form."""

    show: options.Show | None = None
    running: Annotated[bool, option(help="Also the measure cut off at every rank.", panel=CONTENTS)] = False


def search(
    measure: options.MeasureName,
    qrels: options.Judgments | None = None,
    run: options.Run | None = None,
    /,
    *,
    query: options.Query | None = None,
    lists: TypedLists = TypedLists(),
    to: Explaining = Explaining(),
    rules: EvaluationRules = EvaluationRules(),
) -> None:
    """Show how a number came about: every step, the formula with the numbers in it, the result.

    From files: MEASURE QRELS RUN --query ID; without --query, how the numbers of all queries are put together. Or from
    a list: --grades, with --relevant or --exist for what was not retrieved; --counts; or --points.

    $ assay explain nDCG@5 qrels.txt words.run --query t1
    $ assay explain AP --grades 1,0,1,0 --relevant 3
    $ assay explain F1 --counts 4,6,4
    """
    items.one_source({"judgments and a run": qrels, "--grades": lists.grades, "--counts": lists.counts,
                      "--points": lists.points})  # fmt: skip
    if not lists.grades:
        items.refuse(settings(lists, "relevant", "exist", "swap"), "goes with --grades")
    if qrels is not None:
        if run is None:
            raise ParameterError("give a run after the judgments")
        _deliver(measure, [qrels, _opened(qrels, run)], {**rules, "query": query}, to)
        return
    of_lists = {"collection_size", "undefined", *(["relevance_level"] if lists.grades else [])}
    items.refuse({name: rules for name in rules if name not in of_lists}, "goes with judgments and runs")
    stated = {name: value for name, value in rules.items() if name == "undefined"}
    _deliver(measure, [counts_of(measure, lists, rules)], {**stated, "query": query}, to)


def classifier(
    measure: options.MeasureName,
    path: options.PredictionFile | None = None,
    /,
    *,
    matrix: options.Matrix | None = None,
    typed: options.TypedScores | None = None,
    counts: Counts = (),
    item: Annotated[str | None, option(metavar="ID", help="Which item, for measures of single items.")] = None,
    labels: LabelInputs = LabelInputs(),
    threshold: Threshold | None = None,
    orientation: options.Orientation | None = None,
    to: Explaining = Explaining(),
) -> None:
    """Show how a classifier's number came about: every step, the formula with the numbers in it, the result.

    From a file of predictions, a --matrix, --scores, or --counts of one class (--positive names it) or several.

    $ assay classifier explain F1 letters/spam.csv --positive spam --system bayes
    $ assay classifier explain MCC --matrix '5 0; 1 3'
    $ assay classifier explain AUC --scores 'P .90, N .70, P .60'
    """
    items.one_source({"a file of predictions": path, "--matrix": matrix, "--scores": typed, "--counts": counts})
    if orientation is not None and (typed is not None or counts):
        raise ParameterError("--orientation goes with a matrix, not with --scores or --counts")
    # What of a classifier is meant: the verb shows it beside the whole.
    chosen = {"label": labels.one_class, "item": item, "threshold": threshold}
    chosen |= {} if orientation is None else {"orientation": orientation}
    read = options.without(labels, "one_class")
    if matrix is not None:
        system: Any = items.typed_matrix(matrix, read, orientation)
    elif typed is not None:
        from assay.measures.counting.scored import Scored  # noqa: PLC0415  # `assay --help` need not load Polars

        truth, scores = items.typed_scores(typed, read)
        system = Scored.from_scores(truth, scores, pos_label=True)
    elif counts:
        items.refuse(settings(options.without(labels, "pos_label")), "goes with predictions, not with --counts")
        system = decisions_in(counts, None, classes=True, positive=labels.pos_label)
    else:
        system = items.only_system(items.predictions([str(path)], read))
    _deliver(measure, [system], chosen, to, positive=labels.pos_label if counts else None)


def clustering(
    measure: options.MeasureName,
    path: options.ClusterFile | None = None,
    /,
    *,
    table: options.Table | None = None,
    typed: Annotated[
        str | None, option("--clusters", metavar="'0 1 2 | 10 11'", help="Points in clusters instead of a file.")
    ] = None,
    names: Annotated[
        str | None, option("--cluster-names", metavar="a,b,c", help="Names of the clusters that were typed.")
    ] = None,
    classes: Annotated[
        str | None, option("--class-names", metavar="a,b,c", help="Names of the classes of --contingency.")
    ] = None,
    item: Annotated[str | None, option(metavar="ID", help="Which item, for Silhouette.")] = None,
    clusters: ClusterInputs = ClusterInputs(),
    drawing: SeedOption = SeedOption(),
    to: Explaining = Explaining(),
) -> None:
    """Show how a clustering's number came about: every step, the formula with the numbers in it, the result.

    From a file of clusters, a --contingency of classes and clusters, or points in --clusters.

    $ assay clustering explain NMI --contingency '5 1 2; 1 4 0; 0 1 3'
    $ assay clustering explain Silhouette --clusters '0 1 2 | 10 11'
    """
    items.one_source({"a file of clusters": path, "--contingency": table, "--clusters": typed})
    if drawing and "sample_size" not in clusters.rules:
        raise ParameterError("--seed goes with --sample-size, which draws items at random")
    if classes is not None and table is None:
        raise ParameterError("--class-names goes with --contingency")
    stated: dict[str, Any] = {**drawing, "item": item, "system": options.only(clusters.system, "--system")}
    if table is not None:
        called = None if classes is None else labels_in(classes, "--class-names")
        system: Any = items.typed_contingency(table, clusters, called, lambda count: names_of_clusters(names, count))
    elif typed is not None:
        system = points_of(typed, names, clusters)
    else:
        if names is not None:
            raise ParameterError("--cluster-names goes with --contingency or --clusters: a file names its clusters")
        system = items.clusterings([str(path)], options.without(clusters, "system"))
        stated |= items.cluster_rules(clusters)
    _deliver(measure, [system], stated, to)


def extraction(
    measure: options.MeasureName,
    truth: options.TrueSpans,
    system: options.SpanFile | None = None,
    /,
    *,
    kind: Annotated[str | None, option("--type", metavar="TYPE", help="Only the spans of this type.")] = None,
    rules: SpanRules = SpanRules(),
    to: Explaining = Explaining(),
) -> None:
    """Show how a number of extracted spans came about: the counts, the formula with the numbers in it, the result.

    $ assay extraction explain F letters/names.conll --type PER
    $ assay extraction explain Recall letters/mentions.conll letters/lists.conll
    """
    (read,) = items.extractions(truth, [] if system is None else [system], rules)
    _deliver(measure, [read], {"label": kind}, to)


def scores(
    measure: Annotated[str, options.argument("COEFFICIENT", "Kendall, tau, Spearman, tau_AP or RBO.")],
    path: Annotated[str | None, options.argument("FILE", "A CSV of names and two columns of numbers.")] = None,
    /,
    *,
    order: Annotated[
        tuple[str, ...], option(metavar="'A B=C D'", help="Items, the best first, = between tied ones; twice.")
    ] = (),
    to: Explaining = Explaining(),
) -> None:
    """Show how a rank correlation of two orders came about.

    $ assay scores explain Kendall --order 'A B C D' --order 'B A C D'
    """
    from assay.verbs.explanation.coefficients import is_coefficient  # noqa: PLC0415  # `assay --help` loads no Polars

    if not is_coefficient(measure):
        raise ParameterError(f"expected {listed(COEFFICIENTS)}, got {measure}{did_you_mean(measure, COEFFICIENTS)}")
    _deliver(measure, two_orders(measure, order, path), {}, to)


def _deliver(
    measure: str, systems: list[Any], stated: dict[str, Any], to: Explaining, *, positive: str | None = None
) -> None:
    from assay.verbs.explanation import explain  # noqa: PLC0415  # `assay --help` need not load Polars

    result = explain(measure, *systems, show=to.show, running=to.running, **stated)
    if positive is not None:
        from assay.subjects.labels.explanation import of_class  # noqa: PLC0415

        result = replace(result, signature=of_class(result.signature, positive))  # with the class in it
    output.give(result, to)


def _opened(qrels: str, run: str) -> Any:
    """The run; a file that is empty is named, as nothing below would tell."""
    from assay.subjects.ranking.evaluation import EMPTY_FILE  # noqa: PLC0415

    (opened,) = inputs.opened(qrels, [run])
    if opened.format == EMPTY_FILE:
        output.message(f"warning: {opened.origin}: the file is empty")
    return opened
