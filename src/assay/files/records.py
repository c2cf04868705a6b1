"""Common parts of classic collections: records of text, lists of relevant documents, quirks in their making."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import polars as pl

from assay.core.errors import FormatError, Note, argument, number_of
from assay.files.registry import Kind, Loaded
from assay.files.sources import Source, decoded, lines_of
from assay.tables import Documents, Qrels, Topics
from assay.tables.ranking_tables import MISPLACED

#: No record, rank or count has more digits.
_MOST_DIGITS = 18


class Record(NamedTuple):
    """A record: the line it starts on, its id, and its lines."""

    line: int
    key: str
    lines: list[str]

    @property
    def text(self) -> str:
        """The lines put together."""
        return " ".join(" ".join(self.lines).split())


def is_whole(text: str) -> bool:
    """Tell whether a field is a whole number, such as that of a record, and no longer than one ever is.

    >>> is_whole("17"), is_whole("-1"), is_whole("1.0")
    (True, False, False)
    """
    return text.isdecimal() and text.isascii() and len(text) <= _MOST_DIGITS


def plain_number(number: str) -> str:
    """A number without zeros in front.

    >>> plain_number("007"), plain_number("000")
    ('7', '0')
    """
    return number.lstrip("0") or "0"


def marked_records(source: Source, mark: str, *, alone: bool) -> tuple[list[Record], tuple[str, ...]]:
    """Records of a number, lines, and a mark: `alone` on a line, or at the end of one. The last one may lack it.

    >>> import io
    >>> marked_records(Source(io.StringIO("1\\ngreen\\ntea #\\n2\\nmilk")), "#", alone=False)[0][0].text
    'green tea'
    """
    text, warnings = decoded(source)
    rows: list[Record] = []
    is_open = False
    for number, line in enumerate(map(str.strip, lines_of(text)), 1):
        if is_open:
            is_open = not (line == mark or (line.endswith(mark) and not alone))
            rows[-1].lines.append(line if is_open else line.removesuffix(mark))
        elif line:
            if not is_whole(line):
                raise FormatError(source.name, number, expected="the number of a record", got=line)
            rows.append(Record(number, line, []))
            is_open = True
    return rows, warnings


def texts_of(kind: Kind, rows: Sequence[Record], title: str, source: Source, warnings: tuple[str, ...]) -> Any:
    """The topics or the documents that records hold."""
    key, text = ("query_id", "title") if kind == "topics" else ("doc_id", "text")
    frame = pl.DataFrame({key: [row.key for row in rows], text: [row.text for row in rows]})
    return settled_texts(frame, title, source, warnings)


def settled_texts(frame: pl.DataFrame, title: str, source: Source, warnings: tuple[str, ...]) -> Any:
    """The topics or the documents of a frame, each once."""
    frame, more = each_once(frame, source.name)
    make = Topics if "query_id" in frame.columns else Documents
    return make(frame, source.name, title, warnings + more)


def each_once(frame: pl.DataFrame, name: str) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Keep the first of several rows under an id; say how many others there are, alike or not, and what has no text.

    >>> each_once(pl.DataFrame({"doc_id": ["1", "1"], "text": ["tea", "tea"]}), "old")[1]
    ('old: 1 document comes again with the same text; kept once',)
    """
    key, text, what = ("doc_id", "text", "document") if "doc_id" in frame.columns else ("query_id", "title", "topic")
    if not frame.height:
        raise FormatError(name, None, expected=f"{what}s", note="there are none")
    different = frame.unique(maintain_order=True)
    first = different.unique(key, keep="first", maintain_order=True)
    warnings = []
    if alike := frame.height - different.height:
        verb = "comes" if alike == 1 else "come"
        warnings.append(f"{name}: {number_of(what, alike)} {verb} again with the same text; kept once")
    if others := different.height - first.height:
        verb = "comes" if others == 1 else "come"
        example = different.filter(~pl.col(key).is_first_distinct())[key][0]
        warnings.append(
            f"{name}: {number_of(what, others)} {verb} again with another text, such as {example!r}; the first is kept"
        )
    if empty := int((first[text] == "").sum()):
        warnings.append(f"{name}: {number_of(what, empty)} without text")
    return first, tuple(warnings)


def numbered_pairs(rows: Iterable[Record], source: Source) -> Iterator[tuple[str, str]]:
    """The query that each record is about, with each document that it names by number."""
    for row in rows:
        for document in row.text.split():
            if not is_whole(document):
                raise FormatError(source.name, row.line, expected="numbers of documents", got=document)
            yield row.key, document


