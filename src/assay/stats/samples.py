"""`Sample`: systems on the same units under one measure, which is what every comparison starts from.

Each kind of sample knows its own tests, intervals, effects and spread. Means of units' numbers are `MeanSample`s,
counts summed over units `PooledSample`s, predicted labels `LabelSample`s, scores `ScoreSample`s, clusterings
`HalfSample`s and folds `FoldSample`s. Who compares, gates or plans asks a sample, and never which kind it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple, Self, TypeAlias

import numpy as np
import polars as pl

from assay.core.domains import Choice
from assay.core.errors import Note, ParameterError, number_of
from assay.core.options import Method
from assay.measures.counting.judgments import Floats, Mask
from assay.stats.bootstrap import FEWEST_DRAWN, Interval
from assay.stats.estimates import ROUNDING
from assay.stats.permutation import Alternative, Outcome
from assay.stats.power import smallest_detectable, units_needed
from assay.stats.tests import EVERY_TEST, Wins
from assay.stats.verdict import MOST_WITHHELD
from assay.tables import Direction

#: Two systems by their places, the baseline first.
Pair: TypeAlias = tuple[int, int]
#: What an interval is of: a system's number, or the second system's less the first one's.
Contrast: TypeAlias = tuple[int] | Pair

#: The kind of the notes that say what means do with units without a value.
UNDEFINED = "undefined"
#: Of a measure's range, or of the baseline's number where it has none: the smallest difference that matters.
MARGIN_SHARE = 0.01

_IS_HIGHER_BETTER: dict[Direction, bool | None] = {"higher": True, "lower": False, "neither": None, "unknown": None}


class Drawing(NamedTuple):
    """The numbers of resamples and of swaps, and their seed."""

    resamples: int
    seed: int


#: Where nothing is drawn.
NO_DRAWING = Drawing(0, 0)


class Effects(NamedTuple):
    """Sizes of a difference, unit by unit: NaN, and no unit won, tied or lost, where units have no numbers.

    Of predicted labels, a unit is won where the second system alone is right, whatever the measure.
    """

    d_z: float
    cliffs_delta: float
    wins: Wins


class KnownUnits(NamedTuple):
    """On how many units the first of two systems has a value, on how many the second, and on how many both.

    `kind`: what the units are, if not those of the sample.
    """

    first: int
    second: int
    both: int
    kind: str = ""

    @classmethod
    def of(cls, known: Mask, kind: str = "") -> KnownUnits:
        """From which units (rows) have a value under which of two systems (columns).

        >>> KnownUnits.of(np.array([[True, True], [True, False]]))
        KnownUnits(first=2, second=1, both=1, kind='')
        """
        first, second = (int(column.sum()) for column in known.T)
        return cls(first, second, int(known.all(axis=1).sum()), kind)


class PairStatistics(NamedTuple):
    """Statistics of one pair before a verdict is reached: see `Finding`."""

    difference: float
    interval: Interval
    narrow: Interval
    all_zero: bool
    d_z: float
    cliffs_delta: float
    wins: Wins
    spread: float


def few_units(unit_kind: str, units: int) -> list[str]:
    """A note on intervals of fewer than 5 units.

    >>> few_units("query", 4)
    ["4 queries are too few for a bootstrap: intervals are Student's t, and there are none where all values are alike"]
    """
    if not 2 <= units < FEWEST_DRAWN:
        return []
    few = f"{number_of(unit_kind, units)} are too few for a bootstrap"
    return [f"{few}: intervals are Student's t, and there are none where all values are alike"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Sample(ABC):
    """Systems' numbers on the units that all of them have, under one measure.

    `left_out`: units that some system has no number for. `of_one_only`: units that count for some systems, and that
    others have no number for. `direction`: which way the measure is good; `unknown` if nobody has said so.
    """

    systems: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    measure: str = ""
    unit_kind: str = "unit"
    bounds: tuple[float, float] | None = None
    direction: Direction = "higher"
    left_out: int = 0
    of_one_only: int = 0

    #: What tells systems apart: the p-value of a test, or the interval where there is none.
    decides_by: ClassVar[Literal["p", "interval"]] = "p"
    #: What the numbers are made of, in words.
    made_of: ClassVar[str] = "all items together"
    #: The test whose power says how many units are needed.
    power_test: ClassVar[str] = "paired t test"
    #: Whether a system's number is put together from numbers of its own that units have.
    averages_units: ClassVar[bool] = False
    #: Whether units are items with predicted labels: an item is right or wrong, and has no number of its own.
    right_or_wrong: ClassVar[bool] = False
    #: Whether test and intervals draw items in the same way, as often as suits the measure.
    draws_alike: ClassVar[bool] = False
    #: Whether only differences are known, as of preferences: then `observed` is NaN, and `difference` has its own way.
    only_differences: ClassVar[bool] = False

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of units."""

    @property
    @abstractmethod
    def observed(self) -> Floats:
        """Each system's number."""

    @abstractmethod
    def undefined(self) -> list[str | None]:
        """Reasons why systems have no number; None where they have one, or nobody knows."""

    @abstractmethod
    def is_same(self, first: int, second: int) -> bool:
        """True if no unit differs between two systems, nor what is made of the units."""

    @abstractmethod
    def spread(self, first: int, second: int, drawing: Drawing) -> float:
        """The spread of a unit's part in the difference; NaN where that is not known."""

    @abstractmethod
    def intervals(
        self, of: Contrast, levels: Sequence[float], drawing: Drawing, method: Method = "hull"
    ) -> list[Interval]:
        """The intervals of a system's number, or of the second system's less the first one's, at these levels."""

    @abstractmethod
    def redraws(self, drawing: Drawing, method: Method = "hull") -> Drawing:
        """The number of resamples for intervals: not more than it takes, or than can be afforded."""

    @property
    @abstractmethod
    def tests(self) -> tuple[str, ...]:
        """The tests that suit; the first one is the default."""

    @abstractmethod
    def why_not_test(self, test: str) -> str:
        """The reason why a test does not suit, the measure's name first."""

    @abstractmethod
    def only(self, *systems: int) -> Self:
        """Some of the systems, given by their places."""

    @abstractmethod
    def _tested(
        self, pairs: Sequence[Pair], test: str, drawing: Drawing, alternative: Alternative
    ) -> list[Outcome]: ...

    def test(
        self,
        pairs: Sequence[Pair],
        name: str | None,
        drawing: Drawing,
        alternative: Alternative = "two-sided",
    ) -> list[Outcome]:
        """Test each pair of systems by the test named, or the default; `alternative` is about the second system."""
        return self._tested(pairs, self.chosen_test(name), drawing, alternative)

    def chosen_test(self, name: str | None) -> str:
        """The test that was named, or the default; one that does not suit is refused, with the reason."""
        default = self.tests[0]
        if name is None or name == default:
            return default
        Choice(EVERY_TEST).check("the test", name)
        test = self.synonym(name)
        if test not in self.tests:
            raise ParameterError(f"{self.why_not_test(test)}: its test is {default}, not {test}")
        return test

    def synonym(self, test: str) -> str:
        """The name of a test here."""
        return test

    def test_words(self, outcome: Outcome) -> str:
        """The name of the test, and the way it was made, for a table of tests of one kind each."""
        return outcome.note

    def effects(self, first: int, second: int) -> Effects:
        """Sizes of the difference, unit by unit."""
        return Effects(np.nan, np.nan, Wins(0, 0, 0))

    def unit_values(self) -> Floats | None:
        """The numbers of units (rows) under systems (columns), NaN where there is none; None if units have none.

        Of predicted labels, 1 where the system is right and 0 where it is wrong.
        """
        return None

    def reweighted(self, weights: Floats) -> Floats | None:
        """Each system's number (column) under each row of weights of the units; None if these cannot be weighted."""
        return None

    @property
    def can_be_reweighted(self) -> bool:
        """True if units with names can be weighted, and so be resampled for several samples alike."""
        return len(self.units) == self.size and self.reweighted(np.ones((1, self.size))) is not None

    def part(self, rows: Sequence[int]) -> Self | None:
        """The same systems on some of the units, given by their places; None if that would be another number."""
        return None

    def contributions(self, key: str) -> pl.DataFrame | None:
        """Of two systems, what each unit adds to the difference, under this key; None if no unit has a part."""
        return None

    def defined(self) -> Self:
        """Without systems that have no number, where these would have none whatever the units."""
        return self

    def halves(self, first: int, second: int, drawing: Drawing) -> int | None:
        """The halves of the items that the intervals of a difference come from; None if they do not."""
        return None

    def statistics(self, pair: Pair, alpha: float, drawing: Drawing, method: Method = "hull") -> PairStatistics:
        """Everything but the test about one pair."""
        wide, narrow = self.intervals(pair, (1 - alpha, 1 - 2 * alpha), drawing, method)
        return PairStatistics(
            self.difference(*pair),
            wide,
            narrow,
            self.is_same(*pair),
            *self.effects(*pair),
            self.spread(*pair, drawing),
        )

    def pair_size(self, first: int, second: int) -> int:
        """The number of units of two systems: all, unless systems have units of their own."""
        return self.size

    def detectable(self, pair: Pair, spread: float, alpha: float, power: float) -> float:
        """The smallest difference that the units of two systems would detect."""
        return smallest_detectable(spread, self.pair_size(*pair), alpha, power)

    def needed(self, difference: float, spread: float, alpha: float, power: float) -> int | None:
        """The units that would detect a difference; None if no number of them does."""
        return units_needed(difference, spread, alpha, power)

    @property
    def is_mean(self) -> bool:
        """True if a system's number is the mean of its units' numbers."""
        return False

    @property
    def is_sum(self) -> bool:
        """True if a system's number grows with the number of units."""
        return False

    @property
    def is_undirected(self) -> bool:
        """True if nobody has said if higher or lower is better."""
        return self.direction == "unknown"

    @property
    def higher_is_better(self) -> bool | None:
        """True if more is better; None if neither is, or if nobody has said so."""
        return _IS_HIGHER_BETTER[self.direction]

    def directed(self, direction: Direction) -> Self:
        """The same with `higher` or `lower` as what is better."""
        return replace(self, direction=direction)

    def difference(self, first: int, second: int) -> float:
        """The second system's number less the first one's; what is rounding is no difference."""
        apart = float(self.observed[second] - self.observed[first])
        return 0.0 if abs(apart) <= ROUNDING * float(np.abs(self.observed[[first, second]]).max()) else apart

    def refuse_undirected(self, purpose: str) -> None:
        """Refuse a measure that is neither good nor bad when it is high, where a loss has to be told from a gain."""
        if self.higher_is_better is None:
            why = "its direction is not known" if self.is_undirected else "it is neither good nor bad when it is high"
            raise ParameterError(f"{self.measure}: {why}; to {purpose}, state its direction, higher or lower")

    def notes(self, absences: bool = True) -> list[str]:
        """Notes on the pairing: units left out, and missing values.

        `absences`: also which systems have no number, and why.
        """
        notes: list[str] = []
        if self.left_out:
            units = number_of(self.unit_kind, self.left_out)
            remark = f"{units} left out: not all systems have a value there"
            notes.append(Note.on(self.measure, remark, kind=UNDEFINED))
        if self.of_one_only:
            units = number_of(self.unit_kind, self.of_one_only)
            remark = f"{units} with a value for one system and none for another: each has its own mean"
            notes.append(Note.on(self.measure, remark, kind=UNDEFINED))
        notes += [
            f"{self.measure} of {system} is undefined" + (f": {why}" if why else "")
            for system, value, why in zip(self.systems, self.observed, self.undefined(), strict=True)
            if absences and np.isnan(value) and not self.only_differences
        ]
        return notes + self.value_notes()

    def value_notes(self) -> list[str]:
        """Notes on the units' numbers, where they have any."""
        return []

    def interval_notes(self) -> list[str]:
        """Notes on the intervals: units too few to resample."""
        return few_units(self.unit_kind, self.size)

    def why_not(self, *systems: int) -> str:
        """The systems without a number, and the reasons, in words; empty if all have one."""
        if self.only_differences:
            return ""
        reasons = self.undefined()
        lacking = [system for system in systems if np.isnan(self.observed[system])]
        names: dict[str | None, list[str]] = {}
        for system in lacking:
            names.setdefault(reasons[system], []).append(self.systems[system])
        clauses = [" and ".join(several) + (f" ({why})" if why else "") for why, several in names.items()]
        return f"undefined for {', and for '.join(clauses)}" if clauses else ""

    def one_sided(self, first: int, second: int) -> str:
        """For how many of the units left out one of two systems alone has a number, in words; empty if for none."""
        return ""

    def known_units(self, first: int, second: int) -> KnownUnits | None:
        """On how many units each of two systems, and both, have a value; None where that is no question."""
        return None

    def incomparable(self, first: int, second: int) -> str:
        """The reason why two systems are not compared: one lacks too many of the values that the other has."""
        known = self.known_units(first, second)
        if known is None:
            return ""
        sides = (self.systems[first], known.first, self.systems[second]), (
            self.systems[second], known.second, self.systems[first]
        )  # fmt: skip
        for other, units, system in sides:
            lacking = units - known.both
            if lacking > MOST_WITHHELD * units + ROUNDING:
                of = f"{lacking:,} of the {number_of(known.kind or self.unit_kind, units)}"
                return f"{system} has no value on {of} that {other} has one on"
        return ""

    def margin_notes(self, margin: float) -> list[str]:
        """Notes on a margin that is more than a tenth of the measure's range."""
        width = np.inf if self.bounds is None else self.bounds[1] - self.bounds[0]
        if margin <= 0.1 * width:
            return []
        so_wide = "more than a tenth of" if margin < width else "not narrower than"
        no_loss = "" if margin < width else ": no difference is larger"
        return [f"the margin {margin:g} is {so_wide} the range of {self.measure}{no_loss}"]

    def margin(self, baseline: int, asked: float | None = None) -> tuple[float, str]:
        """The smallest difference that matters, and where it comes from."""
        if asked is not None:
            return asked, "as asked for"
        if self.bounds is not None and np.isfinite(self.bounds).all():
            return MARGIN_SHARE * (self.bounds[1] - self.bounds[0]), f"{MARGIN_SHARE:g} of the measure's range"
        share = MARGIN_SHARE * abs(float(self.observed[baseline]))
        return share, f"{MARGIN_SHARE:.0%} of the baseline's number, as the measure has no range"

    def _by_name(self, systems: Sequence[int]) -> list[int]:
        """Systems in the order of their names: what is drawn does not depend on which of them comes first."""
        return sorted(systems, key=lambda place: self.systems[place]) if self.systems else list(systems)

    def _names(self, systems: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.systems[place] for place in systems) if self.systems else ()
