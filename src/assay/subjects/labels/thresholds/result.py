"""A threshold chosen by a rule, how far it varies with the items, and what it gives on other items."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.errors import ParameterError, did_you_mean, listed
from assay.core.results import Result
from assay.measures import parse_measure, registered
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.judgments import Floats, Ints, Mask
from assay.stats.bootstrap import Interval
from assay.stats.estimates import ROUNDING
from assay.subjects.labels.thresholds.rules import Candidates, Objective, Rule, ThresholdCells

if TYPE_CHECKING:
    from collections.abc import Iterator


class RuleChoice(NamedTuple):
    """The place of the chosen threshold in the table (-1: none), what the rule saw there, and all places that tie."""

    place: int
    value: float
    tied: Ints
    undefined: str | None


class Drawn(NamedTuple):
    """What a rule chose in each resample (place), the criterion there, and that threshold on all items as they are.

    `fixed` is the criterion of the threshold that was chosen on all items, in each resample; `kept` says whether what
    was chosen in a resample keeps the rule's bound on all items, if it has one.
    """

    place: Ints
    value: Floats
    on_all: Floats
    fixed: Floats
    kept: Mask | None


def chosen(rule: Rule, candidates: Candidates) -> RuleChoice:
    """Choose a threshold among all candidates: of equals, the highest.

    >>> from assay.measures.counting.scored import Scored
    >>> from assay.subjects.labels.thresholds.rules import max_accuracy
    >>> chosen(max_accuracy, Candidates(Scored.from_lists(positive=[0.9, 0.8], negative=[0.7]))).place
    2
    """
    wanted = rule.of(candidates.cells)
    if rule.is_given:
        place = candidates.place(rule.parameters["threshold"])
        why = reason(wanted, candidates.cells) if np.isnan(wanted.value[place]) else None
        return RuleChoice(place, float(wanted.value[place]), np.array([], dtype=np.int64), why)
    best = _best(wanted, rule.definition.smallest)
    if not best.any():
        return RuleChoice(-1, np.nan, np.array([], dtype=np.int64), reason(wanted, candidates.cells))
    places = np.flatnonzero(best)
    place = int(places[0])
    return RuleChoice(place, float(wanted.value[place]), places[1:], None)


def _best(wanted: Objective, smallest: bool) -> Mask:
    """The thresholds with the best criterion; of those with the same, the ones that have most of what is bounded.

    Two numbers that differ by rounding are the same.
    """
    value = wanted.eligible()
    best = _largest(-value if smallest else value, wanted.scale)
    if wanted.bound is not None and not wanted.bound.at_most:
        best = _largest(np.where(best, wanted.bound.quantity, np.nan), 1.0)
    return best


def _largest(value: Floats, scale: float) -> Mask:
    """Where the largest of the numbers stand, by row; nowhere, if there are none."""
    return np.asarray(value >= np.fmax.reduce(value, axis=-1, keepdims=True) - ROUNDING * scale)


def reason(wanted: Objective, cells: ThresholdCells) -> str:
    """Why no threshold can be chosen."""
    cannot = np.isnan(wanted.value).all() or not np.any(wanted.possible)
    if cannot or (wanted.bound is not None and np.isnan(wanted.bound.quantity).all()):
        for kind in ("positive", "negative"):
            if not np.any(getattr(cells, f"{kind}s") > 0):
                return f"there is no {kind} item"
        return "the criterion is undefined at every threshold"
    if wanted.bound is None:
        return "the criterion is undefined at this threshold"
    known = wanted.bound.quantity[~np.isnan(wanted.bound.quantity)]
    if not len(known):
        return f"no threshold has {wanted.bound}"
    return f"no threshold has {wanted.bound}: {known.max():.6g} is the most"


def redrawn(
    rules: Sequence[Rule],
    choices: Sequence[RuleChoice],
    candidates: Candidates,
    *,
    resamples: int,
    seed: int,
    watch: Callable[[int], None] | None = None,
) -> list[Drawn]:
    """Choose again with items drawn anew; all rules see the same resamples."""
    observed = [rule.of(candidates.cells) for rule in rules]
    kept = [None if wanted.bound is None else wanted.bound.kept() for wanted in observed]
    every = np.arange(len(candidates.threshold))
    taken = np.array([choice.place for choice in choices])
    among = [
        taken[[at]] if rule.is_given else candidates.corners if wanted.corners else every
        for at, (rule, wanted) in enumerate(zip(rules, observed, strict=True))
    ]
    distinct = {id(candidates): candidates for candidates in among}  # most rules look at the same thresholds
    places, values, fixed = [], [], []
    for block in candidates.drawn(resamples, seed):
        tables = {key: block.cells(candidates) for key, candidates in distinct.items()}
        chosen_again = [
            _chosen_again(rule, tables[id(candidates)], candidates)
            for rule, candidates in zip(rules, among, strict=True)
        ]
        places.append(block.occurring(np.column_stack([place for place, _ in chosen_again])))
        values.append(np.column_stack([value for _, value in chosen_again]))
        there = [rule.of(block.cells(taken[[at]])).value for at, rule in enumerate(rules)]
        fixed.append(np.where(taken >= 0, np.column_stack(there), np.nan))
        if watch is not None:
            watch(len(places[-1]))
    columns = (np.concatenate(column).T for column in (places, values, fixed))
    samples = []
    for wanted, keeps, place, value, at_chosen in zip(observed, kept, *columns, strict=True):
        on_all = np.where(place >= 0, wanted.value[place], np.nan)
        holds = None if keeps is None else keeps[place] & (place >= 0)
        samples.append(Drawn(place, value, on_all, at_chosen, holds))
    return samples


def _chosen_again(rule: Rule, cells: ThresholdCells, among: Ints) -> tuple[Ints, Floats]:
    """The place that a rule chooses in each resample, of these, and the criterion there."""
    wanted = rule.of(cells)
    rows = np.arange(len(cells.tp))
    best = _best(wanted, rule.definition.smallest)
    column = best.argmax(axis=1)
    known = best[rows, column]
    return np.where(known, among[column], -1), np.where(known, wanted.value[rows, column], np.nan)


def interval_of_threshold(sample: Drawn, threshold: Floats, confidence: float) -> Interval:
    """Where the middle of the thresholds chosen in resamples lies; both ends are scores that occur, or infinity."""
    known = np.sort(threshold[sample.place[sample.place >= 0]])
    if not len(known):
        return Interval.unknown(confidence, "percentile")
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    low, high = known[np.clip(np.ceil(tails * len(known)).astype(int) - 1, 0, len(known) - 1)]
    return Interval(float(low), float(high), confidence, "percentile")


def optimism(sample: Drawn) -> float:
    """How much better a criterion looks on the items it was chosen on than on others, on average over resamples.

    A threshold is chosen on each resample and looked at there and on all items (Efron and Gong 1983).
    """
    gained = sample.value - sample.on_all
    known = gained[~np.isnan(gained)]
    return float(known.mean()) if len(known) else np.nan


@dataclass(frozen=True)
class Made:
    """How thresholds were chosen: of which system and label, with which resamples."""

    system: str
    positive: Any
    items: float
    confidence: float
    resamples: int
    seed: int
    judged_on: str | None


@dataclass(frozen=True, eq=False)
class ChosenThreshold(Result):
    """A threshold that a rule chose: positive is predicted from this score on.

    `threshold` is infinite if nothing should be predicted positive, and NaN if no threshold fits (`undefined` says
    why). `value` is the rule's criterion on the data that it is judged on, `confusion` what is counted there. `tied`:
    other thresholds with the same criterion; `scores`: all that could have been chosen, the highest first. `interval`:
    where thresholds lie that are chosen with items drawn anew. `value_interval` and `corrected` allow for the choice,
    if it is judged on the same data: what is chosen to look best looks too good. `kept`: the share of resamples whose
    threshold keeps the rule's bound on all items; NaN without a bound.

    >>> from assay import choose_threshold
    >>> found = choose_threshold([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1], rule="max_accuracy", resamples=0)
    >>> found.threshold, found.value, found.tied, found.confusion.tp
    (0.8, 0.8, (0.6,), array([2]))
    """

    kind = "chosen_threshold"

    rule: Rule
    threshold: float
    value: float
    confusion: Confusion
    tied: tuple[float, ...]
    interval: Interval
    value_interval: Interval
    corrected: float
    kept: float
    scores: Floats
    undefined: str | None
    made: Made
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<ChosenThreshold {self.threshold:g} by {self.rule}>"

    @property
    def notes(self) -> tuple[str, ...]:
        """What the command line says on stderr."""
        return self.warnings

    @property
    def is_chosen(self) -> bool:
        """Whether there is a threshold."""
        return not math.isnan(self.threshold)

    @property
    def is_above_all(self) -> bool:
        """Whether nothing should be predicted positive."""
        return math.isinf(self.threshold) and self.threshold > 0

    @cached_property
    def measures(self) -> pl.DataFrame:
        """All measures of two labels at the threshold: `measure`, `value`, and `undefined`, the reason for a null.

        >>> from assay import choose_threshold
        >>> found = choose_threshold([1, 0], [0.9, 0.1], resamples=0).measures
        >>> found.filter(measure="Recall").rows()
        [('Recall', 1.0, None)]
        """
        rows: list[tuple[str, float | None, str | None]] = []
        for name, measure in registered("binary").items():
            if measure.definition.counts is not Confusion or not measure.suits(self.confusion.unit_kind):
                continue
            if not self.is_chosen:
                rows.append((name, None, self.undefined))
                continue
            result = measure.per_unit(self.confusion)
            value = float(result.values[0])
            rows.append((name, None if math.isnan(value) else value, result.reason(0)))
        schema = {"measure": pl.String, "value": pl.Float64, "undefined": pl.String}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def value_of(self, measure: str) -> float:
        """One measure at the threshold, NaN if it is undefined."""
        if not self.is_chosen:
            return math.nan
        return float(parse_measure(measure, "binary").of(self.confusion)[0])

    def row(self) -> dict[str, Any]:
        """All that is known but the measures, as one row of a table."""
        counts = self.confusion
        cells = {"tp": counts.tp, "fp": counts.fp, "fn": counts.fn, "tn": counts.tn}
        return {
            "rule": str(self.rule),
            "threshold": self.threshold,
            "threshold_low": self.interval.low,
            "threshold_high": self.interval.high,
            "criterion": self.rule.criterion,
            "value": self.value,
            "value_low": self.value_interval.low,
            "value_high": self.value_interval.high,
            "corrected": self.corrected,
            "bound_kept": self.kept,
            **{name: cell[0].item() if cell is not None and self.is_chosen else None for name, cell in cells.items()},
            "tied": list(self.tied),
            "undefined": self.undefined,
        }

    def to_frame(self) -> pl.DataFrame:
        """One row: threshold, interval, criterion, cells; `measures` has all others.

        >>> from assay import choose_threshold
        >>> choose_threshold([1, 0], [0.9, 0.1], resamples=0).to_frame()["threshold"].to_list()
        [0.9]
        """
        return Thresholds((self,), self.made).to_frame()


@dataclass(frozen=True, eq=False)
class Thresholds(Result):
    """What several rules choose from the same scores, a row each.

    >>> from assay import thresholds
    >>> found = thresholds([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1], ["max_accuracy", "max_f"], resamples=0)
    >>> found["max_f"].threshold
    0.6
    """

    kind = "thresholds"

    chosen: tuple[ChosenThreshold, ...]
    made: Made
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Thresholds of {self.made.system}: {', '.join(str(choice.rule) for choice in self.chosen)}>"

    @property
    def notes(self) -> tuple[str, ...]:
        """What the command line says on stderr: all warnings, also those of single rules."""
        return (*self.warnings, *(warning for choice in self.chosen for warning in choice.warnings))

    def __iter__(self) -> Iterator[ChosenThreshold]:
        return iter(self.chosen)

    def __len__(self) -> int:
        return len(self.chosen)

    def __getitem__(self, rule: str | Rule) -> ChosenThreshold:
        """What a rule chose, by its text, or by its name if there is only one such rule."""
        matches = [choice for choice in self.chosen if rule in (choice.rule, str(choice.rule))]
        matches = matches or [choice for choice in self.chosen if choice.rule.name == str(rule)]
        if len(matches) != 1:
            names = [str(choice.rule) for choice in self.chosen]
            raise ParameterError(f"choose a rule of {listed(names)}, not {str(rule)!r}{did_you_mean(str(rule), names)}")
        return replace(matches[0], warnings=(*self.warnings, *matches[0].warnings))

    def to_frame(self) -> pl.DataFrame:
        """One row a rule: threshold, interval, criterion, cells."""
        rows = [choice.row() | {"tied": len(choice.tied)} for choice in self.chosen]
        return pl.DataFrame(rows, infer_schema_length=None).with_columns(pl.col(pl.Float64).fill_nan(None))
