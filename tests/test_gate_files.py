"""The gate's files: frozen baselines, JUnit XML, annotations; and the command, with each of its exit codes."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from cases import in_turn
from command import run_assay
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from shared_data import shared
from strategies import quickly

import assay
from assay import AssayError, FormatError, InputError, ParameterError
from assay.subjects.ranking.baselines import is_baseline, of_json, of_qrels, of_run, read_baseline
from assay.verbs.gating.checks import OUTCOMES
from assay.verbs.gating.result import Case, annotation, to_xml

DATA = Path(assay.__file__).parent / "data" / "bicycles"
RULES: dict[str, Any] = {"ties": "doc_id_ascending", "relevance_level": 2, "depth": 30}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return shutil.copytree(DATA, tmp_path / "bicycles")


def frozen(folder: Path, measures: str = "nDCG@10,AP", **rules: Any) -> Path:
    path = folder / "baseline.json"
    assay.freeze(folder / "qrels.txt", folder / "runs" / "bm25.run", measures, **rules).save(path)
    return path


# Frozen baselines.


@pytest.mark.parametrize("rules", [{}, RULES, {"undefined": "skip", "missing": "skip"}, {"compat": "trec_eval-9"}])
def test_a_frozen_baseline_decides_as_its_run_does(folder: Path, rules: dict[str, Any]) -> None:
    qrels, runs = folder / "qrels.txt", folder / "runs"
    path = frozen(folder, **rules)
    for candidate in ("expanded", "titles", "bm25"):
        run = runs / f"{candidate}.run"
        plain = assay.gate(qrels, runs / "bm25.run", run, measures=["nDCG@10", "AP"], **rules)
        cold = assay.gate(qrels, path, run)
        assert [check.row() for check in cold.checks] == [check.row() for check in plain.checks]
        assert [one[1:] for one in cold.coverage] == [one[1:] for one in plain.coverage]
        assert (cold.baseline, cold.outcome) == (plain.baseline, plain.outcome)


def test_what_is_written_is_read_back_in_full(folder: Path) -> None:
    path = frozen(folder, "nDCG(gain='exp')@10,RR", **RULES)
    made, back = assay.freeze(folder / "qrels.txt", folder / "runs/bm25.run", "nDCG(gain='exp')@10,RR", **RULES), None
    back = read_baseline(path)
    assert back.to_json() == made.to_json() == path.read_text()
    assert back.scores.frame.equals(made.scores.frame)
    assert back.policies == made.policies


def test_values_that_there_are_not_keep_their_reason() -> None:
    qrels = {"q1": {"d1": 1}, "q2": {"d2": 0}}
    made = assay.freeze(qrels, {"q1": {"d1": 1.0}, "q2": {"d2": 1.0}}, "nDCG@10")
    assert made.measures["nDCG@10"]["values"] == {"q1": 1.0, "q2": None}
    back = read_baseline(io.BytesIO(made.to_json().encode()))
    assert back.measures["nDCG@10"]["undefined"] == made.measures["nDCG@10"]["undefined"] != {}


def test_digests_are_of_contents_not_of_bytes(folder: Path, tmp_path: Path) -> None:
    qrels = assay.read_qrels(folder / "qrels.txt")
    lines = (folder / "qrels.txt").read_text().splitlines()
    (tmp_path / "turned.txt").write_text("\n".join(reversed(lines)) + "\n\n")
    assert of_qrels(assay.read_qrels(tmp_path / "turned.txt")) == of_qrels(qrels)
    changed = [*lines[:-1], re.sub(r"\d$", "7", lines[-1])]
    (tmp_path / "changed.txt").write_text("\n".join(changed))
    assert of_qrels(assay.read_qrels(tmp_path / "changed.txt")) != of_qrels(qrels)
    run = folder / "runs" / "bm25.run"
    spaced = tmp_path / "spaced.run"
    spaced.write_text(run.read_text().replace(" ", "\t"))
    assert of_run(assay.scan_run(spaced)) == of_run(assay.scan_run(run)) == of_run(assay.read_run(run))
    assert of_qrels(assay.Qrels.of({"a": {"bc": 1}})) != of_qrels(assay.Qrels.of({"ab": {"c": 1}}))


def test_other_judgments_are_refused(folder: Path) -> None:
    path = frozen(folder)
    lines = (folder / "qrels.txt").read_text().splitlines()
    (folder / "qrels.txt").write_text("\n".join(lines[:-1]) + "\n")
    with pytest.raises(InputError, match=r"not those that the baseline was frozen with .*freeze the baseline again"):
        assay.gate(folder / "qrels.txt", path, folder / "runs" / "titles.run")


def test_every_edit_of_the_file_is_noticed(folder: Path) -> None:
    path = frozen(folder)
    told = json.loads(path.read_text())
    value = told["measures"]["AP"]["values"]["7"]
    told["measures"]["AP"]["values"]["7"] = value + 1e-9
    path.write_text(json.dumps(told))
    with pytest.raises(FormatError, match="its digest does not fit: it was changed; freeze the baseline again"):
        assay.gate(folder / "qrels.txt", path, folder / "runs" / "titles.run")
    told["measures"]["AP"]["values"]["7"] = value
    path.write_text(json.dumps(told, separators=(",", ":")))  # blanks are no edit
    assert assay.gate(folder / "qrels.txt", path, folder / "runs" / "bm25.run").outcome == "pass"


def test_measures_and_rules_that_it_does_not_hold_are_refused(folder: Path) -> None:
    path = frozen(folder)
    arguments = folder / "qrels.txt", path, folder / "runs" / "titles.run"
    with pytest.raises(ParameterError, match=r"holds nDCG@10, AP, not RR.*; to have it, freeze again with it"):
        assay.gate(*arguments, measures="RR")
    assert [check.measure for check in assay.gate(*arguments, measures="map").checks] == ["AP"]
    with pytest.raises(ParameterError, match="ties is 'doc_id_descending' in the frozen baseline, not 'expected'"):
        assay.gate(*arguments, ties="expected")
    assert assay.gate(*arguments, ties="doc_id_descending").outcome == "fail"
    with pytest.raises(ParameterError, match="cannot be frozen"):
        assay.freeze(folder / "qrels.txt", folder / "runs" / "titles.run", "SetP(average='micro')")
    with pytest.raises(ParameterError, match="one run is frozen at a time, not 2"):
        assay.freeze(folder / "qrels.txt", [folder / "runs" / "titles.run", folder / "runs" / "bm25.run"])


def test_numbers_that_are_measured_otherwise_by_now_are_refused(folder: Path) -> None:
    path = frozen(folder)
    told = json.loads(path.read_text())
    told["measures"]["AP"]["signature"] = told["measures"]["AP"]["signature"].replace("v1", "v0")
    path.write_text(signed(told))
    with pytest.raises(InputError, match=r"AP: the baseline was measured as .*v0, now it is .*v1: freeze it again"):
        assay.gate(folder / "qrels.txt", path, folder / "runs" / "titles.run")


def signed(told: Any) -> str:
    """A file with a digest that fits, whatever is in it."""
    if isinstance(told, dict):
        rest = {key: value for key, value in told.items() if key != "digest"}
        told = rest | {"digest": of_json(rest)}
    return json.dumps(told)


VALID = json.loads(
    assay.freeze({"q1": {"d1": 1}, "q2": {"d2": 0}}, {"q1": {"d1": 1.0}, "q2": {"d2": 1.0}}, "nDCG@10,RR").to_json()
)


@in_turn(
    ("change", "message"),
    [
        (lambda told: told | {"assay_baseline": 2}, "expected a baseline of schema 1, got '2'"),
        (lambda told: told | {"assay_baseline": True}, "expected a baseline of schema 1, got 'True'"),
        (lambda told: told | {"more": 1}, "ValueError: other keys or values"),
        (lambda told: {key: value for key, value in told.items() if key != "run"}, "KeyError: 'run'"),
        (lambda told: told | {"measures": {}}, "other keys or values"),
        (lambda told: told | {"policies": told["policies"] | {"ties": "mine"}}, "ties is one of"),
        (lambda told: told | {"policies": told["policies"] | {"depth": "9"}}, "depth is a whole number"),
        (lambda told: told | {"coverage": 1}, "expected what `assay freeze` writes"),
        (lambda told: [told], "expected a frozen baseline"),
    ],
)
def test_a_file_of_another_shape_is_refused_in_a_line(change: Any, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_baseline(io.BytesIO(signed(change(VALID)).encode()))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith("(freeze the baseline again)")


def test_numbers_that_are_none_are_refused() -> None:
    for odd in ("NaN", "Infinity", "1e999", "true", '"1"', "1" + "0" * 400, "1" + "0" * 5000):
        text = json.dumps(VALID).replace('"q1": 1.0', f'"q1": {odd}', 1)
        assert odd in text
        with pytest.raises(FormatError):
            read_baseline(io.BytesIO(text.encode()))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@st.composite
def altered(draw: st.DrawFn) -> Any:
    """A valid file with one value, anywhere in it, put in the place of another, taken out or added."""
    told = json.loads(json.dumps(VALID))
    place = told
    while True:
        key = draw(st.sampled_from(sorted(place)))
        if isinstance(place[key], dict) and place[key] and draw(st.booleans()):
            place = place[key]
            continue
        action = draw(st.sampled_from(["replace", "remove", "add"]))
        if action == "remove":
            del place[key]
        else:
            place[key if action == "replace" else draw(st.text(max_size=5))] = draw(values)
        return told


@given(altered(), st.booleans())
@hypothesis_settings(quickly, max_examples=120)
def test_whatever_the_file_holds_it_is_read_or_refused(told: Any, sign: bool) -> None:
    """No other exception gets out; and what is read can be written and read again."""
    try:
        text = signed(told) if sign else json.dumps(told)
    except ValueError:  # a number that is none has no digest
        text = json.dumps(told)
    try:
        made = read_baseline(io.BytesIO(text.encode()))
    except FormatError:
        return
    assert read_baseline(io.BytesIO(made.to_json().encode())).to_json() == made.to_json()


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: ('{"assay_baseline": ' + text).encode()))
@hypothesis_settings(quickly, max_examples=80)
def test_whatever_the_bytes_are_they_are_refused(data: bytes) -> None:
    with pytest.raises(AssayError):
        read_baseline(io.BytesIO(data))


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(FormatError):
        read_baseline(io.BytesIO(b'{"assay_baseline": ' + b"[" * 100_000))


def test_a_frozen_baseline_is_told_from_a_run(folder: Path, tmp_path: Path) -> None:
    assert is_baseline(frozen(folder))
    (tmp_path / "run.json").write_text('{"q1": {"d1": 1.0}}')
    others: tuple[Any, ...] = (
        tmp_path / "run.json",
        folder / "runs/bm25.run",
        tmp_path,
        tmp_path / "no",
        "-",
        {"q": {}},
    )
    for other in others:
        assert not is_baseline(other)


def test_a_failure_while_writing_leaves_the_old_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = frozen(folder)
    before = path.read_bytes()

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    for broken in ("replace", "fsync"):
        with monkeypatch.context() as patched:
            patched.setattr(os, broken, full)
            with pytest.raises(InputError, match="cannot be written: no space left on device"):
                frozen(folder, "RR")
    assert path.read_bytes() == before
    assert [one.name for one in folder.iterdir() if "baseline" in one.name] == ["baseline.json"]


KILLED = """
import os, sys, time
from pathlib import Path
fsync = os.fsync
def slowly(handle):
    Path("ready").touch()
    time.sleep(60)
