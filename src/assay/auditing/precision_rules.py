"""Rules about precision, recall, average precision and reciprocal rank: what is divided by what."""

from __future__ import annotations

from assay.auditing.reading_rules import file_order, kept, not_negative, thousand
from assay.auditing.registry import rule, together
from assay.auditing.settings import Setting
from assay.measures import AP, RelP, Success


@rule("divided by the hits returned", of=("P",), part="denominator")
def by_hits(setting: Setting) -> Setting | None:
    """A list shorter than k is divided by its own length, so that returning less can raise precision."""
    if setting.cutoff is None:
        return None
    return setting.measured(cutoff=None).under(depth=min(setting.policies.depth or setting.cutoff, setting.cutoff))


@rule("as Elasticsearch and MLflow", tools=("Elasticsearch rank_eval", "MLflow"), of=("P",))
def by_hits_with_duplicates(setting: Setting) -> Setting | None:
    """A list shorter than k is divided by its own length, and a document that comes again is found again."""
    return together(setting, by_hits, kept) if setting.cutoff else None


@rule("divided by min(k, relevant documents)", tools=("trec_eval relative_P",), of=("P",), part="denominator")
def by_attainable(setting: Setting) -> Setting:
    """Where there are fewer than k relevant documents, finding all of them is enough for 1."""
    asked = setting.measure.parameters
    return setting.having(measure=RelP(cutoff=asked["cutoff"], rel=asked["rel"]))


@rule("recall, capped", tools=("BEIR R_cap@k",), of=("R",), part="denominator")
def capped(setting: Setting) -> Setting | None:
    """Divided by k where there are more than k relevant documents, as no more can be found."""
    asked = setting.measure.parameters
    return setting.having(measure=RelP(cutoff=asked["cutoff"], rel=asked["rel"])) if setting.cutoff else None


@rule("hit rate", tools=("scripts that call the hit rate recall@k",), of=("R",), part="denominator")
def hit_rate(setting: Setting) -> Setting:
    """1 as soon as one relevant document is found, however many there are."""
    asked = setting.measure.parameters
    return setting.having(measure=Success(cutoff=asked["cutoff"], rel=asked["rel"]))


@rule("over the relevant documents that were retrieved", of=("AP",), part="denominator")
def over_retrieved(setting: Setting) -> Setting:
    """The sum is divided by the relevant documents found, not by all there are: those that were missed cost nothing."""
    return setting.having(ideal="retrieved")


@rule(
    "context precision",
    tools=("ragas", "DeepEval", "Haystack MAP"),
    of=("AP", "nDCG", "P"),
)
def context_precision(setting: Setting) -> Setting:
    """Average precision divided by the relevant documents found, duplicates included: missed ones cost nothing."""
    rel = setting.measure.parameters.get("rel")
    return together(setting.having(measure=AP(cutoff=setting.cutoff, rel=rel)), over_retrieved, kept)


@rule("as cwl_eval", tools=("cwl_eval AP",), of=("AP",))
def cwl_eval_ap(setting: Setting) -> Setting:
    """Divided by the relevant documents found, duplicates included, in the order of the file, down to rank 1,000."""
    return together(setting, over_retrieved, kept, file_order, not_negative, thousand)


@rule(
    "divided by min(k, relevant documents)", tools=("ml_metrics apk", "Kaggle's MAP@k"), of=("AP",), part="denominator"
)
def ap_by_attainable(setting: Setting) -> Setting | None:
    """With more than k relevant documents the sum is divided by k, so that a perfect list of k reaches 1."""
    return setting.having(ideal="cutoff") if setting.cutoff else None


@rule("no cut-off", tools=("trec_eval map", "pytrec_eval (also as map_10)"), of=("AP",), part="cutoff")
def ap_without_cutoff(setting: Setting) -> Setting:
    """`map` looks at the whole list, and pytrec_eval takes `map_10` for it; the one with a cut-off is `map_cut`."""
    return setting.measured(cutoff=None)


@rule("no cut-off", tools=("trec_eval recip_rank", "pytrec_eval (also as recip_rank_10)"), of=("RR",), part="cutoff")
def rr_without_cutoff(setting: Setting) -> Setting:
    """The first relevant document counts however deep it stands; pytrec_eval takes `recip_rank_10` for that, too."""
    return setting.measured(cutoff=None)
