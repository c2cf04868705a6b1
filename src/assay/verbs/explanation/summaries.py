"""How the numbers of several units are put together: the mean, the geometric mean, the sum, or the micro average."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.core.errors import several
from assay.measures.counting.judgments import Floats
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit, Steps, quantity
from assay.measures.summary import Undefined, counted
from assay.verbs.explanation.result import StepTable

#: What a unit adds to a weighted mean.
CONTRIBUTION = "contribution"


def put_together(
    measure: Measure,
    result: PerUnit,
    undefined: Undefined,
    unit_kind: str = "query",
    *,
    weight: Floats | None = None,
) -> PerUnit:
    """The summary as a formula: its one value is that of `summarise`; `weight`: what each unit weighs in a mean.

    >>> from assay.measures.counting import Ranks
    >>> from assay.measures import AP
    >>> put_together(AP, AP.per_unit(Ranks.from_grades([1, 0], [0, 1])), "counted_as").values  # (1 + 1/2) / 2
    array([0.75])
    """
    if measure.is_micro:
        return result.pooled()
    values = counted(measure, result.values, undefined)
    known = ~np.isnan(values)
    values = values[known]
    how, name, units = measure.definition.summary, str(measure), several(unit_kind)
    column = f"ln {name}" if how == "geometric" else name
    columns = {column: np.log(values) if how == "geometric" else values}
    if weight is not None:
        column = CONTRIBUTION
        columns[column] = values * weight[known]
    total = Steps(np.zeros(len(values), dtype=np.int64), 1, columns, units).sum(column)
    if how == "sum" and len(values):
        return total
    none = f"no {unit_kind} has a value"
    if weight is not None:
        return total / quantity("weights", [weight[known].sum()], when_zero=none)
    mean = total / quantity(units, [len(values)], when_zero=none)
    return mean.exp() if how == "geometric" else mean


def units_table(
    measure: Measure,
    units: tuple[str, ...],
    result: PerUnit,
    undefined: Undefined,
    unit_kind: str = "query",
    *,
    weight: Floats | None = None,
) -> StepTable:
    """What each unit adds: its value, and what it counts as where it is undefined; its counts for a micro average."""
    rows: dict[str, object] = {unit_kind: pl.Series(units, dtype=pl.String)}
    if measure.is_micro:
        sums = {
            leaf.op if leaf.column is None else leaf.column: leaf.values
            for leaf in result.leaves()
            if leaf.constant is None
        }
        frame = pl.DataFrame(rows | sums)
        return StepTable(several(unit_kind), tuple((name, "sum") for name in sums), frame, {})
    name = str(measure)
    rows[name] = pl.Series(result.values).fill_nan(None)
    column, values = name, counted(measure, result.values, undefined)
    if np.isnan(result.values).any():
        column = "counted_as"
        rows[column] = pl.Series(values).fill_nan(None)
    if measure.definition.summary == "geometric":
        rows[f"ln {name}"], column = pl.Series(np.log(values)).fill_nan(None), f"ln {name}"
    meanings = {}
    if weight is not None:
        rows["weight"], rows[CONTRIBUTION], column = weight, pl.Series(values * weight).fill_nan(None), CONTRIBUTION
        meanings = {CONTRIBUTION: f"{name} × weight"}
    frame = pl.DataFrame(rows).with_columns(pl.col(column).cum_sum().alias("running_sum"))
    return StepTable(several(unit_kind), ((column, "sum"),), frame, meanings)
