"""The verb `extract`: how well spans or tuples were found in documents."""

from assay.extraction.evaluation import extract
from assay.extraction.result import Extraction
from assay.extraction.span_files import read_spans, read_truth_and_predicted
from assay.extraction.spans import Match, Spans
from assay.extraction.tagged_tokens import Bio

__all__ = ["Bio", "Extraction", "Match", "Spans", "extract", "read_spans", "read_truth_and_predicted"]
