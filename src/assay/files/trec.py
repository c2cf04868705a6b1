"""The formats of the reference tool: runs, and judgments in four or three columns."""

from __future__ import annotations

from assay.files.columns import Layout
from assay.files.registry import Fields, is_number, register

RUN_LAYOUT = Layout(
    columns=("query_id", "iteration", "doc_id", "rank", "score", "tag"),
    text=("query_id", "doc_id"),
    numbers=("score",),
    extra_columns=True,
)
QRELS_LAYOUT = Layout(
    columns=("query_id", "iteration", "doc_id", "relevance"),
    text=("query_id", "iteration", "doc_id"),
    numbers=("relevance",),
    finite=True,
)
SHORT_QRELS_LAYOUT = Layout(
    columns=("query_id", "doc_id", "relevance"), text=("query_id", "doc_id"), numbers=("relevance",), finite=True
)


@register("trec-run", "run", "TREC run", RUN_LAYOUT)
def trec_run(fields: Fields) -> bool:
    """Six columns or more, the fifth a number."""
    return len(fields) >= 6 and is_number(fields[4])


@register("trec-qrels", "qrels", "TREC qrels", QRELS_LAYOUT)
def trec_qrels(fields: Fields) -> bool:
    """Four columns, the last a number; the second is an iteration, or names the judge."""
    return len(fields) == 4 and is_number(fields[3])


@register("qrels-3", "qrels", "qrels in three columns", SHORT_QRELS_LAYOUT)
def short_qrels(fields: Fields) -> bool:
    """Three columns, the last a number."""
    return len(fields) == 3 and is_number(fields[2])
