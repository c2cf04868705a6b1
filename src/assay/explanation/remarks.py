"""What is worth a remark beside the steps of a number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from assay.core.errors import number_of
from assay.counting.ranks import Ranks
from assay.explanation.working import StepTable
from assay.measures.curve_input import GivenCurve
from assay.measures.curve_points import roc_points, trivial
from assay.measures.registry import Counts, Measure
from assay.measures.roc_area import AUC

SAMPLED = "orders of ties"


def remarks(
    measure: Measure, counts: Counts, value: float, tables: Sequence[StepTable] = (), *, sampled: bool = False
) -> Iterator[str]:
    """Remarks on the number of one unit.

    >>> from assay.measures import IPrec
    >>> list(remarks(IPrec(recall=0.8), Ranks.from_grades([1], judged=[[1]]), 0.0))
    ['a recall of 0.8 is never reached: there is no precision to look at, and it counts as 0']
    """
    yield from _never_reached(measure, counts, value)
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
    if counts.judgments is None and any(table.says == "ideal" for table in tables):
        yield from _not_in_the_list(counts)
    size = counts.policies.collection_size
    if measure.name == AUC.name and size is not None:
        curve = roc_points(counts, 0, measure.parameters["unretrieved"])
        yield from trivial({counts.queries[0]: [curve]}, size)


def _never_reached(measure: Measure, counts: Counts, value: float) -> Iterator[str]:
    """A precision at a recall that no rank, or no point, has."""
    recall = measure.parameters.get("recall", 0.0)
    if value != 0 or not recall:
        return
    # A document found has a precision above 0; a point that somebody gives need not have.
    if not isinstance(counts, GivenCurve) or counts.points["recall"].max() < recall:
        yield f"a recall of {recall:g} is never reached: there is no precision to look at, and it counts as 0"


def _not_in_the_list(ranks: Ranks) -> Iterator[str]:
    """Documents that somebody said there are: the ideal ranking has them, and a list of grades does not show them."""
    rest = Counter(ranks.ideal.grade.tolist()) - Counter(ranks.hits.grade.tolist())
    there = [f"{number_of('document', count)} of grade {grade:g}" for grade, count in sorted(rest.items())[::-1]]
    if there:
        yield f"not in the list, but there for the ideal ranking: {', '.join(there)}"
