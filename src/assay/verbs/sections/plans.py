"""Documents of plans: what the units at hand can show, how many a difference needs, and plans without data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from assay.core.digits import as_level
from assay.core.errors import argument_name, number_of, several
from assay.show.model import Column, Document, Prose, Section, Table
from assay.verbs.planning import MEDIUM, MeasurePlan, Plan
from assay.verbs.planning_by_spread import SpreadPlan

#: More pairs than this are summed up, not listed.
_MOST_PAIRS = 10


def plan_document(plan: Plan) -> Document:
    """The pairs if they are few, else their median and range; how measures compare; what all that means."""
    first = plan.measures[0]
    kind = several(first.unit_kind)
    few = len(first.pairs) <= _MOST_PAIRS
    title = f"What {number_of(first.unit_kind, first.units)} can show"
    stable = "How many pairs differ significantly, and how stable the rankings are"
    settings = {"alpha": plan.alpha, "power": plan.power, "resamples": plan.resamples, "seed": plan.seed}
    sections = (
        Section("pairs", title, (_pairs(plan) if few else _ranges(plan),)),
        *([] if plan.is_asked else [_three_differences(plan, kind, few)]),
        Section("measures", stable, (_measures(plan, kind),)),
        Section.of_lines("meaning", _plans_lines(plan, kind, few), data={"settings": settings}),
        Section.of_lines("notes", plan.notes),
    )
    return Document("plan", sections, title)


def _pairs(plan: Plan) -> Table:
    columns = (
        *map(Column, ("measure", "baseline", "system")),
        Column("observed", "difference", "number", signed=True),
        Column("spread", kind="number"),
        Column("detectable", kind="number"),
        *([Column("difference", "to find", "chosen"), Column("needed", kind="count")] if plan.is_asked else []),
    )
    return Table("pairs", plan.to_frame(), columns)


def _three_differences(plan: Plan, kind: str, few: bool) -> Section:
    """The units that a small, a medium and the observed difference take, where none was asked for; and why these."""
    origins = ", ".join(dict.fromkeys(each.difference_says for each in plan.measures))
    why = (
        f"No difference was asked for ({argument_name('difference')}). Small: {origins}, which `compare` takes for the "
        f"smallest that matters; medium: {MEDIUM} times that; observed: the one between these systems, which chance "
        "may have made larger or smaller."
    )
    return Section(
        "planned", f"How many {kind} it takes to detect a difference",
        (_each_pair(plan) if few else _over_pairs(plan), Prose(why)),
    )  # fmt: skip


def _each_pair(plan: Plan) -> Table:
    frame = plan.to_frame().with_columns(pl.col("observed").abs())
    columns = (
        *map(Column, ("measure", "baseline", "system")),
        Column("difference", "small", "chosen"),
        Column("needed", kind="count"),
        Column("medium", kind="chosen"),
        Column("needed_medium", "needed", "count"),
        Column("observed", kind="number"),
        Column("needed_observed", "needed", "count"),
    )
    return Table("planned", frame.select(column.name for column in columns), columns)


def _over_pairs(plan: Plan) -> Table:
    """The median over pairs of systems, and the range."""
    rows: list[dict[str, Any]] = []
    for each in plan.measures:
        row = {"measure": each.measure, "difference": each.difference, "medium": each.pairs[0].medium}
        for name in ("needed", "needed_medium", "needed_observed"):
            row |= _values(name, each.range_of(name))
        rows.append(row)
    columns = (
        Column("measure"),
        Column("difference", "small", "chosen"),
        _range("needed", least=0),
        Column("medium", kind="chosen"),
        _range("needed_medium", "needed", 0),
        _range("needed_observed", "needed for the observed", 0),
    )
    return Table("planned", pl.DataFrame(rows), columns)


def _range(name: str, title: str | None = None, least: int | None = None) -> Column:
    return Column(name, title, "range", least, ends=(f"{name}_low", f"{name}_high"))


def _values(name: str, values: tuple[float, float, float]) -> dict[str, float]:
    return dict(zip((name, f"{name}_low", f"{name}_high"), values, strict=True))


def _ranges(plan: Plan) -> Table:
    """The median over pairs of systems, and the range from the smallest to the largest."""
    rows: list[dict[str, Any]] = [{"measure": each.measure, "difference": each.difference} for each in plan.measures]
    for row, each in zip(rows, plan.measures, strict=True):
        for name in ("spread", "detectable", "needed"):
            row.update(_values(name, each.range_of(name)))
    asked = [Column("difference", "to find", "chosen"), _range("needed", least=0)] if plan.is_asked else []
    columns = (Column("measure"), _range("spread"), _range("detectable"), *asked)
    return Table("ranges", pl.DataFrame(rows), columns)


def _measures(plan: Plan, kind: str) -> Table:
    columns = (
        Column("measure"),
        Column("pairs", kind="count"),
        Column("told_apart", "significant", "percent"),
        _range("redrawn", f"tau, other {kind}", 3),
        Column("redrawn_swapped", "swapped", "percent"),
        _range("halves", "tau, two halves", 3),
        Column("halves_swapped", "swapped", "percent"),
    )
    return Table("measures", pl.DataFrame(map(_stability, plan.measures)), columns)


def _stability(plan: MeasurePlan) -> dict[str, Any]:
    row: dict[str, Any] = {"measure": plan.measure, "pairs": len(plan.pairs), "told_apart": plan.told_apart}
    for name, part in plan.stability._asdict().items():
        row |= _values(name, (part.tau, part.low, part.high)) | {f"{name}_swapped": part.swapped}
    return row | {"units": plan.units, "unit_kind": plan.unit_kind, "to_find": plan.difference}


def _plans_lines(plan: Plan, kind: str, few: bool) -> Iterator[str]:
    """The meaning of the columns."""
    told_by = " or ".join(dict.fromkeys(each.test for each in plan.measures))
    drawn = " or ".join(dict.fromkeys(each.test_note for each in plan.measures if each.test_note))
    tests = " or ".join(dict.fromkeys(each.power_test for each in plan.measures))
    to_find = dict.fromkeys(f"{each.difference:g} ({each.difference_says})" for each in plan.measures)
    if not few:
        yield "The median over pairs of systems, and the range from the smallest to the largest."
    yield (
        f"detectable: the smallest true difference that this many {kind} show {as_level(plan.power)} of the time "
        f"(one pair alone: {tests}, two-sided, alpha {plan.alpha:g}); needed: {kind} for the difference to find."
    )
    yield (
        f"significant: pairs with p < {plan.alpha:g} in {told_by} with Holm's correction "
        f"({f'{drawn}, ' if drawn else ''}seed {plan.seed})."
    )
    yield (
        f"tau: mean of Kendall's tau-b, and where 95% of it lies, against the ranking on resampled {kind}; and of one "
        "random half against the other."
    )
    if plan.is_asked:
        yield f"to find: {', '.join(to_find)}."


def spread_plan_document(plan: SpreadPlan) -> Document:
    """The difference asked for, half and twice as large, with the units that each needs; and what that rests on."""
    kind, (asked, needed) = several(plan.unit_kind), plan.differences[1]
    shown = f"no number of {kind}" if needed is None else number_of(plan.unit_kind, needed)
    title = f"To detect a difference of {asked:g}: {shown}"
    columns = (Column("difference", kind="chosen"), Column("needed", f"{kind} needed", "count"))
    vary = f"vary with a standard deviation of {plan.sd:g}"
    design = {
        1: f"both systems on the same {kind}, whose differences {vary}",
        2: f"each system with half of the {kind}, whose numbers {vary}",
    }[plan.groups]
    test = "paired t test" if plan.groups == 1 else "t test"
    how = f"By the {test}, two-sided, alpha {plan.alpha:g}, detected {as_level(plan.power)} of the time: {design}."
    settings = {"sd": plan.sd, "groups": plan.groups, "alpha": plan.alpha, "power": plan.power}
    sections = (
        Section("differences", title, (Table("differences", plan.to_frame(), columns),)),
        Section.of_lines("meaning", (how,), data={"settings": settings | {"unit_kind": plan.unit_kind}}),
    )
    return Document("plan", sections, title)
