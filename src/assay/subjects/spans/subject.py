"""Extractions as a subject: paired on the same documents, gated, and explained."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from assay.core.errors import InputError, ParameterError, argument, listed
from assay.measures.counting.confusion import Confusion
from assay.measures.parser import parse_measure
from assay.measures.registry import Measure
from assay.stats.pairing import MeasuredPairing
from assay.stats.samples import Sample
from assay.stats.weighted_samples import PooledSample
from assay.subjects.spans.counts import confusion_of
from assay.subjects.spans.evaluation import extract
from assay.subjects.spans.result import MICRO, Extraction
from assay.verbs.explanation.numbers import View, explained, number_of_unit
from assay.verbs.explanation.result import Explanation, StepTable
from assay.verbs.gating.gate import TAKES, Sides, Two, role_names
from assay.verbs.subject import Subject, Words

if TYPE_CHECKING:
    from assay.verbs.explanation.result import Place


#: What extractions are compared by unless told otherwise; the first one is the headline.
COMPARED_BY = ("F", "Precision", "Recall")
#: The keyword arguments by which spans are read and matched.
RULES = ("match", "beta")


@dataclass(frozen=True, eq=False)
class Extractions(MeasuredPairing):
    """Extractions that were held against the same true spans, paired by document; numbers are of all spans together.

    >>> from assay import extract
    >>> truth = [("d1", 0, 4, "PER"), ("d2", 9, 12, "LOC")]
    >>> old, new = extract(truth, truth[:1], name="old"), extract(truth, truth, name="new")
    >>> Extractions((old, new)).sample("Recall").observed
    array([0.5, 1. ])
    """

    systems: tuple[Extraction, ...]

    subject: ClassVar[str] = "spans"
    holds: ClassVar[str] = "spans"
    to_have_more: ClassVar[str] = "Annotate"

    @classmethod
    def of(cls, inputs: Sequence[Any], rules: Mapping[str, Any]) -> Extractions:
        """Take extractions, also by their names; or the true spans, and those of each system by its name.

        >>> truth = [("d1", 0, 4, "PER"), ("d2", 9, 12, "LOC")]
        >>> [system.name for system in Extractions.of([truth, {"half": truth[:1], "all": truth}], {}).systems]
        ['half', 'all']
        """
        flat = [value for part in inputs for value in _each(part)]
        if all(isinstance(value, Extraction) for value in flat):
            for rule in rules:
                raise ParameterError(f"{rule!r} was decided when the spans were matched: leave it out")
            return cls(tuple(flat))
        if len(inputs) != 2 or not isinstance(inputs[1], Mapping):
            raise ParameterError("give extractions, or the true spans and {name: predicted spans}")
        truth, systems = inputs
        return cls(tuple(extract(truth, spans, name=str(name), **rules) for name, spans in systems.items()))

    def __post_init__(self) -> None:
        """Refuse extractions that cannot be held against one another."""
        first, *others = self.systems
        for other in others:
            if (first.match, first.beta) != (other.match, other.beta):
                raise ParameterError(
                    f"{first.name} and {other.name} were matched by different rules: extract them alike"
                )
            if not _sorted(first).equals(_sorted(other)):
                raise InputError(f"{first.name} and {other.name} were compared with different true spans")
        names = [system.name for system in self.systems]
        if len(set(names)) < len(names):
            raise ParameterError(f"each system has a name of its own, not {listed(names)}")

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the spans."""
        return tuple(dict.fromkeys(warning for system in self.systems for warning in system.warnings))

    def measure(self, name: str | Measure) -> Measure:
        """A measure of spans."""
        return self.systems[0].measure(name)

    def usual(self) -> Sequence[str]:
        """F first."""
        return COMPARED_BY

    def undirected(self, measure: str | Measure) -> Sample:
        """The systems under one measure, which is computed from the counts of all documents together."""
        wanted = self.measure(measure)
        units = tuple(sorted(reduce(or_, (set(system.documents.units) for system in self.systems))))
        return PooledSample(
            tuple(wanted.per_unit(_on(units, system.documents)) for system in self.systems),
            systems=tuple(system.name for system in self.systems),
            units=units,
            measure=str(wanted),
            unit_kind="document",
            bounds=wanted.definition.bounds,
            direction=wanted.definition.direction,
        )

    def signatures(self, measures: Iterable[str]) -> dict[str, str]:
        """Everything that each measure's number depends on, in one line."""
        first = self.systems[0]
        return {name: f"{self.measure(name)!r}|match={first.match}|average=micro" for name in measures}


def _each(part: Any) -> list[Any]:
    """The extractions of a list, or of a dict from their names."""
    if isinstance(part, Mapping):
        named = isinstance(next(iter(part.values()), None), Extraction)
        return [replace(value, name=str(name)) for name, value in part.items()] if named else [part]
    return list(part) if isinstance(part, list | tuple) else [part]


def _sorted(extraction: Extraction) -> pl.DataFrame:
    """The true spans, wherever they were read from."""
    return extraction.truth.once.select(extraction.truth.key).sort(extraction.truth.key)


def _on(units: Sequence[str], documents: Confusion) -> Confusion:
    """The counts of these documents, in their order; a document without a span has none."""
    place = {unit: row for row, unit in enumerate(documents.units)}
    rows = np.array([place.get(unit, -1) for unit in units])
    cells = np.column_stack([documents.tp, documents.fp, documents.fn])
    return confusion_of(tuple(units), np.where(rows[:, None] < 0, 0, cells[rows]), "document")


