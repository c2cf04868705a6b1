"""Which of all thresholds a rule chooses, and how that varies with the items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from assay.core import domains
from assay.counting.judgments import Floats, Ints, Mask
from assay.stats.bootstrap import Interval
from assay.stats.rounding import ROUNDING
from assay.thresholding.cells import Candidates, Cells
from assay.thresholding.registry import Rule, Wanted, in_full

#: Which of several thresholds with the same criterion is taken.
Ties: TypeAlias = Literal["higher", "lower"]


class Choice(NamedTuple):
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


def check_ties(ties: str) -> None:
    """Refuse an unknown rule for ties."""
    domains.Choice(Ties).check("ties", ties)


def chosen(rule: Rule, candidates: Candidates, ties: Ties = "higher") -> Choice:
    """Choose a threshold among all candidates.

    >>> from assay.counting.scored import Scored
    >>> from assay.thresholding.rules import max_accuracy
    >>> chosen(max_accuracy, Candidates(Scored.from_lists(positive=[0.9, 0.8], negative=[0.7]))).place
    2
    """
    wanted = rule.of(candidates.cells)
    if rule.is_given:
        place = candidates.place(rule.parameters["threshold"])
        why = reason(wanted, candidates.cells) if np.isnan(wanted.value[place]) else None
        return Choice(place, float(wanted.value[place]), np.array([], dtype=np.int64), why)
    best = _best(wanted, rule.definition.smallest)
    if not best.any():
        return Choice(-1, np.nan, np.array([], dtype=np.int64), reason(wanted, candidates.cells))
    places = np.flatnonzero(best)
    place = int(places[0 if ties == "higher" else -1])
    return Choice(place, float(wanted.value[place]), places[places != place], None)


def _best(wanted: Wanted, smallest: bool) -> Mask:
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


def reason(wanted: Wanted, cells: Cells) -> str:
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
    short = f"{known.max():.4g}"  # all digits where these few would reach the bound
    most = short if float(short) < wanted.bound.limit else in_full(known.max())
    return f"no threshold has {wanted.bound}: {most} is the most"


def redrawn(
    rules: Sequence[Rule],
    choices: Sequence[Choice],
    candidates: Candidates,
    *,
    resamples: int,
    seed: int,
    ties: Ties,
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
            _chosen_again(rule, tables[id(candidates)], candidates, ties)
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


def _chosen_again(rule: Rule, cells: Cells, among: Ints, ties: Ties) -> tuple[Ints, Floats]:
    """The place that a rule chooses in each resample, of these, and the criterion there."""
    wanted = rule.of(cells)
    rows, last = np.arange(len(cells.tp)), len(among) - 1
    best = _best(wanted, rule.definition.smallest)
    column = best.argmax(axis=1) if ties == "higher" else last - best[:, ::-1].argmax(axis=1)
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
