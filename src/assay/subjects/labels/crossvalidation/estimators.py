"""Estimators over folds: scikit-learn fits them, and their predictions of the items on both sides are kept."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from assay.core.errors import InputError, ParameterError, listed, need, number_of
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.label_pairs import weights_of
from assay.measures.registry import Measure
from assay.subjects.labels.crossvalidation.measuring import measured
from assay.subjects.labels.crossvalidation.result import CrossValidation
from assay.subjects.labels.crossvalidation.splits import FoldItems, Split, Splits, leaks, rows_of
from assay.subjects.labels.measurement import Measures
from assay.tables import Predictions
from assay.tables.label_columns import ids_of, labels_of, refuse_nulls, times_of
from assay.tables.label_rules import both_labels, distinct, positive_label, row_numbers

#: Predictions of one fold's model for the tested items and, if that was asked for, for those learned from.
FoldOutcome: TypeAlias = tuple[Predictions, ...]


class FittedFolds(NamedTuple):
    """The model of each fold, its predictions, and what was warned of."""

    models: list[Any]
    outcomes: list[FoldOutcome]
    warnings: list[str]


def estimators_in(estimator: Any) -> dict[str, Any]:
    """Estimators by name; a dict gives the names, else the class does. What is no classifier is refused.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> list(estimators_in(DecisionTreeClassifier()))
    ['DecisionTreeClassifier']
    """
    need("sklearn", extra="sklearn", purpose="cross-validating an estimator")
    from sklearn.base import is_classifier  # noqa: PLC0415

    estimators = dict(estimator) if isinstance(estimator, Mapping) else {_called(estimator): estimator}
    if not estimators:
        raise ParameterError("expected an estimator, got none")
    for name, model in estimators.items():
        if isinstance(model, type) or not hasattr(model, "__sklearn_tags__") or not is_classifier(model):
            got = f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__
            raise ParameterError(f"{name} is not a classifier of scikit-learn: expected one that was made, got {got}")
    return {str(name): model for name, model in estimators.items()}


def only_estimator(estimator: Any, what: str) -> tuple[str, Any]:
    """The estimator and its name, where only one can be taken."""
    estimators = estimators_in(estimator)
    if len(estimators) != 1:
        raise ParameterError(f"{what} takes one estimator at a time, not {len(estimators)}")
    return next(iter(estimators.items()))


def _called(estimator: Any) -> str:
    """The name of the class; of a pipeline, that of its last step."""
    steps = getattr(estimator, "steps", None)
    return _called(steps[-1][1]) if steps else getattr(estimator, "__name__", type(estimator).__name__)


def seeded(estimator: Any, seed: int) -> tuple[Any, bool]:
    """A fresh copy, every random part that has no seed of its own with this one; and whether there was such a part.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> seeded(DecisionTreeClassifier(), 7)
    (DecisionTreeClassifier(random_state=7), True)
    """
    from sklearn.base import clone  # noqa: PLC0415

    fresh = clone(estimator)
    parameters = fresh.get_params(deep=True)
    unset = [name for name, value in parameters.items() if name.split("__")[-1] == "random_state" and value is None]
    return fresh.set_params(**dict.fromkeys(unset, seed)), bool(unset)


def weights_for(estimator: Any, weight: Floats | None) -> dict[str, Floats]:
    """Weights of items as fitting takes them; none where it cannot allow for them."""
    from sklearn.utils.validation import has_fit_parameter  # noqa: PLC0415

    last, step = getattr(estimator, "steps", [("", estimator)])[-1]
    if weight is None or not has_fit_parameter(step, "sample_weight"):
        return {}
    return {f"{last}__sample_weight" if last else "sample_weight": weight}


@dataclass(frozen=True)
class Learner:
    """An estimator with its name; `n_jobs`: how many folds are fitted side by side."""

    name: str
    model: Any
    n_jobs: int | None = None

    def in_folds(
        self, items: FoldItems, splits: Splits, *, model: Any = None, train: bool = False, **aligned: Any
    ) -> FittedFolds:
        """Let a fresh copy learn in each fold (`cross_validate`), and ask it about the tested items, or about all.

        `model`: one made from the estimator, in its place. `aligned`: what fitting takes besides, one value an item.
        """
        from sklearn.model_selection import cross_validate  # noqa: PLC0415

        with recorded(self.name, f"in {number_of('fold', len(splits.each))}") as warned:
            models = cross_validate(
                self.model if model is None else model,
                items.X,
                items.y,
                cv=splits,
                scoring=_unscored,
                params=weights_for(self.model, items.weight) | aligned,
                n_jobs=self.n_jobs,
                return_estimator=True,
                error_score="raise",
            )["estimator"]
        outcomes = []
        for fitted, split in zip(models, splits.each, strict=True):
            with recorded(f"{self.name}: fold {split.fold} of repeat {split.repeat}"):
                sides = (split.test, split.train) if train else (split.test,)
                outcomes.append(tuple(_placed(predicted(fitted, items.taken(rows)), rows, split) for rows in sides))
        return FittedFolds(models, outcomes, warned)


def _unscored(*fitted: Any) -> float:  # noqa: ARG001
    """Folds are measured later, all measures at once."""
    return 0.0


@contextmanager
def recorded(name: str, where: str = "") -> Iterator[list[str]]:
    """Count warnings, and say in one line what goes wrong: an estimator may raise anything."""
    messages: list[str] = []
    with warnings.catch_warnings(record=True, action="always") as caught:
        try:
            yield messages
        except Exception as problem:
            raise InputError(f"{name}: {type(problem).__name__}: {' '.join(str(problem).split())[:300]}") from problem
    texts = (f"{warning.category.__name__}: {str(warning.message).split('.')[0]}" for warning in caught)
    counts = Counter(" ".join(text.split()) for text in texts)
    messages += [f"{name}: {number_of('warning', count)} {where}: {text}" for text, count in counts.items()]


def predicted(model: Any, items: FoldItems) -> Predictions:
    """What a model predicts: of two labels with a score of the positive one, of more with probabilities, if it has any.

    Decision values of more than two labels are no scores of labels: some are of pairs of them.
    """
    labels, positive = [*items.labels], items.positive
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

    def score(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        some = replace(items, X=X, y=y, ids=row_numbers(len(y)), weight=sample_weight)
        return sign * float(measured(predicted(model, some), [measure], items.task)[str(measure)]["value"])

    return score


def at_thresholds(outcomes: Sequence[FoldOutcome], thresholds: Sequence[float]) -> list[FoldOutcome]:
    """The same, positive predicted from each fold's threshold on."""
    return [tuple(side.at(threshold) for side in sides) for sides, threshold in zip(outcomes, thresholds, strict=True)]


