"""Some of the systems that stand in one file, by their names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from assay.core.errors import ParameterError, did_you_mean, listed


class _Named(Protocol):
    @property
    def name(self) -> str:
        """What the system is called."""


_System = TypeVar("_System", bound=_Named)


def chosen(tables: Iterable[_System], systems: Sequence[str] | str, path: str, what: str) -> list[_System]:
    """Those of the systems that are wanted, in the order in which they are named.

    >>> from assay import Clusters
    >>> both = [Clusters.of(None, [0, 1, 1], name=name) for name in ("first", "second")]
    >>> [one.name for one in chosen(both, "second", "notes.csv", "clustering")]
    ['second']
    """
    by_name = {table.name: table for table in tables}
    wanted = [systems] if isinstance(systems, str) else list(systems)
    for name in wanted:
        if name not in by_name:
            known = listed(list(by_name))
            raise ParameterError(
                f"{path}: no {what} is called {name!r}: there are {known}{did_you_mean(name, by_name)}"
            )
    return [by_name[name] for name in wanted]
