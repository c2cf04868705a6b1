"""`Comparison`: what was found about systems, pair by pair and measure by measure, and what it rests on."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.core.errors import ParameterError, listed, not_among, number_of, several
from assay.core.notes import Note
from assay.core.results import Result
from assay.core.words import CORRECTED_BY
from assay.measures.counting.ranks import Ranks
from assay.measures.counting.retrieved import retrieved, why_not
from assay.measures.registry import Measure
from assay.measures.summary import Undefined
from assay.show.legible import on_one_line
from assay.show.model import Prose
from assay.stats.pairing import Pairing
from assay.stats.samples import Sample
from assay.stats.tests import SIMULTANEOUS
from assay.subjects.ranking.evaluation import Evaluation
from assay.subjects.ranking.unjudged import bounds_of, condensed_of, judge_next, reach_of
from assay.subjects.ranking.visible_changes import PAGE, changes, noticed
from assay.verbs.comparison.findings import Finding, Settings, Standing, select_finding
from assay.verbs.comparison.intervals import intervals
from assay.verbs.comparison.pairs import Pairs
from assay.verbs.comparison.slices import attribute_of, slice_table, slices
from assay.verbs.curves import Curve
from assay.verbs.scores import FROM_SCORES, UNSEEN

if TYPE_CHECKING:
    import altair as alt

    from assay.tables import Topics

#: Of more pairs than this, nobody wants to know what unjudged documents could do to each.
MOST_PAIRS_LOOKED_AT = 50
#: Runs with more rows than this are not gone through once more for every document that they hold.
_MOST_ROWS = 5_000_000


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
        self._refuse_complete()
        first, second, names, wanted = self._looked_at(measure, system, baseline)
        return judge_next(wanted, first, second, n, names, self._undefined)

    def changes(
        self,
        measure: str | Measure | None = None,
        system: str | None = None,
        baseline: str | None = None,
        depth: int | None = None,
    ) -> pl.DataFrame:
        """Query by query, the documents gained, lost and moved, and their shares in the difference."""
        first, second, names, wanted = self._looked_at(measure, system, baseline)
        return changes(wanted, first, second, names, depth)

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
        self._refuse_complete()
        rows = []
        measure_of = self._evaluation.measure
        bounded = [sample for sample in self.samples if not measure_of(sample.measure).definition.subtopics]
        for sample in bounded or self.samples:
            measure = measure_of(sample.measure)
            for name, value in zip(sample.systems, sample.observed.tolist(), strict=True):
                limits = bounds_of(measure, self._on_units(self._retrieved[name], sample.measure), self._undefined)
                rows.append((name, sample.measure, value, limits.mean_low, limits.mean_high, limits.exact))
        columns = ["system", "measure", "value", "low", "high", "exact"]
        return pl.DataFrame(rows, schema=columns, orient="row")

    def condensed(self) -> pl.DataFrame:
        """Each difference with unjudged documents taken out of the rankings, beside the one with them in."""
        self._refuse_complete()
        rows = []
        for finding in self.findings:
            first, second, _, measure = self._looked_at(finding.measure, finding.system, finding.baseline)
            rest = condensed_of(measure, first, second, self._undefined)
            rows.append((finding.measure, finding.baseline, finding.system, finding.difference, *rest, rest.difference))
        columns = ["measure", "baseline", "system", "difference", "condensed_baseline", "condensed_system",
                   "condensed_difference"]  # fmt: skip
        return pl.DataFrame(rows, schema=columns, orient="row")

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

    def with_document_analysis(
        self, only: Collection[tuple[str, str]] | None = None, counts: Mapping[str, Ranks] | None = None
    ) -> Comparison:
        """The same with what users would notice and what unjudged documents could do, where the runs are at hand.

        `only`: of these measures and systems, since it takes its time. `counts`: all documents of these and of the
        baselines, where they were counted already.
        """
        if counts is None and (reason := self._why_not_looked_into()):
            return replace(self, notes=(*self.notes, Note(reason, kind=UNSEEN)))
        looked_into = [
            self._looked_into(finding, counts)
            if only is None or (finding.measure, finding.system) in only
            else (finding, "")
            for finding in self.findings
        ]
        notes = dict.fromkeys(note for _, note in looked_into if note)
        return replace(self, findings=tuple(finding for finding, _ in looked_into), notes=(*self.notes, *notes))

    @property
    def is_complete(self) -> bool:
        """Whether the judgments were declared complete, so that nothing is unjudged."""
        return self.evaluation is not None and self.evaluation.policies.complete

    @property
    def evaluation(self) -> Evaluation | None:
        """The evaluation of the runs that were compared, if runs were."""
        return self.pairing.evaluation

    def _why_not_looked_into(self) -> str | None:
        if self.evaluation is None or not self.evaluation.runs:
            return FROM_SCORES
        why = None
        if len(self.pairs.pairs) > MOST_PAIRS_LOOKED_AT:
            why = f"there are more than {MOST_PAIRS_LOOKED_AT} pairs; name a baseline"
        elif self.evaluation.coverage["retrieved"].sum() > _MOST_ROWS:
            why = f"the runs have more than {_MOST_ROWS:,} rows"
        why = why or why_not(self.evaluation.policies)
        return f"{'' if self.is_complete else 'unjudged '}documents are not looked at: {why}" if why else None

    def _looked_into(self, finding: Finding, counts: Mapping[str, Ranks] | None) -> tuple[Finding, str]:
        """A finding with what its documents tell; and why not, where a measure cannot say what unjudged ones do."""
        first, second, _, measure = self._looked_at(finding.measure, finding.system, finding.baseline, counts)
        seen = finding._replace(noticed=noticed(first, second))
        if self.is_complete or math.isnan(finding.difference):  # what unjudged documents could change is a number
            return seen, ""
        try:
            reach = reach_of(measure, first, second, self._undefined)
        except ParameterError as problem:
            return seen, Note.of_problem(problem, lead="unjudged documents are not looked at: ")
        verdict = finding.verdict._replace(unjudged=reach.documents if reach.changes_sign else 0)
        return seen._replace(reach=reach, verdict=verdict), ""

    def _refuse_complete(self) -> None:
        if self.is_complete:
            raise ParameterError("the judgments were declared complete: no document is unjudged")

    def _looked_at(
        self,
        measure: str | Measure | None,
        system: str | None,
        baseline: str | None,
        counts: Mapping[str, Ranks] | None = None,
    ) -> tuple[Ranks, Ranks, tuple[str, str], Measure]:
        evaluation = self._evaluation
        finding = self.finding(measure, system, baseline)
        names = (finding.baseline, finding.system)
        known = self._retrieved if counts is None else counts
        first, second = (self._on_units(known[name], finding.measure) for name in names)
        return first, second, names, evaluation.measure(finding.measure)

    def _on_units(self, ranks: Ranks, measure: str) -> Ranks:
        """A system's documents for the queries that were compared."""
        compared = set(next(sample.units for sample in self.samples if sample.measure == measure))
        kept = np.array([query in compared for query in ranks.queries], dtype=np.bool_)
        return ranks if kept.all() else ranks.only(kept)

    @property
    def _undefined(self) -> Undefined:
        return self._evaluation.undefined

    @property
    def _evaluation(self) -> Evaluation:
        evaluation = self.pairing.evaluation
        if evaluation is None or not evaluation.runs:
            raise ParameterError(self.pairing.no_documents)
        return evaluation

    @cached_property
    def _retrieved(self) -> dict[str, Ranks]:
        """Every retrieved document of every system that was compared, down to the deepest cut-off."""
        evaluation = self._evaluation
        cutoffs = [measure.parameters.get("cutoff") for measure in evaluation.measures if str(measure) in self.measures]
        depth = None if None in cutoffs else max([PAGE, *(int(cutoff) for cutoff in cutoffs if cutoff)])
        return retrieved(evaluation.runs, evaluation.qrels, evaluation.policies, depth, subtopics=evaluation.subtopics)
