"""The command line: `python -m benchmarks`."""

import argparse
import compileall
import shlex
import subprocess
import sys
from pathlib import Path

from benchmarks.cases import FULL, QUICK, SLOW, Case, Sizes, cases
from benchmarks.environment import HERE, ROOT, machine, peers_python
from benchmarks.report import report, write
from benchmarks.timing import Bench, Result

_RESULTS = HERE / "RESULTS.md"


def main(arguments: list[str]) -> int:
    """Measure, print and, if asked, write the results."""
    options = _options(arguments)
    sizes = QUICK if options.quick else FULL
    chosen = _chosen(sizes, options.only)
    subprocess.run([sys.executable, "-m", "benchmarks.data", sizes.name], check=True, cwd=ROOT)
    peers = peers_python()
    # The peers were compiled when they were installed; Assay, in its source folder, may have been edited since.
    compileall.compile_dir(ROOT / "src", quiet=1)
    repetitions = 1 if options.quick else options.repetitions
    bench = Bench(sys.executable, peers, repetitions)
    results: dict[str, Result] = {case.name: bench.run(case) for case in chosen}
    command = shlex.join(["python", "-m", "benchmarks", *arguments])
    text = report(machine(sys.executable, peers), command, results, options.quick)
    print(text)
    if options.write is not None:
        write(options.write, text)
    return int(any(timing.problem for result in results.values() for timing in result.timings.values()))


def _options(arguments: list[str]) -> argparse.Namespace:
    names = ", ".join(case.name for case in cases(FULL))
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Time Assay beside its peers.")
    parser.add_argument(
        "--repetitions",
        type=int,
        default=5,
        help=f"processes for each tool (5; ir_measures and ranx have at most {SLOW} on big files)",
    )
    parser.add_argument("--quick", action="store_true", help="one repetition on small data: a smoke test")
    parser.add_argument("--only", action="append", metavar="CASE", help=f"cases whose name starts so: {names}")
    parser.add_argument(
        "--write", type=Path, nargs="?", const=_RESULTS, metavar="PATH", help=f"write the results ({_RESULTS.name})"
    )
    options = parser.parse_args(arguments)
    if options.repetitions < 1:
        parser.error(f"--repetitions: expected 1 or more, got {options.repetitions}")
    if options.write == _RESULTS and (options.quick or options.only):
        parser.error(f"{_RESULTS.name} holds the results of all cases at full size: name another file after --write")
    return options


def _chosen(sizes: Sizes, only: list[str] | None) -> list[Case]:
    """The cases asked for, by the start of their names."""
    every = cases(sizes)
    for start in only or []:
        if not any(case.name.startswith(start) for case in every):
            sys.exit(f"--only: expected a case of {', '.join(case.name for case in every)}, got {start!r}")
    return [case for case in every if not only or case.name.startswith(tuple(only))]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
