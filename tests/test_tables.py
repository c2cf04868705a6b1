"""Tables in memory: from dicts, rows and data frames of any library, checked at the door and never changed."""

from __future__ import annotations

import copy
import datetime
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import in_turn
from hypothesis import given
from hypothesis import strategies as st
from strategies import quickly

from assay import FormatError, InputError, Qrels, Ranks, Run, Scores, evaluate

ROWS = [("q2", "b", 1.5), ("q2", "a", -1.0), ("q1", "001", 2.0)]
DICT = {"q2": {"b": 1.5, "a": -1.0}, "q1": {"001": 2.0}}
RUN_SCHEMA = {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}


def columns(value: str = "score", **changed: Any) -> dict[str, Any]:
    """The table by columns, with some of them changed."""
    queries, documents, numbers = (list(column) for column in zip(*ROWS, strict=True))
    return {"query_id": queries, "doc_id": documents, value: numbers} | changed


def pandas(value: str = "score", **changed: Any) -> Any:
    return pd.DataFrame(columns(value, **changed))


def polars(value: str = "score", **changed: Any) -> pl.DataFrame:
    return pl.DataFrame(columns(value, **changed))


def arrow(value: str = "score", **changed: Any) -> Any:
    return pa.table(columns(value, **changed))


each_frame = in_turn("frame", [polars, pandas, arrow], ids=["Polars", "pandas", "Arrow"])

# Every shape is the same table.

SHAPES: dict[str, Callable[[str], Any]] = {
    "dict of dicts": lambda _: DICT,
    "read-only mapping": lambda _: MappingProxyType({query: MappingProxyType(docs) for query, docs in DICT.items()}),
    "dict of NumPy floats": lambda _: {q: {d: np.float64(x) for d, x in docs.items()} for q, docs in DICT.items()},
    "dict of NumPy texts": lambda _: {np.str_(q): {np.str_(d): x for d, x in docs.items()} for q, docs in DICT.items()},
    "tuples": lambda _: ROWS,
    "generator of tuples": lambda _: (row for row in ROWS),
    "NumPy array of objects": lambda _: np.array(ROWS, dtype=object),
    "Polars": polars,
    "Polars, lazy": lambda value: polars(value).lazy(),
    "Polars, categories": lambda value: polars(value).cast({"query_id": pl.Categorical, "doc_id": pl.Categorical}),
    "Polars, enum": lambda value: polars(value).cast({"query_id": pl.Enum(["q1", "q2"])}),
    "Polars, single precision": lambda value: polars(value).cast({value: pl.Float32}),
    "Polars, decimals": lambda value: polars(value).cast({value: pl.Decimal(10, 2)}),
    "Polars, other columns too": lambda value: polars(value).select(value, pl.lit("x"), pl.col("doc_id", "query_id")),
    "pandas": pandas,
    "pandas, objects": lambda value: pandas(value).astype({"query_id": object, "doc_id": object}),
    "pandas, numbers as objects": lambda value: pandas(value).astype({value: object}),
    "pandas, strings": lambda value: pandas(value).astype({"query_id": "string", "doc_id": "string"}),
    "pandas, categories": lambda value: pandas(value).astype({"query_id": "category", "doc_id": "category"}),
    "pandas, nullable": lambda value: pandas(value).convert_dtypes(),
    "pandas, Arrow-backed": lambda value: pandas(value).convert_dtypes(dtype_backend="pyarrow"),
    "pandas, single precision": lambda value: pandas(value).astype({value: "float32"}),
    "pandas, odd index": lambda value: pandas(value).set_axis([7, 7, 0]),
    "pandas, rows taken out": lambda value: pd.concat([pandas(value), pandas(value)]).iloc[3:],
    "Arrow": arrow,
    "Arrow, dictionary": lambda value: arrow(value, query_id=pa.array(columns()["query_id"]).dictionary_encode()),
    "Arrow, large strings": lambda value: arrow(value, doc_id=pa.array(columns()["doc_id"], pa.large_string())),
    "Arrow, chunks": lambda value: pa.concat_tables([arrow(value).slice(0, 1), arrow(value).slice(1)]),
}  # fmt: skip
each_shape = in_turn("shape", SHAPES.values(), ids=SHAPES)


