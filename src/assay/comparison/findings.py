"""What a comparison found: one `Finding` per measure and pair of systems, one `Standing` per measure and system."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from assay.classification.pairing import Flips
from assay.comparison.pairing import Family
from assay.core.errors import ParameterError, not_among
from assay.measures.registry import Measure
from assay.rankings.unjudged import UnjudgedReach
from assay.rankings.visible_changes import VisibleChanges
from assay.stats.bootstrap import Interval, Method
from assay.stats.cluster_samples import NO_TEST
from assay.stats.effects import Wins
from assay.stats.pairs import Resampled
from assay.stats.permutation import Outcome
from assay.stats.power import smallest_detectable, units_needed
from assay.stats.verdict import FEWEST_UNITS, Verdict, verdict
from assay.tables import Direction

#: What stands for the test where measures have different ones.
EACH_ITS_OWN = "each measure's own"
#: Numbers of this size are 0, but for rounding.
_ZERO = 1e-12


class Settings(NamedTuple):
    """How a comparison was made: everything besides the data that its numbers depend on.

    `test`: the one of all measures, or "each measure's own"; then the findings' outcomes name them. `resamples`: how
    many random swaps the test drew (None: none), `bootstrap_resamples`: how often units were drawn anew for the
    intervals. `family`: p-values are corrected over the pairs under one measure, or under all of them.
    """

    alpha: float
    margin: float | None
    test: str
    correction: str
    family: Family
    interval: Method | Literal["subsampling"]
    resamples: int | None
    bootstrap_resamples: int
    power: float
    seed: int

    @property
    def bootstrap(self) -> Method:
        """How intervals of single systems are made; those of clusterings are made in no other way."""
        return "hull" if self.interval == "subsampling" else self.interval


class Margin(NamedTuple):
    """The smallest difference that matters, and where it comes from."""

    value: float
    says: str


class Finding(NamedTuple):
    """One system against a baseline under one measure; differences are the system's number less the baseline's.

    `interval` is at level 1 - alpha; `narrow`, at 1 - 2 alpha, is what equivalence is judged by. `all_zero`: no unit
    differs. `p` is corrected for the other comparisons of the family, `outcome.p` is not. `spread`: how much a unit's
    part in the difference varies, for means the standard deviation of the differences. `detectable`: the smallest
    difference that so many units would detect; `needed`: the units that would detect the margin, and `needed_observed`
    those that would detect a difference like this one; all at the power of the settings. `direction`: which way the
    measure is good. `reach` says what unjudged documents could do, `noticed` what users would see; both need the runs.
    `flips`: of classifiers, how many items the one has right that the other has wrong. `deciding`: where there is no
    test, the interval that decides in its place, wider than `interval` for the other comparisons of the family.
    """

    measure: str
    baseline: str
    system: str
    units: int
    baseline_value: float
    value: float
    difference: float
    interval: Interval
    narrow: Interval
    all_zero: bool
    d_z: float
    cliffs_delta: float
    wins: Wins
    spread: float
    outcome: Outcome
    p: float
    detectable: float
    needed: int | None
    margin: Margin
    verdict: Verdict
    reach: UnjudgedReach | None = None
    noticed: VisibleChanges | None = None
    flips: Flips | None = None
    deciding: Interval | None = None
    needed_observed: int | None = None
    direction: Direction = "higher"

    def is_sure(self, alpha: float) -> bool:
        """Whether the systems are told apart: by the test, or where there is none by the interval."""
        if self.units < FEWEST_UNITS or self.verdict.conflict == "direction":
            return False
        return self.p < alpha if self.deciding is None else self.deciding.is_beside_zero

    @property
    def record(self) -> Wins:
        """Units that the system wins, ties and loses: where lower is better, it wins with the lower number.

        `wins` counts higher numbers; of predicted labels, whose items have no numbers, it counts what is right.
        """
        of_numbers = not math.isnan(self.cliffs_delta)
        return Wins(*reversed(self.wins)) if of_numbers and self.direction == "lower" else self.wins

    @property
    def relative(self) -> float:
        """The difference as a share of the size of the baseline's number; NaN if that is 0, or 0 but for rounding."""
        return self.difference / abs(self.baseline_value) if abs(self.baseline_value) > _ZERO else float("nan")

    def row(self) -> dict[str, Any]:
        """One row of a table."""
        return {
            "measure": self.measure,
            "baseline": self.baseline,
            "system": self.system,
            "units": self.units,
            "baseline_value": self.baseline_value,
            "value": self.value,
            "difference": self.difference,
            "relative": self.relative,
            "low": self.interval.low,
            "high": self.interval.high,
            "p": self.p,
            "p_uncorrected": self.outcome.p,
            "d_z": self.d_z,
            "cliffs_delta": self.cliffs_delta,
            "won": self.record.won,
            "tied": self.record.tied,
            "lost": self.record.lost,
            "detectable": self.detectable,
            "needed": self.needed,
            "needed_observed": self.needed_observed,
            "margin": self.margin.value,
            "unjudged_low": None if self.reach is None else self.reach.low,
            "unjudged_high": None if self.reach is None else self.reach.high,
            "unjudged": None if self.reach is None else self.reach.documents,
            "unjudged_exact": None if self.reach is None else self.reach.exact,
            "direction": self.direction,
            "verdict": str(self.verdict),
            "conflict": self.verdict.conflict,
        }


