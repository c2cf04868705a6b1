"""What the library says of its arguments, in the words of the command line."""

from __future__ import annotations

import re
import shlex

#: Arguments whose options are called otherwise; the others keep their names.
_RENAMED = {
    "pos_label": "positive", "one_class": "class", "item": "item-id", "list_separator": "list-separator",
    "noise_as": "noise-as", "collection_size": "collection-size", "relevance_level": "level", "judged_on": "judge-on",
}  # fmt: skip
_NAMES = (
    *_RENAMED,
    "truth",
    "cluster",
    "points",
    "noise",
    "unlabelled",
    "prediction",
    "score",
    "weight",
    "nulls",
    "unknown",
    "labels",
    "threshold",
    "system",
    "overwrite",
    "judge",
    "subtopics",
    "test",
)
_VALUE = r"""'[^']*'|"[^"]*"|\.\.\.|True"""
#: An argument (of a function) with the option beside it, as in: pos_label=1 (on the command line --positive 1).
_BOTH = re.compile(
    rf"\b(?:{'|'.join(_NAMES)})=(?:{_VALUE}|[^\s'\"]+)(?: of \w+)? \((?:on the command line )?(--[^()]+)\)"
)
_ALONE = re.compile(rf"\b({'|'.join(_NAMES)})=({_VALUE})")


def as_typed(message: str) -> str:
    """A message with arguments as options.

    >>> as_typed("which label is positive? say pos_label='ham' (on the command line --positive ham)")
    'which label is positive? say --positive ham'
    >>> as_typed("nulls='drop' leaves such items out; other names are said with truth=..., score=...")
    '--nulls drop leaves such items out; other names are said with --truth, --score'
    """
    return _ALONE.sub(_option, _BOTH.sub(r"\1", message))


def option(name: str) -> str:
    """The option of an argument.

    >>> option("relevance_level"), option("max_missing")
    ('--level', '--max-missing')
    """
    return f"--{_RENAMED.get(name, name).replace('_', '-')}"


def _option(found: re.Match[str]) -> str:
    name, value = option(found[1]), found[2]
    return name if value in {"...", "True"} else f"{name} {shlex.quote(value[1:-1])}"
