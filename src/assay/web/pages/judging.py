"""Judging: the document at hand, those that come next, and what is said of them; by form or by the page's script.

Nothing here reads runs, ranks, scores or what others said.
"""

from __future__ import annotations

import re
import uuid
from dataclasses import asdict, dataclass
from typing import Annotated

from pydantic import Field

from assay.core.errors import ParameterError
from assay.ground_truth.matching import words_of
from assay.store.feedback import feed_back_label
from assay.store.handout import Task, hand_out
from assay.store.leases import give_back, hand_out_more, renew_all
from assay.store.memberships import assessor_for
from assay.store.preferences import are_preferences, sides_of
from assay.store.saving import Input, save, skip, undo
from assay.web.context import Context, Done, Fields
from assay.web.progress import move, progress

_BIGGEST = 2**53
#: So many documents go to one browser at once, at most; and so many may be named by it.
_MOST_AHEAD = 20
_MOST_NAMED = 1_000
Key = Annotated[int, Field(ge=1, le=_BIGGEST)]


class Asked(Fields):
    """The document that a form is about."""

    assignment: Key


class Label(Asked):
    """What somebody says of a document: a grade, or `cannot` where none can be given."""

    key: str = Field(min_length=1, max_length=200, description="made once for each decision; saved once")
    grade: int | None = Field(default=None, ge=-_BIGGEST, le=_BIGGEST)
    cannot: bool = False
    note: str = Field(default="", max_length=20_000)
    further: dict[str, int] = Field(default_factory=dict, description="grades of further aspects, by name")
    active_ms: int | None = Field(default=None, ge=0, le=2**31 - 1)
    input: Input = "form"
    shown: str = Field(default="", max_length=64)
    guideline: int | None = Field(default=None, ge=1, le=_BIGGEST)
    client_at: int | None = Field(default=None, ge=0, le=_BIGGEST)
    replaces: int | None = Field(default=None, ge=1, le=_BIGGEST)


class Undo(Fields):
    """Take back the last label, or that of a document; `key` is made once for each time."""

    key: str = Field(min_length=1, max_length=200)
    assignment: Key | None = None


class Ahead(Fields):
    """Ask for documents to judge next, besides those at hand."""

    number: int = Field(default=3, ge=1, le=_MOST_AHEAD)
    besides: list[Key] = Field(default_factory=list, max_length=_MOST_NAMED, description="assignments at hand")


class Kept(Fields):
    """Documents to keep for longer."""

    assignments: list[Key] = Field(max_length=_MOST_NAMED)


class Leave(Fields):
    """Documents to give back: all, or those whose leases are named and were not renewed meanwhile."""

    leases: dict[Key, Key] | None = Field(
        default=None, max_length=_MOST_NAMED, description="when leases end, by assignment"
    )


@dataclass(frozen=True)
class GradeShown:
    """A grade that can be given."""

    value: int
    label: str
    help: str
    key: str


@dataclass(frozen=True)
class AspectShown:
    """A question about the document, with its grades."""

    name: str
    question: str
    grades: list[GradeShown]


@dataclass(frozen=True)
class TaskShown:
    """A document to judge, as it goes to the browser."""

    assignment: int
    topic_id: str
    title: str
    description: str
    narrative: str
    doc_id: str
    heading: str
    text: str
    aspects: list[AspectShown]
    guidelines: str
    guideline: int | None
    lease_until: int
    shown: str
    #: A key for the label, made anew for each page.
    key: str
    terms: list[str]
    #: The texts of the two documents of a pair, where one is asked which is better; else none.
    sides: list[str]


@dataclass(frozen=True)
class JudgePage:
    """The document at hand; none where nothing is left for the assessor."""

    project: int
    name: str
    task: TaskShown | None
    judged: int
    left: int
    undo_key: str
    #: How long a document stays with whoever has it, in minutes.
    lease: int
    #: Documents of a topic come one after the other, so that they can be judged as a list.
    by_topic: bool


def judge(context: Context) -> JudgePage:
    """Show the document that somebody has to judge: the one that they have, or the next one."""
    project, who = context.project, assessor(context)
    judged, left = progress(project, who)
    task = hand_out(project, who)
    rules = project.settings
    return JudgePage(
        project.id, project.name, None if task is None else shown(task), judged, left, uuid.uuid4().hex,
        rules.lease, rules.order not in {"random", "priority"},
    )  # fmt: skip


