"""Write a table to a file: the format goes by the file's ending, or by name. Runs stream."""

from __future__ import annotations

import html
import io
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeAlias, Union

import polars as pl

from assay.core.errors import InputError, ParameterError, did_you_mean, quote
from assay.files.atomic import replacing
from assay.files.columns import is_number
from assay.files.runs import as_header
from assay.files.topic_sections import EXPLANATION, as_sections
from assay.tables import Batches, Documents, Qrels, Topics

if TYPE_CHECKING:
    from assay.tables.labels import Labels

Table: TypeAlias = Batches | Qrels | Topics | Documents
_Writable: TypeAlias = Union[Table, "Labels"]

_BLANK = r"[\s\x00-\x20]"
#: Formats that have a place for the usual texts of topics or documents, and for nothing else.
_OF_TEXTS = {"trec-topics", "trec-documents", "topic-sections"}


class Writer(NamedTuple):
    """A writer of tables of some kind, and the endings that ask for it."""

    name: str
    kinds: tuple[str, ...]
    endings: tuple[str, ...]
    write: Callable[[_Writable, IO[bytes]], None]


_WRITERS: dict[str, Writer] = {}


def _writer(name: str, kinds: tuple[str, ...], *endings: str) -> Callable[[Callable[[Any, IO[bytes]], None]], None]:
    def add(write: Callable[[Any, IO[bytes]], None]) -> None:
        _WRITERS[name] = Writer(name, kinds, endings, write)

    return add


def writers(kind: str | None = None) -> list[Writer]:
    """The ways to write a table of a kind.

    >>> [writer.name for writer in writers("topics")]
    ['trec-topics', 'topic-sections', 'csv', 'tsv', 'jsonl', 'parquet', 'arrow']
    """
    return [writer for writer in _WRITERS.values() if kind is None or kind in writer.kinds]


def kind_of(table: _Writable) -> str:
    """The kind of a table."""
    for table_type, kind in ((Qrels, "qrels"), (Topics, "topics"), (Documents, "documents")):
        if isinstance(table, table_type):
            return kind
    if getattr(table, "subject", "") == "judges":
        return "labels"
    if not hasattr(table, "batches"):
        way = f": write its frame, as in {type(table).__name__.lower()}.frame.write_parquet(...)"
        what = "a run, judgments, topics, documents or labels"
        raise ParameterError(f"expected {what}, got {type(table).__name__}{way if hasattr(table, 'frame') else ''}")
    return "run"


def write(table: _Writable, path: str | os.PathLike[str], *, format: str | None = None, overwrite: bool = False) -> str:
    """Write a table; the file appears whole or not at all. `.gz` and `.zst` compress. Returns the format's name.

    A file that was read is not replaced, unless `overwrite` says so.

    >>> import tempfile
    >>> from assay import Run
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(Run.of({"q1": {"d1": 2.0}}), Path(folder) / "mine.run")
    ...     (Path(folder) / "mine.run").read_text()
    'trec-run'
    'q1 Q0 d1 1 2.0 run\\n'
    """
    target, kind = Path(path), kind_of(table)
    chosen = _by_name(format, kind) if format is not None else _by_ending(target, kind)
    with replacing(target, overwrite=overwrite) as file, _compressed(file, target) as sink:
        chosen.write(table, sink)
    return chosen.name


def _by_name(name: str, kind: str) -> Writer:
    able = {writer.name: writer for writer in writers(kind)}
    if name not in able:
        raise ParameterError(f"{kind} can be written as {', '.join(able)}, not {name!r}{did_you_mean(name, able)}")
    return able[name]


def _by_ending(target: Path, kind: str) -> Writer:
    name = target.name.lower().removesuffix(".gz").removesuffix(".zst")
    fitting = [(ending, writer) for writer in writers(kind) for ending in writer.endings if name.endswith(ending)]
    if fitting:
        return max(fitting, key=lambda pair: len(pair[0]))[1]
    known = ", ".join(ending for writer in writers(kind) for ending in writer.endings)
    raise ParameterError(f"{target}: its ending names no format: {kind} files end in one of {known}")


def _compressed(file: IO[bytes], target: Path) -> Any:
    if target.name.endswith(".gz"):
        import gzip  # noqa: PLC0415

        # Neither time nor name of the file: the same table gives the same bytes.
        return gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0)
    if target.name.endswith(".zst"):
        import zstandard  # noqa: PLC0415

        return zstandard.ZstdCompressor().stream_writer(file, closefd=False)
    return nullcontext(file)


