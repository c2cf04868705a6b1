"""`assay cluster FILES...`, `assay cluster --table '5 1 2; 1 4 0; 0 1 3'`, `assay cluster FILE --ks 2:10`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from assay.cli import cluster_inputs, clusters_by_use, inputs, numbers_of_clusters, options, output
from assay.cli.cluster_inputs import ClusterInputs
from assay.cli.clusters_by_use import UseInputs
from assay.cli.numbers_of_clusters import NumberInputs
from assay.cli.output import message
from assay.core.errors import ParameterError

_SHOWN = "What is shown"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="cluster")(cluster)


def cluster(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="Clusters of items, a file or several; name=FILE gives a name."),
    ] = None,
    measure: Annotated[
        list[str] | None, typer.Option("-m", "--measure", help="A measure, such as NMI or ARI; repeat for more.")
    ] = None,
    table: Annotated[
        str | None, typer.Option(help="Counts instead of files, a row a class, a column a cluster: '5 1 2; 1 4 0'.")
    ] = None,
    truth: cluster_inputs.Truth = None,
    cluster: cluster_inputs.ClusterColumns = None,
    item_id: cluster_inputs.ItemId = None,
    weight: cluster_inputs.Weight = None,
    system: cluster_inputs.Systems = None,
    points: cluster_inputs.PointColumns = None,
    noise: cluster_inputs.Noise = None,
    noise_as: cluster_inputs.NoiseAs = None,
    unlabelled: cluster_inputs.Unlabelled = None,
    metric: cluster_inputs.Metric = None,
    sample_size: cluster_inputs.SampleSize = None,
    ks: numbers_of_clusters.Ks = None,
    over_k: numbers_of_clusters.OverK = None,
    qrels: clusters_by_use.Judgments = None,
    run: clusters_by_use.ClusteredRun = None,
    order: clusters_by_use.Order = None,
    level: clusters_by_use.RelevantFrom = None,
    per_class: Annotated[
        bool, typer.Option("--per-class", help="Where each class went, and its best match.", rich_help_panel=_SHOWN)
    ] = False,
    per_cluster: Annotated[
        bool, typer.Option("--per-cluster", help="What is in each cluster.", rich_help_panel=_SHOWN)
    ] = False,
    moves: Annotated[
        bool, typer.Option("--moves", help="Classes that are split, clusters that merge some.", rich_help_panel=_SHOWN)
    ] = False,
    mute: Annotated[
        list[str] | None, typer.Option(help="A remark not to make, by its code; repeat.", rich_help_panel=_SHOWN)
    ] = None,
    confidence: Annotated[float | None, typer.Option(help="Level of the intervals (0.95).")] = None,
    resamples: Annotated[
        int | None,
        typer.Option(help="How many halves are drawn, for intervals (2000); with --ks, subsamples (20).", min=1),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.", min=0)] = 0,
    json: output.Json = False,
    csv: output.Csv = False,
    markdown: output.Markdown = False,
    latex: output.Latex = False,
    to: output.Output = None,
    quiet: options.Quiet = False,
) -> None:
    """Say how good a clustering is: measures with intervals against classes and by points, splits, merges, advice.

    Classes are a column of the file, such as `class`; points are named with --points. Either will do. With --ks, or
    --over-k, it says which number of clusters the points have; with --qrels and --run, what clusters of search results
    are good for.
    """
    from assay.clustering import ClusteringView  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.clustering import cluster as verb  # noqa: PLC0415

    form = output.form_of(json=json, csv=csv, markdown=markdown, latex=latex)
    said = ClusterInputs(
        truth=truth, cluster=cluster, item_id=item_id, weight=weight, system=system, points=points, noise=noise,
        noise_as=noise_as, unlabelled=unlabelled, metric=metric, sample_size=sample_size,
    )  # fmt: skip
    shown = {"per_class": per_class, "per_cluster": per_cluster, "moves": moves, "mute": mute, "confidence": confidence}
    numbers = NumberInputs(ks, over_k, resamples)
    used = UseInputs(qrels, run, order, level)
    if used or numbers:
        if table is not None or not files:
            raise ParameterError("--ks, --over-k, --qrels and --run go with a file")
        found: Any
        if used:
            why = "has no meaning for clusters of search results"
            said.refuse(why)
            numbers.refuse(why)
            options.refuse({**shown, "resamples": resamples}, why)
            found = used.result(files, measure, seed=seed, quiet=quiet)
        else:
            used.refuse("goes with --qrels and --run")
            options.refuse(shown, "is about one clustering, not about which number of clusters")
            if ks is not None:
                said.refuse("has no meaning where points are clustered", "weight", "unlabelled")
            found = numbers.result(files, said, measure, seed=seed, hidden=quiet)
        _say(found.warnings, quiet)
        output.deliver(output.rendered(found, form, plain=to is not None), to)
        return
    used.refuse("goes with --qrels and --run")
    settings: dict[str, Any] = {"confidence": 0.95 if confidence is None else confidence, "seed": seed}
    settings["mute"] = mute or ()
    settings["resamples"] = 2000 if resamples is None else resamples
    settings["shown"] = ClusteringView(per_class, per_cluster, moves)
    if table is not None:
        if files:
            raise ParameterError("give a file of clusters or --table, not both")
        given: Any = said.table(table)
    else:
        if not files:
            raise ParameterError("expected a file of clusters, or --table: got neither")
        inputs.each_named("", files)
        settings |= said.rules()
        given = said.read(files)
        if not quiet:
            cluster_inputs.say(given)
    with inputs.working("computing intervals", hidden=quiet):
        result = verb(given, measure, **settings)
        text = output.rendered(result, form, plain=to is not None)
    _say(result.warnings, quiet)
    output.deliver(text, to)


def _say(warnings: Sequence[str], quiet: bool) -> None:
    for warning in () if quiet else warnings:
        message(f"warning: {warning}")
