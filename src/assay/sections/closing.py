"""How the numbers of a report were made: methods to paste, references, and all it takes to make the report again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import polars as pl

from assay.show.model import Column, Prose, References, Section, Table, Work

if TYPE_CHECKING:
    from assay.reporting.contents import Provenance


def closing(methods: str, works: Sequence[Work], made: Provenance, notes: Iterable[str]) -> Iterator[Section]:
    """The last sections of every report: methods with references, provenance, notes."""
    cited = (References(tuple(works)),) if works else ()
    paragraph = Prose(methods, "copy", title="Methods paragraph")
    lead, data = "Ready to paste into a paper.", {"paragraph": methods}
    yield Section("methods", "Methods", (paragraph, *cited), lead, "Methods", data)
    yield _provenance(made)
    if said := tuple(notes):
        yield Section("notes", "Notes", (Prose(style="list", points=said),), short="Notes")


def _provenance(made: Provenance) -> Section:
    """Command, inputs with digests, seed, settings and signatures."""
    parts: list[Prose | Table] = [Prose(made.command, "code", title="Command")] if made.command else []
    settings = [("Assay", made.version), ("made", made.made), ("seed", str(made.seed)), *made.settings]
    frame = pl.DataFrame(settings, schema=["setting", "value"], orient="row")
    parts.append(Table("settings", frame, (Column("setting"), Column("value")), "Settings", look="settings"))
    if made.inputs:
        inputs = pl.DataFrame([each._asdict() for each in made.inputs], infer_schema_length=None)
        columns = (
            Column("role", "input"), Column("name", "file"), Column("says", "what it is"),
            Column("sha256", "SHA-256", "code", missing="not a file"),
        )  # fmt: skip
        parts.append(Table("inputs", inputs, columns, "Inputs", look="inputs"))
    if made.signatures:
        parts.append(Prose("", "code", tuple(made.signatures), "Signatures"))
    lead = "Everything it takes to make this report again."
    data = {name: getattr(made, name) for name in ("version", "command", "made", "seed", "signatures")}
    return Section("provenance", "How it was made", tuple(parts), lead, "Provenance", data)
