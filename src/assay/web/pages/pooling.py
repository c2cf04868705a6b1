"""The pool of a project and its cost before it is made; and the documents that decide a comparison of its runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from assay.core.errors import InputError, number_of
from assay.store.deciding import judge_next
from assay.store.holdings import Cost, cost_of, fill_pool, holdings_of, pool_of
from assay.web.context import Context, Done, Fields
from assay.web.documents import Shown


class Pooling(Fields):
    """How a pool is made; without a depth, nothing is counted yet."""

    depth: int | None = Field(default=None, ge=1, le=100_000)
    budget: int | None = Field(default=None, ge=1, le=1_000_000)
    strategy: Literal["depth", "take", "rbp", "rrf", "sample"] = "depth"
    #: Seconds for a judgment, where the project does not know its own yet.
    seconds: float | None = Field(default=None, ge=1, le=3600)


class PoolToMake(Pooling):
    """A pool to make; `keep_missing`: also documents without a text."""

    keep_missing: bool = False


class Decision(Fields):
    """What is to be decided: by which measure, and between which runs; without names, those nearly told apart."""

    measure: str = Field(default="nDCG@10", max_length=100)
    number: int = Field(default=20, ge=1, le=1000)
    baseline: str | None = Field(default=None, max_length=1000)
    system: str | None = Field(default=None, max_length=1000)


@dataclass(frozen=True)
class PoolPage:
    """The pool that there is, and one that could be made, with its cost."""

    project: int
    runs: int
    pooled: int
    depth: int
    budget: int | None
    strategy: str
    seconds: float | None
    cost: Cost | None
    document: Shown | None


@dataclass(frozen=True)
class DecidingPage:
    """The documents that decide, or why none can be named yet."""

    project: int
    runs: list[str]
    measure: str
    number: int
    baseline: str | None
    system: str | None
    problem: str
    document: Shown | None


def pool(context: Context) -> PoolPage:
    """Show what a pool would hold and cost, before it is made."""
    asked: Pooling = context.query
    held = holdings_of(context.project)
    cost, document = None, None
    if asked.depth is not None and held.runs:
        made = pool_of(context.project, **_how(asked))
        if made.to_judge().height:
            cost, document = cost_of(context.project, made, seconds=asked.seconds), made.document()
    return PoolPage(
        context.project_key, len(held.runs), held.pooled, asked.depth or 10, asked.budget, asked.strategy,
        asked.seconds, cost, document,
    )  # fmt: skip


def make_pool(context: Context) -> Done:
    """Add the documents of a pool to those that are judged."""
    given: PoolToMake = context.form
    made = pool_of(context.project, **_how(given))
    count = fill_pool(context.project, made, keep_missing=given.keep_missing, actor=context.actor)
    said = f"{number_of('document', count)} to judge." if count else "All of these were in the pool before."
    return Done(f"/projects/{context.project_key}", said, {"added": count})


def deciding(context: Context) -> DecidingPage:
    """Show the documents whose grades would move a comparison most; nothing is changed."""
    asked: Decision = context.query
    document, problem = None, ""
    try:
        document = judge_next(context.project, queue=False, **vars(asked)).document()
    except InputError as told:
        problem = str(told)
    names = [each.name for each in holdings_of(context.project).runs]
    return DecidingPage(
        context.project_key, names, asked.measure, asked.number, asked.baseline, asked.system, problem, document
    )


def hand_out_first(context: Context) -> Done:
    """Have the documents that decide judged before all others."""
    given: Decision = context.form
    found = judge_next(context.project, actor=context.actor, **vars(given))
    said = f"{number_of('document', found.queued)} will be handed out first."
    return Done(f"/projects/{context.project_key}/deciding", said, {"queued": found.queued})


def _how(asked: Pooling) -> dict[str, Any]:
    if asked.strategy == "sample":
        return {"strategy": "sample"}  # its strata say how deep it goes
    budget = asked.budget if asked.strategy != "depth" else None
    return {"strategy": asked.strategy, "depth": asked.depth or 10, "budget": budget}
