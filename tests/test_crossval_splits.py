"""How items are split: each is tested once a repeat, groups stay whole, time runs forward, leaks are seen."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import in_turn
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import datasets
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import KFold, TimeSeriesSplit, permutation_test_score
from sklearn.naive_bayes import GaussianNB

from assay import AssayError, InputError, ParameterError, crossval, leakage_check
from assay.subjects.labels.crossvalidation.items import FoldItems, on_both_sides, row_codes
from assay.subjects.labels.crossvalidation.splits import Split, Splits, split_items

CANCER = datasets.load_breast_cancer(return_X_y=True)


def split(number: int, cv: Any, labels: Any = None, groups: Any = None, time: Any = None, **asked: Any) -> Splits:
    """Split so many items, whose labels take turns unless given."""
    held = np.arange(number) % 2 if labels is None else labels
    return split_items(FoldItems.of(np.zeros((number, 1)), held, groups=groups, time=time), cv, **asked)


@st.composite
def grouped(draw: st.DrawFn) -> tuple[Any, Any]:
    """Labels of items, both of which occur often, and groups of several sizes."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=6, max_size=15))
    groups = np.repeat(np.arange(len(sizes)), sizes)
    labels = np.array(draw(st.lists(st.integers(0, 1), min_size=len(groups), max_size=len(groups))))
    labels[:10:2], labels[1:10:2] = 0, 1
    order = draw(st.permutations(range(len(groups))))
    return labels[order], groups[order]


@settings(deadline=None, max_examples=24)
@given(
    held=grouped(), repeats=st.integers(1, 3), cv=st.sampled_from([2, 3, 4, "repeated", "5x2"]),
    seed=st.integers(0, 99), by_group=st.booleans(), stratify=st.booleans(),
)  # fmt: skip
def test_each_item_is_tested_once_a_repeat_and_groups_are_never_split(
    held: tuple[Any, Any], repeats: int, cv: Any, seed: int, by_group: bool, stratify: bool
) -> None:
    labels, groups = held
    times = {"repeated": 10 if repeats == 1 else repeats, "5x2": 5}.get(cv, repeats)
    folds = {"repeated": 5, "5x2": 2}.get(cv, cv)
    assume(min(np.bincount(labels, minlength=2)) >= folds)
    design: dict[str, Any] = {"repeats": 1 if cv == "5x2" else repeats, "stratify": stratify, "seed": seed}
    items = FoldItems.of(np.zeros((len(labels), 1)), labels, groups=groups if by_group else None)
    found, again = split_items(items, cv, **design), split_items(items, cv, **design)
    assert [one.test.tolist() for one in found.each] == [one.test.tolist() for one in again.each]
    assert [(one.repeat, one.fold) for one in found.each] == [
        (repeat, fold) for repeat in range(1, times + 1) for fold in range(1, folds + 1)
    ]
    for repeat in range(1, times + 1):
        own = [one for one in found.each if one.repeat == repeat]
        assert sorted(np.concatenate([one.test for one in own])) == list(range(len(labels)))
        for one in own:
            assert sorted([*one.train, *one.test]) == list(range(len(labels)))
            if by_group:
                assert not set(groups[one.train]) & set(groups[one.test])


def test_repeats_of_group_folds_deal_groups_out_anew() -> None:
    groups = np.repeat(np.arange(12), 3)
    found = split(36, 3, groups=groups, repeats=4, stratify=False)
    parts = {
        tuple(sorted(tuple(sorted(set(groups[one.test]))) for one in found.each if one.repeat == r))
        for r in range(1, 5)
    }
    assert len(parts) == 4


def test_stratified_folds_hold_the_same_share_of_every_label() -> None:
    labels = np.repeat([0, 1], [80, 20])
    found = split(100, 5, labels)
    assert {int(labels[one.test].sum()) for one in found.each} == {4}
    loose = split(100, 5, labels, stratify=False)
    assert {int(labels[one.test].sum()) for one in loose.each} != {4}


@settings(deadline=None, max_examples=12)
@given(times=st.lists(st.integers(0, 50), min_size=8, max_size=30))
def test_time_runs_forward_whatever_the_order_of_the_rows(times: list[int]) -> None:
    found = split(len(times), "time", time=times)
    held = np.array(times)
    for one in found.each:
        assert held[one.train].max() <= held[one.test].min()
    assert found.warnings == ()


