"""Bare scores as a subject: the gate on them, and the checks of their tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.core.errors import InputError, ParameterError, number_of, quote
from assay.files.small_tables import read_score_rows, read_scores
from assay.files.sources import Source, is_file
from assay.measures.parser import agreed_direction, meanings
from assay.stats.pairing import ScorePairing, listed
from assay.tables import Scores
from assay.verbs.diagnosis.examination import (
    EXAMPLES,
    CheckFinding,
    Examination,
    Examined,
    Example,
    Overview,
    Reading,
    Severity,
    WholeFile,
    check,
    finding,
    share,
)
from assay.verbs.gating.gate import TAKES, Sides, Two, chosen_two
from assay.verbs.subject import Words

if TYPE_CHECKING:
    from assay.measures.registry import Measure
    from assay.verbs.explanation.numbers import View
    from assay.verbs.explanation.result import Explanation, Place


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


def _examples(rows: pl.DataFrame) -> list[Example]:
    """The first rows as cases."""
    return [
        Example(f"{row['system']}, {row['measure']}, {row['unit']}: {row['value']}", row["line"])
        for row in rows.head(EXAMPLES).to_dicts()
    ]


class ScoresExamination(Examination):
    """A file as it was read, or the scores of all systems."""

    modules = ("assay.subjects.scores.subject",)

    def things(self) -> Iterator[Examined]:
        """The table."""
        if len(self.inputs) != 1:
            raise ParameterError(f"doctor takes one table of scores, not {len(self.inputs)}")
        (data,) = self.inputs
        self.systems: tuple[str, ...] = ()
        if isinstance(data, Scores):
            self.file, rows = "scores", data.frame.with_columns(line=pl.lit(None, pl.Int64))
            directions = dict(data.directions)
        elif is_file(data):
            source = Source.of(data)
            self.file, directions = source.name, {}
            try:
                rows = read_score_rows(source)
            except InputError as problem:
                yield Examined(Reading(source.name, problem), ("file",))
                return
        else:
            raise ParameterError(f"doctor takes a file of scores, or Scores, not {type(data).__name__}")
        self.watch(self.file)
        yield Examined(Reading(self.file), ("file",))
        scores = ExaminedScores(self.file, rows, directions)
        self.systems = tuple(scores.systems)
        yield Examined(scores, ("scores",))

    def overview(self) -> Overview:
        """The file, and the systems in it."""
        title = f"{self.file}, {number_of('system', len(self.systems))}"
        data = {"scores": self.file, "systems": [*self.systems]}
        return Overview(title, data, len(self.systems), systems=self.systems)


@check(
    "unreadable-scores", "file", "error",
    question="Is the file no table of scores, or is a score no number?",
    advice="write `system,measure,unit,value`, or one column per system and one row per unit; see docs/compare",
)  # fmt: skip
def unreadable_scores(file: Reading) -> Iterator[CheckFinding]:
    """What the reader refuses."""
    if file.problem is not None:
        yield finding("unreadable-scores", "error", file, file.reason)


@check(
    "scored-twice", "scores", "error",
    question="Has a system two values for a unit under one measure?",
    advice="keep one row per unit: average repeated runs of a system, or give each of them a name",
)  # fmt: skip
def scored_twice(scores: ExaminedScores) -> Iterator[CheckFinding]:
    """Rows that come again, alike or not."""
    again = scores.rows.filter(~pl.struct(_KEY).is_first_distinct())
    if again.height:
        values = scores.rows.group_by(_KEY).agg(pl.col("value").n_unique())
        differing = values.filter(pl.col("value") > 1).height
        how = f"{differing:,} of them with different values" if differing else "always with the same value"
        message = f"{number_of('unit', again.n_unique(_KEY))} more than once, {how}"
        yield finding("scored-twice", "error", scores, message, again.height, examples=_examples(again))


@check(
    "missing-units", "scores", "error", "warning",
    question="Are there units that a system has no value for, and others have, or have systems no unit in common?",
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
            if len(absent):
                place = WholeFile(scores.file, system)
                message = f"{share(len(absent), len(units), 'unit')} without a value of {measure}"
                examples = [Example(f"unit {quote(unit)}") for unit in absent.head(EXAMPLES)]
                severity: Severity = "warning" if common.height else "error"
                yield finding("missing-units", severity, place, message, len(absent), examples=examples)


@check(
    "constant-scores", "scores", "warning",
    question="Has a system the same value for all units?",
    advice="look how the scores were made: a mean may have been written for each unit, or the system failed",
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
    question="Are values no finite numbers (an error), or outside the range of the measure that the name is of?",
    advice="find out what was measured: percentages, or another measure of the same name; call it by another name",
)  # fmt: skip
def score_bounds(scores: ExaminedScores) -> Iterator[CheckFinding]:
    """Values that no measure of this name has."""
    for measure, rows in scores.by_measure():
        odd = rows.filter(~pl.col("value").is_finite())
        if odd.height:
            message = f"{number_of('value', odd.height)} of {measure} not finite"
            yield finding("score-bounds", "error", scores, message, odd.height, examples=_examples(odd))
        bounds = [known.definition.bounds for known in meanings(measure)]
        ranges = [bound for bound in bounds if bound is not None]
        if not ranges or len(ranges) < len(bounds):
            continue
        low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
        outside = rows.filter(pl.col("value").is_finite() & ~pl.col("value").is_between(low - 1e-9, high + 1e-9))
        if outside.height:
            message = f"{number_of('value', outside.height)} of {measure} outside {low:g} to {high:g}"
            yield finding("score-bounds", "warning", scores, message, outside.height, examples=_examples(outside))


@check(
    "unknown-direction", "scores", "warning",
    question="Is it unknown whether higher values of a measure are better, or lower ones?",
    advice="say which it is with `{direction}`: without it, nothing is said to be better or worse",
)  # fmt: skip
def unknown_direction(scores: ExaminedScores) -> Iterator[CheckFinding]:
    """Names that no measure has."""
    for measure, _ in scores.by_measure():
        if (scores.directions.get(measure) or agreed_direction(meanings(measure))) == "unknown":
            message = f"of {quote(measure)} it is not known which way is good"
            yield finding("unknown-direction", "warning", scores, message)


class ScoresSubject:
    """A table of numbers by system, measure and unit, or a file of one."""

    name = "scores"
    words = Words("system", "unit", "scores", "scores")
    verb = "assay.files.small_tables:read_scores"
    gated = "assay.subjects.scores.subject:two_systems"
    reported = "assay.subjects.ranking.sections.report:ReportedRankings"
    examination = "assay.subjects.scores.subject:ScoresExamination"
    rules: tuple[str, ...] = ()
    report_rules = rules

    def pairing(self, inputs: Sequence[Any], measures: Any, seed: int, rules: Mapping[str, Any]) -> ScorePairing:
        """The systems, paired by unit."""
        scores, *others = inputs
        if others:
            raise ParameterError("scores hold all systems: give one table of them, and nothing else")
        if isinstance(scores, Scores):
            return ScorePairing(scores)
        if not is_file(scores):
            kind = type(scores).__name__
            raise ParameterError(f"expected an evaluation, judgments and runs, or scores, got {kind} alone")
        # A matrix of scores does not say what was measured; whoever asks for a measure does.
        wanted = listed(measures or ())
        # An empty field is no value, and no measure of ours has declared what it counts as.
        return ScorePairing(read_scores(scores, measure=str(wanted[0]) if wanted else "score"), undefined="skip")

    def explain(
        self, measure: str | Measure, inputs: Sequence[Any], place: Place, view: View, rules: dict[str, Any]
    ) -> Explanation:
        """There is nothing behind the numbers."""
        from assay.verbs.explanation.result import not_explained  # noqa: PLC0415  # only who explains waits for it

        raise not_explained(inputs[0])


SCORES = ScoresSubject()


def two_systems(data: Any, two: Two, measures: Any, seed: int, rules: Mapping[str, Any]) -> Sides:
    """The baseline and the candidate, which are systems of the table, by name.

    >>> rows = [(system, "time", "page", "1", value, None) for system, value in (("a", 3.0), ("b", 2.0))]
    >>> scores = Scores(pl.DataFrame(rows, schema=Scores.SCHEMA, orient="row"))
    >>> two_systems(scores, Two("b"), None, 0, {}).pairing.sample("time").systems
    ('b', 'a')
    """
    if not isinstance(data, Scores):
        raise ParameterError(TAKES)
    for side in two:
        if side is not None and not isinstance(side, str):
            raise ParameterError(f"of scores, baseline and candidate are names of systems, not {type(side).__name__}")
    chosen = chosen_two(data.frame["system"].unique(maintain_order=True).to_list(), *two)
    frame = pl.concat([data.frame.filter(system=name) for name in chosen])
    pairing = SCORES.pairing([replace(data, frame=frame)], measures, seed, rules)
    return Sides(pairing, pairing.measure_names(measures))
