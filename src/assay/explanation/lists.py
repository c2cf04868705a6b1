"""A ranking given as a bare list of grades, and what a list alone does not say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from assay.counting.policies import policies
from assay.counting.ranks import Ranks
from assay.errors import ParameterError


def ranks_of(
    grades: Sequence[float | None],
    *,
    relevant: int | None = None,
    exist: Mapping[float, int] | None = None,
    collection_size: int | None = None,
    level: float = 1.0,
) -> Ranks:
    """Count a list of grades by rank, None for a document that was not judged.

    `relevant`: how many relevant documents there are in all; `exist`: how many documents of each grade there are.
    Unless one of them is given, the list holds all that were judged. `collection_size`: all documents there are.

    >>> ranks_of([1, 0, 0, 1], relevant=8).relevant()
    array([8])
    >>> ranks_of([0, 2, 3], exist={3: 5, 2: 10}).ideal.grade[:6]
    array([3., 3., 3., 3., 3., 2.])
    """
    known = [grade for grade in grades if grade is not None]
    if relevant is not None and exist is not None:
        raise ParameterError("say how many documents are relevant, or how many of each grade exist, not both")
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
    ranks = Ranks.from_grades(grades, judged=[rest], level=level)
    return replace(ranks, policies=policies(ranks.policies, collection_size=collection_size))
