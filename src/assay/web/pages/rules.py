"""The rules of a project: who judges how much, in which order, by which guidelines; known answers; open or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from assay.core.errors import number_of
from assay.files import read_qrels
from assay.store import changes
from assay.store.projects import newest_guidelines
from assay.store.settings import Apart, Order, Settings
from assay.web import uploads
from assay.web.context import Context, Done, Fields, ProblemError


class NewRules(Fields):
    """Rules to change; those that are left out stay."""

    overlap: int | None = Field(default=None, ge=1, le=100)
    most: int | None = Field(default=None, ge=1, le=100)
    apart: Apart | None = None
    tolerance: int | None = Field(default=None, ge=0, le=1000)
    adjudicated: bool | None = None
    order: Order | None = None
    blind: bool | None = None
    gold_every: int | None = Field(default=None, ge=0, le=10_000)
    repeat_every: int | None = Field(default=None, ge=0, le=10_000)
    repeat_after: int | None = Field(default=None, ge=1, le=10_000)
    lease: int | None = Field(default=None, ge=1, le=100_000)


class NewGuidelines(Fields):
    """A version of the guidelines."""

    text: str = Field(min_length=1)


class NewState(Fields):
    """Open: documents are handed out; paused or closed: none are."""

    state: Literal["open", "paused", "closed"]


class Known(Fields):
    """By how much an answer may differ from a known one, and be right."""

    tolerance: int = Field(default=0, ge=0, le=1000)


@dataclass(frozen=True)
class RulesPage:
    """The rules of a project."""

    project: int
    settings: dict[str, Any]
    state: str
    guidelines: str
    grades: str


def rules(context: Context) -> RulesPage:
    """Show the rules of a project."""
    project = context.project
    return RulesPage(
        project.id, dict(vars(project.settings)), changes.state_of(project), newest_guidelines(project),
        project.scale.described(),
    )  # fmt: skip


def change_rules(context: Context) -> Done:
    """Change rules; documents that are not settled follow them."""
    given: NewRules = context.form
    wanted = {name: value for name, value in vars(given).items() if value is not None}
    before = context.project.settings
    most = max(wanted.get("most", before.most), wanted.get("overlap", before.overlap))
    settings = Settings.of({**vars(before), **wanted, "most": most})
    changes.change_settings(context.project, settings, actor=context.actor)
    return Done(_here(context), "The rules are changed.", {"settings": vars(settings)})


def change_guidelines(context: Context) -> Done:
    """Add a version of the guidelines; each label says under which it was given."""
    given: NewGuidelines = context.form
    if given.text == newest_guidelines(context.project):
        raise ProblemError(400, "these are the guidelines that there are")
    version = changes.new_guidelines(context.project, given.text, actor=context.actor)
    return Done(_here(context), f"These are version {version} of the guidelines.", {"version": version})


def change_state(context: Context) -> Done:
    """Open, pause or close a project."""
    given: NewState = context.form
    changes.change_state(context.project, given.state, actor=context.actor)
    return Done(_here(context), f"The project is {given.state}.")


def add_known_answers(context: Context) -> Done:
    """Take known answers from judgments: everybody gets their documents, unmarked."""
    given: Known = context.form
    read = (read_qrels(source) for source in uploads.sources(context))
    expected = {
        (query, document): int(grade)
        for each in uploads.limited(read, context.settings)
        for query, document, grade in each.frame.select("query_id", "doc_id", "relevance").iter_rows()
        if grade >= 0
    }
    count = changes.add_gold(context.project, expected, tolerance=given.tolerance, actor=context.actor)
    said = f"{number_of('known answer', count)} added."
    if not context.project.settings.gold_every:
        said += " Set after how many documents one is mixed in: now, none is."
    return Done(_here(context), said, {"added": count})


def _here(context: Context) -> str:
    return f"/projects/{context.project_key}/settings"
