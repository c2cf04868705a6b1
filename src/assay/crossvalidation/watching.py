"""How far a cross-validation has come, for whoever waits for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

#: Is told of each fold that is done: how many, of how many.
Progress: TypeAlias = Callable[[int, int], None]


def part_of(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Who is told of a part of the work, after so much of it and of so much in all.

    >>> tell = part_of(print, before=5, total=15)
    >>> tell(1, 5)
    6 15
    """
    return None if progress is None else lambda done, _: progress(before + done, total)


@contextmanager
def watched(progress: Progress | bool | None) -> Iterator[Progress | None]:
    """Who is told of folds: the function given; a bar, if True and on a terminal; else nobody.

    >>> with watched(True) as tell:
    ...     print(tell)
    None
    """
    if progress is None or callable(progress):
        yield progress
        return
    from assay.show.terminal import console  # noqa: PLC0415  # results that nobody waits for need no Rich

    out = console(stderr=True)
    if not progress or not out.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (TextColumn("cross-validating"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=out, transient=True) as bar:
        task = bar.add_task("folds", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
