"""Open UBI 1.3 (User Behavior Insights): queries and events, one JSON object per line, also as bulks and dumps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import polars as pl

from assay.files.click_tables import ASKED, SHOWN, event_rows
from assay.files.json_values import object_lines
from assay.files.log_looks import DUMPED, INDEX
from assay.files.log_records import ReadingRules, Records, ids_in, query_ids
from assay.files.registry import head_of
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
    schema = _schema()
    line = 1
    read = _dumped_lines if DUMPED in (head_of(source).first_object or {}) else object_lines
    for chunk in source.chunks():
        frame = read(chunk, line, schema, rules.malformed)
        line += chunk.count(b"\n")
        for rows in _queries_and_events(frame, rules):
            yield event_rows(rows, rules, whole_pages=True)


def _dumped_lines(
    data: bytes, line: int, schema: Mapping[str, Any], refuse: Callable[[int, str, str], None]
) -> pl.DataFrame:
    """The objects that a dump of an index wraps, with `_index` and `_id` beside them, and the line of each."""
    held = object_lines(data, line, {DUMPED: pl.String}, refuse)
    texts = held[DUMPED].fill_null("{}")
    lines = held["row"]
    frame = object_lines(
        "\n".join(texts).encode(), 1, schema, lambda row, expected, got: refuse(lines[row - 1], expected, got)
    )
    return frame.with_columns(lines.gather(frame["row"] - 1).alias("row"))


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


def _queries_and_events(frame: pl.DataFrame, rules: ReadingRules) -> Iterator[pl.DataFrame]:
    """Queries, then events, as rows of a table, in the columns of its roles."""
    is_event = pl.col("action_name").is_not_null()
    is_index = pl.any_horizontal(pl.col(name).is_not_null() for name in INDEX) & ~is_event
    is_query = pl.any_horizontal(pl.col("user_query", "query_response_hit_ids").is_not_null()) & ~is_event & ~is_index
    for number in frame.filter(~is_event & ~is_query & ~is_index)["row"]:
        rules.malformed(number, _SHAPE, "neither")
    yield _in_roles(frame.filter(is_query), rules)
    yield _in_roles(frame.filter(is_event), rules).drop("results")


def _in_roles(frame: pl.DataFrame, rules: ReadingRules) -> pl.DataFrame:
    about = frame["event_attributes"]
    key = ids_in(frame["query_id"])
    client = ids_in(frame["client_id"])
    of_queries = {role: _attribute(frame, "query_attributes", role) for role in _OF_QUERIES}
    of_events = {role: _attribute(frame, "event_attributes", role) for role in _OF_EVENTS}
    nameless = f"{rules.label}line " + frame["row"].cast(pl.String)
    action = frame["action_name"].set(frame["action_name"].is_in(_CLICKS), CLICK)
    action = action.set(action.is_in(_SEEN), SHOWN).fill_null(ASKED)
    of_results = action.is_in([SHOWN, CLICK])  # positions of filters and menus are no ranks
    sessions = (frame["session_id"], _field(about, "session_id"), of_queries.pop("session_id"))
    return frame.select(
        "row",
        impression_id=key.zip_with(key.is_not_null() | (action != ASKED), nameless),
        time="timestamp",
        user_id=client.zip_with(client.is_not_null(), ids_in(frame["user_id"])),
        session_id=pl.coalesce(*map(ids_in, sessions)),
        query_id=pl.coalesce(of_queries.pop("query_id"), query_ids(frame["user_query"], rules)),
        query_text="user_query",
        results="query_response_hit_ids",
        action=action,
        doc_id=ids_in(_field(about, "object", "object_id")),
        rank=_field(about, "position", "ordinal").set(~of_results, None),
        source="application",
        **of_queries,
        **of_events,
    )


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
