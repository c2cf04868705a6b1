"""Whole test collections in folders: BEIR's, the classic ones in their own layouts, and Assay's own."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

import polars as pl

from assay.core.errors import InputError, listed
from assay.files.legacy_quirks import are_no_judgments, differing_topics, fitted, fitted_documents
from assay.files.reading import read_documents, read_qrels, read_topics
from assay.files.records import each_once
from assay.files.registry import Format, detect
from assay.files.sources import Source
from assay.tables import Documents, Qrels, Topics

T = TypeVar("T", Documents, Topics, Qrels)

_BEIR_QRELS = "qrels"
_NO_TABLES = {".md", ".py", ".html", ".pdf", ".bln"}
_EXPLANATIONS = ("source.txt", "license", "licence")
#: Documents in these formats may be spread over several files.
_IN_PARTS = {"lisa-documents", "cf-documents", "trec-documents"}
#: Topics in this format stand in one file with their judgments.
_WITH_JUDGMENTS = "cf-topics"
#: NPL has `doc-vecs` and `query-vecs`, whose numbers of terms nothing but the name tells from judgments.
_AS_VECTORS, _VECTORS = "npl-qrels", "vec"
#: LISA has its judgments twice, and these are known to be corrupt.
_CORRUPT, _SOUND = "lisa-words", "lisa-qrels"


class Collection(NamedTuple):
    """Documents, topics and judgments that belong together, and what is odd about them."""

    name: str
    documents: Documents | None
    topics: Topics | None
    qrels: dict[str, Qrels]
    warnings: tuple[str, ...] = ()


def read_collection(folder: str | os.PathLike[str], *, inverse_grades: bool = False) -> Collection:
    """Read the collection in a folder: which file holds what is found out from the files.

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
    contents = _Folder(root)
    documents = contents.documents()
    topics = contents.topics()
    qrels = contents.judgments(topics, inverse_grades=inverse_grades)
    if documents is None and topics is None and not qrels:
        problem = "".join(f"; {warning}" for warning in contents.warnings[:1])
        raise InputError(f"{root}: expected files of documents, topics or judgments, found none{problem}")
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
            if known.name == _WITH_JUDGMENTS:
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

    def _left_out(self, file: _File, kind: str, other: str) -> None:
        self.warnings.append(f"{file.path}: left out, as {other} has the {kind}")

    def topics(self) -> Topics | None:
        """The topics of the first file that has any and can be read."""
        table: Topics | None = None
        for file in self.held["topics"]:
            if table is not None:
                self._left_out(file, "topics", Path(table.name).name)
            else:
                table = self._read(file.path, read_topics)
        return table

    def documents(self) -> Documents | None:
        """The documents of the first file that can be read, and of all others in its format if that comes in parts."""
        tables: list[Documents] = []
        parts: str | None = None
        for file in self.held["documents"]:
            if tables and not (file.format.name == parts and parts in _IN_PARTS):
                self._left_out(file, "documents", Path(tables[0].name).name)
            elif (table := self._read(file.path, read_documents)) is not None:
                tables.append(table)
                parts = file.format.name
        if len(tables) < 2:
            return tables[0] if tables else None
        # What is said of texts that are missing, or come again, is said of all files together.
        frame, warnings = each_once(pl.concat([table.frame for table in tables], how="diagonal"), str(self.root))
        known = dict.fromkeys(
            warning for table in tables for warning in table.warnings if "without text" not in warning
        )
        return Documents(frame, str(self.root), tables[0].format, (*known, *warnings))

    def judgments(self, topics: Topics | None, *, inverse_grades: bool) -> dict[str, Qrels]:
        """All sets of judgments under their names, but for those that are none, or are known to be corrupt."""
        formats: dict[str, str] = {}
        qrels: dict[str, Qrels] = {}
        for file in self.held["qrels"]:
            table = self._read(file.path, lambda path: read_qrels(path, inverse_grades=inverse_grades))
            if table is not None:
                split = _split(file.path)
                qrels[split], formats[split] = table, file.format.name
        sound = next((split for split, name in formats.items() if name == _SOUND), None)
        for split, name in formats.items():
            if name == _CORRUPT and sound is not None:
                table = qrels.pop(split)
                differ = listed(differing_topics(table, qrels[sound]))
                note = f", and differs from it in the topics {differ}" if differ else ""
                self.warnings.append(f"{table.name}: left out, as {sound} has the same judgments{note}")
        for split, reason in are_no_judgments(qrels, topics).items():
            table = qrels.pop(split)
            self.warnings.append(f"{table.name}: left out: it looks like {table.format}, but {reason}")
        return qrels


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
    """What a set of judgments is called: train, dev or test in BEIR, else the file's name."""
    return path.stem if path.parent.name == _BEIR_QRELS else path.name
