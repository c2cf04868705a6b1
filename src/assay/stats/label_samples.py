"""`LabelSample`: predicted labels of items, grouped, so that they can be drawn anew, left out, and swapped.

Items with the same truth and the same predictions cannot be told apart by a label measure. So items are grouped by
these, and what is drawn at random is how often each pattern occurs: the same distribution as drawing items, at a cost
that does not grow with them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import special

from assay.core.errors import number_of
from assay.core.evaluation_options import Undefined
from assay.measures.counting.confusion_matrix import ConfusionMatrix
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.matrix_margins import CellSums
from assay.measures.matrices import is_of_margins, overall
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit
from assay.measures.undefined import as_counted
from assay.stats.bootstrap import group_weights, pattern_weights
from assay.stats.estimates import ROUNDING
from assay.stats.permutation import NO_DIFFERENCE, NOTHING_DIFFERS, Alternative, Outcome, as_extreme
from assay.stats.samples import Contrast, Drawing, Effects, KnownUnits, Pair
from assay.stats.tests import Wins, mcnemar
from assay.stats.weighted_samples import COST_OF_A_COUNT, Redraws, WeightedSample

#: Cells of confusion matrices held at a time.
_CELLS = 1 << 22
#: Leaving out each item in turn is not tried where it takes more cells than this.
_MOST_LEFT_OUT = 1_000_000_000


#: So many cells of confusion matrices are filled at most for all pairs that are tested.
_MOST_CELLS = 100_000_000
#: One-sided tests are of a pair at a time: so many swaps do.
_MOST_SWAPS = 100_000


@dataclass(frozen=True, eq=False)
class LabelSample(WeightedSample):
    """Items grouped by their true label and what each system predicted, under one measure.

    `truth` and `predicted` are places among the `labels`: one row a pattern, and of `predicted` one column a system.
    `counts` is how many items have the pattern, `weight` what each of them weighs (None: 1), `pattern` which one each
    item has. `undefined_classes`: what averages do with classes that have no number.

    >>> from assay.measures import parse_measure
    >>> truth, predicted = np.array([0, 1, 1, 1]), np.array([[0, 0], [1, 1], [0, 1], [0, 1]])
    >>> sample = LabelSample.of_items(parse_measure("Accuracy", "binary"), ("no", "yes"), truth, predicted, positive=1)
    >>> sample.observed, sample.counts
    (array([0.5, 1. ]), array([1, 2, 1]))
    >>> sample.tests[0], sample.effects(0, 1).wins
    ('mcnemar', Wins(won=2, tied=2, lost=0))
    """

    scorer: Measure
    labels: tuple[Any, ...]
    truth: Ints
    predicted: Ints
    counts: Ints
    pattern: Ints
    weight: Floats | None = None
    positive: int | None = None
    undefined_classes: Undefined = "counted_as"

    right_or_wrong: ClassVar[bool] = True

    @classmethod
    def of_items(
        cls,
        measure: Measure,
        labels: tuple[Any, ...],
        truth: Ints,
        predicted: Ints,
        *,
        weight: Floats | None = None,
        positive: int | None = None,
        undefined: Undefined = "counted_as",
        systems: tuple[str, ...] = (),
    ) -> Self:
        """Group items, given by the places of their labels; `predicted` has a column for each system."""
        every = np.arange(len(truth), dtype=np.int64)
        ones = np.ones(len(truth), np.int64)
        ungrouped = cls(measure, labels, truth, predicted, ones, every, weight, positive, undefined)
        return replace(ungrouped, systems=systems)._grouped()

    def _grouped(self) -> Self:
        """Patterns that are alike made one; in the order of their labels, whatever the order of the items."""
        keys = [self.truth, *self.predicted.T, *(() if self.weight is None else (self.weight,))]
        frame = pl.DataFrame([pl.Series(f"key{number}", key) for number, key in enumerate(keys)])
        names = frame.columns
        rows = frame.with_columns(count=pl.Series(self.counts), row=pl.int_range(pl.len()))
        last = 1 + self.predicted.shape[1]
        by_name = [names[1 + system] for system in self._by_name(range(last - 1))]
        patterns = rows.group_by(names).agg(pl.col("count").sum(), pl.col("row"))
        patterns = patterns.sort(names[0], *by_name, *names[last:])
        new = np.empty(len(self.truth), dtype=np.int64)
        place = np.repeat(np.arange(patterns.height), patterns["row"].list.len().to_numpy())
        new[patterns["row"].explode().to_numpy()] = place
        columns = [patterns[name].to_numpy() for name in names]
        return replace(
            self,
            truth=columns[0],
            predicted=np.column_stack(columns[1:last]),
            counts=patterns["count"].to_numpy().astype(np.int64),
            pattern=new[self.pattern],
            weight=None if self.weight is None else columns[last],
        )

    @property
    def size(self) -> int:
        """The number of items."""
        return len(self.pattern)

    @property
    def cost(self) -> int:
        """The numbers that one resample of the items takes."""
        return max(min(COST_OF_A_COUNT * len(self.counts), self.size), len(self.labels) ** 2)

    @cached_property
    def right(self) -> NDArray[np.bool_]:
        """A mask of the patterns (rows) that each system (column) is right about."""
        right: NDArray[np.bool_] = self.predicted == self.truth[:, None]
        return right

    def unit_values(self) -> Floats:
        """1 where a system (column) is right about an item (row), 0 where it is wrong."""
        return self.right[self.pattern].astype(np.float64)

    def only(self, *systems: int) -> Self:
        """Some of the systems, with what they cannot tell apart grouped anew: two have far fewer patterns than ten."""
        if list(systems) == list(range(self.predicted.shape[1])):
            return self
        chosen = self.predicted[:, list(systems)]
        return replace(self, predicted=chosen, systems=self._names(systems))._grouped()

    def whatever_they_weigh(self) -> Self:
        """The patterns of labels alone, for sums of weights; `pattern` is then which one each of these patterns has."""
        every = np.arange(len(self.counts), dtype=np.int64)
        return replace(self, weight=None, pattern=every)._grouped()

    @cached_property
    def observed(self) -> Floats:
        """Each system's number."""
        numbers: Floats = self.of(self.counts[None].astype(np.float64))[0]
        return numbers

    def of(self, weights: Floats) -> Floats:
        """Each system's number (column) where the patterns occur so often (columns), row by row."""
        heavy = weights if self.weight is None else weights * self.weight
        return np.column_stack([self._numbers(sums, heavy) for sums in self._sums])

    def undefined(self) -> list[str | None]:
        """Reasons why systems have no number, None where they have one."""
        weights: Floats = self.counts * (np.ones(len(self.counts)) if self.weight is None else self.weight)
        return [self._of(sums.matrices(weights[None])).reason(0) for sums in self._sums]

    def known_units(self, first: int, second: int) -> KnownUnits | None:
        """In how many of the classes that have items an average has a number of each system."""
        if self.scorer.parameters.get("average") not in {"macro", "weighted"}:
            return None
        weights = self.counts[None].astype(np.float64)
        classes = [self._sums[place].matrices(weights).per_class() for place in (first, second)]
        taken = [as_counted(self.scorer, each, self.scorer.per_unit(each), self.undefined_classes) for each in classes]
        with_items = classes[0].tp + classes[0].fn > 0
        return KnownUnits.of(~np.isnan(np.column_stack(taken))[with_items], "class")

    @cached_property
    def without_each(self) -> Floats:
        """Each system's number (column) without one item of each pattern (row).

        There are no rows where that is too much work: with very many labels.
        """
        size = len(self.labels) ** 2
        if len(self.counts) * size > _MOST_LEFT_OUT and len(set(self._cells.ravel().tolist())) * size > _MOST_LEFT_OUT:
            return np.empty((0, len(self._cells)))
        lighter = np.ones(len(self.counts)) if self.weight is None else self.weight
        systems = zip(self._sums, self._cells, strict=True)
        return np.column_stack([self._without(sums, cells, lighter) for sums, cells in systems])

    def _without(self, sums: CellSums, cells: Ints, lighter: Floats) -> Floats:
        """A system's number without one item of each pattern; items of one cell and weight leave the same table."""
        total = sums.table @ (lighter * self.counts)
        of_patterns = sums.table.T.tocsr()
        alike = np.column_stack([cells, lighter])
        _, first, place = np.unique(alike, axis=0, return_index=True, return_inverse=True)
        values = []
        for part in np.array_split(first, math.ceil(len(first) * len(total) / _CELLS)):
            left = total - lighter[part, None] * of_patterns[part].toarray()
            # Of weights that are taken away again, a little less than nothing may be left.
            values.append(self._of(sums.of_sums(np.maximum(left, 0))).values)
        return np.concatenate(values)[place.ravel()]

    @property
    def multiplicity(self) -> Ints:
        """The number of items of each pattern."""
        return self.counts

    @property
    def redraw_cost(self) -> int:
        """Two systems are drawn at a time: all together would have more patterns than need be."""
        return self.only(*range(min(2, self.predicted.shape[1]))).cost

    def resampled(self, drawing: Drawing) -> Floats:
        """Each system's number (column) in each resample (row) of the items."""
        if self.weight is None:
            return np.concatenate([self.of(block) for block in pattern_weights(self.counts, *drawing)])
        alike = self.whatever_they_weigh()
        blocks = group_weights(alike.pattern, self.weight, self.counts, *drawing)
        return np.concatenate([alike.of(block) for block in blocks])

    def is_same(self, first: int, second: int) -> bool:
        """True if two systems predict the same label for every item."""
        return bool((self.predicted[:, first] == self.predicted[:, second]).all())

    def _without_each_difference(self, first: int, second: int) -> tuple[Floats, Ints | None]:
        two = self.only(first, second)
        return np.diff(two.without_each, axis=1)[:, 0], two.counts

    def _redrawn(self, of: Contrast, drawing: Drawing) -> tuple[Redraws, Contrast]:
        places: Contrast = (0,) if len(of) == 1 else (0, 1)
        return Redraws.of(self.only(*of), drawing), places

    @cached_property
    def _cells(self) -> Ints:
        """The cell of the confusion matrix that a pattern falls into, for each system (row)."""
        return np.ascontiguousarray((self.truth[:, None] * len(self.labels) + self.predicted).T)

    @cached_property
    def _sums(self) -> list[CellSums]:
        """The sums of patterns for each system's confusion matrix, or as much of it as the measure asks for."""
        whole = not is_of_margins(self.scorer)
        systems = self.predicted.T
        return [CellSums.of(self.labels, self.truth, labels, self.positive, whole=whole) for labels in systems]

    def _numbers(self, sums: CellSums, weights: Floats) -> Floats:
        """A system's number under each row of weights."""
        rows = max(1, _CELLS // max(sums.table.shape))
        parts = (weights[start : start + rows] for start in range(0, len(weights), rows))
        return np.concatenate([self._of(sums.matrices(part)).values for part in parts])

    def _of(self, matrix: ConfusionMatrix) -> PerUnit:
        return overall(self.scorer, matrix, self.undefined_classes)

    def effects(self, first: int, second: int) -> Effects:
        """Counts of items that the second system alone is right about, both or neither, and the first alone."""
        (wrong, fixed), (broken, right) = right_and_wrong(self, (first, second)).tolist()
        return Effects(np.nan, np.nan, Wins(fixed, wrong + right, broken))

    @property
    def tests(self) -> tuple[str, ...]:
        """Predictions are swapped; shares of right items are also counted, by McNemar's test."""
        return ("mcnemar", "swap") if self._counts_right else ("swap",)

    def synonym(self, test: str) -> str:
        """Predictions that are swapped are permuted."""
        return "swap" if test == "permutation" else test

    def why_not_test(self, test: str) -> str:
        """The reason why a test does not suit predicted labels."""
        if test != "mcnemar":
            return f"{self.measure}: it is made of all items together"
        accuracy = is_share_right(self.scorer, len(self.labels))
        which = "without weights" if accuracy else "which is accuracy"
        return f"{self.measure}: McNemar's test counts right items, {which}"

    def test_words(self, outcome: Outcome) -> str:
        """The name of the test, and the way it was made."""
        note = f"no {self.unit_kind} differs" if outcome.note == NOTHING_DIFFERS else outcome.note
        return f"{outcome.test}: {note}"

    def _tested(self, pairs: Sequence[Pair], test: str, drawing: Drawing, alternative: Alternative) -> list[Outcome]:
        if test == "mcnemar":
            return [self._mcnemar(pair, alternative) for pair in pairs]
        most = _MOST_SWAPS
        if alternative == "two-sided":
            most = max(10_000, _MOST_CELLS // (len(pairs) * self.cost))
        resamples = min(drawing.resamples, most)
        return [
            swap_test(self.only(*pair), resamples=resamples, seed=drawing.seed, alternative=alternative)
            for pair in pairs
        ]

    def _mcnemar(self, pair: Pair, alternative: Alternative) -> Outcome:
        (_, only_second), (only_first, _) = right_and_wrong(self, pair).tolist()
        if self.scorer.definition.higher_is_better is False and alternative != "two-sided":
            # Fewer errors are more right items.
            alternative = "less" if alternative == "greater" else "greater"
        return mcnemar(only_first, only_second, alternative)

    @property
    def _counts_right(self) -> bool:
        return self.weight is None and is_share_right(self.scorer, len(self.labels))


def right_and_wrong(sample: LabelSample, systems: Sequence[int]) -> Ints:
    """Counts of items by who is right, the first of two systems and the second: 2 x 2, rows the first's.

    >>> from assay.measures import parse_measure
    >>> truth, predicted = np.array([0, 1, 1, 1]), np.array([[0, 0], [1, 1], [0, 1], [0, 1]])
    >>> sample = LabelSample.of_items(parse_measure("Accuracy", "binary"), ("no", "yes"), truth, predicted, positive=1)
    >>> right_and_wrong(sample, (0, 1))  # wrong and right; the second alone is right about two items
    array([[0, 2],
           [0, 2]])
    """
    first, second = (sample.right[:, system].astype(np.int64) for system in systems)
    return np.bincount(2 * first + second, sample.counts, 4).astype(np.int64).reshape(2, 2)


#: All swaps are gone through where they give at most so many different tables.
MOST_COMBINATIONS = 1 << 16
# Throws drawn at a time. Part of the result: blocks use up the seed in turn.
_BLOCK = 1 << 20


class Differing(NamedTuple):
    """Items that two systems predict differently, grouped by truth, the two predictions and weight.

    `table` has one system and a row of counts for what is swapped and what is not: first the cells of items that both
    predict the same, then the items with one prediction, then those with the other. `same` is what the first holds,
    `items` how many items there are in each group, `observed` for how many of them the first system has the one.
    """

    table: LabelSample
    same: Floats
    items: Ints
    observed: Ints

    @classmethod
    def of(cls, sample: LabelSample) -> Differing:
        """Group what a sample of two systems holds."""
        size = len(sample.labels)
        first, second = sample.predicted.T
        differs = first != second
        weight = np.ones(len(first)) if sample.weight is None else sample.weight
        agreed = sample.truth[~differs] * size + first[~differs]
        cells, place = np.unique(agreed, return_inverse=True)
        same: Floats = np.bincount(place.ravel(), (sample.counts * weight)[~differs], len(cells)).astype(np.float64)
        low, high = np.minimum(first, second)[differs], np.maximum(first, second)[differs]
        keys = np.column_stack([sample.truth[differs], low, high, weight[differs]])
        groups, place = np.unique(keys, axis=0, return_inverse=True)
        counts = sample.counts[differs]
        ones = first[differs] == low
        items = np.bincount(place.ravel(), counts, len(groups)).astype(np.int64)
        observed = np.bincount(place.ravel(), counts * ones, len(groups)).astype(np.int64)
        truth, low, high = groups[:, :3].astype(np.int64).T
        table = replace(
            sample,
            truth=np.concatenate([cells // size, truth, truth]),
            predicted=np.concatenate([cells % size, low, high])[:, None],
            weight=np.concatenate([np.ones(len(cells)), groups[:, 3], groups[:, 3]]),
            counts=np.concatenate([same, observed, items - observed]).astype(np.int64),
            pattern=np.empty(0, np.int64),
        )
        return cls(table, same, items, observed)

    def differences(self, heads: Ints) -> Floats:
        """The second system's number less the first one's, where the first has the one so often (rows of groups)."""
        same = np.broadcast_to(self.same, (len(heads), len(self.same)))
        there = self.items - heads
        here = heads
        first, second = (self.table.of(np.hstack([same, *both]))[:, 0] for both in ((here, there), (there, here)))
        return second - first


def swap_test(
    sample: LabelSample, *, resamples: int = 100_000, seed: int = 0, alternative: Alternative = "two-sided"
) -> Outcome:
    """Test whether two systems' label measure differs, by swapping their predictions item by item.

    The p-value is exact where the swaps give at most 65,536 different tables; otherwise swaps are drawn, and what was
    observed counts as one more draw: p = (b + 1) / (n + 1).

    >>> from assay.measures import parse_measure
    >>> truth, predicted = np.ones(5, int), np.column_stack([np.zeros(5, int), np.ones(5, int)])
    >>> sample = LabelSample.of_items(parse_measure("Recall", "binary"), (0, 1), truth, predicted, positive=1)
    >>> swap_test(sample)  # 2 of the 2^5 ways to swap
    Outcome(test='swap', statistic=1.0, p=0.0625, resamples=None, note='exact: all swaps of 5 items', sign=None)
    """
    differing = Differing.of(sample)
    items = int(differing.items.sum())
    if not items:
        return Outcome.of_no_difference("swap")
    observed = float(differing.differences(differing.observed[None])[0])
    if np.isnan(observed):
        return Outcome("swap", observed, np.nan, None, NO_DIFFERENCE)
    reach = ROUNDING * max(float(np.nanmax(np.abs(sample.observed), initial=0.0)), np.finfo(np.float64).tiny)
    if np.log(differing.items + 1.0).sum() <= np.log(MOST_COMBINATIONS):
        heads, chances = _every(differing.items)
        p = float(chances[_as_extreme(differing.differences(heads), observed, reach, alternative)].sum())
        return Outcome("swap", observed, min(1.0, p), None, f"exact: all swaps of {number_of('item', items)}")
    extreme = 0
    for heads in _drawn(differing.items, resamples, seed):
        extreme += int(np.count_nonzero(_as_extreme(differing.differences(heads), observed, reach, alternative)))
    note = f"{resamples:,} random swaps of {number_of('item', items)}"
    return Outcome("swap", observed, (extreme + 1) / (resamples + 1), resamples, note)


def _as_extreme(swapped: Floats, observed: float, reach: float, alternative: Alternative) -> NDArray[np.bool_]:
    # What is undefined once it is swapped is no evidence against the null: it counts as extreme.
    return np.isnan(swapped - observed) | as_extreme(swapped, observed, reach, alternative)


def _every(items: Ints) -> tuple[Ints, Floats]:
    """Every combination of numbers of heads, and its chance."""
    number = np.arange(int(np.prod(items + 1)))
    heads = np.column_stack(np.unravel_index(number, tuple(items + 1)))
    ways = special.gammaln(items + 1) - special.gammaln(heads + 1) - special.gammaln(items - heads + 1)
    chances = np.exp((ways - items * np.log(2)).sum(axis=1))
    return heads, chances / chances.sum()


def _drawn(items: Ints, resamples: int, seed: int) -> Iterator[Ints]:
    """Random numbers of heads, a row a resample, block by block."""
    rng = np.random.default_rng(seed)
    rows = max(1, _BLOCK // len(items))
    for start in range(0, resamples, rows):
        yield rng.binomial(items, 0.5, size=(min(rows, resamples - start), len(items)))


def is_share_right(measure: Measure, labels: int) -> bool:
    """True if a measure is the share of items that are labelled rightly, or wrongly.

    With more than two labels, an average of classes' accuracies is another number.

    >>> from assay.measures import parse_measure
    >>> is_share_right(parse_measure("Accuracy", "binary"), 2), is_share_right(parse_measure("F", "binary"), 2)
    (True, False)
    """
    averaged = "average" in measure.parameters and labels > 2
    return measure.name in {"Accuracy", "ErrorRate"} and not averaged
