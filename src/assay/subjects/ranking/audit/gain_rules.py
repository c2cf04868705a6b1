"""Rules about nDCG and DCG: gains, discounts and what the ideal ranking is made of."""

from __future__ import annotations

import math

from assay.subjects.ranking.audit.reading_rules import averaged, kept, renamed, rounded
from assay.subjects.ranking.audit.rules import AuditSetting, rule, together

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
    """Exponential gain; a document that comes again is paid again; each topic's value is rounded to two decimals."""
    return together(_usual(setting), exponential, kept, rounded)


@rule("as Quepid", tools=("Quepid",), of=_NDCG)
def quepid(setting: AuditSetting) -> AuditSetting:
    """Exponential gain; a document that comes again is paid again; the ideal goes on below the cut-off."""
    return together(_usual(setting), exponential, kept, uncut)


@rule("as Elasticsearch rank_eval", tools=("Elasticsearch rank_eval",), of=_NDCG)
def elasticsearch(setting: AuditSetting) -> AuditSetting:
    """Exponential gain; a document that comes again is paid again; the ideal is no longer than the list of hits."""
    return together(_usual(setting), exponential, kept, as_many_as_hits)


@rule("as LlamaIndex", tools=("LlamaIndex",), of=_NDCG)
def llamaindex(setting: AuditSetting) -> AuditSetting:
    """Binary gain; a document that comes again is paid again; the ideal holds all relevant documents, whatever k is."""
    return together(_usual(setting), binary, kept, uncut)


@rule("as Haystack", tools=("Haystack",), of=_NDCG)
def haystack(setting: AuditSetting) -> AuditSetting:
    """Linear gain; a document that comes again is paid again; the ideal holds all judged documents, whatever k is."""
    return together(_usual(setting), linear, kept, uncut)


@rule("as MLflow", tools=("MLflow",), of=_NDCG)
def mlflow(setting: AuditSetting) -> AuditSetting:
    """Binary gain; k is the number of hits; a document that comes again is taken for one more relevant document."""
    return together(_usual(setting), binary, renamed, as_many_as_hits)


@rule("as Phoenix", tools=("Phoenix",), of=_NDCG)
def phoenix(setting: AuditSetting) -> AuditSetting:
    """Linear gain; a document that comes again is paid again; the ideal holds the first k, so missing costs nothing."""
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