os.fsync = slowly
from assay.cli import main
sys.argv = ["assay", "freeze", "qrels.txt", "runs/bm25.run", "-m", "AP", "-o", "baseline.json"]
main()
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL here")
@pytest.mark.parametrize("there_before", [False, True])
def test_a_process_killed_while_writing_leaves_no_half_file(folder: Path, there_before: bool) -> None:
    before = frozen(folder).read_bytes() if there_before else None
    process = subprocess.Popen([sys.executable, "-c", KILLED], cwd=folder)
    try:
        deadline = time.monotonic() + 60
        while not (folder / "ready").exists():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        process.kill()
        process.wait()
    path = folder / "baseline.json"
    assert (path.read_bytes() if path.exists() else None) == before


# JUnit XML and annotations.

#: The elements of JUnit files as Jenkins, GitLab and others read them: the attributes they must and may have, and
#: what may stand in them.
JUNIT: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": ({"name"}, {"tests", "failures", "errors", "time", "disabled"}, {"testsuite"}),
    "testsuite": ({"name", "tests"}, {"failures", "errors", "skipped", "time", "timestamp", "hostname"}, {"testcase"}),
    "testcase": ({"name", "classname"}, {"time"}, {"failure", "error", "skipped", "system-out"}),
    "failure": ({"message", "type"}, set(), set()),
    "error": ({"message", "type"}, set(), set()),
    "skipped": (set(), {"message"}, set()),
    "system-out": (set(), set(), set()),
}


