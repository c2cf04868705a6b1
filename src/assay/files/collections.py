"""Read a table from a file whatever its format, or a whole folder."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard, TypeVar, cast

import polars as pl

from assay.core import registry
from assay.core.errors import InputError, listed, need, number_of
from assay.files.manifest import is_collection, open_collection
from assay.files.records import (
    are_no_judgments,
    each_once,
    fitted,
    fitted_documents,
    grade_in_column_two,
    turned_round,
    upside_down,
)
from assay.files.registry import Format, Kind, detect
from assay.files.sources import Readable, Source
from assay.tables import Batches, Documents, Qrels, Run, Topics
from assay.tables.roles import ColumnNames, columns_of, named_by

_PREFIX = "irds:"
_PARTS = {"qrels": "qrels", "topics": "queries", "documents": "docs"}


def is_dataset(value: object) -> TypeGuard[str]:
    """Tell ids of datasets from files.

    >>> is_dataset("irds:vaswani"), is_dataset("vaswani.qrels")
    (True, False)
    """
    return isinstance(value, str) and value.startswith(_PREFIX)


def is_release(value: object) -> TypeGuard[str]:
    """True if it names a release of a judging project, `PROJECT@N`, and is no file.

    >>> is_release("judging.db@3"), is_release("judging.db"), is_release("postgresql://team@host/judging@2")
    (True, False, True)
    """
    return isinstance(value, str) and re.search(r".@(\d+|newest)$", value) is not None and not Path(value).exists()


def _table(kind: Kind, dataset_id: str) -> Any:
    rows = list(_records(kind, dataset_id))
    if not rows:
        raise InputError(f"{dataset_id}: expected {kind}, there are none")
    names = list(rows[0]._fields)
    columns = columns_of(kind, names)
    if columns is None and kind != "qrels":  # a record of many parts says itself what its text is
        frame = pl.DataFrame({names[0]: [row[0] for row in rows], "text": [row.default_text() for row in rows]})
        columns = columns_of(kind, frame.columns)
    else:
        frame = pl.DataFrame({name: _values([row[place] for row in rows]) for place, name in enumerate(names)})
    if columns is None:
        raise InputError(f"{dataset_id}: expected {kind}, got the columns {', '.join(names)}")
    from assay.files.named_columns import table_of  # noqa: PLC0415  # who reads a file in columns does not wait for it
    from assay.tables.named_columns import NamedColumns  # noqa: PLC0415

    table = NamedColumns(dataset_id, frame, lambda _: (dataset_id, None), title=f"ir_datasets {kind}")
    return table_of(kind, table, columns, dataset_id)


def _values(values: list[Any]) -> pl.Series:
    """Numbers and texts as they are; lists and the like as nothing."""
    if all(isinstance(value, int | float) for value in values):
        return pl.Series(values, strict=False)
    return pl.Series([value if isinstance(value, str) else None for value in values], dtype=pl.String)


def _records(kind: Kind, dataset_id: str) -> Iterable[Any]:
    need("ir_datasets", extra="datasets", purpose=f"{dataset_id!r}")
    import ir_datasets  # noqa: PLC0415  # optional

    name = dataset_id.removeprefix(_PREFIX)
    part = _PARTS[kind]
    try:
        dataset = ir_datasets.load(name)
    except KeyError as problem:
        raise InputError(f"{dataset_id}: ir_datasets has no dataset {name!r}") from problem
    if not getattr(dataset, f"has_{part}")():
        raise InputError(f"{dataset_id}: expected {kind}, this dataset has none")
    records: Iterable[Any] = getattr(dataset, f"{part}_iter")()
    return records


def scan_run(
    given: Readable | Source, *, format: str | None = None, name: str | None = None, columns: ColumnNames = None
) -> Batches:
    """Open a run without reading it, where its format allows that; evaluation then streams it.

    `columns`: which columns have which role, as in `columns={"query_id": "Search term"}`, unless they have a usual
    name.

    >>> import io
    >>> scan_run(io.StringIO("q1 Q0 d1 1 2.5 mine"), name="mine").name
    'mine'
    """
    source = Source.of(given)
    with named_by(columns):
        return cast("Batches", detect(source, "run", format).read(source, name or source.stem))


def read_run(
    given: Readable | Source, *, format: str | None = None, name: str | None = None, columns: ColumnNames = None
) -> Run:
    """Read a run file into memory; `columns` are those of `scan_run`.

    >>> import io
    >>> read_run(io.StringIO("q1 Q0 d1 1 2.5 mine")).frame.rows()
    [('q1', 'd1', 2.5, 1.0)]
    """
    scanned = scan_run(given, format=format, name=name, columns=columns)
    return scanned if isinstance(scanned, Run) else scanned.read()


def read_qrels(
    given: Readable | Source,
    *,
    format: str | None = None,
    name: str | None = None,
    judges: bool | None = None,
    subtopics: bool = False,
    inverse_grades: bool = False,
    columns: ColumnNames = None,
) -> Qrels:
    """Read judgments. `judges`: whether column 2 names the judge; None finds out from documents judged twice.

    `subtopics`: column 2 names the subtopic for which a document was judged; the table has it as `judge`.
    `inverse_grades`: 1 is the best grade, as in Cranfield's codes: the largest becomes 1, and negative ones 0.
    `irds:NAME` reads the judgments of a dataset of `ir_datasets`, `PROJECT@N` those of a release of a judging project.
    `columns` are those of `scan_run`.

    >>> import io
    >>> read_qrels(io.StringIO("q1 0 d1 2")).frame.rows()
    [('q1', 'd1', 2.0)]
    """
    if is_release(given):
        released: Qrels = registry.load(registry.RELEASES)(given)
        return released
    if is_dataset(given):
        loaded = _table("qrels", given)
        title = "ir_datasets qrels"
        origin = given
    else:
        source = Source.of(given)
        with named_by(columns):
            detected = detect(source, "qrels", format)
            loaded = detected.read(source, name or source.name)
            title = detected.title
            origin = source.name
        title = loaded.title or title
    remarks = grade_in_column_two(loaded.frame, name or origin) if "iteration" in loaded.frame.columns else []
    frame, title, unique = _with_judges(loaded.frame, title, True if subtopics else judges, subtopics)
    name = name or origin
    where = loaded.where or (lambda _: (origin, None))
    qrels = Qrels(frame, name, title) if unique else Qrels.settled(frame, name, title, where)
    if loaded.summed and not (judges or subtopics):
        frame = qrels.frame.group_by("query_id", "doc_id", maintain_order=True).agg(pl.col("relevance").sum())
        qrels = Qrels(frame, name, title, (*qrels.warnings, f"{name}: {loaded.summed}"))
    qrels.warnings += loaded.warnings + tuple(remarks if "judge" not in qrels.frame.columns else ())
    if inverse_grades:
        return turned_round(qrels)
    qrels.warnings += tuple(upside_down(qrels))
    return qrels


def read_topics(given: Readable | Source, *, format: str | None = None) -> Topics:
    """Read topics: TREC SGML, XML, SMART, TSV, CSV, JSONL, Parquet.

    >>> import io
    >>> read_topics(io.StringIO("1\\thow to make tea")).frame["title"].to_list()
    ['how to make tea']
    """
    return cast("Topics", _texts("topics", given, format))


def read_documents(given: Readable | Source, *, format: str | None = None) -> Documents:
    """Read documents: JSONL, TREC SGML, SMART, CSV, TSV, Parquet.

    >>> import io
    >>> read_documents(io.StringIO('{"_id": "d1", "title": "Tea", "text": "Steep it."}')).frame.rows()
    [('d1', 'Tea', 'Steep it.')]
    """
    return cast("Documents", _texts("documents", given, format))


def _texts(kind: Kind, given: Readable | Source, format: str | None) -> Any:
    if is_dataset(given):
        return _table(kind, given)
    source = Source.of(given)
    return detect(source, kind, format).read(source, source.name)


def _with_judges(
    frame: pl.DataFrame, title: str, judges: bool | None, subtopics: bool
) -> tuple[pl.DataFrame, str, bool]:
    """Keep column 2 as `judge` if asked for, or if it is what tells several judgments of a document apart.

    Also tell whether it is known already that no pair comes twice.
    """
    if "iteration" not in frame.columns:
        return frame, title, False
    if judges is None:
        pairs = frame.n_unique(["query_id", "doc_id"])
        if pairs == frame.height:
            return frame.drop("iteration"), title, True
        judges = pairs < frame.n_unique(["query_id", "doc_id", "iteration"])
    if not judges:
        return frame.drop("iteration"), title, False
    frame = frame.rename({"iteration": "judge"})
    count = frame["judge"].n_unique()
    if subtopics:
        return frame, f"{title} for {number_of('subtopic', count)}", False
    return frame, f"{title} by {count} judges", False


T = TypeVar("T", Documents, Topics, Qrels)
_BEIR_QRELS = "qrels"
_NO_TABLES = {".md", ".py", ".html", ".pdf", ".bln"}
_EXPLANATIONS = ("source.txt", "license", "licence")
#: Documents in these formats may be spread over several files.
_IN_PARTS = {"lisa-documents", "cf-documents", "trec-documents"}
#: Topics in this format stand in one file with their judgments.
WITH_JUDGMENTS = "cf-topics"
#: NPL has `doc-vecs` and `query-vecs`, whose numbers of terms nothing but the name tells from judgments.
_AS_VECTORS, _VECTORS = "npl-qrels", "vec"


class Collection(NamedTuple):
    """Documents, topics and judgments that belong together, and what is odd about them."""

    name: str
    documents: Documents | None
    topics: Topics | None
    qrels: dict[str, Qrels]
    warnings: tuple[str, ...] = ()


def read_collection(folder: str | os.PathLike[str], *, inverse_grades: bool = False) -> Collection:
    """Read the collection in a folder: which file holds what its manifest says, or else the files themselves.

    A file that cannot be read, or that holds nothing Assay knows, is left out and named in the warnings.
    `inverse_grades`: turn grades round, for collections where 1 is the best one: the largest becomes 1, and negative
    ones 0. Where judgments number the topics by position, the topics are numbered so too, and a warning says so.

    >>> from importlib.resources import files
    >>> len(read_collection(files("assay") / "data" / "bicycles").topics)
    20
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError(f"{root}: expected a folder that holds a collection")
    contents = _Folder(root) if not is_collection(root) else _Manifested(root)
    documents = contents.documents()
    topics = contents.topics()
    qrels = contents.judgments(topics, inverse_grades=inverse_grades)
    if documents is None and topics is None and not qrels:
        problem = "".join(f"; {warning}" for warning in contents.warnings[:1])
        raise InputError(f"{root}: expected files of documents, topics or judgments, got none{problem}")
    warnings = contents.warnings
    warnings += [warning for table in (documents, topics) if table is not None for warning in table.warnings]
    warnings += [warning for judged in qrels.values() for warning in judged.warnings]
    qrels, topics, remarks = fitted(qrels, topics)
    warnings += remarks
    for split, judged in qrels.items():
        qrels[split], remarks = fitted_documents(judged, documents)
        warnings += remarks
    return Collection(root.resolve().name, documents, topics, qrels, tuple(dict.fromkeys(warnings)))


