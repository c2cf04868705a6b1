"""The slow twin, continued: decisions, the precision-recall curve, graded precision, and users with a goal."""

import itertools
import math

from twin import (
    TWINS,
    UNDEFINED,
    Cutoff,
    Level,
    Topic,
    Value,
    best_gains,
    chance,
    err,
    gain_of,
    gains_of,
    hits,
    is_relevant,
    precision,
    precisions_at_hits,
    ratio,
    recall,
    relevant,
    top_grade,
    twin,
)

__all__ = ["TWINS"]  # with all twins in it, those of the other module too

# Decisions: one about each document of the collection.


def decisions(topic: Topic) -> tuple[int, int, int, int] | None:
    """True and false positives, false and true negatives, each document looked at by itself."""
    if topic.size is None:
        return None
    known = {*topic.ranking, *(doc for doc in topic.judged if is_relevant(topic, doc))}
    documents = [*known, *(f"never seen {number}" for number in range(topic.size - len(known)))]
    decided = [(is_relevant(topic, doc), doc in topic.ranking) for doc in documents]
    true, false = (True, False), (False, True)
    return decided.count((True, True)), decided.count(false), decided.count(true), decided.count((False, False))


@twin("Accuracy")
def accuracy(topic: Topic) -> Value:
    """Right decisions among all."""
    table = decisions(topic)
    return UNDEFINED if table is None else ratio(table[0] + table[3], sum(table))


@twin("ErrorRate")
def error_rate(topic: Topic) -> Value:
    """Wrong decisions among all."""
    table = decisions(topic)
    return UNDEFINED if table is None else ratio(table[1] + table[2], sum(table))


@twin("NPV")
def negative_predictive_value(topic: Topic) -> Value:
    """Irrelevant ones among the documents left out."""
    table = decisions(topic)
    return UNDEFINED if table is None else ratio(table[3], table[2] + table[3])


@twin("Prevalence")
def prevalence(topic: Topic) -> Value:
    """Relevant ones among all documents."""
    table = decisions(topic)
    return UNDEFINED if table is None else ratio(table[0] + table[2], sum(table))


@twin("Fallout")
def fallout(topic: Topic) -> Value:
    """Retrieved ones among the irrelevant documents."""
    table = decisions(topic)
    return UNDEFINED if table is None else ratio(table[1], table[1] + table[3])


@twin("Specificity")
def specificity(topic: Topic) -> Value:
    """Those left out among the irrelevant documents."""
    retrieved_irrelevant = fallout(topic)
    return UNDEFINED if retrieved_irrelevant is None else 1 - retrieved_irrelevant


@twin("MCC")
def mcc(topic: Topic) -> Value:
    """The correlation of two columns of zeros and ones: relevant, and retrieved."""
    table = decisions(topic)
    if table is None:
        return UNDEFINED
    tp, fp, fn, tn = table
    pairs = [(1, 1)] * tp + [(0, 1)] * fp + [(1, 0)] * fn + [(0, 0)] * tn
    x, y = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
    covariance = sum((a - x) * (b - y) for a, b in pairs) / len(pairs)
    return ratio(covariance, math.sqrt(x * (1 - x) * y * (1 - y)))


@twin("Jaccard")
def jaccard(topic: Topic) -> Value:
    """What two sets have in common, as a share of their union."""
    good, found = {doc for doc in topic.judged if is_relevant(topic, doc)}, {*topic.ranking}
    return ratio(len(good & found), len(good | found))


@twin("ArithmeticMean")
def arithmetic_mean(topic: Topic) -> Value:
    """Half the sum of precision and recall."""
    p, r = precision(topic), recall(topic)
    return UNDEFINED if p is None or r is None else (p + r) / 2


@twin("GeometricMean")
def geometric_mean(topic: Topic) -> Value:
    """The root of the product of precision and recall."""
    p, r = precision(topic), recall(topic)
    return UNDEFINED if p is None or r is None else math.sqrt(p * r)


@twin("AUC")
def auc(topic: Topic, unretrieved: str = "random_order", rel: Level = None) -> Value:
    """All pairs of a relevant and an irrelevant document, one by one; a pair in order counts 1, a tied one 1/2."""
    place = {doc: float(i) for i, doc in enumerate(topic.ranking)}
    if unretrieved != "left_out":
        if topic.size is None:
            return UNDEFINED
        end = float(len(place))
        last = end + 1 if unretrieved == "relevant_last" else end
        missed = (doc for doc in topic.judged if is_relevant(topic, doc, rel) and doc not in place)
        place |= dict.fromkeys(list(missed), last)
        place |= {f"never seen {number}": end for number in range(topic.size - len(place))}
    good = [place[doc] for doc in place if is_relevant(topic, doc, rel)]
    bad = [place[doc] for doc in place if not is_relevant(topic, doc, rel)]
    won = sum(1.0 if g < b else 0.5 if g == b else 0.0 for g, b in itertools.product(good, bad))
    return ratio(won, len(good) * len(bad))


