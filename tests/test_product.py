"""Every verb on every subject in every form; what has no meaning says so in a sentence; and a subject of one's own."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cells_of.labels import LABELS
from cells_of.ranking import QRELS, RUNS
from toy_designs import Visits, Votes
from toy_subject import SECONDS, Reading

import assay
from assay import (
    InputError,
    ParameterError,
    compare,
    make_report,
    plan,
)
from assay.core import registry
from assay.core.results import Result, written

Cell = Callable[[], Any]
UNITS = range(12)
VERBS = ("evaluate", "compare", "gate", "report", "explain", "doctor", "plan", "correlate", "plot")
#: What each verb is called with, by subject: `cells_of/SUBJECT.py` says it. No subject is connected without.
OF = {name: importlib.import_module(f"cells_of.{name}") for name in registry.SUBJECTS}
CELLS: dict[str, dict[str, Cell]] = {name: each.CELLS for name, each in OF.items()}
NO_MEANING = {(name, verb) for name, each in OF.items() for verb in getattr(each, "NO_MEANING", ())}


def outcome(subject: str, verb: str) -> Result | None:
    """What a verb gives; None where it says, in a sentence, that it has nothing to give."""
    where = f"{verb} of {subject}"
    try:
        result = CELLS[subject][verb]()
    except (ParameterError, InputError) as problem:
        text = str(problem)
    else:
        assert (subject, verb) not in NO_MEANING, where
        assert isinstance(result, Result), f"{where}: {type(result)}"
        return result
    assert (subject, verb) in NO_MEANING, f"{where}: {text}"
    assert text, where
    assert "\n" not in text, where
    assert not text.endswith("."), where
    return None


def test_every_subject_and_every_verb_have_their_place_in_the_table() -> None:
    assert set(CELLS) == set(registry.SUBJECTS)
    assert all(tuple(verbs) == VERBS for verbs in CELLS.values())


@pytest.mark.parametrize("subject", CELLS)
def test_every_verb_gives_every_form(subject: str) -> None:
    for verb in VERBS:
        result = outcome(subject, verb)
        if result is None:
            continue
        document = result.document()
        for form in registry.WRITERS:
            text = result.to_csv() if form == "csv" else written(document, form)
            assert text.strip(), f"{verb} of {subject} as {form}"
        data = json.loads(result.to_json(), parse_constant=pytest.fail)
        assert {"kind", "sections"} <= set(data), f"{verb} of {subject}: {sorted(data)}"
        assert "object at 0x" not in str(result)


@pytest.mark.parametrize("subject", ["ranking", "labels", "clusters", "clicks"])
def test_a_result_compares_its_systems_and_draws_them(subject: str) -> None:
    evaluated, diagnosed = outcome(subject, "evaluate"), outcome(subject, "doctor")
    assert evaluated is not None
    assert diagnosed is not None
    comparison = evaluated.compare(baseline="new", margin=0.3)
    assert comparison.to_frame().equals(compare(evaluated, baseline="new", margin=0.3).to_frame())
    assert set(comparison.to_frame()["baseline"]) == {"new"}
    drawn = evaluated.report().document().figures()
    assert comparison.chart().to_dict()["concat"]
    assert all(registry.verb("chart")(figure).to_dict()["concat"] for figure in drawn)
    with pytest.raises(ParameterError, match="no figure in this result"):
        diagnosed.chart()


def test_a_result_draws_its_first_figure() -> None:
    report = make_report(QRELS, RUNS)
    first = next(report.document().figures())
    assert report.chart().to_dict() == registry.verb("chart")(first).to_dict()


def test_subjects_say_what_they_take() -> None:
    for name in registry.SUBJECTS:
        subject = registry.subject(name)
        assert subject.name == name
        assert all(subject.words)
        assert registry.load(subject.reported).eyebrow
        with pytest.raises(ParameterError, match="nonsense"):
            compare(*OF[name].TWO, nonsense=1)  # type: ignore[call-arg]


# A subject of one's own.

PLAIN = {f"page {number}": 50.0 + number * 3 % 7 for number in UNITS}
WIDE = {f"page {number}": 45.0 + number * 2 % 5 for number in UNITS}
READING = Reading({"plain": PLAIN, "wide": WIDE})
#: Visitors who saw one layout each; and people who were asked which of two they prefer.
VISITS = Visits({"plain": PLAIN, "wide": WIDE | {"one more": 47.0}, "odd": WIDE})
VOTES = Votes({("plain", "wide"): [1, 1, 0, 1, 1, -1] * 5, ("plain", "odd"): [1, 0, -1] * 5, ("wide", "odd"): [0] * 9})


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("reading", "visits", "votes"):
        monkeypatch.setitem(registry.SUBJECTS, name, f"toy_declaration:{name.upper()}")


@pytest.mark.usefixtures("registered")
def test_verbs_work_on_a_subject_that_they_do_not_know() -> None:
    comparison = compare(READING)
    finding = comparison.finding(SECONDS)
    assert (finding.verdict.word, finding.system, comparison.samples[0].unit_kind) == ("better", "wide", "page")
    plain, wide = READING.only("plain"), READING.only("wide")
    assert compare(plain, wide).to_frame().equals(comparison.to_frame())
    planned = plan(READING, difference=2.0).measures[0]
    assert (planned.measure, planned.unit_kind, planned.units) == (SECONDS, "page", len(UNITS))
    worse = assay.gate(READING, baseline="wide", candidate="plain", margin=1.0)
    assert (assay.gate(READING, margin=1.0).outcome, worse.outcome) == ("pass", "fail")
    report = make_report(READING)
    assert report.table("findings")["verdict"].to_list() == ["better"]
    assert str(make_report(comparison)) == str(report)
    assert assay.doctor(Reading({"plain": {"page 1": 0.0}})).findings[0].check == "unread-pages"
    with pytest.raises(ParameterError, match="explain takes judgments and a run, or counts, not Votes alone"):
        assay.explain(SECONDS, VOTES)
    for result in (comparison, plan(READING), worse, report, assay.doctor(READING), comparison.intervals()):
        _is_written_in_every_form(result)


def _is_written_in_every_form(result: Result) -> None:
    for form in registry.WRITERS:
        assert (result.to_csv() if form == "csv" else written(result.document(), form)).strip(), form
    json.loads(result.to_json(), parse_constant=pytest.fail)


@pytest.mark.usefixtures("registered")
def test_files_and_rules_of_a_subject_that_verbs_do_not_know(tmp_path: Path) -> None:
    path = tmp_path / "times.csv"
    rows = [(layout, page, time) for layout, times in READING.by_layout.items() for page, time in times.items()]
    pl.DataFrame(rows, ["Design", "url", "seconds"], orient="row").write_csv(path)
    of_file: Any = compare(str(path))
    assert of_file.to_frame().equals(compare(READING).to_frame())
    rules: dict[str, Any] = {"at_most": 52.0}
    assert compare(READING, **rules).samples[0].size == sum(time <= 52.0 for time in PLAIN.values())
    with pytest.raises(ParameterError, match="'at_most' is a rule of reading times"):
        compare(QRELS, RUNS, **rules)


@pytest.mark.usefixtures("registered")
def test_verbs_work_where_each_system_has_units_of_its_own() -> None:
    comparison = compare(VISITS, baseline="plain")
    finding = comparison.finding(system="wide")
    assert (finding.outcome.test, finding.verdict.word, finding.wins) == ("welch", "better", (0, 0, 0))
    assert (comparison.samples[0].size, finding.units) == (3 * len(UNITS) + 1, 2 * len(UNITS) + 1)
    alone = compare(VISITS.only("plain", "wide")).finding()
    assert (finding.spread, finding.detectable, finding.needed) == (alone.spread, alone.detectable, alone.needed)
    worse = assay.gate(VISITS, baseline="wide", candidate="plain", margin=1.0)
    assert (worse.outcome, worse.checks[0].units) == ("fail", 2 * len(UNITS) + 1)
    for result in (comparison, plan(VISITS), worse, make_report(VISITS), comparison.intervals()):
        _is_written_in_every_form(result)
    with pytest.raises(ParameterError, match="no visitor has a part of its own"):
        comparison.queries(system="wide")


@pytest.mark.usefixtures("registered")
def test_verbs_work_where_only_preferences_are_known() -> None:
    comparison = compare(VOTES)
    finding = comparison.finding(system="wide", baseline="plain")
    assert (finding.difference, finding.wins, finding.verdict.word) == (0.5, (20, 5, 5), "better")
    assert (finding.units, comparison.samples[0].size) == (30, 54)
    assert comparison.finding(system="odd", baseline="wide").verdict.word == "identical"
    worse = assay.gate(VOTES, baseline="wide", candidate="plain", margin=0.1)
    assert (worse.outcome, assay.gate(VOTES, baseline="plain", candidate="wide").outcome) == ("fail", "pass")
    planned = plan(VOTES)
    assert planned.measures[0].pairs[0].observed == 0.5
    assert "in a sign test" in str(planned)
    for result in (comparison, planned, worse, make_report(VOTES), comparison.intervals()):
        _is_written_in_every_form(result)
    same = assay.gate(VOTES, baseline="wide", candidate="odd")
    for result in (comparison, worse, same):
        text = written(result.document(), "text")
        assert not any(words in text for words in ("NA against", "(NA)", "  value"))


def test_a_plan_names_the_test_that_was_made() -> None:
    assert "in DeLong's test with Holm's correction (seed 0)" in str(plan(LABELS, measures="AUC"))


@pytest.mark.usefixtures("registered")
def test_rules_of_other_subjects_are_refused_for_it() -> None:
    with pytest.raises(ParameterError, match="'noise' is a rule of clusterings"):
        compare(READING, noise="-1")
    with pytest.raises(ParameterError, match="reading times are measured by Seconds, not by AP"):
        compare(READING, measures="AP")
