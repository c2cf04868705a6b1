"""What the bytes of a file look like before anybody makes sense of them."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from assay.core.errors import FormatError
from assay.files.registry import COLUMN_MARKS
from assay.files.sources import BYTE_ORDER_MARK, LONGEST_LINE, Source

_COMPRESSED = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst", b"BZh": ".bz2", b"\xfd7zXZ\x00": ".xz"}
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
#: What holds other files, by its first bytes; and where the mark of a tar archive stands.
_PACKED = {b"PK\x03\x04": "a zip archive", b"7z\xbc\xaf": "a 7-Zip archive", b"Rar!": "a RAR archive"}
_TAR, _TAR_AT, _START = b"ustar", 257, 512
#: What the libraries say of data that are sound as far as they go; of others, nothing can be trusted.
_SOUND_SO_FAR = ("ended before", "end in the middle", "Not a gzipped file")
# Between two fields, not at the end of a line or in a blank one.
_TAB, _SPACE = re.compile(rb"\S *\t[ \t]*\S"), re.compile(rb"\S\t* [ \t]*\S")


class Looks(NamedTuple):
    """What can be told from bytes: numbers are lines (from 1), None where there is none."""

    size: int = 0
    lines: int = 0
    byte_order_mark: bool = False
    #: A line other than the first that starts with a byte-order mark: files put one after the other.
    inner_mark: int | None = None
    wide: bool = False
    windows_ends: int = 0
    old_mac_ends: int = 0
    unix_ends: int = 0
    tab: int | None = None
    space: int | None = None
    control: bool = False
    ascii: bool = True
    binary: bool = False
    #: The ending that the compression of the file should give its name, or "".
    compression: str = ""
    comments: bool = False
    damage: str = ""
    #: What the file is instead of a table: an archive, or something compressed twice.
    packed: str = ""

    @property
    def is_garbled(self) -> bool:
        """Whether the bytes cannot be trusted: damage other than an end that comes too soon."""
        return bool(self.damage) and not any(text in self.damage for text in _SOUND_SO_FAR)


def looks_of(source: Source) -> Looks:
    """Look a file over.

    >>> import io
    >>> looks = looks_of(Source(io.BytesIO(b"q1 0 d1 1\\r\\nq1\\t0\\td2\\t0\\r\\n")))
    >>> looks.windows_ends, looks.space, looks.tab
    (2, 1, 2)
    """
    start = b""
    with suppress(FormatError), source.open() as file:  # what is damaged from the start is told below
        start = file.read(_START)
    compression = _compression(source)
    profile = Looks(
        byte_order_mark=start.startswith(BYTE_ORDER_MARK),
        wide=start.startswith(_WIDE) or (len(start) >= 4 and 0 in start[:4] and start[0] != start[1]),
        binary=start.startswith(COLUMN_MARKS),
        compression=compression,
        packed=_packed(start, compression),
    )
    try:
        ended = True
        for data in () if profile.binary or profile.packed else source.pieces():
            profile = _with(profile, data)
            ended = data.endswith((b"\n", b"\r"))
    except FormatError as problem:
        return profile._replace(damage=str(problem).partition("(")[2].removesuffix(")") or "it ends in the middle")
    return profile._replace(lines=profile.lines + (not ended))


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


def _with(profile: Looks, data: bytes) -> Looks:
    windows = data.count(b"\r\n")
    newlines, returns = data.count(b"\n"), data.count(b"\r")
    codes = np.frombuffer(data, dtype=np.uint8)
    plain = data.isascii()
    low = codes < 32
    odd = int(np.count_nonzero(low)) - newlines - returns - data.count(b"\t") + data.count(b"\x7f")
    ends = newlines + returns - windows
    mark = None if plain else _line(data, b"\n" + BYTE_ORDER_MARK, profile.lines, 1)
    return profile._replace(
        size=profile.size + len(data),
        lines=profile.lines + ends,
        inner_mark=profile.inner_mark or mark,
        windows_ends=profile.windows_ends + windows,
        old_mac_ends=profile.old_mac_ends + returns - windows,
        unix_ends=profile.unix_ends + newlines - windows,
        tab=profile.tab or (_first(_TAB, data, profile.lines) if b"\t" in data else None),
        space=profile.space or (_first(_SPACE, data, profile.lines) if b" " in data else None),
        control=profile.control or odd > 0,
        ascii=profile.ascii and plain,
        comments=profile.comments or data.startswith(b"#") or b"\n#" in data,
    )


def _line(data: bytes, wanted: bytes, before: int, more: int = 0) -> int | None:
    """The line of the first occurrence."""
    place = data.find(wanted)
    return None if place < 0 else before + data.count(b"\n", 0, place) + 1 + more


def _first(wanted: re.Pattern[bytes], data: bytes, before: int) -> int | None:
    match = wanted.search(data)
    return None if match is None else before + data.count(b"\n", 0, match.start()) + 1


def _packed(start: bytes, compression: str) -> str:
    """What the first bytes, once decompressed, say of a file that holds others; nothing of any other file."""
    if start[_TAR_AT:].startswith(_TAR):
        return "a tar archive"
    if compression and any(start.startswith(mark) for mark in _COMPRESSED):
        return "compressed twice"
    return next((form for mark, form in _PACKED.items() if start.startswith(mark)), "")


def _compression(source: Source) -> str:
    if source.path is None or not source.path.is_file():
        return ""
    with source.path.open("rb") as file:
        start = file.read(8)
    return next((ending for mark, ending in _COMPRESSED.items() if start.startswith(mark)), "")