# The precision-recall curve.


@twin("PrecisionAtRecall")
def precision_at_recall(topic: Topic, recall: float, rel: Level = None) -> Value:
    """Precision at the first rank with so much recall."""
    exist = relevant(topic, rel)
    if exist == 0:
        return UNDEFINED
    for i in range(1, len(topic.ranking) + 1):
        if hits(topic, i, rel) / exist >= recall:
            return hits(topic, i, rel) / i
    return 0.0


@twin("BreakEven")
def break_even(topic: Topic, rel: Level = None) -> Value:
    """Where precision and recall are equal, at the last such rank: before the first hit both are 0."""
    exist = relevant(topic, rel)
    if exist == 0 or len(topic.ranking) < exist:
        return UNDEFINED
    equal = [i for i in range(1, len(topic.ranking) + 1) if hits(topic, i, rel) * (exist - i) == 0]
    return hits(topic, exist, rel) / exist if exist in equal else UNDEFINED


@twin("SystemEfficiency")
def system_efficiency(topic: Topic, rel: Level = None) -> Value:
    """How near the curve comes to (1, 1), over every rank."""
    exist = relevant(topic, rel)
    if exist == 0:
        return UNDEFINED
    found = [(hits(topic, i, rel), i) for i in range(1, len(topic.ranking) + 1)]
    distances = [math.dist((n / i, n / exist), (1, 1)) for n, i in found]
    return 1 - min([math.sqrt(2), *distances]) / math.sqrt(2)


@twin("InterpolatedAP")
def interpolated_ap(topic: Topic, rel: Level = None) -> Value:
    """At each hit the best precision at any rank from there on."""
    length = len(topic.ranking)
    best = [
        max(hits(topic, j, rel) / j for j in range(i, length + 1))
        for i, doc in enumerate(topic.ranking, start=1)
        if is_relevant(topic, doc, rel)
    ]
    assert len(best) == len(precisions_at_hits(topic, None, rel))
    return ratio(sum(best), relevant(topic, rel))


# Gain.


@twin("nCG")
def normalised_cg(
    topic: Topic, cutoff: Cutoff = None, gain: str = "linear", ideal: str = "judged", max_grade: float | None = None
) -> Value:
    """The sum of gains as a share of the best documents', or of k documents at the top of the scale."""
    got = sum(gains_of(topic, gain)[:cutoff])
    if ideal == "judged":
        return ratio(got, sum(best_gains(topic, gain)[:cutoff]))
    top = Topic((), {"top": top_grade(topic, max_grade)}, topic.level)
    return ratio(got, (cutoff or 0) * gain_of(top, "top", gain))


@twin("gAP")
def graded_ap(topic: Topic, thresholds: object = "uniform") -> Value:
    """The sum behind AP for each threshold and its number of relevant documents, both weighted by the threshold."""
    if isinstance(thresholds, tuple):
        table = dict(thresholds)
    else:
        # Every threshold up to a grade is as likely: between two grades that occur, all of them have the same effect.
        grades = sorted({0.0, *(grade for grade in topic.judged.values() if grade > 0)})
        table = {high: high - low for low, high in itertools.pairwise(grades)}
    got = sum(weight * sum(precisions_at_hits(topic, None, grade)) for grade, weight in table.items())
    return ratio(got, sum(weight * relevant(topic, grade) for grade, weight in table.items()))


@twin("Q")
def q_measure(topic: Topic, cutoff: Cutoff = None, beta: float = 1.0, gain: str = "linear", rel: Level = None) -> Value:
    """The blended ratio at each hit, every sum taken anew."""
    level = topic.level if rel is None else rel
    good = Topic(
        topic.ranking, {doc: grade for doc, grade in topic.judged.items() if grade >= level and grade >= 0}, level
    )
    gained, best = gains_of(good, gain), best_gains(good, gain)
    total = 0.0
    for i, doc in enumerate(good.ranking[:cutoff], start=1):
        if is_relevant(good, doc):
            # At infinity gain alone counts, where there is any.
            alone = math.isinf(beta) and sum(best[:i]) > 0
            blend = (0.0, 1.0) if alone else (1.0, 0.0 if math.isinf(beta) else beta)
            got = blend[0] * hits(good, i) + blend[1] * sum(gained[:i])
            total += got / (blend[0] * i + blend[1] * sum(best[:i]))
    exist = relevant(good)
    return ratio(total, exist if cutoff is None else min(exist, cutoff))


