"""Pool bias: what the judgments would have missed without a group's runs, and can they judge a new system fairly?"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from assay.collections.pooling import PAIR, RunRanks, pool_of
from assay.core.domains import Whole
from assay.core.errors import InputError, ParameterError
from assay.core.results import Result
from assay.files import read_qrels
from assay.measures import parse_measure
from assay.stats.correlation import kendall, tau_ap
from assay.subjects.ranking.evaluation import evaluate
from assay.tables import Documents, Qrels, Topics

#: What a collection is looked at by, unless other measures are named: the head of a ranking, all of it, and recall.
MEASURES = ("nDCG@10", "P@10", "RR", "AP", "R@100")
#: Of the first documents of all runs, this share is judged down to the depth of the pool.
_JUDGED = 0.95
#: A pool shallower than this cannot be told from judgments of other runs: then the usual first page is looked at.
_SHALLOWEST, _USUAL_CUTOFF = 5, 10
#: What a fair collection keeps: the order of systems, and each system's number.
LEAST_TAU, MOST_LOSS = 0.95, 0.05
#: How often one relevant document per topic is drawn, for judgments as sparse as those of large logs.
_DRAWS = 20
_WORD = re.compile(r"\w+")


class FairnessVerdict(NamedTuple):
    """Whether the judgments can score a system that was not in the pool, by a measure; and what that rests on."""

    measure: str
    fair: bool | None
    tau: float
    largest_loss: float
    loser: str
    places: int


@dataclass(frozen=True, eq=False)
class PoolBias(Result):
    """What leaving out the documents that one group alone found does to its runs, and further looks at the pool.

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

    def to_frame(self) -> pl.DataFrame:
        """One row per measure and run: its number with all judgments and without its group's own finds."""
        return self.left_out


def pool_bias(
    qrels: Any,
    runs: Any,
    *,
    measures: Iterable[str] | str | None = None,
    groups: Mapping[str, str] | None = None,
    depth: int | None = None,
    depths: Sequence[int] = (5, 10, 20),
    topics: Topics | None = None,
    documents: Documents | None = None,
    seed: int = 0,
) -> PoolBias:
    """Look at what a pool missed: leave out what each group alone found, and score its runs again.

    `groups` says which runs are of one group, whose runs find the same documents; without it, every run stands for
    itself. `depth` is that of the pool; unless given, the deepest at which 95 % of the runs' documents are judged, or
    10 where that is less than 5, since then other runs were pooled.

    >>> judged = {"q": {"a": 1, "b": 1, "c": 0}}
    >>> runs = {"old": {"q": {"a": 2.0, "c": 1.0}}, "new": {"q": {"b": 2.0, "a": 1.0}}}
    >>> bias = pool_bias(judged, runs, measures="P@1", depth=1, depths=())
    >>> bias.left_out.select("run", "unique_relevant", "full", "without").rows()
    [('old', 1, 1.0, 0.0), ('new', 1, 1.0, 0.0)]
    """
    judged = qrels if isinstance(qrels, Qrels) else Qrels.of(qrels) if isinstance(qrels, Mapping) else read_qrels(qrels)
    names = [str(parse_measure(name)) for name in _listed(measures)]
    every = RunRanks.of(runs, groups=groups)
    if len(every.runs) < 2:
        raise ParameterError("pool bias compares what runs found: give two or more")
    frame = judged.frame.select(*PAIR, "relevance").filter(pl.col("relevance") >= 0)
    ranks = _on_topics(every, frame)
    pooled_to = _pool_depth(ranks, frame) if depth is None else Whole(1).check("depth", depth)
    uniques = _uniques(ranks, frame, pooled_to)
    tables = {name: _as_run(ranks.frame.filter(pl.col("run") == name)) for name in ranks.runs}
    case = _Case(ranks, frame, tables, names, _scores(frame, tables, names))
    left_out = _left_out(case, uniques)
    shallower = [each for each in depths if each < _deepest(ranks)]
    notes = [] if groups else ["no groups were named: each run stands for itself, though runs of one team overlap"]
    settings = {"measures": names, "depth": pooled_to, "depth_stated": depth is not None, "seed": seed}
    return PoolBias(
        left_out,
        tuple(_verdict(left_out.filter(measure=name), name) for name in names),
        _shallower(case, shallower),
        _sparse(case, seed),
        _coverage(ranks, frame),
        None if topics is None or documents is None else unmatched(frame, topics, documents),
        settings,
        tuple(notes),
    )


