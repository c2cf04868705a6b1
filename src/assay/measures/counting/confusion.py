"""`Confusion`: right and wrong decisions per unit; a retrieved set is one decision per document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias, Unpack

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import ParameterError, argument_name, listed, number_of
from assay.core.evaluation_options import PolicyRules
from assay.measures.counting.judgments import Ints
from assay.measures.counting.ranks import Ranks

#: Numbers of documents or items, whole unless items have weights.
Counted: TypeAlias = NDArray[Any]


#: What the cells are, in words: of documents, and of items.
CELLS_OF_DOCUMENTS = {
    "TP": "relevant and retrieved",
    "FP": "irrelevant and retrieved",
    "FN": "relevant and not retrieved",
    "TN": "irrelevant and not retrieved",
}
CELLS_OF_ITEMS = {
    "TP": "positive and predicted so",
    "FP": "negative, but predicted positive",
    "FN": "positive, but predicted negative",
    "TN": "negative and predicted so",
}


@dataclass(frozen=True, eq=False, repr=False)
class Confusion:
    """True and false positives, false and (where the collection's size is known) true negatives, one table a unit.

    >>> Confusion.from_table(tp=4, fp=6, fn=4).tp
    array([4])
    """

    vocabularies: ClassVar[tuple[str, ...]] = ("ranking", "binary", "multiclass")
    #: What it is, for measures that are computed from it.
    described: ClassVar[str] = "right and wrong decisions about a class (TP, FP, FN, TN)"

    units: tuple[str, ...]
    tp: Counted
    fp: Counted
    fn: Counted
    tn: Counted | None = None
    #: What a unit is: a query for retrieved sets, a class, an item or a whole table for classifiers.
    unit_kind: str = "query"
    #: What formulas have made of the cells, by name: most share some of it.
    kept: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("tp", "fp", "fn", "tn"):
            cell = getattr(self, name)
            if cell is None and name == "tn":
                continue
            counts = np.asarray(cell)
            if counts.shape != (len(self.units),):
                raise ParameterError(f"{name} is one number for each of {number_of('unit', len(self.units))}")
            # Documents are counted one by one; items of a classifier may have weights.
            kinds, expected = ("iu", "whole numbers") if self.unit_kind == "query" else ("iuf", "numbers")
            if len(counts) and (counts.dtype.kind not in kinds or not counts.min() >= 0):
                raise ParameterError(f"{name} is made of {expected} from 0 on, not {listed([*map(str, counts)])}")

    @classmethod
    def of_classes(cls, classes: tuple[str, ...], cells: Counted) -> Confusion:
        """TP, FP, FN and TN of classes, the rows of one array: they are looked over at once.

        >>> Confusion.of_classes(("a", "b"), np.array([[1, 2], [0, 0], [3, 0], [1, 3]])).fn
        array([3, 0])
        """
        tp, fp, fn, tn = cells
        if tp.shape != (len(classes),) or not np.minimum.reduce(cells, None) >= 0:
            return cls(classes, tp, fp, fn, tn, "class")  # which says what is wrong
        confusion = object.__new__(cls)
        fields = {"units": classes, "tp": tp, "fp": fp, "fn": fn, "tn": tn, "unit_kind": "class", "kept": {}}
        object.__setattr__(confusion, "__dict__", fields)
        return confusion

    @classmethod
    def from_ranks(cls, ranks: Ranks, level: float | None = None, collection_size: int | None = None) -> Confusion:
        """Count each query's retrieved set; what is not judged counts as irrelevant.

        The size of the collection, if it is not given, is that of the policies.

        >>> Confusion.from_ranks(Ranks.from_grades([1, 0, 1], judged=[[1]])).fn
        array([1])
        """
        if ranks.hits.averaged and ranks.hits.limit is not None:
            raise ParameterError(
                "which tied documents the depth leaves in is open: use another rule for ties than expected"
            )
        relevant = ranks.hits.grade >= ranks.level(level)
        tp = np.bincount(ranks.hits.query[relevant], minlength=len(ranks.queries))
        fp = ranks.retrieved - tp
        fn = ranks.relevant(level) - tp
        size = ranks.policies.collection_size if collection_size is None else collection_size
        if size is None:
            return cls(ranks.queries, tp, fp, fn)
        tn = size - tp - fp - fn
        if (tn < 0).any():
            needed = int((tp + fp + fn).max())
            raise ParameterError(f"{argument_name('collection_size')} is {size}, but a query has {needed} documents")
        return cls(ranks.queries, tp, fp, fn, tn)

    @classmethod
    def from_tables(cls, run: Any, qrels: Any, **policies: Unpack[PolicyRules]) -> Confusion:
        """Count a run's retrieved sets against judgments; the policies are those of `Ranks.from_tables`.

        >>> Confusion.from_tables({"q": {"a": 1, "b": 1}}, {"q": {"a": 1, "c": 1}}).fp
        array([1])
        """
        return cls.from_ranks(Ranks.from_tables(run, qrels, **policies))

    @classmethod
    def from_table(cls, tp: int, fp: int, fn: int, tn: int | None = None) -> Confusion:
        """Make one table by hand, for examples."""
        rest = None if tn is None else _count("tn", tn)
        return cls(("example",), _count("tp", tp), _count("fp", fp), _count("fn", fn), rest)


def _count(name: str, value: object) -> Ints:
    """A number of documents, as the cell of a table of one unit."""
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    if isinstance(number, bool) or not hasattr(number, "__index__") or not 0 <= int(number) < 1 << 53:
        raise ParameterError(f"{name} is a whole number from 0 on, not {value!r}")
    return np.array([int(number)], dtype=np.int64)
