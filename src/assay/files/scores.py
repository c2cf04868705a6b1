"""Tables of scores: one number per system, measure and unit, from CSV or TSV in any of three shapes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import polars as pl

from assay.core.errors import FormatError
from assay.files.small_tables import SmallTable
from assay.files.sources import Readable, Source
from assay.tables import Scores

#: The names that files give the unit that scores are paired by, in small letters.
_QUERIES = ("query_id", "qid", "query", "topic", "topic_id")
_UNITS = (*_QUERIES, "unit", "item", "user", "participant", "fold", "class", "")
_LONG = ("system", "measure", "value")
_SHAPES = (
    "`system,measure,unit,value`; or `system,query_id` and a column a measure, as an evaluation "
    "writes them by query; or a column a system and a row a unit"
)


class _Score(NamedTuple):
    system: str
    measure: str
    unit: str
    value: float | None


def read_scores(given: Readable | Source, *, measure: str = "score") -> Scores:
    """Read a table of scores from CSV or TSV with a header.

    Three shapes are known: `system,measure,unit,value`; what an evaluation writes by query; and a matrix
    with a column a system and a row a unit, whose first column may name the units. A matrix does not say what was
    measured: `measure` does. An empty field or `NA` is no value.

    >>> import io
    >>> scores = read_scores(io.StringIO("bm25,dense\\n0.5,0.75\\n"), measure="AP")
    >>> scores.frame.select("system", "unit", "value").rows()
    [('bm25', '1', 0.5), ('dense', '1', 0.75)]
    """
    source = Source.of(given)
    table = SmallTable.read(source, f"a header and rows: {_SHAPES}")
    return Scores(_frame(table, measure))


def _frame(table: SmallTable, measure: str) -> pl.DataFrame:
    columns: dict[str, list[str | float | None]] = {"system": [], "measure": [], "unit": [], "value": []}
    seen: set[tuple[str, str, str]] = set()
    for line, score in _scores(table, measure):
        key = score[:3]
        if key in seen:
            what = f"one value of {score.measure} for {score.system} on {score.unit}"
            raise FormatError(table.name, line, expected=what, got="a second one")
        seen.add(key)
        for column, field in zip(columns, score, strict=True):
            columns[column].append(field)
    frame = pl.DataFrame(columns, schema_overrides={"value": pl.Float64})
    reason = pl.when(pl.col("value").is_null()).then(pl.lit("no value in the file"))
    kind = pl.lit(_unit_kind(table.header)).alias("unit_kind")
    return frame.select("system", "measure", kind, "unit", "value", reason.alias("undefined"))


def _scores(table: SmallTable, measure: str) -> Iterator[tuple[int, _Score]]:
    """The scores of a table of whatever shape, each with its line."""
    folded = [column.casefold() for column in table.header]
    unit, system = _unit_column(table.header), folded.index("system") if "system" in folded else None
    long = [folded.index(column) for column in _LONG if column in folded]
    is_long = len(long) == len(_LONG) and unit is not None
    values = [number for number in range(len(folded)) if number not in {unit, system}]
    if "" in (table.header[number] for number in values):
        raise FormatError(table.name, 1, expected="a name for each column", got="none for one")
    for count, row in enumerate(table.rows, 1):
        fields = row.fields
        unit_name = fields[unit] if unit is not None else str(count)
        if not unit_name or (system is not None and not fields[system]):
            raise FormatError(table.name, row.line, expected="a system and a unit", got=",".join(fields))
        if is_long:
            yield row.line, _Score(fields[long[0]], fields[long[1]], unit_name, table.number(row, long[2]))
            continue
        for number in values:
            value = table.number(row, number)
            if system is None:
                yield row.line, _Score(table.header[number], measure, unit_name, value)
            else:
                yield row.line, _Score(fields[system], table.header[number], unit_name, value)


def _unit_column(header: Sequence[str]) -> int | None:
    """Which column names the units: one of several names, or, in a matrix, the first column if it has such a name."""
    folded = [column.casefold() for column in header]
    if "system" not in folded:
        return 0 if folded[0] in _UNITS else None
    return next((folded.index(name) for name in _UNITS if name in folded), None)


def _unit_kind(header: Sequence[str]) -> str:
    """What the units are, as far as the header tells."""
    unit = _unit_column(header)
    name = "" if unit is None else header[unit].casefold()
    return "query" if name in _QUERIES else name or "unit"
