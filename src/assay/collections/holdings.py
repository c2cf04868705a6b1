"""What a collection holds, whether a manifest says so or the files of a folder do: opened piece by piece."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

import polars as pl

from assay.core.errors import AssayError, InputError
from assay.files.collections import read_collection, read_qrels, read_topics
from assay.files.document_stream import document_batches
from assay.files.manifest import CollectionFolder, RunEntry, is_collection, open_collection
from assay.files.registry import detect
from assay.files.sources import Source
from assay.subjects.ranking.evaluation import opened_run
from assay.tables import Batches, Documents, Qrels, Topics

Read = TypeVar("Read")


@dataclass(eq=False)
class Holdings:
    """The tables of a collection; documents stay in their files. `problems`: what could not be read."""

    folder: CollectionFolder
    topics: Topics | None = None
    qrels: dict[str, Qrels] = field(default_factory=dict)
    runs: dict[str, Batches] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    #: The documents, where a reader of a classic folder had to put them together.
    read: Documents | None = None

    @property
    def has_documents(self) -> bool:
        """Whether there are documents."""
        return self.read is not None or bool(self.folder.documents)

    def documents(self) -> Iterator[Documents]:
        """The documents in pieces."""
        if self.read is not None:
            yield self.read
        for path in self.folder.documents:
            yield from document_batches(path)


def holdings_of(
    collection: str | os.PathLike[str] | CollectionFolder, *, tolerant: bool = False, inverse_grades: bool = False
) -> Holdings:
    """Open a collection: by its manifest, or else by what the files of the folder look like.

    `tolerant`: what cannot be read is a problem to report, and not an error.
    """
    if not is_collection(collection):
        read = read_collection(collection, inverse_grades=inverse_grades)  # type: ignore[arg-type]
        folder = CollectionFolder(Path(collection), read.name)  # type: ignore[arg-type]
        warnings = list(read.warnings)
        return Holdings(folder, read.topics, read.qrels, _runs_in(folder.root), warnings, read=read.documents)
    folder = open_collection(collection)
    held = Holdings(folder)

    def attempt(path: Path, read: Callable[[Path], Read]) -> Read | None:
        try:
            if not path.is_file():
                raise InputError(f"{path}: listed in the manifest, but missing")
            return read(path)
        except AssayError as problem:
            if not tolerant:
                raise
            held.problems.append(str(problem))
            return None

    if folder.topics is not None:
        held.topics = attempt(folder.topics, read_topics)
    for name, path in folder.judgments.items():
        qrels = attempt(path, partial(read_qrels, inverse_grades=inverse_grades))
        if qrels is not None:
            held.qrels[name] = qrels
            held.warnings += qrels.warnings
    for name, entry in folder.runs.items():
        run = attempt(entry.path, partial(opened_run, name=name))
        if run is not None:
            held.runs[name] = run
    return held


def _runs_in(root: Path) -> dict[str, Batches]:
    """The runs of a folder without a manifest: what is in a folder `runs` in it."""
    runs: dict[str, Batches] = {}
    for path in sorted((root / "runs").glob("*")):
        try:
            is_run = path.is_file() and detect(Source(path)).kind == "run"
        except InputError:
            continue  # no table, or none that is known
        if is_run:
            runs[Source(path).stem] = opened_run(path)
    return runs


def entry_of(held: Holdings, run: str) -> RunEntry:
    """What the manifest says of a run."""
    return held.folder.runs.get(run) or RunEntry(Path(run))


def best_grades(qrels: Qrels) -> pl.DataFrame:
    """Each judged document of a topic once, with the largest of its grades."""
    return qrels.frame.group_by("query_id", "doc_id", maintain_order=True).agg(pl.col("relevance").max())


def relevant_per_topic(qrels: Qrels, topics: Topics | None) -> pl.DataFrame:
    """How many documents were judged for each topic, and how many are relevant: of all topics, in their order."""
    counts = (
        best_grades(qrels)
        .group_by("query_id", maintain_order=True)
        .agg(judged=(pl.col("relevance") >= 0).sum(), relevant=(pl.col("relevance") > 0).sum())
    )
    if topics is None:
        return counts
    every = topics.frame.select("query_id", "title").join(counts, on="query_id", how="left", maintain_order="left")
    others = counts.join(topics.frame, on="query_id", how="anti", maintain_order="left")
    return pl.concat([every.fill_null(0), others.with_columns(title=pl.lit(""))], how="diagonal")
