"""Pool bias: what the judgments would have missed without a group's runs, and can they judge a new system fairly?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from assay.core.domains import Whole
from assay.core.errors import ParameterError, number_of
from assay.core.results import Result
from assay.ground_truth.matching import matches, under_same_ids
from assay.ground_truth.run_ranks import PAIR, RunRanks, empty_runs, one_sided, pool_of
from assay.ground_truth.scoring import JudgedRuns, measures_of, orders_alike
from assay.measures import Measure
from assay.stats.pairing import Wanted
from assay.tables import Documents, Topics

#: What a collection is looked at by, unless other measures are named: the head of a ranking, all of it, and recall.
MEASURES = ("nDCG@10", "P@10", "RR", "AP", "R@100")
#: Of the first documents of all runs, this share is judged down to the depth of the pool.
_JUDGED = 0.95
#: A pool shallower than this cannot be told from judgments of other runs: then the usual first page is looked at.
_SHALLOWEST, _USUAL_CUTOFF = 5, 10
#: What a fair collection keeps: the order of systems, the numbers of all runs together, and of each good run.
LEAST_TAU, MOST_LOSS, MOST_LOSS_OF_ONE = 0.95, 0.05, 0.10
#: Where more of the judged documents are in no run's first ones, other runs were pooled, too.
_MOST_OUTSIDE = 0.2
#: Of fewer runs, tau has a few values only, and one may be fair by chance.
_FEW_RUNS = 5
#: Nothing is called fair by fewer topics or runs than this.
_FEWEST_TOPICS, _FEWEST_RUNS = 5, 3
#: How often one relevant document per topic is drawn, for judgments as sparse as those of large logs.
_DRAWS = 20


class FairnessVerdict(NamedTuple):
    """The verdict on whether judgments can score a system outside the pool, by a measure; and its basis.

    `change` is that of the score of a run left out, on average; `loss` the share of their score that all runs lose
    together; `largest_loss` the largest of a run (`loser`) that scores as much as the median or more: one that scores
    next to nothing loses much of it easily.
    """

    measure: str
    fair: bool | None
    tau: float
    tau_ap: float
    change: float
    loss: float
    largest_loss: float
    loser: str
    places: int


@dataclass(frozen=True, eq=False)
class PoolBias(Result):
    """The effect of leaving out a group's own finds on its runs, and further looks at the pool.

    `left_out`: one row per measure and run. `verdicts`: one per measure. `depths`: shallower pools against these
    judgments. `sparse`: one relevant document per topic against all of them. `unmatched`: relevant documents without a
    word of the topic, where topics and documents are known.
    """

    kind: ClassVar[str] = "pool bias"

    left_out: pl.DataFrame
    verdicts: tuple[FairnessVerdict, ...]
    depths: pl.DataFrame
    sparse: pl.DataFrame
    coverage: pl.DataFrame
    unmatched: pl.DataFrame | None
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()
    #: Why a measure has no number for any run, where it has none.
    undefined: Mapping[str, str] = field(default_factory=dict)

    def to_frame(self) -> pl.DataFrame:
        """One row per measure and run: its number with all judgments and without its group's own finds."""
        return self.left_out


