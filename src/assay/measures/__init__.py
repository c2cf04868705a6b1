"""Counts -> numbers: one module a family of measures, each measure registered where it is defined.

`from assay.measures import nDCG` gives the measure of rankings that has this name. Families that rankings have no use
for are loaded when their vocabulary is: see `vocabularies`.
"""

from assay.measures import (  # noqa: F401  # what a family defines is registered as it is loaded
    average_precision,
    cascade,
    decisions,
    diversity,
    gain,
    precision,
    precision_recall,
    rates,
    reference,
    sets,
)
from assay.measures.parser import parse_measure
from assay.measures.registry import Measure, measure
from assay.measures.steps import PerUnit, Steps
from assay.measures.vocabularies import Vocabulary, by_name, registered

__all__ = ["Measure", "PerUnit", "Steps", "Vocabulary", "measure", "parse_measure", "registered"]


def __getattr__(name: str) -> Measure:
    known = by_name(name)
    if known is None:
        raise AttributeError(f"module 'assay.measures' has no attribute {name!r}")
    return known


def __dir__() -> list[str]:
    return [*globals(), *registered()]