def ahead(context: Context) -> Done:
    """Hand out what comes next, before it is needed."""
    given: Ahead = context.form
    tasks = hand_out_more(context.project, assessor(context), given.number, besides=given.besides)
    return Done(f"/projects/{context.project_key}/judge", data={"tasks": [asdict(shown(each)) for each in tasks]})


def keep(context: Context) -> Done:
    """Keep documents for longer; those that went to others meanwhile are left out of the answer."""
    given: Kept = context.form
    leases = renew_all(context.project, assessor(context), given.assignments)
    return Done(f"/projects/{context.project_key}/judge", data={"leases": leases})


def save_label(context: Context) -> Done:
    """Save what somebody says of a document, once for each key."""
    given: Label = context.form
    project, who = context.project, assessor(context)
    if given.cannot == (given.grade is not None):
        raise ParameterError("choose a grade, or that the document cannot be judged")
    saved = save(
        project, who, given.assignment, given.grade, client_key=given.key, further=given.further, note=given.note,
        active_ms=given.active_ms, input=given.input, shown=given.shown, guideline=given.guideline,
        client_at=given.client_at, replaces=given.replaces,
    )  # fmt: skip
    if not saved.is_repeated:
        feed_back_label(project, given.assignment)
        move(project, who, 1)
    said = "cannot judge" if given.grade is None else project.scale.grade(given.grade).label
    return Done(f"/projects/{project.id}/judge", f"Saved: {said}.", dict(saved._asdict()))


def skip_document(context: Context) -> Done:
    """Leave a document to somebody else."""
    given: Asked = context.form
    skip(context.project, assessor(context), given.assignment)
    return Done(f"/projects/{context.project_key}/judge", "Skipped.")


def undo_label(context: Context) -> Done:
    """Take back the last label, or that of a document, and have it again."""
    given: Undo = context.form
    who = assessor(context)
    undone = undo(context.project, who, client_key=given.key, assignment=given.assignment)
    if undone is not None:
        move(context.project, who, -1)
        if given.assignment is None:
            give_back(context.project, who, keep=undone)
    message = "There is nothing to undo." if undone is None else "Undone: judge it again."
    return Done(f"/projects/{context.project_key}/judge", message, {"assignment": undone})


def leave(context: Context) -> Done:
    """Give back what is not judged, so that nobody waits for it."""
    form: Leave = context.form
    given = give_back(context.project, assessor(context), leases=form.leases)
    return Done(f"/projects/{context.project_key}", "See you soon: all is saved.", {"given_back": given})


def assessor(context: Context) -> str:
    """As whom the user judges in the project."""
    return assessor_for(context.project, context.somebody, owns=context.role == "owner")


def shown(task: Task) -> TaskShown:
    """A document as it goes to the browser."""
    aspects = [
        AspectShown(
            each.name, each.question,
            [GradeShown(grade.value, grade.label, grade.help, grade.key) for grade in each.scale.grades],
        )
        for each in task.aspects
    ]  # fmt: skip
    terms = [word for word in words_of(task.title) if len(word) > 2]
    sides = sides_of(task.text) if are_preferences(task.aspects[0].scale) else None
    return TaskShown(
        task.assignment, task.topic_id, task.title, task.description, task.narrative, task.doc_id, task.heading,
        task.text, aspects, task.guidelines, task.guideline, task.lease_until, task.shown, uuid.uuid4().hex,
        sorted(terms, key=len, reverse=True), list(sides or ()),
    )  # fmt: skip


def pieces(text: str, terms: list[str]) -> list[tuple[str, bool]]:
    """A text in pieces: what lies between words of the topic, and these.

    >>> pieces("Tea is brewed.", ["tea"])
    [('Tea', True), (' is brewed.', False)]
    """
    if not terms:
        return [(text, False)]
    pattern = re.compile("|".join(rf"\b{re.escape(term)}\w*" for term in terms), re.IGNORECASE)
    found, at = [], 0
    for match in pattern.finditer(text):
        found += [(text[at : match.start()], False), (match[0], True)]
        at = match.end()
    return [piece for piece in [*found, (text[at:], False)] if piece[0]]
