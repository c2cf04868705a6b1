"""Other tools' rules once more, in plain loops over rows: what the audit is held against.

A rule is a function from rows and judgments to a value, for one measure. Whatever is not about one measure is a
function from rows to a ranking; the measure's slow twin does the rest.
"""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from twin import TWINS, Topic, Value

K = 4
#: The measures that rules are tried on, with their parameters.
MEASURES: dict[str, dict[str, Any]] = {
    "nDCG": {"cutoff": K},
    "DCG": {"cutoff": K},
    "AP": {"cutoff": K},
    "P": {"cutoff": K},
    "R": {"cutoff": K},
    "RR": {"cutoff": K},
    "ERR": {"cutoff": K},
    "RBP": {"p": 0.7},
    "Bpref": {},
    "IPrec": {"recall": 0.4},
    "IPrecMean": {},
    "SetF": {"beta": 2.0},
    "GMAP": {},
    "Judged": {"cutoff": K},
    "Unjudged": {"cutoff": K},
}


class Rows(NamedTuple):
    """The rows of one query (document, score, rank) as they came, and its judgments."""

    rows: tuple[tuple[str, float, int], ...]
    judged: dict[str, float]


def once(rows: Sequence[tuple[str, float, int]]) -> list[tuple[str, float, int]]:
    """The first row of each document."""
    seen: set[str] = set()
    return [row for row in rows if not (row[0] in seen or seen.add(row[0]))]  # type: ignore[func-returns-value]


def descending(rows: Sequence[tuple[str, float, int]]) -> tuple[str, ...]:
    """Documents by falling score, then by falling id."""
    return tuple(doc for doc, _, _ in sorted(rows, key=lambda row: (row[1], row[0].encode()), reverse=True))


def ascending(rows: Sequence[tuple[str, float, int]]) -> tuple[str, ...]:
    """Documents by falling score, then by id."""
    return tuple(doc for doc, _, _ in sorted(rows, key=lambda row: (-row[1], row[0].encode())))


def stable(rows: Sequence[tuple[str, float, int]]) -> tuple[str, ...]:
    """Documents by falling score, then as they came."""
    return tuple(doc for doc, _, _ in sorted(rows, key=lambda row: -row[1]))


def orders(rows: Sequence[tuple[str, float, int]]) -> Iterator[tuple[str, ...]]:
    """Every order of documents with equal scores, each as often as the others."""
    groups = itertools.groupby(sorted(rows, key=lambda row: -row[1]), key=lambda row: row[1])
    for parts in itertools.product(*(list(itertools.permutations([row[0] for row in group])) for _, group in groups)):
        yield tuple(itertools.chain(*parts))


def last_score(rows: Sequence[tuple[str, float, int]]) -> list[tuple[str, float, int]]:
    """As a dict that is filled row by row."""
    table: dict[str, tuple[float, int]] = {}
    for doc, score, rank in rows:
        table[doc] = (score, rank)
    return [(doc, *values) for doc, values in table.items()]


def as_single(rows: Sequence[tuple[str, float, int]]) -> list[tuple[str, float, int]]:
    """Scores as they are left of a 32-bit number."""
    return [(doc, struct.unpack("f", struct.pack("f", score))[0], rank) for doc, score, rank in rows]


def value(measure: str, topic: Topic, **changes: Any) -> float:
    """The twin's value; where it is undefined 0, or no number for what is left out of means."""
    if measure == "GMAP":
        return max(value("AP", topic, cutoff=None), 1e-5)
    asked = {**MEASURES.get(measure, {}), **changes}
    made: Value = TWINS[measure](topic, **asked)
    if made is None:
        return math.nan if measure == "Judged" else 0.0
    return made


def plain(data: Rows, level: float = 1.0) -> Topic:
    """What Assay looks at."""
    return Topic(descending(once(data.rows)), data.judged, level)


def whole_part(judged: dict[str, float]) -> dict[str, float]:
    return {doc: float(math.trunc(grade)) for doc, grade in judged.items()}


#: From rows to what the tool sees, for rules that have nothing to do with a measure.
READINGS: dict[str, Callable[[Rows], Topic]] = {
    "duplicates kept": lambda data: Topic(descending(data.rows), data.judged),
    "the last score of a document counts": lambda data: Topic(descending(last_score(data.rows)), data.judged),
    "ties by document id, largest first": plain,
    "ties by document id, smallest first": lambda data: Topic(ascending(once(data.rows)), data.judged),
    "ties as they came": lambda data: Topic(stable(once(data.rows)), data.judged),
    "scores compared as 32-bit numbers": lambda data: Topic(descending(as_single(once(data.rows))), data.judged),
    "order of the rank column": lambda data: Topic(
        tuple(doc for doc, _, _ in sorted(once(data.rows), key=lambda row: row[2])), data.judged
    ),
    "order of the file": lambda data: Topic(tuple(doc for doc, _, _ in once(data.rows)), data.judged),
    "1,000 results at most": plain,
    "unjudged documents taken out first": lambda data: Topic(
        tuple(doc for doc in plain(data).ranking if data.judged.get(doc, -1) >= 0), data.judged
    ),
    "grades cut to whole numbers": lambda data: replace(plain(data), judged=whole_part(data.judged)),
    "negative grades taken for 0": lambda data: replace(
        plain(data), judged={doc: max(grade, 0.0) for doc, grade in data.judged.items()}
    ),
    **{f"relevant from grade {level} on": partial(plain, level=level) for level in (1, 2, 3, 4)},
}


