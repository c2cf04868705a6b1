"""`assay plot roc FILE...` and the like: curves of classifiers' scores."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from assay.cli.inputs import each_named
from assay.cli.prediction_inputs import PredictionInputs
from assay.core.errors import ParameterError

if TYPE_CHECKING:
    from assay.curves import Curve

PANEL = "Curves of classifiers"
#: Which options each kind takes, besides those that say what to read.
TAKES: dict[str, tuple[str, ...]] = {
    "roc": ("band", "confidence", "resamples", "seed"),
    "pr": (),
    "det": (),
    "calibration": ("bins", "binning", "confidence"),
    "gain": ("at",),
    "lift": ("at",),
    "scores": ("bins", "threshold"),
}

Bins: TypeAlias = Annotated[
    int | None,
    typer.Option(help="Bins of calibration (default 10) and of scores (30).", min=1, rich_help_panel=PANEL),
]
Binning: TypeAlias = Annotated[
    str | None, typer.Option(help="Bins of calibration: equal width (default) or mass.", rich_help_panel=PANEL)
]
Band: TypeAlias = Annotated[
    str | None, typer.Option(help="Around roc: none (default), pointwise, simultaneous.", rich_help_panel=PANEL)
]
Threshold: TypeAlias = Annotated[
    str | None, typer.Option(help="In scores: a number, or a rule such as youden.", rich_help_panel=PANEL)
]
At: TypeAlias = Annotated[
    float | None,
    typer.Option(help="The share of items that gain and lift are told for; default 0.1.", rich_help_panel=PANEL),
]
Confidence: TypeAlias = Annotated[
    float | None,
    typer.Option(help="Level of the band of roc and of intervals; default 0.95.", rich_help_panel=PANEL),
]
Resamples: TypeAlias = Annotated[
    int | None,
    typer.Option(help="How often items are drawn anew, for the band; default 1000.", min=2, rich_help_panel=PANEL),
]


def is_kind(word: str) -> bool:
    """Whether the first word is a kind of curve, and not a file."""
    return word in TAKES and not Path(word).exists()


def refuse(given: Mapping[str, Any]) -> None:
    """Options of classifiers have no meaning for judgments and runs."""
    for name, value in given.items():
        if value is not None:
            kinds = ", ".join(kind for kind, takes in TAKES.items() if name in takes) or "roc"
            raise ParameterError(
                f"--{name} goes with a classifier's curves, as in: assay plot {kinds.split(', ')[0]} FILE"
            )


def curve_of(kind: str, files: list[str], own: Mapping[str, Any], predicted: PredictionInputs) -> Curve:
    """The curve of all systems in the files, or of one."""
    from assay import classifier_curves  # noqa: PLC0415  # `--help` need not load Polars

    for name, value in own.items():
        if value is not None and name not in TAKES[kind]:
            raise ParameterError(f"--{name} has no meaning for {kind}")
    settings = {name: value for name, value in own.items() if value is not None}
    if "threshold" in settings:
        settings["threshold"] = _number_or_rule(settings["threshold"])
    each_named("", files)
    found = predicted.scored(files)
    drawn = {
        "roc": classifier_curves.roc,
        "pr": classifier_curves.precision_recall,
        "det": classifier_curves.det,
        "calibration": classifier_curves.calibration,
        "gain": classifier_curves.gain,
        "lift": classifier_curves.lift,
        "scores": classifier_curves.score_distributions,
    }
    return drawn[kind](found, **settings)


def _number_or_rule(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
