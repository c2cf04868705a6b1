"""Advice on classifiers promises nothing that an interval denies, and speaks of every system by a fitting measure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import run_assay
from scipy.stats import binomtest

import assay

#: What the advice says of predictions that it vouches for.
PROMISES = ("are reliable", "rules in", "rules out", "misses few", "raises few")


def of_cells(tp: int, fp: int, fn: int, tn: int) -> assay.Classification:
    truth = [1] * (tp + fn) + [0] * (fp + tn)
    return assay.classify(assay.Predictions.of(truth, [1] * tp + [0] * fn + [1] * fp + [0] * tn))


def promises(result: assay.Classification) -> list[str]:
    return [remark.says for remark in result.advice if any(word in remark.says for word in PROMISES)]


def test_three_items_promise_nothing_however_right_they_are() -> None:
    result = of_cells(tp=1, fp=0, fn=0, tn=2)
    assert result.estimate("Precision").low == pytest.approx(0.2065, abs=1e-4)
    assert promises(result) == []
    assert "are reliable" not in str(result)


def test_whatever_is_promised_holds_at_the_lower_ends_of_the_intervals() -> None:
    """Brute force over small and middling tables: a promise needs shares of 90 % that may not be less than 80 %."""
    vouched = 0
    for wrong in (0, 1, 3):
        for size in (1, 2, 5, 10, 20, 40, 80):
            tp, fp, fn, tn = size, wrong, wrong, size
            lowest = binomtest(size, size + wrong).proportion_ci(method="wilson").low
            expected = size / (size + wrong) >= 0.9 and lowest >= 0.8
            assert bool(promises(of_cells(tp, fp, fn, tn))) == expected
            vouched += expected
    assert vouched >= 3


def test_weights_do_not_make_few_items_many() -> None:
    truth = [1, 1, 0, 0, 0, 1]
    few = assay.classify(assay.Predictions.of(truth, truth, sample_weight=[1000.0] * 6))
    assert promises(few) == []
    many = assay.classify(assay.Predictions.of(truth * 20, truth * 20, sample_weight=[0.001] * 120))
    assert promises(many)


@in_turn(("copies", "hedged"), [(1, True), (40, False)])
def test_advice_to_negate_says_that_few_items_may_be_chance(copies: int, hedged: bool) -> None:
    by_label = assay.classify(assay.Predictions.of([1, 0, 0] * copies, [0, 1, 1] * copies), "Recall")
    scores = [0.1, 0.2, 0.3, 0.4] * copies
    by_score = assay.classify(assay.Predictions.of([1, 1, 0, 0] * copies, y_score=scores), "Recall")
    for result in (by_label, by_score):
        [remark] = [one for one in result.advice if one.code == "below_diagonal"]
        assert ("may be chance" in remark.says) == hedged


def predicted(truth: np.ndarray, hits: float, alarms: float, name: str, seed: int) -> assay.Predictions:
    """Predictions that find positives with the one chance, and raise false alarms with the other."""
    drawn = np.random.default_rng(seed).random(len(truth))
    return assay.Predictions.of(truth, np.where(truth == 1, drawn < hits, drawn < alarms).astype(int), name=name)


def pair(share: float, items: int = 400) -> list[assay.Predictions]:
    truth = (np.arange(items) < share * items).astype(int)
    return [predicted(truth, 0.5, 0.02, "old", 1), predicted(truth, 0.9, 0.05, "new", 2)]


@in_turn(("share", "headline"), [(0.5, "Accuracy"), (0.3, "Accuracy"), (0.1, "MCC"), (0.95, "MCC")])
def test_the_headline_means_something_for_these_labels(share: float, headline: str) -> None:
    systems = pair(share)
    compared = assay.compare(systems)
    assert compared.measures[0] == headline
    assert "Accuracy" in compared.measures
    assert any("accuracy misleads" in note for note in compared.notes) == (headline != "Accuracy")
    report: Any = assay.make_report(systems)
    assert report.table("findings")["measure"][0] == headline
    assert f"under {headline}" in str(report).splitlines()[0]


def test_the_note_on_accuracy_names_every_system() -> None:
    systems = pair(0.05)
    [note] = [one for one in assay.compare(systems).notes if "accuracy misleads" in one]
    for one in systems:
        assert one.prediction is not None
        right = np.mean(one.truth.to_numpy() == one.prediction.to_numpy())
        assert f"{one.name} {right:.1%}" in note
    assert "95.0% of the items are 0" in note
    assert not any("accuracy misleads" in one for one in assay.compare(systems, measures="F").notes)


def test_a_headline_that_is_undefined_for_a_system_gives_way_to_one_that_is_not() -> None:
    truth = (np.arange(200) < 20).astype(int)
    dummy = assay.Predictions.of(truth, np.zeros(200, int), name="dummy")
    compared = assay.compare([dummy, predicted(truth, 0.9, 0.05, "new", 2)])
    assert compared.measures[0] == "BalancedAccuracy"
    assert compared.findings[0].baseline_value == pytest.approx(1 / 2)


def test_of_more_than_two_labels_the_first_measure_fits_as_well() -> None:
    even, uneven = ["a", "b", "c"] * 30, ["a"] * 85 + ["b", "c", "b"]
    first = {name: str(assay.classify(assay.Predictions.of(truth, truth)).measures[0])
             for name, truth in (("even", even), ("uneven", uneven))}  # fmt: skip
    assert first == {"even": "Accuracy", "uneven": "MCC"}


def test_the_report_speaks_of_both_systems() -> None:
    lines = str(assay.make_report(pair(0.05))).splitlines()
    for name in ("old", "new"):
        assert any(line.startswith(f"{name} finds ") for line in lines)
        assert any(line.startswith(f"MCC of {name} is ") for line in lines)
    remarks = [line for line in lines if line.startswith(("old: ", "new: "))]
    assert {remark[:5] for remark in remarks[:2]} == {"old: ", "new: "}


def test_a_gate_by_accuracy_says_that_it_misleads() -> None:
    old, new = pair(0.05)
    result = assay.gate(old, new)
    assert [one.measure for one in result.checks] == ["Accuracy"]
    assert any("accuracy misleads" in note and "MCC would say more" in note for note in result.notes)
    assert not any("accuracy misleads" in note for note in assay.gate(old, new, measures="MCC").notes)


def test_the_command_leads_with_what_fits_and_says_why(tmp_path: Path) -> None:
    for one in pair(0.05):
        columns = {"id": range(len(one)), "truth": one.truth, "prediction": one.prediction}
        pl.DataFrame(columns).write_csv(tmp_path / f"{one.name}.csv")
    done = run_assay("classifier", "compare", "old.csv", "new.csv", "--json", folder=tmp_path)
    assert json.loads(done.stdout)["sections"]["method"]["measures"][0] == "MCC"
    assert "95.0% of the items are 0, so accuracy misleads" in done.stderr


def test_weighted_scores_below_the_diagonal_promise_nothing() -> None:
    """DeLong's interval is not for weights; before, all of `classify` was refused."""
    truth = ["spam", "ham"] * 6
    weights = [float(number) for number in range(1, 13)]
    scored = assay.Predictions.of(truth, truth, y_score=[0.1, 0.9] * 6, sample_weight=weights, pos_label="spam")
    (remark,) = [remark for remark in assay.classify(scored).advice if remark.code == "below_diagonal"]
    assert remark.says.endswith("that may be chance")


def test_a_remark_that_holds_for_both_systems_names_both() -> None:
    """Both say the truth; "it misses few" would be about neither."""
    truth = ["spam"] * 50 + ["ham"] * 50
    systems = [assay.Predictions.of(truth, truth, pos_label="spam", name=name) for name in ("a", "b")]
    report: Any = assay.make_report(systems)
    remarks = report.section("summary").data["remarks"]
    assert [remark["system"] for remark in remarks if remark["code"] == "rules_out"] == ["a", "b"]
