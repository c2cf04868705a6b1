"""Micro averages under hypothetical judgments: their sums run over all queries, so hypotheses are about all at once."""

from __future__ import annotations

import itertools
import math

import numpy as np

from assay.counting.graded import place_in_group
from assay.counting.judgments import Floats, Ints
from assay.rankings.hypotheses import Hypotheses
from assay.rankings.trials import Trials

# So many rows are tried, and so many at a time; if it took more to be sure, these shares of the documents are.
_MOST_ROWS = 1 << 22
_ROWS_AT_A_TIME = 1 << 19
_SHARES = np.linspace(0.0, 1.0, 5)
#: The kinds of documents of which every number has to be tried. Of the others the number is 0, or all of them are
#: relevant: with each of these the value, or the difference, only rises or only falls.
_OPEN_KINDS = {"SetP": (), "SetR": (), "SetF": (2,)}


def pooled(trials: Trials) -> tuple[Floats, bool]:
    """The number, or the difference, as judged and under hypotheses; and whether these hold its extremes.

    Only numbers of relevant documents matter: of those that one system has, the other has, or both have.

    >>> from assay.counting.retrieved import retrieved
    >>> from assay.measures import parse_measure
    >>> from assay.tables import Qrels, Run
    >>> counts = retrieved({"mine": Run.of({"q": {"new": 2, "good": 1}})}, Qrels.of({"q": {"good": 1}}))
    >>> pooled(Trials(parse_measure("SetP(average='micro')"), [counts["mine"]], "counted_as"))
    (array([0.5, 0.5, 1. ]), True)
    """
    kind = trials.kind
    order = np.argsort(kind, kind="stable")
    place = np.empty_like(kind)
    place[order] = place_in_group(kind[order])
    number = np.bincount(kind, minlength=3)
    open_kinds = _OPEN_KINDS.get(trials.measure.name, (0, 1, 2))
    choices = [
        np.arange(n + 1) if group in open_kinds else np.unique([0, n]) for group, n in enumerate(number.tolist())
    ]
    sure = math.prod(map(len, choices)) * int(trials.sizes.sum()) <= _MOST_ROWS
    if not sure:
        choices = [np.unique((n * _SHARES).astype(np.int64)) for n in number.tolist()]
    relevant = np.array(list(itertools.product(*choices)), dtype=np.int64)
    observed = _numbers(trials, np.zeros((1, 3), dtype=np.int64), place, trials.as_it_is)
    at_a_time = max(1, _ROWS_AT_A_TIME // max(1, int(trials.sizes.sum())))
    blocks = [relevant[start : start + at_a_time] for start in range(0, len(relevant), at_a_time)]
    numbers = [observed, *(_numbers(trials, block, place, trials.systems) for block in blocks)]
    return np.concatenate(numbers), sure


def _numbers(trials: Trials, relevant: Ints, place: Ints, systems: list[Hypotheses]) -> Floats:
    """The numbers if so many documents of each kind (columns) were relevant, one hypothesis a row."""
    queries, top = len(trials.queries), trials.grades[-1]
    query = np.tile(trials.queries, len(relevant))
    values = [
        trials.measure.per_unit(
            system.counts(
                query,
                lambda unit, document: np.where(
                    place[document] < relevant[unit // queries, trials.kind[document]], top, 0.0
                ),
            )
        )
        .pooled(lambda counts: counts.reshape(len(relevant), queries).sum(axis=1))
        .values
        for system in systems
    ]
    return values[-1] - values[0] if len(values) == 2 else values[0]
