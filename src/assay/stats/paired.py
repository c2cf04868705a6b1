"""`Paired`: systems on the same units, under one measure; what every comparison starts from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from assay.counting.judgments import Floats
from assay.errors import InputError, ParameterError
from assay.measures import parse_measure
from assay.measures.registry import Measure
from assay.measures.summary import Undefined
from assay.stats.samples import Averaged, Sample
from assay.tables import Scores

#: Of a measure's range, or of the baseline's number where it has none: the smallest difference that matters.
MARGIN_SHARE = 0.01


@dataclass(frozen=True, eq=False)
class Paired:
    """Systems' numbers on the units that all of them have, under one measure.

    `left_out`: units that some system has no number for. `undefined`: how many numbers there were not, and counted as
    the measure declares.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"system": ["a", "b"], "measure": "AP", "unit_kind": "query", "unit": "q1",
    ...                       "value": [0.5, 0.75], "undefined": None}, schema=Scores.SCHEMA)
    >>> Paired.of(Scores(frame), "AP").observed
    array([0.5 , 0.75])
    """

    measure: str
    unit_kind: str
    systems: tuple[str, ...]
    units: tuple[str, ...]
    sample: Sample
    bounds: tuple[float, float] | None = None
    higher_is_better: bool = True
    left_out: int = 0
    undefined: int = 0

    @classmethod
    def of(cls, scores: Scores, measure: str, undefined: Undefined = "counted_as") -> Paired:
        """Pair the systems of a table of scores; a unit that one of them lacks is left out.

        `undefined`: whether a value that there is not counts as the measure declares, or leaves its unit out.
        """
        frame = scores.frame.filter(pl.col("measure") == measure)
        if not frame.height:
            known = scores.frame["measure"].unique(maintain_order=True).to_list()
            raise InputError(f"scores: expected a measure of {', '.join(known)}, got {measure!r}")
        kinds = frame["unit_kind"].unique(maintain_order=True).to_list()
        if len(kinds) > 1:
            raise InputError(f"scores: {measure}: expected units of one kind, got {' and '.join(kinds)}")
        _refuse_odd(frame, measure)
        definition = _definition(measure)
        declared = _declared(definition) if undefined == "counted_as" else None
        filled = frame["value"] if declared is None else frame["value"].fill_null(declared)
        systems, units, values = _matrix(frame, filled)
        complete = np.flatnonzero(~np.isnan(values).any(axis=1))
        if not len(complete):
            raise InputError(f"{measure}: the systems {_listed(systems)} have no {kinds[0]} in common")
        return cls(
            measure,
            kinds[0],
            systems,
            tuple(units[place] for place in complete),
            Averaged(values[complete], definition.definition.summary if definition else "mean"),
            definition.definition.bounds if definition else None,
            definition.definition.higher_is_better if definition else True,
            left_out=len(units) - len(complete),
            undefined=frame["value"].null_count() if declared is not None else 0,
        )

    @cached_property
    def observed(self) -> Floats:
        """Each system's number."""
        return self.sample.observed()

    def with_sample(self, units: tuple[str, ...], sample: Sample) -> Paired:
        """The same systems with another way to make their numbers, from all of these units."""
        return replace(self, units=units, sample=sample, left_out=0, undefined=0)

    def differences(self, first: int, second: int) -> Floats:
        """The second system's number less the first one's, unit by unit, on the scale on which they are averaged."""
        if not isinstance(self.sample, Averaged):
            raise ParameterError(f"{self.measure} is made of summed counts: it has no differences of units")
        additive = self.sample.additive
        difference: Floats = additive[:, second] - additive[:, first]
        return difference

    def margin(self, baseline: int, given: float | None = None) -> tuple[float, str]:
        """The smallest difference that matters, and where it comes from."""
        if given is not None:
            return given, "as asked for"
        if self.bounds is not None and np.isfinite(self.bounds).all():
            return MARGIN_SHARE * (self.bounds[1] - self.bounds[0]), f"{MARGIN_SHARE:g} of the measure's range"
        share = MARGIN_SHARE * abs(float(self.observed[baseline]))
        return share, f"{MARGIN_SHARE:.0%} of the baseline's number, as the measure has no range"


def _refuse_odd(frame: pl.DataFrame, measure: str) -> None:
    """Refuse what is not a number, and a second number where there is one."""
    odd = frame.filter(~pl.col("value").is_finite())
    if odd.height:
        system, unit, value = odd.select("system", "unit", "value").row(0)
        raise InputError(f"scores: {measure} of {system} on {unit}: expected a number, or null, got {value}")
    again = frame.filter(~pl.struct("system", "unit").is_first_distinct())
    if again.height:
        system, unit = again.select("system", "unit").row(0)
        raise InputError(f"scores: {measure} of {system} on {unit}: expected one number, got two")


def _matrix(frame: pl.DataFrame, values: pl.Series) -> tuple[tuple[str, ...], list[str], Floats]:
    """Systems, units and a table of units x systems, NaN where there is no number."""
    systems, units = (frame[name].unique(maintain_order=True).to_list() for name in ("system", "unit"))
    place = {name: number for number, name in enumerate(systems)}, {name: number for number, name in enumerate(units)}
    columns, rows = (
        [numbers[name] for name in frame[column].to_list()]
        for numbers, column in zip(place, ("system", "unit"), strict=True)
    )
    table = np.full((len(units), len(systems)), np.nan)
    table[rows, columns] = values.to_numpy()
    return tuple(systems), units, table


def _definition(measure: str) -> Measure | None:
    """The measure of that name; somebody's own numbers may be called anything."""
    try:
        return parse_measure(measure)
    except ParameterError:
        return None


def _declared(measure: Measure | None) -> float | None:
    """What an undefined value counts as."""
    if measure is None:
        return None
    floor: float | None = measure.parameters.get("floor", measure.definition.counted_as)
    return floor


def _listed(names: tuple[Any, ...]) -> str:
    shown = ", ".join(map(str, names[:8]))
    return shown if len(names) <= 8 else f"{shown}, … ({len(names)} in all)"
