"""Measures of a clustering by where its points are, without known classes, on `Points`."""

from __future__ import annotations

import numpy as np

from assay.measures.counting.distances import PRECOMPUTED
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.points import Points
from assay.measures.registry import measure
from assay.measures.steps import PerUnit, Steps, quantity, unknown

ONE_CLUSTER = "there is one cluster only"
ALL_ALONE = "each point is a cluster of its own"
NO_PAIR = "no two points share a cluster"
#: Metrics in which a cluster has a middle that means something.
_WITH_CENTROIDS = ("euclidean", "manhattan", "cosine")


@measure(
    aliases=("SilhouetteScore", "silhouette_score", "SC"),
    bounds=(-1.0, 1.0),
    sklearn="silhouette_score",
    cites="rousseeuw1987",
)
def Silhouette(points: Points) -> PerUnit:
    r"""Silhouette: how much nearer points are to their own cluster than to the nearest other one, on average.

    .. math:: \frac{1}{N} \sum_i \frac{b_i - a_i}{\max(a_i, b_i)}

    :math:`a_i` is the mean distance of point *i* to the **other** points of its cluster, :math:`b_i` to the points of
    the nearest other cluster. 1: compact and far apart; 0: between two clusters; below 0: nearer to another cluster.
    A point that is alone in its cluster counts 0, and so does one with :math:`a_i = b_i = 0`. Undefined with one
    cluster, and where each point is a cluster of its own. With `sample_size`, the mean of each cluster is that of the
    points drawn from it, each against all points, and counts by the size of the cluster.

    >>> Silhouette.of(Points.of([0, 1, 2, 10, 11], [0, 0, 0, 1, 1]))  # (.8571 + .8947 + .8235 + .8889 + .9) / 5
    array([0.8729])
    """
    if (reason := _too_few_or_many(points)) is not None:
        return unknown("silhouette", 1, reason)
    mean = points.mean_silhouettes
    clusters = _clusters(points, silhouette=mean, weighted=points.sizes * mean)
    clusters = clusters.meaning(silhouette="mean over the points of the cluster", weighted="items × silhouette")
    return clusters.sum("weighted") / clusters.sum("items")


@measure(
    cites="davies1979",
    aliases=("DB", "DBI", "davies_bouldin_score"),
    bounds=(0.0, np.inf),
    higher_is_better=False,
    sklearn="davies_bouldin_score",
)
def DaviesBouldin(points: Points) -> PerUnit:
    r"""Davies-Bouldin index: how wide clusters are beside the distance to the one they are least apart from.

    .. math:: \frac{1}{K} \sum_k \max_{l \ne k} \frac{s_k + s_l}{d(c_k, c_l)}

    :math:`s_k` is the mean distance of the points of cluster *k* from its centroid :math:`c_k`, the mean of its points.
    Smaller is better; 0 if all points of each cluster are alike. For the metrics euclidean, manhattan and cosine; with
    cosine, a centroid is the direction of the mean of all directions. Undefined with one cluster, where each point is
    a cluster of its own, where two clusters have the same centroid, and for other metrics, which have no centroids.

    >>> DaviesBouldin.of(Points.of([0, 1, 2, 10, 11], [0, 0, 0, 1, 1]))  # (2/3 + 1/2) / 9.5, both times
    array([0.1228])
    """
    if (reason := _too_few_or_many(points) or _no_centroids(points)) is not None:
        return unknown("ratios of spread and distance", 1, reason)
    centroids = points.centroids
    spread = centroids.spreads(points.metric)
    worst = (centroids.directions() if points.metric == "cosine" else centroids).worst(spread, points.metric)
    if not np.isfinite(worst.ratio).all():
        return unknown("ratios of spread and distance", 1, "two clusters have the same centroid")
    clusters = _clusters(
        points, spread=spread, neighbour=worst.cluster, distance=worst.distance, ratio=worst.ratio
    ).meaning(
        spread="mean distance of the points from the centroid",
        neighbour="the cluster with the largest ratio",
        distance="from the centroid of that cluster",
        ratio="(spread + spread of the neighbour) / distance",
    )
    return clusters.sum("ratio") / quantity("clusters", [len(points.clusters)])


