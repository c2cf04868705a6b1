"""`Audit`: the same ranking under other tools' rules."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from assay.auditing.registry import Rule
from assay.auditing.search import Answer
from assay.core.errors import number_of
from assay.measures.registry import Measure
from assay.tabled import Tabled

if TYPE_CHECKING:
    from assay.report.titled import Titled

JSON_SCHEMA_VERSION = 1
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
class Audit(Tabled):
    """One value and what other tools' rules make of the same data.

    >>> from assay import audit
    >>> result = audit({"A": 3, "B": 2, "C": 2}, ["A", "X", "C"], "nDCG@3", value="0.7537")
    >>> round(result.value, 4), result.is_found
    (0.7602, False)
    """

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
        found = [finding for finding in self.findings if not finding.is_same]
        return sorted(found, key=lambda finding: (math.isnan(finding.value), -finding.value))

    @property
    def same(self) -> list[Finding]:
        """The rules that would give the same here."""
        return [finding for finding in self.findings if finding.is_same]

    @property
    def is_found(self) -> bool:
        """Whether some rule, or a stated pair of rules, gives the value that was asked for."""
        return self.answer is not None and bool(self.answer.matches)

    def to_frame(self) -> pl.DataFrame:
        """One row a rule, Assay's own first: value, difference, rule, tools, why, and Assay's signature for it."""
        columns = ("value", "difference", "rule", "tools", "why", "signature")
        kinds = (pl.Float64, pl.Float64, pl.String, pl.String, pl.String, pl.String)
        rows: list[tuple[Any, ...]] = [(self.value, 0.0, "Assay's own", ", ".join(self.tools), "", self.signature)]
        for finding in (*self.different, *self.same):
            rule = finding.rule
            rows.append(
                (finding.value, finding.difference, rule.name, ", ".join(rule.tools), rule.why, finding.signature)
            )
        frame = pl.DataFrame(rows, schema=dict(zip(columns, kinds, strict=True)), orient="row")
        return frame.with_columns(pl.col(pl.Float64).fill_nan(None))

    def to_json(self) -> str:
        """Value, signature, rules with their values, and what was found for the value asked for."""
        from assay.report.layout import as_json  # noqa: PLC0415  # results reach the report inside functions only

        return as_json(
            {
                "schema_version": JSON_SCHEMA_VERSION,
                "measure": str(self.measure),
                "query": self.query,
                "of": self.where,
                "value": self.value,
                "signature": self.signature,
                "repeated_rows": self.repeated_rows,
                "rules": [
                    {
                        "rule": finding.rule.name,
                        "value": finding.value,
                        "difference": finding.difference,
                        "same": finding.is_same,
                        "tools": list(finding.rule.tools),
                        "why": finding.rule.why,
                        "signature": finding.signature,
                    }
                    for finding in (*self.different, *self.same)
                ],
                "notes": list(self.notes),
                "asked": None if self.answer is None else _asked(self.answer),
            }
        )

    def tables(self) -> list[Titled]:
        """The rules that differ, largest value first; short, as lines of a terminal are."""
        from assay.report.audits import tables  # noqa: PLC0415

        return tables(self)

    def lines(self) -> list[str]:
        """Which rule gives the value asked for, why the rules differ, which make no difference, and the signature."""
        from assay.report.audits import lines  # noqa: PLC0415

        return lines(self)

    def to_markdown(self) -> str:
        """The rules with their tools and reasons in one table, and the text."""
        from assay.report import audits, titled  # noqa: PLC0415

        return titled.to_markdown(audits.full_tables(self), audits.lines(self, reasons=False))

    def to_latex(self) -> str:
        """The rules with their tools and reasons as a LaTeX table (booktabs); the text as comments."""
        from assay.report import audits, titled  # noqa: PLC0415

        return titled.to_latex(audits.full_tables(self), audits.lines(self, reasons=False))

    def to_html(self) -> str:
        """The rules with their tools and reasons in one table, and the text, for notebooks and pages."""
        from assay.report import audits, titled  # noqa: PLC0415

        return titled.to_html(audits.full_tables(self), audits.lines(self, reasons=False))


def _asked(answer: Answer) -> dict[str, Any]:
    return {
        "value": answer.wanted.text,
        "digits": answer.wanted.digits,
        "percent": answer.wanted.percent,
        "found": bool(answer.matches),
        "tried": answer.tried,
        "matches": [{"rules": [rule.name for rule in match.rules], "value": match.value} for match in answer.matches],
    }
