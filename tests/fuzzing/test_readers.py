"""Whatever bytes come, a reader gives a table or a `FormatError`; and what it gives, it gives again.

Nothing else may get out: no exception of a library below, no half-read table, no endless loop.
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from typing import Any, TypeAlias

import polars as pl
import pytest
import zstandard
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import quickly

from assay import FormatError, Qrels, Run, read_documents, read_qrels, read_run, read_topics
from assay.files import Source, formats

BOM = b"\xef\xbb\xbf"
GZIP, ZSTD, XZ = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\x00"
WHOLE = 8 << 20

thoroughly = settings(quickly, max_examples=40)

# Pieces that mean something to a reader, and so get further into it than any byte would.
PIECES = [b" ", b"\t", b"\n", b"\r\n", b"\r", b"\v", b"\0", b"\x1c", b"#", b"# x\n", b'"', b",", b"-", b".", b"\xff"]
PIECES += [b"nan", b"inf", b"1e5", b"0x1", b"1_0", b"\xc3", GZIP]
PIECES += [text.encode() for text in ("é", "\u2028", "\u00a0")]
pieces = st.sampled_from(PIECES) | st.binary(min_size=1, max_size=2)
words = st.sampled_from([b"q1", b"Q0", b"d1", b"1"])
junk = st.binary(max_size=80) | st.lists(pieces | words, max_size=40).map(b"".join)


def rows_of(*fields: st.SearchStrategy[str]) -> st.SearchStrategy[bytes]:
    """Valid lines of a table."""
    row = st.tuples(*fields)
    separator = st.sampled_from([" ", "\t", "  "])
    table = st.tuples(st.lists(row, min_size=1, max_size=6), separator)
    return table.map(lambda given: "".join(given[1].join(row) + "\n" for row in given[0]).encode())


ids = st.sampled_from(["q1", "q2", "d1", "d2", "001", "é"])
scores = st.sampled_from(["1", "-2.5", "1e-3", "inf", "0"])
runs = rows_of(ids, st.just("Q0"), ids, st.just("1"), scores, st.just("mine"))
qrels = rows_of(ids, st.sampled_from(["0", "0", "1"]), ids, scores) | rows_of(ids, ids, scores)


@st.composite
def mutated(draw: st.DrawFn, valid: st.SearchStrategy[bytes]) -> bytes:
    """Valid bytes with a few pieces put in, taken out or put in the place of others.

    A byte-order mark comes first or not at all: one in the middle has a test of its own.
    """
    data = draw(valid)
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(data)))
        data = data[:place] + draw(pieces | st.just(b"")) + data[place + draw(st.integers(0, 3)) :]
    return draw(st.sampled_from([b"", b"", BOM])) + data


def with_checksum(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


Pack: TypeAlias = Callable[[bytes], bytes]
packings: st.SearchStrategy[Pack] = st.sampled_from([gzip.compress, zstandard.compress, with_checksum])


@st.composite
def damaged(draw: st.DrawFn, valid: st.SearchStrategy[bytes]) -> bytes:
    """Compressed bytes, cut short, or with one bit turned over, or with something after them."""
    data = draw(valid)
    parts = [data, draw(valid)] if draw(st.booleans()) else [data]
    pack = draw(packings)
    packed = b"".join(pack(part) for part in parts)
    match draw(st.sampled_from(["intact", "cut", "bit", "more"])):
        case "cut":
            return packed[: draw(st.integers(0, len(packed)))]
        case "bit":
            place = draw(st.integers(0, len(packed) - 1))
            return packed[:place] + bytes([packed[place] ^ 1 << draw(st.integers(0, 7))]) + packed[place + 1 :]
        case "more":
            return packed + draw(junk)
    return packed


def read(reader: Callable[..., Run | Qrels], data: bytes, size: int = WHOLE, **options: Any) -> pl.DataFrame | None:
    """The table, or None for a `FormatError`; anything else that is raised goes on."""
    frame: pl.DataFrame | None = None
    refused: FormatError | None = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Source.chunks, "__defaults__", (size,))
        try:
            frame = reader(io.BytesIO(data), **options).frame.drop("rank", strict=False)
        except FormatError as error:
            refused = error
    if refused is not None:
        assert len(str(refused).splitlines()) == 1
        if refused.line is not None and not data.startswith((GZIP, ZSTD)):
            assert 1 <= refused.line <= len(data.splitlines()) + 1
    return frame


def canonical_run(frame: pl.DataFrame) -> bytes:
    """The rows as plain text; the comment keeps a byte-order mark in the first id from being taken for the file's."""
    return "".join(["#\n", *(f"{query} Q0 {doc} 0 {score!r} tag\n" for query, doc, score in frame.rows())]).encode()


