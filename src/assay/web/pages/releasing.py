"""Releases: those that there are, what a new one would hold, and what changed from one to another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import polars as pl
from pydantic import Field

from assay.store.projects import Project
from assay.store.release_changes import release_diff
from assay.store.releases import Method, Policy, Ties, judged, make_release, open_release, releases
from assay.web.context import Context, Done, Fields
from assay.web.documents import DocumentPage

#: Whose labels count.
_KINDS = {"people": Policy.kinds, "people and programs": (*Policy.kinds, "program"),
          "all": (*Policy.kinds, "program", "model")}  # fmt: skip


class PolicyFields(Fields):
    """By which policy labels become judgments; `without`: aliases or names, with commas."""

    method: Method = "majority"
    ties: Ties = "lowest"
    minimum: int = Field(default=1, ge=1, le=100)
    aspect: str = Field(default="relevance", max_length=1000)
    count: Literal["people", "people and programs", "all"] = "people"
    without: str = Field(default="", max_length=10_000)

    def policy(self) -> Policy:
        """As a policy."""
        names = tuple(each.strip() for each in self.without.split(",") if each.strip())
        return Policy(
            self.method, self.ties, minimum=self.minimum, kinds=_KINDS[self.count], without=names, aspect=self.aspect
        )


class Preview(PolicyFields):
    """A policy to try; `look`: count what it would give."""

    look: bool = False


class NewRelease(PolicyFields):
    """A release to be, with a note that is kept with it."""

    note: str = Field(default="", max_length=20_000)


class Two(Fields):
    """Two releases, by their numbers."""

    first: int = Field(ge=1, le=2**31)
    second: int = Field(ge=1, le=2**31)


@dataclass(frozen=True)
class ReleaseShown:
    """A release in the list: what it is made of, and how far its labels agree."""

    version: int
    created_at: int
    policy: str
    judged: int
    pooled: int
    labels: int
    adjudicated: int
    alpha: float | None
    low: float | None
    high: float | None
    guidelines: int | None
    note: str
    sha256: str
    preferences: bool


@dataclass(frozen=True)
class Held:
    """What a release would hold: documents with a judgment, by grade, and where these come from."""

    policy: str
    pooled: int
    judged: int
    grades: list[tuple[str, int]]
    by: list[tuple[str, int]]


@dataclass(frozen=True)
class ReleasesPage:
    """The releases of a project, the newest first; and a preview of the next one."""

    project: int
    releases: list[ReleaseShown]
    aspects: list[str]
    asked: dict[str, Any]
    held: Held | None


def release_list(context: Context) -> ReleasesPage:
    """List the releases, and show what another one would hold."""
    asked: Preview = context.query
    project = context.project
    held = _held(project, asked.policy()) if asked.look else None
    known = [_shown(each) for each in reversed(releases(project))]
    aspects = [each.name for each in project.aspects.values()]
    fields = {name: value for name, value in vars(asked).items() if name != "look"}
    return ReleasesPage(project.id, known, aspects, fields, held)


def release(context: Context) -> Done:
    """Freeze the judgments under the next number; they never change again."""
    given: NewRelease = context.form
    made = make_release(context.project, given.policy(), note=given.note, actor=context.actor)
    said = f"Release {made.version} holds {made.facts['judged']:,} judgments."
    to = f"/projects/{context.project_key}/releases"
    return Done(to, said, {"version": made.version, "sha256": made.sha256})


def changes(context: Context) -> DocumentPage:
    """Show what changed from one release to another, and which verdicts that moves."""
    asked: Two = context.query
    first, second = (
        replace(open_release(context.project, each), place=context.project.name) for each in (asked.first, asked.second)
    )
    return DocumentPage(release_diff(context.project, first, second).document())


def _held(project: Project, policy: Policy) -> Held:
    with project.database.reading() as connection:
        frame = judged(connection, project, policy)
    names = {each.value: each.label for aspect in project.aspects.values() if aspect.name == policy.aspect
             for each in aspect.scale.grades}  # fmt: skip
    known = frame.drop_nulls("relevance")
    grades = known.group_by("relevance").agg(documents=pl.len()).sort("relevance").rows()
    by = known.group_by("provenance").agg(documents=pl.len()).sort("documents", descending=True).rows()
    return Held(
        policy.described(), frame.height, known.height,
        [(f"{value} ({names.get(value, '')})", count) for value, count in grades], by,
    )  # fmt: skip


def _shown(each: Any) -> ReleaseShown:
    facts = each["facts"]
    agreement = facts["agreement"]
    return ReleaseShown(
        each["version"], each["created_at"], each["policy"].described(), facts["judged"], facts["pooled"],
        facts["labels"], facts["by"].get("adjudicated", 0), agreement["value"], agreement.get("low"),
        agreement.get("high"), facts["guidelines"], each["note"], each["sha256"], bool(facts.get("preferences")),
    )  # fmt: skip
