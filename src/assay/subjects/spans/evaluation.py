"""`extract`: true and predicted spans -> an `Extraction`, with intervals over documents drawn anew."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from scipy import sparse

from assay.core.domains import Choice, Real, Whole
from assay.core.errors import InputError, ParameterError, did_you_mean, listed, number_of
from assay.core.results import Result, frame_as_csv
from assay.files.sources import Source, is_file
from assay.measures import Measure, parse_measure
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.matrices import averaged
from assay.stats.bootstrap import FEWEST_DRAWN, Interval, intervals, pattern_weights
from assay.stats.estimates import checked_confidence
from assay.subjects.spans.span_files import read_spans, read_truth_and_predicted, spans_in
from assay.subjects.spans.spans import Match, Spans, matched, rows_of
from assay.tables import Scores
from assay.tables.named_columns import NamedColumns, is_frame
from assay.tables.roles import ColumnNames, named_by

#: What drawing anew may cost: so many numbers are drawn at most ...
_DRAWS = 100_000_000
#: ... but not fewer resamples than this, from which the ends of an interval can still be told.
_FEWEST = 200
#: Drawing how many documents of a kind there are, and measuring a type, take as long as drawing so many documents.
_COST_OF_A_COUNT, _COST_OF_A_TYPE = 20, 30


def cells_of(
    documents: Sequence[str], types: Sequence[str], hits: pl.DataFrame, alarms: pl.DataFrame, misses: pl.DataFrame
) -> Ints:
    """Hits, false alarms and misses (last axis) of each type in each document (first axis)."""
    row, column = ({name: place for place, name in enumerate(names)} for names in (documents, types))
    shape = (len(documents), len(types), 3)
    places = [
        (row[document] * len(types) + column[kind]) * 3 + which
        for which, frame in enumerate((hits, alarms, misses))
        for document, kind in frame.select("document", "type").iter_rows()
    ]
    counted: Ints = np.bincount(np.array(places, dtype=np.int64), minlength=int(np.prod(shape))).astype(np.int64)
    return counted.reshape(shape)


def averages(measure: Measure, cells: Floats | Ints) -> Floats:
    """A measure's numbers for each table (row): of each type, then of all spans (micro), then the mean of types."""
    units, names = (tuple(map(str, range(size))) for size in (len(cells), cells.shape[0] * cells.shape[1]))
    classes = confusion_of(names, cells.reshape(-1, 3), "class")
    both = [averaged(by_average(measure, average), classes, units).values for average in ("micro", "macro")]
    return np.column_stack([measure.of(classes).reshape(cells.shape[:2]), *both])


def confusion_of(units: tuple[str, ...], cells: Floats | Ints, unit_kind: str) -> Confusion:
    """Hits, false alarms and misses (columns) of each unit (row) as a table each."""
    hits, alarms, misses = cells.T
    return Confusion(units, hits, alarms, misses, unit_kind=unit_kind)


def by_average(measure: Measure, average: str) -> Measure:
    """The measure with this average; counts, such as TP, have none: they are added up."""
    return measure(average=average) if "average" in measure.parameters else measure


