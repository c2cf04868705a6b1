"""The cells and margins of a confusion table, as the leaves of formulas.

Retrieved sets and classifiers are counted alike, and each is spoken of in its own words.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from assay.core.errors import worded
from assay.measures.counting.confusion import Confusion, Counted
from assay.measures.kernels import NO_IRRELEVANT, NO_RELEVANT, NOTHING_RETRIEVED, SIZE_UNKNOWN
from assay.measures.steps import PerUnit, quantity, unknown


def _once(make: Callable[[Confusion], PerUnit]) -> Callable[[Confusion], PerUnit]:
    """Make it once for each confusion table, however many formulas it is a part of."""
    name = make.__name__

    @wraps(make)
    def kept_part(confusion: Confusion) -> PerUnit:
        part: PerUnit | None = confusion.kept.get(name)
        if part is None:
            part = confusion.kept[name] = make(confusion)
        return part

    return kept_part


def _words(confusion: Confusion, of_sets: tuple[str, str], of_items: tuple[str, str]) -> tuple[str, str]:
    """Names of a margin, and the reason why there is nothing to divide by where it is empty."""
    return of_sets if confusion.unit_kind == "query" else of_items


@_once
def hits(confusion: Confusion) -> PerUnit:
    """Relevant and retrieved: the true positives."""
    return quantity("TP", confusion.tp)


@_once
def noise(confusion: Confusion) -> PerUnit:
    """Irrelevant and retrieved: the false positives."""
    return quantity("FP", confusion.fp)


@_once
def missed(confusion: Confusion) -> PerUnit:
    """Relevant and not retrieved: the false negatives."""
    return quantity("FN", confusion.fn)


@_once
def left_out(confusion: Confusion) -> PerUnit:
    """Irrelevant and not retrieved: the true negatives."""
    return _with_rest(confusion, "TN", 0 * confusion.tp)


@_once
def retrieved(confusion: Confusion) -> PerUnit:
    """All retrieved documents."""
    of_items = ("predicted positive", "nothing is predicted positive")
    text, none = _words(confusion, ("retrieved", NOTHING_RETRIEVED), of_items)
    return quantity(text, confusion.tp + confusion.fp, none)


@_once
def relevant(confusion: Confusion) -> PerUnit:
    """All relevant documents."""
    of_items = ("positive", "nothing is positive")
    text, none = _words(confusion, ("relevant", NO_RELEVANT), of_items)
    return quantity(text, confusion.tp + confusion.fn, none)


@_once
def either(confusion: Confusion) -> PerUnit:
    """All documents that are relevant or were retrieved."""
    of_sets = ("relevant or retrieved", "nothing is relevant and nothing was retrieved")
    of_items = ("positive or predicted positive", "nothing is positive and nothing is predicted positive")
    text, neither = _words(confusion, of_sets, of_items)
    return quantity(text, confusion.tp + confusion.fp + confusion.fn, neither)


def zero_by_convention(confusion: Confusion, margin: PerUnit) -> PerUnit:
    """A margin by which is divided; where it is empty, the reason says that others put 0 there.

    Retrieved sets need not be told: what is undefined counts as 0 in their means anyway.
    """
    if confusion.unit_kind == "query":
        return margin
    return margin.saying(f"{margin.when_zero} (0 by convention)")


@_once
def precision(confusion: Confusion) -> PerUnit:
    """The share of the retrieved documents that is relevant."""
    return hits(confusion) / retrieved(confusion)


@_once
def recall(confusion: Confusion) -> PerUnit:
    """The share of the relevant documents that was retrieved."""
    return hits(confusion) / relevant(confusion)


@_once
def specificity(confusion: Confusion) -> PerUnit:
    """The share of the irrelevant documents that was left out."""
    return left_out(confusion) / irrelevant(confusion)


def faultless(confusion: Confusion) -> PerUnit:
    """1 where nothing is decided wrongly, 0 elsewhere."""
    return quantity("1 if FP + FN = 0", confusion.fp + confusion.fn == 0)


@_once
def irrelevant(confusion: Confusion) -> PerUnit:
    """All irrelevant documents of the collection."""
    of_items = ("negative", "nothing is negative")
    text, none = _words(confusion, ("irrelevant", NO_IRRELEVANT), of_items)
    return _with_rest(confusion, text, confusion.fp, none)


@_once
def not_retrieved(confusion: Confusion) -> PerUnit:
    """All documents of the collection that were not retrieved."""
    of_items = ("predicted negative", "nothing is predicted negative")
    text, none = _words(confusion, ("not retrieved", "everything was retrieved"), of_items)
    return _with_rest(confusion, text, confusion.fn, none)


@_once
def collection(confusion: Confusion) -> PerUnit:
    """All documents of the collection."""
    of_items = ("items", "there is no item")
    text, none = _words(confusion, ("documents", "there is no document"), of_items)
    return _with_rest(confusion, text, confusion.tp + confusion.fp + confusion.fn, none)


def _with_rest(confusion: Confusion, text: str, besides: Counted, when_zero: str = "0/0") -> PerUnit:
    """The true negatives and what is counted besides; not known without the size of the collection."""
    if confusion.tn is None:
        return unknown(text, len(confusion.units), worded(SIZE_UNKNOWN))
    return quantity(text, confusion.tn + besides, when_zero=when_zero)
