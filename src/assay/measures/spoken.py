"""Measures as people call them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.measures.registry import Measure


def called(measure: Measure, task: str) -> str:
    """A measure as people call it: F1, and which average where there are several.

    >>> from assay.measures import parse_measure
    >>> called(parse_measure("F(average='micro')", "multiclass"), "multiclass")
    'F1 (micro)'
    """
    average = measure.parameters.get("average")
    rest = measure(average=measure.definition.parameters["average"].default) if average is not None else measure
    name = "F1" if str(rest) == "F" else str(rest)
    if average is None or (task, average) == ("binary", "binary"):
        return name
    return f"{name} ({'per item' if average == 'samples' else average})"
