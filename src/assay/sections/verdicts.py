"""The table of verdicts: one row for each system held against a baseline under a measure, whatever was compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import polars as pl

from assay.core.digits import as_level
from assay.show.axis import around
from assay.show.model import Column, Table

if TYPE_CHECKING:
    from assay.comparison.findings import Finding

Effects = Literal["all", "wins", "none"]


def verdicts_table(
    findings: Sequence[Finding],
    *,
    name: str = "findings",
    caption: str = "",
    notes: tuple[str, ...] = (),
    effects: Effects = "all",
    tested: bool = True,
    look: str = "compared",
) -> Table:
    """Both numbers, the difference with its interval, p and the verdict.

    What is the same in all rows does not stand in each: of one pair, its systems head the columns of their numbers.
    `effects`: the relative difference and d_z, too, and how many units won, tied and lost; or these alone; or neither,
    where units have no numbers. `tested`: there is a p-value.
    """
    pairs = {(finding.baseline, finding.system) for finding in findings}
    baselines, one_pair = {baseline for baseline, _ in pairs}, len(pairs) == 1
    one_baseline, first = len(baselines) == 1, findings[0]
    level = f"{as_level(first.interval.level)} interval"
    ends = [end for finding in findings for end in (finding.interval.low, finding.interval.high, finding.difference)]
    columns = [
        *([Column("measure")] if one_pair or len({finding.measure for finding in findings}) > 1 else []),
        *([Column("system")] if not one_pair else []),
        *([Column("baseline")] if not one_baseline else []),
        Column("baseline_value", first.baseline if one_baseline else "baseline's", "number", compared="row"),
        Column("value", first.system if one_pair else "value", "number", compared="row"),
        Column("difference", kind="number", signed=True),
        *([Column("relative", kind="percent", signed=True, spare=True)] if effects == "all" else []),
        Column("difference", level, "interval", signed=True, ends=("low", "high"), axis=around(ends)),
        *([Column("p", kind="p")] if tested else []),
        *([Column("d_z", kind="number", least=2, signed=True, spare=True)] if effects == "all" else []),
        *([Column("record", "won/tied/lost", spare=True)] if effects != "none" else []),
        Column("word", "verdict", "verdict", also="aside"),
    ]
    frame = pl.DataFrame([finding.row() | _words(finding) for finding in findings], infer_schema_length=None)
    return Table(name, frame, tuple(columns), caption, notes, look=look)


def _words(finding: Finding) -> dict[str, str]:
    aside = " (negligible)" if finding.verdict.negligible else ""
    return {
        "record": "/".join(map(str, finding.record)),
        "word": finding.verdict.word,
        "aside": aside + ("*" if finding.verdict.unjudged else ""),
    }
