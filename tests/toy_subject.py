"""A subject that Assay does not know: how long people read pages in two layouts; all that it takes to plug it in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from assay import Comparison, ParameterError, compare
from assay.show.model import Prose, Section, Table
from assay.stats.mean_samples import MeanSample
from assay.stats.pairing import Pairing, Wanted, listed
from assay.stats.samples import Sample
from assay.verbs.gating.gate import Sides, Two, chosen_two
from assay.verbs.report.report import InputFile, Request
from assay.verbs.sections.comparisons import verdicts_table
from assay.verbs.sections.methods import Citations
from assay.verbs.sections.sentences import of_finding
from assay.verbs.subject import Words

SECONDS = "Seconds"


@dataclass(frozen=True)
class Reading:
    """How many seconds each page was read, by layout."""

    subject: ClassVar[str] = "reading"

    seconds: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, eq=False)
class Readings(Pairing):
    """Layouts, paired by page."""

    reading: Reading

    subject: ClassVar[str] = "reading"
    holds: ClassVar[str] = "reading times"

    def measure_names(self, wanted: Wanted = None) -> list[str]:
        names = [SECONDS] if wanted is None else list(map(str, listed(wanted)))
        if names != [SECONDS]:
            raise ParameterError(f"reading times are measured by {SECONDS}, not by {', '.join(names)}")
        return names

    def undirected(self, measure: Any) -> Sample:
        layouts = self.reading.seconds
        pages = tuple(sorted(set.intersection(*(set(times) for times in layouts.values()))))
        values = np.array([[times[page] for times in layouts.values()] for page in pages])
        return MeanSample(
            values, systems=tuple(layouts), units=pages, measure=str(measure), unit_kind="page", direction="lower"
        )

    def signatures(self, measures: Sequence[str]) -> dict[str, str]:
        return {name: f"{name}|mean" for name in measures}


class ReportedReading:
    """What a report on reading times says."""

    eyebrow, seed = "Reading report", 0

    def __init__(self, comparison: Comparison) -> None:
        self.comparison, self.notes = comparison, comparison.notes
        self.title = " and ".join(comparison.systems)
        self.signatures = list(comparison.pairing.signatures(comparison.measures).values())

    @classmethod
    def of(cls, request: Request) -> Self:
        given = request.source
        return cls(given if isinstance(given, Comparison) else compare(given, measures=request.measures))

    def sections(self) -> Iterator[Section | str]:
        findings = self.comparison.findings
        words = tuple(Prose(of_finding(finding, "page", 0.8), "claim") for finding in findings)
        yield Section("summary", "", words, f"{self.comparison.samples[0].size} pages")
        table: Table = verdicts_table(findings)
        yield Section("verdicts", "Verdicts", (table,))

    def methods(self, cite: Citations) -> Iterator[str]:
        yield f"Reading times were compared by a paired permutation test{cite('fisher1935')}."

    def configuration(self) -> dict[str, object]:
        return {"unit": "page"}

    def inputs(self) -> Iterator[InputFile]:
        yield InputFile("scores", "reading times", "in memory", f"{self.comparison.samples[0].size} pages")


class ReadingSubject:
    """Reading times as a subject of the verbs."""

    name = "reading"
    words = Words("layout", "page", "reading times", "reading times of pages")
    reported = f"{__name__}:ReportedReading"
    gated = f"{__name__}:two_layouts"
    rules: tuple[str, ...] = ()
    report_rules = rules

    def pairing(self, inputs: Sequence[Any], measures: Any, seed: int, rules: Mapping[str, Any]) -> Readings:
        """One table of reading times; or several of one layout each."""
        del measures, seed, rules
        return Readings(Reading({name: times for each in inputs for name, times in each.seconds.items()}))


READING = ReadingSubject()


def two_layouts(data: Reading, two: Two, measures: Any, seed: int, rules: Mapping[str, Any]) -> Sides:
    """The baseline and the candidate of a gate, by their names."""
    chosen = chosen_two(list(data.seconds), *two)
    pairing = READING.pairing([Reading({name: data.seconds[name] for name in chosen})], measures, seed, rules)
    return Sides(pairing, pairing.measure_names(measures))
