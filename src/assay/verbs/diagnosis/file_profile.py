"""What the bytes of a file look like before anybody makes sense of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from assay.core.errors import FormatError
from assay.files.registry import COLUMN_MARKS
from assay.files.sources import LONGEST_LINE, Source

#: What the libraries say of data that are sound as far as they go; of others, nothing can be trusted.
_SOUND_SO_FAR = ("ended before", "end in the middle", "Not a gzipped file")
#: What holds other files, by a mark in its first bytes.
_PACKED = {b"PK\x03\x04": "a zip archive", b"\x1f\x8b": "compressed twice", b"ustar": "a tar archive"}


class Looks(NamedTuple):
    """What can be told from bytes: how many there are, in how many lines, and whether they are plain text."""

    size: int = 0
    lines: int = 0
    #: Whether all are ASCII, and none is a control character.
    plain: bool = True
    #: Whether it is a file of columns, which has no lines.
    binary: bool = False
    #: What is wrong with a compressed file, or with one that holds others.
    damage: str = ""

    @property
    def is_garbled(self) -> bool:
        """Whether the bytes cannot be trusted: damage other than an end that comes too soon."""
        return bool(self.damage) and not any(text in self.damage for text in _SOUND_SO_FAR)


def looks_of(source: Source) -> Looks:
    """Look a file over.

    >>> import io
    >>> looks_of(Source(io.BytesIO(b"q1 0 d1 1\\r\\nq1\\t0\\td2\\t0\\r\\n")))
    Looks(size=22, lines=2, plain=True, binary=False, damage='')
    """
    size = lines = 0
    plain = ended = True
    try:
        for data in source.pieces():
            if not size and data.startswith(COLUMN_MARKS):
                return Looks(len(data), binary=True)
            if not size and (packed := next((what for mark, what in _PACKED.items() if mark in data[:262]), "")):
                return Looks(len(data), damage=f"the file is {packed}, not a table")
            newlines, returns, pairs = data.count(b"\n"), data.count(b"\r"), data.count(b"\r\n")
            low = int(np.count_nonzero(np.frombuffer(data, dtype=np.uint8) < 32))
            size, lines = size + len(data), lines + newlines + returns - pairs
            odd = low - newlines - returns - data.count(b"\t") + data.count(b"\x7f")
            plain = plain and data.isascii() and not odd
            ended = data.endswith((b"\n", b"\r"))
    except FormatError as problem:
        reason = str(problem).partition("(")[2].removesuffix(")") or "it ends in the middle"
        return Looks(size, lines, plain, damage=f"the compressed file is damaged: {reason}")
    return Looks(size, lines + (not ended), plain)


def intact_chunks(source: Source) -> Iterator[bytes]:
    """The bytes of a file, line by line if it is damaged, up to where the damage is."""
    yielded = 0
    try:
        for data in source.chunks():
            yielded += len(data)
            yield data
    except FormatError:
        pass
    else:
        return
    # The damage is somewhere in the piece that could not be read: take what comes before it.
    read = 0
    try:
        with source.open() as file:
            while len(line := file.readline(LONGEST_LINE)) % LONGEST_LINE:
                read += len(line)
                if read > yielded:
                    yield line
    except FormatError:
        return
