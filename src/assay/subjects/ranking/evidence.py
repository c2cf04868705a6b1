"""All numbers that a report on rankings shows: queries, rankings side by side, curves, bounds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from typing import Any, Self

import numpy as np
import polars as pl

from assay.core.errors import Note, ParameterError
from assay.measures.counting.ranks import Ranks, as_judged
from assay.measures.curve_points import averaged_precision, level_measures
from assay.measures.registry import Measure
from assay.subjects.ranking.basis import Basis
from assay.subjects.ranking.document_analysis import changes, on_units, why_no_shares
from assay.subjects.ranking.evaluation import Evaluation
from assay.subjects.ranking.unjudged import bounds_of

_LEVELS = 11
#: Bounds take their time: of more systems and measures, those of the main measures only.
_MOST_BOUNDS = 24
_NONE = pl.DataFrame(schema={"query_id": pl.String, "difference": pl.Float64})


class Evidence(Basis):
    """The basis of a report with all that its sections show, each computed once, and all of it by `complete`."""

    def complete(self) -> Self:
        """Finish every number of systems and queries, the curves, and the bounds."""
        if self.evaluation is not None:
            self.evaluation.complete()
        if self.comparison is not None:
            self.comparison.complete()
        for name in ("systems", "system", "detailed", "standings", "ways", "query_values", "in_full", "query_rankings"):
            getattr(self, name)
        for system in self.detailed if self.system else ():
            if system != self.baseline:
                self.differences_of(system)
        if self.evaluation is not None:
            for name in ("levels", "bounds"):
                getattr(self, name)
        return self

    @cached_property
    def ways(self) -> Mapping[str, bool | None]:
        """True, by measure, if more of it is good; None if it is neither good nor bad."""
        return {name: super(Evidence, self).higher_is_better(name) for name in self.measures}

    def higher_is_better(self, measure: str) -> bool | None:
        """True if more of a measure is good; None if it is neither good nor bad."""
        return self.ways[measure] if measure in self.ways else super().higher_is_better(measure)

    @cached_property
    def query_values(self) -> pl.DataFrame:
        """Every query's value under the main measure, of the systems that are looked at closely: a column for each."""
        return _values(self)

    @cached_property
    def _differences(self) -> dict[str, pl.DataFrame | ParameterError]:
        return {}

    def differences_of(self, system: str) -> pl.DataFrame | ParameterError:
        """Both values of each query and their difference, the best change first; or why there are none."""
        if system not in self._differences:
            try:
                self._differences[system] = differences_of(self, system)
            except ParameterError as problem:  # the measure is of all queries together
                self._differences[system] = problem
        return self._differences[system]

    @cached_property
    def in_full(self) -> pl.DataFrame:
        """The queries whose rankings are shown side by side, those of the system that is looked at closest."""
        return shown_in_full(self)

    @cached_property
    def query_rankings(self) -> tuple[list[dict[str, Any]], pl.DataFrame]:
        """The facts about each of these queries, and the documents that changed."""
        return _queries(self, self.in_full) if self.in_full.height else ([], pl.DataFrame())

    @cached_property
    def levels(self) -> pl.DataFrame:
        """Averaged precision at levels of recall, of each system that is looked at closely."""
        return pl.DataFrame() if self.evaluation is None else _levels(self, self.evaluation)

    @cached_property
    def bounds(self) -> tuple[pl.DataFrame, tuple[Note | str, ...]]:
        """The lowest and highest numbers with other grades for unjudged documents; and why there are none."""
        problems: list[Note | str] = []
        frame = pl.DataFrame() if self.evaluation is None else _bounds(self, self.evaluation, problems)
        return frame, tuple(problems)


def differences_of(basis: Evidence, system: str) -> pl.DataFrame:
    """Both values of each query and their difference, the best change first.

    Where lower is better, that is the largest fall; where neither is, the largest rise. Where systems have too little
    in common for a test, one query mostly, it is what they have in common.
    """
    if basis.comparison is not None and basis.findings():
        frame = basis.comparison.queries(basis.main, system, basis.baseline)
        frame = frame.rename(dict(zip(frame.columns[:3], ("query_id", "baseline_value", "value"), strict=True)))
    elif basis.evaluation is not None and not basis.measure(basis.main).is_micro:
        names = {basis.column_of(basis.baseline): "baseline_value", basis.column_of(system): "value"}
        frame = basis.query_values.select("query_id", *names).rename(names)
        frame = frame.with_columns(difference=pl.col("value") - pl.col("baseline_value"))
        frame = frame.filter(pl.col("difference").is_not_nan())
    else:
        return _NONE
    descending = basis.higher_is_better(basis.main) is not False
    frame = frame.sort("difference", descending=descending, maintain_order=True)
    return frame.select("query_id", _text(basis, frame), "baseline_value", "value", "difference")