def _pieces(run: Batches) -> Iterator[pl.DataFrame]:
    """The rows of a run, a batch at a time."""
    yield from run.batches(lambda frame: frame)


def _refuse_empty(frame: pl.DataFrame) -> None:
    """No format has a place for an id that is nothing."""
    for column in ("query_id", "doc_id", "item_id", "judge"):
        if column in frame.columns and (frame[column] == "").any():
            raise InputError(f"expected a {column}, got nothing: such a table cannot be written")


def _refuse_blanks(frame: pl.DataFrame, columns: tuple[str, ...], format: str) -> None:
    """Ids with blanks cannot stand between blanks, nor can a comment sign or a byte-order mark start a line."""
    for column in columns:
        bad = frame[column].str.contains(_BLANK) | (frame[column] == "")
        if column == "query_id":
            bad |= frame[column].str.contains("^[#\ufeff]")
        if bad.any():
            value = frame[column][int(bad.arg_max() or 0)]
            raise InputError(f"{format} cannot hold the {column} {quote(value)}: use CSV, JSONL or Parquet")


def _lines(frame: pl.DataFrame, file: IO[bytes], separator: str = " ") -> None:
    frame.write_csv(file, separator=separator, include_header=False, quote_style="never")


@_writer("trec-run", ("run",), ".run", ".trec", ".txt", ".res")
def _trec_run(run: Batches, file: IO[bytes]) -> None:
    file.write(as_header(getattr(run, "metadata", "")).encode())
    tag = "-".join(run.name.split()) or "run"
    places = _Places()
    for frame in _pieces(run):
        _refuse_blanks(frame, ("query_id", "doc_id"), "a TREC run")
        ranked = frame.with_columns(places.of(frame))
        _lines(ranked.select("query_id", pl.lit("Q0"), "doc_id", "place", "score", pl.lit(tag).alias("tag")), file)


@_writer("msmarco-run", ("run",), ".tsv.run", ".marco")
def _msmarco_run(run: Batches, file: IO[bytes]) -> None:
    file.write(as_header(getattr(run, "metadata", "")).encode())
    frame = run.read().frame.select("query_id", "doc_id", "score")
    _refuse_blanks(frame, ("query_id", "doc_id"), "an MS MARCO run")
    ranked = frame.with_row_index("row").with_columns(first=pl.col("row").min().over("query_id"))
    ranked = ranked.sort("first", "score", "row", descending=[False, True, False])
    rank = pl.int_range(1, pl.len() + 1).over("first").alias("rank")
    _lines(ranked.select("query_id", "doc_id", rank), file, "\t")


