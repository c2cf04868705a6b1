"""`explain`: how a number came about, step by step."""

from assay.explanation.explaining import explain
from assay.explanation.lists import ranks_of
from assay.explanation.result import Explanation

__all__ = ["Explanation", "explain", "ranks_of"]
