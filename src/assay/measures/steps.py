"""The steps of a measure, computed and shown: named columns (`Steps`), reduced to one number a unit (`PerUnit`).

A measure's value is the root of a small tree: sums of columns, joined by arithmetic. The tree keeps the columns, so
whatever shows the working shows what was computed, not a second computation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assay.core.errors import ParameterError
from assay.measures.counting.judgments import Floats, Ints, Mask, place_in_group

Number: TypeAlias = float | int

#: Rounding moves a number by less than this.
_HAIR = 1e-9
_FEW = 32  # of so many, plain Python has found the extremes before NumPy has started

#: What formulas are made with, by the sign.
OPERATIONS: dict[str, Callable[..., Floats]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "max": np.maximum, "min": np.minimum,
    "ln": np.log, "exp": np.exp, "sqrt": np.sqrt,
}  # fmt: skip


class Shares(NamedTuple):
    """Shares of single ranks in the values of their units: added up per unit, they are the value.

    A unit without a value has no shares.
    """

    unit: Ints
    rank: Ints
    share: Floats

    def times(self, factor: Floats) -> Shares:
        """Each share multiplied by its unit's factor."""
        return self._replace(share=self.share * factor[self.unit])

    def followed_by(self, other: Shares) -> Shares:
        """These shares and others."""
        return Shares(
            np.append(self.unit, other.unit), np.append(self.rank, other.rank), np.append(self.share, other.share)
        )

    def where(self, keep: Mask) -> Shares:
        """Some of the shares."""
        return Shares(self.unit[keep], self.rank[keep], self.share[keep])


@dataclass(frozen=True, eq=False, repr=False)
class Steps:
    """The rows of a computation, sorted by unit and rank, and one column for each step of it.

    >>> steps = Steps(np.array([0, 0, 1]), units=2, columns={"gain": np.array([3.0, 1.0, 2.0])})
    >>> steps.sum("gain").values
    array([4., 2.])
    """

    unit: Ints
    units: int
    columns: Mapping[str, NDArray[Any]]
    says: str = "ranking"
    #: What columns are, where their names alone do not say: a formula in words.
    meanings: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, column: str) -> Floats:
        return self.columns[column].astype(np.float64, copy=False)

    def with_columns(self, **columns: Floats | Ints) -> Steps:
        """Add steps."""
        return replace(self, columns={**self.columns, **columns})

    def meaning(self, **columns: str) -> Steps:
        """Say how columns are made, for whoever reads them."""
        return replace(self, meanings={**self.meanings, **columns})

    def where(self, keep: Mask) -> Steps:
        """Keep some of the rows."""
        kept = {name: column[keep] for name, column in self.columns.items()}
        return replace(self, unit=self.unit[keep], columns=kept)

    def running(self, column: str) -> Floats:
        """Sum up a column within each unit, row by row."""
        # Unit by unit: one sum over all, taken apart again, would lose what is small beside another unit's numbers.
        rows = pl.DataFrame({"unit": self.unit, "value": self[column]})
        return rows.select(pl.col("value").cum_sum().over("unit")).to_series().to_numpy()

    def best_from_here(self, column: str) -> Floats:
        """The largest value of a column in this row or a later one of the same unit."""
        rows = pl.DataFrame({"unit": self.unit, "value": self[column]})
        return rows.select(pl.col("value").cum_max(reverse=True).over("unit")).to_series().to_numpy()

    def count_so_far(self) -> Ints:
        """Number the rows of each unit from 1."""
        return place_in_group(self.unit) + 1

    def sum(self, column: str, when_zero: str = "0/0") -> PerUnit:
        """Add a column up per unit; `when_zero` says what it means to divide by it if it is 0."""
        values = np.bincount(self.unit, weights=self[column], minlength=self.units).astype(np.float64, copy=False)
        return _node(values=values, op="sum", when_zero=when_zero, undefined={}, steps=self, column=column)

    def counted(self, text: str, values: object) -> PerUnit:
        """Numbers that were counted from the rows, and are no sum of a column.

        >>> Steps(np.array([0, 0]), 1, {"item": np.array(["a", "b"])}).counted("items", [2]).values
        array([2.])
        """
        return replace(quantity(text, values), steps=self)

    def max(self, column: str) -> PerUnit:
        """Take the largest value of a column per unit, 0 where there is no row."""
        values = np.zeros(self.units)
        np.maximum.at(values, self.unit, self[column])
        return PerUnit(values, "max", steps=self, column=column)