def test_the_order_of_rows_stands_for_time_and_is_said_to() -> None:
    found = split(20, "time")
    theirs = [test.tolist() for _, test in TimeSeriesSplit(5).split(np.zeros(20))]
    assert [one.test.tolist() for one in found.each] == theirs
    assert found.says == "5 folds in the order of the rows, taken for that of time"


def test_folds_that_leave_out_an_item_take_little_memory() -> None:
    tracemalloc.start()
    found = split(2000, "leave-one-out")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 4_000_000  # row by row it would be 32 MB
    assert [one.train.tolist() for one in found.each[:3]] == [[*range(at), *range(at + 1, 2000)] for at in range(3)]
    backwards = split(4, [(np.array([3, 2, 1]), np.array([0]))]).each[0]
    assert backwards.train.tolist() == [3, 2, 1]


def test_a_splitter_without_a_seed_is_pointed_out() -> None:
    found = crossval(GaussianNB(), *CANCER, cv=KFold(2, shuffle=True), measures="Accuracy")
    assert "KFold has no random_state: its folds differ from run to run" in found.warnings
    assert not crossval(GaussianNB(), *CANCER, cv=KFold(2), measures="Accuracy").warnings


def test_a_rare_class_is_pointed_out() -> None:
    labels = np.array([0] * 17 + [1] * 3)
    found = split(20, 5, labels)
    assert "least populated class" in found.warnings[0]


@settings(deadline=None, max_examples=24)
@given(codes=st.lists(st.integers(0, 8), min_size=4, max_size=25), data=st.data())
def test_twins_on_both_sides_are_counted_as_one_would_by_hand(codes: list[int], data: st.DataObject) -> None:
    rows = st.lists(st.integers(0, len(codes) - 1), min_size=1, max_size=10)
    splits = [Split(1, 1, np.array(data.draw(rows)), np.array(data.draw(rows))) for _ in range(3)]
    slow = {test for one in splits for test in one.test if any(codes[test] == codes[train] for train in one.train)}
    assert on_both_sides(np.array(codes), splits) == len(slow)


def test_rows_are_alike_whatever_holds_them() -> None:
    table = np.array([[1.0, 0.0], [2.0, 5.0], [1.0, -0.0], [0.0, 0.0]])
    for form in (table, table.astype(np.float32), sparse.csr_array(table), sparse.coo_matrix(table), table.tolist()):
        codes = row_codes(form)
        assert codes is not None
        assert codes.tolist() == [0, 1, 0, 2]
    words = row_codes(["a", "b", "a"])
    assert words is not None
    assert words.tolist() == [0, 1, 0]
    assert row_codes([[{}], [{}]]) is None


def test_the_same_item_group_or_features_on_both_sides_are_pointed_out() -> None:
    x, y = CANCER
    twice, labels, ids = np.vstack([x, x[:50]]), np.append(y, y[:50]), [*range(569), *range(50)]
    fold = KFold(5, shuffle=True, random_state=0)
    said = crossval(GaussianNB(), twice, labels, cv=fold, measures="Accuracy").warnings
    assert "learned from a row with the very same features" in said[0]
    said = crossval(GaussianNB(), twice, labels, cv=fold, measures="Accuracy", item_id=ids).warnings
    assert "learned from a row with the same id" in said[0]
    said = crossval(GaussianNB(), twice, labels, cv=fold, measures="Accuracy", groups=ids).warnings
    assert "have learned from their group" not in said[0]
    assert any("learned from their group" in one for one in said)
    assert not crossval(GaussianNB(), twice, labels, measures="Accuracy", groups=ids, item_id=ids).warnings
    rows = np.arange(569)
    said = crossval(GaussianNB(), x, y, cv=[(rows[:400], rows[300:])], measures="Accuracy").warnings
    assert "leak: 100 of 269 items are tested by a model that has learned from them" in said


def test_learning_from_the_future_is_pointed_out() -> None:
    times = [f"20{year:02}-01-01" for year in range(20) for _ in range(5)]
    x, y = CANCER[0][:100], CANCER[1][:100]
    said = crossval(GaussianNB(), x, y, time=times, measures="Accuracy").warnings
    assert "leak: in 5 of 5 folds a model has learned from items of a later time" in said[0]
    assert not [
        one
        for one in crossval(GaussianNB(), x, y, cv="time", time=times, measures="Accuracy").warnings
        if "leak" in one
    ]


