"""`assay plot QRELS RUN...`, `assay plot roc FILE...`, `assay plot silhouette FILE...`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli import (
    cluster_inputs,
    inputs,
    numbers_of_clusters,
    options,
    plot_classifiers,
    plot_clusters,
    prediction_inputs,
)
from assay.cli.output import message
from assay.core.domains import Choice
from assay.core.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from assay.curves import Curve
    from assay.tables import Batches

_CURVE = "Curve"
KINDS = ("pr", "roc", "cutoff", "queries", "difference")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="plot")(plot)


def plot(
    qrels: Annotated[
        str,
        typer.Argument(
            metavar="QRELS",
            help=(
                "Judgments, or - for stdin; or, of a classifier, roc, pr, det, calibration, gain, lift, scores; or, of "
                "clusters, silhouette, contingency, over-k."
            ),
        ),
    ],
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN", help="Runs; or files with truth and scores, or clusters. name=FILE gives a name."
        ),
    ],
    kind: Annotated[
        str | None,
        typer.Option(
            "-k",
            "--kind",
            help="pr (precision-recall; default), roc, cutoff, queries, difference.",
            rich_help_panel=_CURVE,
        ),
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(
            "-m",
            "--measure",
            help="The measure of cutoff (default nDCG), queries and difference (default nDCG@10).",
            rich_help_panel=_CURVE,
        ),
    ] = None,
    query: Annotated[
        str | None, typer.Option(help="One topic instead of the mean (pr, roc, cutoff).", rich_help_panel=_CURVE)
    ] = None,
    levels: Annotated[
        int | None,
        typer.Option(help="Levels of recall, evenly spaced from 0 to 1 (pr; default 11).", rich_help_panel=_CURVE),
    ] = None,
    unretrieved: Annotated[
        str | None,
        typer.Option(
            help="Documents not retrieved: left_out; with --collection-size random_order, relevant_last (roc).",
            rich_help_panel=_CURVE,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="The file to write: .svg, .png, .pdf, .html, .json, .csv, .md. Default: assay-KIND.html.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
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
    undefined: Annotated[
        str | None,
        typer.Option(
            help="Undefined values in a mean: counted_as, skip (default of roc), error.", rich_help_panel=options.RULES
        ),
    ] = None,
    compat: options.Compat = None,
    judge: options.Judge = None,
    subtopics: options.Subtopics = False,
    seed: options.Seed = 0,
    samples: options.Samples = 100,
    truth: prediction_inputs.Truth = None,
    prediction: prediction_inputs.Prediction = None,
    score: prediction_inputs.Score = None,
    item_id: prediction_inputs.ItemId = None,
    weight: prediction_inputs.Weight = None,
    system: prediction_inputs.Systems = None,
    nulls: prediction_inputs.Nulls = None,
    labels: prediction_inputs.Labels = None,
    unknown: prediction_inputs.Unknown = None,
    positive: prediction_inputs.Positive = None,
    one_class: prediction_inputs.OneClass = None,
    bins: plot_classifiers.Bins = None,
    binning: plot_classifiers.Binning = None,
    band: plot_classifiers.Band = None,
    threshold: plot_classifiers.Threshold = None,
    at: plot_classifiers.At = None,
    confidence: plot_classifiers.Confidence = None,
    resamples: plot_classifiers.Resamples = None,
    cluster: cluster_inputs.ClusterColumns = None,
    points: cluster_inputs.PointColumns = None,
    noise: cluster_inputs.Noise = None,
    noise_as: cluster_inputs.NoiseAs = None,
    unlabelled: cluster_inputs.Unlabelled = None,
    metric: cluster_inputs.Metric = None,
    sample_size: cluster_inputs.SampleSize = None,
    ks: numbers_of_clusters.Ks = None,
    over_k: numbers_of_clusters.OverK = None,
) -> None:
    """Draw a curve: precision against recall, ROC, a measure by cut-off, topic by topic, or a difference.

    Of a classifier's scores: `assay plot roc FILE`, and pr, det, calibration, gain, lift, scores likewise. Of clusters:
    `assay plot silhouette FILE` (with --points), `contingency`, and `over-k` (with --ks or --over-k).
    """
    predicted = prediction_inputs.PredictionInputs(
        truth=truth, prediction=prediction, score=score, item_id=item_id, weight=weight, system=system, nulls=nulls,
        labels=labels, unknown=unknown, positive=positive, one_class=one_class,
    )  # fmt: skip
    of_scores = {
        "bins": bins, "binning": binning, "band": band, "threshold": threshold, "at": at, "confidence": confidence,
        "resamples": resamples,
    }  # fmt: skip
    rules = options.rules(level, ties, missing, unjudged, duplicates, rank_by, depth, judged_only, collection_size)
    rules |= {"compat": compat, "judge": judge}
    clustered = cluster_inputs.ClusterInputs(
        truth=truth, cluster=cluster, item_id=item_id, weight=weight, system=system, points=points, noise=noise,
        noise_as=noise_as, unlabelled=unlabelled, metric=metric, sample_size=sample_size,
    )  # fmt: skip
    numbers = numbers_of_clusters.NumberInputs(ks, over_k)
    if plot_clusters.is_kind(qrels):
        _only_of_scores(kind=kind, measure=measure, query=query, unretrieved=unretrieved, levels=levels,
                        subtopics=subtopics or None)  # fmt: skip
        options.refuse_rules(rules | ({} if undefined is None else {"undefined": undefined}))
        plot_classifiers.refuse(of_scores)
        predicted.refuse("goes with a classifier's curves", "prediction", "score", "nulls", "labels", "unknown",
                         "positive", "one_class")  # fmt: skip
        target = _target(output, qrels)
        with inputs.working("looking at clusters", hidden=quiet):
            curve = plot_clusters.curve_of(qrels, runs, clustered, numbers, seed)
        _delivered(curve, target, quiet=quiet)
        return
    clustered.refuse("goes with clusters, as in: assay plot silhouette FILE", *plot_clusters.OWN)
    numbers.refuse("goes with clusters: assay plot over-k FILE")
    if plot_classifiers.is_kind(qrels):
        _only_of_scores(kind=kind, measure=measure, query=query, unretrieved=unretrieved, levels=levels,
                        subtopics=subtopics or None)  # fmt: skip
        options.refuse_rules(rules | ({} if undefined is None else {"undefined": undefined}))
        of_scores["seed"] = seed or None
        target = _target(output, qrels)
        _delivered(plot_classifiers.curve_of(qrels, runs, of_scores, predicted), target, quiet=quiet)
        return
    plot_classifiers.refuse(of_scores)
    predicted.refuse("goes with a classifier's curves, as in: assay plot roc FILE")
    _refuse_misspelt(qrels)
    kind = kind or "pr"
    Choice(KINDS).check("--kind", kind)
    _refuse(kind, measure=measure, query=query, unretrieved=unretrieved, levels=levels)
    target = _target(output, kind)
    rules |= {"seed": seed, "samples": samples}
    rules |= {"subtopics": True} if subtopics else {}  # not said is not no
    rules |= {} if undefined is None else {"undefined": undefined}
    own = {"measure": measure, "query": query, "levels": 11 if levels is None else levels, "unretrieved": unretrieved}
    files = inputs.opened(qrels, runs)
    with inputs.progress(files, hidden=quiet):
        curve = _curve(kind, qrels, files, own, rules)
    _delivered(curve, target, quiet=quiet)


def _target(output: Path | None, kind: str) -> Path:
    """The file to write; one whose form is not known, or cannot be drawn, is refused before anything is read."""
    from assay.show.pictures import suffix_of  # noqa: PLC0415  # `--help` need not load Polars

    target = output or Path(f"assay-{kind}.html")
    suffix_of(target)
    return target


def _refuse_misspelt(word: str) -> None:
    """What is no file may be a kind of picture that was typed wrongly: better said than that a run is no judgments."""
    kinds = (*plot_classifiers.TAKES, *plot_clusters.KINDS)
    if word.isidentifier() and not Path(word).exists() and (hint := did_you_mean(word, kinds)):
        raise ParameterError(f"{word!r} is no file, and no picture of scores or clusters{hint}")


def _delivered(curve: Curve, target: Path, *, quiet: bool) -> None:
    """Write the picture, and say on stderr what it is of and what is odd."""
    curve.save(target)
    for warning in () if quiet else curve.warnings:
        message(f"warning: {warning}")
    if not quiet:
        message(f"{target}: {curve.title}, {curve.subtitle}")


def _only_of_scores(**given: Any) -> None:
    """What is for judgments and runs has no meaning for a classifier's scores."""
    for name, value in given.items():
        if value is not None:
            raise ParameterError(f"--{name} goes with judgments and runs")


