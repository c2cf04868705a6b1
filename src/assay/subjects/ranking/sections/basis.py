"""What the sections of a report on rankings stand on (`Basis`), and the evidence: coverage, unjudged documents."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import polars as pl

from assay.core.digits import as_level
from assay.core.domains import Whole, check_levels
from assay.core.errors import InputError, Note, ParameterError, joined, listed, number_of
from assay.files import is_file
from assay.measures.counting.ranks import Ranks
from assay.measures.curve_points import averaged_precision, level_measures
from assay.measures.registry import Measure
from assay.show import charts
from assay.show.figure import Series, around
from assay.show.model import Column, Prose, Section, Table
from assay.stats.bootstrap import Interval
from assay.stats.pairing import UNSEEN, ScorePairing
from assay.stats.samples import Sample, few_units
from assay.subjects.ranking.document_analysis import PAGE, every_document, on_units, why_unseen, with_document_analysis
from assay.subjects.ranking.evaluation import Evaluation
from assay.subjects.ranking.sections.results import coverage_table
from assay.subjects.ranking.unjudged import bounds_of
from assay.verbs.comparison import Comparison, Finding, compare
from assay.verbs.comparison.findings import Settings
from assay.verbs.report.subject import Request, Texts, check_name, compared_with, refuse_repeated
from assay.verbs.sections.sentences import seen_by_users
from assay.verbs.subject import unit_pairing_of

#: What a report shows unless told otherwise; charts and queries are of the first one.
DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10")
#: Of more systems than these, only some are looked at closely; all are in the table.
MOST_SYSTEMS = 8
#: Verdicts under other measures than the main one are told in words as long as all are not more than this.
MOST_VERDICTS = 12
#: How a comparison is made, besides the rules of evaluation, and what holds unless told otherwise.
COMPARED_BY: dict[str, Any] = {name: (compare.__kwdefaults__ or {})[name] for name in Settings._fields}

COMPARED_BY["test"] = "permutation"

_NO_INTERVAL = Interval(float("nan"), float("nan"), float("nan"), "none")


class Shown(NamedTuple):
    """How many of the most changed queries to show, how many ranks of each, and the texts behind ids."""

    queries: int
    ranks: int
    texts: Texts

    @classmethod
    def of(cls, details: Mapping[str, Any]) -> Shown:
        """Check the numbers, and read the texts."""
        queries = Whole(0).check("changed", details.get("changed", 6))
        ranks = Whole(1).check("show", details.get("show", 10))
        texts = Texts.of(details.get("topics"), details.get("documents"))
        return cls(queries, ranks, texts)


@dataclass(frozen=True, eq=False)
class Basis:
    """What the sections of a report are made from: a comparison, or where there is none what it would rest on.

    `names`: the systems as they were given. `counts`: every document of those in `detailed`; empty where documents
    cannot be looked at, and `no_documents` says why.
    """

    evaluation: Evaluation | None
    comparison: Comparison | None
    settings: Settings
    measures: tuple[str, ...]
    names: tuple[str, ...]
    baseline: str
    paired: Mapping[str, Sample]
    shown: Shown
    notes: Sequence[str]
    asked_system: str | None = None
    origin: str = ""  # of scores alone: the file that they were read from
    counts: Mapping[str, Ranks] = field(default_factory=dict)

    @classmethod
    def of(cls, request: Request) -> Self:
        """Evaluate and compare what was given, as far as it has not been done; `rules` are those of both verbs."""
        source, runs, wanted, baseline, details, rules = request
        system, shown, origin = details.get("system"), Shown.of(details), ""
        comparison: Comparison | None = None
        if isinstance(source, Comparison):
            refuse_repeated({"runs": runs, "measures": wanted, **rules}, "comparison", "compare")
            comparison, evaluation, settings = source, source.evaluation, source.settings
            measures, systems, notes = source.measures, source.systems, list(source.notes)
            paired, first = {each.measure: each for each in source.samples}, compared_with(source, baseline)
        else:
            asked = {name: rules.pop(name, default) for name, default in COMPARED_BY.items()}
            check_levels(alpha=asked["alpha"], power=asked["power"], margin=asked["margin"])
            if runs is not None and wanted is None:
                wanted = DEFAULT_MEASURES
            seed = Whole(0).check("seed", asked["seed"])
            direction = rules.pop("direction", None)
            measured = unit_pairing_of(
                compare, "a report on rankings", source, runs, wanted, seed=seed, direction=direction, rules=rules
            )
            evaluation, settings = measured.evaluation, Settings(**{**asked, "resamples": None})
            measures = tuple(measured.measure_names(wanted))
            systems = tuple(map(str, measured.scores.frame["system"].unique(maintain_order=True)))
            paired, notes = _paired(measured, measures)
            first = (baseline or systems[0]) if len(systems) > 1 else ""
            if first:
                check_name("baseline", baseline, systems)
            elif baseline is not None or system is not None:
                raise ParameterError(f"there is one system, {systems[0]}: leave baseline and system out")
            if first and paired:
                comparison = compare(measured, measures=list(paired), baseline=first, look_into=False, **asked)
                settings = comparison.settings
                notes += comparison.notes
            else:
                notes += [note for each in paired.values() for note in few_units(each.unit_kind, len(each.units))]
            origin = _origin(source) if evaluation is None else ""
        basis = cls(evaluation, comparison, settings, measures, systems, first, paired, shown, notes, system, origin)
        return basis._counted() if comparison is source else basis._counted()._looked_into()

    @property
    def main(self) -> str:
        """The measure that charts and queries are shown for."""
        return self.measures[0]

    @property
    def unit_kind(self) -> str:
        """What the values are of: queries, mostly."""
        return next((paired.unit_kind for paired in self.paired.values()), "query")

    def findings(self, measure: str | None = None) -> list[Finding]:
        """What was found about each system, best first, under the main measure unless another is named."""
        if self.comparison is None:
            return []
        of_measure = {each.system: each for each in self.comparison.findings if each.measure == (measure or self.main)}
        return [of_measure[system] for system in self.systems if system in of_measure]

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The systems, best first by the main measure."""
        if self.comparison is not None and self.main in self.paired:
            return tuple(standing.system for standing in self.comparison.standing(self.main))
        if self.evaluation is None:
            return self.names
        return tuple(system.name for system in self.evaluation.sorted_by(self.main).systems)

    @cached_property
    def system(self) -> str:
        """The one whose queries are shown beside the baseline's; empty if there is one system only."""
        others = [name for name in self.systems if name != self.baseline]
        check_name("system", self.asked_system, others)
        if not self.baseline:
            return ""
        # Of a system whose queries are all the same, there is nothing to show.
        same = {finding.system for finding in self.findings() if finding.all_zero}
        return self.asked_system or next((name for name in others if name not in same), others[0])

    @cached_property
    def detailed(self) -> tuple[str, ...]:
        """The systems that are looked at closely."""
        first = [name for name in (self.baseline, self.system) if name]
        rest = [name for name in self.systems if name not in first]
        chosen = {*first, *rest[: MOST_SYSTEMS - len(first)]}
        return tuple(name for name in self.systems if name in chosen)

    @cached_property
    def no_documents(self) -> str:
        """Why documents cannot be looked at; empty if they can."""
        if self.evaluation is None:
            return "from scores alone, nothing is known of documents: there is no coverage, no curve and no ranking"
        why = why_unseen(self.evaluation)
        return f"documents are not looked at: {why}" if why else ""

    @cached_property
    def standings(self) -> Mapping[tuple[str, str], tuple[float, Interval]]:
        """Each system's number under each measure and its interval, where there is one."""
        standings: dict[tuple[str, str], tuple[float, Interval]] = {}
        for name in self.measures:
            if name not in self.paired:
                for system in self.names:
                    value = math.nan if self.evaluation is None else self.evaluation.mean(name, system)
                    standings[name, system] = value, _NO_INTERVAL
            elif self.comparison is None:
                paired, settings = self.paired[name], self.settings
                for place, system in enumerate(paired.systems):
                    level = [1 - settings.alpha]
                    (interval,) = paired.intervals((place,), level, settings.drawing, settings.bootstrap)
                    standings[name, system] = float(paired.observed[place]), interval
            else:
                for each in self.comparison.standing(name):
                    standings[name, each.system] = each.value, each.interval
        return standings

    def _counted(self) -> Self:
        """The same with the documents of the systems that are looked at closely, and with a note on the others."""
        notes, detailed, counts = list(self.notes), self.detailed, dict[str, Ranks]()
        if self.no_documents:  # the report says so itself, of all that it lacks
            notes = [note for note in notes if not isinstance(note, Note) or note.kind != UNSEEN]
        if len(self.systems) > MOST_SYSTEMS:
            notes.append(
                f"{number_of('system', len(self.systems))} are too many to look at each closely: verdicts in words, "
                f"curves and bounds are of {len(detailed)} (the baseline, the one looked at and the best of the "
                "others), the table has all; report on some of the runs to see others"
            )
        if self.evaluation is not None and not self.no_documents:
            counts = every_document(self.evaluation, detailed, self.measures, max(PAGE, self.shown.ranks))
        return replace(self, counts=counts, notes=tuple(dict.fromkeys(notes)))

    def _looked_into(self) -> Self:
        """The same with what documents tell about the findings that are told in words."""
        if self.comparison is None or not self.counts:
            return self
        only = {(finding.measure, finding.system) for finding in self.told}
        seen = with_document_analysis(self.comparison, only, self.counts)
        return replace(self, comparison=seen, notes=tuple(dict.fromkeys([*self.notes, *seen.notes])))

    @property
    def told(self) -> list[Finding]:
        """The findings that are told in words: by the main measure, then by the others if all are few."""
        every = [each for name in self.measures for each in self.findings(name) if each.system in self.detailed]
        return every if len(every) <= MOST_VERDICTS else [each for each in every if each.measure == self.main]

    def higher_is_better(self, measure: str) -> bool | None:
        """Whether more of a measure is good; None if it is neither good nor bad."""
        if measure in self.paired:  # it knows what was stated, too
            return self.paired[measure].higher_is_better
        return self.measure(measure).definition.higher_is_better

    @property
    def is_complete(self) -> bool:
        """Whether the judgments were declared complete, so that nothing is unjudged."""
        return self.evaluation is not None and self.evaluation.policies.complete

    def is_unchecked(self, finding: Finding) -> bool:
        """Whether documents without judgment may matter to a verdict, and nobody has looked at what they do."""
        if self.evaluation is None or self.evaluation.policies.unjudged == "error" or self.is_complete:
            return False
        return finding.reach is None and not math.isnan(finding.difference)

    def measure(self, name: str) -> Measure:
        """A measure of the evaluation."""
        if self.evaluation is None:
            raise ParameterError(self.no_documents)
        return self.evaluation.measure(name)

    def on_units(self, ranks: Ranks, measure: str) -> Ranks:
        """The counts of the queries that a measure's numbers are of."""
        return ranks if measure not in self.paired else on_units(ranks, self.paired[measure].units)


