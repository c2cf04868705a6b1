"""The basis of a report on clicks: the behaviour of users, by rank and over time, and the comparison of systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from assay.core.errors import ParameterError
from assay.subjects.clicks.curves import by_rank, over_time
from assay.subjects.clicks.evaluation import Behaviour, clicks, logs_of
from assay.subjects.clicks.subject import RULES, PairedClicks
from assay.verbs.comparison import Comparison
from assay.verbs.curves import Curve
from assay.verbs.report.report import Reported, Request


@dataclass(frozen=True, eq=False)
class Evidence(Reported):
    """The behaviour of a log's users; `comparison` is None of one system alone, or if nothing could be compared."""

    #: Nothing is drawn at random.
    seed = 0

    result: Behaviour
    comparison: Comparison | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, request: Request) -> Self:
        """Take logs, or a result of `clicks`."""
        source = request.source
        measures = request.measures
        if isinstance(source, Comparison):
            raise ParameterError("give the log, not its comparison: a report on clicks makes it itself")
        own = (*RULES, "by", "confidence")
        reading = {name: value for name, value in request.rules.items() if name in own}
        if isinstance(source, Behaviour) and request.runs is None:
            result = replace(source, **reading) if reading else source
        else:
            result = clicks(logs_of(request.inputs()), measures=measures, **reading)
        others = (*own, "resamples")
        comparison, notes = request.compared(PairedClicks(result), measures, result.systems, "systems", others=others)
        # What a comparison notes of the log are warnings of the result already.
        return cls(result, comparison, notes if comparison is None else ())

    def complete(self) -> Self:
        """Finish every measure; by rank, over time and by segment, too."""
        self.result.complete()
        _ = self.ranks, self.times
        return self

    @cached_property
    def ranks(self) -> Curve | None:
        """Clicks by rank, if a page has results."""
        return by_rank(self.result) if self.result.ranks.height else None

    @cached_property
    def times(self) -> Curve | None:
        """The first measure over time, if the log has times and is of more than one day."""
        return None if self.result.period is None else over_time(self.result, self.result.measures[0])

    @property
    def title(self) -> str:
        """The name of the log."""
        return self.result.name

    @property
    def signatures(self) -> Sequence[str]:
        """The signatures of the numbers."""
        result = self.result
        return [result.signature(measure) for measure in result.measures]
