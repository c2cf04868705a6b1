"""`compare` and `gate` on clusterings: the interval of the difference decides, and it holds what it promises."""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import invoke
from documents import json_of

from assay import (
    AssayError,
    Clusters,
    Contingency,
    InputError,
    ParameterError,
    cluster,
    compare,
    correlate,
    gate,
    parse_measure,
    plan,
)
from assay.core.options import NoisePolicy
from assay.stats.half_samples import HalfSample, around
from assay.stats.samples import Drawing
from assay.subjects.clusters.subject import Clusterings
from assay.verbs.subject import name_of
from benchmarks.studies import clusterings_told_apart

NOTES = Path(__file__).parents[1] / "src" / "assay" / "data" / "notes" / "notes.csv"


def made(n: int, seed: int, *right: float) -> list[Clusters]:
    """Clusterings of the same items, of which each puts such a share into the cluster of their class."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    found = [np.where(rng.random(n) < share, truth, rng.choice(3, n)) for share in right]
    return [Clusters.of(truth, own, name=f"c{place}") for place, own in enumerate(found)]


# What is found


def test_a_better_clustering_is_better_and_there_is_no_p_value() -> None:
    found = compare(made(400, 0, 0.6, 0.9), measures="ARI").finding()
    assert found.verdict.word == "better"
    assert math.isnan(found.p)
    assert math.isnan(found.outcome.p)
    assert found.outcome.test == "none"
    assert found.interval.low > 0
    assert found.interval.method == "subsampling"


def test_names_of_clusters_make_no_difference() -> None:
    one = made(60, 1, 0.8)[0]
    renamed = Clusters.of(one.truth, [f"group {9 - place}" for place in one.cluster], name="renamed")
    found = compare([one, renamed], measures=["ARI", "Purity"])
    assert [one.verdict.word for one in found.findings] == ["identical", "identical"]


def test_items_are_paired_by_their_ids() -> None:
    one, other = made(80, 2, 0.7, 0.9)
    ids = [f"i{place}" for place in range(80)]
    one, other = (Clusters.of(own.truth, own.cluster, item_id=ids, name=own.name) for own in (one, other))
    order = pl.Series(np.random.default_rng(0).permutation(80))
    straight, shuffled = (compare([one, two], measures="NMI").finding() for two in (other, other.taken(order)))
    assert shuffled.difference == pytest.approx(straight.difference)
    assert shuffled.interval.low == pytest.approx(straight.interval.low)


def test_the_interval_is_that_of_halves_drawn_item_by_item() -> None:
    """A slow twin: draw halves of the items one by one, and take both clusterings' numbers on each."""
    one, other = made(60, 3, 0.7, 0.85)
    found = compare([one, other], measures="ARI").finding()
    rng, measure = np.random.default_rng(5), parse_measure("ARI", "clustering")
    truth, first, second = (np.array(column) for column in (one.truth, one.cluster, other.cluster))
    apart = []
    for _ in range(2000):
        half = rng.permutation(60)[:30]
        numbers = [float(measure.of(Contingency.from_labels(truth[half], own[half]))[0]) for own in (first, second)]
        apart.append(numbers[1] - numbers[0])
    strayed = np.array(apart) - np.mean(apart)
    low, high = np.quantile(strayed, [0.025, 0.975])
    reach = 1.959964 * np.std(strayed)
    assert found.interval.low == pytest.approx(found.difference - max(high, reach), abs=0.02)
    assert found.interval.high == pytest.approx(found.difference - min(low, -reach), abs=0.02)


def test_equally_good_clusterings_are_rarely_told_apart() -> None:
    """At alpha 0.05, about one in twenty; of 40 pairs 8 are more than chance allows one time in a thousand."""
    verdicts = [
        compare(made(150, seed, 0.75, 0.75), measures="ARI", bootstrap_resamples=400, seed=seed).finding().verdict.word
        for seed in range(40)
    ]
    assert sum(word in {"better", "worse"} for word in verdicts) <= 7


