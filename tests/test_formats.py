"""Formats: each reads as its example says, is told from the others, and comes back as it was written."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import polars as pl
import pytest
import zstandard
from cases import in_turn
from command import run_assay
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import quickly

from assay import (
    Documents,
    DuplicateError,
    FormatError,
    InputError,
    ParameterError,
    Qrels,
    Run,
    Topics,
    evaluate,
    read_collection,
    read_documents,
    read_qrels,
    read_run,
    read_topics,
    scan_run,
    write,
)
from assay.core.errors import MissingDependencyError
from assay.files import Source, detect, formats
from assay.files.writing import left_out, writers

Rows: TypeAlias = list[tuple[Any, ...]]
READERS: dict[str, Callable[..., Any]] = {
    "run": read_run,
    "qrels": read_qrels,
    "topics": read_topics,
    "documents": read_documents,
}
KINDS = list(READERS)


class Sample(NamedTuple):
    """A file, what it is, and the first columns of the table that it holds."""

    kind: str
    format: str
    text: str
    rows: Rows


RUN_ROWS: Rows = [("q1", "d1", 2.5), ("q1", "d2", 1.0), ("q2", "d1", 0.5)]
BY_RANK: Rows = [("q1", "d1", -1.0), ("q1", "d2", -2.0), ("q2", "d1", -1.0)]
QRELS_ROWS: Rows = [("q1", "d1", 2.0), ("q1", "d2", 0.0), ("q2", "d1", 1.0)]
FROM_LISTS: Rows = [("1", "7", 1.0), ("1", "12", 1.0), ("2", "3", 1.0)]
TOPIC_ROWS: Rows = [("1", "green tea", "How is green tea made?", "Steeping counts."), ("2", "iced tea", "", "")]
TITLES: Rows = [("1", "green tea", "", ""), ("2", "iced tea", "", "")]
DOCUMENT_ROWS: Rows = [("d1", "Tea", "Steep it."), ("d2", "", 'Boil, "then" wait.')]

ES_REQUEST = {
    "requests": [
        {"id": "q1", "request": {"query": {"match": {"title": "tea"}}},
         "ratings": [{"_index": "t", "_id": "d1", "rating": 2}, {"_index": "t", "_id": "d2", "rating": 0}]},
        {"id": "q2", "request": {}, "ratings": [{"_index": "t", "_id": "d1", "rating": 1}]},
    ],
    "metric": {"precision": {"k": 10}},
}  # fmt: skip
OPENSEARCH = {
    "name": "tea",
    "judgmentRatings": [
        {"query": "q1", "ratings": [{"docId": "d1", "rating": "2.000"}, {"docId": "d2", "rating": "0"}]},
        {"query": "q2", "ratings": [{"docId": "d1", "rating": 1}]},
    ],
}
ES_RESPONSE = {
    "metric_score": 0.5,
    "details": {
        "q1": {"metric_score": 0.5, "unrated_docs": [], "hits": [
            {"hit": {"_index": "t", "_id": "d1", "_score": 2.5}, "rating": 2},
            {"hit": {"_index": "t", "_id": "d2", "_score": 1.0}, "rating": 0}]},
        "q2": {"metric_score": 0.5, "hits": [{"hit": {"_index": "t", "_id": "d1", "_score": 0.5}, "rating": 1},
                                              {"hit": {"_index": "t", "_id": "d9", "_score": 0.25}, "rating": None}]},
    },
    "failures": {},
}  # fmt: skip
RAGAS: list[dict[str, Any]] = [
    {"user_input": "q1", "retrieved_contexts": ["Steep it.", "Boil it."], "reference_contexts": ["Steep it."]},
    {"user_input": "q2", "retrieved_contexts": ["Boil it."], "reference_contexts": ["Wait."], "response": "so"},
]
RAGAS_IDS: list[dict[str, Any]] = [
    {"user_input": "q1", "retrieved_contexts": ["x"], "retrieved_context_ids": ["d1", "d2"],
     "reference_context_ids": ["d1"]},
    {"user_input": "q2", "retrieved_contexts": ["y"], "retrieved_context_ids": [7], "reference_context_ids": ["d2"]},
]  # fmt: skip
LLAMAINDEX = {
    "queries": {"q1": "what is tea?", "q2": "why tea?"},
    "corpus": {"d1": "Steep it.", "d2": "Boil it."},
    "relevant_docs": {"q1": ["d1"], "q2": ["d1", "d2"]},
    "mode": "text",
}
RETRIEVALS: list[dict[str, Any]] = [
    {"query": "q1", "expected_ids": ["d1"], "retrieved_ids": ["d1", "d2"], "metric_vals": {"mrr": 1.0}},
    {"query": "q2", "expected_ids": ["d2"], "retrieved_ids": ["d1"]},
]


def as_jsonl(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


CLASSIC = """<top>
<num> Number: 1
<title> Topic: green tea

<desc> Description:
How is green tea made?

<narr> Narrative:
Steeping counts.
</top>

<top>
<num> 2
<title> iced
tea
</top>
"""
CLOSED = """<top><num>1</num><title>green tea</title>
<desc>How is green tea made?</desc><narr>Steeping counts.</narr></top>
<TOP> <NUM> Number: 2 </NUM> <TITLE> iced tea </TITLE> </TOP>
"""
COVID = """<?xml version="1.0" encoding="UTF-8"?>
<!-- <topic number="0"> a comment -->
<topics task="COVIDSEARCH" batch="1">
  <topic number="1">
    <query>green tea</query>
    <question>How is green tea made?</question>
    <narrative>Steeping counts.</narrative>
  </topic>
  <topic number='2'><query>iced tea</query></topic>
