"""A number of a measure, taken apart: its formula in words and in numbers, and the steps behind it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np
import polars as pl

from assay.core.domains import Choice
from assay.core.errors import ParameterError, did_you_mean, listed, number_of
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.confusion_matrix import ConfusionMatrix, Orientation
from assay.measures.counting.judgments import Floats
from assay.measures.counting.policies import Policies
from assay.measures.counting.probabilities import Probabilities
from assay.measures.counting.ranks import Ranks
from assay.measures.curve_input import GivenCurve
from assay.measures.curve_points import roc_points, trivial
from assay.measures.registry import Counts, Measure
from assay.measures.roc_area import AUC
from assay.measures.steps import PerUnit
from assay.measures.summary import Undefined, signature, summarise
from assay.verbs.explanation.documents import at_every_rank, ranking, with_documents
from assay.verbs.explanation.result import (
    Explanation,
    OtherWay,
    StepTable,
    counts_named,
    formula,
    named_parts,
    step_tables,
    with_class_names,
)
from assay.verbs.explanation.summaries import put_together


def units_of(counts: Counts) -> tuple[str, ...]:
    """The names of the units."""
    return counts.queries if isinstance(counts, Ranks) else counts.units


def number_of_unit(counts: Counts, query: str | None) -> int | None:
    """The place of a query; None if all of several are meant. A query that is not there is refused, with the reason.

    >>> number_of_unit(Confusion.from_table(1, 1, 1), None)
    0
    """
    units = units_of(counts)
    if query is None:
        return 0 if len(units) == 1 else None
    if query in units:
        return units.index(query)
    if isinstance(counts, Ranks) and query in counts.left_out:
        raise ParameterError(f"query {query!r} is judged, but the run has nothing for it: missing='skip' leaves it out")
    kind = f"an {counts.unit_kind}" if counts.unit_kind == "item" else f"a {counts.unit_kind}"
    raise ParameterError(f"choose {kind} of {listed(units)}, not {query!r}{did_you_mean(query, units)}")


def only(counts: Counts, number: int) -> Counts:
    """The counts of one unit alone.

    >>> only(Ranks.from_grades([1], [0, 1]), 1).queries
    ('q2',)
    """
    if isinstance(counts, Ranks):
        return counts.only(np.arange(len(counts.queries)) == number)
    unit = (counts.units[number],)
    if isinstance(counts, Confusion):
        rows = slice(number, number + 1)
        tn = None if counts.tn is None else counts.tn[rows]
        return Confusion(unit, counts.tp[rows], counts.fp[rows], counts.fn[rows], tn, counts.unit_kind)
    if isinstance(counts, Probabilities):
        rows = slice(number, number + 1)
        weight = None if counts.weight is None else counts.weight[rows]
        ids = None if counts.item_id is None else counts.item_id[rows]
        return replace(counts, truth=counts.truth[rows], scores=counts.scores[rows], weight=weight, item_id=ids)
    if not isinstance(counts, GivenCurve):
        return counts  # one number for the whole table: there is nothing to take apart
    points = counts.points.where(counts.points.unit == number)
    return GivenCurve(unit, replace(points, unit=np.zeros_like(points.unit), units=1))


SAMPLED = "orders of ties"


def remarks(
    measure: Measure, counts: Counts, value: float, tables: Sequence[StepTable] = (), *, sampled: bool = False
) -> Iterator[str]:
    """Remarks on the number of one unit.

    >>> from assay.measures import IPrec
    >>> list(remarks(IPrec(recall=0.8), Ranks.from_grades([1], judged=[[1]]), 0.0))
    ['a recall of 0.8 is never reached: there is no precision to look at, and it counts as 0']
    """
    yield from _never_reached(measure, counts, value)
    if not isinstance(counts, Ranks):
        return
    if not counts.in_run[0]:
        yield "the run has nothing for this query: it counts as an empty result (missing=zero)"
    if sampled:
        yield (
            "there is no closed form for tied documents: their order is drawn at random, again and again; "
            "another rule than expected for ties shows the steps of one order"
        )
    elif counts.hits.averaged and (counts.hits.tie_last > counts.hits.tie_first).any():
        yield (
            "documents with equal scores share their ranks (tied_ranks, in the order of the file): "
            "a step is the mean over all orders"
        )
    if counts.judgments is None and any(table.says == "ideal" for table in tables):
        yield from _not_in_the_list(counts)
    size = counts.policies.collection_size
    if measure.name == AUC.name and size is not None:
        curve = roc_points(counts, 0, measure.parameters["unretrieved"])
        yield from trivial({counts.queries[0]: [curve]}, size)


def _never_reached(measure: Measure, counts: Counts, value: float) -> Iterator[str]:
    """A precision at a recall that no rank, or no point, has."""
    recall = measure.parameters.get("recall", 0.0)
    if value != 0 or not recall:
        return
    # A document found has a precision above 0; a point that somebody gives need not have.
    if not isinstance(counts, GivenCurve) or counts.points["recall"].max() < recall:
        yield f"a recall of {recall:g} is never reached: there is no precision to look at, and it counts as 0"


def _not_in_the_list(ranks: Ranks) -> Iterator[str]:
    """Documents that somebody said there are: the ideal ranking has them, and a list of grades does not show them."""
    rest = Counter(ranks.ideal.grade.tolist()) - Counter(ranks.hits.grade.tolist())
    there = [f"{number_of('document', count)} of grade {grade:g}" for grade, count in sorted(rest.items())[::-1]]
    if there:
        yield f"not in the list, but there for the ideal ranking: {', '.join(there)}"


#: What rows and columns are called: of documents, and of items.
_OF_DOCUMENTS = ("documents", "relevant", "irrelevant", "retrieved", "not_retrieved")
_OF_ITEMS = ("truth", "positive", "negative", "predicted positive", "predicted negative")


def decisions(table: Confusion) -> StepTable:
    """The four cells of one unit, with their margins; what needs the true negatives is empty if nobody counted them.

    >>> decisions(Confusion.from_table(4, 6, 4)).frame["retrieved"].to_list()
    [4.0, 6.0, 10.0]
    """
    tp, fp, fn = (float(cell[0]) for cell in (table.tp, table.fp, table.fn))
    tn = math.nan if table.tn is None else float(table.tn[0])
    rows, yes, no, chosen, left = _OF_DOCUMENTS if table.unit_kind == "query" else _OF_ITEMS
    cells = {
        rows: [yes, no, "all"],
        chosen: [tp, fp, tp + fp],
        left: [fn, tn, fn + tn],
        "all": [tp + fn, fp + tn, tp + fp + fn + tn],
    }
    return StepTable("decisions", (), pl.DataFrame(cells).with_columns(pl.col(pl.Float64).fill_nan(None)), {})


def matrix_table(matrix: ConfusionMatrix, title: str, orientation: Orientation = "rows_are_true") -> StepTable:
    """A matrix with its margins, rows and columns labelled.

    >>> made = matrix_table(ConfusionMatrix.from_matrix([[3, 1], [0, 4]], ["a", "b"]), "matrix")
    >>> made.frame.columns, made.frame.row(2)
    (['truth', 'predicted a', 'predicted b', 'all'], ('all', 3.0, 5.0, 8.0))
    """
    frame = matrix.to_frame(orientation)
    names = frame.columns[0]
    cells = frame.select(pl.exclude(names).cast(pl.Float64))
    cells = cells.with_columns(all=pl.sum_horizontal(pl.all()))
    cells = pl.concat([cells, cells.sum()])
    return StepTable(title, (), cells.select(pl.Series(names, [*frame[names], "all"]), pl.all()), {})


#: How far down a ranking is shown where the measure has no cut-off, and so many classes, items or thresholds are.
PAGE = 20
PAGE_OF_THRESHOLDS = 30
_SUMMARIES = {"mean": "mean", "geometric": "geometric mean", "sum": "sum"}


class View(NamedTuple):
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
    measure: Measure, counts: Counts, result: PerUnit, number: int, view: View, *, before: Sequence[StepTable] = ()
) -> Explanation:
    """The number of one unit; `before` are tables that come first, in place of that of the decisions.

    >>> from assay.measures import SetP
    >>> table = Confusion.from_table(1, 1, 0)
    >>> explained(SetP, table, SetP.per_unit(table), 0, View(None, False)).formula.numbers
    '1 / 2'
    """
    unit, alone = units_of(counts)[number], only(counts, number)
    sampled, value = not result.operands and result.steps is None and SAMPLED in result.op, float(result.values[number])
    if sampled and view.running:
        raise ParameterError(
            f"{measure} has no closed form for tied documents, and other orders drawn for every rank would not fit its "
            "value: running needs another rule for ties than expected"
        )
    ways = {} if sampled or math.isnan(value) else _other_ways(measure, alone)
    ways = {name: way for name, way in ways.items() if way.reason(0) is None}
    results = [(result, number), *((way, 0) for way in ways.values())]
    tables = step_tables(results)
    if isinstance(alone, Ranks):
        rel = measure.parameters.get("rel")
        tables = [with_documents(table, alone, unit, view.listing, rel) for table in tables]
        if sampled:
            tables = [StepTable("ranking", (), ranking(alone, unit, view.listing, rel=rel), {})]
        tables = [table for table in tables if table.frame.height]
    if isinstance(alone, ConfusionMatrix | Probabilities):
        tables = [with_class_names(table, alone.labels) for table in tables]
    notes = [*remarks(measure, alone, value, tables, sampled=sampled)]
    if view.running and isinstance(alone, Ranks):
        tables, more = at_every_rank(tables, measure, alone, view.ranks_of(measure))
        notes += more
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
        signature=view.signature_of(measure, counts),
        shown=view.ranks_of(measure),
        other_ways=tuple(OtherWay(name, formula(way, 0), float(way.values[0])) for name, way in ways.items()),
        remarks=tuple(notes),
        counted_as=measure.substitute if view.undefined == "counted_as" else None,
    )


def summarised(
    measure: Measure,
    counts: Counts,
    result: PerUnit,
    view: View,
    parts: tuple[Explanation, ...] = (),
    *,
    weight: Floats | None = None,
) -> Explanation:
    """How the numbers of all units become one; `weight`: what each weighs in a mean, if not all the same."""
    units, kind = units_of(counts), counts.unit_kind
    total, table = put_together(measure, units, result, view.undefined, kind, weight=weight)
    summary = summarise(measure, result, view.undefined)
    return Explanation(
        measure=measure,
        unit=number_of(kind, len(units)),
        unit_kind=kind,
        value=summary.value if weight is None else float(total.values[0]),
        reason=summary.reason or total.reason(0),
        steps=(table,),
        counts=tuple(counts_named([(total, 0)])),
        formula=formula(total, 0),
        signature=view.signature_of(measure, counts),
        shown=view.depth or PAGE,
        parts=parts,
        summary="micro average" if measure.is_micro else _SUMMARIES[measure.definition.summary],
        undefined_units=summary.undefined,
        counted_as=measure.substitute if view.undefined == "counted_as" else None,
    )


def _other_ways(measure: Measure, alone: Counts) -> dict[str, PerUnit]:
    """The same number made in other ways; see `also` of `@measure`."""
    if isinstance(alone, GivenCurve):
        return {}
    counts = _confusion_of(measure, alone) or alone
    return {name: way(counts, **measure.arguments) for name, way in measure.definition.also.items()}


def _confusion_of(measure: Measure, alone: Counts) -> Confusion | None:
    """The table of decisions that the measure is computed from, if it is computed from one."""
    if measure.definition.counts is not Confusion:
        return None
    if isinstance(alone, Ranks):
        return Confusion.from_ranks(alone, measure.parameters.get("rel"))
    return alone if isinstance(alone, Confusion) else None


def undefined_rule(word: Any) -> Undefined:
    """What undefined counts as, if it is one of the words for it."""
    Choice(Undefined).check("undefined", word)
    return cast("Undefined", word)
