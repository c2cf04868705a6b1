"""`crossval`: estimators with their data, or predictions with a fold column -> a `CrossValidation`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assay.core.domains import Real
from assay.core.errors import ParameterError
from assay.stats.confidence import checked_confidence
from assay.subjects.labels.crossvalidation.estimators import items_of, leaks, of_estimators
from assay.subjects.labels.crossvalidation.fitting import estimators_in
from assay.subjects.labels.crossvalidation.folded_predictions import of_predictions, predictions_in
from assay.subjects.labels.crossvalidation.result import CrossValidation
from assay.subjects.labels.crossvalidation.splits import SplitDesign, split_items
from assay.subjects.labels.measurement import Measures


def crossval(
    given: Any,
    X: Any = None,  # noqa: N803  # what scikit-learn calls the features
    y: Any = None,
    *,
    cv: Any = 5,
    groups: Any = None,
    measures: Measures = None,
    sample_weight: Any = None,
    repeats: int = 1,
    stratify: bool = True,
    test_size: float = 0.2,
    time: Any = None,
    item_id: Any = None,
    fold: Any = None,
    repeat: Any = None,
    split: Any = None,
    train_scores: bool = True,
    pos_label: Any = None,
    threshold: float | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
    shows_folds: bool = False,
) -> CrossValidation:
    """Cross-validate classifiers: measure them on items that they have not learned from, fold by fold.

    `given` is an estimator of scikit-learn, or a dict from names to several, with the features `X` and the labels `y`:
    a fresh copy learns in each fold. Or it is predictions that were made elsewhere (`Predictions`, a path, a data
    frame), where `fold` says in which fold a row was tested (a column of the file or frame, or a value a row), `repeat`
    in which round, and `split` which rows are `test` and which were learned from (`train`). Without such rows, a fold
    is taken to have learned from all others.

    `cv`: a number of folds, drawn `repeats` times; a splitter of scikit-learn; pairs of row numbers; or a word:
    "repeated" (5 folds, 10 times), "leave-one-out", "time" (5 folds in the order of `time`, or else of the rows),
    "split" (once, `test_size` of the items), "5x2" (five times two folds, for a test of two models). Folds that are
    drawn have the same share of every label, unless `stratify=False`, and keep `groups` whole if there are any.

    `item_id`, `groups` and `time`, one a row, are also held against the folds: what is on both sides is said in
    `warnings`. `threshold`: predict positive from this score on. `train_scores`: measure on what was learned from, too.
    Estimators that draw at random and have no `random_state` get `seed`. `n_jobs`: as scikit-learn has it; the numbers
    are the same. `progress`: show a bar on a terminal.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> cancer = load_breast_cancer(return_X_y=True)
    >>> found = crossval(DecisionTreeClassifier(max_depth=2), *cancer, measures=["Accuracy", "AUC"])
    >>> found.mean("Accuracy"), found.pooled("AUC"), found.optimism("Accuracy") > 0
    (0.92, 0.95, True)
    """
    shown: dict[str, Any] = {"confidence": checked_confidence(confidence), "shows_folds": shows_folds}
    if X is None and y is None:
        if hasattr(given, "fit"):
            raise ParameterError("an estimator needs X and y, the features and the labels")
        columns = {"fold": fold, "repeat": repeat, "split": split, "group": groups, "time": time}
        tables = predictions_in(given, columns, pos_label)
        return replace(of_predictions(tables, measures, pos_label, threshold), **shown)
    if X is None or y is None:
        raise ParameterError("give both X and y, the features and the labels, or predictions alone")
    if any(value is not None for value in (fold, repeat, split)):
        raise ParameterError("fold, repeat and split go with predictions; cv says how items are split")
    estimators = estimators_in(given)
    items = items_of(X, y, pos_label=pos_label, sample_weight=sample_weight, item_id=item_id, groups=groups, time=time)
    if threshold is not None:
        Real().check("threshold", threshold)
        if items.positive is None:
            raise ParameterError(f"a threshold is for two labels, and there are {len(items.labels)}")
    splits = split_items(items, SplitDesign(cv, repeats, stratify, test_size, seed))
    warnings = (*splits.warnings, *leaks(items, splits, has_ids=item_id is not None))
    return replace(
        of_estimators(
            estimators, items, splits._replace(warnings=warnings), measures, seed=seed, n_jobs=n_jobs,
            progress=progress, train_scores=train_scores and not splits.tiny, threshold=threshold,
        ),
        **shown,
    )  # fmt: skip
