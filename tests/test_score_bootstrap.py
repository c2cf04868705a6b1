"""Resamples of sorted scores against items that are really drawn again, sorted again and measured by scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import in_turn
from sklearn import metrics

from assay import parse_measure
from assay.measures.counting.scored import Scored
from assay.measures.score_curves import AUC, AveragePrecision
from assay.stats.bootstrap import percentiles
from assay.stats.delong import delong, delong_paired
from assay.stats.samples import Drawing
from assay.stats.score_resampling import SortedItems, drawn_items, in_common, measured, without_some
from assay.stats.score_samples import ScoreSample, jackknife, score_interval


def drawn(seed: int, items: int = 50, digits: int = 1) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.random(items) < 0.4
    truth[:4] = True, True, False, False
    first = rng.normal(truth, 1.0).round(digits)
    return truth, first, (first + rng.normal(0, 1.0, items)).round(digits)


@in_turn("digits", [0, 9])
@in_turn("weighted", [False, True])
def test_resamples_are_those_of_items_drawn_and_sorted_anew(digits: int, weighted: bool) -> None:
    truth, scores, _ = drawn(1, digits=digits)
    weight = np.random.default_rng(1).random(len(truth)) + 0.1 if weighted else None
    scored = Scored.from_scores(truth, scores, sample_weight=weight)
    sizes = len(scored.positive), len(scored.negative)
    found, other = (
        measured(measure, [SortedItems(scored)], drawn_items(*sizes, 40, seed=3))[:, 0]
        for measure in (AUC, AveragePrecision)
    )
    labels = np.repeat([1, 0], sizes)
    ordered = np.concatenate([scored.positive, scored.negative])
    sides = scored.positive_weight, scored.negative_weight
    of_each = None if sides[0] is None else np.concatenate([side for side in sides if side is not None])
    for row, counts in enumerate(drawn_items(*sizes, 40, seed=3)):
        again = np.repeat(np.arange(len(labels)), np.concatenate(counts))
        known = None if of_each is None else of_each[again]
        area = metrics.roc_auc_score(labels[again], ordered[again], sample_weight=known)
        assert found[row] == pytest.approx(area)
        precision = metrics.average_precision_score(labels[again], ordered[again], sample_weight=known)
        assert other[row] == pytest.approx(precision)


@in_turn("digits", [0, 9])
@in_turn("weighted", [False, True])
def test_paired_resamples_are_numbers_of_the_same_items(digits: int, weighted: bool) -> None:
    truth, first, second = drawn(2, digits=digits)
    weight = np.random.default_rng(1).integers(1, 4, len(truth)).astype(float) if weighted else None
    sizes = int(truth.sum()), int((~truth).sum())
    found = measured(AUC, in_common(truth, [first, second], weight), drawn_items(*sizes, 40, seed=5))
    # Items are drawn in the order of their scores, the first system's first.
    order = np.lexsort((second, first) if weight is None else (weight, second, first))
    rows = np.concatenate([order[truth[order]], order[~truth[order]]])
    for row, counts in enumerate(drawn_items(*sizes, 40, seed=5)):
        again = np.repeat(rows, np.concatenate(counts))
        known = None if weight is None else weight[again]
        areas = [metrics.roc_auc_score(truth[again], one[again], sample_weight=known) for one in (first, second)]
        assert found[row] == pytest.approx(areas)


def test_the_order_of_items_does_not_matter() -> None:
    truth, first, second = drawn(3)
    turned = np.random.default_rng(0).permutation(len(truth))
    one = ScoreSample(AveragePrecision, truth, (first, second))
    other = ScoreSample(AveragePrecision, truth[turned], (first[turned], second[turned]))
    drawing = Drawing(50, seed=0)
    np.testing.assert_array_equal(one.redrawn(0, 1, drawing), other.redrawn(0, 1, drawing))


def test_items_are_drawn_as_they_should_be() -> None:
    counts = list(drawn_items(30, 70, 4000, seed=0))
    found = np.array([np.concatenate(pair) for pair in counts])
    positives = found[:, :30].sum(axis=1)
    assert (found.sum(axis=1) == 100).all()
    assert positives.mean() == pytest.approx(30, abs=0.3)
    assert positives.var() == pytest.approx(100 * 0.3 * 0.7, rel=0.1)
    # Each item is drawn a binomial number of times, as if all had been drawn together.
    assert found.mean(axis=0) == pytest.approx(np.ones(100), abs=0.08)
    assert found.var(axis=0).mean() == pytest.approx(0.99, rel=0.03)
    assert np.cov(found[:, 0], found[:, 99])[0, 1] == pytest.approx(-0.01, abs=0.06)


def test_intervals_are_about_those_of_delong() -> None:
    truth, first, second = drawn(5, items=600, digits=9)
    systems = in_common(truth, [first, second], None)
    areas = measured(AUC, systems, drawn_items(int(truth.sum()), int((~truth).sum()), 2000, seed=0))
    exact, known = delong(Scored.from_scores(truth, first)), delong_paired(truth, first, second)
    assert percentiles(areas[:, 0], 0.95)[:2] == pytest.approx(exact.interval[:2], abs=0.01)
    assert np.var(areas[:, 0]) == pytest.approx(exact.variance, rel=0.15)
    assert percentiles(areas[:, 0] - areas[:, 1], 0.95)[:2] == pytest.approx(known.interval[:2], abs=0.01)
    assert np.var(areas[:, 0] - areas[:, 1]) == pytest.approx(known.variance, rel=0.15)


@in_turn("digits", [0, 9])
@in_turn("weighted", [False, True])
def test_average_precision_without_an_item_is_that_of_the_others(digits: int, weighted: bool) -> None:
    truth, *scores = drawn(6, items=2000, digits=digits)
    weight = np.random.default_rng(0).integers(1, 4, 2000).astype(float) if weighted else None
    found = without_some(AveragePrecision, in_common(truth, scores, weight), seed=0)
    order = np.lexsort((scores[1], scores[0]) if weight is None else (weight, scores[1], scores[0]))
    rows = np.concatenate([order[truth[order]], order[~truth[order]]])
    whole = np.array([metrics.average_precision_score(truth, one, sample_weight=weight) for one in scores])
    for place in range(0, 2000, 25):
        rest = np.arange(2000) != rows[place]
        known = None if weight is None else weight[rest]
        exact = [metrics.average_precision_score(truth[rest], one[rest], sample_weight=known) for one in scores]
        # The very first items in the order of scores change more than a derivative tells.
        assert found[place] - whole == pytest.approx(np.array(exact) - whole, rel=0.1, abs=4e-5)


@pytest.mark.parametrize("measure", ["AveragePrecision", "EER", "KS", "PRArea", "AUC(max_fpr=0.2)"])
def test_the_jackknife_of_many_items_says_what_the_bootstrap_says(measure: str) -> None:
    truth, first, second = drawn(8, items=30_000, digits=9)
    scorer, sizes = parse_measure(measure, "binary"), (int(truth.sum()), int((~truth).sum()))
    interval, drawings = score_interval(Scored.from_scores(truth, first), scorer, 0.95, 2000, seed=0)
    assert (interval.method, drawings) == ("jackknife", 0)
    sample = ScoreSample(scorer, truth, (first, second))
    numbers = measured(scorer, in_common(truth, [first, second], None), drawn_items(*sizes, 100, seed=0))
    by_draws = percentiles(numbers[:, 0], 0.95)
    assert interval.high - interval.low == pytest.approx(by_draws.high - by_draws.low, rel=0.35)
    (apart,) = sample.intervals((0, 1), [0.95], Drawing(2000, 0))
    by_draws = percentiles(numbers[:, 1] - numbers[:, 0], 0.95)
    assert apart.high - apart.low == pytest.approx(by_draws.high - by_draws.low, rel=0.35)
    assert sample.tests[0] == "jackknife"
    outcome = sample.test([(0, 1)], None, Drawing(2000, 0))[0]
    assert (outcome.p < 0.05) == apart.is_beside_zero


def test_one_sided_jackknife_tests_add_up_and_point_the_right_way() -> None:
    truth, first, second = drawn(9, items=25_000)
    sample = ScoreSample(AveragePrecision, truth, (second, first))  # the second system has less noise
    two, greater, less = (
        sample.test([(0, 1)], None, Drawing(100, 0), side)[0].p for side in ("two-sided", "greater", "less")
    )
    assert greater < 0.001
    assert greater + less == pytest.approx(1)
    assert two == pytest.approx(2 * greater)
    assert sample.test([(0, 1)], "bootstrap_interval", Drawing(100, 0))[0].resamples == 100


def test_few_items_of_a_class_are_drawn_anew_however_many_there_are_of_the_other() -> None:
    truth, scores, _ = drawn(10, items=25_000)
    truth = truth & (np.cumsum(truth) <= 500)
    interval, drawings = score_interval(Scored.from_scores(truth, scores), AveragePrecision, 0.95, 100, seed=0)
    assert (interval.method, drawings) == ("percentile", 100)


def test_the_jackknife_covers_as_often_as_it_promises() -> None:
    rng = np.random.default_rng(0)

    def sample(items: int) -> Scored:
        truth = rng.random(items) < 0.2
        return Scored.from_scores(truth, rng.normal(1.5 * truth, 1.0))

    truth = float(AveragePrecision.of(sample(2_000_000))[0])
    held = 0
    for _ in range(300):
        scored = sample(5_000)
        without = without_some(AveragePrecision, [SortedItems(scored)], seed=0)[:, 0]
        low, high, *_ = jackknife(float(AveragePrecision.of(scored)[0]), without, [0.95])[0]
        held += low <= truth <= high
    assert 0.91 <= held / 300 <= 0.985
