"""One label of many: ties by every rule, EM against plain loops, and what simulated judges get back."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from cases import in_turn
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import ParameterError
from assay.measures.counting.ratings import Ratings
from assay.stats.aggregation import TIES, dawid_skene, mace, majority, median

#: What `aggregation` adds to each expected count, over all categories.
SMOOTHING = 0.01

Table = list[list[Any]]
tables = st.integers(2, 4).flatmap(
    lambda judges: st.lists(
        st.lists(st.sampled_from([0, 1, 2, None]), min_size=judges, max_size=judges), min_size=2, max_size=7
    )
).map(lambda rows: [list(column) for column in zip(*rows, strict=True)])  # fmt: skip


def usable(table: Table) -> bool:
    return len({label for row in table for label in row if label is not None}) > 1


def triples(ratings: Ratings) -> list[tuple[int, int, int]]:
    return list(zip(ratings.item.tolist(), ratings.judge.tolist(), ratings.category.tolist(), strict=True))


def votes(ratings: Ratings) -> list[list[float]]:
    counts = [[0.0] * len(ratings.categories) for _ in ratings.items]
    for item, _, label in triples(ratings):
        counts[item][label] += 1
    return [[count / (sum(row) or 1) for count in row] for row in counts]


def slow_dawid_skene(ratings: Ratings, passes: int) -> list[list[float]]:
    """Dawid and Skene by plain loops: as often as told."""
    width, labels = len(ratings.categories), triples(ratings)
    posterior = votes(ratings)
    labelled = {item for item, _, _ in labels}
    for _ in range(passes):
        counts = {
            (judge, true, said): SMOOTHING / width
            for judge in range(len(ratings.judges)) for true in range(width) for said in range(width)
        }  # fmt: skip
        for item, judge, said in labels:
            for true in range(width):
                counts[judge, true, said] += posterior[item][true]
        prevalence = [
            (sum(posterior[item][true] for item in labelled) + SMOOTHING / width) / (len(labelled) + SMOOTHING)
            for true in range(width)
        ]
        for item in labelled:
            joint = list(prevalence)
            for other, judge, said in labels:
                if other == item:
                    for true in range(width):
                        whole = sum(counts[judge, true, each] for each in range(width))
                        joint[true] *= counts[judge, true, said] / whole
            posterior[item] = [value / sum(joint) for value in joint]
    return posterior


def slow_mace(ratings: Ratings, passes: int) -> tuple[list[list[float]], list[float]]:
    """MACE by plain loops: the answers, and how often each judge knows them."""
    width, labels, judges = len(ratings.categories), triples(ratings), range(len(ratings.judges))
    knows, guess = [0.5 for _ in judges], [[1 / width] * width for _ in judges]
    posterior = [[0.0] * width for _ in ratings.items]
    for number in range(passes):
        for item in {item for item, _, _ in labels}:
            joint = [1 / width] * width
            for other, judge, said in labels:
                if other == item:
                    for true in range(width):
                        joint[true] *= knows[judge] * (said == true) + (1 - knows[judge]) * guess[judge][said]
            posterior[item] = [value / sum(joint) for value in joint]
        if number == passes - 1:
            break
        sure = [SMOOTHING / 2 for _ in judges]
        total = [SMOOTHING for _ in judges]
        guessed = [[SMOOTHING / width] * width for _ in judges]
        for item, judge, said in labels:
            known = knows[judge] / (knows[judge] + (1 - knows[judge]) * guess[judge][said]) * posterior[item][said]
            sure[judge] += known
            total[judge] += 1
            guessed[judge][said] += 1 - known
        knows = [one / other for one, other in zip(sure, total, strict=True)]
        guess = [[value / sum(row) for value in row] for row in guessed]
    return posterior, knows


@settings(max_examples=16, deadline=None)
@given(tables.filter(usable), st.integers(1, 6))
def test_dawid_skene_is_what_plain_loops_give(table: Table, passes: int) -> None:
    ratings = Ratings.from_labels(table)
    fit = dawid_skene(ratings, iterations=passes, tolerance=1e-300)
    slow = slow_dawid_skene(ratings, len(fit.trace))
    labelled = ratings.labels_of_item > 0
    assert fit.posterior[labelled] == pytest.approx(np.array(slow)[labelled], abs=1e-9)
    assert np.isnan(fit.posterior[~labelled]).all()


@settings(max_examples=16, deadline=None)
@given(tables.filter(usable), st.integers(1, 6))
def test_mace_is_what_plain_loops_give(table: Table, passes: int) -> None:
    ratings = Ratings.from_labels(table)
    fit = mace(ratings, iterations=passes, tolerance=1e-300)
    posterior, knows = slow_mace(ratings, len(fit.trace))
    labelled = ratings.labels_of_item > 0
    assert fit.posterior[labelled] == pytest.approx(np.array(posterior)[labelled], abs=1e-9)
    assert fit.ability == pytest.approx(np.array(knows), abs=1e-9)


@settings(max_examples=12, deadline=None)
@given(tables.filter(usable), st.permutations(range(4)))
def test_the_order_of_judges_does_not_matter_and_the_trace_never_falls(table: Table, order: list[int]) -> None:
    named = {f"j{place}": row for place, row in enumerate(table)}
    turned = {f"j{place}": table[place] for place in order if place < len(table)}
    for method in (majority, dawid_skene, mace):
        first, second = (method(Ratings.from_labels(each, [0, 1, 2])) for each in (named, turned))
        assert first.posterior == pytest.approx(second.posterior, abs=1e-6, nan_ok=True)
        assert all(after >= before - 1e-9 for before, after in itertools.pairwise(first.trace))


def simulated(confusions: Any, prevalence: Any, items: int, seed: int) -> tuple[Ratings, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.choice(len(prevalence), items, p=prevalence)
    table = [[rng.choice(len(prevalence), p=confusion[true]) for true in truth] for confusion in confusions]
    return Ratings.from_labels([[int(label) for label in row] for row in table]), truth


def test_dawid_skene_finds_the_confusion_matrices_that_labels_were_drawn_from() -> None:
    confusions = np.array([
        [[0.9, 0.05, 0.05], [0.1, 0.8, 0.1], [0.05, 0.15, 0.8]],
        [[0.7, 0.2, 0.1], [0.1, 0.85, 0.05], [0.2, 0.1, 0.7]],
        [[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.02, 0.08, 0.9]],
        [[0.6, 0.3, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]],
        [[0.2, 0.4, 0.4], [0.2, 0.4, 0.4], [0.2, 0.4, 0.4]],
    ])  # fmt: skip
    ratings, truth = simulated(confusions, [0.5, 0.3, 0.2], 3000, 5)
    fit = dawid_skene(ratings)
    assert fit.converged
    assert fit.confusion == pytest.approx(confusions, abs=0.06)
    assert (fit.chosen == truth).mean() > (majority(ratings).chosen == truth).mean()
    # What it is sure of, it is right about as often as it says.
    assert fit.probability.mean() == pytest.approx((fit.chosen == truth).mean(), abs=0.02)
    assert fit.ability.argmin() == 4


def test_mace_finds_who_knows_and_who_guesses() -> None:
    knows, guess = np.array([0.9, 0.7, 0.5, 0.3, 0.05]), np.array([0.1, 0.6, 0.3])
    confusions = [know * np.eye(3) + (1 - know) * np.tile(guess, (3, 1)) for know in knows]
    ratings, truth = simulated(confusions, [1 / 3] * 3, 4000, 8)
    fit = mace(ratings)
    assert fit.ability == pytest.approx(knows, abs=0.05)
    assert (fit.chosen == truth).mean() > (majority(ratings).chosen == truth).mean()


@in_turn(("ties", "expected"), [("lowest", 0), ("highest", 2), ("none", -1)])
@in_turn("method", [majority, dawid_skene, mace])
def test_a_tie_is_broken_by_the_rule_that_was_stated(method: Any, ties: Any, expected: int) -> None:
    # The third item keeps the category 1 in the scale, and both judges of it agree.
    result = method(Ratings.from_labels([[0, 2, 1], [2, 0, 1]]), ties=ties)
    assert result.chosen.tolist() == [expected, expected, 1]
    assert result.tied.tolist() == [0, 1]
    assert np.isnan(result.probability[0]) == (ties == "none")


def test_random_ties_follow_the_seed_and_take_each_of_the_best() -> None:
    ratings = Ratings.from_labels([[0] * 60, [2] * 60], [0, 1, 2])
    first, again, other = (majority(ratings, ties="random", seed=seed).chosen for seed in (1, 1, 2))
    assert set(first) == {0, 2}
    assert (first == again).all()
    assert (first != other).any()


def test_the_median_takes_the_lower_or_the_higher_of_two_middle_labels() -> None:
    ratings = Ratings.from_labels([[0, 1], [1, 1], [3, 2], [3, 2]])
    assert median(ratings).chosen.tolist() == [1, 1]
    assert median(ratings, ties="highest").chosen.tolist() == [3, 2]
    assert median(ratings).tied.tolist() == [0, 1]
    for ties in set(TIES) - {"lowest", "highest"}:
        with pytest.raises(ParameterError, match="lowest or the highest"):
            median(ratings, ties=ties)


def test_votes_may_have_weights() -> None:
    ratings = Ratings.from_labels([[0], [0], [1]])
    assert majority(ratings).chosen.tolist() == [0]
    heavy = majority(ratings, weights=np.array([1.0, 1.0, 3.0]))
    assert (heavy.chosen.tolist(), heavy.probability.tolist()) == ([1], [3 / 5])


def test_entropy_is_in_bits() -> None:
    result = majority(Ratings.from_labels([[0, 0, None], [1, 0, None]]))
    assert result.entropy[:2].tolist() == [1.0, 0.0]
    assert math.isnan(result.entropy[2])
    assert result.chosen.tolist() == [0, 0, -1]


@in_turn(
    ("arguments", "message"),
    [({"iterations": 0}, "iterations"), ({"tolerance": 0.0}, "tolerance"), ({"ties": "first"}, "ties")],
)
def test_settings_out_of_range_are_refused(arguments: dict[str, Any], message: str) -> None:
    ratings = Ratings.from_labels([[0, 1], [1, 1]])
    for method in (dawid_skene, mace):
        with pytest.raises(ParameterError, match=message):
            method(ratings, **arguments)


def test_one_category_has_no_model() -> None:
    for method in (dawid_skene, mace):
        with pytest.raises(ParameterError, match="one category"):
            method(Ratings.from_labels([[1, 1], [1, 1]]))


# The fixpoint ---------------------------------------------------------------------------------------------------------


def random_tables(number: int, seed: int) -> Any:
    """Labels of 15 items by 4 judges in 3 categories, table by table; -1 where there is none. Some judges guess."""
    rng, shape = np.random.default_rng(seed), (number, 15, 4)
    truth, skill = rng.integers(0, 3, shape[:2]), rng.uniform(0.2, 0.95, (number, 4))
    said = np.where(rng.random(shape) < skill[:, None, :], truth[:, :, None], rng.integers(0, 3, shape))
    return np.where(rng.random(shape) < 0.2, -1, said)


def fixpoints(labels: Any, width: int = 3) -> Any:
    """Dawid and Skene's posteriors of many tables at once, by plain passes until none of them moves any more."""
    given = (labels[..., None] == np.arange(width)).astype(float)
    has_labels, votes = given.any(axis=(2, 3)), given.sum(axis=2)
    posterior, moving = votes / np.maximum(votes.sum(axis=2, keepdims=True), 1), np.arange(len(labels))
    while len(moving):
        part, before, known = given[moving], posterior[moving], has_labels[moving]
        counts = np.einsum("nik,nijl->njkl", before, part, optimize=True) + SMOOTHING / width
        prevalence = (before.sum(axis=1) + SMOOTHING / width) / (known.sum(axis=1)[:, None] + SMOOTHING)
        logs = np.log(counts / counts.sum(axis=3, keepdims=True))
        joint = np.einsum("nijl,njkl->nik", part, logs, optimize=True) + np.log(prevalence)[:, None, :]
        after = np.exp(joint - joint.max(axis=2, keepdims=True)) * known[:, :, None]
        after /= np.maximum(after.sum(axis=2, keepdims=True), 1e-300)
        posterior[moving] = after
        moving = moving[np.abs(after - before).max(axis=(1, 2)) > 1e-11]
    return posterior


