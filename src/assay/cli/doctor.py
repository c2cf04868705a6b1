"""`assay doctor QRELS RUN...`, `assay doctor PREDICTIONS...`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli import inputs, options, output, prediction_inputs
from assay.core.errors import ParameterError

if TYPE_CHECKING:
    from assay.diagnosis import Diagnosis
    from assay.files import Source


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="doctor")(doctor)


def doctor(
    qrels: Annotated[
        str,
        typer.Argument(metavar="QRELS", help="Judgments: a file, or - for stdin; or a file of predictions."),
    ],
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN", help="Runs: one file or several; name=FILE gives a name. Or further predictions."
        ),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m", "--measure", help="A measure to judge ties and topics by; repeat. Default: nDCG@10, AP, RR, P@10."
        ),
    ] = None,
    topics: Annotated[str | None, typer.Option(help="A file of topics: judged ones should be in it.")] = None,
    documents: Annotated[str | None, typer.Option(help="A file of documents: those judged should be in it.")] = None,
    grades: Annotated[
        str | None, typer.Option("--grades", "--scale", help="The scale, as 0..3 or 0,1,2: other grades are errors.")
    ] = None,
    level: options.Level = 1.0,
    train: Annotated[
        str | None,
        typer.Option(help="The items that a classifier was trained on.", rich_help_panel=prediction_inputs.PANEL),
    ] = None,
    truth: prediction_inputs.Truth = None,
    prediction: prediction_inputs.Prediction = None,
    score: prediction_inputs.Score = None,
    item_id: prediction_inputs.ItemId = None,
    weight: prediction_inputs.Weight = None,
    list_separator: prediction_inputs.ListSeparator = None,
    positive: prediction_inputs.Positive = None,
    every: Annotated[
        bool, typer.Option("--all", help="List the checks that found nothing, too.", rich_help_panel=options.OUTPUT)
    ] = False,
    json: output.Json = False,
    csv: output.Csv = False,
    markdown: output.Markdown = False,
    to: output.Output = None,
    quiet: options.Quiet = False,
) -> None:
    """Look judgments and runs, or a classifier's predictions, over for whatever makes numbers wrong or misleading.

    It goes on where `assay evaluate` refuses a file. Exit 1 if there is an error among the findings, 0 if not.
    """
    form = output.form_of(json=json, csv=csv, markdown=markdown)
    from assay import diagnosis as verb  # noqa: PLC0415  # `assay --help` need not load Polars

    of_rankings = {"measure": measure, "topics": topics, "documents": documents, "grades": grades}
    predicted = prediction_inputs.PredictionInputs(
        truth=truth, prediction=prediction, score=score, item_id=item_id, weight=weight, list_separator=list_separator,
        positive=positive,
    )  # fmt: skip
    with inputs.working("examining", hidden=quiet):
        is_predicted, files = predicted.looked_at([qrels, *(runs or ())])
        if is_predicted:
            _refuse(of_rankings, "goes with judgments and runs, and these are predictions")
            found = _examined(files, train, predicted)
        else:
            if not runs:
                instead = "give runs after the judgments, or a file of predictions (clusters: assay cluster)"
                raise prediction_inputs.no_predictions(files[0], instead)
            _refuse({"train": train}, "goes with predictions, and these are judgments and runs")
            found = verb.doctor(
                files[0],
                _named(qrels, runs),
                measure or None,
                topics=topics,
                documents=documents,
                grades=grades,
                level=level,
            )
    text = _on_screen(found, every=every, plain=to is not None) if form is None else str(getattr(found, f"to_{form}")())
    output.deliver(text, to)
    if not found.is_healthy:
        raise typer.Exit(1)


def _on_screen(found: Diagnosis, *, every: bool, plain: bool) -> str:
    from assay.sections.diagnoses import document  # noqa: PLC0415

    return output.on_screen(document(found, every=every), plain)


def _examined(files: list[str | Source], train: str | None, predicted: prediction_inputs.PredictionInputs) -> Diagnosis:
    from assay.diagnosis.examination import examine  # noqa: PLC0415
    from assay.files.prediction_columns import StatedColumns  # noqa: PLC0415

    given: list[Any] = []
    for file in files:
        name, path = inputs.named(file) if isinstance(file, str) else (None, file)
        given.append(path if name is None else {name: path})
    said = StatedColumns(predicted.truth, predicted.prediction, predicted.score, predicted.item_id, predicted.weight)
    return examine(
        given, train=train, column_names=said, pos_label=predicted.positive, list_separator=predicted.list_separator
    )


def _refuse(said: dict[str, Any], why: str) -> None:
    for name, value in said.items():
        if value:
            raise ParameterError(f"--{name} {why}")


def _named(qrels: str, runs: list[str]) -> Any:
    """Runs by name, if one was given a name as `name=FILE`; a list of files otherwise."""
    parts = inputs.each_named(qrels, runs)
    if all(name is None for name, _ in parts):
        return runs
    from assay.diagnosis.examined_files import named  # noqa: PLC0415

    named_runs: dict[str, Any] = {}
    for name, path in parts:
        called, file = named([path])[0] if name is None else (name, path)
        if called in named_runs:
            raise ParameterError(f"two runs are called {called!r}: each needs a name of its own (name=FILE)")
        named_runs[called] = file
    return named_runs
