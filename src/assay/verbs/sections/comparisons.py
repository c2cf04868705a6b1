"""The document of a comparison, and the table of verdicts: a row for each system, baseline and measure."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from assay.core.digits import as_level, as_percents
from assay.core.errors import listed, number_of
from assay.show.figure import around
from assay.show.model import Column, Document, Kind, Section, Table
from assay.verbs.sections.methods import family, method
from assay.verbs.sections.sentences import sentences

if TYPE_CHECKING:
    from assay.stats.pairing import EffectColumns
    from assay.verbs.comparison.findings import Finding, Standing
    from assay.verbs.comparison.result import Comparison


def verdicts_table(
    findings: Sequence[Finding],
    *,
    name: str = "findings",
    caption: str = "",
    notes: tuple[str, ...] = (),
    effects: EffectColumns = "all",
    tested: bool = True,
    drawn: Collection[str] | None = None,
    look: str = "compared",
) -> Table:
    """Both numbers, the difference with its interval, p and the verdict.

    What is the same in all rows does not stand in each: of one pair, its systems head the columns of their numbers.
    Where only differences are known, as of preferences, these stand alone.
    `effects`: the relative difference and d_z, too, and how many units won, tied and lost; or one of these alone; or
    neither, where units have no numbers. `tested`: there is a p-value. `drawn`: measures whose differences fit on one
    axis.
    """
    pairs = {(finding.baseline, finding.system) for finding in findings}
    baselines = {baseline for baseline, _ in pairs}
    one_pair = len(pairs) == 1
    one_baseline = len(baselines) == 1
    first = findings[0]
    level = f"{as_level(first.interval.level)} interval"
    fits = [drawn is None or finding.measure in drawn for finding in findings]
    fitting = [finding for finding, is_drawn in zip(findings, fits, strict=True) if is_drawn]
    ends = [end for finding in fitting for end in (finding.interval.low, finding.interval.high, finding.difference)]
    of_baseline = first.baseline if one_baseline else "baseline's"
    has_numbers = any(not math.isnan(finding.value) or math.isnan(finding.difference) for finding in findings)
    is_relative, is_counted = has_numbers and effects in {"all", "relative"}, effects in {"all", "wins"}
    values = (
        Column("baseline_value", of_baseline, "number", compared="row", spare=not one_pair),
        Column("value", first.system if one_pair else "value", "number", compared="row"),
    )
    columns = [
        *([Column("measure")] if one_pair or len({finding.measure for finding in findings}) > 1 else []),
        *([Column("system")] if not one_pair else []),
        *([Column("baseline")] if not one_baseline else []),
        *(values if has_numbers else ()),
        Column("difference", kind="number", signed=True),
        *([Column("relative", kind="percent", signed=True, spare=True)] if is_relative else []),
        Column(
            "difference", level, "interval", signed=True, ends=("low", "high"), axis=around(ends) if fitting else None
        ),
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
        "word": "cannot be compared" if finding.verdict.incomparable else finding.verdict.word,
        "aside": aside + ("*" if finding.verdict.unjudged else ""),
    }


def _in_full(finding: Finding) -> dict[str, Any]:
    """The facts that a row of a table has no room for."""
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


#: Of more systems than this, only the least and the most judged are named.
_FEW_SYSTEMS = 4
#: How columns of lists are shown, by their names.
_KINDS: dict[str, Kind] = {"grade": "short", "p": "p"}

_SIGNED = {"difference", "effect"}


def document(comparison: Comparison) -> Document:
    """Tables, sentences, what the scores rest on, and how all that was made."""
    title = f"{listed(comparison.systems)} compared by {', '.join(comparison.measures)}"
    sections = (
        _findings(comparison),
        _standings(comparison),
        Section.of_lines("legend", _legend(comparison), "fine"),
        Section.of_lines("sentences", sentences(comparison), "paragraph"),
        _method(comparison),
        Section.of_lines("notes", comparison.notes),
    )
    return Document("comparison", sections, title)


def _findings(comparison: Comparison) -> Section:
    """One row for each finding; of several systems, the best first."""
    order = {(standing.measure, standing.system): place for place, standing in enumerate(comparison.standings)}
    findings = sorted(comparison.findings, key=lambda finding: order[finding.measure, finding.system])
    if comparison.is_of_many:
        return Section("findings", data={"findings": finding_rows(findings)})
    effects = comparison.pairing.effects
    tested = comparison.samples[0].decides_by == "p"
    return Section("findings", parts=(verdicts_table(findings, effects=effects, tested=tested),))


def _standings(comparison: Comparison) -> Section:
    """The systems, best first, where all pairs were tested: one table for each measure."""
    rows = {name: [_standing(each) for each in comparison.standing(name)] for name in comparison.measures}
    if not comparison.pairs.all_pairs or len(comparison.systems) < 3 or comparison.samples[0].only_differences:
        return Section("standings", data=rows)
    judged = _judged(comparison)
    level = as_level(comparison.standings[0].interval.level)
    tables = []
    for name, systems in rows.items():
        frame = pl.DataFrame([row | {"judged@10": judged.get(row["system"])} for row in systems])
        columns = [
            Column("system"),
            Column("value", name, "number", compared="column"),
            Column("value", f"{level} interval", "interval", ends=("low", "high")),
            *([Column("letters", "group"), Column("alike", kind="count")] if any(frame["letters"]) else []),
            *([Column("judged@10", kind="percent")] if judged else []),
        ]
        tables.append(Table(name, frame, tuple(columns), name))
    return Section("standings", parts=tuple(tables))


def _standing(standing: Standing) -> dict[str, Any]:
    letters = ("" if max(map(len, standing.groups), default=1) == 1 else " ").join(standing.groups)
    named = {"measure": standing.measure, "system": standing.system, "value": standing.value}
    ends = {"low": standing.interval.low, "high": standing.interval.high}
    return named | ends | {"groups": list(standing.groups), "letters": letters, "alike": standing.alike}


def _legend(comparison: Comparison) -> Iterator[str]:
    """The meaning of the marks in the tables."""
    if any(standing.groups for standing in comparison.standings):
        yield "Systems that share a letter show no clear difference; alike: from how many others a system shows none."
    if not comparison.is_of_many and any(finding.verdict.unjudged for finding in comparison.findings):
        yield ("* depends on unjudged documents: with other grades for them, the difference could change its sign.")


def _method(comparison: Comparison) -> Section:
    evaluation = comparison.evaluation
    data = {
        "settings": comparison.settings._asdict(),
        "systems": list(comparison.systems),
        "measures": list(comparison.measures),
        "units": {sample.measure: sample.size for sample in comparison.samples},
        "family": family(comparison),
        "warnings": list(comparison.warnings),
        "signatures": comparison.pairing.signatures(comparison.measures) or None,
        "complete": comparison.is_complete,
        "coverage": None if evaluation is None else evaluation.coverage.to_dicts(),
    }
    return Section.of_lines("method", filter(None, (_coverage(comparison), method(comparison))), "fine", data)


def _judged(comparison: Comparison) -> dict[str, float]:
    """The share of judged documents in each system's first ten; nothing from scores, or if all counts as judged."""
    if comparison.evaluation is None or comparison.is_complete:
        return {}
    shares = dict(comparison.evaluation.coverage.select("system", "judged@10").rows())
    return {name: shares[name] for name in comparison.systems}


