"""How often tests of ratios over users raise a false alarm, and how often intervals hold the true number.

Usage: python -m benchmarks.studies.ratio_calibration [EXPERIMENTS]

Users of two systems that are alike (A/A): each has a click rate of their own, and a number of searches from a
distribution with a long tail; users who search more click more, so that ratio and denominator go together. Prints a
line for each number of users and division between the systems: the share of experiments with p < 0.05 by Welch's test,
by the permutation of users, by a test of proportions that takes searches for independent, and, with users of both
systems, by the paired test; and how often the 95% interval of the difference, and of one system's number, holds the
true one. The table in docs/what-do-my-users-do.md is from 2,000 experiments.
"""

import argparse
import math

import numpy as np
from scipy import special

from assay.stats.ratio_samples import RatioSample, RatioSums
from assay.stats.samples import NO_DRAWING, Drawing

#: Users of both systems, and the share that the first has.
CASES = ((20, 0.5), (100, 0.5), (1000, 0.5), (1000, 0.1))


def users(number: int, rng: np.random.Generator, start: int = 0) -> RatioSums:
    """Searches and clicks of so many users: those who search more click more."""
    searches = 1.0 + rng.negative_binomial(1, 0.15, number)
    rate = special.expit(rng.normal(-0.4, 1.0, number) + 0.3 * np.log(searches))
    clicks = rng.binomial(searches.astype(np.int64), rate).astype(np.float64)
    return RatioSums(np.arange(start, start + number), clicks, searches.astype(np.float64))


def truth(rng: np.random.Generator) -> float:
    """The ratio of all users there could be."""
    return users(2_000_000, rng).ratio


def naive(first: RatioSums, second: RatioSums) -> float:
    """The p-value of the test of two proportions, which takes every search for independent."""
    clicks, searches = (np.array([getattr(side, name).sum() for side in (first, second)])
                        for name in ("numerator", "denominator"))  # fmt: skip
    pooled = clicks.sum() / searches.sum()
    error = math.sqrt(pooled * (1 - pooled) * (1 / searches).sum())
    return float(2 * special.ndtr(-abs(np.diff(clicks / searches)[0]) / error))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("experiments", nargs="?", type=int, default=2000)
    experiments = parser.parse_args().experiments
    rng = np.random.default_rng(0)
    rate = truth(rng)
    print("users  first  welch  permutation  proportions  paired  difference held  number held")
    for number, share in CASES:
        alarms, held, held_one = np.zeros(4), 0, 0
        for seed in range(experiments):
            sizes = round(number * share), number - round(number * share)
            first, second = users(sizes[0], rng), users(sizes[1], rng, sizes[0])
            sample = RatioSample((first, second), unit_kind="user")
            drawing = Drawing(499, seed)
            found = [sample.test([(0, 1)], name, drawing)[0].p for name in ("welch", "permutation")]
            again = users(number, rng)
            pair = RatioSample((users(number, rng), again), unit_kind="user")
            alarms += np.array([*found, naive(first, second), pair.test([(0, 1)], None, drawing)[0].p]) < 0.05
            (apart,) = sample.intervals((0, 1), [0.95], NO_DRAWING)
            (one,) = sample.intervals((0,), [0.95], NO_DRAWING)
            held, held_one = held + (apart.low <= 0 <= apart.high), held_one + (one.low <= rate <= one.high)
        shares = [*(alarms / experiments), held / experiments, held_one / experiments]
        print(f"{number:5}  {share:5.0%}  " + "  ".join(f"{each:10.1%}" for each in shares), flush=True)


if __name__ == "__main__":
    main()
