"""`Diagnosis`: what the doctor found."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from assay.core.errors import listed, number_of
from assay.core.results import Result
from assay.diagnosis.findings import SEVERITIES, Finding, Severity
from assay.diagnosis.registry import Check


@dataclass(frozen=True, eq=False)
class Diagnosis(Result):
    """Findings, the gravest first, and the checks that were made.

    >>> from assay import doctor
    >>> found = doctor({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 1.0, "d2": 1.0}}, "RR")
    >>> [(finding.check, finding.severity) for finding in found.findings]
    [('equal-scores', 'error'), ('ties', 'warning')]
    >>> found.verdict
    '1 error, 1 warning'
    """

    kind = "diagnosis"

    findings: tuple[Finding, ...]
    judgments: str
    runs: tuple[str, ...]
    checks: tuple[Check, ...]
    measures: tuple[str, ...]
    #: Checks that there was nothing to make on: the judgments, or all runs, could not be read.
    not_made: tuple[Check, ...] = ()
    #: Of classifiers: the files, and the systems in them; there are no judgments and no runs then.
    predictions: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Diagnosis of {self.subject}: {self.verdict}>"

    @property
    def subject(self) -> str:
        """What was looked at, in words."""
        if self.predictions:
            return f"{listed(self.predictions)}, {number_of('system', len(self.systems))}"
        return f"{self.judgments} and {number_of('run', len(self.runs))}"

    @property
    def is_healthy(self) -> bool:
        """Whether no finding is an error."""
        return not self.of("error")

    def __bool__(self) -> bool:
        return self.is_healthy

    @property
    def verdict(self) -> str:
        """How many findings of which severity there are, in words."""
        counts = ((severity, len(self.of(severity))) for severity in SEVERITIES)
        counted = [number_of(severity, count) for severity, count in counts if count]
        return ", ".join(counted) if counted else "nothing found"

    @property
    def passed(self) -> tuple[Check, ...]:
        """The checks that found nothing."""
        failed = {finding.check for finding in self.findings}
        return tuple(check for check in self.checks if check.name not in failed)

    def of(self, severity: Severity) -> list[Finding]:
        """The findings of one severity."""
        return [finding for finding in self.findings if finding.severity == severity]

    def to_frame(self) -> pl.DataFrame:
        """One row per finding; the examples in one text."""
        rows = [
            {
                "severity": finding.severity,
                "check": finding.check,
                "file": finding.file,
                "system": finding.system,
                "count": finding.count,
                "says": finding.says,
                "examples": "; ".join(map(str, finding.examples)),
                "advice": finding.advice,
            }
            for finding in self.findings
        ]
        kinds = dict.fromkeys(("severity", "check", "file", "system"), pl.String) | {"count": pl.Int64}
        return pl.DataFrame(rows, schema=kinds | dict.fromkeys(("says", "examples", "advice"), pl.String))
