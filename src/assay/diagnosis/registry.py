"""The checks, each registered where it is defined."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

from assay.diagnosis.findings import Finding, Severity

#: What a check looks at: a file as it was read, the judgments, one run with the judgments, or all runs together.
About: TypeAlias = Literal["file", "judgments", "run", "runs"]


class Check(NamedTuple):
    """What is looked for, how grave it is, and what to do about it; `find` looks."""

    name: str
    about: About
    severities: tuple[Severity, ...]
    #: What is looked for, as a question that a sound file answers with no.
    question: str
    advice: str
    find: Callable[..., Iterator[Finding]]


_CHECKS: dict[str, Check] = {}
#: The modules that define checks, in the order in which these are made.
_MODULES = ("lines", "duplicates", "grades", "topics", "identifiers", "scores", "systems", "suitability")


def check(name: str, about: About, *severities: Severity, question: str, advice: str) -> Callable[[Any], Any]:
    """Register a check; the decorated function yields what it finds."""

    def add(find: Callable[..., Iterator[Finding]]) -> Callable[..., Iterator[Finding]]:
        _CHECKS[name] = Check(name, about, severities, question, advice, find)
        return find

    return add


def advice(name: str) -> str:
    """What to do about a finding of this check."""
    return _CHECKS[name].advice


def checks(about: About | None = None) -> list[Check]:
    """All checks in the order in which they are made, or those about one thing.

    >>> [known.name for known in checks("file")][:3]
    ['empty', 'compression', 'encoding']
    """
    for module in _MODULES:
        importlib.import_module(f"assay.diagnosis.{module}")
    # Whoever has loaded one of them before the others does not change the order.
    order = {f"assay.diagnosis.{module}": place for place, module in enumerate(_MODULES)}
    found = sorted(_CHECKS.values(), key=lambda known: order[known.find.__module__])
    return [known for known in found if about in {None, known.about}]
