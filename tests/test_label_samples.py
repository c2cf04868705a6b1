"""What label measures are made of: patterns of items, against the items themselves, one by one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from cases import in_turn
from numpy.typing import NDArray

from assay import ConfusionMatrix, Measure, parse_measure
from assay.measures.matrices import overall
from assay.stats.bootstrap import group_weights, intervals, pattern_weights
from assay.stats.label_samples import LabelSample, right_and_wrong, swap_test
from assay.stats.permutation import Alternative
from assay.stats.samples import Drawing

MEASURES = [("Accuracy", 2), ("F", 2), ("MCC", 2), ("Precision", 2), ("F", 3), ("Kappa", 3), ("Accuracy", 3),
            ("Recall(average='weighted')", 3)]  # fmt: skip


def measure_of(name: str, labels: int) -> Measure:
    return parse_measure(name, "binary" if labels == 2 else "multiclass")


def made(
    name: str, labels: int, items: int, seed: int = 0, systems: int = 2, weighted: bool = False
) -> tuple[LabelSample, NDArray[np.int64], NDArray[np.int64], NDArray[np.float64] | None]:
    """Items at random of which each system has two thirds right."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(labels, size=items)
    guess = rng.integers(labels, size=(items, systems))
    predicted = np.where(rng.random((items, systems)) < 2 / 3, truth[:, None], guess)
    weight = rng.integers(1, 8, size=items) / 10 if weighted else None  # sums that rounding changes
    sample = LabelSample.of_items(
        measure_of(name, labels), tuple(range(labels)), truth, predicted, weight=weight,
        positive=1 if labels == 2 else None,
    )  # fmt: skip
    return sample, truth, predicted, weight


def value(name: str, labels: int, truth: Any, predicted: Any, weight: Any = None) -> float:
    """The measure of one system, counted from its items."""
    matrix = ConfusionMatrix.from_labels(
        truth, predicted, labels=list(range(labels)), pos_label=1 if labels == 2 else None, sample_weight=weight
    )
    return float(overall(measure_of(name, labels), matrix).values[0])


@in_turn(("name", "labels"), MEASURES)
@in_turn("weighted", [False, True])
def test_numbers_are_those_of_the_items(name: str, labels: int, weighted: bool) -> None:
    sample, truth, predicted, weight = made(name, labels, 60, systems=3, weighted=weighted)
    expected = [value(name, labels, truth, column, weight) for column in predicted.T]
    assert sample.observed == pytest.approx(expected)
    assert sample.only(2, 0).observed == pytest.approx([expected[2], expected[0]])
    assert sample.size == sample.counts.sum() == 60


@in_turn(("name", "labels"), MEASURES)
@in_turn("weighted", [False, True])
def test_leaving_out_an_item_is_leaving_out_one_of_its_pattern(name: str, labels: int, weighted: bool) -> None:
    sample, truth, predicted, weight = made(name, labels, 25, weighted=weighted)
    found = sample.without_each[sample.pattern]
    for item in range(25):
        rest = np.arange(25) != item
        kept = None if weight is None else weight[rest]
        expected = [value(name, labels, truth[rest], column[rest], kept) for column in predicted.T]
        assert found[item] == pytest.approx(expected, nan_ok=True)


@in_turn(("name", "labels"), MEASURES)
def test_drawn_counts_give_what_drawn_items_give(name: str, labels: int) -> None:
    """The same resamples: counts of patterns made of drawn items, and those items counted anew."""
    sample, truth, predicted, _ = made(name, labels, 30)
    rng = np.random.default_rng(1)
    for _ in range(5):
        drawn = rng.integers(30, size=30)
        counts = np.bincount(sample.pattern[drawn], minlength=len(sample.counts)).astype(np.float64)
        expected = [value(name, labels, truth[drawn], column[drawn]) for column in predicted.T]
        assert sample.of(counts[None])[0] == pytest.approx(expected, nan_ok=True)


@in_turn("items", [40, 4000])
def test_the_bootstrap_by_counts_is_the_bootstrap_by_items(items: int) -> None:
    """Few items are drawn one by one, many as counts: both spread as items do that are drawn here."""
    sample, truth, predicted, _ = made("F", 2, items)
    found = np.diff(sample.resampled(Drawing(2000, 3)), axis=1)[:, 0]
    rng = np.random.default_rng(4)
    twin = []
    for _ in range(400):
        drawn = rng.integers(items, size=items)
        first, second = (value("F", 2, truth[drawn], column[drawn]) for column in predicted.T)
        twin.append(second - first)
    spread = float(np.std(twin))
    assert abs(found.mean() - np.mean(twin)) < 4 * spread / np.sqrt(400)
    assert np.std(found) == pytest.approx(spread, rel=0.15)


