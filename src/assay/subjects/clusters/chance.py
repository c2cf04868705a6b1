"""The purity that clusters get by chance: classes dealt out at random to clusters of the same sizes."""

from __future__ import annotations

import numpy as np

from assay.measures.counting.contingency import Contingency

#: How often a cluster of each size is filled at random; fewer times where that would draw more numbers than this.
DRAWS, _MOST_DRAWN = 200, 20_000_000
#: NumPy draws from fewer items than this without replacement.
LARGEST_URN = 1_000_000_000


def purity_by_chance(table: Contingency, seed: int = 0) -> float:
    """The mean purity if items were shuffled among the clusters, whose sizes stay what they are.

    The mean of a sum is the sum of means, so each size of cluster is filled by itself, from all items.

    >>> purity_by_chance(Contingency.from_labels(list("xxxooo"), [1, 2, 3, 4, 5, 6]))  # one item each
    1.0
    """
    classes = table.class_sizes[0].astype(np.int64)
    sizes, often = np.unique(table.cluster_sizes[0].astype(np.int64), return_counts=True)
    total = int(classes.sum())
    classes = classes[classes > 0]
    draws = max(10, min(DRAWS, _MOST_DRAWN // (len(classes) * len(sizes))))
    rng = np.random.default_rng(seed)
    expected = 0.0
    for size, count in zip(sizes.tolist(), often.tolist(), strict=True):
        if size <= 1:
            expected += size * count
            continue
        if total < LARGEST_URN:
            filled = rng.multivariate_hypergeometric(classes, size, size=draws, method="marginals")
        else:
            filled = rng.multinomial(size, classes / total, size=draws)
        expected += count * float(filled.max(axis=1).mean())
    return expected / total
