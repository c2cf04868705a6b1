"""Estimators over folds: scikit-learn fits them, and their predictions of the items on both sides are kept."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from assay.core.domains import Whole
from assay.core.errors import InputError, ParameterError, listed, need, number_of
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.registry import Measure
from assay.subjects.labels.crossvalidation.items import FoldItems
from assay.subjects.labels.crossvalidation.measuring import measured
from assay.subjects.labels.crossvalidation.result import CrossValidation
from assay.subjects.labels.crossvalidation.splits import Split, Splits
from assay.subjects.labels.measurement import Measures
from assay.tables import Predictions
from assay.tables.label_rules import row_numbers


@dataclass(frozen=True)
class FittedFolds:
    """The model of each fold, its predictions of the tested items and, if asked for, of the others; and warnings."""

    models: Sequence[Any]
    outcomes: Sequence[tuple[Predictions, ...]]
    warnings: list[str]

    def at(self, thresholds: Sequence[float]) -> FittedFolds:
        """The same, positive predicted from each fold's threshold on."""
        both = zip(self.outcomes, thresholds, strict=True)
        return replace(self, outcomes=[tuple(side.at(threshold) for side in sides) for sides, threshold in both])

    def tables(self, name: str, folds: int | None = None) -> tuple[Predictions, Predictions | None]:
        """The out-of-fold predictions by repeat and in the order of the rows, and those of the rows learned from.

        `folds`: only of the first ones.
        """
        tested, *learned = (
            replace(parts[0], name=name, columns=pl.concat([part.columns for part in parts]).sort(_ORDER).drop("row"))
            for parts in zip(*self.outcomes[:folds], strict=True)
        )
        return tested, learned[0] if learned else None


_ORDER = ("repeat", "row", "fold")


@dataclass(frozen=True)
class Learner:
    """An estimator with its name; `notes`: what was decided about it. `n_jobs`: folds that are fitted side by side."""

    name: str
    model: Any
    notes: tuple[str, ...] = ()
    n_jobs: int | None = None

    @classmethod
    def each(cls, estimator: Any, seed: int, n_jobs: int | None = None) -> list[Learner]:
        """Fresh copies of estimators; a dict gives their names, else the class does.

        Every random part that has no seed of its own gets this one. What cannot be a classifier is refused.

        >>> from sklearn.tree import DecisionTreeClassifier
        >>> Learner.each(DecisionTreeClassifier(), 7)[0].model
        DecisionTreeClassifier(random_state=7)
        """
        need("sklearn", extra="sklearn", purpose="cross-validating an estimator")
        from sklearn.base import clone  # noqa: PLC0415

        Whole(0).check("seed", seed)
        learners = []
        for name, model in (estimator if isinstance(estimator, Mapping) else {_called(estimator): estimator}).items():
            _refuse_no_classifier(name, model)
            fresh = clone(model)
            parameters = fresh.get_params(deep=True).items()
            unset = [key for key, value in parameters if key.split("__")[-1] == "random_state" and value is None]
            notes = (f"{name} has no random_state of its own: {seed} is used",) if unset else ()
            learners.append(cls(str(name), fresh.set_params(**dict.fromkeys(unset, seed)), notes, n_jobs))
        if not learners:
            raise ParameterError("expected an estimator, got none")
        return learners

    @classmethod
    def only(cls, estimator: Any, seed: int, n_jobs: int | None, what: str) -> Learner:
        """The estimator, where only one can be taken."""
        learner, *others = cls.each(estimator, seed, n_jobs)
        if others:
            raise ParameterError(f"{what} takes one estimator at a time, not {len(others) + 1}")
        return learner

    def weights(self, weight: Floats | None) -> dict[str, Floats]:
        """Weights of items as fitting takes them; none where it cannot allow for them."""
        from sklearn.utils.validation import has_fit_parameter  # noqa: PLC0415

        last, step = getattr(self.model, "steps", [("", self.model)])[-1]
        if weight is None or not has_fit_parameter(step, "sample_weight"):
            return {}
        return {f"{last}__sample_weight" if last else "sample_weight": weight}

    def in_folds(
        self, items: FoldItems, splits: Splits, *, model: Any = None, train: bool = False, groups: Any = None
    ) -> FittedFolds:
        """Let a fresh copy learn in each fold (`cross_validate`), and ask it about the tested items, or about all.

        `model`: one made from the estimator, in its place. `groups`: those of the items, where fitting takes them.
        """
        from sklearn.model_selection import cross_validate  # noqa: PLC0415

        weights = self.weights(items.weight)
        grouped = {} if groups is None else {"groups": groups}
        outcomes = []
        with recorded(self.name, f"in {number_of('fold', len(splits.each))}") as warned:
            with blamed(self.name):
                models = cross_validate(
                    self.model if model is None else model,
                    items.X,
                    items.y,
                    cv=splits,
                    scoring=_unscored,
                    params=weights | grouped,
                    n_jobs=self.n_jobs,
                    return_estimator=True,
                    error_score="raise",
                )["estimator"]
            for fitted, split in zip(models, splits.each, strict=True):
                sides = (split.test, split.train) if train else (split.test,)
                with blamed(f"{self.name}: fold {split.fold} of repeat {split.repeat}"):
                    outcomes.append(tuple(_placed(predicted(fitted, items.taken(rows)), rows, split) for rows in sides))
        if items.weight is not None and not weights:
            warned.append(f"{self.name} takes no weights: they count in its measures, not in its training")
        return FittedFolds(models, outcomes, warned)


