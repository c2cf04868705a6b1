"""Tolerant reading of JSON, one object a line."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.diagnosis.bad_lines import Bad, Lines, frame_of, number_in
from assay.files.headers import columns_of
from assay.files.registry import Kind

#: So many lines are looked at to find out whether they hold objects, and what their keys are.
_SAMPLE = 100


def read_objects(lines: Sequence[tuple[int, str]], kind: Kind) -> Lines | None:
    """Read the lines that are objects of a table of this kind; None unless most of the first lines are.

    >>> text = ['{"query_id": "q1", "doc_id": "d1", "score": 2}', '{"query_id": "q1", "doc_']
    >>> found = read_objects([*enumerate(text, 1)], "run")
    >>> found.frame.rows(), found.malformed[0].line
    ([('q1', 'd1', 2.0)], 2)
    """
    number = "score" if kind == "run" else "relevance"
    sample = [record for _, line in lines[:_SAMPLE] if (record := _object(line)) is not None]
    columns = columns_of(kind, list(sample[0])) if sample else None
    if columns is None or number not in columns or len(sample) * 2 < len(lines[:_SAMPLE]):
        return None
    texts: dict[str, list[str]] = {"query_id": [], "doc_id": []}
    values: list[float] = []
    kept: list[int] = []
    malformed: list[Bad] = []
    numbers: list[Bad] = []
    for line, text in lines:
        record = _object(text)
        ids = None if record is None else [_text(record.get(columns[name])) for name in texts]
        if record is None or ids is None or None in ids:
            malformed.append(Bad(line, text, "no object" if record is None else "an id is absent"))
            continue
        text_value = record.get(columns[number])
        value = number_in(json.dumps(text_value)) if type(text_value) in {int, float} else None
        if value is None or not (math.isfinite(value) or (kind == "run" and not math.isnan(value))):
            numbers.append(Bad(line, text, f"{json.dumps(text_value)} is no number"))
            continue
        for name, identifier in zip(texts, ids, strict=True):
            texts[name].append(str(identifier))
        values.append(value)
        kept.append(line)
    frame = frame_of(texts, values, kind)
    return Lines(kind, "JSONL", frame, np.array(kept, dtype=np.int64), tuple(malformed), tuple(numbers), named=True)


def _object(line: str) -> dict[str, Any] | None:
    if not line.startswith("{"):
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _text(value: Any) -> str | None:
    """An id: text that UTF-8 can write, or a whole number."""
    is_id = isinstance(value, str | int) and not isinstance(value, bool)
    text = str(value) if is_id else ""
    return text if is_id and text == text.encode(errors="replace").decode() else None
