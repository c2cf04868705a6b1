"""Undefined is not 0: a mean whose units are all undefined is NA with its reason, in every verb and form."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cases import in_turn
from command import run_assay
from documents import json_of, lines_of
from shared_data import shared

import assay

TOPICS = [f"q{number}" for number in range(8)]
QRELS = {topic: {"d1": 1, "d2": 0, "d3": 1} for topic in TOPICS}
FIRST = {topic: {"d1": 3.0, "d2": 2.0} for topic in TOPICS}
SECOND = {topic: {"d2": 3.0, "d1": 2.0, "d4": 1.0} for topic in TOPICS}
RUNS = {"first": FIRST, "second": SECOND}
#: Measures that ask for documents which nobody lists: their formulas need to know how many there are.
OF_COLLECTION = ("Fallout", "Accuracy", "ErrorRate", "Specificity", "NPV", "MCC", "Prevalence", "TN")
UNKNOWN = "the size of the collection is not known"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my.qrels").write_text("".join(f"{t} 0 {d} {g}\n" for t, ds in QRELS.items() for d, g in ds.items()))
    for name, run in RUNS.items():
        rows = (f"{topic} Q0 {doc} 1 {score} x\n" for topic, docs in run.items() for doc, score in docs.items())
        (tmp_path / f"{name}.run").write_text("".join(rows))
    (tmp_path / "empty.run").write_text("")
    return tmp_path


# The mean


@in_turn("undefined", ["counted_as", "skip"])
@in_turn("measure", OF_COLLECTION)
def test_without_a_collection_size_there_is_no_number_but_a_reason(measure: str, undefined: Any) -> None:
    result = assay.evaluate(QRELS, RUNS, [measure, "P@1"], undefined=undefined)
    for system in RUNS:
        summary = result.summary(measure, system)
        assert math.isnan(summary.value)
        assert (summary.units, summary.undefined) == (0, len(TOPICS))
        assert summary.reason is not None
        assert summary.reason.startswith(UNKNOWN)
        assert "collection_size" in summary.reason
    assert result.to_frame()[measure].null_count() == 2
    assert result.mean("P@1", "first") == 1.0
    known = assay.evaluate(QRELS, RUNS, measure, collection_size=100)
    assert not any(math.isnan(known.mean(measure, system)) for system in RUNS)


def test_some_undefined_units_still_count_as_the_measure_declares() -> None:
    """As trec_eval does: (1 + 0) / 2, though the second topic has nothing relevant."""
    qrels = {"q1": {"d1": 1}, "q2": {"d1": 0}}
    result = assay.evaluate(qrels, {"q1": {"d1": 1.0}, "q2": {"d1": 1.0}}, "AP")
    assert (result.mean(), result.summary().undefined) == (0.5, 1)
    assert assay.evaluate(qrels, {"q1": {"d1": 1.0}}, "AP", undefined="skip").mean() == 1.0


@in_turn("name", ["AP", "GMAP", "R@5", "IPrec@0.5", "Bpref"])
def test_without_a_relevant_document_there_is_no_mean(name: str) -> None:
    nothing = {topic: dict.fromkeys(documents, 0) for topic, documents in QRELS.items()}
    result = assay.evaluate(nothing, FIRST, name)
    assert math.isnan(result.mean())
    assert result.summary().reason == "no relevant document"
    assert result.warnings == (
        "qrels: no document was judged relevant: the highest grade is 0; assay.doctor(qrels, runs) says more",
        f"run: {result.measures[0]} is undefined: no relevant document",
    )


# Every form


def test_every_form_of_an_evaluation_says_na_and_why(folder: Path) -> None:
    result = assay.evaluate(QRELS, RUNS, ["Fallout", "P@1"])
    for row in json.loads(result.to_json())["sections"]["systems"]["scores"]:
        if row["measure"] == "Fallout":
            assert row["value"] is None
            assert row["reason"].startswith(UNKNOWN)
        else:
            assert row["reason"] is None
    assert result.to_csv() == "system,Fallout,P@1\nfirst,,1.0\nsecond,,0.0\n"
    for form in (result.to_markdown(), result.to_latex(), result._repr_html_(), result.to_html()):
        assert "NA" in form
        assert UNKNOWN in form
        assert "0.0000" in form  # P@1 of the second system is a true 0
    shown = run_assay("evaluate", "my.qrels", "first.run", "-m", "Fallout", folder=folder)
    assert "0.0000" not in shown.stdout
    assert f"Fallout is undefined: {UNKNOWN}: give --collection-size" in shown.stdout


def test_the_reason_stands_on_one_line_whatever_a_system_is_called() -> None:
    result = assay.evaluate({"q": {"d": 1}}, {"a\n\\input{b}<i>": {"q": {"d": 1.0}}}, "Fallout")
    assert result.to_latex().splitlines()[-1].startswith(r"% a\n\\input{b}<i>: Fallout is undefined: ")
    assert result.to_markdown().splitlines()[-1].startswith(r"a\\n\\\\input{b}\<i\>: Fallout is undefined: ")


@pytest.mark.parametrize("form", ["--json", "--csv", "--markdown", "--latex"])
@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_no_form_has_a_zero_in_place_of_a_number(folder: Path, command: str, form: str) -> None:
    done = run_assay(command, "my.qrels", "first.run", "second.run", "-m", "Fallout", form, folder=folder)
    assert done.returncode == 0
    assert "0.0000" not in done.stdout
    assert "identical" not in done.stdout
    if form == "--json" and command == "evaluate":
        scores = json.loads(done.stdout)["sections"]["systems"]["scores"]
        assert [row["value"] for row in scores] == [None, None]


# Every verb


@in_turn("test", [None, "t", "sign", "wilcoxon", "bootstrap"])
def test_compare_cannot_compare_what_is_undefined_and_says_why(test: str | None) -> None:
    found = assay.compare(QRELS, RUNS, measures=["Fallout", "P@1"], test=test).finding("Fallout")
    assert found.verdict.word == "inconclusive"
    assert UNKNOWN in found.verdict.why
    assert math.isnan(found.difference)
    assert math.isnan(found.p)
    assert found.wins == (0, 0, 0)


def test_compare_says_that_in_its_sentence_and_tests_the_other_measures() -> None:
    result = assay.compare(QRELS, RUNS, measures=["Fallout", "P@1"])
    assert f"second and first cannot be compared under Fallout, undefined for first and second ({UNKNOWN}" in str(
        result
    )
    assert "identical" not in str(result)
    assert result.finding("P@1").p < 0.05
    rows = json_of(result)["findings"]["findings"]
    row = next(row for row in rows if row["measure"] == "Fallout")
    assert (row["p"], row["value"], row["difference"]) == (None, None, None)
    assert UNKNOWN in row["why"]


@in_turn("test", [None, "randomised_tukey"])
def test_a_system_without_a_number_does_not_disturb_the_others(test: str | None) -> None:
    """SetP of a system that returns nothing is 0/0: left out, the other two are compared as if it were not there."""
    varied = {topic: {"d1": 1.0} if place % 3 else {"d2": 1.0} for place, topic in enumerate(TOPICS)}
    three = {"first": FIRST, "varied": varied, "nothing": {}}
    two = {name: three[name] for name in ("first", "varied")}
    # Alone, all pairs are one pair; a correction over three pairs is not what is looked at here.
    settings: dict[str, Any] = {"measures": "SetP", "all_pairs": True, "test": test, "undefined": "skip"}
    settings |= {"correction": "none"} if test is None else {}
    with_it, alone = assay.compare(QRELS, three, **settings), assay.compare(QRELS, two, **settings)
    assert with_it.finding(system="varied", baseline="first").p == alone.finding().p
    assert math.isnan(with_it.finding(system="nothing", baseline="first").p)
    assert [one.system for one in with_it.standing()][-1] == "nothing"  # who has no number is not the best


def test_slices_without_a_value_are_not_identical() -> None:
    """Of the topics of a kind, none has a relevant document: AP is undefined there, and 0 nowhere."""
    kinds = {topic: "odd" if place % 2 else "even" for place, topic in enumerate(TOPICS)}
    qrels = {topic: QRELS[topic] if kinds[topic] == "odd" else {"d1": 0} for topic in TOPICS}
    slices = assay.compare(qrels, RUNS, measures="AP").slices(kinds)
    row = slices.filter(slice="even").row(0, named=True)
    assert row["verdict"] == "inconclusive"
    assert math.isnan(row["difference"])
    assert slices.filter(slice="odd")["difference"].is_not_nan().all()


def test_a_gate_is_invalid_if_a_measure_is_undefined(folder: Path) -> None:
    result = assay.gate(QRELS, FIRST, FIRST, measures=["Fallout", "P@1"])
    assert (result.outcome, result.exit_code) == ("invalid", 2)
    assert UNKNOWN in result.sentence
    call = ("gate", "my.qrels", "first.run", "first.run", "-m", "Fallout")
    done = run_assay(*call, folder=folder)
    assert done.returncode == 2
    assert "--collection-size" in done.stdout
    assert run_assay(*call, "--collection-size", "100", folder=folder).returncode == 0


def test_a_gate_cannot_pass_a_slice_in_which_nothing_is_defined() -> None:
    kinds = {topic: "odd" if place % 2 else "even" for place, topic in enumerate(TOPICS)}
    qrels = {topic: QRELS[topic] if kinds[topic] == "odd" else {"d1": 0} for topic in TOPICS}
    checks = assay.gate(qrels, FIRST, FIRST, measures="AP", slices="kind", topics=kinds).checks
    outcomes = {check.slice: check.outcome for check in checks}
    assert outcomes == {"": "pass", "kind = odd": "pass", "kind = even": "inconclusive"}


def test_explain_shows_no_mean_where_there_is_none() -> None:
    explained = assay.evaluate(QRELS, FIRST, "Fallout").explain()
    assert math.isnan(explained.value)
    assert explained.reason is not None
    assert explained.reason.startswith(UNKNOWN)
    assert "counted as 0" not in str(explained)


def test_a_plan_names_what_is_undefined_and_leaves_it_out(folder: Path) -> None:
    with pytest.raises(assay.InputError, match=UNKNOWN):
        assay.plan(QRELS, RUNS, measures="Fallout")
    varied = {topic: {"d1": 1.0} if place % 3 else {"d2": 1.0} for place, topic in enumerate(TOPICS)}
    both = assay.plan(QRELS, {"first": FIRST, "varied": varied}, measures=["Fallout", "P@1"])
    assert [one.measure for one in both.measures] == ["P@1"]
    assert any(UNKNOWN in note for note in both.notes)
    done = run_assay("power", "my.qrels", "first.run", "second.run", "-m", "Fallout", folder=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--collection-size" in done.stderr


def test_correlate_says_why_there_is_no_order(folder: Path) -> None:
    call = ("correlate", "my.qrels", "first.run", "second.run", "-m", "Fallout", "-m", "AP")
    done = run_assay(*call, folder=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--collection-size" in done.stderr


def test_an_audit_of_what_is_undefined_is_no_zero(folder: Path) -> None:
    audited = assay.audit(QRELS, FIRST, "Fallout")
    assert math.isnan(audited.value)
    assert 0.0 not in audited.to_frame()["value"].to_list()
    assert run_assay("audit", "my.qrels", "first.run", "-m", "Fallout", "--value", "0.0000", folder=folder).returncode


@pytest.mark.parametrize("kind", ["queries", "difference"])
def test_there_is_nothing_to_draw_of_what_is_undefined(folder: Path, kind: str) -> None:
    call = ("plot", "my.qrels", "first.run", "second.run", "--kind", kind, "-m", "Fallout", "-o", "c.csv")
    done = run_assay(*call, folder=folder)
    assert done.returncode == 0
    values = pl.read_csv(folder / "c.csv")
    assert values.height == 0 or values["value"].null_count() == values.height


def test_a_report_says_why_there_is_no_number() -> None:
    report = assay.make_report(assay.evaluate(QRELS, RUNS, ["Fallout", "P@1"]))
    for form in (report.to_html(), report.to_markdown(), report.to_latex(), report.to_json()):
        assert UNKNOWN in form
        assert "identical" not in form


def test_the_reference_tools_text_stays_what_it_is(folder: Path) -> None:
    """trec_eval prints 0 where nothing is relevant, and so does its text here."""
    (folder / "none.qrels").write_text("q0 0 d1 0\nq1 0 d1 0\n")
    done = run_assay("trec-eval", "-m", "map", "none.qrels", "first.run", folder=folder)
    assert done.stdout.split() == ["map", "all", "0.0000"]


# Subtopics


SUBTOPICS = "t1 1 d1 1\nt1 2 d1 0\nt1 2 d2 1\nt1 1 d2 0\nt1 3 d3 1\n"
ROUNDS = "t1 0.5 d1 1\nt1 1 d2 0\nt1 1 d3 1\nt2 0.5 d1 1\nt2 1 d4 1\n"
RUN = {"t1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "t2": {"d4": 2.0, "d1": 1.0}}


def value(qrels: str, *measures: str, **rules: Any) -> float:
    """The first measure's value beside the others."""
    return assay.evaluate(io.StringIO(qrels), RUN, measures, **rules).mean(measures[0])


