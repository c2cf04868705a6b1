"""Do two measures, two sets of judgments, two topic sets or two lists order systems alike?"""

from assay.verbs.correlation.correlate import correlate
from assay.verbs.correlation.result import Correlations, PairOfLists

__all__ = ["Correlations", "PairOfLists", "correlate"]
