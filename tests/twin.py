"""The slow twin: every measure of ranked retrieval once more, in plain loops over one dense ranking.

It shares no code with the library and takes no shortcut, so that an agreement of the two means something. A value is
`None` where the definition divides by zero; whoever wants a 0 there says so outside.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

UNDEFINED = None
EPSILON = 1e-5  # the smoothing of infAP

Value = float | None  # None: undefined
Cutoff = int | None  # None: the whole list
Level = float | None  # None: the level of the topic
Gain = str | Mapping[float, float]
Measure = TypeVar("Measure", bound=Callable[..., Value])

TWINS: dict[str, Callable[..., Value]] = {}


@dataclass(frozen=True)
class Topic:
    """One ranking and its judgments."""

    ranking: tuple[str, ...]  # documents best first, already ordered
    judged: dict[str, float]  # doc -> grade; negative = pooled but unjudged; absent = not in the qrels
    level: float = 1.0  # relevant means grade >= level
    size: int | None = None  # documents in the collection, if that is known


def rank(scores: dict[str, float], ties: str = "doc_id_descending") -> tuple[str, ...]:
    """Documents by falling score; ties by the bytes of the doc_id, or as they came."""
    docs = list(scores)
    if ties in ("doc_id_descending", "doc_id_ascending"):
        docs.sort(key=lambda doc: doc.encode(), reverse=ties == "doc_id_descending")
    elif ties != "input_order":
        raise ValueError(f"unknown tie policy {ties!r}")
    return tuple(sorted(docs, key=lambda doc: -scores[doc]))  # a stable sort: tied documents keep their order


def twin(*names: str) -> Callable[[Measure], Measure]:
    """Put a measure into TWINS; the measures of sets are those of ranks without a cut-off."""

    def register(measure: Measure) -> Measure:
        TWINS.update(dict.fromkeys(names, measure))
        return measure

    return register


def ratio(part: float, whole: float) -> Value:
    """A division that knows when it is undefined."""
    return UNDEFINED if whole == 0 else part / whole


def is_judged(topic: Topic, doc: str) -> bool:
    """Whether somebody gave the document a grade; a negative one says that nobody did."""
    return doc in topic.judged and topic.judged[doc] >= 0


def is_relevant(topic: Topic, doc: str, rel: Level = None) -> bool:
    """Whether the grade reaches the level."""
    return is_judged(topic, doc) and topic.judged[doc] >= (topic.level if rel is None else rel)


def is_nonrelevant(topic: Topic, doc: str, rel: Level = None) -> bool:
    """Whether the document was judged and found below the level."""
    return is_judged(topic, doc) and not is_relevant(topic, doc, rel)


@twin("NumRelRet")
def hits(topic: Topic, cutoff: Cutoff = None, rel: Level = None) -> int:
    """Relevant documents among the first ones."""
    return sum(is_relevant(topic, doc, rel) for doc in topic.ranking[:cutoff])


@twin("NumRel")
def relevant(topic: Topic, rel: Level = None) -> int:
    """Relevant documents that exist, retrieved or not."""
    return sum(is_relevant(topic, doc, rel) for doc in topic.judged)


def precisions_at_hits(topic: Topic, cutoff: Cutoff = None, rel: Level = None) -> list[float]:
    """The precision at the rank of each relevant document that was retrieved."""
    ranks = [i for i, doc in enumerate(topic.ranking[:cutoff], start=1) if is_relevant(topic, doc, rel)]
    return [hits(topic, i, rel) / i for i in ranks]


@twin("NumRet")
def num_ret(topic: Topic) -> Value:
    """Documents retrieved."""
    return float(len(topic.ranking))


@twin("NumNonRelRet")
def num_nonrel_ret(topic: Topic, rel: Level = None) -> Value:
    """Documents retrieved that were judged and found not relevant."""
    return float(sum(is_nonrelevant(topic, doc, rel) for doc in topic.ranking))


@twin("P", "SetP")
def precision(topic: Topic, cutoff: Cutoff = None, rel: Level = None) -> Value:
    """Relevant share of the first k ranks; a short list is filled up with documents that are not relevant."""
    return ratio(hits(topic, cutoff, rel), len(topic.ranking) if cutoff is None else cutoff)


@twin("R", "SetR")
def recall(topic: Topic, cutoff: Cutoff = None, rel: Level = None) -> Value:
    """Share of the relevant documents found in the first k ranks."""
    return ratio(hits(topic, cutoff, rel), relevant(topic, rel))


@twin("F", "SetF")
def f_measure(
    topic: Topic, cutoff: Cutoff = None, beta: float = 1.0, alpha: float | None = None, rel: Level = None
) -> Value:
    """Weighted harmonic mean of precision and recall, undefined if one is (the reference tool takes beta squared)."""
    p, r = precision(topic, cutoff, rel), recall(topic, cutoff, rel)
    if math.isinf(beta) or alpha == 0:
        return r
    if p is None or r is None:
        return UNDEFINED
    if alpha is not None:
        return 0.0 if p * r == 0 else 1 / (alpha / p + (1 - alpha) / r)
    return 0.0 if p == r == 0 else (1 + beta**2) * p * r / (beta**2 * p + r)


@twin("SetAP")
def set_ap(topic: Topic, rel: Level = None) -> Value:
    """Precision times recall of the whole list."""
    return ratio(hits(topic, None, rel) ** 2, len(topic.ranking) * relevant(topic, rel))


@twin("RelP", "SetRelP")
def relative_p(topic: Topic, cutoff: Cutoff = None, rel: Level = None) -> Value:
    """Precision at k as a share of the best that can be had at k."""
    length = len(topic.ranking) if cutoff is None else cutoff
    return ratio(hits(topic, cutoff, rel), min(length, relevant(topic, rel)))


@twin("Judged")
def judged(topic: Topic, cutoff: Cutoff = None) -> Value:
    """Judged share of the documents that are there in the first k ranks."""
    seen = topic.ranking[:cutoff]
    return ratio(sum(is_judged(topic, doc) for doc in seen), len(seen))


@twin("Unjudged")
def unjudged(topic: Topic, cutoff: Cutoff = None) -> Value:
    """Unjudged share of the first k ranks; the empty ranks of a short list count as judged."""
    seen = topic.ranking[:cutoff]
    return ratio(sum(not is_judged(topic, doc) for doc in seen), len(seen) if cutoff is None else cutoff)


@twin("Utility")
def utility(topic: Topic, a: float = 1, b: float = -1, c: float = 0, d: float = 0, collection_size: int = 0) -> Value:
    """A weight each for relevant retrieved, others retrieved, relevant missed, others left out."""
    found, exist, retrieved = hits(topic), relevant(topic), len(topic.ranking)
    size = collection_size if topic.size is None else topic.size
    left_out = size + found - retrieved - exist
    return a * found + b * (retrieved - found) + c * (exist - found) + d * left_out


@twin("Success")
def success(topic: Topic, cutoff: Cutoff = None, rel: Level = None) -> Value:
    """Whether there is a relevant document in the first k ranks."""
    return 1.0 if hits(topic, cutoff, rel) > 0 else 0.0


@twin("RR")
def reciprocal_rank(topic: Topic, cutoff: Cutoff = None, rel: Level = None) -> Value:
    """One over the rank of the first relevant document, 0 if none is found."""
    for i, doc in enumerate(topic.ranking[:cutoff], start=1):
        if is_relevant(topic, doc, rel):
            return 1 / i
    return UNDEFINED if relevant(topic, rel) == 0 else 0.0


@twin("FirstRank")
def first_rank(topic: Topic, rel: Level = None) -> Value:
    """The rank of the first relevant document."""
    return next((i for i, doc in enumerate(topic.ranking, start=1) if is_relevant(topic, doc, rel)), UNDEFINED)


@twin("AP")
def average_precision(topic: Topic, cutoff: Cutoff = None, rel: Level = None) -> Value:
    """Mean over all relevant documents of the precision at their ranks, 0 for those not found."""
    return ratio(sum(precisions_at_hits(topic, cutoff, rel)), relevant(topic, rel))


@twin("Yaap")
def yaap(topic: Topic, rel: Level = None) -> Value:
    """Log odds of the sum behind average precision."""
    total = sum(precisions_at_hits(topic, None, rel))
    return math.log((1 + total) / (1 + relevant(topic, rel) - total))


@twin("Rprec")
def r_precision(topic: Topic, rel: Level = None) -> Value:
    """Precision at the rank that equals the number of relevant documents."""
    return precision(topic, relevant(topic, rel), rel)


@twin("RprecMult")
def r_precision_multiple(topic: Topic, factor: float = 1.0, rel: Level = None) -> Value:
    """Precision at a multiple of the number of relevant documents."""
    return precision(topic, int(factor * relevant(topic, rel) + 0.9), rel)


@twin("IPrec")
def interpolated_precision(topic: Topic, recall: float, rule: str = "exact", rel: Level = None) -> Value:
    """The best precision at this recall or beyond, 0 if it is not reached."""
    exist = relevant(topic, rel)
    if exist == 0:
        return UNDEFINED
    wanted = recall * exist
    best = 0.0
    for i in range(1, len(topic.ranking) + 1):
        found = hits(topic, i, rel)
        reached = {
            "exact": found / exist >= recall,
            "trec_eval-10": found >= math.floor(wanted) + (wanted - math.floor(wanted) >= 0.5),  # halves go up
            "trec_eval-9": found >= int(wanted + 0.9),
        }[rule]
        best = max(best, found / i if reached else 0.0)
    return best


@twin("IPrecMean")
def interpolated_precision_mean(topic: Topic, rule: str = "exact", points: int = 11, rel: Level = None) -> Value:
    """Mean of the interpolated precision at evenly spaced points of recall."""
    values = [interpolated_precision(topic, i / (points - 1), rule, rel) for i in range(points)]
    return ratio(sum(value or 0.0 for value in values), sum(value is not None for value in values))


@twin("Bpref")
def bpref(topic: Topic, rel: Level = None) -> Value:
    """Share of judged non-relevant documents that stand below the relevant ones, as far as they count."""
    exist = relevant(topic, rel)
    nonrelevant = sum(is_nonrelevant(topic, doc, rel) for doc in topic.judged)
    total, above = 0.0, 0
    for doc in topic.ranking:
        if is_relevant(topic, doc, rel):
            total += 1 - min(above, exist) / min(nonrelevant, exist) if above > 0 else 1
        above += is_nonrelevant(topic, doc, rel)
    return ratio(total, exist)


@twin("InfAP")
def inferred_ap(topic: Topic, rel: Level = None) -> Value:
    """Average precision, estimated where only a sample of the pool was judged."""
    total = 0.0
    for above, doc in enumerate(topic.ranking):
        if not is_relevant(topic, doc, rel):
            continue
        before = topic.ranking[:above]
        good = sum(is_relevant(topic, other, rel) for other in before)
        bad = sum(is_nonrelevant(topic, other, rel) for other in before)
        pooled = sum(other in topic.judged for other in before)  # the negative grades included
        precision_above = (good + EPSILON) / (good + bad + 2 * EPSILON)
        total += 1 / (above + 1)
        total += above / (above + 1) * (pooled / above) * precision_above if above > 0 else 0.0
    return ratio(total, relevant(topic, rel))


@twin("BinG")
def bin_g(topic: Topic, rel: Level = None) -> Value:
    """Relevant documents, each discounted by the number of others above it."""
    ranks = [i for i, doc in enumerate(topic.ranking, start=1) if is_relevant(topic, doc, rel)]
    return ratio(sum(1 / math.log2(2 + i - hits(topic, i, rel)) for i in ranks), relevant(topic, rel))


def gain_of(topic: Topic, doc: str, gain: Gain) -> float:
    """What a document is worth; one that nobody judged is worth nothing."""
    if not is_judged(topic, doc):
        return 0.0
    grade = topic.judged[doc]
    if isinstance(gain, Mapping):
        return gain.get(grade, grade)
    return {"linear": grade, "exp": 2**grade - 1, "binary": 1.0 if grade >= topic.level else 0.0}[gain]


def discount_of(i: int, discount: str, base: float) -> float:
    """The weight of rank i."""
    if discount == "log_b":
        return 1.0 if i < base else math.log(base) / math.log(i)
    return {
        "log2": math.log(base) / math.log(i + 1),
        "log2max2": 1 / math.log2(max(i, 2)),
        "zipf": 1 / i,
        "none": 1.0,
    }[discount]


def discounted(gains: list[float], discount: str = "log2", base: float = 2) -> float:
    """The sum of gains, each weighted by its rank."""
    return sum(gain * discount_of(i, discount, base) for i, gain in enumerate(gains, start=1))


def gains_of(topic: Topic, gain: Gain) -> list[float]:
    """The gain at each rank."""
    return [gain_of(topic, doc, gain) for doc in topic.ranking]


def best_gains(topic: Topic, gain: Gain) -> list[float]:
    """The gains of the ideal ranking: all that are positive, largest first."""
    gains = [gain_of(topic, doc, gain) for doc in topic.judged]
    return sorted([value for value in gains if value > 0], reverse=True)


@twin("CG")
def cumulated_gain(topic: Topic, cutoff: Cutoff = None, gain: Gain = "linear") -> Value:
    """The sum of gains."""
    return float(sum(gains_of(topic, gain)[:cutoff]))


@twin("DCG")
def dcg(topic: Topic, cutoff: Cutoff = None, gain: Gain = "linear", discount: str = "log2", base: float = 2) -> Value:
    """The sum of gains, each discounted by its rank."""
    return discounted(gains_of(topic, gain)[:cutoff], discount, base)


@twin("nDCG")
def ndcg(
    topic: Topic,
    cutoff: Cutoff = None,
    gain: Gain = "linear",
    discount: str = "log2",
    base: float = 2,
    ideal: str = "judged",
) -> Value:
    """DCG as a share of the ideal ranking's: of all judged documents, the same not cut, or of the retrieved ones."""
    gains = gains_of(topic, gain)
    best = {
        "judged": best_gains(topic, gain)[:cutoff],
        "uncut": best_gains(topic, gain),
        "retrieved": sorted([value for value in gains if value > 0], reverse=True)[:cutoff],
    }[ideal]
    return ratio(discounted(gains[:cutoff], discount, base), discounted(best, discount, base))


