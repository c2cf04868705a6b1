"""Tables -> counts: frozen, columnar, made once and shared by all measures.

Counts of labels, scores and points are in modules of their own, which rankings do not load.
"""

from assay.measures.counting.confusion import Confusion
from assay.measures.counting.judgments import Graded, Judgments, Subtopics
from assay.measures.counting.ranking import Policies
from assay.measures.counting.ranks import Ranks

__all__ = ["Confusion", "Graded", "Judgments", "Policies", "Ranks", "Subtopics"]
