"""The formats Assay knows, and which one a file is in.

A format is registered where it is defined. Detection looks at the first line that holds data, and what it found is
said: by `Run.format`, `Qrels.format` and the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from assay.errors import FormatError, ParameterError, did_you_mean
from assay.files.columns import Layout, data_lines
from assay.files.sources import Source

Kind: TypeAlias = Literal["run", "qrels"]
#: The fields of a line.
Fields: TypeAlias = Sequence[str]

_HEAD_BYTES = 1 << 12


class Format(NamedTuple):
    """How a table is written in a file.

    >>> from assay.files import formats
    >>> [format.name for format in formats("run")]
    ['trec-run']
    """

    name: str
    kind: Kind
    says: str
    layout: Layout
    matches: Callable[[Fields], bool]


_FORMATS: dict[str, Format] = {}


def register(name: str, kind: Kind, says: str, layout: Layout) -> Callable[[Callable[[Fields], bool]], Format]:
    """Register a format; the decorated function tells from the first line whether a file is in it."""

    def add(matches: Callable[[Fields], bool]) -> Format:
        _FORMATS[name] = Format(name, kind, says, layout, matches)
        return _FORMATS[name]

    return add


def formats(kind: Kind | None = None) -> list[Format]:
    """List the registered formats, of one kind or all."""
    return [known for known in _FORMATS.values() if kind in {None, known.kind}]


def detect(source: Source, kind: Kind, name: str | None = None) -> Format:
    """Find the format of a file that should hold a table of this kind; `name` fixes it."""
    if name is not None:
        return _named(name, kind)
    line, fields = _first_data_line(source)
    if not fields:
        raise FormatError(source.name, None, expected=_wanted(kind), note="there are no data in the file")
    fitting = [known for known in _FORMATS.values() if known.matches(fields)]
    for known in fitting:
        if known.kind == kind:
            return known
    note = f"this looks like {fitting[0].says}" if fitting else None
    raise FormatError(source.name, line, expected=_wanted(kind), got=" ".join(fields), note=note)


def _first_data_line(source: Source) -> tuple[int, list[str]]:
    """The number and the fields of the first line that holds data; no fields if there is none."""
    with source.open() as file:
        data = b""
        # A long preamble of comments or blank lines is not yet an empty file.
        while more := file.read(_HEAD_BYTES):
            data += more + file.readline()
            if lines := data_lines(data):
                number, line = lines[0]
                return number, [field.decode(errors="replace") for field in line.split()]
    return 0, []


def _named(name: str, kind: Kind) -> Format:
    try:
        known = _FORMATS[name]
    except KeyError:
        raise ParameterError(f"no format is called {name!r}{did_you_mean(name, _FORMATS)}") from None
    if known.kind != kind:
        raise ParameterError(f"format {name!r} holds {known.kind}, not {kind}")
    return known


def _wanted(kind: Kind) -> str:
    return " or ".join(f"{known.says} `{' '.join(known.layout.columns)}`" for known in formats(kind))


def is_number(text: str) -> bool:
    """Tell whether a field reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text
