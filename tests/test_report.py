"""A report holds what `compare` and `evaluate` say, whatever it is made of, and tells where it comes from."""

from __future__ import annotations

import hashlib
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from cases import in_turn
from reported import BICYCLES, FORMS, MEASURES, NAMES, RUNS, TEA, bicycles_report, contents_of, random_data
from shared_data import shared

import assay
from assay import Comparison, InputError, ParameterError, Report, compare, evaluate, make_report, parse_measure
from assay.verbs.report.report import now


@pytest.fixture(scope="module")
def report() -> Report:
    return bicycles_report()


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare(BICYCLES / "qrels.txt", RUNS, measures=MEASURES, baseline="bm25")


# What is in it is what the other verbs say.


def test_verdicts_are_those_of_compare(report: Report, comparison: Comparison) -> None:
    told = {one.system: one for one in contents_of(report).verdicts}
    assert set(told) == set(NAMES) - {"bm25"}
    for system, one in told.items():
        finding = comparison.finding("nDCG@10", system)
        assert (one.value, one.difference, one.p, one.d_z) == (
            finding.value,
            finding.difference,
            finding.p,
            finding.d_z,
        )
        assert (one.low, one.high) == (finding.interval.low, finding.interval.high)
        assert (one.narrow_low, one.narrow_high) == (finding.narrow.low, finding.narrow.high)
        assert one.p_uncorrected == finding.outcome.p <= one.p
        assert one.narrow_level == pytest.approx(0.9)
        assert (one.correction, one.comparisons, one.unjudged) == ("Holm", 5, finding.verdict.unjudged)
        assert one.word == finding.verdict.word
        assert (one.won, one.tied, one.lost) == tuple(finding.record)
        assert f"{one.paragraph} {one.caveat}".strip() in str(comparison)


def test_the_table_has_the_numbers_marks_and_intervals_of_every_measure(report: Report, comparison: Comparison) -> None:
    assert [row.system for row in contents_of(report).systems] == [one.system for one in comparison.standing("nDCG@10")]
    for row in contents_of(report).systems:
        for score in row.scores:
            standing = next(one for one in comparison.standing(score.measure) if one.system == row.system)
            assert (score.value, score.low, score.high) == (
                standing.value,
                standing.interval.low,
                standing.interval.high,
            )
            if row.is_baseline:
                assert (score.word, score.verdict) == ("", "")
                continue
            finding = comparison.finding(score.measure, row.system)
            assert score.word == finding.verdict.word
            assert (score.p, score.difference) == (finding.p, finding.difference)
    best = [[score.is_best for score in row.scores] for row in contents_of(report).systems]
    assert [sum(column) for column in zip(*best, strict=True)] == [1, 1, 1]


def test_bounds_power_and_queries_are_those_of_compare(report: Report, comparison: Comparison) -> None:
    bounds = {(row["system"], row["measure"]): row for row in comparison.bounds().to_dicts()}
    moved = {key for key, row in bounds.items() if key[1] == "AP"}  # nothing unjudged is in reach of the others
    assert {(one.system, one.measure) for one in contents_of(report).bounds} == moved
    for bound in contents_of(report).bounds:
        row = bounds[bound.system, bound.measure]
        assert (bound.low, bound.high) == (row["low"], row["high"])
    for one in contents_of(report).power:
        finding = comparison.finding("nDCG@10", one.system)
        assert (one.detectable, one.needed, one.units) == (finding.detectable, finding.needed, finding.units)
    first = contents_of(report).differences[0]
    assert first.system == "described"
    expected = {row[0]: row[1:4] for row in comparison.queries("nDCG@10", "described").rows()}
    assert {one.query_id: (one.baseline_value, one.value, one.difference) for one in first.queries} == expected
    falling = [one.difference for one in first.queries]
    assert falling == sorted(falling, reverse=True)