def test_how_often_patterns_are_drawn_follows_their_counts() -> None:
    counts = np.array([600, 300, 99, 1])
    drawn = np.concatenate(list(pattern_weights(counts, 2000, seed=0)))
    assert (drawn.sum(axis=1) == 1000).all()
    assert drawn.mean(axis=0) == pytest.approx(counts, rel=0.05, abs=0.1)
    assert drawn.var(axis=0) == pytest.approx(counts * (1 - counts / 1000), rel=0.12)


WEIGHTS: dict[str, Callable[[np.random.Generator], Any]] = {
    "even": lambda rng: rng.random(700),
    "heavy tails": lambda rng: rng.lognormal(0, 1.5, 900),
    "one that dwarfs all": lambda rng: np.append(rng.random(600) * 1e-6, [0.04, 1.0]),
    "few": lambda rng: rng.random(60),
}


@in_turn("kind", WEIGHTS)
def test_sums_of_many_weights_are_spread_as_those_of_items_drawn_one_by_one(kind: str) -> None:
    """The normal limit of a group, beside a group that is drawn item by item: quantiles, and how the two correlate."""
    rng = np.random.default_rng(5)
    first = np.sort(WEIGHTS[kind](rng))
    weight, group = np.append(first, rng.random(200)), np.repeat([0, 1], [len(first), 200])
    found = np.concatenate(list(group_weights(group, weight, np.ones(len(weight), np.int64), 4000, seed=6)))
    drawn = rng.integers(len(weight), size=(4000, len(weight)))
    twin = np.column_stack([np.where(group[drawn] == place, weight[drawn], 0).sum(axis=1) for place in (0, 1)])
    assert (found >= 0).all()
    levels = [0.025, 0.25, 0.5, 0.75, 0.975]
    apart = (np.quantile(found, levels, axis=0) - np.quantile(twin, levels, axis=0)) / twin.std(axis=0)
    assert np.abs(apart).max() < 0.2  # four standard errors of the outer ones
    assert np.corrcoef(found.T)[0, 1] == pytest.approx(np.corrcoef(twin.T)[0, 1], abs=0.08)


def test_items_that_weigh_alike_are_counted_as_often_as_they_occur() -> None:
    """Weights of 1 sum up to all items, beside a group with very many weights."""
    weight, counts = np.append(np.linspace(1, 2, 600), [1.0, 1.0]), np.append(np.full(600, 2), [3, 300])
    group = np.append(np.zeros(600, np.int64), [1, 1])
    found = np.concatenate(list(group_weights(group, weight, counts, 3000, seed=1)))
    assert found.mean(axis=0) == pytest.approx([2 * weight[:600].sum(), 303], rel=0.01)
    share = 303 / counts.sum()
    assert found[:, 1].var() == pytest.approx(counts.sum() * share * (1 - share), rel=0.12)
    assert (found[:, 1] == np.rint(found[:, 1])).all()


def test_one_group_without_items_drawn_one_by_one() -> None:
    weight = np.linspace(1, 2, 600)
    [found] = group_weights(np.zeros(600, np.int64), weight, np.ones(600, np.int64), 500, seed=0)
    assert found.shape == (500, 1)
    assert found.std() == pytest.approx(np.sqrt(600) * weight.std(), rel=0.12)


def test_a_weighted_bootstrap_is_that_of_the_patterns() -> None:
    """Weights summed by labels first, against the same draws pattern by pattern."""
    weighted = made("F", 3, 90, weighted=True)[0]
    plainly = np.concatenate([weighted.of(block) for block in pattern_weights(weighted.counts, 300, 2)])
    assert weighted.resampled(Drawing(300, 2)) == pytest.approx(plainly, rel=1e-12)


def test_intervals_by_pattern_are_intervals_by_item() -> None:
    """BCa with one row a pattern and its count, against one row per item."""
    sample, _, _, _ = made("F", 2, 80)
    resampled = np.diff(sample.resampled(Drawing(2000, 0)), axis=1)[:, 0]
    observed = float(np.diff(sample.observed)[0])
    without = np.diff(sample.without_each, axis=1)[:, 0]
    by_pattern = intervals(resampled, observed, without, [0.95, 0.9], "bca", counts=sample.counts)
    by_item = intervals(resampled, observed, without[sample.pattern], [0.95, 0.9], "bca")
    for one, other in zip(by_pattern, by_item, strict=True):
        assert (one.low, one.high, one.level) == pytest.approx((other.low, other.high, other.level))


def test_the_spread_of_accuracy_is_that_of_right_and_wrong() -> None:
    sample, truth, predicted, _ = made("Accuracy", 2, 70)
    right = (predicted == truth[:, None]).astype(float)
    assert sample.spread(0, 1, Drawing(0, 0)) == pytest.approx((right[:, 1] - right[:, 0]).std(ddof=1))


