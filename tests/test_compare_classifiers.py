"""Comparing classifiers: pairing by item, the test that each measure has, its numbers, and what is said."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import run_assay
from documents import lines_of
from scipy import stats

import assay
from assay import InputError, ParameterError, Predictions, classify, compare
from assay.stats.tests import mcnemar
from assay.subjects.labels.pairing import Classifiers

metrics = pytest.importorskip("sklearn.metrics")
LETTERS = Path(assay.__file__).parent / "data" / "letters"


def two(items: int = 300, seed: int = 0, labels: int = 2, better: float = 0.1) -> list[Predictions]:
    """Two systems on items at random, the second right more often; with scores where there are two labels."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(labels, size=items)
    made = []
    for name, share in (("old", 0.7), ("new", 0.7 + better)):
        if labels == 2:
            score = np.clip(0.5 + (2 * truth - 1) * rng.normal(3 * (share - 0.5), 0.5, items) / 2, 0.01, 0.99)
            made.append(Predictions.of(truth, (score >= 0.5).astype(int), y_score=score, name=name))
        else:
            guess = rng.integers(labels, size=items)
            made.append(Predictions.of(truth, np.where(rng.random(items) < share, truth, guess), name=name))
    return made


def arrays(one: Predictions) -> tuple[np.ndarray, np.ndarray]:
    assert one.prediction is not None
    return one.truth.to_numpy(), one.prediction.to_numpy()


def test_each_measure_has_its_own_test_and_says_which() -> None:
    found = compare(two(), measures=["Accuracy", "F", "AUC", "LogLoss", "AveragePrecision"], resamples=1000)
    tests = {one.measure: one.outcome.test for one in found.findings}
    assert tests == {
        "Accuracy": "mcnemar", "F1": "swap", "AUC": "delong", "LogLoss": "permutation",
        "AveragePrecision": "bootstrap_interval",
    }  # fmt: skip
    assert found.settings.test == "each measure's own"
    said = lines_of(found, "method")[-1]
    assert "McNemar's test for Accuracy (mid-p" in said
    assert "DeLong's test for AUC" in said


def test_the_numbers_are_those_of_scikit_learn() -> None:
    old, new = two()
    found = compare([old, new], measures=["Accuracy", "F", "MCC", "AUC", "LogLoss"], resamples=100)
    theirs = {
        "Accuracy": metrics.accuracy_score, "F": metrics.f1_score, "MCC": metrics.matthews_corrcoef,
    }  # fmt: skip
    for name, function in theirs.items():
        one = found.finding(name)
        assert one.baseline_value == pytest.approx(function(*arrays(old)))
        assert one.value == pytest.approx(function(*arrays(new)))
    for name, function in (("AUC", metrics.roc_auc_score), ("LogLoss", metrics.log_loss)):
        assert new.score is not None
        assert found.finding(name).value == pytest.approx(function(arrays(new)[0], new.score.to_numpy()))


def test_accuracy_is_tested_by_the_items_that_only_one_has_right() -> None:
    old, new = two(seed=3)
    truth, before = arrays(old)
    after = arrays(new)[1]
    fixed, broken = int(((before != truth) & (after == truth)).sum()), int(((before == truth) & (after != truth)).sum())
    finding = compare([old, new], measures="Accuracy").finding()
    assert finding.outcome.p == mcnemar(broken, fixed).p
    assert finding.wins == (fixed, 300 - fixed - broken, broken)
    assert finding.flips is not None
    assert finding.flips[:3] == (300, fixed, broken)
    errors = compare([old, new], measures="ErrorRate").finding()
    assert (errors.outcome.p, str(errors.verdict)) == (finding.outcome.p, str(finding.verdict))


