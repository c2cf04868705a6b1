"""What stands beside the steps of a ranking: its documents, and the number at every rank."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.measures.counting.judgments import Ints, Subtopics
from assay.measures.counting.ranks import Ranks
from assay.measures.registry import Measure
from assay.tables import picked
from assay.verbs.explanation.result import StepTable

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
    last, cutoff = max(table.frame["rank"].to_list(), default=0), measure.parameters["cutoff"] or 0
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
