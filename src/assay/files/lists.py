"""Lists that somebody made: numbers by name, one list per column, and ids, one per line."""

from __future__ import annotations

from assay.core.errors import FormatError
from assay.files.decoding import decoded, lines_of
from assay.files.small_tables import SmallTable
from assay.files.sources import Readable, Source


def read_numbers(readable: Readable | Source) -> dict[str, dict[str, float | None]]:
    """Read lists of numbers from CSV or TSV with a header: names in the first column, a list in every other one.

    An empty field or `NA` is no value.

    >>> import io
    >>> read_numbers(io.StringIO("system,AP,RR\\nbm25,0.25,0.5\\ndense,0.75,NA\\n"))
    {'AP': {'bm25': 0.25, 'dense': 0.75}, 'RR': {'bm25': 0.5, 'dense': None}}
    """
    table = SmallTable.read(_source(readable), "a header, then a name and numbers a line")
    if "" in table.header[1:]:
        raise FormatError(table.name, 1, expected="a name for each column of numbers", got=",".join(table.header))
    lists: dict[str, dict[str, float | None]] = {name: {} for name in table.header[1:]}
    seen: set[str] = set()
    for row in table.rows:
        item = row.fields[0]
        if not item or item in seen:
            expected = "each name once" if item else "a name in the first column"
            raise FormatError(table.name, row.line, expected=expected, got=item or ",".join(row.fields))
        seen.add(item)
        for column, name in enumerate(table.header[1:], 1):
            lists[name][item] = table.number(row, column)
    return lists


def read_ids(readable: Readable | Source) -> list[str]:
    """Read ids, one a line: the first word of each line that is not blank, each id once.

    >>> import io
    >>> read_ids(io.StringIO("401\\n402  a remark\\n\\n"))
    ['401', '402']
    """
    source = _source(readable)
    text, _ = decoded(source)
    ids = dict.fromkeys(words[0] for line in lines_of(text) if (words := line.split()))
    if not ids:
        raise FormatError(source.name, 1, expected="ids, one a line", got="")
    return list(ids)


def _source(readable: Readable | Source) -> Source:
    return Source.of(readable)
