"""Data typed on a command line instead of a file: matrices, labels, scores, grades, points, orders."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from assay.core.errors import ParameterError, number_of, quote

Held = TypeVar("Held")

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


def lists_by_name(typed: Sequence[str], read: Callable[[str], Held], prefix: str = "q") -> dict[str, Held]:
    """Lists as they were typed, each read, by the names before them; those without one are q1, q2 and so on.

    >>> lists_by_name(["Woman=13,6,7", "2,3,4"], cells_in, "class ")
    {'Woman': [13, 6, 7], 'class 2': [2, 3, 4]}
    """
    lists: dict[str, Held] = {}
    for number, text in enumerate(typed, 1):
        before, equals, values = text.rpartition("=")
        if equals and not before.strip():
            raise ParameterError(f"expected a name before the = of {text!r}")
        name = before.strip() or f"{prefix}{number}"
        if name in lists:
            raise ParameterError(f"two lists are called {name!r}")
        lists[name] = read(values)
    return lists


def looks_like_matrix(text: str) -> bool:
    """True if a text is meant as a typed matrix, and not as the name of a file: numbers, or rows with some in them.

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
    rows = _matrix_rows(text, "--matrix")
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows):
            raise ParameterError(
                f"--matrix: expected {_MATRIX}, as many numbers per row as there are rows ({len(rows)}), "
                f"got {len(row)} in row {number}"
            )
    return rows


def table_in(text: str) -> list[list[float]]:
    """The rows of a table of classes (rows) and clusters (columns), typed as a matrix is, which need not be square.

    >>> table_in("5 1 2; 1 4 0")
    [[5.0, 1.0, 2.0], [1.0, 4.0, 0.0]]
    """
    rows = _matrix_rows(text, "--contingency")
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise ParameterError(
                f"--contingency: expected as many numbers in row {number} as in row 1, {len(rows[0])}, got {len(row)}"
            )
    return rows


def names_in(text: str, option: str, what: str) -> list[str]:
    """Names, with commas between them.

    >>> names_in("x, y", "--points", "columns")
    ['x', 'y']
    """
    names = [name.strip() for name in text.split(",")]
    if "" in names:
        raise ParameterError(f"{option}: expected {what} with commas between them, got {quote(text)}")
    return names


def labels_in(text: str, option: str = "--labels", count: int | None = None) -> list[str]:
    """Labels, each once, with commas between them; as many as there are things to name, if that is known.

    >>> labels_in("Woman, Man,Child")
    ['Woman', 'Man', 'Child']
    """
    labels = names_in(text, option, "different labels")
    if len(set(labels)) < len(labels):
        raise ParameterError(f"{option}: expected different labels with commas between them, got {quote(text)}")
    if count is not None and len(labels) != count:
        raise ParameterError(f"{option}: expected {number_of('name', count)}, got {len(labels)}")
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
    """The number of documents of each grade.

    >>> numbers_by_grade("3:5,2:10")
    {3.0: 5, 2.0: 10}
    """
    numbers: dict[float, int] = {}
    for grade, count in _pairs(_words(text) or [""], "--exist is grades and counts, such as 3:5,2:10"):
        if not (count.isascii() and count.isdecimal() and len(count) < 10) or int(count) > _MOST_DOCUMENTS:
            raise ParameterError(f"--exist is grades and counts, such as 3:5,2:10, not {text!r}")
        number = _number(grade, "--exist")
        if number in numbers:
            raise ParameterError(f"--exist names grade {number:g} twice")
        numbers[number] = int(count)
    return numbers


def grades_by_document(text: str) -> dict[str, float]:
    """The grade of each judged document.

    >>> grades_by_document("A:3,B:2")
    {'A': 3.0, 'B': 2.0}
    """
    grades: dict[str, float] = {}
    for document, grade in _pairs(text.split(","), "--judged is documents and grades, such as A:3,B:2"):
        if document in grades:
            raise ParameterError(f"--judged names document {document!r} twice")
        grades[document] = _number(grade, "--judged")
    return grades


def numbers_in(text: str) -> list[int]:
    """Numbers of clusters as they are typed: from one to another, both included, or one by one.

    >>> numbers_in("2:5"), numbers_in("2:10:4"), numbers_in("2, 8")
    ([2, 3, 4, 5], [2, 6, 10], [2, 8])
    """
    if (ends := re.fullmatch(r"(\d+):(\d+)(?::(\d+))?", text.strip())) is not None:
        low = int(ends[1])
        high = int(ends[2])
        step = int(ends[3] or 1)
        if low <= high and step > 0:
            return list(range(low, high + 1, step))
    elif all(part.strip().isdecimal() for part in text.split(",")):
        return [int(part) for part in text.split(",")]
    raise ParameterError(f"--ks: expected numbers of clusters, as 2:10 or 2,4,8, got {text!r}")


def list_of_numbers(text: str, name: str, kind: Callable[[str], Held] = float) -> list[Held]:  # type: ignore[assignment]
    """Numbers, with commas between them.

    >>> list_of_numbers("0.5,0.75", "--quantiles"), list_of_numbers("5,10", "--depths", int)
    ([0.5, 0.75], [5, 10])
    """
    try:
        return [kind(word) for word in text.split(",")]
    except ValueError:
        example = "whole numbers as in 5,10,20" if kind is int else "numbers as in 0.5,0.75,0.9"
        raise ParameterError(f"{name}: expected {example}, got {text!r}") from None


def order_in(text: str) -> dict[str, float]:
    """A number for each item, the larger the better: items with the best first, = between tied ones.

    >>> order_in("A B=C D"), order_in("A > B")
    ({'A': -1.0, 'B': -2.0, 'C': -2.0, 'D': -3.0}, {'A': -1.0, 'B': -2.0})
    """
    numbers: dict[str, float] = {}
    for place, group in enumerate(re.split(r"[\s,>]+", re.sub(r"\s*=\s*", "=", text.strip())), 1):
        for item in group.split("="):
            if not item:
                raise ParameterError(f"--order: expected {_ORDER}, got {quote(text) if text.strip() else 'nothing'}")
            if item in numbers:
                raise ParameterError(f"--order: expected each item once, got {quote(item)} twice in {quote(text)}")
            numbers[item] = -float(place)
    return numbers


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


def _matrix_rows(text: str, option: str) -> list[list[float]]:
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
    """The words between commas or blanks; nothing between two commas is an empty word, and no number."""
    return [word for part in text.split(",") for word in (part.split() or [""])] if text.strip() else []


def _pairs(words: Sequence[str], expected: str) -> Iterator[tuple[str, str]]:
    """The parts before and behind the last colon of each word."""
    for word in words:
        before, colon, behind = word.strip().rpartition(":")
        if not colon or not before:
            raise ParameterError(f"{expected}, not {word.strip()!r}")
        yield before, behind


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
