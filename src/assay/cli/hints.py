"""Hints where a call is wrong: what an option is called here, and which command takes it, or the files."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.commands import LACKING, SUBJECTS, every_command, names_of, options_of

if TYPE_CHECKING:
    from cyclopts import App

#: What other tools call an argument.
_ELSEWHERE = {"metric": "measures", "metrics": "measures"}
#: What else does it, for verbs that are no command of some subjects.
_INSTEAD = {
    "power": "in Python, assay.plan(...) does it",
    "correlate": "in Python, assay.correlate([result, ...], MEASURE, MEASURE) does it",
    "plot": "assay {subject} compare --plot FILE draws the intervals",
}
#: Commands of search that other subjects have, too.
_OF_ALL_SUBJECTS = ("compare", "explain", "report", "gate", "doctor", "plot", "power", "correlate")


def lacking(subject: str, verb: str) -> str | None:
    """The reason why a subject has no command for a verb that others have, or what else does it."""
    if (subject, verb) in LACKING:
        return LACKING[subject, verb]
    if "compare" not in SUBJECTS.get(subject, ("", {}))[1] or verb not in _INSTEAD:
        return None
    return f"there is no command assay {subject} {verb}: {_INSTEAD[verb].format(subject=subject)}"


def other_subject(command: str, words: list[str]) -> str | None:
    """The command that takes the files, where one of search was called."""
    from assay.cli.inputs import named
    from assay.files.named_columns import names_in_any
    from assay.tables.roles import are_clicks, kind_of

    files = [path for word in words[1:] if (path := named(word)[1]) and Path(path).is_file()]
    headers = [names_in_any(path) for path in files]
    logs = [path for path, header in zip(files, headers, strict=True) if are_clicks(header)]
    if logs and "--columns" not in words and command.partition(" ")[0] not in {"clicks", "log", "topics"}:
        return f"of clicks: assay log show {shlex.quote(logs[0])}, or assay clicks evaluate"
    if command not in _OF_ALL_SUBJECTS or not files:
        return None
    kinds = set(map(kind_of, headers))
    for subject, kind in (("clustering", "clusters"), ("classifier", "predictions")):
        if kinds == {kind} and command in SUBJECTS[subject][1]:
            return f"these are files for: assay {subject} {command}"
    if len(files) == 1 and command in SUBJECTS["scores"][1] and files[0].endswith((".csv", ".tsv")):
        return f"of scores: assay scores {command}"
    return None


def called_here(app: App, command: str, words: list[str]) -> str | None:
    """The name of an option here, for one that goes by its name in Python or in other tools."""
    if command not in every_command():
        return None
    options, known = options_of(app, command), names_of(app, command)
    for option in (word.partition("=")[0] for word in words if word.startswith("--")):
        argument = option.removeprefix("--").replace("-", "_")
        if option not in known and (names := options.get(_ELSEWHERE.get(argument, argument))):
            return f"{option}: it is called {names[-1]} here"
    return None


def place_of_option(app: App, command: str, words: list[str]) -> str | None:
    """The command where an option belongs that this one lacks: the same verb of another subject."""
    known = every_command()
    options = [word.partition("=")[0] for word in words if word.startswith("--")]
    if command not in known:
        return None
    here = names_of(app, command)
    verb = command.rpartition(" ")[2]
    others = [f"{subject} {verb}" for subject in SUBJECTS if f"{subject} {verb}" in known] + [verb] * (verb in known)
    for option in (each for each in options if each not in here):
        places = [other for other in others if other != command and option in names_of(app, other)]
        if places:
            return f"{option} goes with {' or '.join(f'assay {place}' for place in places)}"
    return None
