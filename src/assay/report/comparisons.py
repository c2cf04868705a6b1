"""A comparison as tables: for the terminal, Markdown, LaTeX, HTML and JSON."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.errors import number_of
from assay.report.layout import NOT_AVAILABLE, Cell, Table, as_json
from assay.report.sentences import MOST_SENTENCES, p_value, sentences, signed

if TYPE_CHECKING:
    from assay.comparison.findings import Finding, Standing
    from assay.comparison.result import Comparison

JSON_SCHEMA_VERSION = 1
_TESTS = {
    "permutation": "paired permutation test",
    "bootstrap": "studentised bootstrap test",
    "t": "paired t test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
    "tukey": "Tukey's HSD after a two-way analysis of variance",
    "randomised_tukey": "randomised Tukey HSD",
}
_CORRECTIONS = {
    "none": "not corrected",
    "bonferroni": "corrected by Bonferroni's method",
    "holm": "corrected by Holm's method",
    "benjamini-hochberg": "corrected by Benjamini and Hochberg's method (false discovery rate)",
}


def tables(comparison: Comparison, brief: bool = False) -> Iterator[tuple[str, Table]]:
    """The tables of a comparison, each with a title; `brief` leaves columns out that the sentences tell too."""
    if shows_pairs(comparison):
        table = pairs_table(comparison)
        spare = ("relative", "d_z", "won/tied/lost", *(table.numbers[:1] if "system" in table.names else ()))
        yield "", table.without(*spare) if brief else table
    if comparison.pairs.all_pairs and len(comparison.systems) > 2:
        for measure in comparison.measures:
            yield measure, standings_table(comparison.standing(measure))


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
    level = f"{1 - comparison.settings.alpha:.0%} interval"
    order = {(one.measure, one.system): place for place, one in enumerate(comparison.standings)}
    rows = []
    for one in sorted(comparison.findings, key=lambda one: order[one.measure, one.system]):
        label = tuple(getattr(one, name) for name, wanted in named.items() if wanted)
        rows.append((label, tuple(Cell(text) for text in _cells(one))))
    numbers = (*columns, "difference", "relative", level, "p", "d_z", "won/tied/lost", "verdict")
    return Table(tuple(name for name, wanted in named.items() if wanted), numbers, tuple(rows))


def _cells(one: Finding) -> Iterator[str]:
    yield from (_number(one.baseline_value), _number(one.value), signed(one.difference))
    yield NOT_AVAILABLE if math.isnan(one.relative) else f"{one.relative:+.1%}"
    known = one.interval.is_known
    yield f"{signed(one.interval.low)} to {signed(one.interval.high)}" if known else NOT_AVAILABLE
    yield NOT_AVAILABLE if math.isnan(one.p) else p_value(one.p).removeprefix("= ")
    yield NOT_AVAILABLE if math.isnan(one.d_z) else f"{one.d_z:+.2f}"
    yield "/".join(map(str, one.wins))
    yield f"{one.verdict.word}{' (negligible)' if one.verdict.negligible else ''}{'*' if one.verdict.unjudged else ''}"


def standings_table(standings: tuple[Standing, ...]) -> Table:
    """One row a system, best first, with the letters of its groups."""
    level = f"{standings[0].interval.level:.0%} interval"
    grouped = any(one.groups for one in standings)
    rows = []
    for one in standings:
        interval = f"{one.interval.low:.4f} to {one.interval.high:.4f}" if one.interval.is_known else NOT_AVAILABLE
        cells = (_number(one.value), interval, *(("".join(one.groups),) if grouped else ()))
        rows.append(((one.system,), tuple(map(Cell, cells))))
    return Table(("system",), (standings[0].measure, level, *(("group",) if grouped else ())), tuple(rows))


def _number(value: float) -> str:
    return NOT_AVAILABLE if math.isnan(value) else f"{value:.4f}"


def method(comparison: Comparison) -> str:
    """How it was made, in a sentence for a paper."""
    settings = comparison.settings
    alpha = settings.alpha
    notes = dict.fromkeys(one.tested.note for one in comparison.findings if one.tested.note)
    how = f" ({'; '.join(notes)})" if 0 < len(notes) <= 2 else ""
    single = settings.family.startswith("one comparison")
    corrected = f", {settings.family}" if single else f", {_CORRECTIONS[settings.correction]} over {settings.family}"
    if settings.test in {"tukey", "randomised_tukey"}:
        corrected = f", for {settings.family}"
    interval = "BCa" if settings.interval == "bca" else "percentile"
    margins = {f"{one.margin.value:g} ({one.margin.says})" for one in comparison.findings}
    margin = f"{margins.pop()}" if len(margins) == 1 else "given with each finding"
    return (
        f"{_TESTS[settings.test].capitalize()}{how}{corrected}; {interval} bootstrap intervals at {1 - alpha:.0%} "
        f"({settings.bootstrap_resamples:,} resamples); margin {margin}; alpha {alpha:g}; seed {settings.seed}."
    )


def coverage(comparison: Comparison) -> str:
    """What the scores rest on, in a line; nothing if only scores were given."""
    if comparison.evaluation is None:
        return ""
    rows = {row["system"]: row for row in comparison.evaluation.coverage.to_dicts()}
    shares = {name: rows[name]["judged@10"] for name in comparison.systems}
    units = len(comparison.paired[0].units)
    said = f"{number_of(comparison.paired[0].unit_kind, units)} in common; judged in the top 10: "
    if len(shares) <= 4:
        return said + ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
    low, high = min(shares, key=lambda name: shares[name]), max(shares, key=lambda name: shares[name])
    if shares[low] == shares[high]:
        return said + f"{shares[low]:.1%} of all systems"
    return said + f"from {shares[low]:.1%} ({low}) to {shares[high]:.1%} ({high})"


def legend(comparison: Comparison) -> Iterator[str]:
    """What the marks in the tables mean."""
    if any(one.groups for one in comparison.standings):
        yield "Systems that share a letter cannot be told apart."
    if shows_pairs(comparison) and any(one.verdict.unjudged for one in comparison.findings):
        yield "* depends on unjudged documents: with other grades for them, the difference could change its sign."


def to_markdown(comparison: Comparison) -> str:
    """Sentences, tables and the method."""
    parts = [f"- {sentence}" for sentence in sentences(comparison)]
    body = ["\n".join(parts)]
    for title, table in tables(comparison):
        body.append((f"**{title}**\n\n" if title else "") + table.to_markdown().rstrip())
    body += [*legend(comparison), coverage(comparison), method(comparison)]
    return "\n\n".join(part for part in body if part) + "\n"


def to_latex(comparison: Comparison) -> str:
    """The tables, booktabs."""
    return "\n".join(table.to_latex() for _, table in tables(comparison))


def to_html(comparison: Comparison) -> str:
    """Sentences, tables and the method, as a part of a page."""
    said = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in sentences(comparison))
    shown = "".join(
        (f"<h3>{html.escape(title)}</h3>" if title else "") + table.to_html() for title, table in tables(comparison)
    )
    rest = [*legend(comparison), coverage(comparison), method(comparison)]
    return said + shown + "".join(f"<p><small>{html.escape(line)}</small></p>" for line in rest if line)


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
            one.flat()
            | {
                "test": one.tested._asdict(),
                "interval": one.interval._asdict(),
                "equivalence_interval": one.narrow._asdict(),
                "margin_is": one.margin.says,
                "noticed": None if one.noticed is None else one.noticed._asdict(),
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
            }
            for one in comparison.standings
        ],
        "sentences": list(sentences(comparison)),
        "method": method(comparison),
        "notes": list(comparison.notes),
        "signatures": None if evaluation is None else evaluation.signatures,
        "coverage": None if evaluation is None else evaluation.coverage.to_dicts(),
    }
    return as_json(told)
