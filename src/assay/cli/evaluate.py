"""`assay evaluate QRELS RUN...`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.errors import ParameterError

if TYPE_CHECKING:
    from assay.evaluation import Evaluation
    from assay.files import RunFile

_OUTPUT = "Output"
_RULES = "Rules"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="evaluate")(evaluate)


def evaluate(
    qrels: Annotated[str, typer.Argument(metavar="QRELS", help="Judgments: a file (also .gz, .zst), or - for stdin.")],
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUN", help="Runs: one file or several, or - for stdin; name=FILE gives a name."),
    ],
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
            rich_help_panel=_OUTPUT,
        ),
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="As JSON, with coverage and signatures.", rich_help_panel=_OUTPUT)
    ] = False,
    csv: Annotated[bool, typer.Option("--csv", help="As CSV, numbers in full.", rich_help_panel=_OUTPUT)] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="As a Markdown table.", rich_help_panel=_OUTPUT)] = False,
    latex: Annotated[bool, typer.Option("--latex", help="As a LaTeX table.", rich_help_panel=_OUTPUT)] = False,
    html: Annotated[bool, typer.Option("--html", help="As a page of its own.", rich_help_panel=_OUTPUT)] = False,
    sort: Annotated[
        str | None, typer.Option(help="Best system under this measure first.", rich_help_panel=_OUTPUT)
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write to a file instead of stdout.", rich_help_panel=_OUTPUT)
    ] = None,
    signatures: Annotated[
        bool, typer.Option("--signatures", help="Also print what each number depends on.", rich_help_panel=_OUTPUT)
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No messages on stderr.", rich_help_panel=_OUTPUT)] = False,
    level: Annotated[
        float, typer.Option("-l", "--level", help="Smallest grade that counts as relevant.", rich_help_panel=_RULES)
    ] = 1.0,
    ties: Annotated[
        str,
        typer.Option(
            help="Equal scores: doc_id_descending, doc_id_ascending, input_order, expected.", rich_help_panel=_RULES
        ),
    ] = "doc_id_descending",
    missing: Annotated[
        str | None,
        typer.Option(help="Judged topics that a run lacks: zero (default), skip, error.", rich_help_panel=_RULES),
    ] = None,
    unjudged: Annotated[
        str, typer.Option(help="Documents without judgment: irrelevant, error.", rich_help_panel=_RULES)
    ] = "irrelevant",
    duplicates: Annotated[
        str, typer.Option(help="A document twice in a query: error, first, best.", rich_help_panel=_RULES)
    ] = "error",
    rank_by: Annotated[
        str, typer.Option(help="Order by score, or by the rank column.", rich_help_panel=_RULES)
    ] = "score",
    depth: Annotated[
        int | None, typer.Option(help="Look at so many documents a query only.", rich_help_panel=_RULES)
    ] = None,
    judged_only: Annotated[
        bool, typer.Option("--judged-only", help="Take unjudged documents out first.", rich_help_panel=_RULES)
    ] = False,
    undefined: Annotated[
        str, typer.Option(help="Undefined values in a mean: counted_as, skip, error.", rich_help_panel=_RULES)
    ] = "counted_as",
    compat: Annotated[
        str | None, typer.Option(help="Rank, skip and round as trec_eval-9 or trec_eval-10.", rich_help_panel=_RULES)
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="Whose judgments count, where column 2 names the judge.", rich_help_panel=_RULES)
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed for --ties expected.", rich_help_panel=_RULES)] = 0,
    samples: Annotated[
        int, typer.Option(help="Orders drawn for --ties expected.", min=1, rich_help_panel=_RULES)
    ] = 100,
) -> None:
    """Score runs against judgments.

    Without `-m`: AP, nDCG@10, RR, P and R at 1, 5, 10, 20, and Judged@10.
    """
    from assay import evaluation as verb  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.measures.parser import split_measures  # noqa: PLC0415

    if [qrels, *(run.rpartition("=")[2] for run in runs)].count("-") > 1:
        raise ParameterError("stdin (-) can be read only once: give the other file by name")
    forms = {"json": json, "csv": csv, "markdown": markdown, "latex": latex, "html": html}
    chosen = [name for name, wanted in forms.items() if wanted]
    if len(chosen) > 1:
        raise ParameterError(f"choose one of --{' and --'.join(chosen)}")
    rules: dict[str, Any] = {
        "ties": ties, "unjudged": unjudged, "duplicates": duplicates, "rank_by": rank_by, "depth": depth,
        "judged_only": judged_only, "relevance_level": level,
    }  # fmt: skip
    if missing is not None:
        rules["missing"] = missing
    files = _opened(runs)
    with _progress(files, hidden=quiet):
        result = verb.evaluate(
            qrels,
            files,
            [name for text in measure or () for name in split_measures(text)] or verb.DEFAULT_MEASURES,
            undefined=undefined,  # type: ignore[arg-type]  # checked there, with suggestions
            compat=compat,  # type: ignore[arg-type]
            judge=judge,
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


def _opened(runs: list[str]) -> list[RunFile]:
    """Open the runs; `name=FILE` gives one a name, unless there is a file of just that name."""
    from assay.files import scan_run  # noqa: PLC0415

    given: dict[str, str] = {}
    files = []
    for run in runs:
        name, equals, path = run.partition("=")
        if not (name and equals and "/" not in name) or Path(run).exists():
            files.append(scan_run(run))
            continue
        if name in given:
            raise ParameterError(f"two runs are called {name!r}: {given[name]} and {path}")
        given[name] = path
        files.append(scan_run(path, name=name))
    return files


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


def _say(result: Evaluation, files: list[RunFile]) -> None:
    """Tell on stderr what was found in the files, and what is odd."""
    grades = result.qrels.frame["relevance"]
    from assay.evaluation import number_of  # noqa: PLC0415

    found = (number_of("topic", len(result.qrels.topics)), number_of("judgment", grades.len()))
    scale = f"grades {_number(grades.min())} to {_number(grades.max())}"
    typer.echo(f"{result.qrels.name}: {', '.join((result.qrels.format, *found, scale))}", err=True)
    for file in files:
        typer.echo(f"{file.source.name}: {file.format}", err=True)
    for warning in result.warnings:
        typer.echo(f"warning: {warning}", err=True)


def _number(value: Any) -> str:
    return f"{float(value):g}"


@contextmanager
def _progress(files: list[RunFile], hidden: bool) -> Iterator[None]:
    """Show how far reading has come, on a terminal, once it takes longer than a moment."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    from assay.report.terminal import console  # noqa: PLC0415

    out = console(stderr=True)
    total = sum(file.source.size or 0 for file in files)
    if hidden or not out.is_terminal or total < 64 << 20:
        yield
        return
    columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=out, transient=True) as progress:
        task = progress.add_task("reading", total=total)
        for file in files:
            file.source.watch = lambda count: progress.advance(task, count)
        yield
