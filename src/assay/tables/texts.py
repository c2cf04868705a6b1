"""What is searched for and what is searched: topics and documents, all columns text."""

from __future__ import annotations

from typing import Any

import polars as pl

from assay.core.errors import FormatError, InputError
from assay.tables.shapes import Locate


class _Texts:
    """Rows of text under an id that comes once."""

    key = "id"
    columns: tuple[str, ...] = ()

    def __init__(
        self,
        frame: pl.DataFrame,
        name: str,
        format: str,
        warnings: tuple[str, ...] = (),
        locate: Locate | None = None,
    ) -> None:
        self.name, self.format, self.warnings = name, format, warnings
        if self.key not in frame.columns:
            raise InputError(f"{name}: expected a column {self.key}, got {', '.join(frame.columns) or 'none'}")
        # What is not text and has none, such as a list, is left out; the table's own columns have to be text.
        held = [column for column in frame.columns if _is_text(frame[column])]
        if odd := [column for column in (self.key, *self.columns) if column in set(frame.columns) - set(held)]:
            raise FormatError(name, None, expected=f"text in column {odd[0]}", got=str(frame[odd[0]].dtype))
        missing = [column for column in self.columns if column not in held]
        frame = frame.select(held).with_columns(pl.lit("").alias(column) for column in missing)
        rest = [column for column in frame.columns if column not in {self.key, *self.columns}]
        wanted = [self.key, *self.columns, *rest]
        self.frame = frame.select(pl.col(column).cast(pl.String).fill_null("") for column in wanted)
        self._check_ids(locate or (lambda row: (f"{name}: row {row + 1}", None)))

    def _check_ids(self, locate: Locate) -> None:
        """Refuse a row without an id, and the second row under one id."""
        ids = self.frame[self.key]
        if (ids == "").any():
            path, line = locate(row=int((ids == "").arg_max() or 0))
            raise FormatError(path, line, expected=f"a {self.key}", got="")
        again = ~ids.is_first_distinct()
        if again.any():
            row = int(again.arg_max() or 0)
            path, line = locate(row=row)
            raise FormatError(path, line, expected=f"each {self.key} once", got=ids[row])

    def __len__(self) -> int:
        return self.frame.height


class Topics(_Texts):
    """What users look for: `query_id, title, description, narrative`, and whatever else the file holds.

    >>> Topics.of({"1": "bitter green tea"}).frame["title"].to_list()
    ['bitter green tea']
    """

    key = "query_id"
    columns = ("title", "description", "narrative")

    @classmethod
    def of(cls, data: dict[str, str] | pl.DataFrame | Any, name: str = "topics") -> Topics:
        """Take topics from a dict of titles, or a frame."""
        frame = pl.DataFrame({"query_id": list(data), "title": list(data.values())}) if isinstance(data, dict) else data
        return cls(pl.DataFrame(frame), name, "in memory")


class Documents(_Texts):
    """What is searched: `doc_id, title, text`, and whatever else the file holds.

    >>> Documents.of({"d1": "Steep it for three minutes."}).frame.rows()
    [('d1', '', 'Steep it for three minutes.')]
    """

    key = "doc_id"
    columns = ("title", "text")

    @classmethod
    def of(cls, data: dict[str, str] | pl.DataFrame | Any, name: str = "documents") -> Documents:
        """Take documents from a dict of texts, or a frame."""
        frame = pl.DataFrame({"doc_id": list(data), "text": list(data.values())}) if isinstance(data, dict) else data
        return cls(pl.DataFrame(frame), name, "in memory")


def _is_text(values: pl.Series) -> bool:
    """Text, or what has one way to be written as text."""
    return not (values.dtype.is_nested() or values.dtype.base_type() in {pl.Object, pl.Binary, pl.Duration})
