"""Where a test, an interval and a difference do not fit together: which of them decides, and why, in plain words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.core.errors import number_of, several

if TYPE_CHECKING:
    from assay.comparison.findings import Finding

#: What tests look at that are not about the difference itself; {} stands for the units.
_LOOKS_AT = {
    "sign": "the sign test only counts the {} that gain and those that lose",
    "wilcoxon": "Wilcoxon's test looks at the ranks of the differences, not at their sizes",
    "bootstrap_interval": "the test counts on which side of 0 the resamples lie",
    "delong": "the test here counts pairs of a positive and a negative item",
    "5x2cv": "the repeats differ from one another by more than a common difference explains",
    "5x2cv-t": "the test looks at the first fold of the first repeat alone",
}
_BY_RANKS = ("sign", "wilcoxon")
#: A p-value below so many times alpha missed it closely.
_CLOSE = 2


def conflict(finding: Finding, kind: str) -> str:
    """Why test, interval and difference do not fit together, and which of them decides; empty where they do."""
    clash = finding.verdict.conflict
    if clash is None:
        return ""
    if clash == "direction":
        return _direction(finding, kind)
    looks = _LOOKS_AT.get(finding.outcome.test, "").format(several(kind))
    if clash == "test only":
        why = f"the interval is about the mean, and {looks}" if looks else "the two are computed in different ways"
        return f"The interval includes 0 although p is below {_alpha(finding)}: {why}. The test decides."
    return f"The interval excludes 0, {_interval_only(finding, kind, looks)}"


def _direction(finding: Finding, kind: str) -> str:
    """The test points one way and the difference the other, or nowhere."""
    test, sign = finding.outcome.test, finding.outcome.sign or 0
    won, tied, lost = finding.wins
    mean = "the same" if finding.difference == 0 else "higher" if finding.difference > 0 else "lower"
    looks = _LOOKS_AT.get(test, "the test is not about the mean").format(several(kind))
    if test not in _BY_RANKS or (won - lost) * sign <= 0:
        return (
            f"The test and the mean do not point the same way: the mean is {mean}, but {looks}. So there is no verdict."
        )
    many = won if sign > 0 else lost
    outweigh = "" if finding.difference == 0 else ", as a few large differences outweigh many small ones"
    return (
        f"The mean and most {several(kind)} point in different directions: the value is "
        f"{'higher' if sign > 0 else 'lower'} for {many} of {number_of(kind, won + tied + lost)}, but the mean is "
        f"{mean}{outweigh}. As {looks}, its p-value says nothing about the mean, and there is no verdict; the "
        "permutation test is about the mean."
    )


def _interval_only(finding: Finding, kind: str, looks: str) -> str:
    """Why a test finds nothing where the interval excludes 0."""
    alpha, alone = _alpha(finding), finding.outcome.p
    if finding.deciding is not None:
        return "but it is of this comparison alone; the wider one for all comparisons together includes 0, and decides."
    if math.isnan(finding.p):
        return f"but the test gives {finding.outcome.note or 'no p-value'}."
    if alone < finding.p:
        return (
            f"but it is of this comparison alone; p is corrected for the others (without them, p = {alone:.2g}), and "
            "it decides."
        )
    differ = finding.wins.won + finding.wins.lost
    exact = finding.outcome.test in {"permutation", *_BY_RANKS} and finding.outcome.resamples is None
    if exact and differ and 2.0 ** (1 - differ) >= alpha:
        few = f"{number_of(kind, differ)} {'differs' if differ == 1 else 'differ'}"
        return f"but only {few}: that is too few for this test to give a p-value below {alpha}. The test decides."
    close = ", and this is a close call" if finding.p < _CLOSE * alpha else ""
    why = f"the interval is about the mean, and {looks}" if looks else f"the two are computed in different ways{close}"
    return f"but p is not below {alpha}: {why}. The test decides."


def _alpha(finding: Finding) -> float:
    return round(1 - finding.interval.level, 12)
