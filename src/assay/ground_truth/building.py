"""Make a collection from files, add to it, and export it in TREC's layout."""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from assay.core.errors import InputError
from assay.files import atomic
from assay.files.collections import WITH_JUDGMENTS, read_qrels, read_topics
from assay.files.manifest import MANIFEST, CollectionFolder, Part, RunEntry, is_collection, open_collection
from assay.files.registry import detect
from assay.files.sources import Source
from assay.files.writing import write, writers
from assay.ground_truth.description import Holdings, brought_together, entry_of, holdings_of
from assay.tables import Qrels

_PARTS: dict[str, Part] = {"documents": "documents", "topics": "topics", "qrels": "judgments", "run": "runs"}


def new_collection(
    folder: str | os.PathLike[str],
    files: Sequence[str | os.PathLike[str]] | Mapping[str, str | os.PathLike[str]] = (),
    *,
    name: str = "",
    description: str = "",
    language: str = "",
    licence: str = "",
    group: str = "",
    manual: bool = False,
    copy: bool = True,
) -> CollectionFolder:
    """Make a collection of files; what each holds is found out. The folder appears whole, or not at all.

    `files` may be a dict from names of runs and judgments to files. Without `copy` the manifest refers to the files
    where they are; files in the folder stay where they are anyway. `group` and `manual` are said of all runs.

    >>> from importlib.resources import files
    >>> import tempfile
    >>> tea = files("assay") / "data" / "tea"
    >>> with tempfile.TemporaryDirectory() as place:
    ...     made = new_collection(Path(place) / "tea", [tea / "qrels.txt", tea / "words.run", tea / "topics.tsv"])
    ...     list(made.judgments), list(made.runs)
    (['qrels'], ['words'])
    """
    root = Path(folder)
    if is_collection(root):
        raise InputError(f"{root}: is a collection already: add files to it instead")
    if root.exists() and not root.is_dir():
        raise InputError(f"{root}: expected a folder, or nothing, got a file")
    empty = CollectionFolder(root, name or root.resolve().name, description, language, licence)
    if root.exists():
        return _added(empty, files, root, group=group, manual=manual, copy=copy)
    with atomic.replacing_folder(root) as unfinished:
        _added(empty, files, unfinished, group=group, manual=manual, copy=copy)
    return open_collection(root)


def add_to_collection(
    folder: str | os.PathLike[str] | CollectionFolder,
    files: Sequence[str | os.PathLike[str]] | Mapping[str, str | os.PathLike[str]],
    *,
    group: str = "",
    manual: bool = False,
    copy: bool = True,
) -> CollectionFolder:
    """Add documents, topics, judgments or runs to a collection: all of the files, or none. See `new_collection`.

    >>> from importlib.resources import files
    >>> import tempfile
    >>> tea = files("assay") / "data" / "tea"
    >>> with tempfile.TemporaryDirectory() as place:
    ...     _ = new_collection(Path(place) / "tea", [tea / "qrels.txt"])
    ...     list(add_to_collection(Path(place) / "tea", {"stemmed": tea / "stems.run"}, group="lexical").runs)
    ['stemmed']
    """
    collection = open_collection(folder)
    return _added(collection, files, collection.root, group=group, manual=manual, copy=copy)


def _added(
    collection: CollectionFolder,
    files: Sequence[str | os.PathLike[str]] | Mapping[str, str | os.PathLike[str]],
    place: Path,
    *,
    group: str,
    manual: bool,
    copy: bool,
) -> CollectionFolder:
    """Plan first, so that what is refused leaves nothing behind; then copy; the manifest comes last.

    `place` is where the folder is being made.
    """
    named = files.items() if isinstance(files, Mapping) else [("", path) for path in files]
    copies = dict[Path, Path]()
    added = set[Part]()
    for name, file in named:
        path = Path(file)
        source = Source(path)
        known = detect(source)
        part = _PARTS[known.kind]
        target = path.resolve()
        is_inside = target.is_relative_to(collection.root.resolve())
        if is_inside:
            target = collection.root / target.relative_to(collection.root.resolve())
        elif copy:
            folder = collection.root / "runs" if part == "runs" else collection.root
            target = folder / path.name
            if name and _is_taken(target, path, copies):
                target = folder / f"{_plain(name)}-{path.name}"
            if _is_taken(target, path, copies):
                raise InputError(f"{target}: already exists, and {path} would overwrite it")
            copies |= {} if target.exists() else {target: path}
        for each in (part, "judgments") if known.name == WITH_JUDGMENTS else (part,):
            added.add(each)
            collection = collection.with_file(each, target, name or source.stem, group=group, manual=manual)
    if added & {"topics", "judgments"}:
        _refuse_other_ids(collection, copies)
    for target, path in copies.items():
        copied = place / target.relative_to(collection.root)
        copied.parent.mkdir(exist_ok=True)
        with path.open("rb") as original, atomic.replacing(copied) as copy_file:
            shutil.copyfileobj(original, copy_file, 1 << 20)
    atomic.write_text(place / MANIFEST, collection.as_toml(), overwrite=True)
    return collection


