"""A result taken apart: the tables of its steps, and its formula with names and with numbers in it.

What is shown is what was computed: the columns and the tree that the measure's own result carries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import polars as pl

from assay.measures.steps import PerQuery, Steps
from assay.report.layout import short

_INFIX = {"+": " + ", "-": " - ", "*": " × ", "/": " / "}
_BINDS = {"+": 1, "-": 1, "*": 2, "/": 2}
_FUNCTIONS = {"ln": "ln", "sqrt": "√"}


class StepTable(NamedTuple):
    """The rows of a computation for one unit, and what becomes of them."""

    says: str
    column: str
    op: str
    frame: pl.DataFrame


def step_tables(result: PerQuery, unit: int) -> list[StepTable]:
    """The tables of steps that a unit's number is made of; of tables alike in kind, the longest.

    >>> from assay.counting import Ranks
    >>> from assay.measures import DCG
    >>> step_tables(DCG.per_unit(Ranks.from_grades([2, 0, 1])), 0)[0].frame["contribution"].to_list()
    [2.0, 0.0, 0.5]
    """
    found: dict[tuple[str, ...], StepTable] = {}
    for leaf in result.leaves():
        if leaf.steps is None or leaf.column is None:
            continue
        key = (leaf.steps.says, leaf.column, *leaf.steps.columns)
        frame = _rows(leaf.steps, unit, leaf.column, leaf.op)
        if key not in found or frame.height > found[key].frame.height:
            found[key] = StepTable(leaf.steps.says, leaf.column, leaf.op, frame)
    return list(found.values())


def _rows(steps: Steps, unit: int, column: str, op: str) -> pl.DataFrame:
    own = steps.unit == unit
    frame = pl.DataFrame({name: values[own] for name, values in steps.columns.items()})
    if op == "sum":
        frame = frame.with_columns(pl.col(column).cum_sum().alias("running_sum"))
    return frame


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
        if node.constant is not None:
            return short(node.constant)
        if node.column is None:
            return node.op
        whose = f" ({node.steps.says})" if several and node.steps is not None else ""
        return f"{'sum of' if node.op == 'sum' else 'largest'} {node.column}{whose}"

    def number(node: PerQuery) -> str:
        return short(float(node.values[unit]))

    texts = [_written(result, leaf_text)[0] for leaf_text in (word, number)]
    return Formula(texts[0], texts[1], not result.operands)


def _written(node: PerQuery, leaf_text: Callable[[PerQuery], str]) -> tuple[str, int]:
    """The text of a formula, and how strongly its outermost operation binds."""
    if not node.operands:
        return leaf_text(node), 3
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


def counts_named(result: PerQuery, unit: int) -> Iterator[tuple[str, float]]:
    """The numbers that were counted and not summed up from steps: their names and values, each once."""
    seen = set()
    for leaf in (*result.leaves(), *(leaf for need in result.needs for leaf in need.leaves())):
        if leaf.steps is None and leaf.constant is None and leaf.op not in seen:
            seen.add(leaf.op)
            yield leaf.op, float(leaf.values[unit])