@each_shape
def test_a_run_is_the_same_in_every_shape(shape: Callable[[str], Any]) -> None:
    run = Run.of(shape("score"), name="mine")
    assert run.frame.rows() == ROWS
    assert run.frame.schema == RUN_SCHEMA
    assert (run.name, run.format) == ("mine", "in memory")


@each_shape
def test_judgments_are_the_same_in_every_shape(shape: Callable[[str], Any]) -> None:
    qrels = Qrels.of(shape("relevance"), name="gold")
    assert qrels.frame.rows() == ROWS
    assert qrels.topics == ["q2", "q1"]
    assert (qrels.name, qrels.format, qrels.warnings, qrels.judges) == ("gold", "in memory", (), [])


@each_shape
def test_every_shape_is_evaluated(shape: Callable[[str], Any]) -> None:
    rows = shape("score")
    given = list(rows) if isinstance(rows, Iterator) else rows
    assert evaluate({"q1": {"001": 1}, "q2": {"a": 1}}, given, "RR").mean() == (1 / 1 + 1 / 2) / 2


def test_rows_may_be_lists() -> None:
    assert Run.of([list(row) for row in ROWS]).frame.rows() == ROWS


def test_rows_that_are_lists_are_evaluated() -> None:
    assert evaluate({"q2": {"a": 1}}, [list(row) for row in ROWS], "RR").mean() == 1 / 2


@in_turn("number", [np.float16(1.5), np.float32(1.5), np.float64(1.5), Decimal("1.5"), Fraction(3, 2)])
def test_scores_may_be_any_kind_of_real_number(number: Any) -> None:
    assert Run.of({"q": {"d": number}}).frame.rows() == Run.of([("q", "d", number)]).frame.rows() == [("q", "d", 1.5)]


@in_turn("number", [3, np.int8(3), np.int64(3), np.uint8(3), np.array(3)])
def test_scores_may_be_whole_numbers_of_any_width(number: Any) -> None:
    assert Run.of({"q": {"d": number}}).frame.rows() == Run.of([("q", "d", number)]).frame.rows() == [("q", "d", 3.0)]


@in_turn("dtype", ["int8", "int64", "uint8", "Int64", "float32", "Float64"])
def test_grades_in_frames_may_be_of_any_width(dtype: str) -> None:
    frame = pandas("relevance", relevance=[0, 1, 2]).astype({"relevance": dtype})
    assert Qrels.of(frame).frame["relevance"].to_list() == [0.0, 1.0, 2.0]


def test_scores_may_be_infinite_but_grades_may_not() -> None:
    assert Run.of({"q": {"d": float("inf"), "e": -float("inf")}}).frame["score"].to_list() == [np.inf, -np.inf]
    for bad in np.inf, -np.inf:
        with pytest.raises(InputError, match="gold: row 2: expected a finite number as relevance, got"):
            Qrels.of({"q": {"d": 1.0, "e": bad}}, name="gold")


# Ids are text; whole numbers are as good.

INT_ROWS = [("7", "10", 1.5), ("7", "20", -1.0), ("8", "10", 2.0)]
INT_IDS = {"query_id": [7, 7, 8], "doc_id": [10, 20, 10]}


@in_turn(
    "data",
    [
        {7: {10: 1.5, 20: -1.0}, 8: {10: 2.0}},
        {np.int64(7): {np.int32(10): 1.5, np.int32(20): -1.0}, np.uint8(8): {np.int8(10): 2.0}},
        [(7, 10, 1.5), (7, 20, -1.0), (8, 10, 2.0)],
        [("7", 10, 1.5), (7, "20", -1.0), ("8", 10, 2.0)],
        polars("score", **INT_IDS),
        polars("score", **INT_IDS).cast({"query_id": pl.UInt8}),
        pandas("score", **INT_IDS),
        pandas("score", **INT_IDS).astype({"query_id": "Int64", "doc_id": "category"}),
        pandas(query_id=["7", "7", "8"], doc_id=pd.Series([10, "20", 10], dtype=object)),
        arrow("score", **INT_IDS),
    ],
    ids=[
        "dict",
        "NumPy",
        "tuples",
        "mixed",
        "Polars",
        "Polars, UInt8",
        "pandas",
        "pandas, nullable",
        "objects",
        "Arrow",
    ],
)
def test_ids_may_be_whole_numbers(data: Any) -> None:
    assert Run.of(data).frame.rows() == INT_ROWS


