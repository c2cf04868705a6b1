"""`compare`: is one system better than another, and how sure can one be?"""

from assay.verbs.comparison.compare import compare
from assay.verbs.comparison.findings import Finding, Settings, Standing
from assay.verbs.comparison.result import Comparison

__all__ = ["Comparison", "Finding", "Settings", "Standing", "compare"]