def test_good_clusterings_of_few_items_are_rarely_told_apart_by_any_measure() -> None:
    """Both are the classes with 5% of the labels redrawn; 6 of 25 pairs are more than chance allows."""
    for n in (40, 100):
        told: Counter[str] = Counter()
        for seed in range(25):
            rng = np.random.default_rng([n, seed])
            truth = rng.integers(0, 3, n)
            found = [np.where(rng.random(n) < 0.95, truth, rng.integers(0, 3, n)) for _ in range(2)]
            two = [Clusters.of(truth, own, name=name) for name, own in zip("ab", found, strict=True)]
            result = compare(two, margin=1e-6, bootstrap_resamples=400, seed=seed)
            told.update(one.measure for one in result.findings if one.is_sure(0.05))
        assert max(told.values(), default=0) < 6, (n, told)


@in_turn("n", [12, 40, 100, 1000])
def test_few_moved_items_do_not_decide(n: int) -> None:
    """All of five moves may go the same way by chance: one time in sixteen."""
    truth = np.arange(n) % 3
    for moved in (1, 5):
        other = np.where(np.arange(n) < moved, (truth + 1) % 3, truth)
        result = compare(
            [Clusters.of(truth, own, name=name) for name, own in (("a", truth), ("b", other))], margin=1e-9
        )
        assert {one.verdict.word for one in result.findings} == {"inconclusive"}, moved
        assert all(one.interval.high >= 0 for one in result.findings)


def test_a_gate_does_not_fail_for_three_moved_items() -> None:
    truth = np.arange(40) % 3
    other = np.where(np.arange(40) < 3, (truth + 1) % 3, truth)
    assert gate(Clusters.of(truth, truth, name="a"), Clusters.of(truth, other, name="b")).outcome == "inconclusive"


def test_few_moved_items_of_many_are_equivalent() -> None:
    truth = np.arange(5000) % 3
    other = np.where(np.arange(5000) < 2, (truth + 1) % 3, truth)
    found = compare([Clusters.of(truth, own, name=name) for name, own in (("a", truth), ("b", other))], measures="ARI")
    assert found.finding().verdict.word == "equivalent"


def test_more_comparisons_need_more_moved_items() -> None:
    """Six moves go the same way one time in 32: enough for 95%, and not for 98.3%."""
    truth = np.arange(2000) % 2
    drawn = np.random.default_rng(0).normal(0, 0.001, (2000, 2))
    places = truth, np.where(np.arange(2000) < 6, 1 - truth, truth)
    sample = HalfSample(
        parse_measure("ARI", "clustering"), np.array([1.0, 0.9]), (None, None), places, lambda *_: drawn
    )
    usual, wide = sample.intervals((0, 1), [0.95, 1 - 0.05 / 3], Drawing(2000, 0))
    assert usual.high < 0
    assert wide.high == 0


def test_either_end_is_the_farther_one_of_quantile_and_normal_curve() -> None:
    lumps = np.repeat([-0.01, 0.03], [1500, 500])
    found = around(0.02, lumps, 0.95)
    assert found.low == pytest.approx(0.02 - 1.959964 * np.std(lumps))
    skewed = np.random.default_rng(0).exponential(1.0, 2000) - 1
    found = around(0.0, skewed, 0.95)
    assert found.low == pytest.approx(-np.quantile(skewed, 0.975))
    assert found.high == pytest.approx(1.959964 * np.std(skewed))


def test_intervals_hold_the_true_difference_as_often_as_they_say() -> None:
    """The truth is what very many items give; 95% intervals hold it in 88% to 100% of 25 samples."""
    whole = compare(made(200_000, 1, 0.7, 0.8), measures="ARI", bootstrap_resamples=100).finding().difference
    held = 0
    for seed in range(25):
        found = compare(made(200, 1000 + seed, 0.7, 0.8), measures="ARI", bootstrap_resamples=400).finding().interval
        held += found.low <= whole <= found.high
    assert 22 <= held <= 25


def test_a_wide_margin_makes_clusterings_equivalent() -> None:
    found = compare(made(2000, 4, 0.8, 0.8), measures="ARI", margin=0.2).finding()
    assert found.verdict.word == "equivalent"
    assert "within the margin" in found.verdict.why


def test_fewer_items_are_said_to_be_needed_for_a_wider_margin() -> None:
    few, many = (compare(made(200, 5, 0.75, 0.76), measures="ARI", margin=m).finding() for m in (0.1, 0.05))
    assert few.needed is not None
    assert many.needed is not None
    assert many.needed == pytest.approx(4 * few.needed, rel=0.02)


