"""Tables -> counts: frozen, columnar, made once and shared by all measures."""

from assay.counting.confusion import Confusion
from assay.counting.confusion_matrix import ConfusionMatrix
from assay.counting.graded import Graded
from assay.counting.judgments import Judgments
from assay.counting.label_sets import LabelSets
from assay.counting.policies import Policies
from assay.counting.probabilities import Probabilities
from assay.counting.ranks import Ranks
from assay.counting.scored import Scored, ScoreTable
from assay.counting.subtopics import Subtopics

__all__ = [
    "Confusion",
    "ConfusionMatrix",
    "Graded",
    "Judgments",
    "LabelSets",
    "Policies",
    "Probabilities",
    "Ranks",
    "ScoreTable",
    "Scored",
    "Subtopics",
]
