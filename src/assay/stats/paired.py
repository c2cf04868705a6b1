"""`Paired`: systems on the same units, under one measure; what every comparison starts from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
import polars as pl

from assay.core.errors import InputError, ParameterError, listed, number_of
from assay.core.notes import Note
from assay.counting.judgments import Floats, Ints, Mask
from assay.measures.parser import agreed_direction, meanings
from assay.measures.registry import Measure
from assay.measures.summary import Undefined
from assay.stats.cluster_samples import Subsampled
from assay.stats.effects import Wins, cliffs_delta, d_z, wins
from assay.stats.label_samples import Patterns, right_and_wrong
from assay.stats.rounding import ROUNDING
from assay.stats.samples import Averaged, Pooled, Sample
from assay.stats.score_samples import ScoreSample
from assay.tables import Direction, Scores

#: What numbers of systems are made of, whether or not units can be drawn anew by weights.
AnySample: TypeAlias = Sample | ScoreSample | Subsampled

#: Squares of larger numbers are none.
_LARGEST = 1e150
#: Of a measure's range, or of the baseline's number where it has none: the smallest difference that matters.
MARGIN_SHARE = 0.01

_HIGHER_IS_BETTER: dict[Direction, bool | None] = {"higher": True, "lower": False, "neither": None, "unknown": None}


class Effects(NamedTuple):
    """How large a difference is, unit by unit: NaN, and no unit won, tied or lost, where units have no numbers.

    Of predicted labels, a unit is won where the second system alone is right, whatever the measure.
    """

    d_z: float
    cliffs_delta: float
    wins: Wins


@dataclass(frozen=True, eq=False)
class Paired:
    """Systems' numbers on the units that all of them have, under one measure.

    `left_out`: units that some system has no number for. `undefined`: how many numbers there were not, and counted as
    the measure declares. `of_one_only`: units that count for some systems, and that others have no number for.
    `absences`: why a system has no number, if no unit of it has one. `stand_ins`: the numbers that are none, but what
    the measure declares in their place. `elsewhere`: on the units left out (rows), which systems (columns) have a
    number. `undirected`: nobody has said whether higher or lower is better, so that
    `higher_is_better` is None.

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
    sample: AnySample
    bounds: tuple[float, float] | None = None
    higher_is_better: bool | None = True
    left_out: int = 0
    undefined: int = 0
    of_one_only: int = 0
    absences: tuple[str | None, ...] = ()
    stand_ins: Mask | None = None
    undirected: bool = False
    elsewhere: Mask | None = None

    @classmethod
    def of(cls, scores: Scores, measure: str, undefined: Undefined = "counted_as") -> Paired:
        """Pair the systems of a table of scores; a unit that one of them lacks is left out.

        `undefined`: whether a value that there is not counts as the measure declares, or leaves its unit out. A system
        that has no value at all has no number, and leaves no unit out.
        """
        frame = scores.frame.filter(pl.col("measure") == measure)
        if not frame.height:
            known = scores.frame["measure"].unique(maintain_order=True).to_list()
            raise InputError(f"scores: expected a measure of {', '.join(known)}, got {measure!r}")
        kinds = frame["unit_kind"].unique(maintain_order=True).to_list()
        if len(kinds) > 1:
            raise InputError(f"scores: {measure}: expected units of one kind, got {' and '.join(kinds)}")
        _refuse_odd(frame, measure)
        # How units are put together, and what counts for those without a number, is declared for queries.
        definition = next(iter(meanings(measure, ["ranking"])), None)
        direction = scores.directions.get(measure)
        # Scores of rankings that bring their direction need no other vocabulary, and do not wait for it.
        known = [definition] if definition is not None and direction is not None else meanings(measure)
        direction = direction or agreed_direction(known)
        declared = _declared(definition) if undefined == "counted_as" else None
        systems, units, values = _matrix(frame, frame["value"])
        absent: Mask = np.logical_and.reduce(np.isnan(values), axis=0)
        stand_ins: Mask = np.zeros(values.shape, dtype=np.bool_)
        if declared is not None and frame["value"].null_count():
            stand_ins = (_matrix(frame, frame["value"].is_null())[2] == 1) & ~absent
            values[stand_ins] = declared
        summary = definition.definition.summary if definition else "mean"
        if summary == "geometric" and (values <= 0).any():
            raise InputError(f"{measure} is a geometric mean: expected numbers above 0, got {np.nanmin(values):g}")
        complete = np.flatnonzero(~np.isnan(values[:, ~absent]).any(axis=1))
        if not len(complete):
            raise InputError.on(measure, f"the systems {listed(systems)} have no {kinds[0]} in common")
        return cls(
            measure,
            kinds[0],
            systems,
            tuple(units[place] for place in complete),
            Averaged(values[complete], summary),
            known[0].definition.bounds if known else None,
            _HIGHER_IS_BETTER[direction],
            left_out=len(units) - len(complete),
            undefined=int(stand_ins.sum()),
            absences=tuple(_absence(frame, name) if gone else None for name, gone in zip(systems, absent, strict=True)),
            stand_ins=stand_ins[complete],
            undirected=direction == "unknown",
            elsewhere=np.delete(~np.isnan(values), complete, axis=0),
        )

    @property
    def direction(self) -> Direction:
        """Which way the measure is good."""
        if self.higher_is_better is None:
            return "unknown" if self.undirected else "neither"
        return "higher" if self.higher_is_better else "lower"

    def directed(self, direction: Direction) -> Paired:
        """The same with `higher` or `lower` as what is better."""
        return replace(self, higher_is_better=_HIGHER_IS_BETTER[direction], undirected=False)

    @cached_property
    def observed(self) -> Floats:
        """Each system's number."""
        return self.sample.observed()

    def difference(self, first: int, second: int) -> float:
        """The second system's number less the first one's; what is rounding is no difference."""
        apart = float(self.observed[second] - self.observed[first])
        return 0.0 if abs(apart) <= ROUNDING * float(np.abs(self.observed[[first, second]]).max()) else apart

    def refuse_undirected(self, purpose: str) -> None:
        """Refuse a measure that is neither good nor bad when it is high, where a loss has to be told from a gain."""
        if self.higher_is_better is None:
            why = "its direction is not known" if self.undirected else "it is neither good nor bad when it is high"
            raise ParameterError(f"{self.measure}: {why}; to {purpose}, state its direction, higher or lower")

    def with_sample(self, units: tuple[str, ...], sample: AnySample) -> Paired:
        """The same systems with another way to make their numbers, from all of these units."""
        return replace(
            self,
            units=units,
            sample=sample,
            left_out=0,
            undefined=0,
            of_one_only=0,
            absences=(),
            stand_ins=None,
            elsewhere=None,
        )

    @cached_property
    def without_each(self) -> Floats:
        """Each system's number (column) without each unit (row)."""
        if isinstance(self.sample, ScoreSample):
            raise ParameterError(f"{self.measure} is made of scores: its spread is not found by leaving items out")
        if isinstance(self.sample, Subsampled):
            raise ParameterError(f"{self.measure} is of clusterings: its spread is found on halves of the items")
        return self.sample.without_each()

    @property
    def labels_are_compared(self) -> bool:
        """Whether units are items with predicted labels: an item is right or wrong, and has no number of its own."""
        return isinstance(self.sample, Patterns)

    @property
    def unit_values(self) -> Floats:
        """The numbers of units (rows) under systems (columns), NaN where there is none.

        Of predicted labels, 1 where the system is right and 0 where it is wrong; of scores and clusters there are none.
        """
        if isinstance(self.sample, Averaged | Patterns):
            return self.sample.values
        if isinstance(self.sample, ScoreSample | Subsampled):
            return np.empty((0, len(self.systems)))
        return np.column_stack([formula.values for formula in self.sample.formulas])

    def unit_differences(self, first: int, second: int) -> Floats:
        """The second system's number less the first one's, for the units where both have one."""
        values = (self.additive if isinstance(self.sample, Averaged) else self.unit_values)[:, [first, second]]
        return _settled(values[~np.isnan(values).any(axis=1)])

    def is_same(self, first: int, second: int) -> bool:
        """Whether no unit differs between two systems, nor what is made of the units."""
        if isinstance(self.sample, Patterns):
            return bool((self.sample.predicted[:, first] == self.sample.predicted[:, second]).all())
        if isinstance(self.sample, ScoreSample | Subsampled):
            return self.sample.is_same(first, second)
        absent = np.isnan(self.unit_values[:, [first, second]])
        alike = bool((absent[:, 0] == absent[:, 1]).all())
        same = self.difference(first, second) == 0
        return same and alike and not self.unit_differences(first, second).any()

    def effects(self, first: int, second: int) -> Effects:
        """How large the difference is, unit by unit."""
        if isinstance(self.sample, Patterns):
            (wrong, fixed), (broken, right) = right_and_wrong(self.sample, (first, second)).tolist()
            return Effects(np.nan, np.nan, Wins(fixed, wrong + right, broken))
        of_units, values = self.unit_differences(first, second), self.unit_values
        return Effects(
            d_z(of_units) if isinstance(self.sample, Averaged) else np.nan,
            cliffs_delta(_known(values[:, first]), _known(values[:, second])),
            wins(of_units),
        )

    def spread(self, first: int, second: int) -> float:
        """How much a unit's part in the difference varies: for means, the standard deviation of the differences.

        It is read off what the difference would be without each of the units, which serves other numbers, too; of
        clusterings, `Resampled` reads it off halves of the items.
        """
        if len(self.units) < 2 or np.isnan(self.observed[[first, second]]).any():
            return float("nan")
        if isinstance(self.sample, ScoreSample):
            return self.sample.spread(first, second)
        if isinstance(self.sample, Patterns):
            two = self.sample.only(first, second)
            apart, counts = np.diff(two.without_each(), axis=1)[:, 0], two.counts
            if not len(apart):
                return float("nan")
        else:
            apart, counts = self.without_each[:, second] - self.without_each[:, first], None
        found = (len(self.units) - 1) * _deviation(apart, counts)
        rounding = ROUNDING * float(np.abs(self.observed[[first, second]]).max())
        return 0.0 if found <= rounding else found

    @property
    def additive(self) -> Floats:
        """The units' numbers on the scale on which they are averaged."""
        if not isinstance(self.sample, Averaged):
            made_of = "summed counts" if isinstance(self.sample, Pooled) else "all items together"
            raise ParameterError(f"{self.measure} is made of {made_of}: it has no differences of units")
        return self.sample.additive

    def differences(self, first: int, second: int) -> Floats:
        """The second system's number less the first one's, unit by unit, on the scale on which they are averaged."""
        return _settled(self.additive[:, [first, second]])

    def notes(self, absences: bool = True) -> list[str]:
        """What to say about the pairing: units left out, and values that there were not.

        `absences`: also which systems have no number, and why.
        """
        told: list[str] = []
        if self.left_out:
            units = number_of(self.unit_kind, self.left_out)
            told.append(Note.on(self.measure, f"{units} left out: not all systems have a value there"))
        if self.of_one_only:
            units = number_of(self.unit_kind, self.of_one_only)
            remark = f"{units} with a value for one system and none for another: each has its own mean"
            told.append(Note.on(self.measure, remark))
        told += [
            f"{self.measure} of {system} is undefined" + (f": {why}" if why else "")
            for system, value, why in zip(self.systems, self.observed, self.reasons(), strict=True)
            if absences and np.isnan(value)
        ]
        if self.undefined:
            values = number_of("undefined value", self.undefined)
            told.append(Note.on(self.measure, f"{values} counted as the measure declares"))
        if outside := self._outside():
            low, high = self.bounds or (0.0, 0.0)
            values = number_of("value", outside)
            told.append(Note.on(self.measure, f"{values} outside its range, {low:g} to {high:g}"))
        return told

    def why_not(self, *systems: int) -> str:
        """Which of these systems have no number, and why, in words; empty if all have one."""
        reasons, lacking = self.reasons(), [system for system in systems if np.isnan(self.observed[system])]
        names: dict[str | None, list[str]] = {}
        for system in lacking:
            names.setdefault(reasons[system], []).append(self.systems[system])
        told = [" and ".join(own) + (f" ({why})" if why else "") for why, own in names.items()]
        return f"undefined for {', and for '.join(told)}" if told else ""

    def one_sided(self, first: int, second: int) -> str:
        """For how many of the units left out one of two systems alone has a number, in words; empty if for none."""
        if self.elsewhere is None:
            return ""
        one, other = self.elsewhere[:, first], self.elsewhere[:, second]
        alone = {self.systems[first]: int((one & ~other).sum()), self.systems[second]: int((other & ~one).sum())}
        told = [
            f"{number_of(self.unit_kind, units)} {'has' if units == 1 else 'have'} a value under {system} alone"
            for system, units in alone.items()
            if units
        ]
        return " and ".join(told)

    def reasons(self) -> list[str | None]:
        """Why each system has no number; None where it has one, or nobody knows."""
        if isinstance(self.sample, Averaged):
            return list(self.absences) or [None] * len(self.systems)
        if isinstance(self.sample, Pooled):
            return [formula.pooled().reason(0) for formula in self.sample.formulas]
        return self.sample.reasons()

    def _outside(self) -> int:
        if isinstance(self.sample, Patterns | ScoreSample | Subsampled):  # whose numbers are measured here
            return 0
        low, high = self.bounds or (-np.inf, np.inf)
        values = self.unit_values
        return int(np.sum((values < low - ROUNDING) | (values > high + ROUNDING)))

    def is_wide(self, margin: float) -> bool:
        """Whether a margin is more than a tenth of the measure's range."""
        return self.bounds is not None and margin > 0.1 * (self.bounds[1] - self.bounds[0])

    def margin(self, baseline: int, given: float | None = None) -> tuple[float, str]:
        """The smallest difference that matters, and where it comes from."""
        if given is not None:
            return given, "as asked for"
        if self.bounds is not None and np.isfinite(self.bounds).all():
            return MARGIN_SHARE * (self.bounds[1] - self.bounds[0]), f"{MARGIN_SHARE:g} of the measure's range"
        share = MARGIN_SHARE * abs(float(self.observed[baseline]))
        return share, f"{MARGIN_SHARE:.0%} of the baseline's number, as the measure has no range"


