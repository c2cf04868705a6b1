"""Differences within groups of users, corrected for one another; and how likely a variant is better."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import special

from assay.core.errors import InputError, not_among
from assay.stats.samples import NO_DRAWING
from assay.stats.verdict import corrected
from assay.tables.experiment import Experiment

if TYPE_CHECKING:
    from assay.subjects.experiments.evaluation import ABTest

#: More groups than this are none; of fewer users, a group says nothing.
_MOST_GROUPS, _FEWEST = 50, 30


class Group(NamedTuple):
    """A difference from the control within a group of users; p is corrected over the groups of a measure (Holm)."""

    group: str
    measure: str
    variant: str
    users: int
    value: float
    difference: float
    low: float
    high: float
    p: float


class Chance(NamedTuple):
    """How likely a variant is better than the control, and what is lost on average if it is shipped."""

    measure: str
    variant: str
    better: float
    loss: float

    @property
    def sentence(self) -> str:
        """The chance in words."""
        chance = f"{self.measure}: {self.variant} is better with a chance of {100 * self.better:.3g}%"
        return f"{chance}; expected loss if shipped {self.loss:.3g}"


def check_groups(experiment: Experiment, by: str) -> None:
    """Refuse a column that makes no groups of users."""
    if by not in experiment.attributes:
        raise not_among("column", by, experiment.attributes)
    values = experiment.frame[by].n_unique()
    if values > _MOST_GROUPS:
        raise InputError(f"{experiment.origin}: expected {_MOST_GROUPS} groups at most, got {values:,} values of {by}")


def groups_of(result: ABTest, by: str) -> Iterator[Group]:
    """The differences of each measure, group by group; groups of few users, or of one variant, are left out."""
    experiment = result.experiment
    parts = {}
    for (value,), rows in sorted(experiment.frame.group_by(by), key=lambda each: str(each[0][0])):
        part = replace(experiment, frame=rows, in_several=experiment.in_several.clear())
        if rows.height >= _FEWEST and min(part.sizes.values()) > 1:
            parts[str(value)] = replace(result, experiment=part, monitoring=None, by=None)
    for measure in result.measures:
        for place, variant in enumerate(result.variants[1:], 1):
            samples = {value: part.sample(measure) for value, part in parts.items()}
            p = corrected(
                np.array([each.test([(0, place)], None, NO_DRAWING)[0].p for each in samples.values()]), "holm"
            )
            for (value, sample), chance in zip(samples.items(), p.tolist(), strict=True):
                (reach,) = sample.intervals((0, place), [result.confidence], NO_DRAWING)
                yield Group(
                    value, measure.name, variant, parts[value].experiment.units, float(sample.observed[place]),
                    sample.difference(0, place), reach.low, reach.high, chance,
                )  # fmt: skip


def chances(result: ABTest) -> Iterator[Chance]:
    """How likely each variant is better, with a flat prior on the difference: a normal one around what was observed."""
    for measure in result.measures:
        sample = result.sample(measure)
        if sample.higher_is_better is None:
            continue
        for place, variant in enumerate(result.variants[1:], 1):
            gap = sample.gap(0, place)
            if not gap.error > 0:
                continue
            z = gap.difference / gap.error * (1 if sample.higher_is_better else -1)
            density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
            loss = gap.error * (density - z * float(special.ndtr(-z)))
            yield Chance(measure.name, variant, float(special.ndtr(z)), loss)
