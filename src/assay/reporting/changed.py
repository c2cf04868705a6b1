"""Query by query: every value, the differences from the baseline, and the rankings where they changed most."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.core.errors import ParameterError, joined, number_of
from assay.counting.ranks import Ranks
from assay.counting.retrieved import as_judged
from assay.measures.registry import Measure
from assay.rankings.changes import changes, why_no_shares
from assay.rankings.noticed import PAGE
from assay.reporting.basis import Basis, on_units
from assay.reporting.contents import (
    ChangedQuery,
    Contribution,
    Differences,
    Queries,
    QueryDifference,
    QueryValues,
    Ranked,
    Side,
)
from assay.reporting.texts import Texts

#: Of more queries than this, only the differences of one system are shown.
_MOST_QUERIES = 1000


def queries(basis: Basis, texts: Texts) -> Queries:
    """Every query's value under the main measure, of the systems that are looked at closely."""
    if basis.evaluation is None:
        paired = basis.paired[basis.main]
        places = [paired.systems.index(name) for name in basis.detailed]
        values = dict(zip(paired.units, paired.unit_values[:, places].tolist(), strict=True))
    else:
        measure = basis.measure(basis.main)
        of_systems = []
        for name in basis.detailed:
            system = basis.evaluation.system(name)
            of_systems.append(dict(zip(system.ranks.queries, system.results[measure].values.tolist(), strict=True)))
        units = dict.fromkeys(query for known in of_systems for query in known)
        values = {query: [known.get(query, float("nan")) for known in of_systems] for query in units}
    said = texts.of_queries(values)
    rows = (QueryValues(query, said[query], tuple(numbers)) for query, numbers in values.items())
    return Queries(basis.main, basis.detailed, tuple(rows))


def differences(basis: Basis, texts: Texts) -> tuple[list[Differences], list[str]]:
    """The differences from the baseline, the best change first: of the system looked at closest, then of the others."""
    findings = sorted(basis.findings(), key=lambda one: one.system != basis.system)
    if not findings and basis.system:
        return _untested(basis, texts), []
    looked_at = [one for one in findings if one.system in basis.detailed]
    shown = [one for one in looked_at if not one.all_zero]
    notes = []
    if same := [one.system for one in looked_at if one.all_zero]:
        in_part = any(one.all_zero and one.verdict.word != "identical" for one in looked_at)
        units = f"{basis.unit_kind} that both have a value for" if in_part else basis.unit_kind
        names, differ = joined(same, most=len(same)), "does" if len(same) == 1 else "do"
        notes.append(
            f"{names} {differ} not differ from {basis.baseline} on any {units} under {basis.main}: there are no "
            "differences to list, and no power to speak of"
        )
    if len(shown) > 1 and shown[0].units > _MOST_QUERIES:
        shown = shown[:1]
        notes.append(
            f"with {number_of(basis.unit_kind, shown[0].units)}, differences are shown of {basis.system} only; "
            "--system chooses another"
        )
    told: list[Differences] = []
    higher_is_better = basis.higher_is_better(basis.main)
    for one in shown:
        assert basis.comparison is not None  # there are findings
        try:
            frame = basis.comparison.queries(one.measure, one.system, one.baseline)
        except ParameterError as problem:
            return [], [*notes, str(problem)]
        rows = frame.sort("difference", descending=higher_is_better is not False, maintain_order=True).rows()
        said = texts.of_queries(row[0] for row in rows)
        told.append(
            Differences(
                one.measure,
                one.baseline,
                one.system,
                tuple(QueryDifference(query, said[query], *numbers) for query, *numbers, _, _ in rows),
            )
        )
    return told, notes


def _untested(basis: Basis, texts: Texts) -> list[Differences]:
    """Both values of what systems have in common, where that is too little for a test: one query, mostly."""
    if basis.evaluation is None or basis.measure(basis.main).is_micro:
        return []
    told = []
    values = queries(basis, texts)
    first = values.systems.index(basis.baseline)
    for system in sorted((name for name in values.systems if name != basis.baseline), key=lambda x: x != basis.system):
        second = values.systems.index(system)
        rows = [
            QueryDifference(
                row.query_id, row.text, row.values[first], row.values[second], row.values[second] - row.values[first]
            )
            for row in values.rows
        ]
        known = tuple(row for row in rows if not math.isnan(row.difference))
        if known:
            told.append(Differences(basis.main, basis.baseline, system, known))
    return told


