"""`CrossValidation`: measures fold by fold, of all out-of-fold predictions, and systems compared over folds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from assay.core.domains import Choice, check_levels
from assay.core.errors import InputError, ParameterError, listed, number_of, only_one
from assay.core.options import Alpha, Correction, Margin, Power
from assay.core.results import Result
from assay.measures.counting.judgments import Floats
from assay.measures.registry import Measure
from assay.stats.bootstrap import Interval
from assay.stats.fold_samples import FoldSample, checked_fold_test, interval_of_mean
from assay.stats.samples import NO_DRAWING, Pair
from assay.stats.verdict import CORRECTIONS, corrected_as_stated
from assay.subjects.labels.crossvalidation.measuring import (
    TINY,
    CrossValidatedSystem,
    FoldRecord,
    LabelTask,
    fold_measures,
)
from assay.subjects.labels.measurement import Measures, bounds_of, mean_of_known, measure_of
from assay.tables import Predictions
from assay.verbs.comparison.findings import Finding, Levels, Pairs, finding_of, pairs_of, select_finding


@dataclass(frozen=True, eq=False)
class CrossValidation(Result):
    """The worth of classifiers on items that they have not learned from: see `crossval`.

    Two numbers are kept apart everywhere. The *mean of folds* averages what a measure says of each fold, so it is about
    models that learn from so many items. *Pooled* is one number for all out-of-fold predictions together, which mixes
    the scores of different models. They differ for every measure that is no mean over items.

    >>> from assay import Predictions, crossval
    >>> said = Predictions.of([1, 0, 1, 1, 0, 0], [1, 0, 1, 0, 0, 0])
    >>> found = crossval(said, fold=[1, 1, 1, 2, 2, 2], measures="Recall")
    >>> found.per_fold("Recall")["value"].to_list(), found.mean(), found.pooled()  # 2 of 2 and 0 of 1; 2 of 3
    ([1.0, 0.0], 0.5, 0.6667)
    """

    kind = "cross-validation"

    systems: tuple[CrossValidatedSystem, ...]
    measures: tuple[Measure, ...]
    folds: tuple[FoldRecord, ...]
    task: LabelTask
    #: How items were split, in words.
    says: str
    #: What folds were drawn with; None if they were given.
    seed: int | None = None
    confidence: float = 0.95
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    #: Whether every fold is shown.
    shows_folds: bool = False
    #: Whether items are tested several times in a repeat.
    overlap: bool = False

    @classmethod
    def of(
        cls,
        tables: Sequence[tuple[Predictions, Predictions | None]],
        folds: Sequence[FoldRecord],
        task: LabelTask,
        measures: Measures,
        says: str,
    ) -> CrossValidation:
        """Measure what systems say of tested items, and of those that they have learned from, if that is known."""
        wanted = fold_measures(measures, task, tables[0][0])
        systems = tuple(CrossValidatedSystem.of(test, train, folds, wanted, task) for test, train in tables)
        return cls(systems, wanted, tuple(folds), task, says)

    def __repr__(self) -> str:
        names = ", ".join(system.name for system in self.systems)
        return f"<CrossValidation of {names}: {number_of('fold', len(self.folds))}>"

    @property
    def repeats(self) -> int:
        """The number of times that all items were split."""
        return len({fold.repeat for fold in self.folds})

    @property
    def tiny(self) -> bool:
        """True if folds are of one item or two, of which most measures say nothing."""
        return max(fold.test_items for fold in self.folds) <= TINY

    @property
    def is_pooled(self) -> bool:
        """True if there is anything to pool: several folds in a repeat."""
        return len(self.folds) > self.repeats

    @property
    def test_share(self) -> float:
        """Items tested for each one that is learned from, on average over folds.

        >>> from assay import Predictions, crossval
        >>> crossval(Predictions.of([1, 0, 1, 0], [1, 0, 1, 0]), fold=[1, 1, 2, 2], measures="Accuracy").test_share
        1.0
        """
        return float(
            np.mean([fold.test_items / fold.train_items if fold.train_items else math.nan for fold in self.folds])
        )

    def system(self, name: str | None = None) -> CrossValidatedSystem:
        """A system by name; may be left out if there is only one."""
        return only_one("system", name, {system.name: system for system in self.systems})

    def measure(self, name: str | Measure | None = None) -> Measure:
        """A measure of this result by name; may be left out if there is only one."""
        wanted = None if name is None else measure_of(name, self.task.kind)
        return only_one("measure", wanted, dict(zip(self.measures, self.measures, strict=True)))

    def values(self, measure: str | Measure | None = None, system: str | None = None) -> Floats:
        """A measure's number on the tested items of each fold, in the order of `folds`; NaN where it is undefined."""
        return self._numbers(measure, system)["value"].fill_null(math.nan).to_numpy()

    def counted_values(self, measure: str | Measure | None = None, system: str | None = None) -> Floats:
        """The same as means and tests take them: what the system's own doing made undefined counts as the worst.

        >>> from assay import Predictions, crossval
        >>> table = Predictions.of([1, 0, 1, 0], [1, 0, 0, 0])  # in the second fold, nothing is predicted positive
        >>> found = crossval(table, fold=[1, 1, 2, 2], measures="Precision")
        >>> found.values().tolist(), found.counted_values().tolist()
        ([1.0, nan], [1.0, 0.0])
        """
        return self._numbers(measure, system)["taken"].fill_null(math.nan).to_numpy()

    def train_values(self, measure: str | Measure | None = None, system: str | None = None) -> Floats:
        """The same on the items that each fold's model has learned from; NaN where nobody looked."""
        return self._numbers(measure, system)["train"].fill_null(math.nan).to_numpy()

    def _numbers(self, measure: str | Measure | None, system: str | None) -> pl.DataFrame:
        return self.system(system).numbers.filter(measure=str(self.measure(measure)))

    def mean(self, measure: str | Measure | None = None, system: str | None = None) -> float:
        """The mean of folds: those without a number count as `counted_values` has them, or are left out."""
        return mean_of_known(self.counted_values(measure, system))

    def spread(self, measure: str | Measure | None = None, system: str | None = None) -> float:
        """The standard deviation over folds."""
        values = self.counted_values(measure, system)
        known = values[~np.isnan(values)]
        return float(known.std(ddof=1)) if len(known) > 1 else math.nan

    def interval(self, measure: str | Measure | None = None, system: str | None = None) -> Interval:
        """The interval of the mean of folds, by the corrected resampled variance; none where folds are tiny."""
        if self.tiny:
            return Interval.unknown(self.confidence)
        interval = interval_of_mean(self.counted_values(measure, system), self.test_share, self.confidence)
        return interval.within(self._bounds(self.measure(measure)))

    def _bounds(self, measure: Measure) -> tuple[float, float] | None:
        return bounds_of(measure, two_labels=self.task.kind == "binary")

    def pooled(self, measure: str | Measure | None = None, system: str | None = None) -> float:
        """One number for all out-of-fold predictions together; of several repeats, the mean of each one's."""
        return self.system(system).pooled[str(self.measure(measure))]

    def optimism(self, measure: str | Measure | None = None, system: str | None = None) -> float:
        """The advantage of a model on what it learned from: train less test, the mean over folds.

        Of a measure for which less is better, such as a loss, it is test less train: above 0 it always means that the
        training set flatters.
        """
        wanted = self.measure(measure)
        gap = mean_of_known(self.train_values(wanted, system) - self.values(wanted, system))
        return -gap if wanted.definition.higher_is_better is False else gap

    def predictions(self, system: str | None = None, repeat: int = 1) -> Predictions:
        """The out-of-fold predictions of a repeat, each made by a model that had not seen the item; `fold` says which.

        >>> from assay import Predictions, crossval
        >>> found = crossval(Predictions.of([1, 0, 1, 0], [1, 1, 1, 0]), fold=[1, 1, 2, 2], measures="Accuracy")
        >>> found.predictions().columns.columns
        ['item_id', 'truth', 'prediction', 'repeat', 'fold']
        """
        if self.overlap:
            raise ParameterError(
                "items are tested several times in a repeat, and would be counted as different items: use folds that "
                "do not overlap"
            )
        held = self.system(system).predictions
        known = sorted({fold.repeat for fold in self.folds})
        Choice(known).check("repeat", repeat)
        return held if len(known) == 1 else held.taken(held.columns["repeat"] == repeat)

    def compare(  # type: ignore[override]  # folds have tests of their own
        self,
        first: str | None = None,
        second: str | None = None,
        measure: str | Measure | None = None,
        *,
        test: str = "corrected-t",
        alpha: Alpha = 0.05,
        margin: Margin | None = None,
        power: Power = 0.8,
        correction: Correction = "holm",
    ) -> FoldComparison:
        """Is the second system better than the first, over the folds that both were tested on?

        Without `second`, all others are compared with `first`; without both, the second of two systems against the
        first, or all pairs of more. `measure`: one of the result's, or all. `test`: "corrected-t" (Nadeau and Bengio),
        or for five repeats of two folds (`cv="5x2"`) "5x2cv" (Alpaydin's combined F). Plain paired tests are refused,
        as folds share what they learn from. p-values are corrected over the pairs under one measure.

        >>> from assay import Predictions, crossval
        >>> truth, folds = [0, 1] * 20, [fold for fold in range(5) for _ in range(8)]
        >>> old, new = Predictions.of(truth, [0, 1, 1, 0] * 10), Predictions.of(truth, [0, 1] * 18 + [1] * 4)
        >>> found = crossval({"old": old, "new": new}, fold=folds, measures="Accuracy").compare()
        >>> found.finding().interval  # 0.45 ± 2.776 · 0.112 · sqrt(1/5 + 8/32)
        Interval(low=0.242, high=0.658, level=0.95, method='corrected t')
        """
        test, levels = checked_fold_test(test), Levels(alpha, margin, power, correction)
        check_levels(alpha=alpha, power=power, margin=margin)
        Choice(CORRECTIONS).check("correction", correction)
        if self.tiny:
            raise ParameterError(
                "folds of one or two items have no numbers of their own to test: compare the out-of-fold predictions"
            )
        pairs = self._pairs(first, second)
        measures = self.measures if measure is None else (self.measure(measure),)
        repeats = Counter(fold.repeat for fold in self.folds)
        if test == "5x2cv" and sorted(repeats.values()) != [2] * 5:
            folds = f"{number_of('fold', len(self.folds))} in {number_of('repeat', len(repeats))}"
            raise ParameterError(f"5x2cv takes 5 repeats of 2 folds, not {folds}; corrected-t takes any folds")
        findings: list[Finding] = []
        notes: list[str] = []
        for wanted in measures:
            samples = [self._sample(wanted, pair, test, alpha) for pair in pairs.pairs]
            notes += [note for sample in samples for note in sample.notes()]
            outcomes = [sample.test([(0, 1)], None, NO_DRAWING)[0] for sample in samples]
            # A pair that has no number is a member of the family all the same.
            p = corrected_as_stated(np.array([outcome.p for outcome in outcomes]), correction).tolist()
            findings += [
                finding_of(sample, (0, 1), outcome, value, levels)
                for sample, outcome, value in zip(samples, outcomes, p, strict=True)
                if sample.size
            ]
        if not findings:
            raise InputError(f"there is nothing to compare: {notes[0]}")
        return FoldComparison(tuple(findings), test, levels, pairs, self.says, tuple(dict.fromkeys(notes)))

    def _pairs(self, first: str | None, second: str | None) -> Pairs:
        names = [system.name for system in self.systems]
        if second is None:
            return pairs_of(names, first)
        if first is None:
            raise ParameterError("name the first system, too: the one to compare the second with")
        pair = names.index(self.system(first).name), names.index(self.system(second).name)
        if pair[0] == pair[1]:
            raise ParameterError(f"a comparison takes two systems, not {first!r} twice")
        return Pairs((pair,), all_pairs=False)

    def _sample(self, measure: Measure, pair: Pair, test: str, alpha: float) -> FoldSample:
        """Two systems on the folds where both have a number."""
        systems = self.systems[pair[0]].name, self.systems[pair[1]].name
        values = np.column_stack([self.counted_values(measure, name) for name in systems])
        known = np.flatnonzero(~np.isnan(values).any(axis=1))
        folds = [self.folds[place] for place in known]
        return FoldSample(
            values[known],
            train_items=np.array([fold.train_items for fold in folds], dtype=np.float64),
            test_items=np.array([fold.test_items for fold in folds], dtype=np.float64),
            fold_test=test,
            alpha=alpha,
            systems=systems,
            units=tuple(f"{fold.repeat}.{fold.fold}" for fold in folds),
            measure=str(measure),
            unit_kind="fold",
            bounds=self._bounds(measure),
            direction=measure.definition.direction,
            left_out=len(values) - len(folds),
            elsewhere=np.delete(~np.isnan(values), known, axis=0),
        )

    def per_fold(self, measure: str | Measure | None = None, system: str | None = None) -> pl.DataFrame:
        """One row a system, measure and fold: its items, the value, that on what was learned from, and the reason.

        `left_out`: classes in which the measure is undefined, and that its average over classes leaves out; `counted`:
        those that it counts as the number `counted_as`.
        """
        systems = self.systems if system is None else [self.system(system)]
        numbers = pl.concat([held.numbers for held in systems])
        if measure is not None:
            numbers = numbers.filter(measure=str(self.measure(measure)))
        named = (pl.col(name) for name in ("left_out", "counted"))
        return numbers.with_columns(pl.when(each.list.len() > 0).then(each.list.join(", ")) for each in named)

    def to_frame(self) -> pl.DataFrame:
        """One row a system and measure: the mean of folds with its interval, spread, pooled, train, optimism."""
        rows = []
        for system, measure in product(self.systems, self.measures):
            of = measure, system.name
            values, interval = self.values(*of), self.interval(*of)
            taken = self.counted_values(*of)
            known = taken[~np.isnan(taken)]
            row: dict[str, Any] = {
                "system": system.name,
                "measure": str(measure),
                "mean_of_folds": self.mean(*of),
                "low": interval.low,
                "high": interval.high,
                "spread": self.spread(*of),
                "smallest": min(known, default=math.nan),
                "largest": max(known, default=math.nan),
                "folds": len(self.folds),
                "undefined_folds": int(np.isnan(values).sum()),
                "pooled": self.pooled(*of),
                "train": mean_of_known(self.train_values(*of)),
                "optimism": self.optimism(*of),
            }
            rows.append(row)
        return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)


