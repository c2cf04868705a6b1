"""A file, a stream or bytes, compressed or not, as a stream that can be opened again; little is in memory at once.

The standard library reads gzip and bzip2 so. Zstandard is fed in small pieces, since a few bytes may give 128 KB; of xz
the size of the dictionary is limited, since the file says how large it is.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import sys
import tempfile
import weakref
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

from assay.core.errors import FormatError, InputError, ParameterError, reason
from assay.core.ledger import current

#: Writes what comes next into a buffer, and tells how many bytes that are.
Fill: TypeAlias = Callable[[memoryview], int]

_ZSTD, _SKIPPABLE = b"\x28\xb5\x2f\xfd", b"\x2a\x4d\x18"
#: Four times what `xz -9` asks for.
_MOST_FOR_XZ = 256 << 20
_XZ_PIECE = 1 << 16
#: Four bytes of Zstandard may be a block of 128 KB, so that no more of them are inflated at once.
_ZSTD_PIECE = 1 << 10


class _Streams(io.RawIOBase):
    """Inflates streams that follow one another, with zeros between them or not; one that is cut short is an error."""

    piece = _XZ_PIECE

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self._stream = self._start()
        self._ready = memoryview(b"")

    def _start(self) -> Any:
        """The decompressor of the next stream."""
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MOST_FOR_XZ)

    def _inflate(self, data: bytes) -> bytes:
        return cast("bytes", self._stream.decompress(data, self.piece))

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # typeshed wants the whole buffer protocol
        while not self._ready:
            data = self._next()
            if data is None:
                return 0
            self._ready = memoryview(self._inflate(data))
        taken = self._ready[: len(buffer)]
        self._ready = self._ready[len(taken) :]
        buffer[: len(taken)] = taken
        return len(taken)

    def _next(self) -> bytes | None:
        """The next bytes to be inflated; None at the end of the file."""
        if not self._stream.eof:
            data = self._raw.read(self.piece) if getattr(self._stream, "needs_input", True) else None
            if data == b"":
                raise EOFError("the compressed data end in the middle")
            return data or b""
        data = self._stream.unused_data
        while not (data := data.lstrip(b"\0")):
            data = self._raw.read(self.piece)
            if not data:
                return None
        self._stream = self._start()
        return data


class _ZstdStreams(_Streams):
    """Frames of Zstandard; the library's own reader does not notice one that is cut short."""

    piece = _ZSTD_PIECE

    def _start(self) -> Any:
        import zstandard  # noqa: PLC0415  # a compiled library: only who has such a file waits for it

        return zstandard.ZstdDecompressor().decompressobj()

    def _inflate(self, data: bytes) -> bytes:
        import zstandard  # noqa: PLC0415

        try:
            return cast("bytes", self._stream.decompress(data))
        except zstandard.ZstdError as problem:
            raise EOFError(str(problem)) from problem


class _Limited(io.RawIOBase):
    """The bytes of `fill`; calls `refuse`, and that raises, when there are more bytes than `most`."""

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


Readable: TypeAlias = str | os.PathLike[str] | IO[bytes] | IO[str]

CHUNK_BYTES = 8 << 20

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_SPOOL_BYTES = 64 << 20

_GZIP, _BZIP2_BLOCK, _XZ = b"\x1f\x8b\x08", b"1AY&SY", b"\xfd7zXZ\x00"

_CTRL_Z = b"\x1a"
#: Text shrinks to a twentieth at best. What inflates to more than this many times its size, and is not small even then,
#: is refused: a few KB could fill the memory.
_MOST_TIMES = 100

_SMALL_BYTES = 16 << 20
#: The longest line of a format that is read line by line.
LONGEST_LINE = 1 << 24

_COMPRESSION_SUFFIXES = (".gz", ".zst", ".bz2", ".xz")

_FORMAT_SUFFIXES = (
    ".run", ".txt", ".trec", ".qrels", ".res", ".results", ".marco", ".tsv", ".csv", ".json", ".jsonl", ".ndjson",
    ".parquet", ".pq", ".arrow", ".feather", ".ipc",
)  # fmt: skip


def is_file(value: object) -> bool:
    """Tell paths and open files from tables in memory.

    >>> is_file("bm25.run"), is_file({"q1": {"d1": 0.5}})
    (True, False)
    """
    # A data frame of pandas may have a column that is called so.
    return isinstance(value, str | os.PathLike) or callable(getattr(value, "read", None))


