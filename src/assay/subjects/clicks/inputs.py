"""Inputs of commands on clicks: a log with queries, judgments with grades."""

from __future__ import annotations

from typing import Any

import polars as pl

from assay.core.errors import InputError, listed, number_of
from assay.files.collections import read_qrels
from assay.files.logs import read_log
from assay.files.sources import is_file
from assay.measures.counting.click_counts import by_query_text, with_query_ids
from assay.measures.counting.clicked_lists import ClickedLists
from assay.subjects.clicks.query_names import other_names
from assay.tables import Qrels
from assay.tables.log import Log

_MERGES = {"query_id": pl.String, "written": pl.String, "pages": pl.Int64}


def opened_log(log: Any, *, same_text: bool = False) -> tuple[Log, pl.DataFrame]:
    """A log whose pages have queries; and which queries that read alike were taken for one, if they are.

    >>> opened_log(Log.from_pages([(None, ["d"], [])], query_text=["tea"]))[0].impressions.collect()["query_id"][0]
    'tea'
    """
    opened = with_query_ids(read_log(log))
    return by_query_text(opened) if same_text else (opened, pl.DataFrame(schema=_MERGES))


def opened_qrels(qrels: Any) -> Qrels:
    """Judgments, read if they are a file.

    >>> opened_qrels({"q1": {"d1": 1}}).topics
    ['q1']
    """
    return read_qrels(qrels) if is_file(qrels) else Qrels.of(qrels)


def clicked_lists(log: Log) -> ClickedLists:
    """The lists of a log, for models: without a click there is nothing to learn from."""
    lists = ClickedLists.from_log(log)
    if not lists.clicked.any():
        raise InputError(
            f"{log.origin}: expected clicks to fit a model to, got none on {number_of('page', len(lists))}"
        )
    return lists


def below_the_cutoff(cutoff: int, why: str = "no page shows more") -> str:
    """A warning that a cut-off was too deep."""
    return f"results below rank {cutoff} do not count: {why}"


def grades_shown(qrels: Qrels, log: Log) -> pl.DataFrame:
    """The grades, as in `grades_of`, of which the log must show some."""
    grades = grades_of(qrels)
    shown = log.results.join(log.impressions.select("impression", "query_id"), on="impression")
    if not shown.join(grades.lazy(), on=["query_id", "doc_id"], how="semi").head(1).collect().height:
        why = "; ".join(["none", *other_names(qrels, log)])
        raise InputError(f"{qrels.name}: expected judgments of documents that {log.origin} shows, got {why}")
    return grades


def grades_of(qrels: Qrels) -> pl.DataFrame:
    """The grades from 0 on, one per query and document: `query_id`, `doc_id`, `grade`.

    >>> grades_of(opened_qrels({"q1": {"d1": 1, "d2": -1}})).rows()
    [('q1', 'd1', 1.0)]
    """
    if len(qrels.judges) > 1:
        judges = f"{number_of('judge', len(qrels.judges))} ({listed(qrels.judges)})"
        raise InputError(f"{qrels.name}: expected one judgment per query and document, got those of {judges}")
    return qrels.frame.filter(pl.col("relevance") >= 0).select("query_id", "doc_id", grade="relevance")
