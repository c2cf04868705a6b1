"""The reference tool's text, from Assay's measures."""

from assay.trec_eval.catalogue import Options
from assay.trec_eval.printout import Printout, trec_eval

__all__ = ["Options", "Printout", "trec_eval"]