@dataclass(frozen=True, eq=False)
class Nested(Result):
    """The honest estimate, what was chosen in each fold, and what choosing by the same folds would have shown.

    `outer` is the cross-validation of estimator and choice together; `not_nested` that of the parameters or threshold
    that look best on the very folds by which they are judged. See `nested`.
    """

    kind = "nested cross-validation"

    outer: CrossValidation
    not_nested: CrossValidation
    #: One row a fold: what was chosen, and the number by which.
    chosen: pl.DataFrame
    #: The parameters that each fold chose, as `set_params` takes them; empty where a threshold was chosen.
    parameters: tuple[Mapping[str, Any], ...]
    #: What is chosen and how, in words.
    says: str
    is_threshold: bool = False

    def __repr__(self) -> str:
        return f"<Nested cross-validation of {self.outer.systems[0].name}: {self.says}>"

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures."""
        return self.outer.measures

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about items, folds or fits."""
        return self.outer.warnings

    def mean(self, measure: str | Measure | None = None) -> float:
        """The honest mean of folds."""
        return self.outer.mean(measure)

    def pooled(self, measure: str | Measure | None = None) -> float:
        """One honest number for all out-of-fold predictions together."""
        return self.outer.pooled(measure)

    def optimism(self, measure: str | Measure | None = None) -> float:
        """The advantage of the choice when it is judged by the folds that it was made with.

        It is that of the mean of folds; where folds are tiny, of the pooled number.
        """
        wanted = self.outer.measure(measure)
        naive, honest = (
            validation.pooled(wanted) if self.outer.tiny else validation.mean(wanted)
            for validation in (self.not_nested, self.outer)
        )
        gap = naive - honest
        return -gap if wanted.definition.higher_is_better is False else gap

    def to_frame(self) -> pl.DataFrame:
        """One row a measure: nested with its interval and pooled, not nested, and the optimism of the latter."""
        rows = []
        for measure in self.measures:
            interval = self.outer.interval(measure)
            row = {"measure": str(measure), "nested": self.mean(measure), "low": interval.low, "high": interval.high}
            row |= {"pooled": self.pooled(measure), "not_nested": self.not_nested.mean(measure)}
            row |= {"not_nested_pooled": self.not_nested.pooled(measure), "optimism": self.optimism(measure)}
            rows.append(row)
        return pl.DataFrame(rows).fill_nan(None)


