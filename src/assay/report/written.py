"""The contents of a report as JSON, and what its forms share: marks, tables, rows of numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from assay.core.digits import (
    as_level,
    as_percent,
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

if TYPE_CHECKING:
    from assay.reporting.contents import Bound, Contents, Score, Spoken

JSON_SCHEMA_VERSION = 1
#: How a verdict is marked, by its word; where one cannot tell, there is no mark.
MARKS = {"better": "▲", "worse": "▼", "higher": "↑", "lower": "↓", "equivalent": "≈", "identical": "="}
#: What a mark means, in every form.
LEGEND = {
    "▲": "better than the baseline",
    "▼": "worse than the baseline",
    "↑": "higher than the baseline",
    "↓": "lower than the baseline",
    "≈": "equivalent to the baseline",
    "=": "identical with the baseline",
}
#: What stands below bounds that are not exact.
NOT_ALL_TRIED = "At most, at least: there were too many grades to try all, and others may lead a little further."
_NOT_TESTED = {"≈": "the difference lies within the margin", "=": "no value differs"}


def as_json_text(contents: Any) -> str:
    """Everything, numbers in full; the fields are those of `Contents` or `ClassifierContents`, and `schema_version`."""
    return as_json({"schema_version": JSON_SCHEMA_VERSION, **plain(contents)})


def plain(value: Any) -> Any:
    """Named tuples as dicts, whatever they hold; null for what is no finite number.

    >>> from assay.reporting.contents import Reference
    >>> plain((Reference("[1]", "Holm"), float("inf")))
    [{'key': '[1]', 'entry': 'Holm', 'bibtex': ''}, None]
    """
    if hasattr(value, "_asdict"):
        return {name: plain(item) for name, item in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def systems_table(contents: Contents) -> Table:
    """One row a system: each measure with its mark and its interval, and how much was judged."""
    columns = [part for one in contents.measures for part in (one.name, f"{as_level(1 - contents.alpha)} interval")]
    judged = any(not math.isnan(row.judged) for row in contents.systems)
    rows, least = [], compared_decimals(contents)
    for row in contents.systems:
        cells = [
            cell
            for score in row.scores
            for cell in (_value(score, least[score.measure]), Cell(span(score.low, score.high)))
        ]
        if judged:
            cells.append(Cell(as_percent(row.judged)))
        rows.append(((f"{row.system} (baseline)" if row.is_baseline else row.system,), tuple(cells)))
    return Table(("system",), (*columns, *(("judged@10",) if judged else ())), tuple(rows))


def compared_decimals(contents: Contents) -> dict[str, int]:
    """How many decimals show each measure's numbers, of all systems, until they differ."""
    values: dict[str, list[float]] = {}
    for score in (score for row in contents.systems for score in row.scores):
        values.setdefault(score.measure, []).append(score.value)
    return {measure: decimals(held) for measure, held in values.items()}


def _value(score: Score, least: int) -> Cell:
    return Cell(f"{number(score.value, least)}{f' {score.mark}' if score.mark else ''}", score.is_best)


def marks(contents: Contents) -> list[str]:
    """What the marks of the table mean and what they rest on, those that are there."""
    used = {score.mark for row in contents.systems for score in row.scores}
    tested = f"p below {contents.alpha:g}"
    return [f"{mark} {says} ({_NOT_TESTED.get(mark, tested)})" for mark, says in LEGEND.items() if mark in used]


def verdicts_table(verdicts: Sequence[Spoken]) -> Table:
    """One row a verdict."""
    rows = tuple(
        (
            (one.measure, one.system, one.word + ("*" if one.caveat else "")),
            tuple(
                map(
                    Cell,
                    (
                        *numbers([one.baseline_value, one.value]),
                        signed(one.difference),
                        signed_percent(one.relative),
                        signed_span(one.low, one.high),
                        p_value(one.p),
                        f"{one.won}/{one.tied}/{one.lost}",
                    ),
                )
            ),
        )
        for one in verdicts
    )
    columns = ("baseline's", "value", "difference", "relative", "interval", "p", "higher/same/lower")
    return Table(("measure", "system", "verdict"), columns, rows)


def of_correction(contents: Contents) -> str:
    """How p-values were corrected, in a sentence; and that intervals are not."""
    if not contents.verdicts:
        return ""
    first, settings = contents.verdicts[0], dict(contents.provenance.settings)
    if first.correction:
        return f"p corrected ({first.correction}, {first.comparisons:,} comparisons); intervals are not adjusted."
    if first.comparisons > 1:
        return f"Correction of p: {settings.get('correction', 'none')}; intervals are not adjusted."
    return ""


def coverage_table(contents: Contents) -> Table:
    """One row a system: topics, documents, and the shares judged."""
    cutoffs = [f"judged@{cutoff}" for cutoff, _ in contents.coverage[0].judged]
    rows = tuple(
        (
            (one.system,),
            tuple(
                map(
                    Cell,
                    (
                        f"{one.topics:,}",
                        f"{one.missing:,}",
                        f"{one.ignored:,}",
                        f"{one.relevant_retrieved:,} of {one.relevant:,}",
                        f"{one.tied:,}",
                        *(as_percent(value) for _, value in one.judged),
                    ),
                )
            ),
        )
        for one in contents.coverage
    )
    return Table(("system",), ("topics", "missing", "ignored", "relevant found", "judged, but tied", *cutoffs), rows)


def bounds_table(contents: Contents) -> Table:
    """One row a system and measure: the value, and how low and high it could be, or how low and high at least."""
    rows = tuple(
        ((one.measure, one.system), (Cell(number(one.value)), *map(Cell, lowest_and_highest(one))))
        for one in contents.bounds
    )
    return Table(("measure", "system"), ("value", "lowest", "highest"), rows)


def lowest_and_highest(bound: Bound) -> tuple[str, str]:
    """Both ends, in words where other grades may lead further.

    >>> from assay.reporting.contents import Bound
    >>> lowest_and_highest(Bound("bm25", "AP", 0.3, 0.1, 0.9, exact=False))
    ('at most 0.1000', 'at least 0.9000')
    """
    low, high = number(bound.low), number(bound.high)
    return (low, high) if bound.exact else (f"at most {low}", f"at least {high}")


def power_sentences(contents: Contents) -> Iterator[str]:
    """What so many queries can show, a sentence a system."""
    for one in contents.power:
        units = number_of(one.unit_kind, one.units)
        said = (
            f"{one.system} and {one.baseline}, {one.measure}: {units} detect a difference of "
            f"{number(one.detectable)} {as_level(one.power)} of the time"
        )
        needed = f"; {one.margin:g} takes about {one.needed:,}" if one.needed is not None else ""
        yield f"{said}{needed}."
