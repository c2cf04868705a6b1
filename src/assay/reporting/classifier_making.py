"""A `Classification` -> a `ClassifierReport`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from assay.classification import Classification, classify
from assay.comparison import Comparison
from assay.core.errors import listed, number_of
from assay.measures.spoken import called
from assay.reporting.classifier_comparison import Compared, classified, compared
from assay.reporting.classifier_contents import ClassifierContents
from assay.reporting.classifier_matrices import classes_of, matrices_of, pairs_of
from assay.reporting.classifier_result import ClassifierReport
from assay.reporting.classifier_scores import MOST_THRESHOLDS, calibration_of, thresholds_of
from assay.reporting.classifier_words import (
    interval_by,
    items_of,
    lead_of,
    methods_of,
    summary_of,
    thresholds_said,
    title_of,
)
from assay.reporting.contents import Provenance
from assay.reporting.item_contents import Estimated, MeasuredSystem, ShownMeasure
from assay.reporting.item_parts import (
    MOST_SYSTEMS,
    inputs_of,
    provenance_of,
    refuse_told,
    refuse_unknown,
    remarks_of,
    shown_measure,
)
from assay.reporting.options import check_options
from assay.reporting.stamps import Stamp, stamps_of

MANY_LABELS = 12
#: What else than measures a report on predictions may be told.
_AVERAGES = {"macro": "mean over classes", "weighted": "mean over classes, by their items", "micro": "over all items"}
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
) -> ClassifierReport:
    """Put together everything that is known about classifiers: what they are worth, how sure that is, and why.

    `given` is a `Classification`; or a `Comparison` of predictions with one baseline; or what `classify` takes, with
    `measures` and its further arguments. Of several
    classifiers the first, or the one that `baseline` names, is what the others are held against; `comparison` are
    further arguments of `compare` for that (`margin`, `correction`, …).

    >>> from assay import Predictions
    >>> report = classifier_report(Predictions.of([1, 1, 0, 0], [1, 0, 0, 0]))
    >>> report.contents.matrices[0].cells[1][0].items[0].item_id
    '2'
    """
    check_options(rules, classifier_report)
    before = stamps_of(given) | dict(stamps or {})
    asked = dict(comparison or {})
    held_already = given if isinstance(given, Comparison) else None
    if "alpha" in asked and not isinstance(given, Classification):
        rules.setdefault("confidence", round(1 - asked["alpha"], 12))
    if isinstance(given, Comparison) and given.classifiers is not None:
        refuse_told({"measures": measures, "comparison": comparison, **rules}, "comparison", "compare")
        result = classified(given, given.classifiers)
    elif isinstance(given, Classification):
        refuse_told({"measures": measures, **rules}, "classification", "classify")
        result = given
    else:
        refuse_unknown(rules, RULES, "classifiers")
        result = classify(given, measures, **rules)
    names = [system.name for system in result.systems]
    close = names[:MOST_SYSTEMS]
    labelled = [name for name in close if result.system(name).is_labelled]
    held = compared(result, baseline, _as_here(result) | asked, held_already)
    paragraph, references = methods_of(result)
    counted = labelled if result.task != "multilabel" else []
    contents = ClassifierContents(
        title=title or title_of(result),
        lead=lead_of(result),
        task=result.task,
        positive=str(result.positive) if result.task == "binary" else "",
        confidence=result.confidence,
        dummy=_dummy(result),
        summary=(*held.summary, *summary_of(result)),
        remarks=tuple(remarks_of(result)),
        measures=tuple(_shown(result)),
        systems=tuple(MeasuredSystem(name, tuple(_estimates(result, name))) for name in names),
        verdicts=held.verdicts,
        flips=held.flips,
        matrices=matrices_of(result, counted) if counted else (),
        thresholds=tuple(filter(None, (thresholds_of(result, name) for name in close))),
        classes=tuple(classes_of(result, name) for name in labelled),
        pairs=tuple(filter(None, (pairs_of(result, name) for name in counted))),
        calibration=tuple(filter(None, (calibration_of(result, name) for name in close))),
        warnings=tuple(result.warnings),
        notes=tuple(_notes(result, held)),
        methods=" ".join(filter(None, (paragraph, held.methods))),
        references=tuple(references),
        provenance=_provenance(result, command, before),
    )
    return ClassifierReport(contents)


def _as_here(result: Classification) -> dict[str, Any]:
    """How classifiers are compared unless told otherwise: by the level of the intervals, and their seed.

    A resample of many labels is a large matrix: of these, as few are drawn as for the intervals.
    """
    asked: dict[str, Any] = {"alpha": round(1 - result.confidence, 12), "seed": result.seed}
    if len(result.labels) > MANY_LABELS:
        asked["bootstrap_resamples"] = result.resamples
    return asked


def _shown(result: Classification) -> Iterator[ShownMeasure]:
    for measure in result.measures:
        note = _AVERAGES.get(measure.parameters.get("average", ""), "")
        yield shown_measure(measure, called(measure, result.task), note)


def _estimates(result: Classification, system: str) -> Iterator[Estimated]:
    beside = _majority(result, system)
    for measure in result.measures:
        one = result.estimate(measure, system)
        yield Estimated(
            called(measure, result.task), one.value, one.low, one.high, interval_by(one.method),
            one.undefined or "", beside.get(measure, math.nan), left_out=listed(one.left_out),
        )  # fmt: skip


def _majority(result: Classification, system: str) -> Mapping[Any, float]:
    """What always predicting the commonest label gives."""
    found = [one for one in result.baselines(system) if one.kind == "majority"]
    return found[0].values if found else {}


def _dummy(result: Classification) -> str:
    found = [one for one in result.baselines(result.systems[0].name) if one.kind == "majority"]
    return found[0].says if found else ""


def _notes(result: Classification, beside: Compared) -> Iterator[str]:
    yield from result.notes
    yield from beside.notes
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
    scored = [one for one in map(result.scored, names[:MOST_SYSTEMS]) if one is not None]
    if any(len(one.table.threshold) > MOST_THRESHOLDS for one in scored):
        yield f"of the thresholds, {MOST_THRESHOLDS} at most are in the page; assay thresholds --table gives all"
    weighted = [
        one.name for one in result.systems if one.predictions is not None and one.predictions.weight is not None
    ]
    if weighted:
        yield "items have weights: shares in the matrix have no intervals"


def _provenance(result: Classification, command: str, before: Mapping[str, Stamp]) -> Provenance:
    settings = {
        "task": result.task,
        "positive": str(result.positive) if result.task == "binary" else None,
        "threshold": thresholds_said(result) or None,
        "confidence": f"{result.confidence:g}",
        "resamples": f"{result.resamples:,}",
    }
    origins = {one.name: None if one.predictions is None else one.predictions.origin for one in result.systems}
    counts = number_of("item", items_of(result))
    inputs = inputs_of(origins, "predictions", lambda names: f"predictions of {names}", counts, before)
    return provenance_of(result, settings, inputs, command)
