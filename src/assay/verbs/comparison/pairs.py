"""Which systems are held against which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

from assay.core import options
from assay.core.errors import ParameterError, not_among

Family: TypeAlias = options.Family


class Pairs(NamedTuple):
    """Pairs of systems, by their places: the baseline first."""

    pairs: tuple[tuple[int, int], ...]
    all_pairs: bool


def pairs_of(systems: Sequence[str], baseline: str | Iterable[str] | None = None, all_pairs: bool = False) -> Pairs:
    """Every system against the baseline, or against each of several; or all pairs.

    Unless told, the first of two systems is the baseline, and of more than two all pairs are compared.

    >>> pairs_of(["bm25", "dense", "mixed"], baseline="dense").pairs
    ((1, 0), (1, 2))
    """
    if len(systems) < 2:
        raise ParameterError(f"a comparison takes at least two systems, not {', '.join(systems) or 'none'} alone")
    if all_pairs and baseline is not None:
        raise ParameterError("choose a baseline, or all pairs")
    if all_pairs or (baseline is None and len(systems) > 2):
        return Pairs(tuple(combinations(range(len(systems)), 2)), all_pairs=True)
    wanted = [systems[0]] if baseline is None else [baseline] if isinstance(baseline, str) else list(baseline)
    for name in wanted:
        if name not in systems:
            raise not_among("baseline", name, systems)
    if not wanted:
        raise ParameterError("there is no baseline to compare with")
    firsts = [systems.index(name) for name in dict.fromkeys(wanted)]
    pairs: list[tuple[int, int]] = []
    for place, first in enumerate(firsts):
        # Two baselines are compared with one another once.
        pairs += [(first, second) for second in range(len(systems)) if second not in firsts[: place + 1]]
    return Pairs(tuple(pairs), all_pairs=False)