@in_turn("measure", ["alpha-nDCG@10", "StRecall@2", "ERR_IA@5"])
def test_a_measures_value_does_not_depend_on_the_measures_beside_it(measure: str) -> None:
    alone = value(SUBTOPICS, measure)
    assert alone == value(SUBTOPICS, measure, "nDCG@10") == value(SUBTOPICS, measure, subtopics=True)
    assert value(SUBTOPICS, "nDCG@10", measure) == value(SUBTOPICS, "nDCG@10", subtopics=True)
    assert math.isnan(value(ROUNDS, measure))
    assert math.isnan(value(ROUNDS, measure, "nDCG@10"))
    assert value(ROUNDS, "nDCG@10", measure) == value(ROUNDS, "nDCG@10")
    assert not math.isnan(value(ROUNDS, measure, subtopics=True))


def test_subtopics_are_assumed_only_if_a_document_is_judged_for_several_and_that_is_said() -> None:
    (assumed,) = assay.evaluate(io.StringIO(SUBTOPICS), RUN, ["StRecall@2", "P@1"]).warnings[:1]
    assert "column 2 is taken for subtopics" in assumed
    assert "1, 2, 3" in assumed
    for column in ("0", "Q0", "1"):  # what stands in an unused column
        text = SUBTOPICS.splitlines()[0].replace(" 1 ", f" {column} ", 1)
        result = assay.evaluate(io.StringIO(text), RUN, "StRecall@2")
        assert "subtopics=True" in (result.summary().reason or "")
    whole_rounds = "t1 1 d1 1\nt1 2 d2 1\nt2 1 d1 1\nt2 2 d4 1\n"
    assert math.isnan(value(whole_rounds, "StRecall@2"))


