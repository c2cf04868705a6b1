"""Checks of tables of scores, and scores as the doctor looks at them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from assay.core.errors import ParameterError, number_of, quote
from assay.files.small_tables import read_score_rows
from assay.files.sources import Source, is_file
from assay.measures.parser import agreed_direction, meanings
from assay.tables import Scores
from assay.tables.roles import is_frame
from assay.verbs.diagnosis.examination import (
    CheckFinding,
    Examination,
    Examined,
    Overview,
    Severity,
    WholeFile,
    among,
    check,
    finding,
    in_rows,
    share,
    unreadable,
)

#: Of fewer units than this, equal values say nothing.
_LEAST_UNITS = 5

_KEY = ("system", "measure", "unit")


@dataclass(frozen=True, eq=False)
class ExaminedScores:
    """Rows of scores (`system, measure, unit, value, line`), and the directions that were said."""

    file: str
    rows: pl.DataFrame
    directions: dict[str, Any]
    system: None = None

    @property
    def systems(self) -> list[str]:
        """The systems, in their order."""
        return self.rows["system"].unique(maintain_order=True).to_list()

    def by_measure(self) -> Iterator[tuple[str, pl.DataFrame]]:
        """The rows of each measure."""
        for (measure,), rows in self.rows.group_by("measure", maintain_order=True):
            yield str(measure), rows


def _case(row: dict[str, Any]) -> str:
    return f"{row['system']}, {row['measure']}, {row['unit']}: {row['value']}"


class ScoresExamination(Examination):
    """A file as it was read, or the scores of all systems."""

    modules = ("assay.subjects.scores.checks",)

    def things(self) -> Iterator[Examined]:
        """The table."""
        if len(self.inputs) != 1:
            raise ParameterError(f"doctor takes one table of scores, not {len(self.inputs)}")
        (data,) = self.inputs
        if not (isinstance(data, Scores) or is_file(data) or is_frame(data)):
            raise ParameterError(f"doctor takes a file of scores, or Scores, not {type(data).__name__}")
        source = Source.of(data) if is_file(data) else data
        self.systems: tuple[str, ...] = ()
        self.file = source.name if isinstance(source, Source) else "scores"
        reading, rows = self.opened(self.file, lambda: _frame_of(source))
        yield Examined(reading, ("file",))
        if rows is not None:
            scores = ExaminedScores(self.file, rows, dict(getattr(data, "directions", {})))
            self.systems = tuple(scores.systems)
            yield Examined(scores, ("scores",))

    def overview(self) -> Overview:
        """The file, and the systems in it."""
        title = f"{self.file}, {number_of('system', len(self.systems))}"
        data = {"scores": self.file, "systems": [*self.systems]}
        return Overview(title, data, len(self.systems), systems=self.systems)


def _frame_of(data: Any) -> pl.DataFrame:
    return data.frame.with_columns(line=pl.lit(None, pl.Int64)) if isinstance(data, Scores) else read_score_rows(data)


unreadable(
    "unreadable-scores",
    __name__,
    question="Is the file no table of scores, or is a score no number?",
    advice="write `system,measure,unit,value`, or one column per system and one row per unit; see docs/compare",
)


@check(
    "scored-twice", "scores", "error",
    question="Does a system have two values for a unit under one measure?",
    advice="keep one row per unit: average repeated runs of a system, or give each run a name of its own",
)  # fmt: skip
def scored_twice(scores: ExaminedScores) -> Iterator[CheckFinding]:
    """Rows that come again, alike or not."""
    again = scores.rows.filter(~pl.struct(_KEY).is_first_distinct())
    differing = scores.rows.group_by(_KEY).agg(pl.col("value").n_unique()).filter(pl.col("value") > 1).height
    how = f"{differing:,} of them with different values" if differing else "always with the same value"
    message = f"{number_of('unit', again.n_unique(_KEY))} more than once, {how}"
    yield from in_rows("scored-twice", "error", scores, again, _case, message=message)


@check(
    "missing-units", "scores", "error", "warning",
    question="Does a system lack values for units that others have, or do systems have no unit in common (an error)?",
    advice="score all systems on the same units: what one lacks is left out for all, or counts as the worst",
)  # fmt: skip
def missing_units(scores: ExaminedScores) -> Iterator[CheckFinding]:
    """Units without a row, or with an empty value."""
    for measure, rows in scores.by_measure():
        held = rows.drop_nulls("value")
        units = held["unit"].unique(maintain_order=True)
        common = held.group_by("unit").agg(pl.col("system").n_unique()).filter(pl.col("system") == len(scores.systems))
        for system in scores.systems:
            absent = units.filter(~units.is_in(held.filter(pl.col("system") == system)["unit"].implode()))
            message = f"{share(len(absent), len(units), 'unit')} without a value of {measure}"
            severity: Severity = "warning" if common.height else "error"
            yield from among("missing-units", severity, WholeFile(scores.file, system), "unit", absent, message=message)


@check(
    "constant-scores", "scores", "warning",
    question="Does a system have the same value for all units?",
    advice="check how the scores were made: a mean may have been written for each unit, or the system failed",
)  # fmt: skip
def constant_scores(scores: ExaminedScores) -> Iterator[CheckFinding]:
    """One value in a column."""
    for measure, rows in scores.by_measure():
        for (system,), held in rows.drop_nulls("value").group_by("system", maintain_order=True):
            if held["unit"].n_unique() >= _LEAST_UNITS and held["value"].n_unique() == 1:
                message = f"{measure} is {held['value'][0]:g} for all of {number_of('unit', held['unit'].n_unique())}"
                yield finding("constant-scores", "warning", WholeFile(scores.file, str(system)), message, held.height)


@check(
    "score-bounds", "scores", "error", "warning",
    question="Are values not finite (an error), or outside the range of the measure that they are named after?",
    advice="find out what was measured: percentages, or another measure of the same name? Then rename it",
)  # fmt: skip
def score_bounds(scores: ExaminedScores) -> Iterator[CheckFinding]:
    """Values that no measure of this name has."""
    for measure, rows in scores.by_measure():
        odd = rows.filter(~pl.col("value").is_finite())
        message = f"{number_of('value', odd.height)} of {measure} not finite"
        yield from in_rows("score-bounds", "error", scores, odd, _case, message=message)
        bounds = [known.definition.bounds for known in meanings(measure)]
        ranges = [bound for bound in bounds if bound is not None]
        if not ranges or len(ranges) < len(bounds):
            continue
        low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
        outside = rows.filter(pl.col("value").is_finite() & ~pl.col("value").is_between(low - 1e-9, high + 1e-9))
        message = f"{number_of('value', outside.height)} of {measure} outside {low:g} to {high:g}"
        yield from in_rows("score-bounds", "warning", scores, outside, _case, message=message)


@check(
    "unknown-direction", "scores", "warning",
    question="Is it unknown whether higher values of a measure are better, or lower ones?",
    advice="state it with `{direction}`: without it, no system is called better or worse",
)  # fmt: skip
def unknown_direction(scores: ExaminedScores) -> Iterator[CheckFinding]:
    """Names that no measure has."""
    for measure, _ in scores.by_measure():
        if (scores.directions.get(measure) or agreed_direction(meanings(measure))) == "unknown":
            message = f"whether higher or lower is better is not known for {quote(measure)}"
            yield finding("unknown-direction", "warning", scores, message)
