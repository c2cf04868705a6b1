"""Rankings as a subject of the verbs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.core.errors import ParameterError
from assay.measures.counting.ranking import Policies
from assay.subjects.ranking.evaluation import Evaluation, evaluate
from assay.verbs.subject import Words

if TYPE_CHECKING:
    from assay.measures.registry import Measure
    from assay.subjects.ranking.pairing import RunPairing
    from assay.verbs.explanation.numbers import View
    from assay.verbs.explanation.result import Explanation, Place

#: What systems are compared by unless told otherwise.
COMPARED_BY = ("AP", "nDCG@10", "RR", "P@10")


class Rankings:
    """Runs of search systems, held against judgments."""

    name = "ranking"
    words = Words("run", "query", "evaluation", "judgments and runs")
    verb = "assay.subjects.ranking.evaluation:evaluate"
    gated = "assay.subjects.ranking.pairing:two_runs"
    missing = "zero"
    reported = "assay.subjects.ranking.sections.report:ReportedRankings"
    examination = "assay.subjects.ranking.checks.examination:RankingExamination"
    rules = (*Policies.__dataclass_fields__, "undefined", "compat", "judge", "subtopics", "samples")
    report_rules = rules

    def pairing(self, inputs: Sequence[Any], measures: Any, seed: int, rules: Mapping[str, Any]) -> RunPairing:
        """The runs, evaluated as far as that has not been done, and paired by topic."""
        from assay.subjects.ranking.pairing import RunPairing  # noqa: PLC0415  # it loads SciPy, which few verbs need

        if len(inputs) > 1:
            wanted = COMPARED_BY if measures is None else measures
            qrels, runs = inputs
            return RunPairing.of(evaluate(qrels, runs, wanted, seed=seed, **rules))
        (evaluation,) = inputs
        if rules:
            raise ParameterError(f"{next(iter(rules))!r} is a rule of evaluation: it goes with judgments and runs")
        if not isinstance(evaluation, Evaluation):
            raise ParameterError(f"expected judgments and runs, got {type(evaluation).__name__} alone")
        return RunPairing.of(evaluation)

    def explain(
        self, measure: str | Measure, inputs: Sequence[Any], place: Place, view: View, rules: dict[str, Any]
    ) -> Explanation:
        """The number of a query, or of all."""
        from assay.subjects.ranking.explanation import of_rankings  # noqa: PLC0415  # only who explains waits for it

        return of_rankings(measure, inputs, place, view, rules)


RANKING = Rankings()
