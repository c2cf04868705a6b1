"""What the plan of a test shows: users and days, what they can show, the looks, and a curve."""

from __future__ import annotations

import polars as pl

from assay.core.digits import as_percents, short
from assay.core.errors import number_of
from assay.show.figure import Figure, Mark, Panel, Scale
from assay.show.model import Column, Document, Prose, Section, Table
from assay.subjects.experiments.planning import TestPlan


def document(result: TestPlan) -> Document:
    """The plan in sentences, the users by difference, the looks, and the curve."""
    plan = result.plan
    data = {"plan": plan.to_toml(), "mean": result.mean, "sd": result.sd, "saving": result.saving}
    sections = [
        Section("plan", parts=tuple(map(Prose, _lines(result))), data=data),
        Section("sizes", "What it takes", (_sizes(result),)),
    ]
    if plan.looks > 1:
        columns = [Column("look", kind="count"), Column("users", kind="count")]
        columns += (
            [Column("bound", "sure from, in standard errors", "number", 2)] if "bound" in result.looks.columns else []
        )
        sections.append(Section("looks", "Looks", (Table("looks", result.looks, tuple(columns)),)))
    sections.append(Section("curve", "", (_curve(result),)))
    return Document("test plan", tuple(sections), f"Plan: {plan.key}")


def _lines(result: TestPlan) -> list[str]:
    plan = result.plan
    days = "" if plan.days is None else f", {number_of('day', plan.days)}"
    lines = [f"{plan.key}: {number_of('user', plan.users)} in all{days}."]
    if plan.hypothesis:
        lines.append(f"Hypothesis: {plan.hypothesis}")
    for each in plan.measures:
        parts = [f"{each.direction} is better"]
        parts += [] if each.difference is None else [f"to detect {each.difference:g}"]
        parts += [] if each.margin is None else [f"may be worse by less than {each.margin:g}"]
        if each.covariate is not None:
            parts.append(f"adjusted by {each.covariate}")
        lines.append(f"{each.role.capitalize()}: {each.name} ({', '.join(parts)})")
    split = "equal shares" if plan.weights is None else ", ".join(f"{weight:g}" for weight in plan.weights)
    lines.append(f"Variants: {', '.join(plan.variants)} ({split}); the first is the control.")
    if result.saving:
        lines.append(f"The covariate takes away {as_percents([result.saving])[0]} of the variance.")
    if plan.looks > 1:
        more = as_percents([result.inflation - 1])[0]
        lines.append(f"{plan.looks} looks, by {plan.spending} spending, take {more} more users than one.")
    spread = f"a user's part varies with a standard deviation of {short(result.sd)}"
    sides = "One-sided" if plan.primary.difference is None else "Two-sided"
    lines.append(f"{sides} alpha {plan.alpha:g}, power {plan.power:g}; {spread}.")
    return lines


def _sizes(result: TestPlan) -> Table:
    columns = [Column("difference", kind="chosen"), Column("relative", kind="percent", missing="–"),
               Column("users", kind="count")]  # fmt: skip
    columns += [Column("days", kind="count")] if result.users_per_day is not None else []
    return Table("sizes", result.to_frame().fill_nan(None), tuple(columns))


def _curve(result: TestPlan) -> Figure:
    frame = result.curve
    here = pl.DataFrame({"users": [float(result.plan.users)], "difference": [result.sought]})
    marks = (Mark("line", frame, "users", "difference"), Mark("point", here, "users", "difference"))
    scale = Scale("users of all variants", zero=True)
    panel = Panel(scale, Scale(f"difference in {result.plan.primary.name}", zero=True), marks, "", 420, 200)
    return Figure("plan-curve", (panel,), "The smallest difference that is detected", data=frame)
