"""Runs on the same topics, for comparisons."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from assay.core.errors import InputError
from assay.measures.registry import Measure
from assay.stats.pairing import Wanted
from assay.stats.pooled_samples import PooledSample
from assay.stats.samples import Sample
from assay.subjects.ranking.document_analysis import DocumentAnalysis, with_document_analysis
from assay.subjects.ranking.evaluation import Evaluation
from assay.verbs.scores import ScorePairing, listed

if TYPE_CHECKING:
    from assay.verbs.comparison.result import Comparison


@dataclass(frozen=True, eq=False)
class RunPairing(ScorePairing):
    """Scores of runs, and the evaluation that they come from."""

    runs: Evaluation = field(kw_only=True)

    subject: ClassVar[str] = "ranking"
    to_have_more: ClassVar[str] = "Judge"

    @classmethod
    def of(cls, evaluation: Evaluation) -> RunPairing:
        """The runs of an evaluation.

        >>> from assay import evaluate
        >>> runs = {"a": {"q1": {"d1": 1.0}}, "b": {"q1": {"d2": 1.0}}}
        >>> RunPairing.of(evaluate({"q1": {"d1": 1}}, runs, ["RR"])).sample("RR").observed
        array([1., 0.])
        """
        return cls(evaluation.scores, evaluation.undefined, runs=evaluation)

    @property
    def evaluation(self) -> Evaluation:
        """The evaluation of the runs."""
        return self.runs

    @property
    def is_bare(self) -> bool:
        """There are judgments and runs behind the scores."""
        return False

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is odd about judgments and runs."""
        return self.runs.warnings

    def measure_names(self, wanted: Wanted = None) -> list[str]:
        """The measures asked for, in any tool's notation; all there are, if none is."""
        if wanted is None:
            return super().measure_names()
        return list(dict.fromkeys(str(self.runs.measure(name)) for name in listed(wanted)))

    def undirected(self, measure: str | Measure) -> Sample:
        """The systems under one measure; micro averages keep their formulas."""
        sample, wanted = super().undirected(measure), self.runs.measure(measure)
        if not wanted.is_micro:
            return sample
        queries = {system.ranks.queries for system in self.runs.systems}
        if len(queries) > 1:
            raise InputError(f"{measure} sums counts up over queries: with missing='skip' the systems have other ones")
        return PooledSample(
            tuple(system.results[wanted] for system in self.runs.systems),
            systems=sample.systems,
            units=queries.pop(),
            measure=sample.measure,
            unit_kind=sample.unit_kind,
            bounds=sample.bounds,
            direction=sample.direction,
        )

    def look_into(self, comparison: Comparison) -> Comparison:
        """The comparison with what documents of the runs tell."""
        return with_document_analysis(comparison)

    def documents(self, comparison: Comparison) -> DocumentAnalysis:
        """What the documents of the runs tell of a comparison."""
        return DocumentAnalysis(comparison)

    @property
    def is_complete(self) -> bool:
        """Whether the judgments were declared complete."""
        return self.runs.policies.complete

    @property
    def reference(self) -> str:
        """The name of the judgments."""
        return self.runs.qrels.name

    def signatures(self, measures: Iterable[str]) -> dict[str, str]:
        """Everything that each measure's number depends on, in one line."""
        del measures
        return dict(self.runs.signatures)