def _refuse_other_ids(collection: CollectionFolder, copies: Mapping[Path, Path]) -> None:
    """Judgments that call the topics otherwise than the topics do: whoever reads both would take one for another."""
    if collection.topics is None:
        return
    for target in collection.judgments.values():
        files = [copies.get(each, each) for each in (target, collection.topics)]
        try:
            qrels, topics = read_qrels(files[0]), read_topics(files[1])
        except InputError:  # what cannot be read is for the check to name
            continue
        if brought_together({"": qrels}, topics) is not None:
            raise InputError(
                f"{files[0]}: expected the ids of the topics in {files[1]}, got other numbers: export the folder of "
                "both as a collection, whose ids agree"
            )


def _is_taken(target: Path, path: Path, copies: Mapping[Path, Path]) -> bool:
    """True if another file stands there, or will; the same one may be left over from a call that was killed."""
    return target in copies or (target.exists() and not filecmp.cmp(path, target, shallow=False))


def export_collection(
    folder: str | os.PathLike[str] | CollectionFolder, target: str | os.PathLike[str], *, inverse_grades: bool = False
) -> Path:
    """Write a collection in TREC's layout, with a manifest, into a new folder, which appears when it is whole.

    Documents are streamed. `inverse_grades`: 1 is the best grade.

    >>> from importlib.resources import files
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     made = export_collection(files("assay") / "data" / "bicycles", Path(place) / "trec")
    ...     sorted(path.name for path in made.iterdir())
    ['collection.toml', 'documents.trec', 'qrels', 'runs', 'topics.trec']
    """
    held = holdings_of(folder, inverse_grades=inverse_grades)
    path = Path(target)
    if path.exists():
        raise InputError(f"{path}: already exists: name a new folder")
    atomic.check_target(path)
    with atomic.replacing_folder(path) as unfinished:
        _write_trec(held, unfinished)
    return path


def _write_trec(held: Holdings, root: Path) -> None:
    collection = replace(held.folder, root=root, documents=(), topics=None, judgments={}, runs={})
    if held.has_documents:
        collection = replace(collection, documents=(root / "documents.trec",))
        (writer,) = (each for each in writers("documents") if each.name == "trec-documents")
        with atomic.replacing(collection.documents[0]) as file:
            for documents in held.documents():
                writer.write(documents, file)
    if held.topics is not None:
        collection = replace(collection, topics=root / "topics.trec")
        write(held.topics, cast("Path", collection.topics))
    judgments: dict[str, Path] = {}
    for name, qrels in held.qrels.items():
        judgments[name] = _place(root / "qrels", name, ".qrels")
        write(Qrels(qrels.frame, qrels.name, qrels.format), judgments[name])
    runs: dict[str, RunEntry] = {}
    for name, run in held.runs.items():
        runs[name] = entry_of(held, name)._replace(path=_place(root / "runs", name, ".run"))
        write(run, runs[name].path)
    replace(collection, judgments=judgments, runs=runs).save()


def _place(folder: Path, name: str, ending: str) -> Path:
    """A file for a table, named for it as far as file systems allow."""
    folder.mkdir(exist_ok=True)
    plain = _plain(name)
    path = folder / f"{plain}{ending}"
    number = 1
    while path.exists():
        number += 1
        path = folder / f"{plain}-{number}{ending}"
    return path


def _plain(name: str) -> str:
    """A name as file systems allow it."""
    return "".join(char if char.isalnum() or char in "-_.+=" else "-" for char in name).strip(".") or "table"
