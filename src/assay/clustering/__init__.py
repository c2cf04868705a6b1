"""The verb `cluster`: clusters beside classes or points -> measures with intervals, tables and advice."""

from assay.clustering.halves import Halves
from assay.clustering.measuring import cluster
from assay.clustering.opening import aligned_clusters
from assay.clustering.result import ClusteredSystem, Clustering, Shown
from assay.clustering.rules import Rules

__all__ = ["ClusteredSystem", "Clustering", "Halves", "Rules", "Shown", "aligned_clusters", "cluster"]