def most_changed(given: Differences, number: int, higher_is_better: bool | None) -> list[QueryDifference]:
    """The queries with the largest gains, then those with the largest losses: half and half, if there are enough.

    What is a gain depends on the measure; of one that is neither good nor bad, rises come first.

    >>> rows = [QueryDifference(f"q{n}", "", 0.0, d, d) for n, d in enumerate([0.5, 0.2, 0.1, 0.0, -0.4])]
    >>> [one.query_id for one in most_changed(Differences("AP", "a", "b", tuple(rows)), 4, True)]
    ['q0', 'q1', 'q2', 'q4']
    """
    sign = -1 if higher_is_better is False else 1
    gains = [one for one in given.queries if sign * one.difference > 0]
    losses = [one for one in reversed(given.queries) if sign * one.difference < 0]
    half = number // 2
    lost = min(len(losses), max(half, number - len(gains)))
    return [*gains[: number - lost], *losses[:lost]]


class Shown(NamedTuple):
    """How many queries to show, and how many ranks of each."""

    queries: int
    ranks: int


def changed_queries(
    basis: Basis, given: Sequence[Differences], texts: Texts, shown: Shown
) -> tuple[list[ChangedQuery], list[str]]:
    """Both rankings of the queries that changed most, side by side, and what each rank adds."""
    if not given or not shown.queries:
        return [], []
    if basis.no_documents:
        return [], [basis.no_documents]
    chosen = most_changed(given[0], shown.queries, basis.higher_is_better(given[0].measure))
    if not chosen and len(given[0].queries) == 1:  # all there is: no value changed, but the rankings may have
        chosen = list(given[0].queries)
    if not chosen or given[0].system != basis.system:
        return [], []
    measure = basis.measure(given[0].measure)
    depth = max(shown.ranks, PAGE, int(measure.parameters.get("cutoff") or 0))
    both = basis.retrieved((basis.baseline, basis.system), depth)
    first, second = (on_units(both[name], [one.query_id for one in chosen]) for name in (basis.baseline, basis.system))
    moved = changes(measure, first, second, ("baseline", "system"), shown.ranks)
    known = texts.of_documents(moved["doc_id"].to_list())
    no_steps = why_no_shares(measure, first) or ""
    sides = _Sides(measure, moved, known, shown.ranks, adds_up=not no_steps)
    best = _best_values(measure, first) if not no_steps else {}
    told = []
    for one in chosen:
        before = sides.of(first, one.query_id, "baseline")._replace(system=basis.baseline, value=one.baseline_value)
        after = sides.of(second, one.query_id, "system")._replace(system=basis.system, value=one.value)
        most = best.get(one.query_id)
        if most is not None and most < max(one.value, one.baseline_value):
            most = None  # the measure has another idea of what is best
        told.append(
            ChangedQuery(
                given[0].measure,
                one.query_id,
                one.text,
                before,
                after,
                one.difference,
                most,
                no_steps,
            )
        )
    return told, []


class _Sides(NamedTuple):
    """What both rankings of all chosen queries are read off from."""

    measure: Measure
    moved: pl.DataFrame
    texts: dict[str, tuple[str, str]]
    depth: int
    adds_up: bool

    def of(self, ranks: Ranks, query: str, side: str) -> Side:
        """One side of a query; the system's name and value are filled in by the caller."""
        own, other = f"rank_{side}", "rank_system" if side == "baseline" else "rank_baseline"
        rows = self.moved.filter((pl.col("query_id") == query) & (pl.col(own) <= self.depth)).sort(own)
        ranking = tuple(
            Ranked(row[own], row["doc_id"], *self.texts[row["doc_id"]], row["grade"], row["change"], row[other])
            for row in rows.to_dicts()
        )
        return Side("", float("nan"), ranking, tuple(self._steps(ranks, query, ranking)) if self.adds_up else ())

    def _steps(self, ranks: Ranks, query: str, ranking: tuple[Ranked, ...]) -> list[Contribution]:
        """What each rank that is shown adds, and as the last step all that stands further down."""
        own = as_judged(ranks).only(np.array([one == query for one in ranks.queries], dtype=np.bool_))
        result = self.measure.per_unit(own)
        shares = result.shares()
        if shares is None or np.isnan(result.values[0]):
            return []
        at_rank: dict[int, float] = {}
        for rank, share in zip(shares.rank.tolist(), shares.share.tolist(), strict=True):
            at_rank[rank] = at_rank.get(rank, 0.0) + share
        adds = [at_rank.pop(one.rank, 0.0) for one in ranking]
        steps = [
            Contribution(one.rank, one.doc_id, one.grade, add, so_far)
            for one, add, so_far in zip(ranking, adds, accumulate(adds), strict=True)
        ]
        below = [rank for rank, share in at_rank.items() if share]
        if below:
            rest = sum(at_rank.values())
            steps.append(Contribution(max(below), "", None, rest, (steps[-1].running if steps else 0.0) + rest))
        return steps


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
