"""Bare scores as a subject of the verbs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.core.errors import ParameterError
from assay.files import is_file
from assay.files.small_tables import read_scores
from assay.tables import Scores
from assay.verbs.scores import ScorePairing, listed
from assay.verbs.subject import Words

if TYPE_CHECKING:
    from assay.measures.registry import Measure
    from assay.verbs.explanation.numbers import View
    from assay.verbs.explanation.place import Place
    from assay.verbs.explanation.result import Explanation


class ScoresSubject:
    """A table of numbers by system, measure and unit, or a file of one."""

    name = "scores"
    words = Words("system", "unit", "scores", "scores")
    verb = "assay.files.small_tables:read_scores"
    gated = "assay.subjects.scores.gating:two_systems"
    reported = "assay.subjects.ranking.sections.report:ReportedRankings"
    examination = "assay.subjects.scores.checks:ScoresExamination"
    rules: tuple[str, ...] = ()
    report_rules = rules

    def pairing(self, inputs: Sequence[Any], measures: Any, seed: int, rules: Mapping[str, Any]) -> ScorePairing:
        """The systems, paired by unit."""
        del seed, rules
        scores, *others = inputs
        if others:
            raise ParameterError("scores hold all systems: give one table of them, and nothing else")
        if isinstance(scores, Scores):
            return ScorePairing(scores)
        if not is_file(scores):
            kind = type(scores).__name__
            raise ParameterError(f"expected an evaluation, judgments and runs, or scores, got {kind} alone")
        # A matrix of scores does not say what was measured; whoever asks for a measure does.
        wanted = listed(measures or ())
        # An empty field is no value, and no measure of ours has declared what it counts as.
        return ScorePairing(read_scores(scores, measure=str(wanted[0]) if wanted else "score"), undefined="skip")

    def explain(
        self, measure: str | Measure, inputs: Sequence[Any], place: Place, view: View, rules: dict[str, Any]
    ) -> Explanation:
        """There is nothing behind the numbers."""
        del measure, place, view, rules
        from assay.verbs.explanation.place import not_explained  # noqa: PLC0415  # only who explains waits for it

        raise not_explained(inputs[0])


SCORES = ScoresSubject()
