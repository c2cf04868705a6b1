"""`GivenCurve`: points of a precision-recall curve as somebody gives them, without the ranking behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.core.errors import ParameterError
from assay.measures.steps import Steps


@dataclass(frozen=True, eq=False)
class GivenCurve:
    """Points of one precision-recall curve a unit, by falling recall.

    >>> GivenCurve.from_points([(1.0, 0.0), (0.5, 1.0)]).points["recall"]  # (precision, recall)
    array([1., 0.])
    """

    unit_kind: ClassVar[str] = "query"

    units: tuple[str, ...]
    points: Steps

    @classmethod
    def from_points(cls, *curves: Sequence[tuple[float, float]]) -> GivenCurve:
        """Make curves by hand: each a list of (precision, recall)."""
        if not curves:
            raise ParameterError("there is no precision-recall curve")
        rows: list[tuple[int, float, float]] = []
        for unit, curve in enumerate(curves):
            if not isinstance(curve, Sequence) or not curve:
                raise ParameterError(f"a precision-recall curve is a list of one point at least, not {curve!r}")
            checked = sorted((_point(point) for point in curve), key=lambda point: -point[1])
            rows += [(unit, recall, precision) for precision, recall in checked]
        units, recalls, precisions = zip(*rows, strict=True)
        columns = {"recall": np.array(recalls, dtype=np.float64), "precision": np.array(precisions, dtype=np.float64)}
        points = Steps(np.array(units, dtype=np.int64), len(curves), columns, says="points")
        return cls(tuple(f"q{number}" for number in range(1, len(curves) + 1)), points)


def _point(point: object) -> tuple[float, float]:
    """A point of a curve, checked."""
    pair = tuple(point) if isinstance(point, Sequence) and not isinstance(point, str) else ()
    if len(pair) != 2 or any(isinstance(value, bool | str) or not hasattr(value, "__float__") for value in pair):
        raise ParameterError(f"a point of a curve is two numbers, (precision, recall), not {point!r}")
    precision, recall = (float(value) for value in pair)
    if not (0 <= precision <= 1 and 0 <= recall <= 1):
        raise ParameterError(f"precision and recall lie between 0 and 1, not {precision:g} at recall {recall:g}")
    return precision, recall
