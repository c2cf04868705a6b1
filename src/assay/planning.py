"""`plan`: from the scores there are to the number of units (topics) that a comparison needs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.comparison.pairing import pairs_of
from assay.core.domains import POSITIVE, Whole
from assay.core.errors import InputError, number_of
from assay.core.results import Result
from assay.given import check_levels
from assay.measured import Measured, check_rules
from assay.measures.registry import Measure
from assay.stats import pairs as pairwise
from assay.stats.corrections import corrected
from assay.stats.paired import Paired
from assay.stats.permutation import Outcome, swaps
from assay.stats.power import smallest_detectable, units_needed
from assay.stats.samples import Averaged, Pooled
from assay.stats.stability import Stability, discriminative_power, ranking_stability

_STABILITY_RESAMPLES = 1000


class PairPlan(NamedTuple):
    """Two systems under one measure.

    `spread`: how much a unit's part in the difference varies (of means, the standard deviation of the units'
    differences). `detectable`: the smallest difference that these units show with the power asked for. `needed`: the
    units that show the difference asked for; None if no number of them does.
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


class MeasurePlan(NamedTuple):
    """One measure: how many pairs of systems it tells apart, and how stable its ranking of the systems is."""

    measure: str
    unit_kind: str
    units: int
    difference: float
    difference_says: str
    pairs: tuple[PairPlan, ...]
    told_apart: float
    stability: Stability

    def spreads(self) -> tuple[float, float, float]:
        """Median, smallest and largest spread over the pairs."""
        return _middle([pair.spread for pair in self.pairs])

    def detectable(self) -> tuple[float, float, float]:
        """Median, smallest and largest detectable difference over the pairs."""
        return _middle([pair.detectable for pair in self.pairs])

    def needed(self) -> tuple[float, float, float]:
        """Median, smallest and largest number of units needed over the pairs; infinite if no number is enough."""
        return _middle([math.inf if pair.needed is None else float(pair.needed) for pair in self.pairs])


@dataclass(frozen=True, eq=False)
class Plan(Result):
    """How many units a comparison needs, measure by measure.

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

    def __repr__(self) -> str:
        names = ", ".join(one.measure for one in self.measures)
        return f"<Plan for {names}: {number_of('pair', len(self.measures[0].pairs))} of systems>"

    def to_frame(self) -> pl.DataFrame:
        """One row a measure and pair of systems."""
        rows = [pair._asdict() for one in self.measures for pair in one.pairs]
        return pl.DataFrame(rows, infer_schema_length=None).with_columns(pl.col(pl.Float64).fill_nan(None))


def plan(
    given: Any,
    runs: Any = None,
    *,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    difference: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    baseline: str | None = None,
    resamples: int | None = None,
    seed: int = 0,
    **rules: Any,
) -> Plan:
    """Say how large a difference the units at hand can show, and how many units a given difference needs.

    `given` is an `Evaluation`, or judgments (with `runs`, and the rules of `evaluate`), or scores: a `Scores` table or
    a file of one. `difference`: the difference in a measure to be found; unless given, 0.01 of the measure's range.
    `power` is the chance to find it, with a two-sided test at level `alpha`. `baseline`: pair the others with it, not
    every two systems. Power is that of the paired t test; which pairs are told apart, with these units, is tested by
    permutation, with Holm's correction, from `seed`.

    >>> scores = plan({"q1": {"d": 1}, "q2": {"d": 1}}, {"a": {"q1": {"d": 1}}, "b": {"q2": {"d": 1}}}, measures="RR")
    >>> scores.measures[0].pairs[0].units
    2
    """
    check_rules(rules, plan)
    if difference is not None:
        POSITIVE.check("the difference", difference)
    check_levels(alpha=alpha, power=power)
    seed = Whole(0).check("seed", seed)
    paired, left_out = Measured.of_units("a plan", given, runs, measures, seed=seed, **rules).comparable(measures)
    notes = left_out + [
        f"{one.measure} is a sum over units: it grows with them, and is left out" for one in paired if _is_sum(one)
    ]
    usable = [one for one in paired if not _is_sum(one)]
    if not usable:
        raise InputError(f"{paired[0].measure} is a sum over units, which grows with them: plan by another measure")
    unknown = [f"{one.measure} is {one.why_not(*range(len(one.systems)))}" for one in usable if _is_unknown(one)]
    usable = [one for one in usable if not _is_unknown(one)]
    if not usable:
        raise InputError("; ".join(unknown))
    notes += [f"{why}: it is left out" for why in unknown]
    pairs = pairs_of(usable[0].systems, baseline, all_pairs=baseline is None).pairs
    asked = _Asked(
        pairs,
        difference,
        alpha,
        power,
        pairwise.resamples_for(len(pairs), alpha) if resamples is None else Whole(100).check("resamples", resamples),
        seed,
    )
    notes += [note for one in usable for note in one.notes()]
    for one in usable:
        drawn = Outcome("permutation", 0.0, 1.0, *swaps(len(one.units), asked.resamples))
        if why := pairwise.out_of_reach([drawn], len(one.units), len(pairs), alpha):
            notes.append(f"told apart: {why}")
    planned = tuple(_measure_plan(one, asked) for one in usable)
    return Plan(planned, alpha, power, asked.resamples, seed, tuple(dict.fromkeys(notes)))


class _Asked(NamedTuple):
    pairs: tuple[tuple[int, int], ...]
    difference: float | None
    alpha: float
    power: float
    resamples: int
    seed: int


def _measure_plan(paired: Paired, asked: _Asked) -> MeasurePlan:
    units, observed, (alpha, power) = len(paired.units), paired.observed, (asked.alpha, asked.power)
    wanted, says = paired.margin(asked.pairs[0][0], asked.difference)
    found = pairwise.outcomes(paired, asked.pairs, "permutation", asked.resamples, asked.seed)
    p = corrected(np.array([one.p for one in found]), "holm")
    planned = []
    for (first, second), own in zip(asked.pairs, p.tolist(), strict=True):
        spread = paired.spread(first, second)
        planned.append(
            PairPlan(
                paired.measure,
                paired.systems[first],
                paired.systems[second],
                units,
                float(observed[second] - observed[first]),
                spread,
                smallest_detectable(spread, units, alpha, power),
                wanted,
                units_needed(wanted, spread, alpha, power),
                own,
            )
        )
    if not isinstance(paired.sample, Averaged | Pooled):
        raise InputError(f"{paired.measure} is made of all items together: there is no plan for it")
    sample = paired.sample
    if isinstance(sample, Averaged):
        sample = Averaged(sample.values[:, ~np.isnan(observed)], sample.summary)
    stability = ranking_stability(sample, _STABILITY_RESAMPLES, asked.seed)
    apart = discriminative_power(p, alpha)
    return MeasurePlan(paired.measure, paired.unit_kind, units, wanted, says, tuple(planned), apart, stability)


def _is_sum(paired: Paired) -> bool:
    return isinstance(paired.sample, Averaged) and paired.sample.summary == "sum"


def _is_unknown(paired: Paired) -> bool:
    """Whether there are no two systems with a number, though there are two."""
    return len(paired.systems) > 1 and int((~np.isnan(paired.observed)).sum()) < 2


def _middle(numbers: list[float]) -> tuple[float, float, float]:
    return median(numbers), min(numbers), max(numbers)
