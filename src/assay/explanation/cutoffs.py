"""The measure cut off at every rank: a column beside the steps."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from assay.counting.ranks import Ranks
from assay.explanation.working import StepTable
from assay.measures.registry import Measure

#: So far the values go at most, and so far if the list ends before: nothing is found there.
MOST = 1000
MOST_BEYOND = 100


class Cut(NamedTuple):
    """The tables with the new column, and what there is to say about it."""

    tables: list[StepTable]
    remarks: list[str]


def at_every_rank(tables: list[StepTable], measure: Measure, alone: Ranks, limit: int) -> Cut:
    """The measure cut off at every rank, in the first table that has ranks, down to the cut-off or the list's end.

    >>> from assay.measures import P
    >>> at_every_rank([], P @ 3, Ranks.from_grades([1]), 20).tables[0].frame["P@k"].to_list()
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
    return Cut(
        [*tables[:place], table._replace(frame=frame), *tables[place + 1 :]], [remark] if down_to < cutoff else []
    )
