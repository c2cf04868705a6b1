"""Lists that somebody made: in files, numbers by name, a list a column, and ids, one a line; or as they are typed."""

from __future__ import annotations

import math
from typing import NamedTuple

from assay.core.errors import FormatError, ParameterError
from assay.files.decoding import decoded, lines_of
from assay.files.records import is_whole
from assay.files.small_tables import SmallTable
from assay.files.sources import Readable, Source

_UNJUDGED = {"-", "u", "?"}
_LETTERS = {"R": 1.0, "N": 0.0}
#: Counts beyond this lose digits.
_MOST = 1e15
#: Documents that exist are listed one by one, to be ranked ideally.
_MOST_DOCUMENTS = 10_000_000


def read_numbers(given: Readable | Source) -> dict[str, dict[str, float | None]]:
    """Read lists of numbers from CSV or TSV with a header: names in the first column, a list in every other one.

    An empty field or `NA` is no value.

    >>> import io
    >>> read_numbers(io.StringIO("system,AP,RR\\nbm25,0.25,0.5\\ndense,0.75,NA\\n"))
    {'AP': {'bm25': 0.25, 'dense': 0.75}, 'RR': {'bm25': 0.5, 'dense': None}}
    """
    table = SmallTable.read(_source(given), "a header, then a name and numbers a line")
    if "" in table.header[1:]:
        raise FormatError(table.name, 1, expected="a name for each column of numbers", got=",".join(table.header))
    lists: dict[str, dict[str, float | None]] = {name: {} for name in table.header[1:]}
    seen: set[str] = set()
    for row in table.rows:
        item = row.fields[0]
        if not item or item in seen:
            expected = "each name once" if item else "a name in the first column"
            raise FormatError(table.name, row.line, expected=expected, got=item or ",".join(row.fields))
        seen.add(item)
        for column, name in enumerate(table.header[1:], 1):
            lists[name][item] = table.number(row, column)
    return lists


def read_ids(given: Readable | Source) -> list[str]:
    """Read ids, one a line: the first word of each line that is not blank, each id once.

    >>> import io
    >>> read_ids(io.StringIO("401\\n402  a remark\\n\\n"))
    ['401', '402']
    """
    source = _source(given)
    text, _ = decoded(source)
    found = dict.fromkeys(words[0] for line in lines_of(text) if (words := line.split()))
    if not found:
        raise FormatError(source.name, 1, expected="ids, one a line", got="")
    return list(found)


def _source(given: Readable | Source) -> Source:
    return given if isinstance(given, Source) else Source(given)


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
