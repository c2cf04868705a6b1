"""`number_of_clusters`: cluster points into several numbers of clusters, and look at what speaks for each."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from assay.core.domains import Whole
from assay.core.errors import InputError, ParameterError, argument, listed, need, number_of
from assay.measures.counting.contingency import Contingency
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.points import Points
from assay.measures.registry import Measure
from assay.subjects.clusters.over_k import (
    VOTING,
    AtK,
    ClusterStability,
    Fit,
    NumberOfClusters,
    reference_of,
    stability_of,
    subsamples,
)
from assay.subjects.clusters.rules import Rules, computed, counts_of, measure_of, measures_of, uneven_columns
from assay.tables.clusters import Clusters

#: What clusterers call the number of clusters.
_NAMES = ("n_clusters", "n_components")
#: k-means starts so often, and keeps the best.
STARTS = 5


class Clusterer(NamedTuple):
    """A scikit-learn estimator, what it calls the number of clusters, and what it is called in a sentence."""

    estimator: Any
    parameter: str
    says: str
    seed: int

    @classmethod
    def of(cls, estimator: Any, seed: int) -> Clusterer:
        """K-means unless another estimator is given; refuse what takes no number of clusters.

        >>> Clusterer.of(None, 0).says
        'k-means (best of 5 starts)'
        """
        need("sklearn", extra="sklearn", purpose="clustering points")
        if estimator is None:
            from sklearn.cluster import KMeans  # noqa: PLC0415  # heavy

            return cls(KMeans(n_init=STARTS), _NAMES[0], f"k-means (best of {STARTS} starts)", seed)
        if isinstance(estimator, type):
            raise ParameterError(f"expected an estimator, such as {estimator.__name__}(), got the class")
        settings = estimator.get_params() if hasattr(estimator, "get_params") else {}
        known = [name for name in _NAMES if name in settings]
        if not known or not hasattr(estimator, "fit_predict"):
            raise ParameterError(
                "expected an estimator that takes n_clusters and has fit_predict, such as AgglomerativeClustering, "
                f"got {type(estimator).__name__}"
            )
        return cls(estimator, known[0], type(estimator).__name__, seed)

    def fit(self, k: int, points: Floats) -> Ints:
        """The place of each point's cluster."""
        from sklearn.base import clone  # noqa: PLC0415

        fitted = clone(self.estimator).set_params(**{self.parameter: k})
        if "random_state" in fitted.get_params():
            fitted.set_params(random_state=self.seed)
        with warnings.catch_warnings():
            # Fewer clusters than asked for, where points coincide, are seen in the result.
            warnings.simplefilter("ignore")
            labels = fitted.fit_predict(points)
        codes: Ints = np.unique(labels, return_inverse=True)[1].astype(np.int64, copy=False)
        return codes