class Standing(NamedTuple):
    """A system's place under one measure: its number, the interval, and the groups of systems like it.

    Systems that share a letter cannot be told apart; `alike` counts all others that this one cannot be told from.
    Unless all pairs were tested, there are neither.
    """

    measure: str
    system: str
    value: float
    interval: Interval
    groups: tuple[str, ...] = ()
    alike: int | None = None


def the_one(
    findings: Sequence[Finding], measure: str | Measure | None, system: str | None, baseline: str | None
) -> Finding:
    """The finding asked for; what there is only one of may be left out. Otherwise an error says what to choose of."""
    asked = {"measure": None if measure is None else str(measure), "system": system, "baseline": baseline}
    fitting = [
        one
        for one in findings
        if all(wanted is None or getattr(one, field) == wanted for field, wanted in asked.items())
    ]
    if len(fitting) == 1:
        return fitting[0]
    for field, wanted in asked.items():
        known = list(dict.fromkeys(getattr(one, field) for one in findings))
        if (wanted is None and len(known) > 1) or (wanted is not None and wanted not in known):
            raise not_among(field, wanted, known)
    raise ParameterError(f"{system} was not compared with {baseline}")


def finding_of(
    resampled: Resampled, pair: tuple[int, int], result: Outcome, p: float, settings: Settings, *, family: int = 1
) -> Finding:
    """Everything about one pair under one measure, but for what only the runs can tell.

    `family`: of so many comparisons, for which p is corrected already; an interval in place of a test is made wider.
    """
    paired, (first, second) = resampled.paired, pair
    numbers = resampled.numbers(first, second, settings.alpha)
    margin = Margin(*paired.margin(first, settings.margin))
    units, alpha = len(paired.units), settings.alpha
    deciding = None
    if result.test == NO_TEST:
        shared = alpha if settings.correction == "none" else alpha / family
        deciding = resampled.of_difference(first, second, 1 - shared)[0]
        result = result._replace(resamples=resampled.halves(first, second))
    said = verdict(
        difference=numbers.difference,
        all_zero=numbers.all_zero,
        units=units,
        interval=numbers.interval,
        narrow=numbers.narrow,
        p=p,
        margin=margin.value,
        sign=result.sign,
        alpha=alpha,
        higher_is_better=paired.higher_is_better,
        untested=deciding,
        one_sided=paired.one_sided(first, second),
    )
    if why := paired.why_not(first, second):
        said = said._replace(why=why)
    return Finding(
        paired.measure,
        paired.systems[first],
        paired.systems[second],
        units,
        float(paired.observed[first]),
        float(paired.observed[second]),
        **numbers._asdict(),
        outcome=result,
        p=p,
        detectable=smallest_detectable(numbers.spread, units, alpha, settings.power),
        needed=units_needed(margin.value, numbers.spread, alpha, settings.power),
        margin=margin,
        verdict=said,
        deciding=deciding,
        needed_observed=units_needed(numbers.difference, numbers.spread, alpha, settings.power),
        direction=paired.direction,
    )
