"""Small tables: scores in three shapes, lists of numbers, ids; what is refused, and that nothing but a format error is.

Scores and lists are read by one reader, so what is wrong with a table is said in the same words for both.
"""

from __future__ import annotations

import contextlib
import csv
import io
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import in_turn
from command import run_assay
from hypothesis import given
from hypothesis import strategies as st
from strategies import quickly

import assay
from assay import FormatError, InputError, compare, gate, read_scores
from assay.files.small_tables import read_ids, read_numbers
from assay.files.sources import Source


def rows(text: str, measure: str = "score") -> list[tuple[object, ...]]:
    return read_scores(io.StringIO(text), measure=measure).frame.select("system", "measure", "unit", "value").rows()


def test_the_long_shape() -> None:
    assert rows("system,measure,unit,value\nbm25,AP,q1,0.5\nbm25,AP,q2,\n") == [
        ("bm25", "AP", "q1", 0.5),
        ("bm25", "AP", "q2", None),
    ]


def test_what_evaluate_writes_for_every_query_is_read_back() -> None:
    evaluation = assay.evaluate(
        {"q1": {"d1": 1}, "q2": {"d1": 1}}, {"q1": {"d1": 2.0}, "q2": {"d2": 1.0}}, ["AP", "RR"]
    )
    scores = read_scores(io.StringIO(evaluation.to_csv(per_query=True)))
    assert scores.frame.select("system", "measure", "unit", "value").sort("measure", "unit").rows() == (
        evaluation.scores.frame.select("system", "measure", "unit", "value").sort("measure", "unit").rows()
    )
    assert scores.frame["unit_kind"].unique().to_list() == ["query"]


def test_a_matrix_has_a_column_a_system_and_may_name_its_units() -> None:
    assert rows("1,b\n0.5,0.25\n1e-3,0\n", "AP") == [
        ("1", "AP", "1", 0.5), ("b", "AP", "1", 0.25), ("1", "AP", "2", 0.001), ("b", "AP", "2", 0.0),
    ]  # fmt: skip
    assert rows("topic\ta\tb\n401\t0.5\tNA\n") == [("a", "score", "401", 0.5), ("b", "score", "401", None)]


def test_lists_of_numbers_are_columns_by_the_names_in_the_first_one() -> None:
    text = "system;AP;RR\nbm25;0.5;1\n\n dense ;N/A; .25 \nnew;;null\n"
    assert read_numbers(io.StringIO(text)) == {
        "AP": {"bm25": 0.5, "dense": None, "new": None},
        "RR": {"bm25": 1.0, "dense": 0.25, "new": None},
    }


def test_ids_are_the_first_words_of_lines() -> None:
    assert read_ids(io.BytesIO(b"\xef\xbb\xbf401\r\n\r\n402 0 d1 1\r\n402 0 d2 1\n")) == ["401", "402"]
    with pytest.raises(FormatError, match=r"empty:1: expected ids, one per line, got nothing"):
        read_ids(Source(io.StringIO(" \n"), name="empty"))


@in_turn("read", [read_scores, read_numbers])
@in_turn(
    ("text", "message"),
    [
        ("", "there are no data in the file"),
        ("topic,b\n", "expected a line or more below the header"),
        ("topic\n0.5\n", ", got 'topic'"),
        ("topic,b\nq1,0.5,1\n", ":2: expected 2 fields, got 'q1,0.5,1'"),
        ("topic,b\nq1,x\n", ":2: expected a finite number as "),
        ("topic,b\nq1,NaN\n", ", got 'NaN'"),
        ("topic;b\nq1;-inf\n", ", got '-inf'"),
        ("topic,a,a\nq1,0.5,0.5\n", ":1: expected a name of its own for each column, got 'a'"),
        ('topic,b\n"q\n1",0.5\n\nq2,x\n', ":5: expected a finite number"),
        ('topic,b\r\n"q1\r\n2",x\r\n', ":3: expected a finite number"),
        ("topic,b\rq1,0.5\rq2,x", ":3: expected a finite number"),
        ("topic,b\nq\u20281,0.5\nq\v2,x\n", ":3: expected a finite number"),
        ('topic,"b;c"\nq1,x\n', ":2: expected a finite number"),
        ('topic,b\nq1,"0.5\nq2,0.75\n', ":2: expected fields quoted as in CSV, got 'q1,\"0.5'"),
        ('topic,b\nq1,"0.5"5\n', ":2: expected fields quoted as in CSV, got 'q1,\"0.5\"5'"),
    ],
)
def test_scores_and_lists_refuse_the_same_tables_in_the_same_words(
    read: Callable[[io.StringIO], object], text: str, message: str
) -> None:
    with pytest.raises(FormatError) as problem:
        read(io.StringIO(text))
    assert message in str(problem.value)
    assert "\n" not in str(problem.value)


