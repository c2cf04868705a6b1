"""Where bytes come from: a path, stdin or an open file; compressed or not; readable more than once."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import shutil
import sys
import tempfile
import weakref
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeAlias, cast

from assay.errors import FormatError, InputError
from assay.files import originals

Readable: TypeAlias = str | os.PathLike[str] | IO[bytes] | IO[str]

CHUNK_BYTES = 8 << 20
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SPOOL_BYTES = 64 << 20
_GZIP, _ZSTD, _ZSTD_SKIPPABLE = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x2a\x4d\x18"
_BZIP2_BLOCK, _XZ = b"1AY&SY", b"\xfd7zXZ\x00"
_COMPRESSION_SUFFIXES = (".gz", ".zst", ".bz2", ".xz")
_FORMAT_SUFFIXES = (
    ".run", ".txt", ".trec", ".qrels", ".res", ".results", ".marco", ".tsv", ".csv", ".json", ".jsonl", ".ndjson",
    ".parquet", ".pq", ".arrow", ".feather", ".ipc",
)  # fmt: skip


def is_file(given: object) -> bool:
    """Tell paths and open files from tables in memory.

    >>> is_file("bm25.run"), is_file({"q1": {"d1": 0.5}})
    (True, False)
    """
    return isinstance(given, str | os.PathLike) or hasattr(given, "read")


class Source:
    """Bytes that can be read from the start as often as needed, decompressed.

    >>> import io
    >>> source = Source(io.BytesIO(b"q1 Q0 d1 1 0.5 tag"), name="memory")
    >>> [bytes(chunk) for chunk in source.chunks()]
    [b'q1 Q0 d1 1 0.5 tag']
    """

    def __init__(self, given: Readable, name: str | None = None) -> None:
        self._file: IO[bytes] | None = None
        self._start = 0
        self._path: Path | None = None
        #: Called with the number of bytes as the file is read, for progress bars.
        self.watch: Callable[[int], None] | None = None
        if given == "-":
            self.name = name or "<stdin>"
            originals.remember_stream(sys.stdin)
            self._file = self._spooled(sys.stdin.buffer)
        elif isinstance(given, str | os.PathLike):
            if not os.fspath(given):
                raise InputError("expected the name of a file, got an empty one")
            self._path = Path(given)
            self.name = name or os.fspath(given)
        else:
            self.name = name or str(getattr(given, "name", "<file>"))
            originals.remember_stream(given)
            try:
                self._file, self._start = self._rereadable(given)
            except ValueError as problem:
                raise InputError(f"{self.name}: cannot be read: {problem}") from problem

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open at the start, decompressing what is compressed, whatever its name ends in."""
        try:
            raw = self._raw()
        except (OSError, ValueError) as problem:
            raise InputError(f"{self.name}: cannot be read: {_reason(problem)}") from problem
        try:
            magic = raw.read(10)
            raw.seek(self._start)
            if magic.startswith(_GZIP):
                yield cast("IO[bytes]", gzip.GzipFile(fileobj=raw, mode="rb"))
            elif magic.startswith(_ZSTD) or (magic[1:4] == _ZSTD_SKIPPABLE and magic[0] & 0xF0 == 0x50):
                yield io.BufferedReader(_ZstdReader(raw), buffer_size=1 << 20)
            elif magic.startswith(b"BZh") and magic[4:] == _BZIP2_BLOCK:
                yield cast("IO[bytes]", bz2.BZ2File(raw))
            elif magic.startswith(_XZ):
                yield cast("IO[bytes]", lzma.LZMAFile(raw))  # noqa: SIM115  # what it wraps is closed below
            else:
                yield raw
        except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError) as problem:
            raise FormatError(self.name, None, expected="an intact compressed file", note=str(problem)) from problem
        except OSError as problem:
            raise InputError(f"{self.name}: cannot be read: {_reason(problem)}") from problem
        finally:
            if raw is not self._file:
                raw.close()

    def _raw(self) -> IO[bytes]:
        if self._file is None:
            opened = cast("Path", self._path).open("rb", buffering=1 << 16)
            if opened.seekable():
                originals.remember(cast("Path", self._path))
                return opened
            with opened:  # a named pipe, or what `<(zcat run.gz)` gives: it can be read only once
                self._file = self._spooled(opened)
        self._file.seek(self._start)
        return self._file

    def _rereadable(self, file: IO[bytes] | IO[str]) -> tuple[IO[bytes], int]:
        """Give a binary file that can be read again, and where it starts."""
        sample = file.read(0)
        if isinstance(sample, str):
            buffer = getattr(file, "buffer", None)
            in_utf8 = str(getattr(file, "encoding", "")).lower() in {"utf-8", "utf8"}
            if buffer is not None and in_utf8 and buffer.seekable() and file.tell() == 0:
                return buffer, 0  # a file opened as text need not be read whole to be read as bytes
            return io.BytesIO(cast("IO[str]", file).read().encode()), 0
        binary = cast("IO[bytes]", file)
        if binary.seekable():
            return binary, binary.tell()
        return self._spooled(binary), 0

    def _spooled(self, stream: IO[bytes]) -> IO[bytes]:
        """Copy a stream that can be read only once to a temporary file (in memory while it is small)."""
        copy = tempfile.SpooledTemporaryFile(max_size=_SPOOL_BYTES)  # noqa: SIM115  # lives as long as the source
        weakref.finalize(self, copy.close)
        shutil.copyfileobj(stream, copy, 1 << 20)
        copy.seek(0)
        return cast("IO[bytes]", copy)

    @property
    def path(self) -> Path | None:
        """The file itself, if it is one."""
        return self._path

    @property
    def plain(self) -> bool:
        """Whether the bytes are those of a file on disk, and not compressed."""
        if self._path is None or self._file is not None:
            return False
        with self.open() as file:
            return isinstance(file, io.BufferedReader) and isinstance(file.raw, io.FileIO)

    def read(self) -> bytes:
        """All bytes at once, without a byte-order mark."""
        return b"".join(self.chunks())

    def chunks(self, size: int = CHUNK_BYTES) -> Iterator[bytes]:
        """Cut the bytes into pieces of whole lines, about `size` long, without a byte-order mark."""
        with self.open() as file:
            first = True
            while data := _whole_lines(file, size):
                if self.watch is not None:
                    self.watch(len(data))
                data = data.removeprefix(BYTE_ORDER_MARK) if first else data
                first = False
                if data:
                    yield data

    @property
    def size(self) -> int | None:
        """How many bytes a plain file holds; None where that is not known before it is read."""
        if self._path is None or self._path.suffix in _COMPRESSION_SUFFIXES or not self._path.is_file():
            return None
        return self._path.stat().st_size

    @property
    def stem(self) -> str:
        """A short name for what the file holds: its name without the endings that formats and compression add."""
        name = self._path.name if self._path is not None else self.name.strip("<>")
        for endings in (_COMPRESSION_SUFFIXES, _FORMAT_SUFFIXES):
            for ending in endings:
                if name.endswith(ending) and name != ending:
                    name = name.removesuffix(ending)
                    break
        return name


