"""Files that a command was given: opened with their names, and watched while they are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import ParameterError

if TYPE_CHECKING:
    from assay.tables import Batches


def opened(qrels: str, runs: list[str]) -> list[Batches]:
    """Open the runs; `name=FILE` gives one a name, unless there is a file of just that name."""
    from assay.files import scan_run  # noqa: PLC0415

    if [qrels, *(run.rpartition("=")[2] for run in runs)].count("-") > 1:
        raise ParameterError("stdin (-) can be read only once: give the other file by name")
    given: dict[str, str] = {}
    files = []
    for run in runs:
        name, equals, path = run.partition("=")
        if not (name and equals and "/" not in name) or Path(run).exists():
            files.append(scan_run(run))
            continue
        if name in given:
            raise ParameterError(f"two runs are called {name!r}: {given[name]} and {path}")
        given[name] = path
        files.append(scan_run(path, name=name))
    return files


@contextmanager
def progress(files: Sequence[object], hidden: bool) -> Iterator[None]:
    """Show how far reading has come (of runs that are streamed), on a terminal, once it takes longer than a moment."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    from assay.files import RunFile  # noqa: PLC0415
    from assay.report.terminal import console  # noqa: PLC0415

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
