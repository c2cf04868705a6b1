"""A subject that Assay does not know: how long people read pages in two layouts; all that it takes to plug it in."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl

from assay import Comparison, ParameterError, compare
from assay.core.results import Result
from assay.show.model import Document, Section, Table
from assay.stats.mean_samples import MeanSample
from assay.stats.pairing import Pairing, Wanted, each_measure
from assay.stats.samples import Sample
from assay.tables.roles import absent, columns_of
from assay.verbs.diagnosis.examination import (
    CheckFinding,
    Examination,
    Examined,
    Overview,
    WholeFile,
    check,
    finding,
)
from assay.verbs.explanation.numbers import View
from assay.verbs.explanation.result import Place
from assay.verbs.gating.gate import Sides, Two, chosen_two
from assay.verbs.report.report import Reported, Request
from assay.verbs.sections.methods import Citations
from assay.verbs.sections.reports import claims, verdicts
from assay.verbs.subject import Subject, Words

SECONDS = "Seconds"


@dataclass(frozen=True)
class Reading:
    """How many seconds each page was read, by layout."""

    subject: ClassVar[str] = "reading"

    by_layout: Mapping[str, Mapping[str, float]]

    @classmethod
    def read(cls, path: str) -> Self:
        """Read JSON, or a table whose columns have the roles that the subject declares."""
        if path.endswith(".json"):
            return cls(json.loads(Path(path).read_text(encoding="utf-8")))
        frame = pl.read_csv(path)
        columns = columns_of("reading times", frame.columns)
        if columns is None:
            raise absent("reading times", frame.columns, path, 1)
        by_layout: dict[str, dict[str, float]] = {}
        for layout, page, seconds in frame.select(columns.values()).iter_rows():
            by_layout.setdefault(layout, {})[page] = seconds
        return cls(by_layout)

    def only(self, *layouts: str) -> Self:
        return replace(self, by_layout={name: self.by_layout[name] for name in layouts})


@dataclass(frozen=True, eq=False)
class Readings(Pairing):
    """Layouts, paired by page."""

    data: Reading

    subject: ClassVar[str] = "reading"
    holds: ClassVar[str] = "reading times"
    measure: ClassVar[str] = SECONDS

    def measure_names(self, wanted: Wanted = None) -> list[str]:
        names = [self.measure] if wanted is None else list(map(str, each_measure(wanted)))
        if names != [self.measure]:
            raise ParameterError(f"{self.holds} are measured by {self.measure}, not by {', '.join(names)}")
        return names

    def undirected(self, measure: Any) -> Sample:
        layouts = self.data.by_layout
        pages = tuple(sorted(set.intersection(*(set(times) for times in layouts.values()))))
        values = np.array([[times[page] for times in layouts.values()] for page in pages])
        return MeanSample(
            values, systems=tuple(layouts), units=pages, measure=str(measure), unit_kind="page", direction="lower"
        )

    def signatures(self, measures: Sequence[str]) -> dict[str, str]:
        return {name: f"{name}|mean" for name in measures}


@dataclass(frozen=True, eq=False)
class ReadingTimes(Result):
    """How long each page was read: what `assay toy evaluate` gives."""

    data: Reading

    kind: ClassVar[str] = "reading times"
    warnings: ClassVar[tuple[str, ...]] = ()


def reading_times(path: str) -> ReadingTimes:
    return ReadingTimes(Reading.read(path))


def reading_document(result: ReadingTimes) -> Document:
    rows = [
        (layout, page, seconds) for layout, times in result.data.by_layout.items() for page, seconds in times.items()
    ]
    frame = pl.DataFrame(rows, ["layout", "page", "seconds"], orient="row")
    return Document(result.kind, (Section("times", parts=(Table.of("times", frame),)),), "Reading times")


def explain_seconds(
    measure: Any, inputs: Sequence[Any], place: Place, view: View, rules: Mapping[str, Any]
) -> ReadingTimes:
    """The pages of a layout, whose mean the number is."""
    del measure, view, rules
    (reading,) = inputs
    return ReadingTimes(reading.only(place.system or next(iter(reading.by_layout))))


class ReportedReading(Reported):
    """What a report on reading times says."""

    eyebrow = "Reading report"

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison

    @property
    def title(self) -> str:
        return " and ".join(self.comparison.systems)

    @classmethod
    def of(cls, request: Request) -> Self:
        source = request.source
        return cls(source if isinstance(source, Comparison) else compare(source, measures=request.measures))

    def sections(self) -> Iterator[Section | str]:
        kind = self.comparison.samples[0].unit_kind
        yield Section("summary", "", tuple(claims(self.comparison, (), kind)), f"{kind} by {kind}")
        yield Section("verdicts", "Verdicts", (verdicts(self.comparison, "Layouts compared", kind=kind),))

    def methods(self, cite: Citations) -> Iterator[str]:
        yield f"Layouts were compared by {self.comparison.settings.test}{cite('fisher1935')}."


class ReadingExamination(Examination):
    """What `doctor` looks at: each table of reading times."""

    modules = (__name__,)

    def things(self) -> Iterator[Examined]:
        return (Examined(each, ("reading times",)) for each in self.inputs)

    def overview(self) -> Overview:
        layouts = [name for each in self.inputs for name in each.by_layout]
        return Overview(", ".join(layouts), {"layouts": layouts}, len(layouts), "layout")


@check(
    "unread-pages", "reading times", "warning",
    question="Was a page open for no time at all?",
    advice="leave pages out that nobody read",
)  # fmt: skip
def unread_pages(reading: Reading) -> Iterator[CheckFinding]:
    for layout, times in reading.by_layout.items():
        if unread := [page for page, seconds in times.items() if not seconds]:
            place = WholeFile("reading times", layout)
            yield finding("unread-pages", "warning", place, f"{len(unread)} unread", len(unread))


class ReadingSubject(Subject):
    """Reading times as a subject of the verbs."""

    name = "reading"
    words = Words("layout", "page", "reading times", "reading times of pages")
    verb = f"{__name__}:Reading"
    reported = f"{__name__}:ReportedReading"
    gated = f"{__name__}:two_layouts"
    examination = f"{__name__}:ReadingExamination"
    explained = f"{__name__}:explain_seconds"

    @property
    def rules(self) -> Collection[str]:
        """The longest time that counts: whoever reads longer went away."""
        return ("at_most",)

    def pairing(self, inputs: Sequence[Any], measures: Any, seed: int, rules: Mapping[str, Any]) -> Pairing:
        """One table of reading times; or several of one layout each."""
        opened = [Reading.read(each) if isinstance(each, str) else each for each in inputs]
        pages = {name: times for each in opened for name, times in each.by_layout.items()}
        slow = float(rules.get("at_most", np.inf))
        kept = {name: {page: time for page, time in times.items() if time <= slow} for name, times in pages.items()}
        return Readings(Reading(kept))


READING = ReadingSubject()


def two_layouts(data: Any, two: Two, measures: Any, seed: int, rules: Mapping[str, Any]) -> Sides:
    """The baseline and the candidate of a gate, by their names."""
    chosen = chosen_two(list(data.by_layout), *two)
    pairing = READING.pairing([data.only(*chosen)], measures, seed, rules)
    return Sides(pairing, pairing.measure_names(measures))
