"""Tables of scores: one number per system, measure and unit, from CSV or TSV in any of three shapes."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import polars as pl

from assay.errors import FormatError
from assay.files.decoding import decoded
from assay.files.sources import Readable, Source
from assay.tables import Scores

#: The names that files give the unit that scores are paired by, in small letters.
_QUERIES = ("query_id", "qid", "query", "topic", "topic_id")
_UNITS = (*_QUERIES, "unit", "item", "user", "participant", "fold", "class", "")
_LONG = ("system", "measure", "value")
_NOTHING = ("", "na", "n/a", "null", "none")
_SHAPES = (
    "`system,measure,unit,value`; or `system,query_id` and a column a measure, as `assay evaluate -q --csv` writes; "
    "or a column a system and a row a unit"
)


class _Row(NamedTuple):
    system: str
    measure: str
    unit: str
    value: str


def read_scores(given: Readable | Source, *, measure: str = "score") -> Scores:
    """Read a table of scores from CSV or TSV with a header.

    Three shapes are known: `system,measure,unit,value`; the table that `assay evaluate -q --csv` writes; and a matrix
    with a column a system and a row a unit, whose first column may name the units. A matrix does not say what was
    measured: `measure` does. An empty field or `NA` is no value.

    >>> import io
    >>> scores = read_scores(io.StringIO("bm25,dense\\n0.5,0.75\\n"), measure="AP")
    >>> scores.frame.select("system", "unit", "value").rows()
    [('bm25', '1', 0.5), ('dense', '1', 0.75)]
    """
    source = given if isinstance(given, Source) else Source(given)
    text, _ = decoded(source)
    separator = "\t" if "\t" in text.partition("\n")[0] else ";" if ";" in text.partition("\n")[0] else ","
    reader = csv.reader(text.removeprefix("\ufeff").splitlines(keepends=True), delimiter=separator)
    try:
        header = [name.strip() for name in next(reader, [])]
        lines = [(reader.line_num, [field.strip() for field in row]) for row in reader if any(row)]
    except csv.Error as problem:
        raise FormatError(source.name, reader.line_num, expected="fields quoted as in CSV", got=str(problem)) from None
    if len(header) < 2 or not lines:
        got = separator.join(header) or "nothing"
        raise FormatError(source.name, 1, expected=f"a header and rows: {_SHAPES}", got=got)
    twice = [name for name in header if header.count(name) > 1]
    if twice:
        raise FormatError(source.name, 1, expected="each column once", got=f"{twice[0] or 'no name'} twice")
    return Scores(_frame(source.name, header, lines, measure))


def _frame(name: str, header: Sequence[str], lines: Sequence[tuple[int, list[str]]], measure: str) -> pl.DataFrame:
    columns: dict[str, list[str | float | None]] = {"system": [], "measure": [], "unit": [], "value": []}
    seen: set[tuple[str, str, str]] = set()
    for line, row in _rows(name, header, lines, measure):
        key = row[:3]
        if key in seen:
            what = f"one value of {row.measure} for {row.system} on {row.unit}"
            raise FormatError(name, line, expected=what, got="a second one")
        seen.add(key)
        for column, field in zip(columns, key, strict=False):
            columns[column].append(field)
        columns["value"].append(_number(name, line, row.value))
    frame = pl.DataFrame(columns, schema_overrides={"value": pl.Float64})
    reason = pl.when(pl.col("value").is_null()).then(pl.lit("no value in the file"))
    kind = pl.lit(_unit_kind(header)).alias("unit_kind")
    return frame.select("system", "measure", kind, "unit", "value", reason.alias("undefined"))


def _rows(
    name: str, header: Sequence[str], lines: Sequence[tuple[int, list[str]]], measure: str
) -> Iterator[tuple[int, _Row]]:
    """The rows of whatever shape, one value each."""
    folded = [column.casefold() for column in header]
    unit, system = _unit_column(header), folded.index("system") if "system" in folded else None
    is_long = all(column in folded for column in _LONG) and unit is not None
    values = [number for number in range(len(header)) if number not in {unit, system}]
    for count, (line, fields) in enumerate(lines, 1):
        if len(fields) != len(header):
            got = f"{len(fields)}: {','.join(fields)[:60]}"
            raise FormatError(name, line, expected=f"{len(header)} fields", got=got)
        unit_name = fields[unit] if unit is not None else str(count)
        if not unit_name or (system is not None and not fields[system]):
            raise FormatError(name, line, expected="a system and a unit", got=",".join(fields)[:60])
        if is_long:
            of = dict(zip(folded, fields, strict=True))
            yield line, _Row(of["system"], of["measure"], unit_name, of["value"])
            continue
        for number in values:
            if system is None:
                yield line, _Row(header[number], measure, unit_name, fields[number])
            else:
                yield line, _Row(fields[system], header[number], unit_name, fields[number])


def _unit_column(header: Sequence[str]) -> int | None:
    """Which column names the units; a matrix may have none, and numbers its rows."""
    folded = [column.casefold() for column in header]
    return next((folded.index(name) for name in _UNITS if name in folded), None)


def _unit_kind(header: Sequence[str]) -> str:
    """What the units are, as far as the header tells."""
    unit = _unit_column(header)
    name = "" if unit is None else header[unit].casefold()
    return "query" if name in _QUERIES else name or "unit"


def _number(name: str, line: int, text: str) -> float | None:
    if text.casefold() in _NOTHING:
        return None
    try:
        value = float(text)
    except ValueError:
        raise FormatError(name, line, expected="a number, or nothing", got=text) from None
    if not math.isfinite(value):
        raise FormatError(name, line, expected="a finite number, or nothing", got=text)
    return value