def test_coverage_curves_and_every_value_are_those_of_evaluate(report: Report) -> None:
    evaluation = evaluate(BICYCLES / "qrels.txt", RUNS, [*MEASURES, "Judged@10", "IPrec@0.5"])
    rows = {row["system"]: row for row in evaluation.coverage.to_dicts()}
    for one in contents_of(report).coverage:
        assert one.relevant_retrieved == rows[one.system]["relevant_retrieved"]
        assert getattr(one, "judged@10") == pytest.approx(evaluation.mean("Judged@10", one.system))
    for curve in contents_of(report).curves:
        at_half = dict(zip(curve.recall, curve.precision, strict=True))[0.5]
        assert at_half == pytest.approx(evaluation.mean("IPrec@0.5", curve.system))
    queries = report.table("values")
    for system in NAMES:
        known = dict(evaluation.scores.of(system, "nDCG@10").select("unit", "value").rows())
        assert dict(queries.select("query_id", system).rows()) == known


def test_the_most_changed_queries_show_both_rankings_and_steps_that_add_up(report: Report) -> None:
    changed = contents_of(report).changed
    falling = [one.query_id for one in contents_of(report).differences[0].queries]
    assert [one.query_id for one in changed] == [*falling[:3], *falling[:-4:-1]]
    runs = {name: assay.read_run(path) for name, path in RUNS.items()}
    grades = {tuple(row[:2]): row[2] for row in assay.read_qrels(BICYCLES / "qrels.txt").frame.rows()}
    for one in changed:
        assert one.text
        for side in (one.baseline, one.system):
            own = runs[side.system].frame.filter(query_id=one.query_id)
            expected = own.sort(["score", "doc_id"], descending=True)["doc_id"].to_list()[:10]
            assert [item.doc_id for item in side.ranking] == expected
            assert [item.grade for item in side.ranking] == [grades.get((one.query_id, doc)) for doc in expected]
            assert all(item.title and item.text for item in side.ranking)
            assert last_step(side).running == pytest.approx(side.value)
            below = 0.0 if side.below is None else side.below.adds
            assert sum(item.adds for item in side.ranking) + below == pytest.approx(side.value)
        moved = {item.doc_id: item for item in one.system.ranking}
        before = {item.doc_id: item.rank for item in one.baseline.ranking}
        for doc, item in moved.items():
            assert (item.change == "gained") == (doc not in before)
            assert doc not in before or item.other_rank == before[doc]
        assert one.best == pytest.approx(1)
        assert one.difference == pytest.approx(one.system.value - one.baseline.value)


def last_step(side: Any) -> Any:
    """Where a value has reached its whole."""
    return side.ranking[-1] if side.below is None else side.below


def test_what_stands_below_the_ranking_shown_is_the_last_step() -> None:
    """AP looks at all ranks; three are shown."""
    result = make_report(BICYCLES / "qrels.txt", RUNS, "AP", system="tfidf", changed=2, show=3)
    for one in contents_of(result).changed:
        for side in (one.baseline, one.system):
            assert len(side.ranking) <= 3
            assert last_step(side).running == pytest.approx(side.value)
    deep = [one.baseline.below for one in contents_of(result).changed if one.baseline.below is not None]
    assert deep
    assert all(step.rank > 3 for step in deep)


def test_where_a_measure_does_not_add_up_the_reason_stands_in_place_of_the_steps() -> None:
    changed = contents_of(make_report(BICYCLES / "qrels.txt", RUNS, "SetF", changed=2)).changed
    assert [one.no_steps for one in changed] == ["SetF does not add up over documents"] * 2
    assert all(one.best is None and one.baseline.below is None for one in changed)
    assert all(item.adds is None for one in changed for item in one.baseline.ranking)


# Where it comes from.


def test_every_input_has_the_digest_of_its_bytes(report: Report) -> None:
    digests = {one.name.rpartition(" = ")[2]: one.sha256 for one in contents_of(report).provenance.inputs}
    files = [BICYCLES / "qrels.txt", *RUNS.values(), BICYCLES / "topics.trec", BICYCLES / "documents.jsonl"]
    assert len(digests) == len(files)
    for file in files:
        name = file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file
        assert digests[name.as_posix()] == hashlib.sha256(file.read_bytes()).hexdigest()


