"""The labels of a project as numbers, a few bytes each: what releases are made of, however many labels there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl
from sqlalchemy import Connection, Select, func, select

from assay.measures.counting.judgments import Ints
from assay.measures.counting.ratings import Ratings
from assay.store import schema as db
from assay.store.labels_table import aspect_key, aspect_of, frame_of
from assay.store.projects import RELEVANCE, Project
from assay.store.scales import Scale

#: The value of a label that says that a document cannot be judged: no scale has it.
_NONE: Final = -(2**40)
_ITEMS = (
    select(db.topic.c.topic_id, db.item.c.doc_id, db.item.c.id, db.gold.c.expected)
    .join(db.topic, db.topic.c.id == db.item.c.topic_id)
    .outerjoin(db.gold, db.gold.c.item_id == db.item.c.id)
)
_ITEM_SCHEMA: Final = {"query_id": pl.String, "doc_id": pl.String, "item": pl.Int64, "expected": pl.Int64}
_superseded = select(db.label.c.supersedes).where(db.label.c.supersedes.is_not(None))


class Tally(NamedTuple):
    """The items of a pool, sorted by topic and document, their grades, and the number of all that was said.

    Somebody's newest grade of an item counts. `said` counts also those who could not judge.
    """

    items: pl.DataFrame
    ratings: Ratings
    said: int


def tally(connection: Connection, project: Project, people: Mapping[int, str], aspect: str = RELEVANCE) -> Tally:
    """Count the grades of an aspect by some people: their names by their keys."""
    items = frame_of(connection, _ITEMS.where(db.item.c.project_id == project.id), _ITEM_SCHEMA)
    items = items.sort("query_id", "doc_id")
    scale = aspect_of(project, aspect).scale
    keys = (items["item"].to_numpy(), np.array(list(people), dtype=np.int64), np.array(scale.values))
    places = _places(connection, _labels(project, people, aspect), keys)
    return Tally(items, _ratings(scale, items["item"], list(people.values()), places), places.shape[1])


def _labels(project: Project, people: Mapping[int, str], aspect: str) -> Select[Any]:
    """Item, person and grade of each label that counts, the oldest first."""
    value = db.label.c.value if aspect == RELEVANCE else db.label_aspect.c.value
    rows = (
        select(db.assignment.c.item_id, db.assignment.c.assessor_id, func.coalesce(value, _NONE))
        .select_from(db.label)
        .join(db.assignment, db.assignment.c.id == db.label.c.assignment_id)
        .where(db.assignment.c.purpose.in_(("main", "import")), db.assignment.c.assessor_id.in_(people))
        .where(db.assignment.c.state == "done", ~db.label.c.is_surplus)
        .where(db.label.c.verdict != "withdrawn", db.label.c.id.not_in(_superseded))
        .order_by(db.label.c.id)
    )
    if aspect == RELEVANCE:
        return rows
    of_aspect = db.label_aspect.c.aspect_id == aspect_key(project, aspect)
    return rows.join(db.label_aspect, db.label_aspect.c.label_id == db.label.c.id).where(of_aspect)


def _places(connection: Connection, rows: Any, keys: tuple[Ints, ...]) -> Any:
    """The columns of a query (rows of these) as places among keys, -1 where a cell is none of them."""
    orders = [np.argsort(column) for column in keys]
    result = connection.execute(rows, execution_options={"yield_per": db.BATCH})
    most = connection.scalar(select(func.count()).select_from(db.label)) or 0
    found: Any = np.empty((len(keys), most), dtype=np.int32)  # half the memory of numbers of 64 bits
    size = 0
    for piece in result.partitions(db.BATCH):
        cells = np.fromiter(chain.from_iterable(piece), np.int64, len(piece) * len(keys)).reshape(-1, len(keys)).T
        for key, order, column, places in zip(keys, orders, cells, found, strict=True):
            place = order[np.minimum(np.searchsorted(key, column, sorter=order), len(key) - 1)]
            places[size : size + len(piece)] = np.where(key[place] == column, place, -1)
        size += len(piece)
    return found[:, :size]


def _ratings(scale: Scale, items: pl.Series, names: Sequence[str], places: Ints) -> Ratings:
    """The newest grade by each judge of each item, sorted by item."""
    order = np.argsort(places[0].astype(np.int64) * max(len(names), 1) + places[1], kind="stable")
    order = order[places[2][order] >= 0]
    item, judge, category = (column[order] for column in places)
    newest = np.append((item[1:] != item[:-1]) | (judge[1:] != judge[:-1]), True)[: len(item)]
    item, judge, category = item[newest], judge[newest], category[newest]
    active = np.unique(judge)
    return Ratings(
        items, tuple(names[place] for place in active), tuple(map(str, scale.values)),
        np.array(scale.values, dtype=np.float64), np.array([scale.relevant(value) for value in scale.values]),
        item, np.searchsorted(active, judge).astype(np.int32), category,
    )  # fmt: skip
