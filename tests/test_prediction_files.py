"""Files of predictions: which are read, how columns are found, and what is said of those that cannot be."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import zstandard
from cases import in_turn

from assay import AssayError, FormatError, ParameterError, Predictions, read_predictions
from assay.files.named_columns import names_in_any
from assay.files.small_tables import read_matrix
from assay.files.sources import Source
from assay.tables.roles import kind_of

ROWS = pl.DataFrame({"item_id": ["x", "y", "z"], "truth": ["a", "b", "a"], "prediction": ["a", "a", "b"]})


def named(text: str | bytes, name: str = "p.csv") -> Source:
    return Source(io.BytesIO(text.encode() if isinstance(text, str) else text), name=name)


def read(text: str | bytes, **said: Any) -> list[Predictions]:
    return read_predictions(named(text), **said)


def only(text: str | bytes, **said: Any) -> Predictions:
    (system,) = read(text, **said)
    return system


def parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def arrow(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_ipc(buffer)
    return buffer.getvalue()


FORMS = {
    "csv": ROWS.write_csv().encode(),
    "tsv": ROWS.write_csv(separator="\t").encode(),
    "semicolons": ROWS.write_csv(separator=";").encode(),
    "crlf": ROWS.write_csv(line_terminator="\r\n").encode(),
    "bom": b"\xef\xbb\xbf" + ROWS.write_csv().encode(),
    "comments first": b"# made on Monday\n" + ROWS.write_csv().encode(),
    "jsonl": ROWS.write_ndjson().encode(),
    "json": json.dumps(ROWS.to_dicts(), indent=1).encode(),
    "parquet": parquet(ROWS),
    "arrow": arrow(ROWS),
    "gz": gzip.compress(ROWS.write_csv().encode(), mtime=0),
    "zst": zstandard.compress(ROWS.write_ndjson().encode()),
}


@in_turn("form", FORMS)
def test_every_form_of_a_file_gives_the_same_table(form: str) -> None:
    assert kind_of(names_in_any(named(FORMS[form]))) == "predictions"
    assert only(FORMS[form]).frame.rows() == ROWS.rows()


def test_a_path_and_standard_input_are_read_and_name_the_system(tmp_path: Path, monkeypatch: Any) -> None:
    file = tmp_path / "forest.csv.gz"
    file.write_bytes(FORMS["gz"])
    (system,) = read_predictions(file)
    assert (system.name, system.origin) == ("forest", str(file))
    assert read_predictions(str(file), name="trees")[0].name == "trees"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(FORMS["csv"])))
    assert read_predictions("-")[0].frame.rows() == ROWS.rows()


@in_turn(
    ("truth", "prediction"),
    [("y_true", "y_pred"), ("label", "predicted"), ("actual", "pred"), ("gold", "prediction"), ("Target", "Y Pred")],
)
def test_columns_are_known_by_the_names_that_people_give_them(truth: str, prediction: str) -> None:
    assert only(f"{truth},{prediction}\na,b\nb,b\n").frame.rows() == [("1", "a", "b"), ("2", "b", "b")]


def test_other_names_are_said() -> None:
    text = "k,what,guess,n\n7,a,b,2\n8,b,b,1\n"
    system = only(text, truth="what", prediction="guess", item="k", weight="n")
    assert system.frame.rows() == [("7", "a", "b", 2.0), ("8", "b", "b", 1.0)]
    with pytest.raises(
        ParameterError, match=r"p.csv: no column is called 'wat': there are k, what, .*did you mean what"
    ):
        read(text, truth="wat")


def test_scores_are_found_one_an_item_or_one_a_class() -> None:
    assert only("truth,probability\n1,0.5\n0,0.25\n").frame.rows() == [("1", 1, 0.5), ("2", 0, 0.25)]
    assert only("truth,pred,pred_prob\n1,1,0.5\n0,1,0.25\n").columns.columns == ["truth", "prediction", "score"]
    text = "truth,{0}_a,{0}_b,{0}_c\na,0.1,0.2,0.7\nb,0.3,0.3,0.4\n"
    for stem in ("score", "prob", "proba"):
        system = only(text.format(stem))
        assert (system.kind, list(system.class_scores)) == ("multiclass", ["a", "b", "c"])
    assert only(text.format("score").replace("_", ":")).class_scores["c"].to_list() == [0.7, 0.4]
    lines = (
        '{"truth": "a", "scores": {"a": 0.5, "b": 0.3, "c": 0.2}}\n{"truth": "b", "scores": {"a": 0, "b": 1, "c": 0}}'
    )
    assert only(lines).class_scores["b"].to_list() == [0.3, 1.0]
    two = "truth,score_ham,score_spam\nham,0.9,0.1\nspam,0.2,0.8\n"
    assert only(two, pos_label="spam").frame["score"].to_list() == [0.1, 0.8]


def test_systems_side_by_side_are_a_table_each() -> None:
    text = "id,truth,prediction_old,score_old,prediction_new,score_new\n1,a,a,0.1,b,0.2\n2,b,b,0.9,a,0.3\n"
    old, new = read(text, pos_label="b")
    assert (old.name, old.frame["score"].to_list()) == ("old", [0.1, 0.9])
    assert (new.name, new.frame["prediction"].to_list()) == ("new", ["b", "a"])
    assert [system.name for system in read(text, systems=["new"])] == ["new"]
    with pytest.raises(ParameterError, match="no system is called 'next': there are old, new"):
        read(text, systems=["next"])
    scores = "truth,score_old,score_new\n1,0.1,0.2\n0,0.9,0.3\n"
    assert [(one.name, one.frame["score"].to_list()) for one in read(scores)] == [
        ("old", [0.1, 0.9]),
        ("new", [0.2, 0.3]),
    ]
    classes = "truth,pred_x,score_x_a,score_x_b,score_x_c,pred_y\na,a,1,0,0,b\nb,a,0,1,0,b\nc,c,0,0,1,c\n"
    x, y = read(classes)
    assert (list(x.class_scores), y.class_scores) == (["a", "b", "c"], {})
    beside = "truth,prediction_x,prediction_x_score\n1,1,0.7\n0,0,0.2\n"
    assert only(beside).frame["score"].to_list() == [0.7, 0.2]


def test_a_column_of_systems_parts_the_rows() -> None:
    text = "system,id,truth,prediction\nA,1,x,x\nB,1,x,y\nA,2,y,y\nB,2,y,\n"
    with pytest.raises(FormatError, match=r"^p.csv:5: expected a value as prediction, got nothing"):
        read(text)
    a, b = read(text, nulls="drop")
    assert (a.name, a.frame.rows()) == ("A", [("1", "x", "x"), ("2", "y", "y")])
    assert (b.name, b.frame.rows()) == ("B", [("1", "x", "y")])


def test_cells_are_numbers_only_if_all_labels_are() -> None:
    assert only("truth,prediction\n10,9\n9,9\n").label_values == (9, 10)
    assert only("truth,prediction\n1.0,0.0\n0.0,0.0\n").label_values == (0, 1)
    assert only("truth,prediction\n01,02\n02,02\n").label_values == ("01", "02")
    assert only("truth,prediction\n1,one\n1,1\n").label_values == ("1", "one")
    old, new = read("truth,prediction_old,prediction_new\n1,1,x\n2,2,2\n")
    assert old.truth.dtype == new.truth.dtype == pl.String
    assert only("truth,prediction\n spam , ham\nham,ham \n").label_values == ("ham", "spam")


def test_several_labels_in_lists_in_cells_and_in_columns_of_0_and_1() -> None:
    expected = [["a", "b"], [], ["c"]], [["a"], ["b"], ["c"]]
    lines = "".join(
        json.dumps({"truth": one, "prediction": other}) + "\n" for one, other in zip(*expected, strict=True)
    )
    cells = "id,truth,prediction\n1,b; a,a\n2,,b\n3,c,c\n"
    columns = "truth_a,truth_b,truth_c,prediction_a,prediction_b,prediction_c\n1,1,0,1,0,0\n0,0,0,0,1,0\n0,0,1,0,0,1\n"
    frame = pl.DataFrame({"truth": expected[0], "prediction": expected[1]})
    for system in (only(lines), only(cells, list_separator=";"), only(columns), only(parquet(frame))):
        assert system.kind == "multilabel"
        assert system.frame["truth"].to_list() == expected[0]
        assert system.frame["prediction"].to_list() == expected[1]
    assert only(columns).labels == ("a", "b", "c")
    with pytest.raises(FormatError, match=r"^p.csv:3: expected 0 or 1 in prediction_b, got '2'"):
        read("truth_a,truth_b,prediction_a,prediction_b\n1,0,1,1\n0,1,0,2\n")


def test_a_quotation_mark_within_a_field_is_part_of_it() -> None:
    rows = only('id,truth,prediction\n27" screen,a,b\n"two\nlines",b,b\n').frame.rows()
    assert rows == [('27" screen', "a", "b"), ("two\nlines", "b", "b")]


@in_turn(
    ("text", "said", "says"),
    [
        ("", {}, r"^p.csv: expected a table with the columns `truth`.*\(there are no data in the file\)"),
        (
            "truth,prediction\n",
            {},
            r"^p.csv: expected a line or more below the header \(there are no data in the file\)",
        ),
        (b"[\x95\x00,b\n1,2\n", {}, r"^p.csv: expected text in UTF-8 \(byte 2 is 0x95\)"),
        ("a,b\n1,2\n", {}, "^p.csv:1: expected a table with the columns `truth`.*got 'a, b'"),
        ("truth,other\n1,2\n", {}, "^p.csv:1: expected a table with the columns `truth`, `prediction`"),
        ("truth prediction\na b\n", {}, "^p.csv:1: expected a table"),
        ("truth,truth\na,b\n", {}, "^p.csv:1: expected a name of its own for each column, got 'truth'"),
        ('truth,prediction\na,b\nc,"d\ne,f\n', {}, "^p.csv:3: expected fields quoted as in CSV, got 'c,\"d'"),
        ("truth,prediction\na,b\na\n", {}, "^p.csv:3: expected 2 fields, got 'a'"),
        ("truth,prediction\na,b,c\n", {}, "^p.csv:2: expected 2 fields, got 'a,b,c'"),
        (b"truth,prediction\na,b\n\xff,a\n", {}, "^p.csv:3: expected text in UTF-8"),
        ("truth,score\n1,0.5\n0,high\n", {}, "^p.csv:3: expected a finite number as score, got 'high'"),
        ("truth,score\n1,0.5\n0,nan\n", {}, "^p.csv:3: expected a finite number as score, got 'nan'"),
        ("truth,score\n1,-inf\n0,1\n", {}, "^p.csv:2: expected a finite number as score, got '-inf'"),
        ("truth,score\n1,\n0,1\n", {}, "^p.csv:2: expected a value as score, got nothing .1 null"),
        ("truth,prediction\na,b\n\n,b\n", {}, "^p.csv:4: expected a value as truth, got nothing .*nulls='drop'"),
        ('truth,prediction,text\na,b,"x\ny"\na,,z\n', {}, "^p.csv:4: expected a value as prediction"),
        ("truth,prediction,weight\n1,0,-1\n", {}, "^p.csv:2: expected a weight from 0 on, got '-1.0'"),
        (
            "truth,prediction\na,b\nb,z\n",
            {"labels": ["a", "b"]},
            "^p.csv:3: expected a label of a, b as prediction, got 'z'",
        ),
        (
            '{"truth": 1, "prediction": 1}\n{"truth": "a", "prediction": 1}\n',
            {},
            "^p.csv:2: expected a whole number in truth, as above, got 'a'",
        ),
        (
            '{"truth": "a", "prediction": "b"}\n{"truth": ["a"], "prediction": "b"}\n',
            {},
            "^p.csv:2: expected text in truth, as above",
        ),
        ('{"truth": 1, "prediction": 1}\n{"truth": 1, ', {}, "^p.csv:2: expected a JSON object"),
        (
            '{"truth": [1, 2], "prediction": [1]}\n{"truth": null, "prediction": [1]}\n',
            {},
            "^p.csv:2: expected a value as truth",
        ),
        ("[1, 2]", {}, "^p.csv: expected a JSON object"),
        ("truth,prediction\na,b\n", {"list_separator": ""}, "list_separator is a text of one character or more"),
        (FORMS["parquet"][:-20], {}, "^p.csv: expected an intact Parquet or Arrow file"),
        (FORMS["gz"][:-8], {}, "^p.csv: expected an intact compressed file"),
        ("truth,prediction_a,prediction_b\n1,1,1\n", {"score": ["truth"]}, "2 columns of predictions, and 1 of scores"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_line(text: str | bytes, said: dict[str, Any], says: str) -> None:
    with pytest.raises(AssayError, match=says) as caught:
        read(text, **said)
    assert "\n" not in str(caught.value)


@in_turn(
    "given",
    [
        named("q1 Q0 d1 1 0.5 tag\n"),
        named("query_id,doc_id,score\nq,d,1\n"),
        named("query_id,doc_id,label,score\nq,d,1,1\n"),
        named("q1 0 d1 1\n"),
        named(""),
        named('{"q1": {"d1": 1}}'),
        named(b"\x00\xff\x00"),
        named(b"PAR1 but not really"),
        named("system,measure,unit,value\na,AP,1,0.5\n"),
        named("bm25,dense\n0.5,0.75\n"),
        named(gzip.compress(b"x", mtime=0)[:5]),
        named("type,truth\nx,y\n"),
        "no/such/file.csv",
        "-",
        {"q": {"d": 1}},
        None,
        3,
        Path(),
    ],
)
def test_what_is_something_else_is_no_table_of_predictions_and_raises_nothing(given: Any) -> None:
    assert kind_of(names_in_any(given)) != "predictions"


def test_a_ready_matrix_has_its_labels_and_true_labels_as_rows() -> None:
    upright = "truth,cat,dog\ncat,5,2\ndog,1,7\n"
    assert read_matrix(named(upright)).table.tolist() == [[5, 2], [1, 7]]
    turned = "prediction,true dog,true cat\ncat,1,5\ndog,7,2\n"
    labels, table = read_matrix(named(turned))
    assert (labels, table.tolist()) == (("cat", "dog"), [[5, 2], [1, 7]])
    bare = "\tcat\tdog\ncat\t5\t1\ndog\t2\t7\n"
    assert read_matrix(named(bare), orientation="rows_are_predicted").table.tolist() == [[5, 2], [1, 7]]
    assert read_matrix(named(bare)).table.dtype == np.int64


@in_turn(
    ("text", "says"),
    [
        ("truth,a,b\na,1,2\nc,3,4\n", "^p.csv:3: expected each label of the header once, a, b, got 'c'"),
        ("truth,a,b\na,1,2\na,3,4\n", "^p.csv:2: expected each label of the header once"),
        ("truth,a,b\na,1,2\n", "also for b"),
        ("truth,a,b\na,1,x\nb,1,2\n", "^p.csv:2: expected a finite number as a count, got 'x'"),
        ("truth,a,b\na,1,2.5\nb,1,2\n", "^p.csv:2: expected a whole number from 0 on, got '2.5'"),
        ("truth,a,b\na,1,-1\nb,1,2\n", "^p.csv:2: expected a whole number from 0 on, got '-1'"),
        ("truth,a,b\na,1\nb,1,2\n", "^p.csv:2: expected 3 fields"),
    ],
)
def test_a_matrix_that_is_none_is_refused(text: str, says: str) -> None:
    with pytest.raises(FormatError, match=says):
        read_matrix(named(text))
    with pytest.raises(FormatError, match=r"^p.csv:1: expected rows_are_predicted, as stated, got 'truth'"):
        read_matrix(named("truth,a\na,1\n"), orientation="rows_are_predicted")


@in_turn(
    ("header", "says"),
    [
        ("truth_x,truth_y,pred_x,pred_y,pred_z", "got 'pred_z' (no column truth_z goes with it)"),
        ("truth_x,truth_y,prediction_x", "for each label of the truth, x, y (there is none for y)"),
    ],
)  # fmt: skip
def test_columns_of_labels_that_do_not_match_are_refused(header: str, says: str) -> None:
    cells = ",".join("1" * len(header.split(",")))
    with pytest.raises(FormatError) as caught:
        read_predictions(named(f"{header}\n{cells}\n"))
    assert says in str(caught.value)


def test_true_and_false_beside_0_and_1_are_numbers_as_in_arrays() -> None:
    (mixed,) = read_predictions(named("truth,prediction\nTrue,1\nfalse,0\n"))
    assert mixed.columns.rows() == [(1, 1), (0, 0)]
    (words,) = read_predictions(named("truth,prediction\ntrue,true\nfalse,true\n"))
    assert words.label_values == ("false", "true")
    (others,) = read_predictions(named("truth,prediction\ntrue,2\nfalse,1\n"))
    assert others.label_values == ("1", "2", "false", "true")


def test_whole_scores_of_a_file_keep_their_order() -> None:
    (found,) = read_predictions(named("truth,score\n1,9007199254740993\n0,9007199254740992\n"))
    assert found.columns["score"].to_list() == [9007199254740993, 9007199254740992]


@in_turn(
    ("header", "says"),
    [
        ("id,label,prediction,target", ["the truth is read from the column 'target', not from label"]),
        ("truth,prediction,score,confidence", ["the score is read from the column 'score', not from confidence"]),
        ("truth,prediction,predicted_label", ["the prediction is read from the column 'prediction', not from"]),
        ("item_id,truth,prediction,weight,score", []), ("truth,prediction_a,prediction_b,score_a,score_b", []),
    ],
)  # fmt: skip
def test_a_column_that_was_left_aside_is_told(header: str, says: list[str]) -> None:
    cells = ",".join("1" * len(header.split(",")))
    (found, *_) = read_predictions(named(f"{header}\n{cells}\n{cells.replace('1', '0')}\n"))
    assert len(found.warnings) == len(says)
    assert all(words in told for words, told in zip(says, found.warnings, strict=True))
    (stated, *_) = read_predictions(named("id,label,prediction,target\n1,a,b,b\n"), truth="label")
    assert not [told for told in stated.warnings if "read from" in told]


def test_a_file_in_utf_16_or_without_a_name_is_told_as_such() -> None:
    with pytest.raises(FormatError, match=r"^p.csv:1: expected text in UTF-8, got 'UTF-16'"):
        read_predictions(Source(io.BytesIO("truth,prediction\n1,0\n".encode("utf-16")), name="p.csv"))
    with pytest.raises(AssayError, match="expected the name of a file, got an empty one"):
        read_matrix("")


@in_turn("form", ["csv", "parquet"])
def test_fractions_that_no_item_has_as_its_label_are_scores_not_predictions(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"risk.{form}"
    table = pl.DataFrame({"truth": [1, 0, 1], "prediction": [0.0, 0.25, 0.75]})
    table.write_csv(path) if form == "csv" else table.write_parquet(path)
    with pytest.raises(FormatError, match=r"expected a label in prediction, got '0\.25' \(score='prediction' takes"):
        read_predictions(path)
    (scored,) = read_predictions(path, score="prediction")  # which then is no prediction as well
    assert scored.prediction is None
    assert scored.score is not None
    assert scored.score.to_list() == [0.0, 0.25, 0.75]


def test_fractions_that_are_true_labels_are_labels() -> None:
    (stars,) = read_predictions(io.StringIO("truth,prediction\n3.5,3.5\n4.0,4.5\n"))
    assert stars.truth.to_list() == ["3.5", "4.0"]
    (versions,) = read_predictions(io.StringIO("truth,prediction\n1.5.2,1.5.3\n1.5.1,1.5.2\n"))
    assert versions.label_values == ("1.5.1", "1.5.2", "1.5.3")
