"""JSON of one dict of dicts (a run, judgments), and the JSON of other tools."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import polars as pl

from assay.core.errors import EmptyFileError, FormatError, InputError
from assay.files.json_values import loaded, records
from assay.files.registry import Head, Kind, Loaded, named, register
from assay.files.sources import Source
from assay.tables import Documents, Qrels, Run, Topics
from assay.tables.roles import QUERY, TABLES, columns_of, find

_SHAPE = "`{query_id: {doc_id: number}}`"

_KEY = r'"[^"\\]*+(?:\\.[^"\\]*+)*+":'
# White space aside: an object whose values are objects, of which the first that holds anything holds a number.
_DICTS = re.compile(rf"\{{(?:{_KEY}\{{\}},)*+(?:{_KEY}\{{{_KEY}[-0-9NI]|(?:{_KEY}\{{\}})?\}}\Z)")

_KINDS: tuple[Kind, ...] = ("run", "qrels")


def _dicts(kind: Kind, source: Source, name: str) -> Any:
    data = loaded(source)
    if not isinstance(data, dict):
        raise FormatError(source.name, None, expected=_SHAPE, got=type(data).__name__)
    try:
        frame = (Run.of(data, name) if kind == "run" else Qrels.of(data, name)).frame
    except InputError as problem:
        raise FormatError(source.name, None, expected=_SHAPE, note=str(problem)) from problem
    if not frame.height:
        raise EmptyFileError(source.name, _SHAPE)
    if "" in data or (frame["doc_id"] == "").any():
        raise FormatError(source.name, None, expected=_SHAPE, note="an id is empty")
    return Run(frame, name, "JSON", origin=source.name) if kind == "run" else Loaded(frame, title="JSON")


def _is_dicts(head: Head) -> bool:
    return _DICTS.match("".join(head.text.split())) is not None


for _kind in _KINDS:
    register(f"json-{_kind}", _kind, f"JSON of {named(_kind)}", _SHAPE, partial(_dicts, _kind))(_is_dicts)


#: Files that hold one object start with it; its first key is seen also where the rest is too long to be looked at.
_FIRST_KEY = re.compile(r'\{\s*"([^"\\]*+(?:\\.[^"\\]*+)*+)"\s*:')


class Query(NamedTuple):
    """A query in another tool's file: the documents retrieved, best first, and the relevant ones."""

    query_id: str
    retrieved: list[tuple[str, float | None]]
    judged: dict[str, float]


def _elasticsearch(source: Source) -> Iterator[Query]:
    """The request of a ranking evaluation has ratings; its response also has the hits."""
    data = _mapping(loaded(source))
    for request in data.get("requests", []):
        rated = [(_id(rating["_id"]), float(rating["rating"])) for rating in request.get("ratings", [])]
        yield Query(_id(request["id"]), [], _once(rated))
    for query_id, detail in data.get("details", {}).items():
        hits = [(hit["hit"], hit.get("rating")) for hit in detail.get("hits", [])]
        retrieved = [(_id(hit["_id"]), None if hit.get("_score") is None else float(hit["_score"])) for hit, _ in hits]
        judged = [(_id(hit["_id"]), float(rating)) for hit, rating in hits if rating is not None]
        yield Query(_id(query_id), retrieved, _once(judged))


def _opensearch(source: Source) -> Iterator[Query]:
    """Judgments of OpenSearch's Search Relevance Workbench: queries are known by their text."""
    for query in _list(loaded(source)["judgmentRatings"]):
        rated = [(_id(rating["docId"]), float(rating["rating"])) for rating in _list(query["ratings"])]
        yield Query(_id(query["query"]), [], _once(rated))


def _llamaindex_dataset(source: Source) -> Iterator[Query]:
    """Questions made for a corpus: `queries`, `corpus`, `relevant_docs`."""
    for query_id, documents in _mapping(loaded(source)["relevant_docs"]).items():
        yield Query(_id(query_id), [], {_id(document): 1.0 for document in _list(documents)})


def _with_lists(retrieved: str, relevant: str, source: Source) -> Iterator[Query]:
    """One object a query, with lists of retrieved and of relevant documents."""
    for _, record in records(source):
        keys = list(record)
        key = find(TABLES["topics"][0], keys) or find(QUERY, keys)
        if key is None:
            raise KeyError("query_id or id")
        query_id = _id(record[key])
        documents = [(_id(document), None) for document in _list(record.get(retrieved) or [])]
        judged = {_id(document): 1.0 for document in _list(record.get(relevant) or [])}
        yield Query(query_id, list(dict.fromkeys(documents)), judged)


def _id(value: Any) -> str:
    """Ids are text or whole numbers."""
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise TypeError(f"expected text or a whole number as id, got {value!r:.80}")
    return str(value)


def _list(value: Any) -> list[Any]:
    """A list: the letters of a text are not its documents."""
    if not isinstance(value, list):
        raise TypeError(f"expected a list of documents, got {value!r:.80}")
    return value


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"expected an object, got {value!r:.80}")
    return value


