"""Documents of chosen thresholds: what each rule takes, what that counts, and how sure one can be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.core.digits import ABOVE_ALL, NOT_AVAILABLE, as_level, as_percent, counted, in_full, number, threshold
from assay.core.errors import number_of
from assay.measures import registered
from assay.show.model import Column, Document, Section, Table
from assay.subjects.labels.thresholds.result import SHOWN, Thresholds
from assay.verbs.sections.estimates import prose_section

if TYPE_CHECKING:
    from assay.measures.counting.judgments import Floats
    from assay.subjects.labels.thresholds.result import ChoiceSettings, ChosenThreshold, ThresholdTable

#: The four cells as columns.
CELLS = {name: Column(name, name.upper(), "count") for name in ("tp", "fp", "fn", "tn")}
_MOST_TIED = 5
_POSITIVE = "Positive is predicted where the score is at least the threshold."


def several(result: Thresholds) -> Document:
    """The choice of each rule, and its counts."""
    title = _title("Thresholds", result.settings)
    words = [_ties(result), *_about(result.settings)]
    words += [f"{each.rule}: NA, {each.undefined}." for each in result.chosen if each.undefined is not None]
    words += _no_spread(result.chosen)
    choices = Section("thresholds", parts=(_choices(result, title), _counts(result)), data=_data(*result.chosen))
    return Document("thresholds", (choices, *_recommendation(result), *_closing(result, words)), title)


def chosen(result: ChosenThreshold) -> Document:
    """The choice of one rule, its counts, and all measures there."""
    alone = Thresholds((result,), result.settings)
    title = _title("Threshold", result.settings)
    data = _data(result)
    tables = [_choices(alone, title)]
    if result.is_chosen:
        tables += [_counts(alone), _measures(result)]
        data |= {"counts": {name: result.row()[name] for name in CELLS}, "measures": result.measures.to_dicts()}
    choice = Section("thresholds", parts=tuple(tables), data=data)
    return Document("chosen_threshold", (choice, *_closing(result, _meaning(result))), title)


def every(result: ThresholdTable) -> Document:
    """One row for each threshold; how many items there are, the area below, and what was left out."""
    values = result.frame["threshold"].to_numpy()
    texts = map(threshold, values.tolist(), _next_lower(result.scores, values))
    frame = result.frame.with_columns(text=pl.Series(list(texts), dtype=pl.String))
    rates = (Column(name, title, "number") for name, title in (("tpr", "TPR"), ("fpr", "FPR"), ("accuracy", "ACC")))
    last = frame.row(frame.height - 1, named=True)
    total = last["tp"] + last["fp"]
    items = number_of("item", total) if isinstance(total, int) else f"items of weight {counted(total)}"
    lines = [f"{result.system}: {items}, {counted(last['tp'])} positive; AUC {number(result.auc)}. {_POSITIVE}"]
    if len(result.scores) > frame.height:
        lines.append(f"{frame.height:,} of {len(result.scores):,} thresholds, evenly spaced.")
    table = Table("rows", frame, (Column("text", "threshold"), *CELLS.values(), *rates))
    data = {"system": result.system, "auc": result.auc, "of": len(result.scores)}
    sections = (
        Section("thresholds", parts=(table,)),
        prose_section("basis", lines, data),
        prose_section("warnings", result.warnings),
    )
    return Document("threshold_table", sections, "Thresholds")


def _recommendation(result: Thresholds) -> Iterator[Section]:
    """Of several rules, the one threshold to start with."""
    advice = result.recommendation
    if advice is None or len(result) == 1:
        return
    text = threshold_text(result[advice.rule], advice.threshold)
    line = f"Recommended: {text}, by {advice.rule}: {advice.reason}."
    data = {"rule": str(advice.rule), "threshold": advice.threshold, "reason": advice.reason}
    yield prose_section("recommendation", [line], data)


def _data(*choices: ChosenThreshold) -> dict[str, Any]:
    """All that is known of choices."""
    rows = []
    for choice in choices:
        measures = choice.measures.rows()
        row = choice.row() | {"above_all_scores": choice.is_above_all}
        row["measures"] = {name: value for name, value, _ in measures}
        row["undefined_measures"] = {name: reason for name, _, reason in measures if reason is not None}
        rows.append(row)
    return {"thresholds": rows}


def _closing(result: Thresholds | ChosenThreshold, words: Iterable[str]) -> Iterator[Section]:
    """The meaning and the basis of the numbers, and what is odd about them."""
    positive = result.settings.positive
    plain = positive if isinstance(positive, str | int | float | bool | None) else str(positive)
    settings = asdict(result.settings) | {"positive": plain, "predicted_positive": "score >= threshold"}
    yield prose_section("meaning", words, settings)
    yield prose_section("warnings", result.warnings)


def _choices(result: Thresholds, title: str) -> Table:
    level = as_level(result.settings.confidence)
    resampled = result.settings.resamples > 0
    texts = [(threshold_text(each, each.threshold), _where(each), " *" if each.tied else "") for each in result.chosen]
    columns = (
        Column("rule"),
        Column("text", "threshold", "words", also="mark"),
        *([Column("where", f"{level} of resamples", "words")] if resampled else []),
        Column("criterion", kind="words"),
        Column("value", kind="number"),
        *([Column("corrected", kind="number")] if resampled and result.settings.judged_on is None else []),
        *([Column("value", f"{level} interval", "interval", ends=("value_low", "value_high"))] if resampled else []),
    )
    frame = result.to_frame().hstack(pl.DataFrame(texts, schema=["text", "where", "mark"], orient="row"))
    return Table("thresholds", frame, columns, title)


def _counts(result: Thresholds) -> Table:
    values = {name: [each.value_of(name) for each in result.chosen] for name in SHOWN}
    frame = (
        result.to_frame().select("rule", *CELLS).with_columns(**{name: pl.Series(of) for name, of in values.items()})
    )
    rates = (Column(name, title, "number") for name, title in SHOWN.items())
    caption = "What it counts" if len(result) == 1 else "What they count"
    caption += "" if result.settings.judged_on is None else f" on {result.settings.judged_on}"
    return Table("counts", frame, (Column("rule"), *CELLS.values(), *rates), caption)


def _measures(result: ChosenThreshold) -> Table:
    """All measures at the threshold; counts are whole numbers."""
    frame = result.measures.with_columns(text=pl.Series([_value(*row[:2]) for row in result.measures.rows()]))
    return Table("measures", frame, (Column("measure"), Column("text", "value", "words")), "Measures there")


def _value(name: str, value: float | None) -> str:
    if value is None:
        return NOT_AVAILABLE
    return counted(value) if registered("binary")[name].definition.summary == "sum" else number(value)


def _meaning(result: ChosenThreshold) -> Iterator[str]:
    """The meaning of the rule, of ties, and the reasons why measures have no value."""
    yield f"{result.rule.name}: {result.rule.definition.says}"
    if result.undefined is not None:
        yield f"NA: {result.undefined}."
        return
    if result.tied:
        yield _tie(result)
    yield from _about(result.settings)
    if not math.isnan(result.kept):
        yield (
            f"bound kept: {as_percent(result.kept)} of the thresholds that resamples choose keep the bound on all "
            "items: an optimistic estimate of how often it holds on new data."
        )
    yield from _no_spread((result,))
    reasons: dict[str, list[str]] = {}
    for name, _, reason in result.measures.rows():
        if reason is not None:
            reasons.setdefault(reason, []).append(name)
    yield from (f"{', '.join(names)}: NA, {reason}." for reason, names in reasons.items())


def threshold_text(result: ChosenThreshold, value: float) -> str:
    """A threshold among the scores that one was chosen from; what was given, as it was given."""
    if result.rule.is_given and math.isfinite(value):
        return in_full(value)
    return threshold(value, _next_lower(result.scores, np.array([value]))[0])


def _next_lower(scores: Floats, values: Floats) -> list[float]:
    """The highest score below each number, of scores that descend; minus infinity if there is none."""
    places = np.searchsorted(-scores, -values, side="right")
    below: list[float] = np.append(scores, -math.inf)[places].tolist()
    return below


def _where(result: ChosenThreshold) -> str:
    """The range of thresholds that resamples choose."""
    if math.isnan(result.interval.low):
        return NOT_AVAILABLE
    low, high = (threshold_text(result, end) for end in (result.interval.low, result.interval.high))
    return f"{low} to {high}".replace(ABOVE_ALL, "above all")


def _ties(result: Thresholds) -> str:
    tied = [each for each in result.chosen if each.tied]
    if not tied:
        return "No ties (of equally good thresholds, the highest would be chosen)."
    return "* " + " ".join(f"{each.rule}: {_tie(each)}" for each in tied)


def _tie(result: ChosenThreshold) -> str:
    listed = ", ".join(threshold_text(result, value) for value in result.tied[:_MOST_TIED])
    more = f" and {len(result.tied) - _MOST_TIED:,} more" if len(result.tied) > _MOST_TIED else ""
    return f"{listed}{more} would do as well; of equals the highest threshold is chosen."


def _about(settings: ChoiceSettings) -> Iterator[str]:
    yield _POSITIVE
    what = "the items" if settings.groups is None else f"{number_of('group', settings.groups)} of items"
    resamples = f"{settings.resamples:,} resamples of {what}, seed {settings.seed}"
    if settings.resamples and settings.judged_on is not None:
        yield f"Chosen on these data, judged on {settings.judged_on}; {resamples}."
    elif settings.resamples:
        gain = f"corrected: the criterion less what choosing gains by chance, estimated from {resamples}"
        yield f"{gain}; the interval is corrected, too."


def _no_spread(choices: tuple[ChosenThreshold, ...]) -> Iterator[str]:
    """Criteria without an interval, and the reasons."""
    alike = [
        str(each.rule)
        for each in choices
        if each.settings.resamples and not math.isnan(each.value) and not each.value_interval.is_known
    ]
    if alike:
        yield f"{', '.join(alike)}: no interval, as all resamples give the same number."


def _title(what: str, settings: ChoiceSettings) -> str:
    is_named = settings.positive is not None and not isinstance(settings.positive, bool)
    return f"{what} of {settings.system}" + (f", positive: {settings.positive}" if is_named else "")
