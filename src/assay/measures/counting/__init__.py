"""Tables -> counts: frozen, columnar, made once and shared by all measures.

Counts of labels are loaded when they are first used: who evaluates rankings does not wait for them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from assay.measures.counting.confusion import Confusion
from assay.measures.counting.judgments import Graded, Judgments, Subtopics
from assay.measures.counting.ranking import Policies
from assay.measures.counting.ranks import Ranks

if TYPE_CHECKING:
    from assay.measures.counting.confusion_matrix import ConfusionMatrix, LabelSets
    from assay.measures.counting.probabilities import Probabilities
    from assay.measures.counting.scored import Scored, ScoreTable

_HOMES = {
    "ConfusionMatrix": "confusion_matrix",
    "LabelSets": "confusion_matrix",
    "Probabilities": "probabilities",
    "ScoreTable": "scored",
    "Scored": "scored",
}

__all__ = [
    "Confusion",
    "ConfusionMatrix",
    "Graded",
    "Judgments",
    "LabelSets",
    "Policies",
    "Probabilities",
    "Ranks",
    "ScoreTable",
    "Scored",
    "Subtopics",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'assay.measures.counting' has no attribute {name!r}")
    return getattr(importlib.import_module(f"assay.measures.counting.{_HOMES[name]}"), name)
