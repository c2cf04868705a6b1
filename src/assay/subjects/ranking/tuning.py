"""`tune`: settings of a search system chosen by some topics and measured on others, fold by fold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Unpack

import numpy as np

from assay.core.domains import Whole, check_levels
from assay.core.errors import InputError, ParameterError, did_you_mean, listed, number_of
from assay.core.options import EvaluationRules
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.registry import Measure
from assay.stats.bootstrap import Interval
from assay.stats.fold_samples import TunedSample
from assay.stats.pairing import Directions
from assay.stats.rounding import ROUNDING, snapped
from assay.stats.samples import NO_DRAWING, Sample
from assay.stats.tuning_bootstrap import RETUNED, Choices
from assay.subjects.ranking.settings_of_runs import Parameters, grid_of, settings_of
from assay.subjects.ranking.tuning_result import TUNED, TunedFold, Tuning
from assay.tables import Topics
from assay.verbs.comparison.findings import Finding, Levels, finding_of
from assay.verbs.comparison.slices import attribute_of
from assay.verbs.scores import unit_pairing_of

LEAVE_ONE_OUT = "leave-one-out"
#: By fewer topics than these, which setting is best is largely chance.
_FEW_TOPICS = 25
#: How often topics are drawn anew, and settings chosen again.
_RESAMPLES = 2000


def tune(
    given: Any,
    runs: Any = None,
    measure: str | Measure = "AP",
    *,
    folds: int | str | Mapping[str, Any] | Topics = 5,
    by: str | None = None,
    baseline: str | None = None,
    direction: Directions = None,
    alpha: float = 0.05,
    margin: float | None = None,
    seed: int = 0,
    **rules: Unpack[EvaluationRules],
) -> Tuning:
    """Choose a setting of a search system by some topics and measure it on others, so that the number is honest.

    `given` and `runs`: judgments and runs as `evaluate` takes them, with its rules as keyword arguments; or an
    `Evaluation`. Each run is a setting of the same system. Names such as `bm25-k1=0.9,b=0.4` tell the parameters.

    Topics are split into `folds`: a number of folds drawn with `seed`, or "leave-one-out"; or what a dict says of each
    topic, or the attribute `by` of `Topics`, so that topics that belong together stay together. For each fold, the
    setting with the best `measure` on all other topics is measured on the fold's own. Of settings that tie, the first
    counts, in the order of the runs. Put the cheapest first.

    `baseline`: a setting, such as the system's default, that the honest numbers are compared with, topic by topic.
    `direction`: whether `higher` or `lower` is better, where the measure does not tell. `alpha` and `margin`: the
    level, and the smallest difference that matters. Neither the test nor the intervals are
    the usual ones over topics, which would be too sure: in every resample settings are chosen again.

    >>> judged = {f"q{n}": {"good": 1} for n in range(9)}
    >>> runs = {f"b={b}": {f"q{n}": {"good": 1.0, "bad": 2.0 * (n % 4 == b)} for n in range(9)} for b in (0, 1)}
    >>> found = tune(judged, runs, "RR", folds=3)  # b=0 fails for 3 topics, b=1 for 2
    >>> found.value, found.hindsight_value
    (0.8333, 0.8889)
    """
    check_levels(alpha=alpha, power=0.8, margin=margin)
    seed = Whole(0).check("seed", seed)
    pairing = unit_pairing_of(tune, "tune", given, runs, [measure], seed=seed, direction=direction, rules=rules)
    (sample,) = pairing.samples([measure])
    table = _checked(sample)
    names, lower = sample.systems, sample.higher_is_better is False
    if baseline is not None and baseline not in names:
        raise ParameterError(f"the baseline is one of {listed(names)}, not {baseline!r}{did_you_mean(baseline, names)}")
    labels, fold_of, says = _folds(sample.units, folds, by, seed)
    tuned: list[TunedFold] = []
    chosen_for = np.empty(len(table), dtype=np.int64)
    for number, label in enumerate(labels):
        held = fold_of == number
        train = table[~held].mean(axis=0)
        ranked = snapped(-train if lower else train)
        best = int(np.argmax(ranked))  # the first of those that tie
        chosen_for[held] = best
        test = float(table[held, best].mean())
        tied = int((ranked == ranked[best]).sum())
        tuned.append(TunedFold(label, int(held.sum()), names[best], float(train[best]), test, tied))
    values = table[np.arange(len(table)), chosen_for]
    settings = settings_of(names)
    worth = -table if lower else table
    error, finding = Choices(worth, fold_of).error(_RESAMPLES, seed), None
    if baseline is not None:
        of_gain = Choices(worth - worth[:, [names.index(baseline)]], fold_of).error(_RESAMPLES, seed)
        both = np.column_stack([table[:, names.index(baseline)], values])
        finding = _finding(sample, both, baseline, of_gain, Levels(alpha, margin))
    return Tuning(
        sample,
        settings,
        tuple(tuned),
        fold_of,
        chosen_for,
        Interval.by_t(float(values.mean()), error, len(values) - 1, 1 - alpha, RETUNED).within(sample.bounds),
        says,
        seed,
        baseline,
        finding,
        pairing.evaluation,
        (*pairing.warnings, *_warnings(tuned, settings, table)),
        (*sample.notes(), *_notes(tuned)),
    )


def _checked(sample: Sample) -> Floats:
    """Every topic's number under every setting; refuse what cannot be chosen by, or from."""
    if len(sample.systems) < 2:
        raise ParameterError(f"tuning takes runs of two settings or more, not {sample.systems[0]} alone")
    values = sample.unit_values() if sample.is_mean else None
    if values is None:
        raise ParameterError(f"{sample.measure} is no mean over topics: choose settings by another measure")
    sample.refuse_undirected("choose by it")
    if why := sample.why_not(*range(len(sample.systems))):
        raise InputError(f"{sample.measure} is {why}: there is nothing to choose by")
    return values


