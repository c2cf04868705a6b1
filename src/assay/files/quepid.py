"""Labels as Quepid exports them: a book as JSON or a table, the ratings of a case as a table, JSON, or for RRE;
and ratings of the Rated Ranking Evaluator (RRE) as it has them itself.

Quepid knows a query by its text, which stands where the topic is.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import Any

from assay.core.errors import FormatError, naming, number_of
from assay.files.json_values import loaded
from assay.files.label_records import LabelRows, Reader, Wrong, frame_of, gathered
from assay.files.registry import Head
from assay.files.sources import Source
from assay.tables.roles import roles_in

_CASE = re.compile(r'\{\s*"queries"\s*:\s*\[\s*\{\s*"query"\s*:')
#: What a book's judgment without a user is called in Quepid's own tables.
_NOBODY = "Unknown"


def quepid_reader(head: Head) -> Reader | None:
    """The reader of a file, if it is an export of Quepid."""
    text = head.text
    if text.startswith("{"):
        if '"query_doc_pairs"' in text or '"support_implicit_judgements"' in text:
            return _book
        if '"query_groups"' in text and '"placeholders"' in text:
            return _rre_groups
        if '"placeholders"' in text and '"$query"' in text:
            return _rre
        return _case if _CASE.match(text) else None
    header = head.first.split(",") if head.numbered else []
    if header[:2] == ["query", "docid"] and len(header) == 3:
        return _ratings if header[2] == "rating" or "label" not in roles_in("labels", header) else None
    return None


def _book(source: Source, judge: str | None) -> LabelRows:
    """A book: what each person said of each pair of query and document."""
    passed = 0

    def rows_of(pair: dict[str, Any], _: Wrong) -> Iterator[dict[str, Any]]:
        nonlocal passed
        for each in pair.get("judgements") or ():
            if each.get("rating") is None or each.get("unrateable") or each.get("judge_later"):
                passed += 1
                continue
            who = each.get("user_email") or judge or _NOBODY
            yield {"query_id": _text(pair["query_text"]), "item_id": str(pair["doc_id"]), "judge": who,
                   "label": each["rating"], "note": each.get("explanation")}  # fmt: skip

    rows = gathered(source, "Quepid", rows_of, _objects_of_list(source, "query_doc_pairs"))
    said = f"{number_of('judgment', passed)} without a rating (unrateable, or put off) left out"
    return rows._replace(remarks=(said,)) if passed else rows


def _case(source: Source, judge: str | None) -> LabelRows:
    """The ratings of a case: documents with their grades."""
    judge = _named(source, judge)

    def rows_of(query: dict[str, Any], _: Wrong) -> Iterator[dict[str, Any]]:
        for document, rating in (query.get("ratings") or {}).items():
            yield {"query_id": _text(query["query"]), "item_id": document, "judge": judge, "label": rating}

    return gathered(source, "Quepid", rows_of, _objects_of_list(source, "queries"))


def _rre(source: Source, judge: str | None) -> LabelRows:
    """The ratings of a case for the Rated Ranking Evaluator: grades with their documents."""
    judge = _named(source, judge)

    def rows_of(query: dict[str, Any], _: Wrong) -> Iterator[dict[str, Any]]:
        for rating, documents in (query.get("relevant_documents") or {}).items():
            for document in documents:
                yield {"query_id": _text(query["placeholders"]["$query"]), "item_id": str(document), "judge": judge,
                       "label": rating}  # fmt: skip

    return gathered(source, "Quepid for RRE", rows_of, _objects_of_list(source, "queries"))


def _rre_groups(source: Source, judge: str | None) -> LabelRows:
    """Ratings as the Rated Ranking Evaluator has them itself: groups of queries that share their relevant documents."""
    judge = _named(source, judge)

    def groups() -> Iterator[tuple[None, Any]]:
        content = loaded(source)
        for topic in (content, *(content.get("topics") or ())):
            yield from ((None, group) for group in topic.get("query_groups") or ())

    def rows_of(group: dict[str, Any], wrong: Wrong) -> Iterator[dict[str, Any]]:
        for query in group["queries"]:
            texts = query["placeholders"]
            if "$query" not in texts and len(texts) != 1:
                raise wrong("`$query` among the placeholders of a query", ", ".join(texts))
            text = texts.get("$query", next(iter(texts.values())))
            for document, rating in _graded(group.get("relevant_documents") or {}):
                yield {"query_id": _text(text), "item_id": document, "judge": judge, "label": rating}

    return gathered(source, "RRE", rows_of, groups())


def _graded(documents: Any) -> Iterator[tuple[str, Any]]:
    """Documents with their gains: by document, each with its gain, or by gain, each with its documents."""
    for each in documents if isinstance(documents, list) else [documents]:
        for key, value in each.items():
            if isinstance(value, list):
                yield from ((str(document), key) for document in value)
            else:
                yield str(key), value["gain"]


def _ratings(source: Source, judge: str | None) -> LabelRows:
    """A table of a case's ratings, or of a book with one person; a query without ratings has a line of its own."""
    reader = csv.reader(source.read().decode("utf-8-sig", "replace").splitlines(keepends=True))
    header = next(reader)
    judge = _named(source, judge) if header[2] == "rating" else judge or header[2]
    rows, lines = [], []
    for row in reader:
        if not any(row[1:]):
            continue
        if len(row) != len(header):
            raise FormatError(source.name, reader.line_num, expected=", ".join(header), got=",".join(row))
        rows.append({"query_id": _text(row[0]), "item_id": row[1], "judge": judge, "label": row[2] or None})
        lines.append(reader.line_num)
    if not rows:
        raise FormatError(source.name, None, expected="ratings", note="no query in it has any")
    return LabelRows(frame_of(rows), lambda row: (source.name, lines[row]))


def _objects_of_list(source: Source, key: str) -> Iterator[tuple[None, Any]]:
    """The objects of a list in a file that is one object."""
    content = loaded(source)
    if not isinstance(content.get(key), list):
        raise FormatError(source.name, None, expected=f"`{key}`, a list", got=", ".join(content))
    return ((None, each) for each in content[key])


def _named(source: Source, judge: str | None) -> str:
    if judge is None:
        raise FormatError(
            source.name, None, expected="labels of named judges", got="ratings of a case of Quepid",
            note=f"these name nobody: name whoever gave them, {naming()}",
        )  # fmt: skip
    return judge


def _text(query: str) -> str:
    """A query as it was typed: Quepid puts a blank before what a spreadsheet would take for a formula."""
    return query.strip()