def relevant(pairs: Iterable[tuple[str, str]], source: Source, warnings: tuple[str, ...] = ()) -> Loaded:
    """Judgments of (query, document) pairs, all of which are relevant."""
    frame = pl.DataFrame(list(pairs), schema={"query_id": pl.String, "doc_id": pl.String}, orient="row")
    if not frame.height:
        raise FormatError(source.name, None, expected="queries and their relevant documents", note="there are none")
    return Loaded(frame.with_columns(relevance=pl.lit(1.0)), warnings=warnings)


_CRANFIELD = {-1.0, 1.0, 2.0, 3.0, 4.0}

_HALF, _NEARLY_ALL = 0.5, 0.9
#: Numbers with more different values than this are no grades.
_MOST_GRADES = 12
#: Of fewer lines than this, nobody can tell whether they are a list of weights.
_FEW_LINES = 5


def turned_round(qrels: Qrels) -> Qrels:
    """Grades of which 1 is the best: the largest becomes 1, and what is not positive 0.

    >>> turned_round(Qrels.of([("q1", "d1", 1), ("q1", "d2", 4), ("q1", "d3", -1)])).frame["relevance"].to_list()
    [4.0, 1.0, 0.0]
    """
    grade = pl.col("relevance")
    turned = pl.when(grade > 0).then(grade.max() + 1 - grade).otherwise(0.0)
    return Qrels(qrels.frame.with_columns(relevance=turned), qrels.name, qrels.format, qrels.warnings)


def upside_down(qrels: Qrels) -> list[str]:
    """A warning if grades look as if 1 were the best one."""
    negative = qrels.frame.filter(pl.col("relevance") < 0)
    if set(qrels.frame["relevance"].unique().to_list()) != _CRANFIELD or not negative["query_id"].is_unique().all():
        return []
    return [
        f"{qrels.name}: these look like Cranfield's codes: 1 is the best grade, 4 the least, and what the one -1 "
        f"a query means is a choice; {argument('inverse_grades', True)} turns 1..4 into 4..1, and -1 into 0"
    ]


def grade_in_column_two(frame: pl.DataFrame, name: str) -> list[str]:
    """A warning if column 4 of judgments is always the same, and column 2 looks like grades.

    >>> rows = {"iteration": ["0", "1"], "relevance": [0.0, 0.0]}
    >>> print(grade_in_column_two(pl.DataFrame(rows), "my.qrels")[0])
    my.qrels: column 4 is always 0, and column 2 is 0 or 1: the grade may be in column 2
    """
    grade = frame["relevance"]
    if not frame.height or grade.min() != grade.max():
        return []
    values = frame["iteration"].unique()
    numbers = values.cast(pl.Float64, strict=False)
    if not 2 <= values.len() <= _MOST_GRADES or numbers.has_nulls():
        return []
    *others, last = (f"{value:g}" for value in numbers.sort())
    grades = f"{', '.join(others)} or {last}"
    warning = f"{name}: column 4 is always {grade[0]:g}, and column 2 is {grades}: the grade may be in column 2"
    return [Note(warning, kind=MISPLACED)]


def fitted(qrels: dict[str, Qrels], topics: Topics | None) -> tuple[dict[str, Qrels], Topics | None, list[str]]:
    """Bring the ids of topics and judgments together, where they differ in a known way, and say so."""
    if topics is None:
        return qrels, None, []
    remarks: list[str] = []
    done: dict[str, Qrels] = {}
    for split, original in qrels.items():
        judged = original
        ids = topics.frame["query_id"].to_list()
        strange = set(judged.topics) - set(ids)
        if strange and _differ_in_zeros(ids, judged.topics):
            judged = _renamed(judged, {topic: plain_number(topic) for topic in judged.topics})
            topics = _renumbered(topics, [plain_number(topic) for topic in ids])
            remarks.append(f"{judged.name}: query ids differ in leading zeros from {topics.name}; they are left out")
        elif strange and _are_positions(judged.topics, len(ids)):
            topics = _renumbered(topics, [str(place) for place in range(1, len(ids) + 1)])
            remarks.append(
                f"{judged.name}: queries are numbered by position, not by the ids of {topics.name}; "
                "the topics are numbered so too, and their own ids are in the column `given_id`"
            )
        done[split] = judged
    for judged in done.values():
        known = set(topics.frame["query_id"])
        strange = set(judged.topics) - known
        if strange:
            unknown = number_of("judged query", len(strange))
            remarks.append(f"{judged.name}: {unknown} not among the topics, such as {min(strange)!r}")
        if without := len(known - set(judged.topics)):
            remarks.append(f"{judged.name}: {number_of('topic', without)} without judgments")
    return done, topics, remarks


