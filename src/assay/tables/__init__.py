"""The tables that flow between the stages: `Run`, `Qrels` and `Scores`, each a Polars frame with a checked schema."""

from assay.tables.qrels import Qrels
from assay.tables.run import Batches, Run
from assay.tables.scores import Scores
from assay.tables.shapes import FlatDicts, as_series, picked
from assay.tables.texts import Documents, Topics

__all__ = ["Batches", "Documents", "FlatDicts", "Qrels", "Run", "Scores", "Topics", "as_series", "picked"]
