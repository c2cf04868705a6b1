"""The reference tool's text, from Assay's measures."""

from assay.subjects.ranking.trec_eval.catalogue import PrintOptions
from assay.subjects.ranking.trec_eval.printout import Printout, trec_eval

__all__ = ["PrintOptions", "Printout", "trec_eval"]
