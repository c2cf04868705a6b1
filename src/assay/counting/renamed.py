"""Topics and documents of a run that the judgments write in another way, and so count as absent or unjudged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from assay.counting.forms import Bridge, bridge, prefixed

#: So many documents of each query are looked at when ids do not match.
TOP = 100
#: Where this share of documents is written differently, scores mean nothing.
_HALF = 0.5
_PAIR = ["query_id", "doc_id"]


class Renamed(NamedTuple):
    """Retrieved documents that are not judged as they are written, but would be if they were written as `theirs`.

    `pairs`: `query_id`, `doc_id`, `theirs`, and whether the run has that one `too`; `hits`: how many documents are
    judged as they are; `top`: how many were looked at.
    """

    differ_in: str
    pairs: pl.DataFrame
    hits: int
    top: int

    @property
    def is_most_of_what_is_judged(self) -> bool:
        """Whether at least as many documents are lost as are found."""
        return self.pairs.height >= _HALF * (self.hits + self.pairs.height)

    @property
    def explains_the_run(self) -> bool:
        """Whether so many documents are written differently that whatever else is said of them says the same."""
        return self.pairs.height >= _HALF * self.top


def other_topics(ours: pl.Series, theirs: pl.Series) -> Bridge | None:
    """The topics that a run or the judgments have alone, and that the other side writes differently.

    >>> found = other_topics(pl.Series(["051", "52"]), pl.Series(["51", "52"]))
    >>> found.differ_in, found.ours.to_list()
    ('leading zeros', ['051'])
    """
    shared = ours.filter(ours.is_in(theirs.implode()))
    our_rest, their_rest = (ids.filter(~ids.is_in(shared.implode())) for ids in (ours, theirs))
    if not shared.len():
        return bridge(ours, theirs, loosely=True)
    # A line of `Q1` beside those of `q1`: the odd one is compared with all, whoever else has the other one.
    bridges = [bridge(our_rest, theirs, loosely=False), bridge(ours, their_rest, loosely=False)]
    bridges.append(prefixed(our_rest, their_rest))
    return max((way for way in bridges if way is not None), key=lambda way: way.ours.len(), default=None)


def renamed_documents(run: pl.DataFrame, judgments: pl.DataFrame, common: Sequence[str]) -> Renamed | None:
    """The documents at the top that are judged for their query under an id that is written differently.

    `common`: the queries that both have.

    >>> run, judgments = ({"query_id": ["q"], "doc_id": [name]} for name in ("0756", "756"))
    >>> renamed_documents(pl.DataFrame(run), pl.DataFrame(judgments), ["q"]).differ_in
    'leading zeros'
    """
    judged = judgments.select(_PAIR)
    top = run.select(_PAIR).filter(pl.col("query_id").is_in(common), pl.int_range(pl.len()).over("query_id") < TOP)
    unjudged = top.join(judged, on=_PAIR, how="anti", maintain_order="left")
    hits = top.height - unjudged.height
    if not unjudged.height:
        return None
    ours, theirs = (frame["doc_id"].unique(maintain_order=True) for frame in (unjudged, judged))
    best: Renamed | None = None
    alike = bridge(ours, theirs, loosely=not hits, one_to_one=False)
    for way in (alike, prefixed(ours, theirs) if hits else None):
        if way is None:
            continue
        renamed = _renamed(way, run, unjudged, judged)
        if renamed.height > (0 if best is None else best.pairs.height):
            best = Renamed(way.differ_in, renamed, hits, top.height)
    return best


def _renamed(way: Bridge, run: pl.DataFrame, unjudged: pl.DataFrame, judged: pl.DataFrame) -> pl.DataFrame:
    """The unjudged documents that a bridge leads to a document judged for the same query."""
    names = pl.DataFrame({"doc_id": way.ours, "theirs": way.theirs})
    pairs = unjudged.join(names, on="doc_id", maintain_order="left").join(
        judged.rename({"doc_id": "theirs"}), on=["query_id", "theirs"], maintain_order="left"
    )
    if not pairs.height:
        return pairs
    # Two ids that both come up elsewhere under their own names are two documents, however alike they look.
    elsewhere = pl.col("doc_id").is_in(judged["doc_id"].implode()) & pl.col("theirs").is_in(
        run["doc_id"].unique().implode()
    )
    here = run.select("query_id", theirs="doc_id", too=pl.lit(value=True)).join(
        pairs.select("query_id", "theirs"), on=["query_id", "theirs"], how="semi"
    )
    pairs = pairs.filter(~elsewhere).join(here, on=["query_id", "theirs"], how="left", maintain_order="left")
    return pairs.unique(_PAIR, keep="first", maintain_order=True).with_columns(pl.col("too").fill_null(value=False))
