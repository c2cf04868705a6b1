"""How rankings were counted, in a sentence for a paper: only rules that were in force."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from assay.core.errors import joined, number_of

if TYPE_CHECKING:
    from assay.measures.registry import Measure
    from assay.subjects.ranking.evaluation import Evaluation

_TIES = {
    "doc_id_descending": "documents with equal {} were put in descending order of their ids",
    "doc_id_ascending": "documents with equal {} were put in ascending order of their ids",
    "input_order": "documents with equal {} stayed in the order of the run file",
    "expected": "values are means over all orders of documents with equal {}",
}
_DUPLICATES = {
    "first": "of a document that a run has twice for a topic, the first row counted",
    "best": "of a document that a run has twice for a topic, the row with the best score counted",
}
_MISSING = {
    "zero": "a topic that a run lacks counted as one without results",
    "skip": "topics that a run lacks were left out{}",
    "error": "every run has all topics",
}


def rules(evaluation: Evaluation, measures: Sequence[Measure]) -> str:
    """The rules of counting, in one sentence."""
    text = "; ".join([*_of_order(evaluation), *_of_documents(evaluation), *_of_topics(evaluation, measures)])
    if evaluation.compat is not None:
        return f"The profile {evaluation.compat} was in force: {text}."
    return f"{text[0].upper()}{text[1:]}."


def _of_order(evaluation: Evaluation) -> Iterator[str]:
    policies = evaluation.policies
    by_rank = policies.rank_by == "rank"
    if by_rank:
        yield "documents were taken in the order of the rank column, whatever their scores"
    elif policies.score_precision == "single":
        yield "scores were compared in single precision"
    yield _TIES[policies.ties].format("ranks" if by_rank else "scores")
    if policies.duplicates in _DUPLICATES:
        yield _DUPLICATES[policies.duplicates]
    if policies.depth is not None:
        first = "document of a topic was" if policies.depth == 1 else f"{policies.depth:,} documents of a topic were"
        yield f"only the first {first} looked at"


def _of_documents(evaluation: Evaluation) -> Iterator[str]:
    policies = evaluation.policies
    if policies.judged_only:
        yield "documents without judgment were taken out of the rankings"
    elif policies.unjudged == "error":
        yield "every document that was looked at has a judgment"
    elif policies.complete:
        yield "the judgments were declared complete, so that documents without judgment are not relevant"
    else:
        yield "documents without judgment counted as not relevant"
    if evaluation.judge is not None:
        yield f"of several judges, {evaluation.judge} counted"
    if evaluation.subtopics:
        yield "judgments are by subtopic"
    if policies.collection_size is not None:
        yield f"the collection was taken to hold {number_of('document', policies.collection_size)}"


def _of_topics(evaluation: Evaluation, measures: Sequence[Measure]) -> Iterator[str]:
    everywhere = ", for all systems" if len(evaluation.systems) > 1 else ""
    yield _MISSING[evaluation.policies.missing].format(everywhere)
    if evaluation.undefined == "error":
        yield "no value was undefined"
    elif evaluation.undefined == "skip":
        yield f"topics with an undefined value were left out under that measure{everywhere}"
    elif groups := _substitutes(measures):
        of_measure = {value: f" under {joined(names)}" if len(groups) > 1 else "" for value, names in groups.items()}
        counted = (
            f"were left out{under}" if value is None else f"counted as {value:g}{under}"
            for value, under in of_measure.items()
        )
        yield f"undefined values {' and '.join(counted)}"


def _substitutes(measures: Sequence[Measure]) -> dict[float | None, list[str]]:
    """What undefined values counted as, and under which measures."""
    groups: dict[float | None, list[str]] = {}
    for measure in measures:
        if not measure.is_micro:
            groups.setdefault(measure.substitute, []).append(str(measure))
    return groups
