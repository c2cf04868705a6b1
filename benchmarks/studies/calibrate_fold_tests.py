"""Measure how often tests of two models over folds reject, on simulated data sets.

Usage: python -m benchmarks.studies.calibrate_fold_tests [--data-sets 1000] [--items 200] [--seed 0]

Each data set has two classes and two groups of features that are equally informative. Two models assign an item to the
class whose mean is nearer, one by the first group of features, the other by the second: neither is better, so a test at
5 % should reject in 5 % of the data sets. Then the second group is made more informative, and rejecting is right. Rows
are ways of splitting, with the corrected test beside the plain paired t test of the same folds. All is drawn from
the seed.
"""

import argparse
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from assay.stats.fold_samples import corrected_t, five_by_two

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ALPHA = 0.05
#: Features of each model, and how far apart the classes are in each of them.
FEATURES, APART, FURTHER = 4, 0.35, 0.55


class Data(NamedTuple):
    """Items with features, those of the first model before those of the second, and their classes, 0 or 1."""

    features: Floats
    labels: Ints

    @classmethod
    def drawn(cls, rng: np.random.Generator, items: int, second: float) -> "Data":
        """Draw a data set; `second` is how far apart classes are in the second model's features."""
        labels = rng.permutation(np.arange(items) % 2)
        centres = np.repeat([APART, second], FEATURES) * (labels[:, None] - 0.5) * 2
        return cls(rng.normal(centres), labels)

    def difference(self, test: Ints) -> float:
        """The second model's accuracy on the tested items less the first one's; both learn from all others."""
        learned = np.ones(len(self.labels), dtype=np.bool_)
        learned[test] = False
        means = np.array([self.features[learned & (self.labels == label)].mean(axis=0) for label in (0, 1)])
        # Nearer to the mean of class 1 than to that of class 0: on that side of the plane between them.
        towards = (self.features[test] - means.mean(axis=0)) * (means[1] - means[0])
        first, second = (towards[:, part].sum(axis=1) > 0 for part in (slice(FEATURES), slice(FEATURES, None)))
        right = self.labels[test] == 1
        return float(np.mean(second == right) - np.mean(first == right))

    def folds(self, rng: np.random.Generator, folds: int, repeats: int = 1) -> Floats:
        """The differences of folds, repeat by repeat."""
        order = (rng.permutation(len(self.labels)) for _ in range(repeats))
        return np.array([self.difference(test) for one in order for test in np.array_split(one, folds)])

    def splits(self, rng: np.random.Generator, splits: int, tested: int) -> Floats:
        """The differences of random splits into items to learn from and items to test."""
        return np.array([self.difference(rng.permutation(len(self.labels))[:tested]) for _ in range(splits)])


def plain(differences: Floats) -> float:
    """The p-value of the paired t test that takes folds for independent."""
    return float(stats.ttest_1samp(differences, 0.0).pvalue) if np.ptp(differences) else 1.0


def ways(items: int) -> Iterator[tuple[str, Callable[[Data, np.random.Generator], tuple[float, float]]]]:
    """The ways of splitting, each giving the p-values of the corrected and of the plain test."""

    def corrected(differences: Floats, train: int, test: int) -> tuple[float, float]:
        return corrected_t(differences, train, test).outcome.p, plain(differences)

    tenth, fifth = items // 10, items // 5
    yield "10 folds", lambda data, rng: corrected(data.folds(rng, 10), items - tenth, tenth)
    yield "10 folds, 10 times", lambda data, rng: corrected(data.folds(rng, 10, 10), items - tenth, tenth)
    yield "80/20 split, 30 times", lambda data, rng: corrected(data.splits(rng, 30, fifth), items - fifth, fifth)

    def of_halves(data: Data, rng: np.random.Generator) -> tuple[float, float]:
        differences = data.folds(rng, 2, 5)
        return five_by_two(differences.reshape(5, 2)).outcome.p, plain(differences)

    yield "5x2cv", of_halves


def rates(data_sets: int, items: int, seed: int, second: float) -> Iterator[tuple[str, float, float]]:
    """How often the corrected and the plain test reject, for each way of splitting."""
    for name, p_values in ways(items):
        rng = np.random.default_rng(seed)
        found = np.array([p_values(Data.drawn(rng, items, second), rng) for _ in range(data_sets)])
        corrected, usual = (found < ALPHA).mean(axis=0).tolist()
        yield name, corrected, usual


def main() -> None:
    """Print a table of rejection rates."""
    parser = argparse.ArgumentParser(description="Measure how often tests over folds reject.")
    parser.add_argument("--data-sets", type=int, default=1000, help="simulated data sets for each row")
    parser.add_argument("--items", type=int, default=200, help="items in a data set")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    print(f"{'folds':24}{'equal':>10}{'plain t':>10}{'better':>10}{'plain t':>10}")
    equal = rates(asked.data_sets, asked.items, asked.seed, APART)
    better = rates(asked.data_sets, asked.items, asked.seed, FURTHER)
    for (name, *null), (_, *power) in zip(equal, better, strict=True):
        print(f"{name:24}" + "".join(f"{rate:>10.1%}" for rate in (*null, *power)), flush=True)


if __name__ == "__main__":
    main()
