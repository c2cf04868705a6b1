"""Points in time as other tools write them, in UTC: text with or without a zone, numbers since 1970, dates."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from assay.core.errors import ParameterError

TIME = pl.Datetime("ms")
_ISO = tuple(f"%Y-%m-%d{mark}{clock}" for clock in ("%H:%M:%S%.f", "%H:%M") for mark in "T ")
_ZONED = ("%+", *(f"{form}%#z" for form in _ISO), "%Y-%m-%d %H:%M:%S%.f UTC")
#: Times that state no zone.
_LOCAL = (*_ISO, "%Y/%m/%d %H:%M:%S%.f", "%Y-%m-%d", "%a %b %d %H:%M:%S %Y")
#: From these numbers on, a time is not in seconds since 1970 but in milliseconds, microseconds, nanoseconds.
_UNITS = ((1e17, 1e-6), (1e14, 1e-3), (1e11, 1.0), (0.0, 1e3))
_LATEST = 4_102_444_800_000  # the year 2100, in milliseconds


class Times(NamedTuple):
    """Times in UTC, null where they cannot be read or are not from 1970 to 2100; and which of them state no zone."""

    utc: pl.Series
    zoneless: pl.Series


def utc_times(values: pl.Series, zone: str | None = None) -> Times:
    """Times of any kind; those that state no zone are of `zone`, or else UTC.

    >>> utc_times(pl.Series(["2026-03-02T07:00:00+01:00", "1772431200", "2026-03-02 06:00"])).utc.to_list()
    [datetime.datetime(2026, 3, 2, 6, 0), datetime.datetime(2026, 3, 2, 6, 0), datetime.datetime(2026, 3, 2, 6, 0)]
    """
    if values.dtype.is_temporal():
        times = _typed(values, zone)
    elif values.dtype.is_numeric():
        times = Times(_epoch(values.cast(pl.Float64)), pl.repeat(False, len(values), eager=True))
    else:
        times = _written(values.cast(pl.String).str.strip_chars(), zone)
    epoch = times.utc.to_physical()
    return times._replace(utc=times.utc.set(((epoch < 0) | (epoch > _LATEST)).fill_null(False), None))


def _written(text: pl.Series, zone: str | None) -> Times:
    """Text, in one form after the other until all is read."""
    text = text.set((text == "").fill_null(False), None)
    utc = pl.repeat(None, len(text), dtype=TIME, eager=True)
    zoneless = pl.repeat(False, len(text), eager=True)
    for form in (*_ZONED, None, *_LOCAL):
        if utc.null_count() == text.null_count():
            break
        if form is None:
            times = _epoch(text.cast(pl.Float64, strict=False))
        elif form in _ZONED:
            times = text.str.to_datetime(form, time_unit="ms", time_zone="UTC", strict=False).dt.replace_time_zone(None)
        else:
            local = text.str.to_datetime(form, time_unit="ms", strict=False)
            zoneless |= local.is_not_null() & utc.is_null()
            times = _in_utc(local, zone)
        utc = utc.zip_with(utc.is_not_null(), times)
    return Times(utc, zoneless)


def _typed(values: pl.Series, zone: str | None) -> Times:
    values = values.cast(TIME) if values.dtype == pl.Date else values
    if not isinstance(values.dtype, pl.Datetime):
        raise ParameterError(f"expected times with a date, got {values.dtype}")
    if values.dtype.time_zone is not None:
        utc = values.dt.convert_time_zone("UTC").dt.replace_time_zone(None).dt.cast_time_unit("ms")
        return Times(utc, pl.repeat(False, len(values), eager=True))
    return Times(_in_utc(values.dt.cast_time_unit("ms"), zone), values.is_not_null())


def _in_utc(local: pl.Series, zone: str | None) -> pl.Series:
    if zone is None:
        return local
    zoned = local.dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null")
    return zoned.dt.convert_time_zone("UTC").dt.replace_time_zone(None)


def _epoch(numbers: pl.Series) -> pl.Series:
    frame = pl.DataFrame({"n": numbers.set(~numbers.is_finite().fill_null(True), None)})
    scaled = pl.coalesce(pl.when(pl.col("n").abs() >= least).then(pl.col("n") * times) for least, times in _UNITS)
    return frame.select(scaled.clip(-1e15, 1e15).round().cast(pl.Int64).cast(TIME))["n"]
