"""Lists of a project, as results: its disputes, its releases, labels that were taken over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar

import polars as pl

from assay.core.results import Result
from assay.store.adjudication import Dispute, disputes
from assay.store.projects import Project
from assay.store.releases import releases


@dataclass(frozen=True, eq=False)
class Disputes(Result):
    """The documents on which assessors differ, with what each said."""

    kind: ClassVar[str] = "disputes"

    name: str
    place: str
    found: tuple[Dispute, ...]
    is_of_one: bool = False

    def to_frame(self) -> pl.DataFrame:
        """One row per label of a disputed document."""
        rows = [
            (dispute.topic_id, dispute.title, dispute.doc_id, dispute.heading, each.alias, each.value, each.note)
            for dispute in self.found
            for each in dispute.opinions
        ]
        schema = {"query_id": pl.String, "title": pl.String, "doc_id": pl.String, "heading": pl.String,
                  "judge": pl.String, "label": pl.Int64, "note": pl.String}  # fmt: skip
        return pl.DataFrame(rows, schema=schema, orient="row")


@dataclass(frozen=True, eq=False)
class ReleaseList(Result):
    """The releases of a project, the newest last."""

    kind: ClassVar[str] = "releases"

    name: str
    place: str
    releases: tuple[Mapping[str, Any], ...]

    def to_frame(self) -> pl.DataFrame:
        """One row per release."""
        rows = [
            {
                "release": f"{self.place}@{each['version']}",
                "aspect": each["policy"].aspect,
                "made": datetime.fromtimestamp(each["created_at"] / 1000, UTC).strftime("%Y-%m-%d %H:%M"),
                "judged": each["facts"]["judged"],
                "pooled": each["facts"]["pooled"],
                "labels": each["facts"]["labels"],
                "adjudicated": each["facts"]["by"].get("adjudicated", 0),
                "alpha": each["facts"]["agreement"]["value"],
                "low": each["facts"]["agreement"].get("low"),
                "high": each["facts"]["agreement"].get("high"),
                "guidelines": each["facts"]["guidelines"],
                "policy": each["policy"].described(),
                "note": each["note"],
                "sha256": each["sha256"],
            }
            for each in self.releases
        ]
        return pl.DataFrame(rows, schema=_RELEASE, orient="row")


@dataclass(frozen=True, eq=False)
class LabelImport(Result):
    """The outcome of importing labels: numbers of those taken, known already and refused, with reasons."""

    kind: ClassVar[str] = "label import"

    name: str
    source: str
    taken: int
    known: int
    refused: pl.DataFrame
    judges: tuple[str, ...]
    is_dry: bool
    warnings: tuple[str, ...] = ()

    def to_frame(self) -> pl.DataFrame:
        """The labels that were refused, with the reason."""
        return self.refused


_RELEASE = {
    "release": pl.String, "aspect": pl.String, "made": pl.String, "judged": pl.Int64, "pooled": pl.Int64,
    "labels": pl.Int64, "adjudicated": pl.Int64, "alpha": pl.Float64, "low": pl.Float64, "high": pl.Float64,
    "guidelines": pl.Int64,    "policy": pl.String, "note": pl.String, "sha256": pl.String,
}  # fmt: skip


def disputes_listing(project: Project, only: tuple[str, str] | None = None) -> Disputes:
    """The documents of a project that wait for a decision; `only`: one document of a topic, whatever its state."""
    return Disputes(project.name, project.database.name, tuple(disputes(project, only=only)), only is not None)


def release_listing(project: Project) -> ReleaseList:
    """The releases of a project."""
    return ReleaseList(project.name, project.database.name, tuple(releases(project)))
