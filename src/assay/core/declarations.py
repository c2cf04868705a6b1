"""`Declaration`: what a subject says of itself before any of it is loaded: names, texts, and places of what it has.

A place is a string, such as `package.module:name`. Declarations are read for `assay --help`: where they stand, nothing
heavy is imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

#: What a verb does, of any subject: of systems, with data that are checked, and units that are counted.
_VERBS = {
    "compare": "Test whether one {system} is better than another.",
    "explain": "Show how a number was computed, step by step.",
    "report": "Write a report on one {system} or more.",
    "gate": "Decide in CI whether a {system} may replace the baseline.",
    "doctor": "Check {data} for problems that make numbers wrong.",
    "power": "Estimate how many {units} it takes to detect a difference.",
}


class Role(NamedTuple):
    """The role of a column in a table: our name, those of others (the usual one first), and the kind of its cells.

    A column whose name starts with one of the `stems` has the role for the system or the label that follows.
    """

    name: str
    kind: Literal["id", "number", "label", "text"]
    names: tuple[str, ...]
    stems: tuple[str, ...] = ()


def role_of(name: str, kind: Literal["id", "number", "label", "text"], names: str = "", stems: str = "") -> Role:
    """A role with the names that columns have for it, beside its own.

    >>> role_of("page", "id", "url page_id").names
    ('page', 'url', 'page_id')
    """
    return Role(name, kind, (name, *names.split()), tuple(stems.split()))


class Columns(NamedTuple):
    """The columns of a kind of table: their roles, and those it cannot do without, of which one of several may do."""

    roles: tuple[Role, ...]
    needed: tuple[tuple[str, ...], ...]


class Declaration(NamedTuple):
    """A subject, as it is found by name, by its command and by its data."""

    name: str
    #: The place of its `Subject`: see `assay.verbs.subject`.
    subject: str
    #: What its group of commands is for, in a sentence.
    summary: str = ""
    #: The module of its commands: each is a function called as the command is, with _ for -.
    module: str = ""
    #: Its commands, and what each does.
    commands: Mapping[str, str] = {}
    #: The modules of commands that have one for themselves: who calls another need not load them.
    modules: Mapping[str, str] = {}
    #: The word before its commands; empty: they stand at the top, as those on rankings do.
    word: str = ""
    #: Why it lacks a command that others have.
    lacks: Mapping[str, str] = {}
    #: The kind of table that is its data, by the columns of a file: see `kind_of` in `tables/roles.py`.
    table: str = ""
    #: The columns of that table, where `tables/roles.py` has none for it.
    columns: Columns | None = None
    #: The place of a function that tells its files by a look at them, where columns do not.
    looks_like: str = ""
    #: The vocabularies of its measures, and so of counts that somebody made by hand.
    vocabularies: tuple[str, ...] = ()
    #: The modules that register its measures when they are loaded, where `measures/vocabularies.py` names none.
    families: tuple[str, ...] = ()
    #: The option of `assay measures` that lists its measures, and the help of it.
    listed: Mapping[str, str] = {}
    #: The kinds of its results, and the place of the presenter of each, a function from the result to a `Document`.
    presenters: Mapping[str, str] = {}
    #: The kinds of its curves, and the place of the figure of each: see `assay.verbs.sections.curves.drawn_from`.
    figures: Mapping[str, str] = {}
    #: The names that people import from `assay`, by the module that has them.
    public: Mapping[str, tuple[str, ...]] = {}
    #: Its module of curves, by the name that people import from `assay`.
    curves: Mapping[str, str] = {}

    def places(self) -> dict[str, tuple[str, str]]:
        """The place of each command, as the parser finds it, and what it does.

        >>> declared = Declaration("coins", "coins:COINS", module="coins.commands", commands={"by-use": "Toss them."})
        >>> declared.places()
        {'by-use': ('coins.commands.by_use', 'Toss them.')}
        """
        modules = dict.fromkeys(self.commands, self.module) | dict(self.modules)
        return {verb: (f"{modules[verb]}.{verb.replace('-', '_')}", text) for verb, text in self.commands.items()}


def usual_commands(system: str, data: str, units: str = "") -> dict[str, str]:
    """The commands that all subjects have, and what they do; without units there is no power to plan.

    >>> usual_commands("classifier", "predictions")["gate"]
    'Decide in CI whether a classifier may replace the baseline.'
    """
    texts = {verb: text.format(system=system, data=data, units=units) for verb, text in _VERBS.items()}
    return {verb: text for verb, text in texts.items() if units or verb != "power"}
