"""`assay classify FILES...`, `assay classify --matrix '13 4 2; 2 15 1; 5 1 57' --labels Woman,Man,Child`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli import inputs, options, output, prediction_inputs
from assay.cli.output import message
from assay.cli.prediction_inputs import PredictionInputs
from assay.core.errors import ParameterError

if TYPE_CHECKING:
    from assay.classification import Classification

_SHOWN = "What is shown"
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
    truth: prediction_inputs.Truth = None,
    prediction: prediction_inputs.Prediction = None,
    score: prediction_inputs.Score = None,
    item_id: prediction_inputs.ItemId = None,
    weight: prediction_inputs.Weight = None,
    system: prediction_inputs.Systems = None,
    nulls: prediction_inputs.Nulls = None,
    list_separator: prediction_inputs.ListSeparator = None,
    labels: prediction_inputs.Labels = None,
    unknown: prediction_inputs.Unknown = None,
    positive: prediction_inputs.Positive = None,
    one_class: prediction_inputs.OneClass = None,
    threshold: prediction_inputs.Threshold = None,
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
    confidence: Annotated[float, typer.Option(help="Level of the intervals, such as 0.95.")] = 0.95,
    resamples: Annotated[int, typer.Option(help="How often items are drawn anew, for intervals.", min=1)] = 2000,
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
    from assay.classification import ClassificationView  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.classification import classify as verb  # noqa: PLC0415

    form = output.form_of(json=json, csv=csv, markdown=markdown, latex=latex)
    turned = options.one_of("orientation", orientation, prediction_inputs.ORIENTATIONS)
    shown = ClassificationView(
        turned or "rows_are_true",
        options.one_of("normalize", normalize, _NORMALIZE),
        reorder,
        errors,
        most_confused,
        tuple(prevalence or ()),
    )
    settings: dict[str, Any] = {"threshold": threshold, "one_class": one_class, "mute": mute or ()}
    settings |= {"confidence": confidence, "resamples": resamples, "seed": seed, "shown": shown}
    # The class is told to the verb, for matrices too.
    predicted = PredictionInputs(
        truth=truth, prediction=prediction, score=score, item_id=item_id, weight=weight, system=system, nulls=nulls,
        list_separator=list_separator, labels=labels, unknown=unknown, positive=positive,
    )  # fmt: skip
    if one_class is not None:
        predicted.refuse("goes without --class, which makes its class the positive one", "positive")
    if matrix is not None:
        given: Any = _matrix(predicted, matrix, turned, files, errors)
    else:
        if not files:
            raise ParameterError("expected a file of predictions, or --matrix: got neither")
        inputs.each_named("", files)
        given = predicted.read(files)
        if not quiet:
            prediction_inputs.say(given)
        settings["pos_label"] = positive
    with inputs.working("computing intervals", hidden=quiet):
        result = verb(given, measure, **settings)
        if prevalence and result.task != "binary":
            raise ParameterError(
                f"--prevalence is about two labels, and there are {len(result.labels)}: --class holds one against all "
                f"others, as in --class {result.labels[0]}"
            )
        text = output.rendered(result, form, plain=to is not None)
    if not quiet:
        _say(result)
    output.deliver(text, to)


def _matrix(
    predicted: PredictionInputs, text: str, orientation: str | None, files: list[str] | None, errors: int
) -> Any:
    if files:
        raise ParameterError("give predictions or --matrix, not both")
    if errors:
        raise ParameterError("--errors goes with predictions: a matrix holds no items")
    return predicted.matrix(text, orientation)


def _say(result: Classification) -> None:
    for warning in result.warnings:
        message(f"warning: {warning}")
    inputs.say(None, result.notes)
