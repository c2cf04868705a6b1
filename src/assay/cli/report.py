"""`assay report QRELS RUN...`, `assay report PREDICTIONS...`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli import classifier_options, inputs, options
from assay.cli import tests_of_differences as tested
from assay.errors import InputError, ParameterError

if TYPE_CHECKING:
    from assay.reporting import Report

_CONTENTS = "What is in it"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="report")(report)


def report(
    given: Annotated[
        str,
        typer.Argument(
            metavar="QRELS",
            help="Judgments; or predictions of classifiers; or, without runs, a CSV of scores per system and unit.",
        ),
    ],
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN",
            help="One run or several; the first is the baseline. name=FILE names one. Or more predictions.",
        ),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            help="A measure; the first is the main one. Default: nDCG@10, AP, RR, P@10.",
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
        int, typer.Option(help="So many of the most changed queries.", min=0, rich_help_panel=_CONTENTS)
    ] = 6,
    show: Annotated[int, typer.Option(help="So many ranks of each.", min=1, rich_help_panel=_CONTENTS)] = 10,
    positive: classifier_options.Positive = None,
    threshold: Annotated[
        float | None,
        typer.Option(help="Predict positive from this score on.", rich_help_panel=classifier_options.COLUMNS),
    ] = None,
    test: tested.Test = "permutation",
    correction: tested.Correction = "holm",
    family: tested.Family = "measure",
    interval: tested.Interval = "bca",
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
    undefined: options.Undefined = "counted_as",
    compat: options.Compat = None,
    judge: options.Judge = None,
    subtopics: options.Subtopics = False,
) -> None:
    """Write a report: who is better, how sure that is, query by query, and how it was made.

    One page that loads nothing from elsewhere; or Markdown, LaTeX or JSON, by the ending of the file's name.
    """
    from assay.files.predictions import looks_like_predictions  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.reporting import make_report  # noqa: PLC0415
    from assay.reporting.basis import COMPARED_BY, DEFAULT_MEASURES  # noqa: PLC0415
    from assay.reporting.stamps import stamps_of  # noqa: PLC0415
    from assay.reporting.targets import check_targets  # noqa: PLC0415

    targets = to or [Path("report.html")]
    files = [
        name for name in (given, *(inputs.named(run)[1] for run in runs or ()), topics, documents) if name is not None
    ]
    check_targets(targets, files)  # before anything is read
    stamps = stamps_of(*files)
    written: dict[str, Any] = {"title": title, "command": shlex.join(["assay", *sys.argv[1:]]), "stamps": stamps}
    settings: dict[str, Any] = {
        "test": test, "correction": correction, "family": family, "interval": interval, "alpha": alpha,
        "margin": margin, "power": power, "resamples": resamples, "bootstrap_resamples": bootstrap_resamples,
        "seed": seed,
    }  # fmt: skip
    rules = options.rules(level, ties, missing, unjudged, duplicates, rank_by, depth, judged_only, collection_size)
    rules |= {"undefined": undefined, "compat": compat, "judge": judge}
    if given != "-" and looks_like_predictions(given):
        options.refuse_rules(rules)
        chosen: dict[str, Any] = {"positive": positive, "threshold": threshold, "seed": seed, "measure": measure}
        chosen["comparison"] = {name: value for name, value in settings.items() if value != COMPARED_BY[name]}
        written |= {"baseline": baseline, "system": system, "topics": topics, "documents": documents}
        _deliver(_of_classifiers([given, *(runs or ())], chosen, written, quiet), targets, quiet)
        return
    if positive is not None or threshold is not None:
        raise ParameterError("--positive and --threshold go with predictions of classifiers")
    compared: Any = given
    if runs:
        rules |= {"seed": seed} | ({"subtopics": True} if subtopics else {})  # not said is not no
        compared = inputs.evaluated(given, runs, measure or DEFAULT_MEASURES, rules, quiet)
    else:
        options.refuse_rules(rules)
        inputs.refuse_judgments(given)
    with inputs.working("putting the report together", hidden=quiet):
        result = make_report(
            compared, measures=measure or None, baseline=baseline, system=system, topics=topics, documents=documents,
            changed=changed, show=show, **written, **settings,
        )  # fmt: skip
    _deliver(result, targets, quiet)


def _of_classifiers(files: list[str], chosen: dict[str, Any], written: dict[str, Any], quiet: bool) -> Report:
    """The report on classifiers, one for each system in the files."""
    from assay.files.predictions import looks_like_predictions, read_predictions  # noqa: PLC0415
    from assay.reporting import make_report  # noqa: PLC0415

    found: list[Any] = []
    for name, path in inputs.each_named("", files):
        if not looks_like_predictions(path):
            raise InputError(f"{path}: expected predictions, as in {files[0]}")
        found += read_predictions(path, pos_label=chosen["positive"], name=name)
    with inputs.working("putting the report together", hidden=quiet):
        return make_report(
            found, measures=chosen["measure"], threshold=chosen["threshold"], seed=chosen["seed"],
            comparison=chosen["comparison"], **written,
        )  # fmt: skip


def _deliver(result: Report, targets: list[Path], quiet: bool) -> None:
    """Write the files, and say what is in them."""
    from assay.report.legible import legible  # noqa: PLC0415

    result.save_all(targets)
    contents = result.contents
    if not quiet:
        for line in [*(f"warning: {one}" for one in contents.warnings), *(f"note: {one}" for one in contents.notes)]:
            typer.echo(legible(line), err=True)
    typer.echo(legible(str(result)))
    advice = getattr(contents, "advice", None)
    if advice:
        typer.echo(f"What to do: {legible(str(advice))}")
    for target in targets:
        typer.echo(target.resolve())
