"""The document and the report of the agreement of judges, and the meaning of its numbers in words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from assay.core.digits import as_level, as_percents, number, span
from assay.core.errors import joined, number_of, several
from assay.show.model import Column, Document, Part, Prose, Section, Table
from assay.subjects.judges.evaluation import INTERVAL, MOST_PAIRS, OF_RELEVANCE, JudgeAgreement
from assay.subjects.judges.evidence import Evidence
from assay.verbs.report.report import InputFile
from assay.verbs.sections.estimates import DASH, measure_in_words, prose_section, settings_of
from assay.verbs.sections.methods import Citations, cited_measures, compared_by, intervals_of
from assay.verbs.sections.reports import claims, summed_up, verdicts

#: Where words for the size of a kappa come from.
CITES = "landis1977"
#: What Landis and Koch (1977) call a kappa up to here.
_WORDS = (
    (0.0, "poor"),
    (0.2, "slight"),
    (0.4, "fair"),
    (0.6, "moderate"),
    (0.8, "substantial"),
    (1.0, "almost perfect"),
)
#: From this share of one label on, and where agreement is so much higher than alpha, chance takes most of it away.
_MOST_OF_ALL, _FAR_APART = 0.8, 0.25
#: An interval wider than this says little.
_WIDE = 0.3
#: More judges than this are counted, and not all named.
MOST_JUDGES = 10
#: Rows of topics and pairs in text to be read at a stretch.
MOST_ROWS = 20


def document(result: JudgeAgreement) -> Document:
    """The coefficients, pairs of judges, topics, time; what the numbers mean, and what they rest on."""
    settings = settings_of(result, "scale", "unit", "confidence", "resamples", "seed")
    settings |= {"categories": list(result.ratings.categories), "judges": list(result.ratings.judges)}
    sections = (
        Section("agreement", parts=(Prose(found(result)), coefficients(result))),
        *tables(result),
        *(() if result.rankings is None else result.rankings.document().sections),
        prose_section("guidance", guidance(result)),
        prose_section("basis", basis(result), settings),
        prose_section("warnings", result.warnings),
    )
    return Document("judge agreement", tuple(section for section in sections if section.parts), "Agreement of judges")


def found(result: JudgeAgreement) -> str:
    """The judges that were found: columns of a wide table may be taken for some."""
    judges = result.labels.judges
    return f"{number_of('judge', len(judges))}: {joined(judges, MOST_JUDGES)}."


def coefficients(result: JudgeAgreement) -> Table:
    """Every coefficient with its interval."""
    level = as_level(result.confidence)
    columns = (
        Column("measure"),
        Column("value", kind="number", missing="NA"),
        Column("interval", f"{level} interval", kind="bracketed", ends=("low", "high"), missing=DASH),
    )
    return Table("agreement", result.to_frame(), columns)


def tables(result: JudgeAgreement) -> Iterator[Section]:
    """The pairs of judges, who said what, topics and time, as far as there is something to show."""
    if len(result.ratings.judges) == 2:
        yield Section("confusion", "Who said what", (_confusion_table(result),))
    elif result.pairs.height:
        yield Section("pairs", "Pairs of judges", (_pair_table(result),))
    if len(result.topics) > 1:
        caption = "By topic, those with the least agreement first"
        frame = result.per_topic.sort("Alpha", "topic", nulls_last=True)
        yield Section("topics", "Topics", (_group_table("topics", frame, caption),))
    if result.over_time.height:
        yield Section("time", "Over time", (_group_table("time", result.over_time, "In the order of labelling"),))


def _pair_table(result: JudgeAgreement) -> Table:
    """Every two judges: Cohen's kappa with its interval, and weighted kappas of grades."""
    frame = result.pairs
    columns = (
        Column("first", "judge"), Column("second", "and judge"), Column("items", kind="count"),
        Column("Agreement", kind="number"), Column("Kappa", kind="estimate", ends=("Kappa_low", "Kappa_high")),
        *(Column(name, kind="number") for name in frame.columns if name.startswith("Kappa ")),
    )  # fmt: skip
    note = (f"The {MOST_PAIRS} pairs with the most items in common.",) if frame.height == MOST_PAIRS else ()
    return Table("pairs", frame, columns, notes=note, most=MOST_ROWS)


def _confusion_table(result: JudgeAgreement) -> Table:
    """Counts of each label by the second of two judges (columns) where the first (rows) gave which."""
    first, second = result.ratings.judges
    return Table.of("confusion", result.confusion(first, second), f"Rows: {first}; columns: {second}")


def _group_table(name: str, frame: pl.DataFrame, caption: str) -> Table:
    columns = (
        Column(frame.columns[0]), Column("items", kind="count"), Column("Agreement", kind="number"),
        Column("Alpha", kind="estimate", ends=("Alpha_low", "Alpha_high")),
    )  # fmt: skip
    return Table(name, frame, columns, caption, most=MOST_ROWS)


