"""A comparison within groups of units that share an attribute, such as short queries and long ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from assay.core.errors import ParameterError, did_you_mean
from assay.files import is_file, read_topics
from assay.measures.counting.judgments import Floats
from assay.stats.corrections import corrected_as_stated, resamples_for
from assay.stats.samples import Drawing, Sample
from assay.stats.tests import SIMULTANEOUS, TESTS
from assay.tables import Topics
from assay.verbs.comparison.findings import Finding, Settings, finding_of

#: The slice of units that the attribute says nothing about.
NONE = "(none)"
#: Numbers with more different values than this are put into quarters.
MOST_NUMBERS = 8


def slices(sample: Sample, first: int, second: int, attribute: Mapping[str, Any]) -> dict[str, Sample]:
    """Split two systems' units by an attribute, given by unit; units that it says nothing about come last.

    Numbers with more than eight different values are put into four groups of about the same size.

    >>> from assay.stats.mean_samples import MeanSample
    >>> values = np.array([[0.5, 0.75], [0.25, 0.25]])
    >>> sample = MeanSample(values, systems=("a", "b"), units=("q1", "q2"), measure="AP")
    >>> {value: part.units for value, part in slices(sample, 0, 1, {"q1": "short"}).items()}
    {'short': ('q1',), '(none)': ('q2',)}
    """
    both = sample.only(first, second)
    if both.part(()) is None:
        raise ParameterError(f"{sample.measure} is made of {sample.made_of}: it has no numbers of units to group")
    labels = _labels([attribute.get(unit) for unit in sample.units])
    named = [label for label in dict.fromkeys(sorted(labels, key=lambda label: label[0])) if label[1] != NONE]
    if not named:
        raise ParameterError("the attribute is known of no unit: there is nothing to group; are these its topics?")
    if len(named) == len(labels) > 1:
        raise ParameterError("every unit has another value of the attribute: there is nothing to group")
    parts = {}
    for label in dict.fromkeys([*named, *(label for label in labels if label[1] == NONE)]):
        part = both.part([row for row, other in enumerate(labels) if other == label])
        if part is not None:
            parts[label[1]] = part
    return parts


def slice_table(parts: Mapping[str, Sample], whole: Finding, settings: Settings) -> pl.DataFrame:
    """One row per slice: units, both numbers, difference, interval, p corrected over the slices, verdict."""
    # What compares all systems at once has nothing to say about two of them on a few units.
    test = settings.test if settings.test in TESTS else None
    correction = "holm" if settings.test in SIMULTANEOUS else settings.correction
    swaps = Drawing(settings.resamples or resamples_for(len(parts), settings.alpha), settings.seed)
    outcomes = [part.test(((0, 1),), test, swaps)[0] for part in parts.values()]
    p = corrected_as_stated(np.array([outcome.p for outcome in outcomes]), correction)
    levels = settings.levels._replace(margin=whole.margin.value)
    rows = [
        {"slice": label}
        | finding_of(part, (0, 1), outcome, value, levels, drawing=settings.drawing, method=settings.bootstrap).row()
        for (label, part), outcome, value in zip(parts.items(), outcomes, p.tolist(), strict=True)
    ]
    values = {"baseline_value": f"value_{whole.baseline}", "value": f"value_{whole.system}"}
    frame = pl.DataFrame(rows, infer_schema_length=None).rename(values)
    return frame.select("slice", "units", *values.values(), "difference", "low", "high", "p", "verdict", "conflict")


def attribute_of(topics: Any, by: str | None = None) -> dict[str, Any]:
    """The attribute of each unit: a column of the topics, or what a dict says.

    >>> frame = pl.DataFrame({"query_id": ["1", "2"], "title": ["tea", "coffee"], "length": ["1", ""]})
    >>> attribute_of(Topics.of(frame), "length")
    {'1': '1', '2': ''}
    """
    if isinstance(topics, Mapping):
        return dict(topics)
    if not isinstance(topics, Topics):
        topics = read_topics(topics) if is_file(topics) else Topics.of(topics)
    known = [column for column in topics.frame.columns if column != topics.key]
    if by not in known:
        hint = did_you_mean(str(by), known)
        raise ParameterError(f"choose an attribute of {', '.join(known)}, not {by!r}{hint}")
    return dict(zip(topics.frame[topics.key].to_list(), topics.frame[by].to_list(), strict=True))


def _labels(values: Sequence[Any]) -> list[tuple[float | str, str]]:
    """What each unit is grouped under: by what groups are sorted, and how it is called."""
    known = [row for row, value in enumerate(values) if not _is_absent(value)]
    numbers = _numbers([values[row] for row in known])
    labels: list[tuple[float | str, str]] = [("" if numbers is None else math.inf, NONE)] * len(values)
    if numbers is None:
        for row in known:
            labels[row] = (str(values[row]), str(values[row]))
        return labels
    if len(np.unique(numbers)) > MOST_NUMBERS:
        group = np.searchsorted(np.quantile(numbers, [0.25, 0.5, 0.75]), numbers, side="left")
    else:
        group = np.unique(numbers, return_inverse=True)[1]
    for row, number in zip(known, group.tolist(), strict=True):
        low, high = numbers[group == number].min(), numbers[group == number].max()
        labels[row] = (float(number), f"{low:g}" if low == high else f"{low:g} to {high:g}")
    return labels


def _is_absent(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _numbers(values: Sequence[Any]) -> Floats | None:
    """The values as numbers, if all of them are; text from a file may be numbers, too."""
    if not values or any(isinstance(value, bool) for value in values):
        return None
    numbers = pl.Series([str(value) for value in values]).cast(pl.Float64, strict=False)
    return None if numbers.has_nulls() or not numbers.is_finite().all() else numbers.to_numpy()
