"""The pages of a Parquet file, counted before they are read: Polars believes a page and asks for the memory it claims.

A damaged count of values is at best a panic, at worst a request for 2^61 bytes that ends the process. Only the numbers
are looked at here: the footer lists the columns' pages, and each page says how many values it holds.
"""

from __future__ import annotations

from typing import Any

_MARK = b"PAR1"
#: Kinds of field in Thrift's compact form, which Parquet is written in.
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
#: Nothing in a footer lies deeper; what does is meant to exhaust the stack.
_DEEPEST = 64


class BrokenPagesError(ValueError):
    """What is wrong with the pages."""


def check_pages(data: Any) -> None:
    """Refuse a file in which a page claims more values than its column has, or less than none.

    >>> import io, polars
    >>> written = io.BytesIO()
    >>> polars.DataFrame({"query_id": ["q1"]}).write_parquet(written)
    >>> check_pages(written.getvalue())
    >>> check_pages(b"PAR1" + bytes(4) + b"PAR1")
    Traceback (most recent call last):
    assay.files.parquet_pages.BrokenPagesError: its list of columns is damaged
    """
    size = len(data)
    length = int.from_bytes(data[size - 8 : size - 4], "little") if size > 12 else 0
    if not length or length > size - 12 or data[size - 4 : size] != _MARK:
        raise BrokenPagesError("its list of columns is damaged")
    try:
        footer, _ = _struct(data, size - 8 - length, 0)
        for group in footer.get(4, ()):
            for chunk in group.get(1, ()):
                _check_column(data, chunk[3])
    except (IndexError, KeyError, TypeError, AttributeError) as problem:
        raise BrokenPagesError("its pages are damaged") from problem


def _check_column(data: Any, about: dict[int, Any]) -> None:
    """Walk from page to page: numbers are those of the fields of `ColumnMetaData` and `PageHeader`."""
    values, at = about[5], about[9]
    if 11 in about and 0 < about[11] < at:  # the page of the dictionary comes first
        at = about[11]
    end = at + about[7]
    if values < 0 or not 0 <= at <= end <= len(data):
        raise BrokenPagesError("a column lies outside the file")
    while values > 0 and at < end:
        page, at = _struct(data, at, 0)
        claimed = (page.get(5) or page.get(8) or page.get(7) or {1: 0})[1]
        # A value of a dictionary takes a byte at least; a column may repeat one value without end.
        most = page[2] if 7 in page else values
        if not 0 <= claimed <= most or page[3] < 0:
            raise BrokenPagesError(f"a page claims {claimed:,} values")
        values -= 0 if 7 in page else claimed
        at += page[3]


def _struct(data: Any, at: int, depth: int) -> tuple[dict[int, Any], int]:
    """The fields of a record by their numbers, and where it ends."""
    fields: dict[int, Any] = {}
    number = 0
    while head := data[at]:
        at += 1
        if head >> 4:
            number += head >> 4
        else:
            number, at = _signed(data, at)
        kind = head & 15
        if kind in (_TRUE, _FALSE):
            fields[number] = kind == _TRUE
        else:
            fields[number], at = _value(data, at, kind, depth)
    return fields, at + 1


def _value(data: Any, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if depth > _DEEPEST:
        raise BrokenPagesError("its list of columns is nested too deeply")
    if kind in (_I16, _I32, _I64):
        return _signed(data, at)
    if kind == _BINARY:
        length, at = _unsigned(data, at)
        return None, at + length
    if kind == _STRUCT:
        return _struct(data, at, depth + 1)
    if kind in (_LIST, _SET):
        return _list(data, at, depth + 1)
    if kind in (_BYTE, _TRUE, _FALSE):
        return None, at + 1
    if kind == _DOUBLE:
        return None, at + 8
    raise BrokenPagesError("its list of columns is damaged")


def _list(data: Any, at: int, depth: int) -> tuple[list[Any], int]:
    count, kind = data[at] >> 4, data[at] & 15
    at += 1
    if count == 15:
        count, at = _unsigned(data, at)
    values = []
    for _ in range(count):
        value, at = _value(data, at, kind, depth)
        values.append(value)
    return values, at


def _unsigned(data: Any, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
        shift += 7
        if shift > 63:
            raise BrokenPagesError("its list of columns is damaged")


def _signed(data: Any, at: int) -> tuple[int, int]:
    number, at = _unsigned(data, at)
    return (number >> 1) ^ -(number & 1), at
