"""Whole test collections in folders: BEIR's, the classic SMART ones, and Assay's own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from assay.errors import InputError
from assay.files.reading import read_documents, read_qrels, read_topics
from assay.files.registry import detect
from assay.files.sources import Source
from assay.files.traps import fitted, unknown_documents
from assay.tables import Documents, Qrels, Topics

_BEIR_QRELS = "qrels"
_NO_TABLES = {".md", ".py", ".html", ".pdf", ".bln"}
_EXPLANATIONS = ("readme", "source.txt", "license", "licence")


class Collection(NamedTuple):
    """Documents, topics and judgments that belong together, and what is odd about them."""

    name: str
    documents: Documents | None
    topics: Topics | None
    qrels: dict[str, Qrels]
    warnings: tuple[str, ...] = ()


def read_collection(folder: str | os.PathLike[str], *, inverse_grades: bool = False) -> Collection:
    """Read the collection in a folder: which file holds what is found out from the files.

    `inverse_grades`: turn grades round, for collections where 1 is the best one: the largest becomes 1, and negative
    ones 0. Where judgments number the topics by position, the topics are numbered so too, and a warning says so.

    >>> from importlib.resources import files
    >>> len(read_collection(files("assay") / "data" / "bicycles").topics)
    20
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError(f"{root}: expected a folder that holds a collection")
    held: dict[str, list[Path]] = {"documents": [], "topics": [], "qrels": [], "run": []}
    for path in _files(root):
        if kind := _kind(path):
            held[kind].append(path)
    _settle(held)
    documents = read_documents(held["documents"][0]) if held["documents"] else None
    topics = read_topics(held["topics"][0]) if held["topics"] else None
    qrels = {_split(root, path): read_qrels(path, inverse_grades=inverse_grades) for path in held["qrels"]}
    if documents is None and topics is None and not qrels:
        raise InputError(f"{root}: expected files of documents, topics or judgments, found none")
    warnings = [
        f"{path}: left out, as {held[kind][0].name} has the {kind}"
        for kind in ("documents", "topics")
        for path in held[kind][1:]
    ]
    warnings += [warning for table in (documents, topics) if table is not None for warning in table.warnings]
    warnings += [warning for judged in qrels.values() for warning in judged.warnings]
    qrels, topics, said = fitted(qrels, topics)
    warnings += said
    for judged in qrels.values():
        warnings += unknown_documents(judged, documents)
    return Collection(root.resolve().name, documents, topics, qrels, tuple(dict.fromkeys(warnings)))


def _files(root: Path) -> list[Path]:
    """The files of the folder, and those of BEIR's folder of judgments."""
    found = [path for path in sorted(root.iterdir()) if path.is_file() and not path.name.startswith(".")]
    inner = root / _BEIR_QRELS
    return found + (sorted(path for path in inner.iterdir() if path.is_file()) if inner.is_dir() else [])


def _kind(path: Path) -> str | None:
    """What a file holds; None for files that are no table, such as a read-me."""
    if path.suffix.lower() in _NO_TABLES or path.name.lower().startswith(_EXPLANATIONS) or "readme" in path.suffix:
        return None
    try:
        return detect(Source(path)).kind
    except InputError:
        return None


def _settle(held: dict[str, list[Path]]) -> None:
    """Of two files that look the same, and nothing else to tell, the larger one has the documents."""
    for full, empty in (("documents", "topics"), ("topics", "documents")):
        if len(held[full]) > 1 and not held[empty]:
            by_size = sorted(held[full], key=lambda path: path.stat().st_size, reverse=full == "topics")
            held[empty].append(by_size[0])
            held[full].remove(by_size[0])


def _split(root: Path, path: Path) -> str:
    """What a set of judgments is called: train, dev or test in BEIR, else the file's name."""
    return path.stem if path.parent != root else path.name
