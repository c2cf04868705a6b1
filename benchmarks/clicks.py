"""How fast click models are fitted: `python -m benchmarks.clicks`.

The unit is what Polars takes to scan the log and group it by query, document and rank. Models are fitted from the same
files, reading and counting included, in turns: medians of seconds on the clock, and of processor time. With CLAX (of
`clax-models`, in an environment of its own, made once), its position-based model is trained by its Trainer at its
defaults on the same pages: how long both take, and what log-likelihood they reach.
"""

import argparse
import json
import platform
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
import polars as pl

from assay.measures.counting.clicked_lists import ClickedLists
from assay.stats.click_models.chains import ChainData
from assay.stats.click_models.fitting import fit_clicks
from assay.tables.log import EVENTS, IMPRESSIONS, RESULTS, Log
from benchmarks.environment import HERE, InstallError, own_environment

SIZES = (100_000, 300_000, 1_000_000)
RESULTS_SHOWN, POOL, VARIANTS = 10, 20, 8
CLOSED = ("DCTR", "CM", "DCM", "SDBN")
#: What is promised, in units.
PROMISED = {"closed forms": 3, "PBM, 50 iterations": 6, "UBM, 50 iterations": 6, "DBN, 1 iteration": 4,
            "CCM, 1 iteration": 4}  # fmt: skip
#: Pages that CLAX is trained on, and how near the likelihoods have to be, as a share.
PEER_PAGES, NEAR = 20_000, 1e-3
PEER_PACKAGES = ("clax-models", "jax==0.7.1", "jaxlib==0.7.1", "torch==2.13.0")
_PEER = """
import json, sys, time
import numpy, optax
from flax import nnx
from clax import PositionBasedModel, Trainer
held = numpy.load(sys.argv[1])
pair, click = held["pair"], held["click"]
class Batches:
    def __init__(self, rng):
        self.rng = rng
    def __len__(self):
        return -(-len(pair) // 512)
    def __iter__(self):
        order = numpy.arange(len(pair)) if self.rng is None else self.rng.permutation(len(pair))
        for rows in numpy.array_split(order, len(self)):
            shape = pair[rows].shape
            yield {"query_doc_ids": pair[rows], "clicks": click[rows].astype("float32"),
                   "positions": numpy.broadcast_to(numpy.arange(1, shape[1] + 1), shape),
                   "mask": numpy.ones(shape, dtype=bool)}
model = PositionBasedModel(query_doc_pairs=int(pair.max()) + 2, positions=pair.shape[1], rngs=nnx.Rngs(42))
trainer = Trainer(optimizer=optax.adamw(0.003))
start, wall = time.process_time(), time.perf_counter()
course = trainer.train(model, Batches(numpy.random.default_rng(0)), Batches(None))
spent, waited = time.process_time() - start, time.perf_counter() - wall
found = trainer.test_clicks(model, Batches(None))
print("\\n" + json.dumps({"seconds": spent, "waited": waited, "log_likelihood": float(found["test_ll"].iloc[0]),
                        "epochs": len(course)}))
"""