def checked_junit(text: str) -> ElementTree.Element:
    """Parse JUnit XML, and hold it against the rules above and its own counts."""
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n')
    root = ElementTree.fromstring(text.encode())
    assert root.tag == "testsuites"
    for element in root.iter():
        must, may, children = JUNIT[element.tag]
        assert must <= set(element.attrib) <= must | may
        assert {child.tag for child in element} <= children
    for suite in root:
        cases = suite.findall("testcase")
        assert cases
        for case in cases:
            assert len([child for child in case if child.tag != "system-out"]) <= 1
        names = [(case.get("classname"), case.get("name")) for case in cases]
        assert len(set(names)) == len(names)
        assert suite.get("tests") == str(len(cases))
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert suite.get(attribute) == str(len(suite.findall(f"testcase/{tag}")))
    for attribute in ("tests", "failures", "errors"):
        assert root.get(attribute) == str(sum(int(suite.get(attribute, "")) for suite in root))
    return root


def test_each_outcome_has_its_element() -> None:
    root = checked_junit(to_xml("all", [Case("checks", outcome, outcome, "why") for outcome in OUTCOMES]))
    found = {case.get("name"): [child.tag for child in case] for case in root.iter("testcase")}
    assert found == {"pass": ["system-out"], "inconclusive": ["skipped"], "fail": ["failure"], "invalid": ["error"]}