def guidance(result: JudgeAgreement) -> Iterator[str]:
    """Guidance on what the numbers mean, and what they do not."""
    alpha = next((measure for measure in result.measures if measure.name == "Alpha"), result.headline)
    headline = result.estimate(alpha)
    agreement = result.value("Agreement")
    if math.isnan(headline.value):
        yield f"No coefficient beyond chance can be computed: {headline.undefined}."
        return
    word = landis_koch(headline.value)
    part = as_percents([max(headline.value, 0.0)])[0]
    beyond = (
        f"come {part} of the way from chance to full agreement" if headline.value >= 0 else "agree less than by chance"
    )
    yield (
        f"{alpha} {number(headline.value)} means that judges {beyond}. "
        f"Landis and Koch call that {word}, Krippendorff asks for 0.8, or 0.667 for tentative conclusions: these are "
        "conventions, not tests, and what is enough depends on what the labels are for."
    )
    share = result.ratings.counts.sum(axis=0)
    most = share.max() / share.sum()
    if most >= _MOST_OF_ALL and agreement - headline.value >= _FAR_APART:
        label = result.ratings.categories[int(share.argmax())]
        percents = as_percents([most, agreement])
        yield (
            f"{percents[0]} of the labels are {label}, so judges would agree most of the time by chance: they agree on "
            f"{percents[1]}, and alpha and kappa are low all the same. Read positive agreement and AC1 beside them."
        )
    if result.is_graded and result.ratings.values.min() < 0:
        below = joined([f"{value:g}" for value in result.ratings.values if value < 0])
        yield f"{below} counts as a grade below 0; if it means something else, state a nominal scale."
    if headline.high - headline.low > _WIDE:
        yield (
            f"The interval is wide ({span(headline.low, headline.high)}): label more {several(result.unit)} with "
            "several judges before you act on it."
        )
    if result.rankings is None:
        yield "Disagreement need not change which system is better: add runs to see whether it does."
    yield "Agreement is not accuracy: judges may agree and be wrong."


def landis_koch(value: float) -> str:
    """The word of Landis and Koch (1977) for a kappa.

    >>> landis_koch(0.41), landis_koch(-0.1)
    ('moderate', 'poor')
    """
    return next((word for end, word in _WORDS if value <= end), _WORDS[-1][1])


def basis(result: JudgeAgreement) -> Iterator[str]:
    """The basis of the numbers."""
    labels, items, judges = result.labels.sizes
    shared = int((result.ratings.labels_of_item > 1).sum())
    yield (
        f"{number_of('label', labels)} of {number_of('item', items)} by {number_of('judge', judges)}; "
        f"{number_of('item', shared)} with two labels or more. Labels: {joined(result.ratings.categories, 10)} "
        f"({result.scale})."
    )
    if any(measure.name in OF_RELEVANCE for measure in result.measures):
        labelled = zip(result.ratings.categories, result.ratings.relevant, strict=True)
        yield f"Counted as relevant: {joined([name for name, is_relevant in labelled if is_relevant] or ['none'], 10)}."
    if result.resamples:
        yield f"Intervals: bootstrap over {several(result.unit)}, {result.resamples:,} resamples, seed {result.seed}."
    yield from (f"{name} is undefined: {reason}." for name, reason in result.undefined().items())
    for measure in result.measures:
        if why := result.estimate(measure).no_interval:
            yield f"{measure} has no interval: {why}."


class ReportedJudges(Evidence):
    """Sets of labels, each with its agreement.

    >>> from assay import Labels, make_report
    >>> rows = [(f"d{n}", judge, n % 3) for n in range(30) for judge in ("ana", "ben")]
    >>> print(make_report(Labels.of(rows, name="round")))
    round: Alpha(scale='ordinal') 1.0000.
    """

    eyebrow = "Agreement report"

    def sections(self) -> Iterator[Section | str]:
        """The findings, every coefficient, the verdicts, then pairs, topics and time of each set."""
        first = self.results[0]
        labels, items, judges = first.labels.sizes
        counted = (number_of(*each) for each in (("label", labels), ("item", items), ("judge", judges)))
        headlines = [(each.name, each.headline, each.estimate(each.headline)) for each in self.results]
        worth = [f"{name}: {measure_in_words(measure, *estimate[:3])}." for name, measure, estimate in headlines]
        warnings = [warning for each in self.results for warning in each.warnings]
        data = {"confidence": first.confidence, "caveats": [], "warnings": warnings}
        yield summed_up(", ".join(counted), claims(self.comparison, worth, "item"), None, warnings, data)
        if self.comparison is not None:
            yield Section("compared", "Compared", (verdicts(self.comparison, "Sets of labels compared"),))
        for place, each in enumerate(self.results, 1):
            title = "Agreement" if len(self.results) == 1 else f"Agreement: {each.name}"
            words = Prose(style="list", points=(*guidance(each), *basis(each)))
            parts: tuple[Part, ...] = (coefficients(each), words, *tables(each))
            yield Section(f"agreement-{place}", title, tuple(_numbered(part, place) for part in parts))

    def methods(self, cite: Citations) -> Iterator[str]:
        """The methods, in sentences for a paper."""
        first = self.results[0]
        _, items, judges = first.labels.sizes
        named = cited_measures({measure: str(measure) for measure in first.measures}, cite)
        yield f"The agreement of {number_of('judge', judges)} on {number_of('item', items)} was measured by {named}."
        if first.resamples:
            yield intervals_of(INTERVAL, first.confidence, first.resamples, several(first.unit), cite)
            yield f"Words for sizes are those of Landis and Koch{cite(CITES)}."
        if self.comparison is not None:
            yield compared_by(self.comparison, "item")

    def configuration(self) -> dict[str, str | None]:
        """The configuration, for readers."""
        first = self.results[0]
        return {
            "scale": first.scale,
            "labels": ", ".join(first.ratings.categories),
            "unit": first.unit,
            "confidence": f"{first.confidence:g}",
            "resamples": f"{first.resamples:,}",
        }

    def inputs(self) -> Iterator[InputFile]:
        """The files of labels."""
        for result in self.results:
            labels = result.labels
            yield InputFile.of(
                "labels", labels.origin, "labels of judges", number_of("label", len(labels)), labels.name
            )


def _numbered(part: Part, place: int) -> Part:
    """A part of the report on a further set of labels, under a name of its own."""
    name = "" if place == 1 else f"-{place}"
    if isinstance(part, Section):
        return replace(part, name=part.name + name, parts=tuple(_numbered(each, place) for each in part.parts))
    return replace(part, name=part.name + name) if isinstance(part, Table) else part
