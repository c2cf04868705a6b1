"""The other forms of `assay crossval`: folds over topics for a search system, and two models compared over folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

import typer

from assay.cli import inputs
from assay.cli.output import message
from assay.core.errors import ParameterError

if TYPE_CHECKING:
    from assay.crossvalidation import CrossValidation, FoldComparison, Tuning
    from assay.files import Source

COMPARED, TUNED = "Compare models over folds", "Search systems: folds over topics"

Baseline: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "-b",
        "--baseline",
        help="Compare with this system; of runs, with this setting.",
        rich_help_panel=COMPARED,
    ),
]
Compare: TypeAlias = Annotated[
    bool, typer.Option("--compare", help="Say which system is better, over these folds.", rich_help_panel=COMPARED)
]
Test: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="corrected-t (default); of five repeats of two folds also 5x2cv, 5x2cv-t.", rich_help_panel=COMPARED
    ),
]
Margin: TypeAlias = Annotated[
    float | None,
    typer.Option(
        help="The smallest difference that matters; default 0.01 of the measure's range.", rich_help_panel=COMPARED
    ),
]
Folds: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Into how many folds topics are split, or leave-one-out; default 5.", rich_help_panel=TUNED),
]
Topics: TypeAlias = Annotated[
    str | None, typer.Option(help="The topics, whose attribute --fold says the fold.", rich_help_panel=TUNED)
]
Seed: TypeAlias = Annotated[
    int, typer.Option(help="Seed of the folds, and of what is drawn for intervals.", min=0, rich_help_panel=TUNED)
]


class Asked(NamedTuple):
    """What was asked for besides the files; what equals its default is not said."""

    baseline: str | None = None
    compare: bool = False
    test: str | None = None
    margin: float | None = None
    folds: str | None = None
    topics: str | None = None
    seed: int = 0
    level: float = 1.0

    def refuse(self, why: str, *names: str) -> None:
        """Refuse options that have no meaning here."""
        for name in names:
            if getattr(self, name) != Asked._field_defaults[name]:
                raise ParameterError(f"--{name} {why}")

    @property
    def compares(self) -> bool:
        """Whether systems are to be compared over folds."""
        return self.compare or self.test is not None or self.baseline is not None or self.margin is not None


def compared(result: CrossValidation, asked: Asked, confidence: float) -> FoldComparison:
    """The systems of a cross-validation held against one another."""
    test = "corrected-t" if asked.test is None else asked.test
    return result.compare(asked.baseline, test=test, margin=asked.margin, alpha=_alpha(confidence))


def tuned(
    files: Sequence[str | Source], measure: list[str] | None, fold: str | None, asked: Asked, confidence: float
) -> Tuning:
    """Judgments and runs, each a setting of one system: for each fold one is chosen by the topics of the others."""
    from assay.crossvalidation import tune  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.crossvalidation.tuning import LEAVE_ONE_OUT  # noqa: PLC0415
    from assay.files import read_topics  # noqa: PLC0415

    if measure is not None and len(measure) > 1:
        raise ParameterError("a setting is chosen by one measure: give -m once")
    asked.refuse("goes with predictions; -b SETTING compares a tuned search system", "compare", "test")
    if (fold is None) != (asked.topics is None):
        raise ParameterError("--topics FILE and --fold ATTRIBUTE go together")
    if asked.topics is not None and asked.folds is not None:
        raise ParameterError("choose --folds, or folds by an attribute of --topics")
    folds: Any = 5
    if asked.topics is not None:
        folds = read_topics(asked.topics)
    elif asked.folds is not None:
        is_number = asked.folds.isascii() and asked.folds.isdigit()
        if not is_number and asked.folds != LEAVE_ONE_OUT:
            raise ParameterError(f"--folds is a whole number from 2 on, or {LEAVE_ONE_OUT}, not {asked.folds!r}")
        folds = int(asked.folds) if is_number else LEAVE_ONE_OUT
    qrels, *runs = files
    return tune(
        qrels,
        inputs.opened(qrels, [str(run) for run in runs]),
        (measure or ["AP"])[0],
        folds=folds,
        by=fold,
        baseline=asked.baseline,
        margin=asked.margin,
        alpha=_alpha(confidence),
        seed=asked.seed,
        relevance_level=asked.level,
    )


def _alpha(confidence: float) -> float:
    if not 0.5 < confidence < 1:
        raise ParameterError(f"--confidence lies between 0.5 and 1, not {confidence:g}")
    return round(1 - confidence, 12)


def say(result: Tuning) -> None:
    """Tell on stderr what was read, and what is odd about it or about the choices."""
    evaluation = result.evaluation
    read = () if evaluation is None else evaluation.warnings
    if evaluation is not None:
        inputs.say_what_was_read(evaluation)
    for warning in result.warnings:
        if warning not in read:
            message(f"warning: {warning}")
    inputs.say(None, result.notes)
