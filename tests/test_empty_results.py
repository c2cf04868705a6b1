"""An empty result is a result: a system that returns nothing is scored, and an empty file is named in a warning."""

from __future__ import annotations

import gzip
import io
import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cases import in_turn
from command import run_assay

import assay
from assay import InputError

TOPICS = [f"q{number}" for number in range(6)]
QRELS = {topic: {"d1": 1, "d2": 0} for topic in TOPICS}
FULL = {topic: {"d1": 2.0, "d2": 1.0} for topic in TOPICS}
NO_ROWS = pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64})
NOTHING: dict[str, Any] = {
    "a dict": {},
    "topics without documents": {topic: {} for topic in TOPICS},
    "a run": assay.Run.of({}),
    "a Polars frame": NO_ROWS,
    "a pandas frame": NO_ROWS.to_pandas(),
    "an Arrow table": NO_ROWS.to_arrow(),
}
EMPTY_FILES = {
    "empty.run": b"",
    "blank.run": b"\n\n \n",
    "comments.run": b"# nothing was found\n",
    "header.csv": b"query_id,doc_id,score\n",
    "object.json": b"{}\n",
    "topics.json": b'{"q0": {}, "q1": {}}',
    "empty.run.gz": gzip.compress(b""),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, data in EMPTY_FILES.items():
        (tmp_path / name).write_bytes(data)
    NO_ROWS.write_parquet(tmp_path / "rows.parquet")
    (tmp_path / "my.qrels").write_text("".join(f"{t} 0 {d} {g}\n" for t, ds in QRELS.items() for d, g in ds.items()))
    rows = (f"{topic} Q0 {doc} 1 {score} x\n" for topic, docs in FULL.items() for doc, score in docs.items())
    (tmp_path / "full.run").write_text("".join(rows))
    return tmp_path


def check_scores(result: assay.Evaluation, system: str) -> None:
    """Recall is 0, precision is 0/0 of each topic and 0 in the mean, a count is 0, and all topics are missing."""
    for measure in ("SetR", "SetP", "R@5", "AP", "RR", "nDCG@10", "P@5", "NumRet"):
        assert result.mean(measure, system) == 0.0
    precision = result.summary("SetP", system)
    assert (precision.undefined, precision.reason) == (len(TOPICS), None)
    assert set(result.scores.of(system, "SetP")["undefined"]) == {"nothing was retrieved"}
    coverage = result.coverage.filter(system=system).row(0, named=True)
    assert (coverage["topics"], coverage["missing"], coverage["retrieved"]) == (len(TOPICS), len(TOPICS), 0)


MEASURES = ["SetR", "SetP", "R@5", "AP", "RR", "nDCG@10", "P@5", "NumRet"]


@in_turn("shape", NOTHING)
def test_nothing_in_any_shape_is_scored(shape: str) -> None:
    check_scores(assay.evaluate(QRELS, NOTHING[shape], MEASURES), "run")
    check_scores(assay.evaluate(QRELS, {"nothing": NOTHING[shape], "full": FULL}, MEASURES), "nothing")


@pytest.mark.parametrize("name", [*EMPTY_FILES, "rows.parquet"])
def test_an_empty_file_is_scored_and_named(folder: Path, name: str) -> None:
    result = assay.evaluate(QRELS, {"nothing": folder / name}, MEASURES)
    check_scores(result, "nothing")
    assert result.warnings[0] == f"{folder / name}: the run is empty: scored as a system that returned nothing"


def test_precision_of_some_empty_results_counts_as_the_policy_says() -> None:
    """Three topics of precision 1/2, and three of 0/0, which count as 0 or are left out."""
    half = {topic: documents if place % 2 else {} for place, (topic, documents) in enumerate(FULL.items())}
    counted = assay.evaluate(QRELS, half, "SetP")
    assert (counted.mean(), counted.summary().undefined) == (0.25, 3)
    assert assay.evaluate(QRELS, half, "SetP", undefined="skip").mean() == 0.5


@in_turn("given", [{}, io.StringIO("")], ids=["dict", "file"])
def test_other_rules_for_missing_topics_hold_for_all_of_them(given: Any) -> None:
    with pytest.raises(assay.TopicError, match="6 judged topics missing"):
        assay.evaluate(QRELS, given, "AP", missing="error")
    skipped = assay.evaluate(QRELS, {}, "AP", missing="skip")
    assert math.isnan(skipped.mean())
    assert skipped.summary().reason == "there is nothing to average"


def test_a_run_of_other_topics_is_still_refused_with_both_sides() -> None:
    with pytest.raises(assay.TopicError, match=r"no topic in common .*'elsewhere'.*'q0'"):
        assay.evaluate(QRELS, {"elsewhere": {"d1": 1.0}}, "AP")
    with pytest.raises(assay.TopicError, match="the judgments have none"):
        assay.evaluate({}, FULL, "AP")


def test_a_reader_still_says_that_there_are_no_data(folder: Path) -> None:
    for read in (assay.read_run, assay.read_qrels):
        with pytest.raises(assay.FormatError, match="no data"):
            read(folder / "empty.run")


# The verbs


def test_a_system_that_returns_nothing_is_worse() -> None:
    result = assay.compare(QRELS, {"full": FULL, "nothing": {}}, measures=["AP", "SetP"])
    assert (result.finding("AP").difference, result.finding("AP").verdict.word) == (-1.0, "worse")
    assert (result.finding("SetP").difference, result.finding("SetP").verdict.word) == (-0.5, "worse")
    assert "nan" not in str(result)


def test_two_systems_that_return_nothing_are_identical_where_there_is_a_number() -> None:
    runs: Any = {"one": assay.Run.of({}), "other": assay.Run.of({})}
    result = assay.compare(QRELS, runs, measures=["AP", "SetP"])
    assert [finding.verdict.word for finding in result.findings] == ["identical", "identical"]
    left_out = assay.compare(QRELS, runs, measures=["AP", "SetP"], undefined="skip")
    assert left_out.finding("SetP").verdict.word == "inconclusive"


def test_a_gate_does_not_pass_nothing() -> None:
    refused = assay.gate(QRELS, FULL, {}, measures="AP")
    assert (refused.outcome, refused.exit_code) == ("invalid", 2)
    assert "lacks 6 of 6 judged topics" in refused.sentence
    assert assay.gate(QRELS, FULL, {}, measures="AP", max_missing=1).outcome == "fail"


@pytest.mark.parametrize(
    "call",
    [
        ("evaluate", "my.qrels", "empty.run", "--json"),
        ("compare", "my.qrels", "full.run", "empty.run", "--json"),
        ("explain", "AP", "my.qrels", "empty.run"),
        ("audit", "my.qrels", "empty.run", "-m", "AP"),
        ("correlate", "my.qrels", "full.run", "empty.run", "-m", "AP", "-m", "RR"),
        ("power", "my.qrels", "full.run", "empty.run", "-m", "AP"),
        ("plot", "my.qrels", "empty.run", "-o", "curve.csv"),
        ("report", "my.qrels", "full.run", "empty.run", "-o", "page.html"),
        ("doctor", "my.qrels", "empty.run"),
    ],
    ids=lambda call: call[0],
)
def test_no_command_refuses_an_empty_run_and_all_name_the_file(folder: Path, call: tuple[str, ...]) -> None:
    done = run_assay(*call, folder=folder)
    assert done.returncode == 0, done.stderr
    assert "empty.run" in done.stderr + done.stdout
    assert "nan%" not in done.stdout
    if "--json" in call:
        json.loads(done.stdout, parse_constant=pytest.fail)


def test_a_page_about_nothing_has_no_nan(folder: Path) -> None:
    run_assay("report", "my.qrels", "full.run", "empty.run", "-o", "page.md", "-o", "page.html", folder=folder)
    for name in ("page.md", "page.html"):
        words = (folder / name).read_text().replace("<", " ").replace(">", " ").split()
        assert not {"nan", "nan%", "NaN"} & set(words)


def test_the_reference_tools_text_has_no_lines_for_nothing(folder: Path) -> None:
    done = run_assay("trec-eval", "my.qrels", "empty.run", folder=folder)
    assert (done.returncode, done.stdout) == (2, "")


def test_classifiers_and_clusterings_of_nothing_are_still_refused(folder: Path) -> None:
    for subject in ("classifier", "clustering"):
        done = run_assay(subject, "evaluate", "empty.run", folder=folder)
        assert (done.returncode, done.stdout) == (2, "")


VERBS: dict[str, Any] = {
    "compare": lambda runs, **rules: assay.compare(QRELS, runs, measures="RR", **rules),
    "gate": lambda runs, **rules: assay.gate(QRELS, *runs.values(), measures="RR", **rules),
    "frozen": lambda runs, **rules: assay.freeze(QRELS, {"new": runs["new"]}, "RR", **rules),
    "report": lambda runs, **rules: assay.make_report(QRELS, runs, "RR", **rules),
    "plan": lambda runs, **rules: assay.plan(QRELS, runs, measures="RR", **rules),
    "tune": lambda runs, **rules: assay.tune(QRELS, runs, "RR", folds=2, **rules),
}


@in_turn("verb", VERBS)
def test_where_missing_topics_are_left_out_nothing_has_no_number(verb: str) -> None:
    """It is scored on no topic at all, so that there is nothing to compare."""
    with pytest.raises(InputError, match="the run has none of the judged topics, and missing='skip' leaves them out"):
        VERBS[verb]({"old": FULL, "new": {}}, missing="skip")


def test_a_report_shows_no_queries_where_none_has_a_difference() -> None:
    """No document is relevant, and one of the runs lacks a topic, which is left out."""
    judged = {topic: {"d1": 0} for topic in TOPICS}
    runs = {"old": FULL, "new": {topic: FULL[topic] for topic in TOPICS[1:]}}
    report = assay.make_report(judged, runs, "RR", missing="skip")
    assert "changed" not in json.loads(report.to_json())["sections"]


@pytest.mark.filterwarnings("error", "ignore::assay.DataWarning")
def test_bounds_of_nothing_are_no_numbers() -> None:
    bounds = assay.compare(QRELS, {"old": FULL, "new": {}}, measures=["MicroP", "SetP"], undefined="skip").bounds()
    low_and_high = bounds.filter(system="new", measure="SetP(average='micro')").select("low", "high")
    assert low_and_high.row(0) == pytest.approx((math.nan, math.nan), nan_ok=True)