def canonical_qrels(frame: pl.DataFrame) -> bytes:
    """The rows as plain text, with the judge in column 2 if there are judges."""
    with_judge = frame if "judge" in frame.columns else frame.with_columns(judge=pl.lit("0"))
    rows = with_judge.select("query_id", "judge", "doc_id", "relevance").rows()
    return "".join(["#\n", *(f"{query} {judge} {doc} {grade!r}\n" for query, judge, doc, grade in rows)]).encode()


def check_run(data: bytes, size: int) -> None:
    frame = read(read_run, data)
    in_chunks = read(read_run, data, size)
    assert (frame is None) == (in_chunks is None)
    if frame is not None and in_chunks is not None:
        assert frame.schema == {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}
        assert not frame["score"].is_nan().any()
        assert frame.null_count().sum_horizontal().item() == 0
        assert frame.equals(in_chunks)
        again = read(read_run, canonical_run(frame))
        assert again is not None
        assert again.equals(frame)


def check_qrels(data: bytes, size: int) -> None:
    frame = read(read_qrels, data)
    in_chunks = read(read_qrels, data, size)
    assert (frame is None) == (in_chunks is None)
    if frame is not None and in_chunks is not None:
        assert not frame["relevance"].is_nan().any()
        assert frame.null_count().sum_horizontal().item() == 0
        assert frame.equals(in_chunks)
        again = read(read_qrels, canonical_qrels(frame), judges="judge" in frame.columns)
        assert again is not None
        assert again.select(frame.columns).equals(frame)


sizes = st.integers(1, 60)


@given(junk, sizes)
@example(b"", 1)
@example(b"\0", 1)
@example(BOM, 1)
@example(b"\n" * 50, 7)
@example(b"q Q0 d 1 1 t" + b" x" * 1000, 10)
@example("q Q0 d 1 1 t\n".encode("utf-16"), 10)
@thoroughly
def test_junk_is_a_table_or_a_format_error(data: bytes, size: int) -> None:
    check_run(data, size)
    check_qrels(data, size)


@given(mutated(runs), sizes)
@thoroughly
def test_runs_with_mistakes_are_a_table_or_a_format_error(data: bytes, size: int) -> None:
    check_run(data, size)


@given(mutated(qrels), sizes)
@thoroughly
def test_qrels_with_mistakes_are_a_table_or_a_format_error(data: bytes, size: int) -> None:
    check_qrels(data, size)


@given(damaged(runs), sizes)
@thoroughly
def test_damaged_compressed_runs_are_a_table_or_a_format_error(data: bytes, size: int) -> None:
    check_run(data, size)


@given(damaged(qrels), sizes)
@quickly
def test_damaged_compressed_qrels_are_a_table_or_a_format_error(data: bytes, size: int) -> None:
    check_qrels(data, size)


@given(mutated(runs | qrels) | junk.filter(lambda data: data != BOM), sizes, st.sampled_from([None, True, False]))
@quickly
def test_a_format_that_is_forced_upon_a_file_fits_or_is_a_format_error(
    data: bytes, size: int, judges: bool | None
) -> None:
    """A byte-order mark alone has a test of its own."""
    for reader, options in (
        (read_run, {"format": "trec-run"}),
        (read_qrels, {"format": "trec-qrels", "judges": judges}),
        (read_qrels, {"format": "qrels-3", "judges": judges}),
    ):
        frame = read(reader, data, size, **options)
        assert frame is None or frame.height > 0


