"""Predictions with a fold column: files, frames in memory, the command line, what is wrong with them."""

from __future__ import annotations

import csv
import io
import json
import math
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import invoke
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

import assay
from assay import AssayError, InputError, Predictions, classify, crossval
from assay.subjects.labels.crossvalidation.folded_predictions import folded
from assay.subjects.labels.inputs import against_rest

FOLDS = Path(assay.__file__).parent / "data" / "letters" / "folds.csv"


def called(*words: object) -> Any:
    return invoke(["classifier", "crossval", *map(str, words)])


def written(folder: Path, text: str) -> Path:
    path = folder / "said.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_numbers_of_a_file_are_those_of_its_rows_taken_by_hand() -> None:
    rows = pl.read_csv(FOLDS)
    found = crossval(FOLDS, pos_label="spam", measures=["F", "AUC"])
    for name in ("bayes", "nearest"):
        for side, values in (("test", found.values), ("train", found.train_values)):
            for fold in range(1, 6):
                own = rows.filter(fold=fold, split=side)
                truth = (own["truth"] == "spam").to_numpy()
                f1 = metrics.f1_score(truth, (own[f"prediction_{name}"] == "spam").to_numpy())
                assert values("F", name)[fold - 1] == pytest.approx(f1)
                area = metrics.roc_auc_score(truth, own[f"score_{name}"].to_numpy())
                assert values("AUC", name)[fold - 1] == pytest.approx(area)
        tested = rows.filter(split="test")
        area = metrics.roc_auc_score((tested["truth"] == "spam").to_numpy(), tested[f"score_{name}"].to_numpy())
        assert found.pooled("AUC", name) == pytest.approx(area)
    assert [tuple(one) for one in found.folds] == [(1, fold, 80, 20) for fold in range(1, 6)]
    assert not found.warnings


def test_the_bundled_file_is_what_the_script_makes(tmp_path: Path) -> None:
    script = Path(__file__).parents[1] / "scripts" / "make_folds.py"
    subprocess.run([sys.executable, script, tmp_path], check=True)
    assert (tmp_path / "folds.csv").read_bytes() == FOLDS.read_bytes()


@settings(deadline=None, max_examples=16)
@given(data=st.data())
def test_folds_pooled_are_the_whole_and_means_are_those_of_parts(data: st.DataObject) -> None:
    size = data.draw(st.integers(4, 30))
    flags = st.lists(st.integers(0, 1), min_size=size, max_size=size)
    truth, said = data.draw(flags), data.draw(flags)
    fold = data.draw(st.lists(st.integers(1, 4), min_size=size, max_size=size).filter(lambda each: len(set(each)) > 1))
    found = crossval(Predictions.of(truth, said), fold=fold, measures=["Accuracy", "Precision"])
    names = sorted(set(fold))
    right = [np.mean([t == s for t, s, f in zip(truth, said, fold, strict=True) if f == own]) for own in names]
    assert found.values("Accuracy") == pytest.approx(right)
    assert found.mean("Accuracy") == pytest.approx(np.mean(right))
    assert found.pooled("Accuracy") == pytest.approx(np.mean(np.array(truth) == said))
    whole = classify(Predictions.of(truth, said), "Precision").value()
    assert found.pooled("Precision") == pytest.approx(whole, nan_ok=True)
    assert sum(one.test_items for one in found.folds) == size
    assert all(one.test_items + one.train_items == size for one in found.folds)


def test_repeats_are_pooled_one_by_one() -> None:
    truth, said = [1, 0, 1, 0] * 2, [1, 0, 0, 0, 1, 1, 1, 0]
    items = ["a", "b", "c", "d"] * 2
    found = crossval(
        Predictions.of(truth, said, item_id=items),
        fold=[1, 1, 2, 2] * 2,
        repeat=[1] * 4 + [2] * 4,
        measures="Precision",
    )
    assert found.repeats == 2
    assert found.pooled() == pytest.approx((1 / 1 + 2 / 3) / 2)
    assert found.values().tolist()[2:] == [0.5, 1.0]
    assert math.isnan(found.values()[1])
    assert "Precision is undefined in 1 of 4 folds: " in str(found)
    assert found.predictions(repeat=2).item_id.to_list() == ["a", "b", "c", "d"]
    assert not found.warnings


