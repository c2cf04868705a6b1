"""A column called `page`: the result page that a row is of, or its number, as people leaf through results."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping

import polars as pl

from assay.files.log_records import ReadingRules, numbers_of
from assay.tables.roles import is_stated

#: What all rows of a result page have in common.
_SHARED = ("query_id", "query_text", "session_id", "user_id", "system")


def with_page_ids(
    pieces: Iterable[pl.DataFrame], roles: Mapping[str, str], rules: ReadingRules
) -> tuple[Iterator[pl.DataFrame], Mapping[str, str]]:
    """Rows and roles; where nothing else names result pages, and the column `page` does, it is taken for their id."""
    pieces = iter(pieces)
    if "page" not in roles or "impression_id" in roles or is_stated("page"):
        return pieces, roles
    first = next(pieces, None)
    if first is None:
        return pieces, roles
    pieces = itertools.chain([first], pieces)
    if names_pages(first):
        rules.tallies.assume(f"the column {roles['page']} is taken for the id of a result page")
        roles = {("impression_id" if ours == "page" else ours): theirs for ours, theirs in roles.items()}
        return (piece.rename({"page": "impression_id"}) for piece in pieces), roles
    if numbers_of(first["page"]).null_count() > first["page"].null_count():
        rules.tallies.assume(f"the column {roles['page']} neither names result pages nor numbers them: left out")
    return pieces, roles


def names_pages(rows: pl.DataFrame) -> bool:
    """Tell whether `page` names result pages: each value is of one search, and no rank or document comes twice in it.

    The first page of results has the same number for all searches.

    >>> rows = pl.DataFrame({"page": ["7", "7", "8"], "query_text": ["tea", "tea", "milk"], "doc_id": ["a", "b", "a"]})
    >>> names_pages(rows), names_pages(rows.with_columns(page=pl.lit(1)))
    (True, False)
    """
    known = rows.drop_nulls("page")
    shared = [pl.col(name).n_unique() <= 1 for name in _SHARED if name in rows.columns]
    once = [
        pl.col(name).drop_nulls().is_duplicated().any().not_() for name in ("rank", "doc_id") if name in rows.columns
    ]
    is_of_events = "action" in rows.columns
    checks = known.group_by("page").agg(holds=pl.all_horizontal(shared + ([] if is_of_events else once)))
    return checks.height > 1 and bool(checks["holds"].all())