def as_trec_eval(data: Rows, measure: str, precision: str, rule: str) -> float:
    rows = as_single(once(data.rows)) if precision == "single" else once(data.rows)
    changes = {"rule": rule} if measure in {"IPrec", "IPrecMean"} else {}
    return value(measure, Topic(descending(rows), whole_part(data.judged)), **changes)


def kept(data: Rows) -> Topic:
    return READINGS["duplicates kept"](data)


def gain(grade: float, how: str) -> float:
    worth = {"linear": max(grade, 0.0), "exp": float(2.0 ** max(grade, 0.0)) - 1, "binary": float(grade >= 1)}
    return worth[how]


def dcg(gains: Sequence[float]) -> float:
    return sum(worth / math.log2(place + 2) for place, worth in enumerate(gains))


def ndcg(got: Sequence[float], best: Sequence[float]) -> float:
    ideal = dcg(best)
    return dcg(got) / ideal if ideal else 0.0


def gains(topic: Topic, how: str) -> list[float]:
    return [gain(topic.judged.get(doc, 0.0), how) for doc in topic.ranking]


def ideal(judged: dict[str, float], how: str) -> list[float]:
    return sorted((gain(grade, how) for grade in judged.values()), reverse=True)


def elasticsearch(data: Rows) -> float:
    found = gains(kept(data), "exp")
    return ndcg(found[:K], ideal(data.judged, "exp")[: min(K, len(found))])


def mlflow(data: Rows) -> float:
    found = gains(kept(data), "binary")
    number = min(K, len(found))
    copies = [gain(data.judged.get(doc, 0.0), "binary") for doc in _beyond_the_first(kept(data).ranking)]
    best = sorted([*ideal(data.judged, "binary"), *copies], reverse=True)
    return ndcg(found[:number], best[:number])


def _beyond_the_first(ranking: Sequence[str]) -> list[str]:
    return [doc for place, doc in enumerate(ranking) if doc in ranking[:place]]


def phoenix(data: Rows) -> float:
    found = gains(kept(data), "linear")[:K]
    return ndcg(found, sorted(found, reverse=True))


def scikit_learn(data: Rows) -> float:
    found = [[gain(data.judged.get(doc, 0.0), "linear") for doc in order] for order in orders(data.rows)]
    return sum(ndcg(one[:K], sorted(one, reverse=True)[:K]) for one in found) / len(found)


def as_in_the_file(data: Rows) -> list[str]:
    return [doc for doc, _, _ in data.rows]


def context_precision(data: Rows) -> float:
    return found_precision(data, kept(data).ranking)


def found_precision(data: Rows, ranking: Sequence[str]) -> float:
    relevant = [data.judged.get(doc, 0.0) >= 1 for doc in ranking[:K]]
    precisions = [sum(relevant[: place + 1]) / (place + 1) for place, found in enumerate(relevant) if found]
    return sum(precisions) / len(precisions) if precisions else 0.0


def by_length(topic: Topic) -> float:
    first = topic.ranking[:K]
    return sum(topic.judged.get(doc, 0.0) >= 1 for doc in first) / len(first) if first else 0.0


def capped(topic: Topic, measure: str) -> float:
    relevant = sum(grade >= 1 for grade in topic.judged.values())
    full = {"AP": relevant, "R": relevant, "P": K}[measure]
    return value(measure, topic) * full / min(K, relevant) if relevant else 0.0


def rbp(topic: Topic, p: float, worth: Callable[[float], float]) -> float:
    weights = [(1 - p) * p**place for place in range(len(topic.ranking))]
    return sum(w * worth(topic.judged.get(doc, 0.0)) for w, doc in zip(weights, topic.ranking, strict=True))


def binary(grade: float) -> float:
    return float(grade >= 1)


def averaged(measure: str, data: Rows) -> float:
    values = [value(measure, Topic(order, data.judged)) for order in orders(once(data.rows))]
    return sum(values) / len(values)


def on_plain(measure: str, **changes: Any) -> Callable[[Rows], float]:
    """The measure with other parameters, of what Assay looks at."""
    return lambda data: value(measure, plain(data), **changes)


