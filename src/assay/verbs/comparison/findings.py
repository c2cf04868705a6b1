"""`Finding`: what is known of a system held against another under a measure; which ones are; pictures of both."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any, Literal, NamedTuple

import polars as pl

from assay.core.digits import as_level
from assay.core.errors import ParameterError, not_among
from assay.core.options import Family, Method
from assay.core.words import INTERVALS
from assay.measures.parser import same_name
from assay.measures.registry import Measure
from assay.stats.bootstrap import Interval
from assay.stats.permutation import Outcome
from assay.stats.samples import NO_DRAWING, Drawing, Pair, Sample
from assay.stats.tests import Wins
from assay.stats.verdict import FEWEST_UNITS, FindingVerdict, verdict
from assay.tables import Direction
from assay.verbs.curves import Curve


class Pairs(NamedTuple):
    """Pairs of systems, by their places: the baseline first."""

    pairs: tuple[tuple[int, int], ...]
    all_pairs: bool


def pairs_of(systems: Sequence[str], baseline: str | Iterable[str] | None = None, all_pairs: bool = False) -> Pairs:
    """Every system against the baseline, or against each of several; or all pairs.

    Unless told, the first of two systems is the baseline, and of more than two all pairs are compared.

    >>> pairs_of(["bm25", "dense", "mixed"], baseline="dense").pairs
    ((1, 0), (1, 2))
    """
    if len(systems) < 2:
        raise ParameterError(f"a comparison takes at least two systems, not {', '.join(systems) or 'none'} alone")
    if all_pairs and baseline is not None:
        raise ParameterError("choose a baseline, or all pairs")
    if all_pairs or (baseline is None and len(systems) > 2):
        return Pairs(tuple(combinations(range(len(systems)), 2)), all_pairs=True)
    if baseline is None:
        wanted = [systems[0]]
    elif isinstance(baseline, str):
        wanted = [baseline]
    else:
        wanted = list(baseline)
    for name in wanted:
        if name not in systems:
            raise not_among("baseline", name, systems)
    if not wanted:
        raise ParameterError("there is no baseline to compare with")
    firsts = [systems.index(name) for name in dict.fromkeys(wanted)]
    pairs: list[tuple[int, int]] = []
    for place, first in enumerate(firsts):
        # Two baselines are compared with one another once.
        pairs += [(first, second) for second in range(len(systems)) if second not in firsts[: place + 1]]
    return Pairs(tuple(pairs), all_pairs=False)


#: What stands for the test where measures have different ones.
EACH_ITS_OWN = "each measure's own"
#: Numbers of this size are 0, but for rounding.
_ZERO = 1e-12


class Levels(NamedTuple):
    """The bars of a verdict: the level, the smallest difference that matters, the power and the correction."""

    alpha: float = 0.05
    margin: float | None = None
    power: float = 0.8
    correction: str = "holm"


class Settings(NamedTuple):
    """The settings of a comparison: everything besides the data that its numbers depend on.

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
    def levels(self) -> Levels:
        """The bars of verdicts."""
        return Levels(self.alpha, self.margin, self.power, self.correction)

    @property
    def drawing(self) -> Drawing:
        """The way units are resampled."""
        return Drawing(self.bootstrap_resamples, self.seed)

    @property
    def bootstrap(self) -> Method:
        """The way intervals of single systems are made; those of clusterings are made in no other way."""
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
    measure is good. `deciding`: where there is no test, the interval that decides in its place, wider than `interval`
    for the other comparisons of the family.

    What only a subject knows, each a named tuple of its own, or None: `reach` says what unjudged documents could do,
    `noticed` what users would see; both need the runs. `flips`: of classifiers, how many items the one has right that
    the other has wrong.
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
    verdict: FindingVerdict
    reach: Any = None
    noticed: Any = None
    flips: Any = None
    deciding: Interval | None = None
    needed_observed: int | None = None
    direction: Direction = "higher"

    def is_sure(self, alpha: float) -> bool:
        """True if the systems are told apart: by the test, or where there is none by the interval."""
        if self.units < FEWEST_UNITS or self.verdict.conflict == "direction" or self.verdict.incomparable:
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