def _origin(scores: Any) -> str:
    """Where scores come from: a path, or what stands for one."""
    if isinstance(scores, str | os.PathLike):
        return "<stdin>" if scores == "-" else os.fspath(scores)
    return str(getattr(scores, "name", "")) if is_file(scores) else ""


def _paired(measured: ScorePairing, names: Sequence[str]) -> tuple[dict[str, Sample], list[str]]:
    """The systems paired by unit under each measure; and why not, where they cannot be."""
    paired, notes = dict[str, Sample](), list[str]()
    for name in names:
        try:
            paired[name] = measured.samples([name])[0]
        except InputError as problem:
            if measured.evaluation is None:  # scores that cannot be paired are good for nothing
                raise
            notes.append(Note.on(name, f"no interval and no comparison: {problem.remark}"))
    return paired, notes


_LEVELS = 11
#: Bounds take their time: of more systems and measures, those of the main measures only.
_MOST_BOUNDS = 24


def noticed(basis: Basis) -> Iterator[Section]:
    """What users would notice of each system in place of the baseline."""
    seen = {each.system: each.noticed for each in basis.findings() if each.noticed and each.system in basis.detailed}
    if seen:
        points = (f"{name} in place of {basis.baseline}: {seen_by_users(changes)}" for name, changes in seen.items())
        data = {"systems": [{"system": name, **changes._asdict()} for name, changes in seen.items()]}
        parts = (Prose("", "list", tuple(points)),)
        yield Section("noticed", "What users would notice", parts, short="Users", data=data, paper=False)


