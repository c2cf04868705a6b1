"""What an A/B test comes to: ship, do not ship, keep running, or that it cannot be trusted; from numbers to words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from assay.core.errors import joined

if TYPE_CHECKING:
    from assay.show.model import Tone
    from assay.subjects.experiments.evaluation import Health
    from assay.verbs.comparison.findings import Finding

DecisionWord: TypeAlias = Literal[
    "ship", "do not ship", "keep running", "no difference", "cannot be trusted", "undecided"
]

_TONES: dict[DecisionWord, Tone] = {
    "ship": "good", "do not ship": "bad", "keep running": "open", "no difference": "even", "cannot be trusted": "bad",
    "undecided": "open",
}  # fmt: skip


class Decision(NamedTuple):
    """The decision on a variant, in a word or three, and why."""

    word: DecisionWord
    variant: str
    why: str

    @property
    def tone(self) -> Tone:
        """How it is meant."""
        return _TONES[self.word]

    @property
    def sentence(self) -> str:
        """The decision in a sentence."""
        what = {"ship": f"Ship {self.variant}", "do not ship": f"Do not ship {self.variant}"}
        return f"{what.get(self.word, self.word.capitalize())}: {self.why}."


def decisions_of(findings: Sequence[Finding], health: Sequence[Health]) -> Iterator[Decision]:
    """The decision on each variant that was held against the control."""
    for variant in dict.fromkeys(each.system for each in findings):
        yield decision_of([each for each in findings if each.system == variant], health)


def decision_of(findings: Sequence[Finding], health: Sequence[Health]) -> Decision:
    """The decision on one variant, from what was found under each measure that has a direction.

    Where the test is not sound, nothing else counts. A measure that is worse goes before one that is better.
    """
    variant = findings[0].system
    wrong = [each for each in health if each.state == "wrong"]
    if wrong:
        return Decision("cannot be trusted", variant, wrong[0].says)
    known = [each for each in findings if each.direction in {"higher", "lower"}]
    if not known:
        names = joined([each.measure for each in findings])
        return Decision("undecided", variant, f"whether higher or lower is better is not known of {names}")
    words: dict[str, list[Finding]] = {}
    for each in known:
        words.setdefault(each.verdict.word, []).append(each)
    ways: tuple[tuple[str, DecisionWord], ...] = (("worse", "do not ship"), ("better", "ship"))
    for word, comes_to in ways:
        if found := words.get(word):
            names = joined([each.measure for each in found])
            return Decision(comes_to, variant, f"{variant} is {word} than {found[0].baseline} under {names}")
    open_ones = words.get("inconclusive", [])
    if not open_ones:
        names = joined([each.measure for each in known])
        return Decision("no difference", variant, f"{variant} is as good as {known[0].baseline} under {names}")
    first = open_ones[0]
    why = f"no clear difference under {joined([each.measure for each in open_ones])}"
    if first.needed is not None and first.spread > 0:
        why += (
            f"; with {first.needed:,} users in all, a difference of {first.margin.value:.3g} in {first.measure} "
            f"would be found 80% of the time, and there are {first.units:,}"
        )
    return Decision("keep running", variant, why)
