"""How fast A/B tests are analysed, beside tea-tasting: `python -m benchmarks.abtests`.

One row per user with ten columns of counts, in memory as a Polars frame: ten means, and ten ratios, with their
differences and intervals; then all of a report. tea-tasting runs in an environment of its own, on the same frame.
Seconds are of the processor, all cores together; both take turns. The assignment by hash is timed per user.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import polars as pl

from assay import Assignment, abtest, assign, assign_all, make_report
from benchmarks.environment import own_environment

HERE = Path(__file__).parent
SIZES = (100_000, 1_000_000)
COLUMNS = 10
PEER = """
import json, sys, time
import polars as pl, tea_tasting as tt
frame = pl.read_parquet(sys.argv[1])
kinds = {"means": {f"m{k}": tt.Mean(f"m{k}") for k in range(10)},
         "ratios": {f"m{k}": tt.RatioOfMeans(f"m{k}", f"m{(k + 1) % 10}") for k in range(10)}}
found = {}
for name, metrics in kinds.items():
    test = tt.Experiment(**metrics)
    test.analyze(frame.head(1000))
    started = time.process_time()
    result = test.analyze(frame)
    found[name] = [time.process_time() - started, [result[m].effect_size for m in metrics]]
print(json.dumps(found))
"""


def users(number: int) -> pl.DataFrame:
    """Users of two variants, with counts."""
    rng = np.random.default_rng(number)
    columns = {f"m{place}": rng.poisson(3, number) for place in range(COLUMNS)}
    return pl.DataFrame({"user_id": np.arange(number), "variant": rng.integers(0, 2, number), **columns})


def busy(call: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds of the processor that a call takes, and what it gives."""
    started = time.process_time()
    result = call()
    return time.process_time() - started, result


def ours(frame: pl.DataFrame, measures: list[str]) -> tuple[float, float, list[float]]:
    """Reading and checking; then the estimates, their differences and intervals."""
    opening, test = busy(lambda: abtest(frame, measures))

    def estimate() -> list[float]:
        return [test.sample(each).gap(0, 1).difference + 0 * test.difference(each, "1").low for each in measures]

    took, differences = busy(estimate)
    return opening, took, differences


def lines(repeats: int) -> list[str]:
    """The tables."""
    python = own_environment("tea", ("tea-tasting==1.14.0", "polars", "pyarrow"))
    told = [
        f"Medians of {repeats}, in processor seconds.", "",
        "| users | 10 of | estimates | tea-tasting | ratio | reading and checking | a report |",
        "| ---: | --- | ---: | ---: | ---: | ---: | ---: |",
    ]  # fmt: skip
    kinds = {
        "means": [f"m{place}" for place in range(COLUMNS)],
        "ratios": [f"m{place}/m{(place + 1) % COLUMNS}" for place in range(COLUMNS)],
    }
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for size in SIZES:
            frame = users(size)
            path = Path(folder) / "users.parquet"
            frame.write_parquet(path)
            runs: list[tuple[dict[str, Any], dict[str, tuple[float, float, list[float]]]]] = []
            for _ in range(repeats):
                said = subprocess.run([python, "-c", PEER, path], capture_output=True, text=True, check=True).stdout
                runs.append((json.loads(said), {name: ours(frame, measures) for name, measures in kinds.items()}))
            for name, measures in kinds.items():
                theirs, mine = runs[-1][0][name][1], runs[-1][1][name][2]
                if not np.allclose(theirs, mine, rtol=1e-6, atol=1e-9):
                    raise AssertionError(f"{name}: {mine} is not {theirs}")
                peer = median(each[0][name][0] for each in runs)
                estimates = median(each[1][name][1] for each in runs)
                opening = median(each[1][name][0] for each in runs)
                whole = median(busy(partial(make_report, frame, measures=measures))[0] for _ in range(repeats))
                told.append(
                    f"| {size:,} | {name} | {estimates:.3f} | {peer:.3f} | {estimates / peer:.2f} | {opening:.2f} | "
                    f"{whole:.2f} |"
                )
    told += ["", "| hash | microseconds per user, in a batch | in single calls |", "| --- | ---: | ---: |"]
    ids = [f"user-{number}" for number in range(200_000)]
    for name in ("v1", "v2", "blake2"):
        experiment = Assignment("new-ranking", hash=name)  # type: ignore[arg-type]
        batch = median(busy(partial(assign_all, ids, experiment))[0] for _ in range(repeats)) / len(ids)
        single = busy(partial(_singly, ids[:20_000], experiment))[0] / 20_000
        told.append(f"| {name} | {1e6 * batch:.2f} | {1e6 * single:.2f} |")
    return told


def _singly(ids: list[str], experiment: Assignment) -> list[str | None]:
    return [assign(each, experiment) for each in ids]


def main() -> None:
    """Print the tables and, if asked, write them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.abtests", description="Time A/B tests.")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="write ABTESTS.md")
    options = parser.parse_args()
    text = "\n".join(lines(options.repeats))
    sys.stdout.write(f"{text}\n")
    if options.write:
        (HERE / "ABTESTS.md").write_text(f"# A/B tests\n\n`python -m benchmarks.abtests --write`\n\n{text}\n", "utf-8")


if __name__ == "__main__":
    main()
