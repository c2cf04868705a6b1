"""A comparison within groups of units that share an attribute, such as short queries and long ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.comparison.findings import Finding, Settings, finding_of
from assay.core.errors import ParameterError, did_you_mean
from assay.counting.judgments import Floats
from assay.stats.corrections import corrected_as_stated
from assay.stats.paired import Paired
from assay.stats.pairs import Resampled, outcomes, resamples_for
from assay.stats.samples import Averaged, Pooled
from assay.stats.suited_tests import SIMULTANEOUS
from assay.stats.tests import TESTS
from assay.tables import Topics

#: The slice of units that the attribute says nothing about.
NONE = "(none)"
#: Numbers with more different values than this are put into quarters.
MOST_NUMBERS = 8


class Slice(NamedTuple):
    """Two systems on the units that share a value of an attribute; `sample` has a column for each system."""

    value: str
    units: tuple[str, ...]
    sample: Averaged


def slices(paired: Paired, first: int, second: int, attribute: Mapping[str, Any]) -> tuple[Slice, ...]:
    """Split two systems' units by an attribute, given by unit; units that it says nothing about come last.

    Numbers with more than eight different values are put into four groups of about the same size.

    >>> from assay.tables import Scores
    >>> rows = [(s, "AP", "query", q, v, None) for q, a, b in (("q1", 0.5, 0.75), ("q2", 0.25, 0.25))
    ...         for s, v in (("a", a), ("b", b))]
    >>> paired = Paired.of(Scores(pl.DataFrame(rows, schema=Scores.SCHEMA, orient="row")), "AP")
    >>> [(one.value, one.units) for one in slices(paired, 0, 1, {"q1": "short"})]
    [('short', ('q1',)), ('(none)', ('q2',))]
    """
    if not isinstance(paired.sample, Averaged):
        made_of = "summed counts" if isinstance(paired.sample, Pooled) else "all items together"
        raise ParameterError(f"{paired.measure} is made of {made_of}: it has no numbers of units to group")
    labels = _labels([attribute.get(unit) for unit in paired.units])
    named = [label for label in dict.fromkeys(sorted(labels, key=lambda label: label[0])) if label[1] != NONE]
    if len(named) == len(labels) > 1:
        raise ParameterError("every unit has another value of the attribute: there is nothing to group")
    values, made = paired.sample.values[:, [first, second]], []
    for label in dict.fromkeys([*named, *(label for label in labels if label[1] == NONE)]):
        rows = [row for row, other in enumerate(labels) if other == label]
        units, own = tuple(paired.units[row] for row in rows), values[rows]
        if paired.stand_ins is not None:  # where no unit of a slice has a value, neither has the slice
            own[:, paired.stand_ins[rows][:, [first, second]].all(axis=0)] = np.nan
        made.append(Slice(label[1], units, Averaged(own, paired.sample.summary)))
    return tuple(made)


def slice_table(parts: Sequence[Slice], paired: Paired, whole: Finding, settings: Settings) -> pl.DataFrame:
    """One row a slice: units, both numbers, difference, interval, p corrected over the slices, verdict."""
    own = [
        replace(
            paired,
            systems=(whole.baseline, whole.system),
            units=part.units,
            sample=part.sample,
            absences=(),
            elsewhere=None,
        )
        for part in parts
    ]
    # What compares all systems at once has nothing to say about two of them on a few units.
    test = settings.test if settings.test in TESTS else None
    correction = "holm" if settings.test in SIMULTANEOUS else settings.correction
    drawn = settings.resamples or resamples_for(len(parts), settings.alpha)
    results = [outcomes(one, ((0, 1),), test, drawn, settings.seed)[0] for one in own]
    p = corrected_as_stated(np.array([result.p for result in results]), correction)
    rows = []
    for part, one, result, value in zip(parts, own, results, p.tolist(), strict=True):
        resampled = Resampled(one, settings.bootstrap_resamples, settings.seed, settings.bootstrap)
        found = finding_of(resampled, (0, 1), result, value, settings._replace(margin=whole.margin.value))
        rows.append((part.value, found))
    return pl.DataFrame(
        [
            {
                "slice": label,
                "units": one.units,
                f"value_{whole.baseline}": one.baseline_value,
                f"value_{whole.system}": one.value,
                "difference": one.difference,
                "low": one.interval.low,
                "high": one.interval.high,
                "p": one.p,
                "verdict": str(one.verdict),
                "conflict": one.verdict.conflict,
            }
            for label, one in rows
        ]
    )


def attribute_of(topics: Topics | Mapping[str, Any], by: str | None = None) -> dict[str, Any]:
    """The attribute of each unit: a column of the topics, or what a dict says.

    >>> frame = pl.DataFrame({"query_id": ["1", "2"], "title": ["tea", "coffee"], "length": ["1", ""]})
    >>> attribute_of(Topics.of(frame), "length")
    {'1': '1', '2': ''}
    """
    if not isinstance(topics, Topics):
        return dict(topics)
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
