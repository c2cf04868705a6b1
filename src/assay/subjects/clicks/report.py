"""The document and the report of the behaviour of users."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from assay.core.digits import as_level, as_percents
from assay.core.errors import joined, number_of, several
from assay.show.model import Column, Document, Section, Table
from assay.stats.estimates import Estimate
from assay.subjects.clicks.evaluation import PERIODS, Behaviour
from assay.subjects.clicks.evidence import Evidence
from assay.verbs.comparison import Comparison
from assay.verbs.report.report import InputFile
from assay.verbs.sections.estimates import DASH, prose_section, settings_of
from assay.verbs.sections.methods import Citations, compared_by, measured_by, systems_named, were
from assay.verbs.sections.reports import claims, is_bounded, summed_up, verdicts

#: Rows of segments in text to be read at a stretch.
_MOST_ROWS = 40


def document(result: Behaviour) -> Document:
    """The measures, clicks by rank, segments if asked for; and what the numbers rest on."""
    settings = settings_of(result, "confidence", "by") | {"unit": result.unit_kind, "systems": list(result.systems)}
    sections = (
        Section("behaviour", parts=(measures_table(result),)),
        Section("ranks", "By rank", (ranks_table(result),)),
        *segments(result),
        prose_section("guidance", guidance(result)),
        prose_section("basis", basis(result), settings),
        prose_section("warnings", result.warnings),
    )
    return Document("behaviour", tuple(each for each in sections if each.parts), f"What users did: {result.name}")


def _beside(frame: pl.DataFrame, index: list[str], by: str, missing: str = "NA") -> tuple[pl.DataFrame, list[Column]]:
    """One row per value of `index`, and in it a number with its interval for each value of `by`."""
    names = frame[by].unique(maintain_order=True).to_list()
    place = pl.col(by).replace_strict({name: str(place) for place, name in enumerate(names)}, return_dtype=pl.String)
    wide = frame.with_columns(place).pivot(by, index=index, values=["value", "low", "high"])
    columns = [
        Column(f"value_{place}", name, "estimate", ends=(f"low_{place}", f"high_{place}"), missing=missing)
        for place, name in enumerate(names)
    ]
    return wide, columns


def measures_table(result: Behaviour) -> Table:
    """Every measure with its interval, a column per system."""
    wide, columns = _beside(result.to_frame(), ["measure"], "system")
    better = pl.Series([each.definition.direction for each in result.measures], dtype=pl.String)
    caption = f"With {as_level(result.confidence)} intervals over {several(result.unit_kind)}"
    columns = [Column("measure"), *columns, Column("better", kind="words")]
    return Table("behaviour", wide.with_columns(better=better), tuple(columns), caption)


def ranks_table(result: Behaviour) -> Table:
    """The share of results that were clicked, rank by rank."""
    wide, columns = _beside(result.ranks, ["rank"], "system", DASH)
    caption = "Share of the results shown at a rank that were clicked"
    return Table("ranks", wide.sort("rank"), (Column("rank", kind="count"), *columns), caption)


def segments(result: Behaviour) -> Iterator[Section]:
    """The measures within segments, where they were asked for."""
    if result.by is None:
        return
    long = result.by_segment
    wide, columns = _beside(long, ["segment", "system", "units", "pages"], "measure")
    names = [Column("segment", result.by), Column("system"),
             Column("units", several(result.unit_kind), "count"), Column("pages", kind="count")]  # fmt: skip
    table = Table("segments", wide, (*names, *columns), most=_MOST_ROWS)
    title = f"By {result.by} (UTC)" if result.by in PERIODS else f"By {result.by}"
    yield Section("segments", title, (table,), data={"rows": long.to_dicts()})


def guidance(result: Behaviour) -> Iterator[str]:
    """Guidance on what the numbers mean, and what they do not."""
    for system, rate in result.rates.items():
        if not math.isnan(rate.value):
            yield f"{system}: {_in_words(rate, result)}"
    yield (
        "People click what they see, and they see what stands on top: a click is no judgment, and a page without one "
        "is no failure if the answer stood on it."
    )


def _in_words(rate: Estimate, result: Behaviour) -> str:
    share = as_percents([rate.value])[0]
    reach = ""
    if not math.isnan(rate.low):
        ends = " to ".join(as_percents([rate.low, rate.high]))
        reach = f" ({as_level(result.confidence)} interval over {several(result.unit_kind)}: {ends})"
    return f"{share} of the result pages have a click{reach}."


def _elsewhere(comparison: Comparison | None) -> Iterator[str]:
    """Differences of a pair of systems besides the first measure: who clicks more may also wait longer."""
    if comparison is not None and len(comparison.systems) == 2:
        for word in ("better", "worse"):
            if others := [each.measure for each in comparison.findings[1:] if each.verdict.word == word]:
                yield f"{comparison.findings[0].system} is {word} under {joined(others)}."


def _sizes_in_words(result: Behaviour, units: int, pages: int, clicks: int) -> list[str]:
    """Units, pages and clicks; pages once, where they are the units."""
    who = [number_of(result.unit_kind, units)] if result.unit_kind != "page" else []
    return [*who, number_of("result page", pages), number_of("click", clicks)]


def basis(result: Behaviour) -> Iterator[str]:
    """The basis of the numbers."""
    for row in result.sizes.iter_rows(named=True):
        yield f"{row['system']}: {', '.join(_sizes_in_words(result, row['units'], row['pages'], row['clicks']))}."
    first, last = result.span
    if first is not None:
        yield f"From {first:%Y-%m-%d %H:%M} to {last:%Y-%m-%d %H:%M} (UTC)."
    yield (
        f"A number is a ratio of sums over {several(result.unit_kind)}; intervals are by the delta method, with "
        f"Student's t over {several(result.unit_kind)}."
    )
    yield from (f"{name} is undefined: {reason}." for name, reason in result.undefined().items())


class ReportedClicks(Evidence):
    """The behaviour of a log's users.

    >>> from assay import Log, make_report
    >>> pages = [(f"q{n}", ["d1"], ["d1"] * (n % 3 > 0)) for n in range(90)]
    >>> print(make_report(Log.from_pages(pages, user_id=[f"u{n}" for n in range(90)], name="shop"), measures="CTR"))
    shop: 66.7% of the result pages have a click (95% interval over users: 56.7% to 76.6%).
    """

    eyebrow = "Behaviour report"

    def sections(self) -> Iterator[Section | str]:
        """The findings, every measure, the verdicts, then ranks, time and segments, and the basis."""
        result = self.result
        counted = _sizes_in_words(result, *(int(result.sizes[name].sum()) for name in ("units", "pages", "clicks")))
        worth = [*_elsewhere(self.comparison), *list(guidance(result))[:-1]]
        data = {"confidence": result.confidence, "caveats": [], "warnings": list(result.warnings)}
        kind = result.unit_kind
        yield summed_up(", ".join(counted), claims(self.comparison, worth, kind), None, result.warnings, data)
        if self.comparison is not None:
            shares = {name for name in self.comparison.measures if is_bounded(result.measure(name))}
            table = verdicts(self.comparison, "Systems compared", shares, kind=kind)
            yield Section("compared", "Compared", (table,))
        yield Section("behaviour", "Measures", (measures_table(result),))
        if self.ranks is not None:
            picture = replace(self.ranks.figure(), name="rank-curve")
            yield Section("ranks", "By rank", (picture, replace(ranks_table(result), fold="The numbers")))
        else:
            yield "clicks by rank: no page has results"
        if self.times is not None:
            yield Section("time", "Over time", (replace(self.times.figure(), name="time-1"),))
        else:
            yield "over time: the log is of one day, or has no times"
        yield from segments(result)
        words = prose_section("basis", [*basis(result), *list(guidance(result))[-1:]])
        yield replace(words, title="What it rests on")

    def methods(self, cite: Citations) -> Iterator[str]:
        """The methods, in sentences for a paper."""
        result = self.result
        kind = several(result.unit_kind)
        systems = result.systems
        pages = number_of("result page", int(result.sizes["pages"].sum()))
        yield f"{systems_named('system', systems)} {were(systems)} observed on {pages} of a log."
        yield measured_by({measure: str(measure) for measure in result.measures}, len(systems), cite)
        yield (
            f"Every number is a ratio of sums over {kind}. Intervals at the {as_level(result.confidence)} level are by "
            f"the delta method over {kind}."
        )
        if self.comparison is not None:
            yield compared_by(self.comparison, result.unit_kind)

    def configuration(self) -> dict[str, str | None]:
        """The configuration, for readers."""
        return {"unit": self.result.unit_kind, "confidence": f"{self.result.confidence:g}", "by": self.result.by}

    def inputs(self) -> Iterator[InputFile]:
        """The logs."""
        for log in self.result.logs:
            pages, _, acts = log.sizes
            counts = f"{number_of('result page', pages)}, {number_of('click', acts)}"
            yield InputFile.of("log", log.origin, "log of clicks", counts, log.name)
