"""Make the data, seeded, once: `python -m benchmarks.data full`.

A process of its own, because a child's peak memory, as the system counts it, is never below what its parent held.
"""

import shutil
import sys
from pathlib import Path
from typing import IO, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.cases import FULL, QUICK, Sizes

Ints = NDArray[np.int64]

_PASSAGES = 8_841_823
_QUERY_IDS = 1_102_401
_CHUNK = 5_000
_POOL = 2_000
_JUDGED = 300


def make(sizes: Sizes) -> None:
    """Fill the folder of these sizes; a broken-off attempt leaves nothing behind under its name."""
    folder = sizes.folder
    if folder.exists():
        return
    print(f"making data in {folder} ...", file=sys.stderr, flush=True)
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    frame = passages(partial / "passages", sizes.passages, 1_000, seed=1)
    shuffled = frame[np.random.default_rng(2).permutation(frame.height)]
    with (partial / "shuffled.run").open("wb") as file:
        write(shuffled, file)
    with (partial / "interleaved.run").open("wb") as file:
        write(frame.sort("rank", maintain_order=True), file)
    passages(partial / "thrice", sizes.thrice, 1_000, seed=3)
    for number, queries in enumerate(sizes.short):
        passages(partial / f"short-{number}", queries, 10, seed=4 + number)
    deep(partial, sizes.runs, seed=7)
    partial.rename(folder)


def passages(stem: Path, queries: int, depth: int, seed: int) -> pl.DataFrame:
    """Passage retrieval: whole-number ids, one or two relevant documents found, some relevant ones not."""
    rng = np.random.default_rng(seed)
    ids = np.sort(rng.choice(_QUERY_IDS, queries, replace=False))
    parts = []
    with stem.with_suffix(".run").open("wb") as run, stem.with_suffix(".qrels").open("wb") as qrels:
        for start in range(0, queries, _CHUNK):
            chunk = ids[start : start + _CHUNK]
            documents = np.stack([rng.choice(_PASSAGES, depth, replace=False) for _ in chunk])
            parts.append(_ranked(rng, chunk, documents))
            write(parts[-1], run)
            _judged(rng, chunk, documents).write_csv(qrels, include_header=False, separator=" ")
    return pl.concat(parts)


def _ranked(rng: np.random.Generator, ids: Ints, documents: Ints) -> pl.DataFrame:
    """Scores that fall, in steps of 0.00001 that single precision can tell apart; one document in a hundred is tied."""
    queries, depth = documents.shape
    gaps = rng.geometric(1 / 1_200, documents.shape)
    gaps[rng.random(documents.shape) < 0.01] = 0
    scores = rng.integers(2_500_000, 4_000_000, (queries, 1)) - np.cumsum(gaps, axis=1)
    return pl.DataFrame(
        {
            "query": np.repeat(ids, depth),
            "document": documents.ravel(),
            "rank": np.tile(np.arange(1, depth + 1), queries),
            "score": scores.ravel() / 1e5,
        }
    )


def _judged(rng: np.random.Generator, ids: Ints, documents: Ints) -> pl.DataFrame:
    """One or two relevant documents at ranks drawn log-uniformly; every third query has one that nobody finds."""
    queries, depth = documents.shape
    found = [np.floor(depth ** rng.random(queries)).astype(np.int64) - 1 for _ in range(2)]
    second, hidden = rng.random(queries) < 0.2, rng.random(queries) < 1 / 3
    unfound = rng.integers(_PASSAGES, 2 * _PASSAGES, (len(ids),))
    every = np.arange(queries)
    chosen = [
        (ids, documents[every, found[0]]),
        (ids[second], documents[every[second], found[1][second]]),
        (ids[hidden], unfound[hidden]),
    ]
    pairs = [pl.DataFrame({"query": query, "zero": 0, "document": document}) for query, document in chosen]
    rows = pl.concat(pairs).unique(maintain_order=True).sort("query", maintain_order=True)
    return rows.with_columns(grade=pl.lit(1))


def write(frame: pl.DataFrame, file: IO[bytes], decimals: int = 5) -> None:
    """Write `query Q0 document rank score tag` lines."""
    lines = frame.select("query", pl.lit("Q0").alias("q0"), "document", "rank", "score", pl.lit("bm25").alias("tag"))
    lines.write_csv(file, include_header=False, separator=" ", float_precision=decimals)


def deep(folder: Path, runs: int, seed: int) -> None:
    """50 topics judged deeply, grades -1 to 3, at least one of them relevant; runs with two decimals, so with ties."""
    rng = np.random.default_rng(seed)
    pools, grades = [], []
    for _ in range(50):
        numbers = rng.choice(10**8, _POOL, replace=False)
        pools.append([f"LA{number // 1000:05}-{number % 1000:03}" for number in numbers])
        grade = rng.choice([-1, 0, 1, 2, 3], _JUDGED, p=[0.05, 0.65, 0.18, 0.08, 0.04])
        grade[0] = 1
        grades.append(grade)
    with (folder / "deep.qrels").open("w", encoding="utf-8") as file:
        for topic, (pool, grade) in enumerate(zip(pools, grades, strict=True), 301):
            file.writelines(f"{topic} 0 {document} {value}\n" for document, value in zip(pool, grade, strict=False))
    for number in range(runs):
        quality = rng.uniform(0.3, 1.2)
        parts = [_system(rng, 301 + i, np.array(pools[i]), grades[i], quality) for i in range(50)]
        with (folder / f"deep-{number:02}.run").open("wb") as run:
            write(pl.concat(parts), run, decimals=2)


def _system(rng: np.random.Generator, topic: int, pool: NDArray[np.str_], grade: Ints, quality: float) -> pl.DataFrame:
    """A system that ranks by noise and, as far as its quality goes, by grade."""
    useful = np.zeros(_POOL)
    useful[:_JUDGED] = np.maximum(grade, 0) + 0.5  # what was judged is what systems found
    scores = 10 + quality * useful + rng.normal(size=_POOL)
    order = np.argsort(-scores)[:1_000]
    columns: dict[str, Any] = {
        "query": np.full(1_000, topic),
        "document": pool[order].tolist(),
        "rank": np.arange(1, 1_001),
        "score": scores[order],
    }
    return pl.DataFrame(columns)


if __name__ == "__main__":
    make({"full": FULL, "quick": QUICK}[sys.argv[1]])