@given(st.one_of(junk, mutated(runs), damaged(runs)), sizes)
@thoroughly
def test_a_source_gives_whole_lines_or_a_format_error_again_and_again(data: bytes, size: int) -> None:
    source = Source(io.BytesIO(data))

    def chunks() -> list[bytes] | str:
        try:
            return list(source.chunks(size))
        except FormatError as error:
            return str(error)

    first = chunks()
    assert chunks() == first
    if isinstance(first, list):
        assert all(chunk.endswith(b"\n") for chunk in first[:-1])
    if not data.startswith((GZIP, ZSTD, XZ)):
        assert b"".join(first) == data.removeprefix(BOM)  # type: ignore[arg-type]  # plain bytes are never refused


@given(runs, packings, st.data())
@quickly
def test_compressed_data_that_are_cut_short_are_never_taken_for_the_whole(
    data: bytes, pack: Pack, draws: st.DataObject
) -> None:
    packed = pack(data)
    cut = packed[: draws.draw(st.integers(4, len(packed) - 1))]
    assert read(read_run, packed) is not None
    assert read(read_run, cut) is None


# The other formats.

READERS: dict[str, Callable[..., Any]] = {
    "run": read_run,
    "qrels": read_qrels,
    "topics": read_topics,
    "documents": read_documents,
}
KEYS: dict[str, tuple[str, ...]] = {
    "run": ("query_id", "doc_id", "score"),
    "qrels": ("query_id", "doc_id", "relevance"),
}
KEYS |= {"topics": ("query_id", "title"), "documents": ("doc_id", "text")}


def check(data: bytes, **options: Any) -> None:
    """Every reader gives a table without gaps, the same again, or a `FormatError` of one line."""
    for kind, reader in READERS.items():
        tables: list[pl.DataFrame | str] = []
        for _ in range(2):
            try:
                tables.append(reader(io.BytesIO(data), **options.get(kind, {})).frame)
            except FormatError as error:
                tables.append(str(error))
        first, second = tables
        if isinstance(first, str):
            assert first == second
            assert len(first.splitlines()) == 1
        else:
            assert isinstance(second, pl.DataFrame)
            assert first.equals(second)
            assert first.height
            assert first.select(KEYS[kind]).null_count().sum_horizontal().item() == 0
            if kind in {"run", "qrels"}:
                assert not first[KEYS[kind][2]].is_nan().any()


NAMES = ["query_id", "qid", "doc_id", "docno", "score", "rank", "relevance", "label", "judge", "iteration", "title"]
NAMES += ["text", "_id", "id", "query", "query-id", "corpus-id", "Query ID", "metadata", "", "requests", "details"]
NAMES += ["ratings", "rating", "hits", "hit", "_score", "queries", "corpus", "relevant_docs", "expected_ids"]
NAMES += ["retrieved_ids", "retrieved_contexts", "retrieved_context_ids", "reference_context_ids", "user_input"]
cells = st.sampled_from(["q1", "d1", "1", "2.5", "", " ", "nan", "inf", "x", "é", '"', 'a"b', '"a,b"', "#", "-1", "\n"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["q1", "d1", "1", "", "\ud800", "é"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*NAMES, "q1", "d1"]), inner, max_size=4)
    ),
    max_leaves=12,
)
rows = st.dictionaries(st.sampled_from(NAMES), values, max_size=5)
likely = st.fixed_dictionaries(
    {"query_id": values, "doc_id": values}, optional={"score": values, "relevance": values, "title": values}
)


@given(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=5),
    st.lists(st.lists(cells, min_size=1, max_size=5), max_size=5),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
