"""What a search for the number of clusters shows: measures over k, what each prefers, and the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from assay.clustering.over_k import STABILITY
from assay.sections.estimates import DASH
from assay.show.model import Column, Document, Prose, Section, Table, Verdict

if TYPE_CHECKING:
    from assay.clustering.over_k import NumberOfClusters

_SPREAD = f"{STABILITY} (sd)"


def document(result: NumberOfClusters) -> Document:
    """One row per number of clusters; the verdict, what else to know, and what the numbers rest on."""
    table, remarks, reference = numbers_table(result), tuple(result.remarks()), result.reference
    verdict = Verdict(result.verdict, "good" if result.verdict == "agree" else "open", f"Verdict: {result.says()}.")
    undefined = dict.fromkeys(
        f"{row['measure']} with {row['k']} clusters is undefined: {row['undefined']}."
        for row in result.to_frame().to_dicts()
        if row["undefined"] is not None
    )
    settings = {"by": result.by, "metric": result.metric, "items": result.items, "resamples": result.resamples}
    settings |= {"seed": result.seed, "warnings": list(result.warnings), "reference": None}
    if reference is not None:
        without = list(reference.without)
        settings["reference"] = {"value": reference.value, "without_structure": without, "points": reference.points}
    sections = (
        Section("numbers", parts=(table,), data={"measures": result.to_frame().to_dicts()}),
        Section("verdict", parts=(verdict,), data={"k": result.k, "votes": result.votes}),
        Section("remarks", parts=(Prose(style="list", points=remarks),) if remarks else ()),
        Section("basis", parts=tuple(map(Prose, (*undefined, *result.basis()))), data=settings),
    )
    return Document("number of clusters", sections, table.caption)


def numbers_table(result: NumberOfClusters) -> Table:
    """One row per number of clusters; what a measure prefers stands out, and stands below."""
    rows: list[dict[str, Any]] = []
    for at in result.rows:
        row = {"k": at.k, "smallest": at.smallest} | {name: result.value(name, at.k) for name in result.names}
        rows.append(row | ({} if at.stability is None else {_SPREAD: at.stability.spread}))
    prefers = {name: result.preferred(name) for name in result.names}
    spread = {STABILITY: _SPREAD}
    columns = (Column(name, kind="number", also=spread.get(name, "")) for name in result.names)
    return Table(
        "numbers",
        pl.DataFrame(rows, infer_schema_length=None),
        (Column("k"), *columns, Column("smallest", kind="count")),
        "measures over the number of clusters k",
        best=frozenset((result.ks.index(k), name) for name, k in result.votes.items()),
        foot={"k": "prefers"} | {name: DASH if k is None else str(k) for name, k in prefers.items()},
    )
