"""`assay explain MEASURE QRELS RUN`, `assay explain MEASURE --grades 3,2,0,1`, and the same of the other subjects."""

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
from assay.cli.options import Clusters, Labels, Output, Rules, SpanRules, group, option, settings
from assay.core.errors import ParameterError, did_you_mean, listed

if TYPE_CHECKING:
    from assay.measures.counting import Confusion
    from assay.verbs.explanation import Explanation

COEFFICIENTS = ("Kendall", "tau", "Spearman", "tau_AP", "RBO")
Counts = Annotated[
    tuple[str, ...], option("--counts", metavar="TP,FP,FN[,TN]", help="Counts instead of files; NAME=COUNTS; repeat.")
]


@group
class Lists:
    """A ranking that is typed, instead of files: several are several queries, and NAME=LIST gives one a name."""

    grades: Annotated[
        tuple[str, ...],
        option("--grades", metavar="3,2,0,-,1", help="Grades by rank instead of files; - is not judged."),
    ] = ()
    relevant: Annotated[
        tuple[int, ...], option("--relevant", help="With --grades: how many relevant documents there are.", least=0)
    ] = ()
    exist: Annotated[
        tuple[str, ...], option("--exist", metavar="3:5,2:10", help="With --grades: how many documents of each grade.")
    ] = ()
    swap: Annotated[
        tuple[str, ...],
        option("--swap", metavar="2,3", help="With --grades: exchange two ranks.", panel=options.CONTENTS),
    ] = ()
    counts: Counts = ()
    points: Annotated[
        tuple[str, ...], option("--points", metavar=".1@1,.5@.9", help="Points of a curve, precision@recall.")
    ] = ()


@group
class Look:
    """How much of an explanation is shown."""

    show: options.Show = None
    running: Annotated[
        bool, option("--running", help="Also the measure cut off at every rank.", panel=options.CONTENTS)
    ] = False


def search(
    measure: options.MeasureName,
    qrels: options.OptionalJudgments = None,
    run: options.OptionalRun = None,
    /,
    *,
    query: options.Query = None,
    look: Look = Look(),
    lists: Lists = Lists(),
    gain: Annotated[
        str | None, option("--gain", help="As the parameter of the measure.", panel=options.CONTENTS)
    ] = None,
    discount: Annotated[
        str | None, option("--discount", help="As the parameter of the measure.", panel=options.CONTENTS)
    ] = None,
    rules: Rules = Rules(),
    to: Output = Output(),
) -> None:
    """Show how a number came about: every step, the formula with the numbers in it, the result.

    From files: MEASURE QRELS RUN --query ID; without --query, how the numbers of all queries are put together. Or from
    a list: --grades, with --relevant or --exist for what was not retrieved; --counts; or --points.

    $ assay explain nDCG@5 qrels.txt words.run --query t1
    $ assay explain AP --grades 1,0,1,0 --relevant 3
    $ assay explain F1 --counts 4,6,4
    """
    _one_source({"QRELS": qrels, "--grades": lists.grades, "--counts": lists.counts, "--points": lists.points},
                "judgments and a run, or --grades, or --counts, or --points")  # fmt: skip
    wanted = _with_parameters(measure, gain=gain, discount=discount)
    rest = ("relevant", "exist", "swap")
    if qrels is not None:
        items.refuse(lists, "goes with --grades, not with files", *rest)
        if run is None:
            raise ParameterError("give a run after the judgments")
        systems: tuple[Any, ...] = (qrels, _opened(qrels, run))
        stated = settings(rules)
    else:
        named = ("relevance_level", "collection_size", "undefined")
        items.refuse(options.without(rules, *named), "goes with judgments and runs")
        if not lists.grades:
            kind = "counts" if lists.counts else "points"
            items.refuse(lists, f"goes with --grades, not with --{kind}", *rest)
            if rules.relevance_level is not None:
                raise ParameterError(
                    f"--level goes with --grades, not with --{kind}: what is relevant is decided there"
                )
        if lists.counts and not _is_of_classes(measure) and _is_of_labels_too(measure):
            output.message("note: counted as retrieved documents; of a classifier: assay classifier explain")
        systems = (_typed(measure, lists, rules),)
        stated = options.stated(undefined=rules.undefined)
    stated |= settings(look) | options.stated(query=query)
    _deliver(wanted, systems, stated, to)


