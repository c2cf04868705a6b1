"""Open UBI 1.3 (User Behavior Insights): queries and events, one JSON object per line, with or without index lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from assay.files.json_values import object_lines
from assay.files.log_looks import INDEX
from assay.files.log_records import (
    ReadingRules,
    Records,
    exploded,
    ids_in,
    numbers_of,
    ordinals_of,
    query_ids,
    times_of,
    truths_of,
    wholes_of,
)
from assay.files.sources import Source
from assay.tables.log import CLICK
from assay.tables.roles import attribute_names, use

#: What says that a result came into view; and what is a click.
_SEEN = ("impression", "view")
_CLICKS = (CLICK, "click_through", "item_click", "result_click")
_SHAPE = "a query (`user_query`) or an event (`action_name`) of UBI"
#: What of the roles of a log `query_attributes` and `event_attributes` may hold.
_OF_QUERIES = ("query_id", "system", "latency_ms", "page", "answered", "n_results", "session_id")
_OF_EVENTS = ("dwell_ms", "dwell_seconds", "value")
_TOP = (
    "application", "query_id", "client_id", "user_id", "session_id", "user_query", "timestamp", "action_name",
    *INDEX,
)  # fmt: skip


def read_ubi(source: Source, rules: ReadingRules) -> Iterator[Records]:
    """The records of a file, piece by piece."""
    schema, line = _schema(), 1
    for chunk in source.chunks():
        frame = object_lines(chunk, line, schema, rules.malformed)
        line += chunk.count(b"\n")
        yield _records(frame, rules)


def _schema() -> dict[str, Any]:
    """The fields that are read, all as text: what they should be is looked at afterwards."""
    of_queries, of_events = (
        {name: pl.String for role in roles for name in attribute_names("log", role)}
        for roles in (_OF_QUERIES, _OF_EVENTS)
    )
    position = pl.Struct({"ordinal": pl.String})
    thing = pl.Struct({"object_id": pl.String})
    events = pl.Struct({"object": thing, "position": position, "session_id": pl.String, **of_events})
    return {
        **dict.fromkeys(_TOP, pl.String), "query_response_hit_ids": pl.List(pl.String),
        "query_attributes": pl.Struct(of_queries), "event_attributes": events,
    }  # fmt: skip


def _records(frame: pl.DataFrame, rules: ReadingRules) -> Records:
    is_event = pl.col("action_name").is_not_null()
    is_index = pl.any_horizontal(pl.col(name).is_not_null() for name in INDEX) & ~is_event
    is_query = pl.any_horizontal(pl.col("user_query", "query_response_hit_ids").is_not_null()) & ~is_event & ~is_index
    for number in frame.filter(~is_event & ~is_query & ~is_index)["row"]:
        rules.malformed(number, _SHAPE, "neither")
    pages, listed = _queries(frame.lazy().filter(is_query).drop("event_attributes").collect(), rules)
    about_queries = ("query_attributes", "query_response_hit_ids")
    seen, events = _events(frame.lazy().filter(is_event).drop(about_queries).collect(), rules)
    return Records.of(pages, pl.concat([listed, seen], how="diagonal"), events)


def _field(values: pl.Series, *names: str) -> pl.Series:
    """A field of a field of objects; null if none has it."""
    for name in names:
        known = isinstance(values.dtype, pl.Struct) and name in values.struct.fields
        values = values.struct.field(name) if known else pl.repeat(None, len(values), dtype=pl.String, eager=True)
    return values


def _attribute(frame: pl.DataFrame, column: str, role: str) -> pl.Series:
    names = attribute_names("log", role)
    if _field(frame[column], names[0]).is_not_null().any():
        use(names[0])
    held = [name for name in names if name in frame[column].struct.fields]
    return ids_in(pl.select(pl.coalesce(_field(frame[column], name) for name in held or names[:1])).to_series())


def _queries(frame: pl.DataFrame, rules: ReadingRules) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Pages, and what was returned."""
    stated = {role: _attribute(frame, "query_attributes", role) for role in _OF_QUERIES}
    hits = frame["query_response_hit_ids"]
    key = ids_in(frame["query_id"])
    nameless = f"{rules.label}line " + frame["row"].cast(pl.String)
    pages = frame.select(
        "row",
        key=key.zip_with(key.is_not_null(), nameless),
        time=times_of(frame["timestamp"], rules),
        user_id=_user(frame),
        session_id=pl.coalesce(ids_in(frame["session_id"]), stated["session_id"]),
        query_id=pl.coalesce(stated["query_id"], query_ids(frame["user_query"])),
        query_text="user_query",
        system=stated["system"],
        n_results=pl.coalesce(wholes_of(stated["n_results"]), hits.list.len().cast(pl.Int64)),
        latency_ms=numbers_of(stated["latency_ms"]),
        page=wholes_of(stated["page"]),
        answered=truths_of(stated["answered"]),
        source="application",
    )
    listed = exploded(pages.select("key", "row", "source", doc_id=hits))
    unnamed = listed.filter(pl.col("doc_id").is_null() | (pl.col("doc_id") == ""))
    if unnamed.height:
        rules.tallies.add("no-document", unnamed.height, f"row {unnamed['row'][0]}")
        listed = listed.filter(pl.col("doc_id") != "")
    return pages, listed


def _user(frame: pl.DataFrame) -> pl.Series:
    client = ids_in(frame["client_id"])
    return client.zip_with(client.is_not_null(), ids_in(frame["user_id"]))


def _events(frame: pl.DataFrame, rules: ReadingRules) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Results that came into view, and the other events."""
    about = frame["event_attributes"]
    session = ids_in(frame["session_id"])
    action = frame["action_name"]
    matters = action.is_in([*_SEEN, *_CLICKS])  # positions of filters and menus are no ranks
    ordinal = _field(about, "position", "ordinal")
    events = frame.select(
        "row",
        key=ids_in(frame["query_id"]),
        time=times_of(frame["timestamp"], rules),
        action=action.set(action.is_in(_CLICKS), CLICK),
        doc_id=ids_in(_field(about, "object", "object_id")),
        ordinal=ordinals_of(ordinal.set(~matters, None), rules),
        value=numbers_of(_attribute(frame, "event_attributes", "value")),
        dwell_ms=numbers_of(_attribute(frame, "event_attributes", "dwell_ms")),
        dwell_seconds=numbers_of(_attribute(frame, "event_attributes", "dwell_seconds")),
        user_id=_user(frame),
        session_id=session.zip_with(session.is_not_null(), ids_in(_field(about, "session_id"))),
        query_text="user_query",
        source="application",
    ).with_columns(dwell_ms=pl.coalesce("dwell_ms", 1000 * pl.col("dwell_seconds")))
    shown = pl.col("action").is_in(_SEEN) & pl.col("doc_id").is_not_null() & pl.col("key").is_not_null()
    seen = events.filter(shown).with_columns(listed=pl.lit(False), seen=pl.lit(True))
    # An event of seeing makes a page known where no query does: it stays until pages are put together.
    return seen, events
