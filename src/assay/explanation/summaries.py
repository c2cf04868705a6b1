"""How the numbers of several units are put together: the mean, the geometric mean, the sum, or the micro average."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.explanation.working import StepTable
from assay.measures.registry import Measure
from assay.measures.steps import PerQuery, Steps, given
from assay.measures.summary import Undefined, filled


def put_together(measure: Measure, result: PerQuery, undefined: Undefined) -> PerQuery:
    """The summary as a formula: its one value is that of `summarise`.

    >>> from assay.counting import Ranks
    >>> from assay.measures import AP
    >>> put_together(AP, AP.per_unit(Ranks.from_grades([1, 0], [0, 1])), "counted_as").values  # (1 + 1/2) / 2
    array([0.75])
    """
    if measure.is_micro:
        return result.pooled()
    values = filled(measure, result.values, undefined)
    values = values[~np.isnan(values)]
    how, name = measure.definition.summary, str(measure)
    column = f"ln {name}" if how == "geometric" else name
    steps = Steps(
        np.zeros(len(values), dtype=np.int64), 1, {column: np.log(values) if how == "geometric" else values}, "queries"
    )
    total = steps.sum(column)
    if how == "sum":
        return total
    mean = total / given("queries", [len(values)], when_zero="no query has a value")
    return mean.exp() if how == "geometric" else mean


def units_table(measure: Measure, units: tuple[str, ...], result: PerQuery, undefined: Undefined) -> StepTable:
    """What each unit adds: its value, and what it counts as where it is undefined; its counts for a micro average."""
    rows: dict[str, object] = {"query": pl.Series(units, dtype=pl.String)}
    if measure.is_micro:
        counted = {
            leaf.op if leaf.column is None else leaf.column: leaf.values
            for leaf in result.leaves()
            if leaf.constant is None
        }
        frame = pl.DataFrame(rows | counted)
        return StepTable("queries", tuple((name, "sum") for name in counted), frame, {})
    name = str(measure)
    rows[name] = pl.Series(result.values).fill_nan(None)
    column, values = name, filled(measure, result.values, undefined)
    if np.isnan(result.values).any():
        column = "counted_as"
        rows[column] = pl.Series(values).fill_nan(None)
    if measure.definition.summary == "geometric":
        rows[f"ln {name}"], column = pl.Series(np.log(values)).fill_nan(None), f"ln {name}"
    frame = pl.DataFrame(rows).with_columns(pl.col(column).cum_sum().alias("running_sum"))
    return StepTable("queries", ((column, "sum"),), frame, {})
