"""`doctor`: look for what is wrong with data before numbers are believed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, TypeAlias

from assay.core import registry
from assay.core.errors import ParameterError
from assay.measures.registry import Measure
from assay.tables.roles import ColumnNames, named_by
from assay.verbs.diagnosis.findings import SEVERITIES, CheckFinding, Diagnosis, Overview, checks
from assay.verbs.subject import Subject, name_of

Watch: TypeAlias = Callable[[str], None]


class Examined(NamedTuple):
    """A thing to look at, and what it is: checks about any of these kinds are made on it."""

    thing: Any
    about: tuple[str, ...]


class Examination(ABC):
    """How a subject's data are looked over: what there is to look at, one thing after the other."""

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
        """What was looked at, once all of it was."""


def examine(
    subject: Subject, inputs: Sequence[Any], options: Mapping[str, Any] | None = None, *, watch: Watch | None = None
) -> Diagnosis:
    """Look data of a subject over; `options` are those of its `Examination`.

    >>> from assay import Predictions
    >>> predictions = Predictions.of(["a", "b"] * 20, ["a", "A"] * 20)
    >>> examine(registry.subject("labels"), [predictions]).findings[0].check
    'label-spelling'
    """
    examination: Examination = registry.load(subject.examination)(inputs, options or {}, watch or (lambda _: None))
    every, known = checks(subject.name), set[str]()
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
    several = runs is None and isinstance(qrels, Sequence) and not isinstance(qrels, str)
    inputs = qrels if several else [qrels] if runs is None else [qrels, runs]
    named = {"measures": measures, "topics": topics, "documents": documents, "grades": grades, "train": train}
    named |= {"pos_label": pos_label, "noise": noise, "level": None if level == 1.0 else level}
    stated = {name: value for name, value in named.items() if value is not None}
    with named_by(columns):
        subject: Subject = registry.subject(_subject_name(qrels, runs))
        _refuse_options_of_others(stated, subject)
        return examine(subject, inputs, stated, watch=watch)


def _subject_name(data: Any, others: Any) -> str:
    """The subject of what was given; one file of which nobody knows what it is should be predictions."""
    names = {name_of(data)} | ({name_of(others)} if others is not None else set())
    name = names.pop() if len(names) == 1 else ""
    if others is None:
        return name or "labels"
    return name if name == "spans" else "ranking"


def _refuse_options_of_others(options: Iterable[str], subject: Subject) -> None:
    known = registry.load(subject.examination).options
    for name in options:
        if name in known:
            continue
        for other in map(registry.subject, registry.SUBJECTS):
            if name in (its := registry.load(other.examination).options):
                *rest, last = its
                called = f"{', '.join(rest)} and {last} go" if rest else f"{last} goes"
                raise ParameterError(f"{called} with {other.words.goes_with}, not with {subject.words.goes_with}")