_P = MEASURES["RBP"]["p"]
#: By measure and rule.
RULES: dict[tuple[str, str], Callable[[Rows], float]] = {
    **{
        (name, rule): on_plain(name, **changes)
        for name in ("nDCG", "DCG")
        for rule, changes in (
            ("linear gain", {"gain": "linear"}),
            ("exponential gain", {"gain": "exp"}),
            ("binary gain", {"gain": "binary"}),
            ("discount from rank 3 on", {"discount": "log2max2"}),
            ("discount by rank", {"discount": "zipf"}),
            ("no discount", {"discount": "none"}),
            ("natural logarithm", {"base": math.e}),
        )
    },
    ("DCG", "as gdeval"): lambda data: sum(
        worth / math.log(place + 2) for place, worth in enumerate(gains(plain(data), "exp")[:K])
    ),
    ("nDCG", "ideal not cut"): lambda data: ndcg(gains(plain(data), "linear")[:K], ideal(data.judged, "linear")),
    ("nDCG", "ideal cut at the number of hits"): lambda data: ndcg(
        gains(plain(data), "linear")[:K], ideal(data.judged, "linear")[: min(K, len(plain(data).ranking))]
    ),
    ("nDCG", "ideal of the retrieved documents"): lambda data: ndcg(
        gains(plain(data), "linear")[:K], sorted(gains(plain(data), "linear"), reverse=True)[:K]
    ),
    ("nDCG", "ideal of the first k"): lambda data: ndcg(
        gains(plain(data), "linear")[:K], sorted(gains(plain(data), "linear")[:K], reverse=True)
    ),
    ("nDCG", "as OpenSearch workbench"): lambda data: round(
        ndcg(gains(kept(data), "exp")[:K], ideal(data.judged, "exp")[:K]), 2
    ),
    ("nDCG", "as Quepid"): lambda data: ndcg(gains(kept(data), "exp")[:K], ideal(data.judged, "exp")),
    ("nDCG", "as Elasticsearch rank_eval"): elasticsearch,
    ("nDCG", "as LlamaIndex"): lambda data: ndcg(gains(kept(data), "binary")[:K], ideal(data.judged, "binary")),
    ("nDCG", "as Haystack"): lambda data: ndcg(gains(kept(data), "linear")[:K], ideal(data.judged, "linear")),
    ("nDCG", "as MLflow"): mlflow,
    ("nDCG", "as Phoenix"): phoenix,
    ("nDCG", "as scikit-learn"): scikit_learn,
    ("AP", "as cwl_eval"): lambda data: found_precision(data, as_in_the_file(data)),
    **{(name, "context precision"): context_precision for name in ("nDCG", "AP", "P")},
    ("P", "divided by the hits returned"): lambda data: by_length(plain(data)),
    ("P", "as Elasticsearch and MLflow"): lambda data: by_length(kept(data)),
    ("P", "divided by min(k, relevant documents)"): lambda data: capped(plain(data), "P"),
    ("AP", "divided by min(k, relevant documents)"): lambda data: capped(plain(data), "AP"),
    ("R", "recall, capped"): lambda data: capped(plain(data), "R"),
    ("R", "hit rate"): lambda data: float(value("R", plain(data)) > 0),
    ("AP", "over the relevant documents that were retrieved"): lambda data: context_precision(
        Rows(tuple(once(data.rows)), data.judged)
    ),
    **{(name, "no cut-off"): on_plain(name, cutoff=None) for name in ("nDCG", "AP", "RR")},
    **{("RBP", f"p = {p:g}"): on_plain("RBP", p=p) for p in (0.5, 0.8, 0.9, 0.95)},
    ("RBP", "binary gain"): lambda data: rbp(plain(data), _P, binary),
    ("RBP", "as trectools"): lambda data: (
        sum(rbp(Topic(order, data.judged), _P, binary) for order in orders(once(data.rows)))
        / sum(1 for _ in orders(once(data.rows)))
    ),
    ("RBP", "grades as gains"): lambda data: rbp(plain(data), _P, lambda grade: max(grade, 0.0)),
    ("RBP", "gains scaled topic by topic"): lambda data: rbp(
        plain(data), _P, lambda grade: max(grade, 0.0) / max(1.0, *data.judged.values())
    ),
    ("ERR", "top of the scale is 4"): lambda data: value("ERR", plain(data), max_grade=4),
    ("SetF", "beta squared"): lambda data: value("SetF", plain(data), beta=math.sqrt(2)),
    **{
        (name, f"levels of recall as {rule}"): on_plain(name, rule=rule)
        for name in ("IPrec", "IPrecMean")
        for rule in ("trec_eval-9", "trec_eval-10")
    },
}


def expected(measure: str, rule: str, data: Rows) -> float:
    """What a rule gives for a measure, by brute force."""
    if (measure, rule) in RULES:
        return RULES[measure, rule](data)
    if rule == "ties averaged":
        return averaged(measure, data)
    if rule in {"as trec_eval 10 with -c", "as trec_eval 9"}:
        precision, old = ("single", "trec_eval-9") if rule == "as trec_eval 9" else ("double", "trec_eval-10")
        return as_trec_eval(data, measure, precision, old)
    if rule == "duplicates become new documents":
        ranking, counts = [], dict.fromkeys(data.judged, 0)
        judged = dict(data.judged)
        for doc in kept(data).ranking:
            counts[doc] = counts.get(doc, 0) + 1
            name = doc if counts[doc] == 1 else f"{doc} again {counts[doc]}"
            ranking.append(name)
            if doc in data.judged:
                judged[name] = data.judged[doc]
        return value(measure, Topic(tuple(ranking), judged))
    if rule == "rounded to two decimals by topic":
        return round(value(measure, plain(data)), 2)
    return value(measure, READINGS[rule](data))
