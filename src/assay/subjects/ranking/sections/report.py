"""Reports on rankings, or on scores of systems: their sections, and where the numbers come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from assay.core.digits import as_level
from assay.core.errors import number_of
from assay.core.words import INTERVALS, TESTS
from assay.show.model import Section
from assay.subjects.ranking.sections.basis import Basis, coverage, curves, noticed, power
from assay.subjects.ranking.sections.queries import changed, differences
from assay.subjects.ranking.sections.summary import of_rankings, summary
from assay.subjects.ranking.sections.verdicts import systems, verdicts
from assay.verbs.report.report import correction_of
from assay.verbs.report.subject import IN_MEMORY, InputFile
from assay.verbs.sections.methods import Citations

#: The sections, in reading order. A section is a function that yields it, if there is something to show; and, in words,
#: what it cannot show, and why.
SECTIONS: tuple[Callable[[Basis], Iterator[Section | str] | Iterator[Section]], ...] = (
    summary,
    verdicts,
    systems,
    noticed,
    differences,
    curves,
    changed,
    coverage,
    power,
)


class ReportedRankings(Basis):
    """Systems that rank, by the judgments of what they found; or systems by anybody's scores."""

    eyebrow = "Evaluation report"

    @property
    def title(self) -> str:
        """The only system; or the others against the baseline."""
        if len(self.systems) == 1:
            return self.systems[0]
        others = [name for name in self.systems if name != self.baseline]
        return f"{others[0] if len(others) == 1 else number_of('system', len(others))} against {self.baseline}"

    @property
    def seed(self) -> int:
        """What everything random is drawn from."""
        return self.settings.seed

    @property
    def signatures(self) -> list[str]:
        """How each number was computed; that of scores is not known."""
        return [] if self.evaluation is None else [self.evaluation.signatures[name] for name in self.measures]

    def sections(self) -> Iterator[Section | str]:
        """All that has something to show, and what could not be shown; and that topics have other ids than queries."""
        for section in SECTIONS:
            yield from section(self)
        queries = [unit for paired in self.paired.values() for unit in paired.units]
        yield from self.shown.texts.notes(queries if self.evaluation is None else self.evaluation.qrels.topics, ())

    def methods(self, cite: Citations) -> Iterator[str]:
        """How it was done, in sentences for a paper."""
        return of_rankings(self, cite)

    def configuration(self) -> dict[str, Any]:
        """How the numbers were made, for readers."""
        settings, values = self.settings, dict[str, Any]()
        values["main measure"] = self.main
        if self.comparison is not None:
            margins = {f"{each.margin.value:g} ({each.margin.says})" for each in self.comparison.findings}
            values |= {
                "baseline": self.baseline,
                "test": TESTS[settings.test],
                "random swaps": "none" if settings.resamples is None else f"{settings.resamples:,}",
                "correction": correction_of(self.comparison),
                "family": f"pairs under {'one measure' if settings.family == 'measure' else 'all measures together'}",
                "margin": ", ".join(sorted(margins)),
                "power": as_level(settings.power),
            }
        methods = dict.fromkeys(interval.method for _, interval in self.standings.values())
        ways = [INTERVALS[method] for method in methods if method in INTERVALS]
        values |= {
            "alpha": f"{settings.alpha:g}",
            "interval": ", ".join(way.short for way in ways) or "none",
            "bootstrap resamples": f"{settings.bootstrap_resamples:,}" if any(way.is_drawn for way in ways) else None,
        }
        if self.evaluation is not None:
            values |= {"undefined values": self.evaluation.undefined, "rules for": self.evaluation.compat}
        return values

    def inputs(self) -> Iterator[InputFile]:
        """The judgments, the runs in the order of the table (or the scores), topics and documents."""
        evaluation, texts = self.evaluation, self.shown.texts
        if evaluation is None:
            units = len({unit for paired in self.paired.values() for unit in paired.units})
            sizes = (("system", len(self.systems)), ("measure", len(self.measures)), (self.unit_kind, units))
            counts = ", ".join(number_of(what, count) for what, count in sizes)
            yield InputFile("scores", self.origin or "scores", "scores" if self.origin else IN_MEMORY, counts)
        else:
            qrels, rows = evaluation.qrels, dict(evaluation.coverage.select("system", "retrieved").rows())
            counts = f"{number_of('topic', len(qrels.topics))}, {number_of('judgment', qrels.frame.height)}"
            yield InputFile("qrels", qrels.name, qrels.format, counts)
            for name in self.systems:
                run, count = evaluation.runs[name], f"{number_of('document', rows[name])} for judged topics"
                yield InputFile("run", run.origin, run.format, count, name)
        if texts.topics is not None:
            count = number_of("topic", len(texts.topics))
            yield InputFile("topics", texts.topics.name, texts.topics.format, count)
        if texts.documents is not None:
            count = number_of("document", len(texts.documents))
            yield InputFile("documents", texts.documents.name, texts.documents.format, count)
