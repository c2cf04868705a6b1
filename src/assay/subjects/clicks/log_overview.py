"""`describe_log`: what a click log holds, in a few counts, and what was left out when it was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Unpack

import polars as pl

from assay.core.options import LogRules
from assay.core.results import Result
from assay.files.logs import read_log
from assay.measures.counting.click_counts import SHOWN
from assay.show.model import Column, Document, Prose, Section, Table
from assay.tables.log import CLICK
from assay.verbs.sections.results import named_table

_MOST_RANKS = 20
_MOST_ACTIONS = 10


@dataclass(frozen=True, eq=False)
class LogOverview(Result):
    """What a log holds: counts, systems, clicks by rank, other actions, and what was left out.

    >>> from assay import Log
    >>> overview = describe_log(Log.from_pages([("q1", ["d1", "d2"], ["d2"]), ("q2", ["d1"], [])]))
    >>> overview.facts["result pages"], overview.by_rank["clicked"].to_list()
    (2, [0.0, 1.0])
    """

    kind: ClassVar[str] = "log overview"

    name: str
    facts: Mapping[str, Any]
    #: One row per system: pages, users, pages with a click.
    systems: pl.DataFrame
    #: One row per rank: how many results were shown there, and the share of them that was clicked.
    by_rank: pl.DataFrame
    #: One row per action other than a click.
    actions: pl.DataFrame
    remarks: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<LogOverview of {self.name!r}>"

    def to_frame(self) -> pl.DataFrame:
        """Clicks by rank."""
        return self.by_rank


def describe_log(source: Any, **rules: Unpack[LogRules]) -> LogOverview:
    """Count what a click log holds; `rules` are those of `read_log`.

    >>> from assay import Log
    >>> describe_log(Log.from_pages([("q1", ["d1", "d2"], ["d2"])], user_id=["u1"])).facts["users"]
    1
    """
    log = read_log(source, **rules)
    pages, results, clicks = log.sizes
    clicked = log.events.filter(pl.col("action") == CLICK).select("impression", clicked=True).unique()
    with_clicks = log.impressions.join(clicked, on="impression", how="left").with_columns(
        pl.col("clicked").fill_null(False)
    )
    counts = log.impressions.select(
        first=pl.col("time").min(), last=pl.col("time").max(), users=pl.col("user_id").drop_nulls().n_unique(),
        sessions=pl.struct("user_id", "session_id").filter(pl.col("session_id").is_not_null()).n_unique(),
        queries=pl.col("query_id").drop_nulls().n_unique(),
        empty=(pl.col("n_results") == 0).sum(),
    )  # fmt: skip
    by_system = with_clicks.group_by("system").agg(
        pl.len().alias("pages"), pl.col("user_id").drop_nulls().n_unique().alias("users"), pl.col("clicked").mean()
    ).sort("system", nulls_last=True)  # fmt: skip
    by_rank = log.results.filter(SHOWN).group_by("rank").agg(
        pl.len().alias("shown"), pl.col("clicks").sum(), (pl.col("clicks") > 0).mean().alias("clicked")
    ).sort("rank")  # fmt: skip
    actions = log.events.filter(pl.col("action") != CLICK).group_by("action").agg(pl.len().alias("events")).sort(
        "events", "action", descending=[True, False]
    )  # fmt: skip
    share = with_clicks.select(pl.col("clicked").mean())
    row, systems, ranks, others, any_click = pl.collect_all(
        [counts, by_system, by_rank, actions, share], engine="streaming"
    )
    held = row.to_dicts()[0]
    facts: dict[str, Any] = {"result pages": pages, "results": results, "clicks": clicks}
    facts |= {"pages with a click": any_click.item(), "pages without results": held["empty"]}
    if held["first"] is not None:
        facts |= {"first page": held["first"], "last page": held["last"]}
    facts |= {name: held[name] or None for name in ("users", "sessions", "queries")}
    systems = (
        systems.filter(pl.col("system").is_not_null()) if systems["system"].null_count() == systems.height else systems
    )
    return LogOverview(log.name, facts, systems, ranks, others, log.remarks)


def document(overview: LogOverview) -> Document:
    """The counts, then systems, ranks, actions, and what was left out."""
    facts = {name: _worded(name, value) for name, value in overview.facts.items()}
    data = {"log": overview.name, "facts": {name: _plain(value) for name, value in overview.facts.items()}}
    sections = [Section("log", parts=(named_table("log", facts),), data=data)]
    if overview.systems.height:
        columns = (Column("system"), Column("pages", kind="count"), Column("users", kind="count"),
                   Column("clicked", "pages with a click", kind="percent"))  # fmt: skip
        sections.append(Section("systems", "Systems", (Table("systems", overview.systems, columns),)))
    ranks = Table(
        "ranks", overview.by_rank,
        (Column("rank", kind="short"), Column("shown", "results shown", kind="count"),
         Column("clicks", kind="count"), Column("clicked", "clicked", kind="bar")),
        most=_MOST_RANKS,
    )  # fmt: skip
    sections.append(Section("ranks", "Clicks by rank", (ranks,)))
    if overview.actions.height:
        table = Table(
            "actions", overview.actions, (Column("action"), Column("events", kind="count")), most=_MOST_ACTIONS
        )
        sections.append(Section("actions", "Other events", (table,)))
    if overview.remarks:
        points = Prose(style="list", points=overview.remarks)
        sections.append(Section("remarks", "Assumed, or left out when it was read", (points,)))
    return Document("log", tuple(sections))


def _worded(name: str, value: Any) -> str:
    if value is None:
        return "not known"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M} UTC"
    return f"{value:.1%}" if name == "pages with a click" else f"{value:,}"


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
