"""Checks of topics and documents: ids written differently, absent on one side, or unknown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from assay.core.digits import as_percent
from assay.core.errors import number_of, quote, spelt
from assay.measures import Judged
from assay.measures.counting.id_normalisation import TOP
from assay.subjects.ranking.checks.examination import ExaminedCollection, ExaminedRun
from assay.subjects.ranking.checks.opening import Opened
from assay.verbs.diagnosis.examination import EXAMPLES, CheckFinding, Example, Severity, check, finding, pair, share

#: Where this share of a run's documents are topics, its columns are swapped.
_MOST = 0.5


def _alone(
    system: ExaminedRun, name: str, severity: Severity, message: str, ids: Sequence[str], *, run: bool
) -> CheckFinding:
    """Ids that are in one table only, with the line where the run has them."""
    examples = [Example(f"topic {quote(topic)}", _line(system, topic) if run else None) for topic in ids[:EXAMPLES]]
    return finding(name, severity, system.run, message, len(ids), examples=examples)


def _line(system: ExaminedRun, topic: str) -> int | None:
    return system.run.line(int((system.run.rows["query_id"] == topic).arg_max() or 0))


@check(
    "topic-ids", "run", "error",
    advice="write topics alike in all files: those that differ are ignored, and count as missing",
)  # fmt: skip
def topic_ids(system: ExaminedRun) -> Iterator[CheckFinding]:
    """Are topics written differently in the run and in the judgments (`q1` and `1`, `007` and `7`)?"""
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
    advice="these are the judgments of another set of topics, or the run of another collection",
)  # fmt: skip
def no_common_topics(system: ExaminedRun) -> Iterator[CheckFinding]:
    """Do run and judgments have no topic in common?"""
    if system.common or system.other_topics is not None:
        return
    ours, theirs = system.queries["query_id"].to_list(), system.case.topic_ids
    message = f"no topic in common with the judgments: here {_some(ours)}; there {_some(theirs)}"
    documents = system.frame["doc_id"].unique()
    # Numbers may be both by chance; that most documents are topics is none.
    if documents.is_in(theirs).mean() >= _MOST:  # type: ignore[operator]  # a share
        message += "; its documents are judged topics: two columns are swapped"
    message += _by_title(system, ours)
    yield _alone(system, "no-common-topics", "error", message, ours, run=True)


def _by_title(system: ExaminedRun, queries: Sequence[str]) -> str:
    """Advice if the queries of a run are the titles of topics, whatever their case."""
    topics = system.case.topics
    if topics is None or "title" not in topics.frame.columns:
        return ""
    ids = {title.casefold().strip(): query for query, title in topics.frame.select("query_id", "title").iter_rows()}
    known = [query for query in queries if query.casefold().strip() in ids]
    if not known:
        return ""
    example = f"{quote(known[0])} is topic {quote(ids[known[0].casefold().strip()])}"
    return f"; {number_of('query', len(known))} of the run match topics by their title: {example}"


def _some(topics: Sequence[str]) -> str:
    return ", ".join(map(quote, topics[:EXAMPLES])) + (", …" if len(topics) > EXAMPLES else "")


def _without(system: ExaminedRun, *, run: bool) -> list[str]:
    """Topics that only one side has, without those that are merely written differently."""
    other = system.other_topics
    explained = set() if other is None else set(other.ours if run else other.theirs)
    known = explained | set(system.common)
    return [topic for topic in (system.queries["query_id"] if run else system.case.topic_ids) if topic not in known]


@check(
    "missing-topics", "run", "warning",
    advice="Assay counts them as 0 (`{missing=skip}` leaves them out); other tools leave them out silently",
)  # fmt: skip
def missing_topics(system: ExaminedRun) -> Iterator[CheckFinding]:
    """Does the run lack judged topics?"""
    missing = _without(system, run=False)
    if missing and system.common:
        message = f"{share(len(missing), len(system.case.topic_ids), 'judged topic')} not in the run"
        yield _alone(system, "missing-topics", "warning", message, missing, run=False)


@check("extra-topics", "run", "note", advice="they are ignored; if they should count, judge them")
def extra_topics(system: ExaminedRun) -> Iterator[CheckFinding]:
    """Does the run have topics that nobody judged?"""
    extra = _without(system, run=True)
    if extra and system.common:
        message = f"{number_of('topic', len(extra))} of the run without judgments"
        yield _alone(system, "extra-topics", "note", message, extra, run=True)


@check(
    "other-files", "judgments", "warning",
    question="Are judged topics or documents absent from the files of topics and documents?",
    advice="check that all files are of the same collection, and that ids are written alike",
)  # fmt: skip
def other_files(case: ExaminedCollection) -> Iterator[CheckFinding]:
    """Judged topics and documents that the collection lacks."""
    for what, column, table in (("topic", "query_id", case.topics), ("document", "doc_id", case.documents)):
        if table is None:
            continue
        absent = _absent(case.grades[column], table.frame[column])
        if absent.len():
            examples = [Example(f"{what} {quote(name)}") for name in absent.head(EXAMPLES)]
            message = f"{number_of(f'judged {what}', absent.len())} not in {table.name}"
            yield finding("other-files", "warning", case.judgments, message, absent.len(), examples=examples)


def _absent(names: pl.Series, known: pl.Series) -> pl.Series:
    """The names that are not known, each once."""
    names = names.unique(maintain_order=True)
    return names.filter(~names.is_in(known.implode()))


#: Control, format, private and unassigned characters, all white space but the blank, and what stands for lost ones.
_INVISIBLE = r"[\p{C}\p{Z}\x{FFFD}--\x20]"
_NO_VALUE = ["nan", "NaN", "None", "none", "null", "NULL", "<NA>", "undefined"]
UNJUDGED_AT = (5, 10, 20)
UNJUDGED_NOTE, UNJUDGED_WARNING = 0.05, 0.2


@check(
    "odd-ids", "file", "error", "warning",
    advice="clean the ids where they are made: invisible characters keep ids from matching",
)  # fmt: skip
def odd_ids(file: Opened) -> Iterator[CheckFinding]:
    """Are ids empty, in quotation marks, `nan`, with invisible characters, or in two Unicode forms?"""
    if file.frame is None:
        return
    looks = file.looks
    plain = looks is not None and looks.plain and file.is_blank_separated
    for column, what in (("query_id", "query id"), ("doc_id", "document id")):
        ids = file.rows[column]
        kinds: list[tuple[Severity, str, pl.Series]] = [
            ("error", "that is empty", ids == ""),
            ("warning", "in quotation marks", ids.str.contains(r"^([\"'`]).*[\"'`]$")),
            ("warning", "that stands for a missing value", ids.is_in(_NO_VALUE)),
        ]
        if not plain:
            kinds += [
                ("warning", "with invisible or lost characters", ids.str.contains(_INVISIBLE)),
                ("warning", "with blanks at an end", ids.str.contains(r"^[ \t]|[ \t]$")),
                ("warning", "that another one equals but for its Unicode normal form", _in_two_forms(ids)),
            ]
        for severity, problem, odd in kinds:
            rows = odd.arg_true()
            if not rows.len():
                continue
            names = ids.gather(rows).unique(maintain_order=True)
            places = [int((ids == name).arg_max() or 0) for name in names.head(EXAMPLES)]
            examples = [Example(spelt(ids[row]), file.line(row)) for row in places]
            message = f"{number_of(what, names.len())} {problem}"
            yield finding("odd-ids", severity, file, message, rows.len(), examples=examples)


def _in_two_forms(ids: pl.Series) -> pl.Series:
    """Ids of which the same text is there in another normal form."""
    names = ids.unique()
    names = names.filter(names.str.len_bytes() != names.str.len_chars())
    formed = names.str.normalize("NFC")
    return ids.is_in(names.filter(formed.is_duplicated()).implode())


@check(
    "doc-ids", "run", "error", "warning",
    advice="write document ids alike in all files: those that differ count as unjudged",
)  # fmt: skip
def doc_ids(system: ExaminedRun) -> Iterator[CheckFinding]:
    """Are documents written differently in the run and in the judgments (case, `.txt`, a prefix, `%20`)?"""
    other = system.other_documents
    if other is None:
        return
    pairs, hits = other.pairs, other.hits
    message = (
        f"{number_of('retrieved document', pairs.height)} would be judged but for {other.differ_in}; "
        f"{number_of('other', hits)} {'is' if hits == 1 else 'are'} (in the first {TOP} of each query)"
    )
    examples = []
    for query, ours, theirs, too in pairs.head(EXAMPLES).iter_rows():
        rows = (system.run.rows["query_id"] == query) & (system.run.rows["doc_id"] == ours)
        where = "here, too, and in the judgments" if too else "in the judgments"
        text = f"query {quote(query)}: {spelt(ours)} here, {spelt(theirs)} {where}"
        examples.append(Example(text, system.run.line(int(rows.arg_max() or 0))))
    severity: Severity = "error" if other.is_most_of_what_is_judged else "warning"
    yield finding("doc-ids", severity, system.run, message, pairs.height, examples=examples)


@check(
    "nothing-found", "run", "error",
    advice="check that run and judgments are of the same collection, and that the run is not upside down",
)  # fmt: skip
def nothing_found(system: ExaminedRun) -> Iterator[CheckFinding]:
    """Does the run find no relevant document at all?"""
    ranks = system.ranks
    other = system.other_documents
    if ranks is None or not ranks.relevant().any() or (other is not None and other.explains_the_run):
        return
    if not ((ranks.hits.grade >= system.case.level) & (ranks.hits.grade > 0)).any():
        examples = [Example(pair(*row), None) for row in system.frame.select("query_id", "doc_id").head(1).rows()]
        examples += [
            Example(f"{pair(*row)} in the judgments")
            for row in system.case.grades.select("query_id", "doc_id").head(1).rows()
        ]
        count = int(ranks.relevant().sum())
        which = "the only relevant document is not" if count == 1 else f"none of the {count:,} relevant documents is"
        message = f"{which} in the run"
        yield finding("nothing-found", "error", system.run, message, examples=examples)


@check(
    "unjudged", "run", "warning", "note",
    advice="they count as not relevant: `assay compare` says whether they could change a verdict",
)  # fmt: skip
def unjudged(system: ExaminedRun) -> Iterator[CheckFinding]:
    """Are documents in the first 5, 10 or 20 unjudged: more than 20 % (a warning), more than 5 % (a note)?"""
    ranks, other = system.ranks, system.other_documents
    if ranks is None or (other is not None and other.explains_the_run):
        return
    shares = {}
    for cutoff in UNJUDGED_AT:
        judged = Judged(cutoff=cutoff).of(ranks)
        if not np.isnan(judged).all():
            shares[cutoff] = 1 - float(np.nanmean(judged))
    most = max(shares.values(), default=0.0)
    if most <= UNJUDGED_NOTE:
        return
    shares_text = ", ".join(f"{as_percent(share)} of the first {cutoff}" for cutoff, share in shares.items())
    details = [{"cutoff": cutoff, "unjudged": share} for cutoff, share in shares.items()]
    severity: Severity = "warning" if most > UNJUDGED_WARNING else "note"
    todo = "they count as not relevant: the judgments list relevant documents only"
    yield finding(
        "unjudged", severity, system.run, f"unjudged: {shares_text}", details=details, weight=most,
        todo=todo if system.case.lists_only_relevant else None,
    )  # fmt: skip


@check(
    "unknown-documents", "run", "warning",
    question="Does the run return documents that are absent from the file of documents?",
    advice="the run is of another version of the collection, or writes ids in another way",
)  # fmt: skip
def unknown_documents(system: ExaminedRun) -> Iterator[CheckFinding]:
    """Retrieved documents that the collection lacks."""
    if system.case.documents is None:
        return
    absent = _absent(system.frame["doc_id"], system.case.documents.frame["doc_id"])
    if absent.len():
        rows = [int((system.run.rows["doc_id"] == doc_id).arg_max() or 0) for doc_id in absent.head(EXAMPLES)]
        examples = [system.run.example(row) for row in rows]
        message = f"{number_of('document', absent.len())} not in {system.case.documents.name}"
        yield finding("unknown-documents", "warning", system.run, message, absent.len(), examples=examples)
