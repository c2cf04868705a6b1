"""`CrossValidation`: measures fold by fold, of all out-of-fold predictions, and systems compared over folds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, Unpack, get_args

import numpy as np
import polars as pl

from assay.core import registry
from assay.core.domains import Choice, check_levels
from assay.core.errors import InputError, ParameterError, listed, not_among, number_of
from assay.core.options import ClassificationOptions, FoldTestSettings
from assay.core.results import Result
from assay.measures.counting.judgments import Floats
from assay.measures.registry import Measure
from assay.stats.bootstrap import Interval
from assay.stats.fold_samples import FoldSample, checked_fold_test, interval_of_mean
from assay.stats.samples import NO_DRAWING, Pair
from assay.stats.verdict import CORRECTIONS, corrected_as_stated
from assay.subjects.labels.crossvalidation.measuring import LabelTask, Values, by_fold
from assay.subjects.labels.measurement import bounds_of, measure_of
from assay.tables import Predictions
from assay.verbs.comparison.findings import Finding, Levels, Pairs, finding_of, pairs_of, select_finding

if TYPE_CHECKING:
    from assay.subjects.labels.result import Classification
    from assay.verbs.curves import Curve


CurveName: TypeAlias = Literal["roc", "precision_recall", "det", "calibration", "gain", "lift", "score_distributions"]

_CURVES = get_args(CurveName)


def named(name: Any, names: Sequence[str], what: str) -> str:
    """The only one, or the one asked for; otherwise an error says which there are."""
    if name is None and len(names) == 1:
        return names[0]
    if name not in names:
        raise not_among(what, name, names)
    return str(name)


class FoldRecord(NamedTuple):
    """One fold: which repeat it is in, its name, and how many items were learned from and tested."""

    repeat: int
    fold: int | str
    train_items: int
    test_items: int


class CrossValidatedSystem(NamedTuple):
    """One system: its out-of-fold predictions, with the repeat and the fold of each, and its numbers.

    `values` are those of the tested items, fold by fold; `train` those of the items learned from (empty if nobody
    looked); `pooled` those of all tested items of each repeat together.
    """

    name: str
    predictions: Predictions
    values: Mapping[Measure, Values]
    train: Mapping[Measure, Values]
    pooled: Mapping[Measure, Values]

    @classmethod
    def of(
        cls,
        test: Predictions,
        train: Predictions | None,
        keys: Sequence[tuple[Any, Any]],
        measures: Sequence[Measure],
        task: LabelTask,
    ) -> CrossValidatedSystem:
        """Measure out-of-fold predictions, by fold and by repeat; `keys` are repeat and fold of every fold."""
        repeats = [(repeat,) for repeat in dict.fromkeys(repeat for repeat, _ in keys)]
        values, pooled = (by_fold(test, each, measures, task) for each in (keys, repeats))
        learned = {} if train is None else by_fold(train, keys, measures, task)
        return cls(test.name, test, values, learned, pooled)


@dataclass(frozen=True, eq=False)
class CrossValidation(Result):
    """What classifiers are worth on items that they have not learned from: see `crossval`.

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
    #: Folds of one item or a few, of which most measures say nothing.
    tiny: bool = False
    #: Whether every fold is shown.
    shows_folds: bool = False
    #: Whether items are tested several times in a repeat.
    overlap: bool = False

    def __repr__(self) -> str:
        names = ", ".join(system.name for system in self.systems)
        return f"<CrossValidation of {names}: {number_of('fold', len(self.folds))}>"

    @property
    def repeats(self) -> int:
        """How often all items were split."""
        return len({fold.repeat for fold in self.folds})

    @property
    def is_pooled(self) -> bool:
        """Whether there is anything to pool: several folds in a repeat."""
        return len(self.folds) > self.repeats

    @property
    def test_share(self) -> float:
        """How many items are tested for each one that is learned from, on average over folds.

        >>> from assay import Predictions, crossval
        >>> crossval(Predictions.of([1, 0, 1, 0], [1, 0, 1, 0]), fold=[1, 1, 2, 2], measures="Accuracy").test_share
        1.0
        """
        return float(
            np.mean([fold.test_items / fold.train_items if fold.train_items else math.nan for fold in self.folds])
        )

    def system(self, name: str | None = None) -> CrossValidatedSystem:
        """A system by name; may be left out if there is only one."""
        names = [system.name for system in self.systems]
        return self.systems[names.index(named(name, names, "system"))]

    def measure(self, name: str | Measure | None = None) -> Measure:
        """A measure of this result by name; may be left out if there is only one."""
        if name is None and len(self.measures) == 1:
            return self.measures[0]
        wanted = None if name is None else measure_of(name, self.task.kind)
        if wanted not in self.measures:
            raise not_among("measure", name, self.measures)
        return wanted

    def values(self, measure: str | Measure | None = None, system: str | None = None) -> Floats:
        """A measure's number on the tested items of each fold, in the order of `folds`; NaN where it is undefined."""
        return self.system(system).values[self.measure(measure)].values

    def train_values(self, measure: str | Measure | None = None, system: str | None = None) -> Floats:
        """The same on the items that each fold's model has learned from; NaN where nobody looked."""
        held = self.system(system).train.get(self.measure(measure))
        return np.full(len(self.folds), np.nan) if held is None else held.values

    def mean(self, measure: str | Measure | None = None, system: str | None = None) -> float:
        """The mean of folds, over those that have a number."""
        return _mean(self.values(measure, system))

    def spread(self, measure: str | Measure | None = None, system: str | None = None) -> float:
        """The standard deviation over folds."""
        known = _known(self.values(measure, system))
        return float(known.std(ddof=1)) if len(known) > 1 else math.nan

    def interval(self, measure: str | Measure | None = None, system: str | None = None) -> Interval:
        """The interval of the mean of folds, by the corrected resampled variance; none where folds are tiny."""
        if self.tiny:
            return Interval.unknown(self.confidence)
        interval = interval_of_mean(self.values(measure, system), self.test_share, self.confidence)
        return interval.within(bounds_of(self.measure(measure), two_labels=self.task.kind == "binary"))

    def pooled(self, measure: str | Measure | None = None, system: str | None = None) -> float:
        """One number for all out-of-fold predictions together; of several repeats, the mean of each one's."""
        return _mean(self.system(system).pooled[self.measure(measure)].values)

    def optimism(self, measure: str | Measure | None = None, system: str | None = None) -> float:
        """How much better a model looks on what it learned from: train less test, the mean over folds.

        Of a measure for which less is better, such as a loss, it is test less train: above 0 it always means that the
        training set flatters.
        """
        wanted = self.measure(measure)
        gap = _mean(self.train_values(wanted, system) - self.values(wanted, system))
        return -gap if wanted.definition.higher_is_better is False else gap

    def predictions(self, system: str | None = None, repeat: int = 1) -> Predictions:
        """The out-of-fold predictions of a repeat, each made by a model that had not seen the item; `fold` says which.

        >>> from assay import Predictions, crossval
        >>> found = crossval(Predictions.of([1, 0, 1, 0], [1, 1, 1, 0]), fold=[1, 1, 2, 2], measures="Accuracy")
        >>> found.predictions().columns.columns
        ['item_id', 'truth', 'prediction', 'repeat', 'fold']
        """
        held = self.system(system).predictions
        known = sorted({fold.repeat for fold in self.folds})
        Choice(known).check("repeat", repeat)
        return held if len(known) == 1 else held.taken(held.columns["repeat"] == repeat)

    def classify(self, repeat: int = 1, **options: Unpack[ClassificationOptions]) -> Classification:
        """Evaluate the out-of-fold predictions as those of a single classifier: see `classify`."""
        from assay.subjects.labels.evaluation import classify  # noqa: PLC0415  # most look at the folds only

        self._refuse_overlap()
        return classify([self.predictions(system.name, repeat) for system in self.systems], **options)

    def curve(self, kind: CurveName = "roc", system: str | None = None, repeat: int = 1) -> Curve:
        """A curve of the out-of-fold scores: roc, precision_recall, det, calibration, gain, lift, score_distributions.

        To draw it otherwise, give `predictions` to a function of `classifier_curves`.

        >>> from assay import Predictions, crossval
        >>> scored = Predictions.of([1, 0, 1, 0], y_score=[0.9, 0.2, 0.3, 0.4])
        >>> crossval(scored, fold=[1, 1, 2, 2], measures="AUC").curve("roc").summary["value"].to_list()
        [0.75]
        """
        from assay.subjects.labels import curves as classifier_curves  # noqa: PLC0415

        Choice(_CURVES).check("curve", kind)
        self._refuse_overlap()
        names = [system.name for system in self.systems] if system is None else [system]
        curve: Curve = getattr(classifier_curves, kind)([self.predictions(name, repeat) for name in names])
        return curve

    def _refuse_overlap(self) -> None:
        """Refuse to take several predictions of one item for those of several items."""
        if self.overlap:
            raise ParameterError(
                "items are tested several times in a repeat, and intervals would take each time for another item: "
                "use folds that do not overlap"
            )

    def compare(
        self,
        first: str | None = None,
        second: str | None = None,
        measure: str | Measure | None = None,
        *,
        test: str = "corrected-t",
        **settings: Unpack[FoldTestSettings],
    ) -> FoldComparison:
        """Is the second system better than the first, over these folds? By "corrected-t" or "5x2cv".

        See `compare_folds`. Plain paired tests are refused, as folds share what they learn from.
        """
        comparison: FoldComparison = registry.verb("compare_folds")(self, first, second, measure, test=test, **settings)
        return comparison

    def per_fold(self, measure: str | Measure | None = None, system: str | None = None) -> pl.DataFrame:
        """One row a system, measure and fold: its items, the value, that on what was learned from, and the reason.

        `left_out`: classes in which the measure is undefined, and that its average over classes leaves out.
        """
        chosen = self.measures if measure is None else (self.measure(measure),)
        systems = self.systems if system is None else (self.system(system),)
        rows = [
            (system.name, str(wanted), fold.repeat, str(fold.fold), *fold[2:], value, learned, reason,
             ", ".join(absent) or None)
            for system in systems
            for wanted in chosen
            for fold, value, learned, reason, absent in zip(
                self.folds,
                system.values[wanted].values.tolist(),
                self.train_values(wanted, system.name).tolist(),
                *system.values[wanted][1:],
                strict=True,
            )
        ]  # fmt: skip
        schema = {
            "system": pl.String, "measure": pl.String, "repeat": pl.Int64, "fold": pl.String, "train_items": pl.Int64,
            "test_items": pl.Int64, "value": pl.Float64, "train": pl.Float64, "undefined": pl.String,
            "left_out": pl.String,
        }  # fmt: skip
        return pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col(pl.Float64).fill_nan(None))

    def to_frame(self) -> pl.DataFrame:
        """One row a system and measure: the mean of folds with its interval, spread, pooled, train, optimism."""
        rows = []
        for system in self.systems:
            for measure in self.measures:
                of = measure, system.name
                values, interval = _known(self.values(*of)), self.interval(*of)
                row = {"system": system.name, "measure": str(measure), "mean_of_folds": _mean(values)}
                row |= {"low": interval.low, "high": interval.high, "spread": self.spread(*of)}
                row |= {"smallest": values.min(initial=math.inf) if len(values) else math.nan}
                row |= {"largest": values.max(initial=-math.inf) if len(values) else math.nan}
                row |= {"folds": len(self.folds), "undefined_folds": len(self.folds) - len(values)}
                row |= {"pooled": self.pooled(*of), "train": _mean(self.train_values(*of))}
                rows.append(row | {"optimism": self.optimism(*of)})
        return pl.DataFrame(rows, infer_schema_length=None).with_columns(pl.col(pl.Float64).fill_nan(None))


