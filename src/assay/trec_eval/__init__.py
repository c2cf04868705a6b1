"""The reference tool's text, from Assay's measures."""

from assay.trec_eval.catalogue import PrintOptions
from assay.trec_eval.printout import Printout, trec_eval

__all__ = ["PrintOptions", "Printout", "trec_eval"]
