"""The doctor looks clusterings, spans and scores over: each check finds its case, and sound data have none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cases import in_turn
from command import invoke
from hypothesis import given
from hypothesis import strategies as st
from strategies import quickly

from assay import Clusters, Diagnosis, ParameterError, Scores, doctor, extract
from assay.core import registry
from assay.subjects.spans.spans import Spans
from assay.verbs.diagnosis import checks
from assay.verbs.diagnosis.examination import examine

SUBJECTS = ("clusters", "spans", "scores")
CLASSES, FOUND = ["a", "a", "b", "b", "c", "c"], [0, 0, 1, 1, 2, 2]


def found_in(diagnosis: Diagnosis) -> set[tuple[str, str]]:
    return {(finding.check, finding.severity) for finding in diagnosis.findings}


def scores(rows: list[tuple[str, str, str, float | None]], **directions: Any) -> Scores:
    columns: Any = ("system", "measure", "unit", "value")
    frame = pl.DataFrame(rows, schema=columns, orient="row", schema_overrides={"value": pl.Float64})
    kinds = pl.lit("query").alias("unit_kind"), pl.lit(None, pl.String).alias("undefined")
    return Scores(frame.with_columns(*kinds).select(*Scores.SCHEMA), directions)


def sound_scores(measure: str = "AP") -> list[tuple[str, str, str, float | None]]:
    return [(system, measure, f"q{unit}", unit / 10) for system in ("old", "new") for unit in range(6)]


def examined(subject: str, *inputs: Any, **options: Any) -> set[tuple[str, str]]:
    return found_in(examine(registry.subject(subject), inputs, options))


CLUSTERINGS: list[tuple[Clusters, dict[str, Any], set[tuple[str, str]]]] = [
    (Clusters.of(CLASSES, FOUND), {}, set()),
    (Clusters.of(CLASSES, [-1] * 6), {"noise": -1}, {("noise", "error")}),
    (Clusters.of(CLASSES, [0, 0, 1, 1, -1, -1]), {}, {("noise", "warning")}),
    (Clusters.of(CLASSES, [0, 0, 1, 1, -1, -1]), {"noise": -1}, set()),
    (Clusters.of(CLASSES, FOUND, item_id=list("aabcde")), {}, {("clustered-twice", "warning")}),
    (Clusters.of(CLASSES, FOUND, item_id=list("abacde")), {}, {("clustered-twice", "error")}),
    (Clusters.of(["a", None, *CLASSES[2:]], FOUND), {}, {("absent-classes", "warning")}),
    (Clusters.of(None, FOUND, X=[[1.0, n] for n in range(6)]), {}, {("constant-points", "note")}),
    (Clusters.of(None, FOUND, X=[[1.0]] * 6), {}, {("constant-points", "error")}),
]


@in_turn(("clusters", "options", "expected"), CLUSTERINGS)
def test_clusterings(clusters: Clusters, options: dict[str, Any], expected: set[tuple[str, str]]) -> None:
    assert found_in(doctor(clusters, **options)) == expected


def test_clusterings_of_other_items() -> None:
    one, two, three = (
        Clusters.of(CLASSES, FOUND, item_id=list(ids), name=ids) for ids in ("abcdef", "abcdeg", "uvwxyz")
    )
    assert found_in(doctor([one, one])) == set()
    [finding] = doctor([one, two]).findings
    assert (finding.check, finding.severity, finding.system, finding.count) == ("other-items", "warning", "abcdeg", 2)
    assert finding.says == "1 item of abcdef missing, 1 not in it"
    assert found_in(doctor([one, three])) == {("other-items", "error")}


def test_points_that_are_no_numbers_do_not_hide_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "clusters.csv"
    path.write_text("id,cluster,x\na,-1,1\nb,0,inf\nc,0,2\n", encoding="utf-8")
    diagnosis = examine(registry.subject("clusters"), [path], {"columns": {"points": ["x"]}})
    assert found_in(diagnosis) == {("unreadable-clusters", "error"), ("noise", "warning")}
    assert "line 3: expected a finite number" in diagnosis.of("error")[0].says
    assert found_in(doctor(path)) == {("noise", "warning")}


SPANS: list[tuple[Any, Any, set[tuple[str, str]]]] = [
    ([("d", 0, 4, "PER")], [("d", 0, 4, "PER")], set()),
    ([("d", 0, 4, "PER")] * 2, [("d", 0, 4, "PER")], {("spans-twice", "warning")}),
    ([("d", 0, 4, "PER")], [("d", 0, 4, "Per")], {("type-spelling", "error")}),
    ([("d", 0, 4, "PER")], [("d", 0, 4, "PER"), ("d", 5, 6, "LOC")], {("type-spelling", "warning")}),
    ([("d", 0, 4, "X"), ("e", 0, 4, "X")], [("d", 0, 4, "X")], {("other-documents", "warning")}),
    ([("d", 0, 4, "X")], [("D", 0, 4, "X")], {("other-documents", "error")}),
    ([("d", 0, 4, "X")], [("d", 4, 4, "X"), ("d", 9, 5, "X"), ("d", 0, 4, "X")], {("span-places", "error")}),
]


@in_turn(("truth", "predicted", "expected"), SPANS)
def test_spans(truth: Any, predicted: Any, expected: set[tuple[str, str]]) -> None:
    assert examined("spans", truth, predicted) == expected


def test_spans_of_files(tmp_path: Path) -> None:
    truth, predicted = tmp_path / "truth.jsonl", tmp_path / "predicted.jsonl"
    truth.write_text('{"id": "d", "text": "Ada spoke", "spans": [[0, 3, "PER"]]}\n', encoding="utf-8")
    spans = '[[0, 3, "PER"], [5, 5, "PER"], [7, 12, "PER"]]'
    predicted.write_text(f'{{"id": "d", "text": "Ada spoke", "spans": {spans}}}\n', encoding="utf-8")
    diagnosis = examine(registry.subject("spans"), [truth, predicted])
    assert found_in(diagnosis) == {("span-places", "error"), ("beyond-text", "error")}
    assert [finding.examples[0].line for finding in diagnosis.findings] == [1, 1]
    predicted.write_text("nothing of the kind\n", encoding="utf-8")
    assert examined("spans", truth, predicted) == {("unreadable-spans", "error")}
    one = [("d", 0, 4, "PER")]
    assert found_in(doctor(Spans.of(one), Spans.of(one))) == set()
    assert found_in(doctor(extract(one, one))) == set()


Rows = list[tuple[str, str, str, float | None]]
SCORES: list[tuple[Callable[[Rows], Rows], set[tuple[str, str]]]] = [
    (lambda rows: rows, set()),
    (lambda rows: [*rows, rows[0]], {("scored-twice", "error")}),
    (lambda rows: rows[:-1], {("missing-units", "warning")}),
    (lambda rows: [*rows[:-1], (*rows[-1][:3], None)], {("missing-units", "warning")}),
    (lambda rows: [*rows[:6], *(("new", "AP", f"u{n}", n / 10) for n in range(6))], {("missing-units", "error")}),
    (lambda rows: [*rows[:6], *(("new", "AP", f"q{n}", 0.5) for n in range(6))], {("constant-scores", "warning")}),
    (lambda rows: [*rows[:-1], (*rows[-1][:3], 37.5)], {("score-bounds", "warning")}),
    (lambda rows: [*rows[:-1], (*rows[-1][:3], float("inf"))], {("score-bounds", "error")}),
    (
        lambda rows: [(system, "wait", unit, value) for system, _, unit, value in rows],
        {("unknown-direction", "warning")},
    ),
]


@in_turn(("change", "expected"), SCORES)
def test_scores(change: Callable[[Rows], Rows], expected: set[tuple[str, str]]) -> None:
    assert found_in(doctor(scores(change(sound_scores())))) == expected


def test_scores_whose_direction_was_said() -> None:
    assert found_in(doctor(scores(sound_scores("wait"), wait="lower"))) == set()


def test_scores_of_files(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("system,measure,unit,value\na,AP,q1,0.5\na,AP,q1,0.25\n", encoding="utf-8")
    [finding] = doctor(path).findings
    assert (finding.check, finding.examples[0].line) == ("scored-twice", 3)
    path.write_text("a,b\n0.5,many\n", encoding="utf-8")
    assert examined("scores", path) == {("unreadable-scores", "error")}


@pytest.mark.parametrize("subject", SUBJECTS)
@given(data=st.binary(max_size=100))
@quickly
def test_any_bytes_are_survived(subject: str, tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("bytes") / "file"
    path.write_bytes(data)
    assert isinstance(examine(registry.subject(subject), [path]), Diagnosis)


def test_every_check_has_a_case_and_a_name_of_its_own() -> None:
    every = [check.name for subject in registry.SUBJECTS for check in checks(subject)]
    assert len(every) == len(set(every))
    cases = {name for case in CLUSTERINGS for name in case[2]} | {name for case in SPANS for name in case[2]}
    cases |= {name for case in SCORES for name in case[1]}
    cases |= {("unreadable-clusters", "error"), ("unreadable-spans", "error"), ("unreadable-scores", "error")}
    cases |= {("beyond-text", "error"), ("other-items", "error"), ("other-items", "warning")}
    assert cases == {(check.name, each) for name in SUBJECTS for check in checks(name) for each in check.severities}


def test_options_of_another_subject_are_refused() -> None:
    with pytest.raises(ParameterError, match="noise goes with clusters of items, not with scores"):
        doctor(scores(sound_scores()), noise=-1)
    with pytest.raises(ParameterError, match="train and pos_label go with predictions, not with clusters"):
        doctor(Clusters.of(CLASSES, FOUND), pos_label=1)


@in_turn(("words", "code"), [("clustering", 1), ("extraction", 1), ("scores", 1), ("clustering --noise -1", 0)])
def test_commands(words: str, code: int, tmp_path: Path) -> None:
    subject, *rest = words.split()
    texts = {
        "clustering": "id,cluster\na,-1\nb,0\na,0\n" if not rest else "id,cluster\na,-1\nb,0\nc,0\nd,1\ne,1\n",
        "extraction": '{"id": "d", "truth": [[0, 3, "PER"]], "prediction": [[0, 3, "per"]]}\n',
        "scores": "system,measure,unit,value\na,AP,q1,0.5\na,AP,q1,0.25\n",
    }
    path = tmp_path / "file.csv"
    path.write_text(texts[subject], encoding="utf-8")
    done = invoke([subject, "doctor", str(path), *rest, "--json"])
    assert done.exit_code == code, done.output
    told = json.loads(done.stdout)["sections"]["verdict"]
    assert (told["counts"]["error"] > 0) == bool(code)
