"""What a classifier's numbers mean for whoever relies on it: remarks, each with the number behind it.

A remark is made by a function that is registered under its code; `mute=("prevalence",)` keeps it quiet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.classification import remarks_on_labels, remarks_on_two
from assay.classification.remark import CHECKS, Case, Remark
from assay.core.errors import ParameterError, did_you_mean
from assay.counting.confusion_matrix import ConfusionMatrix

if TYPE_CHECKING:
    from assay.classification.result import Classification

__all__ = ["Remark", "advise", "check_codes", "codes", "remarks_on_labels", "remarks_on_two"]


def codes() -> tuple[str, ...]:
    """The codes of all remarks, which can be muted.

    >>> "prevalence" in codes()
    True
    """
    return tuple(CHECKS)


def check_codes(mute: Sequence[str]) -> None:
    """Refuse a code that no remark has."""
    for code in mute:
        if code not in CHECKS:
            raise ParameterError(f"no remark is called {code!r}: {', '.join(CHECKS)}{did_you_mean(code, CHECKS)}")


def advise(result: Classification) -> tuple[Remark, ...]:
    """All remarks on all systems, but for those that were muted."""
    remarks: list[Remark] = []
    for system in result.systems:
        matrix = system.counts.get(ConfusionMatrix)
        if matrix is None:
            continue
        case = Case(result, system, matrix, _cells(matrix))
        for check in dict.fromkeys(CHECKS.values()):
            remarks += [remark._replace(system=system.name) for remark in check(case) if remark.code not in result.mute]
    return tuple(remarks)


def _cells(matrix: ConfusionMatrix) -> tuple[float, float, float, float] | None:
    if matrix.positive is None:
        return None
    cells = matrix.positive_class()
    tp, fp, fn = float(cells.tp[0]), float(cells.fp[0]), float(cells.fn[0])
    return tp, fp, fn, float(matrix.items[0]) - tp - fp - fn
