"""Files that a command was given: opened with their names, and watched while they are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.output import message
from assay.core.errors import ParameterError, number_of

if TYPE_CHECKING:
    from assay.files import Source
    from assay.subjects.ranking.evaluation import Evaluation
    from assay.tables import Batches


def named(run: Any) -> tuple[str | None, Any]:
    """`name=FILE` as name and file, unless there is a file of just that name.

    >>> named("bm25=old.run"), named("old.run")
    (('bm25', 'old.run'), (None, 'old.run'))
    """
    if not isinstance(run, str):
        return None, run
    name, equals, path = run.partition("=")
    if not (name and equals and "/" not in name) or Path(run).exists():
        return None, run
    return name, path


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


def kept(file: str) -> str | Source:
    """What can be read only once (stdin, a pipe), kept for several looks at it; of a plain file, just its name.

    >>> kept("old=old.csv")
    'old=old.csv'
    """
    name, path = named(file)
    if path != "-" and not (Path(path).is_fifo() or Path(path).is_char_device()):
        return file
    from assay.files import Source  # noqa: PLC0415

    return Source(path, name=name)


def opened(qrels: str, runs: Sequence[str]) -> list[Batches]:
    """Open the runs; `name=FILE` gives one a name."""
    from assay.subjects.ranking.inputs import opened_run  # noqa: PLC0415

    return [opened_run(path, name) for name, path in each_named(qrels, runs)]


@contextmanager
def progress(files: Sequence[object], hidden: bool) -> Iterator[None]:
    """Show how far reading has come (of runs that are streamed), on a terminal, once it takes longer than a moment."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    from assay.files import RunFile  # noqa: PLC0415
    from assay.show.terminal import console  # noqa: PLC0415

    out = console(stderr=True)
    streamed = [file for file in files if isinstance(file, RunFile)]
    total = sum(file.source.size or 0 for file in streamed)
    if hidden or not out.is_terminal or total < 64 << 20:
        yield
        return
    columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=out, transient=True) as progress:
        task = progress.add_task("reading", total=total)
        for file in streamed:
            file.source.watch = lambda count: progress.advance(task, count)
        yield


@contextmanager
def working(activity: str, hidden: bool) -> Iterator[None]:
    """Show, on a terminal, that something is going on."""
    from assay.show.terminal import console  # noqa: PLC0415

    out = console(stderr=True)
    if hidden or not out.is_terminal:
        yield
        return
    with out.status(activity):
        yield


def say(evaluation: Evaluation | None, notes: Sequence[str]) -> None:
    """Tell on stderr what was read, if it was judgments and runs, and what is worth a note."""
    if evaluation is not None:
        say_what_was_read(evaluation)
    for note in notes:
        message(f"note: {note}")


def say_what_was_read(result: Evaluation, besides: Sequence[str] = ()) -> None:
    """Tell on stderr what was found in the files, and what is odd, but for what is told elsewhere."""
    grades = result.qrels.frame["relevance"]
    counts = (number_of("topic", len(result.qrels.topics)), number_of("judgment", grades.len()))
    scale = f"grades {_number(grades.min())} to {_number(grades.max())}"
    message(f"{result.qrels.name}: {', '.join((result.qrels.format, *counts, scale))}")
    for file in result.runs.values():
        message(f"{file.origin}: {file.format}")
    for warning in result.warnings:
        if warning in besides:
            continue
        message(f"warning: {warning}")


def _number(value: Any) -> str:
    return f"{float(value):g}"


def directions(texts: tuple[str, ...]) -> dict[str, str | dict[str, str]]:
    """Which way scores are good: one word for all, or a word for each measure.

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
