"""The document of an extraction, on the terminal and in a report."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

import polars as pl

from assay.core.digits import as_level
from assay.core.errors import number_of, of_kind
from assay.core.words import INTERVALS
from assay.show.model import Column, Document, Section, Table
from assay.subjects.spans.evidence import Evidence
from assay.subjects.spans.result import Extraction
from assay.subjects.spans.subject import Extractions
from assay.verbs.report.report import InputFile
from assay.verbs.sections.estimates import DASH, measure_in_words, prose_section, settings_of
from assay.verbs.sections.methods import Citations, compared_by, intervals_of, measured_by, systems_named, were
from assay.verbs.sections.reports import MOST_SYSTEMS, claims, summed_up, verdicts

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
    settings["counted"] = {name: list(gaps.counted) for name, gaps in result.gaps.items() if gaps.counted}
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
    titles = result.titles
    numbers = (Column(name, titles.get(name), kind="number", missing=DASH) for name in measures)
    yield Table("types", frame, (Column("type"), *count_columns(), *numbers))
    ends = {name: (f"{name}_low", f"{name}_high") for name in measures}
    if any(frame[low].is_not_null().any() for low, _ in ends.values()):
        intervals = (
            Column(name, titles.get(name), kind="bracketed", ends=both, missing=DASH) for name, both in ends.items()
        )
        yield Table("types", frame, (Column("type"), *intervals), f"{as_level(result.confidence)} intervals")


def count_columns() -> tuple[Column, ...]:
    """True and predicted spans, and how many of them are hits, false alarms and misses."""
    return tuple(Column(name, kind="count", missing="") for name in _COUNTS)


def _list(result: Extraction, name: str) -> Section:
    """Spans that were missed, or false alarms, if that was asked for."""
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
    """The basis of the numbers, in words."""
    matching, intervals = rules(result)
    documents = number_of("document", len(result.documents.units))
    yield matching
    yield f"{documents}, {number_of('true span', len(result.truth))}, {len(result.predicted):,} predicted."
    yield intervals
    counts = f" It counts as {result.undefined_units}, as asked." if result.undefined_units in {"0", "1"} else ""
    yield from (f"{name.capitalize()} is undefined: {reason}.{counts}" for name, reason in result.undefined.items())
    for name, gaps in result.gaps.items():
        if gaps.counted:
            types = of_kind("type", gaps.counted)
            yield f"The mean of types counts {name} of {types} as {gaps.counted_as:g}: {gaps.why}."
        if gaps.left_out:
            yield f"The mean of types leaves out {of_kind('type', gaps.left_out)}, where {name} is undefined."


def rules(result: Extraction) -> tuple[str, str]:
    """The rule for a hit, and the way intervals are made."""
    if result.redrawn is None:
        how = "No intervals: documents are resampled, and that takes at least two with spans."
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


#: Rows of documents and of mistakes in text to be read at a stretch.
MOST_ROWS = 20


class ReportedExtractions(Evidence):
    """Extractions of the same documents, beside one another.

    >>> from assay import extract, make_report
    >>> truth = [(f"d{n}", 0, 4, "PER") for n in range(9)]
    >>> report = make_report([extract(truth, truth[:3], name="old"), extract(truth, truth, name="new")])
    >>> report.table("findings")["verdict"].to_list()
    ['better', 'equivalent', 'better']
    """

    eyebrow = "Extraction report"

    def sections(self) -> Iterator[Section | str]:
        """The summary, all numbers, the verdicts, and then where each system goes wrong."""
        yield self._summary()
        yield Section("measures", "Measures", (self._measures(),), "Every number with its interval.")
        if self.comparison is not None:
            lead = "Whether the difference could be due to the documents that happen to be here."
            compared = verdicts(self.comparison, "Extractions compared", kind="document", effects="relative")
            yield Section("compared", "Compared", (compared,), lead)
        close = self.systems[:MOST_SYSTEMS]
        for name, title, lead, table in (
            ("types", "Types", "Which types of spans are found, and which are not.", _report_types),
            ("documents", "Documents", "The documents with the most mistakes come first.", _documents),
        ):
            yield _by_system(name, title, lead, [(system.name, (table(system),)) for system in close])
        mistakes = [(system.name, tuple(_mistakes(system))) for system in close]
        if any(tables for _, tables in mistakes):
            section = _by_system(
                "mistakes", "Misses and false alarms", "The spans themselves.", mistakes, fold="closed"
            )
            yield replace(section, short="Mistakes")
        else:
            yield "no mistakes to list: every span was found, and nothing else"
        if len(self.systems) > len(close):
            systems = number_of("system", len(self.systems))
            yield f"{systems} are too many to show each in detail: types and documents are of the first {len(close)}"

    def _summary(self) -> Section:
        first = self.systems[0]
        counts = [number_of("system", len(self.systems)), number_of("document", len(first.documents.units))]
        lead = ", ".join([*counts, number_of("true span", len(first.truth.once))])
        worth = [self._worth(system) for system in self.systems[:MOST_SYSTEMS]]
        warnings = Extractions(self.systems).warnings
        data = {"confidence": first.confidence, "caveats": [], "warnings": list(warnings)}
        return summed_up(lead, claims(self.comparison, worth, "document"), None, warnings, data)

    def _worth(self, system: Extraction) -> str:
        """A system's numbers in a sentence."""
        texts = [
            measure_in_words(measure, system.value(measure), *system.interval(measure)[:2]) for measure in self.measures
        ]
        return f"{system.name}: {', '.join(texts)}."

    def _measures(self) -> Table:
        """A row for each system, and a column for each measure."""
        data: dict[str, list[object]] = {"system": [system.name for system in self.systems]}
        columns = [Column("system")]
        for measure in map(str, self.measures):
            ends = f"{measure}_low", f"{measure}_high"
            intervals = [system.interval(measure) for system in self.systems]
            data |= {measure: [system.value(measure) for system in self.systems]}
            data |= {ends[0]: [each.low for each in intervals], ends[1]: [each.high for each in intervals]}
            columns.append(Column(measure, kind="estimate", compared="column", ends=ends, missing=DASH))
        frame = pl.DataFrame(data).fill_nan(None)
        level = as_level(self.systems[0].confidence)
        lines = rules(self.systems[0])
        return Table("measures", frame, tuple(columns), f"Measures, with {level} intervals", lines)

    def methods(self, cite: Citations) -> Iterator[str]:
        """The methods, in sentences for a paper."""
        first = self.systems[0]
        names = [system.name for system in self.systems]
        spans = (
            f"{number_of('true span', len(first.truth.once))} in {number_of('document', len(first.documents.units))}"
        )
        systems = f"{systems_named('system', names)} {were(names)}"
        yield f"{systems} evaluated by {spans}; a predicted span is a hit if {MATCHES[first.match]}."
        yield measured_by({measure: str(measure) for measure in self.measures}, len(self.systems), cite)
        yield "The counts of all documents are added up first."
        if first.redrawn is not None:
            yield intervals_of(first.interval_method, first.confidence, first.draws, "documents", cite)
        if self.comparison is not None:
            yield compared_by(self.comparison, "document")

    def configuration(self) -> dict[str, str | None]:
        """The configuration, for readers."""
        first = self.systems[0]
        return {
            "match": first.match,
            "beta": None if first.beta == 1 else f"{first.beta:g}",
            "confidence": f"{first.confidence:g}",
            "resamples": f"{first.draws:,}" if first.draws else None,
        }

    def inputs(self) -> Iterator[InputFile]:
        """The true spans, and those of each system."""
        first = self.systems[0]
        for side, kind, name in (
            (first.truth, "true spans", None),
            *((system.predicted, "predicted spans", system.name) for system in self.systems),
        ):
            yield InputFile.of("spans", side.origin, kind, number_of("span", len(side.once)), name)


