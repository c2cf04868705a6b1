"""`tune`: which setting of a search system, and what choosing it by these topics promises too much."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias, Unpack

import numpy as np
import polars as pl

from assay.core.domains import Whole, check_levels
from assay.core.errors import InputError, ParameterError, did_you_mean, listed, number_of
from assay.core.evaluation_options import EvaluationRules
from assay.core.results import Result
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.registry import Measure
from assay.stats.bootstrap import Interval
from assay.stats.estimates import ROUNDING, snapped
from assay.stats.fold_samples import RETUNED, Choices, TunedSample
from assay.stats.pairing import Directions
from assay.stats.samples import NO_DRAWING, Sample
from assay.subjects.ranking.evaluation import Evaluation
from assay.tables import Topics
from assay.verbs.comparison.findings import Finding, Levels, finding_of
from assay.verbs.comparison.result import attribute_of, is_absent
from assay.verbs.subject import unit_pairing_of

#: A name before an equals sign, at the start or after something that separates.
_NAMED = re.compile(r"(?:^|(?<=[-_,;:+ &/]))([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*)=")
#: What stands between a value and the name that follows it.
_BETWEEN = "-_,;:+ &/"


#: The values of a setting's parameters, if the name of its run tells them.
Parameters: TypeAlias = Mapping[str, float | str]


def parameters_in(name: str) -> dict[str, float | str]:
    """The NAME=VALUE pairs in a run's name, in their order, if there are any; values are numbers where they can be.

    >>> parameters_in("bm25-k1=0.9,b=0.4")
    {'k1': 0.9, 'b': 0.4}
    >>> parameters_in("lm_smoothing=dirichlet_mu=1000"), parameters_in("plain")
    ({'lm_smoothing': 'dirichlet', 'mu': 1000.0}, {})
    """
    marks = [*_NAMED.finditer(name)]
    ends = [*(mark.start() for mark in marks), len(name)][1:]
    parameters: dict[str, float | str] = {}
    for mark, end in zip(marks, ends, strict=True):
        text = name[mark.end() : end]
        text = text.rstrip(_BETWEEN) if end < len(name) else text
        if text and mark[1] not in parameters:
            parameters[mark[1]] = _value(text)
    return parameters


def settings_of(names: Sequence[str]) -> dict[str, Parameters]:
    """The settings that runs stand for; parameters count only if every name has the same ones.

    >>> settings_of(["mu=500", "mu=1000"]), settings_of(["mu=500", "default"])
    ({'mu=500': {'mu': 500.0}, 'mu=1000': {'mu': 1000.0}}, {'mu=500': {}, 'default': {}})
    """
    read = {name: parameters_in(name) for name in names}
    shared = all(parameters and parameters.keys() == read[names[0]].keys() for parameters in read.values())
    return {name: parameters if shared else {} for name, parameters in read.items()}


def grid_of(settings: Mapping[str, Parameters]) -> dict[str, list[float]]:
    """The numeric parameters and the values that the grid has of each, in their order.

    >>> grid_of(settings_of(["k1=0.9,b=0.4", "k1=1.2,b=0.4"]))
    {'k1': [0.9, 1.2], 'b': [0.4]}
    """
    grid: dict[str, list[float]] = {}
    for name in next(iter(settings.values())):
        values = [parameters[name] for parameters in settings.values()]
        numbers = [value for value in values if not isinstance(value, str)]
        if len(numbers) == len(values):
            grid[name] = sorted(set(numbers))
    return grid


def _value(text: str) -> float | str:
    # Words such as "nan" and "inf" are numbers to Python, and 1_000 is one with a mark.
    return float(text) if re.fullmatch(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?", text) else text


#: What the system with the honest number is called beside its settings.
TUNED = "tuning"


class TunedFold(NamedTuple):
    """One fold: its topics, the setting that was best on all others, and that setting's number there and here.

    `tied`: how many settings were best on the other topics.
    """

    fold: str
    topics: int
    chosen: str
    train: float
    test: float
    tied: int = 1


@dataclass(frozen=True, eq=False)
class Tuning(Result):
    """The worth of a system whose parameter is chosen by topics other than those it is measured on: see `tune`.

    >>> from assay import tune
    >>> judged = {f"q{n}": {"good": 1} for n in range(6)}
    >>> runs = {f"k={k}": {f"q{n}": {"good": 1.0, "bad": 2.0 * (n % 3 < k)} for n in range(6)} for k in (0, 1, 2)}
    >>> found = tune(judged, runs, "RR", folds=3)
    >>> found.value, found.hindsight, found.stability
    (1.0, 'k=0', 1.0)
    """

    kind = "tuning"

    #: Every topic's number under every setting.
    sample: Sample
    settings: Mapping[str, Parameters]
    folds: tuple[TunedFold, ...]
    #: The place of each topic's fold, and of the setting that it was measured with.
    fold_of: Ints
    chosen_for: Ints
    #: Of the honest number, over topics.
    interval: Interval
    #: How topics were split, in words.
    says: str
    #: Of folds that were drawn, and of everything resampled.
    seed: int
    baseline: str | None = None
    #: The honest numbers against the baseline's, topic by topic.
    finding: Finding | None = None
    evaluation: Evaluation | None = None
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        folds = number_of("fold", len(self.folds))
        return f"<Tuning of {number_of('setting', len(self.settings))} by {self.measure}: {folds} of topics>"

    @property
    def measure(self) -> str:
        """The measure that settings were chosen by."""
        return self.sample.measure

    @cached_property
    def table(self) -> Floats:
        """Every topic's number (row) under every setting (column)."""
        values = self.sample.unit_values()
        return np.empty((0, len(self.sample.systems))) if values is None else values

    @cached_property
    def values(self) -> Floats:
        """Each topic's number under the setting that was chosen without it."""
        return np.asarray(self.table[np.arange(len(self.table)), self.chosen_for])

    @property
    def value(self) -> float:
        """The honest number: the mean over topics, each measured with the setting that was chosen without it."""
        return float(self.values.mean())

    @cached_property
    def hindsight(self) -> str:
        """The setting that is best on all topics: the one to use, but not the one to report the number of."""
        worth = np.array(list(map(self.of, self.settings)))
        # Of settings that tie the first counts, as in the folds.
        best = np.argmax(snapped(-worth if self.sample.higher_is_better is False else worth))
        return list(self.settings)[int(best)]

    @property
    def hindsight_value(self) -> float:
        """The number of the best setting on the very topics that it was chosen by."""
        return self.of(self.hindsight)

    @property
    def optimism(self) -> float:
        """The lead of the best setting in hindsight over what choosing turned out to be worth."""
        gap = self.hindsight_value - self.value
        if abs(gap) <= ROUNDING * abs(self.value):  # the same numbers, added up in another order
            return 0.0
        return -gap if self.sample.higher_is_better is False else gap

    @property
    def stability(self) -> float:
        """The share of folds that chose the setting chosen most often."""
        return max(Counter(fold.chosen for fold in self.folds).values()) / len(self.folds)

    def of(self, setting: str) -> float:
        """A setting's number on all topics."""
        return float(self.sample.observed[self.sample.systems.index(setting)])

    def per_topic(self) -> pl.DataFrame:
        """One row per topic: its fold, the setting that it was measured with, and the number."""
        return pl.DataFrame(
            {
                "query_id": pl.Series(self.sample.units, dtype=pl.String),
                "fold": [self.folds[place].fold for place in self.fold_of],
                "chosen": [self.sample.systems[place] for place in self.chosen_for],
                "value": self.values,
            }
        )

    def per_setting(self) -> pl.DataFrame:
        """One row per setting: its parameters, its number on all topics, and in how many folds it was chosen."""
        chosen = Counter(fold.chosen for fold in self.folds)
        rows: list[dict[str, Any]] = [
            {"setting": name, **parameters, self.measure: self.of(name), "chosen": chosen[name]}
            for name, parameters in self.settings.items()
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def to_frame(self) -> pl.DataFrame:
        """First the honest number with its interval, that of the best setting in hindsight, and the baseline's.

        Then one row per setting, as `per_setting` has it; the column `what` says which row is which. If there is a
        baseline, the honest number's row also holds its difference from the baseline's, with interval and p-value.

        >>> from assay import tune
        >>> judged = {f"q{n}": {"d": 1} for n in range(4)}
        >>> runs = {f"mu={mu}": {q: {"d": 1.0, "e": float(mu)} for q in judged} for mu in (0, 2)}
        >>> tune(judged, runs, "RR", folds=2).to_frame()["what"].to_list()
        ['tuned on other topics', 'best in hindsight', 'setting', 'setting']
        """
        honest = {self.measure: self.value, "interval_low": self.interval.low, "interval_high": self.interval.high}
        if self.finding is not None:
            ends = self.finding.interval
            honest |= {"difference": self.finding.difference, "difference_low": ends.low, "difference_high": ends.high}
            honest |= {"p": self.finding.p}
        named = [("best in hindsight", self.hindsight)]
        named += [] if self.baseline is None else [("baseline", self.baseline)]
        settings = {row["setting"]: row for row in self.per_setting().to_dicts()}
        rows: list[dict[str, Any]] = [
            {"what": "tuned on other topics"} | dict.fromkeys(self.per_setting().columns) | honest
        ]
        rows += [{"what": what} | settings[name] for what, name in named]
        rows += [{"what": "setting"} | row for row in settings.values()]
        return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)


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
    names = sample.systems
    lower = sample.higher_is_better is False
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
    error = Choices(worth, fold_of).error(_RESAMPLES, seed)
    finding = None
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
        raise ParameterError(f"{sample.measure} is not a mean over topics: choose settings by another measure")
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
        absent = [topic for topic in topics if is_absent(held.get(topic))]
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
