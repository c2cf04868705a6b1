"""How commands give their result: in which form, and where to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from assay.cli.options import OUTPUT
from assay.cli.wording import as_typed
from assay.errors import ParameterError

if TYPE_CHECKING:
    from rich.console import Console

    from assay.tabled import Tabled

Json: TypeAlias = Annotated[bool, typer.Option("--json", help="As JSON, numbers in full.", rich_help_panel=OUTPUT)]
Csv: TypeAlias = Annotated[bool, typer.Option("--csv", help="As CSV, numbers in full.", rich_help_panel=OUTPUT)]
Markdown: TypeAlias = Annotated[bool, typer.Option("--markdown", help="As Markdown.", rich_help_panel=OUTPUT)]
Latex: TypeAlias = Annotated[bool, typer.Option("--latex", help="As a LaTeX table.", rich_help_panel=OUTPUT)]
Output: TypeAlias = Annotated[
    Path | None, typer.Option("-o", "--output", help="Write to a file instead of stdout.", rich_help_panel=OUTPUT)
]


def form_of(**wanted: bool) -> str | None:
    """The form asked for; None is text for the terminal."""
    chosen = [name for name, asked in wanted.items() if asked]
    if len(chosen) > 1:
        raise ParameterError(f"choose one of --{' and --'.join(chosen)}")
    return chosen[0] if chosen else None


def text_of(show: Callable[[Console], None], plain: bool) -> str:
    """What `show` prints to a console, without blanks at the end of lines."""
    from assay.report.terminal import console  # noqa: PLC0415  # `assay --help` need not load Rich's tables

    out = console(plain=plain)
    with out.capture() as captured:
        show(out)
    # Cells are padded to their column; nobody wants the blanks at the end of a line.
    return "".join(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def deliver(text: str, output: Path | None) -> None:
    """Print, or write to a file, whole or not at all."""
    if output is None:
        typer.echo(text, nl=False)
        return
    from assay.files.atomic import write_text  # noqa: PLC0415

    write_text(output, text)


def message(text: str) -> None:
    """Tell on stderr, on one line and legibly, whatever the names in it hold; arguments are called as options are."""
    from assay.report.legible import on_one_line  # noqa: PLC0415  # `assay --help` need not load Polars

    typer.echo(as_typed(on_one_line(text)), err=True)


def rendered(result: Tabled, form: str | None, plain: bool) -> str:
    """A result that is tables with lines of text below, in the form asked for."""
    if form is not None:
        return str(getattr(result, f"to_{form}")())
    from assay.report.titled import show  # noqa: PLC0415

    # Notes went to stderr; what the tables mean stays with them.
    notes = getattr(result, "notes", ())
    said = [as_typed(line) for line in result.lines() if line not in notes]
    return text_of(lambda out: show(result.tables(), said, out), plain)
