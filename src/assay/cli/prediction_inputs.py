"""Files of predictions that a command was given where it also takes judgments and runs, or scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

import typer

from assay.cli import inputs
from assay.errors import InputError, ParameterError, number_of

if TYPE_CHECKING:
    from assay.tables import Predictions

PANEL = "Predictions of classifiers"

Positive: TypeAlias = Annotated[
    str | None, typer.Option(help="The positive one of two labels, if it is not 1 or true.", rich_help_panel=PANEL)
]
Threshold: TypeAlias = Annotated[
    float | None, typer.Option(help="Predict positive from this score on.", rich_help_panel=PANEL)
]
Truth: TypeAlias = Annotated[
    str | None, typer.Option(help="Column of the true labels; usual names are known.", rich_help_panel=PANEL)
]


class PredictionInputs(NamedTuple):
    """Options about predictions, as they were typed."""

    positive: str | None = None
    threshold: float | None = None
    truth: str | None = None

    def held_by(self, files: Sequence[str]) -> bool:
        """Whether the files hold predictions: what was said of columns settles it, else the first one's columns do.

        A file of predictions beside one of something else is refused.
        """
        from assay.files.predictions import looks_like_predictions  # noqa: PLC0415  # `assay --help` loads no Polars

        if any(said is not None for said in self):
            return True
        held = {file: looks_like_predictions(inputs.named(file)[1]) for file in files}
        if len(set(held.values())) > 1:
            one, other = (next(file for file, is_so in held.items() if is_so is kind) for kind in (True, False))
            raise InputError(f"{one} holds predictions, and {other} does not: give files of one kind")
        return all(held.values())

    def read(self, files: Sequence[str]) -> list[Predictions]:
        """All systems of all files; `name=FILE` names the one of a file that does not."""
        from assay.files.predictions import read_predictions  # noqa: PLC0415

        found: list[Predictions] = []
        for name, path in inputs.each_named("", list(files)):
            found += read_predictions(path, truth=self.truth, pos_label=self.positive, name=name)
        return found

    def rules(self, missing: str | None) -> dict[str, Any]:
        """The rules as `compare` and `gate` take them."""
        if missing not in {None, "error", "drop"}:
            raise ParameterError(f"--missing is error or drop for items that a system lacks, not {missing!r}")
        return {"pos_label": self.positive, "threshold": self.threshold, "missing": missing or "error"}


def say(systems: Sequence[Predictions]) -> None:
    """Tell on stderr what was read."""
    for path in dict.fromkeys(one.origin for one in systems):
        here = [one for one in systems if one.origin == path]
        names = f", systems {', '.join(one.name for one in here)}" if len(here) > 1 else ""
        typer.echo(f"{path}: {number_of('item', len(here[0]))}{names}", err=True)
