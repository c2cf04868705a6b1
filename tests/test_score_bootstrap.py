"""Resamples of sorted scores against items that are really drawn again, sorted again and measured by scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay.core.errors import InputError, ParameterError
from assay.measures.counting.scored import Scored
from assay.measures.score_curves import AUC, EER, AveragePrecision
from assay.stats.bootstrap import intervals
from assay.stats.delong import delong, delong_paired
from assay.stats.score_bootstrap import Sampling, bootstrap_scores, bootstrap_scores_paired, drawn_items

metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is optional, and not installed")
SAMPLINGS: tuple[Sampling, ...] = ("items", "stratified")


def drawn(seed: int, items: int = 50, digits: int = 1) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.random(items) < 0.4
    truth[:4] = True, True, False, False
    first = rng.normal(truth, 1.0).round(digits)
    return truth, first, (first + rng.normal(0, 1.0, items)).round(digits)


@pytest.mark.parametrize("sampling", SAMPLINGS)
@pytest.mark.parametrize("digits", [0, 9])
@pytest.mark.parametrize("weighted", [False, True])
def test_resamples_are_those_of_items_drawn_and_sorted_anew(sampling: Sampling, digits: int, weighted: bool) -> None:
    truth, scores, _ = drawn(1, digits=digits)
    weight = np.random.default_rng(1).random(len(truth)) + 0.1 if weighted else None
    scored = Scored.from_scores(truth, scores, sample_weight=weight)
    found = bootstrap_scores(scored, resamples=40, seed=3, sampling=sampling)
    other = bootstrap_scores(scored, "AveragePrecision", resamples=40, seed=3, sampling=sampling)
    labels = np.repeat([1, 0], [len(scored.positive), len(scored.negative)])
    ordered = np.concatenate([scored.positive, scored.negative])
    sides = scored.positive_weight, scored.negative_weight
    of_each = None if sides[0] is None else np.concatenate([side for side in sides if side is not None])
    for row, counts in enumerate(drawn_items(len(scored.positive), len(scored.negative), 40, 3, sampling)):
        again = np.repeat(np.arange(len(labels)), np.concatenate(counts))
        known = None if of_each is None else of_each[again]
        area = metrics.roc_auc_score(labels[again], ordered[again], sample_weight=known)
        assert found.resampled[row] == pytest.approx(area)
        precision = metrics.average_precision_score(labels[again], ordered[again], sample_weight=known)
        assert other.resampled[row] == pytest.approx(precision)


@pytest.mark.parametrize("sampling", SAMPLINGS)
@pytest.mark.parametrize("digits", [0, 9])
@pytest.mark.parametrize("weighted", [False, True])
def test_paired_resamples_are_differences_on_the_same_items(sampling: Sampling, digits: int, weighted: bool) -> None:
    truth, first, second = drawn(2, digits=digits)
    weight = np.random.default_rng(1).integers(1, 4, len(truth)) if weighted else None
    found = bootstrap_scores_paired(truth, first, second, sample_weight=weight, resamples=40, seed=5, sampling=sampling)
    # Items are drawn in the order of their scores, the first system's first.
    order = np.lexsort((second, first) if weight is None else (weight, second, first))
    rows = np.concatenate([order[truth[order]], order[~truth[order]]])
    for row, counts in enumerate(drawn_items(int(truth.sum()), int((~truth).sum()), 40, 5, sampling)):
        again = np.repeat(rows, np.concatenate(counts))
        known = None if weight is None else weight[again]
        areas = [metrics.roc_auc_score(truth[again], one[again], sample_weight=known) for one in (first, second)]
        assert found.resampled[row] == pytest.approx(areas[0] - areas[1])
    expected = [metrics.roc_auc_score(truth, one, sample_weight=weight) for one in (first, second)]
    assert found.systems == pytest.approx(expected)
    assert found.value == pytest.approx(expected[0] - expected[1])


def test_the_first_of_two_systems_is_resampled_as_it_would_be_alone() -> None:
    truth, first, second = drawn(2)
    alone = bootstrap_scores(Scored.from_scores(truth, first), resamples=30, seed=9)
    constant = bootstrap_scores_paired(truth, first, np.zeros(len(truth)), resamples=30, seed=9)
    np.testing.assert_allclose(constant.resampled + 0.5, alone.resampled)
    assert bootstrap_scores_paired(truth, second, second).interval[:2] == (0.0, 0.0)


@pytest.mark.parametrize("paired", [False, True])
def test_the_order_of_items_does_not_matter(paired: bool) -> None:
    truth, first, second = drawn(3)
    turned = np.random.default_rng(0).permutation(len(truth))
    if paired:
        one = bootstrap_scores_paired(truth, first, second, resamples=50)
        other = bootstrap_scores_paired(truth[turned], first[turned], second[turned], resamples=50)
    else:
        one = bootstrap_scores(Scored.from_scores(truth, first), resamples=50)
        other = bootstrap_scores(Scored.from_scores(truth[turned], first[turned]), resamples=50)
    np.testing.assert_array_equal(one.resampled, other.resampled)
    assert one.interval == other.interval


def test_the_same_seed_draws_the_same_items_and_is_recorded() -> None:
    scored = Scored.from_scores(*drawn(4)[:2])
    one, same, other = (bootstrap_scores(scored, resamples=50, seed=seed) for seed in (7, 7, 8))
    assert (one.seed, one.sampling) == (7, "items")
    np.testing.assert_array_equal(one.resampled, same.resampled)
    assert (one.resampled != other.resampled).any()


def test_items_are_drawn_as_they_should_be() -> None:
    counts = list(drawn_items(30, 70, 4000, 0, "items"))
    found = np.array([np.concatenate(pair) for pair in counts])
    positives = found[:, :30].sum(axis=1)
    assert (found.sum(axis=1) == 100).all()
    assert positives.mean() == pytest.approx(30, abs=0.3)
    assert positives.var() == pytest.approx(100 * 0.3 * 0.7, rel=0.1)
    # Each item is drawn a binomial number of times, as if all had been drawn together.
    assert found.mean(axis=0) == pytest.approx(np.ones(100), abs=0.08)
    assert found.var(axis=0).mean() == pytest.approx(0.99, rel=0.03)
    assert np.cov(found[:, 0], found[:, 99])[0, 1] == pytest.approx(-0.01, abs=0.06)
    stratified = [pair[0].sum() for pair in drawn_items(30, 70, 50, 0, "stratified")]
    assert set(stratified) == {30}


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_intervals_are_about_those_of_delong(sampling: Sampling) -> None:
    truth, first, second = drawn(5, items=600, digits=9)
    alone = bootstrap_scores(Scored.from_scores(truth, first), resamples=2000, sampling=sampling)
    exact = delong(Scored.from_scores(truth, first))
    assert alone.interval[:2] == pytest.approx(exact.interval[:2], abs=0.01)
    assert np.var(alone.resampled) == pytest.approx(exact.variance, rel=0.15)
    both = bootstrap_scores_paired(truth, first, second, resamples=2000, sampling=sampling)
    known = delong_paired(truth, first, second)
    assert both.interval[:2] == pytest.approx(known.interval[:2], abs=0.01)
    assert np.var(both.resampled) == pytest.approx(known.variance, rel=0.15)


def test_the_area_without_each_item_is_that_of_the_other_items() -> None:
    from assay.stats.score_bootstrap import _areas_without_each  # noqa: PLC0415  # what BCa is corrected by

    truth, scores, _ = drawn(6, items=20)
    weight = np.random.default_rng(0).random(20) + 0.5
    for known in (None, weight):
        scored = Scored.from_scores(truth, scores, sample_weight=known)
        left = np.concatenate(_areas_without_each(scored))
        order = np.lexsort((scores, ~truth))
        if known is not None:  # items with equal scores stand in the order that the sort left them in
            found = np.concatenate([scored.positive_weight, scored.negative_weight])
            order = np.array([int(np.flatnonzero(known == one)[0]) for one in found])
        for row, item in enumerate(order):
            rest = np.arange(20) != item
            sample_weight = None if known is None else known[rest]
            assert left[row] == pytest.approx(
                metrics.roc_auc_score(truth[rest], scores[rest], sample_weight=sample_weight)
            )


def test_the_interval_of_a_difference_is_corrected_by_differences_without_each_item() -> None:
    truth, first, second = drawn(7, items=24)
    found = bootstrap_scores_paired(truth, first, second, resamples=300)
    without = [
        metrics.roc_auc_score(truth[rest], first[rest]) - metrics.roc_auc_score(truth[rest], second[rest])
        for rest in ~np.eye(24, dtype=bool)
    ]
    expected = intervals(found.resampled, found.value, np.array(without), [0.95], "bca")[0]
    assert found.interval[:2] == pytest.approx(expected[:2])


def test_a_score_without_error_is_not_certain() -> None:
    scored = Scored.from_lists(positive=[0.9] * 20, negative=[0.1] * 30)
    found = bootstrap_scores(scored, resamples=50)
    assert found.interval == delong(scored).interval
    assert found.note == "all resamples give the same number: the interval is an exact one-sided bound"


def test_resamples_without_a_class_are_left_out_and_counted() -> None:
    found = bootstrap_scores(Scored.from_lists([0.9, 0.2], [0.5, 0.1]), resamples=200)
    undefined = int(np.isnan(found.resampled).sum())
    assert undefined > 0
    assert found.note == f"{undefined} of 200 resamples have no value and are left out"
    assert found.interval.is_known
    assert not np.isnan(
        bootstrap_scores(Scored.from_lists([0.9, 0.2], [0.5, 0.1]), sampling="stratified").resampled
    ).any()


@pytest.mark.parametrize("measure", [AUC, AveragePrecision, EER], ids=str)
def test_one_class_alone_has_a_reason_instead_of_an_interval(measure: Any) -> None:
    found = bootstrap_scores(Scored.from_scores([0, 0, 0], [1, 2, 3]), measure, resamples=20)
    assert np.isnan(found.value)
    assert not found.interval.is_known
    assert found.note == "there is no positive item"


def test_what_cannot_be_done_is_refused() -> None:
    scored = Scored.from_lists([1, 2], [0, 3])
    with pytest.raises(ParameterError, match="bca is for AUC only: EER takes percentile"):
        bootstrap_scores(scored, EER, method="bca")
    with pytest.raises(ParameterError, match="Accuracy is not a measure of scores: it is made from Confusion"):
        bootstrap_scores(scored, "Accuracy")
    with pytest.raises(ParameterError, match="sampling is one of items, stratified, not 'rows'"):
        bootstrap_scores(scored, sampling="rows")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="method is bca or percentile, not 'basic'"):
        bootstrap_scores(scored, method="basic")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="resamples is a whole number from 1 on, not 0"):
        bootstrap_scores(scored, resamples=0)
    with pytest.raises(ParameterError, match="confidence is a number between 0 and 1, not 95"):
        bootstrap_scores(scored, confidence=95)
    with pytest.raises(InputError, match="scores_b: expected 2 scores"):
        bootstrap_scores_paired([1, 0], [1, 2], [1, 2, 3])