def brute_force(name: str, labels: int, truth: Any, predicted: NDArray[np.int64]) -> dict[Alternative, float]:
    """All 2^d ways to swap the predictions of the items that differ: p by alternative."""
    differing = np.flatnonzero(predicted[:, 0] != predicted[:, 1])

    def apart(columns: Any) -> float:
        return value(name, labels, truth, columns[:, 1]) - value(name, labels, truth, columns[:, 0])

    observed, found = apart(predicted), []
    for swaps in product([False, True], repeat=len(differing)):
        turned = predicted.copy()
        rows = differing[list(swaps)]
        turned[rows] = turned[rows][:, ::-1]
        found.append(apart(turned))
    each = np.array(found)
    undefined = np.isnan(each) | np.isnan(observed)
    extreme: dict[Alternative, NDArray[np.bool_]] = {
        "two-sided": np.abs(each) >= abs(observed) - 1e-12,
        "greater": each >= observed - 1e-12,
        "less": each <= observed + 1e-12,
    }
    return {alternative: float((undefined | reached).mean()) for alternative, reached in extreme.items()}


@pytest.mark.parametrize(("name", "labels"), MEASURES)
def test_the_exact_swap_test_goes_through_all_swaps(name: str, labels: int) -> None:
    for seed in range(3):
        sample, truth, predicted, _ = made(name, labels, 16, seed=seed)
        differing = int((predicted[:, 0] != predicted[:, 1]).sum())
        assert 0 < differing <= 12, "few enough to go through"
        for alternative, p in brute_force(name, labels, truth, predicted).items():
            found = swap_test(sample, alternative=alternative)
            assert found.p == pytest.approx(p), alternative
            assert found.resamples is None


def test_random_swaps_come_near_to_all_swaps(monkeypatch: pytest.MonkeyPatch) -> None:
    sample, _, _, _ = made("F", 2, 60)
    exact = swap_test(sample)
    assert exact.resamples is None
    monkeypatch.setattr("assay.stats.label_samples.MOST_COMBINATIONS", 1)
    drawn = swap_test(sample, resamples=20_000, seed=5)
    assert drawn.resamples == 20_000
    assert drawn.p == swap_test(sample, resamples=20_000, seed=5).p
    assert drawn.p == pytest.approx(exact.p, abs=0.02)


def test_weights_go_along_when_predictions_are_swapped() -> None:
    """One heavy item that differs is swapped or not: its weight decides, and p is the share of 2 swaps."""
    measure = measure_of("Accuracy", 2)
    truth, predicted = np.ones(3, int), np.array([[1, 1], [1, 0], [0, 1]])
    sample = LabelSample.of_items(measure, (0, 1), truth, predicted, weight=np.array([1.0, 5.0, 1.0]), positive=1)
    # The differences under the four swaps are -4/7, -6/7, 6/7 and 4/7: all reach what was observed, -4/7.
    assert swap_test(sample).statistic == pytest.approx(-4 / 7)
    assert swap_test(sample).p == 1.0


def test_equal_predictions_are_no_difference_whatever_the_measure() -> None:
    sample = LabelSample.of_items(measure_of("MCC", 2), (0, 1), np.array([0, 1, 1]), np.array([[0, 0], [1, 1], [0, 0]]))
    assert swap_test(sample).p == 1.0
    assert swap_test(sample).note == "no unit differs"


def test_right_and_wrong_items_are_counted() -> None:
    sample, truth, predicted, _ = made("Accuracy", 3, 50)
    first, second = (predicted == truth[:, None]).T
    assert right_and_wrong(sample, (0, 1)).tolist() == [
        [int((~first & ~second).sum()), int((~first & second).sum())],
        [int((first & ~second).sum()), int((first & second).sum())],
    ]


def test_false_alarms_of_the_swap_test_stay_at_alpha() -> None:
    """Two systems that are equally good: at most about 5 % of 150 data sets show a difference in F."""
    alarms = 0
    for seed in range(150):
        sample, _, _, _ = made("F", 2, 60, seed=seed)
        alarms += swap_test(sample).p < 0.05
    assert alarms / 150 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 150)


def test_intervals_of_label_measures_cover_what_is_true() -> None:
    """Both systems have two thirds and a third by chance right, so that the true difference is 0."""
    covered = 0
    for seed in range(120):
        sample, _, _, _ = made("F", 2, 80, seed=seed)
        wide = sample.statistics((0, 1), 0.05, Drawing(500, 0), method="bca").interval
        covered += wide.low <= 0 <= wide.high
    assert covered / 120 >= 0.95 - 2.5 * np.sqrt(0.05 * 0.95 / 120)


def test_very_many_labels_leave_items_in_rather_than_take_forever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.stats.label_samples._MOST_LEFT_OUT", 10)
    sample, _, _, _ = made("F", 3, 40)
    numbers = sample.statistics((0, 1), 0.05, Drawing(200, 0), method="bca")
    assert numbers.interval.is_known
    assert np.isnan(numbers.spread)
