"""What all curves of scores share: systems that have both kinds of items, and tables of their points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from assay.core.digits import counted, number
from assay.core.errors import InputError, number_of
from assay.counting.scored import Scored
from assay.measures.registry import Measure
from assay.thresholding.inputs import ScoredSystem, scored_systems
from assay.thresholding.verbs import table_frame


def with_both_kinds(
    curve: str, y_true: Any, y_score: Any, *, pos_label: Any, sample_weight: Any, system: str | None
) -> list[ScoredSystem]:
    """The systems; an error if one has no positive or no negative item, and so no curve."""
    systems = scored_systems(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, system=system)
    for each in systems:
        for kind, count in (("positive", each.scored.positives), ("negative", each.scored.negatives)):
            if not count:
                label = "" if each.positive is None else f" (positive is {each.positive})"
                raise InputError(f"{each.name}: {curve} needs positive and negative items: none is {kind}{label}")
    return systems


def all_points(systems: Sequence[ScoredSystem], columns: Callable[[pl.DataFrame], list[pl.Expr]]) -> pl.DataFrame:
    """The points of all systems, a row a threshold, with columns made from the four cells."""
    frames = [table_frame(each.scored).select(pl.lit(each.name).alias("system"), pl.all()) for each in systems]
    return pl.concat(
        [frame.with_columns(pl.col("tp", "fp", "fn", "tn").cast(_number(systems))) for frame in frames]
    ).pipe(lambda frame: frame.select(columns(frame)))


def one_number(systems: Sequence[ScoredSystem], measure: Measure, **others: Sequence[Any]) -> pl.DataFrame:
    """A measure of scores for each system, and whether more is better; with further columns."""
    return summary(systems, str(measure), [value_of(measure, each.scored) for each in systems],
                   better=measure.definition.higher_is_better is not False, **others)  # fmt: skip


def summary(
    systems: Sequence[ScoredSystem], says: str, values: Sequence[float], *, better: bool, **others: Sequence[Any]
) -> pl.DataFrame:
    """One number a system."""
    names = [each.name for each in systems]
    told = {"system": names, "measure": [says] * len(names), "value": list(values)}
    return pl.DataFrame({**told, "higher_is_better": [better] * len(names), **{k: list(v) for k, v in others.items()}})


def value_of(measure: Measure, scored: Scored) -> float:
    """A measure of one system's scores."""
    return float(measure.of(scored)[0])


def about(systems: Sequence[ScoredSystem]) -> str:
    """How many items the curves are of, and how many of those are positive.

    >>> about([ScoredSystem("a", Scored.from_lists([0.9], [0.1, 0.2]), "spam")])
    '3 items, 1 spam'
    """
    said = dict.fromkeys(_about(each) for each in systems)
    return " or ".join(said) if len(said) <= 2 else number_of("set", len(said)) + " of items"


def subtitle(systems: Sequence[ScoredSystem], told: pl.DataFrame, *more: str) -> str:
    """What a picture is of; with the number of a system that is alone, as there is no legend."""
    alone = [f"{told['measure'][0]} {number(told['value'][0], 3)}"] if len(systems) == 1 else []
    return "; ".join([about(systems), *alone, *more])


def prevalence(systems: Sequence[ScoredSystem]) -> list[float]:
    """The share of positive items of each system."""
    return [each.scored.positives / (each.scored.positives + each.scored.negatives) for each in systems]


def _about(each: ScoredSystem) -> str:
    label = "positive" if each.positive is None or isinstance(each.positive, bool | int) else str(each.positive)
    total = each.scored.positives + each.scored.negatives
    if each.scored.is_weighted:
        return f"items of weight {counted(total)}, {counted(each.scored.positives)} of it {label}"
    return f"{number_of('item', int(total))}, {each.scored.positives:,} {label}"


def _number(systems: Sequence[ScoredSystem]) -> type[pl.DataType]:
    """Whole numbers, unless items of any system have weights."""
    return pl.Float64 if any(each.scored.is_weighted for each in systems) else pl.Int64
