"""Digests of what tables hold: the same for the same rows, whatever the format, the compression or the file's name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import polars as pl

from assay.tables import Batches, Qrels


def of_qrels(qrels: Qrels) -> str:
    """The SHA-256 of judgments; their order does not matter.

    >>> one, other = Qrels.of([("q1", "a", 1), ("q2", "b", 0)]), Qrels.of([("q2", "b", 0), ("q1", "a", 1)])
    >>> of_qrels(one) == of_qrels(other)
    True
    """
    keys = [name for name in ("query_id", "doc_id", "judge") if name in qrels.frame.columns]
    frame = qrels.frame.sort(keys)
    texts, numbers = hashlib.sha256(), hashlib.sha256()
    texts.update(_ids(frame, keys))
    numbers.update(_little_endian(frame["relevance"]))
    return _together(texts, numbers)


def of_run(run: Batches, rank_by: str = "score") -> str:
    """The SHA-256 of a run: its rows in their order, read piece by piece.

    >>> from assay.tables import Run
    >>> of_run(Run.of({"q1": {"d1": 2.0}})) == of_run(Run.of({"q1": {"d1": 2.5}}))
    False
    """
    texts, numbers = hashlib.sha256(), hashlib.sha256()

    def columns(frame: pl.DataFrame) -> tuple[bytes, bytes]:
        return _ids(frame, ["query_id", "doc_id"]), _little_endian(frame["score"])

    for ids, scores in run.batches(columns, rank_by):
        texts.update(ids)
        numbers.update(scores)
    return _together(texts, numbers)


def of_json(told: Any) -> str:
    """The SHA-256 of a JSON value: the order of keys and the blanks between them do not matter.

    >>> of_json({"a": 1, "b": [2.5]}) == of_json({"b": [2.5], "a": 1})
    True
    """
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _ids(frame: pl.DataFrame, keys: Sequence[str]) -> bytes:
    """The ids of all rows, each with its length, so that no two tables give the same bytes."""
    parts = [part for key in keys for part in (pl.col(key).str.len_bytes().cast(pl.String), pl.lit(":"), pl.col(key))]
    rows = frame.select(pl.concat_str(parts)).to_series()
    return "".join(f"{row}\n" for row in rows.to_list()).encode()


def _little_endian(numbers: pl.Series) -> bytes:
    return (numbers.cast(pl.Float64).to_numpy() + 0.0).astype("<f8").tobytes()  # -0 is 0


def _together(texts: Any, numbers: Any) -> str:
    return hashlib.sha256(texts.digest() + numbers.digest()).hexdigest()
