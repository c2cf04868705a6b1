"""The document and the report of an A/B test."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from assay.core.digits import as_level, numbers, p_phrase
from assay.core.errors import joined, number_of, several
from assay.show.charts import filled
from assay.show.figure import Figure, Mark, Panel, Scale
from assay.show.model import Column, Document, Part, Prose, Section, Table, Verdict
from assay.subjects.experiments.evaluation import ABTest
from assay.subjects.experiments.evidence import Evidence
from assay.subjects.experiments.soundness import CUT_NAMES, HEAVIEST
from assay.verbs.report.report import InputFile
from assay.verbs.sections.estimates import DASH, prose_section, settings_of
from assay.verbs.sections.methods import Citations, compared_by, systems_named, were
from assay.verbs.sections.reports import summed_up, verdicts
from assay.verbs.sections.sentences import of_verdict

_MEANINGS = {"better": "s1", "worse": "s2", "equivalent": "s3", "identical": "s3"}
_NUMBERS = ("value", "difference", "low", "high", "p")
_GROUPS = {
    "group": pl.String, "measure": pl.String, "variant": pl.String, "users": pl.Int64,
    **dict.fromkeys(_NUMBERS, pl.Float64),
}  # fmt: skip
_OF_GROUPS = (
    "Groups are exploratory: p is corrected over the groups of a measure (Holm); that one group is significant and "
    "another is not does not mean that they differ."
)
_NOVELTY = (
    "By the day of the first exposure: a difference that shrinks may be novelty that wears off, one that grows may be "
    "users who learn."
)
_OF_CHANCES = (
    "With a flat prior, beside the verdict and never in its place: they do not allow for looks or other measures."
)
#: Rows of a table in text to be read at a stretch.
_MOST_ROWS = 40
_STATES = {"right": "sound", "odd": "suspicious", "wrong": "wrong"}


def document(result: ABTest) -> Document:
    """The users, the measures of each variant with their differences from the control, and the soundness of it all."""
    settings = settings_of(result, "confidence") | {"unit": result.unit_kind, "variants": list(result.variants)}
    sections = (
        Section("experiment", parts=(measures_table(result),), data=settings),
        health_section(result),
        prose_section("heavy", heavy_lines(result)),
        *group_sections(result),
        prose_section("chances", [each.sentence for each in result.chances]),
        prose_section("warnings", result.experiment.remarks),
    )
    return Document("experiment", tuple(each for each in sections if each.parts), f"A/B test: {result.name}")


def measures_table(result: ABTest) -> Table:
    """Every measure with its interval by variant, the difference from the control and how much that is of it."""
    columns = (
        Column("measure"), Column("variant"), Column("users", several(result.unit_kind), "count"),
        Column("value", kind="estimate", ends=("low", "high")),
        Column("difference", "difference", "number", signed=True, missing=DASH),
        Column("difference", "from, to", "interval", ends=("from", "to"), signed=True, missing=DASH),
        Column("lift", "lift", "percent", signed=True, missing=DASH),
    )  # fmt: skip
    caption = f"With {as_level(result.confidence)} intervals over {several(result.unit_kind)}, against {result.control}"
    return _undrawn(Table("measures", result.to_frame(), columns, caption))


def _undrawn(table: Table) -> Table:
    """The same without drawings: its rows are of measures that share no axis."""
    return replace(table, frame=table.frame.with_columns(_is_drawn=pl.lit(value=False)), drawn="_is_drawn")


def health_part(result: ABTest) -> Prose:
    """Whether the test is sound, a line for each check."""
    return Prose(style="list", points=tuple(f"{_STATES[each.state]}: {each.says}" for each in result.health))


def health_section(result: ABTest) -> Section:
    """Whether the test is sound, and where an uneven split comes from."""
    data = {"checks": [each._asdict() for each in result.health], "sample_ratio": result.sample_ratio}
    return Section("health", "Soundness", (health_part(result), *imbalance_lines(result)), data=data)


def imbalance_lines(result: ABTest) -> Iterator[Prose]:
    """Where an uneven split comes from, in sentences."""
    for each in result.imbalances:
        yield Prose(f"{each.sentence[0].upper()}{each.sentence[1:]}.")


def group_sections(result: ABTest) -> Iterator[Section]:
    """The differences within groups of users, if they were asked for."""
    if result.by is None:
        return
    columns = (
        Column("group", result.by), Column("measure"), Column("variant"), Column("users", kind="count"),
        Column("value", kind="number"), Column("difference", kind="number", signed=True),
        Column("difference", "from, to", "interval", ends=("low", "high"), signed=True), Column("p", kind="p"),
    )  # fmt: skip
    rows = [each._asdict() for each in result.groups]
    frame = pl.DataFrame(rows, schema=_GROUPS, orient="row").fill_nan(None)
    note = _NOVELTY if result.by == "day" else _OF_GROUPS
    yield Section("groups", f"By {result.by}", (_undrawn(Table("groups", frame, columns, notes=(note,))),))


def plan_table(report: ReportedTest) -> Table:
    """What was planned of each measure, beside what came of it."""
    plan = report.result.plan
    found = {(each.measure, each.system): each for each in report.comparison.findings}
    rows = []
    for (measure, variant), finding in found.items():
        planned = None if plan is None else plan.measure(measure)
        rows.append({
            "measure": measure, "role": "exploratory" if planned is None else planned.role, "variant": variant,
            "sought": None if planned is None else planned.difference,
            "margin": None if planned is None else planned.margin,
            "difference": finding.difference, "low": finding.interval.low, "high": finding.interval.high,
            "verdict": finding.verdict.word,
        })  # fmt: skip
    columns = (
        Column("measure"), Column("role"), Column("variant"), Column("sought", "to detect", "chosen", missing=DASH),
        Column("margin", kind="chosen", missing=DASH), Column("difference", kind="number", signed=True),
        Column("difference", "from, to", "interval", ends=("low", "high"), signed=True),
        Column("verdict", kind="verdict"),
    )  # fmt: skip
    return _undrawn(Table("plan", pl.DataFrame(rows, infer_schema_length=None).fill_nan(None), columns))


def heavy_lines(result: ABTest) -> Iterator[str]:
    """What the users with the largest numbers do to the differences of means."""
    kind = result.unit_kind
    for each in (each for each in result.heavy if each.matters):
        apart, without, alone = numbers([each.difference, each.without, each.without_largest])
        largest = f"{each.largest:,.10g}"
        yield (
            f"{each.measure}: the difference of {each.variant} is {_signed(apart)}; without the {kind} with {largest} "
            f"({each.largest_variant}) it is {_signed(alone)}, and without the top {HEAVIEST:.1%} ("
            f"{number_of(kind, each.left_out)} from {each.from_value:,.10g} on) {_signed(without)}."
        )


def _signed(text: str) -> str:
    return text if text.startswith("-") else f"+{text}"


class ReportedTest(Evidence):
    """An A/B test: the decision on each variant, and what it rests on.

    >>> from assay import make_report
    >>> users = range(400)
    >>> bought = [int(n % 12 == 0 or (n % 2 == 1 and n % 3 == 0)) for n in users]
    >>> rows = {"user": users, "variant": ["old", "new"] * 200, "bought": bought}
    >>> make_report(pl.DataFrame(rows)).advice
    'Ship new: new is better than old under bought.'
    """

    eyebrow = "A/B test"

    def sections(self) -> Iterator[Section | str]:
        """The decisions with the soundness of the test, the effects on one axis, verdicts, numbers, heavy users."""
        result = self.result
        advice = " ".join(each.sentence for each in self.decisions)
        data = {
            "advice": {"text": advice}, "decisions": [each._asdict() for each in self.decisions], "caveats": [],
            "warnings": list(result.warnings), "confidence": result.confidence,
        }  # fmt: skip
        counted = " · ".join([number_of(result.unit_kind, result.experiment.units), *_banner(result)])
        yield summed_up(counted, list(self._claims()), None, result.warnings, data)
        yield Section("effects", "Effects", (effects(self),), "Relative differences from the control, on one axis.")
        table = verdicts(self.comparison, "Variants compared", (), kind=result.unit_kind)
        yield Section("compared", "Compared", (table,))
        yield Section("measures", "Measures", (measures_table(result),))
        yield health_section(result)
        yield from group_sections(result)
        if result.chances:
            points = tuple(each.sentence for each in result.chances)
            yield Section("chances", "Chances", (Prose(style="list", points=points),), _OF_CHANCES)
        if result.plan is not None:
            yield Section("plan", "Plan and result", (plan_table(self),))
        if result.distribution.height:
            columns = [Column("measure"), Column("variant"), Column("zero", "at 0", "percent")]
            columns += [Column(name, kind="short") for name in CUT_NAMES]
            cuts = Table("distribution", result.distribution, tuple(columns), most=_MOST_ROWS)
            yield Section("distribution", "Distribution", (cuts,), "Quantiles of the numbers of users.")
        if lines := tuple(heavy_lines(result)):
            yield Section("heavy", "Heavy users", (Prose(style="list", points=lines),))

    def _claims(self) -> Iterator[Part]:
        kind = self.result.unit_kind
        for each in self.decisions:
            yield Verdict(each.word, each.tone, each.sentence)
        for finding in self.comparison.findings:
            yield Prose(of_verdict(finding, kind))

    def methods(self, cite: Citations) -> Iterator[str]:
        """The methods, in sentences for a paper."""
        result = self.result
        kind, systems = several(result.unit_kind), result.variants
        yield f"{systems_named('variant', systems)} {were(systems)} seen by {result.experiment.units:,} {kind}."
        yield (
            f"Numbers are means, or ratios of sums with variances by the delta method{cite('deng2018')}, over {kind}; "
            f"intervals are at the {as_level(result.confidence)} level. The division of {kind} between variants was "
            "tested by Pearson's chi-squared test."
        )
        yield compared_by(self.comparison, result.unit_kind)
        if result.plan is not None:
            yield (
                f"Measures were tested as planned ({result.plan.key}): the primary one by itself, secondary ones "
                f"corrected for one another by Holm's method{cite('holm1979')}, guardrails each against its margin; "
                "others are exploratory."
            )
        if result.monitoring is not None and result.monitoring.mode == "group":
            yield (
                f"Bounds of the looks are by alpha spending{cite('lan1983')} ({result.monitoring.spending}), "
                f"integrated as by Jennison and Turnbull{cite('jennison1999')}."
            )

    def configuration(self) -> dict[str, str | None]:
        """The configuration, for readers."""
        weights = self.result.weights
        shares = None if weights is None else ", ".join(f"{name}={share:g}" for name, share in weights.items())
        return {"unit": self.result.unit_kind, "control": self.result.control, "weights": shares}

    def inputs(self) -> Iterator[InputFile]:
        """The data."""
        experiment = self.result.experiment
        counts = f"{number_of(experiment.unit_kind, experiment.units)}, {joined(list(experiment.variants))}"
        yield InputFile.of("A/B test", experiment.origin, "one row per user", counts, experiment.name)


def _banner(result: ABTest) -> Iterator[str]:
    """The soundness of the test, in a few words for each check."""
    p = p_phrase(result.sample_ratio)
    states = {"right": f"split as planned ({p})", "odd": f"split suspicious ({p})", "wrong": f"split wrong ({p})"}
    for each in result.health:
        if each.check == "sample ratio":
            yield states[each.state]
        elif each.is_sound:
            yield f"no {result.unit_kind} in several variants"
        else:
            yield f"{result.experiment.units_of_several:,} in several variants"


def effects(report: ReportedTest) -> Figure:
    """Every relative difference with its interval on one axis, over a band of what is too small to matter."""
    result, rows = report.result, []
    for finding in report.comparison.findings:
        base = abs(finding.baseline_value)
        if not base or math.isnan(finding.difference) or not finding.interval.is_known:
            continue
        name = finding.measure if len(result.variants) == 2 else f"{finding.measure}, {finding.system}"
        ends = (finding.difference, finding.interval.low, finding.interval.high, finding.margin.value)
        value, low, high, margin = (100 * each / base for each in ends)
        meaning = _MEANINGS.get(finding.verdict.word, "tied")
        rows.append({"system": name, "value": value, "low": low, "high": high, "margin": margin, "meaning": meaning})
    kinds = dict.fromkeys(("value", "low", "high", "margin"), pl.Float64)
    frame = pl.DataFrame(rows, {"system": pl.String, **kinds, "meaning": pl.String})
    names = tuple(frame["system"])
    widest = frame.select(zero=0.0, low=-pl.col("margin").max(), high=pl.col("margin").max()).head(1)
    marks = (
        Mark("bar", widest, "low", x2="high", meaning="band"),
        Mark("rule", widest, "zero", meaning="cut"),
        Mark("rule", frame, "low", "system", x2="high", meaning="meaning"),
        Mark("point", frame, "value", "system", meaning="meaning", tips=filled(frame)),
    )
    scale = Scale("difference from the control, in %", about=8)
    panel = Panel(scale, Scale(kind="category", names=names), marks, "", 420, 28 * max(len(names), 1))
    return Figure("effects", (panel,), data=frame)
