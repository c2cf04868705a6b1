"""Whatever comes as predictions, a table or an `AssayError` comes out; and what is written reads back the same."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import quickly

from assay import AssayError, Predictions, extract, read_predictions
from assay.files.named_columns import names_in_any
from assay.files.small_tables import read_matrix
from assay.files.sources import Source
from assay.subjects.spans.span_files import read_spans
from assay.tables.roles import kind_of

thoroughly = settings(quickly, max_examples=16)

PIECES = [b"truth", b"prediction", b"score", b"score_a", b"prediction_x", b"weight", b"item_id", b"system", b"truth_a"]
PIECES += [
    b",",
    b";",
    b"\t",
    b"\n",
    b"\r\n",
    b'"',
    b"a",
    b"b",
    b"1",
    b"0",
    b"0.5",
    b"nan",
    b"inf",
    b"-1",
    b" ",
    b"#",
    b"NA",
]
PIECES += [b"{", b"}", b"[", b"]", b'{"truth": "a", "prediction": "b"}', b'{"truth": ["a"], "prediction": []}', b"null"]
PIECES += [
    b'"truth": ',
    b'"score": 0.5',
    b"\xff",
    b"\0",
    b"PAR1",
    b"ARROW1",
    b"\x1f\x8b",
    "é".encode(),
    b"1e400",
    b"99" * 20,
]
PIECES += [
    b"B-PER",
    b"I-PER",
    b"O",
    b"-DOCSTART-",
    b'{"document": "d", "start": 0, "end": 2, "type": "P"}',
    b'"spans": [[0, 1]]',
]
junk = st.binary(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join)
HEADERS = [
    b"truth,prediction\n",
    b"truth,score\n",
    b"item_id,truth,prediction_x,score_x\n",
    b"truth_a,truth_b,pred_a\n",
]
HEADERS += [b"truth\tscore_a\tscore_b\n", b"system,truth,prediction\n", b"document,start,end,type\n"]
headers = st.sampled_from(HEADERS)
tables = st.tuples(headers, junk).map(b"".join)

READERS: dict[str, Callable[[Source], object]] = {
    "predictions": read_predictions,
    "predictions, dropping": lambda source: read_predictions(source, nulls="drop", labels=["a", "b"]),
    "predictions, labelling": lambda source: read_predictions(source, nulls="label", pos_label="a"),
    "predictions with lists": lambda source: read_predictions(source, list_separator=";"),
    "a matrix": read_matrix,
    "spans": read_spans,
    "truth and predicted": extract,
}


@pytest.mark.parametrize("reader", READERS)
@thoroughly
@given(data=junk | tables)
@example(data=b'{"truth": 1, "prediction": {"a": 1}}\n{"truth": "x"}')
@example(data=b'truth,prediction\n"a,b\n')
@example(data=b'[{"truth": 99999999999999999999999, "prediction": 1}]')
@example(data=b'{"truth": [[1]], "prediction": [["a"]]}')
@example(data=b"truth,prediction,\na,b,\n")
@example(data=b'{"truth": "\\ud800", "prediction": "a"}')
@example(data=b'{"document": null, "spans": [[0, 1, null], [null, 1]]}')
@example(data=b"truth,score\n1,1e400\n0,1\n")
def test_readers_give_a_table_or_one_clear_error(reader: str, data: bytes) -> None:
    said = ""
    try:
        READERS[reader](Source(io.BytesIO(data), name="odd"))
    except AssayError as problem:
        said = str(problem)
    assert "\n" not in said


@thoroughly
@given(data=junk | tables)
def test_looking_never_raises(data: bytes) -> None:
    assert isinstance(names_in_any(Source(io.BytesIO(data), name="odd")), list)


anything = st.none() | st.booleans() | st.integers(-5, 5) | st.floats(width=16) | st.text(max_size=2) | st.just(2**70)
columns = (
    st.lists(anything, max_size=5)
    | st.lists(st.lists(anything, max_size=3), max_size=4)
    | st.lists(st.sampled_from(["a", "b"]), min_size=3, max_size=3)
    | st.lists(st.integers(0, 1), min_size=3, max_size=3)
    | st.lists(st.sets(st.sampled_from("abc")), min_size=3, max_size=3)
    | st.lists(st.integers(0, 1), min_size=6, max_size=6).map(lambda cells: np.array(cells).reshape(3, 2))
    | st.lists(st.floats(0, 1), min_size=3, max_size=3).map(np.array)
)


@settings(quickly, max_examples=80)
@given(
    y_true=columns, y_pred=st.none() | columns,
    y_score=st.none() | columns | st.dictionaries(anything, columns, max_size=3),
    labels=st.none() | st.lists(anything, max_size=3), pos_label=anything, weight=st.none() | columns,
    item_id=st.none() | columns, nulls=st.sampled_from(["error", "drop", "label"]),
    as_series=st.booleans(),
)  # fmt: skip
def test_arguments_of_any_kind_give_a_table_or_one_clear_error(
    y_true: Any, y_pred: Any, y_score: Any, labels: Any, pos_label: Any, weight: Any, item_id: Any, as_series: bool,
    **rules: Any,
) -> None:  # fmt: skip
    if as_series and isinstance(y_true, list):
        try:
            y_true = pl.Series(y_true)
        except (TypeError, pl.exceptions.PolarsError, OverflowError, UnicodeError):
            return
    said = ""
    try:
        made = Predictions.of(
            y_true, y_pred, y_score=y_score, labels=labels, pos_label=pos_label, sample_weight=weight, item_id=item_id,
            **rules,
        )  # fmt: skip
        assert made.frame.columns[:2] == ["item_id", "truth"]
        assert made.frame["truth"].null_count() == 0
        assert made.kind in {"binary", "multiclass", "multilabel"}
        assert len(set(made.label_values)) == len(made.label_values)
        assert isinstance(made.warnings, tuple)
        if made.score is not None:
            made.at(0.5)
    except AssayError as problem:
        said = str(problem)
    assert "\n" not in said


# Labels as people have them, and a few that look like something else; none has blanks around it.
texts = st.sampled_from(
    ["spam", "ham", "b,c", 'q"t', "é", "日本", "x;y", "a b", "none", "NA", "O", "-", "#1", "[x", "{y"]
)
numbers = st.integers(-3, 12)
labels_of_one_type = st.sampled_from([texts, numbers])
ids = st.lists(st.text("abc123éß", min_size=1, max_size=4), min_size=1, max_size=8, unique=True)


@st.composite
def frames(draw: st.DrawFn) -> pl.DataFrame:
    items = draw(ids)
    label = draw(labels_of_one_type)
    columns: dict[str, Any] = {"item_id": items}
    for name in ("truth", "prediction"):
        columns[name] = draw(st.lists(label, min_size=len(items), max_size=len(items)))
    weights = st.floats(0, 1e6, allow_nan=False)
    if draw(st.booleans()):
        columns["weight"] = draw(st.lists(weights, min_size=len(items), max_size=len(items)))
    return pl.DataFrame(columns)


def written(frame: pl.DataFrame, form: str) -> bytes:
    if form in {"csv", "tsv", "semicolons"}:
        return frame.write_csv(separator={"csv": ",", "tsv": "\t", "semicolons": ";"}[form]).encode()
    if form == "json":
        return json.dumps(frame.to_dicts()).encode()
    if form == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in frame.to_dicts()).encode()
    buffer = io.BytesIO()
    (frame.write_parquet if form == "parquet" else frame.write_ipc)(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize("form", ["csv", "tsv", "semicolons", "jsonl", "json", "parquet", "arrow"])
@thoroughly
@given(frame=frames())
def test_what_is_written_reads_back_the_same(form: str, frame: pl.DataFrame) -> None:
    (made,) = read_predictions(Source(io.BytesIO(written(frame, form)), name="made"))
    assert made.frame.select(frame.columns).rows() == frame.rows()
    assert kind_of(names_in_any(Source(io.BytesIO(written(frame, form)), name="made"))) == "predictions"


@pytest.mark.parametrize("form", ["jsonl", "json", "parquet", "arrow"])
@thoroughly
@given(items=ids, data=st.data())
def test_lists_of_labels_read_back_the_same(form: str, items: list[str], data: st.DataObject) -> None:
    lists = st.lists(st.sets(texts, max_size=3).map(sorted), min_size=len(items), max_size=len(items))
    held = {"item_id": items, "truth": data.draw(lists), "prediction": data.draw(lists)}
    kinds = {"truth": pl.List(pl.String), "prediction": pl.List(pl.String)}
    frame = pl.DataFrame(held, schema_overrides=kinds)
    (made,) = read_predictions(Source(io.BytesIO(written(frame, form)), name="made"))
    assert made.frame.rows() == frame.rows()
