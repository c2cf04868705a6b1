"""What no grades of unjudged documents lead beyond, for queries of which not all grades were tried."""

from __future__ import annotations

import numpy as np

from assay.counting.graded import place_in_group
from assay.counting.judgments import Floats, Ints
from assay.rankings.extremes import FEW_ROWS, Extremes
from assay.rankings.sufficient import rises_with_rank
from assay.rankings.trials import Trials


def limits(trials: Trials, extremes: Extremes) -> tuple[Floats, Floats]:
    """Heights between which each query lies whatever the grades: its extremes where they are sure, else wider ones.

    >>> from assay.counting.retrieved import retrieved
    >>> from assay.measures import RR
    >>> from assay.tables import Qrels, Run
    >>> counts = retrieved({"mine": Run.of({"q": {"new": 2, "good": 1}})}, Qrels.of({"q": {"good": 1}}))
    >>> trials = Trials(RR, [counts["mine"]], "counted_as")
    >>> limits(trials, Extremes(trials.observed, trials.observed, sure=np.array([False])))
    (array([0.]), array([1.]))
    """
    low, high = trials.height(extremes.low), trials.height(extremes.high)
    rest = np.flatnonzero(~extremes.sure)
    least, most = trials.measure.definition.bounds or (-np.inf, np.inf)
    least = max(least, trials.measure.parameters.get("floor", least))
    two = len(trials.systems) == 2
    low[rest] = trials.height(np.array([[most], [least]] if two else [[least]]))
    high[rest] = trials.height(np.array([[least], [most]] if two else [[most]]))
    documents = np.bincount(trials.unjudged.query, minlength=len(trials.queries))
    if two and rises_with_rank(trials.measure) and (documents * trials.sizes)[rest].sum() <= FEW_ROWS:
        low[rest] = -_each_at_its_best(trials, rest, documents, better=0)
        high[rest] = _each_at_its_best(trials, rest, documents, better=1)
    # What was found is within reach, also what is observed while documents stay unjudged.
    return np.minimum(low, trials.height(extremes.low)), np.maximum(high, trials.height(extremes.high))


def _each_at_its_best(trials: Trials, queries: Ints, documents: Ints, better: int) -> Floats:
    """How far the one system could be ahead if the same number of documents, but not the same ones, were relevant.

    The most that a number of relevant documents can make of a system is theirs at the top, the least at the bottom.
    """
    query = np.repeat(queries, documents[queries] + 1)
    size, top = place_in_group(query), trials.grades[-1]
    values = np.empty((2, len(query)))
    for system, rank in enumerate(trials.ranks):
        order = np.lexsort((rank if system == better else -rank, trials.unjudged.query))
        place = np.empty_like(order)
        place[order] = place_in_group(trials.unjudged.query[order])
        values[system] = trials.values_of(
            system,
            query,
            lambda unit, document: np.where(place[document] < size[unit], top, 0.0),  # noqa: B023
        )
    ahead = trials.height(values) * (1 if better else -1)
    starts = np.flatnonzero(size == 0)
    furthest: Floats = np.maximum.reduceat(ahead, starts)
    return furthest
