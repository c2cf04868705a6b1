"""How commands give their result: in which form, and where to."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from assay.cli.options import OUTPUT
from assay.core.errors import ParameterError
from assay.core.registry import writer
from assay.core.results import Result

if TYPE_CHECKING:
    from rich.console import Console

    from assay.show.model import Document

Json: TypeAlias = Annotated[bool, typer.Option("--json", help="As JSON, numbers in full.", rich_help_panel=OUTPUT)]
Csv: TypeAlias = Annotated[bool, typer.Option("--csv", help="As CSV, numbers in full.", rich_help_panel=OUTPUT)]
Markdown: TypeAlias = Annotated[bool, typer.Option("--markdown", help="As Markdown.", rich_help_panel=OUTPUT)]
Latex: TypeAlias = Annotated[bool, typer.Option("--latex", help="As a LaTeX table.", rich_help_panel=OUTPUT)]
Output: TypeAlias = Annotated[
    Path | None, typer.Option("-o", "--output", help="Write to a file instead of stdout.", rich_help_panel=OUTPUT)
]
_Overwrite: TypeAlias = Annotated[
    bool, typer.Option("--overwrite", help="Let the output replace a file that is read.", rich_help_panel=OUTPUT)
]
_Spreadsheet: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--spreadsheet", help="With --csv: an apostrophe before what would be a formula.", rich_help_panel=OUTPUT
    ),
]
_Table: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--table", metavar="NAME", help="With --csv: another table than the main one.", rich_help_panel=OUTPUT
    ),
]
#: What is said on stderr while the rest is on its way.
_ON_STDERR = {"notes", "warnings"}
_NAMED = inspect.Parameter.KEYWORD_ONLY
_is_csv = _for_spreadsheets = False
_table: str | None = None


def form_of(**wanted: bool) -> str | None:
    """The form asked for; None is text for the terminal."""
    chosen = [name for name, asked in wanted.items() if asked]
    if len(chosen) > 1:
        raise ParameterError(f"choose one of --{' and --'.join(chosen)}")
    return chosen[0] if chosen else None


class Styled(str):
    """Text that a console has made, with colours of its own and nothing of the data that terminals obey."""

    __slots__ = ()


def text_of(show: Callable[[Console], None], plain: bool) -> Styled:
    """What `show` prints to a console, without blanks at the end of lines."""
    from assay.show.terminal import console  # noqa: PLC0415  # `assay --help` need not load Rich's tables

    out = console(plain=plain)
    with out.capture() as captured:
        show(out)
    # Cells are padded to their column; nobody wants the blanks at the end of a line.
    return Styled("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))


def deliver(text: str, output: Path | None) -> None:
    """Print, or write to a file, whole or not at all: to the letter, but to a terminal nothing that it would obey."""
    if _for_spreadsheets:
        from assay.files.spreadsheets import for_spreadsheets  # noqa: PLC0415

        text = for_spreadsheets(text)
    if output is None:
        sys.stdout.write(text if isinstance(text, Styled) or not sys.stdout.isatty() else _on_terminal(text))
        sys.stdout.flush()
        return
    from assay.files.atomic import write_text  # noqa: PLC0415

    write_text(output, text)


def _on_terminal(text: str) -> str:
    """The text without what terminals obey; of CSV, each row on a line."""
    from assay.show.legible import legible, on_one_line  # noqa: PLC0415  # `assay --help` need not wait for it

    if not _is_csv:
        return legible(text)
    from assay.files.spreadsheets import each_cell  # noqa: PLC0415

    return each_cell(text, on_one_line)


def say(text: str) -> None:
    """Tell on stdout, on one line and legibly, whatever the names in it hold."""
    message(text, err=False)


def message(text: str, *, err: bool = True) -> None:
    """The same on stderr."""
    from assay.show.legible import on_one_line  # noqa: PLC0415

    typer.echo(on_one_line(text), err=err)


def with_common_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command, with the options of all that write a file or a CSV: what they say holds for whatever is written."""
    asked = inspect.signature(command, eval_str=True)
    further = []
    if {"to", "output", "target"} & asked.parameters.keys():
        further.append(inspect.Parameter("overwrite", _NAMED, default=False, annotation=_Overwrite))
    if "csv" in asked.parameters:
        further.append(inspect.Parameter("spreadsheet", _NAMED, default=False, annotation=_Spreadsheet))
    names_table = "csv" in asked.parameters and "table" not in asked.parameters
    if names_table:
        further.append(inspect.Parameter("table", _NAMED, default=None, annotation=_Table))

    @functools.wraps(command)
    def wrapped(*arguments: Any, overwrite: bool = False, spreadsheet: bool = False, **options: Any) -> None:
        global _is_csv, _for_spreadsheets, _table  # noqa: PLW0603  # what a command was told holds for all it delivers
        _is_csv, _for_spreadsheets = bool(options.get("csv")), spreadsheet
        _table = options.pop("table", None) if names_table else None
        for name, is_asked in (("--spreadsheet", spreadsheet), ("--table", _table is not None)):
            if is_asked and not _is_csv:
                raise ParameterError(f"{name} goes with --csv")
        from assay.files import originals  # noqa: PLC0415  # `assay --help` need not load Polars

        originals.start_anew(overwrite=overwrite)
        try:
            command(*arguments, **options)
        finally:
            originals.start_anew()

    wrapped.__signature__ = asked.replace(parameters=[*asked.parameters.values(), *further])  # type: ignore[attr-defined]
    wrapped.__annotations__ = command.__annotations__ | {one.name: one.annotation for one in further}
    return wrapped


def written(document: Document, form: str | None, plain: bool = True) -> str:
    """A document in the form asked for; for the terminal without its notes, which went to stderr."""
    return str(writer(form)(document)) if form is not None else on_screen(document, plain)


def on_screen(document: Document, plain: bool = False) -> Styled:
    """A document for the terminal, without what went to stderr."""
    from assay.show.terminal import show  # noqa: PLC0415  # `assay --help` need not load Rich's tables

    parts = tuple(part for part in document.sections if part.name not in _ON_STDERR)
    return text_of(lambda out: show(replace(document, sections=parts), out), plain)


def rendered(result: Result, form: str | None, plain: bool) -> str:
    """A result in the form asked for; for the terminal without its notes, which went to stderr."""
    if form != "csv":
        return written(result.document(), form, plain)
    if _table is None:
        return result.to_csv()
    from assay.show.data import write_csv  # noqa: PLC0415  # `assay --help` need not load Polars

    return write_csv(result.document(), _table)
