"""Extracted spans as a subject of the verbs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.subjects.spans.pairing import RULES, Extractions
from assay.verbs.subject import Words


class SpansSubject:
    """Spans that systems found in documents, held against the true ones."""

    name = "spans"
    words = Words("extraction", "document", "extractions", "spans of documents")
    gated = "assay.subjects.spans.gating:two_extractions"
    reported = "assay.subjects.spans.report:ReportedExtractions"
    explained = "assay.subjects.spans.explanation:explain_spans"
    rules = RULES
    report_rules = rules

    def pairing(self, inputs: Sequence[Any], measures: Any, seed: int, rules: Mapping[str, Any]) -> Extractions:
        """Extractions, paired by document; or the true spans, and those of each system by its name."""
        del measures, seed
        return Extractions.of(inputs, rules)


SPANS = SpansSubject()
