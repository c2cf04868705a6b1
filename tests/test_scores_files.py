"""Tables of scores: three shapes, what is refused, and that nothing else than a format error ever comes out."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import FormatError, read_scores


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ":1: expected a header and rows"),
        ("a,b\n", "expected a header and rows"),
        ("a,b\n0.5\n", ":2: expected 2 fields"),
        ("a,b\n0.5,x\n", ":2: expected a number, or nothing, got 'x'"),
        ("a,b\n0.5,NaN\n", ":2: expected a finite number, or nothing, got 'NaN'"),
        ("a,b\n0.5,inf\n", ":2: expected a finite number"),
        ("a,a\n0.5,0.5\n", ":1: expected each column once"),
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
        st.binary(max_size=200), st.text(alphabet='a,b;\t\n"0.5systemunivalqry_d#NA', max_size=200).map(str.encode)
    )
)
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(FormatError):
        read_scores(io.BytesIO(data))
