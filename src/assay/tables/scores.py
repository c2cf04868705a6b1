"""The table of results: one number per system, measure and unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias, get_args

import polars as pl

from assay.core.errors import InputError, ParameterError

#: Which way a measure is good. `neither`: it describes, as a count of topics does; `unknown`: nobody has said.
Direction: TypeAlias = Literal["higher", "lower", "neither", "unknown"]


@dataclass(frozen=True, eq=False)
class Scores:
    """One number per system, measure and unit; where there is none, `undefined` says why.

    Columns: `system, measure, unit_kind, unit, value, undefined`.

    >>> from assay import evaluate
    >>> evaluate({"q1": {"d1": 1}}, {"q1": {"d1": 0.9}}, "AP").scores.of("run", "AP").rows()
    [('run', 'AP', 'query', 'q1', 1.0, None)]

    `directions` says by measure whether `higher` or `lower` is better; scores that Assay computes bring theirs along. A
    measure that is not in it has the direction that its name has in Assay, or none.
    """

    subject: ClassVar[str] = "scores"

    frame: pl.DataFrame
    directions: Mapping[str, Direction] = field(default_factory=dict)

    SCHEMA = pl.Schema(
        {
            "system": pl.String,
            "measure": pl.String,
            "unit_kind": pl.String,
            "unit": pl.String,
            "value": pl.Float64,
            "undefined": pl.String,
        }
    )

    def __post_init__(self) -> None:
        if self.frame.schema != self.SCHEMA:
            raise InputError(f"scores: expected the columns {dict(self.SCHEMA)}, got {dict(self.frame.schema)}")
        for measure, direction in self.directions.items():
            if direction not in get_args(Direction):
                known = ", ".join(get_args(Direction))
                raise ParameterError(f"scores: the direction of {measure} is one of {known}, not {direction!r}")

    def of(self, system: str, measure: str) -> pl.DataFrame:
        """The units of one system under one measure."""
        for column, wanted in (("system", system), ("measure", str(measure))):
            known = self.frame[column].unique(maintain_order=True).to_list()
            if wanted not in known:
                raise InputError(f"scores: expected a {column} of {', '.join(known)}, got {wanted!r}")
        return self.frame.filter(pl.col("system") == system, pl.col("measure") == str(measure))
