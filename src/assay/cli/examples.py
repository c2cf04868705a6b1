"""`assay examples [FOLDER]`: the files that the pages of the documentation work on, to follow them."""

from __future__ import annotations

import shlex
import shutil
import tempfile
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.output import say
from assay.core.errors import InputError

#: Files of these stand in the folder itself; the other collections are folders in it.
HOME = "tea"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="examples")(examples)


def examples(
    folder: Annotated[Path, typer.Argument(help="A folder that does not exist yet.")] = Path("assay-examples"),
) -> None:
    """Copy the data that come with the package into a new folder: there, every command of the documentation runs."""
    lay_out(folder)
    say(f"{folder}: made; go there (cd {shlex.quote(str(folder))}) and try: assay evaluate qrels.txt words.run")


def lay_out(folder: Path) -> None:
    """Copy the examples; the folder appears when all of them are there, or not at all."""
    if folder.exists():
        raise InputError(f"{folder}: expected a folder that does not exist yet, found one: name another")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with (
            as_file(files("assay") / "data") as data,
            tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as place,
        ):
            made = Path(place) / folder.name
            shutil.copytree(data / HOME, made)
            for other in sorted(path for path in data.iterdir() if path.is_dir() and path.name != HOME):
                shutil.copytree(other, made / other.name)
            made.rename(folder)
    except OSError as problem:
        raise InputError(f"{folder}: cannot be written: {(problem.strerror or str(problem)).lower()}") from problem
