"""Numbers with their intervals for people, of classifiers and of clusterings alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from assay.core.digits import NOT_AVAILABLE, bracketed, number
from assay.core.errors import listed

if TYPE_CHECKING:
    from assay.classification import Classification
    from assay.classification.intervals import Estimate
    from assay.clustering import Clustering
    from assay.measures.registry import Measure


def best(values: Iterable[float], higher: bool | None) -> float | None:
    """The value that stands out: the best of those that are known, if they are not all the same.

    >>> best([0.2, 0.7, float("nan")], higher=True), best([0.7, 0.7], higher=True)
    (0.7, None)
    """
    known = [value for value in values if not math.isnan(value)]
    if higher is None or len(set(known)) < 2:
        return None
    return max(known) if higher else min(known)


def ends(one: Estimate) -> str:
    """An interval in brackets, or nothing."""
    if math.isnan(one.low):
        return "" if math.isnan(one.value) else "–"
    return bracketed(one.low, one.high)


def with_ends(value: float | None, low: float | None, high: float | None, without: str = "", least: int = 3) -> str:
    """A number and its interval in brackets; `without` stands where there is no interval.

    >>> with_ends(0.75, 0.5, 0.9), with_ends(0.75, None, None, " –"), with_ends(None, None, None)
    ('0.750 [0.500, 0.900]', '0.750 –', 'NA')
    """
    if value is None:
        return NOT_AVAILABLE
    return f"{number(value, least)}{without if low is None or high is None else f' {bracketed(low, high, 3)}'}"


def known(one: Estimate) -> tuple[float | None, float | None, float | None]:
    """Value and ends of an interval, None for those that are not known."""
    value, low, high = (None if math.isnan(number) else number for number in one[:3])
    return value, low, high


def undefined(result: Classification | Clustering, called: Callable[[Measure], str]) -> Iterator[str]:
    """Why there is no number, a line each."""
    for system in result.systems:
        of = f" of {system.name}" if len(result.systems) > 1 else ""
        for measure in result.measures:
            reason = result.estimate(measure, system.name).undefined
            if reason is not None:
                yield f"{called(measure)}{of} is undefined: {reason}."


def without_interval(found: Iterable[tuple[str, str, str | None]], systems: int, mark: str = "–") -> Iterator[str]:
    """Which numbers have no interval, a line a reason; `found` are measures, systems and reasons.

    >>> list(without_interval([("ARI", "a", None), ("NMI", "a", "all halves are alike")], systems=1))
    ['No interval (–) of NMI: all halves are alike.']
    """
    whys: dict[str, dict[str, list[str]]] = {}
    for measure, system, why in found:
        if why:
            whys.setdefault(why, {}).setdefault(measure, []).append(system)
    for why, measures in whys.items():
        alike: dict[tuple[str, ...], list[str]] = {}
        for name, of in measures.items():
            alike.setdefault(() if len(of) == systems else tuple(of), []).append(name)
        said = [f"{listed(names)} of {listed(of)}" if of else listed(names) for of, names in alike.items()]
        yield f"No interval ({mark}) of {'; '.join(said)}: {why}."


def measured(rows: list[dict[str, Any]], system: str) -> list[dict[str, Any]]:
    """The rows of a system, which need not name it."""
    return [{key: row[key] for key in row if key != "system"} for row in rows if row["system"] == system]
