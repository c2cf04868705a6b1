"""Checks of files line by line: how they are written, and rows that are there twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from assay.core.errors import listed, number_of, quote
from assay.files.columns import Problem
from assay.subjects.ranking.checks.examination import ExaminedCollection, ExaminedRun
from assay.subjects.ranking.checks.opening import Opened
from assay.verbs.diagnosis.examination import EXAMPLES, CheckFinding, Example, Severity, check, finding, pair

_PLAIN, _FINITE = "write plain numbers such as 12.5", "give documents finite scores: those with infinite ones tie"


def _bad(problems: Sequence[Problem]) -> list[Example]:
    return [Example(f"{quote(problem.text)} ({problem.words})", problem.line) for problem in problems[:EXAMPLES]]


@check(
    "empty", "file", "error", "warning",
    advice="unless a system really found nothing, write the file again: whatever made it has failed",
)  # fmt: skip
def empty(file: Opened) -> Iterator[CheckFinding]:
    """Is the file empty, or without a line of data (of a run, a warning)?"""
    severity: Severity = "warning" if file.kind == "run" else "error"
    if file.source is None:
        if file.frame is not None and not file.rows.height:
            yield finding("empty", severity, file, "there are no data in the table")
        return
    if is_empty(file):
        what = "the file is empty" if file.looks and not file.looks.size else "there are no data in the file"
        yield finding("empty", severity, file, what)


def is_empty(file: Opened) -> bool:
    """True if nothing was read because there is nothing."""
    is_damaged = file.looks is not None and bool(file.looks.damage)
    return file.frame is None and not is_damaged and (file.is_blank or not file.refusal)


@check("compression", "file", "error", advice="copy or compress a damaged file again; unpack archives")
def compression(file: Opened) -> Iterator[CheckFinding]:
    """Is a compressed file damaged or compressed twice, or is the file an archive?"""
    if file.looks is not None and file.looks.damage:
        yield finding("compression", "error", file, file.looks.damage)


@check("encoding", "file", "error", advice="save the file as UTF-8")
def encoding(file: Opened) -> Iterator[CheckFinding]:
    """Is the file in another encoding than UTF-8?"""
    lines = file.tolerated
    if lines is not None and lines.encoding == "UTF-16":
        yield finding("encoding", "error", file, "the file is in UTF-16, not in UTF-8")
    elif lines is not None and lines.encoding_lines:
        count = len(lines.encoding_lines)
        texts = dict(zip(lines.lines.tolist(), lines.frame.iter_rows(), strict=True))
        places = lines.encoding_lines[:EXAMPLES]
        examples = [Example(pair(*texts[line][:2]) if line in texts else "not UTF-8", line) for line in places]
        message = f"{number_of('line', count)} {'is' if count == 1 else 'are'} not in UTF-8 but, it seems, in Latin-1"
        yield finding("encoding", "error", file, message, count, examples=examples)


@check(
    "separators", "file", "error",
    advice="separate all fields by one space or one tab; a table with commas needs a header line",
)  # fmt: skip
def separators(file: Opened) -> Iterator[CheckFinding]:
    """Are fields separated by commas, without a header that names them?"""
    lines = file.tolerated
    if lines is not None and lines.separator is not None and not lines.named:
        message = f"fields are separated by {lines.separator!r}, not by blanks, and no header names them"
        yield finding("separators", "error", file, message, int(lines.lines.size))


@check(
    "format", "file", "error",
    advice="write a run as `query_id Q0 doc_id rank score tag`, judgments as `query_id 0 doc_id grade`; see docs/files",
)  # fmt: skip
def file_format(file: Opened) -> Iterator[CheckFinding]:
    """Is the file in a format that Assay does not know?"""
    if file.is_blank or file.other or not file.refusal:
        return
    if (lines := file.tolerated) is not None:
        # Whoever tells what is wrong need not tell that strict readers refuse it.
        is_reported = lines.malformed or lines.numbers or lines.header or lines.encoding != "UTF-8"
        if is_reported or (lines.separator and not lines.named) or _has_empty_ids(file):
            return
    yield finding("format", "error", file, f"this cannot be read: {file.refusal}")


def _has_empty_ids(file: Opened) -> bool:
    return any(bool((file.rows[column] == "").any()) for column in ("query_id", "doc_id"))


@check("swapped", "file", "error", advice="judgments come first, then the runs: assay doctor QRELS RUN...")
def swapped(file: Opened) -> Iterator[CheckFinding]:
    """Is a run given in place of judgments, or the other way round?"""
    if file.frame is None and file.other:
        wanted = "a run" if file.kind == "run" else "judgments"
        yield finding("swapped", "error", file, f"expected {wanted}, but this looks like {file.other}")


@check(
    "header", "file", "error",
    advice="delete that line; or separate all fields by commas or tabs, which makes it a table with a header",
)  # fmt: skip
def header(file: Opened) -> Iterator[CheckFinding]:
    """Is there a line with the names of columns in a format that has none?"""
    if file.tolerated is not None and file.tolerated.header is not None:
        bad = file.tolerated.header
        yield finding(
            "header", "error", file, "the first line names columns", 1, examples=[Example(quote(bad.text), bad.line)]
        )


@check(
    "malformed", "file", "error",
    advice="fix or delete these lines, and find out what wrote them: lines next to them may be wrong, too",
)  # fmt: skip
def malformed(file: Opened) -> Iterator[CheckFinding]:
    """Do lines have too few or too many columns?"""
    if file.tolerated is not None and (bad := file.tolerated.malformed):
        message = f"{number_of('line', len(bad))} without the expected {file.tolerated.width} columns"
        yield finding("malformed", "error", file, message, len(bad), examples=_bad(bad))


@check("numbers", "file", "error", "warning", advice=f"{_PLAIN}; {_FINITE}")
def numbers(file: Opened) -> Iterator[CheckFinding]:
    """Are scores or grades not numbers, or infinite?"""
    column = "score" if file.kind == "run" else "relevance"
    if file.tolerated is not None and (bad := file.tolerated.numbers):
        message = f"{number_of('line', len(bad))} without a numeric {column}"
        yield finding("numbers", "error", file, message, len(bad), examples=_bad(bad), todo=_PLAIN)
    if file.frame is None or not file.rows.height:
        return
    values = file.rows[column].to_numpy()
    for odd, message in ((np.isnan(values), "not a number"), (np.isinf(values), "infinite")):
        rows = np.flatnonzero(odd)
        if not len(rows):
            continue
        examples = [file.written(row) for row in rows[:EXAMPLES].tolist()]
        severity: Severity = "warning" if message == "infinite" else "error"
        summary = f"{number_of(column, len(rows))} {message}"
        todo = _FINITE if message == "infinite" else _PLAIN
        yield finding("numbers", severity, file, summary, len(rows), examples=examples, todo=todo)


@check(
    "tags", "file", "warning", advice="keep the lines of one tag in a file; if they belong together, give them one tag"
)
def tags(file: Opened) -> Iterator[CheckFinding]:
    """Does a run have several tags, as if several runs were concatenated?"""
    if file.frame is None or "tag" not in file.rows.columns:
        return
    names = file.rows["tag"].rle().struct.field("value").unique(maintain_order=True)
    names = names.filter(names != "")
    if names.len() > 1:
        places = [int((file.rows["tag"] == name).arg_max() or 0) for name in names.head(EXAMPLES)]
        examples = [Example(f"tag {quote(file.rows['tag'][row])}", file.line(row)) for row in places]
        message = f"{number_of('tag', names.len())} in one file: {listed(names.to_list())}"
        yield finding("tags", "warning", file, message, names.len(), examples=examples)


_PAIR = ("query_id", "doc_id")


@check(
    "duplicates", "ranking", "error", advice="find out why; until then, evaluate with `{duplicates=first}` or `best`"
)
def duplicates(system: ExaminedRun) -> Iterator[CheckFinding]:
    """Does a query list a document twice?"""
    again = system.repeated
    count = int(again.sum())
    if not count:
        return
    run = system.run
    examples = [run.example(row) for row in again.arg_true().head(EXAMPLES).to_list()]
    pairs = run.rows.filter(again).select(*_PAIR).unique()
    scores = run.rows.join(pairs, on=_PAIR, how="semi").group_by(_PAIR).agg(pl.col("score").n_unique())["score"]
    differing = int((scores > 1).sum())
    with_scores = f", {differing} of them with different scores" if differing else ", always with the same score"
    lines = f"{number_of('line', count)} too many{with_scores}"
    message = f"{number_of('document', pairs.height)} more than once in a query ({lines})"
    yield finding("duplicates", "error", run, message, count, examples=examples)


@check(
    "judged-twice", "judgments", "error", "warning",
    advice="keep one judgment per document; where assessors disagree, decide by a rule such as the majority",
)  # fmt: skip
def judged_twice(case: ExaminedCollection) -> Iterator[CheckFinding]:
    """Is a document judged twice for a query, with the same grade or with another?"""
    file = case.judgments
    keys = [*_PAIR, case.judge_column] if case.has_judges and case.judge_column else list(_PAIR)
    frame = file.rows.with_row_index("row")
    again = ~frame.select(pl.struct(keys).is_first_distinct()).to_series()
    if not again.any():
        return
    pairs = frame.filter(again).select(keys).unique()
    groups = frame.join(pairs, on=keys, how="semi", nulls_equal=True).with_columns(
        first=pl.col("relevance").first().over(keys), grades=pl.col("relevance").n_unique().over(keys)
    )
    for conflict in (True, False):
        chosen = groups.filter((pl.col("grades") > 1) == conflict)
        if not chosen.height:
            continue
        documents = chosen.n_unique(keys)
        others = chosen.filter(pl.col("relevance") != pl.col("first")) if conflict else _later(chosen, keys)
        examples = [
            file.example(row, f": {grade:g}, before {first:g}" if conflict else f": {grade:g} again")
            for row, grade, first in others.sort("row").head(EXAMPLES).select("row", "relevance", "first").iter_rows()
        ]
        how = "with different grades" if conflict else "with the same grade"
        message = f"{number_of('document', documents)} judged more than once, {how}"
        yield finding("judged-twice", "error" if conflict else "warning", file, message, documents, examples=examples)


def _later(rows: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    return rows.filter(~pl.struct(keys).is_first_distinct())


@check(
    "judges", "judgments", "error",
    advice="choose a judge (`{judge}`), or say that they are subtopics (`{subtopics=True}`); evaluation needs to know",
)  # fmt: skip
def judges(case: ExaminedCollection) -> Iterator[CheckFinding]:
    """Does column 2 of the judgments name several judges, or subtopics?"""
    if case.judge_column is None or not case.has_judges:
        return
    file = case.judgments
    names = file.rows[case.judge_column].unique().sort().to_list()
    message = f"documents are judged by {number_of('judge', len(names))}, or for as many subtopics"
    examples = (Example(", ".join(map(str, names[:5])) + (", …" if len(names) > 5 else "")),)
    yield finding("judges", "error", file, message, len(names), examples=examples)
