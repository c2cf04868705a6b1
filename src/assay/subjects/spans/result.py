"""`Extraction`: precision, recall and F of spans, with intervals, misses and false alarms."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal, Self, TypeAlias

import numpy as np
import polars as pl

from assay.core.domains import Choice
from assay.core.errors import ParameterError, did_you_mean, number_of
from assay.core.evaluation_options import Undefined
from assay.core.options import Match
from assay.core.results import Result, frame_as_csv
from assay.measures import Measure, parse_measure
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.matrices import averaged
from assay.measures.undefined import Gaps, as_asked, as_counted
from assay.stats.bootstrap import FEWEST_DRAWN, Interval
from assay.subjects.spans.counts import RedrawnDocuments, averages, by_average
from assay.subjects.spans.spans import Spans
from assay.tables import Scores

Average: TypeAlias = Literal["micro", "macro", "documents"]


MICRO, MACRO = "all (micro)", "mean of types (macro)"
_AVERAGES = ("micro", "macro", "documents")
_LISTS = ("misses", "false_alarms")


@dataclass(frozen=True, eq=False)
class Extraction(Result):
    """Precision, recall and F of extracted spans; `hits`, `misses` and `false_alarms` are the spans themselves.

    `documents` and `types` are the counts: one table per document, and one per type.

    >>> from assay.subjects.spans.evaluation import extract
    >>> print(extract([("d", 0, 4, "PER"), ("d", 9, 12, "LOC")], [("d", 0, 4, "PER")]))
    type                   true  predicted  TP  FP  FN  precision  recall      F1
    LOC                       1          0   0   0   1          –  0.0000  0.0000
    PER                       1          1   1   0   0     1.0000  1.0000  1.0000
    all (micro)               2          1   1   0   1     1.0000  0.5000  0.6667
    mean of types (macro)                                  0.5000  0.5000  0.5000
    <BLANKLINE>
    Match: document, start, end and type are equal.
    1 document, 2 true spans, 1 predicted.
    No intervals: documents are resampled, and that takes at least two with spans.
    The mean of types counts precision of type LOC as 0: nothing is predicted positive.
    """

    kind = "extraction"
    subject: ClassVar[str] = "spans"

    truth: Spans
    predicted: Spans
    match: Match
    beta: float
    documents: Confusion
    types: Confusion
    #: Hits, false alarms and misses (last axis) of each type in each document (first axis).
    cells: Ints
    hits: pl.DataFrame
    misses: pl.DataFrame
    false_alarms: pl.DataFrame
    #: What the system is called, where it stands beside others.
    name: str = "extraction"
    #: How intervals are made: their level, how often documents are drawn anew, and from which seed.
    confidence: float = 0.95
    resamples: int = 2000
    seed: int = 0
    warnings: tuple[str, ...] = ()
    #: Lists that are shown below the numbers: `misses`, `false_alarms`.
    shown: tuple[str, ...] = ()
    #: What means of types and documents do with those that have no number.
    undefined_units: Undefined = "counted_as"

    def __repr__(self) -> str:
        return f"<Extraction: {number_of('true span', len(self.truth))}, {len(self.predicted):,} predicted>"

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks apart from the numbers."""
        return self.warnings

    @property
    def measures(self) -> tuple[Measure, Measure, Measure]:
        """Precision, recall and F."""
        f = parse_measure("F", "binary")
        chosen = f if self.beta == 1 else f(beta=self.beta)
        return parse_measure("Precision", "binary"), parse_measure("Recall", "binary"), chosen

    @cached_property
    def total(self) -> Confusion:
        """All documents' counts in one table."""
        tp, fp, fn = (np.array([cell.sum()]) for cell in (self.types.tp, self.types.fp, self.types.fn))
        return Confusion(("all",), tp, fp, fn, unit_kind="table")

    def complete(self) -> Self:
        """Finish the numbers of types and documents with their intervals, and what means leave out."""
        return self._finish("_frame", "per_document", "undefined", "left_out")

    def value(self, measure: str | Measure = "F", *, type: str | None = None, average: Average = "micro") -> float:
        """Precision, recall or F: of all spans together (`micro`), of one type, the mean of types or of documents.

        A type that was never predicted has no precision, and counts as 0 in means, unless another policy was chosen;
        so does a document without a prediction. What the truth makes undefined is left out, and a document that truly
        has no span, and gets none, counts as 1 in F.

        >>> from assay.subjects.spans.evaluation import extract
        >>> extract([("d", 0, 4, "PER")], [("d", 0, 4, "PER"), ("d", 5, 6, "LOC")]).value("Precision", type="LOC")
        0.0
        """
        chosen = self.measure(measure)
        Choice(_AVERAGES).check("average", average)
        if type is None and average == "documents":
            by_document = averaged(by_average(chosen, "macro"), self.documents, undefined=self.undefined_units)
            return float(by_document.values[0])
        return float(self._averages(chosen)[self._row(type, average)])

    def interval(
        self, measure: str | Measure = "F", *, type: str | None = None, average: Literal["micro", "macro"] = "micro"
    ) -> Interval:
        """The interval of that number: by resampling documents, each with all its spans (hull of t and BCa bootstrap).

        There is none with a single document, nor where every draw gives the same number.

        >>> from assay.subjects.spans.evaluation import extract
        >>> truth = [(f"d{n}", 0, 1, "PER") for n in range(20)]
        >>> extract(truth, truth[:15]).interval("Recall")
        Interval(low=0.5, high=0.9, level=0.95, method='hull')
        """
        Choice(_AVERAGES[:2]).check("average", average)
        return self._intervals(self.measure(measure))[self._row(type, average)]

    def _row(self, type: str | None, average: str) -> int:
        """The place of a number among those of the types, of all spans and of the mean of types."""
        if type is None:
            return len(self.types.units) + _AVERAGES.index(average)
        if type not in self.types.units:
            hint = did_you_mean(type, self.types.units)
            raise ParameterError(f"choose a type of {', '.join(self.types.units)}, not {type!r}{hint}")
        return self.types.units.index(type)

    def _intervals(self, measure: Measure) -> list[Interval]:
        redrawn = self.redrawn
        if redrawn is None:
            return [Interval.unknown(self.confidence)] * (len(self.types.units) + 2)
        return self._once(
            "intervals", measure, lambda: redrawn.intervals(measure, self.confidence, self.undefined_units)
        )

    def _averages(self, measure: Measure) -> Floats:
        cells = self.cells.sum(axis=0)[None]
        policy = self.undefined_units
        return self._once("averages", measure, lambda: averages(measure, cells, policy)[0])

    @cached_property
    def redrawn(self) -> RedrawnDocuments | None:
        """Counts of documents drawn anew; None where there is one document, or nothing to count."""
        if len(self.documents.units) < 2 or not len(self.types.units):
            return None
        return RedrawnDocuments.of(self.cells, self.resamples, self.seed)

    def measure(self, name: str | Measure) -> Measure:
        """A measure by name; F is the one of this extraction, unless it says which."""
        wanted = parse_measure(name, "binary")
        if wanted.name == "F" and not wanted.chosen:
            return self.measures[2]
        if wanted.definition.counts is not Confusion:
            raise ParameterError(f"{name} is not computed from hits, misses and false alarms")
        return wanted

    def _numbers(self, counts: Confusion, name: str, undefined: Undefined = "skip") -> pl.DataFrame:
        return pl.DataFrame(
            {
                name: pl.Series(counts.units, dtype=pl.String),
                "true": counts.tp + counts.fn, "predicted": counts.tp + counts.fp,
                "TP": counts.tp, "FP": counts.fp, "FN": counts.fn,
                **{
                    called: as_asked(measure, measure.per_unit(counts), undefined).values
                    for called, measure in self._named
                },
            }
        ).fill_nan(None)  # fmt: skip

    @property
    def titles(self) -> dict[str, str]:
        """The printed names of the measures whose columns are called otherwise."""
        return {called: str(measure) for called, measure in self._named if called.startswith("F")}

    @property
    def _named(self) -> list[tuple[str, Measure]]:
        """The measures by what their columns are called."""
        f = "F" if self.beta == 1 else f"F(beta={self.beta:g})"
        return list(zip(("precision", "recall", f), self.measures, strict=True))

    @cached_property
    def per_type(self) -> pl.DataFrame:
        """Counts and measures, one row per type."""
        return self._numbers(self.types, "type", self.undefined_units)

    @cached_property
    def per_document(self) -> pl.DataFrame:
        """Counts and measures, one row per document."""
        return self._numbers(self.documents, "document", self.undefined_units)

    def to_frame(self) -> pl.DataFrame:
        """Counts and measures per type, then of all together, then the mean of types; last the ends of intervals."""
        return self._frame

    @cached_property
    def _frame(self) -> pl.DataFrame:
        total = self._numbers(self.total, "type", self.undefined_units).with_columns(type=pl.lit(MICRO))
        means = {name: self._averages(measure)[-1] for name, measure in self._named}
        mean = pl.DataFrame({"type": MACRO, **means})
        ends: dict[str, list[float]] = {}
        for name, measure in self._named:
            intervals = self._intervals(measure)
            ends |= {
                f"{name}_low": [interval.low for interval in intervals],
                f"{name}_high": [interval.high for interval in intervals],
            }
        frame = pl.concat([self.per_type, total, mean], how="diagonal")
        return frame.hstack(pl.DataFrame(ends)).fill_nan(None)

    @cached_property
    def undefined(self) -> dict[str, str]:
        """The reason why a measure of all spans together has no number, where it has none.

        >>> from assay.subjects.spans.evaluation import extract
        >>> extract({"d": []}, {"d": []}).undefined["recall"]
        'nothing is positive'
        """
        reasons = {name: measure.per_unit(self.total).reasons()[0] for name, measure in self._named}
        return {name: reason for name, reason in reasons.items() if reason}

    @cached_property
    def left_out(self) -> dict[str, list[str]]:
        """The types for which a measure is undefined, and that the mean of types leaves out, by measure.

        >>> from assay.subjects.spans.evaluation import extract
        >>> extract([("d", 0, 4, "PER")], [("d", 0, 4, "PER"), ("d", 5, 6, "LOC")]).left_out
        {'recall': ['LOC']}
        """
        return {name: list(gaps.left_out) for name, gaps in self.gaps.items() if gaps.left_out}

    @cached_property
    def gaps(self) -> dict[str, Gaps]:
        """The types for which a measure is undefined: what their mean counts them as, or that it leaves them out.

        >>> from assay.subjects.spans.evaluation import extract
        >>> extract([("d", 0, 4, "PER"), ("d", 5, 6, "LOC")], [("d", 0, 4, "PER")]).gaps["precision"][:3]
        ('type', ('LOC',), 0.0)
        """
        results = {name: (measure, measure.per_unit(self.types)) for name, measure in self._named}
        return {
            name: Gaps.of(
                "type", self.types.units, result, as_counted(measure, self.types, result, self.undefined_units)
            )
            for name, (measure, result) in results.items()
        }

    @cached_property
    def scores(self) -> Scores:
        """The measures of each document, as `compare` takes them."""
        units = self.documents.units
        rows = [
            Scores.rows(self.name, measure, "document", units, measure.per_unit(self.documents))
            for measure in self.measures
        ]
        return Scores(pl.concat(rows), {str(measure): measure.definition.direction for measure in self.measures})

    def showing(self, *lists: str) -> Extraction:
        """The same, with the misses or the false alarms, or both, shown below the numbers.

        >>> from assay.subjects.spans.evaluation import extract
        >>> list(extract([("d", 0, 4, "PER")], []).showing("misses").document().tables())
        ['types', 'misses']
        """
        for name in lists:
            if name not in _LISTS:
                raise ParameterError(f"choose of {', '.join(_LISTS)}, not {name!r}")
        shown = copy(self)  # with all that was computed
        object.__setattr__(shown, "shown", lists)
        return shown

    def listed(self) -> pl.DataFrame:
        """Misses and false alarms in one table, the first column saying which."""
        parts = [
            frame.select(pl.lit(name).alias("list"), pl.all())
            for name, frame in (("miss", self.misses), ("false alarm", self.false_alarms))
            if ("misses" if name == "miss" else "false_alarms") in (self.shown or _LISTS)
        ]
        return pl.concat(parts)

    def to_csv(self, *, spreadsheet: bool = False) -> str:
        """The table of `to_frame` as CSV; if lists are shown, these instead; for a `spreadsheet`, without formulas."""
        if not self.shown:
            return super().to_csv(spreadsheet=spreadsheet)
        # The text has the values, and CSV has no lists.
        return frame_as_csv(self.listed().drop("values", strict=False), spreadsheet=spreadsheet)

    @property
    def draws(self) -> int:
        """The number of resamples: fewer than asked for where documents are very many."""
        return 0 if self.redrawn is None or self.interval_method == "t" else len(self.redrawn.drawn)

    @property
    def interval_method(self) -> str:
        """The way intervals are made: few documents are too few to resample."""
        return "t" if len(self.documents.units) < FEWEST_DRAWN else "hull"
