"""What simulated tests show: false positives, power and users, by the way to look."""

from __future__ import annotations

import polars as pl

from assay.show.model import Column, Document, Prose, Section, Table
from assay.subjects.experiments.simulation import WAYS, SimulatedTests


def document(result: SimulatedTests) -> Document:
    """A row for each way to look."""
    frame = result.to_frame().with_columns(pl.col("way").replace_strict(WAYS).alias("means"))
    columns = (
        Column("way"), Column("means", "looks by"), Column("false_positives", "false positives", "percent"),
        Column("false_low", "from", "percent"), Column("false_high", "to", "percent"),
        Column("power", f"finds {result.difference:g}", "percent"), Column("users", "users at the stop", "percent"),
    )  # fmt: skip
    data = {"difference": result.difference, "users": result.users, "looks": result.looks, "tests": result.tests}
    lines = (
        f"{result.tests:,} tests of {result.measure} on past users drawn anew, {result.users:,} of both variants each, "
        f"{result.looks} looks, alpha {result.alpha:g}, seed {result.seed}.",
        "A false positive is a test of nothing that finds something at any look. The users are those at the stop, of "
        "the planned ones, where there is a difference.",
    )
    sections = (
        Section("simulation", parts=(Table("ways", frame, columns),), data=data),
        Section("basis", parts=tuple(map(Prose, lines))),
    )
    return Document("simulated tests", sections, f"Simulated tests of {result.measure}")
