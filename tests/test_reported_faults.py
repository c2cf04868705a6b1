"""Faults that users reported, each with its relatives."""

from __future__ import annotations

import copy
import json
import math
import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from cases import in_turn
from command import run_assay

import assay
from assay import Clusters, FormatError, InputError, Measure, ParameterError, Predictions, parse_measure
from assay.measures import registered

JUDGED = {f"q{number}": {"good": 1, "bad": 0} for number in range(8)}
WORSE = {query: {"good": 1.0, "bad": 2.0} for query in JUDGED}
BETTER = {query: {"good": 2.0, "bad": 1.0} for query in JUDGED}
RUNS = {"worse": WORSE, "better": BETTER}

RANDOM = np.random.default_rng(7)
TRUTH = RANDOM.integers(0, 2, 60)
SCORES = {
    name: np.round(TRUTH * share + RANDOM.random(60) * (1 - share), 3) for name, share in (("a", 0.4), ("b", 0.2))
}
SCORED = [Predictions.of(TRUTH, y_score=scores, name=name) for name, scores in SCORES.items()]
LABELLED = [Predictions.of(TRUTH, scores > 0.5, name=name) for name, scores in SCORES.items()]
GROUPED = [Clusters.of(TRUTH, (scores > 0.5) + 0, name=name) for name, scores in SCORES.items()]


def refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def strictly(text: str) -> Any:
    return json.loads(text, parse_constant=refuse)


# A gate in a test.


def test_a_gate_is_true_only_if_it_passes() -> None:
    failed, passed = assay.gate(JUDGED, BETTER, WORSE, measures="RR"), assay.gate(JUDGED, WORSE, BETTER, measures="RR")
    assert (failed.outcome, failed.passed, bool(failed)) == ("fail", False, False)
    assert (passed.outcome, passed.passed, bool(passed)) == ("pass", True, True)


def test_a_gate_that_cannot_tell_has_passed_only_where_that_was_asked_for() -> None:
    judged, two = {query: JUDGED[query] for query in ("q0", "q1")}, (BETTER, WORSE)
    assert not assay.gate(judged, *two, measures="RR")
    assert assay.gate(judged, *two, measures="RR").outcome == "inconclusive"
    assert assay.gate(judged, *two, measures="RR", inconclusive="pass").passed
    assert not assay.gate(judged, *two, measures="RR", inconclusive="fail").passed


def test_a_diagnosis_is_true_unless_there_is_an_error() -> None:
    tied = {query: {"good": 1.0, "bad": 1.0} for query in JUDGED}
    assert not assay.doctor(JUDGED, tied, "RR")
    assert assay.doctor(JUDGED, BETTER, "RR")


# Reports of comparisons.


@in_turn("given", [SCORED, LABELLED, GROUPED], ids=["scores", "labels", "clusters"])
def test_a_comparison_of_anything_makes_a_report(given: list[Any]) -> None:
    comparison = assay.compare(given, alpha=0.1, seed=3, bootstrap_resamples=200)
    reports: list[Any] = [assay.make_report(comparison), comparison.report()]
    for report in reports:
        found = report.table("findings")
        assert found.select("baseline", "system").rows() == [("a", "b")] * len(comparison.measures)
        assert found["difference"].to_list() == [finding.difference for finding in comparison.findings]
        assert strictly(report.to_json())["sections"]["summary"]["confidence"] == 0.9
        assert report.table("measures").height == len(comparison.measures)
        assert report.to_html().startswith("<!doctype html>")
        assert report.to_markdown()
        assert report.to_latex()


