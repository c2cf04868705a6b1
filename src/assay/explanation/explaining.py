"""`explain`: how a number came about, step by step."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.counting.confusion import Confusion
from assay.counting.policies import Policies
from assay.counting.ranks import Ranks
from assay.counting.retrieved import retrieved
from assay.errors import ParameterError, did_you_mean, listed
from assay.evaluation import evaluate
from assay.explanation.result import Explanation
from assay.explanation.working import StepTable, counts_named, formula, step_tables
from assay.given import whole
from assay.measures import parse_measure
from assay.measures.registry import Measure
from assay.measures.summary import Undefined, signature
from assay.tables import picked

#: How far down a ranking is shown where the measure has no cut-off.
PAGE = 20


def explain(
    measure: str | Measure,
    given: Any,
    run: Any = None,
    *,
    query: str | None = None,
    show: int | None = None,
    **rules: Any,
) -> Explanation:
    """Show how a number came about: the steps, the formula with the numbers in it, the result and its signature.

    `given` is judgments, with a `run` and the rules of `evaluate` as keyword arguments; or counts (`Ranks`, such as
    `Ranks.from_grades` makes, or `Confusion`). `query`: which one; it may be left out if there is only one. `show`:
    how many ranks to show; unless given, down to the measure's cut-off, or 20.

    >>> explain("AP", {"q1": {"a": 1, "c": 1}}, {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}}).formula.numbers
    '1.6667 / 2'
    """
    wanted, query = parse_measure(measure), None if query is None else str(query)
    show = None if show is None else whole("show", show, 1)
    if wanted.is_micro:
        raise ParameterError(
            f"{wanted} is made of the counts of all queries: explain the macro average, query by query"
        )
    if run is None:
        if rules:
            raise ParameterError(f"{next(iter(rules))!r} is a rule of evaluation: it goes with judgments and a run")
        if not isinstance(given, Ranks | Confusion):
            raise ParameterError(f"explain takes judgments and a run, or counts, not {type(given).__name__} alone")
        return _explained(wanted, given, query, _Shown(show))
    evaluation = evaluate(given, run, wanted, **rules)
    if len(evaluation.systems) > 1:
        raise ParameterError("explain takes one run: explain one after the other")
    system = evaluation.systems[0]
    shown = _Shown(show, undefined=evaluation.undefined)
    if evaluation.policies.ties != "expected" and not evaluation.policies.judged_only:
        down_to = shown.ranks_of(wanted)
        lists = retrieved(
            evaluation.runs, evaluation.qrels, evaluation.policies, down_to, subtopics=evaluation.subtopics
        )
        shown = shown._replace(listing=lists[system.name])
    return _explained(wanted, system.ranks, query, shown)


class _Shown(NamedTuple):
    """How many ranks to show, the documents at all of them if they are known, and what undefined counts as."""

    depth: int | None
    listing: Ranks | None = None
    undefined: Undefined = "counted_as"

    def ranks_of(self, measure: Measure) -> int:
        return self.depth or measure.parameters.get("cutoff") or PAGE


def _explained(measure: Measure, counts: Ranks | Confusion, query: str | None, shown: _Shown) -> Explanation:
    units = counts.queries if isinstance(counts, Ranks) else counts.units
    number = _number(units, query)
    result = measure.per_unit(counts)
    if not result.operands and result.steps is None and "orders of ties" in result.op:
        raise ParameterError(f"{measure} is the {result.op}: choose another rule for ties to see its steps")
    tables = step_tables(result, number)
    if isinstance(counts, Ranks):
        tables = [_named(table, counts, units[number], shown.listing) for table in tables]
    top = counts.max_grade if isinstance(counts, Ranks) else 0.0
    rules = counts.policies if isinstance(counts, Ranks) else Policies()
    return Explanation(
        measure,
        units[number],
        counts.unit_kind,
        float(result.values[number]),
        result.reason(number),
        tuple(tables),
        tuple(counts_named(result, number)),
        formula(result, number),
        signature(measure, rules, top, shown.undefined),
        shown.ranks_of(measure),
    )


def _number(units: tuple[str, ...], query: str | None) -> int:
    if query is None and len(units) == 1:
        return 0
    if query not in units:
        # It may be there, and without judgments, or left out as the run has nothing for it.
        hint = f", not {query!r}{did_you_mean(str(query), units)}" if query is not None else ""
        raise ParameterError(f"choose a query of {listed(units)}{hint}")
    return units.index(query)


def _named(table: StepTable, ranks: Ranks, query: str, listing: Ranks | None) -> StepTable:
    """The steps with their documents; those of the ranking with every rank, also where the measure has no step."""
    if "rank" not in table.frame.columns:
        return table
    steps = table.frame.with_columns(pl.col("rank").cast(pl.Int64))
    if table.says == "ideal":
        return table._replace(frame=_with_ideal_documents(steps, ranks, query))
    rows = _ranking(ranks, query, listing)
    return table._replace(
        frame=rows.join(steps.drop("grade", strict=False), on="rank", how="left", maintain_order="left")
    )


def _with_ideal_documents(steps: pl.DataFrame, ranks: Ranks, query: str) -> pl.DataFrame:
    """Name the documents of the ideal ranking, unless the measure has an order of its own for it."""
    own = ranks.ideal.where(ranks.ideal.query == ranks.queries.index(query))
    if ranks.judgments is None or ranks.subtopics is not None or "grade" not in steps.columns:
        return steps
    known = pl.DataFrame({"rank": pl.Series(own.rank, dtype=pl.Int64), "doc_id": picked(ranks.doc_ids, own.document)})
    known = known.with_columns(judged=pl.Series(own.grade))
    joined = steps.join(known, on="rank", how="left", maintain_order="left")
    if (joined["judged"] != joined["grade"]).any():
        return steps
    return joined.select("rank", "doc_id", pl.exclude("rank", "doc_id", "judged"))


def _ranking(ranks: Ranks, query: str, listing: Ranks | None) -> pl.DataFrame:
    """Every rank of a query's list, its document and its grade where they are known."""
    number = ranks.queries.index(query)
    all_ranks = pl.DataFrame({"rank": range(1, int(ranks.retrieved[number]) + 1)}, schema={"rank": pl.Int64})
    known = _documents(ranks if listing is None or query not in listing.queries else listing, query)
    return all_ranks.join(known, on="rank", how="left", maintain_order="left")


def _documents(ranks: Ranks, query: str) -> pl.DataFrame:
    own = ranks.hits.where(ranks.hits.query == ranks.queries.index(query))
    grade = own.grade if ranks.added is None else np.where(ranks.added[own.document], np.nan, own.grade)
    columns: dict[str, Any] = {"rank": pl.Series(own.rank, dtype=pl.Int64)}
    if ranks.judgments is not None:
        columns["doc_id"] = picked(ranks.doc_ids, own.document)
    return pl.DataFrame(columns | {"grade": pl.Series(grade).fill_nan(None)})
