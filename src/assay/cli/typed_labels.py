"""A classifier's matrix, labels and scores, and a clustering's table, as somebody types them."""

from __future__ import annotations

import math
import os
import re
from typing import NamedTuple

from assay.core.errors import ParameterError, quote

_MATRIX = "rows with ; between them, such as '13 4 2; 2 15 1; 5 1 57'"
_SCORES = "a class and a score each, such as 'P .90, N .70, P .60'"
#: What stands for the positive and for the negative class in a list of scores.
_SIGNS = {"P": True, "+": True, "1": True, "N": False, "-": False, "0": False}
#: Counts beyond this lose digits.
_MOST = float(1 << 53)


class TypedScores(NamedTuple):
    """Which items of a list are positive, and their scores."""

    truth: list[bool]
    scores: list[float]


def looks_like_matrix(text: str) -> bool:
    """Whether a text is meant as a typed matrix, and not as the name of a file: numbers, or rows with some in them.

    >>> looks_like_matrix("5 0; 1 3"), looks_like_matrix("5 0; 1 x"), looks_like_matrix("matrix.csv")
    (True, True, False)
    """
    if not any(character.isdigit() for character in text):
        return False
    exists = os.path.exists(text)  # noqa: PTH110  # that of Path raises an error if the text is too long for a name
    rows = re.search(r";|\s/\s", text) is not None and not exists
    return rows or re.fullmatch(r"[\d\s.,;/eE+-]+", text) is not None


def matrix_in(text: str) -> list[list[float]]:
    """The rows of a square matrix: `;` or `/` between rows, blanks or commas between numbers.

    >>> matrix_in("13 4; 2 15"), matrix_in("5,0 / 1,3")
    ([[13.0, 4.0], [2.0, 15.0]], [[5.0, 0.0], [1.0, 3.0]])
    """
    rows = _rows(text, "--matrix")
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows):
            raise ParameterError(
                f"--matrix: expected {_MATRIX}, as many numbers a row as there are rows ({len(rows)}), "
                f"got {len(row)} in row {number}"
            )
    return rows


def table_in(text: str) -> list[list[float]]:
    """The rows of a table of classes (rows) and clusters (columns), typed as a matrix is, which need not be square.

    >>> table_in("5 1 2; 1 4 0")
    [[5.0, 1.0, 2.0], [1.0, 4.0, 0.0]]
    """
    rows = _rows(text, "--table")
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise ParameterError(
                f"--table: expected as many numbers in row {number} as in row 1, {len(rows[0])}, got {len(row)}"
            )
    return rows


def labels_in(text: str, option: str = "--labels") -> list[str]:
    """Labels, with commas between them.

    >>> labels_in("Woman, Man,Child")
    ['Woman', 'Man', 'Child']
    """
    labels = [label.strip() for label in text.split(",")]
    if "" in labels or len(set(labels)) < len(labels):
        raise ParameterError(f"{option}: expected different labels with commas between them, got {quote(text)}")
    return labels


def scores_in(text: str) -> TypedScores:
    """The class and the score of each item: P or N (also + and -, 1 and 0), then the score; commas between items.

    >>> scores_in("P .90, N .70")
    TypedScores(truth=[True, False], scores=[0.9, 0.7])
    """
    truth, scores = [], []
    for item in text.split(","):
        words = item.split()
        if len(words) != 2 or words[0].upper() not in _SIGNS:
            raise ParameterError(
                f"--scores: expected {_SCORES}, got {quote(item.strip()) if item.strip() else 'nothing'}"
            )
        truth.append(_SIGNS[words[0].upper()])
        scores.append(_number(words[1], "--scores"))
    return TypedScores(truth, scores)


def _rows(text: str, option: str) -> list[list[float]]:
    return [
        [_count(word, f"{option}: row {number}") for word in re.split(r"\s*,\s*|\s+", row.strip())]
        for number, row in enumerate(re.split(r"[;/\n]", text), 1)
    ]


def _count(word: str, where: str) -> float:
    number = _number(word, where)
    if not 0 <= number < _MOST:
        raise ParameterError(f"{where}: expected numbers from 0 {'on' if number < 0 else 'to 2^53'}, got {word}")
    return number


def _number(word: str, where: str) -> float:
    try:
        number = float(word) if word.isascii() and "_" not in word else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ParameterError(f"{where}: expected a number, got {quote(word) if word else 'nothing'}")
    return number