def test_a_column_of_fractions_is_not_of_subtopics_even_if_a_document_is_judged_twice() -> None:
    with pytest.raises(assay.InputError, match="judged by 2 judges"):
        value(ROUNDS + "t1 1 d1 0\n", "StRecall@2")


def test_the_command_line_names_its_own_option(tmp_path: Path) -> None:
    (tmp_path / "rounds.qrels").write_text(ROUNDS)
    (tmp_path / "my.run").write_text("t1 Q0 d1 1 2 x\nt2 Q0 d4 1 1 x\n")
    call = ("evaluate", "rounds.qrels", "my.run", "-m", "alpha-nDCG@10", "-m", "nDCG@10")
    done = run_assay(*call, folder=tmp_path)
    assert "--subtopics says that column 2 of the judgments names them" in done.stdout
    assert "subtopics=True" not in done.stdout + done.stderr


def test_rounds_of_judging_of_trec_covid_are_no_subtopics() -> None:
    data = shared("trec-covid-r1")
    run = next(iter(sorted((data / "runs").iterdir())))
    for measures in (["alpha-nDCG@10"], ["alpha-nDCG@10", "nDCG@10"]):
        result = assay.evaluate(data / "qrels.covid-round1.txt", run, measures)
        assert math.isnan(result.mean("alpha-nDCG@10"))
        assert not result.subtopics


