"""How systems were evaluated, in sentences for a paper: only rules that were in force."""

from __future__ import annotations

from collections.abc import Iterator

from assay.core.errors import number_of
from assay.evaluation import Evaluation
from assay.measures.registry import Measure
from assay.reporting.basis import Basis
from assay.reporting.naming import joined

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
    "skip": "topics that a run lacks were left out",
    "error": "every run has all topics",
}


def topics_of(basis: Basis, evaluation: Evaluation) -> str:
    """How many topics the numbers are of, under the main measure; and of how many, where some were left out.

    A topic is left out where a run lacks it or a value is undefined, if the rules say so.
    """
    every = len(evaluation.qrels.topics)
    if basis.main not in basis.paired:
        return number_of("topic", every)
    used = len(basis.paired[basis.main].units)
    return number_of("topic", every) if used == every else f"{used:,} of {number_of('topic', every)}"


def other_topics(basis: Basis) -> str:
    """How many topics the other measures have, where these are not those of the main one; else empty."""
    main = basis.paired.get(basis.main)
    counts: dict[int, list[str]] = {}
    for name, one in basis.paired.items():
        if main is not None and len(one.units) != len(main.units):
            counts.setdefault(len(one.units), []).append(name)
    return ", ".join(f"{count:,} under {joined(names, most=len(names))}" for count, names in counts.items())


def rules(basis: Basis, evaluation: Evaluation) -> str:
    """The rules of counting, in one sentence."""
    told = [*_of_order(evaluation), *_of_documents(evaluation), *_of_topics(basis, evaluation)]
    text = "; ".join(told)
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
        down_to = "document" if policies.depth == 1 else f"{policies.depth:,} documents"
        yield f"only the first {down_to} of a topic {'was' if policies.depth == 1 else 'were'} looked at"


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


def _of_topics(basis: Basis, evaluation: Evaluation) -> Iterator[str]:
    everywhere = ", for all systems" if len(basis.systems) > 1 else ""
    skips = evaluation.policies.missing == "skip"
    yield f"{_MISSING[evaluation.policies.missing]}{everywhere if skips else ''}"
    measures = [measure for measure in map(basis.measure, basis.measures) if not measure.is_micro]
    if evaluation.undefined == "error":
        yield "no value was undefined"
    elif evaluation.undefined == "skip":
        yield f"topics with an undefined value were left out under that measure{everywhere}"
    elif measures:
        yield _counted_as(measures)


def _counted_as(measures: list[Measure]) -> str:
    """What undefined values counted as, measure by measure where that differs."""
    groups: dict[float | None, list[str]] = {}
    for measure in measures:
        groups.setdefault(measure.substitute, []).append(str(measure))
    told = []
    for value, names in groups.items():
        under = f" under {joined(names, most=len(names))}" if len(groups) > 1 else ""
        told.append(f"were left out{under}" if value is None else f"counted as {value:g}{under}")
    return f"undefined values {' and '.join(told)}"
