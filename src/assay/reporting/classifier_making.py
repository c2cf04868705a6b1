"""A `Classification` -> a report on classifiers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from assay.classification import Classification, classify
from assay.classification.pairing import Classifiers
from assay.comparison import Comparison
from assay.core.errors import joined, number_of
from assay.reporting.classifier_comparison import classified, compared
from assay.reporting.classifier_scores import MOST_THRESHOLDS
from assay.reporting.classifier_sections import Evidence, sections
from assay.reporting.classifier_words import MOST_NAMES, lead_of, worth_of
from assay.reporting.contents import Provenance
from assay.reporting.items import (
    MOST_SYSTEMS,
    further_advice,
    inputs_of,
    provenance_of,
    refuse_told,
    refuse_unknown,
    summary,
)
from assay.reporting.options import check_options
from assay.reporting.stamps import Stamp, stamps_of
from assay.sections.closing import closing
from assay.sections.methods import items_of, methods, thresholds_of
from assay.sections.report import Report
from assay.show.model import Document, Section

MANY_LABELS = 12
#: What else than measures a report on predictions may be told.
RULES = ("labels", "pos_label", "threshold", "confidence", "resamples", "seed", "mute")


def classifier_report(
    given: Any,
    measures: Any = None,
    *,
    title: str | None = None,
    command: str = "",
    stamps: Mapping[str, Stamp] | None = None,
    baseline: str | None = None,
    comparison: Mapping[str, Any] | None = None,
    **rules: Any,
) -> Report:
    """Put together everything that is known about classifiers: what they are worth, how sure that is, and why.

    `given` is a `Classification`; or a `Comparison` of predictions with one baseline; or what `classify` takes, with
    `measures` and its further arguments. Of several
    classifiers the first, or the one that `baseline` names, is what the others are held against; `comparison` are
    further arguments of `compare` for that (`margin`, `correction`, …).

    >>> from assay import Predictions
    >>> report = classifier_report(Predictions.of([1, 1, 0, 0], [1, 0, 0, 0]))
    >>> report.table("matrix").row(1)  # one item of 1 taken for 0
    ('1', 1.0, 1.0, 2.0)
    """
    check_options(rules, classifier_report)
    before = stamps_of(given) | dict(stamps or {})
    asked = dict(comparison or {})
    held_already = given if isinstance(given, Comparison) else None
    if "alpha" in asked and not isinstance(given, Classification):
        rules.setdefault("confidence", round(1 - asked["alpha"], 12))
    if isinstance(given, Comparison) and isinstance(given.pairing, Classifiers):
        refuse_told({"measures": measures, "comparison": comparison, **rules}, "comparison", "compare")
        result = classified(given, given.pairing)
    elif isinstance(given, Classification):
        refuse_told({"measures": measures, **rules}, "classification", "classify")
        result = given
    else:
        refuse_unknown(rules, RULES, "classifiers")
        result = classify(given, measures, **rules)
    evidence = compared(result, baseline, _as_here(result) | asked, held_already)
    measures_section, *others = sections(evidence)
    parts = (
        _summary(evidence),
        measures_section,
        *further_advice(result),
        *others,
        *closing(
            *methods(result, evidence.held),
            _provenance(result, command, before),
            _notes(evidence),
        ),
    )
    title = title or joined([system.name for system in result.systems], MOST_NAMES)
    return Report(Document("report", parts, title, page=True, eyebrow="Classifier report"))


def _summary(evidence: Evidence) -> Section:
    result = evidence.result
    shown = summary(result, lead_of(evidence), worth_of(evidence), evidence.held)
    positive = str(result.positive) if result.task == "binary" else None
    task = {"task": result.task, "positive": positive, "labels": list(evidence.names)}
    return replace(shown, data={**shown.data, **task})


def _as_here(result: Classification) -> dict[str, Any]:
    """How classifiers are compared unless told otherwise: by the level of the intervals, and their seed.

    A resample of many labels is a large matrix: of these, as few are drawn as for the intervals.
    """
    asked: dict[str, Any] = {"alpha": round(1 - result.confidence, 12), "seed": result.seed}
    if len(result.labels) > MANY_LABELS:
        asked["bootstrap_resamples"] = result.resamples
    return asked


def _notes(evidence: Evidence) -> Iterator[str]:
    result = evidence.result
    yield from result.notes
    yield from evidence.notes
    names = [system.name for system in result.systems]
    if len(names) > MOST_SYSTEMS:
        yield (
            f"{number_of('classifier', len(names))} are too many to look at each closely: matrices, curves and classes "
            f"are of the first {MOST_SYSTEMS}, the table has all"
        )
    if result.task == "multilabel":
        yield "items with several labels have no confusion matrix: the classes are in the table"
    if any(system.predictions is None for system in result.systems):
        yield "a matrix holds no items: none are listed behind its cells, and there is no curve"
    scored = map(result.scored, evidence.close)
    if any(each is not None and len(each.table.threshold) > MOST_THRESHOLDS for each in scored):
        yield f"of the thresholds, {MOST_THRESHOLDS} at most are in the page; `threshold_table` gives all"
    if any(system.predictions is not None and system.predictions.weight is not None for system in result.systems):
        yield "items have weights: shares in the matrix have no intervals"


def _provenance(result: Classification, command: str, before: Mapping[str, Stamp]) -> Provenance:
    settings = {
        "task": result.task,
        "positive": str(result.positive) if result.task == "binary" else None,
        "threshold": thresholds_of(result) or None,
        "confidence": f"{result.confidence:g}",
        "resamples": f"{result.resamples:,}",
    }
    origins = {system.name: getattr(system.predictions, "origin", None) for system in result.systems}
    counts = number_of("item", items_of(result))
    inputs = inputs_of(origins, "predictions", lambda names: f"predictions of {names}", counts, before)
    return provenance_of(result, settings, inputs, command)