def _settled(values: Floats) -> Floats:
    """Differences of two columns; what is rounding, as when the same numbers are added in another order, is none."""
    apart: Floats = values[:, 1] - values[:, 0]
    return np.where(np.abs(apart) <= ROUNDING * np.abs(values).max(axis=1, initial=0.0), 0.0, apart)


def _deviation(numbers: Floats, counts: Ints | None) -> float:
    """The standard deviation of the numbers that are known, each of which occurs so often."""
    if counts is None:
        return float(np.nanstd(numbers, ddof=1))
    known = ~np.isnan(numbers)
    numbers, counts = numbers[known], counts[known]
    items = counts.sum()
    if items < 2:
        return float("nan")
    off = numbers - np.sum(counts * numbers) / items
    return float(np.sqrt(np.sum(counts * off**2) / (items - 1)))


def _known(values: Floats) -> Floats:
    return values[~np.isnan(values)]


def _refuse_odd(frame: pl.DataFrame, measure: str) -> None:
    """Refuse what is not a number, and a second number where there is one."""
    odd = frame.filter(~(pl.col("value").abs() <= _LARGEST))
    if odd.height:
        system, unit, value = odd.select("system", "unit", "value").row(0)
        raise InputError(f"scores: {measure} of {system} on {unit}: expected a number, or null, got {value}")
    again = frame.filter(~pl.struct("system", "unit").is_first_distinct())
    if again.height:
        system, unit = again.select("system", "unit").row(0)
        raise InputError(f"scores: {measure} of {system} on {unit}: expected one number, got two")


def _absence(frame: pl.DataFrame, system: str) -> str:
    """Why a system has no value for any unit: the reason that most of them have."""
    reasons = frame.filter(pl.col("system") == system)["undefined"].drop_nulls()
    return str(reasons.mode().sort()[0]) if reasons.len() else f"no {frame['unit_kind'][0]} has a value"


def _matrix(frame: pl.DataFrame, values: pl.Series) -> tuple[tuple[str, ...], list[str], Floats]:
    """Systems, units and a table of units x systems, NaN where there is no number."""
    # Units in the order of their names: what is drawn at random must not depend on the order of a file.
    systems, units = frame["system"].unique(maintain_order=True).to_list(), frame["unit"].unique().sort().to_list()
    place = {name: number for number, name in enumerate(systems)}, {name: number for number, name in enumerate(units)}
    columns, rows = (
        [numbers[name] for name in frame[column].to_list()]
        for numbers, column in zip(place, ("system", "unit"), strict=True)
    )
    table = np.full((len(units), len(systems)), np.nan)
    table[rows, columns] = values.to_numpy()
    return tuple(systems), units, table


def _declared(measure: Measure | None) -> float | None:
    """What an undefined value counts as."""
    return None if measure is None else measure.substitute
