"""`assay gate QRELS --baseline FILE --candidate RUN`, `assay gate OLD NEW`, `assay gate freeze QRELS RUN -o FILE`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from assay.cli import cluster_inputs, inputs, options, output, prediction_inputs
from assay.cli import tests_of_differences as tested
from assay.cli.freeze import freeze
from assay.cli.pipelines import Pipeline
from assay.core.errors import ParameterError

if TYPE_CHECKING:
    from assay.files import Source
    from assay.gating.result import GateResult

_RULE = "Rule"
_PIPELINE = "For pipelines"


class _Gate(TyperCommand):
    """A command with one subcommand: `freeze` as first word; a file of that name is ./freeze."""

    def make_context(self, info_name: Any, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Parse `freeze` with its own options."""
        if args[:1] != ["freeze"]:
            return super().make_context(info_name, args, parent, **extra)
        apart = typer.Typer(add_completion=False, rich_markup_mode="markdown")
        apart.command(name="freeze")(output.with_common_options(freeze))
        return typer.main.get_command(apart).make_context(f"{info_name} freeze", args[1:], parent, **extra)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="gate", cls=_Gate)(gate)


def gate(
    ctx: typer.Context,
    qrels: Annotated[
        str,
        typer.Argument(
            metavar="QRELS",
            help="Judgments: a file (also .gz, .zst), or - for stdin; or predictions of a classifier, or clusters.",
        ),
    ],
    other: Annotated[
        str | None,
        typer.Argument(
            metavar="CANDIDATE",
            help="Of classifiers, the candidate's predictions, or clusters; the first are the baseline's.",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "-b",
            "--baseline",
            help="The run to hold against, or a file of `assay gate freeze`; of several classifiers or clusterings in "
            "a file, one.",
        ),
    ] = None,
    candidate: Annotated[
        str | None, typer.Option("-c", "--candidate", help="The run, classifier or clustering that wants its place.")
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            help="A measure; repeat. Default: nDCG@10, or all of a frozen baseline; of classifiers Accuracy; of "
            "clusterings ARI, or Silhouette without classes.",
        ),
    ] = None,
    margin: Annotated[
        list[str] | None,
        typer.Option(
            help="The smallest loss that matters: 0.01, or nDCG@10=0.02 for one measure; repeat. "
            "Default: 0.01 of the measure's range.",
            rich_help_panel=_RULE,
        ),
    ] = None,
    direction: tested.Direction = None,
    alpha: Annotated[
        float, typer.Option(help="Level of the one-sided test; its bound is at 1 - alpha.", rich_help_panel=_RULE)
    ] = 0.05,
    inconclusive: Annotated[
        str,
        typer.Option(help="When inconclusive: report (exit 3), pass (0), fail (1).", rich_help_panel=_RULE),
    ] = "report",
    max_missing: Annotated[
        float, typer.Option(help="Share of judged topics that a run may lack.", rich_help_panel=_RULE)
    ] = 0.1,
    min_judged: Annotated[
        float | None,
        typer.Option(
            help="Share of the top 10 that has to be judged, in both runs. Default: no guard.", rich_help_panel=_RULE
        ),
    ] = None,
    slices: Annotated[
        str | None,
        typer.Option(help="Also check groups of topics, by this attribute of --topics.", rich_help_panel=_RULE),
    ] = None,
    topics: Annotated[
        str | None, typer.Option(help="The topics, with attributes, for --slices.", rich_help_panel=_RULE)
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.", min=0, rich_help_panel=_RULE)] = 0,
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
    junit: Annotated[
        Path | None, typer.Option(help="Also write JUnit XML to this file.", rich_help_panel=_PIPELINE)
    ] = None,
    summary: Annotated[
        Path | None,
        typer.Option(
            help="Also append a summary in Markdown to this file, such as $GITHUB_STEP_SUMMARY.",
            rich_help_panel=_PIPELINE,
        ),
    ] = None,
    annotations: Annotated[
        str | None,
        typer.Option(help="github: also print workflow commands.", rich_help_panel=_PIPELINE),
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
    """Say whether a candidate may take the baseline's place, with an exit code for pipelines.

    0: it is not worse by the margin or more. 1: it is. 3: inconclusive. 2: the input is not fit to be compared.
    `assay gate freeze QRELS RUN -o baseline.json` keeps a run's scores as the baseline (see its --help).
    Predictions of classifiers and clusters hold the truth themselves: `assay gate OLD NEW`.
    """
    rules = options.rules(
        level, ties, missing, unjudged, duplicates, rank_by, depth, judged_only, collection_size, complete
    )
    rules |= {"undefined": undefined, "compat": compat, "judge": judge}
    pipeline = Pipeline(junit, summary, annotations)
    predicted = prediction_inputs.PredictionInputs(
        truth=truth, prediction=prediction, score=score, item_id=item_id, weight=weight, nulls=nulls,
        list_separator=list_separator, labels=labels, unknown=unknown, positive=positive, one_class=one_class,
        threshold=threshold,
    )  # fmt: skip
    clustered = cluster_inputs.ClusterInputs(
        truth=truth, cluster=cluster, item_id=item_id, weight=weight, points=points, noise=noise, noise_as=noise_as,
        unlabelled=unlabelled, metric=metric, sample_size=sample_size,
    )  # fmt: skip
    try:
        form = output.form_of(json=json, csv=csv, markdown=markdown, latex=latex)
        _refuse_wrong_words(annotations, inconclusive, slices, topics)
        settings: dict[str, Any] = {
            "measures": measure or None, "alpha": alpha, "inconclusive": inconclusive, "max_missing": max_missing,
            "min_judged": min_judged, "slices": slices, "topics": topics, "seed": seed,
            "direction": tested.directions(direction),
        }  # fmt: skip
        given = [one for one in (qrels, other) if one is not None]
        files: Any = clustered.among(given)
        sides = (baseline, candidate)
        if files is not None:
            predicted.refuse("is about classifiers, and these are clusters", *prediction_inputs.NOT_OF_CLUSTERS)
            options.refuse_rules({name: value for name, value in rules.items() if name != "missing"})
            settings |= clustered.rules() | ({} if missing is None else {"missing": missing})
            result = _gated_items(clustered, files, sides, margin or [], quiet, settings)
        elif (found := predicted.looked_at(given))[0]:
            options.refuse_rules({name: value for name, value in rules.items() if name != "missing"})
            settings |= predicted.rules(missing)
            result = _gated_items(predicted, found[1], sides, margin or [], quiet, settings)
        else:
            runs = _two_runs(other, baseline, candidate)
            result = _gated(found[1][0], *runs, rules, _typed(ctx), margin or [], quiet, **settings)
        if to is not None:
            output.deliver(output.rendered(result, form, plain=True), to)
        pipeline.write(result)
    except Exception as problem:
        pipeline.write_problem(problem)
        raise
    if not quiet:
        inputs.say(result.evaluation, result.notes)
    # Whoever reads stdout may close it: it comes last.
    pipeline.say(result, None if to is not None else output.rendered(result, form, plain=False), is_log=form is None)
    raise typer.Exit(result.exit_code)


def _refuse_wrong_words(annotations: str | None, inconclusive: str, slices: str | None, topics: str | None) -> None:
    if annotations not in {None, "github"}:
        raise ParameterError(f"--annotations is github, not {annotations!r}")
    if inconclusive not in {"report", "pass", "fail"}:
        raise ParameterError(f"--inconclusive is report, pass or fail, not {inconclusive!r}")
    if (slices is None) != (topics is None):
        raise ParameterError("--slices ATTRIBUTE and --topics FILE go together")


def _typed(ctx: typer.Context) -> set[str]:
    """The rules that were set on the command line, be it to what they are anyway."""
    given = {name for name in ctx.params if getattr(ctx.get_parameter_source(name), "name", "") == "COMMANDLINE"}
    return {"relevance_level" if name == "level" else name for name in given}


def _gated(
    qrels: str | Source,
    baseline: str,
    candidate: str,
    rules: dict[str, Any],
    typed: set[str],
    margins: list[str],
    quiet: bool,
    **settings: Any,
) -> GateResult:
    from assay.files import Source  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.gating.baselines import frozen_in, is_baseline  # noqa: PLC0415
    from assay.gating.deciding import gate as verb  # noqa: PLC0415
    from assay.gating.rules import Margins  # noqa: PLC0415
    from assay.inputs import opened_run  # noqa: PLC0415

    name, path = inputs.named(baseline)
    if ["-" if isinstance(qrels, Source) else qrels, path, inputs.named(candidate)[1]].count("-") > 1:
        raise ParameterError("stdin (-) can be read only once: give the other file by name")
    if is_baseline(inputs.named(candidate)[1]):
        raise ParameterError(f"{candidate} looks like a frozen baseline: give it as --baseline, and a run here")
    # One source for both looks at the file: stdin and pipes can be read only once.
    source = Source(path)
    first: Any = frozen_in(source if name is None else {name: source})
    if first is not None:
        # Rules that were not set are the baseline's own.
        rules = {name: value for name, value in rules.items() if name in typed}
    runs = inputs.opened(qrels, [candidate])
    if first is None:
        run = opened_run(source, name)
        first, runs = {run.name: run}, [run, *runs]
    with inputs.progress(runs, hidden=quiet):
        margin = Margins.parsed(margins)
        return verb(qrels, first, {runs[-1].name: runs[-1]}, margin=margin, **settings, **rules)


def _two_runs(other: str | None, baseline: str | None, candidate: str | None) -> tuple[str, str]:
    """The runs of the baseline and the candidate, which are named by their options."""
    if other is not None:
        raise ParameterError(f"{other}: runs are given as --baseline and --candidate, after the judgments")
    for name, given in (("-b, --baseline", baseline), ("-c, --candidate", candidate)):
        if given is None:
            raise ParameterError(f"expected a run as {name}, got none")
    return str(baseline), str(candidate)


def _gated_items(
    told: prediction_inputs.PredictionInputs | cluster_inputs.ClusterInputs,
    files: list[str | Source],
    sides: tuple[str | None, str | None],
    margins: list[str],
    quiet: bool,
    settings: dict[str, Any],
) -> GateResult:
    """The gate on predictions or clusters: files one after the other; -b and -c are files, too, or name systems."""
    from assay.gating.deciding import gate as verb  # noqa: PLC0415
    from assay.gating.rules import Margins  # noqa: PLC0415

    found: list[list[Any]] = [list(told.read([file])) for file in files]
    baseline, candidate = (
        list(told.read([inputs.kept(side)])) if side is not None and told.may_be_file(side) else side for side in sides
    )
    if sides == (None, None) and len(found) == 2:
        candidate = found.pop()
    given = [one for systems in found for one in systems]
    if not quiet:
        held = [side for side in (baseline, candidate) if isinstance(side, list)]
        every = [*given, *(one for systems in held for one in systems)]
        (prediction_inputs if isinstance(told, prediction_inputs.PredictionInputs) else cluster_inputs).say(every)
    margin = Margins.parsed(margins, str)
    return verb(given, baseline=baseline, candidate=candidate, margin=margin, **settings)
