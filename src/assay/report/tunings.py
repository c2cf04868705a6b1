"""Tuned settings for people: the honest number beside the flattering one, what each fold chose, all settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.core.digits import as_level, number, span
from assay.core.errors import number_of
from assay.report.layout import Cell, Table, as_json
from assay.report.titled import Titled
from assay.sections.sentences import of_finding

if TYPE_CHECKING:
    from assay.crossvalidation.tuning_result import Tuning

JSON_SCHEMA_VERSION = 1
#: More folds or settings than these are not listed one by one.
_MOST_FOLDS, _MOST_SETTINGS = 12, 30


def tables(result: Tuning) -> list[Titled]:
    """The numbers side by side, what each fold chose if folds are few, and the settings."""
    shown = [Titled("", _numbers(result))]
    if len(result.folds) <= _MOST_FOLDS:
        shown.append(Titled("chosen in each fold", _each_fold(result)))
    title = "settings on all topics"
    if len(result.settings) > _MOST_SETTINGS:
        title = f"the best {_MOST_SETTINGS} of {len(result.settings)} settings on all topics"
    return [*shown, Titled(title, _settings(result))]


def _numbers(result: Tuning) -> Table:
    interval = result.interval
    ends = span(interval.low, interval.high) if interval.is_known else "–"
    rows = [(("tuned on other topics", "chosen in each fold"), (Cell(number(result.value)), Cell(ends)))]
    rows.append((("best in hindsight", result.hindsight), (Cell(number(result.hindsight_value)), Cell("–"))))
    if result.baseline is not None:
        rows.append((("baseline", result.baseline), (Cell(number(result.of(result.baseline))), Cell("–"))))
    return Table(("", "setting"), (result.measure, f"{as_level(interval.level)} interval"), tuple(rows))


def _each_fold(result: Tuning) -> Table:
    rows = tuple(
        ((one.fold, one.chosen), (Cell(str(one.topics)), Cell(number(one.train)), Cell(number(one.test))))
        for one in result.folds
    )
    return Table(("fold", "chosen"), ("topics", "on other topics", "on its own"), rows)


def _settings(result: Tuning) -> Table:
    frame = result.per_setting()
    lower = result.paired.higher_is_better is False
    if frame.height > _MOST_SETTINGS:
        frame = frame.sort(result.measure, descending=not lower, maintain_order=True).head(_MOST_SETTINGS)
    # The name tells the parameters already.
    rows = tuple(
        ((name,), (Cell(number(value), name == result.hindsight), Cell(str(often) if often else "–")))
        for name, value, often in frame.select("setting", result.measure, "chosen").iter_rows()
    )
    return Table(("setting",), (result.measure, "folds that chose it"), rows)


def lines(result: Tuning) -> list[str]:
    """What the numbers mean, how sure the gain is, and what is not covered."""
    said = [
        f"Tuned on other topics: each topic is measured with the setting that was best on the topics of other folds "
        f"({result.says}). That is what choosing one of {number_of('setting', len(result.settings))} by so many topics "
        "is worth on new ones.",
        f"Best in hindsight: chosen and measured by the same topics, which {_flatters(result)}. "
        f"{result.hindsight} is the setting to use; its number is not the one to report.",
        _stability(result),
    ]
    if result.finding is not None:
        said.append(of_finding(result.finding, result.paired.unit_kind, power=0.8))
    return [*said, _not_covered(result), *result.notes]


def _flatters(result: Tuning) -> str:
    if result.optimism > 0:
        return f"flatters by {number(result.optimism)} here"
    return "mostly flatters, though not here"


def _stability(result: Tuning) -> str:
    often: dict[str, int] = {}
    for one in result.folds:
        often[one.chosen] = often.get(one.chosen, 0) + 1
    name = max(often, key=lambda one: often[one])
    others = f"; {number_of('setting', len(often))} were chosen in all" if len(often) > 1 else ""
    return f"{name} was chosen in {often[name]} of {number_of('fold', len(result.folds))}{others}."


def _not_covered(result: Tuning) -> str:
    tested = "" if result.finding is None else f"; test: {result.finding.outcome.note}"
    return (
        f"Interval: topics drawn anew and settings chosen again each time{tested}; seed {result.seed}. Not covered: "
        "topics of another kind, and a grid that was drawn up after looking at these topics."
    )


def to_json(result: Tuning) -> str:
    """Everything that is known, numbers in full, null where there is none."""
    found = result.finding
    told: dict[str, Any] = {
        "schema_version": JSON_SCHEMA_VERSION,
        "measure": result.measure,
        "splits": result.says,
        "seed": result.seed,
        "value": result.value,
        "interval": result.interval._asdict(),
        "hindsight": {"setting": result.hindsight, "value": result.hindsight_value},
        "optimism": result.optimism,
        "stability": result.stability,
        "baseline": result.baseline,
        "baseline_value": None if result.baseline is None else result.of(result.baseline),
        "comparison": None
        if found is None
        else found.row() | {"test": found.outcome._asdict(), "interval": found.interval._asdict()},
        "folds": [one._asdict() for one in result.folds],
        "settings": [
            {"setting": one.name, "parameters": dict(one.parameters), "value": result.of(one.name)}
            for one in result.settings
        ],
        "over": result.over().to_dicts(),
        "topics": result.per_topic().to_dicts(),
        "warnings": list(result.warnings),
        "notes": list(result.notes),
    }
    return as_json(told)
