"""The number of one unit taken apart, and how the numbers of several units become one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from assay.core.domains import Choice
from assay.core.errors import ParameterError, number_of
from assay.counting.confusion import Confusion
from assay.counting.confusion_matrix import ConfusionMatrix
from assay.counting.judgments import Floats
from assay.counting.policies import Policies
from assay.counting.probabilities import Probabilities
from assay.counting.ranks import Ranks
from assay.explanation.cutoffs import at_every_rank
from assay.explanation.decisions import decisions
from assay.explanation.documents import ranking, with_documents
from assay.explanation.remarks import SAMPLED, remarks
from assay.explanation.result import Explanation, OtherWay
from assay.explanation.summaries import put_together, units_table
from assay.explanation.units import only, units_of
from assay.explanation.working import (
    StepTable,
    counts_named,
    formula,
    named_parts,
    step_tables,
    with_class_names,
)
from assay.measures.curve_input import GivenCurve
from assay.measures.registry import Counts, Measure
from assay.measures.steps import PerUnit
from assay.measures.summary import Undefined, signature, summarise

#: How far down a ranking is shown where the measure has no cut-off, and so many classes, items or thresholds are.
PAGE = 20
PAGE_OF_THRESHOLDS = 30
_SUMMARIES = {"mean": "mean", "geometric": "geometric mean", "sum": "sum"}


class Shown(NamedTuple):
    """How many rows to show, the documents at all ranks if they are known, and what undefined counts as."""

    depth: int | None
    running: bool
    listing: Ranks | None = None
    undefined: Undefined = "counted_as"
    signature: str | None = None

    def ranks_of(self, measure: Measure) -> int:
        """How far down to show."""
        return self.depth or measure.parameters.get("cutoff") or PAGE

    def signature_of(self, measure: Measure, counts: Counts) -> str:
        """What the number depends on: as it was made with, or as far as the counts say."""
        if self.signature is not None:
            return self.signature
        rules: tuple[Policies | None, float] = (None, 0.0)
        if isinstance(counts, Ranks):
            rules = (counts.policies, counts.max_grade)
        return signature(measure, *rules, self.undefined)


def explained(
    measure: Measure, counts: Counts, result: PerUnit, number: int, shown: Shown, *, before: Sequence[StepTable] = ()
) -> Explanation:
    """The number of one unit; `before` are tables that come first, in place of that of the decisions.

    >>> from assay.measures import SetP
    >>> table = Confusion.from_table(1, 1, 0)
    >>> explained(SetP, table, SetP.per_unit(table), 0, Shown(None, False)).formula.numbers
    '1 / 2'
    """
    unit, alone = units_of(counts)[number], only(counts, number)
    sampled, value = not result.operands and result.steps is None and SAMPLED in result.op, float(result.values[number])
    if sampled and shown.running:
        raise ParameterError(
            f"{measure} has no closed form for tied documents, and other orders drawn for every rank would not fit its "
            "value: running needs another rule for ties than expected"
        )
    ways = {} if sampled or math.isnan(value) else _other_ways(measure, alone)
    ways = {says: way for says, way in ways.items() if way.reason(0) is None}
    results = [(result, number), *((way, 0) for way in ways.values())]
    tables = step_tables(results)
    if isinstance(alone, Ranks):
        rel = measure.parameters.get("rel")
        tables = [with_documents(table, alone, unit, shown.listing, rel) for table in tables]
        if sampled:
            tables = [StepTable("ranking", (), ranking(alone, unit, shown.listing, rel=rel), {})]
        tables = [table for table in tables if table.frame.height]
    if isinstance(alone, ConfusionMatrix | Probabilities):
        tables = [with_class_names(table, alone.labels) for table in tables]
    said = [*remarks(measure, alone, value, tables, sampled=sampled)]
    if shown.running and isinstance(alone, Ranks):
        tables, more = at_every_rank(tables, measure, alone, shown.ranks_of(measure))
        said += more
    if (parts := named_parts(result, number)) is not None:
        tables.append(parts)
    if before:
        tables[:0] = before
    elif not sampled and (table := _confusion_of(measure, alone)) is not None:
        tables.insert(0, decisions(table))
    return Explanation(
        measure=measure,
        unit="all items" if counts.unit_kind == "table" and unit == "all" else unit,
        unit_kind=counts.unit_kind,
        value=value,
        reason=result.reason(number),
        steps=tuple(tables),
        counts=tuple(counts_named(results)) if not sampled else (),
        formula=formula(result, number),
        signature=shown.signature_of(measure, counts),
        shown=shown.ranks_of(measure),
        other_ways=tuple(OtherWay(says, formula(way, 0), float(way.values[0])) for says, way in ways.items()),
        remarks=tuple(said),
        counted_as=measure.substitute if shown.undefined == "counted_as" else None,
    )


def summarised(
    measure: Measure,
    counts: Counts,
    result: PerUnit,
    shown: Shown,
    parts: tuple[Explanation, ...] = (),
    *,
    weight: Floats | None = None,
) -> Explanation:
    """How the numbers of all units become one; `weight`: what each weighs in a mean, if not all the same."""
    units, kind = units_of(counts), counts.unit_kind
    total = put_together(measure, result, shown.undefined, kind, weight=weight)
    summary = summarise(measure, result, shown.undefined)
    return Explanation(
        measure=measure,
        unit=number_of(kind, len(units)),
        unit_kind=kind,
        value=summary.value if weight is None else float(total.values[0]),
        reason=summary.reason or total.reason(0),
        steps=(units_table(measure, units, result, shown.undefined, kind, weight=weight),),
        counts=tuple(counts_named([(total, 0)])),
        formula=formula(total, 0),
        signature=shown.signature_of(measure, counts),
        shown=shown.depth or PAGE,
        parts=parts,
        summary="micro average" if measure.is_micro else _SUMMARIES[measure.definition.summary],
        undefined_units=summary.undefined,
        counted_as=measure.substitute if shown.undefined == "counted_as" else None,
    )


def _other_ways(measure: Measure, alone: Counts) -> dict[str, PerUnit]:
    """The same number made in other ways; see `also` of `@measure`."""
    if isinstance(alone, GivenCurve):
        return {}
    counts = _confusion_of(measure, alone) or alone
    return {says: way(counts, **measure.arguments) for says, way in measure.definition.also.items()}


def _confusion_of(measure: Measure, alone: Counts) -> Confusion | None:
    """The table of decisions that the measure is computed from, if it is computed from one."""
    if measure.definition.counts is not Confusion:
        return None
    if isinstance(alone, Ranks):
        return Confusion.from_ranks(alone, measure.parameters.get("rel"))
    return alone if isinstance(alone, Confusion) else None


def undefined_rule(said: Any) -> Undefined:
    """What undefined counts as, if it is one of the words for it."""
    Choice(Undefined).check("undefined", said)
    return cast("Undefined", said)