@in_turn("name", ["001", "NA", "nan", "null", "a b", "#", "é", "𝔡", "d\n", "d\x00"])
def test_ids_are_kept_letter_by_letter(name: str) -> None:
    expected = [(name, name, 1.0)]
    for data in (
        {name: {name: 1}},
        [(name, name, 1)],
        pl.DataFrame({"query_id": [name], "doc_id": [name], "score": [1]}),
        pd.DataFrame({"query_id": [name], "doc_id": [name], "score": [1]}),
        pa.table({"query_id": [name], "doc_id": [name], "score": [1]}),
    ):
        assert Run.of(data).frame.rows() == expected


BAD_IDS: dict[str, Any] = {
    "text or number": None,
    "float": 1.0,
    "bool": True,
    "bytes": b"d",
    "tuple": ("d",),
    "NumPy bool": np.True_,
    "NumPy float": np.float64(1.0),
}


@in_turn("bad", BAD_IDS.values(), ids=BAD_IDS)
def test_ids_that_are_neither_text_nor_whole_numbers_are_refused(bad: Any) -> None:
    for data in {bad: {"d": 1}}, {"q": {bad: 1}}, [(bad, "d", 1)], [("q", bad, 1)], [("q", "d", 1), ("q", bad, 1)]:
        with pytest.raises(InputError, match=r"expected text or .* as (query_id|doc_id), got"):
            Run.of(data)


@each_frame
def test_ids_of_frames_are_not_floats(frame: Callable[..., Any]) -> None:
    """A whole number that became a float on the way, as beside a missing one in pandas, would match nothing."""
    with pytest.raises(InputError, match=r"row 1: expected text or a whole number as query_id, got '1\.0'"):
        Run.of(frame(query_id=[1.0, 1.0, 2.0]))


@each_frame
def test_ids_of_frames_are_not_bools(frame: Callable[..., Any]) -> None:
    with pytest.raises(InputError, match="query_id"):
        Run.of(frame(query_id=[True, True, False]))


@in_turn(
    "bad",
    [[["a"], ["b"], ["c"]], [b"\xff", b"b", b"c"], [object(), object(), object()]],
    ids=["lists", "bytes", "objects"],
)
def test_ids_of_frames_that_cannot_be_text_are_refused(bad: list[Any]) -> None:
    with pytest.raises(InputError, match="doc_id"):
        Run.of(polars(doc_id=bad))


def test_ids_that_utf8_cannot_write_are_refused() -> None:
    with pytest.raises(InputError, match="text or whole numbers as doc_id"):
        Run.of({"q": {"\ud800": 1.0}})


# Key order does not matter, row order does not matter.


@given(
    st.permutations(ROWS), st.permutations([("q1", "001", 1.0), ("q2", "a", 1.0), ("q2", "b", 0.0), ("q3", "a", 1.0)])
)
@quickly
def test_queries_are_paired_by_name_never_by_position(
    rows: list[tuple[str, str, float]], judged: list[tuple[str, str, float]]
) -> None:
    run: dict[str, dict[str, float]] = {}
    for query, document, score in rows:
        run.setdefault(query, {})[document] = score
    qrels: dict[str, dict[str, float]] = {}
    for query, document, grade in judged:
        qrels.setdefault(query, {})[document] = grade
    values = evaluate(qrels, run, "RR").scores.frame
    assert dict(zip(values["unit"], values["value"], strict=True)) == {"q1": 1 / 1, "q2": 1 / 2, "q3": 0.0}


def test_topics_are_in_the_order_of_their_first_judgment() -> None:
    rows = [("q9", "a", 1), ("q1", "a", 1), ("q9", "b", 0), ("q5", "a", 1), ("q1", "b", 1)]
    assert Qrels.of(rows).topics == ["q9", "q1", "q5"]


# Nothing that is given is changed.


@each_shape
def test_what_is_given_is_not_changed(shape: Callable[[str], Any]) -> None:
    data = shape("score")
    if isinstance(data, Iterator | MappingProxyType):
        return  # the one is used up, the other cannot be changed
    before = copy.deepcopy(data)
    Run.of(data)
    evaluate({"q1": {"001": 1}, "q2": {"a": 1}}, data, ["AP", "nDCG@1"], ties="expected", depth=1)
    match data:
        case pl.LazyFrame():
            assert data.collect().equals(before.collect())
        case pl.DataFrame() | pa.Table():
            assert data.equals(before)
        case pd.DataFrame():
            pd.testing.assert_frame_equal(data, before)
        case np.ndarray():
            assert (data == before).all()
        case _:
            assert data == before
            if isinstance(data, Mapping):
                assert list(data) == list(before)


