"""How often two clusterings that are equally good are told apart.

Usage: python -m benchmarks.studies.clusterings_told_apart [--pairs 200] [--seed 0]

Items of three classes; both clusterings are the classes with a part of the labels redrawn at random. Prints a line for
each number of items and part: of how many pairs the 95 % interval of the difference left out 0, under each measure. The
table in docs/compare-clusterings.md is from 200 pairs and seed 0.
"""

import argparse
from collections import Counter

import numpy as np

from assay import Clusters, compare

MEASURES = ("ARI", "NMI", "BCubedF")
#: Numbers of items, and the part of their labels that is redrawn.
ROWS = ((40, 0.05), (100, 0.05), (400, 0.05), (200, 0.3))


def pair(items: int, redrawn: float, rng: np.random.Generator) -> list[Clusters]:
    """Two clusterings of the same items that differ by chance only."""
    truth = rng.integers(0, 3, items)
    made = (np.where(rng.random(items) < redrawn, rng.integers(0, 3, items), truth) for _ in range(2))
    return [Clusters.of(truth, own, name=name) for name, own in zip("ab", made, strict=True)]


def main() -> None:
    """Draw pairs, and tell how many of them were told apart."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    for items, redrawn in ROWS:
        told: Counter[str] = Counter()
        for place in range(asked.pairs):
            rng = np.random.default_rng([asked.seed, items, place])
            found = compare(pair(items, redrawn, rng), measures=MEASURES, correction="none", seed=place)
            told.update(one.measure for one in found.findings if one.is_sure(0.05))
        shares = ", ".join(f"{name} {told[name] / asked.pairs:.1%}" for name in MEASURES)
        print(f"{items} items, {redrawn:.0%} redrawn: {shares}", flush=True)


if __name__ == "__main__":
    main()
