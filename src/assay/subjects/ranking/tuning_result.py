"""`Tuning`: a parameter of a search system chosen by some topics and measured on others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.errors import number_of
from assay.core.results import Result
from assay.measures.counting.judgments import Floats, Ints
from assay.stats.bootstrap import Interval
from assay.stats.rounding import ROUNDING, snapped
from assay.stats.samples import Sample
from assay.subjects.ranking.evaluation import Evaluation
from assay.subjects.ranking.settings_of_runs import Parameters
from assay.verbs.comparison import Finding

#: What the system with the honest number is called beside its settings.
TUNED = "tuning"


class TunedFold(NamedTuple):
    """One fold: its topics, the setting that was best on all others, and that setting's number there and here.

    `tied`: how many settings were best on the other topics.
    """

    fold: str
    topics: int
    chosen: str
    train: float
    test: float
    tied: int = 1


@dataclass(frozen=True, eq=False)
class Tuning(Result):
    """What a system is worth whose parameter is chosen by topics other than those it is measured on: see `tune`.

    >>> from assay import tune
    >>> judged = {f"q{n}": {"good": 1} for n in range(6)}
    >>> runs = {f"k={k}": {f"q{n}": {"good": 1.0, "bad": 2.0 * (n % 3 < k)} for n in range(6)} for k in (0, 1, 2)}
    >>> found = tune(judged, runs, "RR", folds=3)
    >>> found.value, found.hindsight, found.stability
    (1.0, 'k=0', 1.0)
    """

    kind = "tuning"

    #: Every topic's number under every setting.
    sample: Sample
    settings: Mapping[str, Parameters]
    folds: tuple[TunedFold, ...]
    #: The place of each topic's fold, and of the setting that it was measured with.
    fold_of: Ints
    chosen_for: Ints
    #: Of the honest number, over topics.
    interval: Interval
    #: How topics were split, in words.
    says: str
    #: Of folds that were drawn, and of everything resampled.
    seed: int
    baseline: str | None = None
    #: The honest numbers against the baseline's, topic by topic.
    finding: Finding | None = None
    evaluation: Evaluation | None = None
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        folds = number_of("fold", len(self.folds))
        return f"<Tuning of {number_of('setting', len(self.settings))} by {self.measure}: {folds} of topics>"

    @property
    def measure(self) -> str:
        """What settings were chosen by."""
        return self.sample.measure

    @cached_property
    def table(self) -> Floats:
        """Every topic's number (row) under every setting (column)."""
        values = self.sample.unit_values()
        return np.empty((0, len(self.sample.systems))) if values is None else values

    @cached_property
    def values(self) -> Floats:
        """Each topic's number under the setting that was chosen without it."""
        return np.asarray(self.table[np.arange(len(self.table)), self.chosen_for])

    @property
    def value(self) -> float:
        """The honest number: the mean over topics, each measured with the setting that was chosen without it."""
        return float(self.values.mean())

    @cached_property
    def hindsight(self) -> str:
        """The setting that is best on all topics: the one to use, but not the one to report the number of."""
        worth = np.array(list(map(self.of, self.settings)))
        # Of settings that tie the first counts, as in the folds.
        best = np.argmax(snapped(-worth if self.sample.higher_is_better is False else worth))
        return list(self.settings)[int(best)]

    @property
    def hindsight_value(self) -> float:
        """The number of the best setting on the very topics that it was chosen by."""
        return self.of(self.hindsight)

    @property
    def optimism(self) -> float:
        """How much better the best setting in hindsight looks than choosing turned out to be."""
        gap = self.hindsight_value - self.value
        if abs(gap) <= ROUNDING * abs(self.value):  # the same numbers, added up in another order
            return 0.0
        return -gap if self.sample.higher_is_better is False else gap

    @property
    def stability(self) -> float:
        """The share of folds that chose the setting chosen most often."""
        return max(Counter(fold.chosen for fold in self.folds).values()) / len(self.folds)

    def of(self, setting: str) -> float:
        """A setting's number on all topics."""
        return float(self.sample.observed[self.sample.systems.index(setting)])

    def per_topic(self) -> pl.DataFrame:
        """One row a topic: its fold, the setting that it was measured with, and the number."""
        return pl.DataFrame(
            {
                "query_id": pl.Series(self.sample.units, dtype=pl.String),
                "fold": [self.folds[place].fold for place in self.fold_of],
                "chosen": [self.sample.systems[place] for place in self.chosen_for],
                "value": self.values,
            }
        )

    def per_setting(self) -> pl.DataFrame:
        """One row a setting: its parameters, its number on all topics, and in how many folds it was chosen."""
        chosen = Counter(fold.chosen for fold in self.folds)
        rows: list[dict[str, Any]] = [
            {"setting": name, **parameters, self.measure: self.of(name), "chosen": chosen[name]}
            for name, parameters in self.settings.items()
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def to_frame(self) -> pl.DataFrame:
        """First the honest number with its interval, that of the best setting in hindsight, and the baseline's.

        Then one row a setting, as `per_setting` has it; the column `what` says which row is which. If there is a
        baseline, the honest number's row also holds its difference from the baseline's, with interval and p-value.

        >>> from assay import tune
        >>> judged = {f"q{n}": {"d": 1} for n in range(4)}
        >>> runs = {f"mu={mu}": {q: {"d": 1.0, "e": float(mu)} for q in judged} for mu in (0, 2)}
        >>> tune(judged, runs, "RR", folds=2).to_frame()["what"].to_list()
        ['tuned on other topics', 'best in hindsight', 'setting', 'setting']
        """
        honest = {self.measure: self.value, "interval_low": self.interval.low, "interval_high": self.interval.high}
        if self.finding is not None:
            ends = self.finding.interval
            honest |= {"difference": self.finding.difference, "difference_low": ends.low, "difference_high": ends.high}
            honest |= {"p": self.finding.p}
        named = [("best in hindsight", self.hindsight)]
        named += [] if self.baseline is None else [("baseline", self.baseline)]
        settings = {row["setting"]: row for row in self.per_setting().to_dicts()}
        rows: list[dict[str, Any]] = [
            {"what": "tuned on other topics"} | dict.fromkeys(self.per_setting().columns) | honest
        ]
        rows += [{"what": what} | settings[name] for what, name in named]
        rows += [{"what": "setting"} | row for row in settings.values()]
        return pl.DataFrame(rows, infer_schema_length=None).with_columns(pl.col(pl.Float64).fill_nan(None))
