"""Rules of other tools about measures: gains, discounts, ideals, cut-offs, averages."""

from __future__ import annotations

import math

from assay.measures import AP, RelP, Success, TrecRBP
from assay.measures.counting.judgments import Floats
from assay.measures.counting.ranks import Ranks
from assay.measures.kernels import max_grade_of
from assay.measures.registry import Measure
from assay.subjects.ranking.audit.rules import (
    AuditSetting,
    ToolRule,
    averaged,
    file_order,
    kept,
    not_negative,
    renamed,
    rounded,
    rule,
    thousand,
    together,
)

_NDCG = ("nDCG",)

_GAINS = ("nDCG", "DCG", "IDCG", "CG", "nCG")

_DISCOUNTS = ("nDCG", "DCG", "IDCG")


@rule(
    "linear gain",
    tools=("trec_eval", "pytrec_eval", "ir_measures", "ranx ndcg", "scikit-learn", "Haystack"),
    of=_GAINS,
    part="gain",
)
def linear(setting: AuditSetting) -> AuditSetting:
    """A document is worth its grade."""
    return setting.measured(gain="linear")


@rule(
    "exponential gain",
    tools=("gdeval", "ir_measures dcg='exp-log2'", "ranx ndcg_burges", "trectools trec_eval=False"),
    of=_GAINS,
    part="gain",
)
def exponential(setting: AuditSetting) -> AuditSetting:
    """A document of grade g is worth 2^g - 1 (grade 3 is worth 7, not 3), so that high grades weigh more."""
    return setting.measured(gain="exp")


@rule("binary gain", of=_GAINS, part="gain")
def binary(setting: AuditSetting) -> AuditSetting:
    """Every relevant document is worth 1, whatever its grade."""
    return setting.measured(gain="binary")


@rule("discount from rank 3 on", tools=("Järvelin and Kekäläinen's first definition",), of=_DISCOUNTS, part="discount")
def from_rank_3(setting: AuditSetting) -> AuditSetting:
    """The divisor is log2 of the rank, at least 1, and not log2 of the rank + 1: ranks 1 and 2 count in full."""
    return setting.measured(discount="log2max2", base=2.0)


@rule("discount by rank", of=_DISCOUNTS, part="discount")
def by_rank(setting: AuditSetting) -> AuditSetting:
    """Gains are divided by the rank, not by its logarithm."""
    return setting.measured(discount="zipf")


@rule("no discount", of=_DISCOUNTS, part="discount")
def no_discount(setting: AuditSetting) -> AuditSetting:
    """All ranks down to the cut-off count alike."""
    return setting.measured(discount="none")


@rule("natural logarithm", tools=("gdeval",), of=_DISCOUNTS, part="discount")
def natural(setting: AuditSetting) -> AuditSetting:
    """Gains are divided by ln(rank + 1); in nDCG the base cancels out."""
    return setting.measured(discount="log2", base=math.e)


@rule(
    "ideal not cut",
    tools=("trec_eval -M k -m ndcg", "pytrec_eval ndcg on a run of k"),
    of=_NDCG,
    part="ideal",
)
def uncut(setting: AuditSetting) -> AuditSetting:
    """The ranking is cut at k but the ideal holds all judged documents, so that a list of k may never reach 1."""
    return setting.measured(ideal="uncut")


@rule("ideal cut at the number of hits", of=_NDCG, part="ideal")
def as_many_as_hits(setting: AuditSetting) -> AuditSetting:
    """A list shorter than k is compared with an ideal that is as short: returning less costs nothing."""
    return setting.measured(ideal="judged").having(ideal="hits")


@rule("ideal of the retrieved documents", of=_NDCG, part="ideal")
def of_the_retrieved(setting: AuditSetting) -> AuditSetting:
    """The ideal holds only what was retrieved, so that relevant documents that were missed cost nothing."""
    return setting.measured(ideal="retrieved")


@rule("ideal of the first k", of=_NDCG, part="ideal")
def of_the_first_k(setting: AuditSetting) -> AuditSetting | None:
    """The ideal holds only the first k results, so that the order matters, but not what was found."""
    if setting.cutoff is None:
        return None
    return setting.measured(ideal="retrieved").under(
        depth=min(setting.policies.depth or setting.cutoff, setting.cutoff)
    )


@rule("no cut-off", tools=("trec_eval ndcg", "pytrec_eval ndcg"), of=_NDCG, part="cutoff")
def ndcg_without_cutoff(setting: AuditSetting) -> AuditSetting:
    """The measure `ndcg` looks at the whole list; the one with a cut-off is `ndcg_cut`."""
    return setting.measured(cutoff=None)


def _usual(setting: AuditSetting) -> AuditSetting:
    """What all of these tools have in common, whatever was asked for."""
    return setting.measured(discount="log2", base=2.0, ideal="judged")


