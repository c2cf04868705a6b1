"""Checks: one measure on all units, or on a slice of them; numbers, then p-values corrected together, then outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from assay.comparison.slices import slices
from assay.core.errors import InputError, ParameterError
from assay.gating.rules import Inconclusive, Margins, Outcome, decided
from assay.stats.cluster_samples import NO_TEST, Subsampled
from assay.stats.corrections import corrected_as_stated
from assay.stats.label_samples import Patterns
from assay.stats.paired import Paired
from assay.stats.pairs import Numbers, Resampled
from assay.stats.permutation import (
    NO_DIFFERENCE,
    NOTHING_DIFFERS,
    Alternative,
    permutation_of_pooled,
    permutation_test,
)
from assay.stats.permutation import Outcome as Tested
from assay.stats.power import units_needed
from assay.stats.rounding import ROUNDING
from assay.stats.samples import Averaged, Pooled
from assay.stats.score_samples import Drawing, ScoreSample
from assay.stats.suited_tests import by_labels, by_scores, own_test

#: So many units that lost most are kept of each check.
_MOST_WORST = 5
#: Where every swap is counted anew, fewer do.
_MOST_RECOUNTED = 10_000
#: Where predictions are swapped and counted anew, so many do.
_MOST_SWAPPED = 100_000
#: The chance to pass that the needed units are counted for.
POWER = 0.8


class Settings(NamedTuple):
    """How a gate was decided: everything besides the data and the margins that its outcome depends on."""

    alpha: float
    inconclusive: Inconclusive
    max_missing: float
    min_judged: float | None
    resamples: int
    bootstrap_resamples: int
    seed: int = 0
    correction: str = "holm"


class Loss(NamedTuple):
    """A unit that the candidate is worse on."""

    unit: str
    baseline_value: float
    value: float
    difference: float


#: What the rows of tables leave out.
_UNTOLD = {"worst", "redrawn", "interval", "at_best", "all_zero", "of_labels"}


class Check(NamedTuple):
    """One measure, on all units or on a `slice` of them; differences are the candidate's number less the baseline's.

    `at_worst`: the end of the one-sided interval on the bad side; `allowed`: the margin on that side, with its sign. A
    check passes if what is at worst is better than what is allowed. `p` is one-sided, and corrected for the other
    checks; `p_uncorrected` is not. `improved`, `same` and `worsened` count units. `needed`: the units that would let a
    candidate that is really as good pass, 80 % of the time. `redrawn`: how often units were drawn anew for the
    interval; 0 where that takes no drawing; `interval`: how it was made. `at_best`: where there is no test, the other
    end of the interval, which is made wider for the other checks; a loss is sure if even that is one.
    `all_zero`: no unit differs; unless it passes so, some have a value under one of the systems alone, as `why` says.
    `of_labels`: it is about predicted labels, which are right or wrong.
    """

    measure: str
    slice: str
    unit_kind: str
    units: int
    baseline_value: float
    value: float
    difference: float
    at_worst: float
    allowed: float
    margin_says: str
    p: float
    p_uncorrected: float
    test: str
    improved: int
    same: int
    worsened: int
    needed: int | None
    outcome: Outcome
    why: str
    worst: tuple[Loss, ...] = ()
    redrawn: int = 0
    interval: str = "hull"
    at_best: float | None = None
    all_zero: bool = False
    of_labels: bool = False

    @property
    def is_identical(self) -> bool:
        """Whether it passes as no unit differs."""
        return self.all_zero and self.outcome == "pass"

    def is_surely_worse(self, alpha: float) -> bool:
        """Whether the test says so; or where there is none, the interval."""
        return self.p < alpha if self.at_best is None else self.at_best * self.allowed > 0

    @property
    def name(self) -> str:
        """What is checked.

        >>> Check._make(["AP", "length = short", *[0] * 23]).name
        'AP, length = short'
        """
        return f"{self.measure}, {self.slice}" if self.slice else self.measure

    def row(self) -> dict[str, Any]:
        """One row of a table."""
        told = self._asdict() | {"slice": self.slice or "all"}
        return {name: value for name, value in told.items() if name not in _UNTOLD}


class Part(NamedTuple):
    """What a check is made of: the two systems (baseline first) on some units, and the margin."""

    paired: Paired
    slice: str
    margin: float
    margin_says: str

    @property
    def direction(self) -> int:
        """1 where more is better, -1 where less is."""
        return -1 if self.paired.higher_is_better is False else 1


def parts_of(paired: Sequence[Paired], margins: Margins, by: str | None, attribute: dict[str, Any]) -> list[Part]:
    """All units under each measure; with an attribute, also the units that share a value of it."""
    made: list[Part] = []
    for one in paired:
        one.refuse_undirected("gate on it")
        margin, says = one.margin(0, margins.of_measure(one.measure))
        if isnan(margin):
            raise InputError(f"{one.measure} has no range, and is {one.why_not(0)}: there is no margin")
        if not margin > 0:
            raise ParameterError(f"{one.measure} has no range, and the baseline's number is 0: give its margin")
        made.append(Part(one, "", margin, says))
        if by is None:
            continue
        # The margin is that of all units: what is negligible does not depend on the slice.
        made += [
            Part(
                replace(one, units=part.units, sample=part.sample, absences=(), elsewhere=None),
                f"{by} = {part.value}",
                margin,
                says,
            )
            for part in slices(one, 0, 1, attribute)
        ]
    return made


def checks_of(parts: Sequence[Part], settings: Settings) -> tuple[Check, ...]:
    """Decide each check; p-values are corrected over all of them.

    >>> values = np.array([[0.5, 0.1], [0.4, 0.2], [0.6, 0.1], [0.5, 0.2], [0.3, 0.1], [0.9, 0.2]])
    >>> paired = Paired("AP", "query", ("old", "new"), tuple("123456"), Averaged(values), (0, 1))
    >>> settings = Settings(0.05, "report", 0.1, None, 1000, 1000, 0)
    >>> [(one.outcome, one.p) for one in checks_of([Part(paired, "", 0.01, "")], settings)]  # 1 of 2^6 swaps
    [('fail', 0.0156)]
    """
    tested = [_tested(part, settings) for part in parts]
    p = corrected_as_stated(np.array([one.p for one in tested]), settings.correction)
    return tuple(
        _check(part, one, value, settings, len(parts))
        for part, one, value in zip(parts, tested, p.tolist(), strict=True)
    )


def as_drawn(settings: Settings, checks: Sequence[Check]) -> Settings:
    """The settings with how often units were drawn anew: fewer times than asked for where they are very many."""
    drawn = [check.redrawn for check in checks if check.redrawn]
    return settings._replace(bootstrap_resamples=min(drawn, default=settings.bootstrap_resamples))


def _tested(part: Part, settings: Settings) -> Tested:
    """The test whether the candidate is worse: that of `compare`, on one side."""
    side: Alternative = "less" if part.direction > 0 else "greater"
    sample, seed = part.paired.sample, settings.seed
    if isinstance(sample, Patterns):
        drawn = min(settings.resamples, _MOST_SWAPPED)
        found = by_labels(sample, own_test(part.paired), resamples=drawn, seed=seed, alternative=side)
        note = f"no {part.paired.unit_kind} differs" if found.note == NOTHING_DIFFERS else found.note
        return found._replace(note=f"{found.test}: {note}")
    if isinstance(sample, ScoreSample):
        drawing = Drawing(settings.bootstrap_resamples, seed)
        found = by_scores(sample, (0, 1), own_test(part.paired), drawing, side)
        return found._replace(note=found.test if not found.note else f"{found.test}: {found.note}")
    if isinstance(sample, Subsampled):
        return sample.untested(0, 1)._replace(note="no test")
    if isinstance(sample, Pooled):
        drawn = min(settings.resamples, _MOST_RECOUNTED)
        return permutation_of_pooled(*sample.formulas, resamples=drawn, seed=seed, alternative=side)
    if np.isnan(part.paired.observed).any():
        return Tested("permutation", np.nan, np.nan, None, NO_DIFFERENCE)
    return permutation_test(part.paired.differences(0, 1), resamples=settings.resamples, seed=seed, alternative=side)


def _check(part: Part, tested: Tested, p: float, settings: Settings, checks: int) -> Check:
    paired, direction = part.paired, part.direction
    resampled = Resampled(paired, settings.bootstrap_resamples, settings.seed, "hull")
    numbers = resampled.numbers(0, 1, settings.alpha)
    at_worst = numbers.narrow.low if direction > 0 else numbers.narrow.high
    at_best, redrawn = None, resampled.resamples
    if tested.test == NO_TEST:
        [wide] = resampled.of_difference(0, 1, 1 - 2 * settings.alpha / checks)
        at_best, redrawn = wide.high if direction > 0 else wide.low, resampled.halves(0, 1) or 0
    decision = decided(
        difference=direction * numbers.difference,
        all_zero=numbers.all_zero,
        units=len(paired.units),
        bound=direction * at_worst,
        p=p,
        margin=part.margin,
        alpha=settings.alpha,
        scale=float(np.abs(paired.observed).max()),
        at_best=None if at_best is None else direction * at_best,
        one_sided=paired.one_sided(0, 1),
    )
    won, tied, lost = numbers.wins
    # An item that is predicted rightly now is won, whatever way the measure goes.
    more_is_won = direction > 0 or paired.labels_are_compared
    return Check(
        paired.measure,
        part.slice,
        paired.unit_kind,
        len(paired.units),
        float(paired.observed[0]),
        float(paired.observed[1]),
        # Sums in another order are no difference.
        0.0 if numbers.all_zero else numbers.difference,
        at_worst,
        -direction * part.margin,
        part.margin_says,
        p,
        tested.p,
        tested.note,
        improved=won if more_is_won else lost,
        same=tied,
        worsened=lost if more_is_won else won,
        needed=_needed(part, numbers, settings.alpha) if decision.outcome == "inconclusive" else None,
        outcome=decision.outcome,
        why=decision.why,
        worst=_worst(part),
        redrawn=redrawn,
        interval=numbers.narrow.method,
        at_best=at_best,
        all_zero=numbers.all_zero,
        of_labels=paired.labels_are_compared,
    )


def _needed(part: Part, numbers: Numbers, alpha: float) -> int | None:
    """The units that a candidate with a true difference of 0 needs to pass, most of the time."""
    # One-sided at alpha is two-sided at twice that: the other tail has next to no part in it.
    is_sum = isinstance(part.paired.sample, Averaged) and part.paired.sample.summary == "sum"  # it grows with them
    if is_sum or not 2 * alpha < POWER or not numbers.spread > 0:
        return None
    return units_needed(part.margin, numbers.spread, 2 * alpha, POWER)


def _worst(part: Part) -> tuple[Loss, ...]:
    values = part.paired.unit_values
    direction = 1 if part.paired.labels_are_compared else part.direction
    apart = direction * (values[:, 1] - values[:, 0])
    reach = ROUNDING * np.abs(values).max(axis=1, initial=0.0)
    order = [place for place in np.argsort(apart, kind="stable") if apart[place] < -reach[place]]
    return tuple(
        Loss(part.paired.units[place], float(old), float(new), float(new - old))
        for place, (old, new) in ((place, values[place]) for place in order[:_MOST_WORST])
    )
