"""Scores from a sample of a pool: average precision and nDCG as complete judgments of the pool would give them.

The estimators are those of Yilmaz, Kanoulas and Aslam (A simple and efficient sampling method for estimating AP and
NDCG, SIGIR 2008) for stratified random samples. They are ratios of estimates, and so are off on average where a topic
has few documents in the sample: by 0.02 or more. The jackknife, which leaves out one document of the sample at a time,
says by how much; the estimate is what is left after that, and the published number stands beside it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.domains import Real
from assay.core.errors import InputError, ParameterError, of_kind
from assay.core.results import Result
from assay.files.named_columns import named_columns
from assay.ground_truth.pooling import Pool
from assay.ground_truth.run_ranks import PAIR, RunRanks, judged_pairs
from assay.stats.pairing import Wanted, each_measure
from assay.tables.named_columns import ranking_rows

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

MEASURES = ("xinfAP", "infNDCG")
_NAME = re.compile(r"(?:(?P<ap>xinfAP)|infNDCG(?:@(?P<cutoff>[1-9]\d*))?)")
_EPSILON = 1e-5
#: With fewer judged documents in a stratum that is not judged whole, intervals are too narrow.
_FEW = 10


@dataclass(frozen=True, eq=False)
class InferredScores(Result):
    """Estimates from a sample of a pool: `scores` has one row per run and measure with the ends of its interval.

    `value` is the estimate, `published` the same by the published formula alone, which is off in small samples. The
    interval is about the draw of the sample: where the mean over these topics would lie if the whole pool were judged.
    `topics`: the same by topic, with the standard error. Topics without a relevant document in the sample count as 0.
    """

    kind: ClassVar[str] = "inferred scores"

    scores: pl.DataFrame
    topics: pl.DataFrame
    strata: pl.DataFrame
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

    def to_frame(self) -> pl.DataFrame:
        """One row per run and measure."""
        return self.scores


class _Sample(NamedTuple):
    """A pool of a topic: stratum and grade of each document, and samples of it in rows, the whole one first.

    The others lack one document each, of the stratum in `lacks`. `sizes`: all documents of each stratum.
    """

    stratum: NDArray[np.int64]
    grade: Floats
    sampled: Bools
    lacks: NDArray[np.int64]
    sizes: Floats

    def weights(self) -> Floats:
        """The number of documents that a sampled one stands for, by sample and stratum; 0 if none was sampled."""
        counts = self.per_stratum(self.sampled)
        return np.divide(self.sizes, counts, out=np.zeros_like(counts), where=counts > 0)

    def per_stratum(self, values: NDArray[Any]) -> Floats:
        """Sums by stratum of values by sample and document."""
        sums = [values[:, self.stratum == stratum].sum(axis=1) for stratum in range(len(self.sizes))]
        return np.stack(sums, axis=1).astype(np.float64)


def inferred_scores(
    pool: Any,
    qrels: Any,
    runs: Any,
    *,
    measures: Wanted = None,
    confidence: float = 0.95,
) -> InferredScores:
    """Estimate scores from judgments of a sampled pool, with intervals.

    `pool`: a pool with strata, or a file or frame with the columns `query_id, doc_id, stratum, order` of one. `qrels`:
    the judgments; only those of documents that were sampled count. `measures`: xinfAP, infNDCG or infNDCG@10, with
    linear gain.

    >>> from assay.ground_truth.pooling import make_pool
    >>> runs = {"a": {"q": {f"d{n}": 10.0 - n for n in range(8)}}}
    >>> pool = make_pool(runs, strategy="sample", strata={4: 1.0, 8: 0.5})
    >>> judged = {"q": {doc_id: doc_id in ("d0", "d2") for doc_id in pool.to_judge()["doc_id"]}}
    >>> inferred_scores(pool, judged, runs, measures="xinfAP").scores["value"].to_list()  # (1/1 + 2/3) / 2
    [0.8333]
    """
    names = list(dict.fromkeys(map(str, each_measure(MEASURES if measures is None else measures))))
    if not names:
        raise ParameterError("there is no measure to compute")
    cutoffs = {name: _cutoff(name) for name in names}
    level = Real(0, 1, inside=True).check("confidence", confidence)
    pooled = _pooled(pool)
    known = pooled.join(judged_pairs(qrels), on=PAIR, how="left", maintain_order="left")
    # What was judged for other reasons is no part of the random sample.
    known = known.with_columns(relevance=pl.when(pl.col("sampled")).then("relevance"))
    if not known["relevance"].drop_nulls().len():
        raise InputError("no document of the pool is judged")
    ranks = RunRanks.of(runs)
    samples, numbers = {}, {}
    for part in known.partition_by("query_id", maintain_order=True):
        query = part["query_id"][0]
        samples[query] = _sample(part)
        numbers[query] = part.select("doc_id").with_row_index("number")
    rows = []
    for name in ranks.runs:
        of_run = ranks.frame.filter(pl.col("run") == name)
        parts: Mapping[Any, pl.DataFrame] = of_run.partition_by("query_id", as_dict=True, maintain_order=True)
        for query, sample in samples.items():
            retrieved = parts.get((query,), of_run.clear()).join(numbers[query], on="doc_id", maintain_order="left")
            place = retrieved["number"].to_numpy().astype(np.int64)
            rank = retrieved["rank"].to_numpy().astype(np.float64)
            for measure, cutoff in cutoffs.items():
                values = (
                    _x_inf_ap(sample, place, rank) if measure == "xinfAP" else _inf_ndcg(sample, place, rank, cutoff)
                )
                rows.append((name, measure, query, *_jackknife(sample, values), float(values[0])))
    words = dict.fromkeys(("run", "measure", "query_id"), pl.String)
    schema = words | dict.fromkeys(("value", "error", "published"), pl.Float64)
    topics = pl.DataFrame(rows, schema=schema, orient="row")
    error = (pl.col("error") ** 2).sum().sqrt() / pl.len()
    scores = topics.group_by("run", "measure", maintain_order=True).agg(
        pl.col("value").mean().clip(0, 1), error=error, published=pl.col("published").mean()
    )
    far = NormalDist().inv_cdf(0.5 + level / 2) * pl.col("error")
    scores = scores.with_columns(low=(pl.col("value") - far).clip(0, 1), high=(pl.col("value") + far).clip(0, 1))
    strata = known.group_by("stratum").agg(
        documents=pl.len(),
        judged=pl.col("relevance").count(),
        relevant=(pl.col("relevance") > 0).sum(),
    )
    strata = strata.sort("stratum").with_columns(
        estimated=pl.when(pl.col("judged") > 0).then(pl.col("relevant") * pl.col("documents") / pl.col("judged"))
    )
    without = sum(not (sample.grade[sample.sampled[0]] > 0).any() for sample in samples.values())
    settings = {"measures": names, "confidence": level, "topics": len(samples), "without_relevant": without}
    within = ranks.frame.join(pooled, on=PAIR, how="semi")["run"].unique()
    outside = [name for name in ranks.runs if name not in within]
    strangers = [f"no document of the pool in {of_kind('run', outside)}"] if outside else []
    return InferredScores(scores, topics, strata, settings, (*strangers, *_warnings(known, settings)))


def _cutoff(name: str) -> int | None:
    match = _NAME.fullmatch(name)
    if match is None:
        raise ParameterError(f"from a sample, xinfAP, infNDCG and infNDCG@10 (or another cut-off) follow, not {name!r}")
    return None if match["cutoff"] is None else int(match["cutoff"])


def _pooled(pool: Any) -> pl.DataFrame:
    """The documents of the pool with their strata, and whether they were sampled: all, where no `order` tells."""
    table = named_columns(pool.frame if isinstance(pool, Pool) else pool, "sampled pool")
    columns = table.roles("sampled pool")
    order = columns.pop("order", None)
    sampled = pl.lit(True) if order is None else table.numbers(order, "order").is_not_null()
    frame = ranking_rows("sampled pool", table, columns).with_columns(sampled=sampled)
    again = frame.select(~pl.struct(PAIR).is_first_distinct()).to_series().arg_true()
    if again.len():
        raise table.error(again[0], "each document once in a query", frame["doc_id"][again[0]])
    return frame


def _sample(part: pl.DataFrame) -> _Sample:
    """The sample of a topic, and the same without each document that a larger stratum was sampled with."""
    stratum = part["stratum"].rank("dense").to_numpy().astype(np.int64) - 1
    sampled = part["relevance"].is_not_null().to_numpy()
    sizes = np.bincount(stratum).astype(np.float64)
    counts = np.bincount(stratum[sampled], minlength=len(sizes))
    spared = np.flatnonzero(sampled & (counts < sizes)[stratum] & (counts > 1)[stratum])
    samples = np.tile(sampled, (len(spared) + 1, 1))
    samples[np.arange(len(spared)) + 1, spared] = False
    grade = part["relevance"].fill_null(0.0).to_numpy()
    return _Sample(stratum, grade, samples, stratum[spared], sizes)


def _x_inf_ap(sample: _Sample, place: NDArray[np.int64], rank: Floats) -> Floats:
    """Average precision by sample: each relevant document stands for others, at the precision expected at its rank."""
    weights = sample.weights()
    relevant = sample.sampled & (sample.grade > 0)
    estimated = (weights * sample.per_stratum(relevant)).sum(axis=1)
    sampled = sample.sampled[:, place]
    hits = relevant[:, place]
    stratum = sample.stratum[place]
    precision = np.ones(hits.shape)
    for number in range(len(sample.sizes)):
        here = stratum == number
        above = np.cumsum(here) - here
        judged, relevant_above = (np.cumsum(each & here, axis=1) - (each & here) for each in (sampled, hits))
        precision += above * (relevant_above + _EPSILON) / (judged + 2 * _EPSILON)
    gained: Floats = (hits * weights[:, stratum] * precision / rank).sum(axis=1)
    values: Floats = np.divide(gained, estimated, out=np.zeros_like(gained), where=estimated > 0)
    return values


def _inf_ndcg(sample: _Sample, place: NDArray[np.int64], rank: Floats, cutoff: int | None) -> Floats:
    """nDCG by sample: each stratum's mean gain in the ranking, over the ideal of as many documents as are estimated."""
    if cutoff is not None:
        place, rank = place[rank <= cutoff], rank[rank <= cutoff]
    sampled = sample.sampled[:, place]
    stratum = sample.stratum[place]
    discount = 1 / np.log2(rank + 1)
    gain = np.where(sample.sampled, sample.grade, 0.0)
    mean_gain = sample.per_stratum(gain) / np.maximum(sample.per_stratum(sample.sampled), 1)
    total = np.zeros(len(sample.sampled))
    for number in range(len(sample.sizes)):
        here = stratum == number
        judged = (sampled & here).sum(axis=1)
        seen = (gain[:, place] * discount * here).sum(axis=1) * here.sum() / np.maximum(judged, 1)
        total += np.where(judged > 0, seen, mean_gain[:, number] * discount[here].sum())
    best = _ideal(sample, cutoff)
    return np.divide(total, best, out=np.zeros_like(total), where=best > 0)


