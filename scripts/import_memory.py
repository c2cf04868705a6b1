"""Measure how much memory and time the import of a click log takes, at three sizes, and print the table.

Usage: python scripts/import_memory.py [EVENTS ...]

Logs are made in the format Open UBI 1.3: of ten lines, three are queries with ten results each, and seven are clicks.
The lines of a page are scattered over some ten thousand others. Each log is imported by a process of its own, whose
largest resident memory is that of the whole import.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

SIZES = (1_000_000, 3_000_000, 10_000_000)
AT_ONCE, RESULTS, DOCUMENTS, USERS, QUERIES = 500_000, 10, 200_000, 300_000, 50_000
START, SCATTER = 1_772_431_200_000, 10_000
IMPORT = """
import resource, sys
from assay import import_log
log = import_log(sys.argv[1], sys.argv[2])
print(*log.sizes, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def joined(*parts: str | pl.Expr) -> pl.Expr:
    """Text of pieces, of which some are columns."""
    return pl.concat_str(pl.lit(part) if isinstance(part, str) else part.cast(pl.String) for part in parts)


def lines(first: int, count: int, rng: np.random.Generator) -> pl.Series:
    """So many lines: queries, and the clicks on their results, in an order that scatters those of a page."""
    pages = count * 3 // 10
    numbers = {"page": np.arange(first, first + pages), "user": rng.integers(0, USERS, pages)}
    numbers["query"] = (QUERIES * rng.random(pages) ** 3).astype(int)
    docs = rng.integers(0, DOCUMENTS, (pages, RESULTS))
    columns = {f"d{rank}": docs[:, rank] for rank in range(RESULTS)}
    queries = pl.DataFrame({**numbers, **columns}).with_columns(time=START + 40 * pl.col("page"))
    hits = pl.concat_str([joined('"d', pl.col(f"d{rank}"), '"') for rank in range(RESULTS)], separator=",")
    asked = queries.select(
        place=pl.col("page") * 10.0 / 3,
        line=joined(
            '{"query_id":"p', pl.col("page"), '","client_id":"u', pl.col("user"), '","user_query":"words of query ',
            pl.col("query"), '","timestamp":', pl.col("time"), ',"query_attributes":{"system":"',
            pl.col("user") % 2, '"},"query_response_hit_ids":[', hits, "]}",
        ),
    )  # fmt: skip
    on, rank = rng.integers(0, pages, count - pages), rng.integers(0, RESULTS, count - pages)
    clicks = pl.DataFrame(
        {"page": first + on, "user": numbers["user"][on], "rank": rank + 1, "doc": docs[on, rank],
         "later": rng.integers(1, SCATTER, count - pages)}
    ).with_columns(time=START + 40 * pl.col("page") + 10 * pl.col("later"))  # fmt: skip
    clicked = clicks.select(
        place=pl.col("page") * 10.0 / 3 + pl.col("later"),
        line=joined(
            '{"action_name":"click","query_id":"p', pl.col("page"), '","client_id":"u', pl.col("user"),
            '","timestamp":', pl.col("time"), ',"event_attributes":{"object":{"object_id":"d', pl.col("doc"),
            '"},"position":{"ordinal":', pl.col("rank"), "}}}",
        ),
    )  # fmt: skip
    return pl.concat([asked, clicked]).sort("place")["line"]


def make(path: Path, events: int) -> None:
    """Write a log of so many lines."""
    rng = np.random.default_rng(0)
    with path.open("w", encoding="utf-8") as file:
        for start in range(0, events, AT_ONCE):
            file.write("\n".join(lines(start * 3 // 10, min(AT_ONCE, events - start), rng)) + "\n")


def main() -> None:
    """Import a log of each size, and print a row for it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("events", type=int, nargs="*", default=SIZES)
    print("| events | file, MB | result pages | results | clicks | peak memory, MB | seconds |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for events in parser.parse_args().events:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "log.ndjson"
            make(path, events)
            start = time.perf_counter()
            command = [sys.executable, "-c", IMPORT, str(path), str(Path(folder) / "kept")]
            numbers = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
            seconds = time.perf_counter() - start
            pages, results, clicks, memory = (f"{int(number):,}" for number in numbers)
            size = f"{path.stat().st_size / 1e6:,.0f}"
            print(f"| {events:,} | {size} | {pages} | {results} | {clicks} | {memory} | {seconds:.0f} |", flush=True)


if __name__ == "__main__":
    main()