def most_changed(frame: pl.DataFrame, most: int, higher_is_better: bool | None) -> pl.DataFrame:
    """The queries with the largest gains, then those with the largest losses: half and half, if there are enough.

    What is a gain depends on the measure; of one that is neither good nor bad, rises come first. The best change stands
    first in the frame.

    >>> frame = pl.DataFrame({"query_id": ["q0", "q1", "q2", "q3", "q4"], "difference": [0.5, 0.2, 0.1, 0.0, -0.4]})
    >>> most_changed(frame, 4, True)["query_id"].to_list()
    ['q0', 'q1', 'q2', 'q4']
    """
    change = pl.col("difference") * (-1 if higher_is_better is False else 1)
    gains = frame.filter(change > 0)
    losses = frame.filter(change < 0).reverse()
    lost = min(losses.height, max(most // 2, most - gains.height))
    return pl.concat([gains.head(most - lost), losses.head(lost)])


def shown_in_full(basis: Evidence) -> pl.DataFrame:
    """The queries whose rankings are shown side by side, those of the system that is looked at closest."""
    if not basis.system or not basis.changed or not basis.counts:
        return _NONE
    every = basis.differences_of(basis.system)
    if isinstance(every, ParameterError):
        return _NONE
    # A system without a number has no difference, and may lack the query.
    frame = every.filter(pl.col("difference").is_not_nan())
    if frame.height == 1:  # all there is: the value need not change, but the rankings may
        return frame
    return most_changed(frame, basis.changed, basis.higher_is_better(basis.main)) if frame.height else frame


def _values(basis: Basis) -> pl.DataFrame:
    """Every query's value under the main measure, of the systems that are looked at closely: one column for each."""
    columns = {name: basis.column_of(name) for name in basis.detailed}
    if basis.evaluation is None:
        paired = basis.paired[basis.main]
        values = np.asarray(paired.unit_values())[:, [paired.systems.index(name) for name in columns]]
        frame = pl.DataFrame({"query_id": paired.units, **dict(zip(columns.values(), values.T, strict=True))})
    else:
        every = basis.evaluation.to_frame(per_query=True).filter(pl.col("system").is_in(basis.detailed))
        every = every.with_columns(pl.col("system").replace(columns))
        frame = every.pivot("system", index="query_id", values=basis.main, maintain_order=True)
    return frame.select("query_id", _text(basis, frame), pl.col(*columns.values()).fill_null(math.nan))


def _text(basis: Basis, frame: pl.DataFrame) -> pl.Series:
    """The text of each query of a table."""
    texts = basis.texts.of_queries(frame["query_id"].to_list())
    return pl.Series("text", texts.values(), dtype=pl.String)


def _levels(basis: Basis, evaluation: Evaluation) -> pl.DataFrame:
    measures = level_measures(_LEVELS, evaluation.compat)  # type: ignore[arg-type]  # rules and profiles share names
    results = {}
    for name in basis.detailed:
        ranks = basis.on_units(evaluation.system(name).ranks, basis.main)  # the same topics as in the table
        results[name] = {
            measure: measure.per_unit(ranks, seed=evaluation.seed, samples=evaluation.samples) for measure in measures
        }
    # What was refused as undefined was so under the measures asked for; the curve is not one of them.
    undefined = "counted_as" if evaluation.undefined == "error" else evaluation.undefined
    frame: pl.DataFrame = averaged_precision(results, undefined)[0].drop_nulls("precision")
    return frame


def _bounds(basis: Basis, evaluation: Evaluation, problems: list[Note | str]) -> pl.DataFrame:
    """The lowest and highest numbers with other grades for unjudged documents; and why there are none, as `problems`.

    Of many systems, under the measures that verdicts are told in words by; `Comparison.bounds` has the others.
    """
    is_open = not (basis.is_complete or evaluation.is_golden)
    measures = set(basis.paired) if basis.counts and is_open else set()
    if basis.told and len(basis.measures) * len(basis.detailed) > _MOST_BOUNDS:
        measures &= {finding.measure for finding in basis.told}
    rows = []
    for name in (name for name in basis.measures if name in measures):
        try:
            for system in basis.detailed:
                ranks = basis.on_units(basis.counts[system], name)
                limits = bounds_of(basis.measure(name), ranks, evaluation.undefined)
                value = basis.standings[name, system][0]
                rows.append((system, name, value, limits.mean_low, limits.mean_high, limits.exact))
        except ParameterError as problem:
            problems.append(Note.of_problem(problem, lead="unjudged documents are not looked at: "))
    return pl.DataFrame(rows, schema=["system", "measure", "value", "low", "high", "exact"], orient="row")


def _queries(basis: Basis, chosen: pl.DataFrame) -> tuple[list[dict[str, Any]], pl.DataFrame]:
    """The facts about each query: values, both rankings with what each rank adds, and the best possible value.

    `best` is None where it is not known; `no_steps` says why ranks add nothing. And the documents that changed.
    """
    measure = basis.measure(basis.main)
    names = {"baseline": basis.baseline, "system": basis.system}
    depth = basis.show
    ranks = {side: on_units(basis.counts[name], chosen["query_id"]) for side, name in names.items()}
    no_steps = why_no_shares(measure, ranks["baseline"]) or ""
    best = {} if no_steps else _best_values(measure, ranks["baseline"])
    moved = changes(measure, ranks["baseline"], ranks["system"], ("baseline", "system"), depth)
    texts = basis.texts.of_documents(moved["doc_id"].to_list())
    words = [texts[document] for document in moved["doc_id"]]
    moved = moved.with_columns(pl.DataFrame(words, schema={"title": pl.String, "text": pl.String}, orient="row"))
    queries = []
    for row in chosen.iter_rows(named=True):
        query: dict[str, Any] = {"measure": basis.main, "query_id": row["query_id"], "text": row["text"]}
        for side, value in (("baseline", row["baseline_value"]), ("system", row["value"])):
            ranking = _ranking(moved.filter(query_id=row["query_id"]), side, depth)
            added = {} if no_steps else _added(measure, ranks[side], row["query_id"])
            query[side] = {"system": names[side], "value": value, **_steps(ranking, added)}
        most = best.get(row["query_id"], math.nan)
        # Where a value is higher, the measure has another idea of what is best.
        known = most >= max(row["value"], row["baseline_value"])
        query |= {"difference": row["difference"], "best": most if known else None, "no_steps": no_steps}
        queries.append(query)
    return queries, moved


def _ranking(moved: pl.DataFrame, side: str, depth: int) -> list[dict[str, Any]]:
    """One side's documents; `grade` is None if nobody judged it, `other_rank` None if the other system lacks it."""
    rank = f"rank_{side}"
    other = "rank_system" if side == "baseline" else "rank_baseline"
    documents = moved.filter(pl.col(rank) <= depth).sort(rank)
    facts = ("doc_id", "title", "text", "grade", "change")
    return documents.select(pl.col(rank).alias("rank"), *facts, pl.col(other).alias("other_rank")).to_dicts()


def _added(measure: Measure, ranks: Ranks, query: str) -> dict[int, float]:
    """The amount that each rank adds to the value of a query."""
    of_query = as_judged(ranks).only(np.array([each == query for each in ranks.queries], dtype=np.bool_))
    result = measure.per_unit(of_query)
    shares = result.shares()
    at_rank = dict[int, float]()
    if shares is not None and not np.isnan(result.values[0]):
        for rank, share in zip(shares.rank.tolist(), shares.share.tolist(), strict=True):
            at_rank[rank] = at_rank.get(rank, 0.0) + share
    return at_rank


def _steps(ranking: list[dict[str, Any]], at_rank: dict[int, float]) -> dict[str, Any]:
    """The ranking with what each rank adds and the value so far; `below` adds up all that stands further down."""
    if not at_rank:
        return {"ranking": [item | {"adds": None, "running": None} for item in ranking], "below": None}
    adds = [at_rank.pop(item["rank"], 0.0) for item in ranking]
    running = list(accumulate(adds))
    steps = [item | {"adds": add, "running": so_far} for item, add, so_far in zip(ranking, adds, running, strict=True)]
    rest = sum(at_rank.values())
    deeper = [rank for rank, share in at_rank.items() if share]
    so_far = (running[-1] if running else 0.0) + rest
    below = {"rank": max(deeper), "adds": rest, "running": so_far} if deeper else None
    return {"ranking": steps, "below": below}


def _best_values(measure: Measure, ranks: Ranks) -> dict[str, float]:
    """The value of each query if what is relevant stood first, best first; nothing where that need not be best."""
    judged = as_judged(ranks)
    by_grade = not isinstance(measure.parameters.get("gain"), tuple) and judged.subtopics is None
    if not by_grade or not measure.definition.higher_is_better or judged.policies.depth is not None:
        return {}
    ideal = judged.ideal.where(judged.ideal.grade > 0)
    counts = np.bincount(ideal.query, minlength=len(judged.queries))
    values = measure.per_unit(replace(judged, hits=ideal, retrieved=counts)).values.tolist()
    return {query: value for query, value in zip(judged.queries, values, strict=True) if not np.isnan(value)}
