"""Files that a command was given: opened with their names, and watched while they are read."""

from __future__ import annotations

import itertools
import os
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from assay.cli.commands import app_of
from assay.cli.options import Output
from assay.cli.output import clear_progress, finish, message, progress_line, remarks
from assay.cli.output import give as give_result
from assay.core.errors import ParameterError, number_of
from assay.core.results import Result

if TYPE_CHECKING:
    from cyclopts import App

    from assay.core.options import LogRules
    from assay.files import Source
    from assay.files.manifest import CollectionFolder
    from assay.subjects.ranking.evaluation import Evaluation
    from assay.tables import Batches
    from assay.tables.log import Log

T = TypeVar("T")
R = TypeVar("R", bound=Result)

#: What makes a folder a collection.
_MANIFEST = "collection.toml"
#: What stands for the runs of a collection until the words of a call are parsed.
_OWN_RUNS = "\0runs"


def named(run: Any) -> tuple[str | None, Any]:
    """`name=FILE` as name and file, unless there is a file of just that name; a name with a slash needs a file.

    >>> named("bm25=old.run"), named("old.run"), named("runs/k1=0.9.run")
    (('bm25', 'old.run'), (None, 'old.run'), (None, 'runs/k1=0.9.run'))
    """
    if not isinstance(run, str):
        return None, run
    name, equals, path = run.partition("=")
    if not (name and equals) or os.path.exists(run):  # noqa: PTH110  # what is too long for a file's name is none
        return None, run
    return (name, path) if "/" not in name or path == "-" or os.path.exists(path) else (None, run)  # noqa: PTH110


def each_named(qrels: str, runs: Sequence[Any]) -> list[tuple[str | None, Any]]:
    """The names and files of several runs; neither a name nor stdin may be given twice."""
    parts = [named(run) for run in runs]
    if [qrels, *(path for _, path in parts)].count("-") > 1:
        raise ParameterError("stdin (-) can be read only once: give the other file by name")
    paths: dict[str, Any] = {}
    for name, path in parts:
        if name is None:
            continue
        if name in paths:
            raise ParameterError(f"two runs are called {name!r}: {paths[name]} and {path}")
        paths[name] = path
    return parts


def by_name(files: Sequence[str], what: str, first: str = "") -> Any:
    """Files by name if one is named as `name=FILE`, as they are otherwise; `first`: another file of the call."""
    from assay.files.sources import Source

    parts = each_named(first, files)
    if all(name is None for name, _ in parts):
        return files
    names = {name or Source(path).stem: path for name, path in parts}
    if len(names) < len(parts):
        raise ParameterError(f"two {what} have the same name: give each its own (name=FILE)")
    return names


def with_collection(app: App, command: str, words: list[str]) -> tuple[CollectionFolder | None, list[str]]:
    """The collection that is among the words of a call, and the words with its judgments in its place.

    `FOLDER:NAME` is a collection with the judgments of that name. Where several runs are asked for, a mark stands for
    those of the collection.
    """
    parameters = signature(app_of(app, command).default_command).parameters  # type: ignore[arg-type]
    words = [_file_in(word, asked) for asked, word in zip(["", *words], words, strict=False)]
    for place, word in enumerate(words):
        collection, judgments = _collection_in(word)
        if collection is not None:
            is_option = "qrels" in parameters and parameters["qrels"].kind is Parameter.KEYWORD_ONLY
            own = [] if is_option else [str(collection.qrels(judgments or None))]
            own += [_OWN_RUNS] if "runs" in parameters else []
            return collection, [*words[:place], *own, *words[place + 1 :]]
    return None, words


def _collection_in(word: str) -> tuple[CollectionFolder | None, str]:
    """The collection that a word names, and the judgments that `FOLDER:NAME` adds."""
    folder, _, judgments = (word, "", "") if _is_collection(word) else word.rpartition(":")
    if not folder or not _is_collection(folder):
        return None, ""
    from assay.files.manifest import open_collection

    return open_collection(folder), judgments


