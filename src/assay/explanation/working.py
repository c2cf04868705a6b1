"""A result taken apart: the tables of its steps, and its formula with names and with numbers in it.

What is shown is what was computed: the columns and the tree that the measure's own result carries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.measures.steps import PerQuery, Steps
from assay.report.layout import short

_INFIX = {"+": " + ", "-": " - ", "*": " × ", "/": " / "}
_BINDS = {"+": 1, "-": 1, "*": 2, "/": 2}
_FUNCTIONS = {"ln": "ln", "sqrt": "√"}
_REDUCED = {"sum": "sum of", "max": "largest"}


class StepTable(NamedTuple):
    """The rows of a computation for one unit, which columns of it are summed up (or searched), and what columns are."""

    says: str
    reduced: tuple[tuple[str, str], ...]
    frame: pl.DataFrame
    meanings: Mapping[str, str]

    @property
    def column(self) -> str | None:
        """The column that is reduced, the first if there are several."""
        return self.reduced[0][0] if self.reduced else None

    @property
    def op(self) -> str | None:
        """What is done with the column: `sum` or `max`."""
        return self.reduced[0][1] if self.reduced else None


def step_tables(results: Sequence[tuple[PerQuery, int]]) -> list[StepTable]:
    """The tables of steps that numbers of a unit are made of: one of the ranking, one of the ideal, and so on.

    Each result comes with the unit's place in it.

    >>> from assay.counting import Ranks
    >>> from assay.measures import DCG
    >>> step_tables([(DCG.per_unit(Ranks.from_grades([2, 0, 1])), 0)])[0].frame["contribution"].to_list()
    [2.0, 0.0, 0.5]
    """
    found: dict[str, StepTable] = {}
    for result, unit in results:
        for leaf in result.leaves():
            if leaf.steps is None or leaf.column is None:
                continue
            there = found.get(leaf.steps.says)
            made = StepTable(leaf.steps.says, ((leaf.column, leaf.op),), _rows(leaf.steps, unit), leaf.steps.meanings)
            if there is None:
                found[made.says] = _with_running_sum(made, "running_sum")
            elif (leaf.column, leaf.op) in there.reduced:
                found[made.says] = there._replace(frame=_joined(there.frame, made.frame))
            else:
                found[made.says] = _together(there, _with_running_sum(made, f"running_{leaf.column}"))
    return list(found.values())


def _rows(steps: Steps, unit: int) -> pl.DataFrame:
    own = steps.unit == unit
    return pl.DataFrame({name: values[own] for name, values in steps.columns.items()})


def _with_running_sum(table: StepTable, name: str) -> StepTable:
    column, op = table.reduced[0]
    if op != "sum":
        return table
    return table._replace(frame=table.frame.with_columns(pl.col(column).cum_sum().alias(name)))


def _together(one: StepTable, other: StepTable) -> StepTable:
    """Two tables of the same ranks as one."""
    frame = _joined(one.frame, other.frame)
    return StepTable(one.says, one.reduced + other.reduced, frame, {**one.meanings, **other.meanings})


def _joined(one: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    """The rows and columns of both; without ranks to go by, those of the longer one, the others being among them."""
    if "rank" not in one.columns:
        return one if one.height >= other.height else other
    new = [name for name in other.columns if name not in one.columns]
    old = [name for name in one.columns if name in other.columns and name != "rank"]
    ranks = [frame.with_columns(pl.col("rank").cast(pl.Float64)) for frame in (one, other)]
    joined = ranks[0].join(ranks[1], on="rank", how="full", coalesce=True, suffix=" again").sort("rank")
    joined = joined.with_columns(pl.coalesce(name, f"{name} again").alias(name) for name in old)
    return joined.select(*one.columns, *new)


def named_parts(result: PerQuery, unit: int) -> StepTable | None:
    """The parts of a formula that have names of their own, such as interpolated precision at each level of recall."""
    named = [leaf for leaf in result.leaves() if leaf.name is not None]
    if len(named) < 2:
        return None
    found = [_at(leaf, unit) for leaf in named]
    at = [None if place is None else place[1] for place in found]
    columns = {
        "name": pl.Series([leaf.name for leaf in named], dtype=pl.String),
        "at": pl.Series(at, dtype=pl.Float64),
        "value": pl.Series([float(leaf.values[unit]) for leaf in named]),
    }
    place = next((place[0] for place in found if place is not None), "rank")
    return StepTable("parts", (), pl.DataFrame(columns).rename({"at": f"at_{place}"}), {})


def _at(leaf: PerQuery, unit: int) -> tuple[str, float] | None:
    """The first rank that has the largest value, or the first recall if there are no ranks."""
    steps, column = leaf.steps, leaf.column
    if leaf.op != "max" or steps is None or column is None:
        return None
    there = np.flatnonzero((steps.unit == unit) & (steps[column] == leaf.values[unit]))
    place = "rank" if "rank" in steps.columns else "recall"
    return (place, float(steps[place][there[0]])) if len(there) else None


class Formula(NamedTuple):
    """A number as it is put together: in words, and with the numbers of one unit."""

    words: str
    numbers: str
    is_plain: bool


def formula(result: PerQuery, unit: int) -> Formula:
    """The formula behind a unit's number; `is_plain` if it is a single number that nothing was done to.

    >>> from assay.counting import Ranks
    >>> from assay.measures import P
    >>> formula((P @ 2).per_unit(Ranks.from_grades([1, 0])), 0)[:2]
    ('sum of found / 2', '1 / 2')
    """
    several = len({leaf.steps.says for leaf in result.leaves() if leaf.steps is not None}) > 1

    def word(node: PerQuery) -> str:
        if node.name is not None and node is not result:
            return node.name
        if node.constant is not None:
            return short(node.constant)
        if node.column is None:
            return node.op
        where = f" ({node.steps.says})" if several and node.steps is not None else ""
        if node.op == "max" and (at := _at(node, unit)) is not None:
            where = f", at rank {short(at[1])}" if at[0] == "rank" else f", in the row of recall {short(at[1])}"
        return f"{_REDUCED[node.op]} {node.column}{where}"

    def number(node: PerQuery) -> str:
        return short(float(node.values[unit]))

    texts = [_written(result, leaf_text, outermost=True)[0] for leaf_text in (word, number)]
    return Formula(texts[0], texts[1], not result.operands)


def _written(node: PerQuery, leaf_text: Callable[[PerQuery], str], outermost: bool = False) -> tuple[str, int]:
    """The text of a formula, and how strongly its outermost operation binds."""
    if not node.operands or (node.name is not None and not outermost):
        return leaf_text(node), 3
    others = [operand for operand in node.operands if operand.constant != 1]
    if node.op == "*" and len(others) == 1:  # times 1 says nothing
        return _written(others[0], leaf_text)
    parts = [_written(operand, leaf_text) for operand in node.operands]
    if node.op in _FUNCTIONS:
        return f"{_FUNCTIONS[node.op]}({parts[0][0]})", 3
    if node.op not in _INFIX:
        return f"{node.op}({', '.join(text for text, _ in parts)})", 3
    strength = _BINDS[node.op]
    (left, left_strength), (right, right_strength) = parts
    left = f"({left})" if left_strength < strength else left
    # What is subtracted or divided by keeps its brackets: a / (b / c) is not a / b / c.
    keeps = right_strength < strength or (right_strength == strength and node.op in "-/")
    return f"{left}{_INFIX[node.op]}{f'({right})' if keeps else right}", strength


def counts_named(results: Sequence[tuple[PerQuery, int]]) -> Iterator[tuple[str, float]]:
    """The numbers that were counted and not summed up from steps: their names and values, each once."""
    seen = set()
    for result, unit in results:
        for leaf in (*result.leaves(), *(leaf for need in _needs(result) for leaf in need.leaves())):
            if leaf.steps is None and leaf.constant is None and leaf.op not in seen:
                seen.add(leaf.op)
                yield leaf.op, float(leaf.values[unit])


def _needs(result: PerQuery) -> Iterator[PerQuery]:
    """What must not be 0, for the result or for what it is made of."""
    yield from result.needs
    for operand in result.operands:
        yield from _needs(operand)
