"""How fast clusterings are measured by where their points are: `python -m benchmarks.points`.

scikit-learn does each piece of work beside ours, in the same process and in turn. The silhouette of very many points is
for us alone: what is told is how long it takes and how much memory it needs.
"""

import argparse
import time
import tracemalloc
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics as sklearn_metrics

from assay.measures import parse_measure
from assay.measures.counting.points import Points
from benchmarks.classifiers import Work, row

COLUMNS = 16
#: Points of which all distances are measured, and how many clusters they are in.
DISTANCE_SIZES, FEW_CLUSTERS = (5_000, 10_000, 20_000), 10
#: Points that are compared with centroids only.
CENTROID_SIZES, MANY_CLUSTERS = (10_000, 100_000, 1_000_000), 50
#: All distances of so many would be 320 GB.
MANY = 200_000


def placed(items: int, clusters: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Points of overlapping clusters, and the cluster of each."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, clusters, items)
    return rng.normal(size=(items, COLUMNS)) + rng.normal(size=(clusters, COLUMNS))[codes], codes


def works(quick: bool = False) -> list[Work]:
    """The pieces of work; the smallest of each kind if it has to be quick."""
    made = []
    for items in DISTANCE_SIZES[:1] if quick else DISTANCE_SIZES:
        made += _silhouettes(items)
    return made + [_both_indices(items) for items in (CENTROID_SIZES[:1] if quick else CENTROID_SIZES)]


def _silhouettes(items: int) -> list[Work]:
    points, codes = placed(items, FEW_CLUSTERS)
    measure = parse_measure("Silhouette", "clustering")

    def ours(**options: Any) -> float:
        return float(measure.of(Points.of(points, codes, **options))[0])

    size = f"{items:,} x {COLUMNS}"
    largest = items == DISTANCE_SIZES[-1]
    return [
        Work(
            f"exact silhouette, {size}",
            ours,
            lambda: float(sklearn_metrics.silhouette_score(points, codes)),
            3 if largest else None,
            ours_gives=float,
            theirs_give=float,
        ),
        Work(
            f"exact cosine silhouette, {size}",
            lambda: ours(metric="cosine"),
            lambda: float(sklearn_metrics.silhouette_score(points, codes, metric="cosine")),
            ours_gives=float,
            theirs_give=float,
        ),
    ]


def _both_indices(items: int) -> Work:
    points, codes = placed(items, MANY_CLUSTERS)
    first, second = (parse_measure(name, "clustering") for name in ("DaviesBouldin", "CalinskiHarabasz"))

    def ours() -> float:
        made = Points.of(points, codes)
        return float(first.of(made)[0] + second.of(made)[0])

    return Work(
        f"Davies-Bouldin and Calinski-Harabasz, {items:,} x {COLUMNS}, {MANY_CLUSTERS} clusters",
        ours,
        lambda: float(
            sklearn_metrics.davies_bouldin_score(points, codes) + sklearn_metrics.calinski_harabasz_score(points, codes)
        ),
        1 if items == CENTROID_SIZES[-1] else None,
        ours_gives=float,
        theirs_give=float,
    )


def memory_line(items: int = MANY) -> str:
    """How long the silhouette of many points takes, and how much memory beyond the points."""
    points, codes = placed(items, FEW_CLUSTERS)
    tracemalloc.start()  # counts what is held at a time from here on; the points are there already
    try:
        start = time.perf_counter()
        _ = Points.of(points, codes).silhouettes
        took, more = time.perf_counter() - start, tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()
    return (
        f"The exact silhouette of {items:,} x {COLUMNS} points took {took:.0f} s and {more:.0f} MiB beyond the points "
        f"(all distances: {items * items * 8 / 2**30:,.1f} GiB)."
    )


def lines(repeats: int, quick: bool = False) -> list[str]:
    """The table of all works, and what many points need."""
    told = ["| work | scikit-learn | Assay | times as fast | promised | same number |"]
    told.append("| --- | ---: | ---: | ---: | ---: | --- |")
    told += [row(work, repeats) for work in works(quick)]
    return [*told, "", memory_line(DISTANCE_SIZES[0] if quick else MANY)]


def main() -> None:
    """Print the table."""
    about = (__doc__ or "").split("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.points", description=about)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="the smallest sizes only")
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        print("\n".join(lines(options.repeats, options.quick)))


if __name__ == "__main__":
    main()
