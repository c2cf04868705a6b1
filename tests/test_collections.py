"""Whole collections: the classic ones from their raw files, Assay's own, and made-up ones for each trap."""

from __future__ import annotations

from importlib.resources import files as resources
from pathlib import Path
from typing import NamedTuple

import pytest
from cases import in_turn
from shared_data import shared

from assay import Collection, InputError, evaluate, read_collection, read_documents, read_qrels, read_topics


class Classic(NamedTuple):
    """How many documents, topics, judged topics and judgments a collection has, and which file holds the latter."""

    documents: int
    topics: int
    judged: int
    judgments: int
    qrels: str
    traps: tuple[str, ...]


SMART_COLUMNS = "the last two columns of SMART judgments mean nothing"
CLASSICS = {
    "cranfield": Classic(
        1400, 225, 225, 1837, "cranqrel",
        ("1 is the best grade", "numbered by position", "2 documents without text", "CR LF"),
    ),
    "cisi": Classic(1460, 112, 76, 3114, "CISI.REL", (SMART_COLUMNS, "36 topics without judgments", "CR LF")),
    "med": Classic(1033, 30, 30, 696, "MED.REL", (SMART_COLUMNS, "CR LF")),
    "adi": Classic(82, 35, 35, 170, "ADI.REL", (SMART_COLUMNS, "CR LF")),
}  # fmt: skip
each_classic = in_turn("name", CLASSICS)


def both(found: Collection) -> tuple[list[str], list[str]]:
    """The ids of documents and of topics."""
    assert found.documents is not None
    assert found.topics is not None
    return found.documents.frame["doc_id"].to_list(), found.topics.frame["query_id"].to_list()


@each_classic
def test_the_classic_collections_have_their_counts(name: str) -> None:
    known = CLASSICS[name]
    found = read_collection(shared(name, "raw"))
    documents, topics = both(found)
    qrels = found.qrels[known.qrels]
    assert (len(documents), len(topics), len(qrels.topics), qrels.frame.height) == known[:4]


@each_classic
def test_the_classic_collections_give_the_judgments_of_the_derived_files(name: str) -> None:
    found = read_collection(shared(name, "raw"))
    derived = read_qrels(shared(name, "qrels.trec"))
    for qrels in found.qrels.values():
        assert sorted(qrels.frame.rows()) == sorted(derived.frame.rows())
    assert read_collection(shared(name)).qrels["qrels.trec"].frame.equals(derived.frame)


@each_classic
def test_the_classic_collections_give_the_texts_of_the_derived_files(name: str) -> None:
    found = read_collection(shared(name, "raw"))
    derived = read_documents(shared(name, "docs.jsonl")), read_topics(shared(name, "topics.tsv"))
    assert found.documents is not None
    assert found.topics is not None
    assert found.documents.frame.select("doc_id", "title", "text").equals(
        derived[0].frame.select("doc_id", "title", "text")
    )
    assert found.topics.frame.select("query_id", "title").equals(derived[1].frame.select("query_id", "title"))


@each_classic
def test_the_traps_of_the_classic_collections_are_warned_about(name: str) -> None:
    warnings = read_collection(shared(name, "raw")).warnings
    for trap in CLASSICS[name].traps:
        assert any(trap in warning for warning in warnings), trap
    assert len(warnings) == len(set(warnings))


def test_the_grades_of_cranfield_can_be_turned_round() -> None:
    found = read_collection(shared("cranfield", "raw"), inverse_grades=True)
    derived = read_qrels(shared("cranfield", "qrels.gain.trec"))
    assert sorted(found.qrels["cranqrel"].frame.rows()) == sorted(derived.frame.rows())
    assert not any("best grade" in warning for warning in found.warnings)
    alone = read_qrels(shared("cranfield", "raw", "cranqrel"), inverse_grades=True)
    assert sorted(alone.frame.rows()) == sorted(derived.frame.rows())
    assert any("best grade" in warning for warning in read_qrels(shared("cranfield", "raw", "cranqrel")).warnings)


def test_the_topics_of_cranfield_keep_their_own_ids_beside() -> None:
    topics = read_collection(shared("cranfield", "raw")).topics
    assert topics is not None
    assert topics.frame.select("query_id", "given_id").rows()[:3] == [("1", "001"), ("2", "002"), ("3", "004")]


