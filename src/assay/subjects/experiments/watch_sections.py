"""What a look at a running test shows: the decision, the looks so far, and the difference over time."""

from __future__ import annotations

import polars as pl

from assay.core.digits import as_percents, numbers, p_phrase
from assay.show.figure import Figure, Mark, Panel, Scale
from assay.show.model import Column, Document, Prose, Section, Table, Verdict
from assay.subjects.experiments.looks import Watched
from assay.verbs.sections.comparisons import verdicts_table
from assay.verbs.sections.estimates import DASH


def document(result: Watched) -> Document:
    """The decision first; then the measures at this look, and the primary one at all looks."""
    plan = result.plan
    share = as_percents([min(result.look.users / plan.users, 1.0)])[0]
    lead = f"Look {len(result.looks)} of {plan.key}: {result.look.users:,} of {plan.users:,} users ({share})."
    claims = [Verdict(each.word, each.tone, each.sentence) for each in result.decisions]
    for variant, stop in result.stopped.items():
        value, low, high = numbers([stop.estimate, stop.low, stop.high])
        claims_text = f"{variant}: without the bias of an early stop, the difference is {value} ({low} to {high}, "
        claims.append(Verdict("estimate", "even", f"{claims_text}{p_phrase(stop.p)})."))
    data = {"plan": plan.digest, "decisions": [each._asdict() for each in result.decisions]}
    sections = (
        Section("decision", "", tuple(claims), lead, data=data),
        Section("measures", "Measures", (verdicts_table(result.comparison.findings, effects="relative", drawn=()),)),
        Section("looks", "Looks", (_looks(result), _over_time(result))),
        *([Section("warnings", parts=tuple(map(Prose, result.warnings)))] if result.warnings else []),
    )
    return Document("watched test", sections, f"Watch: {plan.key}")


def _looks(result: Watched) -> Table:
    columns = (
        Column("look", kind="count"), Column("when"), Column("variant"), Column("users", kind="count"),
        Column("share", "of the plan", "percent"), Column("difference", kind="number", signed=True, missing=DASH),
        Column("difference", "interval", "interval", ends=("low", "high"), signed=True, missing=DASH),
        Column("p", kind="p"), Column("decision", kind="words"),
    )  # fmt: skip
    name = result.plan.primary.name
    return Table("looks", result.to_frame(), columns, f"{name}: intervals hold at all looks together")


def _over_time(result: Watched) -> Figure:
    frame = result.to_frame().select("look", "variant", "difference", "low", "high").drop_nulls()
    panels = []
    for (variant,), rows in frame.group_by("variant", maintain_order=True):
        points = rows.with_columns(pl.col("look").cast(pl.Float64))
        marks = (
            Mark("rule", pl.DataFrame({"zero": [0.0]}), y="zero", meaning="cut"),
            Mark("rule", points, "look", "low", y2="high"),
            Mark("point", points, "look", "difference"),
        )
        panels.append(Panel(Scale("look", whole=True), Scale("difference", zero=True), marks, str(variant), 420, 180))
    return Figure("looks-over-time", tuple(panels), data=frame)