class Source:
    """Bytes that can be read from the start as often as needed, decompressed.

    >>> import io
    >>> source = Source(io.BytesIO(b"q1 Q0 d1 1 0.5 tag"), name="memory")
    >>> [bytes(chunk) for chunk in source.chunks()]
    [b'q1 Q0 d1 1 0.5 tag']
    """

    def __init__(self, readable: Readable, name: str | None = None) -> None:
        self._file: IO[bytes] | None = None
        self._start = 0
        self._ledger = current()  # of whoever opens it, in whatever thread it is read
        self._path: Path | None = None
        #: The start of the file, as detection looks at it, once it has been read.
        self.head: Any = None
        #: Called with the number of bytes as the file is read, for progress bars.
        self.watch: Callable[[int], None] | None = None
        if isinstance(readable, str) and readable == "-":  # a data frame compares cell by cell
            self.name = name or "<stdin>"
            if sys.stdin is None:
                raise InputError(f"{self.name}: cannot be read: standard input is closed")
            self._ledger.add_stream(sys.stdin)
            self._file = self._spooled(sys.stdin.buffer)
        elif isinstance(readable, str | os.PathLike):
            if not os.fspath(readable):
                raise InputError("expected the name of a file, got an empty one")
            self._path = Path(readable)
            self.name = name or os.fspath(readable)
        elif not is_file(readable):
            raise ParameterError(f"expected a file, or the name of one, got {type(readable).__name__}")
        else:
            self.name = name or str(getattr(readable, "name", "<file>"))
            self._ledger.add_stream(readable)
            try:
                self._file, self._start = self._rereadable(readable)
            except ValueError as problem:
                raise InputError(f"{self.name}: cannot be read: {problem}") from problem

    @classmethod
    def of(cls, source: Readable | Source) -> Source:
        """A source as it is; of anything else that can be read, a new one."""
        return source if isinstance(source, Source) else cls(source)

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open at the start, decompressing what is compressed, whatever its name ends in."""
        try:
            raw = self._raw()
        except (OSError, ValueError) as problem:
            raise InputError(f"{self.name}: cannot be read: {reason(problem)}") from problem
        try:
            magic = raw.read(10)
            raw.seek(self._start)
            inflated = _inflated(raw, magic)
            yield raw if inflated is None else self._limited(inflated, raw)
        except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError) as problem:
            raise FormatError(self.name, None, expected="an intact compressed file", note=str(problem)) from problem
        except OSError as problem:
            raise InputError(f"{self.name}: cannot be read: {reason(problem)}") from problem
        finally:
            if raw is not self._file:
                raw.close()

    def _limited(self, inflated: Fill, raw: IO[bytes]) -> IO[bytes]:
        """The inflated bytes of a compressed file, with an error where they are out of all proportion."""
        here = raw.tell()
        size = raw.seek(0, os.SEEK_END) - self._start
        raw.seek(here)
        most = max(_SMALL_BYTES, _MOST_TIMES * size)

        def refuse() -> None:
            expected = f"{size:,} compressed bytes to hold at most {most:,}"
            raise FormatError(self.name, None, expected=expected, note="to read it all the same, decompress it first")

        return io.BufferedReader(_Limited(inflated, most, refuse), buffer_size=1 << 20)

    def _raw(self) -> IO[bytes]:
        if self._file is None:
            opened = cast("Path", self._path).open("rb", buffering=1 << 16)
            if opened.seekable():
                self._ledger.add_input(cast("Path", self._path))
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
        for piece in iter(lambda: stream.read(1 << 20), b""):
            self._keep(piece, copy)
        copy.seek(0)
        return cast("IO[bytes]", copy)

    def _keep(self, piece: bytes, copy: IO[bytes]) -> None:
        try:
            copy.write(piece)
        except OSError as problem:
            place = f"{tempfile.gettempdir()} (TMPDIR, for temporary files)"
            raise InputError(f"{self.name}: cannot be kept in {place}: {reason(problem)}") from problem

    @property
    def path(self) -> Path | None:
        """The file itself, if it is one."""
        return self._path

    @property
    def plain(self) -> bool:
        """True if the bytes are those of a file on disk, and not compressed."""
        if self._path is None or self._file is not None:
            return False
        with self.open() as file:
            return isinstance(file, io.BufferedReader) and isinstance(file.raw, io.FileIO)

    def stored(self) -> tuple[int, bool]:
        """The number of bytes stored, and whether they are compressed; of a pipe, all are read to tell."""
        with self.open() as file:
            is_compressed = isinstance(getattr(file, "raw", None), _Limited)
        if self._file is None:
            return cast("Path", self._path).stat().st_size, is_compressed
        return self._file.seek(0, os.SEEK_END) - self._start, is_compressed

    def read(self) -> bytes:
        """All bytes at once, without a byte-order mark."""
        return b"".join(self.pieces())

    def pieces(self) -> Iterator[bytes]:
        """The bytes in pieces that end anywhere, but not within CR LF, without a byte-order mark."""
        with self.open() as file:
            yield from self._passed(iter(lambda: _piece(file), b""))

    def chunks(self, size: int = CHUNK_BYTES) -> Iterator[bytes]:
        """Cut the bytes into pieces of whole lines, about `size` long, without a byte-order mark."""
        with self.open() as file:
            lines = iter(lambda: self._whole_lines(file, size), b"")
            yield from filter(None, map(without_end_mark, self._passed(lines)))

    def _passed(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for number, data in enumerate(pieces):
            if self.watch is not None:
                self.watch(len(data))
            if plain := data if number else data.removeprefix(BYTE_ORDER_MARK):
                yield plain

    def _whole_lines(self, file: IO[bytes], size: int) -> bytes:
        """Read about `size` bytes, up to the end of a line."""
        if isinstance(file, io.BufferedReader) and isinstance(file.raw, io.FileIO) and file.seekable():
            # Find the end first: one read of the whole is cheaper than joining two.
            start = file.tell()
            file.seek(start + size)
            end = file.readline(LONGEST_LINE)
            file.seek(start)
            data = file.read(size + len(end))
        else:
            data = file.read(size)
            end = b"" if data.endswith(b"\n") else file.readline(LONGEST_LINE)
            data += end
        if len(end) == LONGEST_LINE:
            raise FormatError(self.name, None, expected=f"lines of at most {LONGEST_LINE:,} bytes", got="a longer one")
        return data

    @property
    def size(self) -> int | None:
        """The size of a plain file in bytes; None where that is not known before it is read."""
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


def without_end_mark(data: bytes) -> bytes:
    """Text without the Ctrl-Z that DOS put at the end of files, and that old collections still have there.

    >>> without_end_mark(b"q1 0 d1 1\\r\\n\\x1a")
    b'q1 0 d1 1\\r\\n'
    """
    if _CTRL_Z not in data[-4:]:
        return data
    return data.rstrip(_CTRL_Z) if data.endswith(_CTRL_Z) else re.sub(rb"\n\x1a+[\r\n]*\Z", b"\n", data)


def _piece(file: IO[bytes]) -> bytes:
    data = file.read(CHUNK_BYTES)
    return data + file.read(1) if data.endswith(b"\r") else data


def _inflated(raw: IO[bytes], magic: bytes) -> Fill | None:
    """A reader of compressed data, whatever the file's name ends in; None for data that are not compressed."""
    if magic.startswith(_GZIP):
        return gzip.GzipFile(fileobj=raw, mode="rb").readinto1
    # A frame of Zstandard, or one that holds something else and is skipped.
    if magic.startswith(_ZSTD) or (magic[1:4] == _SKIPPABLE and magic[0] & 0xF0 == 0x50):
        return _ZstdStreams(raw).readinto
    if magic.startswith(b"BZh") and magic[4:] == _BZIP2_BLOCK:
        return bz2.BZ2File(raw).readinto1
    if magic.startswith(_XZ):
        return _Streams(raw).readinto
    return None


