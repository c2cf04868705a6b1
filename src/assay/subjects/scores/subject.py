"""Bare scores as a subject of the verbs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.core.errors import ParameterError
from assay.files import is_file
from assay.files.small_tables import read_scores
from assay.tables import Scores
from assay.verbs.scores import ScorePairing, listed
from assay.verbs.subject import Words


class ScoresSubject:
    """A table of numbers by system, measure and unit, or a file of one."""

    name = "scores"
    words = Words("system", "unit", "scores", "scores")
    reported = "assay.subjects.ranking.sections.report:ReportedRankings"
    examination = "assay.subjects.scores.checks:ScoresExamination"
    rules: tuple[str, ...] = ()
    report_rules = rules

    def pairing(self, inputs: Sequence[Any], measures: Any, seed: int, rules: Mapping[str, Any]) -> ScorePairing:
        """The systems, paired by unit."""
        del seed, rules
        (scores,) = inputs
        if isinstance(scores, Scores):
            return ScorePairing(scores)
        if not is_file(scores):
            kind = type(scores).__name__
            raise ParameterError(f"expected an evaluation, judgments and runs, or scores, got {kind} alone")
        # A matrix of scores does not say what was measured; whoever asks for a measure does.
        wanted = listed(measures or ())
        # An empty field is no value, and no measure of ours has declared what it counts as.
        return ScorePairing(read_scores(scores, measure=str(wanted[0]) if wanted else "score"), undefined="skip")


SCORES = ScoresSubject()
