"""Runs as pools take them: the first documents of each, what is judged of them, and what they have in common."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from assay.core.errors import DuplicateError, InputError, ParameterError, listed, number_of, of_kind, quote
from assay.files.manifest import CollectionFolder, is_collection, open_collection
from assay.files.named_columns import named_columns
from assay.subjects.ranking.evaluation import judgments_of, named_runs

PAIR = ["query_id", "doc_id"]


def known_grades(qrels: Any) -> pl.DataFrame:
    """Judgments as far as there are any, also those below 0; of several judges, the highest grade."""
    if qrels is None:
        return pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String, "relevance": pl.Float64})
    frame = judgments_of(qrels).frame.select(*PAIR, pl.col("relevance").cast(pl.Float64))
    return frame.group_by(PAIR, maintain_order=True).agg(pl.col("relevance").max())


@dataclass(frozen=True, eq=False)
class RunRanks:
    """The first documents of several runs: `query_id, doc_id, run, rank`; and the group that each run is of.

    >>> ranks = RunRanks.of({"a": {"q": {"d1": 2.0, "d2": 1.0}}, "b": {"q": {"d2": 1.0}}}, depth=1)
    >>> ranks.frame.rows()
    [('q', 'd1', 'a', 1), ('q', 'd2', 'b', 1)]
    """

    frame: pl.DataFrame
    runs: tuple[str, ...]
    groups: Mapping[str, str]

    @classmethod
    def of(
        cls,
        runs: Any,
        *,
        depth: int | None = None,
        groups: Mapping[str, str] | None = None,
        topics: Iterable[str] | None = None,
    ) -> RunRanks:
        """Read runs down to a depth, ranked as they are evaluated: by score, then by document id, both descending.

        A collection brings its runs and their groups. `topics`: only these.
        """
        if is_collection(runs):
            collection = open_collection(runs)
            runs, groups = collection.run_files(), groups_in(collection) if groups is None else groups
        opened = named_runs(runs)
        stated = dict(groups or {})
        for name in stated:
            if name not in opened:
                raise ParameterError(f"a group is given for {name!r}, but the runs are {', '.join(opened)}")
        wanted = None if topics is None else list(topics)
        frame = pl.concat([_ranked(run, name, depth, wanted) for name, run in opened.items()])
        if not frame.height:
            where = "" if wanted is None else f" for the {number_of('topic', len(wanted))} asked for"
            raise InputError(f"the runs hold no documents{where}: there is nothing to pool")
        return cls(frame, tuple(opened), {name: stated.get(name, name) for name in opened})

    def within(self, depth: int | None) -> RunRanks:
        """The same down to a depth."""
        return self if depth is None else replace(self, frame=self.frame.filter(pl.col("rank") <= depth))

    @property
    def places(self) -> dict[str, int]:
        """The place of each run among all."""
        return {name: place for place, name in enumerate(self.runs)}

    def lists(self) -> dict[str, list[list[str]]]:
        """The documents of each run, best first, by topic."""
        by_run = self.frame.group_by("query_id", "run", maintain_order=True).agg("doc_id")
        places = self.places
        lists: dict[str, list[list[str]]] = {}
        for query, run, documents in by_run.iter_rows():
            lists.setdefault(query, [[] for _ in self.runs])[places[run]] = documents
        return lists


def _ranked(run: Any, name: str, depth: int | None, topics: list[str] | None) -> pl.DataFrame:
    frame: pl.DataFrame = run.read().frame.select(*PAIR, "score")
    if topics is not None:
        frame = frame.filter(pl.col("query_id").is_in(topics))
    if depth is not None:  # to sort all of a run takes longer than to look for its first documents
        frame = frame.filter(pl.col("score").rank("min", descending=True).over("query_id") <= depth)
    if (repeated := frame.select(PAIR).is_duplicated()).any():
        query_id, doc_id = frame.filter(repeated).select(PAIR).row(0)
        note = f"document {quote(doc_id)} comes again in query {quote(query_id)}"
        raise DuplicateError(*run.whereabouts(query_id, doc_id), expected="each document once in a query", note=note)
    frame = frame.sort("query_id", "score", "doc_id", descending=[False, True, True], nulls_last=True)
    frame = frame.select(*PAIR, run=pl.lit(name), rank=pl.int_range(1, pl.len() + 1).over("query_id"))
    return frame if depth is None else frame.filter(pl.col("rank") <= depth)


def judged_pairs(qrels: Any) -> pl.DataFrame:
    """Judged pairs: `query_id, doc_id, relevance`; documents that were pooled but not judged (-1) are left out.

    >>> judged_pairs({"q": {"a": 1, "b": -1}}).rows()
    [('q', 'a', 1.0)]
    """
    table = judgments_of(qrels)
    if len(table.judges) > 1:
        raise InputError(
            f"{table.name}: expected one judgment of each document, got those of {listed(list(table.judges))}: "
            "aggregate them first"
        )
    frame = table.frame.select(*PAIR, pl.col("relevance").cast(pl.Float64)).filter(pl.col("relevance") >= 0)
    if not frame.height:
        raise InputError(f"{table.name}: no document is judged")
    return frame


def one_sided(judged: pl.DataFrame, complete: str) -> list[str]:
    """A warning if all judgments are alike: nothing is relevant, or everything is; `complete` says what follows."""
    if not (judged["relevance"] > 0).any():
        return ["no judged document is relevant: there is nothing to find"]
    if not (judged["relevance"] > 0).all():
        return []
    return [f"every judged document is relevant, as in a list of right answers: {complete}"]


def pool_of(ranks: RunRanks, depth: int) -> pl.DataFrame:
    """The documents of the pool of a depth: `query_id, doc_id`.

    >>> pool_of(RunRanks.of({"a": {"q": {"d1": 2.0, "d2": 1.0}}}), 1).rows()
    [('q', 'd1')]
    """
    return ranks.frame.filter(pl.col("rank") <= depth).select(PAIR).unique(maintain_order=True)


def empty_runs(ranks: RunRanks) -> list[str]:
    """Warnings about runs without documents for the topics that are looked at."""
    present = set(ranks.frame["run"].unique())
    lacking = [name for name in ranks.runs if name not in present]
    return [f"no documents for these topics in {of_kind('run', lacking)}"] if lacking else []


def overlaps(ranks: RunRanks) -> pl.DataFrame:
    """Of every two runs, the share of their documents that both have: intersection over union, over all topics.

    >>> ranks = RunRanks.of({"a": {"q": {"d1": 2.0, "d2": 1.0}}, "b": {"q": {"d2": 1.0}}})
    >>> overlaps(ranks).row(1)
    ('a', 'b', 0.5)
    """
    _, holds = membership(ranks)
    shared = (holds.T @ holds).toarray()
    sizes = np.diag(shared)
    share = shared / np.maximum(sizes[:, None] + sizes[None, :] - shared, 1)
    names = pl.Series(ranks.runs, dtype=pl.String)
    pairs = names.to_frame("first").join(names.to_frame("second"), how="cross", maintain_order="left_right")
    return pairs.with_columns(overlap=share.ravel())


def membership(ranks: RunRanks) -> tuple[pl.DataFrame, Any]:
    """The documents of topics, and which run (column) has which of them (row), as a sparse matrix."""
    from scipy.sparse import csr_array  # noqa: PLC0415  # slow to load

    column = pl.col("run").replace_strict(ranks.places, return_dtype=pl.Int64)
    rows = ranks.frame.select(*PAIR, column=column).group_by(PAIR, maintain_order=True).agg("column")
    columns = rows["column"].explode().to_numpy()
    ends = np.append(0, rows["column"].list.len().cum_sum().to_numpy())
    return rows.select(PAIR), csr_array((np.ones(len(columns)), columns, ends), (rows.height, len(ranks.runs)))


def read_groups(source: str | os.PathLike[str], runs: Sequence[str]) -> dict[str, str]:
    """The group of each run, from a table of `run,group` or a collection; others are groups of their own."""
    if is_collection(source):
        named = groups_in(open_collection(source))
    else:
        table = named_columns(source, "groups")
        columns = table.roles("groups")
        named = dict[str, str]()
        pairs = zip(table.ids(columns["run"], "run"), table.ids(columns["group"], "group"), strict=True)
        for row, (run, group) in enumerate(pairs):
            if named.setdefault(run, group) != group:
                raise table.error(row, f"one group for run {quote(run)}, which is of {quote(named[run])}", group)
        if not set(named) & set(runs):
            raise table.error(0, f"a run among {listed(list(runs))}", next(iter(named)))
    return {run: group for run, group in named.items() if run in runs}


def groups_in(collection: CollectionFolder) -> dict[str, str]:
    """The groups of runs that a collection states."""
    return {name: entry.group for name, entry in collection.runs.items() if entry.group}
