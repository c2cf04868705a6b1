"""Where an uneven split comes from: which group of users holds it, when it began, and what that usually means."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from assay.core.digits import p_phrase
from assay.stats.sample_ratio import MISMATCH, SUSPICIOUS, mismatch
from assay.tables.experiment import VARIANT, Experiment

#: A column with more values than this tells nothing of groups; of fewer users than this, a group tells nothing.
_MOST_VALUES, _FEWEST = 50, 20
#: The column of days.
DAY = "day"
#: What an imbalance in a group usually means, by parts of the names of columns.
_MEANS = (
    (
        ("device", "browser", "platform", "os", "agent", "app"),
        "a redirect, a script or a crash there loses users before they are counted",
    ),
    (("version", "release", "build"), "that version assigns or logs in another way"),
    (
        ("country", "region", "market", "language", "locale"),
        "traffic there is routed, or has to consent, in another way",
    ),
    (("event", "page", "source", "referrer", "entry"), "users who come in there are counted in another way"),
    (("bot", "robot", "crawler"), "robots are counted"),
)
_OTHERWISE = "users of that group are lost, or counted twice, in one variant"
_ON_A_DAY = "look for a release, a change of the assignment or a fault of the logging on that day"


class Imbalance(NamedTuple):
    """A group that holds an uneven split, or the day on which it began; the chances within it and without it."""

    column: str
    value: str
    counts: Mapping[str, int]
    p: float
    p_without: float
    means: str

    @property
    def sentence(self) -> str:
        """The group, and what it usually means."""
        counts = ", ".join(f"{name} {count:,}" for name, count in self.counts.items())
        if self.column == DAY:
            since = f"it began on {self.value}: {counts} from then on, and no imbalance before"
            return f"{since} ({p_phrase(self.p_without)}): {self.means}"
        head = (
            f"{self.column} {self.value} holds it: {counts} ({p_phrase(self.p)}); without, {p_phrase(self.p_without)}"
        )
        return f"{head}; usually, {self.means}"


def imbalances(experiment: Experiment, weights: Mapping[str, float] | None = None) -> list[Imbalance]:
    """The groups that hold the uneven split of a test, the clearest first; none where no group stands out.

    >>> rows = [("x", "a", "phone" if n % 2 else "desk") for n in range(400)]
    >>> rows += [("x", "b", "phone" if n % 2 else "desk") for n in range(400) if n % 4 != 1]
    >>> frame = pl.DataFrame(rows, ["user_id", "variant", "device"], orient="row").with_columns(
    ...     user_id=pl.int_range(pl.len()), clicks=1.0)
    >>> [(each.column, each.value) for each in imbalances(Experiment.of(frame))]
    [('device', 'phone')]
    """
    shares = [1.0 if weights is None else weights[name] for name in experiment.variants]
    found = [each for column in experiment.attributes for each in _held(experiment, column, shares)]
    return sorted(found, key=lambda each: -each.p_without)


def _held(experiment: Experiment, column: str, shares: Sequence[float]) -> Iterator[Imbalance]:
    values = experiment.frame[column]
    if not 1 < values.n_unique() <= _MOST_VALUES:
        return
    counts = experiment.frame.group_by(column, VARIANT).len()
    table = {
        str(value): [int(rows.filter(pl.col(VARIANT) == name)["len"].sum()) for name in experiment.variants]
        for (value,), rows in sorted(counts.group_by(column), key=lambda each: str(each[0][0]))
    }
    yield from _since(experiment, table, shares) if column == DAY else _within(experiment, column, table, shares)


def _within(
    experiment: Experiment, column: str, table: Mapping[str, Sequence[int]], shares: Sequence[float]
) -> Iterator[Imbalance]:
    """The one group without which the split is as planned."""
    chances = {value: mismatch(sizes, shares) for value, sizes in table.items() if sum(sizes) >= _FEWEST}
    worst = min(chances, key=lambda value: chances[value], default=None)
    if worst is None or chances[worst] * len(table) > MISMATCH:
        return
    rest = [sum(sizes[place] for value, sizes in table.items() if value != worst) for place in range(len(shares))]
    without = mismatch(rest, shares)
    if without > SUSPICIOUS:
        sizes = dict(zip(experiment.variants, table[worst], strict=True))
        yield Imbalance(column, worst, sizes, chances[worst], without, _meaning(column))


def _since(experiment: Experiment, table: Mapping[str, Sequence[int]], shares: Sequence[float]) -> Iterator[Imbalance]:
    """The day on which it began: the split is as planned before, and from then on as far from it as can be."""
    days, best = list(table), None
    for place in range(1, len(days)):
        before, after = (
            [sum(table[day][arm] for day in part) for arm in range(len(shares))]
            for part in (days[:place], days[place:])
        )
        chances = mismatch(before, shares), mismatch(after, shares)
        if math.isnan(chances[0]) or chances[0] <= SUSPICIOUS or chances[1] * len(days) > MISMATCH:
            continue
        if best is None or chances[1] < best.p:
            sizes = dict(zip(experiment.variants, after, strict=True))
            best = Imbalance(DAY, days[place], sizes, chances[1], chances[0], _ON_A_DAY)
    if best is not None:
        yield best


def _meaning(column: str) -> str:
    name = column.casefold()
    return next((text for parts, text in _MEANS if any(part in name for part in parts)), _OTHERWISE)
