"""Every subject has what the one flow of reports asks for, and a new one needs a class and a line in the registry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from cases import in_turn

from assay import Clusters, InputError, ParameterError, Predictions, compare, make_report
from assay.core import registry
from assay.core.declarations import Declaration
from assay.core.errors import Note, merged
from assay.show.model import Prose, Section
from assay.subjects.clusters.report import ReportedClusterings
from assay.subjects.labels.sections.report import ReportedClassifiers
from assay.subjects.ranking.sections.report import ReportedRankings
from assay.verbs.report.report import InputFile, Reported, Request
from assay.verbs.sections.methods import Citations

JUDGED = {f"q{number}": {"good": 1} for number in range(6)}
RUNS = {"down": {query: {"bad": 2.0} for query in JUDGED}, "up": {query: {"good": 2.0} for query in JUDGED}}
LAST = ["methods", "provenance"]


def test_the_registry_names_a_class_for_every_subject_that_is_recognised() -> None:
    classes: list[type[Reported]] = [ReportedRankings, ReportedClassifiers, ReportedClusterings]
    named = [registry.load(registry.subject(name).reported) for name in ("ranking", "labels", "clusters")]
    assert named == classes


@in_turn(
    ("source", "runs", "eyebrow"),
    [
        (JUDGED, RUNS, "Evaluation report"),
        (Predictions.of([0, 1, 1, 0], [0, 1, 0, 0]), None, "Classifier report"),
        (Clusters.of(list("xxoo"), [0, 0, 0, 1]), None, "Clustering report"),
    ],
)
def test_every_report_begins_with_the_summary_and_ends_with_how_it_was_made(
    source: object, runs: object, eyebrow: str
) -> None:
    document = make_report(source, runs).document()
    names = [section.name for section in document.sections]
    assert names[0] == "summary"
    assert [name for name in names if name != "notes"][-2:] == LAST
    assert document.eyebrow == eyebrow


class Coin(NamedTuple):
    """How often a coin fell on its head, out of so many throws."""

    heads: int
    throws: int

    @property
    def subject(self) -> str:
        return "coins"


class ReportedCoin(Reported):
    """What a report on a coin says."""

    eyebrow = "Coin report"
    title = "A coin"
    seed = 7
    signatures = ("Heads|v1",)
    notes = (Note.on("Heads", "counted by hand"), Note.on("Tails", "counted by hand"))

    def __init__(self, coin: Coin) -> None:
        self.coin = coin

    @classmethod
    def of(cls, request: Request) -> ReportedCoin:
        return cls(request.source)

    def sections(self) -> Iterator[Section | str]:
        yield Section("summary", "", (Prose(f"Heads: {self.coin.heads}.", "claim"),), f"{self.coin.throws} throws")
        yield "edges are not shown"

    def methods(self, cite: Citations) -> Iterator[str]:
        yield f"A coin was thrown {self.coin.throws} times{cite('holm1979')}."

    def configuration(self) -> dict[str, object]:
        return {"throws": self.coin.throws, "wind": None}

    def inputs(self) -> Iterator[InputFile]:
        yield InputFile("scores", "coin", "in memory", f"{self.coin.throws} throws")


class Coins:
    """The least that a subject says for reports."""

    name = "coins"
    rules = ()
    report_rules = ()
    reported = f"{__name__}:ReportedCoin"


COINS = Coins()
DECLARATION = Declaration("coins", f"{__name__}:COINS")


def test_a_new_subject_is_a_class_and_its_name_in_the_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.SUBJECTS, "coins", f"{__name__}:DECLARATION")
    report = make_report(Coin(6, 10), command="assay report coin")
    assert [section.name for section in report.document().sections] == ["summary", *LAST, "notes"]
    assert str(report) == "Heads: 6."
    assert report.notes == ("Heads, Tails: counted by hand", "edges are not shown")
    assert report.section("methods").data["paragraph"].startswith("A coin was thrown 10 times [1]. All numbers")
    settings = dict(report.table("settings").rows())
    assert (settings["seed"], settings["throws"]) == ("7", "10")
    assert "wind" not in settings
    assert report.section("provenance").data["signatures"] == ("Heads|v1",)


def test_what_only_rankings_show_is_refused_for_items() -> None:
    predictions = Predictions.of([0, 1, 1, 0], [0, 1, 0, 0])
    with pytest.raises(ParameterError, match="changed has no meaning in a report on classifiers"):
        make_report(predictions, changed=3)
    with pytest.raises(ParameterError, match="topics has no meaning in a report on clusterings"):
        make_report(Clusters.of(list("xxoo"), [0, 0, 0, 1]), topics={"q": "tea"})


# Notes carry what they are about.


def test_notes_of_a_comparison_know_their_measure() -> None:
    runs = {"down": RUNS["down"], "up": {query: RUNS["up"][query] for query in list(JUDGED)[2:]}}
    comparison = compare(JUDGED, runs, measures=["RR", "P@1"], missing="skip")
    about = [note for note in comparison.notes if isinstance(note, Note) and note.measure]
    assert [note.measure for note in about] == ["RR", "P@1"]
    assert {note.remark for note in about} == {"2 queries left out: not all systems have a value there"}
    assert comparison.report().notes[0] == "RR, P@1: 2 queries left out: not all systems have a value there"


def test_an_error_about_a_measure_becomes_a_note_about_it() -> None:
    problems = [InputError.on(name, "too few queries") for name in ("AP", "RR")]
    notes = [Note.of_problem(problem, lead="not compared: ", end="; it is left out") for problem in problems]
    assert notes[0] == "not compared: AP: too few queries; it is left out"
    assert merged([*notes, "as it is", "as it is"]) == [
        "not compared: AP, RR: too few queries; it is left out",
        "as it is",
    ]
    assert Note.of_problem(InputError("nothing to see")) == "nothing to see"
