"""Documents for other programs: JSON in one schema, and CSV."""

from __future__ import annotations

import json
import math
from typing import Any

import polars as pl

from assay.core.errors import not_among
from assay.files.writing import for_spreadsheets
from assay.show.figure import Figure
from assay.show.model import Document, Part, Prose, References, Section, Table, Task, Verdict

#: Of all documents; a change of keys makes it another.
SCHEMA_VERSION = 2


def write_json(document: Document) -> str:
    """The document as JSON, numbers in full, null where there is none.

    A section is an object: `text`, what it says in words; its tables, each a list of rows; its figures, each a list of
    points; further sections; and whatever else it holds.

    >>> shown = Table.of("scores", pl.DataFrame({"system": ["a"], "AP": [1 / 3]}))
    >>> text = write_json(Document("example", (Section("systems", parts=(shown, Prose("On 2 topics."))),)))
    >>> json.loads(text)["sections"]
    {'systems': {'scores': [{'system': 'a', 'AP': 0.3333333333333333}], 'text': ['On 2 topics.']}}
    """
    return as_json({"schema_version": SCHEMA_VERSION} | as_data(document))


def as_data(document: Document) -> dict[str, Any]:
    """The data of a document: its kind, its title, and its sections by name, for JSON."""
    sections = {section.name: _section(section) for section in document.sections}
    return {"kind": document.kind, "title": document.title, "sections": sections}


def _section(section: Section) -> dict[str, Any]:
    payload: dict[str, Any] = {}
    text: list[str] = []
    for part in section.still():
        _add(part, payload, text)
    return payload | ({"text": text} if text else {}) | dict(section.data)


def _add(part: Part, payload: dict[str, Any], text: list[str]) -> None:
    if isinstance(part, Section):
        payload |= {part.name: inner} if (inner := _section(part)) else {}
    elif isinstance(part, Table):
        payload[part.name] = plain(part.frame).to_dicts()
    elif isinstance(part, Figure) and not part.data.is_empty():
        payload[part.name] = part.data.to_dicts()
    elif isinstance(part, References):
        payload["references"] = [{"key": work.key, "entry": work.entry, "bibtex": work.bibtex} for work in part.works]
    elif isinstance(part, Verdict):
        payload["verdict"] = part.word
        text.append(part.text)
    elif isinstance(part, Task):
        text.append(part.head)
    elif isinstance(part, Prose):
        text.extend(part.lines)


def plain(frame: pl.DataFrame) -> pl.DataFrame:
    """A table without what is only there to be drawn or shown, in columns whose names begin with `_`."""
    return frame.select(name for name in frame.columns if not name.startswith("_"))


def write_csv(document: Document, table: str | None = None, *, spreadsheet: bool = False) -> str:
    """The main table of a document, or the one that is named, as CSV: numbers in full, empty where there is none.

    For a `spreadsheet`, no cell is a formula.
    """
    tables = document.tables()
    name = next(iter(tables), None) if table is None else table
    if name not in tables:
        raise not_among("table", table, tables)
    return frame_as_csv(plain(tables[name].frame), spreadsheet=spreadsheet)


def frame_as_csv(frame: pl.DataFrame, *, spreadsheet: bool = False) -> str:
    """A frame as CSV; what is nested in a cell is JSON there."""
    nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
    flat = frame.with_columns(
        pl.Series(name, [json.dumps(_strict(value), ensure_ascii=False) for value in frame[name].to_list()])
        for name in nested
    )
    text = flat.write_csv()
    return for_spreadsheets(text) if spreadsheet else text


def as_json(payload: Any) -> str:
    """JSON that people can read too; what is not a number is null, and so is infinity, with a reason beside it.

    >>> print(as_json({"p": float("nan"), "statistic": float("-inf")}), end="")
    {
      "p": null,
      "statistic": null,
      "statistic_reason": "minus infinity"
    }
    """
    return json.dumps(_strict(payload), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _strict(value: Any) -> Any:
    if isinstance(value, dict):
        strict = {}
        for key, item in value.items():
            strict[key] = _strict(item)
            if isinstance(item, float) and math.isinf(item):
                strict[f"{key}_reason"] = "infinity" if item > 0 else "minus infinity"
        return strict
    if isinstance(value, list | tuple):
        return [_strict(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
