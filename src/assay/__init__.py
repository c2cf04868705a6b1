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
    "assay.collections.bias": ("PoolBias", "pool_bias"),
    "assay.collections.choice": ("RunChoice", "choose_runs"),
    "assay.collections.inference": ("InferredScores", "inferred_scores"),
    "assay.collections.pooling": ("Pool", "make_pool"),
    "assay.collections.simulation": ("PoolSimulation", "simulate_pool"),
    "assay.collections.strategies": ("next_documents",),
    "assay.subjects.ranking.audit.audit": ("Audit", "audit"),
    "assay.subjects.ranking.audit.signatures": (
        "Signature",
        "SignatureComparison",
        "compare_signatures",
        "parse_signature",
    ),
    "assay.subjects.labels.result": ("Classification",),
    "assay.subjects.labels.evaluation": ("LabelReport", "classification_report", "scorer", "classify"),
    "assay.subjects.clicks.evaluation": ("Behaviour", "clicks"),
    "assay.subjects.judges.evaluation": ("JudgeAgreement", "agree"),
    "assay.subjects.ranking.clustered_results": ("ClustersByUse", "clusters_by_use"),
    from assay.stats.click_models.fitting import ClickModel as ClickModel
    from assay.stats.click_models.fitting import fit_clicks as fit_clicks
    from assay.subjects.clicks.checks import check_log as check_log
    from assay.subjects.clicks.log_overview import LogOverview as LogOverview
    from assay.subjects.clicks.log_overview import describe_log as describe_log
