"""The verb `classify`: predictions beside the truth -> measures with intervals, baselines and advice."""

from assay.subjects.labels.evaluation import classify
from assay.subjects.labels.intervals import Estimate
from assay.subjects.labels.label_report import LabelReport, Scorer, classification_report, scorer
from assay.subjects.labels.measurement import Baseline
from assay.subjects.labels.remarks import Remark
from assay.subjects.labels.result import Classification, ClassificationView, ClassifiedSystem

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
