"""Which of all thresholds a rule chooses, and how that varies with the items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from assay.counting.judgments import Floats, Ints, Mask
from assay.errors import ParameterError, did_you_mean
from assay.stats.bootstrap import Interval
from assay.thresholding.cells import Candidates, Cells
from assay.thresholding.registry import ROUNDING, Rule, Wanted

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
    if ties not in get_args(Ties):
        raise ParameterError(
            f"ties is one of {', '.join(get_args(Ties))}, not {ties!r}{did_you_mean(ties, get_args(Ties))}"
        )


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
        reason = _reason(wanted, candidates.cells) if np.isnan(wanted.value[place]) else None
        return Choice(place, float(wanted.value[place]), np.array([], dtype=np.int64), reason)
    best = _best(wanted, rule.definition.smallest, None)
    if not best.any():
        return Choice(-1, np.nan, np.array([], dtype=np.int64), _reason(wanted, candidates.cells))
    places = np.flatnonzero(best)
    place = int(places[0 if ties == "higher" else -1])
    return Choice(place, float(wanted.value[place]), places[places != place], None)


def _best(wanted: Wanted, smallest: bool, occurs: Mask | None) -> Mask:
    """The thresholds with the best criterion; of those with the same, the ones that have most of what is bounded.

    Two numbers that differ by rounding are the same.
    """
    value = -wanted.value if smallest else wanted.value
    if wanted.bound is not None:
        value = np.where(wanted.bound.kept(), value, np.nan)
    if occurs is not None:
        value = np.where(occurs, value, np.nan)
    best = _largest(value, wanted.scale)
    if wanted.bound is not None and not wanted.bound.at_most:
        best = _largest(np.where(best, wanted.bound.quantity, np.nan), 1.0)
    return best


def _largest(value: Floats, scale: float) -> Mask:
    """Where the largest of the numbers stand, by row; nowhere, if there are none."""
    return np.asarray(value >= np.fmax.reduce(value, axis=-1, keepdims=True) - ROUNDING * scale)


def _reason(wanted: Wanted, cells: Cells) -> str:
    """Why no threshold can be chosen."""
    if np.isnan(wanted.value).all() or (wanted.bound is not None and np.isnan(wanted.bound.quantity).all()):
        for kind in ("positive", "negative"):
            if not np.any(getattr(cells, f"{kind}s") > 0):
                return f"there is no {kind} item"
        return "the criterion is undefined at every threshold"
    if wanted.bound is None:
        return "the criterion is undefined at this threshold"
    known = wanted.bound.quantity[~np.isnan(wanted.bound.quantity)]
    most = "" if not len(known) else f": {known.max():.4g} is the most"
    return f"no threshold has {wanted.bound}{most}"


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
    found: list[list[tuple[Ints, Floats, Floats]]] = [[] for _ in rules]
    for cells in candidates.drawn(resamples, seed):
        rows = np.arange(len(cells.tp))
        for rule, choice, parts in zip(rules, choices, found, strict=True):
            wanted = rule.of(cells)
            if rule.is_given:
                place = np.full(len(rows), choice.place)
            else:
                # The highest of equals occurs among the items drawn: a score that does not, counts as the one above.
                best = _best(wanted, rule.definition.smallest, None if ties == "higher" else cells.occur())
                last = best.shape[1] - 1
                place = best.argmax(axis=1) if ties == "higher" else last - best[:, ::-1].argmax(axis=1)
                place = np.where(best[rows, place], place, -1)
            value = np.where(place >= 0, wanted.value[rows, place], np.nan)
            parts.append(
                (place, value, wanted.value[:, choice.place] if choice.place >= 0 else np.full(len(rows), np.nan))
            )
        if watch is not None:
            watch(len(rows))
    drawn = []
    for wanted, keeps, parts in zip(observed, kept, found, strict=True):
        place, value, fixed = (np.concatenate([part[column] for part in parts]) for column in range(3))
        on_all = np.where(place >= 0, wanted.value[place], np.nan)
        holds = None if keeps is None else keeps[place] & (place >= 0)
        drawn.append(Drawn(place.astype(np.int64), value, on_all, fixed, holds))
    return drawn


def interval_of_threshold(drawn: Drawn, threshold: Floats, confidence: float) -> Interval:
    """Where the middle of the thresholds chosen in resamples lies; both ends are scores that occur, or infinity."""
    known = np.sort(threshold[drawn.place[drawn.place >= 0]])
    if not len(known):
        return Interval(np.nan, np.nan, confidence, "percentile")
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    low, high = known[np.clip(np.ceil(tails * len(known)).astype(int) - 1, 0, len(known) - 1)]
    return Interval(float(low), float(high), confidence, "percentile")


def optimism(drawn: Drawn) -> float:
    """How much better a criterion looks on the items it was chosen on than on others, on average over resamples.

    A threshold is chosen on each resample and looked at there and on all items (Efron and Gong 1983).
    """
    gained = drawn.value - drawn.on_all
    known = gained[~np.isnan(gained)]
    return float(known.mean()) if len(known) else np.nan