def classifier(
    measure: options.MeasureName,
    path: options.PredictionFile = None,
    /,
    *,
    matrix: options.Matrix = None,
    typed: options.TypedScores = None,
    counts: Counts = (),
    item: Annotated[
        str | None, option("--item", metavar="ID", help="Which item, for measures of single items.")
    ] = None,
    labels: Labels = Labels(),
    threshold: options.Threshold = None,
    orientation: options.Orientation = None,
    look: Look = Look(),
    to: Output = Output(),
) -> None:
    """Show how a classifier's number came about: every step, the formula with the numbers in it, the result.

    From a file of predictions, a --matrix, --scores, or --counts of one class (--positive names it) or several.

    $ assay classifier explain F1 letters/spam.csv --positive spam --system bayes
    $ assay classifier explain MCC --matrix '5 0; 1 3'
    $ assay classifier explain AUC --scores 'P .90, N .70, P .60'
    """
    _one_source({"FILE": path, "--matrix": matrix, "--scores": typed, "--counts": counts},
                "a file of predictions, or --matrix, or --scores, or --counts")  # fmt: skip
    if orientation is not None and (typed is not None or counts):
        raise ParameterError("--orientation goes with a matrix, not with --scores or --counts")
    # What of a classifier is meant: the verb shows it beside the whole.
    chosen = settings(look) | options.stated(
        label=labels.one_class, item=item, threshold=threshold, orientation=orientation
    )
    read = options.without(labels, "one_class")
    if matrix is not None:
        system: Any = items.typed_matrix(matrix, read, orientation)
    elif typed is not None:
        from assay.measures.counting.scored import Scored  # noqa: PLC0415  # `assay --help` need not load Polars

        scores = items.typed_scores(typed, read)
        system = Scored.from_scores(scores.truth, scores.scores, pos_label=True)
    elif counts:
        items.refuse(options.without(labels, "pos_label"), "goes with predictions, not with --counts")
        system = _cells(counts, None, classes=True, positive=labels.pos_label)
    else:
        system = items.only_system(items.predictions([str(path)], read))
    _deliver(measure, (system,), chosen, to, positive=labels.pos_label if counts else None)


def clustering(
    measure: options.MeasureName,
    path: Annotated[str | None, options.ClusterFile.__metadata__[0]] = None,
    /,
    *,
    table: options.Table = None,
    typed: Annotated[
        str | None, option("--clusters", metavar="'0 1 2 | 10 11'", help="Points in clusters instead of a file.")
    ] = None,
    names: Annotated[
        str | None, option("--cluster-names", metavar="a,b,c", help="Names of the clusters that were typed.")
    ] = None,
    classes: Annotated[
        str | None, option("--class-names", metavar="a,b,c", help="Names of the classes of --contingency.")
    ] = None,
    item: Annotated[str | None, option("--item", metavar="ID", help="Which item, for Silhouette.")] = None,
    clusters: Clusters = Clusters(),
    seed: options.Seed = None,
    look: Look = Look(),
    to: Output = Output(),
) -> None:
    """Show how a clustering's number came about: every step, the formula with the numbers in it, the result.

    From a file of clusters, a --contingency of classes and clusters, or points in --clusters.

    $ assay clustering explain NMI --contingency '5 1 2; 1 4 0; 0 1 3'
    $ assay clustering explain Silhouette --clusters '0 1 2 | 10 11'
    """
    _one_source({"FILE": path, "--contingency": table, "--clusters": typed},
                "a file of clusters, or --contingency, or --clusters")  # fmt: skip
    if seed is not None and clusters.sample_size is None:
        raise ParameterError("--seed goes with --sample-size, which draws items at random")
    if classes is not None and table is None:
        raise ParameterError("--class-names goes with --contingency")
    system_name = options.only(clusters.system, "--system")
    stated = settings(look) | options.stated(item=item, seed=seed, system=system_name)
    if table is not None:
        called = None if classes is None else labels_in(classes, "--class-names")
        system: Any = items.typed_contingency(table, clusters, called, lambda count: _called(names, count))
    elif typed is not None:
        system = _points(typed, names, clusters)
    else:
        if names is not None:
            raise ParameterError("--cluster-names goes with --contingency or --clusters: a file names its clusters")
        system = items.clusterings([str(path)], options.without(clusters, "system"))
        stated |= items.cluster_rules(clusters)
    _deliver(measure, (system,), stated, to)


def extraction(
    measure: options.MeasureName,
    truth: options.TrueSpans,
    system: Annotated[str | None, options.OptionalSpanFiles.__metadata__[0]] = None,
    /,
    *,
    kind: Annotated[str | None, option("--type", metavar="TYPE", help="Only the spans of this type.")] = None,
    rules: SpanRules = SpanRules(),
    to: Output = Output(),
) -> None:
    """Show how a number of extracted spans came about: the counts, the formula with the numbers in it, the result.

    $ assay extraction explain F letters/names.conll --type PER
    $ assay extraction explain Recall letters/mentions.conll letters/lists.conll
    """
    (read,) = items.extractions(truth, [] if system is None else [system], rules)
    _deliver(measure, (read,), options.stated(label=kind), to)