def _known(values: Floats) -> Floats:
    return np.asarray(values[~np.isnan(values)])


def _mean(values: Floats) -> float:
    known = _known(values)
    return float(known.mean()) if len(known) else math.nan


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
        """What is measured."""
        return self.outer.measures

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is odd about items, folds or fits."""
        return self.outer.warnings

    def mean(self, measure: str | Measure | None = None) -> float:
        """The honest mean of folds."""
        return self.outer.mean(measure)

    def pooled(self, measure: str | Measure | None = None) -> float:
        """One honest number for all out-of-fold predictions together."""
        return self.outer.pooled(measure)

    def optimism(self, measure: str | Measure | None = None) -> float:
        """How much too good the choice looks when it is judged by the folds that it was made with.

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
        return pl.DataFrame(rows).with_columns(pl.col(pl.Float64).fill_nan(None))


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
        return pl.DataFrame(rows, infer_schema_length=None).with_columns(pl.col(pl.Float64).fill_nan(None))


def compare_folds(
    result: CrossValidation,
    first: str | None = None,
    second: str | None = None,
    measure: str | Measure | None = None,
    *,
    test: str = "corrected-t",
    alpha: float = 0.05,
    margin: float | None = None,
    power: float = 0.8,
    correction: str = "holm",
) -> FoldComparison:
    """Compare systems of a cross-validation: `second` less `first`, over the folds that both were tested on.

    Without `second`, all others are held against `first`; without both, the second of two systems against the first,
    or all pairs of more. `measure`: one of the result's, or all. `test`: "corrected-t" (Nadeau and Bengio), or for five
    repeats of two folds (`cv="5x2"`) "5x2cv" (Alpaydin's combined F). Plain paired tests of
    folds are refused. p-values are corrected over the pairs under one measure.

    >>> from assay import Predictions, crossval
    >>> truth, folds = [0, 1] * 20, [fold for fold in range(5) for _ in range(8)]
    >>> systems = {"old": Predictions.of(truth, [0, 1, 1, 0] * 10), "new": Predictions.of(truth, [0, 1] * 18 + [1] * 4)}
    >>> found = compare_folds(crossval(systems, fold=folds, measures="Accuracy"))
    >>> found.finding().interval  # 0.45 ± 2.776 · 0.112 · sqrt(1/5 + 8/32)
    Interval(low=0.242, high=0.658, level=0.95, method='corrected t')
    """
    test, levels = checked_fold_test(test), Levels(alpha, margin, power, correction)
    check_levels(alpha=alpha, power=power, margin=margin)
    Choice(CORRECTIONS).check("correction", correction)
    if result.tiny:
        raise ParameterError(
            "folds of an item or two have no numbers of their own to test: compare the out-of-fold predictions"
        )
    names = [system.name for system in result.systems]
    pairs = _pairs(names, first, second)
    measures = result.measures if measure is None else (result.measure(measure),)
    _refuse_other_folds(result, test)
    findings: list[Finding] = []
    notes: list[str] = []
    for wanted in measures:
        samples = [_sample(result, wanted, pair, test, alpha) for pair in pairs.pairs]
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
    return FoldComparison(tuple(findings), test, levels, pairs, result.says, tuple(dict.fromkeys(notes)))


