"""What a plan shows: what the units at hand can show, and what the measures tell apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.core.digits import as_level
from assay.core.errors import number_of, several
from assay.show.model import Column, Document, Section, Table
from assay.stats.permutation import swaps

if TYPE_CHECKING:
    from assay.verbs.planning import MeasurePlan, Plan

#: More pairs than this are summed up, not listed.
_MOST_PAIRS = 10


def document(plan: Plan) -> Document:
    """The pairs if they are few, else their median and range; what the measures tell apart; what all that means."""
    first = plan.measures[0]
    kind, few = several(first.unit_kind), len(first.pairs) <= _MOST_PAIRS
    title = f"What {number_of(first.unit_kind, first.units)} can show"
    stable = "What the measures tell apart, and how stable their rankings are"
    settings = {"alpha": plan.alpha, "power": plan.power, "resamples": plan.resamples, "seed": plan.seed}
    sections = (
        Section("pairs", title, (_pairs(plan) if few else _ranges(plan),)),
        Section("measures", stable, (_measures(plan, kind),)),
        Section.of_lines("meaning", _lines(plan, kind, few), data={"settings": settings}),
        Section.of_lines("notes", plan.notes),
    )
    return Document("plan", sections, title)


def _pairs(plan: Plan) -> Table:
    columns = (
        *map(Column, ("measure", "baseline", "system")),
        Column("observed", "difference", "number", signed=True),
        Column("spread", kind="number"),
        Column("detectable", kind="number"),
        Column("difference", "to find", "chosen"),
        Column("needed", kind="count"),
    )
    return Table("pairs", plan.to_frame(), columns)


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
    to_find = Column("difference", "to find", "chosen")
    columns = (Column("measure"), _range("spread"), _range("detectable"), to_find, _range("needed", least=0))
    return Table("ranges", pl.DataFrame(rows), columns)


def _measures(plan: Plan, kind: str) -> Table:
    columns = (
        Column("measure"),
        Column("pairs", kind="count"),
        Column("told_apart", "told apart", "percent"),
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


def _lines(plan: Plan, kind: str, few: bool) -> Iterator[str]:
    """What the columns mean."""
    resamples = " or ".join(dict.fromkeys(swaps(each.units, plan.resamples)[1] for each in plan.measures))
    to_find = dict.fromkeys(f"{each.difference:g} ({each.difference_says})" for each in plan.measures)
    if not few:
        yield "The median over pairs of systems, and the range from the smallest to the largest."
    yield (
        f"detectable: the smallest true difference that as many {kind} show, with a chance of {as_level(plan.power)} "
        f"(one pair alone: paired t test, two-sided, alpha {plan.alpha:g}); needed: {kind} for the difference to find."
    )
    yield (
        f"told apart: pairs with p < {plan.alpha:g} in a permutation test with Holm's correction ({resamples}, "
        f"seed {plan.seed})."
    )
    yield (
        f"tau: mean of Kendall's tau-b, and where 95% of it lies, against {kind} drawn anew; and of one random half "
        "against the other."
    )
    yield f"to find: {', '.join(to_find)}."
