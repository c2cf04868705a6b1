"""`crossval`: estimators or predictions over folds; `leakage_check`: labels permuted before everything else."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from assay.core.digits import p_phrase
from assay.core.domains import Real, Whole
from assay.core.errors import ParameterError, number_of
from assay.core.results import Result
from assay.measures.counting.judgments import Floats
from assay.measures.registry import Measure
from assay.stats.estimates import ROUNDING, checked_confidence
from assay.subjects.labels.crossvalidation.estimators import Learner, blamed, recorded, scorer, validated
from assay.subjects.labels.crossvalidation.folded_predictions import of_predictions, predictions_in
from assay.subjects.labels.crossvalidation.items import FoldItems
from assay.subjects.labels.crossvalidation.measuring import fold_measures
from assay.subjects.labels.crossvalidation.result import CrossValidation
from assay.subjects.labels.crossvalidation.splits import Splitter, split_items
from assay.subjects.labels.measurement import Measures
from assay.tables import Predictions

#: How often labels are permuted: unless told otherwise, and the fewest by which a leak can be told.
PERMUTATIONS, FEWEST = 100, 20
#: Below this a leak is said to be there.
ALPHA = 0.05


@dataclass(frozen=True, eq=False)
class LeakageCheck(Result):
    """Measures with permuted labels, beside those of chance: see `leakage_check`."""

    kind = "leakage check"

    measure: Measure
    #: The mean of folds with permuted labels, by which features were prepared as well.
    permuted: float
    #: With labels permuted once more, and features left as they were: one number a permutation.
    chance: Floats
    #: How often chance does as well as the permuted labels; NaN where it always gives the same number, or none.
    p: float
    seed: int

    def __repr__(self) -> str:
        if self.is_fine:
            outcome = "no leak seen"
        elif self.leaks:
            outcome = "leak"
        else:
            outcome = "inconclusive"
        return f"<LeakageCheck: {outcome}, {p_phrase(self.p)}>"

    @property
    def leaks(self) -> bool:
        """True if labels without meaning were predicted better than by chance."""
        return self.p < ALPHA

    @property
    def is_fine(self) -> bool:
        """True if they could have been, and were not."""
        return self.p >= ALPHA

    @property
    def says(self) -> str:
        """A sentence on whether labels have leaked."""
        if not (self.leaks or self.is_fine):
            return "Inconclusive: labels permuted once more give the same numbers, or none."
        how = f"({p_phrase(self.p)}, {number_of('permutation', len(self.chance))}, seed {self.seed})"
        if self.leaks:
            return f"Leak: permuted labels are predicted better than by chance {how}."
        return f"No leak seen: permuted labels are predicted no better than by chance {how}."

    def to_frame(self) -> pl.DataFrame:
        """One row a permutation: what chance gives."""
        return pl.DataFrame({"permutation": np.arange(1, len(self.chance) + 1), "chance": self.chance})


def leakage_check(
    estimator: Any,
    X: Any,  # noqa: N803  # what scikit-learn calls the features
    y: Any,
    *,
    prepare: Callable[[Any, Any], Any],
    measure: str | Measure = "Accuracy",
    permutations: int = PERMUTATIONS,
    cv: Any = 5,
    groups: Any = None,
    stratify: bool = True,
    pos_label: Any = None,
    seed: int = 0,
    n_jobs: int | None = None,
) -> LeakageCheck:
    """Permute the labels and do everything again: a classifier should then be right by chance only.

    `prepare(X, y)` is what is done to the features before they are split, and gives the features: selecting those that
    go with the labels, encoding categories by labels, and the like. Nobody can see from the features that this was
    done. But where labels without meaning are then predicted better than by chance, they have been seen.

    What chance gives is found by permuting these labels again, `permutations` times, without preparing the features
    anew (scikit-learn's `permutation_test_score`). `measure` is the mean of folds that is looked at; `cv` and the rest
    are as in `crossval`.

    >>> from sklearn.feature_selection import SelectKBest
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(1)
    >>> noise, labels = rng.normal(size=(60, 500)), rng.integers(0, 2, 60)
    >>> best = lambda X, y: SelectKBest(k=10).fit_transform(X, y)
    >>> leakage_check(GaussianNB(), noise, labels, prepare=best, permutations=20).leaks
    True
    >>> leakage_check(GaussianNB(), noise, labels, prepare=lambda X, y: X[:, :10], permutations=20).leaks
    False
    """
    from sklearn.model_selection import permutation_test_score  # noqa: PLC0415  # an extra

    Whole(FEWEST).check("permutations", permutations)
    learner = Learner.only(estimator, seed, n_jobs, "leakage_check")
    items = FoldItems.of(X, y, pos_label=pos_label, groups=groups)
    (wanted,) = fold_measures(measure, items.task, Predictions.of([0, 1], [0, 1]))
    labels = items.y[np.random.default_rng(seed).permutation(len(items))]
    with blamed("prepare"):
        prepared = prepare(X, labels)
    with recorded(learner.name), blamed(learner.name):
        permuted, chance, _ = permutation_test_score(
            learner.model,
            prepared,
            labels,
            scoring=scorer(wanted, items),
            cv=Splitter.of(cv, groups=items.groups, stratify=stratify, seed=seed),
            n_permutations=permutations,
            n_jobs=n_jobs,
            random_state=seed,
        )
    p = math.nan
    if np.isfinite([permuted, *chance]).all() and np.ptp([permuted, *chance]) > ROUNDING:
        p = (1 + int((chance >= permuted - ROUNDING).sum())) / (1 + permutations)
    sign = -1 if wanted.definition.higher_is_better is False else 1
    return LeakageCheck(wanted, sign * permuted, sign * chance, p, seed)


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
    pos_label: Any = None,
    threshold: float | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    n_jobs: int | None = None,
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
    `warnings`. `threshold`: predict positive from this score on.
    Estimators that draw at random and have no `random_state` get `seed`. `n_jobs`: as scikit-learn has it; the numbers
    are the same.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> cancer = load_breast_cancer(return_X_y=True)
    >>> found = crossval(DecisionTreeClassifier(max_depth=2), *cancer, measures=["Accuracy", "AUC"])
    >>> found.mean("Accuracy"), found.pooled("AUC"), found.optimism("Accuracy") > 0
    (0.92, 0.95, True)
    """
    checked_confidence(confidence)
    if X is None and y is None:
        if hasattr(given, "fit"):
            raise ParameterError("an estimator needs X and y, the features and the labels")
        columns = {"fold": fold, "repeat": repeat, "split": split, "group": groups, "time": time}
        tables = predictions_in(given, columns, pos_label)
        result = of_predictions(tables, measures, pos_label, threshold)
        return replace(result, confidence=confidence, shows_folds=shows_folds)
    if X is None or y is None:
        raise ParameterError("give both X and y, the features and the labels, or predictions alone")
    if any(value is not None for value in (fold, repeat, split)):
        raise ParameterError("fold, repeat and split go with predictions; cv says how items are split")
    learners = Learner.each(given, seed, n_jobs)
    items = FoldItems.of(
        X, y, pos_label=pos_label, sample_weight=sample_weight, item_id=item_id, groups=groups, time=time
    )
    if threshold is not None:
        Real().check("threshold", threshold)
        if items.positive is None:
            raise ParameterError(f"a threshold is for two labels, and there are {len(items.labels)}")
    splits = split_items(items, cv, repeats=repeats, stratify=stratify, test_size=test_size, seed=seed)
    systems = {}
    for learner in learners:
        folds = learner.in_folds(items, splits, train=not splits.tiny)
        systems[learner.name] = folds if threshold is None else folds.at([threshold] * len(splits.each))
    result = validated(systems, items, splits, measures, seed=seed)
    notes = tuple(note for learner in learners for note in learner.notes)
    return replace(result, confidence=confidence, shows_folds=shows_folds, notes=notes)