def scores(
    measure: Annotated[str, options.argument("COEFFICIENT", "Kendall, tau, Spearman, tau_AP or RBO.")],
    path: Annotated[str | None, options.argument("FILE", "A CSV of names and two columns of numbers.")] = None,
    /,
    *,
    order: Annotated[
        tuple[str, ...],
        option("--order", metavar="'A B=C D'", help="Items, the best first, = between tied ones; twice."),
    ] = (),
    to: Output = Output(),
) -> None:
    """Show how a rank correlation of two orders came about.

    $ assay scores explain Kendall --order 'A B C D' --order 'B A C D'
    """
    from assay.verbs.explanation.coefficients import is_coefficient  # noqa: PLC0415  # `assay --help` loads no Polars

    if not is_coefficient(measure):
        raise ParameterError(f"expected {listed(COEFFICIENTS)}, got {measure}{did_you_mean(measure, COEFFICIENTS)}")
    _deliver(measure, _two_orders(measure, order, path), {}, to)


def _one_source(sources: dict[str, Any], words: str) -> None:
    count = sum(options.is_set(value) for value in sources.values())
    if count != 1:
        raise ParameterError(f"give {words}{', not several' if count else ''}")


def _deliver(
    measure: Any, systems: tuple[Any, ...], stated: dict[str, Any], to: Output, *, positive: str | None = None
) -> None:
    from assay.verbs.explanation import explain  # noqa: PLC0415  # `assay --help` need not load Polars

    output.form_of(to)
    result = explain(measure, *systems, **stated)
    if positive is not None:
        result = _about_class(result, positive)
    output.deliver(output.rendered(result, to), to)


def _about_class(result: Explanation, positive: str) -> Explanation:
    """The same with the class in its signature."""
    from assay.subjects.labels.explained_matrices import of_class  # noqa: PLC0415

    return replace(result, signature=of_class(result.signature, positive))


def _opened(qrels: str, run: str) -> Any:
    """The run; a file that is empty is named, as nothing below would tell."""
    from assay.subjects.ranking.inputs import EMPTY_FILE  # noqa: PLC0415

    (opened,) = inputs.opened(qrels, [run])
    if opened.format == EMPTY_FILE:
        output.message(f"warning: {opened.origin}: the file is empty")
    return opened


def _with_parameters(measure: str, **typed: str | None) -> Any:
    """The measure with parameters that were typed as options, unless the measure's own text has them."""
    from assay.measures import parse_measure  # noqa: PLC0415
    from assay.measures.parser import parse_value  # noqa: PLC0415

    parameters = {name: text for name, text in typed.items() if text is not None}
    if not parameters:
        return measure
    wanted = parse_measure(measure)
    for name in parameters:
        if name in wanted.given:
            raise ParameterError(f"{name} is said twice: in {wanted} and by --{name}")
    return wanted(**{name: parse_value(text) for name, text in parameters.items()})


def _is_of_labels_too(measure: str) -> bool:
    """Whether classifiers have a measure by this name."""
    from assay.measures import parse_measure  # noqa: PLC0415

    try:
        parse_measure(measure, "binary")
    except ParameterError:
        return False
    return True


def _is_of_classes(measure: str) -> bool:
    from assay.verbs.explanation.explain import is_of_classes  # noqa: PLC0415

    return is_of_classes(measure)


def _typed(measure: str, lists: Lists, rules: Rules) -> Any:
    """The counts that a typed list stands for."""
    if lists.counts:
        return _cells(lists.counts, rules.collection_size, classes=_is_of_classes(measure))
    if lists.points:
        from assay.measures.curve_input import GivenCurve  # noqa: PLC0415

        if rules.collection_size is not None:
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
    known |= options.stated(level=rules.relevance_level, collection_size=rules.collection_size)
    return ranks_of(*grades, **known, names=_names(rankings))


def _cells(
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


def _called(names: str | None, count: int) -> list[str] | None:
    """The names of clusters that were typed, if they were named."""
    called = None if names is None else labels_in(names, "--cluster-names")
    if called is not None and len(called) != count:
        raise ParameterError(f"--cluster-names: expected {count} names, one a cluster, got {len(called)}")
    return called


def _points(typed: str, names: str | None, clusters: Clusters) -> Any:
    from assay.measures.counting.points import Points  # noqa: PLC0415

    items.refuse(options.without(clusters, "metric"), "goes with a file, not with --clusters")
    points = points_in_clusters(typed)
    count = max(points.clusters)
    called = _called(names, count) or [str(place) for place in range(1, count + 1)]
    places = [called[place - 1] for place in points.clusters]
    return Points.of(points.rows, places, **settings(clusters))


def _two_orders(measure: str, orders: tuple[str, ...], path: str | None) -> tuple[Any, Any]:
    """The two orders that were typed, or the two columns of numbers in a file."""
    if orders:
        if path is not None or len(orders) != 2:
            raise ParameterError(f"{measure} takes --order twice, and no file: got {len(orders)} of them")
        first, second = (numbers_of(order_in(text)) for text in orders)
        return first, second
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
    left, right = columns.values()
    return left, right
