"""A command that was typed, to be typed once more: with another option, or with another verb on the same files."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, get_args

from assay.cli.commands import app_of, every_command

if TYPE_CHECKING:
    from cyclopts import App

#: What is printed, and where, is chosen anew for another verb; so are the measures, the first of which is the main one.
_OF_ONE_VERB = {
    "--measure", "--json", "--csv", "--markdown", "--latex", "--html", "--table", "--spreadsheet", "--output",
    "--overwrite", "--quiet", "--plot", "--system", "--topics", "--baseline",
}  # fmt: skip


def repeated(app: App, command: str, words: Sequence[str], further: Sequence[str], verb: str = "") -> str | None:
    """The command with further words; None if it has no such option.

    With another verb, on the same inputs, with those options of the first that say how these are read and counted.

    >>> from assay.cli.commands import application
    >>> typed = ["compare", "my qrels", "a.run", "b.run", "-m", "AP", "--level=2", "--ties", "expected"]
    >>> repeated(application(), "compare", typed, ["--complete"])
    "assay compare 'my qrels' a.run b.run -m AP --level=2 --ties expected --complete"
    >>> repeated(application(), "compare", typed, ["--complete"], "evaluate")
    "assay evaluate 'my qrels' a.run b.run --level=2 --ties expected --complete"
    >>> repeated(application(), "report", ["report", "q", "a.run", "--quiet", "-o", "a"], ["--complete"], "compare")
    'assay compare q a.run --complete'
    """
    wanted = verb or command
    if wanted not in every_command() or any(word not in _flags(app, wanted) for word in further if word[:2] == "--"):
        return None
    kept = list(words) if wanted == command else [wanted, *_read_alike(app, command, words, wanted)]
    place = kept.index("--") if "--" in kept else len(kept)
    return shlex.join(["assay", *kept[:place], *further, *kept[place:]])


def _read_alike(app: App, command: str, words: Sequence[str], wanted: str) -> Iterator[str]:
    """The inputs among the words of a command, and the options that mean the same in another."""
    here, there = _flags(app, command), _flags(app, wanted)
    rest = iter(words[len(command.split()) :])
    for word in rest:
        name, equals, _ = word.partition("=")
        if name not in here:
            yield word
            continue
        is_flag = bool in (here[name].hint, *get_args(here[name].hint))
        value = [] if is_flag or equals else [next(rest, "")]
        if name in there and not _OF_ONE_VERB.intersection(here[name].names):
            yield from (word, *value)


def _flags(app: App, command: str) -> dict[str, Any]:
    """The options of a command by all their names."""
    arguments = app_of(app, command).assemble_argument_collection()
    return {name: each for each in arguments for name in each.names if name[:1] == "-"}
