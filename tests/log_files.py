"""Click logs for tests: made of pages, written in every layout, and what must hold of whatever is read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import polars as pl

from assay import Log

START = datetime(2026, 3, 2, 8)


class Page(NamedTuple):
    """A result page: what it showed, the clicks as places from 0 (or documents), who saw it, and when."""

    query: str
    docs: Sequence[str]
    clicks: Sequence[int | str] = ()
    user: str | None = "u1"
    session: str | None = None
    minute: float = 0.0
    system: str = "old"
    name: str = ""


def stamp(minute: float) -> str:
    """A time of that minute, in UTC."""
    return (START + timedelta(minutes=minute)).isoformat(timespec="milliseconds") + "Z"


def ubi(pages: Sequence[Page], *, base: int = 1, index: bool = False) -> list[str]:
    """Lines of UBI: a query per page, then its clicks, ten seconds after one another."""
    records: list[tuple[str, dict[str, Any]]] = []
    for number, page in enumerate(pages):
        key = page.name or f"p{number}"
        who = {"client_id": page.user} if page.user else {}
        query = {"query_id": key, **who, "user_query": page.query, "query_response_hit_ids": list(page.docs),
                 "query_attributes": {"system": page.system}, "timestamp": stamp(page.minute)}  # fmt: skip
        records.append(("ubi_queries", query))
        for place, click in enumerate(page.clicks, 1):
            doc = click if isinstance(click, str) else page.docs[click]
            position = {} if isinstance(click, str) else {"position": {"ordinal": click + base}}
            about = {"object": {"object_id": doc}, **position}
            session = {"session_id": page.session} if page.session else {}
            event = {"query_id": key, **who, **session, "action_name": "click", "event_attributes": about,
                     "timestamp": stamp(page.minute + place / 6)}  # fmt: skip
            records.append(("ubi_events", event))
    lines = []
    for where, record in records:
        lines += [json.dumps({"index": {"_index": where}})] * index + [json.dumps(record)]
    return lines


def rows(frame: pl.LazyFrame | pl.DataFrame, *columns: str) -> list[tuple[Any, ...]]:
    """The rows of a table, of some columns."""
    return frame.lazy().select(*columns).collect().rows()


def contents(log: Log) -> dict[str, list[tuple[Any, ...]]]:
    """What is on each page, by its name, in whatever order the pages are."""
    names = log.impressions.select("impression", "impression_id")
    results = log.results.join(names, on="impression").sort("impression_id", "rank")
    events = log.events.join(names, on="impression").sort("impression_id", "time", "doc_id", "dwell_ms")
    pages = log.impressions.sort("impression_id")
    return {
        "pages": rows(pages, "impression_id", "time", "user_id", "session_id", "query_id", "system", "n_results"),
        "results": rows(results, "impression_id", "rank", "doc_id", "clicks", "seen"),
        "events": rows(events, "impression_id", "time", "action", "doc_id", "rank", "dwell_ms"),
    }


def assert_sound(log: Log) -> None:
    """Whatever was read: pages have numbers, ranks are from 1 and once, clicks are those of the events."""
    pages, results, events = (frame.collect() for frame in (log.impressions, log.results, log.events))
    assert pages["impression"].to_list() == list(range(pages.height))
    assert pages["impression_id"].null_count() == 0
    assert not results.select("impression", "rank").is_duplicated().any()
    assert (results["rank"] >= 1).all()
    assert results["doc_id"].null_count() == 0
    for table in (results, events):
        assert table["impression"].is_between(0, pages.height - 1).all()
        assert table["impression"].is_sorted()
    clicks = events.filter(pl.col("action") == "click")
    assert results["clicks"].sum() == clicks["rank"].count()
    there = clicks.drop_nulls("rank").join(results, on=["impression", "rank", "doc_id"], how="semi")
    assert there.height == clicks["rank"].count()
    assert (events["dwell_ms"].drop_nulls() >= 0).all()
