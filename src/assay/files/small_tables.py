"""Small tables with a header: scores, a ready confusion matrix, lists of numbers; and lists of ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.domains import Choice
from assay.core.errors import FormatError, listed
from assay.files.named_columns import named_columns, read_named_columns
from assay.files.sources import Readable, Source, decoded, lines_of
from assay.tables import Scores
from assay.tables.label_rules import row_numbers
from assay.tables.named_columns import NamedColumns
from assay.tables.roles import QUERY, TABLES, UNIT, find, folded_name, roles_in, shape_of


def read_numbers(readable: Readable | Source) -> dict[str, dict[str, float | None]]:
    """Read lists of numbers from a table with a header: names in the first column, a list in every other one.

    An empty field or `NA` is no value.

    >>> import io
    >>> read_numbers(io.StringIO("system,AP,RR\\nbm25,0.25,0.5\\ndense,0.75,NA\\n"))
    {'AP': {'bm25': 0.25, 'dense': 0.75}, 'RR': {'bm25': 0.5, 'dense': None}}
    """
    table = read_named_columns(Source.of(readable), "a header, then a name and numbers on each line")
    first, *rest = table.frame.columns
    if "" in rest:
        raise FormatError(table.path, 1, expected="a name for each column of numbers", got=",".join([first, *rest]))
    names = table.texts(first, "a name in the first column")
    table.refuse(~names.is_first_distinct(), "each name once", first)
    return {column: dict(zip(names, table.numbers(column, column).to_list(), strict=True)) for column in rest}


def read_ids(readable: Readable | Source) -> list[str]:
    """Read ids, one per line: the first word of each line that is not blank, each id once.

    >>> import io
    >>> read_ids(io.StringIO("401\\n402  a remark\\n\\n"))
    ['401', '402']
    """
    source = Source.of(readable)
    text, _ = decoded(source)
    ids = dict.fromkeys(words[0] for line in lines_of(text) if (words := line.split()))
    if not ids:
        raise FormatError(source.name, 1, expected="ids, one per line", got="")
    return list(ids)


Orientation: TypeAlias = Literal["rows_are_true", "rows_are_predicted"]
#: What stands before the labels of the columns, by orientation, in tables that Assay writes.
_PREFIX: dict[str, str] = {"rows_are_true": "predicted ", "rows_are_predicted": "true "}
_CORNER: dict[str, Orientation] = {
    "truth": "rows_are_true", "true": "rows_are_true", "actual": "rows_are_true", "gold": "rows_are_true",
    "prediction": "rows_are_predicted", "predicted": "rows_are_predicted",
}  # fmt: skip
_SHAPE = "a matrix: a header with the labels, then one row per label that starts with it"
_MOST = 1 << 53


class ReadMatrix(NamedTuple):
    """Labels, and how often each (column) was predicted for items of each true label (row)."""

    labels: tuple[str, ...]
    table: NDArray[np.int64]


def read_matrix(readable: Readable | Source, *, orientation: Orientation | None = None) -> ReadMatrix:
    """Read a confusion matrix from a table with a header; what is given has true labels as rows, whatever the file has.

    The order of labels is that of the rows; columns may have another. Without `orientation` the corner says what the
    rows are (`truth` or `prediction`); if it does not, rows are true labels.

    >>> import io
    >>> read_matrix(io.StringIO("prediction,cat,dog\\ncat,5,2\\ndog,1,7\\n")).table
    array([[5, 1],
           [2, 7]])
    """
    if orientation is not None:
        Choice(Orientation).check("orientation", orientation)
    table = read_named_columns(Source.of(readable), _SHAPE)
    first, *names = table.frame.columns
    corner = _CORNER.get(first.casefold())
    if orientation is not None and corner is not None and corner != orientation:
        raise FormatError(table.path, 1, expected=f"{orientation}, as stated", got=first)
    upright: Any = orientation or corner or "rows_are_true"
    prefixed = all(name.startswith(_PREFIX[upright]) and name != _PREFIX[upright] for name in names)
    columns = {name.removeprefix(_PREFIX[upright]) if prefixed else name: name for name in names}
    labels = table.texts(first, "a label").to_list()
    times = Counter(labels)
    for row, label in enumerate(labels):
        if times[label] > 1 or label not in columns:
            raise table.error(row, f"each label of the header once, {listed(list(columns))}", label)
    if len(labels) != len(columns):
        lacking = listed([label for label in columns if label not in times])
        raise FormatError(table.path, None, expected=f"a row for each label of the header, also for {lacking}")
    cells = np.stack([_counts(table, columns[label]) for label in labels], axis=1)
    return ReadMatrix(tuple(labels), cells if upright == "rows_are_true" else np.ascontiguousarray(cells.T))


def _counts(table: NamedColumns, column: str) -> NDArray[np.int64]:
    numbers = table.numbers(column, "a count").cast(pl.Float64)
    wrong = ~((numbers >= 0) & (numbers < _MOST) & (numbers == numbers.floor())).fill_null(False)
    table.refuse(wrong, "a whole number from 0 on", column)
    return numbers.to_numpy().astype(np.int64)


def read_scores(given: Readable | Source | Any, *, measure: str = "score") -> Scores:
    """Read a table of scores from a file with a header, or a data frame.

    Three shapes are known: `system,measure,unit,value`; what an evaluation writes by query; and a matrix with one
    column per system and one row per unit, whose first column may name the units. A matrix does not say what was
    measured: `measure` does. An empty field or `NA` is no value.

    >>> import io
    >>> scores = read_scores(io.StringIO("bm25,dense\\n0.5,0.75\\n"), measure="AP")
    >>> scores.frame.select("system", "unit", "value").rows()
    [('bm25', '1', 0.5), ('dense', '1', 0.75)]
    """
    source = Source(given) if isinstance(given, str) else given
    rows = read_score_rows(source, measure=measure)
    again = ~rows.select(pl.struct("system", "measure", "unit").is_first_distinct()).to_series()
    if again.any():
        row = rows.row(int(again.arg_max() or 0), named=True)
        what = f"one value of {row['measure']} for {row['system']} on {row['unit']}"
        value = "NA" if row["value"] is None else f"{row['value']:g}"
        raise FormatError(getattr(source, "name", "scores"), row["line"], expected=what, got=value, note="a second one")
    return Scores(rows.drop("line"), undefined="skip")


def read_score_rows(given: Readable | Source | Any, *, measure: str = "score") -> pl.DataFrame:
    """Read the rows of a table of scores, each with its `line`, also where a unit has a second value.

    >>> import io
    >>> read_score_rows(io.StringIO("system,measure,unit,value\\na,AP,q1,0.5\\na,AP,q1,0.25\\n"))["line"].to_list()
    [2, 3]
    """
    table = named_columns(given, "scores")
    names = table.frame.columns
    roles = roles_in("scores", names)
    system = roles.get("system")
    unit = find(UNIT, names) if system else _unit_of_matrix(table)
    is_long = len(roles) == len(TABLES["scores"])
    if "measure" in roles and not is_long:
        raise FormatError(table.path, 1, expected=f"a table {shape_of('scores')}", got=", ".join(names))
    values = [roles["value"]] if is_long else [name for name in names if name not in {unit, system}]
    if "" in values:
        raise FormatError(table.path, 1, expected="a name for each column", got="none for one")
    units = row_numbers(table.frame.height) if unit is None else table.texts(unit, "a system and a unit")
    systems = None if system is None else table.texts(system, "a system and a unit")
    measures = table.texts(roles["measure"], "a measure") if is_long else None
    lines = pl.Series("line", table.lines(), dtype=pl.Int64)
    if unit is None:
        kind = "unit"
    elif folded_name(unit) in QUERY.names:
        kind = "query"
    else:
        kind = folded_name(unit) or "unit"
    rows = _numbers(table, values)
    row = rows["row"]
    called = pl.Series(values).gather(rows["place"])
    of_row: pl.Series | pl.Expr = called
    if measures is not None:
        of_row = measures.gather(row)
    elif systems is None:
        of_row = pl.lit(measure)
    frame = rows.select(
        (called if systems is None else systems.gather(row)).alias("system"),
        of_row.alias("measure"),
        pl.lit(kind).alias("unit_kind"),
        units.gather(row).alias("unit"),
        "value",
        lines.gather(row),
    )
    reason = pl.when(pl.col("value").is_null()).then(pl.lit("no value in the file")).alias("undefined")
    return frame.select("system", "measure", "unit_kind", "unit", "value", reason, "line")


def _unit_of_matrix(table: NamedColumns) -> str | None:
    """The column that names the units: the first one with such a name, or another that holds ids, each once."""
    first, *others = table.frame.columns
    if find(UNIT, [first]) is not None:
        return first
    named = find(UNIT, [name for name in others if name])
    if named is None or table.frame[named].is_duplicated().any():
        return None
    numbers = table.frame[named].cast(pl.Float64, strict=False)
    return named if bool((numbers.is_null() | (numbers == numbers.floor())).all()) else None


def _numbers(table: NamedColumns, columns: Sequence[str]) -> pl.DataFrame:
    """The `value` of each `row` and column, by its `place`; columns of one type at once, as there may be thousands."""
    kinds: dict[pl.DataType, list[int]] = {}
    for place, dtype in enumerate(table.frame.select(columns).dtypes):
        kinds.setdefault(dtype, []).append(place)
    height = table.frame.height
    parts = []
    for places in kinds.values():
        column = columns[places[0]]
        values = pl.concat([table.frame[columns[place]].alias(column) for place in places])
        held = table._replace(frame=values.to_frame(), where=lambda row: table.where(row % height))
        numbers = held.numbers(column, "value").cast(pl.Float64)
        where = {"row": np.tile(np.arange(height), len(places)), "place": np.repeat(places, height)}
        parts.append(pl.DataFrame(where).with_columns(value=numbers))
    return pl.concat(parts).sort("row", "place")
