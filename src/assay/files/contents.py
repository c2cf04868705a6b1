"""The contents of a file or a collection, in a few lines and counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay.core.digits import significant
from assay.core.errors import number_of
from assay.core.results import Result
from assay.files.collections import Collection
from assay.files.writing import Table, kind_of
from assay.tables import Documents, Qrels, Topics

_LONGEST_CELL = 60
#: A scale with more different grades than this is taken for a continuous one.
_MOST_GRADES = 12


@dataclass(frozen=True, eq=False)
class Contents(Result):
    """Facts about a file or a folder, by name; its warnings, and its first rows as text.

    >>> from assay.tables import Topics
    >>> contents_of(Topics.of({"q1": "which tea?"}), "topics.tsv").facts["topics"]
    1
    """

    kind = "contents"

    facts: dict[str, Any]
    warnings: tuple[str, ...] = ()
    rows: pl.DataFrame | None = None

    def to_frame(self) -> pl.DataFrame:
        """The first rows; of a folder, none."""
        return pl.DataFrame() if self.rows is None else self.rows


def contents_of(table: Table, path: str, lines: int = 5) -> Contents:
    """Format, rows, topics, grades and first rows of a table."""
    kind = kind_of(table)
    facts: dict[str, Any] = {"file": path, "kind": kind, "format": table.format}
    if isinstance(table, Qrels):
        facts |= _of_qrels(table)
        frame = table.frame
    elif isinstance(table, Topics | Documents):
        facts |= {kind: len(table)}
        frame = table.frame
    else:
        numbers, frame = _of_run(table, lines)
        facts |= numbers
    rows = [[_cell(value) for value in row] for row in frame.head(lines).iter_rows()]
    first = pl.DataFrame(rows, schema=dict.fromkeys(frame.columns, pl.String), orient="row")
    return Contents(facts, tuple(getattr(table, "warnings", ())), first)


def contents_of_collection(collection: Collection) -> Contents:
    """Documents, topics and judgments of a folder."""
    facts: dict[str, Any] = {"collection": collection.name}
    for name, table in (("documents", collection.documents), ("topics", collection.topics)):
        if table is not None:
            facts[name] = f"{len(table):,} ({table.format})"
    for split, qrels in collection.qrels.items():
        numbers = _of_qrels(qrels)
        facts[f"judgments in {split}"] = (
            f"{numbers['judgments']:,} on {number_of('topic', numbers['topics'])} ({qrels.format}); "
            f"grades {grades_in_words(numbers['grades'])}"
        )
    return Contents(facts, tuple(collection.warnings))


def _of_qrels(qrels: Qrels) -> dict[str, Any]:
    frame = qrels.frame
    grades = frame["relevance"].value_counts().sort("relevance")
    facts: dict[str, Any] = {
        "topics": len(qrels.topics),
        "judgments": frame.height,
        "documents": frame["doc_id"].n_unique(),
        "judgments per topic": _range(frame.group_by("query_id").len()["len"]),
        "grades": {f"{grade:g}": count for grade, count in grades.iter_rows()},
    }
    return facts | ({"judges (or subtopics)": len(qrels.judges)} if qrels.judges else {})


def _range(counts: pl.Series) -> str:
    return f"{counts.min()!s} to {counts.max()!s}, median {np.median(counts.to_numpy()):g}"


def _of_run(run: Any, lines: int) -> tuple[dict[str, Any], pl.DataFrame]:
    """Counted batch by batch: a run may be larger than memory."""
    counts: dict[str, int] = {}
    low = float("inf")
    high = float("-inf")
    ties = 0
    first: list[pl.DataFrame] = []
    for frame in run.batches(lambda frame: frame):
        for query, count in frame["query_id"].value_counts().iter_rows():
            counts[query] = counts.get(query, 0) + count
        low, high = min(low, frame["score"].min()), max(high, frame["score"].max())
        ties += int(frame.select(pl.struct("query_id", "score").is_duplicated().sum()).item())
        first += [frame.head(lines)] if not first else []
    facts: dict[str, Any] = {
        "topics": len(counts),
        "rows": sum(counts.values()),
        "rows per topic": _range(pl.Series(list(counts.values()))),
        "scores": f"{low:g} to {high:g}",
        "rows with a tied score": ties,
    }
    return facts | ({"ir_metadata": run.metadata} if getattr(run, "metadata", "") else {}), first[0]


def grades_in_words(counts: dict[str, int]) -> str:
    """Counts of each grade, in words; of many grades, their number.

    >>> grades_in_words({"0": 1200, "1": 3})
    '1,200 x 0, 3 x 1'
    """
    if len(counts) > _MOST_GRADES:
        low, *_, high = counts
        return f"from {low} to {high}, {len(counts):,} different ones"
    return ", ".join(f"{count:,} x {grade}" for grade, count in counts.items())


def _cell(value: Any) -> str:
    if isinstance(value, float):
        text = significant(value, 6)
    elif value is None:
        text = ""
    else:
        text = str(value)
    plain = "".join(char if char.isprintable() else " " for char in text)
    return plain if len(plain) <= _LONGEST_CELL else plain[: _LONGEST_CELL - 1] + "…"
