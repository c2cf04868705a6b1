"""Queries that a log and judgments name differently: by case and other ways of writing, or by text and by id."""

from __future__ import annotations

import polars as pl

from assay.core.errors import number_of, quote
from assay.measures.counting.id_normalisation import other_topics
from assay.tables import Qrels
from assay.tables.log import Log

#: More queries than this are not compared.
_MOST = 100_000


def other_names(qrels: Qrels, log: Log) -> list[str]:
    """A sentence if queries of the log would be judged but for how they are written, or for being named by their text.

    >>> log = Log.from_pages([("Flat tyre", ["d"], [])])
    >>> other_names(Qrels.of({"flat tyre": {"d": 1}}), log)
    ["1 query of the log would be judged but for upper and lower case: 'Flat tyre' there, 'flat tyre' in the judgments"]
    """
    named = log.impressions.select("query_id", "query_text").unique().drop_nulls("query_id").head(_MOST + 1).collect()
    judged = pl.Series(qrels.topics, dtype=pl.String)
    if not 0 < named.height <= _MOST:
        return []
    ids = named["query_id"].unique().sort()
    if (match := other_topics(ids, judged)) is not None:
        ours, theirs = quote(match.ours[0]), quote(match.theirs[0])
        return [
            f"{number_of('query', match.ours.len())} of the log would be judged but for {match.differ_in}: {ours} "
            f"there, {theirs} in the judgments"
        ]
    by_text = named.filter(
        ~pl.col("query_id").is_in(judged.implode()) & pl.col("query_text").is_in(judged.implode())
    ).sort("query_id")
    if not by_text.height:
        return []
    query, text = by_text.select("query_id", "query_text").row(0)
    count = number_of("query", by_text["query_id"].n_unique())
    return [f"{count} of the log would be judged by their text: {quote(query)} there is {quote(text)} in the judgments"]
