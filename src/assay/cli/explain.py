"""`assay explain MEASURE QRELS RUN`, `assay explain MEASURE --grades 3,2,0,1`, and the same of the other subjects."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import inputs, items, options, output
from assay.cli.counts import (
    Counts,
    TypedLists,
    counts_of,
    decisions_in,
    is_of_classes,
    names_of_clusters,
    points_of,
    two_orders,
)
from assay.cli.literals import labels_in
from assay.cli.options import Output, SearchRules, group, option, settings
from assay.cli.subject_options import ClusterInputs, LabelInputs, SpanRules
from assay.core.errors import ParameterError, did_you_mean, listed

if TYPE_CHECKING:
    from assay.verbs.explanation import Explanation

COEFFICIENTS = ("Kendall", "tau", "Spearman", "tau_AP", "RBO")


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
    lists: TypedLists = TypedLists(),
    gain: Annotated[
        str | None, option("--gain", help="As the parameter of the measure.", panel=options.CONTENTS)
    ] = None,
    discount: Annotated[
        str | None, option("--discount", help="As the parameter of the measure.", panel=options.CONTENTS)
    ] = None,
    rules: SearchRules = SearchRules(),
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
        if lists.counts and not is_of_classes(measure) and _is_of_labels_too(measure):
            output.message("note: counted as retrieved documents; of a classifier: assay classifier explain")
        systems = (counts_of(measure, lists, rules),)
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
    labels: LabelInputs = LabelInputs(),
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
        system = decisions_in(counts, None, classes=True, positive=labels.pos_label)
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
    clusters: ClusterInputs = ClusterInputs(),
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
        system: Any = items.typed_contingency(table, clusters, called, lambda count: names_of_clusters(names, count))
    elif typed is not None:
        system = points_of(typed, names, clusters)
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
    _deliver(measure, two_orders(measure, order, path), {}, to)


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