def test_the_bundled_collection_is_whole() -> None:
    found = read_collection(Path(str(resources("assay") / "data" / "bicycles")))
    documents, topics = both(found)
    assert (len(documents), len(topics)) == (189, 20)
    assert found.warnings == ()
    assert len(found.qrels["judgments.txt"].judges) == 3
    assert set(found.qrels["qrels.txt"].topics) == set(topics)
    assert set(found.qrels["qrels.txt"].frame["doc_id"]) <= set(documents)


# Collections made up for one trap each.

DOCUMENTS = ".I 1\n.T\nGreen tea\n.W\nSteep it.\n.I 2\n.T\nIced tea\n.W\nCool it.\n.I 3\n.T\nMint\n.W\nGrow it.\n"
TOPICS = ".I 1\n.W\nhow to make tea\n.I 2\n.W\nwhat is cold\n.I 3\n.W\nwhat grows\n"


def made(
    folder: Path, documents: str = DOCUMENTS, topics: str = TOPICS, qrels: str = "1 1 0 0\n2 2 0 0\n3 3 0 0\n"
) -> Path:
    (folder / "tea.all").write_text(documents)
    (folder / "tea.qry").write_text(topics)
    (folder / "tea.rel").write_text(qrels)
    return folder


def said(found: Collection) -> list[str]:
    """The warnings without the paths before them, and without the one that all SMART judgments give."""
    return [warning.partition(": ")[2] for warning in found.warnings if SMART_COLUMNS not in warning]


def test_a_collection_without_traps_has_one_warning_only(tmp_path: Path) -> None:
    found = read_collection(made(tmp_path))
    assert said(found) == []
    assert len(found.warnings) == 1
    assert found.qrels["tea.rel"].frame.rows() == [("1", "1", 1.0), ("2", "2", 1.0), ("3", "3", 1.0)]
    assert evaluate(found.qrels["tea.rel"], {"1": {"1": 1.0}, "2": {"2": 1.0}}, "RR").mean() == pytest.approx(2 / 3)


def test_ids_padded_with_zeros_in_the_judgments_are_those_of_the_topics(tmp_path: Path) -> None:
    found = read_collection(made(tmp_path, qrels="01 1  0 0\n01 2  0 0\n03 3  0 0\n"))
    assert found.qrels["tea.rel"].topics == ["1", "3"]
    assert both(found)[1] == ["1", "2", "3"]
    assert [warning.partition(" from ")[0] for warning in said(found)] == [
        "query ids differ in leading zeros",
        "1 topic without judgments",
    ]


def test_ids_padded_with_zeros_in_the_topics_are_those_of_the_judgments(tmp_path: Path) -> None:
    found = read_collection(made(tmp_path, topics=TOPICS.replace(".I ", ".I 00")))
    assert found.qrels["tea.rel"].topics == both(found)[1] == ["1", "2", "3"]
    assert found.topics is not None
    assert found.topics.frame["given_id"].to_list() == ["001", "002", "003"]


def test_ids_that_agree_stay_as_they_are(tmp_path: Path) -> None:
    found = read_collection(made(tmp_path, topics=TOPICS.replace(".I ", ".I 00"), qrels="001 1 0 0\n003 3 0 0\n"))
    assert found.qrels["tea.rel"].topics == ["001", "003"]
    assert both(found)[1] == ["001", "002", "003"]


def test_topics_are_numbered_by_position_if_the_judgments_are(tmp_path: Path) -> None:
    found = read_collection(made(tmp_path, topics=TOPICS.replace(".I 2", ".I 7").replace(".I 3", ".I 9")))
    assert found.topics is not None
    assert found.topics.frame.select("query_id", "given_id").rows() == [("1", "1"), ("2", "7"), ("3", "9")]
    assert found.qrels["tea.rel"].topics == ["1", "2", "3"]
    assert said(found)[0].startswith("queries are numbered by position, not by the ids of")


def test_judged_queries_and_documents_that_are_nowhere_are_counted(tmp_path: Path) -> None:
    found = read_collection(made(tmp_path, qrels="1 1 0 0\nx 2 0 0\n3 77 0 0\n3 78 0 0\n"))
    assert said(found) == [
        "1 judged query not among the topics, such as 'x'",
        "1 topic without judgments",
        "2 judged documents not in the collection, such as '77'",
    ]