def test_judgments_of_the_web_track_are_of_subtopics() -> None:
    frame = assay.read_qrels(shared("qrels", "qrels.web.201-250.ndeval.txt.gz"), subtopics=True).frame
    topic = frame["query_id"][0]
    documents = frame.filter(pl.col("query_id") == topic, pl.col("relevance") > 0)["doc_id"].unique().sort()[:5]
    run = {topic: {doc: -float(place) for place, doc in enumerate(documents)}}
    path = shared("qrels", "qrels.web.201-250.ndeval.txt.gz")
    beside = assay.evaluate(path, run, ["StRecall@5", "P@5"])
    assert beside.subtopics
    assert beside.mean("StRecall@5") == assay.evaluate(path, run, "StRecall@5", subtopics=True).mean() > 0


def test_tuning_refuses_to_choose_by_what_is_undefined() -> None:
    with pytest.raises(assay.InputError, match=f"Fallout is undefined for first and second .{UNKNOWN}"):
        assay.tune(QRELS, RUNS, "Fallout")
    with pytest.raises(assay.InputError, match=r"SetP is undefined for nothing .nothing was retrieved"):
        assay.tune(QRELS, {"nothing": {}, "first": FIRST}, "SetP", undefined="skip")
    tuned = assay.tune(QRELS, {"nothing": {}, "first": FIRST}, "SetP")
    assert {fold.chosen for fold in tuned.folds} == {"first"}


