"""Where positive should start: rules that choose a threshold from scores beside the truth."""

from assay.subjects.labels.thresholds.choice import ThresholdTable, choose_threshold, threshold_table, thresholds
from assay.subjects.labels.thresholds.result import ChosenThreshold, Thresholds
from assay.subjects.labels.thresholds.rules import Rule, parse_rule, registered_rules

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
