"""`Explanation`: how one number came about."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from assay.core.results import Result
from assay.explanation.working import Formula, StepTable
from assay.measures.registry import Measure


class OtherWay(NamedTuple):
    """The same number made in another way: what that is called, its formula, and what it comes to."""

    says: str
    formula: Formula
    value: float


@dataclass(frozen=True, eq=False)
class Explanation(Result):
    """One measure's number for one unit: its steps, its formula with the numbers in it, and what it depends on.

    Or how the numbers of several units are put together: `steps` are then the units, and `parts` explains each if they
    were given by hand.

    >>> from assay import explain, Ranks
    >>> print(explain("P@2", Ranks.from_grades([1, 0])))
    P@2, for q1
    rank  grade  found  running_sum
       1      1      1            1
       2      0
    <BLANKLINE>
    found = 1 for a relevant document within the cut-off
    P@2 = sum of found / 2
    P@2 = 1 / 2
    P@2 = 0.5
    P@2|rel=1|ties=doc_id_descending|unjudged=irrelevant|missing=zero|undefined=0|v1
    """

    kind = "explanation"

    measure: Measure
    unit: str
    unit_kind: str
    value: float
    reason: str | None
    steps: tuple[StepTable, ...]
    counts: tuple[tuple[str, float], ...]
    formula: Formula
    signature: str
    #: So many ranks are shown in tables, the steps hold all.
    shown: int = 20
    other_ways: tuple[OtherWay, ...] = ()
    remarks: tuple[str, ...] = ()
    #: How several units are put together, such as `mean`; None for one unit.
    summary: str | None = None
    parts: tuple[Explanation, ...] = ()
    #: How many of several units had no number, and what an undefined one counts as in a mean.
    undefined_units: int = 0
    counted_as: float | None = None

    def __repr__(self) -> str:
        return f"<Explanation of {self.measure} for {self.unit_kind} {self.unit}: {self.value}>"

    def to_frame(self) -> pl.DataFrame:
        """The rows of all steps, one below the other, then what was counted and the value; `part` says which."""
        frames = [
            table.frame.select(pl.lit(table.says).alias("part"), pl.all().exclude("part")) for table in self.steps
        ]
        counted = [("counts", *count) for count in (*self.counts, (str(self.measure), self.value))]
        frames.append(
            pl.DataFrame(counted, schema={"part": pl.String, "name": pl.String, "number": pl.Float64}, orient="row")
        )
        frame = pl.concat(frames, how="diagonal_relaxed").with_columns(pl.col(pl.Float64).fill_nan(None))
        if not self.parts:
            return frame
        each = [part.to_frame().select(pl.lit(part.unit).alias(self.unit_kind), pl.all()) for part in self.parts]
        return pl.concat([*each, frame], how="diagonal_relaxed")

    @property
    def is_defined(self) -> bool:
        """Whether there is a number."""
        return not math.isnan(self.value)
