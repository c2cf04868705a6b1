"""Run the measured processes, the tools in turn, and gather what they report.

This process loads no data and no numeric library: a child's peak memory is counted from what its parent held.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.cases import Case
from benchmarks.environment import ROOT

_WORKER = Path(__file__).with_name("worker.py")
_PEERS = {"pytrec_eval", "ir_measures", "ranx"}
_TIMEOUT_SECONDS = 3_600


@dataclass(frozen=True)
class Sample:
    """What one process took."""

    import_seconds: float
    work_seconds: float
    whole_seconds: float
    peak_bytes: int
    means: dict[str, float]


@dataclass
class Timing:
    """One tool's processes in one case; `problem` says why there are none."""

    tool: str
    samples: list[Sample] = field(default_factory=list)
    problem: str = ""

    def median(self, what: Callable[[Sample], float]) -> float:
        """The median over the repetitions; not a number if the tool failed."""
        return median(map(what, self.samples)) if self.samples and not self.problem else float("nan")

    @property
    def imports(self) -> float:
        """Seconds to import."""
        return self.median(lambda sample: sample.import_seconds)

    @property
    def work(self) -> float:
        """Seconds from import to means."""
        return self.median(lambda sample: sample.work_seconds)

    @property
    def whole(self) -> float:
        """Seconds of the whole process."""
        return self.median(lambda sample: sample.whole_seconds)

    @property
    def peak(self) -> float:
        """Bytes of peak memory."""
        return self.median(lambda sample: sample.peak_bytes)


@dataclass(frozen=True)
class Agreement:
    """How far a tool's values are from those of the first tool."""

    tool: str
    means: float
    largest: dict[str, float]
    differing: dict[str, int]
    queries: int
    unshared: int


@dataclass(frozen=True)
class Result:
    """A case with its timings, by tool, and the agreement of the values."""

    case: Case
    timings: dict[str, Timing]
    agreements: list[Agreement]


@dataclass(frozen=True)
class Bench:
    """The two interpreters and the number of repetitions."""

    python: str
    peers: str
    repetitions: int

    def run(self, case: Case) -> Result:
        """Measure a case: in each repetition every tool has its turn, in the next in the opposite order."""
        timings = {entry.tool: Timing(entry.tool) for entry in case.entries}
        repetitions = case.repetitions or self.repetitions
        with tempfile.TemporaryDirectory() as folder:
            files = {tool: Path(folder) / f"{number}.json" for number, tool in enumerate(timings)}
            self._warm_up(case)
            for repetition in range(repetitions):
                for entry in case.entries if repetition % 2 == 0 else case.entries[::-1]:
                    timing = timings[entry.tool]
                    if timing.problem or repetition >= (entry.at_most or repetitions):
                        continue
                    values = files[entry.tool] if repetition == 0 and case.runs else None
                    self._measure(case, timing, values)
            return Result(case, timings, self._agreements(timings, files))

    def _warm_up(self, case: Case) -> None:
        """Bring the files into the page cache, modules into bytecode, and ranx's kernels into numba's cache."""
        for path in case.runs:
            with path.open("rb") as file:
                while file.read(1 << 20):
                    pass
        self._measure(Case("", "", ()), Timing("from assay import evaluate"), None)
        if any(entry.tool == "ranx" for entry in case.entries):
            # Compiled kernels depend on the width of the ids, so the warm-up takes the case's own file.
            _say(f"{case.name}: ranx warms up")
            self._measure(case, Timing("ranx"), None)

    def _measure(self, case: Case, timing: Timing, values: Path | None) -> None:
        """Start a process, wait for it and note what it took."""
        job = {
            "tool": timing.tool,
            "qrels": str(case.qrels),
            "runs": [str(path) for path in case.runs],
            "dicts": case.dicts,
            "values": str(values) if values else None,
        }
        python = self.peers if timing.tool in _PEERS else self.python
        started = time.perf_counter()
        try:
            command = [python, str(_WORKER), json.dumps(job)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            timing.problem = f"not done in {_TIMEOUT_SECONDS:,} s"
            return
        whole = time.perf_counter() - started
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            timing.problem = f"exit status {done.returncode}: {last}"
            _say(f"{case.name}: {timing.tool}: {timing.problem}")
            return
        report: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
        whole -= report.pop("aside_seconds")
        timing.samples.append(Sample(whole_seconds=whole, **report))
        if case.name:
            _say(f"{case.name}: {timing.tool}: work {report['work_seconds']:.3f} s, whole process {whole:.3f} s")

    def _agreements(self, timings: dict[str, Timing], files: dict[str, Path]) -> list[Agreement]:
        """Compare every tool that computes values with the first."""
        first, *others = timings.values()
        found = []
        for other in others:
            if first.problem or other.problem or not other.samples[0].means:
                continue
            command = [self.python, "-m", "benchmarks.agreement", str(files[first.tool]), str(files[other.tool])]
            done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
            ours, theirs = first.samples[0].means, other.samples[0].means
            means = max(abs(ours[measure] - theirs[measure]) for measure in ours)
            found.append(Agreement(other.tool, means, **json.loads(done.stdout)))
        return found


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
