"""How often intervals of clusterings hold the number of the population that the items were drawn from.

Usage: python -m benchmarks.studies.cluster_interval_coverage [SAMPLES]

Two populations of classes and clusters: four clusters that are mostly right, and twenty for five classes. And one of
points around four middles. Prints a line for each population and number of items: how often the 95 %
interval of each measure held the population's number. The table of classes in docs/how-good-are-my-clusters.md is
from 1,000 samples; that of points from 300, with other seeds.
"""

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from assay import Clusters, Contingency, cluster

EXTERNAL = ("Purity", "NMI", "ARI", "PairF", "BCubedF")
INTERNAL = ("Silhouette", "DaviesBouldin")
SIZES = (100, 400, 2000)
MIDDLES = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 5.0], [3.0, 4.0]])


def few() -> Any:
    """Four classes, and a cluster for each that holds most of it."""
    shares = np.full((4, 4), 0.03) + np.diag([0.6, 0.5, 0.4, 0.3])
    return shares / shares.sum()


def many() -> Any:
    """Five classes, and twenty clusters that hold some of each."""
    shares = np.random.default_rng(5).dirichlet(np.full(20, 0.3), size=5)
    return shares * np.array([[0.4], [0.25], [0.15], [0.12], [0.08]])


def table_of(shares: Any, items: int, rng: np.random.Generator) -> Contingency:
    """A sample of items."""
    return Contingency.from_table(rng.multinomial(items, shares.ravel()).reshape(shares.shape))


def points_of(items: int, rng: np.random.Generator) -> Clusters:
    """A sample of points, each in the cluster of the nearest middle."""
    points = MIDDLES[rng.choice(4, items, p=[0.4, 0.3, 0.2, 0.1])] + rng.normal(size=(items, 2))
    nearest = ((points[:, None] - MIDDLES) ** 2).sum(axis=2).argmin(axis=1)
    return Clusters.of(None, nearest, X=points)


def held(draw: Callable[[], Any], truth: dict[str, float], samples: int, resamples: int) -> dict[str, float]:
    """The share of intervals that hold the truth, for each measure; samples without an interval do not count."""
    hits, known = dict.fromkeys(truth, 0), dict.fromkeys(truth, 0)
    for seed in range(samples):
        result = cluster(draw(), list(truth), resamples=resamples, seed=seed)
        for name, value in truth.items():
            one = result.estimate(name)
            hits[name] += bool(one.low <= value <= one.high)
            known[name] += one.no_interval is None
    print("samples with an interval:", known)
    return {name: count / known[name] for name, count in hits.items()}


def main() -> None:
    """Print the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("samples", nargs="?", type=int, default=1000)
    samples = parser.parse_args().samples
    rng = np.random.default_rng(1)
    for name, shares in (("few clusters", few()), ("many clusters", many())):
        whole = cluster(Contingency.from_table(np.rint(shares * 1e12).astype(np.int64)), EXTERNAL)
        truth = {measure: whole.value(measure) for measure in EXTERNAL}
        print(name, truth)
        for items in SIZES:
            print(name, items, held(partial(table_of, shares, items, rng), truth, samples, 500), flush=True)
    whole = cluster(points_of(30_000, rng), INTERNAL)
    truth = {measure: whole.value(measure) for measure in INTERNAL}
    print("points", truth)
    for items in SIZES:
        print("points", items, held(partial(points_of, items, rng), truth, samples * 3 // 10, 200), flush=True)


if __name__ == "__main__":
    main()
