"""Checks of document ids, and of ids that look odd in themselves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from assay.diagnosis.case import TOP, Case, Renamed, System
from assay.diagnosis.findings import Example, Finding, Severity, pair
from assay.diagnosis.opening import Opened
from assay.diagnosis.registry import advice, check
from assay.errors import number_of, quote
from assay.measures import Judged

_EXAMPLES = 3
#: Where this share of the judged documents found is found under another way of writing only, it is an error.
_HALF = 0.5
#: Ids longer than this are worth a note.
_LONG = 200
_NO_VALUE = ["nan", "NaN", "None", "none", "null", "NULL", "<NA>", "undefined"]
UNJUDGED_AT = (5, 10, 20)
UNJUDGED_NOTE, UNJUDGED_WARNING = 0.05, 0.2


@check(
    "odd-ids", "file", "warning", "note",
    question="Do ids hold quotation marks, invisible characters or blanks at an end, or are they `nan`, or very long?",
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
            ("warning", "in quotation marks", ids.str.contains(r"^([\"'`]).*[\"'`]$")),
            ("warning", "that is a word for nothing", ids.is_in(_NO_VALUE)),
            ("note", f"longer than {_LONG} bytes", ids.str.len_bytes() > _LONG),
        ]
        if not plain:
            kinds += [
                (
                    "warning",
                    "with invisible characters",
                    ids.str.contains(r"[\p{Cc}\p{Cf}\x{00A0}\x{2000}-\x{200A}\x{3000}]"),
                ),
                ("warning", "with blanks at an end", ids.str.contains(r"^[ \t]|[ \t]$")),
                ("warning", "that another one equals but for its Unicode normal form", _in_two_forms(ids)),
            ]
        for severity, says, odd in kinds:
            rows = odd.arg_true()
            if not rows.len():
                continue
            names = ids.gather(rows).unique(maintain_order=True)
            shown = [int((ids == one).arg_max() or 0) for one in names.head(_EXAMPLES)]
            examples = tuple(Example(_ascii(ids[row]), file.line(row)) for row in shown)
            yield Finding(
                "odd-ids", severity, file.file, f"{number_of(what, names.len())} {says}", advice("odd-ids"), rows.len(),
                examples, system=file.name if file.kind == "run" else None, weight=rows.len(),
            )  # fmt: skip


def _ascii(text: str) -> str:
    """Text with everything that may be invisible spelt out."""
    return ascii(text if len(text) <= 60 else text[:59] + "…")


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
    found = system.other_documents
    if found is None:
        return
    pairs, hits = found.pairs, found.hits
    says = (
        f"{number_of('retrieved document', pairs.height)} would be judged but for {found.differ_in}; "
        f"{number_of('other', hits)} {'is' if hits == 1 else 'are'} (in the first {TOP} of each query)"
    )
    examples = []
    for query, ours_id, theirs_id in pairs.head(_EXAMPLES).iter_rows():
        rows = (system.run.rows["query_id"] == query) & (system.run.rows["doc_id"] == ours_id)
        text = f"query {quote(query)}: {quote(ours_id)} here, {quote(theirs_id)} in the judgments"
        examples.append(Example(text, system.run.line(int(rows.arg_max() or 0))))
    yield Finding(
        "doc-ids", "error" if _are_lost(found) else "warning", system.run.file, says, advice("doc-ids"), pairs.height,
        tuple(examples), system=system.name, weight=pairs.height,
    )  # fmt: skip


def _are_lost(found: Renamed) -> bool:
    """Whether so many documents are written differently that scores mean nothing."""
    return found.pairs.height >= _HALF * (found.hits + found.pairs.height)


@check(
    "nothing-found", "run", "error",
    question="Does the run find not a single relevant document?",
    advice="check that run and judgments are of the same collection, and that the run is not upside down",
)  # fmt: skip
def nothing_found(system: System) -> Iterator[Finding]:
    """No relevant document in any topic, and no way of writing ids that would explain it."""
    ranks = system.ranks
    if ranks is None or not ranks.relevant().any() or system.other_documents is not None:
        return
    if not ((ranks.hits.grade >= system.case.level) & (ranks.hits.grade > 0)).any():
        examples = [Example(pair(*row), None) for row in system.frame.select("query_id", "doc_id").head(1).rows()]
        examples += [
            Example(f"{pair(*row)} in the judgments")
            for row in system.case.grades.select("query_id", "doc_id").head(1).rows()
        ]
        says = f"none of the {number_of('relevant document', int(ranks.relevant().sum()))} is in the run"
        yield Finding(
            "nothing-found", "error", system.run.file, says, advice("nothing-found"), 1, tuple(examples),
            system=system.name,
        )  # fmt: skip


@check(
    "unjudged", "run", "warning", "note",
    question="Are documents in the first 5, 10 or 20 unjudged: more than 20 % (a warning), more than 5 % (a note)?",
    advice="they count as not relevant: `assay compare` says whether they could change a verdict",
)  # fmt: skip
def unjudged(system: System) -> Iterator[Finding]:
    """The mean share of unjudged documents over topics."""
    ranks, renamed = system.ranks, system.other_documents
    if ranks is None or (renamed is not None and _are_lost(renamed)):
        return
    shares = {}
    for cutoff in UNJUDGED_AT:
        judged = Judged(cutoff=cutoff).of(ranks)
        if not np.isnan(judged).all():
            shares[cutoff] = 1 - float(np.nanmean(judged))
    most = max(shares.values(), default=0.0)
    if most <= UNJUDGED_NOTE:
        return
    shown = ", ".join(f"{share:.1%} of the first {cutoff}" for cutoff, share in shares.items())
    yield Finding(
        "unjudged", "warning" if most > UNJUDGED_WARNING else "note", system.run.file, f"unjudged: {shown}",
        advice("unjudged"), 1, (), tuple({"cutoff": cutoff, "unjudged": share} for cutoff, share in shares.items()),
        system.name, most,
    )  # fmt: skip


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
        examples = tuple(Example(f"document {quote(one)}") for one in absent["doc_id"].head(_EXAMPLES))
        says = f"{number_of('judged document', absent.height)} not in {case.documents.name}"
        yield Finding(
            "documents-file", "warning", case.judgments.file, says, advice("documents-file"), absent.height, examples
        )


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
        rows = [int((system.run.rows["doc_id"] == one).arg_max() or 0) for one in absent["doc_id"].head(_EXAMPLES)]
        examples = tuple(Example(pair(*system.run.rows.row(row)[:2]), system.run.line(row)) for row in rows)
        says = f"{number_of('document', absent.height)} not in {system.case.documents.name}"
        yield Finding(
            "unknown-documents", "warning", system.run.file, says, advice("unknown-documents"), absent.height, examples,
            system=system.name, weight=absent.height,
        )  # fmt: skip
