"""Remarks on odd data as warnings of Python: results keep them, and whoever calls a function sees them at once."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class DataWarning(UserWarning):
    """Something odd about the data that numbers were made from; the result has all of it in `warnings`."""


def warning(function: Callable[P, R], *, callers: int = 1) -> Callable[P, R]:
    """The same function, whose result's warnings are shown where it is called, but for those of what was given to it.

    `callers`: so many calls up is the line that a warning names. Python shows a warning once per line and text.

    >>> with warnings.catch_warnings(record=True) as shown:
    ...     warnings.simplefilter("always")
    ...     result = warning(lambda: type("Result", (), {"warnings": ("no judged document",)}))()
    >>> shown[0].category.__name__, str(shown[0].message)
    ('DataWarning', 'no judged document')
    """

    @functools.wraps(function)
    def shown(*arguments: P.args, **options: P.kwargs) -> R:
        result = function(*arguments, **options)
        known = {text for value in (*arguments, *options.values()) for text in _warnings_of(value)}
        for text in dict.fromkeys(_warnings_of(result)):
            if text not in known:
                warnings.warn(text, DataWarning, stacklevel=callers + 1)
        return result

    return shown


def _warnings_of(value: Any) -> Iterator[str]:
    """The warnings of a result or a table, and of those in a list or a dict."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for each in value:
            yield from _own_warnings(each)
    yield from _own_warnings(value)


def _own_warnings(value: Any) -> tuple[str, ...]:
    found = getattr(value, "warnings", ())
    return tuple(text for text in found if isinstance(text, str)) if isinstance(found, tuple | list) else ()
