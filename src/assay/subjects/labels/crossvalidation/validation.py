"""`crossval`: estimators with their data, or predictions with a fold column -> a `CrossValidation`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assay.core.errors import ParameterError
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
from assay.subjects.labels.crossvalidation.fitting import estimators_in
from assay.subjects.labels.crossvalidation.folded_predictions import of_predictions, predictions_in
from assay.subjects.labels.crossvalidation.measuring import Measures, MeasureSettings
from assay.subjects.labels.crossvalidation.permutations import PERMUTATIONS
from assay.subjects.labels.crossvalidation.permutations import leakage_check as check_of_leaks
from assay.subjects.labels.crossvalidation.result import CrossValidation
from assay.subjects.labels.crossvalidation.splits import SplitDesign


def crossval(
    given: Any,
    X: Any = None,  # noqa: N803  # what scikit-learn calls the features
    y: Any = None,
    *,
    cv: Any = 5,
    groups: Any = None,
    measures: Measures = None,
    sample_weight: Any = None,
    folds: int | None = None,
    repeats: int = 1,
    stratify: bool = True,
    test_size: float | None = None,
    leave: int | None = None,
    time: Any = None,
    item_id: Any = None,
    fold: Any = None,
    repeat: Any = None,
    split: Any = None,
    train_scores: bool = True,
    leakage_check: bool = False,
    pos_label: Any = None,
    one_class: Any = None,
    threshold: float | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | bool | None = None,
    shows_folds: bool = False,
) -> CrossValidation:
    """Cross-validate classifiers: measure them on items that they have not learned from, fold by fold.

    `given` is an estimator of scikit-learn, or a dict from names to several, with the features `X` and the labels `y`:
    a fresh copy learns in each fold. Or it is predictions that were made elsewhere (`Predictions`, a path, a data
    frame), where `fold` says in which fold a row was tested (a column of the file or frame; beside `Predictions`, a
    value a row), `repeat` in which round, and `split` which rows are `test` and which were learned from (`train`).
    Without such rows, a fold is taken to have learned from all others.

    `cv`: a number of folds; a splitter of scikit-learn; pairs of row numbers; or a word: "k-fold", "stratified",
    "group", "stratified-group", "repeated", "repeated-group" (each with `folds`, 5, and `repeats`), "leave-one-out",
    "leave-p-out" (`leave` of them, 2), "time" (in the order of `time`, or else of the rows), "split" (once, `test_size`
    of the items, 0.2), "5x2" (five times two folds, for a test of two models). A number, "repeated", "split" and "5x2"
    mean folds with the same share of every label, unless `stratify=False`, that keep `groups` whole if there are any.

    `item_id`, `groups` and `time`, one a row, are also held against the folds: what is on both sides is said in
    `warnings`. `threshold`: predict positive from this score on. `train_scores`: measure on what was learned from, too.
    `leakage_check`: permute the labels and do it all again, 20 times, to see whether more than chance is left: see the
    function `leakage_check`, which takes what is done before splitting along; `progress` counts these folds, too.
    Estimators that draw at random and have no `random_state` get `seed`. `n_jobs`: as scikit-learn has it; the numbers
    are the same. `progress`: True for a bar on a terminal; or a function that is called with the number of folds done,
    and of all.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> cancer = load_breast_cancer(return_X_y=True)
    >>> found = crossval(DecisionTreeClassifier(max_depth=2), *cancer, measures=["Accuracy", "AUC"])
    >>> found.mean("Accuracy"), found.pooled("AUC"), found.optimism("Accuracy") > 0
    (0.92, 0.95, True)
    """
    checked_confidence(confidence)
    settings = MeasureSettings(measures, pos_label, one_class, threshold, confidence, shows_folds)
    if X is None and y is None:
        refused = {"sample_weight": sample_weight, "item_id": item_id}
        for name, value in refused.items():
            if value is not None:
                raise ParameterError(f"{name} goes with an estimator, X and y; predictions hold their own")
        columns = {"fold": fold, "repeat": repeat, "split": split, "group": groups, "time": time}
        if hasattr(given, "fit"):
            raise ParameterError("an estimator needs X and y, the features and the labels")
        return of_predictions(predictions_in(given, columns, pos_label), settings)
    if X is None or y is None:
        raise ParameterError("give both X and y, the features and the labels, or predictions alone")
    if any(value is not None for value in (fold, repeat, split)):
        raise ParameterError("fold, repeat and split go with predictions; cv says how items are split")
    if one_class is not None:
        raise ParameterError("one_class goes with predictions: give y == label, which is what would be learned")
    estimators = estimators_in(given)
    items = items_of(X, y, pos_label=pos_label, sample_weight=sample_weight, item_id=item_id)
    parts = Parts.of(groups, time, len(items))
    asked = SplitDesign(cv, folds, repeats, stratify, test_size, leave, seed)
    splits = splits_of(items, parts, asked)
    warnings = leaks(items, splits, parts, has_ids=item_id is not None)
    # A check is the same folds again, with the labels as they are and with permuted ones.
    folds, again = len(splits.each), PERMUTATIONS + 1
    total = folds * len(estimators) * (1 + again * leakage_check)
    with watched(progress) as tell:
        validation = of_estimators(
            estimators, items, splits, settings, seed=seed, n_jobs=n_jobs, progress=part_of(tell, 0, total),
            warnings=warnings, train_scores=train_scores and not splits.tiny,
        )  # fmt: skip
        if not leakage_check:
            return validation
        pairs = [(split.train, split.test) for split in splits.each]
        checks = {
            name: check_of_leaks(
                model,
                X,
                y,
                measure=validation.measures[0],
                cv=pairs,
                pos_label=pos_label,
                seed=seed,
                n_jobs=n_jobs,
                progress=part_of(tell, folds * (len(estimators) + place * again), total),
            )
            for place, (name, model) in enumerate(estimators.items())
        }
    sentences = {name: f"{name}: {check.says}" for name, check in checks.items()}
    return replace(
        validation,
        warnings=(*validation.warnings, *(sentences[name] for name, check in checks.items() if not check.is_fine)),
        notes=(*validation.notes, *(sentences[name] for name, check in checks.items() if check.is_fine)),
    )
