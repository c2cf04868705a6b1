"""`doctor`: checks, each registered where it is defined; what they find; the `Diagnosis` of all files together."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, TypeVar

import polars as pl

from assay.core import registry
from assay.core.errors import AssayError, FormatError, ParameterError, number_of, quote, worded
from assay.core.results import Result
from assay.files.manifest import judgments_and_runs
from assay.measures.registry import Measure
from assay.tables.roles import ColumnNames, named_by
from assay.verbs.subject import Subject, subject_of

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
class CheckFinding:
    """A finding of a check in a file, or in several together.

    `count` says how often, `examples` are the first cases, `details` a small table of numbers. `weight` orders findings
    of one check in several runs, the largest first.

    >>> str(CheckFinding("empty", "error", "new.run", "the file is empty", "write it again"))
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
    """The share of so many among all there are.

    >>> share(1000, 1000, "topic"), share(1, 1, "topic")
    ('1,000 of 1,000 topics', '1 of 1 topic')
    """
    return f"{count:,} of {number_of(what, total)}"


class WholeFile(NamedTuple):
    """A file as a whole, or all of them."""

    file: str
    system: str | None = None


class Reading(NamedTuple):
    """A file as its strict reader took it; `problem`: why that refused it."""

    file: str
    problem: AssayError | None = None
    system: str | None = None

    @property
    def reason(self) -> str:
        """The fault, without the file's name; empty if there is none.

        >>> Reading("a.csv", FormatError("a.csv", 3, expected="a number", got="many")).reason
        "line 3: expected a number, got 'many'"
        """
        if self.problem is None:
            return ""
        if not isinstance(self.problem, FormatError):
            return str(self.problem).removeprefix(f"{self.file}: ")
        return f"line {self.problem.line}: {self.problem.reason}" if self.problem.line else self.problem.reason


class DoctorCheck(NamedTuple):
    """A check: its question, its severity, and its advice; `find` looks."""

    name: str
    #: The kind of thing that it looks at, as its subject calls what it examines.
    about: str
    severities: tuple[Severity, ...]
    #: What is looked for, as a question that a sound file answers with no.
    question: str
    advice: str
    find: Callable[..., Iterator[CheckFinding]]


_CHECKS: dict[str, DoctorCheck] = {}


def check(name: str, about: str, *severities: Severity, advice: str, question: str = "") -> Callable[[Any], Any]:
    """Register a check; the decorated function yields what it finds, and asks its question in its docstring."""

    def add(find: Callable[..., Iterator[CheckFinding]]) -> Callable[..., Iterator[CheckFinding]]:
        asked = question or " ".join((find.__doc__ or "").split())
        _CHECKS[name] = DoctorCheck(name, about, severities, asked, advice, find)
        return find

    return add


def unreadable(name: str, module: str, *, question: str, advice: str, apart: type[AssayError] | None = None) -> None:
    """Register the check that finds what a reader refuses, for the subject whose checks `module` has.

    Problems of the class `apart` have a check of their own.
    """

    def find(file: Reading) -> Iterator[CheckFinding]:
        if file.problem is not None and not (apart and isinstance(file.problem, apart)):
            yield finding(name, "error", file, file.reason)

    find.__module__ = module
    check(name, "file", "error", question=question, advice=advice)(find)


def finding(
    name: str,
    severity: Severity,
    place: Any,
    message: str,
    count: int = 1,
    *,
    examples: Sequence[Example] = (),
    details: Sequence[Mapping[str, Any]] = (),
    todo: str | None = None,
    weight: float | None = None,
) -> CheckFinding:
    """The finding of a check at a place, which has a `file`, and a `system` if it is one's.

    `todo` is the part of the check's advice that is about this case; `weight` is the count, unless given.
    """
    todo = worded(_CHECKS[name].advice) if todo is None else todo
    return CheckFinding(
        name, severity, place.file, message, todo, count,
        tuple(examples), tuple(details), place.system, float(count if weight is None else weight),
    )  # fmt: skip


def examples_of(rows: pl.DataFrame, text: Callable[[dict[str, Any]], str]) -> list[Example]:
    """The first rows as cases, each in words, and with its `line` if there is such a column.

    >>> examples_of(pl.DataFrame({"item": ["d1"], "line": [7]}), lambda row: f"item {quote(row['item'])}")
    [Example(text="item 'd1'", line=7)]
    """
    return [Example(text(row), row.get("line")) for row in rows.head(EXAMPLES).to_dicts()]


