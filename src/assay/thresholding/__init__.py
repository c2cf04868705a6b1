"""Where positive should start: rules that choose a threshold from scores beside the truth."""

from assay.thresholding.result import ChosenThreshold, Thresholds
from assay.thresholding.rules import Rule, parse_rule, registered_rules
from assay.thresholding.verbs import ThresholdTable, choose_threshold, threshold_table, thresholds

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
