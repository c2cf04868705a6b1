"""The inputs from which a ranking's number is explained: judgments and a run, an evaluation made of them, or counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.core import registry
from assay.core.errors import ParameterError
from assay.measures import parse_measure
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.ranking import policies
from assay.measures.counting.ranks import Ranks, retrieved
from assay.measures.definition import GivenCurve
from assay.measures.registry import Measure
from assay.subjects.ranking.evaluation import Evaluation, evaluate
from assay.verbs.explanation.numbers import View, explained, number_of_unit, summarised, undefined_rule, units_of
from assay.verbs.explanation.result import Explanation, Place, not_explained
from assay.verbs.subject import misplaced


def of_rankings(
    measure: str | Measure, inputs: Sequence[Any], place: Place, view: View, rules: dict[str, Any]
) -> Explanation:
    """The number of a ranking, or of all queries, whatever it is given by.

    >>> of_rankings("P@2", [Ranks.from_grades([1, 0])], Place(), View(None, False), {}).formula.numbers
    '1 / 2'
    """
    place.refuse_labels()
    wanted = parse_measure(measure)
    if view.running and "cutoff" not in wanted.parameters:
        raise ParameterError(f"{wanted} has no cut-off, so it has no value at every rank")
    evaluation = inputs[0]
    if len(inputs) > 1:
        evaluation = evaluate(inputs[0], inputs[1], wanted, **rules)
        if len(evaluation.systems) > 1:
            raise ParameterError("explain takes one run: explain one after the other")
        wanted = evaluation.measures[0]  # a profile may have changed its rounding
    elif not isinstance(evaluation, Evaluation):
        view = view._replace(undefined=undefined_rule(rules.pop("undefined", "counted_as")))
        place.of_counts(rules)
        return _of_counts(wanted, evaluation, place.query, view)
    elif rules:
        if (name := next(iter(rules))) not in {*registry.subject("ranking").rules, "seed"}:
            raise misplaced(name)
        raise ParameterError(f"{name!r} is a rule of evaluation, and the evaluation is made already")
    return _of_evaluation(evaluation.measure(wanted), evaluation, place, view)


def _of_counts(measure: Measure, counts: Any, query: str | None, view: View) -> Explanation:
    """Counts made by hand; of several units with each one's steps."""
    if not isinstance(counts, Ranks | Confusion | GivenCurve):
        raise not_explained(counts)
    if measure.definition.subtopics and isinstance(counts, Ranks) and counts.subtopics is None:
        raise ParameterError(
            f"{measure} is computed from judgments of subtopics, which a list of grades does not have: "
            "explain it from judgments and a run"
        )
    result = measure.per_unit(counts)
    number = number_of_unit(counts, query)
    if number is not None:
        return explained(measure, counts, result, number, view)
    parts = tuple(explained(measure, counts, result, unit, view) for unit in range(len(units_of(counts))))
    return summarised(measure, counts, result, view, parts)


def _of_evaluation(measure: Measure, evaluation: Evaluation, place: Place, view: View) -> Explanation:
    """The numbers of an evaluation, taken apart."""
    chosen = evaluation.system(place.system)
    view = view._replace(undefined=evaluation.undefined, signature=evaluation.signatures[str(measure)])
    number = number_of_unit(chosen.ranks, place.query)
    if number is None:
        if view.running:
            raise ParameterError("running is about the ranks of one query: choose one")
        return summarised(measure, chosen.ranks, chosen.results[measure], view)
    view = view._replace(listing=listing_of(evaluation, chosen.name, number, view.ranks_of(measure)))
    return explained(measure, chosen.ranks, chosen.results[measure], number, view)


def listing_of(evaluation: Evaluation, system: str, query: int, down_to: int) -> Ranks | None:
    """The documents retrieved, judged or not; None where unjudged documents are taken out of the ranking."""
    chosen = evaluation.policies
    if chosen.judged_only:
        return None
    if chosen.ties == "expected":  # tied documents stand in the order of the file until they are averaged
        hits = evaluation.system(system).ranks.hits
        last = int(hits.tie_last[hits.query == query].max(initial=0))
        # Of a tie that the depth cuts through every document is in with some chance.
        depth = None if chosen.depth is None else max(chosen.depth, last)
        chosen, down_to = policies(chosen, ties="input_order", depth=depth), max(down_to, last)
    runs = {system: evaluation.runs[system]}
    return retrieved(runs, evaluation.qrels, chosen, down_to, subtopics=evaluation.subtopics)[system]
