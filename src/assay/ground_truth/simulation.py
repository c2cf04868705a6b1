"""Simulations of strategies: judged documents handed out in their order, as complete judgments answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import polars as pl

from assay.core.domains import Whole
from assay.core.errors import InputError, ParameterError, not_among, number_of
from assay.core.results import Result
from assay.ground_truth.matching import matches, under_same_ids
from assay.ground_truth.pooling import prioritised
from assay.ground_truth.run_ranks import PAIR, RunRanks, empty_runs, one_sided
from assay.ground_truth.scoring import JudgedRuns, measures_of
from assay.ground_truth.strategies import ADAPTIVE, simulate
from assay.stats.pairing import Wanted
from assay.tables import Documents, Topics

#: All strategies that can be simulated: of the first four, the order does not depend on judgments.
STRATEGIES = ("depth", "take", "rbp", "rrf", "move-to-front", "max-mean", "thompson")
#: By which measures the order of systems is compared, unless others are named.
MEASURES = ("AP", "nDCG@10")
#: About so many budgets are tried, unless some are stated.
_BUDGETS = 10
#: The order of fewer runs says little.
_FEW_RUNS = 5


@dataclass(frozen=True, eq=False)
class PoolSimulation(Result):
    """Relevant documents that strategies find by the number judged, and the order of systems.

    `curve`: one row per strategy, budget (documents per topic) and measure, with what was judged and found, and
    Kendall's tau and tau_AP against the order of systems under all judgments. `texts`: what it would cost to judge all
    documents that hold all or any of the title's words, and what that would miss; None without topics and documents.
    """

    kind: ClassVar[str] = "pool simulation"

    curve: pl.DataFrame
    texts: pl.DataFrame | None
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

    def to_frame(self) -> pl.DataFrame:
        """One row per strategy, budget and measure."""
        return self.curve


def simulate_pool(
    qrels: Any,
    runs: Any = None,
    *,
    strategies: Iterable[str] | str = STRATEGIES,
    budgets: Sequence[int] | None = None,
    measures: Wanted = None,
    depth: int | None = None,
    topics: Topics | None = None,
    documents: Documents | None = None,
    seed: int = 0,
    advance: Callable[[int], None] | None = None,
) -> PoolSimulation:
    """Judge the documents of runs in the order of each strategy, as complete judgments answer.

    A collection stands for its judgments and its runs.
    `budgets`: documents per topic, on average. `depth` spends them rank by rank over all topics, as far as whole ranks
    go; the others give each topic as many. `depth`: how far runs are read (all). Documents without judgment cannot be
    simulated and are passed over. `advance` is called
    with the number of strategies that are done since.

    >>> judged = {"q": {"a": 0, "b": 1, "c": 1, "d": 0}}
    >>> runs = {"good": {"q": {"b": 3.0, "c": 2.0}}, "bad": {"q": {"a": 3.0, "d": 2.0, "b": 1.0}}}
    >>> found = simulate_pool(judged, runs, strategies=["take", "max-mean"], budgets=[2, 3], measures="AP")
    >>> found.curve.select("strategy", "budget", "relevant").rows()
    [('take', 2, 1), ('take', 3, 2), ('max-mean', 2, 2), ('max-mean', 3, 2)]
    """
    names = [strategies] if isinstance(strategies, str) else list(dict.fromkeys(strategies))
    for name in names:
        if name not in STRATEGIES:
            raise not_among("strategy", name, STRATEGIES)
    if (topics is None) != (documents is None):
        raise ParameterError("topics and documents go together: words of topics are looked for in documents")
    wanted = measures_of(measures, MEASURES)
    counted = JudgedRuns.of(qrels, runs, wanted)
    judged, ranks = counted.judged, counted.ranks
    pooled = ranks.within(None if depth is None else Whole(1).check("depth", depth))
    available = pooled.frame.join(judged, on=PAIR, how="semi").select(PAIR).unique()
    if not available.height:
        raise InputError("no document of the runs is judged: there is nothing to simulate")
    sizes = available.group_by("query_id").len()["len"]
    chosen = _budgets(budgets, sizes)
    points = []
    for name in names:
        order = _order(name, pooled, judged, seed=Whole(0).check("seed", seed))
        points += [_point(name, order, budget, counted) for budget in chosen]
        if advance is not None:
            advance(1)
    relevant = judged.filter(pl.col("relevance") > 0)
    reachable = relevant.join(available, on=PAIR, how="semi").height
    settings = {"strategies": names, "budgets": chosen, "measures": [str(each) for each in wanted], "depth": depth}
    settings |= {"seed": seed, "runs": len(ranks.runs), "topics": judged["query_id"].n_unique()}
    settings |= {"judged": judged.height, "relevant": relevant.height, "in_runs": available.height}
    settings |= {"relevant_in_runs": reachable}
    warnings = [*_warnings(ranks, pooled, settings)]
    texts = None
    warnings += one_sided(judged, "nothing else is handed out, so that no strategy can find more than another")
    if topics is not None and documents is not None:
        of_texts, settled, remarks = under_same_ids(judged, topics, documents)
        texts = _by_text(of_texts, settled, documents)
        warnings += remarks
    return PoolSimulation(pl.concat(points), texts, settings, tuple(warnings))


def _budgets(stated: Sequence[int] | None, sizes: pl.Series) -> list[int]:
    """Those stated, or about ten round numbers up to what the largest topic has."""
    if stated is not None:
        if not stated:
            raise ParameterError("name at least one budget: a number of documents per topic")
        return sorted({Whole(1).check("budgets", each) for each in stated})
    largest = int(sizes.max())  # type: ignore[arg-type]  # there is a topic
    rough = largest / _BUDGETS
    step = next((each for each in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if each >= rough), int(rough))
    return [*range(step, largest, step), largest]


def _order(strategy: str, pooled: RunRanks, judged: pl.DataFrame, *, seed: int) -> pl.DataFrame:
    """Judged documents with the `place` in their topic at which a strategy would have them judged.

    For `depth`, that is instead how many documents of all topics are judged, per topic, once their rank is done.
    """
    known = replace(pooled, frame=pooled.frame.join(judged, on=PAIR, how="semi", maintain_order="left"))
    if strategy == "depth":
        first = known.frame.group_by(PAIR, maintain_order=True).agg(pl.col("rank").min())
        upto = first.group_by("rank").len().sort("rank").with_columns(place=pl.col("len").cum_sum())
        topics = judged["query_id"].n_unique()
        return first.join(upto, on="rank").select(*PAIR, place=pl.col("place") / topics)
    if strategy not in ADAPTIVE:
        return prioritised(known, strategy).select(*PAIR, place="priority")
    relevant: dict[str, dict[str, bool]] = {}
    for query, doc_id, grade in judged.iter_rows():
        relevant.setdefault(query, {})[doc_id] = grade > 0
    rows = [
        (query, each.doc_id, place)
        for query, rankings in known.lists().items()
        for place, each in enumerate(simulate(strategy, rankings, relevant[query], seed=seed), start=1)
    ]
    return pl.DataFrame(rows, schema={"query_id": pl.String, "doc_id": pl.String, "place": pl.Int64}, orient="row")


def _point(strategy: str, order: pl.DataFrame, budget: int, counted: JudgedRuns) -> pl.DataFrame:
    """The finds of a budget, and the order of systems by it: one row per measure."""
    found = counted.under(counted.among(order.filter(pl.col("place") <= budget)))
    every = int((counted.pairs["relevance"] > 0).sum())
    share = pl.when(every > 0).then(pl.col("relevant") / every).alias("share")
    where = [pl.lit(strategy).alias("strategy"), pl.lit(budget).alias("budget")]
    return found.select(*where, "judged", "relevant", share, "measure", "tau", "tau_ap")


def _by_text(judged: pl.DataFrame, topics: Topics, documents: Documents) -> pl.DataFrame:
    """The cost of judging all that holds the title's words: `strategy, documents, relevant, missed, share`."""
    asked = Topics(topics.frame.join(judged, on="query_id", how="semi", maintain_order="left"), topics.name, "")
    if not asked.frame.height:
        raise InputError("the topics and the judgments have no topic in common")
    matched = matches(asked, documents)
    relevant = judged.filter(pl.col("relevance") > 0).join(asked.frame, on="query_id", how="semi")
    rows = []
    for name, rule in (("all words of the title", pl.col("all_words")), ("any word of the title", pl.lit(True))):
        pairs = matched.filter(rule)
        hits = relevant.join(pairs, on=PAIR, how="semi").height
        row = {"strategy": name, "documents": pairs.height, "per_topic": pairs.height / asked.frame.height}
        share = hits / relevant.height if relevant.height else None
        rows.append(row | {"relevant": hits, "missed": relevant.height - hits, "share": share})
    return pl.DataFrame(rows)


def _warnings(ranks: RunRanks, pooled: RunRanks, settings: Mapping[str, Any]) -> Iterator[str]:
    yield from empty_runs(ranks)
    if len(ranks.runs) == 1:
        yield "one run only: all strategies read it from top to bottom, and there is no order of systems"
    elif len(ranks.runs) < _FEW_RUNS:
        yield f"{len(ranks.runs)} runs only: tau has a few values, and the order of so few may stay by chance"
    every = pooled.frame.select(PAIR).n_unique()
    if passed := every - settings["in_runs"]:
        yield (
            f"{number_of('document', passed)} of {every:,} in the runs have no judgment and were passed over: what "
            "they would have cost is not known"
        )
    if hidden := settings["relevant"] - settings["relevant_in_runs"]:
        total = f"{settings['relevant']:,}"
        yield f"{number_of('relevant document', hidden)} of {total} are in no run: no strategy finds them"
