"""Do two measures, two sets of judgments, two topic sets or two lists order systems alike?"""

from assay.verbs.correlation.correlate import Correlations, PairOfLists, correlate

__all__ = ["Correlations", "PairOfLists", "correlate"]