</topics>
"""
DOCS = """<DOC>
<DOCNO> d1 </DOCNO>
<HEADLINE>Tea</HEADLINE>
<TEXT>
Steep
</TEXT>
<TEXT>
it.
</TEXT>
</DOC>
<doc id="x"><docno>d2</docno><text><p>Boil, &quot;then&quot;</p> wait.</text></doc>
"""

SECTIONS = "# mine\n[topic 1]\ntitle: tea\n\n[topic 2]\ntitle: milk\nnarrative: Hot.\n"
SECTION_ROWS = [("1", "tea", "", ""), ("2", "milk", "", "Hot.")]

SAMPLES = {
    "topics in sections": Sample("topics", "topics in sections", SECTIONS, SECTION_ROWS),
    "TREC run": Sample("run", "TREC run", "q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1 t\nq2 Q0 d1 1 0.5 t\n", RUN_ROWS),
    "MS MARCO run": Sample("run", "MS MARCO run", "q1\td1\t1\nq1\td2\t2\nq2\td1\t1\n", BY_RANK),
    "CSV run": Sample(
        "run", "CSV with a header", "query_id,doc_id,score\nq1,d1,2.5\nq1,d2,1\nq2,d1,0.5\n", RUN_ROWS
    ),
    "CSV run, other names": Sample(
        "run", "CSV with a header", "docno;rank;qid\nd1;1;q1\nd2;2;q1\nd1;1;q2\n", BY_RANK
    ),
    "TSV run with further columns": Sample(
        "run", "TSV with a header", "QID\tDocNo\tname\tScore\nq1\td1\tx\t2.5\nq1\td2\ty\t1\nq2\td1\tz\t0.5\n", RUN_ROWS
    ),
    "JSON run": Sample(
        "run", "JSON", '{"q0": {}, "q1": {"d1": 2.5, "d2": 1},\n "q2": {"d1": 0.5}}', RUN_ROWS
    ),
    "JSONL run": Sample(
        "run", "JSONL", as_jsonl([{"query_id": q, "doc_id": d, "score": s} for q, d, s in RUN_ROWS]), RUN_ROWS
    ),
    "JSON list run": Sample(
        "run", "JSONL", json.dumps([{"qid": q, "docno": d, "score": s} for q, d, s in RUN_ROWS], indent=1), RUN_ROWS
    ),
    "Elasticsearch response": Sample(
        "run", "Elasticsearch ranking evaluation", json.dumps(ES_RESPONSE), [*RUN_ROWS, ("q2", "d9", 0.25)]
    ),
    "ragas run": Sample(
        "run", "ragas records", as_jsonl(RAGAS),
        [("q1", "Steep it.", -1), ("q1", "Boil it.", -2), ("q2", "Boil it.", -1)],
    ),
    "ragas run by ids": Sample(
        "run", "ragas records", json.dumps(RAGAS_IDS, indent=2), [("q1", "d1", -1), ("q1", "d2", -2), ("q2", "7", -1)]
    ),
    "LlamaIndex run": Sample("run", "LlamaIndex records", as_jsonl(RETRIEVALS), BY_RANK),
    "TREC qrels": Sample("qrels", "TREC qrels", "q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n", QRELS_ROWS),
    "qrels in three columns": Sample(
        "qrels", "qrels in three columns", "q1 d1 2\nq1 d2 0\nq2 d1 1\n", QRELS_ROWS
    ),
    "SMART judgments": Sample(
        "qrels", "SMART judgments", "01 1410  0 0\n01 7\t0\t0.000000\n", [("01", "1410", 1.0), ("01", "7", 1.0)]
    ),
    "BEIR qrels": Sample(
        "qrels", "TSV with a header", "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td1\t1\n", QRELS_ROWS
    ),
    "CSV qrels": Sample(
        "qrels", "CSV with a header", 'qid,docno,label\n"q1",d1,2\nq1,d2,0\nq2,"d1",1\n', QRELS_ROWS
    ),
    "Quepid": Sample("qrels", "CSV with a header", "query,docid,rating\nq1,d1,2\nq1,d2,0\nq2,d1,1\n", QRELS_ROWS),
    "JSON qrels": Sample("qrels", "JSON", '{"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1}}', QRELS_ROWS),
    "JSONL qrels": Sample(
        "qrels", "JSONL", as_jsonl([{"qid": q, "doc_id": d, "label": g} for q, d, g in QRELS_ROWS]), QRELS_ROWS
    ),
    "Elasticsearch request": Sample(
        "qrels", "Elasticsearch ranking evaluation", json.dumps(ES_REQUEST, indent=4), QRELS_ROWS
    ),
    "OpenSearch judgments": Sample("qrels", "OpenSearch judgments", json.dumps(OPENSEARCH, indent=2), QRELS_ROWS),
    "LlamaIndex dataset": Sample(
        "qrels", "LlamaIndex dataset", json.dumps(LLAMAINDEX, indent=4),
        [("q1", "d1", 1.0), ("q2", "d1", 1.0), ("q2", "d2", 1.0)],
    ),
    "TREC topics": Sample("topics", "TREC topics", CLASSIC, TOPIC_ROWS),
    "TREC topics with closing tags": Sample("topics", "TREC topics", CLOSED, TOPIC_ROWS),
    "XML topics": Sample("topics", "XML topics", COVID, TOPIC_ROWS),
    "XML topics of text only": Sample(
        "topics", "XML topics",
        "<topics>\n<topic number='1'>\n green\n tea </topic><topic number='2'>iced tea</topic></topics>",
        TITLES,
    ),
    "TSV topics": Sample("topics", "TSV of ids and texts", "1\tgreen tea\n2\ticed tea\n", TITLES),
    "TSV topics with a header": Sample(
        "topics", "TSV with a header", "query_id\tquery\n1\tgreen tea\n2\ticed tea\n", TITLES
    ),
    "JSONL topics": Sample(
        "topics", "JSONL",
        '{"query_id": 1, "title": "green tea", "meta": {"a": []}}\n{"query_id": 2, "title": "iced tea"}\n',
        TITLES,
    ),
    "NPL judgments": Sample("qrels", "NPL judgments", "1\n  7  12\n   /\n2\n 3\n", FROM_LISTS),
    "LISA judgments": Sample(
        "qrels", "LISA judgments", f"{1:12}{2:12}{7:12}   \n{12:12}\n{2:12}{1:12}{3:12}\n", FROM_LISTS
    ),
    "TIME judgments": Sample("qrels", "TIME judgments", "1  7 12\n\n2  3\n", FROM_LISTS),
    "CF judgments": Sample(
        "qrels", "CF judgments by 4 judges",
        '<root>\n<QUERY>\n<QueryNumber>00001</QueryNumber>\n<QueryText>tea?</QueryText>\n<Results>00002</Results>\n'
        '<Records><Item score="1220">7</Item><Item score="0001">12</Item></Records>\n</QUERY>\n</root>\n',
        [("1", "7", 5.0), ("1", "12", 1.0)],
    ),
    "NPL topics": Sample("topics", "NPL topics", "1\ngreen\ntea\n/\n2\niced tea\n/\n", TITLES),
    "LISA topics": Sample("topics", "LISA topics", "1\ngreen\ntea #\n2\niced tea #\n", TITLES),
    "TIME topics": Sample("topics", "TIME topics", "*FIND 1\n\ngreen\n\ntea\n\n*FIND 2\niced tea\n*STOP\n", TITLES),
    "CF topics": Sample(
        "topics", "CF topics",
        "<root>\n<QUERY>\n<QueryNumber>00001</QueryNumber>\n<QueryText>green\n tea</QueryText>\n</QUERY>\n"
        "<QUERY>\n<QueryNumber>00002</QueryNumber>\n<QueryText>iced tea</QueryText>\n</QUERY>\n</root>\n", TITLES,
    ),
    "NPL documents": Sample(
        "documents", "NPL documents", "1\nSteep\nit.\n  /\n2\nBoil it.\n  /\n",
        [("1", "", "Steep it."), ("2", "", "Boil it.")],
    ),
    "LISA documents": Sample(
        "documents", "LISA documents",
        "Document    1\nTea\n\nSteep\nit.\n*****\nDocument    2\nWater\n     \nBoil it.\n",
        [("1", "Tea", "Steep it."), ("2", "Water", "Boil it.")],
    ),
    "TIME documents": Sample(
        "documents", "TIME documents",
        "*TEXT 017 01/04/63 PAGE 020\n\nSteep it.\n*TEXT 020 01/04/63 PAGE 021\nBoil it.\n*STOP\n",
        [("1", "", "Steep it."), ("2", "", "Boil it.")],
    ),
    "CF documents": Sample(
        "documents", "CF documents",
        "<root>\n<RECORD>\n<PAPERNUM>PN1</PAPERNUM>\n<RECORDNUM>00001 </RECORDNUM>\n<TITLE>Tea</TITLE>\n"
        "<ABSTRACT>Steep it.</ABSTRACT>\n</RECORD>\n<RECORD>\n<RECORDNUM>00002</RECORDNUM>\n<TITLE></TITLE>"
        "<EXTRACT>Boil &lt; 1 &amp; a\n minute.</EXTRACT></RECORD></root>\n",
        [("1", "Tea", "Steep it."), ("2", "", "Boil < 1 & a minute.")],
    ),
    "SMART topics": Sample("topics", "SMART topics", ".I 1\n.W\ngreen\ntea\n.I 2\n.W\niced tea\n", TITLES),
    "JSONL documents": Sample(
        "documents", "JSONL", as_jsonl([{"_id": d, "title": t, "text": x, "tags": [1]} for d, t, x in DOCUMENT_ROWS]),
        DOCUMENT_ROWS,
    ),
    "CSV documents": Sample(
        "documents", "CSV with a header", 'id,title,text,year\nd1,Tea,Steep it.,1999\nd2,,"Boil, ""then"" wait.",\n',
        DOCUMENT_ROWS,
    ),
    "TREC documents": Sample("documents", "TREC documents", DOCS, DOCUMENT_ROWS),
    "SMART documents": Sample(
        "documents", "SMART documents", '.I d1\n.T\nTea\n.A\nAna\n.W\nSteep it.\n.I d2\n.W\nBoil, "then"\n  wait.\n',
        DOCUMENT_ROWS,
    ),
}  # fmt: skip
each_sample = in_turn("sample", SAMPLES.values(), ids=SAMPLES)
COLUMNS = {"run": 3, "qrels": 3, "topics": 4, "documents": 3}


def rows_of(table: Any, kind: str) -> Rows:
    return table.frame.select(table.frame.columns[: COLUMNS[kind]]).rows()  # type: ignore[no-any-return]


def read(sample: Sample, data: bytes | None = None, name: str = "<file>") -> Any:
    given = io.BytesIO(sample.text.encode() if data is None else data)
    return READERS[sample.kind](Source(given, name=name))


@each_sample
def test_each_format_reads_as_its_example_says(sample: Sample) -> None:
    table = read(sample)
    assert rows_of(table, sample.kind) == sample.rows
    assert table.format == sample.format


@each_sample
def test_a_format_is_found_without_being_told_the_kind(sample: Sample) -> None:
    """Where a name is needed to tell documents from topics, it says so."""
    assert detect(Source(io.BytesIO(sample.text.encode()), name=f"{sample.kind}.x")).kind == sample.kind


@each_sample
@in_turn("change", ["CRLF", "BOM", "gz", "zst", "no newline at the end", "blank lines at the end"])
def test_each_format_reads_the_same_however_it_is_kept(sample: Sample, change: str) -> None:
    plain = sample.text.encode()
    changed = {
        "CRLF": plain.replace(b"\n", b"\r\n"),
        "BOM": b"\xef\xbb\xbf" + plain,
        "gz": gzip.compress(plain),
        "zst": zstandard.compress(plain),
        "no newline at the end": plain.rstrip(b"\n"),
        "blank lines at the end": plain + b"\n\n",
    }
    assert rows_of(read(sample, changed[change]), sample.kind) == sample.rows


@each_sample
@in_turn("kind", KINDS)
def test_a_file_of_another_kind_is_named_for_what_it_looks_like(sample: Sample, kind: str) -> None:
    table: Any = None
    refused: FormatError | None = None
    try:
        table = READERS[kind](Source(io.BytesIO(sample.text.encode()), name="some.file"))
    except FormatError as error:
        refused = error
    if refused is not None:
        assert refused.path == "some.file"
        assert "this looks like" in str(refused)
    else:  # a file that holds both, as records of retrieval do, or texts under ids
        assert table.frame.height
        assert (
            kind == sample.kind
            or {kind, sample.kind} in ({"run", "qrels"}, {"topics", "documents"})
            or sample.format in {"LlamaIndex dataset", "CF judgments by 4 judges"}
        )


def test_every_format_has_an_example() -> None:
    """Parquet has tests of its own below."""
    found = {
        detect(Source(io.BytesIO(sample.text.encode())), sample.kind).name  # type: ignore[arg-type]
        for sample in SAMPLES.values()
    }
    others = {
        "parquet-run", "parquet-qrels", "parquet-topics", "parquet-documents", "csv-topics", "smart-plain",
        "tsv-documents", "elasticsearch-qrels", "ragas-qrels", "ragas-texts-qrels", "llamaindex-qrels",
        "llamaindex-dataset-topics", "llamaindex-dataset-documents",
    }  # fmt: skip
    assert found | others == {known.name for known in formats()}


# What is special to some.


def file(text: str | bytes, name: str = "x") -> Source:
    return Source(io.BytesIO(text if isinstance(text, bytes) else text.encode()), name=name)


BOTH_DIALECTS = ["query_id,doc_id,score,relevance", "qid,docno,score,label"]


@in_turn("header", BOTH_DIALECTS)
def test_a_table_with_scores_and_grades_is_a_run_and_judgments(header: str) -> None:
    text = header + "\nq1,d1,2.5,2\nq1,d2,1,0\nq2,d1,0.5,1\n"
    assert rows_of(read_run(file(text)), "run") == RUN_ROWS
    assert rows_of(read_qrels(file(text)), "qrels") == QRELS_ROWS
    tabs = text.replace(",", "\t")
    assert rows_of(read_run(file(tabs)), "run") == RUN_ROWS
    assert rows_of(read_qrels(file(tabs)), "qrels") == QRELS_ROWS


def test_records_of_retrieval_hold_judgments_too() -> None:
    assert rows_of(read_qrels(file(as_jsonl(RAGAS))), "qrels") == [("q1", "Steep it.", 1.0), ("q2", "Wait.", 1.0)]
    assert rows_of(read_qrels(file(json.dumps(RAGAS_IDS))), "qrels") == [("q1", "d1", 1.0), ("q2", "d2", 1.0)]
    assert rows_of(read_qrels(file(as_jsonl(RETRIEVALS))), "qrels") == [("q1", "d1", 1.0), ("q2", "d2", 1.0)]
    assert rows_of(read_qrels(file(json.dumps(ES_RESPONSE))), "qrels") == QRELS_ROWS


def test_a_llamaindex_dataset_holds_topics_and_documents_too() -> None:
    text = json.dumps(LLAMAINDEX)
    assert read_topics(file(text)).frame["title"].to_list() == ["what is tea?", "why tea?"]
    assert read_documents(file(text)).frame["text"].to_list() == ["Steep it.", "Boil it."]


def test_a_long_llamaindex_dataset_is_known_by_its_start() -> None:
    long = {**LLAMAINDEX, "corpus": {f"d{number}": "word " * 50 for number in range(100)}}
    assert read_qrels(file(json.dumps(long, indent=4))).format == "LlamaIndex dataset"


def test_a_column_named_like_a_key_of_another_tool_makes_no_other_format() -> None:
    text = '{"query_id": "q1", "doc_id": "d1", "score": 1.0, "details": {"x": 1}, "ratings": []}\n'
    assert read_run(file(text)).format == "JSONL"


def test_quepid_names_queries_by_their_text() -> None:
    text = 'query,docid,rating\n"star wars, the movie",11,3\n'
    assert read_qrels(file(text)).frame.rows() == [("star wars, the movie", "11", 3.0)]


def test_quoted_fields_may_hold_separators_quotes_and_lines() -> None:
    text = 'doc_id,text\nd1,"a,b ""c""\r\nd"\n"#d2","#e"\n'
    assert read_documents(file(text)).frame.rows() == [("d1", "", 'a,b "c"\r\nd'), ("#d2", "", "#e")]


def test_comments_may_stand_before_a_header_but_not_after_it() -> None:
    text = "# made by hand\n\nquery_id,doc_id,score\n#q1,d1,1\n"
    assert read_run(file(text)).frame.rows() == [("#q1", "d1", 1.0)]


def test_tabs_may_separate_texts_with_stray_quotation_marks() -> None:
    text = 'query_id\tquery\n1\twho said "tea"\n2\t"tea" is what\n3\t5" pipe\n'
    assert read_topics(file(text)).frame["title"].to_list() == ['who said "tea"', '"tea" is what', '5" pipe']


def test_blank_lines_in_a_table_are_skipped_and_counted() -> None:
    text = "query_id,doc_id,score\n\nq1,d1,1\n\n\nq1,d2,x\n"
    with pytest.raises(FormatError, match="a number as score, got 'x'") as error:
        read_run(file(text))
    assert error.value.line == 6


def test_carriage_returns_alone_end_the_lines_of_a_table() -> None:
    assert read_run(file("query_id,doc_id,score\rq1,d1,1\rq1,d2,2\r")).frame.height == 2


def test_judges_may_be_named_in_a_column() -> None:
    qrels = read_qrels(file("query_id,doc_id,judge,relevance\nq1,d1,ana,1\nq1,d1,ben,0\n"))
    assert qrels.judges == ["ana", "ben"]
    plain = read_qrels(file("qid,iteration,docno,label\nq1,0,d1,1\nq1,1,d2,0\n"))
    assert plain.judges == []
    assert plain.frame.columns == ["query_id", "doc_id", "relevance"]


def test_documents_in_latin_1_are_read_and_that_is_said() -> None:
    text = "<DOC><DOCNO>d1</DOCNO><TEXT>caf\u00e9</TEXT></DOC>".encode("latin-1")
    documents = read_documents(file(text, "old.sgml"))
    assert documents.frame["text"].to_list() == ["café"]
    assert documents.warnings == ("old.sgml: the text is not in UTF-8; it is read as Latin-1",)


def test_web_pages_without_a_text_element_are_text() -> None:
    text = "<DOC><DOCNO>w1</DOCNO><DOCHDR>http 200</DOCHDR><html><title>Tea</title><p>Steep it.</p></html></DOC>"
    assert read_documents(file(text)).frame.rows() == [("w1", "Tea", "Steep it.")]


def test_further_columns_are_kept_and_lists_are_not() -> None:
    documents = read_documents(file('{"id": 7, "text": "x", "year": 1999, "tags": ["a"], "meta": {}}\n'))
    assert documents.frame.to_dicts() == [{"doc_id": "7", "title": "", "text": "x", "year": "1999"}]


def test_ids_in_json_may_be_numbers_and_texts() -> None:
    text = '{"query_id": 1, "doc_id": "a", "score": 1}\n'
    text += '{"query_id": "2", "doc_id": 12345678901234567890, "score": "0.5"}\n'
    assert read_run(file(text)).frame.rows() == [("1", "a", 1.0), ("2", "12345678901234567890", 0.5)]


METADATA = "# ir_metadata.start\n# platform:\n#   hardware:\n#     cpu: old\n# tag: mine\n# ir_metadata.end\n"


def test_what_a_run_says_about_itself_is_read_and_kept(tmp_path: Path) -> None:
    text = METADATA + SAMPLES["TREC run"].text
    (tmp_path / "a.run").write_text(text)
    for number, run in enumerate((read_run(tmp_path / "a.run"), scan_run(tmp_path / "a.run"))):
        assert run.metadata == "platform:\n  hardware:\n    cpu: old\ntag: mine"  # type: ignore[attr-defined]
        write(run, tmp_path / f"{number}.run.gz")
        assert gzip.decompress((tmp_path / f"{number}.run.gz").read_bytes()).decode().startswith(METADATA)
        assert left_out(run, "csv") == ["ir_metadata"]
    assert read_run(file("\ufeff" + text)).metadata == run.metadata  # type: ignore[attr-defined]


# Parquet and Arrow.


@pytest.fixture(params=["parquet", "arrow"])
def columnar(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[pl.DataFrame], Path]:
    def save(frame: pl.DataFrame) -> Path:
        path = tmp_path / f"table.{request.param}"
        getattr(frame, "write_parquet" if request.param == "parquet" else "write_ipc")(path)
        return path

    return save


def test_columns_may_be_of_other_types(columnar: Callable[[pl.DataFrame], Path]) -> None:
    frame = pl.DataFrame(
        {
            "docno": pl.Series(["d1", "d2"], dtype=pl.Categorical),
            "qid": pl.Series([1, 1], dtype=pl.Int32),
            "score": pl.Series([0.5, 0.25], dtype=pl.Float32),
            "label": pl.Series([1, 0], dtype=pl.UInt8),
            "vector": [[1.0], [2.0]],
        }
    )
    path = columnar(frame)
    assert read_run(path).frame.rows() == [("1", "d1", 0.5), ("1", "d2", 0.25)]
    assert read_qrels(path).frame.rows() == [("1", "d1", 1.0), ("1", "d2", 0.0)]
    assert pl.concat(scan_run(path).batches(lambda batch: batch)).rows() == read_run(path).frame.rows()
    assert scan_run(path).format == ("Parquet" if path.suffix == ".parquet" else "Arrow")
    for packed in (gzip.compress(path.read_bytes()), zstandard.compress(path.read_bytes())):
        assert read_run(io.BytesIO(packed)).frame.equals(read_run(path).frame)


@pytest.mark.parametrize(
    ("columns", "kind"),
    [
        (["query_id", "doc_id", "relevance"], "qrels"),
        (["query_id", "doc_id", "score"], "run"),
        (["query_id", "title"], "topics"),
        (["doc_id", "text"], "documents"),
    ],
)
def test_columns_tell_the_kind(columns: list[str], kind: str, columnar: Callable[[pl.DataFrame], Path]) -> None:
    path = columnar(pl.DataFrame({name: ["1"] for name in columns}))
    assert detect(Source(path)).kind == kind
    assert READERS[kind](path).frame.height == 1
    other = next(name for name in KINDS if name != kind)
    with pytest.raises(FormatError, match="this looks like Parquet or Arrow of"):
        READERS[other](path)


BAD_TABLES: dict[str, tuple[dict[str, Any], str, int | None]] = {
    "an id that is a fraction": ({"query_id": [1.5], "doc_id": ["d"], "score": [1.0]}, "whole number as query_id", 1),
    "an id that is a list": ({"query_id": [["q"]], "doc_id": ["d"], "score": [1.0]}, "whole number as query_id", 1),
    "no id": ({"query_id": ["q", None], "doc_id": ["d", "e"], "score": [1.0, 1.0]}, "query_id, got nothing", 2),
    "an empty id": ({"query_id": ["q", "q"], "doc_id": ["d", ""], "score": [1.0, 1.0]}, "doc_id, got nothing", 2),
    "no score": ({"query_id": ["q", "q"], "doc_id": ["d", "e"], "score": [1.0, None]}, "number as score", 2),
    "a score that is true": ({"query_id": ["q"], "doc_id": ["d"], "score": [True]}, "number as score, got 'True'", 1),
    "no number": ({"query_id": ["q"], "doc_id": ["d"], "score": [float("nan")]}, "number as score, got 'nan'", 1),
    "no rows": ({"query_id": pl.Series([], dtype=pl.String), "doc_id": [], "score": []}, "no data", None),
    "no column": ({"query": ["q"], "year": [1]}, "expected a table with the columns", None),
}


@pytest.mark.parametrize("name", BAD_TABLES)
def test_bad_columns_are_refused_with_their_row(name: str, columnar: Callable[[pl.DataFrame], Path]) -> None:
    columns, message, row = BAD_TABLES[name]
    path = columnar(pl.DataFrame(columns))
    with pytest.raises(FormatError, match=message) as error:
        read_run(path)
    assert (error.value.path, error.value.line) == (str(path), row)
    with pytest.raises(FormatError, match=message):
        list(scan_run(path).batches(lambda frame: frame))


def test_broken_columns_are_refused(columnar: Callable[[pl.DataFrame], Path]) -> None:
    path = columnar(pl.DataFrame({"query_id": ["q1"] * 999, "doc_id": map(str, range(999)), "score": [0.5] * 999}))
    whole = path.read_bytes()
    for length in (5, 8, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        for reader in READERS.values():
            with pytest.raises(FormatError, match=r"table\.(parquet|arrow):"):
                reader(path)


def test_a_document_twice_in_columns_is_found_by_its_row(columnar: Callable[[pl.DataFrame], Path]) -> None:
    path = columnar(pl.DataFrame({"query_id": ["q1"] * 3, "doc_id": ["d1", "d2", "d1"], "score": [3.0, 2.0, 1.0]}))
    with pytest.raises(DuplicateError) as error:
        evaluate({"q1": {"d1": 1}}, path, "AP")
    assert (error.value.path, error.value.line) == (str(path), 3)


# Bad input: the file and the line are named.


class Bad(NamedTuple):
    """A file that is refused, by which reader, with what message and line."""

    kind: str
    text: str | bytes
    message: str
    line: int | None


CSV_RUN = "query_id,doc_id,score\n" + "".join(f"q1,d{number},1\n" for number in range(300))
CSV_QRELS = "query_id,doc_id,relevance\nq1,d1,1\nq1,d2,0\n"
JSONL_RUN = '{"query_id": "q1", "doc_id": "d1", "score": 1}\n'
BAD = {
    "an empty file": Bad("run", "", "there are no data", None),
    "nothing but blank lines": Bad("topics", "\n\n", "there are no data", None),
    "a header and no rows": Bad("run", "query_id,doc_id,score\n", "there are no data", None),
    "a header without a newline and no rows": Bad("qrels", "query_id,doc_id,label", "there are no data", None),
    "no column of scores": Bad("run", "query_id,doc_id,year\nq1,d1,1\n", "score may be called sim, similarity", 1),
    "a column twice": Bad("run", "query_id,doc_id,score,score\nq1,d1,1,2\n", "a name of its own for each column", 1),
    "a long line late": Bad("run", CSV_RUN + "q1,e,1,9\n", "expected 3 fields, got 'q1,e,1,9'", 302),
    "a short line late": Bad("run", CSV_RUN + "q1,e\n", "expected 3 fields, got 'q1,e'", 302),
    "a short line of a text": Bad("documents", "id,title,text\nd1,a,b\nd2,c\nd3,,\n", "expected 3 fields", 3),
    "a word for a number late": Bad("run", CSV_RUN + "q1,e,high\n", "a number as score, got 'high'", 302),
    "a word for a number after lines in quotes": Bad(
        "run", 'query_id,doc_id,score,note\nq1,d1,1,"a\nb"\nq1,d2,x,c\n', "a number as score, got 'x'", 4
    ),
    "NaN": Bad("run", CSV_RUN + "q1,e,NaN\n", "a number as score, got 'NaN'", 302),
    "an infinite grade": Bad("qrels", CSV_QRELS + "q2,d1,inf\n", "a finite number as relevance, got 'inf'", 4),
    "no id": Bad("qrels", CSV_QRELS + ",d1,1\n", "query_id, got nothing", 4),
    "an open quote": Bad("run", CSV_RUN + 'q1,"e,1\n', "expected", 302),
    "Latin-1 in a table": Bad("run", CSV_RUN.encode() + b"q1,\xe9,1\n", "text in UTF-8", 302),
    "contradicting judgments": Bad("qrels", CSV_QRELS + "q1,d1,1\nq1,d1,0\n", "one judgment of document 'd1'", 5),
    "a judge contradicting himself": Bad(
        "qrels", "qid,docno,judge,label\nq1,d1,a,1\nq1,d1,b,0\nq1,d1,a,2\n", "by judge 'a', got '1 and 2'", 4
    ),
    "contradicting judgments in JSONL": Bad(
        "qrels", '{"qid": 1, "doc_id": "a", "rel": 1}\n\n{"qid": 1, "doc_id": "a", "rel": 0}\n', "one judgment", 3
    ),
    "a broken line of JSON": Bad("run", JSONL_RUN + '{"query_id": "q1"', "a JSON object", 2),
    "JSON that is no object": Bad("run", JSONL_RUN + "[1]\n", "a JSON object, got '[1]'", 2),
    "a word for a number in JSON": Bad("run", JSONL_RUN + JSONL_RUN.replace("1}", '"x"}'), "score, got 'x'", 2),
    "no score in JSON": Bad("run", JSONL_RUN + '{"query_id": "q1", "doc_id": "d2"}\n', "a number as score", 2),
    "a list for an id": Bad("run", JSONL_RUN + JSONL_RUN.replace('"q1"', "[1]"), "as query_id", 2),
    "NaN in JSON": Bad("run", JSONL_RUN + JSONL_RUN.replace("1}", "NaN}"), "score, got 'nan'", 2),
    "truncated JSON": Bad("run", '{"q1": {"d1": 1,\n "d2": 2', "expected JSON", 2),
    "text in JSON": Bad("run", '{"q1": {"d1": 1,\n "d2": "x"}}', "expected a number as score, got 'x'", None),
    "no number in JSON": Bad("run", '{"q1": {"d1": 1, "d2": NaN}}', "number as score", None),
    "an infinite grade in JSON": Bad("qrels", '{"q1": {"d1": 1, "d2": Infinity}}', "number as relevance", None),
    "a document twice in JSON": Bad("run", '{"q1": {"d1": 1, "d1": 2}}', "each key once in an object, got 'd1'", None),
    "a query twice in JSON": Bad("qrels", '{"q1": {"d1": 1}, "q1": {"d2": 2}}', "each key once", None),
    "deep JSON": Bad("run", '{"q1": {"d1": 1, "d2": ' + "[" * 100_000, "expected JSON", None),
    "a long number": Bad("run", '{"q1": {"d1": ' + "9" * 5000 + "}}", "expected JSON", None),
    "no topics": Bad("topics", "<topics>\n</topics>\n", "there are none", None),
    "a topic without a number": Bad("topics", "<top>\n<num> 1\n</top>\n<top>\n<title> x\n</top>\n", "a number", 4),
    "a topic without an end": Bad("topics", "<top>\n<num> 1\n</top>\n<top>\n<num> 2\n", "</top> after <top>", 4),
    "a topic in a topic": Bad("topics", "<top>\n<num> 1\n<top>\n<num> 2\n</top>\n", "</top> of line 1", 3),
    "a topic twice": Bad("topics", "<top><num> 1</top>\n<top><num> 2</top>\n<top><num> 1</top>\n", "query_id once", 3),
    "a topic twice in XML": Bad("topics", COVID.replace("'2'", "'1'"), "each query_id once, got '1'", 9),
    "a topic twice in TSV": Bad("topics", "1\ta\n2\tb\n\n1\tc\n", "each query_id once, got '1'", 4),
    "a topic without a tab": Bad("topics", "1\ta\n" * 1 + "x\tb\n" * 0 + "2\tb\n" + "3 c\n", "expected", None),
    "a topic twice in CSV": Bad("topics", "qid,query\n1,a\n2,b\n1,c\n", "each query_id once, got '1'", 4),
    "a topic twice in JSONL": Bad("topics", '{"qid": 1, "query": "a"}\n{"qid": 1, "query": "b"}\n', "query_id once", 2),
    "a topic twice in SMART": Bad("topics", ".I 1\n.W\na\n.I 1\n.W\nb\n", "each query_id once, got '1'", 4),
    "a record without an id": Bad("topics", ".I 1\n.W\na\n.I\n.W\nb\n", "`.I` and an id", 4),
    "text before a field": Bad("documents", ".I 1\nlost\n.T\nb\n", "a field such as `.W`", 2),
    "a document without a number": Bad("documents", "<DOC><DOCNO>1</DOCNO></DOC>\n<DOC></DOC>\n", "a <DOCNO>", 2),
    "a document twice": Bad("documents", "id,text\n1,a\n2,b\n1,c\n", "each doc_id once, got '1'", 4),
    "ragas without queries": Bad("run", '[{"retrieved_context_ids": ["a"]}]', "there is no 'query_id or id", None),
    "ragas with a text for a list": Bad(
        "run", '[{"query": "q", "retrieved_context_ids": "abc"}]', "expected a list of documents", None
    ),
    "ragas with a query twice": Bad("run", as_jsonl([RAGAS[0], RAGAS[0]]), "each query once", None),
    "Elasticsearch without hits": Bad("run", '{"details": {"q1": {"hits": []}}}', "there are none", None),
    "Elasticsearch with odd hits": Bad("run", '{"details": {"q1": {"hits": [{}]}}}', "there is no 'hit'", None),
    "contradicting ratings": Bad(
        "qrels", '{"requests": [{"id": 1, "ratings": [{"_id": 1, "rating": 1}, {"_id": 1, "rating": 2}]}]}',
        "one finite rating of document '1'", None,
    ),
    "junk": Bad("documents", bytes(range(256)) * 9, "expected", 1),
}  # fmt: skip


@in_turn("name", BAD)
def test_bad_files_are_named_with_the_line(name: str) -> None:
    bad = BAD[name]
    with pytest.raises(FormatError) as error:
        READERS[bad.kind](file(bad.text, "bad.file"))
    assert bad.message in str(error.value)
    assert error.value.path == "bad.file"
    if name not in {"a topic without a tab", "an open quote", "deep JSON"}:
        assert error.value.line == bad.line
    assert len(str(error.value)) < 600
    assert "\n" not in str(error.value)


@in_turn(
    ("text", "line"),
    [
        ("q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\nq1 Q0 d1 3 1 t\n", 3),
        ("q1\td1\t1\nq1\td2\t2\nq1\td1\t3\n", 3),
        ("query_id,doc_id,score\nq1,d1,2\nq1,d2,1\n\nq1,d1,0\n", 5),
        (JSONL_RUN + '{"query_id": "q1", "doc_id": "d2", "score": 0}\n' + JSONL_RUN, 3),
    ],
)
def test_a_document_twice_is_found_by_its_line(text: str, line: int, tmp_path: Path) -> None:
    (tmp_path / "twice").write_text(text)
    with pytest.raises(DuplicateError) as error:
        evaluate({"q1": {"d1": 1}}, tmp_path / "twice", "AP")
    assert (error.value.path, error.value.line) == (str(tmp_path / "twice"), line)


def test_large_tables_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What detection reads of the start aside."""
    heard: list[int] = []
    for sample in (SAMPLES["CSV documents"], SAMPLES["JSONL documents"], SAMPLES["TSV topics"]):
        source = file(sample.text)
        monkeypatch.setattr(source, "watch", heard.append)
        READERS[sample.kind](source)
        assert sum(heard) == len(sample.text)
        heard.clear()


