"""`nested`: choose a hyper-parameter or a threshold inside each fold, so that the choice is tested on other items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from assay.core.errors import InputError, ParameterError, did_you_mean
from assay.measures.registry import Measure
from assay.stats.estimates import checked_confidence
from assay.subjects.labels.crossvalidation.estimators import FittedFolds, Learner, blamed, recorded, scorer, validated
from assay.subjects.labels.crossvalidation.items import FoldItems
from assay.subjects.labels.crossvalidation.measuring import fold_measures
from assay.subjects.labels.crossvalidation.result import Nested
from assay.subjects.labels.crossvalidation.splits import Splits, Splitter, split_items
from assay.subjects.labels.measurement import Measures
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
) -> Nested:
    """Cross-validate a classifier together with the choice of its hyper-parameters or of its threshold.

    `choice` is a grid of parameters, such as `{"max_depth": [2, 4, 8]}`, of which the best by `select_by` (a measure;
    the first of `measures` unless said) is taken; or a rule for thresholds, such as "youden" or "max_f(beta=2)". In
    each fold of `outer` the choice is made by the folds of `inner` among the items learned from, and tested on the
    rest. Beside it stands the number that one gets when choosing and testing by the same folds: it is too good.

    `inner` and `outer` are what `crossval` takes as `cv`; without `inner` it is 5 folds, or "time" if that is `outer`.
    The other parameters are also as there.

    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> wine = load_wine(return_X_y=True)
    >>> found = nested(DecisionTreeClassifier(), {"max_depth": [1, 3]}, *wine, inner=3, outer=3, measures="Accuracy")
    >>> found.chosen["max_depth"].to_list()
    ['3', '3', '3']
    """
    checked_confidence(confidence)
    learner = Learner.only(estimator, seed, n_jobs, "nested")
    items = FoldItems.of(
        X, y, pos_label=pos_label, sample_weight=sample_weight, item_id=item_id, groups=groups, time=time
    )
    splits = split_items(items, outer, stratify=stratify, seed=seed)
    if inner is None:
        inner = "time" if isinstance(outer, str) and outer == "time" else 5
    elif isinstance(inner, Iterator):  # pairs that could be gone through only once
        inner = [*inner]
    if items.times is not None and isinstance(inner, str) and inner == "time":
        splits = splits._replace(each=tuple(split.in_order(items.times) for split in splits.each))
    folding: Any = {"cv": inner, "stratify": stratify, "seed": seed}
    is_rule = isinstance(choice, str | Rule)
    if is_rule:
        rule = parse_rule(choice)  # type: ignore[arg-type]
        by = rule.criterion
        says = f"the threshold, by {rule} on scores of inner folds"
        choices = _thresholds(learner, items, splits, rule, partial(split_items, **folding))
    else:
        from sklearn.model_selection import GridSearchCV  # noqa: PLC0415

        _check_grid(choice, learner)
        measure = _criterion(items, measures, select_by)
        by = str(measure)
        says = f"parameters, by {measure} over inner folds"
        within = Splitter.of(groups=items.groups, **folding)
        search = GridSearchCV(learner.model, choice, scoring=scorer(measure, items), cv=within, error_score="raise")
        choices = _searches(learner, items, splits, search, measure)
    outer_result, not_nested = (
        replace(validated({learner.name: side}, items, splits, measures, seed=seed), confidence=confidence)
        for side in (choices.honest, choices.naive)
    )
    rows = [
        {"repeat": split.repeat, "fold": str(split.fold)}
        | {parameter: setting if is_rule else str(setting) for parameter, setting in settings.items()}
        | {f"inner {by}": value}
        for split, settings, value in zip(splits.each, choices.settings, choices.values, strict=True)
    ]
    parameters = tuple({} if is_rule else settings for settings in choices.settings)
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return Nested(outer_result, not_nested, frame, parameters, says, is_rule)


class _Choices(NamedTuple):
    """The choice of each fold and its number; predictions with these choices, and with a single naive one."""

    settings: list[dict[str, Any]]
    values: list[float]
    honest: FittedFolds
    naive: FittedFolds


def _searches(learner: Learner, items: FoldItems, splits: Splits, search: Any, measure: Measure) -> _Choices:
    """Search the grid inside each fold, and once by the outer folds."""
    from sklearn.base import clone  # noqa: PLC0415

    weights = learner.weights(items.weight)
    folds = learner.in_folds(items, splits, model=search, train=not splits.tiny, groups=items.groups)
    grouped = {} if items.groups is None else {"groups": items.groups}
    with recorded(learner.name), blamed(learner.name):
        once = clone(search).set_params(cv=splits, refit=False, n_jobs=learner.n_jobs)
        once.fit(items.X, items.y, **weights, **grouped)
    if any(np.isnan(fitted.best_score_) for fitted in [*folds.models, once]):
        raise InputError(
            f"{measure} is undefined for every parameter in some fold: choose by another measure "
            "(select_by='Accuracy'), or take fewer folds"
        )
    naive = clone(learner.model).set_params(**once.best_params_)
    flattered = learner.in_folds(items, splits, model=naive, train=not splits.tiny)
    if items.weight is not None and "sample_weight" not in weights:  # scikit-learn hands on no others to the measure
        folds.warnings.append(f"{learner.name}: weights do not count in the choice")
    sign = -1 if measure.definition.higher_is_better is False else 1
    values = [sign * float(fitted.best_score_) for fitted in folds.models]
    settings = [fitted.best_params_ for fitted in folds.models]
    return _Choices(settings, values, folds, flattered)


def _thresholds(
    learner: Learner, items: FoldItems, splits: Splits, rule: Rule, within: Callable[[FoldItems], Splits]
) -> _Choices:
    """Choose a threshold from the scores of inner folds, in each fold; and once from those of the outer folds.

    Scikit-learn's `TunedThresholdClassifierCV` averages a criterion over folds, by threshold: it knows no rules with
    a bound, and no choice from all scores together.
    """
    if items.positive is None:
        raise ParameterError(f"a threshold is for two labels, and there are {len(items.labels)}")
    chosen = []
    for split in splits.each:
        learned = items.taken(split.train)
        inner = within(learned)
        chosen.append(_chosen(rule, learner.in_folds(learned, inner).tables(learner.name)[0]))
    outer = learner.in_folds(items, splits, train=not splits.tiny)
    first = sum(split.repeat == 1 for split in splits.each)
    naive, _ = _chosen(rule, outer.tables(learner.name, first)[0])
    thresholds, values = zip(*chosen, strict=True)
    settings = [{"threshold": threshold} for threshold in thresholds]
    return _Choices(settings, [*values], outer.at(thresholds), outer.at([naive] * len(chosen)))


def _chosen(rule: Rule, predictions: Predictions) -> tuple[float, float]:
    """The threshold that a rule chooses, and the number by which; an error if it cannot."""
    if predictions.score is None:
        raise InputError("there is no score per item to choose a threshold from")
    choice = choose_threshold(predictions, rule=rule, resamples=0)
    if not choice.is_chosen:
        raise InputError(f"no threshold for {rule}: {choice.undefined}")
    return choice.threshold, choice.value


def _check_grid(choice: Any, learner: Learner) -> None:
    """Refuse what is no grid of the estimator's parameters, before anything is fitted."""
    grids = [choice] if isinstance(choice, Mapping) else choice
    if not (isinstance(grids, Sequence) and grids and all(isinstance(grid, Mapping) and grid for grid in grids)):
        raise ParameterError("choice is a grid of parameters, such as {'max_depth': [2, 4]}, or a rule for thresholds")
    known = learner.model.get_params(deep=True)
    for grid in grids:
        for parameter, values in grid.items():
            part = str(parameter).rpartition("__")[0]  # one that the grid replaces may have other parameters
            if parameter not in known and part not in grid:
                inner = [name for name in known if name.endswith(f"__{parameter}")]  # of a step of a pipeline
                near = f"; did you mean {' or '.join(inner)}?" if inner else did_you_mean(parameter, known)
                raise ParameterError(f"{type(learner.model).__name__} has no parameter {parameter!r}{near}")
            if not _is_list(values):
                raise ParameterError(f"{parameter}: expected a list of values to choose from, got {values!r}")


def _is_list(values: Any) -> bool:
    """True if there are values to choose from, as a search takes them."""
    if isinstance(values, np.ndarray):
        return values.ndim == 1 and len(values) > 0
    return isinstance(values, Sequence) and not isinstance(values, str) and len(values) > 0


def _criterion(items: FoldItems, measures: Measures, select_by: str | Measure | None) -> Measure:
    """The measure to choose by."""
    # Which measures there are by default depends on scores, of which nothing is known yet: accuracy needs none.
    wanted = measures if select_by is None else select_by
    if wanted is None:
        wanted = "Accuracy"
    first = fold_measures(wanted, items.task, Predictions.of([0, 1], [0, 1]))[0]
    if first.definition.higher_is_better is None:
        raise ParameterError(f"{first} is good neither high nor low: nothing can be chosen by it")
    return first
