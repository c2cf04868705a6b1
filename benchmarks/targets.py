"""What Assay is held to, and whether the medians meet it."""

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.timing import Result, Timing

#: Memory over three times the rows, and time over four times the queries, may grow by this much and count as flat
#: and as linear.
SLACK = 1.2


@dataclass(frozen=True)
class Target:
    """A ratio that should be at least, or at most, a number."""

    what: str
    value: float
    bound: float
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether it is; a tool that failed meets nothing."""
        return self.value >= self.bound if self.at_least else self.value <= self.bound

    def row(self) -> list[str]:
        """The cells of its line in the table."""
        sign = "at least" if self.at_least else "at most"
        return [self.what, f"{self.value:.2f}x", f"{sign} {self.bound:g}x", "yes" if self.met else "NO"]


def targets(results: dict[str, Result]) -> list[Target]:
    """Every target whose cases were measured."""
    return [*_big(results), *_unordered(results), *_sizes(results), *_small(results)]


def _pair(result: Result) -> tuple[Timing, Timing]:
    return result.timings["assay"], result.timings["pytrec_eval"]


def _big(results: dict[str, Result]) -> Iterator[Target]:
    if (result := results.get("big")) is None:
        return
    ours, reference = _pair(result)
    floor, ranx = result.timings["scan_csv"], result.timings["ranx"]
    yield Target("big: pytrec_eval / Assay, after import", reference.work / ours.work, 7, at_least=True)
    yield Target("big: Assay / bare scan_csv, after import", ours.work / floor.work, 2)
    yield Target("big: pytrec_eval / Assay, whole process", reference.whole / ours.whole, 5, at_least=True)
    yield Target("big: ranx (warm) / Assay, whole process", ranx.whole / ours.whole, 10, at_least=True)
    yield Target("big: Assay / pytrec_eval, peak memory", ours.peak / reference.peak, 0.5)


def _unordered(results: dict[str, Result]) -> Iterator[Target]:
    for name in ("shuffled", "interleaved"):
        if name in results:
            ours, reference = _pair(results[name])
            yield Target(f"{name}: pytrec_eval / Assay, whole process", reference.whole / ours.whole, 2, at_least=True)


def _sizes(results: dict[str, Result]) -> Iterator[Target]:
    if {"big", "thrice"} <= results.keys():
        once, thrice = (results[name].timings["assay"] for name in ("big", "thrice"))
        yield Target("thrice / big: Assay's peak memory, three times the rows", thrice.peak / once.peak, SLACK)
    if {"short-half", "short", "short-double"} <= results.keys():
        half, whole, double = (results[name].timings["assay"] for name in ("short-half", "short", "short-double"))
        yield Target("short / short-half: Assay after import, twice the queries", whole.work / half.work, 2 * SLACK)
        yield Target("short-double / short: Assay after import, twice the queries", double.work / whole.work, 2 * SLACK)


def _small(results: dict[str, Result]) -> Iterator[Target]:
    if (result := results.get("deep")) is not None:
        ours, reference = _pair(result)
        # What importing Polars adds to a process, its end included.
        added = result.timings["import polars"].whole - result.timings["nothing"].whole
        allowed = reference.whole + added
        yield Target("deep: Assay / (pytrec_eval + import of polars), whole process", ours.whole / allowed, 1)
    for name in ("dicts-big", "dicts-deep"):
        if name in results:
            ours, reference = _pair(results[name])
            yield Target(f"{name}: Assay / pytrec_eval, after import", ours.work / reference.work, 1)
    if (result := results.get("runs")) is not None:
        together, each = result.timings["assay"], result.timings["assay, a call a run"]
        yield Target("runs: one call / a call for each run, after import", together.work / each.work, 1)
    if (result := results.get("imports")) is not None:
        polars = result.timings["import polars"].imports
        for name in ("import assay", "from assay import evaluate"):
            yield Target(f"imports: {name} / import polars", result.timings[name].imports / polars, 1.5)
