"""A plan as tables: what the units at hand can show, and what they tell apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.errors import number_of, several
from assay.report.layout import Cell, Table
from assay.report.titled import Titled
from assay.stats.digits import NOT_AVAILABLE, as_level, as_percent, number, signed
from assay.stats.permutation import swaps

if TYPE_CHECKING:
    from assay.planning import MeasurePlan, Plan


def tables(plan: Plan, most_pairs: int) -> list[Titled]:
    """The pairs if they are few, else their median and range; then what the measures tell apart."""
    kind = several(plan.measures[0].unit_kind)
    numbers = ("spread", "detectable", "to find", "needed")
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
    kind = several(plan.measures[0].unit_kind)
    drawn = " or ".join(dict.fromkeys(swaps(one.units, plan.resamples)[1] for one in plan.measures))
    said = [
        f"detectable: the smallest true difference that as many {kind} show, with a chance of {as_level(plan.power)} "
        f"(one pair alone: paired t test, two-sided, alpha {plan.alpha:g}); needed: {kind} for the difference to find.",
        f"told apart: pairs with p < {plan.alpha:g} in a permutation test with Holm's correction ({drawn}, "
        f"seed {plan.seed}).",
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
            cells = (signed(pair.observed), number(pair.spread), number(pair.detectable), f"{pair.difference:g}")
            needed = NOT_AVAILABLE if pair.needed is None else f"{pair.needed:,}"
            rows.append(((one.measure, pair.baseline, pair.system), tuple(map(Cell, (*cells, needed)))))
    return Table(("measure", "baseline", "system"), ("difference", *numbers), tuple(rows))


def _ranges(plan: Plan, numbers: tuple[str, ...]) -> Table:
    rows = []
    for one in plan.measures:
        spans = [
            f"{number(middle)} ({number(low)} to {number(high)})"
            for middle, low, high in (one.spreads(), one.detectable())
        ]
        middle, low, high = (f"{units:,.0f}" if math.isfinite(units) else NOT_AVAILABLE for units in one.needed())
        cells = (*spans, f"{one.difference:g}", f"{middle} ({low} to {high})")
        rows.append(((one.measure,), tuple(map(Cell, cells))))
    return Table(("measure",), numbers, tuple(rows))


def _shares(one: MeasurePlan) -> tuple[str, ...]:
    redrawn, halves = one.stability
    share = as_percent(one.told_apart)
    spans = [
        (f"{number(part.tau, 3)} ({number(part.low, 3)} to {number(part.high, 3)})", as_percent(part.swapped))
        if not math.isnan(part.tau)
        else (NOT_AVAILABLE, NOT_AVAILABLE)
        for part in (redrawn, halves)
    ]
    return (f"{len(one.pairs):,}", share, *spans[0], *spans[1])