@contextmanager
def one_thread() -> Iterator[None]:
    """Many small clusterings are faster one by one, and their sums do not depend on how many threads there are."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # noqa: PLC0415  # comes with scikit-learn

    with threadpool_limits(1):
        yield


#: Subsamples are of so many points at most, drawn once.
MOST_RESAMPLED = 1_000
_FEWEST_RESAMPLES = 2
_FEWEST = 2


def number_of_clusters(
    X: Any,  # noqa: N803  # scikit-learn's name
    ks: Iterable[int] = range(2, 11),
    *,
    labels_true: Any = None,
    estimator: Any = None,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    stability: bool = True,
    resamples: int = 20,
    metric: str = "euclidean",
    sample_size: int | None = None,
    seed: int = 0,
    tell: Callable[[], None] = lambda: None,
) -> NumberOfClusters:
    """Say which number of clusters points have, as far as they have any: measures over k, stability, structure.

    `X` has a row of numbers an item; or `Clusters` with points. `ks`: the numbers to try. `estimator`: a clusterer of
    scikit-learn that takes `n_clusters` (or `n_components`); k-means unless given. `measures`: Silhouette,
    DaviesBouldin and CalinskiHarabasz unless given; with `labels_true`, measures against classes may be among them,
    which are shown and have no say. `stability=False` leaves out the clustering of subsamples. `resamples`: how many
    subsamples there are, and how many data sets without structure. `metric` and `sample_size` are those of `cluster`.
    The estimator's `random_state` is set to `seed`. By `metric="cosine"`, points are put at length 1 before they are
    clustered; what k-means makes of points is Euclidean by any other metric. `tell` is called after each step, of which
    there are `2 * len(ks) + resamples`, or less.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(60, 2))
    >>> number_of_clusters(X, range(2, 5)).verdict
    'no structure'
    """
    resamples, seed = Whole(_FEWEST_RESAMPLES).check("resamples", resamples), Whole(0).check("seed", seed)
    clusters = X if isinstance(X, Clusters) else None
    if clusters is None:
        clusters = Clusters.of(labels_true, np.zeros(_rows(X), dtype=np.int64), X=X)
    points = clusters.points
    if points is None:
        raise ParameterError(f"expected points to cluster, got clusters only: say {argument('points')}")
    if metric == "precomputed":
        raise ParameterError("there are distances only, and no points to cluster: choose a metric of points")
    tried = checked_numbers(ks, points)
    clusterer = Clusterer.of(estimator, seed)
    rules = Rules(metric=metric, sample_size=sample_size, unlabelled="drop").checked()
    chosen, silhouette = _chosen(measures, clusters), measure_of("Silhouette")
    rng = np.random.default_rng(seed)
    placed = _directions(points) if metric == "cosine" else points
    some = placed if len(placed) <= MOST_RESAMPLED else placed[rng.choice(len(placed), MOST_RESAMPLED, replace=False)]
    samples = subsamples(len(some), resamples, rng) if stability else []
    rows, silhouettes = [], {}
    with one_thread():
        for k in tried:
            found = clusterer.fit(k, placed)
            labelled = Clusters.of(clusters.truth, found, X=points, item_id=clusters.item_id, name=clusters.name)
            counts = counts_of(labelled, rules, seed)
            tell()
            steady = _stability(some, partial(clusterer.fit, k), k, samples) if stability else None
            results = {measure: computed(measure, counts, clusters.name) for measure in chosen}
            rows.append(AtK(k, results, steady, int(np.bincount(found).min())))
            # What data without structure are held against, whether it was asked for or not.
            held = results.get(silhouette) or computed(silhouette, counts, clusters.name)
            silhouettes[k] = float(held.values[0])
            tell()
        reference = reference_of(
            some, silhouettes, clusterer.fit, sets=resamples, items=len(points), rng=rng, metric=metric, tell=tell
        )
    return NumberOfClusters(
        tuple(rows), chosen, len(points), f"clusters by {clusterer.says}", reference,
        resamples if stability else 0, len(some), seed, metric, (*clusters.warnings, *uneven_columns(clusters, metric)),
        _most(points),
    )  # fmt: skip


def checked_numbers(ks: Iterable[int], points: Floats) -> tuple[int, ...]:
    """The numbers of clusters to try, in order: from 2 on, fewer than points, and no more than points that differ."""
    if not isinstance(ks, Iterable):
        raise ParameterError(f"ks are numbers of clusters to try, such as range(2, 11), not {ks!r}")
    tried = tuple(sorted({Whole(_FEWEST).check("a number of clusters", k) for k in ks}))
    if not tried:
        raise ParameterError("expected numbers of clusters to try, such as range(2, 11), got none")
    most = len(points)
    if most <= _FEWEST:
        raise ParameterError(f"{number_of('point', most)}: too few to put into clusters")
    if tried[-1] >= most:
        raise ParameterError(
            f"{tried[-1]} clusters of {number_of('point', most)}: try fewer clusters than points, {most - 1} at most"
        )
    if tried[-1] > (different := _most(points)):
        raise ParameterError(f"{tried[-1]} clusters, and no more than {number_of('different point', different)}")
    return tried


def _most(points: Floats) -> int:
    """As many clusters as there could be: one of each different point, and fewer than points."""
    return min(len(np.unique(points, axis=0)), len(points) - 1)


def _rows(X: Any) -> int:  # noqa: N803
    shape = getattr(X, "shape", None)
    if shape:
        return int(shape[0])
    try:
        return len(X)
    except TypeError:
        raise InputError(f"X: expected a row of numbers an item, got {type(X).__name__}") from None


def _chosen(measures: Any, clusters: Clusters) -> tuple[Measure, ...]:
    """The measures asked for, or those that have a say; those that need classes are refused where there are none."""
    kinds: dict[type, Any] = {Points: None} | ({} if clusters.truth is None else {Contingency: None})
    if measures is None:
        return tuple(measure_of(name) for name in VOTING)
    chosen = measures_of(measures, [kinds])
    lacking = [str(measure) for measure in chosen if measure.definition.counts not in kinds]
    if lacking:
        way = argument("labels_true")
        raise ParameterError(f"{listed(lacking)}: against classes, which are not known: say {way}")
    return chosen


def _directions(points: Floats) -> Floats:
    """Points at length 1: distances between those are by their directions, and so is what k-means does with them."""
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    directions: Floats = points / np.where(lengths > 0, lengths, 1.0)
    return directions


def _stability(points: Floats, fit: Fit, k: int, samples: Sequence[Any]) -> ClusterStability:
    if samples and k >= len(samples[0]):  # a subsample has too few points for so many clusters
        return ClusterStability()
    return stability_of(points, fit, samples)
