"""Checks of document ids, and of ids that look odd in themselves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from assay.core.digits import as_percent
from assay.core.errors import number_of, quote, spelt
from assay.counting.id_normalisation import TOP
from assay.diagnosis.case import Case, System
from assay.diagnosis.findings import EXAMPLES, Example, Finding, Severity, pair
from assay.diagnosis.opening import Opened
from assay.diagnosis.registry import check, found
from assay.measures import Judged

#: Control, format, private and unassigned characters, all white space but the blank, and what stands for lost ones.
_INVISIBLE = r"[\p{C}\p{Z}\x{FFFD}--\x20]"
#: At most so many ids with letters beyond ASCII are odd among so many ids.
_FEW, _MANY = 2, 20
#: Ids longer than this are worth a note.
_LONG = 200
_NO_VALUE = ["nan", "NaN", "None", "none", "null", "NULL", "<NA>", "undefined"]
UNJUDGED_AT = (5, 10, 20)
UNJUDGED_NOTE, UNJUDGED_WARNING = 0.05, 0.2


@check(
    "odd-ids", "file", "error", "warning", "note",
    question="Are ids empty, in quotation marks, `nan`, with invisible characters, the only ones with é, or very long?",
    advice="clean the ids where they are made: what cannot be seen still keeps ids from matching",
)  # fmt: skip
def odd_ids(file: Opened) -> Iterator[Finding]:
    """Ids that are probably not what was meant, in queries and in documents."""
    if file.frame is None:
        return
    looks = file.looks
    plain = looks is not None and looks.ascii and not looks.control and file.is_blank_separated and not looks.wide
    for column, what in (("query_id", "query id"), ("doc_id", "document id")):
        ids = file.rows[column]
        kinds: list[tuple[Severity, str, pl.Series]] = [
            ("error", "that is empty", ids == ""),
            ("warning", "in quotation marks", ids.str.contains(r"^([\"'`]).*[\"'`]$")),
            ("warning", "that is a word for nothing", ids.is_in(_NO_VALUE)),
            ("note", f"longer than {_LONG} bytes", ids.str.len_bytes() > _LONG),
        ]
        if not plain:
            invisible = ids.str.contains(_INVISIBLE)
            kinds += [
                ("warning", "with invisible or lost characters", invisible),
                ("warning", "with blanks at an end", ids.str.contains(r"^[ \t]|[ \t]$")),
                ("warning", "that another one equals but for its Unicode normal form", _in_two_forms(ids)),
                ("warning", "beyond ASCII, as no other is", _foreign(ids) & ~invisible),
            ]
        for severity, says, odd in kinds:
            rows = odd.arg_true()
            if not rows.len():
                continue
            names = ids.gather(rows).unique(maintain_order=True)
            shown = [int((ids == one).arg_max() or 0) for one in names.head(EXAMPLES)]
            examples = [Example(spelt(ids[row]), file.line(row)) for row in shown]
            told = f"{number_of(what, names.len())} {says}"
            yield found("odd-ids", severity, file, told, rows.len(), examples=examples)


def _foreign(ids: pl.Series) -> pl.Series:
    """The ids with letters beyond ASCII, if they are one or two among many."""
    beyond = ids.str.len_bytes() != ids.str.len_chars()
    names = ids.filter(beyond).unique()
    is_odd = 0 < names.len() <= _FEW and ids.n_unique() >= _MANY
    return beyond if is_odd else pl.repeat(value=False, n=ids.len(), eager=True)


def _in_two_forms(ids: pl.Series) -> pl.Series:
    """Ids of which the same text is there in another normal form."""
    names = ids.unique()
    names = names.filter(names.str.len_bytes() != names.str.len_chars())
    formed = names.str.normalize("NFC")
    return ids.is_in(names.filter(formed.is_duplicated()).implode())


@check(
    "doc-ids", "run", "error", "warning",
    question="Are documents written differently in the run and in the judgments (case, `.txt`, a prefix, `%20`)?",
    advice="write document ids alike in all files: those that differ count as unjudged",
)  # fmt: skip
def doc_ids(system: System) -> Iterator[Finding]:
    """Documents that nobody judged for their query, unless they are written in another way."""
    other = system.other_documents
    if other is None:
        return
    pairs, hits = other.pairs, other.hits
    says = (
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
    yield found("doc-ids", severity, system.run, says, pairs.height, examples=examples)


@check(
    "nothing-found", "run", "error",
    question="Does the run find not a single relevant document?",
    advice="check that run and judgments are of the same collection, and that the run is not upside down",
)  # fmt: skip
def nothing_found(system: System) -> Iterator[Finding]:
    """No relevant document in any topic, and no way of writing ids that would explain it."""
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
        says = f"{which} in the run"
        yield found("nothing-found", "error", system.run, says, examples=examples)


@check(
    "unjudged", "run", "warning", "note",
    question="Are documents in the first 5, 10 or 20 unjudged: more than 20 % (a warning), more than 5 % (a note)?",
    advice="they count as not relevant: `assay compare` says whether they could change a verdict",
)  # fmt: skip
def unjudged(system: System) -> Iterator[Finding]:
    """The mean share of unjudged documents over topics."""
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
    shown = ", ".join(f"{as_percent(share)} of the first {cutoff}" for cutoff, share in shares.items())
    details = [{"cutoff": cutoff, "unjudged": share} for cutoff, share in shares.items()]
    severity: Severity = "warning" if most > UNJUDGED_WARNING else "note"
    yield found("unjudged", severity, system.run, f"unjudged: {shown}", details=details, weight=most)


@check(
    "documents-file", "judgments", "warning",
    question="Are judged documents absent from the file of documents?",
    advice="check that both are of the same collection, and that ids are written alike",
)  # fmt: skip
def documents_file(case: Case) -> Iterator[Finding]:
    """Judged documents that the collection lacks."""
    if case.documents is None:
        return
    known = case.documents.frame.select("doc_id")
    absent = (
        case.grades.select("doc_id")
        .unique(maintain_order=True)
        .join(known, on="doc_id", how="anti", maintain_order="left")
    )
    if absent.height:
        examples = [Example(f"document {quote(one)}") for one in absent["doc_id"].head(EXAMPLES)]
        says = f"{number_of('judged document', absent.height)} not in {case.documents.name}"
        yield found("documents-file", "warning", case.judgments, says, absent.height, examples=examples)


@check(
    "unknown-documents", "run", "warning",
    question="Does the run return documents that are absent from the file of documents?",
    advice="the run is of another version of the collection, or writes ids in another way",
)  # fmt: skip
def unknown_documents(system: System) -> Iterator[Finding]:
    """Retrieved documents that the collection lacks."""
    if system.case.documents is None:
        return
    known = system.case.documents.frame.select("doc_id")
    absent = (
        system.frame.select("doc_id")
        .unique(maintain_order=True)
        .join(known, on="doc_id", how="anti", maintain_order="left")
    )
    if absent.height:
        rows = [int((system.run.rows["doc_id"] == one).arg_max() or 0) for one in absent["doc_id"].head(EXAMPLES)]
        examples = [Example(pair(*system.run.rows.row(row)[:2]), system.run.line(row)) for row in rows]
        says = f"{number_of('document', absent.height)} not in {system.case.documents.name}"
        yield found("unknown-documents", "warning", system.run, says, absent.height, examples=examples)