def select_finding(
    findings: Sequence[Finding], measure: str | Measure | None, system: str | None, baseline: str | None
) -> Finding:
    """The finding asked for; what there is only one of may be left out. Otherwise an error says what to choose of."""
    names = {finding.measure for finding in findings}
    asked = {"measure": None if measure is None else same_name(measure, names), "system": system, "baseline": baseline}
    fitting = [
        finding
        for finding in findings
        if all(wanted is None or getattr(finding, field) == wanted for field, wanted in asked.items())
    ]
    if len(fitting) == 1:
        return fitting[0]
    for field, wanted in asked.items():
        known = list(dict.fromkeys(getattr(finding, field) for finding in findings))
        if (wanted is None and len(known) > 1) or (wanted is not None and wanted not in known):
            raise not_among(field, wanted, known)
    raise ParameterError(f"{system} was not compared with {baseline}")


def finding_of(
    sample: Sample,
    pair: Pair,
    outcome: Outcome,
    p: float,
    levels: Levels,
    *,
    drawing: Drawing = NO_DRAWING,
    method: Method = "hull",
    family: int = 1,
) -> Finding:
    """Everything about one pair under one measure, but for what only the runs can tell.

    `family`: of so many comparisons, for which p is corrected already; an interval in place of a test is made wider.
    """
    (first, second), alpha, units = pair, levels.alpha, sample.pair_size(*pair)
    statistics = sample.statistics(pair, alpha, drawing, method)
    margin = Margin(*sample.margin(first, levels.margin))
    deciding = None
    if sample.decides_by == "interval":
        shared = alpha if levels.correction == "none" else alpha / family
        (deciding,) = sample.intervals(pair, [1 - shared], drawing, method)
        outcome = outcome._replace(resamples=sample.halves(first, second, drawing))
    decision = verdict(
        difference=statistics.difference,
        all_zero=statistics.all_zero,
        units=units,
        interval=statistics.interval,
        narrow=statistics.narrow,
        p=p,
        margin=margin.value,
        sign=outcome.sign,
        alpha=alpha,
        higher_is_better=sample.higher_is_better,
        untested=deciding,
        one_sided=sample.one_sided(first, second),
        incomparable=sample.incomparable(first, second),
    )
    if why := sample.why_not(first, second):
        decision = decision._replace(why=why)
    spread = statistics.spread
    return Finding(
        sample.measure,
        sample.systems[first],
        sample.systems[second],
        units,
        float(sample.observed[first]),
        float(sample.observed[second]),
        **statistics._asdict(),
        outcome=outcome,
        p=p,
        detectable=sample.detectable(pair, spread, alpha, levels.power),
        needed=sample.needed(margin.value, spread, alpha, levels.power),
        margin=margin,
        verdict=decision,
        deciding=deciding,
        needed_observed=sample.needed(statistics.difference, spread, alpha, levels.power),
        direction=sample.direction,
    )


#: Intervals of more pairs than this are not drawn: the systems are, with theirs.
_MOST_PAIRS = 24


def intervals(findings: Sequence[Finding], standings: Sequence[Standing], pairs: Pairs, settings: Settings) -> Curve:
    """Differences with their intervals, verdicts and margins; of many pairs, the systems with theirs."""
    level = f"{as_level(1 - settings.alpha)} intervals"
    if len(pairs.pairs) > _MOST_PAIRS:
        rows = [(each.system, each.measure, each.value, each.interval.low, each.interval.high) for each in standings]
        frame = pl.DataFrame(rows, schema=["system", "measure", "value", "low", "high"], orient="row")
        frame = frame.with_columns(verdict=pl.lit(None, pl.String), margin=pl.lit(None, pl.Float64))
        return _curve(
            f"Systems with their {level}",
            INTERVALS.get(standings[0].interval.method, INTERVALS[settings.interval]).short,
            frame,
        )
    baselines = list(dict.fromkeys(each.baseline for each in findings))
    one_baseline = len(baselines) == 1
    frame = pl.DataFrame([each.row() for each in findings], infer_schema_length=None).select(
        pl.col("system") if one_baseline else pl.format("{} – {}", "system", "baseline").alias("system"),
        "measure",
        pl.col("difference").alias("value"),
        "low",
        "high",
        pl.Series("verdict", [each.verdict.word for each in findings]),
        "margin",
    )
    title = f"Differences from {baselines[0]}, with {level}" if one_baseline else f"Differences, with {level}"
    return _curve(
        title, "blue better, orange worse, green equivalent, grey inconclusive; the band is the margin", frame
    )


def _curve(title: str, subtitle: str, frame: pl.DataFrame) -> Curve:
    frame = frame.with_columns(pl.col("value", "low", "high").cast(pl.Float64).fill_nan(None))
    return Curve("intervals", title, subtitle, frame, frame.select("system", "measure", "value"))