def _refuse_no_classifier(name: Any, model: Any) -> None:
    """Refuse what cannot predict labels, or is not made as scikit-learn's estimators are."""
    from sklearn.base import is_clusterer, is_regressor  # noqa: PLC0415

    if isinstance(model, type):
        raise ParameterError(f"{name} is a class, not an estimator: make one: {model.__name__}()")
    if not (hasattr(model, "get_params") and hasattr(model, "__sklearn_tags__")):
        raise ParameterError(f"{name} is not an estimator of scikit-learn: expected a BaseEstimator")
    if not (hasattr(model, "fit") and hasattr(model, "predict")):
        raise ParameterError(f"{name} is not a classifier: expected an estimator with fit and predict")
    try:
        if is_regressor(model):
            kind = "regressor"
        elif is_clusterer(model):
            kind = "clusterer"
        else:
            kind = None
    except (AttributeError, TypeError):
        raise ParameterError(
            f"{name} holds something that is not an estimator of scikit-learn: expected a BaseEstimator"
        ) from None
    if kind is not None:
        raise ParameterError(f"{name} is not a classifier but a {kind}: expected an estimator that predicts labels")


def _called(estimator: Any) -> str:
    """The name of the class; of a pipeline, that of its last step."""
    steps = getattr(estimator, "steps", None)
    return _called(steps[-1][1]) if steps else getattr(estimator, "__name__", type(estimator).__name__)


def _unscored(*fitted: Any) -> float:  # noqa: ARG001
    """Folds are measured later, all measures at once."""
    return 0.0


@contextmanager
def recorded(name: str, where: str = "") -> Iterator[list[str]]:
    """Count the warnings of estimators; they get their arguments as usual, whether metadata routing is on or off."""
    from sklearn import config_context  # noqa: PLC0415

    messages: list[str] = []
    with (
        config_context(enable_metadata_routing=False),
        warnings.catch_warnings(record=True, action="always") as caught,
    ):
        yield messages
    texts = (f"{warning.category.__name__}: {str(warning.message).split('.')[0]}" for warning in caught)
    counts = Counter(" ".join(text.split()) for text in texts)
    messages += [f"{name}: {number_of('warning', count)} {where}: {text}" for text, count in counts.items()]


@contextmanager
def blamed(name: str) -> Iterator[None]:
    """Say in one line what goes wrong: an estimator may raise anything.

    >>> with blamed("Model"):
    ...     raise KeyError("column")
    Traceback (most recent call last):
    assay.core.errors.InputError: Model: KeyError: 'column'
    """
    try:
        yield
    except Exception as problem:
        raise InputError(f"{name}: {type(problem).__name__}: {' '.join(str(problem).split())[:300]}") from problem


def predicted(model: Any, items: FoldItems) -> Predictions:
    """Predictions of a model: of two labels with a score of the positive one, of more with probabilities, if any.

    Decision values of more than two labels are no scores of labels: some are of pairs of them.
    """
    labels = [*items.labels]
    positive = items.positive
    prediction = np.asarray(model.predict(items.X)).reshape(len(items))
    if strange := set(prediction.tolist()) - set(labels):
        raise InputError(f"predict: expected {listed([*map(str, labels)])}, got {strange.pop()!r}")
    score: Any = None
    if hasattr(model, "predict_proba"):
        score = np.zeros((len(items), len(labels)))  # a label that was not there to learn from has probability 0
        score[:, [labels.index(label) for label in model.classes_.tolist()]] = model.predict_proba(items.X)
        score = score if positive is None else score[:, labels.index(positive)]
    elif positive is not None and hasattr(model, "decision_function"):
        score = np.asarray(model.decision_function(items.X), dtype=np.float64).reshape(len(items))
        score = score if model.classes_.tolist()[-1] == positive else -score  # they are of the second label
    if score is not None and not np.isfinite(score).all():
        raise InputError("expected scores that are finite numbers, got nan or infinite ones")
    return Predictions.of(
        items.y, prediction, y_score=score, labels=items.labels, pos_label=positive, sample_weight=items.weight,
        item_id=items.ids,
    )  # fmt: skip


def scorer(measure: Measure, items: FoldItems) -> Callable[..., float]:
    """A measure as scikit-learn takes it: higher is better, NaN where it is undefined."""
    sign = -1 if measure.definition.higher_is_better is False else 1
    task = items.task
    # Without the items: this is sent along with every fit that runs in another process.
    empty = replace(items, X=None, y=None, ids=row_numbers(0), weight=None, groups=None, times=None)

    def score(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        some = replace(empty, X=X, y=y, ids=row_numbers(len(y)), weight=sample_weight)
        return sign * float(measured(predicted(model, some), [measure], task)[str(measure)]["value"])

    return score


def _placed(predictions: Predictions, rows: Ints, split: Split) -> Predictions:
    """Predictions with the rows that they are of, and the repeat and the fold."""
    place = {"repeat": pl.lit(split.repeat, pl.Int64), "fold": pl.lit(split.fold, pl.Int64)}
    return replace(predictions, columns=predictions.columns.with_columns(row=pl.Series(rows), **place))


def validated(
    systems: Mapping[str, FittedFolds], items: FoldItems, splits: Splits, measures: Measures, *, seed: int
) -> CrossValidation:
    """Measure the predictions of all folds' models."""
    tables = [folds.tables(name) for name, folds in systems.items()]
    result = CrossValidation.of(tables, [split.record for split in splits.each], items.task, measures, splits.says)
    warned = [warning for folds in systems.values() for warning in folds.warnings]
    warnings = dict.fromkeys([*splits.warnings, *items.leaks(splits.each), *warned])
    return replace(result, seed=seed, warnings=tuple(warnings), overlap=splits.overlap)
