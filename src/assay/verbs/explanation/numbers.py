"""Numbers of units taken apart: documents and steps, and how several units are put together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.errors import ParameterError, argument_name, did_you_mean, listed, number_of, several
from assay.core.evaluation_options import Undefined
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.confusion_matrix import ConfusionMatrix, Orientation
from assay.measures.counting.judgments import Floats, Ints, Subtopics
from assay.measures.counting.probabilities import Probabilities
from assay.measures.counting.ranking import Policies
from assay.measures.counting.ranks import Ranks
from assay.measures.curve_points import roc_points, trivial
from assay.measures.definition import GivenCurve
from assay.measures.precision_recall import AUC
from assay.measures.registry import Counts, Measure
from assay.measures.steps import PerUnit, Steps, quantity
from assay.measures.summary import signature, summarise, values_in_mean
from assay.measures.undefined import as_counted, lenient, policy_of
from assay.tables import picked
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


def put_together(
    measure: Measure,
    units: tuple[str, ...],
    result: PerUnit,
    undefined: Undefined,
    unit_kind: str = "query",
    *,
    weight: Floats | None = None,
    taken: Floats | None = None,
) -> tuple[PerUnit, StepTable]:
    """The summary as a formula, whose one value is that of `summarise`, and what each unit adds.

    `weight`: what each unit weighs in a mean. `taken`: the numbers of units as the mean takes them, where what they
    count as depends on why they have none.

    >>> from assay.measures.counting import Ranks
    >>> from assay.measures import AP
    >>> ranks = Ranks.from_grades([1, 0], [0, 1])
    >>> put_together(AP, ranks.queries, AP.per_unit(ranks), "counted_as")[0].values  # (1 + 1/2) / 2
    array([0.75])
    """
    names = {unit_kind: pl.Series(units, dtype=pl.String)}
    kind = several(unit_kind)
    meanings = {}
    if measure.is_micro:
        leaves = [leaf for leaf in result.leaves() if leaf.constant is None]
        sums = {leaf.op if leaf.column is None else leaf.column: leaf.values for leaf in leaves}
        frame = pl.DataFrame(names | {name: pl.Series(values) for name, values in sums.items()})
        return result.pooled(), StepTable(kind, tuple((name, "sum") for name in sums), frame, {})
    how = measure.definition.summary
    name = measure.name_of_units
    values = values_in_mean(measure, result, undefined) if taken is None else taken
    columns = {name: result.values}
    if np.isnan(result.values).any():
        columns["counted_as"] = values
    if how == "geometric":
        columns[f"ln {name}"] = np.log(values)
    if weight is not None:
        columns |= {"weight": weight, "contribution": values * weight}
        meanings = {"contribution": f"{name} × weight"}
    *_, column = columns
    frame = pl.DataFrame(names | {each: pl.Series(numbers).fill_nan(None) for each, numbers in columns.items()})
    frame = frame.with_columns(pl.col(column).cum_sum().alias("running_sum"))
    table = StepTable(kind, ((column, "sum"),), frame, meanings)
    known = ~np.isnan(values)
    added = name if column == "counted_as" else column
    numbers = columns[column][known]
    total = Steps(np.zeros(len(numbers), dtype=np.int64), 1, {added: numbers}, kind).sum(added)
    if how == "sum" and len(numbers):
        return total, table
    among = ("weights", weight[known].sum()) if weight is not None else (kind, len(numbers))
    mean = total / quantity(among[0], [among[1]], when_zero=f"no {unit_kind} has a value")
    return mean.exp() if how == "geometric" and weight is None else mean, table


#: So far the values go at most, and so far if the list ends before: nothing is found there.
MOST = 1000

MOST_BEYOND = 100


def at_every_rank(
    tables: list[StepTable], measure: Measure, alone: Ranks, limit: int
) -> tuple[list[StepTable], list[str]]:
    """The measure cut off at every rank, in the first table that has ranks, down to the cut-off or the list's end.

    >>> from assay.measures import P
    >>> at_every_rank([], P @ 3, Ranks.from_grades([1]), 20)[0][0].frame["P@k"].to_list()
    [1.0, 0.5, 0.3333]
    """
    place = next((number for number, table in enumerate(tables) if "rank" in table.frame.columns), len(tables))
    nothing = StepTable("ranking", (), pl.DataFrame(schema={"rank": pl.Int64}), {})
    table = [*tables, nothing][place]
    last = max(table.frame["rank"].to_list(), default=0)
    cutoff = measure.parameters["cutoff"] or 0
    down_to = min(max(last, min(cutoff, MOST_BEYOND)), limit, MOST)
    text = str(measure)
    name = f"{text.rpartition('@')[0] or text}@k"
    values = [float(measure(cutoff=rank).per_unit(alone).values[0]) for rank in range(1, down_to + 1)]
    column = pl.DataFrame({"rank": range(1, down_to + 1), name: values}, schema={"rank": pl.Int64, name: pl.Float64})
    frame = table.frame.join(column, on="rank", how="full", coalesce=True).sort("rank")
    # What was added up so far stays where a rank adds nothing.
    sums = [name for name in frame.columns if name.startswith("running_")]
    frame = frame.with_columns(pl.col(sums).forward_fill().fill_null(0.0), pl.col(name).fill_nan(None))
    remark = f"{name} is shown down to rank {down_to:,}; the cut-off is {cutoff:,}"
    tables = [*tables[:place], table._replace(frame=frame), *tables[place + 1 :]]
    return tables, [remark] if down_to < cutoff else []


def with_documents(
    table: StepTable, ranks: Ranks, query: str, listing: Ranks | None, rel: float | None = None
) -> StepTable:
    """The steps with their documents; those of the ranking with every rank, also where the measure has no step."""
    if "rank" not in table.frame.columns:
        return table
    steps = table.frame.with_columns(pl.col("rank").cast(pl.Int64))
    if table.says == "ideal":
        return table._replace(frame=_with_ideal_documents(steps, ranks, query))
    rows = ranking(ranks, query, listing, max(steps["rank"].to_list(), default=0), rel)
    rest = steps.drop("grade", strict=False)
    return table._replace(frame=rows.join(rest, on="rank", how="left", maintain_order="left"))


def ranking(
    ranks: Ranks, query: str, listing: Ranks | None, at_least: int = 0, rel: float | None = None
) -> pl.DataFrame:
    """Every rank of a query's list, its document, its grade and its subtopics where they are known."""
    number = ranks.queries.index(query)
    last = max(int(ranks.retrieved[number]), at_least)
    all_ranks = pl.DataFrame({"rank": range(1, last + 1)}, schema={"rank": pl.Int64})
    known = _documents(ranks if listing is None or query not in listing.queries else listing, query, rel)
    known = known if ranks.hits.averaged and known["tied_ranks"].is_not_null().any() else known.drop("tied_ranks")
    return all_ranks.join(known, on="rank", how="left", maintain_order="left")


