"""`number_of_clusters`: cluster points into several numbers of clusters, and look at what speaks for each."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from assay.core.domains import Whole
from assay.core.errors import InputError, ParameterError, argument, listed, need, number_of
from assay.measures.counting.contingency import Contingency
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.points import Points
from assay.measures.registry import Measure
from assay.subjects.clusters.over_k import NUMBERS, SHARE, STABILITY, VOTING, NumberOfClusters, Reference
from assay.subjects.clusters.rules import Rules, computed, counts_of, measure_of, measures_of, uneven_columns
from assay.tables.clusters import Clusters

#: Puts points into so many clusters: the place of each one's cluster.
Fit: TypeAlias = Callable[[int, Floats], Ints]
#: What clusterers call the number of clusters.
_NAMES = ("n_clusters", "n_components")
#: k-means starts so often, and keeps the best.
STARTS = 5
#: Subsamples are of so many points at most, drawn once; data without structure have so many at most.
MOST_RESAMPLED, MOST_POINTS = 1_000, 500
#: Clusters of fewer points than this, on average, look unlike those of many: with fewer points than the data have, so
#: many clusters are not held against them.
_FEWEST_EACH = 5
#: Tables of so many cells at most are held at once.
MOST_CELLS = 2_000_000
_FEWEST_RESAMPLES = 2
_FEWEST = 2
_NOT_DRAWN = -1
_TINY = 1e-12


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
        clusters = Clusters.of(labels_true, np.zeros(_number_of_points(X), dtype=np.int64), X=X)
    points = clusters.points
    if points is None:
        raise ParameterError(f"expected points to cluster, got clusters only: say {argument('points')}")
    # Clusterers and subsamples go by the places of points: these do not depend on the order of the rows.
    order = np.lexsort(points.T)
    clusters, points = clusters.taken(pl.Series(order)), points[order]
    if metric == "precomputed":
        raise ParameterError("there are distances only, and no points to cluster: choose a metric of points")
    most = min(len(np.unique(points, axis=0)), len(points) - 1)
    tried = _checked_numbers(ks, len(points), most)
    fit, by = _clusterer(estimator, seed)
    rules = Rules(metric=metric, sample_size=sample_size, unlabelled="drop").checked()
    chosen = _chosen(measures, clusters)
    silhouette = measure_of("Silhouette")
    rng = np.random.default_rng(seed)
    placed = _directions(points) if metric == "cosine" else points
    some = placed if len(placed) <= MOST_RESAMPLED else placed[rng.choice(len(placed), MOST_RESAMPLED, replace=False)]
    samples = subsamples(len(some), resamples, rng) if stability else []
    rows: list[tuple[int, str, float, float, str | None]] = []
    silhouettes, smallest = {}, {}

    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # noqa: PLC0415  # comes with scikit-learn

    # Many small clusterings are faster one by one, and their sums do not depend on how many threads there are.
    with threadpool_limits(1):
        for k in tried:
            labels = fit(k, placed)
            labelled = Clusters.of(clusters.truth, labels, X=points, item_id=clusters.item_id, name=clusters.name)
            counts = counts_of(labelled, rules, seed)
            smallest[k] = int(np.bincount(labels).min())
            tell()
            results = {measure: computed(measure, counts, clusters.name) for measure in (*chosen, silhouette)}
            # What data without structure are held against, whether it was asked for or not.
            silhouettes[k] = float(results[silhouette].values[0])
            rows += [(k, str(name), results[name].values[0], np.nan, results[name].reason(0)) for name in chosen]
            if stability:
                rows.append((k, STABILITY, *stability_of(some, partial(fit, k), k, samples), None))
            tell()
        reference = _reference(
            some, silhouettes, fit, sets=resamples, items=len(points), rng=rng, metric=metric, tell=tell
        )
    return NumberOfClusters(
        pl.DataFrame(rows, schema=NUMBERS, orient="row").fill_nan(None),
        smallest,
        len(points),
        f"clusters by {by}",
        reference,
        resamples if stability else 0,
        len(some),
        seed,
        metric,
        (*clusters.warnings, *uneven_columns(clusters, metric)),
        most,
    )


def _checked_numbers(ks: Iterable[int], points: int, most: int) -> tuple[int, ...]:
    """The numbers of clusters to try, in order: from 2 on, fewer than points, and no more than points that differ."""
    if not isinstance(ks, Iterable):
        raise ParameterError(f"ks are numbers of clusters to try, such as range(2, 11), not {ks!r}")
    tried = tuple(sorted({Whole(_FEWEST).check("a number of clusters", k) for k in ks}))
    if not tried:
        raise ParameterError("expected numbers of clusters to try, such as range(2, 11), got none")
    if points <= _FEWEST:
        raise ParameterError(f"{number_of('point', points)}: too few to put into clusters")
    if tried[-1] >= points:
        which = f"{tried[-1]} clusters of {number_of('point', points)}"
        raise ParameterError(f"{which}: try fewer clusters than points, {points - 1} at most")
    if tried[-1] > most:
        raise ParameterError(f"{tried[-1]} clusters, and no more than {number_of('different point', most)}")
    return tried


def _number_of_points(X: Any) -> int:  # noqa: N803
    shape = getattr(X, "shape", None)
    if shape:
        return int(shape[0])
    try:
        return len(X)
    except TypeError:
        raise InputError(f"X: expected a row of numbers per item, got {type(X).__name__}") from None


def _chosen(measures: Any, clusters: Clusters) -> tuple[Measure, ...]:
    """The measures asked for, or those that have a say; those that need classes are refused where there are none."""
    chosen = measures_of(VOTING if measures is None else measures, ())
    lacking = [str(measure) for measure in chosen if measure.definition.counts is Contingency]
    if lacking and clusters.truth is None:
        way = argument("labels_true")
        raise ParameterError(f"{listed(lacking)}: against classes, which are not known: say {way}")
    return chosen


def _directions(points: Floats) -> Floats:
    """Points at length 1: distances between those are by their directions, and so is what k-means does with them."""
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    directions: Floats = points / np.where(lengths > 0, lengths, 1.0)
    return directions


def _clusterer(estimator: Any, seed: int) -> tuple[Fit, str]:
    """The clusterer and its name: k-means unless another estimator of scikit-learn is given."""
    need("sklearn", extra="sklearn", purpose="clustering points")
    from sklearn.base import clone  # noqa: PLC0415  # heavy
    from sklearn.cluster import KMeans  # noqa: PLC0415

    if isinstance(estimator, type):
        raise ParameterError(f"expected an estimator, such as {estimator.__name__}(), got the class")
    by = f"k-means (best of {STARTS} starts)" if estimator is None else type(estimator).__name__
    template = KMeans(n_init=STARTS) if estimator is None else estimator
    settings = template.get_params() if hasattr(template, "get_params") else {}
    known = [name for name in _NAMES if name in settings]
    if not known or not hasattr(template, "fit_predict"):
        wanted = "an estimator that takes n_clusters and has fit_predict, such as AgglomerativeClustering"
        raise ParameterError(f"expected {wanted}, got {by}")

    def fit(k: int, points: Floats) -> Ints:
        fitted = clone(template).set_params(**{known[0]: k})
        if "random_state" in settings:
            fitted.set_params(random_state=seed)
        with warnings.catch_warnings():
            # Fewer clusters than asked for, where points coincide, are seen in the result.
            warnings.simplefilter("ignore")
            labels = fitted.fit_predict(points)
        codes: Ints = np.unique(labels, return_inverse=True)[1].astype(np.int64, copy=False)
        return codes

    return fit, by


def subsamples(items: int, resamples: int, rng: np.random.Generator) -> list[Ints]:
    """Random subsamples without replacement, each in the order of the items.

    >>> [len(drawn) for drawn in subsamples(10, 3, np.random.default_rng(0))]
    [8, 8, 8]
    """
    size = max(1, round(SHARE * items))
    return [np.sort(rng.choice(items, size, replace=False)) for _ in range(resamples)]


def stability_of(points: Floats, fit: Callable[[Floats], Ints], k: int, samples: Sequence[Ints]) -> tuple[float, float]:
    """The mean of the adjusted Rand indices of every two clustered subsamples, and how they spread; NaN if none.

    >>> two = np.array([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]])
    >>> halves = [np.array([0, 1, 3, 4]), np.array([0, 1, 2, 3, 4])]
    >>> stability_of(two, lambda X: (X[:, 0] > 5).astype(np.int64), 2, halves)
    (1.0, nan)
    """
    if k >= len(samples[0]):  # a subsample has too few points for so many clusters
        return np.nan, np.nan
    labels = []
    for rows in samples:
        labels_of_sample = np.full(len(points), _NOT_DRAWN, dtype=np.int64)
        labels_of_sample[rows] = np.unique(fit(points[rows]), return_inverse=True)[1]
        labels.append(labels_of_sample)
    values = agreements(labels)
    known = values[~np.isnan(values)]
    mean = float(known.mean()) if len(known) else np.nan
    return mean, float(known.std(ddof=1)) if len(known) > 1 else np.nan


def agreements(labels: Sequence[Ints]) -> Floats:
    """The adjusted Rand index of every two clusterings on the items that both have; -1 marks those that one lacks.

    >>> agreements([np.array([0, 0, 1, 1, -1]), np.array([1, 1, 0, 0, 0])])
    array([1.])
    """
    width = 1 + max(int(labelling.max()) for labelling in labels)
    adjusted_rand = measure_of("ARI").of
    names = tuple(range(width))
    row, column = np.divmod(np.arange(width * width), width)
    values = []
    # A table each pair over the same cells, so that the measure is computed for many at once; not all, to spare memory.
    pairs = list(combinations(labels, 2))
    for start in range(0, len(pairs), step := max(1, MOST_CELLS // width**2)):
        counts = [
            np.bincount((first * width + other)[(first >= 0) & (other >= 0)], minlength=width * width)
            for first, other in pairs[start : start + step]
        ]
        tables = Contingency(names, names, row, column, np.array(counts), tuple(map(str, range(len(counts)))))
        values.append(adjusted_rand(tables))
    return np.concatenate(values)


def even_points(points: Floats) -> Callable[[int, np.random.Generator], Floats]:
    """A source of points, spread evenly over the smallest box along the principal axes that holds all points.

    >>> draw = even_points(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]))  # a diagonal, and nothing across
    >>> bool(np.ptp(draw(100, np.random.default_rng(0)) @ [1, -1]) < 1e-9)
    True
    """
    middle = points.mean(axis=0)
    centred = points - middle
    axes = np.linalg.svd(centred, full_matrices=False)[2]
    turned = centred @ axes.T
    flat = np.ptp(turned, axis=0) <= _TINY * float(np.abs(centred).max())
    low, high = (np.where(flat, 0.0, end) for end in (turned.min(axis=0), turned.max(axis=0)))

    def draw(count: int, rng: np.random.Generator) -> Floats:
        drawn: Floats = rng.uniform(low, high, size=(count, len(low))) @ axes + middle
        return drawn

    return draw


def _reference(
    points: Floats,
    silhouettes: Mapping[int, float],
    fit: Fit,
    *,
    sets: int,
    items: int,
    rng: np.random.Generator,
    metric: str,
    tell: Callable[[], None],
) -> Reference | None:
    """Cluster data without structure as the data were; None if nothing can be held against them.

    `silhouettes` are those of the data by number of clusters, `points` some or all of the `items`.
    """
    draw = even_points(points)
    size = min(len(points), MOST_POINTS)
    most = size - 1 if size == items else size // _FEWEST_EACH
    held = {k: value for k, value in silhouettes.items() if k <= most and not np.isnan(value)}
    largest = []
    for _ in range(sets if held else 0):
        sample = draw(size, rng)
        values = [float(np.mean(Points.of(sample, fit(k, sample), metric=metric).silhouettes)) for k in held]
        if not np.isnan(values).all():
            largest.append(float(np.nanmax(values)))
        tell()
    return Reference(max(held.values()), tuple(largest), size, max(held)) if largest else None
