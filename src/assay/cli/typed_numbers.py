"""Grades, cells and points as somebody types them on a command line."""

from __future__ import annotations

import math
from typing import NamedTuple

from assay.core.errors import ParameterError
from assay.files.records import is_whole

_UNJUDGED = {"-", "u", "?"}
_LETTERS = {"R": 1.0, "N": 0.0}
#: Counts beyond this lose digits.
_MOST = 1e15
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
    if len(cells) not in {3, 4} or any(cell < 0 or cell != int(cell) or cell > _MOST for cell in cells):
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
    made: dict[float, int] = {}
    for pair in _words(text):
        grade, colon, count = pair.partition(":")
        if not colon or not is_whole(count) or int(count) > _MOST_DOCUMENTS:
            raise ParameterError(f"--exist is grades and counts, such as 3:5,2:10, not {text!r}")
        number = _number(grade, "--exist")
        if number in made:
            raise ParameterError(f"--exist names grade {number:g} twice")
        made[number] = int(count)
    if not made:
        raise ParameterError(f"--exist is grades and counts, such as 3:5,2:10, not {text!r}")
    return made


def swapped(grades: list[float | None], text: str) -> list[float | None]:
    """The list with the documents at two ranks exchanged.

    >>> swapped([1.0, 0.0, 1.0], "1,2")
    [0.0, 1.0, 1.0]
    """
    words = _words(text)
    if len(words) != 2 or not all(map(is_whole, words)):
        raise ParameterError(f"--swap is two ranks, such as 2,3, not {text!r}")
    one, other = (int(word) for word in words)
    if not (1 <= one <= len(grades) and 1 <= other <= len(grades)):
        raise ParameterError(f"--swap {text}: the list has the ranks 1 to {len(grades)}")
    changed = list(grades)
    changed[one - 1], changed[other - 1] = grades[other - 1], grades[one - 1]
    return changed


def _words(text: str) -> list[str]:
    """What stands between commas or blanks; nothing between two commas is an empty word, and no number."""
    return [word for part in text.split(",") for word in (part.split() or [""])] if text.strip() else []


def _grade(word: str) -> float | None:
    if word in _UNJUDGED:
        return None
    return _LETTERS[word.upper()] if word.upper() in _LETTERS else _number(word, "--grades")


def _number(text: str, option: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ParameterError(f"{option}: expected a number, got {text.strip()!r}")
    return number
