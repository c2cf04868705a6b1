"""The tables that flow between stages: `Run`, `Qrels`, `Predictions`, `Scores`, Polars frames with checked schemas.

`Predictions` are loaded when they are first used: who evaluates rankings does not wait for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.tables.ranking_tables import Batches, Direction, Documents, Qrels, Run, Scores, Topics
from assay.tables.shapes import FlatDicts, as_series, picked

if TYPE_CHECKING:
    from assay.tables.predictions import Predictions

__all__ = [
    "Batches",
    "Direction",
    "Documents",
    "FlatDicts",
    "Predictions",
    "Qrels",
    "Run",
    "Scores",
    "Topics",
    "as_series",
    "picked",
]


def __getattr__(name: str) -> Any:
    if name != "Predictions":
        raise AttributeError(f"module 'assay.tables' has no attribute {name!r}")
    from assay.tables.predictions import Predictions  # noqa: PLC0415

    return Predictions
