"""Runs whose lowest scores are best, such as distances: read with the sign of their scores turned round."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar, TypeVar

import polars as pl

from assay.tables.ranking_tables import Batches, Run

T = TypeVar("T")


class NearestFirst:
    """A run whose scores are lower for better documents: whoever goes through it finds them negated.

    >>> run = NearestFirst(Run.of({"q": {"near": 0.25, "far": 2.0}}))
    >>> run.read().frame.rows()
    [('q', 'near', -0.25), ('q', 'far', -2.0)]
    """

    subject: ClassVar[str] = "ranking"
    is_turned: ClassVar[bool] = True
    warnings: ClassVar[tuple[str, ...]] = ()

    def __init__(self, run: Batches) -> None:
        self.run = run

    @property
    def name(self) -> str:
        """The name of the run."""
        return self.run.name

    @property
    def origin(self) -> str:
        """The origin of the run, for messages."""
        return self.run.origin

    @property
    def format(self) -> str:
        """The format that it is in, for messages."""
        return self.run.format

    def batches(self, prepare: Callable[[pl.DataFrame], T], rank_by: str = "score") -> Iterator[T]:
        """Go through the rows in pieces; ranks are as they are."""
        if rank_by == "rank":
            return self.run.batches(prepare, rank_by)
        return self.run.batches(lambda frame: prepare(_negated(frame)), rank_by)

    def read(self) -> Run:
        """Read the whole table into memory."""
        run = self.run.read()
        return Run(_negated(run.frame), run.name, run.format, run.metadata, where=run.where, origin=run.origin)

    def whereabouts(self, query_id: str, doc_id: str) -> tuple[str, int | None]:
        """Tell the file and the line where this document comes up for the second time."""
        return self.run.whereabouts(query_id, doc_id)


def best_first(run: Batches, *, lower_is_better: bool) -> Batches:
    """The run as its highest scores are best: turned round where lower ones are, and it was not turned round before.

    >>> near = best_first(Run.of({"q": {"near": 0.25}}), lower_is_better=True)
    >>> best_first(near, lower_is_better=True) is near
    True
    """
    return NearestFirst(run) if lower_is_better and not getattr(run, "is_turned", False) else run


def _negated(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(score=-pl.col("score"))
