"""Units assigned to variants, and whether the assignment is uniform, and independent of other experiments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import polars as pl
from scipy import special

from assay.core.assignment import Assignment, assign_all, buckets, ranges
from assay.core.errors import EmptyFileError, ParameterError
from assay.core.results import Result
from assay.files.named_columns import named_columns, names_in_any
from assay.files.sources import Source, decoded, is_file, lines_of
from assay.stats.sample_ratio import mismatch
from assay.tables.roles import TABLES, find, is_frame

#: Hashes are counted in so many equal bins.
_BINS = 100
#: A chance below this is no chance.
_ODD = 0.001
#: What stands for units of no variant.
NOBODY = "(none)"


class AssignmentCheck(NamedTuple):
    """A check of an assignment: its name, the chance of what was found, and whether that is as it should be."""

    check: str
    p: float

    @property
    def holds(self) -> bool:
        """True if what was found is no surprise."""
        return not self.p < _ODD


@dataclass(frozen=True, eq=False)
class AssignedUnits(Result):
    """Units with their variants.

    >>> result = assign_units([f"u{n}" for n in range(1000)], Assignment("checkout"))
    >>> result.sizes, all(check.holds for check in result.checks)
    ({'control': 490, 'treatment': 510}, True)
    """

    kind: ClassVar[str] = "assignment"
    warnings: ClassVar[tuple[str, ...]] = ()

    experiment: Assignment
    units: pl.Series
    variants: pl.Series
    against: tuple[Assignment, ...] = ()

    def __repr__(self) -> str:
        return f"<AssignedUnits of {self.experiment.key}: {self.sizes}>"

    def to_frame(self) -> pl.DataFrame:
        """One row per unit: `user_id` and `variant`, empty where a unit takes no part."""
        return pl.DataFrame({"user_id": self.units, "variant": self.variants})

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The number of units of each variant, and of none."""
        counted = dict(self.variants.fill_null(NOBODY).value_counts().iter_rows())
        names = [*self.experiment.variants, *([NOBODY] if NOBODY in counted else [])]
        return {name: counted.get(name, 0) for name in names}

    @cached_property
    def checks(self) -> tuple[AssignmentCheck, ...]:
        """Whether hashes are uniform, variants have their shares, and other experiments are independent."""
        return tuple(self._checks())

    def complete(self) -> Self:
        """Finish every number."""
        return self._finish("sizes", "checks")

    def _checks(self) -> Iterator[AssignmentCheck]:
        experiment = self.experiment
        places = buckets(self.units, experiment.salt, experiment.hash)
        counts = np.bincount((places * _BINS).astype(np.int64), minlength=_BINS)
        yield AssignmentCheck(f"hashes are uniform, in {_BINS} bins", mismatch(counts.tolist()))
        taken = self.variants.drop_nulls()
        if not experiment.forced and len(taken):
            shares = [high - low for low, high in ranges(experiment)]
            sizes = [int((taken == name).sum()) for name in experiment.variants]
            yield AssignmentCheck("variants have their shares", mismatch(sizes, shares))
        for other in self.against:
            theirs = assign_all(self.units, other)
            yield AssignmentCheck(f"independent of {other.key}", independence(self.variants, theirs))


def independence(first: pl.Series, second: pl.Series) -> float:
    """The chance that two assignments of the same units depend on one another as much, if they are independent.

    >>> half = pl.Series(["a", "b"] * 50)
    >>> independence(half, half) < 1e-6, independence(half, half.sort())
    (True, 1.0)
    """
    pair = pl.DataFrame({"one": first.fill_null(NOBODY), "other": second.fill_null(NOBODY)})
    counts = pair.group_by("one", "other").len().pivot("other", index="one", values="len").fill_null(0)
    table = counts.drop("one").to_numpy().astype(np.float64)
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True) / table.sum()
    freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    if not freedom:
        return float("nan")
    return float(special.chdtrc(freedom, float(((table - expected) ** 2 / expected).sum())))


def assign_units(units: Any, experiment: Assignment, *, against: Sequence[Assignment] = ()) -> AssignedUnits:
    """Assign units to variants: a list of ids, a file with one per line, or a table with a column of users."""
    try:
        for each in (experiment, *against):
            each.check()
    except ValueError as problem:
        raise ParameterError(str(problem)) from problem
    names = read_units(units)
    return AssignedUnits(experiment, names, assign_all(names, experiment), tuple(against))


def read_units(units: Any) -> pl.Series:
    """The ids of units, each once.

    >>> read_units(["u1", "u2", "u1"]).to_list()
    ['u1', 'u2']
    """
    if isinstance(units, pl.Series):
        return units.cast(pl.String).drop_nulls().unique(maintain_order=True)
    if not is_file(units) and not is_frame(units) and not isinstance(units, Source):
        return pl.Series(list(units), dtype=pl.String).unique(maintain_order=True)
    data = Source.of(units) if is_file(units) else units
    column = find(TABLES["experiment"][0], names_in_any(data))
    if column is not None:
        return named_columns(data, "experiment").ids(column, "user_id").unique(maintain_order=True)
    text, _ = decoded(data)
    ids = [line.strip() for line in lines_of(text) if line.strip()]
    if not ids:
        raise EmptyFileError(data.name, "one id per line, or a table with a column user_id")
    return pl.Series(ids, dtype=pl.String).unique(maintain_order=True)
