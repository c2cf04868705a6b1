"""Rules about RBP, ERR, bpref, F, interpolated precision, GMAP and coverage."""

from __future__ import annotations

import math

from assay.auditing.outside import bpref_or_none, judged_of_k, log_of_ap, rbp_of_grades, unjudged_of_returned
from assay.auditing.reading_rules import averaged, not_negative
from assay.auditing.registry import Rule, rule, together
from assay.auditing.settings import Setting
from assay.measures import AP, TrecRBP


def _persistence(p: float, *tools: str) -> Rule:
    def change(setting: Setting) -> Setting:
        return setting.measured(p=p)

    change.__doc__ = f"The user goes on to the next result with probability {p:g}."
    return rule(f"p = {p:g}", tools=tools, of=("RBP",), part="persistence")(change)


PERSISTENCES = (
    _persistence(0.5, "TREC-COVID's tables"),
    _persistence(0.8, "ir_measures", "trectools"),
    _persistence(0.9, "trec_eval 10"),
    _persistence(0.95, "ranx rbp.95"),
)


@rule("binary gain", tools=("ir_measures RBP(rel=1)", "trectools"), of=("RBP",), part="gain")
def rbp_binary(setting: Setting) -> Setting:
    """Every relevant document is worth 1, whatever its grade."""
    return setting.measured(gain="binary")


@rule("as trectools", tools=("trectools",), of=("RBP",))
def trectools_rbp(setting: Setting) -> Setting:
    """Binary gain, and documents with equal scores share the weights of their ranks."""
    return together(setting, rbp_binary, averaged)


@rule("grades as gains", tools=("ranx",), of=("RBP",), part="gain")
def rbp_grades(setting: Setting) -> Setting:
    """Grades are not divided by the top of the scale, so that the value can exceed 1."""
    return setting.measured(gain="linear").having(counted=rbp_of_grades)


@rule("gains scaled topic by topic", tools=("trec_eval 10",), of=("RBP",), part="gain")
def rbp_by_topic(setting: Setting) -> Setting:
    """Grades are divided by the largest one judged in the topic, so that topics are on different scales."""
    asked, depth = setting.measure.parameters, setting.policies.depth
    cut = depth if setting.cutoff is None else min(depth or setting.cutoff, setting.cutoff)
    return setting.having(measure=TrecRBP(p=asked["p"])).under(depth=cut)


@rule("top of the scale is 4", tools=("gdeval", "ir_measures ERR@k"), of=("ERR", "nERR"), part="scale")
def scale_to_4(setting: Setting) -> Setting | None:
    """The chance that a document satisfies is (2^grade - 1) / 16, whatever the largest grade of the judgments is."""
    return setting.measured(max_grade=4) if setting.data.top_grade <= 4 else None


@rule("as ranx", tools=("ranx",), of=("Bpref",))
def ranx_bpref(setting: Setting) -> Setting:
    """Negative grades count as irrelevant, and one topic without an irrelevant document makes the mean not a number."""
    return together(setting, not_negative).having(counted=bpref_or_none, undefined="spreads")


@rule("beta squared", tools=("trec_eval set_F", "ir_measures SetF"), of=("SetF",), part="beta")
def beta_squared(setting: Setting) -> Setting:
    """The number given stands for beta squared: a 2 there is a beta of 1.41."""
    return setting.measured(beta=math.sqrt(setting.measure.parameters["beta"]))


def _recall_levels(name: str, why: str, *tools: str) -> Rule:
    def change(setting: Setting) -> Setting:
        return setting.measured(rule=name)

    change.__doc__ = why
    return rule(f"levels of recall as {name}", tools=tools, of=("IPrec", "IPrecMean"), part="recall")(change)


RECALL_LEVELS = (
    _recall_levels(
        "trec_eval-9",
        "Recall r of R relevant documents means the whole part of rR + 0.9 of them.",
        "trec_eval 9", "pytrec_eval", "ranx",
    ),
    _recall_levels(
        "trec_eval-10",
        "Recall r of R relevant documents means rR of them, rounded to the nearest whole number.",
        "trec_eval 10",
    ),
)  # fmt: skip


@rule("mean of the logarithms", tools=("pytrec_eval gm_map",), of=("GMAP",))
def log_ap(setting: Setting) -> Setting:
    """The values of the topics are logarithms of AP; only e to the power of their mean is the geometric mean."""
    return setting.having(measure=AP(rel=setting.measure.parameters["rel"]), counted=log_of_ap)


@rule("divided by k", tools=("trectools get_unjudged", "trec_eval unj"), of=("Judged",))
def judged_by_k(setting: Setting) -> Setting | None:
    """A list shorter than k is divided by k all the same, as if its end were unjudged."""
    return setting.having(counted=judged_of_k) if setting.cutoff else None


@rule("divided by the results returned", tools=("ir_measures 1 - Judged@k",), of=("Unjudged",))
def unjudged_by_returned(setting: Setting) -> Setting:
    """A list shorter than k is divided by its own length."""
    return setting.having(counted=unjudged_of_returned)
