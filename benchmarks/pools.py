"""How fast runs are pooled: `python -m benchmarks.pools`.

Pools of depth 100 from files of 1,000 documents for each of 30 topics, as many runs as TREC-COVID's first round had
(143), half and a quarter of them. A simple reading of the same lines by Python stands beside them. Processor time is
what it would take on a machine that does nothing else, with one core.
"""

import argparse
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np

from assay import make_pool
from benchmarks.classifiers import seconds

HERE = Path(__file__).parent
SIZES = (36, 72, 143)
TOPICS, DOCUMENTS, COLLECTION, DEPTH = 30, 1000, 5000, 100
#: What a pool of the largest size may take.
PROMISED = 5.0


def write_runs(folder: Path, number: int, documents: int = DOCUMENTS, seed: int = 0) -> list[Path]:
    """Runs whose first documents overlap: all rank by the same score, each with noise of its own."""
    rng = np.random.default_rng(seed)
    paths = []
    worth = rng.normal(size=(TOPICS, COLLECTION))
    for name in range(number):
        lines = []
        for topic in range(TOPICS):
            scores = worth[topic] + rng.normal(size=COLLECTION)
            best = np.argsort(-scores)[:documents]
            lines += [f"{topic} Q0 d{each} {rank} {scores[each]:.6f} r{name}" for rank, each in enumerate(best, 1)]
        paths.append(folder / f"r{name}.run")
        paths[-1].write_text("\n".join(lines) + "\n", encoding="utf-8")
    return paths


def plain_pool(paths: list[Path], depth: int = DEPTH) -> int:
    """The size of the pool by plain loops over lines that are in order."""
    pooled: set[tuple[str, str]] = set()
    for path in paths:
        seen: dict[str, int] = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            topic, _, document, *_ = line.split()
            seen[topic] = seen.get(topic, 0) + 1
            if seen[topic] <= depth:
                pooled.add((topic, document))
    return len(pooled)


def lines(repeats: int, sizes: tuple[int, ...] = SIZES, documents: int = DOCUMENTS) -> list[str]:
    """The table: seconds by the number of runs."""
    told = [
        f"Medians of {repeats}, in seconds: depth {DEPTH}; {TOPICS} topics with {documents:,} documents per run.",
        "",
        "| runs | lines | documents in the pool | Assay | processor time | plain loops | promised |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    with tempfile.TemporaryDirectory() as folder:
        every = write_runs(Path(folder), sizes[-1], documents)
        for size in sizes:
            paths = every[:size]
            found = make_pool(paths, depth=DEPTH).frame.height
            if found != (expected := plain_pool(paths)):
                raise AssertionError(f"{size} runs: {found} documents in the pool, not {expected}")
            started = time.process_time()
            ours = median(seconds(partial(make_pool, paths, depth=DEPTH)) for _ in range(repeats))
            busy = (time.process_time() - started) / repeats
            theirs = median(seconds(partial(plain_pool, paths)) for _ in range(repeats))
            promised = f"{PROMISED:g}" if size == SIZES[-1] else ""
            told.append(
                f"| {size} | {size * TOPICS * documents:,} | {found:,} | {ours:.2f} | {busy:.2f} | {theirs:.2f} | "
                f"{promised} |"
            )
    return told


def main() -> None:
    """Print the table and, if asked, write it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pools", description="Time pools of many runs.")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="write POOLS.md")
    options = parser.parse_args()
    text = "\n".join(lines(options.repeats))
    print(text)
    if options.write:
        (HERE / "POOLS.md").write_text(f"# Pools\n\n`python -m benchmarks.pools --write`\n\n{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
