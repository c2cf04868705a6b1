"""A comparison as tables: for the terminal, Markdown, LaTeX, HTML and JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.core.digits import (
    as_level,
    as_percent,
    as_percents,
    decimals,
    number,
    numbers,
    p_value,
    signed,
    signed_percent,
    signed_span,
    span,
)
from assay.core.errors import number_of
from assay.report.layout import Cell, Table, as_json
from assay.report.titled import Titled
from assay.sections.sentences import MOST_SENTENCES, sentences
from assay.sections.testing import family, method

if TYPE_CHECKING:
    from rich.console import Console

    from assay.comparison.findings import Finding, Standing
    from assay.comparison.result import Comparison

JSON_SCHEMA_VERSION = 1
#: From this width on, tables show all they have.
_WIDE = 130
#: Longer lines of prose are hard to read.
_LONGEST_LINE = 88


def show(comparison: Comparison, to: Console) -> None:
    """Print tables, sentences, coverage and the method."""
    from rich.text import Text  # noqa: PLC0415  # comparisons that are never printed need no Rich

    from assay.report.terminal import show_table  # noqa: PLC0415

    for title, table in comparison.tables(brief=to.width < _WIDE):
        if title:
            to.print()
            to.print(Text(title, style="bold"))
        show_table(table, to)
    width = min(to.width, _LONGEST_LINE)
    for line in legend(comparison):
        to.print(Text(line, style="dim"), width=width)
    for sentence in sentences(comparison):
        to.print()
        to.print(Text(sentence), width=width)
    to.print()
    for line in filter(None, (coverage(comparison), method(comparison))):
        to.print(Text(line, style="dim"), width=width)


def tables(comparison: Comparison, brief: bool = False) -> list[Titled]:
    """The tables of a comparison; `brief` leaves columns out that the sentences tell, too."""
    made = []
    if shows_pairs(comparison):
        table = pairs_table(comparison)
        spare = ("relative", "d_z", "won/tied/lost", *(table.numbers[:1] if "system" in table.names else ()))
        if comparison.classifiers is not None:  # items that are right or wrong have no numbers to set off
            table = table.without("d_z", "won/tied/lost")
        if comparison.clusterings is not None:  # nor have items in clusters, and there is no test
            table = table.without("p", "d_z", "won/tied/lost")
        made.append(Titled("", table.without(*spare) if brief else table))
    if comparison.pairs.all_pairs and len(comparison.systems) > 2:
        judged = _judged(comparison)
        made += [Titled(name, standings_table(comparison.standing(name), judged)) for name in comparison.measures]
    return made


def lines(comparison: Comparison) -> list[str]:
    """What goes below the tables: what marks mean, the findings in sentences, what they rest on, how they were made."""
    said = [*legend(comparison), *sentences(comparison), coverage(comparison), method(comparison), *comparison.notes]
    return [line for line in said if line]


def shows_pairs(comparison: Comparison) -> bool:
    """Whether the pairs are few enough to list them."""
    return not comparison.pairs.all_pairs or len(comparison.findings) <= MOST_SENTENCES


def pairs_table(comparison: Comparison) -> Table:
    """One row a finding; of several systems, the best first."""
    first, two = comparison.findings[0], len(comparison.pairs.pairs) == 1
    one_baseline = len({one.baseline for one in comparison.findings}) == 1
    columns = (first.baseline, first.system if two else "value") if one_baseline else ("baseline's", "value")
    # What is the same in all rows need not stand in each.
    named = {"measure": two or len(comparison.measures) > 1, "system": not two, "baseline": not one_baseline}
    level = f"{as_level(1 - comparison.settings.alpha)} interval"
    order = {(one.measure, one.system): place for place, one in enumerate(comparison.standings)}
    rows = []
    for one in sorted(comparison.findings, key=lambda one: order[one.measure, one.system]):
        label = tuple(getattr(one, name) for name, wanted in named.items() if wanted)
        rows.append((label, tuple(Cell(text) for text in _cells(one))))
    numbers = (*columns, "difference", "relative", level, "p", "d_z", "won/tied/lost", "verdict")
    return Table(tuple(name for name, wanted in named.items() if wanted), numbers, tuple(rows))


def _cells(one: Finding) -> Iterator[str]:
    yield from (*numbers([one.baseline_value, one.value]), signed(one.difference))
    yield signed_percent(one.relative)
    yield signed_span(one.interval.low, one.interval.high)
    yield p_value(one.p)
    yield signed(one.d_z, 2)
    yield "/".join(map(str, one.record))
    yield f"{one.verdict.word}{' (negligible)' if one.verdict.negligible else ''}{'*' if one.verdict.unjudged else ''}"


def standings_table(standings: tuple[Standing, ...], judged: dict[str, float]) -> Table:
    """One row a system, best first, with the letters of its groups, and how much of its first ten was judged."""
    level = f"{as_level(standings[0].interval.level)} interval"
    grouped = any(one.groups for one in standings)
    rows, least = [], decimals(one.value for one in standings)
    for one in standings:
        letters = ("" if max(map(len, one.groups), default=1) == 1 else " ").join(one.groups)
        cells = [
            number(one.value, least),
            span(one.interval.low, one.interval.high),
            *((letters, f"{one.alike:,}") if grouped else ()),
        ]
        cells += [as_percent(judged[one.system])] if judged else []
        rows.append(((one.system,), tuple(map(Cell, cells))))
    columns = (
        standings[0].measure,
        level,
        *(("group", "alike") if grouped else ()),
        *(("judged@10",) if judged else ()),
    )
    return Table(("system",), columns, tuple(rows))


def _judged(comparison: Comparison) -> dict[str, float]:
    """The share of judged documents in each system's first ten; nothing from scores, or if all counts as judged."""
    if comparison.evaluation is None or comparison.is_complete:
        return {}
    rows = {row["system"]: row for row in comparison.evaluation.coverage.to_dicts()}
    return {name: rows[name]["judged@10"] for name in comparison.systems}


