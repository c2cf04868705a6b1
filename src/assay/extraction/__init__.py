"""The verb `extract`: how well spans or tuples were found in documents."""

from assay.extraction.extracting import extract
from assay.extraction.matching import Match
from assay.extraction.reading import read_spans, read_truth_and_predicted
from assay.extraction.result import Extraction
from assay.extraction.spans import Spans
from assay.extraction.tags import Bio

__all__ = ["Bio", "Extraction", "Match", "Spans", "extract", "read_spans", "read_truth_and_predicted"]
