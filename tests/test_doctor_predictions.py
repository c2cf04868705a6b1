"""The doctor on predictions: each check finds what it is for, and nothing in what is sound."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import invoke
from hypothesis import given
from hypothesis import strategies as st
from strategies import quickly

from assay import AssayError, Diagnosis, ParameterError, Predictions, doctor
from assay.cli.output import Options
from assay.core.errors import speaking
from assay.subjects.labels.checks.items import VERY_LOW, doubtful
from assay.verbs.diagnosis.examination import CheckFinding, checks

ROOT = Path(__file__).parents[1]
LETTERS = ROOT / "src" / "assay" / "data" / "letters"


def sound(items: int = 200, seed: int = 1) -> pl.DataFrame:
    """Calibrated scores of two labels, predictions at 0.5, a text of its own for each item."""
    rng = np.random.default_rng(seed)
    score = rng.beta(1.2, 1.2, items).round(4)
    truth = np.where(rng.random(items) < score, "spam", "ham")
    return pl.DataFrame(
        {
            "item_id": [f"m{number}" for number in range(items)],
            "truth": truth,
            "prediction": np.where(score >= 0.5, "spam", "ham"),
            "score": score,
            "text": [f"letter number {number}" for number in range(items)],
        }
    )


def several(items: int = 300, seed: int = 2) -> pl.DataFrame:
    """Calibrated probabilities of three labels."""
    rng = np.random.default_rng(seed)
    table = rng.dirichlet([0.5, 0.5, 0.5], items)
    truth = [rng.choice(["a", "b", "c"], p=row) for row in table]
    scores = {f"score_{label}": table[:, place] for place, label in enumerate("abc")}
    best = [["a", "b", "c"][place] for place in table.argmax(axis=1)]
    return pl.DataFrame({"item_id": [f"i{n}" for n in range(items)], "truth": truth, "prediction": best} | scores)


def written(folder: Path, frame: pl.DataFrame, name: str = "p.csv") -> str:
    path = folder / name
    frame.write_csv(path)
    return str(path)


def examined(folder: Path, frame: pl.DataFrame) -> Diagnosis:
    return doctor(written(folder, frame))


def found_in(diagnosis: Diagnosis) -> set[tuple[str, str]]:
    return {(finding.check, finding.severity) for finding in diagnosis.findings if finding.check != "label-noise"}


def the(diagnosis: Diagnosis, check: str) -> CheckFinding:
    [finding] = [one for one in diagnosis.findings if one.check == check]
    return finding


Change = Callable[[pl.DataFrame], pl.DataFrame]


def at(column: str, row: int, value: object) -> Change:
    """The table with one cell changed."""

    def change(frame: pl.DataFrame) -> pl.DataFrame:
        where = pl.int_range(pl.len()) == row
        return frame.with_columns(pl.when(where).then(pl.lit(value)).otherwise(pl.col(column)).alias(column))

    return change


OTHER = {"ham": "spam", "spam": "ham"}


def predicted(positive: pl.Expr) -> pl.Expr:
    return pl.when(positive).then(pl.lit("spam")).otherwise(pl.lit("ham"))


CASES: dict[str, tuple[Change, str, str, int | None]] = {
    "no truth": (at("truth", 6, None), "absent-truth", "error", 8),
    "no prediction": (at("prediction", 6, None), "absent-predictions", "error", 8),
    "another case": (at("prediction", 6, "Spam"), "label-spelling", "error", None),
    "a dash": (
        lambda frame: frame.with_columns(
            pl.col("truth").replace("ham", "not_spam"), pl.col("prediction").replace("ham", "not-spam")
        ),
        "label-spelling", "error", None,
    ),
    "a new label": (at("prediction", 6, "eggs"), "unseen-labels", "warning", None),
    "always ham": (lambda frame: frame.with_columns(prediction=pl.lit("ham")), "constant-prediction", "warning", None),
    "no score": (at("score", 6, None), "absent-scores", "error", 8),
    "nan": (at("score", 6, float("nan")), "absent-scores", "error", 8),
    "infinite": (at("score", 6, float("inf")), "absent-scores", "error", 8),
    "logits": (lambda frame: frame.with_columns(pl.col("score") * 8 - 4), "score-range", "note", None),
    "one score": (lambda frame: frame.with_columns(score=pl.lit(0.5)), "constant-score", "warning", None),
    "another prediction": (
        lambda frame: frame.with_columns(
            prediction=pl.when(pl.col("score") == frame["score"].max()).then(pl.lit("ham")).otherwise("prediction")
        ),
        "score-conflict", "warning", None,
    ),
    "turned round": (
        lambda frame: frame.with_columns(1 - pl.col("score"), prediction=predicted(pl.col("score") < 0.5)),
        "reversed-scores", "warning", None,
    ),
    "the truth as score": (
        lambda frame: frame.with_columns(score=(pl.col("truth") == "spam").cast(pl.Float64), prediction="truth"),
        "separation", "warning", None,
    ),
    "the same id": (
        lambda frame: pl.concat([frame, frame.head(1).with_columns(text=pl.lit("another"))]),
        "item-ids", "warning", 202,
    ),
    "the same id, another truth": (
        lambda frame: pl.concat(
            [frame, frame.head(1).with_columns(pl.col("truth").replace(OTHER), text=pl.lit("another"))]
        ),
        "item-ids", "error", 202,
    ),
    "a copy": (
        lambda frame: at("text", 9, "letter number 8")(frame.with_columns(truth=pl.lit("ham"))),
        "same-items", "note", 10,
    ),
}  # fmt: skip


@in_turn("case", CASES)
def test_each_check_finds_what_it_is_for(tmp_path: Path, case: str) -> None:
    change, check, severity, line = CASES[case]
    found = examined(tmp_path, change(sound()))
    finding = the(found, check)
    assert finding.severity == severity
    assert finding.count >= 1
    if line is not None:
        assert finding.examples[0].line == line


def test_sound_predictions_have_nothing(tmp_path: Path) -> None:
    assert found_in(examined(tmp_path, sound())) == set()
    assert found_in(examined(tmp_path, several())) == set()
    assert found_in(doctor(Predictions.of(["a", "b"] * 40, ["a", "b"] * 39 + ["b", "a"]))) == set()


def test_copies_with_another_truth_are_a_warning(tmp_path: Path) -> None:
    frame = sound().with_columns(text=pl.lit("alike"))
    finding = the(examined(tmp_path, frame), "same-items")
    assert (finding.severity, finding.count) == ("warning", 200)
    assert "but different true labels (1 group)" in finding.says


def test_what_each_item_has_for_itself_hides_no_copies(tmp_path: Path) -> None:
    """A date beside the text makes no other item of a copy; nor do case and blanks."""
    text = [f"letter number {n // 2}" for n in range(200)]
    text[1] = "  Letter NUMBER 0 "
    frame = sound().with_columns(text=pl.Series(text), date=pl.Series([f"2024-01-01 {n}" for n in range(200)]))
    diagnosis = examined(tmp_path, frame)
    copies = [one for one in diagnosis.findings if one.check == "same-items"]
    assert sum(one.count for one in copies) == 200
    assert all("with the same 'text' as another" in one.says for one in copies)
    train = sound().select("text").with_columns(date=pl.lit("2023-01-01 0")).head(50)
    leaked = the(doctor(written(tmp_path, frame), train=train), "trained-items")
    assert leaked.count == 100
    assert "with the same 'text'" in leaked.says


def test_columns_of_a_few_words_are_no_texts(tmp_path: Path) -> None:
    places = pl.Series(["New York", "San Jose"] * 100)
    assert not found_in(examined(tmp_path, sound().drop("text").with_columns(place=places, age=pl.arange(200))))
    assert not found_in(examined(tmp_path, sound().with_columns(place=places)))


def test_predictions_that_point_the_wrong_way(tmp_path: Path) -> None:
    turned = pl.when(pl.col("prediction") == "ham").then(pl.lit("spam")).otherwise(pl.lit("ham"))
    frame = sound().with_columns(prediction=turned).drop("score")
    assert found_in(examined(tmp_path, frame)) == {("reversed-predictions", "warning")}
    assert not found_in(examined(tmp_path, sound().drop("score")))


@in_turn("one", ["1.0", "true", "True"])
def test_labels_are_told_apart_as_the_reader_does(tmp_path: Path, one: str) -> None:
    zero = {"1.0": "0.0", "true": "false", "True": "False"}[one]
    frame = sound().drop("score")
    spam = pl.col("truth") == "spam", pl.col("prediction") == "spam"
    frame = frame.with_columns(
        truth=pl.when(spam[0]).then(pl.lit(one)).otherwise(pl.lit(zero)),
        prediction=pl.when(spam[1]).then(pl.lit("1")).otherwise(pl.lit("0")),
    )
    assert not found_in(examined(tmp_path, frame))


def test_truth_and_predictions_without_a_label_in_common_are_an_error(tmp_path: Path) -> None:
    frame = sound().drop("score").with_columns(pl.col("prediction").replace({"spam": "1", "ham": "0"}))
    finding = the(examined(tmp_path, frame), "unseen-labels")
    assert (finding.severity, finding.says) == (
        "error",
        "no predicted label is a true one: 0, 1 predicted, ham, spam true",
    )


def test_a_line_that_cannot_be_read_is_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("item_id,truth,prediction\na,1,1\nb,1\n", encoding="utf-8")
    finding = the(doctor(str(tmp_path / "p.csv")), "unreadable")
    assert finding.says == "line 3: expected 3 fields, got 'b,1'"
    assert "fix the line" in finding.advice


@in_turn(
    ("content", "message"),
    [
        (None, "p.csv: cannot be read: no such file or directory"),
        ("", "there are no data"),
        (
            "item_id,truth\na,1\n",
            "give it columns `truth` and `prediction` or `score`",
        ),
    ],
)
def test_a_file_alone_that_holds_no_predictions_is_named(tmp_path: Path, content: str | None, message: str) -> None:
    path = tmp_path / "p.csv"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    done = invoke(["classifier", "doctor", str(path)])
    assert message in (str(done.exception) if done.exception is not None else done.output)


def test_rare_labels(tmp_path: Path) -> None:
    def with_rare(rare: int) -> pl.DataFrame:
        return pl.DataFrame(
            {"truth": ["common"] * (1000 - rare) + ["rare"] * rare, "prediction": ["common", "rare"] * 500}
        )

    assert the(examined(tmp_path, with_rare(5)), "imbalance").severity == "warning"
    finding = the(examined(tmp_path, with_rare(50)), "imbalance")
    assert (finding.severity, "accuracy of 95.0%" in finding.says) == ("note", True)
    assert "imbalance" not in {one.check for one in examined(tmp_path, with_rare(200)).findings}
    assert the(examined(tmp_path, with_rare(5)), "tiny-classes").details == ({"label": "rare", "items": 5},)
    alone = pl.DataFrame({"truth": ["a"] * 9, "prediction": ["a", "b", "a"] * 3})
    assert "no other to compare it with" in the(examined(tmp_path, alone), "tiny-classes").says


def test_signs_of_numbers_are_no_marks(tmp_path: Path) -> None:
    frame = pl.DataFrame({"truth": [-2, 2, 0] * 20, "prediction": [2, -2, 0] * 20})
    assert found_in(examined(tmp_path, frame)) == set()


def test_lines_are_right_where_a_row_has_several(tmp_path: Path) -> None:
    """A cell with a line break in it, and an empty line."""
    path = tmp_path / "p.csv"
    path.write_text('truth,prediction,text\na,b,"two\nlines"\nb,a,x\n\n,a,y\na,a,z\n', encoding="utf-8")
    assert the(doctor(str(path)), "absent-truth").examples[0].line == 6


def test_a_label_that_is_never_predicted_is_a_note(tmp_path: Path) -> None:
    frame = pl.DataFrame({"truth": ["a", "b", "c"] * 20, "prediction": ["a", "b", "a"] * 20})
    assert the(examined(tmp_path, frame), "unseen-labels").severity == "note"


def test_scores_of_classes(tmp_path: Path) -> None:
    wrong = several().with_columns(prediction=pl.lit("a"))
    finding = the(examined(tmp_path, wrong), "score-conflict")
    expected = int((several()["prediction"] != "a").sum())
    assert (finding.severity, finding.count) == ("warning", expected)
    doubled = several().with_columns(pl.col("score_a") * 2)
    assert "do not add up to 1" in the(examined(tmp_path, doubled), "score-range").says


def test_the_doctor_goes_on_where_the_reader_stops(tmp_path: Path) -> None:
    """Absent labels and bad scores are told together, with the lines."""
    frame = at("score", 3, float("nan"))(at("truth", 1, None)(sound()))
    checks_found = {finding.check: finding.examples[0].line for finding in examined(tmp_path, frame).of("error")}
    assert checks_found == {"absent-truth": 3, "absent-scores": 5}


def test_a_file_that_holds_no_predictions_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("truth,colour\na,b\n", encoding="utf-8")
    [finding] = doctor(str(path)).findings
    assert (finding.check, finding.severity) == ("unreadable", "error")
    (tmp_path / "empty.csv").write_text("", encoding="utf-8")
    assert the(doctor(str(tmp_path / "empty.csv")), "unreadable").severity == "error"
    with pytest.raises(AssayError, match="no such file"):
        doctor(str(tmp_path / "nowhere.csv"))


# Label noise


def twin(truth: np.ndarray, table: np.ndarray) -> list[int]:
    """Doubtful items by plain loops."""
    items, labels = table.shape
    usual = [
        np.mean([table[row, label] for row in range(items) if truth[row] == label]) if label in truth else np.inf
        for label in range(labels)
    ]
    found = []
    for row in range(items):
        likely = [label for label in range(labels) if table[row, label] >= usual[label]]
        if not likely:
            continue
        best = max(likely, key=lambda label: (table[row, label], -label))
        if best != truth[row] and table[row, truth[row]] <= VERY_LOW:
            found.append((table[row, truth[row]] - table[row, best], row))
    return [row for _, row in sorted(found)]


@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(1, 40))
@quickly
def test_doubtful_items_are_those_of_the_twin(seed: int, labels: int, items: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.dirichlet([0.3] * labels, items)
    truth = rng.integers(0, labels, items)
    assert doubtful(truth, table).rows.tolist() == twin(truth, table)


def test_swapped_labels_are_noticed_and_calibrated_scores_without_them_are_not(tmp_path: Path) -> None:
    """3 % of the labels swapped, of a good classifier: a warning, and most of those listed first were swapped."""
    rng = np.random.default_rng(11)
    truth = rng.integers(0, 2, 2000)
    number = rng.normal(1.5 * (2 * truth - 1), 1)
    score = 1 / (1 + np.exp(-3 * number))  # 3 x is the logarithm of the ratio of both densities: these are calibrated
    swapped = rng.random(2000) < 0.03
    noisy = np.where(swapped, 1 - truth, truth)
    finding = the(examined(tmp_path, pl.DataFrame({"truth": noisy, "score": score})), "label-noise")
    assert finding.severity == "warning"
    rows = [int(re.findall(r"row ([\d,]+)", one.text)[0].replace(",", "")) - 1 for one in finding.examples]
    assert sum(swapped[rows]) >= 9
    clean = sound(2000, seed=3)
    found = [one for one in examined(tmp_path, clean).findings if one.check == "label-noise"]
    assert [one.severity for one in found] in ([], ["note"])


def test_false_alarms_about_label_noise_are_rare() -> None:
    """Of calibrated scores with right labels, a warning comes in about 1 % of the cases, by the way it is decided."""
    warned = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        share = rng.beta(0.4, 0.4, 400)
        truth = (rng.random(400) < share).astype(np.int64)
        doubts = doubtful(truth, np.column_stack([1 - share, share]))
        warned += len(doubts.rows) > doubts.expected + 2.326 * doubts.spread
    assert warned <= 10


# Leakage


def test_items_that_were_trained_on(tmp_path: Path) -> None:
    test = sound()
    train = sound(300, seed=9).with_columns(item_id="t" + pl.col("item_id"), text="old " + pl.col("text"))
    clean = doctor(written(tmp_path, test), train=written(tmp_path, train, "train.csv"))
    assert found_in(clean) == set()
    assert {"trained-ids", "trained-items"} <= {check.name for check in clean.checks}
    copied = train.with_columns(
        text=pl.when(pl.int_range(pl.len()) < 4).then(test["text"].extend_constant("", 100)).otherwise("text")
    )
    finding = the(doctor(written(tmp_path, test), train=copied), "trained-items")
    assert (finding.severity, finding.count, finding.examples[0].line) == ("warning", 4, 2)
    many = the(
        doctor(written(tmp_path, test), train=test.with_columns(item_id="t" + pl.col("item_id"))), "trained-items"
    )
    assert (many.severity, many.count) == ("error", 200)
    same = the(doctor(written(tmp_path, test), train=test.select("item_id")), "trained-ids")
    assert (same.severity, same.count) == ("error", 200)


def test_row_numbers_are_no_ids(tmp_path: Path) -> None:
    test = sound().with_columns(item_id=pl.int_range(1, 201).cast(pl.String))
    assert found_in(doctor(written(tmp_path, test), train=test.select("item_id"))) == set()


def test_a_training_file_with_nothing_in_common_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="ids, or further columns"):
        doctor(written(tmp_path, sound()), train=pl.DataFrame({"colour": ["red"]}))
    with pytest.raises(ParameterError, match="train and pos_label go with predictions"):
        doctor({"q": {"a": 1}}, {"q": {"a": 1.0}}, train="train.csv")
    with pytest.raises(ParameterError, match="go with judgments and runs"):
        doctor(Predictions.of([0, 1], [0, 1]), grades="0..1")


# Systems, forms, the command


def test_several_systems_and_files_are_put_together(tmp_path: Path) -> None:
    frame = sound().rename({"prediction": "prediction_old", "score": "score_old"})
    frame = frame.with_columns(prediction_new=pl.lit("ham"), score_new=pl.lit(0.2), prediction_third=pl.lit("ham"))
    found = examined(tmp_path, frame)
    assert found.systems == ("old", "new", "third")
    assert "2 of 3 systems [constant-prediction]" in str(found)
    assert "p.csv, new" in str(found)
    both = doctor([written(tmp_path, frame), written(tmp_path, sound(), "q.csv")])
    assert both.systems == ("old", "new", "third", "q")


def test_a_column_that_names_systems(tmp_path: Path) -> None:
    frame = pl.concat(
        [sound().with_columns(system=pl.lit("a")), sound().with_columns(system=pl.lit("b"), prediction=pl.lit("ham"))]
    )
    found = examined(tmp_path, frame)
    assert found.systems == ("a", "b")
    assert the(found, "constant-prediction").system == "b"
    assert not [one for one in found.findings if one.check == "item-ids"]


def test_several_labels_an_item(tmp_path: Path) -> None:
    path = tmp_path / "tags.jsonl"
    rows = [{"truth": ["a", "b"], "prediction": ["a"]}, {"truth": ["b"], "prediction": ["B", "c"]}] * 15
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    assert found_in(doctor(str(path))) == {("label-spelling", "error"), ("unseen-labels", "warning")}


def run(*words: str) -> tuple[int, str]:
    done = invoke(["classifier", "doctor", *words])
    return done.exit_code, done.stdout


def test_the_command(tmp_path: Path) -> None:
    path = written(tmp_path, at("truth", 1, None)(sound()))
    code, text = run(path)
    assert code == 1
    assert "p.csv, 1 system: 1 error" in text
    sections = json.loads(run(path, "--json")[1])["sections"]
    told, findings = sections["verdict"], sections["findings"]["findings"]
    assert (told["systems"], told["counts"]["error"]) == (["p"], 1)
    assert set(told["passed"]) | {one["check"] for one in findings} | set(told["not_made"]) == {
        check.name for check in checks("labels")
    }
    assert {"trained-ids", "trained-items"} <= set(told["not_made"])
    assert "- [ ] **error** `absent-truth`" in run(path, "--markdown")[1]
    assert run(path, "--csv")[1].startswith("severity,check,file")
    assert "✓ item-ids" in run(path, "--all")[1]
    assert run(str(LETTERS / "spam.csv"), "--positive", "spam")[0] == 0


def test_columns_that_have_other_names(tmp_path: Path) -> None:
    path = written(tmp_path, sound().rename({"truth": "is", "prediction": "said"}))
    assert run(path, "--truth", "is", "--prediction", "said")[0] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([str(LETTERS / "spam.csv"), "-m", "AP"], "no such option: -m"),
    ],
)
def test_bad_calls_get_one_line(words: list[str], message: str) -> None:
    with pytest.raises(AssayError, match=message):
        invoke(["classifier", "doctor", *words], catch_exceptions=False)


def test_a_file_of_something_else_is_a_finding() -> None:
    code, text = run(str(LETTERS / "README.md"))
    assert (code, "[unreadable]" in text) == (1, True)
    with pytest.raises(AssayError, match="--train goes with assay classifier doctor"):
        invoke(["doctor", str(ROOT / "src/assay/data/tea/qrels.txt"), "x.run", "--train", "y"], catch_exceptions=False)


def test_checks_have_names_of_their_own_and_stand_on_the_page() -> None:
    of_runs, of_predictions = {check.name for check in checks("ranking")}, {check.name for check in checks("labels")}
    assert not of_runs & of_predictions
    page = (ROOT / "docs" / "doctor-predictions.md").read_text(encoding="utf-8")
    with speaking(Options()):
        known = checks("labels")
    rows = [f"| `{one.name}` | {', '.join(one.severities)} | {one.question} | {one.advice} |" for one in known]
    assert [line for line in page.splitlines() if re.match(r"\| `[a-z-]+` \| (error|warning|note)", line)] == rows


@given(st.binary(max_size=200))
@quickly
def test_the_doctor_survives_any_bytes(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("bytes") / "p.csv"
    path.write_bytes(data)
    assert isinstance(doctor(str(path)), Diagnosis)


@given(
    st.lists(
        st.tuples(*[st.sampled_from(["", "a", "b", "A", " a", "nan", "0.5", "1e400", "é", '"'])] * 4),
        min_size=1,
        max_size=12,
    )
)
@quickly
def test_the_doctor_survives_any_cells(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]]) -> None:
    frame = pl.DataFrame(rows, schema=["item_id", "truth", "prediction", "score"], orient="row")
    path = tmp_path_factory.mktemp("cells") / "p.csv"
    frame.with_columns(text=pl.col("truth")).write_csv(path)
    assert isinstance(doctor(str(path)), Diagnosis)


def test_files_that_disagree_on_the_truth_are_named_with_the_item() -> None:
    ids = [f"i{number}" for number in range(40)]
    truth, said = ["a", "b"] * 20, ["a", "b", "b", "a"] * 10
    one = Predictions.of(truth, said, item_id=ids, name="one")
    other = Predictions.of([*truth[:5], "a", *truth[6:]][::-1], said[::-1], item_id=ids[::-1], name="other")
    finding = the(doctor([one, other]), "truth-conflict")
    assert (finding.severity, finding.count) == ("error", 1)
    assert "item 'i5': 'a' here, 'b' in one" in str(finding.examples[0])
    alike = doctor([one, Predictions.of(truth[::-1], said[::-1], item_id=ids[::-1], name="other")])
    assert not {"truth-conflict", "missing-items"} & {found.check for found in alike.findings}
    assert {"truth-conflict", "missing-items"} <= {check.name for check in alike.checks}
    assert not {"truth-conflict", "missing-items"} & {check.name for check in doctor(one).checks}


def test_files_that_lack_items_or_cannot_be_paired_are_named() -> None:
    ids = [f"i{number}" for number in range(40)]
    truth, said = ["a", "b"] * 20, ["a", "b", "b", "a"] * 10
    one = Predictions.of(truth, said, item_id=ids, name="one")
    short = Predictions.of(truth[:30], said[:30], item_id=ids[:30], name="short")
    finding = the(doctor([one, short]), "missing-items")
    assert (finding.severity, finding.count, finding.file) == ("warning", 10, "short")
    assert str(finding.examples[0]) == "item 'i30'"
    by_row = Predictions.of(truth, said, name="by row")
    assert "items cannot be paired" in the(doctor([one, by_row]), "missing-items").says
    shorter = Predictions.of(truth[:30], said[:30], name="shorter")
    assert the(doctor([by_row, shorter]), "missing-items").says.startswith("30 rows, by row has 40")
    turned = Predictions.of(["b", "a"] * 20, said, name="turned")
    assert the(doctor([by_row, turned]), "truth-conflict").count == 40


def test_systems_of_one_file_are_held_against_each_other_as_files_are(tmp_path: Path) -> None:
    rows = [f"{system},i{item},{'a' if item % 2 or (system, item) == ('new', 4) else 'b'},a"
            for system in ("old", "new") for item in range(20)]  # fmt: skip
    path = tmp_path / "long.csv"
    path.write_text("\n".join(["system,item_id,truth,prediction", *rows]) + "\n", encoding="utf-8")
    finding = the(doctor(path), "truth-conflict")
    assert (finding.system, str(finding.examples[0])) == ("new", "line 26: item 'i4': 'a' here, 'b' in old")


def test_sets_of_labels_are_the_same_in_any_order() -> None:
    truth = [["a", "b"], ["b"], ["a"]] * 10
    one, other, single = (
        Predictions.of(given, given, name=name)
        for name, given in (("one", truth), ("other", [labels[::-1] for labels in truth]), ("single", ["a"] * 30))
    )
    assert "truth-conflict" not in {found.check for found in doctor([one, other]).findings}
    assert "only one has several labels" in the(doctor([one, single]), "truth-conflict").says


def test_scores_that_explain_no_prediction_are_told_as_such(tmp_path: Path) -> None:
    """The best threshold is above all scores: that is none."""
    frame = pl.DataFrame({"truth": ["a", "b"] * 15, "score": [number / 30 for number in range(30)],
                          "prediction": ["a"] * 4 + ["b"] * 26})  # fmt: skip
    says = the(doctor(written(tmp_path, frame), pos_label="a"), "score-conflict").says
    assert "inf" not in says
    assert "no threshold does better than never predicting 'a'" in says


def test_a_file_of_nothing_but_a_header_is_said_to_lack_items(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("item_id,truth,prediction\n", encoding="utf-8")
    finding = the(doctor(path), "unreadable")
    assert finding.says == "expected a line or more below the header (there are no data in the file)"
    assert "columns" not in finding.advice


def test_the_reader_speaks_of_options_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("item_id,truth,score\na,1\n", encoding="utf-8")
    done = invoke(["classifier", "doctor", str(path), "--truth", "nowhere"])
    assert "truth=" not in done.output


def test_folds_are_not_taken_for_the_content_of_items() -> None:
    assert "same-items" not in {found.check for found in doctor(LETTERS / "folds.csv", pos_label="spam").findings}
