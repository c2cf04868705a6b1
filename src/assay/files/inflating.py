"""Compressed bytes -> bytes, a few at a time: however much a file inflates to, only a small part is in memory at once.

The standard library reads gzip, bzip2 and xz so. Zstandard is fed in small pieces: no block gives more than 128 KB.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import IO, Any, TypeAlias

#: Writes what comes next into a buffer, and tells how many bytes that are.
Fill: TypeAlias = Callable[[memoryview], int]

ZSTD, _SKIPPABLE = b"\x28\xb5\x2f\xfd", b"\x2a\x4d\x18"
#: So few bytes hold a thousand blocks at most.
_PIECE = 1 << 12


def is_zstd(start: bytes) -> bool:
    """Whether a file starts as a frame of Zstandard, or as one that holds something else and is skipped.

    >>> is_zstd(ZSTD), is_zstd(b"q1 Q0 d1")
    (True, False)
    """
    return start.startswith(ZSTD) or (start[1:4] == _SKIPPABLE and start[0] & 0xF0 == 0x50)


class ZstdReader(io.RawIOBase):
    """Reads frame by frame; a frame that is cut short is an error, which the library's own reader does not notice."""

    def __init__(self, raw: IO[bytes]) -> None:
        import zstandard  # noqa: PLC0415  # a compiled library: only who has such a file waits for it

        self._raw, self._library = raw, zstandard
        self._frame: Any = None
        self._ready = memoryview(b"")
        self._waiting = b""

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # typeshed wants the whole buffer protocol
        """Fill a buffer."""
        while not self._ready:
            data = self._waiting or self._raw.read(_PIECE)
            if not data:
                if self._frame is not None:
                    raise EOFError("the compressed data end in the middle")
                return 0
            self._ready = memoryview(self._inflated(data))
        taken = self._ready[: len(buffer)]
        self._ready = self._ready[len(taken) :]
        buffer[: len(taken)] = taken
        return len(taken)

    def _inflated(self, data: bytes) -> bytes:
        self._frame = self._frame or self._library.ZstdDecompressor().decompressobj()
        try:
            inflated: bytes = self._frame.decompress(data)
        except self._library.ZstdError as problem:
            raise EOFError(str(problem)) from problem
        self._waiting = self._frame.unused_data if self._frame.eof else b""
        self._frame = None if self._frame.eof else self._frame
        return inflated


def limited(fill: Fill, most: int, refuse: Callable[[], None]) -> IO[bytes]:
    """A file of what `fill` gives, which calls `refuse`, and that raises, when there are more bytes than `most`."""
    return io.BufferedReader(_Limited(fill, most, refuse), buffer_size=1 << 20)


class _Limited(io.RawIOBase):
    def __init__(self, fill: Fill, most: int, refuse: Callable[[], None]) -> None:
        self._fill, self._left, self._refuse = fill, most, refuse

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # typeshed wants the whole buffer protocol
        count = self._fill(buffer)
        self._left -= count
        if self._left < 0:
            self._refuse()
        return count
