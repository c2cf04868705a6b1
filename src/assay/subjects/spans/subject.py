"""Extracted spans as a subject of the verbs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.core.errors import ParameterError
from assay.subjects.spans.evaluation import extract
from assay.subjects.spans.pairing import Extractions
from assay.subjects.spans.result import Extraction
from assay.verbs.subject import Words


class SpansSubject:
    """Spans that systems found in documents, held against the true ones."""

    name = "spans"
    words = Words("extraction", "document", "extractions", "spans of documents")
    reported = "assay.subjects.spans.report:ReportedExtractions"
    examination = "assay.subjects.spans.checks:SpansExamination"
    rules = ("match", "bio", "beta")
    report_rules = rules

    def pairing(self, inputs: Sequence[Any], measures: Any, seed: int, rules: Mapping[str, Any]) -> Extractions:
        """Extractions, paired by document; or the true spans, and those of each system by its name."""
        del measures, seed
        flat = [value for part in inputs for value in (part if isinstance(part, list | tuple) else [part])]
        if all(isinstance(value, Extraction) for value in flat):
            if rules:
                raise ParameterError(f"{next(iter(rules))!r} was decided when the spans were matched: leave it out")
            return Extractions(tuple(flat))
        if len(inputs) != 2 or not isinstance(inputs[1], Mapping):
            raise ParameterError("give extractions, or the true spans and {name: predicted spans}")
        truth, systems = inputs
        return Extractions(tuple(extract(truth, spans, name=name, **rules) for name, spans in systems.items()))


SPANS = SpansSubject()