def test_lower_is_better_where_it_is() -> None:
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(8, 1, (60, 2))])
    good = np.repeat([0, 1], 60)
    bad = np.where(rng.random(120) < 0.3, 1 - good, good)
    two = [Clusters.of(None, labels, X=points, name=name) for name, labels in (("good", good), ("bad", bad))]
    found = compare(two, measures=["DaviesBouldin", "Silhouette"])
    assert [one.verdict.word for one in found.findings] == ["worse", "worse"]
    assert found.finding("DaviesBouldin").difference > 0 > found.finding("Silhouette").difference


def test_what_grows_with_the_items_has_no_interval_and_no_verdict() -> None:
    points = np.random.default_rng(0).normal(size=(40, 2))
    two = [Clusters.of(None, np.arange(40) % k, X=points, name=f"k{k}") for k in (2, 3)]
    found = compare(two, measures="CalinskiHarabasz").finding()
    assert found.verdict.word == "inconclusive"
    assert found.verdict.why == "there is no interval"
    assert not found.interval.is_known


def test_an_undefined_number_is_said_to_be_none() -> None:
    truth = [0, 1] * 10
    two = [Clusters.of(truth, labels, name=name) for name, labels in (("single", range(20)), ("pairs", truth))]
    result = compare(two, measures="PairPrecision")
    assert result.finding().verdict.why == "undefined for single (no two items share a cluster)"
    assert any("no two items share a cluster" in note for note in result.notes)


# Several comparisons


def test_of_several_comparisons_a_wider_interval_decides() -> None:
    result = compare(made(150, 6, 0.7, 0.8, 0.9), measures="ARI")
    assert [one.deciding.level for one in result.findings if one.deciding] == [pytest.approx(1 - 0.05 / 3)] * 3
    for one in result.findings:
        assert one.deciding is not None
        assert one.deciding.low < one.interval.low
        assert one.deciding.high > one.interval.high
        assert (one.verdict.word in {"better", "worse"}) == one.deciding.is_beside_zero
    assert result.settings.correction == "bonferroni"
    plain = compare(made(150, 6, 0.7, 0.8, 0.9), measures="ARI", correction="none")
    assert all(one.deciding == one.interval for one in plain.findings)


def test_groups_of_systems_follow_the_verdicts() -> None:
    result = compare(made(500, 7, 0.5, 0.9, 0.9), measures="ARI")
    letters = {one.system: set(one.groups) for one in result.standing("ARI")}
    assert not letters["c0"] & letters["c1"]
    assert letters["c1"] & letters["c2"]


def test_far_out_ends_rest_on_a_normal_curve() -> None:
    drawn = np.random.default_rng(0).normal(0, 1, 500)
    assert around(0.0, drawn, 0.9999).high > drawn.max()


# What is refused, and what is said


def test_a_test_is_refused_with_the_reason() -> None:
    with pytest.raises(ParameterError, match="no test of them, not permutation either; the interval speaks"):
        compare(made(30, 0, 0.7, 0.8), measures="ARI", test="permutation")


def test_tables_hold_no_items_to_pair() -> None:
    table = Contingency.from_table([[3, 1], [0, 4]])
    result = cluster({"a": table, "b": table})
    with pytest.raises(InputError, match="holds no items to pair"):
        compare(result)
    with pytest.raises(InputError, match="holds no items to pair"):
        compare({"a": table, "b": table})
    with pytest.raises(InputError, match="holds no items to pair"):
        gate({"a": table, "b": table}, baseline="a", candidate="b")


def test_other_points_are_refused_for_distances_and_left_out_of_the_defaults() -> None:
    truth, rng = [0, 1] * 10, np.random.default_rng(0)
    two = [Clusters.of(truth, truth, X=rng.normal(size=(20, 2)), name=name) for name in "ab"]
    with pytest.raises(ParameterError, match="points of a and b are not the same"):
        compare(two, measures="Silhouette")
    assert compare(two).measures == ("ARI", "NMI", "BCubedF1")


