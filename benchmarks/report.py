"""Results as Markdown that reads well on a terminal too."""

from collections.abc import Sequence
from math import isnan
from pathlib import Path

from benchmarks.agreement import REAL
from benchmarks.targets import targets
from benchmarks.timing import Agreement, Result, Timing
from benchmarks.worker import MEASURES

_NONE = "–"


def report(machine: str, command: str, results: dict[str, Result], quick: bool) -> str:
    """The whole document."""
    parts = [
        "# Benchmarks",
        f"Machine: {machine}",
        f"Command: `{command}`. Seeded data; measures {', '.join(MEASURES)}; every timing is a process of its own, the "
        "tools take turns, and the table shows medians. *Import*, *work* (files or dicts to means, after import) and "
        "*whole* (the whole process) are seconds; *peak* is the peak memory. A ratio above 1 in the columns *work* and "
        "*whole* says how many times faster the first tool is; *memory* is its peak divided by the other's. "
        "ranx runs with a warm numba cache; slow tools have fewer repetitions, as the column *n* says.",
    ]
    if quick:
        parts.append("**Small data, for a smoke test: these figures mean nothing.**")
    if checked := targets(results):
        head = ["target", "measured", "bound", "met"]
        parts += ["## Targets", table(head, [target.row() for target in checked])]
    for result in results.values():
        parts += [f"## {result.case.title} (`{result.case.name}`)", *_case(result)]
    return "\n\n".join(parts) + "\n"


def _case(result: Result) -> list[str]:
    first = next(iter(result.timings.values()))
    head = ["tool", "n", "import", "work", "whole", "peak", "work ratio", "whole ratio", "memory ratio"]
    rows = [_row(timing, first, result.case.dicts) for timing in result.timings.values()]
    lines = [f"- {timing.tool} failed: {timing.problem}" for timing in result.timings.values() if timing.problem]
    if first.samples and first.samples[0].means:
        values = ", ".join(f"{measure} {value:.6f}" for measure, value in first.samples[0].means.items())
        lines.append(f"- {first.tool}: {values}")
    lines += [_agreement(agreement) for agreement in result.agreements]
    return [table(head, rows), *(["\n".join(lines)] if lines else [])]


def _row(timing: Timing, first: Timing, dicts: bool) -> list[str]:
    """A tool's medians and ratios; where dicts are made beforehand, the whole process and its memory say nothing."""
    whole = float("nan") if dicts else timing.whole
    peak = float("nan") if dicts else timing.peak
    cells = [timing.tool, str(len(timing.samples)), _number(timing.imports, ".3f"), _number(timing.work, ".3f")]
    cells += [_number(whole, ".3f"), _number(peak / 2**20, ",.0f", " MiB")]
    if timing is first:
        return [*cells, _NONE, _NONE, _NONE]
    # Imports do no work, and work that took no time has no ratio.
    work = timing.work / first.work if first.work > 1e-4 and timing.work > 1e-4 else float("nan")
    ratios = (work, whole / first.whole, first.peak / peak)
    return [*cells, *(_number(ratio, ".2f", "x") for ratio in ratios)]


def _agreement(found: Agreement) -> str:
    largest = max(found.largest.values())
    text = (
        f"- {found.tool}: means differ by at most {found.means:.1e}, "
        f"values of one query by at most {largest:.1e} (over {found.queries:,} queries)"
    )
    apart = {measure: count for measure, count in found.differing.items() if count}
    if apart:
        counts = ", ".join(f"{measure} {count:,}" for measure, count in apart.items())
        text += f"; queries that differ by more than {REAL:g}: {counts}"
    if found.unshared:
        text += f"; {found.unshared:,} queries are in one of the two only"
    return text


def _number(value: float, form: str, unit: str = "") -> str:
    return _NONE if isnan(value) else f"{value:{form}}{unit}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table with even columns, the first to the left and the others to the right."""
    widths = [max(3, *(len(row[column]) for row in (head, *rows))) for column in range(len(head))]
    rule = [f":{'-' * (widths[0] - 1)}", *(f"{'-' * (width - 1)}:" for width in widths[1:])]

    def line(cells: Sequence[str]) -> str:
        others = (cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True))
        return f"| {' | '.join([cells[0].ljust(widths[0]), *others])} |"

    return "\n".join(line(row) for row in (head, rule, *rows))


def write(path: Path, text: str) -> None:
    """Write under a temporary name, then rename: a reader sees the old file or the new one."""
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