def test_folds_come_in_the_order_of_their_numbers_or_names() -> None:
    said = Predictions.of([0, 1] * 11, [0, 1] * 11)
    found = crossval(said, fold=[f for f in range(11, 0, -1) for _ in "ab"], measures="Accuracy")
    assert [one.fold for one in found.folds] == list(range(1, 12))
    text = io.StringIO("truth,prediction,fold\n" + "".join(f"{n % 2},0,{n // 2}.0\n" for n in range(4, 24)))
    assert [one.fold for one in crossval(text, measures="Accuracy").folds] == list(range(2, 12))
    halves = crossval(said, fold=["1.5", "10.5"] * 11, measures="Accuracy")
    assert [one.fold for one in halves.folds] == ["1.5", "10.5"]
    named = crossval(said, fold=["west", "east"] * 11, measures="Accuracy")
    assert [one.fold for one in named.folds] == ["east", "west"]


def test_the_same_item_or_group_in_two_folds_is_pointed_out() -> None:
    said = Predictions.of([0, 1, 0, 1], [0, 1, 1, 1], item_id=["a", "b", "a", "c"])
    found = crossval(said, fold=[1, 1, 2, 2], measures="Accuracy")
    assert "leak: 2 of 4 items are tested by a model that has learned from a row with the same id" in found.warnings[0]
    plain = Predictions.of([0, 1, 0, 1], [0, 1, 1, 1])
    grouped = crossval(plain, fold=[1, 1, 2, 2], groups=["x", "y", "x", "z"], measures="Accuracy")
    assert "2 of 4 items are tested by a model that has learned from their group" in grouped.warnings[0]
    assert not crossval(plain, fold=[1, 1, 2, 2], groups=["x", "x", "y", "z"], measures="Accuracy").warnings


def test_learning_from_later_rows_is_pointed_out_where_rows_say_what_was_learned_from() -> None:
    columns: dict[str, Any] = {"fold": [1, 1, 1, 1, 2, 2, 2, 2], "split": ["train", "train", "test", "test"] * 2}
    said = Predictions.of([0, 1] * 4, [0, 1] * 4)
    fine = crossval(said, **columns, time=[1, 2, 3, 4, 1, 3, 5, 6], measures="Accuracy")
    assert not [one for one in fine.warnings if "later" in one]
    early = crossval(said, **columns, time=[1, 9, 3, 4, 1, 3, 5, 6], measures="Accuracy")
    assert "in 1 of 2 folds a model has learned from items of a later time" in early.warnings[0]


def test_one_class_of_several_and_several_labels_an_item_work_too() -> None:
    said = Predictions.of(["a", "b", "c", "a", "b", "c"], ["a", "b", "b", "a", "c", "c"])
    found = crossval(against_rest(said, "b"), fold=[1, 1, 1, 2, 2, 2], measures="Recall")
    assert found.values().tolist() == [1.0, 0.0]
    several = Predictions.of([["a"], ["a", "b"], ["b"], []], [["a"], ["a"], ["b"], ["b"]])
    found = crossval(several, fold=[1, 1, 2, 2])
    assert found.pooled("ExactMatch") == 0.5
    assert found.mean("ExactMatch") == 0.5
    one = crossval(against_rest(several, "b"), fold=[1, 1, 2, 2], measures="Recall")
    assert one.values().tolist() == [0.0, 1.0]