def in_rows(
    name: str,
    severity: Severity,
    place: Any,
    rows: pl.DataFrame,
    text: Callable[[dict[str, Any]], str],
    *,
    message: str,
) -> Iterator[CheckFinding]:
    """The finding of a check in rows, if there are any: their number, and the first as cases; see `examples_of`."""
    if rows.height:
        yield finding(name, severity, place, message, rows.height, examples=examples_of(rows, text))


def among(
    name: str, severity: Severity, place: Any, kind: str, ids: Iterable[object], *, message: str
) -> Iterator[CheckFinding]:
    """The finding of a check among things of a kind, if any are named: their number, and the first of them.

    >>> _ = checks("clusters")
    >>> [each] = among("noise", "warning", WholeFile("a.csv"), "item", ["d1", "d2"], message="2 odd items")
    >>> each.count, str(each.examples[0])
    (2, "item 'd1'")
    """
    cases = [Example(f"{kind} {quote(str(each))}") for each in ids]
    if cases:
        yield finding(name, severity, place, message, len(cases), examples=cases[:EXAMPLES])


def checks(subject: str, about: str | None = None) -> list[DoctorCheck]:
    """All checks of a subject in the order in which they are made, or those about one kind of thing.

    >>> [known.name for known in checks("ranking", "file")][:3], checks("labels")[0].name
    (['empty', 'compression', 'encoding'], 'unreadable')
    """
    return checks_in(registry.load(registry.subject(subject).examination).modules, about)


def checks_in(modules: Sequence[str], about: str | None = None) -> list[DoctorCheck]:
    """The checks that modules define, in their order."""
    for module in modules:
        importlib.import_module(module)
    # Whoever has loaded one of them before the others does not change the order.
    order = {module: place for place, module in enumerate(modules)}
    here = [known for known in _CHECKS.values() if known.find.__module__ in order and about in {None, known.about}]
    here.sort(key=lambda known: order[known.find.__module__])
    return [known._replace(question=worded(known.question), advice=worded(known.advice)) for known in here]


class Overview(NamedTuple):
    """The data that were looked at: in words, and as data of the diagnosis.

    `system` is what people call a system, and `number` how many there are. `systems` are named beside their files,
    where a file may hold several. What was found in the file `first` is told before all else.
    """

    title: str
    data: Mapping[str, Any]
    number: int
    system: str = "system"
    systems: tuple[str, ...] = ()
    first: str = ""


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

    findings: tuple[CheckFinding, ...]
    checks: tuple[DoctorCheck, ...]
    overview: Overview
    #: Checks that there was nothing to make on: a file could not be read, say.
    not_made: tuple[DoctorCheck, ...] = ()

    def __repr__(self) -> str:
        return f"<Diagnosis of {self.subject}: {self.verdict}>"

    @property
    def subject(self) -> str:
        """The data that were looked at, in words."""
        return self.overview.title

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems in the files, where a file may hold several."""
        return self.overview.systems

    @property
    def is_healthy(self) -> bool:
        """True if no finding is an error."""
        return not self.of("error")

    def __bool__(self) -> bool:
        return self.is_healthy

    @property
    def verdict(self) -> str:
        """Numbers of findings by severity, in words."""
        counts = ((severity, len(self.of(severity))) for severity in SEVERITIES)
        counted = [number_of(severity, count) for severity, count in counts if count]
        return ", ".join(counted) if counted else "nothing found"

    @property
    def passed(self) -> tuple[DoctorCheck, ...]:
        """The checks that found nothing."""
        failed = {finding.check for finding in self.findings}
        return tuple(check for check in self.checks if check.name not in failed)

    def of(self, severity: Severity) -> list[CheckFinding]:
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


Watch: TypeAlias = Callable[[str], None]
#: What a reader makes of a file.
Table = TypeVar("Table")


class Examined(NamedTuple):
    """A thing to look at, and what it is: checks about any of these kinds are made on it."""

    thing: Any
    about: tuple[str, ...]


class Examination(ABC):
    """An examination of a subject's data: the things to look at, one after the other."""

    #: The modules that define checks, in the order in which these are made.
    modules: ClassVar[tuple[str, ...]]
    #: The options of `doctor` that go with the subject.
    options: ClassVar[tuple[str, ...]] = ()

    def __init__(self, inputs: Sequence[Any], options: Mapping[str, Any], watch: Watch) -> None:
        self.inputs, self.stated, self.watch = inputs, options, watch

    @abstractmethod
    def things(self) -> Iterator[Examined]:
        """Open what was given, whatever is wrong with it."""

    @abstractmethod
    def overview(self) -> Overview:
        """The data that were looked at, once all of them were."""

    def opened(self, file: str, *readers: Callable[[], Table]) -> tuple[Reading, Table | None]:
        """The result of the first reader, or, where that refuses the file, of the next and more tolerant one."""
        self.watch(file)
        problem: AssayError | None = None
        for reader in readers:
            try:
                return Reading(file, problem), reader()
            except AssayError as refusal:
                problem = problem or refusal
        return Reading(file, problem), None