class _Places:
    """Numbers the rows of each query from 1, also where a query goes on in the next batch."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def of(self, frame: pl.DataFrame) -> pl.Series:
        place = frame.select(pl.int_range(1, pl.len() + 1).over("query_id")).to_series()
        known = frame["query_id"].replace_strict(self._seen, default=0, return_dtype=pl.Int64) if self._seen else 0
        for query, count in frame["query_id"].value_counts().iter_rows():
            self._seen[query] = self._seen.get(query, 0) + count
        return (place + known).alias("place")


@_writer("trec-qrels", ("qrels",), ".qrels", ".trec", ".txt", ".rel")
def _trec_qrels(qrels: Qrels, file: IO[bytes]) -> None:
    _judged_lines(qrels.frame if "judge" in qrels.frame.columns else qrels.frame.with_columns(judge=pl.lit("0")), file)


@_writer("label-qrels", ("labels",), ".qrels", ".txt")
def _label_qrels(labels: Labels, file: IO[bytes]) -> None:
    if not labels.has_topics or not labels.frame["label"].dtype.is_numeric():
        raise InputError(f"{labels.origin}: judgments take topics and grades: write a table instead, as .csv")
    grades = pl.col("label").cast(pl.Float64)
    _judged_lines(labels.frame.select("query_id", "judge", doc_id="item_id", relevance=grades), file)


def _judged_lines(frame: pl.DataFrame, file: IO[bytes]) -> None:
    _refuse_blanks(frame, ("query_id", "judge", "doc_id"), "TREC qrels")
    _lines(frame.select("query_id", "judge", "doc_id", _grade()), file)


@_writer("qrels-3", ("qrels",), ".qrels3")
def _short_qrels(qrels: Qrels, file: IO[bytes]) -> None:
    _refuse_judges(qrels)
    _refuse_blanks(qrels.frame, ("query_id", "doc_id"), "qrels in three columns")
    _lines(qrels.frame.select("query_id", "doc_id", _grade()), file)


@_writer("beir-qrels", ("qrels",), ".beir.tsv")
def _beir_qrels(qrels: Qrels, file: IO[bytes]) -> None:
    _refuse_judges(qrels)
    query, document = pl.col("query_id").alias("query-id"), pl.col("doc_id").alias("corpus-id")
    qrels.frame.select(query, document, _grade("score")).write_csv(file, separator="\t")


def _refuse_judges(qrels: Qrels) -> None:
    if qrels.judges:
        raise InputError(f"{qrels.name}: this format has no place for judges: choose one judge, or another format")


def _grade(name: str = "relevance") -> pl.Expr:
    """Whole grades without a decimal point, as every tool reads them."""
    grade = pl.col("relevance")
    whole = grade.cast(pl.Int64, strict=False)
    return pl.when(whole == grade).then(whole.cast(pl.String)).otherwise(grade.cast(pl.String)).alias(name)


@_writer("trec-topics", ("topics",), ".trec", ".sgml", ".topics")
def _trec_topics(topics: Topics, file: IO[bytes]) -> None:
    _refuse_spaced(topics.frame["query_id"], "TREC topics")
    tags = ("<num> Number: ", "<title> ", "<desc> Description: ", "<narr> Narrative: ")
    for row in topics.frame.select("query_id", "title", "description", "narrative").iter_rows():
        # Readers take a label away, which classic topics have and most titles lack.
        marks = (tags[0], "<title> Topic: " if row[1].lstrip().startswith("Topic:") else tags[1], *tags[2:])
        lines = [f"{tag}{_escaped(text)}" for tag, text in zip(marks, row, strict=True)]
        file.write(("<top>\n" + "\n".join(lines) + "\n</top>\n\n").encode())


@_writer("topic-sections", ("topics",), ".topics.txt", ".ini")
def _topic_sections(topics: Topics, file: IO[bytes]) -> None:
    _refuse_spaced(topics.frame["query_id"], "topics in sections")
    for topic, title in topics.frame.select("query_id", "title").iter_rows():
        if not title.split():
            raise InputError(f"topics in sections need a title, and topic {quote(topic)} has none")
    file.write(f"{EXPLANATION}\n{as_sections(topics)}".encode())


@_writer("trec-documents", ("documents",), ".trec", ".sgml")
def _trec_documents(documents: Documents, file: IO[bytes]) -> None:
    _refuse_spaced(documents.frame["doc_id"], "TREC documents")
    for doc_id, title, text in documents.frame.select("doc_id", "title", "text").iter_rows():
        body = f"<TITLE>{_escaped(title)}</TITLE>\n<TEXT>\n{_escaped(text)}\n</TEXT>\n"
        file.write(f"<DOC>\n<DOCNO>{_escaped(doc_id)}</DOCNO>\n{body}</DOC>\n".encode())


def _refuse_spaced(ids: pl.Series, format: str) -> None:
    """White space in SGML is one blank, however much there is: ids with more would come back as others."""
    for value in ids:
        if not value or " ".join(value.split()) != value:
            raise InputError(f"{format} cannot hold the {ids.name} {quote(value)}: use CSV, JSONL or Parquet")


def left_out(table: Table, format: str) -> list[str]:
    """Parts of a table that a format has no place for.

    >>> from assay.tables import Topics
    >>> left_out(Topics.of(pl.DataFrame({"query_id": ["1"], "title": ["tea"], "authors": ["Ana"]})), "trec-topics")
    ['authors']
    """
    if isinstance(table, Topics | Documents):
        held = {table.key, *table.columns}
        return [column for column in table.frame.columns if column not in held] if format in _OF_TEXTS else []
    return ["ir_metadata"] if getattr(table, "metadata", "") and format not in {"trec-run", "msmarco-run"} else []


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)


_ALL = ("run", "qrels", "topics", "documents", "labels")


def _frames(table: Any) -> Iterator[pl.DataFrame]:
    """A table in pieces; runs are never held whole."""
    for frame in _pieces(table) if kind_of(table) == "run" else [table.frame]:
        _refuse_empty(frame)
        yield frame


def _delimited(separator: str, table: _Writable, file: IO[bytes]) -> None:
    for number, frame in enumerate(_frames(table)):
        frame.write_csv(file, separator=separator, include_header=number == 0)


_writer("csv", _ALL, ".csv")(partial(_delimited, ","))
_writer("tsv", _ALL, ".tsv")(partial(_delimited, "\t"))


@_writer("json", ("run", "qrels"), ".json")
def _json(table: Batches | Qrels, file: IO[bytes]) -> None:
    if isinstance(table, Qrels):
        _refuse_judges(table)
    frame, value = (table.frame, "relevance") if isinstance(table, Qrels) else (table.read().frame, "score")
    _refuse_empty(frame)
    twice = frame.select("query_id", "doc_id").is_duplicated()
    if twice.any():
        query, document = frame.row(int(twice.arg_max() or 0))[:2]
        raise InputError(f"JSON cannot hold the document {quote(document)} twice in query {quote(query)}")
    _refuse_infinite(frame)
    data: dict[str, dict[str, float]] = {}
    for query, document, number in frame.select("query_id", "doc_id", value).iter_rows():
        data.setdefault(query, {})[document] = number
    file.write(json.dumps(data, ensure_ascii=False, indent=1).encode())


@_writer("jsonl", _ALL, ".jsonl", ".ndjson")
def _jsonl(table: _Writable, file: IO[bytes]) -> None:
    for frame in _frames(table):
        _refuse_infinite(frame)
        for row in frame.iter_rows(named=True):
            file.write((json.dumps(row, ensure_ascii=False) + "\n").encode())


def _refuse_infinite(frame: pl.DataFrame) -> None:
    """Scores may be infinite, and JSON has no such number."""
    if "score" in frame.columns and not frame["score"].is_finite().all():
        query, document, score = frame.filter(~pl.col("score").is_finite()).select("query_id", "doc_id", "score").row(0)
        raise InputError(f"JSON cannot hold the score {score} of document {quote(document)} in query {quote(query)}")


def _lazily(table: Any) -> pl.LazyFrame:
    """The table as a stream that Polars writes without holding it."""
    if kind_of(table) != "run":
        frame: pl.DataFrame = table.frame
        _refuse_empty(frame)
        return frame.lazy()
    from polars.io.plugins import register_io_source  # noqa: PLC0415

    schema = {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}

    def pieces(columns: list[str] | None, *_pushed_down: object) -> Iterator[pl.DataFrame]:
        for frame in _pieces(table):
            yield frame.select(columns or list(schema))

    return register_io_source(pieces, schema=schema)


@contextmanager
def disk_errors() -> Iterator[None]:
    """Errors of Polars about a disk that Parquet files cannot be written to, as errors of the system."""
    try:
        yield
    except pl.exceptions.ComputeError as problem:
        _, is_of_disk, text = str(problem).partition("IO error: ")
        if not is_of_disk and "transport error" not in str(problem):
            raise
        raise OSError(text or "the disk may be full") from problem


@_writer("parquet", _ALL, ".parquet", ".pq")
def _parquet(table: _Writable, file: IO[bytes]) -> None:
    with disk_errors():
        _lazily(table).sink_parquet(file, row_group_size=1 << 18)


@_writer("arrow", _ALL, ".arrow", ".feather", ".ipc")
def _arrow(table: _Writable, file: IO[bytes]) -> None:
    _lazily(table).sink_ipc(file)


#: What a spreadsheet takes a cell for a formula by, or leaves out before it looks.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def each_cell(text: str, change: Callable[[str], str]) -> str:
    """CSV with every cell changed.

    >>> each_cell("a,b\\n1,2\\n", str.upper)
    'A,B\\n1,2\\n'
    """
    cells = pl.read_csv(io.BytesIO(text.encode()), has_header=False, infer_schema=False)
    return cells.with_columns(pl.all().map_elements(change, return_dtype=pl.String)).write_csv(include_header=False)


def for_spreadsheets(text: str) -> str:
    """CSV whose cells are no formulas: those that would be one, and are no number, begin with an apostrophe.

    >>> for_spreadsheets("doc_id,score\\n=1+1,-0.5\\n")
    "doc_id,score\\n'=1+1,-0.5\\n"
    """
    return each_cell(text, lambda cell: f"'{cell}" if cell.startswith(_FORMULA) and not is_number(cell) else cell)
