"""How to ask for something, where a report says so: as in Python, unless whoever makes the report puts it otherwise."""

from __future__ import annotations

from typing import NamedTuple


class Wording(NamedTuple):
    """What to type: to list what to judge next, to choose the measures and the system, to have verdicts in words."""

    judge: str = "compare(..., measures={measure!r}).judge_next()"
    measures: str = "measures=..."
    system: str = "system=..."
    compare: str = "compare(..., measures=...)"
