"""A gate on extracted spans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.core.errors import ParameterError
from assay.subjects.spans.pairing import COMPARED_BY
from assay.subjects.spans.result import Extraction
from assay.subjects.spans.subject import SPANS
from assay.verbs.gating.sides import TAKES, Sides, Two


def two_extractions(data: Any, two: Two, measures: Any, seed: int, rules: Mapping[str, Any]) -> Sides:
    """The baseline and the candidate, from the same documents: extractions, or spans held against the true ones.

    >>> from assay import extract
    >>> spans = [("d1", 0, 4, "PER"), ("d2", 9, 12, "LOC")]
    >>> truth = extract(spans, spans).truth
    >>> two_extractions(truth, Two(truth, {"new": truth}), None, 0, {}).pairing.sample("F").systems
    ('baseline', 'new')
    """
    inputs: list[Any]
    if _extractions(data):
        inputs = two.among(data, _extractions, "extractions")
    elif two.baseline is None or two.candidate is None:
        raise ParameterError(TAKES)
    else:
        named = [_named(spans, role) for role, spans in two._asdict().items()]
        if named[0][0] == named[1][0]:
            named = [(f"{name} ({role})", spans) for (name, spans), role in zip(named, Two._fields, strict=True)]
        inputs = [data, dict(named)]
    pairing = SPANS.pairing(inputs, measures, seed, rules)
    names = pairing.measure_names(COMPARED_BY[:1] if measures is None else measures)
    return Sides(pairing, names, lambda measure: str(pairing.measure(measure)))


def _extractions(data: Any) -> list[Extraction]:
    listed = list(data) if isinstance(data, list | tuple) else [data]
    return listed if all(isinstance(each, Extraction) for each in listed) else []


def _named(spans: Any, role: str) -> tuple[str, Any]:
    """Spans with the name of their system: that in {name: spans}, or the role."""
    if isinstance(spans, Mapping) and len(spans) == 1:
        name, inner = next(iter(spans.items()))
        return str(name), inner
    return role, spans
