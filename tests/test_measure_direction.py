"""Which way a measure is good: it travels with the scores, is asked for where nobody knows it, and decides words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import run_assay
from documents import lines_of
from reported import contents_of

import assay
from assay import ParameterError
from assay.measures import registered

UNITS = [f"u{number:02}" for number in range(30)]


def scores(measure: str, gain: float, directions: dict[str, Any] | None = None, systems: int = 2) -> assay.Scores:
    """Systems s0, s1, ... of which each is higher than the one before it by `gain`, nearly, on every unit."""
    rng = np.random.default_rng(7)
    base = rng.uniform(0.3, 0.5, len(UNITS))
    rows = [
        (f"s{place}", measure, "query", unit, float(base[row] + place * gain + rng.normal() * abs(gain) / 10), None)
        for place in range(systems)
        for row, unit in enumerate(UNITS)
    ]
    frame = pl.DataFrame(rows, schema=assay.Scores.SCHEMA, orient="row")
    return assay.Scores(frame) if directions is None else assay.Scores(frame, directions)


def csv_of(folder: Path, measure: str, gain: float) -> Path:
    frame = scores(measure, gain).frame.select("system", "measure", pl.col("unit").alias("query_id"), "value")
    frame.write_csv(folder / "scores.csv")
    return folder / "scores.csv"


def word(comparison: assay.Comparison) -> str:
    return comparison.findings[0].verdict.word


LOWER = ["LogLoss", "Brier", "ECE", "MCE", "VI", "DaviesBouldin", "ErrorRate", "FPR", "FDR", "EER", "WithinDistance"]
HIGHER = ["AP", "nDCG@10", "RR", "Accuracy", "F", "AUC", "ARI", "NMI", "Silhouette", "Purity", "Kappa"]


@in_turn("measure", LOWER)
def test_a_lower_number_is_better_under_a_loss_of_any_vocabulary(measure: str) -> None:
    assert word(assay.compare(scores(measure, -0.05))) == "better"
    assert word(assay.compare(scores(measure, 0.05))) == "worse"


@in_turn("measure", HIGHER)
def test_a_higher_number_is_better_under_other_names_of_any_vocabulary(measure: str) -> None:
    assert word(assay.compare(scores(measure, 0.05))) == "better"


@in_turn("vocabulary", ["ranking", "binary", "multiclass", "clustering"])
def test_bare_scores_of_every_registered_measure_go_the_way_of_the_measure(vocabulary: Any) -> None:
    quick: dict[str, Any] = {"resamples": 100, "bootstrap_resamples": 100}
    for name, measure in registered(vocabulary).items():
        expected = {True: "better", False: "worse", None: "higher"}[measure.definition.higher_is_better]
        assert word(assay.compare(scores(name, 0.05), margin=0.001, **quick)) == expected, name


@in_turn("measure", ["latency_ms", "RMSE", "cost per query"])
def test_a_name_that_no_vocabulary_knows_is_only_higher_or_lower_until_its_direction_is_stated(measure: str) -> None:
    given = scores(measure, -0.05)
    plain = assay.compare(given)
    assert word(plain) == "lower"
    assert any(note.startswith(f"{measure}: whether higher or lower is better is not known") for note in plain.notes)
    assert not any(said in lines_of(plain, "sentences")[0] for said in ("better", "worse", "as good"))
    for direction, expected in (("lower", "better"), ("higher", "worse")):
        assert word(assay.compare(given, direction=direction)) == expected
        assert word(assay.compare(given, direction={measure: direction})) == expected
        assert word(assay.compare(scores(measure, -0.05, {measure: direction}))) == expected


def test_a_name_as_assay_writes_it_goes_before_other_words_and_words_of_two_meanings_have_no_direction() -> None:
    assert word(assay.compare(scores("ERR", 0.05))) == "better"  # expected reciprocal rank, higher is better
    assert word(assay.compare(scores("err", 0.05))) == "higher"  # that, or the error rate


def test_nothing_is_called_better_or_worse_where_the_direction_is_not_known() -> None:
    rng = np.random.default_rng(0)
    for gain in (0.0, 0.00001, 0.02):
        given = scores("seconds", gain)
        noisy = given.frame.with_columns(pl.col("value") + pl.Series(rng.normal(0, 0.1, given.frame.height)))
        for frame in (given.frame, noisy):
            lines = lines_of(assay.compare(assay.Scores(frame), margin=0.001), "sentences")
            assert "better" not in lines[0]
            assert "as good as" not in lines[0]


def test_scores_of_an_evaluation_bring_their_direction_whatever_the_measure_is_called() -> None:
    judged = {f"q{number}": {"d1": 1, "d2": 0, "d3": 0} for number in range(8)}
    runs = {"late": {query: {"d2": 2.0, "d1": 1.0} for query in judged}, "soon": {q: {"d1": 1.0} for q in judged}}
    runs["late"]["q7"] = {"d2": 2.0, "d3": 1.5, "d1": 1.0}
    evaluation = assay.evaluate(judged, runs, ["RR", "NumNonRelRet", "NumRet"])
    known = {"RR": "higher", "NumNonRelRet": "lower", "NumRet": "neither"}
    assert dict(evaluation.scores.directions) == known
    words = {one.measure: one.verdict.word for one in assay.compare(evaluation.scores).findings}
    assert words == {"RR": "better", "NumNonRelRet": "better", "NumRet": "lower"}


def test_scores_of_classifiers_and_clusterings_bring_theirs() -> None:
    predictions = assay.Predictions.of([0, 1, 0, 1], y_score=[0.1, 0.9, 0.4, 0.6])
    directions = assay.classify(predictions, ["LogLoss", "Recall"]).scores.directions
    assert directions == {"LogLoss": "lower", "Recall": "higher"}
    clusters = assay.Clusters.of(["a", "a", "b"], [1, 1, 2])
    assert assay.cluster(clusters, ["VI", "ARI"]).scores.directions == {"VI": "lower", "ARI": "higher"}


@in_turn(
    ("measure", "direction", "says"),
    [
        ("latency", {"latncy": "lower"}, "did you mean latency"),
        ("latency", "smaller", "higher or lower, not 'smaller'"),
        ("AP", "lower", "the direction of every measure is known: AP (higher is better)"),
    ],
)
def test_a_direction_that_makes_no_sense_is_refused(measure: str, direction: Any, says: str) -> None:
    with pytest.raises(ParameterError) as caught:
        assay.compare(scores(measure, 0.05), direction=direction)
    assert says in str(caught.value)


def test_a_column_that_only_bears_the_name_of_a_measure_can_be_given_another_direction() -> None:
    assert word(assay.compare(scores("AP", 0.05), direction={"AP": "lower"})) == "worse"


def test_what_assay_measured_itself_cannot_be_turned_round() -> None:
    judged = {f"q{number}": {"d1": 1} for number in range(8)}
    runs = {name: {query: {"d1": 1.0} for query in judged} for name in ("a", "b")}
    with pytest.raises(ParameterError, match="RR: higher is better, not lower"):
        assay.compare(judged, runs, measures="RR", direction={"RR": "lower"})


def test_standings_put_the_best_first_and_units_are_won_with_the_better_number() -> None:
    compared = assay.compare(scores("LogLoss", -0.05, systems=3))
    assert [one.system for one in compared.standing("LogLoss")] == ["s2", "s1", "s0"]
    two = assay.compare(scores("LogLoss", -0.05))
    assert two.to_frame().select("won", "lost").row(0) == (len(UNITS), 0)
    assert assay.compare(scores("AP", 0.05)).to_frame().select("won", "lost").row(0) == (len(UNITS), 0)


def test_slices_go_by_the_direction_too() -> None:
    compared = assay.compare(scores("latency_ms", -0.05), direction="lower")
    sliced = compared.slices({unit: "long" if place % 2 else "short" for place, unit in enumerate(UNITS)})
    assert sliced["verdict"].to_list() == ["better", "better"]


def test_a_correlation_knows_losses_and_says_what_it_takes_for_granted() -> None:
    def of(loss: str) -> assay.Scores:
        frames = [scores("AP", 0.05, systems=4).frame, scores(loss, -0.05, systems=4).frame]
        return assay.Scores(pl.concat(frames))

    tau = "Kendall's tau-b"
    assert assay.correlate(of("LogLoss"), "AP", "LogLoss", resamples=0).value(tau) == pytest.approx(1)
    unknown = assay.correlate(of("latency_ms"), "AP", "latency_ms", resamples=0)
    assert unknown.value(tau) == pytest.approx(-1)
    assert any("higher is taken as better" in note for note in unknown.notes)
    stated = assay.correlate(of("latency_ms"), "AP", "latency_ms", resamples=0, direction="lower")
    assert stated.value(tau) == pytest.approx(1)
    lists = {"a": 0.1, "b": 0.2, "c": 0.3}, {"a": 30.0, "b": 20.0, "c": 10.0}
    turned = assay.correlate(*lists, names=["AP", "ms"], direction={"ms": "lower"})
    assert turned.value(tau) == pytest.approx(1)


def test_a_gate_asks_for_the_direction_of_what_is_neither_good_nor_bad() -> None:
    judged = {f"q{number}": {"d1": 1} for number in range(8)}
    many = {query: {"d1": 3.0, "x": 2.0, "y": 1.0} for query in judged}
    few = {query: {"d1": 3.0} for query in judged}
    with pytest.raises(ParameterError, match=r"NumRet: it is neither good nor bad .*state its direction"):
        assay.gate(judged, few, many, measures="NumRet", margin=0.5)
    assert assay.gate(judged, few, many, measures="NumRet", margin=0.5, direction="lower").outcome == "fail"
    assert assay.gate(judged, few, many, measures="NumRet", margin=0.5, direction="higher").outcome == "pass"


def test_the_report_on_a_loss_calls_the_lower_number_best() -> None:
    contents = contents_of(assay.make_report(scores("LogLoss", -0.05)))
    assert [(one.system, one.tone) for one in contents.verdicts] == [("s1", "good")]
    assert [[score.is_best for score in row.scores] for row in contents.systems] == [[True], [False]]
    unknown = assay.make_report(scores("latency_ms", -0.05))
    assert contents_of(unknown).verdicts[0].word == "lower"
    assert not any(score.is_best for row in contents_of(unknown).systems for score in row.scores)
    assert "state the direction of latency_ms" in str(contents_of(unknown).advice)
    assert contents_of(assay.make_report(scores("latency_ms", -0.05), direction="lower")).verdicts[0].tone == "good"


def marked(text: str, marks: Sequence[str]) -> int:
    return sum(text.count(mark) for mark in marks)


def test_the_best_value_is_marked_where_lower_is_better_in_every_form() -> None:
    judged = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1, "d2": 0}}
    runs = {"clean": {query: {"d1": 1.0} for query in judged}, "noisy": {q: {"d2": 2.0, "d1": 1.0} for q in judged}}
    result = assay.evaluate(judged, runs, "NumNonRelRet")
    assert "**0**" in result.to_markdown()
    assert "**2**" not in result.to_markdown()
    assert r"\textbf{0}" in result.to_latex()
    assert "<b>0</b>" in result._repr_html_()
    truth = [0, 1] * 10
    systems = {"good": assay.Predictions.of(truth, truth), "bad": assay.Predictions.of(truth, [0] * 20)}
    [row] = [line for line in assay.classify(systems, "ErrorRate").to_markdown().splitlines() if "ErrorRate" in line]
    assert row.index("**0.000") < row.index("0.500")
    assert marked(row, ["**"]) == 2


def test_the_command_asks_for_directions_by_an_option(tmp_path: Path) -> None:
    path = csv_of(tmp_path, "latency_ms", -0.05)
    plain = run_assay("scores", "compare", path, "--json", folder=tmp_path)
    finding = json.loads(plain.stdout)["sections"]["findings"]["findings"][0]
    assert (finding["verdict"], finding["direction"]) == ("lower", "unknown")
    assert "latency_ms: whether higher or lower is better is not known" in plain.stderr
    for option, expected in (("lower", "better"), ("latency_ms=lower", "better"), ("latency_ms=higher", "worse")):
        done = run_assay("scores", "compare", path, "--direction", option, "--json", folder=tmp_path)
        assert json.loads(done.stdout)["sections"]["findings"]["findings"][0]["verdict"] == expected
    wrong = run_assay("scores", "compare", path, "--direction", "down", folder=tmp_path)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "the direction of latency_ms is higher or lower, not 'down'" in wrong.stderr


@in_turn("measure", ["LogLoss", "DaviesBouldin"])
def test_a_file_of_losses_is_read_as_losses(tmp_path: Path, measure: str) -> None:
    done = run_assay("scores", "compare", csv_of(tmp_path, measure, -0.05), folder=tmp_path)
    assert f"s1 is better than s0 under {measure}" in " ".join(done.stdout.split())
