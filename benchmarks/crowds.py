"""How fast Dawid-Skene is on up to a million labels: `python -m benchmarks.crowds`.

Processor time of so many passes, over three sizes: the cost has to grow with the labels, not faster. With the
interpreter of an environment that holds crowd-kit (`--peer PYTHON`), its Dawid-Skene does as many passes on the same
labels, and the answers of both are compared. crowd-kit brings packages of a gigabyte, so that no environment is made
here: `python -m venv peer && peer/bin/pip install crowd-kit`.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
import polars as pl

from assay.measures.counting.judgments import Ints
from assay.measures.counting.ratings import Ratings
from assay.stats.aggregation import dawid_skene

SIZES = (10_000, 100_000, 1_000_000)
PER_ITEM, CATEGORIES, PASSES, REPEATS = 5, 4, 10, 3
#: What is promised: so many times as fast as crowd-kit, and how much more than linear the cost may grow.
FASTER, SLACK = 5, 2.0
_PEER = """
import json, sys, time
import pandas
from crowdkit.aggregation import DawidSkene
labels = pandas.read_csv(sys.argv[1])
start = time.process_time()
fit = DawidSkene(n_iter=int(sys.argv[2]), tol=0.0).fit(labels)
spent = time.process_time() - start
print(json.dumps({"seconds": spent, "labels": fit.labels_.sort_index().tolist()}))
"""


def labels_of_crowd(size: int) -> Ratings:
    """Labels of workers who are right more or less often, as many as asked for."""
    rng = np.random.default_rng(0)
    items, workers = size // PER_ITEM, max(20, size // 1000)
    truth, skill = rng.integers(0, CATEGORIES, items), rng.uniform(0.3, 0.95, workers)
    item = np.repeat(np.arange(items), PER_ITEM)
    # Neighbouring workers from a random one on: nobody labels an item twice.
    worker = (np.repeat(rng.integers(0, workers, items), PER_ITEM) + np.tile(np.arange(PER_ITEM), items)) % workers
    guess: Ints = rng.integers(0, CATEGORIES, size)
    label = np.where(rng.random(size) < skill[worker], truth[item], guess)
    names = tuple(map(str, range(CATEGORIES)))
    values = np.arange(CATEGORIES, dtype=np.float64)
    judges = tuple(f"w{place}" for place in range(workers))
    return Ratings(pl.Series(map(str, range(items))), judges, names, values, values > 0, item, worker, label)


def ours(ratings: Ratings) -> tuple[float, list[int]]:
    """Processor seconds, and the labels."""
    spent = []
    for _ in range(REPEATS):
        start = time.process_time()
        fit = dawid_skene(ratings, iterations=PASSES, tolerance=1e-300)
        spent.append(time.process_time() - start)
    return median(spent), fit.chosen.tolist()


def theirs(ratings: Ratings, python: str) -> tuple[float, list[int]]:
    """The same of crowd-kit."""
    frame = pl.DataFrame({"task": ratings.item, "worker": ratings.judge, "label": ratings.category})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "labels.csv"
        frame.write_csv(path)
        done = subprocess.run([python, "-c", _PEER, str(path), str(PASSES)], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    return found["seconds"], found["labels"]


def main(arguments: list[str]) -> int:
    """Measure, and say whether the targets are met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crowds", description="Time Dawid-Skene.")
    parser.add_argument("--peer", metavar="PYTHON", help="the interpreter of an environment with crowd-kit")
    options = parser.parse_args(arguments)
    spent, is_fine = [], True
    print(f"| labels | Assay, {PASSES} passes | crowd-kit | times | same labels |\n| --- | --- | --- | --- | --- |")
    for size in SIZES:
        ratings = labels_of_crowd(size)
        seconds, chosen = ours(ratings)
        spent.append(seconds)
        cells = ["", "", ""]
        if options.peer is not None:
            slow, other = theirs(ratings, options.peer)
            same = np.mean(np.array(chosen) == np.array(other))
            cells = [f"{slow:.2f} s", f"{slow / seconds:.1f}", f"{same:.2%}"]
            is_fine &= slow >= FASTER * seconds
        print(f"| {size:,} | {seconds:.3f} s | {' | '.join(cells)} |", flush=True)
    growth = spent[-1] / spent[-2] / (SIZES[-1] / SIZES[-2])
    print(f"cost over the last step of sizes, against linear: {growth:.2f} (at most {SLACK:g})")
    return int(not is_fine or growth > SLACK)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