def _coverage(comparison: Comparison) -> str:
    """The basis of the scores, in a line; nothing if only scores were given."""
    if comparison.evaluation is None:
        return ""
    shares = _judged(comparison)
    sample = comparison.samples[0]
    common = f"{number_of(sample.unit_kind, sample.size)} in common; "
    if comparison.is_complete:
        return f"{common}judgments declared complete"
    common += "judged in the top 10: "
    if len(shares) <= _FEW_SYSTEMS:
        return common + ", ".join(map(" ".join, zip(shares, as_percents(shares.values()), strict=True)))
    ends = [get(shares, key=lambda name: (math.isnan(shares[name]), shares[name])) for get in (min, max)]
    least, most = as_percents([shares[name] for name in ends])
    if least == most:
        return f"{common}{least} of all systems"
    return f"{common}from {least} ({ends[0]}) to {most} ({ends[1]})"


def list_section(name: str, frame: pl.DataFrame, caption: str) -> Section:
    """A list that a comparison gives besides, such as its queries or documents, shown by the names of its columns."""
    kinds: dict[str, Any] = {key: kind for key, kind in _KINDS.items() if key in frame.columns}
    table = Table.of(name, frame, caption, **kinds)
    # Verdicts with a conflict are rare: where there is none, people need no column for it.
    columns = tuple(
        replace(column, signed=column.name in _SIGNED, missing="" if column.kind == "text" else "–")
        for column in table.columns
        if column.name != "conflict" or not frame["conflict"].is_null().all()
    )
    return Section(name, parts=(replace(table, columns=columns),))