def fitted_documents(qrels: Qrels, documents: Documents | None) -> tuple[Qrels, list[str]]:
    """Judged documents under the ids of the collection where only zeros in front differ; say so, and what it lacks.

    >>> said = fitted_documents(Qrels.of({"1": {"0756": 1}}), Documents.of({"756": "Sorting"}))[1]
    >>> print(said[0])
    qrels: 1 judged document is written with zeros in front, unlike the documents: '0756' is '756'
    """
    strange = _unknown(qrels, documents)
    if documents is None or not strange:
        return qrels, []
    plain: dict[str, str] = {}
    for known in documents.frame["doc_id"].to_list():
        if is_whole(known):
            plain[plain_number(known)] = "" if plain_number(known) in plain else known
    names = {judged: plain.get(plain_number(judged), "") for judged in strange if is_whole(judged)}
    names = {judged: known for judged, known in names.items() if known}
    remarks = []
    if names:
        frame = qrels.frame.with_columns(pl.col("doc_id").replace(names))
        settled = Qrels.settled(frame, qrels.name, qrels.format)
        qrels = Qrels(settled.frame, qrels.name, qrels.format, qrels.warnings + settled.warnings)
        are = "document is" if len(names) == 1 else "documents are"
        example, known = next(iter(names.items()))
        remarks.append(
            f"{qrels.name}: {len(names):,} judged {are} written with zeros in front, unlike the documents: "
            f"{example!r} is {known!r}"
        )
        strange = _unknown(qrels, documents)
    if strange:
        remarks.append(
            f"{qrels.name}: {number_of('judged document', len(strange))} not in the collection, such as {strange[0]!r}"
        )
    return qrels, remarks


def _unknown(qrels: Qrels, documents: Documents | None) -> list[str]:
    """The judged documents that the collection lacks."""
    if documents is None:
        return []
    judged = qrels.frame["doc_id"].unique(maintain_order=True)
    return judged.filter(~judged.is_in(documents.frame["doc_id"].implode())).to_list()


def are_no_judgments(qrels: dict[str, Qrels], topics: Topics | None) -> dict[str, str]:
    """Tables that are no judgments, whatever their columns look like, with the reason.

    A list of terms has one line for each number and a weight; most of its numbers are no topics, while those of
    another table are.
    """
    known = set() if topics is None else set(topics.frame["query_id"])
    shares = {split: _share(judged, known) for split, judged in qrels.items()}
    others = {}
    for split, judged in qrels.items():
        if _is_list_of_weights(judged):
            others[split] = "each number comes once, in order, with a weight"
        elif shares[split] < _HALF and max(shares.values()) >= _NEARLY_ALL:
            others[split] = f"only {shares[split]:.0%} of its queries are among the topics"
    return others


def _is_list_of_weights(qrels: Qrels) -> bool:
    """True if each query is a number that comes once, in order, and most grades are broken numbers."""
    queries, weights = qrels.frame["query_id"].to_list(), qrels.frame["relevance"].to_numpy()
    if len(queries) < _FEW_LINES or not all(map(is_whole, queries)):
        return False
    in_order = all(int(before) < int(other) for before, other in itertools.pairwise(queries))
    return in_order and bool((weights % 1 != 0).mean() > _HALF)


def _share(qrels: Qrels, known: set[str]) -> float:
    """The share of the judged queries that are topics, whether zeros stand in front of them or not."""
    plain = {plain_number(topic) for topic in known}
    return sum(topic in known or plain_number(topic) in plain for topic in qrels.topics) / len(qrels.topics)


def _differ_in_zeros(ids: list[str], judged: list[str]) -> bool:
    """True if the judged queries are topics by their numbers, and not as they are written."""
    if not all(map(is_whole, (*ids, *judged))):
        return False
    plain = {plain_number(name) for name in ids}
    once = len(plain) == len(ids) and len({plain_number(name) for name in judged}) == len(judged)
    return once and all(plain_number(name) in plain for name in judged)


def _are_positions(judged: list[str], topics: int) -> bool:
    return set(judged) <= {str(place) for place in range(1, topics + 1)}


def _renamed(qrels: Qrels, names: dict[str, str]) -> Qrels:
    frame = qrels.frame.with_columns(pl.col("query_id").replace_strict(names, return_dtype=pl.String))
    return Qrels(frame, qrels.name, qrels.format, qrels.warnings)


def _renumbered(topics: Topics, ids: list[str]) -> Topics:
    if ids == topics.frame["query_id"].to_list():
        return topics
    given_ids = {} if "given_id" in topics.frame.columns else {"given_id": topics.frame["query_id"]}
    frame = topics.frame.with_columns(pl.Series("query_id", ids), **given_ids)
    return Topics(frame, topics.name, topics.format, topics.warnings)
