"""Checks whether the topics of judgments, runs and the file of topics fit together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.core.errors import number_of, quote, spelt
from assay.diagnosis.case import Case, System
from assay.diagnosis.findings import EXAMPLES, Example, Finding, Severity, share
from assay.diagnosis.registry import check, finding

#: Where this share of a run's documents are topics, its columns are swapped.
_MOST = 0.5


def _alone(system: System, name: str, severity: Severity, message: str, ids: Sequence[str], *, run: bool) -> Finding:
    """Ids that are in one table only, with the line where the run has them."""
    examples = [Example(f"topic {quote(topic)}", _line(system, topic) if run else None) for topic in ids[:EXAMPLES]]
    return finding(name, severity, system.run, message, len(ids), examples=examples)


def _line(system: System, topic: str) -> int | None:
    return system.run.line(int((system.run.rows["query_id"] == topic).arg_max() or 0))


@check(
    "topic-ids", "run", "error",
    question="Are topics written differently in the run and in the judgments (`q1` and `1`, `007` and `7`)?",
    advice="write topics alike in all files: those that differ are ignored, and count as missing",
)  # fmt: skip
def topic_ids(system: System) -> Iterator[Finding]:
    """Topics that only one side has, and that are the same but for how they are written."""
    other = system.other_topics
    if other is None:
        return
    count = other.ours.len()
    differ = "differs" if count == 1 else "differ"
    message = f"{number_of('topic', count)} {differ} from the judgments' only in {other.differ_in}"
    examples = [
        Example(f"{spelt(ours)} here, {spelt(theirs)} in the judgments", _line(system, ours))
        for ours, theirs in zip(other.ours.head(EXAMPLES), other.theirs.head(EXAMPLES), strict=True)
    ]
    yield finding("topic-ids", "error", system.run, message, count, examples=examples)


@check(
    "no-common-topics", "run", "error",
    question="Do run and judgments have no topic in common?",
    advice="these are the judgments of another set of topics, or the run of another collection",
)  # fmt: skip
def no_common_topics(system: System) -> Iterator[Finding]:
    """No topic in common, in whatever way it is written."""
    if system.common or system.other_topics is not None:
        return
    ours, theirs = system.queries["query_id"].to_list(), system.case.topic_ids
    message = f"no topic in common with the judgments: here {_some(ours)}; there {_some(theirs)}"
    documents = system.frame["doc_id"].unique()
    # Numbers may be both by chance; that most documents are topics is none.
    if documents.is_in(theirs).mean() >= _MOST:  # type: ignore[operator]  # a share
        message += "; its documents are judged topics: two columns are swapped"
    yield _alone(system, "no-common-topics", "error", message, ours, run=True)


def _some(topics: Sequence[str]) -> str:
    return ", ".join(map(quote, topics[:EXAMPLES])) + (", …" if len(topics) > EXAMPLES else "")


def _without(system: System, *, run: bool) -> list[str]:
    """Topics that only one side has, without those that are merely written differently."""
    other = system.other_topics
    explained = set() if other is None else set(other.ours if run else other.theirs)
    known = explained | set(system.common)
    return [topic for topic in (system.queries["query_id"] if run else system.case.topic_ids) if topic not in known]


@check(
    "missing-topics", "run", "warning",
    question="Does the run lack judged topics?",
    advice="Assay counts them as 0 (`{missing=skip}` leaves them out); other tools leave them out without a word",
)  # fmt: skip
def missing_topics(system: System) -> Iterator[Finding]:
    """Judged topics without a result."""
    missing = _without(system, run=False)
    if missing and system.common:
        message = f"{share(len(missing), len(system.case.topic_ids), 'judged topic')} not in the run"
        yield _alone(system, "missing-topics", "warning", message, missing, run=False)


@check(
    "extra-topics", "run", "note",
    question="Does the run have topics that nobody judged?",
    advice="they are ignored; if they should count, judge them",
)  # fmt: skip
def extra_topics(system: System) -> Iterator[Finding]:
    """Topics of the run without judgments."""
    extra = _without(system, run=True)
    if extra and system.common:
        message = f"{number_of('topic', len(extra))} of the run without judgments"
        yield _alone(system, "extra-topics", "note", message, extra, run=True)


@check(
    "topics-file", "judgments", "warning", "note",
    question="Are judged topics absent from the file of topics, or topics without judgments?",
    advice="check that both are of the same collection, and that ids are written alike",
)  # fmt: skip
def topics_file(case: Case) -> Iterator[Finding]:
    """Topics that only one of judgments and topics has."""
    if case.topics is None:
        return
    ours, theirs = set(case.topic_ids), set(case.topics.frame["query_id"])
    sides: tuple[tuple[Severity, set[str], str], ...] = (
        ("warning", ours - theirs, f"not in {case.topics.name}"),
        ("note", theirs - ours, f"of {case.topics.name} without judgments"),
    )
    for severity, ids, problem in sides:
        alone = sorted(ids)
        if alone:
            what = "judged topic" if severity == "warning" else "topic"
            examples = [Example(f"topic {quote(topic)}") for topic in alone[:EXAMPLES]]
            message = f"{number_of(what, len(alone))} {problem}"
            yield finding("topics-file", severity, case.judgments, message, len(alone), examples=examples)
