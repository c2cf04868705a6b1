"""What an extraction shows: counts and measures of each type, their intervals, the misses and the false alarms."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.core.digits import as_level
from assay.core.errors import number_of, of_kind
from assay.core.words import INTERVALS
from assay.show.model import Column, Document, Section, Table
from assay.verbs.sections.estimates import DASH, prose_section, settings_of

if TYPE_CHECKING:
    from assay.subjects.spans.result import Extraction

_COUNTS = ("true", "predicted", "TP", "FP", "FN")
LISTS = {"misses": "Misses", "false_alarms": "False alarms"}
MATCHES = {
    "exact": "document, start, end and type are equal",
    "type_overlap": "type and at least one character or token in common; one to one, largest overlap first",
    "overlap": "at least one character or token in common, whatever the types; one to one, largest overlap first",
}


def document(result: Extraction) -> Document:
    """The numbers, their intervals, then the lists that were asked for; what all that rests on."""
    method, draws = result.interval_method, result.draws
    intervals = {"method": method, "resamples": draws, "unit": "document"} | settings_of(result, "confidence", "seed")
    settings = settings_of(result, "match", "undefined", "left_out") | {"intervals": intervals}
    settings["beta"] = result.beta if math.isfinite(result.beta) else "inf"
    sections = (
        Section("types", parts=tuple(_types(result))),
        Section("documents", data={"documents": result.per_document.to_dicts()}),
        *(_list(result, name) for name in LISTS),
        prose_section("basis", basis(result), settings),
        prose_section("warnings", result.warnings),
    )
    return Document("extraction", sections, "Extracted spans")


def _types(result: Extraction) -> Iterator[Table]:
    """Counts and measures of each type, of all and of their mean, which has no counts; then intervals."""
    frame = result.to_frame()
    measures = [name.removesuffix("_low") for name in frame.columns if name.endswith("_low")]
    numbers = (Column(name, kind="number", missing=DASH) for name in measures)
    yield Table("types", frame, (Column("type"), *count_columns(), *numbers))
    ends = {name: (f"{name}_low", f"{name}_high") for name in measures}
    if any(frame[low].is_not_null().any() for low, _ in ends.values()):
        intervals = (Column(name, kind="bracketed", ends=both, missing=DASH) for name, both in ends.items())
        yield Table("types", frame, (Column("type"), *intervals), f"{as_level(result.confidence)} intervals")


def count_columns() -> tuple[Column, ...]:
    """True and predicted spans, and how many of them are hits, false alarms and misses."""
    return tuple(Column(name, kind="count", missing="") for name in _COUNTS)


def _list(result: Extraction, name: str) -> Section:
    """Spans that were missed, or that are none, if that was asked for."""
    table = span_table(result, name)
    return Section(name, parts=(table,) if name in result.shown else (), data={name: table.frame.to_dicts()})


def span_table(result: Extraction, name: str) -> Table:
    """The `misses` or the `false_alarms`, without columns that nothing is known of."""
    frame = result.misses if name == "misses" else result.false_alarms
    texts = (Column(key) for key in ("document", "type", "text"))
    places = (Column(key, kind="short", missing=DASH) for key in ("start", "end", "line"))
    known = {key for key in frame.columns if frame[key].null_count() < frame.height} | {"document", "type"}
    columns = tuple(column for column in (*texts, *places) if column.name in known)
    return Table(name, frame, columns, f"{LISTS[name]} ({frame.height:,})")


def basis(result: Extraction) -> Iterator[str]:
    """What the numbers rest on, in words."""
    matching, intervals = rules(result)
    documents = number_of("document", len(result.documents.units))
    yield matching
    yield f"{documents}, {number_of('true span', len(result.truth))}, {len(result.predicted):,} predicted."
    yield intervals
    yield from (f"{name.capitalize()} is undefined: {reason}." for name, reason in result.undefined.items())
    for name, types in result.left_out.items():
        yield f"The mean of types leaves out {of_kind('type', types)}, where {name} is undefined."


def rules(result: Extraction) -> tuple[str, str]:
    """When a span is a hit, and how intervals are made."""
    if result.redrawn is None:
        how = "No intervals: they are made by drawing documents anew, of which it takes two, with spans."
    elif result.interval_method == "t":
        how = (
            f"Intervals: {INTERVALS['t'].short}, as {number_of('document', len(result.documents.units))} are too few "
            "for a bootstrap; none where all documents are alike."
        )
    else:
        how = (
            f"Intervals: {INTERVALS['hull'].short} of documents ({result.draws:,} resamples, seed {result.seed}); "
            "none where every resample gives the same number."
        )
    return f"Match: {MATCHES[result.match]}.", how