def _folds(
    topics: Sequence[str], folds: int | str | Mapping[str, Any] | Topics, by: str | None, seed: int
) -> tuple[list[str], Ints, str]:
    """The names of folds, the place of each topic's, and how they were made."""
    count = len(topics)
    if by is not None and not isinstance(folds, Topics):
        raise ParameterError("`by` names an attribute of topics: give these as `folds`")
    if isinstance(folds, str):
        if folds != LEAVE_ONE_OUT:
            raise ParameterError(f"folds are a number, {LEAVE_ONE_OUT!r}, a dict or topics, not {folds!r}")
        return list(topics), np.arange(count), f"each of {number_of('topic', count)} held out in turn"
    if isinstance(folds, Mapping | Topics):
        held = attribute_of(folds, by)
        absent = [topic for topic in topics if _is_nothing(held.get(topic))]
        if absent:
            raise InputError(f"folds: expected one for every topic, got none for {listed(absent)}")
        labels = list(dict.fromkeys(sorted(str(held[topic]) for topic in topics)))
        if len(labels) < 2:
            raise InputError(f"folds: expected two or more, got {labels[0]!r} for every topic")
        basis = f"{number_of('topic', count)} in {len(labels)} folds by {by or 'what was given'}"
        return labels, np.array([labels.index(str(held[topic])) for topic in topics]), basis
    number = Whole(2).check("folds", folds)
    if number > count:
        raise ParameterError(f"{number} folds need as many topics or more, and there are {count}")
    dealt = np.empty(count, dtype=np.int64)
    dealt[np.random.default_rng(seed).permutation(count)] = np.arange(count) % number
    basis = f"{number_of('topic', count)} in {number} folds drawn with seed {seed}"
    return [str(place) for place in range(1, number + 1)], dealt, basis


def _is_nothing(fold: Any) -> bool:
    return fold is None or fold == "" or fold != fold  # noqa: PLR0124  # what is not a number is not equal to itself


def _finding(sample: Sample, both: Floats, baseline: str, error: float, levels: Levels) -> Finding:
    """The honest numbers against a setting's, topic by topic; `error` is that of the difference."""
    two = TunedSample(
        both,
        choice_error=error,
        systems=(baseline, TUNED),
        units=sample.units,
        measure=sample.measure,
        unit_kind=sample.unit_kind,
        bounds=sample.bounds,
        direction=sample.direction,
    )
    (outcome,) = two.test([(0, 1)], None, NO_DRAWING)
    return finding_of(two, (0, 1), outcome, outcome.p, levels)


def _warnings(folds: Sequence[TunedFold], settings: Mapping[str, Parameters], table: Floats) -> Iterator[str]:
    if (np.ptp(table, axis=1) <= ROUNDING * np.abs(table).max()).all():
        yield "every topic has the same number under all settings: there is nothing to choose by"
        return
    if len(table) < _FEW_TOPICS:
        yield f"{number_of('topic', len(table))} are few to choose by: which setting is best on them is largely chance"
    chosen = Counter(fold.chosen for fold in folds)
    if max(chosen.values()) < len(folds) / 2:
        yield (
            f"{number_of('setting', len(chosen))} were chosen in {number_of('fold', len(folds))}, none in half of "
            "them: the choice hangs on the topics"
        )
    for name, grid in grid_of(settings).items():
        for end, which in ((grid[0], "smallest"), (grid[-1], "largest")):
            # Where settings tied, it was their order that chose, and says nothing of what lies beyond.
            often = sum(fold.tied == 1 and settings[fold.chosen][name] == end for fold in folds)
            if len(grid) > 2 and often:
                yield (
                    f"{name}: the {which} value of the grid, {end:g}, was chosen in {often} of "
                    f"{number_of('fold', len(folds))}: better ones may lie beyond"
                )


def _notes(folds: Sequence[TunedFold]) -> Iterator[str]:
    if len({fold.chosen for fold in folds}) == 1:
        yield f"{folds[0].chosen} was chosen in every fold"
    if tied := sum(fold.tied > 1 for fold in folds):
        yield f"settings tied for the best in {number_of('fold', tied)}: the first in order was taken"
