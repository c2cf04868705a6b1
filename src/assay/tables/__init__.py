"""The tables that flow between stages: `Run`, `Qrels`, `Predictions`, `Scores`, Polars frames with checked schemas."""

from assay.tables.predictions import Predictions
from assay.tables.qrels import Qrels
from assay.tables.run import Batches, Run
from assay.tables.scores import Scores
from assay.tables.shapes import FlatDicts, as_series, picked
from assay.tables.texts import Documents, Topics

__all__ = [
    "Batches",
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