def _pairs(names: list[str], first: str | None, second: str | None) -> Pairs:
    if second is None:
        return pairs_of(names, first)
    if first is None:
        raise ParameterError("say which system the second one is to be held against")
    pair = names.index(named(first, names, "system")), names.index(named(second, names, "system"))
    if pair[0] == pair[1]:
        raise ParameterError(f"a comparison takes two systems, not {first!r} twice")
    return Pairs((pair,), all_pairs=False)


def _refuse_other_folds(result: CrossValidation, test: str) -> None:
    """Refuse folds that a test is not made for."""
    if test == "corrected-t":
        return
    repeats = Counter(fold.repeat for fold in result.folds)
    if sorted(repeats.values()) != [2] * 5:
        folds = f"{number_of('fold', len(result.folds))} in {number_of('repeat', len(repeats))}"
        raise ParameterError(f"{test} takes 5 repeats of 2 folds, not {folds}; corrected-t takes any folds")


def _sample(result: CrossValidation, measure: Measure, pair: Pair, test: str, alpha: float) -> FoldSample:
    """Two systems on the folds where both have a number."""
    systems = result.systems[pair[0]].name, result.systems[pair[1]].name
    values = np.column_stack([result.values(measure, name) for name in systems])
    known = np.flatnonzero(~np.isnan(values).any(axis=1))
    folds = [result.folds[place] for place in known]
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
        bounds=measure.definition.bounds,
        direction=measure.definition.direction,
        left_out=len(values) - len(folds),
    )
