"""The pages tell the truth: every example in them is run, and nothing that users can type is left out.

Two conventions hold on all pages, in a folder as `assay examples` makes it:

- a fenced block with `>>>` prompts is a doctest; the blocks of a page share their names;
- a fenced `console` block with a `$ assay` command is a session: every `$` line is run, and below it stands what a
  terminal shows (messages and results, blanks at line ends apart). `...` stands for anything.
"""

from __future__ import annotations

import contextlib
import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

import pytest
import toy_declaration
from command import run_assay

import assay
from assay import measures
from assay.cli.calling import command_in
from assay.cli.commands import SUBJECTS, application, every_command, names_of
from assay.cli.files import lay_out

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
MADE = {"cli.md"}  # by the build of the documentation, from a template that is a page here
PAGES = [ROOT / "README.md", *sorted(page for page in DOCS.glob("*.md") if page.name not in MADE)]
FENCE = re.compile(r"^```(?P<kind>\S*).*?\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


class Command(NamedTuple):
    """A line of a session, and what is shown below it."""

    line: int
    text: str
    shown: str


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The examples that come along, to work in."""
    copy = tmp_path / "tea"
    lay_out(copy)
    return copy


def name(page: Path) -> str:
    return page.name


def blocks(page: Path, kind: str) -> Iterator[tuple[int, str]]:
    """The fenced blocks of a kind, with the number of their first line."""
    text = page.read_text(encoding="utf-8")
    for fence in FENCE.finditer(text):
        if fence["kind"] == kind:
            yield text.count("\n", 0, fence.start("body")) + 1, fence["body"]


def examples(page: Path) -> str:
    """The page with everything but its examples blanked out, so that line numbers stay."""
    lines = [""] * page.read_text(encoding="utf-8").count("\n")
    for first, body in blocks(page, "python"):
        if ">>> " in body:
            lines[first - 1 : first - 1 + body.count("\n")] = body.splitlines()
    return "\n".join(lines) + "\n"


def session(page: Path) -> list[Command]:
    """The commands of all blocks in which `assay` is called."""
    found = []
    for first, body in blocks(page, "console"):
        if not re.search(r"^\$ (.*\| )?assay ", body, re.MULTILINE):
            continue
        for command in re.finditer(r"^\$ (?P<text>.*)\n(?P<shown>(?:(?!\$ ).*\n)*)", body, re.MULTILINE):
            found.append(Command(first + body.count("\n", 0, command.start()), command["text"], command["shown"]))
    return found


#: What a session adds to a call whose exit code is told below it.
EXIT_CODE = '; echo "exit code $?"'


def words(command: str) -> list[str]:
    """The words of a call of `assay` that needs no shell: without pipes, stdin and the like."""
    command = command.removesuffix(EXIT_CODE)
    read = shlex.shlex(command, posix=True, punctuation_chars=True)
    read.whitespace_split, read.commenters = True, ""
    found = list(read)
    shell = re.search(r"[?$`~]", command) or any(set(word) <= set("();<>|&-") for word in found)
    return found if found[:1] == ["assay"] and not shell else []


def files(word: str, folder: Path) -> list[str]:
    """The files that a pattern names, or the word itself."""
    found = sorted(str(path.relative_to(folder)) for path in folder.glob(word)) if "*" in word else []
    return found or [word]


#: The first call of each command.
FIRST = {
    command_in(found[1:]): (page, call)
    for page in reversed(PAGES)
    for call in session(page)[::-1]
    if (found := words(call.text))
}


#: Commands that this page shows first are run as users run them, in processes of their own; others are faster here.
ALONE = [(page, call) for page, call in FIRST.values() if page.name == "build-a-collection.md"]


def terminal(command: str, folder: Path) -> str:
    """What a shell shows for a command: messages and results as they come."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command, shell=True, cwd=folder, env=os.environ | {"PATH": path, "PYTHONIOENCODING": "utf-8"}, encoding="utf-8",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    ).stdout  # fmt: skip


@pytest.mark.parametrize("page", [page for page in PAGES if examples(page).strip()], ids=name)
def test_every_python_example_gives_what_it_shows(page: Path, folder: Path) -> None:
    """In this process, which is faster, unless the page registers measures, which would stay."""
    shown, flags = examples(page), ("ELLIPSIS", "NORMALIZE_WHITESPACE")
    if "@measure" not in shown:
        whole = doctest.DocTestParser().get_doctest(shown, {"__name__": "__main__"}, page.name, page.name, 0)
        runner = doctest.DocTestRunner(
            verbose=False, optionflags=sum(doctest.OPTIONFLAGS_BY_NAME[flag] for flag in flags)
        )
        said: list[str] = []
        with contextlib.chdir(folder):
            assert runner.run(whole, out=said.append).failed == 0, "".join(said)
        return
    (folder / page.name).write_text(shown, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "doctest", *(part for flag in flags for part in ("-o", flag)), page.name],
        cwd=folder, env=os.environ | {"PYTHONIOENCODING": "utf-8"}, encoding="utf-8", capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", [page for page in PAGES if session(page)], ids=name)
def test_every_command_shows_what_the_page_shows(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blanks at line ends apart."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    checker = doctest.OutputChecker()
    for command in session(page):
        if (page, command) in ALONE or not (typed := words(command.text)):
            shown = terminal(command.text, folder)
        else:
            done = run_assay(
                *(name for word in typed[1:] for name in files(word, folder)), folder=folder, together=True
            )
            code = f"exit code {done.returncode}\n" if command.text.endswith(EXIT_CODE) else ""
            shown = done.stdout + code
        got = "".join(f"{line.rstrip()}\n" for line in shown.splitlines())
        same = checker.check_output(command.shown, got, doctest.ELLIPSIS)
        where = f"{page.name}:{command.line}: $ {command.text}"
        assert same, f"{where}\n--- the page shows\n{command.shown}--- the terminal shows\n{got}"


def test_every_command_is_run_by_a_page() -> None:
    # `serve` runs until it is stopped: test_web.py starts it.
    assert set(every_command()) - {"serve"} <= set(FIRST)


def test_every_command_and_option_is_on_the_page_of_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is made when the documentation is built: its template says where which command comes."""
    monkeypatch.syspath_prepend(str(DOCS))
    import command_page  # type: ignore[import-not-found]  # noqa: PLC0415  # beside the pages, not in a package

    page, app = command_page.page(), application()
    assert "<!--" not in page
    for subject in SUBJECTS:
        assert f"## assay {subject}" in page
    for command in every_command():
        assert f"## assay {command}\n" in page
        section = page.partition(f"## assay {command}\n")[2].partition("\n## ")[0].partition("\n### ")[0]
        options = names_of(app, command)
        assert [option for option in options if not re.search(rf"(?<![\w-]){option}(?![\w-])", section)] == []


def test_every_rule_is_explained() -> None:
    page = (DOCS / "treatment.md").read_text(encoding="utf-8")
    rules = [field.name for field in fields(assay.Policies)]
    assert [rule for rule in rules if f"| `{rule}` |" not in page] == []


def test_every_public_name_is_in_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    import api_page  # type: ignore[import-not-found]  # noqa: PLC0415  # beside the pages, not in a package

    page = api_page.completed((DOCS / "api.md").read_text(encoding="utf-8"))
    names = set(assay.__all__) - {"__version__"}
    assert {public for public in names if not re.search(rf":: assay\.{public}\b", page)} == set()


def test_pages_of_reference_have_subjects_that_they_say_nothing_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    import api_page  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415
    import command_page  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415

    page = (DOCS / "api.md").read_text(encoding="utf-8")
    assert api_page.completed(page) == page
    cut = page.replace(":: assay.clicks", "").replace(":: assay.Behaviour", "")
    added = api_page.completed(cut).removeprefix(cut)
    assert added.startswith("\n## Clicks\n\nMeasure what users click, and learn from it.\n\n```{eval-rst}\n")
    assert ".. autofunction:: assay.clicks\n" in added
    assert ".. autoclass:: assay.Behaviour()\n   :members:\n" in added
    declared = toy_declaration.READING
    monkeypatch.setitem(command_page.SUBJECTS, declared.word, (declared.summary, declared.places()))
    section = command_page.page().partition("\n## assay toy\n")[2]
    assert section.count("```text\nassay toy ") == len(declared.commands)


def test_every_measure_gets_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages of measures are made from the registry when the documentation is built."""
    monkeypatch.syspath_prepend(str(DOCS))
    from measure_pages import pages  # type: ignore[import-not-found]  # noqa: PLC0415  # beside the pages, not in a package

    made = pages()
    assert set(made) == {*measures.registered(), "index", "classifiers", "clusterings", "agreement", "clicks", "orders"}
    pages_of: dict[measures.Vocabulary, str] = {
        "binary": "classifiers", "multiclass": "classifiers", "clustering": "clusterings", "agreement": "agreement",
        "behaviour": "clicks", "order": "orders",
    }  # fmt: skip
    for vocabulary, page in pages_of.items():
        for measure in measures.registered(vocabulary).values():
            assert f"### {measure.name}\n" in made[page]
    for measure in measures.registered().values():
        assert f"[{measure.name}]({measure.name}.md)" in made["index"]
        assert ">>> " in made[measure.name]
        assert "```{math}" in made[measure.name]
