"""`explain`: how a number came about, step by step."""

from assay.verbs.explanation.explain import explain, ranks_of
from assay.verbs.explanation.result import Explanation, OtherWay

__all__ = ["Explanation", "OtherWay", "explain", "ranks_of"]