@in_turn(
    ("text", "words", "says"),
    [
        ("truth,prediction\n1,1\n0,1\n", [], "expected a column that says in which fold"),
        ("truth,prediction,fold\n1,1,1\n0,1,1\n", [], "expected several folds, got one (1)"),
        ("truth,prediction,fold\n1,1,1\n0,1,\n", [], "said.csv:3: expected a value as fold, got nothing"),
        ("truth,prediction,part\n1,1,1\n0,1,2\n", ["--fold", "pat"], "no column is called 'pat'"),
        ("truth,prediction,part\n1,1,1\n0,1,2\n", ["--fold", "pat"], "did you mean part?"),
        (
            "truth,prediction,fold,split\n1,1,1,test\n0,1,2,dev\n",
            [],
            "said.csv:3: expected train or test as split, got 'dev'",
        ),
        (
            "truth,prediction,fold,time\n1,1,1,2024-05-31\n0,1,2,31/05/2024\n",
            [],
            "said.csv:3: expected a number or a date such as 2024-05-31 as time, got '31/05/2024'",
        ),
        ("truth,prediction,fold,split\n1,1,1,train\n0,1,2,train\n", [], "all rows are training rows"),
        (
            "truth,prediction,fold,split\n1,1,1,train\n0,1,1,test\n1,1,2,test\n",
            [],
            "expected training rows of every fold, got none of fold 2",
        ),
        ("truth,prediction,fold\nham,ham,1\nspam,ham,2\n", [], "positive"),
        ("fold\n1\n", [], "expected a table with the columns `truth`"),
        ("", [], "said.csv"),
    ],
)
def test_a_bad_file_gets_one_clear_line(tmp_path: Path, text: str, words: list[str], says: str) -> None:
    path = written(tmp_path, text)
    out = tmp_path / "out.json"
    done = called(path, *words, "--json", "-o", out)
    assert isinstance(done.exception, AssayError)
    assert says in str(done.exception)
    assert "\n" not in str(done.exception)
    assert not out.exists()


@settings(deadline=None, max_examples=60)
@given(
    cells=st.lists(
        st.tuples(*[st.sampled_from(["0", "1", "2", "", "x", "train", "test", "-1", "1.5", "nan", '"'])] * 5),
        max_size=6,
    ),
    header=st.permutations(["truth", "prediction", "fold", "split", "repeat"]),
)
def test_whatever_a_file_holds_ends_in_a_result_or_one_line(cells: list[tuple[str, ...]], header: list[str]) -> None:
    text = io.StringIO()
    csv.writer(text).writerows([header, *cells])
    said = ""
    try:
        mean = crossval(io.StringIO(text.getvalue()), measures="Accuracy").mean()
    except AssayError as problem:
        mean, said = 0.0, str(problem)
    assert 0 <= mean <= 1
    assert "\n" not in said


def test_folds_that_hold_all_items_of_a_label_are_pointed_out() -> None:
    truth = ["ham"] * 4 + ["spam"] * 4
    given = Predictions.of(truth, truth, pos_label="spam")
    found = crossval(given, fold=[1] * 4 + [2] * 4, measures="Accuracy")
    assert "in 2 of 2 folds a label is missing from the training items: fold 1 has none of ham" in found.warnings[0]
    assert "; this assumes that each fold learned from all others" in found.warnings[0]
    assert not crossval(given, fold=[1, 2] * 4, measures="Accuracy").warnings
    sides = crossval(given, fold=[1] * 4 + [2] * 4, split=["test", "train"] * 4, measures="Accuracy").warnings
    assert "fold 1 has none of spam" in sides[0]
    several = Predictions.of([["a"], ["b"]], [["a"], []])
    assert not crossval(several, fold=[1, 2], measures="ExactMatch").warnings


def test_many_folds_take_little_memory() -> None:
    given = Predictions.of(np.arange(2000) % 2, np.arange(2000) % 2).columns.with_columns(
        fold=pl.arange(2000).cast(str)
    )
    folded(replace(Predictions.of([0, 1], [0, 1]), columns=given[:100]))  # what is loaded at first does not count
    tracemalloc.start()
    found = folded(replace(Predictions.of([0, 1], [0, 1]), columns=given))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 8_000_000  # all rows learned from, fold by fold, would be 32 MB
    assert [one.train_items for one in found.folds] == [1999] * 2000


