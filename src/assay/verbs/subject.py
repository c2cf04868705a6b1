"""`Subject`: all that a verb knows of what is evaluated; which subject an input is of; and remarks.

A subject is declared by name in `core/registry.SUBJECTS` and loaded when it is used, so that comparing two rankings
loads nothing about labels or clusters.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from assay.core import registry
from assay.core.errors import InputError, ParameterError, did_you_mean, refuse_unknown
from assay.files.manifest import judgments_and_runs
from assay.files.sources import Source
from assay.tables.roles import is_frame, kind_of, named_by

if TYPE_CHECKING:
    from assay.measures.registry import Measure
    from assay.stats.pairing import Directions, Pairing, ScorePairing
    from assay.verbs.explanation.numbers import View
    from assay.verbs.explanation.result import Explanation, Place


class Words(NamedTuple):
    """Names for a system, a unit, the object of its rules, and the data they go with."""

    system: str
    unit: str
    rules_of: str
    goes_with: str


class Subject(Protocol):
    """The subject of an evaluation: rankings, labels, clusters, spans, bare scores, judges, clicks.

    Data and results know their subject by a class attribute `subject`, its name. Subjects that inherit from this class
    have no rules, and nothing to explain, unless they say so.
    """

    #: Its name in the registry.
    name: str
    #: Where the function is that makes a result of its data.
    verb: str
    #: Where the class is that reports are made by: see `assay.verbs.report.report.Reported`.
    reported: str
    #: Where the function is that pairs a baseline and a candidate, as `assay.verbs.gating.gate.Sides`. It takes the
    #: data, `Two` systems or names of them, the measures asked for, the seed and the rules.
    gated: str
    #: Where the class is that `doctor` looks by: see `assay.verbs.diagnosis.examination.Examination`.
    examination: str
    #: Where the function is that takes a number apart; it takes what `explain` takes. Empty: nothing is behind numbers.
    explained: str = ""
    #: What people call things.
    words: Words
    #: What is done about units that a system lacks, unless the rule `missing` says otherwise, where there is one.
    missing: str = "error"

    @property
    def rules(self) -> Collection[str]:
        """The keyword arguments by which its data are read and evaluated."""
        return ()

    @property
    def report_rules(self) -> Collection[str]:
        """The keyword arguments that reports take: the rules, and how numbers are made and compared."""
        return self.rules

    def pairing(self, inputs: Sequence[Any], measures: Any, seed: int, rules: Mapping[str, Any]) -> Pairing:
        """Open the inputs, and pair the systems by unit: what `compare`, `gate` and `plan` start from."""

    def explain(
        self, measure: str | Measure, inputs: Sequence[Any], place: Place, view: View, rules: dict[str, Any]
    ) -> Explanation:
        """Take a number apart: that of the inputs at a place, or all of them."""
        if not self.explained:
            raise registry.load("assay.verbs.explanation.result:not_explained")(inputs[0])
        explanation: Explanation = registry.load(self.explained)(measure, inputs, place, view, rules)
        return explanation


def subject_of(*inputs: Any, alone: str = registry.ALONE) -> Subject:
    """The subject of what was given; `alone`: that of one input that does not tell it.

    An object that knows its subject tells it of the others, where these do not: files, rows.

    >>> from assay import Predictions
    >>> subject_of(Predictions.of([0, 1], [1, 1])).name, subject_of({"q1": {"d1": 1}}, {"q1": {"d1": 1.0}}).name
    ('labels', 'ranking')
    """
    stated = {name for value in inputs if (name := name_of(value, look=False))}
    names = stated if len(stated) == 1 else {name_of(value) for value in inputs if value is not None}
    name = names.pop() if len(names) == 1 else ""
    if not name:
        name = registry.TOGETHER if sum(value is not None for value in inputs) > 1 else alone
    subject: Subject = registry.subject(name)
    return subject


def name_of(value: Any, *, look: bool = True) -> str:
    """The name of the subject that an object or a file is of; empty where it does not tell, or is not looked at.

    >>> from assay import Clusters
    >>> name_of([Clusters.of([0, 1], [1, 1])]), name_of({"q1": {"d1": 1.0}})
    ('clusters', '')
    """
    known = getattr(value, "subject", "")
    if isinstance(known, str) and known:
        return known
    if isinstance(value, Mapping | list | tuple):
        names = {name_of(item, look=look) for item in (value.values() if isinstance(value, Mapping) else value)}
        return names.pop() if len(names) == 1 else ""
    if look and (isinstance(value, str | os.PathLike | Source) or is_frame(value)):
        if kind := kind_of(registry.load("assay.files.named_columns:names_in_any")(value)):
            return registry.subject_of_table(kind)
        looks = ((each.name, each.looks_like) for each in registry.one_by_one() if each.looks_like)
        return next((name for name, looks_like in looks if registry.load(looks_like)(value)), "")
    return ""


def pairing_of(
    verb: Callable[..., Any],
    given: Any,
    runs: Any = None,
    measures: Any = None,
    *,
    seed: int = 0,
    direction: Directions = None,
    rules: Mapping[str, Any] | None = None,
) -> Pairing:
    """Open what was given to a verb, as its subject does, and pair the systems by unit.

    `direction`: whether `higher` or `lower` is better, for all measures of which it is not known, or by measure.

    >>> from assay import compare
    >>> judged, runs = {"q1": {"d1": 1}}, {"a": {"q1": {"d1": 1.0}}, "b": {"q1": {"d2": 1.0}}}
    >>> pairing_of(compare, judged, runs, ["RR"]).sample("RR").observed
    array([1., 0.])
    """
    from assay.stats.pairing import Pairing  # noqa: PLC0415  # it loads SciPy, which `explain` does without

    rules = dict(rules or {})
    columns = rules.pop("columns", None)
    given, runs = judgments_and_runs(given, runs)
    if isinstance(given, Pairing) and runs is None and not rules:
        return given.directed(direction, measures)
    with named_by(columns):
        subject = subject_of(given, runs)
        inputs = [given] if runs is None else [given, runs]
        check_rules(rules, subject, verb)
        return subject.pairing(inputs, measures, seed, rules).directed(direction, measures)


def unit_pairing_of(
    verb: Callable[..., Any],
    what: str,
    given: Any,
    runs: Any = None,
    measures: Any = None,
    *,
    seed: int = 0,
    direction: Directions = None,
    rules: Mapping[str, Any] | None = None,
) -> ScorePairing:
    """The systems of what was given to a verb, where numbers of units are needed; `what` stands in the error.

    >>> from assay import compare
    >>> unit_pairing_of(compare, "a test", {"q1": {"d1": 1}}, {"a": {"q1": {"d1": 1.0}}}, ["RR"]).measure_names()
    ['RR']
    """
    from assay.stats.pairing import ScorePairing  # noqa: PLC0415  # it loads SciPy, which `explain` does without

    pairing = pairing_of(verb, given, runs, measures, seed=seed, direction=direction, rules=rules)
    if not isinstance(pairing, ScorePairing):
        raise InputError(f"{what} takes numbers of units, and {pairing.holds} have none; `compare` takes them")
    return pairing


def check_rules(rules: Iterable[str], subject: Subject, *verbs: Callable[..., Any] | Iterable[str]) -> None:
    """Refuse keyword arguments that a subject has for no rules: unknown ones, and those that go with other data.

    >>> check_rules(["noise"], registry.subject("ranking"))
    Traceback (most recent call last):
        ...
    assay.core.errors.ParameterError: 'noise' is a rule of clusterings: it goes with clusters of items
    """
    wrong = [name for name in rules if name not in subject.rules]
    if not wrong:  # who compares rankings does not wait for other subjects
        return
    every = registry.subjects()
    refuse_unknown(wrong, *verbs, *(known.rules for known in every))
    for name in wrong:
        if any(name in known.rules for known in every):  # what else is known is an argument of the verb
            raise misplaced(name)


def misplaced(name: str) -> ParameterError:
    """The error for a rule that goes with other data.

    >>> print(misplaced("noise"))
    'noise' is a rule of clusterings: it goes with clusters of items
    """
    words = next((subject.words for subject in registry.subjects() if name in subject.rules), None)
    if words is None:
        return ParameterError(f"{name!r} has no meaning here")
    return ParameterError(f"{name!r} is a rule of {words.rules_of}: it goes with {words.goes_with}")


class Remark(NamedTuple):
    """A remark with the number behind it, the label, pair or system it is about, and whose it is.

    >>> Remark("rare", "3 % of the items are spam", 0.03, "spam").system
    ''
    """

    code: str
    says: str
    number: float | None
    about: str
    system: str = ""


Check: TypeAlias = Callable[[Any], Iterator[Remark]]


class Remarks(dict[str, Check]):
    """Functions that make remarks on a case, by the codes of these; `mute=("rare",)` keeps those of a code quiet."""

    def made(self, *codes: str) -> Callable[[Check], Check]:
        """Register a function as the maker of remarks with these codes."""

        def register(check: Check) -> Check:
            self.update(dict.fromkeys(codes, check))
            return check

        return register

    def refuse_unknown(self, mute: Sequence[str]) -> None:
        """Refuse a code that no remark has."""
        for code in mute:
            if code not in self:
                raise ParameterError(f"no remark is called {code!r}: {', '.join(self)}{did_you_mean(code, self)}")

    def on(self, case: Any, mute: Sequence[str]) -> Iterator[Remark]:
        """All remarks on a case, but for those that were muted."""
        for check in dict.fromkeys(check for code, check in self.items() if code not in mute):
            yield from (remark._replace(system=case.system.name) for remark in check(case) if remark.code not in mute)
