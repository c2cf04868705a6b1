"""Releases by name: `judging.db@3` and `postgresql://team@host/judging@newest` in place of a file of judgments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

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
    of = f"release {found.version} of {found.project}"
    return Qrels(qrels.frame, shown, of, tuple(_doubts(found.facts)), qrels.release)


def _doubts(facts: Mapping[str, Any]) -> Iterator[str]:
    """Doubts for whoever evaluates by a release: what its scale means and no file of judgments can say."""
    if (level := facts.get("relevant_from")) is not None and level > 1:
        yield f"on this scale, grades from {level} on are relevant: measures of relevance need level {level}"
    if gains := facts.get("gains"):
        table = ", ".join(f"{grade}: {gain:g}" for grade, gain in gains.items())
        yield f"on this scale, grades have gains of their own: nDCG(gain={{{table}}}) counts them so"