def curves(basis: Basis) -> Iterator[Section | str]:
    """The averaged precision-recall curve of each system that is looked at closely."""
    evaluation = basis.evaluation
    if evaluation is None:
        return
    measures = level_measures(_LEVELS, evaluation.compat)  # type: ignore[arg-type]  # rules and profiles share names
    results = {}
    for name in basis.detailed:
        ranks = basis.on_units(evaluation.system(name).ranks, basis.main)  # the same topics as in the table
        results[name] = {
            measure: measure.per_unit(ranks, seed=evaluation.seed, samples=evaluation.samples) for measure in measures
        }
    # What was refused as undefined was so under the measures asked for; the curve is not one of them.
    undefined = "counted_as" if evaluation.undefined == "error" else evaluation.undefined
    frame = averaged_precision(results, undefined)[0].drop_nulls("precision")
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


def coverage(basis: Basis) -> Iterator[Section | str]:
    """What each system's numbers rest on, and how far they could move with other grades for unjudged documents."""
    evaluation = basis.evaluation
    if evaluation is not None:
        problems: list[Note | str] = []
        frame = _bounds(basis, evaluation, problems)
        yield from problems
        parts: list[Table | Section] = [_coverage(basis, evaluation)]
        if frame.height:
            title = "If the unjudged documents had other grades"
            parts.append(Section("bounds", title, tuple(_bounds_parts(frame))))
        yield Section("coverage", "What the numbers rest on", tuple(parts), short="Coverage")
    if basis.no_documents:
        yield basis.no_documents


