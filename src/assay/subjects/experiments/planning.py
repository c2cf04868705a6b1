"""`plan_test`: how many users a test takes, how long, and what it can show; and the plan, to be tested by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import polars as pl
from scipy import special

from assay.core.domains import POSITIVE, Choice, Whole, check_levels
from assay.core.errors import ParameterError, listed
from assay.core.results import Result
from assay.files.experiments import read_past
from assay.stats.group_sequential import SPENDING, bounds, inflation
from assay.subjects.experiments.evaluation import ABTest, covariates_of
from assay.subjects.experiments.measures import OnlineMeasure
from assay.subjects.experiments.plans import PlannedMeasure, PlannedTest
from assay.tables.experiment import Experiment

#: Differences beside the one asked for, as shares of it.
_SHARES = (0.5, 1.0, 2.0)
#: The power of the hybrid's fixed test at the end, which has nine tenths of alpha.
_HYBRID = 0.9
#: Points of a curve.
_POINTS = 40


class SizeRow(NamedTuple):
    """A difference, how much that is of the control's number, and the users and days that it takes."""

    difference: float
    relative: float
    users: int
    days: int | None


@dataclass(frozen=True, eq=False)
class TestPlan(Result):
    """The plan of a test with the numbers behind it.

    >>> plan_test("new-ranking", "converted", mean=0.1, difference=0.02).plan.users
    7064
    """

    __test__: ClassVar[bool] = False
    kind: ClassVar[str] = "test plan"
    warnings: ClassVar[tuple[str, ...]] = ()

    plan: PlannedTest
    mean: float
    #: The standard deviation of a user's part in the number, with what the covariate takes away.
    sd: float
    saving: float
    users_per_day: float | None

    def __repr__(self) -> str:
        return f"<TestPlan of {self.plan.key}: {self.plan.users:,} users>"

    @cached_property
    def inflation(self) -> float:
        """How many times the users of a single look it takes."""
        return inflation_of(self.plan)

    def users(self, difference: float) -> int:
        """The users of all variants that show this difference with the planned power."""
        return math.ceil(self._factor() * (self.sd / difference) ** 2)

    def detectable(self, users: float) -> float:
        """The smallest difference that so many users show with the planned power."""
        return self.sd * math.sqrt(self._factor() / users)

    def _factor(self) -> float:
        return users_factor(self.plan) * self.inflation

    @cached_property
    def sizes(self) -> tuple[SizeRow, ...]:
        """What it takes for half of the difference, all of it, and twice as much."""
        return tuple(self._size(share * self.sought) for share in _SHARES)

    def _size(self, difference: float) -> SizeRow:
        users = self.users(difference)
        days = None if self.users_per_day is None else math.ceil(users / self.users_per_day)
        return SizeRow(difference, difference / abs(self.mean) if self.mean else math.nan, users, days)

    @property
    def sought(self) -> float:
        """The difference that is to be found, or the margin that the loss is to be shown to be below of."""
        return self.plan.primary.difference or self.plan.primary.margin or math.nan

    @cached_property
    def looks(self) -> pl.DataFrame:
        """The bounds at each planned look: its share of the users, and how many standard errors are sure there."""
        plan = self.plan
        shares = [(place + 1) / plan.looks for place in range(plan.looks)]
        frame = {"look": range(1, plan.looks + 1), "users": [math.ceil(share * plan.users) for share in shares]}
        if plan.sequential != "group":
            return pl.DataFrame(frame)
        return pl.DataFrame(frame | {"bound": bounds(shares, plan.alpha, plan.spending, rho=plan.rho).upper})

    @cached_property
    def curve(self) -> pl.DataFrame:
        """The smallest difference that is detected, by the number of users."""
        most = 2 * self.plan.users
        users = [most * (place + 1) / _POINTS for place in range(_POINTS)]
        return pl.DataFrame({"users": users, "difference": [self.detectable(each) for each in users]})

    def to_frame(self) -> pl.DataFrame:
        """One row per difference."""
        return pl.DataFrame([each._asdict() for each in self.sizes])

    def complete(self) -> Self:
        """Finish every number."""
        return self._finish("inflation", "sizes", "looks", "curve")


def users_factor(plan: PlannedTest) -> float:
    """The users of all variants for a difference of one standard deviation, in one look.

    The worst of the comparisons with the control counts, and several of them share alpha (Bonferroni).
    """
    weights = plan.weights or (1.0,) * len(plan.variants)
    shares = [weight / sum(weights) for weight in weights]
    others = len(plan.variants) - 1
    # That the loss is less than a margin is a one-sided question.
    level = plan.alpha / others * (2 if plan.primary.difference is None else 1)
    size = float(special.ndtri(1 - level / 2) + special.ndtri(plan.power))
    return size**2 * (1 / shares[0] + 1 / min(shares[1:]))


