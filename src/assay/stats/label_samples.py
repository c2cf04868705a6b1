"""`LabelSample`: systems' predicted labels of the same items under one measure, and the tests that suit it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from assay.measures.registry import Measure
from assay.stats.effects import Wins
from assay.stats.label_patterns import LabelPatterns, right_and_wrong
from assay.stats.label_permutation import swap_test
from assay.stats.mcnemar import mcnemar
from assay.stats.permutation import NOTHING_DIFFERS, Alternative, Outcome
from assay.stats.samples import Drawing, Effects, Pair
from assay.stats.tests import MCNEMAR

#: So many cells of confusion matrices are filled at most for all pairs that are tested.
_MOST_CELLS = 100_000_000
#: One-sided tests are of a pair at a time: so many swaps do.
_MOST_SWAPS = 100_000


class LabelSample(LabelPatterns):
    """Predicted labels: they are swapped, and shares of right items also counted.

    >>> from assay.measures import parse_measure
    >>> truth, predicted = np.array([0, 1, 1, 1]), np.array([[0, 0], [1, 1], [0, 1], [0, 1]])
    >>> sample = LabelSample.of_items(parse_measure("Accuracy", "binary"), ("no", "yes"), truth, predicted, positive=1)
    >>> sample.tests[0], sample.effects(0, 1).wins
    ('mcnemar', Wins(won=2, tied=2, lost=0))
    """

    right_or_wrong: ClassVar[bool] = True

    def effects(self, first: int, second: int) -> Effects:
        """How many items the second system alone is right about, both or neither, and the first alone."""
        (wrong, fixed), (broken, right) = right_and_wrong(self, (first, second)).tolist()
        return Effects(np.nan, np.nan, Wins(fixed, wrong + right, broken))

    @property
    def tests(self) -> tuple[str, ...]:
        """Predictions are swapped; shares of right items are also counted, by McNemar's test."""
        return (*MCNEMAR, "swap") if self._counts_right else ("swap",)

    def synonym(self, test: str) -> str:
        """Predictions that are swapped are permuted."""
        return "swap" if test == "permutation" else test

    def why_not_test(self, test: str) -> str:
        """Why a test does not suit predicted labels."""
        if test not in MCNEMAR:
            return f"{self.measure}: it is made of all items together"
        accuracy = is_share_right(self.scorer, len(self.labels))
        which = "without weights" if accuracy else "which is accuracy"
        return f"{self.measure}: McNemar's test counts right items, {which}"

    def test_words(self, outcome: Outcome) -> str:
        """Which test was made, and how."""
        note = f"no {self.unit_kind} differs" if outcome.note == NOTHING_DIFFERS else outcome.note
        return f"{outcome.test}: {note}"

    def _tested(self, pairs: Sequence[Pair], test: str, drawing: Drawing, alternative: Alternative) -> list[Outcome]:
        if test in MCNEMAR:
            return [self._mcnemar(pair, test, alternative) for pair in pairs]
        most = _MOST_SWAPS
        if alternative == "two-sided":
            most = max(10_000, _MOST_CELLS // (len(pairs) * self.cost))
        resamples = min(drawing.resamples, most)
        return [
            swap_test(self.only(*pair), resamples=resamples, seed=drawing.seed, alternative=alternative)
            for pair in pairs
        ]

    def _mcnemar(self, pair: Pair, test: str, alternative: Alternative) -> Outcome:
        (_, only_second), (only_first, _) = right_and_wrong(self, pair).tolist()
        if self.scorer.definition.higher_is_better is False and alternative != "two-sided":
            # Fewer errors are more right items.
            alternative = "less" if alternative == "greater" else "greater"
        return mcnemar(only_first, only_second, MCNEMAR[test], alternative)

    @property
    def _counts_right(self) -> bool:
        return self.weight is None and is_share_right(self.scorer, len(self.labels))


def is_share_right(measure: Measure, labels: int) -> bool:
    """Whether a measure is the share of items that are labelled rightly, or wrongly.

    With more than two labels, an average of classes' accuracies is another number.

    >>> from assay.measures import parse_measure
    >>> is_share_right(parse_measure("Accuracy", "binary"), 2), is_share_right(parse_measure("F", "binary"), 2)
    (True, False)
    """
    averaged = "average" in measure.parameters and labels > 2
    return measure.name in {"Accuracy", "ErrorRate"} and not averaged