def _documents(ranks: Ranks, query: str, rel: float | None) -> pl.DataFrame:
    hits = ranks.hits.where(ranks.hits.query == ranks.queries.index(query))
    grade = hits.grade if ranks.added is None else np.where(ranks.added[hits.document], np.nan, hits.grade)
    columns: dict[str, Any] = {"rank": pl.Series(hits.rank, dtype=pl.Int64)}
    if ranks.judgments is not None:
        columns["doc_id"] = picked(ranks.doc_ids, hits.document)
    tied = [
        f"{first}-{last}" if last > first else None for first, last in zip(hits.tie_first, hits.tie_last, strict=True)
    ]
    if ranks.subtopics is not None:
        columns["subtopics"] = _subtopics(ranks, hits.document, rel)
    columns |= {"tied_ranks": pl.Series(tied, dtype=pl.String), "grade": pl.Series(grade).fill_nan(None)}
    return pl.DataFrame(columns)


def _subtopics(ranks: Ranks, documents: Ints, rel: float | None) -> pl.Series:
    """The subtopics that each document is relevant to."""
    table = (ranks.subtopics or Subtopics.none()).reaching(ranks.level(rel))
    names: list[list[str]] = [[] for _ in documents]
    for owner, at in zip(*table.rows_of(documents), strict=True):
        names[owner].append(table.names[table.subtopic[at]])
    return pl.Series([" ".join(group) or None for group in names], dtype=pl.String)