def _report_types(system: Extraction) -> Table:
    """Counts and numbers of each type, of all, and of the mean of types."""
    frame = system.to_frame()
    names = [name.removesuffix("_low") for name in frame.columns if name.endswith("_low")]
    numbers = (
        Column(name, system.titles.get(name), kind="estimate", ends=(f"{name}_low", f"{name}_high"), missing=DASH)
        for name in names
    )
    return Table("types", frame, (Column("type"), *count_columns(), *numbers))


def _documents(system: Extraction) -> Table:
    """The documents, those with the most mistakes first."""
    frame = system.per_document.sort(pl.col("FP") + pl.col("FN"), "document", descending=[True, False])
    names = [name for name, dtype in frame.schema.items() if dtype == pl.Float64]
    numbers = (Column(name, system.titles.get(name), kind="number", missing=DASH) for name in names)
    return Table("documents", frame, (Column("document"), *count_columns(), *numbers), most=MOST_ROWS)


def _mistakes(system: Extraction) -> Iterator[Table]:
    tables = (span_table(system, name) for name in LISTS)
    return (replace(table, most=MOST_ROWS, look="captioned") for table in tables if table.frame.height)


def _by_system(
    name: str,
    title: str,
    lead: str,
    parts: Sequence[tuple[str, tuple[Table, ...]]],
    fold: Literal["open", "closed"] = "open",
) -> Section:
    """The tables of each system; of several, each can be folded away, and has names of its own."""
    inner = []
    for place, (system, tables) in enumerate(parts, 1):
        several = len(parts) > 1
        own = tuple(replace(table, name=f"{table.name}-{place}") for table in tables) if several else tables
        state: Literal["open", "closed"] = "closed" if place > 1 else fold
        inner.append(Section(f"{name}-{place}", system, own, fold=state))
    return Section(name, title, tuple(part for part in inner if part.parts), lead)
