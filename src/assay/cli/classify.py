"""`assay classify FILES...`, `assay classify --matrix '13 4 2; 2 15 1; 5 1 57' --labels Woman,Man,Child`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli import inputs, options, output
from assay.cli.label_inputs import LabelInputs
from assay.errors import ParameterError, did_you_mean, number_of

if TYPE_CHECKING:
    from assay.classification import Classification
    from assay.tables import Predictions

_COLUMNS = "What the file holds"
_LABELS = "Labels"
_SHOWN = "What is shown"
_ORIENTATIONS = ("rows_are_true", "rows_are_predicted")
_NORMALIZE = ("true", "pred", "all")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="classify")(classify)


def classify(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="Predictions beside the truth, a file or several; name=FILE gives a name."),
    ] = None,
    measure: Annotated[
        list[str] | None, typer.Option("-m", "--measure", help="A measure, such as F1 or MCC; repeat for more.")
    ] = None,
    matrix: Annotated[
        str | None, typer.Option(help="A matrix instead of files: '13 4; 2 15', or a file of one.")
    ] = None,
    truth: Annotated[str | None, typer.Option(help="Column of the true labels.", rich_help_panel=_COLUMNS)] = None,
    prediction: Annotated[
        str | None, typer.Option(help="Column of the predicted labels.", rich_help_panel=_COLUMNS)
    ] = None,
    score: Annotated[
        str | None, typer.Option(help="Column of the scores of the positive label.", rich_help_panel=_COLUMNS)
    ] = None,
    item: Annotated[str | None, typer.Option(help="Column of the items' ids.", rich_help_panel=_COLUMNS)] = None,
    weight: Annotated[str | None, typer.Option(help="Column of the items' weights.", rich_help_panel=_COLUMNS)] = None,
    system: Annotated[
        list[str] | None, typer.Option(help="Only this system of the file; repeat.", rich_help_panel=_COLUMNS)
    ] = None,
    nulls: Annotated[
        str, typer.Option(help="Absent labels: error, drop, label (an absent prediction).", rich_help_panel=_COLUMNS)
    ] = "error",
    labels: Annotated[
        str | None, typer.Option(help="All labels in their order: Woman,Man,Child.", rich_help_panel=_LABELS)
    ] = None,
    positive: Annotated[
        str | None, typer.Option(help="The positive one of two labels.", rich_help_panel=_LABELS)
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Predict positive from this score on.", rich_help_panel=_LABELS)
    ] = None,
    one_class: Annotated[
        str | None, typer.Option("--class", help="This class against all others.", rich_help_panel=_LABELS)
    ] = None,
    orientation: Annotated[
        str | None, typer.Option(help="rows_are_true (default) or rows_are_predicted.", rich_help_panel=_SHOWN)
    ] = None,
    normalize: Annotated[
        str | None, typer.Option(help="The matrix as shares of true, pred or all items.", rich_help_panel=_SHOWN)
    ] = None,
    reorder: Annotated[
        bool, typer.Option("--reorder", help="Labels that are confused side by side.", rich_help_panel=_SHOWN)
    ] = False,
    most_confused: Annotated[
        int, typer.Option(help="So many pairs of labels that are confused.", min=0, rich_help_panel=_SHOWN)
    ] = 0,
    errors: Annotated[
        int, typer.Option(help="So many items that were predicted wrongly.", min=0, rich_help_panel=_SHOWN)
    ] = 0,
    prevalence: Annotated[
        list[float] | None,
        typer.Option(help="PPV and NPV where so many items are positive: 0.01; repeat.", rich_help_panel=_SHOWN),
    ] = None,
    mute: Annotated[
        list[str] | None, typer.Option(help="A remark not to make, by its code; repeat.", rich_help_panel=_SHOWN)
    ] = None,
    confidence: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    resamples: Annotated[int, typer.Option(help="How often items are drawn anew.", min=1)] = 2000,
    seed: Annotated[int, typer.Option(help="Seed of everything random.", min=0)] = 0,
    json: output.Json = False,
    csv: output.Csv = False,
    markdown: output.Markdown = False,
    latex: output.Latex = False,
    to: output.Output = None,
    quiet: options.Quiet = False,
) -> None:
    """Say how good a classifier is: confusion matrix, measures with intervals and baselines, classes, advice.

    Two labels, more, or several an item: the file decides. Name the positive one of two labels with --positive, unless
    it is 1 or true.
    """
    from assay.classification import Shown  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.classification import classify as verb  # noqa: PLC0415

    form = output.form_of(json=json, csv=csv, markdown=markdown, latex=latex)
    turned = _one_of("orientation", orientation, _ORIENTATIONS)
    shown = Shown(
        turned or "rows_are_true",
        _one_of("normalize", normalize, _NORMALIZE),
        reorder,
        errors,
        most_confused,
        tuple(prevalence or ()),
    )
    settings: dict[str, Any] = {"threshold": threshold, "one_class": one_class, "mute": mute or ()}
    settings |= {"confidence": confidence, "resamples": resamples, "seed": seed, "shown": shown}
    columns = LabelInputs(
        matrix=matrix, labels=labels, positive=positive, orientation=turned, truth=truth, prediction=prediction,
        score=score, weight=weight, ids=item,
    )  # fmt: skip
    if matrix is not None:
        given: Any = _matrix(columns, files, errors)
    else:
        given = _predictions(columns, files or [], nulls, system)
        if not quiet:
            _say_what_was_read(given)
        settings["pos_label"] = positive
    with inputs.working("computing intervals", hidden=quiet):
        result = verb(given, measure, **settings)
        text = output.rendered(result, form, plain=to is not None)
    if not quiet:
        _say(result)
    output.deliver(text, to)


def _one_of(name: str, said: str | None, known: tuple[str, ...]) -> Any:
    if said is not None and said not in known:
        raise ParameterError(f"--{name} is one of {', '.join(known)}, not {said!r}{did_you_mean(said, known)}")
    return said


def _matrix(columns: LabelInputs, files: list[str] | None, errors: int) -> Any:
    if files:
        raise ParameterError("give predictions or --matrix, not both")
    if errors:
        raise ParameterError("--errors goes with predictions: a matrix holds no items")
    return columns.confusion_matrix()


def _predictions(columns: LabelInputs, files: list[str], nulls: str, system: list[str] | None) -> list[Predictions]:
    """All systems of all files."""
    from assay.files.predictions import read_predictions  # noqa: PLC0415
    from assay.files.typed_labels import labels_in  # noqa: PLC0415

    if not files:
        raise ParameterError("expected a file of predictions, or --matrix: got neither")
    labels = None if columns.labels is None else labels_in(columns.labels)
    rule: Any = _one_of("nulls", nulls, ("error", "drop", "label"))
    found: list[Predictions] = []
    for name, path in inputs.each_named("", files):
        found += read_predictions(
            path, truth=columns.truth, prediction=columns.prediction, score=columns.score, item=columns.ids,
            weight=columns.weight, systems=system, pos_label=columns.positive, labels=labels, nulls=rule, name=name,
        )  # fmt: skip
    return found


def _say_what_was_read(systems: list[Predictions]) -> None:
    for path in dict.fromkeys(one.origin for one in systems):
        here = [one for one in systems if one.origin == path]
        names = f", systems {', '.join(one.name for one in here)}" if len(here) > 1 else ""
        typer.echo(f"{path}: {number_of('item', len(here[0]))}{names}", err=True)


def _say(result: Classification) -> None:
    for warning in result.warnings:
        typer.echo(f"warning: {warning}", err=True)
    inputs.say(None, result.notes)