@rule("as OpenSearch workbench", tools=("OpenSearch workbench",), of=_NDCG)
def opensearch(setting: AuditSetting) -> AuditSetting:
    """Exponential gain; duplicates earn gain again; each topic's value is rounded to two decimals."""
    return together(_usual(setting), exponential, kept, rounded)


@rule("as Quepid", tools=("Quepid",), of=_NDCG)
def quepid(setting: AuditSetting) -> AuditSetting:
    """Exponential gain; duplicates earn gain again; the ideal goes on below the cut-off."""
    return together(_usual(setting), exponential, kept, uncut)


@rule("as Elasticsearch rank_eval", tools=("Elasticsearch rank_eval",), of=_NDCG)
def elasticsearch(setting: AuditSetting) -> AuditSetting:
    """Exponential gain; duplicates earn gain again; the ideal is no longer than the list of hits."""
    return together(_usual(setting), exponential, kept, as_many_as_hits)


@rule("as LlamaIndex", tools=("LlamaIndex",), of=_NDCG)
def llamaindex(setting: AuditSetting) -> AuditSetting:
    """Binary gain; duplicates earn gain again; the ideal holds all relevant documents, whatever k is."""
    return together(_usual(setting), binary, kept, uncut)


@rule("as Haystack", tools=("Haystack",), of=_NDCG)
def haystack(setting: AuditSetting) -> AuditSetting:
    """Linear gain; duplicates earn gain again; the ideal holds all judged documents, whatever k is."""
    return together(_usual(setting), linear, kept, uncut)


@rule("as MLflow", tools=("MLflow",), of=_NDCG)
def mlflow(setting: AuditSetting) -> AuditSetting:
    """Binary gain; k is the number of hits; a duplicate counts as one more relevant document."""
    return together(_usual(setting), binary, renamed, as_many_as_hits)


@rule("as Phoenix", tools=("Phoenix",), of=_NDCG)
def phoenix(setting: AuditSetting) -> AuditSetting:
    """Linear gain; duplicates earn gain again; the ideal holds the first k, so missing costs nothing."""
    return together(_usual(setting), linear, kept, of_the_first_k if setting.cutoff else of_the_retrieved)


@rule(
    "as scikit-learn",
    tools=("scikit-learn ndcg_score on the retrieved documents",),
    of=_NDCG,
)
def scikit_learn(setting: AuditSetting) -> AuditSetting:
    """Linear gain; ties averaged; the ideal is made of the documents it is given: what was missed costs nothing."""
    return together(_usual(setting), linear, kept, averaged, of_the_retrieved)


@rule("as gdeval", tools=("gdeval",), of=("DCG", "IDCG"))
def gdeval(setting: AuditSetting) -> AuditSetting:
    """Exponential gain, and the divisor is the natural logarithm of the rank + 1."""
    return together(setting, exponential, natural)


def rbp_of_grades(ranks: Ranks, measure: Measure) -> Floats:
    """RBP with grades as gains, not divided by the top of the scale.

    >>> from assay.measures import RBP
    >>> rbp_of_grades(Ranks.from_grades([3, 3, 3]), RBP(p=0.5))  # 0.5 (3 + 3/2 + 3/4)
    array([2.625])
    """
    top = max_grade_of(ranks, measure.parameters["max_grade"])
    scaled: Floats = measure(gain="linear").of(ranks) * (top or 1.0)
    return scaled


def _persistence(p: float, *tools: str) -> ToolRule:
    def change(setting: AuditSetting) -> AuditSetting:
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
def rbp_binary(setting: AuditSetting) -> AuditSetting:
    """Every relevant document is worth 1, whatever its grade."""
    return setting.measured(gain="binary")


@rule("as trectools", tools=("trectools",), of=("RBP",))
def trectools_rbp(setting: AuditSetting) -> AuditSetting:
    """Binary gain, and documents with equal scores share the weights of their ranks."""
    return together(setting, rbp_binary, averaged)


@rule("grades as gains", tools=("ranx",), of=("RBP",), part="gain")
def rbp_grades(setting: AuditSetting) -> AuditSetting:
    """Grades are not divided by the top of the scale, so that the value can exceed 1."""
    return setting.measured(gain="linear").having(counted=rbp_of_grades)


@rule("gains scaled topic by topic", tools=("trec_eval 10",), of=("RBP",), part="gain")
def rbp_by_topic(setting: AuditSetting) -> AuditSetting:
    """Grades are divided by the largest one judged in the topic, so that topics are on different scales."""
    asked, depth = setting.measure.parameters, setting.policies.depth
    cut = depth if setting.cutoff is None else min(depth or setting.cutoff, setting.cutoff)
    return setting.having(measure=TrecRBP(p=asked["p"])).under(depth=cut)