class _Case(NamedTuple):
    """Runs on judged topics, the judgments, the measures, and each run's number with all judgments."""

    ranks: RunRanks
    judged: pl.DataFrame
    runs: Mapping[str, pl.DataFrame]
    measures: Sequence[str]
    full: pl.DataFrame


def _listed(measures: Iterable[str] | str | None) -> list[str]:
    return list(MEASURES) if measures is None else [measures] if isinstance(measures, str) else list(measures)


def _on_topics(ranks: RunRanks, judged: pl.DataFrame) -> RunRanks:
    frame = ranks.frame.join(judged.select("query_id").unique(), on="query_id", how="semi")
    if not frame.height:
        raise InputError("the runs and the judgments have no topic in common")
    return RunRanks(frame, ranks.runs, ranks.groups)


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


def _as_run(rows: pl.DataFrame) -> pl.DataFrame:
    """Ranks as a run: ties were broken when it was ranked."""
    return rows.select(*PAIR, score=-pl.col("rank").cast(pl.Float64))


def _scores(judged: pl.DataFrame, runs: Mapping[str, pl.DataFrame], measures: Sequence[str]) -> pl.DataFrame:
    """Each run's number under each measure: `run, measure, value`."""
    result = evaluate(Qrels(judged), dict(runs), measures)
    rows = [(run, name, result.mean(name, run)) for run in runs for name in measures]
    return pl.DataFrame(rows, schema={"run": pl.String, "measure": pl.String, "value": pl.Float64}, orient="row")


def _left_out(case: _Case, uniques: pl.DataFrame) -> pl.DataFrame:
    """Each run's number without the judgments of what its group alone found, and its place among all runs."""
    ranks, judged, runs, measures, full = case
    parts = []
    for group in dict.fromkeys(ranks.groups.values()):
        own = uniques.filter(pl.col("group") == group)
        members = {name: runs[name] for name in ranks.runs if ranks.groups[name] == group}
        rest = judged.join(own, on=PAIR, how="anti")
        relevant = own.filter(pl.col("relevance") > 0).height
        scores = _scores(rest, members, measures) if own.height else full.filter(pl.col("run").is_in(list(members)))
        parts.append(scores.with_columns(group=pl.lit(group), unique=own.height, unique_relevant=relevant))
    table = pl.concat(parts).rename({"value": "without"}).join(full, on=["run", "measure"], maintain_order="left")
    table = table.rename({"value": "full"}).with_columns(
        change=pl.col("without") - pl.col("full"),
        relative=pl.when(pl.col("full") > 0).then((pl.col("without") - pl.col("full")) / pl.col("full")),
        place=pl.col("full").rank("min", descending=True).over("measure"),
    )
    # A run's place where it alone has lost what its group found; all others keep their numbers.
    others = table.select("measure", other="run", theirs="full")
    above = table.join(others, on="measure").filter(
        (pl.col("run") != pl.col("other")) & (pl.col("theirs") > pl.col("without"))
    )
    counts = above.group_by("measure", "run").agg(place_without=pl.len() + 1)
    table = table.join(counts, on=["measure", "run"], how="left", maintain_order="left")
    table = table.with_columns(pl.col("place_without").fill_null(1))
    columns = ["unique", "unique_relevant", "full", "without", "change", "relative", "place", "place_without"]
    return table.select("measure", "run", "group", *columns)


def _verdict(rows: pl.DataFrame, measure: str) -> FairnessVerdict:
    """Fair: the order of systems stays, and no system loses more than a twentieth of its number."""
    tau = kendall(rows["full"].to_numpy(), rows["without"].to_numpy()).value if rows.height > 1 else math.nan
    losses = rows.drop_nulls("relative").sort("relative")
    if not losses.height or math.isnan(tau):
        return FairnessVerdict(measure, None, tau, math.nan, "", 0)
    worst = losses.row(0, named=True)
    places = int((rows["place_without"].cast(pl.Int64) - rows["place"].cast(pl.Int64)).abs().max() or 0)  # type: ignore[arg-type]
    fair = tau >= LEAST_TAU and -worst["relative"] <= MOST_LOSS
    return FairnessVerdict(measure, fair, tau, -worst["relative"], worst["run"], places)


