"""`leakage_check`: labels permuted before everything that looks at them; what is then still right has leaked."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from scipy import special

from assay.core.digits import p_phrase
from assay.core.domains import Whole
from assay.core.errors import ParameterError, number_of
from assay.core.results import Result
from assay.measures.counting.judgments import Floats
from assay.measures.registry import Measure
from assay.stats.rounding import ROUNDING
from assay.subjects.labels.crossvalidation.estimators import items_of, of_estimators
from assay.subjects.labels.crossvalidation.fitting import only_estimator
from assay.subjects.labels.crossvalidation.measuring import by_fold
from assay.subjects.labels.crossvalidation.result import CrossValidation
from assay.subjects.labels.crossvalidation.splits import SplitDesign, split_items
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
        labels, truth = items.y[order], items.truth.gather(pl.Series(order))
        features = X if prepare is None else prepare(X, labels)
        now = replace(items, X=features, y=labels, truth=truth)
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
