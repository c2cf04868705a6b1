"""Every retrieved document counted, judged or not: what systems show, and what unjudged documents could be.

`Ranks` holds documents that are in the judgments. Here the judgments are extended by whatever was retrieved, with grade
-1: in the pool, but not judged. All systems then refer to one list of documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from assay.core.errors import ParameterError
from assay.measures.counting.judgments import Judgments, Mask
from assay.measures.counting.policies import Policies, policies
from assay.measures.counting.ranks import Ranks
from assay.tables import Batches, Qrels, picked

_PAIR = ["query_id", "doc_id"]
UNJUDGED = -1.0


def retrieved(
    runs: Mapping[str, Batches],
    qrels: Qrels,
    base: Policies | None = None,
    depth: int | None = None,
    *,
    subtopics: bool = False,
) -> dict[str, Ranks]:
    """Count runs so that every document is a hit that one of them has down to `depth` (None: however deep).

    What nobody judged has grade -1 and is marked in `Ranks.added`; everything else, also what was judged and stands
    deeper, is counted as `Ranks.from_tables` counts it. `ties="expected"` is refused, since a document then has no rank
    of its own, and so is `judged_only`, which takes out what is asked for here. With `unjudged="error"` an unjudged
    document is an error here as everywhere.

    >>> from assay.tables import Run
    >>> counts = retrieved({"mine": Run.of({"q": {"a": 3, "b": 2, "c": 1}})}, Qrels.of({"q": {"b": 2}}), depth=2)
    >>> counts["mine"].hits.rank, counts["mine"].hits.grade
    (array([1, 2]), array([-1.,  2.]))
    """
    chosen = policies(base)
    if (reason := why_not(chosen)) is not None:
        raise ParameterError(reason)
    if depth is not None:
        depth = Policies(depth=depth).depth  # checked there
    known = Judgments.of(qrels, subtopics)
    topics = pl.DataFrame({"query_id": pl.Series(known.topics, dtype=pl.String)})
    documents = pl.concat([_documents(run, topics, chosen, depth) for run in runs.values()])
    new = documents.unique(maintain_order=True).join(_pairs(known), on=_PAIR, how="anti", maintain_order="left")
    judgments = Judgments(
        known.topics,
        np.append(known.topic, known.numbers_of(new["query_id"])),
        np.append(known.grade, np.full(new.height, UNJUDGED)),
        pl.concat([known.doc_id, new["doc_id"]]),
        known.subtopics,
    )
    added = _among(judgments, new)
    counts = {name: Ranks.from_tables(run, judgments, chosen) for name, run in runs.items()}
    reached = ~added | _reached(counts.values(), depth, len(added))
    return {
        name: replace(ranks, hits=ranks.hits.where(reached[ranks.hits.document]), added=added)
        for name, ranks in counts.items()
    }


def why_not(rules: Policies) -> str | None:
    """Why documents cannot be counted so under these policies; None if they can.

    >>> why_not(Policies(judged_only=True))
    'judged_only takes unjudged documents out of the ranking, so there is nothing to say about them'
    """
    if rules.ties == "expected":
        return (
            "tied documents have no rank of their own under ties='expected': choose another rule to look at documents"
        )
    if rules.judged_only:
        return "judged_only takes unjudged documents out of the ranking, so there is nothing to say about them"
    return None


def as_judged(ranks: Ranks) -> Ranks:
    """The counts without what `retrieved` added: those that an evaluation is made from.

    >>> from assay.tables import Run
    >>> counts = retrieved({"mine": Run.of({"q": {"a": 3, "b": 2}})}, Qrels.of({"q": {"b": 2}}))
    >>> as_judged(counts["mine"]).hits.rank
    array([2])
    """
    return ranks if ranks.judgments is None else ranks.regraded(ranks.judgments.grade)


def same_queries(first: Ranks, second: Ranks) -> tuple[Ranks, Ranks]:
    """Two systems that `retrieved` has counted together, on the queries that both have.

    >>> from assay.tables import Run
    >>> runs = {"mine": Run.of({"q1": {"a": 1}, "q2": {"a": 1}}), "yours": Run.of({"q2": {"b": 1}})}
    >>> counts = retrieved(runs, Qrels.of({"q1": {"a": 1}, "q2": {"a": 1}}), Policies(missing="skip"))
    >>> [ranks.queries for ranks in same_queries(counts["mine"], counts["yours"])]
    [('q2',), ('q2',)]
    """
    if first.judgments is None or first.judgments is not second.judgments or first.added is None:
        raise ParameterError("the documents of two systems are compared if `retrieved` has counted them together")
    if first.queries == second.queries:
        return first, second
    ours, theirs = set(first.queries), set(second.queries)
    return (
        first.only(np.array([query in theirs for query in first.queries], dtype=np.bool_)),
        second.only(np.array([query in ours for query in second.queries], dtype=np.bool_)),
    )


def _documents(run: Batches, topics: pl.DataFrame, chosen: Policies, depth: int | None) -> pl.DataFrame:
    """The documents of judged topics, down to the depth and a little further: those with equal scores are in."""
    least = min((limit for limit in (depth, chosen.depth) if limit is not None), default=None)
    # Which of two rows counts is not known batch by batch, so no row is left out where a document may come twice.
    limit = least if chosen.duplicates == "error" else None
    score = pl.col("score").cast(pl.Float32 if chosen.score_precision == "single" else pl.Float64)

    def best(frame: pl.DataFrame) -> pl.DataFrame:
        rows = frame.select(*_PAIR, score=score).join(topics, on="query_id", how="semi", maintain_order="left")
        if limit is None:
            return rows
        return rows.filter(pl.col("score").rank("min", descending=True).over("query_id") <= limit)

    pieces = list(run.batches(best, chosen.rank_by))
    return best(pl.concat(pieces)).select(_PAIR) if pieces else pl.DataFrame(schema=dict.fromkeys(_PAIR, pl.String))


def _pairs(judgments: Judgments) -> pl.DataFrame:
    query_id = picked(pl.Series(judgments.topics, dtype=pl.String), judgments.topic)
    return pl.DataFrame({"query_id": query_id, "doc_id": judgments.doc_id})


def _among(judgments: Judgments, new: pl.DataFrame) -> Mask:
    """Which of the judgments are of these pairs."""
    marked = _pairs(judgments).join(new.with_columns(new=pl.lit(True)), on=_PAIR, how="left", maintain_order="left")
    return marked["new"].fill_null(False).to_numpy()


def _reached(counts: Iterable[Ranks], depth: int | None, documents: int) -> Mask:
    """The documents that some system has down to the depth."""
    reached = np.zeros(documents, dtype=np.bool_)
    for ranks in counts:
        rows = ranks.hits if depth is None else ranks.hits.where(ranks.hits.rank <= depth)
        reached[rows.document] = True
    return reached
