"""The orientation of a typed confusion matrix: the meaning of its rows, and the positive label."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from assay.core.digits import NOT_AVAILABLE, short
from assay.core.errors import ParameterError, argument
from assay.measures.counting.confusion_matrix import ConfusionMatrix, Orientation
from assay.measures.matrices import overall
from assay.measures.registry import Measure
from assay.subjects.labels.measurement import LABEL_COUNTS, measure_of
from assay.tables.label_rules import positive_label

#: Numbers of the two labels that differ by more than this tell of two classifiers: nobody may guess which is meant.
MUCH = 0.1
_TWO = 2
_PLACES = ("the first", "the second")


def with_positive(matrix: ConfusionMatrix, pos_label: Any = None) -> ConfusionMatrix:
    """A matrix of two labels with a positive one: the stated one, or that of a known pair such as 0 and 1.

    >>> matrix = with_positive(ConfusionMatrix.from_matrix([[20, 10], [180, 1820]]))
    >>> matrix.labels[matrix.positive]
    1
    """
    if matrix.positive is not None and pos_label is None:
        return matrix
    return replace(matrix, positive=matrix.place(positive_label(matrix.labels, pos_label)))


def refuse_unclear(matrix: ConfusionMatrix, measures: Iterable[str | Measure] = ()) -> None:
    """Refuse two labels that nobody named, where the numbers say something else with the other one as positive.

    >>> refuse_unclear(ConfusionMatrix.from_matrix([[20, 10], [180, 1820]]), ["MCC"])
    >>> refuse_unclear(ConfusionMatrix.from_matrix([[20, 10], [180, 1820]]))
    Traceback (most recent call last):
        ...
    assay.core.errors.ParameterError: which label is positive? F1 is 0.1739 if it is 0 (the first), 0.9504 if it
    is 1 (the second): say pos_label=0 or pos_label=1
    """
    for measure in measures or ("F",):
        first, second = (_number(measure, matrix, label) for label in matrix.labels)
        if abs(first - second) <= MUCH or (math.isnan(first) and math.isnan(second)):
            continue
        cases = [
            f"{_shown(value)} if it is {label} ({place})"
            for value, label, place in zip((first, second), matrix.labels, _PLACES, strict=True)
        ]
        ways = " or ".join(argument("pos_label", label) for label in matrix.labels)
        name = measure_of(measure, "binary")
        raise ParameterError(f"which label is positive? {name} is {cases[0]}, {cases[1]}: say {ways}")


def sentence(matrix: ConfusionMatrix, orientation: Orientation = "rows_are_true", *, of_two: bool = True) -> str:
    """A sentence on how a matrix is read and, of two labels, on its numbers with either as the positive one.

    `of_two`: nobody has set one class against the rest.

    >>> sentence(ConfusionMatrix.from_matrix([[5, 0], [1, 3]]))
    'rows are the truth; positive is 1, the second: precision 1, recall 0.7500 (were it 0: 0.8333 and 1)'
    """
    rows = "rows are the truth" if orientation == "rows_are_true" else "rows are the prediction"
    if len(matrix.labels) == _TWO:
        with suppress(ParameterError):  # nobody knows which of two names is positive
            matrix = with_positive(matrix)
    if not of_two or len(matrix.labels) != _TWO or matrix.positive is None:
        return rows
    place = matrix.positive
    precision, recall = _two_numbers(matrix, matrix.labels[place])
    others = " and ".join(_two_numbers(matrix, matrix.labels[1 - place]))
    numbers = f"precision {precision}, recall {recall} (were it {matrix.labels[1 - place]}: {others})"
    return f"{rows}; positive is {matrix.labels[place]}, {_PLACES[place]}: {numbers}"


def _two_numbers(matrix: ConfusionMatrix, label: Any) -> Sequence[str]:
    return [_shown(_number(name, matrix, label)) for name in ("Precision", "Recall")]


def _number(measure: str | Measure, matrix: ConfusionMatrix, label: Any) -> float:
    """The measure with this label as the positive one; NaN where a matrix does not have it."""
    wanted = measure_of(measure, "binary")
    if wanted.definition.counts not in LABEL_COUNTS:
        return math.nan
    return float(overall(wanted, replace(matrix, positive=matrix.place(label))).values[0])


def _shown(value: float) -> str:
    return NOT_AVAILABLE if math.isnan(value) else short(value)
