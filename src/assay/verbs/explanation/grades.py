"""Lists of grades that somebody types in, counted by rank."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from assay.core.domains import Whole
from assay.core.errors import ParameterError, number_of
from assay.measures.counting.policies import policies
from assay.measures.counting.ranks import Ranks

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
    grades = [_grades(grades_of_list) for grades_of_list in lists]
    totals, tables = _one_each(relevant, len(lists), "relevant"), _one_each(exist, len(lists), "exist")
    rest = [_missed(graded, total, table, level) for graded, total, table in zip(grades, totals, tables, strict=True)]
    ranks = Ranks.from_grades(*grades, judged=rest, level=level)
    if names:
        if len(names) != len(lists) or len(set(names)) < len(names):
            raise ParameterError(f"each list has a name of its own, not {', '.join(map(str, names))}")
        ranks = replace(ranks, queries=tuple(names))
    chosen = policies(ranks.policies, collection_size=collection_size)
    needed = max(len(graded) + len(others) for graded, others in zip(grades, rest, strict=True))
    if chosen.collection_size is not None and chosen.collection_size < needed:
        raise ParameterError(f"collection_size is {chosen.collection_size}, but a query has {needed} documents")
    return replace(ranks, policies=chosen)


def _grades(values: Grades) -> list[float | None]:
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise ParameterError(
            f"a ranking is a list of grades by rank, None for a document nobody judged, not {values!r}"
        )
    return [None if grade is None else _grade(grade) for grade in values]


def _grade(value: object) -> float:
    if isinstance(value, bool | str) or not hasattr(value, "__float__") or not math.isfinite(number := float(value)):
        raise ParameterError(f"a grade is a number, not {value!r}")
    return number


def _one_each(values: Given | Sequence[Given] | None, number: int, name: str) -> list[Given | None]:
    """One for each list: as given, or the same for all."""
    if isinstance(values, Sequence):
        if len(values) not in {1, number}:
            raise ParameterError(
                f"{name} is given {len(values)} times for {number} lists: once for all, or once for each"
            )
        return [*values] if len(values) == number else [values[0]] * number
    return [values] * number


def _missed(
    grades: Sequence[float | None], relevant: int | None, exist: Mapping[float, int] | None, level: float
) -> list[float]:
    """The grades of the documents that were judged and not retrieved."""
    known = [grade for grade in grades if grade is not None]
    rest: list[float] = []
    if relevant is not None:
        total = Whole(0).check("relevant", relevant)
        known_relevant = sum(grade >= level for grade in known)
        if total < known_relevant:
            verb = "is" if known_relevant == 1 else "are"
            raise ParameterError(
                f"{number_of('document', known_relevant)} of the list {verb} relevant, so {total} in all is too few"
            )
        rest = [max(level, 1.0)] * (total - known_relevant)
    if exist is not None and not isinstance(exist, Mapping):
        raise ParameterError(f"exist is a table of grades and how many documents have them, not {exist!r}")
    for key, count in (exist or {}).items():
        grade, total = _grade(key), Whole(0).check("exist", count)
        listed = Counter(known)[grade]
        if total < listed:
            holds = number_of("document", listed)
            raise ParameterError(f"the list holds {holds} of grade {grade:g}, so that {total} exist is too few")
        rest += [grade] * (total - listed)
    return rest
