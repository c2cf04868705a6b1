"""Commands as the parser takes them: loaded by their place, `module.function`, each option made a parameter."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType
from typing import Annotated, Any, TypedDict, get_args, get_origin, get_type_hints, is_typeddict

from cyclopts import Parameter

from assay.core.options import INPUTS, Option


@cache
def __getattr__(place: str) -> Any:
    """The function at a place, such as `compare.search`."""
    module, dot, name = place.partition(".")
    if not dot:
        raise AttributeError(place)
    function = getattr(importlib.import_module(f"assay.cli.{module}"), name)
    hints = get_type_hints(function, include_extras=True)
    function.__annotations__ = {name: _parameter(name, hint) for name, hint in hints.items()}
    return function


def _parameter(name: str, hint: Any, *, optional: bool = True) -> Any:
    """What the parser takes: a group's options one by one, an option with its names and its help."""
    if is_typeddict(hint) or is_dataclass(hint):
        return _group(hint)
    for each in (hint, *get_args(hint)):
        for option in getattr(each, "__metadata__", ()):
            if isinstance(option, Option):
                return Annotated[_kind(hint, optional), _of(option, name)]
    return hint


@cache
def _group(group: Any) -> Any:
    named = get_type_hints(group, include_extras=True).items()
    # What was not set is not in a typed dict.
    hints = {name: _parameter(name, hint, optional=is_dataclass(group)) for name, hint in named}
    if is_typeddict(group):
        options = {name: hint for name, hint in hints.items() if get_origin(hint) is Annotated}
        return Parameter(name="*")(TypedDict(group.__name__, options, total=False))  # type: ignore[operator]
    annotations = {field.name: hints[field.name] for field in fields(group)}
    group.__annotations__ = group.__init__.__annotations__ = annotations
    return Parameter(name="*")(group)


def _kind(hint: Any, optional: bool) -> Any:
    """The type of what is typed: where the library takes more than the parser can make, a word."""
    hint = hint.__origin__ if hasattr(hint, "__metadata__") else hint
    kinds = [kind for kind in get_args(hint) if kind is not NoneType]
    if NoneType in get_args(hint):
        kind = _kind(kinds[0], optional) if len(kinds) == 1 else str
        return kind | None if optional else kind
    if get_origin(hint) is Mapping:  # KEY=VALUE, as often as there are keys
        return tuple[str, ...]
    return str if hint is Any or (kinds and get_origin(hint) not in {list, tuple}) else hint


def _of(option: Option, name: str) -> Parameter:
    names = option.names or (f"--{name.replace('_', '-')}",)
    validator = None if option.least is None else _at_least(option.least)
    return Parameter(
        name=names, help=option.help, group=option.panel, metavar=option.metavar, negative=(),
        allow_leading_hyphen=option.panel != INPUTS, validator=validator,
    )  # fmt: skip


def _at_least(least: int) -> Callable[[Any, Any], None]:
    def check(_: Any, value: Any) -> None:
        for number in value if isinstance(value, tuple) else (value,):
            if number is not None and number < least:
                raise ValueError(f"expected a whole number from {least} on, got {number}")

    return check