def _ideal(sample: _Sample, cutoff: int | None) -> Floats:
    """The gain of an ideal ranking with the estimated number of documents of each grade, parts of one included."""
    most = int(sample.sizes.sum()) if cutoff is None else cutoff
    discounts = np.append(0.0, np.cumsum(1 / np.log2(np.arange(most) + 2)))
    weights = sample.weights()
    reached = np.zeros(len(sample.sampled))
    best = np.zeros(len(sample.sampled))
    for grade in np.unique(sample.grade[sample.grade > 0])[::-1]:
        number = (weights * sample.per_stratum(sample.sampled & (sample.grade == grade))).sum(axis=1)
        ends = np.interp([reached, reached + number], np.arange(most + 1), discounts)
        best += grade * (ends[1] - ends[0])
        reached = reached + number
    return best


def _jackknife(sample: _Sample, values: Floats) -> tuple[float, float]:
    """A topic's estimate without its bias, and its standard error; strata with one document tell nothing.

    The correction is as uncertain as it is large, so that it is part of the error.
    """
    bias = variance = 0.0
    for number, size in enumerate(sample.sizes):
        without = values[1:][sample.lacks == number]
        sampled = len(without)
        if sampled > 1:
            left = 1 - sampled / size
            bias += left * (sampled - 1) * float(without.mean() - values[0])
            variance += left * (sampled - 1) / sampled * float(((without - without.mean()) ** 2).sum())
    return float(values[0]) - bias, float(np.hypot(np.sqrt(variance), bias))


def _warnings(known: pl.DataFrame, settings: Mapping[str, Any]) -> list[str]:
    warnings = []
    if settings["without_relevant"]:
        warnings.append(
            f"{settings['without_relevant']} of {settings['topics']} topics have no relevant document in the sample, "
            "and count as 0"
        )
    sampled = known.filter("sampled")
    if lacking := sampled["relevance"].null_count():
        warnings.append(
            f"{lacking:,} of {sampled.height:,} sampled documents have no judgment, and are left out: estimates are "
            "wrong if these are less relevant than others"
        )
    counts = known.group_by("query_id", "stratum").agg(judged=pl.col("relevance").count(), documents=pl.len())
    counts = counts.filter(pl.col("judged") < pl.col("documents"))
    if thin := counts.filter(pl.col("judged") < _FEW).height:
        warnings.append(
            f"{thin} of {counts.height} sampled strata of topics have fewer than {_FEW} judged documents: the "
            "intervals may be too narrow"
        )
    return warnings