def examine(
    subject: Subject, inputs: Sequence[Any], options: Mapping[str, Any] | None = None, *, watch: Watch | None = None
) -> Diagnosis:
    """Look data of a subject over; `options` are those of its `Examination`.

    >>> from assay import Predictions
    >>> predictions = Predictions.of(["a", "b"] * 20, ["a", "A"] * 20)
    >>> examine(registry.subject("labels"), [predictions]).findings[0].check
    'label-spelling'
    """
    return examined(registry.load(subject.examination)(inputs, options or {}, watch or (lambda _: None)))


def examined(examination: Examination) -> Diagnosis:
    """Make all checks of an examination."""
    every = checks_in(examination.modules)
    known = set[str]()
    findings: list[CheckFinding] = []
    for thing, about in examination.things():
        known.update(about)
        for check in every:
            if check.about in about:
                findings += check.find(thing)
    findings.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    selected = tuple(check for check in every if check.about in known)
    not_made = tuple(check for check in every if check.about not in known)
    return Diagnosis(tuple(findings), selected, examination.overview(), not_made)


def doctor(
    qrels: Any,
    runs: Any = None,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    topics: Any = None,
    documents: Any = None,
    grades: str | Sequence[float] | None = None,
    level: float = 1.0,
    train: Any = None,
    pos_label: Any = None,
    noise: Any = None,
    columns: ColumnNames = None,
    watch: Watch | None = None,
) -> Diagnosis:
    """Look judgments and runs, predictions, clusters, spans or scores over for what makes numbers wrong or misleading.

    It goes on where `evaluate` refuses: bad lines are named, the others are looked at. `measures` are those that ties
    and topics are judged by (nDCG@10, AP, RR and P@10, unless given). `topics` and `documents`: files or tables that
    judged ids should be in. `grades`: the scale, as in `"0..3"`, `"0,1,2"` or a list. `level`: the smallest grade that
    counts as relevant. `columns`: which columns have which role, unless they have a usual name. `watch` is called with
    the name of each file before it is looked at.

    Of a classifier, give `Predictions` or a file of them (or a list of such) alone. `train`: a file or a Polars frame
    of the items that it was trained on, which should not be among those it is judged by. `pos_label`: the positive one
    of two labels. Of clusterings, give `Clusters` or files of them alone; `noise` is the label of items in no cluster.
    Of systems whose scores are known, give `Scores` or a file of them alone; of spans, an `Extraction`, or true and
    predicted `Spans`.

    >>> doctor({"q1": {"d1": 2, "d2": 0}}, {"q1": {"d1": 2.0, "d2": 1.0}}, "AP").verdict
    'nothing found'
    >>> from assay import Predictions
    >>> doctor(Predictions.of([0, 1] * 10, [1, 1] * 10)).findings[0].says
    "'1' is predicted for all items, and right for 10 of 20 items"
    """
    qrels, runs = judgments_and_runs(qrels, runs)
    several = runs is None and isinstance(qrels, Sequence) and not isinstance(qrels, str)
    if several:
        inputs = qrels
    elif runs is None:
        inputs = [qrels]
    else:
        inputs = [qrels, runs]
    named = {"measures": measures, "topics": topics, "documents": documents, "grades": grades, "train": train}
    named |= {"pos_label": pos_label, "noise": noise, "level": None if level == 1.0 else level}
    stated = {name: value for name, value in named.items() if value is not None}
    with named_by(columns):
        subject = subject_of(qrels, runs, alone=registry.EXAMINED)
        _refuse_options_of_others(stated, subject)
        return examine(subject, inputs, stated, watch=watch)


def _refuse_options_of_others(options: Iterable[str], subject: Subject) -> None:
    known = registry.load(subject.examination).options
    for name in options:
        if name in known:
            continue
        for other in registry.subjects():
            if name in (its := registry.load(other.examination).options):
                *rest, last = its
                called = f"{', '.join(rest)} and {last} go" if rest else f"{last} goes"
                raise ParameterError(f"{called} with {other.words.goes_with}, not with {subject.words.goes_with}")
