"""How fast agreement and Dawid-Skene are on up to a million labels: `python -m benchmarks.crowds`.

Krippendorff's alpha of 1,000 judges with five labels per item, against the package `krippendorff`, which takes a dense
matrix of judges by items; and so many passes of Dawid-Skene, against crowd-kit's. Both packages have an environment of
their own, made at the first run. Every piece of work is done by processes of its own, the tools in turn: medians of
processor seconds, and peak memory beyond what the imports took.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.environment import HERE, ROOT, own_environment

PEERS = ("crowd-kit==1.4.2", "krippendorff==0.9.0")
SIZES = (10_000, 100_000, 1_000_000)
JUDGES, PER_ITEM, CATEGORIES, PASSES = 1000, 5, 4, 10
SCALES = ("nominal", "ordinal")
#: What is promised of the largest size: so many times as fast, this share of the memory, and cost that is this near to
#: linear.
FASTER, MEMORY, SLACK = 5, 0.1, 2.0

_COMMON = """
import json, resource, sys, time
import numpy as np
job = json.loads(sys.argv[1])
data = np.load(job["file"])
item, judge, label = (data[name] for name in ("item", "judge", "label"))
def measured(prepare, work):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ready = prepare()
    start = time.process_time()
    result = work(ready)
    spent = time.process_time() - start
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    print(json.dumps({"seconds": spent, "bytes": peak, "result": result}))
"""
_WORK = {
    "alpha": """
import polars as pl
from assay.measures.agreement import Alpha
from assay.measures.counting.ratings import Ratings
def alpha(frame):
    return float(Alpha(scale=job["scale"]).per_unit(Ratings.from_frame(frame)).pooled().values[0])
measured(lambda: pl.DataFrame({"item": item, "judge": judge, "label": label}), alpha)
""",
    "krippendorff": """
import krippendorff
def dense():
    matrix = np.full((judge.max() + 1, item.max() + 1), np.nan)
    matrix[judge, item] = label
    return matrix
measured(dense, lambda matrix: krippendorff.alpha(matrix, level_of_measurement=job["scale"]))
""",
    "dawid-skene": """
import polars as pl
from assay.measures.counting.ratings import Ratings
from assay.stats.aggregation import dawid_skene
def fit(frame):
    ratings = Ratings.from_frame(frame)
    return dawid_skene(ratings, iterations=job["passes"], tolerance=1e-300).chosen.tolist()
measured(lambda: pl.DataFrame({"item": item, "judge": judge, "label": label}), fit)
""",
    "crowd-kit": """
import pandas
from crowdkit.aggregation import DawidSkene
def fit(frame):
    return DawidSkene(n_iter=job["passes"], tol=0.0).fit(frame).labels_.sort_index().tolist()
measured(lambda: pandas.DataFrame({"task": item, "worker": judge, "label": label}), fit)
""",
}


def write_labels(path: Path, size: int, seed: int = 0) -> None:
    """Labels of judges who are right more or less often."""
    rng = np.random.default_rng(seed)
    items = size // PER_ITEM
    truth, skill = rng.integers(0, CATEGORIES, items), rng.uniform(0.3, 0.95, JUDGES)
    item = np.repeat(np.arange(items), PER_ITEM)
    # Neighbouring judges from a random one on: nobody labels an item twice.
    judge = (np.repeat(rng.integers(0, JUDGES, items), PER_ITEM) + np.tile(np.arange(PER_ITEM), items)) % JUDGES
    guess = rng.integers(0, CATEGORIES, size)
    np.savez(path, item=item, judge=judge, label=np.where(rng.random(size) < skill[judge], truth[item], guess))


def run(python: str, work: str, **job: Any) -> dict[str, Any]:
    """Do a piece of work in a process of its own."""
    command = [python, "-c", _COMMON + _WORK[work], json.dumps(job)]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")} if python == sys.executable else None
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    report: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return report


def in_turn(ours: str, theirs: str, peers: str, repeats: int, **job: Any) -> list[tuple[float, float, Any]]:
    """The median seconds, the median peak memory and the result of both, ours first."""
    reports = [[run(sys.executable, ours, **job), run(peers, theirs, **job)] for _ in range(repeats)]
    return [
        (median(each["seconds"] for each in tool), median(each["bytes"] for each in tool), tool[0]["result"])
        for tool in zip(*reports, strict=True)
    ]


def lines(peers: str, sizes: tuple[int, ...], repeats: int) -> Iterator[str]:
    """Both tables, and whether the promises are kept."""
    yield f"Medians of {repeats}, in processor seconds; peak memory beyond the imports."
    yield f"{JUDGES:,} judges, {PER_ITEM} labels per item."
    yield ""
    yield "| work | labels | Assay | peer | times as fast | memory | peer's memory | share | same |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |"
    kept, spent = True, dict[str, list[float]]()
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            file = Path(folder) / "labels.npz"
            write_labels(file, size)
            jobs: list[tuple[str, str, str, dict[str, Any]]] = [
                (f"alpha, {scale} (krippendorff)", "alpha", "krippendorff", {"scale": scale}) for scale in SCALES
            ]
            jobs.append((f"Dawid-Skene, {PASSES} passes (crowd-kit)", "dawid-skene", "crowd-kit", {"passes": PASSES}))
            for name, ours, theirs, job in jobs:
                mine, other = in_turn(ours, theirs, peers, repeats, file=str(file), **job)
                spent.setdefault(name, []).append(mine[0])
                same = np.mean(np.isclose(mine[2], other[2]))
                ratio, share = other[0] / mine[0], mine[1] / other[1]
                if size == SIZES[-1]:
                    kept &= ratio >= FASTER and (share <= MEMORY or ours != "alpha")
                memory = " | ".join(f"{each[1] / 2**20:,.0f} MB" for each in (mine, other))
                yield (
                    f"| {name} | {size:,} | {mine[0]:.3f} | {other[0]:.2f} | {ratio:.1f} | {memory} | {share:.0%} | "
                    f"{same:.2%} |"
                )
    for name, seconds in spent.items():
        if len(seconds) > 1:
            growth = seconds[-1] / seconds[-2] / (sizes[-1] / sizes[-2])
            kept &= growth <= SLACK
            yield f"\n{name}: cost over the last step of sizes, against linear: {growth:.2f}."
    promise = f"{FASTER} times as fast, alpha in {MEMORY:.0%} of the memory; cost within {SLACK:g} times of linear"
    yield f"\nPromised for {SIZES[-1]:,} labels: {promise}: {'kept' if kept else 'NOT kept'}."


def main() -> None:
    """Print the table and, if asked, write it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crowds", description="Time agreement and Dawid-Skene.")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--peers", metavar="PYTHON", help="the interpreter of an environment that has the peers")
    parser.add_argument("--quick", action="store_true", help="the smallest size only")
    parser.add_argument("--write", action="store_true", help="write CROWDS.md")
    options = parser.parse_args()
    peers = options.peers or own_environment("crowds", PEERS)
    text = "\n".join(lines(peers, SIZES[:1] if options.quick else SIZES, options.repeats))
    print(text)
    if options.write:
        head = f"# Labels of judges and crowds\n\n`python -m benchmarks.crowds --write`; peers: {', '.join(PEERS)}.\n\n"
        (HERE / "CROWDS.md").write_text(f"{head}{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
