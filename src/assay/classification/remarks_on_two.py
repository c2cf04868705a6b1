"""Remarks on classifiers of two labels: what their predictions can be relied on for."""

from __future__ import annotations

from collections.abc import Iterator

from assay.classification.prevalences import predictive_values
from assay.classification.remark import Case, Remark, remark
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


@remark("rules_out", "rules_in")
def _rules(case: Case) -> Iterator[Remark]:
    """A test that misses little rules out, one that seldom cries wolf rules in, if predictions can be relied on."""
    if case.cells is None or (rates := _rates(case.cells)) is None:
        return
    tpr, tnr, ppv, npv = rates
    tp, fp, fn, tn = (cell * case.per_weight for cell in case.cells)
    of_four = ((tp, tp + fn), (tn, fp + tn), (tp, tp + fp), (tn, fn + tn))
    low_tpr, low_tnr, low_ppv, low_npv = (wilson(part, of, case.result.confidence).low for part, of in of_four)
    positive, both = case.result.positive, f"both {HIGH:.0%} or more"
    if min(tpr, npv) >= HIGH and min(low_tpr, low_npv) >= AT_LEAST:
        says = (
            f"rules out: it misses few {positive} (TPR {tpr:.1%}, at least {low_tpr:.1%}) and its negatives can be "
            f"relied on (NPV {npv:.1%}, at least {low_npv:.1%}), {both}"
        )
        yield Remark("rules_out", says, min(tpr, npv), case.system.name)
    if min(tnr, ppv) >= HIGH and min(low_tnr, low_ppv) >= AT_LEAST:
        says = (
            f"rules in: it raises few false alarms (TNR {tnr:.1%}, at least {low_tnr:.1%}) and its positives can be "
            f"relied on (PPV {ppv:.1%}, at least {low_ppv:.1%}), {both}"
        )
        yield Remark("rules_in", says, min(tnr, ppv), case.system.name)


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
    there, here = ((f"{one:.1%}", f"{two:.1%}") for one, two in ((ppv, npv), rates[2:]))
    if there == here:
        return
    says = (
        f"if {other:.0%} of the items were positive (here {share:.1%}), PPV would be {there[0]} "
        f"(here {here[0]}) and NPV {there[1]} (here {here[1]}), TPR and TNR being as here"
    )
    yield Remark("other_prevalence", says, ppv, case.system.name)


@remark("below_diagonal")
def _below_diagonal(case: Case) -> Iterator[Remark]:
    """Worse than guessing is as good as the opposite is."""
    if case.cells is None:
        return
    tp, fp, fn, tn = case.cells
    scored = case.result.scored(case.system.name)
    if tp + fn and fp + tn and tp / (tp + fn) < fp / (fp + tn):
        tpr, fpr = tp / (tp + fn), fp / (fp + tn)
        by_chance = fpr - tpr <= case.reach()
        says = (
            f"below the diagonal: TPR {tpr:.1%} is less than FPR {fpr:.1%}; negate it, and on these items it is "
            f"TPR {1 - tpr:.1%} and FPR {1 - fpr:.1%}, accuracy {1 - case.accuracy:.1%} instead of "
            f"{case.accuracy:.1%}{MAY_BE_CHANCE if by_chance else ''}"
        )
        yield Remark("below_diagonal", says, fn / (tp + fn) - tn / (fp + tn), case.system.name)
    elif scored is not None and (area := float(AUC.of(scored)[0])) < HALF:
        by_chance = not delong(scored, case.result.confidence).interval.high < HALF
        says = (
            f"below the diagonal: AUC {area:.4f}; with the scores negated it is {1 - area:.4f}"
            f"{MAY_BE_CHANCE if by_chance else ''}"
        )
        yield Remark("below_diagonal", says, 1 - area, case.system.name)