@given(st.text(max_size=30), st.text(max_size=30), st.sampled_from(OUTCOMES))
@quickly
def test_junit_is_valid_whatever_the_names_are(name: str, says: str, outcome: Any) -> None:
    root = checked_junit(to_xml(name, [Case("checks", name, outcome, says)]))
    legal = re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", name)
    assert root[0].get("name") == legal


def test_control_characters_markup_and_quotes_survive_or_go() -> None:
    text = to_xml('a<b>&"c\x00\x1b\ufffe', [Case("checks", "]]>", "fail", "50 % <\n>")])
    root = checked_junit(text)
    assert root[0].get("name") == 'a<b>&"c'
    assert root[0][0][0].get("message") == "50 % <\n>"


def test_annotations_stay_on_their_line() -> None:
    assert annotation("error", "a:b,c%", "x%0A\r\ny::z") == "::error title=a%3Ab%2Cc%25::x%250A%0D%0Ay::z\n"


@given(st.text(max_size=30), st.text(max_size=30))
@quickly
def test_annotations_can_be_read_back(title: str, message: str) -> None:
    line = annotation("warning", title, message)
    found = re.fullmatch(r"::warning title=([^,:]*?)::([^\r\n]*)\n", line)
    assert found is not None

    def plain(text: str) -> str:
        for code, char in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
            text = text.replace(code, char)
        return text

    assert (plain(found[1]), plain(found[2])) == (title, message)


# The command.


def gate(folder: Path, *arguments: object, candidate: str = "expanded") -> subprocess.CompletedProcess[str]:
    files = ("runs/bm25.run", f"runs/{candidate}.run")
    return run_assay("gate", "qrels.txt", *files, *arguments, folder=folder)


@pytest.mark.parametrize(
    ("candidate", "arguments", "code", "said"),
    [
        ("expanded", [], 0, "Passed: expanded is not worse than bm25 under nDCG@10 by 0.01 or more"),
        ("bm25", [], 0, "Passed: bm25 (candidate) and bm25 (baseline) are identical"),
        ("titles", [], 1, "Failed: titles is worse than bm25 under nDCG@10"),
        ("tfidf", [], 3, "Inconclusive: tfidf could be worse than bm25 under nDCG@10 by 0.01 or more"),
        ("tfidf", ["--inconclusive", "pass"], 0, "Inconclusive (counted as passed, as asked for)"),
        ("tfidf", ["--inconclusive", "fail"], 1, "Inconclusive (counted as failed, as asked for)"),
        ("tfidf", ["--margin", "0.3"], 0, "Passed"),
        ("titles", ["--margin", "nDCG@10=0.3"], 0, "Passed"),
        ("titles", ["-m", "AP", "-m", "RR"], 1, "Failed: of 2 checks of titles against bm25, 1 failed (AP)"),
    ],
)
def test_each_outcome_has_its_exit_code(
    folder: Path, candidate: str, arguments: list[str], code: int, said: str
) -> None:
    done = gate(folder, *arguments, candidate=candidate)
    assert (done.returncode, done.stdout.replace("\n", " ").startswith(said)) == (code, True), done
    assert "allowed" in done.stdout
    assert "qrels.txt: TREC qrels" in done.stderr