def test_systems_with_other_folds_cannot_stand_side_by_side() -> None:
    one, other = (Predictions.of([0, 1, 0, 1], [0, 1, 1, 1], name=name) for name in ("one", "other"))
    first = crossval(one, fold=[1, 1, 2, 2]).predictions()
    second = crossval(other, fold=[1, 2, 3, 3]).predictions()
    with pytest.raises(InputError, match="one and other have different folds"):
        crossval([first, second])
    swapped = crossval(other, fold=[1, 2, 1, 2]).predictions()
    said = crossval([first, swapped]).warnings
    assert any("do not have the same items" in one for one in said)


def test_the_command_shows_both_numbers_side_by_side() -> None:
    done = called(FOLDS, "--positive", "spam", "-m", "F1", "-m", "AUC", "--per-fold")
    assert done.exit_code == 0
    assert "mean of folds" in done.stdout
    assert "pooled" in done.stdout
    assert "bayes: each fold" in done.stdout
    assert "500 rows, systems bayes, nearest" in done.stderr
    assert "Optimism: how much better" in done.stdout


def test_the_command_writes_every_form(tmp_path: Path) -> None:
    base = [FOLDS, "--positive", "spam", "-m", "F1", "--system", "bayes"]
    found = crossval(FOLDS, pos_label="spam", measures="F")
    told = json.loads(called(*base, "--json").stdout)["sections"]
    assert told["measures"]["measures"][0]["mean_of_folds"] == found.mean("F", "bayes")
    assert told["folds"]["values"][0]["train"] == found.train_values("F", "bayes")[0]
    rows = list(csv.DictReader(io.StringIO(called(*base, "--csv").stdout)))
    assert float(rows[0]["pooled"]) == found.pooled("F", "bayes")
    assert "| F1 |" in called(*base, "--markdown").stdout
    assert "\\toprule" in called(*base, "--latex").stdout
    out = tmp_path / "folds.md"
    assert called(*base, "--markdown", "-o", out, "--quiet").stdout == ""
    assert "mean of folds" in out.read_text(encoding="utf-8")


def test_columns_are_found_by_what_they_are_said_to_be(tmp_path: Path) -> None:
    rows = ((1, 1, "a", "x"), (0, 1, "a", "y"), (1, 0, "b", "x"))
    lines = [f"{truth},{said},{part},{again},{who}\n" for again in (1, 2) for truth, said, part, who in rows]
    path = written(tmp_path, "gold,guess,part,round,who\n" + "".join(lines))
    words = ["--truth", "gold", "--prediction", "guess", "--fold", "part", "--repeat", "round", "--group", "who"]
    done = called(path, *words, "-m", "Accuracy", "--json")
    told = json.loads(done.stdout)["sections"]["folds"]
    assert [(one["repeat"], one["fold"]) for one in told["folds"]] == [(1, "a"), (1, "b"), (2, "a"), (2, "b")]
    assert "learned from their group" in done.stderr
    assert "in 2 of 4 folds a label is missing from the training items: fold a has none of 0" in done.stderr
    assert done.stderr.count("warning") == 2


def test_training_rows_are_told_where_folds_are_read_as_plain_predictions() -> None:
    """A classifier is better on what it learned from: here 0.804 against 0.71."""
    whole = classify(FOLDS, "Accuracy", pos_label="spam")
    assert whole.value("Accuracy", "bayes") == pytest.approx(0.804)
    says = "bayes: 400 of 500 rows are training rows by the column 'split', and count like tested ones"
    assert any(warning.startswith(says) for warning in whole.warnings)
    assert "training rows" in invoke(["classifier", "evaluate", str(FOLDS), "--positive", "spam"]).output
    assert not crossval(FOLDS, pos_label="spam").warnings
    tested = pl.read_csv(FOLDS).filter(split="test")
    assert not classify(tested, "Accuracy", pos_label="spam").warnings


@in_turn("cells", [["train", "dev", "test"], [1, 2, 3], [["train"], ["test"], ["test"]]])
def test_a_column_that_is_called_split_may_be_about_anything(cells: list[Any]) -> None:
    frame = pl.DataFrame({"truth": [0, 1, 1], "prediction": [0, 1, 0], "split": cells})
    assert not classify(frame, "Accuracy").warnings
