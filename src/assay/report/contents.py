"""What a file or a folder holds, in words: for `assay show`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.core.digits import significant
from assay.core.errors import number_of
from assay.show.legible import legible, on_one_line

if TYPE_CHECKING:
    from assay.files.collections import Collection
    from assay.files.writing import Table

_LONGEST_CELL = 60
#: A scale with more different grades than this is taken for a continuous one.
_MOST_GRADES = 12


def of_table(table: Table, path: str, lines: int = 5) -> dict[str, Any]:
    """Format, rows, topics, grades and first rows of a table."""
    from assay.files.writing import kind_of  # noqa: PLC0415
    from assay.tables import Documents, Qrels, Topics  # noqa: PLC0415

    kind = kind_of(table)
    found: dict[str, Any] = {"file": path, "kind": kind, "format": table.format}
    if isinstance(table, Qrels):
        found |= _of_qrels(table)
        frame = table.frame
    elif isinstance(table, Topics | Documents):
        found |= {kind: len(table)}
        frame = table.frame
    else:
        numbers, frame = _of_run(table, lines)
        found |= numbers
    found["warnings"] = list(getattr(table, "warnings", ()))
    found["columns"] = frame.columns
    found["first rows"] = [[_shown(value) for value in row] for row in frame.head(lines).iter_rows()]
    return found


def _of_qrels(qrels: Any) -> dict[str, Any]:
    frame = qrels.frame
    grades = frame["relevance"].value_counts().sort("relevance")
    a_topic = frame.group_by("query_id").len()["len"]
    told: dict[str, Any] = {
        "topics": len(qrels.topics),
        "judgments": frame.height,
        "documents": frame["doc_id"].n_unique(),
        "judgments a topic": _range(a_topic),
        "grades": {f"{grade:g}": count for grade, count in grades.iter_rows()},
    }
    if qrels.judges:
        told["judges (or subtopics)"] = len(qrels.judges)
    return told


def _range(counts: pl.Series) -> str:
    return f"{counts.min()!s} to {counts.max()!s}, median {np.median(counts.to_numpy()):g}"


def _of_run(run: Any, lines: int) -> tuple[dict[str, Any], pl.DataFrame]:
    """Counted batch by batch: a run may be larger than memory."""
    counts: dict[str, int] = {}
    low, high, ties = float("inf"), float("-inf"), 0
    first: list[pl.DataFrame] = []
    for frame in run.batches(lambda frame: frame):
        for query, count in frame["query_id"].value_counts().iter_rows():
            counts[query] = counts.get(query, 0) + count
        low, high = min(low, frame["score"].min()), max(high, frame["score"].max())
        ties += int(frame.select(pl.struct("query_id", "score").is_duplicated().sum()).item())
        first += [frame.head(lines)] if not first else []
    depth = pl.Series(list(counts.values()))
    told: dict[str, Any] = {
        "topics": len(counts),
        "rows": sum(counts.values()),
        "rows a topic": _range(depth),
        "scores": f"{low:g} to {high:g}",
        "rows with a tied score": ties,
    }
    if getattr(run, "metadata", ""):
        told["ir_metadata"] = run.metadata
    return told, first[0]


def of_collection(collection: Collection) -> dict[str, Any]:
    """Documents, topics and judgments of a folder."""
    found: dict[str, Any] = {"collection": collection.name}
    if collection.documents is not None:
        found["documents"] = f"{len(collection.documents):,} ({collection.documents.format})"
    if collection.topics is not None:
        found["topics"] = f"{len(collection.topics):,} ({collection.topics.format})"
    for split, qrels in collection.qrels.items():
        told = _of_qrels(qrels)
        found[f"judgments in {split}"] = (
            f"{told['judgments']:,} on {number_of('topic', told['topics'])} ({qrels.format}); "
            f"grades {_grades(told['grades'])}"
        )
    found["warnings"] = list(collection.warnings)
    return found


def as_json(found: dict[str, Any]) -> str:
    """The same for programs."""
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def as_text(found: dict[str, Any]) -> str:
    """One line a fact, then the warnings and the first rows."""
    plain = {key: value for key, value in found.items() if key not in {"warnings", "columns", "first rows"}}
    width = max(map(len, plain))
    lines = [f"{key:<{width}}  {_told(value, width)}" for key, value in plain.items()]
    lines += [f"warning: {on_one_line(warning)}" for warning in found["warnings"]]
    if found.get("first rows"):
        rows = [found["columns"], *found["first rows"]]
        widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
        lines += [
            "",
            *("  ".join(f"{cell:<{wide}}" for cell, wide in zip(row, widths, strict=True)).rstrip() for row in rows),
        ]
    return "\n".join(lines) + "\n"


def _told(value: Any, width: int) -> str:
    if isinstance(value, dict):
        return _grades(value)
    if isinstance(value, int):
        return f"{value:,}"
    return legible(str(value)).replace("\n", "\n" + " " * (width + 2))


def _grades(counts: dict[str, int]) -> str:
    """How often each grade was given; of many grades, how many there are."""
    if len(counts) > _MOST_GRADES:
        low, *_, high = counts
        return f"from {low} to {high}, {len(counts):,} different ones"
    return ", ".join(f"{count:,} x {grade}" for grade, count in counts.items())


def _shown(value: Any) -> str:
    text = significant(value, 6) if isinstance(value, float) else "" if value is None else str(value)
    plain = "".join(char if char.isprintable() else " " for char in text)
    return plain if len(plain) <= _LONGEST_CELL else plain[: _LONGEST_CELL - 1] + "…"


def formats_known() -> str:
    """All formats, by kind: how they are called, what they look like, and whether they can be written."""
    from assay.files import formats  # noqa: PLC0415
    from assay.files.writing import writers  # noqa: PLC0415

    lines = []
    for kind in ("run", "qrels", "topics", "documents"):
        lines += [f"{kind}: read", *(f"  {known.name:<28} {known.says}, {known.shape}" for known in formats(kind))]
        lines += [f"{kind}: written", *(f"  {known.name:<28} {' '.join(known.endings)}" for known in writers(kind)), ""]
    return "\n".join(lines[:-1]) + "\n"