#: A character by its number: no character has one so long, and Python refuses to read one that is much longer.
_NO_CHARACTER = re.compile(r"&#\d{20,}+;?")


def decoded(source: Source) -> tuple[str, tuple[str, ...]]:
    """The text of a file, and a warning if it is not in UTF-8.

    >>> import io
    >>> decoded(Source(io.BytesIO(b"caf\\xe9"), name="menu"))
    ('café', ('menu: the text is not in UTF-8; it is read as Latin-1',))
    """
    data = without_end_mark(source.read())
    try:
        return data.decode(), ()
    except UnicodeDecodeError:
        return data.decode("latin-1"), (f"{source.name}: the text is not in UTF-8; it is read as Latin-1",)


def lines_of(text: str) -> list[str]:
    """Cut a text into lines where newlines or carriage returns are, and nowhere else.

    >>> lines_of("one\\r\\ntwo\\u2028too\\n")
    ['one', 'two\\u2028too']
    """
    return text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")


def without_entities(text: str) -> str:
    """A text with entities as what they stand for; a number that no character has is a replacement character.

    >>> without_entities("tea &amp; milk&#33;"), without_entities("&#" + "9" * 5000 + ";")
    ('tea & milk!', '\ufffd')
    """
    import html  # noqa: PLC0415  # its table of names is long, and most texts have none

    return html.unescape(_NO_CHARACTER.sub("\ufffd", text))
