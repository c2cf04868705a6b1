"""Checks of the rank column: whether it contradicts the scores, and whether it holds ranks at all."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from assay.core.errors import number_of, quote
from assay.diagnosis.case import System
from assay.diagnosis.findings import EXAMPLES, Example, Finding, Severity, pair, share
from assay.diagnosis.registry import check, finding

_SCORES_RISE = ": scores rise with the rank, as distances do"
_NOTHING = "nothing, as long as scores make the order; a rank that is no number may mean that an id holds a blank"
_SWAP = "exchange the two columns"


@check(
    "rank-conflict", "ranking", "error", "warning",
    question="Does the rank column contradict the scores (a worse rank with a higher score)?",
    advice="find out which is right: Assay and trec_eval order by score, some tools by rank (here `{rank_by=rank}`)",
)  # fmt: skip
def rank_conflict(system: System) -> Iterator[Finding]:
    """Ranks that say another order; an error if nearly all queries are exactly upside down."""
    conflicts = system.conflicts
    if not conflicts.queries:
        return
    run, ranked = system.run, system.ranked
    severity: Severity = "error" if system.ranks_are_upside_down else "warning"
    message = f"ranks contradict scores in {share(len(conflicts.queries), system.queries.height, 'query')}"
    message += _SCORES_RISE if system.ranks_are_upside_down else ""
    rows = ranked.select("query_id", "rank", "score", "row")
    examples = []
    for place, before in zip(conflicts.rows[:EXAMPLES].tolist(), conflicts.before[:EXAMPLES].tolist(), strict=True):
        query, rank, score, row = rows.row(place)
        _, other_rank, other_score, _ = rows.row(before)
        text = f"query {quote(query)}: rank {rank:g} has score {score:.6g}, rank {other_rank:g} only {other_score:.6g}"
        examples.append(Example(text, run.line(row)))
    yield finding("rank-conflict", severity, run, message, len(conflicts.queries), examples=examples)


@check(
    "ranks", "ranking", "error", "warning", "note",
    question="Are ranks no whole numbers, the same for several documents, with gaps, not from 1 on, or really scores?",
    advice=f"{_NOTHING}; {_SWAP} if ranks and scores stand in each other's place",
)  # fmt: skip
def ranks(system: System) -> Iterator[Finding]:
    """Ranks that are odd in themselves."""
    run = system.run
    if "rank" not in run.rows.columns:
        return
    if system.columns_are_swapped:
        message = "the score column counts 1, 2, 3 ... and the rank column falls as scores do: the two are swapped"
        yield finding("ranks", "error", run, message, system.queries.height, todo=_SWAP)
        return
    rank = run.rows["rank"]
    odd = {"no number": rank.is_null() | ~rank.is_finite(), "no whole number": rank.floor() != rank}
    for what, which in odd.items():
        rows = which.fill_null(value=False).arg_true()
        if rows.len():
            message = f"{number_of('rank', rows.len())} {'is' if rows.len() == 1 else 'are'} {what}"
            examples = [Example(_told(system, row), run.line(row)) for row in rows.head(EXAMPLES).to_list()]
            yield finding("ranks", "warning", run, message, rows.len(), examples=examples, todo=_NOTHING)
    yield from _gaps(system)


def _told(system: System, row: int) -> str:
    """The line itself, if it is known: it shows what stands in the place of a rank."""
    written = system.run.written(row)
    return pair(*system.run.rows.row(row)[:2]) if written is None else quote(" ".join(written.split()))


def _gaps(system: System) -> Iterator[Finding]:
    """Ranks that come twice, with gaps, or from another number on than 1."""
    if system.run.rows["rank"].has_nulls() or system.repeated.any():
        return
    place = pl.col("rank")
    queries = system.run.rows.group_by("query_id", maintain_order=True).agg(
        start=place.min(), end=place.max(), count=pl.len(), different=place.n_unique()
    )
    repeated = queries.filter(pl.col("different") < pl.col("count"))
    gaps = queries.filter(
        pl.col("different") == pl.col("count"), pl.col("end") - pl.col("start") + 1 != pl.col("count")
    )
    shifted = queries.filter(pl.col("start") != 1)
    if system.run.tolerated is not None:  # lines that could not be read leave gaps, which have been told as such
        gaps, shifted = gaps.clear(), shifted.clear()
    parts = {"the same rank twice": repeated, "gaps between ranks": gaps, "ranks that do not start at 1": shifted}
    parts_text = [f"{what} in {number_of('query', part.height)}" for what, part in parts.items() if part.height]
    if not parts_text:
        return
    rows_listed = pl.concat([part.head(1) for part in parts.values()]).unique(maintain_order=True)
    examples = [
        Example(
            f"query {quote(row['query_id'])}: {row['start']:g} to {row['end']:g}, {number_of('document', row['count'])}"
        )
        for row in rows_listed.to_dicts()
    ]
    count = max(part.height for part in parts.values())
    yield finding("ranks", "note", system.run, "; ".join(parts_text), count, examples=examples, todo=_NOTHING)
