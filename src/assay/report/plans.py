"""A plan as tables: what the units at hand can show, and what they tell apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.errors import number_of
from assay.report.layout import NOT_AVAILABLE, Cell, Table
from assay.report.titled import Titled
from assay.stats.permutation import MOST_UNITS_EXACT

if TYPE_CHECKING:
    from assay.planning import MeasurePlan, Plan


def tables(plan: Plan, most_pairs: int) -> list[Titled]:
    """The pairs if they are few, else their median and range; then what the measures tell apart."""
    kind = number_of(plan.measures[0].unit_kind, 2).removeprefix("2 ")
    numbers = ("spread", "detectable", "to find", f"{kind} needed")
    few = len(plan.measures[0].pairs) <= most_pairs
    found = _pairs(plan, numbers) if few else _ranges(plan, numbers)
    title = f"What {number_of(plan.measures[0].unit_kind, plan.measures[0].units)} can show"
    shares = Table(
        ("measure",),
        ("pairs", "told apart", f"tau, other {kind}", "swapped", "tau, two halves", "swapped"),
        tuple(((one.measure,), tuple(map(Cell, _shares(one)))) for one in plan.measures),
    )
    return [Titled(title, found), Titled("What the measures tell apart, and how stable their rankings are", shares)]


def lines(plan: Plan, most_pairs: int) -> list[str]:
    """What the columns mean."""
    kind = number_of(plan.measures[0].unit_kind, 2).removeprefix("2 ")
    exact = all(one.units <= MOST_UNITS_EXACT for one in plan.measures)
    swaps = "all swaps" if exact else f"{plan.resamples:,} swaps, seed {plan.seed}"
    said = [
        f"detectable: the smallest true difference that as many {kind} show, with a chance of {plan.power:.0%} "
        f"(paired t test, two-sided, alpha {plan.alpha:g}); {kind} needed: for the difference to find.",
        f"told apart: pairs with p < {plan.alpha:g} in a permutation test with Holm's correction ({swaps}).",
        f"tau: mean of Kendall's tau-b, and where 95% of it lies, against {kind} drawn anew; and of one random half "
        "against the other.",
    ]
    if len(plan.measures[0].pairs) > most_pairs:
        said.insert(0, "The median over pairs of systems, and the range from the smallest to the largest.")
    says = dict.fromkeys(f"{one.difference:g} ({one.difference_says})" for one in plan.measures)
    return [*said, f"to find: {', '.join(says)}."]


def _pairs(plan: Plan, numbers: tuple[str, ...]) -> Table:
    rows = []
    for one in plan.measures:
        for pair in one.pairs:
            cells = (f"{pair.observed:+.4f}", _shown(pair.spread), _shown(pair.detectable), f"{pair.difference:g}")
            needed = NOT_AVAILABLE if pair.needed is None else f"{pair.needed:,}"
            rows.append(((one.measure, pair.baseline, pair.system), tuple(map(Cell, (*cells, needed)))))
    return Table(("measure", "baseline", "system"), ("difference", *numbers), tuple(rows))


def _ranges(plan: Plan, numbers: tuple[str, ...]) -> Table:
    rows = []
    for one in plan.measures:
        spans = [
            f"{_shown(middle)} ({_shown(low)} to {_shown(high)})"
            for middle, low, high in (one.spreads(), one.detectable())
        ]
        middle, low, high = (f"{number:,.0f}" if math.isfinite(number) else "∞" for number in one.needed())
        cells = (*spans, f"{one.difference:g}", f"{middle} ({low} to {high})")
        rows.append(((one.measure,), tuple(map(Cell, cells))))
    return Table(("measure",), numbers, tuple(rows))


def _shares(one: MeasurePlan) -> tuple[str, ...]:
    redrawn, halves = one.stability
    share = NOT_AVAILABLE if math.isnan(one.told_apart) else f"{one.told_apart:.1%}"
    spans = [
        (f"{part.tau:.3f} ({part.low:.3f} to {part.high:.3f})", f"{part.swapped:.1%}")
        if not math.isnan(part.tau)
        else (NOT_AVAILABLE, NOT_AVAILABLE)
        for part in (redrawn, halves)
    ]
    return (f"{len(one.pairs):,}", share, *spans[0], *spans[1])


def _shown(value: float) -> str:
    return NOT_AVAILABLE if math.isnan(value) else f"{value:.4f}"