@dataclass(frozen=True, eq=False, repr=False)
class PerUnit:
    """One number a unit, how it came about, and for which units there is none, with the reason.

    `operands` are what `op` was applied to, `needs` what must not be 0 besides; `constant` is a number that is the same
    for all units whatever is counted; `draws` are the results that a mean over orders was made of; `name` is what a
    part of a formula is called.

    >>> (quantity("found", [1, 0]) / quantity("relevant", [2, 0], when_zero="nothing is relevant")).values
    array([0.5, nan])
    """

    values: Floats
    op: str
    operands: tuple[PerUnit, ...] = ()
    when_zero: str = "0/0"
    undefined: Mapping[str, Mask] = field(default_factory=dict)
    steps: Steps | None = None
    column: str | None = None
    needs: tuple[PerUnit, ...] = ()
    constant: float | None = None
    draws: tuple[PerUnit, ...] = ()
    name: str | None = None

    def named(self, name: str) -> PerUnit:
        """The same with a name, under which it stands in formulas.

        >>> quantity("found", [1]).named("P@1").name
        'P@1'
        """
        return self._but(name=name)

    def saying(self, when_zero: str) -> PerUnit:
        """The same with another reason why nothing can be divided by it where it is 0.

        >>> (quantity("found", [1]) / quantity("wanted", [0]).saying("nothing is wanted")).reason(0)
        'nothing is wanted'
        """
        return self._but(when_zero=when_zero)

    def _with(self, op: str, other: PerUnit | Number) -> PerUnit:
        right = other if isinstance(other, PerUnit) else _constant(float(other), len(self.values))
        undefined = _joined(self.undefined, right.undefined) if right.undefined else self.undefined
        if op != "/" or _nowhere_zero(right.values):
            values = OPERATIONS[op](self.values, right.values)
        else:
            undefined = _joined(undefined, {right.when_zero: right.values == 0})
            with np.errstate(divide="ignore", invalid="ignore"):
                values = np.divide(self.values, right.values)
        for mask in undefined.values():
            values = np.where(mask, np.nan, values)
        return _node(values=values, op=op, operands=(self, right), undefined=undefined)

    def __add__(self, other: PerUnit | Number) -> PerUnit:
        return self._with("+", other)

    def __sub__(self, other: PerUnit | Number) -> PerUnit:
        return self._with("-", other)

    def __mul__(self, other: PerUnit | Number) -> PerUnit:
        return self._with("*", other)

    __radd__ = __add__

    def __rmul__(self, other: Number) -> PerUnit:
        return _constant(float(other), len(self.values))._with("*", self)

    def __truediv__(self, other: PerUnit | Number) -> PerUnit:
        return self._with("/", other)

    def __rsub__(self, other: Number) -> PerUnit:
        return _constant(float(other), len(self.values))._with("-", self)

    def __rtruediv__(self, other: Number) -> PerUnit:
        return _constant(float(other), len(self.values))._with("/", self)

    def log(self) -> PerUnit:
        """The natural logarithm."""
        return self._alone("ln")

    def exp(self) -> PerUnit:
        """e to the power of it."""
        return self._alone("exp")

    def sqrt(self) -> PerUnit:
        """The square root."""
        return self._alone("sqrt")._but(when_zero=self.when_zero)

    def _alone(self, op: str) -> PerUnit:
        return _node(values=OPERATIONS[op](self.values), op=op, operands=(self,), undefined=self.undefined)

    def at_least(self, floor: PerUnit | Number) -> PerUnit:
        """Values below the floor are raised to it: the larger of the two."""
        return self._with("max", floor)

    def at_most(self, other: PerUnit | Number) -> PerUnit:
        """The smaller of the two."""
        return self._with("min", other)

    def within(self, low: float, high: float) -> PerUnit:
        """The same formula, its values put back within bounds that rounding has left by a hair, and only by that.

        >>> quantity("share", [1 + 1e-15, 0.5, 2]).within(0, 1).values
        array([1. , 0.5, 2. ])
        """
        values = self.values
        ends = values.tolist() if values.size <= _FEW else [values.min(), values.max()]
        if min(ends, default=low) >= low and max(ends, default=high) <= high:
            return self
        bound = np.clip(values, low, high)
        near = (values != bound) & (np.abs(values - bound) < _HAIR)
        return self._but(values=np.where(near, bound, values)) if near.any() else self

    def defined_with(self, other: PerUnit) -> PerUnit:
        """The same, but undefined where the other is 0, for the reason that goes with it."""
        needs = (*self.needs, other)
        if _nowhere_zero(other.values):
            return self._but(needs=needs)
        zero = other.values == 0
        undefined = _joined(self.undefined, {other.when_zero: zero})
        return self._but(values=np.where(zero, np.nan, self.values), undefined=undefined, needs=needs)

    def _but(self, **changes: object) -> PerUnit:
        """The same with some fields changed, as `replace` does it, in a tenth of the time."""
        return _node(**(self.__dict__ | changes))

    def pooled(self, summed: Callable[[Floats], Floats] | None = None) -> PerUnit:
        """The same formula on counts that are summed over all units: one number, the micro average.

        `summed` adds the counts up in another way, such as with weights; if it gives several sums, there are as many
        results.

        >>> ratio = quantity("found", [1, 1]) / quantity("retrieved", [1, 9])
        >>> ratio.pooled().values  # (1 + 1) / (1 + 9)
        array([0.2])
        >>> ratio.pooled(lambda counts: np.array([[2, 0], [0, 2]]) @ counts).values
        array([1. , 0.1111])
        """
        return self._pooled(summed or _total, {})

    def _pooled(self, add_up: Callable[[Floats], Floats], done: dict[int, PerUnit]) -> PerUnit:
        """The same formula on summed counts; parts that occur more than once are `done` once."""
        if id(self) in done:
            return done[id(self)]
        if self.draws:
            draws = [draw._pooled(add_up, done) for draw in self.draws]
            values = np.array([draw.values for draw in draws])
            result = self._but(values=values.mean(axis=0), undefined=draws[0].undefined, draws=())
        elif len(self.operands) == 2:
            left, right = (part._pooled(add_up, done) for part in self.operands)
            result = left._with(self.op, right)
        elif self.operands:
            result = self.operands[0]._pooled(add_up, done)._alone(self.op)
        elif self.constant is not None:
            result = _constant(self.constant, len(add_up(self.values)))
        elif self.op == "max":
            raise ParameterError("a largest value cannot be summed over units: there is no micro average")
        else:
            undefined = {reason: add_up(mask.astype(np.float64)) > 0 for reason, mask in self.undefined.items()}
            result = self._but(values=add_up(self.values), undefined=undefined)
        result = result._but(when_zero=self.when_zero)
        for need in self.needs:
            result = result.defined_with(need._pooled(add_up, done))
        done[id(self)] = result
        return result

    def followed_by(self, other: PerUnit) -> PerUnit:
        """The units of this result and then those of another by the same measure, with the same formula.

        >>> quantity("found", [1, 2]).followed_by(quantity("found", [3])).values
        array([1., 2., 3.])
        """
        none, others = np.zeros(len(self.values), dtype=np.bool_), np.zeros(len(other.values), dtype=np.bool_)
        undefined = {
            reason: np.append(self.undefined.get(reason, none), other.undefined.get(reason, others))
            for reason in {**self.undefined, **other.undefined}
        }
        return replace(
            self,
            values=np.append(self.values, other.values),
            undefined=undefined,
            operands=_followed(self.operands, other.operands),
            needs=_followed(self.needs, other.needs),
            draws=_followed(self.draws, other.draws),
            steps=None,
        )

    def reason(self, unit: int) -> str | None:
        """The reason why a unit has no value, or None if it has one."""
        return next((reason for reason, mask in self.undefined.items() if mask[unit]), None)

    def reasons(self) -> list[str | None]:
        """The reason for each unit."""
        reasons: list[str | None] = [None] * len(self.values)
        for reason, mask in self.undefined.items():
            for unit in np.flatnonzero(mask):
                reasons[unit] = reasons[unit] or reason
        return reasons

    def shares(self) -> Shares | None:
        """Split the values over the ranks that they come from; None if they do not add up over ranks.

        A sum splits over its rows, and a largest value is that of one row; so do multiples, quotients and sums of such.

        >>> steps = Steps(np.array([0, 0]), 1, {"rank": np.array([1, 3]), "gain": np.array([2.0, 1.0])})
        >>> (steps.sum("gain") / 4).shares()
        Shares(unit=array([0, 0]), rank=array([1, 3]), share=array([0.5 , 0.25]))
        """
        shares = self._split() if len(self.operands) == 2 else self._rows_of_sum()
        return None if shares is None else shares.where(~np.isnan(self.values[shares.unit]))

    def _split(self) -> Shares | None:
        left, right = self.operands
        ours, theirs = left.shares(), right.shares()
        if self.op == "/" and ours is not None:
            with np.errstate(divide="ignore", invalid="ignore"):
                return ours.times(1.0 / right.values)
        if self.op == "*" and ours is not None and theirs is None:
            return ours.times(right.values)
        if self.op == "*" and theirs is not None and ours is None:
            return theirs.times(left.values)
        if self.op in {"+", "-"} and ours is not None and theirs is not None:
            return ours.followed_by(theirs if self.op == "+" else theirs.times(-np.ones(len(self.values))))
        return None

    def _rows_of_sum(self) -> Shares | None:
        """The rows of a sum, or the first row that has the largest value; rows of an ideal ranking are nobody's."""
        steps, column = self.steps, self.column
        if self.operands or steps is None or column is None or steps.says != "ranking" or "rank" not in steps.columns:
            return None
        shares = Shares(steps.unit, steps.columns["rank"].astype(np.int64), steps[column])
        if self.op == "sum":
            return shares
        largest = np.flatnonzero(shares.share == self.values[shares.unit])
        units, first = np.unique(shares.unit[largest], return_index=True)
        return Shares(units, shares.rank[largest[first]], shares.share[largest[first]])

    def leaves(self) -> Iterator[PerUnit]:
        """The sums and given numbers that the value is made of."""
        if not self.operands:
            yield self
        for operand in self.operands:
            yield from operand.leaves()


