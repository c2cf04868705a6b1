"""Commands as the parser takes them: functions whose options are parameters.

A command is a function whose parameters are inputs, options and groups of options: typed dicts and dataclasses. Inputs
are found by their place on the command line, options by their names. What was not set is left to defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from inspect import Parameter as Argument
from inspect import Signature, signature
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints, is_typeddict

from cyclopts import CoercionError, Parameter, Token

from assay.core.evaluation_options import INPUTS, Option
from assay.core.ledger import ledger_of_command


class Field(NamedTuple):
    """A parameter of a command, or a field of a group: its name, its type, whether there is no default."""

    name: str
    hint: Any
    is_required: bool


@cache
def command_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with a parameter for each input and option, as the parser takes it."""
    parameters = signature(function).parameters
    if any(each.kind is Argument.VAR_POSITIONAL for each in parameters.values()):
        return function  # it reads its words by itself
    hints = get_type_hints(function, include_extras=True)
    named = [Field(name, hints[name], each.default is Argument.empty) for name, each in parameters.items()]
    arguments: dict[str, Argument] = {}
    tree = _tree(sorted(named, key=lambda each: _is_group(each.hint)), arguments)  # its own options come first
    inputs = [name for name, each in arguments.items() if each.kind is Argument.POSITIONAL_ONLY]

    def command(*values: object, **options: object) -> Any:
        filled = _filled(tree, dict(zip(inputs, values, strict=False)) | options)
        for group in filled.values():
            if hasattr(group, "check"):
                group.check()
        if "overwrite" in arguments:
            from assay.files.atomic import refuse_twice

            refuse_twice(_outputs(arguments, options))
        with ledger_of_command(overwrite=bool(options.get("overwrite"))):
            return function(**filled)

    command.__doc__ = function.__doc__
    command.__signature__ = Signature(sorted(arguments.values(), key=lambda each: each.kind))  # type: ignore[attr-defined]
    command.__annotations__ = {name: each.annotation for name, each in arguments.items()}
    return command


def _outputs(arguments: Mapping[str, Argument], options: Mapping[str, Any]) -> list[tuple[str, Path]]:
    """The files that options name: each is one to write. What is read is named by words."""
    outputs = []
    for name, value in options.items():
        option = max(getattr(arguments[name].annotation, "__metadata__", (Parameter(),))[0].name or ("",), key=len)
        for path in value if isinstance(value, tuple) else (value,):
            if isinstance(path, Path) and str(path) != "-":
                outputs.append((option, path))
    return sorted(outputs, key=lambda each: each[0] != "--output")


def _tree(named: list[Field], arguments: dict[str, Argument], prefix: str = "") -> dict[str, Any]:
    """The argument of each field; of a group, the group and its fields. The arguments are collected."""
    tree: dict[str, Any] = {}
    for name, hint, is_required in named:
        if _is_group(hint):
            tree[name] = hint, _tree(_fields(hint), arguments, f"{name}_")
        elif (option := _option(hint)) is not None:
            key = f"{prefix}{name}" if name in arguments else name
            kind = Argument.POSITIONAL_ONLY if option.panel == INPUTS else Argument.KEYWORD_ONLY
            # Where Pydantic is loaded, the parser has it check defaults, too.
            typed = _kind(hint) if is_required else _kind(hint) | None
            annotation: Any = Annotated[typed, _of(option, name, _kind(hint))]
            default = Argument.empty if is_required else None
            arguments[key] = Argument(key, kind, default=default, annotation=annotation)
            tree[name] = key
    return tree


def _filled(tree: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The values of fields, as far as they were set; groups are made of theirs."""
    filled = {}
    for name, place in tree.items():
        if isinstance(place, tuple):
            group, below = place
            filled[name] = group(**_filled(below, arguments))
        elif place in arguments:
            filled[name] = arguments[place]
    return filled


@cache
def _fields(group: Any) -> list[Field]:
    hints = get_type_hints(group, include_extras=True)
    if is_typeddict(group):
        return [Field(name, hint, False) for name, hint in hints.items()]
    return [
        Field(each.name, hints[each.name], each.default is each.default_factory is MISSING) for each in fields(group)
    ]


def _is_group(hint: Any) -> bool:
    return is_typeddict(hint) or is_dataclass(hint)


def _option(hint: Any) -> Option | None:
    """The option that is declared beside a type, or beside one of several."""
    for each in (hint, *get_args(hint)):
        for option in getattr(each, "__metadata__", ()):
            if isinstance(option, Option):
                return option
    return None


def _kind(hint: Any) -> Any:
    """The type of what is typed: where the library takes more than the parser can make, a word."""
    hint = hint.__origin__ if hasattr(hint, "__metadata__") else hint
    kinds = [kind for kind in get_args(hint) if kind is not NoneType]
    if NoneType in get_args(hint):
        return _kind(kinds[0]) if len(kinds) == 1 else str
    if get_origin(hint) is Mapping:  # KEY=VALUE, as often as there are keys
        return tuple[str, ...]
    return str if hint is Any or (kinds and get_origin(hint) not in {list, tuple}) else hint


def _of(option: Option, name: str, kind: Any) -> Parameter:
    names = option.names or (f"--{name.replace('_', '-')}",)
    validator = None if option.least is None else _at_least(option.least)
    return Parameter(
        name=names, help=option.help, group=option.panel, metavar=option.metavar, negative=(),
        allow_leading_hyphen=option.panel != INPUTS and not option.several, validator=validator,
        consume_multiple=option.several,
        converter=_whole if int in (kind, *get_args(kind)) else None,
    )  # fmt: skip


def _whole(kind: Any, tokens: Sequence[Token]) -> int | tuple[int, ...]:
    """Whole numbers as they are typed: the parser's own conversion makes 2 of 1.5."""
    for token in tokens:
        if not token.value.lstrip("+-").isdecimal():
            raise CoercionError(token=token, target_type=int)
    numbers = tuple(int(token.value) for token in tokens)
    return numbers[0] if kind is int else numbers


def _at_least(least: int) -> Callable[[Any, Any], None]:
    def check(_: Any, value: Any) -> None:
        for number in value if isinstance(value, tuple) else (value,):
            if number is not None and number < least:
                raise ValueError(f"expected a whole number from {least} on, got {number}")

    return check
