"""Chosen thresholds for people: what each rule takes, what that counts, and how sure one can be."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from assay.core.digits import NOT_AVAILABLE, as_level, as_percent, counted, number
from assay.core.errors import number_of
from assay.counting.judgments import Floats
from assay.measures import registered
from assay.report.layout import ABOVE_ALL, Cell, Table, threshold
from assay.report.titled import Titled
from assay.stats.bootstrap import Interval

if TYPE_CHECKING:
    from assay.thresholding.result import ChosenThreshold, Made, Thresholds
    from assay.thresholding.table import ThresholdTable

#: What is shown of all measures where there are several rules.
_SHOWN = ("Recall", "Specificity", "Precision", "F", "Accuracy")
_MOST_TIED = 5


def tables(found: Thresholds) -> list[Titled]:
    """What each rule chooses, and what that counts."""
    title = f"Thresholds of {found.made.system}" + (f", positive: {found.made.positive}" if _named(found.made) else "")
    counted = "What they count" if found.made.judged_on is None else f"What they count on {found.made.judged_on}"
    return [Titled(title, _choices(found)), Titled(counted, _counts(found))]


def lines(found: Thresholds) -> list[str]:
    """What the columns mean."""
    return [_how_ties(found), *_about(found.made), *_reasons(found.chosen), *_no_spread(found.chosen)]


def tables_of_one(one: ChosenThreshold) -> list[Titled]:
    """The threshold, what it counts, and all measures."""
    rows = [(("threshold",), (Cell(shown(one, one.threshold)),))]
    if not math.isnan(one.interval.low):
        rows.append((("  where it may lie",), (Cell(_where(one)),)))
    if one.is_chosen:
        rows.append(((one.rule.criterion,), (Cell(number(one.value)),)))
    if not math.isnan(one.corrected):
        rows.append((("  corrected",), (Cell(number(one.corrected)),)))
    if one.value_interval.is_known:
        rows.append((("  interval",), (Cell(span(one.value_interval)),)))
    if not math.isnan(one.kept):
        rows.append((("  bound kept",), (Cell(as_percent(one.kept)),)))
    head = Table((str(one.rule),), ("",), tuple(rows))
    if not one.is_chosen:
        return [Titled("", head)]
    measured = tuple(((name,), (Cell(_value(name, value)),)) for name, value, _ in one.measures.rows())
    counted = "What it counts" if one.made.judged_on is None else f"What it counts on {one.made.judged_on}"
    return [
        Titled("", head),
        Titled(counted, _matrix(one)),
        Titled("Measures there", Table(("measure",), ("value",), measured)),
    ]


def _matrix(one: ChosenThreshold) -> Table:
    """The four cells, truth down the side."""
    positive = str(one.made.positive) if _named(one.made) else "positive"
    counts = one.confusion
    tp, fp, fn, tn = (
        counted(cell[0]) if cell is not None else "" for cell in (counts.tp, counts.fp, counts.fn, counts.tn)
    )
    rows = (((positive,), (Cell(f"TP {tp}"), Cell(f"FN {fn}"))), (("otherwise",), (Cell(f"FP {fp}"), Cell(f"TN {tn}"))))
    return Table(("truth",), (f"predicted {positive}", "predicted otherwise"), rows)


def lines_of_one(one: ChosenThreshold) -> list[str]:
    """What the rule does, what ties, and why measures have no value."""
    said = [f"{one.rule.name}: {one.rule.definition.says}"]
    if one.undefined is not None:
        return [*said, f"NA: {one.undefined}."]
    if one.tied:
        said.append(_tie(one))
    said += _about(one.made)
    if not math.isnan(one.kept):
        said.append(_kept(one))
    reasons: dict[str, list[str]] = {}
    for name, _, reason in one.measures.rows():
        if reason is not None:
            reasons.setdefault(reason, []).append(name)
    said += _no_spread((one,))
    return [*said, *(f"{', '.join(names)}: NA, {reason}." for reason, names in reasons.items())]


def whole_table(found: ThresholdTable) -> list[Titled]:
    """One row a threshold."""
    numbers = ("TP", "FP", "FN", "TN", "TPR", "FPR", "ACC")
    rows = []
    for row in found.frame.rows():
        counts = map(counted, row[1:5])
        rates = [NOT_AVAILABLE if rate is None else number(rate) for rate in row[5:8]]
        said = threshold(row[0], next_lower(found.scores, row[0]))
        rows.append(((said,), tuple(map(Cell, (*counts, *rates)))))
    return [Titled("", Table(("threshold",), numbers, tuple(rows)))]


def lines_of_table(found: ThresholdTable) -> list[str]:
    """How many items there are, the area below, and what was left out."""
    last = found.frame.row(found.frame.height - 1, named=True)
    total = last["tp"] + last["fp"]
    items = number_of("item", total) if isinstance(total, int) else f"items of weight {counted(total)}"
    said = [
        f"{found.system}: {items}, {counted(last['tp'])} positive; AUC {number(found.auc)}. "
        "Positive is predicted where the score is at least the threshold."
    ]
    if len(found.scores) > found.frame.height:
        said.append(f"{found.frame.height:,} of {len(found.scores):,} thresholds, evenly spaced.")
    return said


def shown(one: ChosenThreshold, value: float) -> str:
    """A threshold among the scores that one was chosen from; what was given, as it was given."""
    if one.rule.is_given and math.isfinite(value):
        return repr(value).removesuffix(".0")
    return threshold(value, next_lower(one.scores, value))


def next_lower(scores: Floats, value: float) -> float:
    """The highest score below a number, of scores that descend; none is below the lowest.

    >>> next_lower(np.array([np.inf, 0.9, 0.2]), 0.9), next_lower(np.array([np.inf, 0.9, 0.2]), 0.2)
    (0.2, -inf)
    """
    place = int(np.searchsorted(-scores, -value, side="right"))
    return float(scores[place]) if place < len(scores) else -math.inf


def _where(one: ChosenThreshold) -> str:
    """Where thresholds lie that resamples choose."""
    return span(one.interval, lambda value: shown(one, value))


def span(interval: Interval, written: Callable[[float], str] = number) -> str:
    """Both ends of an interval."""
    if math.isnan(interval.low):
        return NOT_AVAILABLE
    return f"{written(interval.low)} to {written(interval.high)}".replace(ABOVE_ALL, "above all")


def _choices(found: Thresholds) -> Table:
    level = as_level(found.made.confidence)
    drawn = found.made.resamples > 0
    same = found.made.judged_on is None
    numbers = ["threshold", *([f"{level} of resamples"] if drawn else []), "criterion", "value"]
    numbers += ["corrected"] if drawn and same else []
    numbers += [f"{level} interval"] if drawn else []
    rows = []
    for one in found.chosen:
        cells = [shown(one, one.threshold) + (" *" if one.tied else "")]
        cells += [_where(one)] if drawn else []
        cells += [one.rule.criterion, number(one.value)]
        cells += [number(one.corrected)] if drawn and same else []
        cells += [span(one.value_interval)] if drawn else []
        rows.append(((str(one.rule),), tuple(map(Cell, cells))))
    return Table(("rule",), tuple(numbers), tuple(rows))


def _counts(found: Thresholds) -> Table:
    rows = []
    for one in found.chosen:
        counts = one.confusion
        cells = [counts.tp, counts.fp, counts.fn, counts.tn]
        texts = [counted(cell[0]) if cell is not None and one.is_chosen else NOT_AVAILABLE for cell in cells]
        texts += [number(one.value_of(name)) for name in _SHOWN]
        rows.append(((str(one.rule),), tuple(map(Cell, texts))))
    return Table(("rule",), ("TP", "FP", "FN", "TN", "TPR", "TNR", "precision", "F1", "accuracy"), tuple(rows))


def _how_ties(found: Thresholds) -> str:
    tied = [one for one in found.chosen if one.tied]
    if not tied:
        return f"No ties; of thresholds with the same criterion the {found.made.ties} one would be taken."
    return "* " + " ".join(f"{one.rule}: {_tie(one)}" for one in tied)


def _tie(one: ChosenThreshold) -> str:
    listed = ", ".join(shown(one, value) for value in one.tied[:_MOST_TIED])
    more = f" and {len(one.tied) - _MOST_TIED:,} more" if len(one.tied) > _MOST_TIED else ""
    return f"{listed}{more} would do as well; of equals the {one.made.ties} threshold is taken."


def _about(made: Made) -> list[str]:
    said = ["Positive is predicted where the score is at least the threshold."]
    if not made.resamples:
        return said
    drawn = f"{made.resamples:,} resamples of the items, seed {made.seed}"
    if made.judged_on is not None:
        return [*said, f"Chosen on these data, judged on {made.judged_on}; {drawn}."]
    return [
        *said,
        f"corrected: the criterion less what choosing gains by chance, from {drawn}; the interval allows for it, too.",
    ]


def _kept(one: ChosenThreshold) -> str:
    return (
        f"bound kept: {as_percent(one.kept)} of the thresholds that resamples choose keep the bound on all items: how "
        "often it holds on new data, seen optimistically."
    )


def _reasons(chosen: tuple[ChosenThreshold, ...]) -> list[str]:
    return [f"{one.rule}: NA, {one.undefined}." for one in chosen if one.undefined is not None]


def _no_spread(chosen: tuple[ChosenThreshold, ...]) -> list[str]:
    """Which criteria have no interval, and why."""
    none = [
        str(one.rule)
        for one in chosen
        if one.made.resamples and one.is_chosen and not math.isnan(one.value) and not one.value_interval.is_known
    ]
    return [f"{', '.join(none)}: no interval, as all resamples give the same number."] if none else []


def _named(made: Made) -> bool:
    return made.positive is not None and not isinstance(made.positive, bool)


def _value(name: str, value: float | None) -> str:
    if value is None:
        return NOT_AVAILABLE
    return counted(value) if registered("binary")[name].definition.summary == "sum" else number(value)
