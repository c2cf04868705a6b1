"""Intervals hold what they promise: what the default is made of, how often it covers, and what few units get."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import run_assay
from reported import contents_of
from scipy import stats

import assay
from assay import Comparison, Scores
from benchmarks.studies import simulate_intervals as study

ROOT = Path(__file__).parents[1]
LEVEL, ALPHA = 0.95, 0.05
#: Trials of a simulation in a test; its shares are compared with those of 10,000 trials in the docs.
TRIALS, RESAMPLES = 300, 300


def scores(columns: dict[str, Any], measure: str = "AP") -> Scores:
    """A table of scores, given by the values of each system."""
    frames = [
        pl.DataFrame(
            {
                "system": name, "measure": measure, "unit_kind": "query", "undefined": None,
                "unit": [f"q{n:03}" for n in range(len(values))], "value": np.asarray(values, dtype=float),
            }
        ).select(pl.col(column).cast(kind) for column, kind in Scores.SCHEMA.items())
        for name, values in columns.items()
    ]  # fmt: skip
    return Scores(pl.concat(frames))


def resampled(options: dict[str, Any]) -> dict[str, Any]:
    """The options, with fewer resamples than usual where any are drawn: Student's t draws none."""
    return options if options.get("interval") == "t" else {"bootstrap_resamples": 1000} | options


def compared(old: Any, new: Any, **options: Any) -> Comparison:
    chosen: dict[str, Any] = {"test": "t"} | resampled(options)
    return assay.compare(scores({"old": old, "new": new}), **chosen)


def student(values: Any, level: float = LEVEL) -> tuple[float, float]:
    """The t interval of a mean, as textbooks have it."""
    low, high = stats.t.interval(level, len(values) - 1, np.mean(values), stats.sem(values))
    return float(low), float(high)


