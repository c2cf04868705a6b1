"""Points in clusters to measure, and what plain loops over all distances say of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def brute_force(distance: Numbers, codes: Any) -> tuple[Numbers, list[int], Numbers, Numbers]:
    """Silhouettes, nearest clusters, and sums of distances within and outside the cluster, from all distances."""
    codes = np.asarray(codes)
    found, nearest, own_sums, other_sums = [], [], [], []
    for point, home in enumerate(codes):
        means = {
            cluster: distance[point, (codes == cluster) & (np.arange(len(codes)) != point)].mean()
            for cluster in sorted(set(codes.tolist()))
            if cluster != home or (codes == home).sum() > 1
        }
        own = means.pop(home, None)
        at = min(means, key=lambda cluster: means[cluster])
        nearest.append(at)
        larger = max(own or 0.0, means[at])
        found.append(0.0 if own is None or larger == 0 else (means[at] - own) / larger)
        own_sums.append(distance[point, codes == home].sum())
        other_sums.append(distance[point, codes != home].sum())
    return np.array(found), nearest, np.array(own_sums), np.array(other_sums)


def plain_distances(rows: Numbers) -> Numbers:
    """Euclidean distances from differences, in long numbers."""
    long = rows.astype(np.longdouble)
    return np.array([np.sqrt(((long - one) ** 2).sum(axis=1)) for one in long]).astype(np.float64)


@st.composite
def clustered(draw: st.DrawFn, plain: bool = False) -> tuple[Numbers, list[int]]:
    """Points with duplicates and clusters of one; unless plain, near and far from the origin and of any scale."""
    size, columns = draw(st.integers(3, 24)), draw(st.sampled_from([1, 2, 5, 7]))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    clusters = draw(st.integers(2, min(6, size - 1)))
    codes = rng.permutation(np.append(np.arange(clusters), rng.integers(0, clusters, size - clusters)))
    rows = rng.normal(size=(size, columns))
    rows += draw(st.sampled_from([0.0, 3.0])) * rng.normal(size=(clusters, columns))[codes]
    if draw(st.booleans()):
        rows[rng.integers(0, size, size // 2)] = rows[0]
    if plain:
        return rows, codes.tolist()
    rows = rows * draw(st.sampled_from([1.0, 1e-6, 1e6])) + draw(st.sampled_from([0.0, 1e6, -1e6]))
    if draw(st.booleans()):  # tight clusters that are far from one another
        rows = rows * 1e-6 + 1e6 * rng.normal(size=(clusters, columns))[codes]
    return rows, codes.tolist()