def _is_collection(word: str) -> bool:
    try:
        return (Path(word) / _MANIFEST).is_file()
    except OSError:  # what is too long for a file's name is none
        return False


def _file_in(word: str, asked: str) -> str:
    """The file of a collection that is named where an option asks for judgments, topics or documents."""
    collection, judgments = _collection_in(word) if asked in {"--qrels", "--topics", "--documents"} else (None, "")
    if collection is None:
        return word
    if asked == "--qrels":
        return str(collection.qrels(judgments or None))
    files = collection.documents if asked == "--documents" else [each for each in [collection.topics] if each]
    if len(files) != 1:
        raise ParameterError(f"{asked}: expected a collection with one file of {asked[2:]}, {word} has {len(files)}")
    return str(files[0])


def of_collection(
    collection: CollectionFolder, arguments: Mapping[str, Any], names: Collection[str], *, texts: bool
) -> dict[str, Any]:
    """The arguments of a command that a collection gives: runs by their names, all of them if none was named; `texts`.

    A file of that name goes first. `names` are those of all arguments, set or not.
    """

    def run(word: str) -> str:
        if word not in collection.runs or Path(word).exists():
            return word
        path = str(collection.runs[word].path)
        return path if set(word) & set("=/") else f"{word}={path}"

    changed = dict[str, Any]()
    if "runs" in arguments:
        others = [word for word in arguments["runs"] if word != _OWN_RUNS]
        changed["runs"] = [run(word) for word in others or collection.run_files()]
    for name in ("run", "old", "new"):
        if isinstance(arguments.get(name), str):
            changed[name] = run(arguments[name])
    defaults: dict[str, Any] = {"groups": collection.root}
    if collection.judgments:
        defaults["qrels"] = collection.qrels()
    if texts and {"topics", "documents"} <= {*names}:
        documents = collection.documents[0] if len(collection.documents) == 1 else None
        defaults |= {"topics": collection.topics, "documents": documents}
    unset = {name: path for name, path in defaults.items() if name in names and name not in arguments}
    return changed | {name: str(path) for name, path in unset.items() if path is not None}


def kept(file: str) -> str | Source:
    """An input that can be read only once (stdin, a pipe), kept for several looks at it; of a file, just its name.

    >>> kept("old=old.csv")
    'old=old.csv'
    """
    name, path = named(file)
    if path != "-" and not (Path(path).is_fifo() or Path(path).is_char_device()):
        return file
    from assay.files import Source

    return Source(path, name=name)


def whole_log(files: Sequence[str], rules: LogRules) -> Log:
    """The click log that files make together."""
    from assay.files.logs import read_log

    return read_log(kept_together(files), **rules)


def kept_together(files: Sequence[str]) -> Any:
    """Files that belong together, as the library takes them: one, or a list."""
    sources = [kept(file) for file in files]
    return sources[0] if len(sources) == 1 else sources


def opened(qrels: str, runs: Sequence[str]) -> list[Batches]:
    """Open the runs; `name=FILE` gives one a name."""
    from assay.subjects.ranking.evaluation import opened_run

    return [opened_run(path, name) for name, path in each_named(qrels, runs)]


#: Seconds until a command shows on a terminal that it is at work, and between two looks at it.
_MOMENT, _TURN = 1.0, 0.2
#: What is going on, the innermost last: that is what the line on the terminal names.
_activities: list[str] = []


