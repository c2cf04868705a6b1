"""Rankings given as bare lists of grades, and what a list alone does not say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from assay.counting.policies import policies
from assay.counting.ranks import Ranks
from assay.errors import ParameterError

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

    `relevant`: how many relevant documents there are in all; `exist`: how many documents of each grade there are; for
    all lists, or one for each. Unless one of them is given, a list holds all that were judged. `collection_size`: all
    documents there are. `names`: what the queries are called.

    >>> ranks_of([1, 0, 0, 1], relevant=8).relevant()
    array([8])
    >>> ranks_of([0, 2, 3], exist={3: 5, 2: 10}).ideal.grade[:6]
    array([3., 3., 3., 3., 3., 2.])
    """
    if relevant is not None and exist is not None:
        raise ParameterError("say how many documents are relevant, or how many of each grade exist, not both")
    totals, tables = _one_each(relevant, len(lists), "relevant"), _one_each(exist, len(lists), "exist")
    rest = [_missed(grades, total, table, level) for grades, total, table in zip(lists, totals, tables, strict=True)]
    ranks = Ranks.from_grades(*lists, judged=rest, level=level)
    if names:
        if len(names) != len(lists) or len(set(names)) < len(names):
            raise ParameterError(f"each list has a name of its own, not {', '.join(names)}")
        ranks = replace(ranks, queries=tuple(names))
    return replace(ranks, policies=policies(ranks.policies, collection_size=collection_size))


def _one_each(given: Given | Sequence[Given] | None, number: int, name: str) -> list[Given | None]:
    """One for each list: as given, or the same for all."""
    if isinstance(given, Sequence):
        if len(given) not in {1, number}:
            raise ParameterError(
                f"{name} is given {len(given)} times for {number} lists: once for all, or once for each"
            )
        return [*given] if len(given) == number else [given[0]] * number
    return [given] * number


def _missed(grades: Grades, relevant: int | None, exist: Mapping[float, int] | None, level: float) -> list[float]:
    """The grades of the documents that were judged and not retrieved."""
    known = [grade for grade in grades if grade is not None]
    rest: list[float] = []
    if relevant is not None:
        found = sum(grade >= level for grade in known)
        if relevant < found:
            raise ParameterError(f"{found} documents of the list are relevant, so {relevant} in all is too few")
        rest = [max(level, 1.0)] * (relevant - found)
    for grade, count in (exist or {}).items():
        listed = Counter(known)[grade]
        if count < listed:
            raise ParameterError(
                f"the list holds {listed} documents of grade {grade:g}, so that {count} exist is too few"
            )
        rest += [grade] * (count - listed)
    return rest
