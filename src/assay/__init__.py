"""Assay: evaluation of search systems against a gold standard, every rule named.

Names are loaded when they are first used, so that `import assay` costs next to nothing.
"""

from __future__ import annotations

import importlib
import os
from types import FunctionType
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Polars panics at 0 threads, and starts as many as it is told: what is no sound number is as many as there are cores.
_threads = os.environ.get("POLARS_MAX_THREADS", "1")
if not (_threads.isdecimal() and len(_threads) <= 4 and 1 <= int(_threads) <= 1024):
    del os.environ["POLARS_MAX_THREADS"]

#: The names that are of no subject, by the module that has them; subjects declare theirs.
_HOMES = {
    "assay.ground_truth.bias": ("PoolBias", "pool_bias"),
    "assay.ground_truth.choice": ("RunChoice", "choose_runs"),
    "assay.ground_truth.inference": ("InferredScores", "inferred_scores"),
    "assay.ground_truth.pooling": ("Pool", "make_pool"),
    "assay.ground_truth.simulation": ("PoolSimulation", "simulate_pool"),
    "assay.ground_truth.strategies": ("next_documents",),
    "assay.core.assignment": ("Assignment", "Namespace", "assign", "assign_all"),
    "assay.files.experiments": ("read_experiment",),
    "assay.tables.experiment": ("Experiment",),
    "assay.ground_truth.judge_rankings": ("JudgeRankings", "agree_on_systems"),
    "assay.verbs.comparison": ("Comparison", "compare"),
    "assay.verbs.correlation": ("Correlations", "correlate"),
    "assay.measures.counting": ("Confusion", "Policies", "Ranks"),
    "assay.measures.counting.clicked_lists": ("ClickedLists",),
    "assay.measures.counting.confusion_matrix": ("ConfusionMatrix",),
    "assay.measures.counting.contingency": ("Contingency",),
    "assay.measures.counting.points": ("Points",),
    "assay.verbs.diagnosis": ("Diagnosis", "doctor"),
    "assay.ground_truth.building": ("add_to_collection", "export_collection", "new_collection"),
    "assay.ground_truth.catalogue": ("Catalogue", "CatalogueEntry", "catalogue"),
    "assay.ground_truth.description": (
        "CollectionCheck",
        "CollectionStatistics",
        "check_collection",
        "describe_collection",
    ),
    "assay.ground_truth.topic_sampling": ("TopicSample", "sample_topics", "write_topics_to_edit"),
    "assay.files.manifest": ("CollectionFolder", "open_collection"),
    "assay.core.data_warnings": ("DataWarning",),
    "assay.core.errors": ("AssayError", "DuplicateError", "FormatError", "InputError", "ParameterError", "TopicError"),
    "assay.verbs.explanation": ("Explanation", "explain"),
    "assay.ground_truth.crowd": ("CrowdLabels", "crowd"),
    "assay.ground_truth.hits": ("HitFile", "make_hits"),
    "assay.ground_truth.llm": ("JudgeAudit", "audit_judge"),
    "assay.files.clusters": ("read_clusters",),
    "assay.files.collections": (
        "Collection",
        "read_collection",
        "read_documents",
        "read_qrels",
        "read_run",
        "read_topics",
        "scan_run",
    ),
    "assay.files.labels": ("read_labels",),
    "assay.files.log_folders": ("write_log",),
    "assay.files.logs": ("import_log", "read_log"),
    "assay.files.predictions": ("read_predictions",),
    "assay.files.small_tables": ("read_scores",),
    "assay.files.writing": ("write",),
    "assay.verbs.gating.gate": ("gate",),
    "assay.verbs.gating.result": ("GateResult",),
    "assay.measures": ("Measure", "PerUnit", "measure", "parse_measure"),
    "assay.measures.definition": ("GivenCurve",),
    "assay.stats.click_models.fitting": ("ClickModel", "fit_clicks"),
    "assay.verbs.planning": ("Plan", "plan"),
    "assay.verbs.planning_by_spread": ("SpreadPlan",),
    "assay.verbs.report": ("Report", "make_report"),
    "assay.tables": ("Documents", "Predictions", "Qrels", "Run", "Scores", "Topics"),
    "assay.tables.clusters": ("Clusters",),
    "assay.tables.labels": ("Labels",),
    "assay.tables.log": ("Log",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

# For type checkers and editors: `scripts/public_names.py` writes these lines.
if TYPE_CHECKING:
    from assay.core.assignment import Assignment as Assignment
    from assay.core.assignment import Namespace as Namespace
    from assay.core.assignment import assign as assign
    from assay.core.assignment import assign_all as assign_all
    from assay.core.data_warnings import DataWarning as DataWarning
    from assay.core.errors import AssayError as AssayError
    from assay.core.errors import DuplicateError as DuplicateError
    from assay.core.errors import FormatError as FormatError
    from assay.core.errors import InputError as InputError
    from assay.core.errors import ParameterError as ParameterError
    from assay.core.errors import TopicError as TopicError
    from assay.files.clusters import read_clusters as read_clusters
    from assay.files.collections import Collection as Collection
    from assay.files.collections import read_collection as read_collection
    from assay.files.collections import read_documents as read_documents
    from assay.files.collections import read_qrels as read_qrels
    from assay.files.collections import read_run as read_run
    from assay.files.collections import read_topics as read_topics
    from assay.files.collections import scan_run as scan_run
    from assay.files.experiments import read_experiment as read_experiment
    from assay.files.labels import read_labels as read_labels
    from assay.files.log_folders import write_log as write_log
    from assay.files.logs import import_log as import_log
    from assay.files.logs import read_log as read_log
    from assay.files.manifest import CollectionFolder as CollectionFolder
    from assay.files.manifest import open_collection as open_collection
    from assay.files.predictions import read_predictions as read_predictions
    from assay.files.small_tables import read_scores as read_scores
    from assay.files.writing import write as write
    from assay.ground_truth.bias import PoolBias as PoolBias
    from assay.ground_truth.bias import pool_bias as pool_bias
    from assay.ground_truth.building import add_to_collection as add_to_collection
    from assay.ground_truth.building import export_collection as export_collection
    from assay.ground_truth.building import new_collection as new_collection
    from assay.ground_truth.catalogue import Catalogue as Catalogue
    from assay.ground_truth.catalogue import CatalogueEntry as CatalogueEntry
    from assay.ground_truth.catalogue import catalogue as catalogue
    from assay.ground_truth.choice import RunChoice as RunChoice
    from assay.ground_truth.choice import choose_runs as choose_runs
    from assay.ground_truth.crowd import CrowdLabels as CrowdLabels
    from assay.ground_truth.crowd import crowd as crowd
    from assay.ground_truth.description import CollectionCheck as CollectionCheck
    from assay.ground_truth.description import CollectionStatistics as CollectionStatistics
    from assay.ground_truth.description import check_collection as check_collection
    from assay.ground_truth.description import describe_collection as describe_collection
    from assay.ground_truth.hits import HitFile as HitFile
    from assay.ground_truth.hits import make_hits as make_hits
    from assay.ground_truth.inference import InferredScores as InferredScores
    from assay.ground_truth.inference import inferred_scores as inferred_scores
    from assay.ground_truth.judge_rankings import JudgeRankings as JudgeRankings
    from assay.ground_truth.judge_rankings import agree_on_systems as agree_on_systems
    from assay.ground_truth.llm import JudgeAudit as JudgeAudit
    from assay.ground_truth.llm import audit_judge as audit_judge
    from assay.ground_truth.pooling import Pool as Pool
    from assay.ground_truth.pooling import make_pool as make_pool
    from assay.ground_truth.simulation import PoolSimulation as PoolSimulation
    from assay.ground_truth.simulation import simulate_pool as simulate_pool
    from assay.ground_truth.strategies import next_documents as next_documents
    from assay.ground_truth.topic_sampling import TopicSample as TopicSample
    from assay.ground_truth.topic_sampling import sample_topics as sample_topics
    from assay.ground_truth.topic_sampling import write_topics_to_edit as write_topics_to_edit
    from assay.measures import Measure as Measure
    from assay.measures import PerUnit as PerUnit
    from assay.measures import measure as measure
    from assay.measures import parse_measure as parse_measure
    from assay.measures.counting import Confusion as Confusion
    from assay.measures.counting import Policies as Policies
    from assay.measures.counting import Ranks as Ranks
    from assay.measures.counting.clicked_lists import ClickedLists as ClickedLists
    from assay.measures.counting.confusion_matrix import ConfusionMatrix as ConfusionMatrix
    from assay.measures.counting.contingency import Contingency as Contingency
    from assay.measures.counting.points import Points as Points
    from assay.measures.definition import GivenCurve as GivenCurve
    from assay.stats.click_models.fitting import ClickModel as ClickModel
    from assay.stats.click_models.fitting import fit_clicks as fit_clicks
    from assay.subjects.clicks.agreement import ClickAgreement as ClickAgreement
    from assay.subjects.clicks.agreement import agree_with_clicks as agree_with_clicks
    from assay.subjects.clicks.calibration import CalibratedMeasures as CalibratedMeasures
    from assay.subjects.clicks.calibration import calibrate_measures as calibrate_measures
    from assay.subjects.clicks.checks import check_log as check_log
    from assay.subjects.clicks.click_simulation import simulate_clicks as simulate_clicks
    from assay.subjects.clicks.counterfactual import RankingValues as RankingValues
    from assay.subjects.clicks.counterfactual import value_rankings as value_rankings
    from assay.subjects.clicks.evaluation import Behaviour as Behaviour
    from assay.subjects.clicks.evaluation import clicks as clicks
    from assay.subjects.clicks.judgments import ClickJudgments as ClickJudgments
    from assay.subjects.clicks.judgments import judge_clicks as judge_clicks
    from assay.subjects.clicks.log_overview import LogOverview as LogOverview
    from assay.subjects.clicks.log_overview import describe_log as describe_log
    from assay.subjects.clicks.model_comparison import ClickModelComparison as ClickModelComparison
    from assay.subjects.clicks.model_comparison import compare_click_models as compare_click_models
    from assay.subjects.clicks.preferences import ClickPreferences as ClickPreferences
    from assay.subjects.clicks.preferences import prefer_clicks as prefer_clicks
    from assay.subjects.clusters.evaluation import cluster as cluster
    from assay.subjects.clusters.number_of_clusters import number_of_clusters as number_of_clusters
    from assay.subjects.clusters.over_k import NumberOfClusters as NumberOfClusters
    from assay.subjects.clusters.result import Clustering as Clustering
    from assay.subjects.experiments.assigned import AssignedUnits as AssignedUnits
    from assay.subjects.experiments.assigned import assign_units as assign_units
    from assay.subjects.experiments.evaluation import ABTest as ABTest
    from assay.subjects.experiments.evaluation import abtest as abtest
    from assay.subjects.experiments.looks import Look as Look
    from assay.subjects.experiments.looks import Watched as Watched
    from assay.subjects.experiments.looks import read_looks as read_looks
    from assay.subjects.experiments.looks import watch as watch
    from assay.subjects.experiments.planning import TestPlan as TestPlan
    from assay.subjects.experiments.planning import plan_test as plan_test
    from assay.subjects.experiments.plans import PlannedMeasure as PlannedMeasure
    from assay.subjects.experiments.plans import PlannedTest as PlannedTest
    from assay.subjects.experiments.plans import read_plan as read_plan
    from assay.subjects.experiments.simulation import SimulatedTests as SimulatedTests
    from assay.subjects.experiments.simulation import simulate_tests as simulate_tests
    from assay.subjects.judges.evaluation import JudgeAgreement as JudgeAgreement
    from assay.subjects.judges.evaluation import agree as agree
    from assay.subjects.labels.crossvalidation.nested_choice import nested as nested
    from assay.subjects.labels.crossvalidation.result import CrossValidation as CrossValidation
    from assay.subjects.labels.crossvalidation.result import FoldComparison as FoldComparison
    from assay.subjects.labels.crossvalidation.result import Nested as Nested
    from assay.subjects.labels.crossvalidation.validation import LeakageCheck as LeakageCheck
    from assay.subjects.labels.crossvalidation.validation import crossval as crossval
    from assay.subjects.labels.crossvalidation.validation import leakage_check as leakage_check
    from assay.subjects.labels.evaluation import LabelReport as LabelReport
    from assay.subjects.labels.evaluation import classification_report as classification_report
    from assay.subjects.labels.evaluation import classify as classify
    from assay.subjects.labels.evaluation import scorer as scorer
    from assay.subjects.labels.result import Classification as Classification
    from assay.subjects.labels.thresholds.choice import choose_threshold as choose_threshold
    from assay.subjects.labels.thresholds.choice import thresholds as thresholds
    from assay.subjects.labels.thresholds.result import ChosenThreshold as ChosenThreshold
    from assay.subjects.labels.thresholds.result import Thresholds as Thresholds
    from assay.subjects.ranking.audit.audit import Audit as Audit
    from assay.subjects.ranking.audit.audit import audit as audit
    from assay.subjects.ranking.audit.signatures import Signature as Signature
    from assay.subjects.ranking.audit.signatures import SignatureComparison as SignatureComparison
    from assay.subjects.ranking.audit.signatures import compare_signatures as compare_signatures
    from assay.subjects.ranking.audit.signatures import parse_signature as parse_signature
    from assay.subjects.ranking.baselines import Baseline as Baseline
    from assay.subjects.ranking.baselines import freeze as freeze
    from assay.subjects.ranking.clustered_results import ClustersByUse as ClustersByUse
    from assay.subjects.ranking.clustered_results import clusters_by_use as clusters_by_use
    from assay.subjects.ranking.evaluation import Evaluation as Evaluation
    from assay.subjects.ranking.evaluation import evaluate as evaluate
    from assay.subjects.ranking.tuning import Tuning as Tuning
    from assay.subjects.ranking.tuning import tune as tune
    from assay.subjects.spans.evaluation import extract as extract
    from assay.subjects.spans.result import Extraction as Extraction
    from assay.tables import Documents as Documents
    from assay.tables import Predictions as Predictions
    from assay.tables import Qrels as Qrels
    from assay.tables import Run as Run
    from assay.tables import Scores as Scores
    from assay.tables import Topics as Topics
    from assay.tables.clusters import Clusters as Clusters
    from assay.tables.experiment import Experiment as Experiment
    from assay.tables.labels import Labels as Labels
    from assay.tables.log import Log as Log
    from assay.verbs.comparison import Comparison as Comparison
    from assay.verbs.comparison import compare as compare
    from assay.verbs.correlation import Correlations as Correlations
    from assay.verbs.correlation import correlate as correlate
    from assay.verbs.diagnosis import Diagnosis as Diagnosis
    from assay.verbs.diagnosis import doctor as doctor
    from assay.verbs.explanation import Explanation as Explanation
    from assay.verbs.explanation import explain as explain
    from assay.verbs.gating.gate import gate as gate
    from assay.verbs.gating.result import GateResult as GateResult
    from assay.verbs.planning import Plan as Plan
    from assay.verbs.planning import plan as plan
    from assay.verbs.planning_by_spread import SpreadPlan as SpreadPlan
    from assay.verbs.report import Report as Report
    from assay.verbs.report import make_report as make_report


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return [*sorted(_HOME_OF | _declared().public_names()), "__version__"]
    home = _HOME_OF.get(name) or (None if name.startswith("__") else _declared().public_names().get(name))
    if home is None:
        module = None if name.startswith("__") else _declared().curves().get(name)
        if module is None:
            raise AttributeError(f"module 'assay' has no attribute {name!r}")
        return importlib.import_module(module)
    value = getattr(importlib.import_module(home), name)
    if isinstance(value, FunctionType):  # what is odd about the data is shown where a function is called
        value = importlib.import_module("assay.core.data_warnings").warning(value)
    globals()[name] = value
    return value


def _declared() -> Any:
    """The registry, which has the public names of subjects: they are loaded when no other name fits."""
    return importlib.import_module("assay.core.registry")


def __dir__() -> list[str]:
    names: list[str] = __getattr__("__all__")
    return names