def quantity(text: str, values: object, when_zero: str = "0/0") -> PerUnit:
    """Numbers that are counted, not summed up from steps."""
    return _node(values=np.asarray(values, dtype=np.float64), op=text, when_zero=when_zero, undefined={})


def unknown(text: str, units: int, reason: str) -> PerUnit:
    """Numbers that nobody counted: whatever is made of them is undefined."""
    return PerUnit(np.full(units, np.nan), text, undefined={reason: np.ones(units, dtype=np.bool_)})


def _node(**fields: object) -> PerUnit:
    """A `PerUnit`, made in a third of the time: formulas have many parts. Fields not named have their defaults."""
    node = object.__new__(PerUnit)
    object.__setattr__(node, "__dict__", fields)
    return node


def _joined(ours: Mapping[str, Mask], theirs: Mapping[str, Mask]) -> dict[str, Mask]:
    """Units without a number, by reason: those of either."""
    undefined = dict(ours)
    for reason, mask in theirs.items():
        undefined[reason] = undefined[reason] | mask if reason in undefined else mask
    return undefined


def _nowhere_zero(values: Floats) -> bool:
    """True if no number is 0, by the fastest way to tell; those that are missing are none."""
    return int(np.count_nonzero(values)) == values.size


@lru_cache(maxsize=256)
def _constant(value: float, units: int) -> PerUnit:
    value += 0.0  # -0 and 0 are one key
    values = np.ndarray((units,), np.float64, np.float64(value), strides=(0,))  # one number, seen by all units
    return _node(values=values, op=f"{value:g}", undefined={}, constant=value)


def _total(values: Floats) -> Floats:
    total: Floats = values.sum(keepdims=True)
    return total


def _followed(ours: tuple[PerUnit, ...], theirs: tuple[PerUnit, ...]) -> tuple[PerUnit, ...]:
    return tuple(first.followed_by(other) for first, other in zip(ours, theirs, strict=True))
