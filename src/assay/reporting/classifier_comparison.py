"""Classifiers held against one another, for a report: by which measures that can be done, and how it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.classification import Classification, classify
from assay.classification.pairing import Classifiers
from assay.comparison import Comparison, compare
from assay.core.errors import InputError, ParameterError
from assay.measures.spoken import called
from assay.reporting.basis import compared_with
from assay.reporting.classifier_sections import Evidence
from assay.reporting.items import baseline_of, renamed


def classified(held: Comparison, classifiers: Classifiers) -> Classification:
    """The classifiers of a comparison under its measures, with intervals at its level."""
    thresholds = set(classifiers.thresholds)
    return classify(
        list(classifiers.predictions),
        list(held.measures),
        pos_label=classifiers.positive,
        threshold=thresholds.pop() if len(thresholds) == 1 else None,
        confidence=round(1 - held.settings.alpha, 12),
        seed=held.settings.seed,
    )


def compared(
    result: Classification, baseline: str | None, settings: Mapping[str, Any], held: Comparison | None = None
) -> Evidence:
    """Hold the classifiers against the baseline, the first one unless another is named, as `compare` does.

    `held`: the comparison, if it has been made.
    """
    first = baseline_of(result, baseline) if held is None else compared_with(held, baseline)
    if len(result.systems) == 1:
        return Evidence(result, first)
    try:
        paired = Classifiers.of(result)
    except (InputError, ParameterError) as problem:
        return Evidence(result, first, notes=(f"the classifiers are not compared: {problem}",))
    wanted, notes = _comparable(result, paired)
    if not wanted:
        return Evidence(result, first, paired=paired, notes=tuple(notes))
    if held is None:
        held = compare(result, measures=wanted, baseline=first, **settings)
    notes += [*held.notes, *(paired.why_not_accuracy() if wanted[0] == paired.headline else ())]
    held = renamed(held, {str(measure): called(measure, result.task) for measure in result.measures})
    return Evidence(result, first, held, paired, tuple(notes))


def _comparable(result: Classification, paired: Classifiers) -> tuple[list[str], list[str]]:
    """The measures that classifiers can be compared by, and why not by the others that were wanted."""
    known = list(map(str, result.measures))
    wanted, notes = [], []
    # Those that classifiers are usually compared by, where they are among those computed; if none is, all of them are.
    for name in [name for name in (*paired.usual_measures, "AUC") if name in known] or known:
        try:
            paired.sample(name)
        except (InputError, ParameterError) as problem:
            notes.append(f"{name}: not compared: {problem}")
        else:
            wanted.append(name)
    return wanted, notes
