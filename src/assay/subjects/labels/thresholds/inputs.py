"""Scores beside the truth in whatever shape they are given, one `Scored` a system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.arguments import argument, naming
from assay.core.errors import InputError, ParameterError, did_you_mean, listed
from assay.measures.counting.label_pairs import weights_of
from assay.measures.counting.positives import positives
from assay.measures.counting.scored import Scored
from assay.subjects.labels.inputs import against_rest, opened
from assay.tables.label_rules import label_among
from assay.tables.predictions import Predictions


class ScoredSystem(NamedTuple):
    """One system's scores: its name, the positive label, what is odd, its file, the items' ids; None: not known."""

    name: str
    scored: Scored
    positive: Any = None
    warnings: tuple[str, ...] = ()
    origin: str | None = None
    item_id: pl.Series | None = None


def scored_systems(
    predictions: Any,
    y_score: Any = None,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    system: str | None = None,
) -> list[ScoredSystem]:
    """All systems, or the one that is asked for.

    `given` is the truth, with `y_score` (an array, or a dict from names to arrays); or `Predictions`, `Scored` or a
    path; or several of these in a list, or in a dict with their names.

    >>> [one.name for one in scored_systems([0, 1], {"old": [0.2, 0.1], "new": [0.2, 0.7]})]
    ['old', 'new']
    """
    if y_score is not None:
        systems = _of_arrays(predictions, y_score, pos_label, sample_weight)
    elif sample_weight is not None:
        raise ParameterError("sample_weight goes with y_true and y_score; predictions hold their own weights")
    else:
        systems = _of(predictions, pos_label)
    for scored in systems:
        if not len(scored.scored.positive) + len(scored.scored.negative):
            raise InputError(
                f"{scored.name}: {'all weights are 0' if scored.scored.is_weighted else 'there is no item'}"
            )
    names = [system.name for system in systems]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ParameterError(f"two systems are called {twice!r}: give each a name of its own, {naming()}")
    if system is None:
        return systems
    if system not in names:
        raise ParameterError(
            f"no system is called {system!r}{did_you_mean(system, names) or f'; there is {listed(names)}'}"
        )
    return [systems[names.index(system)]]


def only_one(systems: list[ScoredSystem]) -> ScoredSystem:
    """The only system, or an error that says which there are; its scores as numbers that thresholds can be."""
    if len(systems) > 1:
        names = [system.name for system in systems]
        raise ParameterError(
            f"a threshold is of one system, and there are {listed(names)}: say {argument('system', names[0])}"
        )
    scored = systems[0].scored
    sides = scored.positive, scored.negative
    positive, negative = (side if side.dtype.kind == "f" else side.astype(np.float64) for side in sides)
    return systems[0]._replace(scored=replace(scored, positive=positive, negative=negative))


def _of(predictions: Any, pos_label: Any) -> list[ScoredSystem]:
    if isinstance(predictions, ScoredSystem):
        return [predictions]
    if isinstance(predictions, Scored):
        return [ScoredSystem("scores", predictions, pos_label)]
    if isinstance(predictions, Mapping):
        return [
            system._replace(name=str(name) if len(systems) == 1 else f"{name} {system.name}")
            for name, value in predictions.items()
            for systems in [_of(value, pos_label)]
            for system in systems
        ]
    if isinstance(predictions, tuple) and len(predictions) == 2 and not isinstance(predictions[0], Predictions):
        return _of_arrays(*predictions, pos_label, None)
    if isinstance(predictions, list | tuple):
        return [system for value in predictions for system in _of(value, pos_label)]
    return [_of_predictions(table) for table in opened(predictions, pos_label)]


def _of_predictions(predictions: Predictions) -> ScoredSystem:
    label, score = predictions.pos_label, predictions.score
    if predictions.kind == "multilabel" and label is not None:  # who has the label, against who has not
        two_labels: Any = against_rest(predictions, label)
        return _of_predictions(two_labels)
    if score is None and predictions.class_scores:
        if label is None:
            names = [str(label) for label in predictions.class_scores]
            raise ParameterError(
                f"{predictions.name}: there is a score a class: say which class is positive, against all others, "
                f"as in {argument('pos_label', names[0])}"
            )
        label = label_among(list(predictions.class_scores), label)
        score = predictions.class_scores[label]
    if score is None:
        raise InputError(f"{predictions.name}: there is no score an item to choose a threshold from")
    if label is None:
        label = predictions.positive
    scored = Scored.from_scores(predictions.truth, score, pos_label=label, sample_weight=predictions.weight)
    origin = None if predictions.origin == "in memory" else predictions.origin
    return ScoredSystem(
        predictions.name,
        scored,
        label,
        predictions.warnings,
        origin,
        predictions.item_id if predictions.has_ids else None,
    )


def _of_arrays(y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any) -> list[ScoredSystem]:
    if not isinstance(y_score, Mapping):
        y_score = {"scores": y_score}
    if not y_score:
        raise ParameterError("y_score: expected the scores of at least one system, got none")
    _, label = positives(y_true, pos_label)
    if sample_weight is not None:
        sample_weight = weights_of(sample_weight, len(y_true))
    return [
        ScoredSystem(str(name), Scored.from_scores(y_true, scores, pos_label=label, sample_weight=sample_weight), label)
        for name, scores in y_score.items()
    ]


def warnings_of(systems: Iterable[ScoredSystem]) -> tuple[str, ...]:
    """What is odd about any of them, once each."""
    return tuple(dict.fromkeys(warning for system in systems for warning in system.warnings))
