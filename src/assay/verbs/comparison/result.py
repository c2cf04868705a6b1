"""`Comparison`: what was found about systems, pair by pair and measure by measure, and what it rests on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.core.errors import ParameterError, listed, not_among, number_of, several
from assay.core.results import Result
from assay.core.words import CORRECTED_BY
from assay.measures.registry import Measure
from assay.show.legible import on_one_line
from assay.show.model import Prose
from assay.stats.pairing import Pairing
from assay.stats.samples import Sample
from assay.stats.tests import SIMULTANEOUS
from assay.verbs.comparison.findings import Finding, Settings, Standing, select_finding
from assay.verbs.comparison.intervals import intervals
from assay.verbs.comparison.pairs import Pairs
from assay.verbs.comparison.slices import attribute_of, slice_table, slices
from assay.verbs.curves import Curve

if TYPE_CHECKING:
    import altair as alt

    from assay.tables import Topics


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """Systems compared: a finding per measure and pair, a standing per measure and system.

    >>> from assay import compare
    >>> judged = {f"q{n}": {"good": 1} for n in range(6)}
    >>> runs = {"up": {q: {"good": 2.0, "bad": 1.0} for q in judged}, "down": {q: {"bad": 2.0} for q in judged}}
    >>> comparison = compare(judged, runs, baseline="down", measures="RR")
    >>> comparison.finding().difference
    1.0
    """

    kind = "comparison"

    findings: tuple[Finding, ...]
    standings: tuple[Standing, ...]
    samples: tuple[Sample, ...]
    settings: Settings
    pairs: Pairs
    #: What was compared.
    pairing: Pairing
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        measures = ", ".join(self.measures)
        return f"<Comparison of {listed(self.systems)} by {measures}: {number_of('pair', len(self.pairs.pairs))}>"

    def __str__(self) -> str:
        """The findings in sentences."""
        words = (part for part in self.document().section("sentences").parts if isinstance(part, Prose))
        return "\n".join(on_one_line(part.text) for part in words)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, in the order in which they were given."""
        return self.samples[0].systems

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is odd about judgments and runs, if these were compared: the warnings of their evaluation."""
        return self.pairing.warnings

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures."""
        return tuple(sample.measure for sample in self.samples)

    @property
    def family_size(self) -> int:
        """How many comparisons p-values are corrected for, or a test of all pairs at once covers."""
        if self.settings.test in SIMULTANEOUS:
            return math.comb(len(self.systems), 2)
        together = len(self.measures) if self.settings.family == "all" else 1
        return len(self.pairs.pairs) * together

    @property
    def correction(self) -> str:
        """Whose method p-values are corrected by; empty where they are not, or one alone needs no correction."""
        return CORRECTED_BY.get(self.settings.correction, "") if self.family_size > 1 else ""

    def finding(
        self, measure: str | Measure | None = None, system: str | None = None, baseline: str | None = None
    ) -> Finding:
        """One finding; what there is only one of may be left out."""
        return select_finding(self.findings, measure, system, baseline)

    def standing(self, measure: str | Measure | None = None) -> tuple[Standing, ...]:
        """The systems under one measure, best first."""
        wanted = self.measures[0] if measure is None and len(self.measures) == 1 else str(measure)
        if wanted not in self.measures:
            raise not_among("measure", measure, self.measures)
        return tuple(standing for standing in self.standings if standing.measure == wanted)

    def judge_next(
        self, n: int = 25, measure: str | Measure | None = None, system: str | None = None, baseline: str | None = None
    ) -> pl.DataFrame:
        """The unjudged documents whose judgment would change the difference most."""
        table: pl.DataFrame = self.documents.judge_next(self.finding(measure, system, baseline), n)
        return table

    def changes(
        self,
        measure: str | Measure | None = None,
        system: str | None = None,
        baseline: str | None = None,
        depth: int | None = None,
    ) -> pl.DataFrame:
        """Query by query, the documents gained, lost and moved, and their shares in the difference."""
        table: pl.DataFrame = self.documents.changes(self.finding(measure, system, baseline), depth)
        return table

    def queries(
        self, measure: str | Measure | None = None, system: str | None = None, baseline: str | None = None
    ) -> pl.DataFrame:
        """The queries (or other units) that make most of the difference first: see `MeanSample.contributions`."""
        finding = self.finding(measure, system, baseline)
        sample = self._sample(finding)
        kind = sample.unit_kind
        both = sample.only(sample.systems.index(finding.baseline), sample.systems.index(finding.system))
        table = both.contributions("query_id" if kind == "query" else kind)
        if table is None:
            made_of = f"all {several(kind)} together: no {kind} has a part of its own"
            raise ParameterError(f"{sample.measure} is made of {made_of}")
        return table

    def _sample(self, finding: Finding) -> Sample:
        return next(sample for sample in self.samples if sample.measure == finding.measure)

    def flipped(self, baseline: str | None = None, system: str | None = None) -> pl.DataFrame:
        """The items that two classifiers predict differently: fixed, broken, or changed to another mistake.

        Columns: `item_id`, `truth`, the two predictions and `change`. With one pair, the names may be left out.

        >>> from assay import Predictions, compare
        >>> old = Predictions.of([0, 1, 1, 0, 1, 0], [0, 0, 1, 0, 1, 0], name="old")
        >>> new = Predictions.of([0, 1, 1, 0, 1, 0], [0, 1, 1, 1, 1, 0], name="new")
        >>> compare([old, new], measures="Accuracy").flipped().rows()
        [('2', 1, 0, 1, 'fixed'), ('4', 0, 0, 1, 'broken')]
        """
        self.pairing.check_flips()
        if baseline is None or system is None:
            finding = self.finding(self.measures[0], system, baseline)
            baseline, system = finding.baseline, finding.system
        for name in (baseline, system):
            if name not in self.systems:
                raise not_among("system", name, self.systems)
        return self.pairing.flipped(baseline, system)

    def bounds(self) -> pl.DataFrame:
        """How low and how high each system's number could be, whatever the grades of unjudged documents.

        Where `exact` is false, other grades may lead a little further: there were too many to try them all. Measures of
        subtopics have no bounds: they are left out, and refused where there is no other measure.
        """
        table: pl.DataFrame = self.documents.bounds()
        return table

    def condensed(self) -> pl.DataFrame:
        """Each difference with unjudged documents taken out of the rankings, beside the one with them in."""
        table: pl.DataFrame = self.documents.condensed()
        return table

    def slices(
        self,
        topics: Topics | Mapping[str, Any],
        by: str | None = None,
        measure: str | Measure | None = None,
        system: str | None = None,
        baseline: str | None = None,
    ) -> pl.DataFrame:
        """The comparison within groups of units that share an attribute; p-values are corrected over the groups.

        The attribute is a column `by` of the topics, or what a dict says of each unit.
        """
        whole = self.finding(measure, system, baseline)
        sample = self._sample(whole)
        places = sample.systems.index(whole.baseline), sample.systems.index(whole.system)
        return slice_table(slices(sample, *places, attribute_of(topics, by)), whole, self.settings)

    def intervals(self) -> Curve:
        """The numbers with their intervals, to draw: differences from a baseline, or the systems if all were paired."""
        return intervals(self.findings, self.standings, self.pairs, self.settings)

    def chart(self) -> alt.ConcatChart:
        """The chart of `intervals`, as an Altair object; needs the extra `report`."""
        return self.intervals().chart()

    def to_frame(self) -> pl.DataFrame:
        """One row for each finding."""
        return pl.DataFrame([finding.row() for finding in self.findings], infer_schema_length=None)

    @property
    def is_complete(self) -> bool:
        """Whether the judgments were declared complete, so that nothing is unjudged."""
        return self.pairing.is_complete

    @property
    def evaluation(self) -> Any:
        """The evaluation of the runs that were compared, if runs were."""
        return self.pairing.evaluation

    @cached_property
    def documents(self) -> Any:
        """What the documents of two runs tell; refused where there are none."""
        return self.pairing.documents(self)
