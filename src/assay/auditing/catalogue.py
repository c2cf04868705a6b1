"""The rules that are known, by measure."""

from __future__ import annotations

# Each module registers its rules where they are defined; rules that have to do with ranking come first.
from assay.auditing import gain_rules, other_rules, precision_rules, reading_rules
from assay.auditing.registry import Rule, registered
from assay.measures.registry import Measure

MODULES = (reading_rules, gain_rules, precision_rules, other_rules)


def rules(measure: Measure | None = None) -> tuple[Rule, ...]:
    """All rules, or those that have to do with a measure.

    >>> from assay.measures import RR
    >>> [rule.name for rule in rules(RR) if rule.of]
    ['no cut-off']
    """
    return tuple(rule for rule in registered() if measure is None or rule.suits(measure))