@dataclass(frozen=True, eq=False)
class FoldComparison(Result):
    """Models compared over folds: a `Finding` per measure and pair, whose units are folds.

    >>> from assay import Predictions, crossval
    >>> truth, folds = [0, 1] * 20, [fold for fold in range(5) for _ in range(8)]
    >>> old = Predictions.of(truth, [0, 1, 1, 0] * 10, name="old")
    >>> new = Predictions.of(truth, [0, 1] * 18 + [1, 1, 1, 1], name="new")
    >>> found = crossval({"old": old, "new": new}, fold=folds, measures="Accuracy").compare()
    >>> print(found.finding().verdict, found.finding().difference)
    better 0.45
    """

    kind = "fold comparison"

    findings: tuple[Finding, ...]
    test: str
    levels: Levels
    pairs: Pairs
    #: How items were split, in words.
    says: str
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        systems = dict.fromkeys(name for finding in self.findings for name in (finding.baseline, finding.system))
        return f"<FoldComparison of {listed([*systems])}: {number_of('fold', self.findings[0].units)}>"

    def finding(
        self, measure: str | Measure | None = None, system: str | None = None, baseline: str | None = None
    ) -> Finding:
        """One finding; what there is only one of may be left out."""
        return select_finding(self.findings, measure, system, baseline)

    def to_frame(self) -> pl.DataFrame:
        """One row for each finding."""
        rows = [
            {name: value for name, value in finding.row().items() if not name.startswith("unjudged")}
            | {"test": finding.outcome.test, "statistic": finding.outcome.statistic}
            for finding in self.findings
        ]
        return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)