def pool_bias(
    qrels: Any,
    runs: Any = None,
    *,
    measures: Wanted = None,
    groups: Mapping[str, str] | None = None,
    depth: int | None = None,
    depths: Sequence[int] = (5, 10, 20),
    topics: Topics | None = None,
    documents: Documents | None = None,
    seed: int = 0,
) -> PoolBias:
    """Look at what a pool missed: leave out what each group alone found, and score its runs again.

    A collection stands for its judgments, its runs and their groups.
    `groups` says which runs are of one group, whose runs find the same documents; without it, every run stands for
    itself. `depth` is that of the pool; unless given, the deepest at which 95 % of the runs' documents are judged, or
    10 where that is less than 5, since then other runs were pooled.

    >>> judged = {"q": {"a": 1, "b": 1, "c": 0}}
    >>> runs = {"old": {"q": {"a": 2.0, "c": 1.0}}, "new": {"q": {"b": 2.0, "a": 1.0}}}
    >>> bias = pool_bias(judged, runs, measures="P@1", depth=1, depths=())
    >>> bias.left_out.select("run", "unique_relevant", "full", "without").rows()
    [('old', 1, 1.0, 0.0), ('new', 1, 1.0, 0.0)]
    """
    wanted = measures_of(measures, MEASURES)
    counted = JudgedRuns.of(qrels, runs, wanted, groups)
    judged, ranks = counted.judged, counted.ranks
    if len(ranks.runs) < 2:
        raise ParameterError("pool bias compares what runs found: give two or more")
    if len(set(ranks.groups.values())) < 2:
        raise ParameterError("all runs are of one group: to leave one out takes two or more")
    pooled_to = _pool_depth(ranks, judged) if depth is None else Whole(1).check("depth", depth)
    names = [str(each) for each in wanted]
    said = _says_enough(ranks, judged)
    left_out = _left_out(counted, _uniques(ranks, judged, pooled_to))
    shallower = [Whole(1).check("depths", each) for each in depths if each < _deepest(ranks)]
    notes = _notes(ranks, judged, pooled_to)
    words = None
    if topics is not None and documents is not None:
        of_texts, settled, remarks = under_same_ids(judged, topics, documents)
        words = unmatched(of_texts, settled, documents)
        notes += remarks
    settings = {"measures": names, "depth": pooled_to, "depth_stated": depth is not None, "seed": seed}
    settings |= {"runs": len(ranks.runs), "groups": len(set(ranks.groups.values()))}
    settings |= {"topics": judged["query_id"].n_unique(), "judged": judged.height}
    return PoolBias(
        left_out,
        tuple(_verdict(left_out.filter(measure=str(each)), each, said) for each in wanted),
        _shallower(counted, shallower),
        _sparse(counted, seed),
        _coverage(ranks, judged),
        words,
        settings,
        tuple(notes),
        counted.undefined,
    )


def _notes(ranks: RunRanks, judged: pl.DataFrame, depth: int) -> list[str]:
    """Notes to read about the runs and the judgments before believing the verdict."""
    notes = [*empty_runs(ranks)]
    if not _says_enough(ranks, judged):
        topics = number_of("topic", judged["query_id"].n_unique())
        notes.append(
            f"{topics} and {number_of('run', len(ranks.runs))} say too little to call judgments fair: it takes "
            f"{_FEWEST_TOPICS} topics and {_FEWEST_RUNS} runs that differ, at the least"
        )
    if len(ranks.runs) < _FEW_RUNS:
        notes.append(f"{len(ranks.runs)} runs only: the order of so few says little about systems to come")
    notes += one_sided(judged, "if it has them all, it is fair to any system, and the losses below do not apply")
    if all(run == group for run, group in ranks.groups.items()):
        notes.append("no groups were named: each run stands for itself, though runs of one team overlap")
    outside = judged.join(pool_of(ranks, depth), on=PAIR, how="anti").height
    if outside > _MOST_OUTSIDE * judged.height:
        notes.append(
            f"{outside:,} of {judged.height:,} judged documents are not among the first {depth} of these runs: others "
            "were pooled, too, and may have found what a run alone has here, so that losses may be overstated"
        )
    return notes


def _deepest(ranks: RunRanks) -> int:
    return int(ranks.frame["rank"].max())  # type: ignore[arg-type]  # there is a row


def _pool_depth(ranks: RunRanks, judged: pl.DataFrame) -> int:
    """The deepest rank down to which nearly all documents of the runs are judged; 10 where few runs were pooled."""
    seen = ranks.frame.join(judged.with_columns(judged=1), on=PAIR, how="left")
    by_rank = seen.group_by("rank").agg(judged=pl.col("judged").sum(), documents=pl.len()).sort("rank")
    share = by_rank["judged"].cum_sum() / by_rank["documents"].cum_sum()
    deepest: Any = by_rank["rank"].filter(share >= _JUDGED).max() or 0
    return deepest if deepest >= _SHALLOWEST else _USUAL_CUTOFF


