"""`explain`: how a number came about, step by step."""

from assay.explanation.dispatch import explain, ranks_of
from assay.explanation.result import Explanation, OtherWay

__all__ = ["Explanation", "OtherWay", "explain", "ranks_of"]