def test_what_is_not_a_file_has_no_digest_and_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even if a file happens to be called as the run is."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s0").write_text("other")
    qrels, runs = random_data(2)
    inputs = contents_of(make_report(qrels, runs, "AP", topics={"q1": "one"})).provenance.inputs
    assert [one.role for one in inputs] == ["qrels", "run", "run", "topics"]
    assert all(one.sha256 is None and "not a file" in one.says for one in inputs)


def test_the_time_is_that_of_the_environment_and_then_the_bytes_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert now() == "1970-01-02 00:00:00 UTC"
    made = [make_report(TEA / "qrels.txt", [TEA / "words.run", TEA / "stems.run"]) for _ in range(2)]
    for form in FORMS:
        assert getattr(made[0], form)() == getattr(made[1], form)()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(ParameterError, match=r"SOURCE_DATE_EPOCH is a number of seconds since 1970, not 'yesterday'"):
        now()


def test_signatures_and_settings_are_told(report: Report, comparison: Comparison) -> None:
    made = contents_of(report).provenance
    assert comparison.evaluation is not None
    assert made.signatures == tuple(comparison.evaluation.signatures.values())
    assert dict(made.settings)["correction"] == "Holm, 5 comparisons"
    assert made.version == assay.__version__


# Methods.


def test_the_methods_paragraph_cites_what_was_used_and_nothing_else(report: Report) -> None:
    paragraph, references = contents_of(report).methods, contents_of(report).references
    cited = [int(number) for found in re.findall(r"\[([\d, ]+)\]", paragraph) for number in found.split(", ")]
    assert list(dict.fromkeys(cited)) == [*range(1, len(references) + 1)]
    first_words = " ".join(one.entry[:12] for one in references)
    assert all(name in first_words for name in ("Järvelin", "Smucker", "Holm", "Efron"))
    assert "Moffat" not in first_words
    for said in ("6 systems", "20 topics", "681 relevance", "nDCG@10", "seed 0", "10,000", "95%", "±0.01"):
        assert said in paragraph


@in_turn(
    ("options", "works_cited", "not_cited"),
    [
        ({"test": "t", "correction": "bonferroni"}, ["Student", "Dunn"], ["Wilcoxon", "Holm"]),
        (
            {"test": "wilcoxon", "correction": "benjamini-hochberg"},
            ["Wilcoxon", "Pratt", "Benjamini"],
            ["Smucker", "Holm"],
        ),
        ({"test": "sign", "interval": "percentile"}, ["Dixon", "Tibshirani"], ["Smucker", "Efron, B. (1987)"]),
        ({"measures": ["RBP(p=0.8)", "ERR@10", "nDCG(gain='exp')@10"]}, ["Moffat", "Chapelle", "Burges"], ["Buckley"]),
        ({"test": "bootstrap", "measures": "Bpref"}, ["Sakai", "incomplete information"], ["Smucker", "Burges"]),
    ],
)
def test_other_choices_cite_other_works(options: dict[str, Any], works_cited: list[str], not_cited: list[str]) -> None:
    qrels, runs = random_data(3)
    contents = contents_of(make_report(qrels, runs, **options))
    entries = "\n".join(one.entry for one in contents.references)
    assert [name for name in works_cited if name not in entries] == []
    assert [name for name in not_cited if name in entries] == []


# Shapes of input.


def test_one_system_alone_has_intervals_coverage_a_curve_and_its_queries() -> None:
    result = make_report(TEA / "qrels.txt", TEA / "words.run", topics=TEA / "topics.tsv")
    contents = contents_of(result)
    assert [*contents.verdicts, *contents.differences, *contents.changed, *contents.power] == []
    assert contents.systems[0].scores[0].value == pytest.approx(0.5799, abs=1e-4)
    assert contents.systems[0].scores[0].low < 0.5799 < contents.systems[0].scores[0].high
    assert len(contents.coverage) == len(contents.curves) == 1
    assert len(contents.queries) == 8
    assert contents.queries[0].text
    assert str(result).endswith("There is no other system to compare it with.")
    assert all(getattr(result, form)() for form in FORMS)


