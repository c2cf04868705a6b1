"""Words of verdicts, in one place: how each is meant, how it is marked, and what the mark means."""

from __future__ import annotations

from typing import Literal, TypeAlias

Tone: TypeAlias = Literal["good", "bad", "even", "open"]

_TONES: dict[str, Tone] = {
    "better": "good", "worse": "bad", "equivalent": "even", "identical": "even",
    "pass": "good", "fail": "bad", "invalid": "bad",
}  # fmt: skip
#: How a verdict is marked, by its word; an open one has no mark.
MARKS = {"better": "▲", "worse": "▼", "higher": "↑", "lower": "↓", "equivalent": "≈", "identical": "="}
#: What a mark means.
LEGEND = {
    "▲": "better than the baseline",
    "▼": "worse than the baseline",
    "↑": "higher than the baseline",
    "↓": "lower than the baseline",
    "≈": "equivalent to the baseline",
    "=": "identical with the baseline",
}


def tone_of(word: str) -> Tone:
    """How the word of a verdict, or of a gate's outcome, is meant.

    >>> tone_of("better"), tone_of("inconclusive")
    ('good', 'open')
    """
    return _TONES.get(word, "open")