class _File(NamedTuple):
    path: Path
    format: Format


class _Folder:
    """The files of a folder by what they hold; what cannot be read or told is named in the warnings."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.warnings: list[str] = []
        self.held: dict[str, list[_File]] = {"documents": [], "topics": [], "qrels": [], "run": []}
        unknown = []
        for path in _files(root):
            try:
                known = detect(Source(path))
            except InputError:
                unknown.append(path.name)
                continue
            if known.name == _AS_VECTORS and _VECTORS in path.name.lower():
                self.warnings.append(
                    f"{path}: left out: it looks like {known.title}, but is named for vectors of terms"
                )
                continue
            self.held[known.kind].append(_File(path, known))
            if known.name == WITH_JUDGMENTS:
                self.held["qrels"].append(_File(path, known))
        if unknown:
            self.warnings.append(f"{root}: not recognised, and left out: {listed(unknown)}")
        self._settle()

    def _settle(self) -> None:
        """Of two files that look the same, and nothing else to tell, the larger one has the documents."""
        for full, empty in (("documents", "topics"), ("topics", "documents")):
            alike = self.held[full]
            if len(alike) > 1 and not self.held[empty] and not {file.format.name for file in alike} & _IN_PARTS:
                by_size = sorted(alike, key=lambda file: file.path.stat().st_size, reverse=full == "topics")
                self.held[empty].append(by_size[0])
                alike.remove(by_size[0])

    def _read(self, path: Path, read: Callable[[Path], T]) -> T | None:
        try:
            return read(path)
        except InputError as problem:
            self.warnings.append(f"{path.name} cannot be read, and is left out: {problem}")
            return None

    def _tables(self, kind: str, read: Callable[[Path], T]) -> list[T]:
        """The table of the first file that can be read, and of all others in its format if that comes in parts."""
        tables: list[T] = []
        parts: str | None = None
        for file in self.held[kind]:
            if tables and not (file.format.name == parts and parts in _IN_PARTS):
                self.warnings.append(f"{file.path}: left out, as {Path(tables[0].name).name} has the {kind}")
            elif (table := self._read(file.path, read)) is not None:
                tables.append(table)
                parts = file.format.name
        return tables

    def topics(self) -> Topics | None:
        """The topics of the first file that has any and can be read."""
        return next(iter(self._tables("topics", read_topics)), None)

    def documents(self) -> Documents | None:
        """The documents of a file, or of several that are parts of one collection."""
        tables = self._tables("documents", read_documents)
        if len(tables) < 2:
            return tables[0] if tables else None
        # What is said of texts that are missing, or come again, is said of all files together.
        frame, warnings = each_once(pl.concat([table.frame for table in tables], how="diagonal"), str(self.root))
        known = dict.fromkeys(
            warning for table in tables for warning in table.warnings if "without text" not in warning
        )
        return Documents(frame, str(self.root), tables[0].format, (*known, *warnings))

    def judgments(self, topics: Topics | None, *, inverse_grades: bool) -> dict[str, Qrels]:
        """All sets of judgments under their names, but for those that are none."""
        qrels: dict[str, Qrels] = {}
        for file in self.held["qrels"]:
            table = self._read(file.path, lambda path: read_qrels(path, inverse_grades=inverse_grades))
            if table is not None:
                qrels[_split(file.path)] = table
        for split, reason in are_no_judgments(qrels, topics).items():
            table = qrels.pop(split)
            self.warnings.append(f"{table.name}: left out: it looks like {table.format}, but {reason}")
        return qrels


class _Manifested(_Folder):
    """The files of a folder by what its manifest says that they hold."""

    def __init__(self, root: Path) -> None:
        self.root, self.warnings = root, []
        self.manifest = open_collection(root)
        stated = {"documents": self.manifest.documents, "topics": filter(None, [self.manifest.topics])}
        self.held = {kind: [_File(path, detect(Source(path))) for path in paths] for kind, paths in stated.items()}

    def judgments(self, topics: Topics | None, *, inverse_grades: bool) -> dict[str, Qrels]:
        """All sets of judgments under the names that the manifest gives them."""
        paths = self.manifest.judgments.items()
        return {name: read_qrels(path, inverse_grades=inverse_grades) for name, path in paths}


def _files(root: Path) -> list[Path]:
    """The files of the folder that may be tables, and those of BEIR's folder of judgments."""
    entries = sorted(path for path in root.iterdir() if not path.name.startswith("."))
    files = [path for path in entries if path.is_file() and not _is_explanation(path)]
    inner = root / _BEIR_QRELS
    files += sorted(path for path in inner.iterdir() if path.is_file()) if inner.is_dir() else []
    folders = [path for path in entries if path.is_dir()]
    # A folder that holds nothing but another one, and words about it, is where that one is.
    return _files(folders[0]) if not files and len(folders) == 1 else files


def _is_explanation(path: Path) -> bool:
    name = path.name.lower()
    return path.suffix.lower() in _NO_TABLES or "readme" in name or name.startswith(_EXPLANATIONS)


def _split(path: Path) -> str:
    """The name of a set of judgments: train, dev or test in BEIR, else the file's name."""
    return path.stem if path.parent.name == _BEIR_QRELS else path.name
