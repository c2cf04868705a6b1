"""Extracted spans as a subject of the verbs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.core.errors import ParameterError
from assay.subjects.spans.pairing import RULES, Extractions
from assay.verbs.subject import Words

if TYPE_CHECKING:
    from assay.measures.registry import Measure
    from assay.verbs.explanation.numbers import View
    from assay.verbs.explanation.place import Place
    from assay.verbs.explanation.result import Explanation


class SpansSubject:
    """Spans that systems found in documents, held against the true ones."""

    name = "spans"
    words = Words("extraction", "document", "extractions", "spans of documents")
    verb = "assay.subjects.spans.evaluation:extract"
    gated = "assay.subjects.spans.gating:two_extractions"
    reported = "assay.subjects.spans.report:ReportedExtractions"
    examination = "assay.subjects.spans.checks:SpansExamination"
    rules = RULES
    report_rules = rules

    def pairing(self, inputs: Sequence[Any], measures: Any, seed: int, rules: Mapping[str, Any]) -> Extractions:
        """Extractions, paired by document; or the true spans, and those of each system by its name."""
        del measures, seed
        return Extractions.of(inputs, rules)

    def explain(
        self, measure: str | Measure, inputs: Sequence[Any], place: Place, view: View, rules: dict[str, Any]
    ) -> Explanation:
        """The number of all spans together, of one type or of one document."""
        from assay.subjects.spans.explanation import explain_spans  # noqa: PLC0415  # only who explains waits for it

        asked = {"system": place.system, "threshold": place.threshold, "query": place.query, **rules}
        for name in [name for name, value in asked.items() if value is not None] + ["running"] * view.running:
            raise ParameterError(f"{name} has no meaning here: choose a label or an item")
        explanation = explain_spans(measure, inputs[0], label=place.label, unit=place.item)
        return explanation if view.depth is None else replace(explanation, shown=view.depth)


SPANS = SpansSubject()
