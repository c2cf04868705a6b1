"""The contents of a collection, opened piece by piece; its statistics; and its gaps and inconsistencies."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

from assay.core.errors import AssayError, InputError, listed, number_of
from assay.core.results import Result
from assay.files.collections import read_collection, read_qrels, read_topics
from assay.files.contents import grades_in_words
from assay.files.document_stream import SeenIds, document_batches
from assay.files.manifest import CollectionFolder, RunEntry, is_collection, open_collection
from assay.files.records import fitted
from assay.files.registry import detect
from assay.files.sources import Source
from assay.ground_truth.catalogue import CatalogueEntry, differences, recognise
from assay.subjects.ranking.evaluation import evaluate, opened_run
from assay.tables import Batches, Documents, Qrels, Topics

_SEVERITIES = ("error", "warning", "note")
_NO_IDS = pl.Series("doc_id", [], dtype=pl.String)

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
        """True if there are documents."""
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
    together = None if tolerant else brought_together(held.qrels, held.topics)
    if together is not None:
        held.qrels, held.topics, remarks = together
        held.warnings += remarks
    return held


def brought_together(
    qrels: dict[str, Qrels], topics: Topics | None
) -> tuple[dict[str, Qrels], Topics | None, list[str]] | None:
    """Judgments and topics under ids that agree, and what was done; None where they are left as they are."""
    done, settled, remarks = fitted(qrels, topics)
    is_same = settled is topics and all(done[name] is qrels[name] for name in qrels)
    return None if is_same else (done, settled, remarks)


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
    """The manifest's entry of a run."""
    return held.folder.runs.get(run) or RunEntry(Path(run))


def best_grades(qrels: Qrels) -> pl.DataFrame:
    """Each judged document of a topic once, with the largest of its grades."""
    return qrels.frame.group_by("query_id", "doc_id", maintain_order=True).agg(pl.col("relevance").max())


def relevant_per_topic(qrels: Qrels, topics: Topics | None) -> pl.DataFrame:
    """Numbers of documents judged and relevant for each topic: of all topics, in their order."""
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


@dataclass(frozen=True, eq=False)
class CollectionStatistics(Result):
    """The numbers of a collection: facts by name, judgments by set, topics, and runs.

    `entry` is the well-known collection that it looks like, if any; `remarks` say where it differs from that one.
    """

    kind = "collection statistics"

    facts: dict[str, Any]
    judgments: pl.DataFrame
    topics: pl.DataFrame
    runs: pl.DataFrame
    entry: CatalogueEntry | None = None
    remarks: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def to_frame(self) -> pl.DataFrame:
        """The topics: how many documents were judged, and how many are relevant."""
        return self.topics


def describe_collection(
    folder: str | os.PathLike[str] | CollectionFolder, *, inverse_grades: bool = False
) -> CollectionStatistics:
    """Count what a collection holds; documents are streamed, so that they need not fit in memory.

    A folder with a manifest, or any folder that `read_collection` reads. `inverse_grades`: 1 is the best grade.

    >>> from importlib.resources import files
    >>> statistics = describe_collection(files("assay") / "data" / "bicycles")
    >>> statistics.facts["documents"], statistics.facts["topics"]
    (189, 20)
    """
    held = holdings_of(folder, inverse_grades=inverse_grades)
    seen = _seen(held, _NO_IDS)
    entry, wrong, known = _recognised(held, seen)
    words = {key: getattr(held.folder, key) for key in ("name", "description", "language", "licence")}
    facts: dict[str, Any] = {key: value for key, value in words.items() if value}
    if seen is not None:
        facts |= {"documents": seen.count, "documents without text": seen.without_text}
    if held.topics is not None:
        facts["topics"] = len(held.topics)
    facts |= {"sets of judgments": len(held.qrels), "runs": len(held.runs)}
    topics = relevant_per_topic(next(iter(held.qrels.values())), held.topics) if held.qrels else pl.DataFrame()
    return CollectionStatistics(
        facts, _judgment_table(held), topics, _run_table(held), entry, (*wrong, *known), tuple(held.warnings)
    )


def _seen(held: Holdings, wanted: pl.Series) -> SeenIds | None:
    if not held.has_documents:
        return None
    seen = SeenIds(wanted)
    for documents in held.documents():
        seen.add(documents)
    return seen


