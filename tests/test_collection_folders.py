"""Collections by manifest: made, added to, counted, checked, exported; and taken in place of files by every command."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import polars as pl
import pytest
from cases import in_turn
from command import run_assay
from shared_data import shared

import assay
from assay import (
    FormatError,
    InputError,
    ParameterError,
    add_to_collection,
    check_collection,
    describe_collection,
    export_collection,
    new_collection,
    open_collection,
    read_collection,
)
from assay.cli.files import lay_out
from assay.files import atomic, document_stream
from assay.files.document_stream import document_batches
from assay.ground_truth.catalogue import differences, recognise


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The examples, with a collection of bicycles in it."""
    place = tmp_path / "examples"
    lay_out(place)
    bicycles = place / "bicycles"
    files = {"documents": bicycles / "documents.jsonl", "topics": bicycles / "topics.trec"}
    files |= {"official": bicycles / "qrels.txt", "bm25": bicycles / "runs" / "bm25.run"}
    new_collection(place / "bikes", files, group="lexical", description='Notes on "bikes"\\', language="English")
    return place


def test_a_manifest_comes_back_as_it_was_written(folder: Path) -> None:
    made = open_collection(folder / "bikes")
    assert (made.name, made.description, made.language) == ("bikes", 'Notes on "bikes"\\', "English")
    assert list(made.judgments) == ["official"]
    assert made.runs["bm25"].group == "lexical"
    assert not made.runs["bm25"].manual
    assert made.documents == (folder / "bikes" / "documents.jsonl",)
    text = made.as_toml()
    assert tomllib.loads(text)["runs"][0]["path"] == "runs/bm25.run"
    made.save()
    assert open_collection(folder / "bikes") == made


@in_turn(
    ("text", "line", "expected", "got"),
    [
        ('name = "a"\ntopics = \n', 2, "TOML", "topics = "),
        ('name = "a"\ntopic = "t.tsv"\n', 2, "one of name, description", "topic"),
        ("name = 3\n", 1, "name = a text in quotes", "3"),
        ('documents = [1]\n', 1, "a path, or a list of paths", "[1]"),
        ('[[runs]]\nname = "a"\n', 1, "path = a text in quotes", ""),
        ('[[runs]]\nname = "a"\npath = "r"\nmanual = "yes"\n', 4, "true or false", "yes"),
        ('[[runs]]\nname = "a"\npath = "r"\n\n[[runs]]\nname = "a"\npath = "s"\n', 6, "each name once", "a"),
        ('[runs]\nname = "a"\n', None, "tables, each under [[runs]]", "{'name': 'a'}"),
    ],
)  # fmt: skip
def test_a_bad_manifest_is_refused_with_its_line(
    tmp_path: Path, text: str, line: int | None, expected: str, got: str
) -> None:
    (tmp_path / "collection.toml").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as refused:
        open_collection(tmp_path)
    assert refused.value.line == line
    assert expected in refused.value.expected
    assert refused.value.got == got


