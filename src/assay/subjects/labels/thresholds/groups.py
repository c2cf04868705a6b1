"""Items that belong together, such as the documents of a query: resamples draw them whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.errors import InputError, ParameterError, argument, number_of
from assay.measures.counting.judgments import Ints
from assay.subjects.labels.inputs import ScoredSystem
from assay.tables.label_columns import ids_of

#: What the column of groups is called in a table of predictions.
GROUP = "group"
_FEWEST = 2


@dataclass(frozen=True, eq=False)
class ItemGroups:
    """The group of each positive and of each negative item, in the order of their scores, as numbers from 0."""

    positive: Ints
    negative: Ints
    number: int

    def drawn(self, resamples: int, seed: int) -> Iterator[tuple[Ints, Ints]]:
        """Draws of each positive and each negative item, where whole groups are drawn.

        >>> groups = ItemGroups(np.array([0, 1]), np.array([1]), 2)
        >>> [(positive.tolist(), negative.tolist()) for positive, negative in groups.drawn(2, seed=0)]
        [([0, 2], [2]), ([1, 1], [1])]
        """
        rng = np.random.default_rng(seed)
        for _ in range(resamples):
            often = np.bincount(rng.integers(self.number, size=self.number), minlength=self.number)
            yield often[self.positive], often[self.negative]


def groups_of(system: ScoredSystem, groups: Any) -> ItemGroups | None:
    """The groups of a system's items: a value per item, or the name of the column that was kept."""
    if groups is None:
        return None
    items = system.predictions
    if isinstance(groups, str):
        if items is None or GROUP not in items.columns.columns:
            raise InputError(f"{system.name}: there is no column {groups!r} of groups")
        values = items.columns[GROUP]
    else:
        values = ids_of(groups, "groups")
    if items is None:
        raise ParameterError(f"{argument('groups')} goes with predictions: Predictions.of(y_true, y_score=...)")
    if len(values) != len(items):
        raise InputError(f"groups: expected {number_of('value', len(items))}, one per item, got {len(values):,}")
    if values.null_count():
        raise InputError(f"{system.name}: {number_of('item', values.null_count())} without a group")
    codes = values.rank("dense").to_numpy().astype(np.int64) - 1
    number = int(codes.max()) + 1
    if number < _FEWEST:
        raise InputError(f"{system.name}: expected two groups of items or more, got {number}")
    truth = (items.truth == system.positive).to_numpy()
    scores = _scores_of(system)
    counts = np.ones(len(items), dtype=np.bool_) if items.weight is None else (items.weight > 0).to_numpy()
    # As `Scored` sorts them, so that each item's weight stays with its group where scores are tied.
    rows = [np.flatnonzero(side & counts) for side in (truth, ~truth)]
    positive, negative = (codes[side[np.argsort(scores[side])]] for side in rows)
    return ItemGroups(positive, negative, number)


def _scores_of(system: ScoredSystem) -> Any:
    """The scores that thresholds are chosen from, in the order of the items."""
    items: Any = system.predictions
    chosen = items.score if items.score is not None else items.class_scores[system.positive]
    return chosen.to_numpy()
