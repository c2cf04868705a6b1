"""`Comparison`: all findings, and the same within groups of units that share an attribute."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import polars as pl

from assay.core.errors import Note, ParameterError, did_you_mean, listed, not_among, number_of, several
from assay.core.results import Result
from assay.core.words import CORRECTED_BY
from assay.files import is_file, read_topics
from assay.measures.counting.judgments import Floats
from assay.measures.parser import same_name
from assay.measures.registry import Measure
from assay.show.legible import on_one_line
from assay.show.model import Prose
from assay.stats.pairing import Pairing
from assay.stats.samples import UNDEFINED, Drawing, Sample
from assay.stats.tests import SIMULTANEOUS, TESTS
from assay.stats.verdict import corrected_as_stated, resamples_for
from assay.tables import Topics
from assay.verbs.comparison.findings import Finding, Pairs, Settings, Standing, finding_of, intervals, select_finding
from assay.verbs.curves import Curve

if TYPE_CHECKING:
    import altair as alt


#: The slice of units that the attribute says nothing about.
NONE = "(none)"
#: Numbers with more different values than this are put into quarters.
MOST_NUMBERS = 8


def slices(sample: Sample, first: int, second: int, attribute: Mapping[str, Any]) -> dict[str, Sample]:
    """Split two systems' units by an attribute, given by unit; units that it says nothing about come last.

    Numbers with more than eight different values are put into four groups of about the same size.

    >>> from assay.stats.mean_samples import MeanSample
    >>> values = np.array([[0.5, 0.75], [0.25, 0.25]])
    >>> sample = MeanSample(values, systems=("a", "b"), units=("q1", "q2"), measure="AP")
    >>> {value: part.units for value, part in slices(sample, 0, 1, {"q1": "short"}).items()}
    {'short': ('q1',), '(none)': ('q2',)}
    """
    both = sample.only(first, second)
    if both.part(()) is None:
        raise ParameterError(f"{sample.measure} is made of {sample.made_of}: it has no numbers of units to group")
    labels = _labels([attribute.get(unit) for unit in sample.units])
    named = [label for label in dict.fromkeys(sorted(labels, key=lambda label: label[0])) if label[1] != NONE]
    if not named:
        raise ParameterError("the attribute is known of no unit: there is nothing to group; are these its topics?")
    if len(named) == len(labels) > 1:
        raise ParameterError("every unit has another value of the attribute: there is nothing to group")
    parts = {}
    for label in dict.fromkeys([*named, *(label for label in labels if label[1] == NONE)]):
        part = both.part([row for row, other in enumerate(labels) if other == label])
        if part is not None:
            parts[label[1]] = part
    return parts


def slice_table(parts: Mapping[str, Sample], whole: Finding, settings: Settings) -> pl.DataFrame:
    """One row per slice: units, both numbers, difference, interval, p corrected over the slices, verdict."""
    # What compares all systems at once has nothing to say about two of them on a few units.
    test = settings.test if settings.test in TESTS else None
    correction = "holm" if settings.test in SIMULTANEOUS else settings.correction
    swaps = Drawing(settings.resamples or resamples_for(len(parts), settings.alpha), settings.seed)
    outcomes = [part.test(((0, 1),), test, swaps)[0] for part in parts.values()]
    p = corrected_as_stated(np.array([outcome.p for outcome in outcomes]), correction)
    levels = settings.levels._replace(margin=whole.margin.value)
    rows = [
        {"slice": label}
        | finding_of(part, (0, 1), outcome, value, levels, drawing=settings.drawing, method=settings.bootstrap).row()
        for (label, part), outcome, value in zip(parts.items(), outcomes, p.tolist(), strict=True)
    ]
    values = {"baseline_value": f"value_{whole.baseline}", "value": f"value_{whole.system}"}
    frame = pl.DataFrame(rows, infer_schema_length=None).rename(values)
    return frame.select("slice", "units", *values.values(), "difference", "low", "high", "p", "verdict", "conflict")


def attribute_of(topics: Any, by: str | None = None) -> dict[str, Any]:
    """The attribute of each unit: a column of the topics, or what a dict says.

    >>> frame = pl.DataFrame({"query_id": ["1", "2"], "title": ["tea", "coffee"], "length": ["1", ""]})
    >>> attribute_of(Topics.of(frame), "length")
    {'1': '1', '2': ''}
    """
    if isinstance(topics, Mapping):
        return dict(topics)
    if not isinstance(topics, Topics):
        topics = read_topics(topics) if is_file(topics) else Topics.of(topics)
    known = [column for column in topics.frame.columns if column != topics.key]
    if by not in known:
        hint = did_you_mean(str(by), known)
        raise ParameterError(f"choose an attribute of {', '.join(known)}, not {by!r}{hint}")
    return dict(zip(topics.frame[topics.key].to_list(), topics.frame[by].to_list(), strict=True))


def _labels(values: Sequence[Any]) -> list[tuple[float | str, str]]:
    """The group of each unit: its place in the order of groups, and its name."""
    known = [row for row, value in enumerate(values) if not is_absent(value)]
    numbers = _numbers([values[row] for row in known])
    labels: list[tuple[float | str, str]] = [("" if numbers is None else math.inf, NONE)] * len(values)
    if numbers is None:
        for row in known:
            labels[row] = (str(values[row]), str(values[row]))
        return labels
    if len(np.unique(numbers)) > MOST_NUMBERS:
        group = np.searchsorted(np.quantile(numbers, [0.25, 0.5, 0.75]), numbers, side="left")
    else:
        group = np.unique(numbers, return_inverse=True)[1]
    for row, number in zip(known, group.tolist(), strict=True):
        low, high = numbers[group == number].min(), numbers[group == number].max()
        labels[row] = (float(number), f"{low:g}" if low == high else f"{low:g} to {high:g}")
    return labels


def is_absent(value: Any) -> bool:
    """True if an attribute says nothing.

    >>> is_absent(""), is_absent(0)
    (True, False)
    """
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _numbers(values: Sequence[Any]) -> Floats | None:
    """The values as numbers, if all of them are; text from a file may be numbers, too."""
    if not values or any(isinstance(value, bool) for value in values):
        return None
    numbers = pl.Series([str(value) for value in values]).cast(pl.Float64, strict=False)
    return None if numbers.has_nulls() or not numbers.is_finite().all() else numbers.to_numpy()


#: Who reads a comparison of more pairs than these wants a table; sentences are for a few.
MOST_SENTENCES = 12


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """Systems compared: a finding per measure and pair, a standing per measure and system.

    >>> from assay import compare
    >>> judged = {f"q{n}": {"good": 1} for n in range(6)}
    >>> runs = {"up": {q: {"good": 2.0, "bad": 1.0} for q in judged}, "down": {q: {"bad": 2.0} for q in judged}}
    >>> comparison = compare(judged, runs, baseline="down", measures="RR")
    >>> comparison.finding().difference
    1.0
    """

    kind = "comparison"

    findings: tuple[Finding, ...]
    standings: tuple[Standing, ...]
    samples: tuple[Sample, ...]
    settings: Settings
    pairs: Pairs
    #: What was compared.
    pairing: Pairing
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        measures = ", ".join(self.measures)
        return f"<Comparison of {listed(self.systems)} by {measures}: {number_of('pair', len(self.pairs.pairs))}>"

    def __str__(self) -> str:
        """The findings in sentences, and what means count for units without a value."""
        words = [part.text for part in self.document().section("sentences").parts if isinstance(part, Prose)]
        words += [note for note in self.notes if isinstance(note, Note) and note.kind == UNDEFINED]
        return "\n".join(map(on_one_line, words))

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, in the order in which they were given."""
        return self.samples[0].systems

    def complete(self) -> Self:
        """Finish what the subject knows of each pair besides its numbers, and what the scores rest on."""
        if self.evaluation is not None:
            self.evaluation.complete()
        return self if self.is_of_many else self._finish("further_sentences")

    @property
    def is_of_many(self) -> bool:
        """True if pairs are too many for a sentence, or a row, each: a table of the systems stands for them."""
        return self.pairs.all_pairs and len(self.findings) > MOST_SENTENCES

    @cached_property
    def further_sentences(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        """The facts that the subject knows of each pair besides its numbers, in words."""
        firsts = {(each.baseline, each.system): each for each in reversed(self.findings)}
        alone = len(firsts) == 1
        return {pair: tuple(self.pairing.further_sentences(each, alone=alone)) for pair, each in firsts.items()}

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about judgments and runs, if these were compared: those of their evaluation."""
        return self.pairing.warnings

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures."""
        return tuple(sample.measure for sample in self.samples)

    @property
    def family_size(self) -> int:
        """The number of comparisons that p-values are corrected for, or that a test of all pairs covers."""
        if self.settings.test in SIMULTANEOUS:
            return math.comb(len(self.systems), 2)
        together = len(self.measures) if self.settings.family == "all" else 1
        return len(self.pairs.pairs) * together

    @property
    def correction(self) -> str:
        """The method that p-values are corrected by; empty where they are not, or one alone needs no correction."""
        return CORRECTED_BY.get(self.settings.correction, "") if self.family_size > 1 else ""

    def finding(
        self, measure: str | Measure | None = None, system: str | None = None, baseline: str | None = None
    ) -> Finding:
        """One finding; what there is only one of may be left out."""
        return select_finding(self.findings, measure, system, baseline)

    def standing(self, measure: str | Measure | None = None) -> tuple[Standing, ...]:
        """The systems under one measure, best first."""
        wanted = self.measures[0] if measure is None and len(self.measures) == 1 else str(measure)
        wanted = same_name(wanted, self.measures)
        if wanted not in self.measures:
            raise not_among("measure", measure, self.measures)
        return tuple(standing for standing in self.standings if standing.measure == wanted)

    def judge_next(
        self, n: int = 25, measure: str | Measure | None = None, system: str | None = None, baseline: str | None = None
    ) -> pl.DataFrame:
        """The unjudged documents whose judgment would change the difference most."""
        table: pl.DataFrame = self.documents.judge_next(self.finding(measure, system, baseline), n)
        return table

    def changes(
        self,
        measure: str | Measure | None = None,
        system: str | None = None,
        baseline: str | None = None,
        depth: int | None = None,
    ) -> pl.DataFrame:
        """Query by query, the documents gained, lost and moved, and their shares in the difference."""
        table: pl.DataFrame = self.documents.changes(self.finding(measure, system, baseline), depth)
        return table

    def queries(
        self, measure: str | Measure | None = None, system: str | None = None, baseline: str | None = None
    ) -> pl.DataFrame:
        """The queries (or other units) that make most of the difference first: see `MeanSample.contributions`."""
        finding = self.finding(measure, system, baseline)
        sample = self._sample(finding)
        kind = sample.unit_kind
        both = sample.only(sample.systems.index(finding.baseline), sample.systems.index(finding.system))
        table = both.contributions("query_id" if kind == "query" else kind)
        if table is None:
            made_of = f"all {several(kind)} together: no {kind} has a part of its own"
            raise ParameterError(f"{sample.measure} is made of {made_of}")
        return table

    def _sample(self, finding: Finding) -> Sample:
        return next(sample for sample in self.samples if sample.measure == finding.measure)

    def flipped(self, baseline: str | None = None, system: str | None = None) -> pl.DataFrame:
        """The items that two classifiers predict differently: fixed, broken, or changed to another mistake.

        Columns: `item_id`, `truth`, the two predictions and `change`. With one pair, the names may be left out.

        >>> from assay import Predictions, compare
        >>> old = Predictions.of([0, 1, 1, 0, 1, 0], [0, 0, 1, 0, 1, 0], name="old")
        >>> new = Predictions.of([0, 1, 1, 0, 1, 0], [0, 1, 1, 1, 1, 0], name="new")
        >>> compare([old, new], measures="Accuracy").flipped().rows()
        [('2', 1, 0, 1, 'fixed'), ('4', 0, 0, 1, 'broken')]
        """
        self.pairing.check_flips()
        if baseline is None or system is None:
            finding = self.finding(self.measures[0], system, baseline)
            baseline, system = finding.baseline, finding.system
        for name in (baseline, system):
            if name not in self.systems:
                raise not_among("system", name, self.systems)
        return self.pairing.flipped(baseline, system)

    def bounds(self) -> pl.DataFrame:
        """The lowest and highest number of each system, whatever the grades of unjudged documents.

        Where `exact` is false, other grades may lead a little further: there were too many to try them all. Measures of
        subtopics have no bounds: they are left out, and refused where there is no other measure.
        """
        table: pl.DataFrame = self.documents.bounds()
        return table

    def slices(
        self,
        topics: Topics | Mapping[str, Any],
        by: str | None = None,
        measure: str | Measure | None = None,
        system: str | None = None,
        baseline: str | None = None,
    ) -> pl.DataFrame:
        """The comparison within groups of units that share an attribute; p-values are corrected over the groups.

        The attribute is a column `by` of the topics, or what a dict says of each unit.
        """
        whole = self.finding(measure, system, baseline)
        sample = self._sample(whole)
        places = sample.systems.index(whole.baseline), sample.systems.index(whole.system)
        return slice_table(slices(sample, *places, attribute_of(topics, by)), whole, self.settings)

    def intervals(self) -> Curve:
        """The numbers with their intervals, to draw: differences from a baseline, or the systems if all were paired."""
        return intervals(self.findings, self.standings, self.pairs, self.settings)

    def chart(self) -> alt.ConcatChart:
        """The chart of `intervals`, as an Altair object; needs the extra `report`."""
        return self.intervals().chart()

    def to_frame(self) -> pl.DataFrame:
        """One row for each finding."""
        return pl.DataFrame([finding.row() for finding in self.findings], infer_schema_length=None)

    @property
    def is_complete(self) -> bool:
        """True if the judgments were declared complete, so that nothing is unjudged."""
        return self.pairing.is_complete

    @property
    def evaluation(self) -> Any:
        """The evaluation of the runs that were compared, if runs were."""
        return self.pairing.evaluation

    @cached_property
    def documents(self) -> Any:
        """The documents of two runs; refused where there are none."""
        return self.pairing.documents(self)
