"""Odd input and odd surroundings give a result or one clear line, never a traceback."""

from __future__ import annotations

import datetime
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cases import in_turn
from command import run_assay

import assay

READERS: dict[str, Callable[..., Any]] = {
    "run": assay.read_run, "qrels": assay.read_qrels, "topics": assay.read_topics, "documents": assay.read_documents,
    "clusters": assay.read_clusters, "predictions": assay.read_predictions,
}  # fmt: skip
RECORD: dict[str, Any] = {
    "query_id": "q1", "doc_id": "d1", "score": 1.5, "relevance": 1, "title": "tea", "text": "Steep it.",
    "cluster": 1, "truth": 1, "prediction": 1,
}  # fmt: skip
TREC = b"q1 Q0 d1 1 2.5 mine\n"


@in_turn("kind", READERS)
@in_turn("odd", ['{"\\ud800": 1, ', '{"odd": "\\udc00", ', '{"odd\\ud83d": 1, '])
def test_half_a_surrogate_pair_in_json_is_refused_in_lines_and_in_lists(kind: str, odd: str) -> None:
    record = odd + json.dumps(RECORD).removeprefix("{")
    for text in (record, f"[{record}]"):
        with pytest.raises(assay.FormatError, match="expected text that UTF-8 can write"):
            READERS[kind](io.StringIO(text))


def test_a_whole_surrogate_pair_in_json_is_a_character() -> None:
    text = json.dumps(RECORD | {"title": "\U0001f375"})
    assert "\\ud83c\\udf75" in text
    assert assay.read_topics(io.StringIO(text)).frame["title"].to_list() == ["\U0001f375"]


@in_turn("digits", [19, 400, 5000])
def test_offsets_beyond_64_bits_are_refused(digits: int) -> None:
    end = "9" * digits
    for text in (f'{{"document": "d", "start": 0, "end": {end}}}', f"document,start,end,type\nd,0,{end},PER\n"):
        with pytest.raises(assay.InputError):
            assay.extract(io.StringIO(text), io.StringIO(text))
    if digits < 4300:
        with pytest.raises(assay.InputError, match="below 2\\^63"):
            assay.extract([("d", 0, int(end), "PER")], [("d", 0, 1, "PER")])


@in_turn("text", [
    "q d1 {}\nq d2 2\n", "q Q0 d1 1 {} t\nq Q0 d2 2 1 t\n", '{{"q": {{"d": {}}}}}', "query_id,doc_id,score\nq,d,{}\n",
    '{{"query_id": "q", "doc_id": "d", "score": {}}}\n',
])  # fmt: skip
def test_numbers_of_five_thousand_digits_are_infinite_or_refused(text: str) -> None:
    try:
        run = assay.read_run(io.StringIO(text.format("9" * 5000)))
    except assay.FormatError:
        return
    assert run.frame["score"].abs().max() == float("inf")


@in_turn("digits", [20, 5000])
def test_a_character_of_thousands_of_digits_is_none(digits: int) -> None:
    text = f"<top><num>1<title>tea &amp; &#{'9' * digits}; &#33;</top>"
    assert assay.read_topics(io.StringIO(text)).frame["title"].to_list() == ["tea & \ufffd !"]


@in_turn("kind", ["topics", "documents"])
@in_turn("column", ["title", "extra"])
def test_a_column_of_durations_is_no_text(kind: str, column: str) -> None:
    file = io.BytesIO()
    pl.DataFrame(RECORD | {column: datetime.timedelta(1)}).write_parquet(file)
    file.seek(0)
    if column == "extra":
        assert "extra" not in READERS[kind](file).frame.columns
    else:
        with pytest.raises(assay.FormatError, match=r"expected text in column title, got .Duration"):
            READERS[kind](file)


