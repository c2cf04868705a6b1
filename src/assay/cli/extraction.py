"""`assay extraction ...`: commands on spans in texts."""

from __future__ import annotations

from typing import Annotated, Any

from assay.cli import inputs, items, options, output
from assay.cli.compare import Comparing, deliver_comparison
from assay.cli.doctor import Diagnosing, examined
from assay.cli.explain import Explaining, deliver_explanation
from assay.cli.gate import Gating, decided
from assay.cli.options import Output
from assay.cli.power import Planning, deliver_plan, plan_without_data
from assay.cli.report import Reporting, write_report
from assay.core import options as shared
from assay.core.evaluation_options import Columns, option


def evaluate(
    truth: options.TrueSpans,
    rules: shared.SpanMeanRules,
    sampling: shared.Sampling,
    to: Output,
    predicted: options.SpanFile | None = None,
    misses: Annotated[bool, option(help="List the true spans that were not found.")] = False,
    false_alarms: Annotated[bool, option(help="List false-positive spans.")] = False,
) -> None:
    """Score extracted spans: precision, recall and F, overall and per type.

    One file with two columns of tags at the end (truth, then prediction), or two files. With --misses or
    --false-alarms, --csv writes these lists instead of the numbers.

    $ assay extraction evaluate letters/names.conll
    """
    from assay.subjects.spans.evaluation import extract

    inputs.each_named(truth, [predicted])
    result = inputs.result_of(extract, "matching", to, truth, predicted, **rules, **sampling)
    wanted = [name for name, asked in (("misses", misses), ("false_alarms", false_alarms)) if asked]
    output.give(result.showing(*wanted), to, warnings=(), notes=result.notes)


def compare(truth: options.TrueSpans, systems: options.SpanFiles, to: Comparing, rules: shared.SpanRules) -> None:
    """Test whether one system extracts spans better than another, and how certain that is.

    Numbers are of all spans together, and paired by document. The first of two systems is the baseline; of more, every
    two are compared unless -b names one. Without -m: F, Precision and Recall.

    $ assay extraction compare letters/mentions.conll letters/lists.conll letters/capitals.conll
    """
    deliver_comparison([items.extractions(truth, systems, rules, to.measures)], {}, to)


def explain(
    measure: options.MeasureName,
    truth: options.TrueSpans,
    rules: shared.SpanRules,
    to: Explaining,
    system: options.SpanFile | None = None,
    kind: Annotated[str | None, option("--type", metavar="TYPE", help="Only the spans of this type.")] = None,
) -> None:
    """Show how a number of extracted spans was computed: the counts, the formula with its numbers, the result.

    $ assay extraction explain F letters/names.conll --type PER
    $ assay extraction explain Recall letters/mentions.conll letters/lists.conll
    """
    (read,) = items.extractions(truth, [] if system is None else [system], rules)
    deliver_explanation(measure, [read], {"label": kind}, to)


def report(
    truth: options.TrueSpans, to: Reporting, rules: shared.SpanMeanRules, systems: options.SpanFiles | None = None
) -> None:
    """Write a report on extracted spans: measures, verdicts, types, documents, misses and false alarms.

    $ assay extraction report letters/names.conll
    $ assay extraction report letters/mentions.conll letters/lists.conll letters/capitals.conll
    """
    sampling = shared.Sampling(confidence=1 - to.testing.get("alpha", 0.05), seed=to.testing.get("seed", 0))
    write_report(items.extractions(truth, systems or [], rules, **sampling), None, {**to.testing}, to)


@decided
def gate(
    truth: options.TrueSpans, old: options.Baseline, new: options.Candidate, to: Gating, rules: shared.SpanRules
) -> Any:
    """Decide whether a new system may replace the baseline: exit 0 not worse, 1 worse, 3 inconclusive.

    Worse means: by the margin or more. Exit 2 if the input is invalid. Without -m: F.

    $ assay extraction gate letters/mentions.conll letters/lists.conll letters/capitals.conll
    """
    return to.gate([items.extractions(truth, [old, new], rules, to.measures)], {})


def doctor(
    truth: options.TrueSpans,
    to: Diagnosing,
    predicted: options.SpanFile | None = None,
    columns: Columns = None,  # noqa: ARG001  # `calling` sees to it
) -> int:
    """Check true and predicted spans for anything that makes numbers wrong or misleading.

    It goes on where `assay extraction evaluate` refuses a span. Exit 1 if there is an error among the findings.

    $ assay extraction doctor letters/names.conll
    $ assay extraction doctor letters/names.conll --all
    """
    inputs.each_named(truth, [predicted])
    return examined("spans", [truth, *([] if predicted is None else [predicted])], to)


def power(
    to: Planning,
    rules: shared.SpanRules,
    truth: options.TrueSpans | None = None,
    systems: options.SpanFiles | None = None,
) -> None:
    """Estimate how many documents it takes to detect a difference, and the smallest one that these can show.

    Without files, --sd and --difference say how many documents a difference takes, if documents have numbers of their
    own whose mean is compared.

    $ assay extraction power letters/mentions.conll letters/lists.conll letters/capitals.conll -m F
    $ assay extraction power --sd 0.3 --difference 0.05
    """
    if truth is None or not systems:
        plan_without_data(to, "document", ("TRUTH", truth), ("SYSTEM", systems), **rules)
        return
    deliver_plan(items.extractions(truth, systems, rules, to.measures), {}, to)
