"""`Nested`: a classifier whose parameters or threshold were chosen on other items than those it is tested on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from assay.core.results import Result
from assay.crossvalidation.result import CrossValidation
from assay.measures.registry import Measure


@dataclass(frozen=True, eq=False)
class Nested(Result):
    """The honest estimate, what was chosen in each fold, and what choosing by the same folds would have shown.

    `outer` is the cross-validation of estimator and choice together; `not_nested` that of the parameters or threshold
    that look best on the very folds by which they are judged. See `nested`.
    """

    kind = "nested cross-validation"

    outer: CrossValidation
    not_nested: CrossValidation
    #: One row a fold: what was chosen, and the number by which.
    chosen: pl.DataFrame
    #: The parameters that each fold chose, as `set_params` takes them; empty where a threshold was chosen.
    parameters: tuple[Mapping[str, Any], ...]
    #: What is chosen and how, in words.
    says: str
    is_threshold: bool = False

    def __repr__(self) -> str:
        return f"<Nested cross-validation of {self.outer.systems[0].name}: {self.says}>"

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What is measured."""
        return self.outer.measures

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is odd about items, folds or fits."""
        return self.outer.warnings

    def mean(self, measure: str | Measure | None = None) -> float:
        """The honest mean of folds."""
        return self.outer.mean(measure)

    def pooled(self, measure: str | Measure | None = None) -> float:
        """One honest number for all out-of-fold predictions together."""
        return self.outer.pooled(measure)

    def optimism(self, measure: str | Measure | None = None) -> float:
        """How much too good the choice looks when it is judged by the folds that it was made with.

        It is that of the mean of folds; where folds are tiny, of the pooled number.
        """
        wanted = self.outer.measure(measure)
        naive, honest = (
            validation.pooled(wanted) if self.outer.tiny else validation.mean(wanted)
            for validation in (self.not_nested, self.outer)
        )
        gap = naive - honest
        return -gap if wanted.definition.higher_is_better is False else gap

    def to_frame(self) -> pl.DataFrame:
        """One row a measure: nested with its interval and pooled, not nested, and the optimism of the latter."""
        rows = []
        for measure in self.measures:
            interval = self.outer.interval(measure)
            row = {"measure": str(measure), "nested": self.mean(measure), "low": interval.low, "high": interval.high}
            row |= {"pooled": self.pooled(measure), "not_nested": self.not_nested.mean(measure)}
            row |= {"not_nested_pooled": self.not_nested.pooled(measure), "optimism": self.optimism(measure)}
            rows.append(row)
        return pl.DataFrame(rows).with_columns(pl.col(pl.Float64).fill_nan(None))
