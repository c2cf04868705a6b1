"""Remarks on a classifier: what they are made of, how they are registered, and each of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.core.digits import as_level, as_percent, as_percents, counted, number, signed_percent
from assay.core.errors import number_of
from assay.measures.counting.confusion_matrix import ConfusionMatrix
from assay.measures.counting.judgments import Floats
from assay.measures.score_curves import AUC
from assay.stats.bootstrap import wilson
from assay.stats.delong import delong
from assay.subjects.labels.measurement import four_cells, predictive_values
from assay.verbs.subject import Remark, Remarks

if TYPE_CHECKING:
    from assay.subjects.labels.result import Classification, ClassifiedSystem


#: A label that less than this share of the items has is rare, and accuracy misleading.
RARE = 0.10


class ClassifierCase(NamedTuple):
    """A system with its confusion matrix."""

    result: Classification
    system: ClassifiedSystem
    matrix: ConfusionMatrix

    @property
    def cells(self) -> tuple[float, float, float, float] | None:
        """TP, FP, FN and TN, where there are two labels."""
        return None if self.matrix.positive is None else four_cells(self.matrix)

    @property
    def support(self) -> Floats:
        """True items of each label."""
        support: Floats = self.matrix.table.sum(axis=1).astype(np.float64)
        return support

    @property
    def largest(self) -> float:
        """The share of the commonest label."""
        return float(self.support.max() / self.matrix.items[0])

    @property
    def per_weight(self) -> float:
        """The items that a weight of 1 stands for: as many items of equal weight would tell as much (Kish)."""
        predictions = self.system.predictions
        if predictions is None or predictions.weight is None:
            return 1.0
        weight = predictions.weight.to_numpy().astype(np.float64)
        return float(weight.sum() / (weight**2).sum())

    def reach(self) -> float:
        """By how much TPR and FPR may differ by chance: how far the interval of the difference reaches towards 0.

        It is Newcombe's, which is made of the two Wilson intervals and does not vanish where a rate is 0 or 1.
        """
        if self.cells is None:
            return float("nan")
        tp, fp, fn, tn = (cell * self.per_weight for cell in self.cells)
        first, second = (wilson(part, of, self.result.confidence) for part, of in ((tp, tp + fn), (fp, fp + tn)))
        tpr, fpr = tp / (tp + fn), fp / (fp + tn)
        ends = (first.low, second.high) if tpr > fpr else (first.high, second.low)
        return float(np.hypot(tpr - ends[0], fpr - ends[1]))

    @property
    def accuracy(self) -> float:
        """The share of items that were predicted rightly."""
        return float(np.trace(self.matrix.table) / self.matrix.items[0])


REMARKS = Remarks()

remark = REMARKS.made


#: A label is predicted too often if the predictions exceed the truth by this share of all items ...
BIAS = 0.05
#: ... and by so many standard deviations of what chance would give.
SIGNS = 2.0
#: Averages over classes and over items that differ by more than this are worth a remark.
APART = 0.05
#: Pairs of labels that are spoken of, and how many items it takes.
PAIRS, FEWEST = 3, 2


@remark("prevalence")
def _prevalence(case: ClassifierCase) -> Iterator[Remark]:
    """Advice where one label has nearly all items: whoever always predicts it has a fine accuracy."""
    share = case.largest
    if share <= 1 - RARE:
        return
    label = case.matrix.labels[int(np.argmax(case.support))]
    constant, observed = as_percents([share, case.accuracy])
    always = f"always predicting {label} would score {constant}, this classifier scores {observed}"
    message = f"{constant} of the items are {label}, so accuracy misleads: {always}"
    yield Remark("prevalence", message, share, case.system.name)


@remark("bias")
def _bias(case: ClassifierCase) -> Iterator[Remark]:
    """One label is predicted much more often than it is true, and not just by chance."""
    cells = case.matrix.per_class()
    wrongly, missed = cells.fp.astype(np.float64), cells.fn.astype(np.float64)
    place = int(np.argmax(wrongly - missed))
    more = float(wrongly[place] - missed[place])
    # By chance, half of the mistakes about a label would be of either kind: a sign test, roughly.
    by_chance = SIGNS * float(np.sqrt((wrongly[place] + missed[place]) / case.per_weight))
    total = float(case.matrix.items[0])
    if more / total < BIAS or more <= by_chance:
        return
    predicted, true = ((cells.tp + other)[place] / total for other in (cells.fp, cells.fn))
    label = case.matrix.classes[place]
    predictions, truths = as_percents([predicted, true])
    message = f"biased toward {label}: it is predicted for {predictions} of the items and true of {truths}"
    yield Remark("bias", message, float(predicted - true), str(label))


@remark("confused_pair")
def _confused(case: ClassifierCase) -> Iterator[Remark]:
    """Labels taken for one another; of two labels the matrix says it at a glance."""
    if len(case.matrix.labels) <= 2:
        return
    pairs = case.result.confused(case.system.name)
    for row in pairs.head(PAIRS).iter_rows(named=True):
        if row["share"] < RARE or row["items"] < FEWEST:
            continue
        items = f"{counted(row['items'])} of {counted(round(row['items'] / row['share'], 9))} items"
        message = f"{row['truth']} is mistaken for {row['prediction']} in {as_percent(row['share'])} of cases ({items})"
        yield Remark("confused_pair", message, row["share"], f"{row['truth']} as {row['prediction']}")


@remark("micro_macro")
def _micro_macro(case: ClassifierCase) -> Iterator[Remark]:
    """Averages over items and over classes differ where one class dominates."""
    if len(case.matrix.labels) <= 2 or not case.support.any():
        return
    with np.errstate(invalid="ignore"):
        recalls = np.diagonal(case.matrix.table) / np.where(case.support > 0, case.support, np.nan)
    macro = float(np.nanmean(recalls))
    if abs(macro - case.accuracy) < APART:
        return
    large = int(np.argmax(case.support))
    worst = int(np.nanargmin(recalls))
    micro, averaged = as_percents([case.accuracy, macro])
    message = (
        f"micro and macro averages differ: {micro} of all items are right, but {averaged} of a class on average, as "
        f"{case.matrix.labels[large]} has {as_percent(case.largest)} of the items; worst is "
        f"{case.matrix.labels[worst]}, with {as_percent(recalls[worst])} of "
        f"{number_of('item', int(case.support[worst]))} right"
    )
    yield Remark("micro_macro", message, case.accuracy - macro, str(case.matrix.labels[large]))


@remark("baseline")
def _baseline(case: ClassifierCase) -> Iterator[Remark]:
    """A classifier that looks at no item does as well."""
    if case.largest > 1 - RARE:
        yield from _no_difference(case)
        return
    total = float(case.matrix.items[0]) * case.per_weight
    interval = wilson(min(case.accuracy * total, total), total, case.result.confidence)
    if interval.low > case.largest:
        return
    label = case.matrix.labels[int(np.argmax(case.support))]
    as_good = "worse" if interval.high < case.largest else "not clearly better"
    observed, low, high, constant = as_percents([case.accuracy, interval.low, interval.high, case.largest])
    message = f"accuracy {observed} [{low}, {high}] is {as_good} than always predicting {label} ({constant})"
    yield Remark("baseline", message, case.largest, case.system.name)


def _no_difference(case: ClassifierCase) -> Iterator[Remark]:
    """Advice where accuracy misleads: positives and negatives are predicted positive alike."""
    if case.cells is None:
        return
    tp, fp, fn, tn = case.cells
    if not (tp + fn and fp + tn):
        return
    tpr = tp / (tp + fn)
    fpr = fp / (fp + tn)
    reach = case.reach()
    if abs(tpr - fpr) <= reach or tpr == fpr:
        hits, alarms = as_percents([tpr, fpr])
        message = (
            f"not clearly better than guessing: TPR {hits} and FPR {alarms} differ by "
            f"{signed_percent(tpr - fpr)} ± {as_percent(reach)}"
        )
        yield Remark("baseline", message, tpr - fpr, case.system.name)


#: Both numbers of a pair have to reach this for a test to rule out, or to rule in ...
HIGH = 0.90
#: ... and the lower ends of their intervals this: what few items show by luck can be relied on for nothing.
AT_LEAST = 0.80
#: Prevalences to imagine, where that of the data is another.
ELSEWHERE = (0.01, 0.10)
#: What is added where the interval does not rule a guess out.
MAY_BE_CHANCE = ", but with this few items that may be chance"
#: The area under the ROC curve of a score that knows nothing.
HALF = 0.5
#: Predictive values that change by less are as they were.
SAME = 0.0005


def _and_lowest(share: float, low: float) -> str:
    """A share, and the lower end of its interval."""
    return ", at least ".join(as_percents([share, low]))


@remark("rules_out", "rules_in")
def _rules(case: ClassifierCase) -> Iterator[Remark]:
    """A test that misses little rules out, one that seldom cries wolf rules in, if predictions can be relied on."""
    if case.cells is None or (rates := _rates(case.cells)) is None:
        return
    tpr, tnr, ppv, npv = rates
    tp, fp, fn, tn = (cell * case.per_weight for cell in case.cells)
    of_four = ((tp, tp + fn), (tn, fp + tn), (tp, tp + fp), (tn, fn + tn))
    low_tpr, low_tnr, low_ppv, low_npv = (wilson(part, of, case.result.confidence).low for part, of in of_four)
    positive = case.result.positive
    both = f"both {as_level(HIGH)} or more"
    if min(tpr, npv) >= HIGH and min(low_tpr, low_npv) >= AT_LEAST:
        message = (
            f"rules out: it misses few {positive} (TPR {_and_lowest(tpr, low_tpr)}) and its negatives are reliable "
            f"(NPV {_and_lowest(npv, low_npv)}), {both}"
        )
        yield Remark("rules_out", message, min(tpr, npv), case.system.name)
    if min(tnr, ppv) >= HIGH and min(low_tnr, low_ppv) >= AT_LEAST:
        message = (
            f"rules in: it raises few false alarms (TNR {_and_lowest(tnr, low_tnr)}) and its positives are reliable "
            f"(PPV {_and_lowest(ppv, low_ppv)}), {both}"
        )
        yield Remark("rules_in", message, min(tnr, ppv), case.system.name)


def _rates(cells: tuple[float, float, float, float]) -> tuple[float, float, float, float] | None:
    """TPR, TNR, PPV and NPV, if all of them are defined."""
    tp, fp, fn, tn = cells
    if not (tp + fn and fp + tn and tp + fp and fn + tn):
        return None
    return tp / (tp + fn), tn / (fp + tn), tp / (tp + fp), tn / (fn + tn)


@remark("other_prevalence")
def _other_prevalence(case: ClassifierCase) -> Iterator[Remark]:
    """Test data seldom have as many positives as the world: what becomes of the predictive values there."""
    if case.cells is None or (rates := _rates(case.cells)) is None or rates[0] + rates[1] <= 1:
        return
    share = (case.cells[0] + case.cells[2]) / case.matrix.items[0]
    other = next(prevalence for prevalence in ELSEWHERE if not share / 2 <= prevalence <= 2 * share)
    _, ppv, npv = predictive_values(case.matrix, [other]).row(0)
    if abs(ppv - rates[2]) < SAME and abs(npv - rates[3]) < SAME:
        return
    there_ppv, here_ppv = as_percents([ppv, rates[2]])
    there_npv, here_npv = as_percents([npv, rates[3]])
    message = (
        f"if {as_level(other)} of the items were positive (here {as_percent(share)}), PPV would be {there_ppv} "
        f"(here {here_ppv}) and NPV {there_npv} (here {here_npv}), with the same TPR and TNR"
    )
    yield Remark("other_prevalence", message, ppv, case.system.name)


@remark("below_diagonal")
def _below_diagonal(case: ClassifierCase) -> Iterator[Remark]:
    """Worse than guessing is as good as the opposite is."""
    if case.cells is None:
        return
    tp, fp, fn, tn = case.cells
    scored = case.result.scored(case.system.name)
    if tp + fn and fp + tn and tp / (tp + fn) < fp / (fp + tn):
        tpr, fpr = as_percents([tp / (tp + fn), fp / (fp + tn)])
        tpr_negated, fpr_negated = as_percents([fn / (tp + fn), tn / (fp + tn)])
        negated, accuracy = as_percents([1 - case.accuracy, case.accuracy])
        by_chance = fp / (fp + tn) - tp / (tp + fn) <= case.reach()
        message = (
            f"below the diagonal: TPR {tpr} is less than FPR {fpr}; with predictions reversed, these items give TPR "
            f"{tpr_negated} and FPR {fpr_negated}, accuracy {negated} instead of {accuracy}"
            f"{MAY_BE_CHANCE if by_chance else ''}"
        )
        yield Remark("below_diagonal", message, fn / (tp + fn) - tn / (fp + tn), case.system.name)
    elif scored is not None and (area := float(AUC.of(scored)[0])) < HALF:
        # DeLong's interval is for items that count alike: of weights it is not known, and nothing is promised.
        by_chance = scored.is_weighted or not delong(scored, case.result.confidence).interval.high < HALF
        message = (
            f"below the diagonal: AUC {number(area)}; with the scores negated it is {number(1 - area)}"
            f"{MAY_BE_CHANCE if by_chance else ''}"
        )
        yield Remark("below_diagonal", message, 1 - area, case.system.name)


def advise(result: Classification) -> tuple[Remark, ...]:
    """All remarks on all systems, but for those that were muted."""
    matrices = [(system, system.counts.get(ConfusionMatrix)) for system in result.systems]
    cases = (ClassifierCase(result, system, matrix) for system, matrix in matrices if matrix is not None)
    return tuple(remark for case in cases for remark in REMARKS.on(case, result.mute))