def test_dawid_skene_ends_at_the_fixpoint_of_plain_passes() -> None:
    """A pass may change what is maximised by next to nothing, and labels all the same, hundreds of passes later."""
    tables = random_tables(60, 1)
    for table, expected in zip(tables, fixpoints(tables), strict=True):
        named = [[None if label < 0 else int(label) for label in column] for column in table.T]
        fit = dawid_skene(Ratings.from_labels(named, [0, 1, 2]))
        labelled = ~np.isnan(fit.posterior[:, 0])
        assert fit.converged
        assert fit.posterior[labelled] == pytest.approx(expected[labelled], abs=1e-5)
        assert fit.chosen[labelled].tolist() == expected[labelled].round(6).argmax(axis=1).tolist()


@pytest.mark.parametrize("method", [dawid_skene, mace])
def test_a_fit_that_is_stopped_says_how_far_it_was_from_the_end(method: Any) -> None:
    labels = random_tables(1, 4)[0]
    ratings = Ratings.from_labels([[None if label < 0 else int(label) for label in column] for column in labels.T])
    early = method(ratings, iterations=5)
    assert (early.converged, len(early.trace)) == (False, 5)
    assert early.change > 1e-6
    end = method(ratings)
    assert end.converged
    assert end.change <= 1e-9
