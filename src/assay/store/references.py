"""Releases by name: `judging.db@3` and `postgresql://team@host/judging@newest` in place of a file of judgments."""

from __future__ import annotations

import re

from assay.core.errors import InputError
from assay.store.database import is_url, open_database
from assay.store.projects import open_project
from assay.store.releases import open_release
from assay.tables import Qrels


def released(name: str) -> Qrels:
    """The judgments of a release by its name; a project of several in one database stands before a colon.

    `PLACE@3` is release 3, `PLACE@newest` the newest, `PLACE#PROJECT@3` that of a project of several.
    """
    matched = re.fullmatch(r"(.+?)(?:#([^#@]+))?@(\d+|newest)", name, re.DOTALL)
    if matched is None:
        raise InputError(f"{name}: expected PROJECT@N, such as judging.db@3")
    place, project, version = matched.groups()
    with open_database(place) as database:
        found = open_release(open_project(database, project), None if version == "newest" else int(version))
    shown = found.name if not is_url(place) or project is None else name
    qrels = found.to_qrels()
    return type(qrels)(qrels.frame, shown, f"release {found.version} of {found.project}", _doubts(found.facts))


def _doubts(facts: dict[str, object] | object) -> tuple[str, ...]:
    """Doubts for whoever evaluates by a release."""
    level = facts.get("relevant_from") if isinstance(facts, dict) else None
    if isinstance(level, int) and level > 1:
        return (f"on this scale, grades from {level} on are relevant: measures of relevance need level {level}",)
    return ()
