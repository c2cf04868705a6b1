"""What columns and lines are taken for: never silently for something else."""

from __future__ import annotations

import io
import random
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from command import run_assay

import assay
from assay import read_log, read_qrels, read_topics
from assay.core.errors import FormatError
from assay.files.labels import read_labels

JUDGES = ("anna", "bernd", "claudia")
SCALES: dict[str, Sequence[object]] = {"0 or 1": (0, 1), "grades": (0, 1, 2, 3), "words": ("yes", "no")}
#: Commands that write a table whose rows are documents, topics or items, by the file that they write.
WRITTEN = {
    "pool.csv": "pool make words.run stems.run alphabet.run --depth 5 -o pool.csv",
    "sample.csv": "pool make words.run stems.run --strategy sample --strata 3=1,6=0.5 -o sample.csv",
    "known.csv": "pool make words.run stems.run --depth 5 --qrels qrels.txt -o known.csv",
    "run.csv": "convert words.run run.csv",
    "run.parquet": "convert words.run run.parquet",
    "run.jsonl": "convert words.run run.jsonl",
    "qrels.csv": "convert qrels.txt qrels.csv",
    "topics.csv": "convert topics.tsv topics.csv",
    "drawn.tsv": "topics sample topics.tsv -n 6 -o drawn.tsv",
    "documents.csv": "convert bicycles/documents.jsonl documents.csv",
    "scores.csv": "evaluate qrels.txt words.run -q -o scores.csv",
    "crowd.csv": "crowd aggregate crowd/labels.csv -o crowd.csv",
    "judged.csv": "clicks judge clicks/log.ndjson.gz -o judged.csv",
    "key.csv": "crowd hits topics.tsv pool.csv --key key.csv -o hits.csv",
    "flipped.csv": "classifier compare letters/spam.csv --positive spam --flipped 50 --table flipped -o flipped.csv",
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables, in the folder of the examples."""
    folder = tmp_path_factory.mktemp("recognition") / "examples"
    assert run_assay("examples", folder, folder=folder.parent).returncode == 0
    for command in WRITTEN.values():
        done = run_assay(*shlex.split(command), folder=folder)
        assert done.returncode == 0, (command, done.stderr)
    return folder


def labelled(frame: pl.DataFrame, scale: Sequence[object]) -> pl.DataFrame:
    """A table with a column of labels by each judge, who agree mostly."""
    rng = random.Random(7)
    truth = [rng.choice(scale) for _ in range(frame.height)]
    by_judge = {judge: [label if rng.random() < 0.7 else rng.choice(scale) for label in truth] for judge in JUDGES}
    return frame.with_columns(pl.Series(judge, labels, strict=False) for judge, labels in by_judge.items())


def table_of(path: Path) -> pl.DataFrame:
    if path.suffix in {".csv", ".tsv"}:
        return pl.read_csv(path, infer_schema=False, separator="\t" if path.suffix == ".tsv" else ",")
    return pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_ndjson(path)


@pytest.mark.parametrize("name", WRITTEN)
def test_columns_of_labels_beside_a_table_of_ours_are_the_only_judges(name: str, written: Path) -> None:
    table = table_of(written / name)
    for scale in SCALES.values():
        assert read_labels(labelled(table, scale)).judges == JUDGES
        assert read_labels(io.StringIO(labelled(table, scale).write_csv())).judges == JUDGES


def test_the_judges_of_a_sheet_are_named_first(written: Path) -> None:
    table = labelled(table_of(written / "pool.csv"), (0, 1, 2))
    table.write_csv(written / "sheet.csv")
    agreement = run_assay("agreement", "evaluate", "sheet.csv", folder=written)
    assert agreement.stdout.startswith("3 judges: anna, bernd and claudia.\n")
    crowd = run_assay("crowd", "aggregate", "sheet.csv", "--qrels", "sheet.qrels", folder=written)
    assert f"{3 * table.height} labels of {table.height} items by 3 workers (anna, bernd and claudia); " in crowd.stdout
    assert set(read_qrels(written / "sheet.qrels").frame["relevance"]) <= {0.0, 1.0, 2.0}


CLICKS = "query_id,doc_id,rank,clicks\nt1,steep-green,1,0\nt1,chai,2,1\nt2,chai,1,0\n"


def test_a_table_of_clicks_is_no_run_unless_somebody_says_so(written: Path) -> None:
    (written / "clicks.csv").write_text(CLICKS, "utf-8")
    shown = run_assay("show", "clicks.csv", folder=written)
    refused = run_assay("evaluate", "qrels.txt", "clicks.csv", folder=written)
    for done in (shown, refused):
        assert done.returncode == 2
        assert "these are results with their clicks, as logs have them" in done.stderr
    (advice,) = re.findall(r"--columns, as in (rank='.*?')", refused.stderr)
    done = run_assay(
        "evaluate", "qrels.txt", "clicks.csv", "--columns", *shlex.split(advice), "-m", "P@1", folder=written
    )
    assert done.returncode == 0, done.stderr
    (command,) = re.findall(r"of clicks: (assay log show .*?),", refused.stderr)
    assert "clicks                 1" in run_assay(*shlex.split(command)[1:], folder=written).stdout


QUEPID = """Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Rating
T,C,1,red shoes,d1,1,0
T,C,1,red shoes,d2,2,3
T,C,1,red shoes,d3,3,
"""


def test_results_with_ratings_are_judgments_of_what_was_rated(tmp_path: Path) -> None:
    (tmp_path / "quepid.csv").write_text(QUEPID, "utf-8")
    shown = run_assay("show", "quepid.csv", folder=tmp_path)
    assert re.search(r"kind +qrels", shown.stdout)
    assert "warning: quepid.csv: 1 result without a rating: not judged" in shown.stdout
    scored = run_assay("evaluate", "quepid.csv", "quepid.csv", "-m", "RR", folder=tmp_path)  # its own order
    assert re.search(r"RR +0\.5000", scored.stdout)
    (tmp_path / "snapshot.csv").write_text("Query Text,Doc ID,Doc Position\nred shoes,d1,1\nred shoes,d2,2\n", "utf-8")
    assert re.search(r"kind +run", run_assay("show", "snapshot.csv", folder=tmp_path).stdout)


def test_a_header_is_no_topic(tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("qid\twhat they typed\n1\tgreen tea\n", "utf-8")
    with pytest.raises(FormatError, match="with the columns `query_id`, `title` or `text`, got 'qid, what they typed'"):
        read_topics(tmp_path / "topics.tsv")


def searches(page: Sequence[object], queries: Sequence[str], *, shuffled: bool = True) -> io.StringIO:
    """A table of results, two on each page."""
    rows = [
        (number, query, f"d{rank}", rank, int(rank == 2))
        for number, query in zip(page, queries, strict=True)
        for rank in (1, 2)
    ]
    if shuffled:
        random.Random(3).shuffle(rows)
    return io.StringIO("page,query,doc_id,position,clicked\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows))


@pytest.mark.parametrize("ids", [["p7", "p8", "p9"], [100, 101, 102], ["/s?q=tea&x=1", "/s?q=milk", "/s?q=tea&x=2"]])
def test_a_column_page_that_names_result_pages_is_their_id(ids: list[object]) -> None:
    log = read_log(searches(ids, ["tea", "milk", "tea"]))
    assert log.impressions.collect().height == 3
    assert "the column page is taken for the id of a result page" in log.remarks


def test_a_column_page_that_numbers_the_pages_of_results_is_no_id() -> None:
    pages = read_log(searches([1, 1, 2], ["tea", "milk", "tea"], shuffled=False)).impressions.collect()
    assert set(pages["page"]) == {1, 2}
    text = "page,query,doc_id,position,clicked\n/search,tea,d1,1,0\n/search,milk,d1,1,1\n"
    log = read_log(io.StringIO(text))
    assert log.impressions.collect()["page"].to_list() == [None, None]
    assert "the column page neither names result pages nor numbers them: left out" in log.remarks
    said = read_log(searches([100, 101], ["tea", "milk"], shuffled=False), columns={"page": "page"})
    assert set(said.impressions.collect()["page"]) == {100, 101}


#: Documents by their distance from what was asked for: `d1` is the nearest, and alone relevant.
NEAR = {"d1": 0.1, "d2": 0.2, "d3": 0.3, "d4": 0.4}
RELEVANT = {query: {"d1": 1, "d2": 0, "d3": 0, "d4": 0} for query in ("q1", "q2")}


def neighbours(column: str, *, ranked: bool = False) -> pl.DataFrame:
    """A table of neighbours, the nearest first, with their ranks if asked for; then in any order."""
    rows = [
        {"query_id": query, "doc_id": document, column: distance, "rank": rank}
        for query in RELEVANT
        for rank, (document, distance) in enumerate(NEAR.items(), 1)
    ]
    if ranked:
        random.Random(5).shuffle(rows)
    return pl.DataFrame(rows) if ranked else pl.DataFrame(rows).drop("rank")


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    lines = [f"{query} 0 {document} {grade}\n" for query, of in RELEVANT.items() for document, grade in of.items()]
    (tmp_path / "qrels.txt").write_text("".join(lines), "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "column", ["distance", "Distance", "dist", "l2", "cosine_distance", "_distance", "loss", "rank_score asc"]
)
@pytest.mark.parametrize("form", ["csv", "parquet", "frame"])
def test_distances_are_known_by_their_name_and_turned_round(column: str, form: str, tmp_path: Path) -> None:
    table = neighbours(column)
    source: object = table if form == "frame" else tmp_path / f"near.{form}"
    if form == "csv":
        table.write_csv(tmp_path / "near.csv")
    elif form == "parquet":
        table.write_parquet(tmp_path / "near.parquet")
    result = assay.evaluate(RELEVANT, {"near": source}, "RR")
    assert result.mean() == 1.0
    assert result.warnings == (
        f"near: the lowest `{column}` counts as best, as with distances (lower_is_better=True says so, too; or take it "
        f"as a score with columns=..., as in score={column!r})",
    )
    sure = assay.evaluate(RELEVANT, {"near": source}, "RR", lower_is_better=True)
    assert (sure.mean(), sure.warnings) == (1.0, ())
    upside_down = assay.evaluate(RELEVANT, {"near": source}, "RR", columns={"score": column})
    assert upside_down.mean() == 1 / 4


def test_a_rank_or_a_score_goes_before_a_distance() -> None:
    far = neighbours("distance").with_columns(rank=pl.Series([4, 3, 2, 1] * 2))
    assert assay.evaluate(RELEVANT, far, "RR").mean() == 1 / 4
    assert assay.evaluate(RELEVANT, far.drop("rank").with_columns(score=-pl.col("distance")), "RR").mean() == 1.0


@pytest.mark.parametrize("ranked", [False, True])
def test_scores_that_rise_with_the_rows_or_the_ranks_name_the_option_that_turns_them_round(
    ranked: bool, judged: Path
) -> None:
    neighbours("score", ranked=ranked).write_csv(judged / "near.csv")
    call = ("evaluate", "qrels.txt", "near.csv", "-m", "RR", "--csv")
    wrong = run_assay(*call, folder=judged)
    assert "near,0.25" in wrong.stdout
    (option,) = re.findall(r"scores rise with the rank, .* if they are distances, use (--[a-z-]+);", wrong.stderr)
    right = run_assay(*call, option, folder=judged)
    assert "near,1.0" in right.stdout
    assert "warning" not in right.stderr


def test_the_advice_for_an_unknown_column_and_that_for_distances_lead_to_the_same(judged: Path) -> None:
    neighbours("gap").write_csv(judged / "near.csv")
    call = ("evaluate", "qrels.txt", "near.csv", "-m", "RR", "--csv")
    (advice,) = re.findall(r"--columns, as in (score='gap')", run_assay(*call, folder=judged).stderr)
    named = [*call, "--columns", *shlex.split(advice)]
    (option,) = re.findall(r"use (--[a-z-]+);", run_assay(*named, folder=judged).stderr)
    assert "near,1.0" in run_assay(*named, option, folder=judged).stdout


@pytest.mark.parametrize("verb", ["compare", "gate", "report", "explain", "power", "audit"])
def test_every_verb_on_runs_takes_distances(verb: str, judged: Path) -> None:
    neighbours("score").write_csv(judged / "near.csv")
    calls = {
        "compare": "compare qrels.txt near.csv near.csv -m RR", "gate": "gate qrels.txt near.csv near.csv -m RR",
        "report": "report qrels.txt near.csv -m RR -o page.html", "explain": "explain RR qrels.txt near.csv -q q1",
        "power": "power qrels.txt near.csv near.csv -m RR", "audit": "audit qrels.txt near.csv -m RR",
    }  # fmt: skip
    words = shlex.split(calls[verb].replace("near.csv near.csv", "a=near.csv b=near.csv"))
    done = run_assay(*words, "--lower-is-better", folder=judged)
    assert done.returncode in {0, 1, 3}, done.stderr
    assert "scores rise with the rank" not in done.stderr + done.stdout


def test_lower_is_better_is_part_of_the_signature() -> None:
    result = assay.evaluate(RELEVANT, neighbours("distance"), "RR", lower_is_better=True)
    assert "lower_is_better=true" in result.policies.signature()
    assert "lower_is_better" not in assay.evaluate(RELEVANT, neighbours("distance"), "RR").policies.signature()


def visits(query: str, query_id: str = "") -> str:
    """A click log of 40 sessions with a page each."""
    name, cells = ("query_id,query", f"{query_id},{query}") if query_id else ("query", query)
    rows = [f"s{number},{cells},d{rank},{rank},{int(rank == 1)}\n" for number in range(40) for rank in (1, 2)]
    return f"session_id,{name},doc_id,position,clicked\n" + "".join(rows)


def test_the_text_of_a_query_is_the_same_in_logs_judgments_and_runs_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(visits("Café table"), "utf-8")
    (tmp_path / "qrels.csv").write_text("query_id,doc_id,relevance\nCafé table,d1,1\nCafé table,d2,0\n", "utf-8")
    (tmp_path / "mine.csv").write_text("query_id,doc_id,score\nCafé table,d1,1\n", "utf-8")
    assert run_assay("clicks", "agree", "qrels.csv", "log.csv", folder=tmp_path).returncode == 0
    assert run_assay("evaluate", "qrels.csv", "mine.csv", "-m", "RR", "--csv", folder=tmp_path).stdout == (
        "system,RR\nmine,1.0\n"
    )
    sampled = run_assay("topics", "sample", "log.csv", "-n", "1", folder=tmp_path)
    assert re.search(r"1 +Café table +head +40", sampled.stdout)
    folded = run_assay("clicks", "agree", "qrels.csv", "log.csv", "--fold-queries", folder=tmp_path)
    assert "1 query of the log would be judged but for upper and lower case: 'café table' there, 'Café table'" in (
        folded.stderr
    )


def test_a_message_finds_the_match_by_case_or_by_text(tmp_path: Path) -> None:
    (tmp_path / "lower.csv").write_text("query_id,doc_id,relevance\ncafé table,d1,1\n", "utf-8")
    (tmp_path / "upper.csv").write_text("query_id,doc_id,score\nCafé table,d1,1\n", "utf-8")
    (tmp_path / "log.csv").write_text(visits("Café table"), "utf-8")
    (tmp_path / "ids.csv").write_text(visits("café table", "7"), "utf-8")
    says = {
        ("evaluate", "lower.csv", "upper.csv"):
            "they differ in upper and lower case: 'Café table' in the run, 'café table' in the judgments",
        ("clicks", "agree", "lower.csv", "log.csv"):
            "1 query of the log would be judged but for upper and lower case: 'Café table' there, 'café table' in the",
        ("clicks", "calibrate", "lower.csv", "ids.csv"):
            "1 query of the log would be judged by their text: '7' there is 'café table' in the judgments",
    }  # fmt: skip
    for words, text in says.items():
        done = run_assay(*words, folder=tmp_path)
        assert (done.returncode, text in done.stderr) == (2, True), done.stderr


def test_doctor_finds_queries_that_are_titles_of_topics(tmp_path: Path) -> None:
    (tmp_path / "qrels.csv").write_text("query_id,doc_id,relevance\nt1,d1,1\n", "utf-8")
    (tmp_path / "mine.csv").write_text("query_id,doc_id,score\ncafé table,d1,1\n", "utf-8")
    (tmp_path / "topics.tsv").write_text("t1\tCafé table\n", "utf-8")
    done = run_assay("doctor", "qrels.csv", "mine.csv", "--topics", "topics.tsv", folder=tmp_path)
    assert "1 query of the run match topics by their title: 'café table' is topic 't1'" in " ".join(done.stdout.split())


def test_right_answers_without_grades_are_told_what_they_lack(tmp_path: Path) -> None:
    (tmp_path / "golden.csv").write_text("question,chunk_id\nhow?,d1\nwhy?,d2\n")
    (tmp_path / "run.csv").write_text("question,chunk_id,score\nhow?,d1,2\nhow?,d3,1\nwhy?,d1,1\n")
    refused = run_assay("evaluate", "golden.csv", "run.csv", "-m", "RR", folder=tmp_path)
    assert refused.returncode == 2
    assert "if each row is a right answer, add a column relevance of 1" in refused.stderr
    (tmp_path / "golden.csv").write_text("question,chunk_id,relevance\nhow?,d1,1\nwhy?,d2,1\n")
    shown = run_assay("evaluate", "golden.csv", "run.csv", "-m", "RR", folder=tmp_path)
    assert shown.returncode == 0
    assert "0.5000" in shown.stdout
