"""What a report says of itself is true under every rule: methods, corrections, directions, advice, digests."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cases import in_turn
from reported import Table, contents_of, random_data

from assay import InputError, Run, compare, make_report
from assay.files.atomic import write_texts


def at_ranks(ranks: dict[str, int], unjudged: int = 0) -> Table:
    """A run whose only relevant document stands at a rank; the documents above it are judged but for some."""
    return {
        query: {("good" if place == rank else f"{'new' if place <= unjudged else 'bad'}{place}"): 100.0 - place
                for place in range(1, 11)}
        for query, rank in ranks.items()
    }  # fmt: skip


JUDGED: Table = {f"q{n}": {"good": 1.0} | {f"bad{d}": 0.0 for d in range(1, 11)} for n in range(12)}
FIRST, THIRD = (at_ranks(dict.fromkeys(JUDGED, rank)) for rank in (1, 3))


# Methods.


@pytest.mark.parametrize(
    ("options", "said", "unsaid"),
    [
        ({}, "Documents with equal scores were put in descending order of their ids", "rank column"),
        ({"rank_by": "rank"}, "in the order of the rank column, whatever their scores", "equal scores"),
        ({"duplicates": "first"}, "twice for a topic, the first row counted", "best score"),
        ({"duplicates": "best"}, "twice for a topic, the row with the best score counted", "first row"),
        (
            {"compat": "trec_eval-9"},
            "The profile trec_eval-9 was in force: scores were compared in single",
            "force: documents",
        ),
        ({"compat": "trec_eval-10"}, "The profile trec_eval-10 was in force: documents with equal", "single precision"),
        ({"missing": "skip"}, "were evaluated on 6 of 8 topics with", "counted as one without results"),
        ({}, "a topic that a run lacks counted as one without results", "of 8 topics"),
        ({"missing": "skip"}, "topics that a run lacks were left out, for all systems", "without results"),
        ({"measures": ["AP", "GMAP"]}, "counted as 0 under AP and counted as 1e-05 under GMAP", "counted as 0."),
        ({"measures": "AP"}, "undefined values counted as 0.", "under AP"),
        ({"undefined": "skip"}, "topics with an undefined value were left out under that measure", "counted as 0"),
        (
            {"measures": "ERR@5"},
            "ERR@5 [1] (satisfaction exponential, max_grade 2, the largest in the judgments)",
            "max_grade None",
        ),
        (
            {"measures": "ERR(max_grade=4)@5"},
            "ERR(max_grade=4)@5 [1] (satisfaction exponential).",
            "the largest in the judgments",
        ),
        (
            {"collection_size": 100, "measures": "Fallout"},
            "the collection was taken to hold 100 documents",
            "looked at",
        ),
        ({"depth": 5}, "only the first 5 documents of a topic were looked at", "collection"),
        ({"judged_only": True}, "documents without judgment were taken out of the rankings", "as not relevant"),
        ({"test": "randomised_tukey", "measures": ["AP", "RR"]}, "by the randomised Tukey HSD", "paired permutation"),
        (
            {"test": "randomised_tukey", "measures": ["AP", "RR"]},
            "; p-values hold for all 3 pairs of systems at once",
            "Holm",
        ),
        ({"test": "sign"}, "by the sign test", "Tukey"),
        ({}, "of the queries, not adjusted for the number of comparisons", "Tukey"),
    ],
)
def test_the_methods_say_the_rules_in_force_and_no_others(options: dict[str, Any], said: str, unsaid: str) -> None:
    qrels, given = random_data(3)
    runs: dict[str, Any] = dict(given)
    del runs["s1"]["q0"], runs["s1"]["q1"]
    if "rank_by" in options:
        columns = ["query_id", "doc_id", "rank", "score"]
        rows = [(q, d, float(n), x) for q, docs in runs["s2"].items() for n, (d, x) in enumerate(docs.items(), 1)]
        run = Run.of(pl.DataFrame(rows, schema=columns, orient="row"))
        runs = {"a": run, "b": run}
    paragraph = contents_of(make_report(qrels, runs, **({"measures": "AP"} | options))).methods
    assert said in paragraph
    assert unsaid not in paragraph


def test_topics_are_those_of_the_main_measure() -> None:
    qrels, runs = random_data(2)
    qrels["q0"] = dict.fromkeys(qrels["q0"], 0.0)  # nothing relevant: AP is undefined, P@5 is not
    contents = contents_of(make_report(qrels, runs, ["AP", "P@5"], undefined="skip"))
    assert "evaluated on 7 of 8 topics" in contents.methods
    assert contents.lead.startswith("2 systems, 7 of 8 topics")
    assert contents.notes[0] == "AP: 1 query left out: not all systems have a value there"


# Corrections.


@in_turn(
    ("systems", "options", "correction", "comparisons", "setting", "sentence"),
    [
        (2, {}, "", 1, "none: 1 comparison", ""),
        (4, {}, "Holm", 3, "Holm, 3 comparisons", "p corrected (Holm, 3 comparisons); intervals are not adjusted."),
        (4, {"family": "all"}, "Holm", 6, "Holm, 6 comparisons", "p corrected (Holm, 6 comparisons)"),
        (2, {"family": "all"}, "Holm", 2, "Holm, 2 comparisons", "p corrected (Holm, 2 comparisons)"),
        (4, {"correction": "bonferroni"}, "Bonferroni", 3, "Bonferroni, 3 comparisons", "p corrected (Bonferroni, 3"),
        (4, {"correction": "none"}, "", 3, "none, 3 comparisons", "Correction of p: none, 3 comparisons; intervals"),
        (4, {"test": "randomised_tukey"}, "", 6, "none: the test covers all 6 pairs of systems at once", "p: none:"),
    ],
)  # fmt: skip
def test_what_p_values_are_corrected_over_is_told_once(
    systems: int, options: dict[str, Any], correction: str, comparisons: int, setting: str, sentence: str
) -> None:
    qrels, runs = random_data(systems)
    report = make_report(qrels, runs, ["AP", "RR"], **options)
    for one in contents_of(report).verdicts:
        assert (one.correction, one.comparisons) == (correction, comparisons)
    assert dict(contents_of(report).provenance.settings)["correction"] == setting
    for text in (report.to_markdown(), report.to_latex()):
        assert text.count(sentence) == 1 if sentence else "Holm" not in text


# Directions.


def test_where_lower_is_better_the_largest_fall_is_the_first_gain() -> None:
    qrels, runs = random_data(2, queries=12)
    report = make_report(qrels, runs, "ErrorRate", collection_size=100, changed=4)
    contents = contents_of(report)
    changes = [one.difference for one in contents.differences[0].queries]
    assert changes == sorted(changes)
    assert contents.measures == (("ErrorRate", False),)
    gains, losses = [x for x in changes if x < 0], [x for x in reversed(changes) if x > 0]
    assert [one.difference for one in contents.changed] == [*gains[:2], *losses[:2]]
    assert contents.lead.endswith("; lower ErrorRate is better")
    assert "Difference in ErrorRate (lower is better), best first." in report.to_markdown()
    assert "Lower ErrorRate is better." in report.to_latex()
    alone = make_report(qrels, runs["s0"], ["AP", "ErrorRate"], collection_size=100)
    assert alone.to_latex().count("Lower ErrorRate is better.") == 1
    assert alone.to_html().count("lower is better") == 1


def test_a_measure_that_is_neither_good_nor_bad_has_rises_and_falls_but_no_gains() -> None:
    qrels, runs = random_data(2)
    for query in list(qrels)[:6]:
        runs["s1"][query] |= {"more": 0.5}
    report = make_report(qrels, runs, "NumRet")
    assert contents_of(report).measures == (("NumRet", None),)
    said = "Difference in NumRet (neither high nor low is taken as better), largest rise first."
    assert said in report.to_markdown()
    assert not re.search(r"\bgain", report.to_markdown().partition("## Methods")[0].partition("query by query")[2])
    assert "better" not in contents_of(report).lead


@in_turn(
    ("measure", "baseline", "mark", "latex", "word"),
    [
        ("NumRet", "short", "↑", r"$\uparrow$", "higher"),
        ("NumRet", "long", "↓", r"$\downarrow$", "lower"),
        ("P@2", "short", "▼", r"$\blacktriangledown$", "worse"),
        ("P@2", "long", "▲", r"$\blacktriangle$", "better"),
    ],
)
def test_a_mark_and_its_meaning_are_the_same_in_every_form(
    measure: str, baseline: str, mark: str, latex: str, word: str
) -> None:
    """`long` returns one document more, and two that nobody judged stand first: its P@2 depends on them."""
    long = {query: docs | {"more": 0.0} for query, docs in at_ranks(dict.fromkeys(JUDGED, 3), unjudged=2).items()}
    report = make_report(JUDGED, {"short": FIRST, "long": long}, measure, baseline=baseline)
    (spoken,) = contents_of(report).verdicts
    assert (spoken.word, spoken.mark, spoken.unjudged) == (word, mark, 24 if measure == "P@2" else 0)
    (score,) = [row.scores[0] for row in contents_of(report).systems if not row.is_baseline]
    said = "; depends on unjudged documents" if measure == "P@2" else ""
    assert (score.mark, score.verdict) == (mark, word + said)
    legend = f"{word} than the baseline (p below 0.05)"
    for text, shown in ((report.to_markdown(), mark), (report.to_html(), mark), (report.to_latex(), latex)):
        assert text.count(f"{shown} {legend}") == 1
        others = {"better", "worse", "higher", "lower"} - {word}
        assert [other for other in others if f"{other} than the baseline" in text] == []
    assert re.search(rf"{score.value:.4f}( \[.*?\])? {mark}", report.to_markdown())
    assert f'<span aria-hidden="true">{mark}</span> {word}</span>' in report.to_html()


# What is left out, and why.


def test_identical_systems_have_no_list_of_zeros_and_no_power() -> None:
    contents = contents_of(make_report(JUDGED, {"a": FIRST, "b": FIRST, "c": THIRD}, "RR"))
    assert [one.system for one in contents.differences] == ["c"]
    assert contents.changed[0].system.system == "c"
    # c differs by the same on every query: there is nothing to count a power by either.
    assert contents.power == []
    assert [note for note in contents.notes if "a and b have the same RR for every query" in note]
    assert "no power is given for c: the difference is the same for every query" in contents.notes
    alone = make_report(JUDGED, {"a": FIRST, "b": FIRST}, "RR")
    assert [*contents_of(alone).differences, *contents_of(alone).changed, *contents_of(alone).power] == []
    assert alone.to_html()
    assert "detect a difference" not in alone.to_markdown()


def test_curves_are_over_the_topics_of_the_table() -> None:
    qrels, runs = random_data(2)
    del runs["s1"]["q0"], runs["s1"]["q1"]
    curves = contents_of(make_report(qrels, runs, "AP", missing="skip")).curves
    common = {query: docs for query, docs in qrels.items() if query in runs["s1"]}
    expected = contents_of(make_report(common, runs, "AP")).curves
    assert curves == expected
    assert curves != contents_of(make_report(qrels, runs, "AP")).curves


def test_what_is_said_of_several_measures_is_said_once() -> None:
    rows = [("q1", "1", "a", 1), ("q1", "2", "b", 1), ("q2", "1", "a", 1), ("q2", "2", "c", 1)]
    qrels = pl.DataFrame(rows, schema=["query_id", "judge", "doc_id", "relevance"], orient="row")
    runs = {"x": {"q1": {"a": 2, "z": 1}, "q2": {"c": 1}}, "y": {"q1": {"z": 2, "b": 1}, "q2": {"a": 1}}}
    notes = contents_of(make_report(qrels, runs, ["StRecall@5", "ERR_IA@5"], subtopics=True)).notes
    about = [note for note in notes if "unjudged" in note]
    assert len(about) == 1
    assert "StRecall@5, ERR_IA@5: to which subtopics" in about[0]


@in_turn("rule", [{"ties": "expected"}, {"judged_only": True}])
def test_the_summary_says_where_unjudged_documents_were_not_checked(rule: dict[str, Any]) -> None:
    qrels, runs = random_data(2)
    said = "Unjudged documents were not checked: other grades for them could change this verdict."
    assert contents_of(make_report(qrels, runs, "AP", **rule)).caveats == (said,)
    (other,) = contents_of(make_report(qrels, runs, "AP")).caveats
    assert other.startswith("This verdict depends on unjudged documents: ")


def test_two_systems_on_one_topic_have_their_values_and_rankings_side_by_side() -> None:
    qrels, runs = {"q": {"a": 1, "b": 0}}, {"x": {"q": {"b": 2, "a": 1}}, "y": {"q": {"a": 2, "b": 1}}}
    report = make_report(qrels, runs, "RR", topics={"q": "tea"})
    contents = contents_of(report)
    assert contents.summary[0] == "Under RR, y has 1.0000 and x has 0.5000."
    assert [row.system for row in contents.systems] == ["y", "x"]
    (query,) = contents.differences[0].queries
    assert (query.query_id, query.text, query.baseline_value, query.value, query.difference) == (
        "q",
        "tea",
        0.5,
        1.0,
        0.5,
    )
    (changed,) = contents.changed
    assert [[one.doc_id for one in side.ranking] for side in (changed.baseline, changed.system)] == [
        ["b", "a"],
        ["a", "b"],
    ]
    assert changed.baseline.ranking[-1].running == pytest.approx(0.5)
    assert contents.verdicts == []
    assert report.to_html()
    same = contents_of(make_report(qrels, {"x": runs["x"], "y": runs["x"]}, "RR"))
    assert [one.query_id for one in same.changed] == ["q"]


# What to do.


def advice(runs: dict[str, Table], measures: Any = "RR", qrels: Table = JUDGED, **options: Any) -> str:
    contents = contents_of(make_report(qrels, runs, measures, **options))
    return str(contents.advice or "")


def test_the_advice_follows_from_the_verdicts() -> None:
    a, b = FIRST, THIRD
    assert advice({"b": b, "a": a}, ["RR", "AP"]) == "Better under all measures: nothing here stands against it."
    assert advice({"b": b, "a": a}) == "Better under RR: nothing here stands against it."
    assert advice({"a": a, "b": b}, ["RR", "AP"]) == "Worse under all measures: keep a."
    assert advice({"a": a, "b": b}, ["RR", "P@3"]) == "Worse under RR: keep a."
    assert advice({"a": a, "b": a}) == "No query differs under RR: make sure that these are two systems."
    assert advice({"a": a}) == ""
    assert advice({"b": b, "a": a, "c": b}) == "a: better under RR: nothing here stands against it."
    unchecked = "Better under RR, as far as is judged: what unjudged documents could do was not checked."
    assert advice({"b": b, "a": a}, judged_only=True) == unchecked


def test_measures_that_disagree_are_named() -> None:
    """One system has more that is relevant, and all of it further down."""
    judged = {f"q{n}": {"good": 1.0, "more": 1.0, "most": 1.0, "bad": 0.0} for n in range(8)}
    first = {query: {"good": 3.0, "bad": 2.0} for query in judged}
    many = {query: {"bad": 4.0, "good": 3.0, "more": 2.0, "most": 1.0} for query in judged}
    said = advice({"first": first, "many": many}, ["RR", "R@4"], judged)
    assert said == "Worse under RR, but better under R@4: decide which matters."


def test_what_is_unjudged_is_to_be_judged_first() -> None:
    """Two documents that nobody judged stand above the relevant one, for each of twelve queries."""
    runs = {"a": FIRST, "b": at_ranks(dict.fromkeys(JUDGED, 3), unjudged=2)}
    first = "judge these first (assay.compare(qrels, runs).judge_next(25, measure='{}'))."
    assert advice(runs, "P@2") == f"Worse, but 24 unjudged documents could turn it: {first.format('P@2')}"
    assert advice(runs, "AP") == f"Worse, but 24 unjudged documents could turn it: {first.format('AP')}"
    said = advice(runs, ["P@1", "P@2"])
    assert said == f"Worse under P@1; under P@2, too, but 24 unjudged documents could turn it: {first.format('P@2')}"


def test_where_one_cannot_tell_the_number_of_queries_that_would_is_named() -> None:
    ranks = {query: 1 + place % 3 for place, query in enumerate(JUDGED)}
    mixed = at_ranks({query: 1 + (place + 1) % 3 for place, query in enumerate(JUDGED)})
    runs = {"a": at_ranks(ranks), "b": mixed}
    finding = compare(JUDGED, runs, measures="RR").finding()
    assert finding.verdict.word == "inconclusive"
    assert finding.needed is not None
    expected = f"Inconclusive with 12 queries. Detecting a 0.01 difference would take about {finding.needed:,}"
    assert advice(runs).startswith(expected)
    few = {query: JUDGED[query] for query in list(JUDGED)[:3]}
    assert advice(runs, qrels=few) == "Inconclusive: 3 queries are too few; get at least 5."


def test_verdicts_that_stand_in_the_table_only_are_counted() -> None:
    qrels, runs = random_data(10)
    report = make_report(qrels, runs, ["AP", "RR"], bootstrap_resamples=200)
    assert len(contents_of(report).verdicts) == 7
    assert "11 more verdicts stand as marks in the" in report.to_html()


# Files.


def test_of_several_files_none_is_written_if_one_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "a.md", tmp_path / "b.md"
    first.write_text("before")
    calls = []
    real = os.fsync

    def full(number: int) -> None:
        calls.append(number)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        real(number)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match=r"b\.md: cannot be written: no space left on device"):
        write_texts({first: "after", second: "after"})
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]
    assert first.read_text() == "before"
    calls += [0]
    write_texts({first: "after", second: "too"})
    assert (first.read_text(), second.read_text()) == ("after", "too")
    assert first.stat().st_mode & 0o777 == second.stat().st_mode & 0o777 != 0o600
