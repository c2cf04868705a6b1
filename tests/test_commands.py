"""All commands at once: help that fits a screen, examples that run, options declared once, hints at what is new."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from command import invoke, run_assay

from assay.cli.calling import names_of
from assay.cli.commands import SUBJECTS, application, every_command
from assay.cli.files import lay_out
from assay.cli.help_pages import help_page
from assay.cli.old_spellings import COMMANDS, OPTIONS
from assay.cli.options import Rules
from assay.core.errors import ParameterError
from assay.counting import Policies

APP = application()
HELPED = [command for command in every_command() if command != "trec-eval"]
TYPES = re.compile(r"\b(str|int|float|bool|list|tuple|dict|None|Path|Optional|Annotated)\b|--no-|--empty-")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples that come along, with scores and clusters that are made of them."""
    folder = tmp_path_factory.mktemp("examples") / "tea"
    lay_out(folder)
    scores = ("evaluate", "qrels.txt", "words.run", "stems.run", "alphabet.run", "-q", "--csv", "-o", "scores.csv")
    run_assay(*scores, folder=folder)
    documents = {line.split()[2] for line in (folder / "words.run").read_text(encoding="utf-8").splitlines()}
    rows = "".join(f"{document},{document.partition('-')[0]}\n" for document in sorted(documents))
    (folder / "clusters.csv").write_text(f"doc_id,cluster\n{rows}", encoding="utf-8")
    return folder


def arguments_of(command: str) -> list[Any]:
    app = APP
    for word in command.split():
        app = app[word]
    return [each for each in app.assemble_argument_collection() if each.parameter.help]


