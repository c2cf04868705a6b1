"""`evaluate` and what it gives back."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from cases import in_turn

import assay
from assay import Confusion, InputError, Measure, ParameterError, Ranks, Scores, TopicError
from assay.measures import RR, SetP
from assay.subjects.ranking import evaluation

# q1: relevant a, b; q2: nothing relevant; q3: not in the run.
QRELS = {"q1": {"a": 1, "b": 2, "c": 0}, "q2": {"a": 0}, "q3": {"a": 1}}
RUN = {"q1": {"a": 3.0, "x": 2.0, "b": 1.0}, "q2": {"a": 1.0}, "q9": {"a": 1.0}}
AP_OF_Q1 = (1 / 1 + 2 / 3) / 2


def evaluate(measures: Any = "AP", **rules: Any) -> assay.Evaluation:
    return assay.evaluate(QRELS, RUN, measures, **rules)


def test_the_mean_runs_over_all_judged_topics() -> None:
    assert evaluate().mean() == pytest.approx((AP_OF_Q1 + 0 + 0) / 3)


def test_undefined_values_count_as_declared_or_are_left_out_or_refused() -> None:
    assert evaluate(undefined="skip").mean() == pytest.approx((AP_OF_Q1 + 0) / 2)
    with pytest.raises(InputError, match="AP is undefined for 1 of 3 units: no relevant document"):
        evaluate(undefined="error")


def test_missing_topics_count_as_empty_or_are_left_out_or_refused() -> None:
    assert evaluate(missing="skip").mean() == pytest.approx((AP_OF_Q1 + 0) / 2)
    with pytest.raises(TopicError, match="1 judged topic missing, the first is 'q3'"):
        evaluate(missing="error")


@in_turn("rule", ["zero", "skip"])
def test_what_is_missing_and_what_is_ignored_is_told(rule: str) -> None:
    result = evaluate(missing=rule)
    assert result.coverage.row(0, named=True)["missing"] == 1
    assert result.coverage.row(0, named=True)["ignored"] == 1
    assert any("1 judged topic missing" in warning for warning in result.warnings)
    assert any("1 topic without judgments, ignored" in warning for warning in result.warnings)


def test_scores_have_a_reason_where_there_is_no_value() -> None:
    rows = evaluate().scores.of("run", "AP").select("unit", "value", "undefined").rows()
    assert rows == [("q1", AP_OF_Q1, None), ("q2", None, "no relevant document"), ("q3", 0.0, None)]


def test_scores_refuse_other_columns_and_unknown_names() -> None:
    with pytest.raises(InputError, match="expected the columns"):
        Scores(evaluate().scores.frame.drop("unit"))
    with pytest.raises(InputError, match="expected a measure of AP, got 'RR'"):
        evaluate().scores.of("run", "RR")


def test_sums_and_geometric_means_are_put_together_their_own_way() -> None:
    result = evaluate(["NumRet", "GMAP"])
    assert result.mean("NumRet") == 3 + 1 + 0
    assert result.mean("GMAP") == pytest.approx(math.exp((math.log(AP_OF_Q1) + 2 * math.log(1e-5)) / 3))


def test_many_runs_read_the_judgments_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    runs = [tmp_path / f"{number}.run" for number in range(40)]
    for path in runs:
        path.write_text("q1 Q0 a 1 1.0 t\n")
    read: list[object] = []

    def counting(given: Path, judges: bool | None) -> assay.Qrels:
        read.append(given)
        return assay.read_qrels(given, judges=judges)

    monkeypatch.setattr(evaluation, "read_qrels", counting)
    result = assay.evaluate(tmp_path / "qrels", runs, "AP")
    assert [system.name for system in result.systems] == [str(number) for number in range(40)]
    assert len(read) == 1


def test_the_order_of_keys_does_not_matter() -> None:
    backwards = {query: RUN[query] for query in reversed(RUN)}
    assert assay.evaluate(QRELS, backwards, "AP").scores.frame.equals(evaluate().scores.frame)


@in_turn(
    ("runs", "names"),
    [
        (RUN, ["run"]),
        ({"a": RUN, "b": RUN}, ["a", "b"]),
        ([("q1", "a", 1.0)], ["run"]),
        ([["q1", "a", 1.0]], ["run"]),
    ],
)
def test_one_run_and_several_are_told_apart(runs: Any, names: list[str]) -> None:
    assert [system.name for system in assay.evaluate(QRELS, runs, "AP").systems] == names


def test_two_runs_of_one_name_are_refused() -> None:
    with pytest.raises(ParameterError, match="two runs are called 'run'"):
        assay.evaluate(QRELS, [RUN, RUN], "AP")


@in_turn("nothing", [{"runs": []}, {"measures": []}])
def test_nothing_to_do_is_refused(nothing: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="there is no"):
        assay.evaluate(QRELS, nothing.get("runs", RUN), nothing.get("measures", "AP"))


def test_a_profile_sets_the_rules_of_another_tool() -> None:
    nine = evaluate(["AP", "IPrec@0.4"], compat="trec_eval-9")
    assert nine.policies.missing == "skip"
    assert nine.policies.score_precision == "single"
    assert str(nine.measures[1]) == "IPrec(rule='trec_eval-9')@0.4"
    assert nine.mean("IPrec@0.4") == nine.mean("IPrec(rule='trec_eval-9')@0.4")
    assert evaluate("AP", compat="trec_eval-9", missing="zero").policies.missing == "zero"


def test_single_precision_ties_what_double_precision_tells_apart() -> None:
    run, qrels = {"q": {"a": 20.000002, "b": 20.000001}}, {"q": {"a": 1}}
    assert assay.evaluate(qrels, run, "RR").mean() == 1.0
    assert assay.evaluate(qrels, run, "RR", compat="trec_eval-9").mean() == 0.5


def test_signatures_name_everything_a_number_depends_on() -> None:
    result = evaluate(["ERR", "SetP", "RR"], ties="expected", depth=5, relevance_level=2, seed=7)
    assert result.signatures["ERR"] == (
        "ERR|max_grade=2|satisfaction=exponential|ties=expected|unjudged=irrelevant|missing=zero|depth=5|samples=100|seed=7|undefined=0|v1"
    )
    assert "|rel=2|" in result.signatures["SetP"]
    assert "|rel=2|" in result.signatures["RR"]


def test_the_same_seed_gives_the_same_numbers() -> None:
    run = {"q1": dict.fromkeys("abcdefgh", 1.0)}
    first, again, other = (assay.evaluate(QRELS, run, "RR", ties="expected", seed=seed).mean() for seed in (1, 1, 2))
    assert first == again != other


def test_a_short_description_instead_of_a_screenful() -> None:
    assert repr(evaluate(["AP", "RR"])) == "<Evaluation of run on 3 topics: AP, RR; 2 warnings>"


def test_tables_for_other_programs() -> None:
    result = assay.evaluate(QRELS, {"a|b": RUN, "c_d": {"q1": {"b": 1.0}}}, ["AP", "NumRet"])
    assert "| a\\|b | **0.2778** | 4 |" in result.to_markdown()
    assert "c\\_d & 0.1667 & 1" in result.to_latex()
    assert result.to_csv().splitlines()[0] == "system,AP,NumRet"
    assert "<th>a|b</th>" in result._repr_html_()
    assert list(result.to_pandas().columns) == ["system", "AP", "NumRet"]
    told = json.loads(result.to_json(per_query=True))["sections"]["queries"]
    assert {"system": "a|b", "query_id": "q2", "AP": None, "NumRet": 1.0} in told["queries"]
    assert told["undefined"]["a|b"] == {"AP": {"q2": "no relevant document"}}


def test_counts_stand_below_the_scores_on_the_same_columns() -> None:
    result = assay.evaluate(QRELS, {"first": RUN, "a longer name": RUN}, ["AP", "P@1"])
    shown = str(result).splitlines()
    assert shown[0].split() == ["first", "a", "longer", "name"]
    assert shown[shown.index("") + 1].startswith("topics")
    assert len({len(line) for line in shown if line}) == 1
    assert "relevant found" not in result.to_markdown()


def test_a_system_and_a_measure_have_to_be_named_where_there_are_several() -> None:
    result = assay.evaluate(QRELS, {"a": RUN, "b": RUN}, ["AP", "RR"])
    with pytest.raises(ParameterError, match="choose a system of a, b"):
        result.mean("AP")
    with pytest.raises(ParameterError, match="choose a measure of AP, RR"):
        result.mean(system="a")


def test_judgments_by_several_judges_need_a_choice(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 anna a 1\nq1 bert a 0\nq1 bert b 1\n")
    with pytest.raises(InputError, match="judged by 2 judges"):
        assay.evaluate(tmp_path / "qrels", RUN, "AP")
    chosen = assay.evaluate(tmp_path / "qrels", RUN, "AP", judge="anna")
    assert chosen.mean() == 1.0
    assert "|judge=anna|" in chosen.signatures["AP"]


def test_measures_that_differ_in_a_late_digit_have_different_signatures() -> None:
    result = evaluate(["RBP(p=0.8)", "RBP(p=0.80000001)", "P@1000000"])
    assert len(set(result.signatures.values())) == 3
    assert result.signatures["P@1000000"].startswith("P@1000000|")


def test_a_micro_average_needs_a_formula_of_counts() -> None:
    """Numbers that are given without their counts, and largest values, cannot be summed over queries."""
    retrieved = SetP.definition._replace(function=lambda confusion: confusion.tp + confusion.fp)
    assert Measure(retrieved).of(Confusion.from_table(tp=1, fp=2, fn=3)).tolist() == [3]
    with pytest.raises(ParameterError, match="a micro average needs the counts"):
        Measure(retrieved, {"average": "micro"}).of(Confusion.from_table(tp=1, fp=2, fn=3))
    with pytest.raises(ParameterError, match="there is no micro average"):
        RR.per_unit(Ranks.from_grades([0, 1])).pooled()


def test_a_micro_average_that_is_undefined_says_why() -> None:
    qrels, run = {"q": {"a": 0}}, {"q": {"b": 1.0}}
    result = assay.evaluate(qrels, run, "MicroR")
    assert math.isnan(result.mean())
    assert "run: SetR(average='micro') is undefined: no relevant document" in result.warnings
    with pytest.raises(InputError, match="is undefined"):
        assay.evaluate(qrels, run, "MicroR", undefined="error")
