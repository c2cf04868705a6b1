"""Remarks on classifiers of two labels: what their predictions can be relied on for."""

from __future__ import annotations

from collections.abc import Iterator

from assay.classification.prevalences import predictive_values
from assay.classification.remark import Case, Remark, remark
from assay.measures.score_curves import AUC

#: Both numbers of a pair have to reach this for a test to rule out, or to rule in.
HIGH = 0.90
#: Prevalences to imagine, where that of the data is another.
ELSEWHERE = (0.01, 0.10)
#: The area under the ROC curve of a score that knows nothing.
HALF = 0.5


@remark("rules_out", "rules_in")
def _rules(case: Case) -> Iterator[Remark]:
    """A test that misses little rules out, one that seldom cries wolf rules in, if predictions can be relied on."""
    if case.cells is None or (rates := _rates(case.cells)) is None:
        return
    tpr, tnr, ppv, npv = rates
    positive, both = case.result.positive, f"both {HIGH:.0%} or more"
    if min(tpr, npv) >= HIGH:
        says = (
            f"rules out: it misses few {positive} (TPR {tpr:.1%}) and its negatives can be relied on "
            f"(NPV {npv:.1%}), {both}"
        )
        yield Remark("rules_out", says, min(tpr, npv), case.system.name)
    if min(tnr, ppv) >= HIGH:
        says = (
            f"rules in: it raises few false alarms (TNR {tnr:.1%}) and its positives can be relied on "
            f"(PPV {ppv:.1%}), {both}"
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
        says = (
            f"below the diagonal: TPR {tp / (tp + fn):.1%} is less than FPR {fp / (fp + tn):.1%}; negate it, and it is "
            f"TPR {fn / (tp + fn):.1%} and FPR {tn / (fp + tn):.1%}, accuracy {1 - case.accuracy:.1%} "
            f"instead of {case.accuracy:.1%}"
        )
        yield Remark("below_diagonal", says, fn / (tp + fn) - tn / (fp + tn), case.system.name)
    elif scored is not None and (area := float(AUC.of(scored)[0])) < HALF:
        says = f"below the diagonal: AUC {area:.4f}; with the scores negated it is {1 - area:.4f}"
        yield Remark("below_diagonal", says, 1 - area, case.system.name)