@rule("top of the scale is 4", tools=("gdeval", "ir_measures ERR@k"), of=("ERR", "nERR"), part="scale")
def scale_to_4(setting: AuditSetting) -> AuditSetting | None:
    """The chance that a document satisfies is (2^grade - 1) / 16, whatever the largest grade of the judgments is."""
    return setting.measured(max_grade=4) if setting.data.top_grade <= 4 else None


@rule("beta squared", tools=("trec_eval set_F", "ir_measures SetF"), of=("SetF",), part="beta")
def beta_squared(setting: AuditSetting) -> AuditSetting:
    """The number given stands for beta squared: a 2 there is a beta of 1.41."""
    return setting.measured(beta=math.sqrt(setting.measure.parameters["beta"]))


def _recall_levels(name: str, why: str, *tools: str) -> ToolRule:
    def change(setting: AuditSetting) -> AuditSetting:
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


@rule("divided by the hits returned", of=("P",), part="denominator")
def by_hits(setting: AuditSetting) -> AuditSetting | None:
    """A list shorter than k is divided by its own length, so that returning less can raise precision."""
    if setting.cutoff is None:
        return None
    return setting.measured(cutoff=None).under(depth=min(setting.policies.depth or setting.cutoff, setting.cutoff))


@rule("as Elasticsearch and MLflow", tools=("Elasticsearch rank_eval", "MLflow"), of=("P",))
def by_hits_with_duplicates(setting: AuditSetting) -> AuditSetting | None:
    """A list shorter than k is divided by its own length, and duplicates count again."""
    return together(setting, by_hits, kept) if setting.cutoff else None


@rule("divided by min(k, relevant documents)", tools=("trec_eval relative_P",), of=("P",), part="denominator")
def by_attainable(setting: AuditSetting) -> AuditSetting:
    """Where there are fewer than k relevant documents, finding all of them is enough for 1."""
    asked = setting.measure.parameters
    return setting.having(measure=RelP(cutoff=asked["cutoff"], rel=asked["rel"]))


@rule("recall, capped", tools=("BEIR R_cap@k",), of=("R",), part="denominator")
def capped(setting: AuditSetting) -> AuditSetting | None:
    """Divided by k where there are more than k relevant documents, as no more can be found."""
    asked = setting.measure.parameters
    return setting.having(measure=RelP(cutoff=asked["cutoff"], rel=asked["rel"])) if setting.cutoff else None


@rule("hit rate", tools=("scripts that call the hit rate recall@k",), of=("R",), part="denominator")
def hit_rate(setting: AuditSetting) -> AuditSetting:
    """1 as soon as one relevant document is found, however many there are."""
    asked = setting.measure.parameters
    return setting.having(measure=Success(cutoff=asked["cutoff"], rel=asked["rel"]))


@rule("over the relevant documents that were retrieved", of=("AP",), part="denominator")
def over_retrieved(setting: AuditSetting) -> AuditSetting:
    """The sum is divided by the relevant documents found, not by all there are: those that were missed cost nothing."""
    return setting.having(ideal="retrieved")


@rule(
    "context precision",
    tools=("ragas", "DeepEval", "Haystack MAP"),
    of=("AP", "nDCG", "P"),
)
def context_precision(setting: AuditSetting) -> AuditSetting:
    """Average precision divided by the relevant documents found, duplicates included: missed ones cost nothing."""
    rel = setting.measure.parameters.get("rel")
    return together(setting.having(measure=AP(cutoff=setting.cutoff, rel=rel)), over_retrieved, kept)


@rule("as cwl_eval", tools=("cwl_eval AP",), of=("AP",))
def cwl_eval_ap(setting: AuditSetting) -> AuditSetting:
    """Divided by the relevant documents found, duplicates included, in the order of the file, down to rank 1,000."""
    return together(setting, over_retrieved, kept, file_order, not_negative, thousand)


@rule(
    "divided by min(k, relevant documents)", tools=("ml_metrics apk", "Kaggle's MAP@k"), of=("AP",), part="denominator"
)
def ap_by_attainable(setting: AuditSetting) -> AuditSetting | None:
    """With more than k relevant documents the sum is divided by k, so that a perfect list of k reaches 1."""
    return setting.having(ideal="cutoff") if setting.cutoff else None


@rule("no cut-off", tools=("trec_eval map", "pytrec_eval (also as map_10)"), of=("AP",), part="cutoff")
def ap_without_cutoff(setting: AuditSetting) -> AuditSetting:
    """`map` looks at the whole list, and pytrec_eval takes `map_10` for it; the one with a cut-off is `map_cut`."""
    return setting.measured(cutoff=None)


@rule("no cut-off", tools=("trec_eval recip_rank", "pytrec_eval (also as recip_rank_10)"), of=("RR",), part="cutoff")
def rr_without_cutoff(setting: AuditSetting) -> AuditSetting:
    """The first relevant document counts however deep it stands; pytrec_eval takes `recip_rank_10` for that, too."""
    return setting.measured(cutoff=None)