@in_turn(
    ("rules", "says"),
    [({"pos_label": 1}, "'pos_label' is a rule of classifiers"), ({"missing": "zero"}, "missing is one of")],
)
def test_wrong_rules_are_refused(rules: dict[str, Any], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        compare(made(30, 0, 0.7, 0.8), **rules)


def test_rules_of_a_result_hold_and_are_not_said_twice() -> None:
    result = cluster(made(30, 0, 0.7, 0.8), noise=2)
    assert Clusterings.of(result).rules.noise == 2
    with pytest.raises(ParameterError, match="was decided when the clusterings were measured"):
        compare(result, noise=1)


def test_other_numbers_of_clusters_are_noted_with_the_measures_they_flatter() -> None:
    truth = np.arange(60) % 3
    two = [Clusters.of(truth, labels, name=name) for name, labels in (("few", truth), ("many", np.arange(60) % 12))]
    notes = compare(two, measures=["Purity", "InversePurity", "ARI", "NMI"]).notes
    assert any("more clusters make NMI larger by chance" in note for note in notes)
    assert any("more clusters alone make Purity better" in note for note in notes)
    assert any("fewer clusters alone make InversePurity better" in note for note in notes)


def test_missing_items_are_an_error_or_are_left_out_and_counted() -> None:
    one = Clusters.of([0, 1, 0, 1, 0, 1], [0, 1, 0, 1, 1, 1], item_id=list("abcdef"), name="one")
    other = Clusters.of([0, 1, 0, 1, 0], [0, 1, 0, 0, 0], item_id=list("abcde"), name="other")
    with pytest.raises(InputError, match="other lacks 1 item"):
        compare([one, other], measures="Purity")
    assert compare([one, other], measures="Purity", missing="drop").finding().units == 5


def noisy_and_clean() -> list[Clusters]:
    """One clustering is right where it says something, and leaves every fifth item out; the other places all."""
    truth = np.arange(100) % 2
    rng = np.random.default_rng(0)
    noisy = np.where(np.arange(100) % 5 == 0, -1, truth)
    clean = np.where(rng.random(100) < 0.2, 1 - truth, truth)
    return [Clusters.of(truth, own, name=name) for name, own in (("noisy", noisy), ("clean", clean))]


@in_turn("noise_as", ["singletons", "cluster"])
def test_noise_of_one_clustering_is_kept_beside_a_clean_one(noise_as: NoisePolicy) -> None:
    both = noisy_and_clean()
    found = compare(both, measures="ARI", noise=-1, noise_as=noise_as).finding()
    assert found.units == 100
    assert found.baseline_value == pytest.approx(cluster(both[0], ["ARI"], noise=-1, noise_as=noise_as).value("ARI"))
    assert found.value == pytest.approx(cluster(both[1], ["ARI"]).value("ARI"))


def test_what_one_clustering_leaves_out_is_left_out_of_all() -> None:
    both = noisy_and_clean()
    kept = np.arange(100) % 5 != 0
    by_hand = [one.taken(pl.Series(kept)) for one in both]
    dropped, expected = compare(both, measures="ARI", noise=-1), compare(by_hand, measures="ARI")
    assert dropped.finding().interval == expected.finding().interval
    assert dropped.finding().value == expected.finding().value
    assert dropped.finding().units == 80
    said = "left out as noise: 20 items of noisy, 0 items of clean; the numbers cover the 80 items"
    assert any(said in note for note in dropped.notes)
    pairings = [each.pairing for each in (dropped, expected)]
    alike, by_hand_alike = (each.alike("noisy", "clean") for each in pairings if isinstance(each, Clusterings))
    assert alike == by_hand_alike
    checked = gate(both[1], both[0], noise=-1)
    assert checked.checks[0].units == 80
    assert all(guard.holds for guard in checked.guards)
    assert any("left out as noise" in note for note in checked.notes)


def test_noise_everywhere_leaves_nothing_to_compare() -> None:
    two = [Clusters.of([0, 1] * 4, labels, name=name) for name, labels in (("a", [-1, 1] * 4), ("b", [1, -1] * 4))]
    with pytest.raises(InputError, match="no item that all clusterings put into a cluster"):
        compare(two, noise=-1)


def test_a_difference_without_an_interval_says_why() -> None:
    truth = np.arange(60) % 3
    pure = [Clusters.of(truth, own, name=name) for name, own in (("a", truth), ("b", np.arange(60) % 6))]
    why = "Purity: the difference has no interval, so nothing can decide: all halves of the items give the same"
    assert any(why in note for note in compare(pure, measures="Purity").notes)
    checked = gate(*pure, measures="Purity")
    assert any(why in note for note in checked.notes)
    assert "there is no interval to decide by" in checked.sentence
    assert "NA" not in str(checked)
    points = np.random.default_rng(0).normal(size=(40, 2))
    two = [Clusters.of(None, np.arange(40) % k, X=points, name=f"k{k}") for k in (2, 3)]
    assert any("it grows with the number of items" in note for note in gate(*two, measures="CalinskiHarabasz").notes)


def test_a_baseline_of_0_but_for_rounding_has_no_relative_difference() -> None:
    found = compare(made(50, 0, 0.6, 0.9), measures="ARI").finding()
    assert math.isnan(found._replace(baseline_value=1.8e-17).relative)
    assert found._replace(baseline_value=-0.5, difference=0.1).relative == pytest.approx(0.2)


@in_turn(
    ("options", "says"),
    [
        ({"interval": "percentile"}, "is about numbers of single units"),
        ({"resamples": 500}, "is about a test"),
        ({"metric": "cosine"}, "is about points, and there are none"),
        ({"sample_size": 10}, "is about points, and there are none"),
    ],
)
def test_what_changes_nothing_is_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        compare(made(30, 0, 0.7, 0.8), **options)


@in_turn(
    ("first", "says"),
    [
        ("empty.csv", r"empty.csv: .*there are no data"),
        ("absent.csv", "absent.csv: cannot be read"),
    ],
)
def test_what_stands_before_clusters_is_blamed_if_it_holds_none(first: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "empty.csv").touch()
    with pytest.raises(InputError, match=says):
        invoke(["clustering", "compare", tmp_path / first, NOTES], catch_exceptions=False)


def test_a_gate_has_no_test_of_clusterings_to_draw_for() -> None:
    with pytest.raises(ParameterError, match="is about a test"):
        gate(*made(30, 0, 0.7, 0.8), resamples=500)


def test_the_settings_name_the_intervals_that_there_are() -> None:
    result = compare(made(60, 0, 0.7, 0.8), measures="ARI")
    assert result.settings.interval == result.finding().interval.method == "subsampling"
    assert json_of(result)["method"]["settings"]["interval"] == "subsampling"


def test_what_rankings_have_is_refused_without_speaking_of_scores() -> None:
    result = compare(made(30, 0, 0.7, 0.8), measures="ARI")
    for asked in (result.bounds, result.changes):
        with pytest.raises(ParameterError, match="clusters have none"):
            asked()
    with pytest.raises(ParameterError, match=r"flip: compare those$"):
        result.flipped()


def test_how_alike_two_clusterings_are_counts_moved_items() -> None:
    truth = [0, 0, 0, 1, 1, 1]
    both = Clusterings.of(
        [Clusters.of(truth, labels, name=name) for name, labels in (("a", truth), ("b", list("xxxyyx")))]
    )
    assert both.alike("a", "b").moved == 1


def test_only_clusterings_are_taken_for_such() -> None:
    assert name_of(NOTES) == "clusters"
    assert name_of([made(5, 0, 0.9)[0]]) == "clusters"
    assert name_of(NOTES.parent / "README.md") != "clusters"
    assert name_of([]) != "clusters"
    assert name_of(3) != "clusters"


def test_a_sample_of_one_clustering_stays_within_the_bounds_of_its_measure() -> None:
    drawn = np.random.default_rng(0).normal(0, 0.5, (500, 1))
    codes = (np.array([0, 1]),)
    sample = HalfSample(parse_measure("Purity", "clustering"), np.array([0.9]), (None,), codes, lambda *_: drawn)
    (found,) = sample.intervals((0,), [0.95], Drawing(500, 0))
    assert found.high == 1.0
    assert found.low >= 0


# The gate


def test_the_gate_passes_fails_and_cannot_tell() -> None:
    worse, same, better = made(800, 8, 0.6, 0.85, 0.95)
    assert gate(same, better).outcome == "pass"
    failed = gate(same, worse)
    assert failed.outcome == "fail"
    assert failed.exit_code == 1
    [check] = failed.checks
    assert check.at_best is not None
    assert check.at_best < 0
    assert math.isnan(check.p)
    assert gate(*made(60, 9, 0.8, 0.8)).outcome == "inconclusive"
    assert gate(same, Clusters.of(same.truth, same.cluster, name="copy")).checks[0].why == "no unit differs"


def test_a_gate_of_several_checks_widens_the_good_ends() -> None:
    two = made(200, 10, 0.85, 0.75)
    alone = gate(*two, measures="ARI").checks[0]
    among = gate(*two, measures=["ARI", "NMI", "Purity"]).checks[0]
    assert alone.at_best is not None
    assert among.at_best is not None
    assert among.at_best > alone.at_best
    assert among.at_worst == alone.at_worst


def test_a_gate_without_classes_looks_at_the_points() -> None:
    points = np.random.default_rng(0).normal(size=(40, 2))
    two = [Clusters.of(None, np.arange(40) % k, X=points, name=f"k{k}") for k in (2, 3)]
    assert gate(*two).checks[0].measure == "Silhouette"


def test_a_gate_says_how_it_was_decided() -> None:
    said = str(gate(*made(200, 11, 0.9, 0.6)))
    assert "there is no test" in said
    assert "random halves of the items" in said


# On the command line


def ran(*words: str) -> Any:
    return invoke(list(words))


def test_the_command_compares_the_clusterings_of_a_file() -> None:
    done = ran(
        "clustering", "compare", str(NOTES), "--unlabelled", "drop", "-b", "kmeans", "-m", "ARI", "--json", "--quiet"
    )
    assert done.exit_code == 0
    payload = json.loads(done.stdout)["sections"]
    rows = payload["findings"]["findings"]
    assert [row["verdict"] for row in rows] == ["worse", "worse"]
    assert {row["p"] for row in rows} == {None}
    assert payload["method"]["signatures"]["ARI"] == "ARI|unlabelled=drop|undefined=skip|v1"


def test_the_command_takes_a_file_each_and_points(tmp_path: Path) -> None:
    frame = pl.read_csv(NOTES)
    for name in ("kmeans", "words"):
        own = frame.select("item_id", "class", "x", "y", "z", cluster=f"cluster_{name}")
        own.sample(fraction=1, shuffle=True, seed=1).write_csv(tmp_path / f"{name}.csv")
    files = [f"{name}={tmp_path / name}.csv" for name in ("kmeans", "words")]
    done = ran(
        "clustering",
        "compare",
        *files,
        "--unlabelled",
        "drop",
        "--points",
        "x,y,z",
        "-m",
        "Silhouette",
        "--csv",
        "--quiet",
    )
    assert done.exit_code == 0, done.output
    assert "Silhouette,kmeans,words,120," in done.stdout


@in_turn(
    ("words", "says"),
    [
        (["--threshold", "0.5", "--unlabelled", "drop"], "--threshold goes with assay classifier compare"),
        (["--level", "2", "--unlabelled", "drop"], "--level goes with assay agreement compare or assay compare"),
        (["--flipped", "3", "--unlabelled", "drop"], "--flipped goes with assay classifier compare"),
        (["--noise-as", "drop"], "--noise-as goes with --noise"),
        ([], "without a class"),
    ],
)
def test_what_has_no_meaning_for_clusters_is_refused(words: list[str], says: str) -> None:
    done = ran("clustering", "compare", str(NOTES), *words)
    assert done.exit_code != 0
    assert isinstance(done.exception, AssayError)
    assert done.exception is not None
    assert re.search(says, str(done.exception))


def test_the_gate_command_has_the_exit_codes() -> None:
    words = ["clustering", "gate", str(NOTES), "--unlabelled", "drop", "--quiet"]
    assert ran(*words, "-b", "kmeans", "-c", "density").exit_code == 1
    assert ran(*words, "-b", "density", "-c", "kmeans").exit_code == 0
    assert ran(*words, "-b", "kmeans", "-c", "words", "-m", "Purity").exit_code == 3


def test_the_study_tells_how_often_equally_good_clusterings_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With two pairs a row it is quick; the numbers of the page take 200."""
    monkeypatch.setattr(sys, "argv", ["study", "--pairs", "2"])
    clusterings_told_apart.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "40 items, 5% redrawn", "100 items, 5% redrawn", "400 items, 5% redrawn", "200 items, 30% redrawn",
    ]  # fmt: skip
    assert all(re.fullmatch(r".*: ARI \d+\.\d%, NMI \d+\.\d%, BCubedF \d+\.\d%", line) for line in lines)


def test_clusterings_have_an_order_under_measures_and_no_power_to_plan() -> None:
    clusterings = made(200, 0, 0.5, 0.7, 0.9)
    assert correlate(clusterings, "ARI", "NMI").value("Kendall's tau-b") == 1.0
    with pytest.raises(InputError, match="a plan is about the power of a test, and clusters have none"):
        plan(clusterings)
