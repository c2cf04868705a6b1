"""`assay power QRELS RUN...`, and the same of classifiers, spans and scores."""

from __future__ import annotations

from typing import Any

from assay.cli import inputs, items, options, output
from assay.cli.options import Measured, Output, PairedLabels, group
from assay.core.evaluation_options import Columns, EvaluationRules
from assay.core.options import ClickRules, LogRules, PlanSettings, SpanRules


@group
class Planning(Output, Measured):
    """What is to be found, and with which chance."""

    baseline: options.Baselines = ()
    plan: PlanSettings


def search(qrels: options.Judgments, runs: options.Runs, to: Planning, rules: EvaluationRules) -> None:
    """Estimate how many topics it takes to detect a difference, and the smallest one that these topics can show.

    $ assay power qrels.txt words.run stems.run -m AP --difference 0.02
    """
    from assay.subjects.ranking.evaluation import evaluate  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.subjects.ranking.subject import COMPARED_BY  # noqa: PLC0415

    files = inputs.opened(qrels, runs)
    with inputs.progress(files, hidden=to.quiet):
        evaluation = evaluate(qrels, files, to.measures or COMPARED_BY, **rules)
    _deliver(evaluation, {}, to)


def classifier(files: options.PredictionFiles, to: Planning, labels: PairedLabels) -> None:
    """Estimate how many items it takes to detect a difference, and the smallest one that these items can show.

    $ assay classifier power letters/spam.csv --positive spam -m Accuracy
    """
    _deliver(items.predictions(files, labels), items.item_rules(labels), to)


def extraction(truth: options.TrueSpans, systems: options.SpanFiles, to: Planning, rules: SpanRules) -> None:
    """Estimate how many documents it takes to detect a difference, and the smallest one that these can show.

    $ assay extraction power letters/mentions.conll letters/lists.conll letters/capitals.conll -m F
    """
    _deliver(items.extractions(truth, systems, rules), {}, to)


def clicks(logs: options.LogFiles, to: Planning, rules: ClickRules, reading: LogRules) -> None:
    """Estimate how many users it takes to detect a difference, and the smallest one that these users can show.

    Users are those of all systems together, divided between them as in the log.

    $ assay clicks power clicks/log.ndjson.gz -m CTR --difference 0.02
    """
    _deliver(items.click_logs(logs, reading), {**rules}, to)


def scores(
    path: options.ScoreFile,
    to: Planning,
    columns: Columns = None,  # noqa: ARG001  # `calling` sees to it
) -> None:
    """Estimate how many units it takes to detect a difference, and the smallest one that these units can show.

    $ assay scores power scores.csv -m AP
    """
    _deliver(inputs.kept(path), {}, to)


def _deliver(systems: Any, rules: dict[str, Any], to: Planning) -> None:
    evaluation = systems if getattr(systems, "subject", "") == "ranking" else None
    chosen: dict[str, Any] = {"baseline": options.only(to.baseline, "-b, --baseline")}
    chosen["measures"] = None if evaluation is not None else to.measures or None
    result = inputs.result_of("assay.verbs.planning:plan", "planning", to, systems, **chosen, **to.plan, **rules)
    text = output.rendered(result, to)
    inputs.say(evaluation, result.notes, quiet=to.quiet)
    output.deliver(text, to)
