"""The verb `extract`: how well spans or tuples were found in documents."""

from assay.subjects.spans.evaluation import extract
from assay.subjects.spans.result import Extraction
from assay.subjects.spans.span_files import read_spans, read_truth_and_predicted
from assay.subjects.spans.spans import Match, Spans
from assay.subjects.spans.tagged_tokens import Bio

__all__ = ["Bio", "Extraction", "Match", "Spans", "extract", "read_spans", "read_truth_and_predicted"]