def _shallower(case: _Case, depths: Sequence[int]) -> pl.DataFrame:
    """Judgments of shallower pools only: what they cost, what they find, and whether systems keep their order."""
    ranks, judged, runs, measures, full = case
    rows = []
    for depth in depths:
        kept = judged.join(pool_of(ranks, depth), on=PAIR, how="semi")
        scores = _scores(_with_topics(kept, judged), runs, measures)
        found = kept.filter(pl.col("relevance") > 0).height
        for name in measures:
            agreement = _agreement(full, scores, name)
            rows.append((depth, kept.height, found, name, *agreement))
    names = ["depth", "judged", "relevant", "measure", "mean_full", "mean", "tau", "tau_ap"]
    return pl.DataFrame(rows, schema=names, orient="row")


def _with_topics(kept: pl.DataFrame, judged: pl.DataFrame) -> pl.DataFrame:
    """Every topic stays, if need be by one irrelevant judgment, so that means are over the same topics."""
    lost = judged.join(kept.select("query_id").unique(), on="query_id", how="anti").unique("query_id")
    return pl.concat([kept, lost.with_columns(relevance=pl.lit(0.0))])


def _agreement(full: pl.DataFrame, other: pl.DataFrame, measure: str) -> tuple[float, float, float, float]:
    """Both means over the runs, and how far the two orders of runs agree."""
    both = full.filter(measure=measure).join(other.filter(measure=measure), on="run", maintain_order="left")
    first, second = both["value"].to_numpy(), both["value_right"].to_numpy()
    return float(first.mean()), float(second.mean()), kendall(first, second).value, tau_ap(first, second).value


def _sparse(case: _Case, seed: int) -> pl.DataFrame:
    """One relevant document per topic, drawn at random, the rest unjudged: as sparse as labels of large logs are."""
    _, judged, runs, measures, full = case
    relevant = judged.filter(pl.col("relevance") > 0)
    rng, rows = np.random.default_rng(seed), []
    draws = [
        _scores(_with_topics(_one_each(relevant, rng), judged), runs, measures)
        for _ in range(_DRAWS * bool(relevant.height))
    ]
    for name in measures if draws else ():
        found = np.array([_agreement(full, scores, name) for scores in draws])
        taus = found[:, 2][~np.isnan(found[:, 2])]
        tau, low, high = (taus.mean(), *np.quantile(taus, [0.025, 0.975])) if len(taus) else (math.nan,) * 3
        rows.append((name, found[0, 0], found[:, 1].mean(), tau, low, high))
    names = ["measure", "mean_dense", "mean_sparse", "tau", "low", "high"]
    return pl.DataFrame(
        rows, schema={name: pl.String if name == "measure" else pl.Float64 for name in names}, orient="row"
    )


def _one_each(relevant: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    drawn = relevant.with_columns(chance=pl.Series(rng.random(relevant.height)))
    return drawn.sort("chance").unique("query_id", keep="first", maintain_order=True).drop("chance")


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

    >>> topics = Topics(pl.DataFrame({"query_id": ["q"], "title": ["green tea"]}), "t", "")
    >>> texts = {"doc_id": ["a", "b"], "text": ["Tea, green.", "A hot drink"]}
    >>> documents = Documents(pl.DataFrame(texts), "d", "")
    >>> judged = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "relevance": [1.0, 1.0]})
    >>> unmatched(judged, topics, documents).rows()
    [('q', 2, 1)]
    """
    title = "title" if "title" in topics.frame.columns else "text"
    words = {query: _words(text) for query, text in topics.frame.select("query_id", title).iter_rows()}
    columns = [name for name in ("title", "text") if name in documents.frame.columns]
    texts = documents.frame.select("doc_id", text=pl.concat_str(columns, separator=" ", ignore_nulls=True))
    rows = judged.filter(pl.col("relevance") > 0).join(texts, on="doc_id", how="inner", maintain_order="left")
    counts: dict[str, list[int]] = {}
    for query, text in rows.select("query_id", "text").iter_rows():
        count = counts.setdefault(query, [0, 0])
        count[0] += 1
        count[1] += not words.get(query, set()) & _words(text)
    table = [(query, *count) for query, count in counts.items()]
    return pl.DataFrame(
        table, schema={"query_id": pl.String, "relevant": pl.Int64, "unmatched": pl.Int64}, orient="row"
    )


def _words(text: str | None) -> set[str]:
    return set(_WORD.findall((text or "").casefold()))
