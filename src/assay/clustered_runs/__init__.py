"""The verb `clusters_by_use`: a run whose results are clustered, judged by what a searcher gets from the clusters."""

from assay.clustered_runs.result import ClustersByUse
from assay.clustered_runs.using import clusters_by_use

__all__ = ["ClustersByUse", "clusters_by_use"]
