"""What the documents of two runs tell of a comparison: what users would notice, and what unjudged ones could do."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from assay.core.errors import ParameterError
from assay.core.notes import Note
from assay.measures.counting.ranks import Ranks
from assay.measures.counting.retrieved import retrieved, why_not
from assay.subjects.ranking.evaluation import Evaluation
from assay.subjects.ranking.unjudged import bounds_of, judge_next, reach_of
from assay.subjects.ranking.visible_changes import PAGE, changes, noticed
from assay.verbs.comparison.findings import Finding
from assay.verbs.comparison.result import Comparison
from assay.verbs.scores import FROM_SCORES, UNSEEN

#: Of more pairs than this, nobody wants to know what unjudged documents could do to each.
MOST_PAIRS_LOOKED_AT = 50
#: Runs with more rows than this are not gone through once more for every document that they hold.
MOST_ROWS = 5_000_000


def with_document_analysis(
    comparison: Comparison,
    only: Collection[tuple[str, str]] | None = None,
    counts: Mapping[str, Ranks] | None = None,
) -> Comparison:
    """The comparison with what users would notice and what unjudged documents could do, where the runs are at hand.

    `only`: of these measures and systems, since it takes its time. `counts`: all documents of these and of the
    baselines, where they were counted already.

    >>> from assay import compare
    >>> runs = {"a": {"q1": {"d1": 2.0}, "q2": {"d1": 1.0}}, "b": {"q1": {"d2": 2.0}, "q2": {"d1": 1.0}}}
    >>> bare = compare({"q1": {"d1": 1}, "q2": {"d1": 1}}, runs, measures="RR", look_into=False)
    >>> with_document_analysis(bare).finding().reach
    UnjudgedReach(low=-0.5, high=0.0, documents=1, changes_sign=False, exact=True)
    """
    if counts is None and (reason := _why_not_looked_into(comparison)):
        return replace(comparison, notes=(*comparison.notes, Note(reason, kind=UNSEEN)))
    documents = DocumentAnalysis(comparison, counts) if counts is not None else comparison.documents
    looked_into = [
        documents.looked_into(finding) if only is None or (finding.measure, finding.system) in only else (finding, "")
        for finding in comparison.findings
    ]
    notes = dict.fromkeys(note for _, note in looked_into if note)
    return replace(comparison, findings=tuple(finding for finding, _ in looked_into), notes=(*comparison.notes, *notes))


def _why_not_looked_into(comparison: Comparison) -> str | None:
    evaluation: Evaluation | None = comparison.evaluation
    if evaluation is None or not evaluation.runs:
        return FROM_SCORES
    why = why_unseen(evaluation)
    if len(comparison.pairs.pairs) > MOST_PAIRS_LOOKED_AT:
        why = f"there are more than {MOST_PAIRS_LOOKED_AT} pairs; name a baseline"
    return f"{'' if comparison.is_complete else 'unjudged '}documents are not looked at: {why}" if why else None


def why_unseen(evaluation: Evaluation) -> str | None:
    """Why the documents of an evaluation cannot be looked at; None if they can."""
    if evaluation.coverage["retrieved"].sum() > MOST_ROWS:
        return f"the runs have more than {MOST_ROWS:,} rows"
    return why_not(evaluation.policies)


def every_document(
    evaluation: Evaluation, systems: Iterable[str], measures: Iterable[str], page: int = PAGE
) -> dict[str, Ranks]:
    """Every retrieved document of some systems, down to the deepest cut-off of the measures, and a page at least."""
    cutoffs: list[Any] = [evaluation.measure(name).parameters.get("cutoff") for name in measures]
    depth = None if None in cutoffs else max(page, *cutoffs)
    runs = {name: evaluation.runs[name] for name in systems}
    return retrieved(runs, evaluation.qrels, evaluation.policies, depth, subtopics=evaluation.subtopics)


def on_units(ranks: Ranks, units: Iterable[str]) -> Ranks:
    """The counts of some queries only."""
    wanted = set(units)
    kept = np.array([query in wanted for query in ranks.queries], dtype=np.bool_)
    return ranks if kept.all() else ranks.only(kept)


@dataclass(frozen=True, eq=False)
class DocumentAnalysis:
    """The documents behind a comparison of runs; `counts`: those of all systems, where they were counted already."""

    comparison: Comparison
    counts: Mapping[str, Ranks] | None = None

    def judge_next(self, finding: Finding, n: int) -> pl.DataFrame:
        """The unjudged documents whose judgment would change the difference most."""
        self._refuse_complete()
        names, measure = (finding.baseline, finding.system), self._evaluation.measure(finding.measure)
        return judge_next(measure, *self._both(finding), n, names, self._evaluation.undefined)

    def changes(self, finding: Finding, depth: int | None) -> pl.DataFrame:
        """Query by query, the documents gained, lost and moved, and their shares in the difference."""
        names, measure = (finding.baseline, finding.system), self._evaluation.measure(finding.measure)
        return changes(measure, *self._both(finding), names, depth)

    def bounds(self) -> pl.DataFrame:
        """How low and how high each system's number could be, whatever the grades of unjudged documents."""
        self._refuse_complete()
        rows, evaluation, samples = [], self._evaluation, self.comparison.samples
        bounded = [sample for sample in samples if not evaluation.measure(sample.measure).definition.subtopics]
        for sample in bounded or samples:
            measure = evaluation.measure(sample.measure)
            for name, value in zip(sample.systems, sample.observed.tolist(), strict=True):
                limits = bounds_of(measure, self._on_units(name, sample.measure), evaluation.undefined)
                rows.append((name, sample.measure, value, limits.mean_low, limits.mean_high, limits.exact))
        columns = ["system", "measure", "value", "low", "high", "exact"]
        return pl.DataFrame(rows, schema=columns, orient="row")

    def looked_into(self, finding: Finding) -> tuple[Finding, str]:
        """A finding with what its documents tell; and why not, where a measure cannot say what unjudged ones do."""
        first, second = self._both(finding)
        seen = finding._replace(noticed=noticed(first, second))
        # What unjudged documents could change is a number.
        if self.comparison.is_complete or math.isnan(finding.difference):
            return seen, ""
        try:
            reach = reach_of(self._evaluation.measure(finding.measure), first, second, self._evaluation.undefined)
        except ParameterError as problem:
            return seen, Note.of_problem(problem, lead="unjudged documents are not looked at: ")
        verdict = finding.verdict._replace(unjudged=reach.documents if reach.changes_sign else 0)
        return seen._replace(reach=reach, verdict=verdict), ""

    def _refuse_complete(self) -> None:
        if self.comparison.is_complete:
            raise ParameterError("the judgments were declared complete: no document is unjudged")

    def _both(self, finding: Finding) -> tuple[Ranks, Ranks]:
        """The documents of both systems."""
        return self._on_units(finding.baseline, finding.measure), self._on_units(finding.system, finding.measure)

    def _on_units(self, system: str, measure: str) -> Ranks:
        """A system's documents for the queries that were compared."""
        ranks = (self._retrieved if self.counts is None else self.counts)[system]
        return on_units(ranks, next(sample.units for sample in self.comparison.samples if sample.measure == measure))

    @property
    def _evaluation(self) -> Evaluation:
        evaluation: Evaluation = self.comparison.evaluation
        if not evaluation.runs:
            raise ParameterError(self.comparison.pairing.no_documents)
        return evaluation

    @cached_property
    def _retrieved(self) -> dict[str, Ranks]:
        return every_document(self._evaluation, self._evaluation.runs, self.comparison.measures)
