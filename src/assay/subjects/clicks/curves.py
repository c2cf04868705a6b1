"""Behaviour to look at: how often each rank is clicked, and how a measure goes over time.

Each is an `assay.verbs.curves.Curve`: a table, one number per system, and a chart with bands of confidence.

>>> from assay.subjects.clicks import curves as click_curves
>>> from assay import Log, clicks
>>> log = Log.from_pages([("q1", ["d1", "d2"], ["d2"]), ("q1", ["d1", "d2"], [])])
>>> click_curves.by_rank(clicks(log)).frame["value"].to_list()
[0.0, 0.5]
"""

from __future__ import annotations

import polars as pl

from assay.core.digits import as_level
from assay.core.errors import ParameterError, several
from assay.measures import Measure
from assay.subjects.clicks.evaluation import Behaviour
from assay.verbs.curves import Curve


def by_rank(result: Behaviour) -> Curve:
    """The share of results that were clicked at each rank, with intervals.

    >>> from assay import Log, clicks
    >>> by_rank(clicks(Log.from_pages([("q1", ["d1", "d2"], ["d1"])]))).frame["value"].to_list()
    [1.0, 0.0]
    """
    subtitle = f"share of the results shown at a rank that were clicked; {_bands(result)}; beside the names: CTR"
    return Curve("click_ranks", "Clicks by rank", subtitle, result.ranks, _summary(result, result.measure("CTR")))


def over_time(result: Behaviour, measure: str | Measure | None = None) -> Curve:
    """A measure by day, or by week of a long log, with intervals.

    >>> from datetime import datetime
    >>> from assay import Log, clicks
    >>> times = [datetime(2026, 3, 2), datetime(2026, 3, 3)]
    >>> log = Log.from_pages([("q1", ["d1"], ["d1"]), ("q1", ["d1"], [])], time=times)
    >>> over_time(clicks(log)).frame["value"].to_list()
    [1.0, 0.0]
    """
    wanted = result.measures[0] if measure is None else result.measure(measure)
    if result.period is None:
        raise ParameterError("there is nothing to draw over time: the log is of one day, or has no times")
    frame = result.over_time(wanted).rename({"segment": result.period})
    places = {name: place for place, name in enumerate(frame[result.period].unique().sort())}
    frame = frame.with_columns(place=pl.col(result.period).replace_strict(places, return_dtype=pl.Int64))
    return Curve("over_time", f"{wanted} by {result.period}", _bands(result), frame, _summary(result, wanted))


def _bands(result: Behaviour) -> str:
    return f"bands are {as_level(result.confidence)} intervals over {several(result.unit_kind)}"


def _summary(result: Behaviour, measure: Measure) -> pl.DataFrame:
    values = [result.value(measure, system) for system in result.systems]
    better = measure.definition.higher_is_better is not False
    columns = {"system": result.systems, "measure": str(measure), "value": values, "higher_is_better": better}
    return pl.DataFrame(columns).with_columns(pl.col("value").fill_nan(None))
