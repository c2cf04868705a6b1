"""`nested`: choose a hyper-parameter or a threshold inside each fold, so that the choice is tested on other items."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from assay.core.errors import InputError, ParameterError, did_you_mean
from assay.measures.registry import Measure
from assay.stats.estimates import checked_confidence
from assay.subjects.labels.crossvalidation.estimators import (
    FoldOutcome,
    at_thresholds,
    fold_outcome,
    in_folds,
    items_of,
    joined,
    leaks_of,
    not_weighted,
    only_estimator,
    seeded,
    validated,
)
from assay.subjects.labels.crossvalidation.measuring import measured, measures_of, parts_of
from assay.subjects.labels.crossvalidation.result import Nested
from assay.subjects.labels.crossvalidation.splits import FoldItems, Split, Splits, split_items
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
    name, model = only_estimator(estimator, "nested")
    items = items_of(X, y, pos_label=pos_label, sample_weight=sample_weight, item_id=item_id, groups=groups, time=time)
    model = seeded(model, seed)[0]
    splits = split_items(items, outer, stratify=stratify, seed=seed)
    if inner is None:
        inner = "time" if isinstance(outer, str) and outer == "time" else 5
    elif isinstance(inner, Iterator):  # pairs that could be gone through only once
        inner = [*inner]
    is_rule = isinstance(choice, str | Rule)
    if is_rule:
        if items.positive is None:
            raise ParameterError(f"a threshold is for two labels, and there are {len(items.labels)}")
        rule = parse_rule(choice)  # type: ignore[arg-type]
        choose: Any = partial(_threshold, rule)
        by, says = rule.criterion, f"the threshold, by {rule} on scores of inner folds"
    else:
        measure = _criterion(items, measures, select_by)
        choose = partial(_best, _grid(choice, model, name), measure)
        by, says = str(measure), f"parameters, by {measure} over inner folds"
    within = partial(split_items, cv=inner, stratify=stratify, seed=seed)
    choices, _ = in_folds(
        _chosen_within, [(choose, model, items, split, within) for split in splits.each], splits, name, n_jobs
    )
    chosen = [setting for setting, _ in choices]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the same fits have warned in the honest folds
        once = tuple(split for split in splits.each if split.repeat == 1 or not is_rule)
        naive, _ = choose(model, items, splits._replace(each=once))
    every_naive = [naive] * len(chosen)

    def outcomes_of(models: Sequence[Any]) -> tuple[list[FoldOutcome], list[str]]:
        each = [(one, items, split, not splits.tiny) for one, split in zip(models, splits.each, strict=True)]
        return in_folds(fold_outcome, each, splits, name, n_jobs)

    if is_rule:
        plain, warned = outcomes_of([model] * len(chosen))
        sides = [at_thresholds(plain, thresholds) for thresholds in (chosen, every_naive)]
    else:
        honest, warned = outcomes_of([_with(model, setting) for setting in chosen])
        sides = [honest, outcomes_of([_with(model, setting) for setting in every_naive])[0]]
    warned += [*not_weighted(name, model, items), *leaks_of(items, splits, has_ids=item_id is not None)]
    outer_result, not_nested = (
        replace(validated({name: side}, items, splits, measures, seed=seed, warned=warned), confidence=confidence)
        for side in sides
    )
    settings = [
        {"threshold": setting} if is_rule else {parameter: str(value) for parameter, value in setting.items()}
        for setting in chosen
    ]
    rows: list[dict[str, Any]] = [
        {"repeat": split.repeat, "fold": str(split.fold), **setting, f"inner {by}": value}
        for split, setting, (_, value) in zip(splits.each, settings, choices, strict=True)
    ]
    parameters = tuple({} if is_rule else setting for setting in chosen)
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return Nested(outer_result, not_nested, frame, parameters, says, is_rule)


def _chosen_within(choose: Any, model: Any, items: FoldItems, split: Split, within: Any) -> tuple[Any, float]:
    """What is chosen among the items that a fold learns from, and by which number."""
    learned = items.taken(split.train)
    chosen: tuple[Any, float] = choose(model, learned, within(learned))
    return chosen


def _out_of_fold(model: Any, items: FoldItems, splits: Splits) -> Predictions:
    """What a model says of the tested items of all folds."""
    parts = [fold_outcome(model, items, split)[0] for split in splits.each]
    return joined(parts, [split.test for split in splits.each], splits.each, "inner folds")


def _best(grid: Any, measure: Measure, model: Any, items: FoldItems, splits: Splits) -> tuple[Mapping[str, Any], float]:
    """The first of the settings with the best mean of folds, or pooled number where these are tiny; and that number."""
    from sklearn.model_selection import ParameterGrid  # noqa: PLC0415

    settings = [*ParameterGrid(grid)]
    means, reasons = [], []
    for setting in settings:
        table = _out_of_fold(_with(model, setting), items, splits)
        parts = parts_of(table, "repeat") if splits.tiny else parts_of(table, "repeat", "fold")
        numbers = [measured(part, [measure], items.task)[str(measure)] for part in parts.values()]
        means.append(np.mean([number["value"] for number in numbers]))
        reasons += [number["undefined"] for number in numbers if number["undefined"]]
    if np.isnan(means).all():
        raise InputError(
            f"{measure} is undefined for every parameter in some inner fold ({reasons[0]}): "
            "choose by another measure (select_by='Accuracy'), or take fewer inner folds"
        )
    sign = -1 if measure.definition.higher_is_better is False else 1
    place = int(np.nanargmax(sign * np.array(means)))
    return settings[place], float(means[place])


def _with(model: Any, setting: Mapping[str, Any]) -> Any:
    from sklearn.base import clone  # noqa: PLC0415

    return clone(model).set_params(**{name: clone(value, safe=False) for name, value in setting.items()})


def _threshold(rule: Rule, model: Any, items: FoldItems, splits: Splits) -> tuple[float, float]:
    """The threshold that a rule chooses from out-of-fold scores, and the number by which; an error if it cannot."""
    table = _out_of_fold(model, items, splits)
    if table.score is None:
        raise InputError("there is no score per item to choose a threshold from")
    chosen = choose_threshold(table, rule=rule, resamples=0)
    if not chosen.is_chosen:
        raise InputError(f"no threshold for {rule}: {chosen.undefined}")
    return chosen.threshold, chosen.value


def _grid(choice: Any, estimator: Any, name: str) -> Any:
    """The grid, its parameters checked."""
    several = [choice] if isinstance(choice, Mapping) else choice
    if (
        not isinstance(several, Sequence)
        or not several
        or not all(isinstance(grid, Mapping) and grid for grid in several)
    ):
        raise ParameterError("choice is a grid of parameters, such as {'max_depth': [2, 4]}, or a rule for thresholds")
    known = estimator.get_params(deep=True)
    for parameter, values in (item for grid in several for item in grid.items()):
        if parameter not in known:
            raise ParameterError(f"{name} has no parameter {parameter!r}{did_you_mean(parameter, known)}")
        if isinstance(values, str) or not hasattr(values, "__len__") or not len(values):
            raise ParameterError(f"{parameter}: expected a list of values to choose from, got {values!r}")
    return choice


def _criterion(items: FoldItems, measures: Measures, select_by: str | Measure | None) -> Measure:
    """What is chosen by."""
    # Which measures there are by default depends on scores, of which nothing is known yet: accuracy needs none.
    wanted = select_by if select_by is not None else measures if measures is not None else "Accuracy"
    first = measures_of(wanted, items.task, Predictions.of([0, 1], [0, 1]))[0]
    if first.definition.higher_is_better is None:
        raise ParameterError(f"{first} is neither better high nor low: nothing can be chosen by it")
    return first