@measure(
    cites="calinski1974",
    aliases=("CH", "VarianceRatio", "calinski_harabasz_score"),
    bounds=(0.0, np.inf),
    sklearn="calinski_harabasz_score",
)
def CalinskiHarabasz(points: Points) -> PerUnit:
    r"""Calinski-Harabasz index, the variance ratio: how far clusters are apart beside how wide they are, squared.

    .. math:: \frac{\sum_k n_k |c_k - c|^2 / (K - 1)}{\sum_k \sum_{i \in k} |x_i - c_k|^2 / (N - K)}

    :math:`c_k` is the mean of the :math:`n_k` points of cluster *k*, *c* the mean of all. Larger is better; it has no
    upper end and grows with the number of points, so only clusterings of the same points can be compared. Of Euclidean
    distances only. Undefined with one cluster, where each point is a cluster of its own, and where all points of each
    cluster are alike. (scikit-learn says 1 there.)

    >>> CalinskiHarabasz.of(Points.of([0, 1, 2, 10, 11], [0, 0, 0, 1, 1]))  # (108.3 / 1) / (2.5 / 3)
    array([129.96])
    """
    if points.metric not in {"euclidean", "sqeuclidean"}:
        return unknown("squared distances", 1, f"it is about Euclidean distances, and the metric is {points.metric}")
    if (reason := _too_few_or_many(points)) is not None:
        return unknown("squared distances", 1, reason)
    centroids = points.centroids
    clusters = _clusters(points, between=centroids.between, within=centroids.within).meaning(
        between="items × squared distance of the centroid from that of all points",
        within="squared distances of the points from the centroid, added up",
    )
    groups = quantity("clusters", [len(points.clusters)])
    between = clusters.sum("between") / (groups - 1)
    within = clusters.sum("within") / (clusters.sum("items") - groups)
    return between / within.saying("the points of each cluster are all alike")


@measure(aliases=("IntraSimilarity", "Cohesion"), bounds=(-1.0, 1.0))
def WithinSimilarity(points: Points) -> PerUnit:
    r"""Mean similarity within clusters: of all pairs of points that share a cluster.

    .. math:: 1 - \frac{\sum_{i < j,\ \text{one cluster}} d(x_i, x_j)}{\text{pairs in one cluster}}

    The similarity is the cosine, so it exists for the metric `cosine` alone. For others there is `WithinDistance`.
    Large clusters count by their pairs. Undefined if no two points share a cluster.

    >>> WithinSimilarity.of(Points.of([[1, 0], [1, 0], [0, 1], [1, 1]], [0, 0, 1, 1], metric="cosine"))  # (1 + .7071)/2
    array([0.8536])
    """
    if points.metric != "cosine":
        return unknown("similarities", 1, _no_similarity(points.metric, "WithinDistance"))
    pairs = _pairs_within(points)
    return pairs.sum("similarity") / pairs.sum("pairs", NO_PAIR)


@measure(aliases=("InterSimilarity",), bounds=(-1.0, 1.0), higher_is_better=False)
def BetweenSimilarity(points: Points) -> PerUnit:
    r"""Mean similarity between clusters: of all pairs of points that are in different clusters.

    .. math:: 1 - \frac{\sum_{i < j,\ \text{two clusters}} d(x_i, x_j)}{\text{pairs in two clusters}}

    Smaller is better. The similarity is that of `WithinSimilarity`; for other metrics there is `BetweenDistance`.
    Undefined with one cluster.

    >>> BetweenSimilarity.of(Points.of([[1, 0], [1, 0], [0, 1], [1, 1]], [0, 0, 1, 1], metric="cosine"))  # .7071 / 2
    array([0.3536])
    """
    if points.metric != "cosine":
        return unknown("similarities", 1, _no_similarity(points.metric, "BetweenDistance"))
    pairs = _pairs_between(points)
    return pairs.sum("similarity") / pairs.sum("pairs", ONE_CLUSTER)