def _refuse(kind: str, **given: Any) -> None:
    """What a kind has no use for is not passed over in silence."""
    takes = {
        "pr": {"query", "levels"},
        "roc": {"query", "unretrieved"},
        "cutoff": {"measure", "query"},
        "queries": {"measure"},
        "difference": {"measure"},
    }
    for name, value in given.items():
        if value is not None and name not in takes[kind]:
            raise ParameterError(f"--{name} has no meaning for --kind {kind}")


def _curve(kind: str, qrels: str, files: list[Batches], own: dict[str, Any], rules: dict[str, Any]) -> Curve:
    from assay import curves  # noqa: PLC0415
    from assay.evaluation import evaluate  # noqa: PLC0415

    if kind == "pr":
        return curves.precision_recall(qrels, files, query=own["query"], levels=own["levels"], **rules)
    if kind == "roc":
        return curves.roc(qrels, files, query=own["query"], unretrieved=own["unretrieved"], **rules)
    if kind == "cutoff":
        return curves.by_cutoff(qrels, files, own["measure"] or "nDCG", query=own["query"], **rules)
    if kind == "difference" and len(files) != 2:
        raise ParameterError(f"--kind difference is between two runs: the second against the first; got {len(files)}")
    evaluation = evaluate(qrels, files, own["measure"] or "nDCG@10", **rules)
    if len(evaluation.measures) > 1:
        raise ParameterError(f"--kind {kind} draws one measure, not {len(evaluation.measures)}")
    return curves.per_query(evaluation) if kind == "queries" else curves.differences(evaluation)
