"""Rows of whole queries -> hits, by the rules of counting that people disagree about: `Policies`."""

import itertools
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, NamedTuple, TypeAlias, Unpack, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from assay.core import evaluation_options as options
from assay.core.domains import Choice, Domain, Real, Whole
from assay.core.errors import ParameterError, argument, refuse_unknown
from assay.measures.counting.judgments import Floats, Ints, Judgments, Mask
from assay.tables import FlatDicts


@dataclass(frozen=True)
class Policies:
    """The rules by which a run is turned into counts.

    `ties`: order of documents with equal scores; `expected` gives the mean over all orders.
    `unjudged`: documents without a judgment count as irrelevant, or are an error.
    `missing`: a judged topic that the run lacks counts as an empty result, is left out, or is an error.
    `duplicates`: a document twice in a query is an error, or its first or its best-scored row counts.
    `rank_by`: the order is that of the scores, or of the rank column.
    `lower_is_better`: the lowest scores are best, as with distances; what a column such as `distance` says need not be.
    `depth`: only so many documents a query are looked at.
    `judged_only`: documents without a judgment are taken out, and the ranks close up.
    `relevance_level`: the smallest grade that counts as relevant.
    `score_precision`: scores are compared as 64-bit or, as older tools did, as 32-bit numbers.
    `collection_size`: how many documents there are in all; accuracy and whatever else counts what was rightly left out
    cannot do without.
    `complete`: the judgments hold every relevant document, so that what is not in them is irrelevant. It changes no
    number; nobody is warned of unjudged documents, or asked to judge more.

    >>> Policies(ties="doc_id_ascending").signature()
    'ties=doc_id_ascending|unjudged=irrelevant|missing=zero'
    """

    ties: options.Ties = "doc_id_descending"
    unjudged: options.Unjudged = "irrelevant"
    missing: options.MissingTopics = "zero"
    duplicates: options.Duplicates = "error"
    rank_by: options.RankBy = "score"
    depth: options.Depth | None = None
    judged_only: options.JudgedOnly = False
    relevance_level: options.Level = 1.0
    score_precision: options.ScorePrecision = "double"
    collection_size: options.CollectionSize | None = None
    complete: options.Complete = False
    lower_is_better: options.LowerIsBetter = False

    def __post_init__(self) -> None:
        # NumPy's numbers become Python's, so that they can be written anywhere.
        for name, domain in _domains().items():
            object.__setattr__(self, name, domain.check(name, getattr(self, name)))
        for name in ("judged_only", "complete", "lower_is_better"):
            if not isinstance(getattr(self, name), bool | np.bool):
                raise ParameterError(f"{name} is True or False, not {getattr(self, name)!r}")
            object.__setattr__(self, name, bool(getattr(self, name)))
        if self.ties == "expected" and self.judged_only and self.depth is not None:
            ties = argument("ties", "expected")
            judged = argument("judged_only", True)
            raise ParameterError(f"{ties} cannot be combined with both {argument('depth')} and {judged}")
        if self.complete and (self.judged_only or self.unjudged == "error"):
            other = argument("judged_only", True) if self.judged_only else argument("unjudged", "error")
            raise ParameterError(
                f"{argument('complete', True)} says that a document without judgment is irrelevant, "
                f"and {other} that it is not: leave one of them out"
            )

    def signature(self) -> str:
        """The rules in the words of their parameters; those off the beaten track only when they are in force."""
        always = ("ties", "unjudged", "missing")
        rules = {field.name: getattr(self, field.name) for field in fields(self)}
        changed = [name for name in rules if name not in always and rules[name] != getattr(DEFAULT_POLICIES, name)]
        return "|".join(f"{name}={_text(rules[name])}" for name in (*always, *changed) if name != "relevance_level")


@cache
def _domains() -> dict[str, Domain]:
    """The values that each policy takes: the words are read off the types once."""
    hints = {name: get_args(hint) for name, hint in get_type_hints(Policies).items()}
    words = {
        name: Choice(known) for name, known in hints.items() if known and all(isinstance(each, str) for each in known)
    }
    whole = Whole(1, optional=True)
    return {**words, "depth": whole, "collection_size": whole, "relevance_level": Real(0.0)}


DEFAULT_POLICIES = Policies()


def policies(base: Policies | None = None, **changes: Unpack[options.PolicyRules]) -> Policies:
    """Make policies from keyword arguments, on top of given ones."""
    refuse_unknown(sorted(changes), Policies)
    stated: dict[str, Any] = {**changes}
    return replace(base or DEFAULT_POLICIES, **stated)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


#: Rows of tied documents, first and last row with the same score, whether larger ids come first -> rows by id.
Settle: TypeAlias = Callable[[Ints, Ints, Ints, bool], Ints]

NONE = np.zeros(0, dtype=np.int64)


