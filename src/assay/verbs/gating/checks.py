"""Checks of a gate and the rules they pass or fail by; guards on the inputs; what several make together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isnan, nan
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from assay.core.domains import POSITIVE
from assay.core.errors import InputError, ParameterError, did_you_mean
from assay.core.options import Inconclusive
from assay.stats.estimates import ROUNDING
from assay.stats.permutation import Alternative
from assay.stats.permutation import Outcome as Tested
from assay.stats.samples import Drawing, PairStatistics, Sample
from assay.stats.verdict import FEWEST_UNITS, corrected_as_stated, verdict
from assay.verbs.comparison.result import slices

Outcome: TypeAlias = Literal["pass", "inconclusive", "fail", "invalid"]


#: The outcomes, from best to worst: several checks together are as good as the worst of them.
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

EXIT_CODES: dict[Outcome, int] = {"pass": 0, "fail": 1, "invalid": 2, "inconclusive": 3}


class Decision(NamedTuple):
    """The outcome of one check, and the rule that decided."""

    outcome: Outcome
    why: str


def decided(
    *,
    difference: float,
    all_zero: bool,
    units: int,
    bound: float,
    p: float,
    margin: float,
    alpha: float = 0.05,
    scale: float = 1.0,
    at_best: float | None = None,
    one_sided: str = "",
    incomparable: str = "",
) -> Decision:
    """Apply the rules, in this order: identical, too few units, not worse by the margin, surely worse, inconclusive.

    `difference` is what the candidate gains, so that a loss is negative whatever the measure's direction; `bound` the
    lower end of its interval at level 1 - 2 alpha; `p` one-sided, corrected for the other checks. Numbers that differ
    by rounding only, at the `scale` of what the difference is of, are the same. Where there is no test, a loss is sure
    if even `at_best`, the upper end of the interval (wider for the other checks), is one. `one_sided` says where one
    system alone has a value: then they are not identical. `incomparable` says that one of them has none on too many
    units that the other has one on.

    >>> decided(difference=0.002, all_zero=False, units=50, bound=-0.004, p=0.7, margin=0.01).outcome
    'pass'
    >>> decided(difference=-0.01, all_zero=False, units=50, bound=-0.02, p=0.001, margin=0.01).outcome
    'fail'
    """
    nearly = ROUNDING * max(scale, margin)
    if isnan(difference):
        return Decision("inconclusive", "a system has no number")
    lacking = f"they cannot be compared: {incomparable}" if incomparable else one_sided
    if incomparable or (all_zero and one_sided):
        return Decision("inconclusive", lacking)
    if not all_zero and units < FEWEST_UNITS:
        return Decision("inconclusive", f"fewer than {FEWEST_UNITS} units")
    if all_zero or bound > -margin + nearly:
        return Decision("pass", "no unit differs" if all_zero else "the bound lies within the margin")
    beyond = difference <= -margin + nearly
    sure = p < alpha if at_best is None else at_best < -nearly
    chance = f"p is not below {alpha:g}" if at_best is None else "0 lies in the interval"
    if beyond and sure:
        by = f"p < {alpha:g}" if at_best is None else "the whole interval is one"
        return Decision("fail", f"a loss of the margin or more, and {by}")
    why = "a loss, but perhaps of less than the margin" if sure else "neither within the margin nor clearly a loss"
    if sure and difference >= 0:
        why = f"p < {alpha:g} for a loss, but the difference is not a loss: they point in opposite directions"
    if isnan(bound):
        why = "there is no interval to decide by"
    return Decision("inconclusive", f"a loss of the margin or more, but {chance}" if beyond else why)


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """The worst of several outcomes.

    >>> worst(["pass", "fail", "inconclusive"])
    'fail'
    """
    return max(outcomes, key=OUTCOMES.index, default="pass")


#: From what a measure was called by a user to its name in the scores.
Named: TypeAlias = Callable[[Any], str]


#: The margin of each measure by name; under None, that of the others.
Margins: TypeAlias = dict[str | None, float]


def margins_of(stated: Any, named: Named, measures: Sequence[str]) -> Margins:
    """The margins that were asked for: one for all measures, or by measure.

    >>> margins_of({"AP": 0.02}, str, ["AP"])
    {'AP': 0.02}
    """
    if isinstance(stated, Mapping):
        by_name = dict(stated)
    elif stated is None:
        by_name = {}
    else:
        by_name = {None: stated}
    margins: Margins = {}
    for key, value in by_name.items():
        name = None if key is None else named(key)
        if name in margins:
            raise ParameterError(f"two margins are given for {name}: give one")
        if name is not None and name not in measures:
            hint = did_you_mean(name, measures)
            raise ParameterError(f"a margin is given for {name}, but the gate is on {', '.join(measures)}{hint}")
        margins[name] = POSITIVE.check("the margin", value)
    return margins


def margins_in(texts: Iterable[str]) -> Margins:
    """Margins as they are typed: NUMBER, or MEASURE=NUMBER.

    >>> margins_in(["0.05", "nDCG@10=0.02"])
    {None: 0.05, 'nDCG@10': 0.02}
    """
    margins: Margins = {}
    for text in texts:
        measure, _, number = text.rpartition("=")
        try:
            value = POSITIVE.check("the margin", float(number))
        except ValueError as problem:
            said = "a margin is a number above 0, or MEASURE=NUMBER"
            raise ParameterError(f"{said}, such as nDCG@10=0.02, not {text!r}") from problem
        if (measure or None) in margins:
            raise ParameterError(f"two margins are given for {measure or 'all measures'}: give one")
        margins[measure or None] = value
    return margins


class Coverage(NamedTuple):
    """The basis of a system's scores: judged topics, those that its run lacks, and the share judged of its top 10.

    With judgments that were declared complete, that share is 1.
    """

    system: str
    topics: int
    missing: int
    judged: float


class Guard(NamedTuple):
    """A condition on the inputs: what it is about, whether it holds, and that in words.

    `advice`: what to do if it does not hold; arguments in braces.
    """

    name: str
    system: str
    holds: bool
    says: str
    advice: str


#: So many units that lost most are kept of each check.
_MOST_WORST = 5
#: The chance to pass that the needed units are counted for.
POWER = 0.8


class GateSettings(NamedTuple):
    """The settings of a gate: everything besides the data and the margins that its outcome depends on."""

    alpha: float
    inconclusive: Inconclusive
    max_missing: float
    min_judged: float | None
    resamples: int
    bootstrap_resamples: int
    seed: int = 0
    correction: str = "holm"

    @property
    def drawing(self) -> Drawing:
        """The way units are resampled for intervals."""
        return Drawing(self.bootstrap_resamples, self.seed)


class Loss(NamedTuple):
    """A unit that the candidate is worse on."""

    unit: str
    baseline_value: float
    value: float
    difference: float


#: What the rows of tables leave out.
_UNTOLD = {"worst", "redrawn", "interval", "at_best", "all_zero", "of_labels", "compared", "compared_p"}


class Check(NamedTuple):
    """One measure, on all units or on a `slice` of them; differences are the candidate's number less the baseline's.

    `at_worst`: the end of the one-sided interval on the bad side; `allowed`: the margin on that side, with its sign. A
    check passes if what is at worst is better than what is allowed. `p` is one-sided, and corrected for the other
    checks; `p_uncorrected` is not. `improved`, `same` and `worsened` count units. `needed`: the units that would let a
    candidate that is really as good pass, 80 % of the time. `redrawn`: how often units were drawn anew for the
    interval; 0 where that takes no drawing; `interval`: how it was made. `at_best`: where there is no test, the other
    end of the interval, which is made wider for the other checks; a loss is sure if even that is one.
    `all_zero`: no unit differs; unless it passes so, some have a value under one of the systems alone, as `why` says.
    `of_labels`: it is about predicted labels, which are right or wrong. `compared` and `compared_p` are the verdict and
    the two-sided p-value of `compare`, which asks whether the two differ; nothing of a slice.
    """

    measure: str
    slice: str
    unit_kind: str
    units: int
    baseline_value: float
    value: float
    difference: float
    at_worst: float
    allowed: float
    margin_says: str
    p: float
    p_uncorrected: float
    test: str
    improved: int
    same: int
    worsened: int
    needed: int | None
    outcome: Outcome
    why: str
    worst: tuple[Loss, ...] = ()
    redrawn: int = 0
    interval: str = "hull"
    at_best: float | None = None
    all_zero: bool = False
    of_labels: bool = False
    compared: str = ""
    compared_p: float = nan

    @property
    def is_identical(self) -> bool:
        """True if it passes as no unit differs."""
        return self.all_zero and self.outcome == "pass"

    @property
    def name(self) -> str:
        """The name of the check.

        >>> Check._make(["AP", "length = short", *[0] * 25]).name
        'AP, length = short'
        """
        return f"{self.measure}, {self.slice}" if self.slice else self.measure

    def row(self) -> dict[str, Any]:
        """One row of a table."""
        payload = self._asdict() | {"slice": self.slice or "all"}
        return {name: value for name, value in payload.items() if name not in _UNTOLD}


class Part(NamedTuple):
    """The inputs of a check: the two systems (baseline first) on some units, and the margin."""

    sample: Sample
    slice: str
    margin: float
    margin_says: str

    @property
    def direction(self) -> int:
        """1 where more is better, -1 where less is."""
        return -1 if self.sample.higher_is_better is False else 1


def parts_of(samples: Sequence[Sample], margins: Margins, by: str | None, attribute: dict[str, Any]) -> list[Part]:
    """All units under each measure; with an attribute, also the units that share a value of it."""
    parts: list[Part] = []
    for sample in samples:
        sample.refuse_undirected("gate on it")
        margin, origin = sample.margin(0, margins.get(sample.measure, margins.get(None)))
        if isnan(margin):
            raise InputError(f"{sample.measure} has no range, and is {sample.why_not(0)}: there is no margin")
        if not margin > 0:
            raise ParameterError(f"{sample.measure} has no range, and the baseline's number is 0: give its margin")
        parts.append(Part(sample, "", margin, origin))
        if by is None:
            continue
        # The margin is that of all units: what is negligible does not depend on the slice.
        parts += [
            Part(part, f"{by} = {value}", margin, origin) for value, part in slices(sample, 0, 1, attribute).items()
        ]
    return parts


def checks_of(parts: Sequence[Part], settings: GateSettings) -> tuple[Check, ...]:
    """Decide each check; p-values are corrected over all of them.

    >>> from assay.stats.mean_samples import MeanSample
    >>> values = np.array([[0.5, 0.1], [0.4, 0.2], [0.6, 0.1], [0.5, 0.2], [0.3, 0.1], [0.9, 0.2]])
    >>> sample = MeanSample(values, systems=("old", "new"), units=tuple("123456"), measure="AP", bounds=(0, 1))
    >>> settings = GateSettings(0.05, "report", 0.1, None, 1000, 1000, 0)
    >>> [(check.outcome, check.p) for check in checks_of([Part(sample, "", 0.01, "")], settings)]  # 1 of 2^6 swaps
    [('fail', 0.0156)]
    """
    tested = [_tested(part, settings) for part in parts]
    p = corrected_as_stated(np.array([outcome.p for outcome in tested]), settings.correction)
    return tuple(
        _check(part, outcome, value, settings, len(parts))
        for part, outcome, value in zip(parts, tested, p.tolist(), strict=True)
    )


def as_drawn(settings: GateSettings, checks: Sequence[Check]) -> GateSettings:
    """The settings with how often units were drawn anew: fewer times than asked for where they are very many."""
    redraws = [check.redrawn for check in checks if check.redrawn]
    return settings._replace(bootstrap_resamples=min(redraws, default=settings.bootstrap_resamples))


def _tested(part: Part, settings: GateSettings) -> Tested:
    """The test whether the candidate is worse: that of `compare`, on one side."""
    side: Alternative = "less" if part.direction > 0 else "greater"
    swaps = Drawing(settings.resamples, settings.seed)
    drawing = settings.drawing if part.sample.draws_alike else swaps
    return part.sample.test([(0, 1)], None, drawing, side)[0]


def _check(part: Part, tested: Tested, p: float, settings: GateSettings, checks: int) -> Check:
    sample, direction, drawing = part.sample, part.direction, settings.drawing
    statistics = sample.statistics((0, 1), settings.alpha, drawing)
    at_worst = statistics.narrow.low if direction > 0 else statistics.narrow.high
    at_best = None
    redrawn = sample.redraws(drawing).resamples
    if sample.decides_by == "interval":
        (wide,) = sample.intervals((0, 1), [1 - 2 * settings.alpha / checks], drawing)
        at_best = wide.high if direction > 0 else wide.low
        redrawn = sample.halves(0, 1, drawing) or 0
    incomparable = sample.incomparable(0, 1)
    decision = decided(
        difference=direction * statistics.difference,
        all_zero=statistics.all_zero,
        units=sample.size,
        bound=direction * at_worst,
        p=p,
        margin=part.margin,
        alpha=settings.alpha,
        scale=float(np.nanmax(np.abs(sample.observed), initial=0.0)),
        at_best=None if at_best is None else direction * at_best,
        one_sided=sample.one_sided(0, 1),
        incomparable=incomparable,
    )
    is_open = decision.outcome == "inconclusive" and not incomparable
    won, tied, lost = statistics.wins
    # An item that is predicted rightly now is won, whatever way the measure goes.
    more_is_won = direction > 0 or sample.right_or_wrong
    return Check(
        sample.measure,
        part.slice,
        sample.unit_kind,
        sample.size,
        float(sample.observed[0]),
        float(sample.observed[1]),
        # Sums in another order are no difference.
        0.0 if statistics.all_zero else statistics.difference,
        at_worst,
        -direction * part.margin,
        part.margin_says,
        p,
        tested.p,
        sample.test_words(tested),
        improved=won if more_is_won else lost,
        same=tied,
        worsened=lost if more_is_won else won,
        needed=_needed(part, statistics, settings.alpha) if is_open else None,
        outcome=decision.outcome,
        why=decision.why,
        worst=_worst(part),
        redrawn=redrawn,
        interval=statistics.narrow.method,
        at_best=at_best,
        all_zero=statistics.all_zero,
        of_labels=sample.right_or_wrong,
        **_compared(part, statistics, settings),
    )


def _compared(part: Part, statistics: PairStatistics, settings: GateSettings) -> dict[str, Any]:
    """The verdict of `compare` on the two: the same test on both sides."""
    if part.slice:
        return {}
    sample = part.sample
    swaps = Drawing(settings.resamples, settings.seed)
    (outcome,) = sample.test([(0, 1)], None, swaps)
    decision = verdict(
        difference=statistics.difference,
        all_zero=statistics.all_zero,
        units=sample.pair_size(0, 1),
        interval=statistics.interval,
        narrow=statistics.narrow,
        p=outcome.p,
        margin=part.margin,
        sign=outcome.sign,
        alpha=settings.alpha,
        higher_is_better=sample.higher_is_better,
        untested=statistics.interval if sample.decides_by == "interval" else None,
        one_sided=sample.one_sided(0, 1),
    )
    return {"compared": decision.word, "compared_p": outcome.p}


def _needed(part: Part, statistics: PairStatistics, alpha: float) -> int | None:
    """The units that a candidate with a true difference of 0 needs to pass, most of the time."""
    # One-sided at alpha is two-sided at twice that: the other tail has next to no part in it.
    if part.sample.is_sum or not 2 * alpha < POWER or not statistics.spread > 0:
        return None
    return part.sample.needed(part.margin, statistics.spread, 2 * alpha, POWER)


def _worst(part: Part) -> tuple[Loss, ...]:
    values = part.sample.unit_values()
    if values is None:
        return ()
    direction = 1 if part.sample.right_or_wrong else part.direction
    apart = direction * (values[:, 1] - values[:, 0])
    reach = ROUNDING * np.abs(values).max(axis=1, initial=0.0)
    order = [place for place in np.argsort(apart, kind="stable") if apart[place] < -reach[place]]
    return tuple(
        Loss(part.sample.units[place], float(old), float(new), float(new - old))
        for place, (old, new) in ((place, values[place]) for place in order[:_MOST_WORST])
    )
