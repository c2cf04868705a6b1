"""What tuned settings show: the honest number beside the flattering one, what each fold chose, all settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.core.digits import as_level, number
from assay.core.errors import number_of
from assay.show.model import Column, Document, Section, Table
from assay.verbs.sections.estimates import DASH, prose_section, settings_of
from assay.verbs.sections.sentences import of_finding
from assay.verbs.sections.verdicts import finding_rows

if TYPE_CHECKING:
    from assay.subjects.ranking.tuning_result import Tuning

#: More folds or settings than these are not listed one by one.
_MOST_FOLDS, _MOST_SETTINGS = 12, 30


def document(result: Tuning) -> Document:
    """The numbers side by side, what each fold chose if folds are few, the settings; and what all that means."""
    folds = _folds(result)
    every = {"folds": folds.frame.to_dicts(), "topics": result.per_topic().to_dicts()}
    settings = {"settings": result.per_setting().to_dicts()}
    sections = (
        Section("numbers", parts=(_numbers(result),), data=_values(result)),
        Section("folds", parts=(folds,) if len(result.folds) <= _MOST_FOLDS else (), data=every),
        Section("settings", parts=(_settings(result),), data=settings),
        prose_section("meaning", _lines(result)),
        prose_section("notes", result.notes),
    )
    return Document("tuning", sections, f"{number_of('setting', len(result.settings))} tuned by {result.measure}")


def _values(result: Tuning) -> dict[str, Any]:
    """What the tables have no room for."""
    finding = None if result.finding is None else finding_rows([result.finding])[0]
    values = settings_of(result, "measure", "seed", "warnings", "optimism", "stability")
    return values | {"splits": result.says, "interval": result.interval._asdict(), "comparison": finding}


def _numbers(result: Tuning) -> Table:
    level = f"{as_level(result.interval.level)} interval"
    columns = (
        Column("what", ""),
        Column("setting", missing="chosen in each fold"),
        Column(result.measure, kind="number"),
        Column(result.measure, level, "interval", ends=("interval_low", "interval_high"), missing=DASH),
    )
    return Table("numbers", result.to_frame().filter(pl.col("what") != "setting"), columns)


def _folds(result: Tuning) -> Table:
    columns = (
        Column("fold"),
        Column("chosen"),
        Column("topics", kind="count"),
        Column("train", "on other topics", "number"),
        Column("test", "on its own", "number"),
    )
    frame = pl.DataFrame([fold._asdict() for fold in result.folds])
    return Table("folds", frame, columns, "chosen in each fold")


def _settings(result: Tuning) -> Table:
    """All settings, or the best of many. The name tells the parameters already."""
    frame, caption = result.per_setting(), "settings on all topics"
    if frame.height > _MOST_SETTINGS:
        is_lower_better = result.sample.higher_is_better is False
        frame = frame.sort(result.measure, descending=not is_lower_better, maintain_order=True).head(_MOST_SETTINGS)
        caption = f"the best {_MOST_SETTINGS} of {len(result.settings)} settings on all topics"
    frame = frame.with_columns(often=pl.col("chosen").replace(0, None))
    columns = (
        Column("setting"),
        Column(result.measure, kind="number"),
        Column("often", "folds that chose it", "count", missing=DASH),
    )
    best = frozenset({(frame["setting"].to_list().index(result.hindsight), result.measure)})
    return Table("settings", frame, columns, caption, best=best)


def _lines(result: Tuning) -> Iterator[str]:
    """What the numbers mean, how sure the gain is, and what is not covered."""
    flatters = f"flatters by {number(result.optimism)} here" if result.optimism > 0 else ""
    (name, most), *others = Counter(fold.chosen for fold in result.folds).most_common()
    choices = f"; {number_of('setting', 1 + len(others))} were chosen in all" if others else ""
    tested = "" if result.finding is None else f"; test: {result.finding.outcome.note}"
    yield (
        f"Tuned on other topics: each topic is measured with the setting that was best on the topics of other folds "
        f"({result.says}). That is what choosing one of {number_of('setting', len(result.settings))} by so many topics "
        "is worth on new ones."
    )
    yield (
        "Best in hindsight: chosen and measured by the same topics, which "
        f"{flatters or 'mostly flatters, though not here'}. "
        f"{result.hindsight} is the setting to use; its number is not the one to report."
    )
    yield f"{name} was chosen in {most} of {number_of('fold', len(result.folds))}{choices}."
    if result.finding is not None:
        yield of_finding(result.finding, result.sample.unit_kind, power=0.8)
    yield (
        f"Interval: topics drawn anew and settings chosen again each time{tested}; seed {result.seed}. Not covered: "
        "topics of another kind, and a grid that was drawn up after looking at these topics."
    )
