"""The cells and margins of a confusion table, as the leaves of formulas."""

from __future__ import annotations

from assay.counting.confusion import Confusion
from assay.counting.judgments import Ints
from assay.measures.kernels import NO_IRRELEVANT, NO_RELEVANT, NOTHING_RETRIEVED, SIZE_UNKNOWN
from assay.measures.steps import PerQuery, given, unknown

EVERYTHING_RETRIEVED = "everything was retrieved"
NOTHING_AT_ALL = "nothing is relevant and nothing was retrieved"
NOTHING_THERE = "there is no document"


def found(confusion: Confusion) -> PerQuery:
    """Relevant and retrieved: the true positives."""
    return given("TP", confusion.tp)


def noise(confusion: Confusion) -> PerQuery:
    """Irrelevant and retrieved: the false positives."""
    return given("FP", confusion.fp)


def missed(confusion: Confusion) -> PerQuery:
    """Relevant and not retrieved: the false negatives."""
    return given("FN", confusion.fn)


def left_out(confusion: Confusion) -> PerQuery:
    """Irrelevant and not retrieved: the true negatives."""
    return _with_rest(confusion, "TN", 0 * confusion.tp)


def retrieved(confusion: Confusion) -> PerQuery:
    """All retrieved documents."""
    return given("retrieved", confusion.tp + confusion.fp, when_zero=NOTHING_RETRIEVED)


def relevant(confusion: Confusion) -> PerQuery:
    """All relevant documents."""
    return given("relevant", confusion.tp + confusion.fn, when_zero=NO_RELEVANT)


def either(confusion: Confusion) -> PerQuery:
    """All documents that are relevant or were retrieved."""
    return given("relevant or retrieved", confusion.tp + confusion.fp + confusion.fn, when_zero=NOTHING_AT_ALL)


def precision(confusion: Confusion) -> PerQuery:
    """The share of the retrieved documents that is relevant."""
    return found(confusion) / retrieved(confusion)


def recall(confusion: Confusion) -> PerQuery:
    """The share of the relevant documents that was retrieved."""
    return found(confusion) / relevant(confusion)


def irrelevant(confusion: Confusion) -> PerQuery:
    """All irrelevant documents of the collection."""
    return _with_rest(confusion, "irrelevant", confusion.fp, NO_IRRELEVANT)


def not_retrieved(confusion: Confusion) -> PerQuery:
    """All documents of the collection that were not retrieved."""
    return _with_rest(confusion, "not retrieved", confusion.fn, EVERYTHING_RETRIEVED)


def collection(confusion: Confusion) -> PerQuery:
    """All documents of the collection."""
    return _with_rest(confusion, "documents", confusion.tp + confusion.fp + confusion.fn, NOTHING_THERE)


def _with_rest(confusion: Confusion, says: str, besides: Ints, when_zero: str = "0/0") -> PerQuery:
    """The true negatives and what is counted besides; not known without the size of the collection."""
    if confusion.tn is None:
        return unknown(says, len(confusion.units), SIZE_UNKNOWN)
    return given(says, confusion.tn + besides, when_zero=when_zero)