@in_turn(
    ("text", "message"),
    [
        ("name,b\na,1\na,2\n", ":3: expected each name once, got 'a'"),
        ("name,b\n,1\n", ":2: expected a name in the first column, got nothing"),
        ("name,b,\na,1,\n", ":1: expected a name for each column of numbers"),
    ],
)
def test_what_is_wrong_with_a_list_is_named_with_its_line(text: str, message: str) -> None:
    with pytest.raises(FormatError) as problem:
        read_numbers(io.StringIO(text))
    assert message in str(problem.value)


@in_turn(
    ("text", "message"),
    [
        ("system,measure,unit,value\na,AP,1,0.5\na,AP,1,0.25\n", ":3: expected one value of AP for a on 1, got '0.25'"),
        ("system,measure,unit\na,AP,1\n", ":1: expected a table of scores: `system,measure,unit,value`; or"),
        ("", "expected a table of scores: `system,measure,unit,value`"),
        ("a,b\n", "expected a line or more below the header"),
        ("a,b\n0.5\n", ":2: expected 2 fields"),
        ("a,b\n0.5,x\n", ":2: expected a finite number as value, got 'x'"),
        ("a,b\n0.5,NaN\n", ":2: expected a finite number as value, got 'NaN'"),
        ("a,a\n0.5,0.5\n", ":1: expected a name of its own for each column, got 'a'"),
        ("system,measure,unit,value\na,AP,q1,1\na,AP,q1,1\n", ":3: expected one value of AP for a on q1"),
        ("system,query_id,AP\n,q1,1\n", ":2: expected a system and a unit"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, message: str) -> None:
    with pytest.raises(FormatError) as problem:
        read_scores(io.StringIO(text))
    assert message in str(problem.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(assay.InputError, match=r"absent\.csv: cannot be read"):
        read_scores(tmp_path / "absent.csv")


@given(
    st.one_of(
        st.binary(max_size=200), st.text(alphabet='a,b;\t\n\r"0.5systemunivalqry_d#NA', max_size=200).map(str.encode)
    )
)
@quickly
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for read in (read_scores, read_numbers, read_ids):
        with contextlib.suppress(FormatError):
            assert read(io.BytesIO(data))


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=5).map(str.strip).filter(bool),
        st.none() | st.floats(allow_nan=False, allow_infinity=False),
        min_size=1,
    ),
    st.sampled_from(",;\t"),
)
@quickly
def test_what_a_csv_writer_writes_is_read_back(numbers: dict[str, float | None], separator: str) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator)
    writer.writerows([("system", "value"), *numbers.items()])
    assert read_numbers(io.BytesIO(text.getvalue().encode())) == {"value": numbers}


def gaps(gap: str) -> str:
    """Scores of two systems on ten units, of which one lacks a value."""
    values = [f"{system},AP,q{n},{0.4 + 0.01 * n + (system == 'b') * 0.02}" for system in "ab" for n in range(10)]
    values[-1] = f"b,AP,q9,{gap}"
    return "\n".join(["system,measure,unit,value", *values, ""])


def test_a_unit_without_a_value_in_a_file_is_left_out_by_every_verb(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text(gaps(""))
    scores = read_scores(tmp_path / "scores.csv")
    for table in (scores, tmp_path / "scores.csv"):
        (finding,) = compare(table, measures="AP").findings
        assert finding.difference == pytest.approx(0.02)
    (check,) = gate(scores, "a", "b", measures="AP").checks
    assert check.difference == pytest.approx(0.02)


def test_a_measure_that_never_differs_is_left_out_unless_it_is_asked_for(tmp_path: Path) -> None:
    constant = "".join(f"{system},Judged@10,q{n},1\n" for system in "ab" for n in range(10))
    (tmp_path / "scores.csv").write_text(gaps("0.5") + constant)
    compared = compare(tmp_path / "scores.csv")
    assert compared.measures == ("AP",)
    assert any("Judged@10" in note and "left out" in note for note in compared.notes)
    with pytest.raises(InputError, match="Judged@10: expected one score per unit"):
        compare(tmp_path / "scores.csv", measures="Judged@10")


@in_turn("verb", ["compare", "power", "report"])
def test_scores_come_through_a_pipe(tmp_path: Path, verb: str) -> None:
    (tmp_path / "scores.csv").write_text(gaps("0.5"))
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cp", "scores.csv", "pipe"], cwd=tmp_path):
        target = ["-o", "report.html"] if verb == "report" else []
        done = run_assay("scores", verb, "pipe", *target, folder=tmp_path)
    assert done.returncode == 0, done.stderr
