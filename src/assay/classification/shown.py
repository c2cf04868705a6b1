"""`Shown`: how a classification is shown."""

from __future__ import annotations

from typing import NamedTuple

from assay.counting.confusion_matrix import Normalize, Orientation


class Shown(NamedTuple):
    """How a classification is shown: the matrix turned, as shares or in another order; how many errors and pairs."""

    orientation: Orientation = "rows_are_true"
    normalize: Normalize | None = None
    reorder: bool = False
    errors: int = 0
    most_confused: int = 0
    prevalences: tuple[float, ...] = ()
