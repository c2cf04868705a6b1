"""The data of A/B tests, whatever their layout: users, exposures with events, sums per variant, logs of clicks."""

from __future__ import annotations

from typing import Any

import polars as pl

from assay.core.errors import InputError, ParameterError, argument_name
from assay.core.evaluation_options import Columns
from assay.files.experiment_sums import looks_like_sums, read_sums
from assay.files.experiments import read_experiment
from assay.files.exposures import with_events
from assay.files.log_looks import looks_like_log
from assay.files.logs import read_log
from assay.files.sources import Source, is_file
from assay.measures import parse_measure
from assay.measures.counting.behaviour import BehaviourCounts
from assay.tables import Direction
from assay.tables.experiment import UNIT, VARIANT, Experiment
from assay.tables.log import Log
from assay.tables.roles import named_by

#: What a log of clicks is measured by.
OF_LOGS = ("CTR", "ClickRR", "SessionSuccess", "Reformulation", "ZeroResults", "Latency")


def open_experiment(
    data: Any,
    *,
    columns: Columns = None,
    control: str | None = None,
    events: Any = None,
    window: float | None = None,
    cluster: str | None = None,
) -> Experiment:
    """The A/B test in data of any layout; `cluster`: the column of what was assigned, if that was not users.

    >>> log = Log.from_pages([("q", ["d"], ["d"]), ("q", ["d"], [])], system=["old", "new"], user_id=["ana", "ben"])
    >>> open_experiment(log).usual[0]
    'CTR'
    """
    if cluster is not None:
        users = open_experiment(data, columns=columns, control=control, events=events, window=window)
        return users.clustered(cluster)
    if events is not None:
        with named_by(columns):
            return with_events(data, events, control=control, window=window)
    if window is not None:
        raise ParameterError(f"{argument_name('window')} goes with exposures and events")
    data = Source.of(data) if is_file(data) else data
    if isinstance(data, Log) or (not isinstance(data, Experiment) and looks_like_log(data)):
        return of_log(read_log(data, columns=columns), control)
    with named_by(columns):
        if not isinstance(data, Experiment) and looks_like_sums(data):
            return read_sums(data, control=control)
    return read_experiment(data, columns=columns, control=control)


def of_log(log: Log, control: str | None = None) -> Experiment:
    """The users of a log, a row for each variant that they saw, with the sums that measures of clicks are made of."""
    if "impressions.system" not in log.known:
        raise InputError(f"{log.origin}: expected a log with a column of variants, got none")
    whole = BehaviourCounts.of(log)
    outline = whole.outline()
    measures = [each for name in OF_LOGS if not (each := parse_measure(name, "behaviour")).per_unit(outline).undefined]
    frames: list[pl.DataFrame] = []
    ratios: dict[str, tuple[str, str, Direction | None]] = {}
    for (variant,), counts in whole.split({"system": pl.col("system")}, measures).items():
        if variant is None:
            raise InputError(f"{log.origin}: expected a variant for each page, got pages without one")
        columns: dict[str, Any] = {UNIT: counts.people, VARIANT: [str(variant)] * len(counts.people)}
        for each in measures:
            parts = each.per_unit(counts).operands
            names = [f"{part.op}" for part in parts]
            columns |= {name: part.values for name, part in zip(names, parts, strict=True)}
            ratios[str(each)] = (names[0], names[1], each.definition.direction)
        frames.append(pl.DataFrame(columns))
    remarks = [*log.remarks]
    test = Experiment.of(
        pl.concat(frames), control=control, name=log.name, origin=log.origin, unit_kind=whole.unit_kind, remarks=remarks
    )
    return test.with_ratios(ratios)
