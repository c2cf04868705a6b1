"""Topics: drawn from a query log (evenly, by frequency, or from head, torso and tail), or written by hand."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import polars as pl

from assay.core.domains import Choice, Whole
from assay.core.errors import InputError, argument
from assay.core.evaluation_options import Seed
from assay.core.results import Result
from assay.files.atomic import write_text
from assay.files.sources import Readable, Source
from assay.files.topic_sections import EXPLANATION, as_sections
from assay.ground_truth.query_logs import asked_queries
from assay.tables import Topics
from assay.tables.log import Log
from assay.tables.roles import ColumnNames, named_by

SamplingPlan: TypeAlias = Literal["uniform", "frequency", "head-torso-tail"]
_PLANS = ("uniform", "frequency", "head-torso-tail")
_STRATA = ("head", "torso", "tail")


@dataclass(frozen=True, eq=False)
class TopicSample(Result):
    """Topics that were drawn from a log, with how they were drawn.

    `frame`: `query_id, title, frequency, stratum`. `strata`: for each stratum its distinct queries, its searches and
    their share of all, and how many queries were drawn. `notes`: how the log was read.
    """

    kind = "topic sample"

    log: str
    plan: SamplingPlan
    seed: int
    frame: pl.DataFrame
    strata: pl.DataFrame
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pl.DataFrame:
        """The topics."""
        return self.frame

    @property
    def topics(self) -> Topics:
        """The topics as a table, to be written to a file."""
        return Topics(self.frame, self.log, "sample of a query log")


def sample_topics(
    log: Readable | Source | list[str] | Log,
    size: int = 50,
    *,
    by: SamplingPlan = "uniform",
    fold_queries: bool = False,
    columns: ColumnNames = None,
    seed: Seed = 0,
) -> TopicSample:
    """Draw topics from a query log: a table with a column of queries, one query per line, or a click log.

    A column such as `frequency` says how often each query was asked; of a click log, result pages count. Queries count
    as they stand; with `fold_queries`, those that differ only in case and blanks are one. `columns`: which columns have
    which role, as in `columns={"query": "Searched for"}`.
    `by`: `uniform` (every distinct query has the same chance), `frequency` (a chance in proportion to its searches), or
    `head-torso-tail` (a third each from the queries that make up the first, second and last third of all searches).

    >>> log = ["Green tea", "green  tea", "iced tea", "milk"]
    >>> sample = sample_topics(log, 2, by="frequency", fold_queries=True, seed=0)
    >>> sample.frame.select("title", "frequency").rows()
    [('green tea', 2), ('iced tea', 1)]
    """
    size, seed = Whole(1).check("size", size), Whole(0).check("seed", seed)
    Choice(_PLANS).check("by", by)
    with named_by(columns):
        name, counts, remarks = asked_queries(log, fold=fold_queries)
    if counts.height < size:
        raise InputError(f"{name}: expected {size:,} different queries or more, got {counts.height:,}")
    before = (pl.col("frequency").cum_sum() - pl.col("frequency")) / pl.col("frequency").sum()
    stratum = pl.when(before < 1 / 3).then(pl.lit("head")).when(before < 2 / 3).then(pl.lit("torso"))
    counts = counts.with_columns(stratum=stratum.otherwise(pl.lit("tail")))
    rows = _drawn(counts, size, by, np.random.default_rng(seed))
    frame = counts[sorted(rows)]
    width = len(str(size))
    ids = [f"{number:0{width}}" for number in range(1, size + 1)]
    frame = frame.select(pl.Series("query_id", ids), pl.col("query").alias("title"), "frequency", "stratum")
    return TopicSample(name, by, seed, frame, _strata(counts, frame), remarks)


def _drawn(counts: pl.DataFrame, size: int, plan: str, random: np.random.Generator) -> list[int]:
    """The rows that are drawn; a stratum with too few queries leaves the rest to the others."""
    if plan == "uniform":
        return [int(row) for row in random.choice(counts.height, size, replace=False)]
    if plan == "frequency":
        weights = counts["frequency"].to_numpy().astype(float)
        return [int(row) for row in random.choice(counts.height, size, replace=False, p=weights / weights.sum())]
    rows: list[int] = []
    members = {stratum: (counts["stratum"] == stratum).arg_true().to_numpy() for stratum in _STRATA}
    for left, stratum in zip((3, 2, 1), sorted(_STRATA, key=lambda each: len(members[each])), strict=True):
        wanted = min(len(members[stratum]), (size - len(rows)) // left)
        rows += [int(row) for row in random.choice(members[stratum], wanted, replace=False)]
    return rows


def _strata(counts: pl.DataFrame, topics: pl.DataFrame) -> pl.DataFrame:
    """Of each stratum the distinct queries, the searches, their share of all, and the queries that were drawn."""
    sizes = counts.group_by("stratum").agg(queries=pl.len(), searches=pl.col("frequency").sum())
    taken = topics.group_by("stratum").agg(drawn=pl.len())
    strata = pl.DataFrame({"stratum": _STRATA}).join(sizes, on="stratum", how="left", maintain_order="left")
    strata = strata.join(taken, on="stratum", how="left", maintain_order="left").fill_null(0)
    share = pl.col("searches") / pl.col("searches").sum()
    return strata.select("stratum", "queries", "searches", share.alias("share"), "drawn")


def write_topics_to_edit(path: str | os.PathLike[str], size: int = 5, *, overwrite: bool = False) -> None:
    """Write empty topics as text to edit; `assay convert` writes those of a file so.

    A file that is there is not replaced, unless `overwrite` says so: somebody may have written in it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_topics_to_edit(Path(folder) / "topics.ini", 2)
    ...     (Path(folder) / "topics.ini").read_text().count("[topic")
    2
    """
    if not overwrite:
        refuse_edited(path)
    topics = Topics.of({str(number): "" for number in range(1, Whole(1).check("size", size) + 1)})
    write_text(path, f"{EXPLANATION}\n{as_sections(topics)}", overwrite=overwrite)


def refuse_edited(path: str | os.PathLike[str]) -> None:
    """Refuse to replace topics that somebody may have written in: a file in the format that is for editing."""
    if Path(path).is_file():
        other = f"name another file, or use {argument('overwrite', True)}"
        raise InputError(f"{path}: already exists, and may have been edited: {other}")
