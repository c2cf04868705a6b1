"""The verb `crossval`: classifiers measured on items that they have not learned from, fold by fold."""

from assay.subjects.labels.crossvalidation.comparing import FoldComparison, compare_folds
from assay.subjects.labels.crossvalidation.nested_choice import nested
from assay.subjects.labels.crossvalidation.permutations import LeakageCheck, leakage_check
from assay.subjects.labels.crossvalidation.result import CrossValidatedSystem, CrossValidation, FoldRecord, Nested
from assay.subjects.labels.crossvalidation.splits import Split, Splits, split_items
from assay.subjects.labels.crossvalidation.validation import crossval
from assay.subjects.ranking.tuning import tune
from assay.subjects.ranking.tuning_result import TunedFold, Tuning

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
