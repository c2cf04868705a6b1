"""`Extraction`: how well spans were found, in all, per type and per document, and which were not."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import polars as pl

from assay.counting.confusion import Confusion
from assay.errors import ParameterError, did_you_mean, number_of
from assay.extraction.matching import Match
from assay.extraction.spans import Spans
from assay.measures import Measure, parse_measure
from assay.tabled import Tabled
from assay.tables import Scores

if TYPE_CHECKING:
    from assay.report.titled import Titled

Average: TypeAlias = Literal["micro", "macro", "documents"]

JSON_SCHEMA_VERSION = 1
MICRO, MACRO = "all (micro)", "mean of types (macro)"
_AVERAGES = ("micro", "macro", "documents")
_LISTS = ("misses", "false_alarms")
_SAID = {
    "exact": "document, start, end and type are equal",
    "type_overlap": "type and at least one character or token in common; one to one, largest overlap first",
    "overlap": "at least one character or token in common, whatever the types; one to one, largest overlap first",
}


@dataclass(frozen=True, eq=False)
class Extraction(Tabled):
    """Precision, recall and F of extracted spans; `hits`, `misses` and `false_alarms` are the spans themselves.

    `documents` and `types` are the counts: a table a document and a table a type.

    >>> from assay.extraction import extract
    >>> print(extract([("d", 0, 4, "PER"), ("d", 9, 12, "LOC")], [("d", 0, 4, "PER")]))
    type                   true  predicted  TP  FP  FN  precision  recall       F
    LOC                       1          0   0   0   1          –  0.0000  0.0000
    PER                       1          1   1   0   0     1.0000  1.0000  1.0000
    all (micro)               2          1   1   0   1     1.0000  0.5000  0.6667
    mean of types (macro)                                  1.0000  0.5000  0.5000
    <BLANKLINE>
    Match: document, start, end and type are equal.
    1 document, 2 true spans, 1 predicted.
    Precision is undefined for 1 type; the mean leaves it out.
    """

    truth: Spans
    predicted: Spans
    match: Match
    beta: float
    documents: Confusion
    types: Confusion
    hits: pl.DataFrame
    misses: pl.DataFrame
    false_alarms: pl.DataFrame
    #: What the system is called, where it stands beside others.
    name: str = "extraction"
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

    def value(self, measure: str = "F", *, type: str | None = None, average: Average = "micro") -> float:
        """Precision, recall or F: of all spans together (`micro`), of one type, the mean of types or of documents.

        Means leave out what is undefined: a type that was never predicted has no precision.

        >>> from assay.extraction import extract
        >>> extract([("d", 0, 4, "PER")], [("d", 0, 4, "PER"), ("d", 5, 6, "LOC")]).value("Precision", type="LOC")
        0.0
        """
        chosen = self._measure(measure)
        if average not in _AVERAGES:
            raise ParameterError(f"average is one of {', '.join(_AVERAGES)}, not {average!r}")
        if type is not None:
            if type not in self.types.units:
                hint = did_you_mean(type, self.types.units)
                raise ParameterError(f"choose a type of {', '.join(self.types.units)}, not {type!r}{hint}")
            return float(chosen.of(self.types)[self.types.units.index(type)])
        if average == "micro":
            return float(chosen.of(self.total)[0])
        values = chosen.of(self.types if average == "macro" else self.documents)
        defined = values[~np.isnan(values)]
        return float(defined.mean()) if len(defined) else float("nan")

    def _measure(self, name: str) -> Measure:
        wanted = parse_measure(name, "binary")
        if wanted.name == "F" and not wanted.chosen:
            return self.measures[2]
        if wanted.definition.counts is not Confusion:
            raise ParameterError(f"{name} is not computed from hits, misses and false alarms")
        return wanted

    def _numbers(self, counts: Confusion, name: str) -> pl.DataFrame:
        precision, recall, f = (measure.of(counts) for measure in self.measures)
        return pl.DataFrame(
            {
                name: list(counts.units), "true": counts.tp + counts.fn, "predicted": counts.tp + counts.fp,
                "TP": counts.tp, "FP": counts.fp, "FN": counts.fn,
                "precision": precision, "recall": recall, self._f: f,
            }
        ).with_columns(pl.col(pl.Float64).fill_nan(None))  # fmt: skip

    @property
    def _f(self) -> str:
        return "F" if self.beta == 1 else f"F(beta={self.beta:g})"

    @cached_property
    def per_type(self) -> pl.DataFrame:
        """Counts and measures, a row a type."""
        return self._numbers(self.types, "type")

    @cached_property
    def per_document(self) -> pl.DataFrame:
        """Counts and measures, a row a document."""
        return self._numbers(self.documents, "document")

    def to_frame(self) -> pl.DataFrame:
        """Counts and measures: a row a type, then all together, then the mean of types."""
        total = self._numbers(self.total, "type").with_columns(type=pl.lit(MICRO))
        mean = self.per_type.select(pl.lit(MACRO).alias("type"), pl.col("precision", "recall", self._f).mean())
        return pl.concat([self.per_type, total, mean], how="diagonal")

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
        return Scores(pl.DataFrame(columns, schema=Scores.SCHEMA))

    def showing(self, *lists: str) -> Extraction:
        """The same, with the misses or the false alarms, or both, shown below the numbers.

        >>> from assay.extraction import extract
        >>> len(extract([("d", 0, 4, "PER")], []).showing("misses").tables())
        2
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

    def to_csv(self) -> str:
        """The table of `to_frame` as CSV; if lists are shown, these instead."""
        if not self.shown:
            return super().to_csv()
        frame = self.listed()
        if "values" in frame.columns:
            frame = frame.drop("values")  # the text has them, and CSV has no lists
        return frame.write_csv()

    def to_json(self) -> str:
        """Numbers, counts, misses and false alarms; null where there is none."""
        from assay.report.layout import as_json  # noqa: PLC0415

        return as_json(
            {
                "schema_version": JSON_SCHEMA_VERSION,
                "match": self.match,
                "beta": self.beta,
                "types": self.to_frame().to_dicts(),
                "documents": self.per_document.to_dicts(),
                "misses": self.misses.to_dicts(),
                "false_alarms": self.false_alarms.to_dicts(),
                "warnings": list(self.warnings),
            }
        )

    def tables(self) -> list[Titled]:
        """What is shown: types, all, and the lists that were asked for."""
        from assay.report.extractions import tables  # noqa: PLC0415  # results reach the report inside functions only

        return tables(self)

    def lines(self) -> list[str]:
        """What the numbers rest on, in words."""
        undefined = self.per_type["precision"].null_count()
        said = [
            f"Match: {_SAID[self.match]}.",
            f"{number_of('document', len(self.documents.units))}, {number_of('true span', len(self.truth))}, "
            f"{len(self.predicted):,} predicted.",
        ]
        if undefined:
            left_out = "it" if undefined == 1 else "them"
            said.append(f"Precision is undefined for {number_of('type', undefined)}; the mean leaves {left_out} out.")
        return [*said, *self.warnings]