def _once(rated: list[tuple[str, float]]) -> dict[str, float]:
    """Grades by document; refuse those that contradict one another, and those that are no number."""
    grades: dict[str, float] = {}
    for document, grade in rated:
        if not math.isfinite(grade) or grades.setdefault(document, grade) != grade:
            raise ValueError(f"expected one finite rating of document {document!r:.80}")
    return grades


def _read(kind: Kind, title: str, queries: Callable[[Source], Iterator[Query]], source: Source, name: str) -> Any:
    try:
        results = list(queries(source))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as problem:
        raise _unfit(source, title, problem) from problem
    if len({query.query_id for query in results}) < len(results) and title == "ragas records":
        raise FormatError(source.name, None, expected="each query once in ragas records", note="give queries an id")
    ranked = [
        (query.query_id, document, -float(rank) if score is None else score, float(rank))
        for query in results
        for rank, (document, score) in enumerate(query.retrieved, 1)
    ]
    judged = [(query.query_id, document, grade) for query in results for document, grade in query.judged.items()]
    columns = ("query_id", "doc_id", "score", "rank") if kind == "run" else ("query_id", "doc_id", "relevance")
    schema = {column: pl.String if column.endswith("_id") else pl.Float64 for column in columns}
    try:
        frame = pl.DataFrame(ranked if kind == "run" else judged, schema=schema, orient="row")
    except UnicodeEncodeError as problem:
        raise _unfit(source, title, problem) from problem
    if not frame.height:
        raise FormatError(source.name, None, expected=f"{kind} in a file of {title}", note="there are none")
    if kind == "run" and frame["score"].is_nan().any():
        raise FormatError(source.name, None, expected="a number as score", got="nan")
    return Run(frame, name, title, origin=source.name) if kind == "run" else Loaded(frame)


def _unfit(source: Source, title: str, problem: Exception) -> FormatError:
    note = f"there is no {problem}" if isinstance(problem, KeyError) else str(problem)
    return FormatError(source.name, None, expected=f"a file of {title}", note=" ".join(note.split())[:200])


def _llamaindex_texts(kind: Kind, source: Source, name: str) -> Topics | Documents:
    try:
        held = _mapping(loaded(source)["queries" if kind == "topics" else "corpus"])
        if not held:
            raise FormatError(source.name, None, expected=f"{kind} in a LlamaIndex dataset", note="there are none")
        ids = [_id(key) for key in held]
        texts = [str(text) for text in held.values()]
        if kind == "topics":
            return Topics(pl.DataFrame({"query_id": ids, "title": texts}), name, "LlamaIndex dataset")
        return Documents(pl.DataFrame({"doc_id": ids, "text": texts}), name, "LlamaIndex dataset")
    except (KeyError, TypeError, UnicodeEncodeError) as problem:
        raise _unfit(source, "LlamaIndex dataset", problem) from problem


def _has_key(kind: Kind, wanted: tuple[str, ...], head: Head) -> bool:
    """True if the first object has one of these keys, as far as it can be seen, and is no row of a table itself."""
    start = head.text
    if not start.startswith(("{", "[")):
        return False
    first = head.first_object
    if first is not None:
        return any(key in first for key in wanted) and (kind == "topics" or columns_of(kind, list(first)) is None)
    match = _FIRST_KEY.match(start)
    return (match is not None and match[1] in wanted) or any(f'"{key}":' in start for key in wanted)


_RAGAS_IDS, _RAGAS_TEXTS = (
    ("retrieved_context_ids", "reference_context_ids"),
    ("retrieved_contexts", "reference_contexts"),
)
_LLAMAINDEX_IDS = ("expected_ids", "retrieved_ids")
_ELASTIC = "Elasticsearch ranking evaluation"

_TOOLS: list[tuple[str, tuple[str, ...], str, Callable[[Source], Iterator[Query]], tuple[Kind, ...]]] = [
    ("llamaindex-dataset", ("relevant_docs", "queries"), "LlamaIndex dataset", _llamaindex_dataset, ("qrels",)),
    ("llamaindex", _LLAMAINDEX_IDS, "LlamaIndex records", partial(_with_lists, *_LLAMAINDEX_IDS[::-1]), _KINDS),
    ("ragas", _RAGAS_IDS, "ragas records", partial(_with_lists, *_RAGAS_IDS), _KINDS),
    ("ragas-texts", _RAGAS_TEXTS[:1], "ragas records", partial(_with_lists, *_RAGAS_TEXTS), _KINDS),
    ("elasticsearch-request", ("requests",), _ELASTIC, _elasticsearch, ("qrels",)),
    ("elasticsearch", ("details",), _ELASTIC, _elasticsearch, _KINDS),
    ("opensearch", ("judgmentRatings",), "OpenSearch judgments", _opensearch, ("qrels",)),
]

for _name, _keys, _says, _queries, _kinds in _TOOLS:
    for _kind in _kinds:
        register(f"{_name}-{_kind}", _kind, _says, f"with `{_keys[0]}`", partial(_read, _kind, _says, _queries))(
            partial(_has_key, _kind, _keys)
        )

for _kind in ("topics", "documents"):
    register(
        f"llamaindex-dataset-{_kind}", _kind, "LlamaIndex dataset", "with `corpus`", partial(_llamaindex_texts, _kind)
    )(partial(_has_key, _kind, ("relevant_docs", "queries")))