def test_exit_2_names_what_is_wrong_in_one_line_and_tells_the_pipeline(folder: Path) -> None:
    path = frozen(folder)
    (folder / "runs" / "elsewhere.run").write_text("z9 Q0 d1 1 2.0 t\n")
    edited = json.loads(path.read_text()) | {"system": "other"}
    (folder / "edited.json").write_text(json.dumps(edited))
    (folder / "old.json").write_text(json.dumps(edited | {"assay_baseline": 0}))
    (folder / "half.json").write_text(path.read_text()[:-100])
    (folder / "other.qrels").write_text((folder / "qrels.txt").read_text() + "20 0 new-document 1\n")
    good = "runs/titles.run"
    calls = [
        ("qrels.txt", "runs/bm25.run", "runs/elsewhere.run", "runs/elsewhere.run: no topic in common"),
        ("qrels.txt", "runs/nowhere.run", good, "runs/nowhere.run: cannot be read"),
        ("qrels.txt", "edited.json", good, "edited.json: expected a file as it was written (its digest does not fit"),
        ("qrels.txt", "old.json", good, "old.json: expected a baseline of schema 1, got '0'"),
        ("qrels.txt", "half.json", good, "half.json:"),
        ("other.qrels", "baseline.json", good, "other.qrels: the judgments are not those that the baseline was"),
    ]
    for qrels, baseline, candidate, message in calls:
        pipeline = ("--junit", "j.xml", "--summary", "s.md", "--annotations", "github", "-o", "out.txt")
        done = run_assay("gate", qrels, baseline, candidate, *pipeline, folder=folder)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.splitlines()[-1].startswith(f"assay: {message}")
        assert done.stderr.startswith("::error title=Quality gate::Invalid input: ")
        assert len(done.stderr.splitlines()) == 2
        assert not (folder / "out.txt").exists()
        case = next(checked_junit((folder / "j.xml").read_text()).iter("error"))
        assert message in str(case.get("message"))
        assert message in (folder / "s.md").read_text()


def test_exit_2_with_a_result_if_a_guard_does_not_hold(folder: Path) -> None:
    run = folder / "runs" / "titles.run"
    lines = [line for line in run.read_text().splitlines() if line.split()[0] not in {"1", "2", "3"}]
    run.write_text("\n".join(lines) + "\n")
    done = gate(folder, "--junit", "j.xml", candidate="titles")
    assert done.returncode == 2
    assert done.stdout.startswith("Invalid input: titles lacks 3 of 20 judged topics (15.0%); allowed are 10.0%.\n")
    root = checked_junit((folder / "j.xml").read_text())
    assert [root[0].get(name) for name in ("tests", "errors", "failures", "skipped")] == ["6", "1", "0", "1"]
    done = gate(folder, "--max-missing", "0.15", "--json", "--quiet", candidate="titles")
    assert (done.returncode, json.loads(done.stdout)["sections"]["outcome"]["exit_code"]) == (1, 1)


