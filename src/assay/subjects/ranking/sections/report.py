"""Reports on rankings, or on scores of systems: their sections, and where the numbers come from."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, ClassVar

import polars as pl

from assay.core.digits import as_level
from assay.core.errors import joined, listed, number_of, several
from assay.core.words import INTERVALS, TESTS
from assay.show import charts
from assay.show.figure import Series, around
from assay.show.model import Column, Prose, Section, Table
from assay.subjects.ranking.evaluation import Evaluation
from assay.subjects.ranking.evidence import Evidence
from assay.subjects.ranking.sections.queries import changed, differences
from assay.subjects.ranking.sections.results import coverage_table
from assay.subjects.ranking.sections.summary import of_rankings, summary
from assay.subjects.ranking.sections.verdicts import systems, verdicts
from assay.verbs.report.report import IN_MEMORY, InputFile
from assay.verbs.sections.methods import Citations
from assay.verbs.sections.reports import correction_of


def noticed(basis: Evidence) -> Iterator[Section]:
    """The changes that users would notice of each system in place of the baseline."""
    seen = {each.system: each.noticed for each in basis.findings() if each.noticed and each.system in basis.detailed}
    if seen:
        points = (f"{name} in place of {basis.baseline}: {changes.in_words()}" for name, changes in seen.items())
        data = {"systems": [{"system": name, **changes._asdict()} for name, changes in seen.items()]}
        parts = (Prose("", "list", tuple(points)),)
        yield Section("noticed", "What users would notice", parts, short="Users", data=data, paper=False)


def curves(basis: Evidence) -> Iterator[Section | str]:
    """The averaged precision-recall curve of each system that is looked at closely."""
    if basis.evaluation is None:
        return
    frame = basis.levels
    if not frame.height:
        yield "there is no precision-recall curve: precision at levels of recall is undefined for every topic"
        return
    points = frame.select("system", "recall", "precision")
    names = list(dict.fromkeys(points["system"]))
    figure = charts.precision_recall(points, [Series(name) for name in names], key="")
    figure = replace(figure, says=f"Precision at levels of recall, {', '.join(names)}", look="keyed")
    wide = points.with_columns(level=pl.col("recall").map_elements("{:g}".format, pl.String))
    wide = wide.pivot("level", index="system", values="precision", maintain_order=True)
    columns = (Column("system"), *(Column(name, kind="number", least=3) for name in wide.columns[1:]))
    caption = "Interpolated precision at levels of recall"
    table = Table("levels", wide, columns, caption, fold="The curves in numbers")
    lead = "Interpolated precision at levels of recall, averaged over queries."
    yield Section("curves", "Precision and recall", (figure, table), lead, paper=False)


def coverage(basis: Evidence) -> Iterator[Section | str]:
    """The basis of each system's numbers, and their reach with other grades for unjudged documents."""
    evaluation = basis.evaluation
    if evaluation is not None:
        frame, problems = basis.bounds
        yield from problems
        parts: list[Table | Section] = [_coverage(basis, evaluation)]
        if frame.height:
            title = "If the unjudged documents had other grades"
            parts.append(Section("bounds", title, tuple(_bounds_parts(frame))))
        yield Section("coverage", "What the numbers rest on", tuple(parts), short="Coverage")
    if basis.no_documents:
        yield basis.no_documents


def _coverage(basis: Evidence, evaluation: Evaluation) -> Table:
    table = coverage_table(evaluation)
    places = {system: place for place, system in enumerate(basis.systems)}
    note = (
        "Missing: judged topics that the system has no results for. Ignored: its topics without judgments. Tied: "
        "documents that were judged and share their score with another of the same query."
    )
    frame = table.frame.sort(pl.col("system").replace_strict(places))
    caption = "What each system's numbers rest on"
    return replace(table, frame=frame, caption=caption, notes=(note,), turned=False)


def _bounds_parts(frame: pl.DataFrame) -> Iterator[Table | Prose]:
    """One table, of the measures that can move; and which cannot."""
    moved = frame.filter(pl.col("low") < pl.col("high"))["measure"].unique(maintain_order=True).to_list()
    fixed = [name for name in frame["measure"].unique(maintain_order=True) if name not in moved]
    if moved:
        cells = frame.filter(pl.col("measure").is_in(moved))
        axis = around([value for name in ("value", "low", "high") for value in cells[name]], zero=False)
        columns = (
            *([Column("measure")] if len(moved) > 1 else []),
            Column("system"),
            Column("low", "lowest", "number"),
            Column("value", moved[0] if len(moved) == 1 else None, "number"),
            Column("high", "highest", "number"),
            Column("value", "from lowest to highest", "drawn", ends=("low", "high"), axis=axis),
        )
        further = "There were too many grades to try all: others may lead a little further."
        caption = f"{listed(moved)} with other grades for unjudged documents"
        yield Table("bounds", cells, columns, caption, () if frame["exact"].all() else (further,))
    if fixed:
        names = listed(fixed)
        yield Prose(f"No unjudged document is within reach of {names}: other grades would change nothing.", "dim")


