"""Fit a fresh copy of an estimator for each split, and take down what it says of the items on both sides."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.errors import InputError, ParameterError, listed, need, not_among, number_of
from assay.measures.counting.judgments import Floats, Ints
from assay.subjects.labels.crossvalidation.measuring import LabelTask
from assay.subjects.labels.crossvalidation.splits import Split
from assay.tables import Predictions


@dataclass(frozen=True, eq=False)
class FoldItems:
    """What estimators learn from: features, the labels as scikit-learn takes them and as a column, ids and weights."""

    X: Any
    y: Any
    truth: pl.Series
    labels: tuple[Any, ...]
    #: The positive one, where there are two labels.
    positive: Any
    ids: pl.Series
    weight: Floats | None

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def task(self) -> LabelTask:
        """What is to be learned."""
        return LabelTask("binary" if len(self.labels) == 2 else "multiclass", self.labels, self.positive)


class FoldPrediction(NamedTuple):
    """What a model says of some items: labels, and a score of the positive label or one of each label."""

    prediction: Any
    score: Any = None


class FoldOutcome(NamedTuple):
    """One fold of one system: what was said of the tested items, and of those learned from, if that was asked for."""

    split: Split
    test: FoldPrediction
    train: FoldPrediction | None
    #: What the estimator warned of.
    warnings: tuple[str, ...] = ()
    #: What was chosen inside the fold, such as a hyper-parameter.
    chosen: Mapping[str, Any] = {}


#: Fits to the rows given and says what it makes of all items that are asked about.
Fit = Callable[[Any, FoldItems, Ints], "Fitted"]


class Fitted(NamedTuple):
    """A model that has learned, from which score on it predicts positive (None: as it says), and what was chosen."""

    model: Any
    threshold: float | None = None
    chosen: Mapping[str, Any] = {}
    #: What is odd about the choice.
    warnings: tuple[str, ...] = ()


def estimators_in(estimator: Any) -> dict[str, Any]:
    """Estimators by name; a dict gives the names, else the class does. What is no classifier is refused.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> list(estimators_in(DecisionTreeClassifier()))
    ['DecisionTreeClassifier']
    """
    need("sklearn", extra="sklearn", purpose="cross-validating an estimator")
    from sklearn.base import is_clusterer, is_regressor  # noqa: PLC0415

    estimators = dict(estimator) if isinstance(estimator, Mapping) else {_called(estimator): estimator}
    if not estimators:
        raise ParameterError("expected an estimator, got none")
    for name, model in estimators.items():
        if isinstance(model, type):
            raise ParameterError(f"{name}: expected an estimator, not its class: write {model.__name__}()")
        if not (hasattr(model, "fit") and hasattr(model, "predict")):
            raise ParameterError(f"{name}: expected an estimator with fit and predict, got {type(model).__name__}")
        try:
            numbers, clusters = is_regressor(model), is_clusterer(model)
        except AttributeError as problem:  # it has no tags, which every estimator of scikit-learn has
            kind = type(model).__name__
            raise ParameterError(
                f"{name}: expected an estimator of scikit-learn: derive {kind} from BaseEstimator"
            ) from problem
        if numbers:
            raise ParameterError(f"{name} predicts numbers: crossval measures classifiers, which predict labels")
        if clusters:
            raise ParameterError(f"{name} makes clusters: `cluster` measures those")
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
    kind = estimator if isinstance(estimator, type) else type(estimator)
    return _called(steps[-1][1]) if steps else kind.__name__


def seeded(estimator: Any, seed: int) -> tuple[Any, bool]:
    """A fresh copy, every random part that has no seed of its own with this one; and whether there was such a part.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> seeded(DecisionTreeClassifier(), 7)
    (DecisionTreeClassifier(random_state=7), True)
    """
    from sklearn.base import clone  # noqa: PLC0415

    try:
        fresh = clone(estimator)
    except TypeError as problem:
        raise ParameterError(f"expected an estimator of scikit-learn: {' '.join(str(problem).split())}") from problem
    held = fresh.get_params(deep=True)
    unset = {name: seed for name, value in held.items() if name.split("__")[-1] == "random_state" and value is None}
    return (fresh.set_params(**unset) if unset else fresh), bool(unset)


def rows_in(X: Any) -> int:  # noqa: N803  # what scikit-learn calls the features
    """How many rows features have; an error where they have none that could be taken.

    >>> rows_in([[1.0, 2.0], [3.0, 4.0]])
    2
    """
    try:
        rows = int(X.shape[0] if hasattr(X, "shape") else len(X))
        taken(X, np.arange(min(rows, 1)))
    except (TypeError, LookupError, ValueError):
        raise InputError(
            f"X: expected an array, a list, a sparse matrix, or a frame of pandas or Polars, got {type(X).__name__}"
        ) from None
    return rows


def taken(X: Any, rows: Ints) -> Any:  # noqa: N803  # what scikit-learn calls the features
    """Some rows of features, of whatever kind.

    >>> taken(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    """
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if isinstance(X, list | tuple):
        return [X[row] for row in rows]
    return (X.tocsr() if hasattr(X, "tocsr") else X)[rows]


def fitted(estimator: Any, items: FoldItems, rows: Ints) -> Fitted:
    """A copy that has learned from some rows; with their weights, where it takes any."""
    from sklearn.base import clone  # noqa: PLC0415

    model = clone(estimator)
    weights = {} if items.weight is None else _weights(model, items.weight[rows])
    model.fit(taken(items.X, rows), items.y[rows], **weights)
    return Fitted(model)


def takes_weights(estimator: Any) -> bool:
    """Whether fitting can allow for weights of items."""
    return bool(_weights(estimator, np.ones(1)))


def _weights(estimator: Any, weight: Floats) -> dict[str, Floats]:
    from sklearn.utils.validation import has_fit_parameter  # noqa: PLC0415

    if steps := getattr(estimator, "steps", None):
        last, step = steps[-1]
        return {f"{last}__sample_weight": weight} if has_fit_parameter(step, "sample_weight") else {}
    return {"sample_weight": weight} if has_fit_parameter(estimator, "sample_weight") else {}


def predict(model: Any, X: Any, labels: Sequence[Any], positive: Any) -> FoldPrediction:  # noqa: N803
    """What a model predicts, with its probabilities or else its decision values; of two labels the positive one's."""
    prediction = _predicted(model, X, labels)
    way = next((name for name in ("predict_proba", "decision_function") if hasattr(model, name)), None)
    if way is None:
        return FoldPrediction(prediction)
    values = np.asarray(getattr(model, way)(X), dtype=np.float64)
    if not np.isfinite(values).all():
        raise InputError(f"{way}: expected finite numbers, got {values[~np.isfinite(values)][0]}")
    known = [_plain(label) for label in model.classes_]
    if way == "predict_proba":
        if values.shape != (len(prediction), len(known)):
            raise InputError(f"predict_proba: expected a column for each of {len(known)} labels, got {values.shape}")
    elif len(known) < len(labels):
        absent = [str(label) for label in labels if label not in known]
        raise InputError(f"nothing to learn of {', '.join(absent)}: there is no such item in the training set")
    elif len(known) == 2 and values.size == len(prediction):  # the decision for the second of two labels
        towards = values.ravel()
        return FoldPrediction(prediction, towards if positive == known[-1] else -towards)
    elif values.shape != (len(prediction), len(known)) or _of_pairs(model):
        return FoldPrediction(prediction)
    every = np.zeros((len(values), len(labels)))  # a label that was not there to learn from has probability 0
    for place, label in enumerate(labels):
        if label in known:
            every[:, place] = values[:, known.index(label)]
    return FoldPrediction(prediction, every if positive is None else every[:, [*labels].index(positive)])


def _predicted(model: Any, X: Any, labels: Sequence[Any]) -> Any:  # noqa: N803
    """The labels that a model predicts, one a row."""
    rows, predicted = rows_in(X), np.asarray(model.predict(X))
    if predicted.shape == (rows, 1):
        predicted = predicted.ravel()
    if predicted.shape != (rows,):
        got = f"{len(predicted):,}" if predicted.ndim == 1 else f"an array of shape {predicted.shape}"
        raise InputError(f"predict: expected a label for each of {number_of('item', rows)}, got {got}")
    known = set(labels)
    if strange := [label for label in dict.fromkeys(predicted.tolist()) if label not in known]:
        raise InputError(f"predict: expected {listed([*map(str, labels)])}, got {strange[0]!r}")
    return predicted


def _of_pairs(model: Any) -> bool:
    """Whether decision values are one for each pair of labels, which of three labels are three as well."""
    steps = getattr(model, "steps", None)
    inside = steps[-1][1] if steps else getattr(model, "best_estimator_", None)
    return getattr(model, "decision_function_shape", None) == "ovo" if inside is None else _of_pairs(inside)


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def tabled(predictions: Sequence[FoldPrediction], rows: Sequence[Ints], items: FoldItems, name: str) -> Predictions:
    """What was said of rows, beside the truth, as one table."""
    every = np.concatenate(rows)
    scored = [prediction.score for prediction in predictions if prediction.score is not None]
    scores: Any = None
    if len(scored) == len(predictions):
        scores = np.concatenate(scored)
        scores = scores if scores.ndim == 1 else dict(zip(items.labels, scores.T, strict=True))
    place = pl.Series(every)
    return Predictions.of(
        items.truth.gather(place),
        np.concatenate([prediction.prediction for prediction in predictions]),
        y_score=scores,
        labels=items.labels,
        pos_label=items.positive,
        sample_weight=None if items.weight is None else items.weight[every],
        item_id=items.ids.gather(place),
        name=name,
    )


def run(
    estimator: Any, items: FoldItems, splits: Sequence[Split], *, train: bool, n_jobs: int | None, fit: Fit, name: str,
) -> Iterator[FoldOutcome]:  # fmt: skip
    """The outcome of every split, in order: the same whether folds are fitted one after another or side by side."""
    from sklearn.utils.parallel import Parallel, delayed  # noqa: PLC0415

    calls = (delayed(_one)(estimator, items, split, train, fit) for split in splits)
    outcomes = Parallel(n_jobs=n_jobs, return_as="generator")(calls)
    for split, outcome in zip(splits, outcomes, strict=True):
        if isinstance(outcome, str):
            raise InputError(f"{name}: fold {split.fold} of repeat {split.repeat}: {outcome}")
        yield outcome


def _one(estimator: Any, items: FoldItems, split: Split, train: bool, fit: Fit) -> FoldOutcome | str:
    """One fold; what goes wrong in the estimator, as one line of text."""
    # Filters of warnings belong to the whole process: they are left alone where threads share it.
    if threading.current_thread() is not threading.main_thread():
        return _fitted_and_said(estimator, items, split, train, fit)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        outcome = _fitted_and_said(estimator, items, split, train, fit)
    if isinstance(outcome, str):
        return outcome
    problems = dict.fromkeys(
        f"{warning.category.__name__}: {str(warning.message).split('.')[0].split(chr(10))[0]}" for warning in caught
    )
    return outcome._replace(warnings=(*outcome.warnings, *problems))


def _fitted_and_said(estimator: Any, items: FoldItems, split: Split, train: bool, fit: Fit) -> FoldOutcome | str:
    try:
        model, threshold, chosen, warned = fit(estimator, items, split.train)
        sides = [
            _at(predict(model, taken(items.X, rows), items.labels, items.positive), threshold, items)
            for rows in ((split.test, split.train) if train else (split.test,))
        ]
    except Exception as problem:  # an estimator may raise anything: the fold is to be named
        return f"{type(problem).__name__}: {' '.join(str(problem).split())[:300]}"
    return FoldOutcome(split, sides[0], sides[1] if train else None, warned, chosen)


def _at(prediction: FoldPrediction, threshold: float | None, items: FoldItems) -> FoldPrediction:
    """The same, positive predicted from a threshold on."""
    if threshold is None:
        return prediction
    other = next(label for label in items.labels if label != items.positive)
    return prediction._replace(prediction=np.where(prediction.score >= threshold, items.positive, other))


def named(name: Any, names: Sequence[str], what: str) -> str:
    """The only one, or the one asked for; otherwise an error says which there are."""
    if name is None and len(names) == 1:
        return names[0]
    if name not in names:
        raise not_among(what, name, names)
    return str(name)