def _placed(predictions: Predictions, rows: Ints, split: Split) -> Predictions:
    """Predictions with the rows that they are of, and the repeat and the fold."""
    place = {"repeat": pl.lit(split.repeat, pl.Int64), "fold": pl.lit(split.fold, pl.Int64)}
    return replace(predictions, columns=predictions.columns.with_columns(row=pl.Series(rows), **place))


def joined(outcomes: Sequence[FoldOutcome], name: str) -> tuple[Predictions, Predictions | None]:
    """The out-of-fold predictions by repeat and in the order of the rows, and those of the rows learned from."""
    sides = [
        replace(parts[0], columns=pl.concat([part.columns for part in parts]).sort("repeat", "row", "fold").drop("row"))
        for parts in zip(*outcomes, strict=True)
    ]
    tested, *learned = (replace(side, name=name) for side in sides)
    return tested, learned[0] if learned else None


def items_of(
    X: Any,  # noqa: N803
    y: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    item_id: Any = None,
    groups: Any = None,
    time: Any = None,
) -> FoldItems:
    """Features and labels, checked against one another.

    >>> items_of([[0.0], [1.0]], ["ham", "spam"], pos_label="spam").labels
    ('ham', 'spam')
    """
    truth = labels_of(y, "y")
    if isinstance(truth.dtype, pl.List):
        raise InputError(
            "y: expected one label per item; predictions of several per item can be given with a fold column"
        )
    refuse_nulls(truth, "y", "give items that have a label")
    try:
        rows = int(X.shape[0] if hasattr(X, "shape") else len(X))
        rows_of(X, np.arange(min(rows, 1)))
    except (TypeError, LookupError, ValueError):
        raise InputError(
            f"X: expected an array, a list, a sparse matrix, or a frame of pandas or Polars, got {type(X).__name__}"
        ) from None
    if rows != len(truth):
        raise InputError(f"expected as many labels as X has rows, {rows:,}, got {len(truth):,} in y")
    labels = tuple(distinct(truth))
    if len(labels) < 2:
        raise InputError(f"y: expected two labels or more, got {listed([*map(str, labels)]) or 'none'}")
    if pos_label is not None and len(labels) > 2:
        raise ParameterError(f"only one of two labels can be positive, and there are {len(labels)}")
    positive = positive_label(both_labels([*labels], pos_label), pos_label) if len(labels) == 2 else None
    weight = None if sample_weight is None else weights_of(sample_weight, rows)
    ids = row_numbers(rows) if item_id is None else ids_of(item_id, "item_id")
    if groups is not None:
        refuse_nulls(ids_of(groups, "groups"), "groups", "give every item a group")
        groups = np.asarray(groups)
    times = None if time is None else times_of(time, "time")
    for name, column in (("item_id", ids), ("groups", groups), ("time", times)):
        if column is not None and len(column) != rows:
            raise InputError(f"expected as many values as y has, {rows:,}, got {len(column):,} in {name}")
    return FoldItems(X, np.asarray(truth.to_list()), labels, positive, ids, weight, groups, times)


def leaks_of(items: FoldItems, splits: Splits, *, has_ids: bool) -> list[str]:
    """What may be known of tested items beforehand, as far as it can be seen; and what cannot be learned."""
    ids = items.ids if has_ids else None
    return leaks(
        splits.each, items.y.tolist(), items.labels, X=items.X, ids=ids, groups=items.groups, times=items.times
    )


def validated(
    systems: Mapping[str, Sequence[FoldOutcome]],
    items: FoldItems,
    splits: Splits,
    measures: Measures,
    *,
    seed: int,
    warned: Sequence[str] = (),
) -> CrossValidation:
    """Measure the predictions of all folds' models."""
    tables = [joined(outcomes, name) for name, outcomes in systems.items()]
    result = CrossValidation.of(tables, [split.record for split in splits.each], items.task, measures, splits.says)
    warnings = tuple(dict.fromkeys([*splits.warnings, *warned]))
    return replace(result, seed=seed, warnings=warnings, overlap=splits.overlap)
