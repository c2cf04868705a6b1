"""The area under the ROC curve: how often a relevant document stands above an irrelevant one."""

from __future__ import annotations

from assay.counting.confusion import Confusion
from assay.counting.ranks import Ranks
from assay.measures.domains import Level, Unretrieved
from assay.measures.kernels import NO_IRRELEVANT, NO_RELEVANT, SIZE_UNKNOWN, relevant_rows, steps_of
from assay.measures.registry import measure
from assay.measures.steps import PerQuery, given, unknown


@measure(
    aliases=("AUROC", "ROC_AUC", "AreaUnderROC"),
    user_model="compares a relevant document with an irrelevant one, each drawn at random",
    closed_under_ties=True,
)
def AUC(ranks: Ranks, *, unretrieved: Unretrieved = "random_order", rel: Level = None) -> PerQuery:
    r"""Area under the ROC curve: the chance that a relevant document stands above an irrelevant one.

    .. math:: \frac{1}{R\,(N - R)} \Big( \sum_{i:\ x_i = 1} b_i + t\,u + c\,(R - t)\,u \Big)

    :math:`b_i`: irrelevant documents retrieved below rank *i*; *t*: relevant documents retrieved; *u*: irrelevant
    documents of the collection of *N* that were not retrieved. What was not retrieved comes after what was, in
    `random_order` (:math:`c = 1/2`), or the relevant ones `relevant_last` of all (:math:`c = 0`): *N* is then the
    evaluation's `collection_size`, and the value is undefined if it is not known. With `left_out` the retrieved
    documents are all there is. Undefined if there are no two documents to compare. In a large collection the value says
    little: nearly all pairs are with documents that nobody would retrieve.

    >>> AUC(unretrieved="left_out").of(Ranks.from_grades([1, 0, 1, 0]))  # (2 + 1) / (2 * 2)
    array([0.75])
    """
    rows = relevant_rows(ranks, rel)
    cells = Confusion.from_ranks(ranks, rel)
    below = ranks.retrieved[rows.query] - rows.at_rank(lambda rank: rank.astype(float))
    steps = steps_of(rows, len(ranks.queries)).with_columns(below=below)
    # Of each two relevant documents one stands below the other: those pairs are not in question.
    in_order = steps.sum("below") - given("pairs of relevant documents", cells.tp * (cells.tp - 1) / 2)
    if unretrieved == "left_out":
        relevant = given("relevant and retrieved", cells.tp, when_zero=f"{NO_RELEVANT} was retrieved")
        return in_order / relevant / given("other retrieved", cells.fp, when_zero=f"{NO_IRRELEVANT} was retrieved")
    if cells.tn is None:
        return in_order * unknown("other documents not retrieved", len(ranks.queries), SIZE_UNKNOWN)
    credit = 0.5 if unretrieved == "random_order" else 0.0
    rest = given("other documents not retrieved", cells.tn)
    won = in_order + given("relevant and retrieved", cells.tp) * rest + credit * given("missed", cells.fn) * rest
    relevant = given("relevant", cells.tp + cells.fn, when_zero=NO_RELEVANT)
    return won / relevant / given("irrelevant", cells.fp + cells.tn, when_zero=NO_IRRELEVANT)
