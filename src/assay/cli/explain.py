"""`assay explain MEASURE QRELS RUN`, and of the other subjects; and of counts that are typed in."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import inputs, items, options, output
from assay.cli.literals import cells_in, grades_in, lists_by_name, numbers_by_grade, order_in, points_in
from assay.cli.options import ClusterInputs, LabelInputs, Output, group, settings
from assay.core import options as shared
from assay.core.errors import ParameterError
from assay.core.evaluation_options import CONTENTS, EvaluationRules, Undefined, option

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
    from assay.measures.definition import GivenCurve  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.verbs.explanation import ranks_of  # noqa: PLC0415
    from assay.verbs.explanation.explain import is_of_classes  # noqa: PLC0415

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
    import numpy as np  # noqa: PLC0415

    from assay.measures.counting import Confusion  # noqa: PLC0415

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


def two_orders(measure: str, orders: tuple[str, ...], path: str | None) -> list[Any]:
    """The two orders that were typed, or the two columns of numbers in a file."""
    if orders:
        if path is not None or len(orders) != 2:
            raise ParameterError(f"{measure} takes --order twice, and no file: got {len(orders)} of them")
        return [order_in(text) for text in orders]
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


@group
class Explaining(Output):
    """How much of an explanation is shown, and in which form."""

    show: options.Show | None = None
    running: Annotated[bool, option(help="Also show the measure at every rank cutoff.", panel=CONTENTS)] = False


def search(
    measure: options.MeasureName,
    lists: TypedLists,
    to: Explaining,
    rules: EvaluationRules,
    qrels: options.Judgments | None = None,
    run: options.Run | None = None,
    query: options.Query | None = None,
) -> None:
    """Show how a score was computed: every step, the formula with its numbers, the result.

    From files: MEASURE QRELS RUN --query ID; without --query, how the numbers of all queries are put together. Or from
    a list: --grades, with --relevant or --exist for what was not retrieved; --counts; or --points.

    $ assay explain nDCG@5 qrels.txt words.run --query t1
    $ assay explain AP --grades 1,0,1,0 --relevant 3
    $ assay explain F1 --counts 4,6,4
    """
    items.one_source({"judgments and a run": qrels, "--grades": lists.grades, "--counts": lists.counts,
                      "--points": lists.points})  # fmt: skip
    if not lists.grades:
        items.refuse(settings(lists, "relevant", "exist"), "goes with --grades")
    if qrels is not None:
        if run is None:
            raise ParameterError("give a run after the judgments; the measure comes first: MEASURE QRELS RUN")
        _deliver(measure, [qrels, _opened(qrels, run)], {**rules, "query": query}, to)
        return
    of_lists = {"collection_size", "undefined", *(["relevance_level"] if lists.grades else [])}
    items.refuse({name: rules for name in rules if name not in of_lists}, "goes with judgments and runs")
    stated = {name: value for name, value in rules.items() if name == "undefined"}
    _deliver(measure, [counts_of(measure, lists, rules)], {**stated, "query": query}, to)


def classifier(
    measure: options.MeasureName,
    labels: LabelInputs,
    to: Explaining,
    path: options.PredictionFile | None = None,
    matrix: options.Matrix | None = None,
    typed: options.TypedScores | None = None,
    counts: Counts = (),
    item: Annotated[str | None, option(metavar="ID", help="Which item, for measures of single items.")] = None,
    threshold: shared.Threshold | None = None,
    undefined: Undefined | None = None,
    orientation: options.Orientation | None = None,
) -> None:
    """Show how a classifier's number was computed: every step, the formula with its numbers, the result.

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
    chosen |= {} if undefined is None else {"undefined": undefined}
    read = options.without(labels, "one_class")
    if matrix is not None:
        named = str(measure)
        system: Any = items.typed_matrix(matrix, read, orientation, [named], one_class=labels.one_class, quiet=to.quiet)
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
    clusters: ClusterInputs,
    drawing: shared.SeedOption,
    to: Explaining,
    path: options.ClusterFile | None = None,
    table: options.Table | None = None,
    typed: Annotated[
        str | None, option("--clusters", metavar="'0 1 2 | 10 11'", help="Points in clusters instead of a file.")
    ] = None,
    names: Annotated[
        str | None, option("--cluster-names", metavar="a,b,c", help="Names of the typed clusters.")
    ] = None,
    classes: Annotated[
        str | None, option("--class-names", metavar="a,b,c", help="Names of the classes of --contingency.")
    ] = None,
    item: Annotated[str | None, option(metavar="ID", help="Which item, for Silhouette.")] = None,
) -> None:
    """Show how a clustering's number was computed: every step, the formula with its numbers, the result.

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
        system: Any = items.typed_contingency(table, clusters, classes, names)
    elif typed is not None:
        system = items.typed_points(typed, names, clusters)
    else:
        if names is not None:
            raise ParameterError("--cluster-names goes with --contingency or --clusters: a file names its clusters")
        system = items.clusterings([str(path)], options.without(clusters, "system"))
        stated |= items.cluster_rules(clusters)
    _deliver(measure, [system], stated, to)


def extraction(
    measure: options.MeasureName,
    truth: options.TrueSpans,
    rules: shared.SpanRules,
    to: Explaining,
    system: options.SpanFile | None = None,
    kind: Annotated[str | None, option("--type", metavar="TYPE", help="Only the spans of this type.")] = None,
) -> None:
    """Show how a number of extracted spans was computed: the counts, the formula with its numbers, the result.

    $ assay extraction explain F letters/names.conll --type PER
    $ assay extraction explain Recall letters/mentions.conll letters/lists.conll
    """
    (read,) = items.extractions(truth, [] if system is None else [system], rules)
    _deliver(measure, [read], {"label": kind}, to)


def agreement(
    measure: options.MeasureName,
    labels: options.LabelFiles,
    rules: shared.AgreementRules,
    to: Explaining,
    query: options.Query | None = None,
) -> None:
    """Show how a coefficient of agreement was computed: the labels, P(A) and P(E), the formula with its numbers.

    $ assay agreement explain Kappa bicycles/judgments.txt --judges ana,ben
    $ assay agreement explain FleissKappa bicycles/judgments.txt --query 5
    """
    held = items.labels_of_judges(labels, rules)
    _deliver(measure, [held], options.stated(rules, "repeated", "columns") | {"query": query}, to)


def clicks(
    measure: options.MeasureName,
    logs: options.LogFiles,
    rules: shared.ClickRules,
    reading: shared.LogRules,
    to: Explaining,
    user: Annotated[str | None, option(metavar="ID", help="Only this user (or session, or page).")] = None,
) -> None:
    """Show the two sums that a number is a ratio of, and which users move it most.

    Of several systems, --system names one.

    $ assay clicks explain CTR clicks/log.ndjson.gz --system bm25
    $ assay clicks explain SessionSuccess clicks/log.ndjson.gz --system bm25 --user u029
    """
    _deliver(measure, [items.click_logs(logs, reading)], {**rules, "item": user}, to)


def scores(
    measure: Annotated[str, options.argument("COEFFICIENT", "Kendall, tau, Spearman, tau_AP or RBO.")],
    to: Explaining,
    path: Annotated[str | None, options.argument("FILE", "A CSV of names and two columns of numbers.")] = None,
    order: Annotated[
        tuple[str, ...], option(metavar="'A B=C D'", help="Items, the best first, = between tied ones; twice.")
    ] = (),
) -> None:
    """Show how a rank correlation of two orders was computed, step by step.

    $ assay scores explain Kendall --order 'A B C D' --order 'B A C D'
    """
    from assay.measures import parse_measure  # noqa: PLC0415  # `assay --help` loads no Polars

    _deliver(parse_measure(measure, "order"), two_orders(measure, order, path), {}, to)


def _deliver(
    measure: str | Measure, systems: list[Any], stated: dict[str, Any], to: Explaining, *, positive: str | None = None
) -> None:
    stated |= {"show": to.show, "running": to.running}
    result = inputs.result_of("assay.verbs.explanation:explain", "computing", to, measure, *systems, **stated)
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
