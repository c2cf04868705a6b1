"""`Subtopics`: for which meanings of its query a document is relevant."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from assay.counting.judgments import Floats, Ints


@dataclass(frozen=True, eq=False)
class Subtopics:
    """The grades of judged documents, subtopic by subtopic: a sparse table, sorted by judgment and subtopic.

    `judgment` is the place among the judgments, where a document stands once, with the largest of its grades;
    `subtopic` is a number, and `names` says which subtopic it is. Queries may have subtopics of the same name.

    >>> rows = [("q", "1", "d", 0.0), ("q", "2", "d", 2.0), ("q", "1", "e", 1.0)]
    >>> pairs, subtopics = Subtopics.of(pl.DataFrame(rows, ["query_id", "judge", "doc_id", "relevance"], orient="row"))
    >>> pairs["relevance"].to_list(), subtopics.subtopic, subtopics.grade
    ([2.0, 1.0], array([0, 1, 0]), array([0., 2., 1.]))
    """

    names: tuple[str, ...]
    judgment: Ints
    subtopic: Ints
    grade: Floats

    @classmethod
    def of(cls, frame: pl.DataFrame) -> tuple[pl.DataFrame, Subtopics]:
        """Take judgments of subtopics apart: each judged pair once, with its largest grade, and the grades of each."""
        key = ["query_id", "doc_id"]
        pairs = frame.group_by(key, maintain_order=True).agg(pl.col("relevance").max())
        numbered = pairs.select(*key).with_row_index("judgment")
        judgment = frame.join(numbered, on=key, how="left", maintain_order="left")["judgment"]
        subtopic = frame["judge"].rank("dense") - 1
        table = cls(
            tuple(frame["judge"].unique().sort().to_list()),
            judgment.to_numpy().astype(np.int64),
            subtopic.to_numpy().astype(np.int64),
            frame["relevance"].to_numpy(),
        )
        return pairs, table._in_order()

    @classmethod
    def none(cls) -> Subtopics:
        """No judgments of subtopics."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls((), nothing, nothing, np.zeros(0))

    def moved(self, place: Ints) -> Subtopics:
        """The same table after the judgments have moved, each to a given place."""
        return replace(self, judgment=place[self.judgment])._in_order()

    def reaching(self, level: float) -> Subtopics:
        """The rows with a grade that counts as relevant; a negative grade never does."""
        return self._take(np.flatnonzero((self.grade >= level) & (self.grade >= 0)))

    def rows_of(self, judgments: Ints) -> tuple[Ints, Ints]:
        """The rows of some judgments, one after the other: to which of those given each belongs, and where it is."""
        first = np.searchsorted(self.judgment, judgments, side="left")
        sizes = np.searchsorted(self.judgment, judgments, side="right") - first
        owner = np.repeat(np.arange(len(judgments)), sizes)
        return owner, np.arange(len(owner)) + np.repeat(first - np.cumsum(sizes) + sizes, sizes)

    def _in_order(self) -> Subtopics:
        return self._take(np.lexsort((self.subtopic, self.judgment)))

    def _take(self, rows: Ints) -> Subtopics:
        return replace(self, judgment=self.judgment[rows], subtopic=self.subtopic[rows], grade=self.grade[rows])


def tiny_tables(
    rankings: Sequence[Sequence[Collection[str] | None]], judged: Sequence[Sequence[Collection[str]]] | None
) -> tuple[dict[str, dict[str, float]], pl.DataFrame]:
    """A run and its judgments from lists of subtopics by rank: every document is judged for every subtopic.

    >>> run, qrels = tiny_tables([[["a"], None]], [[["a", "b"]]])
    >>> run, qrels.rows()[2:]
    ({'q1': {'d001': -1.0, 'd002': -2.0}}, [('q1', 'a', 'd003', 1.0), ('q1', 'b', 'd003', 1.0)])
    """
    run: dict[str, dict[str, float]] = {}
    rows: list[tuple[str, str, str, float]] = []
    others = judged if judged is not None else [[] for _ in rankings]
    for number, (ranking, rest) in enumerate(zip(rankings, others, strict=True), 1):
        query = f"q{number}"
        run[query] = {f"d{rank:03}": -float(rank) for rank in range(1, len(ranking) + 1)}
        known = {f"d{place:03}": about for place, about in enumerate([*ranking, *rest], 1) if about is not None}
        names = sorted({name for about in known.values() for name in about}) or ["a"]
        rows += [(query, name, doc, float(name in about)) for doc, about in known.items() for name in names]
    return run, pl.DataFrame(rows, ["query_id", "judge", "doc_id", "relevance"], orient="row")