def drawn(seed: int, units: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    old = rng.beta(2, 4, units)
    return old, np.where(rng.random(units) < 0.5, rng.beta(2, 3, units), old)


def judged_by_counts(seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments and two runs of different lengths, for a number that is made of summed counts."""
    rng = np.random.default_rng(seed)
    qrels = {f"q{n:02}": {f"d{d}": int(rng.random() < 0.4) for d in range(12)} for n in range(20)}
    runs = {
        name: {query: {f"d{d}": 12.0 - d for d in range(int(rng.integers(2, 12)))} for query in qrels}
        for name in ("old", "new")
    }
    return qrels, runs


def labelled(seed: int) -> dict[str, assay.Predictions]:
    """What two classifiers say of 40 items, of which they have 70 % and 85 % right."""
    rng = np.random.default_rng(seed)
    truth = rng.random(40) < 0.5
    return {
        name: assay.Predictions.of(truth.tolist(), np.where(rng.random(40) < share, truth, ~truth).tolist())
        for name, share in {"old": 0.7, "new": 0.85}.items()
    }


def averaged(**options: Any) -> Comparison:
    return compared(*drawn(1, 20), **options)


def pooled(**options: Any) -> Comparison:
    qrels, runs = judged_by_counts(2)
    return assay.compare(qrels, runs, measures="SetP(average='micro')", **resampled(options))


def of_labels(**options: Any) -> Comparison:
    return assay.compare(labelled(3), measures="F", pos_label=True, **resampled(options))


@in_turn("comparison", [averaged, pooled, of_labels])
def test_the_default_reaches_as_far_as_t_and_bca_together(comparison: Callable[..., Comparison]) -> None:
    hull, t, bca = (comparison(interval=way) for way in ("hull", "t", "bca"))
    assert comparison().findings[0].interval == hull.findings[0].interval
    for part in ("interval", "narrow"):
        ends = [getattr(one.findings[0], part) for one in (hull, t, bca)]
        assert ends[0].low == min(ends[1].low, ends[2].low)
        assert ends[0].high == max(ends[1].high, ends[2].high)
        assert [one.method for one in ends] == ["hull", "t", "bca"]
    assert hull.findings[0].interval != bca.findings[0].interval  # otherwise nothing was shown


def test_the_t_interval_is_that_of_the_differences() -> None:
    old, new = drawn(4, 20)
    found = compared(old, new, interval="t")
    assert found.findings[0].interval[:2] == pytest.approx(student(new - old))
    assert found.findings[0].narrow[:2] == pytest.approx(student(new - old, 0.9))
    standing = next(one for one in found.standings if one.system == "old")
    assert standing.interval[:2] == pytest.approx(student(old))


def test_the_t_interval_of_summed_counts_has_the_error_that_leaving_units_out_tells() -> None:
    qrels, runs = judged_by_counts(2)

    def precision(run: dict[str, dict[str, float]], queries: list[str]) -> float:
        relevant = sum(qrels[query][document] for query in queries for document in run[query])
        return float(relevant / sum(len(run[query]) for query in queries))

    def apart(queries: list[str]) -> float:
        return precision(runs["new"], queries) - precision(runs["old"], queries)

    everything = list(qrels)
    without = [apart([other for other in everything if other != query]) for query in everything]
    error = np.sqrt(19 / 20 * np.sum((np.array(without) - np.mean(without)) ** 2))
    reach = stats.t.ppf(0.975, 19) * error
    found = pooled(interval="t").findings[0]
    assert found.interval[:2] == pytest.approx((apart(everything) - reach, apart(everything) + reach))


def test_a_number_has_no_interval_beyond_the_range_of_its_measure() -> None:
    old, new = [1.0, 1.0, 1.0, 1.0, 1.0, 0.2], [0.0, 0.0, 0.0, 0.0, 0.0, 0.9]
    assert student(old)[1] > 1
    assert student(np.array(new) - old)[0] < -1
    found = compared(old, new)
    assert {one.system: (one.interval.low >= 0, one.interval.high <= 1) for one in found.standings} == {
        "old": (True, True), "new": (True, True)
    }  # fmt: skip
    assert found.findings[0].interval.low == -1.0


def test_the_gate_looks_at_the_end_of_the_interval_that_compare_calls_equivalence_by() -> None:
    rng = np.random.default_rng(5)
    qrels = {f"q{n:02}": {f"d{d}": int(rng.random() < 0.4) for d in range(10)} for n in range(20)}
    old, new = ({query: {f"d{d}": float(rng.random()) for d in range(10)} for query in qrels} for _ in range(2))
    check = assay.gate(qrels, old, new, measures="AP").checks[0]
    found = {
        way: assay.compare(qrels, {"old": old, "new": new}, measures="AP", interval=way).findings[0].narrow.low
        for way in ("t", "bca")
    }
    assert check.at_worst == min(found.values())


def coverage(interval: Any, trials: Any, truth: float) -> float:
    """The share of intervals that hold the truth, each trial a system that is compared with a constant."""
    columns = {"constant": [0.5] * trials.shape[1]} | {f"s{n:03}": 0.5 + row / 2 for n, row in enumerate(trials)}
    found = assay.compare(
        scores(columns), baseline="constant", test="t", correction="none", **resampled({"interval": interval})
    )
    held = [one.interval.low <= truth / 2 <= one.interval.high for one in found.findings]
    return sum(held) / len(held)


def test_the_default_covers_reciprocal_ranks_of_which_half_do_not_differ_and_bca_does_not() -> None:
    case = next(one for one in study.CASES if one.name == "RR, differences, most at rank 1")
    trials = case.draw(np.random.default_rng(6), (400, 20))
    # The standard error of a share of 400 is about 1.1 %.
    assert coverage("hull", trials, case.truth) >= 0.93
    assert coverage("bca", trials, case.truth) < 0.93


def test_the_default_covers_every_population_as_often_as_promised_at_no_great_width() -> None:
    """With 300 trials a share has a standard error of 1.3 %; the docs have 10,000 trials, and 50 units, too."""
    kept = [study.covered(case, 20, TRIALS, RESAMPLES)["hull"] for case in study.CASES if not case.rare]
    assert min(one.coverage for one in kept) >= 0.93 - 0.026
    assert np.mean([one.coverage for one in kept]) >= 0.935
    assert max(one.width for one in kept) <= 1.25


def test_skewed_differences_raise_more_false_alarms_than_promised_and_fewer_with_the_interval_in_mind() -> None:
    case = next(one for one in study.NULLS if one.name == "half zeros, else exponential, less the mean")
    shares = study.rejected(case, 20, 2 * TRIALS, RESAMPLES)
    assert shares["permutation"] > 0.08
    assert shares["permutation and interval"] < 0.75 * shares["permutation"]
    assert shares["bootstrap"] < 0.75 * shares["permutation"]
    symmetric = study.rejected(study.NULLS[0], 20, TRIALS, RESAMPLES)
    assert symmetric["permutation"] <= stats.binom.ppf(0.999, TRIALS, ALPHA) / TRIALS


def table(title: str) -> list[list[str]]:
    """The rows of a table of the docs, below its heading row."""
    page = (ROOT / "docs" / "significance.md").read_text(encoding="utf-8")
    lines = page[page.index(title) :].split("\n\n")[1].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_docs_show_every_case_and_that_the_default_holds() -> None:
    rows = [row for row in table("Coverage of 95 % intervals") if not row[0].startswith("*")]
    assert [row[:2] for row in rows] == [[case.name, str(units)] for units in (20, 50) for case in study.CASES]
    rare = {case.name for case in study.CASES if case.rare}
    for row in rows:
        covered, width = map(float, re.findall(r"[\d.]+", row[2 + study.INTERVALS.index("hull")]))
        if row[0] not in rare:
            assert covered >= 93.0
            assert width <= 1.25
        elif covered < 93.0:
            assert "out of reach" in row[-1]
    means = [row for row in table("Coverage of 95 % intervals") if row[0].startswith("*mean")]
    assert all(float(row[2 + study.INTERVALS.index("hull")]) >= 93.5 for row in means)
    alarms = [row[:2] for row in table("False alarms at 5 %")]
    assert alarms == [[case.name, str(units)] for units in (20, 50) for case in study.NULLS]


@in_turn("interval", ["hull", "bca", "percentile", "t"])
def test_fewer_than_five_units_have_the_t_interval_whatever_was_asked_for(interval: str) -> None:
    old, new = np.array([0.2, 0.4, 0.5]), np.array([0.3, 0.4, 0.9])
    found = compared(old, new, interval=interval)
    low, high = student(new - old)
    assert found.findings[0].interval[:2] == pytest.approx((max(low, -1), min(high, 1)))
    assert found.findings[0].interval.method == "t"
    assert any(note.startswith("3 queries are too few for a bootstrap") for note in found.notes)


def test_a_report_on_few_queries_names_the_t_interval_and_no_resamples() -> None:
    qrels = {query: {"a": 1} for query in ("q1", "q2", "q3")}
    run = {"q1": {"a": 1.0}, "q2": {"b": 1.0}, "q3": {"a": 1.0}}
    contents = contents_of(assay.make_report(qrels, run, "RR"))
    told = dict(contents.provenance.settings)
    assert told["interval"] == "Student's t"
    assert "bootstrap resamples" not in told
    assert "Intervals are Student's t intervals" in contents.methods
    assert any("too few for a bootstrap" in note for note in contents.notes)


def test_five_units_are_drawn_anew() -> None:
    found = compared(*drawn(7, 5))
    assert found.findings[0].interval.method == "hull"
    assert not any("too few" in note for note in found.notes)


def test_few_units_that_are_all_alike_have_no_interval() -> None:
    found = compared([0.2, 0.3, 0.4], [0.3, 0.4, 0.5])
    assert not found.findings[0].interval.is_known
    payload = json.loads(found.to_json())
    assert "NaN" not in json.dumps(payload)


def test_few_items_of_a_classifier_have_no_bootstrap_interval() -> None:
    predicted = assay.Predictions.of([1, 1, 0, 0], [1, 0, 0, 1])
    four = assay.classify(predicted, ["F"], pos_label=1).estimate("F")
    assert np.isnan(four.low)
    assert np.isnan(four.high)


@in_turn("measure", ["AUC", "AveragePrecision"])
@in_turn("items", [4, 5])
def test_few_scored_items_have_no_interval_of_a_difference_and_that_is_said(measure: str, items: int) -> None:
    truth = [0, 1, 0, 1, 1][:items]
    given = {"old": [0.1, 0.9, 0.4, 0.3, 0.5], "new": [0.5, 0.2, 0.6, 0.7, 0.1]}
    systems = {name: assay.Predictions.of(truth, y_score=values[:items]) for name, values in given.items()}
    found = assay.compare(systems, measures=measure)
    assert found.finding().interval.is_known == (items == 5)
    said = f"{found.finding().measure}: 4 items are too few for an interval of a difference"
    assert (said in found.notes) == (items == 4)


def test_documents_of_an_extraction_are_drawn_from_five_on() -> None:
    truth = [(f"d{n}", 0, 1, "PER") for n in range(6)]
    assert assay.extract(truth, truth[:3]).interval("Recall").method == "hull"
    few = assay.extract(truth[:4], truth[:2])
    # Each document is hit or missed, so that recall is a mean: 0.5 ± 3.18 * 0.2887.
    assert few.interval("Recall")[:2] == pytest.approx((max(student([1, 1, 0, 0])[0], 0), 1))
    assert few.interval("Recall").method == "t"


def test_the_command_names_the_interval_and_says_what_few_queries_get(tmp_path: Path) -> None:
    lines = [f"{query} 0 a 1\n{query} 0 b 0\n" for query in ("q1", "q2", "q3")]
    (tmp_path / "qrels").write_text("".join(lines))
    (tmp_path / "old.run").write_text("".join(f"q{n} Q0 {'ab'[n % 2]} 1 1 x\n" for n in (1, 2, 3)))
    (tmp_path / "new.run").write_text("".join(f"q{n} Q0 a 1 1 x\n" for n in (1, 2, 3)))
    done = run_assay("compare", "qrels", "old.run", "new.run", "-m", "RR", folder=tmp_path, together=True)
    assert "3 queries are too few for a bootstrap: intervals are Student's t" in done.stdout
    assert "Student's t intervals at 95%" in " ".join(done.stdout.split())
    wrong = run_assay("compare", "qrels", "old.run", "new.run", "--interval", "wide", folder=tmp_path, together=True)
    assert wrong.returncode == 2
    assert "--interval is one of hull, bca, percentile, t, not 'wide'" in wrong.stdout


def test_a_number_that_one_item_makes_has_no_interval() -> None:
    """Without the only positive item there is no recall, and with it there is always the same."""
    truth = ["fraud"] + ["ok"] * 99
    both = [assay.Predictions.of(truth, said, pos_label="fraud", name=name)
            for name, said in (("old", ["ok"] * 100), ("new", truth))]  # fmt: skip
    comparison = assay.compare(both, measures=["BalancedAccuracy", "Accuracy"])
    one, other = comparison.findings
    assert (one.difference, one.interval.is_known, one.verdict.word) == (0.5, False, "inconclusive")
    assert other.interval.is_known
    assert "(no interval, p = 1.0000)" in str(comparison)


def test_the_measures_of_a_test_are_listed_with_one_note() -> None:
    """MCC of the old one is undefined, which is no note on how the others were tested."""
    truth = ["fraud"] * 10 + ["ok"] * 90
    both = [assay.Predictions.of(truth, said, pos_label="fraud", name=name)
            for name, said in (("old", ["ok"] * 100), ("new", truth))]  # fmt: skip
    text = assay.compare(both, measures=["Recall", "F", "MCC", "Accuracy"]).to_markdown()
    assert "swaps predictions for Recall, F1 and MCC (exact: all swaps of 10 items)" in text
