"""`assay evaluate QRELS RUN...`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli import inputs, options
from assay.errors import ParameterError, number_of

if TYPE_CHECKING:
    from assay.evaluation import Evaluation
    from assay.tables import Batches


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="evaluate")(evaluate)


def evaluate(
    qrels: options.Judgments,
    runs: options.Runs,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            help="A measure, such as nDCG@10; repeat, or separate by commas. `assay measures` lists them.",
        ),
    ] = None,
    per_query: Annotated[
        bool,
        typer.Option(
            "-q",
            "--per-query",
            help="Also every query (in CSV, Markdown, LaTeX: instead of the means).",
            rich_help_panel=options.OUTPUT,
        ),
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="As JSON, with coverage and signatures.", rich_help_panel=options.OUTPUT)
    ] = False,
    csv: Annotated[
        bool, typer.Option("--csv", help="As CSV, numbers in full.", rich_help_panel=options.OUTPUT)
    ] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="As a Markdown table.", rich_help_panel=options.OUTPUT)
    ] = False,
    latex: Annotated[bool, typer.Option("--latex", help="As a LaTeX table.", rich_help_panel=options.OUTPUT)] = False,
    html: Annotated[bool, typer.Option("--html", help="As a page of its own.", rich_help_panel=options.OUTPUT)] = False,
    sort: Annotated[
        str | None, typer.Option(help="Best system under this measure first.", rich_help_panel=options.OUTPUT)
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Write to a file instead of stdout.", rich_help_panel=options.OUTPUT),
    ] = None,
    signatures: Annotated[
        bool,
        typer.Option("--signatures", help="Also print what each number depends on.", rich_help_panel=options.OUTPUT),
    ] = False,
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
    seed: options.Seed = 0,
    samples: options.Samples = 100,
) -> None:
    """Score runs against judgments.

    Without `-m`: AP, nDCG@10, RR, P and R at 1, 5, 10, 20, and Judged@10.
    """
    from assay import evaluation as verb  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.measures.parser import split_measures  # noqa: PLC0415

    forms = {"json": json, "csv": csv, "markdown": markdown, "latex": latex, "html": html}
    chosen = [name for name, wanted in forms.items() if wanted]
    if len(chosen) > 1:
        raise ParameterError(f"choose one of --{' and --'.join(chosen)}")
    rules = options.rules(level, ties, missing, unjudged, duplicates, rank_by, depth, judged_only, collection_size)
    files = inputs.opened(qrels, runs)
    with inputs.progress(files, hidden=quiet):
        result = verb.evaluate(
            qrels,
            files,
            [name for text in measure or () for name in split_measures(text)] or verb.DEFAULT_MEASURES,
            undefined=undefined,  # type: ignore[arg-type]  # checked there, with suggestions
            compat=compat,  # type: ignore[arg-type]
            judge=judge,
            subtopics=subtopics or None,  # not said is not no
            seed=seed,
            samples=samples,
            **rules,
        )
    if sort is not None:
        result = result.sorted_by(sort)
    if not quiet:
        _say(result, files)
    form = chosen[0] if chosen else None
    text = _rendered(result, form, per_query, plain=output is not None)
    if signatures and form is None:
        text += "\n" + "".join(f"{line}\n" for line in result.signatures.values())
    if output is not None:
        from assay.files.atomic import write_text  # noqa: PLC0415

        write_text(output, text)
    else:
        typer.echo(text, nl=False)
    if signatures and form in {"csv", "markdown", "latex"}:  # a table for other programs stays a table
        typer.echo("\n".join(result.signatures.values()), err=True)


def _rendered(result: Evaluation, form: str | None, per_query: bool, plain: bool) -> str:
    if form == "html":
        return result.to_html()
    if form is not None:
        return str(getattr(result, f"to_{form}")(per_query))
    from assay.report.terminal import console, show  # noqa: PLC0415

    out = console(plain=plain)
    with out.capture() as captured:
        show(result, out, per_query)
    # Cells are padded to their column; nobody wants the blanks at the end of a line.
    return "".join(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def _say(result: Evaluation, files: list[Batches]) -> None:
    """Tell on stderr what was found in the files, and what is odd."""
    grades = result.qrels.frame["relevance"]
    found = (number_of("topic", len(result.qrels.topics)), number_of("judgment", grades.len()))
    scale = f"grades {_number(grades.min())} to {_number(grades.max())}"
    typer.echo(f"{result.qrels.name}: {', '.join((result.qrels.format, *found, scale))}", err=True)
    for file in files:
        typer.echo(f"{file.origin}: {file.format}", err=True)
    for warning in result.warnings:
        typer.echo(f"warning: {warning}", err=True)


def _number(value: Any) -> str:
    return f"{float(value):g}"
