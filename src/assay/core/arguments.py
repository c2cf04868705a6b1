"""What messages call arguments by: their names in Python, unless a program has names of its own for them.

A message that tells somebody what to say names the argument by `argument`, or stands in a template for `worded`; a
program such as the command line chooses its own words by `speaking`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import EllipsisType
from typing import Any, TypeAlias

#: What is said of an argument: a value, or `...` where any would do.
Value: TypeAlias = str | float | bool | EllipsisType | None
_TEMPLATE = re.compile(r"\{([a-z]\w*)(?:=([^{}]*))?\}")


class ArgumentWording:
    """How Python is spoken: the words of functions and of their arguments."""

    #: How something is given a name of its own.
    naming = "as a key of a dict"

    def argument(self, name: str, value: Value) -> str:
        """An argument with its value.

        >>> ArgumentWording().argument("pos_label", "ham"), ArgumentWording().argument("threshold", ...)
        ("pos_label='ham'", 'threshold=...')
        """
        return f"{name}={'...' if value is ... else repr(value)}"

    def evaluation(self, measure: str, rules: Mapping[str, Any]) -> str:
        """The call that evaluates a run by rules.

        >>> ArgumentWording().evaluation("P@5", {"relevance_level": 2.0})
        "assay.evaluate(qrels, run, 'P@5', relevance_level=2.0)"
        """
        arguments = "".join(f", {name}={value!r}" for name, value in rules.items())
        return f"assay.evaluate(qrels, run, {measure!r}{arguments})"


_PYTHON = ArgumentWording()
_spoken: ContextVar[ArgumentWording] = ContextVar("wording", default=_PYTHON)


@contextmanager
def speaking(wording: ArgumentWording) -> Iterator[None]:
    """Within this, messages are put in other words.

    >>> class Shouting(ArgumentWording):
    ...     def argument(self, name, value):
    ...         return name.upper()
    >>> with speaking(Shouting()):
    ...     argument("threshold")
    'THRESHOLD'
    """
    token = _spoken.set(wording)
    try:
        yield
    finally:
        _spoken.reset(token)


def argument(name: str, value: Value = ...) -> str:
    """An argument as whoever reads the message would write it.

    >>> argument("nulls", "drop"), argument("overwrite", True), argument("truth")
    ("nulls='drop'", 'overwrite=True', 'truth=...')
    """
    return _spoken.get().argument(name, value)


def evaluation(measure: str, rules: Mapping[str, Any]) -> str:
    """What to write to evaluate a run by rules."""
    return _spoken.get().evaluation(measure, rules)


def naming() -> str:
    """How to give something a name of its own."""
    return _spoken.get().naming


def worded(template: str) -> str:
    """A text with arguments in it, each in braces, as whoever reads it would write them.

    >>> worded("choose a judge ({judge}), or leave them out ({nulls=drop}); {complete=True} is another way")
    "choose a judge (judge=...), or leave them out (nulls='drop'); complete=True is another way"
    """

    def wording(place: re.Match[str]) -> str:
        name, value = place.groups()
        literals: dict[str | None, Value] = {None: ..., "True": True}
        return argument(name, literals.get(value, int(value) if str(value).isdecimal() else value))

    return _TEMPLATE.sub(wording, template)
