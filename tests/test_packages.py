"""What an installed package adds by its entry points: a subject with commands, a measure, a format."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import run_assay

from assay import InputError, parse_measure
from assay.cli.commands import add_packages
from assay.core import packages, registry

TOYS = Path(__file__).parent
ENTRY_POINTS = """\
[assay.subjects]
reading = toy_declaration:READING

[assay.measures]
toys = toy_measure

[assay.formats]
toys = toy_format
"""
#: Calls every line of a file, and writes for each its exit code, what it printed, and what it said.
DRIVER = """
import contextlib, io, json, shlex, sys
from pathlib import Path
from assay.cli.calling import call

answers = {}
for line in Path("calls").read_text(encoding="utf-8").splitlines():
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = call(shlex.split(line))
        except Exception as problem:
            code, out = 2, io.StringIO(str(problem))
    answers[line] = [code, out.getvalue(), err.getvalue()]
Path("answers").write_text(json.dumps(answers), encoding="utf-8")
"""
CALLS = (
    "--help", "toy --help", "toy gate --help", "toy evaluate reading.json", "toy compare reading.json",
    "toy report reading.json -o reading.md", "toy gate reading.json -b plain -c wide --margin 1",
    "toy explain Seconds reading.json --json", "toy doctor unread.json", "toy power reading.json",
    "measures --toy", "measures --help", "measures Seconds --toy --json", "toy compare reading.csv",
    "toy compare other.csv", "toy compare reading.json -m AP", "toy correlate reading.json", "tpy compare reading.json",
    "evaluate qrels.txt toy.run -m ToyHits", "evaluate qrels.txt toy.run -m toys --csv", "measures ToyHits",
    "measures --csv", "show --formats", "show toy.run", "evaluate qrels.txt toy.run -m ToyHit",
)  # fmt: skip


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str, str]]:
    """What a process that finds the package says to each call."""
    folder, installed = tmp_path_factory.mktemp("toys"), tmp_path_factory.mktemp("site-packages")
    told = installed / "assay_toys-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: assay-toys\nVersion: 1.0\n", encoding="utf-8")
    (told / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    plain = {f"page {number}": 50.0 + number * 3 % 7 for number in range(12)}
    wide = {f"page {number}": 45.0 + number * 2 % 5 for number in range(12)}
    (folder / "reading.json").write_text(json.dumps({"plain": plain, "wide": wide}), encoding="utf-8")
    (folder / "unread.json").write_text(json.dumps({"plain": {"page 1": 0.0}}), encoding="utf-8")
    rows = [f"{layout},{page},{times[page]}" for layout, times in (("plain", plain), ("wide", wide)) for page in times]
    (folder / "reading.csv").write_text("\n".join(["Design,URL,time on page", *rows]), encoding="utf-8")
    (folder / "other.csv").write_text("design,words\nplain,7\n", encoding="utf-8")
    (folder / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\n", encoding="utf-8")
    (folder / "toy.run").write_text("q1 => a b c\n", encoding="utf-8")
    (folder / "calls").write_text("\n".join(CALLS), encoding="utf-8")
    path = os.pathsep.join([str(installed), str(TOYS), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": path.rstrip(os.pathsep), "COLUMNS": "100"}
    subprocess.run([sys.executable, "-c", DRIVER], cwd=folder, env=environment, check=True)
    given: dict[str, tuple[int, str, str]] = json.loads((folder / "answers").read_text(encoding="utf-8"))
    return given


def test_every_verb_answers_for_the_subject_of_a_package(answers: dict[str, tuple[int, str, str]]) -> None:
    expected = {
        "toy evaluate reading.json": (0, "page 11"),
        "toy compare reading.json": (0, "wide is better"),
        "toy report reading.json -o reading.md": (0, "reading.md"),
        "toy gate reading.json -b plain -c wide --margin 1": (0, "Pass"),
        "toy explain Seconds reading.json --json": (0, '"layout": "plain"'),
        "toy doctor unread.json": (0, "unread-pages"),
        "toy power reading.json": (0, "12 pages"),
    }
    for line, (code, text) in expected.items():
        assert answers[line][0] == code, f"{line}: {answers[line]}"
        assert text in answers[line][1], f"{line}: {answers[line][1]}"


def test_its_group_of_commands_stands_in_help(answers: dict[str, tuple[int, str, str]]) -> None:
    assert "\n  toy ...         Measure how long people read pages.\n" in answers["--help"][1]
    assert "\n  gate            Decide in CI whether a layout may replace the baseline.\n" in answers["toy --help"][1]
    assert answers["toy gate --help"][1].startswith("Usage: assay toy gate OLD [NEW] [OPTIONS]\n")


def test_its_measures_are_listed_by_an_option_of_their_own(answers: dict[str, tuple[int, str, str]]) -> None:
    assert "\nSeconds  Seconds that a page was read.\n" in answers["measures --toy"][1]
    assert "\n  --toy                         List measures of reading times.\n" in answers["measures --help"][1]
    (described,) = json.loads(answers["measures Seconds --toy --json"][1])["sections"]["measures"]["measures"]
    assert (described["vocabulary"], described["higher_is_better"]) == ("reading", False)


def test_its_columns_are_recognised_by_the_names_it_declares(answers: dict[str, tuple[int, str, str]]) -> None:
    assert answers["toy compare reading.csv"][1] == answers["toy compare reading.json"][1]
    assert answers["toy compare other.csv"][1].startswith(
        "other.csv:1: expected a table with the columns `layout`, `page`, `seconds`, got 'design, words'"
    )


def test_wrong_calls_of_it_are_refused_as_those_of_other_subjects(answers: dict[str, tuple[int, str, str]]) -> None:
    assert answers["toy compare reading.json -m AP"][1] == "reading times are measured by Seconds, not by AP"
    assert answers["toy correlate reading.json"][1].startswith("there is no command assay toy correlate: in Python")
    assert answers["tpy compare reading.json"][1] == "no such command: tpy; did you mean toy?"


def test_an_entry_point_that_cannot_be_loaded_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    packages.load_added.cache_clear()
    monkeypatch.setattr(packages, "added", lambda _: {"lost": "no_such_package:DECLARATION"})
    problem = "the entry point 'lost' of {} cannot be loaded: No module named 'no_such_package'"
    with pytest.raises(InputError, match=problem.format("assay.subjects")):
        registry.of_packages()
    with pytest.raises(InputError, match=problem.format("assay.measures")):
        parse_measure("NoSuchMeasure")
    assert str(parse_measure("nDCG@10")) == "nDCG@10"
    add_packages.cache_clear()
    done = run_assay("--help", folder=tmp_path)
    add_packages.cache_clear()
    assert (done.returncode, done.stderr) == (0, f"warning: {problem.format('assay.subjects')}\n")


def test_a_measure_of_a_package_is_known_by_its_names(answers: dict[str, tuple[int, str, str]]) -> None:
    assert "2.0000" in answers["evaluate qrels.txt toy.run -m ToyHits"][1]
    assert answers["evaluate qrels.txt toy.run -m toys --csv"][1] == "system,ToyHits\ntoy,2.0\n"
    assert "Number of judged documents retrieved." in answers["measures ToyHits"][1]
    assert "\nToyHits,Number of judged documents retrieved." in answers["measures --csv"][1]
    assert "did you mean ToyHits" in answers["evaluate qrels.txt toy.run -m ToyHit"][1]


def test_a_format_of_a_package_is_recognised_and_listed(answers: dict[str, tuple[int, str, str]]) -> None:
    assert "runs with arrows" in answers["show --formats"][1]
    assert "\nq1        c       -2\n" in answers["show toy.run"][1]
