"""Remarks on classifiers of two labels: what their predictions can be relied on for."""

from __future__ import annotations

from collections.abc import Iterator

from assay.classification.prevalences import predictive_values
from assay.classification.remark import Case, Remark, remark
from assay.core.digits import as_level, as_percent, as_percents, number
from assay.measures.score_curves import AUC
from assay.stats.delong import delong
from assay.stats.proportions import wilson

#: Both numbers of a pair have to reach this for a test to rule out, or to rule in ...
HIGH = 0.90
#: ... and the lower ends of their intervals this: what few items show by luck can be relied on for nothing.
AT_LEAST = 0.80
#: Prevalences to imagine, where that of the data is another.
ELSEWHERE = (0.01, 0.10)
#: What is added where the interval does not rule a guess out.
MAY_BE_CHANCE = ", but with so few items that may be chance"
#: The area under the ROC curve of a score that knows nothing.
HALF = 0.5
#: Predictive values that change by less are as they were.
SAME = 0.0005


def _and_lowest(share: float, low: float) -> str:
    """A share, and the lower end of its interval."""
    return ", at least ".join(as_percents([share, low]))


@remark("rules_out", "rules_in")
def _rules(case: Case) -> Iterator[Remark]:
    """A test that misses little rules out, one that seldom cries wolf rules in, if predictions can be relied on."""
    if case.cells is None or (rates := _rates(case.cells)) is None:
        return
    tpr, tnr, ppv, npv = rates
    tp, fp, fn, tn = (cell * case.per_weight for cell in case.cells)
    of_four = ((tp, tp + fn), (tn, fp + tn), (tp, tp + fp), (tn, fn + tn))
    low_tpr, low_tnr, low_ppv, low_npv = (wilson(part, of, case.result.confidence).low for part, of in of_four)
    positive, both = case.result.positive, f"both {as_level(HIGH)} or more"
    if min(tpr, npv) >= HIGH and min(low_tpr, low_npv) >= AT_LEAST:
        message = (
            f"rules out: it misses few {positive} (TPR {_and_lowest(tpr, low_tpr)}) and its negatives can be relied on "
            f"(NPV {_and_lowest(npv, low_npv)}), {both}"
        )
        yield Remark("rules_out", message, min(tpr, npv), case.system.name)
    if min(tnr, ppv) >= HIGH and min(low_tnr, low_ppv) >= AT_LEAST:
        message = (
            f"rules in: it raises few false alarms (TNR {_and_lowest(tnr, low_tnr)}) and its positives can be relied "
            f"on (PPV {_and_lowest(ppv, low_ppv)}), {both}"
        )
        yield Remark("rules_in", message, min(tnr, ppv), case.system.name)


def _rates(cells: tuple[float, float, float, float]) -> tuple[float, float, float, float] | None:
    """TPR, TNR, PPV and NPV, if all of them are defined."""
    tp, fp, fn, tn = cells
    if not (tp + fn and fp + tn and tp + fp and fn + tn):
        return None
    return tp / (tp + fn), tn / (fp + tn), tp / (tp + fp), tn / (fn + tn)


@remark("other_prevalence")
def _other_prevalence(case: Case) -> Iterator[Remark]:
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
        f"(here {here_ppv}) and NPV {there_npv} (here {here_npv}), TPR and TNR being as here"
    )
    yield Remark("other_prevalence", message, ppv, case.system.name)


@remark("below_diagonal")
def _below_diagonal(case: Case) -> Iterator[Remark]:
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
            f"below the diagonal: TPR {tpr} is less than FPR {fpr}; negate it, and on these items it is TPR "
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
