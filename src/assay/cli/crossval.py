"""`assay crossval FILES...`: predictions with the fold in which each was made; `assay crossval QRELS RUN...`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli import crossval_topics, inputs, options, output, prediction_inputs
from assay.cli.output import message
from assay.cli.prediction_inputs import PredictionInputs
from assay.core.errors import ParameterError

_FOLDS = "Folds"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="crossval")(crossval)


def crossval(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="Predictions beside the truth with the fold of each; name=FILE gives a name. Or judgments, and runs "
            "of one search system under different settings.",
        ),
    ],
    measure: Annotated[
        list[str] | None, typer.Option("-m", "--measure", help="A measure, such as F1 or AUC; repeat for more.")
    ] = None,
    fold: Annotated[
        str | None,
        typer.Option(
            help="Column of the folds; `fold` unless said. Of --topics, an attribute.", rich_help_panel=_FOLDS
        ),
    ] = None,
    repeat: Annotated[
        str | None,
        typer.Option(help="Column of the repeats, where items were split several times.", rich_help_panel=_FOLDS),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(
            help="Column of train and test, where rows that were learned from are there.", rich_help_panel=_FOLDS
        ),
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(help="Column of groups, which should not be on both sides.", rich_help_panel=_FOLDS),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(help="Column of times, which should not be learned from too early.", rich_help_panel=_FOLDS),
    ] = None,
    per_fold: Annotated[bool, typer.Option("--per-fold", help="Show every fold.", rich_help_panel=_FOLDS)] = False,
    baseline: crossval_topics.Baseline = None,
    compare: crossval_topics.Compare = False,
    test: crossval_topics.Test = None,
    margin: crossval_topics.Margin = None,
    folds: crossval_topics.Folds = None,
    topics: crossval_topics.Topics = None,
    seed: crossval_topics.Seed = 0,
    level: options.Level = 1.0,
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
    confidence: Annotated[float, typer.Option(help="Level of the intervals, such as 0.95.")] = 0.95,
    json: output.Json = False,
    csv: output.Csv = False,
    markdown: output.Markdown = False,
    latex: output.Latex = False,
    to: output.Output = None,
    quiet: options.Quiet = False,
) -> None:
    """Say how good classifiers are that were cross-validated: the mean of folds, its spread, pooled, the gap.

    A row is what was said of an item in a fold. With a column split, rows of the training set show how much better a
    classifier looks on what it has learned from. With --compare, say which of several classifiers is better.

    Given judgments and several runs, each under another setting of one search system: choose a setting by the topics of
    other folds, and say what the system is then worth, beside what the best setting looks like in hindsight.
    """
    from assay.crossvalidation import crossval as verb  # noqa: PLC0415  # `assay --help` need not load Polars

    form = output.form_of(json=json, csv=csv, markdown=markdown, latex=latex)
    predicted = PredictionInputs(
        truth=truth, prediction=prediction, score=score, item_id=item_id, weight=weight, system=system, nulls=nulls,
        list_separator=list_separator, labels=labels, unknown=unknown, positive=positive, one_class=one_class,
    )  # fmt: skip
    asked = crossval_topics.Asked(baseline, compare, test, margin, folds, topics, seed, level)
    is_predicted, opened = predicted.looked_at(files) if len(files) > 1 else (True, [files[0]])
    if len(files) == 1 and Path(files[0]).is_file() and not predicted.may_be_file(files[0]):
        inputs.refuse_judgments(files[0])
    if not is_predicted:
        refused = {"repeat": repeat, "split": split, "group": group, "time": time, "per-fold": per_fold or None}
        for name, value in refused.items():
            if value is not None:
                raise ParameterError(f"--{name} goes with predictions of classifiers, and these are none")
        with inputs.working("tuning", hidden=quiet):
            found = crossval_topics.tuned(opened, measure, fold, asked, confidence)
            text = output.rendered(found, form, plain=to is not None)
        if not quiet:
            crossval_topics.say(found)
        output.deliver(text, to)
        return
    asked.refuse("goes with judgments and runs", "folds", "topics", "seed", "level")
    keep = {"fold": fold, "repeat": repeat, "split": split, "group": group, "time": time}
    given = predicted.read(opened, keep)
    if not quiet:
        prediction_inputs.say(given, "row")
    with inputs.working("measuring folds", hidden=quiet):
        result = verb(
            given,
            measures=measure,
            pos_label=positive,
            threshold=threshold,
            confidence=confidence,
            shows_folds=per_fold,
        )
        shown = crossval_topics.compared(result, asked, confidence) if asked.compares else result
        text = output.rendered(shown, form, plain=to is not None)
    if not quiet:
        for warning in result.warnings:
            message(f"warning: {warning}")
        inputs.say(None, list(dict.fromkeys([*result.notes, *shown.notes])))
    output.deliver(text, to)
