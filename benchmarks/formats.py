"""How fast each format is read, and what converting needs: `python -m benchmarks.formats`.

Each measurement is a process of its own. The bare scan is what Polars takes for the same file and the same three
columns, without any of the checks; Polars reads no dicts of dicts, and there the standard library's parser stands in.
"""

import argparse
import importlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).parent
ROWS = 1_000_000
DEPTH = 1_000
REPEATS = 3
CONVERTED = (2_000_000, 8_000_000, 16_000_000)
FILES = {
    "TREC": "run.run",
    "MS MARCO": "run.marco",
    "CSV": "run.csv",
    "TSV": "run.tsv",
    "JSONL": "run.jsonl",
    "JSON": "run.json",
    "Parquet": "run.parquet",
    "Arrow": "run.arrow",
}


def scan(path: str) -> int:
    """The rows of a file, as bare Polars gives them."""
    import polars as pl  # noqa: PLC0415  # in the measured process only

    suffix = Path(path).suffix
    wanted = ["query_id", "doc_id", "score"]
    if suffix == ".json":
        with Path(path).open("rb") as file:
            return sum(map(len, json.load(file).values()))
    names = {
        ".run": ["query_id", "q0", "doc_id", "rank", "score", "tag"],
        ".marco": ["query_id", "doc_id", "score"],
    }
    lazy: dict[str, Callable[[], pl.LazyFrame]] = {
        ".run": lambda: pl.scan_csv(path, separator=" ", has_header=False, new_columns=names[suffix]),
        ".marco": lambda: pl.scan_csv(path, separator="\t", has_header=False, new_columns=names[suffix]),
        ".csv": lambda: pl.scan_csv(path),
        ".tsv": lambda: pl.scan_csv(path, separator="\t"),
        ".jsonl": lambda: pl.scan_ndjson(path),
        ".parquet": lambda: pl.scan_parquet(path),
        ".arrow": lambda: pl.scan_ipc(path),
    }
    return lazy[suffix]().select(wanted).collect().height


def ours(path: str) -> int:
    """The rows of a file, as Assay gives them."""
    from assay.files import read_run  # noqa: PLC0415

    return read_run(path).frame.height


def make(path: str, rows: int) -> int:
    """Write a seeded run in the format that the ending names."""
    import numpy as np  # noqa: PLC0415
    import polars as pl  # noqa: PLC0415

    from assay import Run  # noqa: PLC0415
    from assay.files.writing import write  # noqa: PLC0415

    rng = np.random.default_rng(7)
    queries = np.repeat(np.arange(rows // DEPTH), DEPTH)
    scores = -np.sort(-rng.gamma(2.0, 5.0, (rows // DEPTH, DEPTH)), axis=1).ravel().round(4)
    documents = np.concatenate([rng.choice(8_841_823, DEPTH, replace=False) for _ in range(rows // DEPTH)])
    frame = pl.DataFrame({"query_id": queries, "doc_id": documents, "score": scores})
    texts = frame.with_columns(pl.format("q{}", "query_id"), pl.format("d{}", "doc_id"))
    write(Run(texts, "bench"), path)
    return rows


def convert(path: str, target: str) -> int:
    """What `assay convert` does."""
    from assay.files import scan_run  # noqa: PLC0415
    from assay.files.writing import write  # noqa: PLC0415

    write(scan_run(path), target)
    return 0


WORK: dict[str, Callable[..., int]] = {"scan": scan, "ours": ours, "make": make, "convert": convert}


def measured(work: str, *arguments: Any) -> tuple[float, float]:
    """Seconds of the work, imports aside, and the peak memory of the process in MiB."""
    command = [sys.executable, "-m", "benchmarks.formats", "--work", work, *map(str, arguments)]
    done = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=True)
    seconds, peak = done.stdout.split()
    return float(seconds), float(peak)


def worker(work: str, arguments: list[str]) -> None:
    """Do one piece of work and print what it took."""
    for module in ("polars", "assay.files"):  # not part of what is measured
        importlib.import_module(module)
    given = [int(word) if word.isdecimal() else word for word in arguments]
    start = time.perf_counter()
    WORK[work](*given)
    seconds = time.perf_counter() - start
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def report(rows: int, converted: tuple[int, ...], repeats: int) -> str:
    """All measurements as Markdown."""
    lines = [
        "# Formats",
        "",
        f"A run of {rows:,} rows, {DEPTH:,} a query; the median of {repeats} processes each, imports aside. The bare",
        "scan is Polars alone (the standard library's parser for JSON): the same rows, none of the checks.",
        "",
        "| format | MB | bare scan, s | Assay, s | ratio | rows/s |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name, file in FILES.items():
            path = Path(folder) / file
            measured("make", path, rows)
            bare = median(measured("scan", path)[0] for _ in range(repeats))
            took = median(measured("ours", path)[0] for _ in range(repeats))
            size = path.stat().st_size / 1e6
            lines.append(f"| {name} | {size:.0f} | {bare:.2f} | {took:.2f} | {took / bare:.1f} | {rows / took:,.0f} |")
            path.unlink()
        lines += [
            "",
            "Converting streams: what the process holds at most grows far less than the run.",
            "",
            "| rows | TREC to Parquet, s | peak, MiB | Parquet to TREC, s | peak, MiB |",
            "| ---: | ---: | ---: | ---: | ---: |",
        ]
        for count in converted:
            plain, columns = Path(folder) / "big.run", Path(folder) / "big.parquet"
            measured("make", plain, count)
            there, back = measured("convert", plain, columns), measured("convert", columns, plain)
            lines.append(f"| {count:,} | {there[0]:.2f} | {there[1]:.0f} | {back[0]:.2f} | {back[1]:.0f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the tables; `--write` also puts them into FORMATS.md."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.formats", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--converted", type=int, nargs="*", default=CONVERTED)
    parser.add_argument("--write", action="store_true", help="write FORMATS.md")
    parser.add_argument("--work", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        worker(options.work[0], options.work[1:])
        return
    text = report(options.rows, tuple(options.converted), options.repeats)
    print(text, end="")
    if options.write:
        command = "Made by `python -m benchmarks.formats --write`.\n"
        (HERE / "FORMATS.md").write_text(f"{text}\n{command}", encoding="utf-8")


if __name__ == "__main__":
    main()