@measure(aliases=("IntraDistance",), bounds=(0.0, np.inf), higher_is_better=False)
def WithinDistance(points: Points) -> PerUnit:
    r"""Mean distance within clusters: of all pairs of points that share a cluster, in the metric of the points.

    .. math:: \frac{\sum_{i < j,\ \text{one cluster}} d(x_i, x_j)}{\text{pairs in one cluster}}

    Smaller is better; more clusters make it smaller, whatever they are worth. Large clusters count by their pairs.
    Undefined if no two points share a cluster.

    >>> WithinDistance.of(Points.of([0, 1, 2, 10, 11], [0, 0, 0, 1, 1]))  # (1 + 2 + 1 + 1) / 4
    array([1.25])
    """
    pairs = _pairs_within(points)
    return pairs.sum("distance") / pairs.sum("pairs", NO_PAIR)


@measure(aliases=("InterDistance",), bounds=(0.0, np.inf))
def BetweenDistance(points: Points) -> PerUnit:
    r"""Mean distance between clusters: of all pairs of points in different clusters, in the metric of the points.

    .. math:: \frac{\sum_{i < j,\ \text{two clusters}} d(x_i, x_j)}{\text{pairs in two clusters}}

    Larger is better. Undefined with one cluster.

    >>> BetweenDistance.of(Points.of([0, 1, 2, 10, 11], [0, 0, 0, 1, 1]))  # (10 + 11 + 9 + 10 + 8 + 9) / 6
    array([9.5])
    """
    pairs = _pairs_between(points)
    return pairs.sum("distance") / pairs.sum("pairs", ONE_CLUSTER)


def _clusters(points: Points, **columns: Floats | Ints) -> Steps:
    """A row a cluster."""
    number = len(points.clusters)
    rows: dict[str, Floats | Ints] = {"cluster": np.arange(number), "items": points.sizes.astype(np.float64), **columns}
    return Steps(np.zeros(number, dtype=np.int64), 1, rows, says="clusters")


def _pairs_within(points: Points) -> Steps:
    """Of each cluster, how many pairs it has, and their distances added up."""
    pairs = points.sizes * (points.sizes - 1.0) / 2
    distance = np.zeros(len(pairs)) if not pairs.any() else points.summed_within / 2
    clusters = _clusters(points, pairs=pairs, distance=distance, similarity=pairs - distance)
    return clusters.meaning(pairs="items × (items - 1) / 2", distance="of all pairs", similarity="pairs - distance")


def _pairs_between(points: Points) -> Steps:
    """The same of pairs with points of other clusters; half a pair belongs to each side."""
    pairs = points.sizes * (points.items - points.sizes) / 2
    distance = np.zeros(len(pairs)) if not pairs.any() else points.summed_between / 2
    clusters = _clusters(points, pairs=pairs, distance=distance, similarity=pairs - distance)
    others = "items × items of other clusters / 2: half a pair belongs to each side"
    return clusters.meaning(pairs=others, distance="of all these pairs", similarity="pairs - distance")


def _too_few_or_many(points: Points) -> str | None:
    if len(points.clusters) == 1:
        return ONE_CLUSTER
    return ALL_ALONE if len(points.clusters) == points.items else None


def _no_centroids(points: Points) -> str | None:
    if points.metric == PRECOMPUTED:
        return "there are distances only, and no points to take the mean of"
    if points.metric not in _WITH_CENTROIDS:
        return f"clusters have no centroids in the metric {points.metric}"
    if points.metric == "cosine" and not points.centroids.lengths.all():
        return "the directions of a cluster's points cancel out: its centroid has none"
    return None


def _no_similarity(metric: str, instead: str) -> str:
    return f"{metric} is a distance, and not a similarity: see {instead}"
