"""Remarks on scores that rest on nothing: zeros that are no zeros, told from the counts.

Only where the counts look wrong are ids and orders looked at. `doctor` looks at everything, with these same rules.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.core.errors import InputError, Note, ParameterError, argument, call_with, listed, number_of, quote, spelt
from assay.core.evaluation_options import Undefined
from assay.files import RunFile
from assay.measures.counting.id_normalisation import IdMatch, RenamedDocuments, other_topics, renamed_documents
from assay.measures.counting.judgments import Floats, Graded, Ints, Judgments, place_in_group
from assay.measures.counting.ranking import Policies
from assay.measures.counting.ranks import Ranks
from assay.measures.parser import parse_measure
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit
from assay.measures.undefined import refuse_idle_policy
from assay.tables import Batches, Qrels, Run
from assay.tables.ranking_tables import MISPLACED

#: A share that is nearly all of them: of queries, of topics.
NEARLY_ALL = 0.9
#: A difference below this is rounding.
ROUNDING = 1e-12
#: Fewer scores than this that rise with the rank do not make a run upside down.
LEAST_RISES = 4
#: A run is upside down if its reverse has so many times the mean AP, and chance makes it win as often this rarely.
_TIMES_BETTER, _CHANCE = 1.5, 0.01
#: Of the judged documents that a run could have, it should have this share; with fewer, ids are looked at. With less
#: than the second share, whatever the reason, scores rest on nothing.
_SUSPICIOUS, _HARDLY_ANY = 0.1, 0.01
#: So many queries are looked at to find out why ids do not match, and at most so many topics.
_QUERIES, _MOST_TOPICS = 200, 100_000
#: So many rows at the start of a table tell whether scores rise with the rank.
_FIRST_ROWS = 2000
#: Fewer documents than this with one score, or judgments with one grade, say nothing; nor do fewer per topic.
_FEW = 5
_JUDGED_EACH = 2
_HALF = 0.5
#: Relevant documents stand in the first half of a ranking that is worth anything. If they stand so many standard errors
#: below the middle, where chance puts them, the order is looked at.
_ERRORS = 1.5
_IN_MEMORY = "in memory"
#: Judgments in these formats list relevant documents, and have no grades.
_WITHOUT_GRADES = {
    "SMART judgments", "NPL judgments", "TIME judgments", "LISA judgments",
}  # fmt: skip
#: A fraction in column 2 is no name of a subtopic.
_FRACTION = r"\d*\.\d+"
#: A sum of gains above this is near the end of the numbers.
_HUGE = 1e150


class Reverse(NamedTuple):
    """A run read from its end: topics where that is better, topics where it differs, and both mean APs."""

    better: int
    topics: int
    forwards: float
    backwards: float

    @property
    def is_better(self) -> bool:
        """True if the reverse is better by half, and in more topics than chance allows."""
        return self.backwards >= _TIMES_BETTER * self.forwards and self._chance < _CHANCE

    @property
    def _chance(self) -> float:
        """The chance of so many heads, or more, in so many throws; by logarithms, as there may be millions."""
        factorial = np.append(0.0, np.cumsum(np.log(np.arange(1, self.topics + 1))))
        heads = np.arange(self.better, self.topics + 1)
        chosen = factorial[-1] - factorial[heads] - factorial[self.topics - heads]
        return float(np.exp(chosen - self.topics * np.log(2)).sum())


def reverse_of(ranks: Ranks) -> Reverse:
    """Compare a run with itself read from its end.

    >>> reverse_of(Ranks.from_grades([0, 1], [0, 1]))
    Reverse(better=2, topics=2, forwards=0.5, backwards=1.0)
    """
    precision = parse_measure("AP")
    reverse = replace(ranks, hits=reversed_hits(ranks))
    forwards, backwards = (np.nan_to_num(precision.of(counts)) for counts in (ranks, reverse))
    differs = np.abs(forwards - backwards) > ROUNDING
    better = differs & (backwards > forwards)
    return Reverse(int(better.sum()), int(differs.sum()), float(forwards.mean()), float(backwards.mean()))


def refuse_idle_rules(measures: Sequence[Measure], policies: Policies, undefined: Undefined) -> None:
    """Refuse rules that have no effect on any of these measures."""
    refuse_idle_policy(measures, undefined)
    size = policies.collection_size
    if size is not None and not any(_asks_for_size(measure) for measure in measures):
        names = listed([str(measure) for measure in measures])
        why = "what was not retrieved does not count"
        raise ParameterError(f"{argument('collection_size', size)} has no effect on {names}: {why}")


def _asks_for_size(measure: Measure) -> bool:
    """True if the number of documents in the collection changes a value."""
    ranks = Ranks.from_grades([0, 1], [1, 0], judged=[[1, 1], [1]])
    first, second = (
        measure.per_unit(replace(ranks, policies=replace(ranks.policies, collection_size=size))) for size in (100, 200)
    )
    return not np.array_equal(first.values, second.values, equal_nan=True)


def only_relevant(grades: Floats, level: float) -> bool:
    """True if every judged document is relevant, as in a golden set: then nothing tells what is not.

    >>> only_relevant(np.array([1.0, 2.0]), 1.0), only_relevant(np.array([1.0, 2.0]), 2.0)
    (True, False)
    """
    judged = grades[grades >= 0]
    return bool(len(judged) and judged.min() > 0 and judged.min() >= level)


def is_golden(qrels: Qrels, policies: Policies) -> bool:
    """True for a golden set of which nobody said how documents count that are not in it.

    Of fewer judgments than a handful, it is no wonder that none is of an irrelevant document; and where the grades may
    stand in another column, nothing is known of what they say.
    """
    grades = qrels.frame["relevance"].to_numpy()
    stated = policies.complete or policies.judged_only or policies.unjudged == "error"
    if stated or len(grades) < _FEW or not only_relevant(grades, policies.relevance_level):
        return False
    elsewhere = any(isinstance(text, Note) and text.kind == MISPLACED for text in qrels.warnings)
    return not elsewhere and not _are_one_grade(qrels)


def remarks_on_judgments(
    judgments: Judgments, measures: Sequence[Measure], policies: Policies, qrels: Qrels
) -> Iterator[str]:
    """Grades that make every document irrelevant, or all alike."""
    level = policies.relevance_level
    grade = judgments.grade[judgments.grade >= 0]
    if not len(grade):
        yield f"{qrels.name}: no document was judged: the highest grade is {judgments.grade.max():g}, below 0"
        return
    high = float(grade.max())
    levels = [measure.parameters["rel"] for measure in measures if "rel" in measure.parameters]
    needed = min((level if rel is None else float(rel) for rel in levels), default=0.0)
    positive = grade[grade > 0]
    if high == 0:
        yield f"{qrels.name}: no document was judged relevant: the highest grade is 0"
    elif high < needed:
        yield (
            f"{qrels.name}: no document counts as relevant: the highest grade is {high:g}, and the relevance level is "
            f"{needed:g}; set a lower level"
        )
    elif high <= 1 <= needed and (positive < needed).mean() > _HALF:
        reached = int((positive >= needed).sum())
        yield (
            f"{qrels.name}: only {reached:,} of {len(positive):,} grades above 0 reach the relevance level {needed:g}: "
            "grades are fractions, so set a lower level"
        )
    elif judgments.subtopics is None and not policies.complete and _are_one_grade(qrels):
        yield f"{qrels.name}: all {len(grade):,} grades are {high:g}: they may stand in another column"


def _are_one_grade(qrels: Qrels) -> bool:
    """True if all grades are alike, and some should differ: one answer per question is relevant by design.

    Where all are 1, they list what is relevant.
    """
    rows = qrels.frame.filter(pl.col("relevance") >= 0)
    topics = rows["query_id"].n_unique()
    if topics < 2 or rows.height < max(_FEW, _JUDGED_EACH * topics) or qrels.format in _WITHOUT_GRADES:
        return False
    return bool(rows["relevance"].min() == rows["relevance"].max() != 1)


def golden_set(qrels: Qrels, policies: Policies) -> tuple[str, ...]:
    """A sentence on what a list of relevant documents alone means, and how to say that it is complete."""
    if not is_golden(qrels, policies):
        return ()
    count = qrels.frame.height
    return (
        f"{qrels.name}: all {count:,} judgments are of relevant documents, as in a golden set: what it does not "
        "list counts as not relevant, whether or not anybody looked at it. If it lists every right answer, treat it as "
        f"complete: `{call_with(complete=True)}`",
    )


def check_subtopics(asked: bool | None, judge: str | None) -> None:
    """Refuse what is no answer to the question whether column 2 names subtopics."""
    if asked is not None and not isinstance(asked, bool):
        raise ParameterError(f"subtopics is True, False or None, not {asked!r}")
    if asked and judge is not None:
        raise ParameterError("column 2 of the judgments names either judges or subtopics: leave judge or subtopics out")


def by_subtopics(table: Qrels, asked: bool | None, measures: Sequence[Measure]) -> tuple[bool, Qrels, tuple[str, ...]]:
    """True if judgments are those of subtopics; with the judgments as such, and a remark on that.

    Unless somebody says so, they are if a measure needs subtopics and column 2 looks like that: see `_looks_like`.
    """
    names = table.judges
    if asked:
        if not names:
            raise InputError(f"{table.name}: expected judgments of subtopics (column 2; in tables: `judge`), got none")
        remark = f"{table.name}: all judgments are of one subtopic, {quote(names[0])}: is this what column 2 means?"
        return True, table, (remark,) if len(names) == 1 else ()
    wanted = any(measure.definition.subtopics for measure in measures)
    if asked is not None or not wanted or not _looks_like(table, names):
        return False, table, ()
    count = number_of("subtopic", len(names))
    title = table.format.replace(f" by {len(names)} judges", f" for {count}")
    assumed = (
        f"{table.name}: column 2 is taken for subtopics, as documents are judged under several of its {len(names)} "
        f"names: {listed(names)}; if these are judges, choose one: {argument('judge')}"
    )
    return True, Qrels(table.frame, table.name, title, table.warnings), (assumed,)


def _looks_like(table: Qrels, names: Sequence[str]) -> bool:
    """True if the same document is judged under several names, of which none is a fraction.

    Rounds of judging also stand in column 2 (0.5, 1, 1.5, ...), but a document is judged in one of them.
    """
    if len(names) < 2 or any(re.fullmatch(_FRACTION, name) for name in names):
        return False
    return table.frame.n_unique(["query_id", "doc_id"]) < table.frame.height


def remarks_on_run(name: str, ranks: Ranks, run: Batches, results: Mapping[Measure, PerUnit]) -> Iterator[str]:
    """Reasons why a run's scores rest on nothing: ids that do not match, no order, or the wrong one."""
    if not ranks.in_run.any() or ranks.judgments is None:
        return
    if (topics := _other_topics(ranks, ranks.judgments)) is not None:
        count = number_of("topic", topics.ours.len())
        yield f"{name}: {count} would be judged but for {topics.differ_in}: {topics.example}"
    yield from _unjudged(name, ranks, ranks.judgments, run)
    several = int((ranks.retrieved > 1).sum())
    equal = bool(ranks.equal_scores) and ranks.equal_scores >= NEARLY_ALL * several and ranks.retrieved.sum() >= _FEW
    if equal and ranks.policies.rank_by == "score":
        yield (
            f"{name}: in {ranks.equal_scores:,} of {number_of('query', several)}, all documents have the same score, "
            "so the order is that of their ids"
        )
    elif ranks.policies.rank_by == "score" and (rising := _rising(ranks, run)):
        yield f"{name}: {rising}"
    if ranks.infinite_scores:
        yield (
            f"{name}: scores are infinite in {number_of('query', ranks.infinite_scores)}: numbers overflow, and "
            "documents that do are tied"
        )
    beyond = [str(measure) for measure, result in results.items() if np.isinf(result.values).any()]
    if beyond or ranks.max_grade > _HUGE:
        yield (
            f"{name}: {', '.join(beyond) or 'sums of grades'} overflow to infinity: the highest grade is "
            f"{ranks.max_grade:g}"
        )


