"""Estimators over folds: fitted afresh for each, and what they say of the items on both sides."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

import numpy as np
import polars as pl

from assay.core.errors import InputError, ParameterError, listed, need, number_of
from assay.measures.counting.judgments import Floats
from assay.measures.counting.label_pairs import weights_of
from assay.subjects.labels.crossvalidation.folded_predictions import times_of
from assay.subjects.labels.crossvalidation.result import CrossValidation
from assay.subjects.labels.crossvalidation.splits import (
    FoldItems,
    Split,
    Splits,
    leaks,
    rows_of,
)
from assay.subjects.labels.measurement import Measures
from assay.tables import Predictions
from assay.tables.label_columns import ids_of, labels_of, refuse_nulls
from assay.tables.label_rules import both_labels, distinct, positive_label, row_numbers

Value = TypeVar("Value")
#: What one fold's model says of the tested items and, if that was asked for, of those learned from.
FoldOutcome: TypeAlias = tuple[Predictions, ...]


def estimators_in(estimator: Any) -> dict[str, Any]:
    """Estimators by name; a dict gives the names, else the class does. What is no classifier is refused.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> list(estimators_in(DecisionTreeClassifier()))
    ['DecisionTreeClassifier']
    """
    need("sklearn", extra="sklearn", purpose="cross-validating an estimator")
    from sklearn.base import clone, is_clusterer, is_regressor  # noqa: PLC0415

    estimators = dict(estimator) if isinstance(estimator, Mapping) else {_called(estimator): estimator}
    if not estimators:
        raise ParameterError("expected an estimator, got none")
    for name, model in estimators.items():
        if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "predict")):
            got = f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__
            raise ParameterError(f"{name}: expected an estimator with fit and predict, got {got}")
        try:
            is_other = is_regressor(clone(model)) or is_clusterer(model)
        except (AttributeError, TypeError) as problem:
            why = " ".join(str(problem).split())
            raise ParameterError(f"{name}: expected an estimator of scikit-learn: {why}") from problem
        if is_other:
            raise ParameterError(f"{name} is no classifier: expected an estimator that predicts labels")
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
    held = fresh.get_params(deep=True)
    unset = {name: seed for name, value in held.items() if name.split("__")[-1] == "random_state" and value is None}
    return fresh.set_params(**unset), bool(unset)


def weights_for(estimator: Any, weight: Floats | None) -> dict[str, Floats]:
    """Weights of items as fitting takes them; none where it cannot allow for them."""
    from sklearn.utils.validation import has_fit_parameter  # noqa: PLC0415

    last, step = getattr(estimator, "steps", [("", estimator)])[-1]
    if weight is None or not has_fit_parameter(step, "sample_weight"):
        return {}
    return {f"{last}__sample_weight" if last else "sample_weight": weight}


def fold_outcome(estimator: Any, items: FoldItems, split: Split, train: bool = False) -> FoldOutcome:
    """Let a fresh copy learn from one side of a split, and say what it makes of the other, or of both."""
    from sklearn.base import clone  # noqa: PLC0415

    learned, model = items.taken(split.train), clone(estimator)
    model.fit(learned.X, learned.y, **weights_for(model, learned.weight))
    tested = predicted(model, items.taken(split.test))
    return (tested, predicted(model, learned)) if train else (tested,)


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


def at_thresholds(outcomes: Sequence[FoldOutcome], thresholds: Sequence[float]) -> list[FoldOutcome]:
    """The same, positive predicted from each fold's threshold on."""
    return [tuple(side.at(threshold) for side in sides) for sides, threshold in zip(outcomes, thresholds, strict=True)]


def joined(parts: Sequence[Predictions], rows: Sequence[Any], splits: Sequence[Split], name: str) -> Predictions:
    """What was said of each fold's rows, by repeat and in the order of the rows."""
    frames = [
        part.columns.with_columns(
            row=pl.Series(places), repeat=pl.lit(split.repeat, pl.Int64), fold=pl.lit(split.fold, pl.Int64)
        )
        for part, places, split in zip(parts, rows, splits, strict=True)
    ]
    columns = pl.concat(frames).sort("repeat", "row", "fold").drop("row")
    return replace(parts[0], columns=columns, name=name)


def in_folds(
    task: Callable[..., Value], each: Sequence[tuple[Any, ...]], splits: Splits, name: str, n_jobs: int | None
) -> tuple[list[Value], list[str]]:
    """Do something for every split, with these arguments, and say what was warned of.

    The same comes out whether it is done one after another or side by side.
    """
    from sklearn.utils.parallel import Parallel, delayed  # noqa: PLC0415

    outcomes = Parallel(n_jobs=n_jobs)(delayed(caught)(task, *arguments) for arguments in each)
    said: dict[str, int] = {}
    for split, (_, messages, problem) in zip(splits.each, outcomes, strict=True):
        if problem is not None:
            raise InputError(f"{name}: fold {split.fold} of repeat {split.repeat}: {problem}")
        for message in messages:
            said[message] = said.get(message, 0) + 1
    where = f"of {number_of('fold', len(splits.each))}"
    warned = [f"{name}: in {number} {where}: {text}" for text, number in said.items()]
    return [value for value, _, _ in outcomes], warned


def caught(task: Callable[..., Any], *arguments: Any) -> tuple[Any, list[str], str | None]:
    """What comes of a task, what it warns of, and what goes wrong in it as one line of text."""
    # Filters of warnings belong to the whole process: they are left alone where threads share it.
    is_alone = threading.current_thread() is threading.main_thread()
    with warnings.catch_warnings(record=True, action="always") if is_alone else nullcontext([]) as said:
        try:
            value = task(*arguments)
        except Exception as problem:  # an estimator may raise anything: the fold is to be named
            return None, [], f"{type(problem).__name__}: {' '.join(str(problem).split())[:300]}"
    problems = (f"{warning.category.__name__}: {str(warning.message).split('.')[0]}" for warning in said or ())
    return value, [*dict.fromkeys(" ".join(text.split()) for text in problems)], None


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


def not_weighted(name: str, model: Any, items: FoldItems) -> list[str]:
    """A warning of weights that learning cannot allow for."""
    if items.weight is None or weights_for(model, items.weight):
        return []
    return [f"{name} takes no weights: they count where it is measured, not where it learns"]


def validated(
    systems: Mapping[str, Sequence[FoldOutcome]],
    items: FoldItems,
    splits: Splits,
    measures: Measures,
    *,
    seed: int,
    warned: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> CrossValidation:
    """Measure what the models of all folds have said."""
    tables = []
    for name, outcomes in systems.items():
        tested, *learned = zip(*outcomes, strict=True)
        test = joined(tested, [split.test for split in splits.each], splits.each, name)
        train = joined(learned[0], [split.train for split in splits.each], splits.each, name) if learned else None
        tables.append((test, train))
    result = CrossValidation.of(tables, [split.record for split in splits.each], items.task, measures, splits.says)
    warnings = tuple(dict.fromkeys([*splits.warnings, *warned]))
    return replace(result, seed=seed, warnings=warnings, notes=tuple(dict.fromkeys(notes)), overlap=splits.overlap)
