"""A check for labels that may be wrong: items whose truth the probabilities contradict, as in confident learning."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from assay.core.digits import number, significant
from assay.core.errors import number_of, quote
from assay.counting.judgments import Floats, Ints
from assay.counting.probabilities import Probabilities
from assay.diagnosis.findings import EXAMPLES, Finding, Severity
from assay.diagnosis.labelled import Labelled
from assay.diagnosis.registry import check, finding
from assay.measures.parser import parse_measure

#: The true label has a very low probability if it is at most this.
VERY_LOW = 0.1
#: Probabilities are believed if they are off by at most this on average (ECE), in so many items or more.
CALIBRATED, LEAST_ITEMS = 0.1, 50
#: So many items are listed, the most doubtful first, if there are more than expected.
LISTED = 10
_SURE = 2.326


class Doubtful(NamedTuple):
    """Rows whose truth is doubtful, the most doubtful first; the label that scores say; how many are expected."""

    rows: Ints
    rather: Ints
    expected: float
    spread: float


def doubtful(truth: Ints, probabilities: Floats) -> Doubtful:
    """Items whose true label has a very low probability while another label is as likely as for items that have it.

    As likely means: at least the mean probability of that label over the items that have it (the thresholds of
    confident learning, Northcutt and others 2021). `expected` says of how many items a calibrated score would say the
    same though their labels are right; `spread` is the standard deviation of that.

    >>> probabilities = np.array([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.05, 0.95], [0.02, 0.98]])
    >>> doubtful(np.array([0, 0, 1, 1, 0]), probabilities).rows
    array([4])
    """
    items, labels = probabilities.shape
    is_true = np.arange(labels) == truth[:, None]
    with np.errstate(invalid="ignore"):
        usual = np.where(is_true, probabilities, 0.0).sum(axis=0) / is_true.sum(axis=0)
    likely = np.where(probabilities >= np.nan_to_num(usual, nan=math.inf), probabilities, -math.inf)
    rather = likely.argmax(axis=1)
    certain = likely.max(axis=1) > -math.inf
    # What the scores themselves say about how often one of the other labels, each very unlikely, is true.
    low = (probabilities <= VERY_LOW) & (np.arange(labels) != rather[:, None])
    chance = np.where(low, probabilities, 0.0).sum(axis=1) * certain
    is_low = low[np.arange(items), truth] & certain
    rows = np.flatnonzero(is_low)
    margin = probabilities[rows, truth[rows]] - probabilities[rows, rather[rows]]
    rows = rows[np.argsort(margin, kind="stable")]
    return Doubtful(rows, rather[rows], float(chance.sum()), math.sqrt(float((chance * (1 - chance)).sum())))


@check(
    "label-noise", "probabilities", "warning", "note",
    question="Do good probabilities contradict true labels, more often than they claim to be wrong (a warning)?",
    advice="look at the labels of these items, the first ones first: either they are wrong, or the system errs surely",
)  # fmt: skip
def label_noise(system: Labelled) -> Iterator[Finding]:
    """Items whose truth has a very low probability, where probabilities can be believed."""
    known = system.probabilities
    if known is None or system.of.is_multilabel:
        return
    labels, table = known
    place = {label: number for number, label in enumerate(labels)}
    codes = np.array([place.get(label, -1) for label in system.of.rows["truth"].to_list()])
    rows = np.flatnonzero(system.usable & (codes >= 0))
    if len(rows) < LEAST_ITEMS:
        return
    table, truth = np.clip(table[rows], 0.0, 1.0), codes[rows]
    off = float(parse_measure("ECE", "multiclass")(of="predicted").of(Probabilities(tuple(labels), truth, table))[0])
    if off > CALIBRATED:
        return
    doubts = doubtful(truth, table)
    count = len(doubts.rows)
    if not count:
        return
    more = count > doubts.expected + _SURE * doubts.spread
    severity: Severity = "warning" if more else "note"
    details, examples = [], []
    limit = LISTED if more else EXAMPLES
    for row, other in zip(doubts.rows[:limit].tolist(), doubts.rather[:limit].tolist(), strict=True):
        at, true_label = int(rows[row]), int(truth[row])
        probability, likelier = float(table[row, true_label]), float(table[row, other])
        comparison = f"{quote(labels[true_label])} has {significant(probability, 3)}, "
        comparison += f"{quote(labels[other])} {significant(likelier, 3)}"
        examples.append(system.of.example(at, comparison))
        details.append(
            {
                "item": system.of.example(at).text,
                "line": system.of.line(at),
                "truth": labels[true_label],
                "probability": probability,
            }
            | {"rather": labels[other], "its_probability": likelier}
        )
    message = (
        f"the truth of {number_of('item', count)} has a probability of {VERY_LOW:g} or less, and another label a usual "
        f"one; {number(doubts.expected, 1)} would be expected (ECE {number(off, 3)})"
    )
    yield finding("label-noise", severity, system, message, count, examples=examples, details=details)
