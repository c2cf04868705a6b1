"""The texts behind ids: what was searched for, and what was found, where topics and documents are given."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import polars as pl

from assay.core.digits import numbers
from assay.core.errors import joined
from assay.files import is_file, read_documents, read_topics
from assay.tables import Documents, Topics

_LONGEST_TITLE = 160
_LONGEST_TEXT = 480
_BLANKS = re.compile(r"\s+")


class Texts(NamedTuple):
    """Topics and documents, either of which may not be known."""

    topics: Topics | None
    documents: Documents | None

    @classmethod
    def of(cls, topics: Any, documents: Any) -> Texts:
        """Take both as files, tables, data frames or dicts of texts.

        >>> Texts.of({"q1": "bitter tea"}, None).of_queries(["q1", "q2"])
        {'q1': 'bitter tea', 'q2': ''}
        """
        if topics is not None and not isinstance(topics, Topics):
            topics = read_topics(topics) if is_file(topics) else Topics.of(topics)
        if documents is not None and not isinstance(documents, Documents):
            documents = read_documents(documents) if is_file(documents) else Documents.of(documents)
        return cls(topics, documents)

    def of_queries(self, queries: Iterable[str]) -> dict[str, str]:
        """What each query looks for: the topic's title, or its description; empty where it is not known."""
        texts: dict[str, str] = {}
        wanted = list(queries)
        if self.topics is not None:
            known = self.topics.frame.filter(pl.col("query_id").is_in(wanted))
            rows = known.select("query_id", "title", "description").rows()
            texts = {query: shortened(title or description, _LONGEST_TEXT) for query, title, description in rows}
        return {query: texts.get(query, "") for query in wanted}

    def of_documents(self, documents: Iterable[str]) -> dict[str, tuple[str, str]]:
        """Title and text of each document, not too long; empty where they are not known."""
        texts: dict[str, tuple[str, str]] = {}
        wanted = list(dict.fromkeys(documents))
        if self.documents is not None:
            known = self.documents.frame.filter(pl.col("doc_id").is_in(wanted))
            for document, title, text in known.select("doc_id", "title", "text").rows():
                texts[document] = shortened(title, _LONGEST_TITLE), shortened(text, _LONGEST_TEXT)
        return {document: texts.get(document, ("", "")) for document in wanted}

    def notes(self, queries: Iterable[str], documents: Iterable[str]) -> list[str]:
        """What to say where ids and texts do not fit together."""
        notes, units = [], list(queries)
        if self.topics is not None and units and not any(self.of_queries(units).values()):
            notes.append(f"{self.topics.name}: no topic has the id of a query")
        ids = list(documents)
        if self.documents is not None and ids and not any(map(any, self.of_documents(ids).values())):
            notes.append(f"{self.documents.name}: none of the documents shown is there")
        return notes


def shortened(text: str, most: int) -> str:
    """Text on one line, cut where it is too long.

    >>> shortened("one  two\\nthree", 9)
    'one two …'
    """
    line = _BLANKS.sub(" ", text).strip()
    if len(line) <= most:
        return line
    return f"{line[: most - 1].rstrip()} …" if line[most - 2] == " " else f"{line[: most - 1]}…"


def values_of_systems(values: Mapping[str, float], most: int) -> str:
    """The number of each system in a sentence, with decimals until they differ.

    >>> values_of_systems({"a": 0.5, "b": 0.90001, "c": 0.90002}, most=6)
    'a has 0.5000, b has 0.90001 and c has 0.90002'
    """
    texts = zip(values, values.values(), numbers(values.values()), strict=True)
    return joined([f"{name} has {'no number' if math.isnan(value) else text}" for name, value, text in texts], most)
