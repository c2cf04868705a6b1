"""Checks whether the measures suit the judgments and the runs, and whether the topics are enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from assay.core.digits import number
from assay.core.errors import number_of, quote
from assay.measures.doubts import NEARLY_ALL
from assay.subjects.ranking.checks.case import ALL_RUNS, LEAST_TOPICS, ExaminedCollection, ExaminedRun
from assay.verbs.diagnosis.findings import CheckFinding, Example, Severity, check, finding, share

#: A measure with a cut-off that can reach less than this, on average, is far from the judgments.
_CEILING = 0.5
#: Runs with fewer documents than the cut-off in more than this share of topics.
_OFTEN_SHORT = 0.1


@check(
    "measure-fit", "judgments", "warning",
    question="Can P@k or R@k as asked for not reach 0.5, is AP but RR, is ERR's top grade not the scale's?",
    advice="choose a cut-off near the number of relevant documents, or RCap@k; RR for AP; state max_grade for ERR",
)  # fmt: skip
def measure_fit(case: ExaminedCollection) -> Iterator[CheckFinding]:
    """Recall far below the number of relevant documents, precision far above it, AP of one document, ERR's top."""
    relevant = case.by_topic["relevant"].to_numpy().astype(np.float64)
    relevant = relevant[relevant > 0]
    if not case.asked or not len(relevant):
        return
    top = float(case.grades["relevance"].max())  # type: ignore[arg-type]  # some grade is relevant
    for measure in case.measures:
        cutoff, name, message = measure.parameters.get("cutoff"), measure.name, ""
        if name in {"R", "P"} and cutoff:
            reach = np.minimum(1, cutoff / relevant if name == "R" else relevant / cutoff).mean()
            if reach < _CEILING:
                median = float(np.median(relevant))
                what = f"{median:g} relevant {'document' if median == 1 else 'documents'}"
                message = f"{measure} can reach {number(reach, 2)} at most: the median topic has {what}"
        elif name in {"AP", "GMAP"} and len(relevant) >= LEAST_TOPICS and (relevant == 1).mean() >= NEARLY_ALL:
            message = f"{measure}: with one relevant document per topic it is RR, and its name promises more"
        elif name in {"ERR", "nERR"} and measure.parameters.get("max_grade") is None and top < max(case.scale or (0,)):
            message = f"{measure} takes {top:g} for the top of the scale, which is {max(case.scale):g}"
        if message:
            yield finding("measure-fit", "warning", case.judgments, message)


@check(
    "short-lists", "runs", "warning", "note",
    question="Does a run return fewer documents than P@k counts, in more than 10 % of the topics (a note without -m)?",
    advice="the places left empty count as irrelevant: return more, or choose a smaller cut-off",
)  # fmt: skip
def short_lists(systems: Sequence[ExaminedRun]) -> Iterator[CheckFinding]:
    """Precision beyond the end of the list, where there are more relevant documents to find."""
    counted = [(system, system.ranks) for system in systems if system.ranks is not None]
    for cutoff in {
        measure.parameters["cutoff"] for system, _ in counted for measure in system.case.measures if measure.name == "P"
    }:
        # Unless somebody asked for it, a cut-off that no run reaches says more about the collection than about a run.
        if not (systems[0].case.asked or any((ranks.retrieved >= cutoff).any() for _, ranks in counted)):
            continue
        for system, ranks in counted:
            in_run, returned = ranks.in_run, ranks.retrieved
            is_relevant = (ranks.hits.grade >= system.case.level) & (ranks.hits.grade > 0)
            hits = np.bincount(ranks.hits.query[is_relevant], minlength=len(in_run))
            # A short list costs nothing if it holds all there is to find.
            short = in_run & (returned < cutoff) & (hits < ranks.relevant())
            count = int(short.sum())
            if count <= _OFTEN_SHORT * in_run.sum():
                continue
            worst = int(np.argmin(np.where(short, returned, 1 << 40)))
            example = Example(f"topic {quote(ranks.queries[worst])}: {number_of('document', int(returned[worst]))}")
            message = f"fewer than {cutoff} documents in {share(count, int(in_run.sum()), 'topic')}"
            severity: Severity = "warning" if system.case.asked else "note"
            yield finding("short-lists", severity, system.run, message, count, examples=[example])


@check(
    "few-topics", "runs", "warning",
    question="Are there fewer than 5 topics to compare runs by?",
    advice="judge more topics; `assay compare` says what differences are worth, `assay power` how many topics it takes",
)  # fmt: skip
def few_topics(systems: Sequence[ExaminedRun]) -> Iterator[CheckFinding]:
    """Runs that no test could tell apart."""
    counted, topics = [system for system in systems if system.ranks], len(systems[0].case.topic_ids)
    if len(counted) > 1 and topics < LEAST_TOPICS:
        message = f"{number_of('topic', topics)} cannot tell runs apart, whatever the differences"
        yield finding("few-topics", "warning", ALL_RUNS, message)
