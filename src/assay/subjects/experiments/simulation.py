"""`simulate_tests`: what peeking costs, and what a plan can find, on one's own users drawn anew."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl
from scipy import special

from assay.core.domains import POSITIVE, Whole, check_levels
from assay.core.evaluation_options import Seed
from assay.core.results import Result
from assay.files.experiments import read_past
from assay.measures.counting.judgments import Floats
from assay.stats.bootstrap import wilson
from assay.stats.monitoring import Monitoring
from assay.subjects.experiments.evaluation import ABTest
from assay.subjects.experiments.measures import OnlineMeasure, named

#: The ways to look, and what they are called.
WAYS = {
    "at the end": "one look, at the end",
    "peeking": "the plain test at every look",
    "group": "bounds by alpha spending",
    "hybrid": "confidence sequence, and the fixed test at the end",
    "always": "confidence sequence",
}
#: Users that are drawn at a time.
_BLOCK = 4_000_000


class SimulatedWay(NamedTuple):
    """A way to look: how often it finds a difference where there is none, and where there is; and how soon."""

    way: str
    false_positives: float
    false_low: float
    false_high: float
    power: float
    users: float


@dataclass(frozen=True, eq=False)
class SimulatedTests(Result):
    """Tests of nothing, and of a difference, by each way to look."""

    kind: ClassVar[str] = "simulated tests"
    warnings: ClassVar[tuple[str, ...]] = ()

    measure: str
    difference: float
    users: int
    looks: int
    tests: int
    alpha: float
    seed: int
    ways: tuple[SimulatedWay, ...]

    def __repr__(self) -> str:
        return f"<SimulatedTests of {self.measure}: {self.tests:,} at {self.looks} looks>"

    def to_frame(self) -> pl.DataFrame:
        """One row per way to look."""
        return pl.DataFrame([each._asdict() for each in self.ways])


def simulate_tests(
    past: Any,
    measure: str,
    *,
    difference: float,
    users: int | None = None,
    looks: int = 14,
    tests: int = 1000,
    alpha: float = 0.05,
    power: float = 0.8,
    spending: str = "kim-demets",
    seed: Seed = 0,
) -> SimulatedTests:
    """Run tests on past users, drawn anew and assigned at random: of nothing, and of a difference that is added.

    `users`: of both variants at the planned end; unless given, as many as a single look needs for the power. Looks are
    equally far apart. A ratio is taken as its delta method takes it, as the mean of what each user adds to it.

    >>> past = pl.DataFrame({"user": range(300), "clicks": [n * 7 % 5 for n in range(300)]})
    >>> found = simulate_tests(past, "clicks", difference=0.3, tests=200, looks=5)
    >>> [each.way for each in found.ways][:2], found.ways[1].false_positives > 0.09
    (['at the end', 'peeking'], True)
    """
    check_levels(alpha=alpha, power=power)
    POSITIVE.check("the difference", difference)
    looks, tests = Whole(1).check("looks", looks), Whole(10).check("tests", tests)
    values = parts_of(past, measure)
    if users is None:
        size = float(special.ndtri(1 - alpha / 2) + special.ndtri(power))
        users = math.ceil(4 * (size * float(values.std(ddof=1)) / difference) ** 2)
    users = Whole(2 * looks).check("users", users)
    ends = [2 * math.ceil((place + 1) / looks * users / 2) for place in range(looks)]
    z, errors = _drawn(values, ends, tests, seed)
    found = []
    for way in WAYS:
        factors = _factors(way, ends, alpha, spending)
        null, true = np.abs(z) > factors, np.abs(z + difference / errors) > factors
        right = (z + difference / errors > factors) & (np.cumsum(true, axis=1) <= 1)
        stops = np.where(true.any(axis=1), np.array(ends)[true.argmax(axis=1)], ends[-1])
        false = int(null.any(axis=1).sum())
        reach = wilson(false, tests, 0.95)
        found.append(
            SimulatedWay(
                way,
                false / tests,
                reach.low,
                reach.high,
                float(right.any(axis=1).mean()),
                float(stops.mean() / ends[-1]),
            )
        )
    return SimulatedTests(measure, difference, ends[-1], looks, tests, alpha, seed, tuple(found))


def parts_of(past: Any, measure: str) -> Floats:
    """What each past user adds to a number: of a mean, the user's own; of a ratio, as the delta method has it."""
    experiment = read_past(past)
    wanted = OnlineMeasure.parse(measure, experiment.numbers)
    (arm,) = ABTest(experiment, (wanted,)).arms.values()
    columns = arm.values(*map(named, wanted.columns))
    if wanted.kind == "ratio":
        above, below = columns
        ratio = above.sum() / below.sum()
        parts: Floats = ratio + (above - ratio * below) / below.mean()
        return parts
    return columns[0]


def _factors(way: str, ends: Sequence[int], alpha: float, spending: str) -> Floats:
    """How many standard errors are taken for sure at each look."""
    plain = float(special.ndtri(1 - alpha / 2))
    if way == "at the end":
        return np.array([math.inf] * (len(ends) - 1) + [plain])
    if way == "peeking":
        return np.full(len(ends), plain)
    factors = []
    for place, users in enumerate(ends):
        monitoring = Monitoring.of(way, ends[-1], ends[:place], spending)
        factors.append(plain if monitoring is None else monitoring.factor(users, alpha))
    return np.array(factors)


def _drawn(values: Floats, ends: Sequence[int], tests: int, seed: int) -> tuple[Floats, Floats]:
    """The statistic of each test (row) at each look (column), and its standard error."""
    rng, z, errors = np.random.default_rng(seed), [], []
    rows = max(1, _BLOCK // ends[-1])
    halves = np.array(ends) // 2
    for start in range(0, tests, rows):
        drawn = values[rng.integers(len(values), size=(min(rows, tests - start), 2, ends[-1] // 2))]
        sums = np.cumsum(drawn, axis=2)[:, :, halves - 1]
        squares = np.cumsum(drawn**2, axis=2)[:, :, halves - 1]
        variances = (squares - sums**2 / halves) / (halves - 1)
        error = np.sqrt(variances.sum(axis=1) / halves)
        error[error == 0] = math.inf
        means = sums / halves
        z.append((means[:, 1] - means[:, 0]) / error)
        errors.append(error)
    return np.concatenate(z), np.concatenate(errors)
