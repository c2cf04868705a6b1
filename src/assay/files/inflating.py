"""Compressed bytes -> bytes, a few at a time: however much a file inflates to, only a small part is in memory at once.

The standard library reads gzip and bzip2 so. Zstandard is fed block by block, since no block gives more than 128 KB;
of xz the size of the dictionary is limited, since the file says how large it is.
"""

from __future__ import annotations

import io
import lzma
from abc import abstractmethod
from collections.abc import Callable
from typing import IO, Any, TypeAlias, cast

#: Writes what comes next into a buffer, and tells how many bytes that are.
Fill: TypeAlias = Callable[[memoryview], int]

ZSTD, _SKIPPABLE = b"\x28\xb5\x2f\xfd", b"\x2a\x4d\x18"
_CUT_SHORT = "the compressed data end in the middle"
_BLOCKS_AT_ONCE = 16
_REPEATED_BYTE = 1
#: Four times what `xz -9` asks for.
_MOST_FOR_XZ = 256 << 20
_PIECE = 1 << 16


def is_zstd(start: bytes) -> bool:
    """Whether a file starts as a frame of Zstandard, or as one that holds something else and is skipped.

    >>> is_zstd(ZSTD), is_zstd(b"q1 Q0 d1")
    (True, False)
    """
    return start.startswith(ZSTD) or (start[1:4] == _SKIPPABLE and start[0] & 0xF0 == 0x50)


class _Reader(io.RawIOBase):
    """Fills buffers from whatever a subclass inflates next."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # typeshed wants the whole buffer protocol
        while not self._ready:
            inflated = self._inflated()
            if inflated is None:
                return 0
            self._ready = memoryview(inflated)
        taken = self._ready[: len(buffer)]
        self._ready = self._ready[len(taken) :]
        buffer[: len(taken)] = taken
        return len(taken)

    @abstractmethod
    def _inflated(self) -> bytes | None:
        """The next few bytes, maybe none; None at the end of the file."""

    def _exactly(self, count: int) -> bytes:
        data = self._raw.read(count)
        if len(data) < count:
            raise EOFError(_CUT_SHORT)
        return data


class ZstdReader(_Reader):
    """Reads frame by frame; a frame that is cut short is an error, which the library's own reader does not notice."""

    def __init__(self, raw: IO[bytes]) -> None:
        super().__init__(raw)
        import zstandard  # noqa: PLC0415  # a compiled library: only who has such a file waits for it

        self._library: Any = zstandard
        self._frame: Any = None
        self._checksum = 0

    def _inflated(self) -> bytes | None:
        if self._frame is None:
            magic = self._raw.read(4)
            if not magic:
                return None
            if not magic.startswith(ZSTD) and is_zstd(magic):
                self._skip(int.from_bytes(self._exactly(4), "little"))
                return b""
            self._frame = self._library.ZstdDecompressor().decompressobj()
            return self._fed(magic + self._header() if magic == ZSTD else magic.ljust(8, b"\0"))
        return self._fed(b"".join(self._blocks()))

    def _fed(self, data: bytes) -> bytes:
        try:
            inflated = cast("bytes", self._frame.decompress(data))
        except self._library.ZstdError as problem:
            raise EOFError(str(problem)) from problem
        if self._frame.eof:
            self._frame = None
        return inflated

    def _header(self) -> bytes:
        """The rest of a frame's header, whose first byte tells how long it is."""
        first = self._exactly(1)
        single = first[0] >> 5 & 1
        self._checksum = 4 * (first[0] >> 2 & 1)
        return first + self._exactly((1 - single) + (0, 1, 2, 4)[first[0] & 3] + (single, 2, 4, 8)[first[0] >> 6])

    def _blocks(self) -> list[bytes]:
        """The next blocks of a frame, with its checksum behind the last one."""
        blocks = []
        for _ in range(_BLOCKS_AT_ONCE):
            head = self._exactly(3)
            header = int.from_bytes(head, "little")
            blocks += [head, self._exactly(1 if header >> 1 & 3 == _REPEATED_BYTE else header >> 3)]
            if header & 1:
                return [*blocks, self._exactly(self._checksum)]
        return blocks

    def _skip(self, count: int) -> None:
        while count:
            count -= len(self._exactly(min(count, _PIECE)))


class XzReader(_Reader):
    """Reads stream by stream, with zeros between them."""

    def __init__(self, raw: IO[bytes]) -> None:
        super().__init__(raw)
        self._stream = _xz_stream()

    def _inflated(self) -> bytes | None:
        data = b""
        if self._stream.eof:
            data = self._stream.unused_data.lstrip(b"\0")
            while not data:
                piece = self._raw.read(_PIECE)
                if not piece:
                    return None
                data = piece.lstrip(b"\0")
            self._stream = _xz_stream()
        elif self._stream.needs_input:
            data = self._raw.read(_PIECE)
            if not data:
                raise EOFError(_CUT_SHORT)
        return self._stream.decompress(data, _PIECE)


def _xz_stream() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MOST_FOR_XZ)


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
