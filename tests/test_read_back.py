"""What Assay writes it reads back as the same thing: results, judgments, labels, topics, runs, baselines, logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from command import parsed_once, run_assay
from sameness import differences, written
from test_sameness import CASES, answer, tables_of, told

import assay
from assay.files.writing import writers


def files_of(case: str, folder: Path) -> dict[str, Path]:
    return {name: written(table.rows, folder, name) for name, table in tables_of(case).items()}


def typed(command: str, files: dict[str, Path], folder: Path) -> str:
    """What a command prints, or that it ended badly."""
    with parsed_once():
        ended = run_assay(*(files[word[1:-1]].name if word[0] == "{" else word for word in command.split()),
                          folder=folder)  # fmt: skip
    assert ended.returncode == 0, f"{command}: {ended.stderr}"
    return ended.stdout


def same(one: Any, other: Any) -> None:
    assert list(differences(told(one), told(other)))[:5] == []


#: What is written, how, and a command that says of the file what it says of what it was written from.
BACK = [
    *(("rankings", f"convert {{old}} back{writer.endings[0]} --to {writer.name}",
       "evaluate {qrels} {old} -m AP -m RR", f"evaluate {{qrels}} old=back{writer.endings[0]} -m AP -m RR")
      for writer in writers("run") if writer.name not in {"trec-run", "msmarco-run"}),
    *(("rankings", f"convert {{qrels}} back{writer.endings[0]} --to {writer.name}",
       "evaluate {qrels} {old} -m AP -m RR", f"evaluate back{writer.endings[0]} {{old}} -m AP -m RR")
      for writer in writers("qrels") if writer.name not in {"trec-qrels", "qrels-3"}),
    *(("judges", f"agreement convert {{lab}} -o back{ending}",
       "agreement evaluate {lab}", f"agreement evaluate back{ending}")
      for ending in (".csv", ".tsv", ".jsonl", ".parquet", ".csv.gz")),
    ("judges in words", "agreement convert {lab} -o back.csv",
     "agreement evaluate {lab}", "agreement evaluate back.csv"),
    ("rankings", "freeze {qrels} {old} -m AP -o back.json",
     "gate {qrels} {old} {new} -m AP", "gate {qrels} back.json {new} -m AP"),
]  # fmt: skip


@pytest.mark.parametrize(("case", "writing", "before", "after"), BACK, ids=[f"{row[0]}: {row[1]}" for row in BACK])
def test_a_file_says_what_it_was_written_from(case: str, writing: str, before: str, after: str, tmp_path: Path) -> None:
    files = files_of(case, tmp_path)
    typed(writing, files, tmp_path)
    one, other = (told(answer(command, files, tmp_path)) for command in (before, after))
    other.get("outcome", {}).pop("frozen", None)  # where a baseline comes from
    one.get("outcome", {}).pop("frozen", None)
    same(one, other)


def test_scores_of_each_query_are_compared_as_their_runs_are(tmp_path: Path) -> None:
    files = files_of("rankings", tmp_path)
    # A cell without a number tells no reason: it is left out.
    table = typed("evaluate {qrels} {old} {new} -m AP -m RR --per-query --csv", files, tmp_path)
    (tmp_path / "scores.csv").write_text(table)
    commands = (
        "compare {qrels} {old} {new} -m AP -m RR -b old --undefined skip",
        "scores compare scores.csv -m AP -m RR -b old",
    )
    one, other = (answer(command, files, tmp_path)["findings"]["findings"] for command in commands)
    for first, second in zip(one, other, strict=True):
        kept = ("difference", "p", "low", "high", "word", "value", "baseline_value")
        same({key: first[key] for key in kept}, {key: second[key] for key in kept})


def test_graded_clicks_are_judgments_also_with_all_numbers_behind_them(tmp_path: Path) -> None:
    """As a message advises where ids have blanks: documents that were shown too rarely are not judged."""
    files = files_of("clicks", tmp_path)
    with parsed_once():
        refused = run_assay("clicks", "judge", "log.csv", "--min-impressions", "5", "-o", "back.qrels", folder=tmp_path)
    assert "TREC qrels cannot hold the doc_id 'tea pot': use CSV, JSONL or Parquet" in refused.stderr
    typed("clicks judge {log} --min-impressions 5 -o back.csv", files, tmp_path)
    pairs = pl.read_csv(tmp_path / "back.csv", schema_overrides={"query_id": pl.String, "doc_id": pl.String})
    graded = pairs.drop_nulls("grade").select("query_id", "doc_id", "grade").rows()
    qrels = assay.read_qrels(tmp_path / "back.csv")
    assert graded
    assert qrels.frame.select("query_id", "doc_id", "relevance").rows() == graded
    assert [*map(str, qrels.warnings)] == [
        f"{tmp_path / 'back.csv'}: {pairs.height - len(graded)} results without a rating: not judged"
    ]


def test_judgments_of_crowds_are_read_as_they_were_made(tmp_path: Path) -> None:
    files, read = files_of("crowd", tmp_path), []
    for ending in ("csv", "jsonl", "parquet"):
        typed(f"crowd aggregate {{lab}} --method majority --qrels back.{ending}", files, tmp_path)
        read.append(assay.read_qrels(tmp_path / f"back.{ending}").frame.sort("query_id", "doc_id"))
    wanted, *others = (frame.select("query_id", "doc_id", "relevance") for frame in read)
    assert wanted.height
    assert all(frame.equals(wanted) for frame in others)


@pytest.mark.parametrize("ending", ["tsv", "jsonl", "trec", "ini", "csv"])
def test_sampled_topics_are_read_as_they_were_written(ending: str, tmp_path: Path) -> None:
    files = files_of("searches", tmp_path)
    typed(f"topics sample {{asked}} -n 6 -o topics.{ending}", files, tmp_path)
    typed("topics sample {asked} -n 6 -o first.jsonl", files, tmp_path)
    found, wanted = (assay.read_topics(tmp_path / name).frame for name in (f"topics.{ending}", "first.jsonl"))
    assert found.select("query_id", "title").equals(wanted.select("query_id", "title"))


def test_three_columns_of_labels_beside_a_pool_are_its_judges(tmp_path: Path) -> None:
    files = files_of("rankings", tmp_path)
    typed("pool make {old} {new} {mid} --depth 4 -o pool.csv", files, tmp_path)
    typed("agreement evaluate labelled.csv", files, labelled(tmp_path))
    assert assay.read_labels(tmp_path / "labelled.csv").judges == ("anna", "bernd", "claudia")


def labelled(folder: Path) -> Path:
    """A pool to which three people added their columns."""
    header, *rows = (folder / "pool.csv").read_text().splitlines()
    marked = [f"{row},{n % 3 % 2},{n % 2},{n % 5 % 2}" for n, row in enumerate(rows)]
    (folder / "labelled.csv").write_text("\n".join([f"{header},anna,bernd,claudia", *marked]) + "\n")
    return folder


#: Of topics, a file has the topics themselves.
@pytest.mark.parametrize("case", [case for case in CASES if case != "searches"])
def test_a_result_in_a_file_is_the_one_that_is_printed(case: str, tmp_path: Path) -> None:
    """As JSON, of the first command about each kind of data."""
    files = files_of(case, tmp_path)
    command = CASES[case].commands[0]
    with parsed_once():
        words = [files[word[1:-1]].name if word[0] == "{" else word for word in command.split()]
        printed = run_assay(*words, "--json", folder=tmp_path)
        ended = run_assay(*words, "-o", "back.json", folder=tmp_path)
    assert ended.returncode == printed.returncode, ended.stderr
    assert json.loads((tmp_path / "back.json").read_text(encoding="utf-8")) == json.loads(printed.stdout)