CACM = """.I 1
.T
Preliminary Report
.B
CACM December, 1958
.A
Perlis, A. J.
Samelson, K.
.N
CA581203 JB March 22, 1978  8:28 PM
.X
100\t5\t1
123\t5\t1
.I 2
.T
Extraction of Roots
.W
Some text,
   over lines.
.B
CACM December, 1958
.K
algebra, logic
.C
4.12 5.1
.Z
odd
.X
2\t5\t2
"""
CACM_QUERIES = """.I 1
.W
 What articles exist which deal with TSS?
.N
 1. Someone (TSS)

.I 2
.W
 I am interested in articles by Prieve
.A
Prieve, B.
.N
 2. Someone
"""


def test_a_collection_like_cacm(tmp_path: Path) -> None:
    (tmp_path / "cacm.all").write_text(CACM)
    (tmp_path / "query.text").write_text(CACM_QUERIES)
    (tmp_path / "qrels.text").write_text("01 1  0 0\n01 2  0 0\n")
    (tmp_path / "common_words").write_text("a\nabout\nabove\n")
    (tmp_path / "README").write_text("cacm.all holds 3 things\n1 2 3\n")
    found = read_collection(tmp_path)
    assert found.documents is not None
    assert found.topics is not None
    assert found.documents.frame.to_dicts()[0] == {
        "doc_id": "1", "title": "Preliminary Report", "text": "", "source": "CACM December, 1958",
        "authors": "Perlis, A. J. Samelson, K.", "notes": "CA581203 JB March 22, 1978 8:28 PM",
        "references": "100 5 1 123 5 1", "keywords": "", "categories": "", "z": "",
    }  # fmt: skip
    assert found.documents.frame.row(1)[:3] == ("2", "Extraction of Roots", "Some text, over lines.")
    assert found.documents.frame["z"].to_list() == ["", "odd"]
    assert found.topics.frame["title"].to_list() == [
        "What articles exist which deal with TSS?",
        "I am interested in articles by Prieve",
    ]
    assert found.qrels["qrels.text"].frame.rows() == [("1", "1", 1.0), ("1", "2", 1.0)]
    assert "1 document without text" in said(found)


def test_queries_with_authors_are_topics_whatever_the_file_is_called(tmp_path: Path) -> None:
    (tmp_path / "one").write_text(CACM)
    (tmp_path / "two").write_text(CACM_QUERIES)
    assert both(read_collection(tmp_path)) == (["1", "2"], ["1", "2"])


def test_of_two_files_of_bare_records_the_larger_one_has_the_documents(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(TOPICS)
    (tmp_path / "b").write_text("".join(f".I d{number}\n.W\nshort\n" for number in range(50)))
    documents, topics = both(read_collection(tmp_path))
    assert (len(documents), topics) == (50, ["1", "2", "3"])


def test_records_may_lack_titles_and_texts(tmp_path: Path) -> None:
    text = ".I 1\n.W\n\n.I 2\n.T\nOnly a title\n.I 3\n.W\nfirst\n.W\nsecond\n.I 4\n"
    found = read_collection(made(tmp_path, documents=text))
    assert found.documents is not None
    assert found.documents.frame.select("doc_id", "title", "text").rows() == [
        ("1", "", ""), ("2", "Only a title", ""), ("3", "", "first second"), ("4", "", ""),
    ]  # fmt: skip
    assert "3 documents without text" in said(found)


def test_a_field_may_go_on_behind_its_letter(tmp_path: Path) -> None:
    found = read_collection(made(tmp_path, documents=".I  12 \n.T Green tea\n.W Steep it.\nTwice.\n"))
    assert found.documents is not None
    assert found.documents.frame.rows() == [("12", "Green tea", "Steep it. Twice.")]


def test_runs_beside_a_collection_are_no_part_of_it(tmp_path: Path) -> None:
    made(tmp_path)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "bm25.run").write_text("1 Q0 1 1 2.0 t\n")
    (tmp_path / "dense.run").write_text("1 Q0 1 1 2.0 t\n")
    (tmp_path / "marco.tsv").write_text("1\t1\t1\n1\t2\t2\n")
    assert list(read_collection(tmp_path).qrels) == ["tea.rel"]


def test_a_second_file_of_documents_is_left_out_with_a_warning(tmp_path: Path) -> None:
    (made(tmp_path) / "zzz.all").write_text(DOCUMENTS)
    assert "left out, as tea.all has the documents" in said(read_collection(tmp_path))


def test_a_folder_without_tables_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("nothing of the kind\n")
    with pytest.raises(InputError, match="expected files of documents, topics or judgments, got none"):
        read_collection(tmp_path)
    with pytest.raises(InputError, match="expected a folder"):
        read_collection(tmp_path / "notes")
