"""Rankings given as bare lists of grades, and what a list alone does not say."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from assay.core.domains import Whole
from assay.core.errors import ParameterError, number_of
from assay.counting.policies import policies
from assay.counting.ranks import Ranks

Grades = Sequence[float | None]
Given = TypeVar("Given")


def ranks_of(
    *lists: Grades,
    relevant: int | Sequence[int] | None = None,
    exist: Mapping[float, int] | Sequence[Mapping[float, int]] | None = None,
    collection_size: int | None = None,
    level: float = 1.0,
    names: Sequence[str] = (),
) -> Ranks:
    """Count lists of grades by rank, None for a document that was not judged; each list is a query.

    `relevant`: how many relevant documents there are in all (those not in the list have grade 1, or the level if that
    is higher); `exist`: how many documents of each grade there are; for all lists, or one for each. Unless one of them
    is given, a list holds all that were judged. `collection_size`: all documents there are. `names`: what the queries
    are called.

    >>> ranks_of([1, 0, 0, 1], relevant=8).relevant()
    array([8])
    >>> ranks_of([0, 2, 3], exist={3: 5, 2: 10}).ideal.grade[:6]
    array([3., 3., 3., 3., 3., 2.])
    """
    if relevant is not None and exist is not None:
        raise ParameterError("say how many documents are relevant, or how many of each grade exist, not both")
    if not lists:
        raise ParameterError("there is no list of grades")
    grades = [_grades(one) for one in lists]
    totals, tables = _one_each(relevant, len(lists), "relevant"), _one_each(exist, len(lists), "exist")
    rest = [_missed(one, total, table, level) for one, total, table in zip(grades, totals, tables, strict=True)]
    ranks = Ranks.from_grades(*grades, judged=rest, level=level)
    if names:
        if len(names) != len(lists) or len(set(names)) < len(names):
            raise ParameterError(f"each list has a name of its own, not {', '.join(map(str, names))}")
        ranks = replace(ranks, queries=tuple(names))
    chosen = policies(ranks.policies, collection_size=collection_size)
    needed = max(len(one) + len(others) for one, others in zip(grades, rest, strict=True))
    if chosen.collection_size is not None and chosen.collection_size < needed:
        raise ParameterError(f"collection_size is {chosen.collection_size}, but a query has {needed} documents")
    return replace(ranks, policies=chosen)


def _grades(given: Grades) -> list[float | None]:
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise ParameterError(f"a ranking is a list of grades by rank, None for a document nobody judged, not {given!r}")
    return [None if grade is None else _grade(grade) for grade in given]


def _grade(given: object) -> float:
    if isinstance(given, bool | str) or not hasattr(given, "__float__") or not math.isfinite(number := float(given)):
        raise ParameterError(f"a grade is a number, not {given!r}")
    return number


def _one_each(given: Given | Sequence[Given] | None, number: int, name: str) -> list[Given | None]:
    """One for each list: as given, or the same for all."""
    if isinstance(given, Sequence):
        if len(given) not in {1, number}:
            raise ParameterError(
                f"{name} is given {len(given)} times for {number} lists: once for all, or once for each"
            )
        return [*given] if len(given) == number else [given[0]] * number
    return [given] * number


def _missed(
    grades: Sequence[float | None], relevant: int | None, exist: Mapping[float, int] | None, level: float
) -> list[float]:
    """The grades of the documents that were judged and not retrieved."""
    known = [grade for grade in grades if grade is not None]
    rest: list[float] = []
    if relevant is not None:
        total = Whole(0).check("relevant", relevant)
        found = sum(grade >= level for grade in known)
        if total < found:
            verb = "is" if found == 1 else "are"
            raise ParameterError(
                f"{number_of('document', found)} of the list {verb} relevant, so {total} in all is too few"
            )
        rest = [max(level, 1.0)] * (total - found)
    if exist is not None and not isinstance(exist, Mapping):
        raise ParameterError(f"exist is a table of grades and how many documents have them, not {exist!r}")
    for given, count in (exist or {}).items():
        grade, total = _grade(given), Whole(0).check("exist", count)
        listed = Counter(known)[grade]
        if total < listed:
            holds = number_of("document", listed)
            raise ParameterError(f"the list holds {holds} of grade {grade:g}, so that {total} exist is too few")
        rest += [grade] * (total - listed)
    return rest