def power(basis: Evidence) -> Iterator[Section | str]:
    """The power of the queries by the main measure; where differences do not vary, nothing can be said of that."""
    findings = [each for each in basis.findings() if each.system in basis.detailed]
    known = [each for each in findings if not math.isnan(each.difference)]
    if constant := [each.system for each in known if not each.spread > 0 and not each.all_zero]:
        names = joined(constant, most=len(constant))
        yield f"no power is given for {names}: the difference is the same for every {basis.unit_kind}"
    varied = [each for each in findings if each.spread > 0]
    if not varied:
        return
    rows = [each.row() | {"spread": each.spread} for each in varied]
    frame = pl.DataFrame(rows, infer_schema_length=None, schema_overrides={"needed": pl.Int64}).select(
        *("measure", "baseline", "system", "units", "difference", "spread", "detectable", "margin", "needed"),
        _pair=pl.format("{} against {}", "system", "baseline"),
        _seen=pl.col("difference").abs(),
        _zero=pl.lit(0.0),
    )
    margin = max(frame["margin"])
    units = several(basis.unit_kind)
    share = as_level(basis.settings.power)
    axis = around([*frame["_seen"], *frame["detectable"], 1.5 * margin], room=0)
    columns = (
        Column("_pair", "pair"),
        Column("units", units, "count"),
        Column("difference", "observed", "number", signed=True),
        Column("detectable", kind="number"),
        Column("margin", "matters", "chosen"),
        Column("needed", f"{units} needed", "count"),
        Column("_seen", "observed and detectable", "drawn", ends=("_zero", "detectable"), axis=axis, band=margin),
    )
    note = (
        f"Detectable: the smallest true difference that would be found {share} of the time (line). Observed: the "
        f"difference in these data (dot, without its sign). {units.capitalize()} needed: to find a difference that "
        f"just matters (shaded), {share} of the time."
    )
    title = f"What {number_of(basis.unit_kind, max(each.units for each in varied))} can show"
    data = {"power": basis.settings.power, "unit_kind": basis.unit_kind}
    table = Table("power", frame, columns, title, (note,))
    yield Section("power", title, (table,), short="Power", data={"settings": data})


#: The sections, in reading order. A section is a function that yields it, if there is something to show; and, in words,
#: what it cannot show, and why.
SECTIONS: tuple[Callable[[Evidence], Iterator[Section | str] | Iterator[Section]], ...] = (
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


class ReportedRankings(Evidence):
    """Systems that rank, by the judgments of what they found; or systems by anybody's scores."""

    eyebrow = "Evaluation report"
    asks: ClassVar[tuple[str, ...]] = ("system", "topics", "documents", "changed", "show")

    @property
    def title(self) -> str:
        """The only system; or the others against the baseline."""
        if len(self.systems) == 1:
            return self.systems[0]
        others = [name for name in self.systems if name != self.baseline]
        return f"{others[0] if len(others) == 1 else number_of('system', len(others))} against {self.baseline}"

    @property
    def seed(self) -> int:
        """The seed of everything random."""
        return self.settings.seed

    @property
    def signatures(self) -> list[str]:
        """The signatures of the numbers; those of scores are not known."""
        return [] if self.evaluation is None else [self.evaluation.signatures[name] for name in self.measures]

    def sections(self) -> Iterator[Section | str]:
        """All that has something to show, and what could not be shown; and that topics have other ids than queries."""
        for section in SECTIONS:
            yield from section(self)
        queries = [unit for paired in self.paired.values() for unit in paired.units]
        yield from self.texts.notes(queries if self.evaluation is None else self.evaluation.qrels.topics, ())

    def methods(self, cite: Citations) -> Iterator[str]:
        """The methods, in sentences for a paper."""
        return of_rankings(self, cite)

    def configuration(self) -> dict[str, Any]:
        """The configuration, for readers."""
        settings = self.settings
        values = dict[str, Any]()
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
        evaluation, texts = self.evaluation, self.texts
        if evaluation is None:
            units = len({unit for paired in self.paired.values() for unit in paired.units})
            sizes = (("system", len(self.systems)), ("measure", len(self.measures)), (self.unit_kind, units))
            counts = ", ".join(number_of(what, count) for what, count in sizes)
            yield InputFile("scores", self.origin or "scores", "scores" if self.origin else IN_MEMORY, counts)
        else:
            qrels = evaluation.qrels
            rows = dict(evaluation.coverage.select("system", "retrieved").rows())
            counts = f"{number_of('topic', len(qrels.topics))}, {number_of('judgment', qrels.frame.height)}"
            yield InputFile("qrels", qrels.name, qrels.format, counts)
            for name in self.systems:
                run = evaluation.runs[name]
                count = f"{number_of('document', rows[name])} for judged topics"
                yield InputFile("run", run.origin, run.format, count, name)
        if texts.topics is not None:
            count = number_of("topic", len(texts.topics))
            yield InputFile("topics", texts.topics.name, texts.topics.format, count)
        if texts.documents is not None:
            count = number_of("document", len(texts.documents))
            yield InputFile("documents", texts.documents.name, texts.documents.format, count)