class RedrawnDocuments(NamedTuple):
    """Counts as other documents would have given them.

    `total` is what there is, `drawn` holds the tables of the resamples, and `without` those without one document of
    each kind; documents with the same counts are of one kind, and there are `counts` of them.
    """

    total: Ints
    drawn: Floats
    without: Ints
    counts: Ints

    @classmethod
    def of(cls, cells: Ints, resamples: int, seed: int) -> RedrawnDocuments:
        """Draw documents anew, as often as asked for, or fewer times where they are very many.

        >>> cells = np.array([[[1, 0, 0]], [[0, 1, 1]], [[1, 0, 0]]])
        >>> RedrawnDocuments.of(cells, resamples=4, seed=0).drawn.shape
        (4, 1, 3)
        """
        documents, shape = len(cells), cells.shape[1:]
        kinds, counts = np.unique(cells.reshape(documents, -1), axis=0, return_counts=True)
        cost = max(min(_COST_OF_A_COUNT * len(kinds), documents), _COST_OF_A_TYPE * shape[0])
        fewer = min(resamples, max(_FEWEST, _DRAWS // cost))
        # Of many types, a document has few.
        filled = sparse.csr_array(kinds.T.astype(np.float64))
        blocks = [(filled @ weights.T).T for weights in pattern_weights(counts, fewer, seed, cells=kinds.shape[1])]
        total = cells.sum(axis=0)
        return cls(total, np.concatenate(blocks).reshape(-1, *shape), total - kinds.reshape(-1, *shape), counts)

    def intervals(self, measure: Measure, confidence: float) -> list[Interval]:
        """The interval of each type's number, of all spans, and of the mean of types.

        There is none where every resample has the same number, which is not to say that the number is certain.
        """
        observed, resampled, without = (
            averages(measure, cells) for cells in (self.total[None], self.drawn, self.without)
        )
        rows = []
        for row, value in enumerate(observed[0].tolist()):
            interval = Interval.unknown(confidence)
            if _varies(resampled[:, row]):
                interval, *_ = intervals(resampled[:, row], value, without[:, row], [confidence], counts=self.counts)
            rows.append(interval.within(measure.definition.bounds))
        return rows


def _varies(values: Floats) -> bool:
    known = values[~np.isnan(values)]
    return bool(len(known)) and float(np.ptp(known)) > 0


Average: TypeAlias = Literal["micro", "macro", "documents"]

MICRO, MACRO = "all (micro)", "mean of types (macro)"

_AVERAGES = ("micro", "macro", "documents")

_LISTS = ("misses", "false_alarms")


@dataclass(frozen=True, eq=False)
class Extraction(Result):
    """Precision, recall and F of extracted spans; `hits`, `misses` and `false_alarms` are the spans themselves.

    `documents` and `types` are the counts: a table a document and a table a type.

    >>> from assay.subjects.spans.evaluation import extract
    >>> print(extract([("d", 0, 4, "PER"), ("d", 9, 12, "LOC")], [("d", 0, 4, "PER")]))
    type                   true  predicted  TP  FP  FN  precision  recall       F
    LOC                       1          0   0   0   1          –  0.0000  0.0000
    PER                       1          1   1   0   0     1.0000  1.0000  1.0000
    all (micro)               2          1   1   0   1     1.0000  0.5000  0.6667
    mean of types (macro)                                  1.0000  0.5000  0.5000
    <BLANKLINE>
    Match: document, start, end and type are equal.
    1 document, 2 true spans, 1 predicted.
    No intervals: they are made by drawing documents anew, of which it takes two, with spans.
    The mean of types leaves out type LOC, where precision is undefined.
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

    def __repr__(self) -> str:
        return f"<Extraction: {number_of('true span', len(self.truth))}, {len(self.predicted):,} predicted>"

    @property
    def notes(self) -> tuple[str, ...]:
        """What is worth a remark, apart from the numbers."""
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

    def value(self, measure: str | Measure = "F", *, type: str | None = None, average: Average = "micro") -> float:
        """Precision, recall or F: of all spans together (`micro`), of one type, the mean of types or of documents.

        Means leave out what is undefined: a type that was never predicted has no precision.

        >>> from assay.subjects.spans.evaluation import extract
        >>> extract([("d", 0, 4, "PER")], [("d", 0, 4, "PER"), ("d", 5, 6, "LOC")]).value("Precision", type="LOC")
        0.0
        """
        chosen = self.measure(measure)
        Choice(_AVERAGES).check("average", average)
        if type is None and average == "documents":
            return float(averaged(by_average(chosen, "macro"), self.documents).values[0])
        return float(averages(chosen, self.cells.sum(axis=0)[None])[0, self._row(type, average)])

    def interval(
        self, measure: str | Measure = "F", *, type: str | None = None, average: Literal["micro", "macro"] = "micro"
    ) -> Interval:
        """How sure that number is: by drawing documents anew, each with all its spans (hull of t and BCa bootstrap).

        There is none with a single document, nor where every draw gives the same number.

        >>> from assay.subjects.spans.evaluation import extract
        >>> truth = [(f"d{n}", 0, 1, "PER") for n in range(20)]
        >>> extract(truth, truth[:15]).interval("Recall")
        Interval(low=0.5, high=0.9, level=0.95, method='hull')
        """
        Choice(_AVERAGES[:2]).check("average", average)
        return self._intervals(self.measure(measure))[self._row(type, average)]

    def _row(self, type: str | None, average: str) -> int:
        """Where a number stands among those of the types, of all spans and of the mean of types."""
        if type is None:
            return len(self.types.units) + _AVERAGES.index(average)
        if type not in self.types.units:
            hint = did_you_mean(type, self.types.units)
            raise ParameterError(f"choose a type of {', '.join(self.types.units)}, not {type!r}{hint}")
        return self.types.units.index(type)

    def _intervals(self, measure: Measure) -> list[Interval]:
        if self.redrawn is None:
            return [Interval.unknown(self.confidence)] * (len(self.types.units) + 2)
        return self.redrawn.intervals(measure, self.confidence)

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

    def _numbers(self, counts: Confusion, name: str) -> pl.DataFrame:
        return pl.DataFrame(
            {
                name: pl.Series(counts.units, dtype=pl.String),
                "true": counts.tp + counts.fn, "predicted": counts.tp + counts.fp,
                "TP": counts.tp, "FP": counts.fp, "FN": counts.fn,
                **{called: measure.of(counts) for called, measure in self._named},
            }
        ).with_columns(pl.col(pl.Float64).fill_nan(None))  # fmt: skip

    @property
    def _named(self) -> list[tuple[str, Measure]]:
        """The measures by what their columns are called."""
        f = "F" if self.beta == 1 else f"F(beta={self.beta:g})"
        return list(zip(("precision", "recall", f), self.measures, strict=True))

    @cached_property
    def per_type(self) -> pl.DataFrame:
        """Counts and measures, a row a type."""
        return self._numbers(self.types, "type")

    @cached_property
    def per_document(self) -> pl.DataFrame:
        """Counts and measures, a row a document."""
        return self._numbers(self.documents, "document")

    def to_frame(self) -> pl.DataFrame:
        """Counts and measures: a row a type, then all together, then the mean of types; last the ends of intervals."""
        return self._frame

    @cached_property
    def _frame(self) -> pl.DataFrame:
        total = self._numbers(self.total, "type").with_columns(type=pl.lit(MICRO))
        means = {name: averages(measure, self.cells.sum(axis=0)[None])[0, -1] for name, measure in self._named}
        mean = pl.DataFrame({"type": MACRO, **means})
        ends: dict[str, list[float]] = {}
        for name, measure in self._named:
            intervals = self._intervals(measure)
            ends |= {
                f"{name}_low": [interval.low for interval in intervals],
                f"{name}_high": [interval.high for interval in intervals],
            }
        frame = pl.concat([self.per_type, total, mean], how="diagonal")
        return frame.hstack(pl.DataFrame(ends)).with_columns(pl.col(pl.Float64).fill_nan(None))

    @cached_property
    def undefined(self) -> dict[str, str]:
        """Why a measure of all spans together has no number, where it has none.

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
        >>> extract([("d", 0, 4, "PER"), ("d", 5, 6, "LOC")], [("d", 0, 4, "PER")]).left_out
        {'precision': ['LOC']}
        """
        absent = {name: self.per_type.filter(pl.col(name).is_null())["type"].to_list() for name, _ in self._named}
        return {name: types for name, types in absent.items() if types}

    @cached_property
    def scores(self) -> Scores:
        """The measures of each document, as `compare` takes them."""
        columns: dict[str, list[Any]] = {name: [] for name in Scores.SCHEMA}
        for measure in self.measures:
            result = measure.per_unit(self.documents)
            units = len(self.documents.units)
            columns["system"] += [self.name] * units
            columns["measure"] += [str(measure)] * units
            columns["unit_kind"] += ["document"] * units
            columns["unit"] += self.documents.units
            columns["value"] += [None if np.isnan(value) else float(value) for value in result.values]
            columns["undefined"] += result.reasons()
        directions = {str(measure): measure.definition.direction for measure in self.measures}
        return Scores(pl.DataFrame(columns, schema=Scores.SCHEMA), directions)

    def showing(self, *lists: str) -> Extraction:
        """The same, with the misses or the false alarms, or both, shown below the numbers.

        >>> from assay.subjects.spans.evaluation import extract
        >>> list(extract([("d", 0, 4, "PER")], []).showing("misses").document().tables())
        ['types', 'misses']
        """
        for name in lists:
            if name not in _LISTS:
                raise ParameterError(f"choose of {', '.join(_LISTS)}, not {name!r}")
        return dataclasses.replace(self, shown=lists)

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
        """How often documents were drawn anew: fewer times than asked for where they are very many."""
        return 0 if self.redrawn is None or self.interval_method == "t" else len(self.redrawn.drawn)

    @property
    def interval_method(self) -> str:
        """How intervals are made: few documents are too few to draw anew."""
        return "t" if len(self.documents.units) < FEWEST_DRAWN else "hull"


def extract(
    truth: Any,
    predicted: Any = None,
    *,
    match: Match = "exact",
    beta: float = 1.0,
    name: str | None = None,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    columns: ColumnNames = None,
) -> Extraction:
    """Precision, recall and F of extracted spans or tuples, in all, per type and per document.

    `truth` and `predicted` are files, data frames, `Spans`, or rows `(document, start, end, type)`; one file may have
    both. `columns`: which columns of these have which role, as in `columns={"start": "Von"}`. `match` says when a
    predicted span is the true one:

    - `exact`: document, start, end and type are equal (of tuples: document, values and type);
    - `type_overlap`: same document, same type, and at least one character (or token) in common;
    - `overlap`: same document and at least one character in common, whatever the types.

    A true span matches one predicted span at most, and the other way round. By overlap, pairs are made one by one in
    the order of what they have in common, largest first; of equal overlaps those of equal type come first, then the
    true span that is earlier in the text, then the predicted one. A hit counts for the type of the true span, a miss
    likewise; a false alarm counts for the type that was predicted. `name` is what the system is called.

    Intervals of this `confidence` are made by drawing documents anew, so many `resamples` of them, from `seed`.

    >>> result = extract([("d", 0, 4, "PER"), ("d", 9, 12, "LOC")], [("d", 0, 4, "PER"), ("d", 8, 12, "LOC")])
    >>> result.value("Precision"), result.misses["type"].to_list()
    (0.5, ['LOC'])
    >>> extract(result.truth, result.predicted, match="type_overlap").value("F")
    1.0
    """
    Choice(Match).check("match", match)
    Real(0.0, inside=True, infinite=True).check("beta", beta)
    confidence = checked_confidence(confidence)
    resamples, seed = Whole(1).check("resamples", resamples), Whole(0).check("seed", seed)
    with named_by(columns):
        gold, guesses = _alike(*_given(truth, predicted))
    pairs = matched(gold, guesses, match)
    hit, called = [row for row, _ in pairs], [other for _, other in pairs]
    missed = sorted(set(range(len(gold))) - set(hit))
    false = sorted(set(range(len(guesses))) - set(called))
    hits, misses, alarms = rows_of(gold.once, hit), rows_of(gold.once, missed), rows_of(guesses.once, false)
    units = tuple(
        dict.fromkeys([*gold.documents, *guesses.documents, *gold.once["document"], *guesses.once["document"]])
    )
    if not units:
        raise InputError("there is no document, and no span, neither a true nor a predicted one")
    kinds = tuple(sorted({*gold.once["type"].to_list(), *guesses.once["type"].to_list()}))
    cells = cells_of(units, kinds, hits, alarms, misses)
    return Extraction(
        truth=gold,
        predicted=guesses,
        match=match,
        beta=float(beta),
        documents=confusion_of(units, cells.sum(axis=1), "document"),
        types=confusion_of(kinds, cells.sum(axis=0), "class"),
        cells=cells,
        hits=_beside(hits, rows_of(guesses.once, called)),
        misses=misses,
        false_alarms=alarms,
        name=name or _called(truth if predicted is None else predicted),
        confidence=confidence,
        resamples=resamples,
        seed=seed,
        warnings=(
            *gold.warnings,
            *guesses.warnings,
            *_repeated(gold, "true"),
            *_repeated(guesses, "predicted"),
            *_on_one_side(gold, guesses),
        ),
    )


def _given(truth: Any, predicted: Any) -> tuple[Spans, Spans]:
    files = [isinstance(source, Source) or is_file(source) for source in (truth, predicted)]
    if files[0] and (files[1] or predicted is None):
        return read_truth_and_predicted(truth, predicted)
    if predicted is None:
        raise ParameterError("give the predicted spans, too: extract(truth, predicted)")
    gold = read_spans(truth) if files[0] else _in_memory(truth)
    return gold, read_spans(predicted, may_be_empty=True) if files[1] else _in_memory(predicted)


def _in_memory(data: Any) -> Spans:
    return spans_in(NamedColumns.of(data, "spans")) if is_frame(data) else Spans.of(data)


def _alike(gold: Spans, guesses: Spans) -> tuple[Spans, Spans]:
    """No spans are no tuples as well: an empty side is of the form of the other."""
    if not len(guesses):
        return gold, replace(guesses, frame=gold.frame.clear())
    return (gold, guesses) if len(gold) else (replace(gold, frame=guesses.frame.clear()), guesses)


def _called(source: Any) -> str:
    """What a system is called: the file's name, if it is one."""
    if isinstance(source, str | os.PathLike):
        source = Source(source) if source != "-" else None
    return source.stem if isinstance(source, Source) else "extraction"


def _beside(hits: pl.DataFrame, frame: pl.DataFrame) -> pl.DataFrame:
    """True spans, and beside each the predicted one that it was matched with."""
    renamed = frame.drop("document").rename(lambda name: f"predicted_{name}")
    return pl.concat([hits, renamed], how="horizontal")


def _repeated(spans: Spans, which: str) -> tuple[str, ...]:
    if not spans.repeated:
        return ()
    return (f"{spans.origin}: {number_of(f'{which} span', spans.repeated)} given again, counted once",)


def _on_one_side(gold: Spans, spans: Spans) -> Iterator[str]:
    """Documents whose spans have nothing to be matched with: the other side does not know of them."""
    if not len(gold) or not len(spans):
        return
    ours, theirs = (dict.fromkeys([*side.documents, *side.once["document"]]) for side in (gold, spans))
    if not ours.keys() & theirs.keys():
        names = f"{listed(list(ours))} in the truth, {listed(list(theirs))} in the predictions"
        yield f"no document is on both sides: {names}"
        return
    for side, others, where, become in (
        (gold, theirs, "of the truth without predictions", "misses"),
        (spans, ours, "of the predictions unknown to the truth", "false alarms"),
    ):
        alone = [document for document in dict.fromkeys(side.once["document"]) if document not in others]
        if alone:
            names = ", ".join(alone[:3]) + (", …" if len(alone) > 3 else "")
            yield f"{number_of('document', len(alone))} {where} ({names}): all spans there are {become}"
