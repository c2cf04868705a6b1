"""How often A/B tests of nothing find something, and how often intervals hold the truth, for users who differ.

Usage: python -m benchmarks.studies.abtest_calibration [--tests 2000] [--users 2000]

Users search as often as they like (gamma by Poisson), and click each at a rate of their own (beta); what they did
before is drawn from the same rate. In a test of nothing, variants are assigned at random. The first table has the share
of tests of nothing that are significant at 5 %, with the binomial limits of that many tests, and the share of 95 %
intervals that hold a true difference: of means, ratios, covariates, medians, the sample ratio; and of a test over
searches as if each were a user. The second has false positives and power over several looks, of each way to look; then
comes how often the interval after an early stop holds the truth.
"""

import argparse
import sys
import warnings

import numpy as np
import polars as pl
from scipy import special, stats

from assay import abtest, simulate_tests
from assay.stats.group_sequential import Bounds, after_stop, bounds, drift_of
from assay.stats.sample_ratio import mismatch

LOOKS = (14, 30)


def drawn(rng: np.random.Generator, number: int) -> pl.DataFrame:
    """Users, what they did, and what they did before."""
    rate, busy = rng.beta(2, 3, number), rng.gamma(1.5, 4, number)
    searches, before = 1 + rng.poisson(busy), 1 + rng.poisson(busy)
    return pl.DataFrame(
        {
            "user_id": np.arange(number),
            "variant": np.where(rng.random(number) < 0.5, "control", "new"),
            "searches": searches,
            "clicks": rng.binomial(searches, rate),
            "searches_before": before,
            "clicks_before": rng.binomial(before, rate),
            "seconds": rng.lognormal(2 + 0.5 * rng.normal(size=number), 0.6, number),
        }
    )


def of_nothing(tests: int, users: int, seed: int) -> list[str]:
    """Tests of nothing: false positives, and coverage of a difference of 0."""
    rng = np.random.default_rng(seed)
    plain = ["clicks", "clicks/searches", "median(seconds)"]
    before = {"clicks": "clicks_before", "clicks/searches": "clicks_before/searches_before"}
    found = dict.fromkeys([*plain, *(f"{name}, with a covariate" for name in before), "sample ratio", "per search"], 0)
    for _ in range(tests):
        frame = drawn(rng, users)
        result = abtest(frame, plain)
        adjusted = abtest(frame, list(before), covariates=before) if _is_even(frame) else None
        pairs = [(name, result, name) for name in plain]
        pairs += [] if adjusted is None else [(f"{name}, with a covariate", adjusted, name) for name in before]
        for label, test, name in pairs:
            low, high, *_ = test.difference(name, "new")
            found[label] += low > 0 or high < 0
        sizes = list(result.experiment.sizes.values())
        found["sample ratio"] += mismatch(sizes) < 0.05
        sums = frame.group_by("variant").agg(pl.col("clicks", "searches").sum()).sort("variant")
        cells = [[hit, total - hit] for hit, total in sums.select("clicks", "searches").iter_rows()]
        found["per search"] += stats.chi2_contingency(cells, correction=False).pvalue < 0.05
    low, high = (stats.binom.ppf(level, tests, 0.05) / tests for level in (0.005, 0.995))
    limits = f"99 % of such counts lie from {low:.1%} to {high:.1%}"
    lines = [f"{tests:,} tests of nothing, {users:,} users each; {limits}.", "",
             "| test | significant at 5 % | intervals hold 0 |", "| --- | ---: | ---: |"]  # fmt: skip
    return lines + [f"| {name} | {count / tests:.1%} | {1 - count / tests:.1%} |" for name, count in found.items()]


def _is_even(frame: pl.DataFrame) -> bool:
    """Whether the covariates do not differ as if they had been measured after the assignment, which is refused."""
    parts = [frame.filter(pl.col("variant") == name) for name in ("control", "new")]
    rates = [part["clicks_before"] / part["searches_before"] for part in parts]
    tests = [stats.ttest_ind(*(part["clicks_before"] for part in parts)), stats.ttest_ind(*rates)]
    return all(test.pvalue > 0.005 for test in tests)


def of_looks(tests: int, users: int, seed: int) -> list[str]:
    """False positives and power over looks, on the same kind of users."""
    past = drawn(np.random.default_rng(seed), users)
    lines = ["| looks | way | false positives | power | users at the stop |", "| ---: | --- | ---: | ---: | ---: |"]
    for looks in LOOKS:
        found = simulate_tests(past, "clicks", difference=0.5, looks=looks, tests=tests, seed=seed)
        for each in found.ways:
            shares = " | ".join(f"{share:.1%}" for share in (each.false_positives, each.power, each.users))
            lines.append(f"| {looks} | {each.way} | {shares} |")
    return lines


def of_stops(tests: int, seed: int, looks: int = 14) -> list[str]:
    """Intervals after a stop, by the order of stages and by the plain formula: how often they hold the truth."""
    rng, shares = np.random.default_rng(seed), tuple((place + 1) / looks for place in range(looks))
    limits, truth = bounds(shares), drift_of(0.8)
    held, plain, above = 0, 0, 0
    reach = float(special.ndtri(0.975))
    for _ in range(tests):
        z = np.cumsum(rng.normal(truth / looks, looks**-0.5, looks)) / np.sqrt(shares)
        crossed = np.flatnonzero(np.abs(z) >= np.array(limits.upper))
        last = int(crossed[0]) if len(crossed) else looks - 1
        stop = after_stop(Bounds(shares[: last + 1], limits.upper[: last + 1]), float(z[last]), 1.0)
        held += stop.low <= truth <= stop.high
        above += stop.estimate > truth
        plain += abs(z[last] - truth * shares[last] ** 0.5) <= reach
    shown = [f"{count / tests:.1%}" for count in (held, plain, above)]
    return [
        f"After {tests:,} stops at {looks} looks, intervals by the order of stages held the truth in {shown[0]}, plain "
        f"ones in {shown[1]}; the estimate was above the truth in {shown[2]}."
    ]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Calibration of A/B tests.")
    parser.add_argument("--tests", type=int, default=2000)
    parser.add_argument("--users", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    parts = [
        of_nothing(options.tests, options.users, options.seed),
        of_looks(5 * options.tests, options.users, options.seed),
        of_stops(options.tests // 4, options.seed),
    ]
    sys.stdout.write("\n\n".join("\n".join(part) for part in parts) + "\n")


if __name__ == "__main__":
    main()