def test_a_table_of_ours_is_taken_as_it_is() -> None:
    run, qrels = Run.of(DICT, name="mine"), Qrels.of(DICT, name="gold")
    assert Run.of(run, name="other") is run
    assert Qrels.of(qrels, name="other") is qrels


def test_a_run_does_not_change_with_the_frame_it_was_made_from() -> None:
    frame = pandas()
    run = Run.of(frame)
    frame.loc[0, "score"] = 99.0
    assert run.frame.rows() == ROWS


# What is wrong is refused in words.


@each_frame
@in_turn("column", ["query_id", "doc_id", "score"])
def test_a_missing_column_is_named(frame: Callable[..., Any], column: str) -> None:
    data = {name: values for name, values in columns().items() if name != column}
    made = {polars: pl.DataFrame, pandas: pd.DataFrame, arrow: pa.table}[frame](data)
    expected = (
        f"mine: expected a table with the columns `query_id`, `doc_id`, `score` or `rank`, got '{', '.join(data)}'"
    )
    with pytest.raises(InputError, match=f"{expected} .{column} may be called .*; or name it with columns="):
        Run.of(made, name="mine")


@each_frame
def test_judgments_want_a_column_relevance(frame: Callable[..., Any]) -> None:
    with pytest.raises(InputError, match=r"gold: expected a table with .*`relevance`, got 'query_id, doc_id, score'"):
        Qrels.of(frame(), name="gold")


def test_no_columns_at_all_are_none() -> None:
    with pytest.raises(InputError, match="got nothing"):
        Run.of(pl.DataFrame())


@each_frame
def test_a_score_that_is_null_is_refused_with_its_row(frame: Callable[..., Any]) -> None:
    with pytest.raises(InputError, match=r"row 2: expected .*score, got"):
        Run.of(frame(score=[1.5, None, 2.0]), name="mine")


@each_frame
def test_a_score_that_is_nan_is_refused_with_its_row(frame: Callable[..., Any]) -> None:
    with pytest.raises(InputError, match=r"row 3: expected .*score, got"):
        Run.of(frame(score=[1.5, 2.0, float("nan")]), name="mine")


NULL_IDS: dict[str, Any] = {
    "Polars": polars(doc_id=["a", None, "b"]),
    "Polars, whole numbers": polars(doc_id=[1, None, 2]),
    "Arrow": arrow(doc_id=["a", None, "b"]),
    "pandas": pandas(doc_id=["a", None, "b"]),
    "pandas, objects": pandas(doc_id=pd.Series(["a", np.nan, "b"], dtype=object)),
    "pandas, strings": pandas(doc_id=pd.array(["a", None, "b"], dtype="string")),
    "pandas, whole numbers": pandas(doc_id=[1, None, 2]),
    "pandas, nullable whole numbers": pandas(doc_id=pd.array([1, None, 2], dtype="Int64")),
    "Arrow, whole numbers": arrow(doc_id=[1, None, 2]),
}


@in_turn("data", NULL_IDS.values(), ids=NULL_IDS)
def test_an_id_that_is_missing_is_refused_with_its_row(data: Any) -> None:
    with pytest.raises(InputError, match=r"row [12]: expected text or a whole number as doc_id"):
        Run.of(data)


@in_turn(
    "frame",
    [polars, pandas, arrow],
    ids=["Polars", "pandas", "Arrow"],
)
def test_what_is_missing_in_columns_that_are_not_needed_does_not_matter(frame: Callable[..., Any]) -> None:
    assert Run.of(frame(comment=[None, "good", None])).frame.rows() == ROWS


@each_frame
@in_turn("bad", [["high", "2", "3"], [True, False, True]])
def test_scores_that_are_not_numbers_are_refused(frame: Callable[..., Any], bad: list[Any]) -> None:
    with pytest.raises(InputError, match=f"mine: row 1: expected a number as score, got '{bad[0]}'"):
        Run.of(frame(score=bad), name="mine")


