"""Bare scores as a subject, and the gate on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.core.errors import InputError, ParameterError
from assay.files.small_tables import read_scores
from assay.files.sources import Source, is_file
from assay.measures.undefined import policy_of
from assay.stats.pairing import ScorePairing, each_measure
from assay.tables import Scores
from assay.tables.roles import is_frame
from assay.verbs.gating.gate import TAKES, Sides, Two, chosen_two
from assay.verbs.subject import Subject, Words

if TYPE_CHECKING:
    from assay.measures.registry import Measure
    from assay.verbs.explanation.numbers import View
    from assay.verbs.explanation.result import Explanation, Place


class ScoresSubject(Subject):
    """A table of numbers by system, measure and unit, or a file of one."""

    name = "scores"
    words = Words("system", "unit", "scores", "scores")
    verb = "assay.files.small_tables:read_scores"
    gated = "assay.subjects.scores.subject:two_systems"
    reported = "assay.subjects.ranking.sections.report:ReportedRankings"
    examination = "assay.subjects.scores.checks:ScoresExamination"
    rules = ("undefined",)
    report_rules = ()

    def pairing(self, inputs: Sequence[Any], measures: Any, seed: int, rules: Mapping[str, Any]) -> ScorePairing:
        """The systems, paired by unit."""
        scores, *others = inputs
        if others:
            raise ParameterError("scores hold all systems: give one table of them, and nothing else")
        opened = opened_scores(scores, measures)
        if opened is None:
            kind = type(scores).__name__
            raise ParameterError(f"expected an evaluation, judgments and runs, or scores, got {kind} alone")
        return ScorePairing(_counted_by(opened, rules))

    def explain(
        self, measure: str | Measure, inputs: Sequence[Any], place: Place, view: View, rules: dict[str, Any]
    ) -> Explanation:
        """There is nothing behind numbers of units; two orders of items have a rank correlation."""
        from assay.subjects.scores.explanation import explain_orders  # noqa: PLC0415  # only who explains waits for it

        return explain_orders(measure, inputs, place, view, rules)


def _counted_by(scores: Scores, rules: Mapping[str, Any]) -> Scores:
    """The scores with what values that are missing count as, where that was said."""
    if rules.get("undefined") is None:
        return scores
    policy = policy_of(rules["undefined"])
    missing = scores.frame.filter(pl.col("value").is_null())
    if policy == "error" and missing.height:
        system, measure, unit = missing.select("system", "measure", "unit").row(0)
        raise InputError(f"scores: {measure} of {system} on {unit}: expected a number, got none")
    return replace(scores, undefined=policy)


SCORES = ScoresSubject()


def opened_scores(data: Any, measures: Any) -> Scores | None:
    """Scores as they are, or those of a file or a data frame; None if it is none of these.

    A matrix of scores does not say what was measured; whoever asks for a measure does.

    >>> opened_scores(pl.DataFrame({"bm25": [0.5], "dense": [0.75]}), "AP").frame["measure"].to_list()
    ['AP', 'AP']
    """
    if isinstance(data, Scores):
        return data
    if not (is_file(data) or isinstance(data, Source) or is_frame(data)):
        return None
    wanted = each_measure(measures or ())
    return read_scores(data, measure=str(wanted[0]) if wanted else "score")


def two_systems(data: Any, two: Two, measures: Any, seed: int, rules: Mapping[str, Any]) -> Sides:
    """The baseline and the candidate, which are systems of the table, by name.

    >>> rows = [(system, "time", "page", "1", value, None) for system, value in (("a", 3.0), ("b", 2.0))]
    >>> scores = Scores(pl.DataFrame(rows, schema=Scores.SCHEMA, orient="row"))
    >>> two_systems(scores, Two("b"), None, 0, {}).pairing.sample("time").systems
    ('b', 'a')
    """
    scores = opened_scores(data, measures)
    if scores is None:
        raise ParameterError(TAKES)
    for side in two:
        if side is not None and not isinstance(side, str):
            raise ParameterError(f"of scores, baseline and candidate are names of systems, not {type(side).__name__}")
    chosen = chosen_two(scores.frame["system"].unique(maintain_order=True).to_list(), *two)
    frame = pl.concat([scores.frame.filter(system=name) for name in chosen])
    pairing = SCORES.pairing([replace(scores, frame=frame)], measures, seed, rules)
    return Sides(pairing, pairing.measure_names(measures))
