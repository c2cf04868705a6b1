"""How two systems differ besides their numbers: what only their subject can tell, as findings hold it."""

from __future__ import annotations

from typing import NamedTuple


class UnjudgedReach(NamedTuple):
    """How far unjudged documents could move a difference of means (second system less first).

    `documents`: how many unjudged documents one of the systems has within the measure's cut-off, each counted once a
    query. All of them are, also those whose grade would change nothing, such as what stands below a relevant document
    in both systems under RR: whether a document matters may depend on the grades of others, and to find out takes far
    longer than the bounds do. `judge_next` lists those that matter by themselves.
    `changes_sign`: whether the difference as observed could turn into its opposite. Where that is open, it is True.
    `exact`: whether no grades of these documents, which stand within the measure's cut-off in one of the systems, lead
    beyond `low` and `high`. If not, they are what some grades lead to, and others may lead a little further: there were
    too many to try them all, or a query would come into the mean, or leave it.
    """

    low: float
    high: float
    documents: int
    changes_sign: bool
    exact: bool


class VisibleChanges(NamedTuple):
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


class Flips(NamedTuple):
    """Items that two systems predict differently: `fixed` only the second has right, `broken` only the first.

    `changed`: both are wrong, each in its own way.
    """

    items: int
    fixed: int
    broken: int
    changed: int


class Alike(NamedTuple):
    """How alike two clusterings are, whatever they are worth: `moved` items are in another cluster, names aside.

    Clusters are matched one to one, so that as few items as possible move. `ari`: the adjusted Rand index of the one
    with the other; NaN where it is undefined.
    """

    items: int
    moved: int
    ari: float