@in_turn("bad", [True, np.True_, "1.5", np.str_("1"), b"1", None, [1.0], {}, 1j, datetime.date(2026, 1, 1)])
def test_a_score_that_is_not_a_number_is_refused(bad: Any) -> None:
    for data in {"q": {"d": bad}}, {"q": {"c": 1.0, "d": bad}}, [("q", "d", bad)], [("q", "c", 1), ("q", "d", bad)]:
        if isinstance(data, dict) and isinstance(bad, dict):
            continue  # reads as a dict of dicts of dicts, which has a message of its own
        with pytest.raises(InputError, match="expected a number as score, got"):
            Run.of(data)


def test_a_score_that_is_nan_is_refused_in_dicts_and_tuples() -> None:
    for data in {"q": {"c": 1.0, "d": float("nan")}}, [("q", "c", 1), ("q", "d", np.float32("nan"))]:
        with pytest.raises(InputError, match="mine: row 2: expected a number as score, got 'nan'"):
            Run.of(data, name="mine")


def test_a_bool_among_scores_is_refused() -> None:
    with pytest.raises(InputError, match="score"):
        Run.of(pandas(score=pd.Series([1.5, True, 2.0], dtype=object)))


@in_turn("bad", [np.array([1.0, 2.0]), 10**400], ids=["an array", "too large for a float"])
def test_a_score_that_cannot_become_a_float_is_refused(bad: Any) -> None:
    with pytest.raises(InputError, match="expected a number as score"):
        Run.of({"q": {"d": bad}})


@in_turn("row", [(), ("q",), ("q", "d"), ("q", "Q0", "d", 1, 2.5, "tag"), (("q", "d", 1.0),)])
def test_a_row_of_another_length_is_refused_with_its_number(row: tuple[Any, ...]) -> None:
    with pytest.raises(InputError, match=r"row 2: expected \(query_id, doc_id, score\), got \("):
        Run.of([("q", "d", 1.0), row])


@in_turn("rows", [[1, 2, 3], [None], np.array([1.0, 2.0])], ids=["numbers", "None", "array"])
def test_rows_that_are_no_rows_are_refused(rows: Any) -> None:
    with pytest.raises(InputError, match="row 1"):
        Run.of(rows)


@in_turn("data", [None, 3, 1.5, "run.txt", b"run.txt", object(), Run], ids=lambda data: type(data).__name__)
def test_what_is_no_table_is_refused_with_its_type(data: Any) -> None:
    with pytest.raises(
        InputError, match=f"expected a dict of dicts, a data frame or rows as tuples, got {type(data).__name__}"
    ):
        Run.of(data)


@in_turn(
    "data",
    [pl.Series([1]), pd.Series([1])],
    ids=["Polars", "pandas"],
)
def test_a_column_alone_is_refused(data: Any) -> None:
    with pytest.raises(InputError, match=r"row 1: expected .query_id, doc_id, score., got 1"):
        Run.of(data)


@in_turn("bad", [["a", "b"], ("a", 1.0), 1.0, None, "a"])
def test_a_dict_without_dicts_in_it_is_refused_with_the_query(bad: Any) -> None:
    with pytest.raises(InputError, match=f"query 'q2': expected a dict of doc_id to score, got {type(bad).__name__}"):
        Run.of({"q1": {"a": 1.0}, "q2": bad})


@in_turn("names", [["query_id", "doc_id", "score", "score"], [0, 1, 2, 3]], ids=["a column twice", "no column names"])
def test_column_names_that_are_no_names_are_refused(names: list[Any]) -> None:
    with pytest.raises(InputError):
        Run.of(pd.DataFrame([["q", "d", 1.0, 2.0]], columns=names))


@in_turn("data", [{}, [], {"q": {}}, polars().head(0), pandas().head(0), arrow().slice(0, 0)], ids=str)
def test_an_empty_table_is_a_table(data: Any) -> None:
    run = Run.of(data)
    assert run.frame.height == 0
    assert run.frame.schema == RUN_SCHEMA


# Ranks may come along.


def test_ranks_are_kept_and_used_only_when_asked_for() -> None:
    frame = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [2.0, 1.0], "rank": [1, 0]})
    run = Run.of(frame)
    assert run.frame.columns == ["query_id", "doc_id", "score", "rank"]
    assert Ranks.from_tables(run, {"q": {"a": 1}}).hits.rank.tolist() == [1]
    assert Ranks.from_tables(run, {"q": {"a": 1}}, rank_by="rank").hits.rank.tolist() == [2]


