"""Checks for what is there twice."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from assay.core.errors import number_of
from assay.diagnosis.case import Case, System
from assay.diagnosis.findings import EXAMPLES, Example, Finding, pair
from assay.diagnosis.registry import check, finding

_PAIR = ("query_id", "doc_id")


@check(
    "duplicates", "ranking", "error",
    question="Does a document come twice in a query?",
    advice="find out why; until then `{duplicates=first}` or `best` makes evaluation go on",
)  # fmt: skip
def duplicates(system: System) -> Iterator[Finding]:
    """Rows of a run with a query and a document that came before."""
    again = system.repeated
    count = int(again.sum())
    if not count:
        return
    run = system.run
    rows = again.arg_true().head(EXAMPLES).to_list()
    examples = [Example(pair(*run.rows.row(row)[:2]), run.line(row)) for row in rows]
    pairs = run.rows.filter(again).select(*_PAIR).unique()
    scores = run.rows.join(pairs, on=_PAIR, how="semi").group_by(_PAIR).agg(pl.col("score").n_unique())["score"]
    differing = int((scores > 1).sum())
    with_scores = f", {differing} of them with different scores" if differing else ", always with the same score"
    lines = f"{number_of('line', count)} too many{with_scores}"
    message = f"{number_of('document', pairs.height)} more than once in a query ({lines})"
    yield finding("duplicates", "error", run, message, count, examples=examples)


@check(
    "judged-twice", "judgments", "error", "warning",
    question="Is a document judged twice for a query, with the same grade or with another?",
    advice="keep one judgment a document; where assessors disagree, decide by a rule such as the majority",
)  # fmt: skip
def judged_twice(case: Case) -> Iterator[Finding]:
    """Rows of judgments that come again; of several judges or subtopics, those of one."""
    file = case.judgments
    column = next((name for name in ("judge", "iteration") if name in file.rows.columns), None)
    keys = [*_PAIR, column] if case.has_judges and column else list(_PAIR)
    frame = file.rows.with_row_index("row")
    again = ~frame.select(pl.struct(keys).is_first_distinct()).to_series()
    if not again.any():
        return
    pairs = frame.filter(again).select(keys).unique()
    groups = frame.join(pairs, on=keys, how="semi", nulls_equal=True).with_columns(
        first=pl.col("relevance").first().over(keys), grades=pl.col("relevance").n_unique().over(keys)
    )
    for conflict in (True, False):
        chosen = groups.filter((pl.col("grades") > 1) == conflict)
        if not chosen.height:
            continue
        documents = chosen.n_unique(keys)
        others = chosen.filter(pl.col("relevance") != pl.col("first")) if conflict else _later(chosen, keys)
        examples = [
            Example(
                pair(row["query_id"], row["doc_id"])
                + (f": {row['relevance']:g}, before {row['first']:g}" if conflict else f": {row['relevance']:g} again"),
                file.line(row["row"]),
            )
            for row in others.sort("row").head(EXAMPLES).to_dicts()
        ]
        how = "with different grades" if conflict else "alike"
        message = f"{number_of('document', documents)} judged more than once, {how}"
        yield finding("judged-twice", "error" if conflict else "warning", file, message, documents, examples=examples)


def _later(rows: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    return rows.filter(~pl.struct(keys).is_first_distinct())


@check(
    "judges", "judgments", "error",
    question="Does column 2 of the judgments name several judges, or subtopics?",
    advice="choose a judge (`{judge}`), or say that they are subtopics (`{subtopics=True}`); evaluation needs to know",
)  # fmt: skip
def judges(case: Case) -> Iterator[Finding]:
    """Several judgments of a document that column 2 tells apart."""
    if not case.has_judges:
        return
    file = case.judgments
    column = next(name for name in ("judge", "iteration") if name in file.rows.columns)
    names = file.rows[column].unique().sort().to_list()
    message = f"documents are judged by {number_of('judge', len(names))}, or for as many subtopics"
    examples = (Example(", ".join(map(str, names[:5])) + (", …" if len(names) > 5 else "")),)
    yield finding("judges", "error", file, message, len(names), examples=examples)
