"""The verb `classify`: predictions beside the truth -> measures with intervals, baselines and advice."""

from assay.classification.advice import Remark
from assay.classification.baselines import Baseline
from assay.classification.classifying import classify
from assay.classification.intervals import Estimate
from assay.classification.result import Classification, ClassifiedSystem
from assay.classification.scorers import Scorer, scorer
from assay.classification.shown import Shown

__all__ = [
    "Baseline",
    "Classification",
    "ClassifiedSystem",
    "Estimate",
    "Remark",
    "Scorer",
    "Shown",
    "classify",
    "scorer",
]