def _other_topics(ranks: Ranks, judgments: Judgments) -> IdMatch | None:
    """Topics that the run and the judgments write differently, where both have some that the other lacks."""
    if not ranks.ignored_topics or not ranks.missing_topics:
        return None
    ours = [*(query for query, there in zip(ranks.queries, ranks.in_run, strict=True) if there), *ranks.ignored_topics]
    if len(ours) + len(judgments.topics) > _MOST_TOPICS:
        return None
    return other_topics(pl.Series(sorted(ours)), pl.Series(judgments.topics))


def _unjudged(name: str, ranks: Ranks, judgments: Judgments, run: Batches) -> Iterator[str]:
    """Hardly any retrieved document in the judgments: because ids are written differently, or for another reason."""
    judged = np.bincount(ranks.ideal.query, minlength=len(ranks.queries))
    possible = int(np.minimum(ranks.retrieved, judged)[ranks.in_run].sum())
    retrieved = int(ranks.retrieved.sum())
    hits = len(ranks.hits.query)
    if hits and hits >= _SUSPICIOUS * possible:
        return
    judged_ones = "none is" if not hits else f"only {hits:,} {'is' if hits == 1 else 'are'}"
    counted = f"of {number_of('retrieved document', retrieved)}, {judged_ones} judged"
    renamed = _renamed(ranks, judgments, run)
    if renamed is not None and renamed.is_most_of_what_is_judged:
        ours, theirs = renamed.pairs.row(0)[1:3]
        yield (
            f"{name}: {counted}: document ids differ in {renamed.differ_in}: {spelt(ours)} in the run, "
            f"{spelt(theirs)} in the judgments"
        )
    elif not hits or hits < _HARDLY_ANY * possible:
        yield f"{name}: {counted}: are run and judgments of the same collection?"


