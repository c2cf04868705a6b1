"""The changes between two systems: what users would notice, and the documents gained, lost and moved."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.core.domains import Whole
from assay.core.errors import Note, ParameterError, joined, number_of
from assay.measures.counting.judgments import Floats, Ints
from assay.measures.counting.ranks import Ranks, as_judged, retrieved, same_queries, why_not
from assay.measures.registry import Measure
from assay.stats.pairing import FROM_SCORES, UNSEEN
from assay.subjects.ranking.evaluation import Evaluation
from assay.subjects.ranking.unjudged import UnjudgedReach, bounds_of, judge_next, reach_of, values_at_ends
from assay.tables import picked
from assay.verbs.comparison.findings import Finding
from assay.verbs.comparison.result import Comparison

#: How many results most pages show.
PAGE = 10


class VisibleChanges(NamedTuple):
    """For how many queries users would see a difference when the second system takes the place of the first.

    `first_result_changes`: another document stands at rank 1, or one of the systems returns nothing.
    `first_relevant_up`, `_down`: the first relevant result stands higher, or lower, than before; `_appears`: there was
    none and now there is one; `_disappears`: there was one and now there is none.
    `page_documents_change`: the first ten results are not the same documents; `page_order_changes`: they are the same,
    in another order.
    """

    queries: int
    first_result_changes: int
    first_relevant_up: int
    first_relevant_down: int
    first_relevant_appears: int
    first_relevant_disappears: int
    page_documents_change: int
    page_order_changes: int

    def in_words(self) -> str:
        """The changes that users would notice of a system in the baseline's place, to go on after a colon."""
        counts = {
            "moves up": self.first_relevant_up,
            "down" if self.first_relevant_up else "moves down": self.first_relevant_down,
            "appears": self.first_relevant_appears,
            "disappears": self.first_relevant_disappears,
        }
        moved = joined([f"{words} for {count}" for words, count in counts.items() if count] or ["stays where it is"])
        first = f"the first result changes for {self.first_result_changes} of {number_of('query', self.queries)}"
        return f"{first}; the first relevant result {moved}."


def noticed(first: Ranks, second: Ranks) -> VisibleChanges:
    """Count the queries whose results look different; both systems as `counting.retrieved` counts them.

    >>> from assay.measures.counting.ranking import Policies
    >>> from assay.measures.counting.ranks import retrieved
    >>> from assay.tables import Qrels, Run
    >>> runs = {"a": Run.of({"q": {"x": 3, "y": 2, "z": 1}}), "b": Run.of({"q": {"y": 3, "x": 2, "z": 1}})}
    >>> counts = retrieved(runs, Qrels.of({"q": {"y": 1}}), Policies())
    >>> found = noticed(counts["a"], counts["b"])
    >>> found.first_result_changes, found.first_relevant_up, found.page_documents_change, found.page_order_changes
    (1, 1, 0, 1)
    """
    first, second = same_queries(first, second)
    before, after = _page(first), _page(second)
    was, now = _first_relevant(first), _first_relevant(second)
    other_documents = (np.sort(before, axis=1) != np.sort(after, axis=1)).any(axis=1)
    other_order = (before != after).any(axis=1) & ~other_documents
    had, finds = np.isfinite(was), np.isfinite(now)
    return VisibleChanges(
        queries=len(first.queries),
        first_result_changes=_count(before[:, 0] != after[:, 0]),
        first_relevant_up=_count(had & finds & (now < was)),
        first_relevant_down=_count(had & finds & (now > was)),
        first_relevant_appears=_count(~had & finds),
        first_relevant_disappears=_count(had & ~finds),
        page_documents_change=_count(other_documents),
        page_order_changes=_count(other_order),
    )


def _page(ranks: Ranks) -> Ints:
    """The documents of the first ten ranks (columns) of each query (row), -1 where there is none."""
    documents = np.full((len(ranks.queries), PAGE), -1, dtype=np.int64)
    page = ranks.hits.where(ranks.hits.rank <= PAGE)
    documents[page.query, page.rank - 1] = page.document
    return documents


