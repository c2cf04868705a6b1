"""Files whose columns have names (CSV, TSV, JSONL, Parquet, Arrow) as runs, judgments, topics and documents."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import polars as pl

from assay.core.errors import AssayError, EmptyFileError, FormatError, ParameterError, did_you_mean, listed, number_of
from assay.files.json_values import fast_table, keys_of, object_lines, quiet_panics, records
from assay.files.parquet import TableFile, names_in, read_table
from assay.files.registry import COLUMN_MARKS, Head, Kind, Loaded, head_of, named, register
from assay.files.sources import Readable, Source, decoded, is_file, lines_of
from assay.tables import Documents, Run, Topics
from assay.tables.label_rules import ItemTable, distinct
from assay.tables.named_columns import TRUTH_VALUES, NamedColumns, ranking_rows
from assay.tables.roles import (
    DOCUMENT,
    QUERY,
    are_rated_lists,
    columns_of,
    folded_name,
    is_frame,
    shape_of,
    turned_round,
)

_LONGEST_HEADER = 1 << 20
#: No field of a table that is read in pieces is longer.
_LONGEST_FIELD = 1 << 26
#: What is done with a line that cannot be used: its number, what was expected, what came.
Refuse: TypeAlias = Callable[[int, str, str], None]

#: Separators in the order in which they are tried, and what a table with them is called.
_SAYS = {"\t": "TSV", ",": "CSV", ";": "CSV"}


class _Dialect(NamedTuple):
    """The place of the header, and the way fields are separated and quoted."""

    line: int
    separator: str
    names: list[str]
    quoted: bool = True


def _header(line: str) -> tuple[str, list[str]] | None:
    """The separator and the names of a header line, unless it is as long as none is."""
    for separator in _SAYS if len(line) <= _LONGEST_HEADER else ():
        if separator in line:
            try:
                return separator, next(csv.reader([line.rstrip("\r\n")], delimiter=separator, strict=True), [])
            except csv.Error:
                return None
    return None


def table_head(head: Head) -> list[list[str]] | None:
    """The fields of the first lines, if these look like rows of a table: as many in each, and two or more.

    >>> table_head(head_of(Source(io.StringIO("time,query\\n7,small camera\\n"))))
    [['time', 'query'], ['7', 'small camera']]
    """
    header = _header(head.first) if head.numbered and not head.is_json and not head.is_binary else None
    if header is None or len(header[1]) < 2:
        return None
    try:
        rows = list(csv.reader(head.lines, delimiter=header[0], strict=True))
    except csv.Error:
        return None
    return rows if all(len(row) == len(header[1]) for row in rows) else None


def read_fields(source: Source, expected: str) -> NamedColumns:
    """All columns as text, whatever they are called; `expected` is for messages.

    >>> read_fields(Source(io.StringIO("a;b\\n1;2\\n")), "a table").frame.to_dict(as_series=False)
    {'a': ['1'], 'b': ['2']}
    """

    def refuse(line: int, expected: str, got: str) -> None:
        raise FormatError(source.name, line, expected=expected, got=got)

    def where(row: int) -> tuple[str, int | None]:
        return source.name, _piece(source.read(), dialect, refuse)[1]()[row]

    dialect = _dialect(source, expected)
    frame, _ = _piece(source.read(), dialect, refuse)
    if not frame.height:
        raise EmptyFileError(source.name, "a line or more below the header")
    return NamedColumns(source.name, frame, where, title=f"{_SAYS[dialect.separator]} with a header")


def field_chunks(source: Source, expected: str, refuse: Refuse) -> Iterator[tuple[pl.DataFrame, Sequence[int]]]:
    """All columns as text, piece by piece, with the lines of the rows.

    A row with another number of fields is refused by its line; where that does not raise, it is left out.

    >>> [frame.rows() for frame, lines in field_chunks(Source(io.StringIO("a;b\\n1;2\\n")), "a table", print)]
    [[('1', '2')]]
    """
    dialect = _dialect(source, expected)
    by_line = dialect.separator == "\t"
    before, held = 0, b""
    for chunk in itertools.chain(source.chunks(), [b""]):
        held += chunk
        if not held:
            return
        if chunk and held.count(b'"') % 2 and not by_line and len(held) < _LONGEST_FIELD:
            continue  # a quoted field goes on in the next piece
        at = partial(_moved, refuse, before)
        frame, lines = _piece(held, dialect, at, by_line=by_line)
        yield frame, [before + line for line in lines()]
        before += held.count(b"\n")
        held, dialect = b"", dialect._replace(line=0)


def text_pieces(source: Source, columns: Sequence[str], expected: str, refuse: Refuse) -> Iterator[pl.DataFrame]:
    """Some columns of a table of lines (CSV, TSV, JSONL) as text, piece by piece, with the line of each as `row`.

    What cannot be used is refused by its line; where that does not raise, it is left out.

    >>> source = Source(io.StringIO("a,b\\n1\\n2,3\\n"))
    >>> [frame.rows() for frame in text_pieces(source, ["b"], "a table", lambda *problem: print(problem))]
    (2, '2 fields', '1')
    [[(3, '3')]]
    """
    if not head_of(source).is_json:
        for fields, lines in field_chunks(source, expected, refuse):
            yield fields.select(pl.Series("row", lines, pl.Int64), *columns)
        return
    line = 1
    for chunk in source.chunks():
        yield object_lines(chunk, line, dict.fromkeys(columns, pl.String), refuse)
        line += chunk.count(b"\n")


def _moved(refuse: Refuse, before: int, line: int, expected: str, got: str) -> None:
    """Refuse a line of a piece before which there are others."""
    refuse(before + line, expected, got)


def _piece(
    data: bytes, dialect: _Dialect, refuse: Refuse, *, by_line: bool = False
) -> tuple[pl.DataFrame, Callable[[], Sequence[int]]]:
    """The rows of whole lines, and what finds their lines; `by_line`: no field goes on in the next line."""
    data = _with_newlines(data) if dialect.line else data
    count = data.count(b"\n") + (not data.endswith(b"\n")) - dialect.line
    frame = _parsed(data, dialect)
    if dialect.separator == "\t" and (frame is None or (by_line and frame.height != count)):
        # Files with tabs often quote nothing, and have quotation marks in their texts.
        dialect = dialect._replace(quoted=False)
        frame = _parsed(data, dialect)

    def lines_of_rows() -> list[int]:
        return [line for line, _ in _sound_rows(data, dialect, refuse)]

    # Polars fills short lines up with nulls, which are also what empty fields give: whoever has none is fine.
    if frame is not None and not frame[frame.columns[-1]].null_count():
        regular = range(dialect.line + 1, dialect.line + 1 + count)
        return frame, (lambda: regular) if frame.height == count else lines_of_rows
    lines = lines_of_rows()
    if frame is None or frame.height != len(lines):
        rows = ([field or None for field in row] for _, row in _sound_rows(data, dialect, lambda *_: None))
        frame = pl.DataFrame(list(rows), schema=dict.fromkeys(dialect.names, pl.String), orient="row")
    return frame, lambda: lines


def _dialect(source: Source, expected: str) -> _Dialect:
    """The line of the header, the separator and the names of the columns."""
    head = head_of(source)
    number, line = head.numbered[0] if head.numbered else (1, b"")
    text = line.decode(errors="replace")
    mark, names = _header(text) or ("", [])
    if len(names) < 2:
        note = "a table has two columns or more" if text.strip().isidentifier() else None
        raise FormatError(source.name, number, expected=expected, got=", ".join(names) or text, note=note)
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise FormatError(source.name, number, expected="a name of its own for each column", got=twice[0])
    return _Dialect(number, mark, names)


def _with_newlines(data: bytes) -> bytes:
    """The text with newlines, where carriage returns alone end the lines."""
    return data if b"\n" in data else data.replace(b"\r", b"\n")


def _parsed(data: bytes, dialect: _Dialect) -> pl.DataFrame | None:
    """All fields as text, without blank lines; None if they do not fit."""
    start = 0
    for _ in range(dialect.line):  # the header, and comments before it
        start = data.find(b"\n", start) + 1 or len(data)
    # Polars takes what starts like a compressed file for one, so that a line of our own stands before the rows.
    fields = dialect.separator.join("-" for _ in dialect.names).encode()
    try:
        frame = pl.read_csv(
            b"%b\n%b" % (fields, data[start:]),
            separator=dialect.separator,
            schema=dict.fromkeys(dialect.names, pl.String),
            quote_char='"' if dialect.quoted else None,
            has_header=False,
        )[1:]
    except pl.exceptions.PolarsError:
        return None
    return frame.filter(~pl.all_horizontal(pl.all().is_null()))


def _sound_rows(data: bytes, dialect: _Dialect, refuse: Refuse) -> Iterator[tuple[int, list[str]]]:
    """The rows below the header that are not blank, with the line that each ends on; others are refused by their line.

    A quotation mark that nobody closes makes its own line unusable, and not what follows it.
    """
    lines = list(io.StringIO(data.decode(errors="replace"), newline=""))
    is_utf8 = _is_utf8(data)
    columns = len(dialect.names)
    start = dialect.line
    csv.field_size_limit(1 << 30)
    quoting: Any = csv.QUOTE_MINIMAL if dialect.quoted else csv.QUOTE_NONE
    while start < len(lines):
        before = start
        rest = (lines[place] for place in range(before, len(lines)))
        reader = csv.reader(rest, delimiter=dialect.separator, quoting=quoting, strict=True)
        try:
            for row in reader:
                end = before + reader.line_num
                if any(row) and len(row) != columns:
                    refuse(start + 1, f"{columns} fields", lines[start].rstrip("\r\n"))
                    end = start + 1
                elif not is_utf8 and any("\ufffd" in field for field in row):
                    refuse(end, "text in UTF-8", dialect.separator.join(row))
                elif any(row):
                    yield end, row
                start = end
                if start != before + reader.line_num:
                    break
        except csv.Error:
            refuse(start + 1, "fields quoted as in CSV", lines[start].rstrip("\r\n"))
            start += 1


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


# Whole numbers, as they are or as a column of floats writes them; what starts with a zero is a code, not a number.
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.0+)?")


def named_columns(data: Readable | Source | Any, kind: str) -> NamedColumns:
    """The table of a kind in a file or a data frame.

    >>> named_columns(pl.DataFrame({"truth": [1]}), "predictions").stem
    'predictions'
    """
    if is_frame(data):
        return NamedColumns.of(data, kind)
    return read_named_columns(Source.of(data), f"a table {shape_of(kind)}")


def read_named_columns(source: Source, expected: str) -> NamedColumns:
    """Read a table by its content; `expected` says in messages what it should hold.

    >>> import io
    >>> read_named_columns(Source(io.StringIO("truth,prediction\\na,b\\n"), name="p.csv"), "a table").frame.rows()
    [('a', 'b')]
    """
    head = head_of(source)
    if not head.numbered:
        raise EmptyFileError(source.name, expected)
    if head.is_binary:
        table = read_table(source)
    elif head.is_json:
        table = _from_json(source)
    else:
        table = read_fields(source, expected)
    if not table.frame.height or not table.frame.width:
        raise EmptyFileError(source.name, expected)
    return table._replace(stem=source.stem)


def names_of(head: Head) -> list[str]:
    """The names of the columns, from the start of a file; none if it has no such columns."""
    if not head.numbered:
        return []
    if head.is_binary:
        return names_in(head.source)
    if head.is_json:
        return head.keys
    header = _header(head.first)
    return header[1] if header else []


def names_in_any(data: Any) -> list[str]:
    """The names of the columns of a file or a data frame; none of anything else, readable or not.

    Standard input can be read only once: give it as a `Source`, which keeps what was read.

    >>> names_in_any(pl.DataFrame({"truth": [1]})), names_in_any({"q": {"d": 1}})
    (['truth'], [])
    """
    if not is_file(data) or data == "-":
        names = data.lazy().collect_schema().names() if isinstance(data, pl.DataFrame | pl.LazyFrame) else None
        return list(map(str, names or getattr(data, "column_names", data.columns))) if is_frame(data) else []
    try:
        return names_of(head_of(Source.of(data)))
    except AssayError:
        return []


def _from_json(source: Source) -> NamedColumns:
    data = source.read()
    frame = fast_table(data)

    def exact(column: str) -> list[Any]:
        return [record.get(column) for _, record in records(source)]

    def where(row: int) -> tuple[str, int | None]:
        lines = [line for line, _ in records(source)]
        return source.name, lines[row] if row < len(lines) else None

    if frame is None or not frame.width:
        rows = [record for _, record in records(source, data)]
        frame = pl.DataFrame([_column(name, [row.get(name) for row in rows]) for name in keys_of(source, rows)])
    return NamedColumns(source.name, frame, where, exact, "JSONL")


def _column(name: str, values: list[Any]) -> pl.Series:
    """A column that the fast reader cannot read, value by value; one of several types is left as it is."""
    numbers = {type(value) for value in values} - {type(None)}
    try:
        with quiet_panics():
            return pl.Series(name, values, pl.Float64 if numbers == {int, float} else None, strict=True)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return pl.Series(name, values, dtype=pl.Object)


def as_whole(columns: Sequence[pl.Series]) -> list[pl.Series]:
    """Columns of text as whole numbers, if all that is written in all of them is; true is 1 where others say 1.

    >>> [column.to_list() for column in as_whole([pl.Series(["1", "0"]), pl.Series(["1.0", None])])]
    [[1, 0], [1, None]]
    >>> [column.to_list() for column in as_whole([pl.Series(["true", "false"]), pl.Series(["1", "1"])])]
    [[1, 0], [1, 1]]
    """
    if not all(column.dtype == pl.String for column in columns):
        return list(columns)
    seen = [text for column in columns for text in distinct(column)]
    whole = {text for text in seen if _WHOLE.fullmatch(text)}
    meant = {text: TRUTH_VALUES.get(text.lower(), text) for text in seen}
    if not whole or not (whole == set(seen) or set(meant.values()) <= {"0", "1"}):
        return list(columns)
    numbers = {text: int(meaning.partition(".")[0]) for text, meaning in meant.items()}
    old, new = pl.Series(list(numbers), dtype=pl.String), pl.Series(list(numbers.values()), dtype=pl.Int64)
    return [column.replace_strict(old, new, return_dtype=pl.Int64) for column in columns]


def as_numbers(values: pl.Series) -> pl.Series:
    """Cells as numbers; null where they hold none.

    >>> as_numbers(pl.Series([" 0.5 ", "high"])).to_list()
    [0.5, None]
    """
    text = values.str.strip_chars() if values.dtype == pl.String else values
    usable = values.dtype.is_numeric() or values.dtype in {pl.String, pl.Boolean}
    return text.cast(pl.Float64, strict=False) if usable else pl.repeat(None, len(values), dtype=pl.Float64, eager=True)


def zero_or_one(table: NamedColumns, column: str) -> np.ndarray[Any, np.dtype[np.bool]]:
    """A column of 0 and 1 that says which items have a label."""
    values = table.frame[column]
    if values.dtype == pl.String:
        values = values.str.strip_chars().str.to_lowercase().replace(TRUTH_VALUES)
    numbers = as_numbers(values)
    table.refuse(~numbers.is_in([0.0, 1.0]).fill_null(False), f"0 or 1 in {column}", column)
    return numbers.to_numpy().astype(np.bool)


def refuse_absent(path: str, names: Sequence[str], columns: Iterable[str | None]) -> None:
    """Refuse columns that somebody names, and that a table lacks."""
    for name in columns:
        if name is not None and name not in names:
            near = did_you_mean(name, names)
            raise ParameterError(f"{path}: no column is called {name!r}: there are {listed(list(names))}{near}")


_System = TypeVar("_System", bound=ItemTable)


def chosen(tables: Iterable[_System], systems: Sequence[str] | str, path: str, what: str) -> list[_System]:
    """The chosen systems, in the order in which they are named.

    >>> from assay import Clusters
    >>> both = [Clusters.of(None, [0, 1, 1], name=name) for name in ("first", "second")]
    >>> [one.name for one in chosen(both, "second", "notes.csv", "clustering")]
    ['second']
    """
    by_name = {table.name: table for table in tables}
    wanted = [systems] if isinstance(systems, str) else list(systems)
    for name in wanted:
        if name not in by_name:
            known = listed(list(by_name))
            raise ParameterError(
                f"{path}: no {what} is called {name!r}: there are {known}{did_you_mean(name, by_name)}"
            )
    return [by_name[name] for name in wanted]


#: All kinds; where an object fits several, the first one counts.
_KINDS: tuple[Kind, ...] = ("run", "qrels", "documents", "topics")

_FORMS = {"parquet": "Parquet or Arrow", "jsonl": "JSONL", "csv": "CSV or TSV"}
#: How files of a form start.
_STARTS = {"parquet": tuple(mark.decode() for mark in COLUMN_MARKS), "jsonl": ("{", "[")}


def table_of(kind: Kind, table: NamedColumns, columns: dict[str, str], name: str) -> Any:
    """Named columns of any types -> a run, loaded judgments, topics or documents."""
    if kind in {"topics", "documents"}:
        make = Topics if kind == "topics" else Documents
        ids = table.ids(columns[make.key], make.key).alias(make.key)
        texts = [table.frame[theirs].alias(ours) for ours, theirs in columns.items() if ours != make.key]
        rest = table.frame.drop({*columns, *columns.values()} & {*table.frame.columns})
        return make(pl.DataFrame([ids, *texts, *rest]), name, table.title, where=table.where)
    if kind == "qrels":
        table, remarks = _rated(table, columns)
        return Loaded(ranking_rows(kind, table, columns), table.where, remarks, title=table.title)
    rows = ranking_rows(kind, table, columns)
    said = turned_round(name, columns)
    return Run(rows, name, table.title, where=table.where, origin=table.path, warnings=said)


def _rated(table: NamedColumns, columns: dict[str, str]) -> tuple[NamedColumns, tuple[str, ...]]:
    """The rows of a list of results that were rated; who exports whole lists leaves the other cells empty."""
    ratings = table.frame[columns["relevance"]]
    empty = ratings.is_null() | (
        ratings.cast(pl.String).str.strip_chars() == "" if ratings.dtype == pl.String else False
    )
    if not empty.any() or empty.all() or not are_rated_lists(table.frame.columns):
        return table, ()
    rows = (~empty).arg_true()
    frame = table.frame.filter(~empty)
    exact = table.exact
    rated = table._replace(
        frame=frame,
        where=lambda row: table.where(int(rows[row])),
        exact=None
        if exact is None
        else lambda column: pl.Series(exact(column), dtype=pl.Object).gather(rows).to_list(),
    )
    return rated, (f"{table.path}: {number_of('result', int(empty.sum()))} without a rating: not judged",)


def _read(kind: Kind, source: Source, name: str) -> Any:
    head = head_of(source)
    columns = columns_of(kind, names_of(head))
    if kind == "run" and columns is not None and head.is_binary:
        return TableFile(source, columns, name)
    table = read_named_columns(source, f"rows {shape_of(kind)}")
    return table_of(kind, table, table.roles(kind), name)


def _matches(form: str, kind: Kind, head: Head) -> bool:
    is_form = form == next((known for known, marks in _STARTS.items() if head.text.startswith(marks)), "csv")
    return is_form and columns_of(kind, names_of(head)) is not None


def _two_columns(kind: Kind, source: Source, name: str) -> Topics | Documents:
    """An id, a tab and a text, without a header, as MS MARCO has queries and passages."""
    key = "query_id" if kind == "topics" else "doc_id"
    text = "title" if kind == "topics" else "text"
    data, warnings = decoded(source)
    lines: list[int] = []
    rows: list[tuple[str, str]] = []
    for number, line in enumerate(lines_of(data), 1):
        identifier, tab, words = line.partition("\t")
        if not tab and not identifier.strip():
            continue
        if not tab or not identifier.strip():
            raise FormatError(source.name, number, expected=f"`{key}`, a tab, the text", got=line)
        rows.append((identifier.strip(), words.strip()))
        lines.append(number)
    if not rows:
        raise EmptyFileError(source.name, f"`{key}`, a tab, the text")
    frame = pl.DataFrame(rows, schema=[key, text], orient="row")
    make = Topics if kind == "topics" else Documents
    return make(frame, name, "TSV of ids and texts", warnings, where=lambda row: (source.name, lines[row]))


for _form, _title in _FORMS.items():
    for _kind in _KINDS:
        register(f"{_form}-{_kind}", _kind, f"{_title} of {named(_kind)}", shape_of(_kind), partial(_read, _kind))(
            partial(_matches, _form, _kind)
        )


@register(
    "tsv-documents", "documents", "TSV of ids and texts", "`doc_id`, a tab, the text",
    partial(_two_columns, "documents"),
)  # fmt: skip
@register(
    "tsv-topics", "topics", "TSV of ids and texts", "`query_id`, a tab, the text", partial(_two_columns, "topics")
)
def two_columns(head: Head) -> bool:
    """Every line has one tab, and what stands before it is one word; the first line names no columns."""
    is_header = folded_name(head.first.partition("\t")[0]) in {*QUERY.names, *DOCUMENT.names, "id"}
    return not is_header and all(
        line.count("\t") == 1 and len(line.partition("\t")[0].split()) == 1 for line in head.lines
    )
