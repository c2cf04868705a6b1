"""`assay power QRELS RUN...`, and the same of classifiers, spans, clicks and scores; without files, by a spread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.cli import inputs, items, options, output
from assay.cli.options import Measured, Output, PairedLabels, group
from assay.core.errors import ParameterError
from assay.core.evaluation_options import Columns, EvaluationRules
from assay.core.options import ClickRules, LogRules, PlanSettings, SpanRules

if TYPE_CHECKING:
    from assay.verbs.planning_by_spread import Groups


@group
class Planning(Output, Measured):
    """What is to be found, and with which chance."""

    baseline: options.Baselines = ()
    plan: PlanSettings


def search(
    to: Planning, rules: EvaluationRules, qrels: options.Judgments | None = None, runs: options.Runs | None = None
) -> None:
    """Estimate how many topics it takes to detect a difference, and the smallest one that these topics can show.

    Without files, --sd and --difference say how many topics a difference takes.

    $ assay power qrels.txt words.run stems.run -m AP --difference 0.02
    $ assay power --sd 0.2 --difference 0.05
    """
    if qrels is None or not runs:
        _without_data(to, "query", ("QRELS", qrels), ("RUN", runs), **rules)
        return
    from assay.subjects.ranking.evaluation import evaluate  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.subjects.ranking.subject import COMPARED_BY  # noqa: PLC0415

    files = inputs.opened(qrels, runs)
    with inputs.progress(files, hidden=to.quiet):
        evaluation = evaluate(qrels, files, to.measures or COMPARED_BY, **rules)
    _deliver(evaluation, {}, to)


def classifier(to: Planning, labels: PairedLabels, files: options.PredictionFiles | None = None) -> None:
    """Estimate how many items it takes to detect a difference, and the smallest one that these items can show.

    Without files, --sd and --difference say how many items a difference takes; for accuracy, the standard deviation is
    close to the square root of the share of items on which the classifiers differ in being right.

    $ assay classifier power letters/spam.csv --positive spam -m Accuracy
    $ assay classifier power --sd 0.3 --difference 0.02
    """
    if not files:
        _without_data(to, "item", ("FILE", files), **options.settings(labels))
        return
    _deliver(items.predictions(files, labels), items.item_rules(labels), to)


def extraction(
    to: Planning, rules: SpanRules, truth: options.TrueSpans | None = None, systems: options.SpanFiles | None = None
) -> None:
    """Estimate how many documents it takes to detect a difference, and the smallest one that these can show.

    Without files, --sd and --difference say how many documents a difference takes, if documents have numbers of their
    own whose mean is compared.

    $ assay extraction power letters/mentions.conll letters/lists.conll letters/capitals.conll -m F
    $ assay extraction power --sd 0.3 --difference 0.05
    """
    if truth is None or not systems:
        _without_data(to, "document", ("TRUTH", truth), ("SYSTEM", systems), **rules)
        return
    _deliver(items.extractions(truth, systems, rules), {}, to)


def clicks(to: Planning, rules: ClickRules, reading: LogRules, logs: options.LogFiles | None = None) -> None:
    """Estimate how many users it takes to detect a difference, and the smallest one that these users can show.

    Users are those of all systems together, divided between them as in the log; without a log, --sd is the standard
    deviation of the users' numbers, and each of two systems has half of the users.

    $ assay clicks power clicks/log.ndjson.gz -m CTR --difference 0.02
    $ assay clicks power --sd 0.3 --difference 0.02
    """
    if not logs:
        _without_data(to, "user", ("LOG", logs), groups=2, **rules, **reading)
        return
    _deliver(items.click_logs(logs, reading), {**rules}, to)


def scores(
    to: Planning,
    path: options.ScoreFile | None = None,
    columns: Columns = None,  # noqa: ARG001  # `calling` sees to it
) -> None:
    """Estimate how many units it takes to detect a difference, and the smallest one that these units can show.

    Without a file, --sd and --difference say how many units a difference takes.

    $ assay scores power scores.csv -m AP
    $ assay scores power --sd 0.2 --difference 0.05
    """
    if path is None:
        _without_data(to, "unit", ("SCORES", path))
        return
    _deliver(inputs.kept(path), {}, to)


def _without_data(to: Planning, unit_kind: str, *files: tuple[str, Any], groups: Groups = 1, **rules: object) -> None:
    """Plan by what was stated alone; an error says which files are missing, where that was not meant."""
    from assay.verbs.planning_by_spread import plan_by_spread, refuse_without_data  # noqa: PLC0415

    plan: Mapping[str, Any] = {**to.plan}
    missing = [name for name, given in files if not given]
    if "sd" not in plan:
        are = f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
        raise ParameterError(f"{are}; to plan without data, state --sd and --difference")
    if len(missing) < len(files):
        raise ParameterError(f"--sd is for a plan without data: leave {files[0][0]} out")
    stated = {"resamples": plan.get("resamples"), "measures": to.measures or None, "baseline": to.baseline or None}
    refuse_without_data(stated | rules)
    chosen = {name: plan[name] for name in ("power", "alpha") if name in plan}
    result = plan_by_spread(plan.get("difference"), plan["sd"], groups=groups, unit_kind=unit_kind, **chosen)
    output.give(result, to)


def _deliver(systems: Any, rules: dict[str, Any], to: Planning) -> None:
    evaluation = systems if getattr(systems, "subject", "") == "ranking" else None
    chosen: dict[str, Any] = {"baseline": options.only(to.baseline, "-b, --baseline")}
    chosen["measures"] = None if evaluation is not None else to.measures or None
    result = inputs.result_of("assay.verbs.planning:plan", "planning", to, systems, **chosen, **to.plan, **rules)
    text = output.rendered(result, to)
    inputs.say(evaluation, result.notes, quiet=to.quiet)
    output.deliver(text, to)
