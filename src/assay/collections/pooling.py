"""Pools: which documents of which runs to judge, in which order, and what each run adds."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np
import polars as pl

from assay.core.domains import Choice, Whole
from assay.core.errors import InputError, ParameterError, number_of
from assay.core.results import Result
from assay.subjects.ranking.evaluation import named_runs

Strategy: TypeAlias = Literal["depth", "take", "fair-take", "rbp", "rrf"]
Order: TypeAlias = Literal["priority", "random"]

#: How patient the reader is in `rbp`, and how much deep ranks count in `rrf`, as is usual.
RBP_PERSISTENCE, RRF_CONSTANT = 0.8, 60
#: What pools of shared tasks have mostly: outside of this there is a warning.
USUAL_DEPTH, USUAL_RUNS = (50, 200), (10, 20)
#: Runs that share more of their first documents than this are alike.
_ALIKE = 0.9

PAIR = ["query_id", "doc_id"]


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
    def of(cls, runs: Any, *, depth: int | None = None, groups: Mapping[str, str] | None = None) -> RunRanks:
        """Read runs down to a depth, ranked as they are evaluated: by score, then by document id, both descending."""
        opened = named_runs(runs)
        parts = [_ranked(run, name, depth) for name, run in opened.items()]
        stated = dict(groups or {})
        for name in stated:
            if name not in opened:
                raise ParameterError(f"a group is given for {name!r}, but the runs are {', '.join(opened)}")
        frame = pl.concat(parts)
        if not frame.height:
            raise InputError("the runs hold no documents: there is nothing to pool")
        return cls(frame, tuple(opened), {name: stated.get(name, name) for name in opened})

    def lists(self) -> dict[str, list[list[str]]]:
        """The documents of each run, best first, by topic."""
        by_run = self.frame.group_by("query_id", "run", maintain_order=True).agg("doc_id")
        places = {name: place for place, name in enumerate(self.runs)}
        lists: dict[str, list[list[str]]] = {}
        for query, run, documents in by_run.iter_rows():
            lists.setdefault(query, [[] for _ in self.runs])[places[run]] = documents
        return lists


def _ranked(run: Any, name: str, depth: int | None) -> pl.DataFrame:
    frame = run.read().frame.select(*PAIR, "score")
    frame = frame.unique(PAIR, keep="first", maintain_order=True)
    frame = frame.sort("query_id", "score", "doc_id", descending=[False, True, True], nulls_last=True)
    frame = frame.select(*PAIR, run=pl.lit(name), rank=pl.int_range(1, pl.len() + 1).over("query_id"))
    return frame if depth is None else frame.filter(pl.col("rank") <= depth)


@dataclass(frozen=True, eq=False)
class Pool(Result):
    """Documents to judge: `query_id, doc_id, order, best_rank, runs, groups, first_run, inclusion`.

    `order` is the place in which a topic's documents are to be judged. `inclusion` is how probable it was that a
    document got in: 1 but in samples. `sources` has one row per document and run that ranks it high enough.
    """

    kind: ClassVar[str] = "pool"

    frame: pl.DataFrame
    sources: pl.DataFrame
    ranks: RunRanks
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

    def to_frame(self) -> pl.DataFrame:
        """The pool, one row per document of a topic."""
        return self.frame

    def sizes(self) -> pl.DataFrame:
        """How many documents each topic has to judge."""
        return self.frame.group_by("query_id", maintain_order=True).agg(documents=pl.len())

    def contributions(self, relevant: pl.DataFrame | None = None) -> pl.DataFrame:
        """What each run and group adds: documents in the pool, and those that no other run, or no other group, has.

        `relevant`: pairs of `query_id` and `doc_id` that are relevant, to count these, too.

        >>> pool = make_pool({"a": {"q": {"d1": 2.0, "d2": 1.0}}, "b": {"q": {"d2": 1.0}}}, depth=10)
        >>> pool.contributions().select("run", "documents", "unique").rows()
        [('a', 2, 1), ('b', 1, 0)]
        """
        rows = self.sources.with_columns(
            group=pl.col("run").replace_strict(dict(self.ranks.groups), return_dtype=pl.String)
        ).join(self.frame.select(PAIR), on=PAIR, how="semi")
        rows = rows.with_columns(
            unique=pl.col("run").n_unique().over(PAIR) == 1, unique_to_group=pl.col("group").n_unique().over(PAIR) == 1
        )
        counts = [pl.len().alias("documents"), pl.col("unique", "unique_to_group").sum()]
        if relevant is not None:
            pairs = relevant.select(PAIR).unique().with_columns(relevant=pl.lit(True))
            rows = rows.join(pairs, on=PAIR, how="left", maintain_order="left").with_columns(
                pl.col("relevant").fill_null(False)
            )
            counts += [
                pl.col("relevant").sum(),
                (pl.col("relevant") & pl.col("unique")).sum().alias("unique_relevant"),
                (pl.col("relevant") & pl.col("unique_to_group")).sum().alias("unique_relevant_to_group"),
            ]
        table = rows.group_by("run", "group").agg(counts)
        places = {name: place for place, name in enumerate(self.ranks.runs)}
        return table.sort(pl.col("run").replace_strict(places, return_dtype=pl.Int64))


def make_pool(
    runs: Any,
    *,
    strategy: Strategy = "depth",
    depth: int = 100,
    budget: int | None = None,
    order: Order = "random",
    groups: Mapping[str, str] | None = None,
    seed: int = 0,
) -> Pool:
    """Pool the first documents of several runs: each once, with the runs that it comes from.

    `depth`: how far each run is read. `budget`: so many documents of each topic at most, by the strategy: the first
    ranks of all runs in turn (`take`, or `fair-take` with the runs of each rank in random order), or the largest sum of
    rank-biased weights (`rbp`) or of reciprocal ranks (`rrf`). `depth` takes all. `order`: in which documents are
    judged: at random (so that judges cannot tell where one stood), or best first.

    >>> pool = make_pool({"a": {"q": {"d1": 2.0, "d2": 1.0}}, "b": {"q": {"d2": 1.0}}}, depth=1)
    >>> sorted(pool.frame["doc_id"])
    ['d1', 'd2']
    """
    Choice(get_args(Strategy)).check("strategy", strategy)
    Choice(get_args(Order)).check("order", order)
    Whole(1).check("depth", depth)
    if budget is not None:
        Whole(1).check("budget", budget)
        if strategy == "depth":
            raise ParameterError("a budget needs a strategy that says which documents come first: take, rbp, rrf, ...")
    elif strategy != "depth":
        raise ParameterError(f"strategy {strategy!r} needs a budget: so many documents of each topic")
    ranks = RunRanks.of(runs, depth=depth, groups=groups)
    rng = np.random.default_rng(Whole(0).check("seed", seed))
    sources = ranks.frame
    documents = sources.group_by(PAIR, maintain_order=True).agg(
        best_rank=pl.col("rank").min(),
        runs=pl.col("run").n_unique(),
        first_run=pl.col("run").sort_by("rank").first(),
        weight=_weight(strategy),
    )
    documents = documents.with_columns(chance=pl.Series(rng.random(documents.height)))
    by = ["chance"] if strategy == "fair-take" else [pl.int_range(pl.len())]
    documents = documents.sort("query_id", pl.col("weight").neg(), "best_rank", *by, maintain_order=True)
    place = pl.int_range(1, pl.len() + 1).over("query_id")
    documents = documents.with_columns(priority=place)
    if budget is not None:
        documents = documents.filter(pl.col("priority") <= budget)
    if order == "random":
        documents = documents.sort("query_id", "chance")
    documents = documents.with_columns(order=place, inclusion=pl.lit(1.0)).drop("weight", "chance")
    frame = documents.select(*PAIR, "order", "priority", "best_rank", "runs", "first_run", "inclusion")
    settings = {"strategy": strategy, "depth": depth, "budget": budget, "order": order, "seed": seed}
    return Pool(frame, sources, ranks, settings, tuple(pool_warnings(ranks, depth)))


def pool_of(ranks: RunRanks, depth: int) -> pl.DataFrame:
    """The documents of the pool of a depth: `query_id, doc_id`.

    >>> pool_of(RunRanks.of({"a": {"q": {"d1": 2.0, "d2": 1.0}}}), 1).rows()
    [('q', 'd1')]
    """
    return ranks.frame.filter(pl.col("rank") <= depth).select(PAIR).unique(maintain_order=True)


def _weight(strategy: str) -> pl.Expr:
    """What a document is worth, from its ranks in the runs that have it."""
    rank = pl.col("rank").cast(pl.Float64)
    if strategy == "rbp":
        return ((1 - RBP_PERSISTENCE) * RBP_PERSISTENCE ** (rank - 1)).sum()
    if strategy == "rrf":
        return (1 / (RRF_CONSTANT + rank)).sum()
    return -rank.min()


def pool_warnings(ranks: RunRanks, depth: int) -> list[str]:
    """What is unusual about the runs and the depth."""
    warnings = []
    low, high = USUAL_RUNS
    if len(ranks.runs) < low:
        few = number_of("run", len(ranks.runs))
        warnings.append(f"{few}: shared tasks pool {low} to {high} systems; what none of these finds is never judged")
    if depth < USUAL_DEPTH[0]:
        warnings.append(f"a depth of {depth} is shallow: {USUAL_DEPTH[0]} to {USUAL_DEPTH[1]} is usual")
    elif depth > USUAL_DEPTH[1]:
        warnings.append(f"a depth of {depth} is deep: {USUAL_DEPTH[0]} to {USUAL_DEPTH[1]} is usual, and costs less")
    alike = overlaps(ranks).filter((pl.col("overlap") > _ALIKE) & (pl.col("first") < pl.col("second")))
    if alike.height:
        pair = alike.sort("overlap", descending=True).row(0, named=True)
        warnings.append(
            f"{number_of('pair', alike.height)} of runs are nearly the same documents, as {pair['first']} and "
            f"{pair['second']} ({pair['overlap']:.0%}): such runs add little to a pool"
        )
    return warnings


def overlaps(ranks: RunRanks) -> pl.DataFrame:
    """Of every two runs, the share of their documents that both have: intersection over union, over all topics.

    >>> ranks = RunRanks.of({"a": {"q": {"d1": 2.0, "d2": 1.0}}, "b": {"q": {"d2": 1.0}}})
    >>> overlaps(ranks).row(1)
    ('a', 'b', 0.5)
    """
    membership = _membership(ranks)
    shared = membership.T @ membership
    sizes = np.diag(shared)
    union = sizes[:, None] + sizes[None, :] - shared
    share = shared / np.maximum(union, 1)
    first, second = np.meshgrid(np.arange(len(ranks.runs)), np.arange(len(ranks.runs)), indexing="ij")
    names = np.array(ranks.runs)
    return pl.DataFrame({"first": names[first.ravel()], "second": names[second.ravel()], "overlap": share.ravel()})


def _membership(ranks: RunRanks) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Which run (column) has which document of a topic (row)."""
    pairs = ranks.frame.select(pl.struct(PAIR).rank("dense").alias("pair"), "run")
    places = {name: place for place, name in enumerate(ranks.runs)}
    row = pairs["pair"].to_numpy().astype(np.int64) - 1
    column = pairs["run"].replace_strict(places, return_dtype=pl.Int64).to_numpy()
    table = np.zeros((int(row.max()) + 1, len(ranks.runs)), dtype=np.float32)
    table[row, column] = 1
    return table


def read_groups(path: str | os.PathLike[str], runs: Sequence[str]) -> dict[str, str]:
    """Which group each run is of, from a table of `run,group`; runs that it does not name are groups of their own."""
    from assay.files.named_columns import read_named_columns  # noqa: PLC0415
    from assay.files.sources import Source  # noqa: PLC0415

    table = read_named_columns(Source(path), "a header with `run` and `group`, then one run a line")
    for column in ("run", "group"):
        if column not in table.frame.columns:
            raise table.error(0, f"a column `{column}`", ", ".join(table.frame.columns))
    named = dict(zip(table.ids("run", "run"), table.ids("group", "group"), strict=True))
    return {run: group for run, group in named.items() if run in runs}