def _whole_lines(file: IO[bytes], size: int) -> bytes:
    """Read about `size` bytes, up to the end of a line."""
    if isinstance(file, io.BufferedReader) and isinstance(file.raw, io.FileIO) and file.seekable():
        # Find the end first: one read of the whole is cheaper than joining two.
        start = file.tell()
        file.seek(start + size)
        end = file.readline()
        file.seek(start)
        return file.read(size + len(end))
    data = file.read(size)
    return data if data.endswith(b"\n") else data + file.readline()


class _ZstdReader(io.RawIOBase):
    """Decompress frame by frame, and notice when the last one is cut short (the library's own reader does not)."""

    def __init__(self, raw: IO[bytes]) -> None:
        import zstandard  # noqa: PLC0415  # a compiled library: only who has such a file waits for it

        self._raw, self._library = raw, zstandard
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # typeshed wants the whole buffer protocol
        while not self._ready:
            data = self._raw.read(1 << 20)
            if not data:
                if not self._frame.eof:
                    raise EOFError("the compressed data end in the middle")
                return 0
            self._ready = memoryview(b"".join(self._decompressed(data)))
        taken = self._ready[: len(buffer)]
        self._ready = self._ready[len(taken) :]
        buffer[: len(taken)] = taken
        return len(taken)

    def _decompressed(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._frame.eof:
                self._frame = self._library.ZstdDecompressor().decompressobj()
            try:
                yield self._frame.decompress(data)
            except self._library.ZstdError as problem:
                raise EOFError(str(problem)) from problem
            data = self._frame.unused_data if self._frame.eof else b""


def _reason(problem: OSError | ValueError) -> str:
    return (getattr(problem, "strerror", None) or str(problem)).lower()
