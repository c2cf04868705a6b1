"""From words on a command line to a command that is called: help, stdin, wrong calls."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cyclopts import CycloptsError

from assay import __version__
from assay.cli import inputs
from assay.cli.commands import (
    SEARCH,
    SUBJECTS,
    TOP,
    USUAL,
    app_of,
    application,
    as_called,
    completed,
    every_command,
    find,
    names_of,
    options_of,
)
from assay.cli.output import Options
from assay.core.errors import AssayError, InputError, ParameterError, did_you_mean, speaking
from assay.core.memory import refuse_too_little

if TYPE_CHECKING:
    from cyclopts import App

#: What stands for `-`, a file here and an unknown option for the parser.
_STDIN = "\0-"
_HELP = ("-h", "--help", "--help-all")


def call(words: list[str]) -> int:
    """Call the command that the words name, and give its exit code."""
    find(words)
    app = application()
    if words[:1] == ["--version"]:
        sys.stdout.write(f"assay {__version__}\n")
        return 0
    asked, words = _help_asked(words)
    words = as_called(words) if asked is not None else completed(as_called(words))
    command = command_in(words)
    if asked is not None and not _names_no_command(words, command):
        from assay.cli.help_pages import help_page

        sys.stdout.write(help_page(app, command, everything=asked == "--help-all"))
        return 0
    if command in every_command() and command != "completion":
        refuse_too_little(command, words)
    if command == "trec-eval":  # it has the options of the reference tool, and reads them as that does
        words = [words[0], "--", *words[1:]]
    typed = words
    if command in every_command():
        app_of(app, command)
    takes_collections = command in SEARCH or command.startswith("pool ")
    opened, words = inputs.with_collection(app, command, words) if takes_collections else (None, words)
    try:
        function, bound, _ = app.parse_args(
            [_STDIN if word == "-" else word for word in words], exit_on_error=False, print_error=False
        )
    except CycloptsError as problem:
        raise ParameterError(_wrong_call(app, command, words, problem)) from None
    for name, value in bound.arguments.items():
        bound.arguments[name] = _restored(value)
    columns = bound.arguments.pop("columns", ())  # which hold for all that is read
    if opened is not None:
        names = bound.signature.parameters.keys()
        bound.arguments.update(inputs.of_collection(opened, bound.arguments, names, texts=command in SEARCH))
    with speaking(_wording(app, command, typed)), _told_apart(command, words), _named_by(columns):
        return function(*bound.args, **bound.kwargs) or 0


def _wording(app: App, command: str, words: list[str]) -> Options:
    """The names of a command and of its options in messages."""

    def again(further: list[str], verb: str) -> str | None:
        from assay.cli.repetition import repeated

        return repeated(app, command, words, further, verb)

    return Options(lambda: options_of(app, command), again)


@contextmanager
def _told_apart(command: str, words: list[str]) -> Iterator[None]:
    """Name the subject that takes a file, where this one refuses it."""
    try:
        yield
    except AssayError as problem:
        from assay.cli.hints import other_subject

        is_of_the_disk = isinstance(problem.__cause__, OSError)  # a full one is no wrong file
        text = None if is_of_the_disk else other_subject(command, words)
        if text is None:
            raise
        raise InputError(f"{problem}; {text}") from problem


def command_in(words: list[str]) -> str:
    """The command that words begin with, as it is called; a subject without verb, or nothing, if there is none.

    >>> command_in(["classifier", "gate", "old.csv"]), command_in(["classifier"]), command_in(["frobnicate"])
    ('classifier gate', 'classifier', '')
    """
    known = every_command()
    for called in (" ".join(words[:2]), " ".join(words[:1])):
        if called in known or called in SUBJECTS:
            return called
    return ""


def _help_asked(words: list[str]) -> tuple[str | None, list[str]]:
    """The way help is asked for, by an option, by the word `help` or by naming no command; and the other words."""
    place = 1 if words[:1] and words[0] in SUBJECTS else 0
    if words[place : place + 1] == ["help"]:
        named = [word for word in words[place:] if word != "help"]  # `help help` is about all commands
        words = [*words[:place], *named, "--help"]
    if "trec-eval" in words[:2] and command_in([word for word in words if word not in _HELP]) == "trec-eval":
        return None, ["trec-eval", *(word for word in words if word != "trec-eval")]  # it describes itself
    end = words.index("--") if "--" in words else len(words)
    options = [word for word in words[:end] if word in _HELP]
    others = [word for word in words[:end] if word not in _HELP] + words[end:]
    if not options and (not others or others in [[subject] for subject in SUBJECTS if subject not in USUAL]):
        return "--help", others
    return next(iter(options), None), others


def _names_no_command(words: list[str], command: str) -> bool:
    """True if a word stands where a command should, and is none: then it is wrong, with `--help` or without."""
    if command and command not in SUBJECTS:
        return False
    rest = words[len(command.split()) :]
    return bool(rest) and not rest[0].startswith("-")


@contextmanager
def _named_by(columns: Sequence[str]) -> Iterator[None]:
    """Within this, columns have the roles that `--columns` gives them."""
    if not columns:  # `assay --help` loads no Polars
        yield
        return
    from assay.tables.roles import named_by

    # What has no equals sign goes on with the name before, which holds a comma.
    roles: dict[str, str] = {}
    last = ""
    for part in ",".join(columns).split(","):
        role, equals, name = part.partition("=")
        if not equals and not last:
            raise ParameterError(f"--columns: expected ROLE=NAME, as in query_id='Search term', got {part!r}")
        last = role.strip() if equals else last
        roles[last] = name if equals else f"{roles[last]},{part}"
    with named_by(roles):
        yield


def _restored(value: Any) -> Any:
    """The value with `-` where it stood."""
    if isinstance(value, list | tuple):
        return type(value)(map(_restored, value))
    return type(value)("-") if isinstance(value, str | Path) and str(value) == _STDIN else value


def _wrong_call(app: App, command: str, words: list[str], problem: CycloptsError) -> str:
    """The mistake in a call, on one line, and what to type instead."""
    from assay.cli import hints

    named = (app, command, words)
    if text := hints.called_here(*named) or hints.place_of_option(*named):
        return text
    page = f"; `assay {command} --help` lists what there is" if command else "; `assay --help` lists what there is"
    kind = type(problem).__name__
    if kind == "UnknownCommandError" or not command or command in SUBJECTS:
        known = SUBJECTS[command][1] if command else [*TOP, *SUBJECTS]
        word = words[1 if command else 0]
        if (text := hints.lacking(command, word)) is not None:
            return text
        what = "option" if word.startswith("-") else f"{command} command".strip()
        return f"no such {what}: {word}{did_you_mean(word, known) or page}"
    if kind == "UnknownOptionError":
        word = problem.token.keyword or problem.token.value  # type: ignore[attr-defined]
        return f"no such option: {word}{did_you_mean(word, names_of(app, command)) or page}"
    if kind == "UnusedCliTokensError":
        return f"too many inputs: {' '.join(problem.unused_tokens or ())}{page}"
    text = _wrong_value(problem) or str(problem).replace(_STDIN, "-").removesuffix(".")
    return f"{text}; {other}" if (other := hints.other_subject(command, words)) is not None else text + page


#: What a value is, where the parser would name a type of Python.
_TYPES = {int: "a whole number", float: "a number", bool: "no value"}


def _wrong_value(problem: Any) -> str | None:
    """The mistake in an input or in the value of an option; None: what the parser says will do."""
    kind = type(problem).__name__
    argument = problem.argument
    if kind == "MissingArgumentError":
        if problem.keyword is None:
            return f"{' or '.join(argument.names)} is missing"
        count = argument.token_count()[0]
        return f"{problem.keyword}: expected {'a value' if count == 1 else f'{count} values'}"
    if kind == "RepeatArgumentError" and problem.token is not None:
        return f"{problem.token.keyword}: expected once, got twice"
    if kind == "ValidationError" and argument is not None:
        return f"{argument.tokens[-1].keyword or argument.name}: {problem.exception_message}"
    if kind == "CoercionError" and problem.target_type in _TYPES and problem.token is not None:
        name = problem.token.keyword or argument.name
        value = problem.token.value.replace(_STDIN, "-")
        return f"{name}: expected {_TYPES[problem.target_type]}, got {value!r}"
    return None
