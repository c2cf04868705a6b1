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


def put_together(
    measure: Measure,
    units: tuple[str, ...],
    result: PerUnit,
    undefined: Undefined,
    unit_kind: str = "query",
    *,
    weight: Floats | None = None,
) -> tuple[PerUnit, StepTable]:
    """The summary as a formula, whose one value is that of `summarise`, and what each unit adds.

    `weight`: what each unit weighs in a mean.

    >>> from assay.measures.counting import Ranks
    >>> from assay.measures import AP
    >>> ranks = Ranks.from_grades([1, 0], [0, 1])
    >>> put_together(AP, ranks.queries, AP.per_unit(ranks), "counted_as")[0].values  # (1 + 1/2) / 2
    array([0.75])
    """
    names, kind, meanings = {unit_kind: pl.Series(units, dtype=pl.String)}, several(unit_kind), {}
    if measure.is_micro:
        leaves = [leaf for leaf in result.leaves() if leaf.constant is None]
        sums = {leaf.op if leaf.column is None else leaf.column: leaf.values for leaf in leaves}
        frame = pl.DataFrame(names | {name: pl.Series(values) for name, values in sums.items()})
        return result.pooled(), StepTable(kind, tuple((name, "sum") for name in sums), frame, {})
    how, name, values = measure.definition.summary, str(measure), counted(measure, result.values, undefined)
    columns = {name: result.values}
    if np.isnan(result.values).any():
        columns["counted_as"] = values
    if how == "geometric":
        columns[f"ln {name}"] = np.log(values)
    if weight is not None:
        columns |= {"weight": weight, "contribution": values * weight}
        meanings = {"contribution": f"{name} × weight"}
    *_, column = columns
    frame = pl.DataFrame(names | {each: pl.Series(numbers).fill_nan(None) for each, numbers in columns.items()})
    frame = frame.with_columns(pl.col(column).cum_sum().alias("running_sum"))
    table, known = StepTable(kind, ((column, "sum"),), frame, meanings), ~np.isnan(values)
    added, numbers = name if column == "counted_as" else column, columns[column][known]
    total = Steps(np.zeros(len(numbers), dtype=np.int64), 1, {added: numbers}, kind).sum(added)
    if how == "sum" and len(numbers):
        return total, table
    among = ("weights", weight[known].sum()) if weight is not None else (kind, len(numbers))
    mean = total / quantity(among[0], [among[1]], when_zero=f"no {unit_kind} has a value")
    return mean.exp() if how == "geometric" and weight is None else mean, table
