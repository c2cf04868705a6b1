"""Do two measures, two sets of judgments, two topic sets or two lists order systems alike?"""

from assay.correlation.correlating import correlate
from assay.correlation.result import Correlations, PairOfLists

__all__ = ["Correlations", "PairOfLists", "correlate"]
