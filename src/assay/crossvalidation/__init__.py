"""The verb `crossval`: classifiers measured on items that they have not learned from, fold by fold."""

from assay.crossvalidation.comparing import FoldComparison, compare_folds
from assay.crossvalidation.nested_choice import Nested, nested
from assay.crossvalidation.permutations import LeakageCheck, leakage_check
from assay.crossvalidation.result import CrossValidatedSystem, CrossValidation, FoldRecord
from assay.crossvalidation.splits import Split, Splits, split_items
from assay.crossvalidation.tuning import tune
from assay.crossvalidation.tuning_result import TunedFold, Tuning
from assay.crossvalidation.validation import crossval

__all__ = [
    "CrossValidatedSystem",
    "CrossValidation",
    "FoldComparison",
    "FoldRecord",
    "LeakageCheck",
    "Nested",
    "Split",
    "Splits",
    "TunedFold",
    "Tuning",
    "compare_folds",
    "crossval",
    "leakage_check",
    "nested",
    "split_items",
    "tune",
]
