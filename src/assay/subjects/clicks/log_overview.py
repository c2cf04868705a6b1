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
from assay.show.model import Document, Prose, Section, Table
from assay.tables.log import CLICK
from assay.verbs.sections.results import named_table

_MOST_RANKS = 20
_MOST_ACTIONS = 10


@dataclass(frozen=True, eq=False)
class LogOverview(Result):
    """The contents of a log: counts, systems, clicks by rank, other actions, and what was left out.

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
    impressions = log.impressions.join(clicked, on="impression", how="left").with_columns(
        pl.col("clicked").fill_null(False)
    )
    users = pl.col("user_id").drop_nulls().n_unique()
    counts = impressions.select(
        pl.col("clicked").mean(), first=pl.col("time").min(), last=pl.col("time").max(), users=users,
        sessions=pl.struct("user_id", "session_id").filter(pl.col("session_id").is_not_null()).n_unique(),
        queries=pl.col("query_id").drop_nulls().n_unique(), empty=(pl.col("n_results") == 0).sum(),
    )  # fmt: skip
    by_system = impressions.group_by("system").agg(pages=pl.len(), users=users, clicked=pl.col("clicked").mean())
    by_rank = log.results.filter(SHOWN).group_by("rank").agg(
        shown=pl.len(), clicks=pl.col("clicks").sum(), clicked=(pl.col("clicks") > 0).mean()
    )  # fmt: skip
    actions = log.events.filter(pl.col("action") != CLICK).group_by("action").agg(events=pl.len())
    frames = [
        counts, by_system.sort("system", nulls_last=True), by_rank.sort("rank"),
        actions.sort("events", "action", descending=[True, False]),
    ]  # fmt: skip
    row, systems, ranks, others = pl.collect_all(frames, engine="streaming")
    held = row.to_dicts()[0]
    facts: dict[str, Any] = {"result pages": pages, "results": results, "clicks": clicks}
    facts |= {"pages with a click": held["clicked"], "pages without results": held["empty"]}
    if held["first"] is not None:
        facts |= {"first page": held["first"], "last page": held["last"]}
    facts |= {name: held[name] or None for name in ("users", "sessions", "queries")}
    # One system without a name is none.
    systems = systems if systems["system"].null_count() < systems.height else systems.clear()
    return LogOverview(log.name, facts, systems, ranks, others, log.remarks)


def document(overview: LogOverview) -> Document:
    """The counts, then systems, ranks, actions, and what was left out."""
    facts = {name: _worded(name, value) for name, value in overview.facts.items()}
    plain = {name: each.isoformat() if isinstance(each, datetime) else each for name, each in overview.facts.items()}
    systems = Table.of("systems", overview.systems, titles={"clicked": "pages with a click"}, clicked="percent")
    ranks = Table.of(
        "ranks", overview.by_rank, titles={"shown": "results shown"}, most=_MOST_RANKS, rank="short", clicked="bar"
    )
    actions = Table.of("actions", overview.actions, most=_MOST_ACTIONS)
    left_out = Prose(style="list", points=overview.remarks)
    sections = (
        Section("log", parts=(named_table("log", facts),), data={"log": overview.name, "facts": plain}),
        *([Section("systems", "Systems", (systems,))] if overview.systems.height else []),
        Section("ranks", "Clicks by rank", (ranks,)),
        *([Section("actions", "Other events", (actions,))] if overview.actions.height else []),
        *([Section("remarks", "Assumed, or left out when it was read", (left_out,))] if overview.remarks else []),
    )
    return Document("log", sections)


def _worded(name: str, value: Any) -> str:
    if value is None:
        return "not known"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M} UTC"
    return f"{value:.1%}" if name == "pages with a click" else f"{value:,}"