# Round trips.

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    [
        "",
        " ",
        "#",
        "a b",
        'say "x"',
        "a,b",
        "a\tb",
        "a\nb",
        "\r\n",
        "Topic: x",
        "<b>&amp;",
        "null",
        "NaN",
        "1.0",
        "\ufeff",
    ]
)
ids = texts.filter(bool) | st.sampled_from(["001", "1", "d1", "q#", "#q", "é"])
scores = st.floats(allow_nan=False) | st.integers(-3, 3).map(float)
grades = st.integers(-2, 5).map(float) | st.floats(allow_nan=False, allow_infinity=False)
pairs = st.lists(st.tuples(st.sampled_from(["q1", "001", "q 2"]) | ids, ids), min_size=1, max_size=6, unique=True)


@st.composite
def tables(draw: st.DrawFn, kind: str) -> Any:
    """A table of a kind, with any ids and texts."""
    if kind in {"topics", "documents"}:
        made = Topics if kind == "topics" else Documents
        keys = draw(st.lists(ids, min_size=1, max_size=5, unique=True))
        columns = {name: draw(st.lists(texts, min_size=len(keys), max_size=len(keys))) for name in made.columns}
        return made(pl.DataFrame({made.key: keys, **columns}), "table", "in memory")
    both = draw(pairs)
    if kind == "run":
        return Run.of([(query, doc, draw(scores)) for query, doc in both], "table")
    qrels = Qrels.of([(query, doc, draw(grades)) for query, doc in both], "table")
    if draw(st.booleans()):
        return qrels
    judges = draw(st.lists(ids, min_size=len(both), max_size=len(both)))
    return Qrels(qrels.frame.with_columns(judge=pl.Series(judges, dtype=pl.String)), "table")


