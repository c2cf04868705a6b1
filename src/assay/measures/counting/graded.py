"""`Graded`: rows of documents with rank and grade; the ranking's hits, or the ideal ranking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.measures.counting.judgments import Floats, Ints


@dataclass(frozen=True, eq=False)
class Graded:
    """Documents with their query (a number), rank and grade, sorted by query and rank.

    `document` is the document's place in `Ranks.doc_ids`.
    `tie_first` and `tie_last` are the first and the last rank that the document could have among equal scores. With
    `averaged`, a document has no rank of its own but all of these with equal chance; ranks beyond `limit` are cut off.
    """

    query: Ints
    rank: Ints
    grade: Floats
    tie_first: Ints
    tie_last: Ints
    document: Ints
    averaged: bool = False
    limit: int | None = None

    def where(self, keep: NDArray[np.bool_]) -> Graded:
        """Keep some of the rows."""
        rows = np.flatnonzero(keep)
        return replace(
            self,
            query=self.query[rows],
            rank=self.rank[rows],
            grade=self.grade[rows],
            tie_first=self.tie_first[rows],
            tie_last=self.tie_last[rows],
            document=self.document[rows],
        )

    def at_rank(self, weight: Callable[[Ints], Floats]) -> Floats:
        """What a function of the rank gives each row: at its rank, or on average over the ranks it may have.

        >>> columns = [np.array([column]) for column in (0, 2, 1.0, 2, 3, 0)]  # a tie over ranks 2 and 3
        >>> Graded(*columns, averaged=True).at_rank(lambda rank: 1 / rank)
        array([0.4167])
        """
        if not self.averaged:
            return weight(self.rank)
        ranks = np.arange(1, self.tie_last.max(initial=0) + 1)
        reached = np.ones(len(ranks)) if self.limit is None else (ranks <= self.limit).astype(np.float64)
        total = np.append(0.0, np.cumsum(weight(ranks) * reached))
        mean: Floats = (total[self.tie_last] - total[self.tie_first - 1]) / (self.tie_last - self.tie_first + 1)
        return mean

    def tie_groups(self) -> Ints:
        """Number the groups of rows that have the same query and the same scores."""
        if not len(self.query):
            return self.query
        return np.append(0, np.cumsum((np.diff(self.query) != 0) | (np.diff(self.tie_first) != 0)))

    def last_within(self, cutoff: Ints | int | None) -> Ints:
        """The last rank that each row may have within a cut-off (one for all rows, or one a row) and the limit."""
        last = self.tie_last if cutoff is None else np.minimum(self.tie_last, cutoff)
        return last if self.limit is None else np.minimum(last, self.limit)

    def condensed(self) -> Graded:
        """Take documents without judgment out and close the ranks up."""
        judged = self.where(self.grade >= 0)
        place = place_in_group(judged.query)
        group = judged.tie_groups()
        sizes = np.bincount(group)
        first = place - place_in_group(group) + 1
        return replace(judged, rank=place + 1, tie_first=first, tie_last=first + sizes[group] - 1)

    def drawn(self, rng: np.random.Generator) -> Graded:
        """Put documents with equal scores into a random order."""
        group = self.tie_groups()
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        sizes = (self.tie_last - self.tie_first + 1)[starts]
        # Shuffle all places of each group; the group's documents take the first ones of the shuffled places.
        owner = np.repeat(np.arange(len(starts)), sizes)
        place = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        shuffled = place[np.lexsort((rng.random(len(owner)), owner))]
        chosen = shuffled[(np.cumsum(sizes) - sizes)[group] + place_in_group(group)]
        rank = self.tie_first + chosen
        order = np.lexsort((rank, self.query))
        kept = order if self.limit is None else order[rank[order] <= self.limit]
        place = rank[kept]
        return Graded(self.query[kept], place, self.grade[kept], place, place, self.document[kept])


def place_in_group(group: Ints) -> Ints:
    """Count from 0 within each stretch of equal numbers.

    >>> place_in_group(np.array([4, 4, 4, 7, 7]))
    array([0, 1, 2, 0, 1])
    """
    rows = np.arange(len(group))
    starts = np.diff(group, prepend=group[:1] - 1) != 0
    return rows - np.maximum.accumulate(np.where(starts, rows, 0))
