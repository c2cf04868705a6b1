"""Pages of help: inputs, the options that people use, examples; the others on a page of their own."""

from __future__ import annotations

import inspect
import shutil
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args

from assay.cli.commands import PANELS, SUBJECTS, app_of
from assay.core.errors import number_of
from assay.core.evaluation_options import COLUMNS, CONTENTS, INPUTS, OPTIONS, OUTPUT, RULES, TEST

if TYPE_CHECKING:
    from cyclopts import App

_WIDEST = 100
#: The room for names of options, and for those of commands.
_NAMES, _VERBS = 28, 14
Entry = tuple[str, str]
PANEL_ORDER = (INPUTS, OPTIONS, CONTENTS, COLUMNS, RULES, TEST, OUTPUT)


def help_page(app: App, command: str, *, everything: bool) -> str:
    """The help of a command, of a subject, or of all."""
    if command and command not in SUBJECTS:
        lines = _of_command(app, command, everything)
    elif command:
        summary, verbs = SUBJECTS[command]
        lines = [f"Usage: assay {command} COMMAND ...", "", summary, ""]
        lines += _panel("Commands", [(verb, text) for verb, (_, text) in verbs.items()], _VERBS)
        lines += ["", f"`assay {command} COMMAND --help` describes a command."]
    else:
        lines = ["Usage: assay COMMAND ...", "Evaluate search engines, classifiers, clusterings and judges.", ""]
        for title, commands in PANELS.items():
            lines += [*_panel(title, [(verb, text) for verb, (_, text) in commands.items()], _VERBS), ""]
        subjects = [(f"{name} ...", text) for name, (text, _) in SUBJECTS.items()]
        lines += [*_panel("Other subjects", subjects, _VERBS), ""]
        lines += ["`assay COMMAND --help` describes a command, `assay --version` prints the version."]
    return "".join(f"{line}\n" for line in lines)


def _of_command(app: App, command: str, everything: bool) -> list[str]:
    panels = panels_of(app, command)
    paragraphs, examples = _documentation(app_of(app, command).default_command)
    lines = [f"Usage: {usage_of(app, command)}"]
    for paragraph in paragraphs if everything else paragraphs[:1]:
        lines += ["", *textwrap.wrap(paragraph, _width())]
    hidden = [] if everything else [title for title in panels if title not in {INPUTS, OPTIONS}]
    for title, entries in panels.items():
        lines += ["", *_panel(title, entries)] if entries and title not in hidden else []
    if examples:
        lines += ["", "Examples", *(f"  {example}" for example in examples)]
    if hidden:
        count = number_of("more option", sum(len(panels[title]) for title in hidden))
        lines += ["", f"--help-all shows {count}: {', '.join(title.lower() for title in hidden)}."]
    return lines


def panels_of(app: App, command: str) -> dict[str, list[Entry]]:
    """The inputs and options of a command with what they mean, by panel."""
    panels: dict[str, list[Entry]] = {title: [] for title in PANEL_ORDER}
    for each in _arguments(app, command):
        panels[_panel_of(each)].append((_names(each), each.parameter.help))
    return {title: entries for title, entries in panels.items() if entries or title in {INPUTS, OPTIONS}}


def usage_of(app: App, command: str) -> str:
    """The usage of a command, on a line.

    >>> from assay.cli.commands import application
    >>> usage_of(application(), "compare")
    'assay compare QRELS RUN... [OPTIONS]'
    """
    inputs = [_usage(each) for each in _arguments(app, command) if each.index is not None]
    return " ".join(["assay", command, *inputs, "[OPTIONS]"])


def _arguments(app: App, command: str) -> list[Any]:
    return [each for each in app_of(app, command).assemble_argument_collection() if each.parameter.help]


def _documentation(function: Any) -> tuple[list[str], list[str]]:
    """The paragraphs of a docstring, and its examples: the lines that begin with a prompt."""
    parts = (inspect.getdoc(function) or "").split("\n\n")
    examples = [line for part in parts for line in part.splitlines() if line.startswith("$ ")]
    return [" ".join(part.split()) for part in parts if not part.startswith("$ ")], examples


def _panel_of(argument: Any) -> str:
    (group,) = argument.parameter.group
    return str(getattr(group, "name", group))


def _usage(argument: Any) -> str:
    name = str(argument.parameter.metavar)
    several = "..." if "list" in str(argument.hint) else ""
    return f"{name}{several}" if argument.required else f"[{name}{several}]"


def _names(argument: Any) -> str:
    """The names of an option, with a word for its value unless it is a flag."""
    if argument.index is not None:
        return str(argument.parameter.metavar)
    short = [name for name in argument.names if not name.startswith("--")]
    names = ", ".join([*short, *(name for name in argument.names if name.startswith("--"))])
    kind = _kind(argument.hint)
    return names if kind is bool else f"{names} {argument.parameter.metavar or _value_of(kind)}"


def _kind(hint: Any) -> Any:
    """The type of what is typed, of an option that may be left out."""
    kinds = [each for each in get_args(hint) if each is not NoneType]
    return kinds[0] if NoneType in get_args(hint) else hint


def _value_of(hint: Any) -> str:
    kinds = {hint, *get_args(hint)}
    if Path in kinds:
        return "FILE"
    if kinds & {int, float}:
        return "N"
    return "WORD"


def _panel(title: str, entries: Iterable[Entry], room: int = _NAMES) -> Iterator[str]:
    """A title, and names with what they mean beside them."""
    yield title
    for names, text in entries:
        lines = textwrap.wrap(text, _width() - room - 4, break_on_hyphens=False)
        if len(names) > room:
            yield f"  {names}"
        yield f"  {names if len(names) <= room else '':<{room}}  {lines[0]}"
        yield from (f"{'':{room + 4}}{line}" for line in lines[1:])


def _width() -> int:
    return min(_WIDEST, shutil.get_terminal_size((80, 24)).columns)