def refuse_idle_beta(measures: Sequence[str | Measure], rules: Mapping[str, Any]) -> None:
    """Refuse the weight in F where F is not asked for.

    >>> refuse_idle_beta(["Precision"], {"beta": 2})
    Traceback (most recent call last):
        ...
    assay.core.errors.ParameterError: beta=2 has no effect on Precision: it is a weight in F
    """
    beta = rules.get("beta", 1)
    names = [str(name) for name in measures]
    if beta != 1 and not any(parse_measure(name, "binary").name == "F" for name in measures):
        raise ParameterError(f"{argument('beta', beta)} has no effect on {listed(names)}: it is a weight in F")


class SpansSubject(Subject):
    """Spans that systems found in documents, held against the true ones."""

    name = "spans"
    words = Words("extraction", "document", "extractions", "spans of documents")
    verb = "assay.subjects.spans.evaluation:extract"
    gated = "assay.subjects.spans.subject:two_extractions"
    reported = "assay.subjects.spans.report:ReportedExtractions"
    examination = "assay.subjects.spans.checks:SpansExamination"
    explained = "assay.subjects.spans.subject:explain_spans"
    rules = RULES

    def pairing(self, inputs: Sequence[Any], measures: Any, seed: int, rules: Mapping[str, Any]) -> Extractions:
        """Extractions, paired by document; or the true spans, and those of each system by its name."""
        del seed
        extractions = Extractions.of(inputs, rules)
        refuse_idle_beta(extractions.measure_names(measures), rules)
        return extractions


SPANS = SpansSubject()


def two_extractions(data: Any, two: Two, measures: Any, seed: int, rules: Mapping[str, Any]) -> Sides:
    """The baseline and the candidate, from the same documents: extractions, or spans held against the true ones.

    >>> from assay import extract
    >>> spans = [("d1", 0, 4, "PER"), ("d2", 9, 12, "LOC")]
    >>> truth = extract(spans, spans).truth
    >>> two_extractions(truth, Two(truth, {"new": truth}), None, 0, {}).pairing.sample("F").systems
    ('baseline', 'new')
    """
    inputs: list[Any]
    if _extractions(data):
        inputs = two.among(data, _extractions, "extractions")
    elif two.baseline is None or two.candidate is None:
        raise ParameterError(TAKES)
    else:
        names, spans = zip(*(_named(spans, role) for role, spans in two._asdict().items()), strict=True)
        inputs = [data, dict(zip(role_names(names), spans, strict=True))]
    return Sides.of(SPANS.pairing(inputs, measures, seed, rules), measures)


def _extractions(data: Any) -> list[Extraction]:
    listed = list(data) if isinstance(data, list | tuple) else [data]
    return listed if all(isinstance(each, Extraction) for each in listed) else []


def _named(spans: Any, role: str) -> tuple[str, Any]:
    """Spans with the name of their system: that in {name: spans}, or the role."""
    if isinstance(spans, Mapping) and len(spans) == 1:
        name, inner = next(iter(spans.items()))
        return str(name), inner
    return role, spans


def explain_spans(
    measure: str | Measure, inputs: Sequence[Any], place: Place, view: View, rules: Mapping[str, Any]
) -> Explanation:
    """Take apart a number of all spans together; or of those of one type (a label), or of one document (an item).

    >>> from assay import explain, extract
    >>> truth = [("d1", 0, 4, "PER"), ("d1", 9, 12, "LOC"), ("d2", 0, 3, "PER")]
    >>> result = extract(truth, truth[:2])
    >>> explain("Recall", result).formula.numbers, explain("Recall", result, label="PER").formula.numbers
    ('2 / 3', '1 / 2')
    """
    place.refuse("has no meaning for spans: choose a label or an item", "system", "query", "threshold")
    view.refuse_running("spans")
    for name in (name for name, value in rules.items() if value is not None):
        raise ParameterError(f"{name!r} was decided when the spans were matched: leave it out")
    extraction = inputs[0]
    label = place.label
    unit = place.item
    if not isinstance(extraction, Extraction):
        raise ParameterError("explain takes an extraction: extract(truth, predicted)")
    wanted = extraction.measure(measure)
    if label is not None and unit is not None:
        raise ParameterError("choose a type, or a document, not both")
    signature = f"{wanted!r}|match={extraction.match}"
    cells = ("TP", "FP", "FN")
    counts = extraction.total
    number = 0
    whose = "average=micro"
    frame = extraction.per_type.select("type", pl.col(cells).cast(pl.Float64))
    frame = pl.concat([frame, frame.sum().with_columns(type=pl.lit(MICRO))])
    if label is not None or unit is not None:
        counts = extraction.documents if label is None else replace(extraction.types, unit_kind="type")
        chosen = str(unit if label is None else label)
        number = number_of_unit(counts, chosen) or 0
        whose = f"{counts.unit_kind}={chosen}"
        rows = np.column_stack([counts.tp, counts.fp, counts.fn])[number].astype(np.float64)
        frame = pl.DataFrame({counts.unit_kind: chosen, **dict(zip(cells, rows.tolist(), strict=True))})
    plain = View(None, False, undefined="skip", signature=f"{signature}|{whose}")
    table = StepTable("counts", (), frame, {})
    result = explained(wanted, counts, wanted.per_unit(counts), number, plain, before=(table,))
    return view.limited(replace(result, unit="all spans") if counts is extraction.total else result)