# Values of one system alone


def finding_first(number: int) -> dict[str, dict[str, float]]:
    """A run with a relevant document on top for the first topics, and none for the others."""
    return {topic: {"d1" if place < number else "d2": 1.0} for place, topic in enumerate(TOPICS)}


@in_turn("common", [2, 6])
def test_a_system_that_finds_nothing_for_some_topics_is_not_identical_with_one_that_does(common: int) -> None:
    runs = {"whole": finding_first(8), "part": finding_first(common)}
    found = assay.compare(QRELS, runs, measures="FirstRank")
    assert found.finding().verdict.word == "inconclusive"
    assert found.finding().verdict.why == f"part has no value on {8 - common} of the 8 queries that whole has one on"
    assert str(found.finding().verdict) == f"cannot be compared: {found.finding().verdict.why}"
    assert found.finding().verdict.why in lines_of(found, "sentences")[0]
    report = assay.make_report(QRELS, runs, ["FirstRank"]).to_markdown()
    assert "identical" not in report
    assert found.finding().verdict.why in report
    gated = assay.gate(QRELS, runs["whole"], runs["part"], measures="FirstRank")
    assert gated.outcome == "inconclusive"
    assert "cannot be compared" in gated.sentence
    assert f"candidate has no value on {8 - common} of the 8 queries that baseline has one on" in gated.sentence


def test_systems_with_and_without_a_value_for_the_same_topics_are_still_identical() -> None:
    runs = {"one": finding_first(6), "other": finding_first(6)}
    assert assay.compare(QRELS, runs, measures="FirstRank").finding().verdict.word == "identical"
    assert assay.gate(QRELS, *runs.values(), measures="FirstRank").passed


def test_a_measure_that_is_undefined_for_too_many_topics_takes_no_other_one_with_it() -> None:
    late = {topic: {"d2" if place < 7 else "d1": 1.0} for place, topic in enumerate(TOPICS)}
    for common in (1, 8):  # no topic, and one, has a value under both
        runs = {"early": finding_first(common), "late": late}
        compared = assay.compare(QRELS, runs, measures=["FirstRank", "AP"])
        assert compared.measures == ("AP",)
        assert any(note.startswith("FirstRank: ") and note.endswith("it is left out") for note in compared.notes)
        planned = assay.plan(QRELS, runs, measures=["FirstRank", "AP"])
        assert [one.measure for one in planned.measures] == ["AP"]
        with pytest.raises(assay.InputError, match="FirstRank"):
            assay.compare(QRELS, runs, measures="FirstRank")
