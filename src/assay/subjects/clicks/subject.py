"""Clicks as a subject: systems of a log compared and gated by what their users did, and a number taken apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from assay.core.errors import InputError, Note, ParameterError, did_you_mean, number_of
from assay.measures import Measure
from assay.measures.counting.behaviour import BehaviourCounts
from assay.measures.steps import PerUnit
from assay.stats.pairing import MeasuredPairing, Wanted
from assay.stats.samples import Sample
from assay.subjects.clicks.evaluation import (
    Behaviour,
    clicks,
    logs_of,
    remarks,
    usual,
)
from assay.verbs.explanation.numbers import View, explained
from assay.verbs.explanation.result import Explanation, StepTable
from assay.verbs.gating.gate import Sides, Two, chosen_two, with_roles
from assay.verbs.subject import Words, name_of

if TYPE_CHECKING:
    from assay.verbs.explanation.result import Place

#: The keyword arguments by which logs are read and counted.
RULES = ("unit",)
#: So many users are listed where a number is taken apart.
_MOST_USERS = 5


@dataclass(frozen=True, eq=False)
class PairedClicks(MeasuredPairing):
    """Systems of a log, or of several: each has users of its own, who may have seen others as well.

    >>> from assay import Log
    >>> pages = [(f"q{n}", ["d1"], ["d1"] * (n % 2)) for n in range(8)]
    >>> log = Log.from_pages(pages, system=["new", "old"] * 4, user_id=[f"u{n}" for n in range(8)])
    >>> PairedClicks.of([log], {}).sample("CTR").observed
    array([0., 1.])
    """

    result: Behaviour

    subject: ClassVar[str] = "clicks"
    holds: ClassVar[str] = "logs of clicks"
    gate_test: ClassVar[str] = "test"
    to_have_more: ClassVar[str] = "Log"

    @classmethod
    def of(cls, inputs: Sequence[Any], rules: Mapping[str, Any], measures: Wanted = None) -> PairedClicks:
        """Take logs or results of `clicks`: all systems that they hold. What `measures` need is counted in one pass."""
        logs = logs_of([*inputs])
        return cls(clicks(logs, measures or usual(logs), unit=rules.get("unit")))

    def measure(self, name: str | Measure) -> Measure:
        """A measure of behaviour."""
        return self.result.measure(name)

    def usual(self) -> Sequence[str]:
        """Click-through first."""
        return usual(self.result.logs)

    def undirected(self, measure: str | Measure) -> Sample:
        """All systems under one measure; what the log knows too little for is refused, with the reason."""
        sample = self.result.sample(measure)
        reasons = sample.undefined()
        if all(reasons):
            raise InputError(f"{sample.measure} is undefined: {reasons[0]}")
        return sample

    def remarks(self, measures: Sequence[str], *, usual: bool, instead: str = "is the headline") -> list[str]:
        """Remarks on the log, and on what clicks do not say."""
        del measures, usual, instead
        kept = [Note(remark, kind="log") for remark in remarks(self.result)]
        return [*kept, Note("clicks are not judgments: people click what they see, mostly at the top", kind="clicks")]

    def signatures(self, measures: Sequence[str]) -> dict[str, str]:
        """Everything that each measure's number depends on, in one line."""
        return {name: self.result.signature(name) for name in measures}


class ClicksSubject:
    """Logs of result pages, and what people did with them."""

    name = "clicks"
    words = Words("system", "user", "logs of clicks", "logs of clicks")
    verb = "assay.subjects.clicks.evaluation:clicks"
    gated = "assay.subjects.clicks.subject:two_systems"
    missing = "error"
    reported = "assay.subjects.clicks.report:ReportedClicks"
    examination = "assay.subjects.clicks.checks:ClicksExamination"
    rules = RULES
    report_rules = (*rules, "by", "confidence")

    def pairing(self, inputs: Sequence[Any], measures: Any, seed: int, rules: Mapping[str, Any]) -> PairedClicks:
        """The systems of logs, by user."""
        del seed
        return PairedClicks.of(inputs, rules, measures)

    def explain(
        self, measure: str | Measure, inputs: Sequence[Any], place: Place, view: View, rules: dict[str, Any]
    ) -> Explanation:
        """A number of a system (or of one of its users, the `item`) with the sums that it is made of."""
        place.refuse("has no meaning for clicks: choose a system, or a user by item", "query", "label", "threshold")
        view.refuse_running("clicks")
        (data,) = inputs
        result = data if isinstance(data, Behaviour) else clicks(data, measures=measure, **rules)
        return explain_behaviour(measure, result, place.system, place.item, shown=view.depth or _MOST_USERS)


