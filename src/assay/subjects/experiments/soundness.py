"""Whether an A/B test is sound: the split, users in several variants; and what single users do to its differences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.core.digits import as_percents, p_phrase
from assay.core.errors import joined, number_of
from assay.stats.sample_ratio import MISMATCH, SUSPICIOUS
from assay.subjects.experiments.measures import OnlineMeasure, named

if TYPE_CHECKING:
    from assay.subjects.experiments.evaluation import ABTest

#: The users whose numbers are largest: without this share of all, is the difference another?
HEAVIEST = 0.001
#: The quantiles of users' numbers that are shown.
_CUTS = (0.25, 0.5, 0.75, 0.9, 0.99, 1.0)
CUT_NAMES = ("25%", "median", "75%", "90%", "99%", "largest")
#: A difference that moves by so many standard errors without them is said.
_MOVES = 0.25


class Health(NamedTuple):
    """A check of whether the test is sound: its name, what was found, and whether that is right, odd or wrong."""

    check: str
    says: str
    state: str

    @property
    def is_sound(self) -> bool:
        """True if nothing is odd."""
        return self.state == "right"


class Heavy(NamedTuple):
    """What the users with the largest numbers do to a difference: with them, without them, and the largest of all."""

    measure: str
    variant: str
    left_out: int
    from_value: float
    difference: float
    without: float
    largest: float
    largest_variant: str
    without_largest: float
    error: float

    @property
    def matters(self) -> bool:
        """True if the difference moves by a quarter of its standard error."""
        moved = max(abs(self.without - self.difference), abs(self.without_largest - self.difference))
        return moved > _MOVES * self.error


def health_of(result: ABTest) -> Iterator[Health]:
    """The split, and users in several variants."""
    experiment = result.experiment
    sizes, p = experiment.sizes, result.sample_ratio
    counts = ", ".join(f"{name} {size:,}" for name, size in sizes.items())
    shares = result.weights or dict.fromkeys(sizes, 1.0)
    whole, total = sum(sizes.values()), sum(shares.values())
    if p < MISMATCH:
        state, word = "wrong", "the split is not the planned one"
    elif p < SUSPICIOUS:
        state, word = "odd", "the split is suspicious"
    else:
        state, word = "right", "the split is as planned"
    got, want = (
        joined([f"{share} {name}" for share, name in zip(as_percents(parts), sizes, strict=True)])
        for parts in ([size / whole for size in sizes.values()], [shares[name] / total for name in sizes])
    )
    yield Health("sample ratio", f"{word}: {counts} ({got}, where {want} were expected; {p_phrase(p)})", state)
    if number := experiment.units_of_several:
        among = number + experiment.units
        state = "wrong" if number > 0.01 * among else "odd"
        share = as_percents([number / among])[0]
        says = f"{number_of(result.unit_kind, number)} in several variants ({share}): left out"
        yield Health("several variants", says, state)
    else:
        yield Health("several variants", f"no {result.unit_kind} is in several variants", "right")


def warnings_of(result: ABTest) -> Iterator[str]:
    """What speaks against the numbers: oddities of the data and of the plan, and what is not sound."""
    yield from result.experiment.remarks
    if result.plan is not None:
        yield from result.plan.remarks
        users = result.experiment.units
        if result.monitoring is None and users < result.plan.users:
            planned = f"the plan has one look, at {result.plan.users:,} users"
            yield f"{planned}, and there are {users:,}: no verdict counts yet"
    yield from (each.says for each in result.health if not each.is_sound)
    yield from (each.sentence for each in result.imbalances)


def control_note(result: ABTest) -> str:
    """Which variant is the control, in a sentence."""
    return f"{result.control} is taken as the control"


def directions_note(measures: Sequence[OnlineMeasure]) -> str:
    """Which way measures are taken as good, by their names; empty where no name tells."""
    texts = []
    for way in ("higher", "lower"):
        if names := [each.name for each in measures if each.direction == way]:
            texts.append(f"{way} {joined(names)}")
    return f"taken as better by name: {'; '.join(texts)}" if texts else ""


def heavy_of(result: ABTest, measure: OnlineMeasure) -> Iterator[Heavy]:
    """What the users with the largest numbers do to the differences of a mean; nothing of shares."""
    column = named(measure.columns[0])
    arms = {variant: arm.values(column)[0] for variant, arm in result.arms.items()}
    every = np.concatenate(list(arms.values()))
    count = int(len(every) * HEAVIEST)
    if not count or (set(np.unique(every[:1000])) <= {0.0, 1.0} and set(np.unique(every)) <= {0.0, 1.0}):
        return
    cut = float(np.partition(every, -count)[-count])
    kept = {variant: values[values < cut] for variant, values in arms.items()}
    if not all(map(len, kept.values())):
        return
    top = max(arms, key=lambda variant: float(arms[variant].max(initial=-math.inf)))
    largest = float(arms[top].max())
    alone = {
        variant: (values.sum() - largest * (variant == top)) / (len(values) - (variant == top))
        for variant, values in arms.items()
    }
    for variant in result.variants[1:]:
        apart = float(arms[variant].mean() - arms[result.control].mean())
        without = float(kept[variant].mean() - kept[result.control].mean())
        gone = int((every >= cut).sum())
        yield Heavy(
            measure.name, variant, gone, cut, apart, without, largest, top,
            float(alone[variant] - alone[result.control]),
            result.sample(measure).gap(0, result.variants.index(variant)).error,
        )  # fmt: skip


def distribution_of(result: ABTest) -> Iterator[dict[str, object]]:
    """Quantiles of the numbers of users, by measure and variant; of means alone, and not of shares."""
    for measure in result.measures if not result.experiment.sums else ():
        if measure.kind != "mean":
            continue
        values = {name: arm.values(named(measure.columns[0]))[0] for name, arm in result.arms.items()}
        if all(set(np.unique(each)) <= {0.0, 1.0} for each in values.values()):
            continue
        for name, numbers in values.items():
            cuts = np.quantile(numbers, _CUTS) if len(numbers) else [math.nan] * len(_CUTS)
            yield {"measure": measure.name, "variant": name, "zero": float((numbers == 0).mean()),
                   **dict(zip(CUT_NAMES, map(float, cuts), strict=True))}  # fmt: skip
