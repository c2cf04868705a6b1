"""The formats of the reference tool and of MS MARCO, whose fields are separated by blanks."""

from __future__ import annotations

import itertools
from functools import partial

from assay.files.columns import Layout
from assay.files.records import is_whole
from assay.files.registry import Head, Loaded, is_number, register
from assay.files.runs import RunFile, load_columns
from assay.files.sources import Source

RUN_LAYOUT = Layout(
    columns=("query_id", "iteration", "doc_id", "rank", "score", "tag"),
    text=("query_id", "doc_id"),
    numbers=("score",),
    extra_columns=True,
)
RANKED_LAYOUT = Layout(columns=("query_id", "doc_id", "rank"), text=("query_id", "doc_id"), numbers=("rank",))
QRELS_LAYOUT = Layout(
    columns=("query_id", "iteration", "doc_id", "relevance"),
    text=("query_id", "iteration", "doc_id"),
    numbers=("relevance",),
    finite=True,
)
SHORT_QRELS_LAYOUT = Layout(
    columns=("query_id", "doc_id", "relevance"), text=("query_id", "doc_id"), numbers=("relevance",), finite=True
)


def _shape(layout: Layout) -> str:
    return f"`{' '.join(layout.columns)}`"


def _run(title: str, layout: Layout, source: Source, name: str) -> RunFile:
    return RunFile(source, title, layout, name)


def _qrels(layout: Layout, source: Source, _name: str) -> Loaded:
    return load_columns(source, layout)


@register("trec-run", "run", "TREC run", _shape(RUN_LAYOUT), partial(_run, "TREC run", RUN_LAYOUT))
def trec_run(head: Head) -> bool:
    """Six columns or more, the fifth a number."""
    return len(head.fields) >= 6 and is_number(head.fields[4])


@register("msmarco-run", "run", "MS MARCO run", _shape(RANKED_LAYOUT), partial(_run, "MS MARCO run", RANKED_LAYOUT))
def msmarco_run(head: Head) -> bool:
    """Three columns, the last a rank: within a query no rank comes twice, and there is a second one."""
    rows = head.rows
    if any(len(row) != 3 or not is_whole(row[2]) for row in rows):
        return False
    queries = [[int(row[2]) for row in group] for _, group in itertools.groupby(rows, key=lambda row: row[0])]
    return all(len(set(ranks)) == len(ranks) for ranks in queries) and any({1, 2} <= set(ranks) for ranks in queries)


@register("trec-qrels", "qrels", "TREC qrels", _shape(QRELS_LAYOUT), partial(_qrels, QRELS_LAYOUT))
def trec_qrels(head: Head) -> bool:
    """Four columns, the last a number; the second is an iteration, or names the judge."""
    return len(head.fields) == 4 and is_number(head.fields[3])


@register("qrels-3", "qrels", "qrels in three columns", _shape(SHORT_QRELS_LAYOUT), partial(_qrels, SHORT_QRELS_LAYOUT))
def short_qrels(head: Head) -> bool:
    """Three columns, the last a number."""
    return len(head.fields) == 3 and is_number(head.fields[2])
