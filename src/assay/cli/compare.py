"""`assay compare QRELS RUN...`, `assay compare SCORES`, `assay compare PREDICTIONS...`, `assay compare CLUSTERS...`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from assay.cli import cluster_inputs, inputs, options, output, prediction_inputs
from assay.cli import tests_of_differences as tested
from assay.cli.compared_lists import Pair, extras, rendered
from assay.core.errors import ParameterError

_DOCUMENTS = "Documents and queries"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="compare")(compare)


def compare(
    given: Annotated[
        str,
        typer.Argument(
            metavar="QRELS",
            help="Judgments; or, without runs, a CSV of scores per system and unit; or predictions of classifiers; or "
            "clusters of items.",
        ),
    ],
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN",
            help="Two runs or more, or more predictions or clusters; the first of two is the baseline. name=FILE names "
            "one.",
        ),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            help="A measure, such as nDCG@10; repeat. Default: AP, nDCG@10, RR, P@10; of "
            "classifiers Accuracy, F, MCC and AUC (MCC first where one label has most items); of clusterings ARI, NMI, "
            "BCubedF, Silhouette, DaviesBouldin.",
        ),
    ] = None,
    baseline: Annotated[
        list[str] | None, typer.Option("-b", "--baseline", help="The system to compare the others with; repeat.")
    ] = None,
    system: Annotated[
        str | None,
        typer.Option(help="Of several systems, the one to list documents and queries of.", rich_help_panel=_DOCUMENTS),
    ] = None,
    all_pairs: Annotated[
        bool, typer.Option("--all-pairs", help="Every system with every other; what more than two get anyway.")
    ] = False,
    direction: tested.Direction = None,
    test: tested.OwnTest = None,
    correction: tested.Correction = "holm",
    family: tested.Family = "measure",
    interval: tested.Interval = "hull",
    alpha: tested.Alpha = 0.05,
    margin: tested.Margin = None,
    power: tested.Power = 0.8,
    resamples: tested.Resamples = None,
    bootstrap_resamples: tested.BootstrapResamples = 10_000,
    seed: tested.Seed = 0,
    judge_next: Annotated[
        int | None,
        typer.Option(
            "--judge-next",
            help="List so many unjudged documents that would decide the comparison.",
            min=1,
            rich_help_panel=_DOCUMENTS,
        ),
    ] = None,
    changes: Annotated[
        str | None,
        typer.Option(
            help="List the documents gained, lost and moved for this query; `all` for every query.",
            rich_help_panel=_DOCUMENTS,
        ),
    ] = None,
    queries: Annotated[
        int | None,
        typer.Option(help="List so many queries that make most of the difference.", min=1, rich_help_panel=_DOCUMENTS),
    ] = None,
    bounds: Annotated[
        bool,
        typer.Option(
            "--bounds",
            help="How low and how high each score could be with other grades for unjudged documents.",
            rich_help_panel=_DOCUMENTS,
        ),
    ] = False,
    slices: Annotated[
        str | None,
        typer.Option(help="Compare within groups of topics by this attribute of --topics.", rich_help_panel=_DOCUMENTS),
    ] = None,
    topics: Annotated[
        str | None, typer.Option(help="The topics, with attributes, for --slices.", rich_help_panel=_DOCUMENTS)
    ] = None,
    flipped: Annotated[
        int | None,
        typer.Option(
            help="List so many items that two classifiers predict differently.",
            min=1,
            rich_help_panel=prediction_inputs.PANEL,
        ),
    ] = None,
    truth: prediction_inputs.Truth = None,
    prediction: prediction_inputs.Prediction = None,
    score: prediction_inputs.Score = None,
    item_id: prediction_inputs.ItemId = None,
    weight: prediction_inputs.Weight = None,
    nulls: prediction_inputs.Nulls = None,
    list_separator: prediction_inputs.ListSeparator = None,
    labels: prediction_inputs.Labels = None,
    unknown: prediction_inputs.Unknown = None,
    positive: prediction_inputs.Positive = None,
    one_class: prediction_inputs.OneClass = None,
    threshold: prediction_inputs.Threshold = None,
    cluster: cluster_inputs.ClusterColumns = None,
    points: cluster_inputs.PointColumns = None,
    noise: cluster_inputs.Noise = None,
    noise_as: cluster_inputs.NoiseAs = None,
    unlabelled: cluster_inputs.Unlabelled = None,
    metric: cluster_inputs.Metric = None,
    sample_size: cluster_inputs.SampleSize = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            help="Also draw the intervals: a file in .svg, .png, .pdf, .html.", rich_help_panel=options.OUTPUT
        ),
    ] = None,
    json: output.Json = False,
    csv: output.Csv = False,
    markdown: output.Markdown = False,
    latex: output.Latex = False,
    to: output.Output = None,
    quiet: options.Quiet = False,
    level: options.Level = 1.0,
    ties: options.Ties = "doc_id_descending",
    missing: options.Missing = None,
    unjudged: options.Unjudged = "irrelevant",
    duplicates: options.Duplicates = "error",
    rank_by: options.RankBy = "score",
    depth: options.Depth = None,
    judged_only: options.JudgedOnly = False,
    collection_size: options.CollectionSize = None,
    complete: options.Complete = False,
    undefined: options.Undefined = "counted_as",
    compat: options.Compat = None,
    judge: options.Judge = None,
) -> None:
    """Say whether one system is better than another, how sure one can be, and what it rests on.

    Give judgments and two runs or more; or a CSV of scores: `system,measure,unit,value`, what `assay evaluate -q --csv`
    writes, or a matrix with a column a system (then -m names what was measured). Or give predictions of classifiers:
    one file with several systems side by side, or a file each, whose items are paired by their ids. Or clusters of the
    same items, likewise: there is no test of clusterings, and the interval of the difference decides.
    """
    form = output.form_of(json=json, csv=csv, markdown=markdown, latex=latex)
    if (slices is None) != (topics is None):
        raise ParameterError("--slices ATTRIBUTE and --topics FILE go together")
    from assay import comparison as verb  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.pairing import DEFAULT_MEASURES  # noqa: PLC0415

    if plot is not None:
        from assay.show.pictures import suffix_of  # noqa: PLC0415

        suffix_of(plot)  # before anything is read
    settings: dict[str, Any] = {
        "baseline": baseline or None, "direction": tested.directions(direction), "all_pairs": all_pairs, "test": test,
        "correction": correction, "family": family,
        "interval": interval, "alpha": alpha, "margin": margin, "power": power, "resamples": resamples,
        "bootstrap_resamples": bootstrap_resamples, "seed": seed,
    }  # fmt: skip
    rules = options.rules(
        level, ties, missing, unjudged, duplicates, rank_by, depth, judged_only, collection_size, complete
    )
    rules |= {"undefined": undefined, "compat": compat, "judge": judge}
    predicted = prediction_inputs.PredictionInputs(
        truth=truth, prediction=prediction, score=score, item_id=item_id, weight=weight, nulls=nulls,
        list_separator=list_separator, labels=labels, unknown=unknown, positive=positive, one_class=one_class,
        threshold=threshold,
    )  # fmt: skip
    clustered = cluster_inputs.ClusterInputs(
        truth=truth, cluster=cluster, item_id=item_id, weight=weight, points=points, noise=noise, noise_as=noise_as,
        unlabelled=unlabelled, metric=metric, sample_size=sample_size,
    )  # fmt: skip
    files: Any = clustered.among([given, *(runs or ())])
    in_clusters, is_predicted = files is not None, False
    if not in_clusters:
        is_predicted, files = predicted.looked_at([given, *(runs or ())])
    if flipped is not None and not is_predicted:
        raise ParameterError("--flipped goes with predictions of classifiers")
    compared: Any
    if in_clusters or is_predicted:
        told = clustered if in_clusters else predicted
        options.refuse_rules({name: value for name, value in rules.items() if name != "missing"})
        compared, own = _items(told, files, predicted, missing, quiet=quiet)
        settings |= own | {"measures": measure or None}
    elif runs:
        compared = inputs.evaluated(files[0], runs, measure or DEFAULT_MEASURES, rules, quiet)
    else:
        options.refuse_rules(rules)
        inputs.refuse_judgments(files[0])
        compared, settings["measures"] = files[0], measure or None
    with inputs.working("comparing", hidden=quiet):
        result = verb.compare(compared, **settings)
        pair = Pair(result, system)
        lists = extras(pair, judge_next, changes, queries, bounds, slices, topics, flipped)
    text = rendered(result, form, lists, plain=to is not None)
    if plot is not None:
        result.intervals().save(plot)
    if not quiet:
        inputs.say(result.evaluation, result.notes)
    output.deliver(text, to)


def _items(
    told: prediction_inputs.PredictionInputs | cluster_inputs.ClusterInputs,
    files: list[Any],
    predicted: prediction_inputs.PredictionInputs,
    missing: str | None,
    *,
    quiet: bool,
) -> tuple[Any, dict[str, Any]]:
    """Predictions or clusters, and the rules that were said for them."""
    if isinstance(told, prediction_inputs.PredictionInputs):
        found = told.read(files)
        rules = told.rules(missing)
        if not quiet:
            prediction_inputs.say(found)
        return found, rules
    predicted.refuse("is about classifiers, and these are clusters", *prediction_inputs.NOT_OF_CLUSTERS)
    clusters = told.read(files)
    if not quiet:
        cluster_inputs.say(clusters)
    return clusters, told.rules() | ({} if missing is None else {"missing": missing})
