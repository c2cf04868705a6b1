"""What a measure's number is made of: one row a class, an item, or the whole table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from assay.measures.counting.confusion_matrix import ConfusionMatrix
from assay.measures.counting.label_sets import LabelSets
from assay.measures.registry import Measure
from assay.measures.steps import PerUnit
from assay.subjects.labels.measurement import is_over_items


def unit_scores(system: str, measure: Measure, result: PerUnit, counts: Mapping[type, Any]) -> pl.DataFrame:
    """The rows of `Scores` for one system and measure.

    >>> from assay.measures import parse_measure
    >>> matrix = ConfusionMatrix.from_matrix([[5, 0], [1, 3]], ["a", "b"])
    >>> recall = parse_measure("Recall", "multiclass")
    >>> unit_scores("one", recall, recall.per_unit(matrix), {ConfusionMatrix: matrix})["unit"].to_list()
    ['a', 'b']
    """
    unit_kind, units = "table", ("all",)
    if is_over_items(measure, counts):
        held = counts.get(LabelSets, counts.get(measure.definition.counts))
        unit_kind, units = "item", held.units
    elif measure.parameters.get("average") in {"macro", "weighted"}:
        classes = counts[LabelSets].per_label() if LabelSets in counts else counts[ConfusionMatrix].per_class()
        unit_kind, units = "class", classes.units
        result = measure.per_unit(classes)
    frame = pl.DataFrame(
        {"unit": units, "value": result.values, "undefined": result.reasons()},
        schema={"unit": pl.String, "value": pl.Float64, "undefined": pl.String},
    ).with_columns(pl.col("value").fill_nan(None))
    names = {"system": pl.lit(system), "measure": pl.lit(str(measure)), "unit_kind": pl.lit(unit_kind)}
    return frame.select(**names, unit="unit", value="value", undefined="undefined")
