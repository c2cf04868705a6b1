"""`assay convert IN OUT` and `assay show FILE`."""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from assay.cli import inputs
from assay.cli.output import deliver, message, on_screen
from assay.core.domains import Choice
from assay.core.errors import ParameterError

if TYPE_CHECKING:
    from assay.files.registry import Kind
    from assay.files.writing import Table

_KINDS = ("run", "qrels", "topics", "documents")

InverseGrades: TypeAlias = Annotated[
    bool, typer.Option("--inverse-grades", help="1 is the best grade, as in Cranfield's codes: turn grades round.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(name="convert")(convert)
    app.command(name="show")(show)


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A file in any known format, or - for stdin.")],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="Where to write; the ending names the format. - is stdout, with --to.")
    ],
    kind: Annotated[
        str | None, typer.Option(help="What the file holds: run, qrels, topics, documents; found out if left out.")
    ] = None,
    from_format: Annotated[
        str | None, typer.Option("--from", help="The format of IN; found out if left out.", metavar="FORMAT")
    ] = None,
    to_format: Annotated[
        str | None, typer.Option("--to", help="The format of OUT; by its ending if left out.", metavar="FORMAT")
    ] = None,
    inverse_grades: InverseGrades = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No messages on stderr.")] = False,
) -> None:
    """Write a run, judgments, topics or documents in another format. Runs stream: memory stays bounded."""
    from assay.files.writing import kind_of, left_out, write  # noqa: PLC0415  # `assay --help` need not load Polars

    table = opened(source, _checked(kind), from_format, inverse_grades)
    with inputs.progress([table], hidden=quiet):
        written = _to_stdout(table, to_format) if str(target) == "-" else write(table, target, format=to_format)
    if not quiet:
        message(f"{source}: {table.format} -> {target}: {kind_of(table)} as {written}")
        if lost := left_out(table, written):
            message(f"warning: {target}: {written} has no place for {', '.join(lost)}")
        for warning in getattr(table, "warnings", ()):
            message(f"warning: {warning}")


def _to_stdout(table: Table, format: str | None) -> str:
    """Write to stdout; to a terminal, nothing that it would obey."""
    from assay.files.writing import write  # noqa: PLC0415

    if not sys.stdout.isatty():
        return write(table, "/dev/stdout", format=format)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "text"
        written = write(table, place, format=format)
        deliver(place.read_text(encoding="utf-8", errors="replace"), None)
    return written


def show(
    path: Annotated[
        str | None, typer.Argument(metavar="FILE", help="A file, a folder with a collection, or - for stdin.")
    ] = None,
    kind: Annotated[str | None, typer.Option(help="What it holds, if that cannot be told from the file.")] = None,
    lines: Annotated[int, typer.Option("-n", "--lines", help="So many rows to show.", min=0)] = 5,
    inverse_grades: InverseGrades = False,
    json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
    formats: Annotated[bool, typer.Option("--formats", help="List all formats that can be read and written.")] = False,
) -> None:
    """Say what a file is: its format, rows, topics, grades, first rows; or what a folder holds."""
    from assay.files.contents import contents_of, contents_of_collection  # noqa: PLC0415
    from assay.sections.contents import document_of_formats  # noqa: PLC0415

    if formats:
        deliver(on_screen(document_of_formats()), None)
        return
    if path is None:
        raise ParameterError("name a file or a folder, or ask for --formats")
    if path != "-" and Path(path).is_dir():
        from assay.files.collections import read_collection  # noqa: PLC0415

        contents = contents_of_collection(read_collection(path, inverse_grades=inverse_grades))
    else:
        table = opened(path, _checked(kind), inverse_grades=inverse_grades)
        contents = contents_of(table, path, lines)
    deliver(contents.to_json() if json else on_screen(contents.document()), None)


def opened(source: str, kind: Kind | None, format: str | None = None, inverse_grades: bool = False) -> Table:
    """Read a file of any kind, or part of a dataset."""
    from assay import files  # noqa: PLC0415
    from assay.files.reading import is_dataset  # noqa: PLC0415

    given: Any = source if is_dataset(source) else files.Source(source)
    found = files.detect(given, kind, format) if not is_dataset(given) else None
    readers: dict[str, Any] = {
        "run": files.scan_run,
        "qrels": partial(files.read_qrels, inverse_grades=inverse_grades),
        "topics": files.read_topics,
        "documents": files.read_documents,
    }
    table: Table = readers[found.kind if found else kind or "qrels"](given, format=found.name if found else None)
    return table


def _checked(kind: str | None) -> Any:
    if kind is not None:
        Choice(_KINDS).check("kind", kind)
    return kind
