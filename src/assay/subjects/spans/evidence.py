"""The basis of a report on extractions: the numbers of each, and their comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from assay.core.errors import joined
from assay.measures.registry import Measure
from assay.subjects.spans.result import Extraction
from assay.subjects.spans.subject import RULES, Extractions
from assay.verbs.comparison import Comparison
from assay.verbs.report.report import Reported, Request, compared_with, refuse_repeated
from assay.verbs.sections.reports import MOST_SYSTEMS


@dataclass(frozen=True, eq=False)
class Evidence(Reported):
    """Extractions of the same documents; `comparison` is None of one alone, or if nothing could be compared."""

    systems: tuple[Extraction, ...]
    measures: tuple[Measure, ...]
    comparison: Comparison | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, request: Request) -> Self:
        """Take extractions, true and predicted spans, or a comparison; further rules are those of `compare`."""
        source = request.source
        if isinstance(source, Comparison):
            refuse_repeated({"measures": request.measures, **request.rules}, "comparison", "compare")
            compared_with(source, request.baseline)
            held: Extractions = source.pairing  # type: ignore[assignment]
            return cls(held.systems, tuple(map(held.measure, source.measures)), source, source.notes)
        matching = {name: value for name, value in request.rules.items() if name in RULES}
        held = Extractions.of(request.inputs(), matching)
        names = [system.name for system in held.systems]
        wanted = tuple(map(held.measure, held.measure_names(request.measures)))
        return cls(held.systems, wanted, *request.compared(held, wanted, names, "extractions", others=RULES))

    def complete(self) -> Self:
        """Finish the numbers of each system, and of its types and documents."""
        for system in self.systems:
            system.complete()
            for measure in self.measures:
                system.value(measure)
                system.interval(measure)
        return self

    @property
    def title(self) -> str:
        """The systems' names."""
        return joined([system.name for system in self.systems], MOST_SYSTEMS)

    @property
    def seed(self) -> int:
        """The seed of everything random."""
        return self.systems[0].seed if self.comparison is None else self.comparison.settings.seed

    @property
    def signatures(self) -> Sequence[str]:
        """The signatures of the numbers."""
        return list(Extractions(self.systems).signatures(list(map(str, self.measures))).values())