def expected(table: Any, writer: str) -> list[Any]:
    """The rows as they come back, the documented exceptions made."""
    frame = table.frame
    if writer.startswith(("trec-", "topic-")) and isinstance(table, Topics | Documents):
        return [tuple(" ".join(cell.split()) for cell in row) for row in frame.rows()]
    if writer == "msmarco-run":
        order: Rows = []
        for query in frame["query_id"].unique(maintain_order=True):
            ranked = sorted(frame.filter(pl.col("query_id") == query).rows(), key=lambda row: -row[2])
            order += [(query, doc, -float(place)) for place, (_, doc, _) in enumerate(ranked, 1)]
        return order
    if writer == "json":
        first = {query: place for place, query in enumerate(frame["query_id"].unique(maintain_order=True))}
        return sorted(frame.rows(), key=lambda row: first[row[0]])
    return frame.rows()  # type: ignore[no-any-return]


def suffix(writer: Any) -> str:
    return f"x{writer.endings[0]}"


ROUND_TRIPS = [(kind, writer) for kind in KINDS for writer in writers(kind)]


@pytest.mark.parametrize(
    ("kind", "writer"), ROUND_TRIPS, ids=[f"{kind} as {writer.name}" for kind, writer in ROUND_TRIPS]
)
@given(data=st.data())
@settings(quickly, max_examples=8)
def test_what_is_written_is_read_again(
    kind: str, writer: Any, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    table = data.draw(tables(kind))
    folder = tmp_path_factory.mktemp("round")
    path = folder / (suffix(writer) + data.draw(st.sampled_from(["", ".gz", ".zst"])))
    try:
        assert write(table, path) == writer.name
    except InputError:
        assert list(folder.iterdir()) == []
        return
    assert [found.name for found in folder.iterdir()] == [path.name]
    again = READERS[kind](
        path, format=_reading_format(writer.name, kind), **({"judges": True} if _judged(table) else {})
    )
    columns = table.frame.columns
    got = again.frame.select(columns).rows()
    assert got == expected(table, writer.name)
    once = path.read_bytes()
    write(table, path)
    assert path.read_bytes() == once


def _judged(table: Any) -> bool:
    return "judge" in table.frame.columns


def _reading_format(writer: str, kind: str) -> str:
    """The reader of what a writer writes."""
    known = {"csv": "csv", "tsv": "csv", "json": "json", "jsonl": "jsonl", "parquet": "parquet", "arrow": "parquet"}
    return {"beir-qrels": "csv-qrels"}.get(writer) or (f"{known[writer]}-{kind}" if writer in known else writer)


@in_turn(("kind", "writer"), ROUND_TRIPS, ids=[f"{kind} as {writer.name}" for kind, writer in ROUND_TRIPS])
def test_what_is_written_is_recognised(kind: str, writer: Any, tmp_path: Path) -> None:
    samples = {"run": "TREC run", "qrels": "TREC qrels", "topics": "TREC topics", "documents": "JSONL documents"}
    sample = SAMPLES[samples[kind]]
    for ending in writer.endings:
        path = tmp_path / f"{kind}{ending}"
        assert write(read(sample), path) == writer.name
        rows = rows_of(READERS[kind](path), kind)
        assert rows == (BY_RANK if writer.name == "msmarco-run" else sample.rows)
        assert detect(Source(path)).kind == kind


@in_turn("writer", writers("run"), ids=lambda writer: writer.name)
@in_turn("size", [1, 2, 3, 4, 7])
def test_a_run_of_many_batches_is_written_as_one(writer: Any, size: int, tmp_path: Path) -> None:
    rows = [(f"q{number // 3}", f"d{number}", float(-number)) for number in range(10)]
    whole = Run.of(rows, "x")
    path, pieces = tmp_path / "a", tmp_path / "b"
    write(whole, path, format=writer.name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("assay.tables.ranking_tables._BATCH_ROWS", size)
        write(whole, pieces, format=writer.name)
    again = read_run(pieces, format=_reading_format(writer.name, "run"))
    assert again.frame.select("query_id", "doc_id").equals(
        read_run(path, format=_reading_format(writer.name, "run")).frame.select("query_id", "doc_id")
    )
    if writer.name == "trec-run":
        assert again.frame["rank"].to_list() == [1.0, 2.0, 3.0] * 3 + [1.0]


def test_what_cannot_be_held_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "old.run").write_text("before\n")
    blank, twice = Run.of({"q 1": {"d1": 1.0}}), Run.of([("q1", "d1", 2.0), ("q1", "d1", 1.0)])
    with pytest.raises(InputError, match="a TREC run cannot hold the query_id 'q 1'"):
        write(blank, tmp_path / "old.run")
    with pytest.raises(InputError, match="JSON cannot hold the document 'd1' twice in query 'q1'"):
        write(twice, tmp_path / "new.json")
    with pytest.raises(InputError, match="expected a doc_id, got nothing"):
        write(Run.of({"q1": {"": 1.0}}), tmp_path / "new.csv")
    with pytest.raises(ParameterError, match=r"one of \.run"):
        write(blank, tmp_path / "new.xyz")
    with pytest.raises(ParameterError, match=r"run can be written as trec-run, .* not 'cvs'; did you mean csv"):
        write(blank, tmp_path / "new.csv", format="cvs")
    assert [path.name for path in tmp_path.iterdir()] == ["old.run"]
    assert (tmp_path / "old.run").read_text() == "before\n"


@in_turn("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_writer_that_is_killed_leaves_no_half_file(how: signal.Signals, tmp_path: Path) -> None:
    code = (
        "import sys, time\nfrom assay.files.atomic import replacing\n"
        "with replacing(sys.argv[1]) as file:\n    file.write(b'half'); file.flush()\n"
        "    print('ready', flush=True); time.sleep(60)"
    )
    started = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "out")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert started.stdout is not None
    with started.stdout:
        started.stdout.readline()
        started.send_signal(how)
        started.wait(10)
    # Whoever can, cleans up; what a killed process leaves is hidden, and nobody takes it for the file.
    left = [path.name for path in tmp_path.iterdir()]
    assert all(name.startswith(".out.") for name in left)
    assert how != signal.SIGINT or not left


def test_a_file_appears_whole_with_the_usual_permissions(tmp_path: Path) -> None:
    write(Run.of({"q1": {"d1": 1.0}}), tmp_path / "x.run")
    with pytest.raises(InputError):
        write(Run.of({"q 1": {"d1": 1.0}}), tmp_path / "y.run")
    assert [path.name for path in tmp_path.iterdir()] == ["x.run"]
    assert (tmp_path / "x.run").stat().st_mode & 0o777 == 0o666 & ~_umask()
    (tmp_path / "x.run").chmod(0o640)
    write(Run.of({"q1": {"d1": 1.0}}), tmp_path / "x.run")
    assert (tmp_path / "x.run").stat().st_mode & 0o777 == 0o640
    (tmp_path / "x.run").chmod(0o444)
    with pytest.raises(InputError, match=r"x\.run: cannot be written: it is read-only"):
        write(Run.of({"q1": {"d1": 2.0}}), tmp_path / "x.run")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


# The command line.


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    for name in ("TREC run", "TREC qrels", "TREC topics", "JSONL documents"):
        (tmp_path / f"{SAMPLES[name].kind}.x").write_text(SAMPLES[name].text)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("run.x", {"kind": "run", "format": "TREC run", "topics": 2, "rows": 3, "scores": "0.5 to 2.5"}),
        ("qrels.x", {"kind": "qrels", "topics": 2, "judgments": 3, "grades": {"0": 1, "1": 1, "2": 1}}),
        ("topics.x", {"kind": "topics", "format": "TREC topics", "topics": 2}),
        ("documents.x", {"kind": "documents", "format": "JSONL", "documents": 2}),
    ],
)
def test_show_says_what_a_file_is(name: str, said: dict[str, Any], samples: Path) -> None:
    done = run_assay("show", name, "--json", "-n", 1, folder=samples)
    told = json.loads(done.stdout)["sections"]
    assert {key: told["facts"]["facts"][key] for key in said} == said
    assert len(told["rows"]["rows"]) == 1
    text = run_assay("show", name, folder=samples).stdout
    assert ["kind", said["kind"]] in [line.split() for line in text.splitlines()]
    assert run_assay("show", "-", "--kind", said["kind"], folder=samples, stdin=(samples / name).read_bytes()).stdout