def delong_by_pairs(truth: np.ndarray, first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """The difference of two areas and DeLong's p, from every pair of a positive and a negative item."""

    def won(score: np.ndarray) -> np.ndarray:
        positive, negative = score[truth == 1], score[truth == 0]
        return np.array([[(p > n) + (p == n) / 2 for n in negative] for p in positive])

    apart = won(second) - won(first)
    of_positives, of_negatives = apart.mean(axis=1), apart.mean(axis=0)
    variance = of_positives.var(ddof=1) / len(of_positives) + of_negatives.var(ddof=1) / len(of_negatives)
    return float(apart.mean()), float(2 * stats.norm.sf(abs(apart.mean()) / np.sqrt(variance)))


def test_areas_are_compared_as_delong_did() -> None:
    old, new = two(80, seed=1, better=0.05)
    assert old.score is not None
    assert new.score is not None
    # On another scale, but in the same order: nothing changes.
    rescaled = Predictions.of(arrays(new)[0], arrays(new)[1], y_score=np.exp(9 * new.score.to_numpy()), name="new")
    difference, p = delong_by_pairs(arrays(old)[0], old.score.to_numpy(), new.score.to_numpy())
    for candidate in (new, rescaled):
        finding = compare([old, candidate], measures="AUC").finding()
        assert finding.difference == pytest.approx(difference)
        assert finding.outcome.p == pytest.approx(p)
        assert finding.interval.method == "DeLong"
        assert finding.interval.low < difference < finding.interval.high
    gini = compare([old, new], measures="Gini").finding()
    assert (gini.difference, gini.p) == pytest.approx((2 * difference, p))
    assert gini.interval.low == pytest.approx(2 * compare([old, new], measures="AUC").finding().interval.low)


def test_intervals_of_systems_under_gini_are_those_under_auc_on_its_scale() -> None:
    areas, ginis = (compare(two(), measures=name).standing() for name in ("AUC", "Gini"))
    for area, gini in zip(areas, ginis, strict=True):
        assert gini.interval.low == pytest.approx(2 * area.interval.low - 1)
        assert gini.interval.high == pytest.approx(2 * area.interval.high - 1)


def test_per_item_losses_are_compared_item_by_item() -> None:
    old, new = two(50)
    finding = compare([old, new], measures="LogLoss").finding()
    losses = []
    for one in (old, new):
        assert one.score is not None
        share = one.score.to_numpy()
        losses.append(-np.log(np.where(arrays(one)[0] == 1, share, 1 - share)))
    assert finding.difference == pytest.approx(float((losses[1] - losses[0]).mean()))
    assert finding.outcome.test == "permutation"
    assert finding.spread == pytest.approx(float((losses[1] - losses[0]).std(ddof=1)))


@in_turn(
    ("measure", "test", "why"),
    [
        ("AUC", "swap", "different scales and are never swapped"),
        ("AUC", "permutation", "never swapped"),
        ("AUC", "t", "its test is delong"),
        ("F", "mcnemar", "McNemar's test counts right items"),
        ("F", "t", "its test is swap"),
        ("F", "delong", "its test is swap"),
        ("LogLoss", "mcnemar", "numbers of single units"),
        ("AveragePrecision", "delong", "whole ROC curve"),
        ("Accuracy", "exact", "the test is one of"),
    ],
)
def test_a_test_that_does_not_suit_is_refused_with_the_reason(measure: str, test: str, why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        compare(two(40), measures=measure, test=test)


@in_turn("test", ["mcnemar", "swap"])
def test_accuracy_may_be_tested_otherwise(test: str) -> None:
    found = compare(two(), measures="Accuracy", test=test)
    assert found.finding().outcome.test == found.settings.test == test


def test_rankings_have_no_test_of_classifiers() -> None:
    judged = {f"q{n}": {"d": 1} for n in range(6)}
    runs = {"a": {query: {"d": 1.0} for query in judged}, "b": {query: {"e": 1.0} for query in judged}}
    with pytest.raises(ParameterError, match="its test is permutation, not swap"):
        compare(judged, runs, measures="RR", test="swap")


def test_items_are_paired_by_id_whatever_their_order() -> None:
    old, new = two(60)
    ids = [f"i{n:02}" for n in range(60)]
    first = Predictions.of(*arrays(old), item_id=ids, name="old")
    order = np.random.default_rng(0).permutation(60)
    shuffled = Predictions.of(
        arrays(new)[0][order], arrays(new)[1][order], item_id=[ids[place] for place in order], name="new"
    )
    expected = compare([old, new], measures="F").finding()
    assert compare([first, shuffled], measures="F").finding() == expected


def test_items_that_a_system_lacks_are_an_error_or_left_out() -> None:
    ids = [str(n) for n in range(30)]
    old, new = two(30)
    first = Predictions.of(*arrays(old), item_id=ids, name="old")
    fewer = Predictions.of(*(column[:20] for column in arrays(new)), item_id=ids[:20], name="new")
    with pytest.raises(InputError, match="new lacks 10 items"):
        compare([first, fewer], measures="F")
    found = compare([first, fewer], measures="F", missing="drop")
    assert found.finding().units == 20
    assert any("10 items left out" in note for note in found.notes)


def test_whatever_holds_predictions_is_compared_alike(tmp_path: Path) -> None:
    old, new = two(50)
    for one in (old, new):
        one.frame.write_csv(tmp_path / f"{one.name}.csv")
    paths = [tmp_path / "old.csv", tmp_path / "new.csv"]
    expected = compare([old, new], measures="F").finding()
    for given in (
        classify([old, new]), {"old": old, "new": new}, paths, {"old": paths[0], "new": str(paths[1])},
        Classifiers.of([old, new]),
    ):  # fmt: skip
        assert compare(given, measures="F").finding() == expected
    assert compare(paths[0], paths[1], measures="F").finding() == expected


def test_several_systems_are_compared_in_pairs_as_two_are() -> None:
    old, new = two(120, labels=4)
    third = Predictions.of(arrays(old)[0], np.roll(arrays(new)[1], 1), name="third")
    every = compare([old, new, third], measures=["F", "Accuracy"], correction="none")
    for measure in ("F", "Accuracy"):
        assert every.finding(measure, "new", "old") == compare([old, new], measures=measure).finding()
    assert len(every.findings) == 6
    flips = every.finding("F", "third", "old").flips
    assert flips is not None
    assert flips.changed == every.flipped("old", "third").filter(change="changed").height > 0


def test_flipped_items_are_listed_with_what_became_of_them() -> None:
    truth = ["a", "a", "b", "b", "c", "c"]
    old = Predictions.of(truth, ["a", "b", "b", "b", "a", "c"], name="old", item_id=list("uvwxyz"))
    new = Predictions.of(truth, ["a", "a", "c", "b", "b", "c"], name="new", item_id=list("uvwxyz"))
    found = compare([old, new], measures="Accuracy")
    assert found.flipped().rows() == [
        ("v", "a", "b", "a", "fixed"), ("w", "b", "b", "c", "broken"), ("y", "c", "a", "b", "changed"),
    ]  # fmt: skip
    assert str(found).endswith("and broke 1 that old has right; 1 went from one mistake to another.")
    with pytest.raises(ParameterError, match="choose a system of old, new, not 'newer'"):
        found.flipped("old", "newer")


def test_identical_predictions_are_identical_under_every_measure() -> None:
    old, _ = two(40)
    assert old.score is not None
    again = Predictions.of(*arrays(old), y_score=old.score, name="again")
    found = compare([old, again], measures=["Accuracy", "F", "AUC", "LogLoss"])
    assert {one.verdict.word for one in found.findings} == {"identical"}
    assert "predict the same for all of 40 items" in str(found)


def test_weights_count_and_mcnemar_gives_way() -> None:
    old, new = two(60)
    weight = np.random.default_rng(0).integers(1, 5, 60)
    heavy = [Predictions.of(*arrays(one), sample_weight=weight, name=one.name) for one in (old, new)]
    finding = compare(heavy, measures="Accuracy").finding()
    assert finding.outcome.test == "swap"
    assert finding.value == pytest.approx(metrics.accuracy_score(*arrays(new), sample_weight=weight))
    with pytest.raises(ParameterError, match="without weights"):
        compare(heavy, measures="Accuracy", test="mcnemar")


def test_weighted_losses_are_weighted_means() -> None:
    old, new = two(30)
    weight = np.arange(1, 31)
    heavy = [Predictions.of(*arrays(one), y_score=one.score, sample_weight=weight, name=one.name) for one in (old, new)]
    finding = compare(heavy, measures="Brier").finding()
    assert new.score is not None
    expected = metrics.brier_score_loss(arrays(new)[0], new.score.to_numpy(), sample_weight=weight)
    assert finding.value == pytest.approx(expected)


def test_items_with_several_labels_are_compared_by_item_and_by_decision() -> None:
    truth = [["a", "b"], ["b"], ["c"], [], ["a", "c"], ["b", "c"]]
    old = Predictions.of(truth, [["a"], ["b"], ["b"], ["a"], ["c", "a"], ["c"]], name="old")
    new = Predictions.of(truth, [["b", "a"], ["b"], ["c"], [], ["a"], ["a"]], name="new")
    found = compare([old, new])
    assert found.measures == ("ExactMatch", "F1 (per item)", "F1 (micro)")
    exact = found.finding("ExactMatch")
    assert (exact.baseline_value, exact.value) == (2 / 6, 4 / 6)
    micro = found.finding("F(average='micro')")
    # Right decisions, predicted labels and true ones: 5, 7 and 8 of old; 5, 6 and 8 of new.
    assert (micro.baseline_value, micro.value) == pytest.approx((2 * 5 / 15, 2 * 5 / 14))
    assert exact.flips == (6, 3, 1, 1)
    with pytest.raises(ParameterError, match="average over labels, which is not compared"):
        compare([old, new], measures="F")


def test_a_comparison_has_the_means_of_the_systems_measured_alone() -> None:
    """The third item has no label: nothing predicted is right there, and 1 in F; its precision counts as 0 for both."""
    truth = [["t"], ["p", "t"], [], ["q"]] * 10
    systems = {
        "old": Predictions.of(truth, [["t"], ["p"], [], ["q"]] * 10),
        "new": Predictions.of(truth, [["t"], ["p"], ["t"], ["q"]] * 10),
    }
    words = {"F(average='samples')": "worse", "Precision(average='samples')": "identical"}
    found = compare(systems, measures=[*words], resamples=1000)
    for (name, word), one in zip(words.items(), found.findings, strict=True):
        alone = [classify(system, name).value() for system in systems.values()]
        assert (one.baseline_value, one.value) == pytest.approx(tuple(alone))
        assert (one.verdict.word, one.units) == (word, 40)
    assert found.findings[0].baseline_value == pytest.approx((1 + 2 / 3 + 1 + 1) / 4)
    # The same mean of other items is not the same, either.
    other = {
        "a": Predictions.of([["t"]] * 20, [["t"]] * 10 + [[]] * 10),
        "b": Predictions.of([["t"]] * 20, [[]] * 10 + [["t"]] * 10),
    }
    assert compare(other, measures="Precision(average='samples')", resamples=1000).finding().verdict.word != "identical"


def test_a_number_that_there_is_not_is_said_with_the_reason() -> None:
    never = Predictions.of([0, 1] * 20, [0] * 40, name="never")
    found = compare([Predictions.of([0, 1] * 20, [0, 1, 1, 1] * 10, name="some"), never], measures="MCC", resamples=100)
    one = found.finding()
    assert (one.verdict.word, one.needed, np.isnan(one.spread), np.isnan(one.detectable)) == (
        "inconclusive", None, True, True,
    )  # fmt: skip
    assert any(note.startswith("MCC of never is undefined: ") for note in found.notes)
    said = " ".join(lines_of(found))
    assert "never and some cannot be compared under MCC, undefined for never (" in said
    assert "nan" not in said
    assert "nan" not in str(found)


def test_scores_beside_labels_ask_for_a_threshold() -> None:
    truth = [0, 1] * 20
    raw = Predictions.of(truth, y_score=[9.0 * value + 1 for value in truth], name="raw")
    with pytest.raises(ParameterError, match="raw has scores and no predictions"):
        compare([raw, Predictions.of(truth, truth, name="labels")])


def test_classes_are_not_a_sample() -> None:
    scores = classify(two(90, labels=3), measures="F").scores
    with pytest.raises(InputError, match="classes are not a sample"):
        compare(scores, measures="F")


@in_turn(
    ("change", "why"),
    [
        ({"measures": "nDCG@10"}, "no measure is called 'nDCG'"),
        ({"measures": "ECE"}, "there is no test for it"),
        ({"relevance_level": 2}, "rule of evaluation"),
        ({"pos_label": "spam"}, "expected a label of 0, 1, got 'spam'"),
        ({"missing": "zero"}, "missing is one of error, drop"),
    ],
)
def test_what_makes_no_sense_for_predictions_is_refused(change: dict[str, object], why: str) -> None:
    with pytest.raises((InputError, ParameterError), match=why):
        compare(two(30), **change)  # type: ignore[arg-type]


def test_classifiers_are_planned_by_the_spread_of_item_differences_and_correlated_by_their_numbers() -> None:
    found = compare(two(30), measures="Accuracy").finding()
    (pair,) = assay.plan(two(30), measures="Accuracy", difference=found.margin.value).measures[0].pairs
    assert (pair.spread, pair.detectable, pair.needed) == (found.spread, found.detectable, found.needed)
    both = assay.correlate(two(200), "Accuracy", "MCC")
    assert both.value("Kendall's tau-b") == 1.0
    with pytest.raises(ParameterError, match="predictions have none"):
        assay.correlate(two(30), measure="Accuracy", split=2)


def test_verbs_that_need_numbers_of_units_say_so() -> None:
    with pytest.raises(InputError, match="predictions have none; `compare` takes them"):
        assay.tune(two(30), measure="Accuracy")


def test_two_systems_of_one_name_and_other_truths_are_refused() -> None:
    old, new = two(30)
    with pytest.raises(ParameterError, match="two systems are called 'old'"):
        compare([old, old])
    turned = Predictions.of(1 - arrays(new)[0], arrays(new)[1], name="new")
    with pytest.raises(InputError, match="the truth is"):
        compare([old, turned])


def test_raw_scores_need_no_threshold_for_auc_and_one_for_labels() -> None:
    old, new = two(40)
    raw = [Predictions.of(arrays(one)[0], y_score=9 * one.score - 4, name=one.name) for one in (old, new)]  # type: ignore[operator]
    found = compare(raw)
    assert found.measures == ("AUC",)
    assert found.finding().flips is None
    with pytest.raises(ParameterError, match="say threshold="):
        compare(raw, measures="F")
    assert compare(raw, measures="F", threshold=0.5).finding().units == 40


def test_false_alarms_stay_near_alpha() -> None:
    """Equally good systems on 60 data sets: the defaults say better or worse in about 5 % of them."""
    words = {"Accuracy": 0, "F1": 0, "AUC": 0}
    for seed in range(60):
        found = compare(two(100, seed=seed, better=0.0), measures=list(words), bootstrap_resamples=100, margin=0.001)
        for one in found.findings:
            words[one.measure] += one.verdict.word in {"better", "worse"}
    assert max(words.values()) / 60 <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 60)


def test_a_hundred_thousand_items_are_no_burden() -> None:
    """Label measures look at patterns, not at items: resamples are as many as asked for."""
    found = compare(two(100_000, better=0.01), measures=["F", "AUC"], resamples=1000)
    assert found.settings.bootstrap_resamples == 10_000
    assert found.finding("F").needed is not None


def test_the_command_says_it_in_a_table_and_in_words() -> None:
    done = run_assay("classifier", "compare", "spam.csv", "--positive", "spam", "--flipped", "3", folder=LETTERS)
    assert done.returncode == 0
    assert done.stderr == "spam.csv: 200 items, systems bayes, words\n"
    assert "words is worse than bayes under Accuracy" in done.stdout
    assert "Items that words predicts otherwise than bayes, 3 of 43" in done.stdout
    assert "quer" not in done.stdout
    assert "judged" not in done.stdout


@in_turn("form", ["--json", "--csv", "--markdown", "--latex"])
def test_the_command_writes_every_form(form: str) -> None:
    done = run_assay(
        "classifier", "compare", "spam.csv", "--positive", "spam", "-m", "F1", form, "--quiet", folder=LETTERS
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "worse" in done.stdout
    if form == "--json":
        payload = json.loads(done.stdout)["sections"]
        (finding,) = payload["findings"]["findings"]
        assert finding["test"]["test"] == "swap"
        assert finding["flips"] == {"items": 200, "fixed": 5, "broken": 38, "changed": 0}
        assert payload["method"]["signatures"]["F1"].startswith("F|")


def test_two_files_are_one_system_each(tmp_path: Path) -> None:
    frame = pl.read_csv(LETTERS / "spam.csv")
    for system in ("bayes", "words"):
        frame.select("item_id", "truth", prediction=f"prediction_{system}").write_csv(tmp_path / f"{system}.csv")
    done = run_assay(
        "classifier", "compare", "a=bayes.csv", "b=words.csv", "--positive", "spam", "-m", "MCC", folder=tmp_path
    )
    assert done.returncode == 0
    assert "b is worse than a under MCC" in done.stdout
    frame.head(150).select("item_id", "truth", prediction="prediction_words").write_csv(tmp_path / "few.csv")
    lacking = run_assay("classifier", "compare", "bayes.csv", "few.csv", "--positive", "spam", folder=tmp_path)
    assert (lacking.returncode, lacking.stdout) == (2, "")
    assert "few lacks 50 items that another system has" in lacking.stderr
    dropped = run_assay(
        "classifier", "compare", "bayes.csv", "few.csv", "--positive", "spam", "--missing", "drop", folder=tmp_path
    )
    assert dropped.returncode == 0
    assert "50 items left out" in dropped.stderr


@in_turn(
    ("arguments", "said"),
    [
        (["spam.csv"], "which label is positive, ham or spam?"),
        (["topics.csv"], "at least two systems"),
        (["spam.csv", "--positive", "ham", "--ties", "expected"], "--ties goes with assay compare"),
        (["spam.csv", "names.conll", "--positive", "spam"], "names.conll:1: expected a table with the columns `truth`"),
        (["spam.csv", "--positive", "spam", "--queries", "2"], "--queries goes with assay compare"),
        (["spam.csv", "--positive", "spam", "--missing", "zero"], "--missing is one of error, drop"),
        (["spam.csv", "--positive", "spam", "--judge-next", "2"], "--judge-next goes with assay compare"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(arguments: list[str], said: str) -> None:
    done = run_assay("classifier", "compare", *arguments, "--quiet", folder=LETTERS)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


@in_turn("items", [8, 400])
def test_a_difference_that_is_undefined_has_no_p_value_and_says_why(items: int) -> None:
    truth, varied = np.arange(items) % 2, (np.arange(items) % 3 > 0).astype(int)
    one, always = Predictions.of(truth, varied, name="one"), Predictions.of(truth, np.ones(items, int), name="always")
    result = compare([one, always], measures=["MCC"], resamples=200)
    (finding,) = result.findings
    assert np.isnan(finding.p)
    assert finding.outcome.note == "no p-value: a system has no number"
    row = next(line for line in result.to_markdown().splitlines() if line.startswith("| MCC"))
    assert [cell.strip() for cell in row.split("|")][3:-1] == ["NA", "NA", "NA", "NA", "NA", "inconclusive"]


@in_turn("measure", ["AveragePrecision", "AUC", "Recall"])
def test_without_positive_items_nothing_is_tested(measure: str) -> None:
    rng = np.random.default_rng(0)
    both = [Predictions.of([0] * 40, y_score=rng.random(40), name=name) for name in ("a", "b")]
    (finding,) = compare(both, measures=[measure]).findings
    assert np.isnan(finding.p)


def test_decisions_about_labels_that_nobody_made_have_no_p_value() -> None:
    truth: list[list[str]] = [["a"], ["b"]] * 10
    both = [Predictions.of(truth, [[] for _ in truth], name="no"), Predictions.of(truth, truth, name="all")]
    (finding,) = compare(both, measures=["Precision(average='micro')"], resamples=200).findings
    assert np.isnan(finding.p)


def test_a_weight_of_1_each_is_no_weight() -> None:
    plain, other = two()
    assert plain.prediction is not None
    ones = Predictions.of(
        plain.truth, plain.prediction, y_score=plain.score, sample_weight=[1] * len(plain), name="old"
    )
    for pair in ([ones, other], [other, ones]):
        weighted = compare(pair, measures=["AUC", "F"], resamples=200)
        bare = compare([plain if one is ones else one for one in pair], measures=["AUC", "F"], resamples=200)
        assert weighted.to_frame().equals(bare.to_frame())
    twos = Predictions.of(plain.truth, plain.prediction, sample_weight=[2] * len(plain), name="old")
    with pytest.raises(InputError, match=r"the weight is 2\.0 in old and 1\.0 in"):
        compare([twos, other], measures=["F"])


def test_items_of_weight_0_are_no_units() -> None:
    """Without them three items are left, too few for a verdict, and nothing that a gate could pass."""
    truth, weight = np.resize([0, 1], 50), np.zeros(50)
    weight[:3] = 1.0
    old, new = (
        Predictions.of(truth, np.where(np.arange(50) < right, truth, 1 - truth), sample_weight=weight, name=name)
        for name, right in (("old", 50), ("new", 2))
    )
    found = compare([old, new], measures="Accuracy")
    assert found.finding().verdict.word == "inconclusive"
    assert found.finding().flips is not None
    assert found.finding().flips._asdict() == {"items": 3, "fixed": 0, "broken": 1, "changed": 0}
    assert "47 items left out that have a weight of 0" in found.to_markdown()
    decided = assay.gate(old, new, measures="Accuracy")
    assert decided.outcome == "inconclusive"
    assert "fewer than 5" in str(decided)


def test_a_measure_of_two_labels_says_so_where_there_are_more() -> None:
    three = Predictions.of(["a", "b", "c"], y_score={"a": [1, 0, 0], "b": [0, 1, 0], "c": [0, 0, 1]})
    for verb in (lambda: classify(three, "AUC"), lambda: compare({"one": three, "other": three}, measures="AUC")):
        with pytest.raises(ParameterError, match=r"AUC is about two labels, and .* more: take one class against all"):
            verb()
