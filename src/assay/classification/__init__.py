"""The verb `classify`: predictions beside the truth -> measures with intervals, baselines and advice."""

from assay.classification.advice import Remark
from assay.classification.baselines import Baseline
from assay.classification.classifying import classify
from assay.classification.intervals import Estimate
from assay.classification.label_report import LabelReport, classification_report
from assay.classification.result import Classification, ClassifiedSystem, Shown
from assay.classification.scorers import Scorer, scorer

__all__ = [
    "Baseline",
    "Classification",
    "ClassifiedSystem",
    "Estimate",
    "LabelReport",
    "Remark",
    "Scorer",
    "Shown",
    "classification_report",
    "classify",
    "scorer",
]
