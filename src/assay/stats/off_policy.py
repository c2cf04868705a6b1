"""Earnings of a new ranking on a log of another one: clicks weighted by how much more they would be seen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.measures.counting.click_counts import LoggedPages
from assay.measures.counting.judgments import Floats, Ints


class PageValues(NamedTuple):
    """The clicks that a page would have had, page by page, and what that rests on.

    The mean of `values` is the estimate. `weights`: those of the results that count. `coverage`: the share of what
    users would look at in the new ranking that the log covers.
    """

    values: Floats
    weights: Floats
    coverage: float

    @property
    def estimate(self) -> float:
        """Clicks per page."""
        return float(self.values.mean())

    @property
    def effective(self) -> float:
        """The number of results with equal weights that would say as much: `(sum w)^2 / sum w^2`."""
        squares = float(np.square(self.weights).sum())
        return float(self.weights.sum()) ** 2 / squares if squares else 0.0

    @property
    def largest(self) -> float:
        """The largest weight."""
        return float(self.weights.max(initial=0.0))


def by_position(pages: LoggedPages, examination: Floats, clip: float | None = None) -> PageValues:
    """Clicks weighted by examination at the new rank over that at the old one, page by page.

    `examination[r - 1]` is how likely rank r is looked at. Unbiased for the clicks on documents that the page shows, if
    clicks follow the position-based model; documents that a page did not show earn nothing there. `clip`: the largest
    weight that is allowed, which trades variance for bias.

    >>> from assay.tables import Run
    >>> from assay.tables.log import Log
    >>> pages = LoggedPages.from_tables(Log.from_pages([("q", ["a", "b"], ["b"])]), Run.of({"q": {"b": 2, "a": 1}}), 2)
    >>> by_position(pages, np.array([1.0, 0.5])).values  # the click moves up to where twice as many look
    array([2.])
    """
    seen = _at(examination, pages.old_rank)
    counts = (pages.new_rank > 0) & (seen > 0)
    weight = _clipped(_at(examination, pages.new_rank[counts]) / seen[counts], clip)
    values = _summed(pages.page[counts], weight * pages.clicked[counts], pages.pages)
    covered = _at(examination, pages.new_rank[counts]).sum()
    return PageValues(values, weight, _share_of_looks(covered, pages, examination))


def by_document(pages: LoggedPages, examination: Floats) -> PageValues:
    """Clicks on each document over how much it was looked at on all pages of its query, times that at its new rank.

    It needs a document on some pages of a query only. Each page has the value that its query's documents add up to,
    corrected by the weighted surprise of its own clicks: the doubly robust form. Surprises add up to 0 over the pages
    of a query, so that no weight is ever too large for the estimate; they make up its error.

    >>> from assay.tables import Run
    >>> from assay.tables.log import Log
    >>> log = Log.from_pages([("q", ["a", "b"], ["b"]), ("q", ["c", "a"], [])])
    >>> pages = LoggedPages.from_tables(log, Run.of({"q": {"b": 2, "a": 1}}), 2)
    >>> by_document(pages, np.array([1.0, 0.5])).estimate  # b: 1 click for half a look
    2.0
    """
    seen = _at(examination, pages.old_rank)
    documents = int(pages.document.max(initial=-1)) + 1
    looks = np.bincount(pages.document, seen, documents)
    attraction = np.bincount(pages.document, pages.clicked, documents) / np.where(looks > 0, looks, 1.0)
    counts = (pages.new_rank > 0) & (looks[pages.document] > 0)
    page = pages.page[counts]
    document = pages.document[counts]
    new = _at(examination, pages.new_rank[counts])
    of_query = np.bincount(pages.query)
    weight = new * of_query[pages.query[page]] / looks[document]
    _, first = np.unique(document, return_index=True)
    direct = _summed(pages.query[page[first]], (new * attraction[document])[first], len(of_query))
    surprise = weight * (pages.clicked[counts] - attraction[document] * seen[counts])
    values = direct[pages.query] + _summed(page, surprise, pages.pages)
    covered = (new[first] * of_query[pages.query[page[first]]]).sum()
    return PageValues(values, weight, _share_of_looks(covered, pages, examination))


def by_propensity(
    pages: LoggedPages, examination: Floats | None = None, clip: float | None = None, *, normalised: bool = False
) -> PageValues:
    """Clicks on documents that stood where the new ranking has them, over how likely they were to be put there.

    The independent, item-position form of inverse propensity scoring. Where only some pages of a query have
    propensities, these stand for all of it. `normalised`: the weights of each rank are divided by their mean over the
    pages for which the new ranking has the rank (self-normalised), which is biased a little, varies less, and is
    linearised page by page. `examination` weighs ranks in the coverage only; without it, all count alike.

    >>> from assay.tables import Run
    >>> from assay.tables.log import Log
    >>> log = Log.from_pages([("q", ["a", "b"], ["a"]), ("q", ["b", "a"], [])])
    >>> even = Log.of(log.impressions.collect(), log.results.collect().with_columns(propensity=0.5))
    >>> by_propensity(LoggedPages.from_tables(even, Run.of({"q": {"a": 2, "b": 1}}), 2)).estimate  # 1 / 0.5 / 2
    1.0
    """
    matched = ~np.isnan(pages.propensity) & (pages.new_rank == pages.old_rank)
    page, rank = pages.page[matched], pages.old_rank[matched]
    weight = _clipped(1 / pages.propensity[matched], clip)
    of_query = np.bincount(pages.query)
    drawn = np.bincount(pages.query, pages.has_propensities)
    stands_for = weight * of_query[pages.query[page]] / drawn[pages.query[page]]
    earned = stands_for * pages.clicked[matched]
    values = _summed(page, earned, pages.pages)
    if normalised:
        size = pages.cutoff + 1
        total, clicks = np.bincount(rank, stands_for, size), np.bincount(rank, earned, size)
        share = clicks / np.where(total > 0, total, 1.0)
        depth = pages.depth
        at_rank = np.bincount(depth, minlength=size)[::-1].cumsum()[::-1]  # pages whose new ranking has the rank
        excess = (earned - share[rank] * stands_for) * at_rank[rank] / total[rank]
        values = np.cumsum(share)[depth] + _summed(page, excess, pages.pages)
    look = np.ones(pages.cutoff) if examination is None else examination
    places = np.unique(pages.query[page] * (pages.cutoff + 1) + rank)
    covered = (_at(look, places % (pages.cutoff + 1)) * of_query[places // (pages.cutoff + 1)]).sum()
    return PageValues(values, weight, _share_of_looks(covered, pages, look))


def _summed(place: Ints, amount: Floats, size: int) -> Floats:
    return np.bincount(place, amount, size).astype(np.float64, copy=False)


def _at(examination: Floats, rank: Ints) -> Floats:
    """Examination at ranks from 1 on; none at 0 and below the last."""
    return np.concatenate([[0.0], examination, [0.0]])[np.minimum(rank, len(examination) + 1)]


def _clipped(weight: Floats, clip: float | None) -> Floats:
    return weight if clip is None else np.minimum(weight, clip)


def _share_of_looks(covered: float, pages: LoggedPages, examination: Floats) -> float:
    """The share of users' looks at the new ranking that is covered, over all pages; sums of all of it are 1."""
    looks = _at(examination, pages.wanted["rank"].to_numpy()) * pages.wanted["pages"].to_numpy()
    return round(float(covered / (looks.sum() or 1.0)), 12)