def _renamed(ranks: Ranks, judgments: Judgments, run: Batches) -> RenamedDocuments | None:
    """Documents that are judged under another spelling, looked for in some of the queries."""
    names = [query for query, there in zip(ranks.queries, ranks.in_run, strict=True) if there]
    names = names[:: max(1, len(names) // _QUERIES)]
    chosen = pl.DataFrame({"query_id": pl.Series(names, dtype=pl.String)})

    def of_chosen(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.select("query_id", "doc_id").join(chosen, on="query_id", how="semi", maintain_order="left")

    rows = pl.concat(list(run.batches(of_chosen, ranks.policies.rank_by)))
    numbers = np.isin(judgments.topic, [judgments.topic_number[query] for query in names])
    judged = pl.DataFrame(
        {
            "query_id": pl.Series([judgments.topics[topic] for topic in judgments.topic[numbers]], dtype=pl.String),
            "doc_id": judgments.doc_id.filter(numbers),
        }
    )
    return renamed_documents(rows, judged, names)


def _rising(ranks: Ranks, run: Batches) -> str | None:
    """Doubts about the order of a run: scores that rise with the rank, or seem better when they are lower."""
    if ranks.policies.lower_is_better:
        return None
    rows = _first_rows(run)
    if "rank" in rows.columns:
        rows = rows.filter(pl.col("rank").is_finite())
        swapped, long = swapped_queries(rows)
        if long and swapped >= NEARLY_ALL * long:
            return "scores count 1, 2, 3 …, while ranks fall as scores do: the two columns are swapped"
    else:
        rows = rows.with_row_index("rank")
    order = contradictions(rows)
    rises = order.upside_down >= NEARLY_ALL * order.several and len(order.rows) >= LEAST_RISES
    distances = f"if they are distances, use {argument('lower_is_better', True)}"
    # Ranks may be what is wrong, and rows without ranks may come in any order: the judgments have a say.
    if rises and not _is_better_than_its_reverse(ranks):
        return f"scores rise with the rank, yet the highest count as best: {distances}"
    if not _is_deep(ranks):
        return None
    reverse = reverse_of(ranks)
    if reverse.is_better:
        return (
            f"lower scores seem to be better: reversed, the run wins in {reverse.better:,} of "
            f"{number_of('topic', reverse.topics)}: {distances}"
        )
    return None


def _is_better_than_its_reverse(ranks: Ranks) -> bool:
    """True if the judgments leave no doubt about the order of a run."""
    reverse = reverse_of(ranks)
    return Reverse(reverse.topics - reverse.better, reverse.topics, reverse.backwards, reverse.forwards).is_better


def _is_deep(ranks: Ranks) -> bool:
    """True if relevant documents stand deeper in their rankings than chance puts them, or nowhere."""
    hits = ranks.hits.where(ranks.hits.grade >= ranks.level())
    if not len(hits.query):
        return True
    depth = float(np.mean((hits.rank - _HALF) / ranks.retrieved[hits.query]))
    return depth > _HALF + _ERRORS / sqrt(12 * len(hits.query))  # the variance of what is spread evenly is 1/12


def _first_rows(run: Batches) -> pl.DataFrame:
    """The first rows of a run, with its ranks if it has them."""
    if isinstance(run, RunFile):
        return run.first_rows()
    if not isinstance(run, Run):
        return next(run.batches(lambda frame: frame.head(_FIRST_ROWS)))
    if run.dicts is None:
        return run.frame.head(_FIRST_ROWS)
    flat = run.dicts
    count = int(np.searchsorted(np.cumsum(flat.lengths), _FIRST_ROWS)) + 1
    queries = zip(flat.query_ids[:count], flat.lengths[:count], strict=True)
    names = [query for query, length in queries for _ in range(length)]
    return pl.DataFrame({"query_id": names, "score": flat.numbers[: len(names)]})


def where_to_look(qrels: Qrels, run: Batches) -> str:
    """The way to look closer: the command, if both come from files, else the call.

    >>> where_to_look(Qrels.of({"q": {"d": 1}}), Run.of({"q": {"d": 1.0}}))
    'assay.doctor(qrels, runs) says more'
    """
    if _IN_MEMORY in {qrels.format, run.format}:
        return "assay.doctor(qrels, runs) says more"
    sources = ((qrels.name, "QRELS"), (run.origin, "RUN"))
    return f"`assay doctor {shlex.join(path if Path(path).exists() else word for path, word in sources)}` says more"


#: Shorter queries say little about what their columns are.
_LEAST_DOCUMENTS = 3


class Contradictions(NamedTuple):
    """Rows at which a score rises from a rank to the next, the rows before them, and queries that only rise."""

    rows: Ints
    before: Ints
    queries: list[str]
    upside_down: int
    several: int


NO_CONTRADICTIONS = Contradictions(np.zeros(0, np.int64), np.zeros(0, np.int64), [], 0, 0)


def contradictions(frame: pl.DataFrame) -> Contradictions:
    """Contradictions of the rank column and the scores: a worse rank with a higher score.

    >>> found = contradictions(pl.DataFrame({"query_id": ["q", "q"], "rank": [1.0, 2.0], "score": [3.0, 4.0]}))
    >>> found.queries, found.upside_down
    (['q'], 1)
    """
    query = frame["query_id"].rle_id().to_numpy()
    rank, score = frame["rank"].to_numpy(), frame["score"].to_numpy()
    same = query[1:] == query[:-1]
    if not len(query):
        return NO_CONTRADICTIONS
    in_order = not (same & ((rank[1:] <= rank[:-1]) | (score[1:] > score[:-1]))).any()
    # Queries that are split over the file would be several stretches: sorting by name puts them together.
    if in_order and int(query[-1]) + 1 == frame["query_id"].n_unique():
        return NO_CONTRADICTIONS
    query = frame["query_id"].rank("dense").to_numpy().astype(np.int64)
    # By rank, and within a rank the highest score first: then a score rises only from a rank to the next one.
    order = np.lexsort((-score, rank, query))
    same = np.diff(query[order]) == 0
    after, before = score[order][1:], score[order][:-1]
    rises = same & (after > before)
    falls = same & (after < before)
    later = order[1:][rises]
    earlier = order[:-1][rises]
    rising = np.unique(query[later])
    falling = np.unique(query[order[1:][falls]])
    first = np.sort(np.unique(query[later], return_index=True)[1])
    queries = frame["query_id"].gather(later[first]).to_list() if len(later) else []
    several = len(np.unique(query[order[1:][same]]))
    at = np.argsort(later, kind="stable")
    return Contradictions(later[at], earlier[at], queries, len(np.setdiff1d(rising, falling)), several)


def swapped_queries(frame: pl.DataFrame) -> tuple[int, int]:
    """Queries in which scores count 1, 2, 3 ... while ranks fall as scores should; and how many could be such.

    >>> swapped_queries(pl.DataFrame({"query_id": ["q"] * 3, "rank": [9.5, 7.1, 3.0], "score": [1.0, 2.0, 3.0]}))
    (1, 1)
    """
    rank, score = pl.col("rank"), pl.col("score")
    queries = frame.group_by("query_id").agg(
        count=pl.len(),
        counts=(score.n_unique() == pl.len()) & (score.min() == 1) & (score.max() == pl.len()),
        # Ranks that stand side by side are ranks, in whatever order.
        spread=(rank.max() - rank.min() + 1 != pl.len()) | (rank.floor() != rank).any(),
        falls=(rank.sort_by(score).diff().drop_nulls() <= 0).all(),
    )
    queries = queries.filter(pl.col("count") >= _LEAST_DOCUMENTS)
    return queries.filter("counts", "spread", "falls").height, queries.height


def reordered(hits: Graded, *, best: bool) -> Graded:
    """Documents with equal scores in the order that serves the system best, or worst.

    >>> columns = [np.array(column) for column in ([0, 0], [1, 2], [0.0, 1.0], [1, 1], [3, 3], [0, 1])]
    >>> reordered(Graded(*columns), best=True).rank, reordered(Graded(*columns), best=False).rank
    (array([1, 3]), array([1, 3]))
    """
    # In the best order, relevant documents take the first places of their tie, the highest grades first; others take
    # the last. The worst order is its mirror image.
    order = np.lexsort((-hits.grade, hits.tie_first, hits.query))
    group = np.append(0, np.cumsum((np.diff(hits.query[order]) != 0) | (np.diff(hits.tie_first[order]) != 0)))
    group = group[: len(order)]
    place = place_in_group(group)
    from_end = np.bincount(group)[group] - place - 1
    front = hits.tie_first[order] + place
    back = hits.tie_last[order] - from_end
    rank = np.where(hits.grade[order] > 0, front, back)
    if not best:
        rank = hits.tie_first[order] + hits.tie_last[order] - rank
    again = np.lexsort((rank, hits.query[order]))
    rows, rank = order[again], rank[again]
    return Graded(hits.query[rows], rank, hits.grade[rows], rank, rank, hits.document[rows])


def reversed_hits(ranks: Ranks) -> Graded:
    """The hits of a ranking as they are when it is read from its end.

    >>> reversed_hits(Ranks.from_grades([1, None, 0])).rank
    array([1, 3])
    """
    hits = ranks.hits
    mirror = ranks.retrieved[hits.query] + 1
    rank = mirror - hits.rank
    order = np.lexsort((rank, hits.query))
    first, last = mirror - hits.tie_last, mirror - hits.tie_first
    return Graded(hits.query[order], rank[order], hits.grade[order], first[order], last[order], hits.document[order])
