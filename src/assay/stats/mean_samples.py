"""`MeanSample`: numbers of units, put together by a mean or a sum."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Self, TypeAlias

import numpy as np
import polars as pl

from assay.core.errors import InputError, Note, ParameterError, listed, number_of
from assay.measures import definition
from assay.measures.counting.judgments import Floats, Mask
from assay.measures.parser import agreed_direction, meanings, same_name
from assay.measures.summary import takes_none
from assay.stats.estimates import ROUNDING
from assay.stats.permutation import NO_DIFFERENCE, Alternative, Outcome, permutation_of_pairs, permutation_test, swaps
from assay.stats.samples import UNDEFINED, Drawing, Effects, KnownUnits, Pair
from assay.stats.tests import SIMULTANEOUS, TESTS, bootstrap_of_pairs, d_z, randomised_tukey
from assay.stats.weighted_samples import UnitSample
from assay.tables import Scores

#: How numbers of units are put together.
Summary: TypeAlias = definition.Summary

#: Third powers of larger numbers, summed over many units, are infinite.
_LARGEST = 1e90
#: From so many pairs on, all share the same swaps.
_MANY_PAIRS = 32
#: Where all systems are moved at once, so many permutations do: they need no correction.
_MOST_PERMUTATIONS = 10_000
#: Where every swap is counted anew, so many numbers are added up at most for all pairs.
_MOST_COUNTED = 2_000_000_000


@dataclass(frozen=True, eq=False)
class MeanSample(UnitSample):
    """One number per unit (row) and system (column), put together by the mean, the geometric mean or the sum.

    `substituted`: how many numbers there were not, and counted as the measure declares; `stand_ins` are these.
    `absences`: why a system has no number, if no unit of it has one. `elsewhere`: on the units left out (rows), which
    systems (columns) have a number.

    >>> MeanSample(np.array([[0.5, 1.0], [0.0, 0.5]])).observed
    array([0.25, 0.75])
    """

    values: Floats
    summary: Summary = "mean"
    substituted: int = field(default=0, kw_only=True)
    absences: tuple[str | None, ...] = field(default=(), kw_only=True)
    stand_ins: Mask | None = field(default=None, kw_only=True)
    elsewhere: Mask | None = field(default=None, kw_only=True)

    averages_units: ClassVar[bool] = True

    @classmethod
    def of_scores(cls, scores: Scores, measure: str) -> MeanSample:
        """Pair the systems of a table of scores; a unit that one of them lacks is left out.

        A value that is undefined counts as the measure declares, or leaves its unit out, as the scores say. A system
        that has no value at all has no number, and leaves no unit out.

        >>> frame = pl.DataFrame({"system": ["a", "b"], "measure": "AP", "unit_kind": "query", "unit": "q1",
        ...                       "value": [0.5, 0.75], "undefined": None}, schema=Scores.SCHEMA)
        >>> MeanSample.of_scores(Scores(frame), "AP").observed
        array([0.5 , 0.75])
        """
        measures = scores.frame["measure"].unique(maintain_order=True).to_list()
        measure = same_name(measure, measures)
        frame = scores.frame.filter(pl.col("measure") == measure)
        if not frame.height:
            raise InputError(f"scores: expected a measure of {', '.join(measures)}, got {measure!r}")
        kinds = frame["unit_kind"].unique(maintain_order=True).to_list()
        if len(kinds) > 1:
            raise InputError(f"scores: {measure}: expected units of one kind, got {' and '.join(kinds)}")
        _refuse_odd(frame, measure)
        # How units are put together, and what counts for those without a number, is declared for queries.
        declared = next(iter(meanings(measure, ["ranking"])), None)
        direction = scores.directions.get(measure)
        # Scores of rankings that bring their direction need no other vocabulary, and do not wait for it.
        known = [declared] if declared is not None and direction is not None else meanings(measure)
        direction = direction or agreed_direction(known)
        stand_in = None if scores.undefined != "counted_as" or declared is None else declared.substitute
        if scores.undefined in {"0", "1"}:
            stand_in = float(scores.undefined)
        systems, units, values = _matrix(frame, frame["value"])
        absent: Mask = np.logical_and.reduce(np.isnan(values), axis=0)
        stand_ins: Mask = np.zeros(values.shape, dtype=np.bool_)
        if stand_in is not None and frame["value"].null_count():
            stand_ins = _matrix(frame, frame["value"].is_null())[2] == 1
            why = (frame.filter(pl.col("system") == name)["undefined"].drop_nulls().to_list() for name in systems)
            # What no unit has is no 0, unless somebody says so, or it is the system's own doing.
            stand_ins &= ~absent | [takes_none(declared, each, scores.undefined) for each in why]
            values[stand_ins] = stand_in
            absent = np.logical_and.reduce(np.isnan(values), axis=0)
        summary = declared.definition.summary if declared else "mean"
        if summary == "geometric" and (values <= 0).any():
            raise InputError(f"{measure} is a geometric mean: expected numbers above 0, got {np.nanmin(values):g}")
        complete = np.flatnonzero(~np.isnan(values[:, ~absent]).any(axis=1))
        if not len(complete):
            raise InputError.on(measure, f"the systems {listed(systems)} have no {kinds[0]} in common")
        return cls(
            values[complete],
            summary,
            systems=systems,
            units=tuple(units[place] for place in complete),
            measure=measure,
            unit_kind=kinds[0],
            bounds=known[0].definition.bounds if known else None,
            direction=direction,
            left_out=len(units) - len(complete),
            substituted=int(stand_ins.sum()),
            absences=tuple(_absence(frame, name) if gone else None for name, gone in zip(systems, absent, strict=True)),
            stand_ins=stand_ins[complete],
            elsewhere=np.delete(~np.isnan(values), complete, axis=0),
        )

    @property
    def size(self) -> int:
        """The number of units."""
        return len(self.values)

    @property
    def additive(self) -> Floats:
        """The values on the scale on which they are averaged: logarithms, where the mean is a geometric one."""
        return np.log(self.values) if self.summary == "geometric" else self.values

    @cached_property
    def observed(self) -> Floats:
        """Each system's number."""
        return self._put_together(self.additive.mean(axis=0))

    def undefined(self) -> list[str | None]:
        """Reasons why systems have no number; None where they have one, or nobody knows."""
        return list(self.absences) or [None] * len(self.systems)

    def unit_values(self) -> Floats:
        """The numbers of units (rows) under systems (columns)."""
        return self.values

    def reweighted(self, weights: Floats) -> Floats:
        """Each system's number (column) under each row of weights."""
        # einsum, not @: its sums do not depend on how many threads there are.
        sums = np.einsum("rn,ns->rs", weights, self.additive)
        return self._put_together(sums / weights.sum(axis=1, keepdims=True))

    @cached_property
    def without_each(self) -> Floats:
        """Each system's number (column) without each unit (row)."""
        additive = self.additive
        return self._put_together((additive.sum(axis=0) - additive) / max(self.size - 1, 1))

    def _put_together(self, means: Floats) -> Floats:
        if self.summary == "geometric":
            return np.exp(means)
        return means * self.size if self.summary == "sum" else means

    def _scaled(self) -> Floats:
        return self.additive

    @property
    def is_mean(self) -> bool:
        """True if a system's number is the mean of its units' numbers."""
        return self.summary == "mean"

    @property
    def is_sum(self) -> bool:
        """True if a system's number grows with the number of units."""
        return self.summary == "sum"

    def only(self, *systems: int) -> Self:
        """Some of the systems, given by their places."""
        places = list(systems)
        return replace(
            self,
            values=self.values[:, places],
            systems=self._names(places),
            absences=tuple(self.absences[place] for place in places) if self.absences else (),
            stand_ins=None if self.stand_ins is None else self.stand_ins[:, places],
            elsewhere=None if self.elsewhere is None else self.elsewhere[:, places],
        )

    def defined(self) -> Self:
        """Without systems that have no number."""
        known = np.flatnonzero(~np.isnan(self.observed))
        return self if len(known) == len(self.observed) else self.only(*known.tolist())

    def part(self, rows: Sequence[int]) -> Self:
        """The same systems on some of the units; where no unit of the part has a value, neither has the part."""
        places = list(rows)
        values = self.values[places]
        stand_ins = None if self.stand_ins is None else self.stand_ins[places]
        if stand_ins is not None:
            values[:, stand_ins.all(axis=0)] = np.nan
        units = tuple(self.units[place] for place in places)
        return replace(self, values=values, units=units, stand_ins=stand_ins, absences=(), elsewhere=None)

    def contributions(self, key: str = "query_id") -> pl.DataFrame:
        """Two systems' numbers unit by unit, those that differ most first.

        `share` is the unit's part in the difference of the means: a unit that goes the other way has a negative one,
        and all together add up to 1. `cumulated` adds them up from the first row. Both are null if the means do not
        differ.

        >>> sample = MeanSample(np.array([[0.5, 1.0], [0.25, 0.25]]), systems=("a", "b"), units=("q1", "q2"))
        >>> sample.contributions().rows()
        [('q1', 0.5, 1.0, 0.5, 1.0, 1.0), ('q2', 0.25, 0.25, 0.0, 0.0, 1.0)]
        """
        parts = np.diff(self.additive, axis=1)[:, 0]
        total = parts.sum()
        rounding = ROUNDING * max(np.abs(parts).sum(), ROUNDING)
        share = parts / total if abs(total) > rounding else np.full(len(parts), np.nan)
        difference = np.diff(self.values, axis=1)[:, 0]
        order = np.argsort(-np.abs(difference), kind="stable")
        return pl.DataFrame(
            {
                key: pl.Series([self.units[place] for place in order], dtype=pl.String),
                f"value_{self.systems[0]}": self.values[order, 0],
                f"value_{self.systems[1]}": self.values[order, 1],
                "difference": difference[order],
                "share": share[order],
                "cumulated": np.cumsum(share[order]),
            }
        ).with_columns(pl.col("share", "cumulated").fill_nan(None))

    def effects(self, first: int, second: int) -> Effects:
        """Sizes of the difference, unit by unit."""
        return super().effects(first, second)._replace(d_z=d_z(self.unit_differences(first, second)))

    def value_notes(self) -> list[str]:
        """Notes on missing values, and on those that the measure cannot have."""
        notes = super().value_notes()
        if not self.substituted:
            return notes
        values = number_of("undefined value", self.substituted)
        remark = f"{values} counted as the measure declares"
        return [Note.on(self.measure, remark, kind=UNDEFINED), *notes]

    def known_units(self, first: int, second: int) -> KnownUnits | None:
        """On how many units each of two systems has a value: on all that are compared, and some that are left out."""
        if self.elsewhere is None:
            return None
        one, other, both, kind = KnownUnits.of(self.elsewhere[:, [first, second]])
        return KnownUnits(self.size + one, self.size + other, self.size + both, kind)

    def one_sided(self, first: int, second: int) -> str:
        """For how many of the units left out one of two systems alone has a number, in words; empty if for none."""
        if self.elsewhere is None:
            return ""
        before, after = self.elsewhere[:, first], self.elsewhere[:, second]
        alone = {
            self.systems[first]: int((before & ~after).sum()),
            self.systems[second]: int((after & ~before).sum()),
        }
        clauses = [
            f"{number_of(self.unit_kind, units)} {'has' if units == 1 else 'have'} a value under {system} alone"
            for system, units in alone.items()
            if units
        ]
        return " and ".join(clauses)

    @property
    def tests(self) -> tuple[str, ...]:
        """Tests of units' differences, and of all systems at once."""
        return (*TESTS, *SIMULTANEOUS)

    def why_not_test(self, test: str) -> str:
        """The reason why a test of classifiers does not suit."""
        return f"{self.measure}: it is made of numbers of single units"

    def _tested(self, pairs: Sequence[Pair], test: str, drawing: Drawing, alternative: Alternative) -> list[Outcome]:
        known = ~np.isnan(self.observed)
        testable = [pair for pair in pairs if known[list(pair)].all()]
        if len(testable) == len(pairs):
            return self._test_means(pairs, test, drawing, alternative)
        # A system without a number is compared with nobody, and has no part in tests of all systems at once.
        place = np.cumsum(known) - 1
        numbered = self.defined()
        places = [(int(place[i]), int(place[j])) for i, j in testable]
        outcomes = numbered._test_means(places, test, drawing, alternative) if testable else []
        tested = dict(zip(testable, outcomes, strict=True))
        return [tested.get(pair, Outcome(test, np.nan, np.nan, None, NO_DIFFERENCE)) for pair in pairs]

    def _test_means(
        self, pairs: Sequence[Pair], test: str, drawing: Drawing, alternative: Alternative
    ) -> list[Outcome]:
        resamples, seed = drawing
        if alternative != "two-sided":
            if test != "permutation":
                raise ParameterError(f"{test} is a two-sided test: the one-sided one is permutation")
            return [
                permutation_test(self.unit_differences(*pair), resamples=resamples, seed=seed, alternative=alternative)
                for pair in pairs
            ]
        if test == "permutation":
            resamples = min(resamples, max(10_000, _MOST_COUNTED // self.size))
        if test in SIMULTANEOUS:
            return self._test_at_once(pairs, test, Drawing(min(resamples, _MOST_PERMUTATIONS), seed))
        if test not in {"permutation", "bootstrap"} or len(pairs) <= _MANY_PAIRS:
            return [TESTS[test](self.unit_differences(*pair), resamples=resamples, seed=seed) for pair in pairs]
        return self._test_together(pairs, test, Drawing(resamples, seed))

    def _test_together(self, pairs: Sequence[Pair], test: str, drawing: Drawing) -> list[Outcome]:
        """Many pairs under the same swaps, or the same resamples."""
        resamples, seed = drawing
        counted: int | None = resamples
        note = f"{resamples:,} resamples of units"
        if test == "bootstrap":
            differences = np.column_stack([self.unit_differences(*pair) for pair in pairs])
            p = bootstrap_of_pairs(differences, resamples=resamples, seed=seed)
        else:
            places = np.array(pairs)
            p = permutation_of_pairs(self.additive, places[:, 0], places[:, 1], resamples=resamples, seed=seed)
            counted, note = swaps(self.size, resamples)
        means = self.additive.mean(axis=0)
        return [Outcome(test, float(means[j] - means[i]), float(p[n]), counted, note) for n, (i, j) in enumerate(pairs)]

    def _test_at_once(self, pairs: Sequence[Pair], test: str, drawing: Drawing) -> list[Outcome]:
        """All systems at once."""
        additive = self.additive
        systems = self.additive.shape[1]
        note = f"{drawing.resamples:,} permutations within units"
        table = np.ones((systems, systems))
        table[np.triu_indices(systems, 1)] = randomised_tukey(additive, resamples=drawing.resamples, seed=drawing.seed)
        table = np.fmin(table, table.T)
        means = additive.mean(axis=0)
        return [
            Outcome(test, float(means[j] - means[i]), float(table[i, j]), drawing.resamples, note) for i, j in pairs
        ]


def _refuse_odd(frame: pl.DataFrame, measure: str) -> None:
    """Refuse what is not a number, and a second number where there is one."""
    odd = frame.filter(~(pl.col("value").abs() <= _LARGEST))
    if odd.height:
        system, unit, value = odd.select("system", "unit", "value").row(0)
        expected = "a number, or null" if math.isnan(value) else f"a number of at most {_LARGEST:g}"
        raise InputError(f"scores: {measure} of {system} on {unit}: expected {expected}, got {value}")
    again = frame.filter(~pl.struct("system", "unit").is_first_distinct())
    if again.height:
        system, unit = again.select("system", "unit").row(0)
        raise InputError(f"scores: {measure} of {system} on {unit}: expected one number, got two")


def _absence(frame: pl.DataFrame, system: str) -> str:
    """The reason why a system has no value for any unit: the one that most units have."""
    reasons = frame.filter(pl.col("system") == system)["undefined"].drop_nulls()
    return str(reasons.mode().sort()[0]) if reasons.len() else f"no {frame['unit_kind'][0]} has a value"


def _matrix(frame: pl.DataFrame, values: pl.Series) -> tuple[tuple[str, ...], list[str], Floats]:
    """Systems, units and a table of units x systems, NaN where there is no number."""
    # Units in the order of their names: what is drawn at random must not depend on the order of a file.
    systems = frame["system"].unique(maintain_order=True).to_list()
    units = frame["unit"].unique().sort().to_list()
    place = {name: place for place, name in enumerate(systems)}, {name: place for place, name in enumerate(units)}
    columns, rows = (
        [numbers[name] for name in frame[column].to_list()]
        for numbers, column in zip(place, ("system", "unit"), strict=True)
    )
    table = np.full((len(units), len(systems)), np.nan)
    table[rows, columns] = values.to_numpy()
    return tuple(systems), units, table
