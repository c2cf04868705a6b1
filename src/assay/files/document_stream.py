"""Documents piece by piece, so that more of them can be counted and copied than fit in memory."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import polars as pl

from assay.core.errors import FormatError
from assay.files.registry import Format, detect
from assay.files.sources import Readable, Source
from assay.tables import Documents

_PIECE_BYTES = 4 << 20
#: Formats whose records are lines, and end where lines end.
_BY_LINES = ("jsonl-documents", "tsv-documents")
_BY_TAGS = "trec-documents"
_END_OF_RECORD = re.compile(rb"</DOC>\s*", re.IGNORECASE)


def document_batches(given: Readable | Source, format: str | None = None) -> Iterator[Documents]:
    """The documents of a file in pieces; a piece is a table. CSV, Parquet and the classic layouts come in one piece.

    An id that comes again in another piece is not noticed here.

    >>> texts = io.StringIO('{"_id": "d1", "text": "Steep it."}\\n{"_id": "d2", "text": "Cool it."}')
    >>> [len(piece) for piece in document_batches(texts)]
    [2]
    """
    source = Source.of(given)
    known = detect(source, "documents", format)
    if known.name in _BY_LINES and not _is_one_value(source):
        pieces = source.chunks(_PIECE_BYTES)
    elif known.name == _BY_TAGS:
        pieces = _records(source)
    else:
        yield known.read(source, source.name)
        return
    line = 0
    for piece in pieces:
        if piece.strip():
            yield _read(known, source.name, piece, line)
        line += piece.count(b"\n")


def _is_one_value(source: Source) -> bool:
    """True if the file is one list of JSON, and no lines of it."""
    with source.open() as file:
        return file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")


def _records(source: Source) -> Iterator[bytes]:
    """The bytes of a file in pieces that end where a document does."""
    rest = b""
    for chunk in source.chunks(_PIECE_BYTES):
        rest += chunk
        ends = [match.end() for match in _END_OF_RECORD.finditer(rest)]
        if ends:
            yield rest[: ends[-1]]
            rest = rest[ends[-1] :]
    if rest:
        yield rest


def _read(known: Format, name: str, piece: bytes, before: int) -> Documents:
    """The documents of a piece; errors name the line of the file."""
    try:
        documents: Documents = known.read(Source(io.BytesIO(piece), name=name), name)
    except FormatError as problem:
        line = None if problem.line is None else problem.line + before
        raise FormatError(name, line, expected=problem.expected, got=problem.got) from problem
    return documents


class SeenIds:
    """The ids of documents that went by, as 64 bits each, and which of those that somebody waits for were among them.

    >>> seen = SeenIds(["d1", "d9"])
    >>> seen.add(Documents.of({"d1": "Steep it.", "d2": "Cool it."}))
    >>> seen.count, seen.missing.to_list()
    (2, ['d9'])
    """

    def __init__(self, wanted: pl.Series | list[str]) -> None:
        self._wanted = pl.DataFrame({"doc_id": pl.Series(wanted, dtype=pl.String).unique().sort()})
        self._found: list[pl.Series] = []
        self._hashes: list[pl.Series] = []
        self.count = 0
        self.without_text = 0
        self.blanks: list[str] = []

    def add(self, documents: Documents) -> None:
        """Count the documents of a piece."""
        ids = documents.frame["doc_id"]
        self.count += ids.len()
        self.without_text += int((documents.frame["text"].str.strip_chars() == "").sum())
        self.blanks += ids.filter(ids.str.contains(r"\s")).head(max(0, 5 - len(self.blanks))).to_list()
        self._hashes.append(ids.hash(seed=0))
        self._found.append(ids.filter(ids.is_in(self._wanted["doc_id"].implode())))

    @property
    def repeated(self) -> int:
        """The number of documents with an id that another one had before them."""
        return self.count - pl.concat(self._hashes).n_unique() if self._hashes else 0

    @property
    def missing(self) -> pl.Series:
        """The ids that were waited for, and did not come."""
        if not self._found:
            return self._wanted["doc_id"]
        return self._wanted.join(pl.concat(self._found).to_frame(), on="doc_id", how="anti")["doc_id"]
