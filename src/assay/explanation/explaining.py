"""`explain`: how a number came about, step by step."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, cast, get_args

import polars as pl

from assay.counting.confusion import Confusion
from assay.counting.ranks import Ranks
from assay.errors import ParameterError, number_of
from assay.evaluation import Evaluation, evaluate
from assay.explanation.cutoffs import at_every_rank
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
    `running`: with a column for the measure cut off at every rank. Of the rules of `evaluate`, `undefined` goes with
    counts too.

    >>> explain("AP", {"q1": {"a": 1, "c": 1}}, {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}}).formula.numbers
    '(1 + 0.6667) / 2'
    """
    wanted, query = parse_measure(measure), None if query is None else str(query)
    shown = _Shown(None if show is None else whole("show", show, 1), running)
    if running and "cutoff" not in wanted.parameters:
        raise ParameterError(f"{wanted} has no cut-off, so it has no value at every rank")
    if run is None and not isinstance(given, Evaluation):
        shown = shown._replace(undefined=_undefined(rules.pop("undefined", "counted_as")))
        if rules:
            raise ParameterError(f"{next(iter(rules))!r} is a rule of evaluation: it goes with judgments and a run")
        if system is not None:
            raise ParameterError("system says whose number of an evaluation is meant: counts are of nobody")
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
        if shown.running:
            raise ParameterError("running is about the ranks of one query: choose one")
        return _summarised(measure, chosen.ranks, chosen.results[measure], shown)
    shown = shown._replace(listing=listing_of(evaluation, chosen.name, number, shown.ranks_of(measure)))
    return _explained(measure, chosen.ranks, chosen.results[measure], number, shown)


def _explained(measure: Measure, counts: Counts, result: PerQuery, number: int, shown: _Shown) -> Explanation:
    """The number of one unit."""
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
    said = [*remarks(measure, alone, value, tables, sampled=sampled)]
    if shown.running and isinstance(alone, Ranks):
        tables, more = at_every_rank(tables, measure, alone, shown.ranks_of(measure))
        said += more
    if (parts := named_parts(result, number)) is not None:
        tables.append(parts)
    if not sampled and (table := _confusion_of(measure, alone)) is not None:
        tables.insert(0, _decisions(table))
    return Explanation(
        measure=measure,
        unit=unit,
        unit_kind=counts.unit_kind,
        value=value,
        reason=result.reason(number),
        steps=tuple(tables),
        counts=tuple(counts_named(results)) if not sampled else (),
        formula=formula(result, number),
        signature=shown.signature or _signature(measure, counts, shown.undefined),
        shown=shown.ranks_of(measure),
        other_ways=tuple(OtherWay(says, formula(way, 0), float(way.values[0])) for says, way in ways.items()),
        remarks=tuple(said),
        counted_as=measure.substitute if shown.undefined == "counted_as" else None,
    )


def _summarised(
    measure: Measure, counts: Counts, result: PerQuery, shown: _Shown, parts: tuple[Explanation, ...] = ()
) -> Explanation:
    """How the numbers of all units become one."""
    units = units_of(counts)
    total = put_together(measure, result, shown.undefined)
    summary = summarise(measure, result, shown.undefined)
    return Explanation(
        measure=measure,
        unit=number_of("query", len(units)),
        unit_kind=counts.unit_kind,
        value=summary.value,
        reason=total.reason(0),
        steps=(units_table(measure, units, result, shown.undefined),),
        counts=tuple(counts_named([(total, 0)])),
        formula=formula(total, 0),
        signature=shown.signature or _signature(measure, counts, shown.undefined),
        shown=shown.depth or PAGE,
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
    if isinstance(counts, Ranks):
        return signature(measure, counts.policies, counts.max_grade, undefined)
    return signature(measure, None, 0.0, undefined)


def _undefined(said: Any) -> Undefined:
    if said not in get_args(Undefined):
        raise ParameterError(f"undefined is one of {', '.join(get_args(Undefined))}, not {said!r}")
    return cast("Undefined", said)
