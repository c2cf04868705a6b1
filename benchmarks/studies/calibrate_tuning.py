"""Measure how far tests and intervals of a tuned search system can be trusted, on simulated settings.

Usage: python -m benchmarks.studies.calibrate_tuning [--data-sets 1000] [--seed 0]

Topics are easy or hard, and every setting adds its own chance to each. For each data set a setting is chosen fold by
fold, and the tuned system is compared with the first setting: by a paired t test over topics, as if nothing had been
chosen, and by choosing again in every resample, as ``assay.tune`` does. Where no setting differs from the first, a test
at 5 % should reject in 5 % of the data sets, and 95 % intervals should hold the mean gain in 95 % of them.
"""

import argparse
from typing import NamedTuple

import numpy as np
from scipy import stats

from assay.stats.bootstrap import Interval
from assay.stats.fold_samples import RETUNED, Choices, t_by_error

ALPHA, NOISE, RESAMPLES = 0.05, 0.1, 500


class Case(NamedTuple):
    """What is simulated: how many topics, folds and settings.

    `better`: by how much the last setting is better than the first. `worse`: by how much the last but one is worse.
    """

    says: str
    topics: int
    folds: int
    settings: int
    better: float = 0.0
    worse: float = 0.0


CASES = (
    Case("12 equal settings, 50 topics, 5 folds", 50, 5, 12),
    Case("12 equal settings, 50 topics, leave-one-out", 50, 50, 12),
    Case("4 equal settings, 100 topics, 5 folds", 100, 5, 4),
    Case("2 equal settings, 50 topics, 5 folds", 50, 5, 2),
    Case("2 equal settings, 50 topics, leave-one-out", 50, 50, 2),
    Case("11 equal, one worse by 0.4, 50 topics, 5 folds", 50, 5, 12, worse=0.4),
    Case("one of 12 better by 0.05, 50 topics, 5 folds", 50, 5, 12, 0.05),
    Case("the same, and one worse by 0.4", 50, 5, 12, 0.05, 0.4),
    Case("one of 12 better by 0.1, 50 topics, 5 folds", 50, 5, 12, 0.1),
)


def main() -> None:
    """Print a table of rejection rates and of the share of intervals that hold the mean gain."""
    parser = argparse.ArgumentParser(description="Measure how far tests of tuned systems can be trusted.")
    parser.add_argument("--data-sets", type=int, default=1000, help="simulated data sets for each row")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    print(f"{'':48}{'t':>8}{'retuned':>9}{'t holds':>9}{'retuned holds':>15}")
    for case in CASES:
        rng, rows = np.random.default_rng(asked.seed), []
        for number in range(asked.data_sets):
            own = rng.normal(0, NOISE, (case.topics, case.settings))
            own[:, -1] += case.better
            own[:, -2] -= case.worse
            fold_of = rng.permutation(np.arange(case.topics) % case.folds)
            choices = Choices(own - own[:, [0]], fold_of)
            gain = float(choices.values(np.ones((1, case.topics)))[0])
            sums = np.stack([choices.numbers[fold_of == fold].sum(axis=0) for fold in range(case.folds)])
            chosen = (sums.sum(axis=0) - sums).argmax(axis=1)
            apart = choices.numbers[np.arange(case.topics), chosen[fold_of]]
            plain = stats.ttest_1samp(apart, 0.0).pvalue if np.ptp(apart) else 1.0
            error = float(apart.std(ddof=1)) / np.sqrt(case.topics), choices.error(RESAMPLES, number)
            reach = [Interval.by_t(gain, one, case.topics - 1, 1 - ALPHA, RETUNED)[:2] for one in error]
            retuned = t_by_error(gain, error[1], case.topics).p
            rows.append((gain, plain < ALPHA, retuned < ALPHA, *reach[0], *reach[1]))
        table = np.array(rows)
        mean = table[:, 0].mean()
        holds = [np.mean((table[:, low] <= mean) & (mean <= table[:, low + 1])) for low in (3, 5)]
        rejects = table[:, 1:3].mean(axis=0)
        print(f"{case.says:48}{rejects[0]:>8.1%}{rejects[1]:>9.1%}{holds[0]:>9.1%}{holds[1]:>15.1%}", flush=True)


if __name__ == "__main__":
    main()
