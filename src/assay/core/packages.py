"""Additions of installed packages, by entry points: `assay.subjects`, `assay.measures`, `assay.formats`.

They are looked for where a name is not known, and where all names are listed: no other call waits for it.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any, Literal, TypeAlias

from assay.core.errors import InputError

#: A subject is the place of its `Declaration`; measures and formats, a module that registers them when it is loaded.
Group: TypeAlias = Literal["assay.subjects", "assay.measures", "assay.formats"]


@cache
def added(group: Group) -> dict[str, str]:
    """The names that packages add to a group, and the place of each."""
    from importlib.metadata import entry_points  # noqa: PLC0415  # it takes longer to load than `assay --help` does

    return {each.name: each.value for each in entry_points(group=group)}


@cache
def load_added(group: Group) -> bool:
    """Load the modules that packages add to a group; whether there are any."""
    for name in added(group):
        load(group, name)
    return bool(added(group))


def load(group: Group, name: str) -> Any:
    """The object of an entry point; one that cannot be loaded is named, as it is none of ours."""
    module, _, attribute = added(group)[name].partition(":")
    try:
        loaded = importlib.import_module(module)
        return getattr(loaded, attribute) if attribute else loaded
    except (ImportError, AttributeError) as problem:
        raise InputError(f"the entry point {name!r} of {group} cannot be loaded: {problem}") from problem