def test_freeze_and_gate_on_the_command_line(folder: Path) -> None:
    done = run_assay(
        "freeze", "qrels.txt", "old=runs/bm25.run", "-m", "AP", "--level", "2", "-o", "b.json", folder=folder
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "b.json: old, AP on 20 topics\n"
    done = run_assay("gate", "qrels.txt", "b.json", "runs/titles.run", "--json", folder=folder)
    told = json.loads(done.stdout)["sections"]["outcome"]
    assert (done.returncode, told["baseline"], told["exit_code"]) == (1, "old", 1)
    assert "rel=2" in told["signatures"]["AP"]
    assert told["frozen"]["run"]["name"] == "runs/bm25.run"
    done = run_assay("gate", "qrels.txt", "b.json", "runs/titles.run", "--level", "3", folder=folder)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "relevance_level is 2.0 in the frozen baseline, not 3.0" in done.stderr
    for said, level in (("1", "1.0"), ("2", None)):
        done = run_assay("gate", "qrels.txt", "b.json", "runs/titles.run", "-l", said, folder=folder)
        assert done.returncode == (2 if level else 1)
        assert level is None or f"relevance_level is 2.0 in the frozen baseline, not {level}" in done.stderr
    done = run_assay(
        "gate", "qrels.txt", "b.json", "runs/titles.run", "--ties", "expected", folder=folder
    )  # fmt: skip
    assert "ties is 'doc_id_descending' in the frozen baseline, not 'expected'" in done.stderr


def test_a_frozen_baseline_comes_from_anywhere(folder: Path) -> None:
    """From stdin, from a pipe, under another name."""
    path = frozen(folder, "AP")
    rest = ("runs/titles.run", "--json", "--quiet")
    for baseline, stdin, name in (
        ("-", path.read_bytes(), "bm25"),
        ("old=-", path.read_bytes(), "old"),
        ("old=baseline.json", b"", "old"),
        ("-", (folder / "runs/bm25.run").read_bytes(), "stdin"),
        ("old=-", (folder / "runs/bm25.run").read_bytes(), "old"),
    ):
        done = run_assay("gate", "qrels.txt", baseline, *rest, "-m", "AP", folder=folder, stdin=stdin)
        assert done.returncode == 1, done
        assert json.loads(done.stdout)["sections"]["outcome"]["baseline"] == name
    assert assay.gate(folder / "qrels.txt", {"old": path}, folder / "runs/titles.run").baseline == "old"
    os.mkfifo(folder / "pipe.json")
    with subprocess.Popen(["cp", "baseline.json", "pipe.json"], cwd=folder):
        done = run_assay("gate", "qrels.txt", "pipe.json", *rest, folder=folder)
    assert done.returncode == 1
    done = run_assay("gate", "-", "-", *rest, folder=folder)
    assert done.stderr == "assay: stdin (-) can be read only once: give the other file by name\n"


def test_a_frozen_baseline_is_no_candidate(folder: Path) -> None:
    path = frozen(folder)
    done = run_assay("gate", "qrels.txt", "runs/bm25.run", "baseline.json", folder=folder)
    assert done.stderr == (
        "assay: baseline.json looks like a frozen baseline: it comes before the run\n"
    )  # fmt: skip
    with pytest.raises(ParameterError, match="the candidate looks like a frozen baseline"):
        assay.gate(folder / "qrels.txt", path, path)


def test_freeze_writes_to_stdout_and_leaves_a_read_only_file_alone(folder: Path) -> None:
    call = ("freeze", "qrels.txt", "runs/bm25.run", "-m", "AP", "-o")
    done = run_assay(*call, "-", folder=folder)
    assert (done.returncode, done.stderr) == (0, "-: bm25, AP on 20 topics\n")
    assert not (folder / "-").exists()
    assert read_baseline(io.BytesIO(done.stdout.encode())).measures == read_baseline(frozen(folder, "AP")).measures
    kept = frozen(folder, "RR")
    kept.chmod(0o444)
    before = kept.read_bytes()
    done = run_assay(*call, "baseline.json", folder=folder)
    assert (done.returncode, done.stderr) == (2, "assay: baseline.json: cannot be written: it is read-only\n")
    assert kept.read_bytes() == before


def test_what_pipelines_read(folder: Path) -> None:
    (folder / "s.md").write_text("before\n")
    extra = ("--junit", "j.xml", "--summary", "s.md", "--annotations", "github", "--quiet")
    done = gate(folder, "-m", "AP", "-m", "RR", *extra, candidate="titles")
    assert done.returncode == 1
    assert [line.split("::")[1] for line in done.stdout.splitlines()[:4]] == [
        "error title=Quality gate",
        "error title=Quality gate%3A AP",
        "warning title=Quality gate%3A RR",
        "stop-commands",
    ]
    summary = (folder / "s.md").read_text()
    assert summary.startswith("before\n## ❌ Quality gate: failed\n")
    assert "| AP | 20 | 0.4408 | 0.2341 | -0.2066 |" in summary
    root = checked_junit((folder / "j.xml").read_text())
    assert [[child.tag for child in case] for case in root.iter("testcase")][5:] == [["failure"], ["skipped"]]
    done = gate(folder, "--annotations", "github", "--json", "--quiet", candidate="titles")
    assert json.loads(done.stdout)["sections"]["outcome"]["outcome"] == "fail"  # what machines read is not fenced off
    assert done.stderr.startswith("::error title=Quality gate::Failed: titles is worse")


def test_ids_that_look_like_commands_are_fenced_off(folder: Path) -> None:
    """GitHub takes a line that begins with two colons for a command; between the two words it takes none."""
    for path in (folder / "qrels.txt", *(folder / "runs").iterdir()):
        path.write_text(re.sub(r"^(\d+)", r"::error::\1", path.read_text(), flags=re.MULTILINE))
    done = gate(folder, "--annotations", "github", "--quiet", candidate="titles")
    assert done.returncode == 1
    first, stop, *rest = done.stdout.splitlines()
    word = stop.removeprefix("::stop-commands::")
    assert first.startswith("::error title=Quality gate::Failed")
    assert re.fullmatch("[0-9a-f]{32}", word)
    assert rest[-1] == f"::{word}::"
    assert any(line.startswith("::error::15 ") for line in rest)
    assert done.stderr == ""
    again = gate(folder, "--annotations", "github", "--quiet", candidate="titles")
    assert word not in again.stdout


def test_names_do_not_get_out_of_the_markdown() -> None:
    """Neither lines nor cells end, and nothing becomes code, a link or a page's own elements."""
    for odd in ("new\nline", "|a|b|", "`code`", "<script>alert(1)</script>", "[a](b)", "# title", "*a*", "a\\"):
        ids = [f"{odd}{number}" for number in range(9)]
        qrels = {query: {"good": 1} for query in ids}
        old = {query: {"good": 2.0, "bad": 1.0} for query in ids}
        new = {query: {"good": 1.0, "bad": 2.0} for query in ids}
        kinds = {query: f"{odd}{place % 2}" for place, query in enumerate(ids)}
        result = assay.gate(qrels, {f"{odd}1": old}, {f"{odd}2": new}, measures="RR", slices=odd, topics=kinds)
        plain = assay.gate(qrels, {"a1": old}, {"a2": new}, measures="RR", slices="s", topics=kinds)
        text = result.to_markdown()
        assert len(text.splitlines()) == len(plain.to_markdown().splitlines())
        unescaped = re.sub(r"\\.", "", text.replace("<sub>", "").replace("</sub>", ""))
        assert not re.search(r"[`\[\]<>]|(?<!\*)\*(?!\*)", unescaped), odd
        columns = [line.count("|") for line in unescaped.splitlines() if line.startswith("|")]
        assert set(columns) <= {11, 5}, odd


def test_markdown_of_a_problem_is_escaped(folder: Path) -> None:
    done = run_assay("gate", "qrels.txt", "<b>", "c", "--summary", "s.md", folder=folder)
    assert done.returncode == 2
    assert "\\<b\\>: cannot be read" in (folder / "s.md").read_text()


def test_the_pipelines_files_are_there_whatever_happens_to_the_result(folder: Path) -> None:
    """Wrong words for options, a file that cannot be written, a reader that has gone, a full disk."""
    extra = ("--junit", "j.xml", "--summary", "s.md", "--annotations", "github", "--quiet")
    for wrong in (["--inconclusive", "maybe"], ["--slices", "kind"], ["-o", "nowhere/out.txt"]):
        for name in ("j.xml", "s.md"):
            (folder / name).unlink(missing_ok=True)
        done = gate(folder, *extra, *wrong)
        assert (done.returncode, done.stdout) == (2, "")
        assert "invalid input" in (folder / "s.md").read_text()
        assert next(checked_junit((folder / "j.xml").read_text()).iter("error")) is not None
        assert done.stderr.startswith("::error title=Quality gate::Invalid input: ")
    done = gate(folder, "--junit", "nowhere/j.xml", *extra[2:])
    assert done.returncode == 2
    assert "nowhere/j.xml: cannot be written" in (folder / "s.md").read_text()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_behind_stdout_is_no_fall_of_quality(folder: Path) -> None:
    command = [sys.executable, "-c", "from assay.cli import main; main()", "gate", "qrels.txt", "runs/bm25.run"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*command, "runs/titles.run", "--quiet", "--junit", "j.xml"],
            cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (2, "assay: reading or writing failed: no space left on device\n")
    assert next(checked_junit((folder / "j.xml").read_text()).iter("failure")) is not None


def test_a_bug_is_no_fall_of_quality(folder: Path) -> None:
    code = (
        "import assay.verbs.gating.gate as d\n"
        "def broken(*_, **__): raise ZeroDivisionError('oh')\n"
        "d.checks_of = broken\n"
        "from assay.cli import main; main()"
    )
    command = [sys.executable, "-c", code, "gate", "qrels.txt", "runs/bm25.run", "runs/titles.run"]
    done = subprocess.run(
        [*command, "--junit", "j.xml"], cwd=folder, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 2
    assert "Traceback" in done.stderr
    assert done.stderr.splitlines()[-2:] == [
        "ZeroDivisionError: oh",
        "assay: this is a bug in assay: please report it with the lines above",
    ]
    error = next(checked_junit((folder / "j.xml").read_text()).iter("error"))
    assert error.get("message") == "unexpected ZeroDivisionError: oh"


def test_slices_on_the_command_line(folder: Path) -> None:
    topics = "query_id,title,kind\n" + "".join(f"{n},t,{'odd' if n % 2 else 'even'}\n" for n in range(1, 21))
    (folder / "topics.csv").write_text(topics)
    done = gate(folder, "--slices", "kind", "--topics", "topics.csv", "--csv", candidate="titles")
    rows = [line.split(",")[:2] for line in done.stdout.splitlines()[1:]]
    assert rows == [["nDCG@10", "all"], ["nDCG@10", "kind = even"], ["nDCG@10", "kind = odd"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--margin", "big"], "a margin is a number above 0, or MEASURE=NUMBER, such as nDCG@10=0.02, not 'big'"),
        (["--margin", "AP=0.1"], "a margin is given for AP, but the gate is on nDCG@10"),
        (["--inconclusive", "skip"], "--inconclusive is one of report, pass, fail, not 'skip'"),
        (["--annotations", "gitlab"], "--annotations is one of github, not 'gitlab'"),
        (["--slices", "kind"], "--slices ATTRIBUTE and --topics FILE go together"),
        (["--max-missing", "2"], "--max-missing is a number from 0 to 1, not 2.0"),
        (["--json", "--csv"], "choose one of --json and --csv"),
        (["--summary", "nowhere/s.md"], "nowhere/s.md: cannot be written"),
    ],
)
def test_wrong_calls_get_one_line(folder: Path, arguments: list[str], message: str) -> None:
    done = gate(folder, *arguments, "--quiet")
    assert done.returncode == 2
    assert done.stderr.startswith(f"assay: {message}")
    assert done.stderr.count("\n") == 1


def test_a_frozen_baseline_of_real_runs(tmp_path: Path) -> None:
    data = shared("trec-covid-r1")
    qrels, runs = data / "qrels.covid-round1.txt", data / "runs"
    measures = ("-m", "nDCG@10", "-m", "AP")
    run_assay("freeze", qrels, runs / "T5R1.gz", *measures, "-o", "b.json", folder=tmp_path)
    codes = {}
    for name in ("T5R1", "BBGhelani2", "RUIR-doc2vec", "base.unipd.it"):
        run = runs / f"{name}.gz"
        cold = assay.gate(qrels, tmp_path / "b.json", run)
        plain = assay.gate(qrels, runs / "T5R1.gz", run, measures=["nDCG@10", "AP"])
        assert [check.row() for check in cold.checks] == [check.row() for check in plain.checks]
        codes[name] = cold.exit_code
    assert codes == {"T5R1": 0, "BBGhelani2": 0, "RUIR-doc2vec": 1, "base.unipd.it": 3}
    done = run_assay("gate", qrels, "b.json", runs / "RUIR-doc2vec.gz", "--quiet", folder=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("Failed: of 2 checks of RUIR-doc2vec against T5R1, 2 failed (nDCG@10; AP).\n")