def _recognised(held: Holdings, seen: SeenIds | None) -> tuple[CatalogueEntry | None, list[str], list[str]]:
    counts = {} if seen is None else {"documents": seen.count}
    counts |= {} if held.topics is None else {"topics": len(held.topics)}
    for qrels in [*held.qrels.values()][:1]:
        counts |= {"judged": len(qrels.topics), "judgments": qrels.frame.height}
    entry = recognise(held.folder.name, counts)
    return (None, [], []) if entry is None else (entry, *differences(entry, counts))


def _judgment_table(held: Holdings) -> pl.DataFrame:
    """One row per set of judgments."""
    rows = []
    for name, qrels in held.qrels.items():
        counts = relevant_per_topic(qrels, None)
        relevant = counts["relevant"].to_numpy()
        grades = qrels.frame["relevance"].value_counts().sort("relevance")
        rows.append({
            "judgments": name,
            "topics": counts.height,
            "documents_judged": int((qrels.frame["relevance"] >= 0).sum()),
            "judges": len(qrels.judges) or None,
            "relevant": int(relevant.sum()),
            "least": int(relevant.min()),
            "median": float(np.median(relevant)),
            "most": int(relevant.max()),
            "topics_without_relevant": int((relevant == 0).sum()),
            "grades": grades_in_words({f"{grade:g}": count for grade, count in grades.iter_rows()}),
        })  # fmt: skip
    return pl.DataFrame(rows)


def _run_table(held: Holdings) -> pl.DataFrame:
    """One row per run: how many topics it covers, what it returned, how much of that was judged, and what it found."""
    # Of several judges, one who calls a document relevant will do, as in the counts of topics.
    qrels = next((Qrels(best_grades(each), each.name) for each in held.qrels.values()), None)
    rows = []
    for name, run in held.runs.items():
        counts = _run_counts(run)
        entry = entry_of(held, name)
        row = {
            "run": name, "group": entry.group, "manual": entry.manual, "topics": counts.height,
            "documents_per_topic": float(counts["len"].mean() or 0),  # type: ignore[arg-type]
        }  # fmt: skip
        if qrels is not None:
            result = evaluate(qrels, {name: run}, ("Judged@10", "NumRelRet", "NumRel"))
            retrieved, relevant = (
                float(result.scores.of(name, each)["value"].sum()) for each in ("NumRelRet", "NumRel")
            )
            row |= {
                "missing_topics": len(set(qrels.topics) - set(counts["query_id"])),
                "judged_at_10": float(result.mean("Judged@10")),
                "relevant_found": retrieved / relevant if relevant else None,
            }
        rows.append(row)
    return pl.DataFrame(rows)


def _run_counts(run: Batches) -> pl.DataFrame:
    parts = list(run.batches(lambda frame: frame.group_by("query_id").len()))
    empty = pl.DataFrame(schema={"query_id": pl.String, "len": pl.UInt32})
    return pl.concat([empty, *parts]).group_by("query_id").agg(pl.col("len").sum())


@dataclass(frozen=True, eq=False)
class CollectionCheck(Result):
    """Gaps and inconsistencies of a collection; `is_sound` if nothing is wrong.

    Columns of `findings`: `severity` (error, warning or note), `says`.
    """

    kind = "collection check"

    name: str
    findings: pl.DataFrame

    @property
    def is_sound(self) -> bool:
        """True if no finding is an error."""
        return not (self.findings["severity"] == "error").any()

    def to_frame(self) -> pl.DataFrame:
        """The findings."""
        return self.findings


