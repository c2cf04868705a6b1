"""One unit of counts: which one is meant, and the counts of it alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.core.errors import ParameterError, did_you_mean, listed
from assay.counting.confusion import Confusion
from assay.counting.probabilities import Probabilities
from assay.counting.ranks import Ranks
from assay.measures.curve_input import GivenCurve
from assay.measures.registry import Counts


def units_of(counts: Counts) -> tuple[str, ...]:
    """The names of the units."""
    return counts.queries if isinstance(counts, Ranks) else counts.units


def number_of_unit(counts: Counts, query: str | None) -> int | None:
    """The place of a query; None if all of several are meant. A query that is not there is refused, with the reason.

    >>> number_of_unit(Confusion.from_table(1, 1, 1), None)
    0
    """
    units = units_of(counts)
    if query is None:
        return 0 if len(units) == 1 else None
    if query in units:
        return units.index(query)
    if isinstance(counts, Ranks):
        if query in counts.left_out:
            raise ParameterError(
                f"query {query!r} is judged, but the run has nothing for it, and missing='skip' leaves it out; "
                "under missing='zero' it counts as an empty result"
            )
        if query in counts.ignored_topics:
            raise ParameterError(f"query {query!r} has no judgments, so it has no number: it is ignored")
    kind = f"an {counts.unit_kind}" if counts.unit_kind == "item" else f"a {counts.unit_kind}"
    raise ParameterError(f"choose {kind} of {listed(units)}, not {query!r}{did_you_mean(query, units)}")


def only(counts: Counts, number: int) -> Counts:
    """The counts of one unit alone.

    >>> only(Ranks.from_grades([1], [0, 1]), 1).queries
    ('q2',)
    """
    if isinstance(counts, Ranks):
        return counts.only(np.arange(len(counts.queries)) == number)
    unit = (counts.units[number],)
    if isinstance(counts, Confusion):
        own = slice(number, number + 1)
        tn = None if counts.tn is None else counts.tn[own]
        return Confusion(unit, counts.tp[own], counts.fp[own], counts.fn[own], tn, counts.unit_kind)
    if isinstance(counts, Probabilities):
        own = slice(number, number + 1)
        weight = None if counts.weight is None else counts.weight[own]
        ids = None if counts.item_id is None else counts.item_id[own]
        return replace(counts, truth=counts.truth[own], scores=counts.scores[own], weight=weight, item_id=ids)
    if not isinstance(counts, GivenCurve):
        return counts  # one number for the whole table: there is nothing to take apart
    points = counts.points.where(counts.points.unit == number)
    return GivenCurve(unit, replace(points, unit=np.zeros_like(points.unit), units=1))
