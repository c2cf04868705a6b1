"""`ClickedLists`: which results stood where and which were clicked, as click models are fitted to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.errors import ParameterError, number_of
from assay.measures.counting.judgments import Floats, Ints, Mask
from assay.tables.log import Log, person

#: What is there for each result is kept small: a log has tens of millions.
Codes: TypeAlias = NDArray[np.int32]
_MIX = np.uint64(0x9E3779B97F4A7C15)


class Cells(NamedTuple):
    """Results that a two-factor model cannot tell apart, by pair and then group: how many, and how many were clicked.

    `groups`: what each group is, a row each: rank, or rank and the rank of the click above (0: none).
    """

    pair: Codes
    group: Codes
    shown: Floats
    clicks: Floats
    groups: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ClickedLists:
    """One row per result, list by list, top first: its pair (query and document), its rank, whether it was clicked.

    List i has the rows from `offsets[i]` to `offsets[i + 1]`; it may be empty. `weight`: how often a list occurred.
    `pairs`: what the pairs are, in the order of their first appearance. `unit`: whose list it is, for intervals.
    Several clicks on a result are one. A document that is on a list twice has two rows of one pair, and is clicked
    where the log says that it was. Results of which the log says that nobody saw them are there, too: how far down
    people look is for models to find.

    >>> lists = ClickedLists.of([("q1", ["d1", "d2"], ["d2"]), ("q1", ["d2"], [])])
    >>> lists.pair, lists.rank, lists.clicked
    (array([0, 1, 1], dtype=int32), array([1, 2, 1], dtype=int32), array([False,  True, False]))
    >>> lists
    <ClickedLists: 2 lists, 3 results, 1 click, 2 pairs>
    """

    pairs: pl.DataFrame
    pair: Codes
    rank: Codes
    clicked: Mask
    offsets: Ints
    weight: Floats
    unit: Codes | None = None
    unit_kind: str = "page"

    @classmethod
    def from_log(cls, log: Log) -> ClickedLists:
        """Count a log. Of its text, only the names of pairs stay in memory."""
        kind = log.unit_kind
        query = pl.coalesce("query_id", "query_text").fill_null("")
        columns = [_category(query).alias("query")]
        if kind != "page":
            known = pl.col(f"{kind}_id")
            gaps = log.impressions.select(known.has_nulls()).collect(engine="streaming").item()
            columns.append(_category(person(kind) if gaps else known).to_physical().alias("unit"))
        pages = log.impressions.select(*columns).collect(engine="streaming")
        results = log.results.select(
            pl.col("impression"), pl.col("rank").cast(pl.Int32), _category(pl.col("doc_id")).alias("doc"),
            clicked=pl.col("clicks") > 0,
        ).collect(engine="streaming")  # fmt: skip
        impression, rank = results["impression"].to_numpy(), results["rank"].to_numpy()
        if not len(rank):
            pairs = pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String})
            pair = np.zeros(0, dtype=np.int32)
        else:
            pair, first = _pairs(
                pages["query"].to_physical().to_numpy()[impression], results["doc"].to_physical().to_numpy()
            )
            pairs = pl.DataFrame({
                "query_id": pages["query"].gather(impression[first]).cast(pl.String),
                "doc_id": results["doc"].gather(first).cast(pl.String),
            })  # fmt: skip
        offsets = np.zeros(pages.height + 1, dtype=np.int64)
        np.cumsum(np.bincount(impression, minlength=pages.height), out=offsets[1:])
        unit = _compact(pages["unit"].to_numpy()) if kind != "page" else None
        return cls(pairs, pair, rank, results["clicked"].to_numpy(), offsets, np.ones(pages.height), unit, kind)

    @classmethod
    def of(cls, lists: Iterable[tuple[str, Sequence[str], Sequence[str]]]) -> ClickedLists:
        """Make lists of a query, its documents and the clicked ones each."""
        return cls.from_log(Log.from_pages(lists))

    def __len__(self) -> int:
        return len(self.weight)

    def __repr__(self) -> str:
        counts = (
            number_of("list", len(self)), number_of("result", len(self.pair)),
            number_of("click", int(self.clicked.sum())), number_of("pair", self.pairs.height),
        )  # fmt: skip
        return f"<ClickedLists: {', '.join(counts)}>"

    @property
    def length(self) -> Ints:
        """The number of results in each list."""
        return np.diff(self.offsets)

    @cached_property
    def row_weight(self) -> Floats:
        """The number of times that each row occurred."""
        return np.repeat(self.weight, self.length)

    @property
    def is_plain(self) -> bool:
        """True if every list occurred once."""
        return bool((self.weight == 1).all())

    def by_pair(self, values: NDArray[Any] | None = None) -> Floats:
        """The sum of values of rows for each pair, each as often as its row occurred; without values, how often shown.

        >>> ClickedLists.of([("q", ["d1", "d2"], []), ("q", ["d1"], [])]).by_pair()
        array([2., 1.])
        """
        if not self.is_plain:
            values = self.row_weight if values is None else values * self.row_weight
        return sums(self.pair, values, self.pairs.height)

    @cached_property
    def last_click(self) -> Ints:
        """The row of the last click of each list, -1 where there is none."""
        rows = np.flatnonzero(self.clicked)
        at = np.full(len(self), -1, dtype=np.int64)
        at[np.searchsorted(self.offsets, rows, side="right") - 1] = rows  # of several the last one stays
        return at

    @cached_property
    def previous_click(self) -> Codes:
        """The rank of the nearest click above each row, 0 where there is none."""
        if not len(self.pair):
            return np.zeros(0, dtype=np.int32)
        rows = np.arange(len(self.pair))
        above = np.maximum.accumulate(np.where(self.clicked, rows, -1))
        above = np.concatenate([[-1], above[:-1]])
        starts = np.repeat(self.offsets[:-1], self.length)
        return np.where(above >= starts, self.rank[above], np.int32(0))

    def cells(self, *, by_click_above: bool = False) -> Cells:
        """Add up by pair and rank, or by pair, rank and the rank of the click above: nothing is lost to PBM and UBM.

        >>> lists = ClickedLists.of([("q", ["d1", "d2"], ["d1"]), ("q", ["d1", "d2"], [])])
        >>> lists.cells()
        Cells(pair=array([0, 1], ...), group=array([0, 1], ...), shown=array([2., 2.]), clicks=array([1., 0.]), ...)
        """
        wide = int(self.rank.max(initial=0)) + 1
        groups = wide * wide if by_click_above else wide
        if max(self.pairs.height, 1) * groups >= 2**62:
            raise ParameterError(f"ranks up to {wide - 1:,} of {self.pairs.height:,} pairs are too many to tell apart")
        group = self.rank.astype(np.int64)
        if by_click_above:
            group = group * wide + self.previous_click
        rows = slice(None) if self.is_plain else np.repeat(np.arange(len(group)), self.row_weight.astype(np.int64))
        keys, count, clicks = _tally((self.pair * np.int64(groups) + group)[rows], self.clicked[rows])
        pair, number = np.divmod(keys, groups)
        known, place = np.unique(number, return_inverse=True)
        names = np.stack(np.divmod(known, wide), axis=1) if by_click_above else known[:, None]
        return Cells(pair.astype(np.int32), place.astype(np.int32), count, clicks, names)

    def collapsed(self) -> ClickedLists:
        """The same with lists that are alike in every result and click once, with their weight; empty ones left out.

        >>> ClickedLists.of([("q", ["d"], []), ("q", ["d"], []), ("q", ["d"], ["d"])]).collapsed().weight
        array([2., 1.])
        """
        length = self.length
        full = np.flatnonzero(length)
        if not len(full):
            return replace(self, offsets=np.zeros(1, dtype=np.int64), weight=np.zeros(0), unit=None)
        place = (np.arange(len(self.pair)) - np.repeat(self.offsets[:-1], length)).astype(np.uint64)
        row = (self.pair.astype(np.uint64) << np.uint64(1)) | self.clicked.astype(np.uint64)
        row = (row + (place << np.uint64(33)) + (self.rank.astype(np.uint64) << np.uint64(48))) * _MIX
        row ^= row >> np.uint64(29)
        row *= _MIX
        row ^= row >> np.uint64(32)
        digest = np.add.reduceat(row, self.offsets[:-1][full])
        _, first, group = np.unique(digest, return_index=True, return_inverse=True)
        # A list is alike its group's first one if all rows are: a hash may lie.
        model = full[first][group]
        same = length[full] == length[model]
        rows = _rows_of_lists(self.offsets[full[same]], length[full[same]])
        twins = _rows_of_lists(self.offsets[model[same]], length[full[same]])
        equal = (
            (self.pair[rows] == self.pair[twins]) & (self.clicked[rows] == self.clicked[twins])
            & (self.rank[rows] == self.rank[twins])
        )  # fmt: skip
        starts = np.cumsum(length[full[same]]) - length[full[same]]
        same[same] = np.logical_and.reduceat(equal, starts) if len(starts) else same[same]
        model = np.where(same, model, full)
        return self.taken(np.unique(model), sums(model, self.weight[full], len(self)))

    def taken(self, lists: Ints, weight: Floats | None = None) -> ClickedLists:
        """Some of the lists, by their places; pairs keep their numbers."""
        length = self.length[lists]
        rows = _rows_of_lists(self.offsets[lists], length)
        weights = self.weight if weight is None else weight
        unit = None if self.unit is None or weight is not None else self.unit[lists]
        return replace(
            self, pair=self.pair[rows], rank=self.rank[rows], clicked=self.clicked[rows],
            offsets=np.concatenate([[0], np.cumsum(length)]), weight=weights[lists], unit=unit,
        )  # fmt: skip

    def with_clicks(self, clicked: Mask) -> ClickedLists:
        """The same lists with other clicks."""
        return replace(self, clicked=np.asarray(clicked, dtype=np.bool_))

    def tied(self, groups: pl.DataFrame, others: Any) -> ClickedLists:
        """The same with pairs replaced by groups of them, such as relevance grades: a group has one parameter.

        `groups`: `query_id`, `doc_id`, and the group in a third column. `others`: the group of pairs that have none.

        >>> lists = ClickedLists.of([("q1", ["d1", "d2"], ["d2"]), ("q2", ["d1"], [])])
        >>> grades = pl.DataFrame({"query_id": ["q1", "q1", "q2"], "doc_id": ["d1", "d2", "d1"], "grade": [0, 2, 0]})
        >>> lists.tied(grades.head(2), -1).pairs["grade"].to_list()
        [-1, 0, 2]
        """
        (name,) = set(groups.columns) - {"query_id", "doc_id"}
        group = self.pairs.join(groups, on=["query_id", "doc_id"], how="left", maintain_order="left")[name]
        group = group.fill_null(others)
        known = group.unique().sort()
        code = known.search_sorted(group).to_numpy().astype(np.int32)
        return replace(self, pairs=known.to_frame(), pair=code[self.pair])


def sums(codes: NDArray[Any], values: NDArray[Any] | None = None, size: int = 0) -> Floats:
    """The sum of values for each code from 0 on, or how often it occurs.

    >>> sums(np.array([0, 2, 2]), np.array([0.5, 1.0, 1.0]))
    array([0.5, 0. , 2. ])
    """
    return np.bincount(codes, weights=values, minlength=size).astype(np.float64, copy=False)


def _category(column: pl.Expr) -> pl.Expr:
    """Text as numbers of categories of its own."""
    return column.cast(pl.Categorical(pl.Categories.random()))


def _pairs(query: NDArray[Any], doc: NDArray[Any]) -> tuple[Codes, Ints]:
    """The pair of each row, numbered by first appearance, and the row where each appears first."""
    documents = int(doc.max()) + 1
    # Most documents are found for one query: they are pairs already. The others are told apart by sorting.
    usual = np.zeros(documents, dtype=query.dtype)
    usual[doc] = query
    pair = doc.astype(np.int64)
    odd = np.flatnonzero(usual[doc] != query)
    if len(odd):
        key = query[odd].astype(np.int64) * documents + doc[odd]
        ordered = np.sort(key)
        known = ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])]
        pair[odd] = documents + np.searchsorted(known, key)
    first = np.full(int(pair.max()) + 1, len(pair), dtype=np.int64)
    first[pair[::-1]] = np.arange(len(pair) - 1, -1, -1)
    order = np.argsort(first, kind="stable")
    order = order[: int((first < len(pair)).sum())]
    number = np.empty(len(first), dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return number[pair], first[order]


def _compact(values: NDArray[Any]) -> Codes:
    """Codes by first appearance: threads number categories in any order, and sums over units should have one."""
    _, first, code = np.unique(values, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first)).astype(np.int32)[code]


def _tally(key: Ints, clicked: Mask) -> tuple[Ints, Floats, Floats]:
    """The distinct keys in order, how many rows each has, and how many clicks."""
    if not len(key):
        return key, np.zeros(0), np.zeros(0)
    marked = np.sort(key * 2 + clicked)
    ends = np.flatnonzero(np.concatenate([marked[1:] != marked[:-1], [True]]))
    counts = np.diff(ends, prepend=-1).astype(np.float64)
    values = marked[ends] >> 1
    is_click = (marked[ends] & 1).astype(np.float64)
    starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    return values[starts], np.add.reduceat(counts, starts), np.add.reduceat(counts * is_click, starts)


def _rows_of_lists(starts: Ints, length: Ints) -> Ints:
    """The rows of lists that start there and are so long, list by list."""
    total = np.cumsum(length)
    if not len(total):
        return np.zeros(0, dtype=np.int64)
    rows: Ints = np.arange(total[-1]) + np.repeat(starts - (total - length), length)
    return rows
