"""Names in sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from assay.core.digits import numbers
from assay.core.errors import joined


def values_of_systems(values: Mapping[str, float], most: int) -> str:
    """The number of each system in a sentence, with decimals until they differ.

    >>> values_of_systems({"a": 0.5, "b": 0.90001, "c": 0.90002}, most=6)
    'a has 0.5000, b has 0.90001 and c has 0.90002'
    """
    texts = zip(values, values.values(), numbers(values.values()), strict=True)
    return joined([f"{name} has {'no number' if math.isnan(value) else text}" for name, value, text in texts], most)


def told_once(notes: Sequence[str], measures: Sequence[str]) -> list[str]:
    """Notes without repetition: what is said of several measures in the same words is said of them together.

    >>> told_once(["AP: 2 left out", "an aside", "RR: 2 left out", "an aside"], ["AP", "RR"])
    ['AP, RR: 2 left out', 'an aside']
    """
    told: dict[tuple[str, str], list[str]] = {}
    for note in notes:
        before, measure, after = _about(note, measures)
        names = told.setdefault((before, after), [])
        if measure not in names:
            names.append(measure)
    return [f"{before}{', '.join(names)}{after}" for (before, after), names in told.items()]


def _about(note: str, measures: Sequence[str]) -> tuple[str, str, str]:
    """The note before the measure that it is about, the measure, and the rest; without one, all is before it."""
    for measure in measures:
        for start in (0, note.find(f": {measure}: ") + 2):
            if note.startswith(f"{measure}: ", start):
                return note[:start], measure, note[start + len(measure) :]
    return note, "", ""