def test_points_of_the_rest_need_a_column_of_numbers(tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_text("cluster,id\na,1\nb,2\n")
    with pytest.raises(assay.FormatError, match="expected columns of numbers as points, got 'none'"):
        assay.read_clusters(tmp_path / "names.csv", points="rest")
    done = run_assay("clustering", "evaluate", "names.csv", "--points", "rest", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")


@in_turn("start", ["x\x01", "x\x1f", "\x1f"])
def test_text_that_starts_like_a_compressed_file_is_text(start: str) -> None:
    run = assay.read_run(io.StringIO(f"{start} Q0 d1 1 2.5 mine\n"))
    assert run.frame["query_id"].to_list() == [start]
    named = assay.read_run(io.StringIO(f"{start},query_id,doc_id,score\n1,q1,d1,2.5\n"))
    assert named.frame["query_id"].to_list() == ["q1"]


@in_turn("kind", READERS)
def test_the_mark_of_gzip_before_text_is_refused(kind: str) -> None:
    for text in (TREC, b"query_id,doc_id,score\nq1,d1,2.5\n", json.dumps(RECORD).encode()):
        for mark in (b"\x1f\x8b", b"\x1f\x8b\x08"):
            with pytest.raises(assay.AssayError):
                READERS[kind](io.BytesIO(mark + text))


def test_a_quoted_quote_in_a_header_is_valid_csv() -> None:
    run = assay.read_run(io.StringIO('"a ""quoted"" name",query_id,doc_id,score\nx,q1,d1,2.5\n'))
    assert run.frame.rows() == [("q1", "d1", 2.5)]
    scores = assay.read_scores(io.StringIO('query_id,"a "";"" b",c\n1,0.5,0.25\n'))
    assert scores.frame["system"].to_list() == ['a ";" b', "c"]


def test_a_classifier_without_scores_beside_one_with_scores_is_measured() -> None:
    """By default with the measures that both have."""
    table = "truth,prediction_old,prediction_new,score_old\n1,1,0,0.9\n0,0,0,0.2\n1,0,1,0.4\n0,1,0,0.6\n"
    result = assay.classify(assay.read_predictions(io.StringIO(table)))
    assert "AUC" not in map(str, result.measures)
    assert json.loads(result.to_json())


def test_damaged_columns_are_refused_without_a_word_of_the_library(capfd: pytest.CaptureFixture[str]) -> None:
    files = [io.BytesIO(), io.BytesIO()]
    frame = pl.DataFrame({"cluster": [1, 2, 3, 4], "x": [0.5, 1, 2, 3]})
    frame.write_parquet(files[0], compression="uncompressed")
    frame.write_ipc(files[1])
    panics = 0
    for data in (file.getvalue() for file in files):
        for place in range(0, len(data)):
            try:
                assay.read_clusters(io.BytesIO(data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :]))
            except assay.AssayError as refused:
                panics += "it cannot be decoded" in str(refused)
    assert panics
    assert capfd.readouterr().err == ""


@in_turn("head", [b"\x2c\x15", b"\x4c\x15"], ids=["values", "dictionary"])
@in_turn("claimed", [b"\x09", b"\xfe\xff\xff\xff\x0f"], ids=["less than none", "2 billion"])
def test_a_page_that_claims_values_it_does_not_have_is_refused(claimed: bytes, head: bytes) -> None:
    """Otherwise Polars asks for the memory of as many, and the process ends."""
    file = io.BytesIO()
    pl.DataFrame(RECORD).write_parquet(file)
    before, after = file.getvalue().split(head, 1)  # the head of the first page of the kind, then how many
    damaged = before + head + claimed + after[1:]
    with pytest.raises(assay.FormatError, match="expected an intact Parquet or Arrow file"):
        assay.read_run(io.BytesIO(damaged))


def test_a_list_of_columns_that_is_nested_without_end_is_refused() -> None:
    footer = b"\x49\x1c" + b"\x19" * 100_000  # a list of lists of lists
    file = io.BytesIO(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(assay.FormatError, match="expected an intact Parquet or Arrow file"):
        assay.read_run(file)


# What only a process of its own can show.


def test_tables_are_read_where_no_temporary_file_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    assert assay.read_run(io.StringIO(json.dumps(RECORD))).frame.height == 1


def command(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "assay", *arguments], check=False, capture_output=True, **options)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n")
    (tmp_path / "mine.run").write_bytes(TREC)
    return tmp_path


def test_no_threads_for_polars_are_as_many_as_there_are(folder: Path) -> None:
    asked = ("evaluate", "qrels.txt", "mine.run", "-m", "AP", "--csv", "--quiet")
    done = command(*asked, cwd=folder, env=os.environ | {"POLARS_MAX_THREADS": "0"})
    assert (done.returncode, done.stdout, done.stderr) == (0, b"system,AP\nmine,1.0\n", b"")


@pytest.mark.parametrize(("closed", "code", "told"), [
    (">&-", 0, b""), ("2>&-", 0, b""), ("<&-", 2, b"assay: <stdin>: cannot be read: standard input is closed\n"),
    ("<&- >&- 2>&-", 2, b""),
])  # fmt: skip
def test_closed_streams_swallow_what_is_said_and_hold_nothing(
    folder: Path, closed: str, code: int, told: bytes
) -> None:
    run = "-" if "<" in closed else "mine.run"
    call = f"'{sys.executable}' -m assay evaluate qrels.txt {run} -m AP --quiet -o out.csv --csv {closed}"
    done = subprocess.run(["bash", "-c", call], check=False, capture_output=True, cwd=folder)
    assert (done.returncode, done.stderr) == (code, told)
    assert (folder / "out.csv").exists() == (code == 0)
    assert (folder / "mine.run").read_bytes() == TREC


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_no_room_for_what_is_said_is_an_error_and_no_answer(folder: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        told = subprocess.run([sys.executable, "-m", "assay", "evaluate", "none", "none"], stderr=full, check=False)
        read = subprocess.run(
            [sys.executable, "-m", "assay", "evaluate", "qrels.txt", "mine.run"], stderr=full, check=False, cwd=folder
        )
    assert (told.returncode, read.returncode) == (2, 2)


def test_ctrl_c_while_the_command_is_loaded_ends_it_quietly(folder: Path) -> None:
    waits = "import assay.__main__ as command; print('on', flush=True); command.main()"
    started = subprocess.Popen(
        [sys.executable, "-c", waits, "evaluate", "qrels.txt", "mine.run"], cwd=folder,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert started.stdout is not None
    started.stdout.readline()
    time.sleep(0.05)
    started.send_signal(signal.SIGINT)
    _, told = started.communicate()
    assert (started.returncode, told) == (130, b"")
