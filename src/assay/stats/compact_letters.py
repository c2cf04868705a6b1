"""Which of many systems cannot be told apart: letters, as tables of many comparisons have them."""

from __future__ import annotations

from collections.abc import Collection
from itertools import product
from string import ascii_lowercase


def groups(systems: int, apart: Collection[tuple[int, int]]) -> list[tuple[str, ...]]:
    """Give each system, in the order of their numbers, its letters; systems that share one cannot be told apart.

    `apart` lists the pairs that can. A group is a longest stretch of neighbours none of whom can be told from another,
    so that two systems that cannot be told apart share no letter if somebody between them stands out.

    >>> groups(4, [(0, 2), (0, 3)])
    [('a',), ('a', 'b'), ('b',), ('b',)]
    """
    # The nearest system further down that each one can be told from: a stretch ends before it.
    stands_out = [systems] * systems
    for one, other in apart:
        first, second = sorted((one, other))
        stands_out[first] = min(stands_out[first], second)
    stretches: list[range] = []
    for first in range(systems):
        end = min(stands_out[first:])
        if not stretches or end > stretches[-1].stop:
            stretches.append(range(first, end))
    names = _letters(len(stretches))
    return [
        tuple(name for name, stretch in zip(names, stretches, strict=True) if system in stretch)
        for system in range(systems)
    ]


def _letters(count: int) -> list[str]:
    """a to z, then aa, ab, …."""
    names = list(ascii_lowercase)
    length = 2
    while len(names) < count:
        names += ["".join(letters) for letters in product(ascii_lowercase, repeat=length)]
        length += 1
    return names[:count]
