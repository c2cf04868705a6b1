"""Other orders of a ranking: of equal scores, what serves a system best or worst; and the ranking from its end."""

from __future__ import annotations

import numpy as np

from assay.counting.graded import Graded, place_in_group
from assay.counting.ranks import Ranks


def reordered(hits: Graded, *, best: bool) -> Graded:
    """Documents with equal scores in the order that serves the system best, or worst.

    >>> columns = [np.array(column) for column in ([0, 0], [1, 2], [0.0, 1.0], [1, 1], [3, 3], [0, 1])]
    >>> reordered(Graded(*columns), best=True).rank, reordered(Graded(*columns), best=False).rank
    (array([1, 3]), array([1, 3]))
    """
    # In the best order, relevant documents take the first places of their tie, the highest grades first; others take
    # the last. The worst order is its mirror image.
    order = np.lexsort((-hits.grade, hits.tie_first, hits.query))
    group = np.append(0, np.cumsum((np.diff(hits.query[order]) != 0) | (np.diff(hits.tie_first[order]) != 0)))
    group = group[: len(order)]
    place = place_in_group(group)
    from_end = np.bincount(group)[group] - place - 1
    front, back = hits.tie_first[order] + place, hits.tie_last[order] - from_end
    rank = np.where(hits.grade[order] > 0, front, back)
    if not best:
        rank = hits.tie_first[order] + hits.tie_last[order] - rank
    again = np.lexsort((rank, hits.query[order]))
    rows, rank = order[again], rank[again]
    return Graded(hits.query[rows], rank, hits.grade[rows], rank, rank, hits.document[rows])


def reversed_hits(ranks: Ranks) -> Graded:
    """The hits of a ranking as they are when it is read from its end.

    >>> reversed_hits(Ranks.from_grades([1, None, 0])).rank
    array([1, 3])
    """
    hits = ranks.hits
    mirror = ranks.retrieved[hits.query] + 1
    rank = mirror - hits.rank
    order = np.lexsort((rank, hits.query))
    first, last = mirror - hits.tie_last, mirror - hits.tie_first
    return Graded(hits.query[order], rank[order], hits.grade[order], first[order], last[order], hits.document[order])
