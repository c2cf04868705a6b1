"""Exposures of users to variants, with the events of these users: counted per user, after the exposure and before."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import polars as pl

from assay.core.domains import POSITIVE
from assay.core.errors import InputError, listed, number_of
from assay.files.experiments import kind_of_units
from assay.files.named_columns import named_columns
from assay.files.times import utc_times
from assay.tables.experiment import UNIT, VARIANT, Experiment
from assay.tables.named_columns import NamedColumns

#: More values than this of a column of exposures tell nothing of groups of users.
_MOST_VALUES = 50
#: More kinds of events than this are no measures.
_MOST_EVENTS = 40


def with_events(exposures: Any, events: Any, *, control: str | None = None, window: float | None = None) -> Experiment:
    """Count what users did after they first saw a variant, within so many days; and, aside, in as many days before.

    Of each event `E`: `E` is how often, `any E` whether at all, and `E value` the sum of its values.

    >>> seen = pl.DataFrame({"user": ["a", "b"], "variant": ["x", "y"], "time": ["2026-03-02", "2026-03-02"]})
    >>> done = pl.DataFrame({"user": ["a", "a", "c"], "time": ["2026-03-03", "2026-03-01", "2026-03-03"]})
    >>> with_events(seen, done).frame["events"].to_list()
    [1.0, 0.0]
    """
    if window is not None:
        POSITIVE.check("window", window)
    table = named_columns(exposures, "exposures")
    shown, unit = _exposures(table)
    done = _events(named_columns(events, "user events"))
    first = shown.group_by(UNIT, VARIANT, maintain_order=True).agg(pl.all().first())
    starts = first.group_by(UNIT).agg(start=pl.col("time").min())
    joined = done.join(starts, on=UNIT, how="inner")
    strangers = done.height - joined.height
    after = pl.col("time") >= pl.col("start")
    length = None if window is None else timedelta(days=window)
    early = joined.filter(~after).height
    within = after if length is None else after & (pl.col("time") < pl.col("start") + length)
    span = (done["time"].max() - starts["start"].min()) if length is None and done.height else length  # type: ignore[operator]
    before = ~after & ((pl.col("time") >= pl.col("start") - span) if span is not None else pl.lit(True))
    frame = first.drop("time")
    aside: list[str] = []
    for part, ending in ((joined.filter(within), ""), (joined.filter(before), " before")):
        counted = _counted(part, ending)
        aside += [name for name in counted.columns if name != UNIT and ending]
        frame = frame.join(counted, on=UNIT, how="left", maintain_order="left")
    for name in [each for each in _names(done) if each not in frame.columns]:
        frame = frame.with_columns(pl.lit(0.0).alias(name))
    numbers = [name for name, kind in frame.schema.items() if kind == pl.Float64]
    frame = frame.with_columns(pl.col(numbers).fill_null(0.0))
    remarks = []
    if strangers:
        remarks.append(f"{number_of('event', strangers)} of users who were not exposed: left out")
    if early:
        remarks.append(f"{number_of('event', early)} before the user's exposure: not counted as an effect")
    seen = sorted(set(shown["time"].dt.date().to_list()))
    span_of_days = [seen[0] + timedelta(days=number) for number in range((seen[-1] - seen[0]).days + 1)]
    if silent := [f"{each}" for each in span_of_days if each not in seen]:
        remarks.append(f"no exposures on {number_of('day', len(silent))}: {listed(silent)}")
    last = done["time"].max()
    if length is not None and last is not None:
        short = starts.filter(pl.col("start") + length > last).height
        if short:
            days = number_of("day", int(window)) if window == int(window or 0) else f"{window:g} days"
            remarks.append(
                f"{number_of('user', short)} exposed less than {days} before the last event: their windows are open"
            )
    test = Experiment.of(
        frame, control=control, name=table.stem or "experiment", origin=table.path, unit_kind=kind_of_units(unit),
        remarks=remarks,
    )  # fmt: skip
    return test.with_aside(aside)


def _exposures(table: NamedColumns) -> tuple[pl.DataFrame, str]:
    """The exposures in order of time, with the day, and what tells groups of users; and the column of users."""
    roles = table.roles("exposures")
    times = utc_times(table.frame[roles["time"]]).utc
    table.refuse(times.is_null(), "a time", roles["time"])
    if (experiment := roles.get("experiment")) is not None:
        names = table.frame[experiment].cast(pl.String).unique().sort().to_list()
        if len(names) > 1:
            raise InputError(
                f"{table.path}: expected exposures of one experiment, got {listed(names)}: leave the others out"
            )
    columns = [
        table.ids(roles[UNIT], UNIT).alias(UNIT),
        table.texts(roles[VARIANT], f"a variant in {roles[VARIANT]}").alias(VARIANT),
        times.alias("time"), times.dt.strftime("%Y-%m-%d").alias("day"),
    ]  # fmt: skip
    for name in table.frame.columns:
        values = table.frame[name].cast(pl.String, strict=False)
        if name not in {*roles.values(), "day"} and 1 < values.n_unique() <= _MOST_VALUES:
            columns.append(values.alias(name))
    return pl.DataFrame(columns).sort("time", maintain_order=True), roles[UNIT]


def _events(table: NamedColumns) -> pl.DataFrame:
    """The events: user, time, what it was, and its value."""
    roles = table.roles("user events")
    times = utc_times(table.frame[roles["time"]]).utc
    table.refuse(times.is_null(), "a time", roles["time"])
    height = table.frame.height
    event = (
        table.texts(roles["event"], "an event") if "event" in roles else pl.Series(["events"]).new_from_index(0, height)
    )
    value = (
        table.numbers(roles["value"], "value").cast(pl.Float64)
        if "value" in roles
        else pl.Series([None] * height, dtype=pl.Float64)
    )
    frame = pl.DataFrame(
        [table.ids(roles[UNIT], UNIT).alias(UNIT), times.alias("time"), event.alias("event"), value.alias("value")]
    )
    if frame["event"].n_unique() > _MOST_EVENTS:
        got = f"{frame['event'].n_unique():,} kinds"
        raise InputError(
            f"{table.path}: expected {_MOST_EVENTS} kinds of events at most, got {got}: leave out what is no measure"
        )
    return frame


def _names(events: pl.DataFrame) -> list[str]:
    """The columns that events become."""
    names = []
    for event in events["event"].unique().sort().to_list():
        names += [event, f"any {event}"]
        if events.filter(pl.col("event") == event)["value"].count():
            names.append(f"{event} value")
    return names


def _counted(events: pl.DataFrame, ending: str) -> pl.DataFrame:
    """A row per user, with the counts and sums of each event."""
    wanted = []
    for event in events["event"].unique().sort().to_list():
        here = pl.col("event") == event
        wanted.append(here.sum().cast(pl.Float64).alias(f"{event}{ending}"))
        if not ending:
            wanted.append(here.any().cast(pl.Float64).alias(f"any {event}"))
        if events.filter(here)["value"].count():
            wanted.append(pl.col("value").filter(here).sum().alias(f"{event} value{ending}"))
    return events.group_by(UNIT).agg(wanted) if wanted else pl.DataFrame(schema={UNIT: pl.String})
