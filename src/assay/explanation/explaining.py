"""`explain`: how a number came about, step by step."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import polars as pl

from assay.counting.confusion import Confusion
from assay.counting.policies import Policies
from assay.counting.ranks import Ranks
from assay.errors import ParameterError, number_of
from assay.evaluation import Evaluation, evaluate
from assay.explanation.documents import listing_of, ranking, with_documents
from assay.explanation.remarks import SAMPLED, remarks
from assay.explanation.result import Explanation, OtherWay
from assay.explanation.summaries import put_together, units_table
from assay.explanation.units import number_of_unit, only, units_of
from assay.explanation.working import StepTable, counts_named, formula, named_parts, step_tables
from assay.given import whole
from assay.measures import parse_measure
from assay.measures.given_curve import GivenCurve
from assay.measures.registry import Counts, Measure
from assay.measures.steps import PerQuery
from assay.measures.summary import Undefined, signature, summarise

#: How far down a ranking is shown where the measure has no cut-off.
PAGE = 20
_SUMMARIES = {"mean": "mean", "geometric": "geometric mean", "sum": "sum"}


def explain(
    measure: str | Measure,
    given: Any,
    run: Any = None,
    *,
    query: str | None = None,
    system: str | None = None,
    show: int | None = None,
    running: bool = False,
    **rules: Any,
) -> Explanation:
    """Show how a number came about: the steps, the formula with the numbers in it, the result and its signature.

    `given` is judgments, with a `run` and the rules of `evaluate` as keyword arguments; or an evaluation (`system` says
    whose number, if there are several); or counts: `Ranks` such as `Ranks.from_grades` makes, `Confusion`, or
    `GivenCurve`, the points of a precision-recall curve. `query`: which one; without it, how the numbers of all
    queries are put together. `show`: how many ranks to show; unless given, down to the measure's cut-off, or 20.
    `running`: with a column for the measure cut off at every rank.

    >>> explain("AP", {"q1": {"a": 1, "c": 1}}, {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}}).formula.numbers
    '1.6667 / 2'
    """
    wanted, query = parse_measure(measure), None if query is None else str(query)
    shown = _Shown(None if show is None else whole("show", show, 1), running)
    if running and "cutoff" not in wanted.parameters:
        raise ParameterError(f"{wanted} has no cut-off, so it has no value at every rank")
    if run is None and not isinstance(given, Evaluation):
        if rules:
            raise ParameterError(f"{next(iter(rules))!r} is a rule of evaluation: it goes with judgments and a run")
        return _of_counts(wanted, given, query, shown)
    if run is not None:
        given = evaluate(given, run, wanted, **rules)
        if len(given.systems) > 1:
            raise ParameterError("explain takes one run: explain one after the other")
        wanted = given.measures[0]  # a profile may have changed its rounding
    elif rules:
        raise ParameterError(f"{next(iter(rules))!r} is a rule of evaluation, and the evaluation is made already")
    return _of_evaluation(given.measure(wanted), given, query, system, shown)


class _Shown(NamedTuple):
    """How many ranks to show, the documents at all of them if they are known, and what undefined counts as."""

    depth: int | None
    running: bool
    listing: Ranks | None = None
    undefined: Undefined = "counted_as"
    signature: str | None = None

    def ranks_of(self, measure: Measure) -> int:
        return self.depth or measure.parameters.get("cutoff") or PAGE


def _of_counts(measure: Measure, counts: Any, query: str | None, shown: _Shown) -> Explanation:
    """Counts made by hand; of several units with each one's steps."""
    if not isinstance(counts, Ranks | Confusion | GivenCurve):
        raise ParameterError(f"explain takes judgments and a run, or counts, not {type(counts).__name__} alone")
    if measure.definition.subtopics and isinstance(counts, Ranks) and counts.subtopics is None:
        raise ParameterError(
            f"{measure} is computed from judgments of subtopics, which a list of grades does not have: "
            "explain it from judgments and a run"
        )
    result, number = measure.per_unit(counts), number_of_unit(counts, query)
    if number is not None:
        return _explained(measure, counts, result, number, shown)
    parts = tuple(_explained(measure, counts, result, unit, shown) for unit in range(len(units_of(counts))))
    return _summarised(measure, counts, result, shown, parts)


def _of_evaluation(
    measure: Measure, evaluation: Evaluation, query: str | None, system: str | None, shown: _Shown
) -> Explanation:
    """What the evaluation has computed, taken apart."""
    chosen = evaluation.system(system)
    shown = shown._replace(undefined=evaluation.undefined, signature=evaluation.signatures[str(measure)])
    number = number_of_unit(chosen.ranks, query)
    if number is None:
        return _summarised(measure, chosen.ranks, chosen.results[measure], shown)
    shown = shown._replace(listing=listing_of(evaluation, chosen.name, shown.ranks_of(measure)))
    return _explained(measure, chosen.ranks, chosen.results[measure], number, shown)