class Hits(NamedTuple):
    """Retrieved documents that are in the judgments: where they stand, and which judgment is theirs."""

    topic: Ints
    judgment: Ints
    rank: Ints
    tie_first: Ints
    tie_last: Ints

    def outside(self, topics: Mask) -> "Hits":
        """The hits of other topics."""
        return self.take(np.flatnonzero(~topics[self.topic]))

    def take(self, rows: Ints) -> "Hits":
        """Some of the hits, in a given order."""
        return Hits(*(column[rows] for column in self))

    @classmethod
    def together(cls, parts: Iterable["Hits"]) -> "Hits":
        """All parts, by topic and rank."""
        joined = cls(*map(np.concatenate, zip(NO_HITS, *parts, strict=True)))
        # One number for both, since they come nearly sorted: a stable sort makes use of that, `lexsort` does not.
        place = joined.topic * (joined.rank.max(initial=0) + 1) + joined.rank
        return joined.take(np.argsort(place, kind="stable"))


NO_HITS = Hits(NONE, NONE, NONE, NONE, NONE)


class Found(NamedTuple):
    """The hits of a run, by topic and rank, and how many documents each topic retrieved."""

    hits: Hits
    retrieved: Ints
    in_run: Mask
    ignored: frozenset[str]
    #: The topics that have a score beyond all numbers (`1e999` is read as infinity), and those with one score for all.
    infinite: Mask
    equal: Mask


def odd_queries(score: Floats, query_starts: Ints) -> tuple[Mask, Mask]:
    """The queries with an infinite score, and those of which all documents have one score; scores fall.

    >>> odd_queries(np.array([np.inf, 1.0, 2.0, 2.0]), np.array([0, 2]))
    (array([ True, False]), array([False,  True]))
    """
    ends = np.append(query_starts[1:], len(score)) - 1
    highest, lowest = score[query_starts], score[ends]
    return np.isinf(highest) | np.isinf(lowest), (highest == lowest) & (ends > query_starts)


def compared(score: Floats, policies: Policies) -> Floats:
    """The scores as they are compared."""
    if policies.score_precision == "double":
        return score
    with np.errstate(over="ignore"):  # beyond 32 bits is infinite, as it was for tools that compare so
        return score.astype(np.float32).astype(np.float64)


def sorted_rows(topic: Ints, score: Floats, policies: Policies) -> Ints | None:
    """The order by topic (each contiguous) and falling score, or None for rows that have it already."""
    if not ((topic[1:] == topic[:-1]) & (score[1:] > score[:-1])).any():
        return None
    keeps_order = policies.ties in {"input_order", "expected"} or policies.duplicates != "error"
    order = np.argsort(-score, kind="stable" if keeps_order else "quicksort")
    stretch = np.append(0, np.cumsum(topic[1:] != topic[:-1]))
    return order[stable_order(stretch[order])]


def ranked(topic: Ints, score: Floats, rows: Ints, judgment: Ints, *, ties: str, settle: Settle) -> tuple[Hits, Ints]:
    """Turn the rows of judged documents into hits; also give the first row of each query.

    Rows are in the order of `sorted_rows`; `settle` finds the place of hits among equal scores by their ids.
    """
    same_topic = topic[1:] == topic[:-1]
    query_starts = starts(same_topic)
    first = last = rows
    same_score = same_topic & (score[1:] == score[:-1])
    beside = np.append(False, same_score)[rows] | np.append(same_score, False)[rows]
    if beside.any():
        tie_starts = starts(same_score)
        group = np.searchsorted(tie_starts, rows, side="right") - 1
        first = tie_starts[group]
        last = np.append(tie_starts[1:], len(topic))[group] - 1
        if ties in {"doc_id_descending", "doc_id_ascending"}:
            tied = np.flatnonzero(last > first)
            rows = rows.copy()
            rows[tied] = settle(rows[tied], first[tied], last[tied], ties == "doc_id_descending")
    before = query_starts[np.searchsorted(query_starts, rows, side="right") - 1] - 1
    return Hits(topic[rows], judgment, rows - before, first - before, last - before), query_starts


def stable_order(numbers: Ints) -> Ints:
    """The order by number that leaves rows with the same number as they were."""
    # NumPy sorts 16-bit numbers by radix, several times faster than wider ones.
    return np.argsort(numbers.astype(np.uint16) if numbers.max(initial=0) < 1 << 16 else numbers, kind="stable")


def starts(goes_on: Mask) -> Ints:
    """Rows that do not go on with the row before."""
    return np.append(np.zeros(1, np.int64), np.flatnonzero(~goes_on) + 1)


# Tied documents looked at at a time: what is made of their ids stays in the processor's cache.
_BLOCK = 1 << 9
# What it takes to begin comparing ids, and to sort them instead, for each document, as a number of comparisons.
_BEGINNING, _SORTING = 1 << 11, 1 << 5

_WORD = 8


