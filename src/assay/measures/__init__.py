"""Counts -> numbers: one module a family of measures, each measure registered where it is defined.

Measures of rankings can be imported from here by their names: `from assay.measures import AP`. Their families are
loaded when one of their measures is asked for.
"""

from assay.measures.parser import parse_measure
from assay.measures.registry import Measure, measure
from assay.measures.steps import PerUnit, Steps
from assay.measures.vocabularies import Vocabulary, by_name, load_packages, registered

__all__ = ["Measure", "PerUnit", "Steps", "Vocabulary", "measure", "parse_measure", "registered"]


def __getattr__(name: str) -> Measure:
    known = None
    if not name.islower() and not name.startswith("_"):  # in small letters, it is a module
        known = by_name(name) or (by_name(name) if load_packages() else None)
    if known is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return known


def __dir__() -> list[str]:
    return sorted({*globals(), *registered()})