def test_a_folder_without_manifest_is_no_collection(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a collection, a folder with a "):
        open_collection(tmp_path)


def test_duplicates_are_refused_and_leave_nothing_behind(folder: Path) -> None:
    before = (folder / "bikes" / "collection.toml").read_bytes()
    files = sorted((folder / "bikes").rglob("*"))
    tfidf = folder / "bicycles" / "runs" / "tfidf.run"
    for wrong, reason in (
        ({"new": tfidf, "bm25": folder / "bicycles" / "runs" / "titles.run"}, "a run called 'bm25' already"),
        ({"topics": folder / "topics.tsv"}, "has topics already"),
        ([folder / "bicycles" / "runs" / "bm25.run"], "is part of the collection already"),
    ):
        with pytest.raises(InputError, match=reason):
            add_to_collection(folder / "bikes", wrong)
        assert (folder / "bikes" / "collection.toml").read_bytes() == before
        assert sorted((folder / "bikes").rglob("*")) == files
    with pytest.raises(InputError, match="is a collection already"):
        new_collection(folder / "bikes")


def test_what_is_killed_half_way_leaves_no_folder_and_the_old_manifest(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (folder / "bikes" / "collection.toml").read_bytes()

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(atomic, "write_text", killed)
    run = folder / "bicycles" / "runs" / "tfidf.run"
    with pytest.raises(KeyboardInterrupt):
        new_collection(folder / "another", [run])
    with pytest.raises(KeyboardInterrupt):
        add_to_collection(folder / "bikes", [run])
    with pytest.raises(KeyboardInterrupt):
        export_collection(folder / "bikes", folder / "out")
    assert not (folder / "another").exists()
    assert not (folder / "out").exists()
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]
    assert (folder / "bikes" / "collection.toml").read_bytes() == before
    assert list(open_collection(folder / "bikes").runs) == ["bm25"]


def test_files_in_the_folder_stay_where_they_are_and_others_may_be_referred_to(folder: Path) -> None:
    made = new_collection(folder / "bicycles", [folder / "bicycles" / "qrels.txt", folder / "words.run"], copy=False)
    data = tomllib.loads(made.as_toml())
    assert data["judgments"][0]["path"] == "qrels.txt"
    assert data["runs"][0]["path"] == "../words.run"
    new_collection(folder / "new" / "deep", [folder / "words.run"], copy=False)
    assert open_collection(folder / "new" / "deep").runs["words"].path.is_file()


def test_verbs_take_a_collection_in_place_of_judgments_and_runs(folder: Path) -> None:
    add_to_collection(folder / "bikes", [folder / "bicycles" / "runs" / "described.run"])
    bikes = open_collection(folder / "bikes")
    plain = assay.evaluate(bikes.qrels(), bikes.run_files(), "AP").to_frame()
    for given in (bikes, folder / "bikes", str(folder / "bikes")):
        assert assay.evaluate(given, measures="AP").to_frame().equals(plain)
    assert assay.evaluate(bikes, {"tfidf": folder / "bicycles" / "runs" / "tfidf.run"}, "AP").systems[0].name == "tfidf"
    pairs = [(each.baseline, each.system) for each in assay.compare(folder / "bikes", measures="AP").findings]
    assert pairs == [("bm25", "described")]
    assert assay.make_report(folder / "bikes", measures="AP").table("findings").height == 1
    assert assay.doctor(folder / "bikes").verdict
    with pytest.raises(ParameterError, match="no run"):
        assay.evaluate({"q": {"d": 1}})


def test_commands_take_a_collection_in_place_of_judgments_and_runs(folder: Path) -> None:
    run_assay(
        "collection", "add", "bikes", "bicycles/runs/described.run", "three=bicycles/judgments.txt", folder=folder
    )

    def systems(*words: str) -> list[str]:
        done = run_assay("evaluate", *words, "--csv", "--quiet", folder=folder)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()[0].split(",")[1:]

    assert systems("bikes", "-m", "AP") == systems("-m", "AP", "bikes")
    whole = run_assay("evaluate", "bikes", "-m", "AP", "--quiet", folder=folder).stdout
    assert {"bm25", "described"} <= set(whole.split())
    one = run_assay("evaluate", "bikes", "described", "new=bicycles/runs/tfidf.run", "--quiet", folder=folder).stdout
    assert {"bm25", "described", "new"} & set(one.split()) == {"described", "new"}
    ana = run_assay("evaluate", "bikes:three", "bm25", "-m", "AP", "--judge", "ana", folder=folder)
    assert "bikes/judgments.txt" in ana.stderr
    assert ana.returncode == 0
    for words in (("compare", "bikes", "-m", "AP"), ("doctor", "bikes"), ("report", "bikes", "-o", "r.html"),
                  ("power", "bikes", "-m", "AP"), ("gate", "bikes", "bm25", "described", "-m", "AP"),
                  ("explain", "AP", "bikes", "bm25", "-q", "1")):  # fmt: skip
        done = run_assay(*words, folder=folder)
        assert done.returncode in {0, 1, 3}, (words, done.stderr)
        assert "Traceback" not in done.stderr
    assert "creaking noise" in (folder / "r.html").read_text(encoding="utf-8")
    wrong = run_assay("evaluate", "bikes:four", folder=folder)
    assert wrong.returncode == 2
    assert "no judgments are called 'four'" in wrong.stderr


def test_statistics_count_by_hand(tmp_path: Path) -> None:
    (tmp_path / "documents.jsonl").write_text(
        "".join(json.dumps({"_id": f"d{n}", "text": "" if n == 1 else "tea"}) + "\n" for n in range(1, 5)), "utf-8"
    )
    (tmp_path / "topics.tsv").write_text("1\tgreen tea\n2\ticed tea\n3\tmilk\n", "utf-8")
    (tmp_path / "qrels.txt").write_text("1 0 d1 2\n1 0 d2 1\n1 0 d3 0\n2 0 d1 0\n", "utf-8")
    (tmp_path / "a.run").write_text("1 Q0 d1 1 2 a\n1 Q0 d4 2 1 a\n", "utf-8")
    made = new_collection(tmp_path, sorted(tmp_path.iterdir()), name="tea")
    statistics = describe_collection(made)
    assert (
        statistics.facts | {"name": "tea", "documents": 4, "documents without text": 1, "topics": 3} == statistics.facts
    )
    (judgments,) = statistics.judgments.to_dicts()
    assert (judgments["topics"], judgments["relevant"], judgments["least"], judgments["most"]) == (2, 2, 0, 2)
    assert judgments["topics_without_relevant"] == 1
    assert statistics.topics.select("query_id", "judged", "relevant").rows() == [("1", 3, 2), ("2", 1, 0), ("3", 0, 0)]
    (run,) = statistics.runs.to_dicts()
    assert (run["topics"], run["missing_topics"], run["documents_per_topic"]) == (1, 1, 2.0)
    assert run["relevant_found"] == 1 / 2  # d1 of d1 and d2
    for form in (str, type(statistics).to_json, type(statistics).to_html, type(statistics).to_markdown):
        assert "tea" in form(statistics)


def test_the_check_names_what_is_wrong_and_says_so_by_the_exit_code(folder: Path) -> None:
    bikes = folder / "bikes"
    assert run_assay("collection", "check", "bikes", folder=folder).returncode == 0
    (bikes / "qrels.txt").write_text("1 0 nowhere 1\n1 0 also-not 1\n99 0 nowhere 0\n", "utf-8")
    with (bikes / "runs" / "bm25.run").open("a", encoding="utf-8") as file:
        file.write("77 Q0 missing 1 1 bm25\n")
    with (bikes / "documents.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"doc_id": "a blank", "title": "?", "text": "?"}\n')
    add_to_collection(bikes, [folder / "words.run"])
    (bikes / "runs" / "words.run").unlink()
    found = check_collection(bikes)
    says = "\n".join(found.findings["says"])
    assert not found.is_sound
    for text in (
        "words.run: listed in the manifest, but missing",
        "official: 2 documents judged, but not among the documents: 'also-not', 'nowhere'",
        "bm25: 1 document retrieved, but not among the documents: 'missing'",
        "official: 1 topic judged, but not among the topics: 99",
        "official: 19 topics without judgments",
        "official: 1 topic without relevant documents: 99",
        "bm25: 1 topic searched, but not among the topics: 77",
        "ids of documents with blanks, which TREC files cannot hold: a blank",
    ):
        assert text in says
    order = ["error", "warning", "note"]
    assert found.findings["severity"].to_list() == sorted(found.findings["severity"], key=order.index)
    assert run_assay("collection", "check", "bikes", folder=folder).returncode == 1


def test_an_export_is_the_same_collection_again(folder: Path) -> None:
    assert run_assay("collection", "export", "bikes", "out", folder=folder).returncode == 0
    there, back = read_collection(folder / "bikes"), read_collection(folder / "out")
    assert back.topics is not None
    assert there.topics is not None
    assert back.topics.frame.equals(there.topics.frame)
    assert back.qrels["official"].frame.equals(there.qrels["official"].frame)
    assert back.documents is not None
    assert there.documents is not None
    plain = pl.col("title", "text").str.replace_all(r"\s+", " ").str.strip_chars()
    wanted = there.documents.frame.select("doc_id", plain)
    assert back.documents.frame.equals(wanted)
    assert open_collection(folder / "out").runs["bm25"].group == "lexical"
    scores = [assay.evaluate(folder / name, measures="AP").mean() for name in ("bikes", "out")]
    assert scores[0] == scores[1]
    again = run_assay("collection", "export", "bikes", "out", folder=folder)
    assert again.returncode == 2


def test_a_folder_that_cannot_be_made_is_named_as_it_was_called(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "/tmp/.out-x")

    monkeypatch.setattr("assay.files.atomic.tempfile.mkdtemp", full)
    with pytest.raises(InputError, match=r"out: cannot be written: no space left on device$"):
        export_collection(folder / "bikes", folder / "out")


def test_documents_come_in_pieces_with_the_lines_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_stream, "_PIECE_BYTES", 64)
    rows = [f"d{n}" for n in range(50)]
    (tmp_path / "d.jsonl").write_text(
        "".join(json.dumps({"_id": each, "text": "tea"}) + "\n" for each in rows), "utf-8"
    )
    (tmp_path / "d.tsv").write_text("".join(f"{each}\ttea\n" for each in rows), "utf-8")
    (tmp_path / "d.trec").write_text(
        "".join(f"<DOC>\n<DOCNO>{each}</DOCNO>\n<TEXT>tea</TEXT>\n</DOC>\n" for each in rows), "utf-8"
    )
    for name in ("d.jsonl", "d.tsv", "d.trec"):
        pieces = list(document_batches(tmp_path / name))
        assert len(pieces) > 5
        assert [each for piece in pieces for each in piece.frame["doc_id"]] == rows
    with (tmp_path / "d.tsv").open("a", encoding="utf-8") as file:
        file.write("".join(f"x{number}\ttea\n" for number in range(1000)) + "no tab\n")
    with pytest.raises(FormatError) as refused:
        list(document_batches(tmp_path / "d.tsv"))
    assert refused.value.line == 1051


def test_ids_that_come_again_in_another_file_are_found(folder: Path) -> None:
    more = folder / "more-documents.jsonl"
    first = (folder / "bikes" / "documents.jsonl").read_text(encoding="utf-8").splitlines()[0]
    more.write_text(first + "\n", encoding="utf-8")
    add_to_collection(folder / "bikes", [more])
    says = check_collection(folder / "bikes").findings["says"].to_list()
    assert "1 document with an id that another document has" in says


def test_the_catalogue_has_the_collections_that_people_name() -> None:
    names = {entry.name for entry in assay.catalogue().entries}
    assert names >= {
        "cranfield", "adi", "ire-3", "npl", "medlars", "time", "inspec", "cacm", "cisi", "lisa", "cf", "trec-ad-hoc",
        "trec-web", "trec-blog", "trec-cds", "gov2", "blog08", "clueweb09", "ms-marco", "trec-dl", "trec-covid", "clef",
        "ntcir", "beir", "kaggle", "20-newsgroups", "reuters-21578", "rcv1", "rcv2", "mnist", "imagenet", "objectnet",
    }  # fmt: skip
    for entry in assay.catalogue().entries:
        assert all((entry.purpose, entry.licence, entry.obtain, entry.language, entry.year))
    assert [entry.name for entry in assay.catalogue("japanese").entries] == ["clueweb09", "ntcir", "rcv2"]
    assert all("classification" in entry.task for entry in assay.catalogue("Classification", "images").entries)
    assert not assay.catalogue("no such words").entries
    assert "No collection fits" in str(assay.catalogue("no such words"))


def test_runs_of_a_folder_without_a_manifest_are_counted_also_where_there_are_several_judges() -> None:
    """The judgments of the bicycles come by judge: of three grades, the largest counts."""
    bicycles = Path(assay.__file__).parent / "data" / "bicycles"
    statistics = assay.describe_collection(bicycles)
    assert "bm25" in statistics.runs["run"].to_list()
    assert statistics.judgments["judges"].to_list()[0] == 3
    assert statistics.runs["relevant_found"].is_between(0, 1).all()


def test_an_import_is_recognised_by_counts_or_by_name_and_one_count() -> None:
    circulated = {"documents": 11429, "topics": 93, "judgments": 2083}
    entry = recognise("raw", circulated)
    assert entry is not None
    assert entry.name == "npl"
    assert differences(entry, circulated) == (
        [], ["11,429 documents, as in the circulating files of NPL (Vaswani); 11,571 were published"],
    )  # fmt: skip
    named = recognise("Cranfield", {"documents": 1398, "topics": 225})
    assert named is not None
    assert named.name == "cranfield"
    assert differences(named, {"documents": 1398})[0] == ["1,398 documents, but Cranfield 1400 has 1,400"]
    assert recognise("mine", {"documents": 1400, "topics": 3}) is None


def test_classic_folders_are_counted_and_recognised() -> None:
    statistics = describe_collection(shared("time", "raw"))
    assert statistics.entry is not None
    assert statistics.entry.name == "time"
    assert statistics.remarks == ("423 documents, as in the circulating files of TIME; 425 were published",)


def test_documents_that_are_pooled_and_not_judged_do_not_count_as_judged(tmp_path: Path) -> None:
    (tmp_path / "pool.qrels").write_text("q 0 d1 1\nq 0 d2 -1\nq 0 d3 -1\n")
    statistics = assay.describe_collection(assay.new_collection(tmp_path / "mine", [tmp_path / "pool.qrels"]))
    assert statistics.judgments["documents_judged"].to_list() == [1]
    assert statistics.topics["judged"].to_list() == [1]


def test_files_that_are_called_alike_are_told_apart_by_the_names_given(tmp_path: Path) -> None:
    for folder in ("v1", "v2"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bm25.run").write_text(f"q Q0 {folder} 1 1.0 bm25\n")
    runs = {"old": tmp_path / "v1" / "bm25.run", "new/er": tmp_path / "v2" / "bm25.run"}
    made = assay.new_collection(tmp_path / "mine", runs)
    assert {name: entry.path.name for name, entry in made.runs.items()} == {
        "old": "bm25.run",
        "new/er": "new-er-bm25.run",
    }
    assert [entry.path.read_text().split()[2] for entry in made.runs.values()] == ["v1", "v2"]
    with pytest.raises(InputError, match="already exists"):
        assay.add_to_collection(made, [tmp_path / "v2" / "bm25.run"])


def test_a_copy_left_over_from_a_call_that_was_killed_is_taken(tmp_path: Path) -> None:
    """The manifest is written last: a call that ended before can be made again."""
    (tmp_path / "a.run").write_text("q Q0 d 1 1.0 a\n")
    (tmp_path / "mine" / "runs").mkdir(parents=True)
    (tmp_path / "mine" / "runs" / "a.run").write_bytes((tmp_path / "a.run").read_bytes())
    made = assay.new_collection(tmp_path / "mine", [tmp_path / "a.run"])
    assert [entry.path.name for entry in made.runs.values()] == ["a.run"]


def test_files_whose_ids_disagree_make_no_collection_unless_their_folder_is_exported(tmp_path: Path) -> None:
    """As in Cranfield: judgments number the topics by position, and topic 2 is not the second one."""
    files = [tmp_path / "old" / name for name in ("tea.qry", "tea.rel")]
    files[0].parent.mkdir()
    files[0].write_text(".I 002\n.W\nbitter tea\n.I 004\n.W\niced tea\n")
    files[1].write_text("1 1 0 0.000000\n2 2 0 0.000000\n")
    with pytest.raises(InputError, match=r"tea\.rel: expected the ids of the topics in .*tea\.qry, got other numbers"):
        new_collection(tmp_path / "new", files)
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    exported = read_collection(export_collection(tmp_path / "old", tmp_path / "trec"))
    assert exported.topics is not None
    assert exported.topics.frame.select("query_id", "title").rows() == [("1", "bitter tea"), ("2", "iced tea")]
    # A manifest by hand may name such files: then they are brought together wherever topics are shown.
    (tmp_path / "old" / "collection.toml").write_text(
        'topics = "tea.qry"\n[[judgments]]\nname = "all"\npath = "tea.rel"\n'
    )
    statistics = describe_collection(tmp_path / "old")
    assert statistics.topics.select("query_id", "title").rows() == [("1", "bitter tea"), ("2", "iced tea")]
    assert "queries are numbered by position" in " ".join(statistics.warnings)
    assert not check_collection(tmp_path / "old").is_sound


def test_topics_that_hold_judgments_are_both(tmp_path: Path) -> None:
    """CF has queries and judgments in one file."""
    file = tmp_path / "cfquery.xml"
    file.write_text(
        "<QUERY><QueryNumber>00001</QueryNumber><QueryText>What is CF?</QueryText><Records>"
        '<Item score="1222">139</Item></Records></QUERY>'
    )
    made = new_collection(tmp_path / "cf", [file])
    assert made.topics == made.qrels() == tmp_path / "cf" / "cfquery.xml"
    assert describe_collection(made).judgments["relevant"].to_list() == [1]
    with pytest.raises(InputError, match="is part of the collection already"):
        add_to_collection(made, [file])


def test_options_take_a_collection_in_place_of_its_files(folder: Path) -> None:
    run = "bicycles/runs/tfidf.run"
    made = run_assay("pool", "make", run, "--depth", 5, "--qrels", "bikes:official", "--quiet", folder=folder)
    assert "relevant, only this run" in made.stdout
    words = ("pool", "simulate", "bikes", "--strategy", "take", "--topics", "bikes", "--documents", "bikes")
    simulated = run_assay(*words, "--quiet", folder=folder)
    assert "What words alone would find" in simulated.stdout, simulated.stderr
    (folder / "empty").mkdir()
    (folder / "empty" / "collection.toml").write_text('name = "empty"\n')
    refused = run_assay("pool", "make", run, "--topics", "empty", folder=folder)
    assert refused.returncode == 2
    assert "--topics: expected a collection with one file of topics, empty has 0" in refused.stderr