def test_ranks_that_are_wanted_but_not_there_are_asked_for() -> None:
    with pytest.raises(InputError, match="mine: rank_by='rank' needs a column `rank`"):
        Ranks.from_tables(Run.of(DICT, name="mine"), {"q1": {"001": 1}}, rank_by="rank")


def test_a_rank_that_is_null_is_refused_with_its_row() -> None:
    with pytest.raises(InputError, match="row 2: expected a number as rank"):
        Run.of(polars(rank=[1, None, 3]))


@in_turn("bad", [["1", "second", "1"], [1.0, float("nan"), 1.0], [True, False, True]], ids=["text", "NaN", "bools"])
def test_a_rank_that_is_not_a_number_is_refused(bad: list[Any]) -> None:
    with pytest.raises(InputError, match="rank"):
        Ranks.from_tables(Run.of(polars(rank=bad)), {"q1": {"001": 1}}, rank_by="rank")


# Judgments: given twice, contradicting, by several judges.


def test_judgments_given_twice_alike_count_once_with_a_warning() -> None:
    qrels = Qrels.of([*ROWS, ROWS[0], ROWS[0]], name="gold")
    assert qrels.frame.rows() == ROWS
    assert len(qrels.warnings) == 1
    assert qrels.warnings[0].startswith("gold: 2 judgments given twice alike")
    assert evaluate(qrels, DICT, "P@1").warnings[: len(qrels.warnings)] == qrels.warnings


def test_a_grade_of_0_and_one_of_minus_0_are_the_same() -> None:
    assert Qrels.of([("q", "d", 0.0), ("q", "d", -0.0)]).frame.rows() == [("q", "d", 0.0)]


def test_judgments_that_contradict_one_another_are_refused() -> None:
    with pytest.raises(
        FormatError, match=r"gold: expected one judgment of document 'b' for query 'q2', got '1\.5 and 0'"
    ):
        Qrels.of([*ROWS, ("q2", "b", 0)], name="gold")


JUDGED = {"query_id": ["q", "q", "r"], "doc_id": ["a", "a", "a"], "relevance": [1, 0, 2], "judge": ["x", "y", "x"]}


@in_turn("data", [pl.DataFrame(JUDGED), pd.DataFrame(JUDGED), pa.table(JUDGED)], ids=["Polars", "pandas", "Arrow"])
def test_a_frame_may_name_the_judge(data: Any) -> None:
    qrels = Qrels.of(data)
    assert qrels.judges == ["x", "y"]
    assert qrels.by_judge("x").frame.rows() == [("q", "a", 1.0), ("r", "a", 2.0)]
    assert qrels.by_judge("y").frame.rows() == [("q", "a", 0.0)]
    assert qrels.by_judge("x").judges == []
    with pytest.raises(InputError, match=r"judged by 2 judges .*: x, y; choose one"):
        Ranks.from_tables({"q": {"a": 1.0}}, qrels)


def test_judges_may_be_whole_numbers() -> None:
    assert Qrels.of(pl.DataFrame(JUDGED | {"judge": [1, 2, 1]})).judges == ["1", "2"]


def test_a_judge_who_contradicts_himself_is_refused() -> None:
    with pytest.raises(FormatError, match="one judgment of document 'a' for query 'q'"):
        Qrels.of(pl.DataFrame(JUDGED | {"judge": ["x", "x", "y"]}))


def test_a_column_that_judgments_do_not_have_is_left_out() -> None:
    frame = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "a"], "relevance": [1, 1], "rank": [1, 2]})
    assert Qrels.of(frame).frame.rows() == [("q", "a", 1.0)]


def test_a_column_that_runs_do_not_have_is_left_out() -> None:
    assert Run.of(polars(judge=[None, "x", "y"])).frame.columns == ["query_id", "doc_id", "score"]


# Scores.


def test_scores_have_one_schema() -> None:
    scores = evaluate({"q1": {"001": 1}, "q2": {"a": 1}}, DICT, ["RR", "P@1"]).scores
    assert scores.frame.schema == Scores.SCHEMA
    assert scores.of("run", "RR")["value"].to_list() == [1 / 1, 1 / 2]
    with pytest.raises(InputError, match="scores: expected the columns"):
        Scores(scores.frame.drop("undefined"))
