"""The basis of a report on the agreement of judges: that of each set of labels, and their comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from assay.core.errors import ParameterError, joined
from assay.subjects.judges.evaluation import JudgeAgreement, agree
from assay.subjects.judges.subject import RULES, sets_of
from assay.verbs.comparison import Comparison
from assay.verbs.report.report import Reported, Request


@dataclass(frozen=True, eq=False)
class Evidence(Reported):
    """Sets of labels, each with its agreement; `comparison` is None of one alone, or if nothing could be compared."""

    results: tuple[JudgeAgreement, ...]
    comparison: Comparison | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, request: Request) -> Self:
        """Take labels, results of `agree`, or a comparison of sets of labels."""
        if isinstance(request.source, Comparison):
            raise ParameterError("give the labels, not their comparison: a report on judges makes it itself")
        of_agreement = (*RULES, "by_topic", "confidence", "seed")
        reading = {name: value for name, value in request.rules.items() if name in of_agreement}
        parts = request.inputs()
        results = tuple(each for each in parts if isinstance(each, JudgeAgreement))
        if len(results) < len(parts):
            sets = [each for part in parts for each in sets_of(part, reading)]
            results = tuple(agree(each, measures=request.measures, **reading) for each in sets)
        held, names = [result.labels for result in results], [result.name for result in results]
        others = ("by_topic", "confidence", "resamples")
        return cls(results, *request.compared(held, request.measures, names, "labels", others=others))

    def complete(self) -> Self:
        """Finish the agreement of each set."""
        for result in self.results:
            result.complete()
        return self

    @property
    def title(self) -> str:
        """The names of the sets of labels."""
        return joined([result.name for result in self.results], 6)

    @property
    def seed(self) -> int:
        """The seed of everything random."""
        return self.results[0].seed

    @property
    def signatures(self) -> Sequence[str]:
        """The signatures of the numbers."""
        first = self.results[0]
        scale = ",".join(first.ratings.categories)
        return [f"{measure}|labels={scale}|unit={first.unit}" for measure in first.measures]
