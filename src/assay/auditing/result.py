"""`Audit`: the same ranking under other tools' rules."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from assay.auditing.registry import Rule
from assay.auditing.search import Answer
from assay.core.errors import number_of
from assay.core.results import Result
from assay.measures.registry import Measure

# What differs by less is the same number, added up in another order.
_SAME = 1e-12


class Finding(NamedTuple):
    """What a rule gives, and the signature that asks Assay for the same, if there is one."""

    rule: Rule
    value: float
    difference: float
    signature: str | None

    @property
    def is_same(self) -> bool:
        """Whether the rule makes no difference here."""
        return abs(self.difference) <= _SAME


@dataclass(frozen=True, eq=False)
class Audit(Result):
    """One value and what other tools' rules make of the same data.

    >>> from assay import audit
    >>> result = audit({"A": 3, "B": 2, "C": 2}, ["A", "X", "C"], "nDCG@3", value="0.7537")
    >>> round(result.value, 4), result.is_found
    (0.7602, False)
    """

    kind = "audit"

    measure: Measure
    #: The query, or None if the value is a mean or that of a bare list.
    query: str | None
    #: What the value is of, in words.
    where: str
    value: float
    signature: str
    #: Tools whose rules as a whole are those of the value.
    tools: tuple[str, ...]
    findings: tuple[Finding, ...]
    repeated_rows: int
    answer: Answer | None = None
    #: What was odd about the data.
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Audit of {self.measure}: {self.value}, {number_of('other value', len(self.different))}>"

    @property
    def different(self) -> list[Finding]:
        """The rules that give another value here, largest first."""
        differing = [finding for finding in self.findings if not finding.is_same]
        return sorted(differing, key=lambda finding: (math.isnan(finding.value), -finding.value))

    @property
    def same(self) -> list[Finding]:
        """The rules that would give the same here."""
        return [finding for finding in self.findings if finding.is_same]

    @property
    def is_found(self) -> bool:
        """Whether some rule, or a stated pair of rules, gives the value that was asked for."""
        return self.answer is not None and bool(self.answer.matches)

    def to_frame(self) -> pl.DataFrame:
        """One row per rule, Assay's own first: value, difference, rule, tools, why, and Assay's signature for it.

        `same`: whether the rule makes no difference here.
        """
        default = Rule("Assay's own", "", lambda setting: setting, self.tools)
        findings = (Finding(default, self.value, 0.0, self.signature), *self.different, *self.same)
        rows = [
            (value, difference, rule.name, ", ".join(rule.tools), rule.why, signature, abs(difference) <= _SAME)
            for rule, value, difference, signature in findings
        ]
        numbers, texts = ("value", "difference"), ("rule", "tools", "why", "signature")
        schema = dict.fromkeys(numbers, pl.Float64) | dict.fromkeys(texts, pl.String) | {"same": pl.Boolean}
        frame = pl.DataFrame(rows, schema=schema, orient="row")
        return frame.with_columns(pl.col(pl.Float64).fill_nan(None))
