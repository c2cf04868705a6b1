"""The verb `classify`: predictions beside the truth -> measures with intervals, baselines and advice."""

from assay.classification.evaluation import classify
from assay.classification.intervals import Estimate
from assay.classification.label_report import LabelReport, Scorer, classification_report, scorer
from assay.classification.measurement import Baseline
from assay.classification.remarks import Remark
from assay.classification.result import Classification, ClassificationView, ClassifiedSystem

__all__ = [
    "Baseline",
    "Classification",
    "ClassificationView",
    "ClassifiedSystem",
    "Estimate",
    "LabelReport",
    "Remark",
    "Scorer",
    "classification_report",
    "classify",
    "scorer",
]
