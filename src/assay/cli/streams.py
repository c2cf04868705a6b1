"""The standard streams: what their encoding lacks is escaped, and what goes to a closed stdout is an error."""

from __future__ import annotations

import codecs
import errno
import io
import sys

_ESCAPED = "assay.escaped"


def prepare() -> None:
    """Escape what the encoding of stdout and stderr lacks: that is no reason to lose a result."""
    codecs.register_error(_ESCAPED, _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ESCAPED)


def _escaped(problem: UnicodeError) -> tuple[str, int]:
    r"""Characters by their numbers, as JSON has them, too.

    >>> codecs.register_error("doctest", _escaped)
    >>> print("caf\u00e9 \U0001f375".encode("ascii", "doctest").decode())
    caf\u00e9 \ud83c\udf75
    """
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    units = problem.object[problem.start : problem.end].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4)), problem.end


class Closed(io.TextIOBase):
    """A stand-in for a stdout that was closed from the start: a result that is printed would be lost."""

    encoding = "utf-8"

    def write(self, text: str) -> int:
        """Refuse all but nothing."""
        if text:
            raise OSError(errno.EBADF, "standard output is closed")
        return 0

    def fileno(self) -> int:
        """The number of the stream, which nothing else may have."""
        return 1