def write_log(folder: Path, pages: int, seed: int = 0) -> Log:
    """Pages of people who read from the top, click what attracts them, and stop; a few rankings of each query."""
    rng = np.random.default_rng(seed)
    queries = max(100, pages // 50)
    frequency = 1 / np.arange(1, queries + 1) ** 0.8
    query = rng.choice(queries, size=pages, p=frequency / frequency.sum())
    noise = rng.random((queries * VARIANTS, POOL)) * 0.6 + np.arange(POOL) / POOL
    order = np.argsort(noise, axis=1)[:, :RESULTS_SHOWN]
    docs = order[query * VARIANTS + rng.integers(0, VARIANTS, pages)] + query[:, None] * POOL
    near, content = rng.beta(1, 3, queries * POOL), rng.beta(2, 2, queries * POOL)
    reads, clicks = np.ones(pages, dtype=np.bool_), np.zeros(docs.shape, dtype=np.int64)
    for rank in range(RESULTS_SHOWN):
        click = reads & (rng.random(pages) < near[docs[:, rank]])
        clicks[:, rank] = click
        reads &= ~(click & (rng.random(pages) < content[docs[:, rank]])) & (rng.random(pages) < 0.8)
    impressions = pl.DataFrame({"impression": np.arange(pages), "query_id": query})
    results = pl.DataFrame({
        "impression": np.repeat(np.arange(pages), RESULTS_SHOWN),
        "rank": np.tile(np.arange(1, RESULTS_SHOWN + 1), pages), "doc_id": docs.ravel(), "clicks": clicks.ravel(),
    })  # fmt: skip
    impressions = impressions.with_columns(query_id=pl.format("query {}", "query_id"))
    results = results.with_columns(doc_id=pl.format("doc-{}", "doc_id"))
    scanned = {}
    for name, frame, schema in (("impressions", impressions, IMPRESSIONS), ("results", results, RESULTS)):
        lacking = [pl.lit(None, dtype=kind).alias(key) for key, kind in schema.items() if key not in frame.columns]
        frame.with_columns(lacking).select(*schema).write_parquet(folder / f"{name}.parquet")
        scanned[name] = pl.scan_parquet(folder / f"{name}.parquet")
    return Log(scanned["impressions"], scanned["results"], pl.LazyFrame(schema=EVENTS))


def unit(log: Log) -> None:
    """Scan the log and group it."""
    named = log.results.join(log.impressions.select("impression", "query_id"), on="impression")
    named.group_by("query_id", "doc_id", "rank").agg(pl.len(), pl.col("clicks").sum()).collect(engine="streaming")


def works(log: Log) -> dict[str, Callable[[], object]]:
    """What is timed, the unit first."""
    return {
        "unit": lambda: unit(log),
        **{name: lambda name=name: fit_clicks(log, name, prior=(0, 0)) for name in CLOSED},  # type: ignore[misc]
        "PBM, 50 iterations": lambda: fit_clicks(log, "PBM", prior=(0, 0), iterations=50, tolerance=0.0),
        "UBM, 50 iterations": lambda: fit_clicks(log, "UBM", prior=(0, 0), iterations=50, tolerance=0.0),
        "DBN, 1 iteration": lambda: fit_clicks(log, "DBN", prior=(0, 0), iterations=1, tolerance=0.0),
        "CCM, 1 iteration": lambda: fit_clicks(log, "CCM", prior=(0, 0), iterations=1, tolerance=0.0),
    }


def timed(repeats: int, work: dict[str, Callable[[], object]]) -> list[dict[str, float]]:
    """Seconds of each on the clock, and of processor time: medians over turns."""
    clocks = time.perf_counter, time.process_time
    spent: list[dict[str, list[float]]] = [{name: [] for name in work} for _ in clocks]
    for _ in range(repeats):
        for name, each in work.items():
            starts = [clock() for clock in clocks]
            each()
            for times, clock, start in zip(spent, clocks, starts, strict=True):
                times[name].append(clock() - start)
    medians = [{name: median(each) for name, each in times.items()} for times in spent]
    return [{"closed forms": max(each.pop(name) for name in CLOSED), **each} for each in medians]


def beside_clax(python: str) -> str:
    """Both fit the position-based model to the same pages."""
    with tempfile.TemporaryDirectory() as folder:
        lists = ClickedLists.from_log(write_log(Path(folder), PEER_PAGES))
        data = Path(folder) / "pages.npz"
        shape = (len(lists), RESULTS_SHOWN)
        np.savez(data, pair=lists.pair.reshape(shape), click=lists.clicked.reshape(shape))
        done = subprocess.run([python, "-c", _PEER, str(data)], capture_output=True, text=True, check=True)
    theirs = json.loads(done.stdout.strip().splitlines()[-1])
    start = time.process_time()
    model = fit_clicks(lists, "PBM", prior=(0, 0))
    ours = time.process_time() - start
    reached = model.log_likelihood(lists) / len(lists.pair)
    gap = (theirs["log_likelihood"] - reached) / abs(reached)
    said = "within" if abs(gap) <= NEAR else "not within"
    return (
        f"PBM on {PEER_PAGES:,} pages: Assay {ours:.2f} s of processor time, log-likelihood {reached:.5f} per result; "
        f"CLAX {theirs['seconds']:.1f} s in {theirs['epochs']} epochs, {theirs['log_likelihood']:.5f} ({said} "
        f"{NEAR:.1%}: {gap:+.2%}). Ratio of times {theirs['seconds'] / ours:.0f}."
    )


def table(pages: list[int], spent: list[dict[str, float]], heading: str) -> list[str]:
    """A row per size: seconds, and in units."""
    names = ["unit", *PROMISED]
    rows = [f"{heading}:", "", f"| pages | {' | '.join(names)} |", "| ---: |" + " ---: |" * len(names)]
    for size, times in zip(pages, spent, strict=True):
        cells = [f"{times[name]:.2f} s ({times[name] / times['unit']:.1f})" for name in names]
        rows.append(f"| {size:,} | {' | '.join(cells)} |")
    return [*rows, ""]


def summary(pages: list[int], spent: list[dict[str, float]]) -> list[str]:
    """Whether what is promised is kept at the largest size, and how cost grows."""
    last = spent[-1]
    wrong = [name for name, most in PROMISED.items() if last[name] > most * last["unit"]]
    promises = ", ".join(f"{name} {most}" for name, most in PROMISED.items())
    lines = [
        f"Promised, in units on the clock: {promises}: {'all kept' if not wrong else 'not kept: ' + ', '.join(wrong)}."
    ]
    if len(spent) > 1:
        times = pages[-1] / pages[-2]
        growth = {name: spent[-1][name] / spent[-2][name] / times for name in PROMISED}
        steep = max(growth, key=lambda name: growth[name])
        lines.append(f"Cost against linear over the last step of sizes: {growth[steep]:.2f} at most ({steep}).")
    return lines


def main() -> None:
    """Print the tables and, if asked, write them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.clicks", description="Time click models.")
    parser.add_argument("--repeats", type=int, default=3, help="turns (3)")
    parser.add_argument("--pages", type=int, nargs="*", default=list(SIZES), help="sizes of the log")
    parser.add_argument("--no-peer", action="store_true", help="leave CLAX out")
    parser.add_argument("--write", action="store_true", help="write CLICKS.md")
    options = parser.parse_args()
    on_clock: list[dict[str, float]] = []
    of_processor: list[dict[str, float]] = []
    for pages in options.pages:
        with tempfile.TemporaryDirectory() as folder:
            log = write_log(Path(folder), pages)
            clock, processor = timed(options.repeats, works(log))
            distinct = len(ChainData(ClickedLists.from_log(log)).lists)
        on_clock.append(clock)
        of_processor.append(processor)
        print(f"{pages:,} pages: {clock}", flush=True)
    lines = [
        "# Click models", "",
        f"`python -m benchmarks.clicks --write`, {platform.machine()}, medians of {options.repeats}, from the log's",
        "files to the fitted model. In brackets units: what Polars takes to scan the log and group it by query,",
        f"document and rank. {RESULTS_SHOWN} results per page.", "",
        *table(options.pages, on_clock, "Seconds on the clock"),
        *table(options.pages, of_processor, "Seconds of processor time, all threads together"),
        *summary(options.pages, on_clock),
        f"Of the largest log, {distinct:,} lists are distinct: chain models iterate over these.",
    ]  # fmt: skip
    if not options.no_peer:
        try:
            lines.append(beside_clax(own_environment("clax", PEER_PACKAGES)))
        except InstallError as reason:
            lines.append(f"CLAX was not compared with: {reason}")
    text = "\n".join(lines) + "\n"
    print(text)
    if options.write:
        (HERE / "CLICKS.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