def look_up_hits(run: FlatDicts, judgments: Judgments, policies: Policies) -> Found:
    """Find the hits of a run that came in dicts; no document can come twice in a query."""
    number = [judgments.topic_number.get(query, -1) for query in run.query_ids]
    topic = np.repeat(np.array(number, dtype=np.int64), run.lengths)
    position, judgment = _judged(run, number, topic, judgments)
    row: Ints | None = None  # where the rows come from, if not in their order or not all of them
    score = compared(run.numbers, policies)
    if -1 in number:
        row = np.flatnonzero(topic >= 0)
        topic, score = topic[row], score[row]
    if (order := sorted_rows(topic, score, policies)) is not None:
        row, score = order if row is None else row[order], score[order]
    if row is not None:
        place = np.empty(len(run.doc_ids), dtype=np.int64)
        place[row] = np.arange(len(row))
        by_place = np.argsort(place[position])
        position, judgment = place[position][by_place], judgment[by_place]

    def by_id(tied: Ints, first: Ints, last: Ints, descending: bool) -> Ints:
        """The rows that documents with equal scores move to when all with that score are sorted by id."""
        ranking = run.doc_ids if row is None else [run.doc_ids[at] for at in row.tolist()]
        blocks = [slice(start, start + _BLOCK) for start in range(0, len(tied), _BLOCK)]
        smaller = np.concatenate([_smaller(ranking, tied[block], first[block], last[block]) for block in blocks])
        moved: Ints = last - smaller if descending else first + smaller
        return moved

    hits, query_starts = ranked(topic, score, position, judgment, ties=policies.ties, settle=by_id)
    retrieved = np.bincount(topic, minlength=len(judgments.topics))
    ignored = frozenset(query for query, known in zip(run.query_ids, number, strict=True) if known < 0)
    odd = np.zeros((2, len(judgments.topics)), dtype=np.bool_)
    if len(topic):
        odd[:, topic[query_starts]] = odd_queries(score, query_starts)
    return Found(Hits.together([hits]), retrieved, retrieved > 0, ignored, *odd)


def _judged(run: FlatDicts, number: list[int], topic: Ints, judgments: Judgments) -> tuple[Ints, Ints]:
    """The positions of judged documents among all, and of their judgments."""
    numbers = [np.zeros(0, dtype=np.int32)]
    documents = iter(run.doc_ids)
    for query, length in zip(number, run.lengths, strict=True):
        known = judgments.by_document[query] if query >= 0 else {}
        these = itertools.islice(documents, length)
        numbers.append(np.fromiter(map(known.get, these, itertools.repeat(-1)), np.int32, length))
    judged = np.concatenate(numbers)
    position = np.flatnonzero(judged >= 0)
    return position, judgments.positions(topic[position], judged[position].astype(np.int64))


def _smaller(ranking: list[str], tied: Ints, first: Ints, last: Ints) -> Ints:
    """The number of documents with the same score and a smaller id than each of some, in the order of rows."""
    start = int(first[0])
    end = int(last[-1]) + 1
    sizes = last - first + 1
    comparisons = int(sizes.sum())
    if _BEGINNING + end - start + comparisons > _SORTING * len(tied):
        return _smaller_by_sorting(ranking, tied, first, last)
    # Each id ends in a zero, which is smaller than what a longer one has there: what comes after makes no difference.
    content = np.frombuffer("\0".join([*ranking[start:end], "\0" * _WORD]).encode(), np.uint8)
    ends = np.flatnonzero(content == 0)[: 1 - _WORD]
    if len(ends) != end - start + 1:  # an id has a zero inside
        return _smaller_by_sorting(ranking, tied, first, last)
    begin = np.append(0, ends[:-2] + 1)
    words: NDArray[np.uint64] = np.ndarray(len(content) - _WORD + 1, ">u8", content, strides=(1,))
    word = words[begin].astype(np.uint64)
    offset = np.cumsum(sizes) - sizes
    mine = np.repeat(tied - start, sizes)
    other = np.repeat(first - start - offset, sizes) + np.arange(comparisons)
    our, their = word[mine], word[other]
    smaller = their < our
    undecided = np.flatnonzero((their == our) & (mine != other))
    ours, theirs = begin[mine[undecided]], begin[other[undecided]]
    while len(undecided):
        ours, theirs = ours + _WORD, theirs + _WORD
        our, their = words[ours], words[theirs]
        smaller[undecided[their < our]] = True
        same = np.flatnonzero(our == their)
        undecided, ours, theirs = undecided[same], ours[same], theirs[same]
    return np.add.reduceat(smaller, offset, dtype=np.int64)


def _smaller_by_sorting(ranking: list[str], tied: Ints, first: Ints, last: Ints) -> Ints:
    smaller = []
    known = -1
    alike = ranking
    for mine, start, end in zip(tied.tolist(), first.tolist(), last.tolist(), strict=True):
        if start != known:
            known = start
            alike = sorted(ranking[start : end + 1])
        smaller.append(bisect_left(alike, ranking[mine]))
    return np.array(smaller, dtype=np.int64)
