"""The gate on predictions of classifiers: which is the baseline, the decision, the guards, and the exit code."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import run_assay
from documents import json_of, lines_of

import assay
from assay import InputError, ParameterError, Predictions, compare, freeze, gate
from assay.stats.tests import mcnemar

LETTERS = Path(assay.__file__).parent / "data" / "letters"


def system(name: str, wrong: set[int], items: int = 400) -> Predictions:
    """A system that is wrong about these items; every other item is positive."""
    truth = np.arange(items) % 2
    predicted = np.where(np.isin(np.arange(items), list(wrong)), 1 - truth, truth)
    score = np.where(predicted == 1, 0.8, 0.2) + np.linspace(0, 0.1, items)
    return Predictions.of(truth, predicted, y_score=score, item_id=[f"i{n:03}" for n in range(items)], name=name)


OLD = system("old", set(range(40)))
MUCH_WORSE = system("new", set(range(90)))
#: As good, and 10 items each flip: with 400 items, 0.01 cannot be ruled out.
AS_GOOD = system("new", set(range(10, 50)))
BETTER = system("new", set(range(5)))


@in_turn("measure", ["Accuracy", "ErrorRate", "F", "MCC", "AUC"])
@in_turn(("candidate", "outcome", "code"), [(MUCH_WORSE, "fail", 1), (AS_GOOD, "inconclusive", 3), (BETTER, "pass", 0)])
def test_the_same_rules_decide(measure: str, candidate: Predictions, outcome: str, code: int) -> None:
    result = gate(OLD, candidate, measures=measure)
    assert (result.outcome, result.exit_code) == (outcome, code)
    assert (result.baseline, result.candidate) == ("old", "new")


def test_a_wider_margin_lets_as_good_a_candidate_pass() -> None:
    assert gate(OLD, AS_GOOD, measures="Accuracy", margin=0.05).outcome == "pass"
    by_measure = gate(OLD, AS_GOOD, measures=["Accuracy", "F1"], margin={"F1": 0.06, "Accuracy": 0.05})
    assert [check.allowed for check in by_measure.checks] == [-0.05, -0.06]
    with pytest.raises(ParameterError, match="a margin is given for MCC"):
        gate(OLD, AS_GOOD, measures="F1", margin={"MCC": 0.1})


def test_what_is_identical_passes_whatever_the_margin() -> None:
    again = system("new", set(range(40)))
    result = gate(OLD, again, measures=["Accuracy", "AUC"], margin=1e-9)
    assert result.outcome == "pass"
    assert "identical under Accuracy: no item differs" in str(gate(OLD, again))


def test_a_gate_says_what_a_comparison_says_on_one_side() -> None:
    check = gate(OLD, MUCH_WORSE, measures="Accuracy").checks[0]
    finding = compare([OLD, MUCH_WORSE], measures="Accuracy").finding()
    assert (check.difference, check.at_worst) == (finding.difference, finding.narrow.low)
    assert check.p_uncorrected == mcnemar(50, 0, "less").p
    assert (check.improved, check.same, check.worsened) == (0, 350, 50)
    errors = gate(OLD, MUCH_WORSE, measures="ErrorRate").checks[0]
    assert (errors.improved, errors.same, errors.worsened) == (0, 350, 50)
    assert errors.p_uncorrected == check.p_uncorrected
    for one in (check, errors):
        assert [loss.unit for loss in one.worst] == [f"i{n:03}" for n in range(40, 45)]


def test_areas_are_gated_by_delong() -> None:
    check = gate(OLD, MUCH_WORSE, measures="AUC").checks[0]
    finding = compare([OLD, MUCH_WORSE], measures="AUC").finding()
    assert check.p_uncorrected == pytest.approx(finding.outcome.p / 2)
    assert check.at_worst == pytest.approx(finding.narrow.low)
    assert "DeLong's" in lines_of(gate(OLD, MUCH_WORSE, measures="AUC"), "method")[0]


@in_turn(("draws", "resamples"), [(400 * 700, 700), (400 * 10, 200)])
def test_the_resamples_that_are_told_are_those_that_were_drawn(
    monkeypatch: pytest.MonkeyPatch, draws: int, resamples: int
) -> None:
    monkeypatch.setattr("assay.stats.weighted_samples._DRAWS", draws)
    result = gate(OLD, MUCH_WORSE, measures="Brier")
    assert result.settings.bootstrap_resamples == resamples
    assert f"{resamples:,} resamples" in lines_of(result, "method")[0]
    assert json_of(result)["outcome"]["settings"]["bootstrap_resamples"] == resamples
    compared = compare([OLD, MUCH_WORSE], measures="Brier")
    assert compared.settings.bootstrap_resamples == resamples
    assert f"({resamples:,} resamples)" in " ".join(lines_of(compared))


def test_each_interval_is_told_as_it_was_made() -> None:
    [told] = lines_of(gate(OLD, MUCH_WORSE, measures=["Accuracy", "AUC", "AveragePrecision"]), "method")
    assert "BCa bootstrap over items, 10,000 resamples; DeLong's; " in told
    assert "percentile bootstrap over items, 2,000 resamples)" in told
    [alone] = lines_of(gate(OLD, MUCH_WORSE, measures="AveragePrecision"), "method")
    assert "(percentile bootstrap over items, 2,000 resamples)" in alone


def test_the_margin_of_the_brier_score_is_of_its_range() -> None:
    """With two labels it goes from 0 to 1, with more up to 2."""
    assert gate(OLD, BETTER, measures="Brier").checks[0].allowed == pytest.approx(0.01)


def test_a_candidate_that_predicts_where_nothing_is_true_loses_to_a_rightly_empty_answer() -> None:
    truth = [["t"], ["p", "t"], [], ["q"]] * 10
    old = Predictions.of(truth, [["t"], ["p"], [], ["q"]] * 10, name="old")
    new = Predictions.of(truth, [["t"], ["p"], ["t"], ["q"]] * 10, name="new")
    result = gate(old, new, measures="F(average='samples')")
    assert result.outcome == "fail"
    assert (result.checks[0].baseline_value, result.checks[0].value) == pytest.approx((11 / 12, 2 / 3))


def test_systems_are_named_where_a_table_holds_several() -> None:
    third = system("third", set(range(60)))
    assert gate([OLD, BETTER]).outcome == "pass"
    assert gate([OLD, BETTER], "new", "old").outcome == "fail"
    assert gate([OLD, BETTER, third], "third", "old").baseline == "third"
    with pytest.raises(ParameterError, match="which of old, new, third is the baseline"):
        gate([OLD, BETTER, third])
    with pytest.raises(ParameterError, match="choose a system of old, new, not 'newer'"):
        gate([OLD, BETTER], "old", "newer")
    with pytest.raises(ParameterError, match="a gate takes a baseline and a candidate, not old alone"):
        gate(OLD)


def test_whoever_is_named_the_baseline_is_the_baseline() -> None:
    for result in (gate(MUCH_WORSE, baseline=OLD), gate(OLD, candidate=MUCH_WORSE), gate(OLD, MUCH_WORSE)):
        assert (result.baseline, result.candidate, result.outcome) == ("old", "new", "fail")
    again = gate(system("old", set(range(90))), baseline=OLD)
    assert (again.baseline, again.candidate, again.outcome) == ("old (baseline)", "old (candidate)", "fail")
    third = system("third", set(range(60)))
    chosen = gate([third, MUCH_WORSE], baseline=OLD, candidate="new")
    assert (chosen.baseline, chosen.candidate) == ("old", "new")
    for given, why in (
        ((OLD, BETTER, third), "give a baseline and a candidate alone, without old"),
        (([OLD, BETTER], "old", "old"), "the baseline and the candidate are both 'old'"),
        ((OLD, BETTER, third, third), "not 3 systems"),
    ):
        with pytest.raises(ParameterError, match=why):
            gate(*given)
    with pytest.raises(ParameterError, match="give a baseline and a candidate alone, without old"):
        gate(OLD, BETTER, candidate=third)


def test_two_systems_of_one_name_are_told_apart_by_their_part() -> None:
    result = gate(OLD, system("old", set(range(90))))
    assert (result.baseline, result.candidate) == ("old (baseline)", "old (candidate)")
    assert result.outcome == "fail"


def test_missing_items_are_an_error_or_guarded() -> None:
    few, nearly = (BETTER.taken(pl.Series(range(items))) for items in (200, 380))
    with pytest.raises(InputError, match="new lacks 200 items"):
        gate(OLD, few)
    invalid = gate(OLD, few, missing="drop")
    assert (invalid.outcome, invalid.exit_code) == ("invalid", 2)
    assert "new lacks 200 of 400 items of old (50.0%)" in invalid.sentence
    assert "What to do: run both systems on the same items" in "\n".join(lines_of(invalid))
    assert gate(OLD, nearly, missing="drop").checks[0].units == 380


def test_an_undefined_number_cannot_be_gated() -> None:
    never = Predictions.of([0, 1] * 10, [0] * 20, name="never")
    sometimes = Predictions.of([0, 1] * 10, [0, 1] * 10, name="sometimes")
    with pytest.raises(InputError, match="Precision is undefined for never"):
        gate(sometimes, never, measures="Precision")


@in_turn(
    ("change", "why"),
    [
        ({"min_judged": 0.5}, "min_judged goes with judgments and runs"),
        ({"relevance_level": 2}, "a rule of evaluation: it goes with judgments and runs"),
        ({"slices": "topic", "topics": {"i000": "a"}}, "made of all items together"),
        ({"measures": "Prevalence"}, "neither good nor bad"),
    ],
)
def test_what_makes_no_sense_for_predictions_is_refused(change: dict[str, object], why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        gate(OLD, BETTER, **change)  # type: ignore[arg-type]


def test_predictions_are_not_frozen_as_they_are_a_baseline_themselves() -> None:
    with pytest.raises(ParameterError, match="keep the file, and give it to the gate"):
        freeze(OLD, BETTER)


def test_false_passes_and_failures_are_as_rare_as_promised() -> None:
    """At the edge of the margin 5 % may pass; of as good a candidate, 5 % may fail."""
    rng = np.random.default_rng(0)
    truth = np.ones(200, int)
    passed = failed = 0
    for _ in range(75):
        draw = rng.random(200)
        old = Predictions.of(truth, (draw < 0.80).astype(int), labels=[0, 1], name="old")
        worse = Predictions.of(truth, (rng.random(200) < 0.70).astype(int), labels=[0, 1], name="new")
        same = Predictions.of(truth, (rng.random(200) < 0.80).astype(int), labels=[0, 1], name="new")
        passed += gate(old, worse, margin=0.1, bootstrap_resamples=300).outcome == "pass"
        failed += gate(old, same, margin=0.01, bootstrap_resamples=300).outcome == "fail"
    most = 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 75)
    assert passed / 75 <= most
    assert failed / 75 <= most


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    frame = pl.read_csv(LETTERS / "spam.csv")
    for name in ("bayes", "words"):
        frame.select("item_id", "truth", prediction=f"prediction_{name}", score=f"score_{name}").write_csv(
            tmp_path / f"{name}.csv"
        )
    frame.write_csv(tmp_path / "both.csv")
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["bayes.csv", "words.csv", "-m", "Accuracy"], 1),
        (["words.csv", "bayes.csv", "-m", "Accuracy,F1,AUC"], 0),
        (["both.csv", "-b", "words", "-c", "bayes"], 0),
        (["both.csv"], 1),
        (["old=bayes.csv", "new=words.csv"], 1),
        (["words.csv", "bayes.csv"], 0),
        (["bayes.csv", "words.csv", "--margin", "0.2"], 3),
        (["bayes.csv", "words.csv", "--margin", "Accuracy=0.2", "--inconclusive", "pass"], 0),
    ],
)
def test_the_command_ends_with_the_outcome(folder: Path, arguments: list[str], code: int) -> None:
    done = run_assay("classifier", "gate", *arguments, "--positive", "spam", "--quiet", folder=folder)
    assert (done.returncode, done.stderr) == (code, "")
    starts = {0: ("Passed", "Inconclusive (counted as passed"), 1: ("Failed",), 3: ("Inconclusive",)}
    assert done.stdout.startswith(starts[code])


def test_pipelines_get_their_files(folder: Path) -> None:
    files = ["--junit", "gate.xml", "--summary", "gate.md", "--json", "-o", "gate.json"]
    done = run_assay(
        "classifier", "gate", "bayes.csv", "words.csv", "--positive", "spam", "-m", "F", *files, folder=folder
    )
    assert done.returncode == 1
    payload = json.loads((folder / "gate.json").read_text(encoding="utf-8"))["sections"]
    assert payload["coverage"] == {}
    assert payload["outcome"]["signatures"]["F1"].startswith("F|beta=1|")
    assert payload["checks"]["checks"][0]["test"].startswith("swap: exact")
    assert "Quality gate: failed" in (folder / "gate.md").read_text(encoding="utf-8")
    assert 'failures="1"' in (folder / "gate.xml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["bayes.csv", "words.csv"], "which label is positive"),
        (["bayes.csv", "--positive", "spam"], "a gate takes a baseline and a candidate"),
        (["bayes.csv", "words.csv", "--positive", "spam", "--depth", "3"], "--depth goes with assay gate"),
        (["qrels.txt", "words.csv", "--positive", "spam"], "qrels.txt:1: expected a table with the columns `truth`"),
        (["freeze", "bayes.csv", "words.csv", "-o", "b.json"], "too many inputs: words.csv"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(folder: Path, arguments: list[str], said: str) -> None:
    done = run_assay("classifier", "gate", *arguments, folder=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr.splitlines()[-1]
    assert not (folder / "b.json").exists()