def _explained(measure: Measure, counts: Counts, result: PerQuery, number: int, shown: _Shown) -> Explanation:
    """The number of one unit."""
    unit, alone = units_of(counts)[number], only(counts, number)
    sampled = not result.operands and result.steps is None and SAMPLED in result.op
    ways = {} if sampled else _other_ways(measure, alone)
    ways = {says: way for says, way in ways.items() if way.reason(0) is None}
    results = [(result, number), *((way, 0) for way in ways.values())]
    tables = step_tables(results)
    if isinstance(alone, Ranks):
        tables = [with_documents(table, alone, unit, shown.listing) for table in tables]
        if sampled:
            tables = [StepTable("ranking", (), ranking(alone, unit, shown.listing), {})]
        tables = [table for table in tables if table.frame.height]
    if shown.running:
        tables = _with_running(tables, measure, alone, shown.ranks_of(measure))
    if (parts := named_parts(result, number)) is not None:
        tables.append(parts)
    if not sampled and (table := _confusion_of(measure, alone)) is not None:
        tables.insert(0, _decisions(table))
    return Explanation(
        measure,
        unit,
        counts.unit_kind,
        float(result.values[number]),
        result.reason(number),
        tuple(tables),
        tuple(counts_named(results)) if not sampled else (),
        formula(result, number),
        shown.signature or _signature(measure, counts, shown.undefined),
        shown.ranks_of(measure),
        other_ways=tuple(OtherWay(says, formula(way, 0), float(way.values[0])) for says, way in ways.items()),
        remarks=tuple(remarks(measure, alone, sampled=sampled)),
        counted_as=measure.substitute if shown.undefined == "counted_as" else None,
    )


def _summarised(
    measure: Measure, counts: Counts, result: PerQuery, shown: _Shown, parts: tuple[Explanation, ...] = ()
) -> Explanation:
    """How the numbers of all units become one."""
    units = units_of(counts)
    total = put_together(measure, result, shown.undefined)
    summary = summarise(measure, result, shown.undefined)
    named = tuple(counts_named([(total, 0)]))
    return Explanation(
        measure,
        number_of("query", len(units)),
        counts.unit_kind,
        summary.value,
        total.reason(0),
        (units_table(measure, units, result, shown.undefined),),
        named,
        formula(total, 0),
        shown.signature or _signature(measure, counts, shown.undefined),
        shown.depth or PAGE,
        parts=parts,
        summary="micro average" if measure.is_micro else _SUMMARIES[measure.definition.summary],
        undefined_units=summary.undefined,
        counted_as=measure.substitute if shown.undefined == "counted_as" else None,
    )


def _other_ways(measure: Measure, alone: Counts) -> dict[str, PerQuery]:
    """The same number made in other ways; see `also` of `@measure`."""
    if isinstance(alone, GivenCurve):
        return {}
    counts = _confusion_of(measure, alone) or alone
    return {says: way(counts, **measure.arguments) for says, way in measure.definition.also.items()}


def _confusion_of(measure: Measure, alone: Counts) -> Confusion | None:
    """The table of decisions that the measure is computed from, if it is computed from one."""
    if measure.definition.counts is not Confusion:
        return None
    return Confusion.from_ranks(alone) if isinstance(alone, Ranks) else alone if isinstance(alone, Confusion) else None


def _with_running(tables: list[StepTable], measure: Measure, alone: Counts, shown: int) -> list[StepTable]:
    """The measure cut off at every rank, as a column of the first table that has ranks."""
    place = next((number for number, table in enumerate(tables) if "rank" in table.frame.columns), None)
    if place is None:
        return tables
    frame = tables[place].frame
    down_to = min(shown, max(frame["rank"].to_list(), default=0))
    values = [float(measure(cutoff=rank).per_unit(alone).values[0]) for rank in range(1, down_to + 1)]
    text = str(measure)
    name = f"{text.rpartition('@')[0] or text}@k"
    column = pl.DataFrame({"rank": range(1, down_to + 1), name: values}, schema={"rank": pl.Int64, name: pl.Float64})
    frame = frame.join(column, on="rank", how="left", maintain_order="left")
    changed = tables[place]._replace(frame=frame.with_columns(pl.col(name).fill_nan(None)))
    return [*tables[:place], changed, *tables[place + 1 :]]


def _decisions(table: Confusion) -> StepTable:
    """The table of right and wrong decisions, with its margins."""
    tp, fp, fn = (float(cell[0]) for cell in (table.tp, table.fp, table.fn))
    tn = math.nan if table.tn is None else float(table.tn[0])
    rows = {
        "documents": ["relevant", "irrelevant", "all"],
        "retrieved": [tp, fp, tp + fp],
        "not_retrieved": [fn, tn, fn + tn],
        "all": [tp + fn, fp + tn, tp + fp + fn + tn],
    }
    return StepTable("decisions", (), pl.DataFrame(rows).with_columns(pl.col(pl.Float64).fill_nan(None)), {})


def _signature(measure: Measure, counts: Counts, undefined: Undefined) -> str:
    top = counts.max_grade if isinstance(counts, Ranks) else 0.0
    return signature(measure, counts.policies if isinstance(counts, Ranks) else Policies(), top, undefined)
