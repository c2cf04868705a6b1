"""Assay: evaluation of search systems against a gold standard, every rule named.

Names are loaded when they are first used, so that `import assay` costs next to nothing.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Polars panics at 0 threads, and starts as many as it is told: what is no sound number is as many as there are cores.
_threads = os.environ.get("POLARS_MAX_THREADS", "1")
if not (_threads.isdecimal() and len(_threads) <= 4 and 1 <= int(_threads) <= 1024):
    del os.environ["POLARS_MAX_THREADS"]

_HOMES = {
    "assay.auditing": (
        "Audit",
        "Signature",
        "SignatureComparison",
        "audit",
        "compare_signatures",
        "parse_signature",
    ),
    "assay.classification": ("Classification", "LabelReport", "classification_report", "classify", "scorer"),
    "assay.clustered_runs": ("ClustersByUse", "clusters_by_use"),
    "assay.clustering": ("Clustering", "cluster"),
    "assay.clustering.number_of_clusters": ("number_of_clusters",),
    "assay.clustering.over_k": ("NumberOfClusters",),
    "assay.comparison": ("Comparison", "compare"),
    "assay.correlation": ("Correlations", "correlate"),
    "assay.crossvalidation": (
        "CrossValidation",
        "FoldComparison",
        "LeakageCheck",
        "Nested",
        "Tuning",
        "crossval",
        "leakage_check",
        "nested",
        "tune",
    ),
    "assay.counting": ("Confusion", "Policies", "Ranks"),
    "assay.counting.confusion_matrix": ("ConfusionMatrix",),
    "assay.counting.contingency": ("Contingency",),
    "assay.counting.points": ("Points",),
    "assay.diagnosis": ("Diagnosis", "doctor"),
    "assay.core.errors": ("AssayError", "DuplicateError", "FormatError", "InputError", "ParameterError", "TopicError"),
    "assay.evaluation": ("Evaluation", "evaluate"),
    "assay.explanation": ("Explanation", "explain"),
    "assay.extraction": ("Extraction", "extract"),
    "assay.files.clusters": ("read_clusters",),
    "assay.files.collections": ("Collection", "read_collection"),
    "assay.files.predictions": ("read_predictions",),
    "assay.files.reading": ("read_documents", "read_qrels", "read_run", "read_topics", "scan_run"),
    "assay.files.small_tables": ("read_scores",),
    "assay.files.writing": ("write",),
    "assay.gating.deciding": ("gate",),
    "assay.gating.frozen": ("Baseline", "freeze"),
    "assay.gating.result": ("GateResult",),
    "assay.measures": ("Measure", "PerUnit", "measure", "parse_measure"),
    "assay.measures.curve_input": ("GivenCurve",),
    "assay.planning": ("Plan", "plan"),
    "assay.reporting": ("Report", "make_report"),
    "assay.tables": ("Documents", "Predictions", "Qrels", "Run", "Scores", "Topics"),
    "assay.tables.clusters": ("Clusters",),
    "assay.thresholding": ("ChosenThreshold", "Thresholds", "choose_threshold", "thresholds"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [*sorted(_HOME_OF), "__version__"]  # noqa: PLE0604  # a test compares it with what can be imported

if TYPE_CHECKING:
    from assay.auditing import Audit as Audit
    from assay.auditing import Signature as Signature
    from assay.auditing import SignatureComparison as SignatureComparison
    from assay.auditing import audit as audit
    from assay.auditing import compare_signatures as compare_signatures
    from assay.auditing import parse_signature as parse_signature
    from assay.classification import Classification as Classification
    from assay.classification import LabelReport as LabelReport
    from assay.classification import classification_report as classification_report
    from assay.classification import classify as classify
    from assay.classification import scorer as scorer
    from assay.clustered_runs import ClustersByUse as ClustersByUse
    from assay.clustered_runs import clusters_by_use as clusters_by_use
    from assay.clustering import Clustering as Clustering
    from assay.clustering import cluster as cluster
    from assay.clustering.number_of_clusters import number_of_clusters as number_of_clusters
    from assay.clustering.over_k import NumberOfClusters as NumberOfClusters
    from assay.comparison import Comparison as Comparison
    from assay.comparison import compare as compare
    from assay.core.errors import AssayError as AssayError
    from assay.core.errors import DuplicateError as DuplicateError
    from assay.core.errors import FormatError as FormatError
    from assay.core.errors import InputError as InputError
    from assay.core.errors import ParameterError as ParameterError
    from assay.core.errors import TopicError as TopicError
    from assay.correlation import Correlations as Correlations
    from assay.correlation import correlate as correlate
    from assay.counting import Confusion as Confusion
    from assay.counting import Policies as Policies
    from assay.counting import Ranks as Ranks
    from assay.counting.confusion_matrix import ConfusionMatrix as ConfusionMatrix
    from assay.counting.contingency import Contingency as Contingency
    from assay.counting.points import Points as Points
    from assay.crossvalidation import CrossValidation as CrossValidation
    from assay.crossvalidation import FoldComparison as FoldComparison
    from assay.crossvalidation import LeakageCheck as LeakageCheck
    from assay.crossvalidation import Nested as Nested
    from assay.crossvalidation import Tuning as Tuning
    from assay.crossvalidation import crossval as crossval
    from assay.crossvalidation import leakage_check as leakage_check
    from assay.crossvalidation import nested as nested
    from assay.crossvalidation import tune as tune
    from assay.diagnosis import Diagnosis as Diagnosis
    from assay.diagnosis import doctor as doctor
    from assay.evaluation import Evaluation as Evaluation
    from assay.evaluation import evaluate as evaluate
    from assay.explanation import Explanation as Explanation
    from assay.explanation import explain as explain
    from assay.extraction import Extraction as Extraction
    from assay.extraction import extract as extract
    from assay.files.clusters import read_clusters as read_clusters
    from assay.files.collections import Collection as Collection
    from assay.files.collections import read_collection as read_collection
    from assay.files.predictions import read_predictions as read_predictions
    from assay.files.reading import read_documents as read_documents
    from assay.files.reading import read_qrels as read_qrels
    from assay.files.reading import read_run as read_run
    from assay.files.reading import read_topics as read_topics
    from assay.files.reading import scan_run as scan_run
    from assay.files.small_tables import read_scores as read_scores
    from assay.files.writing import write as write
    from assay.gating.deciding import gate as gate
    from assay.gating.frozen import Baseline as Baseline
    from assay.gating.frozen import freeze as freeze
    from assay.gating.result import GateResult as GateResult
    from assay.measures import Measure as Measure
    from assay.measures import PerUnit as PerUnit
    from assay.measures import measure as measure
    from assay.measures import parse_measure as parse_measure
    from assay.measures.curve_input import GivenCurve as GivenCurve
    from assay.planning import Plan as Plan
    from assay.planning import plan as plan
    from assay.reporting import Report as Report
    from assay.reporting import make_report as make_report
    from assay.tables import Documents as Documents
    from assay.tables import Predictions as Predictions
    from assay.tables import Qrels as Qrels
    from assay.tables import Run as Run
    from assay.tables import Scores as Scores
    from assay.tables import Topics as Topics
    from assay.tables.clusters import Clusters as Clusters
    from assay.thresholding import ChosenThreshold as ChosenThreshold
    from assay.thresholding import Thresholds as Thresholds
    from assay.thresholding import choose_threshold as choose_threshold
    from assay.thresholding import thresholds as thresholds


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return __all__
