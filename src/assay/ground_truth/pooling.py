"""Pools: which documents of which runs to judge, in which order, and what each run adds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np
import polars as pl

from assay.core.domains import Choice, Real, Whole
from assay.core.errors import ParameterError, number_of, of_kind
from assay.core.results import Result
from assay.ground_truth.run_ranks import PAIR, RunRanks, empty_runs, known_grades, overlaps
from assay.tables import Qrels

Strategy: TypeAlias = Literal["depth", "take", "rbp", "rrf", "sample"]
Order: TypeAlias = Literal["priority", "random"]

#: How patient the reader is in `rbp`, and how much deep ranks count in `rrf`, as is usual.
RBP_PERSISTENCE, RRF_CONSTANT = 0.8, 60
#: What pools of shared tasks have mostly: outside of this there is a warning.
USUAL_DEPTH, USUAL_RUNS = (50, 200), (10, 20)
#: Samples, unless stated: documents whose best rank is 10 or less are all judged, of deeper ones a share.
STRATA: Mapping[int, float] = {10: 1.0, 50: 0.5, 100: 0.25}
#: Runs that share more of their first documents than this are alike.
_ALIKE = 0.9


@dataclass(frozen=True, eq=False)
class Pool(Result):
    """Documents to judge: `query_id, doc_id, order, priority, best_rank, runs, first_run, stratum, inclusion`.

    `order` is the place in which a topic's documents are to be judged; null for documents of a sample that were not
    drawn. `stratum` is the deepest best rank of documents that are drawn alike (0: not a sample), `inclusion` how
    probable it was that a document is drawn: 1 but in samples. `sources` has one row per document and run that ranks it
    high enough, `deeper` the documents that one more rank would add. `judged`: the judgments that there are already.
    """

    kind: ClassVar[str] = "pool"

    frame: pl.DataFrame
    sources: pl.DataFrame
    ranks: RunRanks
    deeper: pl.DataFrame
    judged: pl.DataFrame
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

    def to_frame(self) -> pl.DataFrame:
        """The pool, one row per document of a topic."""
        return self.frame

    def to_judge(self) -> pl.DataFrame:
        """The documents that are to be judged: all, but in samples."""
        return self.frame.drop_nulls("order")

    def to_qrels(self) -> Qrels:
        """The judgments of the pool; what is in the pool and has none is -1, as trec_eval has it for `infAP`.

        >>> pool = make_pool({"a": {"q": {"d1": 2.0, "d2": 1.0}}}, depth=2, order="priority", qrels={"q": {"d1": 1}})
        >>> pool.to_qrels().frame["relevance"].to_list()
        [1.0, -1.0]
        """
        known = self.frame.select(PAIR).join(self.judged, on=PAIR, how="left", maintain_order="left")
        return Qrels(known.with_columns(pl.col("relevance").fill_null(-1.0)), "pool")

    def next_steps(self) -> pl.DataFrame:
        """The cost of one more rank, run or topic: documents on average, and from the fewest to the most.

        One more rank: by topic. One more run: what each run of the pool adds to the others. One more topic: what each
        topic has. Where judgments are known, relevant documents are counted, too.

        >>> pool = make_pool({"a": {"q": {"d1": 2.0, "d2": 1.0}}, "b": {"q": {"d3": 1.0}}}, depth=1)
        >>> pool.next_steps().select("step", "documents").rows()
        [('one more rank', 1.0), ('one more run', 1.0), ('one more topic', 2.0)]
        """
        to_judge = self.to_judge()
        sources = self.sources.join(to_judge, on=PAIR, how="semi")
        topics = self.frame.select(pl.col("query_id").unique())
        runs = pl.DataFrame({"run": self.ranks.runs})
        ways = {
            "one more rank": (self.deeper, topics),
            "one more run": (sources.filter(pl.len().over(PAIR) == 1), runs),
            "one more topic": (to_judge, topics),
        }
        relevant = self.judged.select(*PAIR, relevant=pl.col("relevance") > 0)
        rows = []
        for step, (pairs, units) in ways.items():
            counted = units.join(pairs, on=units.columns, how="left").join(relevant, on=PAIR, how="left")
            counts = counted.group_by(units.columns).agg(
                documents=pl.col("doc_id").count(), relevant=pl.col("relevant").sum()
            )
            documents = counts["documents"]
            row = {"step": step, "documents": documents.mean(), "fewest": documents.min(), "most": documents.max()}
            rows.append(row | {"in_all": self.deeper.height if step == "one more rank" else None}
                        | {"relevant": counts["relevant"].mean()})  # fmt: skip
        return pl.DataFrame(rows).drop([] if self.judged.height else ["relevant"])

    def contributions(self) -> pl.DataFrame:
        """Contributions of each run and group: documents in the pool, and those that no other run, or group, has.

        Where judgments are known, relevant documents are counted, too.

        >>> pool = make_pool({"a": {"q": {"d1": 2.0, "d2": 1.0}}, "b": {"q": {"d2": 1.0}}}, depth=10)
        >>> pool.contributions().select("run", "documents", "unique").rows()
        [('a', 2, 1), ('b', 1, 0)]
        """
        group = pl.col("run").replace_strict(dict(self.ranks.groups), return_dtype=pl.String)
        relevant = self.judged.select(*PAIR, relevant=pl.col("relevance") > 0)
        rows = self.sources.with_columns(group=group).join(self.to_judge(), on=PAIR, how="semi")
        rows = rows.join(relevant, on=PAIR, how="left", maintain_order="left").with_columns(
            pl.col("relevant").fill_null(False),
            unique=pl.col("run").n_unique().over(PAIR) == 1,
            unique_to_group=pl.col("group").n_unique().over(PAIR) == 1,
        )
        found = pl.col("relevant")
        table = rows.group_by("run", "group").agg(
            pl.len().alias("documents"),
            pl.col("unique", "unique_to_group").sum(),
            found.sum(),
            (found & pl.col("unique")).sum().alias("unique_relevant"),
            (found & pl.col("unique_to_group")).sum().alias("unique_relevant_to_group"),
        )
        hidden = [] if any(run != group for run, group in self.ranks.groups.items()) else ["group"]
        hidden += [] if self.judged.height else ["relevant"]
        shown = [name for name in table.columns if not any(word in name for word in hidden)]
        return table.sort(pl.col("run").replace_strict(self.ranks.places, return_dtype=pl.Int64)).select(shown)


def make_pool(
    runs: Any,
    *,
    strategy: Strategy = "depth",
    depth: int | None = None,
    budget: int | None = None,
    strata: Mapping[int, float] | None = None,
    order: Order = "random",
    groups: Mapping[str, str] | None = None,
    topics: Iterable[str] | None = None,
    qrels: Any = None,
    seed: int = 0,
) -> Pool:
    """Pool the first documents of several runs: each once, with the runs that it comes from.

    `depth`: how far each run is read (100). `budget`: at most so many documents per topic, by the strategy: the first
    ranks of all runs in turn (`take`), or the largest sum of rank-biased weights (`rbp`) or of reciprocal ranks
    (`rrf`). `depth` takes all. `sample` draws at random: `strata` says which share of the documents whose best rank is
    at most a number, as in `{10: 1.0, 50: 0.2}`. `order`: in which documents are judged: at random (so that judges
    cannot tell where one stood), or best first. `topics`: only these. `qrels`: judgments that there are already, to
    count which documents are relevant.

    >>> pool = make_pool({"a": {"q": {"d1": 2.0, "d2": 1.0}}, "b": {"q": {"d2": 1.0}}}, depth=1)
    >>> sorted(pool.frame["doc_id"])
    ['d1', 'd2']
    """
    Choice(get_args(Strategy)).check("strategy", strategy)
    Choice(get_args(Order)).check("order", order)
    rates = _rates(strategy, strata, depth)
    if rates:
        depth = max(rates)
    elif depth is None:
        depth = 100
    else:
        depth = Whole(1).check("depth", depth)
    _check_budget(strategy, budget)
    wanted = None if topics is None else list(topics)
    deep = RunRanks.of(runs, depth=depth + 1, groups=groups, topics=wanted)
    ranks = deep.within(depth)
    rng = np.random.default_rng(Whole(0).check("seed", seed))
    sources = ranks.frame
    documents = prioritised(ranks, strategy)
    documents = documents.with_columns(chance=pl.Series(rng.random(documents.height)))
    if budget is not None:
        documents = documents.filter(pl.col("priority") <= budget)
    documents = _drawn(documents, rates)
    place = pl.int_range(1, pl.len() + 1).over("query_id")
    documents = documents.sort("query_id", "out", "chance" if order == "random" else "priority")
    documents = documents.with_columns(order=pl.when(pl.col("out").not_()).then(place))
    frame = documents.select(*PAIR, "order", "priority", "best_rank", "runs", "first_run", "stratum", "inclusion")
    new = deep.frame.filter(pl.col("rank") == depth + 1).select(PAIR).unique(maintain_order=True)
    new = new.join(sources.select(PAIR), on=PAIR, how="anti")
    settings = {"strategy": strategy, "depth": depth, "budget": budget, "order": order, "seed": seed}
    settings |= {"strata": rates or None, "runs": list(ranks.runs), "topics": frame["query_id"].n_unique()}
    warnings = [*pool_warnings(ranks, depth), *_lacking(wanted, frame)]
    judged = known_grades(qrels)
    if qrels is not None and not frame.join(judged, on=PAIR, how="semi").height:
        warnings.append("no document of the pool has a judgment: are these of other topics, or other documents?")
    return Pool(frame, sources, ranks, new, judged, settings, tuple(warnings))


def _check_budget(strategy: str, budget: int | None) -> None:
    if budget is not None:
        Whole(1).check("budget", budget)
        if strategy in {"depth", "sample"}:
            raise ParameterError("a budget needs a strategy that says which documents come first: take, rbp or rrf")
    elif strategy not in {"depth", "sample"}:
        raise ParameterError(f"strategy {strategy!r} needs a budget: a number of documents per topic")


def _rates(strategy: str, strata: Mapping[int, float] | None, depth: int | None) -> dict[int, float]:
    """The share that is drawn by the deepest best rank; nothing where nothing is drawn."""
    if strategy != "sample":
        if strata is not None:
            raise ParameterError("strata go with strategy 'sample'")
        return {}
    stated = STRATA if strata is None else strata
    rates = {Whole(1).check("strata", rank): Real(0, 1).check("strata", rate) for rank, rate in stated.items()}
    if not rates or any(rate == 0 for rate in rates.values()):
        raise ParameterError("strata need a share above 0 for each depth, such as {10: 1.0, 50: 0.2}")
    if depth is not None and depth != max(rates):
        raise ParameterError(f"a sample is as deep as its strata, {max(rates)}: leave the depth out")
    return dict(sorted(rates.items()))


def prioritised(ranks: RunRanks, strategy: str) -> pl.DataFrame:
    """Each document of a topic once, numbered by `priority`: what the strategy would judge first."""
    number = len(ranks.runs)
    # Ranks, and the runs of a rank in their order, as one number: no two documents of a topic have the same least one.
    turn = pl.col("rank") * number + pl.col("run").replace_strict(ranks.places, return_dtype=pl.Int64)
    documents = (
        ranks.frame.with_columns(turn=turn)
        .group_by(PAIR)
        .agg(pl.col("turn").min(), runs=pl.len(), weight=_weight(strategy))
    )
    names = dict(enumerate(ranks.runs))
    return documents.sort("query_id", pl.col("weight").neg(), "turn").with_columns(
        best_rank=pl.col("turn") // number,
        first_run=(pl.col("turn") % number).replace_strict(names, return_dtype=pl.String),
        priority=pl.int_range(1, pl.len() + 1).over("query_id"),
    )


def _drawn(documents: pl.DataFrame, rates: Mapping[int, float]) -> pl.DataFrame:
    """A mask of the documents that are `out`: of each stratum of a topic, as many as its rate says, rounded up."""
    if not rates:
        return documents.with_columns(stratum=pl.lit(0, pl.Int64), inclusion=pl.lit(1.0), out=pl.lit(False))
    limits = pl.DataFrame({"stratum": list(rates), "rate": list(rates.values())}).with_columns(
        pl.col("stratum").cast(pl.Int64).alias("limit")
    )
    documents = documents.with_columns(pl.col("best_rank").cast(pl.Int64)).sort("best_rank", maintain_order=True)
    documents = documents.join_asof(limits, left_on="best_rank", right_on="limit", strategy="forward")
    stratum = ["query_id", "stratum"]
    number = (pl.col("rate") * pl.len().over(stratum) - 1e-9).ceil()
    return documents.with_columns(
        inclusion=number / pl.len().over(stratum),
        out=pl.col("chance").rank("ordinal").over(stratum) > number,
    )


def _lacking(topics: list[str] | None, frame: pl.DataFrame) -> list[str]:
    """Topics that were asked for and have no documents."""
    lacking = sorted(set(topics or ()) - set(frame["query_id"]))
    return [f"no run has documents for {of_kind('topic', lacking)}"] if lacking else []


def _weight(strategy: str) -> pl.Expr:
    """The weight of a document, from its ranks in the runs that have it."""
    rank = pl.col("rank").cast(pl.Float64)
    if strategy == "rbp":
        return ((1 - RBP_PERSISTENCE) * RBP_PERSISTENCE ** (rank - 1)).sum()
    if strategy == "rrf":
        return (1 / (RRF_CONSTANT + rank)).sum()
    return pl.lit(0.0)


def pool_warnings(ranks: RunRanks, depth: int) -> list[str]:
    """Warnings about unusual runs and depths."""
    warnings = empty_runs(ranks)
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
            f"{number_of('pair', alike.height)} of runs return nearly the same documents, such as {pair['first']} and "
            f"{pair['second']} ({pair['overlap']:.0%}): such runs add little to a pool"
        )
    return warnings
