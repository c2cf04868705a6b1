"""Measures as people call them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.measures.registry import Measure

#: What people call measures with their usual parameters.
_USUAL = {"F": "F1", "PairF": "PairF1", "BCubedF": "BCubedF1", "PurityF": "PurityF1"}

#: How averages over classes are named; those of clusterings are of other things.
_AVERAGES = {
    "binary": "",
    "macro": " (macro)",
    "micro": " (micro)",
    "weighted": " (weighted)",
    "samples": " (per item)",
}


def display_name(measure: Measure) -> str:
    """A measure as people call it: F1, and which average where there are several.

    >>> from assay.measures import parse_measure
    >>> display_name(parse_measure("F(average='micro')", "multiclass")), display_name(parse_measure("F", "binary"))
    ('F1 (micro)', 'F1')
    >>> display_name(parse_measure("BCubedF", "clustering")), display_name(parse_measure("NMI", "clustering"))
    ('BCubedF1', 'NMI')
    """
    average = measure.parameters.get("average")
    if average not in _AVERAGES:
        return _USUAL.get(str(measure), str(measure))
    usual = measure(average=measure.definition.parameters["average"].default)
    return _USUAL.get(str(usual), str(usual)) + _AVERAGES[average]
