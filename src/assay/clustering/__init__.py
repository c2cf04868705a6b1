"""The verb `cluster`: clusters beside classes or points -> measures with intervals, tables and advice."""

from assay.clustering.evaluation import cluster
from assay.clustering.halves import Halves
from assay.clustering.result import ClusteredSystem, Clustering, ClusteringView
from assay.clustering.rules import Rules
from assay.tables.alignment import aligned_clusters

__all__ = ["ClusteredSystem", "Clustering", "ClusteringView", "Halves", "Rules", "aligned_clusters", "cluster"]
