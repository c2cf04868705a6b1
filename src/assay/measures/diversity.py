"""Coverage of subtopics: alpha-nDCG, ERR-IA, subtopic recall."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.core.errors import ParameterError, worded
from assay.measures.counting.judgments import Floats, Graded, Ints, Subtopics, place_in_group
from assay.measures.counting.ranks import Ranks
from assay.measures.definition import Cutoff, Depth, DiscountName, Level, Redundancy
from assay.measures.kernels import discounted, discounts, steps_of, within
from assay.measures.registry import measure
from assay.measures.steps import PerUnit, Steps, quantity
from assay.tables import picked

NO_SUBTOPICS = "there are no judgments of subtopics: {subtopics=True} says that column 2 of the judgments names them"
NO_RELEVANT_SUBTOPIC = "no subtopic has a relevant document"
# Gains that differ by less than rounding does are equal: the greedy choice is then the same on every machine.
_DECIMALS = 12
# The bound of a measure adds up all ranks down to the cut-off.
_TOO_DEEP = 1_000_000


@measure(
    cites="clarke2008",
    ir_measures="alpha_nDCG@{cutoff}",
    aliases=("alpha-nDCG", "α_nDCG", "α-nDCG"),
    bounds=None,
    user_model="has one of several needs, and gains less from what was said before",
    subtopics=True,
)
def alpha_nDCG(ranks: Ranks, *, cutoff: Cutoff = None, alpha: Redundancy = 0.5, rel: Level = None) -> PerUnit:
    r"""Discounted gain of novelty, as a share of a ranking that is built to cover the subtopics soon.

    .. math:: \alpha\text{-nDCG}@k = \sum_{i=1}^{k} \frac{n_i}{\log_2(i+1)} \Big/
              \sum_{i=1}^{k} \frac{n^*_i}{\log_2(i+1)}, \quad n_i = \sum_{s} x_{i,s}\, (1-\alpha)^{c_{i,s}}

    :math:`x_{i,s}` is 1 if the document at rank *i* is relevant to subtopic *s*, and :math:`c_{i,s}` counts the
    documents above it that are: each further document on a subtopic gains :math:`1-\alpha` times what the one before
    did. To find the best ranking (:math:`n^*`) is NP-hard, so it is built greedily, as ndeval does: at each rank the
    judged document that gains most; of several that gain alike (to 12 decimals), the one whose id comes last in byte
    order. A ranking can do better than that, so the value may exceed 1. Undefined if no document is relevant to a
    subtopic. Needs judgments of subtopics: the rule `subtopics`.

    >>> alpha_nDCG.of(Ranks.from_subtopics([["a"], ["a"], ["b"]]))  # (1/1 + .5/1.585 + 1/2) / (1/1 + 1/1.585 + .5/2)
    array([0.9652])
    """
    return _share_of_ideal(ranks, _relevant(ranks, rel), cutoff, alpha, "log2")


@measure(
    cites="clarke2008",
    ir_measures="alpha_DCG@{cutoff}",
    aliases=("alpha-DCG", "α_DCG", "α-DCG"),
    user_model="has one of several needs, and gains less from what was said before",
    subtopics=True,
)
def alpha_DCG(ranks: Ranks, *, cutoff: Depth = 20, alpha: Redundancy = 0.5, rel: Level = None) -> PerUnit:
    r"""Discounted gain of novelty, as a share of what documents relevant to every subtopic would gain.

    .. math:: \alpha\text{-DCG}@k = \sum_{i=1}^{k} \frac{n_i}{\log_2(i+1)} \Big/ \big(
              S \sum_{i=1}^{k} \frac{(1-\alpha)^{i-1}}{\log_2(i+1)} \big)

    :math:`n_i` as in `alpha_nDCG`; *S* is the number of subtopics with a relevant document. Divided like this, as
    ndeval does (but for *k* = 1), the value lies between 0 and 1 whatever was judged; few queries have documents that
    reach 1. Undefined if no document is relevant to a subtopic. Needs judgments of subtopics:
    the rule `subtopics`.

    >>> alpha_DCG(cutoff=2).of(Ranks.from_subtopics([["a", "b"], ["a"]]))  # (2 + .5/1.585) / (2 (1 + .5/1.585))
    array([0.8801])
    """
    return _share_of_bound(ranks, _relevant(ranks, rel), cutoff, alpha, "log2")


@measure(
    cites="chapelle2011",
    ir_measures="ERR_IA@{cutoff}",
    aliases=("ERR-IA",),
    user_model="has one of several needs, and reads on until it is met",
    subtopics=True,
)
def ERR_IA(ranks: Ranks, *, cutoff: Depth = 20, alpha: Redundancy = 0.5, rel: Level = None) -> PerUnit:
    r"""Intent-aware expected reciprocal rank: of the document that meets the user's need, whichever subtopic that is.

    .. math:: \text{ERR-IA}@k = \sum_{i=1}^{k} \frac{n_i}{i} \Big/ \big(
              S \sum_{i=1}^{k} \frac{(1-\alpha)^{i-1}}{i} \big), \quad n_i = \sum_{s} x_{i,s}\, (1-\alpha)^{c_{i,s}}

    :math:`x_{i,s}` is 1 if the document at rank *i* is relevant to subtopic *s*; such a document satisfies whoever is
    after *s* with probability :math:`\alpha`, and :math:`c_{i,s}` counts those above it; all subtopics are as likely.
    As in ndeval (but for *k* = 1, where it does not), the mean of their `ERR` is divided by that of documents relevant
    to all *S* subtopics, so that the value lies between 0 and 1. Undefined if no document is relevant to a subtopic.
    Needs judgments of subtopics: the rule `subtopics`.

    >>> ERR_IA(cutoff=2).of(Ranks.from_subtopics([["a"], ["a", "b"]]))  # (1/1 + (.5 + 1)/2) / (2 (1/1 + .5/2))
    array([0.7])
    """
    return _share_of_bound(ranks, _relevant(ranks, rel), cutoff, alpha, "zipf")


@measure(
    ir_measures="nERR_IA@{cutoff}",
    aliases=("nERR-IA",),
    bounds=None,
    user_model="has one of several needs, and reads on until it is met",
    subtopics=True,
)
def nERR_IA(ranks: Ranks, *, cutoff: Cutoff = None, alpha: Redundancy = 0.5, rel: Level = None) -> PerUnit:
    r"""Intent-aware expected reciprocal rank, as a share of a ranking that is built to cover the subtopics soon.

    .. math:: \text{nERR-IA}@k = \sum_{i=1}^{k} \frac{n_i}{i} \Big/ \sum_{i=1}^{k} \frac{n^*_i}{i}

    :math:`n_i` as in `ERR_IA`, :math:`n^*_i` that of the greedy ranking of `alpha_nDCG`, which a ranking can beat, so
    the value may exceed 1. Undefined if no document is relevant to a subtopic. Needs judgments of subtopics:
    the rule `subtopics`.

    >>> nERR_IA.of(Ranks.from_subtopics([["a"], ["a"], ["b"]]))  # (1/1 + .5/2 + 1/3) / (1/1 + 1/2 + .5/3)
    array([0.95])
    """
    return _share_of_ideal(ranks, _relevant(ranks, rel), cutoff, alpha, "zipf")


@measure(
    cites="zhai2003",
    ir_measures="StRecall@{cutoff}",
    aliases=("S-recall", "SRecall", "strec", "SubtopicRecall"),
    user_model="wants to see every subtopic once",
    subtopics=True,
)
def StRecall(ranks: Ranks, *, cutoff: Cutoff = None, rel: Level = None) -> PerUnit:
    r"""Subtopic recall: the share of subtopics on which there is a relevant document among the first *k*.

    .. math:: \mathrm{StRecall}@k = \frac{1}{S} \sum_{i=1}^{k} \#\{ s : x_{i,s} = 1,\ x_{j,s} = 0\ (j < i) \}

    *S* is the number of subtopics with a relevant document, retrieved or not. Undefined if there is none. Needs
    judgments of subtopics: the rule `subtopics`.

    >>> StRecall(cutoff=2).of(Ranks.from_subtopics([["a"], [], ["b"]], judged=[[["c"]]]))  # only a, of a, b and c
    array([0.3333])
    """
    table = _relevant(ranks, rel)
    rows = within(ranks.hits, cutoff)
    covered = steps_of(rows, len(ranks.queries)).with_columns(new_subtopics=_novelty(rows, table, alpha=1.0))
    covered = covered.meaning(new_subtopics="subtopics of the document that none above it is relevant to")
    return covered.sum("new_subtopics") / _subtopics_total(ranks, table)


def _why_none(ranks: Ranks) -> str:
    return worded(NO_SUBTOPICS) if ranks.subtopics is None else NO_RELEVANT_SUBTOPIC


def _relevant(ranks: Ranks, rel: float | None) -> Subtopics:
    """To which subtopics the judged documents are relevant."""
    return (ranks.subtopics or Subtopics.none()).reaching(ranks.level(rel))


def _subtopics_total(ranks: Ranks, table: Subtopics) -> PerUnit:
    """The number of subtopics of each query that have a relevant document."""
    owner, at = table.rows_of(ranks.ideal.document)
    there = np.unique(_numbered(ranks.ideal.query[owner], table, at))
    counts = np.bincount(there // max(len(table.names), 1), minlength=len(ranks.queries))
    return quantity("subtopics", counts, when_zero=_why_none(ranks))


def _share_of_ideal(
    ranks: Ranks, table: Subtopics, cutoff: int | None, alpha: float, discount: DiscountName
) -> PerUnit:
    """The discounted gain of novelty, divided by that of the greedy ranking."""
    ideal = _greedy_ideal(ranks, table, cutoff, alpha)
    got = _discounted(ranks, ranks.hits, table, cutoff=cutoff, alpha=alpha, discount=discount)
    best = _discounted(ranks, ideal, table, cutoff=cutoff, alpha=alpha, discount=discount, kind="ideal")
    return got.sum("contribution") / best.sum("contribution", when_zero=_why_none(ranks))


def _share_of_bound(ranks: Ranks, table: Subtopics, cutoff: int, alpha: float, discount: DiscountName) -> PerUnit:
    """The discounted gain of novelty, divided by what no ranking can surpass, whatever was judged."""
    got = _discounted(ranks, ranks.hits, table, cutoff=cutoff, alpha=alpha, discount=discount)
    return got.sum("contribution") / _bound(ranks, table, cutoff, alpha, discount)


def _bound(ranks: Ranks, table: Subtopics, cutoff: int, alpha: float, discount: DiscountName) -> PerUnit:
    """The gain of a ranking in which every document is relevant to every subtopic."""
    if cutoff > _TOO_DEEP:
        raise ParameterError(f"the cut-off is at most {_TOO_DEEP:,} here, not {cutoff:,}")
    rank = np.arange(1, cutoff + 1)
    gain = np.power(1.0 - alpha, rank - 1.0) * discounts(rank, discount, 2.0)
    total = _subtopics_total(ranks, table)
    most = quantity("most that a subtopic can gain", np.full(len(ranks.queries), gain.sum()))
    return replace(total * most, when_zero=total.when_zero)


def _discounted(
    ranks: Ranks,
    rows: Graded,
    table: Subtopics,
    *,
    cutoff: int | None,
    alpha: float,
    discount: DiscountName,
    kind: str = "ranking",
) -> Steps:
    rows = within(rows, cutoff)
    worth = _novelty(rows, table, alpha)
    steps = discounted(rows, worth, len(ranks.queries), cutoff=cutoff, discount=discount, base=2.0, kind=kind)
    return steps.meaning(gain=f"for each subtopic of the document (1 - {alpha:g})^(documents on it above)")


def _novelty(rows: Graded, table: Subtopics, alpha: float) -> Floats:
    """The novelty of each document of a ranking: 1 for a new subtopic, (1 - alpha)^c after c documents on it."""
    owner, at = table.rows_of(rows.document)
    subtopic = _numbered(rows.query[owner], table, at)
    order = np.argsort(subtopic, kind="stable")  # rows come by rank, and stay so within a subtopic
    worth = np.power(1.0 - alpha, place_in_group(subtopic[order]))
    return np.bincount(owner[order], weights=worth, minlength=len(rows.query)).astype(np.float64, copy=False)


def _numbered(query: Ints, table: Subtopics, at: Ints) -> Ints:
    """Number the subtopics over all queries, in the order of queries."""
    return query * len(table.names) + table.subtopic[at]


def _greedy_ideal(ranks: Ranks, table: Subtopics, cutoff: int | None, alpha: float) -> Graded:
    """The ranking that takes at each rank the document that gains most, down to the cut-off."""
    rows = ranks.ideal.where(np.isin(ranks.ideal.document, table.judgment))
    ids = picked(ranks.doc_ids, rows.document)
    order = np.lexsort((-ids.rank("ordinal").to_numpy().astype(np.int64), rows.query))
    query, document = rows.query[order], rows.document[order]
    owner, at = table.rows_of(document)
    bounds = np.searchsorted(query, np.arange(len(ranks.queries) + 1))
    chosen: list[Ints] = [np.zeros(0, dtype=np.int64)]
    for start, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        first, last = np.searchsorted(owner, [start, end])
        subtopics, column = np.unique(table.subtopic[at[first:last]], return_inverse=True)
        covers = np.zeros((end - start, len(subtopics)))
        covers[owner[first:last] - start, column] = 1.0
        depth = end - start if cutoff is None else min(cutoff, end - start)
        chosen.append(start + _greedily(covers, depth, alpha))
    place = np.concatenate(chosen)
    rank = place_in_group(query[place]) + 1
    return Graded(query[place], rank, rows.grade[order][place], rank, rank, document[place])


def _greedily(covers: Floats, depth: int, alpha: float) -> Ints:
    """Choose documents (rows) that cover subtopics (columns), the one with the largest gain first; ties by row."""
    worth = np.ones(covers.shape[1])
    left = np.ones(len(covers), dtype=np.bool_)
    chosen: list[int] = []
    while len(chosen) < depth:
        gain = np.where(left, np.round(covers @ worth, _DECIMALS), -1.0)
        best = int(gain.argmax())
        if gain[best] == 0:  # from here on all gain alike: nothing worth mentioning
            chosen.extend(np.flatnonzero(left)[: depth - len(chosen)].tolist())
            break
        chosen.append(best)
        left[best] = False
        worth[covers[best] > 0] *= 1.0 - alpha
    return np.array(chosen, dtype=np.int64)
