"""`plan`: from the scores there are to the number of units (topics) that a comparison needs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple, Unpack, overload

import numpy as np
import polars as pl

from assay.core import options
from assay.core.domains import POSITIVE, Whole, check_levels
from assay.core.errors import InputError, ParameterError, argument_name, number_of
from assay.core.evaluation_options import Seed
from assay.core.idle_options import UNDRAWN
from assay.core.options import SubjectRules
from assay.core.results import Result
from assay.core.words import TESTS
from assay.measures.registry import Measure
from assay.stats.permutation import Outcome, swaps
from assay.stats.samples import Drawing, Pair, Sample
from assay.stats.stability import Stability, discriminative_power, ranking_stability
from assay.stats.verdict import corrected, out_of_reach, resamples_for
from assay.verbs.comparison.findings import Levels, pairs_of
from assay.verbs.planning_by_spread import Groups, SpreadPlan, plan_by_spread, refuse_without_data
from assay.verbs.subject import pairing_of

_STABILITY_RESAMPLES = 1000
#: A medium difference is so many times the small one, which is the margin of a comparison: 5 % of a measure's range.
MEDIUM = 5


class PairPlan(NamedTuple):
    """Two systems under one measure.

    `spread`: how much a unit's part in the difference varies (of means, the standard deviation of the units'
    differences). `detectable`: the smallest difference that these units show with the power asked for. `needed`: the
    units that show the difference asked for (a small one, if none was); None if no number of them does.
    `needed_medium`, `needed_observed`: those that show a `medium` difference, and one as large as that observed.
    """

    measure: str
    baseline: str
    system: str
    units: int
    observed: float
    spread: float
    detectable: float
    difference: float
    needed: int | None
    p: float
    medium: float
    needed_medium: int | None
    needed_observed: int | None


class MeasurePlan(NamedTuple):
    """A plan of one measure: pairs of systems for which it is significant, and the stability of its ranking."""

    measure: str
    unit_kind: str
    units: int
    difference: float
    difference_says: str
    pairs: tuple[PairPlan, ...]
    told_apart: float
    stability: Stability
    power_test: str
    test: str
    test_note: str

    def range_of(self, name: str) -> tuple[float, float, float]:
        """The median over pairs, the smallest and the largest; as many units as one likes are infinitely many."""
        numbers = [
            math.inf if value is None else float(value) for value in (getattr(pair, name) for pair in self.pairs)
        ]
        return median(numbers), min(numbers), max(numbers)


@dataclass(frozen=True, eq=False)
class Plan(Result):
    """The number of units that a comparison needs, measure by measure.

    >>> judged = {f"q{n}": {"good": 1} for n in range(8)}
    >>> first = {f"q{n}": {"good": 1.0, "bad": 2.0 * (n % 2)} for n in range(8)}
    >>> second = {f"q{n}": {"good": 1.0, "bad": 2.0 * (n % 3 > 1)} for n in range(8)}
    >>> found = plan(judged, {"first": first, "second": second}, measures="RR", difference=0.1)
    >>> found.measures[0].pairs[0].needed, found.measures[0].pairs[0].spread
    (101, 0.3536)
    """

    kind = "plan"

    measures: tuple[MeasurePlan, ...]
    alpha: float
    power: float
    resamples: int
    seed: int
    notes: tuple[str, ...] = ()
    #: Whether somebody said which difference is to be found.
    is_asked: bool = True

    def __repr__(self) -> str:
        names = ", ".join(plan.measure for plan in self.measures)
        return f"<Plan for {names}: {number_of('pair', len(self.measures[0].pairs))} of systems>"

    def to_frame(self) -> pl.DataFrame:
        """One row per measure and pair of systems."""
        rows = [pair._asdict() for plan in self.measures for pair in plan.pairs]
        return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)


@overload
def plan(
    *,
    difference: options.Difference,
    sd: options.Deviation,
    power: options.Power = ...,
    alpha: options.Alpha = ...,
    groups: Groups = ...,
) -> SpreadPlan: ...
@overload
def plan(
    given: Any,
    runs: Any = ...,
    *,
    measures: Iterable[str | Measure] | str | Measure | None = ...,
    difference: options.Difference | None = ...,
    power: options.Power = ...,
    alpha: options.Alpha = ...,
    baseline: str | None = ...,
    resamples: options.Permutations | None = ...,
    seed: Seed = ...,
    **rules: Unpack[SubjectRules],
) -> Plan: ...
def plan(
    given: Any = None,
    runs: Any = None,
    *,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    difference: options.Difference | None = None,
    sd: options.Deviation | None = None,
    groups: Groups | None = None,
    power: options.Power = 0.8,
    alpha: options.Alpha = 0.05,
    baseline: str | None = None,
    resamples: options.Permutations | None = None,
    seed: Seed = 0,
    **rules: Unpack[SubjectRules],
) -> Plan | SpreadPlan:
    """Say how large a difference the units at hand can show, and how many units a given difference needs.

    Without data, give `difference` and `sd`, the standard deviation of the differences from unit to unit; with
    `groups=2`, where each system has units of its own, that of their numbers. This gives a `SpreadPlan`.

    Otherwise, `given` is an `Evaluation`, or judgments (with `runs`, and the rules of `evaluate`), or scores: a
    `Scores` table or a file of one; or predictions of classifiers, or extractions, as `compare` takes them.
    `difference`: the difference in a measure to be found; unless given, three are: a small one (0.01 of the measure's
    range, or 1 % of the baseline's number where it has none), a medium one (five times that) and the one observed.
    `power` is the chance to find it, with a two-sided test at level `alpha`. `baseline`: pair the others with it, not
    every two systems. Power is that of the paired t test; which pairs differ with these units is tested as
    `compare` does, with Holm's correction, from `seed`.

    >>> plan(difference=0.05, sd=0.2).needed
    128
    >>> scores = plan({"q1": {"d": 1}, "q2": {"d": 1}}, {"a": {"q1": {"d": 1}}, "b": {"q2": {"d": 1}}}, measures="RR")
    >>> scores.measures[0].pairs[0].units
    2
    """
    if given is None:
        refuse_without_data({"runs": runs, "measures": measures, "baseline": baseline, "resamples": resamples, **rules})
        return plan_by_spread(difference, sd, power=power, alpha=alpha, groups=1 if groups is None else groups)
    for name, value in (("sd", sd), ("groups", groups)):
        if value is not None:
            raise ParameterError(f"{argument_name(name)} is for a plan without data: these have a spread of their own")
    if difference is not None:
        POSITIVE.check("the difference", difference)
    check_levels(alpha=alpha, power=power)
    seed = Whole(0).check("seed", seed)
    pairing = pairing_of(plan, given, runs, measures, seed=seed, rules=rules)
    samples, notes = pairing.comparable(measures)
    if samples[0].decides_by == "interval":
        raise InputError(f"a plan is about the power of a test, and {pairing.holds} have none: see `compare`")
    usable, left_out = list[Sample](), list[str]()
    for sample in samples:
        if sample.is_sum:
            left_out.append(f"{sample.measure} is a sum over units, which grows with them")
        elif len(sample.systems) > 1 and int((~np.isnan(sample.observed)).sum()) < 2 and not sample.only_differences:
            left_out.append(f"{sample.measure} is {sample.why_not(*range(len(sample.systems)))}")
        else:
            usable.append(sample)
    if not usable:
        raise InputError(f"{'; '.join(left_out)}: plan by another measure")
    notes += [f"{why}: it is left out" for why in left_out]
    _check_drawing(resamples, usable)
    pairs = pairs_of(usable[0].systems, baseline, all_pairs=baseline is None).pairs
    often = resamples_for(len(pairs), alpha) if resamples is None else Whole(100).check("resamples", resamples)
    notes += [note for sample in usable for note in sample.notes()]
    for sample in usable:
        least = Outcome("permutation", 0.0, 1.0, *swaps(sample.size, often))
        if _is_permuted(sample) and (why := out_of_reach([least], sample.size, len(pairs), alpha)):
            notes.append(why)
    notes += [
        f"{sample.measure} is made of {sample.made_of}: how stable its ranking is, is not known"
        for sample in usable
        if not sample.can_be_reweighted
    ]
    levels = Levels(alpha, difference, power)
    drawing = Drawing(often, seed)
    planned = tuple(_measure_plan(sample, pairs, levels, drawing) for sample in usable)
    return Plan(planned, alpha, power, often, seed, tuple(dict.fromkeys(notes)), difference is not None)


def _check_drawing(resamples: int | None, samples: Sequence[Sample]) -> None:
    """Refuse a number of permutations where no test draws any."""
    tests = {sample.synonym("permutation") if _is_permuted(sample) else sample.tests[0] for sample in samples}
    if resamples is not None and tests <= UNDRAWN:
        raise ParameterError(f"{argument_name('resamples')} has no effect: no test here draws permutations")


def _is_permuted(sample: Sample) -> bool:
    """True if its own test, which `compare` makes too, permutes units."""
    return sample.tests[0] == sample.synonym("permutation")


def _measure_plan(sample: Sample, pairs: Sequence[Pair], levels: Levels, drawing: Drawing) -> MeasurePlan:
    """`levels`: those asked for, with the difference to be shown as the margin."""
    alpha, power = levels.alpha, levels.power
    wanted, origin = sample.margin(pairs[0][0], levels.margin)
    medium = MEDIUM * sample.margin(pairs[0][0])[0]
    is_permuted = _is_permuted(sample)
    outcomes = sample.test(pairs, None, drawing)
    p = corrected(np.array([outcome.p for outcome in outcomes]), "holm")
    planned = []
    for (first, second), value in zip(pairs, p.tolist(), strict=True):
        spread = sample.spread(first, second, drawing)
        planned.append(
            PairPlan(
                sample.measure,
                sample.systems[first],
                sample.systems[second],
                sample.pair_size(first, second),
                sample.difference(first, second),
                spread,
                sample.detectable((first, second), spread, alpha, power),
                wanted,
                sample.needed(wanted, spread, alpha, power),
                value,
                medium,
                sample.needed(medium, spread, alpha, power),
                sample.needed(sample.difference(first, second), spread, alpha, power),
            )
        )
    stability = Stability.unknown()
    if sample.can_be_reweighted:
        stability = ranking_stability(sample.defined(), _STABILITY_RESAMPLES, drawing.seed)
    apart = discriminative_power(p, alpha)
    drawn = [outcome.note for outcome in outcomes if outcome.resamples]
    test = "a permutation test"
    note = swaps(sample.size, drawing.resamples)[1]
    if not is_permuted:
        own = TESTS[outcomes[0].test]
        test = own if own[0].isupper() else f"a {own}"
        note = ""
    return MeasurePlan(
        sample.measure, sample.unit_kind, sample.size, wanted, origin, tuple(planned), apart, stability,
        sample.power_test, test, drawn[0] if drawn else note,
    )  # fmt: skip
