"""The queue of documents on which assessors stay apart, and decisions on them. Assessors are aliases here."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import Field

from assay.core.errors import ParameterError
from assay.store import adjudication
from assay.store.projects import newest_guidelines
from assay.web.context import Context, Done, Fields
from assay.web.pages.judging import GradeShown


class Place(Fields):
    """The place in the queue, from 0."""

    at: int = Field(default=0, ge=0, le=10**9)


class Verdict(Place):
    """A decision on a document: a grade, or that nobody can judge it."""

    topic_id: str = Field(min_length=1)
    doc_id: str = Field(min_length=1)
    grade: int | None = Field(default=None, ge=-(2**53), le=2**53)
    cannot: bool = False
    reason: str = Field(default="", max_length=20_000)


@dataclass(frozen=True)
class OpinionShown:
    """An assessor's grade in words, with the note."""

    alias: str
    grade: str
    value: int | None
    note: str
    kind: str


@dataclass(frozen=True)
class DisagreementsPage:
    """How many documents wait, and one of them with all that was said."""

    project: int
    waiting: int
    at: int
    dispute: adjudication.Dispute | None
    opinions: list[OpinionShown]
    grades: list[GradeShown]
    guidelines: str


def disagreements(context: Context) -> DisagreementsPage:
    """Show a document on which assessors differ, and what each said."""
    project, asked = context.project, context.query
    count = adjudication.waiting(project)
    at = asked.at if asked.at < count else 0
    found = next(iter(adjudication.disputes(project, limit=1, offset=at)), None)
    opinions = [
        OpinionShown(
            each.alias, "cannot judge" if each.value is None else project.scale.grade(each.value).label, each.value,
            each.note, each.kind,
        )
        for each in (found.opinions if found else ())
    ]  # fmt: skip
    grades = [GradeShown(each.value, each.label, each.help, each.key) for each in project.scale.grades]
    return DisagreementsPage(project.id, count, at, found, opinions, grades, newest_guidelines(project))


def decide(context: Context) -> Done:
    """Decide what a document is worth that waits for it; the labels stay as they are."""
    given: Verdict = context.form
    if given.cannot == (given.grade is not None):
        raise ParameterError("choose a grade, or that the document cannot be judged")
    adjudication.adjudicate(
        context.project, given.topic_id, given.doc_id, given.grade, decided_by=context.actor, reason=given.reason,
        waits=True,
    )  # fmt: skip
    said = "cannot be judged" if given.grade is None else context.project.scale.grade(given.grade).label
    left = adjudication.waiting(context.project)
    place = f"?at={given.at}" if given.at else ""
    message = f"Decided: {said}. {left:,} left."
    return Done(f"/projects/{context.project_key}/disagreements{place}", message, {"left": left})
