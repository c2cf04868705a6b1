"""Scores beside the truth in whatever shape they are given, one `Scored` a system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.classification import Classification
from assay.classification.collapsing import against_rest
from assay.classification.opening import opened
from assay.core.arguments import argument, naming
from assay.core.errors import InputError, ParameterError, did_you_mean, listed
from assay.counting.label_pairs import weights_of
from assay.counting.positives import positives
from assay.counting.scored import Scored
from assay.files import is_file
from assay.files.sources import Source
from assay.tables.label_rules import label_among
from assay.tables.predictions import Predictions

#: Whole numbers beyond this are not all there among numbers of 64-bit floating point, which thresholds are.
_EXACT = 1 << 53


class ScoredSystem(NamedTuple):
    """One system's scores: its name, the positive label, what is odd, its file, the items' ids; None: not known."""

    name: str
    scored: Scored
    positive: Any = None
    warnings: tuple[str, ...] = ()
    origin: str | None = None
    item_id: pl.Series | None = None


def scored_systems(
    given: Any, y_score: Any = None, *, pos_label: Any = None, sample_weight: Any = None, system: str | None = None
) -> list[ScoredSystem]:
    """All systems, or the one that is asked for.

    `given` is the truth, with `y_score` (an array, or a dict from names to arrays); or `Predictions`, `Scored` or a
    path; or several of these in a list, or in a dict with their names.

    >>> [one.name for one in scored_systems([0, 1], {"old": [0.2, 0.1], "new": [0.2, 0.7]})]
    ['old', 'new']
    """
    if y_score is not None:
        found = _of_arrays(given, y_score, pos_label, sample_weight)
    elif sample_weight is not None:
        raise ParameterError("sample_weight goes with y_true and y_score; predictions hold their own weights")
    else:
        found = _of(given, pos_label)
    for one in found:
        if not len(one.scored.positive) + len(one.scored.negative):
            raise InputError(f"{one.name}: {'all weights are 0' if one.scored.is_weighted else 'there is no item'}")
    names = [one.name for one in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ParameterError(f"two systems are called {twice!r}: give each a name of its own, {naming()}")
    if system is None:
        return found
    if system not in names:
        raise ParameterError(
            f"no system is called {system!r}{did_you_mean(system, names) or f'; there is {listed(names)}'}"
        )
    return [found[names.index(system)]]


def only_one(systems: list[ScoredSystem]) -> ScoredSystem:
    """The only system, or an error that says which there are; its scores as thresholds tell them apart."""
    if len(systems) > 1:
        names = [one.name for one in systems]
        raise ParameterError(
            f"a threshold is of one system, and there are {listed(names)}: say {argument('system', names[0])}"
        )
    return _told_apart(systems[0])


def _told_apart(one: ScoredSystem) -> ScoredSystem:
    """Large whole numbers as 64-bit floating point, so that a threshold decides as the table of thresholds counts."""
    scored = one.scored
    sides = [side for side in (scored.positive, scored.negative) if len(side) and side.dtype.kind != "f"]
    if all(side[0] >= -_EXACT and side[-1] <= _EXACT for side in sides):
        return one
    positive, negative = (side.astype(np.float64) for side in (scored.positive, scored.negative))
    said = f"{one.name}: whole numbers beyond 2^53 are rounded to 16 digits, and may be alike then"
    return one._replace(scored=replace(scored, positive=positive, negative=negative), warnings=(*one.warnings, said))


def _is_whole(value: Any) -> bool:
    """Whether a value is a system by itself, not a label of one."""
    return isinstance(value, Predictions | Classification | Scored | ScoredSystem | Source) or is_file(value)


def _of(given: Any, pos_label: Any) -> list[ScoredSystem]:
    if isinstance(given, ScoredSystem):
        return [given]
    if isinstance(given, Scored):
        return [ScoredSystem("scores", given, pos_label)]
    if _is_whole(given):
        return [_of_predictions(one) for one in opened(given, pos_label)]
    if isinstance(given, Mapping):
        return [
            one._replace(name=str(name) if len(own) == 1 else f"{name} {one.name}")
            for name, value in given.items()
            for own in [_of(value, pos_label)]
            for one in own
        ]
    if isinstance(given, list | tuple) and given and all(map(_is_whole, given)):
        return [one for value in given for one in _of(value, pos_label)]
    if isinstance(given, tuple) and len(given) == 2:
        return _of_arrays(*given, pos_label, None)
    raise ParameterError("expected y_true and y_score, or predictions with scores: Predictions, Scored or a path")


def _of_predictions(given: Predictions) -> ScoredSystem:
    label, score = given.pos_label, given.score
    if given.kind == "multilabel" and label is not None:  # who has the label, against who has not
        two_labels: Any = against_rest(given, label)
        return _of_predictions(two_labels)
    if score is None and given.class_scores:
        if label is None:
            names = [str(one) for one in given.class_scores]
            raise ParameterError(
                f"{given.name}: there is a score a class: say which class is positive, against all others, "
                f"as in {argument('pos_label', names[0])}"
            )
        label = label_among(list(given.class_scores), label)
        score = given.class_scores[label]
    if score is None:
        raise InputError(f"{given.name}: there is no score an item to choose a threshold from")
    if label is None:
        label = given.positive
    scored = Scored.from_scores(given.truth, score, pos_label=label, sample_weight=given.weight)
    origin = None if given.origin == "in memory" else given.origin
    return ScoredSystem(given.name, scored, label, given.warnings, origin, given.item_id if given.has_ids else None)


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


def said(systems: Iterable[ScoredSystem]) -> tuple[str, ...]:
    """What is odd about any of them, once each."""
    return tuple(dict.fromkeys(warning for one in systems for warning in one.warnings))
