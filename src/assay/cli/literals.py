"""What is typed on a command line instead of a file: matrices, labels, scores, grades, points, orders."""

from __future__ import annotations

import math
import os
import re
from typing import NamedTuple

from assay.core.errors import ParameterError, quote
from assay.files.records import is_whole

_MATRIX = "rows with ; between them, such as '13 4 2; 2 15 1; 5 1 57'"
_SCORES = "a class and a score each, such as 'P .90, N .70, P .60'"
_ORDER = "items with the best first, blanks between them and = between tied ones, such as 'A B=C D'"
_POINTS = "numbers with | between clusters, such as '0 1 2 | 10 11', or with ; between points, '0,0; 1,1 | 5,5; 6,5'"
#: What stands for the positive and for the negative class in a list of scores.
_SIGNS = {"P": True, "+": True, "1": True, "N": False, "-": False, "0": False}
_UNJUDGED = {"-", "u", "?"}
_LETTERS = {"R": 1.0, "N": 0.0}
#: Counts beyond this lose digits.
_MOST = float(1 << 53)
_MOST_CELLS = 1e15
#: Documents that exist are listed one by one, to be ranked ideally.
_MOST_DOCUMENTS = 10_000_000


class Named(NamedTuple):
    """A list as it was typed, and the name in front of it if it has one."""

    name: str | None
    text: str

    @classmethod
    def of(cls, typed: str) -> Named:
        """Take `name=list` apart.

        >>> Named.of("Woman=13,6,7,74")
        Named(name='Woman', text='13,6,7,74')
        """
        name, equals, text = typed.rpartition("=")
        if equals and not name.strip():
            raise ParameterError(f"expected a name before the = of {typed!r}")
        return cls(name.strip() if equals else None, text)


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
    rows = _rows(text, "--contingency")
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise ParameterError(
                f"--contingency: expected as many numbers in row {number} as in row 1, {len(rows[0])}, got {len(row)}"
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


def scores_in(text: str) -> tuple[list[bool], list[float]]:
    """The class and the score of each item: P or N (also + and -, 1 and 0), then the score; commas between items.

    >>> scores_in("P .90, N .70")
    ([True, False], [0.9, 0.7])
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
    return truth, scores


def grades_in(text: str) -> list[float | None]:
    """Grades by rank, with commas or blanks between them; R and N are 1 and 0, and - is a document nobody judged.

    >>> grades_in("3,2,-,0"), grades_in("R N R")
    ([3.0, 2.0, None, 0.0], [1.0, 0.0, 1.0])
    """
    grades = [_grade(word) for word in _words(text)]
    if not grades:
        raise ParameterError("--grades: expected grades by rank, such as 3,2,0,-,1, got nothing")
    return grades


def cells_in(text: str) -> list[int]:
    """Three or four cells of a table of decisions: TP, FP, FN and, if it is known, TN.

    >>> cells_in("4,6,4")
    [4, 6, 4]
    """
    cells = [_number(cell, "--counts") for cell in _words(text)]
    if len(cells) not in {3, 4} or any(cell < 0 or cell != int(cell) or cell > _MOST_CELLS for cell in cells):
        raise ParameterError(f"--counts is three or four whole numbers, TP,FP,FN[,TN], not {text!r}")
    return [int(cell) for cell in cells]


def points_in(text: str) -> list[tuple[float, float]]:
    """Points of a precision-recall curve, each precision@recall.

    >>> points_in("0.1@1,.5@.9")
    [(0.1, 1.0), (0.5, 0.9)]
    """
    points = []
    for word in _words(text):
        precision, at, recall = word.partition("@")
        if not at:
            raise ParameterError(f"--points is precision@recall, such as 0.5@0.9,1@0, not {word!r}")
        points.append((_number(precision, "--points"), _number(recall, "--points")))
    if not points:
        raise ParameterError("--points: expected precision@recall, such as 0.5@0.9,1@0, got nothing")
    return points


def numbers_by_grade(text: str) -> dict[float, int]:
    """How many documents of each grade exist.

    >>> numbers_by_grade("3:5,2:10")
    {3.0: 5, 2.0: 10}
    """
    numbers: dict[float, int] = {}
    for pair in _words(text):
        grade, colon, count = pair.partition(":")
        if not colon or not is_whole(count) or int(count) > _MOST_DOCUMENTS:
            raise ParameterError(f"--exist is grades and counts, such as 3:5,2:10, not {text!r}")
        number = _number(grade, "--exist")
        if number in numbers:
            raise ParameterError(f"--exist names grade {number:g} twice")
        numbers[number] = int(count)
    if not numbers:
        raise ParameterError(f"--exist is grades and counts, such as 3:5,2:10, not {text!r}")
    return numbers


def swapped(grades: list[float | None], text: str) -> list[float | None]:
    """The list with the documents at two ranks exchanged.

    >>> swapped([1.0, 0.0, 1.0], "1,2")
    [0.0, 1.0, 1.0]
    """
    words = _words(text)
    if len(words) != 2 or not all(map(is_whole, words)):
        raise ParameterError(f"--swap is two ranks, such as 2,3, not {text!r}")
    first, second = (int(word) for word in words)
    if not (1 <= first <= len(grades) and 1 <= second <= len(grades)):
        raise ParameterError(f"--swap {text}: the list has the ranks 1 to {len(grades)}")
    changed = list(grades)
    changed[first - 1], changed[second - 1] = grades[second - 1], grades[first - 1]
    return changed


def order_in(text: str) -> list[list[str]]:
    """Items with the best first; those that are tied stand together.

    >>> order_in("A B=C D"), order_in("A > B > C")
    ([['A'], ['B', 'C'], ['D']], [['A'], ['B'], ['C']])
    """
    groups = [
        [item.strip() for item in group.split("=")]
        for group in re.split(r"[\s,>]+", "=".join(part.strip() for part in text.split("=")))
    ]
    items = [item for group in groups for item in group]
    if "" in items:
        raise ParameterError(f"--order: expected {_ORDER}, got {quote(text) if text.strip() else 'nothing'}")
    if len(set(items)) < len(items):
        twice = next(item for item in items if items.count(item) > 1)
        raise ParameterError(f"--order: expected each item once, got {quote(twice)} twice in {quote(text)}")
    return groups


def numbers_of(groups: list[list[str]]) -> dict[str, float]:
    """A number for each item of an order, the larger the better; tied items have the same.

    >>> numbers_of([["A"], ["B", "C"]])
    {'A': -1.0, 'B': -2.0, 'C': -2.0}
    """
    return {item: -float(place) for place, group in enumerate(groups, 1) for item in group}


def points_in_clusters(text: str) -> tuple[list[list[float]], list[int]]:
    """Points, and the number of each one's cluster: `|` between clusters, `;` between points of several numbers.

    >>> points_in_clusters("0 1 | 10")
    ([[0.0], [1.0], [10.0]], [1, 1, 2])
    >>> points_in_clusters("0,0; 1,1 | 5,5")[0]
    [[0.0, 0.0], [1.0, 1.0], [5.0, 5.0]]
    """
    several = ";" in text
    if not several and (unclear := re.search(r"[^\s,|]+(,[^\s,|]+)+", text)):
        raise ParameterError(
            f"--clusters: {quote(unclear[0])} may be one point or several: end each point with ';', such as "
            "'0,0; | 5,5;', or put blanks between points that are single numbers"
        )
    rows: list[list[float]] = []
    clusters: list[int] = []
    for number, part in enumerate(text.split("|"), 1):
        words = [point for point in part.split(";") if point.strip()] if several else re.split(r"[\s,]+", part.strip())
        if not words or words == [""]:
            raise ParameterError(f"--clusters: expected {_POINTS}, got no point in cluster {number}")
        rows += [
            [_number(word, "--clusters", _POINTS) for word in re.split(r"[\s,]+", point.strip())] for point in words
        ]
        clusters += [number] * len(words)
    for place, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise ParameterError(
                f"--clusters: expected as many numbers in point {place} as in the first, {len(rows[0])}, got {len(row)}"
            )
    return rows, clusters


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


def _words(text: str) -> list[str]:
    """What stands between commas or blanks; nothing between two commas is an empty word, and no number."""
    return [word for part in text.split(",") for word in (part.split() or [""])] if text.strip() else []


def _grade(word: str) -> float | None:
    if word in _UNJUDGED:
        return None
    return _LETTERS[word.upper()] if word.upper() in _LETTERS else _number(word, "--grades")


def _number(word: str, where: str, expected: str = "a number") -> float:
    try:
        number = float(word) if word.isascii() and "_" not in word else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ParameterError(f"{where}: expected {expected}, got {quote(word) if word else 'nothing'}")
    return number