@twin("nERR")
def normalised_err(
    topic: Topic, cutoff: Cutoff = None, max_grade: float | None = None, satisfaction: object = "exponential"
) -> Value:
    """ERR as a share of what the judged documents give, best first."""
    order = sorted(topic.judged, key=lambda doc: -chance(topic, doc, max_grade, satisfaction))
    ideal = Topic(tuple(order), topic.judged, topic.level)
    scale = (cutoff, max_grade, satisfaction)
    return ratio(err(topic, *scale) or 0.0, err(ideal, *scale) or 0.0)


# Users who click.


def still_there(topic: Topic, i: int, chances: tuple[object, object], go_on: float, max_grade: float | None) -> float:
    """How likely a user comes to rank i: was neither tired nor satisfied at any rank above."""
    there = 1.0
    for doc in topic.ranking[: i - 1]:
        attracted, satisfied = (chance(topic, doc, max_grade, each) for each in chances)
        there *= go_on * (1 - attracted * satisfied)
    return there


@twin("EBU")
def ebu(
    topic: Topic,
    cutoff: Cutoff = None,
    attraction: object = "exponential",
    satisfaction: object = "exponential",
    continuation: float = 0.9,
    max_grade: float | None = None,
) -> Value:
    """Chance to come to each rank, to click there, and the gain."""
    user = ((attraction, satisfaction), continuation, max_grade)
    return sum(
        still_there(topic, i, *user)
        * chance(topic, doc, max_grade, attraction)
        * chance(topic, doc, max_grade, "exponential")
        for i, doc in enumerate(topic.ranking[:cutoff], start=1)
    )


@twin("rrDBN")
def rr_dbn(
    topic: Topic,
    cutoff: Cutoff = None,
    attraction: object = "exponential",
    satisfaction: object = "exponential",
    continuation: float = 0.9,
    max_grade: float | None = None,
) -> Value:
    """Chance to come to each rank and be satisfied there, over the rank."""
    user = ((attraction, satisfaction), continuation, max_grade)
    return sum(
        still_there(topic, i, *user)
        * chance(topic, doc, max_grade, attraction)
        * chance(topic, doc, max_grade, satisfaction)
        / i
        for i, doc in enumerate(topic.ranking[:cutoff], start=1)
    )


@twin("uUBM")
def u_ubm(
    topic: Topic,
    cutoff: Cutoff = None,
    attraction: object = "exponential",
    examination: str = "distance",
    max_grade: float | None = None,
) -> Value:
    """The published sum over the rank of the click before, every product taken anew."""
    docs = topic.ranking[:cutoff]
    attracted = [0.0, *(chance(topic, doc, max_grade, attraction) for doc in docs)]
    rows = [] if examination == "distance" else [list(map(float, row.split())) for row in examination.split(";")]

    def look(i: int, j: int) -> float:
        if examination == "distance":
            return 1 / (i - j)
        return rows[i - 1][j] if i <= len(rows) else 0.0

    clicked = [1.0]
    for i in range(1, len(docs) + 1):
        ways = (
            clicked[j]
            * math.prod(1 - attracted[between] * look(between, j) for between in range(j + 1, i))
            * attracted[i]
            * look(i, j)
            for j in range(i)
        )
        clicked.append(sum(ways))
    worth = (chance(topic, doc, max_grade, "exponential") for doc in docs)
    return sum(p * gain for p, gain in zip(clicked[1:], worth, strict=True))


# Users with a goal.


def read_on(topic: Topic, wanted: float, horizon: int, max_grade: float | None, minds: bool) -> Value:
    """Gain per document read, rank by rank down to the horizon; past the end of the list nothing is gained."""
    top = top_grade(topic, max_grade) or 1.0
    gains = [gain / top for gain in gains_of(topic, "linear")]
    total = read = so_far = 0.0
    reading = 1.0
    for i in range(1, horizon + 1):
        gain = gains[i - 1] if i <= len(gains) else 0.0
        total, read, so_far = total + reading * gain, read + reading, so_far + gain
        missing = wanted - so_far if minds else wanted
        reading *= ((i + wanted + missing - 1) / (i + wanted + missing)) ** 2
    return total / read


@twin("INSQ")
def insq(topic: Topic, wanted: float = 1.0, horizon: int = 1000, max_grade: float | None = None) -> Value:
    """A user who wants so much, and does not look at what was found."""
    return read_on(topic, wanted, horizon, max_grade, minds=False)


@twin("INST")
def inst(topic: Topic, wanted: float = 1.0, horizon: int = 1000, max_grade: float | None = None) -> Value:
    """A user who wants so much, and less after each find."""
    return read_on(topic, wanted, horizon, max_grade, minds=True)