def _first_relevant(ranks: Ranks) -> Floats:
    """The rank of each query's first relevant document, infinite if none was found."""
    rank = np.full(len(ranks.queries), np.inf)
    relevant = ranks.hits.where(ranks.hits.grade >= ranks.level())
    np.minimum.at(rank, relevant.query, relevant.rank)
    return rank


def _count(mask: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> int:
    return int(np.count_nonzero(mask))


def changes(
    measure: Measure,
    first: Ranks,
    second: Ranks,
    names: tuple[str, str] = ("first", "second"),
    depth: int | None = None,
) -> pl.DataFrame:
    """The documents gained, lost and moved in each query, and their shares in the difference of the measure.

    Documents are shown that one of the systems has down to the depth: the measure's cut-off, or 10, unless another is
    given. `change`: `gained` and `lost` across the depth, or within it `up`, `down` and `same`. `grade` is null for
    what nobody judged. `share` is what the document adds to the second system's value less what it adds to the first
    one's; the shares of a query add up to its difference (those of documents further down are not shown). It is null
    where values do not add up over documents: see `why_no_shares`. The counts are those of `counting.retrieved`.

    >>> from assay.measures.counting.ranks import retrieved
    >>> from assay.measures import P
    >>> from assay.tables import Qrels, Run
    >>> runs = {"a": Run.of({"q": {"x": 2, "y": 1}}), "b": Run.of({"q": {"z": 2, "x": 1}})}
    >>> counts = retrieved(runs, Qrels.of({"q": {"x": 0, "z": 1}}))
    >>> for row in changes(P @ 2, counts["a"], counts["b"], ("a", "b")).rows():
    ...     print(row)
    ('q', 'z', 1.0, None, 1, 'gained', 0.5)
    ('q', 'x', 0.0, 1, 2, 'down', 0.0)
    ('q', 'y', None, 2, None, 'lost', 0.0)
    """
    limit = Whole(1).check("depth", depth) if depth is not None else measure.parameters.get("cutoff") or PAGE
    first, second = same_queries(first, second)
    # A document belongs to one query, so that its number is enough to find it in both lists.
    both = _documents(measure, first).join(
        _documents(measure, second), on=["query", "document"], how="full", coalesce=True, suffix="_after"
    )
    was, now = (pl.col(column).is_not_null() & (pl.col(column) <= limit) for column in ("rank", "rank_after"))
    visible = both.filter(was | now)
    change = (
        pl.when(~was).then(pl.lit("gained"))
        .when(~now).then(pl.lit("lost"))
        .when(pl.col("rank_after") < pl.col("rank")).then(pl.lit("up"))
        .when(pl.col("rank_after") > pl.col("rank")).then(pl.lit("down"))
        .otherwise(pl.lit("same"))
    )  # fmt: skip
    share = pl.col("share_after").fill_null(0.0) - pl.col("share").fill_null(0.0)
    splits = why_no_shares(measure, first) is None
    return (
        visible.with_columns(
            query_id=picked(pl.Series(first.queries, dtype=pl.String), visible["query"].to_numpy()),
            doc_id=picked(first.doc_ids, visible["document"].to_numpy()),
            grade=pl.coalesce("grade", "grade_after"),
            change=change,
            share=share if splits else pl.lit(None, dtype=pl.Float64),
            best=pl.min_horizontal("rank", "rank_after"),
        )
        .sort("query", "best", "rank_after", nulls_last=True)
        .rename({"rank": f"rank_{names[0]}", "rank_after": f"rank_{names[1]}"})
        .select("query_id", "doc_id", "grade", f"rank_{names[0]}", f"rank_{names[1]}", "change", "share")
    )


def why_no_shares(measure: Measure, ranks: Ranks) -> str | None:
    """The reason why documents have no shares in a measure; None if they have.

    >>> from assay.measures import SetF
    >>> why_no_shares(SetF, Ranks.from_grades([1, 0]))
    'SetF does not add up over documents'
    """
    if measure.is_micro or measure.per_unit(as_judged(ranks)).shares() is None:
        return f"{measure} does not add up over documents"
    return None


def _documents(measure: Measure, ranks: Ranks) -> pl.DataFrame:
    """Every retrieved document with its rank, its grade and its share in the value, null if values do not split."""
    hits = ranks.hits
    share = np.zeros(len(hits.rank))
    shares = measure.per_unit(as_judged(ranks)).shares()
    if shares is not None and len(hits.rank):
        # Query and rank in one number: hits are in its order.
        width = 1 + max(int(hits.rank.max()), int(shares.rank.max(initial=0)))
        there, wanted = hits.query * width + hits.rank, shares.unit * width + shares.rank
        row = np.minimum(np.searchsorted(there, wanted), len(there) - 1)
        known = there[row] == wanted
        share = np.bincount(row[known], weights=shares.share[known], minlength=len(there)).astype(np.float64)
    judged = pl.Series(np.where(hits.grade < 0, np.nan, hits.grade)).fill_nan(None)
    return pl.DataFrame(
        {"query": hits.query, "document": hits.document, "rank": hits.rank, "grade": judged, "share": share}
    )


#: Of more pairs than this, nobody wants to know what unjudged documents could do to each.
MOST_PAIRS_LOOKED_AT = 50
#: Runs with more rows than this are not gone through once more for every document that they hold.
MOST_ROWS = 5_000_000


def with_document_analysis(
    comparison: Comparison,
    only: Collection[tuple[str, str]] | None = None,
    counts: Mapping[str, Ranks] | None = None,
) -> Comparison:
    """The comparison with what users would notice and what unjudged documents could do, where the runs are at hand.

    `only`: of these measures and systems, since it takes its time. `counts`: all documents of these and of the
    baselines, where they were counted already.

    >>> from assay import compare
    >>> runs = {"a": {"q1": {"d1": 2.0}, "q2": {"d1": 1.0}}, "b": {"q1": {"d2": 2.0}, "q2": {"d1": 1.0}}}
    >>> bare = compare({"q1": {"d1": 1}, "q2": {"d1": 1}}, runs, measures="RR", look_into=False)
    >>> with_document_analysis(bare).finding().reach
    UnjudgedReach(low=-0.5, high=0.0, documents=1, changes_sign=False, exact=True)
    """
    if counts is None and (reason := _why_not_looked_into(comparison)):
        return replace(comparison, notes=(*comparison.notes, Note(reason, kind=UNSEEN)))
    documents = DocumentAnalysis(comparison, counts) if counts is not None else comparison.documents
    looked_into = [
        documents.looked_into(finding) if only is None or (finding.measure, finding.system) in only else (finding, "")
        for finding in comparison.findings
    ]
    notes = dict.fromkeys(note for _, note in looked_into if note)
    return replace(comparison, findings=tuple(finding for finding, _ in looked_into), notes=(*comparison.notes, *notes))


def _why_not_looked_into(comparison: Comparison) -> str | None:
    evaluation: Evaluation | None = comparison.evaluation
    if evaluation is None or not evaluation.runs:
        return FROM_SCORES
    why = why_unseen(evaluation)
    if len(comparison.pairs.pairs) > MOST_PAIRS_LOOKED_AT:
        why = f"there are more than {MOST_PAIRS_LOOKED_AT} pairs; name a baseline"
    return f"{'' if comparison.is_complete else 'unjudged '}documents are not looked at: {why}" if why else None


def why_unseen(evaluation: Evaluation) -> str | None:
    """The reason why the documents of an evaluation cannot be looked at; None if they can."""
    if evaluation.coverage["retrieved"].sum() > MOST_ROWS:
        return f"the runs have more than {MOST_ROWS:,} rows"
    return why_not(evaluation.policies)


def every_document(
    evaluation: Evaluation, systems: Iterable[str], measures: Iterable[str], page: int = PAGE
) -> dict[str, Ranks]:
    """Every retrieved document of some systems, down to the deepest cut-off of the measures, and a page at least."""
    cutoffs: list[Any] = [evaluation.measure(name).parameters.get("cutoff") for name in measures]
    depth = None if None in cutoffs else max(page, *cutoffs)
    runs = {name: evaluation.runs[name] for name in systems}
    return retrieved(runs, evaluation.qrels, evaluation.policies, depth, subtopics=evaluation.subtopics)


def on_units(ranks: Ranks, units: Iterable[str]) -> Ranks:
    """The counts of some queries only."""
    wanted = set(units)
    kept = np.array([query in wanted for query in ranks.queries], dtype=np.bool_)
    return ranks if kept.all() else ranks.only(kept)


@dataclass(frozen=True, eq=False)
class DocumentAnalysis:
    """The documents behind a comparison of runs; `counts`: those of all systems, where they were counted already."""

    comparison: Comparison
    counts: Mapping[str, Ranks] | None = None

    def judge_next(self, finding: Finding, n: int, top: float | None = None) -> pl.DataFrame:
        """The unjudged documents whose judgment would change the difference most."""
        self._refuse_complete()
        names = (finding.baseline, finding.system)
        measure = self._evaluation.measure(finding.measure)
        return judge_next(measure, *self._both(finding), n, names, self._evaluation.undefined, top)

    def reach(self, finding: Finding, top: float) -> tuple[UnjudgedReach, list[pl.DataFrame]]:
        """The reach of unjudged documents on a difference, with the values by query at both ends: none if micro.

        `top`: the highest grade that they could get.
        """
        measure = self._evaluation.measure(finding.measure)
        undefined = self._evaluation.undefined
        ends = values_at_ends(measure, *self._both(finding), undefined, top)
        return reach_of(measure, *self._both(finding), undefined, top), list(ends or ())

    def changes(self, finding: Finding, depth: int | None) -> pl.DataFrame:
        """Query by query, the documents gained, lost and moved, and their shares in the difference."""
        names = (finding.baseline, finding.system)
        measure = self._evaluation.measure(finding.measure)
        return changes(measure, *self._both(finding), names, depth)

    def bounds(self) -> pl.DataFrame:
        """The lowest and highest number that each system could have, whatever the grades of unjudged documents."""
        self._refuse_complete()
        rows = []
        evaluation = self._evaluation
        samples = self.comparison.samples
        bounded = [sample for sample in samples if not evaluation.measure(sample.measure).definition.subtopics]
        for sample in bounded or samples:
            measure = evaluation.measure(sample.measure)
            for name, value in zip(sample.systems, sample.observed.tolist(), strict=True):
                limits = bounds_of(measure, self._on_units(name, sample.measure), evaluation.undefined)
                rows.append((name, sample.measure, value, limits.mean_low, limits.mean_high, limits.exact))
        columns = ["system", "measure", "value", "low", "high", "exact"]
        return pl.DataFrame(rows, schema=columns, orient="row")

    def looked_into(self, finding: Finding) -> tuple[Finding, str]:
        """A finding with what its documents tell; and why not, where a measure cannot say what unjudged ones do."""
        first, second = self._both(finding)
        seen = finding._replace(noticed=noticed(first, second))
        # What unjudged documents could change is a number.
        if self.comparison.is_complete or math.isnan(finding.difference):
            return seen, ""
        try:
            reach = reach_of(self._evaluation.measure(finding.measure), first, second, self._evaluation.undefined)
        except ParameterError as problem:
            return seen, Note.of_problem(problem, lead="unjudged documents are not looked at: ")
        # With a golden set, every verdict would depend on what is not in it: the evaluation says so once, for all.
        depends = reach.changes_sign and not self._evaluation.is_golden
        verdict = finding.verdict._replace(unjudged=reach.documents if depends else 0)
        return seen._replace(reach=reach, verdict=verdict), ""

    def _refuse_complete(self) -> None:
        if self.comparison.is_complete:
            raise ParameterError("the judgments were declared complete: no document is unjudged")

    def _both(self, finding: Finding) -> tuple[Ranks, Ranks]:
        """The documents of both systems."""
        return self._on_units(finding.baseline, finding.measure), self._on_units(finding.system, finding.measure)

    def _on_units(self, system: str, measure: str) -> Ranks:
        """A system's documents for the queries that were compared."""
        ranks = (self._retrieved if self.counts is None else self.counts)[system]
        return on_units(ranks, next(sample.units for sample in self.comparison.samples if sample.measure == measure))

    @property
    def _evaluation(self) -> Evaluation:
        evaluation: Evaluation = self.comparison.evaluation
        if not evaluation.runs:
            raise ParameterError(self.comparison.pairing.no_documents)
        return evaluation

    @cached_property
    def _retrieved(self) -> dict[str, Ranks]:
        return every_document(self._evaluation, self._evaluation.runs, self.comparison.measures)
