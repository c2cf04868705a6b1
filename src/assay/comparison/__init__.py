"""`compare`: is one system better than another, and how sure can one be?"""

from assay.comparison.comparing import compare
from assay.comparison.findings import Finding, Settings, Standing
from assay.comparison.result import Comparison

__all__ = ["Comparison", "Finding", "Settings", "Standing", "compare"]