def coverage(comparison: Comparison) -> str:
    """What the scores rest on, in a line; nothing if only scores were given."""
    if comparison.evaluation is None:
        return ""
    shares, units = _judged(comparison), len(comparison.paired[0].units)
    said = f"{number_of(comparison.paired[0].unit_kind, units)} in common; "
    if comparison.is_complete:
        return said + "judgments declared complete"
    said += "judged in the top 10: "
    if len(shares) <= 4:
        return said + ", ".join(map(" ".join, zip(shares, as_percents(shares.values()), strict=True)))
    known = {name: share for name, share in shares.items() if not math.isnan(share)} or shares
    low, high = min(known, key=lambda name: shares[name]), max(known, key=lambda name: shares[name])
    if shares[low] == shares[high] and len(known) == len(shares):
        return said + f"{as_percent(shares[low])} of all systems"
    least, most = as_percents([shares[low], shares[high]])
    return said + f"from {least} ({low}) to {most} ({high})"


def legend(comparison: Comparison) -> Iterator[str]:
    """What the marks in the tables mean."""
    if any(one.groups for one in comparison.standings):
        yield "Systems that share a letter cannot be told apart; alike: how many others one cannot be told from."
    if shows_pairs(comparison) and any(one.verdict.unjudged for one in comparison.findings):
        yield (
            "* depends on unjudged documents: with other grades for them, the difference could change its sign; "
            "--judge-next lists those to judge first."
        )


def _signatures(comparison: Comparison) -> dict[str, str] | None:
    """Everything that the numbers depend on, by measure; None if only scores were given."""
    itemised = comparison.classifiers or comparison.clusterings
    if itemised is not None:
        return {name: itemised.signature(name) for name in comparison.measures}
    return None if comparison.evaluation is None else comparison.evaluation.signatures


def to_json(comparison: Comparison) -> str:
    """Everything, numbers in full."""
    evaluation = comparison.evaluation
    told: dict[str, Any] = {
        "schema_version": JSON_SCHEMA_VERSION,
        "settings": comparison.settings._asdict(),
        "systems": list(comparison.systems),
        "measures": list(comparison.measures),
        "units": {one.measure: len(one.units) for one in comparison.paired},
        "findings": [
            one.row()
            | {
                "test": one.outcome._asdict(),
                "interval": one.interval._asdict(),
                "equivalence_interval": one.narrow._asdict(),
                "margin_is": one.margin.says,
                "noticed": None if one.noticed is None else one.noticed._asdict(),
                "flips": None if one.flips is None else one.flips._asdict(),
                "deciding_interval": None if one.deciding is None else one.deciding._asdict(),
                "why": one.verdict.why,
            }
            for one in comparison.findings
        ],
        "standings": [
            {
                "measure": one.measure,
                "system": one.system,
                "value": one.value,
                "low": one.interval.low,
                "high": one.interval.high,
                "groups": list(one.groups),
                "alike": one.alike,
            }
            for one in comparison.standings
        ],
        "sentences": list(sentences(comparison)),
        "family": family(comparison),
        "method": method(comparison),
        "notes": list(comparison.notes),
        "warnings": list(comparison.warnings),
        "signatures": _signatures(comparison),
        "complete": comparison.is_complete,
        "coverage": None if evaluation is None else evaluation.coverage.to_dicts(),
    }
    return as_json(told)