@pytest.mark.parametrize("command", ["", *SUBJECTS, *HELPED])
def test_help_fits_a_screen_and_is_free_of_python(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    page = help_page(APP, command, everything=False)
    assert page.count("\n") <= 40
    assert max(map(len, page.splitlines())) <= 100
    assert not TYPES.search(page + help_page(APP, command, everything=True))
    if command in HELPED:
        assert re.search(rf"^  \$ assay {command}\b", page, re.MULTILINE)


@pytest.mark.parametrize("command", HELPED)
def test_all_options_are_on_the_long_page(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    page = invoke([*command.split(), "--help-all"]).stdout
    assert [name for name in names_of(APP, command) if name not in page] == []
    assert invoke([*command.split(), "-h"]).stdout == help_page(APP, command, everything=False)


@pytest.mark.parametrize("command", HELPED)
def test_examples_of_help_run(command: str, folder: Path) -> None:
    page = help_page(APP, command, everything=False)
    for example in re.findall(r"^  \$ assay (.*)$", page, re.MULTILINE):
        done = run_assay(*shlex.split(example), folder=folder)
        assert done.returncode in ({0, 1, 3} if "gate" in command else {0}), f"{example}\n{done.stderr}"


def test_every_option_is_declared_in_one_place() -> None:
    """Within a subject a name has one help and one type; a text stands for one option only."""
    by_name: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    by_text: dict[tuple[str, str], set[int]] = defaultdict(set)
    for command in HELPED:
        subject = command.partition(" ")[0] if command.partition(" ")[0] in SUBJECTS else ""
        for each in (each for each in arguments_of(command) if each.index is None):
            text = each.parameter.help
            by_name[subject, each.names[0]].add((text, str(each.hint)))
            declared = next(part for part in each.field_info.annotation.__metadata__ if hasattr(part, "help"))
            by_text[each.names[0], text].add(id(declared))
    allowed = {"-o", "--margin", "--kind", "-k", "--baseline", "-b", "--threshold", "--test", "--grades", "--order",
               "--split", "--item", "--prevalence", "--system"}  # fmt: skip
    assert {name for (_, name), kinds in by_name.items() if len(kinds) > 1} <= allowed
    assert {key: places for key, places in by_text.items() if len(places) > 1} == {}


def test_help_names_the_words_of_every_rule() -> None:
    hints, texts = get_type_hints(Policies), {each.field_info.name: each for each in arguments_of("evaluate")}
    for field in fields(Rules):
        words = [word for word in get_args(hints.get(field.name)) if isinstance(word, str)]
        assert all(word in texts[field.name].parameter.help for word in words), field.name


@pytest.mark.parametrize("command", HELPED)
def test_unknown_options_are_refused_with_a_suggestion(command: str) -> None:
    option = max((name for name in names_of(APP, command) if name.startswith("--")), key=len, default="")
    done = invoke([*command.split(), "x", "y", "z", f"{option}s" if option else "--quiets"])
    assert isinstance(done.exception, ParameterError), done.output
    assert "no such option" in str(done.exception)
    assert not option or f"did you mean {option}" in str(done.exception)


@pytest.mark.parametrize("old", COMMANDS)
def test_old_commands_point_to_the_new_ones(old: str, tmp_path: Path) -> None:
    done = run_assay(old, "x.csv", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"assay: `assay {old}` is now: assay {COMMANDS[old]}\n"


@pytest.mark.parametrize(("command", "option"), OPTIONS)
def test_old_options_point_to_the_new_ones(command: str, option: str, tmp_path: Path) -> None:
    words = (command or "compare").split()
    done = run_assay(*words, "x", "y", option, "z", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"assay: {option}: {OPTIONS[command, option]}\n"


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["plot", "roc", "letters/spam.csv"], "assay classifier plot FILE --kind roc"),
        (["plot", "silhouette", "notes/notes.csv"], "assay clustering plot FILE --kind silhouette"),
        (["gate", "freeze", "qrels.txt", "words.run"], "assay freeze QRELS RUN -o FILE"),
        (["compare", "letters/spam.csv"], "assay classifier compare"),
        (["report", "notes/notes.csv"], "assay clustering report"),
        (["compare", "letters/spam.csv", "letters/topics.csv"], "assay classifier compare"),
        (["doctor", "letters/spam.csv"], "assay classifier doctor"),
        (["power", "scores.csv"], "assay scores power"),
        (["explain", "F1", "--matrix", "5 0; 1 3"], "--matrix goes with assay classifier explain"),
        (["classifer", "evaluate"], "did you mean classifier?"),
        (["classifier", "comprae"], "did you mean compare?"),
    ],
)
def test_what_was_typed_before_points_to_what_is_typed_now(words: list[str], hint: str, folder: Path) -> None:
    done = run_assay(*words, folder=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert hint in done.stderr
    assert done.stderr.count("\n") == 1


STDIN = [
    ("evaluate - words.run -m AP", "qrels.txt"), ("evaluate qrels.txt - -m AP", "words.run"),
    ("compare - words.run stems.run -m AP", "qrels.txt"), ("compare qrels.txt words.run new=- -m AP", "stems.run"),
    ("explain AP - words.run", "qrels.txt"), ("report qrels.txt - -o r.md", "words.run"),
    ("gate qrels.txt - stems.run", "words.run"), ("freeze qrels.txt - -o -", "words.run"),
    ("audit qrels.txt -", "words.run"), ("doctor qrels.txt -", "words.run"), ("show -", "words.run"),
    ("plot qrels.txt - -o c.csv", "words.run"), ("power qrels.txt - stems.run -m AP", "words.run"),
    ("convert - out.jsonl", "words.run"), ("trec-eval qrels.txt -", "words.run"),
    ("classifier evaluate - --positive spam", "letters/spam.csv"),
    ("classifier report - --positive spam -o r.md", "letters/spam.csv"),
    ("classifier doctor - --positive spam", "letters/spam.csv"),
    ("clustering evaluate - --unlabelled drop", "notes/notes.csv"),
    ("clustering gate - -b density -c kmeans --unlabelled drop", "notes/notes.csv"),
    ("extraction evaluate -", "letters/names.conll"), ("scores compare - -m AP", "scores.csv"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "path"), STDIN)
def test_a_dash_is_standard_input(call: str, path: str, folder: Path) -> None:
    done = run_assay(*call.split(), folder=folder, stdin=(folder / path).read_bytes())
    assert done.returncode in {0, 1, 3}, done.stderr
    assert "<stdin>" in done.stderr + done.stdout or "stdin" in done.stderr + done.stdout or not done.stderr
