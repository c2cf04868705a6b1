"""The classic collections in their original layouts: folder by folder, whole, and never misread."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cases import in_turn
from command import run_assay
from shared_data import shared

from assay import Collection, InputError, evaluate, read_collection, read_documents, read_qrels, read_topics

#: Documents, topics, judged topics and judged pairs, as the files' own descriptions count them.
WHOLE = {
    "npl": (11429, 93, 93, 2083),
    "time": (423, 83, 83, 324),
    "cacm": (3204, 64, 52, 796),
    "cranfield": (1400, 225, 225, 1837),
    "cisi": (1460, 112, 76, 3114),
    "med": (1033, 30, 30, 696),
    "adi": (82, 35, 35, 170),
}
RELEVANT_IN = {"npl": "rlv-ass", "time": "TIME.REL", "cacm": "qrels.text"}


def ids(collection: Collection) -> tuple[list[str], list[str]]:
    assert collection.documents is not None
    assert collection.topics is not None
    return collection.documents.frame["doc_id"].to_list(), collection.topics.frame["query_id"].to_list()


def warned(collection: Collection, words: str) -> bool:
    return any(words in warning for warning in collection.warnings)


@in_turn("name", WHOLE)
def test_a_collection_has_the_counts_of_its_files_and_every_pair_names_what_exists(name: str) -> None:
    collection = read_collection(shared(name, "raw"))
    documents, topics = ids(collection)
    assert collection.qrels
    for qrels in collection.qrels.values():
        pairs = qrels.frame.select("query_id", "doc_id").rows()
        assert (len(documents), len(topics), len(qrels.topics), len(pairs)) == WHOLE[name]
        assert {query for query, _ in pairs} <= set(topics)
        assert {document for _, document in pairs} <= set(documents)


@in_turn("name", RELEVANT_IN)
def test_the_command_line_shows_the_same_counts(name: str, tmp_path: Path) -> None:
    shown = run_assay("show", shared(name, "raw"), folder=tmp_path)
    assert shown.returncode == 0
    facts = dict(line.split("  ", 1) for line in shown.stdout.splitlines() if "  " in line)
    documents, topics, judged, pairs = WHOLE[name]
    assert facts["documents"].split()[0] == f"{documents:,}"
    assert facts["topics"].split()[0] == f"{topics:,}"
    assert facts[f"judgments in {RELEVANT_IN[name]}"].strip().startswith(f"{pairs:,} on {judged} topics")
    assert sum(line.startswith("judgments in ") for line in shown.stdout.splitlines()) == 1


def test_a_list_of_terms_is_never_taken_for_judgments() -> None:
    collection = read_collection(shared("npl", "raw"))
    assert list(collection.qrels) == ["rlv-ass"]
    assert warned(collection, "term-mst: left out: it looks like TREC qrels, but")
    assert warned(collection, "not recognised, and left out: term-vocab")


def test_a_list_of_weights_is_left_out_also_where_there_are_no_topics(tmp_path: Path) -> None:
    (tmp_path / "doc-text").write_text("".join(f"{number}\nwater and tea\n/\n" for number in range(1, 31)))
    (tmp_path / "rlv-ass").write_text("1\n 3 4\n/\n2\n 5\n/\n")
    (tmp_path / "term-mst").write_text("".join(f"{term} {term + 9} {term} 0.{term}5\n" for term in range(1, 9)))
    collection = read_collection(tmp_path)
    assert list(collection.qrels) == ["rlv-ass"]
    assert warned(collection, "term-mst: left out: it looks like TREC qrels, but each number comes once, in order")


def test_vectors_of_terms_are_never_taken_for_judgments(tmp_path: Path) -> None:
    """They have the layout of the judgments, and the queries that these have: only the name tells them apart."""
    (tmp_path / "doc-text").write_text("".join(f"{number}\nwater and tea\n/\n" for number in range(1, 31)))
    (tmp_path / "query-text").write_text("1\ntea\n/\n2\nwater\n/\n")
    for name in ("rlv-ass", "doc-vecs", "query-vecs"):
        (tmp_path / name).write_text("1\n 3 4\n/\n2\n 5\n/\n")
    collection = read_collection(tmp_path)
    assert list(collection.qrels) == ["rlv-ass"]
    assert warned(collection, "doc-vecs: left out")
    assert warned(collection, "query-vecs: left out")


def test_numbers_that_are_no_topics_are_no_judgments_beside_those_that_are(tmp_path: Path) -> None:
    (tmp_path / "doc-text").write_text("".join(f"{number}\nwater and tea\n/\n" for number in range(1, 31)))
    (tmp_path / "query-text").write_text("1\ntea\n/\n2\nwater\n/\n")
    (tmp_path / "rlv-ass").write_text("1\n 3 4\n/\n2\n 5\n/\n")
    (tmp_path / "vectors").write_text("".join(f"{number} {number % 7} 2\n" for number in range(1, 31)))
    collection = read_collection(tmp_path)
    assert list(collection.qrels) == ["rlv-ass"]
    assert warned(collection, "only 7% of its queries are among the topics")


def test_time_numbers_documents_by_position_with_the_gap_that_its_judgments_count() -> None:
    collection = read_collection(shared("time", "raw"))
    assert collection.documents is not None
    frame = collection.documents.frame.select("doc_id", "given_id")
    assert frame.row(0) == ("1", "017")
    assert (frame.row(370)[0], frame.row(375)[0], frame.row(-1)[0]) == ("371", "378", "425")
    assert warned(collection, "numbered by position")
    assert warned(collection, "425 documents")


def test_zero_padded_documents_of_cacm_are_found() -> None:
    collection = read_collection(shared("cacm", "raw"))
    alone = read_qrels(shared("cacm", "raw", "qrels.text"))
    padded = {document for document in alone.frame["doc_id"] if document.startswith("0")}
    assert len(padded) == 46
    assert not {document for document in collection.qrels["qrels.text"].frame["doc_id"] if document.startswith("0")}
    assert warned(collection, "46 judged documents are written with zeros in front, unlike the documents: '0756'")
    perfect = {
        query: {str(int(document)): 1.0 for document in group["doc_id"]}
        for (query,), group in collection.qrels["qrels.text"].frame.group_by("query_id")
    }
    assert evaluate(collection.qrels["qrels.text"], {str(q): hits for q, hits in perfect.items()}, "AP").mean() == 1


# LISA and CF are not here whole: their first records, and made-up files with the faults of the whole ones.


def test_the_first_records_of_lisa() -> None:
    collection = read_collection(shared("layouts", "lisa"))
    assert ids(collection) == (["1", "2", "3", "4"], ["1", "2"])
    assert collection.qrels["LISARJ.NUM"].frame.rows() == [
        ("1", "3392", 1.0), ("1", "3396", 1.0), ("2", "2623", 1.0), ("2", "4291", 1.0), ("3", "1407", 1.0),
        ("3", "1431", 1.0), ("3", "3794", 1.0), ("3", "3795", 1.0), ("3", "3796", 1.0),
    ]  # fmt: skip
    assert collection.documents is not None
    assert collection.documents.frame["title"][1].endswith("LIBRARY CONFERENCE, BANGALORE.")
    assert collection.documents.frame["text"][1].startswith("PAPERS AND PROCEEDINGS FROM")


def lisa(folder: Path) -> Path:
    """Six documents in three files, two of them twice: once alike, once with another text."""
    record = "Document {0:4}\nTITLE {0}\nGOES ON.\n     \nABSTRACT {1}\nOF {0}.\n" + "*" * 44 + "\n"
    (folder / "LISA0.001").write_text("".join(record.format(number, "FIRST") for number in (1, 2, 3)))
    (folder / "LISA0.004").write_text("".join(record.format(number, "FIRST") for number in (3, 4, 5)))
    (folder / "LISA0.005").write_text("".join(record.format(number, "SECOND") for number in (5, 6)))
    (folder / "LISA.QUE").write_text("1\nTEA\nAND WATER. #\n2\nMILK #\n")
    (folder / "LISARJ.NUM").write_text(
        f"{1:12}{5:12}{1:12}{2:12}{3:12}{4:12}        \n{6:12}\n{2:12}{1:12}{5:12}        \n"
    )
    (folder / "LISA.REL").write_text("Query 1\n5 Relevant Refs:\n1 2 3 4\n6 -1\n\nQuery 2\n2 Relevant Refs:\n1 -1\n")
    (folder / "README").write_text("The files in this directory contain a collection.\n")
    return folder


def test_lisa_comes_in_several_files_and_repeats_documents(tmp_path: Path) -> None:
    collection = read_collection(lisa(tmp_path))
    documents, topics = ids(collection)
    assert (documents, topics) == (["1", "2", "3", "4", "5", "6"], ["1", "2"])
    assert collection.documents is not None
    assert collection.documents.frame.row(4)[:3] == ("5", "TITLE 5 GOES ON.", "ABSTRACT FIRST OF 5.")
    assert warned(collection, "1 document comes again with the same text; kept once")
    assert warned(collection, "1 document comes again with another text, such as '5'; the first is kept")


def test_the_corrupt_judgments_of_lisa_are_not_read(tmp_path: Path) -> None:
    collection = read_collection(lisa(tmp_path))
    assert list(collection.qrels) == ["LISARJ.NUM"]
    assert len(collection.qrels["LISARJ.NUM"].frame) == 5 + 1
    assert warned(collection, "not recognised, and left out: LISA.REL")


def test_the_first_records_of_cf() -> None:
    collection = read_collection(shared("layouts", "cf"))
    assert ids(collection) == (["1", "2"], ["1", "2"])
    qrels = collection.qrels["cfquery.xml"]
    assert len(qrels.frame) == 34 + 7
    assert qrels.frame.row(0) == ("1", "139", 1 + 2 + 2 + 2)
    assert warned(collection, "the sum of four experts' grades")


def test_the_experts_of_cf_can_be_told_apart() -> None:
    path = shared("layouts", "cf", "cfquery.xml")
    by_expert = read_qrels(path, judges=True)
    assert by_expert.judges == ["1", "2", "3", "4"]
    grades = [by_expert.by_judge(judge).frame["relevance"][0] for judge in by_expert.judges]
    assert grades == [1, 2, 2, 2]
    assert evaluate(path, {"1": {"139": 1.0}}, "nDCG@1", judge="2").qrels.frame["relevance"].max() == 2


def cf(folder: Path) -> Path:
    """Two files of articles and one of queries, in which the start of query 3 became an item of query 2."""
    for year, numbers in (("74", (1, 2)), ("75", (3, 4))):
        records = "".join(
            f"<RECORD>\n<PAPERNUM>PN{year}</PAPERNUM>\n<RECORDNUM>{number:05} </RECORDNUM>\n<TITLE>T{number}</TITLE>\n"
            f"<MAJORSUBJ><TOPIC>TEA</TOPIC></MAJORSUBJ>\n<ABSTRACT>p < 0.05 &amp; more.</ABSTRACT>\n</RECORD>\n"
            for number in numbers
        )
        (folder / f"cf{year}.xml").write_text(f'<?xml version="1.0"?>\n<root>\n{records}</root>\n')
    (folder / "cfquery.xml").write_text(
        "<root>\n<QUERY>\n<QueryNumber>00001</QueryNumber>\n<QueryText>What?</QueryText>\n<Results>00001</Results>\n"
        '<Records><Item score="2222">1</Item></Records>\n</QUERY>\n<QUERY>\n<QueryNumber>00002</QueryNumber>\n'
        '<QueryText>Why?</QueryText>\n<Results>00001</Results>\n<Records><Item score="0001">2</Item>'
        '<Item score="00002">00003</Item><Item score="1000">2</Item><Item score="0120">4</Item></Records>\n</QUERY>\n'
        "</root>\n"
    )
    return folder


def test_cf_comes_in_several_files_and_a_query_that_lost_its_text_keeps_its_judgments(tmp_path: Path) -> None:
    collection = read_collection(cf(tmp_path))
    assert ids(collection) == (["1", "2", "3", "4"], ["1", "2", "3"])
    assert collection.qrels["cfquery.xml"].frame.rows() == [
        ("1", "1", 8.0), ("2", "2", 1.0), ("3", "2", 1.0), ("3", "4", 3.0),
    ]  # fmt: skip
    assert collection.documents is not None
    assert collection.documents.frame["text"][0] == "p < 0.05 & more."
    assert warned(collection, "query 3 is an item of the query before")
    assert warned(collection, "1 topic without text")
    assert not warned(collection, "than announced")


def test_queries_of_cf_with_other_documents_than_announced_are_counted(tmp_path: Path) -> None:
    queries = cf(tmp_path) / "cfquery.xml"
    queries.write_text(queries.read_text().replace("<Results>00001</Results>", "<Results>00003</Results>", 1))
    expected = "1 query with more or fewer documents than announced, such as query 1 with 1 of 3"
    assert warned(read_collection(tmp_path), expected)


# Whatever the collection, a bad file is named and the others are read.


def broken_documents(folder: Path) -> None:
    (folder / "LISA0.004").write_bytes(b"\x1f\x8b\x08\x00broken")


def broken_topics(folder: Path) -> None:
    (folder / "LISA.QUE").write_text("1\nTEA #\nno number here\n")


def broken_judgments(folder: Path) -> None:
    (folder / "LISARJ.NUM").write_text(f"{1:12}{2:12}{1:12}{2:12}\n{2:12}{9:12}{5:12}\n")


@in_turn(
    ("spoil", "name", "kept"),
    [
        (broken_documents, "LISA0.004", "documents"),
        (broken_topics, "LISA.QUE", "documents"),
        (broken_judgments, "LISARJ.NUM", "topics"),
    ],
)
def test_one_unreadable_file_does_not_fail_the_folder(
    spoil: Callable[[Path], None], name: str, kept: str, tmp_path: Path
) -> None:
    spoil(lisa(tmp_path))
    collection = read_collection(tmp_path)
    assert getattr(collection, kept) is not None
    assert any(name in warning and "left out" in warning for warning in collection.warnings)
    shown = run_assay("show", tmp_path, folder=tmp_path)
    assert shown.returncode == 0
    assert name in shown.stdout


def test_a_folder_with_nothing_but_an_unreadable_file_is_refused_with_its_reason(tmp_path: Path) -> None:
    broken_topics(tmp_path)
    with pytest.raises(InputError, match=r"got none; LISA\.QUE cannot be read.*expected the number of a record"):
        read_collection(tmp_path)


def test_pairs_that_name_nothing_are_counted(tmp_path: Path) -> None:
    lisa(tmp_path)
    (tmp_path / "LISARJ.NUM").write_text(f"{1:12}{2:12}{1:12}{99:12}\n{7:12}{1:12}{2:12}\n")
    collection = read_collection(tmp_path)
    assert warned(collection, "1 judged query not among the topics, such as '7'")
    assert warned(collection, "1 judged document not in the collection, such as '99'")


@in_turn(
    ("text", "words"),
    [
        ("1 0 12 1\n1 0 13 0\n2 0 12 1\n", "TREC qrels"),
        ("1 12 1\n1 13 0\n2 12 1\n", "qrels in three columns"),
        ("1 1 5\n2 1 7\n3 1 9\n", "qrels in three columns"),
        ("1 2 3 4\n2 3 4 5\n", "TREC qrels"),
    ],
)
def test_columns_of_numbers_are_still_what_they_were(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "some.file").write_text(text)
    assert read_qrels(tmp_path / "some.file").format == words


@in_turn(
    ("name", "read"),
    [
        *((name, read_topics) for name in ("npl-topics", "lisa-topics", "time-topics", "cf-topics")),
        *((name, read_documents) for name in ("npl-documents", "lisa-documents", "time-documents", "cf-documents")),
        *((name, read_qrels) for name in ("npl-qrels", "lisa-qrels", "time-qrels", "cf-qrels")),
    ],
)
def test_a_file_without_a_record_is_refused(name: str, read: Callable[..., object], tmp_path: Path) -> None:
    (tmp_path / "blank").write_text("\n\n")
    with pytest.raises(InputError, match="there are none"):
        read(tmp_path / "blank", format=name)


# Files as they came from DOS, in copies, and among files that explain them.


@in_turn("end", [b"\x1a", b"\r\n\x1a", b"\n\x1a\x1a\n"])
@in_turn("name", ["time", "cacm"])
def test_the_end_mark_of_dos_is_no_record(name: str, end: bytes, tmp_path: Path) -> None:
    for path in shared(name, "raw").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes().replace(b"\n", b"\r\n") + end)
    collection = read_collection(tmp_path)
    documents, topics = ids(collection)
    pairs = collection.qrels[RELEVANT_IN[name]].frame
    assert (len(documents), len(topics), len(pairs)) == (*WHOLE[name][:2], WHOLE[name][3])


def test_the_end_mark_of_dos_is_no_record_of_npl_and_lisa_and_no_line_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "doc-text").write_bytes(b"1\r\nwater and tea\r\n/\r\n\x1a")
    (tmp_path / "LISARJ.NUM").write_bytes(f"{1:12}{1:12}{1:12}\r\n\x1a".encode())
    (tmp_path / "tea.run").write_bytes(b"1 Q0 1 1 0.5 mine\r\n\x1a")
    assert len(read_documents(tmp_path / "doc-text")) == 1
    assert evaluate(tmp_path / "LISARJ.NUM", tmp_path / "tea.run", "AP").mean() == 1


def test_copies_of_the_documents_are_no_topics(tmp_path: Path) -> None:
    for ending in ("", ".bak"):
        (tmp_path / f"doc-text{ending}").write_text("".join(f"{number}\nwater and tea\n/\n" for number in range(1, 31)))
        (tmp_path / f"query-text{ending}").write_text("1\ntea\n/\n2\nwater\n/\n")
    collection = read_collection(tmp_path)
    assert list(map(len, ids(collection))) == [30, 2]
    assert warned(collection, "doc-text.bak: left out, as doc-text has the documents")


def test_what_explains_a_collection_is_none_of_its_tables(tmp_path: Path) -> None:
    lisa(tmp_path)
    for name in ("00README", "lisa_readme.txt", "README.1ST"):
        (tmp_path / name).write_text("read me 1\n")
    assert list(read_collection(tmp_path).qrels) == ["LISARJ.NUM"]


def test_asterisks_may_stand_before_the_first_document_of_lisa(tmp_path: Path) -> None:
    lisa(tmp_path)
    (tmp_path / "LISA0.001").write_text("*" * 44 + "\n" + (tmp_path / "LISA0.001").read_text())
    assert ids(read_collection(tmp_path))[0] == ["1", "2", "3", "4", "5", "6"]