def test_of_many_systems_the_table_has_all_and_the_notes_say_what_is_left_out() -> None:
    qrels, runs = random_data(12, queries=12)
    contents = contents_of(make_report(qrels, runs, baseline="s3", system="s11"))
    assert len(contents.systems) == 12
    assert len(contents.curves) == 8
    shown = {one.system for one in contents.curves}
    assert {"s3", "s11"} <= shown
    assert {one.system for one in contents.verdicts} == shown - {"s3"}
    assert contents.changed[0].system.system == contents.differences[0].system == "s11"
    assert any("12 systems are too many" in note for note in contents.notes)
    assert any("verdicts under AP, RR, P@10 stand in the table" in note for note in contents.notes)


def test_missing_topics_are_counted_and_warned_about() -> None:
    qrels, runs = random_data(2)
    del runs["s1"]["q0"], runs["s1"]["q1"]
    contents = contents_of(make_report(qrels, runs, "AP"))
    assert contents.warnings == ("s1: 2 judged topics missing, counted as empty",)
    assert {one.system: one.missing for one in contents.coverage} == {"s0": 0, "s1": 2}
    skipped = contents_of(make_report(qrels, runs, "AP", missing="skip"))
    assert skipped.power[0].units == 6
    assert skipped.notes[0] == "AP: 2 queries left out: not all systems have a value there"


def test_undefined_values_are_null_and_what_cannot_be_compared_is_said() -> None:
    qrels, run = {"q1": {"a": 0}, "q2": {"a": 0}}, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    result = make_report(qrels, {"x": run, "y": run}, "AP", undefined="skip")
    assert str(result).startswith("y and x cannot be compared under AP, undefined for x and y (no relevant document)")
    assert contents_of(result).warnings == (
        "qrels: no document was judged relevant: the highest grade is 0; assay.doctor(qrels, runs) says more",
        "x, y: AP is undefined: no relevant document",
    )
    sections = json.loads(result.to_json())["sections"]
    assert sections["systems"]["scores"][0]["value"] is None
    assert [sections["differences"]["values"]["values"][0][name] for name in "xy"] == [None, None]
    assert all(getattr(result, form)() for form in FORMS)


@in_turn("rule", [{"ties": "expected"}, {"judged_only": True}])
def test_where_documents_cannot_be_looked_at_the_rest_is_there_and_the_reason(rule: dict[str, Any]) -> None:
    qrels, runs = random_data(2)
    contents = contents_of(make_report(qrels, runs, "AP", **rule))
    assert [*contents.changed, *contents.bounds] == []
    assert contents.differences
    assert [note for note in contents.notes if "not looked at" in note] == [contents.notes[-1]]


def test_a_report_can_be_made_of_an_evaluation_a_comparison_and_scores() -> None:
    qrels, runs = random_data(3)
    evaluation = evaluate(qrels, runs, MEASURES)
    from_runs = contents_of(make_report(qrels, runs, MEASURES, baseline="s1"))
    assert repr(contents_of(evaluation.report(baseline="s1")).systems) == repr(from_runs.systems)
    scored = [[vars(score) | {"verdict": ""} for score in row.scores] for row in from_runs.systems]
    compared = contents_of(compare(evaluation, baseline="s1").report()).systems
    assert repr([[vars(score) | {"verdict": ""} for score in row.scores] for row in compared]) == repr(scored)
    from_scores = contents_of(make_report(evaluation.scores, baseline="s1"))
    for row, other in zip(from_scores.systems, from_runs.systems, strict=True):
        # What unjudged documents could do is not known from scores, and not said.
        numbers = [[vars(score) | {"verdict": ""} for score in one.scores] for one in (row, other)]
        assert repr(numbers[0]) == repr(numbers[1])
    assert [*from_scores.coverage, *from_scores.curves, *from_scores.changed] == []
    assert any("scores alone say nothing about documents" in note for note in from_scores.notes)
    assert all(getattr(make_report(evaluation.scores), form)() for form in FORMS)


def test_scores_of_a_single_unit_are_refused(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("system,measure,unit,value\na,AP,q1,0.5\nb,AP,q1,0.6\n")
    with pytest.raises(InputError, match="AP: expected at least 2 units that all systems have, got 1"):
        make_report(tmp_path / "scores.csv")


def test_with_two_queries_the_t_interval_ends_where_the_measure_does() -> None:
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}, "q2": {"b": 1.0, "a": 0.5}}
    score = contents_of(make_report(qrels, run, "RR")).systems[0].scores[0]
    assert (score.low, score.value, score.high) == (0.0, 0.75, 1.0)  # 0.75 ± 12.7 * 0.25


