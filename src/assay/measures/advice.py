"""Which measures suit which situation, and why."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import NamedTuple

from assay.core.domains import Choice


class Situation(NamedTuple):
    """What is searched for, and the measures that suit it, the most important first, each with the reason."""

    name: str
    description: str
    measures: dict[str, str]


def situations() -> dict[str, Situation]:
    """All situations by name; they are listed in `situations.toml`."""
    text = (resources.files("assay") / "measures" / "situations.toml").read_text(encoding="utf-8")
    return {name: Situation(name, **values) for name, values in tomllib.loads(text).items()}


def advice(name: str) -> Situation:
    """The situation of that name, with its measures.

    >>> next(iter(advice("patent").measures))
    'SetF(beta=2)'
    """
    known = situations()
    Choice(known).check("a situation", name)
    return known[name]