def _coverage(basis: Basis, evaluation: Evaluation) -> Table:
    table, places = coverage_table(evaluation), {system: place for place, system in enumerate(basis.systems)}
    note = (
        "Missing: judged topics that the system has no results for. Ignored: its topics without judgments. Tied: "
        "documents that were judged and share their score with another of the same query."
    )
    frame, caption = table.frame.sort(pl.col("system").replace_strict(places)), "What each system's numbers rest on"
    return replace(table, frame=frame, caption=caption, notes=(note,), turned=False)


def _bounds(basis: Basis, evaluation: Evaluation, problems: list[Note | str]) -> pl.DataFrame:
    """How low and how high the numbers could be with other grades for unjudged documents; and why not, as `problems`.

    Of many systems, under the measures that verdicts are told in words by; `Comparison.bounds` has the others.
    """
    measures = set(basis.paired) if basis.counts and not basis.is_complete else set()
    if basis.told and len(basis.measures) * len(basis.detailed) > _MOST_BOUNDS:
        measures &= {finding.measure for finding in basis.told}
    rows = []
    for name in (name for name in basis.measures if name in measures):
        try:
            for system in basis.detailed:
                ranks = basis.on_units(basis.counts[system], name)
                limits = bounds_of(basis.measure(name), ranks, evaluation.undefined)
                value = basis.standings[name, system][0]
                rows.append((system, name, value, limits.mean_low, limits.mean_high, limits.exact))
        except ParameterError as problem:
            problems.append(Note.of_problem(problem, lead="unjudged documents are not looked at: "))
    return pl.DataFrame(rows, schema=["system", "measure", "value", "low", "high", "exact"], orient="row")


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


def power(basis: Basis) -> Iterator[Section | str]:
    """What so many queries can show, by the main measure; where differences do not vary, nothing can be said of it."""
    findings = [each for each in basis.findings() if each.system in basis.detailed]
    if constant := [each.system for each in findings if not each.spread > 0 and not each.all_zero]:
        names = joined(constant, most=len(constant))
        yield f"there is no power of {names}: the difference is the same for every {basis.unit_kind}"
    rows = [each.row() | {"spread": each.spread} for each in findings if each.spread > 0]
    if not rows:
        return
    frame = pl.DataFrame(rows, infer_schema_length=None, schema_overrides={"needed": pl.Int64}).select(
        *("measure", "baseline", "system", "units", "difference", "spread", "detectable", "margin", "needed"),
        _pair=pl.format("{} against {}", "system", "baseline"),
        _seen=pl.col("difference").abs(),
        _zero=pl.lit(0.0),
    )
    margin = max(frame["margin"])
    axis = around([*frame["_seen"], *frame["detectable"], 1.5 * margin], room=0)
    columns = (
        Column("_pair", "pair"),
        Column("units", "queries", "count"),
        Column("difference", "seen", "number", signed=True),
        Column("detectable", kind="number"),
        Column("margin", "matters", "chosen"),
        Column("needed", "queries needed", "count"),
        Column("_seen", "seen and detectable", "drawn", ends=("_zero", "detectable"), axis=axis, band=margin),
    )
    share = as_level(basis.settings.power)
    note = (
        f"Detectable: the smallest true difference that would be found {share} of the time (line). Seen: the "
        "difference in these data (dot, without its sign). Queries needed: to find a difference that just matters "
        f"(shaded), {share} of the time."
    )
    title = "What so many queries can show"
    data = {"power": basis.settings.power, "unit_kind": basis.unit_kind}
    table = Table("power", frame, columns, title, (note,))
    yield Section("power", title, (table,), short="Power", data={"settings": data})
