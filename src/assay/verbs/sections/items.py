"""The sections that reports on items have in common, of classifiers and clusterings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.core import registry
from assay.core.digits import as_level
from assay.core.errors import number_of
from assay.core.words import INTERVALS
from assay.show.figure import Axis, rounded_out
from assay.show.model import Column, Kind, Prose, Section, Table
from assay.verbs.sections.estimates import NoSkill, measures_table, remarks_of, undefined, without_interval
from assay.verbs.sections.reports import claims, is_bounded, summed_up

if TYPE_CHECKING:
    from assay.measures.registry import Measure
    from assay.verbs.item_results import ItemResult
    from assay.verbs.report.items import Items

#: So many remarks stand beside the claim; the others below it.
_MOST_REMARKS = 4


def summary(
    basis: Items[Any],
    lead: str,
    worth: Iterable[str],
    warnings: Iterable[str] = (),
    data: Mapping[str, Any] | None = None,
) -> Section:
    """The worth of the systems in words, remarks on it, and caveats: `warnings`, besides those of all.

    The verdict on a single pair under the main measure stands on top: short, then with its numbers.
    """
    result, held = basis.result, basis.comparison
    parts = claims(held, worth, "item")
    remarks = tuple(f"{text}." for text in remarks_of(result))
    advice = Prose(style="advice", title="What to know", points=remarks[:_MOST_REMARKS]) if remarks else None
    minded = [*result.warnings, *warnings]
    shared = {
        "confidence": result.confidence,
        "remarks": [remark._asdict() for remark in result.advice],
        "caveats": list(remarks),
        "warnings": minded,
    }
    return summed_up(lead, parts, advice, minded, {**shared, **(data or {})})


def further_advice(result: ItemResult[Any]) -> Iterator[Section]:
    """The remarks that have no place beside the claim."""
    if rest := tuple(f"{text}." for text in remarks_of(result))[_MOST_REMARKS:]:
        yield Section("advice", "More to know", (Prose(style="list", points=rest),), short="Advice")


def measured(
    result: ItemResult[Any],
    beside: Sequence[NoSkill] = (),
    averages: Mapping[str, str] | None = None,
) -> Section:
    """Every measure with its interval, drawn where it has bounds, and beside it what no skill at all would score.

    `averages` says what the averages are over, by their names.
    """
    table = measures_table(result, beside)
    bounds = [is_bounded(measure) for measure in result.measures]
    notes = [_note(measure, averages or {}) for measure in result.measures]
    frame = table.frame.with_columns(pl.Series("note", notes, dtype=pl.String), pl.Series("is_bounded", bounds))
    estimates = [result.estimate(measure, system.name) for system in result.systems for measure in result.measures]
    axis = _axis(frame.filter("is_bounded"), [each.kind for each in beside], table)
    ways = dict.fromkeys(INTERVALS[each.method].short for each in estimates if each.method in INTERVALS)
    legend = [f"Lines: {as_level(result.confidence)} intervals ({', '.join(ways)})."] if ways else []
    if not all(bounds):
        legend.append("Only measures from 0 to 1, or from -1 to 1, are drawn.")
    legend += [f"No skill: the score if the answer is {each.says}, drawn as a thin line." for each in beside]
    lines = (" ".join(legend), *undefined(result), *without_interval(result))
    size = "systems measured" if len(result.systems) == 1 else "systems measured several"
    columns = tuple(_drawn(column, axis, beside) for column in table.columns)
    table = replace(table, frame=frame, columns=columns, caption="Measures, with intervals", drawn="is_bounded")
    table = replace(table, notes=tuple(filter(None, lines)), look=size)
    lead = "Every number with its interval" + (", and beside it what no skill at all would score." if beside else ".")
    return Section("measures", "Measures", (table,), lead, data={"estimates": result.to_frame().to_dicts()})


def _note(measure: Measure, averages: Mapping[str, str]) -> str:
    """A note that the name of a measure lacks: the units of its average, and which way it is good."""
    way = {False: "lower is better", None: "neither high nor low is taken as better", True: ""}
    parts = (averages.get(measure.parameters.get("average", "")), way[measure.definition.higher_is_better])
    text = "; ".join(filter(None, parts))
    return f" ({text})" if text else ""


def _axis(frame: pl.DataFrame, kinds: Sequence[str], table: Table) -> Axis | None:
    """From 0, or from below it where something shown is negative, to 1; None if no measure has its place there."""
    names = {name for column in table.columns if column.ends for name in (column.name, *column.ends)}
    values = [value for name in (*names, *kinds) for value in frame[name].drop_nulls().drop_nans()]
    return Axis(rounded_out(min(value, 0.0) for value in values).low, 1.0) if frame.height else None


def _drawn(column: Column, axis: Axis | None, beside: Sequence[NoSkill]) -> Column:
    """A column of the table as the page draws it."""
    if column.ends:
        kind: Kind = "estimate" if column.kind == "estimate" else "interval"
        ground = beside[0].kind if beside else ""
        return replace(column, kind=kind, axis=axis, ground=ground, least=4)
    if column.name == "measure":
        return replace(column, also="note")
    return replace(column, title="no skill") if column.name in {each.kind for each in beside} else column


def by_system(
    name: str,
    title: str,
    lead: str,
    parts: Sequence[Section],
    result: ItemResult[Any],
    *,
    short: str,
    every: bool = True,
) -> Section:
    """A section of parts, one for each system, of which the first is open; one alone needs no title.

    `every`: it says so if not all systems are there.
    """
    if len(parts) == 1:
        folded = [replace(parts[0], title="", aside="")]
    else:
        folded = [replace(part, fold="closed" if place else "open") for place, part in enumerate(parts)]
    systems = number_of(registry.subject(result.subject).words.system, len(result.systems))
    some = f" Shown for {len(parts):,} of {systems}." if every and len(parts) != len(result.systems) else ""
    return Section(name, title, tuple(folded), f"{lead}{some}".strip(), short)
