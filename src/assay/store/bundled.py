"""The project of notes on bicycles that come with Assay: ready to judge, and the same everywhere."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from assay.files import read_topics
from assay.files.document_stream import document_batches
from assay.ground_truth.pooling import make_pool
from assay.store.database import Database
from assay.store.holdings import take_documents
from assay.store.kept_runs import keep_runs
from assay.store.projects import Project, create_project
from assay.store.scales import SCALES
from assay.store.settings import Settings

_RUNS = ("bm25", "described", "expanded")
_GUIDELINES = "Judge what a cyclist with this question would do with the note. A topic may have no good note at all."


def bundled_project(
    database: Database, name: str = "bicycles", *, settings: Settings | None = None, actor: str = ""
) -> Project:
    """Make a project of the bundled collection: 20 topics, three runs, their first five documents to judge."""
    folder = Path(str(files("assay") / "data" / "bicycles"))
    runs = {run: str(folder / "runs" / f"{run}.run") for run in _RUNS}
    project = create_project(
        database, name, make_pool(runs, depth=5), read_topics(str(folder / "topics.trec")),
        document_batches(str(folder / "documents.jsonl")), scale=SCALES["graded"], settings=settings,
        guidelines=_GUIDELINES, actor=actor,
    )  # fmt: skip
    keep_runs(project, runs, actor=actor)
    take_documents(project, document_batches(str(folder / "documents.jsonl")), actor=actor)  # a pool can grow
    return project
