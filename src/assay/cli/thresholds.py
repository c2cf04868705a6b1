"""`assay thresholds FILE`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli import options, output, prediction_inputs
from assay.cli.output import message
from assay.core.errors import ParameterError

if TYPE_CHECKING:
    from assay.core.results import Result

_RULES = "Rules (without any: all that need nothing said)"
_MOST_ROWS = 40
#: Items times resamples from which on it takes longer than about a second.
_LONG = 20_000_000


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="thresholds")(thresholds)


def thresholds(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="Truth and scores, an item a row; or - for stdin.")
    ] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option("-r", "--rule", help="A rule, such as youden or 'max_f(beta=2)'; repeat.", rich_help_panel=_RULES),
    ] = None,
    tnr: Annotated[
        float | None, typer.Option(help="Most true positives with a TNR of at least so much.", rich_help_panel=_RULES)
    ] = None,
    tpr: Annotated[
        float | None, typer.Option(help="Most true negatives with a TPR of at least so much.", rich_help_panel=_RULES)
    ] = None,
    recall: Annotated[
        float | None, typer.Option(help="Best precision with a recall of at least so much.", rich_help_panel=_RULES)
    ] = None,
    precision: Annotated[
        float | None, typer.Option(help="Best recall with a precision of at least so much.", rich_help_panel=_RULES)
    ] = None,
    cost: Annotated[
        str | None,
        typer.Option(metavar="fp=1,fn=10", help="Lowest cost an item; also tp=, tn=.", rich_help_panel=_RULES),
    ] = None,
    prevalence: Annotated[
        float | None, typer.Option(help="Share of positive items in use, for --cost.", rich_help_panel=_RULES)
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="50", help="Most found with so many alerts, or such a share: 50, 5%.", rich_help_panel=_RULES
        ),
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="A given threshold beside them.", rich_help_panel=_RULES)
    ] = None,
    ties: Annotated[str, typer.Option(help="Of thresholds that do as well: higher, lower.")] = "higher",
    judge_on: Annotated[
        str | None, typer.Option(metavar="OTHER", help="A file of other items to judge the thresholds on.")
    ] = None,
    table: Annotated[
        bool, typer.Option("--table", help="What every threshold counts: TP FP FN TN TPR FPR ACC.")
    ] = False,
    rows: Annotated[
        int | None, typer.Option(help="Rows of --table, evenly spaced; 0 for all. Default 40 on a terminal.", min=0)
    ] = None,
    scores: Annotated[
        str | None,
        typer.Option(metavar="'P .90, N .70'", help="A list instead of a file: P or N and the score of each item."),
    ] = None,
    truth: prediction_inputs.Truth = None,
    prediction: prediction_inputs.Prediction = None,
    score: prediction_inputs.Score = None,
    item_id: prediction_inputs.ItemId = None,
    weight: prediction_inputs.Weight = None,
    system: prediction_inputs.System = None,
    nulls: prediction_inputs.Nulls = None,
    labels: prediction_inputs.Labels = None,
    unknown: prediction_inputs.Unknown = None,
    positive: prediction_inputs.Positive = None,
    one_class: prediction_inputs.OneClass = None,
    confidence: Annotated[float, typer.Option(help="Level of the intervals, such as 0.95.")] = 0.95,
    resamples: Annotated[
        int, typer.Option(help="How often items are drawn anew, for intervals; 0 for not.", min=0)
    ] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of everything random.", min=0)] = 0,
    json: output.Json = False,
    csv: output.Csv = False,
    markdown: output.Markdown = False,
    latex: output.Latex = False,
    to: output.Output = None,
    quiet: options.Quiet = False,
) -> None:
    """Say from which score on an item should count as positive, by one rule or several.

    Give a file with the truth and a score of each item. Each rule names a threshold, what it counts, and how sure one
    can be of it. With one rule all measures are shown.
    """
    form = output.form_of(json=json, csv=csv, markdown=markdown, latex=latex)
    if (file is None) == (scores is None):
        raise ParameterError("give a file with truth and scores, or --scores with a list, such as 'P .90, N .70'")
    bounds = {"tnr": tnr, "tpr": tpr, "recall": recall, "precision": precision}
    wanted = _rules(rule or [], bounds, cost, prevalence, budget=budget, threshold=threshold)
    predicted = prediction_inputs.PredictionInputs(
        truth=truth, prediction=prediction, score=score, item_id=item_id, weight=weight, system=system, nulls=nulls,
        labels=labels, unknown=unknown, positive=positive, one_class=one_class,
    )  # fmt: skip
    if table and (wanted or judge_on):
        raise ParameterError("--table shows all thresholds: rules and --judge-on go without it")
    if rows is not None and not table:
        raise ParameterError("--rows goes with --table")
    given = _given(file, scores, predicted)
    result: Result
    if table:
        from assay.thresholding import threshold_table  # noqa: PLC0415

        most = (_MOST_ROWS if form is None and rows is None else rows) or None
        result = threshold_table(given, rows=most)
    else:
        settings: dict[str, Any] = {"ties": ties, "confidence": confidence, "resamples": resamples, "seed": seed}
        other = None if judge_on is None else predicted._replace(system=None).scored([judge_on])
        result = _chosen(given, wanted, other, settings, quiet=quiet)
    text = output.rendered(result, form, plain=to is not None)
    if not quiet:
        for warning in getattr(result, "notes", ()):
            message(f"warning: {warning}")
    output.deliver(text, to)


def _given(file: str | None, scores: str | None, predicted: prediction_inputs.PredictionInputs) -> Any:
    from assay.thresholding.inputs import only_one, scored_systems  # noqa: PLC0415  # `--help` need not load Polars

    if file is not None:
        return only_one(scored_systems(predicted.scored([file])))
    typed = predicted.typed_scores(scores or "")
    return only_one(scored_systems(typed.truth, {"the list": typed.scores}, pos_label=True))


def _chosen(given: Any, wanted: list[Any], other: Any, settings: dict[str, Any], *, quiet: bool) -> Result:
    from assay.thresholding import thresholds as choose  # noqa: PLC0415

    items = len(given.scored.positive) + len(given.scored.negative)
    with _drawing(settings["resamples"], hidden=quiet or items * settings["resamples"] < _LONG) as watch:
        found = choose(given, rules=wanted or None, judged_on=other, watch=watch, **settings)
    return found[found.chosen[0].rule] if len(found) == 1 else found


def _rules(
    named: list[str],
    bounds: dict[str, float | None],
    cost: str | None,
    prevalence: float | None,
    *,
    budget: str | None,
    threshold: float | None,
) -> list[Any]:
    """The rules that were asked for, in whatever way."""
    from assay.thresholding import parse_rule  # noqa: PLC0415

    found = [parse_rule(text) for text in named]
    by_bound = {
        "tnr": "max_tpr_given_tnr", "tpr": "max_tnr_given_tpr", "recall": "max_precision_given_recall",
        "precision": "max_recall_given_precision",
    }  # fmt: skip
    found += [parse_rule(by_bound[name], **{name: value}) for name, value in bounds.items() if value is not None]
    if cost is not None:
        costly = parse_rule(f"cost({cost})")
        found.append(costly if prevalence is None else costly(prevalence=prevalence))
    elif prevalence is not None:
        raise ParameterError("--prevalence goes with --cost, such as --cost fp=1,fn=10")
    if budget is not None:
        found.append(parse_rule("budget", **_budget(budget)))
    if threshold is not None:
        found.append(parse_rule("fixed", threshold=threshold))
    return found


def _budget(text: str) -> dict[str, float]:
    """A number of alerts, or a share of the items with a percent sign."""
    try:
        if text.strip().endswith("%"):
            return {"share": float(text.strip().removesuffix("%")) / 100}
        return {"alerts": int(text)}
    except ValueError:
        raise ParameterError(f"--budget is a number of alerts or a share, such as 50 or 5%, not {text!r}") from None


@contextmanager
def _drawing(resamples: int, hidden: bool) -> Iterator[Callable[[int], None] | None]:
    """Show, on a terminal, how many resamples have been drawn."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    from assay.show.terminal import console  # noqa: PLC0415

    out = console(stderr=True)
    if hidden or not out.is_terminal:
        yield None
        return
    shown = (TextColumn("drawing items anew"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*shown, console=out, transient=True) as progress:
        task = progress.add_task("drawing", total=resamples)
        yield lambda count: progress.advance(task, count)