@twin("G")
def g_measure(topic: Topic, gains: Mapping[float, float] | None = None) -> Value:
    """Gains, each discounted by what the ideal ranking had gained above it and this one had not."""
    best = best_gains(topic, gains or {})
    total = gained = could = 0.0
    for i, value in enumerate(gains_of(topic, gains or {})):
        gained += value
        could += max(best[i] if i < len(best) else 0.0, 1.0)
        total += value / math.log2(2 + could - gained) if value != 0 else 0.0
    return ratio(total, sum(best))


@twin("nDCGRel")
def ndcg_at_relevant(topic: Topic, gains: Mapping[float, float] | None = None) -> Value:
    """Mean over the documents with a gain of nDCG at their ranks; those not found see the whole list."""
    found, best = gains_of(topic, gains or {}), best_gains(topic, gains or {})
    ranks = [i for i, value in enumerate(found, start=1) if value > 0]
    total = sum(discounted(found[:i]) / discounted(best[:i]) for i in ranks)
    if len(best) > len(ranks):
        total += (len(best) - len(ranks)) * discounted(found) / discounted(best)
    return ratio(total, len(best))


@twin("Rndcg")
def r_ndcg(topic: Topic, gains: Mapping[float, float] | None = None) -> Value:
    """Mean of nDCG at the ranks after which the ideal gain falls, and of the whole list if it is longer by two."""
    found, best = gains_of(topic, gains or {}), best_gains(topic, gains or {})
    if best and relevant(topic) == 0:
        return 0.0  # as the reference tool has it, though nothing is divided by zero
    falls = [i for i in range(1, len(best) + 1) if i == len(best) or best[i] < best[i - 1]]
    terms = [discounted(found[:i]) / discounted(best[:i]) for i in falls]
    if best and len(found) >= len(best) + 2:
        terms.append(discounted(found) / discounted(best))
    return ratio(sum(terms), len(terms))