def _uniques(ranks: RunRanks, judged: pl.DataFrame, depth: int) -> pl.DataFrame:
    """Judged documents that the runs of one group alone have in the pool: `query_id, doc_id, relevance, group`."""
    rows = ranks.frame.filter(pl.col("rank") <= depth).with_columns(
        group=pl.col("run").replace_strict(dict(ranks.groups), return_dtype=pl.String)
    )
    alone = rows.group_by(PAIR).agg(pl.col("group").unique())
    alone = alone.filter(pl.col("group").list.len() == 1).with_columns(pl.col("group").list.first())
    return alone.join(judged, on=PAIR, how="inner")


def _left_out(counted: JudgedRuns, uniques: pl.DataFrame) -> pl.DataFrame:
    """Each run's number without the judgments of what its group alone found, and its place among all runs."""
    groups = counted.ranks.groups
    full = counted.full
    parts = []
    for group in dict.fromkeys(groups.values()):
        alone = uniques.filter(pl.col("group") == group)
        members = [name for name in counted.ranks.runs if groups[name] == group]
        relevant = alone.filter(pl.col("relevance") > 0).height
        scores = counted.scores(~counted.among(alone), members)
        parts.append(scores.with_columns(group=pl.lit(group), unique=alone.height, unique_relevant=relevant))
    table = pl.concat(parts).rename({"value": "without"}).join(full, on=["run", "measure"], maintain_order="left")
    table = table.rename({"value": "full"}).with_columns(pl.col("full", "without").fill_nan(None))
    table = table.with_columns(
        change=pl.col("without") - pl.col("full"),
        relative=pl.when(pl.col("full") > 0).then((pl.col("without") - pl.col("full")) / pl.col("full")),
    )
    parts = [table.with_row_index("row").filter(measure=str(each)) for each in counted.measures]
    signs = map(_sign, counted.measures)
    table = pl.concat([_placed(part, sign) for part, sign in zip(parts, signs, strict=True)]).sort("row")
    columns = ["unique", "unique_relevant", "full", "without", "change", "relative", "place", "place_without"]
    return table.select("measure", "run", "group", *columns)


def _sign(measure: Measure) -> int:
    """-1 of a measure that is better when lower."""
    return -1 if measure.definition.direction == "lower" else 1


def _says_enough(ranks: RunRanks, judged: pl.DataFrame) -> bool:
    """True if there are topics and runs enough, and runs that differ, to call judgments fair by."""
    several = judged["query_id"].n_unique() >= _FEWEST_TOPICS and len(ranks.runs) >= _FEWEST_RUNS
    return several and ranks.frame.group_by("query_id", "doc_id", "rank").len()["len"].min() != len(ranks.runs)


def _placed(rows: pl.DataFrame, sign: int) -> pl.DataFrame:
    """Each run's place where it alone has lost what its group found; all others keep their numbers."""
    full, without = sign * rows["full"].to_numpy(), sign * rows["without"].to_numpy()
    above = (full > without[:, None]).sum(axis=1) - (full > without)
    placed = rows.with_columns(place=pl.col("full").rank("min", descending=sign > 0), place_without=above + 1)
    return placed.with_columns(pl.when(pl.col("without").is_not_null()).then("place_without"))


def _verdict(rows: pl.DataFrame, wanted: Measure, says_enough: bool) -> FairnessVerdict:
    """Fair: the order of systems stays, all together lose a twentieth at most, and no good one more than a tenth.

    Of a measure that is better when lower, a loss is a rise.
    """
    measure, sign = str(wanted), _sign(wanted)
    scores = rows["full"].to_numpy(), rows["without"].to_numpy()
    tau, top = orders_alike(*scores, is_lower_better=sign < 0)
    is_good = sign * pl.col("full") >= (sign * pl.col("full")).median()
    good = rows.filter(is_good).with_columns(gain=sign * pl.col("relative")).drop_nulls("gain").sort("gain")
    if not good.height or math.isnan(tau):
        return FairnessVerdict(measure, None, tau, top, math.nan, math.nan, math.nan, "", 0)
    worst = good.row(0, named=True)
    loss = sign * float(1 - scores[1].sum() / scores[0].sum())
    places = int((rows["place_without"].cast(pl.Int64) - rows["place"].cast(pl.Int64)).abs().max() or 0)  # type: ignore[arg-type]
    is_fair = tau >= LEAST_TAU and loss <= MOST_LOSS and -worst["gain"] <= MOST_LOSS_OF_ONE
    fair = None if is_fair and not says_enough else is_fair
    change = float(rows["change"].to_numpy().mean())
    return FairnessVerdict(measure, fair, tau, top, change, loss, -worst["gain"], worst["run"], places)


