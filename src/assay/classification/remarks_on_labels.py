"""Remarks on classifiers of any number of labels: common and rare ones, those confused, and what a guess would give."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.classification.remark import RARE, Case, Remark, remark
from assay.core.digits import as_percent, as_percents, counted, signed_percent
from assay.core.errors import number_of
from assay.stats.proportions import wilson

#: A label is predicted too often if the predictions exceed the truth by this share of all items ...
BIAS = 0.05
#: ... and by so many standard deviations of what chance would give.
SIGNS = 2.0
#: Averages over classes and over items part if they differ by more than this.
APART = 0.05
#: Pairs of labels that are spoken of, and how many items it takes.
PAIRS, FEWEST = 3, 2


@remark("prevalence")
def _prevalence(case: Case) -> Iterator[Remark]:
    """Where one label has nearly all items, whoever always predicts it has a fine accuracy."""
    share = case.largest
    if share <= 1 - RARE:
        return
    label = case.matrix.labels[int(np.argmax(case.support))]
    always, rare = f"always {label}", "everything else"
    if case.cells is not None:
        always = "always positive" if label == case.result.positive else "always negative"
        rare = next(str(other) for other in case.matrix.labels if other != label)
    how_rare = "no item is anything else" if rare == "everything else" else f"no item is {rare}"
    if share < 1:
        how_rare = f"{rare} is rare ({as_percent(1 - share, 2)} of the items)"
    constant, observed = as_percents([share, case.accuracy])
    message = f'{how_rare}, so accuracy misleads: "{always}" would score {constant}, this classifier scores {observed}'
    yield Remark("prevalence", message, share, case.system.name)


@remark("bias")
def _bias(case: Case) -> Iterator[Remark]:
    """One label is predicted much more often than it is true, and not just by chance."""
    cells = case.matrix.per_class()
    wrongly, missed = cells.fp.astype(np.float64), cells.fn.astype(np.float64)
    place = int(np.argmax(wrongly - missed))
    more = float(wrongly[place] - missed[place])
    # Of so many mistakes about a label, half would be of either kind: a sign test, roughly.
    by_chance = SIGNS * float(np.sqrt(wrongly[place] + missed[place]))
    total = float(case.matrix.items[0])
    if more / total < BIAS or more <= by_chance:
        return
    predicted, true = ((cells.tp + other)[place] / total for other in (cells.fp, cells.fn))
    label = case.matrix.classes[place]
    predictions, truths = as_percents([predicted, true])
    message = f"biased toward {label}: {predictions} of the items are predicted so, {truths} are"
    yield Remark("bias", message, float(predicted - true), str(label))


@remark("confused_pair")
def _confused(case: Case) -> Iterator[Remark]:
    """Which label is taken for which; of two labels the matrix says it at a glance."""
    if len(case.matrix.labels) <= 2:
        return
    pairs = case.result.confused(case.system.name)
    for row in pairs.head(PAIRS).iter_rows(named=True):
        if row["share"] < RARE or row["items"] < FEWEST:
            continue
        items = f"{counted(row['items'])} of {counted(round(row['items'] / row['share'], 9))} items"
        message = (
            f"{row['truth']} is taken for {row['prediction']} in {as_percent(row['share'])} of the cases ({items})"
        )
        yield Remark("confused_pair", message, row["share"], f"{row['truth']} as {row['prediction']}")


@remark("micro_macro")
def _micro_macro(case: Case) -> Iterator[Remark]:
    """Averages over items and over classes part where one class dominates."""
    if len(case.matrix.labels) <= 2 or not case.support.any():
        return
    with np.errstate(invalid="ignore"):
        recalls = np.diagonal(case.matrix.table) / np.where(case.support > 0, case.support, np.nan)
    macro = float(np.nanmean(recalls))
    if abs(macro - case.accuracy) < APART:
        return
    large, worst = int(np.argmax(case.support)), int(np.nanargmin(recalls))
    micro, averaged = as_percents([case.accuracy, macro])
    message = (
        f"micro and macro part: {micro} of all items are right, but {averaged} of a class on average, since "
        f"{case.matrix.labels[large]} has {as_percent(case.largest)} of the items; of {case.matrix.labels[worst]} "
        f"{as_percent(recalls[worst])} are right ({number_of('item', int(case.support[worst]))})"
    )
    yield Remark("micro_macro", message, case.accuracy - macro, str(case.matrix.labels[large]))


@remark("baseline")
def _baseline(case: Case) -> Iterator[Remark]:
    """A classifier that looks at no item does as well."""
    if case.largest > 1 - RARE:
        yield from _no_difference(case)
        return
    total = float(case.matrix.items[0])
    interval = wilson(min(case.accuracy * total, total), total, case.result.confidence)
    if interval.low > case.largest:
        return
    label = case.matrix.labels[int(np.argmax(case.support))]
    as_good = "is worse than" if interval.high < case.largest else "cannot be told from"
    observed, low, high, constant = as_percents([case.accuracy, interval.low, interval.high, case.largest])
    message = f"accuracy {observed} [{low}, {high}] {as_good} the {constant} of always predicting {label}"
    yield Remark("baseline", message, case.largest, case.system.name)


def _no_difference(case: Case) -> Iterator[Remark]:
    """Where accuracy misleads: positives and negatives are predicted positive alike."""
    if case.cells is None or not (case.support > 0).all():
        return
    tp, fp, fn, tn = case.cells
    tpr, fpr, reach = tp / (tp + fn), fp / (fp + tn), case.reach()
    if abs(tpr - fpr) <= reach or tpr == fpr:
        hits, alarms = as_percents([tpr, fpr])
        message = (
            f"no better than a guess as far as these items tell: TPR {hits} and FPR {alarms} differ by "
            f"{signed_percent(tpr - fpr)} ± {as_percent(reach)}"
        )
        yield Remark("baseline", message, tpr - fpr, case.system.name)