def check_collection(folder: str | os.PathLike[str] | CollectionFolder) -> CollectionCheck:
    """Look for what is missing or inconsistent: files, judged and retrieved documents, topics, ids, counts.

    >>> from importlib.resources import files
    >>> check_collection(files("assay") / "data" / "bicycles").is_sound
    True
    """
    held = holdings_of(folder, tolerant=True)
    findings = [("error", problem) for problem in held.problems]
    judged = {name: qrels.frame["doc_id"].unique() for name, qrels in held.qrels.items()}
    retrieved: dict[str, pl.Series] = {}
    searched: dict[str, set[str]] = {}
    for name, run in held.runs.items():
        try:
            parts = [*run.batches(lambda frame: (frame["doc_id"].unique(), frame["query_id"].unique()))]
        except AssayError as problem:
            findings.append(("error", str(problem)))
            continue
        retrieved[name] = pl.concat([_NO_IDS, *(documents for documents, _ in parts)]).unique()
        searched[name] = {topic for _, topics in parts for topic in topics}
    wanted = pl.concat([_NO_IDS, *judged.values(), *retrieved.values()])
    try:
        seen = _seen(held, wanted)
    except AssayError as problem:
        seen = None
        findings.append(("error", str(problem)))
    findings += _about_parts(held, seen)
    if seen is not None:
        findings += _about_documents(seen, judged, retrieved)
    findings += _about_topics(held, searched)
    _, wrong, known = _recognised(held, seen)
    findings += [("warning", text) for text in wrong] + [("note", text) for text in known]
    # What reading says of the parts, unless it was said above of the whole: without the file, and without examples.
    findings_text = " ".join(text for _, text in findings)
    claims = {text: text.partition(": ")[2].partition(", such as")[0] for text in held.warnings}
    findings += [("note", text) for text, claim in claims.items() if claim not in findings_text]
    findings.sort(key=lambda finding: _SEVERITIES.index(finding[0]))
    frame = pl.DataFrame(findings, schema={"severity": pl.String, "says": pl.String}, orient="row")
    return CollectionCheck(held.folder.name, frame)


def _about_parts(held: Holdings, seen: SeenIds | None) -> Iterator[tuple[str, str]]:
    parts = {"documents": held.has_documents or seen is not None, "topics": held.topics is not None}
    parts |= {"judgments": bool(held.qrels), "runs": bool(held.runs)}
    for part, is_there in parts.items():
        if not is_there:
            yield "note", f"there are no {part}"


def _about_documents(
    seen: SeenIds, judged: dict[str, pl.Series], retrieved: dict[str, pl.Series]
) -> Iterator[tuple[str, str]]:
    if seen.repeated:
        yield "error", f"{number_of('document', seen.repeated)} with an id that another document has"
    if seen.blanks:
        yield "warning", f"ids of documents with blanks, which TREC files cannot hold: {listed(seen.blanks)}"
    if seen.without_text:
        yield "note", f"{number_of('document', seen.without_text)} without text"
    for word, tables in (("judged", judged), ("retrieved", retrieved)):
        for name, ids in tables.items():
            unknown = ids.filter(ids.is_in(seen.missing.implode())).sort()
            if unknown.len():
                examples = listed([repr(each) for each in unknown.head(3)])
                number = number_of("document", unknown.len())
                yield "error", f"{name}: {number} {word}, but not among the documents: {examples}"


def _about_topics(held: Holdings, searched: dict[str, set[str]]) -> Iterator[tuple[str, str]]:
    known = None if held.topics is None else set(held.topics.frame["query_id"])
    if known is not None and (blanks := sorted(topic for topic in known if topic.split() != [topic])):
        yield "warning", f"ids of topics with blanks, which TREC files cannot hold: {listed(blanks)}"
    for name, qrels in held.qrels.items():
        counts = relevant_per_topic(qrels, None)
        yield from _unlike(name, known, set(counts["query_id"]), "without judgments", "judged")
        if empty := counts.filter(pl.col("relevant") == 0)["query_id"].to_list():
            yield "warning", f"{name}: {number_of('topic', len(empty))} without relevant documents: {listed(empty)}"
    for name, topics in searched.items():
        yield from _unlike(name, known, topics, "not searched", "searched")


def _unlike(name: str, known: set[str] | None, topics: set[str], lacking: str, used: str) -> Iterator[tuple[str, str]]:
    """Differences between the topics of a table and those of the collection."""
    absent, strange = (sorted(each) for each in (() if known is None else known - topics, topics - (known or topics)))
    if absent:
        yield "warning", f"{name}: {number_of('topic', len(absent))} {lacking}: {listed(absent)}"
    if strange:
        yield "error", f"{name}: {number_of('topic', len(strange))} {used}, but not among the topics: {listed(strange)}"
