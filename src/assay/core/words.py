"""Words in one place: verdicts and outcomes, which way is good, the names of tests, corrections and intervals."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, TypeAlias

Tone: TypeAlias = Literal["good", "bad", "even", "open"]
#: What a difference is; a class of the page's style.
Meaning: TypeAlias = Literal["gain", "loss", "tied", "rise", "fall"]

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
#: How the outcome of a gate begins a sentence, and how it is marked.
OUTCOMES = {"pass": "Passed", "fail": "Failed", "inconclusive": "Inconclusive", "invalid": "Invalid input"}
OUTCOME_MARKS = {"pass": "✅", "fail": "❌", "inconclusive": "❔", "invalid": "⚠️"}
#: What tests are called in a sentence; "none" is that of clusterings, which have no test.
TESTS = {
    "permutation": "paired permutation test",
    "bootstrap": "studentised bootstrap test",
    "t": "paired t test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
    "randomised_tukey": "randomised Tukey HSD",
    "swap": "paired permutation test that swaps predictions",
    "mcnemar": "McNemar's test",
    "delong": "DeLong's test",
    "welch": "Welch's t test",
    "division": "permutation test that divides the users at random",
    "jackknife": "jackknife t test",
    "bootstrap_interval": "bootstrap interval read as a test",
    "none": "no test, the interval of the difference decides",
    "corrected-t": "corrected resampled t test (Nadeau and Bengio)",
    "5x2cv": "combined F test of 5x2 cross-validation (Alpaydin)",
}
#: What corrections are called by those who made them; no correction has no name.
CORRECTED_BY = {"holm": "Holm", "bonferroni": "Bonferroni", "benjamini-hochberg": "Benjamini-Hochberg"}
#: The same in a sentence.
CORRECTIONS = {
    "none": "not corrected",
    "bonferroni": "corrected by Bonferroni's method",
    "holm": "corrected by Holm's method",
    "benjamini-hochberg": "corrected by Benjamini and Hochberg's method (false discovery rate)",
}


class IntervalName(NamedTuple):
    """The names of a way to an interval: in a table; and in a sentence, "intervals are ...".

    `before` stands in front of "intervals", if `short` cannot. `is_drawn`: it takes resamples.
    """

    short: str
    full: str
    before: str = ""
    is_drawn: bool = False

    @property
    def adjective(self) -> str:
        """The adjective in front of "intervals"."""
        return self.before or self.short


#: The ways to an interval, by what `Interval.method` and `Estimate.method` call them.
INTERVALS = {
    "hull": IntervalName(
        "hull of t and BCa bootstrap",
        "the hull of the t interval and the bias-corrected and accelerated (BCa) bootstrap interval",
        is_drawn=True,
    ),
    "bca": IntervalName("BCa bootstrap", "bias-corrected and accelerated (BCa) bootstrap intervals", is_drawn=True),
    "percentile": IntervalName("percentile bootstrap", "percentile bootstrap intervals", is_drawn=True),
    "t": IntervalName("Student's t", "Student's t intervals"),
    "delta": IntervalName("delta method", "those of the delta method"),
    "sequential": IntervalName("sequential", "those that hold at every look"),
    "wilson": IntervalName("Wilson", "Wilson's", before="Wilson's"),
    "DeLong": IntervalName("DeLong", "DeLong's", before="DeLong's"),
    "DeLong, logit": IntervalName("DeLong (logit)", "DeLong's on the logit scale"),
    "exact bound": IntervalName("exact bound", "exact one-sided bounds", before="exact one-sided"),
    "bootstrap": IntervalName("bootstrap of items", "those of the bootstrap", is_drawn=True),
    "jackknife": IntervalName("jackknife of items", "those of the jackknife", before="jackknife"),
    "subsampling": IntervalName("random halves of the items", "those of random halves of the items", is_drawn=True),
}


def tone_of(word: str) -> Tone:
    """The tone of the word of a verdict, or of a gate's outcome.

    >>> tone_of("better"), tone_of("inconclusive")
    ('good', 'open')
    """
    return _TONES.get(word, "open")


def opening(word: str) -> str:
    """The beginning of a line that goes on with what a verdict means.

    >>> opening("better"), opening("equivalent")
    ('Better', 'As good')
    """
    return "As good" if word == "equivalent" else word.capitalize()


def meaning(difference: float, higher_is_better: bool | None) -> Meaning:
    """The word for a difference: a gain or a loss; a rise or a fall where neither is good.

    >>> meaning(0.1, True), meaning(0.1, False), meaning(0.1, None), meaning(0.0, True)
    ('gain', 'loss', 'rise', 'tied')
    """
    if not difference or math.isnan(difference):
        return "tied"
    if higher_is_better is None:
        return "rise" if difference > 0 else "fall"
    return "gain" if (difference > 0) == higher_is_better else "loss"


def meant(difference: float, higher_is_better: bool | None) -> str:
    """The meaning of up or down, where it is not what one expects.

    >>> meant(0.1, False), meant(-0.1, False), meant(0.1, True)
    (' (worse)', ' (better)', '')
    """
    words = {"gain": " (better)", "loss": " (worse)"}
    return words.get(meaning(difference, higher_is_better), "") if higher_is_better is False else ""


def noted(higher_is_better: bool | None, before: str = "") -> str:
    """A remark beside the name of a measure, after what stands `before`; nothing where higher is better.

    >>> noted(False, ", "), noted(True, ", ")
    (', lower is better', '')
    """
    words = {False: "lower is better", None: "neither high nor low is taken as better"}
    return "" if higher_is_better else f"{before}{words[higher_is_better]}"


def counts(higher: int, same: int, lower: int, higher_is_better: bool | None) -> tuple[str, str, str]:
    """Numbers of units that went up, stayed and went down, in words.

    >>> counts(3, 1, 2, False)
    ('▲ 3 higher (worse)', '1 same', '▼ 2 lower (better)')
    """
    up, down = (meant(sign, higher_is_better) for sign in (1, -1))
    return f"▲ {higher:,} higher{up}", f"{same:,} same", f"▼ {lower:,} lower{down}"


def short_name(name: str, most: int = 60) -> str:
    """A name that fits a title, its middle left out: names often differ at their end.

    >>> short_name("bm25"), short_name("a-very-long-name", 9)
    ('bm25', 'a-ve…name')
    """
    return name if len(name) <= most else f"{name[: most // 2]}…{name[len(name) - (most - 1) // 2 :]}"