def top_grade(topic: Topic, max_grade: float | None) -> float:
    """The end of the scale: as given, or the highest grade of the topic."""
    return max([0.0, *topic.judged.values()]) if max_grade is None else max_grade


def chance(topic: Topic, doc: str, max_grade: float | None, satisfaction: object) -> float:
    """How likely a document satisfies: by its grade, by whether it is relevant, or as a table says."""
    if not is_judged(topic, doc):
        return 0.0
    if satisfaction == "binary":
        return float(is_relevant(topic, doc))
    if isinstance(satisfaction, tuple):
        return float(dict(satisfaction).get(topic.judged[doc], 0.0))
    return float(2 ** topic.judged[doc] - 1) / 2 ** top_grade(topic, max_grade)


@twin("ERR")
def err(
    topic: Topic, cutoff: Cutoff = None, max_grade: float | None = None, satisfaction: object = "exponential"
) -> Value:
    """Expected reciprocal rank at which the user is satisfied."""
    total, still_looking = 0.0, 1.0
    for i, doc in enumerate(topic.ranking[:cutoff], start=1):
        satisfied = chance(topic, doc, max_grade, satisfaction)
        total += still_looking * satisfied / i
        still_looking *= 1 - satisfied
    return total


@twin("RBP")
def rbp(
    topic: Topic, p: float = 0.8, max_grade: float | None = None, cutoff: Cutoff = None, gain: str = "linear"
) -> Value:
    """Rate of gain of a user who goes on to the next rank with probability p."""
    highest = top_grade(topic, max_grade)
    scale = {"linear": highest or 1.0, "exp": 2**highest, "binary": 1.0}[gain]  # without a grade all gains are 0
    return (1 - p) * sum(value / scale * p**above for above, value in enumerate(gains_of(topic, gain)[:cutoff]))


@twin("RBPResidual")
def rbp_residual(topic: Topic, p: float = 0.8, cutoff: Cutoff = None) -> Value:
    """What RBP could still gain: from the unjudged documents, and from the ranks below the list."""
    seen = topic.ranking[:cutoff]
    return p ** len(seen) + (1 - p) * sum(p**above for above, doc in enumerate(seen) if not is_judged(topic, doc))
