"""Curves of classifiers' scores: ROC, precision-recall, DET, calibration, gain, lift, and the scores themselves.

Each is an `assay.curves.Curve`: a table of points, one number a system, and a chart.

>>> from assay import classifier_curves
>>> classifier_curves.roc([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]).summary["value"].to_list()
[0.75]
"""

from assay.classifier_curves.calibrated import calibration
from assay.classifier_curves.rates import det, precision_recall, roc
from assay.classifier_curves.shares import gain, lift
from assay.classifier_curves.spread import score_distributions

__all__ = ["calibration", "det", "gain", "lift", "precision_recall", "roc", "score_distributions"]
