"""`Ratings`: labels that several judges gave the same items, as agreement is counted from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import polars as pl

from assay.core.errors import ParameterError, listed
from assay.measures.counting.judgments import Floats, Ints, Mask


@dataclass(frozen=True, eq=False)
class Ratings:
    """One row per label: the item, the judge and the category, as places in `items`, `judges` and `categories`.

    Rows are sorted by item. `values` are the categories as numbers (grades, or their places in the order stated);
    `relevant` says which categories count as relevant, for positive agreement and overlap.

    >>> Ratings.from_labels([["yes", "yes", "no"], ["yes", "no", None]]).counts
    array([[0, 2],
           [1, 1],
           [1, 0]])
    """

    vocabularies: ClassVar[tuple[str, ...]] = ("agreement",)
    #: What it is, for measures that are computed from it.
    described: ClassVar[str] = "labels that several judges gave the same items"
    unit_kind: ClassVar[str] = "item"

    items: pl.Series
    judges: tuple[str, ...]
    categories: tuple[str, ...]
    values: Floats
    relevant: Mask
    item: Ints
    judge: Ints
    category: Ints

    @classmethod
    def from_labels(
        cls,
        labels: Sequence[Sequence[Any]] | Mapping[str, Sequence[Any]],
        categories: Sequence[Any] | None = None,
        level: float | None = None,
    ) -> Ratings:
        """Make ratings of a row per judge and a column per item; None: that judge did not label that item."""
        named = labels if isinstance(labels, Mapping) else {f"j{n}": row for n, row in enumerate(labels, 1)}
        rows = [
            (f"i{place}", judge, label)
            for judge, row in named.items()
            for place, label in enumerate(row, 1)
            if label is not None
        ]
        frame = pl.DataFrame(rows, schema=["item", "judge", "label"], orient="row", infer_schema_length=None)
        width = max(map(len, named.values()), default=0)
        items = pl.Series([f"i{place}" for place in range(1, width + 1)], dtype=pl.String)
        return cls.from_frame(frame, categories, level, items=items)

    @classmethod
    def from_frame(
        cls,
        frame: pl.DataFrame,
        categories: Sequence[Any] | None = None,
        level: float | None = None,
        *,
        items: pl.Series | None = None,
    ) -> Ratings:
        """Count rows of `item`, `judge` and `label`; categories are those that occur, in order, unless they are given.

        >>> frame = pl.DataFrame({"item": ["a", "a"], "judge": ["x", "y"], "label": [0, 2]})
        >>> Ratings.from_frame(frame, level=1).relevant
        array([False,  True])
        """
        labels = frame["label"]
        known = labels.drop_nulls().unique().sort().to_list() if categories is None else list(categories)
        try:
            places = labels.replace_strict(known, list(range(len(known))), return_dtype=pl.Int64)
        except pl.exceptions.InvalidOperationError:
            strange = labels.filter(~labels.is_in(known)).unique(maintain_order=True).to_list()
            raise ParameterError(
                f"a label is one of {listed(list(map(str, known)))}, not {listed(list(map(str, strange)))}"
            ) from None
        numeric = all(isinstance(value, int | float) for value in known)
        values = np.array(known if numeric else range(len(known)), dtype=np.float64)
        names = frame["item"].unique(maintain_order=True) if items is None else items
        judges = frame["judge"].unique().sort()
        item, judge = (_places(frame[name], known) for name, known in (("item", names), ("judge", judges)))
        order = np.argsort(item * len(judges) + judge, kind="stable")  # fast where items stand together already
        item, judge, category = item[order], judge[order], places.to_numpy()[order]
        twice = np.flatnonzero((item[1:] == item[:-1]) & (judge[1:] == judge[:-1]))
        if len(twice):
            name, again = judges[int(judge[twice[0]])], names[int(item[twice[0]])]
            raise ParameterError(f"judge {name!r} labelled item {again!r} more than once")
        if level is None and len(values) == 2:
            least = values[-1]
        elif level is None:
            least = 1.0
        else:
            least = level
        return cls(
            names,
            tuple(map(str, judges)),
            tuple(label_name(value) for value in known),
            values,
            values >= least,
            item,
            judge,
            category,
        )

    @property
    def units(self) -> tuple[str, ...]:
        """The items."""
        return tuple(self.items)

    @cached_property
    def counts(self) -> Ints:
        """The number of judges who put each item (row) in each category (column)."""
        width = len(self.categories)
        flat = np.bincount(self.item * width + self.category, minlength=len(self.items) * width)
        return flat.reshape(len(self.items), width)

    @cached_property
    def labels_of_item(self) -> Ints:
        """The number of labels of each item."""
        return np.bincount(self.item, minlength=len(self.items))

    def by_judge(self, judge: Ints, category: Ints) -> Ints:
        """Labels of each judge (row) by category (column), counted among labels of these judges and categories.

        >>> ratings = Ratings.from_labels({"ana": ["a", "b", "b"], "ben": ["a", "a", "a"]})
        >>> ratings.by_judge(ratings.judge, ratings.category)
        array([[1, 2],
               [3, 0]])
        """
        shape = len(self.judges), len(self.categories)
        return np.bincount(judge * shape[1] + category, minlength=shape[0] * shape[1]).reshape(shape)

    def labels_of_others(self, included: Mask | None = None) -> Ints:
        """For each label how often the other judges of its item chose each category; only `included` judges count.

        >>> Ratings.from_labels([["a", "b"], ["a", "a"], ["b", "a"]]).labels_of_others()[:3]
        array([[1, 1],
               [1, 1],
               [2, 0]])
        """
        counted = np.ones(len(self.item), dtype=bool) if included is None else included[self.judge]
        width = len(self.categories)
        code = self.item * width + self.category
        counts = np.bincount(code[counted], minlength=len(self.items) * width).reshape(-1, width)
        others: Ints = counts[self.item]
        others[np.arange(len(self.item)), self.category] -= counted
        return others

    def with_labels(self, item: Ints, judge: Ints, category: Ints) -> Ratings:
        """The same items, judges and categories with other labels."""
        return replace(self, item=item, judge=judge, category=category)

    def only(self, *judges: str) -> Ratings:
        """The labels of some judges; items stay, with or without labels.

        >>> Ratings.from_labels({"ana": [1, 0], "ben": [1, 1], "cleo": [0, 1]}).only("ana", "cleo").judges
        ('ana', 'cleo')
        """
        places = [self.judges.index(name) for name in judges]
        new = np.full(len(self.judges), -1)
        new[places] = np.arange(len(places))
        kept = new[self.judge] >= 0
        rest = self.with_labels(self.item[kept], new[self.judge][kept], self.category[kept])
        return replace(rest, judges=tuple(judges))

    def on_items(self, places: Ints) -> Ratings:
        """Some of the items, in this order, with their labels.

        >>> Ratings.from_labels([["a", "b", "a"], ["a", None, "b"]]).on_items(np.array([2, 0])).units
        ('i3', 'i1')
        """
        new = np.full(len(self.items), -1)
        new[places] = np.arange(len(places))
        rows = np.flatnonzero(new[self.item] >= 0)
        rows = rows[np.lexsort((self.judge[rows], new[self.item[rows]]))]
        rest = self.with_labels(new[self.item[rows]], self.judge[rows], self.category[rows])
        return replace(rest, items=self.items.gather(places))

    def labels_at(self, places: Ints, kind: pl.DataType) -> pl.Series:
        """The labels of categories, in the type that they were given in; null for -1.

        >>> Ratings.from_labels([[0, 2], [2, 2]]).labels_at(np.array([1, -1]), pl.Int64()).to_list()
        [2, None]
        """
        is_numeric, is_whole = kind.is_numeric(), kind.is_integer() and bool((self.values % 1 == 0).all())
        labels = pl.Series(self.values if is_numeric and not is_whole else self.categories)
        labels = labels if is_numeric and not is_whole else labels.cast(kind)
        return labels.gather(pl.Series(places).replace(-1, None))

    def confusion(self) -> Ints:
        """Of two judges, how often the second gave each label (column) where the first gave which (row).

        >>> Ratings.from_labels([["a", "b", "a"], ["a", None, "b"]]).confusion()
        array([[1, 1],
               [0, 0]])
        """
        first, second = self.pair()
        width = len(self.categories)
        both = first >= 0
        return np.bincount(first[both] * width + second[both], minlength=width**2).reshape(width, width)

    def pair(self) -> tuple[Ints, Ints]:
        """Of two judges, the category each gave the items, -1 where not both labelled one.

        >>> Ratings.from_labels([["a", "b", "a"], ["a", None, "b"]]).pair()
        (array([ 0, -1,  0]), array([ 0, -1,  1]))
        """
        if len(self.judges) != 2:
            raise ParameterError(f"this is about two judges; there are {len(self.judges)}: choose two of them")
        first, second = (np.full(len(self.items), -1) for _ in range(2))
        for place, labels in enumerate((first, second)):
            rows = self.judge == place
            labels[self.item[rows]] = self.category[rows]
        both = (first >= 0) & (second >= 0)
        return np.where(both, first, -1), np.where(both, second, -1)


def _places(column: pl.Series, known: pl.Series) -> Ints:
    places: Ints = column.replace_strict(known, pl.int_range(len(known), eager=True)).to_numpy()
    return places


def label_name(value: Any) -> str:
    """A label as the category is called; whole numbers without a point.

    >>> label_name(2.0), label_name("yes")
    ('2', 'yes')
    """
    return f"{value:g}" if isinstance(value, float) else str(value)
