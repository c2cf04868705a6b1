"""Checks, each registered where it is defined; what they find; and the `Diagnosis` of all files together."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import polars as pl

from assay.core.arguments import worded
from assay.core.errors import listed, number_of, quote
from assay.core.results import Result

if TYPE_CHECKING:
    from assay.subjects.labels.checks.examined_predictions import ExaminedPredictions, PredictionsFile
    from assay.verbs.diagnosis.examined_files import Opened

    Examined: TypeAlias = Opened | PredictionsFile | ExaminedPredictions

#: So many cases of a finding are shown.
EXAMPLES = 3

Severity: TypeAlias = Literal["error", "warning", "note"]

#: The gravest first.
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


class Example(NamedTuple):
    """A case of what was found: what it is, and on which line of the file, if it comes from one.

    >>> str(Example("query 'q1', document 'd7'", 12))
    "line 12: query 'q1', document 'd7'"
    """

    text: str
    line: int | None = None

    def __str__(self) -> str:
        return self.text if self.line is None else f"line {self.line:,}: {self.text}"


@dataclass(frozen=True)
class Finding:
    """What a check found in a file, or in several together.

    `count` says how often, `examples` are the first cases, `details` a small table of numbers. `weight` orders findings
    of one check in several runs, the largest first.

    >>> str(Finding("empty", "error", "new.run", "the file is empty", "write it again"))
    'error: new.run: the file is empty; write it again [empty]'
    """

    check: str
    severity: Severity
    file: str
    says: str
    advice: str
    count: int = 1
    examples: tuple[Example, ...] = ()
    details: tuple[Mapping[str, Any], ...] = ()
    system: str | None = None
    weight: float = 0.0

    def __str__(self) -> str:
        return f"{self.severity}: {self.file}: {self.says}; {self.advice} [{self.check}]"


def pair(query_id: str, doc_id: str) -> str:
    """A document of a query, for examples.

    >>> pair("q1", "d7")
    "query 'q1', document 'd7'"
    """
    return f"query {quote(query_id)}, document {quote(doc_id)}"


def share(count: int, total: int, what: str) -> str:
    """So many of all there are.

    >>> share(1000, 1000, "topic"), share(1, 1, "topic")
    ('1,000 of 1,000 topics', '1 of 1 topic')
    """
    return f"{count:,} of {number_of(what, total)}"


#: What a check looks at: a file as it was read, the judgments, one run by itself or with the judgments, and all runs
#: together by themselves or with the judgments. Of classifiers: a file of predictions, one system of it, two labels
#: and their scores, probabilities, several files together, and a file beside that of the items it was trained on.
About: TypeAlias = Literal[
    "file", "judgments", "ranking", "run", "rankings", "runs",
    "predictions", "system", "scored", "probabilities", "together", "training",
]  # fmt: skip


class DoctorCheck(NamedTuple):
    """What is looked for, how grave it is, and what to do about it; `find` looks."""

    name: str
    about: About
    severities: tuple[Severity, ...]
    #: What is looked for, as a question that a sound file answers with no.
    question: str
    advice: str
    find: Callable[..., Iterator[Finding]]


_CHECKS: dict[str, DoctorCheck] = {}
#: The modules that define checks, in the order in which these are made.
_MODULES = (
    "assay.verbs.diagnosis.lines",
    "assay.subjects.ranking.checks.grades",
    "assay.subjects.ranking.checks.identifiers",
    "assay.subjects.ranking.checks.run_scores",
    "assay.subjects.ranking.checks.systems",
    "assay.subjects.ranking.checks.suitability",
)
#: The same for predictions of classifiers.
_MODULES_OF_PREDICTIONS = (
    "assay.subjects.labels.checks.columns",
    "assay.subjects.labels.checks.scores",
    "assay.subjects.labels.checks.items",
    "assay.subjects.labels.checks.leakage",
)


def check(name: str, about: About, *severities: Severity, question: str, advice: str) -> Callable[[Any], Any]:
    """Register a check; the decorated function yields what it finds."""

    def add(find: Callable[..., Iterator[Finding]]) -> Callable[..., Iterator[Finding]]:
        _CHECKS[name] = DoctorCheck(name, about, severities, question, advice, find)
        return find

    return add


def finding(
    name: str,
    severity: Severity,
    file: Examined | None,
    message: str,
    count: int = 1,
    *,
    examples: Sequence[Example] = (),
    details: Sequence[Mapping[str, Any]] = (),
    todo: str | None = None,
    weight: float | None = None,
) -> Finding:
    """What a check found in a file, or (None) in all runs together.

    `todo` is the part of the check's advice that is about this case; `weight` is the count, unless given.
    """
    todo = worded(_CHECKS[name].advice) if todo is None else todo
    system = file.name if file is not None and file.kind in {"run", "system"} else None
    return Finding(
        name, severity, "all runs" if file is None else file.file, message, todo, count,
        tuple(examples), tuple(details), system, float(count if weight is None else weight),
    )  # fmt: skip


def checks(about: About | None = None) -> list[DoctorCheck]:
    """All checks of judgments and runs in the order in which they are made, or those about one thing.

    >>> [known.name for known in checks("file")][:3]
    ['empty', 'compression', 'encoding']
    """
    return [known for known in _loaded(_MODULES) if about in {None, known.about}]


def checks_of_predictions() -> list[DoctorCheck]:
    """All checks of predictions in the order in which they are made.

    >>> checks_of_predictions()[0].name
    'unreadable'
    """
    return _loaded(_MODULES_OF_PREDICTIONS)


def _loaded(modules: tuple[str, ...]) -> list[DoctorCheck]:
    """The checks that modules define."""
    for module in modules:
        importlib.import_module(module)
    # Whoever has loaded one of them before the others does not change the order.
    order = {module: place for place, module in enumerate(modules)}
    listed_checks = [known for known in _CHECKS.values() if known.find.__module__ in order]
    listed_checks = sorted(listed_checks, key=lambda known: order[known.find.__module__])
    return [known._replace(question=worded(known.question), advice=worded(known.advice)) for known in listed_checks]


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
    checks: tuple[DoctorCheck, ...]
    measures: tuple[str, ...]
    #: Checks that there was nothing to make on: the judgments, or all runs, could not be read.
    not_made: tuple[DoctorCheck, ...] = ()
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
    def passed(self) -> tuple[DoctorCheck, ...]:
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
