"""How far estimates from sampled pools are off, and how often their intervals hold the truth.

    python -m benchmarks.studies.simulate_samples [SAMPLES]

First samples of made collections, by how much is drawn; then every sample of small pools, by enumeration.
"""

from __future__ import annotations

import itertools
import sys

import numpy as np
import polars as pl

from assay import evaluate, inferred_scores, make_pool

ESTIMATES = {"xinfAP": "AP", "infNDCG": "nDCG", "infNDCG@20": "nDCG@20"}
#: Topics, documents, the share of these that is relevant, and the strata.
DESIGNS = (
    (20, 150, 0.1, {10: 1.0, 50: 0.5, 100: 0.25}),
    (20, 150, 0.2, {10: 1.0, 50: 0.5, 100: 0.25}),
    (50, 150, 0.1, {10: 1.0, 50: 0.5, 100: 0.25}),
    (20, 80, 0.25, {10: 1.0, 30: 0.5, 80: 0.3}),
    (30, 60, 0.3, {60: 0.4}),
    (20, 150, 0.1, {20: 1.0, 100: 0.2}),
    (20, 150, 0.1, {10: 1.0, 30: 0.3, 100: 0.1}),
)
#: What is looked at of few documents.
FEW = {"xinfAP": "AP", "infNDCG": "nDCG", "infNDCG@5": "nDCG@5"}
#: Documents of a stratum and how many are drawn; the share that is relevant; documents that are judged anyway.
SMALL = ((8, 4, 0.4, 2), (10, 6, 0.3, 4), (11, 8, 0.3, 3))
POOLS = 10


def made(
    topics: int, documents: int, rate: float
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Complete judgments, and a good and a poor run."""
    rng = np.random.default_rng(1)
    names = [f"d{number}" for number in range(documents)]
    qrels = {
        f"q{n}": {each: int(rng.random() < rate) * int(rng.integers(1, 3)) for each in names} for n in range(topics)
    }
    runs = {
        run: {
            topic: {d: grade * worth + rng.normal() for d, grade in grades.items()} for topic, grades in qrels.items()
        }
        for run, worth in (("good", 1.0), ("poor", 0.3))
    }
    return qrels, runs


def sampled(samples: int) -> None:
    """Samples of made collections."""
    print("| topics | strata | relevant | measure | run | off, published | off | held by 95% intervals |")
    print("| ---: | --- | ---: | --- | --- | ---: | ---: | ---: |")
    for topics, documents, rate, strata in DESIGNS:
        qrels, runs = made(topics, documents, rate)
        tables = []
        for seed in range(samples):
            pool = make_pool(runs, strategy="sample", strata=strata, seed=seed)
            tables.append(inferred_scores(pool, qrels, runs, measures=list(ESTIMATES)).scores)
        whole: dict[str, dict[str, int]] = {}
        for topic, document in pool.frame.select("query_id", "doc_id").iter_rows():
            whole.setdefault(topic, {})[document] = qrels[topic][document]
        complete = evaluate(whole, runs, list(ESTIMATES.values()))
        share = ", ".join(f"{depth}: {each:.0%}" for depth, each in strata.items())
        for row, (run, name) in enumerate(itertools.product(runs, ESTIMATES)):
            truth = complete.mean(ESTIMATES[name], run)
            low, high, value, published = (
                np.array([table[column][row] for table in tables]) for column in ("low", "high", "value", "published")
            )
            held = ((low <= truth) & (truth <= high)).mean()
            off = f"{published.mean() - truth:+.4f} | {value.mean() - truth:+.4f}"
            print(f"| {topics} | {share} | {rate:.0%} | {name} | {run} | {off} | {held:.1%} |", flush=True)


def enumerated() -> None:
    """Every sample of small pools: how far the mean over all samples is from the truth, on average over pools."""
    print("| stratum | drawn | measure | off, published | off | nearer in |")
    print("| ---: | ---: | --- | ---: | ---: | ---: |")
    rng = np.random.default_rng(0)
    for size, number, rate, whole in SMALL:
        off = []
        strata = {f"a{n}": 1 for n in range(whole)} | {f"b{n}": 9 for n in range(size)}
        pool = pl.DataFrame({"query_id": "q", "doc_id": list(strata), "stratum": list(strata.values())})
        for _ in range(POOLS):
            grades = {each: int(rng.random() < rate) * int(rng.integers(1, 3)) for each in strata} | {"a0": 1}
            run = {"run": {"q": {each: grades[each] + rng.normal() for each in strata}}}
            truth = evaluate({"q": grades}, run, list(FEW.values()))
            tables = []
            for left_out in itertools.combinations([f"b{n}" for n in range(size)], size - number):
                judged = {each: grade for each, grade in grades.items() if each not in left_out}
                found = inferred_scores(pool, {"q": judged}, run, measures=list(FEW)).topics
                tables.append(found.select("published", "value").to_numpy())
            off.append(np.abs(np.mean(tables, axis=0) - [[truth.mean(each)] for each in FEW.values()]))
        for row, name in enumerate(FEW):
            published, value = np.array(off)[:, row].T
            print(f"| {size} | {number} | {name} | {published.mean():.4f} | {value.mean():.4f} | "
                  f"{(value < published).mean():.0%} of pools |", flush=True)  # fmt: skip


if __name__ == "__main__":
    sampled(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
    print()
    enumerated()
