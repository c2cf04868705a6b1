"""What subject an input is of: objects tell by their type, files by their first lines."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from assay.core import registry
from assay.files.sources import Source


def consists_of(value: Any, kinds: tuple[type, ...], looks_like: str) -> bool:
    """Whether something is of these kinds, or several such things, or files that look like them.

    `looks_like` is the place of the function that looks at a file; only who has files waits for it.

    >>> consists_of([1, 2], (int,), "assay.files.clusters:looks_like_clusters"), consists_of({}, (int,), "")
    (True, False)
    """
    if isinstance(value, kinds):
        return True
    if isinstance(value, Mapping | list | tuple):
        items = value.values() if isinstance(value, Mapping) else value
        return bool(value) and all(consists_of(item, kinds, looks_like) for item in items)
    if not isinstance(value, str | os.PathLike | Source):  # of an open file, what was looked at would be gone
        return False
    return bool(registry.load(looks_like)(value))
