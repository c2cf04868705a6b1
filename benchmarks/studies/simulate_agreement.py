"""How often intervals of agreement hold the truth, and how often honest workers are flagged: two tables, by simulation.

    python -m benchmarks.studies.simulate_agreement [--repeats 1000]

Judges know an item's grade more or less often, and else guess; some labels are missing. The truth is the coefficient of
very many items. Honest workers differ in skill, in speed and in how much they label; a flag is then a mistake.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

import numpy as np
import polars as pl

from assay import agree, crowd
from assay.measures import parse_measure
from assay.measures.counting.ratings import Ratings
from assay.tables.labels import Labels

COEFFICIENTS = (
    "Agreement", "Kappa", "Kappa(weights='quadratic')", "ScottPi", "FleissKappa", "Alpha", "Alpha(scale='ordinal')",
    "Alpha(scale='interval')", "AC1", "AC2", "PositiveAgreement", "NegativeAgreement", "Overlap",
)  # fmt: skip
SIZES = (50, 100, 300)
#: Shares of the grades, and how often each judge knows the grade: a balanced case and one with rare grades.
CASES = {"balanced": ((0.4, 0.3, 0.3), (0.7, 0.6, 0.8)), "rare": ((0.8, 0.15, 0.05), (0.8, 0.7, 0.9))}
_MANY = 200_000


def labels_of_judges(rng: np.random.Generator, items: int, case: str, judges: int = 3) -> Labels:
    """Labels of two judges, or of three who leave some out, drawn by a case."""
    shares, skills = CASES[case]
    truth = rng.choice(len(shares), items, p=shares)
    parts = []
    for judge, skill in enumerate(skills[:judges]):
        said = np.where(rng.random(items) < skill, truth, rng.choice(len(shares), items, p=shares))
        kept = rng.random(items) < (1.0 if judges == 2 else 0.9)
        item, names = np.arange(items)[kept], np.full(int(kept.sum()), f"j{judge}")
        parts.append(pl.DataFrame({"item_id": item, "judge": names, "label": said[kept]}))
    return Labels.of(pl.concat(parts))


def is_of_two(coefficient: str) -> bool:
    """Whether a coefficient takes two judges."""
    return coefficient.startswith(("Kappa", "ScottPi"))


def truth_of(coefficient: str, case: str) -> float:
    """The coefficient of very many items."""
    labels = labels_of_judges(np.random.default_rng(0), _MANY, case, 2 if is_of_two(coefficient) else 3)
    ratings = Ratings.from_frame(labels.frame.rename({"item_id": "item"}), [0, 1, 2])
    return float(parse_measure(coefficient, "agreement").per_unit(ratings).pooled().values[0])


def coverage(coefficient: str, case: str, items: int, repeats: int, resamples: int = 1000) -> float:
    """The share of 95% intervals that hold the truth."""
    truth, held = truth_of(coefficient, case), 0
    for seed in range(1, repeats + 1):
        labels = labels_of_judges(np.random.default_rng(seed), items, case, 2 if is_of_two(coefficient) else 3)
        found = agree(labels, measures=[coefficient], categories=[0, 1, 2], resamples=resamples).estimate(coefficient)
        held += found.low <= truth <= found.high
    return held / repeats


def honest_workers(seed: int, categories: int, least: float, prevalence: float | None = None) -> pl.DataFrame:
    """Labels of forty workers who all look at the items; they differ in skill, in speed and in how much they do.

    Batches of ten documents of a topic go to five workers. Topics differ in how many documents are relevant, unless a
    prevalence is stated.
    """
    rng = np.random.default_rng(seed)
    skill, speed = rng.uniform(least, 0.95, 40), np.exp(rng.normal(3.0, 0.6, 40))
    eager = rng.pareto(1.2, 40) + 0.1
    rows = []
    for batch in range(80):
        share = rng.beta(0.6, 1.4) if prevalence is None else prevalence
        truth = np.where(rng.random(10) < share, rng.integers(1, categories, 10), 0)
        for worker in rng.choice(40, 5, replace=False, p=eager / eager.sum()):
            said = np.where(rng.random(10) < skill[worker], truth, rng.integers(0, categories, 10))
            seconds = speed[worker] * np.exp(rng.normal(0, 0.5, 10))
            for place in range(10):
                gold = int(truth[place]) if place % 5 == 0 else None
                rows.append((f"d{batch}-{place}", f"w{worker}", int(said[place]), gold, float(seconds[place])))
    return pl.DataFrame(rows, schema=["item_id", "judge", "label", "gold", "seconds"], orient="row")


def flagged(repeats: int, categories: int, least: float, prevalence: float | None, has_gold: bool) -> Counter[str]:
    """How many workers there were, and how many had which flag."""
    counted: Counter[str] = Counter()
    for seed in range(repeats):
        frame = honest_workers(seed, categories, least, prevalence)
        workers = crowd(frame if has_gold else frame.drop("gold"), method="majority", draws=0).workers
        counted["workers"] += workers.height
        for reason in workers.filter("flagged")["reason"]:
            counted["flagged"] += 1
            counted.update(part.partition(":")[0].strip() for part in reason.split(";"))
    return counted


def tables(repeats: int) -> Iterator[str]:
    """Both tables, line by line."""
    yield f"Coverage of 95% intervals, {repeats} repeats:\n"
    yield "| coefficient | case | " + " | ".join(f"{size} items" for size in SIZES) + " |"
    yield "| --- | --- |" + " ---: |" * len(SIZES)
    for coefficient in COEFFICIENTS:
        for case in CASES:
            shares = [f"{coverage(coefficient, case, size, repeats):.1%}" for size in SIZES]
            yield f"| {coefficient} | {case} | {' | '.join(shares)} |"
    yield "\nHonest workers who are flagged:\n"
    yield "| categories | least skill | relevant | gold | flagged | reasons |\n| ---: | ---: | --- | --- | ---: | --- |"
    for categories, least in ((2, 0.55), (3, 0.5), (4, 0.4)):
        for prevalence in (None, 0.1, 0.5):
            for has_gold in (True, False):
                counted = flagged(max(repeats // 40, 5), categories, least, prevalence, has_gold)
                workers, mistakes = counted.pop("workers"), counted.pop("flagged", 0)
                reasons = ", ".join(f"{reason} {number}" for reason, number in counted.items())
                relevant = "by topic" if prevalence is None else f"{prevalence:.0%}"
                known = "yes" if has_gold else "no"
                share = f"{mistakes / workers:.1%}"
                yield f"| {categories} | {least:g} | {relevant} | {known} | {share} of {workers:,} | {reasons} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Simulate intervals of agreement and flags of workers.")
    parser.add_argument("--repeats", type=int, default=1000)
    for line in tables(parser.parse_args().repeats):
        print(line, flush=True)