@thoroughly
def test_tables_of_any_cells_are_a_table_or_a_format_error(
    header: list[str], body: list[list[str]], separator: str, end: str
) -> None:
    check("".join(separator.join(row) + end for row in [header, *body]).encode())


@given(st.lists(rows | likely | values, max_size=4), st.sampled_from(["lines", "list", "first", "dicts"]))
@thoroughly
def test_json_of_any_shape_is_a_table_or_a_format_error(records: list[Any], shape: str) -> None:
    text = {
        "lines": "".join(json.dumps(record) + "\n" for record in records),
        "list": json.dumps(records, indent=1),
        "first": json.dumps(records[0] if records else {}),
        "dicts": json.dumps({"q1": {"d1": 1, "d2": records[0] if records else 2}, "q2": {"d1": 0.5}}),
    }
    check(text[shape].encode())


@given(rows, st.sampled_from(["requests", "details", "queries", "relevant_docs", "corpus"]), values)
@thoroughly
def test_the_json_of_other_tools_with_mistakes_is_a_table_or_a_format_error(
    record: dict[str, Any], key: str, value: Any
) -> None:
    check(json.dumps({key: value, **record}).encode())
    check(json.dumps({key: {"q1": value, "q2": {"hits": [{"hit": {"_id": "d1"}}, value]}}}).encode())
    check(json.dumps({"requests": [{"id": value, "ratings": [{"_id": "d", "rating": value}, record]}]}).encode())
    check(json.dumps([{"query": value, "retrieved_ids": value, "expected_ids": [value]}]).encode())


tags = st.sampled_from(
    ["<top>", "</top>", "<TOP>", "<num>", "</num>", "<title>", "<desc>", "<topic number='1'>", "<topic number=2>",
     "</topic>", "<topics>", "</topics>", "<DOC>", "</DOC>", "<DOCNO>", "</DOCNO>", "<TEXT>", "</TEXT>", "<!--", "-->",
     "<", ">", "&lt;", "&#xD800;", "&#0;", "&", "<?xml ?>", "<doc ", "Number:", "1", "tea", "\n", "\r\n", "é", "\0"]
)  # fmt: skip
marks = st.sampled_from(
    [".I 1\n", ".I 2\n", ".I\n", ".T\n", ".W\n", ".W text\n", ".X\n", ".", "words\n", "\r\n", "é\n"]
)


@given(st.lists(tags, max_size=25).map("".join), st.sampled_from(["", "<top>", "<topics>", "<DOC>"]))
@thoroughly
def test_tags_in_any_order_are_a_table_or_a_format_error(text: str, start: str) -> None:
    check((start + text).encode())


@given(st.lists(marks, max_size=15).map("".join))
@thoroughly
def test_smart_records_in_any_order_are_a_table_or_a_format_error(text: str) -> None:
    check((".I 0\n" + text).encode())


@given(junk | mutated(runs | qrels), st.data())
@thoroughly
def test_any_format_forced_upon_any_bytes_fits_or_is_a_format_error(data: bytes, draws: st.DataObject) -> None:
    chosen = {kind: {"format": draws.draw(st.sampled_from(formats(kind))).name} for kind in READERS}  # type: ignore[arg-type]
    check(data, **chosen)


@given(st.sampled_from(["parquet", "ipc"]), st.data())
@thoroughly
def test_damaged_columns_are_a_table_or_a_format_error(kind: str, draws: st.DataObject) -> None:
    frame = pl.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["d1", "d2"], "score": [1.0, 2.0], "label": [1, 0]})
    whole = io.BytesIO()
    getattr(frame, f"write_{kind}")(whole)
    data = whole.getvalue()
    if draws.draw(st.booleans()):
        data = data[: draws.draw(st.integers(0, len(data)))]
    else:
        place = draws.draw(st.integers(0, len(data) - 1))
        data = data[:place] + bytes([data[place] ^ 1 << draws.draw(st.integers(0, 7))]) + data[place + 1 :]
    check(data)
