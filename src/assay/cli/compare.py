"""`assay compare QRELS RUN...`, `assay compare SCORES`, `assay compare PREDICTIONS...`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from assay.cli import inputs, options, output, prediction_inputs
from assay.cli import tests_of_differences as tested
from assay.errors import ParameterError

if TYPE_CHECKING:
    from rich.console import Console

    from assay.comparison import Comparison, Finding
    from assay.report.layout import Table

_DOCUMENTS = "Documents and queries"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="compare")(compare)


def compare(
    given: Annotated[
        str,
        typer.Argument(
            metavar="QRELS",
            help="Judgments; or, without runs, a CSV of scores per system and unit; or predictions of classifiers.",
        ),
    ],
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN",
            help="Two runs or more, or more predictions; the first of two is the baseline. name=FILE names one.",
        ),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            help="A measure, such as nDCG@10; repeat. Default: AP, nDCG@10, RR, P@10; of "
            "classifiers Accuracy, F, MCC and AUC.",
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
    test: tested.OwnTest = None,
    correction: tested.Correction = "holm",
    family: tested.Family = "measure",
    interval: tested.Interval = "bca",
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
    positive: prediction_inputs.Positive = None,
    threshold: prediction_inputs.Threshold = None,
    truth: prediction_inputs.Truth = None,
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
    undefined: options.Undefined = "counted_as",
    compat: options.Compat = None,
    judge: options.Judge = None,
) -> None:
    """Say whether one system is better than another, how sure one can be, and what it rests on.

    Give judgments and two runs or more; or a CSV of scores: `system,measure,unit,value`, what `assay evaluate -q --csv`
    writes, or a matrix with a column a system (then -m names what was measured). Or give predictions of classifiers:
    one file with several systems side by side, or a file each, whose items are paired by their ids.
    """
    form = output.form_of(json=json, csv=csv, markdown=markdown, latex=latex)
    if (slices is None) != (topics is None):
        raise ParameterError("--slices ATTRIBUTE and --topics FILE go together")
    from assay import comparison as verb  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.measured import DEFAULT_MEASURES  # noqa: PLC0415

    if plot is not None:
        from assay.report.pictures import ask_for_packages, suffix_of  # noqa: PLC0415

        ask_for_packages(suffix_of(plot))  # before anything is read
    settings: dict[str, Any] = {
        "baseline": baseline or None, "all_pairs": all_pairs, "test": test, "correction": correction, "family": family,
        "interval": interval, "alpha": alpha, "margin": margin, "power": power, "resamples": resamples,
        "bootstrap_resamples": bootstrap_resamples, "seed": seed,
    }  # fmt: skip
    rules = options.rules(level, ties, missing, unjudged, duplicates, rank_by, depth, judged_only, collection_size)
    rules |= {"undefined": undefined, "compat": compat, "judge": judge}
    predicted = prediction_inputs.PredictionInputs(positive, threshold, truth)
    if predicted.held_by([given, *(runs or ())]):
        compared: Any = predicted.read([given, *(runs or ())])
        options.refuse_rules({name: value for name, value in rules.items() if name != "missing"})
        settings |= predicted.rules(missing) | {"measures": measure or None}
        if not quiet:
            prediction_inputs.say(compared)
    elif flipped is not None:
        raise ParameterError("--flipped goes with predictions of classifiers")
    elif runs:
        compared = inputs.evaluated(given, runs, measure or DEFAULT_MEASURES, rules, quiet)
    else:
        options.refuse_rules(rules)
        inputs.refuse_judgments(given)
        compared, settings["measures"] = given, measure or None
    with inputs.working("comparing", hidden=quiet):
        result = verb.compare(compared, **settings)
        extras = _extras(_Pair(result, system), judge_next, changes, queries, bounds, slices, topics)
        if flipped is not None:
            extras |= _flipped(_Pair(result, system), flipped)
    text = _rendered(result, form, extras, plain=to is not None)
    if plot is not None:
        result.intervals().save(plot)
    if not quiet:
        inputs.say(result.evaluation, result.notes)
    output.deliver(text, to)


def _extras(
    pair: _Pair,
    judge_next: int | None,
    changes: str | None,
    queries: int | None,
    bounds: bool,
    slices: str | None,
    topics: str | None,
) -> dict[str, Any]:
    """The tables besides the comparison, as data frames by title."""
    frames: dict[str, Any] = {}
    if queries is not None:
        frames[f"The queries that make most of the difference {pair.says()}"] = pair.table("queries").head(queries)
    if changes is not None:
        frames[f"What changed {pair.says()}"] = _changes(pair, changes)
    if bounds:
        frames["What unjudged documents could make of each score"] = pair.result.bounds()
    if judge_next is not None:
        frames[f"Judge these next, for the difference {pair.says()}"] = pair.table("judge_next", judge_next)
    if slices is not None:
        from assay.files import read_topics  # noqa: PLC0415

        frames[f"By {slices}, the difference {pair.says()}"] = pair.table("slices", read_topics(str(topics)), slices)
    return frames


def _flipped(pair: _Pair, most: int) -> dict[str, Any]:
    """The items that a pair of classifiers predicts differently."""
    finding = pair.finding()
    frame = pair.result.flipped(finding.baseline, finding.system)
    shown = "" if frame.height <= most else f", {most} of {frame.height:,}"
    return {f"Items that {finding.system} predicts otherwise than {finding.baseline}{shown}": frame.head(most)}


class _Pair(NamedTuple):
    """The pair whose documents and queries are listed: under the first measure, the system asked for."""

    result: Comparison
    system: str | None

    def finding(self) -> Finding:
        systems = {one.system for one in self.result.findings}
        if self.system is None and len(systems) > 1:
            raise ParameterError(
                f"say whose documents, queries or items to list: --system {', '.join(sorted(systems)[:5])}"
            )
        return self.result.finding(self.result.measures[0], self.system)

    def says(self) -> str:
        finding = self.finding()
        return f"in {finding.measure} of {finding.system} and {finding.baseline}"

    def table(self, name: str, *arguments: Any) -> Any:
        finding = self.finding()
        which = {"measure": finding.measure, "system": finding.system, "baseline": finding.baseline}
        return getattr(self.result, name)(*arguments, **which)


def _changes(pair: _Pair, query: str) -> Any:
    moved = pair.table("changes")
    if query == "all":
        return moved
    known = moved["query_id"].unique(maintain_order=True).to_list()
    if query not in known:
        raise ParameterError(f"--changes: there is no query {query!r}; there are {', '.join(known[:5])}, …")
    return moved.filter(query_id=query)


def _rendered(result: Comparison, form: str | None, extras: dict[str, Any], plain: bool) -> str:
    """The comparison; in forms for other programs, what was asked for besides takes its place."""
    if form is None:
        return output.text_of(lambda out: _show(result, extras, out), plain)
    if not extras:
        return str(getattr(result, f"to_{form}")())
    if form == "json":
        from assay.report.layout import as_json  # noqa: PLC0415

        frames = [frame.to_dicts() for frame in extras.values()]
        return as_json(frames[0] if len(frames) == 1 else dict(zip(extras, frames, strict=True)))
    if len(extras) > 1:
        lists = "--queries, --changes, --judge-next, --bounds, --slices, --flipped"
        raise ParameterError(f"--{form} gives one table: choose one of {lists}")
    frame = next(iter(extras.values()))
    if form == "csv":
        return str(frame.write_csv())
    return str(getattr(_table(frame), f"to_{form}")())


def _show(result: Comparison, extras: dict[str, Any], out: Console) -> None:
    from rich.text import Text  # noqa: PLC0415

    from assay.report.comparisons import show  # noqa: PLC0415
    from assay.report.terminal import show_table  # noqa: PLC0415

    show(result, out)
    for title, frame in extras.items():
        out.print()
        out.print(Text(title, style="bold"))
        show_table(_table(frame), out)


def _table(frame: Any) -> Table:
    from assay.report.layout import Cell, Table  # noqa: PLC0415

    made = Table.of(frame)
    if made.numbers or len(made.names) < 2:
        return made
    # Where all is text, what comes first names the row.
    rows = tuple((names[:1], tuple(map(Cell, names[1:]))) for names, _ in made.rows)
    return Table(made.names[:1], made.names[1:], rows)