CLICKS = ClicksSubject()


def two_systems(data: Any, two: Two, measures: Any, seed: int, rules: Mapping[str, Any]) -> Sides:
    """The baseline and the candidate: two systems of one log, by name or as they come, or two logs.

    >>> from assay import Log
    >>> pages = [(f"q{n}", ["d1"], ["d1"] * (n % 2)) for n in range(8)]
    >>> log = Log.from_pages(pages, system=["old", "new"] * 4, user_id=[f"u{n}" for n in range(8)])
    >>> two_systems(log, Two("old", "new"), None, 0, {}).pairing.sample("CTR").systems
    ('old', 'new')
    """
    del seed
    first, second = (logs_of(side) if side is not None and name_of(side) == "clicks" else [] for side in two)
    groups = with_roles([group for group in (first, logs_of(data), second) if group])
    every = PairedClicks.of([log for group in groups for log in group], rules, measures).result
    names = (None if opened else side for side, opened in zip(two, (first, second), strict=True))
    chosen = tuple(chosen_two([*every.systems], *names))
    counts = tuple(every.counts[every.place(name)] for name in chosen)
    return Sides.of(PairedClicks(replace(every, systems=chosen, counts=counts)), measures)


def explain_behaviour(
    measure: str | Measure, result: Behaviour, system: str | None = None, unit: str | None = None, shown: int = 5
) -> Explanation:
    """Take a number apart: the two sums that it is a ratio of, and the users who move it most; or those of one user.

    >>> from assay import Log, clicks
    >>> log = Log.from_pages([("q1", ["d1"], ["d1"]), ("q2", ["d1"], [])], user_id=["ana", "ben"])
    >>> explain_behaviour("CTR", clicks(log)).formula.numbers
    '1 / 2'
    """
    wanted = result.measure(measure)
    place = result.place(system)
    counts, name = result.counts[place], result.systems[place]
    formula = wanted.per_unit(counts)
    signature = result.signature(wanted, name)
    if unit is None:
        whole = formula.pooled()
        label = number_of(counts.unit_kind, len(counts.people))
    else:
        row = counts.people.index_of(unit)
        if row is None:
            known = counts.people.head(1000).to_list()
            raise ParameterError(f"{name} has no {counts.unit_kind} {unit!r}{did_you_mean(unit, known)}")
        whole = formula.pooled(lambda sums: sums[[row]])
        label = f"{counts.unit_kind} {unit}"
        signature = f"{signature}|{counts.unit_kind}={unit}"
    view = View(None, False, undefined="skip", signature=signature)
    before = tuple(_influential(formula, counts, shown)) if unit is None else ()
    explanation = explained(wanted, counts, whole, 0, view, before=before)
    return replace(explanation, unit=label, unit_kind=counts.unit_kind, remarks=())


def _influential(formula: PerUnit, counts: BehaviourCounts, shown: int) -> Iterator[StepTable]:
    """The users without whom the number would be another, those who move it most first."""
    if formula.pooled().undefined or not formula.operands:
        return
    (above, below), (first, second) = zip(*((part.values, part.op) for part in formula.operands), strict=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        moved = above.sum() / below.sum() - (above.sum() - above) / (below.sum() - below)
    order = np.argsort(-np.nan_to_num(np.abs(moved)), kind="stable")[:shown]
    columns = {counts.unit_kind: counts.people.gather(order.tolist()), first: above[order]}
    columns |= {second if second != first else "of": below[order], "moves it by": moved[order]}
    yield StepTable(f"{counts.unit_kind}s who move it most", (), pl.DataFrame(columns), {})
