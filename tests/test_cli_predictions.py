"""All commands that take predictions: the same options, ways to give a file, and words for what is wrong."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from cases import in_turn
from command import invoke, run_assay

import assay
from assay import AssayError, ParameterError
from assay.cli.commands import application, names_of
from assay.cli.items import predictions
from assay.cli.options import LabelInputs
from assay.cli.output import Options
from assay.core import registry
from assay.core.errors import Value, argument, speaking
from assay.files.predictions import StatedColumns
from assay.subjects.labels.checks.examination import open_predictions
from assay.verbs.diagnosis.examination import examine

DATA = Path(assay.__file__).parent / "data"
COLUMNS = ("--truth", "gt", "--prediction", "guess", "--score", "p", "--item-id", "who", "--weight", "times")
#: What goes before the file, and after it.
COMMANDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "evaluate": ((), ("--resamples", "20")),
    "thresholds": ((), ("--resamples", "0")),
    "plot": ((), ("--kind", "roc", "-o", "roc.csv")),
    "compare": ((), ("new=new.csv", "-m", "Accuracy", "--resamples", "100")),
    "gate": ((), ("new=new.csv",)),
    "report": ((), ("-o", "r.json")),
    "explain": (("Accuracy",), ()),
    "doctor": ((), ()),
}
#: Options of reading that have no meaning for a command, and why.
WITHOUT = {
    # It lists what others refuse, and makes no labels.
    "doctor": {"--system", "--nulls", "--labels", "--class"},
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two files with unusual names of columns, and the usual labels."""
    draw = random.Random(0)
    for name, noise in (("old", 0.4), ("new", 0.3)):
        rows = []
        for number in range(60):
            truth = number % 2
            score = min(max(truth * 0.5 + 0.25 + draw.uniform(-noise, noise), 0), 1)
            rows.append(f"i{number},{truth},{int(score >= 0.5)},{score:.3f},{1 + number % 3}")
        (tmp_path / f"{name}.csv").write_text("who,gt,guess,p,times\n" + "\n".join(rows) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def called(command: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    before, after = COMMANDS[command]
    return ("classifier", command, *before), after


def invoked(*typed: str, stdin: str | None = None) -> str:
    """What a call prints; it must not fail, but for what the data say."""
    done = invoke(list(typed), input=stdin or "")
    assert done.exception is None, done.exception
    assert done.exit_code in {0, 1, 3}, done.output
    return done.output


def refused(*typed: str) -> str:
    done = invoke(list(typed))
    assert isinstance(done.exception, AssayError), done.output
    return str(done.exception)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_with_unusual_columns_is_read_by_every_command_with_the_same_options(command: str) -> None:
    before, after = called(command)
    assert invoked(*before, "old.csv", *after, *COLUMNS)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", COMMANDS)
def test_labels_are_all_that_a_file_needs(command: str) -> None:
    """But for what is about scores; there the line says so."""
    before, after = called(command)
    typed = (*before, "old.csv", *after, "--truth", "gt", "--prediction", "guess")
    if command in {"thresholds", "plot"}:
        assert refused(*typed) == "old.csv: expected scores, one per item, got labels only"
    else:
        invoked(*typed)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_is_given_a_name_or_through_stdin(command: str, folder: Path) -> None:
    before, after = called(command)
    shown = invoked(*before, "first=old.csv", *after, *COLUMNS)
    if command in {"evaluate", "plot", "compare", "gate", "report"}:
        written = [folder / name for name in ("roc.csv", "r.json") if (folder / name).exists()]
        assert "first" in shown + "".join(path.read_text(encoding="utf-8") for path in written)
    invoked(*before, "-", *after, *COLUMNS, stdin=(folder / "old.csv").read_text(encoding="utf-8"))


@pytest.mark.parametrize("command", COMMANDS)
def test_predictions_with_usual_names_are_recognised_in_stdin_and_under_a_name(command: str, folder: Path) -> None:
    before, after = called(command)
    for name in ("old", "new"):
        text = (folder / f"{name}.csv").read_text(encoding="utf-8")
        text = text.replace("who,gt,guess,p,times", "item_id,truth,prediction,score,weight")
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    assert invoked(*before, "first=old.csv", *after)
    assert invoked(*before, "-", *after, stdin=(folder / "old.csv").read_text(encoding="utf-8"))


@in_turn("command", COMMANDS)
def test_every_command_has_the_options_of_reading(command: str) -> None:
    here = names_of(application(), f"classifier {command}")
    options = {option for option in names_of(application(), "classifier doctor") if option in COLUMNS}
    options |= {"--system", "--nulls", "--labels", "--class", "--positive", "--list-separator"}
    assert options - WITHOUT.get(command, set()) <= set(here)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", ["compare", "report", "gate"])
def test_options_of_predictions_are_refused_with_judgments_and_runs(command: str) -> None:
    tea = DATA / "tea"
    runs = [str(tea / "words.run"), str(tea / "stems.run")]
    for option in (("--positive", "1"), ("--nulls", "drop"), ("--class", "a"), ("--threshold", "0.5")):
        line = refused(command, str(tea / "qrels.txt"), *runs, *option)
        assert line == f"{option[0]} goes with assay classifier {command}"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", ["compare", "report", "gate"])
def test_judgments_still_come_through_stdin(command: str) -> None:
    tea = DATA / "tea"
    runs = [str(tea / "words.run"), str(tea / "stems.run")]
    last = ["-o", "r.md"] if command == "report" else []
    shown = invoked(command, "-", *runs, "-m", "RR", *last, stdin=(tea / "qrels.txt").read_text(encoding="utf-8"))
    assert "RR" in shown
    assert "stems" in shown


def test_runs_still_come_through_pipes() -> None:
    code = f"{sys.executable} -c 'from assay.cli import main; main()'"
    command = f"{code} compare qrels.txt a=<(cat words.run) b=<(cat stems.run) -m RR --csv --quiet"
    done = subprocess.run(["bash", "-c", command], cwd=DATA / "tea", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1].startswith("RR,a,b,")


def test_a_name_goes_before_the_systems_of_a_file() -> None:
    spam = f"mine={DATA / 'letters' / 'spam.csv'}"
    names = [one.name for one in predictions([spam], LabelInputs(pos_label="spam"))]
    assert names == ["mine bayes", "mine words"]
    assert [one.name for one in predictions([spam], LabelInputs(pos_label="spam", system=("bayes",)))] == ["mine"]
    with pytest.raises(ParameterError, match="no system is called 'bays': there are bayes, words; did you mean bayes"):
        predictions([spam], LabelInputs(pos_label="spam", system=("bays",)))


def test_cells_with_several_labels(folder: Path) -> None:
    (folder / "tags.csv").write_text("truth,prediction\na;b,a\nb,b\na;c,a; c\n", encoding="utf-8")
    asked = ("--list-separator", ";", "-m", "ExactMatch", "--json", "--quiet")
    told = json.loads(invoked("classifier", "evaluate", "tags.csv", *asked))["sections"]
    assert told["basis"]["task"] == "multilabel"
    assert told["measures"]["measures"][0]["value"] == pytest.approx(2 / 3)
    file, [system] = open_predictions("tags.csv", StatedColumns(), None, ";")
    assert file.labels == ["a", "b", "c"]
    assert system.prediction is not None
    assert system.prediction[2].to_list() == ["a", "c"]
    assert examine(registry.subject("labels"), [{"mine": "tags.csv"}], {"list_separator": ";"}).systems == ("mine",)


def test_labels_that_are_not_known_are_refused(folder: Path) -> None:
    (folder / "odd.csv").write_text("truth,prediction\na,a\nb,x\nb,y\nc,c\n", encoding="utf-8")
    line = refused("classifier", "evaluate", "odd.csv", "--labels", "a,b,c")
    assert "odd.csv:3: expected a label of a, b, c as prediction, got 'x'" in line


def test_one_class_against_all_others_is_what_every_command_means(folder: Path) -> None:
    topics = DATA / "letters" / "topics.csv"
    lines = topics.read_text(encoding="utf-8").splitlines()
    (folder / "few.csv").write_text("\n".join(lines[:101]) + "\n", encoding="utf-8")
    chosen = ("--class", "order", "-m", "Recall", "--json", "--quiet")
    alone = json.loads(invoked("classifier", "evaluate", "few.csv", *chosen))["sections"]["measures"]["measures"][0][
        "value"
    ]
    beside = json.loads(invoked("classifier", "compare", "a=few.csv", "b=few.csv", *chosen))
    assert beside["sections"]["findings"]["findings"][0]["value"] == pytest.approx(alone)
    assert "order against the rest" in invoked("classifier", "explain", "Recall", "few.csv", "--class", "order")
    assert "positive: order" in invoked("classifier", "thresholds", "few.csv", "--class", "order", "--resamples", "0")


def test_errors_speak_the_language_of_the_command_line(folder: Path) -> None:
    (folder / "null.csv").write_text("truth,prediction\n1,\n0,1\n", encoding="utf-8")
    (folder / "other.csv").write_text("a,b\n1,0\n", encoding="utf-8")
    for typed, says in (
        (("classifier", "evaluate", "null.csv"), "--nulls drop leaves such items out, --nulls label counts them"),
        (("classifier", "compare", "null.csv", "null.csv"), "--nulls drop leaves such items out"),
        (("classifier", "evaluate", "other.csv"), "or name them with --columns, as in truth='a'"),
        (("classifier", "evaluate", str(DATA / "letters" / "spam.csv")), "say --positive ham or --positive spam\n"),
    ):
        done = run_assay(*typed, "--quiet", folder=folder)
        assert (done.returncode, done.stdout) == (2, "")
        assert says in done.stderr
        assert done.stderr.count("\n") == 1


@in_turn(
    ("name", "value", "typed"),
    [
        ("system", "a b", "--system 'a b'"),
        ("pos_label", 1, "--positive 1"),
        ("threshold", ..., "--threshold"),
        ("one_class", "a", "--class a"),
        ("noise_as", "singletons", "--noise-as singletons"),
        ("overwrite", True, "--overwrite"),
        ("relevance_level", 2.0, "--level 2"),
    ],
)
def test_arguments_become_options(name: str, value: Value, typed: str) -> None:
    with speaking(Options()):
        assert argument(name, value) == typed
    assert argument(name, value).startswith(f"{name}=")
