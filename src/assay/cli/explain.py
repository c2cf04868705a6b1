"""`assay explain MEASURE QRELS RUN --query Q`, `assay explain MEASURE --grades 3,2,0,1`, `... --matrix '5 0; 1 3'`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli import explained_items, inputs, options, output, prediction_inputs
from assay.cli.cluster_inputs import ClusterInputs
from assay.cli.explained_items import ItemInputs
from assay.cli.prediction_inputs import PredictionInputs
from assay.cli.typed_lists import Typed
from assay.core.errors import ParameterError

if TYPE_CHECKING:
    from assay.counting.scored import Scored
    from assay.explanation import Explanation
    from assay.measures import Measure
    from assay.tables import Batches

_LIST = "A list instead of files; repeat it for several queries, NAME=LIST gives one a name"
_CLASSIFIERS = "Classifiers: a matrix or scores instead of files"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="explain")(explain)


def explain(
    measure: Annotated[str, typer.Argument(metavar="MEASURE", help="The measure, such as nDCG@10.")],
    qrels: Annotated[
        str | None, typer.Argument(metavar="QRELS", help="Judgments; or a file of predictions, or of clusters.")
    ] = None,
    run: Annotated[str | None, typer.Argument(metavar="RUN", help="The run.")] = None,
    query: Annotated[
        str | None, typer.Option("-q", "--query", help="Which query; without it, how all are put together.")
    ] = None,
    show: Annotated[int | None, typer.Option(help="How many ranks to show; default the cut-off, or 20.", min=1)] = None,
    running: Annotated[bool, typer.Option("--running", help="Also the measure cut off at every rank.")] = False,
    grades: Annotated[
        list[str] | None,
        typer.Option(help="Grades by rank, such as 3,2,0,-,1 or R,N,N,R; - is not judged.", rich_help_panel=_LIST),
    ] = None,
    relevant: Annotated[
        list[int] | None,
        typer.Option(help="How many relevant documents there are in all.", min=0, rich_help_panel=_LIST),
    ] = None,
    exist: Annotated[
        list[str] | None, typer.Option(help="How many documents of each grade exist: 3:5,2:10.", rich_help_panel=_LIST)
    ] = None,
    swap: Annotated[
        list[str] | None, typer.Option(help="Exchange the documents at two ranks: 2,3.", rich_help_panel=_LIST)
    ] = None,
    counts: Annotated[
        list[str] | None, typer.Option(help="TP,FP,FN or TP,FP,FN,TN, for measures of sets.", rich_help_panel=_LIST)
    ] = None,
    points: Annotated[
        list[str] | None,
        typer.Option(
            help="Points of a curve, precision@recall: .1@1,.5@.9,1@0. Or points in clusters: '0 1 2 | 10 11', "
            "'0,0; 1,1 | 5,5'; of a file of clusters, the columns of the points.",
            rich_help_panel=_LIST,
        ),
    ] = None,
    matrix: Annotated[
        str | None,
        typer.Option(help="A confusion matrix, '13 4 2; 2 15 1; 5 1 57', or a file.", rich_help_panel=_CLASSIFIERS),
    ] = None,
    scores: Annotated[
        str | None, typer.Option(help="Classes and scores: 'P .90, N .70, P .60'.", rich_help_panel=_CLASSIFIERS)
    ] = None,
    orientation: Annotated[
        str | None,
        typer.Option(help="Of a matrix: rows_are_true (default), rows_are_predicted.", rich_help_panel=_CLASSIFIERS),
    ] = None,
    item: Annotated[
        str | None,
        typer.Option(help="Which item, for measures of single items and Silhouette.", rich_help_panel=_CLASSIFIERS),
    ] = None,
    truth: prediction_inputs.Truth = None,
    prediction: prediction_inputs.Prediction = None,
    score: prediction_inputs.Score = None,
    item_id: prediction_inputs.ItemId = None,
    weight: prediction_inputs.Weight = None,
    system: prediction_inputs.System = None,
    nulls: prediction_inputs.Nulls = None,
    list_separator: prediction_inputs.ListSeparator = None,
    labels: prediction_inputs.Labels = None,
    unknown: prediction_inputs.Unknown = None,
    positive: Annotated[
        str | None,
        typer.Option(
            help="The positive one of two labels, if it is not 1 or true; with --counts, its name.",
            rich_help_panel=prediction_inputs.PANEL,
        ),
    ] = None,
    one_class: prediction_inputs.OneClass = None,
    threshold: prediction_inputs.Threshold = None,
    table: explained_items.Table = None,
    cluster_names: explained_items.ClusterNames = None,
    cluster: explained_items.ClusterColumns = None,
    noise: explained_items.Noise = None,
    noise_as: explained_items.NoiseAs = None,
    unlabelled: explained_items.Unlabelled = None,
    metric: explained_items.Metric = None,
    sample_size: explained_items.SampleSize = None,
    seed: explained_items.Seed = None,
    order: explained_items.Orders = None,
    gain: Annotated[str | None, typer.Option(help="As the parameter of the measure.", rich_help_panel=_LIST)] = None,
    discount: Annotated[
        str | None, typer.Option(help="As the parameter of the measure.", rich_help_panel=_LIST)
    ] = None,
    json: output.Json = False,
    csv: output.Csv = False,
    markdown: output.Markdown = False,
    latex: output.Latex = False,
    html: Annotated[bool, typer.Option("--html", help="As HTML tables.", rich_help_panel=options.OUTPUT)] = False,
    to: output.Output = None,
    level: options.Level = 1.0,
    ties: options.Ties = "doc_id_descending",
    missing: options.Missing = None,
    unjudged: options.Unjudged = "irrelevant",
    duplicates: options.Duplicates = "error",
    rank_by: options.RankBy = "score",
    depth: options.Depth = None,
    judged_only: options.JudgedOnly = False,
    collection_size: options.CollectionSize = None,
    undefined: options.Undefined = "counted_as",
    compat: options.Compat = None,
    judge: options.Judge = None,
    subtopics: options.Subtopics = False,
) -> None:
    """Show how a number came about: every step, the formula with the numbers in it, the result.

    From files: MEASURE QRELS RUN --query ID; without --query, how the numbers of all queries are put together. From a
    list: MEASURE --grades 3,2,0,1, with --relevant or --exist for what was not retrieved; MEASURE --counts TP,FP,FN,TN;
    or MEASURE --points precision@recall,... Of a classifier: MEASURE PREDICTIONS, MEASURE --matrix '5 0; 1 3' or
    MEASURE --scores 'P .90, N .70'. Of a clustering: MEASURE CLUSTERS, MEASURE --table '5 1; 0 4' or MEASURE --points
    '0 1 2 | 10 11'. Of two orders: Kendall, tau, Spearman, tau_AP or RBO, with --order twice.
    """
    form = output.form_of(json=json, csv=csv, markdown=markdown, latex=latex, html=html)
    rules = options.rules(level, ties, missing, unjudged, duplicates, rank_by, depth, judged_only, collection_size)
    rules |= {"compat": compat, "judge": judge, "undefined": undefined}
    sources = {"QRELS": qrels, "--grades": grades, "--counts": counts, "--points": points, "--matrix": matrix}
    sources |= {"--scores": scores, "--table": table, "--order": order}
    clustered = ClusterInputs(
        truth=truth, cluster=cluster, item_id=item_id, weight=weight, noise=noise, noise_as=noise_as,
        unlabelled=unlabelled, metric=metric, sample_size=sample_size,
    )  # fmt: skip
    given = [name for name, value in sources.items() if value]
    if qrels is not None and points and "@" not in points[0]:
        given.remove("--points")  # columns of the file
    if len(given) != 1:
        raise ParameterError(
            f"give judgments and a run, or --grades, or --counts, or --points{', not several' if given else ''}; "
            "of a classifier, a file of predictions, or --matrix, or --scores; of a clustering, a file of clusters, or "
            "--table, or --points; of two orders, --order twice"
        )
    typed = Typed(grades, counts, points, relevant, exist, swap)
    predicted = PredictionInputs(
        truth=truth, prediction=prediction, score=score, item_id=item_id, weight=weight, system=system, nulls=nulls,
        list_separator=list_separator, labels=labels, unknown=unknown, positive=positive,
    )  # fmt: skip
    # What of a classifier is meant: the verb shows it beside the whole.
    chosen: dict[str, Any] = {"label": one_class, "item": item, "threshold": threshold}
    look = {"query": query, "show": show, "running": running}
    items = ItemInputs(clustered, predicted._replace(system=None), table, points, cluster_names, order, seed)
    if (of_items := items.given(measure, qrels, run)) is not None:
        options.refuse_rules(rules)
        typed.refuse("goes with --grades", "relevant", "exist", "swap")
        _refuse({"gain": gain, "discount": discount, "orientation": orientation}, "is about rankings or classifiers")
        result = _explained(measure, *of_items.given, **chosen, system=system, **look, **of_items.rules)
    elif (found := _classifier(predicted, matrix, scores, orientation, qrels, run)) is not None:
        options.refuse_rules(rules)
        typed.refuse("goes with --grades", "relevant", "exist", "swap")
        _refuse({"gain": gain, "discount": discount}, "is about rankings")
        chosen["orientation"] = orientation or "rows_are_true"
        result = _explained(measure, found, **chosen, **look)
    else:
        items.refuse()
        wanted = _with_parameters(measure, gain=gain, discount=discount)
        _refuse(chosen | {"orientation": orientation}, "is about classifiers: give predictions, --matrix or --scores")
        if qrels is not None:
            predicted.refuse("is about classifiers, and these are judgments and a run")
            typed.refuse("goes with --grades, not with files", "relevant", "exist", "swap")
            rules |= {"subtopics": True} if subtopics else {}  # not said is not no
            result = _explained(wanted, qrels, _opened(qrels, run or ""), **look, **rules)
        else:
            others = [name for name in predicted._fields if name != "positive" or not counts]
            predicted.refuse("is about classifiers: it goes with predictions, --matrix or --scores", *others)
            named = {"relevance_level", "collection_size", "undefined"}
            options.refuse_rules({name: value for name, value in rules.items() if name not in named})
            typed = typed._replace(
                positive=positive, classes=bool(counts) and (positive is not None or _is_of_classes(wanted))
            )
            if counts and not typed.classes and _is_of_labels_too(measure):
                typer.echo("note: counted as retrieved documents; of a classifier, say --positive LABEL", err=True)
            result = _explained(wanted, typed.counted(level, collection_size), **look, undefined=undefined)
            result = result if positive is None else _about_class(result, positive)
    output.deliver(output.rendered(result, form, plain=to is not None), to)


def _opened(qrels: str, run: str) -> Batches:
    """The run; a file that is empty is named, as nothing below would tell."""
    from assay.inputs import EMPTY_FILE  # noqa: PLC0415  # `assay --help` need not load Polars

    (opened,) = inputs.opened(qrels, [run])
    if opened.format == EMPTY_FILE:
        output.message(f"warning: {opened.origin}: the file is empty")
    return opened


def _about_class(result: Explanation, positive: str) -> Explanation:
    """The same with the class in its signature."""
    from assay.explanation.matrices import of_class  # noqa: PLC0415  # `assay --help` need not load Polars

    return replace(result, signature=of_class(result.signature, positive))


def _explained(measure: Any, *given: Any, **said: Any) -> Explanation:
    from assay.explanation import explain as verb  # noqa: PLC0415  # `assay --help` need not load Polars

    return verb(measure, *given, **said)


def _classifier(
    predicted: PredictionInputs,
    matrix: str | None,
    scores: str | None,
    orientation: str | None,
    path: str | None,
    run: str | None,
) -> Any:
    """What a classifier did, if that is what was given."""
    if matrix is not None:
        return predicted.matrix(matrix, orientation)
    if scores is not None:
        return _scored(predicted, scores, orientation)
    if path is None or run is not None:
        return None
    is_predicted, files = predicted.looked_at([path])
    if is_predicted:
        return predicted.one(files[0])
    raise prediction_inputs.no_predictions(files[0], "give a run after the judgments, or a file of predictions")


def _scored(predicted: PredictionInputs, scores: str, orientation: str | None) -> Scored:
    from assay.counting.scored import Scored  # noqa: PLC0415

    _refuse({"orientation": orientation}, "goes with a matrix, not with --scores")
    typed = predicted.typed_scores(scores)
    return Scored.from_scores(typed.truth, typed.scores, pos_label=True)


def _is_of_classes(measure: Any) -> bool:
    from assay.explanation.labels import is_of_classes  # noqa: PLC0415

    return is_of_classes(measure)


def _is_of_labels_too(measure: str) -> bool:
    """Whether classifiers have a measure by this name."""
    from assay.measures import parse_measure  # noqa: PLC0415

    try:
        parse_measure(measure, "binary")
    except ParameterError:
        return False
    return True


def _refuse(said: dict[str, Any], why: str) -> None:
    for name, value in said.items():
        if value is not None:
            raise ParameterError(f"--{'class' if name == 'label' else name} {why}")


def _with_parameters(measure: str, **typed: str | None) -> str | Measure:
    """The measure with parameters that were typed as options, unless the measure's own text has them."""
    from assay.measures import parse_measure  # noqa: PLC0415
    from assay.measures.parser import parse_value  # noqa: PLC0415

    said = {name: text for name, text in typed.items() if text is not None}
    if not said:
        return measure
    wanted = parse_measure(measure)
    for name in said:
        if name in wanted.given:
            raise ParameterError(f"{name} is said twice: in {wanted} and by --{name}")
    return wanted(**{name: parse_value(text) for name, text in said.items()})
