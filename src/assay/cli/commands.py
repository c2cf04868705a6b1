"""The commands by subject, each a module and a function that is loaded when it is called.

Subjects declare theirs (`DECLARATION` in the folder of each); here they become one table, with services and tools.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

from cyclopts import App, ArgumentCollection, Parameter

from assay.cli.output import message
from assay.core import registry
from assay.core.errors import InputError

#: Where each command is, as module and function, and what it does: on rankings, and tools.
SEARCH = next(each for each in registry.declarations() if not each.word).places()
TOOLS = {
    "measures": ("assay.cli.measures.measures", "List the measures, or describe one."),
    "show": ("assay.cli.files.show", "Show what a file or a folder contains."),
    "convert": ("assay.cli.files.convert", "Convert a file to another format."),
    "serve": ("assay.cli.serve.serve", "Judge and run judging projects in a browser."),
    "demo": ("assay.cli.files.demo", "Take a first look, on data that comes with Assay."),
    "examples": ("assay.cli.files.examples", "Copy the files of the documentation into a new folder."),
    "completion": ("assay.cli.files.completion", "Print the completion script for your shell."),
}
#: What is done with judgments, crowds, pools, topics and collections.
_SERVICES = {
    "judge": ("Judge documents, alone or together, and release judgments (of clicks: `assay clicks judge`).", {
        "start": ("assay.cli.judge.judge", "Judge documents at the terminal; `start` may be left out."),
        "init": ("assay.cli.judge_projects.init", "Make a project: pool runs, and ask people to judge the documents."),
        "status": ("assay.cli.judge.status", "Show progress, agreement, each assessor, what is worth a look."),
        "assign": ("assay.cli.judge.assign", "Add assessors, or give them topics of their own."),
        "change": ("assay.cli.judge.change", "Change the rules, the guidelines, known answers, the state."),
        "adjudicate": ("assay.cli.judge.adjudicate", "List the documents on which assessors differ, and decide."),
        "next": ("assay.cli.judge.next_documents", "Have the documents judged first that decide a comparison."),
        "release": ("assay.cli.judge.release", "Freeze the judgments under the next number."),
        "diff": ("assay.cli.judge.diff", "Show what changed between two releases, and which verdicts moved."),
        "import": ("assay.cli.judge.import_labels", "Take labels that were made elsewhere."),
        "export": ("assay.cli.judge.export", "Write judgments, labels, all that was said, or tasks."),
        "backup": ("assay.cli.judge_upkeep.backup", "Write all of a project to a file, while others go on."),
        "restore": ("assay.cli.judge_upkeep.restore", "Make a new project file of a backup."),
        "check": ("assay.cli.judge_upkeep.check", "Check a project for damage."),
    }),
    "log": ("Import and check click logs.", {
        "import": ("assay.cli.log.import_log", "Import a log of any size into tables."),
        "show": ("assay.cli.log.show", "Count what a log holds: pages, users, systems, clicks by rank."),
        "check": ("assay.cli.log.check", "Check a log for problems that make numbers wrong."),
    }),
    "crowd": ("Combine labels of a crowd; audit language models as judges.", {
        "aggregate": ("assay.cli.crowd.aggregate", "Combine many workers' labels into one label per item."),
        "workers": ("assay.cli.crowd.workers", "Measure how good each worker is, and who gives only noise."),
        "hits": ("assay.cli.crowd.hits", "Write HITs for Mechanical Turk, with gold questions mixed in."),
        "audit": ("assay.cli.crowd.audit", "Check whether a model's labels can replace people's."),
    }),
    "pool": ("Choose documents to judge, and find what a pool misses.", {
        "make": ("assay.cli.pool.make", "Pool the top documents of runs, to be judged."),
        "simulate": ("assay.cli.pool.simulate", "Simulate pooling strategies on existing judgments."),
        "choose": ("assay.cli.pool.choose", "Choose the runs that make a varied pool."),
        "bias": ("assay.cli.pool.bias", "Check whether the judgments can score a new system fairly."),
        "estimate": ("assay.cli.pool.estimate", "Estimate scores from judgments of a sampled pool."),
    }),
    "topics": ("Sample or write topics for a new collection.", {
        "sample": ("assay.cli.collection.sample_topics", "Sample topics from a query log."),
        "write": ("assay.cli.collection.write_topics", "Write a text file in which to edit topics by hand."),
    }),
    "collection": ("Build, check and find test collections.", {
        "new": ("assay.cli.collection.new", "Make a collection from files."),
        "add": ("assay.cli.collection.add", "Add documents, topics, judgments or runs."),
        "show": ("assay.cli.collection.show", "Count documents, topics, relevant documents, coverage."),
        "check": ("assay.cli.collection.check", "Find what is missing or inconsistent."),
        "export": ("assay.cli.collection.export", "Write it in TREC's layout."),
        "list": ("assay.cli.collection.catalogue", "Search the catalogue of well-known collections."),
    }),
}  # fmt: skip
#: The commands of each subject but rankings, after a sentence on it, by the word before them; then services.
SUBJECTS = {each.word: (each.summary, each.places()) for each in registry.declarations() if each.word} | _SERVICES
#: Why a subject lacks a command that others have.
LACKING = {(each.word, verb): why for each in registry.declarations() for verb, why in each.lacks.items()}
#: The command of a group that is meant where none is named: `assay judge FILE` is `assay judge start FILE`.
USUAL = {"judge": "start"}
#: How the first page of help groups them.
PANELS = {"Search": SEARCH, "Files and measures": TOOLS}
TOP = SEARCH | TOOLS


def find(words: list[str]) -> None:
    """Look for commands of packages, where a word is none of those here, or all are listed."""
    if words[:1] in ([], ["completion"]) or words[0] not in TOP.keys() | SUBJECTS.keys():
        add_packages()


@cache
def add_packages() -> None:
    """Add the commands of subjects that packages bring; none takes a word that is here, or keeps help from people."""
    try:
        declared = registry.of_packages()
    except InputError as problem:
        message(f"warning: {problem}")
        return
    for each in declared:
        if each.word:
            SUBJECTS.setdefault(each.word, (each.summary, each.places()))
            LACKING.update({(each.word, verb): why for verb, why in each.lacks.items()})


def every_command() -> dict[str, str]:
    """The place of each command, by the words that call it.

    >>> every_command()["classifier gate"]
    'assay.cli.classifier.gate'
    """
    groups = {"": TOP, **{f"{subject} ": verbs for subject, (_, verbs) in SUBJECTS.items()}}
    return {f"{subject}{verb}": place for subject, verbs in groups.items() for verb, (place, _) in verbs.items()}


#: Other words for a command that people type.
_OTHER_WORDS = {("classifier", "threshold"): "thresholds"}


def as_called(words: list[str]) -> list[str]:
    """The words of a call, with the command as it is called.

    >>> as_called(["classifier", "threshold", "mine.csv"])
    ['classifier', 'thresholds', 'mine.csv']
    """
    name = _OTHER_WORDS.get((words[0], words[1])) if len(words) > 1 else None
    return words if name is None else [words[0], name, *words[2:]]


def completed(words: list[str]) -> list[str]:
    """The words with the command of a group that is meant where none is named.

    >>> completed(["judge", "team.db"]), completed(["judge", "status"]), completed(["judge"])
    (['judge', 'start', 'team.db'], ['judge', 'status'], ['judge', 'start'])
    """
    group = words[0] if words else ""
    if group not in USUAL or (len(words) > 1 and words[1] in SUBJECTS[group][1]):
        return words
    return [group, USUAL[group], *words[1:]]


class _App(App):
    """An app whose commands put their arguments together once: each call has a copy without values."""

    def assemble_argument_collection(
        self, *, default_parameter: Parameter | None = None, parse_docstring: bool = False
    ) -> ArgumentCollection:
        def assemble() -> ArgumentCollection:
            return super(_App, self).assemble_argument_collection(
                default_parameter=default_parameter, parse_docstring=parse_docstring
            )

        if default_parameter is not None or parse_docstring or self.default_command is None:
            return assemble()
        if self.default_command not in _ASSEMBLED:
            _ASSEMBLED[self.default_command] = assemble()
        return _ASSEMBLED[self.default_command].copy(reset_tokens=True)


_ASSEMBLED: dict[Callable[..., Any], ArgumentCollection] = {}


def application() -> App:
    """The app without its commands: `app_of` adds those that are asked for."""
    return _app("assay")


def app_of(app: App, command: str) -> App:
    """The app of a command, whose module is loaded now."""
    subject, _, verb = command.rpartition(" ")
    if subject and subject not in app:
        app.command(_app(subject))
    above = app[subject] if subject else app
    if verb not in above:
        from assay.cli.parameters import command_of

        module, _, name = every_command()[command].rpartition(".")
        above.command(command_of(getattr(importlib.import_module(module), name)), name=verb)
    return above[verb]


def _app(name: str) -> App:
    """An app that leaves help, the version and the result to `main`."""
    return _App(
        name=name, help_flags=(), version_flags=(), default_parameter=Parameter(negative=()),
        result_action="return_value",
    )  # fmt: skip


def names_of(app: App, command: str) -> list[str]:
    """The options of a command, by all their names."""
    return [name for names in options_of(app, command).values() for name in names]


def options_of(app: App, command: str) -> dict[str, list[str]]:
    """The names of each option of a command, by the argument that it stands for."""
    collection = app_of(app, command).assemble_argument_collection()
    arguments = {(each.keys or (each.field_info.name,))[-1]: each.names for each in collection}
    options = {argument: [name for name in names if name[:1] == "-"] for argument, names in arguments.items()}
    return {argument: names for argument, names in options.items() if names}