def _with_ideal_documents(steps: pl.DataFrame, ranks: Ranks, query: str) -> pl.DataFrame:
    """Name the documents of the ideal ranking, unless the measure has an order of its own for it."""
    ideal = ranks.ideal.where(ranks.ideal.query == ranks.queries.index(query))
    if ranks.judgments is None or ranks.subtopics is not None or "grade" not in steps.columns:
        return steps
    known = pl.DataFrame(
        {"rank": pl.Series(ideal.rank, dtype=pl.Int64), "doc_id": picked(ranks.doc_ids, ideal.document)}
    )
    known = known.with_columns(judged=pl.Series(ideal.grade))
    joined = steps.join(known, on="rank", how="left", maintain_order="left")
    if (joined["judged"] != joined["grade"]).any():
        return steps
    return joined.select("rank", "doc_id", pl.exclude("rank", "doc_id", "judged"))


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
    return StepTable("decisions", (), pl.DataFrame(cells).fill_nan(None), {})


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
    """The view of a number: rows to show, the documents at all ranks if they are known, the value of undefined ones."""

    depth: int | None
    running: bool
    listing: Ranks | None = None
    undefined: Undefined = "counted_as"
    signature: str | None = None

    def refuse_running(self, subject: str) -> None:
        """Refuse the measure at every rank or threshold, where a subject has neither."""
        if self.running:
            raise ParameterError(
                f"{argument_name('running')} has no meaning for {subject}: it goes with ranks and thresholds"
            )

    def limited(self, explanation: Explanation) -> Explanation:
        """The explanation with as many rows as were asked for."""
        return explanation if self.depth is None else replace(explanation, shown=self.depth)

    def ranks_of(self, measure: Measure) -> int:
        """The number of ranks to show."""
        return self.depth or measure.parameters.get("cutoff") or PAGE

    def signature_of(self, measure: Measure, counts: Counts) -> str:
        """The signature of the number: as it was made with, or as far as the counts say."""
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
    unit = units_of(counts)[number]
    alone = only(counts, number)
    sampled = not result.operands and result.steps is None and SAMPLED in result.op
    value = float(result.values[number])
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
        counted_as=_counted_as(measure, alone, value, view.undefined),
    )


def _first(taken: Floats) -> float | None:
    """The value of units without a number; None if they are left out, or there is no such unit."""
    known = taken[~np.isnan(taken)]
    return float(known[0]) if len(known) else None


def _declared(measure: Measure, undefined: Undefined) -> float | None:
    """The declared value of any unit without a number in a mean; None if it is left out."""
    if undefined in {"0", "1"}:
        return float(undefined)
    return measure.substitute if undefined == "counted_as" else None


def _counted_as(measure: Measure, alone: Counts, value: float, undefined: Undefined) -> float | None:
    """The value in a mean of a unit without a number; None if it is left out."""
    if isinstance(alone, Confusion) and measure.definition.vocabulary != "ranking":
        if not math.isnan(value):
            return None
        taken = float(as_counted(measure, alone, measure.per_unit(alone), lenient(undefined))[0])
        return None if math.isnan(taken) else taken
    return _declared(measure, undefined)


def summarised(
    measure: Measure,
    counts: Counts,
    result: PerUnit,
    view: View,
    parts: tuple[Explanation, ...] = (),
    *,
    weight: Floats | None = None,
) -> Explanation:
    """The steps from the numbers of all units to one; `weight`: the weight of each in a mean, if not all the same."""
    units = units_of(counts)
    kind = counts.unit_kind
    taken = None
    if isinstance(counts, Confusion) and measure.definition.vocabulary != "ranking":
        taken = as_counted(measure, counts, result, view.undefined)
    total, table = put_together(measure, units, result, view.undefined, kind, weight=weight, taken=taken)
    summary = summarise(measure, result, view.undefined)
    return Explanation(
        measure=measure,
        unit=number_of(kind, len(units)),
        unit_kind=kind,
        value=summary.value if weight is None and taken is None else float(total.values[0]),
        reason=(summary.reason if taken is None else None) or total.reason(0),
        steps=(table,),
        counts=tuple(counts_named([(total, 0)])),
        formula=formula(total, 0),
        signature=view.signature_of(measure, counts),
        shown=view.depth or PAGE,
        parts=parts,
        summary="micro average" if measure.is_micro else _SUMMARIES[measure.definition.summary],
        undefined_units=summary.undefined,
        counted_as=_declared(measure, view.undefined) if taken is None else _first(taken[np.isnan(result.values)]),
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
    """The rule of undefined values, if it is one of the words for it."""
    return policy_of(word)
