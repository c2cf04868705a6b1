"""What changes between two systems: what users would notice, and the documents gained, lost and moved."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.core.domains import Whole
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.ranks import Ranks
from assay.measures.counting.retrieved import as_judged, same_queries
from assay.measures.registry import Measure
from assay.tables import picked
from assay.verbs.differences import VisibleChanges

#: How many results most pages show.
PAGE = 10


def noticed(first: Ranks, second: Ranks) -> VisibleChanges:
    """Count the queries whose results look different; both systems as `counting.retrieved` counts them.

    >>> from assay.measures.counting.policies import Policies
    >>> from assay.measures.counting.retrieved import retrieved
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
    return VisibleChanges(
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


def changes(
    measure: Measure,
    first: Ranks,
    second: Ranks,
    names: tuple[str, str] = ("first", "second"),
    depth: int | None = None,
) -> pl.DataFrame:
    """The documents gained, lost and moved in each query, and their shares in the difference of the measure.

    Documents are shown that one of the systems has down to the depth: the measure's cut-off, or 10, unless another is
    given. `change`: `gained` and `lost` across the depth, or within it `up`, `down` and `same`. `grade` is null for
    what nobody judged. `share` is what the document adds to the second system's value less what it adds to the first
    one's; the shares of a query add up to its difference (those of documents further down are not shown). It is null
    where values do not add up over documents: see `why_no_shares`. The counts are those of `counting.retrieved`.

    >>> from assay.measures.counting.retrieved import retrieved
    >>> from assay.measures import P
    >>> from assay.tables import Qrels, Run
    >>> runs = {"a": Run.of({"q": {"x": 2, "y": 1}}), "b": Run.of({"q": {"z": 2, "x": 1}})}
    >>> counts = retrieved(runs, Qrels.of({"q": {"x": 0, "z": 1}}))
    >>> for row in changes(P @ 2, counts["a"], counts["b"], ("a", "b")).rows():
    ...     print(row)
    ('q', 'z', 1.0, None, 1, 'gained', 0.5)
    ('q', 'x', 0.0, 1, 2, 'down', 0.0)
    ('q', 'y', None, 2, None, 'lost', 0.0)
    """
    limit = Whole(1).check("depth", depth) if depth is not None else measure.parameters.get("cutoff") or PAGE
    first, second = same_queries(first, second)
    # A document belongs to one query, so that its number is enough to find it in both lists.
    both = _documents(measure, first).join(
        _documents(measure, second), on=["query", "document"], how="full", coalesce=True, suffix="_after"
    )
    was, now = (pl.col(column).is_not_null() & (pl.col(column) <= limit) for column in ("rank", "rank_after"))
    visible = both.filter(was | now)
    change = (
        pl.when(~was).then(pl.lit("gained"))
        .when(~now).then(pl.lit("lost"))
        .when(pl.col("rank_after") < pl.col("rank")).then(pl.lit("up"))
        .when(pl.col("rank_after") > pl.col("rank")).then(pl.lit("down"))
        .otherwise(pl.lit("same"))
    )  # fmt: skip
    share = pl.col("share_after").fill_null(0.0) - pl.col("share").fill_null(0.0)
    splits = why_no_shares(measure, first) is None
    return (
        visible.with_columns(
            query_id=picked(pl.Series(first.queries, dtype=pl.String), visible["query"].to_numpy()),
            doc_id=picked(first.doc_ids, visible["document"].to_numpy()),
            grade=pl.coalesce("grade", "grade_after"),
            change=change,
            share=share if splits else pl.lit(None, dtype=pl.Float64),
            best=pl.min_horizontal("rank", "rank_after"),
        )
        .sort("query", "best", "rank_after", nulls_last=True)
        .rename({"rank": f"rank_{names[0]}", "rank_after": f"rank_{names[1]}"})
        .select("query_id", "doc_id", "grade", f"rank_{names[0]}", f"rank_{names[1]}", "change", "share")
    )


def why_no_shares(measure: Measure, ranks: Ranks) -> str | None:
    """Why documents have no shares in a measure; None if they have.

    >>> from assay.measures import SetF
    >>> why_no_shares(SetF, Ranks.from_grades([1, 0]))
    'SetF does not add up over documents'
    """
    if measure.is_micro or measure.per_unit(as_judged(ranks)).shares() is None:
        return f"{measure} does not add up over documents"
    return None


def _documents(measure: Measure, ranks: Ranks) -> pl.DataFrame:
    """Every retrieved document with its rank, its grade and its share in the value, null if values do not split."""
    hits = ranks.hits
    share = np.zeros(len(hits.rank))
    shares = measure.per_unit(as_judged(ranks)).shares()
    if shares is not None and len(hits.rank):
        # Query and rank in one number: hits are in its order.
        width = 1 + max(int(hits.rank.max()), int(shares.rank.max(initial=0)))
        there, wanted = hits.query * width + hits.rank, shares.unit * width + shares.rank
        row = np.minimum(np.searchsorted(there, wanted), len(there) - 1)
        known = there[row] == wanted
        share = np.bincount(row[known], weights=shares.share[known], minlength=len(there)).astype(np.float64)
    judged = pl.Series(np.where(hits.grade < 0, np.nan, hits.grade)).fill_nan(None)
    return pl.DataFrame(
        {"query": hits.query, "document": hits.document, "rank": hits.rank, "grade": judged, "share": share}
    )
