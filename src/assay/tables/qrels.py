"""What the assessors judged."""

from __future__ import annotations

from functools import cached_property
from typing import cast

import polars as pl

from assay.core.errors import FormatError, InputError, quote
from assay.tables.shapes import FlatDicts, InMemory, Locate, refuse_absent, rows_of


class Qrels:
    """What the assessors judged: `query_id, doc_id, relevance`, and `judge` where several judged the same document.

    Relevance is a number: whole grades or fractions. A negative one means: in the pool, but not judged.

    >>> Qrels.of([("q1", "d1", 1), ("q1", "d2", 0)]).topics
    ['q1']
    """

    def __init__(
        self,
        rows: pl.DataFrame | FlatDicts,
        name: str = "qrels",
        format: str = "in memory",
        warnings: tuple[str, ...] = (),
    ) -> None:
        self.name, self.format, self.warnings = name, format, warnings
        #: The rows as they came, if they came in dicts: whoever can do with those need not make columns of text.
        self.dicts = rows if isinstance(rows, FlatDicts) else None
        if isinstance(rows, pl.DataFrame):
            refuse_absent(rows.columns, "relevance", name)
            self.frame = rows

    @classmethod
    def of(cls, data: InMemory, name: str = "qrels") -> Qrels:
        """Take judgments from dicts of dicts, any data frame, or `(query_id, doc_id, relevance)` tuples."""
        if isinstance(data, Qrels):
            return data
        rows = rows_of(data, "relevance", name)
        # A dict whose keys are text cannot hold a pair twice.
        return cls(rows, name) if isinstance(rows, FlatDicts) else cls.settled(rows, name)

    @classmethod
    def settled(cls, frame: pl.DataFrame, name: str, format: str = "in memory", locate: Locate | None = None) -> Qrels:
        """Collapse rows given twice; refuse rows that contradict one another."""
        keys = [name for name in ("query_id", "doc_id", "judge") if name in frame.columns]
        if frame.n_unique(keys) == frame.height:
            return cls(frame, name, format)
        unique = frame.unique(maintain_order=True)
        if unique.n_unique(keys) < unique.height:
            first = unique.filter(unique.select(keys).is_duplicated()).row(0, named=True)
            wanted = {key: first[key] for key in keys}
            path, line = locate(**wanted) if locate else (name, None)
            grades = unique.filter(*(pl.col(key) == value for key, value in wanted.items()))["relevance"].to_list()
            by = f" by judge {quote(wanted['judge'])}" if "judge" in wanted else ""
            pair = f"document {quote(wanted['doc_id'])} for query {quote(wanted['query_id'])}"
            raise FormatError(
                path,
                line,
                expected=f"one judgment of {pair}{by}",
                got=" and ".join(f"{grade:g}" for grade in grades),
            )
        repeated = frame.height - unique.height
        warnings = (f"{name}: {repeated} judgments given twice alike count once",) if repeated else ()
        return cls(unique, name, format, warnings)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The judgments, in the order in which they came."""
        return cast("FlatDicts", self.dicts).frame("relevance")

    @property
    def topics(self) -> list[str]:
        """The query ids, in the order of their first judgment."""
        return self.frame["query_id"].unique(maintain_order=True).to_list()

    @property
    def judges(self) -> list[str]:
        """Who judged, if the table says so."""
        if self.dicts is not None or "judge" not in self.frame.columns:
            return []
        return self.frame["judge"].unique().sort().to_list()

    def by_judge(self, judge: str) -> Qrels:
        """Keep one judge's judgments."""
        if judge not in self.judges:
            if not self.judges:
                raise InputError(
                    f"{self.name}: expected judgments by several judges, got those of one; leave judge out"
                )
            known = ", ".join(map(repr, self.judges[:10]))
            raise InputError(f"{self.name}: expected a judge of {known}, got {judge!r}")
        frame = self.frame.filter(pl.col("judge") == judge).drop("judge")
        return Qrels(frame, self.name, self.format, self.warnings)
