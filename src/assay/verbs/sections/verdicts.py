"""The table of verdicts: one row for each system held against a baseline under a measure, whatever was compared."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import polars as pl

from assay.core.digits import as_level
from assay.show.axis import around
from assay.show.model import Column, Table

if TYPE_CHECKING:
    from assay.verbs.comparison.findings import Finding

Effects = Literal["all", "wins", "relative", "none"]


def verdicts_table(
    findings: Sequence[Finding],
    *,
    name: str = "findings",
    caption: str = "",
    notes: tuple[str, ...] = (),
    effects: Effects = "all",
    tested: bool = True,
    drawn: Collection[str] | None = None,
    look: str = "compared",
) -> Table:
    """Both numbers, the difference with its interval, p and the verdict.

    What is the same in all rows does not stand in each: of one pair, its systems head the columns of their numbers.
    `effects`: the relative difference and d_z, too, and how many units won, tied and lost; or one of these alone; or
    neither, where units have no numbers. `tested`: there is a p-value. `drawn`: measures whose differences fit on one
    axis.
    """
    pairs = {(finding.baseline, finding.system) for finding in findings}
    baselines, one_pair = {baseline for baseline, _ in pairs}, len(pairs) == 1
    one_baseline, first = len(baselines) == 1, findings[0]
    level = f"{as_level(first.interval.level)} interval"
    fits = [drawn is None or finding.measure in drawn for finding in findings]
    fitting = [finding for finding, is_drawn in zip(findings, fits, strict=True) if is_drawn]
    ends = [end for finding in fitting for end in (finding.interval.low, finding.interval.high, finding.difference)]
    of_baseline = first.baseline if one_baseline else "baseline's"
    is_relative, is_counted = effects in {"all", "relative"}, effects in {"all", "wins"}
    columns = [
        *([Column("measure")] if one_pair or len({finding.measure for finding in findings}) > 1 else []),
        *([Column("system")] if not one_pair else []),
        *([Column("baseline")] if not one_baseline else []),
        Column("baseline_value", of_baseline, "number", compared="row", spare=not one_pair),
        Column("value", first.system if one_pair else "value", "number", compared="row"),
        Column("difference", kind="number", signed=True),
        *([Column("relative", kind="percent", signed=True, spare=True)] if is_relative else []),
        Column("difference", level, "interval", signed=True, ends=("low", "high"), axis=around(ends)),
        *([Column("p", kind="p")] if tested else []),
        *([Column("d_z", kind="number", least=2, signed=True, spare=True)] if effects == "all" else []),
        *([Column("record", "won/tied/lost", spare=True)] if is_counted else []),
        Column("word", "verdict", "verdict", also="aside"),
    ]
    frame = pl.DataFrame(finding_rows(findings), infer_schema_length=None)
    if drawn is not None:
        frame = frame.with_columns(_is_drawn=pl.Series(fits))
    return Table(name, frame, tuple(columns), caption, notes, look=look, drawn="" if drawn is None else "_is_drawn")


def finding_rows(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """All that is known of each finding, in words too."""
    return [finding.row() | _words(finding) | _in_full(finding) for finding in findings]


def _words(finding: Finding) -> dict[str, Any]:
    aside = " (negligible)" if finding.verdict.negligible else ""
    return {
        "record": "/".join(map(str, finding.record)),
        "word": finding.verdict.word,
        "aside": aside + ("*" if finding.verdict.unjudged else ""),
    }


def _in_full(finding: Finding) -> dict[str, Any]:
    """What a row of a table has no room for."""
    parts: dict[str, NamedTuple | None] = {
        "test": finding.outcome,
        "interval": finding.interval,
        "equivalence_interval": finding.narrow,
        "deciding_interval": finding.deciding,
        "noticed": finding.noticed,
        "flips": finding.flips,
    }
    nested = {name: None if part is None else part._asdict() for name, part in parts.items()}
    return nested | {"margin_is": finding.margin.says, "why": finding.verdict.why}
