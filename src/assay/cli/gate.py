"""`assay gate QRELS --baseline FILE --candidate RUN`, `assay gate freeze QRELS RUN -o FILE`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from assay.cli import inputs, options, output
from assay.errors import AssayError, ParameterError

if TYPE_CHECKING:
    from assay.gating.result import GateResult

_RULE = "Rule"
_PIPELINE = "For pipelines"

Measures = Annotated[
    list[str] | None, typer.Option("-m", "--measure", help="A measure; repeat for more. Default: nDCG@10.")
]


class _Gate(TyperCommand):
    """A command with one subcommand: `freeze` as first word; a file of that name is ./freeze."""

    def make_context(self, info_name: Any, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Parse `freeze` with its own options."""
        if args[:1] != ["freeze"]:
            return super().make_context(info_name, args, parent, **extra)
        apart = typer.Typer(add_completion=False, rich_markup_mode="markdown")
        apart.command(name="freeze")(freeze)
        return typer.main.get_command(apart).make_context(f"{info_name} freeze", args[1:], parent, **extra)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="gate", cls=_Gate)(gate)


def gate(
    qrels: options.Judgments,
    baseline: Annotated[
        str, typer.Option("-b", "--baseline", help="The run to hold against, or a file of `assay gate freeze`.")
    ],
    candidate: Annotated[str, typer.Option("-c", "--candidate", help="The run that wants to take its place.")],
    measure: Annotated[
        list[str] | None,
        typer.Option("-m", "--measure", help="A measure; repeat. Default: nDCG@10, or all of a frozen baseline."),
    ] = None,
    margin: Annotated[
        list[str] | None,
        typer.Option(
            help="The smallest loss that matters: 0.01, or nDCG@10=0.02 for one measure; repeat. "
            "Default: 0.01 of the measure's range.",
            rich_help_panel=_RULE,
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Level of the one-sided test.", rich_help_panel=_RULE)] = 0.05,
    inconclusive: Annotated[
        str,
        typer.Option(help="When one cannot tell: report (exit 3), pass (0), fail (1).", rich_help_panel=_RULE),
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
        typer.Option(help="github: also print workflow commands, on stderr.", rich_help_panel=_PIPELINE),
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
    """Say whether a candidate may take the baseline's place, with an exit code for pipelines.

    0: it is not worse by the margin or more. 1: it is. 3: one cannot tell. 2: the input is not fit to be compared.
    `assay gate freeze QRELS RUN -o baseline.json` keeps a run's scores as the baseline (see its --help).
    """
    form = output.form_of(json=json, csv=csv, markdown=markdown, latex=latex)
    if annotations not in {None, "github"}:
        raise ParameterError(f"--annotations is github, not {annotations!r}")
    if inconclusive not in {"report", "pass", "fail"}:
        raise ParameterError(f"--inconclusive is report, pass or fail, not {inconclusive!r}")
    if (slices is None) != (topics is None):
        raise ParameterError("--slices ATTRIBUTE and --topics FILE go together")
    rules = options.rules(level, ties, missing, unjudged, duplicates, rank_by, depth, judged_only, collection_size)
    rules |= {"undefined": undefined, "compat": compat, "judge": judge}
    try:
        result = _gated(
            qrels, baseline, candidate, rules, margin or [], quiet,
            measures=measure or None, alpha=alpha, inconclusive=inconclusive, max_missing=max_missing,
            min_judged=min_judged, slices=slices, topics=topics, seed=seed,
        )  # fmt: skip
    except AssayError as problem:
        _tell_of(str(problem), junit, summary, annotations)
        raise
    text = _rendered(result, form, plain=to is not None)
    if not quiet:
        inputs.say(result.evaluation, result.notes)
    output.deliver(text, to)
    if junit is not None:
        output.deliver(result.to_junit(), junit)
    if summary is not None:
        _append(summary, result.to_markdown())
    if annotations is not None:
        typer.echo(result.to_annotations(), nl=False, err=True)
    raise typer.Exit(result.exit_code)


def freeze(
    qrels: options.Judgments,
    run: Annotated[str, typer.Argument(metavar="RUN", help="The run; name=FILE gives it a name.")],
    to: Annotated[Path, typer.Option("-o", "--output", help="The file to write.")],
    measure: Measures = None,
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
    """Freeze a run's scores as the baseline of later gates: a file with every topic's scores, rules and digests."""
    from assay.gating import frozen as verb  # noqa: PLC0415  # `assay --help` need not load Polars

    rules = options.rules(level, ties, missing, unjudged, duplicates, rank_by, depth, judged_only, collection_size)
    rules |= {"undefined": undefined, "compat": compat, "judge": judge}
    files = inputs.opened(qrels, [run])
    made = verb.freeze(qrels, {files[0].name: files[0]}, measure or verb.DEFAULT_MEASURES, **rules)
    made.save(to)
    if not quiet:
        topics = made.coverage.topics
        typer.echo(f"{to}: {made.system}, {', '.join(made.measures)} on {topics:,} topics", err=True)


def _gated(
    qrels: str, baseline: str, candidate: str, rules: dict[str, Any], margins: list[str], quiet: bool, **settings: Any
) -> GateResult:
    from assay.gating.baselines import is_baseline  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.gating.deciding import gate as verb  # noqa: PLC0415
    from assay.gating.rules import Margins  # noqa: PLC0415

    frozen = is_baseline(baseline)
    if frozen:
        # Rules that were not set are the baseline's own.
        usual = options.rules(1.0, "doc_id_descending", None, "irrelevant", "error", "score", None, False, None)
        usual |= {"undefined": "counted_as", "compat": None, "judge": None}
        rules = {name: value for name, value in rules.items() if value != usual.get(name)}
    runs = inputs.opened(qrels, [candidate] if frozen else [baseline, candidate])
    with inputs.progress(runs, hidden=quiet):
        first: Any = baseline if frozen else {runs[0].name: runs[0]}
        margin = Margins.parsed(margins)
        return verb(qrels, first, {runs[-1].name: runs[-1]}, margin=margin, **settings, **rules)


def _rendered(result: GateResult, form: str | None, plain: bool) -> str:
    if form is not None:
        return str(getattr(result, f"to_{form}")())
    from assay.report.gates import show  # noqa: PLC0415

    return output.text_of(lambda out: show(result, out), plain)


def _tell_of(problem: str, junit: Path | None, summary: Path | None, annotations: str | None) -> None:
    """Leave what could not be read where the pipeline looks for the outcome, too."""
    from assay.gating.annotations import annotation  # noqa: PLC0415
    from assay.gating.junit import junit_of_problem  # noqa: PLC0415

    if junit is not None:
        output.deliver(junit_of_problem(problem), junit)
    if summary is not None:
        _append(summary, f"## ⚠️ Quality gate: invalid input\n\n{problem}\n")
    if annotations is not None:
        typer.echo(annotation("error", "Quality gate", f"Invalid input: {problem}"), nl=False, err=True)


def _append(path: Path, text: str) -> None:
    from assay.errors import InputError  # noqa: PLC0415

    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as problem:
        raise InputError(f"{path}: cannot be written: {(problem.strerror or str(problem)).lower()}") from problem