def inflation_of(plan: PlannedTest) -> float:
    """How many times the users of a single look the plan takes for its looks."""
    if plan.sequential == "group" and plan.looks > 1:
        shares = [(place + 1) / plan.looks for place in range(plan.looks)]
        return inflation(bounds(shares, plan.alpha, plan.spending, rho=plan.rho), plan.alpha, plan.power)
    if plan.sequential == "hybrid":
        levels = plan.alpha, _HYBRID * plan.alpha
        whole, left = (float(special.ndtri(1 - level / 2) + special.ndtri(plan.power)) for level in levels)
        return (left / whole) ** 2
    return 1.0


def plan_test(
    key: str,
    measure: str,
    *,
    difference: float | None = None,
    margin: float | None = None,
    past: Any = None,
    mean: float | None = None,
    sd: float | None = None,
    users_per_day: float | None = None,
    users: int | None = None,
    covariate: str | None = None,
    secondary: Sequence[str] = (),
    guardrails: Sequence[tuple[str, float]] = (),
    directions: Sequence[tuple[str, str]] = (),
    variants: Sequence[str] = ("control", "treatment"),
    weights: Sequence[float] | None = None,
    looks: int = 1,
    spending: str = "kim-demets",
    alpha: float = 0.05,
    power: float = 0.8,
    hypothesis: str = "",
) -> TestPlan:
    """Plan a test: the users that it takes to show a difference in the primary measure, and when one looks.

    With a `margin` in place of a `difference`: to show that the variant is not worse by that much (non-inferiority).
    How much users vary comes from `past`, a table with one row per user, or from `sd`; of a share, `mean` is enough.
    `covariate`: the number of before the test that the measure is adjusted by; how much that saves is taken from the
    past. `users_per_day` gives the days. `users`: plan for so many, whatever they show. With several `looks`, bounds
    are by alpha spending, and the test takes a little longer.

    >>> plan_test("k", "x", sd=1.0, difference=0.1).plan.users  # 4 x 7.849 / 0.01
    3140
    """
    if (difference is None) == (margin is None):
        raise ParameterError("state the difference to be found, or the margin of a loss that does not matter")
    sought = POSITIVE.check("the difference" if margin is None else "the margin", difference or margin)
    check_levels(alpha=alpha, power=power)
    Choice(SPENDING).check("spending", spending)
    looks = Whole(1).check("looks", looks)
    saving = 0.0
    if past is not None:
        mean, sd, saving = of_past(past, measure, covariate)
    elif covariate is not None and sd is None:
        raise ParameterError("a covariate saves what past data say: give them, or the sd that is left")
    if sd is None and mean is not None and 0 < mean < 1:
        sd = math.sqrt(mean * (1 - mean))
    if sd is None:
        raise ParameterError("how much do users vary? Give past data, the sd, or the mean of a share (0 to 1)")
    POSITIVE.check("the sd", sd)
    stated = dict(directions)
    names = [measure, *secondary, *(name for name, _ in guardrails)]
    if len(set(names)) < len(names):
        raise ParameterError(f"each measure has one part in a plan, got {listed(names)}")

    def planned(name: str, role: Any) -> PlannedMeasure:
        way: Any = stated.get(name) or OnlineMeasure(name, "mean", (name,)).direction
        return PlannedMeasure(name, role, "higher" if way == "unknown" else way)

    measures = (
        planned(measure, "primary")._replace(difference=difference, margin=margin, covariate=covariate),
        *(planned(name, "secondary") for name in secondary),
        *(planned(name, "guardrail")._replace(margin=most) for name, most in guardrails),
    )
    draft = PlannedTest(
        key, measures, 2, hypothesis, "user", tuple(variants), None if weights is None else tuple(weights), None, looks,
        alpha, power, "group" if looks > 1 else "fixed", spending, written=f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}Z",
    )  # fmt: skip
    if len(draft.variants) < 2 or (draft.weights is not None and len(draft.weights) != len(draft.variants)):
        raise ParameterError("a plan has two variants or more, and a weight for each if there are any")
    result = TestPlan(draft, math.nan if mean is None else mean, sd * math.sqrt(1 - saving), saving, users_per_day)
    size = result.users(sought) if users is None else Whole(2).check("users", users)
    days = None if users_per_day is None else math.ceil(size / POSITIVE.check("users_per_day", users_per_day))
    return replace(result, plan=replace(draft, users=size, days=days))


def of_past(past: Any, measure: str, covariate: str | None) -> tuple[float, float, float]:
    """The number of past users, how much each one's part in it varies, and the share that a covariate takes away."""
    experiment: Experiment = read_past(past)
    wanted = OnlineMeasure.parse(measure, experiment.numbers)
    covariates = covariates_of({} if covariate is None else {measure: covariate}, experiment)
    result = ABTest(experiment, (wanted,), covariates=covariates)
    (arm,) = replace(result, covariates={}).sample(wanted).arms
    return arm.value, math.sqrt(arm.variance * arm.units), result.saving(wanted)
