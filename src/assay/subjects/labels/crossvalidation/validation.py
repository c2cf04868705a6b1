"""`crossval`: estimators or predictions over folds; `leakage_check`: labels permuted before everything else."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from scipy import special

from assay.core.digits import p_phrase
from assay.core.domains import Real, Whole
from assay.core.errors import ParameterError, number_of
from assay.core.results import Result
from assay.measures.counting.judgments import Floats
from assay.measures.registry import Measure
from assay.stats.estimates import ROUNDING, checked_confidence
from assay.subjects.labels.crossvalidation.estimators import (
    estimators_in,
    items_of,
    leaks,
    of_estimators,
    only_estimator,
)
from assay.subjects.labels.crossvalidation.folded_predictions import of_predictions, predictions_in
from assay.subjects.labels.crossvalidation.measuring import by_fold
from assay.subjects.labels.crossvalidation.result import CrossValidation
from assay.subjects.labels.crossvalidation.splits import SplitDesign, split_items
from assay.subjects.labels.measurement import Measures
from assay.tables import Predictions

#: How often labels are permuted unless told otherwise.
PERMUTATIONS = 20
#: Below this a leak is said to be there.
ALPHA = 0.01
#: How often predictions are dealt out anew, to see what chance gives.
_DEALT = 5


@dataclass(frozen=True, eq=False)
class LeakageCheck(Result):
    """What is measured with permuted labels, beside what chance gives the same predictions: see `leakage_check`."""

    kind = "leakage check"

    measure: Measure
    #: With the labels as they are: the mean of folds.
    real: float
    #: With permuted labels: the same number of each permutation.
    permuted: Floats
    #: The same predictions dealt out anew within each fold.
    chance: Floats
    #: Of the test that permuted labels do no better than chance; NaN where dealing anew changes nothing.
    p: float
    seed: int

    def __repr__(self) -> str:
        outcome = "no leak seen" if self.is_fine else "leak" if self.leaks else "cannot tell"
        return f"<LeakageCheck: {outcome}, {p_phrase(self.p)}>"

    @property
    def leaks(self) -> bool:
        """Whether labels without meaning were predicted better than by chance."""
        return self.p < ALPHA

    @property
    def is_fine(self) -> bool:
        """Whether they could have been, and were not."""
        return self.p >= ALPHA

    @property
    def sign(self) -> int:
        """-1 where less of the measure is better."""
        return -1 if self.measure.definition.higher_is_better is False else 1

    @property
    def p_real(self) -> float:
        """How often permuted labels do as well as the real ones: whether anything is learned at all."""
        as_good = int((self.sign * self.permuted >= self.sign * self.real).sum())
        return (as_good + 1) / (len(self.permuted) + 1)

    @property
    def says(self) -> str:
        """Whether labels have leaked, in a sentence."""
        if not (self.leaks or self.is_fine):
            return "Cannot tell whether labels leak: predictions dealt out anew give the same numbers, or none."
        how = f"({p_phrase(self.p)}, {number_of('permutation', len(self.permuted))}, seed {self.seed})"
        if self.leaks:
            return f"Leak: permuted labels are predicted better than by chance {how}."
        return f"No leak seen: permuted labels are predicted no better than by chance {how}."

    def to_frame(self) -> pl.DataFrame:
        """One row a permutation: what was measured, and what chance gives."""
        numbers = pl.int_range(1, len(self.permuted) + 1, eager=True)
        return pl.DataFrame({"permutation": numbers, "permuted": self.permuted, "chance": self.chance})


def leakage_check(
    estimator: Any,
    X: Any,  # noqa: N803  # what scikit-learn calls the features
    y: Any,
    *,
    prepare: Callable[[Any, Any], Any] | None = None,
    measure: str | Measure = "Accuracy",
    permutations: int = PERMUTATIONS,
    cv: Any = 5,
    groups: Any = None,
    stratify: bool = True,
    pos_label: Any = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> LeakageCheck:
    """Permute the labels and do everything again: a classifier should then be right by chance only.

    `prepare(X, y)` is what is done to the features before they are split, and gives the features: selecting those that
    go with the labels, encoding categories by labels, and the like. Nobody can see from the features that this was
    done. But where labels without meaning are then predicted better than by chance, they have been seen. Without
    `prepare`, only estimators and splits are checked: whether a model gets to see the labels that it is tested on.

    What chance gives is found by dealing the same predictions out anew within each fold. `measure` is the mean of folds
    that is looked at; `cv` and the rest are as in `crossval`. Within folds of an item or two there is too little to
    deal out.

    >>> from sklearn.feature_selection import SelectKBest
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(1)
    >>> noise, labels = rng.normal(size=(60, 500)), rng.integers(0, 2, 60)
    >>> best = lambda X, y: SelectKBest(k=10).fit_transform(X, y)
    >>> leakage_check(GaussianNB(), noise, labels, prepare=best, permutations=5).leaks
    True
    >>> leakage_check(GaussianNB(), noise, labels, permutations=5).leaks
    False
    """
    permutations, seed = Whole(5).check("permutations", permutations), Whole(0).check("seed", seed)
    name, model = only_estimator(estimator, "leakage_check")
    items = items_of(X, y, pos_label=pos_label, groups=groups)

    def validated(order: Any) -> CrossValidation:
        features = X if prepare is None else prepare(X, items.y[order])
        now = items_of(features, items.truth.gather(pl.Series(order)), pos_label=pos_label, groups=groups)
        splits = split_items(now, SplitDesign(cv, stratify=stratify, seed=seed))
        if splits.tiny:
            raise ParameterError("in folds of an item or two there is nothing to deal out anew: use larger folds")
        return of_estimators({name: model}, now, splits, measure, seed=seed, n_jobs=n_jobs, progress=progress)

    rng = np.random.default_rng(seed)
    real = validated(np.arange(len(items)))
    validations = [validated(rng.permutation(len(items))) for _ in range(permutations)]
    permuted = np.array([validation.mean() for validation in validations])
    chance = np.array([_by_chance(validation, rng) for validation in validations])
    check = LeakageCheck(real.measure(), real.mean(), permuted, chance, math.nan, seed)
    return replace(check, p=_p(check.sign * (permuted - chance)))


def _by_chance(validation: CrossValidation, rng: np.random.Generator) -> float:
    """The mean of folds where each fold's predictions are dealt out anew among its items."""
    keys = [(fold.repeat, fold.fold) for fold in validation.folds]
    table, measure = validation.systems[0].predictions, validation.measure()
    values = [by_fold(_dealt(table, rng), keys, [measure], validation.task)[measure].values for _ in range(_DEALT)]
    return float(np.nanmean(values)) if np.isfinite(values).any() else math.nan


def _dealt(table: Predictions, rng: np.random.Generator) -> Predictions:
    columns = table.columns
    # Sorted by fold and a random number, rows of a fold are in random order among themselves.
    part = columns.select(pl.struct("repeat", "fold").rank("dense")).to_series().to_numpy()
    inside, anew = np.argsort(part, kind="stable"), np.lexsort((rng.random(len(part)), part))
    moved = [name for name in columns.columns if name == "prediction" or name.startswith("score")]
    place = np.empty_like(anew)
    place[inside] = anew
    return replace(table, columns=columns.with_columns(columns.select(moved)[place]))


def _p(differences: Floats) -> float:
    """One-sided t test that differences are not above 0; none where there is no difference at all."""
    known = differences[np.isfinite(differences)]
    if len(known) < 2 or (np.abs(known) < ROUNDING).all():
        return math.nan
    if np.ptp(known) == 0:
        return float(known[0] < 0)
    t = float(known.mean() / (known.std(ddof=1) / math.sqrt(len(known))))
    return float(special.stdtr(len(known) - 1, -t))


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
