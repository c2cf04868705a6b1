"""Where positive should start: rules that choose a threshold from scores beside the truth."""

from assay.thresholding.registry import Rule, parse_rule, registered_rules
from assay.thresholding.result import ChosenThreshold, Thresholds
from assay.thresholding.table import ThresholdTable, threshold_table
from assay.thresholding.verbs import choose_threshold, thresholds

__all__ = [
    "ChosenThreshold",
    "Rule",
    "ThresholdTable",
    "Thresholds",
    "choose_threshold",
    "parse_rule",
    "registered_rules",
    "threshold_table",
    "thresholds",
]
