"""`assay power QRELS RUN...`, and the same of classifiers, spans and scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import inputs, items, options, output
from assay.cli.options import Output, SearchRules, group, option, settings
from assay.cli.subject_options import LabelInputs, SpanRules

if TYPE_CHECKING:
    from assay.subjects.ranking.evaluation import Evaluation


@group
class Planning:
    """What is to be found, and with which chance."""

    difference: Annotated[
        float | None, option("--difference", help="The difference to find (0.01 of the measure's range).")
    ] = None
    power: options.Power = None
    alpha: options.Alpha = None
    baseline: options.Baselines = ()
    resamples: options.Permutations = None
    seed: options.Seed = None


def search(
    qrels: options.Judgments,
    runs: options.Runs,
    /,
    *,
    measures: options.Measures = (),
    planning: Planning = Planning(),
    rules: SearchRules = SearchRules(),
    to: Output = Output(),
) -> None:
    """Say how many topics are needed to find a difference, and how small a one these topics can show.

    $ assay power qrels.txt words.run stems.run -m AP --difference 0.02
    """
    from assay.subjects.ranking.evaluation import evaluate  # noqa: PLC0415  # `assay --help` need not load Polars
    from assay.subjects.ranking.subject import COMPARED_BY as DEFAULT_MEASURES  # noqa: PLC0415

    output.form_of(to)
    files = inputs.opened(qrels, runs)
    with inputs.progress(files, hidden=to.quiet):
        evaluation = evaluate(qrels, files, measures or DEFAULT_MEASURES, **settings(rules))
    _deliver(evaluation, (), planning, to, evaluation)


def classifier(
    files: options.PredictionFiles,
    /,
    *,
    measures: options.Measures = (),
    labels: LabelInputs = LabelInputs(),
    threshold: options.Threshold = None,
    missing: options.MissingItems = None,
    planning: Planning = Planning(),
    to: Output = Output(),
) -> None:
    """Say how many items are needed to find a difference, and how small a one these items can show.

    $ assay classifier power letters/spam.csv --positive spam -m Accuracy
    """
    rules = items.item_rules(labels, threshold, missing)
    _deliver(items.predictions(files, labels), measures, planning, to, **rules)


def extraction(
    truth: options.TrueSpans,
    systems: options.SpanFiles,
    /,
    *,
    measures: options.Measures = (),
    rules: SpanRules = SpanRules(),
    planning: Planning = Planning(),
    to: Output = Output(),
) -> None:
    """Say how many documents are needed to find a difference, and how small a one these documents can show.

    $ assay extraction power letters/mentions.conll letters/lists.conll letters/capitals.conll -m F
    """
    _deliver(items.extractions(truth, systems, rules), measures, planning, to)


def scores(
    path: options.ScoreFile,
    /,
    *,
    columns: options.Columns = (),  # noqa: ARG001  # `calling` sees to it
    measures: options.Measures = (),
    planning: Planning = Planning(),
    to: Output = Output(),
) -> None:
    """Say how many units are needed to find a difference, and how small a one these units can show.

    $ assay scores power scores.csv -m AP
    """
    _deliver(path, measures, planning, to)


def _deliver(
    systems: Any,
    measures: tuple[str, ...],
    planning: Planning,
    to: Output,
    evaluation: Evaluation | None = None,
    **rules: Any,
) -> None:
    from assay.verbs.planning import plan  # noqa: PLC0415  # `assay --help` need not load Polars

    output.form_of(to)
    stated = settings(planning)
    stated["baseline"] = options.only(planning.baseline, "-b, --baseline")
    with inputs.working("planning", hidden=to.quiet):
        result = plan(systems, measures=measures or None, **stated, **rules)
    text = output.rendered(result, to)
    if not to.quiet:
        inputs.say(evaluation, result.notes)
    output.deliver(text, to)
