"""What users would notice between two systems: another first result, the first relevant one higher or lower."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.counting.judgments import Floats, Ints
from assay.counting.ranks import Ranks
from assay.counting.retrieved import same_queries

#: How many results most pages show.
PAGE = 10


class Noticed(NamedTuple):
    """For how many queries users would see a difference when the second system takes the place of the first.

    `first_result_changes`: another document stands at rank 1, or one of the systems returns nothing.
    `first_relevant_up`, `_down`: the first relevant result stands higher, or lower, than before; `_appears`: there was
    none and now there is one; `_disappears`: there was one and now there is none.
    `page_documents_change`: the first ten results are not the same documents; `page_order_changes`: they are the same,
    in another order.
    """

    queries: int
    first_result_changes: int
    first_relevant_up: int
    first_relevant_down: int
    first_relevant_appears: int
    first_relevant_disappears: int
    page_documents_change: int
    page_order_changes: int


def noticed(first: Ranks, second: Ranks) -> Noticed:
    """Count the queries whose results look different; both systems as `counting.retrieved` counts them.

    >>> from assay.counting.policies import Policies
    >>> from assay.counting.retrieved import retrieved
    >>> from assay.tables import Qrels, Run
    >>> runs = {"a": Run.of({"q": {"x": 3, "y": 2, "z": 1}}), "b": Run.of({"q": {"y": 3, "x": 2, "z": 1}})}
    >>> counts = retrieved(runs, Qrels.of({"q": {"y": 1}}), Policies())
    >>> found = noticed(counts["a"], counts["b"])
    >>> found.first_result_changes, found.first_relevant_up, found.page_documents_change, found.page_order_changes
    (1, 1, 0, 1)
    """
    first, second = same_queries(first, second)
    before, after = _page(first), _page(second)
    was, now = _first_relevant(first), _first_relevant(second)
    other_documents = (np.sort(before, axis=1) != np.sort(after, axis=1)).any(axis=1)
    other_order = (before != after).any(axis=1) & ~other_documents
    had, finds = np.isfinite(was), np.isfinite(now)
    return Noticed(
        queries=len(first.queries),
        first_result_changes=_count(before[:, 0] != after[:, 0]),
        first_relevant_up=_count(had & finds & (now < was)),
        first_relevant_down=_count(had & finds & (now > was)),
        first_relevant_appears=_count(~had & finds),
        first_relevant_disappears=_count(had & ~finds),
        page_documents_change=_count(other_documents),
        page_order_changes=_count(other_order),
    )


def _page(ranks: Ranks) -> Ints:
    """The documents of the first ten ranks (columns) of each query (row), -1 where there is none."""
    documents = np.full((len(ranks.queries), PAGE), -1, dtype=np.int64)
    page = ranks.hits.where(ranks.hits.rank <= PAGE)
    documents[page.query, page.rank - 1] = page.document
    return documents


def _first_relevant(ranks: Ranks) -> Floats:
    """The rank of each query's first relevant document, infinite if none was found."""
    rank = np.full(len(ranks.queries), np.inf)
    relevant = ranks.hits.where(ranks.hits.grade >= ranks.level())
    np.minimum.at(rank, relevant.query, relevant.rank)
    return rank


def _count(mask: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> int:
    return int(np.count_nonzero(mask))
