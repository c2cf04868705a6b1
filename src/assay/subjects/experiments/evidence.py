"""The basis of a report on an A/B test: its numbers, the comparison with the control, and the decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from assay.core.errors import ParameterError
from assay.subjects.experiments.decisions import Decision, decisions_of
from assay.subjects.experiments.evaluation import ABTest
from assay.subjects.experiments.subject import RULES, PairedVariants, tested
from assay.verbs.comparison import Comparison
from assay.verbs.report.report import Reported, Request


@dataclass(frozen=True, eq=False)
class Evidence(Reported):
    """An A/B test, compared with its control under all measures together, and what that comes to."""

    #: Nothing is drawn at random.
    seed = 0

    result: ABTest
    comparison: Comparison
    decisions: tuple[Decision, ...]

    @classmethod
    def of(cls, request: Request) -> Self:
        """Take an A/B test, or a result of `abtest`."""
        if isinstance(request.source, Comparison):
            raise ParameterError("give the A/B test, not its comparison: a report makes it itself")
        own = (*RULES, "confidence", "by", "bayes", "same")
        reading = {name: value for name, value in request.rules.items() if name in own}
        result = tested(request.inputs(), request.measures, reading)
        # Without a plan, all measures are alike: they are corrected for one another.
        family = {"family": "all"} if result.plan is None else {"alpha": result.plan.alpha}
        asked = replace(request, rules={**family, **request.rules}, baseline=request.baseline or result.control)
        pairing = PairedVariants(result)
        comparison, notes = asked.compared(pairing, request.measures, result.variants, "variants", others=own)
        if comparison is None:
            raise ParameterError(notes[0])
        return cls(result, comparison, tuple(decisions_of(result, comparison.findings)))

    def complete(self) -> Self:
        """Finish every number."""
        self.result.complete()
        return self

    @property
    def title(self) -> str:
        """The name of the test."""
        return self.result.name

    @property
    def signatures(self) -> Sequence[str]:
        """The signatures of the numbers."""
        return [self.result.signature(measure) for measure in self.result.measures]
