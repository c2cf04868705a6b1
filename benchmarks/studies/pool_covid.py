"""Pools of the 48 runs of TREC-COVID round 1 whose files are public: the tables of docs/how-deep-should-i-pool.md.

python -m benchmarks.studies.pool_covid FOLDER, the folder with runs/, the judgments and leaderboard.csv
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from assay import make_pool, pool_bias, simulate_pool

BUDGETS = (25, 50, 75, 100, 150, 200)


def main(folder: Path) -> None:
    """Print the tables."""
    runs = {path.name.removesuffix(".gz"): path for path in sorted((folder / "runs").glob("*.gz"))}
    with (folder / "leaderboard.csv").open(encoding="utf-8") as file:
        teams = {row["run"]: row["team"] for row in csv.DictReader(file) if row["run"] in runs}
    qrels = folder / "qrels.covid-round1.txt"
    for depth in (5, 10, 20):
        pool = make_pool(runs, depth=depth, qrels=qrels)
        print(pool.document().title)
        print(pool.next_steps())
    bias = pool_bias(qrels, runs, groups=teams)
    print(bias)
    print(simulate_pool(qrels, runs, budgets=BUDGETS))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
