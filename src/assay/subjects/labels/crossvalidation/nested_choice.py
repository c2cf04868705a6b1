"""`nested`: choose a hyper-parameter or a threshold inside each fold, so that the choice is tested on other items."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, TypedDict, Unpack

import numpy as np
import polars as pl

from assay.core.errors import AssayError, InputError, ParameterError, did_you_mean
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.registry import Measure
from assay.stats.confidence import checked_confidence
from assay.subjects.labels.crossvalidation.estimators import (
    Parts,
    Progress,
    items_of,
    leaks,
    of_estimators,
    part_of,
    splits_of,
    watched,
)
from assay.subjects.labels.crossvalidation.fitting import (
    Fitted,
    FoldItems,
    FoldOutcome,
    FoldPrediction,
    fitted,
    only_estimator,
    predict,
    seeded,
    tabled,
    taken,
)
from assay.subjects.labels.crossvalidation.leakage import codes_of, leaks_between_rows
from assay.subjects.labels.crossvalidation.measuring import (
    LabelTask,
    Measures,
    MeasureSettings,
    Number,
    measured,
    measures_of,
)
from assay.subjects.labels.crossvalidation.result import CrossValidation, Nested
from assay.subjects.labels.crossvalidation.splits import SplitDesign, Splits
from assay.subjects.labels.thresholds.choice import choose_threshold
from assay.subjects.labels.thresholds.rules import Rule, parse_rule
from assay.tables import Predictions

#: What is chosen in each fold: one of the parameters of a grid, as scikit-learn writes it, or a threshold by a rule.
Choice: TypeAlias = Mapping[str, Any] | Sequence[Mapping[str, Any]] | str | Rule


def nested(
    estimator: Any,
    choice: Choice,
    X: Any,  # noqa: N803  # what scikit-learn calls the features
    y: Any,
    *,
    inner: Any = None,
    outer: Any = 5,
    measures: Measures = None,
    select_by: str | Measure | None = None,
    groups: Any = None,
    time: Any = None,
    sample_weight: Any = None,
    item_id: Any = None,
    stratify: bool = True,
    pos_label: Any = None,
    confidence: float = 0.95,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | bool | None = None,
) -> Nested:
    """Cross-validate a classifier together with the choice of its hyper-parameters or of its threshold.

    `choice` is a grid of parameters, such as `{"max_depth": [2, 4, 8]}`, of which the best by `select_by` (a measure;
    the first of `measures` unless said) is taken; or a rule for thresholds, such as "youden" or "max_f(beta=2)". In
    each fold of `outer` the choice is made by the folds of `inner` among the items learned from, and tested on the
    rest. Beside it stands the number that one gets when choosing and testing by the same folds: it is too good.

    `inner` and `outer` are what `crossval` takes as `cv`; without `inner` it is 5 folds, or "time" if that is `outer`.
    The other parameters are also as there; leaks are looked for in inner folds, too. `progress` counts every fold
    three times: nested, for the choice that is not, and for its number.

    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> wine = load_wine(return_X_y=True)
    >>> found = nested(DecisionTreeClassifier(), {"max_depth": [1, 3]}, *wine, inner=3, outer=3, measures="Accuracy")
    >>> found.chosen["max_depth"].to_list()
    ['3', '3', '3']
    """
    checked_confidence(confidence)
    name, model = only_estimator(estimator, "nested")
    items = items_of(X, y, pos_label=pos_label, sample_weight=sample_weight, item_id=item_id)
    parts = Parts.of(groups, time, len(items))
    model = seeded(model, seed)[0]
    splits = splits_of(items, parts, SplitDesign(outer, stratify=stratify, seed=seed))
    settings = MeasureSettings(measures, confidence=confidence)
    in_time = isinstance(outer, str) and outer == "time"
    if inner is None:
        inner = "time" if in_time else 5
    elif isinstance(inner, Iterator):  # pairs that could be gone through only once
        inner = [*inner]
    within = _Inner(parts, SplitDesign(inner, stratify=stratify, seed=seed))
    way: _ByGrid | _ByRule
    if isinstance(choice, str | Rule):
        if items.positive is None:
            raise ParameterError(f"a threshold is for two labels, and there are {len(items.labels)}")
        way = _ByRule(parse_rule(choice), within)
    else:
        way = _ByGrid(_grid(choice, model, name), *_criterion(items, measures, select_by), within)
    outcomes: list[FoldOutcome] = []
    running = Running(seed=seed, n_jobs=n_jobs, train_scores=not splits.tiny)
    warnings = leaks(items, splits, parts, has_ids=item_id is not None)
    # Who splits the outer folds in the order of rows says that it is that of time.
    times = np.arange(len(items), dtype=np.float64) if in_time and time is None else parts.times
    warnings += within.said(items, splits, codes_of(items.ids) if item_id is not None else None, times)
    folds = len(splits.each)
    with watched(progress) as tell:
        first, rest = (part_of(tell, before, 3 * folds) for before in (0, folds))
        honest = of_estimators(
            {name: model}, items, splits, settings, progress=first, fit=way, kept=outcomes, warnings=warnings, **running
        )
        naive = way.naive({name: model}, items, splits, settings, progress=rest, **running)
    return Nested(honest, naive, *_chosen(outcomes), str(way), isinstance(way, _ByRule))


class Running(TypedDict):
    """How estimators are run over folds."""

    seed: int
    n_jobs: int | None
    train_scores: bool


class _Inner(NamedTuple):
    """How items that are learned from are split once more."""

    parts: Parts
    asked: SplitDesign

    def splits(self, items: FoldItems, rows: Ints) -> Splits:
        """Splits of some rows, in their own numbers from 0."""
        return splits_of(items, self.parts, self.asked, rows)

    def said(self, items: FoldItems, outer: Splits, ids: Ints | None, times: Floats | None) -> list[str]:
        """What is odd about inner folds, in the first of the outer ones where anything is.

        Rows with the same features are not looked for: the outer folds show them.
        """
        # Drawing from a copy of the splitter leaves the folds as they are that will be learned from.
        fresh = self._replace(asked=copy.deepcopy(self.asked))
        for split in outer.each:
            try:
                splits_within = fresh.splits(items, split.train)
            except AssayError as problem:
                raise type(problem)(f"inner folds of fold {split.fold}: {problem}") from problem
            leaked = leaks_between_rows(
                splits_within.each,
                len(split.train),
                ids=None if ids is None else ids[split.train],
                groups=self.parts.taken(split.train).groups,
                times=None if times is None else times[split.train],
                advises=False,
            )
            if problems := [*splits_within.warnings, *leaked]:
                return [f"inner folds of fold {split.fold}: {text}" for text in problems]
        return []


@dataclass(frozen=True)
class _ByGrid:
    """The best of a grid of parameters: by the mean of inner folds, or where these are tiny by the pooled number."""

    grid: Any
    measure: Measure
    task: LabelTask
    inner: _Inner

    def __str__(self) -> str:
        return f"parameters, by {self.measure} over inner folds"

    def best(
        self, estimator: Any, items: FoldItems, rows: Ints, splits: Splits, progress: Progress | None = None
    ) -> tuple[Mapping[str, Any], float, list[Mapping[str, Any]]]:
        """The first of the settings with the best number, that number, and the settings that have none.

        Fits and measures allow for weights.
        `progress` is told of as many steps as there are folds: the settings are all looked at in each of them.
        """
        from sklearn.model_selection import ParameterGrid  # noqa: PLC0415

        settings, outcomes, folds = [*ParameterGrid(self.grid)], [], len(splits.each)
        for done, setting in enumerate(settings, 1):
            outcomes.append(self.values(_with(estimator, setting), items, rows, splits))
            if progress is not None:
                progress(folds * done // len(settings), folds)
        means = np.array([[fold.value for fold in folds_of_setting] for folds_of_setting in outcomes]).mean(axis=1)
        if np.isnan(means).all():
            why = next(fold.reason for fold in outcomes[0] if math.isnan(fold.value))
            raise InputError(
                f"{self.measure} is undefined for every parameter in some inner fold{f' ({why})' if why else ''}: "
                "choose by another measure (select_by='Accuracy'), or take fewer inner folds"
            )
        sign = -1 if self.measure.definition.higher_is_better is False else 1
        place = int(np.nanargmax(sign * means))
        undefined = [setting for setting, mean in zip(settings, means, strict=True) if math.isnan(mean)]
        return settings[place], float(means[place]), undefined

    def values(self, estimator: Any, items: FoldItems, rows: Ints, splits: Splits) -> list[Number]:
        """The measure on each inner fold, or on all together where folds are tiny, with the reason if there is none."""
        predictions, tested = _out_of_fold(estimator, items, rows, splits)
        parts = (
            [(predictions, tested)]
            if splits.tiny
            else [([prediction], [rows_tested]) for prediction, rows_tested in zip(predictions, tested, strict=True)]
        )
        tables = (tabled(*part, items, "inner folds") for part in parts)
        return [measured(table, [self.measure], self.task)[self.measure] for table in tables]

    def __call__(self, estimator: Any, items: FoldItems, rows: Ints) -> Fitted:
        best, value, undefined = self.best(estimator, items, rows, self.inner.splits(items, rows))
        choice = {"parameters": best, f"inner {self.measure}": value}
        warned = tuple(
            f"{', '.join(f'{name}={value}' for name, value in setting.items())} could not be chosen: {self.measure} is "
            "undefined in some inner fold"
            for setting in undefined
        )
        return fitted(_with(estimator, best), items, rows)._replace(chosen=choice, warnings=warned)

    def naive(
        self, estimators: dict[str, Any], items: FoldItems, splits: Splits, settings: MeasureSettings,
        *, progress: Progress | None, **running: Unpack[Running],
    ) -> CrossValidation:  # fmt: skip
        """The best parameters by the very folds that they are then judged by."""
        [(name, estimator)] = estimators.items()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the same fits have warned in the honest folds
            best, *_ = self.best(estimator, items, np.arange(len(items)), splits, progress)
        rest = part_of(progress, len(splits.each), 2 * len(splits.each))
        return of_estimators({name: _with(estimator, best)}, items, splits, settings, progress=rest, **running)


def _with(estimator: Any, setting: Mapping[str, Any]) -> Any:
    from sklearn.base import clone  # noqa: PLC0415

    return clone(estimator).set_params(**{name: clone(value, safe=False) for name, value in setting.items()})


def _out_of_fold(
    estimator: Any, items: FoldItems, rows: Ints, splits: Splits
) -> tuple[list[FoldPrediction], list[Ints]]:
    """What models say of the tested items of each inner fold, and which items these are."""
    tested = [rows[split.test] for split in splits.each]
    models = (fitted(estimator, items, rows[split.train]).model for split in splits.each)
    predictions = [
        predict(model, taken(items.X, rows_tested), items.labels, items.positive)
        for model, rows_tested in zip(models, tested, strict=True)
    ]
    return predictions, tested


@dataclass(frozen=True)
class _ByRule:
    """A threshold by a rule, from the out-of-fold scores of inner folds."""

    rule: Rule
    inner: _Inner

    def __str__(self) -> str:
        return f"the threshold, by {self.rule} on scores of inner folds"

    def __call__(self, estimator: Any, items: FoldItems, rows: Ints) -> Fitted:
        predictions, tested = _out_of_fold(estimator, items, rows, self.inner.splits(items, rows))
        chosen = self.threshold(tabled(predictions, tested, items, "inner folds"))
        choice = {"threshold": chosen.threshold, f"inner {self.rule.criterion}": chosen.value}
        return fitted(estimator, items, rows)._replace(threshold=chosen.threshold, chosen=choice)

    def threshold(self, table: Predictions) -> Any:
        """What the rule chooses; an error if it cannot."""
        if table.score is None:
            raise InputError("there is no score an item to choose a threshold from")
        chosen = choose_threshold(table, rule=self.rule, resamples=0)
        if not chosen.is_chosen:
            raise InputError(f"no threshold for {self.rule}: {chosen.undefined}")
        return chosen

    def naive(
        self, estimators: dict[str, Any], items: FoldItems, splits: Splits, settings: MeasureSettings,
        *, progress: Progress | None, **running: Unpack[Running],
    ) -> CrossValidation:  # fmt: skip
        """The threshold from the very scores that it is then judged by."""
        plain = of_estimators(estimators, items, splits, settings, progress=progress, **running)
        threshold = self.threshold(plain.predictions()).threshold
        # Above all scores there is no number to compare with: nothing is predicted positive.
        at = threshold if math.isfinite(threshold) else np.nextafter(float(plain.predictions().score.max()), math.inf)  # type: ignore[union-attr, arg-type]
        at_it = settings._replace(threshold=float(at))
        rest = part_of(progress, len(splits.each), 2 * len(splits.each))
        return of_estimators(estimators, items, splits, at_it, progress=rest, **running)


def _grid(choice: Any, estimator: Any, name: str) -> Any:
    """The grid, its parameters checked."""
    several = [choice] if isinstance(choice, Mapping) else choice
    if (
        not isinstance(several, Sequence)
        or not several
        or not all(isinstance(grid, Mapping) and grid for grid in several)
    ):
        raise ParameterError("choice is a grid of parameters, such as {'max_depth': [2, 4]}, or a rule for thresholds")
    known = estimator.get_params(deep=True)
    for grid in several:
        for parameter, values in grid.items():
            if parameter not in known:
                raise ParameterError(f"{name} has no parameter {parameter!r}{did_you_mean(parameter, known)}")
            if isinstance(values, str) or not hasattr(values, "__len__") or not len(values):
                raise ParameterError(f"{parameter}: expected a list of values to choose from, got {values!r}")
    return choice


def _criterion(items: FoldItems, measures: Measures, select_by: str | Measure | None) -> tuple[Measure, LabelTask]:
    """What is chosen by, and the task that it is computed for."""
    # Which measures there are by default depends on scores, of which nothing is known yet: accuracy needs none.
    wanted = select_by if select_by is not None else measures if measures is not None else "Accuracy"
    first = measures_of(wanted, items.task, Predictions.of([0, 1], [0, 1]))[0]
    if first.definition.higher_is_better is None:
        raise ParameterError(f"{first} is neither better high nor low: nothing can be chosen by it")
    return first, items.task


def _chosen(outcomes: Sequence[FoldOutcome]) -> tuple[pl.DataFrame, tuple[Mapping[str, Any], ...]]:
    """What each fold chose, as a table with parameters as text, and the parameters as they are."""
    parameters = tuple(outcome.chosen.get("parameters", {}) for outcome in outcomes)
    rows: list[dict[str, Any]] = [
        {"repeat": outcome.split.repeat, "fold": str(outcome.split.fold)}
        | {name: str(value) for name, value in setting.items()}
        | {name: value for name, value in outcome.chosen.items() if name != "parameters"}
        for outcome, setting in zip(outcomes, parameters, strict=True)
    ]
    return pl.DataFrame(rows, infer_schema_length=None), parameters