def test_rows_of_few_values_that_occur_often_are_no_copies_of_one_item() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 300)
    ages, answers = rng.integers(18, 80, (300, 1)), rng.integers(0, 2, (300, 5))
    for features in (ages, answers):
        assert crossval(GaussianNB(), features, labels, measures="Accuracy").warnings == ()
    assert row_codes(pd.DataFrame(answers[:, :2]).astype(str)) is None


def untouched(features: Any, labels: Any) -> Any:  # noqa: ARG001
    return features


def test_features_chosen_by_labels_before_splitting_are_found_out_by_permuting() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(80, 600)), rng.integers(0, 2, 80)

    def best(features: Any, labels: Any) -> Any:
        return SelectKBest(k=15).fit_transform(features, labels)

    looked = crossval(GaussianNB(), best(x, y), y, measures="AUC").mean()
    assert looked > 0.8  # of noise
    leaky = leakage_check(GaussianNB(), x, y, prepare=best, measure="AUC", permutations=20)
    assert leaky.leaks
    assert leaky.permuted > 0.75
    assert leaky.chance.mean() == pytest.approx(0.5, abs=0.05)
    assert leaky.says.startswith("Leak: permuted labels are predicted better than by chance")
    inside = leakage_check(GaussianNB(), x, y, prepare=untouched, measure="AUC", permutations=20)
    assert not inside.leaks
    assert inside.says.startswith("No leak seen")
    assert inside.to_frame().height == 20


def test_the_check_is_a_permutation_test_of_permuted_labels() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(40, 3)), rng.permutation(np.repeat([0, 1], 20))
    check = leakage_check(GaussianNB(), x, y, prepare=untouched, cv=KFold(4), seed=5, permutations=20)
    labels = y[np.random.default_rng(5).permutation(40)]
    score, chance, _ = permutation_test_score(
        GaussianNB(), x, labels, cv=KFold(4), n_permutations=20, random_state=5, scoring="accuracy"
    )
    p = (1 + sum(number >= score - 1e-9 for number in chance)) / 21  # equal shares are equal, however they are rounded
    assert check.permuted == pytest.approx(score)
    assert check.p == p
    assert check.chance == pytest.approx(chance)
    losses = leakage_check(
        GaussianNB(), x, y, prepare=untouched, cv=KFold(4), seed=5, measure="ErrorRate", permutations=20
    )
    assert losses.p == p
    assert losses.chance == pytest.approx(1 - chance)


def test_groups_stay_whole_where_labels_are_permuted() -> None:
    """Labels that are the same in all of a group are permuted freely, and features of the group tell nothing then."""
    groups = np.repeat(np.arange(12), 5)
    x, y = np.repeat(np.random.default_rng(0).normal(size=(12, 2)), 5, axis=0), groups % 2
    check = leakage_check(GaussianNB(), x, y, prepare=untouched, groups=groups, cv=3, permutations=20)
    assert check.is_fine
    assert np.ptp(check.chance) > 0


def test_permuting_says_leak_no_oftener_than_it_should() -> None:
    """At a level of 0.05, on noise: of 10 checks, four or more would be wrong once in a thousand times."""
    rng = np.random.default_rng(11)
    wrong = 0
    for trial in range(10):
        x, y = rng.normal(size=(40, 3)), rng.permutation(np.repeat([0, 1], 20))
        wrong += leakage_check(GaussianNB(), x, y, prepare=untouched, cv=2, seed=trial, permutations=20).leaks
    assert wrong <= 3


def test_a_check_needs_one_estimator_and_some_permutations() -> None:
    with pytest.raises(ParameterError, match="permutations is a whole number from 20 on"):
        leakage_check(GaussianNB(), *CANCER, prepare=untouched, permutations=1)
    with pytest.raises(AssayError, match="one estimator at a time"):
        leakage_check({"a": GaussianNB(), "b": GaussianNB()}, *CANCER, prepare=untouched)


def test_what_fails_in_a_check_is_said_in_one_line() -> None:
    def fails(features: Any, labels: Any) -> Any:  # noqa: ARG001
        raise KeyError("no such column")

    with pytest.raises(InputError, match=r"^prepare: KeyError: 'no such column'$"):
        leakage_check(GaussianNB(), *CANCER, prepare=fails)


@in_turn("prepare", [lambda x, y: np.vstack([x, x[:9]]), lambda x, y: x[:-9], lambda x, y: None])  # noqa: ARG005
def test_what_is_prepared_has_the_rows_of_the_features(prepare: Any) -> None:
    with pytest.raises(AssayError, match=r"^GaussianNB: "):
        leakage_check(GaussianNB(), *CANCER, prepare=prepare)
