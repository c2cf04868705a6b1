"""A gate on bare scores of two systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from assay.core.errors import ParameterError
from assay.subjects.scores.subject import SCORES
from assay.tables import Scores
from assay.verbs.gating.sides import TAKES, Sides, Two, chosen_two


def two_systems(data: Any, two: Two, measures: Any, seed: int, rules: Mapping[str, Any]) -> Sides:
    """The baseline and the candidate, which are systems of the table, by name.

    >>> rows = [(system, "time", "page", "1", value, None) for system, value in (("a", 3.0), ("b", 2.0))]
    >>> scores = Scores(pl.DataFrame(rows, schema=Scores.SCHEMA, orient="row"))
    >>> two_systems(scores, Two("b"), None, 0, {}).pairing.sample("time").systems
    ('b', 'a')
    """
    if not isinstance(data, Scores):
        raise ParameterError(TAKES)
    for side in two:
        if side is not None and not isinstance(side, str):
            raise ParameterError(f"of scores, baseline and candidate are names of systems, not {type(side).__name__}")
    chosen = chosen_two(data.frame["system"].unique(maintain_order=True).to_list(), *two)
    frame = pl.concat([data.frame.filter(system=name) for name in chosen])
    pairing = SCORES.pairing([replace(data, frame=frame)], measures, seed, rules)
    return Sides(pairing, pairing.measure_names(measures))
