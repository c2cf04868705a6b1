"""A threshold chosen by a rule, how far it varies with the items, and what it gives on other items."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from assay.core.errors import ParameterError, did_you_mean, listed, number_of
from assay.core.results import Result
from assay.measures import parse_measure, registered
from assay.measures.counting.confusion import Confusion
from assay.measures.counting.judgments import Floats
from assay.stats.bootstrap import Interval
from assay.subjects.labels.thresholds.recommendation import Choice, Recommendation, recommended
from assay.subjects.labels.thresholds.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

#: What is shown of all measures where there are several rules, and how it is called.
SHOWN = {"Recall": "TPR", "Specificity": "TNR", "Precision": "precision", "F": "F1", "Accuracy": "accuracy"}


@dataclass(frozen=True)
class ChoiceSettings:
    """The settings of a choice: the system and label, and the resamples."""

    system: str
    positive: Any
    items: float
    positives: float
    confidence: float
    resamples: int
    seed: int
    judged_on: str | None
    #: How many groups of items were drawn, where items of one group belong together.
    groups: int | None = None


@dataclass(frozen=True, eq=False)
class ChosenThreshold(Result):
    """A threshold that a rule chose: positive is predicted from this score on.

    `threshold` is infinite if nothing should be predicted positive, and NaN if no threshold fits (`undefined` says
    why). `value` is the rule's criterion on the data that it is judged on, `confusion` what is counted there. `tied`:
    other thresholds with the same criterion; `scores`: all that could have been chosen, the highest first. `interval`:
    where thresholds lie that are chosen with items drawn anew. `value_interval` and `corrected` allow for the choice,
    if it is judged on the same data: what is chosen to look best looks too good. `kept`: the share of resamples whose
    threshold keeps the rule's bound on all items; NaN without a bound.

    >>> from assay import choose_threshold
    >>> found = choose_threshold([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1], rule="max_accuracy", resamples=0)
    >>> found.threshold, found.value, found.tied, found.confusion.tp
    (0.8, 0.8, (0.6,), array([2]))
    """

    kind = "chosen_threshold"

    rule: Rule
    threshold: float
    value: float
    confusion: Confusion
    tied: tuple[float, ...]
    interval: Interval
    value_interval: Interval
    corrected: float
    kept: float
    scores: Floats
    undefined: str | None
    settings: ChoiceSettings
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<ChosenThreshold {self.threshold:g} by {self.rule}>"

    @property
    def is_chosen(self) -> bool:
        """True if there is a threshold."""
        return not math.isnan(self.threshold)

    @property
    def is_above_all(self) -> bool:
        """True if nothing should be predicted positive."""
        return math.isinf(self.threshold) and self.threshold > 0

    @cached_property
    def measures(self) -> pl.DataFrame:
        """All measures of two labels at the threshold: `measure`, `value`, and `undefined`, the reason for a null.

        >>> from assay import choose_threshold
        >>> found = choose_threshold([1, 0], [0.9, 0.1], resamples=0).measures
        >>> found.filter(measure="Recall").rows()
        [('Recall', 1.0, None)]
        """
        rows: list[tuple[str, float | None, str | None]] = []
        for name, measure in registered("binary").items():
            if measure.definition.counts is not Confusion or not measure.suits(self.confusion.unit_kind):
                continue
            if not self.is_chosen:
                rows.append((name, None, self.undefined))
                continue
            result = measure.per_unit(self.confusion)
            value = float(result.values[0])
            rows.append((name, None if math.isnan(value) else value, result.reason(0)))
        schema = {"measure": pl.String, "value": pl.Float64, "undefined": pl.String}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def value_of(self, measure: str) -> float:
        """One measure at the threshold, NaN if it is undefined."""
        if not self.is_chosen:
            return math.nan
        wanted = parse_measure(measure, "binary")
        return self._once("value", wanted, lambda: float(wanted.of(self.confusion)[0]))

    def complete(self) -> Self:
        """Finish all measures at the threshold."""
        for name in SHOWN:
            self.value_of(name)
        return self._finish("measures")

    def row(self) -> dict[str, Any]:
        """All that is known but the measures, as one row of a table."""
        counts = self.confusion
        cells = {"tp": counts.tp, "fp": counts.fp, "fn": counts.fn, "tn": counts.tn}
        return {
            "rule": str(self.rule),
            "threshold": self.threshold,
            "threshold_low": self.interval.low,
            "threshold_high": self.interval.high,
            "criterion": self.rule.criterion,
            "value": self.value,
            "value_low": self.value_interval.low,
            "value_high": self.value_interval.high,
            "corrected": self.corrected,
            "bound_kept": self.kept,
            **{name: cell[0].item() if cell is not None and self.is_chosen else None for name, cell in cells.items()},
            "tied": list(self.tied),
            "undefined": self.undefined,
        }

    def to_frame(self) -> pl.DataFrame:
        """One row: threshold, interval, criterion, cells; `measures` has all others.

        >>> from assay import choose_threshold
        >>> choose_threshold([1, 0], [0.9, 0.1], resamples=0).to_frame()["threshold"].to_list()
        [0.9]
        """
        return Thresholds((self,), self.settings).to_frame()


@dataclass(frozen=True, eq=False)
class Thresholds(Result):
    """Choices of several rules from the same scores, a row each.

    >>> from assay import thresholds
    >>> found = thresholds([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1], ["max_accuracy", "max_f"], resamples=0)
    >>> found["max_f"].threshold
    0.6
    """

    kind = "thresholds"

    chosen: tuple[ChosenThreshold, ...]
    settings: ChoiceSettings

    def __repr__(self) -> str:
        return f"<Thresholds of {self.settings.system}: {', '.join(str(choice.rule) for choice in self.chosen)}>"

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about any of the choices, once each."""
        return tuple(dict.fromkeys(warning for choice in self.chosen for warning in choice.warnings))

    @property
    def recommendation(self) -> Recommendation | None:
        """The one threshold to start with, and why; None if no rule found one.

        >>> from assay import thresholds
        >>> thresholds([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1], resamples=0).recommendation.rule
        youden
        """
        choices = [Choice(each.rule, each.threshold, each.value) for each in self.chosen]
        return recommended(choices, self.settings.positives / self.settings.items)

    def complete(self) -> Self:
        """Finish the measures at each threshold."""
        for choice in self.chosen:
            choice.complete()
        return self

    def __iter__(self) -> Iterator[ChosenThreshold]:
        return iter(self.chosen)

    def __len__(self) -> int:
        return len(self.chosen)

    def __getitem__(self, rule: str | Rule) -> ChosenThreshold:
        """The choice of a rule, by its text, or by its name if there is only one such rule."""
        matches = [choice for choice in self.chosen if rule in (choice.rule, str(choice.rule))]
        matches = matches or [choice for choice in self.chosen if choice.rule.name == str(rule)]
        if len(matches) != 1:
            names = [str(choice.rule) for choice in self.chosen]
            raise ParameterError(f"choose a rule of {listed(names)}, not {str(rule)!r}{did_you_mean(str(rule), names)}")
        return matches[0]

    def to_frame(self) -> pl.DataFrame:
        """One row a rule: threshold, interval, criterion, cells."""
        rows = [choice.row() | {"tied": len(choice.tied)} for choice in self.chosen]
        return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)


@dataclass(frozen=True, eq=False)
class ThresholdTable(Result):
    """TP, FP, FN, TN, TPR, FPR and accuracy from each threshold on, the highest first.

    >>> from assay.subjects.labels.thresholds.choice import threshold_table
    >>> print(threshold_table([1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6]))
    threshold         TP  FP  FN  TN     TPR     FPR     ACC
    above all scores   0   0   3   1  0.0000  0.0000  0.2500
    0.9                1   0   2   1  0.3333  0.0000  0.5000
    0.8                2   0   1   1  0.6667  0.0000  0.7500
    0.7                2   1   1   0  0.6667  1.0000  0.5000
    0.6                3   1   0   0  1.0000  1.0000  0.7500
    <BLANKLINE>
    scores: 4 items, 3 positive; AUC 0.6667. Positive is predicted where the score is at least the threshold.
    """

    kind = "threshold_table"

    frame: pl.DataFrame
    system: str
    auc: float
    #: All thresholds, of which those in the frame may be some.
    scores: Floats
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<ThresholdTable of {self.system}: {number_of('threshold', self.frame.height)}>"

    def to_frame(self) -> pl.DataFrame:
        """One row a threshold; the first one is infinite."""
        return self.frame
