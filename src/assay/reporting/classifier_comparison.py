"""Classifiers held against one another: verdicts, and the items that one of them sets right or breaks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import polars as pl

from assay.classification import Classification, classify
from assay.classification.pairing import Classifiers
from assay.comparison import Comparison, compare
from assay.core.errors import InputError, ParameterError
from assay.core.words import TESTS
from assay.measures.spoken import called
from assay.reporting.basis import compared_with
from assay.reporting.classifier_contents import FlippedItem, Flips
from assay.reporting.classifier_matrices import MOST_ITEMS, named
from assay.reporting.contents import Spoken
from assay.reporting.item_parts import baseline_of, verdicts_of
from assay.reporting.naming import joined
from assay.sections.testing import family, intervals_in_words

#: Flipped items are counted for so many systems.
MOST_SYSTEMS = 8


class Compared(NamedTuple):
    """What a comparison adds to a report; all empty where there is one system only, and `notes` says why otherwise."""

    verdicts: tuple[Spoken, ...] = ()
    flips: tuple[Flips, ...] = ()
    summary: tuple[str, ...] = ()
    methods: str = ""
    notes: tuple[str, ...] = ()


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
) -> Compared:
    """Hold the classifiers against the baseline, the first one unless another is named, as `compare` does.

    `held`: the comparison, if it has been made.
    """
    first = baseline_of(result, baseline) if held is None else compared_with(held, baseline)
    if len(result.systems) == 1:
        return Compared()
    try:
        paired = Classifiers.of(result)
    except (InputError, ParameterError) as problem:
        return Compared(notes=(f"the classifiers are not compared: {problem}",))
    wanted, notes = _comparable(result, paired)
    others = [system.name for system in result.systems if system.name != first]
    flips = [made for name in others if (made := _flips(paired, first, name))]
    if not wanted:
        return Compared(flips=tuple(flips[:MOST_SYSTEMS]), notes=tuple(notes))
    if held is None:
        held = compare(result, measures=wanted, baseline=first, **settings)
    called_so = {str(measure): called(measure, result.task) for measure in result.measures}
    verdicts, summary = verdicts_of(held, called_so, len(result.systems))
    return Compared(
        verdicts,
        tuple(flips[:MOST_SYSTEMS]),
        tuple(summary),
        _methods(held, called_so, first),
        (*notes, *held.notes, *(paired.why_not_accuracy() if wanted[0] == paired.headline else ())),
    )


def _comparable(result: Classification, paired: Classifiers) -> tuple[list[str], list[str]]:
    """The measures that classifiers can be compared by, and why not by the others that were wanted."""
    known = list(map(str, result.measures))
    wanted, notes = [], []
    # Those that classifiers are usually compared by, where they are among those computed; if none is, all of them are.
    for name in [name for name in (*paired.usual_measures, "AUC") if name in known] or known:
        try:
            paired.paired(paired.measure(name))
        except (InputError, ParameterError) as problem:
            notes.append(f"{name}: not compared: {problem}")
        else:
            wanted.append(name)
    return wanted, notes


def _methods(held: Comparison, called_so: Mapping[str, str], baseline: str) -> str:
    """How differences were tested, a sentence."""
    tests: dict[str, list[str]] = {}
    for one in held.findings:
        measures = tests.setdefault(TESTS.get(one.outcome.test, one.outcome.test), [])
        if (name := called_so.get(one.measure, one.measure)) not in measures:
            measures.append(name)
    made: dict[str, list[str]] = {}
    for name in held.measures:
        alone = replace(held, findings=tuple(one for one in held.findings if one.measure == name))
        made.setdefault(intervals_in_words(alone), []).append(called_so.get(name, name))
    return (
        f"Differences from {baseline} were tested two-sidedly at the level {held.settings.alpha:g}: {_each(tests)}. "
        f"{_corrected(held)}"
        f"Their intervals: {_each(made)}."
    )


def _each(measures_by: Mapping[str, list[str]]) -> str:
    return "; ".join(f"{what} for {joined(names, most=len(names))}" for what, names in measures_by.items())


def _corrected(held: Comparison) -> str:
    """What p-values were corrected over, a sentence; nothing where each comparison stands alone."""
    return f"p-values were {family(held)}. " if held.family_size > 1 else ""


def _flips(paired: Classifiers, baseline: str, system: str) -> Flips | None:
    counts = paired.flips(baseline, system)
    if counts is None:
        return None
    frame = paired.flipped(baseline, system)
    return Flips(
        baseline, system, counts.fixed, counts.broken, *(_first(frame, change) for change in ("fixed", "broken"))
    )


def _first(frame: pl.DataFrame, change: str) -> tuple[FlippedItem, ...]:
    """The first items of a kind."""
    some = frame.filter(pl.col("change") == change).head(MOST_ITEMS).drop("change")
    return tuple(FlippedItem(*map(named, row)) for row in some.rows())
