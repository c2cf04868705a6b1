"""How rankings were counted, in a sentence for a paper: only rules that were in force."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from assay.core.errors import joined, number_of

if TYPE_CHECKING:
    from assay.measures.registry import Measure
    from assay.subjects.ranking.evaluation import Evaluation

_UNJUDGED = ("unjudged", "irrelevant")
#: What is said of a rule that has a value.
_SAID = {
    ("rank_by", "rank"): "documents were taken in the order of the rank column, whatever their scores",
    ("score_precision", "single"): "scores were compared in single precision",
    ("ties", "doc_id_descending"): "documents with equal {key} were put in descending order of their ids",
    ("ties", "doc_id_ascending"): "documents with equal {key} were put in ascending order of their ids",
    ("ties", "input_order"): "documents with equal {key} stayed in the order of the run file",
    ("ties", "expected"): "values are means over all orders of documents with equal {key}",
    ("duplicates", "first"): "of a document that a run has twice for a topic, the first row counted",
    ("duplicates", "best"): "of a document that a run has twice for a topic, the row with the best score counted",
    ("judged_only", True): "documents without judgment were taken out of the rankings",
    ("unjudged", "error"): "every document that was looked at has a judgment",
    ("complete", True): "the judgments were declared complete, so that documents without judgment are not relevant",
    _UNJUDGED: "documents without judgment counted as not relevant",
    ("missing", "zero"): "a topic that a run lacks counted as one without results",
    ("missing", "skip"): "topics that a run lacks were left out{everywhere}",
    ("missing", "error"): "every run has all topics",
    ("undefined", "error"): "no value was undefined",
    ("undefined", "skip"): "topics with an undefined value were left out under that measure{everywhere}",
}


def rules(evaluation: Evaluation, measures: Sequence[Measure]) -> str:
    """The rules of counting, in one sentence."""
    policies = evaluation.policies
    everywhere = ", for all systems" if len(evaluation.systems) > 1 else ""
    in_force = set((asdict(policies) | {"undefined": evaluation.undefined}).items())
    if policies.judged_only or policies.complete:
        in_force.remove(_UNJUDGED)
    key = "ranks" if policies.rank_by == "rank" else "scores"
    said = [text.format(key=key, everywhere=everywhere) for rule, text in _SAID.items() if rule in in_force]
    text = "; ".join([*said, *_numbers(evaluation, measures)])
    if evaluation.compat is not None:
        return f"The profile {evaluation.compat} was in force: {text}."
    return f"{text[0].upper()}{text[1:]}."


def _numbers(evaluation: Evaluation, measures: Sequence[Measure]) -> Iterator[str]:
    """The rules that have a number or a name."""
    policies = evaluation.policies
    if policies.depth is not None:
        yield f"only the first {number_of('document', policies.depth)} of a topic were looked at"
    if evaluation.judge is not None:
        yield f"of several judges, {evaluation.judge} counted"
    if evaluation.subtopics:
        yield "judgments are by subtopic"
    if policies.collection_size is not None:
        yield f"the collection was taken to hold {number_of('document', policies.collection_size)}"
    if evaluation.undefined == "counted_as":
        groups: dict[float | None, list[str]] = {}
        for measure in measures:
            if not measure.is_micro:
                groups.setdefault(measure.substitute, []).append(str(measure))
        of_measures = {value: f" under {joined(names)}" if len(groups) > 1 else "" for value, names in groups.items()}
        counted = ("were left out" if value is None else f"counted as {value:g}" for value in groups)
        together = [f"{said}{under}" for said, under in zip(counted, of_measures.values(), strict=True)]
        if together:
            yield f"undefined values {' and '.join(together)}"
