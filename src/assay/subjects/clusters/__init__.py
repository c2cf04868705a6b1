"""The verb `cluster`: clusters beside classes or points -> measures with intervals, tables and advice."""

from assay.subjects.clusters.evaluation import cluster
from assay.subjects.clusters.halves import Halves
from assay.subjects.clusters.result import ClusteredSystem, Clustering, ClusteringView
from assay.subjects.clusters.rules import Rules
from assay.tables.alignment import aligned_clusters

__all__ = ["ClusteredSystem", "Clustering", "ClusteringView", "Halves", "Rules", "aligned_clusters", "cluster"]
