"""Labels made by other tools: each export is known by its content, comes in once, and tasks go out and come back."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import run_assay
from judging import SIZE, fast_folder, judge_all, make_project, new_database

from assay import FormatError, InputError, ParameterError, agree, read_labels
from assay.store.database import open_database
from assay.store.handout import hand_out
from assay.store.labels_table import history, labels_of
from assay.store.projects import Project, open_project
from assay.store.transfer import exported, take_labels

IDS = {"query_id": "q1", "doc_id": "d1"}


def lines(*records: dict[str, Any]) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


def langfuse(value: Any, who: str | None, **more: Any) -> dict[str, Any]:
    return {"id": "s1", "traceId": "t1", "observationId": None, "name": "relevance", "value": value,
            "stringValue": None, "dataType": "NUMERIC", "source": "ANNOTATION" if who else "EVAL",
            "authorUserId": who, "timestamp": "2026-01-02T10:00:00.000Z", "metadata": IDS, **more}  # fmt: skip


def langsmith(score: Any, who: str | None, **more: Any) -> dict[str, Any]:
    return {"id": "f1", "run_id": "r1", "trace_id": "r1", "key": "relevance", "score": score, "value": None,
            "created_at": "2026-01-02T10:00:00+00:00", "feedback_source": {"type": "app", "user_name": who},
            "extra": {"metadata": IDS}, **more}  # fmt: skip


def umbrela(judgment: Any, **more: Any) -> dict[str, Any]:
    return {"model": "gpt-4o", "query": "about q1", "passage": "The text.", "prompt": "Given " * 2000,
            "prediction": f"##final score: {judgment}", "judgment": judgment, "result_status": 1, **more}  # fmt: skip


def argilla(**responses: Any) -> dict[str, Any]:
    return {"id": "r1", "fields": {"text": "The text."}, "metadata": IDS, "suggestions": {}, "responses": responses,
            "vectors": {}, "status": "completed", "_server_id": "x"}  # fmt: skip


BOOK = {
    "name": "tea", "show_rank": False, "support_implicit_judgements": False,
    "scorer": {"name": "nDCG@10", "scale": [0, 1, 2, 3], "code": "// " + "x" * 9000},
    "query_doc_pairs": [
        {"query_text": "about q1", "doc_id": "d1", "position": 1, "document_fields": "{}", "judgements": [
            {"rating": 3.0, "unrateable": False, "judge_later": False, "user_email": "ana@x.org", "explanation": "yes"},
            {"rating": None, "unrateable": True, "judge_later": False, "user_email": "ben@x.org", "explanation": ""},
        ]},
        {"query_text": "about q1", "doc_id": "d2", "position": None, "document_fields": "{}", "judgements": []},
        {"query_text": "about q2", "doc_id": "d4", "position": 2, "document_fields": "{}", "judgements": [
            {"rating": 1.0, "unrateable": False, "judge_later": False, "explanation": None},
        ]},
    ],
}  # fmt: skip
CASE = {"queries": [{"query": "about q1", "ratings": {"d1": 3, "d2": 0}}, {"query": "about q2", "ratings": {}}]}
RRE = {
    "id_field": "id", "index": "tea", "template": "template.json",
    "queries": [
        {"placeholders": {"$query": "about q1"}, "relevant_documents": {"0": ["d2"], "3": ["d1"]}},
        {"placeholders": {"$query": "about q2"}},
    ],
}  # fmt: skip

#: RRE's own files: gains with their documents, or documents with their gains, by groups of queries; topics or none.
GROUP: dict[str, Any] = {
    "name": "tea", "queries": [{"template": "q.json", "placeholders": {"$query": "about q1"}},
                               {"template": "q.json", "placeholders": {"$query": "about q2"}}],
    "relevant_documents": {"3": ["d1"], "1": ["d4", 5]},
}  # fmt: skip
BY_DOCUMENT = {
    **GROUP,
    "queries": GROUP["queries"][:1],
    "relevant_documents": [{"d1": {"gain": 2}}, {"d2": {"gain": 0}}],
}
OF_GROUP = [
    (f"about q{n}", document, "ana", grade) for n in (1, 2) for document, grade in (("d1", 3), ("d4", 1), ("5", 1))
]

#: An export, whose it is where it does not say so, and the labels in it.
EXPORTS = {
    "topics of RRE": (json.dumps({"index": "tea", "topics": [{"description": "t", "query_groups": [GROUP]}]}), "ana",
                      OF_GROUP),
    "groups of RRE": (json.dumps({"id_field": "id", "query_groups": [BY_DOCUMENT]}), "ana",
                      [("about q1", "d1", "ana", 2), ("about q1", "d2", "ana", 0)]),
    "book of Quepid": (json.dumps(BOOK, indent=1), None,
                       [("about q1", "d1", "ana@x.org", 3), ("about q2", "d4", "Unknown", 1)]),
    "table of a book of one": ("query,docid,Ana B.\nabout q1,d1,3.0\nabout q1,d2,\n", None,
                               [("about q1", "d1", "Ana B.", 3)]),
    "table of a book of two": ("query,docid,Ana,Ben\nabout q1,d1,3.0,1.0\nabout q1,d2,,0.0\n", None,
                               [("about q1", "d1", "Ana", 3), ("about q1", "d1", "Ben", 1),
                                ("about q1", "d2", "Ben", 0)]),
    "ratings of a case": ('query,docid,rating\nabout q1,d1,3\nabout nothing\n" =about, q2",d4,1\n', "ana",
                          [("about q1", "d1", "ana", 3), ("=about, q2", "d4", "ana", 1)]),
    "ratings as JSON": (json.dumps(CASE), "ana", [("about q1", "d1", "ana", 3), ("about q1", "d2", "ana", 0)]),
    "ratings for RRE": (json.dumps(RRE, indent=2), "ana", [("about q1", "d2", "ana", 0), ("about q1", "d1", "ana", 3)]),
    "Argilla": (json.dumps([argilla(relevance=[{"value": "2", "user_id": "a"}, {"value": "1", "user_id": "b"}],
                                    why=[{"value": "so", "user_id": "a"}]), argilla()]), None,
                [("q1", "d1", "a", 2), ("q1", "d1", "b", 1)]),
    "Argilla's server": (lines({"id": "r1", "fields": IDS, "responses": [
        {"user_id": "a", "status": "submitted", "values": {"relevance": {"value": 2}}},
        {"user_id": "b", "status": "discarded", "values": {"relevance": {"value": 0}}},
        {"user_id": "c", "status": "submitted", "values": None}]}), None, [("q1", "d1", "a", 2)]),
    "a dataset of Argilla": (lines({
        "id": "r1", "status": "completed", "text": "The text.", "metadata.query_id": "q1", "metadata.doc_id": "d1",
        "relevance.responses": ["2", "1"], "relevance.responses.users": ["a", "b"],
        "relevance.responses.status": ["submitted", "draft"]}), None, [("q1", "d1", "a", 2)]),
    "Langfuse": (lines(langfuse(2, "u1"), langfuse(1, None), langfuse(0.7, None, name="cost")), None,
                 [("q1", "d1", "u1", 2), ("q1", "d1", "eval", 1)]),
    "Langfuse's API": (json.dumps({"data": [langfuse(0, "u1", dataType="CATEGORICAL", stringValue="related")],
                                   "meta": {"page": 1}}, indent=1), None, [("q1", "d1", "u1", "related")]),
    "Langfuse's client": (lines({"trace_id": "t1", "name": "relevance", "value": 1.0, "data_type": "BOOLEAN",
                                 "source": "ANNOTATION", "author_user_id": "u1", "metadata": IDS}), None,
                          [("q1", "d1", "u1", 1)]),
    "LangSmith": (lines(langsmith(2, "ana"), langsmith(None, "ben", value="0"), langsmith(True, None)), None,
                  [("q1", "d1", "ana", 2), ("q1", "d1", "ben", 0), ("q1", "d1", "app", 1)]),
    "Braintrust": (lines({"id": "e1", "span_id": "x", "input": {"query": "about q1", "doc_id": "d1"}, "output": "y",
                          "expected": None, "scores": {"relevance": 1, "tone": 0.3}, "metadata": {"judge": "ana"}},
                         {"id": "e2", "input": {"query": "about q1", "doc_id": "d2"}, "scores": {"relevance": None}}),
                   None, [("about q1", "d1", "ana", 1)]),
    "UMBRELA": (lines(umbrela(3, qid="q1", docid="d1"), umbrela(0, qid="q1", docid="d2", result_status=0)), None,
                [("q1", "d1", "gpt-4o", 3)]),
    "UMBRELA without ids of topics": (lines(umbrela(2, docid="d1")), None, [("about q1", "d1", "gpt-4o", 2)]),
}  # fmt: skip


@pytest.mark.parametrize("tool", EXPORTS)
def test_an_export_is_known_by_its_content(tool: str, tmp_path: Path) -> None:
    text, judge, expected = EXPORTS[tool]
    file = tmp_path / "export.json"
    file.write_text(text)
    labels = read_labels(str(file) if judge is None else {judge: str(file)})
    assert labels.frame.select("query_id", "item_id", "judge", "label").rows() == expected


NOTES = {
    "a table": "query_id,doc_id,judge,label,comment\nq1,d1,ana,3,why\nq1,d2,ana,1,\n",
    "Quepid": json.dumps(BOOK).replace('"explanation": "yes"', '"explanation": "why"'),
    "Label Studio": json.dumps([{"id": 1, "data": IDS, "annotations": [{"completed_by": "ana", "result": [
        {"from_name": "relevance", "value": {"rating": 3}}, {"from_name": "comment", "value": {"text": ["why"]}},
    ]}]}]),
    "Langfuse": lines(langfuse(3, "ana", comment="why")),
    "LangSmith": lines(langsmith(3, "ana", comment="why")),
    "Argilla": lines(argilla(relevance=[{"value": 3, "user_id": "ana"}], comment=[{"value": "why", "user_id": "ana"}])),
}  # fmt: skip


@pytest.mark.parametrize("tool", NOTES)
def test_notes_come_in_with_their_labels_and_go_out_again(tool: str, project: Project, tmp_path: Path) -> None:
    place = tmp_path / ("notes.csv" if tool == "a table" else "notes.json")
    place.write_text(NOTES[tool])
    take_labels(project, read_labels(place))
    assert [row["note"] for row in history(project) if row["doc_id"] == "d1"] == ["why"]
    table, _ = exported(project, "labels", ending=".csv")
    (row, *_) = csv.DictReader(io.StringIO(table))
    assert row["note"] == "why"


def test_scores_of_traces_are_labels_of_traces_where_no_document_is_named() -> None:
    records = [langfuse(value, who, traceId=trace, metadata={}) for trace in ("t1", "t2") for value, who in
               ((1, "ana"), (1, "ben"))]  # fmt: skip
    assert agree(read_labels(io.StringIO(lines(*records))), "Agreement").value("Agreement") == 1.0


REFUSED = {
    "nobody gave it": (lines({"id": "e1", "input": IDS, "scores": {"relevance": 1}}),
                       r":1: expected who gave a score, got 'nobody' \(name them: as `judge` in the metadata, or"),
    "ratings of nobody": ("query,docid,rating\nabout q1,d1,3\n", "these name nobody: name whoever gave them"),
    "several scores": (lines(langfuse(1, "a", name="tone"), langfuse(1, "a", name="cost")),
                       r"expected one score that is the label, got 'tone, cost' \(name it with columns=.*'tone'"),
    "no document": (lines(umbrela(3)), ":1: expected the document that was judged, as `docid`, and its topic, as `qi"),
    "no record": (lines(langfuse(1, "a"), {"value": 5}), ":2: expected a record of Langfuse"),
    "several labels": (json.dumps([argilla(relevance=[{"value": ["1", "2"], "user_id": "a"}])]),
                       "expected one label of an item by a judge, got '1, 2'"),
    "nothing labelled": (json.dumps([argilla(relevance=[])]), "expected "),
    "no list": ('{"query_doc_pairs": 5}', "expected `query_doc_pairs`, a list"),
    "a line that is cut": ("query,docid,rating\nabout q1,d1,3,4\n", "export.csv:2: expected query, docid, rating"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_a_label_is_refused_in_a_sentence(case: str, tmp_path: Path) -> None:
    text, message = REFUSED[case]
    (tmp_path / "export.csv").write_text(text)
    named = case == "a line that is cut"
    with pytest.raises(FormatError, match=message):
        read_labels({"ana": str(tmp_path / "export.csv")} if named else str(tmp_path / "export.csv"))


@pytest.fixture
def project() -> Iterator[Project]:
    with fast_folder() as folder, new_database(folder / "judging.db") as database:
        yield make_project(database, overlap=1)


def test_tasks_go_to_label_studio_and_come_back_once(project: Project) -> None:
    """What was open is judged there; the same export again, or a longer one, takes nothing twice."""
    tasks = json.loads(exported(project, "tasks", ending=".json")[0])
    for number, task in enumerate(tasks):
        result = [{"from_name": "relevance", "value": {"choices": ["related"]}}]
        task |= {"id": number, "annotations": [
            {"completed_by": {"email": "ana"}, "result": result, "created_at": "2026-01-02T10:00:00Z", "lead_time": 2.5}
        ]}  # fmt: skip
    some = read_labels(io.StringIO(json.dumps(tasks[:4])))
    assert take_labels(project, some).taken == 4
    every = read_labels(io.StringIO(json.dumps(tasks)))
    assert [take_labels(project, labels).taken for labels in (some, every, every)] == [0, 2, 0]
    rows = list(history(project))
    assert [(row["assessor"], row["value"], row["client_at"], row["active_ms"]) for row in rows] == [
        ("ana", 1, 1_767_348_000_000, 2500)
    ] * len(tasks)
    assert json.loads(exported(project, "tasks", ending=".json")[0]) == []
    assert hand_out(project, "ben") is None


@pytest.mark.parametrize("form", [".csv", ".json"])
def test_tasks_go_to_quepid_and_come_back_once(form: str, project: Project) -> None:
    """Quepid knows topics by their text, and neither form says who found a document or where."""
    text, said = exported(project, "tasks", ending=form, tool="quepid")
    assert said == "6 documents"
    if form == ".csv":
        rows = list(csv.DictReader(io.StringIO(text)))
        assert list(rows[0]) == ["query", "docid", "rating"]
        back = "query,docid,ana\n" + "".join(f"{row['query']},{row['docid']},2\n" for row in rows)
    else:
        book = json.loads(text)
        assert {pair["position"] for pair in book["query_doc_pairs"]} == {None}
        for pair in book["query_doc_pairs"]:
            pair["judgements"] = [{"rating": 2.0, "user_email": "ana"}]
        back = json.dumps(book)
    labels = read_labels(io.StringIO(back))
    assert [take_labels(project, labels).taken for _ in range(3)] == [6, 0, 0]
    assert set(labels_of(project).frame["query_id"]) == {"q1", "q2"}
    assert exported(project, "tasks", ending=form, tool="quepid")[1] == "0 documents"


def test_labels_that_go_out_under_aliases_come_back_to_who_gave_them(project: Project) -> None:
    judge_all(project, "ana", lambda _: 2)
    for what, ending in (("labels", ".csv"), ("judges", ".qrels")):
        labels = read_labels(io.StringIO(exported(project, what, ending=ending)[0]))
        again = take_labels(project, labels)
        assert (again.taken, again.known) == (0, 6)


def test_an_older_export_does_not_undo_what_somebody_said_since(project: Project) -> None:
    labels = read_labels(io.StringIO("query_id,doc_id,judge,label\nq1,d1,ana,2\n"))
    assert take_labels(project, labels).taken == 1
    changed = read_labels(io.StringIO("query_id,doc_id,judge,label\nq1,d1,ana,3\n"))
    assert take_labels(project, changed).taken == 1
    assert take_labels(project, labels).taken == 0
    assert labels_of(project).frame["label"].to_list() == [3]


def test_scores_between_grades_are_mapped_or_refused(project: Project) -> None:
    """A 1 among scores from 0 to 1 is the best there is, and not the second grade."""
    labels = read_labels(io.StringIO(lines(langfuse(0.5, "ana"), langfuse(1, "ben"))))
    with pytest.raises(InputError, match=r"got 0.5: say which grade each score is, grades='0.5=GRADE'"):
        take_labels(project, labels)
    taken = take_labels(project, labels, grades="0=0,0.5=1,1=3")
    assert taken.taken == 2
    assert labels_of(project).frame["label"].to_list() == [1, 3]
    for wrong, message in (("1", "expected LABEL=GRADE"), ("1=x", "expected LABEL=GRADE"), ("1=9", "expected a grade")):
        with pytest.raises((ParameterError, InputError), match=message):
            take_labels(project, labels, grades=wrong)


def test_what_the_message_about_scores_advises_imports_them(tmp_path: Path) -> None:
    with new_database(tmp_path / "judging.db") as database:
        make_project(database)
    (tmp_path / "scores.jsonl").write_text(lines(langfuse(0.5, "ana"), langfuse(1, "ben")))
    refused = run_assay("judge", "import", "scores.jsonl", folder=tmp_path)
    assert refused.returncode == 2
    assert "say which grade each score is, --grades 0.5=GRADE" in refused.stderr
    taken = run_assay("judge", "import", "scores.jsonl", "--grades", "0.5=1,1=3", folder=tmp_path)
    assert taken.returncode == 0, taken.stderr
    assert taken.stdout.startswith("2 labels taken from scores.jsonl")
    (tmp_path / "case.csv").write_text("query,docid,rating\nabout q1,d2,3\n")
    assert "Given by zoe" in run_assay("judge", "import", "zoe=case.csv", folder=tmp_path).stdout


def test_labels_of_umbrela_take_no_persons_place(tmp_path: Path) -> None:
    with open_database(str(tmp_path / "judging.db"), create=True) as database:
        make_project(database)
    (tmp_path / "umbrela.jsonl").write_text(lines(umbrela(2, qid="q1", docid="d1")))
    done = run_assay("judge", "import", "umbrela.jsonl", folder=tmp_path)
    assert "1 label taken" in done.stdout, done.stderr
    with open_database(str(tmp_path / "judging.db")) as database:
        project = open_project(database)
        assert [(row["kind"], row["purpose"]) for row in history(project)] == [("model", "import")]
        assert len(judge_all(project, "ana", lambda _: 0)) == SIZE