def _shallower(counted: JudgedRuns, depths: Sequence[int]) -> pl.DataFrame:
    """Judgments of shallower pools only: what they cost, what they find, and whether systems keep their order."""
    pools = {depth: counted.among(pool_of(counted.ranks, depth)) for depth in depths}
    tables = [counted.under(kept).select(pl.lit(depth).alias("depth"), pl.all()) for depth, kept in pools.items()]
    return pl.concat(tables) if tables else pl.DataFrame()


def _sparse(counted: JudgedRuns, seed: int) -> pl.DataFrame:
    """One relevant document per topic, drawn at random, the rest unjudged: as sparse as labels of large logs are."""
    relevant = counted.pairs.filter(pl.col("relevance") > 0).sort(PAIR)
    rng = np.random.default_rng(Whole(0).check("seed", seed))
    if not relevant.height:
        return pl.DataFrame()
    draws = [counted.under(counted.among(_one_each(relevant, rng))) for _ in range(_DRAWS)]
    tau = pl.col("tau")
    return (
        pl.concat(draws)
        .group_by("measure", maintain_order=True)
        .agg(
            mean_dense=pl.col("mean_full").first(),
            mean_sparse=pl.col("mean").mean(),
            tau=tau.mean(),
            low=tau.quantile(0.025, "linear"),
            high=tau.quantile(0.975, "linear"),
        )
    )


def _one_each(relevant: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    shuffled = relevant.with_columns(chance=pl.Series(rng.random(relevant.height)))
    return shuffled.sort("chance").unique("query_id", keep="first", maintain_order=True).drop("chance")


def _coverage(ranks: RunRanks, judged: pl.DataFrame) -> pl.DataFrame:
    """The share of each run's first documents that is judged."""
    seen = ranks.frame.filter(pl.col("rank") <= 100).join(judged.with_columns(judged=1), on=PAIR, how="left")
    shares = [
        pl.col("judged")
        .filter(pl.col("rank") <= depth)
        .count()
        .truediv((pl.col("rank") <= depth).sum())
        .alias(f"judged@{depth}")
        for depth in (5, 10, 20, 100)
    ]
    return seen.group_by("run", maintain_order=True).agg(shares)


def unmatched(judged: pl.DataFrame, topics: Topics, documents: Documents) -> pl.DataFrame:
    """Relevant documents that hold no word of their topic's title, by topic: `query_id, relevant, unmatched`.

    >>> judged = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "relevance": [1.0, 1.0]})
    >>> texts = Documents.of({"a": "Tea, green.", "b": "A hot drink"})
    >>> unmatched(judged, Topics.of({"q": "green tea"}), texts).rows()
    [('q', 2, 1)]
    """
    relevant = judged.filter(pl.col("relevance") > 0).join(documents.frame, on="doc_id", how="semi")
    relevant = relevant.join(topics.frame, on="query_id", how="semi")
    texts = Documents(documents.frame.join(relevant, on="doc_id", how="semi"), documents.name, documents.format)
    matched = matches(topics, texts).with_columns(found=pl.lit(True))
    rows = relevant.join(matched, on=PAIR, how="left", maintain_order="left")
    return rows.group_by("query_id", maintain_order=True).agg(
        relevant=pl.len().cast(pl.Int64), unmatched=pl.col("found").is_null().sum().cast(pl.Int64)
    )