def test_a_report_of_a_comparison_takes_rules_from_there_and_one_baseline_only() -> None:
    with pytest.raises(ParameterError, match="threshold belongs to the comparison that the report is made of"):
        assay.make_report(assay.compare(LABELLED, measures="Accuracy"), threshold=0.5)
    three = [*GROUPED, Clusters.of(TRUTH, np.arange(60) % 3, name="c")]
    with pytest.raises(ParameterError, match="a report compares systems with one baseline"):
        assay.make_report(assay.compare(three, measures="ARI", all_pairs=True))
    with pytest.raises(ParameterError, match="the baseline of the comparison is a, not 'b'"):
        assay.make_report(assay.compare(GROUPED, measures="ARI"), baseline="b")


@in_turn("option", ["changed", "show", "system", "topics"])
@in_turn("given", [LABELLED, GROUPED], ids=["labels", "clusters"])
def test_what_only_rankings_have_is_refused_elsewhere(given: list[Any], option: str) -> None:
    asked: dict[str, Any] = {option: 3}
    with pytest.raises(ParameterError, match=f"{option} has no meaning in a report on"):
        assay.make_report(given, **asked)


@in_turn("option", [("--changed", "3"), ("--show", "3"), ("--subtopics",)], ids=str)
def test_the_command_refuses_options_of_rankings_for_classifiers(option: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("truth,prediction\n" + "1,1\n0,0\n1,0\n" * 4)
    done = run_assay("classifier", "report", "p.csv", *option, folder=tmp_path)
    assert done.returncode == 2
    assert f"{option[0].removeprefix('--')} goes with" in done.stderr
    assert not (tmp_path / "report.html").exists()


# JSON that every parser reads.


def results() -> dict[str, Callable[[], Any]]:
    """Something of every kind that can be written as JSON, with numbers that are infinite or undefined."""
    empty = {query: {"other": 1.0} for query in JUDGED}
    spans = [("d", 0, 4, "P"), ("d", 9, 12, "L")]
    return {
        "evaluation": lambda: assay.evaluate(JUDGED, {"w": WORSE, "e": empty}, ["FirstRank", "SetP", "Fallout"]),
        **{test: partial(assay.compare, JUDGED, RUNS, measures=["RR", "FirstRank"], test=test)
           for test in ("t", "wilcoxon", "sign", "permutation", "bootstrap")},
        "classifiers": lambda: assay.compare(SCORED, bootstrap_resamples=200),
        "clusterings": lambda: assay.compare(GROUPED),
        "classification": lambda: assay.classify(Predictions.of([1, 1, 0], [1, 1, 0]), ["LRPlus", "DOR"]),
        "clustering": lambda: assay.cluster(Clusters.of(list("xxoo"), [0, 0, 0, 0]), ["VI", "NMI", "Purity"]),
        "thresholds": lambda: assay.thresholds(SCORED[0], resamples=20),
        "gate": lambda: assay.gate(JUDGED, BETTER, WORSE, measures="RR"),
        "plan": lambda: assay.plan(JUDGED, RUNS, measures="RR"),
        "audit": lambda: assay.audit(JUDGED, WORSE, "RR"),
        "doctor": lambda: assay.doctor(JUDGED, WORSE, "RR"),
        "frozen": lambda: assay.freeze(JUDGED, WORSE, ["RR", "FirstRank"]),
        "extraction": lambda: assay.extract(spans, [], beta=math.inf),
        "explanation": lambda: assay.explain("LRPlus", Predictions.of([1, 0], [1, 0])),
        "report": lambda: assay.make_report(JUDGED, RUNS, ["RR"]),
    }  # fmt: skip


@in_turn("kind", results())
def test_json_is_strict(kind: str) -> None:
    assert strictly(results()[kind]().to_json())


def test_an_infinite_statistic_is_null_with_a_reason() -> None:
    """All differences are alike, so that their standard deviation is 0, and t is infinite."""
    two = {"better": BETTER, "worse": WORSE}
    compared = assay.compare(JUDGED, two, measures="RR", baseline="better", test="t")
    (finding,) = strictly(compared.to_json())["sections"]["findings"]["findings"]
    tested = next(part for part in (finding, *(one for one in finding.values() if isinstance(one, dict)))
                  if "statistic" in part)  # fmt: skip
    assert (tested["statistic"], tested["statistic_reason"]) == (None, "minus infinity")


@in_turn("name", ["run.json", "run.jsonl"])
def test_an_infinite_score_is_not_written_as_json(name: str, tmp_path: Path) -> None:
    run = assay.Run.of({"q": {"a": 1.0, "b": -math.inf}})
    with pytest.raises(InputError, match="JSON cannot hold the score -inf of document 'b' in query 'q'"):
        assay.write(run, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


# Measures as values.


@in_turn("vocabulary", ["ranking", "binary", "multiclass", "clustering"])
def test_pickles_and_copies_keep_what_was_asked_for(vocabulary: Any) -> None:
    """Also parameters that were given at their default, which a profile leaves alone."""
    for measure in registered(vocabulary).values():
        asked = measure(**{name: one.default for name, one in measure.definition.parameters.items()})
        for kept in (pickle.loads(pickle.dumps(asked)), copy.copy(asked), copy.deepcopy(asked)):
            assert (kept, hash(kept), str(kept), kept.parameters) == (asked, hash(asked), str(asked), asked.parameters)
            assert kept.given == asked.given == frozenset(measure.parameters)


def test_a_pickled_measure_is_evaluated_alike_under_a_profile() -> None:
    """trec_eval 9 rounds levels of recall, unless somebody asks for the exact ones."""
    asked: Measure = parse_measure("IPrec(rule='exact')@0.5")
    sent = pickle.loads(pickle.dumps(asked))
    found = [assay.evaluate(JUDGED, WORSE, one, compat="trec_eval-9").signatures for one in (asked, sent)]
    assert found[0] == found[1]
    assert "rule=exact" in found[0]["IPrec@0.5"]


def test_a_parameter_called_self_is_no_parameter(tmp_path: Path) -> None:
    done = run_assay("clustering", "explain", "Silhouette(self=true)", "--clusters", "0 1 2 | 10 11", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "assay: Silhouette has no parameter 'self'; it takes no parameters\n"
    with pytest.raises(ParameterError, match="youden has no parameter 'self'"):
        assay.thresholds(SCORED[0], rules=["youden(self=1)"])
    with pytest.raises(ParameterError, match="unknown argument 'text'"):
        assay.choose_threshold(SCORED[0], text=1)  # type: ignore[call-arg]


# Words.


def methods_of(report: Any) -> str:
    """The methods paragraph of a report."""
    (text,) = report.section("methods").parts[0].lines
    return str(text)


def test_the_methods_of_a_report_name_each_measures_intervals() -> None:
    methods = methods_of(assay.make_report(SCORED, measures=["Accuracy", "AUC"]))
    assert "DeLong's intervals at 95% for AUC" in methods
    assert "for Accuracy; DeLong's" in methods
    perfect = Predictions.of(TRUTH, y_score=TRUTH.astype(float), name="perfect")
    methods = methods_of(assay.make_report([perfect, SCORED[0]], measures="AUC"))
    assert "exact one-sided bounds for AUC of perfect" in methods
    assert "for AUC of a" in methods


@in_turn(("given", "words"), [(LABELLED, "classifier"), (GROUPED, "clustering")], ids=["labels", "clusters"])
def test_one_system_is_an_it(given: list[Any], words: str) -> None:
    alone, both = (methods_of(assay.make_report(some)) for some in (given[:1], given))
    assert alone.startswith(f"1 {words} (a)")
    assert " It was measured by " in alone
    assert " They were measured by " in both


def test_documents_of_predictions_and_clusters_are_not_asked_for() -> None:
    for given, words in ((LABELLED, "predictions have none"), (GROUPED, "clusters have none")):
        comparison = assay.compare(given)
        for ask in (comparison.bounds, comparison.judge_next, comparison.changes):
            with pytest.raises(ParameterError, match=f"this is about the documents of rankings: {words}"):
                ask()


def test_a_name_left_out_is_not_called_none() -> None:
    evaluation = assay.evaluate(JUDGED, RUNS, ["RR", "P@1"])
    asked: list[Callable[[], object]] = [
        lambda: evaluation.mean("RR"),
        lambda: evaluation.mean(system="better"),
        lambda: assay.classify(LABELLED).value("Recall"),
        lambda: assay.classify(LABELLED).value(system="a"),
        lambda: assay.cluster(GROUPED).value("ARI"),
        lambda: assay.compare(evaluation, baseline="worse").finding(),
        lambda: assay.explain("Recall", assay.classify(LABELLED)),
    ]
    for ask in asked:
        with pytest.raises(ParameterError, match=r"^choose a (system|measure|clustering) of (?!.*None)"):
            ask()
    with pytest.raises(ParameterError, match="choose a system of worse, better, not 'beter'; did you mean better"):
        evaluation.mean("RR", "beter")


def test_noise_left_out_is_advised_in_words() -> None:
    noisy = Clusters.of(list("xxxoooxo"), [0, 0, 0, 1, 1, 1, -1, -1])
    (says,) = [one.says for one in assay.cluster(noisy, noise=-1).advice if one.code == "left_out"]
    assert says.endswith("; noise_as='singletons' counts each noise item as a cluster of its own")


def test_the_column_of_needed_units_is_called_as_documented() -> None:
    plan = assay.plan(JUDGED, RUNS, measures="RR")
    assert "needed" in plan.to_frame().columns
    assert "| needed |" in plan.to_markdown()
    assert "queries needed" not in plan.to_markdown()


def test_an_empty_field_is_nothing_and_the_word_is_a_word(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("truth,prediction\na,b\nb,\n")
    with pytest.raises(FormatError, match="expected a value as prediction, got nothing"):
        assay.read_predictions(tmp_path / "p.csv")
    (tmp_path / "c.csv").write_text("cluster,x\n1,1\n1,nothing\n")
    with pytest.raises(FormatError, match="got 'nothing'"):
        assay.read_clusters(tmp_path / "c.csv", points=["x"])


@pytest.mark.parametrize("measure", ["Purity", "InversePurity", "PurityF", "BCubedF", "BCubedPrecision",
                                     "ClusterAccuracy", "PurityF(beta=2)"])  # fmt: skip
@pytest.mark.parametrize("clusters", [1, 2, 3])
def test_no_interval_goes_below_what_is_possible(measure: str, clusters: int) -> None:
    """The least that any table of so many classes and clusters gives, by looking at very many of them."""
    classes = 2
    wanted = parse_measure(measure, "clustering")
    tables = np.random.default_rng(0).multinomial(600, np.full(classes * clusters, 1 / (classes * clusters)), 100)
    even = [assay.Contingency.from_table((table.reshape(classes, clusters) + 1).tolist()) for table in tables]
    least = min(float(wanted.of(table)[0]) for table in even)
    group = np.arange(40) % clusters
    for given in (Clusters.of(np.arange(40) // clusters % classes, group), Clusters.of(np.arange(40) % 2, group)):
        estimate = assay.cluster(given, measure).estimate(measure)
        assert math.isnan(estimate.low) or estimate.low >= least - 0.02
        assert math.isnan(estimate.low) or estimate.low <= estimate.value
    compared = assay.compare([Clusters.of(np.arange(40) % 2, group, name=name) for name in "ab"], measures=measure)
    lows = [one.interval.low for one in compared.standings]
    assert all(math.isnan(low) or low >= least - 0.02 for low in lows)


# Keyword arguments.


VERBS: dict[str, Callable[..., Any]] = {
    "evaluate": lambda **more: assay.evaluate(JUDGED, WORSE, **more),
    "compare runs": lambda **more: assay.compare(JUDGED, RUNS, **more),
    "compare an evaluation": lambda **more: assay.compare(assay.evaluate(JUDGED, RUNS), **more),
    "compare predictions": lambda **more: assay.compare(LABELLED, **more),
    "compare clusters": lambda **more: assay.compare(GROUPED, **more),
    "report": lambda **more: assay.evaluate(JUDGED, RUNS, "RR").report(**more),
    "report of runs": lambda **more: assay.make_report(JUDGED, RUNS, **more),
    "report of a comparison": lambda **more: assay.compare(JUDGED, RUNS, measures="RR").report(**more),
    "report of predictions": lambda **more: assay.make_report(LABELLED, **more),
    "report of a classification": lambda **more: assay.classify(LABELLED).report(**more),
    "report of clusters": lambda **more: assay.make_report(GROUPED, **more),
    "report of a clustering": lambda **more: assay.cluster(GROUPED).report(**more),
    "explain": lambda **more: assay.explain("RR", JUDGED, WORSE, **more),
    "explain an evaluation": lambda **more: assay.explain("RR", assay.evaluate(JUDGED, WORSE, "RR"), **more),
    "explain predictions": lambda **more: assay.explain("Recall", LABELLED[0], **more),
    "explain a classification": lambda **more: assay.classify(LABELLED).explain("Recall", "a", **more),
    "explain a clustering": lambda **more: assay.cluster(GROUPED).explain("ARI", "a", **more),
    "audit": lambda **more: assay.audit(JUDGED, WORSE, "RR", **more),
    "gate": lambda **more: assay.gate(JUDGED, WORSE, BETTER, **more),
    "gate of predictions": lambda **more: assay.gate(*LABELLED, **more),
    "gate of clusters": lambda **more: assay.gate(*GROUPED, **more),
    "plan": lambda **more: assay.plan(JUDGED, RUNS, **more),
    "tune": lambda **more: assay.tune(JUDGED, RUNS, **more),
    "freeze": lambda **more: assay.freeze(JUDGED, WORSE, **more),
    "choose_threshold": lambda **more: assay.choose_threshold(SCORED[0], **more),
    "clusters_by_use": lambda **more: assay.clusters_by_use(JUDGED, WORSE, {"good": 1, "bad": 2}, **more),
}


@in_turn("verb", VERBS)
def test_an_argument_that_nothing_takes_is_unknown(verb: str) -> None:
    with pytest.raises(ParameterError, match=r"^unknown argument 'foo'$"):
        VERBS[verb](foo=1)


@in_turn(
    ("verb", "misspelt", "meant"),
    [
        ("evaluate", "relevance_levle", "relevance_level"),
        ("evaluate", "measurs", "measures"),
        ("compare runs", "alpah", "alpha"),
        ("compare predictions", "marign", "margin"),
        ("report", "tilte", "title"),
        ("report of predictions", "thresold", "threshold"),
        ("report of clusters", "nois", "noise"),
        ("gate", "inconclusiv", "inconclusive"),
        ("plan", "differnce", "difference"),
        ("explain", "runing", "running"),
        ("choose_threshold", "confidnce", "confidence"),
        ("audit", "sampels", "samples"),
    ],
)
def test_a_misspelt_argument_gets_the_nearest_name(verb: str, misspelt: str, meant: str) -> None:
    with pytest.raises(ParameterError, match=rf"^unknown argument '{misspelt}'; did you mean .*\b{meant}\b"):
        VERBS[verb](**{misspelt: 1})


def test_a_rule_of_other_data_says_what_it_goes_with() -> None:
    with pytest.raises(ParameterError, match="'noise' is a rule of clusterings: it goes with clusters of items"):
        assay.compare(LABELLED, noise=-1)
    with pytest.raises(ParameterError, match="'pos_label' is a rule of classifiers: it goes with predictions"):
        assay.compare(assay.evaluate(JUDGED, RUNS), pos_label=1)
    with pytest.raises(ParameterError, match="'ties' is a rule of evaluation: it goes with judgments and runs"):
        assay.compare(LABELLED, ties="expected")
