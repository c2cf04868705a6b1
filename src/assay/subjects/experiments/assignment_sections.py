"""What an assignment shows: how many units each variant has, and whether that is as it should be."""

from __future__ import annotations

import polars as pl

from assay.core.digits import p_phrase
from assay.core.errors import number_of
from assay.show.model import Column, Document, Prose, Section, Table
from assay.subjects.experiments.assigned import AssignedUnits

#: So few units are listed one by one.
_FEW = 20


def document(result: AssignedUnits) -> Document:
    """The variants with their units, and the checks."""
    total = max(len(result.units), 1)
    rows = [(name, size, size / total) for name, size in result.sizes.items()]
    frame = pl.DataFrame(rows, {"variant": pl.String, "users": pl.Int64, "share": pl.Float64}, orient="row")
    columns = (Column("variant"), Column("users", kind="count"), Column("share", kind="percent"))
    tables = [Table("variants", frame, columns)]
    if len(result.units) <= _FEW:
        tables.insert(0, Table.of("units", result.to_frame().fill_null("(none)")))
    checks = [
        f"{each.check}: {'yes' if each.holds else 'NO'} ({p_phrase(each.p)})"
        for each in result.checks
        if each.p == each.p
    ]
    data = {"experiment": result.experiment.key, "checks": [each._asdict() for each in result.checks]}
    sections = (
        Section("assignment", parts=tuple(tables), data=data),
        *([Section("checks", "Checks", tuple(map(Prose, checks)))] if len(result.units) > _FEW else []),
    )
    return Document("assignment", sections, f"{result.experiment.key}: {number_of('user', len(result.units))}")
