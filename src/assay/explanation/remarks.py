"""What is worth a remark beside the steps of a number."""

from __future__ import annotations

from collections.abc import Iterator

from assay.counting.ranks import Ranks
from assay.measures.curve_points import roc_points
from assay.measures.curve_words import trivial
from assay.measures.registry import Counts, Measure
from assay.measures.roc_area import AUC

SAMPLED = "orders of ties"


def remarks(measure: Measure, counts: Counts, *, sampled: bool = False) -> Iterator[str]:
    """Remarks on the number of one unit.

    >>> list(remarks(AUC, Ranks.from_grades([1, 0])))
    []
    """
    if not isinstance(counts, Ranks):
        return
    if not counts.in_run[0]:
        yield "the run has nothing for this query: it counts as an empty result (missing=zero)"
    if sampled:
        yield (
            "there is no closed form for tied documents: their order is drawn at random, again and again; "
            "another rule than expected for ties shows the steps of one order"
        )
    elif counts.hits.averaged and (counts.hits.tie_last > counts.hits.tie_first).any():
        yield (
            "documents with equal scores share their ranks (tied_ranks, in the order of the file): "
            "a step is the mean over all orders"
        )
    size = counts.policies.collection_size
    if measure.name == AUC.name and size is not None:
        curve = roc_points(counts, 0, measure.parameters["unretrieved"])
        yield from trivial({counts.queries[0]: [curve]}, size)
