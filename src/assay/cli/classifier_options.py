"""Options of commands that read a classifier's scores: which columns, which label is positive, which system."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import typer

from assay.errors import InputError

COLUMNS = "Columns"

Positive: TypeAlias = Annotated[
    str | None, typer.Option(help="The positive label, if it is not 1 or true.", rich_help_panel=COLUMNS)
]
Truth: TypeAlias = Annotated[
    str | None, typer.Option(help="The column of true labels; usual names are known.", rich_help_panel=COLUMNS)
]
Score: TypeAlias = Annotated[
    str | None, typer.Option(help="The column of scores; usual names are known.", rich_help_panel=COLUMNS)
]
Weight: TypeAlias = Annotated[str | None, typer.Option(help="The column of weights.", rich_help_panel=COLUMNS)]
System: TypeAlias = Annotated[str | None, typer.Option(help="One of the systems in the file.", rich_help_panel=COLUMNS)]
Nulls: TypeAlias = Annotated[str, typer.Option(help="Items without a label: error, drop.", rich_help_panel=COLUMNS)]


def systems_in(
    file: str, *, positive: str | None, truth: str | None, score: str | None, weight: str | None, nulls: str
) -> list[Any]:
    """The systems with scores in a file of predictions, `name=FILE` giving the only one its name."""
    from assay.cli.inputs import named  # noqa: PLC0415
    from assay.files.predictions import read_predictions  # noqa: PLC0415  # `assay --help` need not load Polars

    name, path = named(file)
    columns: dict[str, Any] = {"truth": truth, "score": score, "weight": weight, "nulls": nulls, "name": name}
    found = read_predictions(path, pos_label=positive, **columns)
    scored = [one for one in found if one.score is not None or one.class_scores]
    if not scored:
        raise InputError(f"{path}: expected scores, one an item, got labels only")
    return scored
