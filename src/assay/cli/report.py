"""`assay report QRELS RUN...`, `assay report PREDICTIONS...`, `assay report CLUSTERS...`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli import cluster_inputs, inputs, numbers_of_clusters, options, prediction_inputs
from assay.cli import tests_of_differences as tested
from assay.cli.output import message, say
from assay.core.errors import FormatError, InputError, ParameterError

if TYPE_CHECKING:
    from assay.clustering.over_k import NumberOfClusters
    from assay.files.sources import Source
    from assay.reporting import Report
    from assay.tables.clusters import Clusters

_CONTENTS = "What is in it"
#: Options that only predictions have, and that only clusters have.
_OF_PREDICTIONS = (
    "prediction", "score", "nulls", "list_separator", "labels", "unknown", "positive", "one_class", "threshold",
)  # fmt: skip
#: How to ask for more, where a report says so.
_WORDING = ("assay compare … -m {measure} --judge-next 25", "-m", "--system", "assay compare -m")
_OF_CLUSTERS = ("cluster", "points", "noise", "noise_as", "unlabelled", "metric", "sample_size")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="report")(report)


def report(
    given: Annotated[
        str,
        typer.Argument(
            metavar="QRELS",
            help="Judgments; or predictions; or clusters; or, without runs, a CSV of scores per system and unit.",
        ),
    ],
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN",
            help="One run or several; the first is the baseline. name=FILE names one. Or more predictions or clusters.",
        ),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            help="A measure; the first is the main one. Default: of runs nDCG@10, AP, RR, P@10; else the usual ones.",
        ),
    ] = None,
    baseline: Annotated[
        str | None, typer.Option("-b", "--baseline", help="The system to compare the others with; default the first.")
    ] = None,
    to: Annotated[
        list[Path] | None,
        typer.Option(
            "-o",
            "--output",
            help="The file to write: .html, .md, .tex, .json; repeat. Default: report.html.",
            rich_help_panel=options.OUTPUT,
        ),
    ] = None,
    topics: Annotated[
        str | None, typer.Option(help="The topics: queries are then shown in words.", rich_help_panel=_CONTENTS)
    ] = None,
    documents: Annotated[
        str | None, typer.Option(help="The documents: rankings then show titles and texts.", rich_help_panel=_CONTENTS)
    ] = None,
    title: Annotated[str | None, typer.Option(help="The title.", rich_help_panel=_CONTENTS)] = None,
    system: Annotated[
        str | None,
        typer.Option(help="Whose queries to show beside the baseline's; default the best.", rich_help_panel=_CONTENTS),
    ] = None,
    changed: Annotated[
        int | None,
        typer.Option(
            help="How many of the most changed queries to show (default 6).", min=0, rich_help_panel=_CONTENTS
        ),
    ] = None,
    show: Annotated[
        int | None, typer.Option(help="How many ranks of each to show (default 10).", min=1, rich_help_panel=_CONTENTS)
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
    ks: numbers_of_clusters.Ks = None,
    over_k: numbers_of_clusters.OverK = None,
    direction: tested.Direction = None,
    test: tested.Test = "permutation",
    correction: tested.Correction = "holm",
    family: tested.Family = "measure",
    interval: tested.Interval = "hull",
    alpha: tested.Alpha = 0.05,
    margin: tested.Margin = None,
    power: tested.Power = 0.8,
    resamples: tested.Resamples = None,
    bootstrap_resamples: tested.BootstrapResamples = 10_000,
    seed: tested.Seed = 0,
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
    subtopics: options.Subtopics = False,
) -> None:
    """Write a report: who is better, how sure that is, query by query, and how it was made.

    One page that loads nothing from elsewhere; or Markdown, LaTeX or JSON, by the ending of the file's name.
    """
    from assay.reporting import make_report  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.reporting.basis import COMPARED_BY, DEFAULT_MEASURES, Wording  # noqa: PLC0415
    from assay.reporting.provenance import stamps_of  # noqa: PLC0415
    from assay.sections.report import check_targets  # noqa: PLC0415

    targets = to or [Path("report.html")]
    paths = [inputs.named(file)[1] for file in (given, *(runs or ()))]
    paths += [path for path in (topics, documents) if path is not None]
    check_targets(targets, paths)  # before anything is read
    stamps = stamps_of(*paths)
    written: dict[str, Any] = {"title": title, "command": shlex.join(["assay", *sys.argv[1:]]), "stamps": stamps}
    settings: dict[str, Any] = {
        "test": test, "correction": correction, "family": family, "interval": interval, "alpha": alpha,
        "margin": margin, "power": power, "resamples": resamples, "bootstrap_resamples": bootstrap_resamples,
        "seed": seed,
    }  # fmt: skip
    asked = {name: value for name, value in settings.items() if value != COMPARED_BY[name]}
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
    numbers = numbers_of_clusters.NumberInputs(ks, over_k)
    # Whoever names columns of clusters gives clusters.
    of_columns = clustered if over_k is None or cluster else clustered._replace(cluster=[over_k])
    if subtopics and not runs:
        raise ParameterError("--subtopics goes with judgments and runs")
    stated = tested.directions(direction)
    if (clusters := of_columns.among([given, *(runs or ())])) is not None:
        _refuse(rules, stated)
        predicted.refuse("goes with predictions", *_OF_PREDICTIONS)
        with inputs.working("putting the report together", hidden=quiet):
            # Which number is best is a question about the points, or about other columns than those reported on.
            others = clustered._replace(cluster=None) if ks is None else clustered._replace(
                cluster=None, noise=None, noise_as=None
            )  # fmt: skip
            found = numbers.result(clusters, others, None, seed=seed) if numbers else None
            made = make_report(
                _reported(clusters, clustered, over_k, found), measures=measure, baseline=baseline, system=system,
                topics=topics, documents=documents, changed=changed, show=show, over_k=found, seed=seed,
                comparison=asked, **written,
                **clustered.rules(),
            )  # fmt: skip
        _deliver(made, targets, quiet)
        return
    clustered.refuse("goes with clusters", *_OF_CLUSTERS)
    numbers.refuse("goes with clusters")
    is_predicted, files = predicted.looked_at([given, *(runs or ())])
    if is_predicted:
        _refuse(rules, stated)
        written |= {"baseline": baseline, "system": system, "topics": topics, "documents": documents, "show": show}
        with inputs.working("putting the report together", hidden=quiet):
            made = make_report(
                predicted.read(files), measures=measure, threshold=threshold, changed=changed, seed=seed,
                comparison=asked, **written,
            )  # fmt: skip
        _deliver(made, targets, quiet)
        return
    compared: Any = files[0]
    if runs:
        rules |= {"seed": seed} | ({"subtopics": True} if subtopics else {})  # not said is not no
        compared = inputs.evaluated(files[0], runs, measure or DEFAULT_MEASURES, rules, quiet)
    else:
        options.refuse_rules(rules)
        inputs.refuse_judgments(files[0])
    with inputs.working("putting the report together", hidden=quiet), _taken_for_scores(of_scores=not runs):
        result = make_report(
            compared, measures=measure or None, baseline=baseline, system=system, topics=topics, documents=documents,
            changed=changed, show=show, direction=stated, wording=Wording(*_WORDING), **written, **settings,
        )  # fmt: skip
    _deliver(result, targets, quiet)


def _refuse(rules: dict[str, Any], directions: str | dict[str, str] | None) -> None:
    """Refuse what only rankings, or only scores, have."""
    options.refuse_rules(rules)
    tested.refuse_directions(directions)


@contextmanager
def _taken_for_scores(*, of_scores: bool) -> Iterator[None]:
    """What is neither clusters nor predictions, by the names of its columns, was taken for scores: errors say so."""
    try:
        yield
    except FormatError as problem:
        if not of_scores:
            raise
        raise InputError(
            f"{problem}; it was read as scores of systems: --cluster names a column of clusters, --prediction one of "
            "predictions"
        ) from problem


def _reported(
    files: list[str | Source], said: cluster_inputs.ClusterInputs, over_k: str | None, found: NumberOfClusters | None
) -> list[Clusters]:
    """The clusterings of the files; where they hold only those of `--over-k`, the one that was chosen, or all."""
    from assay.files.clusters import looks_like_clusters  # noqa: PLC0415

    if over_k is None or found is None or said.cluster:
        return said.read(files)
    first = inputs.named(files[0])[1] if isinstance(files[0], str) else files[0]
    if looks_like_clusters(first):
        return said.read(files)
    numbered = numbers_of_clusters.numbered(files[0], over_k, said)
    return list(numbered.values()) if found.k is None else [numbered[found.k]]


def _deliver(result: Report, targets: list[Path], quiet: bool) -> None:
    """Write the files, and say what is in them."""
    result.save_all(targets)
    if not quiet:
        for line in [*(f"warning: {text}" for text in result.warnings), *(f"note: {text}" for text in result.notes)]:
            message(line)
    typer.echo(str(result))
    if result.advice:
        say(f"What to do: {result.advice}")
    for target in targets:
        say(str(target.resolve()))