@contextmanager
def bar(activity: str, total: float, *, hidden: bool) -> Iterator[Callable[[float], None] | None]:
    """Show on a terminal how far something is, once it takes longer than a moment; None where nobody looks.

    What is yielded is called with how much was done since. Nothing but this line is touched: results go where they go.
    """
    if hidden or not sys.stderr.isatty():
        yield None
        return
    done = 0.0
    finished = threading.Event()

    def advance(count: float) -> None:
        nonlocal done
        done += count

    def show() -> None:
        waiting = _MOMENT
        for sign in itertools.cycle("|/-\\"):
            if finished.wait(waiting):
                break
            share = f" {done / total:4.0%}" if done < total else ""
            sys.stderr.write(f"\r\x1b[K{sign} {_activities[-1]}{share}")
            sys.stderr.flush()
            progress_line.set()
            waiting = _TURN
        clear_progress()

    line = None if _activities else threading.Thread(target=show, daemon=True)
    _activities.append(activity)
    try:
        if line is not None:
            line.start()
        yield advance
    finally:
        if line is not None:
            finished.set()
            line.join()
        _activities.pop()


def result_of(function: Callable[..., T], activity: str, to: Any, *arguments: Any, **stated: object) -> T:
    """Call a function of the library and finish its numbers; a terminal shows that it is at work.

    What presents the result is called later, when the line on the terminal is gone.
    """
    files = [file for argument in arguments if isinstance(argument, list) for file in argument]
    with progress(files, hidden=to.quiet), working(activity, hidden=to.quiet):
        result = function(*arguments, **stated)
        if isinstance(result, Result) and isinstance(to, Output):
            finish(result, to)
        return result


def give(function: Callable[..., R], activity: str, to: Output, *arguments: Any, **stated: object) -> R:
    """Give what a function of the library makes, in the form asked for, and tell what is odd about it."""
    result = result_of(function, activity, to, *arguments, **stated)
    give_result(result, to)
    return result


@contextmanager
def progress(files: Sequence[object], hidden: bool) -> Iterator[None]:
    """Show how far reading is (of runs that are streamed), on a terminal."""
    from assay.files import RunFile

    streamed = [file for file in files if isinstance(file, RunFile)]
    total = sum(file.source.size or 0 for file in streamed)
    with bar("reading", total, hidden=hidden) as advance:
        for file in streamed if advance is not None else ():
            file.source.watch = advance
        yield


@contextmanager
def working(activity: str, hidden: bool) -> Iterator[None]:
    """Show on a terminal that something is going on, once it takes longer than a moment."""
    with bar(activity, 0, hidden=hidden):
        yield


def say(evaluation: Evaluation | None, notes: Sequence[str], *, quiet: bool) -> None:
    """Tell on stderr what was read, if it was judgments and runs, and what is worth a note."""
    if evaluation is not None and not quiet:
        say_what_was_read(evaluation)
        notes = [note for note in notes if note not in evaluation.notes]
    remarks(notes=notes, quiet=quiet)


def say_what_was_read(result: Evaluation, besides: Sequence[str] = ()) -> None:
    """Tell on stderr what was found in the files, and what is odd, but for what is told elsewhere."""
    grades = result.qrels.frame["relevance"]
    counts = (number_of("topic", len(result.qrels.topics)), number_of("judgment", grades.len()))
    lowest, highest = (float(str(end)) for end in (grades.min(), grades.max()))
    scale = f"grades {lowest:g} to {highest:g}"
    message(f"{result.qrels.name}: {', '.join((result.qrels.format, *counts, scale))}")
    for file in result.runs.values():
        message(f"{file.origin}: {file.format}")
    remarks([warning for warning in result.warnings if warning not in besides], result.notes, quiet=False)


def directions(texts: tuple[str, ...]) -> dict[str, str | dict[str, str]]:
    """The direction in which scores are good: one word for all, or a word for each measure.

    >>> directions(("lower",)), directions(("latency_ms=lower", "cost=lower"))
    ({'direction': 'lower'}, {'direction': {'latency_ms': 'lower', 'cost': 'lower'}})
    """
    if not texts:
        return {}
    pairs = [text.rpartition("=") for text in texts]
    named = {measure: word for measure, equals, word in pairs if equals}
    if not named and len(texts) == 1:
        return {"direction": texts[0]}
    if len(named) < len(texts):
        raise ParameterError(
            f"--direction is higher or lower, once, or MEASURE=lower for each, not {' and '.join(texts)}"
        )
    return {"direction": named}
