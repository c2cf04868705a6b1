"""A plan without data: from a standard deviation, known or guessed, to the number of units that a comparison needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import polars as pl

from assay.core.domains import POSITIVE, check_levels
from assay.core.errors import ParameterError, argument_name, joined, number_of
from assay.core.results import Result
from assay.stats.power import units_needed

#: 1: both systems have the same units, whose differences vary. 2: each has units of its own, whose numbers vary.
Groups: TypeAlias = Literal[1, 2]
#: The differences that are planned for, as shares of the one asked for.
_SHARES = (0.5, 1.0, 2.0)


class PlannedDifference(NamedTuple):
    """A difference, and the units that show it; None if no number of them does."""

    difference: float
    needed: int | None


@dataclass(frozen=True, eq=False)
class SpreadPlan(Result):
    """The units needed for differences that vary so much; the one asked for is the second of three.

    >>> plan_by_spread(0.05, 0.2).to_frame().rows()
    [(0.025, 505), (0.05, 128), (0.1, 34)]
    """

    kind = "spread_plan"

    differences: tuple[PlannedDifference, ...]
    sd: float
    alpha: float
    power: float
    groups: Groups
    unit_kind: str

    @property
    def needed(self) -> int | None:
        """The units that show the difference asked for, with the power asked for."""
        return self.differences[1].needed

    def __repr__(self) -> str:
        asked, units = self.differences[1]
        needs = "no number of units" if units is None else number_of(self.unit_kind, units)
        return f"<SpreadPlan: {needs} to detect {asked:g}>"

    def to_frame(self) -> pl.DataFrame:
        """One row per difference."""
        return pl.DataFrame([each._asdict() for each in self.differences])


def plan_by_spread(
    difference: float | None,
    sd: float | None,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    groups: Groups = 1,
    unit_kind: str = "unit",
) -> SpreadPlan:
    """Say how many units a difference needs, without data.

    `sd`: the standard deviation of the differences between two systems, from unit to unit; with 2 `groups`, where each
    system has units of its own, such as the users of an A/B test, that of the units' numbers.

    >>> plan_by_spread(0.5, 1.0, groups=2).needed
    128
    """
    stated = {"difference": difference, "sd": sd}
    missing = [argument_name(name) for name, value in stated.items() if value is None]
    if difference is None or sd is None:
        both = joined([argument_name(name) for name in stated])
        raise ParameterError(f"without data, a plan takes {both}: {' and '.join(missing)} is missing")
    POSITIVE.check("the difference", difference)
    POSITIVE.check("the standard deviation", sd)
    if groups not in {1, 2}:
        raise ParameterError(f"groups is 1 (both systems on the same units) or 2 (units of their own), not {groups!r}")
    check_levels(alpha=alpha, power=power)
    wanted = (share * difference for share in _SHARES)
    planned = tuple(PlannedDifference(each, units_needed(each, sd, alpha, power, groups=groups)) for each in wanted)
    return SpreadPlan(planned, sd, alpha, power, groups, unit_kind)


def refuse_without_data(stated: Mapping[str, Any]) -> None:
    """Refuse what says something about data, where there are none."""
    for name, value in stated.items():
        if value is not None:
            raise ParameterError(f"{argument_name(name)} says something about data, and a plan without data has none")