def test_show_says_what_a_folder_holds(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "title": "", "text": "tea", "metadata": {}}\n')
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "what?", "metadata": {"a": 1}}\n')
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    done = run_assay("show", ".", folder=tmp_path)
    assert "documents          1 (JSONL)" in done.stdout
    assert "judgments in test  1 on 1 topic (TSV with a header); grades 1 x 1" in done.stdout
    told = json.loads(run_assay("show", ".", "--json", folder=tmp_path).stdout)["sections"]
    assert told["facts"]["facts"]["topics"] == "1 (JSONL)"


def test_show_lists_the_formats(tmp_path: Path) -> None:
    listed = run_assay("show", "--formats", folder=tmp_path).stdout
    assert all(known.name in listed for known in formats())
    assert all(ending in listed for writer in writers() for ending in writer.endings)


@in_turn(
    ("arguments", "message"),
    [
        (["show"], "name a file or a folder"),
        (["show", "absent"], "absent: cannot be read: no such file"),
        (["show", "."], "expected files of documents, topics or judgments, got none"),
        (["show", "word"], "word:1: expected TREC run"),
        (
            ["show", "run.x", "--kind", "rum"],
            "kind is one of run, qrels, topics, documents, not 'rum'; did you mean run",
        ),
        (["show", "run.x", "--kind", "qrels"], "this looks like TREC run"),
        (["convert", "run.x", "out.xyz"], "out.xyz: its ending names no format: run files end in one of .run,"),
        (["convert", "run.x", "-"], "-: stdout has no ending that names a format: say it with --to"),
        (["convert", "run.x", "out.csv", "--to", "cvs"], "not 'cvs'; did you mean csv"),
        (
            ["convert", "run.x", "out.csv", "--from", "trec-rum"],
            "no format is called 'trec-rum'; did you mean trec-run",
        ),
        (["convert", "run.x", "out.csv", "--from", "trec-qrels"], "run.x:1: expected 4 columns"),
        (["convert", "spaced.csv", "out.run"], "a TREC run cannot hold the query_id 'q 1'"),
        (["convert", "late.csv", "out.parquet"], "late.csv:4: expected a number as score, got 'x'"),
        (["convert", "run.x", "no/folder.csv"], "cannot be written: no such file"),
        (["convert", "irds:vaswani", "out.csv"], "'irds:vaswani' needs ir_datasets: pip install 'assay[datasets]'"),
    ],
)
def test_wrong_calls_get_one_line_and_exit_2(arguments: list[str], message: str, tmp_path: Path) -> None:
    if arguments != ["show", "."]:
        (tmp_path / "run.x").write_text(SAMPLES["TREC run"].text)
    (tmp_path / "word").write_text("nothing\n")
    (tmp_path / "spaced.csv").write_text("query_id,doc_id,score\nq1,d1,1\nq 1,d1,1\n")
    (tmp_path / "late.csv").write_text("query_id,doc_id,score\nq1,d1,1\nq1,d2,1\nq1,d3,x\n")
    if arguments == ["show", "."]:
        for path in list(tmp_path.iterdir()):
            path.unlink()
    before = sorted(tmp_path.iterdir())
    done = run_assay(*arguments, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("assay: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_convert_goes_from_any_format_to_any_other(samples: Path) -> None:
    done = run_assay("convert", "run.x", "run.csv", folder=samples)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "run.x: TREC run -> run.csv: run as csv\n"
    assert (samples / "run.csv").read_text() == "query_id,doc_id,score\nq1,d1,2.5\nq1,d2,1.0\nq2,d1,0.5\n"
    assert run_assay("convert", "run.csv", "run.parquet", "--quiet", folder=samples).stderr == ""
    assert run_assay("convert", "run.parquet", "back", "--to", "trec-run", folder=samples).returncode == 0
    assert (samples / "back").read_text().startswith("q1 Q0 d1 1 2.5 run\n")
    piped = run_assay("convert", "-", "t.tsv", folder=samples, stdin=(samples / "topics.x").read_bytes())
    assert "-: TREC topics -> t.tsv: topics as tsv" in piped.stderr


def test_convert_writes_to_stdout(samples: Path) -> None:
    command = [sys.executable, "-m", "assay", "convert", "qrels.x", "-", "--to", "qrels-3", "--quiet"]
    done = subprocess.run(command, cwd=samples, capture_output=True, check=True)
    assert done.stdout == b"q1 d1 2\nq1 d2 0\nq2 d1 1\n"


def test_convert_says_what_is_lost_and_what_is_odd(tmp_path: Path) -> None:
    (tmp_path / "old.all").write_text(".I 1\n.T\nTea\n.A\nAna\n.W\nSteep it.\n")
    (tmp_path / "old.run").write_text(METADATA + SAMPLES["TREC run"].text)
    codes = "".join(f"q1 d{grade} {grade}\n" for grade in (-1, 1, 2, 3, 4))
    (tmp_path / "cranqrel").write_text(codes)
    lost = run_assay("convert", "old.all", "new.sgml", folder=tmp_path).stderr
    assert "warning: new.sgml: trec-documents has no place for authors\n" in lost
    assert "no place for ir_metadata" in run_assay("convert", "old.run", "new.csv", folder=tmp_path).stderr
    assert "1 is the best grade" in run_assay("convert", "cranqrel", "new.qrels", folder=tmp_path).stderr
    turned = run_assay("convert", "cranqrel", "new.qrels", "--inverse-grades", folder=tmp_path)
    assert "warning" not in turned.stderr
    assert (tmp_path / "new.qrels").read_text() == ("q1 0 d-1 0\nq1 0 d1 4\nq1 0 d2 3\nq1 0 d3 2\nq1 0 d4 1\n")


def test_a_conversion_that_is_killed_leaves_no_half_file(tmp_path: Path) -> None:
    (tmp_path / "big.run").write_text("".join(f"q{n // 1000} Q0 d{n} 1 {n} t\n" for n in range(300_000)))
    command = [sys.executable, "-c", "from assay.cli import main; main()", "convert", "big.run", "out.jsonl"]
    started = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
    time.sleep(0.9)
    started.kill()
    started.wait(10)
    assert {path.name for path in tmp_path.glob("[!.]*")} <= {"big.run", "out.jsonl"}
    if (tmp_path / "out.jsonl").exists():  # it was done before
        assert (tmp_path / "out.jsonl").read_bytes().count(b"\n") == 300_000


# Datasets by id.


class Judgment(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str


class Question(NamedTuple):
    query_id: str
    text: str


class Page(NamedTuple):
    """A record that is not simply a text."""

    doc_id: str
    parts: list[str]

    def default_text(self) -> str:
        return " ".join(self.parts)


class StandIn:
    """What `ir_datasets.load` gives, as far as it is used."""

    def has_qrels(self) -> bool:
        return True

    def has_queries(self) -> bool:
        return True

    def has_docs(self) -> bool:
        return True

    def qrels_iter(self) -> Iterator[Judgment]:
        yield from [Judgment("1", "d1", 2, "0"), Judgment("1", "d2", 0, "0")]

    def queries_iter(self) -> Iterator[Question]:
        yield Question("1", "green tea")

    def docs_iter(self) -> Iterator[Page]:
        yield Page("d1", ["Steep", "it."])


@pytest.fixture
def datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.machinery  # noqa: PLC0415
    import types  # noqa: PLC0415

    module = types.ModuleType("ir_datasets")
    module.__spec__ = importlib.machinery.ModuleSpec("ir_datasets", None)
    module.load = {"tea": StandIn()}.__getitem__  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ir_datasets", module)


@pytest.mark.usefixtures("datasets")
def test_datasets_are_read_by_their_ids() -> None:
    qrels = read_qrels("irds:tea")
    assert qrels.frame.rows() == [("1", "d1", 2.0), ("1", "d2", 0.0)]
    assert (qrels.name, qrels.format) == ("irds:tea", "ir_datasets qrels")
    assert read_topics("irds:tea").frame["title"].to_list() == ["green tea"]
    assert read_documents("irds:tea").frame.rows() == [("d1", "", "Steep it.")]
    assert evaluate("irds:tea", {"1": {"d1": 1.0}}, "RR").mean() == 1.0
    with pytest.raises(InputError, match="irds:coffee: ir_datasets has no dataset 'coffee'"):
        read_qrels("irds:coffee")


@pytest.mark.usefixtures("datasets")
def test_a_dataset_may_lack_judgments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StandIn, "has_qrels", lambda _self: False)
    with pytest.raises(InputError, match="irds:tea: expected qrels, this dataset has none"):
        read_qrels("irds:tea")


def test_datasets_need_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'assay\[datasets\]'"):
        read_qrels("irds:tea")


# Folders.


def test_a_beir_folder_is_a_collection(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "bm25.run").write_text(SAMPLES["TREC run"].text)
    (tmp_path / "corpus.jsonl.gz").write_bytes(
        gzip.compress(b'{"_id": "d1", "title": "T", "text": "x", "metadata": {}}\n')
    )
    (tmp_path / "queries.jsonl").write_text(
        '{"_id": "q1", "text": "what?", "metadata": {}}\n{"_id": "q2", "text": "y"}\n'
    )
    for split in ("train", "test"):
        (tmp_path / "qrels" / f"{split}.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    found = read_collection(tmp_path)
    assert found.documents is not None
    assert found.topics is not None
    assert found.documents.frame.rows() == [("d1", "T", "x")]
    assert found.topics.frame["query_id"].to_list() == ["q1", "q2"]
    assert list(found.qrels) == ["test", "train"]
    assert found.qrels["test"].frame.rows() == [("q1", "d1", 1.0)]
    assert [warning.rpartition(": ")[2] for warning in found.warnings] == ["1 topic without judgments"] * 2
