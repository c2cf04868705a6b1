"""Curves of classifiers: the same points as scikit-learn has, with ties and weights; every picture can be drawn."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest
from cases import in_turn

import assay
from assay import InputError, ParameterError, Predictions
from assay.cli.literals import scores_in
from assay.measures.counting.scored import Scored
from assay.show import charts
from assay.show.html import write
from assay.show.svg import standalone
from assay.stats.bootstrap import wilson
from assay.subjects.labels import curves as classifier_curves
from assay.subjects.labels.curves import band_frame, bin_edges
from assay.subjects.labels.inputs import ScoredSystem
from assay.verbs.curves import Curve

metrics = pytest.importorskip("sklearn.metrics")
sklearn_calibration = pytest.importorskip("sklearn.calibration")

LETTERS = Path(assay.__file__).parent / "data" / "letters" / "spam.csv"
KINDS = {
    "roc": classifier_curves.roc,
    "pr": classifier_curves.precision_recall,
    "det": classifier_curves.det,
    "calibration": classifier_curves.calibration,
    "gain": classifier_curves.gain,
    "lift": classifier_curves.lift,
    "scores": classifier_curves.score_distributions,
}


def items(seed: int, *, ties: bool, weighted: bool) -> tuple[Any, Any, Any]:
    """Truth, probabilities and weights (or None) of 150 items."""
    rng = np.random.default_rng(seed)
    truth = rng.random(150) < 0.3
    scores = 1 / (1 + np.exp(-rng.normal(size=150) - truth))
    return truth, np.round(scores, 1) if ties else scores, rng.integers(1, 4, 150).astype(float) if weighted else None


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", [1, 2])
class TestAgainstScikitLearn:
    def test_roc(self, seed: int, ties: bool, weighted: bool) -> None:
        truth, scores, weight = items(seed, ties=ties, weighted=weighted)
        curve = classifier_curves.roc(truth, scores, sample_weight=weight)
        expected = metrics.roc_curve(truth, scores, sample_weight=weight, drop_intermediate=False)
        for column, theirs in zip(("fpr", "tpr", "threshold"), expected, strict=True):
            np.testing.assert_allclose(curve.frame[column].to_numpy(), theirs)
        area = metrics.roc_auc_score(truth, scores, sample_weight=weight)
        assert curve.summary["value"].item() == pytest.approx(area)
        total = curve.frame.select(pl.sum_horizontal("tp", "fp", "fn", "tn")).to_series()
        assert total.to_list() == pytest.approx([len(truth) if weight is None else weight.sum()] * curve.frame.height)
        assert (curve.summary["low"].item() is None) == weighted

    def test_precision_recall(self, seed: int, ties: bool, weighted: bool) -> None:
        truth, scores, weight = items(seed, ties=ties, weighted=weighted)
        curve = classifier_curves.precision_recall(truth, scores, sample_weight=weight)
        precision, recall, thresholds = metrics.precision_recall_curve(truth, scores, sample_weight=weight)
        own = curve.frame.drop_nulls("precision")  # they add a last point of precision 1 and recall 0
        np.testing.assert_allclose(own["precision"].to_numpy(), precision[-2::-1])
        np.testing.assert_allclose(own["recall"].to_numpy(), recall[-2::-1])
        np.testing.assert_allclose(own["threshold"].to_numpy(), thresholds[::-1])
        steps = metrics.average_precision_score(truth, scores, sample_weight=weight)
        assert curve.summary["value"].item() == pytest.approx(steps)
        assert curve.summary["trapezoid"].item() == pytest.approx(metrics.auc(recall, precision))

    def test_det(self, seed: int, ties: bool, weighted: bool) -> None:
        truth, scores, weight = items(seed, ties=ties, weighted=weighted)
        curve = classifier_curves.det(truth, scores, sample_weight=weight)
        ours = {
            round(threshold, 9): (fpr, fnr)
            for threshold, fpr, fnr in curve.frame.select("threshold", "fpr", "fnr").rows()
        }
        for fpr, fnr, threshold in zip(*metrics.det_curve(truth, scores, sample_weight=weight), strict=True):
            assert ours[round(float(threshold), 9)] == pytest.approx((fpr, fnr))
        drawn = curve.frame.drop_nulls(["fpr_deviate", "fnr_deviate"])
        assert drawn.filter((pl.col("fpr") <= 0) | (pl.col("fnr") >= 1)).is_empty()

    @pytest.mark.parametrize(("binning", "strategy", "bins"), [("width", "uniform", 7), ("mass", "quantile", 5)])
    def test_calibration(self, seed: int, ties: bool, weighted: bool, binning: Any, strategy: str, bins: int) -> None:
        """With `mass` where the bins divide the items: else they put borders between items, by interpolation."""
        if weighted:
            pytest.skip("their calibration curve takes no weights")
        truth, scores, _ = items(seed, ties=ties, weighted=False)
        curve = classifier_curves.calibration(truth, scores, bins=bins, binning=binning)
        came_true, probability = sklearn_calibration.calibration_curve(truth, scores, n_bins=bins, strategy=strategy)
        np.testing.assert_allclose(curve.frame["came_true"].to_numpy(), came_true)
        np.testing.assert_allclose(curve.frame["probability"].to_numpy(), probability)
        off = np.average(np.abs(came_true - probability), weights=curve.frame["items"].to_numpy())
        assert curve.summary["value"].item() == pytest.approx(off)


def test_bins_of_equal_mass_differ_by_one_item_at_most() -> None:
    truth, scores, _ = items(1, ties=False, weighted=False)
    counted = classifier_curves.calibration(truth, scores, bins=7, binning="mass").frame["items"].to_list()
    assert sum(counted) == 150
    assert max(counted) - min(counted) == 1


def test_c6_the_table_behind_the_curve() -> None:
    truth, scores = scores_in(
        "P .90, P .80, N .70, P .60, P .55, P .54, N .53, N .52, P .51, N .50, "
        "P .40, N .39, P .38, N .37, N .36, N .35, P .34, N .33, P .30, N .10"
    )
    curve = classifier_curves.roc(truth, scores)
    assert curve.summary["value"].item() == pytest.approx(0.68)
    best = curve.frame.sort("accuracy", descending=True).row(0, named=True)
    assert (best["threshold"], best["tp"], best["fp"], best["fn"], best["tn"]) == (0.54, 5, 1, 5, 9)
    assert best["accuracy"] == pytest.approx(0.7)


class TestSharesAndBins:
    def test_gain_and_lift_by_counting(self) -> None:
        truth, scores, _ = items(3, ties=True, weighted=False)
        gained = classifier_curves.gain(truth, scores)
        lifted = classifier_curves.lift(truth, scores)
        for row, other in zip(gained.frame.rows(named=True), lifted.frame.rows(named=True), strict=True):
            taken = scores >= row["threshold"]
            assert row["share"] == pytest.approx(taken.mean())
            assert row["gain"] == pytest.approx(truth[taken].sum() / truth.sum())
            if taken.any():
                assert other["lift"] == pytest.approx(truth[taken].mean() / truth.mean())
            else:
                assert other["lift"] is None

    def test_gain_within_ties_is_the_mean_over_their_orders(self) -> None:
        """The first of two items with one score, one of them positive: half a positive item, of two."""
        curve = classifier_curves.gain([1, 0, 1, 0], [0.9, 0.9, 0.2, 0.1], at=0.25)
        assert curve.summary["value"].item() == pytest.approx(0.25)
        lifted = classifier_curves.lift([1, 0, 1, 0], [0.9, 0.9, 0.2, 0.1], at=0.25)
        assert lifted.summary["value"].item() == pytest.approx(1.0)

    def test_bins_of_calibration_have_wilson_intervals(self) -> None:
        curve = classifier_curves.calibration([0, 1, 1, 1, 0], [0.2, 0.4, 0.8, 0.9, 0.7], bins=2)
        found = wilson(2, 3)
        assert curve.frame.row(1, named=True)["low"] == pytest.approx(found.low)
        assert curve.frame.row(1, named=True)["high"] == pytest.approx(found.high)

    def test_weights_that_are_all_the_same_are_worth_as_many_items_as_there_are(self) -> None:
        truth, scores, _ = items(4, ties=False, weighted=False)
        plain = classifier_curves.calibration(truth, scores)
        doubled = classifier_curves.calibration(truth, scores, sample_weight=np.full(150, 2.0))
        for name in ("low", "high", "came_true"):
            np.testing.assert_allclose(plain.frame[name].to_numpy(), doubled.frame[name].to_numpy())

    def test_scores_are_counted_in_bins_and_all_of_them(self) -> None:
        truth, scores, weight = items(5, ties=True, weighted=True)
        curve = classifier_curves.score_distributions(truth, scores, sample_weight=weight, bins=4, threshold="youden")
        totals = dict(curve.frame.group_by("label").agg(pl.col("items").sum()).rows())
        assert totals == pytest.approx({"positive": weight[truth].sum(), "negative": weight[~truth].sum()})
        assert curve.frame.group_by("label").agg(pl.col("share").sum())["share"].to_list() == pytest.approx([1, 1])
        first = curve.frame.filter(label="positive").row(0, named=True)
        assert first["items"] == pytest.approx(weight[truth & (scores < 0.25)].sum())
        assert curve.summary["threshold"].item() in scores

    def test_scores_beyond_probabilities_get_bins_of_their_own(self) -> None:
        curve = classifier_curves.score_distributions([1, 0], [7.0, 7.0], bins=2)
        assert curve.frame["items"].sum() == 2
        wide = classifier_curves.score_distributions([1, 0], [-3.0, 5.0], bins=2)
        assert (wide.frame["low"].min(), wide.frame["high"].max()) == (-3.0, 5.0)


class TestBands:
    def test_the_lower_end_of_a_band_is_never_above_the_upper_one(self) -> None:
        truth, scores, _ = items(6, ties=False, weighted=False)
        one = ScoredSystem("a", Scored.from_scores(truth, scores))
        band = band_frame(one, confidence=0.95, resamples=300, seed=0)
        assert (band["low"] <= band["high"]).all()
        assert band["low"][-1] == band["high"][-1] == 1.0

    def test_a_pointwise_band_covers_the_true_curve_as_often_as_it_says(self) -> None:
        """Normal scores: at a false positive rate of 0.2 the true positive rate is known."""
        rng = np.random.default_rng(2)
        true = 0.5 * math.erfc((0.8416212335729143 - 1) / math.sqrt(2))
        covered = []
        for _ in range(50):
            truth = rng.random(150) < 0.5
            one = ScoredSystem("a", Scored.from_scores(truth, rng.normal(size=150) + truth))
            row = band_frame(one, confidence=0.9, resamples=80, seed=0).row(20, named=True)
            covered.append(row["low"] <= true <= row["high"])
        assert 0.8 < np.mean(covered) <= 1

    def test_the_band_is_part_of_the_table(self) -> None:
        truth, scores, _ = items(7, ties=True, weighted=False)
        curve = classifier_curves.roc(truth, scores, band="pointwise", resamples=50)
        assert set(curve.frame["curve"]) == {"points", "band"}
        assert "pointwise 95% band, 50 resamples, seed 0" in curve.subtitle
        with pytest.raises(ParameterError, match="band is one of none, pointwise, not 'pointwse'"):
            classifier_curves.roc(truth, scores, band="pointwse")  # type: ignore[arg-type]  # on purpose


def test_positive_items_alone_have_a_precision_recall_curve_of_precision_1() -> None:
    curve = classifier_curves.precision_recall([1, 1], [0.9, 0.8])
    assert curve.frame.drop_nulls().select("recall", "precision").rows() == [(0.5, 1.0), (1.0, 1.0)]
    assert curve.summary["value"].to_list() == [1.0]
    with pytest.raises(InputError, match="a precision-recall curve needs positive items: none is positive"):
        classifier_curves.precision_recall([0, 0], [0.9, 0.8], pos_label=1)


@in_turn("kind", [kind for kind in KINDS if kind != "pr"])
def test_one_class_has_no_curve(kind: str) -> None:
    with pytest.raises(InputError, match="needs positive and negative items: none is negative"):
        KINDS[kind]([1, 1], [0.9, 0.8])


def test_scores_that_are_no_probabilities_are_not_calibrated() -> None:
    with pytest.raises(InputError, match=r"calibration is of probabilities, from 0 to 1: scores go from -1 to 3"):
        classifier_curves.calibration([1, 0], [3.0, -1.0])


@in_turn("several", [False, True])
@in_turn("kind", KINDS)
def test_every_kind_is_drawn_and_written_for_one_system_and_for_more(kind: str, several: bool, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="charts in files need the extra `report`")
    truth, scores, _ = items(8, ties=True, weighted=False)
    named = {"</script>": scores, "new": 1 - scores} if several else {"</script>": scores}
    curve = KINDS[kind](truth, named)
    assert isinstance(curve, Curve)
    shown = "".join(ET.fromstring(standalone(curve.figure())).itertext())
    assert curve.title in shown
    assert ("new" in shown) == several
    assert "<script>alert" not in write(curve.page())
    told = json.loads(curve.to_json())["sections"]["curve"]
    assert len(told["points"]) == curve.frame.height
    for suffix in (".csv", ".md", *([".png"] if several else [])):
        assert curve.save(tmp_path / f"x{suffix}").stat().st_size > 100


def test_curves_of_very_many_points_are_thinned_for_drawing_only_and_that_is_said() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(60_000) < 0.2
    curve = classifier_curves.roc(truth, rng.normal(size=60_000) + truth)
    figure = curve.figure()
    drawn = figure.panels[0].marks[-1].frame
    assert curve.frame.height == 60_001
    assert drawn.height < 5_000
    assert drawn.row(0) == curve.frame.row(0)
    assert drawn.row(-1) == curve.frame.row(-1)
    # No point that is left out lies further from the line than a step of the axis.
    between = np.interp(curve.frame["fpr"].to_numpy(), drawn["fpr"].to_numpy(), drawn["tpr"].to_numpy())
    assert np.abs(between - curve.frame["tpr"].to_numpy()).max() < 2 / charts.STEPS
    (note,) = figure.notes
    assert note == f"{drawn.height:,} of 60,001 points are drawn: all that are 0.002 of an axis apart"


def test_the_letters_that_come_along() -> None:
    curve = classifier_curves.roc(LETTERS, pos_label="spam")
    assert curve.summary["system"].to_list() == ["bayes", "words"]
    assert curve.summary["low"][0] < curve.summary["value"][0] < curve.summary["high"][0]
    alone = classifier_curves.roc(LETTERS, pos_label="spam", system="words")
    assert alone.subtitle.endswith("; AUC 0.826")
    with pytest.raises(ParameterError, match="two systems are called 'a'"):
        classifier_curves.roc([Predictions.of([1, 0], y_score=[0.9, 0.1], name="a")] * 2)


def test_a_threshold_outside_the_scores_is_said_and_not_drawn() -> None:
    curve = classifier_curves.score_distributions([1, 0], [0.9, 0.1], threshold=99)
    assert curve.warnings == ("scores: the threshold 99 is outside the picture: no score is on its other side",)
    assert [mark.kind for mark in curve.figure().panels[0].marks] == ["bar"]
    within = classifier_curves.score_distributions([1, 0], [0.9, 0.1], threshold=0.5).figure()
    assert within.panels[0].marks[-1].frame["at"].to_list() == [0.5]
    with pytest.raises(ParameterError, match="a threshold is a number, not nan"):
        classifier_curves.score_distributions([1, 0], [0.9, 0.1], threshold=math.nan)


def test_a_large_score_that_all_items_have_is_in_the_middle_of_the_picture() -> None:
    frame = classifier_curves.score_distributions([1, 0], [1e17, 1e17], bins=3).frame
    assert frame["items"].to_list() == [0, 1, 0, 0, 1, 0]


def test_a_band_wants_a_seed_that_is_one() -> None:
    with pytest.raises(ParameterError, match="seed"):
        classifier_curves.roc([1, 0, 1], [0.9, 0.1, 0.4], band="pointwise", seed=-1)


def test_probabilities_close_together_have_bins_of_their_own() -> None:
    close = bin_edges([Scored.from_lists(positive=[0.0021, 0.003], negative=[0.001])], 40)
    assert (close[0], close[-1]) == pytest.approx((0.001, 0.003))
    for others in ([0.1, 0.9], [0.5, 0.5], [0.5, 0.5000001], [1e-310, 2e-310]):
        spread = bin_edges([Scored.from_lists(positive=others[1:], negative=others[:1])], 40)
        assert (spread[0], spread[-1]) == (0, 1), others