def test_a_micro_average_has_no_queries_of_its_own() -> None:
    qrels, runs = random_data(2)
    contents = contents_of(make_report(qrels, runs, ["MicroF", "AP"]))
    assert contents.differences == []
    assert any("no query has a part of its own" in note for note in contents.notes)


def test_where_less_is_better_the_smallest_number_is_best() -> None:
    qrels, runs = random_data(3)
    contents = contents_of(make_report(qrels, runs, "ErrorRate", collection_size=100))
    values = [row.scores[0].value for row in contents.systems]
    assert values == sorted(values)
    assert contents.systems[0].scores[0].is_best


@in_turn(
    ("options", "says"),
    [
        ({"baseline": "zz"}, r"choose a baseline of s0, s1, not 'zz'"),
        ({"system": "s0"}, r"choose a system of s1, not 's0'"),
        ({"changed": -1}, "changed is a whole number from 0 on"),
        ({"show": 0}, "show is a whole number from 1 on"),
        ({"test": "zz"}, "the test is one of permutation"),
        ({"alpha": 2}, "alpha is a number between"),
        ({"nonsense": 1}, "nonsense"),
    ],
)
def test_what_does_not_exist_is_refused(options: dict[str, Any], says: str) -> None:
    qrels, runs = random_data(2)
    with pytest.raises(ParameterError, match=says):
        make_report(qrels, runs, "AP", **options)


def test_a_comparison_keeps_its_own_settings() -> None:
    qrels, runs = random_data(3)
    with pytest.raises(ParameterError, match="alpha belongs to the comparison"):
        compare(qrels, runs, baseline="s0", measures="AP").report(alpha=0.1)
    with pytest.raises(ParameterError, match="a report compares systems with one baseline"):
        compare(qrels, runs, measures="AP").report()
    with pytest.raises(ParameterError, match="there is one system, run"):
        make_report(qrels, runs["s0"], "AP", baseline="s0")


def test_texts_that_do_not_fit_are_noted() -> None:
    qrels, runs = random_data(2)
    notes = contents_of(make_report(qrels, runs, "AP", topics={"other": "x"}, documents={"other": "x"})).notes
    assert "topics: no topic id is that of a query" in notes
    assert "documents: it has none of the documents shown" in notes


# Real data.


def test_a_real_collection_of_many_runs() -> None:
    folder = shared("trec-covid-r1")
    runs = sorted((folder / "runs").glob("*"))[:6]
    qrels = next(folder.glob("*qrels*"))
    contents = contents_of(make_report(qrels, runs, ["nDCG@10", "P@5"], changed=2, bootstrap_resamples=1000))
    assert len(contents.systems) == len(runs)
    evaluation = evaluate(qrels, runs, ["nDCG@10"])
    for row in contents.systems:
        assert row.scores[0].value == pytest.approx(evaluation.mean("nDCG@10", row.system))
    assert parse_measure(contents.measures[0][0]) == parse_measure("nDCG@10")
    assert len(contents.changed) == 2
    assert not math.isnan(contents.systems[0].judged)


@in_turn("names", [("text", "query_id"), ("text",)])
def test_runs_may_have_the_names_of_columns(names: tuple[str, ...]) -> None:
    """A run `text` beside a run `title` is common: the table of every query's values keeps both."""
    judged = {f"q{n}": {"d1": 1, "d2": n % 2} for n in range(6)}
    runs = {name: {query: {"d1": 1.0, "d2": 2.0 - 2 * place} for query in judged} for place, name in enumerate(names)}
    values, scores = make_report(judged, runs, "RR").table("values"), evaluate(judged, runs, "RR").scores
    for name in names:
        wanted = dict(scores.of(name, "RR").select("unit", "value").rows())
        assert dict(values.select("query_id", f"{name} (system)").rows()) == wanted
